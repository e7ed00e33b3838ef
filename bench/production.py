"""A stored model applied to single rows: pgbench beside the selection of the same row, a trigger that classifies
what is inserted, with models kept open (tensorlv.model_cache) and without.  --seconds=N a rate (5), --clients=N (20)"""
import os, re, subprocess, sys, tempfile
from common import Session, machine, table

SECONDS = next((int(a[10:]) for a in sys.argv if a.startswith('--seconds=')), 5)
CLIENTS = next((int(a[10:]) for a in sys.argv if a.startswith('--clients=')), 20)
DOCS = 2000
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


s = Session(max_parallel_workers_per_gather=0)
machine(s)
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
