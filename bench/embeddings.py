"""Clusters of embeddings: tlv_gmm with k given and chosen, spherical components and directions, beside scikit-learn's KMeans (one
start, and as many as ours), faiss' k-means and HDBSCAN, one thread each, all in one run.  Simulated clusters of 384 and 1536
numbers, of unit length too; real ones: 20 newsgroups and their words as vectors (TLV_SHARED_DATA).
--sets=e384,e1536,u384,news,words  --hdbscan=N: rows that HDBSCAN is run on (5000)"""
import os
for name in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS'):
    os.environ.setdefault(name, '1')   # before the libraries are loaded: CPU seconds are compared
import gzip, sys, time, warnings
from common import Session, machine, np, table
from common_mixtures import load_vectors
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score as nmi
try:
    import faiss   # pip install faiss-cpu
    faiss.omp_set_num_threads(1)
except ImportError:
    faiss = None
try:
    from sklearn.cluster import HDBSCAN   # scikit-learn 1.3
except ImportError:
    HDBSCAN = None

warnings.filterwarnings('ignore')
OPTIONS = dict(a.lstrip('-').split('=') for a in sys.argv[1:] if '=' in a)
SETS = OPTIONS.get('sets', 'e384,e1536,u384,news,words').split(',')
HDBSCAN_ROWS = int(OPTIONS.get('hdbscan', 5000))
NEWS = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'newsgroups20-train')
STARTS = 4   # of our k-means


# -- data ----------------------------------------------------------------------

def unit(X):
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)


def simulated(n, d, k, separation, seed=1):
    """spherical clusters of unit variance, means at a typical distance of so many deviations"""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal((k, d)) * separation / np.sqrt(2 * d)
    z = rng.choice(k, n, p=rng.dirichlet(np.full(k, 10.0)))
    return means[z] + rng.standard_normal((n, d)), z, k


def news_counts():
    import scipy.sparse as sp
    t = np.loadtxt(gzip.open(os.path.join(NEWS, 'doc_word.csv.gz'), 'rt'), delimiter=',', skiprows=1, dtype=int)
    C = sp.csr_matrix((t[:, 2].astype(float), (t[:, 0] - 1, t[:, 1] - 1)))
    frequency = np.asarray((C > 0).sum(0)).ravel()
    return C[:, (frequency >= 20) & (frequency <= 0.1 * C.shape[0])]


def news():
    """documents: tf-idf, 384 singular vectors, unit length; the newsgroup"""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    C = news_counts()
    labels = np.loadtxt(gzip.open(os.path.join(NEWS, 'labels.csv.gz'), 'rt'), delimiter=',', skiprows=1, dtype=int)
    z = labels[np.argsort(labels[:, 0]), 1]
    X = TruncatedSVD(384, random_state=0).fit_transform(TfidfTransformer(sublinear_tf=True).fit_transform(C))
    keep = np.linalg.norm(X, axis=1) > 0
    return unit(X[keep]), z[keep], 20


def words():
    """words: positive pointwise mutual information of words and documents, 300 singular vectors, unit length"""
    from sklearn.decomposition import TruncatedSVD
    C = news_counts().tocoo()
    total, rows, columns = C.data.sum(), np.asarray(C.sum(1)).ravel(), np.asarray(C.sum(0)).ravel()
    C.data = np.maximum(np.log(C.data * total / (rows[C.row] * columns[C.col])), 0)
    X = TruncatedSVD(300, random_state=0).fit_transform(C.T.tocsr())
    return unit(X[np.linalg.norm(X, axis=1) > 0]), None, 100


MAKE = dict(e384=lambda: simulated(50000, 384, 40, 8), e1536=lambda: simulated(20000, 1536, 50, 10),
            u384=lambda: (lambda X, z, k: (unit(X), z, k))(*simulated(50000, 384, 40, 8, 2)), news=news, words=words)
TITLES = dict(e384='50,000 x 384, 40 clusters 8 deviations apart', e1536='20,000 x 1536, 50 clusters 10 deviations apart',
              u384='50,000 x 384, 40 clusters, rows of unit length', news='20 newsgroups: documents, 384 numbers of unit length',
              words='20 newsgroups: words, 300 numbers of unit length')


# -- quality ---------------------------------------------------------------------

def explained(X, label):
    """part of the sum of squares that the clusters' means explain"""
    total = ((X - X.mean(0)) ** 2).sum()
    within = sum(((X[label == j] - X[label == j].mean(0)) ** 2).sum() for j in np.unique(label))
    return float(1 - within / total)


def row(name, X, z, label, cpu):
    found = len(np.unique(label[label >= 0]))
    return [name, cpu, found, None if z is None else float(nmi(z, label)), explained(X, label)]


# -- who clusters ----------------------------------------------------------------

def ours(s, X, z, k):
    load_vectors(s, 'embeddings', X, step=True)
    given = f'k => {k}, '
    for name, arguments in (('tlv_gmm, k given', given + "covariance => 'spherical'"), ('tlv_gmm, k chosen', "covariance => 'spherical'"),
                            ("tlv_gmm 'direction', k given", given + "covariance => 'direction'"), ("tlv_gmm 'direction', k chosen", "covariance => 'direction'")):
        cost = s.cost(f"DROP TABLE IF EXISTS fitted; CREATE TEMP TABLE fitted AS SELECT tlv_gmm('SELECT x FROM embeddings', {arguments}) AS model")[1]
        rows = np.array(s.query('SELECT t, tlv_assign(model, x) FROM fitted, embeddings ORDER BY t'), int)
        yield row(name, X, z, rows[:, 1], cost.cpu) + [round(cost.private_mb)]


def timed(run):
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def peers(X, z, k):
    single = X.astype(np.float32)
    for starts in (1, STARTS):
        seconds, m = timed(lambda: KMeans(k, n_init=starts, random_state=0).fit(single))
        yield row(f'KMeans, {starts} start{"s" * (starts > 1)}', X, z, m.labels_, seconds) + [None]
    if faiss is None:
        yield ['faiss: not installed'] + [None] * 5
    else:
        for starts in (1, STARTS):
            m = faiss.Kmeans(X.shape[1], k, niter=25, nredo=starts, seed=1, max_points_per_centroid=1 << 30)
            seconds, _ = timed(lambda: m.train(single))
            yield row(f'faiss, {starts} start{"s" * (starts > 1)}', X, z, m.index.search(single, 1)[1][:, 0], seconds) + [None]
    if HDBSCAN is None:
        yield ['HDBSCAN: not in this scikit-learn'] + [None] * 5
        return
    some = np.random.default_rng(0).permutation(len(X))[:HDBSCAN_ROWS]
    best = None
    for least in (5, 15, 50):
        seconds, label = timed(lambda: HDBSCAN(min_cluster_size=least).fit_predict(single[some]))
        this = row(f'HDBSCAN of {len(some)} rows, clusters of {least}', X[some], None if z is None else z[some], label, seconds) + [None]
        if best is None or (this[3] or this[4]) > (best[3] or best[4]):
            best = this
    yield best


s = Session(max_parallel_workers_per_gather=0, jit='off')
machine(s)
for name in SETS:
    X, z, k = MAKE[name]()
    table(f'{TITLES[name]}; k = {k}', ['', 'CPU s', 'clusters', 'NMI', 'explained', 'peak MB'], [*ours(s, X, z, k), *peers(X, z, k)])
