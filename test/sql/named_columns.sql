--
-- Rows of named columns: columns of numbers become dimensions, their names stay in the model.
--
\set QUIET on
SET client_min_messages = warning;
CREATE TABLE parts (id bigint PRIMARY KEY, length real, width numeric, mass integer, colour text, depth float8[]);
INSERT INTO parts SELECT i, 10 * (i % 3) + sin(i * i), 5 * (i % 3) + cos(i * sqrt(i)), 100 * (i % 3) + i * 7 % 11, 'red', '{1,2}' FROM generate_series(1, 600) i;
CREATE TABLE readings (device int, day date, a float8, b smallint, PRIMARY KEY (device, day));
INSERT INTO readings SELECT s, '2026-01-01'::date + t, 3 * ((t / 5) % 2) + sin(t * t * s) / 3, 40 * ((t / 5) % 2) + t * 7 % 5 FROM generate_series(1, 30) s, generate_series(1, 40) t;
CREATE FUNCTION pg_temp.names(model tlv_model) RETURNS jsonb LANGUAGE sql AS $$SELECT tlv_info(model) -> 'dimension_names'$$;
\set QUIET off

-- 1. columns of any number type: the model of the array
SELECT pg_temp.names(c), pg_temp.names(a), (SELECT max(distance) < 1e-9 FROM tlv_match(c, a)) AS same
FROM tlv_gmm('SELECT length, width, mass FROM parts', 3, 'diagonal') c, tlv_gmm('SELECT array[length::float8, width, mass] FROM parts', 3, 'diagonal') a;
SELECT pg_temp.names(tlv_gmm('SELECT mass FROM parts', 3)) AS one, pg_temp.names(tlv_gmm('SELECT mass + 0, length, mass * 2 AS "Double ""mass""" FROM parts', 3)) AS expressions,
  pg_temp.names(tlv_gmm('SELECT mass + 0, mass * 2 FROM parts', 3, 'full')) AS nameless;
SELECT pg_temp.names(tlv_gmm('SELECT length, width, mass FROM parts', 3, 'direction')) AS directions, pg_temp.names(tlv_ica('SELECT length, mass FROM parts', 2, keep_gaussian => true)) AS components,
  pg_temp.names(tlv_ica('SELECT length, mass FROM parts', 2, keep_gaussian => true, refine => 'none')) AS unrefined;

-- 2. they stay, whatever is done to the model
WITH m AS MATERIALIZED (SELECT tlv_gmm('SELECT length, mass FROM parts', 3) AS model),
  u AS MATERIALIZED (SELECT tlv_update(model, (SELECT tlv_statistics(array[p.length, p.mass], model) FROM parts p)) AS updated, model FROM m)
SELECT pg_temp.names(updated), tlv_info(updated) -> 'steps' <> tlv_info(model) -> 'steps' AS stepped, updated::text::tlv_model = updated AS kept FROM u;
-- two models are compared dimension by dimension: the same names in another order are not
SELECT count(*) FROM tlv_match(tlv_gmm('SELECT length, mass FROM parts', 3), tlv_gmm('SELECT length, mass AS weight FROM parts', 3));
SELECT * FROM tlv_match(tlv_gmm('SELECT length, mass FROM parts', 3), tlv_gmm('SELECT mass, length FROM parts', 3));
SELECT tlv_align(tlv_gmm('SELECT mass, length FROM parts', 3), tlv_gmm('SELECT length, mass FROM parts', 3));

-- 3. sequences: (seq, t, x1, x2, ...)
SELECT pg_temp.names(c), pg_temp.names(tlv_hmm('SELECT device, day, a FROM readings', 2)) AS one, pg_temp.names(tlv_hmm('SELECT device, day, b FROM readings', 2)) AS symbols,
  max(m.distance) < 1e-9 AS same
FROM tlv_hmm('SELECT device, day, a, b FROM readings', 2) c, tlv_match(c, (SELECT tlv_hmm('SELECT device, day, array[a, b] FROM readings', 2))) m GROUP BY 1, 2, 3;
UPDATE readings SET b = NULL WHERE extract(day FROM day) = 7 OR device = 3;
SELECT pg_temp.names(c), tlv_info(c) -> 'arrays' -> 'means' AS means FROM tlv_hmm('SELECT device, day, a, b FROM readings', 2) c;

-- 4. a row without one of its numbers is left out, as one that is null
UPDATE parts SET width = NULL WHERE id % 10 = 0;
UPDATE parts SET mass = NULL WHERE id % 15 = 0;
SELECT tlv_info(tlv_gmm('SELECT length, width, mass FROM parts', 3)) -> 'rows' AS rows,
  tlv_info(tlv_gmm('SELECT CASE WHEN width IS NOT NULL AND mass IS NOT NULL THEN array[length, width, mass] END FROM parts', 3)) -> 'rows' AS of_arrays;
SELECT tlv_gmm('SELECT length, NULL::int AS width FROM parts', 2);
SELECT tlv_gmm('SELECT length, width FROM parts WHERE false', 2);

-- 5. what is no dimension is skipped, and named in a warning; without a dimension, and beside an array of numbers, an error
SELECT tlv_gmm('SELECT * FROM parts', 3);
SELECT pg_temp.names(tlv_gmm('SELECT length, colour FROM parts', 3));
SELECT tlv_gmm('SELECT length, depth FROM parts', 3);
SELECT w.code, w.score, w.message FROM tlv_warnings(tlv_gmm('SELECT colour, now() AS a, id, NULL::text AS b, length, true AS c, ''x'' AS d, ARRAY[colour] AS e, mass FROM parts', 3)) w;
SELECT tlv_ica('SELECT id FROM parts', 1);
SELECT pg_temp.names(tlv_gmm('SELECT width, "Part no" FROM (SELECT width, id AS "Part no" FROM parts) s', 3));
CREATE VIEW heavy AS SELECT mass, id AS number FROM parts WHERE mass > 10;
CREATE VIEW heavier AS SELECT number AS no, mass FROM heavy WHERE mass > 20;
SELECT pg_temp.names(tlv_gmm('SELECT * FROM heavier', 3));
SELECT pg_temp.names(tlv_gmm('SELECT no::float8 AS no, mass FROM heavier', 2));
-- what numbers the rows is no dimension, key or not, unless it is alone; integers far apart are
SELECT pg_temp.names(tlv_gmm(format('SELECT %s FROM (SELECT row_number() OVER () AS n, 1000 + id * id * 7919 %% 1000003 AS far, mass FROM parts) s', columns), 1))
FROM unnest(ARRAY['n, mass', 'n', 'far, mass', 'n % 100 AS n, mass']) columns;
-- of a key of several columns each may be one
SELECT pg_temp.names(tlv_gmm('SELECT r.device, r.a, p.mass FROM readings r JOIN parts p ON p.id = r.device', 2));
SELECT tlv_hmm('SELECT device, day, a, day FROM readings', 2);
SELECT tlv_hmm('SELECT r.device, r.day, r.a, p.id FROM readings r JOIN parts p ON p.id = r.device', 2);
SELECT tlv_gmm('SELECT FROM parts', 2);
-- what is asked for by the wrong name only
SELECT pg_temp.names(tlv_gmm('SELECT x.length, y.length, x.mass FROM parts x JOIN parts y USING (id)', 2));

DROP TABLE parts, readings CASCADE;

-- 6. trees: with layout => 'wide' one column a variable, whose name is its name; what is null is missing
CREATE TEMP TABLE answers AS
  SELECT id, v[1] AS mood, v[2] AS sleep, v[3]::smallint AS food, v[4]::bigint AS "the ""sea""", v[5] AS work, v, (i * 7 % 3)::text AS said
  FROM tlv_simulate_tree(tlv_simulate_tree_model(5, 2, seed => 3), 2000) WITH ORDINALITY AS s(id, v, hidden, x, i);
ALTER TABLE answers ADD PRIMARY KEY (id);
SELECT (SELECT array_agg(node ORDER BY variable) FROM tlv_tree_nodes(t) WHERE NOT is_hidden) AS nodes,
  (SELECT distance FROM tlv_robinson_foulds(t,
    tlv_tree('SELECT id, n, v[i] FROM answers, unnest(ARRAY[''mood'', ''sleep'', ''food'', ''the "sea"'', ''work'']) WITH ORDINALITY AS u(n, i)', 2))) AS from_long
FROM tlv_tree('SELECT mood, sleep, food, "the ""sea""", work FROM answers', 2, layout => 'wide') t;
SELECT (SELECT array_agg(node ORDER BY variable) FROM tlv_tree_nodes(t) WHERE NOT is_hidden) AS numbers, tlv_info(t)->'gaussian' AS gaussian
FROM tlv_tree('SELECT mood + sin(id) AS a, sleep AS b, food + sin(NULLIF(id % 5, 0) * id) AS c, work * 0.5 + cos(id) AS d FROM answers', layout => 'wide') t;
SELECT tlv_info(tlv_tree('SELECT mood, sleep, food FROM answers', 1, kind => 'gaussian', layout => 'wide'))->'gaussian' AS gaussian;
SELECT tlv_tree('TABLE answers', layout => 'wide');
SELECT tlv_tree('SELECT mood, sleep, said || ''!'' AS said, to_tsvector(mood::text) AS day FROM answers', layout => 'wide');
SELECT tlv_info(tlv_tree('SELECT mood + 0.5 AS mood, sleep, said FROM answers', layout => 'wide'))->'gaussian' AS beside;
SELECT tlv_tree('SELECT mood, sleep, mood FROM answers', layout => 'wide');
SELECT tlv_tree('SELECT mood, sleep, food FROM answers WHERE false', layout => 'wide');
SELECT string_agg(DISTINCT child_state_name, ' ') AS food FROM tlv_tree_parameters(tlv_tree('SELECT mood, sleep, -food AS food FROM answers', 2, layout => 'wide')) WHERE child = 'food';
SELECT tlv_tree('SELECT mood, sleep, food FROM answers', layout => 'broad');

-- 7. latent classes: the same layout, categories by text or by the caller's own numbers
CREATE TYPE pg_temp.tone AS ENUM ('warm', 'cold');
CREATE TEMP TABLE survey AS
  SELECT id, 'c' || v[1] AS colour, (ENUM_RANGE(NULL::pg_temp.tone))[1 + v[2] % 2] AS tone, 10 * v[3] AS size, v[4] % 2 = 0 AS flag, NULLIF('q' || v[5], 'q3') AS q
  FROM tlv_simulate_lca(tlv_simulate_lca_model(5, 3), 1000);
ALTER TABLE survey ADD PRIMARY KEY (id);
CREATE TEMP TABLE wide AS SELECT tlv_lca('SELECT colour, tone, size, flag, q FROM survey', 2, layout => 'wide') AS m;
SELECT pg_temp.names(m), array_agg(DISTINCT format('%s %s=%s', variable, category_name, category)) AS categories FROM wide, tlv_categories(m) GROUP BY 1;
-- columns in their order, from named rows by name; arrays of text; numbers are the caller's; what is null or not known is missing
SELECT tlv_infer(m, s) = a AS by_name, tlv_infer(m, ARRAY['c1', 'cold', '30', 'true', 'q1']) = a AS texts, tlv_infer(m, '{c1,cold,30,true,q1}') = a AS literal,
  tlv_infer(m, ROW('c1', 'cold', NULL::int, true, 'zz')) = tlv_infer(m, ARRAY['c1', 'cold', '35', 'true', NULL]) AS unknown,
  tlv_infer(m, ROW('c1', 'cold', NULL::int, true, 'zz')) <> a AS differs
FROM wide, LATERAL tlv_infer(m, ROW('c1', 'cold', 30, true, 'q1')) a, (SELECT 'q1' AS q, 'cold' AS tone, 30 AS size, true AS flag, 'c1' AS colour) s;
SELECT (tlv_impute(m, ROW('c1', 'cold', NULL::int, true, 'q1')))[3] AS own FROM wide;
SELECT count(*) AS rows, count(DISTINCT tlv_assign(m, s)) AS classes FROM wide, survey s;
SELECT tlv_kind(tlv_gom('SELECT colour, tone, size, flag FROM survey', 2, layout => 'wide', iterations => 5)) AS mixed;
SELECT tlv_lca('SELECT * FROM survey', 2, layout => 'wide');
SELECT tlv_lca('SELECT colour, tone, to_tsvector(colour::text) AS x FROM survey', 2, layout => 'wide');
SELECT tlv_lca('SELECT 1.5 AS x FROM survey', 2, layout => 'wide');
SELECT tlv_lca('SELECT colour, tone, colour FROM survey', 2, layout => 'wide');
SELECT tlv_gom('SELECT colour, tone, size FROM survey', 2, copies => 2, layout => 'wide');
SELECT tlv_gom('SELECT colour, tone, size FROM survey', 2, layout => 'broad');
SELECT tlv_infer(m, ARRAY['c1', 'cold', '30']) FROM wide;
SELECT tlv_infer(m, ARRAY[['c1', 'cold', '30', 'true', 'q1']]) FROM wide;

-- a part of a key may be a measurement: a warning says that it is taken; the key of a partitioned table is refused like any other
CREATE TEMP TABLE lines (sheet int, line int, price float8, pieces float8, PRIMARY KEY (sheet, line));
INSERT INTO lines SELECT i / 3, i % 3, sin(i), cos(7 * i) FROM generate_series(1, 300) i;
CREATE TEMP TABLE parted (id int PRIMARY KEY, a float8, b float8) PARTITION BY RANGE (id);
CREATE TEMP TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
INSERT INTO parted SELECT i, sin(i), cos(7 * i) FROM generate_series(1, 300) i;
SELECT count(*) FROM tlv_means(tlv_gmm('TABLE lines', 1));
SELECT tlv_dense_moments(l, 2) IS NOT NULL AS summed FROM lines l;
SELECT count(*) FROM tlv_means(tlv_gmm('SELECT price, pieces FROM lines', 1));
SELECT pg_temp.names(tlv_gmm('TABLE parted', 1));
SELECT tlv_dense_moments(p, 2) FROM parted p;

-- 8. rows with a null in them, wherever it stands, are left out, counted and warned of
CREATE TEMP TABLE gaps AS SELECT CASE WHEN i % 4 = 0 THEN NULL ELSE round(sin(i)::numeric, 3)::float8 END AS a, round(cos(i)::numeric, 3)::float8 AS b, i FROM generate_series(1, 100) i;
SELECT call, code, score, message FROM (VALUES
  ('columns', tlv_gmm('SELECT a, b FROM gaps', 1)), ('arrays', tlv_gmm('SELECT ARRAY[a, b] FROM gaps', 1)), ('many', tlv_gmm('SELECT ARRAY[[a, b], [b, 1]] FROM gaps', 1)),
  ('integers', tlv_gmm('SELECT ARRAY[a::int, i % 3] FROM gaps', 1)), ('components', tlv_ica('SELECT a, b FROM gaps', 1, keep_gaussian => true)),
  ('views', tlv_multiview('SELECT ARRAY[a, b], ARRAY[b], ARRAY[b * b] FROM gaps', 1)), ('bags', tlv_lda('SELECT CASE WHEN i <> 7 THEN ''{1:2,2:3}''::tlv_bag END FROM gaps', 1)),
  ('words', tlv_lda('SELECT ARRAY[x, y, CASE WHEN i <> 7 THEN x END] FROM (SELECT i, (''a'' || i % 5) COLLATE "C" AS x, (''b'' || i % 4) COLLATE "POSIX" AS y FROM gaps) q', 1)),
  ('steps', tlv_hmm('SELECT CASE WHEN i <> 7 THEN ARRAY[''a'', CASE WHEN i > 9 THEN ''b'' END, ''c''] END FROM gaps', 1)),
  ('edges', tlv_mmsb('SELECT CASE WHEN i <> 7 THEN i % 9 END, i % 10 FROM gaps', 1)), ('none', tlv_gmm('SELECT b FROM gaps', 1))) AS c(call, m)
  LEFT JOIN LATERAL (SELECT * FROM tlv_warnings(m) WHERE code = 'rows_skipped') w ON true;
SELECT moments->'kind' AS kind, moments->'rows' AS rows, moments->'nulls' AS nulls FROM (SELECT tlv_info(tlv_dense_moments(ARRAY[[a, b], [b, 1]], 2)) AS d,
  tlv_info(tlv_view_moments(ARRAY[[a, b], [b, 1]], ARRAY[[b], [1]], ARRAY[[b], [NULL::float8]])) AS v FROM gaps) g, unnest(ARRAY[d, v]) AS moments;
SELECT tlv_gmm('SELECT ARRAY[NULL, b] FROM gaps', 1);
SELECT tlv_view_moments(ARRAY[[a, b], [b, 1]], ARRAY[[b]], ARRAY[[b], [NULL::float8]]) FROM gaps;
SELECT tlv_infer(tlv_gmm('SELECT a, b FROM gaps', 1), ARRAY[1, NULL]);

-- 9. a fingerprint is that of the content, whatever it went through
SELECT (tlv_info(m)->>'fingerprint') ~ '^[0-9a-f]{32}$' AS digits, tlv_info(m)->'fingerprint' = tlv_info(m::text::tlv_model)->'fingerprint' AS kept,
  tlv_info(m)->'fingerprint' <> tlv_info(tlv_label(m, 1, 'one'))->'fingerprint' AS changes FROM wide;
CREATE TEMP TABLE large AS SELECT tlv_simulate_lda_model(5000, 10) AS m;
SELECT abs((tlv_info(m)->>'bytes')::int - pg_column_size(m)) <= 4 AND pg_column_size(m) > 16384 AS bytes, tlv_info(m)->'arrays' AS arrays, tlv_info(m) = tlv_info(m::text::tlv_model) AS kept,
  tlv_info(m)->'fingerprint' <> tlv_info(tlv_label(m, 1, 'one'))->'fingerprint' AS changes FROM large;

-- 10. the name of a table is no query
SELECT tlv_gmm('gaps', 1);
SELECT tlv_gmm(' public.gaps; ', 1);

-- 11. rows of columns where vectors are collected: every column a dimension
CREATE TABLE rows_of (id int PRIMARY KEY, a int, b numeric, c real);
INSERT INTO rows_of SELECT i, i % 7, i % 5, i * i % 11 FROM generate_series(1, 100) i;
CREATE TABLE rows_with_gap (a int, gone text, b numeric);
ALTER TABLE rows_with_gap DROP COLUMN gone;
INSERT INTO rows_with_gap SELECT a, b FROM rows_of;
CREATE DOMAIN row_with_gap AS rows_with_gap;
SELECT tlv_dense_moments(ROW(a, b, c), 2) = tlv_dense_moments(ARRAY[a, b, c], 2) AS anonymous FROM rows_of;
SELECT tlv_dense_moments(x, 2) = tlv_dense_moments(ARRAY[a, b, c], 2) AS named FROM (SELECT a, b, c FROM rows_of) x;
SELECT tlv_dense_moments(g, 2) = tlv_dense_moments(ARRAY[a, b], 2) AS of_table, tlv_dense_moments(g::row_with_gap, 2) = tlv_dense_moments(g, 2) AS of_domain FROM rows_with_gap g;
SELECT tlv_dense_moments(ROW(a, b, c), s) = tlv_dense_moments(ARRAY[a, b, c], s) AS compressed FROM rows_of, (SELECT tlv_find_subspace(tlv_dense_moments(ROW(a, b, c), 2), 2) AS s FROM rows_of) f;
SELECT tlv_view_moments(ROW(a, b), ROW(b, c), ROW(c, a)) = tlv_view_moments(ARRAY[a, b], ARRAY[b, c], ARRAY[c, a]) AS views FROM rows_of;
SELECT tlv_info(tlv_dense_moments(ROW(a, nullif(b, 4)), 2)) ->> 'rows' AS rows, tlv_info(tlv_dense_moments(ROW(a, nullif(b, 4)), 2)) ->> 'nulls' AS nulls FROM rows_of;
SELECT tlv_dense_moments(r, 2) FROM rows_of r;
SELECT tlv_dense_moments(ROW(a, 'x'::text), 2) FROM rows_of;
SELECT tlv_dense_moments(ROW(a, ROW(b)), 2) FROM rows_of;
SELECT tlv_dense_moments(ROW(), 2) FROM rows_of;
SELECT tlv_dense_moments(CASE WHEN a < 3 THEN ROW(a, b) ELSE ROW(a, b, c) END, 2) FROM rows_of;
SELECT tlv_dense_moments(CASE WHEN a < 3 THEN ROW(a, b) ELSE ROW(a, 'x'::text) END, 2) FROM rows_of;
DROP DOMAIN row_with_gap;
DROP TABLE rows_of, rows_with_gap;

-- 12. a number that is refused is that of a column or a variable
\set QUIET on
CREATE TABLE refused AS SELECT i, i % 3 * 5 + sin(i) AS x, i % 3 + cos(i * 1.7) AS y, 'c' || i % 3 AS colour FROM generate_series(1, 80) i;
CREATE FUNCTION pg_temp.refusal(call text, OUT message text, OUT hint text) LANGUAGE plpgsql AS $$BEGIN
  EXECUTE 'SELECT ' || call;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
END$$;
\set QUIET off
SELECT message, hint FROM unnest(ARRAY[
  $$tlv_lca('SELECT CASE WHEN i = 7 THEN 'NaN' ELSE x END AS score, y, colour FROM refused', 2, layout => 'wide')$$,
  $$tlv_lca('SELECT y, colour, CASE WHEN i = 7 THEN 1e200 ELSE x END AS score FROM refused', 2, layout => 'wide')$$,
  $$tlv_gmm('SELECT colour, y, CASE WHEN i = 7 THEN 'NaN' ELSE x END AS hum FROM refused')$$,
  $$tlv_gmm('SELECT colour, y, CASE WHEN i = 7 THEN 'Infinity' ELSE x END AS hum FROM refused', 2)$$,
  $$tlv_gmm('SELECT ARRAY[y, CASE WHEN i = 7 THEN 1e200 ELSE x END] AS hum FROM refused', 2)$$,
  $$tlv_ica('SELECT y, CASE WHEN i = 7 THEN 'NaN' ELSE x END AS hum FROM refused', 2)$$,
  $$tlv_multiview('SELECT ARRAY[x], ARRAY[y, CASE WHEN i = 7 THEN 'NaN' ELSE x END] AS second, ARRAY[x, y] FROM refused', 2)$$,
  $$tlv_hmm('SELECT i / 20 AS day, i AS step, y, CASE WHEN i = 7 THEN 'NaN' ELSE x END AS hum FROM refused', 2)$$,
  $$tlv_tree('SELECT x, y, CASE WHEN i = 7 THEN 'NaN' ELSE x * y END AS hum FROM refused', layout => 'wide')$$,
  $$tlv_tree('SELECT i / 4, ''v'' || i % 4, CASE WHEN i = 7 THEN 'NaN' ELSE x END FROM refused')$$]) call,
  LATERAL pg_temp.refusal(replace(replace(call, '''NaN''', '''''NaN'''''), '''Infinity''', '''''Infinity'''''));
-- and an id is shown as the query has it
SELECT message, hint FROM unnest(ARRAY[
  $$tlv_mmsb('SELECT ''n'' || i % 9, ''n'' || i % 7 FROM refused', 2, labels => 'VALUES (''n1'', 1), (''n1'', 2)')$$,
  $$tlv_mmsb('SELECT ''n'' || i % 9, ''n'' || i % 7 FROM refused', 2, labels => 'VALUES (''n1'', 9)')$$,
  $$tlv_mmsb('SELECT ''n'' || i % 9, ''n'' || i % 7 FROM refused', 2, labels => 'VALUES (''n1'', 0)')$$,
  $$(SELECT tlv_graph_agg('n' || i % 9, 'n' || i % 7) - (SELECT tlv_graph_agg('n' || i % 9, 'n' || i % 7, 2) FROM refused) FROM refused)$$,
  $$(SELECT tlv_graph_agg('n' || i % 9, 'n' || i % 7, 1e308) FROM refused)$$,
  $$tlv_lda('SELECT i / 9, ''w'' || i % 7, CASE i WHEN 7 THEN 1.5 ELSE 2 END FROM refused', 2)$$,
  $$tlv_impute(tlv_hmm('SELECT i / 9, i, colour FROM refused', 2), ARRAY['zz', 'c1'])$$,
  $$tlv_impute(tlv_hmm('SELECT i / 9, i, colour FROM refused', 2), ARRAY['c1', NULL])$$]) call, LATERAL pg_temp.refusal(call);
-- 13. a column without a value is named; ids of documents may be null
SELECT tlv_gmm('SELECT x, y, NULL::float8 AS gone FROM refused', 2);
SELECT message FROM tlv_warnings(tlv_lda('SELECT CASE WHEN i > 9 THEN i END AS id, CASE WHEN i > 2 THEN to_tsvector(''simple'', ''a b c d'' || i % 3 || '' e f'') END AS words FROM refused', 1))
WHERE code = 'rows_skipped';
DROP TABLE refused;
