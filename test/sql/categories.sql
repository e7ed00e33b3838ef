-- Tables of pairs and triples of categorical variables: against plain SQL, on every path, missing values, bootstrap, bad rows.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE TABLE cat_rows AS
  SELECT i AS id, i % 7 AS day,
         ARRAY[i % 2, CASE WHEN i % 5 <> 0 THEN (i * i) % 3 END, (i * 37 % 101) % 12, CASE WHEN i % 11 <> 0 THEN i / 3 % 2 END, 0, (i * 13 % 17) % 40] AS v
  FROM generate_series(1, 3000) i;
INSERT INTO cat_rows VALUES (-1, 0, NULL), (9001, 3, NULL);
ANALYZE cat_rows;
CREATE TABLE cat_parts (LIKE cat_rows) PARTITION BY LIST (day);
CREATE TABLE cat_parts_a PARTITION OF cat_parts FOR VALUES IN (0, 1, 2);
CREATE TABLE cat_parts_b PARTITION OF cat_parts DEFAULT;
INSERT INTO cat_parts SELECT * FROM cat_rows;
ANALYZE cat_parts;

SELECT tlv_info(tlv_category_moments(v)) - 'bytes' - 'fingerprint' AS info FROM cat_rows;
-- the same value on every path, whatever the number of states of a part
CREATE FUNCTION cat_paths() RETURNS TABLE (path text, same boolean) LANGUAGE plpgsql AS $$
DECLARE
  names text[] := '{grouped, added, "added the other way", windowed, filtered, "grouping sets", parallel, hashed, sorted, partition-wise, stored}';
  queries text[] := ARRAY[
    'SELECT tlv_rollup(p) FROM (SELECT day, tlv_category_moments(v) AS p FROM cat_rows GROUP BY day) g',
    'SELECT (SELECT tlv_category_moments(v) FROM cat_rows WHERE id < 20) + (SELECT tlv_category_moments(v) FROM cat_rows WHERE id >= 20)',
    'SELECT (SELECT tlv_category_moments(v) FROM cat_rows WHERE id >= 20) + (SELECT tlv_category_moments(v) FROM cat_rows WHERE id < 20)',
    'SELECT w FROM (SELECT id, tlv_category_moments(v) OVER (ORDER BY id % 4) AS w FROM cat_rows) q ORDER BY id % 4 DESC LIMIT 1',
    'SELECT a + b FROM (SELECT tlv_category_moments(v) FILTER (WHERE day = 5) AS a, tlv_category_moments(v) FILTER (WHERE day <> 5) AS b FROM cat_rows) q',
    'SELECT p FROM (SELECT day, grouping(day) AS g, tlv_category_moments(v) AS p FROM cat_rows GROUP BY GROUPING SETS ((day), ())) q WHERE g = 1',
    'SELECT tlv_category_moments(v) FROM cat_rows',
    'SELECT tlv_rollup(p) FROM (SELECT id % 300, tlv_category_moments(v) AS p FROM cat_rows GROUP BY 1) q',
    'SELECT tlv_rollup(p) FROM (SELECT id % 300, tlv_category_moments(v) AS p FROM cat_rows GROUP BY 1) q',
    'SELECT tlv_category_moments(v) FROM cat_parts',
    'SELECT tlv_rollup(m) FROM cat_stored'];
  direct tlv_moments;
  other tlv_moments;
BEGIN
  SELECT tlv_category_moments(v) INTO direct FROM cat_rows;
  CREATE TEMP TABLE cat_stored AS SELECT day, tlv_category_moments(v)::text::tlv_moments AS m FROM cat_rows GROUP BY day;
  FOR i IN 1 .. cardinality(names) LOOP
    PERFORM set_config('max_parallel_workers_per_gather', CASE WHEN names[i] = 'parallel' THEN '2' ELSE '0' END, true),
            set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
            set_config('min_parallel_table_scan_size', '0', true),
            set_config('enable_hashagg', CASE WHEN names[i] = 'sorted' THEN 'off' ELSE 'on' END, true),
            set_config('enable_sort', CASE WHEN names[i] = 'hashed' THEN 'off' ELSE 'on' END, true),
            set_config('enable_partitionwise_aggregate', 'on', true);
    EXECUTE queries[i] INTO other;
    path := names[i];
    same := other = direct;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM cat_paths();
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0;
SELECT pg_temp.nodes('SELECT tlv_category_moments(v) FROM cat_rows');
SELECT pg_temp.nodes('SELECT tlv_category_moments(v, 10) FROM cat_rows');
ROLLBACK;
-- no rows; NULL rows alone; smallint[] as it is, others by a cast
SELECT tlv_category_moments(v) FROM cat_rows WHERE false;
SELECT tlv_info(tlv_category_moments(v)) - 'bytes' - 'fingerprint' FROM cat_rows WHERE v IS NULL;
SELECT (SELECT tlv_category_moments(v) FROM cat_rows WHERE v IS NULL OR id < 10) = (SELECT tlv_category_moments(v) FROM cat_rows
        WHERE v IS NULL) + (SELECT tlv_category_moments(v) FROM cat_rows WHERE id BETWEEN 0 AND 9) AS nulls_added;
SELECT tlv_category_moments(v::smallint[]) = tlv_category_moments(v) AS smallint,
       tlv_category_moments(v::bigint[]::int[]) = tlv_category_moments(v) AS bigint FROM cat_rows;
SELECT tlv_category_moments(ARRAY[id > 5, id % 2 = 0, NULL]::int[]) = tlv_category_moments(ARRAY[(id > 5)::int, (id % 2 = 0)::int, NULL]) AS boolean FROM cat_rows;

-- triples are kept while they are few
SELECT s AS states, tlv_info(tlv_category_moments(ARRAY[i % s, i % s, i % s, i % s])) -> 'triples_kept' AS kept
FROM generate_series(1, 200) i, (VALUES (10), (80), (81)) t(s) GROUP BY s ORDER BY s;

-- bootstrap
SELECT tlv_info(tlv_category_moments(v, 5)) - 'bytes' - 'fingerprint' AS info FROM cat_rows;
SELECT tlv_category_moments(v, 5) = tlv_category_moments(v, 5, 1) AS seed_1, tlv_category_moments(v, 5) = tlv_category_moments(v, 5, 2) AS seed_2,
       tlv_category_moments(v, 0) = tlv_category_moments(v) AS none FROM (SELECT * FROM cat_rows ORDER BY id) q;
SELECT tlv_info(tlv_rollup(m)) -> 'rows' AS rows, tlv_info(tlv_rollup(m)) -> 'replicates' AS replicates FROM (SELECT tlv_category_moments(v, 5) AS m FROM cat_rows GROUP BY day) q;
SELECT tlv_category_moments(v, NULL) FROM cat_rows;
SELECT tlv_category_moments(v, 5, NULL) FROM cat_rows;

-- bad input
SELECT q AS query, pg_temp.outcome(q) AS outcome FROM unnest(ARRAY[
  'SELECT tlv_category_moments(v) FROM (VALUES (ARRAY[0, 1]), (ARRAY[0, 1, 2])) t(v)',
  'SELECT tlv_category_moments(ARRAY[0, NULL, -1])',
  'SELECT tlv_category_moments(ARRAY[0, -2147483648])',
  'SELECT tlv_category_moments(ARRAY[0, NULL, 100])',
  'SELECT tlv_category_moments(ARRAY[2147483647])',
  'SELECT tlv_category_moments(''{}''::int[])',
  'SELECT tlv_category_moments(ARRAY[ARRAY[0, 1], ARRAY[1, 0]])',
  'SELECT tlv_category_moments(ARRAY[0.5, 1])',
  'SELECT tlv_category_moments(ARRAY[true, false])',
  'SELECT tlv_category_moments(ARRAY[1, 0], -1)',
  'SELECT tlv_category_moments(ARRAY[1, 0], 1001)',
  'SELECT tlv_category_moments(ARRAY[1, 0], 5, -1)',
  'SELECT tlv_category_moments(array_fill(1, ARRAY[20001]))',
  'SELECT tlv_category_moments(array_fill(1, ARRAY[7000]))',
  'SELECT tlv_category_moments(array_fill(1, ARRAY[1000]), 1000)',
  'SELECT tlv_category_moments(ARRAY[1, 0]) + tlv_category_moments(ARRAY[1, 0, 1])',
  'SELECT tlv_category_moments(ARRAY[1, 0]) + tlv_category_moments(ARRAY[1, 0], 2)',
  'SELECT tlv_category_moments(ARRAY[1, 0]) + tlv_dense_moments(ARRAY[1.0, 0.0], 2)',
  'SELECT tlv_category_moments_accum(NULL, ARRAY[1, 0])',
  'SELECT tlv_fit_gmm(tlv_category_moments(ARRAY[1, 0]), 2)']) q;
-- integers under a model of vectors are numbers, as before; under other models they are refused
CREATE TABLE cat_model AS SELECT tlv_gmm('SELECT ARRAY[(i % 2) * 10 + i % 3, (i % 2) * 10 - i % 3]::float8[] FROM generate_series(1, 60) i', 2) AS g,
  tlv_simulate_hmm_model(symbols => 4, k => 2) AS h;
SELECT tlv_statistics(ARRAY[i, 2], g) = tlv_statistics(ARRAY[i, 2]::float8[], g) AS statistics,
       tlv_statistics(ARRAY[ARRAY[i, 2], ARRAY[3, i]], g) = tlv_statistics(ARRAY[ARRAY[i, 2], ARRAY[3, i]]::float8[], g) AS many,
       tlv_statistics(ARRAY[i, 2], g, 'em') = tlv_statistics(ARRAY[i, 2], g) AS method
FROM cat_model, generate_series(1, 5) i GROUP BY g::text;
SELECT tlv_infer(g, ARRAY[1, 2]) = tlv_infer(g, ARRAY[1, 2]::float8[]) AS infer, tlv_log_likelihood(h, ARRAY[1, 2, 3]) < 0 AS sequence FROM cat_model;
SELECT q AS query, pg_temp.outcome(q) AS outcome FROM unnest(ARRAY[
  'SELECT tlv_info(tlv_statistics(ARRAY[1, 2], h))->''sequences'' FROM cat_model',
  'SELECT tlv_info(tlv_statistics(ARRAY[1, NULL], g))->''nulls'' FROM cat_model',
  'SELECT tlv_assign(g, ARRAY[1, NULL]) FROM cat_model',
  'SELECT tlv_log_likelihood(h, ARRAY[1, NULL]) FROM cat_model']) q;
-- damaged images
WITH good AS (SELECT tlv_category_moments(v)::text AS t FROM cat_rows WHERE id < 10)
SELECT pg_temp.outcome(format('SELECT length(%L::tlv_moments::text)', left(t, 200))) AS cut,
       pg_temp.outcome(format('SELECT length(%L::tlv_moments::text)', replace(t, 'category_moments ', 'dense_moments '))) AS kind FROM good;
DROP TABLE cat_rows, cat_parts, cat_model;
DROP FUNCTION cat_paths;

-- categories by name: the same tables as those of codes in the order of the names; merged, taken away, moved over windows; models know the names
CREATE TEMP TABLE named_rows AS
  SELECT i, ARRAY[CASE WHEN h = 0 THEN (ARRAY['red', 'red', 'blue'])[1 + i % 3] ELSE (ARRAY['green', 'blue', 'blue'])[1 + i * 7 / 3 % 3] END,
    CASE WHEN i % 13 > 0 THEN CASE WHEN h = 0 THEN (ARRAY['sad', 'sad', 'ok'])[1 + i % 3] ELSE (ARRAY['', 'ok', ''])[1 + i % 3] END END, (h * 3 + i * 5 % 7 % 3)::text, 'v' || (i * i + h) % 5 % 3] AS v
  FROM (SELECT i, (i * 37 / 11) % 2 AS h FROM generate_series(1, 1500) i) q;
CREATE TEMP TABLE coded_rows AS
  SELECT i, ARRAY(SELECT (SELECT count(DISTINCT o.v[s] COLLATE "C") FROM named_rows o WHERE o.v[s] COLLATE "C" < r.v[s]) * CASE WHEN r.v[s] IS NULL THEN NULL ELSE 1 END
    FROM generate_subscripts(r.v, 1) s ORDER BY s)::int[] AS v
  FROM named_rows r WHERE i <= 200;
CREATE TEMP TABLE named_moments AS SELECT tlv_category_moments(v) AS m FROM named_rows;
SELECT tlv_info(m)->'arrays' AS arrays, tlv_info(m)->>'missing' AS missing FROM named_moments;
-- a row without a value does not say how many variables rows have
SELECT tlv_info(tlv_category_moments(v)) ->> 'variables' AS variables, tlv_info(tlv_category_moments(v)) ->> 'nulls' AS nulls FROM (VALUES ('{NULL,NULL,NULL}'::text[]), ('{a,b,c,d,e}')) r(v);
SELECT m = (SELECT tlv_rollup(part ORDER BY g DESC) FROM (SELECT i % 7 AS g, tlv_category_moments(v ORDER BY i DESC) AS part FROM named_rows GROUP BY 1) p) AS rolled,
       m::text::tlv_moments = m AS text_form, (m + other) - other = m AS taken, 2 * m = m + m AS twice
FROM named_moments, (SELECT tlv_category_moments(ARRAY['blue', 'ok', '5', 'v0']) AS other) o;
SELECT 3 * m = m + m + m AS codes FROM (SELECT tlv_category_moments(v) AS m FROM coded_rows) q;
SELECT count(*) FILTER (WHERE w.m = p.m) AS same, count(*) FROM (SELECT i, tlv_category_moments(v) OVER (ORDER BY i ROWS 11 PRECEDING) AS m FROM named_rows WHERE i <= 150) w,
  LATERAL (SELECT tlv_category_moments(v) AS m FROM named_rows n WHERE n.i BETWEEN w.i - 11 AND w.i) p;
SELECT tlv_info(tlv_category_moments(v, 20))->>'replicates' AS replicates, tlv_category_moments(v, 5, 7) = tlv_category_moments(v, 5, 7) AS same_seed FROM named_rows;
SELECT variable, category, category_name, probability > 0.2 AS often FROM named_moments, tlv_categories(tlv_fit_lca(m, 2)) WHERE component = 1 AND variable <= 3 ORDER BY 1, 2;
SELECT tlv_assign(lca, ARRAY['red', 'sad', '1', NULL]) = tlv_assign(lca, ROW('red', 'sad', 1, NULL::text)) AS same, tlv_assign(gom, ARRAY['red', 'sad', '1', NULL]) BETWEEN 1 AND 2 AS gom,
       tlv_assign(lca, ARRAY['red', 'sad', '1', NULL]) <> tlv_assign(lca, ARRAY['green', '', '5', NULL]) AS apart FROM named_moments, tlv_fit_lca(m, 2) lca, tlv_fit_gom(m, 2) gom;
SELECT DISTINCT child, child_state_name FROM named_moments, tlv_tree_parameters(tlv_fit_tree(m)) WHERE child IN ('v1', 'v2') ORDER BY 1, 2;
SELECT tlv_info(tlv_statistics(v, tree))->>'rows' AS rows FROM named_rows, (SELECT tlv_fit_tree(m) AS tree FROM named_moments) t GROUP BY tree;
SELECT q AS query, pg_temp.outcome(format('SELECT %s', q)) AS outcome
FROM unnest(ARRAY['tlv_category_moments(ARRAY[''a'']) + tlv_category_moments(ARRAY[1])', 'tlv_category_moments(ARRAY[''a'']) - tlv_category_moments(ARRAY[''b''])',
  'tlv_category_moments(ARRAY[''a'']) + tlv_category_moments(ARRAY[''a'', ''b''])',
  'tlv_category_moments(ARRAY[i::text]) FROM generate_series(1, 101) i', 'tlv_category_moments(ARRAY[]::text[])', 'tlv_category_moments(ARRAY[[''a''], [''b'']])',
    'tlv_category_moments(ARRAY[repeat(''x'', 1001)])',
  'tlv_fit_lca(m, 2, copies => 2) FROM named_moments', 'tlv_info(tlv_category_moments(ARRAY[NULL, '''']))->''arrays''', '0.3 * tlv_category_moments(ARRAY[1])',
    '2 * tlv_category_moments(ARRAY[1, 1], 3)', 'tlv_category_moments(ARRAY[1], 2000)', 'tlv_category_moments(ARRAY[''a''], 2000)']) q;
