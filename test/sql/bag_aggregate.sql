-- The aggregates tlv_bag_agg(item [, weight]) over bigint and text, and tlv_rollup(tlv_bag).
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TEMP TABLE rows (id int, doc int, item bigint, term text, n float8);
INSERT INTO rows VALUES
  (1, 1, NULL, NULL, NULL), (2, 1, 5, 'five', 1), (3, 1, 5, 'five', 2), (4, 1, -7, 'minus', 0.5), (5, 1, NULL, NULL, 3),
  (6, 2, 9223372036854775807, 'end', 1), (7, 2, -9223372036854775808, 'start', 4), (8, 2, 0, 'zero', NULL),
  (9, 3, NULL, NULL, 1), (10, 3, NULL, NULL, NULL);

SELECT doc, tlv_bag_agg(item), tlv_bag_agg(item, n) FROM rows GROUP BY doc ORDER BY doc;
SELECT doc, tlv_bag_agg(item ORDER BY id DESC), tlv_bag_agg(item, n ORDER BY id DESC) FROM rows GROUP BY doc ORDER BY doc;
SELECT doc, tlv_bag_agg(term) = tlv_bag_agg(tlv_term_id(term)) AS term, tlv_bag_agg(term, n) = tlv_bag_agg(tlv_term_id(term), n) AS weighted
FROM rows GROUP BY doc ORDER BY doc;
SELECT tlv_bag_agg(item) AS no_rows FROM rows WHERE false;
SELECT tlv_bag_agg(item) AS only_nulls, tlv_bag_agg(term, n) FROM rows WHERE doc = 3;
SELECT tlv_bag_agg(item) FILTER (WHERE id > 2) AS filtered, tlv_bag_agg(DISTINCT item) AS distinct_items,
       tlv_bag_agg(DISTINCT item, n) AS distinct_pairs FROM rows WHERE doc = 1;
SELECT tlv_bag_agg(1::bigint), tlv_bag_agg(i::smallint), tlv_bag_agg(i::int, 2::real), tlv_bag_agg(i::int, 2::numeric) FROM generate_series(1, 3) i;
-- the name is the type's, too: varchar must reach the aggregate, not become a cast
SELECT tlv_bag_agg('x'::text) = tlv_bag_agg('x'::varchar) AS same, tlv_bag_agg('x'::varchar, 2) = tlv_bag_agg('x', 2) AS weighted FROM generate_series(1, 3) i;

-- NULL rows first, last and between, in parallel parts too (below)
SELECT tlv_bag_agg(item) FROM (VALUES (NULL::bigint), (1), (NULL), (1), (NULL)) v(item);

-- windows: a growing frame reads the state of every row and must not disturb it
SELECT id, tlv_bag_agg(item) OVER (ORDER BY id) AS growing,
       tlv_bag_agg(item) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS sliding
FROM rows WHERE doc < 3 ORDER BY id;

-- GROUPING SETS share the input
SELECT doc, grouping(doc) AS g, tlv_bag_agg(item) FROM rows GROUP BY GROUPING SETS ((doc), ()) ORDER BY g, doc;
SELECT doc, id % 2 AS odd, tlv_bag_agg(item) FROM rows WHERE doc < 3 GROUP BY CUBE (doc, id % 2) ORDER BY doc, odd;

-- weights that are no counts
SELECT w, pg_temp.outcome(format('SELECT tlv_bag_agg(i, %L::float8) FROM generate_series(1::bigint, 3) i', w))
FROM unnest('{0,-1,NaN,Infinity,-Infinity}'::text[]) AS w;
SELECT pg_temp.outcome('SELECT tlv_bag_agg(1::bigint, 1e308) FROM generate_series(1, 2)') AS sum_too_large;

-- rollup
SELECT tlv_rollup(bag) FROM (VALUES ('{1:1}'::tlv_bag), (NULL), ('{1:2,5:1}'), ('{}')) v(bag);
SELECT tlv_rollup(bag) FROM (VALUES (NULL::tlv_bag)) v(bag);
SELECT tlv_rollup(bag) FROM (VALUES ('{}'::tlv_bag), ('{}')) v(bag);
SELECT tlv_rollup(bag) OVER (ORDER BY i) FROM (VALUES (1, '{1:1}'::tlv_bag), (2, '{2:2}'), (3, '{1:5}')) v(i, bag);
SELECT pg_temp.outcome($$SELECT tlv_rollup(b) FROM (VALUES ('{1:1e308}'::tlv_bag), ('{1:1e308}')) v(b)$$);

-- a roll-up over values stored out of line leaves the originals unchanged
CREATE TEMP TABLE wide AS
  SELECT g, tlv_to_bag(array_agg(i * 100003), array_agg(i + 0.5)) AS bag
  FROM generate_series(1, 3) g, generate_series(1::bigint, 5000) i GROUP BY g;
SELECT bool_and(pg_column_size(bag) > 50000) AS out_of_line FROM wide;
CREATE TEMP TABLE before AS SELECT g, md5(bag::text) AS h FROM wide;
SELECT tlv_bag_size(tlv_rollup(bag)), tlv_bag_total(tlv_rollup(bag)) = 3 * sum(tlv_bag_total(bag)) / count(*) AS total_ok FROM wide;
SELECT tlv_rollup(bag) = (SELECT sum_of.b FROM (SELECT tlv_bag_agg(item, weight) AS b FROM wide, tlv_bag_items(bag)) sum_of) AS as_items FROM wide;
SELECT bool_and(md5(bag::text) = h) AS originals_unchanged FROM wide JOIN before USING (g);

-- parallel: partial states of workers are combined
CREATE TABLE bag_rows AS
  SELECT i % 1000 AS doc, nullif(i * 7919 % 50, 0)::bigint AS item, (i % 3 + 1)::float8 AS n FROM generate_series(1, 100000) i;
ANALYZE bag_rows;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.nodes('SELECT tlv_bag_agg(item, n) FROM bag_rows');
CREATE TEMP TABLE in_parallel AS SELECT tlv_bag_agg(item, n) AS b, tlv_bag_agg(item::text) AS t FROM bag_rows;
CREATE TEMP TABLE in_parallel_groups AS SELECT doc, tlv_bag_agg(item, n) AS b FROM bag_rows GROUP BY doc;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE in_one AS SELECT tlv_bag_agg(item, n) AS b, tlv_bag_agg(item::text) AS t FROM bag_rows;
CREATE TEMP TABLE in_one_groups AS SELECT doc, tlv_bag_agg(item, n) AS b FROM bag_rows GROUP BY doc;
SELECT p.b = o.b AS same, p.t = o.t AS same_terms, tlv_bag_size(p.b), tlv_bag_total(p.b) FROM in_parallel p, in_one o;
SELECT count(*), bool_and(p.b = o.b) AS same FROM in_parallel_groups p JOIN in_one_groups o USING (doc);
SELECT (SELECT sum(tlv_bag_total(b)) FROM in_one_groups) = (SELECT sum(n) FROM bag_rows WHERE item IS NOT NULL) AS sums_agree;

-- hash with spill, and sort
SET work_mem = '64kB';
SET enable_sort = off;
SELECT pg_temp.nodes('SELECT doc, tlv_bag_agg(item, n) FROM bag_rows GROUP BY doc');
CREATE TEMP TABLE spilled AS SELECT doc, tlv_bag_agg(item, n) AS b FROM bag_rows GROUP BY doc;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.nodes('SELECT doc, tlv_bag_agg(item, n) FROM bag_rows GROUP BY doc');
CREATE TEMP TABLE sorted AS SELECT doc, tlv_bag_agg(item, n) AS b FROM bag_rows GROUP BY doc;
RESET enable_hashagg;
RESET work_mem;
SELECT count(*), bool_and(a.b = o.b) AS spilled, bool_and(s.b = o.b) AS sorted
FROM spilled a JOIN sorted s USING (doc) JOIN in_one_groups o USING (doc);

-- partition-wise
CREATE TABLE bag_parts (LIKE bag_rows) PARTITION BY HASH (doc);
CREATE TABLE bag_parts_0 PARTITION OF bag_parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE bag_parts_1 PARTITION OF bag_parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO bag_parts SELECT * FROM bag_rows;
ANALYZE bag_parts;
SET enable_partitionwise_aggregate = on;
SELECT pg_temp.nodes('SELECT tlv_bag_agg(item, n) FROM bag_parts');
SELECT (SELECT tlv_bag_agg(item, n) FROM bag_parts) = b AS same FROM in_one;
RESET enable_partitionwise_aggregate;

-- 100 000 groups in one hash table: the states share one memory context (quadratic otherwise)
SET enable_sort = off;
SET work_mem = '1GB';
SELECT set_config('statement_timeout', 30 * coalesce(current_setting('test.patience', true), '1')::int || 's', false) AS patience \gset
SELECT pg_temp.nodes('SELECT i % 100000, tlv_bag_agg(i::bigint) FROM generate_series(1, 400000) i GROUP BY 1');
SELECT count(*), sum(tlv_bag_size(b)) FROM (SELECT i % 100000 AS g, tlv_bag_agg(i::bigint) AS b FROM generate_series(1, 400000) i GROUP BY 1) q;
RESET statement_timeout;
RESET work_mem;
RESET enable_sort;

-- the support functions are no ordinary functions
SELECT pg_temp.outcome('SELECT tlv_bag_accum(NULL, 1::bigint)');
SELECT pg_temp.outcome($$SELECT tlv_bag_accum('{1:1}', 1::bigint, 1.0)$$);
SELECT pg_temp.outcome($$SELECT tlv_bag_accum('{1:1}', 'x'::text)$$);
SELECT pg_temp.outcome($$SELECT tlv_bag_accum(NULL, NULL::text, 1.0)$$);
SELECT pg_temp.outcome($$SELECT tlv_bag_combine('{1:1}', '{1:1}')$$);
-- nor of a moving aggregate: its inverse function might take over the live state and free it
CREATE FUNCTION bag_without(state tlv_bag, item bigint) RETURNS tlv_bag LANGUAGE plpgsql AS $$ BEGIN RETURN state; END $$;
CREATE AGGREGATE bag_moving(bigint) (SFUNC = tlv_bag_accum, STYPE = tlv_bag, MSFUNC = tlv_bag_accum, MINVFUNC = bag_without, MSTYPE = tlv_bag);
SELECT bag_moving(i) OVER (ORDER BY i ROWS 1 PRECEDING) FROM generate_series(1, 9) i;
DROP AGGREGATE bag_moving(bigint);
DROP FUNCTION bag_without;
DROP TABLE bag_rows, bag_parts;

-- a weight of 0 is no entry, but there is a bag: in groups, in windows that move, in parts that are combined
SELECT tlv_bag_agg(item, w) AS bag, tlv_bag_agg(item, 0) AS empty, tlv_bag_agg(item::text, 0 * w) AS of_terms, tlv_bag_agg(item, w) FILTER (WHERE item IS NULL) AS none
FROM (VALUES (1, 2), (2, 0), (NULL, 0)) v(item, w);
SELECT bool_and(moved IS NOT DISTINCT FROM anew) AS same, count(*) FILTER (WHERE moved IS NULL) AS nulls, count(*) FILTER (WHERE moved = '{}') AS empty
FROM (SELECT i, tlv_bag_agg(i, w) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moved,
    (SELECT tlv_bag_agg(b.i, b.w) FROM (SELECT j, CASE WHEN j % 11 < 4 THEN NULL WHEN j % 7 < 4 THEN 0 ELSE j % 3 END FROM generate_series(1, 300) j) b(i, w) WHERE b.i BETWEEN a.i - 2 AND a.i) AS anew
  FROM (SELECT j, CASE WHEN j % 11 < 4 THEN NULL WHEN j % 7 < 4 THEN 0 ELSE j % 3 END FROM generate_series(1, 300) j) a(i, w)) q;
