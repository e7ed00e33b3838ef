"""Latent classes and mixed membership: probabilities found beside those that rows were drawn with, next to the reference's figures
and scikit-learn's NMF and LDA; a thousand variables; cattle breeds (held-out alleles, breeds found); votes and words by latent
classes; time and memory for up to a million answers and 10,000 variables.

bench/membership.py [--part=simulated,alpha,large,numbers,partition,many,microbov,classes,growth] [--seeds=101,102,103] [--peers=none] [--quick]"""
import os
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
import csv, gzip, sys, time, warnings
from common import Session, machine, np, table
from common_trees import TMP, copy_arrays, copy_rows
from scipy.optimize import linear_sum_assignment
from scipy.special import digamma
try:
    import stepmix.stepmix as stepmix
except ImportError:
    stepmix = None   # pip install stepmix, in an environment of its own: PYTHONPATH

warnings.filterwarnings('ignore')
OPTIONS = dict((a.lstrip('-').split('=', 1) + [''])[:2] for a in sys.argv[1:])
SEEDS = [int(s) for s in OPTIONS.get('seeds', '101,102,103').split(',')]
DATA = os.environ.get('TLV_SHARED_DATA', '')
PEERS = OPTIONS.get('peers') != 'none'
PEER_STARTS = 3

# (k, rows): what is asked of the moments, and of what is refined; 25 variables of 4 categories, alpha .1
SIMULATED = {(3, 1000): (.0204, .0204), (5, 5000): (.0160, .0160), (10, 1000): (None, None), (10, 5000): (.0327, .0284), (20, 5000): (.0862, .0728)}
LARGE = {4: .0262, 8: .0444, 12: .0615}   # 1,000 variables, 1,000 rows


def simulate(seed, n, p, k, d=4, alpha=.1):
    """as the reference does it: rows, probabilities (p x d x k)"""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(d, .5), (p, k)).transpose(0, 2, 1)
    x = rng.dirichlet(np.full(k, alpha), n)
    rows = np.empty((n, p), int)
    for j in range(p):
        below = np.cumsum(x @ theta[j].T, 1)
        rows[:, j] = np.minimum((rng.random(n)[:, None] > below).sum(1), d - 1)
    return rows, theta


def rmse(theta, found):
    """of probabilities (p x d x k), components paired in the best way"""
    a, b = theta.reshape(-1, theta.shape[2]), found.reshape(-1, found.shape[2])
    cost = ((a[:, :, None] - b[:, None, :]) ** 2).sum(0)
    return float(np.sqrt(cost[linear_sum_assignment(cost)].sum() / a.size))


def one_hot(rows, d):
    return (rows[:, :, None] == np.arange(d)).reshape(len(rows), -1).astype(float)


def read_model(s, p, d, k):
    found = np.zeros((p, d, k))
    for j, c, h, v in s.query('SELECT variable - 1, category, component - 1, probability FROM m, tlv_categories(model)'):
        found[int(j), int(c), int(h)] = float(v)
    return found


def fit(s, call):
    """the cost of a model, which is then in the table m"""
    s.query('DROP TABLE IF EXISTS m; CREATE TEMP TABLE m (model tlv_model)')
    return s.cost(f'INSERT INTO m SELECT {call}')[1]


def peers_simulated(rows, theta, k, d=4):
    """(RMSE, processor seconds) of scikit-learn's NMF and LDA, columns normalised within every variable"""
    from sklearn.decomposition import NMF, LatentDirichletAllocation
    x, result = one_hot(rows, d), {}
    # as many starts as tlv_gom tries, the best by the peer's own criterion
    for name, make, score in (('NMF', lambda i: NMF(k, beta_loss='kullback-leibler', solver='mu', init='random', max_iter=500, random_state=i), lambda m: -m.reconstruction_err_),
                              ('LDA', lambda i: LatentDirichletAllocation(k, doc_topic_prior=.1, max_iter=50, random_state=i), lambda m: -m.bound_)):
        start = time.process_time()
        model = max((make(i).fit(x) for i in range(PEER_STARTS)), key=score)
        found = model.components_.T.reshape(theta.shape[0], d, k) + 1e-9
        result[name] = (rmse(theta, found / found.sum(1, keepdims=True)), time.process_time() - start)
    return result


def simulated(s):
    lines = []
    for (k, n), (asked, asked_refined) in SIMULATED.items():
        if OPTIONS.get('quick') is not None and n * k > 30000:
            continue
        for seed in SEEDS:
            rows, theta = simulate(seed, n, 25, k)
            copy_rows(s, 'simulated', rows)
            s.query('DROP TABLE IF EXISTS m; CREATE TEMP TABLE m AS SELECT NULL::tlv_model AS model')
            moments = fit(s, f"tlv_gom('SELECT v FROM simulated', {k}, alpha0 => {k / 10}, refine => 'none')")
            without = rmse(theta, read_model(s, 25, 4, k))
            tables = fit(s, f'tlv_fit_gom(tlv_category_moments(v), {k}, alpha0 => {k / 10}) FROM simulated')
            of_tables = rmse(theta, read_model(s, 25, 4, k))
            refined = fit(s, f"tlv_gom('SELECT v FROM simulated', {k}, alpha0 => {k / 10})")
            whole = rmse(theta, read_model(s, 25, 4, k))
            theirs = peers_simulated(rows, theta, k) if PEERS else {}
            lines.append([k, n, seed, f'{of_tables:.4f}', asked or '', f'{whole:.4f}', asked_refined or '', f'{without:.4f}', f'{tables.cpu:.2f}', f'{refined.cpu:.2f}']
                         + [f'{theirs[q][0]:.4f} ({theirs[q][1]:.1f} s)' if theirs else '-' for q in ('NMF', 'LDA')])
    table('RMSE of the probabilities, 25 variables of 4 categories, alpha .1', ['k', 'rows', 'seed', 'tlv_fit_gom', 'asked', 'tlv_gom', 'asked',
          'its start', 'CPU s fit', 'CPU s driver', 'NMF', 'LDA'], lines)


def alphas(s):
    """memberships of any kind: moments alone, alpha0 left to the fit, the true one, and the one that was usual, k / 10"""
    lines = []
    for k, n in ((3, 1000), (5, 1000), (5, 5000), (10, 1000), (20, 5000)):
        for alpha in (.02, .1, .5):
            found = []
            for seed in SEEDS:
                s.query(f'DROP TABLE IF EXISTS m, t; CREATE TEMP TABLE m AS SELECT tlv_simulate_gom_model(25, {k}, alpha => {alpha}, seed => {seed}) AS model')
                s.query(f'CREATE TEMP TABLE t AS SELECT tlv_category_moments(s.v) AS moments FROM m, tlv_simulate_gom(model, {n}, {seed + 1000}) s')
                found.append([float(s.value(f'SELECT avg(distance) FROM m, t, tlv_match(model, tlv_fit_gom(moments, {k}, {a}))')) for a in ('NULL', k * alpha, k / 10)]
                             + [float(s.value(f'SELECT sum(c.alpha) FROM t, tlv_components(tlv_fit_gom(moments, {k})) c')) / (k * alpha)])
            of = np.array(found)
            lines.append([k, n, f'{k * alpha:.2g}', ' '.join(f'{r:.2f}' for r in of[:, 3])] + [f'{v:.4f}' for v in of[:, :3].mean(0)])
    table('alpha0 that is left to the fit, 25 variables: share of answers in which components differ from the true ones', ['k', 'rows', 'alpha0', 'found / true', 'found', 'true', 'k / 10'], lines)


def large(s):
    lines = []
    for k, asked in LARGE.items():
        for seed in SEEDS:
            rows, theta = simulate(seed, 1000, 1000, k)
            copy_arrays(s, 'simulated', [rows])
            start = fit(s, f"tlv_gom('SELECT v FROM simulated', {k}, alpha0 => {k / 10}, refine => 'none')")
            without = rmse(theta, read_model(s, 1000, 4, k))
            refined = fit(s, f"tlv_gom('SELECT v FROM simulated', {k}, alpha0 => {k / 10})")
            lines.append([k, seed, f'{without:.4f}', f'{start.cpu:.2f}', f'{rmse(theta, read_model(s, 1000, 4, k)):.4f}', asked, f'{refined.cpu:.2f}', f'{refined.leader_mb:.0f}'])
    table('1,000 variables of 4 categories, 1,000 rows', ['k', 'seed', 'start', 'CPU s', 'tlv_gom', 'asked', 'CPU s', 'MB'], lines)


# -- numbers beside the categories ---------------------------------------------------

def simulate_beside(seed, n, mixed, p=6, k=4):
    """categories that overlap, two measurements (means 2 apart, deviation 1, a tenth missing) and two counts: rows, the true means (numbers x k), classes"""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(4, 2), (p, k)).transpose(0, 2, 1)
    x = rng.dirichlet(np.full(k, .1), n) if mixed else np.eye(k)[rng.integers(k, size=n)]
    draw = lambda: (rng.random(n)[:, None] > np.cumsum(x, 1)).sum(1).clip(0, k - 1)
    own = [draw() for _ in range(p)]
    rows = np.stack([(rng.random(n)[:, None] > np.cumsum(theta[j].T[own[j]], 1)).sum(1).clip(0, 3) for j in range(p)], 1)
    means = np.stack([50 + 2 * rng.permutation(k), 2 * rng.permutation(k), 1 + 3 * rng.permutation(k), 2 + 4 * rng.permutation(k)])
    numbers = np.stack([rng.normal(means[s][draw()], 1) if s < 2 else rng.poisson(means[s][draw()]) for s in range(4)], 1).astype(float)
    numbers[rng.random((n, 4)) < .1] = np.nan
    return rows, numbers, means, x.argmax(1)


def numbers(s, k=4):
    from sklearn.metrics import adjusted_rand_score as ari
    import pandas
    lines, columns = [], [f'c{j}' for j in range(6)] + [f'x{j}' for j in range(4)]
    for mixed in (False, True):
        driver = 'tlv_gom' if mixed else 'tlv_lca'
        for seed in SEEDS:
            rows, values, means, label = simulate_beside(seed, 2000, mixed)
            text = lambda v: '' if np.isnan(v) else repr(float(v))
            copy_text(s, 'beside', 'id int, ' + ', '.join(f'{c} {"int" if c[0] == "c" else "float8"}' for c in columns),
                      [[i, *r, *map(text, v)] for i, (r, v) in enumerate(zip(rows, values))])

            def assigned(names):
                cost = fit(s, f"{driver}('SELECT {', '.join(names)} FROM beside', {k}, layout => 'wide')")
                found = np.array(s.query(f"SELECT tlv_assign(model, ROW({', '.join(names)})) FROM m, beside ORDER BY id"), int).ravel()
                return ari(label, found), cost.cpu
            (bare, _), (score, cpu) = assigned(columns[:6]), assigned(columns)
            found = np.zeros((4, k))
            for h, d, v in s.query('SELECT component - 1, dimension - 1, mean FROM m, tlv_means(model)'):
                found[int(d), int(h)] = float(v)
            scale = np.array([1, 1, *np.sqrt(means[2:].mean(1))])[:, None]
            cost = (((means[:, :, None] - found[:, None, :]) / scale[:, :, None]) ** 2).sum(0)
            error = np.sqrt(cost[linear_sum_assignment(cost)].sum() / found.size)
            theirs = '-'
            if PEERS and stepmix is not None and not mixed:
                start = time.process_time()
                data = pandas.DataFrame(np.c_[rows, values], columns=columns)
                model, data = stepmix.StepMix(k, measurement={'c': {'model': 'categorical_nan', 'n_columns': 6}, 'x': {'model': 'gaussian_diag_nan', 'n_columns': 4}},
                                              n_init=3, max_iter=1000, random_state=0, progress_bar=0, verbose=0), data
                theirs = f'{ari(label, model.fit(data).predict(data)):.3f} ({time.process_time() - start:.1f} s)'
            lines.append([driver, seed, f'{bare:.3f}', f'{score:.3f}', f'{error:.3f}', f'{cpu:.2f}', theirs])
    table('2,000 rows, six questions of four answers, two measurements and two counts, a tenth of the numbers missing, k = 4: adjusted Rand index of the largest component',
          ['', 'seed', 'questions alone', 'and numbers', 'RMSE of means', 'CPU s', 'StepMix'], lines)


# the reference's figures: (variables, k, rows): its partitioned method by hierarchical least squares
PARTITION = {(25, 3, 1000): .023, (25, 5, 1000): .034, (25, 5, 5000): .016, (25, 10, 5000): .031, (25, 20, 5000): .081,
             (1000, 4, 1000): .0275, (1000, 8, 1000): .0488, (1000, 12, 1000): .0713}


def partition(s):
    """the method of the paper beside ours: starts alone, of moments; of many variables those of the rows, a tenth of the values held out"""
    lines = []
    for (p, k, n), asked in PARTITION.items():
        for seed in SEEDS[:1 if p > 25 else 3]:
            rows, theta = simulate(seed, n, p, k)
            copy_arrays(s, 'simulated', [rows])
            line = [p, k, n, seed]
            for method in ('joint', 'partition', 'partition-pqp'):
                if p > 25 and method != 'joint': # moments of 1,000 variables have no room for all triples
                    line += ['', '']
                    continue
                if p > 25:
                    cost = fit(s, f"tlv_gom('SELECT v FROM simulated', {k}, alpha0 => {k / 10}, refine => 'none')")
                else:
                    cost = fit(s, f"tlv_fit_gom((SELECT tlv_category_moments(v) FROM simulated), {k}, alpha0 => {k / 10}, method => '{method}')")
                line += [f'{rmse(theta, read_model(s, p, 4, k)):.4f}', f'{cost.cpu:.1f}']
            lines.append(line + [asked])
    table('Starts without refinement: moments, and the partitioned method',
          ['variables', 'k', 'rows', 'seed', 'moments', 'CPU s', 'partition', 'CPU s', 'pqp', 'CPU s', 'the reference\'s partitions'], lines)


def many(s):
    """hundreds of components"""
    lines = []
    for k, p, n in ((50, 200, 10000), (100, 200, 10000), (200, 400, 10000)):
        s.query('DROP TABLE IF EXISTS many')
        s.query(f'CREATE UNLOGGED TABLE many AS SELECT s.v FROM tlv_simulate_gom(tlv_simulate_gom_model({p}, {k}, alpha => {2 / k}), {n}) s')
        start = fit(s, f"tlv_gom('SELECT v FROM many', {k}, alpha0 => 2, refine => 'none')")
        lines.append([k, p, n, f'{start.cpu:.1f}', f'{start.leader_mb:.0f}'])
    table('Hundreds of components, without refinement', ['k', 'variables', 'rows', 'CPU s', 'MB'], lines)


# -- cattle breeds ---------------------------------------------------------------

def read(name, part):
    with gzip.open(os.path.join(DATA, name, part + '.csv.gz'), 'rt') as f:
        return list(csv.reader(f))


def copy_text(s, name, columns, rows):
    path = os.path.join(TMP, name + '.csv')
    with open(path, 'w', newline='') as f:
        csv.writer(f).writerows(rows)
    s.query(f'DROP TABLE IF EXISTS {name}; CREATE UNLOGGED TABLE {name} ({columns})')
    s.query(f"\\copy {name} FROM '{path}' WITH (FORMAT csv)")
    os.unlink(path)
    s.query(f'VACUUM ANALYZE {name}')


def fold_in(x, phi, alpha, steps=200):
    """mean memberships by variational inference: x rows x items, phi items x k"""
    k = phi.shape[1]
    g = alpha + np.repeat(x.sum(1, keepdims=True) / k, k, 1)
    for _ in range(steps):
        e = np.exp(digamma(g) - digamma(g.sum(1, keepdims=True)))
        g = alpha + e * ((x / np.maximum(e @ phi.T, 1e-100)) @ phi)
    return g / g.sum(1, keepdims=True)


def microbov(s, k=15):
    """cells held out as the reference does it"""
    from sklearn.decomposition import NMF, LatentDirichletAllocation
    from sklearn.metrics import adjusted_rand_score as ari
    cells = [(int(r[0]), r[1], r[2], int(r[3])) for r in read('microbov', 'genotypes')[1:]]
    breeds = {int(r[0]): r[1] for r in read('microbov', 'individuals')[1:]}
    loci = sorted({c[1] for c in cells})
    items = sorted({(c[1], c[2]) for c in cells})
    at, locus = {v: i for i, v in enumerate(items)}, np.array([loci.index(v[0]) for v in items])
    first = np.r_[0, np.flatnonzero(np.diff(locus)) + 1]
    n = len(breeds)
    label = np.unique([breeds[i + 1] for i in range(n)], return_inverse=True)[1]
    lines = []
    for seed in [3] + SEEDS:
        held = np.random.default_rng(seed).random((n, len(loci))) < .1
        x, out = np.zeros((n, len(items))), np.zeros((n, len(items)))
        for i, l, a, c in cells:
            (out if held[i - 1, loci.index(l)] else x)[i - 1, at[l, a]] += c
        block = lambda m: m / np.add.reduceat(m, first)[locus]
        marginal = block(np.maximum(x.sum(0), .5))
        nll = lambda p: float(-(out * np.log(np.maximum(p, 1e-4))).sum() / out.sum())
        lines.append([seed, 'marginal', f'{nll(np.repeat(marginal[None], n, 0)):.4f}', '', ''])
        copy_text(s, 'genotypes', 'id int, locus text, allele text', [(i, l, a) for i, l, a, c in cells if not held[i - 1, loci.index(l)] for _ in range(c)])
        for title, options in (('tlv_gom', ''), ('start', ", refine => 'none'"), ('100 steps', ', iterations => 100')):
            cost = fit(s, f"tlv_gom('SELECT * FROM genotypes', {k}, copies => 2{options})")
            found = np.full((len(items), k), 1e-4)
            for l, a, h, v in s.query('SELECT variable_name, category_name, component - 1, probability FROM m, tlv_categories(model)'):
                found[at[l, a], int(h)] = float(v)
            s.query('CREATE TEMP TABLE numbers AS SELECT DISTINCT variable, variable_name, category, category_name FROM m, tlv_categories(model)')
            shares = np.zeros((n, k))
            for i, h in s.query('''SELECT g.id, array_to_string(tlv_infer(model, g.v), ',') FROM m, (SELECT id, array_agg(category::int ORDER BY variable, copy) AS v FROM
                    (SELECT i.id, n.variable, c.copy, g.category FROM (SELECT DISTINCT id FROM genotypes) i CROSS JOIN (SELECT DISTINCT variable, variable_name FROM numbers) n
                     CROSS JOIN generate_series(1, 2) AS c(copy) LEFT JOIN (SELECT id, locus, category, row_number() OVER (PARTITION BY id, locus) AS copy FROM genotypes
                     JOIN numbers ON variable_name = locus AND category_name = allele) g ON g.id = i.id AND g.locus = variable_name AND g.copy = c.copy) q GROUP BY id) g'''):
                shares[int(i) - 1] = [float(v) for v in h.split(',')]
            s.query('DROP TABLE numbers')
            own = fold_in(x, found, .1)
            lines.append([seed, title, f'{nll(own @ found.T):.4f}', f'{ari(label, shares.argmax(1)):.3f}', f'{cost.cpu:.2f}'])
        for title, model in ((('NMF', NMF(k, beta_loss='kullback-leibler', solver='mu', init='random', max_iter=500, random_state=0)),
                              ('LDA', LatentDirichletAllocation(k, doc_topic_prior=.1, max_iter=50, random_state=0))) if PEERS else ()):
            start = time.process_time()
            found = model.fit(x).components_.T
            spent = time.process_time() - start
            found = np.maximum(block(found + 1e-12), 1e-4)
            found = block(found)
            own = fold_in(x, found, .1)
            lines.append([seed, title, f'{nll(own @ found.T):.4f}', f'{ari(label, own.argmax(1)):.3f}', f'{spent:.2f}'])
    table('Cattle: 704 animals, 30 loci, 15 breeds; a tenth of the cells held out: -log p of an allele, and the breeds (asked: 1.51, .60)',
          ['seed', '', 'held out', 'ARI', 'CPU s'], lines)


# -- latent classes ----------------------------------------------------------------

def peer_classes(train, test, k):
    """mean log-likelihood of a row of test, and processor seconds, by StepMix: as many starts as tlv_lca has, until they stand"""
    missing = lambda v: np.where(v < 0, np.nan, v.astype(float))
    start = time.process_time()
    model = stepmix.StepMix(k, measurement='binary_nan', n_init=3, max_iter=1000, random_state=0, progress_bar=0, verbose=0).fit(missing(train))
    spent = time.process_time() - start
    return float(model.score(missing(test))), spent


def classes(s):
    """as trees_real does it: a fifth held out, mean of five parts, of the words one"""
    votes = np.array([[{'n': 0, 'y': 1}.get(v, -1) for v in r[2:]] for r in read('house-votes-84', 'votes')[1:]])
    words = np.zeros((len(read('news100', 'labels')) - 1, 100), int)
    for d, w in read('news100', 'doc_word')[1:]:
        words[int(d) - 1, int(w) - 1] = 1
    lines = []
    for name, x, folds, asked in (('votes', votes, 5, -6.895), ('words', words, 1, -13.992)):
        order = np.random.default_rng(100).permutation(len(x))
        for title, options in (('tlv_lca', ''), ("criterion => 'bic'", ", criterion => 'bic'"), ('k = 8', ', k => 8')):
            scores, numbers, cpu = [], [], 0
            for fold in range(folds):
                held = np.isin(np.arange(len(x)), order[fold::5])
                copy_rows(s, 'train', x[~held])
                copy_rows(s, 'test', x[held])
                cpu += fit(s, f"tlv_lca('SELECT v FROM train'{options})").cpu / folds
                scores.append(float(s.value('SELECT avg(tlv_log_likelihood(model, v)) FROM m, test')))
                numbers.append(int(s.value('SELECT count(*) FROM m, tlv_components(model)')))
            lines.append([name, title, f'{np.mean(scores):.3f}', asked, ' '.join(map(str, numbers)), f'{cpu:.2f}'])
        if PEERS and stepmix is not None:
            scores, cpu = [], 0
            for fold in range(folds):
                held = np.isin(np.arange(len(x)), order[fold::5])
                score, spent = peer_classes(x[~held], x[held], 8)
                scores.append(score)
                cpu += spent / folds
            lines.append([name, 'StepMix, k = 8', f'{np.mean(scores):.3f}', asked, ' '.join('8' * folds), f'{cpu:.2f}'])
    table('Log-likelihood of a row held out', ['', '', 'held out', 'asked', 'classes', 'CPU s'], lines)


# -- growth -----------------------------------------------------------------------

def grow(s):
    for title, sizes, what in (('25 variables of 4 categories, k = 5', [5000, 10000, 20000, 40000], lambda n: (25, n)),
                               ('1,000 rows of variables of 4 categories, k = 5', [1250, 2500, 5000, 10000], lambda p: (p, 1000))):
        lines = []
        for size in sizes:
            p, n = what(size)
            s.query('DROP TABLE IF EXISTS many')
            s.query(f'CREATE UNLOGGED TABLE many AS SELECT s.v FROM tlv_simulate_gom(tlv_simulate_gom_model({p}, 5), {n}) s')
            gom, lca = fit(s, "tlv_gom('SELECT v FROM many', 5)"), fit(s, "tlv_lca('SELECT v FROM many', 5)")
            lines.append([size, n * p, f'{gom.cpu:.2f}', f'{gom.leader_mb:.0f}', f'{lca.cpu:.2f}', f'{lca.leader_mb:.0f}'])
        x = np.log([r[0] for r in lines])
        lines.append(['slope', ''] + [f'{np.polyfit(x, np.log([max(float(r[c]), .01) for r in lines]), 1)[0]:.2f}' for c in (2, 3, 4, 5)])
        table(title, ['rows' if n != 1000 else 'variables', 'answers', 'tlv_gom CPU s', 'MB', 'tlv_lca CPU s', 'MB'], lines)


session = Session(tensorlv__work_mem='2GB', max_parallel_workers_per_gather=0)
machine(session)
for name, part, needed in (('simulated', simulated, ''), ('alpha', alphas, ''), ('large', large, ''), ('numbers', numbers, ''),
                           ('partition', partition, ''), ('many', many, ''), ('microbov', microbov, 'microbov'), ('classes', classes, 'house-votes-84'), ('growth', grow, '')):
    if name in OPTIONS.get('part', 'simulated,alpha,large,numbers,partition,many,microbov,classes,growth').split(','):
        if needed and not os.path.isdir(os.path.join(DATA, needed)):
            print(f'{name}: the data {needed} are not there: TLV_SHARED_DATA names their folder')
        else:
            part(session)
