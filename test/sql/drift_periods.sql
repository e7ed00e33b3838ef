-- Days that differ from each other: their spread is part of the reference, so that ordinary variation raises no alarm and what lies outside of it does.
SET client_min_messages = warning;
CREATE TABLE truth AS SELECT tlv_simulate_gmm_model(3, 2, 4, 'full', seed => 812) AS m;
CREATE TABLE days AS SELECT day, ARRAY[s.x[1] + .52 * sin(day * day), s.x[2], s.x[3]] AS x FROM truth, generate_series(1, 54) day, tlv_simulate_gmm(m, 300, seed => 30000 + day) s;
CREATE TABLE models AS SELECT tlv_gmm('SELECT x FROM days WHERE day <= 10', 2, 'full') AS model;
CREATE TABLE statistics AS SELECT day, tlv_error_statistics(x, model) AS s FROM days, models WHERE day > 10 GROUP BY day, model;
CREATE VIEW before AS SELECT a.day, a.s, array_agg(b.s ORDER BY b.day) AS periods, tlv_rollup(b.s) AS total FROM statistics a JOIN statistics b ON b.day BETWEEN a.day - 14 AND a.day - 1
  WHERE a.day > 24 GROUP BY a.day, a.s;
-- of 30 days on which nothing happens; the sum of the days before knows nothing of their spread
SELECT count(*) AS days, count(*) FILTER (WHERE t.p_value < .05) <= 3 AS few, count(*) FILTER (WHERE t.p_value < .001) AS sure, count(*) FILTER (WHERE u.p_value < .05) > 20 AS by_the_sum
FROM models, before, tlv_drift(model, s, periods) t, tlv_drift(model, s, ARRAY[total]) u WHERE t.component IS NULL AND u.component IS NULL;
SELECT test, component, count(*), count(*) FILTER (WHERE p_value < .05) <= 3 AS few FROM models, before, tlv_drift(model, s, periods) GROUP BY 1, 2 ORDER BY 1, 2;
-- the same spread and something new: the second column moves by 1, or the first by more than on any day before
CREATE TABLE changed AS SELECT what, day, tlv_error_statistics(CASE what WHEN 'another column' THEN ARRAY[x[1], x[2] + 1, x[3]] ELSE ARRAY[x[1] + 3, x[2], x[3]] END, model) AS s
  FROM days, models, unnest(ARRAY['another column', 'farther']) what WHERE day > 24 GROUP BY what, day, model;
SELECT what, count(*) FILTER (WHERE p_value < .05) AS alarms, count(*) AS days FROM models, changed, before b, tlv_drift(model, changed.s, periods) WHERE b.day = changed.day AND component IS NULL
  GROUP BY 1 ORDER BY 1;
-- days that do not differ: the test is that against their sum
CREATE TABLE alike AS SELECT day, tlv_error_statistics(s.x, model) AS s FROM truth, models, generate_series(1, 8) day, tlv_simulate_gmm(m, 300, seed => 100 + day) s GROUP BY day, model;
SELECT max(abs(t.p_value - u.p_value)) < 1e-9 AS same, count(*) FROM models, alike a, (SELECT array_agg(s) AS periods, tlv_rollup(s) AS total FROM alike WHERE day < 8) r,
  tlv_drift(model, a.s, periods) t JOIN LATERAL tlv_drift(model, a.s, ARRAY[total]) u USING (test) WHERE a.day = 8 AND t.component IS NOT DISTINCT FROM u.component;
-- sequences and answers have it, too
CREATE TABLE others AS SELECT tlv_simulate_hmm_model(6, 2, seed => 5) AS hmm, tlv_simulate_lca_model(6, 2, 3, .5, 7) AS lca;
CREATE TABLE other_days AS SELECT 'hmm' AS name, day, tlv_error_statistics(s, hmm) AS s FROM others, generate_series(1, 8) day,
    LATERAL (SELECT seq, array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(hmm, 80, 40, seed => day) GROUP BY seq) q GROUP BY day, hmm
  UNION ALL SELECT 'lca', day, tlv_error_statistics(v, lca) FROM others, generate_series(1, 8) day, tlv_simulate_lca(lca, 300, day) GROUP BY day, lca;
SELECT name, test, component, p_value > .01 AS usual FROM others, other_days a, (SELECT name AS of, array_agg(s) AS periods FROM other_days WHERE day < 8 GROUP BY 1) r,
  tlv_drift(CASE name WHEN 'hmm' THEN hmm ELSE lca END, a.s, periods) WHERE day = 8 AND of = name ORDER BY 1, 2, 3;
-- a column that repeats another has scores that follow from those: they are tested by their rank, as if the column were not there
SELECT setseed(.4);
CREATE TABLE repeated AS SELECT shift, day, ARRAY[a, b] AS once, ARRAY[a, 2 * a, b] AS twice FROM
  (SELECT shift, day, shift * sin(day * day) + sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS a,
  sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS b FROM unnest(ARRAY[0, .5]) shift, generate_series(1, 20) day, generate_series(1, 200)) q;
CREATE TABLE repeated_models AS SELECT tlv_gmm('SELECT once FROM repeated', 1, 'diagonal') AS once, tlv_gmm('SELECT twice FROM repeated', 1, 'diagonal') AS twice;
CREATE TABLE repeated_days AS SELECT r.shift, r.day, tlv_error_statistics(r.once, m.once) AS once, tlv_error_statistics(r.twice, m.twice) AS twice FROM repeated r, repeated_models m
  GROUP BY r.shift, r.day, m.once, m.twice;
CREATE TABLE repeated_tests AS SELECT what, shift, o.component, abs(o.p_value - t.p_value) < 1e-6 AS same, o.p_value FROM repeated_models m, (
    SELECT 'days' AS what, shift, (array_agg(once ORDER BY day))[20] AS new_once, (array_agg(twice ORDER BY day))[20] AS new_twice, (array_agg(once ORDER BY day))[:19] AS once,
  (array_agg(twice ORDER BY day))[:19] AS twice
    FROM repeated_days GROUP BY shift
    UNION ALL SELECT 'sum', shift, tlv_rollup(once) FILTER (WHERE day = 20), tlv_rollup(twice) FILTER (WHERE day = 20),
    ARRAY[tlv_rollup(once) FILTER (WHERE day < 20)], ARRAY[tlv_rollup(twice) FILTER (WHERE day < 20)]
    FROM repeated_days GROUP BY shift) q,
  tlv_drift(m.once, new_once, q.once) o LEFT JOIN LATERAL tlv_drift(m.twice, new_twice, q.twice) t ON t.component IS NOT DISTINCT FROM o.component;
SELECT what, shift, component, same, p_value > .05 AS usual FROM repeated_tests ORDER BY 1, 2, 3;
DROP TABLE repeated, repeated_models, repeated_days, repeated_tests;
-- refused: too few periods, statistics of other kinds or models; NULL values are no periods
SELECT count(*) FROM models, alike, tlv_drift(model, s, ARRAY[s, s, s]) WHERE day = 1;
SELECT count(*) FROM models, alike, tlv_drift(model, s, ARRAY[]::tlv_moments[]) WHERE day = 1;
SELECT count(*) FROM models, alike, tlv_drift(model, s, array_fill(s, ARRAY[6]) || NULL::tlv_moments) WHERE day = 1;
SELECT count(*) FROM others, alike, tlv_drift(hmm, s, array_fill(s, ARRAY[7])) WHERE day = 1;
SELECT count(*) FROM models, alike, (SELECT tlv_statistics(x, model) AS steps FROM models, days WHERE day = 1) q, tlv_drift(model, s, array_fill(s, ARRAY[7]) || steps) WHERE day = 1;
SELECT count(*) AS of_null FROM models, alike, tlv_drift(model, s, NULL::tlv_moments[]) WHERE day = 1;
WITH topics AS (SELECT tlv_simulate_lda_model(20, 2, seed => 3) AS m), errors AS (SELECT m, tlv_error_statistics(bag, m) AS s FROM topics, tlv_simulate_lda(m, 50, 20, seed => 4) GROUP BY m)
SELECT count(*) FROM errors, tlv_drift(m, s, array_fill(s, ARRAY[7]));
DROP TABLE truth, days, models, statistics, changed, alike, others, other_days CASCADE;
