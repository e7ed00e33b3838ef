-- How topics come together: second moments of their shares under a model.
\set ECHO none
\set VERBOSITY terse
SELECT setseed(.5);
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
SELECT topic, label, abs(weight - .25) < .05 AS weight, abs(alpha - .25) < .06 AS alpha FROM products, tlv_topics(p);
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
SELECT * FROM tlv_topic_correlations(NULL::tlv_moments);
SELECT * FROM tlv_topic_correlations((SELECT tlv_count_summary(bag) FROM drawn));
SELECT * FROM tlv_topics((SELECT tlv_count_summary(bag) FROM drawn));
SELECT tlv_topic_products(bag, (SELECT tlv_gmm('SELECT random(), random() FROM generate_series(1, 50)', 1))) FROM drawn;
DROP TABLE truth, drawn, products, three;

-- Topics that are correlated in the model: a logistic-normal distribution of shares.  Topics 1 and 2 come together, 3 and 4 do.
CREATE TABLE truth AS SELECT tlv_from_json((tlv_to_json(tlv_simulate_lda_model(300, 4, alpha0 => 1, seed => 5))::jsonb ||
  '{"logistic_mean": [0, 0, 0, 0], "logistic_covariance": [[3, 2.4, 0, 0], [2.4, 3, 0, 0], [0, 0, 3, 2.4], [0, 0, 2.4, 3]]}')::text::json) AS m;
CREATE TABLE drawn AS SELECT doc, bag, shares FROM truth, tlv_simulate_lda(m, 800, 40, seed => 5);
CREATE TABLE shown AS SELECT a.j AS topic_a, b.j AS topic_b, corr(a.s, b.s) AS correlation FROM drawn, unnest(shares) WITH ORDINALITY a(s, j), unnest(shares) WITH ORDINALITY b(s, j) GROUP BY 1, 2;
SELECT c.topic_a, c.topic_b, round(c.correlation::numeric, 1) AS correlation, abs(c.correlation - s.correlation) < .06 AS of_the_documents, abs(c.covariance) < .12 AS covariance, c.standard_error
FROM truth, tlv_topic_correlations(m) c JOIN shown s USING (topic_a, topic_b) WHERE topic_a < topic_b ORDER BY 1, 2;
CREATE TABLE fitted AS SELECT tlv_lda('SELECT bag FROM drawn', k => 4, refine => 'ctm', iterations => 12) AS m, tlv_lda('SELECT bag FROM drawn', k => 4) AS dirichlet;
CREATE TABLE same AS SELECT a.component_a AS own, a.component_b AS true FROM fitted f, truth t, tlv_match(f.m, t.m) a;
-- topics are nearer to the truth than those whose shares are Dirichlet, .15 (L1) and .35; their correlations, too
SELECT max(distance) < .17 AS topics FROM fitted f, truth t, tlv_match(f.m, t.m);
SELECT min(distance) > .28 AS topics_of_dirichlet FROM fitted f, truth t, tlv_match(f.dirichlet, t.m);
SELECT count(*) AS pairs, max(abs(c.correlation - s.correlation)) < .14 AS near
FROM fitted, tlv_topic_correlations(m) c JOIN same a ON a.own = topic_a JOIN same b ON b.own = topic_b JOIN shown s ON s.topic_a = a.true AND s.topic_b = b.true WHERE c.topic_a < c.topic_b;
SELECT tlv_perplexity(bag, m) / tlv_perplexity(bag, dirichlet) < 1.005 AS no_worse FROM drawn, fitted GROUP BY m, dirichlet;
SELECT (t).topic, (t).alpha, round((t).weight::numeric, 1) AS weight FROM (SELECT tlv_topics(m) AS t FROM fitted) s;
SELECT bool_and(alpha IS NULL) AS no_alpha, round(sum(weight)::numeric, 9) AS weight FROM fitted, tlv_components(m);
-- a step by hand is the step of the driver; in parts and in workers the same; its own statistics are the usual ones
CREATE TABLE steps AS SELECT tlv_statistics(bag, dirichlet, 'ctm') AS one,
  (SELECT tlv_rollup(p) FROM (SELECT tlv_statistics(bag, dirichlet, 'ctm') AS p FROM drawn GROUP BY doc % 4) q) AS parts FROM drawn, fitted GROUP BY dirichlet;
SELECT tlv_info(one)->>'kind' AS kind, tlv_info(one)->>'documents' AS documents, max(abs(a.correlation - b.correlation)) < 1e-9 AS same
FROM steps, fitted, tlv_topic_correlations(tlv_update(dirichlet, one)) a JOIN LATERAL tlv_topic_correlations(tlv_update(dirichlet, parts)) b USING (topic_a, topic_b) GROUP BY one;
SELECT tlv_info(tlv_statistics(bag, m))->>'kind' AS usual FROM drawn, fitted GROUP BY m;
SELECT count(*) AS pairs, bool_and(abs(c.correlation) <= 1) AS within FROM (SELECT tlv_update(m, tlv_statistics(bag, m), .5) AS m FROM drawn, fitted GROUP BY m) u, tlv_topic_correlations(m) c;
-- shares, of no word the mean's; stored and read back, renumbered, aligned
SELECT round((SELECT sum(x) FROM unnest(tlv_infer(m, bag)) x)::numeric, 9) AS total, tlv_log_likelihood(m, bag) < 0 AS likelihood,
  tlv_infer(m, bag) = tlv_infer(tlv_from_json(tlv_to_json(m)), bag) AS back FROM drawn, fitted WHERE doc = 1;
SELECT array(SELECT round(x::numeric, 2) FROM unnest(tlv_infer(m, '{}'::tlv_bag)) x) AS of_no_word FROM truth;
SELECT max(abs(c.correlation - s.correlation)) < .14 AS aligned FROM truth t, fitted f, tlv_topic_correlations(tlv_align(f.m, t.m)) c JOIN shown s USING (topic_a, topic_b) WHERE topic_a < topic_b;
SELECT count(*) AS of_two FROM fitted f,
  (SELECT tlv_topic_model(array_agg(topic), array_agg(item), array_agg(probability), '{.3,.3}') AS m FROM fitted, tlv_topic_items(m) WHERE topic <= 2) two,
  tlv_topic_correlations(tlv_align(f.m, two.m)) c;
-- what cannot be
SELECT * FROM fitted, tlv_topic_correlations(dirichlet);
SELECT tlv_statistics(bag, m, 'gibbs') FROM drawn, fitted GROUP BY m;
SELECT tlv_update(m, tlv_statistics(bag, dirichlet)) FROM drawn, fitted GROUP BY m, dirichlet;
SELECT tlv_error_statistics(bag, m) FROM drawn, fitted GROUP BY m;
SELECT tlv_lda('SELECT bag FROM drawn', k => 2, alpha0 => 0, refine => 'ctm');
SELECT tlv_statistics(bag, tlv_topic_model('{1,1}', '{1,2}', '{.5,.5}', '{1}'), 'ctm') IS NOT NULL AS one_topic FROM drawn;
SELECT tlv_from_json((tlv_to_json(m)::jsonb - 'logistic_mean')::text::json) FROM truth;
SELECT tlv_from_json((tlv_to_json(m)::jsonb || '{"logistic_covariance": [[3, 2, 0, 0], [2.4, 3, 0, 0], [0, 0, 3, 2.4], [0, 0, 2.4, 3]]}')::text::json) FROM truth;
SELECT tlv_infer(tlv_from_json((tlv_to_json(m)::jsonb || '{"logistic_covariance": [[3, 4, 0, 0], [4, 3, 0, 0], [0, 0, 3, 2.4], [0, 0, 2.4, 3]]}')::text::json), '{1:2}'::tlv_bag) FROM truth;
SELECT tlv_from_json((tlv_to_json(m)::jsonb || '{"logistic_covariance": [[0, 0, 0, 0], [0, 3, 0, 0], [0, 0, 3, 2.4], [0, 0, 2.4, 3]]}')::text::json) FROM truth;
DROP TABLE truth, drawn, shown, fitted, same, steps;
