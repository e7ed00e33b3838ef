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

-- 5. what is no dimension is refused by its name
SELECT tlv_gmm('SELECT * FROM parts', 3);
SELECT tlv_gmm('SELECT length, colour FROM parts', 3);
SELECT tlv_gmm('SELECT length, depth FROM parts', 3);
SELECT tlv_ica('SELECT id FROM parts', 1);
SELECT tlv_gmm('SELECT width, "Part no" FROM (SELECT width, id AS "Part no" FROM parts) s', 3);
CREATE VIEW heavy AS SELECT mass, id AS number FROM parts WHERE mass > 10;
CREATE VIEW heavier AS SELECT number AS no, mass FROM heavy WHERE mass > 20;
SELECT tlv_gmm('SELECT * FROM heavier', 3);
SELECT pg_temp.names(tlv_gmm('SELECT no + 0 AS no, mass FROM heavier', 2));
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
SELECT tlv_tree('SELECT mood, sleep, said FROM answers', layout => 'wide');
SELECT tlv_tree('SELECT mood, sleep, mood FROM answers', layout => 'wide');
SELECT tlv_tree('SELECT mood, sleep, food FROM answers WHERE false', layout => 'wide');
SELECT tlv_tree('SELECT mood, sleep, -food AS food FROM answers', layout => 'wide');
SELECT tlv_tree('SELECT mood, sleep, food FROM answers', layout => 'broad');
