-- Models that are made in a subquery, a CTE or a view are made once, not for every row.
CREATE SCHEMA made_once;
SET search_path = made_once, public;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
CREATE TABLE points AS SELECT ARRAY[10 * (g % 3) + sin(g), 7 * (g % 3 % 2) + cos(3 * g), sin(7 * g)] AS x FROM generate_series(1, 300) g;
CREATE TABLE answers AS SELECT ARRAY[(g % 2)::text, ((g + (g % 7 = 0)::int) % 2)::text, ((g + (g % 11 = 0)::int) % 2)::text, (g % 3)::text] AS v FROM generate_series(1, 300) g;
CREATE TABLE docs AS SELECT d.bag FROM tlv_simulate_lda(tlv_simulate_lda_model(30, 3, alpha0 => 0.3, seed => 3), 300, 30, seed => 3) d;
CREATE TABLE inputs AS SELECT
  (SELECT tlv_dense_moments(x, 3) FROM points) AS dense, (SELECT tlv_dense_moments(x, 4) FROM points) AS fourth,
  (SELECT tlv_category_moments(v) FROM answers) AS categories, (SELECT tlv_count_summary(bag) FROM docs) AS summary,
  (SELECT tlv_graph_agg(a, b) FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND (a % 2 = b % 2)) AS graph,
  (SELECT tlv_view_moments(x, x[1:2], x[2:3]) FROM points) AS views,
  (SELECT tlv_sequence_moments(s) FROM (SELECT array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(tlv_simulate_hmm_model(4, 2, seed => 1), 30, 30, seed => 1) GROUP BY seq) q) AS steps,
  (SELECT tlv_crowd_answers(i, w, (i % 2 + (w = 3 AND i % 5 = 0)::int) % 2) FROM generate_series(1, 40) i, generate_series(1, 4) w) AS crowd,
  (SELECT tlv_series_moments(x, 4) FROM (SELECT array_agg((g % 5 = 0)::int + 0.1 * sin(g)) AS x FROM generate_series(1, 200) g) q) AS series,
  (SELECT tlv_cofire(ARRAY[g % 3, 3 + g % 2]::bigint[]) FROM generate_series(1, 60) g) AS cofire,
  (SELECT tlv_tensor_agg(i, j, l, i * j + l) FROM generate_series(1, 3) i, generate_series(1, 3) j, generate_series(1, 3) l) AS tensor,
  ARRAY[[[1, 2], [3, 4]], [[2, 4], [6, 9]]]::float8[] AS cube,
  tlv_gmm('SELECT x FROM made_once.points', k => 3) AS mixture, tlv_lda('SELECT bag FROM made_once.docs', k => 3) AS topics, tlv_label(tlv_gmm('SELECT x FROM made_once.points',
    k => 3), 2, 'two') AS labelled;
ALTER TABLE inputs ADD statistics tlv_moments, ADD subspace tlv_subspace, ADD counts tlv_moments, ADD json json, ADD form text;
UPDATE inputs SET statistics = (SELECT tlv_statistics(x, mixture) FROM points), subspace = tlv_find_subspace(summary, 3), json = tlv_to_json(mixture), form = mixture::text;
UPDATE inputs SET counts = (SELECT tlv_count_moments(bag, subspace) FROM docs);

-- a call of every function that makes a model or a subspace; those that read tables, or draw, are volatile, and the planner leaves them where they are
CREATE TABLE calls (function regprocedure, call text);
INSERT INTO calls SELECT p.oid::regprocedure, c.call FROM (VALUES
  ('tlv_fit_convolution', '', 'tlv_fit_convolution(series, 1)'), ('tlv_fit_cp', 'tlv_moments', 'tlv_fit_cp(tensor, 1)'), ('tlv_fit_cp', 'double precision[]', 'tlv_fit_cp(cube, 1)'),
  ('tlv_fit_crowd', '', 'tlv_fit_crowd(crowd)'), ('tlv_fit_gmm', '', 'tlv_fit_gmm(dense, 3)'), ('tlv_fit_gom', '', 'tlv_fit_gom(categories, 2, alpha0 => 0.5)'), ('tlv_fit_hmm', '',
    'tlv_fit_hmm(steps, 2)'),
  ('tlv_fit_ica', '', 'tlv_fit_ica(fourth, 2)'), ('tlv_fit_lca', '', 'tlv_fit_lca(categories, 2)'), ('tlv_fit_lda', '', 'tlv_fit_lda(counts, 3)'), ('tlv_fit_mmsb', '', 'tlv_fit_mmsb(graph, 2)'),
  ('tlv_fit_multiview', '', 'tlv_fit_multiview(views, 2)'), ('tlv_fit_network', '', 'tlv_fit_network(cofire)'), ('tlv_fit_tensor_train', 'tlv_moments', 'tlv_fit_tensor_train(tensor)'),
  ('tlv_fit_tensor_train', 'double precision[]', 'tlv_fit_tensor_train(cube)'), ('tlv_fit_tree', '', 'tlv_fit_tree(categories, 2)'), ('tlv_fit_tucker', 'tlv_moments',
    'tlv_fit_tucker(tensor, ''{2,2,2}'')'),
  ('tlv_fit_tucker', 'double precision[]', 'tlv_fit_tucker(cube, ''{2,2,2}'')'), ('tlv_align', '', 'tlv_align(mixture, labelled)'), ('tlv_compact', '', 'tlv_compact(mixture)'),
  ('tlv_merge', '', 'tlv_merge(mixture, ''{1,2}'')'),
  ('tlv_from_json', '', 'tlv_from_json(json)'), ('tlv_jackknife', '', 'tlv_jackknife(mixture, ARRAY[mixture, labelled])'),
  ('tlv_label', '', 'tlv_label(mixture, 1, ''one'')'), ('tlv_topic_model', 'bigint[]', 'tlv_topic_model(''{1,1,2}'', ARRAY[7, 8, length(form)]::bigint[], ''{.5,.5,1}'', ''{.5,.5}'')'),
  ('tlv_topic_model', 'text[]', 'tlv_topic_model(''{1,1,2}'', ARRAY[''a'', ''b'', left(form, 9)], ''{.5,.5,1}'', ''{.5,.5}'')'),
  ('tlv_topic_model', 'text', 'tlv_topic_model(''{1,1,2}'', ''{a,b,'' || left(form, 9) || ''}'', ''{.5,.5,1}'', ''{.5,.5}'')'),
  ('tlv_update', '', 'tlv_update(mixture, statistics)'), ('tlv_model_in', '', 'form::tlv_model'),
  ('tlv_find_subspace', 'tlv_moments', 'tlv_find_subspace(summary, 3)')) c(name, first, call)
JOIN pg_proc p ON p.proname = c.name AND (c.first !~ '^(tlv_|double)' OR format_type(p.proargtypes[0], NULL) = c.first)
  AND (c.first !~ '^(bigint|text)' OR format_type(p.proargtypes[1], NULL) = c.first);
-- none is missing; no SQL can call what reads the binary form
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
WHERE p.prorettype IN ('tlv_model'::regtype, 'tlv_subspace'::regtype) AND p.provolatile <> 'v' AND 'internal'::regtype <> ALL (p.proargtypes::oid[])
  AND NOT (p.prorettype = 'tlv_subspace'::regtype AND p.proargtypes[0] = 'cstring'::regtype) AND p.oid NOT IN (SELECT function FROM calls);
SELECT count(*), count(DISTINCT function) FROM calls;
SELECT format('CREATE VIEW of_%s AS SELECT %s AS m FROM inputs', row_number() OVER (ORDER BY call), call) FROM calls ORDER BY call
\set ECHO none
\gexec
\set ECHO all
-- each is computed once for 10,000 rows, though the planner has brought it to where it is used
SET client_min_messages = debug1;
\t
SELECT replace(replace(replace(form, 'CALL', call), 'VIEW', 'of_' || n), 'NAME', quote_literal(call)) FROM (SELECT call, row_number() OVER (ORDER BY call) AS n FROM calls) c, (VALUES
  (1, 'SELECT NAME, ''subquery'', count(m = m) FROM generate_series(1, 10000) g, (SELECT CALL AS m FROM inputs) q WHERE g > 0'),
  (2, 'WITH q AS (SELECT CALL AS m FROM inputs) SELECT NAME, ''CTE'', count(m = m) FROM generate_series(1, 10000) g, q'),
  (3, 'SELECT NAME, ''view'', count(m = m) FROM generate_series(1, 10000) g, VIEW')) f(f, form) ORDER BY n, f
\set ECHO none
\gexec
\set ECHO all
\t
-- the live state of an aggregate is known by its edition
SELECT count(m = m) FROM generate_series(1, 10000) g, (SELECT tlv_fit_gmm(s, 3) AS m FROM (SELECT tlv_dense_moments(x, 3) AS s FROM points) a) q;
-- a model of a model: each step once, at however many places it is used
SELECT bool_and(tlv_assign(m, ARRAY[g % 10, 1, 0]::float8[]) IS NOT NULL), count(tlv_infer(m, ARRAY[g % 10, 1, 0]::float8[])), max(tlv_log_likelihood(m, ARRAY[g % 10, 1, 0]::float8[])) < 0
FROM generate_series(1, 10000) g, (SELECT tlv_label(tlv_align(tlv_from_json(json), labelled), 1, 'one') AS m FROM inputs) q;
-- and of the document of a model, which is made once, too
SELECT count(m = m) FROM generate_series(1, 10000) g, (SELECT tlv_from_json(tlv_to_json(mixture)) AS m FROM inputs) q;
-- models of several rows alternate: each is made once, and so are those of the arguments that come again
CREATE VIEW merged AS SELECT n, tlv_merge(m, '{1,2}') AS m FROM (SELECT n, tlv_label(mixture, 1, 'of ' || n) AS m FROM inputs, generate_series(1, 5) n) q;
SELECT count(tlv_assign(m, ARRAY[g % 10, 1, 0]::float8[])) FROM generate_series(1, 2000) g, merged;
SELECT sum(length(tlv_label(topics, 1, 'label ' || g * g % 4)::text)) > 0 FROM inputs, generate_series(1, 2000) g;
-- the statistics of an update belong in FROM: the server computes a subquery among the arguments of a view for every row
SELECT count(tlv_assign(m, x)) FROM points, (SELECT tlv_update(mixture, s) AS m FROM inputs, LATERAL (SELECT tlv_statistics(x, mixture) AS s FROM points) q) q;
-- NULL, too, and its warning
SELECT count(g), count(m) FROM generate_series(1, 10000) g, (SELECT tlv_fit_gmm(dense - dense, 3, on_failure => 'null') AS m FROM inputs) q WHERE (m IS NULL) = (g > 0);
-- what does not fit in tensorlv.model_cache is not kept
SET tensorlv.model_cache = 0;
SELECT count(m = m) FROM generate_series(1, 2) g, (SELECT tlv_compact(mixture) AS m FROM inputs) q;
-- of many results those that were used last are kept, within half of it
SET tensorlv.model_cache = 64;
SET client_min_messages = warning;
SELECT sum(length(tlv_label(topics, 1, 'label ' || g % 300)::text)) > 0 FROM inputs, generate_series(1, 1000) g;
SET client_min_messages = debug1;
RESET tensorlv.model_cache;
RESET client_min_messages;
-- other arguments, another result: in every row, and back
SELECT g, label FROM generate_series(1, 6) g, (SELECT mixture FROM inputs) i, LATERAL (SELECT tlv_label(mixture, 1, 'label ' || g % 4 / 2) AS m OFFSET 0) q, tlv_components(m) WHERE component = 1;
SELECT g, tlv_means(tlv_fit_gmm(s, 1)) = tlv_means(tlv_fit_gmm(t, 1)) AS same FROM (
  SELECT g, tlv_dense_moments(ARRAY[g % 5, g * g % 7], 3) OVER (ORDER BY g ROWS 9 PRECEDING) AS s,
    (SELECT tlv_dense_moments(ARRAY[h % 5, h * h % 7], 3) FROM generate_series(g - 9, g) h) AS t FROM generate_series(1, 14) g) q WHERE g > 10;
-- elements of an array are made by one call site, one after the other
CREATE CAST (json AS tlv_model) WITH FUNCTION tlv_from_json(json);
SELECT m[1] = mixture AS one, m[2] = mixture AS two, m[3] = labelled AS three, m[4] = mixture AS four
FROM (SELECT mixture, labelled, ARRAY[json, json, tlv_to_json(labelled), json]::tlv_model[] AS m FROM inputs) q;
DROP CAST (json AS tlv_model);
-- a loop of PL/pgSQL, in which every call gets what the last one has returned
CREATE FUNCTION relabelled(m tlv_model, n int) RETURNS tlv_model LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1 .. n LOOP
    m := tlv_label(m, 1 + i % 3, 'round ' || i / 6);
    BEGIN
      m := tlv_label(m, 9, 'none');
    EXCEPTION WHEN invalid_parameter_value THEN NULL;
    END;
  END LOOP;
  RETURN m;
END $$;
SELECT component, label FROM inputs, tlv_components(relabelled(mixture, 100));

-- Other files drop the extension.
SET client_min_messages = warning;
DROP SCHEMA made_once CASCADE;
