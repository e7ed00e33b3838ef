"""Topics by anchor words after the experiments of Ge's thesis (2013, chapter 4): semi-synthetic documents of topics that were
learnt from a real corpus (Associated Press, its 2,500 most frequent words, k = 100, length 70, symmetric Dirichlet .03), as they
are, with an artificial anchor word a topic, and with topics that come in ten correlated groups; by number of documents, and of
infinitely many tokens.  Error of the topics (L1, best assignment; k times the corpus distribution as the line to beat),
log-probability of a held-out token, the thesis' coherence (sum over pairs of the 20 top words) and unique words, CPU seconds, of
the tensor start, anchors of low-rank and exact co-occurrences, recover-kl, recover, what tlv_lda does by itself, and of Gibbs
sampling by tomotopy where it is installed.
--sizes=2000,10000 (default 10000; infinitely many tokens with artificial anchors); --kinds=plain,anchors,correlated; --k=100; --sweeps=200 (0: none); --quick: 2,000 plain documents."""
import gzip, sys
from common import Session, in_child, machine, np, perplexity, table, topics_of
from common_topics import tomotopy_chain

V, LENGTH, ALPHA, TOP = 2500, 70, 0.03, 20


def given(name, default):
    return next((a.split('=')[1] for a in sys.argv if a.startswith(f'--{name}=')), default)


QUICK = '--quick' in sys.argv
K, SWEEPS = int(given('k', 100)), int(given('sweeps', 0 if QUICK else 200))
SIZES = [int(n) for n in given('sizes', '2000' if QUICK else '10000').split(',')]
KINDS = given('kinds', 'plain' if QUICK else 'plain,anchors,correlated').split(',')


def truth(s):
    """V x k, learnt from the real corpus: any topics that look like those of text do"""
    t = np.loadtxt(gzip.open('examples/ap/doc_word.csv.gz', 'rt'), delimiter=',', skiprows=1, dtype=int)
    frequent = np.argsort(-np.bincount(t[:, 1], t[:, 2]))[:V]
    place = np.full(t[:, 1].max() + 1, -1)
    place[frequent] = np.arange(V)
    t = t[place[t[:, 1]] >= 0]
    s.copy('ap', 'doc item n', [t[:, 0], place[t[:, 1]], t[:, 2]])
    return topics_of(s, f"SELECT tlv_lda('SELECT doc, item, n FROM ap', k => {K}, seed => 7) AS model", V, np.bincount(place[t[:, 1]], minlength=V) > 0)


def with_anchors(B):
    """one more word a topic, as likely as its most likely one"""
    return np.vstack([B, np.diag(B.max(0))]) / (1 + B.max(0))


def shares(kind, n, rng):
    if kind != 'correlated':
        return rng.dirichlet(np.full(K, ALPHA), n)
    group = np.arange(K) * 10 // K   # logistic normal, covariance 5 % of the variance within ten groups
    covariance = 4 * (np.eye(K) * .95 + .05 * (group[:, None] == group))
    x = np.exp(rng.standard_normal((n, K)) @ np.linalg.cholesky(covariance).T)
    return x / x.sum(1, keepdims=True)


def documents(B, theta, rng, length=LENGTH):
    import scipy.sparse as sp
    P = theta @ B.T
    if length is None:   # so long that counts are what is expected of them
        return sp.csr_matrix(np.rint(1e9 * P / P.sum(1, keepdims=True)).astype(np.int64))
    return sp.csr_matrix(np.vstack([rng.multinomial(length, p / p.sum()) for p in P]))


def error(B, found):
    from scipy.optimize import linear_sum_assignment
    D = np.array([np.abs(B - found[:, [j]]).sum(0) for j in range(found.shape[1])])
    rows, columns = linear_sum_assignment(D)
    return (D[rows, columns].sum() + 2 * (B.shape[1] - len(rows))) / B.shape[1]


def coherence(found, C):
    """mean over topics of sum log((D(lower, higher) + .01) / D(higher)) over pairs of the top words"""
    X = (C > 0).astype(float).tocsc()
    values = []
    for j in range(found.shape[1]):
        items = np.argsort(-found[:, j])[:TOP]
        joint = (X[:, items].T @ X[:, items]).toarray()
        values.append(sum(np.log((joint[a, b] + .01) / max(joint[b, b], 1)) for a in range(TOP) for b in range(a)))
    return float(np.mean(values))


def unique(found):
    top = np.argsort(-found, axis=0)[:TOP]
    counts = np.bincount(top.ravel(), minlength=found.shape[0])
    return float((counts[top] == 1).sum(0).mean())


PAIRS = "tlv_fit_lda((SELECT tlv_count_moments(tlv_bag_agg) FROM (SELECT tlv_bag_agg(item, n) FROM corpus GROUP BY doc) b), {k}, method => '{m}')"
LDA = "tlv_lda('SELECT doc, item, n FROM corpus', k => {k}{o})"
METHODS = [('tensor start', LDA, ", method => 'tensor', refine => 'none'"), ('anchors, low rank', LDA, ", method => 'anchors', refine => 'none'"),
           ('anchors, exact rows', PAIRS, 'anchors'), ('recover-kl', PAIRS, 'recover-kl'), ('recover', PAIRS, 'recover'),
           ('tlv_lda by itself', LDA, '')]


def ours(C, statement, option):
    s = Session(max_parallel_workers_per_gather=0)
    made = statement.format(k=K, o=option, m=option)
    rows, cost = s.cost(f"CREATE TEMP TABLE m AS SELECT {made[:-1]}{', on_failure => ' + chr(39) + 'null' + chr(39)}) AS model")
    if s.value('SELECT model IS NULL FROM m') == 't':
        s.close()
        return None, cost.cpu
    found = topics_of(s, 'SELECT model FROM m', C.shape[1], np.asarray(C.sum(0)).ravel() > 0)
    s.close()
    return found, cost.cpu


def scores(B, found, C, T):
    smoothed = .99 * found + .01 * np.asarray(C.sum(0)).reshape(-1, 1) / C.sum()   # no word is impossible
    return [error(B, found), '' if T is None else -np.log(perplexity(smoothed, ALPHA, T)), coherence(found, C), unique(found)]


def experiment(s, kind, B, n, rng):
    """one table: n documents, or None for infinitely many tokens"""
    theta = shares(kind, n or 1000, rng)
    C = documents(B, theta, rng, LENGTH if n else None)
    T = documents(B, shares(kind, 500, rng), rng) if n else None
    rows = C.tocoo()
    s.query('DROP TABLE IF EXISTS corpus')
    s.copy('corpus', 'doc item n', [rows.row, rows.col, rows.data])
    uniform = np.repeat(np.asarray(C.sum(0)).reshape(-1, 1) / C.sum(), K, 1)
    lines = [['the corpus, k times', '', error(B, uniform), *['', '', '']]]
    for name, statement, option in METHODS[:5 if n is None else 6]:
        found, cpu = ours(C, statement, option)
        lines.append([name, cpu, *(['no inverse', '', '', ''] if found is None else scores(B, found, C, T))])
    if n and SWEEPS:
        for found, cpu in in_child(tomotopy_chain, C, K, ALPHA, 0.01, (SWEEPS,)) or []:
            lines.append([f'tomotopy, {SWEEPS} sweeps', cpu, *scores(B, found, C, T)])
    if n:
        lines.append(['the true topics', '', *scores(B, B, C, T)])
    number = [[x if isinstance(x, str) else f'{x:.3f}' if i < 4 else f'{x:.1f}' for i, x in enumerate(line)] for line in lines]
    what = f'{n} documents of {LENGTH} words' if n else 'infinitely many tokens'
    table(f'{kind}: {what}, {C.shape[1]} words, k = {K}', ['', 'CPU s', 'L1', 'log p of a token', 'coherence', 'unique of 20'], number)


s = Session()
machine(s)
topics = truth(s)
for kind in KINDS:
    B = with_anchors(topics) if kind == 'anchors' else topics
    for n in SIZES + ([None] if kind == 'anchors' else []):
        experiment(s, kind, B, n, np.random.default_rng(17))
s.close()
print('One thread each, one run each.  Held-out: 500 documents, the half of their tokens given the other, under alpha .03.')
