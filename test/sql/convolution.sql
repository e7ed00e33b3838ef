-- Templates in series: moments, fit, driver, reading, scores, activations, gaps, simulation, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE TABLE series_true AS SELECT tlv_simulate_convolution_model(2, 16, noise => .1, seed => 2) AS truth;
CREATE TABLE series_rows AS SELECT s.* FROM series_true, tlv_simulate_convolution(truth, 2, 10000, seed => 2) s;
CREATE TABLE series_arrays AS SELECT series, array_agg(reading ORDER BY t) AS x FROM series_rows GROUP BY series;
CREATE TABLE series_events AS SELECT t, activations FROM series_rows WHERE series = 1 AND greatest(activations[1], activations[2]) > 0;
CREATE TABLE series_models AS
  SELECT tlv_convolution('SELECT series, t, reading FROM series_rows', 2, 16) AS model,
         tlv_convolution('SELECT series, t, reading FROM series_rows', length => 16) AS chosen,
         (SELECT tlv_fit_convolution(tlv_series_moments(x, 16, 'windows'), 2) FROM series_arrays) AS windows,
         tlv_convolution('SELECT x FROM series_arrays', 2, 16) AS arrays,
         (SELECT tlv_fit_convolution(tlv_series_moments(x, 16), 2) FROM series_arrays) AS stored;
SELECT m.component_a, m.component_b, distance < .35 AS near FROM series_true, series_models, tlv_match(model, truth) m ORDER BY 1;
SELECT max(distance) < .6 AS windows FROM series_true, series_models, tlv_match(windows, truth) m;
SELECT max(m.distance) < 1e-6 AS arrays, max(s.distance) < 1e-6 AS stored, max(c.distance) < 1e-6 AS chosen
FROM series_models, LATERAL (SELECT max(distance) AS distance FROM tlv_match(model, arrays)) m, LATERAL (SELECT max(distance) AS distance FROM tlv_match(model, stored)) s,
  LATERAL (SELECT max(distance) AS distance FROM tlv_match(model, chosen)) c;
SELECT template, count(*) AS lags, round(sum(weight * weight)::numeric, 9) AS squares FROM series_models, tlv_templates(model) GROUP BY 1 ORDER BY 1;
SELECT component, label, round(weight::numeric, 1) AS weight, alpha FROM series_models, tlv_components(model);
SELECT measure, component FROM series_models, tlv_diagnostics(model) ORDER BY 1, 2;
SELECT code, component, score FROM series_models, tlv_warnings(model);
SELECT i->'kind' AS kind, i->'values' AS values, i->'windows' AS windows, i->'arrays'->'templates' AS templates FROM series_models, tlv_info(model) i;
SELECT model = (model::text)::tlv_model AS text_form, tlv_from_json(tlv_to_json(model)) = model AS json, left(tlv_svg(model), 4) AS picture FROM series_models;
SELECT tlv_align(model, model) = model AS itself, (SELECT count(*) FROM tlv_components(tlv_compact(model, .5))) AS left_over FROM series_models;
SELECT component, component_group FROM series_models, tlv_groups(model, 1);
-- moments by series and by segment, merged and kept
SELECT (SELECT max(distance) < 1e-6 FROM series_models, tlv_match(stored, tlv_fit_convolution(r, 2))) AS rolled
FROM (SELECT tlv_rollup(m) AS r FROM (SELECT tlv_series_moments(x, 16) AS m FROM series_arrays GROUP BY series) q) r;
SELECT (SELECT max(distance) < 1e-6 FROM tlv_match(tlv_fit_convolution(a - b, 2, seed => 1), tlv_fit_convolution(c, 2))) AS taken_away
FROM (SELECT tlv_series_moments(x, 16) AS a, tlv_series_moments(x, 16) FILTER (WHERE series = 2) AS b, tlv_series_moments(x, 16) FILTER (WHERE series = 1) AS c FROM series_arrays) q;
SELECT tlv_fit_convolution(2 * tlv_series_moments(x, 16), 2) IS NOT NULL AS twice, tlv_series_moments(x::real[], 16) IS NOT NULL AS single,
       tlv_series_moments(x, 16) = tlv_series_moments(x, 16, 'joint') AS named, (tlv_info(tlv_series_moments(x, 16))->>'values')::int AS values FROM series_arrays;
-- so are rows that are missing, of whatever type t is, and in every series by its own step; of texts only the order counts
SELECT what, tlv_convolution(q, 1, 16) = model AS same
FROM (SELECT tlv_convolution('SELECT series, t, CASE WHEN t NOT BETWEEN 500 AND 507 THEN reading END FROM series_rows', 1, 16) AS model) given, (VALUES
  ('numbers', 'SELECT series, t, reading FROM series_rows WHERE t NOT BETWEEN 500 AND 507'),
  ('halves', 'SELECT series, t / 2.0, reading FROM series_rows WHERE t NOT BETWEEN 500 AND 507'),
  ('steps of their own', 'SELECT series, t * (1 + series * 10), reading FROM series_rows WHERE t NOT BETWEEN 500 AND 507'),
  ('times', 'SELECT series, timestamptz ''2026-01-01'' + t * interval ''1 hour'', reading FROM series_rows WHERE t NOT BETWEEN 500 AND 507'),
  ('days', 'SELECT series, date ''2000-01-01'' + t::int, reading FROM series_rows WHERE t NOT BETWEEN 500 AND 507'),
  ('texts', 'SELECT series, to_char(t, ''000000''), reading FROM series_rows WHERE t NOT BETWEEN 500 AND 507')) v(what, q);
-- a null is a gap: as if these were segments of their own
SELECT (SELECT tlv_series_moments(ARRAY[3, 1, 4, 1, 5, NULL, 9, 2, 6, 5, 3, 5], 4)) = tlv_series_moments(x, 4) AS gap
FROM (VALUES (ARRAY[3, 1, 4, 1, 5]), (ARRAY[9, 2, 6, 5, 3, 5])) v(x);
SELECT tlv_info(tlv_series_moments(x, 4))->'nulls' AS nulls, tlv_info(tlv_series_moments(x, 4))->'segments' AS segments
FROM (VALUES (ARRAY[1.0, 2, NULL, NULL, 3]), (NULL), (ARRAY[NULL::float8]), ('{}'::float8[])) v(x);
-- where templates begin: the largest scores are at events
SELECT avg((SELECT max(n.activations[s.template]) > .5 FROM series_events n WHERE n.t BETWEEN s.position - 1 AND s.position + 1)::int) > .8 AS at_events
FROM (SELECT s.* FROM series_true, tlv_template_scores(truth, (SELECT x FROM series_arrays WHERE series = 1)) s ORDER BY score DESC LIMIT 20) s;
SELECT a.template, corr(activation, activations[template]) > .6 AS deconvolved
FROM series_true, tlv_template_scores(truth, (SELECT x FROM series_arrays WHERE series = 1)) a JOIN series_rows r ON r.series = 1 AND r.t = a.position GROUP BY 1 ORDER BY 1;
SELECT count(*) AS rows, min(position) AS first, max(position) AS last FROM series_models, tlv_template_scores(model, ARRAY[1, 2, NULL, 4, 5]);
SELECT count(*) AS none FROM series_models, tlv_template_scores(model, '{}'::float8[]);
SELECT array_dims(q) AS steps, round((SELECT sum(v) FROM unnest(q) v)::numeric, 6) AS shares FROM series_models, tlv_infer(model, ARRAY[1, 2, 3, 4, 5]) q;
-- a series of the same spectrum is likelier than one that is upset
SELECT tlv_log_likelihood(model, x) > tlv_log_likelihood(model, (SELECT array_agg(v ORDER BY md5(i::text)) FROM unnest(x) WITH ORDINALITY u(v, i))) AS likelier
FROM series_models, series_arrays ORDER BY series;
-- simulation of fitted models has their cumulants
SELECT max(distance) < .5 AS again
FROM series_models, tlv_match(model, tlv_convolution('SELECT s.series, s.t, s.reading FROM series_models, tlv_simulate_convolution(model, 2, 10000) s', 2, 16));
SELECT count(*) AS rows, count(DISTINCT series) AS series, max(t) AS last FROM series_true, tlv_simulate_convolution(truth, 3, 5);
-- a length that is not given: half as many steps again as there are lags of clear correlation; the templates are as near to the truth
CREATE TABLE series_chosen AS
  SELECT tlv_convolution('SELECT series, t, reading FROM series_rows', 2) AS model;
SELECT d.score BETWEEN 10 AND 24 AS near, max(m.lag) + 1 = d.score AS steps,
  (SELECT score FROM tlv_diagnostics(model) WHERE measure = 'passes') AS passes
FROM series_chosen, tlv_diagnostics(model) d, tlv_templates(model) m WHERE measure = 'length' GROUP BY model, d.score;
SELECT max(m.distance) < 1.2 * max(g.distance) AS as_near
FROM series_true, series_models given, series_chosen chosen, tlv_match(chosen.model, truth) m, tlv_match(given.model, truth) g;
SELECT code, score, message, hint FROM tlv_warnings(tlv_convolution('SELECT 1, t, (t % 900) ^ 8 FROM generate_series(1, 9000) t', 1, iterations => 1)) WHERE code = 'length_at_limit';
DROP TABLE series_chosen;
-- what cannot be told, and bad input
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, sin(t) FROM generate_series(1, 900) t', 5, 16)$$) AS too_many;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, sin(t) FROM generate_series(1, 900) t', 1, 129)$$) AS too_long;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, 1 - 2 * (t * t % 7 % 2) FROM generate_series(1, 9) t', 1, 16)$$) AS too_short;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, t FROM generate_series(1, 2) t')$$) AS far_too_short;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, 5 FROM generate_series(1, 900) t', 1, 16)$$) AS constant;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, ARRAY[t, 1] FROM generate_series(1, 900) t', 1, 16)$$) AS vectors;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, id, x[1] FROM tlv_simulate_gmm(tlv_simulate_gmm_model(1, 1), 2000)', 1, 16)$$) AS gaussian;
SELECT tlv_convolution('SELECT 1, id, x[1] FROM tlv_simulate_gmm(tlv_simulate_gmm_model(1, 1), 2000)', 1, 16, on_failure => 'null') AS gaussian;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, 1.0 FROM generate_series(1, 0) t', 1, 16)$$) AS no_rows;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, t::text FROM generate_series(1, 900) t', 1, 16)$$) AS texts;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1, t, ''NaN''::float8 FROM generate_series(1, 900) t', 1, 16)$$) AS nan;
SELECT pg_temp.outcome($$SELECT tlv_convolution('SELECT 1', 1, 16, iterations => -1)$$) AS iterations;
SELECT pg_temp.outcome($$SELECT tlv_series_moments(ARRAY[1, 2], 3)$$) AS lags;
SELECT pg_temp.outcome($$SELECT tlv_series_moments(ARRAY[1, 2], 8, 'hours')$$) AS way;
SELECT pg_temp.outcome($$SELECT tlv_series_moments(ARRAY[[1, 2], [3, 4]], 8)$$) AS wide;
SELECT pg_temp.outcome($$SELECT tlv_series_moments(ARRAY[1, 2], 8) + tlv_series_moments(ARRAY[1, 2], 9)$$) AS other_lags;
SELECT pg_temp.outcome($$SELECT tlv_series_moments(ARRAY[1, 2], 8) + tlv_series_moments(ARRAY[1, 2], 8, 'windows')$$) AS other_way;
SELECT pg_temp.outcome($$SELECT tlv_fit_convolution(tlv_dense_moments(ARRAY[1, 2], 3))$$) AS kind;
SELECT pg_temp.outcome($$SELECT tlv_fit_convolution(tlv_series_moments(ARRAY[1, 2], 8), length => 9)$$) AS length;
SELECT pg_temp.outcome($$SELECT tlv_fit_convolution(tlv_series_moments('{}', 8))$$) AS empty;
SELECT pg_temp.outcome($$SELECT t.* FROM series_models, tlv_template_scores(model, ARRAY['a']) t$$) AS scores;
SELECT pg_temp.outcome($$SELECT t.* FROM series_models, tlv_template_scores(model, ARRAY[1, 'Infinity'::float8]) t$$) AS infinite;
SELECT pg_temp.outcome($$SELECT t.* FROM tlv_templates(tlv_simulate_gmm_model(1, 1)) t$$) AS other_kind;
SELECT pg_temp.outcome($$SELECT tlv_simulate_convolution_model(5, 16)$$) AS simulated;
DROP TABLE series_true, series_events, series_rows, series_arrays, series_models;
-- readings at one time follow each other by value; a gap stays one
CREATE TABLE same_times AS
  SELECT form, tlv_convolution('SELECT ''a'' AS series, ' || t || ' AS t, (t * t) % 7 - (t % 5) ^ 2 FROM generate_series(2, 600) t WHERE t NOT BETWEEN 300 AND 320', 1, 4) AS model
  FROM (VALUES ('numbers', 't / 2'), ('dates', 'date ''2026-01-01'' + t / 2'), ('texts', 'to_char(t / 2, ''000'')')) AS v(form, t);
SELECT form, score, message FROM same_times, tlv_warnings(model) WHERE code = 'same_time' ORDER BY form;
SELECT max(distance) < 1e-6 AS same FROM same_times a, same_times b, tlv_match(a.model, b.model) WHERE a.form = 'numbers' AND b.form = 'dates';
DROP TABLE same_times;
