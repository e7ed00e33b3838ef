"""The size of the New York Times corpus, simulated: 300 000 documents, 100 000 items, about 70
million non-zeros, from a table of bags; a fit of 50 topics without refinement by parallel
workers; then how time grows with documents, items and topics.
--quick: a tenth of the documents and of the items; --fit: the large fit only."""
import sys
from common import Session, machine, np, table

QUICK, ONLY_FIT = '--quick' in sys.argv, '--fit' in sys.argv
TENTH = 10 if QUICK else 1
DOCS, ITEMS, K, NON_ZEROS = 300_000 // TENTH, 100_000 // TENTH, 50, 233    # non-zeros of a document
WORK_MEM = '2GB'
PUBMED = 8_200_000, 730_000_000

s = Session()
machine(s)


def simulate(name, docs, items, k):
    """a table of bags from a random model of k topics; returns its non-zeros"""
    s.query(f'DROP TABLE IF EXISTS truth, {name}; CREATE TEMP TABLE truth AS SELECT '
            f'tlv_simulate_lda_model({items}, {k}, alpha0 => 2.5) AS model')
    length = NON_ZEROS
    for _ in range(4):          # the length whose distinct items are as many as wanted
        found = float(s.value(f'SELECT avg(tlv_bag_size(b.bag)) FROM truth, tlv_simulate_lda(model, 500, {length}) b'))
        length = round(length * NON_ZEROS / found)
    s.query(f'CREATE UNLOGGED TABLE {name} AS SELECT b.doc, b.bag FROM truth, tlv_simulate_lda(model, {docs}, {length}, 2) b')
    s.query(f'VACUUM ANALYZE {name}')
    n, size = s.query(f"SELECT sum(tlv_bag_size(bag)), pg_table_size('{name}') FROM {name}")[0]
    print(f'{name}: {docs} documents of {length} tokens, {items} items, {k} topics: {int(n) / 1e6:.1f} M non-zeros, '
          f'{int(size) / 2**20:.0f} MB', flush=True)
    return int(n)


def fit(query, k, check=None):
    """Cost and diagnostics of a fit in a new session"""
    f = Session(tensorlv__work_mem=WORK_MEM, max_parallel_workers_per_gather=2)
    cost = f.cost(f"CREATE TEMP TABLE m AS SELECT tlv_lda('{query}', k => {k}, refine => 'none') AS model", full=True)[1]
    d = dict(f.query("SELECT concat_ws('_', measure, component), score FROM m, tlv_diagnostics(model)"))
    lost = ''
    if check:
        f.query(f'CREATE TEMP TABLE truth AS SELECT tlv_simulate_lda_model({check}, {k}, alpha0 => 2.5) AS model')
        lost = f.query('SELECT round(avg(distance)::numeric, 3), count(*) FILTER (WHERE error > 1) '
                       'FROM truth t, m, tlv_match(t.model, m.model)')[0]
    f.close()
    return cost, d, lost


head = ['', 'M non-zeros', 'wall s', 'CPU s', 'leader CPU s', 'workers', 'passes', 'leader MB', 'largest worker MB',
        'all private MB', 'with buffers MB', 'L1 mean, lost']


def row(label, non_zeros, result):
    c, d, lost = result
    return [label, f'{non_zeros / 1e6:.1f}', f'{c.wall:.1f}', f'{c.cpu:.1f}', f'{c.leader_cpu:.1f}', c.workers,
            d.get('passes', ''), f'{c.leader_mb:.0f}', f'{c.worker_mb:.0f}', f'{c.private_mb:.0f}', f'{c.total_mb:.0f}',
            ', '.join(lost)]


nnz = simulate('nyt', DOCS, ITEMS, K)
s.set(max_parallel_workers_per_gather=2, tensorlv__work_mem=WORK_MEM)
s.query(f'CREATE TEMP TABLE start AS SELECT tlv_find_subspace(tlv_count_summary(bag), {K}) AS s FROM nyt')
print(f"settings: tensorlv.work_mem = {WORK_MEM}, max_parallel_workers_per_gather = 2, shared_buffers = {s.value('SHOW shared_buffers')}")
s.query('PREPARE pass(tlv_subspace) AS SELECT tlv_count_products(bag, $1) FROM (SELECT bag FROM nyt) AS q(bag)')
print('plan of a pass: ' + s.nodes('EXECUTE pass(NULL)'))
scan = s.cost('SELECT count(bag), sum(tlv_bag_total(bag)) FROM nyt')[1]
print(f'a scan of the bags by the same plan: {scan.wall:.2f} s, {scan.cpu:.2f} CPU s')
s.query('DROP TABLE start')
whole = fit('SELECT bag FROM nyt', K, ITEMS)
table(f'the whole fit, k = {K}; asked for: under 120 s and 4096 MB', head, [row(f'{DOCS} documents', nnz, whole)])
if ONLY_FIT:
    sys.exit()

# -- growth -------------------------------------------------------------------

rows, points = [], {'documents': [], 'items': [], 'topics': []}
for part in (4, 2):
    result = fit(f'SELECT bag FROM nyt WHERE doc <= {DOCS // part}', K)
    rows.append(row(f'{DOCS // part} documents', nnz / part, result))
    points['documents'].append((DOCS // part, result))
rows.append(row(f'{DOCS} documents', nnz, whole))
points['documents'].append((DOCS, whole))
few = DOCS // 4
for part in (4, 2):
    n = simulate('other', few, ITEMS // part, K)
    result = fit('SELECT bag FROM other', K, ITEMS // part)
    rows.append(row(f'{few} documents, {ITEMS // part} items', n, result))
    points['items'].append((ITEMS // part, result))
points['items'].append((ITEMS, points['documents'][0][1]))
for k in (K // 2, 2 * K):
    n = simulate('other', few, ITEMS, k)
    result = fit('SELECT bag FROM other', k, ITEMS)
    rows.append(row(f'{few} documents, {k} topics', n, result))
    points['topics'].append((k, result))
points['topics'].insert(1, (K, points['documents'][0][1]))
table('growth', head, rows)


def slope(at, get):
    x, y = [p[0] for p in points[at]], [get(p[1]) for p in points[at]]
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def per_pass(r):
    return r[0].cpu / float(r[1].get('passes', 1))


table('exponents (log-log slopes)', ['time grows with', 'from', 'to', 'CPU s', 'CPU s per pass', 'wall s', 'private MB'],
      [[at, p[0][0], p[-1][0], f'{slope(at, lambda r: r[0].cpu):.2f}', f'{slope(at, per_pass):.2f}',
        f'{slope(at, lambda r: r[0].wall):.2f}', f'{slope(at, lambda r: r[0].private_mb):.2f}'] for at, p in points.items()])
# Beyond these sizes by the straight line through the last doubling: the fixed part, which
# grows with items x topics only, makes the exponent too good.
half, full = points['documents'][1][1][0], whole[0]
for name in ('wall', 'cpu'):
    a, b = getattr(half, name), getattr(full, name)
    print(f"  PubMed ({PUBMED[0] / 1e6:.1f} M documents, {PUBMED[1] / 1e6:.0f} M non-zeros) by the straight line through the last "
          f"two sizes, {'wall' if name == 'wall' else 'CPU'} minutes: {(b + (PUBMED[1] / nnz - 1) * 2 * (b - a)) / 60:.1f}, "
          f'and {(b + (PUBMED[0] / DOCS - 1) * 2 * (b - a)) / 60:.1f} if its documents were as long as these')
