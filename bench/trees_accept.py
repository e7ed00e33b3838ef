"""Latent trees on data drawn from known ones: Robinson-Foulds distance of the learned structures beside the reference's
figures, and held-out likelihood of the parameters beside the truth's.

The data are the reference's, number for number; agglomerative clustering is scipy's average linkage on the same
distances; neighbour joining is in numpy on them, as it is, and with its edges below the best cut for each tree drawn together,
which only who knows the truth can choose.
--quick: no tables of structures   --no-peer: no EM from random starts   --mixed: only trees of numbers beside categories"""
import os, sys, time
from common import Session, machine, np, table
from common_trees import TMP, agglomerative, best_cut, copy_arrays, distances_of, em_step, latent_tree, likelihood, neighbour_joining, \
    robinson_foulds, rooted, seconds_of

OPTIONS = {a.lstrip('-') for a in sys.argv[1:]}

# name, generator's arguments, the reference's distances at seeds 0 to 4: their sum may be 4 more
LINES = [
    ('tree_gauss', dict(p=20, n=5000, kind='gaussian'), [0, 0, 0, 0, 0]),
    ('tree_cat', dict(p=20, n=5000, kind='cat', k=3, d=3), [2, 0, 1, 0, 2]),
    ('tree_cat50', dict(p=50, n=10000, kind='cat', k=2, d=2), [0, 2, 0, 3, 0]),
]
# the reference's mean share over seeds 0 to 2: NJ, CLNJ, NJ + z2, CLNJ + z2, agglomerative
GAUSS, CAT3, CAT6 = dict(kind='gaussian'), dict(kind='cat', k=3, d=3), dict(kind='cat', k=3, d=6)
SHARES = [
    ('gauss p=20 n=1k, degree >3', dict(GAUSS, p=20, n=1000, degree=4), (.172, .195, .054, .042, .425)),
    ('gauss p=50 n=3k, binary', dict(GAUSS, p=50, n=3000, degree=3), (.135, .050, .106, .045, .411)),
    ('gauss p=50 n=10k, degree >3', dict(GAUSS, p=50, n=10000, degree=4), (.190, .224, .000, .027, .536)),
    ('k=3 p=20 n=3k, binary', dict(CAT3, p=20, n=3000, degree=3), (.000, .039, .030, .041, .41)),
    ('k=3 p=20 n=3k, degree >3', dict(CAT3, p=20, n=3000, degree=4), (.172, .195, .000, .014, .38)),
    ('k=3 p=50 n=1k, binary', dict(CAT3, p=50, n=1000, degree=3), (.277, .050, .210, .061, .44)),
    ('k=3 p=50 n=1k, degree >3', dict(CAT3, p=50, n=1000, degree=4), (.207, .232, .032, .043, .54)),
    ('k=3 p=50 n=10k, binary', dict(CAT3, p=50, n=10000, degree=3), (.050, .014, .026, .007, .46)),
    ('k=3 p=50 n=10k, degree >3', dict(CAT3, p=50, n=10000, degree=4), (.198, .224, .005, .026, .55)),
    ('d=6 k=3 p=50 n=3k, binary', dict(CAT6, p=50, n=3000, degree=3), (.191, .035, .131, .018, .47)),
    ('d=6 k=3 p=50 n=3k, degree >3', dict(CAT6, p=50, n=3000, degree=4), (.300, .198, .114, .005, .54)),
]
METHODS = [('nj', 0), ('clnj', 0), ('nj', 2), ('clnj', 2), ('clrg', 2)]
# p, n, k, d, the reference's truth, triplets, + 3 steps, + 10 steps (seed 1)
PARAMETERS = [
    (10, 3000, 3, 3, None), (20, 3000, 3, 3, None), (20, 10000, 3, 3, (-14.870, -14.888, -14.881, -14.879)),
    (20, 10000, 3, 6, None), (50, 10000, 2, 2, (-23.330, -23.349, -23.342, -23.340)),
]
HELD_OUT = 5000


def load(s, seed, arguments):
    """rows in the table d, their moments in m, the true edges by names in truth; returns the edges"""
    x, edges, truth = latent_tree(seed=seed, **dict({'degree': 4}, **arguments))
    copy_arrays(s, 'd', [x])
    moments = 'tlv_dense_moments(v, 2)' if arguments['kind'] == 'gaussian' else 'tlv_category_moments(v)'
    s.query(f'DROP TABLE IF EXISTS m, truth; CREATE TEMP TABLE m AS SELECT {moments} AS m FROM d')
    p = arguments['p']
    name = lambda x: f'v{x + 1}' if x < p else f'hidden{x}'
    s.query('CREATE TEMP TABLE truth AS SELECT * FROM (VALUES '
            + ','.join(f"('{name(a)}', '{name(b)}')" for a, b in edges) + ') q(parent, child)')
    return edges


def structure(s, arguments, method='clnj', z=2):
    """(different, all) splits of a learned tree and the true one"""
    states = f', {arguments["k"]}' if 'k' in arguments else ''
    r = s.query(f"SELECT r.different, r.total FROM m, tlv_robinson_foulds(tlv_fit_tree(m{states}, structure => '{method}', z => {z}), "
                "'SELECT parent, child FROM truth') r")[0]
    return int(r[0]), int(r[1])


def lines(s):
    rows = []
    for name, arguments, figures in LINES:
        found = []
        for seed in range(5):
            load(s, seed, arguments)
            found.append(structure(s, arguments))
        total = sum(f[0] for f in found)
        rows.append([name, str([f[0] for f in found]), found[0][1], str(figures), total, sum(figures) + 4, 'yes' if total <= sum(figures) + 4 else 'NO'])
    table('Splits in one tree only, seeds 0 to 4', ['', 'tensorlv', 'of', 'reference', 'sum', 'asked', 'met'], rows)


def shares(s, seeds=3):
    rows, sums, peers = [], np.zeros((2, 5)), np.zeros((len(SHARES), 2))
    for line, (name, arguments, figures) in enumerate(SHARES):
        found = np.zeros((seeds, len(METHODS) + 1))
        for seed in range(seeds):
            edges = load(s, seed, arguments)
            for i, (method, z) in enumerate(METHODS):
                a, b = structure(s, arguments, method, z)
                found[seed, i] = a / b
            states = f', {arguments["k"]}' if 'k' in arguments else ''
            d = distances_of(s, 'SELECT m FROM m', arguments['p'], states)
            a, b = robinson_foulds(edges, agglomerative(d), set(range(arguments['p'])))
            found[seed, -1] = a / b
            joined = neighbour_joining(d)
            a, b = robinson_foulds(edges, joined[0], set(range(arguments['p'])))
            oracle = best_cut(edges, *joined, arguments['p'])
            peers[line] += np.array([a / b, oracle[0] / oracle[1]]) / seeds
        mean = found.mean(0)
        ours = np.r_[mean[:4], mean[-1]]
        sums += np.array([ours, figures])
        rows.append([name] + [f'{o:.3f} ({f:.3f})' for o, f in zip(ours[:4], figures[:4])] + [f'{mean[4]:.3f}', f'{ours[4]:.2f} ({figures[4]:.2f})',
                    f'{peers[line, 0]:.3f}', f'{peers[line, 1]:.3f}'])
    sums /= len(SHARES)
    rows.append(['mean'] + [f'{o:.3f} ({f:.3f})' for o, f in zip(sums[0, :4], sums[1, :4])] + ['', f'{sums[0, 4]:.2f} ({sums[1, 4]:.2f})'] + [f'{v:.3f}' for v in peers.mean(0)])
    table('Share of the splits of both trees that only one has, mean of seeds 0 to 2; in brackets the reference',
          ['', 'NJ', 'CLNJ', 'NJ, z=2', 'CLNJ, z=2 (default)', 'CLRG, z=2', 'agglomerative', 'numpy NJ', 'best cut'], rows)


def random_starts(x, test, edges, p, k, d, starts=3, steps=60):
    """held-out likelihood of the best of EM runs from random tables on the given structure, and CPU seconds"""
    parent, order = rooted(edges, p)
    rng, best, start = np.random.default_rng(0), -np.inf, time.process_time()
    for _ in range(starts):
        tables = {y: rng.dirichlet(np.ones(d if y < p else k), k).T for y in order[1:]}
        root = np.full(k, 1 / k)
        for _ in range(steps):
            tables, root = em_step(x, parent, order, tables, root)
        best = max(best, likelihood(test, parent, order, tables, root))
    return best, time.process_time() - start


def parameters(s):
    rows = []
    for p, n, k, d, figures in PARAMETERS:
        for seed in 1, 2:
            x, edges, (parent, tables, root) = latent_tree(seed, p, n + HELD_OUT, 'cat', k, d, 4, .7, .9)
            train, test = x[:n], x[n:]
            copy_arrays(s, 'd', [train])
            copy_arrays(s, 'held_out', [test])
            truth = likelihood(test, parent, rooted(edges, p)[1], tables, root)
            apart = sum(np.log((np.bincount(train[:, j], minlength=d) + .5) / (n + .5 * d))[test[:, j]].mean() for j in range(p))
            found = []
            for steps in 0, 3, 10, None:
                options = '' if steps is None else f', iterations => {steps}'
                cpu = seconds_of(s, f"DROP TABLE IF EXISTS t; CREATE TEMP TABLE t AS SELECT tlv_tree('SELECT v FROM d', {k}{options}) AS model")
                found.append(float(s.value('SELECT avg(tlv_log_likelihood(model, v)) FROM t, held_out')))
            name = lambda x: f'v{x + 1}' if x < p else f'hidden{x}'
            values = ','.join(f"(''{name(a)}'', ''{name(b)}'')" for a, b in edges)
            rf = s.value(f"SELECT r.different FROM t, tlv_robinson_foulds(model, 'SELECT * FROM (VALUES {values}) q(parent, child)') r")
            peer, seconds = random_starts(train, test, edges, p, k, d) if 'no-peer' not in OPTIONS else (None, None)
            reference = ' '.join(f'{f:.3f}' for f in figures) if figures and seed == 1 else ''
            rows.append([f'p={p} n={n // 1000}k k={k} d={d}, seed {seed}', rf, f'{truth:.4f}'] + [f'{f:.4f}' for f in found]
                        + [truth - found[-1], peer and f'{peer:.4f}', f'{apart:.3f}', f'{cpu:.3f}', seconds and f'{seconds:.1f}', reference])
    table(f'Log-likelihood of a row, {HELD_OUT} held out, by tlv_tree; numpy EM: best of 3 random starts, 60 steps, on the\n'
          'true structure; reference: truth, triplets, + 3, + 10 steps of EM',
          ['', 'RF', 'truth', 'triplets', '+ 3', '+ 10', 'default', 'below truth', 'numpy EM', 'apart', 'CPU s', 'EM CPU s', 'reference'], rows)


def as_categories(x):
    """numbers as three categories of about as many rows each"""
    return np.digitize(x, [-.43, .43]) if x.dtype.kind == 'f' else x


def as_numbers(x, rng):
    """skewed as amounts are; states with noise of half their distance"""
    return np.exp(x if x.dtype.kind == 'f' else x + .5 * rng.normal(size=x.shape))


def copy_columns(s, name, columns):
    """a table of columns v1, v2, ...: numbers, and integers as text"""
    path = os.path.join(TMP, name + '.copy')
    with open(path, 'w') as f:
        for row in zip(*columns):
            f.write('\t'.join(str(v) for v in row) + '\n')
    types = ', '.join(f'v{i + 1} ' + ('float8' if c.dtype.kind == 'f' else 'text') for i, c in enumerate(columns))
    s.query(f'DROP TABLE IF EXISTS {name}; CREATE UNLOGGED TABLE {name} ({types})')
    s.query(f"\\copy {name} FROM '{path}'")
    os.unlink(path)


def mixed(s, seeds=10):
    """every second column a number: wrong splits, and the log probability of a category given the rest of a new row"""
    rows, p = [], 16
    halves = [f'v{j + 1}' for j in range(0, p, 2)]
    name = lambda x: f'v{x + 1}' if x < p else f'hidden{x}'
    for title, truth in ('numbers', GAUSS), ('2 states', dict(kind='cat', k=2, d=2)), ('3 states', CAT3):
        for n in 500, 2000, 10000:
            found, scores = np.zeros((seeds, 3)), np.zeros((seeds, 2))
            for seed in range(seeds):
                x, edges, _ = latent_tree(seed, p, n + HELD_OUT, degree=4, **truth)
                categories, numbers = as_categories(x), as_numbers(x, np.random.default_rng(seed))
                both = [(numbers if j % 2 else categories)[:, j] for j in range(p)]
                values = ','.join(f"(''{name(a)}'', ''{name(b)}'')" for a, b in edges)
                for i, columns in enumerate([list(np.log(numbers).T), list(categories.T), both]):
                    copy_columns(s, 'd', [c[:n] for c in columns])
                    r = s.query("SELECT r.different, r.total FROM tlv_robinson_foulds(tlv_tree('SELECT * FROM d'), "
                                f"'SELECT * FROM (VALUES {values}) q(parent, child)') r")[0]
                    found[seed, i] = int(r[0]) / int(r[1])
                copy_columns(s, 'held_out', [c[n:n + 1000] for c in both])
                for i, columns in enumerate(['*', ', '.join(halves)]):
                    s.query(f"DROP TABLE IF EXISTS t; CREATE TEMP TABLE t AS SELECT tlv_tree('SELECT {columns} FROM d') AS model")
                    scores[seed, i] = float(s.value('SELECT avg(c.log_likelihood) FROM t, held_out h, tlv_contributions(model, h) c '
                                                    f"WHERE c.dimension_name = ANY ('{{{','.join(halves)}}}')"))
            rows.append([f'{title}, n={n}'] + [f'{v:.3f}' for v in np.r_[found.mean(0), scores.mean(0)]])
    table('Share of the splits of both trees that only one has, the columns all numbers, all categories, or every second one a number; log probability\n'
          'of a category of 1,000 new rows of the latter given the rest of the row, beside that of the tree of the categories alone',
          ['truth', 'all numbers', 'all categories', 'side by side', 'log p', 'categories alone'], rows)


def main():
    s = Session(max_parallel_workers_per_gather=0)
    machine(s)
    if 'mixed' in OPTIONS:
        s.set(client_min_messages='error')
        mixed(s)
        s.close()
        return
    lines(s)
    if 'quick' not in OPTIONS:
        shares(s)
    parameters(s)
    s.close()


if __name__ == '__main__':
    main()
