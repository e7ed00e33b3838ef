"""What travels: states of shards as text, as Citus and postgres_fdw have them, put together in one place; and a whole fit over
that many foreign servers beside the same rows here.

--shards=32, --documents=100 (of each), --items=50000, --k=50"""
import sys
from common import Session, machine, table

options = {'shards': 32, 'documents': 100, 'items': 50000, 'k': 50}
for option in sys.argv[1:]:
    name, _, number = option.lstrip('-').partition('=')
    if name not in options:
        sys.exit('options: ' + ', '.join(f'--{n}={v}' for n, v in options.items()))
    options[name] = int(number)
shards, k = options['shards'], options['k']
s = Session(tensorlv__work_mem='8GB', max_parallel_workers_per_gather=0)
machine(s)
s.query('CREATE EXTENSION IF NOT EXISTS postgres_fdw')
s.query(f'''CREATE TABLE documents AS SELECT doc AS id, bag
    FROM tlv_simulate_lda(tlv_simulate_lda_model(items => {options['items']}, k => {k}, seed => 1), {shards * options['documents']}, 150, seed => 2)''')
s.query('CREATE TABLE summaries AS SELECT tlv_count_summary(bag) AS summary FROM documents')
s.query(f'CREATE TABLE bases AS SELECT tlv_find_subspace(summary, {k}) AS subspace FROM summaries')
s.query(f'CREATE TABLE states AS SELECT id % {shards} AS shard, tlv_count_products(bag, (SELECT subspace FROM bases)) AS state FROM documents GROUP BY 1')
s.query('''CREATE TABLE texts (shard bigint, state text); ALTER TABLE texts ALTER state SET STORAGE EXTERNAL; INSERT INTO texts SELECT shard, state::text FROM states''')
rows = []
for what, sql in (('the pass over all rows here', 'SELECT tlv_info(tlv_count_products(bag, (SELECT subspace FROM bases))) FROM documents'),
                  ('states to text', 'SELECT sum(length(state::text)) FROM states'),
                  ('text to states, and their sum', 'SELECT tlv_info(tlv_rollup(state::tlv_moments)) FROM texts')):
    cost = s.median(sql)
    rows.append([what, f'{cost.cpu:.2f}', round(cost.leader_mb)])
stored, text = s.query('SELECT sum(pg_column_size(state)) / 1e6, sum(length(state::text)) / 1e6 FROM states')[0]
table(f'A products pass, {shards} shards of {options["documents"]} documents, {options["items"]} items, k = {k}: {float(stored):.0f} MB of states, {float(text):.0f} as text '
      '(wanted: 5 CPU s and 400 MB in all)', ['', 'CPU s', 'private MB'], rows)

for i in range(shards):
    s.query(f'''DO $$ BEGIN EXECUTE format('CREATE SERVER shard{i} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions ''tensorlv'')',
        split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
        EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER shard{i} OPTIONS (user %L)', current_user); END $$''')
    s.query(f"CREATE VIEW part{i} AS SELECT bag FROM documents WHERE id % {shards} = {i}; CREATE FOREIGN TABLE far{i} (bag tlv_bag) SERVER shard{i} OPTIONS (table_name 'part{i}')")
s.close()
rows = []
parts = ' UNION ALL '.join(f'SELECT bag FROM far{i}' for i in range(shards))
for what, query in (('here', 'SELECT bag FROM documents'), (f'{shards} servers', parts)):
    s = Session(tensorlv__work_mem='8GB', max_parallel_workers_per_gather=0)
    _, cost = s.cost(f"CREATE TABLE fit{len(rows)} AS SELECT tlv_lda('{query}', {k}, refine => 'none') AS model")
    passes = s.value(f"SELECT score FROM fit{len(rows)}, tlv_diagnostics(model) WHERE measure = 'passes'")
    s.close()
    rows.append([what, f'{cost.leader_cpu:.1f}', passes, round(cost.leader_mb)])
s = Session()
distance = s.value('SELECT max(distance) FROM fit0 a, fit1 b, tlv_match(a.model, b.model)')
table(f"tlv_lda(..., {k}, refine => 'none'); the largest distance of two topics of both fits: {float(distance):.1e}", ['rows', 'CPU s, leader', 'passes', 'private MB'], rows)
