"""A stored model applied to single rows: pgbench beside the selection of the same row, a trigger that classifies
what is inserted, with models kept open (tensorlv.model_cache) and without; bytes of stored models and of the moments
of periods, windows over them, memory of fits with default settings.  --seconds=N a rate (5), --clients=N (20), --only=rates | sizes | memory"""
import os, re, subprocess, sys, tempfile
from common import Session, machine, table

SECONDS = next((int(a[10:]) for a in sys.argv if a.startswith('--seconds=')), 5)
CLIENTS = next((int(a[10:]) for a in sys.argv if a.startswith('--clients=')), 20)
ONLY = next((a[7:] for a in sys.argv if a.startswith('--only=')), None)
DOCS = 2000
NEWS = os.environ.get('TLV_SHARED_DATA', '') + '/newsgroups20-train/doc_word.csv.gz'
MODELS = {'topics, 5,000 items': (1, 'tlv_simulate_lda_model(5000, 20)'), 'topics, 100,000 items': (2, 'tlv_simulate_lda_model(100000, 20)')}


def rate(sql, **settings):
    """transactions of one prepared statement in a second"""
    with tempfile.NamedTemporaryFile('w', suffix='.sql') as script:
        script.write(f'\\set id random(1, {DOCS})\n{sql};\n')
        script.flush()
        options = ' '.join(f'-c {name.replace("__", ".")}={value}' for name, value in settings.items())
        out = subprocess.run(['pgbench', '-n', '-M', 'prepared', '-c', str(CLIENTS), '-T', str(SECONDS), '-f', script.name],
                             env=dict(os.environ, PGOPTIONS=options), capture_output=True, text=True, check=True).stdout
    return float(re.search(r'^tps = ([\d.]+)', out, re.M)[1])


def applied():
    rows = []
    for name, (model, _) in MODELS.items():
        size = s.value(f'SELECT pg_column_size(model) / 1e6 FROM models WHERE id = {model}')
        select = rate(f'SELECT bag FROM docs{model} WHERE doc = :id')
        assign = f'SELECT tlv_assign((SELECT model FROM models WHERE id = {model}), bag) FROM docs{model} WHERE doc = :id'
        kept, opened = rate(assign), rate(assign, tensorlv__model_cache=0)
        rows.append([name, f'{float(size):.1f}', f'{select:.0f}', f'{kept:.0f}', f'{kept / select:.2f}', f'{opened:.0f}', f'{opened / select:.2f}'])
    table(f'statements in a second, {CLIENTS} clients', ['model', 'MB', 'bag alone', 'tlv_assign', 'of it', 'opened each time', 'of it'], rows)


def triggered():
    rows = []
    for name, (model, _) in MODELS.items():
        s.query(f"""CREATE OR REPLACE FUNCTION classify() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.topic := tlv_assign((SELECT model FROM models WHERE id = {model}), NEW.bag); RETURN NEW; END$$""")
        cost = {}
        for limit, docs in ('64MB', DOCS), ('0', DOCS // 20):
            s.query(f"SET tensorlv.model_cache = '{limit}'")
            cost[limit] = s.median(f'INSERT INTO classified SELECT doc, bag FROM docs{model} LIMIT {docs}').cpu * DOCS / docs
        rows.append([name, f"{cost['64MB']:.2f}", f"{cost['0']:.2f}"])
    table(f'{DOCS} rows inserted through a trigger that calls tlv_assign, CPU seconds', ['model', 'kept open', 'opened each time'], rows)


def sizes():
    """20 topics of newsgroups, and its documents in 374 periods"""
    s.query(f"""CREATE TABLE news_counts (doc bigint, word bigint, n int);
        COPY news_counts FROM PROGRAM 'gzip -dc {NEWS}' (FORMAT csv, HEADER)""")
    s.query("""CREATE TABLE news AS SELECT doc, doc % 374 AS period, tlv_bag_agg(abs(hashtextextended(word::text, 0)), n) AS bag FROM news_counts GROUP BY doc;
        CREATE TABLE news_model AS SELECT tlv_lda('SELECT bag FROM news', k => 20) AS model;
        CREATE TABLE basis AS SELECT tlv_find_subspace(tlv_count_summary(bag), 20, min_documents => 2) AS s FROM news;
        CREATE TABLE periods AS SELECT period, tlv_count_moments(bag, s) AS moments, tlv_count_summary(bag) AS summary, tlv_rollup(bag) AS bags,
            sum(pg_column_size(bag)) AS bytes FROM news, basis GROUP BY period""")
    s.query('VACUUM ANALYZE')
    d = int(s.value("SELECT tlv_info(model)->'arrays'->'items'->>0 FROM news_model"))
    stored = int(s.value("SELECT tlv_info(model)->>'bytes' FROM news_model"))
    n, k, words = (int(x) for x in s.query("""SELECT count(*), 20, max((tlv_info(moments)->'arrays'->'totals'->>0)::int) FROM periods""")[0])
    bags, moments, summaries = (float(s.value(f'SELECT {x} FROM periods')) for x in ('sum(bytes)', 'sum(pg_column_size(moments))', 'sum(pg_column_size(summary))'))
    dense = n * 8 * (words * (4 + k) + k * (k + 1) * (k + 2) / 6 + k * (k + 3) / 2)
    table('bytes', ['value', 'every number in 8 bytes, MB', 'stored, MB', 'of the bags'], [
        [f'topics, 20 x {d} items', f'{8 * d * 22 / 1e6:.2f}', f'{stored / 1e6:.2f}', ''],
        [f'moments of {n} periods, k = 20, {words} items', f'{dense / 1e6:.1f}', f'{moments / 1e6:.2f}', f'{moments / bags:.2f}'],
        [f'summaries of {n} periods', '', f'{summaries / 1e6:.2f}', f'{summaries / bags:.2f}'],
        [f'bags of {n} periods', '', f'{bags / 1e6:.2f}', '1.00']])
    rows = []
    for name, column in ('bags (subtracted)', 'bags'), ('summaries (subtracted)', 'summary'), ('moments (added up anew)', 'moments'):
        whole = s.median(f'SELECT tlv_rollup({column}) FROM periods', 1).cpu
        moving = s.median(f'SELECT count(w) FROM (SELECT tlv_rollup({column}) OVER (ORDER BY period ROWS 29 PRECEDING) AS w FROM periods WHERE period < 365) q', 1).cpu
        rows.append([name, f'{whole:.2f}', f'{moving:.2f}'])
    table('CPU seconds', ['values', 'all periods once', 'windows of 30 over 365 periods'], rows)
    s.query('''CREATE TABLE long_days AS SELECT doc % 365 AS day, tlv_count_summary(bag) AS summary
        FROM tlv_simulate_lda(tlv_simulate_lda_model(50000, 50, alpha0 => 1, concentration => 0.01), 365 * 200, 100) GROUP BY doc % 365''')
    moving = s.median('SELECT count(w) FROM (SELECT tlv_rollup(summary) OVER (ORDER BY day ROWS 59 PRECEDING) AS w FROM long_days) q', 1).cpu
    table('CPU seconds', ['values', 'windows of 60 over 365 days'], [['summaries of 200 documents of 100 words among 50,000', f'{moving:.2f}']])


def fit_memory():
    """100,000 short texts of 100,000 lexemes, default settings"""
    s.query('CREATE TABLE texts AS SELECT doc, bag FROM tlv_simulate_lda((SELECT tlv_simulate_lda_model(100000, 20)), 100000, 20)')
    s.query('VACUUM ANALYZE texts')
    return fit_cost('100,000 texts of 20 words among 100,000, k = 20', "SELECT tlv_lda('SELECT bag FROM texts', k => 20, iterations => 3) IS NOT NULL")


def embeddings_memory():
    """100,000 embeddings of 1536 numbers in 40 clusters, as real[], default settings"""
    s.query('''CREATE TABLE items AS SELECT id, x::real[] AS embedding
        FROM tlv_simulate_gmm((SELECT tlv_simulate_gmm_model(1536, 40, separation => 12)), 100000)''')
    s.query('VACUUM ANALYZE items')
    return fit_cost('100,000 embeddings of 1536 numbers, k = 40', "SELECT tlv_gmm('SELECT embedding FROM items', k => 40) IS NOT NULL")


def fit_cost(name, sql):
    s = Session(max_parallel_workers_per_gather=0)   # a process of its own: the memory of another fit is not counted
    s.query('SELECT FROM tlv_build_info()')  # settings are known once the library is loaded
    limit = s.value("SELECT boot_val FROM pg_settings WHERE name = 'tensorlv.work_mem'")
    s.query(f'SET tensorlv.work_mem = {limit}')
    cost = s.cost(sql)[1]
    return [name, f'{float(limit) / 1024:.0f}', f'{cost.cpu:.1f}', f'{cost.leader_mb:.0f}', f'{cost.leader_mb / float(limit) * 1024:.2f}']


def memory():
    table('memory of fits with default settings', ['rows', 'limit, MB', 'CPU s', 'leader, private MB', 'of the limit'], [fit_memory(), embeddings_memory()])


s = Session(max_parallel_workers_per_gather=0)
machine(s)
if ONLY in (None, 'sizes'):
    sizes()
if ONLY in (None, 'memory'):
    memory()
if ONLY not in (None, 'rates'):
    sys.exit()
s.query('CREATE TABLE models (id int PRIMARY KEY, model tlv_model)')
s.query('CREATE TABLE classified (doc bigint, bag tlv_bag, topic int)')
for model, made in MODELS.values():
    s.query(f'INSERT INTO models SELECT {model}, {made}')
    s.query(f'CREATE TABLE docs{model} AS SELECT doc, bag FROM tlv_simulate_lda((SELECT model FROM models WHERE id = {model}), {DOCS}, 60)')
    s.query(f'CREATE UNIQUE INDEX ON docs{model} (doc)')
s.query('VACUUM ANALYZE')
applied()
s.query('CREATE OR REPLACE FUNCTION classify() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$')
s.query('CREATE TRIGGER classify BEFORE INSERT ON classified FOR EACH ROW EXECUTE FUNCTION classify()')
triggered()
