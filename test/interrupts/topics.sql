-- Topics: what takes minutes, in every phase: large values, and rows without end from a cross join.
CREATE TABLE docs AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(5000, 20, alpha0 => 2), 1500, 200);
CREATE TABLE endless AS SELECT bag FROM docs, generate_series(1, 10);
CREATE TABLE held AS
  SELECT tlv_count_summary(bag) AS summary, tlv_count_moments(bag) AS pairs, NULL::tlv_subspace AS s, NULL::tlv_subspace AS wide,
         NULL::tlv_moments AS triples, NULL::tlv_moments AS wide_triples, NULL::tlv_moments AS wide_anchors, NULL::tlv_model AS m FROM docs;
UPDATE held SET s = tlv_find_subspace(summary, 20), wide = tlv_find_subspace(summary, 100);
CREATE TABLE fine AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(1000, 100, alpha0 => 5), 4000, 200);
UPDATE held SET triples = (SELECT tlv_count_moments(bag, s) FROM docs),
  wide_triples = (SELECT tlv_count_moments(bag, f) FROM fine, (SELECT tlv_find_subspace(tlv_count_moments(bag), 100) AS f FROM fine) q);
UPDATE held SET wide_anchors = (SELECT tlv_anchor_moments(bag, f) FROM fine, (SELECT tlv_find_subspace(tlv_count_moments(bag), 100) AS f FROM fine) q);
UPDATE held SET m = tlv_fit_lda((SELECT tlv_count_moments(bag, sub) FROM docs, (SELECT tlv_find_subspace(pairs, 20) AS sub FROM held OFFSET 0) q), alpha0 => 2);
CREATE TABLE terms AS SELECT doc, 'w' || item AS term, weight AS n FROM docs, tlv_bag_items(bag);

-- phase: bags of rows
SELECT sum(tlv_bag_size(b)) FROM (SELECT doc, tlv_bag_agg(term, n) AS b FROM terms, generate_series(1, 100) GROUP BY doc) q;

-- phase: one large bag
SELECT tlv_bag_agg(i) FROM generate_series(1, 40000000) i;

-- phase: summary
SELECT tlv_count_summary(bag) FROM docs, generate_series(1, 1000);

-- phase: pairs
SELECT tlv_count_moments(bag) FROM docs, generate_series(1, 100);

-- phase: merging pairs
SELECT tlv_rollup(pairs) FROM held, generate_series(1, 100);

-- phase: adding pairs
SELECT count(pairs + pairs) FROM held, generate_series(1, 50);

-- phase: products
SELECT tlv_count_products(bag, (SELECT wide FROM held)) FROM docs, generate_series(1, 50);

-- phase: compressed moments
SELECT tlv_count_moments(bag, (SELECT wide FROM held)) FROM docs, generate_series(1, 20);

-- phase: merging compressed moments
SELECT tlv_rollup(wide_triples) FROM held, generate_series(1, 5000);

-- phase: many groups of moments
SELECT count(m) FROM (SELECT doc, tlv_count_moments(bag, (SELECT wide FROM held)) AS m FROM docs GROUP BY doc) q;

-- phase: a model of listed topics
SELECT tlv_info(tlv_topic_model(array_agg(1), array_agg(hashint8extended(i, 1)), array_agg(1e-7::float8), '{1}')) FROM generate_series(1, 10000000) i;

-- phase: the items of large topics
SELECT count(*) FROM (SELECT tlv_topic_model(array_agg(1), array_agg(i::bigint), array_agg((3e9::float8 + hashint8(i)) * 1e-17::float8), '{1}') AS m
  FROM generate_series(1, 10000000) i) q, tlv_topic_items(m, 1);

-- phase: subspace of 5000 items
SELECT count(tlv_find_subspace(pairs, 200, seed => i)) FROM held, generate_series(1, 20) i;

-- phase: random subspace
SELECT count(tlv_find_subspace(summary, 400, seed => i)) FROM held, generate_series(1, 20) i;

-- phase: alpha0 search, k = 100
SELECT tlv_fit_lda(wide_triples, 100, seed => i) FROM held, generate_series(1, 9) i;

-- phase: joint, k = 100
SELECT count(tlv_fit_lda(wide_triples, 100, alpha0 => 5 + i)) FROM held, generate_series(1, 30) i;

-- phase: power method, k = 100
SELECT tlv_fit_lda(wide_triples, 100, alpha0 => 5, method => 'power', restarts => 100, steps => 100) FROM held;

-- phase: als, k = 100
SELECT count(tlv_fit_lda(wide_triples, 100, alpha0 => 5, method => 'als', restarts => 50, steps => 1000, seed => i)) FROM held, generate_series(1, 9) i;

-- phase: sgd, k = 100
SELECT tlv_fit_lda(wide_triples, 100, alpha0 => 5, method => 'sgd', steps => 100000) FROM held;

-- phase: anchor moments
SELECT tlv_anchor_moments(bag, (SELECT wide FROM held)) FROM docs, generate_series(1, 50);

-- phase: anchors, k = 100
SELECT count(tlv_fit_lda(wide_anchors, 100, method => 'anchors', alpha0 => 5 + i)) FROM held, generate_series(1, 100) i;

-- phase: pairs of some items, all others as one
SELECT tlv_pair_moments(bag, (SELECT wide FROM held)) FROM docs, generate_series(1, 100);

-- phase: recover
SELECT count(tlv_fit_lda(pairs, 20, method => 'recover', alpha0 => i)) FROM held, generate_series(1, 100) i;

-- phase: recover-kl
SELECT count(tlv_fit_lda(pairs, 20, method => 'recover-kl', alpha0 => i)) FROM held, generate_series(1, 100) i;

-- phase: products of topics
SELECT tlv_topic_products(bag, (SELECT m FROM held)) FROM docs, generate_series(1, 500);

-- phase: correlations of topics
SELECT count(*) FROM (SELECT tlv_topic_products(bag, wide) AS p FROM docs, (SELECT tlv_simulate_lda_model(5000, 400) AS wide) w WHERE doc < 200) q,
  generate_series(1, 100), tlv_topic_correlations(p);

-- phase: Gibbs statistics
SELECT tlv_statistics(bag, (SELECT m FROM held)) FROM docs, generate_series(1, 50);

-- phase: statistics, topics move
SELECT tlv_statistics(bag, (SELECT m FROM held), 'stepwise') FROM docs, generate_series(1, 50);

-- phase: one endless document
SELECT tlv_statistics(b, (SELECT m FROM held)) FROM (SELECT tlv_bag_agg(item, 1e7) AS b FROM docs, tlv_bag_items(bag)) q;

-- phase: inference
SELECT count(tlv_infer((SELECT m FROM held), bag)) FROM docs, generate_series(1, 100);

-- phase: perplexity
SELECT tlv_perplexity(bag, (SELECT m FROM held)) FROM docs, generate_series(1, 50);

-- phase: coherence
SELECT tlv_coherence(bag, (SELECT m FROM held)) FROM docs, generate_series(1, 1000);

-- phase: topic items
SELECT count(*) FROM held, generate_series(1, 100), tlv_topic_items(m);

-- phase: matching
SELECT count(*) FROM (SELECT tlv_simulate_lda_model(5000, 400) AS m) q, generate_series(1, 10) i,
        tlv_match(m, tlv_simulate_lda_model(5000, 400, seed => i + 1));

-- phase: a random model
SELECT count(tlv_simulate_lda_model(200000, 100, seed => i)) FROM generate_series(1, 20) i;

-- phase: simulation
SELECT count(*) FROM held, tlv_simulate_lda(m, 1000000, 200);

-- phase: simulation of one document
SELECT count(*) FROM held, generate_series(1, 50) i, tlv_simulate_lda(m, 1, 10000000, seed => i);

-- phase: text of large values
SELECT max(length(pairs::text)) FROM held, generate_series(1, 50);

-- phase: text to large values
SELECT count(t::tlv_moments) FROM (SELECT pairs::text AS t FROM held) q, generate_series(1, 50);

-- phase: binary form of large values
SELECT max(length(tlv_moments_send(pairs))) FROM held, generate_series(1, 50);

-- phase: tlv_suggest_k
SELECT tlv_suggest_k('SELECT bag FROM endless', max_k => 100);

-- phase: tlv_lda of bags
SELECT tlv_lda('SELECT bag FROM endless', 50, iterations => 100);

-- phase: tlv_lda of terms
SELECT tlv_lda('SELECT doc, term, n FROM terms, generate_series(1, 20)', 20);

-- phase: tlv_lda, refinement
SELECT tlv_lda('SELECT bag FROM docs WHERE doc < 200', 2, 0.5, iterations => 100000);
