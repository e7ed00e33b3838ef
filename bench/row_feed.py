"""Row feed: rows (doc, term, n) into bags, and every pass over the bags, against what the
server does anyway with the same rows.  --rows=N (10 000 000)"""
import sys
from common import Session, machine, median, np, table
import time

ROWS = next((int(a.split('=')[1]) for a in sys.argv[1:] if a.startswith('--rows=')), 10_000_000)
ITEMS, K = 2000, 20
REPEATS = 3


def light():
    """speeds of one core: dgemm in GFLOP/s, daxpy from memory and from cache in GFLOP/s, a copy in GB/s"""
    from scipy.linalg.blas import daxpy, dgemm
    a = np.asfortranarray(np.random.rand(1500, 1500))
    x, y = np.random.rand(40_000_000), np.random.rand(40_000_000)
    u, v = np.random.rand(2000), np.random.rand(2000)

    def best(run, repeats=7):
        times = []
        for _ in range(repeats):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
        return min(times)

    gemm = 2 * 1500**3 / best(lambda: dgemm(1, a, a)) / 1e9
    far = 2 * len(x) / best(lambda: daxpy(x, y)) / 1e9
    near = 2 * 2000 * 20000 / best(lambda: [daxpy(u, v) for _ in range(20000)]) / 1e9
    copy = 16 * len(x) / best(lambda: np.copyto(y, x)) / 1e9
    print(f'speed of light, one core: dgemm {gemm:.0f} GFLOP/s, daxpy {near:.1f} GFLOP/s in cache and '
          f'{far:.1f} from memory, copy {copy:.0f} GB/s')
    return gemm, near


s = Session(max_parallel_workers_per_gather=0)
machine(s)
gemm, axpy = light()

# -- rows into bags ----------------------------------------------------------

FEEDS = {
    'count(*)': 'SELECT count(*) FROM feed',
    'sum(n)': 'SELECT count(s) FROM (SELECT doc, sum(n) AS s FROM feed GROUP BY doc) q',
    'two array_agg': 'SELECT count(a), count(b) FROM (SELECT doc, array_agg(term) AS a, array_agg(n) AS b '
                     'FROM feed GROUP BY doc) q',
    'tlv_bag': 'SELECT count(bag) FROM (SELECT doc, tlv_bag_agg(term, n) AS bag FROM feed GROUP BY doc) q',
}


def feed(groups, kind):
    term = "'w' || (random() * {0})::int" if kind == 'text' else '1 + (random() * {0})::int::bigint'
    s.query(f'DROP TABLE IF EXISTS feed; SELECT setseed(0.5); CREATE UNLOGGED TABLE feed AS SELECT '
            f'(i / {ROWS // groups})::int AS doc, 1 + (random() * random() * 3)::int AS n, '
            f'{term.format(ITEMS - 1)} AS term FROM generate_series(0, {ROWS - 1}) i')
    s.query('VACUUM ANALYZE feed')


rows = []
for kind in ('text', 'bigint'):
    for groups in (1000, 10_000, 100_000):
        feed(groups, kind)
        for way in ('hash', 'sort') if groups == 100_000 else ('hash',):
            s.set(enable_sort='on' if way == 'sort' else 'off', enable_hashagg='off' if way == 'sort' else 'on')
            cpu = {name: s.median(sql, REPEATS).cpu for name, sql in FEEDS.items()}
            plan = s.nodes(FEEDS['tlv_bag']).split(' > ')[1]
            rows.append([f'{kind}, {groups} groups, {plan}', cpu['count(*)'], cpu['sum(n)'], cpu['two array_agg'],
                         cpu['tlv_bag'], f"{cpu['tlv_bag'] / cpu['sum(n)']:.2f}",
                         f"{cpu['tlv_bag'] / cpu['two array_agg']:.2f}", f"{ROWS / cpu['tlv_bag'] / 1e6:.1f}"])
s.set(enable_sort='on', enable_hashagg='on')
table(f'{ROWS} rows (doc, term, n) grouped by doc, CPU seconds of one process (median of {REPEATS}); '
      'asked for: tlv_bag under 4 x sum(n) at 100 000 groups',
      ['', 'count(*)', 'sum(n)', '2 array_agg', 'tlv_bag', '/ sum(n)', '/ array_agg', 'M rows/s'], rows)

# -- passes over the bags ------------------------------------------------------

s.query('DROP TABLE IF EXISTS bags; CREATE UNLOGGED TABLE bags AS SELECT tlv_bag_agg(term, n) AS bag FROM feed GROUP BY doc')
s.query('VACUUM ANALYZE bags')
docs, nnz, tokens, squares, size = map(float, s.query(
    "SELECT count(*), sum(tlv_bag_size(bag)), sum(tlv_bag_total(bag)), sum(tlv_bag_size(bag)::float8 ^ 2), pg_table_size('bags') FROM bags")[0])
assert tokens == float(s.value('SELECT sum(n) FROM feed')), 'tokens were lost'
s.query(f'CREATE TEMP TABLE start AS SELECT tlv_find_subspace(tlv_count_summary(bag), {K}) AS s FROM bags')
s.query('CREATE UNLOGGED TABLE subspaces AS SELECT tlv_find_subspace(tlv_count_products(bag, s), subspace => s) AS s FROM bags, start GROUP BY start.s')
S = '(SELECT s FROM subspaces)'
W = 2 * K                                       # columns of the iterated basis
PASSES = [                                      # name, SQL, floating point operations
    ('scan: count, sum(tlv_bag_total)', 'SELECT count(bag), sum(tlv_bag_total(bag)) FROM bags', 0),
    ('tlv_count_summary', 'SELECT tlv_count_summary(bag) IS NULL FROM bags', 0),
    ('tlv_count_moments', 'SELECT tlv_count_moments(bag) IS NULL FROM bags', squares),
    (f'tlv_count_products, {W} columns', f'SELECT tlv_count_products(bag, {S}) IS NULL FROM bags',
     4 * W * nnz + 2 * W * W * docs),
    (f'tlv_count_moments(bag, s), k={K}', f'SELECT tlv_count_moments(bag, {S}) IS NULL FROM bags',
     4 * K * nnz + (2 * K**2 + K**3 / 3) * docs),
]
rows = []
for name, sql, flops in PASSES:
    s.set(max_parallel_workers_per_gather=0)
    one = s.median(sql, 5)
    s.set(max_parallel_workers_per_gather=2)
    chosen = s.nodes(sql)
    s.set(parallel_setup_cost=0)                  # workers whether or not the planner thinks they pay
    both, plan = s.median(sql, 5), s.nodes(sql)
    s.query('RESET parallel_setup_cost')
    if not rows:
        scan = one.cpu
    rows.append([name, one.cpu, f'{one.cpu / scan:.1f}', f'{one.cpu / nnz * 1e9:.1f}',
                 f'{flops / one.cpu / 1e9:.1f}' if flops else '', f'{size / one.cpu / 1e9:.2f}',
                 f'{one.wall:.2f}', f'{both.wall:.2f}', f'{one.wall / both.wall:.2f}', f'{both.cpu:.2f}',
                 'parallel' if 'Gather' in chosen else 'serial'])
table(f'passes over {docs:.0f} bags of {ITEMS} items, {nnz:.0f} non-zeros, {size / 2**20:.0f} MB: '
      'one process, then 2 workers and the leader (median of 5)',
      ['', 'CPU s', '/ scan', 'ns/non-zero', 'GFLOP/s', 'GB/s', 'wall s', '2 workers', 'speed-up', 'CPU s', "planner's choice"], rows)
print(f'  the parallel plan: {plan}')
print(f'  speed of light: {gemm:.0f} GFLOP/s in dgemm; gather and scatter are daxpy, {axpy:.1f} GFLOP/s in cache')
