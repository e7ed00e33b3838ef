"""Points: tlv_point_features by the number of points and of neighbours, beside a self-join over a GiST index and scipy's cKDTree;
types of cells of simulated tissues (docs/explanation/points.md) from spots and from joint histograms, beside scikit-learn's LDA
and NMF, and shares by known profiles beside non-negative least squares, which SPOTlight and its kin use."""
import sys, time
from common import Session, np, table

from scipy.optimize import linear_sum_assignment, nnls
from scipy.spatial import cKDTree

parts, seeds, most = ['speed', 'tissue'], 3, 1000000
for option in sys.argv[1:]:
    if option.startswith('--part='):
        parts = option[7:].split(',')
    elif option.startswith('--seeds='):
        seeds = int(option[8:])
    elif option.startswith('--points='):
        most = int(option[9:])
    else:
        sys.exit('options: --part=speed,tissue, --seeds=N, --points=1000000')

server = Session()


def cpu(run):
    start = time.process_time()
    result = run()
    return result, time.process_time() - start


# ---- speed ----

def tree(x, y, mark, radius):
    """counts of 20 marks about every point, by the pairs of cKDTree"""
    pairs = cKDTree(np.c_[x, y]).query_pairs(radius, output_type='ndarray')
    counts = np.zeros((len(x), 20), np.int32)
    np.add.at(counts, (pairs[:, 0], mark[pairs[:, 1]]), 1)
    np.add.at(counts, (pairs[:, 1], mark[pairs[:, 0]]), 1)
    return counts.sum()


def speed():
    rows = []
    for n, neighbours in ((1000, 31), (10000, 31), (100000, 31), (1000000, 31), (100000, 8), (100000, 310)):
        if n > most:
            continue
        radius = (neighbours / n / np.pi)**.5
        server.query('DROP TABLE IF EXISTS points')
        server.query(f'''CREATE TABLE points AS SELECT id, random() AS x, random() AS y, floor(20 * random())::bigint AS mark FROM generate_series(1, {n}) AS id''')
        cost = server.median(f'SELECT sum(tlv_bag_total(f)) FROM (SELECT tlv_point_features(x, y, mark, {radius}) OVER () AS f FROM points) AS q', 3 if n < 1e6 else 1)
        row = [n, neighbours, f'{cost.cpu:.2f}', f'{1e6 * cost.cpu / n:.1f}', f'{cost.leader_mb:.0f}']
        if n <= 100000 and neighbours < 300:
            made = server.cost('CREATE INDEX ON points USING gist (point(x, y))')[1].cpu + server.cost('ANALYZE points')[1].cpu
            join = server.cost(f'''SELECT sum(tlv_bag_total(f)) FROM (SELECT a.id, tlv_bag_agg(b.mark) AS f FROM points a
                JOIN points b ON point(b.x, b.y) <@ circle(point(a.x, a.y), {radius}) AND a.id <> b.id GROUP BY a.id) AS q''')[1].cpu
            row += [f'{join:.2f}', f'{made:.2f}']
        else:
            row += ['', '']
        x, y, mark = np.array(server.query('SELECT x, y, mark FROM points'), float).T
        row.append(f'{cpu(lambda: tree(x, y, mark.astype(int), radius))[1]:.2f}' if n * neighbours <= 4e6 else '')
        rows.append(row)
    table('Marks around points, 20 marks, CPU s', ['points', 'neighbours', 'tlv_point_features', 'us a point', 'peak MB', 'GiST join', 'making the index', 'cKDTree'], rows)


# ---- tissues ----

LAYERS = "(1, '{0, .70, .80, .90, .95}'), (2, '{0, .10, .70, .85, .95}'), (3, '{0, .05, .20, .80, .90}'), (4, '{0, .05, .10, .25, .80}')"


def tissue(seed, molecules):
    s = 100 * seed
    for statement in f'''
        DROP TABLE IF EXISTS tissue, profiles, cells, molecules, spots, bins;
        CREATE OR REPLACE FUNCTION uniform(i bigint, stream int) RETURNS float8 LANGUAGE sql IMMUTABLE
          AS 'SELECT ((hashint8extended(i, stream) >> 11) & 4503599627370495) / 4503599627370496.0::float8';
        CREATE TABLE tissue AS SELECT tlv_simulate_lda_model(items => 60, k => 5, concentration => 0.2, seed => {seed + 3}) AS truth;
        CREATE TABLE profiles AS SELECT topic AS type, array_agg(below ORDER BY item) AS below
          FROM (SELECT topic, item, sum(probability) OVER (PARTITION BY topic ORDER BY item) - probability AS below FROM tissue, tlv_topic_items(truth)) AS p GROUP BY topic;
        CREATE TABLE cells AS SELECT id, x, y, width_bucket(uniform(id, {s + 3}), below)::bigint AS type
          FROM (SELECT id, uniform(id, {s + 1}) AS x, uniform(id, {s + 2}) AS y, 1 + floor(4 * uniform(id, {s + 2}))::int AS layer FROM generate_series(1, 10000) id) AS c
          JOIN (VALUES {LAYERS}) AS l(layer, below_) USING (layer), LATERAL (SELECT below_::float8[] AS below) AS b;
        CREATE TABLE molecules AS SELECT x + 0.004 * (uniform(10 * id + n, {s + 4}) - 0.5) AS x, y + 0.004 * (uniform(10 * id + n, {s + 5}) - 0.5) AS y,
          width_bucket(uniform(10 * id + n, {s + 6}), below)::bigint AS gene FROM cells JOIN profiles USING (type), generate_series(0, {molecules - 1}) AS n;
        CREATE TABLE spots AS SELECT i, j, genes, types
          FROM (SELECT i, j, gene, type, tlv_point_features(x, y, gene, 0.0166) OVER () AS genes, tlv_point_features(x, y, type, 0.0166) OVER () AS types
                FROM (SELECT NULL::int AS i, NULL::int AS j, x, y, gene, NULL::bigint AS type FROM molecules UNION ALL SELECT NULL, NULL, x, y, NULL, type FROM cells UNION ALL
                      SELECT i, j, (i + 0.5) / 30, (j + 0.5) / 30, NULL, NULL FROM generate_series(0, 29) i, generate_series(0, 29) j) AS places) AS around WHERE i IS NOT NULL;
        CREATE TABLE bins AS SELECT width_bucket(size, -2, 14, 16) AS i, width_bucket(crowd, 5, 20, 3) AS j, tlv_bag_agg(gene) AS genes
          FROM (SELECT id, size, tlv_bag_total(around) AS crowd, gene
                FROM (SELECT id, type, 2 * type + 3 * (uniform(id, {s + 11}) + uniform(id, {s + 12}) + uniform(id, {s + 13}) - 1.5) AS size,
                             tlv_point_features(x, y, 1, 0.02) OVER () AS around FROM cells) AS c
                JOIN profiles USING (type), generate_series(0, 2) AS n, LATERAL (SELECT width_bucket(uniform(3 * id + n, {s + 14}), below)::bigint AS gene) AS g) AS q GROUP BY 1, 2'''.split(';\n'):
        server.query(statement)
    return read(5, 'SELECT topic, item, probability FROM tissue, tlv_topic_items(truth)')


def read(n, sql, columns=60):
    """a matrix of (row from 1, column from 1, value)"""
    m = np.zeros((n, columns))
    for i, j, v in server.query(sql):
        m[int(i) - 1, int(j) - 1] = float(v)
    return m


def numbered(where, bag='genes', table_='spots'):
    return f'SELECT n, item, weight FROM (SELECT row_number() OVER (ORDER BY i, j) AS n, {bag} AS b FROM {table_} WHERE {where}) AS q, tlv_bag_items(b)'


def inferred(n, model, table_, where):
    """shares of all types in the spots"""
    return read(n, f'''SELECT n, t, share FROM (SELECT row_number() OVER (ORDER BY i, j) AS n, tlv_infer({model}, genes) AS h FROM spots, {table_} WHERE {where}) AS q,
        unnest(h) WITH ORDINALITY AS u(share, t)''', 5)


def matched(truth, profiles):
    d = np.abs(truth[:, None] - profiles[None]).sum(2)
    a, b = linear_sum_assignment(d)
    return d[a, b].mean(), b


def unit(m):
    return m / np.maximum(m.sum(1, keepdims=True), 1e-12)


def peers(counts, held):
    from sklearn.decomposition import NMF, LatentDirichletAllocation

    def lda():
        best = LatentDirichletAllocation(5, max_iter=30, random_state=0).fit(counts)   # one start: it takes long
        return unit(best.components_), None if held is None else best.transform(held)

    def nmf(loss, solver):
        def fit():
            fits = [NMF(5, init='random', beta_loss=loss, solver=solver, max_iter=1000, random_state=r).fit(counts) for r in range(3)]
            best = min(fits, key=lambda m: m.reconstruction_err_)
            h = best.components_
            return unit(h), None if held is None else unit(best.transform(held) * h.sum(1))
        return fit
    yield 'scikit-learn LDA', lda
    yield 'scikit-learn NMF', nmf('frobenius', 'cd')
    yield 'scikit-learn NMF, Kullback-Leibler', nmf('kullback-leibler', 'mu')


def tissues():
    found, known = {}, {}
    for molecules in (10, 2):
        for seed in range(1, seeds + 1):
            truth = tissue(seed, molecules)
            even, odd = '(i + j) % 2 = 0', '(i + j) % 2 = 1'
            n = int(server.value(f'SELECT count(*) FROM spots WHERE {odd}'))
            shares = unit(read(n, numbered(odd, 'types'), 5))
            held, counts = read(n, numbered(odd)), read(n, numbered(even))

            def note(where, what, seconds, profiles, h):
                distance, order = matched(truth, profiles)
                error = np.nan if h is None else np.sqrt(((h[:, order] - shares)**2).mean())
                found.setdefault((where, what), []).append((distance, error, seconds))

            spots = f'spots, {molecules} molecules a cell'
            for name, what, where in ((spots, 'spots', even), ('joint histograms', 'bins', 'true'))[:2 if molecules == 10 else 1]:
                seconds = server.cost(f"CREATE TABLE made AS SELECT tlv_lda('SELECT genes FROM {what} WHERE {where}', k => 5) AS model")[1].cpu
                profiles = read(5, 'SELECT topic, item, probability FROM made, tlv_topic_items(model)')
                h = None
                if what == 'spots':
                    h = inferred(n, 'model', 'made', odd)
                server.query('DROP TABLE made')
                note(name, 'tlv_lda', seconds, profiles, h)
                matrix = counts if what == 'spots' else read(int(server.value('SELECT count(*) FROM bins')), numbered('true', 'genes', 'bins'))
                for peer, fit in peers(matrix, held if what == 'spots' else None):
                    (p, h), seconds = cpu(fit)
                    note(name, peer, seconds, p, h)
            h = inferred(n, 'truth', 'tissue', odd)
            known.setdefault((spots, 'tlv_infer'), []).append((np.sqrt(((h - shares)**2).mean()), server.median(f'SELECT count(tlv_infer(truth, genes)) FROM spots, tissue WHERE {odd}').cpu))
            h, seconds = cpu(lambda: unit(np.array([nnls(truth.T, x)[0] for x in held])))
            known.setdefault((spots, 'non-negative least squares'), []).append((np.sqrt(((h - shares)**2).mean()), seconds))
            h, seconds = cpu(lambda: unit(np.array([nnls(truth.T / np.sqrt(counts.mean(0) + .01)[:, None], x / np.sqrt(counts.mean(0) + .01))[0] for x in held])))
            known.setdefault((spots, 'the same, genes scaled'), []).append((np.sqrt(((h - shares)**2).mean()), seconds))
    table(f'Five types from spots and joint histograms, mean of {seeds} tissues', ['counts', 'method', 'L1 of profiles', 'error of shares', 'CPU s'],
          [[*key, *(f'{v:.3f}' if np.isfinite(v) else '' for v in np.mean(values, 0)[:2]), f'{np.mean(values, 0)[2]:.2f}'] for key, values in found.items()])
    table('Shares by the true profiles', ['counts', 'method', 'error of shares', 'CPU s'], [[*key, *(f'{v:.3f}' for v in np.mean(values, 0))] for key, values in known.items()])


for part in parts:
    {'speed': speed, 'tissue': tissues}[part]()
