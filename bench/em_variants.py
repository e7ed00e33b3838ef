"""Ways of refining topics, pass by pass: held-out perplexity after 5, 10, 20 and 40 passes over the documents, all from the same
start (tlv_lda, refine => 'none', smoothed), of tensorlv's own refinements and of variants in numpy that it does not have: expectation
maximisation of the shares' posterior mode, the same accelerated by SQUAREM (Varadhan, Roland 2008), CVB0 (Asuncion et al. 2009) and SCVB0
(Foulds et al. 2013).  Seconds of numpy say little; passes are what they have in common.
--only=ap,news (or packages); --k=50; --passes=5,10,20,40."""
import os
from common import Session, machine, np, perplexity, stat, table, topics_of
from common_topics import ALPHA, TOPICS, corpus, given

PASSES = [int(n) for n in given('passes', '5,10,20,40').split(',')]
ETA, WARM, LAST = 0.1, 5, max(PASSES)


class Words:
    """the counts as three arrays, and sums over documents and words"""

    def __init__(self, C):
        import scipy.sparse as sp
        C = C.tocsr()
        self.n, self.d = C.shape
        self.doc, self.word = np.repeat(np.arange(self.n), np.diff(C.indptr)), C.indices
        self.count = C.data.astype(np.float32)[:, None]
        each = np.arange(len(self.word))
        ones = np.ones(len(each), np.float32)
        self.by_doc = sp.csr_matrix((ones, (self.doc, each)), (self.n, len(each)))
        self.by_word = sp.csr_matrix((ones, (self.word, each)), (self.d, len(each)))


def responsibilities(w, theta, B):
    G = theta[w.doc] * B[w.word]
    return G * (w.count / np.maximum(G.sum(1, keepdims=True), 1e-30))


def shares(w, B, theta, steps=WARM):
    for _ in range(steps):
        theta = ALPHA + w.by_doc @ responsibilities(w, theta, B)
        theta /= theta.sum(1, keepdims=True)
    return theta


def em(w, B):
    def step(B, theta):
        theta = shares(w, B, theta)
        M = w.by_word @ responsibilities(w, theta, B) + ETA
        return M / M.sum(0), theta
    theta = np.full((w.n, B.shape[1]), 1 / B.shape[1], np.float32)
    for p in range(1, LAST + 1):
        B, theta = step(B, theta)
        yield p, B


def squarem(w, B):
    theta = np.full((w.n, B.shape[1]), 1 / B.shape[1], np.float32)
    one = lambda B, theta: (lambda t: (lambda M: (M / M.sum(0), t))(w.by_word @ responsibilities(w, t, B) + ETA))(shares(w, B, theta))
    p = 0
    while p < LAST:
        B1, theta = one(B, theta)
        B2, theta = one(B1, theta)
        r, v = B1 - B, B2 - 2 * B1 + B
        a = -max(1, min(np.linalg.norm(r) / max(np.linalg.norm(v), 1e-30), 8))
        far = np.maximum(B - 2 * a * r + a * a * v, 1e-9)
        B, theta = one(far / far.sum(0), theta)   # a pass that steadies
        for B_now in (B1, B2, B):
            p += 1
            yield p, B_now


def cvb0(w, B):
    theta = shares(w, B, np.full((w.n, B.shape[1]), 1 / B.shape[1], np.float32))
    R = responsibilities(w, theta, B) / w.count
    for p in range(1, LAST + 1):
        W = w.count * R
        D, M = w.by_doc @ W, w.by_word @ W
        G = (D[w.doc] - R + ALPHA) * (M[w.word] - R + ETA) / (M.sum(0) - R + ETA * w.d)
        G = np.maximum(G, 1e-30)
        R = G / G.sum(1, keepdims=True)
        M = w.by_word @ (w.count * R) + ETA
        yield p, M / M.sum(0)


def scvb0(w, B, batch=100):
    rng, tokens, k, t = np.random.default_rng(1), float(w.count.sum()), B.shape[1], 0
    M, at = B * tokens / k, np.searchsorted(w.doc, np.arange(w.n + 1))
    for p in range(1, LAST + 1):
        order = rng.permutation(w.n)
        for first in range(0, w.n, batch):
            chosen = order[first:first + batch]
            rows = np.concatenate([np.arange(at[t_], at[t_ + 1]) for t_ in chosen])
            place = np.repeat(np.arange(len(chosen)), at[chosen + 1] - at[chosen])
            words, count = w.word[rows], w.count[rows]
            P, D = (M[words] + ETA) / (M.sum(0) + ETA * w.d), np.ones((len(chosen), k), np.float32)
            for _ in range(WARM + 1):
                G = (D[place] + ALPHA) * P
                G *= count / G.sum(1, keepdims=True)
                D = np.zeros_like(D)
                np.add.at(D, place, G)
            t += 1
            rate = 1 / (10 + t) ** 0.6
            found = np.zeros_like(M)
            np.add.at(found, words, G)
            M = (1 - rate) * M + rate * found * (tokens / float(count.sum()))
        yield p, (M + ETA) / (M + ETA).sum(0)


s = Session()
machine(s)
s.close()
for name in given('only', 'ap,news').split(','):
    found = corpus(name)
    if found is None:
        continue
    C, T, _ = found
    k, w, rows = int(given('k', TOPICS[name])), Words(C), C.tocoo()
    present = np.asarray(C.sum(0)).ravel() > 0
    s = Session(max_parallel_workers_per_gather=0)
    s.copy('em_' + name, 'doc item n', [rows.row, rows.col, rows.data])
    fit = lambda option: topics_of(s, f"SELECT tlv_lda('SELECT doc, item, n FROM em_{name}', k => {k}, {option}) AS model", C.shape[1], present)
    start = fit('iterations => 0').astype(np.float32)
    lines = [['start', *[f'{perplexity(start.astype(float), ALPHA, T):.0f}'] * len(PASSES)]]
    for refine in ('stepwise', 'gibbs'):
        lines.append([f"tensorlv, refine => '{refine}'", *[f"{perplexity(fit(f'''refine => '{refine}', iterations => {n}'''), ALPHA, T):.0f}" for n in PASSES]])
    s.close()
    for label, way in (('EM (posterior mode)', em), ('the same by SQUAREM', squarem), ('CVB0', cvb0), ('SCVB0, 100 documents a batch', scvb0)):
        before, line = stat(os.getpid())[0], [label]
        for p, B in way(w, np.maximum(start, 1e-9)):
            if p in PASSES:
                line.append(f'{perplexity(B.astype(float), ALPHA, T):.0f}')
            if p >= LAST:
                break
        lines.append(line)
        print(f'  {label}: {(stat(os.getpid())[0] - before) / LAST:.2f} CPU s a pass in numpy', flush=True)
    table(f'{name}: perplexity by passes, k = {k}', ['', *[f'{n} passes' for n in PASSES]], lines)
