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
SET client_min_messages = warning;
DROP SCHEMA layouts CASCADE;
RESET client_min_messages;
