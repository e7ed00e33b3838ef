-- A model of every kind, and of every form of rows that pages show in another way: page_models (name, model).
CREATE TABLE page_points AS SELECT g AS id, ARRAY[10 * (g % 3) + sin(g), 7 * (g % 3 % 2) + cos(3 * g), sin(7 * g)] AS x FROM generate_series(1, 300) g;
CREATE TABLE page_edges AS SELECT 'node ' || a AS src, 'node ' || b AS dst FROM generate_series(1, 40) a, generate_series(1, 40) b
  WHERE a < b AND (a * 7919 + b * 104729) % 100 < CASE WHEN (a % 10 < 5) = (b % 10 < 5) THEN 50 ELSE 5 END;
CREATE TABLE page_cells AS SELECT i, j, l, 5 * cos(i) * sin(2 * j) * cos(l) + 4 * sin(i) * cos(3 * j) * sin(2 * l) + 3 * cos(2 * i + j) * sin(l) AS entry
  FROM generate_series(1, 8) i, generate_series(1, 7) j, generate_series(1, 6) l;
CREATE TABLE page_models AS
  SELECT 'topics' AS name, tlv_lda('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(60, 4, 0.3, seed => 3), 400, 40, seed => 3)', 4, seed => 1, errors => true) AS model
  UNION ALL SELECT 'topics of words', tlv_lda('SELECT (SELECT array_agg(w) FROM unnest(string_to_array(text, '' '')) w) FROM (VALUES (''red blue red''), (''cat dog cat''), (''red blue''),
    (''dog cat''), (''blue red''), (''dog dog cat'')) d(text)', 2)
  UNION ALL SELECT 'communities', tlv_mmsb('SELECT src, dst FROM page_edges', 2, alpha0 => 0.5, errors => true)
  UNION ALL SELECT 'directed', tlv_mmsb('SELECT src, dst FROM page_edges', 2, directed => true)
  UNION ALL SELECT 'bipartite', tlv_mmsb('SELECT src, ''to '' || dst FROM page_edges', 2, bipartite => true)
  UNION ALL SELECT 'mixture ' || c, tlv_gmm('SELECT x[1] AS length, x[2] AS width, x[3] AS height FROM page_points', 3, covariance => c)
  FROM unnest('{full,diagonal,spherical,common,direction}'::text[]) c
  UNION ALL SELECT 'views', tlv_simulate_multiview_model('{3,3,3}', 3, seed => 1)
  UNION ALL SELECT 'views of categories', tlv_simulate_multiview_model(categories => '{5,4,5}', k => 3, seed => 1)
  UNION ALL SELECT 'states of symbols', tlv_simulate_hmm_model(symbols => 12, k => 3, seed => 3)
  UNION ALL SELECT 'states of vectors', tlv_simulate_hmm_model(dimensions => 3, k => 3, seed => 3)
  UNION ALL SELECT 'sources', tlv_ica('SELECT x[1] AS length, x[2] AS width FROM page_points', 2)
  UNION ALL SELECT 'tree', tlv_tree('SELECT id, ''variable '' || v, (x[1 + v % 3] > v)::int FROM page_points, generate_series(0, 5) v', states => 2)
  UNION ALL SELECT 'tree of numbers', tlv_simulate_tree_model(6, kind => 'gaussian', seed => 2)
  UNION ALL SELECT 'classes', tlv_lca('SELECT id, ''question '' || v, (ARRAY[''no'', ''yes''])[1 + (x[1 + v % 3] > v)::int] FROM page_points, generate_series(0, 5) v', 2, errors => true)
  UNION ALL SELECT 'profiles', tlv_simulate_gom_model(6, 3, seed => 1)
  UNION ALL SELECT 'crowd', tlv_crowd('SELECT ''item '' || item, ''worker '' || worker, (ARRAY[''cat'', ''dog'', ''owl''])[answer] FROM tlv_simulate_crowd(100, 12, 3, seed => 5)')
  UNION ALL SELECT 'factors', tlv_fit_cp(tlv_tensor_agg('i' || i, 'j' || j, 'l' || l, entry), 3) FROM page_cells
  UNION ALL SELECT 'tucker', tlv_fit_tucker(tlv_tensor_agg(i, j, l, entry), ARRAY[3, 2, 2]) FROM page_cells
  UNION ALL SELECT 'train', tlv_fit_tensor_train(tlv_tensor_agg(i, j, l, entry), ARRAY[3, 2]) FROM page_cells
  UNION ALL SELECT 'network', tlv_simulate_network_model(40, ARRAY[8], 10, density => 0.1, seed => 3)
  UNION ALL SELECT 'templates', tlv_simulate_convolution_model(2, 16, seed => 2)
  UNION ALL SELECT 'atoms', tlv_simulate_dictionary_model(25, 12, 2, seed => 3);
