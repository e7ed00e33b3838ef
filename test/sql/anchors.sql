-- Topics by anchor words: from moments, from a query, given anchors, reading them, and what is refused.
\set ECHO none
\set VERBOSITY terse
SET client_min_messages = warning;
\set ECHO queries
-- two topics of words 1 .. 6 and 7 .. 12, of which 1 and 7 are of one alone; 13 is rare
CREATE TABLE anchored AS
  SELECT t AS doc, 'w' || w AS word, w::bigint AS item, 1 + (t * 7 + w * 5) % 4 AS count
  FROM generate_series(1, 300) t, generate_series(1, 12) w
  WHERE (t * 31 + w * 17) % 5 < CASE WHEN (w <= 6) = (t % 3 > 0) THEN 3 WHEN w IN (1, 7) THEN 0 WHEN t % 4 = 0 THEN 2 ELSE 0 END
  UNION ALL SELECT t, 'w13', 13, 1 FROM generate_series(1, 4) t;
CREATE TABLE anchored_bags AS SELECT doc, tlv_bag_agg(item, count) AS bag FROM anchored GROUP BY doc;
CREATE TABLE anchored_models (name text, m tlv_model);
INSERT INTO anchored_models SELECT 'moments', tlv_fit_lda(tlv_anchor_moments(bag, s))
  FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) AS s FROM anchored_bags) f;
INSERT INTO anchored_models VALUES
  ('driver', tlv_lda('SELECT doc, word, count FROM anchored', 2, method => 'anchors')),
  ('unrefined', tlv_lda('SELECT doc, word, count FROM anchored', 2, method => 'anchors', refine => 'none')),
  ('given', tlv_lda('SELECT doc, word, count FROM anchored', anchors => '{w2,w7}', iterations => 3)),
  ('groups', tlv_lda('SELECT doc, word, count FROM anchored', anchors => '{{w7,NULL},{w2,w3}}', iterations => 3)),
  ('numbers', tlv_lda('SELECT bag FROM anchored_bags', 2, anchors => '{3}', iterations => 3));
SELECT name, topic, item, item_name, distance > 0 AS stands_out FROM anchored_models, tlv_topic_anchors(m)
  WHERE name NOT IN ('unrefined') ORDER BY name, topic;
SELECT name, topic, string_agg(item_name, ' ' ORDER BY item_name) FROM anchored_models, tlv_topic_items(m, 6)
  WHERE name IN ('driver', 'unrefined') GROUP BY name, topic ORDER BY name, topic;
SELECT measure, score FROM anchored_models, tlv_diagnostics(m) WHERE name = 'driver' AND measure LIKE 'anchor%' ORDER BY measure;
-- partial sums are values like any other
SELECT tlv_fit_lda(tlv_rollup(part), method => 'anchors') = (SELECT m FROM anchored_models WHERE name = 'moments') AS same
  FROM (SELECT tlv_anchor_moments(bag, s) AS part FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) AS s FROM anchored_bags) f) p;
SELECT count(*) FROM (SELECT tlv_anchor_moments(bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) FROM anchored_bags)) AS part
    FROM (SELECT array_agg(bag) AS bags FROM anchored_bags GROUP BY doc % 3) a) p
  WHERE tlv_info(part)->>'kind' = 'anchor_moments' AND tlv_info(part)->>'documents' = '300';
-- anchors stay with their topics through JSON, steps and renumbering
SELECT topic, item, item_name, distance > 0 AS stands_out FROM anchored_models, tlv_topic_anchors(tlv_from_json(tlv_to_json(m))) WHERE name = 'driver';
SELECT count(*) FROM anchored_models a, anchored_models b, tlv_topic_anchors(tlv_align(a.m, b.m)) WHERE a.name = 'given' AND b.name = 'driver';
-- the exact co-occurrence: fits by all three recoveries
CREATE TABLE anchored_pairs AS SELECT tlv_pair_moments(bag, s) AS pairs
  FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_summary(bag), 2, min_documents => 5) AS s FROM anchored_bags) f;
INSERT INTO anchored_models SELECT method, tlv_fit_lda(pairs, 2, method => method) FROM anchored_pairs, unnest('{anchors,recover,recover-kl}'::text[]) method;
INSERT INTO anchored_models SELECT 'recover from given', tlv_fit_lda(pairs, method => 'recover-kl', anchors => '{2,7}') FROM anchored_pairs;
SELECT name, topic, string_agg(item_name, ' ' ORDER BY item_name) FROM anchored_models, tlv_topic_items(m, 6)
    WHERE name ~ 'recover' OR name = 'anchors' GROUP BY name, topic ORDER BY name, topic;
SELECT name, topic, item_name FROM anchored_models, tlv_topic_anchors(m) WHERE name ~ 'recover' ORDER BY name, topic;
SELECT name, measure, round(score::numeric, 4) AS score FROM anchored_models, tlv_diagnostics(m)
    WHERE name ~ 'recover' AND measure IN ('runoff_share', 'negative_mass') ORDER BY 1, 2;
SELECT tlv_fit_lda(pairs) FROM anchored_pairs;
SELECT tlv_fit_lda(pairs, 2) FROM anchored_pairs;
SELECT tlv_fit_lda(pairs, method => 'recover') FROM anchored_pairs;
SELECT tlv_fit_lda(pairs, 13, method => 'recover') FROM anchored_pairs;
SELECT tlv_fit_lda(tlv_anchor_moments(bag, s), method => 'recover') FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) AS s FROM anchored_bags) f;
SELECT tlv_fit_lda(tlv_count_moments(bag, s), method => 'recover-kl') FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) AS s FROM anchored_bags) f;
SELECT tlv_pair_moments(bag, NULL) FROM anchored_bags;
-- too many items to be told apart, and too little memory for those that are
CREATE TABLE many_items AS SELECT t, 1 + (t * 7919 + w * 104729) % 8500 AS w FROM generate_series(1, 5000) t, generate_series(1, 17) w;
SELECT tlv_fit_lda(tlv_count_moments(bag), 3, method => 'recover') FROM (SELECT tlv_bag_agg(w) AS bag FROM many_items GROUP BY t) b;
SET tensorlv.work_mem = '8MB';
SELECT tlv_fit_lda(tlv_count_moments(bag), 3, method => 'recover-kl') FROM (SELECT tlv_bag_agg(w % 3000) AS bag FROM many_items GROUP BY t) b;
RESET tensorlv.work_mem;
-- what cannot be meant
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, anchors => '{w1,banana}');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, anchors => '{w1,w1}');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, anchors => '{w1,w13}');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 1, anchors => '{w1,w7}');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, anchors => '{w1,w7}', method => 'tensor');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, anchors => '{NULL,w7}');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, anchors => '{"",w7}');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, anchors => '{{{w1}},{{w7}}}');
SELECT tlv_lda('SELECT bag FROM anchored_bags', 2, anchors => '{w1,7}');
SELECT tlv_lda('SELECT doc, word, count FROM anchored', 2, method => 'recover');
SELECT tlv_fit_lda(tlv_count_moments(bag), method => 'anchors') FROM anchored_bags;
SELECT tlv_fit_lda(tlv_anchor_moments(bag, s), method => 'power') FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) AS s FROM anchored_bags) f;
SELECT tlv_fit_lda(tlv_anchor_moments(bag, s), method => 'als') FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) AS s FROM anchored_bags) f;
SELECT tlv_fit_lda(tlv_anchor_moments(bag, s), 3) FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2) AS s FROM anchored_bags) f;
SELECT tlv_anchor_moments(bag, s) FROM anchored_bags, (SELECT tlv_find_subspace(tlv_count_moments(bag), 2, distinct_pairs => true) AS s FROM anchored_bags) f;
SELECT tlv_anchor_moments(bag, NULL) FROM anchored_bags;
SELECT * FROM tlv_topic_anchors(tlv_simulate_lda_model(12, 2));
-- documents of one word, one word in all, more topics than anything, counts that fill a number
SELECT count(*) AS topics FROM tlv_components(tlv_lda('SELECT t AS doc, 1 + t % 3 AS item, 9 AS n FROM generate_series(1, 60) t', 3, method => 'anchors'));
SELECT count(*) AS topics FROM tlv_components(tlv_lda('SELECT t AS doc, 1 + t % 3 AS item, 9 AS n FROM generate_series(1, 60) t', 3, method => 'tensor'));
SELECT count(*) AS topics FROM tlv_components(tlv_lda('SELECT t AS doc, 5 AS item, 9 AS n FROM generate_series(1, 60) t', 2, method => 'anchors'));
SELECT count(*) AS topics FROM tlv_components(tlv_lda('SELECT doc, word, count FROM anchored', 40, method => 'anchors', iterations => 2));
SELECT count(*) AS topics FROM tlv_components(tlv_lda('SELECT t, w, CASE WHEN w = 1 THEN 9007199254740000 ELSE 2 END AS n FROM generate_series(1, 40) t, generate_series(1, 4) w WHERE (t + w) % 3 > 0',
  2, method => 'anchors', iterations => 2));
-- the picture of topics: a tree of four joints below five cards
SELECT (length(svg) - length(replace(svg, '<path', ''))) / 5 AS joints, (length(svg) - length(replace(svg, '<circle', ''))) / 7 AS leaves FROM tlv_svg(tlv_simulate_lda_model(30, 5)) svg;
DROP TABLE anchored, anchored_bags, anchored_models, anchored_pairs, many_items;
