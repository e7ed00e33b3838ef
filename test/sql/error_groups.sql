-- standard errors that come from elsewhere than scores: graphs, components that come again, groups of rows, trees.
\pset null '(null)'
\set VERBOSITY terse
SET client_min_messages = warning;
-- 9. blocks: what so many pairs of nodes tell of a rate; from the model alone, kept or not
CREATE TABLE edges (name, model) AS SELECT name, tlv_mmsb(q, 2, directed => directed, sides => sides, degree_corrected => false, edges => model, errors => true) FROM
  (SELECT 'SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(80, 2, 0, .3, .05, seed => 2), 3)' AS q) s,
  (VALUES ('undirected', false, 'bernoulli', 'auto'), ('directed', true, 'bernoulli', 'separate'), ('counts', false, 'poisson', 'auto')) v (name, directed, model, sides);
WITH sizes AS (SELECT name, community AS c, min(size) AS first, max(size) FILTER (WHERE side <> 'source') AS second FROM edges, tlv_communities(model) GROUP BY 1, 2),
  pairs AS (SELECT a.name, a.c AS a, b.c AS b,
    CASE WHEN a.name = 'directed' THEN NULL WHEN a.c = b.c THEN a.first * (a.first - 1) / 2 ELSE a.first * b.first END AS n FROM sizes a JOIN sizes b USING (name))
SELECT name, count(*), count(standard_error), bool_and(low < estimate AND estimate < high AND low > 0) AS within,
  bool_and(abs(standard_error / sqrt(estimate * CASE name WHEN 'counts' THEN 1 ELSE 1 - estimate END / n) - 1) < .02) AS by_pairs
FROM edges JOIN pairs USING (name), tlv_estimates(model) WHERE part = 'connectivity' AND a = component AND b = item GROUP BY 1 ORDER BY 1;
SELECT part, component, item_name, round(standard_error::numeric, 4) AS standard_error FROM edges, tlv_estimates(model) WHERE name = 'directed' AND part = 'weight';
-- no edge between two blocks was seen: an interval from 0, and no error
SELECT component, item, estimate, standard_error, low, round(high::numeric, 4) AS high
FROM tlv_estimates(tlv_mmsb('SELECT i, j FROM generate_series(1, 20) i, generate_series(1, 20) j
  WHERE i < j AND (i <= 10) = (j <= 10) AND (i + j) % 3 > 0', 2)) WHERE part = 'connectivity' AND component <> item;
-- mixed memberships: from graphs drawn from the model; the same every time, and not without errors => true
CREATE TABLE mixed AS SELECT * FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(150, 2, 1, .4, .05, seed => 2), 3);
SELECT part, count(*), count(standard_error), bool_and(low < estimate AND estimate < high) AS within, bool_and(standard_error BETWEEN .005 AND .1) AS alike
FROM tlv_estimates(tlv_mmsb('TABLE mixed', 2, 1, errors => true)) GROUP BY 1 ORDER BY 1;
SELECT tlv_mmsb('TABLE mixed', 2, 1, errors => true) = tlv_mmsb('TABLE mixed', 2, 1, errors => true) AS repeated;
SELECT count(*), count(standard_error) FROM tlv_estimates(tlv_mmsb('TABLE mixed', 2, 1));
SELECT count(standard_error) FROM tlv_estimates(tlv_mmsb('TABLE mixed', 2, 1, directed => true, labels => 'SELECT src, 1 FROM mixed WHERE src < 5', errors => true));
SELECT tlv_from_json(tlv_to_json(m)) = m AS json FROM tlv_mmsb('TABLE mixed', 2, 1, errors => true) m;
DROP TABLE edges, mixed;

-- 10. support: components that do not come again from three quarters of the rows are named
CREATE TABLE three AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 3, 4, 'full', seed => 1), 1000, seed => 1);
-- with one component too many EM may or may not reach its limit of iterations, by the processor: the warnings are not shown
SET client_min_messages = error;
SELECT k, count(*) AS told, max(score) < .1 AS all_come_again, count(*) FILTER (WHERE score > .3) > 0 AS spurious,
  count(*) FILTER (WHERE score > .3) = (SELECT count(*) FROM tlv_warnings(model) WHERE code = 'spurious_component') AS all_named
FROM (SELECT k, tlv_gmm('TABLE three', k, 'full', errors => true) AS model FROM generate_series(3, 5) k) m, tlv_diagnostics(model) WHERE measure = 'recurrence' GROUP BY k, model ORDER BY k;
SET client_min_messages = warning;
SELECT count(*) FROM tlv_diagnostics(tlv_gmm('TABLE three', 3, 'full')) WHERE measure = 'recurrence';
SET tensorlv.warnings = off;
-- which of the four it is depends on the processor
SELECT DISTINCT code, regexp_replace(message, '\d', 'n') AS message, hint
FROM tlv_warnings(tlv_gmm('TABLE three', 4, 'full', errors => true)) w WHERE code = 'spurious_component';
CREATE TABLE three_states AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(8, 3, stay => .8, seed => 101), 100, 50, 101);
SELECT k, count(*) AS told, max(score) < .1 AS all_come_again, count(*) FILTER (WHERE score > .3) > 0 AS spurious
FROM (SELECT k, tlv_hmm('TABLE three_states', k, errors => true) AS model FROM unnest('{3,5}'::int[]) k) m, tlv_diagnostics(model) WHERE measure = 'recurrence' GROUP BY k ORDER BY k;
SELECT code, min(message) AS message FROM tlv_warnings(tlv_hmm('TABLE three_states', 5, errors => true)) WHERE code = 'spurious_component' GROUP BY 1;
-- they follow their components; a sequence alone is cut; nothing is told of what was given, nor of too few rows
SELECT bool_and(a.score = b.score) AS follows FROM (SELECT tlv_gmm('TABLE three', 4, 'full', errors => true) AS m, tlv_gmm('TABLE three', 4, 'full', seed => 5) AS o) q,
  LATERAL (SELECT tlv_align(m, o) AS aligned) l, tlv_diagnostics(aligned) a, tlv_match(m, aligned) p, tlv_diagnostics(m) b
WHERE a.measure = 'recurrence' AND b.measure = 'recurrence' AND p.component_a = b.component AND p.component_b = a.component;
RESET tensorlv.warnings;
-- views, classes, mixed membership and communities: three real ones come again, of five that are fitted some do not, and all of these are named
CREATE TEMP TABLE supported AS SELECT family, k, m FROM (
  SELECT 'categories' AS family, k, tlv_multiview($$SELECT 'a' || category1, 'b' || category2, 'c' || category3
      FROM tlv_simulate_multiview(tlv_simulate_multiview_model(NULL, categories => ARRAY[6, 6, 6], k => 3, seed => 3), 3000, 4)$$,
    k, errors => true) AS m FROM unnest('{3,5}'::int[]) k
  UNION ALL SELECT 'vectors', 3, tlv_multiview('SELECT x1, x2, x3
      FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[4, 4, 5], k => 3, seed => 3), 1500, 4)', 3, refine => 'em', errors => true)
  UNION ALL SELECT 'classes', k, tlv_lca('SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(10, 3, 3, seed => 3), 800, seed => 4)', k, errors => true) FROM unnest('{3,5}'::int[]) k
  UNION ALL SELECT 'numbers', 2, tlv_lca($$SELECT CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS a,
      CASE WHEN (i * 7) % 10 < 2 + 6 * (i % 2) THEN 'x' ELSE 'y' END AS b, 3.0 * (i % 2) + (i * 37 % 100) / 100.0 AS z
    FROM generate_series(1, 400) i$$, 2, layout => 'wide', errors => true)
  UNION ALL SELECT 'memberships', k, tlv_gom('SELECT v FROM tlv_simulate_gom(tlv_simulate_gom_model(30, 3, 3, seed => 3), 800, seed => 4)', k, errors => true) FROM unnest('{3,5}'::int[]) k
  UNION ALL SELECT 'blocks', k, tlv_mmsb('SELECT * FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, 0, .12, .02, seed => 3), 4)', k, degree_corrected => false, errors => true)
      FROM unnest('{3,5}'::int[]) k
  UNION ALL SELECT 'directed', 3, tlv_mmsb($$SELECT * FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, 0, .12, .02, kind => 'directed', seed => 3), 4)$$, 3, directed => true, errors => true)
  UNION ALL SELECT 'mixed', 3, tlv_mmsb('SELECT * FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, .3, .12, .02, seed => 3), 4)', 3, alpha0 => .3, errors => true)) q;
SELECT family, k, count(*) AS told, max(score) < .2 AS all_come_again, count(*) FILTER (WHERE score > .3) > 0 AS spurious,
  count(*) FILTER (WHERE score > .3) = (SELECT count(*) FROM tlv_warnings(m) WHERE code = 'spurious_component') AS all_named
FROM supported, tlv_diagnostics(m) WHERE measure = 'recurrence' GROUP BY family, k, m ORDER BY family, k;
SELECT DISTINCT code, regexp_replace(message, '\d+', 'N') AS message, hint FROM supported, tlv_warnings(m) WHERE code ~ 'spurious' ORDER BY 1;
-- one community, and errors that were not asked for, are not looked at; numbers move with their components
SELECT count(*) FROM tlv_diagnostics(tlv_mmsb('SELECT i, j FROM generate_series(1, 8) i, generate_series(1, 8) j WHERE i < j', 1, errors => true)) WHERE measure = 'recurrence';
SELECT count(*) FROM tlv_diagnostics(tlv_lca('SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(10, 3, 3, seed => 3), 100, seed => 4)', 3)) WHERE measure = 'recurrence';
SELECT family, bool_and(a.score = b.score) AS same
      FROM supported, LATERAL (SELECT tlv_align(m, tlv_compact(m, 0)) AS again) q, tlv_diagnostics(m) a
      JOIN LATERAL tlv_diagnostics(again) b USING (measure, component)
WHERE measure = 'recurrence' AND k = 5 GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM tlv_diagnostics(tlv_hmm('SELECT 1, 50 * seq + t, symbol FROM three_states', 3, errors => true)) WHERE measure = 'recurrence';
SELECT count(*) FROM tlv_diagnostics(tlv_hmm('TABLE three_states', 2, transitions => '{{.9,.1},{.1,.9}}', errors => true)) WHERE measure = 'recurrence';
SELECT count(*) FROM tlv_diagnostics(tlv_gmm('SELECT x FROM three LIMIT 6', 2, errors => true)) WHERE measure = 'recurrence';
DROP TABLE three, three_states;

-- 11. jackknife: of the mean of one Gaussian what the means of the groups say; of more, whatever the numbers of the components are
CREATE TABLE by_group AS SELECT id % 10 AS g, tlv_dense_moments(x, 3) AS s, avg(x[1]) AS mean FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 3, 5, seed => 2), 3000, seed => 1) GROUP BY 1;
CREATE TABLE one_out AS SELECT k, a.g, tlv_fit_gmm(tlv_rollup(b.s), k, 'common', seed => a.g) AS model FROM generate_series(1, 3, 2) k, by_group a JOIN by_group b ON a.g <> b.g GROUP BY 1, 2;
CREATE TABLE jack AS SELECT k, tlv_jackknife((SELECT tlv_fit_gmm(tlv_rollup(s), k, 'common') FROM by_group), array_agg(model)) AS model FROM one_out GROUP BY k;
SELECT abs(standard_error / (SELECT stddev(mean) / sqrt(10) FROM by_group) - 1) < 1e-6 AS exact FROM jack, tlv_estimates(model) WHERE k = 1 AND part = 'mean' AND item = 1;
SELECT part, count(*), count(standard_error), bool_and(standard_error BETWEEN .004 AND .1) AS alike FROM jack, tlv_estimates(model) WHERE k = 3 GROUP BY 1 ORDER BY 1;
SELECT tlv_jackknife(model, (SELECT array_agg(o.model ORDER BY g DESC) || NULL::tlv_model FROM one_out o WHERE o.k = 3))
    = tlv_jackknife(model, (SELECT array_agg(o.model ORDER BY g DESC) FROM one_out o WHERE o.k = 3)) AS nulls_left_out,
  (SELECT bool_and(abs(a.standard_error - b.standard_error) < 1e-9) FROM tlv_estimates(model) WITH ORDINALITY a,
    tlv_estimates(tlv_jackknife(model, (SELECT array_agg(tlv_align(o.model, f.model)) FROM one_out o, one_out f
      WHERE o.k = 3 AND f.k = 3 AND f.g = 4))) WITH ORDINALITY b WHERE a.ordinality = b.ordinality) AS any_order
FROM jack WHERE k = 3;
SELECT tlv_jackknife(model, ARRAY[model]) FROM jack WHERE k = 3;
SELECT tlv_jackknife(a.model, ARRAY[a.model, b.model]) FROM jack a, jack b WHERE a.k = 3 AND b.k = 1;
SELECT tlv_jackknife(model, ARRAY[model, tlv_simulate_lca_model(3, 3)]) FROM jack WHERE k = 3;
-- 12. a category of one component alone: it stays at 0 in the fits of the other, so has no error there but an exact interval that begins at 0
CREATE TABLE view_rows AS SELECT i, ARRAY(SELECT CASE WHEN h = 0 AND u < .2 THEN 'rare' WHEN (u < .6) = (h = 0) THEN 'yes' ELSE 'no' END
    FROM (SELECT i % 2 AS h, abs(hashint8extended(i, v)) % 1000 / 1000.0 AS u FROM generate_series(1, 3) v) q) AS x FROM generate_series(1, 4000) i;
WITH g AS MATERIALIZED (SELECT i / 200 % 20 AS g, tlv_view_moments(x[1], x[2], x[3]) AS s FROM view_rows GROUP BY 1)
SELECT component, item_name, standard_error IS NULL AS rare, low = 0 AS from_zero, high < .5 AS bounded
FROM tlv_estimates(tlv_jackknife((SELECT tlv_fit_multiview(tlv_rollup(s), 2) FROM g),
    ARRAY(SELECT tlv_fit_multiview(tlv_rollup(o.s), 2) FROM g JOIN g o ON o.g <> g.g GROUP BY g.g))) WHERE item_name ~ 'rare' ORDER BY 2, 1;
DROP TABLE view_rows;
-- there are none: tlv_jackknife says why
\set VERBOSITY default
SELECT tlv_jackknife(m, ARRAY[m, m]) FROM tlv_fit_cp(ARRAY[[[1, 2], [3, 4]], [[2, 4], [6, 9]]], 1) m;
SELECT tlv_estimates(tlv_dictionary('SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(16, 16, 2, seed => 3), 300, seed => 4)', 16, 2));
SELECT tlv_estimates(tlv_fit_tucker(ARRAY[[[1, 2], [3, 4]], [[2, 4], [6, 9]]], '{2,2,2}'));
SELECT tlv_estimates(m) FROM tlv_simulate_network_model(20, '{4}', 2, seed => 1) m;
SELECT tlv_estimates(m) FROM tlv_simulate_convolution_model(2, 8, seed => 1) m;
\set VERBOSITY terse
SELECT tlv_jackknife(NULL, ARRAY[model]) IS NULL AS strict FROM jack WHERE k = 1;
DROP TABLE by_group, one_out, jack;
-- independent components have errors in this way alone; signs may turn
CREATE TABLE mixed_rows AS SELECT id, x FROM tlv_simulate_ica(tlv_simulate_ica_model(3, seed => 2), 4000, 1);
CREATE TABLE ica AS SELECT g, tlv_fit_ica(tlv_rollup(s), seed => g + 2) AS model FROM generate_series(-1, 9) g,
  LATERAL (SELECT tlv_dense_moments(x, 4) AS s FROM mixed_rows WHERE id % 10 <> g) q GROUP BY g;
SELECT part, count(*), count(standard_error), count(component) AS of_components, bool_and(standard_error BETWEEN .003 AND .1) AS alike
FROM tlv_estimates(tlv_jackknife((SELECT model FROM ica WHERE g < 0), ARRAY(SELECT model FROM ica WHERE g >= 0))) GROUP BY 1 ORDER BY 1;
DROP TABLE mixed_rows, ica;

-- topics: fits without each group; a word's error is that of the squares of the documents
CREATE TABLE texts AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(200, 3, alpha0 => .5, seed => 4), 1500, 50, seed => 5);
CREATE TABLE jacked AS SELECT model, tlv_jackknife(model, ARRAY(SELECT tlv_lda(format('SELECT bag FROM texts WHERE doc %% 20 <> %s', g), 3, .5, refine => 'none') FROM generate_series(0,
  19) g)) AS jack
FROM tlv_lda('SELECT bag FROM texts', 3, .5, refine => 'none') model;
SELECT e.part, count(*) > 2 AS many, sqrt(avg(o.standard_error ^ 2) / avg(e.standard_error ^ 2)) BETWEEN .9 AND 1.1 AS as_by_squares
FROM jacked, LATERAL (SELECT tlv_error_statistics(bag, model) AS errors FROM texts) s, tlv_estimates(jack) e
  JOIN LATERAL tlv_estimates(model, errors) o USING (part, component, item) WHERE e.part = 'probability' AND e.estimate > .005 GROUP BY 1;
-- Student's intervals, also in JSON
SELECT bool_and(abs((estimate - low) / standard_error - 2.093) < .002) AS student, tlv_from_json(tlv_to_json(jack)) = jack AS json
FROM jacked, tlv_estimates(jack) WHERE part = 'probability' AND estimate BETWEEN .01 AND .1 AND low > 0 GROUP BY jack;
DROP TABLE texts, jacked;

-- 12. lengths of the edges of a tree: as the model has them, of replicates where there are such
CREATE TABLE leaves AS SELECT v, v[1] + 1 AS apple, v[2] + 1 AS pear, v[3] + 1 AS plum, v[4] AS fig, v[5] AS nut FROM tlv_simulate_tree(tlv_simulate_tree_model(5, 2, seed => 4), 2000, 1);
CREATE TABLE trees (b, model) AS VALUES (0, tlv_tree('SELECT apple, pear, plum, fig, nut FROM leaves', 2, layout => 'wide')), (30, tlv_tree('SELECT v FROM leaves', 2, bootstrap => 30));
SELECT b, item, item_name, round(estimate::numeric, 2) AS estimate, standard_error > .01 AS known, low < estimate AND estimate < high AS within FROM trees, tlv_estimates(model) ORDER BY 1, 2;
SELECT b, bool_and(x.length = e.estimate AND x.error = e.standard_error) AS same FROM trees, tlv_estimates(model) e, tlv_tree_edges(model) x WHERE x.child = e.item_name GROUP BY 1 ORDER BY 1;
-- the error of a structure without replicates is that of its best quartet, which is too large
SELECT avg(b.standard_error / a.standard_error) < .95 AS smaller FROM trees t, trees r, tlv_estimates(t.model) WITH ORDINALITY a, tlv_estimates(r.model) WITH ORDINALITY b
WHERE t.b = 0 AND r.b = 30 AND a.ordinality = b.ordinality;
DROP TABLE leaves, trees;
