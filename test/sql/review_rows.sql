-- What users met and how it ends: each input, and three neighbours of it.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SELECT setseed(.5);
SET client_min_messages = error; -- what is warned of is read from the models
CREATE SCHEMA review_rows;
SET search_path = review_rows, public;
CREATE FUNCTION warned(m tlv_model, wanted text) RETURNS text LANGUAGE sql AS
$$ SELECT coalesce(string_agg(code || ' ' || score || ': ' || message, '; ' ORDER BY message), 'none') FROM tlv_warnings(m) WHERE code ~ wanted $$;

-- everyday 1: rows that are skipped, and the columns to blame
CREATE TABLE parts AS SELECT i AS id, sin(i) AS length, CASE WHEN i % 2 = 0 THEN cos(i) END AS width, CASE WHEN i % 5 > 0 THEN i % 7 END AS mass, i % 3 AS kind FROM generate_series(1, 200) i;
SELECT q AS query, warned(tlv_gmm(q, 1), 'rows')
FROM unnest(ARRAY['SELECT length, width FROM parts', 'SELECT length, width, mass FROM parts', 'SELECT length, mass + 0.5 AS mass FROM parts WHERE id > 100', 'SELECT length FROM parts']) q;
SELECT q AS query, warned(tlv_lda(q, 1), 'rows_skipped') FROM unnest(ARRAY['SELECT kind, mass FROM parts']) q;
SELECT warned(tlv_tree('SELECT length, width, mass + 0.5 AS mass FROM parts', layout => 'wide'), 'rows') AS tree;
-- the columns of answers and of edges, of queries that are volatile (without counts, which may be others the next time), and of both parts of a union
CREATE TABLE said AS SELECT CASE WHEN i % 9 > 0 THEN i % 50 END AS item, 'w' || i % 7 AS worker, CASE WHEN i % 5 > 0 THEN (i % 50 % 2)::text END AS answer FROM generate_series(1, 350) i;
CREATE TABLE ends AS SELECT CASE WHEN a % 9 > 0 THEN a END AS src, CASE WHEN b % 7 > 0 THEN b END AS dst FROM generate_series(1, 30) a, generate_series(1, 30) b WHERE (a + b) % 2 = 0;
SELECT warned(tlv_crowd('SELECT item, worker, answer FROM said'), 'rows_skipped') AS crowd, warned(tlv_crowd('SELECT item, worker, lower(answer) AS answer FROM said WHERE item > 0'), 'rows_skipped')
  AS answers;
SELECT warned(tlv_mmsb('SELECT src, dst FROM ends', 2), 'rows_skipped') AS edges, warned(tlv_mmsb('SELECT src, dst FROM ends WHERE random() < 2', 2), 'rows_skipped') AS volatile,
  warned(tlv_mmsb('SELECT src, dst FROM ends WHERE src > 0 UNION ALL SELECT dst, src FROM ends WHERE src > 0', 2), 'rows_skipped') AS unions;
SELECT q AS query, warned(tlv_gmm(q, 1), 'rows')
FROM unnest(ARRAY['SELECT length, width + 0 * random() AS width FROM parts', 'SELECT length, width FROM parts LIMIT 150',
  'SELECT length, width FROM parts UNION ALL SELECT length, mass + 0.5 FROM parts', 'SELECT length, avg(width) AS width FROM parts GROUP BY id, length']) q;
SELECT warned(tlv_gmm('SELECT length, width FROM parts', 1, more_queries => ARRAY['SELECT length, mass + 0.5 FROM parts']), 'rows') AS two_queries;
-- a null inside of an array skips its row: the dimension, and a row that has it, of rows that are read again, stored, or read once; of several queries, types and dimensions
CREATE VIEW arrays AS SELECT id, ARRAY[kind, CASE WHEN mass > 2 THEN mass END, id % 4]::float8[] AS x, ARRAY[id % 5, kind]::float8[] AS y FROM parts WHERE id > 20;
SELECT q AS query, warned(tlv_gmm(q, 1), 'rows')
FROM unnest(ARRAY['SELECT x FROM arrays', 'SELECT x AS "the x" FROM arrays WHERE random() < 2', 'SELECT x::numeric[] FROM arrays UNION ALL SELECT y::numeric[] || y[1]::numeric FROM arrays',
  'SELECT ARRAY[y || y, x || 1::float8] AS m FROM arrays', 'SELECT CASE WHEN id % 50 > 0 THEN x END AS x FROM arrays', 'SELECT y FROM arrays']) q;
SELECT warned(tlv_multiview('SELECT y, x AS "the x", y AS z FROM arrays', 1, refine => r), 'rows') FROM unnest(ARRAY['none', 'em']) r;
SELECT warned(tlv_multiview('SELECT y, x AS "the x", y AS z FROM arrays WHERE random() < 2', 1), 'rows') AS volatile, warned(tlv_ica('SELECT x FROM arrays', 1), 'rows') AS ica,
  warned(tlv_tree('SELECT x FROM arrays'), 'rows') AS tree, warned(tlv_gmm('SELECT x, 2 AS w FROM arrays', 1, weights => 'w'), 'rows') AS weights;
-- constant columns by name
SELECT warned(tlv_gmm('SELECT length, mass, 7 AS same FROM parts', 1, 'diagonal'), 'floor') AS diagonal,
  warned(tlv_gmm('SELECT length, 2 * length AS twice, cos(id) AS other FROM parts', 1, 'full'), 'floor') AS dependent;
SELECT warned(tlv_tree('SELECT length, cos(id) AS width, 7.5 AS same FROM parts', layout => 'wide'), 'dependent') AS tree,
  warned(tlv_tree('SELECT ARRAY[length, cos(id), 7.5] FROM parts'), 'dependent') AS arrays;

-- C1: floors come from the data. Rounded numbers, counts and categories have as many components as they would have unrounded, at any seed
CREATE FUNCTION normal(i int) RETURNS float8 LANGUAGE sql AS $$
SELECT sqrt(-2 * ln((abs(hashint4(i)::bigint) % 99991 + 0.5) / 99991)) * cos(2 * pi() * (abs(hashint4(i + 777777)::bigint) % 99971) / 99971.0) $$;
CREATE TABLE clouds AS SELECT i AS id, normal(i) + i % 3 * 5 AS x, normal(i + 1000000) + i % 3 * 5 AS y FROM generate_series(1, 300) i;
SELECT unit, (SELECT string_agg(DISTINCT (SELECT count(*) FROM tlv_components(m))::text, ' ') FROM generate_series(1, 4) s,
  LATERAL (SELECT tlv_gmm(format('SELECT round((x / %1$s)::numeric) * %1$s AS x,
  round((y / %1$s)::numeric) * %1$s AS y FROM clouds', unit), seed => s) AS m OFFSET 0) q) AS k
FROM unnest('{0.0001,0.1,1,2}'::numeric[]) unit;
SELECT string_agg(DISTINCT (SELECT count(*) FROM tlv_components(m))::text, ' ') AS k FROM generate_series(1, 4) s,
  LATERAL (SELECT tlv_gmm('SELECT round(x::numeric)::float8 AS x, (id % 3 = 0)::int AS b FROM clouds', seed => s) AS m OFFSET 0) q;
-- measurements in tenths (iris; R. A. Fisher 1936): equal petals made components of their own, at some seeds
CREATE TABLE iris AS SELECT string_to_array(r, ',')::float8[] AS v
FROM regexp_split_to_table('51,35,14,2 49,30,14,2 47,32,13,2 46,31,15,2 50,36,14,2 54,39,17,4 46,34,14,3 50,34,15,2 44,29,14,2 49,31,15,1 54,37,15,2 48,34,16,2 48,30,14,1
43,30,11,1 58,40,12,2 57,44,15,4 54,39,13,4 51,35,14,3 57,38,17,3 51,38,15,3 54,34,17,2 51,37,15,4 46,36,10,2 51,33,17,5 48,34,19,2 50,30,16,2 50,34,16,4 52,35,15,2 52,34,14,2
47,32,16,2 48,31,16,2 54,34,15,4 52,41,15,1 55,42,14,2 49,31,15,2 50,32,12,2 55,35,13,2 49,36,14,1 44,30,13,2 51,34,15,2 50,35,13,3 45,23,13,3 44,32,13,2 50,35,16,6 51,38,19,4
48,30,14,3 51,38,16,2 46,32,14,2 53,37,15,2 50,33,14,2 70,32,47,14 64,32,45,15 69,31,49,15 55,23,40,13 65,28,46,15 57,28,45,13 63,33,47,16 49,24,33,10 66,29,46,13 52,27,39,14
50,20,35,10 59,30,42,15 60,22,40,10 61,29,47,14 56,29,36,13 67,31,44,14 56,30,45,15 58,27,41,10 62,22,45,15 56,25,39,11 59,32,48,18 61,28,40,13 63,25,49,15 61,28,47,12 64,29,43,13
66,30,44,14 68,28,48,14 67,30,50,17 60,29,45,15 57,26,35,10 55,24,38,11 55,24,37,10 58,27,39,12 60,27,51,16 54,30,45,15 60,34,45,16 67,31,47,15 63,23,44,13 56,30,41,13 55,25,40,13
55,26,44,12 61,30,46,14 58,26,40,12 50,23,33,10 56,27,42,13 57,30,42,12 57,29,42,13 62,29,43,13 51,25,30,11 57,28,41,13 63,33,60,25 58,27,51,19 71,30,59,21 63,29,56,18 65,30,58,22
76,30,66,21 49,25,45,17 73,29,63,18 67,25,58,18 72,36,61,25 65,32,51,20 64,27,53,19 68,30,55,21 57,25,50,20 58,28,51,24 64,32,53,23 65,30,55,18 77,38,67,22 77,26,69,23 60,22,50,15
69,32,57,23 56,28,49,20 77,28,67,20 63,27,49,18 67,33,57,21 72,32,60,18 62,28,48,18 61,30,49,18 64,28,56,21 72,30,58,16 74,28,61,19 79,38,64,20 64,28,56,22 63,28,51,15 61,26,56,14
77,30,61,23 63,34,56,24 64,31,55,18 60,30,48,18 69,31,54,21 67,31,56,24 69,31,51,23 58,27,51,19 68,32,59,23 67,33,57,25 67,30,52,23 63,25,50,19 65,30,52,20 62,34,54,23 59,30,51,18', '\s') r;
SELECT (SELECT count(*) FROM tlv_components(m)) AS k, count(*) AS seeds FROM generate_series(1, 10) s,
  LATERAL (SELECT tlv_gmm('SELECT v[1] / 10 AS sepal_length, v[2] / 10 AS sepal_width, v[3] / 10 AS petal_length, v[4] / 10 AS petal_width FROM iris', seed => s) AS m OFFSET 0) q GROUP BY 1;
-- the warning says what a column holds: one value in many rows, a category, a count, rounded numbers; constant and dependent columns as before
SELECT warned(tlv_gmm(q, k, 'diagonal'), 'floor') FROM (VALUES ('SELECT CASE WHEN id % 2 = 0 THEN x END AS x, y FROM clouds', 2),
  ('SELECT CASE WHEN id % 2 = 0 THEN x ELSE 0 END AS x, y FROM clouds', 2),
  ('SELECT x, (id % 4 = 0)::int AS b FROM clouds', 2), ('SELECT round(x / 20) AS a, round(y / 20) AS b, x FROM clouds', 3),
  ('SELECT round(x::numeric / 50, 1) AS a, y FROM clouds', 3)) v(q, k);
SELECT warned(tlv_gmm('SELECT round(x) AS x, 2 * round(x) AS twice FROM clouds', 2, 'full'), 'floor');
-- dimensions of arrays are named by their column, and by number where it has no name
SELECT warned(tlv_gmm('SELECT ARRAY[x, y, 7] AS "Länge, mm" FROM clouds', 1, 'diagonal'), 'floor') AS named,
  warned(tlv_gmm('SELECT ARRAY[x, 7] AS "?column?" FROM clouds', 1, 'diagonal'), 'floor') AS no_name;

-- everyday 2: a model made in a subquery is made once, and fast
CREATE TABLE made AS SELECT tlv_gmm('SELECT length, kind FROM parts', 2) AS m;
SELECT count(DISTINCT tlv_assign(named, ARRAY[i, 1])) <= 2 AS labelled FROM (SELECT tlv_label(m, 1, 'one') AS named FROM made) q, generate_series(1, 10000) i;
SELECT count(DISTINCT tlv_assign(named, ARRAY[i, 1])) <= 2 AS json FROM (SELECT tlv_from_json(tlv_to_json(m)) AS named FROM made) q, generate_series(1, 10000) i;
SELECT count(DISTINCT tlv_assign(named, ARRAY[i, 1])) <= 2 AS aligned FROM (SELECT tlv_align(m, m) AS named FROM made) q, generate_series(1, 10000) i;
WITH c AS (SELECT tlv_compact(m, 0) AS named FROM made) SELECT count(DISTINCT tlv_assign(named, ARRAY[i, 1])) <= 2 AS compact FROM c, generate_series(1, 10000) i;

-- everyday 5: a quiet night
SELECT tlv_update(m, (SELECT tlv_statistics(ARRAY[length, kind], m) FROM parts WHERE false)) = m AS no_rows, tlv_update(m, (SELECT
  tlv_statistics(CASE WHEN id < 0 THEN ARRAY[length, kind] END, m) FROM parts)) = m AS nulls FROM made;
SELECT tlv_update(m, (SELECT tlv_statistics(tlv_to_bag(to_tsvector('simple', repeat(' ', id))), m) FROM parts)) = m AS empty_documents FROM (SELECT tlv_simulate_lda_model(9, 2) AS m) l;
SELECT tlv_update(m, (SELECT tlv_statistics((ARRAY[id])[2:]::bigint[], m) FROM parts)) = m AS empty_sequences FROM (SELECT tlv_simulate_hmm_model(9, 2) AS m) h;

-- everyday 8: the hint is the call that was meant
CREATE TABLE cars AS SELECT i AS id, (ARRAY['usa', 'japan', 'europe'])[1 + i % 3] AS origin, 4 + 2 * (i % 3) AS cylinders, 80 + i % 50 + 0.5 AS power FROM generate_series(1, 200) i;
ALTER TABLE cars ADD PRIMARY KEY (id);
CREATE FUNCTION followed(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text; next text;
BEGIN
  EXECUTE 'SELECT (' || call || ')::text';
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  next := substring(hint FROM '((?:tlv_\w+|to_tsvector)\(''(?:[^'']|'''')*''[^)]*\))');
  IF next ~ '^to_tsvector' THEN next := regexp_replace(call, '''buffer(?:[^'']|'''')*''', next); END IF;
  BEGIN
    EXECUTE CASE WHEN next ~ '^tlv_suggest' THEN 'SELECT count(*)::text FROM ' || next ELSE 'SELECT (' || next || ')::text' END;
    RETURN SQLSTATE || ', then ' || next;
  END;
END $$;
SELECT followed(c) FROM unnest(ARRAY[$$tlv_lca('SELECT id, origin, cylinders FROM cars', 2)$$, $$tlv_lca('SELECT origin, cylinders, power FROM cars', 2)$$,
  $$tlv_gom('SELECT id, origin, cylinders, power FROM cars', 2)$$, $$tlv_gmm('SELECT id, power FROM cars', 1)$$,
  $$tlv_lca('SELECT origin, cylinders FROM cars', 2, layout => 'long')$$,
    $$tlv_tree('SELECT origin, cylinders, power FROM cars', layout => 'wide')$$, $$tlv_tree('SELECT id, origin, cylinders, power FROM cars')$$,
  $$tlv_tree('SELECT id, origin, cylinders FROM cars')$$, $$(SELECT count(*) FROM tlv_suggest_k('SELECT power, cylinders FROM cars'))$$,
  $$(SELECT count(*) FROM tlv_suggest_k('SELECT ARRAY[power] FROM cars'))$$,
  $$(SELECT count(*) FROM tlv_suggest_k('SELECT id, power, cylinders, power * 2 FROM cars'))$$, $$tlv_lda('SELECT origin FROM cars', 1)$$, $$tlv_lda('SELECT ARRAY[power] FROM cars', 1)$$,
  $$(SELECT tlv_assign(tlv_simulate_lda_model(9, 2), 'buffer overflow'))$$, $$(SELECT tlv_infer(tlv_simulate_lda_model(9, 2), 'buffer''s end'))$$, $$tlv_to_bag('buffer overflow')$$]) c;
SELECT pg_temp.outcome($$SELECT tlv_tree('SELECT cylinders, power, power FROM cars')$$) AS by_name;
-- a long table whose rows come from a join with a table that has a key is long
SELECT tlv_kind(tlv_lca('SELECT c.id, v, (c.id + v) % 2 FROM cars c, generate_series(1, 3) v', 2)) AS joined;

-- B1: short sequences and documents
CREATE TABLE seqs AS SELECT i AS seq, t, CASE WHEN i > 20 THEN 'rare' || t ELSE chr(97 + (i + t / 3) % 3) END AS symbol FROM generate_series(1, 40) i, generate_series(1, 30) t
  WHERE i <= 20 OR t <= 2;
SELECT w AS which, warned(m, 'rows_skipped'), (SELECT string_agg(DISTINCT symbol_name, ' ' ORDER BY symbol_name) FROM tlv_emissions(m)) AS symbols
FROM unnest(ARRAY['true', 'seq <= 20', 'seq > 10', 'seq = 1 OR t = 1']) w, LATERAL (SELECT tlv_hmm('SELECT seq, t, symbol FROM seqs WHERE ' || w, 2) AS m) q;
SELECT warned(tlv_hmm('SELECT seq, t, t + seq / 7.0 FROM seqs', 2), 'rows_skipped') AS numbers;
SELECT warned(m, 'rows_skipped'), (SELECT string_agg(DISTINCT symbol_name, ' ' ORDER BY symbol_name) FROM tlv_emissions(m)) AS symbols
FROM (SELECT tlv_fit_hmm(tlv_sequence_moments(s), 2) AS m FROM (SELECT array_agg(symbol ORDER BY t) AS s FROM seqs GROUP BY seq) q) f;

-- D1: a gold answer in another spelling
CREATE TABLE answers AS SELECT i AS item, 'w' || w AS worker, CASE WHEN (i * 31 + w * 17) % 10 = 0 THEN 1 - i % 2 ELSE i % 2 END::text AS answer
  FROM generate_series(1, 100) i, generate_series(1, 3) w;
SELECT gold, (SELECT count(*) FROM tlv_consensus(m) WHERE answer_name NOT IN ('0', '1') AND item <> 2) AS others, warned(m, 'unmatched')
  FROM unnest(ARRAY['(2, ''0 '')', '(2, ''0'')', '(2, ''none''), (3, ''1'')', '(777, ''1'')']) gold,
  LATERAL (SELECT tlv_crowd('TABLE answers', gold => 'VALUES ' || gold) AS m) q;

-- nulls of gold and of labels are not those of the answers and edges; a query of theirs without rows is no omission
SELECT gold, warned(m, 'unmatched|skipped')
  FROM unnest(ARRAY['SELECT NULL::bigint, ''1'' UNION ALL VALUES (1, ''1''), (2, NULL)', 'SELECT 1, ''1'' WHERE false', 'SELECT 1, NULL::text']) gold,
  LATERAL (SELECT tlv_crowd('SELECT item, worker, CASE WHEN item > 2 OR worker <> ''w1'' THEN answer END FROM answers', gold => gold) AS m) q;
SELECT labels, warned(m, 'unmatched|skipped')
  FROM unnest(ARRAY['SELECT NULL::text, 1 UNION ALL SELECT ''w1'', 1', 'SELECT ''w1'', 1 WHERE false', 'SELECT ''w1'', NULL::int']) labels,
  LATERAL (SELECT tlv_mmsb('SELECT worker, nullif(''i'' || item % 9, ''i8'') FROM answers', 1, labels => labels) AS m) q;

-- E1, E2: updates
CREATE TABLE long AS SELECT i, v, (i % 2)::text AS a FROM generate_series(1, 400) i, unnest(ARRAY['v1', 'v2', 'v3']) v;
SELECT f AS family, tlv_impute(tlv_update(m, (SELECT tlv_statistics(ARRAY[a, a, NULL]::text[], m) FROM (SELECT (i % 2)::text AS a FROM generate_series(1, 400) i) w)), ARRAY['1', '1', NULL]) AS third
FROM (VALUES ('lca', tlv_lca('TABLE long', 2)), ('gom', tlv_gom('TABLE long', 2, alpha0 => 0.1))) v(f, m);
SELECT n, warned(tlv_update(m, (SELECT tlv_statistics(ARRAY[length, kind], m) FROM parts WHERE id <= n), w), 'few_rows') FROM made, (VALUES (1, 1.0), (2, 1.0), (1, 0.01), (200, 1.0)) v(n, w);

-- H1: missing entries of tensors
CREATE TABLE cells AS SELECT i, j, l, (1 + i) * (2 + j) * (1 + l)::float8 AS v, hashint4(i * 10000 + j * 100 + l) AS h
  FROM generate_series(1, 10) i, generate_series(1, 10) j, generate_series(1, 10) l;
SELECT d AS one_of, round(tlv_tensor_at(tlv_fit_cp((SELECT tlv_tensor_agg(i, j, l, CASE WHEN h % d <> 1 THEN v END) FROM cells), 1), 3, 4, 5)::numeric, 3) AS at
  FROM unnest(ARRAY[2, 3, 5, 1000000007]) d;

-- K1: what nobody knows
SELECT tlv_assign(m, tlv_to_bag(b)) AS assigned, (SELECT count(*) FROM tlv_top(m, tlv_to_bag(b))) AS top FROM (SELECT
  tlv_simulate_lda_model(9, 2) AS m) q, unnest(ARRAY['{1:2}', '{77:2}', '{}', '{1:1,77:5}']) b;
-- K2, K3
SELECT tlv_kind(tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', k => 2, alpha0 => .1, refine => 'em')) AS hinted;
SELECT n AS items, count(*) FILTER (WHERE c::text = 'NaN') AS nan, count(*) > 0 AS rows FROM unnest(ARRAY[3, 5, 9, 12]) n, LATERAL (SELECT tlv_simulate_lda_model(n, 2) AS m) l,
  LATERAL (SELECT c.* FROM tlv_coherence((SELECT tlv_coherence(bag, l.m) FROM tlv_simulate_lda(l.m, 50, 20))) c) q, LATERAL (SELECT q.umass AS c) u GROUP BY n ORDER BY n;
SELECT pg_temp.outcome($$SELECT tlv_coherence('{1:2}'::tlv_bag, tlv_simulate_lda_model(1, 1))$$) AS one_item;

-- I1: one cloud of wide rows whose lengths vary, which bring a warning; the neighbours are rows of equal length, fewer dimensions, and two clouds
CREATE FUNCTION normal(a bigint, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT sqrt(-2 * ln(abs(hashint8extended(a, b)) / 9.2234e18)) * cos(2 * pi() * abs(hashint8extended(a, b + 1)) / 9.2234e18) $$;
SELECT dimensions, spread, apart, (SELECT count(*) > 1 FROM tlv_components(m)) AS groups, warned(m, 'heavy|structure') ~ 'heavy_tails' AS heavy
FROM (VALUES (128, .3, 0), (128, 0, 0), (60, .3, 0), (128, 0, 9)) v(dimensions, spread, apart),
    LATERAL tlv_gmm(format('SELECT array_agg(exp(%s * review_rows.normal(i, 1)) * review_rows.normal(i * 1000 + j, 3) + %s * (i %% 2) * (j %% 7 = 0)::int ORDER BY j)
        FROM generate_series(1, 400) i, generate_series(1, %s) j GROUP BY i', spread, apart, dimensions)) m;

-- rows that hold nothing to learn from are counted, whatever it is that they lack, and so are columns
CREATE TABLE survey AS SELECT CASE WHEN i % 7 > 0 THEN (ARRAY['red', 'green', 'blue'])[1 + i % 3] END AS colour, CASE WHEN i % 5 > 0 THEN (ARRAY['S', 'L'])[1 + i / 3 % 2] END AS size,
    (i % 4)::text AS veg, (i % 11) / 3.0::float8 AS happy FROM generate_series(1, 300) i;
CREATE VIEW gaps AS SELECT * FROM survey UNION ALL SELECT NULL, NULL, NULL, NULL FROM generate_series(1, 30);
SELECT warned(tlv_lca('SELECT colour, size, veg FROM gaps', 1, layout => 'wide'), 'skipped|dependent') AS lca,
    warned(tlv_gom('SELECT colour, size, veg FROM gaps', 1, layout => 'wide'), 'skipped|dependent') AS gom,
    warned(tlv_tree('SELECT colour, size, veg FROM gaps', 2, layout => 'wide'), 'skipped|dependent') AS tree, warned(tlv_lca('SELECT * FROM gaps', 1), 'skipped|dependent') AS numbers;
SELECT warned(tlv_lca('SELECT colour, size, veg, NULL::text AS nothing, ''x'' AS same, 2.5 AS number FROM survey', 1), 'skipped|dependent') AS columns,
    warned(tlv_lca('SELECT *, 2.0 AS w FROM gaps', 1, weights => 'w'), 'skipped') AS weighted;
SELECT warned(tlv_gom('SELECT nullif(i, 3), v, CASE WHEN i % 10 > 0 THEN (i * v % 3)::text END FROM generate_series(1, 200) i, generate_series(1, 4) v', 1), 'skipped') AS long_rows,
    warned(tlv_lca('SELECT CASE WHEN i > 5 THEN ARRAY[i % 2, i % 3] ELSE ARRAY[NULL, NULL::int] END FROM generate_series(1, 100) i', 1), 'skipped') AS arrays,
    pg_temp.outcome('SELECT tlv_lca(''SELECT NULL::text AS a, NULL::text AS b FROM survey'', 1)') AS none;
CREATE TABLE sales AS SELECT 's' || i AS shop, 'p' || j AS product, l AS week, CASE WHEN i <> j THEN i + j * l END AS amount
    FROM generate_series(1, 4) i, generate_series(1, 4) j, generate_series(1, 3) l
    UNION ALL VALUES (NULL, 'p1', 1, 3), ('s2', NULL, 1, 4), ('s3', 'p3', NULL, 5);
SELECT warned(tlv_fit_cp(t, 2), 'skipped') AS cp, warned(tlv_fit_tucker(t, '{2,2,2}'), 'skipped') AS tucker, warned(tlv_fit_tensor_train(t, '{2,2}'), 'skipped') AS train
FROM (SELECT tlv_tensor_agg(shop, product, week, amount) AS t FROM sales) q;
CREATE TABLE texts AS SELECT id, string_agg((ARRAY['cat', 'dog', 'sun', 'moon', 'tax', 'vote'])[1 + id % 2 * 3 + (id * 7 + j * 5) % 3], ' ') AS body
    FROM generate_series(1, 60) id, generate_series(1, 12) j GROUP BY 1;
SELECT q AS query, warned(tlv_lda(q, 1), 'skipped') FROM unnest(ARRAY[$$SELECT to_tsvector('simple', body) FROM texts UNION ALL SELECT ''::tsvector FROM generate_series(1, 3)$$,
    $$SELECT to_tsvector('simple', nullif(body, '')) AS words FROM (SELECT body FROM texts UNION ALL VALUES (''), (' ')) q$$,
    $$SELECT string_to_array(body, ' ') FROM texts UNION ALL SELECT '{}' FROM generate_series(1, 2)$$,
    $$SELECT id, string_to_array(body, ' ') || CASE WHEN id > 4 THEN 'x' END AS words FROM texts$$]) q;
SELECT q AS query, warned(tlv_network(q, 1), 'rows_skipped') FROM unnest(ARRAY[$$SELECT string_to_array(body, ' ') || CASE WHEN id > 4 THEN 'x' END AS words FROM texts$$,
    $$SELECT ARRAY[id % 3, 3 + id % 2, CASE WHEN id > 4 THEN 7 END] AS units FROM texts$$, $$SELECT string_to_array(body, ' ') FROM texts UNION ALL SELECT '{}' FROM generate_series(1, 3)$$]) q;
SELECT warned(tlv_mmsb('SELECT i AS a, i * 7 % 20 AS b FROM generate_series(1, 60) i UNION ALL SELECT i, i FROM generate_series(100, 120) i', 2), 'skipped') AS loops,
    warned(tlv_ica('SELECT sin(i * 1.7) AS a, cos(i * 2.3 * i) AS b, 3.0 AS c, sin(i * 1.7) + cos(i * 2.3 * i) AS d FROM generate_series(1, 500) i'), 'dependent')
    ~ 'column "c" is constant, and column "d" is a linear combination of columns "a" and "b"' AS ica;
-- series too short to show a template count in the mean and the noise; columns that are null throughout are named
SELECT warned(tlv_convolution('SELECT g, t, sin(t * g) * .3 + CASE t * 7919 % 37 WHEN 0 THEN 3 WHEN 1 THEN 2 ELSE 0 END FROM generate_series(1, 3) g, generate_series(1, 800) t
    UNION ALL SELECT g, 1, 9 FROM generate_series(10, 309) g', 1, length => 8), 'few_rows');
SELECT pg_temp.outcome($$SELECT tlv_tree('SELECT sin(i) AS a, cos(i) AS b, sin(2 * i) AS c, NULL::float8 AS d FROM generate_series(1, 50) i')$$) AS tree,
    pg_temp.outcome($$SELECT tlv_lca('SELECT NULL::text AS make, sin(i) AS price, cos(i) AS mass FROM generate_series(1, 50) i', 2)$$) AS classes,
    pg_temp.outcome($$SELECT tlv_fit_cp(tlv_tensor_agg(i, i % 3, i % 2, NULL), 1) FROM generate_series(1, 9) i$$) AS tensor;
-- a row without names skips what the fit has skipped
SELECT tlv_assign(m, ROW(a, note, b)) = tlv_assign(m, ROW(a, b)) AS skipped, pg_temp.outcome($$SELECT tlv_assign(tlv_simulate_gmm_model(2, 2, 3), ROW(1, 2, 3))$$) AS more
FROM (SELECT tlv_gmm('SELECT sin(i) + i % 2 * 9 AS a, ''x'' AS note, cos(i) AS b FROM generate_series(1, 100) i', 2) AS m) q, (VALUES (9.0, 'x', 0.5)) v(a, note, b);
-- more values of a variable than it has copies went to the next variable; given emissions are of the symbols in the order of their texts
SELECT pg_temp.outcome(format('SELECT tlv_%s($q$SELECT g, v, c FROM generate_series(1, 20) g, (VALUES (''p'', ''a''), (''p'', ''b''), (''p'', ''c''), (''q'', ''z'')) i(v, c)$q$, 1,
    copies => 2)', family)) FROM unnest('{lca,gom}'::text[]) family;
SELECT string_agg(symbol_name || ' ' || round(probability::numeric, 1), ', ' ORDER BY symbol_name) AS given FROM tlv_emissions(tlv_hmm(
    'SELECT s, t, chr(97 + (s * 7 + t * t) % 4) FROM generate_series(1, 30) s, generate_series(1, 12) t', 1, emissions => '{{.1,.2,.3,.4}}'));
-- variables without any value, of long rows with numbers and of sequences; variables that a model does not know, and values in the array of the others
CREATE TABLE asked AS SELECT i AS id, v, CASE WHEN v ~ 'q' THEN chr(97 + (i * length(v) + ascii(right(v, 1))) % 3) END AS c, CASE v WHEN 'mass' THEN sin(i) END AS x
    FROM generate_series(1, 60) i, unnest('{q1,qq2,q3,age,mass}'::text[]) v;
CREATE TABLE of_both AS SELECT tlv_lca('SELECT id, v, c, x FROM asked', 2, layout => 'long') AS m;
SELECT warned(m, 'columns_skipped') FROM of_both;
SELECT pg_temp.outcome($$SELECT tlv_hmm('SELECT s, t, sin(s * t) AS x, NULL::float8 AS y FROM generate_series(1, 9) s, generate_series(1, 9) t', 2)$$) AS steps;
SET client_min_messages = warning;
SELECT tlv_log_likelihood(m, ROW('{Q1,mass}'::text[], '{a,NULL}'::text[], '{NULL,1}'::float8[])) < 0 AS known FROM of_both;
SET client_min_messages = error;
SELECT pg_temp.outcome(format('SELECT tlv_infer(m, ROW(%L::text[], %L::text[], %L::float8[])) FROM of_both', '{mass,q1}', c, x))
FROM (VALUES ('{50,a}', '{NULL,NULL}'), ('{NULL,NULL}', '{50,1}')) v(c, x);

-- everyday 12: parameters without a type
PREPARE bag AS SELECT tlv_to_bag($1);
EXECUTE bag('{cat,dog,cat}');
EXECUTE bag('{1,2,2}');
EXECUTE bag('{1:2}');
PREPARE assign AS SELECT tlv_assign(m, $1) IS NOT NULL FROM made;
EXECUTE assign('{1,2}');
EXECUTE assign('[1,2]');
RESET client_min_messages;
-- a second walk: ids by number and by name in one value, graphs of other nodes, skipped rows of a test, and messages with the name and the call that helps
SET client_min_messages = error;
CREATE TABLE ring AS SELECT a, a % 20 + d AS b FROM generate_series(1, 20) a, generate_series(1, 3) d;
CREATE TABLE walk AS SELECT i AS id, sin(i * 1.3) AS temp, cos(i * i * 2.1) + i % 2 * 9 AS press, CASE WHEN i = 7 THEN 'NaN'::float8 ELSE 1 END AS w, 'k' || i % 2 AS kind, 'l' || i % 3 AS other,
    date '2026-01-01' + i AS at, ARRAY['a b' || i % 3, 'c d e' || i % 5] AS words, CASE WHEN i = 5 THEN 'Infinity'::float8 ELSE cos(i) END AS age FROM generate_series(1, 200) i;
CREATE TABLE keyed AS SELECT id FROM walk WHERE id <= 60;
ALTER TABLE keyed ADD PRIMARY KEY (id);
CREATE TABLE fits AS SELECT tlv_gmm('SELECT temp, press FROM walk', 2, 'full') AS gmm, tlv_ica('SELECT temp, press FROM walk', 2) AS ica,
    tlv_mmsb('SELECT ''n'' || a, ''n'' || b FROM ring', 2) AS ring;
RESET client_min_messages;
\a \t
SELECT q AS query, pg_temp.outcome('SELECT ' || q || ' IS NOT NULL FROM fits') FROM unnest(ARRAY[
    $$(SELECT tlv_graph_agg(a::text, b::text) + tlv_graph_agg(a, b) FROM ring)$$, $$(SELECT tlv_graph_agg(a, b) + tlv_graph_agg(a::text, b::text) FROM ring)$$,
    $$(SELECT tlv_bigraph_agg(a::text, b::text) + tlv_bigraph_agg(a, b) FROM ring)$$, $$(SELECT tlv_graph_agg(a::text, b::text) + tlv_graph_agg(b::text, a::text) FROM ring)$$,
    $$(tlv_sequence_moments(ARRAY[1, 2, 3]) + tlv_sequence_moments(ARRAY['1', '2', '3']))$$, $$(tlv_sequence_moments(ARRAY['1', '2', '3']) + tlv_sequence_moments(ARRAY[1, 2, 3]))$$,
    $$(SELECT count(*) FROM tlv_drift(ring, (SELECT tlv_graph_agg(a, b) FROM ring), ARRAY[(SELECT tlv_graph_agg('n' || a, 'n' || b) FROM ring)]))$$,
    $$(SELECT count(*) FROM tlv_drift(ring, (SELECT tlv_graph_agg('n' || a, 'n' || b + a / 20 * 90) FROM ring), ARRAY[(SELECT tlv_graph_agg('n' || a, 'n' || b) FROM ring)]))$$,
    $$(SELECT count(*) FROM tlv_drift(gmm, (SELECT tlv_statistics(CASE WHEN id % 3 = 0 THEN ARRAY[temp, press] END, gmm) FROM walk)))$$,
    $$tlv_infer(gmm, ARRAY['NaN'::float8, 1])$$, $$tlv_log_likelihood(gmm, ROW(1, 'NaN'::float8))$$, $$tlv_impute(gmm, ARRAY[1, 'NaN'::float8])$$,
    $$(SELECT tlv_statistics(ARRAY[1, 'NaN'::float8], gmm))$$, $$tlv_unmix(ica, ARRAY[1, NULL]::float8[])$$, $$tlv_unmix(ica, ARRAY[1, 'NaN']::float8[])$$,
    $$tlv_gmm('SELECT temp * 1e-200 AS tiny, press FROM walk', 2)$$, $$tlv_lca('SELECT kind, other, press, age FROM walk', 2)$$,
    $$tlv_gmm('SELECT temp, press, w FROM walk', 2, weights => 'w')$$, $$tlv_gmm('SELECT temp, press, coalesce(nullif(w, ''NaN''), 0) AS w FROM walk', 2, weights => 'w')$$,
    $$tlv_gmm('SELECT temp, press, at FROM walk', 2)$$, $$tlv_lda('SELECT id, to_jsonb(words) AS words FROM walk', 2)$$,
    $$tlv_lca('SELECT k.id, v, CASE WHEN v < ''3'' THEN ''c'' || k.id % 2 END AS c, CASE WHEN v > ''2'' THEN sin(k.id) END AS n FROM keyed k, unnest(ARRAY[''1'', ''2'', ''3'']) v', 2)$$,
    $$tlv_from_json(jsonb_set(tlv_to_json(gmm)::jsonb, '{covariances,0}', '[[1, 2], [2, 1]]')::json)$$,
    $$tlv_from_json(jsonb_set(tlv_to_json(gmm)::jsonb, '{covariances,0}', '[[1, 0.2], [0.2, 1]]')::json)$$,
    $$(SELECT tlv_infer(gmm, q) FROM (SELECT 1.0 AS temp, 2.0 AS press, 3.0 AS temp) q)$$]) q;
\a \t
-- everyday 16: caught as the page says
DO $$ BEGIN PERFORM tlv_gmm('SELECT length FROM parts WHERE false', 1); EXCEPTION WHEN SQLSTATE '02000' THEN RAISE NOTICE 'caught: %', SQLERRM; END $$;
DO $$ BEGIN PERFORM tlv_lda('SELECT kind, mass FROM parts WHERE false', 1); EXCEPTION WHEN SQLSTATE '02000' THEN RAISE NOTICE 'caught: %', SQLERRM; END $$;
DO $$ BEGIN PERFORM tlv_hmm('SELECT seq, t, symbol FROM seqs WHERE false', 1); EXCEPTION WHEN SQLSTATE '02000' THEN RAISE NOTICE 'caught: %', SQLERRM; END $$;
DO $$ BEGIN PERFORM tlv_mmsb('SELECT id, kind FROM parts WHERE false'); EXCEPTION WHEN SQLSTATE '02000' THEN RAISE NOTICE 'caught: %', SQLERRM; END $$;
SET client_min_messages = warning;
DROP SCHEMA review_rows CASCADE;
RESET client_min_messages;
-- A3: the seed does not decide how many communities a weak graph has, nor does it of three others.
CREATE TABLE weak AS SELECT n, src a, dst b FROM (VALUES (1, 400, .09, .015, 77), (2, 400, .08, .012, 5), (3, 300, .1, .015, 9), (4, 500, .08, .01, 21)) v(n, nodes, p, q, seed),
    tlv_simulate_mmsb(tlv_simulate_mmsb_model(nodes, 6, 0, p, q, seed => seed), seed + 1);
SELECT n, string_agg(DISTINCT k::text, ' ' ORDER BY k::text) AS k
FROM (SELECT n, seed, (SELECT count(*) FROM tlv_components(tlv_mmsb('SELECT a, b FROM weak WHERE n = ' || n, seed => seed))) AS k FROM generate_series(1, 4) n, generate_series(1, 8) seed) q
GROUP BY n ORDER BY n;
DROP TABLE weak;
