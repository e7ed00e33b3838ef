-- What fits warn of is raised when their statement ends: at most five, the severest first, and how many more there are.
CREATE TABLE w_rows AS
SELECT i, i % 4 AS g, ARRAY[hashint4(i) % 1000, hashint4(i + 5000) % 1000, CASE WHEN i % 8 > 0 THEN hashint4(i + 9000) % 1000 END]::float8[] AS x FROM generate_series(1, 400) i;

CREATE TABLE w_more AS SELECT x FROM w_rows;
-- A driver: its model has the same warnings, with their codes.
CREATE TABLE w_model AS SELECT tlv_gmm('SELECT x FROM w_rows', k => 3, covariance => 'spherical') AS model;
SELECT code, message, hint FROM w_model, tlv_warnings(model);
-- Nothing is raised by reading a model, or by what makes a model of one.
SELECT tlv_kind(tlv_label(model, 1, 'first')) FROM w_model;

-- A fit of a stored value; where it is used twice, it is one.
SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[x, x], 3), 1)) FROM generate_series(1, 10) x;
SELECT tlv_kind(m), (SELECT count(*) FROM tlv_warnings(m)) AS warnings FROM (SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY[x, x], 3), 1) AS m FROM generate_series(1, 10) x) q;

-- One for every group, and one warning that counts them.
SELECT g, tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[x, g * x], 3), 1)) FROM generate_series(1, 10) x, generate_series(1, 3) g GROUP BY g ORDER BY g;
SELECT g, tlv_fit_gmm(tlv_dense_moments(ARRAY[x, g], 3), 9, on_failure => 'null') IS NULL AS none FROM generate_series(1, 3) x, generate_series(1, 3) g GROUP BY g ORDER BY g;

-- Six kinds of warnings: five and a line, by severity; components that have the same are one.
SELECT code, count(*) FROM tlv_warnings(tlv_lca('SELECT i, v, CASE WHEN v < 3 THEN ''k'' || i ELSE ''a'' END FROM generate_series(1, 60) i, generate_series(1, 3) v', k => 4)) GROUP BY 1 ORDER BY 1;

-- The setting.
SET tensorlv.warnings = off;
SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[x, x], 3), 1)) FROM generate_series(1, 10) x;
SET tensorlv.warnings = log;
SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[x, x], 3), 1)) FROM generate_series(1, 10) x;
SET client_min_messages = log;
SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[x, x], 3), 1)) FROM generate_series(1, 10) x;
RESET client_min_messages;
RESET tensorlv.warnings;
SET client_min_messages = error;
SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[x, x], 3), 1)) FROM generate_series(1, 10) x;
RESET client_min_messages;
SET tensorlv.warnings = loud;

-- Within PL/pgSQL: the statement is the outermost, or an assignment.
CREATE FUNCTION w_fit(g integer) RETURNS tlv_model LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY[x, g * x], 3), 1) FROM generate_series(1, 10) x); END $$;
SELECT count(w_fit(g)) FROM generate_series(1, 3) g;
DO $$ DECLARE m tlv_model; BEGIN m := w_fit(1); RAISE NOTICE '%', tlv_kind(m); END $$;
DO $$ DECLARE m tlv_model; BEGIN m := tlv_fit_gmm((SELECT tlv_dense_moments(ARRAY[x, x], 3) FROM generate_series(1, 10) x), 1); RAISE NOTICE '%', tlv_kind(m); END $$;
-- An error drops what was collected, and the next statement has its own.
SELECT tlv_kind(w_fit(g)), 1 / (g - 2) AS one FROM generate_series(1, 2) g;
SELECT tlv_kind(w_fit(1));

-- Cursors raise with each FETCH, prepared statements with each EXECUTE; EXPLAIN raises nothing.
BEGIN;
DECLARE w_cursor CURSOR FOR SELECT tlv_kind(w_fit(g)) FROM generate_series(1, 2) g;
FETCH w_cursor;
FETCH w_cursor;
COMMIT;
PREPARE w_prepared(float8) AS SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[x, $1 * x], 3), 1)) FROM generate_series(1, 10) x;
EXECUTE w_prepared(1);
EXECUTE w_prepared(2);
EXPLAIN (COSTS OFF) EXECUTE w_prepared(1);

-- What the planner evaluates, and the executor again, is raised once.
SELECT tlv_dense_moments(ARRAY[x, x], 3) AS w_moments FROM generate_series(1, 10) x \gset
SELECT count(*) FROM w_rows WHERE i > tlv_log_likelihood(tlv_fit_gmm(:'w_moments'::tlv_moments, 1), ARRAY[1, 1]::float8[]);
\o /dev/null
EXPLAIN SELECT count(*) FROM w_rows WHERE i > length(tlv_kind(tlv_fit_gmm((SELECT tlv_dense_moments(ARRAY[x, x], 3) FROM generate_series(1, 10) x), 1)));
\o

-- Fits over the aggregates of parallel workers, and fits in a worker: the same message.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE w_rows SET (parallel_workers = 2);
CREATE FUNCTION w_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS
$$ DECLARE line text; BEGIN
  FOR line IN EXECUTE 'EXPLAIN ' || query LOOP IF line ~ 'Gather' THEN RETURN true; END IF; END LOOP;
  RETURN false;
END $$;
SELECT w_parallel('SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY[i, i], 3), 1) FROM w_rows');
SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(ARRAY[i, i], 3), 1)) FROM w_rows;
-- Models that workers fit, none of them in the leader: what the workers warn of is counted in the leader, in one message.
CREATE TABLE w_moments AS SELECT g, tlv_dense_moments(ARRAY[x, g * x], 3) AS moments FROM generate_series(1, 10) x, generate_series(1, 2000) g GROUP BY g;
ALTER TABLE w_moments SET (parallel_workers = 2);
SET parallel_leader_participation = off;
SELECT w_parallel('SELECT count(tlv_fit_gmm(moments, 1)) FROM w_moments');
SELECT count(tlv_fit_gmm(moments, 1)) FROM w_moments;
SELECT count(tlv_fit_gmm(moments, CASE WHEN g % 2 = 0 THEN 1 ELSE 90 END, on_failure => 'null')) FROM w_moments;
-- The same in the log, which this client sees here, and whatever levels the log and the client take.
SET tensorlv.warnings = log;
SET client_min_messages = log;
SELECT count(tlv_fit_gmm(moments, 1)) FROM w_moments;
RESET client_min_messages;
SET tensorlv.warnings = on;
SET log_min_messages = error;
SELECT count(tlv_fit_gmm(moments, 1)) FROM w_moments;
RESET log_min_messages;
RESET tensorlv.warnings;
-- Rows with categories that the model does not know, counted over the workers, too.
CREATE TABLE w_answers AS SELECT (i % 2)::text AS a, ((i + (i % 7 = 0)::int) % 2)::text AS b, ((i + (i % 11 = 0)::int) % 2)::text AS c FROM generate_series(1, 3000) i;
ALTER TABLE w_answers SET (parallel_workers = 2);
CREATE TABLE w_classes AS SELECT tlv_lca('SELECT a, b, c FROM w_answers', k => 2, layout => 'wide') AS m;
SELECT w_parallel('SELECT count(tlv_assign((SELECT m FROM w_classes), ROW(a, CASE WHEN a <> b THEN ''q'' ELSE b END, c))) FROM w_answers');
SELECT count(tlv_assign((SELECT m FROM w_classes), ROW(a, CASE WHEN a <> b THEN 'q' ELSE b END, c))), count(*) FILTER (WHERE a <> b) AS unknown FROM w_answers;
RESET parallel_leader_participation;
DROP TABLE w_moments, w_answers, w_classes;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

DROP FUNCTION w_parallel, w_fit;
DROP TABLE w_rows, w_model;

-- Several kinds: five, the severest first, and a line for the others.
SELECT count(m) FROM (VALUES (tlv_fit_gmm((SELECT tlv_dense_moments(ARRAY[x, x], 3) FROM generate_series(1, 10) x), 1)), (tlv_gmm('SELECT x FROM w_more', k => 2)),
  (tlv_lca('SELECT i, v, CASE WHEN v < 3 THEN ''k'' || i ELSE ''a'' END FROM generate_series(1, 60) i, generate_series(1, 3) v', k => 4)),
  (tlv_crowd('SELECT i, 1, 1 FROM generate_series(1, 9) i')), (tlv_lda('SELECT i, chr(65 + i % 3) FROM generate_series(1, 30) i'))) q(m);

-- Gold that matches nothing is named, and an answer that only gold has is open to items of gold alone.
CREATE TABLE w_answers AS SELECT 'i' || i AS item, 'w' || w AS worker, CASE WHEN (i * 31 + w * 17) % 10 = 0 THEN 1 - i % 2 ELSE i % 2 END::text AS answer
FROM generate_series(1, 100) i, generate_series(1, 3) w;
SELECT '[' || answer_name || ']' AS answer, count(*) FROM tlv_consensus(tlv_crowd('TABLE w_answers', gold => $$VALUES ('i2', '0 ')$$)) GROUP BY 1 ORDER BY 1;
SELECT code, score, message FROM tlv_warnings(tlv_crowd('TABLE w_answers', gold => $$VALUES ('I2', '0'), ('i3 ', '1'), ('i5', '1')$$)) WHERE code = 'unmatched_labels';
SELECT code, score, message FROM tlv_warnings(tlv_crowd('TABLE w_answers', gold => $$VALUES ('i2', 'none'), ('i3', 'nil'), ('i5', '1')$$)) WHERE code = 'unmatched_labels';
SELECT code, score, message FROM tlv_warnings(tlv_crowd('SELECT substr(item, 2)::int, substr(worker, 2)::int, answer::int FROM w_answers', gold => 'VALUES (2, 7), (1000, 1)'))
WHERE code = 'unmatched_labels' ORDER BY message;
SELECT count(*) FROM tlv_warnings(tlv_crowd('TABLE w_answers', gold => $$VALUES ('i2', '0')$$)) WHERE code = 'unmatched_labels';
-- Labels of nodes likewise, of edges and of rows of neighbours.
CREATE TABLE w_edges AS SELECT 'n' || i AS a, 'n' || j AS b FROM generate_series(1, 20) i, generate_series(1, 20) j WHERE i < j AND ((i <= 10) = (j <= 10) OR i + 1 = j);
SELECT code, score, message FROM tlv_warnings(tlv_mmsb('TABLE w_edges', 2, labels => $$VALUES ('n1', 1), ('n20', 2), ('N2', 1), ('n21', 2)$$)) WHERE code = 'unmatched_labels';
SELECT code, score, message FROM tlv_warnings(tlv_mmsb('SELECT substr(a, 2)::int, substr(b, 2)::int FROM w_edges', 2, labels => 'VALUES (1, 1), (20, 2), (77, 1)')) WHERE code = 'unmatched_labels';
SELECT tlv_kind(tlv_mmsb('TABLE w_edges', 2, labels => $$VALUES ('N1', 1), ('N20', 2)$$));

-- Short documents are in the vocabulary and in the refinement, and counted where moments cannot use them.
CREATE TABLE w_words AS SELECT id, CASE WHEN id <= 1000 THEN ARRAY['a', 'b', 'c', 'd'] ELSE ARRAY['x', 'y'] END AS w FROM generate_series(1, 11000) id;
SELECT (SELECT string_agg(code || ' ' || score, ', ') FROM tlv_warnings(m) WHERE code = 'rows_skipped') AS warned, (SELECT string_agg(DISTINCT item_name, ' ') FROM tlv_topic_items(m)) AS items,
  (SELECT count(DISTINCT topic) FROM tlv_topic_items(m, 1, 'probability') WHERE item_name IN ('x', 'y')) AS topics_of_pairs
FROM (SELECT tlv_lda('SELECT id, unnest(w) FROM w_words', k => 2) AS m) q;
SELECT (SELECT string_agg(code || ' ' || score, ', ') FROM tlv_warnings(m) WHERE code = 'rows_skipped') AS warned, (SELECT string_agg(DISTINCT item_name, ' ')
  FROM tlv_topic_items(m, 10, 'probability')) AS items
FROM unnest(ARRAY['SELECT id, unnest(w) FROM w_words WHERE id <= 1001', 'SELECT id, unnest(w[1:id % 4]) FROM w_words WHERE id <= 1000']) query,
  LATERAL (SELECT tlv_lda(query, k => 1, refine => 'none') AS m) q;
DROP TABLE w_answers, w_edges, w_words, w_more;
-- A fit to a value warns of the rows with nulls that the value has counted.
SELECT tlv_kind(tlv_fit_gmm(tlv_dense_moments(CASE WHEN i % 50 > 0 THEN ARRAY[i % 7, i % 11, i % 13 + i % 2 * 20] END, 3), 1)) FROM generate_series(1, 600) i;
SELECT code, score
FROM tlv_warnings((SELECT tlv_fit_crowd(tlv_crowd_answers(i, w, CASE WHEN i > 2 OR w > 1 THEN i % 2 END)) FROM generate_series(1, 20) i, generate_series(1, 3) w))
WHERE code = 'rows_skipped';
