-- Points: what is around them, over windows; the permutation test.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE TABLE pattern AS SELECT i AS id, i % 2 AS part, ((hashint4(i) & 65535) / 65536.0)::float8 AS x, ((hashint4(-i) & 65535) / 65536.0)::float8 AS y, (i % 3)::bigint AS mark
FROM generate_series(1, 400) i;
-- against all pairs, of all points and of two patterns apart, in whatever order
CREATE VIEW around AS SELECT p.*, tlv_point_features(x, y, mark, 0.1) OVER () AS whole, tlv_point_features(x, y, mark, 0.1) OVER (PARTITION BY part ORDER BY x) AS apart FROM pattern p;
SELECT count(*) AS rows, sum(tlv_bag_total(whole)) AS neighbours, sum(tlv_bag_total(apart)) AS of_their_part,
       bool_and(whole = (SELECT coalesce(tlv_bag_agg(q.mark), '{}') FROM pattern q WHERE q.id <> a.id AND (q.x - a.x) ^ 2 + (q.y - a.y) ^ 2 <= 0.1 ^ 2)) AS all_pairs,
       bool_and(apart = (SELECT coalesce(tlv_bag_agg(q.mark), '{}') FROM pattern q WHERE q.id <> a.id AND q.part = a.part AND (q.x - a.x) ^ 2 + (q.y - a.y) ^ 2 <= 0.1 ^ 2)) AS of_parts FROM around a;
SELECT x, y, mark, tlv_point_features(x, y, mark, 1) OVER () AS features
FROM (VALUES (0, 0, 7), (0, 0, 7), (1, 0, 8), (0, 1, NULL), (2, 0, 9), (NULL, 0, 9), (0, NULL, 9), (50, 50, 9)) v(x, y, mark);
SELECT tlv_point_features(x, 0, mark, 2) OVER () = tlv_point_features(x, 0, tlv_term_id(mark), 2) OVER () AS term_ids FROM (VALUES (1, 'oak'), (2, 'maple'), (4, 'oak')) v(x, mark);
SELECT count(*) AS rows FROM (SELECT tlv_point_features(x, y, mark, 0.1) OVER () FROM pattern WHERE false) f;
-- arguments that are made for every row, more of them than are held at a time
SELECT count(f) AS bags, sum(tlv_bag_total(f)) AS neighbours, count(DISTINCT f) AS kinds
FROM (SELECT tlv_point_features((i % 100)::numeric, (i / 100)::text::float8, repeat('mark ' || i % 2, 100), 1) OVER () AS f FROM generate_series(0, 9999) i) q;
SELECT count(*) AS rows, count(f) AS bags FROM (SELECT tlv_point_features(NULL, y, mark, 0.1) OVER () AS f FROM pattern) f;
-- windows whose rows go to disk, and frames, which it does not look at
SET work_mem = '64kB';
SELECT bool_and(whole = few) AS frames FROM (SELECT a.*, tlv_point_features(x, y, mark, 0.1) OVER (ORDER BY id DESC ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS few FROM around a) f;
RESET work_mem;
-- again and again: a subquery that is run anew, a cursor that goes back, an error that is caught
SELECT r, n FROM (VALUES (0.02), (0.1), (0.02)) v(r), 
  LATERAL (SELECT sum(tlv_bag_total(f)) AS n FROM (SELECT tlv_point_features(x, y, mark, r) OVER (PARTITION BY part) AS f FROM pattern OFFSET 0) q) s;
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT id, tlv_point_features(x, y, mark, 0.05) OVER (ORDER BY id) AS f FROM pattern;
FETCH ABSOLUTE 3 FROM back;
FETCH PRIOR FROM back;
SAVEPOINT before;
SELECT tlv_point_features(x, y, mark, CASE id WHEN 300 THEN 0.2 ELSE 0.1 END) OVER (ORDER BY id) FROM pattern;
ROLLBACK TO before;
FETCH NEXT FROM back;
ROLLBACK;
-- bad input
SELECT q, pg_temp.outcome('SELECT count(f) FROM (SELECT tlv_point_features(' || q || ') OVER () AS f FROM pattern) f') FROM unnest(ARRAY[
  'x, y, mark, 0', 'x, y, mark, -1', $$x, y, mark, 'NaN'$$, $$x, y, mark, 'Infinity'$$, 'x, y, mark, NULL', 'x, y, mark, id', 'x, y, mark, 1e-14',
  $$CASE id WHEN 9 THEN 'NaN' ELSE x END, y, mark, 0.1$$, $$x, CASE id WHEN 9 THEN '-Infinity' ELSE y END, mark, 0.1$$, '1e200 * x, y, mark, 0.1', 'x, y, mark']) q;
SELECT pg_temp.outcome('SELECT tlv_point_features(1, 2, 3, 4)') AS no_window;
SET tensorlv.work_mem = '64kB';
SELECT pg_temp.outcome('SELECT count(f) FROM (SELECT tlv_point_features(x, y, mark, 0.1) OVER () AS f FROM pattern, generate_series(1, 5)) f') AS memory;
RESET tensorlv.work_mem;

DROP VIEW around;
DROP TABLE pattern;
