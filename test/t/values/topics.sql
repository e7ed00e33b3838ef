CREATE TABLE documents AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(12, 2, alpha0 => 0.3), 40, 20);
INSERT INTO bags SELECT bag FROM documents WHERE doc <= 5;
INSERT INTO queries VALUES ('SELECT doc, item, weight FROM documents, tlv_bag_items(bag)'), ('SELECT bag FROM documents'), ('SELECT doc, ''w'' || item, weight FROM documents, tlv_bag_items(bag)');
INSERT INTO moments SELECT tlv_count_summary(bag) FROM documents UNION ALL SELECT tlv_count_moments(bag) FROM documents;
INSERT INTO subspaces SELECT tlv_find_subspace(tlv_count_moments(bag), 2) FROM documents;
INSERT INTO subspaces SELECT tlv_find_subspace(tlv_count_moments(bag), 3, distinct_pairs => true) FROM documents;
INSERT INTO moments SELECT tlv_count_products(bag, (SELECT v FROM subspaces ORDER BY id DESC LIMIT 1)) FROM documents UNION ALL
  SELECT tlv_count_moments(bag, (SELECT v FROM subspaces ORDER BY id DESC LIMIT 1)) FROM documents;
INSERT INTO moments SELECT tlv_anchor_moments(bag, (SELECT v FROM subspaces WHERE tlv_kind(v) = 'items' ORDER BY id LIMIT 1)) FROM documents;
INSERT INTO models SELECT tlv_lda('SELECT bag FROM documents', 2, method => 'anchors', iterations => 2);
INSERT INTO models SELECT tlv_lda('SELECT bag FROM documents', 3, fixed => tlv_simulate_lda_model(13, 2, alpha0 => 0.3), iterations => 2);
INSERT INTO models SELECT tlv_simulate_lda_model(12, 2, alpha0 => 0.3) UNION ALL SELECT tlv_lda('SELECT bag FROM documents', 2) UNION ALL
  SELECT tlv_lda('SELECT doc, ''w'' || item, weight FROM documents, tlv_bag_items(bag)', 3, alpha0 => 1, refine => 'gibbs', iterations => 2) UNION ALL
  SELECT tlv_topic_model('{1,1,2,2}', '{1,2,2,3}', '{.5,.5,.9,.1}', '{.4,.6}');
INSERT INTO moments SELECT tlv_topic_products(bag, m) FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2) AS m) f;
INSERT INTO models SELECT tlv_lda('SELECT bag FROM documents', 2, refine => 'ctm', iterations => 2);
INSERT INTO moments SELECT tlv_statistics(bag, m, 'ctm') FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2) AS m) f;
CREATE AGGREGATE completion(tlv_bag, tlv_model) (sfunc = tlv_completion_accum, stype = tlv_moments);
INSERT INTO moments SELECT tlv_statistics(bag, m) FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2) AS m) f UNION ALL
  SELECT tlv_statistics(bag, m, 'held_out') FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2) AS m) f UNION ALL
  SELECT tlv_statistics(bag, m, 'stepwise') FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2) AS m) f UNION ALL
  SELECT tlv_coherence(bag, m, 3) FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2) AS m) f UNION ALL
  SELECT completion(bag, m) FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2) AS m) f;
INSERT INTO moments SELECT tlv_error_statistics(bag, m) FROM documents, (SELECT tlv_lda('SELECT bag FROM documents', 2, refine => r) AS m FROM unnest('{none,gibbs}'::text[]) r) f GROUP BY m;
INSERT INTO models SELECT tlv_lda('SELECT bag FROM documents', 2, errors => true);
INSERT INTO moments SELECT tlv_count_products(bag, (SELECT v FROM subspaces WHERE tlv_kind(v) = 'items' ORDER BY id LIMIT 1)) FROM documents WHERE doc <= 3 UNION ALL
  SELECT tlv_anchor_moments(bag, (SELECT v FROM subspaces WHERE tlv_kind(v) = 'items' ORDER BY id LIMIT 1)) FROM documents WHERE doc <= 3;
