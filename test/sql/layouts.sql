-- Rows of variables: three columns are long rows, any other number of columns is a wide table, and layout decides otherwise; nulls that skip no row are not named; counts of one.
CREATE SCHEMA layouts;
SET search_path = layouts, public;
CREATE TABLE survey AS SELECT i AS id, chr(97 + i % 3) AS a, chr(97 + (i + (i % 7 = 0)::int) % 3) AS b, chr(97 + (i + (i % 5 = 0)::int) % 3) AS c, chr(97 + (i + (i % 11 = 0)::int) % 3) AS d,
  i % 3 + sin(i) / 9 AS x FROM generate_series(1, 300) i;
CREATE FUNCTION variables(m tlv_model) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(DISTINCT variable_name, ' ' ORDER BY variable_name) FROM tlv_categories(m) $$;
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text; hint text;
BEGIN
  EXECUTE 'SELECT (' || statement || ')::text' INTO result;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RETURN SQLSTATE || ' ' || SQLERRM || ' (' || hint || ')';
END $$;
SET tensorlv.warnings = off;
-- one, two, four and five columns, with and without a number
SELECT q, variables(tlv_lca(format('SELECT %s FROM layouts.survey', q), 2)) AS lca, variables(tlv_gom(format('SELECT %s FROM layouts.survey', q), 2, iterations => 2)) AS gom
FROM unnest(ARRAY['a', 'a, b', 'a, b, c, d', 'a, b, c, d, x']) q;
SELECT q, (SELECT string_agg(node, ' ' ORDER BY node) FROM tlv_tree_nodes(tlv_tree(format('SELECT %s FROM layouts.survey', q))) WHERE NOT is_hidden) AS tree
FROM unnest(ARRAY['a, b, c, d', 'a, b, c, d, a || b AS e', 'x, x + cos(id) AS y, x + cos(3 * id) AS z, x + cos(7 * id) AS w']) q;
SELECT variables(tlv_lca('SELECT a, b, c, d FROM layouts.survey', 2)) = variables(tlv_lca('SELECT a, b, c, d FROM layouts.survey', 2, layout => 'wide')) AS same;
-- three are long rows; layout makes them wide, and four long
SELECT variables(tlv_lca('SELECT id, v, CASE v WHEN ''a'' THEN a ELSE b END FROM layouts.survey, unnest(ARRAY[''a'', ''b'']) v', 2)) AS long,
  variables(tlv_lca('SELECT a, b, c FROM layouts.survey', 2, layout => 'wide')) AS wide,
  variables(tlv_lca('SELECT id, v, CASE v WHEN ''a'' THEN a WHEN ''b'' THEN b END, CASE v WHEN ''x'' THEN x END
    FROM layouts.survey, unnest(ARRAY[''a'', ''b'', ''x'']) v', 2, layout => 'long')) AS numbers;
-- arrays are rows by themselves; what is neither is refused, and three variables have the call as hint
SELECT split_part(outcome(call), ' (It must', 1) AS outcome FROM unnest(ARRAY[$$tlv_kind(tlv_lca('SELECT ARRAY[ascii(a), ascii(b), ascii(c)] FROM layouts.survey', 2))$$,
    $$tlv_lca('SELECT ARRAY[a, b] FROM layouts.survey', 2)$$,
  $$tlv_lca('SELECT FROM layouts.survey', 2)$$, $$tlv_tree('SELECT FROM layouts.survey')$$, $$tlv_lca('SELECT a, b, c FROM layouts.survey', 2)$$, $$tlv_tree('SELECT a, b, c FROM layouts.survey')$$,
  $$tlv_gom('SELECT a, b, c, d FROM layouts.survey', 2, layout => 'long')$$, $$tlv_tree('SELECT a, b, c, d FROM layouts.survey', layout => 'long')$$,
  $$tlv_lca('SELECT id, a, b, ARRAY[x] FROM layouts.survey', 2)$$, $$tlv_lca('SELECT id, v, a FROM layouts.survey, generate_series(1, 2) v UNION ALL SELECT 1, 1, ''a''', 2)$$]) call;
RESET tensorlv.warnings;
-- a missing value of long rows skips no row and is not named; a missing row or variable does and is
SELECT tlv_kind(tlv_lca('SELECT nullif(id, 4) AS id, nullif(v, ''b'') AS variable, nullif(a, ''c'') AS category FROM layouts.survey, unnest(ARRAY[''a'', ''b'', ''d'']) v WHERE id < 9', 1));
SELECT tlv_kind(tlv_lca('SELECT nullif(id, 4) AS id, v AS variable, CASE WHEN v <> ''x'' THEN a END AS category, CASE WHEN v = ''x'' THEN x END AS number
  FROM layouts.survey, unnest(ARRAY[''a'', ''d'', ''x'']) v', 1, layout => 'long'));
SELECT tlv_kind(tlv_hmm('SELECT nullif(id / 10, 3) AS s, id AS t, nullif(d, ''c'') AS symbol FROM layouts.survey', 1));
SELECT tlv_kind(tlv_hmm('SELECT id % 10 AS s, nullif(id, 7) AS t, nullif(x, 0) AS x, CASE WHEN id % 2 = 0 THEN x END AS y FROM layouts.survey', 1));
-- counts of one are in the singular
SELECT tlv_kind(tlv_tree('SELECT x, x + cos(id) AS y, x + cos(3 * id) AS z, CASE WHEN id > 1 THEN x + cos(7 * id) END AS w FROM layouts.survey'));
SELECT split_part(description, ' (', 1) || split_part(description, ')', 2) AS counts FROM tlv_summary(tlv_gmm('SELECT 1.0 AS x', 1)) WHERE component = 0;
SELECT split_part(description, ' (', 1) || split_part(description, ')', 2) AS counts FROM tlv_summary(tlv_mmsb('SELECT 1, 2', 1)) WHERE component = 0;
SELECT outcome(call) FROM unnest(ARRAY[$$tlv_infer(tlv_simulate_gmm_model(2, 2), ARRAY[1.0])$$, $$tlv_label(tlv_simulate_lda_model(3, 1), 2, 'x')$$,
  $$tlv_kind(tlv_multiview('SELECT 1, 2, 3', 2))$$]) call;
-- hidden nodes are named by the variables below them
SELECT message FROM tlv_warnings(tlv_tree('SELECT a, b, c, d, (id % 2)::text AS e, ((id + (id % 13 = 0)::int) % 2)::text AS f, ((id + (id % 17 = 0)::int) % 2)::text AS g FROM layouts.survey', 3))
WHERE code IN ('fewer_components', 'not_identified') ORDER BY 1;
-- a table of booleans, strings, dates, numbers and NULLs: dates are days, and whole rows, arrays and untyped literals are read
CREATE TABLE layouts.orders AS SELECT id, id % 2 = 0 AS paid, CASE WHEN id % 7 > 0 THEN 'region ' || (id % 2) END AS region,
  CASE WHEN id = 9 THEN 'infinity'::date ELSE date '2026-01-01' + CASE WHEN id % 2 = 0 THEN 0 ELSE 90 END + (id * 7 % 30) END AS day, CASE WHEN id % 5 > 0
  THEN id % 2 + (id * 11 % 17) / 17.0 END AS amount
  FROM generate_series(1, 400) id;
CREATE TABLE layouts.orders_model AS SELECT tlv_lca('SELECT paid, region, day, amount FROM layouts.orders', 2) AS model;
SELECT tlv_info(model) -> 'dimension_names' AS names FROM layouts.orders_model;
SELECT dimension_name, to_char(date '2000-01-01' + round(mean)::int, 'YYYY-MM-DD') AS mean FROM layouts.orders_model, tlv_means(model) WHERE dimension_name = 'day' ORDER BY 2;
SELECT count(*) AS rows, count(*) FILTER (WHERE tlv_assign(model, o) = tlv_assign(model, format('{%s,%s,%s,%s}', paid::text, coalesce(region, 'NULL'), CASE WHEN isfinite(day)
  THEN to_char(day, 'YYYY-MM-DD') ELSE 'NULL' END,
  coalesce(amount::text, 'NULL')))) AS same, count(DISTINCT tlv_assign(model, o)) AS classes FROM layouts.orders_model, layouts.orders o;
SELECT tlv_infer(model, '{true,region 0,2026-01-03,0.5}') = tlv_infer(model, ROW(true, 'region 0', date '2026-01-03', .5)) AS as_array,
  tlv_infer(model, '(true,,9499,)') = tlv_infer(model, ROW(true, NULL, date '2026-01-03', NULL)) AS as_record, tlv_top(model, '{NULL,region 1,2026-04-05,NULL}') AS top FROM layouts.orders_model;
PREPARE layouts_untyped AS SELECT tlv_assign(model, $1) = tlv_assign(model, '{true,region 0,2026-01-03,0.5}'::text) AS same FROM layouts.orders_model;
EXECUTE layouts_untyped ('(true,region 0,2026-01-03,0.5)');
SELECT tlv_assign(model, '{true,region 0,yesterday,0.5}') FROM layouts.orders_model;
SELECT tlv_assign(model, '{true,region 0,2026-01-03}') FROM layouts.orders_model;
SELECT tlv_assign(model, '(true,region 0,2026-01-03)') FROM layouts.orders_model;
SELECT dimension_name FROM layouts.orders_model, layouts.orders o, tlv_contributions(model, o) c WHERE id = 3 ORDER BY dimension;
-- dates alone are categories
SELECT tlv_info(tlv_lca('SELECT id % 2 + date ''2026-01-01'' AS a, id % 2 + date ''2026-02-01'' AS b FROM layouts.orders', 2, refine => 'none')) -> 'dimension_names' AS dates;
-- long rows that are read as a wide table say so; ordinary columns do not
CREATE TABLE layouts.long_rows AS SELECT id, 'question ' || q AS question, (id * q % 7 % 2)::text AS answer, id * q % 11 / 11.0 AS seconds FROM generate_series(1, 200) id, generate_series(1, 4) q;
SELECT message, hint FROM tlv_warnings(tlv_lca('SELECT id, question, answer, seconds FROM layouts.long_rows', 2)) WHERE code = 'identifying_column';
SELECT count(*) AS ordinary FROM tlv_warnings((SELECT model FROM layouts.orders_model)) WHERE code = 'identifying_column';
-- arrays beside a key
SELECT tlv_gmm('SELECT id, ARRAY[amount, 1] AS x FROM layouts.orders', 2);
SELECT tlv_lca('SELECT id, ARRAY[id % 2, id % 3] AS x FROM layouts.orders', 2);
SELECT tlv_kind(tlv_lca('SELECT x FROM (SELECT id, ARRAY[id % 2, id % 3, id % 2] AS x FROM layouts.orders) AS q', 1));
SELECT tlv_lca('SELECT id, ARRAY[region, region] AS x FROM layouts.orders', 2);
SELECT tlv_tree('SELECT id, ARRAY[region, region] AS x FROM layouts.orders', 2);
-- one variable
SELECT call, w.code, w.message, w.hint FROM (VALUES ('tlv_lca', tlv_lca('SELECT region FROM layouts.orders')), ('tlv_gom', tlv_gom('SELECT region FROM layouts.orders')),
  ('tlv_tree', tlv_tree('SELECT region FROM layouts.orders'))) q(call, model), tlv_warnings(model) w ORDER BY 1;
-- copies of one variable depend on each other, and one component needs no other variable
SELECT count(*) AS warnings FROM tlv_warnings(tlv_lca('SELECT id, ''coin'' AS name, (id * i % 10 < id % 2 * 6 + 2)::text AS side
    FROM generate_series(1, 300) id, generate_series(1, 6) i', 2, copies => 6)) WHERE code = 'k_untested';
SELECT count(*) AS warnings FROM tlv_warnings(tlv_lca('SELECT region FROM layouts.orders', 1));
SET client_min_messages = warning;
-- integers of few values are categories, of many they are numbers, and what numbers the rows is skipped; a cast decides otherwise
CREATE TABLE layouts.people AS SELECT id, 20 + 40 * (id % 2) + id * 37 % 19 AS age, 1 + 3 * (id % 2) + id / 2 % 2 AS score, CASE WHEN (id % 2 = 0) <> (id % 9 = 0) THEN 'yes' ELSE 'no' END AS owner
FROM generate_series(1, 400) id;
SET tensorlv.warnings = off;
SELECT q, (SELECT string_agg(DISTINCT variable_name, ', ' ORDER BY variable_name) FROM tlv_categories(m)) AS categories, tlv_info(m) -> 'dimension_names' AS all_of_them,
  (SELECT message || ': ' || hint FROM tlv_warnings(m) WHERE code = 'columns_skipped') AS skipped
FROM unnest(ARRAY['SELECT * FROM layouts.people', 'SELECT age::text, score::float8, owner FROM layouts.people']) q, tlv_lca(q, 2, layout => 'wide') m;
SELECT tlv_assign(m, p) = tlv_assign(m, ROW(p.score, p.owner, p.age::numeric)) AS same, count(*)
FROM layouts.people p, tlv_lca('SELECT age, score, owner FROM layouts.people', 2, layout => 'wide') m GROUP BY 1;
SELECT q, tlv_info(m) ->> 'gaussian' AS gaussian, (SELECT string_agg(node, ', ' ORDER BY node) FROM tlv_tree_nodes(m) WHERE NOT is_hidden) AS variables,
  (SELECT message FROM tlv_warnings(m) WHERE code = 'columns_skipped') AS skipped
FROM unnest(ARRAY['SELECT * FROM layouts.people', 'SELECT id, age, age + score AS both, score FROM layouts.people', 'SELECT score, score % 2 AS odd, score / 2 AS half FROM layouts.people']) q,
  tlv_tree(q, layout => 'wide') m;
SET tensorlv.warnings = on;
SELECT tlv_lca('SELECT age, age + 1 AS next FROM layouts.people', 2);
DROP SCHEMA layouts CASCADE;
RESET client_min_messages;
