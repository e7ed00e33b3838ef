-- Independent components: fit, driver, reading, unmixing, noise, simulation, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SELECT setseed(.5);
SET extra_float_digits = 0;
CREATE TABLE ica_rows AS SELECT id, x, sources FROM tlv_simulate_ica(tlv_simulate_ica_model(6, seed => 3), 20000, seed => 4);
CREATE TABLE ica_models AS
  SELECT tlv_simulate_ica_model(6, seed => 3) AS truth, tlv_ica('SELECT x FROM ica_rows') AS refined, tlv_ica('SELECT x FROM ica_rows', refine => 'none') AS plain,
         tlv_ica('SELECT x FROM ica_rows', noise => true) AS noisy,
    (SELECT tlv_fit_ica(tlv_dense_moments(x, 4), method => 'sgd') FROM ica_rows) AS sgd, (SELECT tlv_fit_ica(tlv_dense_moments(x, 4)) FROM ica_rows) AS stored;
SELECT tlv_amari(plain, truth) < 0.02 AS plain, tlv_amari(refined, truth) < 0.012 AS refined, tlv_amari(noisy, truth) < 0.025 AS noisy,
       tlv_amari(sgd, truth) < 0.025 AS sgd, tlv_amari(stored, plain) < 1e-9 AS stored, tlv_amari(truth, truth) < 1e-12 AS itself FROM ica_models;
-- the sources themselves, up to sign
SELECT j, round(abs(corr(s[j], sources[j]))::numeric, 1) AS agrees, abs(avg(s[j])) < 1e-9 AS mean, round(var_pop(s[j])::numeric, 9) AS variance
FROM ica_rows, ica_models, tlv_unmix(refined, x) s, generate_series(1, 6) j WHERE j IN (1, 6) GROUP BY j ORDER BY j;
-- unmixing is the inverse of mixing; conventions
SELECT max(abs(p - CASE WHEN a = b THEN 1 ELSE 0 END)) < 1e-9 AS inverse
FROM (SELECT u.component AS a, m.component AS b, sum(u.weight * m.weight) AS p FROM ica_models, tlv_mixing(refined, inverse => true) u, tlv_mixing(refined) m WHERE u.dimension = m.dimension
  GROUP BY 1, 2) q;
SELECT bool_and(largest > 0) AS signs, count(*) AS components
FROM (SELECT component, (array_agg(weight ORDER BY abs(weight) DESC))[1] AS largest FROM ica_models, tlv_mixing(refined) GROUP BY component) q;
SELECT bool_and(abs(score) <= abs(before)) AS ordered
FROM (SELECT score, lag(score) OVER (ORDER BY component) AS before FROM ica_models, tlv_diagnostics(refined) WHERE measure = 'kurtosis') q;
SELECT measure FROM ica_models, tlv_diagnostics(refined) WHERE component IS NULL ORDER BY measure;
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'noise' AS noise, (i->>'steps')::float8 BETWEEN 2 AND 10 AS steps, i->'arrays'->'mixing' AS mixing,
       i->'arrays'->'unmixing' AS unmixing, i->'warnings' AS warnings, refined = (refined::text)::tlv_model AS text_form FROM ica_models, tlv_info(refined) i;
-- many rows in one array; an array of arrays
SELECT tlv_unmix(refined, (SELECT array_agg(x ORDER BY id) FROM ica_rows WHERE id <= 3)) = (SELECT array_agg(tlv_unmix(refined, x) ORDER BY id) FROM ica_rows WHERE id <= 3) AS rows
FROM ica_models;
SELECT tlv_amari(array[[1,0],[0,1]], array[[0,-3],[2,0]]) AS permuted, round(tlv_amari(array[[1,0],[0,1]], array[[1,1],[1,-1]])::numeric, 6) AS worst,
       tlv_amari('{{2},{3}}'::float8[], '{{4},{6}}') AS single;
-- moments kept by part and rolled up; refinement by hand
SELECT tlv_amari(tlv_fit_ica(tlv_rollup(m)), plain) < 1e-9 AS rolled FROM (SELECT tlv_dense_moments(x, 4) AS m FROM ica_rows GROUP BY id % 7) q, ica_models GROUP BY plain;
SELECT tlv_amari(tlv_update(plain, tlv_rollup(s)), truth) < tlv_amari(plain, truth) AS better, round((tlv_info(tlv_update(plain, tlv_rollup(s)))->>'steps')::numeric) AS steps
FROM (SELECT plain, truth, tlv_statistics(x, plain, 'tanh') AS s FROM ica_rows, ica_models GROUP BY plain, truth, id % 5) q GROUP BY plain, truth;
-- steps of the likelihood, in the driver and by hand
SELECT tlv_amari(m, truth) < 0.03 AS found, (tlv_info(m)->>'steps')::float8 BETWEEN 2 AND 20 AS steps, (SELECT count(*) FROM tlv_warnings(m)) AS warnings
FROM (SELECT tlv_ica('SELECT x FROM ica_rows', refine => 'likelihood') AS m OFFSET 0) q, ica_models;
SELECT tlv_amari(tlv_update(plain, tlv_rollup(s)), truth) < tlv_amari(plain, truth) AS better, tlv_amari(tlv_update(plain, tlv_rollup(s)), tlv_update(plain, tlv_rollup(t))) > 1e-9 AS other
FROM (SELECT plain, truth, tlv_statistics(x, plain, 'likelihood') AS s, tlv_statistics(x, plain) AS t FROM ica_rows, ica_models GROUP BY plain, truth, id % 5) q GROUP BY plain, truth;
SELECT pg_temp.outcome('SELECT tlv_rollup(s) FROM (SELECT tlv_statistics(x, plain, r) AS s FROM ica_rows, ica_models, unnest(''{likelihood,tanh}''::text[]) r GROUP BY r) q') AS both;
-- the same in parallel workers
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT tlv_amari(tlv_ica('SELECT x FROM ica_rows'), refined) < 1e-6 AS parallel FROM ica_models;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
-- noise of any covariance: the covariance misleads, the cumulant does not; noise is reported
CREATE TABLE ica_noise AS SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(4, noise => 1, seed => 3), 50000);
SELECT tlv_amari(plain, truth) > 3 * tlv_amari(noisy, truth) AS better, tlv_amari(noisy, truth) < 0.04 AS noisy, (SELECT count(*)
        FROM tlv_warnings(plain) WHERE hint LIKE '%noise => true%') AS warned, (SELECT count(*) FROM tlv_warnings(noisy)) AS warnings
FROM (SELECT tlv_simulate_ica_model(4, noise => 1, seed => 3) AS truth, tlv_ica('SELECT x FROM ica_noise') AS plain, tlv_ica('SELECT x FROM ica_noise', noise => true) AS noisy OFFSET 0) q;
SELECT round(var_pop(s[1])::numeric, 9) AS variance FROM ica_noise, (SELECT tlv_ica('SELECT x FROM ica_noise', noise => true) AS m) q, tlv_unmix(m, x) s;
-- what sampling leaves uncertain: little of many rows, and a warning of few
SELECT n, count(*) AS said, bool_and(score BETWEEN 0 AND 1.5708) AS angles, min(score) < 0.1 AS best, (SELECT count(*) FROM tlv_warnings(m) WHERE message LIKE 'sampling%') AS warned
FROM (SELECT n, tlv_ica(format('SELECT x FROM ica_noise LIMIT %s', n), noise => true, keep_gaussian => true) AS m FROM unnest('{500,50000}'::int[]) n) q, tlv_diagnostics(m)
WHERE measure LIKE 'uncertainty%' GROUP BY n, m ORDER BY n;
-- gradient steps come to the same components from any seed
SELECT count(*) AS seeds, bool_and(tlv_amari(tlv_fit_ica(m, method => 'sgd', seed => seed), plain) < 0.005) AS found
FROM (SELECT tlv_dense_moments(x, 4) AS m FROM ica_rows) q, ica_models, generate_series(1, 10) seed;
-- that passes are not compiled is theirs alone: the setting is what it was before, in and after them
SET jit = on;
SET ica.seen = '';
CREATE FUNCTION ica_look(x float8[], fail boolean) RETURNS float8[] STABLE LANGUAGE plpgsql AS $$
BEGIN
  IF fail THEN RAISE EXCEPTION 'with jit %', current_setting('jit'); END IF;
  PERFORM set_config('ica.seen', current_setting('jit'), false);
  RETURN x;
END $$;
SELECT tlv_ica('SELECT ica_look(x, false) FROM ica_rows WHERE id <= 2000', iterations => 1) IS NOT NULL AS fitted, current_setting('ica.seen') AS during, current_setting('jit') AS after;
SELECT pg_temp.outcome('SELECT tlv_ica(''SELECT ica_look(x, id = 1000) FROM ica_rows'')') AS during, current_setting('jit') AS after;
SELECT current_setting('jit') AS after;
BEGIN;
SAVEPOINT before;
\set VERBOSITY terse
SELECT tlv_ica('SELECT ica_look(x, id = 1000) FROM ica_rows');
\set VERBOSITY default
ROLLBACK TO before;
SHOW jit;
COMMIT;
SHOW jit;
RESET jit;
RESET ica.seen;
DROP FUNCTION ica_look;
-- fewer components than dimensions, also with many dimensions; collinear and constant columns
SELECT tlv_amari(tlv_ica('SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(5, 2), 20000)'), tlv_simulate_ica_model(5, 2)) < 0.03 AS rank,
       tlv_amari(tlv_ica('SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(70, 3), 5000)', k => 3), tlv_simulate_ica_model(70, 3)) < 0.06 AS many;
SELECT (SELECT count(DISTINCT component) FROM tlv_mixing(m)) AS components, (SELECT count(*) FROM tlv_mixing(m) WHERE dimension = 7 AND weight = 0) AS constant
FROM (SELECT tlv_ica('SELECT x || array[42, x[1] + x[2]] FROM ica_rows') AS m) q;
SELECT max(abs(abs(s[j]) - abs(t[j]))) < 1e-6 AS units
FROM ica_rows, (SELECT tlv_fit_ica(tlv_dense_moments(x, 4)) AS m, tlv_fit_ica(tlv_dense_moments(array[1e40 * x[1] - 1e41, 1e-40 * x[2], x[3], x[4], x[5], 3 + x[6]], 4)) AS n
                FROM ica_rows) q, tlv_unmix(m, x) s, tlv_unmix(n, array[1e40 * x[1] - 1e41, 1e-40 * x[2], x[3], x[4], x[5], 3 + x[6]]) t, generate_series(1, 6) j;
-- types of the query's column; a query whose rows are made anew each time; no rows
SELECT count(*) FROM tlv_mixing(tlv_ica('SELECT array[x[1], x[2]]::real[] FROM ica_rows', keep_gaussian => true)) UNION ALL SELECT count(*)
FROM tlv_mixing(tlv_ica('SELECT array[random(), random(), random()]::numeric[] FROM generate_series(1, 3000)'));
SELECT tlv_ica('SELECT x FROM ica_rows WHERE false');
SELECT tlv_ica(NULL) AS no_query, tlv_fit_ica(NULL) AS no_moments, tlv_unmix(NULL, '{1}') AS no_model;

-- bad input
SELECT a, pg_temp.outcome(format('SELECT tlv_ica(''SELECT x FROM ica_rows''%s) IS NOT NULL', a)) AS outcome
FROM unnest(ARRAY[', k => 0', ', k => 7', ', k => 1', ', refine => ''em''',
                  ', noise => true, refine => ''tanh''', ', iterations => -1', ', iterations => 0', ', iterations => 1']) a;
-- rounding decides what else fits to little data warn of
SET tensorlv.warnings = off;
SELECT q, pg_temp.outcome(format('SELECT tlv_ica(%L) IS NOT NULL', q)) AS outcome
FROM unnest(ARRAY['', 'SELECT 1', 'SELECT x, x FROM ica_rows', 'SELECT array[''a'']', 'SELECT array[1, NULL]', 'SELECT array[1, ''NaN''::float8]',
                  'SELECT array[1, ''Infinity''::float8]', 'SELECT ''{}''::float8[]', 'SELECT array[1, 2]', 'SELECT array[i, 2] FROM generate_series(1, 2) i',
                  'SELECT CASE WHEN i > 5 THEN array[i] ELSE array[i, i] END FROM generate_series(1, 9) i',
  'SELECT array[[[1]]]', 'DELETE FROM ica_rows', 'SELECT array[1e300 * i, 1e300 * (i % 7)] FROM generate_series(1, 99) i',
  'SELECT array[1e-300 * i, 1e-300 * (i % 7)] FROM generate_series(1, 99) i']) q;
SELECT code, round(score::numeric, 1) AS score FROM tlv_warnings(tlv_ica('SELECT x FROM tlv_simulate_ica(80, 70)')) WHERE code IN ('directions_skipped', 'few_rows') ORDER BY code;
-- little data, and much of the same
SELECT name, regexp_replace(pg_temp.outcome(format('SELECT (SELECT count(DISTINCT component) FROM tlv_mixing(tlv_ica(%L%s)))', q, a)), '-?[0-9.]+e-[0-9]+', '0') AS components
FROM (VALUES ('d of 1', 'SELECT x[1:1] FROM ica_rows', ''), ('d and k of 1', 'SELECT x[1:1] FROM ica_rows', ', k => 1'),
      ('k of 1 with noise', 'SELECT x FROM ica_rows', ', k => 1, noise => true'), ('repeated rows', 'SELECT x FROM ica_rows, generate_series(1, 3)', ''),
      ('one row many times', 'SELECT array[1, 2, 3] FROM generate_series(1, 99)', ''),
  ('two rows many times', 'SELECT array[i % 2, i % 2 * 2, 7] FROM generate_series(1, 99) i', ''), ('k above the rank', 'SELECT x || array[x[1] + x[2]] FROM ica_rows', ', k => 7'),
  ('as many rows as components', 'SELECT x FROM ica_rows WHERE id <= 6', ', keep_gaussian => true'), ('rows in arrays', 'SELECT array_agg(x) FROM ica_rows GROUP BY id % 9', ''),
  ('NULL rows', 'SELECT CASE WHEN id % 2 = 0 THEN x END FROM ica_rows', ''), ('NULL alone', 'SELECT NULL::float8[] FROM ica_rows', ''),
  ('a constant of 1e300', 'SELECT x || array[1e300::float8] FROM ica_rows', ''), ('far from 0', 'SELECT array[1e8 + x[1], x[2], x[3]] FROM ica_rows', ', keep_gaussian => true'),
  ('too long', 'SELECT x FROM tlv_simulate_ica(80, 70)', ', k => 61')) q(name, q, a);
RESET tensorlv.warnings;
SELECT pg_temp.outcome('SELECT (SELECT count(*)
    FROM tlv_mixing(tlv_ica(''SELECT array[s[1], s[2], sqrt(-2 * ln(1 - u)) * cos(6.283185307179586 * v)]
        FROM (SELECT sources AS s, (abs(hashint8(id)::bigint) % 99991) / 99991.0 AS u, (abs(hashint8(-id)::bigint) % 99989) / 99989.0 AS v FROM ica_rows) q'')))') AS one_gaussian;
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_ica(''SELECT x FROM tlv_simulate_ica(5000, 3, sources => ''''gaussian'''')'', keep_gaussian => false)'), '-?[0-9]+\.[0-9]+', '#', 'g') AS gaussian;
SELECT (SELECT message FROM tlv_warnings(m) WHERE message LIKE 'comp%') AS warning
FROM (SELECT tlv_ica('SELECT x FROM tlv_simulate_ica(5000, 3, sources => ''gaussian'')') AS m) q;
SELECT pg_temp.outcome('SELECT tlv_infer(refined, array[1, 2, 3, 4, 5, 6]::float8[]) FROM ica_models') AS infer,
       pg_temp.outcome('SELECT tlv_unmix(refined, array[1, 2]) FROM ica_models') AS short, pg_temp.outcome('SELECT tlv_unmix(refined, array[1, 2, 3, 4, 5, ''NaN''::float8]) FROM ica_models') AS nan,
  pg_temp.outcome('SELECT tlv_unmix(refined, array[1, 2, 3, 4, 5, NULL]) FROM ica_models') AS null_element,
  pg_temp.outcome('SELECT tlv_unmix(tlv_simulate_lda_model(5, 2), array[1, 2])') AS lda, pg_temp.outcome('SELECT count(*) FROM tlv_mixing(tlv_simulate_lda_model(5, 2))') AS mixing;
SELECT pg_temp.outcome('SELECT tlv_fit_ica(tlv_dense_moments(x, 3)) FROM ica_rows') AS order_3, pg_temp.outcome('SELECT tlv_fit_ica(tlv_count_summary(''{1:3}''::tlv_bag))') AS counts,
       pg_temp.outcome('SELECT tlv_update(noisy, tlv_statistics(x, noisy)) FROM ica_rows, ica_models GROUP BY noisy') AS noise,
  pg_temp.outcome('SELECT tlv_update(plain, tlv_statistics(x, sgd)) FROM ica_rows, ica_models GROUP BY plain, sgd') AS other_model;
SELECT a, pg_temp.outcome(format('SELECT tlv_amari(%s)', a)) AS outcome
FROM unnest(ARRAY['array[1.0], array[1.0]', 'array[[1,2]], array[[1,2]]', 'array[[1],[2]], array[[1,2],[3,4]]', 'array[[1,2],[2,4]], array[[1,2],[3,4]]',
                  'array[[1,0],[0,''NaN''::float8]], array[[1,2],[3,4]]', 'tlv_simulate_ica_model(2), tlv_simulate_ica_model(3)']) a;
SELECT a, pg_temp.outcome(format('SELECT tlv_simulate_ica_model(%s) IS NOT NULL', a)) AS outcome
FROM unnest(ARRAY['0', 'NULL', '3, 4', '5000', '3, noise => -1', '3, noise => ''NaN''', '3, sources => ''cauchy''', '3, seed => -1']) a;
SELECT pg_temp.outcome('SELECT count(*) FROM ica_models, tlv_simulate_ica(plain, 1)') AS fitted, pg_temp.outcome('SELECT count(*) FROM tlv_simulate_ica(-1, 2)') AS rows,
       pg_temp.outcome('SELECT count(*) FROM tlv_simulate_ica(0, 2)') AS no_rows;
SELECT pg_temp.outcome(format('SELECT %L::tlv_model', replace(plain::text, 'ica ', 'lda '))) AS other_kind,
       regexp_replace(pg_temp.outcome(format('SELECT %L::tlv_model', left(plain::text, strpos(plain::text, ':') + 496))), 'says [0-9]+', 'says more') AS cut FROM ica_models;
SELECT pg_temp.outcome('SELECT tlv_amari(''{{1,0},{0,1}}''::float8[], ''{{1e308,1e308},{1e308,1}}'')') AS large;
SELECT pg_temp.outcome('SELECT tlv_unmix(tlv_ica($$SELECT array[1e-60 * x[1], 1e-60 * x[2]] FROM tlv_simulate_ica(3000, 2)$$), array[1e300, 1e300])') AS overflow;
SET tensorlv.work_mem = '64kB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_ica(''SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(12), 300)'')'), '[0-9.]+ ?[kM]B', '...', 'g') AS memory;
RESET tensorlv.work_mem;
DROP TABLE ica_rows, ica_models, ica_noise;
