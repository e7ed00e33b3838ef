-- Partitions, covers and memberships against the truth, on every path; values computed elsewhere.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE FUNCTION pg_temp.overlapping_nmi(pairs tlv_moments) RETURNS float8 LANGUAGE sql AS $$ SELECT score FROM tlv_scores(pairs) WHERE measure = 'overlapping_nmi' $$;
CREATE TABLE eval_nodes AS
  SELECT i AS node, i % 9 AS part, i * i % 7 AS a, (i * i + (i % 5 = 0)::int) % 6 AS b,
    ARRAY(SELECT c FROM generate_series(1, 4) c WHERE i * c % 5 < 2) || CASE WHEN i <= 50 THEN ARRAY[50] ELSE '{}' END || CASE WHEN i <= 3 THEN ARRAY[51] ELSE '{}' END AS cover_a,
    ARRAY(SELECT c FROM generate_series(1, 5) c WHERE (i * c + i / 9) % 7 < 2) || CASE WHEN i > 55 THEN ARRAY[99] ELSE '{}' END AS cover_b,
    (SELECT array_agg(x / s ORDER BY o) FROM (SELECT x, o, sum(x) OVER () AS s FROM unnest(ARRAY[i % 7 + 1, i * i % 5 + 1, 3 * i % 4 + 1]::float8[]) WITH ORDINALITY u(x, o)) q) AS truth,
    (SELECT array_agg(x / s ORDER BY o) FROM (SELECT x, o, sum(x) OVER () AS s FROM unnest(ARRAY[3 * i % 4 + 1 + i % 3, i % 7 + 1, i * i % 5 + 2, 2]::float8[]) WITH ORDINALITY u(x, o)) q) AS estimate
  FROM generate_series(1, 200) i;

-- scikit-learn: 0.00135039811047965, -0.0136588646438021; over sets of nodes: 0.0291469485314027, 0.39246082761187
SELECT round(tlv_nmi(a, b)::numeric, 12) AS nmi, round(tlv_ari(a, b)::numeric, 12) AS ari, round(pg_temp.overlapping_nmi(tlv_cover_pairs(cover_a, cover_b))::numeric, 12) AS overlapping_nmi,
       round(tlv_cover_f1(cover_a, cover_b)::numeric, 12) AS f1 FROM eval_nodes;
SELECT measure, round(score::numeric, 12) FROM (SELECT tlv_label_pairs(a, b) AS p FROM eval_nodes) q, tlv_scores(p);
SELECT measure, round(score::numeric, 12) FROM (SELECT tlv_cover_pairs(cover_a, cover_b) AS p FROM eval_nodes) q, tlv_scores(p);
-- a partition is a cover by disjoint communities; names and directions do not matter
SELECT round(tlv_nmi(a, -9 * a)::numeric, 12) AS nmi, tlv_ari(a, -9 * a) AS ari, pg_temp.overlapping_nmi(tlv_cover_pairs(ARRAY[a], ARRAY[7 - a])) AS overlapping_nmi,
  tlv_cover_f1(ARRAY[a], ARRAY[7 - a]) AS f1
  FROM eval_nodes;
SELECT pg_temp.overlapping_nmi(tlv_cover_pairs(cover_a, cover_b)) = pg_temp.overlapping_nmi(tlv_cover_pairs(cover_b, cover_a)) AS symmetric,
  tlv_cover_f1(cover_a || cover_a, cover_b) = tlv_cover_f1(cover_a, cover_b) AS named_twice
  FROM eval_nodes;
-- levels of the test that matches components, 60 nodes
CREATE TABLE eval_memberships AS SELECT tlv_membership_pairs(truth, estimate) AS m FROM eval_nodes WHERE node <= 60;
SELECT significance, measure, round(score::numeric, 12) AS score FROM eval_memberships, unnest(ARRAY[0.01, 1e-38, 0]) significance, tlv_scores(m, significance);

-- every path: direct, rolled up, added, windows, filtered, parallel, many groups
CREATE FUNCTION eval_digest(p tlv_moments) RETURNS text LANGUAGE sql AS $$
  SELECT CASE tlv_info(p)->>'kind' WHEN 'membership_pairs' THEN (SELECT string_agg(measure || round(score::numeric, 9), ',' ORDER BY measure) FROM tlv_scores(p)) ELSE md5(p::text) END
$$;
CREATE FUNCTION eval_paths(call text) RETURNS TABLE (path text, same boolean) LANGUAGE plpgsql AS $$
DECLARE
  direct text;
  queries text[] := ARRAY['rolled up', 'SELECT tlv_rollup(p) FROM (SELECT part, %s AS p FROM eval_nodes GROUP BY part) q',
    'grouping sets', 'SELECT tlv_rollup(p) FROM (SELECT grouping(part) AS g, %s AS p FROM eval_nodes GROUP BY GROUPING SETS (part, ())) q WHERE g = 0',
    'added', 'SELECT (SELECT %1$s FROM eval_nodes WHERE node > 90) + (SELECT %1$s FROM eval_nodes WHERE node <= 90)',
    'filtered', 'SELECT (%1$s FILTER (WHERE part > 3)) + (%1$s FILTER (WHERE part <= 3)) FROM eval_nodes',
    'window', 'SELECT p FROM (SELECT node, %s OVER (ORDER BY node) AS p FROM eval_nodes) q WHERE node = 200',
    'parallel', 'SELECT %s FROM eval_nodes',
    'stored', 'SELECT ((%s)::text)::tlv_moments FROM eval_nodes'];
BEGIN
  EXECUTE format('SELECT eval_digest(%s) FROM eval_nodes', call) INTO direct;
  FOR i IN 1 .. cardinality(queries) / 2 LOOP
    path := queries[2 * i - 1];
    PERFORM set_config('max_parallel_workers_per_gather', CASE path WHEN 'parallel' THEN '2' ELSE '0' END, true);
    EXECUTE format('SELECT eval_digest((%s)) IS NOT DISTINCT FROM %L', format(queries[2 * i], call), direct) INTO same;
    RETURN NEXT;
  END LOOP;
END $$;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT call, string_agg(path, ', ') FILTER (WHERE same) AS same, string_agg(path, ', ') FILTER (WHERE same IS NOT TRUE) AS other
FROM unnest(ARRAY['tlv_label_pairs(a, b)', 'tlv_cover_pairs(cover_a, cover_b)', 'tlv_membership_pairs(truth, estimate)']) call, eval_paths(call) GROUP BY call ORDER BY call;
SELECT pg_temp.nodes('SELECT tlv_nmi(a, b), tlv_cover_f1(cover_a, cover_b), tlv_membership_pairs(truth, estimate) FROM eval_nodes') LIKE '%Partial%Aggregate%' AS partial;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- limits of what can be said
SELECT tlv_nmi(1, 1) AS one_node, tlv_nmi(i, 1) AS one_cluster, tlv_nmi(1, 1) AS both_one, tlv_ari(1, 1) AS ari_one, tlv_ari(i, i) AS singletons FROM generate_series(1, 5) i;
SELECT tlv_nmi(a, b) AS nmi, tlv_ari(a, b) AS ari, tlv_cover_f1(cover_a, cover_b) AS f1, tlv_membership_pairs(truth, estimate) AS pairs FROM eval_nodes WHERE false;
SELECT tlv_nmi(a, NULL) AS nmi, pg_temp.overlapping_nmi(tlv_cover_pairs(cover_a, NULL)) AS overlapping_nmi FROM eval_nodes;
SELECT measure, score FROM tlv_scores((SELECT tlv_membership_pairs(NULL, estimate) FROM eval_nodes));
SELECT tlv_info(tlv_label_pairs(nullif(a, 0), b))->'nulls' AS nulls, tlv_info(tlv_label_pairs(nullif(a, 0), b))->'nodes' AS nodes,
       tlv_nmi(nullif(a, 0), b) = tlv_nmi(a, b) FILTER (WHERE a <> 0) AS same FROM eval_nodes;
SELECT pg_temp.overlapping_nmi(tlv_cover_pairs('{}'::bigint[], ARRAY[i])) AS one_empty, tlv_cover_f1(ARRAY[i], '{}') AS f1, tlv_cover_f1('{}'::bigint[], '{}') AS both_empty,
  pg_temp.overlapping_nmi(tlv_cover_pairs(ARRAY[1],
  ARRAY[2])) AS all_nodes
FROM generate_series(1, 4) i;
SELECT round(tlv_nmi(9223372036854775807 - i % 3, -9223372036854775808 + i % 3)::numeric, 12) AS ends_of_bigint FROM generate_series(1, 30) i;
-- fewer components than there are, and some that do not vary
SELECT round(a.score::numeric, 12) = round(missing::numeric / 2, 12) AS missing, b.score AS perfect
FROM (SELECT tlv_membership_pairs(truth, truth[1:2]) AS fewer, tlv_membership_pairs(truth, truth) AS same, avg(truth[3]) AS missing FROM eval_nodes) q,
  tlv_scores(fewer) a, tlv_scores(same) b WHERE a.measure = 'membership_l1' AND b.measure = 'membership_l1';
SELECT measure, round(score::numeric, 6) AS score FROM tlv_scores((SELECT tlv_membership_pairs(truth[1:1], ARRAY[0.1, truth[1]]) FROM eval_nodes WHERE node <= 5));

-- bad input
SELECT pg_temp.outcome(q) FROM unnest(ARRAY['SELECT tlv_cover_f1(ARRAY[1, NULL], ARRAY[1])', 'SELECT tlv_cover_f1(ARRAY[[1, 2]], ARRAY[1])',
                                            'SELECT tlv_membership_pairs(ARRAY[0.5, NULL], ARRAY[1])', 'SELECT tlv_membership_pairs(ARRAY[0.5, ''NaN''], ARRAY[1])',
                                            'SELECT tlv_membership_pairs(ARRAY[1], ARRAY[''-Infinity''::float8])',
  'SELECT tlv_membership_pairs(''{}'', ARRAY[1])', 'SELECT tlv_membership_pairs(array_fill(1 / i::float8, ARRAY[i]), ARRAY[1]) FROM generate_series(2, 3) i',
  'SELECT tlv_membership_pairs(ARRAY[1, 0], ARRAY[1]) + tlv_membership_pairs(ARRAY[1], ARRAY[1])', 'SELECT tlv_label_pairs(1, 1) + tlv_cover_pairs(ARRAY[1], ARRAY[1])',
  'SELECT tlv_ari_final(tlv_cover_pairs(ARRAY[1], ARRAY[1]))', 'SELECT tlv_cover_f1_final(tlv_label_pairs(1, 1))',
  'SELECT count(*) FROM tlv_scores((SELECT tlv_count_summary(''{1:1}''::tlv_bag)))',
  'SELECT count(*) FROM tlv_scores((SELECT m FROM eval_memberships), 1.5)', 'SELECT count(*) FROM eval_memberships, tlv_scores(m, ''NaN'')',
  'SELECT tlv_label_pairs_accum(NULL, 1, 1)', 'SELECT regexp_replace(tlv_label_pairs(1, 1)::text, ''(:.{28}).*'', ''\1'')::tlv_moments']) q;
DROP TABLE eval_nodes, eval_memberships;
DROP FUNCTION eval_paths, eval_digest;

-- labels and communities that are told by name: the same measures
WITH nodes AS (SELECT i % 3 AS a, (i + i / 50) % 4 AS b FROM generate_series(1, 100) i)
SELECT abs(tlv_nmi(a, b) - tlv_nmi(a::text, b::text)) < 1e-12 AS nmi, abs(tlv_ari(a, b) - tlv_ari(a::text, b)) < 1e-12 AS ari,
       abs(tlv_nmi(a, b) - tlv_nmi(a, b::varchar)) < 1e-12 AS mixed, abs(tlv_ari(a, b) - tlv_ari(a, b::text)) < 1e-12 AS mixed_ari,
       abs(pg_temp.overlapping_nmi(tlv_cover_pairs(ARRAY[-1::bigint, a], ARRAY[b::bigint])) - pg_temp.overlapping_nmi(tlv_cover_pairs(ARRAY['all', a::text], ARRAY[b::text]))) < 1e-12 AS covers,
       abs(tlv_cover_f1(ARRAY[-1::bigint, a], ARRAY[b::bigint]) - tlv_cover_f1(ARRAY['all', a::text], ARRAY[b::text])) < 1e-12 AS f1 FROM nodes;
SELECT tlv_nmi(a, b) AS equal, tlv_info(tlv_label_pairs(a, b)) - '{bytes,arrays,version,fingerprint}'::text[] AS info FROM (VALUES ('x', 'one'), ('x', 'one'), ('', 'two'), (NULL, 'two')) AS n(a, b);
SELECT * FROM tlv_scores((SELECT tlv_cover_pairs(a, b) FROM (VALUES (ARRAY['x', 'y', 'x'], ARRAY['x', 'y']), ('{}', NULL), ('{}', '{}')) AS n(a, b)));
SELECT tlv_cover_f1(ARRAY['x', NULL], ARRAY['x']);

-- labels are ids of any types: whole numbers by number, others by their texts
CREATE DOMAIN eval_label AS smallint;
SELECT abs(tlv_nmi(u, i % 5) - tlv_nmi(i % 6, i % 5)) < 1e-12 AS uuids, abs(tlv_ari(i % 2 = 0, u) - tlv_ari(i % 2, i % 6)) < 1e-12 AS booleans,
       tlv_nmi((i % 6)::eval_label, i % 5) = tlv_nmi(i % 6, i % 5) AS domains,
       tlv_label_pairs(date '2020-01-01' + i % 6, (i % 5)::int2) = tlv_label_pairs((date '2020-01-01' + i % 6)::text, (i % 5)::bigint) AS dates,
       tlv_label_pairs(i, 'x') = tlv_label_pairs(i, 'x'::varchar) AS literals,
       tlv_nmi(i, 1) AS one_cluster
FROM (SELECT i, md5((i % 6)::text)::uuid AS u FROM generate_series(1, 100) i) q;
SELECT bool_and(abs(moved - anew) < 1e-12) AS windows FROM (SELECT tlv_ari(u, b) OVER (ORDER BY i ROWS 5 PRECEDING) AS moved,
  (SELECT tlv_ari(md5((j % 3)::text)::uuid, j % 2 = 0) FROM generate_series(greatest(i - 5, 1), i) j) AS anew
  FROM (SELECT i, md5((i % 3)::text)::uuid AS u, i % 2 = 0 AS b FROM generate_series(1, 40) i) q) w;
SELECT what, outcome FROM unnest(ARRAY['0.5', '0.5::float8', 'ROW(1, 2)', 'ARRAY[1]', '''a b''::tsvector', 'tlv_to_bag(ARRAY[1])']) what,
  pg_temp.outcome('SELECT tlv_nmi(' || what || ', 1)') outcome;
