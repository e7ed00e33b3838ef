-- How topics come together: second moments of their shares under a model.
\set ECHO none
\set VERBOSITY terse
SET client_min_messages = warning;
\set ECHO queries
CREATE TABLE truth AS SELECT tlv_simulate_lda_model(200, 4, alpha0 => 1, seed => 3) AS m;
CREATE TABLE drawn AS SELECT doc, bag, shares FROM truth, tlv_simulate_lda(m, 3000, 60, seed => 3);
CREATE TABLE products AS SELECT tlv_topic_products(bag, (SELECT m FROM truth)) AS p FROM drawn;
-- against the shares that the documents were drawn with: within four standard errors of each, and of a size that says something
SELECT count(*) AS pairs, bool_and(abs(c.correlation - t.correlation) < 4 * standard_error) AS near, max(standard_error) < .05 AS sharp, min(standard_error) > .002 AS honest
FROM products, tlv_topic_correlations(p) c JOIN (
  SELECT a.j AS topic_a, b.j AS topic_b, corr(a.s, b.s) AS correlation FROM drawn, unnest(shares) WITH ORDINALITY a(s, j), unnest(shares) WITH ORDINALITY b(s, j) GROUP BY 1, 2) t
  USING (topic_a, topic_b) WHERE topic_a < topic_b;
SELECT round(sum(CASE WHEN topic_a = topic_b THEN 1 ELSE 2 END * second_moment)::numeric, 9) AS total, bool_and(correlation = 1 AND standard_error = 0) FILTER (WHERE topic_a = topic_b) AS diagonal
  FROM products, tlv_topic_correlations(p);
SELECT topic, abs(mean - .25) < .05 AS mean, abs(alpha - .25) < .06 AS alpha FROM products, tlv_topic_alpha(p);
-- in parts, in workers, of many documents a row: the same
SELECT count(*) FROM (SELECT tlv_rollup(part) AS p FROM (SELECT tlv_topic_products(bag, (SELECT m FROM truth)) AS part FROM drawn GROUP BY doc % 5) parts) r,
  tlv_topic_correlations(r.p) a JOIN (SELECT c.* FROM products, tlv_topic_correlations(p) c) b USING (topic_a, topic_b)
  WHERE abs(a.correlation - b.correlation) < 1e-9 AND abs(a.standard_error - b.standard_error) < 1e-9;
SELECT count(*) FROM (SELECT tlv_topic_products(bags, (SELECT m FROM truth)) AS p FROM (SELECT array_agg(bag) AS bags FROM drawn GROUP BY doc % 7) a) r,
  tlv_topic_correlations(r.p) a JOIN (SELECT c.* FROM products, tlv_topic_correlations(p) c) b USING (topic_a, topic_b) WHERE abs(a.covariance - b.covariance) < 1e-9;
SELECT tlv_info(p)->>'kind' AS kind, tlv_info(p)->>'documents' AS documents FROM products;
-- topics that are not there take no part
CREATE TABLE three AS SELECT tlv_topic_model(array_agg(topic), array_agg(item), array_agg(probability), '{.3,.3,.3}') AS three FROM truth, tlv_topic_items(m) WHERE topic <= 3;
SELECT count(*), bool_and(4 NOT IN (topic_a, topic_b)) AS without FROM (SELECT tlv_topic_products(bag, (SELECT tlv_align(three, m) FROM truth, three)) AS p FROM drawn) r, tlv_topic_correlations(p);
-- one topic has no correlations; documents of one word have no pairs
SELECT c.* FROM (SELECT tlv_topic_products('{1:3,2:4}'::tlv_bag, tlv_topic_model('{1,1}', '{1,2}', '{.5,.5}', '{1}')) AS p) r, tlv_topic_correlations(p) c;
SELECT * FROM (SELECT tlv_topic_products('{1:1}'::tlv_bag, m) AS p FROM truth) r, tlv_topic_correlations(p);
SELECT tlv_topic_products(bag, tlv_topic_model('{1,1,2,2}', '{1,2,1,2}', '{.5,.5,.5,.5}', '{1,1}')) FROM drawn;
SELECT tlv_topic_products(bag, NULL) FROM drawn;
SELECT * FROM tlv_topic_correlations(NULL);
SELECT * FROM tlv_topic_correlations((SELECT tlv_count_summary(bag) FROM drawn));
SELECT * FROM tlv_topic_alpha((SELECT tlv_count_summary(bag) FROM drawn));
SELECT tlv_topic_products(bag, (SELECT tlv_gmm('SELECT random(), random() FROM generate_series(1, 50)', 1))) FROM drawn;
DROP TABLE truth, drawn, products, three;
