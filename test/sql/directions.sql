-- Mixtures of directions: tlv_gmm with covariance => 'direction', what is read, applied, stored, refused.
\set VERBOSITY terse
SET client_min_messages = warning;
\set ECHO none
\i test/sql/include/components.sql
\set ECHO all
CREATE TEMP TABLE truth AS SELECT tlv_simulate_gmm_model(16, 5, 9, 'direction', 4) AS model;
CREATE TEMP TABLE unit AS SELECT s.* FROM truth, tlv_simulate_gmm(model, 3000, 7) s;
SELECT bool_and(abs(length - 1) < 1e-12) AS length_1, count(*) FROM (SELECT sqrt(sum(v * v)) AS length FROM unit, unnest(x) v GROUP BY id) l;

-- 1. the truth is found, as many as there are, of every type of vector
CREATE TEMP TABLE fits AS
SELECT 'chosen' AS name, tlv_gmm('SELECT x FROM unit', covariance => 'direction') AS model UNION ALL
SELECT 'given', tlv_gmm('SELECT x FROM unit', 5, 'direction') UNION ALL
SELECT 'real', tlv_gmm('SELECT x::real[] FROM unit', 5, 'direction') UNION ALL
SELECT 'longer', tlv_gmm('SELECT (SELECT array_agg(3 * v ORDER BY o) FROM unnest(x) WITH ORDINALITY u(v, o)) FROM unit', 5, 'direction') UNION ALL
SELECT 'fixed steps', tlv_gmm('SELECT x FROM unit', 5, 'direction', iterations => 3, seed => 9) UNION ALL
SELECT 'not refined', tlv_gmm('SELECT x FROM unit', 5, 'direction', refine => 'none');
SELECT f.name, count(*) AS components, max(m.distance) < .1 AS means, max(abs(ln(c.kappa / t.kappa))) < .12 AS kappas, max(abs(c.weight - t.weight)) < .03 AS weights
FROM fits f, truth, LATERAL tlv_match(truth.model, f.model) m, LATERAL pg_temp.mixture(truth.model) t, LATERAL pg_temp.mixture(f.model) c
WHERE t.component = m.component_a AND c.component = m.component_b GROUP BY f.name ORDER BY f.name;
SELECT name, tlv_nmi(tlv_assign(model, x), component) > .95 AS found FROM fits, unit GROUP BY name ORDER BY name;
SELECT name, code, score, message FROM fits, tlv_warnings(model) ORDER BY name, code;
SELECT fits.name, d.measure AS number, score FROM fits, tlv_diagnostics(model) d WHERE d.measure IN ('k_chosen', 'dimensions', 'rows') AND fits.name IN ('chosen', 'given') ORDER BY 1, 2;
SELECT component, weight > .1 AS weight, cardinality(mean) AS d, variance * kappa BETWEEN .5 AND 1 AS variance, covariance, kappa > 10 AS kappa
FROM fits, pg_temp.mixture(model) WHERE name = 'given' ORDER BY component;

-- 2. rows: outliers last, lengths do not count, statistics merge and make a step
SELECT abs(tlv_log_likelihood(model, x) - tlv_log_likelihood(model, y)) < 1e-9 AS same, abs((SELECT sum(p) FROM unnest(tlv_infer(model, y)) p) - 1) < 1e-12 AS sums_to_1
FROM fits, (SELECT x, (SELECT array_agg(1e50 * v ORDER BY o) FROM unnest(x) WITH ORDINALITY u(v, o)) AS y FROM unit LIMIT 1) r WHERE name = 'given';
SELECT avg(tlv_log_likelihood(model, x)) > avg(tlv_log_likelihood(model, y)) + 5 AS opposite_is_far
FROM fits, (SELECT x, (SELECT array_agg(-v ORDER BY o) FROM unnest(x) WITH ORDINALITY u(v, o)) AS y FROM unit LIMIT 50) r WHERE name = 'given';
CREATE TEMP TABLE sums AS SELECT component AS part, tlv_statistics(x, (SELECT model FROM fits WHERE name = 'not refined')) AS s FROM unit GROUP BY component;
SELECT tlv_info(tlv_rollup(s)) ->> 'kind' AS kind, tlv_info(tlv_rollup(s)) ->> 'rows' AS rows FROM sums;
SELECT tlv_info(tlv_update(model, s)) ->> 'steps' AS steps FROM fits, (SELECT tlv_rollup(s) AS s FROM sums) r WHERE name = 'not refined';
SELECT bool_and(model::text::tlv_model = model) AS round_trip FROM fits;

-- rows with gaps: of what is there; the fit leaves them out and says so
CREATE TEMP TABLE gaps AS SELECT component, x, (SELECT array_agg(CASE WHEN o > 4 THEN v END ORDER BY o) FROM unnest(x) WITH ORDINALITY u(v, o)) AS gap FROM unit;
SELECT avg((tlv_assign(model, gap) = tlv_assign(model, x))::int) > .9 AS same, max(abs((SELECT sum(p) FROM unnest(tlv_infer(model, gap)) p) - 1)) < 1e-12 AS sums_to_1,
  bool_and(tlv_infer(model, ARRAY[gap, x]) = ARRAY[tlv_infer(model, gap), tlv_infer(model, x)]) AS many, bool_and(tlv_log_likelihood(model, gap) < 50) AS likelihood
FROM fits, (SELECT * FROM gaps LIMIT 500) g WHERE name = 'given';
SELECT max(abs(p - weight)) < 1e-12 AS nothing_known FROM fits, tlv_components(model), unnest(tlv_infer(model, array_fill(NULL::float8, ARRAY[16]))) WITH ORDINALITY u(p,
  j) WHERE name = 'given' AND j = component;
SELECT tlv_infer(model, ARRAY[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL]) FROM fits WHERE name = 'given';
SELECT tlv_infer(model, ARRAY[1, NULL]) FROM fits WHERE name = 'given';
SET tensorlv.warnings = off; -- which shows a row
SELECT w.score = (SELECT count(*) FROM gaps WHERE x[1] > .2) AS left_out, w.code FROM tlv_warnings((SELECT tlv_gmm('SELECT CASE WHEN x[1] > .2 THEN gap ELSE x END FROM gaps', 5,
  'direction'))) w WHERE code = 'rows_skipped';
RESET tensorlv.warnings;

-- 3. no direction; nothing to find
SELECT code, score FROM tlv_warnings((SELECT tlv_gmm('SELECT x FROM unit UNION ALL SELECT array_fill(0::float8, ARRAY[16]) FROM generate_series(1, 4)', 5, 'direction')));
SELECT count(*) AS components FROM pg_temp.mixture((SELECT tlv_gmm('SELECT s.x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(6, 1, 0, ''direction''), 2000) s', covariance => 'direction')));
SELECT groups, k, (SELECT string_agg(code, ' ') FROM tlv_warnings(m) WHERE code = 'no_structure') AS warning
FROM (VALUES (1, 2), (1, 4), (2, 2), (4, 4)) v(groups, k),
  LATERAL (SELECT tlv_gmm(format('SELECT s.x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(6, %s, 6, ''direction'', 5), 800) s', groups), k, 'direction') AS m) f ORDER BY 1, 2;

-- 4. what is refused
SELECT tlv_infer(model, array_fill(0::float8, ARRAY[16])) FROM fits WHERE name = 'given';
SELECT tlv_infer(model, ARRAY[1, 2]::float8[]) FROM fits WHERE name = 'given';
SELECT tlv_infer(model, array_fill('NaN'::float8, ARRAY[16])) FROM fits WHERE name = 'given';
SELECT tlv_gmm('SELECT ARRAY[1.5] FROM unit', 1, 'direction');
SELECT tlv_gmm('SELECT ARRAY[0, 0] FROM unit', 1, 'direction');
SELECT tlv_gmm('SELECT x FROM unit LIMIT 3', 4, 'direction');
SELECT tlv_gmm('SELECT x FROM unit WHERE false', 4, 'direction');
SELECT tlv_gmm('SELECT x FROM unit', 100000, 'direction');
SELECT tlv_fit_gmm(tlv_dense_moments(x, 3), 2, 'direction') FROM unit;
SELECT tlv_gmm('SELECT x FROM unit', 5, 'direction', 't');
SELECT tlv_update(g.model, s) FROM fits g, sums WHERE name = 'given' AND part = 1;
SELECT tlv_match(model, tlv_simulate_gmm_model(3, 2, covariance => 'direction')) FROM fits WHERE name = 'given';
SELECT tlv_match(model, tlv_simulate_gmm_model(16, 2)) FROM fits WHERE name = 'given';
SELECT tlv_simulate_gmm_model(1, 2, covariance => 'direction');
SELECT tlv_simulate_gmm_model(2, 2, -1, covariance => 'direction');
SET tensorlv.work_mem = '128kB';
SELECT tlv_gmm('SELECT s.x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(300, 2, 8, ''direction''), 3000) s', 2, 'direction');
RESET tensorlv.work_mem;

-- standard errors: the largest coordinate of a mean follows from the others, all other intervals hold the truth mostly
CREATE TEMP TABLE direction_errors AS SELECT m AS truth, tlv_gmm(format('SELECT x FROM tlv_simulate_gmm(%L, 3000, seed => 4)', m), 3, 'direction', errors => true) AS f
      FROM tlv_simulate_gmm_model(4, 3, 5, 'direction', seed => 3) m;
SELECT e.part, count(*), count(e.standard_error) AS with_errors, bool_and(e.standard_error BETWEEN 0.001 AND 0.05) AS small, count(*) FILTER (WHERE t.estimate BETWEEN e.low
      AND e.high) >= 0.75 * count(e.standard_error) AS hold
FROM direction_errors, tlv_match(truth, f) p, tlv_estimates(truth) t, tlv_estimates(f) e
WHERE t.part = e.part AND t.component = p.component_a AND e.component = p.component_b AND t.item IS NOT DISTINCT FROM e.item GROUP BY 1 ORDER BY 1;
-- the same by hand, from rows that are not of length 1, with a row of zeros
SELECT max(abs(a.standard_error / b.standard_error - 1)) < 0.1 AS alike FROM direction_errors, LATERAL (SELECT tlv_error_statistics(2 * x[1] || ARRAY[2 * x[2], 2 * x[3], 2 * x[4]], f) AS s
  FROM (SELECT x FROM tlv_simulate_gmm(truth, 3000, seed => 4) UNION ALL SELECT ARRAY[0, 0, 0, 0]) r) q, tlv_estimates(f) a JOIN LATERAL tlv_estimates(f, s) b USING (part, component,
      item) WHERE a.part = 'mean';
SELECT round(sum(p)::numeric, 9) AS total FROM direction_errors, unnest(tlv_infer(f, ARRAY[1, 0, 0, 0], uncertain => true)) p;
-- many numbers: components in blocks of their own; beyond a block none
SELECT d, count(*) FILTER (WHERE part = 'mean') AS means, count(standard_error) FILTER (WHERE part = 'mean') AS with_errors FROM (
  SELECT d, tlv_gmm(format('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(%s, 2, 8, ''direction'', seed => 3), %s, seed => 4)', d, CASE d WHEN 520 THEN 1100 ELSE 200 END), 2,
      'direction', errors => true) AS f FROM unnest('{520,1100}'::int[]) d) q, tlv_estimates(f) GROUP BY 1 ORDER BY 1;
