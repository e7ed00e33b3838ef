-- drift.sql - how often days of documents alarm, by what has changed: tlv_drift of 500 documents of 60 words under a model of 5,000, beside a reference of 5,000 others.
-- Behind them the score test of mixtures and hidden Markov models: 20 fits, each with a reference of its own and days that are as before or not.
-- Asked: nothing has changed, each test 5 %; a topic of 1.4 times the share .85 (shares); a new topic in half of 2 % of the documents .93 (new words); documents half as mixed 1 (likelihood).
SELECT tlv_simulate_lda_model(300, 5, alpha0 => .5, seed => 77) AS truth \gset
CREATE TEMP TABLE ways AS
  SELECT 'nothing' AS way, :'truth'::tlv_model AS model, NULL::tlv_model AS other, 0. AS share, 200 AS days
  UNION ALL SELECT 'topic 3, share x 1.4', tlv_topic_model(array_agg(topic), array_agg(item), array_agg(probability),
    (SELECT array_agg(alpha * CASE topic WHEN 3 THEN 1.4 ELSE 1 END ORDER BY topic)
    FROM tlv_topics(:'truth'::tlv_model))), NULL, 0, 300 FROM tlv_topic_items(:'truth'::tlv_model)
  UNION ALL SELECT 'half as mixed', tlv_topic_model(array_agg(topic), array_agg(item), array_agg(probability),
    (SELECT array_agg(alpha / 2 ORDER BY topic) FROM tlv_topics(:'truth'::tlv_model))), NULL, 0, 40
    FROM tlv_topic_items(:'truth'::tlv_model)
  UNION ALL SELECT 'a new topic in 2 % of the documents', :'truth'::tlv_model, tlv_simulate_lda_model(300, 1, seed => 5), .02, 40
  UNION ALL SELECT 'a new topic in 5 % of the documents', :'truth'::tlv_model, tlv_simulate_lda_model(300, 1, seed => 5), .05, 40;
CREATE TEMP TABLE docs AS SELECT bag FROM tlv_simulate_lda(:'truth'::tlv_model, 5000, 60, seed => 1);
CREATE TEMP TABLE fitted AS SELECT tlv_lda('SELECT bag FROM docs', 5) AS model;
CREATE TEMP TABLE reference AS SELECT tlv_error_statistics(bag, (SELECT model FROM fitted)) AS s FROM tlv_simulate_lda(:'truth'::tlv_model, 5000, 60, seed => 2);
CREATE TEMP TABLE found AS
  SELECT way, day, t.* FROM ways, fitted, reference, generate_series(1, days) day,
    LATERAL (SELECT tlv_error_statistics(bag, (SELECT model FROM fitted)) AS s FROM (
      SELECT bag FROM tlv_simulate_lda(ways.model, 500, 60, seed => 100 + day) WHERE doc > 500 * share
      UNION ALL (SELECT tlv_bag_agg(item, weight) FROM (
        SELECT doc, item, weight FROM tlv_simulate_lda(ways.model, (500 * share)::int, 30, seed => 5000 + day), tlv_bag_items(bag) WHERE share > 0
        UNION ALL SELECT doc, item, weight FROM tlv_simulate_lda(other, (500 * share)::int, 30, seed => 9000 + day), tlv_bag_items(bag) WHERE share > 0) mixed GROUP BY doc)) q) d,
    LATERAL tlv_drift(fitted.model, d.s, ARRAY[reference.s]) t WHERE t.component IS NULL;
SELECT way, count(DISTINCT day) AS days, round(avg((p_value < .05)::int) FILTER (WHERE test = 'shares'), 3) AS shares,
  round(avg((p_value < .05)::int) FILTER (WHERE test = 'likelihood'), 3) AS likelihood,
  round(avg((p_value < .05)::int) FILTER (WHERE test = 'new words'), 3) AS new_words FROM found GROUP BY 1 ORDER BY min(day), 1;
SELECT way, round(avg((p < .05)::int), 3) AS any_5_percent, round(avg((p < .001)::int), 3) AS any_1_in_1000
FROM (SELECT way, day, 3 * min(p_value) AS p FROM found GROUP BY 1, 2) q GROUP BY 1 ORDER BY 1;

-- Mixtures: 3 components in 4 dimensions at separation 4, fitted to 5,000 rows, reference 5,000, days of 500. Markov models: 3 states, 8 symbols, 300 sequences of 60, reference 1,000, days of 200.
CREATE TEMP TABLE score_fits AS
  SELECT 'mixture' AS model, g, m, tlv_gmm(format('SELECT x FROM tlv_simulate_gmm(%L, 5000, seed => %s)', m, g + 1000), 3, covariance => 'diagonal') AS f
  FROM tlv_simulate_gmm_model(4, 3, separation => 4, covariance => 'diagonal', seed => 3) m, generate_series(1, 20) g
  UNION ALL SELECT 'Markov', g, m, tlv_hmm(format('SELECT seq, t, symbol FROM tlv_simulate_hmm(%L, 300, 60, seed => %s)', m, g + 1000), 3)
  FROM tlv_simulate_hmm_model(symbols => 8, k => 3, seed => 3) m, generate_series(1, 20) g;
CREATE TEMP TABLE score_ways AS SELECT * FROM (VALUES
  ('mixture', 'nothing', 10), ('mixture', 'the mean of a component by .3', 3), ('mixture', 'a dimension x 1.1', 3),
  ('mixture', 'a component x 1.3 as frequent', 3), ('mixture', 'a new component, 2 %', 3),
  ('Markov', 'nothing', 10), ('Markov', 'steps in the other order', 3), ('Markov', 'two symbols changed in 5 % of the steps', 3), ('Markov', 'one step in ten at random', 3)) v(model, way, days);
CREATE TEMP TABLE score_references AS
  SELECT model, g, tlv_error_statistics(x, f) AS s FROM score_fits, tlv_simulate_gmm(m, 5000, seed => g + 2000) WHERE model = 'mixture' GROUP BY 1, 2
  UNION ALL SELECT model, g, tlv_error_statistics(x, f) FROM (SELECT model, g, f, seq, array_agg(symbol ORDER BY t) AS x
    FROM score_fits, tlv_simulate_hmm(m, 1000, 60, seed => g + 2000) WHERE model = 'Markov' GROUP BY 1, 2, 3, 4) q GROUP BY 1, 2;
CREATE TEMP TABLE score_days AS
  SELECT model, way, g, day, tlv_error_statistics(CASE way WHEN 'the mean of a component by .3' THEN ARRAY[x[1] + CASE component WHEN 1 THEN .3 ELSE 0 END, x[2], x[3], x[4]]
      WHEN 'a dimension x 1.1' THEN ARRAY[1.1 * x[1], x[2], x[3], x[4]] WHEN 'a new component, 2 %' THEN CASE WHEN id % 50 = 0 THEN ARRAY[x[2], x[1], x[4], x[3]] ELSE x END ELSE x END, f) AS s
  FROM score_fits JOIN score_ways USING (model), generate_series(1, days) day, tlv_simulate_gmm(m, 650, seed => 100 * day + g)
  WHERE model = 'mixture' AND (id <= 500 OR way = 'a component x 1.3 as frequent' AND component = 1) GROUP BY 1, 2, 3, 4
  UNION ALL SELECT model, way, g, day, tlv_error_statistics(x, f) FROM (SELECT model, way, g, day, f, seq, array_agg(CASE
      WHEN way ~ 'two symbols' AND (7 * t + 3 * seq) % 20 = 0 AND symbol = 1 THEN 2 WHEN way ~ 'one step' AND (7 * t + 3 * seq) % 10 = 0 THEN 1 + (t * t + seq) % 8 ELSE symbol END
      ORDER BY CASE way WHEN 'steps in the other order' THEN -t ELSE t END) AS x
    FROM score_fits JOIN score_ways USING (model), generate_series(1, days) day, tlv_simulate_hmm(m, 200, 60, seed => 100 * day + g)
    WHERE model = 'Markov' GROUP BY 1, 2, 3, 4, 5, 6) q GROUP BY 1, 2, 3, 4;
SELECT model, way, count(DISTINCT (g, day)) AS days, round(avg((p_value < .05)::int) FILTER (WHERE component IS NULL), 3) AS scores_5_percent,
  round(avg((p_value < .001)::int) FILTER (WHERE component IS NULL), 3) AS scores_1_in_1000, round(avg((p_value < .05)::int) FILTER (WHERE component = 1), 3) AS component_1,
  round(avg((p_value < .05)::int) FILTER (WHERE component > 1), 3) AS others
FROM score_days d JOIN score_fits USING (model, g) JOIN score_references r USING (model, g), tlv_drift(f, d.s, ARRAY[r.s]) GROUP BY 1, 2 ORDER BY 1 DESC, way <> 'nothing', 2;

-- Graphs: 20 models of 400 nodes in 3 communities (within .1, between .02; mixed: alpha0 .3), each fitted to a graph of its own; days of one graph each, 7 of them the reference.
CREATE TEMP TABLE graph_fits AS
  SELECT 'blocks' AS model, g, m, tlv_mmsb(format('SELECT * FROM tlv_simulate_mmsb(%L, %s)', m, g), 3) AS f
  FROM generate_series(1, 20) g, tlv_simulate_mmsb_model(400, 3, 0, .1, .02, seed => 500 + g) m
  UNION ALL SELECT 'mixed', g, m, tlv_mmsb(format('SELECT * FROM tlv_simulate_mmsb(%L, %s)', m, g), 3, alpha0 => .3)
  FROM generate_series(1, 20) g, tlv_simulate_mmsb_model(400, 3, .3, .1, .02, seed => 700 + g) m;
CREATE TEMP TABLE graph_ways AS SELECT * FROM (VALUES ('nothing', 10), ('edges within a community x 1.1', 5), ('edges within a community x 1.2', 5), ('5 % of the nodes change places', 5),
  ('10 % of the nodes change places', 5), ('a tenth of the edges at random', 5)) v(way, days);
-- Of the edges within community 1 as many more as are drawn again; nodes that change places are those of equal remainders, each with the one 7 before it.
CREATE TEMP TABLE graph_days AS
  SELECT model, way, g, day, tlv_graph_agg(a, b) AS s FROM (
    SELECT model, way, g, day, CASE WHEN way ~ 'random' AND (src * 31 + dst * 17 + day) % 10 = 0 THEN 1 + (src * 37 + dst * 11 + day) % 400
        WHEN way ~ '^5 %' AND src % 40 = 0 THEN src - 7 WHEN way ~ '^5 %' AND src % 40 = 33 THEN src + 7
        WHEN way ~ '^10 %' AND src % 20 = 0 THEN src - 7 WHEN way ~ '^10 %' AND src % 20 = 13 THEN src + 7 ELSE src END AS a,
      CASE WHEN way ~ '^5 %' AND dst % 40 = 0 THEN dst - 7 WHEN way ~ '^5 %' AND dst % 40 = 33 THEN dst + 7
        WHEN way ~ '^10 %' AND dst % 20 = 0 THEN dst - 7 WHEN way ~ '^10 %' AND dst % 20 = 13 THEN dst + 7 ELSE dst END AS b
    FROM graph_fits, graph_ways, generate_series(1, days) day, tlv_simulate_mmsb(m, 1000 * g + 100 + day)
    UNION ALL
    SELECT model, way, g, day, src, dst FROM graph_fits, graph_ways, generate_series(1, days) day, tlv_simulate_mmsb(m, 1000 * g + 300 + day)
    WHERE way ~ 'within' AND (src * 31 + dst * 17 + day) % 10 < CASE WHEN way ~ '1.1' THEN 1 ELSE 2 END AND EXISTS (SELECT FROM tlv_memberships(m) a, tlv_memberships(m) b
      WHERE a.node = src AND b.node = dst AND a.community = 1 AND b.community = 1 AND a.membership > .5 AND b.membership > .5)) q
  WHERE a <> b GROUP BY 1, 2, 3, 4;
CREATE TEMP TABLE graph_references AS
  SELECT model, g, array_agg(s) AS s FROM (
    SELECT model, g, day, tlv_graph_agg(src, dst) AS s FROM graph_fits, generate_series(1, 7) day, tlv_simulate_mmsb(m, 1000 * g + 500 + day) GROUP BY 1, 2, 3) q GROUP BY 1, 2;
SELECT model, way, count(DISTINCT (g, day)) AS days, round(avg((p_value < .05)::int) FILTER (WHERE test = 'scores'), 3) AS scores,
  round(avg((p_value < .05)::int) FILTER (WHERE test = 'nodes'), 3) AS nodes, round(avg((p_value < .001)::int) FILTER (WHERE test = 'scores'), 3) AS scores_1_in_1000,
  round(avg((p_value < .001)::int) FILTER (WHERE test = 'nodes'), 3) AS nodes_1_in_1000, round(avg((p_value < .05)::int) FILTER (WHERE component = 1), 3) AS community_1
FROM graph_days d JOIN graph_fits USING (model, g) JOIN graph_references r USING (model, g), tlv_drift(f, d.s, r.s) GROUP BY 1, 2 ORDER BY 1, way <> 'nothing', 2;
