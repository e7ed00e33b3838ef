-- Rows of any type: what tlv_infer and its kin take, what they make of it, and what they refuse.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE apply_models AS SELECT tlv_simulate_gmm_model(3, 3, separation => 2, seed => 1) AS gmm, tlv_simulate_gmm_model(1, 2, seed => 1) AS line, tlv_topic_model('{1,2}', '{1,2}',
  '{1,1}', '{3,1}') AS lda,
  tlv_simulate_multiview_model('{2,3,2}', 3, seed => 2) AS views, tlv_simulate_multiview_model(categories => '{4,5,6}', seed => 2) AS classes, tlv_simulate_hmm_model(symbols => 5, seed => 3) AS hmm,
  tlv_simulate_hmm_model(dimensions => 2, seed => 3) AS signals, tlv_simulate_ica_model(3, seed => 4) AS ica, tlv_simulate_tree_model(4, seed => 5) AS tree,
  tlv_simulate_tree_model(4, kind => 'gaussian', seed => 5) AS numbers_tree, tlv_simulate_mmsb_model(30, 3, seed => 1) AS communities;

-- one row in every type: what is inferred is the same
CREATE DOMAIN apply_length AS float8 CHECK (value > -1000);
CREATE DOMAIN apply_vector AS float8[] CHECK (cardinality(value) < 10);
CREATE TYPE apply_point AS (x int, y smallint, z bigint);
CREATE DOMAIN apply_place AS apply_point;
SET client_min_messages = warning; -- of a type that is only a shell yet
CREATE TYPE apply_own;
CREATE FUNCTION apply_own_in(cstring) RETURNS apply_own AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION apply_own_out(apply_own) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE apply_own (INPUT = apply_own_in, OUTPUT = apply_own_out, LIKE = text);
RESET client_min_messages;
CREATE FUNCTION apply_own_to_real(apply_own, integer, boolean) RETURNS real[] LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT apply_own_out($1)::text::real[] $$;
CREATE CAST (apply_own AS real[]) WITH FUNCTION apply_own_to_real(apply_own, integer, boolean);
WITH r AS (SELECT gmm, tlv_infer(gmm, ARRAY[1, -2, 3]::float8[]) AS p FROM apply_models)
SELECT p = tlv_infer(gmm, ARRAY[1, -2, 3]) AS int4, p = tlv_infer(gmm, ARRAY[1, -2, 3]::smallint[]) AS int2, p = tlv_infer(gmm, ARRAY[1, -2, 3]::bigint[]) AS int8,
  p = tlv_infer(gmm, ARRAY[1, -2, 3]::real[]) AS float4, p = tlv_infer(gmm, ARRAY[1.0, -2.00, 3]) AS "numeric", p = tlv_infer(gmm, '{1,-2,3}') AS literal,
  p = tlv_infer(gmm, ARRAY[1, -2, 3]::apply_vector) AS domain, p = tlv_infer(gmm, ARRAY[1, -2, 3]::apply_length[]) AS domains, p = tlv_infer(gmm, '{1,-2,3}'::apply_own) AS own,
  p = tlv_infer(gmm, ROW(1, -2.0, 3::bigint)) AS "row", p = tlv_infer(gmm, ROW(1, -2, 3)::apply_point) AS composite, p = tlv_infer(gmm, ROW(1, -2, 3)::apply_place) AS of_domain,
  p = tlv_infer(gmm, '[5:7]={1,-2,3}'::int[]) AS bounds FROM r;
WITH r AS (SELECT line FROM apply_models)
SELECT tlv_infer(line, ROW(.5)) = tlv_infer(line, ARRAY[.5]) AS one_column, tlv_assign(line, ROW(.5)) = tlv_assign(line, '{.5}') AS assign,
  tlv_log_likelihood(line, ROW(.5)) = tlv_log_likelihood(line, ARRAY[.5]) AS likelihood FROM r;
SELECT tlv_infer(gmm, ARRAY[[1, 2, 3], [4, 5, 6]]) = ARRAY[tlv_infer(gmm, ROW(1, 2, 3)), tlv_infer(gmm, ROW(4, 5, 6))] AS rows FROM apply_models;
WITH r AS (SELECT lda, tlv_infer(lda, tlv_bag '{1:3}') AS p FROM apply_models)
SELECT p = tlv_infer(lda, '{1:3}') AS literal, tlv_assign(tlv_topic_model(ARRAY[1, 2], ARRAY[tlv_term_id('whale'), tlv_term_id('ship')], '{1,1}', '{1,1}'), to_tsvector('simple',
  'whale whale')) AS tsvector FROM r;

-- views, some of them unknown, and categories
WITH r AS (SELECT views, tlv_infer(views, ARRAY[1, 2, 3, 4, 5, 6, 7]::float8[]) AS p FROM apply_models)
SELECT p = tlv_infer(views, ROW(ARRAY[1, 2], ARRAY[3, 4, 5], ARRAY[6, 7])) AS views, p = tlv_infer(views, ROW(ARRAY[1, 2]::real[], '{3,4,5}'::apply_own, ARRAY[6, 7.0])) AS mixed,
  p = tlv_infer(views, ROW(1, 2, 3, 4, 5, 6, 7)) AS numbers, tlv_infer(views, ROW(ARRAY[1, 2], NULL, ARRAY[6, 7])) <> p AS unknown,
  (SELECT max(abs(u - weight)) < 1e-12 FROM unnest(tlv_infer(views, ROW(NULL, NULL, NULL))) WITH ORDINALITY w(u, component) JOIN tlv_components(views) USING (component)) AS nothing,
  tlv_log_likelihood(views, ROW(NULL, NULL, ARRAY[6, 7])) > tlv_log_likelihood(views, ROW(ARRAY[1, 2], NULL, ARRAY[6, 7])) AS fewer,
  tlv_infer(views, ROW(ARRAY[[1, 2], [1, 2]], NULL, ARRAY[[6, 7], [6, 7]])) = ARRAY[tlv_infer(views, ROW(ARRAY[1, 2], NULL, ARRAY[6, 7])), tlv_infer(views, ROW(ARRAY[1, 2], NULL, ARRAY[6,
  7]))] AS rows FROM r;
SELECT tlv_infer(classes, ROW(1, 2, 3)) = tlv_infer(classes, ARRAY[1, 2, 3]) AS categories, tlv_assign(classes, ROW(1, NULL, 3)) BETWEEN 1 AND 3 AS unknown,
  (SELECT max(abs(u - weight)) < 1e-12 FROM unnest(tlv_infer(classes, ROW(NULL::int, NULL, NULL))) WITH ORDINALITY w(u, component) JOIN tlv_components(classes) USING (component)) AS nothing,
  tlv_infer(classes, ROW(1::smallint, 2::bigint, 3.0)) = tlv_infer(classes, ROW(1, 2, 3)) AS types FROM apply_models;

-- sequences
WITH r AS (SELECT hmm, tlv_viterbi(hmm, ARRAY[1, 2, 3, 5]) AS v, tlv_infer(hmm, ARRAY[1, 2, 3, 5]) AS p FROM apply_models)
SELECT v = tlv_viterbi(hmm, ARRAY[1, 2, 3, 5]::bigint[]) AS int8, v = tlv_viterbi(hmm, ARRAY[1, 2, 3, 5]::smallint[]) AS int2, v = tlv_viterbi(hmm, '{1,2,3,5}') AS literal, array_dims(p) AS dims,
  p = tlv_infer(hmm, ARRAY[1, 2, 3, 5]::numeric[]) AS "numeric", tlv_infer(hmm, ARRAY[1, NULL, 5]::bigint[]) = tlv_infer(hmm, ARRAY[1, NULL, 5]) AS missing,
  (SELECT array_agg(component ORDER BY step) FROM tlv_top(hmm, ARRAY[1, 2, 3, 5])) = (SELECT array_agg((SELECT i FROM generate_series(1, 3) i ORDER BY p[t][i] DESC LIMIT 1) ORDER BY t)
  FROM generate_series(1, 4) t) AS top FROM r;
SELECT tlv_viterbi(signals, ARRAY[[1, 2], [3, 4]]) = tlv_viterbi(signals, ARRAY[[1, 2], [3, 4]]::real[]) AS vectors, tlv_viterbi(signals, '{}'::int[]) AS empty,
  (SELECT count(*) FROM tlv_forecast(signals, ARRAY[[1, 2]], 3)) AS forecast, (SELECT bool_and(symbol IS NULL AND probability IS NULL AND variance > 0) FROM tlv_forecast(signals,
  '{}'::float8[])) AS numbers,
  (SELECT sum(probability) FROM tlv_forecast(hmm, ARRAY[1, 2]::bigint[])) AS sums FROM apply_models;

-- trees and components
SELECT (SELECT array_agg(probability) FROM tlv_tree_posterior(tree, ARRAY[0, 1, 1, 0])) = (SELECT array_agg(probability) FROM tlv_tree_posterior(tree, ROW(0::bigint, 1, 1, 0))) AS states,
  (SELECT count(*) FROM tlv_tree_posterior(tree, ROW(0, NULL, 1, 0))) - (SELECT count(*) FROM tlv_tree_posterior(tree, '{0,1,1,0}')) AS missing,
  (SELECT array_agg(mean) FROM tlv_tree_posterior(numbers_tree, ARRAY[0, 1, 1, 0])) = (SELECT array_agg(mean) FROM tlv_tree_posterior(numbers_tree, ARRAY[0, 1, 1, 0]::float8[])) AS numbers,
  tlv_log_likelihood(numbers_tree, ARRAY[0, 1, NULL, 0]) = tlv_log_likelihood(numbers_tree, ROW(0, 1, NULL, 0)) AS unknown,
  tlv_unmix(ica, ROW(1, 2, 3)) = tlv_unmix(ica, ARRAY[1, 2, 3]::float8[]) AS unmixed, tlv_unmix(ica, ARRAY[[1, 2, 3]]) = ARRAY[tlv_unmix(ica, '{1,2,3}')] AS many FROM apply_models;

-- the components in order
SELECT step, rank, component, label, probability = (tlv_infer(gmm, ARRAY[1, -2, 3]))[component] AS same, sum(probability) OVER () > 0.999 AS whole FROM apply_models, tlv_top(gmm, ARRAY[1,
  -2, 3], 9);
SELECT component, label FROM apply_models, tlv_top(tlv_label(tlv_label(gmm, 2, 'middle'), 3, 'far'), ARRAY[1, -2, 3], 3) ORDER BY component;
SELECT step, component = tlv_assign(gmm, CASE step WHEN 1 THEN ROW(1, 2, 3) ELSE ROW(4, 5, 6) END) AS same FROM apply_models, tlv_top(gmm, ARRAY[[1, 2, 3], [4, 5, 6]]) ORDER BY step;
SELECT count(*) AS no_row FROM apply_models, tlv_top(gmm, NULL::float8[]);
SELECT tlv_infer(NULL, ARRAY[1, 2]) AS no_model, tlv_infer(gmm, NULL::float8[]) AS no_row, tlv_infer(gmm, NULL) AS no_type, tlv_assign(classes, NULL::apply_point) AS no_record FROM apply_models;
SELECT tlv_assign(lda, ARRAY[NULL]::tlv_bag[]) AS null_bag, tlv_assign(lda, '{NULL}') AS in_text, tlv_infer(lda, ARRAY[NULL]::tlv_bag[]) AS shares,
  tlv_log_likelihood(lda, ARRAY[NULL]::tlv_bag[]) AS likelihood,
  (SELECT count(*) FROM tlv_top(lda, ARRAY[NULL]::tlv_bag[])) AS top FROM apply_models;

-- whatever the row, shares sum to 1 and are none negative
SELECT what, count(*), max(abs(total - 1)) < 1e-9 AS sums, min(least) >= 0 AS positive FROM apply_models, LATERAL (
    SELECT 'topics', tlv_infer(lda, b) FROM unnest('{"{}","{1:1}","{2:1e9}","{99:1}","{1:1,2:100000,99:3}"}'::tlv_bag[]) b
    UNION ALL SELECT 'communities', tlv_infer(communities, b) FROM unnest('{"{}","{1:1}","{2:1e9}","{99:1}","{1:0.001,2:1e5,99:3}"}'::tlv_bag[]) b
    UNION ALL SELECT 'mixture', tlv_infer(gmm, ROW(x, -x, 3)) FROM unnest('{0,1,-7,30,60}'::float8[]) x
    UNION ALL SELECT 'views', tlv_infer(views, ROW(ARRAY[x, -x], NULL, NULL)) FROM unnest('{0,1,-7,30,60}'::float8[]) x
    UNION ALL SELECT 'classes', tlv_infer(classes, ROW(x, NULL, x)) FROM unnest('{1,2,3,4}'::int[]) x) p(what, shares),
  LATERAL (SELECT sum(s), min(s) FROM unnest(shares) s) t(total, least) GROUP BY what ORDER BY what;

-- a record's type may change from one call to the next
CREATE FUNCTION apply_changing(model tlv_model) RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR i IN 1 .. 6 LOOP
    CASE i WHEN 1 THEN r := ROW(1, -2, 3); WHEN 2 THEN r := ROW(1::float8, -2::numeric, 3::bigint); WHEN 3 THEN SELECT p.x, p.y, p.z FROM (SELECT (ROW(1, -2, 3)::apply_point).*) p INTO r;
      WHEN 4 THEN SELECT 1.0::real AS a, -2 AS b, 3 AS c INTO r; WHEN 5 THEN r := ROW(1, -2, 3); ELSE SELECT 1 AS a, -2 AS b, 3.0 AS c INTO r; END CASE;
    RETURN NEXT tlv_assign(model, r);
  END LOOP;
END $$;
SELECT array_agg(DISTINCT a) = ARRAY[(SELECT tlv_assign(gmm, ROW(1, -2, 3)) FROM apply_models)] AS same, count(*) FROM apply_changing((SELECT gmm FROM apply_models)) a;
SELECT array_agg(DISTINCT tlv_assign(gmm, r)) = ARRAY[min(tlv_assign(gmm, ROW(1, -2, 3)))] AS same FROM apply_models,
  (VALUES (ROW(1, -2, 3)), (ROW(1.0, '-2'::smallint, 3::bigint)), (ROW(1::real, -2, 3::apply_length)), (ROW(1, -2, 3)), (ROW(1.0, '-2'::smallint, 3::bigint))) v(r);
SELECT array_agg(tlv_assign(views, r) BETWEEN 1 AND 3) AS all FROM apply_models,
  (VALUES (ROW(ARRAY[1, 2], NULL, ARRAY[6, 7])), (ROW(1, 2, 3, 4, 5, 6, 7)), (ROW(NULL, NULL, NULL)), (ROW(NULL, '{3,4,5}'::apply_own, NULL::real[])), (ROW(ARRAY[1, 2], NULL, ARRAY[6, 7]))) v(r);
CREATE TABLE apply_rows (x int, y int, z int);
INSERT INTO apply_rows SELECT i, -i, 3 FROM generate_series(1, 40) i;
PREPARE apply_sum AS SELECT sum(tlv_log_likelihood(gmm, r)) = sum(tlv_log_likelihood(gmm, ARRAY[r.x, r.y, r.z])) AS same FROM apply_rows r, apply_models;
EXECUTE apply_sum;
ALTER TABLE apply_rows ALTER y TYPE numeric, ADD extra text;
SELECT pg_temp.outcome('EXECUTE apply_sum') AS wider;
ALTER TABLE apply_rows DROP extra;
EXECUTE apply_sum;
ALTER TABLE apply_rows ALTER z TYPE real;
EXECUTE apply_sum;
SELECT count(DISTINCT tlv_assign(gmm, r)) > 0 AS of_a_join FROM apply_models, (SELECT a.x, b.y, a.z FROM apply_rows a, apply_rows b WHERE a.x < 3) r;

-- columns are found by the names of the model's dimensions; those of ROW(...) by their order
CREATE TABLE apply_parts (id int PRIMARY KEY, colour text, mass real, length numeric, gone int);
ALTER TABLE apply_parts DROP gone;
INSERT INTO apply_parts SELECT i, 'red', 100 * (i % 3) + i * 7 % 11, 10 * (i % 3) + i % 5 FROM generate_series(1, 300) i;
CREATE TABLE apply_named AS SELECT tlv_gmm('SELECT length, mass FROM apply_parts', 3) AS m, tlv_gmm('SELECT mass, length FROM apply_parts', 3) AS turned;
SELECT bool_and(tlv_infer(m, p) = tlv_infer(m, ROW(length, mass))) AS whole_row, bool_and(tlv_infer(m, (SELECT q FROM (SELECT mass, length) q)) = tlv_infer(m, ARRAY[length, mass])) AS names,
  bool_and(tlv_infer(turned, p) = tlv_infer(turned, ROW(mass, length))) AS turned FROM apply_parts p, apply_named;
SELECT bool_and(tlv_infer(v.m, p) = tlv_infer(v.m, a)) AS models_in_turn
FROM apply_parts p, apply_named, LATERAL (VALUES (m, ARRAY[length, mass]), (turned, ARRAY[mass, length]), (m, ARRAY[length, mass])) v(m, a);
SELECT pg_temp.outcome('SELECT tlv_infer(m, q) FROM apply_named, (SELECT 1 AS length, 2 AS weight) q') AS other_name,
  pg_temp.outcome('SELECT tlv_infer(m, q) FROM apply_named, (SELECT 1 AS length, ''x''::text AS mass) q') AS other_type,
  pg_temp.outcome('SELECT tlv_infer(m, ROW(1, 2, 3)) FROM apply_named') AS more, pg_temp.outcome('SELECT tlv_assign(m, q) > 0 FROM apply_named, (SELECT 1 AS length, NULL::int AS mass) q') AS missing;
DROP TABLE apply_parts, apply_named;

-- values that are stored out of line, or compressed
CREATE TABLE apply_long AS SELECT array_fill(1.5::float8, ARRAY[4000]) AS x;
CREATE TABLE apply_wide (a float8[], b float8[], c float8[]);
ALTER TABLE apply_wide ALTER a SET STORAGE EXTERNAL;
INSERT INTO apply_wide SELECT x, x, ARRAY[1, 2]::float8[] FROM apply_long;
SELECT tlv_infer(m, ROW(a, b, c)) = tlv_infer(m, a || b || c) AS toasted, tlv_infer(m, w) = tlv_infer(m, ROW(a, b, c)) AS whole_row, tlv_assign(m, ROW(a, NULL, c)) BETWEEN 1 AND 2 AS some
  FROM apply_wide w, tlv_simulate_multiview_model('{4000,4000,2}', 2) m;
SELECT (tlv_infer(m, x))[1] BETWEEN 0 AND 1 AS compressed FROM apply_long, tlv_simulate_gmm_model(4000, 2) m;

-- what is refused, and what the model takes instead
CREATE TYPE apply_color AS ENUM ('red', 'green');
SET extra_float_digits = -9;
SELECT model, x, pg_temp.outcome(format('SELECT tlv_infer(%s, %s) FROM apply_models', model, x)) AS outcome FROM (VALUES
  ('gmm', 'tlv_bag ''{1:1}'''), ('gmm', '1.5'), ('gmm', '''{1,2,3}''::text'), ('gmm', 'ARRAY[''a'', ''b'']'), ('gmm', 'point ''(1,2)'''), ('gmm', 'jsonb ''[1,2,3]'''), ('gmm',
  'ROW(1, ''x''::text, 3)'),
  ('gmm', 'ROW(1, 2)'), ('gmm', 'ROW(ARRAY[1, 2, 3])'), ('gmm', '''{1,a}'''), ('gmm', 'ARRAY[1, ''NaN'', 3]::numeric[]'), ('gmm', 'ARRAY[1e300, 2, 3]::numeric[]'), ('gmm', 'ARRAY[true]'),
  ('gmm', '''now''::timestamp'), ('gmm', 'ROW()'),
  ('lda', 'ARRAY[1, 2]'), ('lda', '''a whale''::text'), ('lda', 'ROW(1, 2)'), ('lda', '''{1:x}'''), ('views', 'ROW(ARRAY[1, 2], ARRAY[3, 4, 5])'), ('views',
  'ROW(ARRAY[1, 2], ARRAY[''x''], NULL)'), ('views', 'ROW(1, ARRAY[3, 4, 5], NULL)'),
  ('classes', 'ROW(1, 2.5, 3)'), ('classes', 'ROW(1, 2, ''x''::text)'), ('classes', 'ROW(ARRAY[1], ARRAY[2], ARRAY[3])'), ('classes', 'ROW(1, 2, 1e300)'), ('hmm', 'ARRAY[1.5]'), ('hmm',
  'ARRAY[''red''::apply_color]'), ('hmm', 'ROW(1, 2, 3)'),
  ('hmm', 'tsvector ''a'''), ('signals', 'ARRAY[''a'']'), ('tree', 'ARRAY[0, 1.5, 1, 0]'), ('tree', 'ARRAY[0, 5000000000, 1, 0]'), ('tree', 'ARRAY[0, -1, 1, 0]::smallint[]'),
  ('numbers_tree', 'ARRAY[0, 1, 1, 0]'), ('ica', 'ARRAY[1, 2, 3]'),
  ('communities', 'ARRAY[1, 2]')) q(model, x);
RESET extra_float_digits;
SELECT pg_temp.outcome('SELECT tlv_assign(hmm, ARRAY[1, 2]) FROM apply_models') AS sequence, pg_temp.outcome('SELECT tlv_assign(tree, ARRAY[0, 1, 1, 0]) FROM apply_models') AS tree,
  pg_temp.outcome('SELECT tlv_viterbi(gmm, ARRAY[0, 1, 1, 0]) FROM apply_models') AS viterbi, pg_temp.outcome('SELECT tlv_unmix(gmm, ARRAY[0, 1, 1]) FROM apply_models') AS unmix,
  pg_temp.outcome('SELECT tlv_top(gmm, ARRAY[0, 1, 1], 0) FROM apply_models') AS top, pg_temp.outcome('SELECT tlv_forecast(hmm, ARRAY[0.5]) FROM apply_models') AS forecast,
  pg_temp.outcome('SELECT tlv_tree_posterior(gmm, ARRAY[0, 1, 1]) FROM apply_models') AS posterior;
-- arrays whose elements only the arrays themselves know
CREATE TABLE apply_known AS SELECT i AS whole, i / 2.0 AS half, 'x' || i AS word, now() + i * interval '1 day' AS day FROM generate_series(1, 3) i;
ANALYZE apply_known;
SELECT attname, pg_temp.outcome(format('SELECT tlv_assign(gmm, histogram_bounds) BETWEEN 1 AND 3 FROM apply_models, pg_stats WHERE tablename = ''apply_known'' AND attname = %L', attname)) AS outcome
FROM pg_stats WHERE tablename = 'apply_known' ORDER BY attname;
SELECT bool_and(tlv_assign(gmm, histogram_bounds) BETWEEN 1 AND 3) AS in_turn FROM apply_models, (SELECT histogram_bounds FROM pg_stats WHERE tablename = 'apply_known'
  AND attname IN ('whole', 'half') ORDER BY attname) s;
-- somebody else's cast runs nowhere; nor one that may change its mind
CREATE ROLE apply_other;
GRANT CREATE ON SCHEMA public TO apply_other;
SET ROLE apply_other;
CREATE TYPE apply_bait AS (a int);
CREATE FUNCTION apply_bait_to_real(apply_bait) RETURNS real[] LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'runs as %', current_user; END $$;
CREATE TYPE apply_bait_range AS RANGE (subtype = int4);
CREATE FUNCTION apply_range_to_real(apply_bait_range) RETURNS real[] LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'runs as %', current_user; END $$;
CREATE CAST (apply_bait_range AS real[]) WITH FUNCTION apply_range_to_real(apply_bait_range);
RESET ROLE;
SELECT pg_temp.outcome('SELECT tlv_infer(gmm, ''[1,2)''::apply_bait_range) FROM apply_models') AS cast;
SELECT pg_temp.outcome('SELECT tlv_dense_moments(''[1,2)''::apply_bait_range, 2)') AS moments,
  pg_temp.outcome('SELECT tlv_view_moments(x, x, x) FROM (SELECT ''[1,2)''::apply_bait_range AS x) q') AS views,
  pg_temp.outcome('SELECT tlv_statistics(''[1,2)''::apply_bait_range, gmm) FROM apply_models GROUP BY gmm') AS statistics;
CREATE OR REPLACE FUNCTION apply_own_to_real(apply_own, integer, boolean) RETURNS real[] LANGUAGE sql STABLE STRICT AS $$ SELECT apply_own_out($1)::text::real[] $$;
SELECT pg_temp.outcome('SELECT tlv_infer(gmm, ''{1,2,3}''::apply_own) FROM apply_models') AS stable;
DROP OWNED BY apply_other CASCADE;
DROP ROLE apply_other;

-- in an index, in a generated plan, on workers
CREATE TABLE apply_points AS SELECT i AS id, ARRAY[sin(i), cos(i), i % 3] AS x FROM generate_series(1, 500) i;
DO $$ BEGIN EXECUTE (SELECT format('CREATE INDEX apply_index ON apply_points (tlv_assign(%L::tlv_model, x))', gmm) FROM apply_models); END $$;
SET enable_seqscan = off;
SELECT count(*) = (SELECT count(*) FROM apply_points, apply_models WHERE tlv_assign(gmm, x) = 2) AS found FROM apply_points WHERE tlv_assign((SELECT gmm FROM apply_models), x) = 2;
SELECT pg_temp.nodes(format('SELECT 1 FROM apply_points WHERE tlv_assign(%L::tlv_model, x) = 2', gmm)) ~ 'Index|Bitmap' AS indexed FROM apply_models;
RESET enable_seqscan;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT pg_temp.nodes('SELECT count(*) FROM apply_points p WHERE tlv_assign((SELECT gmm FROM apply_models), ROW(p.x[1], p.x[2], p.x[3])) = 1') ~ 'Gather' AS parallel;
SELECT count(*) = (SELECT count(*) FROM apply_points WHERE tlv_assign((SELECT gmm FROM apply_models), x) = 1) AS same FROM apply_points p WHERE tlv_assign((SELECT gmm FROM apply_models),
  ROW(p.x[1], p.x[2], p.x[3])) = 1;
COMMIT;
DROP TABLE apply_models, apply_rows, apply_long, apply_wide, apply_known, apply_points;
DROP FUNCTION apply_changing(tlv_model);
DROP CAST (apply_own AS real[]);
SET client_min_messages = warning;
DROP TYPE apply_own CASCADE;
DROP TYPE apply_point CASCADE;
DROP TYPE apply_color;
DROP DOMAIN apply_length, apply_vector;

-- tlv_impute: the mean of what is missing, as an integral over the model's own densities says it
CREATE FUNCTION pg_temp.integral(m tlv_model, before float8[], after float8[]) RETURNS float8 LANGUAGE sql AS $$
  SELECT sum(t * exp(greatest(l - most, -700))) / sum(exp(greatest(l - most, -700))) FROM (SELECT t, l, max(l) OVER () AS most
    FROM generate_series(-3000, 3000) i, LATERAL (SELECT i / 100.0::float8) s(t), LATERAL (SELECT tlv_log_likelihood(m, before || t || after)) q(l)) r $$;
CREATE FUNCTION pg_temp.near(m tlv_model, VARIADIC x float8[]) RETURNS boolean LANGUAGE sql AS $$
  SELECT abs((tlv_impute(m, x[1:1] || NULL::float8 || x[2:]))[2] - pg_temp.integral(m, x[1:1], x[2:])) < 1e-3 $$;
SELECT covariance, pg_temp.near(m, 0.5, 1) AS gaussians, pg_temp.near(m, -2, 0) AS elsewhere
FROM unnest(ARRAY['common', 'spherical', 'diagonal', 'full']) covariance, LATERAL (SELECT tlv_simulate_gmm_model(3, 3, 2, covariance)) q(m);
SELECT pg_temp.near(tlv_gmm('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 2, 3, ''full''), 400)', 2, 'full'), 0.5, 1) AS fitted,
       pg_temp.near(tlv_gmm('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 2, 3), 400)', 2, 'full', tails => 't'), 0.5, 1) AS tails,
       pg_temp.near(tlv_simulate_tree_model(3, 1, kind => 'gaussian'), 0.5, 1) AS tree;
SELECT abs((tlv_impute(m, ROW(ARRAY[0.3], NULL::float8[], ARRAY[-1.0])))[2] - sum(t * exp(l)) / sum(exp(l))) < 1e-3 AS views
FROM tlv_simulate_multiview_model(ARRAY[1, 1, 1], 3) m, generate_series(-500, 500) i, LATERAL (SELECT i / 20.0::float8) s(t),
     LATERAL (SELECT tlv_log_likelihood(m, ARRAY[0.3, t, -1.0])) q(l) GROUP BY m;
SELECT abs((tlv_impute(m, ARRAY[[0.1, 0.2], [0.4, NULL], [1, 1]]))[2][2] - sum(t * exp(l)) / sum(exp(l))) < 1e-3 AS sequences
FROM tlv_simulate_hmm_model(NULL, 2, dimensions => 2, separation => 2) m, generate_series(-1500, 1500) i, LATERAL (SELECT i / 100.0::float8) s(t),
     LATERAL (SELECT tlv_log_likelihood(m, ARRAY[[0.1, 0.2], [0.4, t], [1, 1]])) q(l) GROUP BY m;
-- forms of rows; what is there stays as it is
SELECT tlv_impute(m, ARRAY[1.5, NULL, -2]) AS vector, tlv_impute(m, ROW(1.5, NULL::float8, -2)) = tlv_impute(m, ARRAY[1.5, NULL, -2]) AS record, tlv_impute(m, ARRAY[1, 2, 3]) AS whole,
       abs((tlv_impute(m, ARRAY[NULL, NULL, NULL]::float8[]))[1] - (SELECT sum(weight * mean) FROM tlv_components(m) JOIN tlv_means(m) USING (component) WHERE dimension = 1)) < 1e-9 AS mean,
       tlv_impute(m, NULL::float8[]) IS NULL AS nothing, tlv_impute(tlv_align(m, m), ARRAY[1.5, NULL, -2]) = tlv_impute(m, ARRAY[1.5, NULL, -2]) AS aligned FROM
  tlv_from_json('{"kind": "gaussian_mixture", "covariance": "full", "weights": [1], "means": [[0, 1, 2]], "covariances": [[[2, 1, 0.5], [1, 4, 0], [0.5, 0, 1]]]}') m;
SELECT tlv_impute(m, ROW(1, NULL::int, 3)) = ARRAY[1, c.category, 3]::float8[] AS views FROM tlv_simulate_multiview_model(NULL, 2, categories => ARRAY[3, 3, 3]) m,
  LATERAL (SELECT category FROM tlv_categories(m) t, unnest(tlv_infer(m, ROW(1, NULL::int, 3))) WITH ORDINALITY p(share, c) WHERE variable = 2 AND component = c
           GROUP BY category ORDER BY sum(share * probability) DESC LIMIT 1) c;
SELECT tlv_impute(m, ARRAY[1, NULL, 0, NULL]) = ARRAY[1, s2, 0, s4]::float8[] AS tree FROM tlv_simulate_tree_model(4, 3) m,
  LATERAL (SELECT (array_agg(state ORDER BY probability DESC) FILTER (WHERE node = 'v2'))[1] AS s2, (array_agg(state ORDER BY probability DESC) FILTER (WHERE node = 'v4'))[1] AS s4
           FROM tlv_tree_posterior(m, ARRAY[1, NULL, 0, NULL])) p;
SELECT array_length(tlv_impute(m, ARRAY[1, NULL, NULL, 2, 3]), 1) AS steps, tlv_impute(m, '{}'::int[]) AS none FROM tlv_simulate_hmm_model(3, 2) m;
SELECT tlv_impute(tlv_simulate_lda_model(5, 2), '{1:1}'::tlv_bag);
SELECT tlv_impute(tlv_simulate_ica_model(2), ARRAY[1, NULL]);
SELECT tlv_impute(tlv_simulate_gmm_model(2, 2), ARRAY[1, NULL, 3]);
SELECT tlv_impute(tlv_simulate_gmm_model(2, 2), ARRAY[[1, NULL], [2, 3]]);
SELECT tlv_impute(tlv_simulate_gmm_model(2, 2), ARRAY['NaN', NULL]::float8[]);
SELECT tlv_impute(tlv_simulate_gmm_model(2, 2), ARRAY[1e120, NULL]);
SELECT tlv_impute(tlv_hmm('SELECT i / 10, i, CASE WHEN i % 3 = 0 THEN ''a'' ELSE ''b'' END FROM generate_series(1, 100) i', 2), ARRAY['a', NULL, 'b']);
-- many documents in one value, and the kind of a bag
SELECT tlv_infer(m, ARRAY['{1:2,2:1}'::tlv_bag, NULL, '{3:2}']) = ARRAY[tlv_infer(m, '{1:2,2:1}'), '{NULL,NULL}', tlv_infer(m, '{3:2}')] AS rows, tlv_infer(m, '{}'::tlv_bag[]) AS none,
  tlv_log_likelihood(m, ARRAY['{1:2,2:1}'::tlv_bag, NULL, '{3:2}']) = tlv_log_likelihood(m, '{1:2,2:1}') + tlv_log_likelihood(m, '{3:2}') AS sum
FROM tlv_simulate_lda_model(5, 2) m;
SELECT t.step, t.rank, t.component = tlv_assign(m, CASE step WHEN 1 THEN '{1:2,2:1}'::tlv_bag ELSE '{3:2}' END) AS same
FROM tlv_simulate_lda_model(5, 2) m, tlv_top(m, ARRAY['{1:2,2:1}'::tlv_bag, NULL, '{3:2}']) t;
SELECT tlv_kind('{1:1}'::tlv_bag), tlv_kind('{}'::tlv_bag);
