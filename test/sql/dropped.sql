-- tlv_compact(drop => ...): components removed by their numbers, with their labels; the others move up and share the weight
SET client_min_messages = warning;
CREATE TEMP TABLE whole AS
  SELECT tlv_label(tlv_label(tlv_topic_model('{1,1,2,2,3,3}', ARRAY['goal', 'match', 'vote', 'party', 'rain', 'sun'], '{.6,.4,.7,.3,.5,.5}', '{.5,.3,.2}'), 3, 'weather'), 2, 'politics') AS model;
SELECT component, label, round(weight::numeric, 9) AS weight, (SELECT string_agg(item_name, ' ' ORDER BY rank) FROM tlv_topic_items(fewer, by => 'probability') WHERE topic = component) AS words
FROM (SELECT tlv_compact(model, drop => '{2}') AS fewer FROM whole) q, tlv_components(fewer);
SELECT component, label FROM (SELECT tlv_compact(model, .25, '{1}') AS fewer FROM whole) q, tlv_components(fewer);
SELECT tlv_compact(model, drop => '{}') = model AS none, tlv_compact(model, drop => NULL) = model AS of_null, tlv_compact(model, drop => '{2,2,1}') = tlv_compact(model, drop => '{1,2}') AS repeated,
  tlv_compact(model, NULL) IS NULL AS no_tolerance, tlv_compact(NULL, drop => '{1}') IS NULL AS no_model FROM whole;
-- kinds of components; what is left keeps its parameters
SELECT count(*) AS kinds, bool_and((SELECT count(*) FROM tlv_components(tlv_compact(m, drop => '{1}'))) = (SELECT count(*) FROM tlv_components(m)) - 1) AS one_fewer
FROM (VALUES (tlv_simulate_gmm_model(2, 3)), (tlv_simulate_hmm_model(4, 3)), (tlv_simulate_lca_model(3, 3)), (tlv_simulate_gom_model(3, 3)), (tlv_simulate_mmsb_model(9, 3))) v(m);
SELECT a.dimension, a.mean = b.mean AS mean FROM tlv_means(tlv_simulate_gmm_model(2, 3)) a JOIN tlv_means(tlv_compact(tlv_simulate_gmm_model(2, 3), drop => '{2}')) b USING (dimension)
WHERE a.component = 3 AND b.component = 2 ORDER BY 1;
\set VERBOSITY terse
SELECT tlv_compact(model, drop => '{0}') FROM whole;
SELECT tlv_compact(model, drop => '{4}') FROM whole;
SELECT tlv_compact(model, drop => '{1,NULL}') FROM whole;
SELECT tlv_compact(model, drop => '{1,2,3}') FROM whole;
SELECT tlv_compact(tlv_simulate_tree_model(5), drop => '{1}');
