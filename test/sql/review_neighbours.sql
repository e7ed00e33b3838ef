-- What users met and how it ends, sentence by sentence: inputs like those of review_rows.sql that differ in one respect.
\pset null '(null)'
CREATE SCHEMA review_neighbours;
SET search_path = review_neighbours, public;
CREATE FUNCTION warned(m tlv_model, about text) RETURNS text LANGUAGE sql AS
$$ SELECT coalesce(string_agg(code || ' ' || score || ': ' || message, '; ' ORDER BY message), 'none') FROM tlv_warnings(m) WHERE code ~ about $$;

-- 1: columns whose names need quotes, in every driver of columns; fits in commands, functions and loops; the sixth warning is counted
CREATE TABLE odd AS SELECT i AS "Id No", CASE WHEN i % 4 > 0 THEN sin(i) END AS "Länge, mm", cos(i) AS "select", CASE WHEN i % 3 = 0 THEN i % 7 END AS "a""b" FROM generate_series(1, 240) i;
SELECT tlv_kind(tlv_gmm('SELECT "Länge, mm", "select" FROM odd', 1));
SELECT tlv_kind(tlv_gmm('SELECT "select", "a""b" FROM odd', 1));
SELECT tlv_kind(tlv_dictionary('SELECT "Länge, mm", "select" FROM odd', 2, 1));
SELECT tlv_kind(tlv_lda('SELECT "Id No" % 9, "a""b" FROM odd', 1));
CREATE TABLE kept AS SELECT tlv_gmm('SELECT "Länge, mm" FROM odd', 1) AS m;
INSERT INTO kept SELECT tlv_gmm('SELECT "Länge, mm" FROM odd', 1);
DO $$ DECLARE m tlv_model; BEGIN m := tlv_gmm('SELECT "Länge, mm" FROM odd', 1); END $$;
CREATE MATERIALIZED VIEW viewed AS SELECT tlv_gmm('SELECT "Länge, mm" FROM review_neighbours.odd', 1) AS m;
DO $$ BEGIN FOR i IN 1..2 LOOP INSERT INTO kept SELECT tlv_gmm('SELECT "Länge, mm" FROM odd', 1); END LOOP; END $$;
SELECT count(m) FROM (SELECT tlv_gmm('SELECT "Länge, mm", 1 FROM odd', 1) AS m UNION ALL SELECT tlv_hmm('SELECT "Id No" / 2, "Id No", "Id No" % 3 FROM odd', 2)
  UNION ALL SELECT tlv_mmsb('SELECT a, b FROM generate_series(1, 9) a, generate_series(1, 9) b WHERE a < b', 3)
  UNION ALL SELECT tlv_lda('SELECT i % 40, ''w'' || i % 3 FROM generate_series(1, 80) i', 2)) q;
SET tensorlv.warnings = off;

-- 2: short documents, as rows, words, bags and with counts: all words are there, and what moments leave out is counted
CREATE TABLE docs AS SELECT d, CASE WHEN d % 3 = 0 THEN ARRAY[chr(97 + d % 2), chr(99 + d % 2), chr(101 + d % 2), chr(103 + d % 2)] ELSE ARRAY[chr(112 + d % 2), 'q' || d % 7] END AS w
  FROM generate_series(1, 300) d;
SELECT w AS query, warned(m, 'rows_skipped'), (SELECT count(DISTINCT item) FROM tlv_topic_items(m, 50)) AS words
FROM unnest(ARRAY['SELECT d, unnest(w) FROM docs', 'SELECT array_to_tsvector(w) FROM docs', 'SELECT tlv_bag_agg(w) FROM (SELECT d, unnest(w) AS w FROM docs) q GROUP BY d',
  'SELECT d, unnest(w), 1 FROM docs']) w,
  LATERAL (SELECT tlv_lda(w, 2) AS m) q;

-- 3: gold in another case, with a tab, of another item; labels of nodes in another case
CREATE TABLE said AS SELECT 'item ' || i AS item, 'w' || w AS worker, CASE WHEN ((i * 31 + w * 17) % 10 = 0) = (i % 2 = 1) THEN 'No' ELSE 'Yes' END AS answer
  FROM generate_series(1, 100) i, generate_series(1, 3) w;
SELECT gold, (SELECT count(*) FROM tlv_consensus(m) WHERE answer_name NOT IN ('Yes', 'No') AND item_name <> 'item 2') AS others, warned(m, 'unmatched')
FROM unnest(ARRAY[$$('item 2', 'yes')$$, $$('item 2', E'Yes\t')$$, $$('Item 2', 'Yes')$$, $$('item 2', 'Yes')$$]) gold, LATERAL (SELECT tlv_crowd('TABLE said', gold => 'VALUES ' || gold) AS m) q;
SELECT l AS labels, warned(tlv_mmsb('SELECT ''n'' || a, ''n'' || b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', 2, labels => l), 'unmatched')
FROM unnest(ARRAY[$$VALUES ('n1', 1), ('n2', 2), ('n21 ', 2)$$, $$VALUES ('n1', 1), ('n2', 2)$$, $$VALUES ('N1', 1), ('n2', 2), ('x', 1)$$]) l;

-- 4: what a batch does not mention stays, in every family
CREATE TABLE rows AS SELECT i, (i % 2)::text AS a, ((i + (i % 7 = 0)::int) % 2)::text AS b, ((i + (i % 11 = 0)::int) % 2)::text AS c, i % 2 * 4 + sin(i * 1.7) AS x, i % 2 * 3 + cos(i * 2.3) AS y
  FROM generate_series(1, 400) i;
CREATE TABLE models AS SELECT 'lca' AS f, tlv_lca('SELECT a, b, c FROM rows', 2, layout => 'wide') AS m
  UNION ALL SELECT 'gom', tlv_gom('SELECT a, b, c FROM rows', 2, alpha0 => 0.1, layout => 'wide')
  UNION ALL SELECT 'mixed', tlv_lca('SELECT a, b, c, x FROM rows', 2, layout => 'wide') UNION ALL SELECT 'tree', tlv_tree('SELECT a, b, c FROM rows', layout => 'wide')
  UNION ALL SELECT 'views', tlv_multiview('SELECT a, b, c FROM rows', 2)
  UNION ALL SELECT 'symbols', tlv_hmm('SELECT s, t, chr(97 + (s + t / 5) % 3) FROM generate_series(1, 40) s, generate_series(1, 20) t', 3)
  UNION ALL SELECT 'nodes', tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', 2)
  UNION ALL SELECT 'degrees', tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', 2, degree_corrected => true)
  UNION ALL SELECT 'mixed nodes', tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', 2, alpha0 => 0.1)
  UNION ALL SELECT 'words', tlv_lda('SELECT i / 5, CASE WHEN i / 5 % 2 = 0 THEN ''even'' || i % 5 ELSE ''odd'' || i % 3 END FROM rows', 2)
  UNION ALL SELECT 'numbers', tlv_gmm('SELECT x, y FROM rows', 2);
SELECT f, (SELECT max(abs(p.probability - q.probability)) < 1e-9 FROM tlv_categories(m) p JOIN tlv_categories(u) q USING (component, variable_name, category_name) WHERE variable_name = 'c') AS stays
FROM (SELECT f, m, tlv_update(m, (SELECT tlv_statistics(ARRAY[a, b, NULL], m) FROM rows)) AS u FROM models WHERE f IN ('lca', 'gom')
  UNION ALL SELECT f, m, tlv_update(m, (SELECT tlv_statistics(ROW(a, b, NULL::text, NULL::float8), m) FROM rows)) FROM models WHERE f = 'mixed') q;
SELECT f, (SELECT max(abs(p.mean - q.mean)) < 1e-9 FROM tlv_means(m) p JOIN tlv_means(u) q USING (component, dimension)) AS stays
FROM (SELECT f, m, tlv_update(m, (SELECT tlv_statistics(ROW(a, b, NULL::text, NULL::float8), m) FROM rows)) AS u FROM models WHERE f = 'mixed') q;
SELECT f, (SELECT max(abs(p.probability - q.probability)) < 1e-9 FROM tlv_categories(m) p JOIN tlv_categories(u) q USING (component, variable, category) WHERE variable = 3) AS stays
FROM (SELECT f, m, tlv_update(m, (SELECT tlv_statistics(ROW(a, b, NULL::text), m) FROM rows)) AS u FROM models WHERE f = 'views') q;
SELECT f, (SELECT max(abs(p.probability - q.probability)) < 1e-9 FROM tlv_tree_parameters(m) p JOIN tlv_tree_parameters(u) q USING (parent, child, parent_state, child_state)
  WHERE 'c' IN (p.parent, p.child)) AS stays FROM (SELECT f, m, tlv_update(m, (SELECT tlv_statistics(ARRAY[a, b, NULL], m) FROM rows)) AS u FROM models WHERE f = 'tree') q;
SELECT f, (SELECT max(abs(p.probability - q.probability)) < 1e-9 FROM tlv_emissions(m) p JOIN tlv_emissions(u) q USING (state, symbol) WHERE state = (SELECT state FROM tlv_emissions(m)
  WHERE symbol_name = 'c' ORDER BY probability DESC LIMIT 1)) AS stays FROM (SELECT f, m, tlv_update(m, (SELECT tlv_statistics(s, m) FROM (VALUES (ARRAY['a', 'a', 'a', 'b', 'b', 'b'])) v(s))) AS u
  FROM models WHERE f = 'symbols') q;
-- of a graph, the edges between nodes without a row: one node of twenty moves the rates by its own edges, all of them as before, and none by nothing
SELECT f, n AS nodes, round(max(abs(c.probability - d.probability))::numeric, 2) AS moved
FROM (SELECT f, m, n, tlv_update(m, (SELECT tlv_statistics(a, bag, m) FROM (SELECT a, tlv_bag_agg(b) AS bag FROM generate_series(1, n) a, generate_series(1, 20) b
  WHERE a <> b AND a % 2 = b % 2 GROUP BY a) e)) AS u
  FROM models, unnest(ARRAY[1, 4, 20]) n WHERE f IN ('nodes', 'degrees', 'mixed nodes')) q, tlv_connectivity(m) c JOIN LATERAL tlv_connectivity(u) d USING (community_a,
  community_b) GROUP BY f, n ORDER BY f, n;
-- weights are per observation of the variable: c in one row of ten moves as far as those rows alone move it
SELECT f, (SELECT max(abs(p.probability - q.probability)) < 1e-9 FROM tlv_categories(u) p JOIN tlv_categories(w) q USING (component, variable_name, category_name) WHERE variable_name = 'c') AS alike
FROM (SELECT f, tlv_update(m, (SELECT tlv_statistics(ARRAY[a, b, CASE WHEN i <= 40 THEN c END], m) FROM rows), 0.5) AS u,
  tlv_update(m, (SELECT tlv_statistics(ARRAY[a, b, c], m) FROM rows WHERE i <= 40), 0.5) AS w FROM models WHERE f = 'lca') q;
-- a batch without information returns the model: nulls, and what the model does not know
SELECT f, tlv_update(m, (SELECT tlv_statistics(s, m) FROM (VALUES (ARRAY[NULL, NULL, NULL]::text[])) v(s))) = m AS nulls, tlv_update(m, (SELECT tlv_statistics(s, m)
  FROM (VALUES (ARRAY['?', '?', '?'])) v(s))) = m
  AS unknown FROM models WHERE f IN ('lca', 'gom', 'tree', 'symbols');
SELECT f, tlv_update(m, (SELECT tlv_statistics(ROW(s, s, s), m) FROM (VALUES (NULL::text)) v(s))) = m AS nulls, tlv_update(m, (SELECT tlv_statistics(ROW(s, s, s), m) FROM (VALUES ('?')) v(s))) = m
  AS unknown FROM models WHERE f = 'views';
SELECT f, tlv_update(m, (SELECT tlv_statistics(s, m) FROM (VALUES ('zebra'::tsvector)) v(s))) = m AS unknown FROM models WHERE f = 'words';
SELECT f, tlv_update(m, (SELECT tlv_statistics(s, m) FROM (VALUES ('{NULL,NULL}'::float8[])) v(s))) = m AS nulls, tlv_update(m, NULL) = m AS nothing FROM models WHERE f = 'numbers';
-- one row at weight 1 warns
SELECT f, warned(tlv_update(m, (SELECT tlv_statistics(s, m) FROM (VALUES (ARRAY['1', '1', '0'])) v(s))), 'few_rows') FROM models WHERE f IN ('lca', 'gom', 'tree');
SELECT f, warned(tlv_update(m, (SELECT tlv_statistics(s, m) FROM (VALUES (ARRAY['a', 'a', 'b'])) v(s))), 'few_rows') FROM models WHERE f = 'symbols';
SELECT f, warned(tlv_update(m, (SELECT tlv_statistics(s, m) FROM (VALUES ('even1'::tsvector)) v(s))), 'few_rows') FROM models WHERE f = 'words';
SELECT f, warned(tlv_update(m, (SELECT tlv_statistics(ROW(s, s, s), m) FROM (VALUES ('1')) v(s))), 'few_rows') FROM models WHERE f = 'views';

-- 5: entries that are missing, by NULL, absent, in arrays, of named places and in other decompositions
CREATE TABLE cells AS SELECT i, j, l, (1 + i) * (2 + j) * (1 + l)::float8 AS v, hashint4(i * 10000 + j * 100 + l) AS h
  FROM generate_series(1, 8) i, generate_series(1, 9) j, generate_series(1, 10) l;
SELECT d AS one_of, round(tlv_tensor_at(tlv_fit_cp((SELECT tlv_tensor_agg(i, j, l, v) FROM cells WHERE h % d <> 1), 1, absent => 'missing'), 3, 4, 5)::numeric, 3) AS absent,
  round(tlv_tensor_at(tlv_fit_cp((SELECT tlv_tensor_agg(i, j, l, CASE WHEN h % d <> 1 THEN v END) FROM cells), 1, nonnegative => true), 3, 4, 5)::numeric, 3) AS nonnegative,
  round(tlv_tensor_at(tlv_fit_tucker((SELECT tlv_tensor_agg(i, j, l, CASE WHEN h % d <> 1 THEN v END) FROM cells), ARRAY[1, 1, 1]), 3, 4, 5)::numeric, 3) AS tucker,
  round(tlv_tensor_at(tlv_fit_cp((SELECT tlv_tensor_agg('i' || i, 'j' || j, 'l' || l, CASE WHEN h % d <> 1 THEN v END) FROM cells), 1), 'i3', 'j4', 'l5')::numeric, 3) AS named
FROM unnest(ARRAY[2, 3, 7]) d;
SELECT round(tlv_tensor_at(tlv_fit_cp((SELECT tlv_tensor_agg(i, j, l, CASE WHEN h % 3 <> 1 THEN v ELSE 'NaN' END) FROM cells), 1), 3, 4, 5)::numeric, 3);

-- 6: what nobody knows: unknown categories, words, neighbours, symbols and answers
SELECT f, x, tlv_assign(m, x) IS NOT NULL AS assigned, (SELECT count(*) FROM tlv_top(m, x)) AS top FROM models, (VALUES (ARRAY['q', 'q', 'q']), (ARRAY['1', 'q', NULL])) v(x)
  WHERE f IN ('lca', 'gom')
  ORDER BY f, x;
SELECT f, x, tlv_assign(m, ROW(x, x, x)) IS NOT NULL AS assigned, (SELECT count(*) FROM tlv_top(m, ROW(x, x, x))) AS top FROM models, (VALUES ('q'), ('1'), (NULL)) v(x) WHERE f = 'views';
SELECT f, x, tlv_assign(m, x) IS NOT NULL AS assigned, (SELECT count(*) FROM tlv_top(m, x)) AS top FROM models, unnest(ARRAY['{99:1}', '{1:1,99:1}', '{}']::tlv_bag[]) x WHERE f = 'nodes';
SELECT f, x, (SELECT count(*) FROM tlv_top(m, x)) AS top FROM models, (VALUES (ARRAY['?', '!']), (ARRAY['a', '?']), ('{}'), (ARRAY[NULL, NULL])) v(x) WHERE f = 'symbols';
SELECT w, a, tlv_assign(m, ROW(w, a)) IS NOT NULL AS assigned, (SELECT count(*) FROM tlv_top(m, ROW(w, a))) AS top FROM (SELECT tlv_crowd('TABLE said') AS m) g,
  (VALUES (ARRAY['w9'], ARRAY['Yes']), (ARRAY['w1'], ARRAY['perhaps']), (ARRAY['w9', 'w1'], ARRAY['Yes', 'perhaps']), (ARRAY['w1'], ARRAY['Yes']), ('{}'::text[], '{}'::text[])) v(w, a);

-- 9: parameters without a type, of every function that takes them
PREPARE bag AS SELECT tlv_to_bag($1);
EXECUTE bag('{"1","2"}');
EXECUTE bag('''cat'':1 ''dog'':2,3');
EXECUTE bag('cat dog');
PREPARE inferred AS SELECT tlv_infer(m, $1, $2) IS NOT NULL AS inferred FROM models WHERE f = 'words';
EXECUTE inferred('''even1'':1', false);
PREPARE assigned AS SELECT tlv_assign(m, $1) IS NOT NULL AS assigned FROM models WHERE f = 'numbers';
EXECUTE assigned('{1,NULL}');
EXECUTE assigned('[1,2]');
PREPARE top AS SELECT count(*) AS top FROM models, tlv_top(m, $1, $2) WHERE f = 'symbols';
EXECUTE top('{a,b,"?"}', 1);
PREPARE likelihood AS SELECT tlv_log_likelihood(m, $1) < 0 AS likelihood FROM models WHERE f = 'lca';
EXECUTE likelihood('{1,1,NULL}');
PREPARE imputed AS SELECT tlv_impute(m, $1) AS imputed FROM models WHERE f = 'lca';
EXECUTE imputed('{1,1,NULL}');
PREPARE edge AS SELECT tlv_edge_probability(m, $1, $2) > 0.5 AS edge FROM models WHERE f = 'nodes';
EXECUTE edge('1', '3');
EXECUTE edge('n1', 'n3');
SET client_min_messages = warning;
DROP SCHEMA review_neighbours CASCADE;
RESET client_min_messages;
