-- Fitting, reading and applying LDA and the single topic model.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE lda_truth AS SELECT tlv_simulate_lda_model(60, 4, alpha0 => 0.4, seed => 3) AS model;
CREATE TABLE lda_docs AS SELECT d.* FROM lda_truth, tlv_simulate_lda(model, 2000, 50, seed => 3) d;
CREATE TABLE lda_held AS SELECT d.* FROM lda_truth, tlv_simulate_lda(model, 300, 50, seed => 4) d;
CREATE TABLE lda_moments AS
  SELECT tlv_count_moments(bag, s) AS m FROM lda_docs, (SELECT tlv_find_subspace(tlv_count_moments(bag), k => 4) AS s FROM lda_docs) q;
CREATE TABLE lda_models AS SELECT 'moments' AS name, tlv_fit_lda(m, k => 4) AS model FROM lda_moments;

-- the topics are those of the truth, numbered by weight; probabilities sum to 1
SELECT count(*), max(distance) < 0.08 AS close, count(DISTINCT component_b) AS assigned, min(component_a), max(component_a)
FROM tlv_match((SELECT model FROM lda_truth), (SELECT model FROM lda_models));
SELECT count(*), min(topic), max(topic), round(sum(weight)::numeric, 9) AS sum, bool_and(weight <= before) IS NOT FALSE AS decreasing,
       bool_and(abs(weight - 0.25) < 0.05) AS equal_weights, abs(sum(alpha) - 0.4) < 0.15 AS alpha0
FROM (SELECT *, lag(weight) OVER (ORDER BY topic) AS before FROM tlv_topics((SELECT model FROM lda_models))) t;
SELECT topic, round(sum(probability)::numeric, 9) AS sum, min(probability) > 0 AS positive, bool_and(probability <= before) IS NOT FALSE AS decreasing,
       max(rank) = count(*) AS ranks, bool_and(item_name = item::text) AS digits, count(DISTINCT item) = count(*) AS distinct_items
FROM (SELECT *, lag(probability) OVER (PARTITION BY topic ORDER BY rank) AS before FROM tlv_topic_items((SELECT model FROM lda_models), by => 'probability')) t GROUP BY topic ORDER BY topic;
SELECT count(*), max(rank) FROM tlv_topic_items((SELECT model FROM lda_models), top => 3);
SELECT count(*) FROM tlv_topic_items((SELECT model FROM lda_models), top => 1000000) a FULL JOIN tlv_topic_items((SELECT model FROM lda_models)) b USING (topic, rank, item, probability)
WHERE a.topic IS NULL OR b.topic IS NULL;
SELECT count(*) AS of_null FROM tlv_topic_items(NULL, 3);
SELECT tlv_fit_lda(NULL, k => 3) AS of_null, (SELECT count(*) FROM tlv_topics(NULL::tlv_model)) AS topics;

-- diagnostics and info
SELECT measure, round(score::numeric, 6) FROM tlv_diagnostics((SELECT model FROM lda_models)) WHERE measure IN ('documents', 'skipped', 'nulls', 'tokens', 'alpha0_estimated', 'converged');
SELECT (SELECT score FROM tlv_diagnostics(model) WHERE measure = 'residual') < 0.03 AS residual,
       (SELECT count(*) FROM tlv_diagnostics(model) WHERE measure = 'negative_mass' AND score BETWEEN 0 AND 0.1) AS negative_mass,
       (SELECT count(*) FROM tlv_diagnostics(model) WHERE measure = 'tensor_eigenvalue') AS tensor_eigenvalues,
       (SELECT count(*) FROM tlv_diagnostics(model) WHERE measure = 'eigenvalue' AND score > 0.1) AS eigenvalues,
       (SELECT count(*) FROM tlv_diagnostics(model) WHERE measure = 'ritz_value') AS ritz_values,
       (SELECT count(*) FROM tlv_warnings(model)) AS warnings, tlv_info(model)->'warnings' AS same,
       tlv_info(model)->>'type' AS type, tlv_info(model)->>'kind' AS kind, tlv_info(model)->'arrays'->'phi'->0 AS k
FROM lda_models;

-- all methods find the topics of easy data; the same seed gives the same bits
SELECT method, max(distance) < 0.08 AS close, (SELECT tlv_fit_lda(m, alpha0 => 0.4, method => method) = tlv_fit_lda(m, alpha0 => 0.4, method => method) FROM lda_moments) AS same_bits
FROM unnest('{joint,power,als,sgd}'::text[]) method, lda_moments,
     tlv_match((SELECT model FROM lda_truth), tlv_fit_lda(m, k => 4, alpha0 => 0.4, method => method, seed => 5, restarts => 10, steps => CASE method WHEN 'sgd' THEN 2000 ELSE 50 END))
GROUP BY method ORDER BY method;
-- fewer topics than directions
SELECT k, count(*) FROM generate_series(1, 4) k, lda_moments, tlv_topics(tlv_fit_lda(m, k)) GROUP BY k ORDER BY k;

-- given models: topics in rows, normalised, ordered by alpha
CREATE TABLE given AS SELECT tlv_topic_model(ARRAY[1, 1, 2, 2, 2], ARRAY[10, 20, 20, 30, 30]::bigint[], ARRAY[3, 1, 1, 0.5, 0.5], ARRAY[0.2, 0.6]) AS model;
SELECT topic, round(alpha::numeric, 9) AS alpha, round(weight::numeric, 9) AS weight FROM tlv_topics((SELECT model FROM given));
SELECT topic, rank, item, item_name, round(probability::numeric, 9) AS probability FROM tlv_topic_items((SELECT model FROM given), by => 'probability');
SELECT component_a, component_b, round(distance::numeric, 9) AS error
FROM tlv_match((SELECT model FROM given), tlv_topic_model('{1,1,2,2}', '{20,30,10,20}', '{0.5,0.5,0.5,0.5}', '{1,2}'));
-- more topics than the other has: no partner, error 2
SELECT component_a, component_b, round(distance::numeric, 9) AS error FROM tlv_match((SELECT model FROM given), tlv_topic_model('{1}', '{40}', '{1}', '{1}'));
SELECT component_a, component_b, round(distance::numeric, 9) AS error FROM tlv_match(tlv_topic_model('{1}', '{40}', '{1}', '{1}'), (SELECT model FROM given));
SELECT round((tlv_info(model)->>'alpha0')::numeric, 9) AS alpha0 FROM given;

-- inference: memberships sum to 1, the largest is assigned
SELECT count(*), bool_and(abs((SELECT sum(x) FROM unnest(shares) x) - 1) < 1e-9) AS sum_to_1, bool_and((SELECT min(x) FROM unnest(shares) x) >= 0) AS positive,
       bool_and(topic = (SELECT ord FROM unnest(shares) WITH ORDINALITY u(x, ord) ORDER BY x DESC, ord LIMIT 1)) AS assigned, bool_and(cardinality(shares) = 4) AS k
FROM (SELECT tlv_infer(model, bag) AS shares, tlv_assign(model, bag) AS topic FROM lda_models, lda_held) i;
-- and are those of the truth
WITH partner AS MATERIALIZED (SELECT component_a AS a, component_b AS b FROM tlv_match((SELECT model FROM lda_truth), (SELECT model FROM lda_models))),
     found AS MATERIALIZED (SELECT doc, shares, tlv_infer(model, bag) AS inferred FROM lda_models, lda_held)
SELECT avg(abs(shares[a] - inferred[b])) < 0.06 AS close FROM found, partner;
SELECT round((tlv_infer(model, '{10:5}'))[1]::numeric, 4) AS a, tlv_assign(model, '{10:5}') AS a_topic, tlv_assign(model, '{30:5}') AS b_topic,
       round((tlv_infer(model, '{}'))[1]::numeric, 6) AS empty, round((tlv_infer(model, '{99:3}'))[1]::numeric, 6) AS unknown_items,
       tlv_infer(model, '{10:3,99:3}') = tlv_infer(model, '{10:3}') AS unknown_left_out, tlv_infer(model, NULL) AS null_bag, tlv_infer(NULL, '{10:1}') AS null_model
FROM (SELECT tlv_topic_model('{1,2}', '{10,30}', '{1,1}', '{0.5,0.5}') AS model) q;
-- several models in one query: each row its own
SELECT count(*) FROM lda_held, LATERAL (SELECT tlv_assign(l.model, bag) AS a, tlv_assign(t.model, bag) AS b FROM lda_models l, lda_truth t) x
WHERE a = (SELECT tlv_assign(model, bag) FROM lda_models) AND b = (SELECT tlv_assign(model, bag) FROM lda_truth);
SELECT tlv_assign(model, '{1:1}') FROM (VALUES (1, tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{2,1}')), (2, tlv_topic_model('{1,2}', '{2,1}', '{1,1}', '{2,1}')),
                                        (3, tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{2,1}'))) v(i, model) ORDER BY i;
-- log-likelihood under the inferred memberships, by hand
SELECT abs(tlv_log_likelihood(model, bag) - (SELECT sum(weight * ln((SELECT sum(shares[topic] * probability) FROM tlv_topic_items(model) p WHERE p.item = i.item)))
                                             FROM tlv_bag_items(bag) i)) < 1e-6 AS by_hand
FROM (SELECT model, bag, tlv_infer(model, bag) AS shares FROM lda_models, lda_held WHERE doc = 1) q;

-- perplexity: truth <= fitted <= no topics; refinement improves
CREATE TABLE one_topic AS
  SELECT tlv_topic_model(array_agg(1), array_agg(item), array_agg(n), '{1}') AS model FROM (SELECT item, sum(weight) AS n FROM lda_docs, tlv_bag_items(bag) GROUP BY item) q;
SELECT truth <= fitted * 1.001 AS truth_is_best, fitted < truth * 1.02 AS fitted_is_close, fitted < 0.8 * unigram AS topics_help, round(unigram / exp(entropy))::int AS unigram_is_entropy
FROM (SELECT tlv_perplexity(bag, (SELECT model FROM lda_truth)) AS truth, tlv_perplexity(bag, (SELECT model FROM lda_models)) AS fitted,
      tlv_perplexity(bag, (SELECT model FROM one_topic)) AS unigram FROM lda_held) p,
     (SELECT -sum(n / total * ln(n / total)) AS entropy FROM (SELECT sum(weight) AS n, sum(sum(weight)) OVER () AS total FROM lda_held, tlv_bag_items(bag) GROUP BY item) i) e;
SELECT tlv_perplexity('{}'::tlv_bag, model) AS empty, tlv_perplexity('{99:3}'::tlv_bag, model) AS unknown, tlv_perplexity(NULL::tlv_bag, model) AS null_bag FROM given;
-- one item of probability 1: perplexity 1; two items of probability 1/2 in one topic: 2
SELECT round(tlv_perplexity('{5:50}'::tlv_bag, tlv_topic_model('{1}', '{5}', '{1}', '{1}'))::numeric, 9) AS one,
       round(tlv_perplexity('{5:50,6:50}'::tlv_bag, tlv_topic_model('{1,1}', '{5,6}', '{1,1}', '{1}'))::numeric, 9) AS two;

-- refinement, step by step: expected statistics, then the model after them
DO $$
DECLARE
  step int; method text; next tlv_model;
BEGIN
  FOREACH method IN ARRAY '{gibbs,stepwise}'::text[] LOOP
    SELECT tlv_fit_lda(tlv_count_moments(bag, s)) INTO next
      FROM lda_docs, (SELECT tlv_find_subspace(tlv_count_moments(bag), k => 4) AS s FROM lda_docs WHERE doc <= 300) q WHERE doc <= 300;
    INSERT INTO lda_models VALUES (method || ' 0', next);
    FOR step IN 1 .. 5 LOOP
      SELECT tlv_update(next, tlv_statistics(bag, next, method)) INTO next FROM lda_docs WHERE doc <= 300;
      INSERT INTO lda_models VALUES (method || ' ' || step, next);
    END LOOP;
  END LOOP;
END $$;
SELECT method, first > last AS perplexity_falls, e0 > e5 AS errors_fall, steps
FROM unnest('{gibbs,stepwise}'::text[]) method,
     LATERAL (SELECT tlv_perplexity(bag, (SELECT model FROM lda_models WHERE name = method || ' 0')) AS first,
              tlv_perplexity(bag, (SELECT model FROM lda_models WHERE name = method || ' 5')) AS last FROM lda_held) p,
     LATERAL (SELECT sum(distance) AS e0 FROM tlv_match((SELECT model FROM lda_truth), (SELECT model FROM lda_models WHERE name = method || ' 0'))) a,
     LATERAL (SELECT sum(distance) AS e5 FROM tlv_match((SELECT model FROM lda_truth), (SELECT model FROM lda_models WHERE name = method || ' 5'))) b,
     LATERAL (SELECT tlv_info(model)->>'steps' AS steps FROM lda_models WHERE name = method || ' 5') s;
SELECT measure, score > 1 AS above_1 FROM tlv_diagnostics((SELECT model FROM lda_models WHERE name = 'stepwise 5')) WHERE measure LIKE 'perplexity%' OR measure = 'refinement_steps';
SELECT tlv_update(NULL, NULL) AS of_null, tlv_statistics(bag, NULL) AS no_model FROM lda_held;

-- coherence by hand: items 10 and 20 of topic 1 and 20, 30 of topic 2 in four documents
CREATE TEMP TABLE four (bag tlv_bag);
INSERT INTO four VALUES ('{10:1,20:1}'), ('{10:2,30:1}'), ('{20:1,30:1}'), ('{20:1,30:4,40:1}'), (NULL);
SELECT topic, round(npmi::numeric, 6) AS npmi, round(umass::numeric, 6) AS umass FROM tlv_coherence((SELECT tlv_coherence(bag, model, 2) FROM four, given));
SELECT round((ln(1.0 * 4 / (2 * 3)) / -ln(1.0 / 4))::numeric, 6) AS npmi_10_20, round(ln(2.0 / 2)::numeric, 6) AS umass_10_20,
       round((ln(2.0 * 4 / (3 * 3)) / -ln(2.0 / 4))::numeric, 6) AS npmi_20_30, round(ln(3.0 / 3)::numeric, 6) AS umass_20_30;
SELECT count(*), min(npmi) > -0.2 AS npmi, max(umass) < 0.1 AS umass FROM tlv_coherence((SELECT tlv_coherence(bag, model) FROM lda_docs, lda_models WHERE name = 'moments'));

-- the single topic model: alpha0 = 0; posterior and likelihood are exact
CREATE TEMP TABLE mix AS SELECT tlv_topic_model('{1,1,1,2,2,2,3,3,3}', '{1,2,3,3,4,5,5,6,1}', '{4,2,2,4,2,2,4,3,1}', '{0.0004,0.0003,0.0003}') AS model;
CREATE TEMP TABLE mix_docs AS
  SELECT bag, (SELECT ord FROM unnest(shares) WITH ORDINALITY u(x, ord) ORDER BY x DESC LIMIT 1) AS topic FROM mix, tlv_simulate_lda(model, 900, 20);
CREATE TEMP TABLE single AS
  SELECT tlv_fit_lda(tlv_count_moments(bag, s), alpha0 => 0) AS model FROM mix_docs, (SELECT tlv_find_subspace(tlv_count_moments(bag), k => 3) AS s FROM mix_docs) q;
SELECT tlv_info(model)->>'alpha0' AS alpha0, (SELECT round(sum(weight)::numeric, 9) FROM tlv_topics(model)) AS weights,
       (SELECT bool_and(abs(weight - 0.3333) < 0.12) FROM tlv_topics(model)) AS about_thirds FROM single;
SELECT max(distance) < 0.1 AS close FROM tlv_match((SELECT model FROM mix), (SELECT model FROM single));
SELECT count(DISTINCT topic) AS topics, count(DISTINCT (topic, found)) AS pairs, avg(abs(sum - 1)) < 1e-9 AS sum_to_1
FROM (SELECT topic, tlv_assign(model, bag) AS found, (SELECT sum(x) FROM unnest(tlv_infer(model, bag)) x) AS sum FROM mix_docs, single) q;
CREATE TEMP TABLE by_hand AS
  SELECT bag, tlv_infer(model, bag) AS shares, tlv_log_likelihood(model, bag) AS likelihood, array_agg(l ORDER BY topic) AS joint
  FROM (SELECT model, bag, t.topic, ln(t.weight)
        + (SELECT sum(i.weight * ln(greatest(coalesce((SELECT probability FROM tlv_topic_items(model) p WHERE p.topic = t.topic AND p.item = i.item), 0), 1e-12))) FROM tlv_bag_items(bag) i) AS l
        FROM single, (SELECT DISTINCT bag FROM mix_docs) d, tlv_topics(model) t) q GROUP BY model, bag;
SELECT count(*) > 100 AS documents, bool_and(abs(likelihood - (SELECT ln(sum(exp(l))) FROM unnest(joint) l)) < 1e-6) AS likelihood,
       bool_and((SELECT max(abs(shares[ord] - exp(l - likelihood))) FROM unnest(joint) WITH ORDINALITY u(l, ord)) < 1e-6) AS posterior FROM by_hand;
-- one EM step moves neither much, and the likelihood does not fall
SELECT sum(tlv_log_likelihood(u, bag)) >= sum(tlv_log_likelihood(model, bag)) AS likelihood_rises, max(e.distance) < 0.1 AS stays
FROM (SELECT model, tlv_update(model, tlv_statistics(bag, model)) AS u FROM single, mix_docs GROUP BY model) q, mix_docs, tlv_match(model, u) e;

-- simulation: seeded; documents do not depend on how many follow
SELECT (SELECT array_agg(bag::text) FROM tlv_simulate_lda(model, 5, 20, seed => 9)) = (SELECT array_agg(bag::text) FROM tlv_simulate_lda(model, 50, 20, seed => 9) WHERE doc <= 5) AS prefix,
       (SELECT array_agg(bag::text) FROM tlv_simulate_lda(model, 5, 20, seed => 9)) = (SELECT array_agg(bag::text) FROM tlv_simulate_lda(model, 5, 20, seed => 10)) AS other_seed,
       (SELECT bool_and(tlv_bag_total(bag) = 20 AND abs((SELECT sum(x) FROM unnest(shares) x) - 1) < 1e-9) FROM tlv_simulate_lda(model, 50, 20)) AS lengths_and_shares,
       (SELECT count(*) FROM tlv_simulate_lda(model, 0, 20)) AS none
FROM lda_truth;
SELECT abs(avg(shares[1]) - 0.75) < 0.03 AS mean, abs(var_samp(shares[1]) - 0.75 * 0.25 / 9) < 0.005 AS variance
FROM tlv_simulate_lda(tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{6,2}'), 2000, 3);
SELECT bool_and(abs(n / 60000.0 - p) < 0.01) AS shares_of_items
FROM (SELECT item, sum(weight) AS n FROM tlv_simulate_lda(tlv_topic_model('{1,1,1}', '{1,2,3}', '{6,3,1}', '{1}'), 600, 100), tlv_bag_items(bag) GROUP BY item) s
     JOIN (VALUES (1, 0.6), (2, 0.3), (3, 0.1)) v(item, p) USING (item);
SELECT tlv_simulate_lda_model(30, 2, seed => 1) = tlv_simulate_lda_model(30, 2, seed => 1) AS same, tlv_simulate_lda_model(30, 2, seed => 1) = tlv_simulate_lda_model(30, 2, seed => 2) AS other;
DROP TABLE lda_truth, lda_docs, lda_held, lda_moments, lda_models, given, one_topic;
-- terms stay in a model made by hand, as items that documents find; a term of two topics is one item; what has no type is read by its elements
CREATE TEMP TABLE of_terms AS SELECT tlv_topic_model('{1,1,2,2}', ARRAY['goal', 'Länge', 'vote', 'goal'], '{.6,.4,.7,.3}', '{.2,.1}') AS model;
SELECT topic, rank, item_name, item = tlv_term_id(item_name) AS same_item, probability FROM of_terms, tlv_topic_items(model, by => 'probability') ORDER BY topic, rank;
SELECT tlv_assign(model, to_tsvector('simple', 'vote vote')) AS assigned, tlv_from_json(tlv_to_json(model)) = model AS by_json, model::text::tlv_model = model AS by_text,
  tlv_topic_model('{1,1,2,2}', '{goal,Länge,vote,goal}', '{.6,.4,.7,.3}', '{.2,.1}') = model AS untyped,
  tlv_topic_model('{1,1,2,2}', '{goal,Länge,vote,goal}'::varchar[], '{.6,.4,.7,.3}', '{.2,.1}') = model AS varchar FROM of_terms;
SELECT tlv_topic_model('{1,2}', '{-7,8}', '{1,1}', '{2,1}') = tlv_topic_model('{1,2}', '{-7,8}'::bigint[], '{1,1}', '{2,1}') AS numbers,
  (SELECT string_agg(item_name, ' ' ORDER BY topic) FROM tlv_topic_items(tlv_topic_model('{1,2}', '{7,8th}', '{1,1}', '{2,1}'))) AS terms;
SELECT tlv_topic_model('{1,2}', ARRAY['a', NULL], '{1,1}', '{2,1}');
SELECT tlv_topic_model('{1,2}', NULL::text[], '{1,1}', '{2,1}');
SELECT tlv_topic_model('{1,2}', ARRAY['a'], '{1,1}', '{2,1}');
SELECT tlv_topic_model('{1,2}', '{a', '{1,1}', '{2,1}');
SELECT tlv_topic_model('{1,2}', '{1,99999999999999999999}', '{1,1}', '{2,1}');
DROP TABLE of_terms;
-- the distinctive order is the shrunk lift, of a model made by hand with 1e5 tokens: what all topics have in common comes behind what one has
SELECT topic, rank, item_name, round(probability::numeric, 3) AS probability, round(score::numeric, 3) AS score, by
FROM unnest('{probability,distinctive}'::text[]) by, tlv_topic_items(tlv_topic_model('{1,1,2,2}', '{10,20,10,30}', '{0.6,0.4,0.7,0.3}', '{1,1}'), 2, by) ORDER BY by, topic, rank;
-- the same by its formula, tokens and shares taken from the model; it is the default order
CREATE TEMP TABLE ordered_topics AS SELECT tlv_lda('SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(300, 3, seed => 5), 200, 60)', k => 3) AS model;
WITH parts AS MATERIALIZED (SELECT model, tlv_to_json(model)::jsonb AS j, (SELECT score FROM tlv_diagnostics(model) WHERE measure = 'tokens') AS n FROM ordered_topics),
     shares AS (SELECT i.item::bigint, s.share::float8, n FROM parts, jsonb_array_elements_text(j->'items') WITH ORDINALITY i(item, at)
       JOIN LATERAL jsonb_array_elements_text(j->'shares') WITH ORDINALITY s(share, at) USING (at)),
     shrunk AS (SELECT 300 / max(n) + exp(sum(share * ln(share))) AS c FROM shares WHERE share > 0)
SELECT max(n) AS tokens, count(*) AS items, max(abs(t.score - t.probability / (share + c)) / t.score) < 1e-9 AS by_formula
FROM shares JOIN tlv_topic_items((SELECT model FROM ordered_topics)) t USING (item), shrunk;
DROP TABLE ordered_topics;
SELECT tlv_topic_items(tlv_topic_model('{1}', '{10}', '{1}', '{1}'), by => 'size');
