"""Hidden Markov models: log-likelihood of a held-out step and CPU s of tlv_hmm beside the best of ten starts of hmmlearn by the likelihood
of what they were fitted to; one evaluator for both.  Letters of the texts in /usr/share/doc, and simulated chains."""
import glob, re
from common import in_child, np, table
from common_ahead import ITERATIVE, add, cell, cpu_cell, mean, other, seconds_of, seeds, timed, wanted
from common_mixtures import chain, hmm, matrix

ENOUGH, STARTS, LENGTH, TRAIN, HELD = .005, 10, 500, 24, 8   # nats a step; starts of hmmlearn; steps of a sequence; sequences
FLOOR = 1e-6                                                 # of probabilities, of both: a symbol may be unseen
VARIANCE = 1e-3


def letters(seed, k):
    """numbers of letters (1 .. 26; 0: between words) of stretches of texts, those held out of other texts"""
    rng = np.random.default_rng(seed)
    names = sorted(glob.glob('/usr/share/common-licenses/*') + glob.glob('/usr/share/doc/*/*.txt') + glob.glob('/usr/share/doc/*/README*[!z]'))
    found = []
    for i in rng.permutation(len(names)):
        text = re.sub('[^a-z]+', ' ', open(names[i], errors='replace').read().lower())
        if len(text) >= 4 * LENGTH:
            at = int(rng.integers(0, len(text) - 4 * LENGTH + 1))
            found += [np.array([0 if c == ' ' else ord(c) - 96 for c in text[at + j * LENGTH:at + (j + 1) * LENGTH]]) for j in range(4)]
        if len(found) >= TRAIN + HELD:
            return found[HELD:TRAIN + HELD], found[:HELD]


def simulated(**options):
    def draw(seed, k):
        x = np.array(hmm(seed=seed, n=(TRAIN + HELD) * LENGTH, k=k, **options)[0])
        parts = np.split(x, TRAIN + HELD)
        return parts[HELD:], parts[:HELD]
    return draw


# name, k, symbols (0: vectors), what draws (fitted, held out)
LINES = (('letters', 2, 27, letters), ('letters', 4, 27, letters), ('20 symbols, stay .7', 4, 20, simulated(m=20, stay=.7)),
         ('40 symbols, stay .3', 6, 40, simulated(m=40, stay=.3)), ('8 bands, diagonal', 8, 0, simulated(kind='vectors', d=8, sep=2.)))


def log_likelihood(sequences, O, variances, T, start):
    """of a step: sequences of one length, O symbols x k or dimensions x k (with variances), T[i, j] = P(next i | now j)"""
    x = np.array(sequences)
    if variances is None:
        O = np.maximum(O, FLOOR)
        L, shift = (O / O.sum(0))[x], np.zeros(x.shape)
    else:
        v = np.maximum(variances, VARIANCE)
        L = -.5 * (((x[..., None] - O) ** 2 / v) + np.log(2 * np.pi * v)).sum(2)
        shift = L.max(2)
        L = np.exp(L - shift[..., None])
    T, a, total = np.maximum(T, FLOOR) / np.maximum(T, FLOOR).sum(0), np.maximum(start, FLOOR), shift.sum()
    for t in range(x.shape[1]):
        a = (a if t == 0 else a @ T.T) * L[:, t]
        total += np.log(a.sum(1)).sum()
        a /= a.sum(1, keepdims=True)
    return float(total / x[..., 0].size if variances is not None else total / x.size)


def nested(x):
    return '{' + ','.join(map(nested, x)) + '}' if np.ndim(x) else f'{x:.9g}'


def ours(s, train, held, k, symbols, seed):
    s.query(f"DROP TABLE IF EXISTS steps, m; CREATE TABLE steps (x {'int' if symbols else 'float8'}[])")
    for x in train:
        s.query(f"INSERT INTO steps VALUES ('{nested(x)}')")
    covariance = '' if symbols else ", covariance => 'diagonal'"
    cpu = seconds_of(s, f"CREATE TABLE m AS SELECT tlv_hmm('SELECT x FROM steps', k => {k}, seed => {seed}{covariance}) AS model")
    O, T = chain(s, 'm', symbols)
    start = np.array(s.query('SELECT initial FROM m, tlv_states(model) ORDER BY state'), float)[:, 0]
    variances = None if symbols else matrix(s, 'SELECT component, dimension, variance FROM m, tlv_means(model)')
    return log_likelihood(held, O, variances, T, start), cpu


def hmmlearn(train, held, k, symbols, seed):
    """held out: of the best of its starts, of the median one; CPU s of all"""
    import logging
    from hmmlearn.hmm import CategoricalHMM, GaussianHMM
    logging.disable(logging.WARNING)   # of starts that do not converge
    X, found, total = np.concatenate(train).reshape(sum(map(len, train)), -1), [], 0
    for start in range(STARTS):
        options = dict(n_components=k, n_iter=500, tol=1e-6 * len(X), random_state=100 * seed + start, implementation='scaling')
        model = CategoricalHMM(n_features=symbols, **options) if symbols else GaussianHMM(covariance_type='diag', **options)
        _, cpu = timed(lambda: model.fit(X, [len(x) for x in train]))
        total += cpu
        O, variances = (model.emissionprob_.T, None) if symbols else (model.means_.T, np.array([np.diag(c) for c in model.covars_]).T)
        found.append((model.monitor_.history[-1], log_likelihood(held, O, variances, model.transmat_.T, model.startprob_)))
    return max(found)[1], float(np.median([f[1] for f in found])), total


def chains(s):
    rows = []
    for name, k, symbols, draw in LINES:
        if not wanted(f'{name} {k}'):
            continue
        us, them, lost = [], [], 0
        for seed in seeds(5):
            train, held = draw(seed, k)
            us.append(ours(s, train, held, k, symbols, 1))
            answer = in_child(hmmlearn, train, held, k, symbols, seed)
            if answer:
                them.append(answer)
                lost += us[-1][0] < answer[0] - ENOUGH
        own, best, median, times = mean([u[0] for u in us]), *(mean([t[i] for t in them]) for i in (0, 1, 2))
        cpu = mean([u[1] for u in us])
        add(rows, [name, k, cell(own, [best], ENOUGH, 4), other(best, 4), other(median, 4), f'**{lost}** of {len(us)}' if lost else f'0 of {len(us)}',
                   cpu_cell(cpu, times, ITERATIVE), other(times, 2)])
    table(f'tlv_hmm, {TRAIN} sequences of {LENGTH} steps: log-likelihood of a held-out step; bar: the best of {STARTS} starts of hmmlearn at every seed, '
          'a tenth of their time', ['', 'k', 'held out', f'hmmlearn, best of {STARTS}', 'its median start', 'seeds behind', 'CPU s', f'hmmlearn, {STARTS} starts'], rows)
