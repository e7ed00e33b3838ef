-- topics by slices of the third moment, which is not formed: step by step and in the driver
SET client_min_messages = warning;
CREATE TABLE sliced AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(80, 4, alpha0 => 0.4, seed => 3), 1500, 40, seed => 1);
CREATE TABLE steps (step int, s tlv_subspace);
INSERT INTO steps SELECT 0, tlv_find_subspace(tlv_count_moments(bag), 4) FROM sliced;
INSERT INTO steps SELECT 1, tlv_find_subspace((SELECT tlv_anchor_moments(bag, s) FROM sliced), alpha0 => 0.4) FROM steps;
DO $$
BEGIN
  FOR i IN 1..12 LOOP
    INSERT INTO steps SELECT i + 1, tlv_find_subspace(s, (SELECT tlv_slice_moments(bag, s) FROM sliced)) FROM steps WHERE step = i;
  END LOOP;
END $$;
CREATE TABLE sliced_models AS
SELECT 'slices' AS name, tlv_fit_lda((SELECT tlv_slice_moments(bag, s) FROM sliced), subspace => s) AS model FROM steps WHERE step = 13
UNION ALL SELECT 'tensor', tlv_fit_lda((SELECT tlv_count_moments(bag, s) FROM sliced), alpha0 => 0.4) FROM steps WHERE step = 0;
SELECT count(*), max(distance) < 1e-8 AS same FROM tlv_match((SELECT model FROM sliced_models WHERE name = 'slices'), (SELECT model FROM sliced_models WHERE name = 'tensor'));
SELECT measure, round(score::numeric, 3) AS score FROM sliced_models, tlv_diagnostics(model) WHERE name = 'slices' AND measure IN ('alpha0', 'converged', 'iterations', 'slice_residual') ORDER BY 1;

-- parts, many documents in a row, and what a value says of itself
SELECT tlv_info(tlv_rollup(part))->>'kind' AS kind, tlv_info(tlv_rollup(part))->>'documents' AS documents
FROM (SELECT tlv_slice_moments(bag, s) AS part FROM sliced, steps WHERE step = 13 GROUP BY doc % 3) p;
SELECT tlv_info(tlv_slice_moments(bags, s))->>'documents' AS documents FROM (SELECT array_agg(bag) AS bags FROM sliced GROUP BY doc % 3) b, (SELECT s FROM steps WHERE step = 13) f;
-- few documents are held, whatever k; steps and topics of their parts, and of parts with sums, are those of all
CREATE TABLE parts AS SELECT s, step, tlv_slice_moments(bag, s) FILTER (WHERE doc % 300 = 3) AS few, tlv_slice_moments(bag, s) FILTER (WHERE doc % 300 <> 3) AS many,
  tlv_slice_moments(bag, s) AS whole FROM sliced, steps WHERE step IN (1, 13) GROUP BY s, step;
SELECT tlv_info(few)->'arrays'->'document_times'->>0 AS documents, tlv_info(many)->'arrays'->'document_times' IS NULL AS sums, max(distance) < 1e-8 AS same
FROM parts, tlv_match(tlv_fit_lda(few + many, subspace => s), tlv_fit_lda(whole, subspace => s)) WHERE step = 13 GROUP BY 1, 2;
SELECT max(abs(a.eigenvalue - b.eigenvalue)) < 1e-8 AS turned FROM parts, tlv_spectrum(tlv_find_subspace(s, many + few)) a JOIN LATERAL tlv_spectrum(tlv_find_subspace(s, whole)) b USING (rank)
WHERE step = 1;
DROP TABLE parts;

-- the driver, where third moments of hundreds of topics would cost more, or have no room; stored rows and workers
CREATE TABLE hundreds AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(400, 12, alpha0 => 1, seed => 5), 900, 40, seed => 2);
ANALYZE hundreds;
CREATE TABLE hundreds_models AS SELECT 'alone' AS name, tlv_lda('SELECT bag FROM hundreds', 210, method => 'tensor', refine => 'none', alpha0 => 20, counts => 'raw', steps => 4) AS model;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
INSERT INTO hundreds_models SELECT 'workers', tlv_lda('SELECT bag FROM hundreds', 210, method => 'tensor', refine => 'none', alpha0 => 20, counts => 'raw', steps => 4);
RESET max_parallel_workers_per_gather;
SELECT name, (SELECT count(*) FROM tlv_topics(model)) AS topics, (SELECT count(*) FROM tlv_diagnostics(model) WHERE measure = 'slice_residual') AS sliced,
  (SELECT count(*) FROM tlv_warnings(model) WHERE code = 'iterations_at_limit') AS not_converged FROM hundreds_models ORDER BY name;
-- stored probabilities are multiples of a small number, one up or down where sums of workers round the other way; weights are not
SELECT max(distance) < power(2, -14) AS same FROM tlv_match((SELECT model FROM hundreds_models WHERE name = 'alone'), (SELECT model FROM hundreds_models WHERE name = 'workers'));
SELECT max(abs(a.weight - b.weight)) < 1e-9 AS same
  FROM hundreds_models x, hundreds_models y, tlv_topics(x.model) a JOIN LATERAL tlv_topics(y.model) b USING (topic)
  WHERE x.name = 'alone' AND y.name = 'workers';

-- refusals
SELECT tlv_find_subspace(tlv_anchor_moments(bag, s)) FROM sliced, steps WHERE step = 0;
SELECT tlv_find_subspace(tlv_anchor_moments(bag, s), alpha0 => -1) FROM sliced, steps WHERE step = 0;
SELECT tlv_find_subspace(tlv_anchor_moments(bag, s), 5, alpha0 => 1) FROM sliced, steps WHERE step = 0;
SELECT tlv_find_subspace(tlv_anchor_moments(bag, s), min_documents => 2, alpha0 => 1) FROM sliced, steps WHERE step = 0;
SELECT tlv_find_subspace(tlv_count_summary(bag), 2, alpha0 => 1) FROM sliced;
SELECT tlv_find_subspace(s, (SELECT tlv_slice_moments(bag, s) FROM sliced)) FROM steps WHERE step = 0;
SELECT tlv_find_subspace((SELECT s FROM steps WHERE step = 2), (SELECT tlv_slice_moments(bag, s) FROM sliced)) FROM steps WHERE step = 1;
SELECT tlv_find_subspace(s, (SELECT tlv_count_summary(bag) FROM sliced)) FROM steps WHERE step = 1;
SELECT tlv_fit_lda(tlv_slice_moments(bag, s)) FROM sliced, steps WHERE step = 2;
SELECT tlv_fit_lda((SELECT tlv_slice_moments(bag, s) FROM sliced), subspace => s, method => 'als') FROM steps WHERE step = 2;
SELECT tlv_fit_lda((SELECT tlv_slice_moments(bag, s) FROM sliced), subspace => s, alpha0 => 2) FROM steps WHERE step = 2;
SELECT tlv_slice_moments(bag, NULL) FROM sliced;
SELECT tlv_slice_moments(bag, s) FROM sliced, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2, distinct_pairs => true) AS s FROM sliced) f;
DROP TABLE sliced, steps, sliced_models, hundreds, hundreds_models;
