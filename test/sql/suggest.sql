-- What rows, moments and graphs say about the number of components, by the search of every family.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET client_min_messages = error;
CREATE SCHEMA suggest;
SET search_path = suggest, public;
CREATE TABLE points AS SELECT p.id, p.x FROM tlv_simulate_gmm_model(4, 3, separation => 6, seed => 3) m, tlv_simulate_gmm(m, 1000, seed => 1) p;
CREATE TABLE chain AS SELECT s.seq, array_agg(s.symbol ORDER BY s.t) AS s FROM tlv_simulate_hmm_model(symbols => 8, k => 3, seed => 3) m, tlv_simulate_hmm(m, 40, 60, seed => 1) s GROUP BY 1;
CREATE TABLE vector_chain AS SELECT s.seq, array_agg(s.x ORDER BY s.t) AS s FROM tlv_simulate_hmm_model(dimensions => 3, k => 3, seed => 3) m, tlv_simulate_hmm(m, 40, 60, seed => 2) s GROUP BY 1;
CREATE TABLE views AS SELECT v.* FROM tlv_simulate_multiview_model(categories => '{5,5,5}', k => 3, seed => 3) m, tlv_simulate_multiview(m, 3000, seed => 1) v;
CREATE TABLE answers AS SELECT v FROM tlv_simulate_lca_model(8, 3, seed => 3) m, tlv_simulate_lca(m, 600, seed => 1);
CREATE TABLE edges AS SELECT e.* FROM tlv_simulate_mmsb_model(120, 3, within => 0.3, across => 0.02, seed => 3) m, tlv_simulate_mmsb(m, seed => 1) e;
-- Every family has its own criteria; one k of each is chosen.
CREATE TABLE told AS
  SELECT 'gmm' AS what, s.* FROM tlv_suggest_k('SELECT x FROM points', model => 'gmm') s
  UNION ALL SELECT 'hmm', s.* FROM tlv_suggest_k('SELECT s FROM chain', model => 'hmm', max_k => 4) s
  UNION ALL SELECT 'multiview', s.* FROM tlv_suggest_k('SELECT category1, category2, category3 FROM views', model => 'multiview') s
  UNION ALL SELECT 'lca', s.* FROM tlv_suggest_k('SELECT v FROM answers', model => 'lca', max_k => 4) s
  UNION ALL SELECT 'gom', s.* FROM tlv_suggest_k('SELECT v FROM answers', model => 'gom', max_k => 3) s
  UNION ALL SELECT 'mmsb', s.* FROM tlv_suggest_k('SELECT src, dst FROM edges', model => 'mmsb') s
  UNION ALL SELECT 'of moments', s.* FROM tlv_suggest_k((SELECT tlv_dense_moments(x, 3) FROM points)) s
  UNION ALL SELECT 'of windows', s.* FROM tlv_suggest_k((SELECT tlv_sequence_moments(s) FROM chain)) s
  UNION ALL SELECT 'of windows of vectors', s.* FROM tlv_suggest_k((SELECT tlv_sequence_moments(s) FROM vector_chain)) s
  UNION ALL SELECT 'of views', s.* FROM tlv_suggest_k((SELECT tlv_view_moments(category1, category2, category3) FROM views)) s
  UNION ALL SELECT 'of categories', s.* FROM tlv_suggest_k((SELECT tlv_category_moments(v) FROM answers)) s
  UNION ALL SELECT 'of categories, mixed', s.* FROM tlv_suggest_k((SELECT tlv_category_moments(v) FROM answers), model => 'gom') s
  UNION ALL SELECT 'of a graph', s.* FROM tlv_suggest_k((SELECT tlv_graph_agg(src, dst) FROM edges)) s;
SELECT what, criterion, count(DISTINCT k) = count(*) AS once, sum(k) FILTER (WHERE chosen) AS chosen, count(standard_error) = count(*) AS errors, min(k) AS least
FROM told GROUP BY what, criterion ORDER BY what COLLATE "C", criterion;
-- The numbers are those of the driver's own search, and max_k bounds it.
SELECT count(*) AS of_the_model FROM told t JOIN tlv_suggest_k(tlv_gmm('SELECT x FROM points')) m ON t.k = m.k AND t.criterion = m.criterion AND t.score = m.score AND t.chosen = m.chosen
WHERE t.what = 'gmm';
SELECT max(k) AS at_most FROM tlv_suggest_k('SELECT x FROM points', model => 'gmm', max_k => 2);
SELECT criterion, count(*) FROM tlv_suggest_k('SELECT v FROM answers', 'bic', 'lca', max_k => 2) GROUP BY 1;
SELECT what, k, score BETWEEN 0.01 AND 1 AS enough FROM told WHERE criterion = 'rank_test' AND chosen ORDER BY 1;
SELECT k, score > 1.1 AS above FROM told WHERE what = 'of categories' AND k <= 4 ORDER BY k;
-- What is not so is said.
SELECT pg_temp.outcome($$SELECT tlv_suggest_k('SELECT x FROM points', model => 'gmms')$$) AS model,
  pg_temp.outcome($$SELECT tlv_suggest_k('SELECT x FROM points', 'coherence', 'gmm')$$) AS criterion,
  pg_temp.outcome($$SELECT tlv_suggest_k('SELECT x FROM points', model => 'gmm', max_k => 0)$$) AS max_k,
  pg_temp.outcome($$SELECT tlv_suggest_k('SELECT s FROM chain', model => 'gmm')$$) AS rows,
  pg_temp.outcome($$SELECT tlv_suggest_k('SELECT x FROM points WHERE false', model => 'gmm')$$) AS none,
  pg_temp.outcome($$SELECT tlv_suggest_k((SELECT tlv_dense_moments(x, 3) FROM points), model => 'lda')$$) AS topics,
  pg_temp.outcome($$SELECT tlv_suggest_k((SELECT tlv_dense_moments(x, 3) FROM points), model => 'hmm')$$) AS kind,
  pg_temp.outcome($$SELECT tlv_suggest_k((SELECT tlv_dense_moments(x, 2) FROM points))$$) AS order_2,
  (SELECT count(*) FROM tlv_suggest_k(NULL::tlv_graph)) AS nothing \gx
