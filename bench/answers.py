"""What ordinary tables are answered: tables that were refused, fits that ended too early, structure that was imagined, each beside
what it was on 22 November 2026 (old); data without structure and with little of it, for the share of false and of exact answers;
step limits; real tables beside peers.
--part=reproductions,noise,weak,limits,real; --sets=20: data sets a line of noise and weak; --seed=1: of the first of them (take
fresh ones for the last look); --seconds=60: no further data set of a line after so many; --lines=REGEX: of noise and weak, only those
that match; --quick: no large tables.  Lines of noise and weak are printed as they are done, too."""
import os, re, sys
from common import Session, in_child, machine, np, table
from common_graphs import SHARED, graph_of, leiden, nmi, option
from common_mixtures import amari, load_vectors, read
import common_answers as a
from common_answers import CODES, answer, number, of_model

PARTS = option('part', 'reproductions,noise,weak,limits,real').split(',')
SETS, SEED, SECONDS, QUICK = option('sets', 20), option('seed', 1), option('seconds', 0), '--quick' in sys.argv
LINES = option('lines', '')
FALSE, TIMEOUT = .02, '900s'   # share of false discoveries that is allowed; of a statement


# -- reproductions ------------------------------------------------------------------

TABLES = {
    'hubs': '''SELECT i src, i % 200 dst FROM generate_series(200, 9999) i
        UNION SELECT i, (i * 7 + 1) % 200 FROM generate_series(200, 4999) i WHERE i % 200 / 20 = ((i * 7 + 1) % 200) / 20
        UNION SELECT x, y FROM generate_series(0, 199) x, generate_series(0, 199) y WHERE x < y AND x / 20 = y / 20
        UNION SELECT x, x + 20 FROM generate_series(0, 179) x''',
    'stars': 'SELECT 100 + i src, i % 20 dst FROM generate_series(0, 9999) i UNION ALL SELECT i, 0 FROM generate_series(1, 19) i',
    'bicliques': '''SELECT b * 10 + h AS src, b * 10 + 5 + l AS dst FROM generate_series(1, 20) b, generate_series(1, 2) h, generate_series(0, 4) l
        UNION SELECT b * 10 + 1, (b % 20 + 1) * 10 + 1 FROM generate_series(1, 20) b''',
    'r1': 'SELECT s.x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(5, 1, covariance => \'full\', seed => 1), 5000, 2) s',
    'r2b': "SELECT s.id / 100 seq, s.id % 100 t, s.x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 1, seed => 1), 20000, 3) s",
    'r3': "SELECT s.x[1:4] a, s.x[5:8] b, s.x[9:12] c FROM tlv_simulate_gmm(tlv_simulate_gmm_model(12, 1, seed => 1), 5000, 3) s",
    't4': 'SELECT tlv_simulate_tree_model(12, states => 3, low => .75, seed => 4) m',
    'r4': 'SELECT s.v FROM t4, tlv_simulate_tree(m, 100000, 1) s',
    't7': 'SELECT tlv_simulate_mmsb_model(600, 2, 0, .05, .022, seed => 20) m',
    'e7': 'SELECT s.src, s.dst FROM t7, tlv_simulate_mmsb(m, 30) s',
    'f7': "SELECT tlv_mmsb('SELECT src, dst FROM e7', k => 2) m",
    'mmsb8': "SELECT s.src, s.dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(1000, 5, .5, .2, .01, seed => 3), 4) s",
    'models': "SELECT 'news' AS name, m AS model FROM f7",
}
AGREEMENT = ("concat({accessor}, ', NMI ', (SELECT round(tlv_nmi(community, {truth})::numeric, 3) FROM (SELECT DISTINCT ON (node) node, community "
             "FROM tlv_memberships(m) WHERE community IS NOT NULL ORDER BY node, membership DESC) q))")
COVERED = '''SELECT round(avg((abs(t.length - f.length) <= 1.96 * f.error)::int), 2) FROM t4, tlv_tree_edges(m) t
    JOIN (SELECT e.* FROM tlv_tree_edges(tlv_tree('SELECT v FROM r4', states => 3)) e) f USING (child) WHERE child ~ 'v' '''
COVERED_FRESH = '''WITH t AS MATERIALIZED (SELECT s, e.* FROM generate_series(601, 612) s, LATERAL tlv_tree_edges(tlv_simulate_tree_model(12, states => 3, low => .75, seed => s)) e),
    f AS MATERIALIZED (SELECT s, e.* FROM generate_series(601, 612) s, LATERAL tlv_tree_edges(tlv_tree(format('SELECT s.v FROM tlv_simulate_tree('
        'tlv_simulate_tree_model(12, states => 3, low => .75, seed => %s), 10000, %s) s', s, s), states => 3)) e)
    SELECT round(avg((abs(t.length - f.length) <= 1.96 * f.error)::int), 2) FROM t JOIN f USING (s, child) WHERE child ~ 'v' '''
REPEATS = '''SELECT count(*) FROM generate_series(1, 12) s, LATERAL (SELECT FROM tlv_warnings(tlv_lda(format('SELECT s.bag FROM tlv_simulate_lda('
    'tlv_simulate_lda_model(300, 1, concentration => .5, seed => %s), 2000, 60, %s) s', s, s), k => 1)) w WHERE message ~ 'repeat') x'''
ALPHA0 = '''SELECT round(avg(score)::numeric, 2) FROM generate_series(1, 5) s, LATERAL (SELECT x.score FROM tlv_diagnostics(tlv_lda(format('SELECT s.bag FROM '
    'tlv_simulate_lda(tlv_simulate_lda_model(600, 8, alpha0 => .8, concentration => .1, seed => %s), 400, 80, %s) s', s, s), k => 8)) x WHERE measure = 'alpha0') d'''


def graph_statement(name, options, truth):
    call = f"tlv_mmsb('SELECT src, dst FROM {name}'{options})"
    return of_model(call, AGREEMENT.format(accessor=number('tlv_communities'), truth=truth))


def reproductions_lines():
    """(what, old, statement, asked)"""
    levels = ("'SELECT 1, g, (CASE WHEN g % 300 < 100 THEN 0 WHEN g % 300 < 200 THEN 5 ELSE 10 END) + random() FROM generate_series(1, 3000) g'")
    letters = ("'SELECT 1, g, (CASE WHEN g % 300 < 100 THEN 1 + (random() * 1.4)::int WHEN g % 300 < 200 THEN 3 + (random() * 1.4)::int "
               "ELSE 1 + (random() * 3)::int END) FROM generate_series(1, 30000) g'")
    hub, star, clique = ('CASE WHEN node < 200 THEN node / 20 ELSE node % 200 / 20 END', 'CASE WHEN node < 20 THEN node ELSE (node - 100) % 20 END', 'node / 10')
    yield 'C1 hubs with leaves', 'refused', graph_statement('hubs', ', degree_corrected => true', hub), '10'
    yield 'C1 all defaults', 'refused', graph_statement('hubs', '', hub), '10'
    yield 'C2 20 stars, k = 20', 'refused', graph_statement('stars', ', k => 20', star), '20'
    yield 'C2 k left out', 'refused or 1', graph_statement('stars', '', star), '20'
    yield 'C3 20 bicliques, k left out', 'refused or 1', graph_statement('bicliques', '', clique), '20'
    yield 'C3 k = 20', 'refused', graph_statement('bicliques', ', k => 20', clique), '20'
    yield 'MMSB, truth 5, k = 8, alpha0 .5', 'spurious the largest', of_model(
        "tlv_mmsb('SELECT src, dst FROM mmsb8', k => 8, alpha0 => .5)",
        f"concat((SELECT string_agg(round(size)::text, ' ' ORDER BY size DESC) FROM tlv_communities(m)), '; ', {CODES})"), 'three small'
    yield 'H1 three levels, k = 3', 'refused', of_model(f'tlv_hmm({levels}, k => 3)', number('tlv_states')), '3'
    yield 'H2 four letters, k = 3', 'refused', of_model(f'tlv_hmm({letters}, k => 3)', number('tlv_states')), '3'
    yield 'N1 name, score beside a table of models', 'ambiguous', 'SELECT count(DISTINCT measure) FROM models, tlv_diagnostics(model)', '1'
    yield 'R1 one Gaussian, all defaults', '7 to 10', of_model("tlv_gmm('SELECT x FROM r1')", number('tlv_components')), '1'
    yield 'R1 covariance full', '1', of_model("tlv_gmm('SELECT x FROM r1', covariance => 'full')", number('tlv_components')), '1'
    yield 'R2 iid symbols, k = 2', 'no warning', of_model("tlv_hmm('SELECT seq, t, symbol FROM r2', k => 2)", CODES), 'a warning'
    yield 'R2 k left out', 'refused', of_model("tlv_hmm('SELECT seq, t, symbol FROM r2')", number('tlv_states')), '1'
    yield 'R2b iid vectors, k = 2', 'no warning', of_model("tlv_hmm('SELECT seq, t, x FROM r2b', k => 2)", CODES), 'a warning'
    yield 'R3 independent views, k = 2', 'no warning', of_model("tlv_multiview('SELECT a, b, c FROM r3', k => 2)", CODES), 'a warning'
    yield 'R3 k left out', 'refused', of_model("tlv_multiview('SELECT a, b, c FROM r3')", a.CLASSES), '1'
    yield 'R4 lengths of trees, share covered', '0 to .04', COVERED, '.95'
    yield 'the same of 12 other trees, 10,000 rows', '', COVERED_FRESH, '.95'
    yield 'R5 one topic, warned of repeated words', 'false warnings', REPEATS, '0'
    yield 'R6 alpha0 .8, 400 documents', '.54 to .59', ALPHA0, '.80'
    yield 'R7 memberships neither 0 nor 1', '0', 'SELECT count(*) FILTER (WHERE membership BETWEEN .001 AND .999) FROM f7, tlv_memberships(m)', 'some'


LARGE = [   # what, old, table, statement, asked
    ('20,000 x 384 numbers, k = 40', 'refused: 83.8 MB', 'SELECT x, component FROM tlv_simulate_gmm(tlv_simulate_gmm_model(384, 40, 8, seed => 1), 20000, 1)',
     of_model("tlv_gmm('SELECT x FROM large', k => 40)", "(SELECT round(tlv_nmi(component, tlv_assign(m, x))::numeric, 3) FROM large)"), 'NMI 1'),
    ('5000 x 1536 numbers, k = 50', 'refused: 4797 MB', 'SELECT x, component FROM tlv_simulate_gmm(tlv_simulate_gmm_model(1536, 50, 16, seed => 1), 5000, 1)',
     of_model("tlv_gmm('SELECT x FROM large', k => 50)", "(SELECT round(tlv_nmi(component, tlv_assign(m, x))::numeric, 3) FROM large)"), 'NMI 1'),
    ('63,000 short texts, 86,000 words', 'refused: 92.4 MB', 'SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(86000, 20, seed => 1), 63000, 12, 1)',
     of_model("tlv_lda('SELECT bag FROM large', k => 20)", number('tlv_topics')), '20')]


def reproductions(s):
    s.query("SELECT setseed(.3)")
    s.query('CREATE TEMP TABLE r2 AS SELECT i / 100 seq, i % 100 t, (random() * random() * 8)::int + 1 symbol FROM generate_series(0, 19999) i')
    for name, query in TABLES.items():
        s.query(f'CREATE TEMP TABLE {name} AS {query}')
    rows = []
    for what, old, statement, asked in reproductions_lines():
        found, cpu = answer(s, statement)
        rows.append([what, old, short(found), asked, f'{cpu:.2f}'])
    for what, old, query, statement, asked in [] if QUICK else LARGE:
        s.query(f'DROP TABLE IF EXISTS large; CREATE TEMP TABLE large AS {query}')
        found, cpu = answer(s, statement)
        rows.append([what, old, short(found), asked, f'{cpu:.2f}'])
    s.query('DROP TABLE IF EXISTS large')
    table('Reproductions, plain SQL', ['', 'old', 'now', 'asked', 'CPU s'], rows)


def short(text, length=70):
    return text if len(text) <= length else text[:length - 3] + '...'


# -- noise, and weak structure ---------------------------------------------------------

def upper(false, n):
    """95 % upper bound of a share (Clopper and Pearson)"""
    from scipy.stats import beta
    return 1. if false == n else float(beta.ppf(.95, false + 1, n - false))


def chosen(lines):
    return (line for line in lines if re.search(LINES, f'{line[0]}; {line[1]}'))


def done(row):
    print('  ' + '  '.join(str(x) for x in row if x != ''), flush=True)


def series(s, make, statement):
    """(answers to data sets of one seed after the other, refusals, CPU seconds of each); three refusals at once end them"""
    found, refused, spent = [], [], 0.
    for seed in range(SEED, SEED + SETS):
        make(s, seed)
        text, cpu = answer(s, statement)
        spent += cpu
        (refused if text.startswith('refused') else found).append(text)
        if SECONDS and spent > SECONDS or len(refused) == 3 and not found:
            break
    return [float(x) for x in found], refused, spent / (len(found) + len(refused))


def noise(s):
    rows = []
    for model, data, make, statement in chosen(a.noise_lines()):
        found, refused, cpu = series(s, make, statement)
        false, n = sum(x > 1 for x in found), len(found)
        shares = [f'{false / n:.3f}', f'{upper(false, n):.3f}'] if n else ['', '']
        often = ' '.join(f'{x:g}' for x in sorted(set(found)) if x > 1)
        rows.append([f'{model}; {data}', f'{false} of {n}' if n else '', *shares, often, len(refused) or '', short(refused[0] if refused else ''), f'{cpu:.3f}'])
        done(rows[-1])
    table(f'Data without structure, seeds from {SEED}: false discoveries (allowed: {FALSE:g} of them), upper bound at 95 %, what was found',
          ['', 'false', 'share', 'at most', 'found', 'refused', 'message', 'CPU s'], rows)


def weak(s):
    rows = []
    for model, data, make, statement, truth in chosen(a.weak_lines()):
        found, refused, cpu = series(s, make, statement)
        exact = f'{np.mean([v == truth for v in found]):.2f} of {len(found)}' if found else ''
        counts = ' '.join(f'{v:g}:{found.count(v)}' for v in sorted(set(found)))
        rows.append([f'{model}; {data}', truth, exact, counts, len(refused) or '', short(refused[0] if refused else ''), f'{cpu:.3f}'])
        done(rows[-1])
    table(f'Weak structure, k left out, seeds from {SEED}: share that is exact, and how often each number was found', ['', 'truth', 'exact', 'found', 'refused', 'message', 'CPU s'], rows)


# -- step limits -------------------------------------------------------------------------

def measure(name):
    return f"(SELECT max(score) FROM tlv_diagnostics(m) WHERE measure = '{name}')"


def limits(s):
    """steps that a fit with all defaults takes, and the likelihood that is gained by many more"""
    rows = []
    steps = f"concat(greatest({measure('refinement_steps')}, {measure('sample_steps')}), ' steps; ', {CODES})"
    a.documents(20, 4000, 80, items=2000, concentration=.05)(s, SEED)
    for what, call in (('topics, stepwise', "tlv_lda('SELECT bag FROM d', k => 20)"), ('topics, gibbs', "tlv_lda('SELECT bag FROM d', k => 20, refine => 'gibbs')")):
        rows.append([what, *answer(s, of_model(call, steps))])
    a.chain(100, 300, 4, symbols_=4, stay=.95)(s, SEED)
    s.query('CREATE TEMP TABLE arrays AS SELECT array_agg(symbol ORDER BY t) AS s FROM d GROUP BY seq')
    gain = "(SELECT sum(tlv_log_likelihood(m, s)) / sum(cardinality(s)) FROM arrays)"
    usual, many = ("tlv_hmm('SELECT s FROM arrays', k => 4)", "tlv_hmm('SELECT s FROM arrays', k => 4, iterations => 1000)")
    rows.append(['hmm of 4 letters, k = 4', *answer(s, of_model(usual, steps))])
    rows += [[f'  log-likelihood a step{more}', *answer(s, of_model(call, f'round({gain}::numeric, 5)'))] for more, call in (('', usual), (', 1000 steps', many))]
    load_vectors(s, 'd', a.clusters(np.random.default_rng(SEED), 5000, 8, 6, 3))
    rows.append(['mixture, k = 6, 3 apart', *answer(s, of_model("tlv_gmm('SELECT x FROM d', k => 6)", steps))])
    s.query('DROP TABLE arrays')
    table('Steps until the likelihood stands, all defaults', ['', 'now', 'CPU s'], [[r[0], short(r[1], 100), f'{r[2]:.2f}'] for r in rows])


# -- real tables ----------------------------------------------------------------------------

def graphs_of_here():
    """name, old, graph, labels"""
    for name, old in (('email-enron', 'refused'), ('packages', 'refused for k above 6'), ('polblogs', ''), ('football', ''), ('karate', ''), ('dolphins', '')):
        if QUICK and name in ('email-enron', 'packages'):
            continue
        graph = graph_of(name)
        if graph is not None:
            yield name, old, graph


def graphs(s):
    rows = []
    for name, old, graph in graphs_of_here():
        s.copy('d', 'src dst', [graph.src, graph.dst])
        found, cpu = answer(s, of_model(a.LEFT_OUT['communities'], "(SELECT string_agg(concat(node, ':', community), ' ') FROM (SELECT DISTINCT ON (node) node, "
                                                                   'community FROM tlv_memberships(m) WHERE community IS NOT NULL ORDER BY node, membership DESC) q)'))
        if found.startswith('refused'):
            rows.append([name, graph.n, old, short(found), '', f'{cpu:.2f}'])
            continue
        of = np.array([p.split(':') for p in found.split()], int)
        labels = np.zeros(graph.n, int)
        labels[of[:, 0]] = of[:, 1]
        told = graph.Pi.shape[1] > 1
        peer = in_child(leiden, graph)
        rows.append([name, graph.n, old, f'k = {len(set(of[:, 1]))}' + (f', NMI {nmi(graph.labels, labels):.3f}' if told else ''),
                     f'k = {len(set(peer[0]))}' + (f', NMI {nmi(graph.labels, peer[0]):.3f}' if told else '') if peer else '', f'{cpu:.2f}'])
    table('Real graphs, all defaults', ['', 'nodes', 'old', 'now', 'Leiden', 'CPU s'], rows)


def tables_of_numbers(s):
    """number of components that the criterion finds, beside the classes"""
    rows = []
    for name, classes in (('iris', 3), ('wine', 3), ('breast-cancer', 2), ('faithful', 2), ('oilflow', 3)):
        if not os.path.exists(os.path.join(SHARED, name)):
            continue
        x, labels = read(name)
        load_vectors(s, 'd', (x - x.mean(0)) / x.std(0))
        rows.append([f'{name}: {x.shape[0]} x {x.shape[1]}', classes] + [short(answer(s, of_model(call, f'concat({a.COMPONENTS}, \'; \', {CODES})'))[0], 60)
                                                                       for call in (a.LEFT_OUT['mixtures'], a.LEFT_OUT['full'], a.LEFT_OUT['t'])])
    table("Real tables of numbers: components found", ['', 'classes', 'all defaults', 'full', "tails => 't'"], rows)


def patches(seed, n=20000, side=8, kept=20):
    """patches of the photographs that come with scikit-learn, their mean taken off, as their first directions of variance"""
    from sklearn.datasets import load_sample_images
    rng, found = np.random.default_rng(seed), []
    images = [i.mean(2) for i in load_sample_images().images]
    for _ in range(n):
        i = images[rng.integers(len(images))]
        y, x = rng.integers(i.shape[0] - side), rng.integers(i.shape[1] - side)
        found.append(i[y:y + side, x:x + side].ravel())
    X = np.array(found)
    X -= X.mean(1, keepdims=True)
    return X, kept


def reduced(X, basis):
    return (X - X.mean(0)) @ basis


def mixing_of(s, X):
    load_vectors(s, 'd', X)
    s.query("DROP TABLE IF EXISTS ica; CREATE TEMP TABLE ica AS SELECT tlv_ica('SELECT x FROM d', keep_gaussian => true) AS model")
    rows = np.array(s.query('SELECT component, dimension, weight FROM ica, tlv_mixing(model)'), float)
    A = np.zeros((X.shape[1], int(rows[:, 0].max())))
    A[rows[:, 1].astype(int) - 1, rows[:, 0].astype(int) - 1] = rows[:, 2]
    return A


def fast_mixing(X):
    from sklearn.decomposition import FastICA
    return FastICA(whiten='unit-variance', max_iter=500, random_state=0).fit(X).mixing_


def picard_mixing(X):
    from picard import picard
    K, W, _ = picard(X.T, extended=True, ortho=False, max_iter=500, random_state=0)
    return np.linalg.pinv(W @ K)


def images(s):
    try:
        X, kept = patches(SEED)
    except ImportError as missing:   # scikit-learn, or what it reads photographs with
        return print(f'\nIndependent components of image patches: left out, {str(missing).splitlines()[0][:70]}')
    basis = np.linalg.svd(X - X.mean(0), full_matrices=False)[2][:kept].T
    halves = reduced(X[:len(X) // 2], basis), reduced(X[len(X) // 2:], basis)
    halves = [h / halves[0].std(0) for h in halves]
    rows = [['tensorlv, all defaults', f'{amari(*(mixing_of(s, h) for h in halves)):.3f}']]
    for name, peer in (('FastICA, logcosh', fast_mixing), ('picard, extended', picard_mixing)):
        found = [in_child(peer, h) for h in halves]
        if found[0] is not None:
            rows.append([name, f'{amari(*found):.3f}'])
    table('Independent components of image patches: Amari index of the fits to two halves (old, of other photographs: .42, picard .35)', ['', 'halves'], rows)


session = Session(max_parallel_workers_per_gather=0, statement_timeout=TIMEOUT, maintenance_work_mem='64MB')   # as it is by default
session.query(a.HELPER)
machine(session)
for part, run in (('reproductions', (reproductions,)), ('noise', (noise,)), ('weak', (weak,)), ('limits', (limits,)), ('real', (graphs, tables_of_numbers, images))):
    if part in PARTS:
        for work in run:
            work(session)
session.close()
