-- Layered sparse networks: counts of items that are on together, units, signs, layers, codes, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
-- counts: an item twice in a set is there once; sets with a null are left out; merged, and windows by what leaves
CREATE TABLE baskets(id int, active int[]);
INSERT INTO baskets VALUES (1, '{3,1,2,2}'), (2, '{1,2,3}'), (3, '{2}'), (4, '{}'), (5, NULL), (6, '{1,NULL}'), (7, '{-5,9000000,2}');
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'nulls' AS nulls, m = (m::text)::tlv_moments AS text_form FROM (SELECT tlv_cofire(active) AS m FROM baskets) q, tlv_info(m) i;
SELECT tlv_rollup(m) = (SELECT tlv_cofire(active) FROM baskets) AS parts FROM (SELECT tlv_cofire(active) AS m FROM baskets GROUP BY id % 3) q;
SELECT bool_and(m = (SELECT tlv_cofire(active) FROM baskets o WHERE o.id BETWEEN q.id - 1 AND q.id)) AS windows
FROM (SELECT id, tlv_cofire(active) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS m FROM baskets WHERE id < 5) q;
SELECT tlv_cofire(tlv_to_bag(ARRAY[1, 2, 3]::bigint[], ARRAY[5, 1, 1]::float8[])) = tlv_cofire(ARRAY[1, 2, 3]) AS bags;
-- a random network, all of its units, and most of the edges of weight -1
CREATE TABLE network_truth AS SELECT tlv_simulate_network_model(200, ARRAY[40], 24, density => 0.03, seed => 3) AS model;
CREATE TABLE network_rows AS SELECT s.* FROM network_truth, tlv_simulate_network(model, 6000, seed => 5) s;
CREATE TABLE network_models AS SELECT tlv_network('SELECT active FROM network_rows') AS model;
SELECT count(*) FILTER (WHERE distance = 0) >= 39 AS found FROM network_truth t, network_models m, tlv_match(t.model, m.model);
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'warnings' AS warnings, model = (model::text)::tlv_model AS text_form, tlv_from_json(tlv_to_json(model)) = model AS json_form,
       tlv_svg(model) LIKE '<svg%</svg>' AS picture FROM network_models, tlv_info(model) i;
SELECT weight, count(*) > 350 AS many, min(share) >= 0.5 AS shown FROM network_models, tlv_edges(model) GROUP BY weight ORDER BY weight;
-- step by step: counts, units, signs
SELECT weight, count(*) > 350 AS many
FROM (SELECT tlv_update(model, tlv_statistics(active, model)) AS model FROM network_rows, (SELECT tlv_fit_network(tlv_cofire(active)) AS model FROM network_rows OFFSET 0) f GROUP BY model) q,
  tlv_edges(model) GROUP BY weight ORDER BY weight;
-- codes of rows are the units that were on; decoding them gives the row
SELECT avg((d.active = r.active)::int) > 0.9 AS decoded
FROM network_models m, (SELECT * FROM network_rows WHERE id <= 200) r,
  LATERAL (SELECT array_agg(item ORDER BY item) AS active FROM tlv_decode(m.model, ARRAY(SELECT atom::bigint FROM tlv_encode(m.model, r.active)))) d WHERE r.active <> '{}';
-- items of names, in rows (set, item); a set may be a bag or a tsvector
CREATE TABLE purchases AS
  SELECT s AS basket, item FROM generate_series(1, 400) s, unnest(CASE s % 4 WHEN 0 THEN '{bread,butter,jam,milk}'::text[] WHEN 1 THEN '{beer,crisps,nuts,salsa}'
    WHEN 2 THEN '{beer,bread,butter,crisps,jam,milk,nuts,salsa}' ELSE ARRAY['tea'] END) item;
SELECT layer, unit, string_agg(child_name, ' ' ORDER BY child_name) AS items, min(share) AS share FROM tlv_edges(tlv_network('TABLE purchases')) GROUP BY 1, 2 ORDER BY 3;
SELECT string_agg(item_name, ' ' ORDER BY item_name) AS items FROM tlv_decode(tlv_network('TABLE purchases'), ARRAY[1, 2]);
SELECT code, component, round(score::numeric, 4) AS score, message FROM tlv_warnings(tlv_network('TABLE purchases', layers => 2));
-- units are in no order: what serves instead is said
SELECT tlv_groups(model, 2) FROM network_models;
SELECT tlv_align(model, model) FROM network_models;
-- nothing there, little there
SELECT code, message FROM tlv_warnings(tlv_network('SELECT ARRAY[i % 7, i % 11 + 10, i % 5 + 30] FROM generate_series(1, 770) i'));
SELECT code, message FROM tlv_warnings(tlv_network('SELECT active FROM baskets'));
-- bad input
SELECT q, pg_temp.outcome('SELECT tlv_info(' || q || ')->''kind''') FROM unnest(ARRAY[
  $$tlv_network('SELECT active FROM network_rows', 0)$$, $$tlv_network('SELECT active FROM network_rows', 11)$$, $$tlv_network('SELECT active FROM network_rows', threshold => 2)$$,
  $$tlv_network('SELECT active FROM network_rows', threshold => 'NaN')$$, $$tlv_network('SELECT active FROM network_rows', refine => 'gibbs')$$,
  $$tlv_network('SELECT active FROM network_rows WHERE false')$$, $$tlv_network('SELECT ''{}''::int[] FROM generate_series(1, 5)')$$, $$tlv_network('SELECT ARRAY[1, 2]')$$,
  $$tlv_network('SELECT ARRAY[1, 2, 3]')$$, $$tlv_network('SELECT ARRAY[1.5, 2]')$$, $$tlv_network('SELECT 1')$$, $$tlv_network(NULL::text)$$,
  $$tlv_network('SELECT ARRAY(SELECT generate_series(1, 1001))')$$, $$tlv_fit_network(tlv_cofire(NULL::bigint[]))$$,
  $$(SELECT tlv_fit_network(tlv_cofire(active, model)) FROM (SELECT * FROM network_rows WHERE id < 10) r, network_models)$$,
  $$(SELECT tlv_fit_network(tlv_cofire(active), model => (SELECT model FROM network_models)) FROM network_rows)$$,
  $$(SELECT tlv_update(model, tlv_statistics(active, model), weight => 0.5) FROM (SELECT * FROM network_rows WHERE id < 10) r, network_models GROUP BY model)$$,
  $$tlv_simulate_network_model(2, ARRAY[1], 1)$$, $$tlv_simulate_network_model(10, ARRAY[]::int[], 1)$$, $$tlv_simulate_network_model(10, ARRAY[3], 11)$$,
  $$tlv_simulate_network_model(10, ARRAY[3], 5, density => 0)$$, $$tlv_simulate_network_model(10, ARRAY[3], 5, negative => 1)$$]) q;
SELECT pg_temp.outcome('SELECT count(*) FROM network_models, tlv_decode(model, ARRAY[0])') AS number,
       pg_temp.outcome('SELECT count(*) FROM network_models, tlv_decode(model, ARRAY[NULL]::bigint[])') AS nothing,
       pg_temp.outcome('SELECT count(*) FROM network_models, tlv_encode(model, ''text''::text)') AS type,
       pg_temp.outcome('SELECT tlv_infer(model, ARRAY[1, 2]) FROM network_models') AS infer,
       pg_temp.outcome('SELECT count(*) FROM tlv_edges(tlv_simulate_ica_model(3))') AS kind,
       pg_temp.outcome('SELECT count(*) FROM network_truth, tlv_simulate_network(model, 5, flips => 2)') AS flips;
-- a step lays out what statistics hold sparsely
CREATE TABLE network_statistics AS SELECT model, tlv_statistics(active, model) AS s FROM network_models, network_rows WHERE id <= 50 GROUP BY model;
SET tensorlv.work_mem = '128kB';
SELECT pg_temp.outcome('SELECT tlv_update(model, s) FROM network_statistics') ~ '^53400: [0-9.]+ kB of memory are needed for the statistics of the edges' AS memory;
RESET tensorlv.work_mem;
DROP TABLE baskets, network_truth, network_rows, network_models, network_statistics, purchases;
-- a layer above has more units than there are items; sets taken out of others that do not hold them
SELECT left(tlv_svg(tlv_simulate_network_model(3, '{500,1}', 3)), 4) AS picture;
SELECT tlv_info((SELECT tlv_cofire(v) FROM (VALUES (ARRAY[1, 2]::bigint[]), (ARRAY[3]::bigint[])) r(v)) - (SELECT tlv_cofire(v) FROM (VALUES (ARRAY[1]::bigint[])) r(v)));

-- what is frequent on its own is in no unit, and does not join two units to one: an item beside two sets, three items beside a set of half of the rows and a small
-- one, two units that share an item; independent items have no structure
CREATE FUNCTION pg_temp.units(query text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(items, ' / ' ORDER BY items) || coalesce('  ' || (SELECT string_agg(code, ' ') FROM tlv_warnings(m)), '')
    FROM tlv_network(query) m, LATERAL (SELECT string_agg(child_name, ',' ORDER BY child_name) AS items FROM tlv_edges(m) WHERE weight = 1 GROUP BY unit) e GROUP BY m $$;
SELECT pg_temp.units($$SELECT b, x FROM generate_series(1, 3000) b, unnest(CASE WHEN b % 5 IN (0, 3) THEN '{a,b,c,d}'::text[] ELSE '{}' END ||
    CASE WHEN b % 7 IN (0, 4) THEN '{p,q,r,s}'::text[] ELSE '{}' END || CASE WHEN b % 3 = 0 THEN '{tea}'::text[] ELSE '{}' END) x WHERE hashtext(b || x) % 20 <> 0$$);
SELECT pg_temp.units($$SELECT b, x FROM generate_series(1, 3000) b, unnest(CASE WHEN hashint4(b) % 2 = 0 THEN '{a,b,c,d,e}'::text[] ELSE '{}' END ||
    CASE WHEN hashint4(b + 7777) % 10 IN (0, 1, 2) THEN '{p,q,r}'::text[] ELSE '{}' END || CASE WHEN hashint4(b + 99) % 3 = 0 THEN '{tea}'::text[] ELSE '{}' END ||
    CASE WHEN hashint4(b + 199) % 3 = 0 THEN '{coffee}'::text[] ELSE '{}' END || CASE WHEN hashint4(b + 299) % 2 = 0 THEN '{bag}'::text[] ELSE '{}' END) x WHERE hashtext(b || x) % 20 <> 0$$);
SELECT pg_temp.units($$SELECT b, x FROM generate_series(1, 3000) b, unnest(CASE WHEN hashint4(b) % 4 = 0 THEN '{a,b,c,d,m}'::text[] ELSE '{}' END ||
    CASE WHEN hashint4(b + 7777) % 4 = 0 THEN '{p,q,r,s,m}'::text[] ELSE '{}' END) x WHERE hashtext(b || x) % 20 <> 0$$);
SELECT pg_temp.units($$SELECT b, 'i' || i FROM generate_series(1, 4000) b, generate_series(1, 12) i WHERE hashint4(b * 100 + i) % 3 = 0$$);
