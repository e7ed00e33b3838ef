-- Mixtures, sequences, views, components: every phase of what takes long.
CREATE TABLE wide AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(100, 50, 4), 3000);
CREATE TABLE broad AS SELECT x FROM tlv_simulate_ica(3000, 40);
CREATE TABLE long AS SELECT array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(tlv_simulate_hmm_model(symbols => 100, k => 20), 20, 2000) GROUP BY seq;
CREATE TABLE deep AS SELECT array_agg(x ORDER BY t) AS v FROM tlv_simulate_hmm(tlv_simulate_hmm_model(dimensions => 50, k => 20), 20, 200) GROUP BY seq;
CREATE TABLE held AS SELECT (SELECT tlv_dense_moments(x, 3) FROM wide) AS third, (SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 40) FROM wide) AS s,
    (SELECT tlv_dense_moments(x, 4) FROM broad) AS fourth,
  (SELECT tlv_sequence_moments(s) FROM long) AS windows, (SELECT tlv_sequence_moments(v) FROM deep) AS vector_windows, (SELECT tlv_view_moments(x[1:30], x[31:60], x[61:100]) FROM wide) AS views,
  NULL::tlv_moments AS compressed, tlv_simulate_gmm_model(100, 100, 4, 'full') AS gmm, tlv_simulate_hmm_model(symbols => 100, k => 50) AS hmm,
      tlv_simulate_hmm_model(dimensions => 50, k => 50) AS vectors, tlv_simulate_multiview_model('{30,30,40}', 50) AS multiview,
      NULL::tlv_model AS ica;
UPDATE held SET compressed = (SELECT tlv_dense_moments(x, s, 4) FROM wide), ica = tlv_fit_ica(fourth, keep_gaussian => true);

-- phase: moments of order 3
SELECT tlv_dense_moments(x, 3) FROM wide, generate_series(1, 100);

-- phase: moments of order 4
SELECT tlv_dense_moments(x, 4) FROM broad, generate_series(1, 100);

-- phase: compressed moments
SELECT tlv_dense_moments(x, (SELECT s FROM held), 4) FROM wide, generate_series(1, 100);

-- phase: merging moments
SELECT tlv_rollup(third) FROM held, generate_series(1, 5000);

-- phase: merging compressed moments
SELECT tlv_rollup(compressed) FROM held, generate_series(1, 5000);

-- phase: central moments
SELECT count(tlv_central_moment(fourth, 4)) FROM held, generate_series(1, 300);

-- phase: fit of a mixture
SELECT count(tlv_fit_gmm(third, 50, seed => i)) FROM held, generate_series(1, 300) i;

-- phase: statistics of a mixture
SELECT tlv_statistics(x, (SELECT gmm FROM held)) FROM wide, generate_series(1, 100);

-- phase: posteriors of a mixture
SELECT count(tlv_infer((SELECT gmm FROM held), x)) FROM wide, generate_series(1, 100);

-- phase: tlv_gmm, starts
SELECT tlv_gmm('SELECT x FROM wide', 40, 'full');

-- phase: tlv_gmm, choice of k
SELECT tlv_gmm('SELECT x || x || x FROM wide, generate_series(1, 20)', covariance => 'full', max_k => 60);

-- phase: tlv_gmm, many rows
SELECT tlv_gmm('SELECT x FROM wide, generate_series(1, 1000)', 10);

-- phase: windows of symbols
SELECT tlv_sequence_moments(s) FROM long, generate_series(1, 1000);

-- phase: windows of vectors
SELECT tlv_sequence_moments(v) FROM deep, generate_series(1, 1000);

-- phase: EM on windows
SELECT tlv_fit_hmm(windows, 40, iterations => 100000) FROM held;

-- phase: fit to windows of vectors
SELECT count(tlv_fit_hmm(vector_windows, 20, seed => i)) FROM held, generate_series(1, 1000) i;

-- phase: Baum-Welch, symbols
SELECT tlv_statistics(s, (SELECT hmm FROM held)) FROM long, generate_series(1, 1000);

-- phase: Baum-Welch, vectors
SELECT tlv_statistics(v, (SELECT vectors FROM held)) FROM deep, generate_series(1, 1000);

-- phase: Viterbi
SELECT count(tlv_viterbi(hmm, symbols)) FROM held, (SELECT s AS symbols FROM long) l, generate_series(1, 1000);

-- phase: posteriors of steps
SELECT count(tlv_infer(vectors, v)) FROM held, deep, generate_series(1, 1000);

-- phase: likelihood of sequences
SELECT sum(tlv_log_likelihood(hmm, symbols)) FROM held, (SELECT s AS symbols FROM long) l, generate_series(1, 1000);

-- phase: one long sequence
SELECT tlv_viterbi(hmm, array_agg(1 + i % 100)) FROM held, generate_series(1, 3000000) i GROUP BY hmm;

-- phase: tlv_hmm of steps
SELECT tlv_hmm('SELECT i % 9, i, i % 100 FROM generate_series(1, 5000000) i', 10);

-- phase: tlv_hmm, Baum-Welch
SELECT tlv_hmm('SELECT s FROM long', 20, iterations => 100000);

-- phase: views
SELECT tlv_view_moments(x[1:30], x[31:60], x[61:100]) FROM wide, generate_series(1, 100);

-- phase: categorical views
SELECT tlv_view_moments(i % 100, i % 77, i % 50) FROM generate_series(1, 100000000) i;

-- phase: fit to views
SELECT count(tlv_fit_multiview(views, 10, seed => i)) FROM held, generate_series(1, 3000) i;

-- phase: statistics of views
SELECT tlv_statistics(x[1:30], x[31:60], x[61:100], (SELECT multiview FROM held)) FROM wide, generate_series(1, 100);

-- phase: tlv_multiview, EM
SELECT tlv_multiview('SELECT x[1:30], x[31:60], x[61:100] FROM wide, generate_series(1, 100)', 10, refine => 'em', iterations => 100000);

-- phase: posteriors of views
SELECT count(tlv_infer((SELECT multiview FROM held), ROW(x[1:30], x[31:60], x[61:100]))) FROM wide, generate_series(1, 100);

-- phase: EM on categories
SELECT tlv_multiview('SELECT s[i], s[i + 1], s[i + 2] FROM long, generate_series(1, 1998) i', 20, iterations => 1000000);

-- phase: joint, order 4
SELECT count(tlv_fit_ica(fourth, seed => i, keep_gaussian => true)) FROM held, generate_series(1, 30) i;

-- phase: with noise
SELECT count(tlv_fit_ica(fourth, noise => true, seed => i, keep_gaussian => true)) FROM held, generate_series(1, 30) i;

-- phase: sgd, order 4
SELECT tlv_fit_ica(fourth, method => 'sgd', steps => 1000000, keep_gaussian => true) FROM held;

-- phase: tanh steps
SELECT tlv_statistics(x, (SELECT ica FROM held), 'tanh') FROM broad, generate_series(1, 1000);

-- phase: unmixing
SELECT count(tlv_unmix((SELECT ica FROM held), x)) FROM broad, generate_series(1, 1000);

-- phase: tlv_ica
SELECT tlv_ica('SELECT x FROM broad, generate_series(1, 1000)', keep_gaussian => true);

-- phase: simulation of a mixture
SELECT count(*) FROM held, tlv_simulate_gmm(gmm, 10000000);

-- phase: simulation of views
SELECT count(*) FROM held, tlv_simulate_multiview(multiview, 10000000);

-- phase: simulation of sequences
SELECT count(*) FROM held, tlv_simulate_hmm(vectors, 1000000, 100);

-- phase: simulation of signals
SELECT count(*) FROM tlv_simulate_ica(10000000, 30);

-- phase: decomposition, sgd
SELECT * FROM tlv_decompose((SELECT tlv_central_moment(tlv_dense_moments(x[1:60], 3), 3) FROM wide), method => 'sgd', steps => 1000000);
