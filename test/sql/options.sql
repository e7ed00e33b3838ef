--
-- An option that is accepted is used: every option of every driver and fit, given another value, changes the model, its diagnostics or the outcome.
--
SET client_min_messages = error;
CREATE TEMP TABLE documents AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(60, 3, seed => 5), 300, 40, seed => 6);
CREATE TEMP TABLE summary AS SELECT tlv_find_subspace(tlv_count_moments(bag), 3) AS s FROM documents;
CREATE TEMP TABLE rare AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(9000, 3, seed => 5), 300, 60, seed => 6);
CREATE TEMP TABLE rare_space AS SELECT tlv_find_subspace(tlv_count_moments(bag), 3) AS s FROM rare;
CREATE TEMP TABLE edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(60, 3, 0, 0.5, 0.05), 2);
CREATE TEMP TABLE sets AS SELECT active FROM tlv_simulate_network(tlv_simulate_network_model(60, ARRAY[8], 12, 0.08), 600);
CREATE TEMP TABLE vectors AS SELECT id, x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(4, 3, 3, 'full'), 400);
CREATE TEMP TABLE views AS SELECT x1, x2, x3, category1, category2, category3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[3, 3, 3], 2), 400);
CREATE TEMP TABLE classes AS SELECT category1, category2, category3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(k => 2, categories => ARRAY[4, 4, 4]), 1000);
CREATE TEMP TABLE sequences AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(4, 2), 60, 40);
CREATE TEMP TABLE steps AS SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(NULL, 2, dimensions => 2, separation => 3), 60, 40);
CREATE TEMP TABLE mixed AS SELECT x FROM tlv_simulate_ica(2000, 3, 0.1);
CREATE TEMP TABLE answers AS SELECT v FROM tlv_simulate_tree(tlv_simulate_tree_model(6, 3, observed_states => 3, seed => 4), 1500);
CREATE TEMP TABLE numbers AS SELECT x FROM tlv_simulate_tree(tlv_simulate_tree_model(6, 1, 'gaussian', seed => 4), 500);
CREATE TEMP TABLE chain AS SELECT ARRAY[a, b, c, d, e] AS v FROM generate_series(1, 4000) i, LATERAL (SELECT (i / 3) % 2) ra(a), LATERAL (SELECT (a + (i * 7919 % 13 = 0)::int) % 2) rb(b),
  LATERAL (SELECT (b + (i * 4729 % 17 = 0)::int) % 2) rc(c), LATERAL (SELECT (c + (i * 9709 % 19 = 0)::int) % 2) rd(d), LATERAL (SELECT (d + (i * 5863 % 23 = 0)::int) % 2) re(e);
CREATE TEMP TABLE crowd AS SELECT item, worker, answer FROM tlv_simulate_crowd(200, 20, 3, share => .3, seed => 5);
CREATE TEMP TABLE copied AS SELECT item, worker, CASE WHEN worker < 8 THEN abs(hashint8(item)) % 3 ELSE answer END AS answer FROM tlv_simulate_crowd(200, 20, 3, share => .5, high => .8, seed => 5);
CREATE TEMP TABLE crowd_truth AS SELECT DISTINCT item, true_answer FROM tlv_simulate_crowd(200, 20, 3, share => .3, seed => 5);
CREATE TEMP TABLE survey AS SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(8, 3, seed => 5), 800);

CREATE TEMP TABLE readings AS SELECT series, t, reading FROM tlv_simulate_convolution(tlv_simulate_convolution_model(2, 8, rate => .1), 1, 3000);
CREATE TEMP TABLE readings_moments AS SELECT tlv_series_moments(s, 8) AS m FROM (SELECT array_agg(reading ORDER BY t) AS s FROM readings) q;

-- how each is called: {} is where the option goes, NULL: where nothing is
CREATE TEMP TABLE calls (function text, option text, given text, call text);
INSERT INTO calls
SELECT f, o, v, c FROM (VALUES
  ('tlv_lda', $$tlv_lda('TABLE documents', 3{})$$,
    ARRAY[['alpha0', '0.3'], ['counts', '''damped'''], ['min_documents', '60'], ['refine', '''gibbs'''], ['iterations', '2'], ['method', '''anchors'''], ['anchors', '''{5,10,20}'''],
    ['fixed', 'tlv_topic_model(''{1,1}'', ''{5,10}'', ''{.5,.5}'', ''{1}'')'],
    ['seed', '2'], ['errors', 'true']]),
  ('tlv_lda', $$tlv_lda('TABLE documents'{})$$, ARRAY[['k', '2'], ['max_k', '1']]),
  ('tlv_lda', $$tlv_lda('SELECT NULL::tlv_bag', 3{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_lda', $$tlv_fit_lda((SELECT tlv_count_moments(bag, s) FROM documents, summary), 3{})$$, ARRAY[['alpha0', '0.3'], ['method', '''power'''], ['seed', '2']]),
  ('tlv_fit_lda', $$tlv_fit_lda((SELECT tlv_anchor_moments(bag, s) FROM documents, summary), 3{})$$, ARRAY[['anchors', '''{5,10,20}''']]),
  ('tlv_fit_lda', $$tlv_fit_lda((SELECT tlv_count_moments(bag, s) FROM documents, summary){})$$, ARRAY[['k', '2']]),
  ('tlv_fit_lda', $$tlv_fit_lda((SELECT tlv_count_moments(bag, s) FROM documents, summary WHERE doc < 4), 3{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_lda', $$tlv_fit_lda((SELECT tlv_count_moments(bag, s) FROM rare, rare_space WHERE doc < 40), 1{})$$, ARRAY[['subspace', '(SELECT s FROM rare_space)']]),
  ('tlv_fit_lda', $$tlv_fit_lda((SELECT tlv_count_moments(bag, s) FROM documents, summary), 3, method => 'power'{})$$, ARRAY[['restarts', '1'], ['steps', '1']]),
  ('tlv_mmsb', $$tlv_mmsb('TABLE edges', 3{})$$,
    ARRAY[['alpha0', '0.5'], ['directed', 'true'], ['bipartite', 'true'], ['degree_corrected', 'true'], ['edges', '''poisson'''],
          ['labels', '''VALUES (1, 2), (2, 2)'''], ['refine', '''none'''], ['seed', '2'], ['errors', 'true']]),
  ('tlv_mmsb', $$tlv_mmsb('TABLE edges', 3, directed => true{})$$, ARRAY[['sides', '''separate''']]),
  ('tlv_fit_mmsb', $$tlv_fit_mmsb((SELECT tlv_digraph_agg(src, dst) FROM edges), 3{})$$, ARRAY[['sides', '''separate''']]),
  ('tlv_mmsb', $$tlv_mmsb('TABLE edges'{})$$, ARRAY[['k', '2'], ['max_k', '1']]),
  ('tlv_mmsb', $$tlv_mmsb('VALUES (1, 1)', 3{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_mmsb', $$tlv_fit_mmsb((SELECT tlv_graph_agg(src, dst) FROM edges), 3{})$$,
    ARRAY[['alpha0', '0.5'], ['degree_corrected', 'true'], ['edges', '''poisson'''], ['labels', '''{1:2,2:2}'''], ['refine', '''none'''], ['seed', '2']]),
  ('tlv_fit_mmsb', $$tlv_fit_mmsb((SELECT tlv_graph_agg(src, dst) FROM edges){})$$, ARRAY[['k', '2'], ['max_k', '1']]),
  ('tlv_fit_mmsb', $$tlv_fit_mmsb((SELECT tlv_graph_agg(src, dst) FROM edges), 3, refine => 'none'{})$$, ARRAY[['method', '''power''']]),
  ('tlv_fit_mmsb', $$tlv_fit_mmsb((SELECT tlv_graph_agg(src, dst) FROM edges), 3, refine => 'none', method => 'power'{})$$, ARRAY[['restarts', '1'], ['steps', '1']]),
  ('tlv_fit_mmsb', $$tlv_fit_mmsb(tlv_graph_agg(1, 1), 3{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_gmm', $$tlv_gmm('SELECT x FROM vectors', 3{})$$, ARRAY[['covariance', '''common'''], ['tails', '''t'''], ['refine', '''none'''], ['iterations', '1'], ['seed', '2'], ['errors', 'true']]),
  ('tlv_gmm', $$tlv_gmm('SELECT x[1] AS a, x[2] AS b, x[1] ^ 2 AS w FROM vectors', 2{})$$, ARRAY[['weights', '''w''']]),
  ('tlv_gmm', $$tlv_gmm('SELECT x FROM vectors'{})$$, ARRAY[['k', '2'], ['max_k', '1'], ['criterion', '''icl''']]),
  ('tlv_gmm', $$tlv_gmm('SELECT x FROM vectors WHERE id = 1', 3{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_gmm', $$tlv_fit_gmm((SELECT tlv_dense_moments(x, 3) FROM vectors), 3{})$$, ARRAY[['covariance', '''full'''], ['method', '''power'''], ['seed', '2']]),
  ('tlv_fit_gmm', $$tlv_fit_gmm((SELECT tlv_dense_moments(x, 3) FROM vectors){})$$, ARRAY[['k', '2'], ['max_k', '1']]),
  ('tlv_fit_gmm', $$tlv_fit_gmm((SELECT tlv_dense_moments(x, 3) FROM vectors), 3, method => 'power'{})$$, ARRAY[['restarts', '1'], ['steps', '1']]),
  ('tlv_fit_gmm', $$tlv_fit_gmm((SELECT tlv_dense_moments(x, 3) FROM vectors WHERE id = 1), 3{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_multiview', $$tlv_multiview('SELECT x1, x2, x3 FROM views', 2{})$$, ARRAY[['refine', '''em'''], ['seed', '2'], ['errors', 'true']]),
  ('tlv_multiview', $$tlv_multiview('SELECT x1, x2, x3 FROM views'{})$$, ARRAY[['k', '1'], ['max_k', '1']]),
  ('tlv_multiview', $$tlv_multiview('TABLE classes', 2{})$$, ARRAY[['iterations', '1']]),
  ('tlv_multiview', $$tlv_multiview('SELECT NULL::int, 1, 1', 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_multiview', $$tlv_fit_multiview((SELECT tlv_view_moments(x1, x2, x3) FROM views), 2{})$$, ARRAY[['method', '''power'''], ['seed', '2']]),
  ('tlv_fit_multiview', $$tlv_fit_multiview((SELECT tlv_view_moments(x1, x2, x3) FROM views){})$$, ARRAY[['k', '1'], ['max_k', '1']]),
  ('tlv_fit_multiview', $$tlv_fit_multiview((SELECT tlv_view_moments(category1, category2, category3) FROM classes), 2{})$$, ARRAY[['iterations', '1']]),
  ('tlv_fit_multiview', $$tlv_fit_multiview((SELECT tlv_view_moments(x1, x2, x3) FROM views), 2, method => 'power'{})$$, ARRAY[['steps', '1']]),
  ('tlv_fit_multiview', $$tlv_fit_multiview((SELECT tlv_view_moments(x1, x2, x3) FROM views), 2, method => 'power', steps => 1{})$$, ARRAY[['restarts', '1']]),
  ('tlv_fit_multiview', $$tlv_fit_multiview((SELECT tlv_view_moments(1, 1, 1)), 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_hmm', $$tlv_hmm('TABLE sequences', 2{})$$,
    ARRAY[['left_right', 'true'], ['transitions', '''{{0.9,0.1},{0.2,0.8}}'''],
          ['emissions', '''{{0.4,0.3,0.2,0.1},{0.1,0.2,0.3,0.4}}'''], ['refine', '''windows'''], ['iterations', '1'], ['seed', '2']]),
  ('tlv_hmm', $$tlv_hmm('TABLE sequences'{})$$, ARRAY[['k', '3'], ['max_k', '1']]),
  ('tlv_hmm', $$tlv_hmm('TABLE steps', 2{})$$, ARRAY[['covariance', '''full'''], ['errors', 'true']]),
  ('tlv_hmm', $$tlv_hmm('SELECT 1, 1, NULL::bigint', 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_hmm', $$tlv_fit_hmm((SELECT tlv_sequence_moments(s) FROM (SELECT array_agg(symbol ORDER BY t) AS s FROM sequences GROUP BY seq) q), 2{})$$,
    ARRAY[['iterations', '1'], ['seed', '2']]),
  ('tlv_fit_hmm', $$tlv_fit_hmm((SELECT tlv_sequence_moments(s) FROM (SELECT array_agg(symbol ORDER BY t) AS s FROM sequences GROUP BY seq) q){})$$, ARRAY[['k', '3'], ['max_k', '1']]),
  ('tlv_fit_hmm', $$tlv_fit_hmm((SELECT tlv_sequence_moments(s) FROM (SELECT array_agg(x ORDER BY t) AS s FROM steps GROUP BY seq) q), 2{})$$,
    ARRAY[['covariance', '''full'''], ['method', '''power''']]),
  ('tlv_fit_hmm', $$tlv_fit_hmm((SELECT tlv_sequence_moments(s) FROM (SELECT array_agg(x ORDER BY t) AS s FROM steps GROUP BY seq) q), 2, method => 'power'{})$$,
    ARRAY[['restarts', '1'], ['steps', '1']]),
  ('tlv_fit_hmm', $$tlv_fit_hmm(tlv_sequence_moments(ARRAY[1]), 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_ica', $$tlv_ica('TABLE mixed'{})$$, ARRAY[['k', '2'], ['max_k', '1'], ['noise', 'true'], ['refine', '''none'''], ['iterations', '1']]),
  ('tlv_ica', $$tlv_ica('SELECT x FROM tlv_simulate_ica(500, 3, sources => ''gaussian'')', refine => 'none'{})$$, ARRAY[['keep_gaussian', 'false']]),
  ('tlv_ica', $$tlv_ica('SELECT x FROM tlv_simulate_ica(500, 3, sources => ''gaussian'')', refine => 'none', keep_gaussian => false{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_dictionary', $$tlv_dictionary('SELECT x FROM vectors', 5, 2{})$$, ARRAY[['refine', '''none'''], ['iterations', '0'], ['restarts', '1'], ['seed', '2']]),
  ('tlv_dictionary', $$tlv_dictionary('SELECT x FROM vectors', 4, 1, refine => 'none'{})$$, ARRAY[['method', '''ica''']]),
  ('tlv_dictionary', $$tlv_dictionary('SELECT x FROM vectors', 4, 1, method => 'graph', refine => 'none'{})$$, ARRAY[['threshold', '0.1'], ['f', '0.9']]),
  ('tlv_dictionary', $$tlv_dictionary('SELECT x FROM vectors', sparsity => 1{})$$, ARRAY[['atoms', '4']]),
  ('tlv_dictionary', $$tlv_dictionary('SELECT x FROM vectors', 4{})$$, ARRAY[['sparsity', '1']]),
  ('tlv_dictionary', $$tlv_dictionary('SELECT ARRAY[1.0, 1.0] FROM generate_series(1, 9)', 2, 1, method => 'ica'{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_network', $$tlv_network('SELECT active FROM sets'{})$$, ARRAY[['layers', '2'], ['threshold', '0.3'], ['refine', '''none'''], ['iterations', '0']]),
  ('tlv_network', $$tlv_network('SELECT active FROM sets', threshold => 0.005, refine => 'none'{})$$, ARRAY[['seed', '4']]),
  ('tlv_network', $$tlv_network('SELECT ARRAY[]::int[]'{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_network', $$tlv_fit_network((SELECT tlv_cofire(active) FROM sets){})$$, ARRAY[['threshold', '0.3']]),
  ('tlv_fit_network', $$tlv_fit_network((SELECT tlv_cofire(active) FROM sets), threshold => 0.005{})$$, ARRAY[['seed', '4']]),
  ('tlv_fit_network', $$tlv_fit_network((SELECT tlv_cofire(active, (SELECT tlv_fit_network(tlv_cofire(active)) FROM sets)) FROM sets), on_failure => 'null'{})$$,
    ARRAY[['model', '(SELECT tlv_fit_network(tlv_cofire(active)) FROM sets)']]),
  ('tlv_fit_network', $$tlv_fit_network(tlv_cofire(ARRAY[]::int[]){})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_convolution', $$tlv_convolution('TABLE readings', 2, 8{})$$, ARRAY[['iterations', '1']]),
  ('tlv_convolution', $$tlv_convolution('TABLE readings', length => 8{})$$, ARRAY[['k', '1'], ['max_k', '1']]),
  ('tlv_convolution', $$tlv_convolution('TABLE readings', 2, 8, iterations => 0{})$$, ARRAY[['seed', '2']]),
  ('tlv_convolution', $$tlv_convolution('TABLE readings', 1{})$$, ARRAY[['length', '7']]),
  ('tlv_convolution', $$tlv_convolution('SELECT 1, t, 5 FROM generate_series(1, 99) t', 1, 8{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_convolution', $$tlv_fit_convolution((TABLE readings_moments), 1{})$$, ARRAY[['length', '7'], ['iterations', '1']]),
  ('tlv_fit_convolution', $$tlv_fit_convolution((TABLE readings_moments){})$$, ARRAY[['k', '1'], ['max_k', '1']]),
  ('tlv_fit_convolution', $$tlv_fit_convolution((TABLE readings_moments), 2, iterations => 0{})$$, ARRAY[['restarts', '1'], ['steps', '1'], ['seed', '2']]),
  ('tlv_fit_convolution', $$tlv_fit_convolution(tlv_series_moments(ARRAY[]::float8[], 8), 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_ica', $$tlv_fit_ica((SELECT tlv_dense_moments(x, 4) FROM mixed){})$$, ARRAY[['k', '2'], ['max_k', '1'], ['noise', 'true'], ['method', '''sgd''']]),
  ('tlv_fit_ica', $$tlv_fit_ica((SELECT tlv_dense_moments(x, 4) FROM mixed), method => 'sgd'{})$$, ARRAY[['steps', '1'], ['seed', '2']]),
  ('tlv_fit_ica', $$tlv_fit_ica((SELECT tlv_dense_moments(x, 4) FROM tlv_simulate_ica(500, 3, sources => 'gaussian')){})$$, ARRAY[['keep_gaussian', 'false']]),
  ('tlv_fit_ica', $$tlv_fit_ica((SELECT tlv_dense_moments(x, 4) FROM tlv_simulate_ica(500, 3, sources => 'gaussian')), keep_gaussian => false{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_tree', $$tlv_tree('TABLE answers'{})$$,
    ARRAY[['states', '2'], ['structure', '''chow-liu'''], ['shrinkage', '0.5'], ['kind', '''gaussian'''],
          ['bootstrap', '3'], ['iterations', '1'], ['seed', '2']]),
  ('tlv_tree', $$tlv_tree('TABLE answers', 3{})$$, ARRAY[['metric', '''determinant''']]),
  ('tlv_tree', $$tlv_tree('SELECT v FROM answers LIMIT 200', 3{})$$, ARRAY[['z', '30'], ['significance', '1e-12'], ['regularise', 'true']]),
  ('tlv_tree', $$tlv_tree('TABLE chain', 2{})$$, ARRAY[['observed_inside', 'true']]),
  ('tlv_tree', $$tlv_tree('TABLE numbers'{})$$, ARRAY[['groups', '''{1,1,2,3,4,5}''']]),
  ('tlv_tree', $$tlv_tree('SELECT v[1] AS a, v[2] AS b, v[3] AS c FROM answers'{})$$, ARRAY[['layout', '''wide''']]),
  ('tlv_tree', $$tlv_tree('SELECT x[1] AS a, x[2] AS b, x[3] AS c, x[1] ^ 2 AS w FROM numbers', layout => 'wide'{})$$, ARRAY[['weights', '''w''']]),
  ('tlv_tree', $$tlv_tree('SELECT ARRAY[1.0, 2.0, 3.0]'{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_tree', $$tlv_fit_tree((SELECT tlv_category_moments(v) FROM answers){})$$,
    ARRAY[['states', '2'], ['structure', '''chow-liu'''], ['shrinkage', '0.5'], ['names', '''{a,b,c,d,e,f}'''], ['seed', '2']]),
  ('tlv_fit_tree', $$tlv_fit_tree((SELECT tlv_category_moments(v) FROM chain), 2{})$$, ARRAY[['observed_inside', 'true']]),
  ('tlv_fit_tree', $$tlv_fit_tree((SELECT tlv_category_moments(v) FROM answers), 3{})$$, ARRAY[['metric', '''determinant''']]),
  ('tlv_fit_tree', $$tlv_fit_tree((SELECT tlv_category_moments(v) FROM (SELECT v FROM answers LIMIT 200) q), 3{})$$, ARRAY[['z', '30'], ['significance', '1e-12'], ['regularise', 'true']]),
  ('tlv_fit_tree', $$tlv_fit_tree((SELECT tlv_dense_moments(x, 2) FROM numbers){})$$, ARRAY[['groups', '''{1,1,2,3,4,5}'''], ['bootstrap', '3'], ['iterations', '1']]),
  ('tlv_fit_tree', $$tlv_fit_tree((SELECT tlv_dense_moments(ARRAY[1.0, 2.0, 3.0], 2)){})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_crowd', $$tlv_crowd('TABLE crowd'{})$$,
    ARRAY[['gold', '''SELECT item, true_answer FROM crowd_truth WHERE item < 30'''], ['shrink', '9'], ['start', '''majority'''], ['refine', '''none'''], ['iterations', '1']]),
  ('tlv_crowd', $$tlv_crowd('TABLE crowd', start => 'moments', iterations => 1{})$$, ARRAY[['restarts', '20'], ['seed', '2']]),
  ('tlv_crowd', $$tlv_crowd('TABLE copied'{})$$, ARRAY[['copies', '''ignore''']]),
  ('tlv_crowd', $$tlv_crowd('SELECT 1, 1, NULL::bigint'{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_crowd', $$tlv_fit_crowd((SELECT tlv_crowd_answers(item, worker, answer) FROM crowd){})$$,
    ARRAY[['shrink', '9'], ['start', '''majority'''], ['refine', '''none'''], ['iterations', '1']]),
  ('tlv_fit_crowd', $$tlv_fit_crowd((SELECT tlv_crowd_answers(item, worker, answer) FROM crowd), start => 'moments', iterations => 1{})$$, ARRAY[['restarts', '20'], ['seed', '2']]),
  ('tlv_fit_crowd', $$tlv_fit_crowd((SELECT tlv_crowd_answers(item, worker, answer) FROM copied){})$$, ARRAY[['copies', '''ignore''']]),
  ('tlv_fit_crowd', $$tlv_fit_crowd((SELECT tlv_crowd_answers(1, 1, NULL::bigint)){})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_cp', $$tlv_fit_cp((SELECT tlv_tensor_agg(item, worker, answer, 1) FROM crowd), 2{})$$,
    ARRAY[['nonnegative', 'true'], ['iterations', '1'], ['restarts', '1'], ['seed', '2']]),
  ('tlv_fit_cp', $$tlv_fit_cp((SELECT tlv_tensor_agg(item, worker, answer, 1) FROM crowd), 2, nonnegative => true{})$$, ARRAY[['method', '''pqp''']]),
  ('tlv_fit_cp', $$tlv_fit_cp((SELECT tlv_tensor_agg(1, 1, 1, 2)){})$$, ARRAY[['k', '1']]),
  ('tlv_fit_tucker', $$tlv_fit_tucker((SELECT tlv_tensor_agg(item, worker, answer, 1) FROM crowd), '{2,3,2}'{})$$, ARRAY[['iterations', '1'], ['seed', '2']]),
  ('tlv_fit_tucker', $$tlv_fit_tucker((SELECT tlv_tensor_agg(1, 1, 1, 2)){})$$, ARRAY[['ranks', '''{1,1,1}''']]),
  ('tlv_fit_tucker', $$tlv_fit_tucker((SELECT tlv_tensor_agg(1, 1, 1, 0)), '{1,1,1}'{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_tensor_train', $$tlv_fit_tensor_train((SELECT tlv_tensor_agg(item, worker, answer, 1) FROM crowd){})$$, ARRAY[['ranks', '''{2,2}'''], ['tolerance', '.5']]),
  ('tlv_fit_tensor_train', $$tlv_fit_tensor_train((SELECT tlv_tensor_agg(1, 1, 1, 0)){})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_cp', $$tlv_fit_cp((SELECT tlv_tensor_agg(1, 1, 1, 0)), 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_cp', $$tlv_fit_cp((SELECT tlv_tensor_agg(item, worker, answer, 1 + item % 3) FROM crowd), 1{})$$, ARRAY[['absent', '''missing''']]),
  ('tlv_fit_tucker', $$tlv_fit_tucker((SELECT tlv_tensor_agg(item, worker, answer, 1 + item % 3) FROM crowd), '{1,1,1}'{})$$, ARRAY[['absent', '''missing''']]),
  ('tlv_fit_tensor_train', $$tlv_fit_tensor_train((SELECT tlv_tensor_agg(item, worker, answer, 1 + item % 3) FROM crowd), '{1,1}'{})$$, ARRAY[['absent', '''missing''']]),
  ('tlv_lca', $$tlv_lca('TABLE survey', 2{})$$, ARRAY[['copies', '2'], ['refine', '''none'''], ['iterations', '1'], ['seed', '2'], ['errors', 'true']]),
  ('tlv_lca', $$tlv_lca('TABLE survey'{})$$, ARRAY[['k', '2'], ['criterion', '''bic'''], ['max_k', '1']]),
  ('tlv_lca', $$tlv_lca('SELECT v[1] AS a, v[2] AS b, v[3] AS c, 1 + coalesce(v[2], 0) AS w FROM survey', 2, layout => 'wide'{})$$, ARRAY[['weights', '''w''']]),
  ('tlv_lca', $$tlv_lca('SELECT v[1] AS a, v[2] AS b, v[3] AS c FROM survey', 2{})$$, ARRAY[['layout', '''wide''']]),
  ('tlv_lca', $$tlv_lca('SELECT NULL::int[]', 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_lca', $$tlv_fit_lca((SELECT tlv_category_moments(v) FROM survey), 2{})$$, ARRAY[['copies', '2'], ['seed', '2'], ['method', '''power''']]),
  ('tlv_fit_lca', $$tlv_fit_lca((SELECT tlv_category_moments(v) FROM survey){})$$, ARRAY[['k', '2'], ['max_k', '1']]),
  ('tlv_fit_lca', $$tlv_fit_lca((SELECT tlv_category_moments(v) FROM survey), 3, method => 'power'{})$$, ARRAY[['restarts', '1'], ['steps', '1']]),
  ('tlv_fit_lca', $$tlv_fit_lca(tlv_category_moments(ARRAY[0, 1]), 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_gom', $$tlv_gom('TABLE survey', 2{})$$, ARRAY[['alpha0', '2'], ['copies', '2'], ['refine', '''none'''], ['iterations', '1'], ['seed', '2'], ['errors', 'true']]),
  ('tlv_gom', $$tlv_gom('TABLE survey'{})$$, ARRAY[['k', '2'], ['max_k', '1']]),
  ('tlv_gom', $$tlv_gom('SELECT v[1] AS a, v[2] AS b, v[3] AS c FROM survey', 2{})$$, ARRAY[['layout', '''wide''']]),
  ('tlv_gom', $$tlv_gom('SELECT NULL::int[]', 2{})$$, ARRAY[['on_failure', '''null''']]),
  ('tlv_fit_gom', $$tlv_fit_gom((SELECT tlv_category_moments(v) FROM survey), 2{})$$, ARRAY[['alpha0', '2'], ['copies', '2'], ['seed', '2'], ['method', '''power''']]),
  ('tlv_fit_gom', $$tlv_fit_gom((SELECT tlv_category_moments(v) FROM survey){})$$, ARRAY[['k', '2'], ['max_k', '1']]),
  ('tlv_fit_gom', $$tlv_fit_gom((SELECT tlv_category_moments(v) FROM survey), 3, method => 'power'{})$$, ARRAY[['restarts', '1'], ['steps', '1']]),
  ('tlv_fit_gom', $$tlv_fit_gom(tlv_category_moments(ARRAY[0, 1]), 2{})$$, ARRAY[['on_failure', '''null''']])
) AS f(f, c, options), LATERAL (SELECT options[i][1], options[i][2] FROM generate_series(1, array_length(options, 1)) i) AS o(o, v);
-- the query once more: every row counts twice
INSERT INTO calls SELECT DISTINCT ON (function) function, 'more_queries', format('ARRAY[%L]', substring(call FROM '^\w+\(''(.*?)''[,){]')), call FROM calls
WHERE function NOT LIKE 'tlv\_fit\_%' AND option NOT IN ('on_failure', 'atoms', 'sparsity') ORDER BY function, length(call);
-- one number of restarts may find the same best start as another, but not each of four
INSERT INTO calls SELECT function, option, more, call FROM calls, unnest(ARRAY['2', '3', '29']) AS more WHERE option = 'restarts' AND given = '1';

-- every option that the catalogue has of these functions is among them; of options, a jsonb of keys to come, every key is refused (surface)
SELECT p.proname, a.name FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e',
  LATERAL unnest(p.proargnames[2:p.pronargs]) AS a(name)
WHERE p.prorettype = 'tlv_model'::regtype AND 'on_failure' = ANY (p.proargnames) AND a.name <> 'options'
  AND NOT EXISTS (SELECT FROM calls c WHERE c.function = p.proname AND c.option = a.name) ORDER BY 1, 2;
-- and the other way round
SELECT function, option FROM calls c WHERE NOT EXISTS (SELECT FROM pg_proc p WHERE p.proname = function AND option = ANY (p.proargnames[2:p.pronargs]));

-- the model, but for its seed, or how the call ends
CREATE FUNCTION pg_temp.outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m tlv_model;
BEGIN
  EXECUTE 'SELECT ' || call INTO m;
  RETURN coalesce(md5((tlv_to_json(m)::jsonb - 'diagnostics' - 'seed')::text || (SELECT string_agg(d::text, ' ') FROM tlv_diagnostics(m) d)), 'null');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
CREATE TEMP TABLE plain AS SELECT call, pg_temp.outcome(replace(call, '{}', '')) AS without FROM (SELECT DISTINCT call FROM calls) c;
CREATE TEMP TABLE outcomes AS
  SELECT function, option, call, given, without, pg_temp.outcome(replace(call, '{}', format(', %s => %s', option, given))) AS with FROM calls JOIN plain USING (call);
-- options that change nothing
SELECT function, option, min(given) AS given, without FROM outcomes GROUP BY function, option, call, without HAVING bool_and(without = "with") ORDER BY 1, 2;
-- calls that end in an error without the option, and with it: what is meant
SELECT function, option, given, CASE WHEN length(without) < 32 THEN without ELSE 'a model' END AS without, CASE WHEN length("with") < 32 THEN "with" ELSE 'a model' END AS with
FROM outcomes WHERE length(without) < 32 OR length("with") < 32 ORDER BY 1, 2;
-- nothing in a model tells when or how fast it was made: equal fits are equal values
CREATE FUNCTION pg_temp.differs(call text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE a tlv_model; b tlv_model;
BEGIN
  EXECUTE 'SELECT ' || call INTO a;
  EXECUTE 'SELECT ' || call INTO b;
  RETURN a <> b OR tlv_info(a)->>'fingerprint' <> tlv_info(b)->>'fingerprint';
END $$;
SELECT count(*) AS functions, string_agg(function, ' ') FILTER (WHERE pg_temp.differs(replace(call, '{}', ''))) AS differ
FROM (SELECT DISTINCT ON (function) function, call FROM outcomes WHERE length(without) = 32 ORDER BY function, length(call)) c;

-- where the data show more than max_k, a warning says so
SELECT name, score, message, hint FROM (VALUES
  ('tlv_ica', tlv_ica('TABLE mixed', max_k => 2)), ('tlv_fit_ica', (SELECT tlv_fit_ica(tlv_dense_moments(x, 4), max_k => 2) FROM mixed)),
  ('tlv_multiview', tlv_multiview('SELECT x1, x2, x3 FROM views', max_k => 1)), ('tlv_fit_gmm', (SELECT tlv_fit_gmm(tlv_dense_moments(x, 3), max_k => 2) FROM vectors)),
  ('tlv_fit_lca', (SELECT tlv_fit_lca(tlv_category_moments(v), max_k => 2) FROM survey)), ('tlv_fit_gom', (SELECT tlv_fit_gom(tlv_category_moments(v), max_k => 2) FROM survey)),
  ('enough', (SELECT tlv_fit_lca(tlv_category_moments(v), max_k => 9) FROM survey))) f(name, model), tlv_warnings(model) w WHERE code = 'k_at_limit';
