-- Rows with elements that a model does not know are counted and warned of once a statement, whatever
-- the model and whoever reads the rows: applied functions, aggregates, workers; the first is named.
SELECT setseed(.5);
CREATE SCHEMA unknown_elements;
SET search_path = unknown_elements, public;
SET tensorlv.warnings = off;
CREATE TABLE texts AS SELECT g, to_tsvector('simple', CASE WHEN g % 2 = 0 THEN 'cat dog cat' ELSE 'tax vote tax' END) AS t FROM generate_series(1, 60) g;
CREATE TABLE fresh AS SELECT g, to_tsvector('simple', CASE WHEN g % 3 = 0 THEN 'cat zebra' ELSE 'tax vote' END) AS t FROM generate_series(1, 30) g;
CREATE TABLE steps AS SELECT s, t, ((s + t / 5) % 3)::text AS symbol FROM generate_series(1, 40) s, generate_series(1, 20) t;
CREATE TABLE given AS SELECT i, 'w' || w AS w, (CASE WHEN (i + w) % 7 = 0 THEN 1 - i % 2 ELSE i % 2 END)::text AS a FROM generate_series(1, 40) i, generate_series(1, 3) w;
CREATE TABLE answers AS SELECT g, (g % 2)::text AS a, ((g + (g % 7 = 0)::int) % 2)::text AS b, ((g + (g % 11 = 0)::int) % 2)::text AS c, ((g + (g % 13 = 0)::int) % 2)::text AS d
  FROM generate_series(1, 300) g;
CREATE TABLE sets AS SELECT g, ARRAY[1 + g % 2 * 3, 2 + g % 2 * 3, 3 + g % 2 * 3]::bigint[] AS s FROM generate_series(1, 200) g;
CREATE TABLE models AS SELECT 'topics' AS name, tlv_lda('SELECT t FROM unknown_elements.texts', k => 2) AS m
  UNION ALL SELECT 'numbers', tlv_lda('SELECT tlv_bag_agg(n) FROM (SELECT g, 1 + g % 2 * 3 + n AS n FROM generate_series(1, 60) g, generate_series(1, 3) n) x GROUP BY g', k => 2)
  UNION ALL SELECT 'nodes', tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', k => 2)
  UNION ALL SELECT 'symbols', tlv_hmm('SELECT s, t, symbol FROM unknown_elements.steps', 3)
  UNION ALL SELECT 'crowd', tlv_crowd('SELECT i, w, a FROM unknown_elements.given')
  UNION ALL SELECT 'classes', tlv_lca('SELECT a, b, c, d FROM unknown_elements.answers', k => 2, layout => 'wide')
  UNION ALL SELECT 'membership', tlv_gom('SELECT a, b, c, d FROM unknown_elements.answers', k => 2, alpha0 => 0.5, layout => 'wide')
  UNION ALL SELECT 'codes', tlv_fit_lca(tlv_category_moments(ARRAY[a::int, b::int, c::int, d::int]), 2) FROM unknown_elements.answers
  UNION ALL SELECT 'tree', tlv_tree('SELECT a, b, c, d FROM unknown_elements.answers', layout => 'wide')
  UNION ALL SELECT 'network', tlv_network('SELECT g, unnest(s) FROM unknown_elements.sets');
SELECT name, tlv_kind(m) FROM models ORDER BY name;
RESET tensorlv.warnings;
-- a model without an unknown element warns of nothing
SELECT count(tlv_assign(m, t)) FROM models, texts WHERE name = 'topics';
SELECT count(tlv_infer(m, ARRAY['0', '1', NULL])) FROM models WHERE name = 'symbols';
-- words: of a tsvector by name, of a bag by id; an array of bags counts each
SELECT count(tlv_assign(m, t)) FROM models, fresh WHERE name = 'topics';
SELECT count(tlv_log_likelihood(m, tlv_to_bag(t))) FROM models, fresh WHERE name = 'topics';
SELECT count(tlv_infer(m, b)) FROM models, unnest(ARRAY['{3:1,9:2}', '{2:1,3:1}', '{77:1}']::tlv_bag[]) b WHERE name = 'numbers';
SELECT array_length(tlv_infer(m, ARRAY['{3:1,9:2}', NULL, '{2:1,3:1}', '{77:1}']::tlv_bag[]), 1) FROM models WHERE name = 'numbers';
SELECT tlv_assign(m, '{3:1,9:2}') IS NOT NULL AS literal FROM models WHERE name = 'numbers';
SELECT tlv_assign(m, '{cat,zebra}') = tlv_assign(m, ARRAY['cat']) AS strings FROM models WHERE name = 'topics';
SELECT tlv_assign(m, $$'cat' 'gnu':2$$) = tlv_assign(m, ARRAY['cat']) AS lexemes FROM models WHERE name = 'topics';
-- functions of one row count it once
SELECT count(tlv_assign(m, t)) AS rows, count(tlv_infer(m, t)) AS inferred, max(tlv_log_likelihood(m, t)) < 0 AS likely FROM models, fresh WHERE name = 'topics';
-- and so in aggregates: statistics, perplexity, products, errors; joint frequencies are of known words alone
SELECT tlv_info(tlv_statistics(t, m)) ->> 'kind' FROM models, fresh WHERE name = 'topics' GROUP BY m;
SELECT tlv_perplexity(tlv_to_bag(t), m) > 0 FROM models, fresh WHERE name = 'topics' GROUP BY m;
SELECT tlv_perplexity(bags, m) > 0 FROM models, (SELECT array_agg(tlv_to_bag(t)) AS bags FROM fresh) f WHERE name = 'topics' GROUP BY m;
SELECT tlv_kind(tlv_topic_products(tlv_to_bag(t), m)) FROM models, fresh WHERE name = 'topics' GROUP BY m;
SELECT tlv_kind(tlv_error_statistics(t, m)) FROM models, fresh WHERE name = 'topics' GROUP BY m;
SELECT tlv_kind(tlv_coherence(tlv_to_bag(t), m)) FROM models, fresh WHERE name = 'topics' GROUP BY m;
SELECT tlv_kind(tlv_update(m, tlv_statistics(t, m))) FROM models, fresh WHERE name = 'topics' GROUP BY m;
-- neighbours
SELECT count(tlv_infer(m, b)) FROM models, unnest(ARRAY['{1:1,99:1}', '{1:1,3:1}']::tlv_bag[]) b WHERE name = 'nodes';
SELECT tlv_kind(tlv_statistics(n, b, m)) FROM models, (VALUES (1, '{3:1,99:1}'::tlv_bag), (21, '{1:1,3:1}'), (2, '{98:1}')) v(n, b) WHERE name = 'nodes' GROUP BY m;
-- symbols
SELECT count(tlv_viterbi(m, x)) FROM models, (VALUES (ARRAY['0', '1', 'x']), (ARRAY['0', NULL]), (ARRAY['y', 'x'])) v(x) WHERE name = 'symbols';
SELECT tlv_kind(tlv_statistics(x, m)) FROM models, (VALUES (ARRAY['0', '1', 'x']), (ARRAY['0', NULL]), (ARRAY['y', 'x'])) v(x) WHERE name = 'symbols' GROUP BY m;
SELECT count(*) FROM models, tlv_forecast(m, ARRAY['0', 'nine'], 2) WHERE name = 'symbols';
-- workers and answers
SELECT count(tlv_infer(m, ROW(w, a))) FROM models, (VALUES (ARRAY['w1', 'w9'], ARRAY['0', '1']), (ARRAY['w1', 'w2'], ARRAY['0', '1'])) v(w, a) WHERE name = 'crowd';
SELECT count(tlv_assign(m, ROW(w, a))) FROM models, (VALUES (ARRAY['w1', 'w3'], ARRAY['0', 'perhaps']), (ARRAY['w1', 'w2'], ARRAY['0', '1'])) v(w, a) WHERE name = 'crowd';
-- categories by name, and by number where a model knows no names
SELECT count(tlv_assign(m, ROW(a, 'q', c, d))) FROM models, answers WHERE name = 'classes';
SELECT tlv_kind(tlv_statistics(ARRAY[a, b, c, 'q'], m)) FROM models, answers WHERE name = 'membership' GROUP BY m;
SELECT tlv_kind(tlv_error_statistics(ARRAY[a, b, c, 'q'], m)) FROM models, answers WHERE name = 'classes' GROUP BY m;
SELECT count(tlv_assign(m, ARRAY[0, 7, 1, 0])) FROM models, answers WHERE name = 'codes';
SELECT tlv_kind(tlv_statistics(ARRAY[0, 1, 0, 5], m)) FROM models, answers WHERE name = 'codes' GROUP BY m;
SELECT count(*) FROM models, tlv_tree_posterior(m, ROW('0', '1', '0', 'x')) WHERE name = 'tree';
SELECT count(tlv_impute(m, ARRAY['0', 'x', NULL, '1'])) FROM models WHERE name = 'classes';
-- items of networks
SELECT count(*) > 0 AS atoms FROM models, tlv_encode(m, ARRAY[1, 2, 3, 99]) WHERE name = 'network';
SELECT tlv_kind(tlv_cofire(s || 98::bigint, m)) FROM models, sets WHERE name = 'network' GROUP BY m;
-- two sorts in one statement are two warnings; workers' rows are counted by the leader
SELECT count(tlv_assign(m, t)), (SELECT count(tlv_assign(n.m, ROW(a, 'q', c, d))) FROM models n, answers WHERE n.name = 'classes') FROM models, fresh WHERE name = 'topics';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE many AS SELECT g, to_tsvector('simple', CASE WHEN g % 3 = 0 THEN 'cat zebra' ELSE 'tax vote' END) AS t FROM generate_series(1, 6000) g;
ANALYZE many;
SELECT tlv_kind(tlv_statistics(t, (SELECT m FROM models WHERE name = 'topics'))) FROM many;
RESET parallel_setup_cost;
-- a driver warns of no word that one of its passes leaves out, as those of held-out folds
SELECT tlv_kind(tlv_lda($$SELECT to_tsvector('simple', repeat(CASE WHEN g % 2 = 0 THEN 'cat dog emu fox ' ELSE 'tax vote law bill ' END, 4) || ' rare' || g) FROM generate_series(1, 400) g$$,
  max_k => 3)) = 'lda' AS quiet;
SET tensorlv.warnings = off;
SELECT count(tlv_assign(m, t)) FROM models, fresh WHERE name = 'topics';
RESET tensorlv.warnings;
-- functions of a model in the query of a fit: each row counts once, however many passes read it, in one process, in workers, and where the rows are stored
CREATE TABLE measured AS SELECT sin(i) AS x, cos(i * 1.3) AS y, to_tsvector('simple', CASE WHEN i % 100 = 0 THEN 'cat zebra' ELSE 'tax vote' END) AS t FROM generate_series(1, 2000) i;
SELECT tlv_kind(tlv_gmm('SELECT x, y + tlv_assign(m, t) FROM measured, models WHERE name = ''topics''', 2));
SELECT tlv_kind(tlv_gmm('SELECT x, y + coalesce(tlv_assign(m, t), 0) + 0 * random() FROM measured, models WHERE name = ''topics''', 2));
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE measured SET (parallel_workers = 2);
SELECT tlv_kind(tlv_gmm('SELECT x, y + tlv_assign(m, t) FROM measured, models WHERE name = ''topics''', 2));
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET client_min_messages = warning;
DROP SCHEMA unknown_elements CASCADE;
RESET client_min_messages;
