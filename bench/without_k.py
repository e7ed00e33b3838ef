"""What a newcomer gets who gives no k.  Topics: perplexity, by document completion, of a seventh of the documents of each corpus under the model of the
others without k and under those of 5, 10, 20, 50 and 100 topics; the costs of the search, in fits at the chosen k; documents of one multinomial, and of
planted topics.  Asked: within 3 % of the best of the five, `no_structure` in none of the corpora, 98 % of the noise is warned of, 4 fits at most.
Sequences, mixtures, classes, mixed memberships and views: the exact k in 18 of 20 sets of each line, 98 % of the noise with k = 1; the cost of the search in
fits at the chosen k, asked: 4 of mixtures, 8 of the others.
--corpora=reported (the default), tuning or none; --seed=N the first seed of exact k (1001; those of tuning: 1 to 200); --noise=N sets of noise (100), --planted=N seeds of every row (10),
--exact=N sets of every line (20); 0 omits a part; --lines=REGEX: of exact k, only those that match."""
import re, sys
from common import Session, machine, np, table
import common_answers as a
import corpora

GIVEN = (5, 10, 20, 50, 100)
KINDS = ((60, 600, 500, 0), (100, 300, 2000, 0), (10, 1500, 500, 0), (4, 2000, 300, 0), (60, 600, 1000, 100), (100, 300, 1000, 50))   # length, documents, words, bursts
PLANTED = ((3, 200, 1, .5, 1000, 30), (5, 300, 1, .05, 1000, 60), (6, 300, 3, .2, 1000, 40), (8, 300, 1, .05, 2000, 10), (10, 1000, 1, .05, 500, 60), (13, 500, 1.3, .1, 2000, 50))


def given(name, default):
    return next((a.split('=', 1)[1] for a in sys.argv if a.startswith(f'--{name}=')), default)


def fit(s, k=''):
    """a fit of the documents that are not tested: CPU seconds, its k, its warnings"""
    cost = s.cost(f"DROP TABLE IF EXISTS model; CREATE TEMP TABLE model AS SELECT tlv_lda('SELECT bag FROM docs WHERE tlv_fold(bag, 7) <> 0'{k}) AS m")[1].cpu
    found = s.query("SELECT (SELECT count(*) FROM tlv_topics(m)), coalesce((SELECT string_agg(DISTINCT code, ' ') FROM tlv_warnings(m)), '') FROM model")[0]
    return cost, int(found[0]), found[1]


def documents(s, counts):
    s.copy('words', 'doc item n', [np.array(column) for column in zip(*counts)])
    s.query('DROP TABLE IF EXISTS docs; CREATE TABLE docs AS SELECT doc, tlv_bag_agg(item, n) AS bag FROM words GROUP BY doc; ANALYZE docs')


def on_corpora(s, chosen):
    rows = []
    for name, make in chosen.items():
        documents(s, corpora.counts(make()))
        perplexity = lambda: float(s.value('SELECT tlv_perplexity(d.bag, m.m) FROM docs d, model m WHERE tlv_fold(d.bag, 7) = 0'))
        cost, k, warned = fit(s)
        own = perplexity()
        gain = s.value("SELECT score::int FROM model, tlv_diagnostics(m) WHERE measure = 'k_of_gain'")
        again = fit(s, f', k => {k}')[0]
        others = {}
        for other in GIVEN:
            fit(s, f', k => {other}')
            others[other] = perplexity()
        best = min(others, key=others.get)
        rows.append([name, *s.query('SELECT count(*), sum(n) FROM (SELECT doc, sum(n) AS n FROM words GROUP BY doc) q')[0], k, gain, own, best, others[best],
                     100 * (own / others[best] - 1), cost / again - 1, warned])
        table(f'documents that no model has seen, {len(rows)} of {len(chosen)}',
              ['corpus', 'documents', 'words', 'k', 'of gain', 'perplexity', 'best k', 'its perplexity', '% above', 'search, fits', 'warnings'], rows[-1:])
    print(f'within 3 %: {sum(r[8] <= 3 for r in rows)} of {len(rows)}; no_structure in {sum("no_structure" in r[10] for r in rows)}; '
          f'at most 4 fits: {sum(r[9] <= 4 for r in rows)}')


def noise(s, sets):
    rng, rows = np.random.default_rng(1), []
    for length, n, d, bursts in KINDS:
        p = 1 / np.arange(1, d + 1)
        p /= p.sum()
        found = []
        for _ in range(-(-sets // len(KINDS))):
            C = np.array([rng.multinomial(length, rng.dirichlet(bursts * p + 1e-9) if bursts else p) for _ in range(n)])
            i, j = np.nonzero(C)
            documents(s, list(zip(i, j, C[i, j])))
            found.append(fit(s)[1:])
        rows.append([n, length, d, bursts or 'no', len(found), sum('no_structure' not in w for _, w in found), max(k for k, _ in found)])
    table('documents of one multinomial, by a law of Zipf; bursts: of its own, Dirichlet of that concentration',
          ['documents', 'words each', 'distinct', 'bursts', 'sets', 'unwarned', 'largest k'], rows)
    print(f'unwarned: {sum(r[5] for r in rows)} of {sum(r[4] for r in rows)}')


def planted(s, seeds):
    rows = []
    for k, d, alpha0, concentration, n, length in PLANTED:
        found = []
        for seed in range(1, seeds + 1):
            s.query(f'DROP TABLE IF EXISTS docs; CREATE TABLE docs AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model({d}, {k}, alpha0 => {alpha0}, '
                    f'concentration => {concentration}, seed => {seed}), {n}, {length}, seed => {seed}); ANALYZE docs')
            found.append(int(s.value("SELECT count(*) FROM tlv_lda('SELECT bag FROM docs') m, tlv_topics(m)")))
        rows.append([k, d, alpha0, concentration, n, length, sum(f == k for f in found), len(found), ' '.join(map(str, found))])
    table('planted topics', ['topics', 'items', 'alpha0', 'concentration', 'documents', 'length', 'exact', 'sets', 'found'], rows)


def exact_lines():
    """(model, data, maker, truth)"""
    for k, stay, sequences, length, symbols in ((3, .8, 60, 50, 8), (4, .6, 60, 60, 10), (2, .7, 60, 40, 6), (3, .7, 100, 100, 8)):
        yield 'symbols', f'{sequences} x {length} of {symbols}, stay {stay}', a.chain(sequences, length, k, symbols_=symbols, stay=stay), k
    for k, d, sequences, length in ((3, 4, 50, 50), (4, 2, 60, 60)):
        yield 'steps', f'{sequences} x {length} x {d}', a.chain(sequences, length, k, dimensions=d), k
    yield 'symbols', 'independent, 100 x 100', a.chain(100, 100, 1, symbols_=8), 1
    yield 'steps', 'independent, 100 x 50', a.steps(100, 50), 1
    for k, d, n in ((3, 3, 1000), (4, 2, 1000), (6, 5, 1000)):
        yield 'mixtures', f'{n} x {d}, nearest means 4 apart', a.groups(n, d, k, 4), k
        yield 'mixtures', f'{n} x {d}, means typically 4 apart', a.mixture(n, d, k, 4), k
    for k, d, n in ((2, 2, 1000), (2, 5, 1000), (3, 3, 1500)):
        yield 'mixtures', f'{n} x {d} of t(4), nearest means 8 apart', a.groups(n, d, k, 8, 4), k
        yield 't', f'{n} x {d} of t(4), nearest means 8 apart', a.groups(n, d, k, 8, 4), k
    for k, p, categories, n in ((3, 12, 3, 500), (3, 10, 2, 1000), (5, 10, 3, 1000)):
        yield 'lca', f'{n} x {p} of {categories}', a.members(n, p, categories, k), k
    for k, p, categories, n in ((3, 30, 4, 500), (3, 20, 4, 400)):
        yield 'gom', f'{n} x {p} of {categories}', a.members(n, p, categories, k, .5, True), k
    yield 'lca', 'independent, 500 x 12 of 3', a.members(500, 12, 3), 1
    yield 'gom', 'independent, 500 x 12 of 3', a.members(500, 12, 3), 1
    yield 'views', '1000 x 4 + 4 + 4', a.views(1000, k=3), 3
    yield 'categories', '8000 x 3 of 6', a.views(8000, (6, 6, 6), 3), 3


def peer(s):
    """the number of components that the least BIC of sklearn chooses, over forms of covariance, up to 8"""
    from sklearn.mixture import GaussianMixture
    x = np.array([row[0].strip('{}').split(',') for row in s.query('SELECT x FROM d')], float)
    tried = [(GaussianMixture(k, covariance_type=form, random_state=1).fit(x).bic(x), k)
             for form in ('spherical', 'diag', 'tied', 'full') for k in range(1, 9)]
    return min(tried)[1]


def exact(s, seeds):
    rows = []
    for model, data, make, truth in exact_lines():
        if not re.search(given('lines', ''), f'{model}; {data}'):
            continue
        call, peers = a.LEFT_OUT[model], []
        found, costs = [], np.zeros(2)
        for seed in seeds:
            make(s, seed)
            (row,), cost = s.cost(f'SELECT {a.number(a.PARTS_OF.get(model, "tlv_components"))} FROM (SELECT {call} AS m OFFSET 0) f')
            found.append(int(row[0]))
            if model == 'mixtures':
                peers.append(peer(s))
            costs += cost.cpu, s.cost('SELECT pg_column_size(' + call.replace("d')", f"d', k => {row[0]})") + ')')[1].cpu
        rows.append([model, data, truth, sum(f == truth for f in found), len(found), costs[0] / costs[1] - 1, ' '.join(map(str, found)),
                     sum(p == truth for p in peers) if peers else '', ' '.join(map(str, peers))])
        table(f'exact k, seeds {seeds[0]} to {seeds[-1]}, {model}', ['model', 'data', 'truth', 'exact', 'sets', 'search, fits', 'found', 'peer', 'found by it'], rows[-1:])
    print(f'at least 18 of 20: {sum(r[3] >= .9 * r[4] for r in rows)} of {len(rows)} lines')


s = Session(max_parallel_workers_per_gather=0)
s.set(client_min_messages='error')
machine(s)
on_corpora(s, corpora.TUNING if given('corpora', 'reported') == 'tuning' else corpora.REPORTED) if given('corpora', '') != 'none' else None
if int(given('noise', 100)):
    noise(s, int(given('noise', 100)))
if int(given('planted', 10)):
    planted(s, int(given('planted', 10)))
if int(given('exact', 20)):
    first = int(given('seed', corpora.REPORTED_SEEDS.start))
    exact(s, range(first, first + int(given('exact', 20))))
