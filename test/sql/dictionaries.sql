-- Sparse coding: dictionaries, atoms, codes, updates, pictures, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE TABLE coded_truth AS SELECT tlv_simulate_dictionary_model(24, 40, 2, seed => 3) AS model;
CREATE TABLE coded AS SELECT id, x, codes FROM coded_truth, tlv_simulate_dictionary(model, 3000, noise => 0.02, seed => 4);
CREATE TABLE coded_models AS SELECT tlv_dictionary('SELECT x FROM coded', atoms => 40, sparsity => 2) AS model;
SELECT count(*) FILTER (WHERE distance < 0.05) AS found FROM coded_truth t, coded_models m, tlv_match(t.model, m.model);
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'sparsity' AS sparsity, i->'arrays'->'atoms' AS atoms, i->'warnings' AS warnings, model = (model::text)::tlv_model AS text_form,
       tlv_from_json(tlv_to_json(model)) = model AS json_form FROM coded_models, tlv_info(model) i;
-- atoms have length 1, the largest share is positive; they are in the order of their use
SELECT count(*) AS atoms, bool_and(abs(length - 1) < 1e-9) AS unit, bool_and(positive) AS positive
FROM (SELECT atom, sum(weight ^ 2) AS length, (array_agg(weight ORDER BY abs(weight) DESC))[1] > 0 AS positive FROM coded_models, tlv_atoms(model) GROUP BY atom) q;
SELECT bool_and(weight <= before) AS ordered FROM (SELECT weight, lag(weight) OVER (ORDER BY component) AS before FROM coded_models, tlv_components(model)) q;
-- codes: the row is nearly the sum of its atoms, in no more than sparsity
SELECT count(*) AS rows, max(n) AS most, max(error) < 0.4 AS near
FROM (SELECT id, max(n) AS n, sqrt(sum((x - sum) ^ 2)) AS error
      FROM (SELECT r.id, a.dimension, r.x[a.dimension] AS x, sum(c.coefficient * a.weight) AS sum, count(*) AS n
            FROM (SELECT id, x FROM coded WHERE id <= 100) r, coded_models m, tlv_encode(m.model, r.x) c JOIN LATERAL tlv_atoms(m.model) a ON a.atom = c.atom GROUP BY 1, 2, 3) q GROUP BY id) q;
-- of several vectors step is the vector; columns, real[] and whole numbers are vectors, too
SELECT count(DISTINCT step) AS steps, (SELECT count(*) FROM coded_models, tlv_encode(model, (SELECT x::real[] FROM coded WHERE id = 1))) AS atoms
FROM coded_models, tlv_encode(model, (SELECT array_agg(x ORDER BY id) FROM coded WHERE id <= 7));
SELECT DISTINCT atom, dimension, dimension_name, round(weight::numeric, 6) AS weight
FROM tlv_atoms(tlv_dictionary('SELECT 3.0 * v AS length, 4 * v AS width FROM generate_series(1, 9) v', 1, 1)) ORDER BY 1, 2;
-- refinement by hand, in parts; statistics of new rows at less than their weight
SELECT (tlv_info(tlv_update(model, tlv_rollup(s)))->>'error')::float8 < 0.01 AS better, tlv_kind(tlv_rollup(s)) AS kind
FROM (SELECT model, tlv_statistics(x, model) AS s FROM coded, coded_models GROUP BY model, id % 5) q GROUP BY model;
SELECT count(*) FILTER (WHERE distance < 0.05) AS same, bool_and(component_a = component_b) AS numbers
FROM (SELECT model, tlv_update(model, tlv_statistics(x, model), weight => 0.1) AS updated FROM coded, coded_models WHERE id <= 500 GROUP BY model) q, tlv_match(model, updated);
-- methods; a model that is not refined
SELECT m AS method, count(*) FILTER (WHERE distance < 0.05) AS found
FROM (VALUES ('mod'), ('ica')) v(m), LATERAL (SELECT tlv_simulate_dictionary_model(16, 16, 2, seed => 3) AS truth OFFSET 0) t,
  tlv_match(truth, tlv_dictionary('SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(16, 16, 2, seed => 3), 2000, seed => 4)', 16, 2, method => m)) GROUP BY m ORDER BY m;
SELECT count(*) FILTER (WHERE distance < 0.05) AS found_by_graph, (SELECT count(*) FROM tlv_warnings(model)) AS warnings
FROM (SELECT tlv_simulate_dictionary_model(200, 20, 2, seed => 3) AS truth,
             tlv_dictionary('SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(200, 20, 2, seed => 3), 1000, seed => 4)', 20, 2,
               method => 'graph', refine => 'none') AS model OFFSET 0) q,
  tlv_match(truth, model) GROUP BY model;
SELECT code, component, score, message, hint FROM tlv_warnings(tlv_dictionary('SELECT ARRAY[v % 2, (v + 1) % 2] FROM generate_series(1, 20) v', 3, 1)) ORDER BY 1, 2;
-- of more than ten components at once
SELECT code, component, score, message, hint FROM tlv_warnings(tlv_dictionary('SELECT ARRAY[v % 2, (v + 1) % 2] FROM generate_series(1, 40) v', 15, 1));
SELECT tlv_svg(model) LIKE '<svg%</svg>' AS picture FROM coded_models;
-- same rows in another order, same model; another seed
SELECT tlv_dictionary('SELECT x FROM coded WHERE id < 500', 10, 2) = tlv_dictionary('SELECT x FROM coded WHERE id < 500 ORDER BY id DESC', 10, 2) AS same,
       tlv_dictionary('SELECT x FROM coded WHERE id < 500', 10, 2) = tlv_dictionary('SELECT x FROM coded WHERE id < 500', 10, 2, seed => 2) AS other_seed;
-- bad input
SELECT q, pg_temp.outcome('SELECT tlv_info(' || q || ')->''kind''') FROM unnest(ARRAY[
  $$tlv_dictionary('SELECT x FROM coded', 0, 1)$$, $$tlv_dictionary('SELECT x FROM coded', 40, 0)$$, $$tlv_dictionary('SELECT x FROM coded', 2, 3)$$,
  $$tlv_dictionary('SELECT x FROM coded', 5000, 3)$$,
  $$tlv_dictionary('SELECT x FROM coded', 40, 30)$$, $$tlv_dictionary('SELECT x FROM coded', 40, 2, method => 'ica')$$, $$tlv_dictionary('SELECT x FROM coded', 40, 2, method => 'ksvd')$$,
  $$tlv_dictionary('SELECT x FROM coded', 40, 2, refine => 'em')$$, $$tlv_dictionary('SELECT x FROM coded', 40, 2, f => 0)$$, $$tlv_dictionary('SELECT x FROM coded', 40, 2, threshold => 'NaN')$$,
  $$tlv_dictionary('SELECT x FROM coded WHERE false', 40, 2)$$, $$tlv_dictionary('SELECT ARRAY[1, ''NaN''::float8]', 2, 1)$$, $$tlv_dictionary('SELECT ARRAY[1e200, 1e200]', 2, 1)$$,
  $$tlv_dictionary('SELECT ''a''::text', 2, 1)$$, $$tlv_dictionary(NULL::text, 2, 1)$$, $$tlv_dictionary('SELECT ARRAY[0.0, 0.0] FROM generate_series(1, 5)', 2, 1)$$,
  $$tlv_dictionary('SELECT ARRAY[1.0, 2, 3]', 5, 2)$$]) q;
SELECT pg_temp.outcome('SELECT count(*) FROM coded_models, tlv_encode(model, ARRAY[1, 2, 3])') AS width,
       pg_temp.outcome('SELECT count(*) FROM coded_models, tlv_encode(model, ''text''::text)') AS type,
       pg_temp.outcome('SELECT count(*) FROM tlv_atoms(tlv_simulate_ica_model(3))') AS kind, pg_temp.outcome('SELECT tlv_infer(model, ARRAY[1, 2]) FROM coded_models') AS infer;
SELECT pg_temp.outcome('SELECT tlv_rollup(s) FROM (SELECT tlv_statistics(x, model, ''tanh'') AS s FROM coded, coded_models) q') AS refinement;
DROP TABLE coded_truth, coded, coded_models;
-- fewer atoms than a row may have: the sparsity is as many
CREATE TABLE coded_again AS SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(8, 6, 3, seed => 3), 300, noise => 0.1, seed => 4);
SELECT tlv_info(fewer)->>'sparsity' AS sparsity, (SELECT count(*) FROM tlv_components(fewer)) AS atoms,
  (SELECT count(DISTINCT atom) FROM tlv_encode(fewer, (SELECT x FROM coded_again LIMIT 1))) AS used
FROM (SELECT tlv_compact(model, (SELECT max(weight) / sum(weight) - 1e-9 FROM tlv_components(model))) AS fewer
      FROM (SELECT tlv_dictionary('SELECT x FROM coded_again', 6, 3) AS model) m) c;
DROP TABLE coded_again;
