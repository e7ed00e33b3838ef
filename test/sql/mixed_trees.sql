-- Trees of columns of strings, numbers, booleans and dates side by side: numbers and dates are cut into ranges, and functions of the model take them as they are.
CREATE SCHEMA mixed_trees;
SET search_path = mixed_trees, public;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text; hint text;
BEGIN
  EXECUTE 'SELECT (' || statement || ')::text' INTO result;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RETURN SQLSTATE || ' ' || SQLERRM || coalesce(' (' || nullif(hint, '') || ')', '');
END $$;
-- eight variables of three states, of which four become numbers and dates, far apart from state to state, and skewed
CREATE TABLE codes AS SELECT id, v FROM tlv_simulate_tree((SELECT tlv_simulate_tree_model(8, 3, low => .75, seed => 5)), 3000, 7);
CREATE TABLE customers AS
SELECT id AS customer, (ARRAY['basic', 'plus', 'business'])[1 + v[1]] AS plan, CASE WHEN id % 11 > 0 THEN (10 ^ v[2] * (1 + id * 37 % 100 / 100.0))::numeric(8, 2) END AS spend,
  (ARRAY['north', 'south', 'west'])[1 + v[3]] AS region, v[4] > 0 AS active, CASE WHEN id % 13 > 0 THEN date '2020-01-01' + 400 * v[5] + (id * 53 % 365)::int END AS since,
  30.0::float8 * v[6] + id * 29 % 30 AS age, v[7] AS rating, CASE WHEN v[8] = 0 THEN 0 ELSE v[8] + id * 7 % 10 / 10.0 END::float4 AS visits FROM codes;
ALTER TABLE customers ADD PRIMARY KEY (customer);
CREATE TABLE models AS SELECT tlv_tree('SELECT plan, spend, region, active, since, age, rating, visits FROM mixed_trees.customers', 3) AS model;
-- ranges have bounds of few digits, a value that many rows have is one by itself, and dates are dates
SELECT child, string_agg(DISTINCT child_state_name, ' | ') AS states FROM models, tlv_tree_parameters(model) WHERE child IN ('spend', 'since', 'age', 'visits', 'rating',
  'active') GROUP BY 1 ORDER BY 1;
-- the tree is that of the states behind, as close as all of them are known, and does not depend on the order of the columns
SELECT r.different, r.total FROM models, tlv_robinson_foulds(model, tlv_tree('SELECT id, name, v[i] FROM mixed_trees.codes,
  unnest(''{plan,spend,region,active,since,age,rating,visits}''::text[]) WITH ORDINALITY AS n(name, i)', 3)) r;
SELECT r.different FROM models, tlv_robinson_foulds(model, tlv_tree('SELECT visits, rating, age, since, active, region, spend, plan FROM mixed_trees.customers', 3)) r;
SELECT r.different, r.total FROM models, tlv_robinson_foulds(model,
  tlv_tree('SELECT plan, ln(spend) AS spend, region, active, since, age ^ 3 AS age, rating, visits / 7 AS visits FROM mixed_trees.customers', 3)) r;
-- whole rows, ROW, arrays, literals, parameters; a range by its name; what is missing
SELECT count(*) AS rows, bool_and(whole < 0 AND abs(whole - tlv_log_likelihood(model, literal)) < 1e-9 AND abs(whole - tlv_log_likelihood(model, as_row)) < 1e-9) AS same
FROM models, customers c, LATERAL (SELECT tlv_log_likelihood(model, c) AS whole, ROW(plan, spend, region, active, since, age, rating, visits) AS as_row,
  format('{%s,%s,%s,%s,%s,%s,%s,%s}', plan, coalesce(spend::text, 'NULL'), region, active, coalesce(to_char(since, 'YYYY-MM-DD'), 'NULL'), age, rating, visits) AS literal) q WHERE customer <= 100;
SELECT tlv_log_likelihood(model, '(basic,50,north,t,2020-06-01,12,0,0)') = tlv_log_likelihood(model, ROW('basic', 50, 'north', true, date '2020-06-01', 12, 0, 0)) AS as_record,
  tlv_log_likelihood(model, ARRAY['basic', '50', 'north', 'true', '2020-06-01', '12', '0', '0']) = tlv_log_likelihood(model, '(basic,50,north,t,2020-06-01,12,0,0)') AS texts,
  tlv_log_likelihood(model, ROW(ARRAY['age', 'spend'], ARRAY['1e9', '-7'])) = tlv_log_likelihood(model, ROW(ARRAY['spend', 'age'], ARRAY[-1.5, 100])) AS long_rows,
  abs(tlv_log_likelihood(model, ROW(NULL, NULL, NULL, NULL, 'infinity'::date, NULL, NULL, NULL))) < 1e-9 AS nothing FROM models;
PREPARE untyped AS SELECT tlv_log_likelihood(model, $1) = tlv_log_likelihood(model, '{basic,50,north,true,2020-06-01,12,0,0}'::text) AS same FROM models;
EXECUTE untyped ('(basic,50,north,true,2020-06-01,12,0,0)');
SELECT bool_and(tlv_log_likelihood(model, ROW(ARRAY['since'], ARRAY[child_state_name])) = tlv_log_likelihood(model, ROW(ARRAY['since'], ARRAY[to_char(date '2000-01-01' + centre,
  'YYYY-MM-DD')]))) AS by_name, count(*)
FROM models, (SELECT DISTINCT child_state_name, child_state FROM models, tlv_tree_parameters(model) WHERE child = 'since') p,
  LATERAL (SELECT (SELECT x[5]::int FROM tlv_simulate_tree(model, 500) WHERE v[5] = child_state LIMIT 1) AS centre) s;
-- a missing number is the mean of its ranges, a missing category a code, and what is known stays
SELECT max(abs(f[6] - age)) AS known, corr(f[2], spend) > .5 AS number, avg((f[1] = array_position('{basic,business,plus}', plan) - 1)::int) > .6 AS category
FROM models, customers c, LATERAL tlv_impute(model, ROW(NULL, NULL, region, active, since, age, rating, visits)) f;
SELECT node, count(*) AS states, round(sum(probability)::numeric, 9) AS sum FROM models, tlv_tree_posterior(model, ROW('basic', NULL, 'north', true, NULL, 20, 0, 0)) WHERE node IN ('spend',
  'since') GROUP BY 1 ORDER BY 1;
SELECT array_agg(dimension_name ORDER BY dimension) AS dimensions, min(log_likelihood) < 0 AS below FROM models, customers c, tlv_contributions(model, c) WHERE customer = 4;
-- rows drawn are such rows, as numbers
SELECT count(*) AS rows, bool_and(tlv_log_likelihood(model, x) < 0 AND x[1] = v[1] AND x[7] = v[7]) AS usable, count(DISTINCT x[6]) AS ages FROM models, tlv_simulate_tree(model, 200) s;
-- values: text, JSON, a step of refinement, pictures
SELECT model::text::tlv_model = model AND tlv_from_json(tlv_to_json(model)) = model AS same FROM models;
SELECT after >= before - 1e-9 AS refined, (SELECT count(*) FROM tlv_tree_parameters(m) WHERE child_state_name LIKE '% or more') = (SELECT count(*) FROM tlv_tree_parameters(model)
  WHERE child_state_name LIKE '% or more') AS named
FROM models, LATERAL (SELECT tlv_update(model, (SELECT tlv_statistics(c, model) FROM customers c)) AS m OFFSET 0) u,
  LATERAL (SELECT avg(tlv_log_likelihood(m, c)) AS after, avg(tlv_log_likelihood(model, c)) AS before FROM customers c) l;
SELECT tlv_svg(model) LIKE '%spend%' AS svg, tlv_html(model) LIKE '%or more%' AS html, (SELECT string_agg(description, ' ') FROM tlv_summary(model)) LIKE '%spend%' AS summary FROM models;
-- weights, a bootstrap, a kind for numbers alone
SELECT (SELECT count(*) FROM tlv_tree_edges(m) WHERE support >= .9) > 2 AS supported, (SELECT sum(length) FROM tlv_tree_edges(m)) IS NOT NULL AS lengths
FROM tlv_tree('SELECT plan, spend, region, active, since, age, rating, visits, 1 + customer % 2 AS w FROM mixed_trees.customers', 3, weights => 'w', bootstrap => 20) m;
CREATE VIEW q AS SELECT *, CASE WHEN age > 40 THEN 3 ELSE 1 END AS w FROM customers;
CREATE FUNCTION ranges(m tlv_model) RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(DISTINCT child || ' ' || child_state_name ORDER BY child || ' ' || child_state_name) FROM tlv_tree_parameters(m)
  WHERE child IN ('spend', 'since', 'age') $$;
SELECT ranges(tlv_tree('SELECT plan, spend, active, since, age, w FROM q', weights => 'w')) = ranges(tlv_tree('SELECT plan, spend, active, since, age FROM q, generate_series(1, w)')) AS repeated,
  ranges(tlv_tree('SELECT plan, spend, active, since, age FROM q')) = ranges(tlv_tree('SELECT plan, spend, active, since, age, 7.5 AS w FROM q', weights => 'w')) AS equal,
  ranges(tlv_tree('SELECT plan, spend, active, since, age FROM q')) = ranges(tlv_tree('SELECT plan, spend, active, since, age, w FROM q', weights => 'w')) AS other;
SELECT tlv_info(m) ->> 'gaussian' AS gaussian, (SELECT count(DISTINCT child_state_name) FROM tlv_tree_parameters(m) WHERE child = 'age') AS ages
FROM tlv_tree('SELECT spend, age, visits, rating FROM mixed_trees.customers', 2, kind => 'categorical') m;
SELECT tlv_info(tlv_tree('SELECT age, visits, age * visits AS both, rating FROM mixed_trees.customers')) ->> 'gaussian' AS gaussian;
-- a time makes no table of categories: beside numbers alone it is an error, beside integers alone it is cut
CREATE TABLE prices AS SELECT date '2026-01-01' + id::int AS day, timestamp '2026-01-01' + id * interval '1 h' AS at, v[1] + tenth AS open, v[2] + tenth AS high, v[3] + tenth AS low, v[4] AS volume
FROM codes, LATERAL (SELECT id * 37 % 101 / 10.0::float8 AS tenth) t WHERE id <= 300;
SELECT outcome('tlv_tree(' || quote_literal('SELECT ' || columns || ' FROM mixed_trees.prices') || options || ') IS NOT NULL') FROM (VALUES ('day, open, high, low', ''),
  ('open, high, volume, at', ''),
  ('day, open, high, low', ', kind => ''gaussian'''), ('extract(epoch FROM day) AS day, open, high, low', ''), ('day, open, high, low', ', kind => ''categorical''')) q(columns, options);
SELECT child, count(DISTINCT child_state) AS states FROM tlv_tree_parameters(tlv_tree('SELECT day, volume, volume % 2 AS odd, volume / 2 AS half FROM mixed_trees.prices', 2))
  WHERE child IN ('day', 'volume') GROUP BY 1 ORDER BY 1;
-- columns that are no variables, and values that are no numbers
SELECT code, message, hint FROM tlv_warnings(tlv_tree('SELECT plan, spend, active, ''c'' || customer AS name, 7.5 AS same, ''all'' AS every, NULL::float8 AS never FROM mixed_trees.customers', 2))
WHERE code <> 'rows_skipped' ORDER BY 1, 2;
SELECT outcome(call) FROM unnest(ARRAY[$$tlv_tree('SELECT * FROM mixed_trees.customers')$$, $$tlv_tree('SELECT plan, spend, age, visits FROM mixed_trees.customers', kind => 'gaussian')$$,
  $$tlv_tree('SELECT plan, active, region, CASE WHEN customer = 9 THEN ''NaN'' ELSE age END AS age FROM mixed_trees.customers')$$,
  $$tlv_tree('SELECT plan, active, region, CASE WHEN customer = 9 THEN ''-Infinity'' ELSE age END AS age FROM mixed_trees.customers')$$,
  $$tlv_tree('SELECT plan, active, region, spend::money AS spend, ARRAY[age] AS ages FROM mixed_trees.customers')$$,
  $$tlv_tree('SELECT plan || customer AS a, region || customer AS b FROM mixed_trees.customers')$$]) call;
SELECT outcome(call) FROM unnest(ARRAY[$$tlv_log_likelihood(model, ROW('basic', 'NaN'::float8, 'north', true, date '2020-06-01', 12, 0, 0))$$,
  $$tlv_log_likelihood(model, '{basic,cheap,north,true,2020-06-01,12,0,0}')$$,
  $$tlv_log_likelihood(model, ROW('basic', 50))$$, $$tlv_infer(model, ROW('basic', 50))$$]) q(part), LATERAL (SELECT replace(part, '(model', '((SELECT model FROM mixed_trees.models)') AS call) c;
-- three ranges, four from 800 values, five from 1,000
SELECT n, (SELECT count(DISTINCT child_state_name) FROM tlv_tree_parameters(m) WHERE child = 'age') AS ages
FROM unnest(ARRAY[60, 800, 1000]) n, LATERAL tlv_tree(format('SELECT plan, region, active, age FROM mixed_trees.customers WHERE customer <= %s', n), 2) m ORDER BY 1;
-- bounds beyond 1e22 lie between the values
CREATE TABLE far AS SELECT plan, active, region, (ARRAY[3.746151115502023e39, 5.054796589599532e39, 7.1e39])[1 + rating]::float8 AS size FROM customers;
SELECT child_state_name AS size FROM tlv_tree_parameters(tlv_tree('SELECT plan, active, region, size FROM mixed_trees.far', 2)) WHERE child = 'size' GROUP BY child_state, 1 ORDER BY child_state;
SET client_min_messages = warning;
DROP SCHEMA mixed_trees CASCADE;
RESET client_min_messages;
