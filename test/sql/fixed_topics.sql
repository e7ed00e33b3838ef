-- tlv_lda(fixed): topics of a model that stay as they are while the others are learnt
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TEMP TABLE truth AS SELECT tlv_simulate_lda_model(60, 4, seed => 3) AS model;
CREATE TEMP TABLE docs AS SELECT doc, bag FROM truth, tlv_simulate_lda(model, 400, 40, seed => 4);
CREATE TEMP TABLE given AS
  SELECT tlv_label(tlv_topic_model(array_agg(CASE topic WHEN 2 THEN 1 ELSE 2 END), array_agg(item), array_agg(probability), '{1, .5}'), 1, 'second') AS model
  FROM truth, tlv_topic_items(model) WHERE topic IN (2, 4);
CREATE TEMP TABLE found AS SELECT tlv_lda('SELECT bag FROM docs', 4, fixed => model) AS model FROM given;

-- they are there, to the last bit, with their labels and numbers; the others are near the truth
SELECT max(m.distance) AS moved, max(t.label) AS label FROM given, found, tlv_match(given.model, found.model) m JOIN LATERAL tlv_topics(found.model) t ON t.topic = m.component_b;
SELECT array_agg(f ORDER BY f) AS fixed FROM found, jsonb_array_elements((tlv_to_json(model)::jsonb)->'fixed') f;
SELECT count(*), max(distance) < .1 AS near FROM truth, found, tlv_match(truth.model, found.model);
SELECT score FROM found, tlv_diagnostics(model) WHERE measure = 'fixed_topics';

-- whatever is done with the model
CREATE TEMP TABLE later AS
  SELECT 'update' AS what, tlv_update(model, (SELECT tlv_statistics(bag, model) FROM docs)) AS model FROM found UNION ALL
  SELECT 'decay', tlv_update(model, (SELECT tlv_statistics(bag, model, 'gibbs') FROM docs), .3) FROM found UNION ALL
  SELECT 'json', tlv_from_json(tlv_to_json(model)) FROM found UNION ALL
  SELECT 'align', tlv_align(model, (SELECT model FROM truth)) FROM found UNION ALL
  SELECT 'ctm', tlv_lda('SELECT bag FROM docs', 4, fixed => model, refine => 'ctm', iterations => 2) FROM given;
INSERT INTO later SELECT 'update of ' || what, tlv_update(later.model, tlv_statistics(bag, later.model)) FROM later, docs WHERE what IN ('json', 'align') GROUP BY what, later.model;
SELECT what, max(distance) < 1e-9 AS stay FROM given, later, tlv_match(given.model, later.model) GROUP BY what ORDER BY what;

-- items that no document holds stay, too, and have the texts that the given model has
CREATE TEMP TABLE words AS SELECT doc, 'w' || item AS word, weight FROM docs, tlv_bag_items(bag);
CREATE TEMP TABLE strange AS SELECT tlv_lda('SELECT 1, ''elsewhere'', 5 UNION ALL SELECT * FROM words WHERE doc < 50', 1) AS model;
SELECT tlv_from_json(tlv_to_json(model)) = model AS json FROM strange;
SELECT i.item_name, (i.probability - j.probability) AS moved FROM strange, tlv_topic_items((SELECT tlv_lda('TABLE words', 3, fixed => model) FROM strange)) i
  JOIN LATERAL tlv_topic_items(model) j USING (item) WHERE i.item_name = 'elsewhere' ORDER BY abs(i.probability - j.probability) LIMIT 1;

-- intervals: there is none of what is given
SELECT count(DISTINCT component), max(standard_error) AS error
  FROM found, tlv_estimates(model, (SELECT tlv_error_statistics(bag, model) FROM docs)) e
  WHERE part = 'probability' AND component IN (SELECT component_b FROM given, tlv_match(given.model, found.model));

-- k counts them; a chosen one is no less
SELECT count(*) FROM given, tlv_topics(tlv_lda('SELECT bag FROM docs', fixed => model, max_k => 1));
SELECT tlv_lda('SELECT bag FROM docs', 1, fixed => model) FROM given;
SELECT tlv_lda('SELECT bag FROM docs', 0, fixed => model) FROM given;
SELECT tlv_lda('TABLE words', 4, fixed => model) FROM given;
SELECT tlv_lda('SELECT bag FROM docs', 4, fixed => (SELECT tlv_simulate_gmm_model(2, 2)));
SELECT tlv_lda('SELECT bag FROM docs', 2, fixed => NULL) = tlv_lda('SELECT bag FROM docs', 2) AS same;
