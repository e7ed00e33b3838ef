"""Independent components: Amari error and CPU s of tlv_ica beside FastICA (scikit-learn, logcosh) and picard, one start each; sources
laplace, uniform, binary and exponential in turn; the least CPU s of three runs, ours and theirs in turn."""
from common import in_child, np, table
from common_ahead import add, cell, cpu_cell, mean, other, seconds_of, seeds, timed, wanted
from common_mixtures import amari, ica, load_vectors, matrix

ENOUGH, RUNS = .002, 3   # of the Amari error; runs
SIZES = ((4, 8000), (8, 63000), (16, 20000))


def fast_ica(X, seed):
    from sklearn.decomposition import FastICA
    model, cpu = timed(lambda: FastICA(X.shape[1], whiten='unit-variance', random_state=seed, max_iter=1000).fit(X))
    return model.mixing_, cpu


def picard(X, seed):
    import picard as package
    (K, W, _), cpu = timed(lambda: package.picard(X.T, random_state=seed, max_iter=1000))
    return np.linalg.pinv(W @ K), cpu


def components(s):
    rows = []
    for d, n in SIZES:
        if not wanted(f'{d} x {n}'):
            continue
        found = {'ours': [], 'fast_ica': [], 'picard': []}
        for seed in seeds(5):
            X, A = ica(seed, n, d)
            load_vectors(s, 'x', X)
            of_seed = {who: [] for who in found}
            for _ in range(RUNS):
                cpu = seconds_of(s, "DROP TABLE IF EXISTS m; CREATE TEMP TABLE m AS SELECT tlv_ica('SELECT x FROM x') AS model")
                of_seed['ours'].append((amari(A, matrix(s, 'SELECT component, dimension, weight FROM m, tlv_mixing(model)')), cpu))
                for peer in (fast_ica, picard):
                    answer = in_child(peer, X, seed)
                    if answer:
                        of_seed[peer.__name__].append((amari(A, answer[0]), answer[1]))
            for who, answers in of_seed.items():
                if answers:
                    found[who].append((answers[0][0], min(a[1] for a in answers)))
        error, cpu = ({who: mean([f[i] for f in answers]) for who, answers in found.items()} for i in (0, 1))
        times = [t for t in (cpu['fast_ica'], cpu['picard']) if t is not None]
        add(rows, [f'{d} x {n:,}', cell(error['ours'], [error['fast_ica'], error['picard']], ENOUGH, 4, least=True), other(error['fast_ica'], 4),
                   other(error['picard'], 4), cpu_cell(cpu['ours'], min(times, default=None)), other(cpu['fast_ica']), other(cpu['picard'])])
    table("tlv_ica, all defaults: Amari error; bar: the best peer's error, the quicker peer's CPU s", ['', 'error', 'FastICA', 'picard', 'CPU s', 'FastICA', 'picard'], rows)
