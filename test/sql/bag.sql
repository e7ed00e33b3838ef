-- The type tlv_bag: text and binary form, arithmetic, equality, functions.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all

-- text form
SELECT '{}'::tlv_bag, '{3:2,17:1}'::tlv_bag, '{17,3:2}'::tlv_bag, E' { 3 : 2 ,\n17 : 1.5 } '::tlv_bag;
SELECT '{1:1,1:2,1:0.5,0:4}'::tlv_bag AS duplicates_are_added;
SELECT '{-9223372036854775808:1,9223372036854775807:3,0:2}'::tlv_bag AS bigint_ends;
SELECT '{-9223372036854775808:1,-9223372036854775807:2}'::tlv_bag AS close_at_the_end;
SELECT '{1:0.1,2:1e-300,3:1e300,4:123456789012345678,5:0.30000000000000004}'::tlv_bag AS digits;
SELECT '{+3:+2}'::tlv_bag, '{3:0x10}'::tlv_bag;

-- text that is no bag
SELECT t AS text, pg_temp.outcome(format('SELECT %L::tlv_bag', t)) AS outcome
FROM unnest(ARRAY['', '3:2', '{', '{3', '{3:', '{3:2', '{3:2,}', '{,3:2}', '{3:2 4:1}', '{3:2}}', '{3:2} x',
                  '{a:1}', '{1.5:1}', '{3:a}', '{3::1}', '{3:0}', '{3:-1}', '{3:-0.5}', '{3:nan}', '{3:inf}',
                  '{3:-inf}', '{3:1e400}', '{3:1e308,3:1e308}', '{9223372036854775808:1}',
                  '{-9223372036854775809:1}', '{3:1;4:1}', '[3:1]', 'null']) AS t;

-- the narrowest form: the size tells it
SELECT bag, (tlv_info(bag)->>'bytes')::int AS bytes
FROM unnest(ARRAY['{}', '{5:1}', '{5:1,6:1}', '{5:1,65540:1}', '{5:1,65541:1}', '{5:1,4294967300:1}',
                  '{5:1,4294967301:1}', '{5:2}', '{5:255}', '{5:256}', '{5:65535}', '{5:65536}',
                  '{5:4294967295}', '{5:4294967296}', '{5:0.5}', '{5:1.5,6:2}']::tlv_bag[]) AS bag;

-- equal however written; a weight does not depend on the width it is kept in
SELECT '{1:2,2:3}'::tlv_bag = '{2:3,1:1,1:1}', '{1:2}'::tlv_bag = '{1:3}', '{1:2}'::tlv_bag <> '{2:2}',
       '{1:1}'::tlv_bag <> '{1}', '{}'::tlv_bag = tlv_to_bag('{}'::bigint[]), '{1:0.5,1:0.5}'::tlv_bag = '{1}';
SELECT '{1:1}'::tlv_bag = null AS equal_null, null::tlv_bag + '{1:1}' AS plus_null;

-- tlv_to_bag
SELECT tlv_to_bag(ARRAY[5,3,5]::bigint[]), tlv_to_bag(ARRAY[5,3,5]::bigint[], ARRAY[1,2,0.5]),
       tlv_to_bag(items => '{7}', weights => '{2}'), tlv_to_bag(terms => '{7}', weights => '{2}') = tlv_to_bag(ARRAY['7', '7']), tlv_to_bag('{}'::bigint[]), tlv_to_bag('{}'::bigint[], '{}'),
       tlv_to_bag(null::bigint[], '{1}'), tlv_to_bag('{1,2}'::bigint[], null);
SELECT tlv_to_bag(ARRAY[-9223372036854775808, 9223372036854775807, -9223372036854775808]::bigint[]);
SELECT pg_temp.outcome($$SELECT tlv_to_bag('{1,2}'::bigint[], '{1}')$$);
SELECT pg_temp.outcome($$SELECT tlv_to_bag(ARRAY[1,null]::bigint[])$$);
SELECT pg_temp.outcome($$SELECT tlv_to_bag('{1,2}'::bigint[], '{1,null}')$$);
SELECT w, pg_temp.outcome(format('SELECT tlv_to_bag(''{1,4}''::bigint[], ARRAY[1,%L]::float8[])', w))
FROM unnest('{0,-0.0,-1,NaN,Infinity,-Infinity}'::text[]) AS w;

-- the same of terms
SELECT tlv_to_bag(ARRAY['b', 'a', 'b'], ARRAY[1, 2, 0.5]) = tlv_to_bag(ARRAY[tlv_term_id('a'), tlv_term_id('b')], ARRAY[2, 1.5]) AS weighted,
       tlv_to_bag(ARRAY['b', 'a', 'b']) = (SELECT tlv_bag_agg(t) FROM unnest(ARRAY['b', 'a', 'b']) t) AS counted, tlv_to_bag('{}'::text[]), tlv_to_bag(null::text[], '{1}'),
       tlv_to_bag(ARRAY['', 'naïve']::varchar[]) = tlv_to_bag(ARRAY[tlv_term_id(''), tlv_term_id('naïve')]) AS varchars;
SELECT what, pg_temp.outcome('SELECT tlv_to_bag(' || what || ')') FROM unnest(ARRAY['ARRAY[''a'', ''b''], ''{1}''', 'ARRAY[''a'', null]', 'ARRAY[''a''], ARRAY[null]::float8[]']) what;
-- a weight that is none names the term, as much of it as is fit to print
SELECT pg_temp.outcome($$SELECT tlv_to_bag(ARRAY['dog', 'cat'], ARRAY[1, -2])$$), pg_temp.outcome($$SELECT tlv_bag_agg(t, -2) FROM unnest(ARRAY['dog', 'cat']) t$$),
       length(pg_temp.outcome($$SELECT tlv_bag_agg(repeat('naïve', 1000), 'NaN')$$)) < 300 AS clipped;

-- terms: the ids are part of the stored format and never change
SELECT term, tlv_term_id(term) FROM unnest(ARRAY['', 'a', 'topic', 'Topic', 'naïve', '日本語', repeat('long', 1000)]) AS term
WHERE length(term) < 100
UNION ALL SELECT 'long...', tlv_term_id(repeat('long', 1000));
SELECT tlv_term_id(null);
SELECT count(DISTINCT tlv_term_id(i::text)), bool_and(tlv_term_id(i::text) >= 0) FROM generate_series(1, 100000) i;

-- full-text search as tokenizer
SELECT tlv_to_bag(to_tsvector('simple', 'to be or not to be')) =
       tlv_to_bag(ARRAY[tlv_term_id('to'), tlv_term_id('be'), tlv_term_id('or'), tlv_term_id('not')], ARRAY[2,2,1,1]) AS positions_count,
       tlv_bag_total(tlv_to_bag(strip(to_tsvector('simple', 'to be or not to be')))) AS stripped,
       tlv_to_bag(''::tsvector) AS empty, tlv_to_bag(null::tsvector) AS null;

-- reading
SELECT * FROM tlv_bag_items('{3:2,-17:1.5,9000000000:7}');
SELECT * FROM tlv_bag_items('{}');
SELECT * FROM tlv_bag_items(null);
SELECT tlv_bag_size('{3:2,-17:1.5}'), tlv_bag_total('{3:2,-17:1.5}'), tlv_bag_size('{}'), tlv_bag_total('{}');
SELECT tlv_info('{3:2,-17:1.5}'::tlv_bag), tlv_info('{}'::tlv_bag);
-- a sum beyond all numbers is an error, not infinity
SELECT pg_temp.outcome($$SELECT tlv_bag_total('{1:1e308,2:1e308}')$$), pg_temp.outcome($$SELECT tlv_info('{1:1e308,2:1e308}'::tlv_bag)$$);

-- tlv_bag_damp, +
SELECT tlv_bag_damp('{1:1,2:2,3:50,4:0.5}', 2), tlv_bag_damp('{1:5,2:2}', 1.5), tlv_bag_damp('{}', 1), tlv_bag_damp(null, 1), tlv_bag_damp('{1:2}', null);
SELECT c, pg_temp.outcome(format('SELECT tlv_bag_damp(''{1:2}'', %L)', c)) FROM unnest('{0,-1,NaN,Infinity}'::text[]) AS c;
SELECT '{1:1,3:2}'::tlv_bag + '{3:5,-2:1}', '{}'::tlv_bag + '{}', '{1:1}'::tlv_bag + '{}',
       '{9223372036854775807:1}'::tlv_bag + '{-9223372036854775808:1}';
SELECT pg_temp.outcome($$SELECT '{7:1e308}'::tlv_bag + '{7:1e308}'$$);

-- tlv_fold: by content, the same on every plan and server
SELECT tlv_fold('{1:2}'), tlv_fold('{1:2}', 2), tlv_fold('{1:2}', 1), tlv_fold('{1:2}', 1000), tlv_fold('{1:2}', 1000, 2), tlv_fold('{}', 1000);
SELECT tlv_fold('{1:2,5:1}', 1000) = tlv_fold('{5:1,1:1,1:1}', 1000) AS content_decides;
SELECT fold, count(*) BETWEEN 900 AND 1100 AS about_a_fifth
FROM (SELECT tlv_fold(tlv_to_bag(ARRAY[i, i * i]::bigint[]), folds => 5) AS fold FROM generate_series(2, 5001) i) f GROUP BY 1 ORDER BY 1;
SELECT pg_temp.outcome($$SELECT tlv_fold('{1:2}', 0)$$);

-- hashing: DISTINCT, GROUP BY, joins, EXCEPT
CREATE TEMP TABLE bags AS
  SELECT i, tlv_to_bag(ARRAY[i % 100, 7]::bigint[]) AS bag FROM generate_series(1, 1000) i;
SELECT count(DISTINCT bag), count(*) FROM bags;
SELECT count(*) FROM (SELECT DISTINCT bag FROM bags) d;
SET enable_sort = off;
SELECT pg_temp.nodes('SELECT bag, count(*) FROM bags GROUP BY bag');
SELECT count(*), min(n), max(n) FROM (SELECT bag, count(*) AS n FROM bags GROUP BY bag) g;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT pg_temp.nodes('SELECT a.i FROM bags a JOIN bags b USING (bag)');
SELECT count(*) FROM bags a JOIN bags b USING (bag);
RESET enable_sort;
RESET enable_nestloop;
RESET enable_mergejoin;
SELECT count(*) FROM (SELECT bag FROM bags EXCEPT SELECT bag FROM bags WHERE i % 100 < 90) e;
SELECT count(*) FROM (SELECT bag FROM bags UNION SELECT '{1:5}') u;
SELECT tlv_bag_hash('{1:2}') = tlv_bag_hash('{1:1,1:1}') AS same, tlv_bag_hash('{1:2}') = tlv_bag_hash('{1:3}') AS other,
       tlv_bag_hash_extended('{1:2}', 0) = tlv_bag_hash_extended('{1:2}', 1) AS seed,
       tlv_bag_hash('{1:2}') = tlv_bag_hash_extended('{1:2}', 0)::bit(32)::int AS low_half;
-- an order by bytes: total, for sorting, DISTINCT and merge joins
SELECT count(*) AS groups, bool_and(ids = (SELECT array_agg(i ORDER BY i) FROM bags b WHERE b.bag = q.bag)) AS right_ones
FROM (SELECT bag, array_agg(i ORDER BY i) AS ids FROM bags GROUP BY bag) q;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT pg_temp.nodes('SELECT a.i FROM bags a JOIN bags b USING (bag)');
SELECT count(*) FROM bags a JOIN bags b USING (bag);
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT count(*) FILTER (WHERE NOT ((a.bag < b.bag)::int + (a.bag = b.bag)::int + (a.bag > b.bag)::int = 1 AND (a.bag <= b.bag) = NOT (a.bag > b.bag)
  AND (a.bag >= b.bag) = NOT (a.bag < b.bag) AND sign(tlv_bag_cmp(a.bag, b.bag)) = (a.bag > b.bag)::int - (a.bag < b.bag)::int)) AS inconsistent
FROM (SELECT DISTINCT bag FROM bags) a, (SELECT DISTINCT bag FROM bags) b;
-- a hash index finds them
CREATE TEMP TABLE indexed AS SELECT * FROM bags;
CREATE INDEX ON indexed USING hash (bag);
SET enable_seqscan = off;
SELECT count(*) FROM indexed WHERE bag = '{7:1,42:1}';
RESET enable_seqscan;
-- and hash partitioning uses the 64-bit hash
CREATE TEMP TABLE parted (bag tlv_bag) PARTITION BY HASH (bag);
CREATE TEMP TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT bag FROM bags;
SELECT count(*) > 300 AS a_good_part FROM parted_0;
SELECT count(*) FROM parted;

-- storage: short, inline, out of line, all read back the same
CREATE TEMP TABLE stored (id int, bag tlv_bag);
INSERT INTO stored SELECT n, tlv_to_bag(array_agg(i * 1000003), array_agg(i + 0.25))
FROM unnest('{1,5,100,500,20000}'::int[]) n, generate_series(1::bigint, n) i GROUP BY n;
SELECT id, tlv_bag_size(bag), tlv_bag_total(bag) = id * (id + 1) / 2 + id * 0.25 AS total_ok,
       (SELECT sum(item) FROM tlv_bag_items(bag)) = id::numeric * (id + 1) / 2 * 1000003 AS items_ok,
       bag::text::tlv_bag = bag AS text_ok
FROM stored ORDER BY id;
SET extra_float_digits = 0;
SELECT bool_and(bag::text::tlv_bag = bag) AS text_is_exact
FROM (SELECT tlv_to_bag(ARRAY[i], ARRAY[sqrt(i) / 3]) AS bag FROM generate_series(1::bigint, 1000) i) b;
RESET extra_float_digits;

-- binary form: through COPY and back
CREATE TEMP TABLE copied (LIKE stored);
\copy (SELECT id, bag FROM stored UNION ALL SELECT -1, '{}' UNION ALL SELECT -2, NULL) TO 'bag.copy.tmp' (FORMAT binary)
\copy copied FROM 'bag.copy.tmp' (FORMAT binary)
\! rm -f bag.copy.tmp
SELECT count(*), count(c.bag), bool_and(c.bag = s.bag) FROM copied c LEFT JOIN stored s USING (id);
SELECT encode(tlv_bag_send('{}'), 'hex'), encode(tlv_bag_send('{5:1,7:300}'), 'hex');

-- casts from and to arrays of bags work as for any type
SELECT ARRAY['{1:1}', '{2:5}']::tlv_bag[], '{"{1:1,2:3}"}'::tlv_bag[];

-- a literal is checked when it is read, as a default, too
SELECT pg_temp.outcome($$CREATE TEMP TABLE bad (bag tlv_bag DEFAULT '{1:0}')$$);

-- some of the items; how alike two bags are
SELECT tlv_bag_keep('{1:2,5:1,9:4}', ARRAY[9, 5, 9, 100]) AS kept, tlv_bag_keep('{1:2}', '{}'::bigint[]) AS none,
       tlv_bag_keep('{}', ARRAY[1]) AS empty, tlv_bag_keep('{1:2}', NULL::bigint[]) IS NULL AS is_null,
       tlv_bag_keep(tlv_to_bag('the cat sat'::tsvector), ARRAY['cat', 'sat', 'dog']) = tlv_to_bag('cat sat'::tsvector) AS terms,
       tlv_bag_keep('{-9223372036854775808:1,9223372036854775807:2}', ARRAY[9223372036854775807]) AS extreme;
SELECT tlv_bag_keep(tlv_to_bag(array_agg(i)), (SELECT array_agg(j) FROM generate_series(1, 100000, 7) j)) =
       tlv_to_bag(array_agg(i) FILTER (WHERE i % 7 = 1)) AS many FROM generate_series(1, 50000) i;
SELECT tlv_bag_keep('{1:2,12:3,99:4}', tlv_find_subspace(tlv_count_summary(tlv_to_bag(ARRAY[1, 2, 3, 4, 12])), 1)) AS subspace,
       tlv_bag_keep('{1:2,12:3,99:4}', tlv_topic_model(ARRAY[1, 1], ARRAY[1, 99], ARRAY[.5, .5], ARRAY[1])) AS model;
SELECT b, tlv_bag_keep('{1:1,2:1,3:1}', tlv_topic_model(ARRAY[1], ARRAY[b], ARRAY[1], ARRAY[1])) AS kept FROM generate_series(1, 3) b;
SELECT tlv_bag_keep('{1:2}', ARRAY[1, NULL]);
SELECT tlv_bag_keep('{1:2}', tlv_simulate_gmm_model(2, 2));
SELECT tlv_bag_keep('{1:2}', tlv_find_subspace(tlv_dense_moments(ARRAY[i, i % 2], 2), 1)) FROM generate_series(1, 5) i;
SELECT tlv_bag_similarity('{1:3,2:4}', '{1:6,2:8}') AS same, tlv_bag_similarity('{1:3,2:4}', '{2:1}') AS part, tlv_bag_similarity('{1:1}', '{2:1}') AS nothing,
       tlv_bag_similarity('{1:1}', '{}') AS empty, tlv_bag_similarity('{}', '{}') AS both_empty, tlv_bag_similarity('{1:1e308}', '{1:1e-308}') AS extreme;
