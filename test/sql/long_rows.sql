--
-- Rows of (variable, value) as two arrays, and categories by name in trees: what a long table has, every function of a model takes.
--
\set QUIET on
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('sad', 'calm', 'glad');
-- six questions that share half of what decides them: texts, whole numbers from 1, booleans, an enumeration
CREATE TABLE answers AS
  SELECT id, 'q' || j AS question, j AS number, CASE WHEN s < .2 THEN 'never' WHEN s < .6 THEN 'often' ELSE 'always' END AS said, (5 * s)::int + 1 AS scale, s > .5 AS yes,
    (ENUM_RANGE(NULL::mood))[1 + least((3 * s)::int, 2)] AS mood
  FROM (SELECT i AS id, j, .5 * (i * 7919 % 100 / 100.0) + .5 * (i * (j + 3) * 7907 % 101 / 101.0) AS s FROM generate_series(1, 600) i, generate_series(1, 6) j) q;
CREATE TABLE models (name text PRIMARY KEY, model tlv_model);
CREATE TABLE people AS SELECT id, array_agg(question ORDER BY number DESC) AS q, array_agg(said ORDER BY number DESC) AS said, array_agg(said ORDER BY question) AS said_array,
    array_agg(number ORDER BY number DESC) AS n, array_agg(scale ORDER BY number DESC) AS scale, array_agg(scale ORDER BY number) AS scale_array,
    array_agg(yes ORDER BY number DESC) AS yes, array_agg(yes::int ORDER BY question) AS yes_array, array_agg(mood ORDER BY number DESC) AS mood, array_agg(mood::text ORDER BY question) AS mood_array
  FROM answers WHERE id <= 20 GROUP BY id;
CREATE FUNCTION pg_temp.fails(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; hint text;
BEGIN
  EXECUTE command;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
  RETURN concat_ws(' | ', state, message, NULLIF(hint, ''));
END $$;
\set QUIET off

-- 1. trees: categories are the caller's own
INSERT INTO models VALUES ('said', tlv_tree('SELECT id, question, said FROM answers', 2)), ('scale', tlv_tree('SELECT id, number, scale FROM answers', 2)),
  ('yes', tlv_tree('SELECT id, question, yes FROM answers', 2)), ('mood', tlv_tree('SELECT id, question, mood FROM answers', 2)),
  ('wide', tlv_tree('SELECT a.said, b.yes, c.mood, a.scale AS "how much" FROM answers a JOIN answers b USING (id) JOIN answers c USING (id) WHERE a.number = 1 AND b.number = 2 AND c.number = 3',
    2, layout => 'wide'));
SELECT name, string_agg(DISTINCT child_state || ' ' || child_state_name, ', ') AS states FROM models, tlv_tree_parameters(model) WHERE child IN ('q1', '1', 'b', 'mood') GROUP BY name ORDER BY name;
-- the row comes second where the first column alone can be the variable
SELECT bool_and(abs(a.probability - b.probability) < 1e-9) AS swapped
FROM models, tlv_tree_parameters(model) a JOIN tlv_tree_parameters(tlv_tree('SELECT question, date ''2026-01-01'' + id, said FROM answers', 2)) b
  USING (parent, child, parent_state_name, child_state_name)
WHERE name = 'said';
-- booleans are what they were as numbers from 0
SELECT max(abs(a.probability - b.probability)) < 1e-12 AS same FROM models, tlv_tree_parameters(model) a JOIN
  tlv_tree_parameters(tlv_tree('SELECT array_agg(yes::int ORDER BY number) FROM answers GROUP BY id', 2)) b
  ON replace(b.child, 'v', 'q') = a.child AND a.parent_state IS NOT DISTINCT FROM b.parent_state AND a.child_state = b.child_state WHERE name = 'yes';
-- the names stay: in text, in JSON, through a step, and in what the model says of a gap
SELECT bool_and(model::text::tlv_model = model) AS as_text, bool_and(tlv_from_json(tlv_to_json(model)) = model) AS as_json FROM models;
SELECT string_agg(DISTINCT child_state_name, ' ') AS after_step
FROM (SELECT tlv_update(model, (SELECT tlv_statistics(array_agg, model) FROM (SELECT array_agg(yes::int ORDER BY question) FROM answers GROUP BY id) r)) AS m
      FROM models WHERE name = 'yes') u, tlv_tree_parameters(m) WHERE child = 'q2';
SELECT node, state, state_name, sum(probability) OVER (PARTITION BY node)::numeric(6, 3) AS total
FROM models, tlv_tree_posterior(model, ROW('{q1,q2,q4,q5,q6}'::text[], '{never,often,often,always,never}'::text[])) WHERE name = 'said' ORDER BY node, state;
SELECT (tlv_impute(model, ROW('{1,2,4,5,6}'::int[], '{6,6,6,6,6}'::int[])))[3] BETWEEN 4 AND 6 AS high,
  (tlv_impute(model, ROW('{1,2,4,5,6}'::int[], '{1,1,1,1,1}'::int[])))[3] BETWEEN 1 AND 3 AS low, tlv_impute(model, ARRAY[1, 2, 3, 4, 5, 6]) AS nothing_missing FROM models WHERE name = 'scale';

-- a variable that nobody has answered stands alone, long and wide, and does not change the others
SELECT count(*) AS nodes, count(*) FILTER (WHERE node = 'q9' AND states = 1) AS alone
FROM tlv_tree_nodes(tlv_tree('SELECT id, question, said FROM answers UNION ALL SELECT id, ''q9'', NULL FROM answers WHERE number = 1', 2));
SELECT string_agg(node || ' ' || states, ', ' ORDER BY variable) AS nodes
FROM tlv_tree_nodes(tlv_tree('SELECT a.said, NULL::text AS nothing, NULL::int AS zero, b.yes, c.mood FROM answers a JOIN answers b USING (id) JOIN answers c USING (id)
  WHERE a.number = 1 AND b.number = 2 AND c.number = 3', 2, layout => 'wide')) WHERE NOT is_hidden;
SELECT max(abs(a.probability - b.probability)) < 1e-12 AS same FROM models, tlv_tree_parameters(model) a JOIN
  tlv_tree_parameters(tlv_tree('SELECT id, question, said FROM answers UNION ALL SELECT id, ''q9'', NULL FROM answers WHERE number = 1', 2)) b
  USING (parent, child, parent_state, child_state_name) WHERE name = 'said';

-- 2. a long row is the array, in whatever order its pairs come, of every model that has names for its variables
INSERT INTO models VALUES ('classes', tlv_lca('SELECT id, question, said FROM answers', 2)), ('mixed', tlv_gom('SELECT id, question, said FROM answers', 2)),
  ('numbers', tlv_tree('SELECT id, question, scale - 2.5 FROM answers', 1)), ('points', tlv_gmm('SELECT a.scale AS x, b.scale + sin(id) AS y FROM answers a JOIN answers b USING (id)
    WHERE a.number = 1 AND b.number = 2', 2)), ('alleles', tlv_gom('SELECT id, question, said FROM answers UNION ALL SELECT id, question, ''often'' FROM answers', 2, copies => 2));
SELECT name, bool_and(tlv_log_likelihood(model, ROW(q, said)) = tlv_log_likelihood(model, said_array)) AS likelihood,
  bool_and(CASE WHEN name = 'said' THEN (SELECT array_agg(p) FROM tlv_tree_posterior(model, ROW(q, said)) p) = (SELECT array_agg(p) FROM tlv_tree_posterior(model, said_array) p)
    ELSE tlv_infer(model, ROW(q, said)) = tlv_infer(model, said_array) END) AS infer
FROM models, people WHERE name IN ('said', 'classes', 'mixed') GROUP BY name ORDER BY name;
SELECT bool_and(tlv_assign(model, ROW(q, said)) = tlv_assign(model, said_array)) AS assign, bool_and((SELECT t.component FROM tlv_top(model, ROW(q, said)) t) = tlv_assign(model, ROW(q, said))) AS top
FROM models, people WHERE name = 'classes';
SELECT bool_and(tlv_log_likelihood(s.model, ROW(n, scale)) = tlv_log_likelihood(s.model, scale_array)) AS scale,
  bool_and(tlv_log_likelihood(y.model, ROW(q, yes)) = tlv_log_likelihood(y.model, yes_array)) AS yes,
  bool_and(tlv_log_likelihood(m.model, ROW(q, mood)) = tlv_log_likelihood(m.model, mood_array)) AS mood
FROM models s, models y, models m, people WHERE s.name = 'scale' AND y.name = 'yes' AND m.name = 'mood';
SELECT tlv_log_likelihood(model, ROW('{q2,q1}'::text[], '{-2.5,1.5}'::float8[])) = tlv_log_likelihood(model, ARRAY[1.5, -2.5, NULL, NULL, NULL, NULL]) AS numbers FROM models WHERE name = 'numbers';
SELECT tlv_log_likelihood(model, ROW('{q2,q1}'::text[], '{often,never}'::text[])) FROM models WHERE name = 'numbers';
SELECT tlv_infer(model, ROW('{y,x}'::text[], '{4,1}'::smallint[])) = tlv_infer(model, ARRAY[1, 4]) AS points FROM models WHERE name = 'points';
-- copies of a variable in any order; one of two; both the same
SELECT tlv_infer(model, ROW('{q1,q2,q1,q2}'::text[], '{never,often,often,often}'::text[])) = tlv_infer(model, '{never,often,often,often,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}'::text[]) AS copies
FROM models WHERE name = 'alleles';
-- what is not known is left out: variables, categories, NULLs of either; nothing at all is a row without answers
SELECT name, tlv_log_likelihood(model, ROW('{q1,q2,NULL,q9,q3}'::text[], '{never,sometimes,often,often,NULL}'::text[]))
  = tlv_log_likelihood(model, ROW('{q1}'::text[], '{never}'::text[])) AS left_out, tlv_log_likelihood(model, ROW('{}'::text[], '{}'::text[])) = 0 AS nothing
FROM models WHERE name IN ('said', 'classes', 'mixed') ORDER BY name;
-- another model at the same place in a query: the variables are its own
SELECT name, bool_and(tlv_log_likelihood(model, ROW(q, said)) = tlv_log_likelihood(model, said_array)) AS same
FROM (SELECT * FROM (SELECT name, model, q, said, said_array FROM models, people WHERE name IN ('said', 'mixed')) j ORDER BY said_array, name) o GROUP BY name ORDER BY name;

-- 3. composites of trees: by name, in any order
SELECT bool_and(tlv_log_likelihood(model, r) = tlv_log_likelihood(model, s)) AS any_order, count(DISTINCT tlv_log_likelihood(model, r)) > 5 AS differ
FROM models, answers a JOIN answers b USING (id) JOIN answers c USING (id),
  LATERAL (SELECT a.said, b.yes, c.mood, a.scale AS "how much") r, LATERAL (SELECT a.scale AS "how much", c.mood, b.yes, a.said, 1 AS more) s
WHERE name = 'wide' AND a.number = 1 AND b.number = 2 AND c.number = 3 AND id <= 20;
SELECT pg_temp.fails($$SELECT tlv_log_likelihood(model, r) FROM models, (SELECT 'never' AS said, true AS yes) r WHERE name = 'wide'$$);

-- 4. errors
SELECT pg_temp.fails(format('SELECT tlv_infer(model, %s) FROM models WHERE name = %L', row, name)) AS fails FROM (VALUES
  ('said', $$ROW('{q1,q1}'::text[], '{never,often}'::text[])$$), ('alleles', $$ROW('{q1,q1,q1}'::text[], '{never,often,often}'::text[])$$),
  ('said', $$ROW('{q1,q2}'::text[], '{never}'::text[])$$), ('said', $$ROW('{q1,q2}'::text[], NULL::text[])$$), ('said', $$ROW('{{q1},{q2}}'::text[], '{never,often}'::text[])$$),
  ('said', $$ROW('{1.5,2}'::float8[], '{never,often}'::text[])$$), ('said', $$ROW('{q1}'::text[], ARRAY[to_tsvector('a')])$$), ('points', $$ROW('{x,y}'::text[], '{a,b}'::text[])$$),
  ('points', $$ROW('{x,y}'::text[], '{1,NaN}'::float8[])$$)) AS v(name, row);
SELECT pg_temp.fails($$SELECT tlv_infer(tlv_simulate_tree_model(4, 2), ROW('{v1,v2}'::text[], '{0,1}'::int[]))$$);
SELECT pg_temp.fails($$SELECT tlv_tree('SELECT id, question, md5(id::text) FROM answers')$$);
SELECT pg_temp.fails($$SELECT tlv_tree('SELECT id, question, repeat(said, 1000) FROM answers')$$);
-- names in a value that was tampered with
SELECT pg_temp.fails(format('SELECT tlv_from_json(%L)', replace(tlv_to_json(model)::text, '"always",', ''))) FROM models WHERE name = 'said';

-- 5. statistics take what tlv_infer takes: the caller's categories, by name and by number, in arrays, records, columns and long rows
CREATE TABLE wide AS SELECT id, said[1] AS a, said[2] AS b, said[3] AS c, yes[1] AS d, mood[2] AS e FROM people;
CREATE TABLE learnt AS SELECT tlv_lca('SELECT a, b, c, d, e FROM wide', 2, layout => 'wide') AS lca, tlv_gom('SELECT a, b, c, d, e FROM wide', 2, layout => 'wide') AS gom,
  tlv_tree('SELECT a, b, c, d, e FROM wide', 2, layout => 'wide') AS tree, tlv_lca('SELECT id, number, scale + 10 FROM answers', 2) AS numbered,
    tlv_tree('SELECT id, number, scale + 10 FROM answers', 2) AS numbered_tree;
SELECT kind, bool_and(s.record = s.texts) AS texts, bool_and(s.record = s.long) AS long, bool_and(tlv_info(s.record)->>'rows' = '20') AS rows,
       bool_and(kind = 'gom' OR abs((tlv_info(s.record)->>'log_likelihood')::float8 - s.likelihood) < 1e-9) AS likelihood
FROM learnt, LATERAL (VALUES ('lca', lca), ('gom', gom), ('tree', tree)) m(kind, model), LATERAL (
  SELECT tlv_statistics(ROW(a, b, c, d, e), model) AS record, tlv_statistics(ARRAY[a, b, c, d::text, e::text], model) AS texts,
         tlv_statistics(ROW(ARRAY['e', 'a', 'b', 'c', 'd'], ARRAY[e::text, a, b, c, d::text]), model) AS long, sum(tlv_log_likelihood(model, ROW(a, b, c, d, e))) AS likelihood FROM wide) s
GROUP BY kind ORDER BY kind;
SELECT kind, tlv_statistics(own, model) = tlv_statistics(ROW(n, scale), model) AS long, tlv_statistics(own, model) = tlv_statistics(own::bigint[], model) AS bigints,
       abs((tlv_info(tlv_statistics(own, model))->>'log_likelihood')::float8 - sum(tlv_log_likelihood(model, own))) < 1e-9 AS likelihood, tlv_info(tlv_update(model, tlv_statistics(own,
         model)))->>'kind' AS updated
FROM learnt, LATERAL (VALUES ('lca', numbered), ('tree', numbered_tree)) m(kind, model),
     (SELECT n, (SELECT array_agg(x + 10 ORDER BY i) FROM unnest(scale) WITH ORDINALITY u(x, i)) AS scale, (SELECT array_agg(x + 10 ORDER BY i) FROM unnest(scale_array) WITH ORDINALITY u(x,
       i)) AS own FROM people) p
GROUP BY kind, model ORDER BY kind;
SELECT pg_temp.fails(format('SELECT tlv_statistics(%s, %s) FROM learnt, wide', row, model)) AS fails FROM (VALUES ('ROW(a, b)', 'lca'), ('ROW(a, b, c, d, to_tsvector(a::text))', 'lca'),
  ('to_tsvector(a::text)', 'tree'),
  ('ARRAY[to_tsvector(a::text)]', 'lca'),
  ('ARRAY[1.5, 1, 1, 1, 1]', 'lca'), ('id', 'lca'), ('tlv_to_bag(ARRAY[1]::bigint[])', 'lca'), ('''{1:2}''::tlv_bag', 'gom'), ('NULL::text[]', 'NULL::tlv_model')) v(row, model);
DROP TABLE answers, models, people, wide, learnt;
DROP TYPE mood;

-- Tables that identify rows, in tlv_tree as in tlv_lca: two columns together, as long rows have them, and one alone. Of one column
-- nothing but k_untested is said.
SELECT code, hint FROM tlv_warnings(tlv_tree($$SELECT 'u' || i % 40 AS person, 'q' || i / 40 AS question, (i % 3)::text AS a, (i % 5)::text AS b FROM generate_series(0, 159) i$$));
SELECT code, message FROM tlv_warnings(tlv_tree($$SELECT 'u' || i AS person, (i % 4)::text AS c, (i % 3)::text AS a, (i % 5)::text AS b FROM generate_series(0, 79) i$$));
SELECT code, hint FROM tlv_warnings(tlv_lca($$SELECT CASE i % 3 WHEN 0 THEN 'north' ELSE 'south' END AS region FROM generate_series(1, 300) i$$, 2));

-- A row literal is read as a row of types is: booleans as the type boolean reads them, infinite dates are missing, and a literal is one row.
CREATE TABLE sales AS
SELECT i % 10 = 0 OR i % 2 = 0 AS ok, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS region, date '2026-01-01' + i % 50 + i % 2 * 400 AS day, i % 2 * 5 + sin(i * i) AS x
FROM generate_series(1, 300) i;
CREATE TABLE sold AS SELECT tlv_lca('SELECT ok, region, day, x FROM sales', 2) AS model;
SELECT given, tlv_log_likelihood(model, given) = tlv_log_likelihood(model, ROW(ok, 'north', day, 0.1::float8)) AS equal
FROM sold, (VALUES ('{t,north,2026-01-03,0.1}', true, date '2026-01-03'), ('(no,north,infinity,0.1)', false, 'infinity'), ('{YES,north,-infinity,0.1}', true, NULL),
                   ('(off,north,2026-01-03,0.1)', false, '2026-01-03'), ('{1,north,2026-01-03,0.1}', true, '2026-01-03')) v(given, ok, day);
SELECT tlv_assign(model, '{{t,north,2026-01-03,0.1},{t,north,2026-01-03,0.1}}') FROM sold;
-- Dates of five digits are dates, an infinite number is refused as in a row of types, and a string is no boolean where the variable has other categories.
SELECT tlv_log_likelihood(model, '(t,north,12026-01-03,0.1)') = tlv_log_likelihood(model, ROW(true, 'north', date '12026-01-03', 0.1::float8)) AS far FROM sold;
SELECT tlv_assign(model, '(t,north,2026-01-03,Infinity)') FROM sold;
SELECT tlv_assign(model, '(t,north,2026-01-03,-inf)') FROM sold;
SELECT tlv_assign(model, ROW(true, 'north', date '2026-01-03', 'Infinity'::float8)) FROM sold;
SELECT given, tlv_log_likelihood(m, given) = tlv_log_likelihood(m, ROW(said, ok, 0.1::float8)) AS equal
FROM tlv_lca('SELECT CASE WHEN region = ''north'' THEN ''true'' WHEN x > 3 THEN ''maybe'' ELSE ''false'' END AS said, ok, x FROM sales', 2, layout => 'wide') m,
  (VALUES ('(t,t,0.1)', NULL, true), ('(true,f,0.1)', 'true', false), ('{yes,true,0.1}', NULL, true), ('(maybe,0,0.1)', 'maybe', false)) v(given, said, ok);
DROP TABLE sales, sold;
