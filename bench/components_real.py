"""The foetal electrocardiogram of DaISy, 8 electrodes: the foetal source of tlv_ica beside that of scikit-learn's
FastICA, best of 10 starts.

There is no recording of the heart alone to compare with, but beats can be told by when they come: the mother's from the
three electrodes on her chest, where the foetus is not heard; the foetus' are the beats of another, faster rhythm.  The
foetal source is the one whose energy repeats best at such a rhythm.  It is the better, the larger its beats are against
the rest of it, and the less of it there is at the mother's beats."""
import os
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
import sys, time, warnings
from common import Session, machine, np, table

warnings.filterwarnings('ignore')
FOETAL = range(90, 141)        # samples from beat to beat; the mother's are 186 apart
REPEATS, STARTS = 20, 10

folder = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'foetal-ecg')
if not os.path.isdir(folder):
    sys.exit('the data foetal-ecg are not there: TLV_SHARED_DATA names their folder')
import gzip
X = np.loadtxt(gzip.open(os.path.join(folder, 'signals.csv.gz'), 'rt'), delimiter=',', skiprows=1)[:, 1:]
N = len(X)


def smooth(x, width):
    return np.convolve(x, np.ones(width) / width, 'same')


def standard(y):
    return (y - y.mean()) / y.std()


def repeats(y, lags):
    """(correlation of the energy with itself so much later, the lag), the best lag"""
    e = standard(smooth(standard(y)**2, 9))
    c = [np.corrcoef(e[:-lag], e[lag:])[0, 1] for lag in lags]
    return max(zip(c, lags))


def beats(y, gap):
    """places of the largest energies, at least so far apart and a third of the median of the largest"""
    e, found = smooth(standard(y)**2, 9), []
    for at in np.argsort(-e):
        if e[at] < np.median(e[found[:10]]) / 3 if len(found) >= 10 else False:
            break
        if all(abs(at - f) >= gap for f in found):
            found.append(at)
    return np.array(sorted(found))


def near(places, width):
    mask = np.zeros(N, bool)
    for at in places:
        mask[max(0, at - width):at + width + 1] = True
    return mask


mother = beats(smooth((X[:, 5:] / X[:, 5:].std(0) - X[:, 5:].mean(0) / X[:, 5:].std(0))**2 @ np.ones(3), 1)**.5, 120)


def judge(S):
    """of the foetal source among the columns of S: number of beats, their intervals, its criteria"""
    c, lag, j = max((*repeats(S[:, j], FOETAL), j) for j in range(S.shape[1]))
    y = standard(S[:, j])
    own = beats(y, int(.7 * lag))
    at_own, at_mother = near(own, 6), near(mother, 10)
    rest = ~at_own & ~at_mother
    steps = np.diff(own)
    return dict(beats=len(own), interval=float(np.median(steps)), spread=float(np.percentile(steps, 90) - np.percentile(steps, 10)),
                periodicity=c, signal=float((y[at_own]**2).mean() / (y[rest]**2).mean()),
                mother=float((y[at_mother & ~at_own]**2).mean() / (y[rest]**2).mean()), source=y)


def negentropy(S):
    """what FastICA with logcosh makes large"""
    g = np.log(np.cosh(S / S.std(0))).mean(0)
    return float(((g - 0.374567207491438)**2).sum())


def cpu(run, repeats=REPEATS):
    start = time.process_time()
    for _ in range(repeats):
        result = run()
    return (time.process_time() - start) / repeats, result


def row(name, seconds, base, S, note=''):
    q = judge(S)
    return q, [name, f'{seconds * 1000:.1f}', f'{seconds / base:.1f}', negentropy(S), q['beats'], f"{q['interval']:.0f}", f"{q['spread']:.0f}",
               q['periodicity'], q['signal'], q['mother'], note]


def ours(s, call):
    sql = f"SELECT {call} IS NULL"
    s.query(sql)
    cost = s.cost(f"DO $$ BEGIN FOR i IN 1 .. {REPEATS} LOOP PERFORM {call}; END LOOP; END $$")[1].leader_cpu / REPEATS
    text = s.query(f"SELECT tlv_unmix(m.model, e.x) FROM ecg e, (SELECT {call} AS model OFFSET 0) m ORDER BY e.t")
    return cost, np.array([r[0].strip('{}').split(',') for r in text], float)


s = Session(jit='off')
machine(s)
s.query('DROP TABLE IF EXISTS ecg; CREATE TABLE ecg (t int, x float8[])')
s.query("INSERT INTO ecg VALUES " + ', '.join(f"({i}, '{{{','.join(map(repr, map(float, x)))}}}')" for i, x in enumerate(X)))
s.query('VACUUM ANALYZE ecg')

from sklearn.decomposition import FastICA
QUERY = "'SELECT x FROM ecg'"
base, S = ours(s, f'tlv_ica({QUERY})')
reference, first = row('tlv_ica', base, base, S)
rows = [first]
for name, call in (("tlv_ica, refine => 'none'", f"tlv_ica({QUERY}, refine => 'none')"), ('tlv_ica, noise => true', f'tlv_ica({QUERY}, noise => true)'),
                   ('tlv_fit_ica of kept moments', "(SELECT tlv_fit_ica(m) FROM ecg_moments)")):
    s.query('DROP TABLE IF EXISTS ecg_moments; CREATE TABLE ecg_moments AS SELECT tlv_dense_moments(x, 4) AS m FROM ecg')
    seconds, S = ours(s, call)
    rows.append(row(name, seconds, base, S)[1])
for fun in ('logcosh', 'cube'):
    total, best = 0.0, None
    for start in range(STARTS):
        seconds, m = cpu(lambda: FastICA(8, fun=fun, whiten='unit-variance', random_state=start, max_iter=1000).fit(X), 5 if fun == 'logcosh' else 1)
        total += seconds
        S = m.transform(X)
        if best is None or negentropy(S) > negentropy(best[0]):
            best = S, start
        if start == 0 and fun == 'logcosh':
            rows.append(row('FastICA, logcosh, 1 start', seconds, base, S, f'{m.n_iter_} steps')[1])
    q, r = row(f'FastICA, {fun}, best of {STARTS}', total, base, best[0])
    r[-1] = f"correlation with tlv_ica's {abs(np.corrcoef(q['source'], reference['source'])[0, 1]):.4f}"
    rows.append(r)
for j in (0, 1, 2, 3, 4):
    rows.append(row(f'electrode {j + 1} as it is', np.nan, base, X[:, [j]])[1])
    rows[-1][1:4] = [None, None, None]
table(f'foetal source among 8 electrodes, {N} samples; {len(mother)} beats of the mother, {np.median(np.diff(mother)):.0f} samples apart. '
      'Interval: median, and from the 10th to the 90th percentile; energy at the beats, and at the mother\'s: against the rest (1: none of hers)',
      ['', 'CPU ms', '/ tlv_ica', 'negentropy', 'beats', 'interval', 'spread', 'periodicity', 'at the beats', "at mother's", ''], rows)
