"""Latent trees of real tables.

stocks: whose leaves are siblings, beside the pairs that agglomerative clustering merges first, the edges of the
Chow-Liu tree, neighbour joining, and chance.  words: the groups found, beside the newsgroups that the words come from.  likelihood: held out,
of votes, words and binned measurements, beside latent classes, Chow-Liu trees and independence.  numbers: held out, Gaussian
trees of stocks, measurements and a simulated questionnaire of correlated factors, beside factor analysis and covariances.
--part=stocks,words,likelihood,numbers (and starts, which takes a minute)   --svg=FILE: the drawing of the words' tree"""
import csv, gzip, itertools, os, sys, time, warnings
from common import Session, machine, np, table
from common_trees import TMP, agglomerative, copy_arrays, copy_rows, em_step, likelihood, neighbour_joining, neighbours, rooted

OPTIONS = dict((a.lstrip('-').split('=', 1) + [''])[:2] for a in sys.argv[1:])
DATA = os.environ.get('TLV_SHARED_DATA', '')
warnings.filterwarnings('ignore')   # factor analyses that stop at their last step
CLASSES, STARTS, STEPS, PRIOR = (2, 3, 4, 5, 6, 7, 8), 10, 200, .1


STOCK_TREES = {'siblings, CLNJ, z = 2 (default)': '', 'siblings, CLNJ, z = 0': ', z => 0', 'siblings, CLNJ, z = 3': ', z => 3',
               'siblings, NJ, z = 2': ", structure => 'nj'", 'siblings, CLRG': ", structure => 'clrg'",
               'siblings, observed inside': ', observed_inside => true', 'edges, Chow-Liu': ", structure => 'chow-liu'"}


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


def fit(s, call):
    """the model in the table t; edges by names, diagnostics, Cost"""
    s.query('DROP TABLE IF EXISTS t; CREATE TEMP TABLE t (model tlv_model)')
    cost = s.cost(f'INSERT INTO t SELECT {call}')[1]
    edges = s.query('SELECT e.parent, e.child FROM t, tlv_tree_edges(model) e WHERE parent IS NOT NULL')
    return [tuple(e) for e in edges], dict(s.query("SELECT concat_ws('_', measure, component), score FROM t, tlv_diagnostics(model)")), cost


def same(pairs, label):
    """share of pairs of one label"""
    pairs = list(pairs)
    return float(np.mean([label[a] == label[b] for a, b in pairs])) if pairs else float('nan')


def siblings(edges, label):
    """pairs of leaves at one hidden node"""
    near = neighbours(edges)
    for x, around in near.items():
        if x not in label:
            yield from itertools.combinations(sorted(y for y in around if y in label), 2)


# -- stocks --------------------------------------------------------------------

def dendrogram_pairs(names, distance, wanted):
    """pairs in one group when average linkage is cut so that there are about as many pairs as wanted, and the number of groups"""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform
    joined, best = linkage(squareform(distance, checks=False), 'average'), None
    for groups in range(2, len(names)):
        cut = fcluster(joined, groups, 'maxclust')
        pairs = sum(n * (n - 1) // 2 for n in np.bincount(cut))
        if best is None or abs(pairs - wanted) < best[0]:
            best = abs(pairs - wanted), cut
    cut = best[1]
    return [(a, b) for (a, i), (b, j) in itertools.combinations(zip(names, cut), 2) if i == j], len(set(cut))


def stocks(s):
    head, *days = read('sp500-returns', 'returns')
    companies = {r[0]: r for r in read('sp500-returns', 'companies')[1:]}
    tickers = head[1:]
    sector, industry = ({t: companies[t][i] for t in tickers} for i in (1, 2))
    copy_text(s, 'returns', 'day date, stock text, log_return float8', ((d[0], t, v) for d in days for t, v in zip(tickers, d[1:])))
    rows, usual = [], 0

    def line(name, pairs, hidden=None, cost=None):
        pairs = list(pairs)
        rows.append([name, len(pairs), len(set(sum(pairs, ()))), same(pairs, sector), same(pairs, industry), hidden, cost and f'{cost.cpu:.2f}'])
        return len(pairs)

    line('chance: all pairs', itertools.combinations(tickers, 2))
    for name, options in STOCK_TREES.items():
        edges, found, cost = fit(s, f"tlv_tree('SELECT day, stock, log_return FROM returns', kind => 'gaussian'{options})")
        hidden = len(set(sum(edges, ())) - set(sector))
        pairs = line(name, edges if 'chow' in options else siblings(edges, sector), hidden, cost)
        usual = usual or pairs
    x = np.array([d[1:] for d in days], float)
    distance = -np.log(np.clip(np.abs(np.corrcoef(x.T)), 1e-9, 1))
    np.fill_diagonal(distance, 0)
    joined, p = agglomerative(distance), len(tickers)
    merges = [(joined[i][0], joined[i + 1][0]) for i in range(0, len(joined), 2)]
    line('average linkage: leaves merged with leaves', [(tickers[a], tickers[b]) for a, b in merges if max(a, b) < p])
    names = dict(enumerate(tickers))
    line('neighbour joining: siblings', siblings([(names.get(a, a), names.get(b, b)) for a, b in neighbour_joining(distance)[0]], sector))
    pairs, groups = dendrogram_pairs(tickers, distance, usual)
    line(f'average linkage, {groups} groups', pairs)
    pairs, groups = dendrogram_pairs(tickers, distance, 4 * usual)
    line(f'average linkage, {groups} groups', pairs)
    table(f'Stocks: {p}, {len(days)} days; pairs in one sector (of {len(set(sector.values()))}), in one sub-industry (of {len(set(industry.values()))})',
          ['', 'pairs', 'of stocks', 'sector', 'sub-industry', 'hidden', 'CPU s'], rows)


# -- Gaussian trees beside factor analysis -----------------------------------------

FACTORS, FOLDS = (1, 2, 3, 5, 8, 12, 20, 30, 50), 5


def points(name):
    """columns of numbers, those without variance left out, divided by their deviations"""
    head, *rows = read(name, 'points')
    x = np.array([[float(v) for h, v in zip(head, r) if h not in ('id', 'part', 'label')] for r in rows])
    x = x[:, x.std(0) > 0]
    return (x - x.mean(0)) / x.std(0)


def returns():
    return np.array([d[1:] for d in read('sp500-returns', 'returns')[1:]], float) * 100


def questionnaire(n=2500, seed=1):
    """answers 1 to 6 to 25 items, five to each of five correlated factors, a sixth of them loading on a second one"""
    rng = np.random.default_rng(seed)
    correlation = .3 * np.ones((5, 5)) + .7 * np.eye(5)
    loadings = np.kron(np.eye(5), np.ones((5, 1))) * rng.uniform(.4, .8, (25, 1))
    loadings[rng.choice(25, 4, replace=False), rng.integers(0, 5, 4)] += .3
    z = rng.multivariate_normal(np.zeros(5), correlation, n) @ loadings.T
    z += rng.normal(size=z.shape) * np.sqrt(np.maximum(1 - np.einsum('ij,jk,ik->i', loadings, correlation, loadings), .2))
    return np.clip(np.round(3.5 + 1.4 * z), 1, 6)


def factor_analyses(train, test, numbers=FACTORS):
    """held-out log-likelihood of a row by the number of factors of least BIC, of the best number in hindsight, and the two numbers"""
    from sklearn.decomposition import FactorAnalysis
    n, p = train.shape
    found = []
    for k in [k for k in numbers if k < p and (p - k) ** 2 >= p + k]:   # more are not identified
        m = FactorAnalysis(k, max_iter=500).fit(train)
        free = 2 * p + p * k - k * (k - 1) / 2
        found.append((m.score(train) * n - .5 * free * np.log(n), float(m.score(test)), k))
    chosen, best = max(found), max(found, key=lambda f: f[1])
    return chosen[1], best[1], chosen[2], best[2]


def numbers_of(s, x):
    """{method: held-out log-likelihood of a row}, mean of five parts"""
    from scipy.stats import multivariate_normal
    from sklearn.covariance import LedoitWolf
    order, collected = np.random.default_rng(100).permutation(len(x)), []
    for fold in range(FOLDS):
        held = np.isin(np.arange(len(x)), order[fold::FOLDS])
        train, test = x[~held], x[held]
        copy_arrays(s, 'train', [train])
        copy_arrays(s, 'test', [test])
        mean, result = train.mean(0), {}
        density = lambda c: float(multivariate_normal(mean, c, allow_singular=True).logpdf(test).mean())
        result['apart'] = density(np.diag(train.var(0)))
        for name, options in STOCK_TREES.items():
            fit(s, f"tlv_tree('SELECT v FROM train'{options})")
            result[name.replace('siblings, ', '').replace('edges, ', '')] = float(s.value('SELECT avg(tlv_log_likelihood(model, v)) FROM t, test'))
        fit(s, "tlv_tree('SELECT v FROM train', structure => 'factors')")
        result["structure => 'factors'"] = float(s.value('SELECT avg(tlv_log_likelihood(model, v)) FROM t, test'))
        result['number of its factors'] = float(s.value("SELECT coalesce(max(n.states), 0) FROM t, tlv_tree_nodes(model) n WHERE n.is_hidden"))
        chosen, best, k, k_best = factor_analyses(train - mean, test - mean)
        result.update({'factor analysis, by BIC': chosen, 'factor analysis, best': best, 'number of factors, by BIC': k, 'number of factors, best': k_best})
        result['covariance'] = density(np.cov(train.T))
        result['covariance, Ledoit and Wolf'] = density(LedoitWolf().fit(train).covariance_)
        collected.append(result)
    return {t: np.mean([c[t] for c in collected]) for t in collected[0]}


def numbers(s):
    sets = {name: points(name) for name in ('breast-cancer', 'wine', 'oilflow', 'letter') if os.path.exists(os.path.join(DATA, name))}
    if os.path.exists(os.path.join(DATA, 'sp500-returns')):
        sets['stocks'] = returns()
    sets['questionnaire'] = questionnaire()
    columns = {name: numbers_of(s, x[:5000]) for name, x in sets.items()}
    table('Log-likelihood of a row held out, Gaussian: a fifth of the rows, mean of five such parts; stocks in per cent',
          [''] + [f'{name}: {min(len(x), 5000)} x {x.shape[1]}' for name, x in sets.items()],
          [[t] + [f"{c[t]:.{1 if 'number' in t else 2}f}" for c in columns.values()] for t in columns['questionnaire']])


# -- words ---------------------------------------------------------------------

def words(s):
    vocabulary = [r[1] for r in read('news100', 'vocab')[1:]]
    labels = read('news100', 'labels')[1:]
    names = [r[1] for r in read('news100', 'groups')[1:]]
    ones = read('news100', 'doc_word')[1:]
    copy_text(s, 'word', 'word_id int, word text', enumerate(vocabulary, 1))
    copy_text(s, 'posting', 'doc_id int, group_id int', labels)
    copy_text(s, 'doc_word', 'doc_id int, word_id int', ones)
    group = {int(d): int(g) - 1 for d, g in labels}
    share = np.zeros((len(vocabulary), len(names)))
    for d, w in ones:
        share[int(w) - 1, group[int(d)]] += 1
    share /= np.bincount(list(group.values()))   # of the group's postings
    label = dict(zip(vocabulary, share.argmax(1)))
    query = ("'SELECT p.doc_id, w.word, (d.doc_id IS NOT NULL)::int FROM posting p CROSS JOIN word w "
             "LEFT JOIN doc_word d USING (doc_id, word_id)'")
    everyone = list(itertools.combinations(vocabulary, 2))
    rows = [['chance: all pairs', len(everyone), same(everyone, label), None, None]]
    calls = [('siblings, CLNJ, z = 2 (default)', ''), ('siblings, CLNJ, z = 0', ', z => 0'), ('siblings, NJ, z = 2', ", structure => 'nj'"),
             ('siblings, CLRG', ", structure => 'clrg'"), ('siblings, regularised', ', regularise => true'),
             ('edges, Chow-Liu', ", structure => 'chow-liu'")]
    for name, options in calls:
        edges, found, cost = fit(s, f'tlv_tree({query}, 2{options})')
        pairs = edges if 'chow' in options else list(siblings(edges, label))
        rows.append([name, len(pairs), same(pairs, label), len(set(sum(edges, ())) - set(label)), f'{cost.cpu:.2f}'])
        if not options:
            if OPTIONS.get('svg'):
                with open(OPTIONS['svg'], 'w', encoding='utf-8') as f:
                    f.write('\n'.join('\t'.join(r) for r in s.query('SELECT tlv_svg(model) FROM t')) + '\n')
            print('\nwords: leaves of every hidden node')
            near = neighbours(edges)
            for x in sorted((x for x in near if x not in label), key=lambda h: int(h[1:])):
                leaves = sorted(y for y in near[x] if y in label)
                inner = sorted((y for y in near[x] if y not in label), key=lambda h: int(h[1:]))
                print(f"  {x:4} {' '.join(leaves)}  [{' '.join(inner)}]")
    table(f"Words: pairs whose words are most frequent in one of {', '.join(names)}", ['', 'pairs', 'one group', 'hidden', 'CPU s'], rows)


# -- held-out likelihood ---------------------------------------------------------

def codes_votes():
    return np.array([[{'n': 0, 'y': 1}.get(v, -1) for v in r[2:]] for r in read('house-votes-84', 'votes')[1:]])


def codes_words():
    x = np.zeros((len(read('news100', 'labels')) - 1, 100), int)
    for d, w in read('news100', 'doc_word')[1:]:
        x[int(d) - 1, int(w) - 1] = 1
    return x


def codes_cancer(bins):
    lines = read('breast-cancer', 'points')
    x = np.array([[float(v) for v in r[1:31]] for r in lines[1:]])
    return np.stack([np.searchsorted(np.quantile(c, np.arange(1, bins) / bins), c, side='right') for c in x.T], 1)


def one_hot(x, states):
    return np.concatenate([(x[:, j, None] == np.arange(d)).astype(np.float32) for j, d in enumerate(states)], 1)


def latent_classes(train, test, states, k, rng):
    """training and held-out log-likelihood of a row: EM with the same prior counts as the trees', the best of STARTS starts"""
    y, z = one_hot(train, states), one_hot(test, states)
    block = np.repeat(np.arange(len(states)), states)
    first = np.r_[0, np.cumsum(states)[:-1]]
    r = rng.dirichlet(np.ones(k), (STARTS, len(train))).astype(np.float32)

    def step(r):
        c = np.einsum('snk,nd->skd', r, y, optimize=True) + PRIOR
        t = np.log(c / np.add.reduceat(c, first, 2)[:, :, block])
        w = r.sum(1) + PRIOR
        return t, np.log(w / w.sum(1, keepdims=True))

    def posterior(t, w, y):
        a = np.einsum('nd,skd->snk', y, t, optimize=True) + w[:, None]
        top = a.max(2, keepdims=True)
        e = np.exp(a - top)
        return e / e.sum(2, keepdims=True), (top[:, :, 0] + np.log(e.sum(2))).mean(1)

    last = np.full(STARTS, -np.inf)
    for _ in range(STEPS):
        t, w = step(r)
        r, now = posterior(t, w, y)
        if (now - last).max() < 1e-5:
            break
        last = now
    best = int(now.argmax())
    return float(now[best]), float(posterior(t, w, z)[1][best])


def apart(train, test, states):
    total = 0
    for j, d in enumerate(states):
        count = np.bincount(train[train[:, j] >= 0, j], minlength=d) + PRIOR
        seen = test[test[:, j] >= 0, j]
        total += np.log(count / count.sum())[seen].sum()
    return float(total / len(test))


# least states of the variables, options of tlv_tree
OURS = {'Chow-Liu': (2, "structure => 'chow-liu'"), 'tree, k chosen': (2, 'states => NULL'), 'k = 2': (2, 'states => 2'), 'k = 3': (3, 'states => 3'),
        'k = 4': (4, 'states => 4'), 'k = 6': (6, 'states => 6'), 'k = 2, 100 steps': (2, 'states => 2, iterations => 100'),
        'k = 2, regularised': (2, 'states => 2, regularise => true'), 'k = 2, z = 0': (2, 'states => 2, z => 0'),
        'k = 2, NJ': (2, "states => 2, structure => 'nj'"), 'k = 2, CLRG': (2, "states => 2, structure => 'clrg'"),
        'k = 2, observed inside': (2, 'states => 2, observed_inside => true'),
        'k chosen, observed inside': (2, 'states => NULL, observed_inside => true')}


def mean_of(title, values):
    return '' if np.isnan(values).any() else f"{np.mean(values):.{1 if 'number' in title else 3}f}"


def likelihoods(s):
    columns = []
    for name, x, folds in [('votes', codes_votes(), 5), ('cancer, 4 bins', codes_cancer(4), 5), ('cancer, 10 bins', codes_cancer(10), 5), ('words', codes_words(), 1)]:
        order = np.random.default_rng(100).permutation(len(x))
        states = x.max(0) + 1
        collected = []
        for fold in range(folds):
            held = np.isin(np.arange(len(x)), order[fold::5])
            train, test = x[~held], x[held]
            copy_rows(s, 'train', train)
            copy_rows(s, 'test', test)
            result = {'apart': apart(train, test, states)}
            for title, (least, options) in OURS.items():
                result[title] = np.nan
                if states.max() >= least:
                    fit(s, f"tlv_tree('SELECT v FROM train', {options})")
                    result[title] = float(s.value('SELECT avg(tlv_log_likelihood(model, v)) FROM t, test'))
            rng, classes, start = np.random.default_rng(fold), {}, time.process_time()
            for k in CLASSES:
                ll, out = latent_classes(train, test, states, k, rng)
                free = k * int((states - 1).sum()) + k - 1
                classes[k] = (ll * len(train) - .5 * free * np.log(len(train)), out)
            result['classes, by BIC'] = max(classes.values())[1]
            result['classes, best k'] = max(c[1] for c in classes.values())
            result['number of classes, by BIC'] = max(classes, key=lambda k: classes[k][0])
            result['number of classes, best'] = max(classes, key=lambda k: classes[k][1])
            result['classes CPU s'] = time.process_time() - start
            collected.append(result)
        columns.append([f'{name}: {x.shape[0]} x {x.shape[1]}'] + [mean_of(t, [c[t] for c in collected]) for t in collected[0]])
        titles = list(collected[0])
    rows = [[t] + [c[i + 1] for c in columns] for i, t in enumerate(titles)]
    table('Log-likelihood of a row held out: a fifth of the rows, mean of five such parts (of the words one)',
          [''] + [c[0] for c in columns], rows)


def starts(s):
    """whether the start from triplets ends in a worse optimum than random ones: EM in numpy on the structure learned from the words"""
    x = codes_words()
    held = np.isin(np.arange(len(x)), np.random.default_rng(100).permutation(len(x))[::5])
    train, test, p = x[~held], x[held], x.shape[1]
    copy_rows(s, 'train', train)
    copy_rows(s, 'test', test)
    edges = fit(s, "tlv_tree('SELECT v FROM train', 2, iterations => 80)")[0]
    likelihood_in = lambda rows: float(s.value(f'SELECT avg(tlv_log_likelihood(model, v)) FROM t, {rows}'))
    rows = [['tlv_tree, 80 steps', likelihood_in('train'), likelihood_in('test')]]
    number = lambda name: int(name[1:]) - 1 + (p if name[0] == 'h' else 0)
    edges = [(number(a), number(b)) for a, b in edges]
    parent, order = rooted(edges, next(a for e in edges for a in e if a >= p))
    rng = np.random.default_rng(0)
    for start in range(3):
        tables, root = {y: rng.dirichlet(np.ones(2), 2).T for y in order[1:]}, np.full(2, .5)
        for _ in range(80):
            tables, root = em_step(train, parent, order, tables, root)
        rows.append([f'random start {start + 1}, 80 steps', likelihood(train, parent, order, tables, root), likelihood(test, parent, order, tables, root)])
    table('Words: log-likelihood of a row, 80 steps of EM on one structure', ['', 'training', 'held out'], [[r[0]] + [f'{v:.3f}' for v in r[1:]] for r in rows])


def main():
    s = Session(max_parallel_workers_per_gather=0)
    machine(s)
    wanted = OPTIONS.get('part', 'stocks,words,likelihood,numbers').split(',')
    for name, part, needed in [('stocks', stocks, 'sp500-returns'), ('words', words, 'news100'), ('likelihood', likelihoods, 'house-votes-84'),
                               ('numbers', numbers, ''), ('starts', starts, 'news100')]:
        if name not in wanted:
            continue
        if os.path.exists(os.path.join(DATA, needed)):
            part(s)
        else:
            print(f'{name}: skipped, {needed} is not in {DATA}')
    s.close()


if __name__ == '__main__':
    main()
