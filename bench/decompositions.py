"""Tensors: tlv_fit_cp, tlv_fit_tucker and tlv_fit_tensor_train beside tensorly, dense and sparse, and beside plain
alternating least squares in numpy.

Error: against the tensor without noise, in parts of its norm.  Seconds of a fit alone, arrays and sparse tensors being
there already; tensorly (and `sparse`, for sparse tensors) has one start, tlv_fit_cp as many as it takes by default."""
import os, sys, time
from common import Session, in_child, np, table

try:
    import tensorly as tl
    from tensorly.decomposition import parafac, non_negative_parafac_hals, tucker, tensor_train
except ImportError:
    tl = None
    print('tensorly is not there: pip install tensorly')

SHAPES = (((100, 80, 60), 8, .1, False), ((200, 150, 100), 12, .3, False), ((100, 80, 60), 8, .1, True))
session = Session()


def products(shape, k, noise, nonnegative, seed, share=1):
    """Places, entries and exact entries of a sum of k products; noise relative to the root mean square of an entry."""
    rng = np.random.default_rng(seed)
    F = [rng.uniform(size=(d, k)) * (rng.uniform(size=(d, k)) > .3) if nonnegative else rng.normal(size=(d, k)) for d in shape]
    places = rng.choice(np.prod(shape), int(share * np.prod(shape)), replace=False) if share < 1 else np.arange(np.prod(shape))
    at = np.unravel_index(np.sort(places), shape)
    exact = np.prod([F[m][at[m]] for m in range(3)], axis=0).sum(1)
    return [*(a + 1 for a in at), exact + noise * np.sqrt(np.mean(exact ** 2)) * rng.normal(size=len(exact)), exact]


def load(name, columns):
    """A temporary table of the arrays of products."""
    path = os.path.join(os.environ.get('TMPDIR', '/tmp'), name + '.csv')
    np.savetxt(path, np.column_stack(columns), fmt='%d,%d,%d,%.17g,%.17g')
    session.query(f'CREATE TEMP TABLE {name} (i bigint, j bigint, l bigint, entry float8, exact float8)')
    session.query(f"\\copy {name} FROM '{path}' WITH (FORMAT csv)\n")
    os.unlink(path)


def error(X, exact):
    return np.linalg.norm(X - exact) / np.linalg.norm(exact)


def timed(f):
    start = time.process_time()
    return f(), time.process_time() - start


def ours(fit):
    _, cost = session.cost(f'CREATE TEMP TABLE fitted AS SELECT {fit} AS model FROM arrays')
    wrong = float(session.value("""SELECT sqrt(sum((e.entry - c.exact)^2) / sum(c.exact^2))
        FROM fitted, tlv_tensor_entries(model) e JOIN cells c ON (c.i, c.j, c.l) = (e.i, e.j, e.l)"""))
    session.query('DROP TABLE fitted')
    return wrong, cost.cpu


def als(T, r, sweeps=200, seed=0):
    """plain alternating least squares, one random start"""
    rng = np.random.default_rng(seed)
    F, old = [rng.normal(size=(d, r)) for d in T.shape], np.inf
    product = lambda a, b: np.einsum('ir,jr->ijr', a, b).reshape(-1, r)
    unfolded = [np.moveaxis(T, m, 0).reshape(T.shape[m], -1) for m in range(3)]
    for _ in range(sweeps):
        for m in range(3):
            a, b = [F[j] for j in range(3) if j != m]
            F[m] = unfolded[m] @ product(a, b) @ np.linalg.pinv((a.T @ a) * (b.T @ b))
        rest = np.linalg.norm(unfolded[2] - F[2] @ product(F[0], F[1]).T) / np.linalg.norm(T)
        if old - rest < 1e-8:
            break
        old = rest
    return np.einsum('ir,jr,lr->ijl', *F, optimize=True)


rows = []
for shape, k, noise, nonnegative in SHAPES:
    session.query('DROP TABLE IF EXISTS cells, arrays')
    load('cells', products(shape, k, noise, nonnegative, 3))
    session.query("""CREATE TEMP TABLE arrays AS SELECT array_agg(p ORDER BY i) AS t FROM (SELECT i, array_agg(f ORDER BY j) AS p
        FROM (SELECT i, j, array_agg(entry ORDER BY l) AS f FROM cells GROUP BY i, j) q GROUP BY i) r""")
    read = [[float(x) for x in row] for row in session.query('SELECT entry, exact FROM cells ORDER BY i, j, l')]
    T, exact = (np.array([row[c] for row in read]).reshape(shape) for c in (0, 1))
    name = f"{'x'.join(map(str, shape))}, k {k}, noise {noise}" + (', not negative' if nonnegative else '')
    runs = [('tlv_fit_cp', lambda: ours(f'tlv_fit_cp(t, {k}, nonnegative => {nonnegative})')),
            ('tlv_fit_tucker', lambda: ours(f"tlv_fit_tucker(t, '{{{k},{k},{k}}}')")),
            ('tlv_fit_tensor_train', lambda: ours(f"tlv_fit_tensor_train(t, '{{{k},{k}}}')"))]

    def peer(f):
        X, seconds = timed(f)
        return error(X, exact), seconds
    if not nonnegative:
        runs.append(('numpy als', lambda: peer(lambda: als(T, k))))
    if tl is not None:
        if nonnegative:
            runs.append(('tensorly hals', lambda: peer(lambda: tl.cp_to_tensor(non_negative_parafac_hals(tl.tensor(T), k, n_iter_max=300, random_state=0)))))
        else:
            runs.append(('tensorly parafac', lambda: peer(lambda: tl.cp_to_tensor(parafac(tl.tensor(T), k, n_iter_max=200, init='random', random_state=0, tol=1e-8)))))
        runs.append(('tensorly tucker', lambda: peer(lambda: tl.tucker_to_tensor(tucker(tl.tensor(T), [k] * 3, n_iter_max=50)))))
        runs.append(('tensorly tensor_train', lambda: peer(lambda: tl.tt_to_tensor(tensor_train(tl.tensor(T), [1, k, k, 1])))))
    for what, run in runs:
        wrong, seconds = run()
        rows.append([name, what, f'{wrong:.4f}', f'{seconds:.2f}'])
table('Tensors as sums of products, cores and chains', ['tensor', 'by', 'error', 'CPU s'], rows)

# symmetric tensors of orthonormal vectors: what sketches of the tensor cost, and whether they find the vectors
rows = []
for n in (10, 30, 60):
    rng = np.random.default_rng(n)
    V = np.linalg.qr(rng.normal(size=(n, n)))[0]
    values = np.geomspace(1, 3, n)
    T = np.einsum('h,ih,jh,lh->ijl', values, V, V, V, optimize=True)
    E = rng.normal(size=(n, n, n)) * .04 / n ** .5
    E = sum(np.transpose(E, p) for p in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))) / 6
    text = '{' + ','.join(f'{x:.12g}' for x in (T + E).ravel()) + '}'
    session.query('DROP TABLE IF EXISTS given')
    session.query(f"CREATE TEMP TABLE given AS SELECT '{text}'::float8[] AS t")
    for method in ('joint', 'power', 'simultaneous', 'sketch'):
        _, cost = session.cost(f"CREATE TEMP TABLE decomposed AS SELECT d.* FROM given, tlv_decompose(t, method => '{method}') d")
        W = np.array([[float(x) for x in row[0].strip('{}').split(',')] for row in session.query('SELECT vector FROM decomposed')])
        session.query('DROP TABLE decomposed')
        rows.append([n, method, f'{int((np.max(W @ V, axis=0) > .95).sum())} of {n}', f'{cost.cpu:.2f}'])
table('Symmetric tensors, k dimensions and components, values 1 to 3, noise .02', ['k', 'method', 'found', 'CPU s'], rows)

# sparse: counts in a cube of a million places and more
load('places', products((2000, 1000, 50), 5, 0, True, 2, share=.005))
session.query('CREATE TEMP TABLE sparse AS SELECT tlv_tensor_agg(i, j, l, entry) AS moments FROM places WHERE entry > 0')
n = session.value("SELECT count(*) FROM sparse, tlv_tensor_entries(moments)")
_, cost = session.cost('SELECT length(tlv_fit_cp(moments, 5, nonnegative => true)::text) FROM sparse')
_, free = session.cost('SELECT length(tlv_fit_cp(moments, 5)::text) FROM sparse')
print(f'2000 x 1000 x 50, {n} entries: tlv_fit_cp(nonnegative) {cost.cpu:.2f} CPU s, tlv_fit_cp {free.cpu:.2f} CPU s (an array of it takes 800 MB)')


def sparse_peer(entries, shape, k):
    """(CPU s, residual) of 20 sweeps of tensorly's sparse CP from one start"""
    sys.path[:] = [p for p in sys.path if not p.endswith('bench')]   # numba looks for a module coverage, which is not ours
    sys.modules.pop('coverage', None)
    import sparse
    from tensorly.contrib.sparse.decomposition import parafac
    X = sparse.COO(entries[:, :3].astype(int).T - 1, entries[:, 3], shape=shape)
    start = time.process_time()
    weights, factors = parafac(X, rank=k, init='random', n_iter_max=20, random_state=0)
    spent = time.process_time() - start
    A = [np.asarray(f.todense() if hasattr(f, 'todense') else f) for f in factors]
    A[0] = A[0] * np.asarray(weights.todense() if hasattr(weights, 'todense') else weights)
    i, j, l = entries[:, :3].astype(int).T - 1
    inner = ((A[0][i] * A[1][j] * A[2][l]).sum(1) * entries[:, 3]).sum()
    square = (A[0].T @ A[0] * (A[1].T @ A[1]) * (A[2].T @ A[2])).sum()
    norm = (entries[:, 3] ** 2).sum()
    return spent, float(np.sqrt(max(norm - 2 * inner + square, 0) / norm))


entries = np.array(session.query('SELECT i, j, l, entry FROM sparse, tlv_tensor_entries(moments)'), float)
residual = session.value("SELECT score FROM sparse, tlv_diagnostics(tlv_fit_cp(moments, 5)) WHERE measure = 'residual'")
peer = in_child(sparse_peer, entries, (2000, 1000, 50), 5)
print(f'tlv_fit_cp leaves {float(residual):.4f} of its norm' + (f'; tensorly, sparse, 20 sweeps of one start {peer[0]:.1f} CPU s, {peer[1]:.4f}' if peer else ''))
