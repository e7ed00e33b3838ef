"""Topics at equal time and at equal quality: held-out perplexity, coherence and diversity against CPU seconds, of tensorlv with
several numbers of refinement steps and by itself, and of tomotopy (pip install tomotopy) along one chain under either of two
settings.  AP ships with the repository; the newsgroups are looked for in TLV_SHARED_DATA; descriptions of packages are those of
this machine's own lists (names, lines and tags of apt-cache dumpavail); the simulated topics are known.
--only=ap,news,packages,simulated; --documents=33334 that are simulated; --sweeps=50,200,1000 of tomotopy; --k=50; --quick: AP, without tomotopy;
--options="counts => 'damped';method => 'anchors'": other options of the fit than the usual ones."""
import sys
from common import Session, in_child, machine, np, perplexity, table, topics_of, with_corpus
from common_topics import ALPHA, TOPICS, corpus, given, tomotopy_chain

QUICK = '--quick' in sys.argv
ONLY = given('only', 'ap' if QUICK else 'ap,news,packages,simulated').split(',')
SWEEPS = tuple(int(n) for n in given('sweeps', '50,200,1000').split(','))
BUDGETS = given('options', "refine => 'none';iterations => 5;iterations => 10;iterations => 40;refine => 'gibbs';").split(';')


def coherence(B, C, top=10):
    """NPMI of the pairs of top items of every topic in the training documents, their mean; pairs never seen count -1"""
    X = (C > 0).astype(float).tocsc()
    n, values = X.shape[0], []
    for j in range(B.shape[1]):
        items = np.argsort(-B[:, j])[:top]
        joint = (X[:, items].T @ X[:, items]).toarray()
        single = np.diag(joint)
        for a in range(top):
            for b in range(a):
                p = joint[a, b] / n
                values.append(-1 if p == 0 else 1 if p == 1 else np.log(p * n * n / (single[a] * single[b])) / -np.log(p))
    return float(np.mean(values))


def diversity(B, top=10):
    """part of the top items that is in no other topic's top items"""
    return len(set(np.argsort(-B, axis=0)[:top].ravel())) / (top * B.shape[1])


def scores(B, C, T, truth):
    from scipy.optimize import linear_sum_assignment
    line = [perplexity(B, ALPHA, T), coherence(B, C), diversity(B), '']
    if truth is not None:
        D = np.array([np.abs(truth - B[:, [j]]).sum(0) for j in range(B.shape[1])])
        line[3] = float(D[linear_sum_assignment(D)].mean())
    return line


def ours(C, name, k, option):
    """topics, CPU seconds and steps of a fit"""
    s = Session(max_parallel_workers_per_gather=0)
    options = f', {option}' if option else ''
    cost = s.cost(f"CREATE TEMP TABLE m AS SELECT tlv_lda('SELECT doc, item, n FROM {name}', k => {k}{options}) AS model")[1]
    B = topics_of(s, 'SELECT model FROM m', C.shape[1], np.asarray(C.sum(0)).ravel() > 0)
    if 'none' in option:
        B = with_corpus(B, C)
    steps = s.query("SELECT score FROM m, tlv_diagnostics(model) WHERE measure = 'refinement_steps'")
    s.close()
    return B, cost.cpu, int(float(steps[0][0])) if steps else 0


s = Session()
machine(s)
s.close()
for name in ONLY:
    found = corpus(name)
    if found is None:
        print(f'{name}: skipped, it is not here')
        continue
    C, T, truth = found
    k = int(given('k', TOPICS[name]))
    s = Session()
    rows = C.tocoo()
    s.copy(name, 'doc item n', [rows.row, rows.col, rows.data])
    s.close()
    lines = []
    for option in BUDGETS:
        B, cpu, steps = ours(C, name, k, option)
        lines.append([f'tensorlv, {option or "by itself"} ({steps} steps)', cpu, *scores(B, C, T, truth)])
    for eta in () if QUICK else (0.1, 0.01):
        for (B, cpu), sweeps in zip(in_child(tomotopy_chain, C, k, ALPHA, eta, SWEEPS) or [], SWEEPS):
            lines.append([f'tomotopy, eta {eta:g}, {sweeps} sweeps', cpu, *scores(B, C, T, truth)])
    if truth is not None:
        lines.append(['true topics', '', *scores(truth, C, T, truth)])
    table(f'{name}: {C.shape[0]} training documents, {C.shape[1]} items, {int(C.sum())} tokens, k = {k}',
          ['', 'CPU s', 'perplexity', 'NPMI', 'diversity', 'L1'],
          [[r[0], r[1], f'{r[2]:.1f}', f'{r[3]:.4f}', f'{r[4]:.3f}', r[5]] for r in lines])
    peers = [r for r in lines if r[0].startswith('tomotopy') and r[0].endswith(f' {SWEEPS[-1]} sweeps')]
    if peers:
        best, own = min(peers, key=lambda r: r[2]), lines[len(BUDGETS) - 1]
        print(f'  by itself against {best[0]}: {best[1] / own[1]:.1f} times faster, perplexity {own[2] / best[2]:.3f} of it, '
              f'NPMI {own[3]:.3f} and {best[3]:.3f}, diversity {own[4]:.3f} and {best[4]:.3f}')
print('One thread each, one run each; perplexity by completion under alpha .1 for all; NPMI and diversity of the 10 top items of every '
      'topic, in the training documents.')
