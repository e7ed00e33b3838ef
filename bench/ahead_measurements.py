"""Gaussian mixtures of tables of R packages (MASS, mclust) and of TLV_SHARED_DATA without k, beside the least BIC of scikit-learn's
GaussianMixture over its four forms and 1 to 10 components (10 starts each): held-out log-likelihood a row, groups.  --splits=5"""
import io, os, subprocess, time
from common import in_child, np, table
from common_ahead import ITERATIVE, OPTIONS, add, cell, cpu_cell, seconds_of, wanted
from common_mixtures import load_vectors, read

ENOUGH = 0.02   # nats a row, and of the Rand index: less is no difference
R_TABLES = {'crabs': 'MASS::crabs[,4:8], paste(MASS::crabs$sp, MASS::crabs$sex)',
            'banknotes': 'mclust::banknote[,2:7], mclust::banknote$Status'}


def r_table(name):
    """rows and classes of a table of an R package; None where R or the package is missing"""
    try:
        text = subprocess.run(['Rscript', '-e', f'library(mclust, quietly=TRUE); data(banknote); '
                               f'write.csv(cbind({R_TABLES[name].replace("mclust::", "")}), row.names=FALSE)'],
                              capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        print(f'{name}: skipped, it takes r-cran-mass and r-cran-mclust')
        return None
    rows = [line.rsplit(',', 1) for line in text.strip().splitlines() if line[0] not in '"P']
    names = sorted({r[1] for r in rows})
    return np.loadtxt(io.StringIO('\n'.join(r[0] for r in rows)), delimiter=','), np.array([names.index(r[1]) for r in rows])


def split(n, number):
    order = np.random.default_rng(500 + number).permutation(n)
    return order[n // 4:], order[:n // 4]


def rand(labels, found):
    from sklearn.metrics import adjusted_rand_score
    return float(adjusted_rand_score(labels, found)) if labels is not None else np.nan


def peer_measurements(x, train, test):
    """of the least BIC: form, k, held-out log-likelihood, components of all rows, CPU seconds"""
    from sklearn.mixture import GaussianMixture
    GaussianMixture(1).fit(x[:50])   # imports are not counted
    start, best = time.process_time(), None
    for form in 'spherical', 'diag', 'tied', 'full':
        for k in range(1, 11):
            m = GaussianMixture(k, covariance_type=form, n_init=10, random_state=0).fit(x[train])
            bic = m.bic(x[train])
            if best is None or bic < best[0]:
                best = bic, form, k, m
    m = best[3]
    return best[1], best[2], float(m.score(x[test])), m.predict(x), time.process_time() - start


def our_measurements(s, x, train, test, options=''):
    load_vectors(s, 'train', x[train])
    load_vectors(s, 'test', x[test])
    load_vectors(s, 'every', x, step=True)
    s.query('DROP TABLE IF EXISTS m; CREATE TEMP TABLE m (model tlv_model)')
    cpu = seconds_of(s, f"INSERT INTO m SELECT tlv_gmm('SELECT x FROM train'{options})")
    form, k = s.query("SELECT tlv_info(model) ->> 'covariance', (SELECT count(*) FROM tlv_components(model)) FROM m")[0]
    found = np.array(s.query('SELECT tlv_assign(model, x) FROM m, every ORDER BY t'), int)[:, 0]
    return form, int(k), float(s.value('SELECT avg(tlv_log_likelihood(model, x)) FROM m, test')), found, cpu


def measurements(s):
    lines = []
    for name in filter(wanted, ('iris', 'wine', 'faithful', 'crabs', 'banknotes')):
        rows = r_table(name) if name in R_TABLES else read(name) if os.path.exists(os.path.join(os.environ['TLV_SHARED_DATA'], name)) else None
        if rows is None:
            continue
        x, labels = rows
        us, them, forms = [], [], []
        for number in range(int(OPTIONS.get('splits', 5))):
            train, test = split(len(x), number)
            z = (x - x[train].mean(0)) / x[train].std(0)
            a, b = our_measurements(s, z, train, test), in_child(peer_measurements, z, train, test)
            for to, r in (us, a), (them, b):
                to.append([r[2], rand(labels, r[3]), r[4]])
            forms.append((f'{a[0]} {a[1]}', f'{b[0]} {b[1]}'))
        u, t = np.mean(us, 0), np.mean(them, 0)
        add(lines, [name, len(x), x.shape[1], ', '.join(f[0] for f in forms), ', '.join(f[1] for f in forms),
                    cell(u[0], [t[0]], ENOUGH), f'{t[0]:.3f}', cell(u[1], [t[1]], ENOUGH), f'{t[1]:.3f}', cpu_cell(u[2], t[2], ITERATIVE), f'{t[2]:.3g}'])
    table('tlv_gmm, all defaults, beside the least BIC of scikit-learn over four forms',
          ['', 'rows', 'd', 'form, k', 'peer', 'held out', 'peer', 'ARI', 'peer', 'CPU s', 'peer'], lines)
