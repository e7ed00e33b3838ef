-- Vectors, sequences, views, categories as wide and as long as come up.
CREATE TABLE wide AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(2000, 3), 300);
CREATE TABLE middle AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(200, 20), 2000);
CREATE TABLE packed AS SELECT array_agg(x) AS x FROM (SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(10, 4), 500000)) q;
CREATE TABLE long AS SELECT array_agg(1 + hashint8(i) & 63) AS s FROM generate_series(1, 5000000) i;
CREATE TABLE deep AS SELECT array_agg(ARRAY[i % 7, i % 11, i % 13]::float8[]) AS x FROM generate_series(1, 500000) i;
CREATE TABLE models AS SELECT tlv_simulate_gmm_model(10, 100, 4, 'full') AS gmm, tlv_simulate_hmm_model(symbols => 64, k => 200) AS hmm, tlv_simulate_hmm_model(dimensions => 3, k => 100) AS vectors,
  tlv_simulate_tree_model(3, 3, observed_states => 5) AS tree;
CREATE TABLE moments AS SELECT (SELECT tlv_dense_moments(x, 2) FROM wide) AS second, (SELECT tlv_dense_moments(x, 3) FROM middle) AS third,
  (SELECT tlv_dense_moments(x[1:50], 4) FROM middle) AS fourth, (SELECT tlv_view_moments(x[1:150], x[51:200], x[1:150]) FROM middle) AS views;

-- phase: moments of many rows in one value
SELECT tlv_info(tlv_dense_moments(x, 3)) FROM packed;

-- phase: sample of many rows in one value
SELECT tlv_info(tlv_row_sample(x, 100000, 1)) FROM packed;

-- phase: statistics of many rows in one value
SELECT tlv_info(tlv_statistics(x, (SELECT gmm FROM models))) FROM packed;

-- phase: posteriors of many rows in one value
SELECT cardinality(tlv_infer(gmm, x)) FROM models, packed;

-- phase: likelihood of many rows in one value
SELECT tlv_log_likelihood(gmm, x) FROM models, packed;

-- phase: sample of one long sequence
SELECT tlv_info(tlv_sequence_sample(s, 10000000, 1)) FROM long;

-- phase: windows of one long sequence
SELECT tlv_info(tlv_sequence_moments(s)) FROM long;

-- phase: windows of one long sequence of vectors
SELECT tlv_info(tlv_sequence_moments(x)) FROM deep;

-- phase: a long sequence of NULLs
SELECT tlv_info(tlv_sequence_moments(x)) FROM (SELECT array_fill(NULL::float8, '{100000000}') AS x) q;

-- phase: a row of NULLs, too many
DO $$ BEGIN PERFORM tlv_tree_posterior(tlv_simulate_tree_model(5, kind => 'gaussian'), array_fill(NULL::float8, '{130000000}')); EXCEPTION WHEN data_exception THEN NULL; END $$;

-- phase: Baum-Welch of one long sequence
SELECT tlv_info(tlv_statistics(s, (SELECT hmm FROM models))) FROM long;

-- phase: Baum-Welch of one long sequence of vectors
SELECT tlv_info(tlv_statistics(x, (SELECT vectors FROM models))) FROM deep;

-- phase: Viterbi of one long sequence, k = 200
SELECT cardinality(tlv_viterbi(hmm, s)) FROM models, long;

-- phase: posteriors of one long sequence, k = 100
SELECT cardinality(tlv_infer(vectors, x)) FROM models, deep;

-- phase: likelihood of one long sequence
SELECT tlv_log_likelihood(hmm, s) FROM models, long;

-- phase: likelihood of one long sequence of vectors
SELECT tlv_log_likelihood(vectors, x) FROM models, deep;

-- phase: tlv_hmm of one long sequence
SELECT tlv_info(tlv_hmm('SELECT s FROM long', 40));

-- phase: moments of 2000 dimensions
SELECT tlv_info(tlv_dense_moments(x, 2)) FROM wide;

-- phase: merging moments of 2000 dimensions
SELECT tlv_info(tlv_rollup(second)) FROM moments, generate_series(1, 30);

-- phase: subspace of 2000 dimensions
SELECT tlv_info(tlv_find_subspace(second, 200)) FROM moments;

-- phase: random model of 3000 dimensions, full
SELECT tlv_info(tlv_simulate_gmm_model(3000, 5, covariance => 'full'));

-- phase: rows of 3000 dimensions
SELECT count(*) FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3000, 2, covariance => 'full'), 100);

-- phase: statistics of 2000 dimensions, full
SELECT tlv_info(tlv_statistics(x, (SELECT tlv_simulate_gmm_model(2000, 5, covariance => 'full')))) FROM wide;

-- phase: tlv_gmm of 700 dimensions
SELECT tlv_info(tlv_gmm('SELECT x[1:700] FROM wide', 3));

-- phase: tlv_gmm of 700 dimensions, full
SELECT tlv_info(tlv_gmm('SELECT x[1:700] FROM wide', 3, 'full'));

-- phase: fit of a mixture of 200 dimensions, k = 150
SELECT tlv_info(tlv_fit_gmm(third, 150)) FROM moments;

-- phase: tlv_gmm, k = 150
SELECT tlv_info(tlv_gmm('SELECT x FROM middle', 150, 'diagonal'));

-- phase: central moment of 200 dimensions
SELECT cardinality(tlv_central_moment(third, 3)) FROM moments;

-- phase: decomposition of a tensor of 200
SELECT count(*) FROM (SELECT tlv_central_moment(third, 3) AS tensor FROM moments OFFSET 0) r, tlv_decompose(tensor);

-- phase: als of a tensor of 200
SELECT count(*) FROM (SELECT tlv_central_moment(third, 3) AS tensor FROM moments OFFSET 0) r, tlv_decompose(tensor, method => 'als');

-- phase: power method for a tensor of 200
SELECT count(*) FROM (SELECT tlv_central_moment(third, 3) AS tensor FROM moments OFFSET 0) r, tlv_decompose(tensor, method => 'power');

-- phase: components of 50 dimensions
SELECT tlv_info(tlv_fit_ica(fourth, keep_gaussian => true)) FROM moments;

-- phase: components of 50 dimensions with noise
SELECT tlv_info(tlv_fit_ica(fourth, noise => true, keep_gaussian => true)) FROM moments;

-- phase: random components of 1000 dimensions
SELECT count(*) FROM tlv_simulate_ica(100, 1000);

-- phase: unmixing of many rows in one value
SELECT cardinality(tlv_unmix((SELECT tlv_simulate_ica_model(10)), x)) FROM packed;

-- phase: mixing matrices compared
SELECT tlv_amari(tlv_simulate_ica_model(1000), tlv_simulate_ica_model(1000, seed => 2));

-- phase: views of 150 dimensions
SELECT tlv_info(tlv_view_moments(x[1:150], x[51:200], x[1:150])) FROM middle;

-- phase: fit to views of 150 dimensions
SELECT tlv_info(tlv_fit_multiview(views, 100)) FROM moments;

-- phase: random views
SELECT tlv_info(tlv_simulate_multiview_model('{3000,3000,3000}', 200));

-- phase: random Markov model
SELECT tlv_info(tlv_simulate_hmm_model(symbols => 100000, k => 100));

-- phase: matching of Markov models
SELECT count(*) FROM tlv_match(tlv_simulate_hmm_model(symbols => 100, k => 1000), tlv_simulate_hmm_model(symbols => 100, k => 1000, seed => 2));

-- phase: matching of mixtures
SELECT count(*) FROM tlv_match(tlv_simulate_gmm_model(50, 1000), tlv_simulate_gmm_model(50, 1000, seed => 2));

-- phase: a Gaussian tree of 2000 variables
SELECT tlv_info(tlv_fit_tree(second)) FROM moments;

-- phase: a Gaussian tree of 2000 variables, neighbour joining
SELECT tlv_info(tlv_fit_tree(second, structure => 'nj')) FROM moments;

-- phase: distances of 2000 variables
SELECT count(*) FROM moments, tlv_tree_distances(second);

-- phase: random rows of a Gaussian tree
SELECT count(*) FROM tlv_simulate_tree(tlv_simulate_tree_model(3000, kind => 'gaussian'), 1000);

-- phase: text of moments of 200 dimensions
SELECT length(third::text) FROM moments;

-- phase: moments of 200 dimensions of a text
SELECT t::tlv_moments = third FROM (SELECT third, third::text AS t FROM moments OFFSET 0) q;
