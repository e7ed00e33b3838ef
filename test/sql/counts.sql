-- Every aggregate over documents gives the same value on every path: direct, rolled up, added,
-- parallel, many documents in one row, windows, hashed with spill, sorted, partition-wise.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
-- Lengths with L - 1 a power of two: sums of c / (L - 1) are exact, whatever their order.
CREATE TABLE moment_docs AS
  SELECT (row_number() OVER ())::int AS doc, (row_number() OVER () % 7)::int AS day, d.bag
  FROM unnest(ARRAY[5, 9, 17, 33, 65]) AS length, tlv_simulate_lda(tlv_simulate_lda_model(30, 3, seed => 2), 300, length, seed => length) d;
INSERT INTO moment_docs VALUES (-1, 0, NULL), (-2, 3, NULL), (9001, 6, NULL), (-3, 1, '{}'), (-4, 2, '{1:2}'), (9002, 2, '{1:1,2:1}');
INSERT INTO moment_docs SELECT 10000 + i, 8, NULL FROM generate_series(1, 5) i;    -- a day of nothing else
ANALYZE moment_docs;
CREATE TABLE moment_parts (LIKE moment_docs) PARTITION BY LIST (day);
CREATE TABLE moment_parts_a PARTITION OF moment_parts FOR VALUES IN (0, 1, 2, 8);
CREATE TABLE moment_parts_b PARTITION OF moment_parts DEFAULT;
INSERT INTO moment_parts SELECT * FROM moment_docs;
ANALYZE moment_parts;
CREATE TABLE constants AS
  SELECT tlv_find_subspace(tlv_count_moments(bag), k => 3) AS s, NULL::tlv_subspace AS distinct_s, NULL::tlv_model AS m FROM moment_docs;
UPDATE constants SET m = tlv_fit_lda((SELECT tlv_count_moments(bag, s) FROM moment_docs)),
  distinct_s = (SELECT tlv_find_subspace(tlv_count_moments(bag), k => 4, distinct_pairs => true) FROM moment_docs);

-- What a value says, rounded where sums depend on their order.
CREATE FUNCTION topics_digest(model tlv_model) RETURNS text LANGUAGE sql PARALLEL SAFE AS $$
  SELECT string_agg(concat_ws(' ', topic, item, round(probability::numeric, 8)), ',' ORDER BY topic, item)
  FROM tlv_topic_items(model)
$$;
CREATE FUNCTION digest(m tlv_moments) RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS $$
DECLARE
  info jsonb := tlv_info(m);
  scalars text;
BEGIN
  SELECT string_agg(key || '=' || CASE WHEN key IN ('model', 'subspace') THEN value ELSE round(value::numeric, 6)::text END, ' ' ORDER BY key)
    INTO scalars FROM jsonb_each_text(info) WHERE jsonb_typeof(info->key) = 'number' AND key <> 'bytes';
  RETURN scalars || CASE info->>'kind'
    WHEN 'count_summary' THEN md5(m::text)
    WHEN 'count_pairs' THEN md5(m::text)
    WHEN 'count_products' THEN (SELECT string_agg(round(eigenvalue::numeric, 8)::text, ' ' ORDER BY rank) FROM tlv_spectrum(tlv_find_subspace(m, subspace => (SELECT c.s FROM constants c))))
    WHEN 'count_triples' THEN CASE WHEN info->>'distinct' = '0' THEN topics_digest(tlv_fit_lda(m, alpha0 => 1, subspace => (SELECT c.s FROM constants c)))
      ELSE (SELECT string_agg(round(z::numeric, 6)::text, ' ' ORDER BY rank) FROM tlv_spectrum(m)) END
    WHEN 'topic_statistics' THEN topics_digest(tlv_update((SELECT c.m FROM constants c), m))
    WHEN 'coherence' THEN (SELECT string_agg(concat_ws(' ', topic, round(npmi::numeric, 8), round(umass::numeric, 8)), ',' ORDER BY topic) FROM tlv_coherence(m))
  END;
END $$;

-- One aggregate call, %s its first argument; tells which paths give another value than the direct one.
CREATE FUNCTION paths(call text) RETURNS TABLE (path text, same boolean) LANGUAGE plpgsql AS $$
DECLARE
  bag text := format(call, 'bag');
  direct text;
  names text[] := '{grouped, added, windowed, "window prefix", sliding, filtered, "grouping sets", "many per row", "rolled-up many", parallel,
      "parallel groups", "parallel many", "hashed, spilled", sorted, partition-wise, subquery}';
  queries text[] := ARRAY[
    format('SELECT digest(tlv_rollup(p)) FROM (SELECT day, %s AS p FROM moment_docs GROUP BY day) g', bag),
    format('SELECT digest(sum) FROM (SELECT (SELECT %1$s FROM moment_docs WHERE day < 2) + (SELECT %1$s FROM moment_docs
        WHERE day BETWEEN 2 AND 4) + (SELECT %1$s FROM moment_docs WHERE day > 4) AS sum) q', bag),
    format('SELECT digest(w) FROM (SELECT doc, %s OVER (ORDER BY doc) AS w FROM moment_docs WHERE doc < 0 OR doc > 0) q ORDER BY doc DESC LIMIT 1', bag),
    format('SELECT CASE WHEN digest(w) = (SELECT digest(%1$s) FROM moment_docs WHERE doc <= 700) THEN ''direct'' END
        FROM (SELECT doc, %1$s OVER (ORDER BY doc) AS w FROM moment_docs) q WHERE doc = 700', bag),
    format('SELECT CASE WHEN digest(w) = (SELECT digest(%1$s) FROM moment_docs WHERE doc BETWEEN 601 AND 700) THEN ''direct'' END
        FROM (SELECT doc, %1$s OVER (ORDER BY doc RANGE 99 PRECEDING) AS w FROM moment_docs WHERE doc BETWEEN 500 AND 800) q WHERE doc = 700', bag),
    format('SELECT CASE WHEN digest(%1$s FILTER (WHERE day = 5)) = (SELECT digest(%1$s) FROM moment_docs WHERE day = 5) THEN ''direct'' END FROM moment_docs', bag),
    format('SELECT digest(p) FROM (SELECT day, grouping(day) AS g, %s AS p FROM moment_docs GROUP BY GROUPING SETS ((day), ())) q WHERE g = 1', bag),
    format('SELECT digest(%s) FROM (SELECT array_agg(bag) AS bags FROM moment_docs GROUP BY doc %% 13) q', format(call, 'bags')),
    format('SELECT digest(tlv_rollup(p)) FROM (SELECT day, %s AS p FROM (SELECT day, array_agg(bag) AS bags FROM moment_docs GROUP BY day, doc %% 5) q GROUP BY day) r', format(call, 'bags')),
    format('SELECT digest(%s) FROM moment_docs', bag),
    format('SELECT digest(tlv_rollup(p)) FROM (SELECT doc %% 5, %s AS p FROM moment_docs GROUP BY 1) q', bag),
    format('SELECT digest(%s) FROM (SELECT ARRAY[bag] AS bags FROM moment_docs) q', format(call, 'bags')),
    format('SELECT digest(tlv_rollup(p)) FROM (SELECT doc %% 100, %s AS p FROM moment_docs GROUP BY 1) q', bag),
    format('SELECT digest(tlv_rollup(p)) FROM (SELECT doc %% 100, %s AS p FROM moment_docs GROUP BY 1) q', bag),
    format('SELECT digest(%s) FROM moment_parts', bag),
    format('SELECT digest((SELECT %s FROM moment_docs))', bag)];
  settings text[];
  result text;
BEGIN
  EXECUTE format('SELECT digest(%s) FROM moment_docs', bag) INTO direct;
  FOR i IN 1 .. array_length(names, 1) LOOP
    settings := CASE
      WHEN names[i] LIKE 'parallel%' THEN '{max_parallel_workers_per_gather=2,parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'
      WHEN names[i] LIKE 'hashed%' THEN '{enable_sort=off,work_mem=64kB}'
      WHEN names[i] = 'sorted' THEN '{enable_hashagg=off}'
      WHEN names[i] = 'partition-wise' THEN '{enable_partitionwise_aggregate=on}'
      ELSE '{}' END;
    PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM unnest(settings) s;
    IF names[i] IN ('parallel', 'parallel many', 'partition-wise') AND pg_temp.nodes(queries[i]) NOT LIKE 'Finalize Aggregate%Partial Aggregate%' THEN
      RAISE EXCEPTION '% is not planned as such: %', names[i], pg_temp.nodes(queries[i]);
    END IF;
    EXECUTE queries[i] INTO result;
    path := names[i];
    same := result = direct OR result = 'direct';
    IF same IS NOT TRUE THEN
      RAISE NOTICE E'%:\n%\n%', path, left(direct, 300), left(result, 300);
    END IF;
    RETURN NEXT;
    PERFORM set_config(split_part(s, '=', 1), default_of.reset_val, true) FROM unnest(settings) s JOIN pg_settings default_of ON name = split_part(s, '=', 1);
  END LOOP;
END $$;

-- How many fits are made, and how many results are kept from one path to the next, depends on the version of the server.
SET tensorlv.warnings = off;
SELECT call, count(*) AS paths, string_agg(path, ', ') FILTER (WHERE same IS NOT TRUE) AS differ
FROM unnest(ARRAY['tlv_count_summary(%s)', 'tlv_count_moments(%s)',
                  'tlv_count_products(%s, (SELECT s FROM constants))', 'tlv_count_moments(%s, (SELECT s FROM constants))',
                  'tlv_count_moments(%s, (SELECT distinct_s FROM constants))',
                  'tlv_statistics(%s, (SELECT m FROM constants))', 'tlv_statistics(%s, (SELECT m FROM constants), ''gibbs'')']) call, paths(call)
GROUP BY call ORDER BY call;
RESET tensorlv.warnings;

-- the constant as a column of a joined table, stored out of line, read once per group
SELECT digest(tlv_count_moments(bag, s)) = (SELECT digest(tlv_count_moments(bag, (SELECT s FROM constants))) FROM moment_docs) AS moments,
       digest(tlv_statistics(bag, m)) = (SELECT digest(tlv_statistics(bag, (SELECT m FROM constants))) FROM moment_docs) AS statistics
FROM moment_docs, constants;

-- coherence and perplexity
SELECT digest(tlv_coherence(bag, m)) = (SELECT digest(tlv_rollup(c)) FROM (SELECT day, tlv_coherence(bag, m) AS c FROM moment_docs, constants GROUP BY day) g) AS rolled_up,
       digest(tlv_coherence(bag, m)) = digest(tlv_coherence(bag, m, 10)) AS ten,
       digest(tlv_coherence(bag, m)) <> digest(tlv_coherence(bag, m, 5)) AS five
FROM moment_docs, constants;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE one_process AS SELECT tlv_perplexity(bag, m) AS p, tlv_coherence(bag, m) AS c FROM moment_docs, constants;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.nodes('SELECT tlv_perplexity(bag, (SELECT m FROM constants)), tlv_coherence(bag, (SELECT m FROM constants)) FROM moment_docs');
SELECT abs(tlv_perplexity(bag, (SELECT m FROM constants)) / (SELECT p FROM one_process) - 1) < 1e-9 AS perplexity,
       digest(tlv_coherence(bag, (SELECT m FROM constants))) = (SELECT digest(c) FROM one_process) AS coherence
FROM moment_docs;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- two aggregates over the same arguments share one state; a final function must leave it alone
SELECT tlv_perplexity(bag, m) = tlv_perplexity(bag, m) AS shared, (SELECT count(*)
        FROM (SELECT tlv_perplexity(bag, m) OVER (ORDER BY doc) AS p FROM moment_docs, constants WHERE doc BETWEEN 1 AND 20) w WHERE p > 1) AS growing,
       abs((SELECT p FROM (SELECT doc, tlv_perplexity(bag, m) OVER (ORDER BY doc) AS p FROM moment_docs, constants) w ORDER BY doc DESC LIMIT 1) / tlv_perplexity(bag, m) - 1) < 1e-9 AS last_of_window
FROM moment_docs, constants;
SELECT digest(a) = digest(b) AS shared, digest(a) = (SELECT digest(tlv_count_summary(bag)) FROM moment_docs) AS right_value
FROM (SELECT tlv_count_summary(bag) AS a, tlv_count_summary(bag) AS b FROM moment_docs) q;

-- DISTINCT and ORDER BY within the call
SELECT digest(tlv_count_moments(DISTINCT bag)) = digest(tlv_count_moments(bag ORDER BY bag)) AS distinct_documents, tlv_info(tlv_count_summary(DISTINCT bag))->>'nulls' AS nulls
FROM (SELECT bag FROM moment_docs WHERE doc <= 200 UNION SELECT NULL) d;
SELECT tlv_info(tlv_count_summary(DISTINCT bag))->>'documents' AS documents, tlv_info(tlv_count_summary(bag))->>'documents' AS with_repeats
FROM moment_docs, generate_series(1, 3) WHERE doc BETWEEN 1201 AND 1300;

-- NULL rows are skipped and counted, short documents are skipped and counted
WITH infos AS (
  SELECT ARRAY[tlv_info(tlv_count_summary(bag)), tlv_info(tlv_count_moments(bag)), tlv_info(tlv_count_products(bag, s)),
               tlv_info(tlv_count_moments(bag, s)), tlv_info(tlv_statistics(bag, m)), tlv_info(tlv_coherence(bag, m))] AS all_of
  FROM moment_docs, constants)
SELECT i->>'kind' AS kind, i->>'documents' AS documents, i->>'skipped' AS skipped, i->>'nulls' AS nulls, i->>'tokens' AS tokens
FROM infos, unnest(all_of) i;
SELECT day, tlv_info(tlv_count_summary(bag))->>'nulls' AS nulls, tlv_info(tlv_count_summary(bag))->>'documents' AS documents
FROM moment_docs WHERE day IN (0, 8) GROUP BY day ORDER BY day;
SELECT tlv_count_summary(bag) AS summary, tlv_count_moments(bag) AS moments, tlv_count_moments(bag, s) AS triples, tlv_count_products(bag, s) AS products,
       tlv_statistics(bag, m) AS statistics, tlv_perplexity(bag, m) AS perplexity, tlv_coherence(bag, m) AS coherence
FROM moment_docs, constants WHERE false;
SELECT tlv_count_moments(bag, NULL::tlv_subspace) AS triples, tlv_count_products(bag, NULL::tlv_subspace) AS products, tlv_statistics(bag, NULL::tlv_model) AS statistics,
       tlv_statistics(bag, NULL::tlv_model, 'gibbs') AS gibbs, tlv_statistics(bag, (SELECT m FROM constants), NULL) AS no_method, tlv_perplexity(bag, NULL::tlv_model) AS perplexity,
       tlv_coherence(bag, NULL::tlv_model) AS coherence
FROM moment_docs;
SELECT tlv_rollup(NULL::tlv_moments) AS rollup, (SELECT tlv_count_summary(bag) FROM moment_docs) + NULL AS plus;
-- rows with an element NULL, an array NULL, an empty array
SELECT i->>'nulls' AS nulls, i->>'documents' AS documents
FROM (SELECT tlv_info(tlv_count_summary(bags)) AS i
      FROM (VALUES (NULL::tlv_bag[]), ('{}'), (ARRAY[NULL, '{1:3}']::tlv_bag[]), (ARRAY[ARRAY['{1:3}', NULL], ARRAY['{2:3}', '{3:3}']]::tlv_bag[])) v(bags)) q;

-- stored out of line: a roll-up starts from a TOASTed value, and leaves the originals unchanged
CREATE TABLE moment_days AS
  SELECT day, tlv_count_moments(bag) AS pairs, tlv_count_moments(bag, s) AS triples, tlv_count_products(bag, s) AS products, tlv_statistics(bag, m) AS statistics
  FROM moment_docs, constants WHERE day < 7 GROUP BY day;
SELECT bool_and(pg_column_size(pairs) > 500) AS pairs, bool_and(pg_column_size(products) > 2500) AS products FROM moment_days;
CREATE TEMP TABLE day_hashes AS
  SELECT day, md5(pairs::text) AS p, md5(triples::text) AS t, md5(products::text) AS q, md5(statistics::text) AS s FROM moment_days;
SELECT digest(tlv_rollup(pairs)) = digest(sum_pairs) AS pairs, digest(tlv_rollup(triples)) = digest(sum_triples) AS triples,
       digest(tlv_rollup(products)) = digest(sum_products) AS products, digest(tlv_rollup(statistics)) = digest(sum_statistics) AS statistics
FROM moment_days, (SELECT tlv_count_moments(bag) AS sum_pairs, tlv_count_moments(bag, s) AS sum_triples, tlv_count_products(bag, s) AS sum_products,
                          tlv_statistics(bag, m) AS sum_statistics FROM moment_docs, constants WHERE day < 7) direct
GROUP BY sum_pairs, sum_triples, sum_products, sum_statistics;
SELECT tlv_rollup(pairs ORDER BY day) = tlv_rollup(pairs ORDER BY day DESC) AS any_order FROM moment_days;
SELECT digest(a.pairs + b.pairs) = digest(b.pairs + a.pairs) AS commutes FROM moment_days a, moment_days b WHERE a.day = 1 AND b.day = 2;
-- one value alone is itself
SELECT bool_and(r = pairs) AS pairs, bool_and(rt = triples) AS triples, bool_and(rq = products) AS products, bool_and(rs = statistics) AS statistics
FROM moment_days JOIN (SELECT day, tlv_rollup(pairs) AS r, tlv_rollup(triples) AS rt, tlv_rollup(products) AS rq, tlv_rollup(statistics) AS rs FROM moment_days GROUP BY day) one USING (day);
SELECT bool_and(md5(pairs::text) = p AND md5(triples::text) = t AND md5(products::text) = q AND md5(statistics::text) = s) AS originals_unchanged
FROM moment_days JOIN day_hashes USING (day);
-- incremental: an UPDATE adds the day's documents
UPDATE moment_days SET pairs = pairs + (SELECT tlv_count_moments(bag) FROM moment_docs WHERE day = 8) WHERE day = 0;
SELECT digest(tlv_rollup(pairs)) = (SELECT digest(tlv_count_moments(bag)) FROM moment_docs) AS complete FROM moment_days;

-- text round trip (extra_float_digits = 0), binary COPY round trip, equality and hash after both
CREATE TEMP TABLE all_values (kind text, m tlv_moments);
INSERT INTO all_values
  SELECT tlv_info(v)->>'kind', v
  FROM (SELECT ARRAY[tlv_count_summary(bag), tlv_count_moments(bag), tlv_count_products(bag, s), tlv_count_moments(bag, s),
                     tlv_statistics(bag, m), tlv_coherence(bag, m)] AS vs FROM moment_docs, constants) q, unnest(vs) v;
\copy all_values TO 'moments.copy.tmp' (FORMAT binary)
CREATE TEMP TABLE copied (LIKE all_values);
\copy copied FROM 'moments.copy.tmp' (FORMAT binary)
\! rm -f moments.copy.tmp
SELECT kind, a.m = c.m AS binary_copy, a.m = a.m::text::tlv_moments AS text, a.m <> c.m AS differs,
       tlv_moments_hash(a.m) = tlv_moments_hash(c.m) AS hash, split_part(a.m::text, ' ', 1) || ':' AS prefix,
       tlv_moments_hash(a.m) = tlv_moments_hash_extended(a.m, 0)::bit(32)::int AS low_half
FROM all_values a JOIN copied c USING (kind) ORDER BY kind;
SELECT count(*) FROM all_values a JOIN copied c ON a.m = c.m;
SELECT count(*) FROM (SELECT m FROM all_values UNION SELECT m FROM copied) u;
SELECT count(*) FROM (SELECT DISTINCT m FROM (SELECT m FROM all_values UNION ALL SELECT m FROM copied) u) d;
CREATE TEMP TABLE constants_copy AS SELECT * FROM constants WHERE false;
\copy constants TO 'constants.copy.tmp' (FORMAT binary)
\copy constants_copy FROM 'constants.copy.tmp' (FORMAT binary)
\! rm -f constants.copy.tmp
SELECT c.s = d.s AS subspace, c.m = d.m AS model, c.s = c.s::text::tlv_subspace AS subspace_text, c.m = c.m::text::tlv_model AS model_text,
       tlv_subspace_hash(c.s) = tlv_subspace_hash(d.s) AS subspace_hash, tlv_model_hash(c.m) = tlv_model_hash(d.m) AS model_hash,
       c.s <> c.distinct_s AS others_differ, split_part(c.s::text, ' ', 1) || ':' AS left, split_part(c.m::text, ' ', 1) || ':' AS left
FROM constants c, constants_copy d;

-- different subspaces, models, kinds do not mix
CREATE TEMP VIEW other AS SELECT tlv_count_products(bag, distinct_s) AS products, tlv_count_moments(bag, distinct_s) AS triples,
  tlv_statistics(bag, (SELECT tlv_update(m, tlv_statistics(bag, m)) FROM moment_docs, constants GROUP BY m)) AS statistics FROM moment_docs, constants;
SELECT pg_temp.outcome('SELECT a.products + b.products FROM moment_days a, other b');
SELECT pg_temp.outcome('SELECT a.triples + b.triples FROM moment_days a, other b');
SELECT pg_temp.outcome('SELECT a.statistics + b.statistics FROM moment_days a, other b');
SELECT pg_temp.outcome('SELECT tlv_rollup(m ORDER BY kind) FROM all_values');
SELECT pg_temp.outcome('SELECT pairs + triples FROM moment_days');
SELECT pg_temp.outcome($$SELECT tlv_rollup(c) FROM (SELECT tlv_coherence(bag, m, 2 + day) AS c FROM moment_docs, constants WHERE day < 2 GROUP BY day) q$$);

-- many groups: a summary per user, and the planner knows that larger states do not fit a hash table
SET work_mem = '64MB';
SELECT count(*) AS groups, sum((tlv_info(m)->>'documents')::int) AS documents, count(DISTINCT m::text) > 4000 AS different
FROM (SELECT i % 5000 AS user_id, tlv_count_summary(tlv_to_bag(ARRAY[i % 97, i % 89, i % 83, i % 5000]::bigint[])) AS m FROM generate_series(1, 20000) i GROUP BY 1) q;
CREATE TABLE many_groups AS SELECT i % 20000 AS g, '{1:3}'::tlv_bag AS bag FROM generate_series(1, 40000) i;
ANALYZE many_groups;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4MB';
SELECT agg, pg_temp.nodes(format('SELECT g, %s FROM many_groups GROUP BY g', agg)) AS plan
FROM unnest(ARRAY['count(*)', 'tlv_count_summary(bag)', 'tlv_count_moments(bag)', 'tlv_count_moments(bag, (SELECT s FROM constants))',
                  'tlv_statistics(bag, (SELECT m FROM constants))']) agg;
RESET work_mem;
RESET max_parallel_workers_per_gather;

-- the support functions are no ordinary functions
SELECT pg_temp.outcome('SELECT tlv_moments_combine(pairs, pairs) FROM moment_days');
SELECT f, pg_temp.outcome(format('SELECT %s FROM moment_docs, constants WHERE doc = 1', f))
FROM unnest(ARRAY['tlv_count_summary_accum(NULL, bag)', 'tlv_count_pairs_accum(NULL, ARRAY[bag])', 'tlv_count_products_accum(NULL, bag, s)',
                  'tlv_count_triples_accum(NULL, bag, s)', 'tlv_statistics_accum(NULL, bag, m)', 'tlv_coherence_accum(NULL, bag, m)',
                  'tlv_completion_accum(NULL, bag, m)']) f;
DROP FUNCTION paths, digest, topics_digest;
DROP VIEW other;
DROP TABLE moment_docs, moment_parts, moment_days, constants, many_groups;
