"""Correlated topics, tlv_lda(refine => 'ctm'), beside the default and tomotopy's CTModel and LDAModel, where it is installed: perplexity
of documents held out (one evaluator: what the others learn becomes a model, tlv_from_json, for tlv_perplexity: with the prior of CTModel, with alpha .1 of LDAModel), error of the
topics where they are known (L1, best assignment), CPU seconds.  On simulated documents of topics in correlated groups (logistic
normal, four groups, correlation .6 within them, standard deviation 2) and on the Associated Press.
--k=20; --sweeps=50 of CTModel; --lda-sweeps=200; --documents=3000 simulated; --corpora=simulated,ap; --quick: 1,000 simulated, no peers."""
import gzip, json, os, sys
from common import Session, in_child, machine, np, stat, table, topics_of
from common_topics import tomotopy_chain


def given(name, default):
    return next((a.split('=')[1] for a in sys.argv if a.startswith(f'--{name}=')), default)


QUICK = '--quick' in sys.argv
K, SWEEPS, LDA_SWEEPS = int(given('k', 20)), int(given('sweeps', 50)), int(given('lda-sweeps', 200))
DOCUMENTS = int(given('documents', 1000 if QUICK else 3000))
CORPORA = given('corpora', 'simulated' if QUICK else 'simulated,ap').split(',')


def simulated(rng):
    """Counts of documents, of documents held out, and the topics"""
    import scipy.sparse as sp
    V, group = 100 * K, np.arange(K) * 4 // K
    B = rng.dirichlet(np.full(V, .05), K).T
    factor = np.linalg.cholesky(4 * (.4 * np.eye(K) + .6 * (group[:, None] == group)))
    x = np.exp(rng.standard_normal((DOCUMENTS + 500, K)) @ factor.T)
    P = (x / x.sum(1, keepdims=True)) @ B.T
    C = sp.csr_matrix(np.vstack([rng.multinomial(100, p / p.sum()) for p in P]))
    return C[:DOCUMENTS], C[DOCUMENTS:], B


def press():
    import scipy.sparse as sp
    t = np.loadtxt(gzip.open('examples/ap/doc_word.csv.gz', 'rt'), delimiter=',', skiprows=1, dtype=int)
    C = sp.csr_matrix((t[:, 2], (t[:, 0], t[:, 1])))
    C = C[np.asarray(C.sum(1)).ravel() > 0]
    held = np.arange(C.shape[0]) % 7 == 0
    return C[~held], C[held], None


def correlated_chain(C, k, sweeps):
    """(topics V x k, prior mean and covariance, CPU seconds) of tomotopy's CTModel"""
    import tomotopy
    m = tomotopy.CTModel(k=k, seed=1)
    for i in range(C.shape[0]):
        row = C.indices[C.indptr[i]:C.indptr[i + 1]], C.data[C.indptr[i]:C.indptr[i + 1]]
        m.add_doc(np.repeat(*row).astype(str).tolist())
    m.train(0, workers=1)
    before = stat(os.getpid())[0]
    m.train(sweeps, workers=1, parallel=tomotopy.ParallelScheme.NONE)
    cpu, B = stat(os.getpid())[0] - before, np.zeros((C.shape[1], k))
    for j in range(k):
        B[np.array(m.used_vocabs, int), j] = m.get_topic_word_dist(j)
    unseen = B.sum(1) == 0
    B[unseen] = B[~unseen].min(0)
    return B / B.sum(0), np.array(m.prior_mean, float), np.array(m.prior_cov, float), cpu


def error(B, found):
    from scipy.optimize import linear_sum_assignment
    D = np.array([np.abs(B - found[:, [j]]).sum(0) for j in range(found.shape[1])])
    return D[linear_sum_assignment(D)].mean()


def as_model(B, alpha, **prior):
    covariance = prior.get('logistic_covariance')
    if covariance is not None:
        prior['logistic_covariance'] = ((covariance + covariance.T) / 2).tolist()
    B = B / B.sum(0)
    made = {'tensorlv': 1, 'kind': 'lda', 'alpha': [alpha] * B.shape[1], 'items': list(range(B.shape[0])), 'topics': B.T.tolist(), **prior}
    return f"SELECT tlv_from_json('{json.dumps(made)}'::json) AS model"


def experiment(s, corpus):
    C, T, B = simulated(np.random.default_rng(3)) if corpus == 'simulated' else press()
    seen = np.asarray(C.sum(0)).ravel() > 0
    for name, M in (('train', C), ('test', T)):
        rows = M.tocoo()
        s.copy(name, 'doc item n', [rows.row, rows.col, rows.data])
    s.query('DROP TABLE IF EXISTS held; CREATE TABLE held AS SELECT tlv_bag_agg(item, n) AS bag FROM test WHERE item IN (SELECT item FROM train) GROUP BY doc')
    lines = []

    def score(name, cpu, model, found):
        s.query(f'DROP TABLE IF EXISTS scored; CREATE TEMP TABLE scored AS {model}')
        perplexity = float(s.value('SELECT tlv_perplexity(bag, model) FROM held, scored'))
        lines.append([name, cpu, f'{perplexity:.0f}', '' if B is None else f'{error(B, found):.3f}'])

    for name, option in (('default', ''), ('anchors', ", method => 'anchors'"), ("refine => 'ctm'", ", refine => 'ctm'"), ("refine => 'ctm', 30 steps", ", refine => 'ctm', iterations => 30")):
        s.query('DROP TABLE IF EXISTS m')
        cost = s.cost(f"CREATE TABLE m AS SELECT tlv_lda('SELECT doc, item, n FROM train', k => {K}{option}) AS model")[1]
        score(name, cost.cpu, 'SELECT model FROM m', topics_of(s, 'SELECT model FROM m', C.shape[1], seen))
    if not QUICK:
        for found, cpu in in_child(tomotopy_chain, C, K, .1, .01, (LDA_SWEEPS,)) or []:
            score(f'tomotopy LDA, {LDA_SWEEPS} sweeps', cpu, as_model(found, .1), found)
        peer = in_child(correlated_chain, C, K, SWEEPS)
        if peer is not None:
            found, mean, covariance, cpu = peer
            score(f'tomotopy CTM, {SWEEPS} sweeps', cpu, as_model(found, .1, logistic_mean=mean.tolist(), logistic_covariance=covariance), found)
    table(f'{corpus}: {C.shape[0]} documents, {C.shape[1]} words, k = {K}', ['', 'CPU s', 'perplexity', 'L1'], lines)


s = Session(max_parallel_workers_per_gather=0)
machine(s)
for corpus in CORPORA:
    experiment(s, corpus)
s.close()
print('One thread each, one run each.  Perplexity of the half of the tokens of documents held out, given the other half.')
