-- The number of components without k: what identifies rows or does not follow in time does not decide it, nor the order of the rows.
SET client_min_messages = error;
-- a column of identifiers, of pairs of rows, and half of them unknown: three classes, as without it
CREATE TABLE answers AS SELECT i, (i % 3 = 0)::text AS a, (i % 3 <> 1)::text AS b, ((i % 3 = 1) <> (hashint4(i) % 10 = 0))::text AS c, ((i % 3 = 0) <> (hashint4(i + 999) % 10 = 0))::text AS d
  FROM generate_series(1, 200) i;
SELECT what, (SELECT count(*) FROM tlv_components(tlv_lca(format('SELECT a, b, c, d%s FROM answers', columns), layout => 'wide'))) AS classes
FROM (VALUES (1, 'without', ''), (2, 'identifiers', ', ''id'' || i AS e'), (3, 'of pairs', ', ''id'' || i / 2 AS e'), (4, 'half', ', CASE WHEN i % 2 = 0 THEN ''id'' || i END AS e'),
  (5, 'two columns', ', ''id'' || i AS e, ''no'' || 7 * i AS f')) v(place, what, columns) ORDER BY place;
-- a sensor that reads exactly 0 when it is off, or nearly, or the same with noise as large as a step; on thrice as often; the score of one state is 0
CREATE TABLE readings AS SELECT s, t, t / 30 % 2 AS running, (hashint4(s * 1000 + t)::bigint % 1000) / 1000.0 + (hashint4(s * 1000 + t + 7777777)::bigint % 1000) / 1000.0 AS noise
  FROM generate_series(1, 4) s, generate_series(1, 300) t;
CREATE TABLE sensors AS SELECT what, tlv_hmm(format('SELECT s, t, (%s)::float8 FROM readings', value)) AS model
FROM (VALUES ('off is 0', 'CASE WHEN running = 0 THEN 0 ELSE 10 + noise END'), ('off is nearly 0', 'CASE WHEN running = 0 THEN .01 * noise ELSE 10 + noise END'),
  ('off is 0, wider', 'CASE WHEN running = 0 THEN 0 ELSE 10 + 3 * noise END'), ('longer', 'CASE WHEN t / 30 % 4 = 0 THEN 0 ELSE 10 + noise END')) v(what, value);
SELECT what, (SELECT count(*) FROM tlv_states(model)) AS states, (SELECT score FROM tlv_suggest_k(model) WHERE k = 1 AND criterion = 'held_out') AS one,
  (SELECT string_agg(code, ' ') FROM tlv_warnings(model)) AS warnings
FROM sensors ORDER BY what;
-- sequences that come in the order of what they hold
CREATE TABLE steps AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(8, 3, stay => .8, seed => 17), 60, 50, 17);
SELECT (SELECT count(*) FROM tlv_states(tlv_hmm('SELECT seq, t, symbol FROM steps'))) AS as_they_come, (SELECT count(*) FROM tlv_states(tlv_hmm(
  'SELECT dense_rank() OVER (ORDER BY n, seq), t, symbol FROM (SELECT *, count(*) FILTER (WHERE symbol < 4) OVER (PARTITION BY seq) AS n FROM steps) q'))) AS in_order;
-- steps that do not depend on each other, whose distribution is that of no state
SELECT seed, count(*) AS states FROM generate_series(1, 3) seed, tlv_states(tlv_hmm(format(
  'SELECT i / 50, i %% 50, ln((1 + (''x'' || left(md5(i || ''/%s''), 8))::bit(32)::bigint) / 4294967297.0)::float8 FROM generate_series(0, 2499) i', seed))) GROUP BY seed ORDER BY seed;
DROP TABLE answers, readings, sensors, steps;

-- few pieces of one sequence hold different steps out in each fold; fewer than five are not compared, which is said
SELECT n, count(*) > 1 AS states, (SELECT string_agg(code, ' ') FROM tlv_warnings(m) WHERE code IN ('no_structure', 'k_untested')) AS warned
FROM (SELECT n, tlv_hmm(format('SELECT 1, g, g / 5 %% 2 * 4 + sin(g * g) FROM generate_series(0, %s) g', n)) AS m FROM unnest('{79,99,179}'::int[]) n) q, tlv_states(m) GROUP BY n, m ORDER BY n;
-- constants, categories that no row has and identifiers bound the number of classes in each fold; models that predict the same differ by nothing
SET tensorlv.warnings = off;
SELECT x, count(*) AS classes, (SELECT score FROM tlv_warnings(m) WHERE code = 'no_structure') IS NOT NULL AS warned
FROM (SELECT x, tlv_lca(format('SELECT %s FROM generate_series(1, 300) i', x)) AS m
  FROM unnest(ARRAY['array[1, 2, 1]', 'array[i % 2, 2, 1]', 'array[i, i, 2]', 'array[1, 1]', 'i::text AS i, 1 AS c', '1 AS a, 1 AS b']) x) q, tlv_components(m) GROUP BY x, m ORDER BY x;
RESET tensorlv.warnings;
SELECT count(*) AS profiles_of_identifiers FROM tlv_components((SELECT tlv_gom('SELECT i::text AS a, ''b'' || i AS b, ''c'' || i AS c, ''d'' || i AS d FROM generate_series(1, 120) i')));
-- the seed of a fit decides where it starts, not how many components there are
CREATE TEMP TABLE six AS SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(10, 6, 3, .4), 250);
CREATE TEMP TABLE eight AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(12, 8), 20, 60);
SET tensorlv.warnings = off;
SELECT count(DISTINCT (SELECT count(*) FROM tlv_components(tlv_lca('SELECT v FROM six', seed => s)))) AS classes,
  count(DISTINCT (SELECT count(*) FROM tlv_components(tlv_gom('SELECT v FROM six', seed => s)))) AS profiles,
  count(DISTINCT (SELECT count(*) FROM tlv_components(tlv_hmm('SELECT seq, t, symbol FROM eight', seed => s)))) AS states FROM generate_series(1, 4) s;
RESET tensorlv.warnings;
