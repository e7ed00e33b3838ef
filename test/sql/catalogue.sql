-- What the catalogue says of every function: volatility, cost, rows, parallel safety; planning runs nothing dear.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TEMP VIEW members AS
  SELECT p.oid, p.oid::regprocedure::text AS signature, p.proname::text AS name, p.provolatile AS volatile, p.proparallel AS parallel, p.procost AS cost,
         p.prorows AS rows, p.proretset AS returns_set, p.prokind AS kind, p.proargnames[1] AS first_name, p.prorettype::regtype::text AS result
  FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
  WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
    AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'tensorlv');
SELECT count(*) > 250 AS enough FROM members;
-- drivers run SQL text, simulators draw, a call knows whether it is the first: volatile, and only these
SELECT signature, volatile FROM members
WHERE kind = 'f' AND (volatile = 'v') <> (name LIKE 'tlv\_simulate\_%' OR first_name = 'query' OR name = 'tlv_gather' OR signature = 'tlv_robinson_foulds(tlv_model,text)');
-- what runs SQL text, and what counts its calls, stays in the leader
SELECT signature, parallel FROM members
WHERE kind = 'f' AND (parallel <> 's') <> (first_name = 'query' OR name = 'tlv_gather' OR signature = 'tlv_robinson_foulds(tlv_model,text)');
SELECT signature FROM members WHERE kind = 'a' AND parallel <> 's';
-- fits search for long: stable, and only these, what the library says of itself and what settings may change
SELECT signature, volatile FROM members
WHERE kind = 'f' AND (volatile = 's') <> (name LIKE 'tlv\_fit\_%' OR
  name IN ('tlv_find_subspace', 'tlv_decompose', 'tlv_separable_nmf', 'tlv_build_info')
  OR signature ~ '^tlv_suggest_k\((tlv_moments|tlv_graph),');
-- so the planner folds nothing that takes long
SELECT signature, cost FROM members WHERE kind = 'f' AND volatile = 'i' AND cost >= 100000;
SELECT signature, cost FROM members WHERE kind = 'f' AND volatile <> 'i' AND cost < 100000 AND name NOT IN ('tlv_build_info', 'tlv_gather');
SELECT signature, rows FROM members WHERE returns_set AND rows = 1000
  AND name NOT IN ('tlv_memberships', 'tlv_bridgeness', 'tlv_topic_items', 'tlv_tree_distances', 'tlv_tree_parameters',
    'tlv_tree_coefficients') AND name NOT LIKE 'tlv\_simulate\_%';

-- EXPLAIN runs neither simulators nor fits: each of these fails when it is run
SELECT pg_temp.outcome($$SELECT pg_column_size(tlv_simulate_lda_model(-1, 5))$$);
EXPLAIN (COSTS off) SELECT pg_column_size(tlv_simulate_lda_model(-1, 5));
EXPLAIN (COSTS off) SELECT pg_column_size(tlv_simulate_gmm_model(-1, 5)), pg_column_size(tlv_simulate_hmm_model(-1)), pg_column_size(tlv_simulate_ica_model(-1)),
  pg_column_size(tlv_simulate_mmsb_model(-1, 2)), pg_column_size(tlv_simulate_multiview_model(k => -1)), pg_column_size(tlv_simulate_tree_model(-1));
CREATE TEMP TABLE values_of_one AS
  SELECT tlv_dense_moments(ARRAY[i::float8], 2) AS dense, tlv_count_moments(tlv_to_bag(ARRAY[i, i + 1, i + 2])) AS counts, tlv_graph_agg(i, i + 1) AS graph
  FROM generate_series(1::bigint, 9) i;
DO $do$ BEGIN EXECUTE (SELECT format('EXPLAIN SELECT tlv_fit_gmm(%L::tlv_moments, -1), tlv_fit_ica(%1$L::tlv_moments, -1), tlv_fit_tree(%1$L::tlv_moments, -1),
  tlv_fit_hmm(%1$L::tlv_moments, -1), tlv_fit_multiview(%1$L::tlv_moments, -1), tlv_fit_lda(%2$L::tlv_moments, -1), tlv_find_subspace(%2$L::tlv_moments, -1),
  tlv_fit_mmsb(%3$L::tlv_graph, -1)', dense, counts, graph) FROM values_of_one); END $do$;
-- functions of one value are immutable: an index on what a model says of a row
CREATE TEMP TABLE indexed AS SELECT ARRAY[i::float8] AS x FROM generate_series(1, 9) i;
DO $do$ BEGIN EXECUTE format('CREATE INDEX ON indexed (tlv_assign(%L::tlv_model, x))', (SELECT tlv_gmm('SELECT x FROM indexed', 2))); END $do$;
