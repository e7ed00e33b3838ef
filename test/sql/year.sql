-- A year of daily models whose components come and go: what tlv_align does to numbers; and updates that keep part of the old model.
SET client_min_messages = error;
CREATE SCHEMA year;
SET search_path = year, public;
-- a year of daily fits whose groups come and go: aligned with the day before, every group keeps its number for good, and one that comes again has the number it had
CREATE TABLE year_groups AS SELECT g, first, last, ARRAY[(g = 1)::int, (g = 2)::int, (g = 3)::int, (g = 4)::int, (g = 5)::int]::float8[] AS center
  FROM (VALUES (1, 1, 365), (2, 1, 365), (3, 1, 120), (3, 200, 365), (4, 80, 260), (5, 150, 365)) v(g, first, last);
CREATE TABLE year (day int, component int, g int, off float8);
DO $$
DECLARE
  model tlv_model;
  today tlv_model;
BEGIN
  FOR d IN 1..365 LOOP
    SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY(SELECT 6 * c + sin(i * (13 * n + 7) + 17 * d + g) FROM unnest(center) WITH ORDINALITY u(c, n) ORDER BY n), 3),
        count(DISTINCT g)::int, 'common', seed => d)
      INTO today FROM year_groups, generate_series(1, 40 + 5 * g) i WHERE d BETWEEN first AND last;
    model := CASE WHEN model IS NULL THEN today ELSE tlv_align(today, model, max_distance => 3) END;
    INSERT INTO year SELECT d, c.component, g, off FROM tlv_components(model) c, LATERAL (
      SELECT g, sqrt(sum((m.mean - 6 * center[m.dimension]) ^ 2)) AS off
      FROM year_groups, tlv_means(model) m WHERE m.component = c.component GROUP BY g, first ORDER BY 2 LIMIT 1) q WHERE c.weight > 0;
  END LOOP;
END $$;
SELECT count(DISTINCT day) AS days, count(DISTINCT (component, g)) AS pairs, count(DISTINCT component) AS numbers, count(DISTINCT g) AS groups, max(off) < 1.5 AS near FROM year;
SELECT g, count(DISTINCT component) AS numbers, min(day) AS first, max(day) AS last, count(*) AS days FROM year GROUP BY g ORDER BY g;
-- the same of topics that come and go, in words that all of them use; a day is 150 texts. Every topic keeps its number, and one that comes again has the number it had
CREATE TABLE year_topics AS
  SELECT g, w, (p / sum(p) OVER (PARTITION BY g))::float8 AS p
  FROM (SELECT g, w, CASE WHEN w % 5 = g % 5 THEN 16. ELSE 1 END * (1 + w % 3) AS p FROM generate_series(1, 5) g, generate_series(1, 40) w) q;
CREATE TABLE topic_days (day int, component int, g int, off float8);
DO $$
DECLARE
  model tlv_model;
  today tlv_model;
  truth tlv_model;
  k int;
BEGIN
  FOR d IN 1..365 LOOP
    SELECT tlv_topic_model(array_agg(n), array_agg(w), array_agg(p), 
        (SELECT array_agg(.1::float8) FROM year_groups WHERE d BETWEEN first AND last)), max(n)
      INTO truth, k FROM (SELECT g, row_number() OVER (ORDER BY g)::int AS n FROM year_groups WHERE d BETWEEN first AND last) q JOIN year_topics USING (g);
    today := tlv_lda(format('SELECT bag FROM tlv_simulate_lda(%L, 150, 40, seed => %s)', truth, d), k, alpha0 => .1 * k, refine => 'none');
    model := CASE WHEN model IS NULL THEN today ELSE tlv_align(today, model, max_distance => 1) END;
    INSERT INTO topic_days SELECT DISTINCT ON (t.topic) d, t.topic, g, sum(abs(p - coalesce(i.probability, 0)))
      FROM tlv_topics(model) t CROSS JOIN year_topics
      LEFT JOIN tlv_topic_items(model) i ON i.topic = t.topic AND i.item = w WHERE t.weight > 0 GROUP BY t.topic, g ORDER BY t.topic, 4;
  END LOOP;
END $$;
SELECT count(DISTINCT day) AS days, count(DISTINCT (component, g)) AS pairs, count(DISTINCT component) AS numbers, count(DISTINCT g) AS topics, max(off) < .7 AS near FROM topic_days;
SELECT g, count(DISTINCT component) AS numbers, min(day) AS first, max(day) AS last, count(*) AS days FROM topic_days GROUP BY g ORDER BY g;
-- decay: a tenth of every day's step is taken, so that a mean that has moved is followed by nine tenths less of the way a day
CREATE TABLE decay AS WITH RECURSIVE days AS (
  SELECT 0 AS day, m AS model FROM tlv_gmm('SELECT ARRAY[sin(i), cos(3 * i)] FROM generate_series(1, 200) i', 1, 'full') m
  UNION ALL SELECT day + 1, tlv_update(model, (SELECT tlv_statistics(ARRAY[10 + sin(i), cos(3 * i)], model) FROM generate_series(1, 200) i), weight => 0.1) FROM days WHERE day < 40)
  SELECT day, mean FROM days, tlv_means(model) WHERE dimension = 1;
SELECT day, round(mean::numeric, 2) AS mean, round((10 * (1 - 0.9 ^ day))::numeric, 2) AS expected FROM decay WHERE day % 10 = 0 ORDER BY day;
-- without a distance a new group takes the number of one that has gone
TRUNCATE year;
DO $$
DECLARE
  model tlv_model;
  today tlv_model;
BEGIN
  FOR d IN 118..152 LOOP
    SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY(SELECT 6 * c + sin(i * (13 * n + 7) + 17 * d + g) FROM unnest(center) WITH ORDINALITY u(c, n) ORDER BY n), 3),
        count(DISTINCT g)::int, 'common', seed => d)
      INTO today FROM year_groups, generate_series(1, 40 + 5 * g) i WHERE d BETWEEN first AND last;
    model := CASE WHEN model IS NULL THEN today ELSE tlv_align(today, model) END;
    INSERT INTO year SELECT d, c.component, g, off FROM tlv_components(model) c, LATERAL (
      SELECT g, sqrt(sum((m.mean - 6 * center[m.dimension]) ^ 2)) AS off
      FROM year_groups, tlv_means(model) m WHERE m.component = c.component GROUP BY g, first ORDER BY 2 LIMIT 1) q WHERE c.weight > 0;
  END LOOP;
END $$;
SELECT component, array_agg(DISTINCT g) AS groups FROM year GROUP BY component ORDER BY component;
DROP SCHEMA year CASCADE;
