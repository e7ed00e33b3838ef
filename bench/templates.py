"""Templates in series: tlv_convolution beside alphacsc, sporco and scikit-learn's dictionary of patches, on simulated series
with known templates and on a channel of the foetal electrocardiogram of DaISy.  One thread each, as many starts as ours has.

Simulated: the correlation of each true template with the one that it is matched with, at the best shift, either sign.  Real:
with the average of the mother's beats, which are told apart on channel 8."""
import sys, time, warnings
from common import Session, in_child, machine, np, os, table

warnings.filterwarnings('ignore')
from scipy.optimize import linear_sum_assignment
from scipy.signal import find_peaks

STARTS = 10
seeds = 3
parts = ['reference', 'simulated', 'ecg']
peers = ['alphacsc', 'sporco', 'scikit-learn']
for option in sys.argv[1:]:
    if option.startswith('--seeds='):
        seeds = int(option[8:])
    elif option.startswith('--part='):
        parts = option[7:].split(',')
    elif option.startswith('--peers='):
        peers = option[8:].split(',')
    else:
        sys.exit('options: --seeds=N, --part=reference,simulated,ecg, --peers=none or alphacsc,sporco,scikit-learn')


def alike(a, b):
    n = len(a) + len(b)
    r = np.fft.irfft(np.fft.rfft(a, n) * np.conj(np.fft.rfft(b, n)), n)
    return np.abs(r).max() / np.linalg.norm(a) / np.linalg.norm(b)


def score(truth, found):
    d = np.array([[alike(f, g) for g in found] for f in truth])
    rows, columns = linear_sum_assignment(-d)
    return d[rows, columns]


def timed(run):
    start = time.process_time()
    result = run()
    return np.asarray(result), time.process_time() - start


def patches(x, k, s):
    from sklearn.decomposition import MiniBatchDictionaryLearning

    def fit(seed):
        p = np.lib.stride_tricks.sliding_window_view(x, s)[::3]
        p = p[np.argsort(-(p**2).sum(1))[:2000]]
        m = MiniBatchDictionaryLearning(k, alpha=1., max_iter=20, random_state=seed).fit(p)
        return np.mean((p - m.transform(p) @ m.components_)**2), seed, m.components_
    return timed(lambda: min(fit(seed) for seed in range(STARTS))[2])


def sparse_coding(x, k, s):
    """alphacsc's BatchCDL, 40 iterations; one start: it takes as long as all of ours"""
    from alphacsc import BatchCDL
    X = x[:len(x) // 10 * 10].reshape(10 if len(x) >= 10000 else 5, -1)
    X = X - X.mean()
    m = BatchCDL(n_atoms=k, n_times_atom=s, rank1=False, n_iter=40, reg=.1, window=False, unbiased_z_hat=False, solver_z='lgcd', random_state=0, verbose=0, n_jobs=1)
    return timed(lambda: m.fit(X[:, None, :] / X.std()) and np.asarray(m._D_hat).reshape(k, -1)[:, -s:])


def sporco_learning(x, k, s):
    """sporco's ConvBPDNDictLearn, 100 iterations; one start"""
    from sporco.dictlrn import cbpdndl
    x = (x - x.mean()) / x.std()
    D0 = np.random.default_rng(0).normal(size=(s, k))
    o = cbpdndl.ConvBPDNDictLearn.Options({'MaxMainIter': 100, 'Verbose': False})
    return timed(lambda: cbpdndl.ConvBPDNDictLearn(D0, x, .1, o, dimK=0, dimN=1).solve().reshape(s, k).T)


session = Session(jit='off')
machine(session)


def ours(x, k, s, windows=False):
    session.query('DROP TABLE IF EXISTS readings; CREATE TEMP TABLE readings (t int, reading float8)')
    for at in range(0, len(x), 5000):
        session.query('INSERT INTO readings VALUES ' + ', '.join(f'({at + i}, {float(v)!r})' for i, v in enumerate(x[at:at + 5000])))
    session.query('VACUUM ANALYZE readings')
    call = (f"(SELECT tlv_fit_convolution(tlv_series_moments(array_agg(reading ORDER BY t), {s}, 'windows'), {k}) FROM readings)" if windows
            else f"tlv_convolution('SELECT 1, t, reading FROM readings', {k}, {s})")
    session.query(f'SELECT {call} IS NULL')
    seconds = session.cost(f'DO $$ BEGIN FOR i IN 1 .. 5 LOOP PERFORM {call}; END LOOP; END $$')[1].leader_cpu / 5
    rows = session.query(f'SELECT template, lag, weight FROM tlv_templates({call}) ORDER BY 1, 2')
    return np.array([float(r[2]) for r in rows]).reshape(k, s), seconds


def rows_of(name, x, k, s, judge):
    runs = [('tlv_convolution', ours(x, k, s)), ('moments of cyclic windows', ours(x, k, s, windows=True))]
    for package, title, peer in (('alphacsc', 'alphacsc BatchCDL', sparse_coding), ('sporco', 'sporco ConvBPDNDictLearn', sporco_learning),
                                 ('scikit-learn', f'scikit-learn, dictionary of patches, best of {STARTS}', patches)):
        answer = in_child(peer, x, k, s) if package in peers else None
        if answer is not None:
            runs.append((title, answer))
    base = runs[0][1][1]
    return [[name if i == 0 else '', title, ' '.join(f'{c:.3f}' for c in judge(found)), f'{seconds:.2f}', f'{seconds / base:.1f}']
            for i, (title, (found, seconds)) in enumerate(runs)]


HEAD = ['', '', 'correlations', 'CPU s', '/ ours']
# The three of the reference, then others of the same law.
result = []
for seed, k, s, noise, rate in ((1, 1, 24, .1, .01), (1, 2, 16, .1, .02), (2, 2, 16, .5, .02)) if 'reference' in parts else ():
    rng, N = np.random.default_rng(seed), 20000
    t = np.arange(s)
    F = np.array([np.sin(2 * np.pi * (l + 1) * t / s + rng.uniform(0, 3)) * np.exp(-((t - s / 2) / (s / (4 + l)))**2) + rng.normal(size=s) * .15 * np.hanning(s)
                  for l in range(k)])
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    w = (rng.random((k, N)) < rate) * rng.exponential(1, (k, N))
    x = sum(np.convolve(w[l], F[l])[:N] for l in range(k))
    x = x + noise * x.std() * rng.normal(size=N)
    result += rows_of(f'k {k}, {s} steps, noise {noise}', x, k, s, lambda found: score(F, found))
if result:
    table('simulated: 20,000 readings; as in the reference (seeds 1, 1, 2)', HEAD, result)

result = []
for k, s, noise, rate in ((1, 24, .1, .01), (2, 16, .1, .02), (2, 16, .5, .02), (3, 24, .2, .02)) if 'simulated' in parts else ():
    reached, cost = [], []
    for seed in range(1, seeds + 1):
        model = f'tlv_simulate_convolution_model({k}, {s}, {noise}, {rate}, {seed})'
        x = np.array([float(r[0]) for r in session.query(f'SELECT reading FROM tlv_simulate_convolution({model}, 1, 20000, {seed}) ORDER BY t')])
        F = np.array([float(r[0]) for r in session.query(f'SELECT weight FROM tlv_templates({model}) ORDER BY template, lag')]).reshape(k, s)
        found = [ours(x, k, s)] + ([in_child(sparse_coding, x, k, s)] if 'alphacsc' in peers else [])
        reached.append([score(F, f[0]).mean() for f in found if f is not None])
        cost.append([f[1] for f in found if f is not None])
    for i, title in enumerate(['tlv_convolution', 'alphacsc BatchCDL'][:len(reached[0])]):
        result.append([f'k {k}, {s} steps, noise {noise}' if i == 0 else '', title, f'{np.mean(reached, 0)[i]:.3f}', f'{np.mean(cost, 0)[i]:.2f}',
                       f'{np.mean(cost, 0)[i] / np.mean(cost, 0)[0]:.1f}'])
if result:
    table(f'simulated by tlv_simulate_convolution: mean over templates and seeds 1 to {seeds}', HEAD, result)

if 'ecg' not in parts:
    sys.exit()
folder = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'foetal-ecg')
if not os.path.isdir(folder):
    sys.exit('the data foetal-ecg are not there: TLV_SHARED_DATA names their folder')
import gzip
X = np.loadtxt(gzip.open(os.path.join(folder, 'signals.csv.gz'), 'rt'), delimiter=',', skiprows=1)[:, 1:]


def channel(j):
    """at 250 Hz, less a moving average of .4 s, its skewness positive"""
    x = X[:, j] - np.convolve(np.pad(X[:, j], 100, 'edge'), np.ones(201) / 201, 'valid')
    x = x.reshape(-1, 2).mean(1)
    return x / x.std() * np.sign((x**3).mean())


chest = channel(7)
beats = find_peaks(chest, height=.5 * np.quantile(chest, .995), distance=60)[0]
result = []
for j in (0, 7):
    x, s = channel(j), 40
    beat = np.mean([x[b - s // 2:b + s // 2] for b in beats if s < b < len(x) - s], 0)
    for k in (1, 2):
        result += rows_of(f'channel {j + 1}, k {k}', x, k, s, lambda found: [alike(beat, f) for f in found])
table(f'electrocardiogram: {len(X) // 2} readings, 40 steps; correlation of each template with the average of {len(beats)} beats', HEAD, result)
