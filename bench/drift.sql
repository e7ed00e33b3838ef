-- drift.sql - how often days of documents alarm, by what has changed: tlv_drift of 500 documents of 60 words under a model of 5,000, beside a reference of 5,000 others.
-- Asked: nothing has changed, each test 5 %; a topic of 1.4 times the share .85 (shares); a new topic in half of 2 % of the documents .93 (new words); documents half as mixed 1 (likelihood).
SELECT tlv_simulate_lda_model(300, 5, alpha0 => .5, seed => 77) AS truth \gset
CREATE TEMP TABLE ways AS
  SELECT 'nothing' AS way, :'truth'::tlv_model AS model, NULL::tlv_model AS other, 0. AS share, 200 AS days
  UNION ALL SELECT 'topic 3, share x 1.4', tlv_topic_model(array_agg(topic), array_agg(item), array_agg(probability),
    (SELECT array_agg(alpha * CASE topic WHEN 3 THEN 1.4 ELSE 1 END ORDER BY topic)
    FROM tlv_topics(:'truth'::tlv_model))), NULL, 0, 40 FROM tlv_topic_items(:'truth'::tlv_model)
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
    LATERAL tlv_drift(fitted.model, d.s, reference.s) t WHERE t.component IS NULL;
SELECT way, count(DISTINCT day) AS days, round(avg((p_value < .05)::int) FILTER (WHERE test = 'shares'), 3) AS shares,
  round(avg((p_value < .05)::int) FILTER (WHERE test = 'likelihood'), 3) AS likelihood,
  round(avg((p_value < .05)::int) FILTER (WHERE test = 'new words'), 3) AS new_words FROM found GROUP BY 1 ORDER BY min(day), 1;
SELECT way, round(avg((p < .05)::int), 3) AS any_5_percent, round(avg((p < .001)::int), 3) AS any_1_in_1000
FROM (SELECT way, day, 3 * min(p_value) AS p FROM found GROUP BY 1, 2) q GROUP BY 1 ORDER BY 1;
