"""Shared by the benchmarks of topics: the peers that are sampled, run on one thread and scored as everything else."""
import os
from common import in_child, np, stat

SWEEPS = (50, 200, 1000)
ETAS = (0.1, 0.01)   # the simulated topics' own, which suits texts as well; tomotopy's default


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
