"""Shared by the benchmarks of topics: corpora, and the peers that are sampled, run on one thread and scored as everything else."""
import gzip, os, re, subprocess, sys
from collections import Counter
from common import in_child, np, stat

SHARED, ALPHA = os.environ.get('TLV_SHARED_DATA', ''), 0.1
TOPICS = {'ap': 50, 'news': 20, 'packages': 50, 'simulated': 50}   # of the corpora below
SWEEPS = (50, 200, 1000)
ETAS = (0.1, 0.01)   # the simulated topics' own, which suits texts as well; tomotopy's default


def given(name, default):
    return next((a.split('=', 1)[1] for a in sys.argv if a.startswith(f'--{name}=')), default)


def triples(folder):
    import scipy.sparse as sp
    t = np.loadtxt(gzip.open(os.path.join(folder, 'doc_word.csv.gz'), 'rt'), delimiter=',', skiprows=1, dtype=int)
    return sp.csr_matrix((t[:, 2], (t[:, 0] - 1, t[:, 1] - 1)))


def packages():
    """counts of the words in 20 packages or more and in a tenth at most"""
    import scipy.sparse as sp
    text = subprocess.run(['apt-cache', 'dumpavail'], capture_output=True, text=True).stdout
    texts = {}
    for stanza in text.split('\n\n'):
        f = dict(re.findall(r'^([A-Za-z-]+): (.*(?:\n .*)*)', stanza, re.M))
        if 'Package' in f:
            texts[f['Package']] = ' '.join((f['Package'], f.get('Description', ''), f.get('Tag', '').replace('::', ' ')))
    documents = [re.findall(r'[a-z]{3,}', t.lower()) for t in texts.values()]
    frequency = Counter(w for words in documents for w in set(words))
    known = sorted(w for w, n in frequency.items() if 20 <= n <= 0.1 * len(documents))
    place = {w: i for i, w in enumerate(known)}
    found = [(t, place[w]) for t, words in enumerate(documents) for w in words if w in place]
    if not found:
        return None
    rows, columns = np.array(found).T
    C = sp.coo_matrix((np.ones(len(rows), int), (rows, columns)), shape=(len(documents), len(known))).tocsr()
    C.sum_duplicates()
    return C


def simulated(k=50, d=5000, n=33334, length=100):
    import scipy.sparse as sp
    rng = np.random.default_rng(11)
    B = rng.dirichlet(np.full(d, 0.05), k)
    shares = rng.dirichlet(np.full(k, 0.1), n)
    parts = []
    for first in range(0, n, 1000):
        rows = []
        for theta in shares[first:first + 1000]:
            z = rng.multinomial(length, theta)
            words = np.concatenate([rng.choice(d, z[j], p=B[j]) for j in np.flatnonzero(z)])
            rows.append(np.bincount(words, minlength=d))
        parts.append(sp.csr_matrix(np.array(rows)))
    return sp.vstack(parts).tocsr(), B.T


def corpus(name):
    """training counts, held-out counts, the true topics if they are known"""
    truth = None
    if name == 'ap':
        C = triples('examples/ap')
    elif name == 'news':
        if not os.path.exists(os.path.join(SHARED, 'newsgroups20-train')):
            return None
        C = triples(os.path.join(SHARED, 'newsgroups20-train'))
        frequency = np.asarray((C > 0).sum(0)).ravel()
        C = C[:, (frequency >= 20) & (frequency <= 0.1 * C.shape[0])]
    elif name == 'packages':
        C = packages()
        if C is None:
            return None
    else:
        C, truth = simulated(n=int(given('documents', 33334)))
    C = C[np.asarray(C.sum(1)).ravel() >= 6]
    order = np.random.default_rng(3).permutation(C.shape[0])
    held = C.shape[0] // 10
    return C[order[held:]].tocsr(), C[order[:min(held, 1500)]].tocsr(), truth


def npmi(tops, C):
    """mean over topics and pairs of words; pairs that never meet count -1"""
    X, n, means = (C > 0).astype(float).tocsc(), C.shape[0], []
    for words in tops:
        joint = (X[:, words].T @ X[:, words]).toarray()
        single = np.diag(joint)
        pairs = [(joint[i, j], single[i] * single[j]) for i in range(len(words)) for j in range(i)]
        means.append(np.mean([-1 if both == 0 else 1 if both == n else np.log(both * n / each) / -np.log(both / n) for both, each in pairs]))
    return float(np.mean(means))


def distinctive(B, C):
    """shrunk lift of every word in every topic, by which tlv_topic_items orders: V x k"""
    count = np.asarray(C.sum(0)).ravel()
    share = count[count > 0] / count.sum()
    return B / (count + 300 + count.sum() / np.exp(-(share * np.log(share)).sum()))[:, None]


def tomotopy_chain(C, k, alpha, eta, sweeps):
    """[(topics V x k, CPU seconds so far)] after each number of sweeps of one chain of collapsed Gibbs draws: alpha is where
    its estimate starts; handing the documents over is not counted"""
    import tomotopy
    m = tomotopy.LDAModel(k=k, alpha=alpha, eta=eta, seed=1)
    for i in range(C.shape[0]):
        row = C.indices[C.indptr[i]:C.indptr[i + 1]], C.data[C.indptr[i]:C.indptr[i + 1]]
        m.add_doc(np.repeat(*row).astype(str).tolist())
    m.train(0, workers=1, parallel=tomotopy.ParallelScheme.NONE)
    items, found, before = np.array(m.used_vocabs, int), [], stat(os.getpid())[0]
    for wanted in sweeps:
        m.train(wanted - m.global_step, workers=1, parallel=tomotopy.ParallelScheme.NONE)
        cpu = stat(os.getpid())[0] - before
        B = np.zeros((C.shape[1], k))
        for j in range(k):
            B[items, j] = m.get_topic_word_dist(j)
        unseen = B.sum(1) == 0
        B[unseen] = B[~unseen].min(0)   # as Dirichlet smoothing gives them
        found.append((B / B.sum(0), cpu))
    return found


def tomotopy_topics(C, k, alpha, sweeps=SWEEPS, runs=2, etas=ETAS):
    """(name, topics, least CPU seconds of the runs) of every setting"""
    for eta in etas:
        answers = [in_child(tomotopy_chain, C.tocsr(), k, alpha, eta, sweeps) for _ in range(runs)]
        if None in answers:
            return
        for i, n in enumerate(sweeps):
            yield f'tomotopy, eta {eta:g}, {n} sweeps', answers[0][i][0], min(a[i][1] for a in answers)
