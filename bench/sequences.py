"""Hidden Markov models: 10 M symbols, and words of a real corpus, beside hmmlearn.
--part=speed, --part=real, --part=vectors (all), --steps=N (10 000 000), --starts=N of hmmlearn (10), --quick"""
import csv, gzip, os, re, sys, time
from collections import Counter
from common import Session, machine, np, table

PARTS = [a.split('=')[1] for a in sys.argv[1:] if a.startswith('--part=')] or ['speed', 'real', 'vectors']


def option(name, usual):
    return next((int(a.split('=')[1]) for a in sys.argv[1:] if a.startswith(f'--{name}=')), usual)


QUICK = '--quick' in sys.argv
STEPS, STARTS = option('steps', 1_000_000 if QUICK else 10_000_000), option('starts', 3 if QUICK else 10)
try:
    from hmmlearn.hmm import CategoricalHMM, GaussianHMM
except ImportError:
    CategoricalHMM = GaussianHMM = None
    print('no hmmlearn (pip install hmmlearn): its lines are left out')


def arrays(s, name):
    """the numbers of a query's one array a row, end to end, and their lengths"""
    rows = [np.array(r[0].strip('{}').split(','), int) for r in s.query(name)]
    return np.concatenate(rows).reshape(-1, 1), [len(r) for r in rows]


def cpu(run):
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


# -- speed -------------------------------------------------------------------

def simulate(s, name, k, m, sequences, length):
    s.query(f'DROP TABLE IF EXISTS {name}, {name}_model')
    s.query(f'CREATE UNLOGGED TABLE {name}_model AS SELECT tlv_simulate_hmm_model(symbols => {m}, k => {k}, seed => 1) AS model')
    s.query(f'CREATE UNLOGGED TABLE {name} (s int[]); ALTER TABLE {name} ALTER s SET STORAGE external')
    s.query(f'INSERT INTO {name} SELECT array_agg(symbol ORDER BY t) FROM {name}_model, '
            f'tlv_simulate_hmm(model, {sequences}, {length}, seed => 1) GROUP BY seq')
    s.query(f'ALTER TABLE {name} SET (parallel_workers = 2)')   # without its arrays the table is small
    s.query(f'VACUUM ANALYZE {name}')


def passes(name):
    return [('scan', f'SELECT sum(s[1]) FROM {name}'),
            ('moments', f'SELECT tlv_sequence_moments(s) IS NULL FROM {name}'),
            ('Baum-Welch step', f'SELECT tlv_statistics(s, (SELECT model FROM {name}_model)) IS NULL FROM {name}'),
            ('log-likelihood', f'SELECT sum(tlv_log_likelihood(model, s)) FROM {name}, {name}_model'),
            ('Viterbi', f'SELECT sum(cardinality(tlv_viterbi(model, s))) FROM {name}, {name}_model'),
            ('posteriors', f'SELECT sum(cardinality(tlv_infer(model, s))) FROM {name}, {name}_model')]


def peer(s, name, k, m, steps):
    """one EM iteration, and Viterbi, of hmmlearn: seconds a step"""
    if CategoricalHMM is None:
        return {}
    X, lengths = arrays(s, f'SELECT s FROM {name} LIMIT {max(1, steps // 1000)}')
    model = CategoricalHMM(n_components=k, n_iter=1, random_state=1, n_features=m, implementation='scaling')
    X = X - 1
    fit, _ = cpu(lambda: model.fit(X, lengths))
    path, _ = cpu(lambda: model.predict(X, lengths))
    return {'Baum-Welch step': fit / len(X), 'Viterbi': path / len(X)}


def speed_passes(s):
    rows = []
    simulate(s, 'many', 5, 20, STEPS // 1000, 1000)
    theirs = peer(s, 'many', 5, 20, 1_000_000)
    for name, sql in passes('many'):
        s.set(max_parallel_workers_per_gather=0)
        one = s.median(sql)
        s.set(max_parallel_workers_per_gather=2, parallel_setup_cost=0, parallel_tuple_cost=0)
        two = s.median(sql)
        other = theirs.get(name)
        rows.append([name, one.cpu, f'{one.cpu / STEPS * 1e9:.1f}', f'{other * 1e9:.0f}' if other else '',
                     f'{other * STEPS / one.cpu:.0f}' if other else '', f'{one.wall:.2f}', f'{two.wall:.2f}',
                     f'{one.wall / two.wall:.2f}', 'parallel' if 'Gather' in s.nodes(sql) else 'serial'])
    s.set(max_parallel_workers_per_gather=0)
    s.query('ALTER TABLE many RESET (parallel_workers)')
    s.query('RESET parallel_setup_cost; RESET parallel_tuple_cost')
    s.query('DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT tlv_sequence_moments(s) AS m FROM many')
    fit = s.median('SELECT tlv_fit_hmm(m, 5) IS NULL FROM kept')
    rows.append(['fit of kept moments', fit.cpu, '', '', '', f'{fit.wall:.2f}', '', '', ''])
    table(f'{STEPS} symbols in sequences of 1000, 20 symbols, k = 5; hmmlearn on a part, its one iteration and prediction '
          '(median of 3)', ['', 'CPU s', 'ns/step', 'hmmlearn ns', 'ratio', 'wall s', '2 workers', 'speed-up', 'plan'], rows)


def speed_driver(s):
    rows = []
    s.query('DROP TABLE IF EXISTS rows_of; CREATE UNLOGGED TABLE rows_of (seq int, t int, symbol int)')
    s.query('INSERT INTO rows_of SELECT seq, t, symbol FROM many_model, '
            f'tlv_simulate_hmm(model, {STEPS // 1000}, 1000, seed => 1) ORDER BY hashint8(seq * 1000 + t)')
    s.query('VACUUM ANALYZE rows_of')
    for name, query in (('stored arrays', 'SELECT s FROM many'), ('(seq, t, symbol) rows, in no order', 'TABLE rows_of')):
        for workers in (0, 2):
            s.set(max_parallel_workers_per_gather=workers)
            sql = (f"SELECT max(score) FILTER (WHERE measure = 'passes'), max(score) FILTER (WHERE measure = 'refinement_steps') "
                   f"FROM tlv_diagnostics(tlv_hmm('{query}', k => 5))")
            found, cost = s.cost(sql)
            rows.append([name, workers, cost.cpu, f'{cost.wall:.2f}', found[0][0], found[0][1]])
    s.set(max_parallel_workers_per_gather=0)
    collect = s.cost("SELECT count(x) FROM (SELECT array_agg(symbol) AS x FROM (SELECT * FROM rows_of ORDER BY seq, t, symbol) q GROUP BY seq) q")[1]
    rows.append(['of which putting the rows in order', 0, collect.cpu, f'{collect.wall:.2f}', '', ''])
    table(f'tlv_hmm(query, k => 5) over {STEPS} symbols, all defaults', ['', 'workers', 'CPU s', 'wall s', 'passes', 'Baum-Welch steps'], rows)


def slope(x, y):
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def speed_growth(s):
    s.set(max_parallel_workers_per_gather=0)
    rows, sizes = [], [STEPS // 100, STEPS // 10, STEPS]
    names = [name for name, _ in passes('grown')[1:]]
    cost = {}
    for n in sizes:
        simulate(s, 'grown', 5, 20, n // 1000, 1000)
        for name, sql in passes('grown')[1:]:
            cost[name, n] = max(s.median(sql).cpu, 1e-3)
    for name in names:
        y = [cost[name, n] for n in sizes]
        rows.append([name] + [f'{c / n * 1e9:.1f}' for c, n in zip(y, sizes)] + [f'{slope(sizes[1:], y[1:]):.2f}'])
    table('growth with steps, ns per step', [''] + [str(n) for n in sizes] + ['slope of time'], rows)
    rows, counts, n = [], [2, 5, 10, 20, 50], STEPS // 10
    for k in counts:
        simulate(s, 'grown', k, max(20, 2 * k), n // 1000, 1000)
        theirs = peer(s, 'grown', k, max(20, 2 * k), n // 10) if k in (5, 20) else {}
        for name, sql in passes('grown')[1:]:
            cost[name, k] = s.median(sql).cpu
        cost['hmmlearn, one iteration', k] = theirs.get('Baum-Welch step', 0) * n
    for name in names + ['hmmlearn, one iteration']:
        y = [cost[name, k] for k in counts]
        rows.append([name] + [f'{c / n * 1e9:.0f}' if c else '' for c in y] + [f'{slope(counts[1:], y[1:]):.2f}' if all(y) else ''])
    table('growth with states, ns per step', [''] + [f'k = {k}' for k in counts] + ['slope from 5 on'], rows)
    simulate(s, 'long', 5, 20, 1, STEPS)
    rows = []
    for name, sql in passes('long')[1:5]:
        one = s.cost(sql)[1]
        rows.append([name, one.cpu, f'{one.cpu / STEPS * 1e9:.1f}', f'{one.leader_mb:.0f}'])
    table(f'one sequence of {STEPS} symbols', ['', 'CPU s', 'ns/step', 'peak MB'], rows)


# -- real data -----------------------------------------------------------------

SUFFIXES = ('ing', 'ed', 'ly', 'tion', 's', 'er', 'al', 'able', 'y')


def word_class(word):
    """what a rare word looks like"""
    if re.search(r'\d', word):
        return '<number>'
    if not re.search(r'\w', word):
        return '<sign>'
    if '@' in word or 'http' in word or 'www' in word:
        return '<address>'
    capital = '<Capital' if word[0].isupper() else '<'
    return capital + next((' -' + x for x in SUFFIXES if word.lower().endswith(x)), '') + '>'


def corpus():
    path = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'ud-english-ewt-dev', 'tokens.csv.gz')
    if not os.path.exists(path):
        return None
    sentences = {}
    with gzip.open(path, 'rt', encoding='utf-8') as f:
        for r in csv.DictReader(f):
            sentences.setdefault(int(r['sent_id']), []).append((r['form'], r['upos']))
    held = {i for n, i in enumerate(sorted(sentences)) if n % 10 == 9}
    counts = Counter(w.lower() for i, s in sentences.items() if i not in held for w, _ in s)
    known = {w for w, c in counts.items() if c >= 3}
    names = {}
    coded = {i: [(names.setdefault(w.lower() if w.lower() in known else word_class(w), len(names)), tag) for w, tag in s]
             for i, s in sorted(sentences.items(), key=lambda e: e[0] in held)}
    seen = {w for i, s in coded.items() if i not in held for w, _ in s}
    assert seen == set(range(len(names))), 'a class occurs in held-out sentences alone'
    return coded, held, len(names)


def many_to_one(states, tags):
    together = {}
    for state, tag in zip(states, tags):
        together.setdefault(state, Counter())[tag] += 1
    return sum(max(c.values()) for c in together.values()) / len(tags)


def score_ours(s, sql):
    """(held-out perplexity, training log-likelihood per word, many-to-one accuracy of all words)"""
    s.query(f'DROP TABLE IF EXISTS fitted; CREATE TABLE fitted AS SELECT ({sql}) AS model')
    held = float(s.value("SELECT exp(-sum(tlv_log_likelihood(model, s)) / sum(cardinality(s))) FROM fitted, words WHERE held"))
    train = float(s.value("SELECT sum(tlv_log_likelihood(model, s)) / sum(cardinality(s)) FROM fitted, words WHERE NOT held"))
    path = np.concatenate([np.array(r[0].strip('{}').split(','), int)
                           for r in s.query('SELECT tlv_viterbi(model, s) FROM fitted, words ORDER BY id')])
    return held, train, path


def real(s):
    found = corpus()
    if found is None:
        print('no ud-english-ewt-dev in TLV_SHARED_DATA: the corpus is left out')
        return
    coded, held, m = found
    tags = [tag for i in sorted(coded) for _, tag in coded[i]]
    k = len(set(tags))
    s.query('DROP TABLE IF EXISTS words; CREATE TABLE words (id int, held bool, s int[])')
    s.query('INSERT INTO words VALUES ' + ', '.join(f"({i}, {i in held}, '{{{','.join(str(w) for w, _ in coded[i])}}}')" for i in sorted(coded)))
    s.query('ANALYZE words')
    s.set(max_parallel_workers_per_gather=0)
    train = 'SELECT s FROM words WHERE NOT held'
    rows = []
    for name, options in (('tensorlv, moments alone', ", refine => 'none'"), ('tensorlv, windows', ", refine => 'windows'"),
                          ('tensorlv, all defaults', '')):
        sql = f"SELECT tlv_hmm('{train}', k => {k}{options})"
        cost = s.cost(f'SELECT ({sql}) IS NULL')[1]
        perplexity, likelihood, path = score_ours(s, sql)
        steps = s.query("SELECT score FROM fitted, tlv_diagnostics(model) WHERE measure = 'refinement_steps'")
        rows.append([name, cost.cpu, likelihood, perplexity, f'{many_to_one(path, tags):.3f}', steps[0][0] if steps else ''])
    for warning, score in s.query("SELECT code, round(score::numeric, 3) FROM fitted, tlv_warnings(model)"):
        print(f'  {warning} ({score})')
    starts = []
    if CategoricalHMM is not None:
        X = np.concatenate([[w for w, _ in coded[i]] for i in sorted(coded) if i not in held]).reshape(-1, 1)
        lengths = [len(coded[i]) for i in sorted(coded) if i not in held]
        T = np.concatenate([[w for w, _ in coded[i]] for i in sorted(coded) if i in held]).reshape(-1, 1)
        their_held = [len(coded[i]) for i in sorted(coded) if i in held]
        A = np.concatenate([[w for w, _ in coded[i]] for i in sorted(coded)]).reshape(-1, 1)
        for seed in range(STARTS):
            model = CategoricalHMM(n_components=k, n_iter=100, tol=1e-6 * len(X), random_state=seed, n_features=m, implementation='scaling')
            seconds, _ = cpu(lambda: model.fit(X, lengths))
            path = model.predict(A, [len(coded[i]) for i in sorted(coded)])
            starts.append((model.score(X, lengths) / len(X), seconds, float(np.exp(-model.score(T, their_held) / len(T))),
                           many_to_one(path, tags), model.monitor_.iter))
        best = max(starts)
        total = sum(x[1] for x in starts)
        rows.append([f'hmmlearn, best of {STARTS} by likelihood', total, best[0], best[2], f'{best[3]:.3f}', best[4]])
        rows.append(['  its median start', float(np.median([x[1] for x in starts])), float(np.median([x[0] for x in starts])),
                     float(np.median([x[2] for x in starts])), f'{np.median([x[3] for x in starts]):.3f}', ''])
    table(f'English Web Treebank, dev: {len(coded)} sentences, {len(tags)} words, {m} symbols, k = {k}; a tenth of the sentences held out; '
          'many-to-one accuracy of the Viterbi path over all words', ['', 'CPU s', 'log-likelihood/word', 'held-out perplexity', 'tag accuracy', 'EM steps'], rows)


# -- vectors: what moments alone do not identify, every form of covariance -------

FORMS = {'spherical': 'spherical', 'diagonal': 'diag', 'full': 'full'}


def speech_like(sequences, seed):
    """words of three to six sounds, each a Gaussian of its own covariance in 13 dimensions that goes over into the next"""
    rng = np.random.default_rng(seed)
    kinds, found = 12, []
    means = rng.normal(size=(kinds, 13)) * 2
    factors = rng.normal(size=(kinds, 13, 13)) * .3 + np.diag(np.linspace(.4, 1.6, 13))
    words = [rng.integers(0, kinds, rng.integers(3, 7)) for _ in range(10)]
    for i in range(sequences):
        word = list(words[i % 10])
        steps = [(a, t / n, b) for a, b in zip(word, word[1:] + word[-1:]) for n in [rng.integers(5, 15)] for t in range(n)]
        found.append(np.array([(1 - .5 * f) * means[a] + .5 * f * means[b] + factors[a] @ rng.normal(size=13) for a, f, b in steps]))
    return found


def vectors(s):
    train, held = np.split(np.array(speech_like(400, 1), dtype=object), [300])
    train, held = list(train), list(held)
    s.query('DROP TABLE IF EXISTS frames; CREATE TABLE frames (id int, held bool, x float8[])')
    for i, x in enumerate(train + held):
        s.query(f"INSERT INTO frames VALUES ({i}, {i >= len(train)}, '{{{','.join('{' + ','.join(f'{v:.6g}' for v in r) + '}' for r in x)}}}')")
    s.set(max_parallel_workers_per_gather=0)
    rows = []
    for form, their_form in FORMS.items():
        for seed in (1, 2, 3):
            sql = f"SELECT tlv_hmm('SELECT x FROM frames WHERE NOT held', k => 5, covariance => '{form}', seed => {seed})"
            cost = s.cost(f'SELECT ({sql}) IS NULL')[1]
            s.query(f'DROP TABLE IF EXISTS fitted; CREATE TABLE fitted AS SELECT ({sql}) AS model')
            train_ll, held_ll = (float(s.value('SELECT sum(tlv_log_likelihood(model, x)) / sum(array_length(x, 1)) FROM fitted, frames '
                                               f'WHERE {which}')) for which in ('NOT held', 'held'))
            rows.append([f'tensorlv, {form}', seed, cost.cpu, f'{train_ll:.4f}', f'{held_ll:.4f}'])
        for seed in (1, 2, 3):
            if GaussianHMM is None:
                continue
            X, T = np.concatenate(train), np.concatenate(held)
            lengths, their_held = [len(x) for x in train], [len(x) for x in held]
            best, total = None, 0
            for start in range(9):   # as many starts as ours
                model = GaussianHMM(n_components=5, covariance_type=their_form, n_iter=1000, tol=1e-6 * len(X), random_state=100 * seed + start,
                                    implementation='scaling')
                seconds, _ = cpu(lambda: model.fit(X, lengths))
                total += seconds
                found = (model.score(X, lengths) / len(X), model.score(T, their_held) / len(T))
                best = max(best or found, found)
                if start == 0:
                    rows.append([f'hmmlearn, {form}, one start', seed, seconds, f'{found[0]:.4f}', f'{found[1]:.4f}'])
            rows.append([f'hmmlearn, {form}, best of 9', seed, total, f'{best[0]:.4f}', f'{best[1]:.4f}'])
    table('vectors like speech, 13 dimensions, k = 5: log-likelihood per step; hmmlearn with its k-means start and implementation=scaling',
          ['', 'seed', 'CPU s', 'training', 'held out'], rows)


s = Session()
machine(s)
if 'speed' in PARTS:
    speed_passes(s)
    speed_driver(s)
    speed_growth(s)
if 'real' in PARTS:
    real(s)
if 'vectors' in PARTS:
    vectors(s)
