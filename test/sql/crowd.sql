-- Answers of workers: collecting, fit, driver, known answers, reading, new items, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE TABLE crowd_rows AS SELECT * FROM tlv_simulate_crowd(800, 60, 4, share => .17, high => .5, seed => 5);
CREATE TABLE crowd_truth AS SELECT DISTINCT item, true_answer FROM crowd_rows;
CREATE TABLE crowd_names AS SELECT 'item ' || item AS item, 'worker ' || worker AS worker, (ARRAY['cat','dog','owl','fox'])[answer] AS answer FROM crowd_rows;
CREATE TABLE crowd_models AS
  SELECT tlv_crowd('SELECT item, worker, answer FROM crowd_rows') AS model, tlv_crowd('SELECT * FROM crowd_names') AS named,
         tlv_crowd('SELECT item, worker, answer FROM crowd_rows', gold => 'SELECT item, true_answer FROM crowd_truth WHERE item % 10 = 0') AS gold,
         tlv_crowd('SELECT item, worker, answer FROM crowd_rows', start => 'majority', refine => 'none') AS plain,
         (SELECT tlv_fit_crowd(tlv_crowd_answers(item, worker, answer)) FROM crowd_rows) AS stored;
-- items that are wrong, of 100
SELECT round(100 * avg((c.answer <> true_answer)::int), 1) < 12 AS both FROM crowd_models, tlv_consensus(model) c JOIN crowd_truth USING (item);
SELECT avg((c.answer <> true_answer)::int) > .12 AS plain FROM crowd_models, tlv_consensus(plain) c JOIN crowd_truth USING (item);
SELECT count(*) FILTER (WHERE known) AS known, count(*) FILTER (WHERE known AND c.answer <> true_answer) AS wrong, bool_and(probability = 1) FILTER (WHERE known) AS sure
FROM crowd_models, tlv_consensus(gold) c JOIN crowd_truth USING (item);
SELECT model = stored AS stored, model = (model::text)::tlv_model AS text_form, tlv_from_json(tlv_to_json(model)) = model AS json FROM crowd_models;
-- names and numbers say the same
SELECT bool_and(n.answer_name = (ARRAY['cat','dog','owl','fox'])[c.answer]) AS same, bool_and(abs(n.probability - c.probability) < .01) AS sure
FROM crowd_models, tlv_consensus(named) n JOIN tlv_consensus(model) c ON n.item_name = 'item ' || c.item WHERE c.probability > .6;
SELECT bool_and(w.accuracy BETWEEN 0 AND 1 AND w.standard_error < .2) AS workers, sum(w.answers) = (SELECT count(*) FROM crowd_rows) AS answers, min(w.worker_name) AS name
FROM crowd_models, tlv_workers(named) w;
SELECT count(*) AS confusions, bool_and(abs(total - 1) < 1e-9) AS sums
FROM (SELECT sum(probability) AS total FROM crowd_models, tlv_confusions(named) GROUP BY worker, true_answer) q;
SELECT component, label, round(weight::numeric, 1) AS weight FROM crowd_models, tlv_components(model) ORDER BY component;
SELECT measure FROM crowd_models, tlv_diagnostics(model) ORDER BY measure;
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'arrays'->'posterior' AS posterior FROM crowd_models, tlv_info(model) i;
-- collected day by day, and known answers added later
SELECT tlv_fit_crowd(tlv_rollup(a)) = (SELECT model FROM crowd_models) AS days FROM (SELECT tlv_crowd_answers(item, worker, answer) AS a FROM crowd_rows GROUP BY (item + worker) % 5) q;
SELECT tlv_fit_crowd(a + g) = (SELECT gold FROM crowd_models) AS gold
FROM (SELECT tlv_crowd_answers(item, worker, answer) AS a FROM crowd_rows) q, (SELECT tlv_crowd_answers(item, true_answer) AS g FROM crowd_truth WHERE item % 10 = 0) r;
-- in parallel workers
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT tlv_crowd('SELECT item, worker, answer FROM crowd_rows') = model AS parallel FROM crowd_models;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
-- every type of ids; both are texts or both are numbers
SELECT tlv_crowd_answers(item, worker, answer) IS NOT NULL AS all_numbers, tlv_crowd_answers(item::text, worker, answer) IS NOT NULL AS item,
       tlv_crowd_answers(item, worker::text, answer) IS NOT NULL AS worker, tlv_crowd_answers(item::text, worker::text, answer) IS NOT NULL AS item_worker,
       tlv_crowd_answers(item, worker, answer::text) IS NOT NULL AS answer, tlv_crowd_answers(item::text, worker, answer::text) IS NOT NULL AS item_answer,
       tlv_crowd_answers(item, worker::text, answer::text) IS NOT NULL AS worker_answer, tlv_crowd_answers(item::text, worker::text, answer::text) IS NOT NULL AS all_texts,
       tlv_crowd_answers(item, answer) IS NOT NULL AS gold, tlv_crowd_answers(item::text, answer) IS NOT NULL AS gold_item, tlv_crowd_answers(item, answer::text) IS NOT NULL AS gold_answer,
       tlv_crowd_answers(item::text, answer::text) IS NOT NULL AS gold_texts
FROM crowd_rows;
CREATE TYPE crowd_label AS ENUM ('no', 'yes');
CREATE TABLE crowd_types AS
  SELECT md5((i / 4)::text)::uuid AS item, ('w' || i % 4)::varchar(5) AS worker, (ARRAY['no','yes'])[1 + (i / 4) % 2]::crowd_label AS answer, (i / 4) % 2 = 1 AS flag FROM generate_series(0, 79) i;
SELECT answer_name, count(*) FROM tlv_consensus(tlv_crowd('SELECT item, worker, answer FROM crowd_types')) GROUP BY 1 ORDER BY 1;
SELECT answer_name, count(*) FROM tlv_consensus(tlv_crowd('SELECT item, worker, flag FROM crowd_types')) GROUP BY 1 ORDER BY 1;
SELECT label, round(probability::numeric, 3) AS probability
FROM tlv_top(tlv_crowd('SELECT item, worker, answer FROM crowd_types'), ROW(ARRAY['w1', 'w2'], ARRAY['yes', 'yes']::crowd_label[]));
-- new items: all answers to one of them in two arrays; items of the fit get the same answer, and are said to be less sure of it
SELECT bool_and(i.label = c.answer::text) AS as_fitted, avg(c.probability) < avg(i.sure) AS less_sure
FROM crowd_models, LATERAL (SELECT item, tlv_infer(model, ROW(array_agg(worker), array_agg(answer))) AS q FROM crowd_rows GROUP BY item) p
JOIN tlv_consensus(model) c USING (item), LATERAL (SELECT label, q[component] AS sure FROM tlv_components(model) ORDER BY sure DESC LIMIT 1) i;
SELECT (SELECT bool_and(abs(q - weight) < 1e-12)
  FROM unnest(tlv_infer(model, ROW('{}'::int[], '{}'::int[]))) WITH ORDINALITY AS u(q, component) JOIN tlv_components(model) USING (component)) AS nothing
FROM crowd_models;
SELECT abs(tlv_log_likelihood(model, ROW(ARRAY[NULL, 1], ARRAY[1, NULL]))) < 1e-12 AS missing, tlv_assign(named, ROW(ARRAY['worker 1', 'who?'], ARRAY['cat', 'cow'])) BETWEEN 1 AND 4 AS strangers
FROM crowd_models;
SELECT pg_temp.outcome('SELECT tlv_infer(model, ROW(ARRAY[1,2], ARRAY[1])) FROM crowd_models') AS lengths;
SELECT pg_temp.outcome('SELECT tlv_infer(model, ROW(1, 2)) FROM crowd_models') AS no_arrays;
SELECT pg_temp.outcome('SELECT tlv_infer(model, ROW(ARRAY[1.5], ARRAY[1])) FROM crowd_models') AS fractions;
SELECT pg_temp.outcome('SELECT tlv_infer(model, ROW(ARRAY[[1]], ARRAY[1])) FROM crowd_models') AS dimensions;
SELECT pg_temp.outcome('SELECT tlv_infer(model, ARRAY[1, 2]) FROM crowd_models') AS no_row;
SELECT pg_temp.outcome('SELECT tlv_mixing(model) FROM crowd_models') AS other_kind;
-- matching, alignment, compaction
SELECT component_a, component_b, round(distance::numeric, 6) AS distance FROM crowd_models, tlv_match(model, model) ORDER BY 1;
SELECT tlv_align(model, gold) IS NOT NULL AS aligned, tlv_align(model, model) = model AS itself FROM crowd_models;
-- a name that was given stays, before what the reference calls its classes of itself; the reference's goes before the model's own
SELECT c.component, c.label = 'mine' AS kept, d.label = 'theirs' AS reference, e.label IS NOT DISTINCT FROM f.label AS itself
FROM crowd_models, LATERAL tlv_components(tlv_align(tlv_label(model, 2, 'mine'), model)) c JOIN LATERAL
  tlv_components(tlv_align(tlv_label(model, 2, 'mine'), tlv_label(model, 2, 'theirs'))) d
  USING (component) JOIN LATERAL tlv_components(tlv_align(model, tlv_label(model, 2, ''))) e USING (component) JOIN LATERAL tlv_components(model) f USING (component) ORDER BY 1;
-- a class is an answer: one that only the reference has cannot be shown beside other answers
SELECT pg_temp.outcome($$SELECT tlv_align(tlv_crowd('SELECT item, worker, translate(answer::text, ''3'', ''7'') FROM tlv_simulate_crowd(60, 8, 3, share => .6)'),
  tlv_crowd('SELECT item, worker, answer::text FROM tlv_simulate_crowd(60, 8, 3, share => .6)'), 0.5)$$) AS other_answers;
SELECT left(tlv_svg(named), 4) AS picture, position('owl' in tlv_svg(named)) > 0 AS names FROM crowd_models;
-- workers are drawn by accuracy, the least accurate first, each with its interval and beside guessing
WITH w AS (SELECT named, accuracy, row_number() OVER (ORDER BY accuracy) AS place FROM crowd_models, tlv_workers(named)),
  c AS (SELECT m[1]::float8 AS accuracy, place FROM crowd_models, regexp_matches(tlv_svg(named), '<circle [^>]*><title>([0-9.]+)</title>', 'g') WITH ORDINALITY r(m, place))
SELECT count(*) = (SELECT least(count(*), 64) FROM w) AS all_of_them, bool_and(abs(w.accuracy - c.accuracy) < 0.006) AS accuracies,
  (SELECT count(*) FROM crowd_models, regexp_matches(tlv_svg(named), '<title>[0-9.]+ to [0-9.]+</title>', 'g')) = count(*) AS intervals,
  (SELECT count(*) FROM crowd_models, regexp_matches(tlv_svg(named), 'stroke-dasharray', 'g')) AS guessing
FROM w JOIN c USING (place);
-- little to go by
SELECT code, score FROM tlv_warnings(tlv_crowd('SELECT 1, 2, 3'));
SELECT c.* FROM tlv_consensus(tlv_crowd('SELECT i / 2, i, ''same'' FROM generate_series(0, 5) i')) c ORDER BY 1;
SELECT code FROM tlv_warnings(tlv_crowd('SELECT i / 2, i % 2, 1 + i / 2 % 2 FROM generate_series(0, 19) i'));
SELECT code, message FROM tlv_warnings(tlv_crowd('SELECT i / 4, i % 4, 1 + i / 4 % 2 FROM generate_series(0, 79) i', gold => 'VALUES (1, 1), (1, 2), (2, 1)'));
SELECT code, score FROM tlv_warnings(tlv_crowd('SELECT i / 4, nullif(i % 4, 3), 1 + i / 4 % 2 FROM generate_series(0, 79) i'));
-- bad input
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3 WHERE false'')') AS no_rows;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT NULL::int, 2, 3'')') AS only_null;
SELECT tlv_crowd('SELECT 1, 2, 3 WHERE false', on_failure => 'null') IS NULL AS failed;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2'')') AS columns;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3.5'')') AS fraction;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3'', gold => ''SELECT 1'')') AS gold_columns;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3'', gold => ''SELECT 1::text, 3'')') AS gold_types;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3'', shrink => -1)') AS shrink;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3'', start => ''best'')') AS start;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3'', start => ''moments'') IS NOT NULL') AS moments;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT i, i, i FROM generate_series(1, 1001) i'')') AS free_text;
SELECT pg_temp.outcome('SELECT tlv_crowd_answers(1, 2, 3) + tlv_crowd_answers(1, ''2''::text, 3)') AS mixed;
SELECT pg_temp.outcome('SELECT tlv_info(tlv_crowd_answers(1, 2, 3) - tlv_crowd_answers(1, 2, 3))->''arrays''->''entries''') AS taken_away;
SELECT pg_temp.outcome('SELECT tlv_fit_crowd(tlv_dense_moments(ARRAY[1,2]::float8[], 2))') AS other_moments;
SELECT tlv_crowd(NULL) IS NULL AS query, tlv_fit_crowd(NULL) IS NULL AS answers;
-- an answer of a megabyte
SELECT length(answer_name) AS length, label IS NULL AS no_label
FROM (SELECT tlv_crowd($$SELECT i / 4, i % 4, repeat(chr(97 + i / 4 % 2), 1000000) FROM generate_series(0, 79) i$$) AS m OFFSET 0) q, tlv_consensus(m), tlv_components(m) WHERE component = 1 LIMIT 1;
SELECT pg_temp.outcome('SELECT count(*) FROM tlv_simulate_crowd(10, 0)') AS no_workers;
SELECT pg_temp.outcome('SELECT count(*) FROM tlv_simulate_crowd(10, 10, share => 2)') AS share;
SELECT pg_temp.outcome('SELECT count(*) FROM tlv_simulate_crowd(10, 10, low => .5, high => .2)') AS skill;
DROP TABLE crowd_models, crowd_rows, crowd_names, crowd_truth, crowd_types;
DROP TYPE crowd_label;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT'')') AS no_columns;

-- where no division of the workers tells the answers apart, the majority is the start, and a warning says so
SELECT w.code, w.message, w.hint FROM tlv_warnings(tlv_crowd('SELECT item, worker, answer FROM tlv_simulate_crowd(200, 20, 3, seed => 2)', start => 'moments',
  restarts => 1)) w WHERE code = 'not_identified';

-- estimates: weights of the answers and the confusions of every worker, with errors of their own
CREATE TEMP TABLE crowd_errors AS SELECT tlv_crowd('SELECT item, worker, answer FROM tlv_simulate_crowd(300, 12, 3, seed => 2)') AS m;
SELECT part, count(*), count(standard_error) AS with_errors, count(DISTINCT (component, item)) AS different, bool_and(low <= estimate AND estimate <= high) AS around FROM crowd_errors,
      tlv_estimates(m) GROUP BY 1 ORDER BY 1;
SELECT max(abs(e.standard_error - c.standard_error)) < 1e-12 AS as_confusions, count(*) FROM crowd_errors, tlv_estimates(m) e, tlv_confusions(m) c, tlv_components(m) k
WHERE e.part = 'probability' AND e.component = k.component AND k.label = c.true_answer::text AND e.item_name = c.worker || ': ' || c.given_answer AND abs(e.estimate - c.probability) < 1e-12;
SELECT tlv_estimates(m, (SELECT tlv_error_statistics(x, g) FROM (SELECT g, x FROM tlv_simulate_gmm_model(2, 2, 4, seed => 1) g, tlv_simulate_gmm(g, 50)) r)) FROM crowd_errors;
SELECT item_name FROM tlv_estimates(tlv_crowd($$VALUES (1, 'ann', 'yes'), (1, 'bob', 'no'), (2, 'ann', 'no'), (2, 'bob', 'no'), (3, 'ann', 'yes'), (3, 'bob', 'yes')$$))
      WHERE part = 'probability' AND component = 1 ORDER BY item;

-- without a label a class is called what its answer is; an empty label takes that away, too
SELECT component, label, renamed, restored IS NOT DISTINCT FROM label AS restored, empty
FROM (SELECT tlv_crowd('SELECT item, worker, ''answer '' || answer FROM tlv_simulate_crowd(60, 8, 2, share => .6)') AS m) q, LATERAL (SELECT tlv_label(m, 1, 'mine') AS named) n,
  LATERAL (SELECT c.component, c.label, r.label AS renamed, b.label AS restored, e.label AS empty FROM tlv_components(m) c JOIN tlv_components(named) r USING (component)
    JOIN tlv_components(tlv_label(named, 1, NULL)) b USING (component) JOIN tlv_components(tlv_label(named, 1, '')) e USING (component)) l ORDER BY component;
SELECT tlv_label(tlv_label(m, 2, 'mine'), 2, NULL) = m AS numbers FROM (SELECT tlv_crowd('SELECT item, worker, answer FROM tlv_simulate_crowd(60, 8, 2, share => .6)') AS m) q;

-- workers who copy a key count as one: the warning, the column, stored forms, merged days, items wrong
CREATE TEMP TABLE crowd_copied AS
  SELECT item, 'w' || worker AS worker, CASE WHEN worker <= 8 AND hashint8(61 * item + worker) % 10 <> 0 THEN CASE item % 4 WHEN 0 THEN true_answer ELSE 1 + abs(hashint8(item)) % 4 END
    ELSE answer END AS answer, true_answer
  FROM tlv_simulate_crowd(400, 30, 4, share => .33, low => .2, high => .8, seed => 3);
CREATE TEMP TABLE crowd_copies AS SELECT tlv_crowd('SELECT item, worker, answer FROM crowd_copied') AS m, tlv_crowd('SELECT item, worker, answer FROM crowd_copied', copies => 'ignore') AS ignored,
  tlv_crowd('SELECT item, worker, answer FROM crowd_copied WHERE worker NOT IN (''w1'', ''w2'', ''w3'', ''w4'', ''w5'', ''w6'', ''w7'')') AS honest;
SELECT w.code, w.score > .6 AS rate, regexp_replace(w.message, '[0-9]+ of 100', 'N of 100') AS message, w.hint FROM crowd_copies, tlv_warnings(m) w;
SELECT copies, string_agg(worker_name, ' ' ORDER BY worker_name) AS workers FROM crowd_copies, tlv_workers(m) WHERE copies IS NOT NULL GROUP BY 1;
SELECT count(copies) AS ignored FROM crowd_copies, tlv_workers(ignored);
SELECT count(copies) AS one_left, count(*) FROM crowd_copies, tlv_workers(honest);
SELECT avg((a.answer <> true_answer)::int) < .1 AS found, avg((a.answer <> true_answer)::int) < avg((b.answer <> true_answer)::int) - .02 AS better
FROM crowd_copies, (SELECT DISTINCT item, true_answer FROM crowd_copied) t JOIN LATERAL tlv_consensus(m) a USING (item) JOIN LATERAL tlv_consensus(ignored) b USING (item);
SELECT m = (m::text)::tlv_model AS text_form, tlv_from_json(tlv_to_json(m)) = m AS json, tlv_to_json(m)::jsonb ? 'copies' AS kept, tlv_to_json(ignored)::jsonb ? 'copies' AS of_none FROM crowd_copies;
SELECT tlv_fit_crowd(tlv_rollup(a)) = m AS days, tlv_fit_crowd(tlv_rollup(a), copies => 'ignore') = ignored AS days_ignored
FROM crowd_copies, (SELECT tlv_crowd_answers(item, worker, answer) AS a FROM crowd_copied GROUP BY item % 3) q GROUP BY m, ignored;
SELECT pg_temp.outcome('SELECT tlv_crowd(''SELECT 1, 2, 3'', copies => ''none'')') AS copies;
