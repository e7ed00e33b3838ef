-- mixtures of Gaussians: from moments, from a query, applied to rows; and what is refused.
\pset null '(null)'
\set VERBOSITY terse
SET client_min_messages = warning;
\set ECHO none
\i test/sql/include/components.sql
\set ECHO all
CREATE TABLE truth AS SELECT c AS covariance, tlv_simulate_gmm_model(6, 3, 6, c, seed => 2) AS model FROM unnest('{common,spherical,diagonal,full}'::text[]) c;
CREATE TABLE points AS SELECT covariance, s.* FROM truth, tlv_simulate_gmm(model, 3000, seed => 4) s;
SELECT covariance, count(*), min(cardinality(x)), max(component) FROM points GROUP BY covariance ORDER BY covariance;
-- the first rows do not depend on how many follow
SELECT count(*) FROM points p JOIN truth t USING (covariance), tlv_simulate_gmm(t.model, 2, seed => 4) s WHERE s.id = p.id AND s.x = p.x AND s.component = p.component;

-- 1. from moments alone, that were kept by part of the rows
CREATE TABLE kept AS SELECT covariance, id % 5 AS part, tlv_dense_moments(x, 3) AS m FROM points GROUP BY 1, 2;
CREATE TABLE fitted AS SELECT covariance, tlv_fit_gmm(tlv_rollup(m), 3, CASE WHEN covariance = 'common' THEN 'common' ELSE 'spherical' END) AS model FROM kept GROUP BY covariance;
SELECT covariance, count(component_b), max(distance) < .7 AS near FROM truth t JOIN fitted f USING (covariance), tlv_match(t.model, f.model) GROUP BY 1 ORDER BY 1;
SELECT covariance, abs(sum(weight) - 1) < 1e-12 AS sum_to_1, bool_and(variance BETWEEN .2 AND 3) AS variances, count(DISTINCT variance) AS distinct_variances, count(c.covariance_) AS matrices
FROM fitted, pg_temp.mixture(model) AS c(component, weight, mean, variance, covariance_) GROUP BY 1 ORDER BY 1;

-- 2. in one call
CREATE TABLE found AS SELECT covariance, tlv_gmm(format('SELECT x FROM points WHERE covariance = %L', covariance), 3, covariance) AS model FROM truth;
SELECT f.covariance, bool_and(distance < .15) AS near FROM truth t JOIN found f USING (covariance), tlv_match(t.model, f.model) GROUP BY 1 ORDER BY 1;
SELECT f.covariance, component, cardinality(c.mean), array_dims(c.covariance_) FROM found f, pg_temp.mixture(model) AS c(component, weight, mean, variance, covariance_) WHERE component = 1 ORDER BY 1;
SELECT f.covariance, count(*), sum((tlv_assign(f.model, p.x) = m.component_b)::int) > 2900 AS right_ones,
       bool_and(abs((SELECT sum(s) FROM unnest(tlv_infer(f.model, p.x)) s) - 1) < 1e-9) AS sum_to_1
FROM found f JOIN points p USING (covariance) JOIN truth t USING (covariance), tlv_match(t.model, f.model) m WHERE m.component_a = p.component GROUP BY 1 ORDER BY 1;
-- the likelihood that is said is the likelihood
SELECT f.covariance, abs(avg(tlv_log_likelihood(f.model, p.x)) - max(d.score)) < 1e-9 AS same
FROM found f JOIN points p USING (covariance), tlv_diagnostics(f.model) d WHERE d.measure = 'mean_log_likelihood' GROUP BY 1 ORDER BY 1;
SELECT covariance, string_agg(concat_ws('_', measure, component), ' ' ORDER BY measure, component) AS reported FROM found, tlv_diagnostics(model)
WHERE measure IN ('residual', 'signal', 'condition_number', 'iterations', 'eigenvalue', 'bic', 'aic', 'parameters', 'start_moments', 'passes', 'refinement_steps') AND coalesce(component,
  1) = 1 GROUP BY 1 ORDER BY 1;
SELECT tlv_info(model) -> 'kind' AS kind, tlv_info(model) -> 'rows' AS rows, tlv_info(model) -> 'warnings' AS warnings, model::text::tlv_model = model AS text_form
FROM found WHERE covariance = 'full';
-- a step by hand is a step of the driver
CREATE TABLE steps AS SELECT tlv_gmm($$SELECT x FROM points WHERE covariance = 'spherical'$$, 3, refine => 'none') AS none,
  tlv_gmm($$SELECT x FROM points WHERE covariance = 'spherical'$$, 3, iterations => 0) AS start, tlv_gmm($$SELECT x FROM points WHERE covariance = 'spherical'$$, 3, iterations => 1) AS one;
SELECT tlv_info(none) -> 'steps' AS none, tlv_info(start) -> 'steps' AS start, tlv_info(one) -> 'steps' AS one FROM steps;
WITH by_hand AS (SELECT tlv_update(start, (SELECT tlv_statistics(x, start) FROM points WHERE covariance = 'spherical')) AS model FROM steps)
SELECT max(distance) < 1e-9 AS same FROM by_hand, steps, tlv_match(model, one);
SELECT tlv_update(none, (SELECT tlv_statistics(x, start) FROM points WHERE covariance = 'spherical')) FROM steps;

-- 3. k by the criterion
SELECT (tlv_info(m) -> 'arrays' -> 'means' ->> 1)::int AS k, (SELECT score FROM tlv_diagnostics(m) WHERE measure = 'k_chosen') AS chosen
FROM (SELECT tlv_gmm($$SELECT x FROM points WHERE covariance = 'common'$$, covariance => 'common') AS m) c;
SELECT (tlv_info(m) -> 'arrays' -> 'means' ->> 1)::int AS k, tlv_info(m) -> 'warnings' AS warnings FROM (SELECT tlv_gmm($$SELECT x FROM points WHERE covariance = 'common'$$, max_k => 2) AS m) c;

-- the covariance, too, and by tlv_fit_gmm as far as moments tell
SELECT t.covariance, tlv_info(m) ->> 'covariance' AS found, (tlv_info(m) -> 'arrays' -> 'means' ->> 1)::int AS k, tlv_info(m) -> 'warnings' AS warnings
FROM truth t, LATERAL (SELECT tlv_gmm(format('SELECT x FROM points WHERE covariance = %L', t.covariance)) AS m) c ORDER BY 2;
SELECT covariance, tlv_info(m) ->> 'covariance' AS found FROM (SELECT covariance, tlv_fit_gmm(tlv_rollup(m), 3) AS m FROM kept WHERE covariance IN ('common', 'full') GROUP BY 1) f ORDER BY 1;
SELECT string_agg(concat_ws('_', measure, component), ' ' ORDER BY measure, component) AS reported FROM tlv_diagnostics((SELECT tlv_gmm($$SELECT x FROM points
  WHERE covariance = 'common'$$))) WHERE measure ~ '^(bic|icl|covariance)';
-- one Gaussian is one component; round ones describe its shape, and no groups
CREATE TABLE one AS SELECT s.x FROM (SELECT tlv_simulate_gmm_model(5, 1, covariance => 'full', seed => 1) AS m) t, tlv_simulate_gmm(m, 2000, 2) s;
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_gmm('SELECT x FROM one')));
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_gmm('SELECT x FROM one', covariance => 'full')));
SELECT code, component, message, hint FROM tlv_warnings((SELECT tlv_gmm('SELECT x FROM one', covariance => 'spherical'))) WHERE code = 'components_overlap';
-- groups by ICL: components that overlap are one, and the warning names the k of the density
CREATE TABLE by_icl AS SELECT tlv_gmm('SELECT x FROM one', covariance => 'spherical', criterion => 'icl') AS m;
SELECT (SELECT count(*) FROM tlv_components(m)) AS k, message, hint FROM by_icl, tlv_warnings(m) WHERE code = 'components_overlap';
SELECT criterion, k, chosen FROM by_icl, tlv_suggest_k(m) WHERE chosen OR k = 1 ORDER BY 1, 2;
-- Two components of one are hardly likelier with one covariance than with another: which is taken, and warned of, is not asked.
SET tensorlv.warnings = off;
SELECT criterion, (SELECT count(*) FROM tlv_diagnostics(m) WHERE measure ~ '^(bic|icl)_[cdfst]') AS compared
FROM (VALUES ('icl', tlv_gmm('SELECT x FROM one', 2, criterion => 'icl')), ('bic', tlv_gmm('SELECT x FROM one', 2, criterion => 'bic'))) v(criterion, m);
-- rows that are few, rounded and of one shape: no component takes a row or two for its own, whose likelihood is that of the floor
SELECT count(*) AS tables, count(*) FILTER (WHERE k > 3) AS of_more_than_three, sum(tiny) AS of_a_row
FROM (SELECT count(*) AS k, count(*) FILTER (WHERE weight * 40 < 1.5) AS tiny
  FROM generate_series(1, 20) s, tlv_components(tlv_gmm(format('SELECT (SELECT array_agg(round((4 * (v + x[1]))::numeric)) FROM unnest(x) v) AS x
    FROM tlv_simulate_gmm(tlv_simulate_gmm_model(7, 1, seed => %1$s), 40, seed => %1$s)', s))) GROUP BY s) q;
SET tensorlv.warnings = on;
-- scores 1 to 5: a group whose values are all equal has the variance that integers resolve, and is compared as such
CREATE TABLE scores AS SELECT array_agg(CASE WHEN i % 3 = 0 THEN 3 + (i * j * 7) % 3 ELSE 1 + ((i * j) % 11 = 0)::int END::float8) AS x
  FROM generate_series(1, 300) i, generate_series(1, 6) j GROUP BY i;
SELECT criterion, tlv_info(m) ->> 'covariance' AS found, EXISTS (SELECT FROM tlv_warnings(m) WHERE code = 'variances_at_floor') AS floored
FROM unnest('{bic,icl}'::text[]) criterion, LATERAL (SELECT tlv_gmm('SELECT x FROM scores', 2, criterion => criterion) AS m) q;
SELECT tlv_gmm('SELECT x FROM one', criterion => 'aic');

-- one matrix for all: found, kept by steps and blends, estimated once, and one each after a merger
CREATE TABLE tied AS SELECT s.x FROM (SELECT tlv_simulate_gmm_model(4, 3, 5, 'tied', 3) AS m) t, tlv_simulate_gmm(m, 600, 4) s;
CREATE TABLE tied_model AS SELECT tlv_gmm('SELECT x FROM tied', errors => true) AS m;
SELECT tlv_info(m) ->> 'covariance' AS found, (SELECT count(*) FROM tlv_components(m)) AS k, (SELECT count(*) FROM tlv_estimates(m) WHERE part IN ('variance', 'covariance')) AS estimates,
  (SELECT bool_and(standard_error > 0) FROM tlv_estimates(m) WHERE part IN ('variance', 'covariance')) AS errors,
  (SELECT round(score) FROM tlv_diagnostics(m) WHERE measure = 'parameters') AS parameters FROM tied_model;
SELECT weight, tlv_info(u) ->> 'covariance' AS kept,
  (SELECT max(spread) FROM (SELECT max(covariance) - min(covariance) AS spread FROM tlv_covariances(u) GROUP BY dimension_a, dimension_b) q) AS spread
FROM tied_model, unnest('{1,.3}'::float8[]) weight, LATERAL (SELECT tlv_update(m, (SELECT tlv_statistics(x, m) FROM (SELECT x FROM tied LIMIT 300) r), weight) AS u) q;
SELECT tlv_info(tlv_merge(m, '{1,2}')) ->> 'covariance' AS merged, tlv_from_json(tlv_to_json(m)) = m AS same FROM tied_model;
SELECT tlv_info(tlv_gmm('SELECT x FROM tied', 3, 'tied', 't')) ->> 'covariance' AS heavy, max(abs(tlv_log_likelihood(m, x) - tlv_log_likelihood(f, x))) < 5 AS near
FROM tied, tied_model, (SELECT tlv_gmm('SELECT x FROM tied', 3, 'full') AS f) q;

-- rows far out make no components of t distributions
CREATE FUNCTION normal(n int, seed bigint) RETURNS SETOF float8 LANGUAGE sql AS $$ SELECT x[1] FROM tlv_simulate_gmm((SELECT tlv_simulate_gmm_model(1, 1, 0)), n, seed) $$;
CREATE TABLE heavy AS SELECT n, array[a / root + 12 * (n % 3), b / root + 12 * (n % 3 / 2)] AS x FROM (SELECT n, a, b, sqrt((c * c + d * d + e * e + f * f) / 4) AS root
  FROM (SELECT row_number() OVER () AS n, v.* FROM ROWS FROM (normal(3000, 1), normal(3000, 2), normal(3000, 3), normal(3000, 4), normal(3000, 5), normal(3000, 6)) AS v(a, b, c, d, e, f)) r) q;
SELECT component, degrees BETWEEN 2.5 AND 6 AS four, covariance IS NULL AS spherical FROM pg_temp.mixture((SELECT tlv_gmm('SELECT x FROM heavy', tails => 't')));
CREATE TABLE heavy_models AS SELECT tlv_gmm('SELECT x FROM heavy') AS normal, tlv_gmm('SELECT x FROM heavy', 3, c, 't') AS t FROM unnest('{common,spherical,diagonal,full}'::text[]) c;
SELECT count(*) > 3 AS more, bool_and(degrees IS NULL) AS gaussians FROM pg_temp.mixture((SELECT normal FROM heavy_models LIMIT 1));
SELECT code, score BETWEEN 2 AND 6 AS degrees, hint FROM tlv_warnings((SELECT normal FROM heavy_models LIMIT 1)) WHERE code = 'heavy_tails';
-- the density of every row, of every covariance; the likelihood that is said is their mean
SELECT tlv_info(t) ->> 'covariance' AS covariance, abs(avg(tlv_log_likelihood(t, x)) - max(d.score)) < 1e-9 AS same,
  (array_agg(n ORDER BY round(tlv_log_likelihood(t, x)::numeric, 3), n))[1:3] AS least
FROM heavy_models, heavy, tlv_diagnostics(t) d WHERE d.measure = 'mean_log_likelihood' GROUP BY t ORDER BY 1;
SELECT bool_and(t::text::tlv_model = t) AS text_form, bool_and(abs(m.distance) < .5) AS same_step
FROM heavy_models, LATERAL (SELECT tlv_update(t, (SELECT tlv_statistics(x, t) FROM heavy)) AS next) u, tlv_match(t, next) m;
SELECT max(distance) < .2 AS near
FROM heavy_models, LATERAL (SELECT format('SELECT x FROM tlv_simulate_gmm(%L, 3000, 3)', t) AS q) s, tlv_match(t, tlv_gmm(q, 3, 'spherical', 't')) WHERE tlv_info(t) ->> 'covariance' = 'spherical';
SELECT tlv_gmm('SELECT x FROM heavy', tails => 'thick');

-- 4. all forms of a query are one thing
CREATE TABLE columns AS SELECT x[1] AS a, x[2]::real AS b, x[3]::numeric AS c, (x[4] * 100)::int AS d, x FROM points WHERE covariance = 'common';
CREATE VIEW seen AS SELECT a, b, c FROM columns WHERE d IS NOT NULL;
CREATE TABLE forms AS SELECT tlv_gmm('SELECT array[a, b, c] FROM columns', 3) AS plain, tlv_gmm('SELECT array[a, b, c] FROM seen;', 3) AS from_view,
  tlv_gmm('SELECT array[a, b, c]::real[] FROM columns ORDER BY d LIMIT 3000', 3) AS stored, tlv_gmm('SELECT array_agg(array[a, b, c]) FROM columns GROUP BY d % 7', 3) AS many,
  tlv_gmm('WITH w AS (SELECT array[a, b, c::float8] AS v FROM columns) SELECT v FROM w UNION ALL SELECT NULL', 3) AS with_null;
SELECT name, max(distance) < .03 AS same FROM forms, LATERAL (VALUES ('from_view', from_view), ('stored', stored), ('many', many), ('with_null', with_null)) v(name, model), tlv_match(plain, model)
GROUP BY 1 ORDER BY 1;

-- 5. out of the reach of third moments: starts from the rows
SELECT count(*), min(weight) > .1 AS weights FROM pg_temp.mixture((SELECT tlv_gmm('SELECT array[a] FROM columns', 2))) WHERE variance > 0;
SELECT measure, score FROM tlv_diagnostics((SELECT tlv_gmm('SELECT array[a, b] FROM columns', 3))) WHERE measure = 'start_moments';
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_gmm('SELECT array[a] FROM columns LIMIT 5', 5)));

-- 6. data that are hard to bear
SELECT tlv_info(tlv_gmm('SELECT array[a, b, 7] FROM columns', 2, 'diagonal')) -> 'warnings' AS constant_column;
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_gmm('SELECT array[a, b, a - b] FROM columns', 2, 'full')));
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_gmm('SELECT array[a, b, a, a] FROM columns', 3, 'full')));
SELECT count(*), sum(weight) > .999 AS weights FROM pg_temp.mixture((SELECT tlv_gmm('SELECT array[(d > 0)::int, (c > 0)::int] FROM columns', 4)));
-- equal rows are one component, whatever is asked for
SELECT asked, m.*, (SELECT string_agg(code, ', ') FROM tlv_warnings(model)) FROM (VALUES
  (NULL, tlv_gmm('SELECT array[1, 2] FROM columns')), (1, tlv_gmm('SELECT array[1, 2] FROM columns', 1)), (2, tlv_gmm('SELECT array[1, 2] FROM columns', 2)),
  (NULL, tlv_gmm('SELECT array[1e80, 2, 0] FROM columns LIMIT 1', errors => true))) v(asked, model), tlv_means(model) m WHERE m.component = 1;
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_gmm('SELECT array[a * 1e80, b * 1e80] FROM columns', 2)));
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_gmm('SELECT array[a * 1e-60, b * 1e-60] FROM columns', 2)));
SELECT tlv_gmm('SELECT array[v, 1] FROM (VALUES (1::float8), (1e300), (2)) v(v)', 2);
SELECT tlv_gmm('SELECT array[v, v] FROM (VALUES (0::float8), (2e-300)) v(v)', 2);

-- 7. what is refused
SELECT tlv_gmm('SELECT x FROM points LIMIT 3', 4);
SELECT tlv_gmm('SELECT x FROM points WHERE false', 2);
SELECT tlv_gmm('SELECT NULL::float8[] FROM points', 2);
SELECT tlv_gmm('SELECT x FROM points', 0);
SELECT tlv_gmm('SELECT x FROM points', 100000);
SELECT tlv_gmm('SELECT x FROM points', 2, 'round');
SELECT tlv_gmm('SELECT x FROM points', 2, refine => 'gibbs');
SELECT tlv_gmm('SELECT x FROM points', 2, iterations => -1);
SELECT tlv_gmm('SELECT x FROM points', 2, tails => 'magic');
SELECT tlv_gmm($$SELECT 'text', 'more' FROM columns$$, 2);
SELECT tlv_gmm('SELECT covariance FROM points', 2);
SELECT tlv_gmm('DELETE FROM points', 2);
SELECT tlv_gmm('SELECT CASE WHEN d % 2 = 0 THEN array[a, b] ELSE array[a] END FROM columns', 2);
SELECT tlv_gmm('SELECT array[a, NULL] FROM columns', 2);
SELECT tlv_gmm($$SELECT array[a, 'NaN'] FROM columns$$, 2);
SELECT tlv_gmm(NULL, 2);
SELECT tlv_fit_gmm(NULL, 2);
-- k from moments alone: as many as they show; one component, with a warning, where there is no structure
SELECT s.k, seed, (SELECT count(*) FROM tlv_components(m)) AS found, (SELECT string_agg(code, ' ') FROM tlv_warnings(m) WHERE code = 'no_structure') AS warning
FROM (VALUES (1, 4), (2, 4), (3, 4), (5, 6), (8, 10)) AS s(k, d), generate_series(1, 2) AS seed(seed),
  LATERAL (SELECT tlv_fit_gmm((SELECT tlv_dense_moments(x, 3) FROM tlv_simulate_gmm(tlv_simulate_gmm_model(d, s.k, separation => 4, seed => seed), 20000, seed))) AS m) f ORDER BY 1, 2;
SELECT count(*) AS components FROM tlv_components((SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY[sin(i), cos(i * 7)], 3)) FROM generate_series(1, 100) i));
-- what is missing in a row: the density of the rest is the integral over it, the posterior of nothing the weights; rows one by one or many together
CREATE TEMP TABLE with_gaps AS SELECT form, tlv_simulate_gmm_model(3, 3, 4, form) AS m FROM unnest('{common,spherical,diagonal,full}'::text[]) form;
INSERT INTO with_gaps SELECT 't', tlv_gmm('SELECT ARRAY[sin(i), cos(i * 7) + sin(i), (i % 10)^3 / 100.0] FROM generate_series(1, 300) i', 2, 'full', 't');
SELECT form, round((sum(exp(greatest(tlv_log_likelihood(m, ARRAY[1, i * .05, 3]), -100))) * .05 / exp(tlv_log_likelihood(m, ARRAY[1, NULL, 3])))::numeric, 4) AS integral
FROM with_gaps, generate_series(-2000, 2000) i GROUP BY form, m ORDER BY form COLLATE "C";
SELECT form, tlv_infer(m, '{NULL,NULL,NULL}') = (SELECT array_agg(weight ORDER BY component) FROM tlv_components(m)) AS weights, tlv_log_likelihood(m, '{NULL,NULL,NULL}') = 0 AS nothing,
  tlv_infer(m, ARRAY[ARRAY[1, NULL, 3], ARRAY[1, 2, 3]]) = ARRAY[tlv_infer(m, '{1,NULL,3}'), tlv_infer(m, '{1,2,3}')] AS many,
  tlv_impute(m, ARRAY[ARRAY[1, NULL, 3], ARRAY[1, 2, 3]]) = ARRAY[tlv_impute(m, '{1,NULL,3}'), tlv_impute(m, '{1,2,3}')] AS imputed,
  (SELECT abs(sum(s) - 1) < 1e-12 FROM unnest(tlv_infer(m, '{1,NULL,NULL}')) s) AS sums, tlv_assign(m, '{1,NULL,3}') BETWEEN 1 AND 3 AS assigned FROM with_gaps ORDER BY form COLLATE "C";
\set VERBOSITY default
SELECT tlv_fit_gmm(tlv_dense_moments(array[a, b], 3), 2) FROM (VALUES (1::float8, 1::float8), (1, -1), (-1, 1), (-1, -1)) v(a, b);
SELECT tlv_fit_gmm(tlv_dense_moments(array[a, a], 3), 3) FROM (VALUES (0::float8), (1), (1), (0)) v(a);
SELECT tlv_fit_gmm(tlv_dense_moments(x, 2), 2) FROM points;
SELECT tlv_fit_gmm(tlv_rollup(m), 2) FROM (SELECT tlv_statistics(x, none) AS m FROM points, steps) s;
\set VERBOSITY terse
SELECT pg_temp.mixture((SELECT tlv_simulate_lda_model(10, 2)));
SELECT tlv_infer(model, array[1, 2]::float8[]) FROM found WHERE covariance = 'full';
-- more than an array holds, refused before it is worked out
SELECT tlv_infer(tlv_simulate_gmm_model(1, 1000), array_fill(1::float8, '{140000,1}'));
SELECT tlv_infer(model, array[1, 2, 3, 4, 5, 1e200]::float8[]) FROM found WHERE covariance = 'full';
SELECT tlv_match(a, b) FROM (SELECT tlv_simulate_gmm_model(2, 2) AS a, tlv_simulate_gmm_model(3, 2) AS b) v;
SELECT tlv_simulate_gmm_model(0, 1);
SELECT tlv_simulate_gmm_model(1, 1, separation => -1);
SELECT tlv_simulate_gmm(model, -1) FROM truth;

-- 8. moments in the leading directions: those of all dimensions, as far as a mixture goes
CREATE TABLE halves AS SELECT s.covariance, s.id % 2 AS half, tlv_dense_moments(s.x, f.subspace) AS m
  FROM points s JOIN (SELECT covariance, tlv_find_subspace(tlv_dense_moments(x, 2), 3) AS subspace FROM points GROUP BY 1) f USING (covariance) GROUP BY 1, 2;
SELECT covariance, c AS fitted, max(distance) < 1e-8 AS same_means FROM (SELECT covariance, tlv_rollup(m) AS m FROM halves GROUP BY 1) h
       JOIN (SELECT covariance, tlv_rollup(m) AS whole FROM kept GROUP BY 1) k USING (covariance),
  unnest('{common,spherical}'::text[]) c, tlv_match(tlv_fit_gmm(m, 3, c), tlv_fit_gmm(whole, 3, c)) WHERE covariance IN ('spherical', 'full') GROUP BY 1, 2 ORDER BY 1, 2;
SELECT c AS fitted, max(distance) < .7 AS near, count(a.covariance_) AS own
FROM truth JOIN (SELECT covariance, tlv_rollup(m) AS m FROM halves GROUP BY 1) h USING (covariance), unnest('{diagonal,full}'::text[]) c,
  LATERAL tlv_match(model, tlv_fit_gmm(m, 3, c)) JOIN LATERAL pg_temp.mixture(tlv_fit_gmm(m, 3, c)) AS a(component, weight, mean, variance, covariance_) ON component = component_b
  WHERE covariance = 'diagonal' GROUP BY 1 ORDER BY 1;
SELECT a.component, abs(a.weight - b.weight) < 1e-9 AS weight, abs(a.variance - b.variance) < 1e-9 AS variance
FROM pg_temp.mixture((SELECT tlv_fit_gmm(tlv_rollup(m), 3, 'spherical') FROM halves WHERE covariance = 'spherical')) a
     JOIN pg_temp.mixture((SELECT model FROM fitted WHERE covariance = 'spherical')) b USING (component) ORDER BY 1;
SELECT measure, score FROM tlv_diagnostics((SELECT tlv_fit_gmm(tlv_rollup(m), 3) FROM halves WHERE covariance = 'common')) WHERE measure IN ('dimensions', 'directions', 'rows') ORDER BY 1;
-- more dimensions than third moments are kept in
CREATE TABLE wide_truth AS SELECT tlv_simulate_gmm_model(250, 4, 8, 'spherical', seed => 3) AS model;
CREATE TABLE wide AS SELECT s.* FROM wide_truth, tlv_simulate_gmm(model, 4000, seed => 5) s;
SELECT tlv_fit_gmm(tlv_dense_moments(x, 3), 4) FROM wide;
CREATE TABLE wide_kept AS SELECT id % 3 AS part, tlv_dense_moments(x, (SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 5) FROM wide)) AS m FROM wide GROUP BY 1;
CREATE TABLE wide_found AS SELECT c AS covariance, tlv_fit_gmm(tlv_rollup(m), 4, c) AS from_moments, tlv_gmm('SELECT x FROM wide', 4, c) AS driven
  FROM wide_kept, unnest('{common,spherical,diagonal}'::text[]) c GROUP BY c;
SELECT covariance, max(m.distance) < 1.6 AS near, max(d.distance) < 1 AS near_refined FROM wide_truth, wide_found, tlv_match(model, from_moments) m
       JOIN LATERAL tlv_match(model, driven) d USING (component_a) GROUP BY 1 ORDER BY 1;
SELECT covariance, min(c.weight) > .1 AS weights, max(abs(c.variance - t.variance)) < .05 AS variances
FROM wide_truth, wide_found, tlv_match(from_moments, model) m, LATERAL pg_temp.mixture(from_moments) AS c(component, weight, mean, variance, covariance_),
     LATERAL pg_temp.mixture(model) AS t(component, weight, mean, variance, covariance_)
WHERE c.component = m.component_a AND t.component = m.component_b AND covariance = 'spherical' GROUP BY 1;
SELECT covariance, string_agg(measure || ' ' || score, ', ' ORDER BY measure) FROM wide_found, tlv_diagnostics(driven) WHERE measure IN ('dimensions', 'directions', 'converged') GROUP BY 1 ORDER BY 1;
\set VERBOSITY default
SELECT tlv_fit_gmm(tlv_dense_moments(x, (SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 1) FROM points)), 3) FROM points;
SELECT tlv_fit_gmm(tlv_dense_moments(x, 2), 2) FROM wide;
\set VERBOSITY terse

-- the units of the columns do not matter where every column has variances of its own
SELECT covariance, max(error / 1000) < 1e-6 AS same
FROM (SELECT covariance, tlv_dense_moments(array[x[1] * 1000, x[2] * 1000, x[3], x[4], x[5], x[6]], 3) AS far, tlv_dense_moments(x, 3) AS near
      FROM points WHERE covariance IN ('diagonal', 'full') GROUP BY 1) m,
  LATERAL (SELECT sqrt(((f.mean[1] - 1000 * n.mean[1]) / 1000) ^ 2 + (f.mean[3] - n.mean[3]) ^ 2) AS error
           FROM pg_temp.mixture(tlv_fit_gmm(far, 3, covariance)) AS f(component, weight, mean, variance, covariance_)
    JOIN pg_temp.mixture(tlv_fit_gmm(near, 3, covariance)) AS n(component, weight, mean, variance, covariance_) USING (component)) e GROUP BY 1 ORDER BY 1;

-- 9. what cannot be, and what can all the same
CREATE TABLE hard AS SELECT name, m, k FROM (VALUES ('one column', 'array[a]'), ('equal columns', 'array[a, a, b]'), ('dependent columns', 'array[a, b, a - b]'), ('constant column', 'array[a, b, 7]'),
  ('few distinct rows', 'array[d % 2, d % 2]'), ('far from 0', 'array[a + 1e9, b - 1e9]'), ('large', 'array[a * 1e90, b * 1e90]'),
  ('small', 'array[a * 1e-70, b * 1e-70]'), ('both', 'array[a * 1e90, b * 1e-40]'),
  ('units', 'array[a * 1e12, b * 1e-12]')) v(name, m), unnest('{1,2,4}'::int[]) k;
SELECT name, count(*) AS models, bool_and(finite) AS finite FROM (
  SELECT name, c, k, (SELECT count(*) = k AND bool_and(weight > 0 AND variance > 0 AND variance < 'infinity')
                      FROM pg_temp.mixture(tlv_gmm(format('SELECT %s::float8[] FROM columns', m), k, c)) AS v(component, weight, mean, variance, covariance_)) AS finite
  FROM hard, unnest('{common,spherical,diagonal,full}'::text[]) c) s GROUP BY 1 ORDER BY 1;
SELECT tlv_gmm('SELECT array[a * 1e101::float8, b] FROM columns', 2);
SELECT tlv_gmm('SELECT array[a * 1e300::float8, b * 1e300::float8] FROM columns', 2);
SELECT tlv_gmm('SELECT array[a * 1e-300::float8, b * 1e-300::float8] FROM columns', 2);
SELECT tlv_gmm($$SELECT array[a, 'infinity'] FROM columns$$, 2);
SELECT tlv_gmm('SELECT array[]::float8[] FROM columns', 2);
-- an array of two dimensions is many rows
SELECT max(distance) < 1e-9 AS same FROM tlv_match((SELECT tlv_gmm('SELECT array[array[a, b], array[a + 1, b + 2]] FROM columns', 2, refine => 'none')),
  (SELECT tlv_gmm('SELECT x FROM (SELECT array[a, b] AS x FROM columns UNION ALL SELECT array[a + 1, b + 2] FROM columns) v', 2, refine => 'none')));
SELECT tlv_gmm('SELECT array[array[array[a]]] FROM columns', 2);
-- fewer rows than needed, and just as many
SELECT count(*), tlv_info(model) -> 'rows' AS rows FROM (SELECT tlv_gmm('SELECT x FROM points LIMIT 4', 4, 'full') AS model) s, pg_temp.mixture(model) GROUP BY 2;
SELECT code, message FROM tlv_warnings(tlv_gmm('SELECT x FROM points LIMIT 1', 1));
SELECT tlv_fit_gmm(tlv_dense_moments(array[a, b], 3), 3) FROM columns;
-- which covariance is chosen is not decided by the optimum that each of them happens to be tried in: k-means of 2,000 of these rows ends elsewhere with every seed
CREATE TEMP TABLE many AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(20, 10), 20000);
SELECT DISTINCT tlv_info(tlv_gmm('SELECT x FROM many', 10, seed => s)) ->> 'covariance' AS chosen FROM generate_series(1, 4) s;
DROP TABLE many;
-- what the diagnostics warn of
SELECT w FROM (SELECT tlv_fit_gmm(tlv_dense_moments(array[a, b, a + b * 1e-3], 3), 3, 'spherical') AS model FROM columns) s, jsonb_array_elements_text(tlv_info(model) -> 'warnings') w ORDER BY w;
SELECT w FROM (SELECT tlv_gmm('SELECT array[a, b, a - b] FROM columns', 2, 'full') AS model) s, jsonb_array_elements_text(tlv_info(model) -> 'warnings') w WHERE w LIKE '%floor%';
-- a type of its own for vectors, with a cast to real[]
CREATE TYPE own_vector AS (numbers real[]);
CREATE FUNCTION to_numbers(own_vector) RETURNS real[] LANGUAGE sql IMMUTABLE AS 'SELECT $1.numbers';
CREATE CAST (own_vector AS real[]) WITH FUNCTION to_numbers(own_vector);
SELECT max(distance) < .03 AS same FROM forms, tlv_match(plain, (SELECT tlv_gmm('SELECT row(array[a, b, c]::real[])::own_vector FROM columns', 3)));
SELECT count(*) FROM pg_temp.mixture((SELECT tlv_fit_gmm(tlv_dense_moments(row(array[a, b, c]::real[])::own_vector::real[]::float8[], 3), 3) FROM columns));
-- beside another column it may be the row that is meant, as an array may
SELECT tlv_gmm('SELECT a AS id, row(array[a, b, c]::real[])::own_vector AS v FROM columns', 3);
-- aggregates take it as it is
SELECT tlv_dense_moments(v, 3) = tlv_dense_moments(x, 3) AS moments, tlv_dense_moments(v, 2) = tlv_dense_moments(x::float8[], 2) AS of_doubles, tlv_statistics(v, plain) = tlv_statistics(x,
  plain) AS statistics,
  tlv_statistics(v, plain) = tlv_statistics(row(x[1], x[2], x[3]), plain) AS of_records, tlv_view_moments(v, x, v) = tlv_view_moments(x, x, x) AS views
FROM forms, (SELECT array[a, b, c]::real[] AS x, row(array[a, b, c]::real[])::own_vector AS v FROM columns) r GROUP BY plain;
SELECT count(*) > 0 AS moving FROM (SELECT tlv_dense_moments(row(array[a, b]::real[])::own_vector, 2) OVER (ORDER BY a ROWS 2 PRECEDING) AS m FROM columns LIMIT 20) r WHERE tlv_info(m)->>'rows' = '3';
DROP TYPE own_vector CASCADE;
-- another model that is nearly as likely, and divides the rows otherwise: two components of four clouds on a square are one side and the other, or the upper and the lower
CREATE TABLE corners AS SELECT ARRAY[4 * a + u, 4 * b + v] AS x FROM unnest('{-1,1}'::int[]) a, unnest('{-1,1}'::int[]) b, generate_series(1, 20) i,
  LATERAL (VALUES (i * .618 % 1, i * .7549 % 1), (i * .7549 % 1, i * .618 % 1)) w(u, v);
SET tensorlv.warnings = off;
CREATE TABLE divided AS SELECT k, tlv_gmm('SELECT x FROM corners', k, 'full', errors => true) AS m FROM unnest('{2,4}'::int[]) k;
SELECT k, code, component, round(score::numeric, 6) AS score, message, hint FROM divided, tlv_warnings(m) ORDER BY k, code;
SELECT k, doubts FROM divided, tlv_summary(m) WHERE component = 0 ORDER BY k;
-- few rows of a known model: not of two components, nor of more rows, nor where components are far apart
CREATE TABLE drawn AS SELECT separation, s.* FROM unnest('{6,15}'::int[]) separation, tlv_simulate_gmm(tlv_simulate_gmm_model(3, 3, separation, 'full', seed => 5032), 2000, seed => 5032) s;
SELECT separation, n, k, code, score BETWEEN .1 AND 2.9 AS near, message
FROM (VALUES (6, 300, 3), (6, 300, 2), (15, 300, 3)) t(separation, n, k),
  tlv_warnings(tlv_gmm(format('SELECT x FROM drawn WHERE separation = %s AND id <= %s', separation, n), k, 'full')) ORDER BY 1, 2, 3, 4;
-- nor where a variance is at the floor, which then decides what is likely
SELECT code FROM tlv_warnings(tlv_gmm('SELECT ARRAY[i % 7, i % 3, i % 11]::float8[] FROM generate_series(1, 200) i', 2)) ORDER BY code;
SET tensorlv.warnings = on;
DROP TABLE corners, divided, drawn;
DROP TABLE truth, points, kept, fitted, found, steps, columns, forms, halves, wide_truth, wide, wide_kept, wide_found, hard, one, heavy, heavy_models, by_icl, tied, tied_model CASCADE;
DROP FUNCTION normal;
-- moments of rows that all were left out say so, whatever is fitted to them
\set VERBOSITY default
SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY[NULL, x], 3), 1) FROM generate_series(1, 9) x;
SELECT tlv_fit_lca(tlv_category_moments(ARRAY[NULL::text, NULL, NULL]), 2) FROM generate_series(1, 9) x;
SELECT tlv_fit_ica(tlv_dense_moments(ARRAY[NULL, x], 4), 1) FROM generate_series(1, 9) x;
