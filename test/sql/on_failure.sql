-- Fits of groups: a model that the data of one do not give is NULL, with a warning, where that is asked for; whatever else goes wrong is an error.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE fail_values AS
SELECT (SELECT tlv_dense_moments(ARRAY[i, i % 2, i % 3]::float8[], 3) FROM generate_series(1, 2) i) AS short, (SELECT tlv_dense_moments(ARRAY[sin(i * i), cos(i * 3), sin(i * 5)]::float8[],
  3) FROM generate_series(1, 90) i) AS long,
  (SELECT tlv_dense_moments(ARRAY[1, i]::float8[], 4) FROM generate_series(1, 4) i) AS fourth, (SELECT tlv_view_moments(ARRAY[1, 2]::float8[], ARRAY[1, 2]::float8[], ARRAY[1, 2]::float8[])
  FROM generate_series(1, 9) i) AS views,
  (SELECT tlv_sequence_moments('{1}'::int[])) AS steps, (SELECT tlv_graph_agg(src, dst) FROM (VALUES (1::bigint, 1::bigint)) v(src, dst)) AS graph;
CREATE TABLE fail_rows (x float8[], bag tlv_bag);
INSERT INTO fail_rows VALUES ('{1,2}', '{1:1}');

-- what an error is is a warning, with the same words
SELECT what, pg_temp.outcome(format('SELECT %s) FROM fail_values', call)) AS error, pg_temp.outcome(format('SELECT (%s, on_failure => ''null'')) IS NULL FROM fail_values', call)) AS null
  FROM (VALUES
  ('mixture', 'tlv_fit_gmm(short, 3'), ('components', 'tlv_fit_ica(fourth, 2'), ('views', 'tlv_fit_multiview(views, 3'), ('tree', 'tlv_fit_tree(short'),
  ('sequences', 'tlv_fit_hmm(steps, 3'),
  ('communities', 'tlv_fit_mmsb(graph, 3'), ('driver of mixtures', 'tlv_gmm(''SELECT x FROM fail_rows WHERE x IS NULL'', 2'),
  ('driver of topics', 'tlv_lda(''SELECT bag FROM fail_rows WHERE bag IS NULL'', 2'),
  ('driver of components', 'tlv_ica(''SELECT x FROM fail_rows'', 2')) v(what, call);
-- a group without a model does not end the query
SELECT g, tlv_fit_gmm(m, 3, on_failure => 'null') IS NULL AS none FROM fail_values, LATERAL (VALUES (1, long), (2, short), (3, long)) v(g, m) ORDER BY g;
SELECT g, count(tlv_gmm(format('SELECT ARRAY[sin(i * i), cos(i)] FROM generate_series(1, %s) i', n), 2, on_failure => 'null')) AS models FROM (VALUES (1, 100), (2, 0), (3, 100)) v(g,
  n) GROUP BY g ORDER BY g;
-- not a matter of the data
SELECT what, pg_temp.outcome(format('%s SELECT %s, on_failure => ''null'') FROM fail_values', settings, call)) AS outcome FROM (VALUES
  ('parameter', '', 'tlv_fit_gmm(long, 0'), ('kind of value', '', 'tlv_fit_gmm(views, 2'), ('method', '', 'tlv_fit_gmm(long, 2, method => ''guess'''), ('syntax', '', 'tlv_gmm(''SELEC'', 2'),
  ('rows', '', 'tlv_gmm(''SELECT 1 / 0 * x[1] FROM fail_rows'', 2'),
  ('type', '', 'tlv_gmm(''SELECT bag FROM fail_rows'', 2'), ('numbers', '', 'tlv_gmm(''SELECT ARRAY[1, ''''NaN''''::float8] FROM fail_rows'', 2')) v(what, settings, call);
SET tensorlv.work_mem = '64kB';
SELECT pg_temp.outcome('SELECT tlv_gmm(''SELECT array_fill(i::float8, ARRAY[100]) FROM generate_series(1, 300) i'', 2, on_failure => ''null'')') ~ '^5(3400|4000)' AS memory;
RESET tensorlv.work_mem;
SELECT pg_temp.outcome('SELECT tlv_fit_gmm(long, 2, on_failure => ''maybe'') FROM fail_values') AS word,
  pg_temp.outcome('SELECT tlv_fit_gmm(short, 3, on_failure => NULL) FROM fail_values') ~ '^22000' AS null,
  tlv_fit_gmm(NULL, 2, on_failure => 'null') AS no_moments;
DROP TABLE fail_values, fail_rows;
