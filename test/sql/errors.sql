-- standard errors and intervals of the estimates of any model: error statistics, kept in a model, and what is refused.
\pset null '(null)'
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE TABLE truth AS SELECT c AS covariance, tlv_simulate_gmm_model(3, 2, 6, c, seed => 3) AS model FROM unnest('{common,spherical,diagonal,full}'::text[]) c;
CREATE TABLE points AS SELECT covariance, s.id, s.x FROM truth, tlv_simulate_gmm(model, 2000, seed => 4) s;
CREATE TABLE found AS SELECT covariance, tlv_gmm(format('SELECT x FROM points WHERE covariance = %L', covariance), 2, covariance, errors => true) AS model FROM truth;

-- 1. every number of a mixture once, with an interval that holds it
SELECT covariance, part, count(*), count(component) AS of_components, count(item) AS of_items, bool_and(low < estimate AND estimate < high) AS within, bool_and(standard_error > 0) AS known
FROM found, tlv_estimates(model) GROUP BY 1, 2 ORDER BY 1, 2;
-- the truth is within 4 standard errors
SELECT f.covariance, count(*), bool_and(abs(e.estimate - t.estimate) < 4 * e.standard_error) AS near FROM found f JOIN truth USING (covariance), tlv_estimates(f.model) e, tlv_estimates(truth.model) t
WHERE e.part = t.part AND e.item IS NOT DISTINCT FROM t.item AND t.component IS NOT DISTINCT FROM (SELECT max(component_a) FROM tlv_match(truth.model, f.model) WHERE component_b = e.component)
GROUP BY 1 ORDER BY 1;
-- 99 % are wider than 90 %
SELECT bool_and(a.low < b.low AND a.high > b.high) AS wider FROM found, tlv_estimates(model, confidence => .99) WITH ORDINALITY a, tlv_estimates(model, confidence => .9) WITH ORDINALITY b
WHERE a.ordinality = b.ordinality;

-- 2. the same by hand, of parts, of a sample, in parallel plans; without statistics nothing is known
CREATE TABLE by_hand AS SELECT covariance, tlv_gmm(format('SELECT x FROM points WHERE covariance = %L', covariance), 2, covariance) AS model FROM truth;
CREATE TABLE statistics AS SELECT covariance, id % 3 AS part, tlv_error_statistics(x, model) AS s FROM points JOIN by_hand USING (covariance) GROUP BY 1, 2;
SELECT covariance, count(*), bool_and(abs(a.standard_error - b.standard_error) < 1e-9 * b.standard_error) AS same
FROM (SELECT covariance, tlv_rollup(s) AS s FROM statistics GROUP BY 1) r JOIN by_hand h USING (covariance) JOIN found f USING (covariance),
  tlv_estimates(h.model, s) WITH ORDINALITY a, tlv_estimates(f.model) WITH ORDINALITY b WHERE a.ordinality = b.ordinality GROUP BY 1 ORDER BY 1;
SELECT covariance, bool_and(a.standard_error / b.standard_error BETWEEN .8 AND 1.25) AS alike
FROM statistics JOIN by_hand h USING (covariance) JOIN found f USING (covariance), tlv_estimates(h.model, s) WITH ORDINALITY a, tlv_estimates(f.model) WITH ORDINALITY b
WHERE a.ordinality = b.ordinality AND statistics.part = 1 GROUP BY 1 ORDER BY 1;
SELECT count(*), count(standard_error), count(low) FROM by_hand, tlv_estimates(model);
SELECT tlv_kind(s), (tlv_info(s) ->> 'rows')::int > 600 AS rows, s::text::tlv_moments = s AS text_form FROM statistics ORDER BY covariance, part LIMIT 1;
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT bool_and(abs(a.standard_error - b.standard_error) < 1e-9 * b.standard_error) AS same
FROM (SELECT tlv_error_statistics(x, (SELECT model FROM by_hand WHERE covariance = 'full')) AS s FROM points WHERE covariance = 'full') q, by_hand h, found f,
  tlv_estimates(h.model, s) WITH ORDINALITY a, tlv_estimates(f.model) WITH ORDINALITY b WHERE a.ordinality = b.ordinality AND h.covariance = 'full' AND f.covariance = 'full';
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- 3. kept: in text, in JSON, with labels; a step or a renumbering makes other numbers of which they are not
SELECT bool_and(model::text::tlv_model = model) AS text_form, bool_and(tlv_from_json(tlv_to_json(model)) = model) AS json,
  bool_and((SELECT count(standard_error) FROM tlv_estimates(tlv_label(model, 1, 'first'))) = (SELECT count(standard_error) FROM tlv_estimates(model))) AS labelled FROM found;
SELECT sum((SELECT count(standard_error) FROM tlv_estimates(tlv_align(model, model)))) AS aligned,
  sum((SELECT count(standard_error) FROM tlv_estimates(tlv_update(model, (SELECT tlv_statistics(x, model) FROM points p WHERE p.covariance = f.covariance))))) AS updated FROM found f;
SELECT tlv_from_json(replace(tlv_to_json(model)::text, '"standard_errors":[[', '"standard_errors":[[-2,1],[')::json) FROM found WHERE covariance = 'common';

-- 4. names of dimensions; what has none: a constant column, a component that is not there
SELECT part, component, item, item_name, standard_error > 0 AS known
FROM tlv_estimates(tlv_gmm($$SELECT x[1] AS length, x[2] AS width, 1.5 AS same FROM points WHERE covariance = 'full'$$, 1, 'full', errors => true));
SELECT tlv_error_statistics(x, tlv_align((SELECT model FROM found WHERE covariance = 'full'), tlv_simulate_gmm_model(3, 4, 9, 'full'))) FROM points;

-- 5. sequences, views, classes, mixed membership: by their drivers and by hand; alpha has none
CREATE TABLE symbols AS SELECT seq, t, 's' || symbol AS symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(symbols => 3, k => 2, seed => 3), 60, 50, 2);
CREATE TABLE steps AS SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(dimensions => 2, k => 2, seed => 3), 60, 50, 2);
CREATE TABLE views AS SELECT x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[2, 2, 2], 2, seed => 3), 1000);
CREATE TABLE labels AS SELECT 'a' || category1 AS x1, category2 AS x2, 'c' || category3 AS x3
FROM tlv_simulate_multiview(tlv_simulate_multiview_model(k => 2, categories => ARRAY[3, 3, 3], seed => 3), 2000);
CREATE TABLE survey AS SELECT id, v FROM tlv_simulate_lca(tlv_simulate_lca_model(6, 2, 3, seed => 3), 1000);
CREATE TABLE members AS SELECT v FROM tlv_simulate_gom(tlv_simulate_gom_model(8, 2, 3, seed => 3), 500);
CREATE TABLE models (name, model) AS VALUES ('symbols', tlv_hmm('SELECT * FROM symbols', 2, errors => true)), ('steps', tlv_hmm('SELECT * FROM steps', 2, 'full', errors => true)),
  ('views', tlv_multiview('TABLE views', 2, 'em', errors => true)), ('labels', tlv_multiview('TABLE labels', 2, errors => true)),
  ('survey', tlv_lca('SELECT id, ''q'' || j AS q, ''c'' || v[j] AS c FROM survey, generate_series(1, 6) j', 2, errors => true)), ('members', tlv_gom('SELECT v FROM members', 2, errors => true));
SELECT name, part, count(*), count(standard_error) AS with_error, count(low) AS with_interval, bool_and(low >= 0 AND high <= 1) AS shares, min(item_name) AS first, max(item_name) AS last
FROM models, tlv_estimates(model) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT name, model::text::tlv_model = model AS text_form, tlv_from_json(tlv_to_json(model)) = model AS json FROM models ORDER BY name;
WITH s (name, s) AS (
  SELECT 'steps', tlv_error_statistics(x, (SELECT model FROM models WHERE name = 'steps')) FROM (SELECT array_agg(x ORDER BY t) AS x FROM steps GROUP BY seq) q UNION ALL
  SELECT 'symbols', tlv_error_statistics(x, (SELECT model FROM models WHERE name = 'symbols')) FROM (SELECT array_agg(symbol ORDER BY t) AS x FROM symbols GROUP BY seq) q UNION ALL
  SELECT 'views', tlv_error_statistics(ROW(x1, x2, x3), (SELECT model FROM models WHERE name = 'views')) FROM views UNION ALL
  SELECT 'labels', tlv_error_statistics(x1, x2, x3, (SELECT model FROM models WHERE name = 'labels')) FROM labels UNION ALL
  SELECT 'members', tlv_error_statistics(v, (SELECT model FROM models WHERE name = 'members')) FROM members)
SELECT name, tlv_info(s) -> 'rows' AS rows, tlv_info(s) -> 'units' AS units, count(a.standard_error), bool_and(abs(a.standard_error - b.standard_error) < 1e-6 * b.standard_error) AS same
FROM s JOIN models USING (name), tlv_estimates(model, s) WITH ORDINALITY a, tlv_estimates(model) WITH ORDINALITY b WHERE a.ordinality = b.ordinality GROUP BY 1, 2, 3 ORDER BY 1;
-- what is missing in a sequence tells of the states alone
SELECT count(*), bool_and(standard_error > 0) AS known FROM tlv_estimates(tlv_hmm('SELECT seq, t, CASE WHEN t % 9 > 0 THEN x END FROM steps', 2, errors => true));

-- 6. refused
SELECT * FROM tlv_estimates((SELECT model FROM found WHERE covariance = 'full'), confidence => 1);
SELECT * FROM tlv_estimates((SELECT model FROM found WHERE covariance = 'full'), confidence => NULL);
SELECT * FROM tlv_estimates((SELECT model FROM found WHERE covariance = 'full'), (SELECT s FROM statistics WHERE covariance = 'common' LIMIT 1));
SELECT * FROM tlv_estimates((SELECT model FROM by_hand WHERE covariance = 'full'), (SELECT tlv_statistics(x, (SELECT model FROM by_hand WHERE covariance = 'full')) FROM points));
SELECT count(*) FROM tlv_estimates(NULL);
SELECT tlv_error_statistics(ARRAY[1, 2], model) FROM found WHERE covariance = 'full';
SELECT tlv_error_statistics('{1:2}'::tlv_bag, tlv_simulate_gmm_model(2, 2));
DROP TABLE truth, points, found, by_hand, statistics, symbols, steps, views, labels, survey, members, models;

-- 7. topics: refined ones, by name, kept and by hand; from moments; what has none
CREATE TABLE words AS SELECT doc, format('w%s', item) AS word, weight AS n FROM tlv_simulate_lda(tlv_simulate_lda_model(60, 3, alpha0 => .3, seed => 3), 600, 40, seed => 1), tlv_bag_items(bag);
CREATE TABLE topics AS SELECT r AS refine, tlv_lda('SELECT doc, word, n FROM words', 3, refine => r, errors => true) AS model FROM unnest('{none,gibbs,stepwise}'::text[]) r;
SELECT refine, part, count(*), count(standard_error), bool_and(low <= estimate AND estimate <= high) AS within, bool_and(item_name LIKE 'w%') AS named
FROM topics, tlv_estimates(model) GROUP BY 1, 2 ORDER BY 1, 2;
CREATE TABLE bags AS SELECT doc, tlv_bag_agg(word, n) AS bag FROM words GROUP BY 1;
SELECT refine, bool_and(abs(a.standard_error - b.standard_error) < 1e-9) AS same FROM topics t,
  LATERAL (SELECT tlv_rollup(s) AS s FROM (SELECT tlv_error_statistics(bag, (SELECT model FROM topics x WHERE x.refine = t.refine)) AS s FROM bags GROUP BY doc % 3) q) e,
  tlv_estimates(model) WITH ORDINALITY a, tlv_estimates(model, s) WITH ORDINALITY b WHERE a.ordinality = b.ordinality GROUP BY 1 ORDER BY 1;
-- words of more tokens are known better, relative to their probability; a third of the documents says as much
SELECT refine, corr(ln(estimate), ln(standard_error / estimate)) < -.9 AS better FROM topics, tlv_estimates(model) WHERE part = 'probability' AND estimate > .005 GROUP BY 1 ORDER BY 1;
SELECT refine, exp(avg(ln(b.standard_error / a.standard_error))) BETWEEN .8 AND 1.25 AS alike FROM topics t,
  LATERAL (SELECT tlv_error_statistics(bag, (SELECT model FROM topics x WHERE x.refine = t.refine)) AS s FROM bags WHERE doc % 3 = 0) e,
  tlv_estimates(model) WITH ORDINALITY a, tlv_estimates(model, s) WITH ORDINALITY b WHERE a.ordinality = b.ordinality AND a.estimate > .005 GROUP BY 1 ORDER BY 1;
SELECT tlv_error_statistics(bag, tlv_lda('SELECT doc, word, n FROM words', 3, method => 'anchors', refine => 'none')) FROM bags;
SELECT count(*) FROM topics, tlv_estimates(model, (SELECT tlv_statistics(bag, (SELECT model FROM topics WHERE refine = 'gibbs')) FROM bags)) WHERE refine = 'gibbs';
DROP TABLE words, topics, bags;

-- 8. a model that can have no errors is kept without them, and says why
CREATE TABLE refused (name, model) AS VALUES ('direction', tlv_gmm('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 2, 6), 300)', 2, 'direction', errors => true)),
  ('anchors', tlv_lda('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(50, 3), 300, 40)', 3, method => 'anchors', refine => 'none', errors => true));
SELECT name, code, component, score, message, hint FROM refused, tlv_warnings(model) WHERE code = 'no_errors' ORDER BY name;
DROP TABLE refused;
-- sequences that are fewer than the numbers of the model: four times as many have errors
CREATE TABLE few AS SELECT n, tlv_hmm(format('SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(NULL, 3, dimensions => 2, stay => .8, seed => 906), %s, 50, 100)', n),
  3, errors => true) AS model
FROM unnest('{30,120}'::int[]) n;
SELECT n, count(standard_error) > 0 AS some, (SELECT string_agg(message || ' - ' || hint, '; ') FROM tlv_warnings(model) WHERE code = 'no_errors') AS warned
FROM few, tlv_estimates(model) GROUP BY n, model ORDER BY n;
DROP TABLE few;
-- views of more categories than are told apart: the others have errors
CREATE TABLE many AS SELECT 'a' || (i * 7919) % 601 + CASE WHEN i % 5 < 2 THEN 601 ELSE 0 END AS a, 'b' || i * 31 % 3 + CASE WHEN i % 5 < 2 THEN 2 ELSE 0 END AS b,
  'c' || i * 17 % 4 + CASE WHEN i % 5 < 2 THEN 3 ELSE 0 END AS c FROM generate_series(1, 6000) i;
SELECT part, left(item_name, 2) AS view, count(*), count(standard_error), count(low) FROM tlv_estimates(tlv_multiview('SELECT a, b, c FROM many', 2, errors => true)) GROUP BY 1, 2 ORDER BY 1, 2;
DROP TABLE many;
-- of few rows errors are those of the products of scores times n / (n - p): two clouds of 20 symmetric rows, whose means have the error sd / sqrt(20) by the products, and 5 parameters
CREATE TABLE clouds AS SELECT ARRAY[side + o / 10.0]::float8[] AS x, o / 10.0 AS o FROM unnest('{-50,50}'::int[]) side, generate_series(-10, 10) o WHERE o <> 0;
SELECT e.component, round((e.standard_error / s.by_products)::numeric, 4) AS factor, round(40 / 35.0, 4) AS of_five_parameters
FROM tlv_estimates(tlv_gmm('SELECT x FROM clouds', 2, 'diagonal', errors => true)) e, (SELECT sqrt(avg(o * o) / 20) AS by_products FROM clouds) s WHERE e.part = 'mean' ORDER BY 1;
DROP TABLE clouds;
