-- suggest_k.sql - how often tlv_suggest_k finds the true number of components, and how often one where there is none.
-- Asked, topics: exact in 12 of 15 weak settings where two halves have 5, and 1 where words are independent; rank tests: false alarms of 1 to 2 %.
SET client_min_messages = error;
CREATE TEMP TABLE topic_settings AS SELECT * FROM (VALUES
  ('8 topics, 3,000 x 30, alpha0 20', 400, 8, 20., 3000, 30, 8), ('8 topics, 1,000 x 30, alpha0 8', 400, 8, 8., 1000, 30, 8), ('8 topics, 150 x 30, alpha0 .8', 400, 8, 0.8, 150, 30, 8),
  ('no topics, 1,500 x 30', 300, 1, 1., 1500, 30, 1), ('no topics, 200 x 60', 300, 1, 1., 200, 60, 1)) v(setting, items, topics, alpha0, documents, length, k);
CREATE TEMP TABLE topic_found AS
  SELECT setting, t.k, seed, held_out.k AS held_out, halves.k AS halves
  FROM topic_settings t, generate_series(1, CASE t.k WHEN 1 THEN 15 ELSE 20 END) seed,
    LATERAL (SELECT tlv_simulate_lda_model(items, topics, alpha0 => alpha0, concentration => CASE t.k WHEN 1 THEN 0.5 ELSE 0.1 END, seed => 900 + seed) AS m) m,
    LATERAL (SELECT k FROM tlv_suggest_k(format('SELECT bag FROM tlv_simulate_lda(%L, %s, %s, seed => %s)', m, documents, length, seed), 'held_out') WHERE chosen) held_out,
    LATERAL (SELECT array_agg(bag) AS bags FROM tlv_simulate_lda(m, documents, length, seed => seed)) d,
    LATERAL (SELECT array_agg(s ORDER BY fold) AS s FROM (
      SELECT fold, tlv_find_subspace(tlv_count_moments(bag), 20, distinct_pairs => true) AS s FROM (SELECT bag, tlv_fold(bag, 2) AS fold FROM unnest(bags) bag) q GROUP BY fold) q) h,
    LATERAL (SELECT k FROM tlv_suggest_k((SELECT tlv_count_moments(bag, s[1]) FROM unnest(bags) bag WHERE tlv_fold(bag, 2) = 1),
      (SELECT tlv_count_moments(bag, s[2]) FROM unnest(bags) bag WHERE tlv_fold(bag, 2) = 0)) WHERE chosen) halves;
SELECT setting, k AS true_k, count(*) AS sets, count(*) FILTER (WHERE held_out = k) AS held_out_exact, count(*) FILTER (WHERE halves = k) AS halves_exact,
  count(*) FILTER (WHERE held_out > k) AS held_out_more, count(*) FILTER (WHERE halves > k) AS halves_more, round(avg(held_out), 1) AS held_out_mean, round(avg(halves), 1) AS halves_mean
FROM topic_found GROUP BY 1, 2 ORDER BY min(seed), 2 DESC, 1;

-- Where nothing depends on anything: how often the rank tests find more than one component, of 500 sets each.
CREATE FUNCTION pg_temp.normal() RETURNS float8 LANGUAGE sql VOLATILE AS 'SELECT sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())';
DO 'BEGIN PERFORM setseed(0.5); END';
CREATE TEMP TABLE noise AS
  SELECT 'symbols, 8 of them, 5,000 steps' AS rows, set, tlv_sequence_moments(s) AS m FROM (
    SELECT set, seq, array_agg(1 + floor(8 * random() ^ 2)::int) AS s FROM generate_series(1, 500) set, generate_series(1, 50) seq, generate_series(1, 100) t GROUP BY 1, 2) q GROUP BY 2
  UNION ALL SELECT 'three categories of 6, 2,000 rows', set, tlv_view_moments(floor(6 * random() ^ 2)::int, floor(6 * random())::int, floor(6 * random() ^ 3)::int)
    FROM generate_series(1, 500) set, generate_series(1, 2000) row GROUP BY 2
  UNION ALL SELECT 'three views of 4 numbers, normal, 500 rows', set, tlv_view_moments(x[1:4], x[5:8], x[9:12])
    FROM (SELECT set, row, array_agg(pg_temp.normal()) AS x FROM generate_series(1, 500) set, generate_series(1, 500) row, generate_series(1, 12) i GROUP BY 1, 2) q GROUP BY 2;
SELECT rows, count(*) AS sets, round(avg((k > 1)::int), 3) AS false_alarms, max(k) AS most
FROM noise, LATERAL (SELECT k FROM tlv_suggest_k(m) WHERE criterion = 'rank_test' AND chosen) s GROUP BY 1 ORDER BY 1;

-- Where there are components: the rank test beside what is held out (Markov models, windows) or the tests' middle (classes by three views), and BIC beside ICL (mixtures).
CREATE TEMP TABLE chains AS SELECT * FROM (VALUES
  ('4 states, 20 symbols, stay .7', 20, 4, 0.7), ('4 states, 20 symbols, stay .2', 20, 4, 0.2), ('3 states, 8 symbols, stay .9', 8, 3, 0.9)) v(setting, symbols, k, stay);
SELECT setting, k AS true_k, criterion, count(*) AS sets, count(*) FILTER (WHERE found = k) AS exact, count(*) FILTER (WHERE found > k) AS more FROM (
  SELECT setting, c.k, s.criterion, s.k AS found FROM chains c, generate_series(1, 20) seed,
    LATERAL (SELECT tlv_sequence_moments(x) AS m FROM (SELECT array_agg(h.symbol ORDER BY h.t) AS x
      FROM tlv_simulate_hmm_model(symbols => symbols, k => c.k, stay => stay, seed => seed) truth,
        tlv_simulate_hmm(truth, 200, 100, seed => seed) h GROUP BY h.seq) q) d, tlv_suggest_k(m) s WHERE s.chosen
  UNION ALL SELECT '3 classes of 6 categories, 8,000 rows', 3, criterion, s.k FROM generate_series(1, 60) seed,
    LATERAL (SELECT tlv_view_moments(category1, category2, category3) AS m
      FROM tlv_simulate_multiview_model(categories => '{6,6,6}', k => 3, seed => seed) truth, tlv_simulate_multiview(truth, 8000, seed => seed)) d,
    tlv_suggest_k(m) s WHERE s.chosen) q GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
CREATE TEMP TABLE clouds AS
  SELECT 'one correlated normal' AS setting, 1 AS k, seed, ARRAY[x[1], x[1] + 0.5 * x[2], x[2] - x[3], x[4] + x[1]] AS x
    FROM (SELECT seed, array_agg(pg_temp.normal()) AS x FROM generate_series(1, 5) seed, generate_series(1, 2000) row, generate_series(1, 4) i GROUP BY seed, row) q
  UNION ALL SELECT 'uniform', 1, seed, ARRAY[random(), random(), random()] FROM generate_series(1, 5) seed, generate_series(1, 2000) row
  UNION ALL SELECT '3 components at separation ' || sep, 3, seed, p.x FROM generate_series(1, 5) seed, unnest(ARRAY[4, 8]) sep,
    tlv_simulate_gmm_model(4, 3, separation => sep, seed => seed) m, tlv_simulate_gmm(m, 2000, seed => seed) p;
SELECT setting, k AS true_k, criterion, count(*) AS sets, count(*) FILTER (WHERE found = k) AS exact, array_agg(found ORDER BY found) AS found FROM (
  SELECT DISTINCT setting, k, seed FROM clouds) q, LATERAL (
  SELECT criterion, s.k AS found FROM tlv_suggest_k(format('SELECT x FROM clouds WHERE setting = %L AND seed = %s', setting, seed), model => 'gmm') s WHERE chosen) s GROUP BY 1, 2, 3 ORDER BY 1, 3;
