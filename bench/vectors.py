"""Vectors: tlv_dense_moments against sum() and avg() of as many columns, against a scan of the arrays and
against what BLAS needs for the same sums; tlv_gmm and tlv_ica against scikit-learn; 2 workers; growth in
n, d and k.  --rows=N (1 000 000), --part=moments|gmm|ica|growth"""
import os
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')   # before the libraries are loaded: CPU seconds are compared
import sys, time, warnings
from common import Session, machine, np, table

warnings.filterwarnings('ignore')
OPTIONS = dict(a.lstrip('-').split('=') for a in sys.argv[1:] if '=' in a)
ROWS, PART = int(OPTIONS.get('rows', 1_000_000)), OPTIONS.get('part')
CHUNK = 100_000


def copy_rows(kind, n, make, path):
    with open(path, 'wb') as f:
        f.write(b'PGCOPY\n\377\r\n\0' + bytes(8))
        for start in range(0, n, CHUNK):
            f.write(make(start, min(CHUNK, n - start)).tobytes())
        f.write(b'\xff\xff')


def load(s, name, X, columns=False):
    """table of the rows of X, as one array each, or as d columns of float8"""
    n, d = X.shape
    cell = [('length', '>i4'), ('value', '>f8')]
    head = [] if columns else [('size', '>i4'), ('dimensions', '>i4'), ('flags', '>i4'), ('type', '>i4'), ('d', '>i4'), ('lower', '>i4')]
    kind = np.dtype([('fields', '>i2')] + head + [('cells', cell, (d,))])

    def make(start, rows):
        r = np.zeros(rows, kind)
        r['fields'], r['cells']['length'], r['cells']['value'] = d if columns else 1, 8, X[start:start + rows]
        if not columns:
            r['size'], r['dimensions'], r['type'], r['d'], r['lower'] = 20 + 12 * d, 1, 701, d, 1
        return r

    path = os.path.join(os.environ.get('TMPDIR', '/tmp'), f'{name}.{os.getpid()}.copy')
    copy_rows(kind, n, make, path)
    fields = ', '.join(f'c{i + 1} float8' for i in range(d)) if columns else 'x float8[]'
    s.query(f'DROP TABLE IF EXISTS {name}; CREATE UNLOGGED TABLE {name} ({fields})')
    s.query(f"\\copy {name} FROM '{path}' WITH (FORMAT binary)\n")
    os.unlink(path)
    s.query(f'VACUUM ANALYZE {name}')


def cpu(run):
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def best(run, repeats=5):
    return min(cpu(run)[0] for _ in range(repeats))


def parallel(s, sql, workers=2):
    """the Cost with workers, whether or not the planner thinks they pay"""
    s.set(max_parallel_workers_per_gather=workers, parallel_setup_cost=0, parallel_tuple_cost=0, min_parallel_table_scan_size=0)
    result = s.median(sql)
    s.set(max_parallel_workers_per_gather=0)
    return result


def speed_up(one, both):
    return [f'{one.wall:.2f}', f'{both.wall:.2f}', f'{one.wall / both.wall:.2f}', f'{both.cpu:.2f}']


# -- moments -------------------------------------------------------------------

def blas_seconds(n, d, order):
    """CPU seconds of BLAS for the sums of products alone: dsyrk of rows x d in cache for order 2; for order 3
    dgemm at the speed of a large square product, n d (d+1) (d+2) / 3 operations"""
    from scipy.linalg.blas import dgemm, dsyrk
    if order == 2:
        block, c = np.asfortranarray(np.random.rand(d, 256)), np.zeros((d, d), order='F')
        turns = 20_000_000 // (256 * d)
        return best(lambda: [dsyrk(1, block, beta=1, c=c, overwrite_c=1) for _ in range(turns)]) / turns / 256 * n
    a = np.asfortranarray(np.random.rand(1200, 1200))
    return n * d * (d + 1) * (d + 2) / 3 * best(lambda: dgemm(1, a, a)) / (2 * 1200**3)


def moments(s):
    rows, workers = [], []
    rng = np.random.default_rng(1)
    for d in (10, 50, 100):
        X = rng.standard_normal((ROWS, d)) + 3
        load(s, 'arrays', X)
        load(s, 'columns_', X, columns=True)
        # the sums themselves, checked once against numpy
        m = np.array(s.value('SELECT tlv_central_moment(tlv_dense_moments(x, 2), 2) FROM arrays')
                     .replace('{', '').replace('}', '').split(','), float).reshape(d, d)
        assert abs(m - np.cov(X.T, bias=True)).max() < 1e-10, 'wrong moments'
        scan = s.median('SELECT count(array_ndims(x)) FROM arrays').cpu
        each = {f: s.median('SELECT ' + ', '.join(f'{f}(c{i + 1})' for i in range(d)) + ' FROM columns_').cpu for f in ('sum', 'avg')}
        for order in (2, 3):
            sql = f'SELECT tlv_dense_moments(x, {order}) IS NULL FROM arrays'
            one = s.median(sql)
            bound = blas_seconds(ROWS, d, order)
            rows.append([f'd = {d}, order {order}', scan, each['sum'], each['avg'], bound, one.cpu, f"{one.cpu / each['sum']:.2f}",
                         f"{one.cpu / each['avg']:.2f}", f'{one.cpu / scan:.2f}', f'{one.cpu / bound:.2f}',
                         f'{(one.cpu - scan) / bound:.2f}', f'{one.cpu / (scan + bound):.2f}'])
            workers.append([f'moments, d = {d}, order {order}'] + speed_up(one, parallel(s, sql)))
        s.query('DROP TABLE arrays, columns_')
    table(f'tlv_dense_moments of {ROWS} rows: CPU seconds of one process (median of 3); scan: count(array_ndims(x)) of the '
          'same arrays; BLAS: the sums of products alone, from blocks in cache',
          ['', 'scan', 'sum(c1), ..', 'avg(c1), ..', 'BLAS', 'tlv', '/ sum', '/ avg', '/ scan', '/ BLAS', 'without scan / BLAS',
           '/ (scan + BLAS)'], rows)
    return workers


# -- a mixture and components against scikit-learn --------------------------------

def mixture(n, d, k, seed=1):
    rng = np.random.default_rng(seed)
    mu = rng.standard_normal((k, d)) * 4 / np.sqrt(2 * d)   # means about 4 deviations apart
    return mu[rng.choice(k, n, p=rng.dirichlet(np.full(k, 5.0)))] + rng.standard_normal((n, d))


def log_likelihood(s, model):
    return float(s.value(f"SELECT score FROM {model}, tlv_diagnostics(model) WHERE measure = 'mean_log_likelihood'"))


def amari(a, b):
    p = abs(np.linalg.pinv(a) @ b)
    k = len(p)
    return ((p.sum(1) / p.max(1) - 1).sum() + (p.sum(0) / p.max(0) - 1).sum()) / (2 * k * (k - 1))


def sources(n, d, seed=1):
    rng = np.random.default_rng(seed)
    draw = [lambda: rng.laplace(size=n), lambda: rng.uniform(-1, 1, n), lambda: rng.integers(0, 2, n) * 2.0 - 1, lambda: rng.exponential(size=n)]
    S = np.column_stack([draw[i % 4]() for i in range(d)])
    S = (S - S.mean(0)) / S.std(0)
    A = rng.standard_normal((d, d))
    return S @ A.T, A


FIT = {'gmm': "tlv_gmm('SELECT x FROM vectors', k => {k})", 'ica': "tlv_ica('SELECT x FROM vectors')"}


def gmm(s):
    from sklearn.mixture import GaussianMixture
    n, d, k = ROWS, 20, 10
    X = mixture(n, d, k)
    load(s, 'vectors', X)
    fit = FIT['gmm'].format(k=k)
    one = s.cost(f'DROP TABLE IF EXISTS fitted; CREATE TEMP TABLE fitted AS SELECT {fit} AS model')[1]
    steps, ours = s.value("SELECT tlv_info(model)->>'steps' FROM fitted"), log_likelihood(s, 'fitted')
    moment_pass = s.median('SELECT tlv_dense_moments(x, 3) IS NULL FROM vectors').cpu
    step = s.median('SELECT tlv_statistics(x, (SELECT model FROM fitted)) IS NULL FROM vectors').cpu
    rows = [['tlv_gmm', one.cpu, 1.0, ours, f'{steps} steps of {step:.2f} s, moments {moment_pass:.2f} s', round(one.private_mb)]]
    seconds, m = cpu(lambda: GaussianMixture(k, covariance_type='spherical', random_state=0, max_iter=300).fit(X))
    rows.append(['GaussianMixture, 1 start', seconds, seconds / one.cpu, float(m.score(X)), f'{m.n_iter_} steps', None])
    table(f'mixture of {k} spherical Gaussians, {n} rows of {d}: CPU seconds', ['', 'CPU s', '/ tlv', 'mean log-likelihood', '', 'peak MB'], rows)
    return [[f'tlv_gmm, d = {d}, k = {k}'] + speed_up(one, parallel(s, f'SELECT {fit} IS NULL'))]


def ica(s):
    from sklearn.decomposition import FastICA
    n, d = ROWS, 10
    X, A = sources(n, d)
    load(s, 'vectors', X)
    fit = FIT['ica']
    rows, one = [], None
    for name, sql in (('tlv_ica', fit), ("tlv_ica, refine => 'none'", fit[:-1] + ", refine => 'none')"), ("tlv_ica, noise => true", fit[:-1] + ', noise => true)')):
        cost = s.cost(f'DROP TABLE IF EXISTS fitted; CREATE TEMP TABLE fitted AS SELECT {sql} AS model')[1]
        one = one or cost
        B = np.array(s.query('SELECT dimension, component, weight FROM fitted, tlv_mixing(model)'), float)
        M = np.zeros((d, d))
        M[B[:, 0].astype(int) - 1, B[:, 1].astype(int) - 1] = B[:, 2]
        steps = s.value("SELECT coalesce((SELECT score FROM fitted, tlv_diagnostics(model) WHERE measure = 'refinement_steps'), 0)")
        rows.append([name, cost.cpu, cost.cpu / one.cpu, amari(A, M), f'{float(steps):.0f} steps'])
    for fun in ('logcosh', 'cube'):
        seconds, m = cpu(lambda: FastICA(d, fun=fun, whiten='unit-variance', random_state=0, max_iter=500).fit(X))
        rows.append([f'FastICA, {fun}', seconds, seconds / one.cpu, amari(A, m.mixing_), f'{m.n_iter_} steps'])
    table(f'{d} independent components (Laplace, uniform, binary, exponential in turn) of {n} rows: CPU seconds',
          ['', 'CPU s', '/ tlv_ica', 'Amari index', ''], rows)
    return [[f'tlv_ica, d = {d}'] + speed_up(one, parallel(s, f'SELECT {fit} IS NULL'))]


# -- growth ------------------------------------------------------------------

def slope(sizes, seconds):
    return f'{np.polyfit(np.log(sizes), np.log(seconds), 1)[0]:.2f}'


def grow(s, what, sizes, make, sql):
    seconds = []
    for size in sizes:
        load(s, 'vectors', make(size))
        seconds.append(s.cost('SELECT ' + sql.format(k=size if what[-1] == 'k' else 10) + ' IS NULL')[1].cpu)
    return [what, ', '.join(map(str, sizes)), ', '.join(f'{c:.2f}' for c in seconds), slope(sizes, seconds)]


def growth(s):
    n = ROWS // 10
    sizes = [n, 3 * n, 10 * n]
    order = "(SELECT tlv_dense_moments(x, {}) FROM vectors)"
    normal = lambda n, d: np.random.default_rng(1).standard_normal((n, d))
    fits = dict(ica=FIT['ica'], gmm=FIT['gmm'][:-1] + ', iterations => 10)')   # as many steps, whatever the rows
    rows = []
    for o, dims in ((2, [25, 50, 100, 200]), (3, [25, 50, 100]), (4, [10, 20, 40])):
        rows.append(grow(s, f'moments of order {o}, n', sizes, lambda n: normal(n, 20), order.format(o)))
        rows.append(grow(s, f'moments of order {o}, d', dims, lambda d: normal(n, d), order.format(o)))
    rows.append(grow(s, 'tlv_gmm (10 steps), n', sizes, lambda n: mixture(n, 20, 10), fits['gmm']))
    rows.append(grow(s, 'tlv_gmm (10 steps), d', [15, 30, 60], lambda d: mixture(n, d, 10), fits['gmm']))
    rows.append(grow(s, 'tlv_gmm (10 steps), k', [5, 10, 20, 40], lambda k: mixture(n, 60, k), fits['gmm']))
    rows.append(grow(s, 'tlv_ica, n', sizes, lambda n: sources(n, 10)[0], fits['ica']))
    rows.append(grow(s, 'tlv_ica, d', [5, 10, 20, 40], lambda d: sources(n, d)[0], fits['ica']))
    table(f'growth, CPU seconds and the slope of their logarithms (n = {n}, d = 20 for moments and mixtures, k = 10, d = 10 for '
          'components, d = 60 for k, where not said)', ['', 'sizes', 'CPU s', 'slope'], rows)


s = Session(max_parallel_workers_per_gather=0, jit='off')
machine(s)
workers = []
for part, run in (('moments', moments), ('gmm', gmm), ('ica', ica)):
    if PART in (None, part):
        workers += run(s)
if workers:
    table('2 workers and the leader (median of 3)', ['', 'wall s', '2 workers', 'speed-up', 'CPU s'], workers)
if PART in (None, 'growth'):
    growth(s)
