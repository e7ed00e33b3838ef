"""What the intervals of tlv_estimates are worth: simulations from a known model, the share of 95 % intervals that hold the truth, by
model, setting and part, and the standard errors over the deviation of the estimates. All in SQL; asked: cover .93 to .97 where rows are
the model's, .93 and more of probabilities near 0 or 1, whose intervals are others. Settings marked * are misspecified: the truth is what a fit to many rows gives.
--sets=200: simulations a setting; --seed=1: of the first (take fresh ones for the last look); --lines=REGEX: settings that match;
--seconds=N: no further simulation of a setting after so many."""
import re, sys, time
from common import Session, machine, table


def option(name, default):
    """the value of --name=value, of the type of the default"""
    return next((type(default)(a.split('=', 1)[1]) for a in sys.argv[1:] if a.startswith(f'--{name}=')), default)



SETS, SEED, LINES, SECONDS = option('sets', 200), option('seed', 1), option('lines', ''), option('seconds', 0)
LOW, HIGH = .93, .97


def gmm(rows, d, k, separation, covariance, seed, model='{truth}', fit=''):
    return (f"tlv_simulate_gmm_model({d}, {k}, {separation}, '{covariance}', seed => {seed})",
            f'SELECT s.x FROM truth, tlv_simulate_gmm(m, {rows}, seed => {{seed}}) s',
            f"tlv_gmm('SELECT x FROM r', {k}, '{covariance}'{fit}, errors => true)")


def t_noise(rows, d, k, separation, covariance, seed, degrees, fit=''):
    """rows of t distributions: of a mixture of which the degrees of freedom are set"""
    model, simulate, fitted = gmm(rows, d, k, separation, covariance, seed, fit=fit)
    added = ', '.join([str(degrees)] * k)
    return (f"tlv_from_json((tlv_to_json({model})::jsonb || '{{{{\"degrees\": [{added}]}}}}')::json)".replace('{{', '{').replace('}}', '}'), simulate, fitted)


def hmm(symbols, dimensions, k, sequences, length, stay, seed, covariance='spherical'):
    columns = 'symbol' if symbols else 'x'
    return (f"tlv_simulate_hmm_model({symbols or 'NULL'}, {k}, stay => {stay}, dimensions => {dimensions or 'NULL'}, seed => {seed})",
            f'SELECT s.seq, s.t, s.{columns} FROM truth, tlv_simulate_hmm(m, {sequences}, {length}, {{seed}}) s',
            f"tlv_hmm('SELECT seq, t, {columns} FROM r', {k}, {'' if symbols else repr(covariance) + ', '}errors => true)")


def views(rows, k, seed, dimensions=None, categories=None):
    form = f'ARRAY{dimensions}' if dimensions else f'NULL, categories => ARRAY{categories}'
    columns = 's.x1, s.x2, s.x3' if dimensions else 's.category1 x1, s.category2 x2, s.category3 x3'
    return (f"tlv_simulate_multiview_model({form}, k => {k}, seed => {seed})",
            f'SELECT {columns} FROM truth, tlv_simulate_multiview(m, {rows}, {{seed}}) s',
            f"tlv_multiview('SELECT x1, x2, x3 FROM r', {k}{', refine => $$em$$' if dimensions else ''}, errors => true)")


def membership(rows, variables, k, seed, family='lca', more=''):
    return (f"tlv_simulate_{family}_model({variables}, {k}, 3{more}, seed => {seed})",
            f'SELECT s.v FROM truth, tlv_simulate_{family}(m, {rows}, seed => {{seed}}) s',
            f"tlv_{family}('SELECT v FROM r', {k}, errors => true)")


def jackknife(setting, moments, fit, rows='SELECT x, row_number() OVER () AS id FROM r'):
    """the same rows, fitted from the moments of 20 groups"""
    return (*setting[:2], f"(WITH g AS MATERIALIZED (SELECT id % 20 AS g, {moments} AS s FROM ({rows}) q GROUP BY 1) SELECT tlv_jackknife((SELECT {fit.format('tlv_rollup(s)')} FROM g), "
            f"ARRAY(SELECT {fit.format('tlv_rollup(o.s)')} FROM g JOIN g o ON o.g <> g.g GROUP BY g.g)))")


def refits(setting, fit):
    """the same rows, fitted anew to all but each of 20 groups of them: holds where the rows are not the model's, too"""
    query = "'SELECT x FROM (SELECT x, row_number() OVER () AS id FROM r) q WHERE id % 20 <> ' || g"
    return (*setting[:2], f"tlv_jackknife({fit.format('$$SELECT x FROM r$$')}, ARRAY(SELECT {fit.format(query)} FROM generate_series(0, 19) g))")


def ica(rows, d, seed):
    return (f'tlv_simulate_ica_model({d}, seed => {seed})', f'SELECT s.x FROM truth, tlv_simulate_ica(m, {rows}, {{seed}}) s', '')


def crowd(items):
    """20 workers, right in 52 to 90 % of their answers to 8 of 20 items; the true model is what 30,000 items give"""
    rows = """SELECT i AS item, w AS worker,
        CASE WHEN abs(hashint8extended(i * 100 + w, {seed} + 1)) % 1000 < 500 + 20 * w THEN t ELSE 1 + (t + abs(hashint8extended(i * 100 + w, {seed} + 2)) % 2) % 3 END AS answer
        FROM (SELECT i, 1 + (abs(hashint8extended(i, {seed})) % 6 / 2.5)::int AS t FROM generate_series(1, {items}) i) q, generate_series(1, 20) w
        WHERE abs(hashint8extended(i * 100 + w, {seed} + 3)) % 20 < 8"""
    return (f"tlv_crowd($$ {rows.replace('{seed}', '9').replace('{items}', '30000')} $$)", rows.replace('{items}', str(items)), "tlv_crowd('SELECT item, worker, answer FROM r')")


def graph(nodes, k, alpha0, within, between, more='', fit=''):
    """a model drawn anew for every graph, so that the shares of communities are those of a sample of nodes"""
    return (f"tlv_simulate_mmsb_model({nodes}, {k}, {alpha0}, {within}, {between}{more}, seed => {{seed}})",
            'SELECT s.* FROM truth, tlv_simulate_mmsb(m, {seed}) s',
            f"tlv_mmsb('TABLE r', {k}, {alpha0}{fit}, errors => true)")


# name: (the true model, its rows, the fit), rows of a fit that is the truth of misspecified ones
SETTINGS = {
    'gmm spherical n=5000 d=4 k=3 sep 5': (gmm(5000, 4, 3, 5, 'spherical', 2), None),
    'gmm spherical n=3000 d=4 k=3 overlapping': (gmm(3000, 4, 3, 3.5, 'spherical', 5), None),
    'gmm spherical n=1000 d=4 k=3 sep 5': (gmm(1000, 4, 3, 5, 'spherical', 4), None),
    'gmm common n=5000 d=4 k=3 sep 5': (gmm(5000, 4, 3, 5, 'common', 2), None),
    'gmm diagonal n=5000 d=3 k=2 sep 5': (gmm(5000, 3, 2, 5, 'diagonal', 3), None),
    'gmm full n=5000 d=3 k=2 sep 5': (gmm(5000, 3, 2, 5, 'full', 3), None),
    # Few rows of models drawn anew.
    'gmm full n=300 d=3 k=3 sep 4': (gmm(300, 3, 3, 4, 'full', '{seed}'), None),
    'gmm full n=300 d=3 k=3 sep 6': (gmm(300, 3, 3, 6, 'full', '{seed}'), None),
    'gmm full n=100 d=3 k=2 sep 2.5': (gmm(100, 3, 2, 2.5, 'full', '{seed}'), None),
    'gmm full n=150 d=2 k=3 sep 3': (gmm(150, 2, 3, 3, 'full', '{seed}'), None),
    'gmm full n=1000 d=3 k=3 sep 4': (gmm(1000, 3, 3, 4, 'full', '{seed}'), None),
    'gmm diagonal n=300 d=3 k=3 sep 4': (gmm(300, 3, 3, 4, 'diagonal', '{seed}'), None),
    'gmm spherical n=300 d=3 k=3 sep 4': (gmm(300, 3, 3, 4, 'spherical', '{seed}'), None),
    'gmm tied n=300 d=3 k=3 sep 4': (gmm(300, 3, 3, 4, 'tied', '{seed}'), None),
    't full n=5000 d=3 k=2 sep 8': (t_noise(5000, 3, 2, 8, 'full', 3, 5, ", 't'"), None),
    '* t(6) noise, gmm spherical n=5000': (t_noise(5000, 4, 3, 5, 'spherical', 2, 6), 100000),
    'hmm symbols k=3 m=6 200 x 60': (hmm(6, None, 3, 200, 60, .7, 3), None),
    'hmm symbols k=3 m=6 1 x 12000': (hmm(6, None, 3, 1, 12000, .7, 3), None),
    'hmm symbols k=3 m=6 10 x 40': (hmm(6, None, 3, 10, 40, .7, '{seed}'), None),
    'hmm symbols k=3 m=6 60 x 50': (hmm(6, None, 3, 60, 50, .7, '{seed}'), None),
    'hmm vectors k=3 d=2 200 x 60': (hmm(None, 2, 3, 200, 60, .7, 3), None),
    'hmm vectors full k=2 d=2 100 x 60': (hmm(None, 2, 2, 100, 60, .7, 3, 'full'), None),
    'views vectors 2,2,2 k=3 n=4000': (views(4000, 3, 3, dimensions=[2, 2, 2]), None),
    'views categories 5,5,5 k=3 n=8000': (views(8000, 3, 3, categories=[5, 5, 5]), None),
    'views categories 4,4,4 k=3 n=1500': (views(1500, 3, '{seed}', categories=[4, 4, 4]), None),
    'lca 10 variables k=3 n=3000': (membership(3000, 10, 3, 3), None),
    'lca 150 variables k=3 n=2000 (by variable)': (membership(2000, 150, 3, 3), None),
    'gom 30 variables k=3 n=3000': (membership(3000, 30, 3, 3, 'gom'), None),
    'directions n=3000 d=4 k=3': (gmm(3000, 4, 3, 5, 'direction', 3), None),
    'directions n=2000 d=20 k=4': (gmm(2000, 20, 4, 5, 'direction', 3), None),
    'crowd 20 workers 1000 items of 8 answers': (crowd(1000), None),
    'blocks n=600 k=3': (graph(600, 3, 0, .1, .02), None),
    'blocks directed n=600 k=3': (graph(600, 3, 0, .1, .02, ", kind => 'directed'", ', directed => true'), None),
    'blocks of degrees n=600 k=3': (("tlv_mmsb($$SELECT * FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(600, 3, 0, .1, .02, degree_exponent => 3, seed => 5))$$, 3, degree_corrected => true)",
                                     *graph(600, 3, 0, .1, .02, fit=', degree_corrected => true')[1:]), None),
    'mixed memberships alpha0=1 n=600 k=3': (graph(600, 3, 1, .2, .02), None),
    'jackknife gmm common n=5000 d=4 k=3 sep 5': (jackknife(gmm(5000, 4, 3, 5, 'common', 2), 'tlv_dense_moments(x, 3)', "tlv_fit_gmm({}, 3, 'common')"), None),
    'jackknife gmm spherical n=10000 d=8 k=4 sep 5': (jackknife(gmm(10000, 8, 4, 5, 'spherical', 2), 'tlv_dense_moments(x, 3)', "tlv_fit_gmm({}, 4, 'spherical')"), None),
    'jackknife ica n=5000 d=3': (jackknife(ica(5000, 3, 3), 'tlv_dense_moments(x, 4)', 'tlv_align(tlv_fit_ica({}), (SELECT m FROM truth))'), None),
    '* t(6) noise, gmm spherical n=5000, 20 refits': (refits(t_noise(5000, 4, 3, 5, 'spherical', 2, 6), 'tlv_gmm({}, 3, $$spherical$$)'), 100000),
    'jackknife hmm windows k=3 m=8 200 x 100': (jackknife(hmm(8, None, 3, 200, 100, .7, 3), 'tlv_sequence_moments(x)', 'tlv_fit_hmm({}, 3)',
                                                         'SELECT seq AS id, array_agg(symbol ORDER BY t) AS x FROM r GROUP BY 1'), None),
    'jackknife views categories 5,5,5 k=3 n=8000': (jackknife(views(8000, 3, 3, categories=[5, 5, 5]), 'tlv_view_moments(x1, x2, x3)', 'tlv_fit_multiview({}, 3)',
                                                             'SELECT *, row_number() OVER () AS id FROM r'), None),
    'mixed memberships alpha0=.3 n=600 k=3': (graph(600, 3, .3, .2, .02), None),
}

# The components of both models one to one, and what the two say of the same number.
COMPARE = '''INSERT INTO found SELECT {seed}, t.part, t.component, t.item, t.estimate, e.estimate, e.standard_error, e.low, e.high
    FROM (SELECT * FROM true_estimates) t
    LEFT JOIN pairs a ON a.component_a = t.component
    LEFT JOIN pairs b ON t.part IN ('transition', 'connectivity') AND b.component_a = t.item
    JOIN tlv_estimates((SELECT m FROM fitted)) e ON e.part = t.part AND e.component IS NOT DISTINCT FROM a.component_b
        AND e.item IS NOT DISTINCT FROM CASE WHEN t.part IN ('transition', 'connectivity') THEN b.component_b ELSE t.item END'''
TRUE_ESTIMATES = 'CREATE TEMP TABLE true_estimates AS SELECT part, component, item, estimate FROM compared, tlv_estimates(m)'
# Of a graph the shares of communities are those of its nodes: the truth is what these are a sample of, all alike.
ALIKE = "UPDATE true_estimates t SET estimate = (SELECT avg(estimate) FROM true_estimates o WHERE o.part = t.part) WHERE part IN ('weight', 'alpha')"
SUMMARY = '''WITH found AS (SELECT *, part || CASE WHEN part IN ('probability', 'transition', 'initial') AND (truth < .02 OR truth > .98) THEN ' near 0 or 1' ELSE '' END AS which FROM found)
    SELECT which, count(*), avg((low IS NOT NULL)::int), avg((truth BETWEEN low AND high)::int) FILTER (WHERE low IS NOT NULL),
    avg((truth BETWEEN low AND high)::int) FILTER (WHERE standard_error IS NOT NULL), (SELECT avg(ratio) FROM (
        SELECT sqrt(avg(f.standard_error ^ 2)) / nullif(stddev(f.estimate), 0) AS ratio FROM found f WHERE f.which = found.which AND f.standard_error IS NOT NULL
        GROUP BY f.component, f.item HAVING count(*) > 5) r) FROM found GROUP BY which ORDER BY which'''


def simulate(session, setting, many, seed):
    truth, rows, fit = setting
    if '{seed}' in truth:
        session.query(f'DROP TABLE IF EXISTS truth, compared, true_estimates; CREATE TEMP TABLE truth AS SELECT {truth.format(seed=seed)} AS m; CREATE TEMP TABLE compared AS TABLE truth')
        session.query(TRUE_ESTIMATES)
        if 'mmsb' in truth:
            session.query(ALIKE)
    session.query(f'DROP TABLE IF EXISTS r; CREATE TEMP TABLE r AS {rows.format(seed=seed)}; DROP TABLE IF EXISTS fitted; CREATE TEMP TABLE fitted AS SELECT {fit} AS m')
    session.query('DROP TABLE IF EXISTS pairs; CREATE TEMP TABLE pairs AS SELECT component_a, component_b FROM tlv_match((SELECT m FROM compared), (SELECT m FROM fitted))')
    session.query(COMPARE.format(seed=seed))


def run(name, setting, many):
    session = Session(max_parallel_workers_per_gather=0)
    truth, rows, fit = setting
    session.query(f'CREATE TEMP TABLE truth AS SELECT {truth.replace("{seed}", "1")} AS m')
    if many:
        larger = re.sub(r'(tlv_simulate_gmm\(m, )\d+', rf'\g<1>{many}', rows)
        session.query(f'CREATE TEMP TABLE r AS {larger.format(seed=10**6 + SEED)}; CREATE TEMP TABLE compared AS SELECT {re.sub(r", ARRAY.*|tlv_jackknife.|, errors => true", "", fit)} AS m')
    else:
        session.query('CREATE TEMP TABLE compared AS SELECT m FROM truth')
    session.query(TRUE_ESTIMATES)
    session.query('CREATE TEMP TABLE found (seed bigint, part text, component int, item bigint, truth float8, estimate float8, standard_error float8, low float8, high float8)')
    begun, sets = time.time(), 0
    while sets < SETS and not (SECONDS and sets and time.time() - begun > SECONDS):
        simulate(session, setting, many, SEED * 1000 + sets)
        sets += 1
    for part, n, offered, cover, wald, ratio in session.query(SUMMARY):
        cover, wald, ratio = (float(v) if v else float('nan') for v in (cover, wald, ratio))
        good = '' if name.startswith('*') or LOW <= cover <= HIGH else 'exact rule' if part.endswith('1') and cover >= LOW else 'outside' if cover == cover else 'none'
        yield [name, sets, part, f'{float(offered):.2f}', f'{cover:.3f}', f'{wald:.3f}', f'{ratio:.2f}', good]
    session.close()


if __name__ == '__main__':
    session = Session()
    machine(session)
    session.close()
    lines = []
    for name, (setting, many) in SETTINGS.items():
        if re.search(LINES, name):
            for line in run(name, setting, many):
                print(*line, sep='\t', flush=True)
                lines.append(line)
    table('Intervals of 95 %', ['setting', 'sets', 'part', 'offered', 'cover', 'cover with a standard error', 'SE/SD', f'{LOW:.2f} to {HIGH:.2f}'], lines)
