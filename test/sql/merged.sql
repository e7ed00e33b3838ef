-- tlv_merge(model, components): several components as one, of every kind where that is defined
SET client_min_messages = warning;
CREATE TABLE merged AS SELECT * FROM (VALUES ('topics', tlv_simulate_lda_model(20, 4, seed => 3)),
    ('communities', tlv_simulate_mmsb_model(60, 4, seed => 3)), ('mixture', tlv_simulate_gmm_model(3, 4, 2, 'full', seed => 3)),
  ('diagonal mixture', tlv_simulate_gmm_model(3, 4, 2, 'diagonal', seed => 3)), ('classes', tlv_simulate_lca_model(6, 4, 3, .5, 7)),
  ('views', tlv_simulate_multiview_model('{2,3,2}', 4, seed => 3)), ('mixed membership', tlv_simulate_gom_model(6, 4, 3, seed => 2))) v(name, model);
CREATE FUNCTION pg_temp.weights(tlv_model) RETURNS float8[] LANGUAGE sql AS 'SELECT array_agg(weight / (SELECT sum(weight) FROM tlv_components($1)) ORDER BY component) FROM tlv_components($1)';
-- weights are added, the smallest number stays, the others move up; labels stay
SELECT name, abs(b[2] - a[2] - a[4]) < 1e-9 AS added, abs(b[1] - a[1]) < 1e-9 AND abs(b[3] - a[3]) < 1e-9 AS others, cardinality(b) AS components
FROM merged, LATERAL (SELECT pg_temp.weights(model) AS a, pg_temp.weights(tlv_merge(model, '{4,2}')) AS b) w ORDER BY 1;
SELECT component, label FROM tlv_components(tlv_merge(tlv_label(tlv_label((SELECT model FROM merged WHERE name = 'topics'), 2, 'kept'), 3, 'third'), '{2,4}')) ORDER BY 1;
-- one component, repeated ones, none
SELECT name, tlv_merge(model, '{2,4,4}') = tlv_merge(model, '{4,2}') AS repeated, tlv_merge(model, '{}') = model AS none, (SELECT count(*)
  FROM tlv_components(tlv_merge(model, '{1,2,3,4}'))) AS of_all FROM merged ORDER BY 1;
-- the mixture of the components: its mean and covariance are what rows drawn from them have
SELECT dimension, abs(m.mean - (a.weight * a.mean + b.weight * b.mean) / (a.weight + b.weight)) < 1e-9 AS mean,
  abs(m.variance - (a.weight * (a.variance + a.mean ^ 2) + b.weight * (b.variance + b.mean ^ 2)) / (a.weight + b.weight) + m.mean ^ 2) < 1e-9 AS variance
FROM merged, LATERAL (SELECT dimension, mean, variance FROM tlv_means(tlv_merge(model, '{1,3}')) WHERE component = 1) m
  JOIN LATERAL (SELECT dimension, mean, variance, weight FROM tlv_means(model) JOIN tlv_components(model) USING (component) WHERE component = 1) a USING (dimension)
  JOIN LATERAL (SELECT dimension, mean, variance, weight FROM tlv_means(model) JOIN tlv_components(model) USING (component) WHERE component = 3) b USING (dimension)
  WHERE name LIKE '%mixture' ORDER BY name, dimension;
WITH parts AS (SELECT w.weight, c.* FROM merged, tlv_covariances(model) c JOIN tlv_components(model) w USING (component) WHERE name = 'mixture' AND c.component < 3),
  means AS (SELECT m.* FROM merged, tlv_means(model) m WHERE name = 'mixture' AND component < 3),
  moments AS (SELECT dimension_a, dimension_b, sum(weight * (covariance + a.mean * b.mean)) / sum(weight) - sum(weight * a.mean) * sum(weight * b.mean) / sum(weight) ^ 2 AS expected
    FROM parts p JOIN means a ON a.component = p.component AND a.dimension = dimension_a JOIN means b ON b.component = p.component AND b.dimension = dimension_b GROUP BY 1, 2)
SELECT count(*), max(abs(c.covariance - expected)) < 1e-9 AS covariance FROM merged, tlv_covariances(tlv_merge(model, '{1,2}')) c JOIN moments USING (dimension_a, dimension_b)
  WHERE name = 'mixture' AND c.component = 1;
-- categories of classes and words of topics are averaged by weight; a class of all has the marginal frequencies
SELECT count(*), max(abs(m.probability - a.probability)) < 1e-9 AS marginal FROM merged, tlv_categories(tlv_merge(model, '{1,2,3,4}')) m
  JOIN (SELECT variable, category, sum(weight * probability) / sum(weight) AS probability FROM merged, tlv_categories(model) c JOIN tlv_components(model) USING (component)
  WHERE name = 'classes' GROUP BY 1, 2) a USING (variable, category)
WHERE name = 'classes';
SELECT count(*), max(abs(m.probability - a.probability)) < 1e-6 AS words FROM merged, tlv_topic_items(tlv_merge(model, '{1,2,3,4}'), 20, by => 'probability') m
  JOIN (SELECT item, sum(weight * probability) / sum(weight) AS probability FROM merged, tlv_topic_items(model, 20, by => 'probability') i
  JOIN tlv_components(model) c ON c.component = i.topic WHERE name = 'topics' GROUP BY 1) a USING (item)
WHERE name = 'topics';
-- a fitted model applies after merging; standard errors are those of the model before and go
CREATE TABLE merged_fits AS SELECT tlv_gmm($$SELECT x FROM merged, tlv_simulate_gmm(model, 600, seed => 5) WHERE name = 'mixture'$$, 4, errors => true) AS gmm;
SELECT (SELECT count(DISTINCT component) FROM tlv_components(tlv_merge(gmm, '{3,4}'))) AS components, tlv_assign(tlv_merge(gmm, '{1,2,3,4}'), ARRAY[0.0, 0, 0]) AS assigned,
  (SELECT count(standard_error) FROM tlv_estimates(tlv_merge(gmm, '{3,4}'))) AS errors, (SELECT count(standard_error) > 0 FROM tlv_estimates(gmm)) AS before FROM merged_fits;
DROP TABLE merged_fits;
-- memberships of a node are added
SELECT count(*) AS nodes, max(abs(m.membership - a.membership)) < 1e-6 AS added FROM merged, tlv_memberships(tlv_merge(model, '{1,3}')) m
  JOIN (SELECT node, sum(membership) AS membership FROM merged, tlv_memberships(model) WHERE name = 'communities' AND community IN (1, 3) GROUP BY 1) a USING (node)
  WHERE name = 'communities' AND m.community = 1;
-- categories and numbers side by side
CREATE TABLE merged_rows AS SELECT id, 'kind ' || id % 3 AS kind, 'colour ' || (id % 3 + (id % 11 = 0)::int) AS colour, id % 3 + (id * 7 % 10) / 10.0 AS size FROM generate_series(1, 300) id;
SELECT abs(m.mean - avg(size)) < .01 AS mean, abs(m.variance / var_pop(size) - 1) < .05 AS variance
FROM tlv_means(tlv_merge(tlv_lca('SELECT kind, colour, size, 0 AS same FROM merged_rows', 3), '{1,2,3}')) m, merged_rows WHERE dimension_name = 'size' GROUP BY m.mean, m.variance;
-- a variance that all components share is no longer so, and a step of EM keeps that
SELECT tlv_info(m) ->> 'covariance' AS covariance, count(DISTINCT round(variance::numeric, 6)) AS variances,
    tlv_info(tlv_update(m, (SELECT tlv_statistics(ARRAY[x], m) FROM generate_series(1.0, 9, .05) x))) ->> 'covariance' AS updated
FROM (SELECT tlv_merge(tlv_gmm('SELECT i % 3 * 5 + i % 7 / 7.0 AS x FROM generate_series(1, 300) i', 3, covariance => 'common'), '{1,2}') AS m) q, tlv_means(m) GROUP BY m;
-- a count that is Poisson stays so: its variance is its mean
SELECT count(*), max(abs(mean - variance)) < 1e-9 AS poisson FROM tlv_means(tlv_merge(tlv_lca('SELECT (id % 3)::text AS kind, (id % 3 + (id % 11 = 0)::int)::text AS colour,
  (SELECT count(*) FROM generate_series(1, 40) j WHERE abs(hashint4(id * 41 + j)) % 40 < 1 + 4 * (id % 3))::float8 AS events FROM generate_series(1, 600) id', 3, layout => 'wide'), '{1,2}'));
-- refused
SELECT tlv_merge(model, '{1,5}') FROM merged WHERE name = 'topics';
SELECT tlv_merge(model, '{0}') FROM merged WHERE name = 'topics';
SELECT tlv_merge(model, '{1,NULL}') FROM merged WHERE name = 'topics';
SELECT tlv_merge(tlv_simulate_tree_model(5), '{1,2}');
SELECT tlv_merge(tlv_simulate_hmm_model(6, 3), '{1,2}');
SELECT tlv_merge(model, NULL) IS NULL AS of_null FROM merged WHERE name = 'topics';
DROP TABLE merged, merged_rows;
-- a mixture of t distributions is none
CREATE TABLE heavy AS SELECT ARRAY[(i % 2) * 30 + 3 * tan(3 * (((i * 7919) % 1000) / 1000.0 - 0.5)), ((i * 104729) % 1000) / 100.0]::float8[] AS x FROM generate_series(1, 600) i;
SELECT tlv_merge(tlv_gmm('SELECT x FROM heavy', 2, tails => 't'), '{1,2}');
DROP TABLE heavy;
