"""Shared by the benchmarks of mixtures, hidden Markov models and independent components: the reference's
data drawn again (the same numbers in the same order of the generator), tables of them, models as matrices, peers."""
import gzip, os, warnings
from bisect import bisect_left
from scipy.optimize import linear_sum_assignment
from common import np
try:
    from hmmlearn.hmm import CategoricalHMM   # pip install hmmlearn
except ImportError:
    CategoricalHMM = None

warnings.filterwarnings('ignore')


# -- data ------------------------------------------------------------------------

def gmm(seed=1, n=100000, d=20, k=10, sep=4.0, diff=False):
    """rows X, means (d x k), weights, standard deviations: means at a typical distance of sep"""
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(d, k)) * (sep / np.sqrt(2 * d))
    weights = rng.dirichlet(np.full(k, 10.0))
    deviations = rng.uniform(0.5, 1.5, k) if diff else np.ones(k)
    component = rng.choice(k, n, p=weights)
    X = means[:, component].T + rng.normal(size=(n, d)) * deviations[component][:, None]
    return X, means, weights, deviations


def hmm(seed=1, n=100000, m=20, k=5, kind='symbols', d=10, sep=3.0, stay=0.7, beta=0.3):
    """one sequence x (symbols from 0, or vectors of unit noise), T[i, j] = P(next i | now j), O: probabilities m x k or means d x k"""
    rng = np.random.default_rng(seed)
    T = (1 - stay) * rng.dirichlet(np.full(k, 1.0), k).T + stay * np.eye(k)
    if kind == 'symbols':
        O = rng.dirichlet(np.full(m, beta), k).T
    else:
        O = rng.normal(size=(d, k)) * sep / np.sqrt(2 * d)
    values, vectors = np.linalg.eig(T)
    start = np.abs(np.real(vectors[:, np.argmax(np.real(values))]))
    start = start / start.sum()
    limits = np.cumsum(T, 0).T.tolist()
    u = rng.random(n)
    state = [int(rng.choice(k, p=start))]
    for v in u[1:].tolist():
        state.append(min(k - 1, bisect_left(limits[state[-1]], v)))
    state = np.array(state)
    if kind != 'symbols':
        return O[:, state].T + rng.normal(size=(n, d)), T, O
    u, x, limits = rng.random(n), np.empty(n, int), np.cumsum(O, 0)
    for j in range(k):
        x[state == j] = np.minimum(m - 1, np.searchsorted(limits[:, j], u[state == j]))
    return x, T, O


def ica(seed=1, n=20000, d=10, noise=0.0, sources='mix'):
    """rows X and their mixing matrix: sources of variance 1, Gaussian noise of full covariance"""
    rng = np.random.default_rng(seed)
    S = np.empty((n, d))
    for j in range(d):
        kind = ('laplace', 'uniform', 'binary', 'exponential')[j % 4] if sources == 'mix' else sources
        S[:, j] = {'laplace': lambda: rng.laplace(size=n) / np.sqrt(2), 'uniform': lambda: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
                   'binary': lambda: rng.choice([-1., 1.], n), 'exponential': lambda: rng.exponential(size=n) - 1}[kind]()
    A = rng.normal(size=(d, d))
    if noise == 0:
        return S @ A.T, A
    B = rng.normal(size=(d, d)) * noise / np.sqrt(d)
    return S @ A.T + rng.normal(size=(n, d)) @ B.T, A


def orthogonal_tensor(seed, d=10, equal=True):
    """T = sum of value * a (x) a (x) a over d orthonormal a, the columns of A, and the values: 1, or uniform in 1 .. 3"""
    rng = np.random.default_rng(seed)
    A = np.linalg.qr(rng.normal(size=(d, d)))[0]
    values = np.ones(d) if equal else rng.uniform(1, 3, d)
    return np.einsum('l,il,jl,kl->ijk', values, A, A, A), A, values


def read(name):
    """rows as published, and their classes (None: unknown)"""
    lines = gzip.open(os.path.join(os.environ.get('TLV_SHARED_DATA', ''), name.split('+')[0], 'points.csv.gz'), 'rt').read().splitlines()
    head, rows = lines[0].split(','), [l.split(',') for l in lines[1:]]
    columns = [i for i, h in enumerate(head) if h not in ('id', 'part', 'label')]
    x = np.array([[float(r[i]) for i in columns] for r in rows])
    if name.endswith('+noise'):   # whole numbers spread evenly over their interval: densities exist
        x += np.random.default_rng(1).random(x.shape)
    return x, np.array([int(r[-1]) for r in rows]) if head[-1] == 'label' else None


# -- in and out of the server ------------------------------------------------------

def load_vectors(s, table, X, step=False):
    """a table (x float8[]) of the rows of X, or (t, x), by binary COPY"""
    n, d = X.shape
    number = [('lt', '>i4'), ('t', '>i4')] if step else []
    kind = np.dtype([('fields', '>i2')] + number + [('length', '>i4'), ('head', '>i4', 5), ('cells', [('size', '>i4'), ('value', '>f8')], d)])
    path = os.path.join(os.environ.get('TMPDIR', '/tmp'), table + '.copy')
    with open(path, 'wb') as f:
        f.write(b'PGCOPY\n\377\r\n\0' + bytes(8))
        for first in range(0, n, 100000):
            part = X[first:first + 100000]
            records = np.empty(len(part), kind)
            records['fields'] = 1 + step
            if step:
                records['lt'], records['t'] = 4, first + np.arange(len(part))
            records['length'], records['head'] = 20 + 12 * d, (1, 0, 701, d, 1)   # dimensions, nulls, float8, length, lower bound
            records['cells']['size'], records['cells']['value'] = 8, part
            f.write(records.tobytes())
        f.write(b'\xff\xff')
    s.query(f"DROP TABLE IF EXISTS {table}; CREATE UNLOGGED TABLE {table} ({'t int, ' if step else ''}x float8[])")
    s.query(f"\\copy {table} FROM '{path}' WITH (FORMAT binary)\n")
    os.unlink(path)
    s.query(f'VACUUM ANALYZE {table}')


def numbers(text):
    return [float(x) for x in text.replace('{', '').replace('}', '').split(',')]


def components(s, model):
    """means (d x k), weights, variances of a mixture of Gaussians"""
    rows = np.array(s.query(f'SELECT weight, avg(variance) FROM {model}, tlv_components(model) JOIN tlv_means(model) USING (component) '
                            'GROUP BY component, weight ORDER BY component'), float)
    return matrix(s, f'SELECT component, dimension, mean FROM {model}, tlv_means(model)'), rows[:, 0], rows[:, 1]


def matrix(s, rows):
    """of rows (column, row, value), both numbered from 1"""
    rows = np.array(s.query(rows), float)
    M = np.zeros((int(rows[:, 1].max()), int(rows[:, 0].max())))
    M[rows[:, 1].astype(int) - 1, rows[:, 0].astype(int) - 1] = rows[:, 2]
    return M


def chain(s, model, m=0):
    """O (m symbols x k, or d x k) and T, as hmm() gives them"""
    T = matrix(s, f'SELECT from_state, to_state, probability FROM {model}, tlv_transitions(model)')
    if m == 0:
        return matrix(s, f'SELECT component, dimension, mean FROM {model}, tlv_means(model)'), T
    O = np.zeros((m, T.shape[0]))
    found = matrix(s, f'SELECT state, symbol + 1, probability FROM {model}, tlv_emissions(model)')
    O[:found.shape[0]] = found
    return O, T


def diagnostics(s, model):
    return {name: float(score) for name, score in s.query(f"SELECT concat_ws('_', measure, component), score FROM {model}, tlv_diagnostics(model)")}


# -- errors --------------------------------------------------------------------------

def match(A, B, norm):
    """order of the columns of B that fits A best, and the distance of each pair: norm 1 or 2"""
    D = np.stack([np.linalg.norm(A[:, [j]] - B, ord=norm, axis=0) for j in range(A.shape[1])])
    order = linear_sum_assignment(D)[1]
    return order, D[np.arange(len(order)), order]


def chain_errors(truth, found, norm=1):
    """mean distance of emissions, and of columns of T, under the assignment of the emissions"""
    order, errors = match(truth[0], found[0], norm)
    return float(errors.mean()), float(np.abs(found[1][np.ix_(order, order)] - truth[1]).sum(0).mean())


def amari(A, B):
    P = np.abs(np.linalg.pinv(B) @ A)
    k = len(P)
    return float(((P.sum(1) / P.max(1) - 1).sum() + (P.sum(0) / P.max(0) - 1).sum()) / (2 * k * (k - 1)))


# -- peers ---------------------------------------------------------------------------

def em(X, means, weights, variances, steps, diff):
    """expectation maximisation of spherical Gaussians: means, mean log-likelihood"""
    n, d = X.shape
    squares = (X ** 2).sum(1)
    for _ in range(steps + 1):
        D = squares[:, None] - 2 * X @ means + (means ** 2).sum(0)
        R = np.log(weights) - 0.5 * d * np.log(2 * np.pi * variances) - D / (2 * variances)
        top = R.max(1, keepdims=True)
        R = np.exp(R - top)
        total = R.sum(1, keepdims=True)
        likelihood, last = float((np.log(total) + top).mean()), means
        R /= total
        N = R.sum(0) + 1e-9
        means, weights = X.T @ R / N, N / n
        each = (R * (squares[:, None] - 2 * X @ means + (means ** 2).sum(0))).sum(0) / (d * N)
        variances = np.maximum(each if diff else np.full(len(weights), (weights * each).sum()), 1e-6)
    return last, likelihood


def forward_backward(L, T, start):
    """posteriors (n x k), expected transitions (k x k) and log-likelihood from likelihoods L (n x k) of the steps; exact, by
    blocks of steps side by side: the blocks' products give the vectors at their borders"""
    n, k = L.shape
    width = int(np.ceil(np.sqrt(n - 1)))
    blocks = -(-(n - 1) // width)
    A = np.tile(np.eye(k), (blocks * width, 1, 1))
    A[:n - 1] = L[1:, :, None] * T
    A = np.ascontiguousarray(A.reshape(blocks, width, k, k).transpose(1, 0, 2, 3))
    products = np.tile(np.eye(k), (blocks, 1, 1))
    for step in A:
        products = step @ products
        products /= products.sum((1, 2), keepdims=True)
    first = start * L[0]
    likelihood = np.log(first.sum())
    v, w = np.empty((blocks, k)), np.ones((blocks, k))
    v[0] = first / first.sum()
    for b in range(1, blocks):
        v[b] = products[b - 1] @ v[b - 1]
        v[b] /= v[b].sum()
        w[-1 - b] = w[-b] @ products[-b]
        w[-1 - b] /= w[-1 - b].sum()
    alpha, beta, scale = np.empty((width, blocks, k)), np.empty((width, blocks, k)), np.empty((width, blocks))
    last = v
    before = np.empty((width, blocks, k))
    for j in range(width):
        before[j] = last
        last = (A[j] @ last[:, :, None])[:, :, 0]
        scale[j] = last.sum(1)
        last = last / scale[j][:, None]
        alpha[j] = last
    for j in range(width - 1, -1, -1):
        beta[j] = w
        w = (w[:, None, :] @ A[j])[:, 0]
        w = w / w.sum(1, keepdims=True)
    alpha, beta, before, scale = (a.swapaxes(0, 1).reshape(blocks * width, *a.shape[2:])[:n - 1] for a in (alpha, beta, before, scale))
    posterior = np.vstack([v[0] * w[0], alpha * beta])
    posterior /= posterior.sum(1, keepdims=True)
    after = L[1:] * beta
    H = T * ((after / (after * (before @ T.T)).sum(1, keepdims=True)).T @ before)
    return posterior, H, float(likelihood + np.log(scale).sum())


def baum_welch(x, O, T, steps, variance=None):
    """Baum-Welch over one sequence x of symbols, or of vectors (variance: where it starts): O, T, mean log-likelihood before the last step"""
    n, k = len(x), T.shape[0]
    start, O = np.full(k, 1 / k), O.copy()
    T = np.maximum(T, 1e-4) / np.maximum(T, 1e-4).sum(0)
    if variance is None:
        O = np.maximum(O, 1e-6) / np.maximum(O, 1e-6).sum(0)
    else:
        squares = (x ** 2).sum(1)[:, None]
    for _ in range(steps):
        shift = 0
        if variance is None:
            L = O[x]
        else:
            L = -(squares - 2 * x @ O + (O ** 2).sum(0)) / (2 * variance)
            top = L.max(1, keepdims=True)
            shift = top.sum() - 0.5 * n * x.shape[1] * np.log(2 * np.pi * variance)
            L = np.exp(L - top)
        posterior, H, likelihood = forward_backward(L, T, start)
        T, start = H / H.sum(0), posterior[0]
        if variance is None:
            O = np.array([np.bincount(x, weights=posterior[:, j], minlength=O.shape[0]) for j in range(k)]).T
            O /= O.sum(0)
        else:
            O = x.T @ posterior / posterior.sum(0)
            variance = ((squares - 2 * x @ O + (O ** 2).sum(0)) * posterior).sum() / (n * x.shape[1])
    return O, T, (likelihood + shift) / n


def random_baum_welch(x, m, k, steps=100, starts=3):
    """(O, T, mean log-likelihood) of every start: by hmmlearn, with its quicker arithmetic, where it is installed, else by baum_welch"""
    rng = np.random.default_rng(0)
    for _ in range(starts):
        O, T = rng.dirichlet(np.ones(m), k).T, rng.dirichlet(np.ones(k), k).T
        if CategoricalHMM is None:
            yield baum_welch(x, O, T, steps)
            continue
        model = CategoricalHMM(k, n_iter=steps, tol=-np.inf, init_params='', n_features=m, implementation='scaling')
        model.startprob_, model.transmat_, model.emissionprob_ = np.full(k, 1 / k), T.T, O.T
        model.fit(x[:, None])
        yield model.emissionprob_.T, model.transmat_.T, model.score(x[:, None]) / len(x)
