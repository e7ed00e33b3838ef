-- Single values of bags and of topics as large as come up: millions of items in a bag, texts of hundreds of megabytes.
CREATE TABLE bags AS SELECT part, tlv_bag_agg((hashint8extended(i, part) % 4000000), 1 + i % 3) AS bag FROM generate_series(1, 3000000) i, generate_series(1, 3) part GROUP BY part;
CREATE TABLE documents AS SELECT tlv_bag_agg((hashint8extended(i, part) & 1048575), 1) AS bag FROM generate_series(1, 3000000) i, generate_series(1, 3) part GROUP BY part
  UNION ALL SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(1000000, 10), 200, 1000);
CREATE TABLE texts AS SELECT part, bag::text AS bag FROM bags WHERE part = 1;
CREATE TABLE arrays AS SELECT array_agg(item) AS items, array_agg(weight) AS weights FROM bags, tlv_bag_items(bag) WHERE part = 1;
ALTER TABLE arrays ALTER items SET STORAGE EXTERNAL, ALTER weights SET STORAGE EXTERNAL;
CREATE TABLE shorts AS SELECT tlv_to_bag(ARRAY[i % 997, i % 991, i % 983, i % 977]) AS bag FROM generate_series(1, 300000) i;
CREATE TABLE packed AS SELECT array_agg(bag) AS bags FROM shorts;
CREATE TABLE small AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(2000, 80, alpha0 => 5), 4000, 200);
CREATE TABLE held AS SELECT (SELECT tlv_count_summary(bag) FROM documents) AS summary, NULL::tlv_subspace AS s, NULL::tlv_moments AS products,
  tlv_simulate_lda_model(1000000, 10) AS m, tlv_simulate_lda_model(100000, 100) AS wide, (SELECT tlv_count_moments(bag) FROM small) AS pairs, NULL::tlv_moments AS triples;
UPDATE held SET s = tlv_find_subspace(summary, 10), triples = (SELECT tlv_count_moments(bag, sub) FROM small, (SELECT tlv_find_subspace(pairs, 80) AS sub FROM held OFFSET 0) q);
UPDATE held SET products = (SELECT tlv_count_products(bag, (SELECT s FROM held)) FROM documents);

-- phase: one bag of unsorted items
SELECT tlv_bag_size(tlv_bag_agg(hashint8extended(i, 0))) FROM generate_series(1, 6000000) i;

-- phase: one bag of few items
SELECT tlv_bag_size(tlv_bag_agg(i % 5000, 2)) FROM generate_series(1, 20000000) i;

-- phase: roll-up of bags
SELECT tlv_bag_size(tlv_rollup(bag)) FROM bags;

-- phase: sum of bags
SELECT tlv_bag_size(a.bag + b.bag) FROM bags a, bags b;

-- phase: bag from arrays
SELECT tlv_bag_size(tlv_to_bag(items, weights)) FROM arrays;

-- phase: bag from arrays in no order
SELECT tlv_bag_size(tlv_to_bag(items)) FROM (SELECT array_agg(hashint8extended(i, 0)) AS items FROM generate_series(1, 5000000) i) q;

-- phase: text of a bag
SELECT length(bag::text) FROM bags;

-- phase: bag of a text
SELECT tlv_bag_size(bag::tlv_bag) FROM texts;

-- phase: bag of a text in no order
SELECT tlv_bag_size(t::tlv_bag) FROM (SELECT '{' || string_agg(hashint8extended(i, 0) || ':2.5', ',') || '}' AS t FROM generate_series(1, 2000000) i) q;

-- phase: binary form of a bag
SELECT length(tlv_bag_send(bag)) FROM bags;

-- phase: items of a bag
SELECT count(*) FROM bags, tlv_bag_items(bag);

-- phase: damped, counted, compared
SELECT tlv_bag_size(tlv_bag_damp(bag, 1)), tlv_bag_total(bag), tlv_fold(bag), bag = bag, tlv_info(bag) FROM bags;

-- phase: summary of large bags
SELECT tlv_info(tlv_count_summary(bag)) FROM documents;

-- phase: summary of an array of bags
SELECT tlv_info(tlv_count_summary(bags)) FROM packed;

-- phase: pairs of an array of bags
SELECT tlv_info(tlv_count_moments(bags)) FROM packed;

-- phase: products of large bags
SELECT tlv_info(tlv_count_products(bag, (SELECT s FROM held))) FROM documents;

-- phase: triples of large bags
SELECT tlv_info(tlv_count_moments(bag, (SELECT s FROM held))) FROM documents;

-- phase: merging large summaries
SELECT tlv_info(tlv_rollup(summary)) FROM held, generate_series(1, 5);

-- phase: adding large products
SELECT count(products + products) FROM held, generate_series(1, 3);

-- phase: subspace of millions of items
SELECT count(tlv_find_subspace(summary, 10, seed => i)) FROM held, generate_series(1, 3) i;

-- phase: subspace of products of millions of items
SELECT count(tlv_find_subspace(products, seed => i)) FROM held, generate_series(1, 3) i;

-- phase: inference in a large bag
SELECT count(tlv_infer((SELECT m FROM held), bag)) FROM documents;

-- phase: likelihood of a large bag
SELECT sum(tlv_log_likelihood((SELECT m FROM held), bag)) FROM documents;

-- phase: statistics of large bags
SELECT tlv_info(tlv_statistics(bag, (SELECT m FROM held))) FROM documents;

-- phase: statistics of large bags, topics move
SELECT tlv_info(tlv_statistics(bag, (SELECT m FROM held), 'stepwise')) FROM documents;

-- phase: perplexity of large bags
SELECT tlv_perplexity(bag, (SELECT m FROM held)) FROM documents;

-- phase: coherence of large bags
SELECT tlv_info(tlv_coherence(bag, (SELECT m FROM held))) FROM documents;

-- phase: topic items of a large model
SELECT count(*) FROM held, tlv_topic_items(m, 10);

-- phase: all topic items of a large model
SELECT count(*) FROM held, tlv_topic_items(wide);

-- phase: matching large models
SELECT count(*) FROM held, tlv_match(wide, wide);

-- phase: text of a large model
SELECT length(wide::text) FROM held;

-- phase: large model of a text
SELECT t::tlv_model = wide FROM (SELECT wide, wide::text AS t FROM held OFFSET 0) q;

-- phase: binary form of a large model
SELECT length(tlv_model_send(wide)) FROM held;

-- phase: diagnostics, order, hash of a large model
SELECT (SELECT count(*) FROM tlv_diagnostics(wide)), tlv_info(wide), wide < m, tlv_model_hash(wide) FROM held;

-- phase: a model from rows
SELECT tlv_info(tlv_topic_model(array_agg((1 + i % 5)::integer), array_agg(i / 5), array_agg(0.000005::float8), '{1,1,1,1,1}')) FROM generate_series(0, 999999) i;

-- phase: fit, k = 80
SELECT count(tlv_fit_lda(triples, 80, seed => i)) FROM held, generate_series(1, 3) i;

-- phase: tlv_lda, k = 80
SELECT tlv_info(tlv_lda('SELECT bag FROM small', 80));

-- phase: tlv_lda, topics stay within a pass
SELECT tlv_info(tlv_lda('SELECT bag FROM small', 80, refine => 'gibbs'));

-- phase: tlv_lda, alpha0 to be found
SELECT tlv_info(tlv_lda('SELECT bag FROM small', 80, refine => 'none'));

-- phase: tlv_lda of large bags
SELECT tlv_info(tlv_lda('SELECT bag FROM documents', 2));

-- phase: tlv_lda of terms of a megabyte
SELECT tlv_info(tlv_lda('SELECT d, repeat(md5((d * w)::text), 32768) AS term, 3::float8 FROM generate_series(1, 10) d, generate_series(1, 10) w', 2));

-- phase: ids of terms of 100 megabytes
SELECT tlv_term_id(repeat('0123456789', 10000000 + i)) FROM generate_series(1, 5) i;

-- phase: a random model of many items
SELECT tlv_info(tlv_simulate_lda_model(500000, 50));

-- phase: choice of k
SELECT tlv_suggest_k('SELECT bag FROM small', max_k => 300);
