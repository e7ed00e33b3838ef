-- What users met and how it ends: options whose value is refused, and models that calls in subqueries draw or fit from tables.
-- Every function of the catalogue that may have the fault is tried.
\pset null '(null)'
SET client_min_messages = error;
CREATE SCHEMA review_calls;
SET search_path = review_calls, public;
CREATE TABLE vectors AS SELECT i, ARRAY[i % 2 * 4 + sin(i * 1.7), i % 2 * 3 + cos(i * 2.3), sin(i * i)] AS x, i % 2 AS a, (i + (i % 7 = 0)::int) % 2 AS b, (i + (i % 11 = 0)::int) % 2 AS c
  FROM generate_series(1, 300) i;
CREATE TABLE edges AS SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2;
CREATE TABLE steps AS SELECT s, t, chr(97 + (s + t / 5) % 3) AS symbol FROM generate_series(1, 30) s, generate_series(1, 20) t;
CREATE TABLE said AS SELECT i AS item, w AS worker, CASE WHEN (i * 31 + w * 17) % 10 = 0 THEN 1 - i % 2 ELSE i % 2 END AS answer FROM generate_series(1, 60) i, generate_series(1, 3) w;
CREATE TABLE sets AS SELECT i, x FROM generate_series(1, 500) i, unnest(ARRAY[i % 3 * 10 + 1, i % 3 * 10 + 2, i % 3 * 10 + 3, 100 + i % 7]) x;
CREATE TABLE series AS SELECT i / 100 AS s, i AS t, (i % 5 = 0)::int + 0.1 * sin(i) AS x FROM generate_series(1, 600) i;

-- answers K2: a value that an option does not have. The hint lists those that it has, and each of them is taken.
CREATE TABLE calls (function text, call text);
INSERT INTO calls VALUES ('tlv_crowd', 'tlv_crowd(''TABLE said'', refine => %L)'), ('tlv_dictionary', 'tlv_dictionary(''SELECT x FROM vectors'', 3, 1, refine => %L)'),
  ('tlv_fit_crowd', 'tlv_fit_crowd((SELECT tlv_crowd_answers(item, worker, answer) FROM said), refine => %L)'),
  ('tlv_fit_mmsb', 'tlv_fit_mmsb((SELECT tlv_graph_agg(a, b) FROM edges), 2, refine => %L)'), ('tlv_gmm', 'tlv_gmm(''SELECT x FROM vectors'', 2, refine => %L)'),
  ('tlv_gom', 'tlv_gom(''SELECT a, b, c, a AS d FROM vectors'', 2, alpha0 => 0.1, refine => %L)'), ('tlv_hmm', 'tlv_hmm(''TABLE steps'', 2, refine => %L)'),
  ('tlv_hmm', 'tlv_hmm(''SELECT i / 10, i, x[1] FROM vectors'', 2, refine => %L)'), ('tlv_ica', 'tlv_ica(''SELECT x FROM vectors'', 2, refine => %L)'),
  ('tlv_ica', 'tlv_ica(''SELECT x FROM vectors'', 2, noise => true, refine => %L)'), ('tlv_lca', 'tlv_lca(''SELECT a, b, c, a AS d FROM vectors'', 2, refine => %L)'),
  ('tlv_lda', 'tlv_lda(''SELECT i / 5, a + 2 * b + 4 * c FROM vectors'', 2, refine => %L)'), ('tlv_mmsb', 'tlv_mmsb(''TABLE edges'', 2, refine => %L)'),
  ('tlv_mmsb', 'tlv_mmsb(''TABLE edges'', 2, alpha0 => .1, refine => %L)'), ('tlv_mmsb', 'tlv_mmsb(''TABLE edges'', 2, degree_corrected => true, refine => %L)'),
  ('tlv_mmsb', 'tlv_mmsb(''TABLE edges'', 2, bipartite => true, refine => %L)'), ('tlv_multiview', 'tlv_multiview(''SELECT x[1:1], x[2:2], x[3:3] FROM vectors'', 2, refine => %L)'),
  ('tlv_multiview', 'tlv_multiview(''SELECT a, b, c FROM vectors'', 2, refine => %L)'), ('tlv_network', 'tlv_network(''TABLE sets'', refine => %L)');
CREATE FUNCTION refused(call text, OUT message text, OUT hint text, OUT outcomes text) LANGUAGE plpgsql AS $$
DECLARE value text; state text; kind text;
BEGIN
  EXECUTE 'SELECT ' || call INTO kind;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  message := SQLSTATE || ': ' || SQLERRM;
  FOR value IN SELECT m[1] FROM regexp_matches(hint, '''(\w+(?:-\w+)?)''', 'g') m LOOP
    BEGIN
      EXECUTE 'SELECT tlv_kind(' || replace(call, '''no such''', quote_literal(value)) || ')' INTO kind;
      state := coalesce(kind, 'no model');
    EXCEPTION WHEN OTHERS THEN state := SQLSTATE || ' ' || SQLERRM;
    END;
    outcomes := concat_ws(', ', outcomes, value || ': ' || state);
  END LOOP;
END $$;
SELECT p.proname AS not_tried FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
WHERE 'refine' = ANY (p.proargnames) AND p.prokind = 'f' AND p.prorettype = 'tlv_model'::regtype EXCEPT SELECT function FROM calls;
SELECT format(call, '...') AS call, r.* FROM calls, refused(format(call, 'no such')) r ORDER BY 1;
-- in statistics of rows, whose refinement is that of the model
SELECT r.message, r.hint IS NOT NULL AS hinted FROM unnest(ARRAY['(SELECT tlv_statistics(x, m, ''no such'') FROM vectors, (SELECT tlv_gmm(''SELECT x FROM vectors'', 2) AS m) q)',
  '(SELECT tlv_statistics(ARRAY[a, b, c, a], m, ''no such'') FROM vectors, (SELECT tlv_lca(''SELECT a, b, c, a AS d FROM vectors'', 2) AS m) q)',
  '(SELECT tlv_statistics(x, m, ''no such'') FROM vectors, (SELECT tlv_ica(''SELECT x FROM vectors'', 2) AS m) q)']) c, refused(c) r;

-- everyday 2: a model that a driver fits, or a simulator draws, in a subquery, a CTE or a view. These functions are volatile, so that the planner leaves the call where it is;
-- that it runs once for 10,000 rows is counted by the server.
SET track_functions = 'all';
CREATE TABLE made (function text, call text);
INSERT INTO made VALUES ('tlv_lda', 'tlv_lda(''SELECT i / 5, a + 2 * b + 4 * c FROM vectors'', 2)'), ('tlv_simulate_lda_model', 'tlv_simulate_lda_model(9, 2)'),
  ('tlv_mmsb', 'tlv_mmsb(''TABLE edges'', 2)'),
  ('tlv_ica', 'tlv_ica(''SELECT x FROM vectors'', 2)'), ('tlv_simulate_ica_model', 'tlv_simulate_ica_model(3, 2)'), ('tlv_convolution', 'tlv_convolution(''TABLE series'', 1, 4)'),
  ('tlv_simulate_convolution_model', 'tlv_simulate_convolution_model(2, 8)'), ('tlv_crowd', 'tlv_crowd(''TABLE said'')'), ('tlv_dictionary', 'tlv_dictionary(''SELECT x FROM vectors'', 3, 1)'),
  ('tlv_simulate_dictionary_model', 'tlv_simulate_dictionary_model(4, 3, 1)'), ('tlv_lca', 'tlv_lca(''SELECT a, b, c, a AS d FROM vectors'', 2)'),
  ('tlv_gom', 'tlv_gom(''SELECT a, b, c, a AS d FROM vectors'', 2, alpha0 => 0.1, iterations => 2)'), ('tlv_simulate_lca_model', 'tlv_simulate_lca_model(4, 2)'),
  ('tlv_simulate_gom_model', 'tlv_simulate_gom_model(4, 2)'), ('tlv_gmm', 'tlv_gmm(''SELECT x FROM vectors'', 2)'), ('tlv_simulate_gmm_model', 'tlv_simulate_gmm_model(3, 2)'),
  ('tlv_network', 'tlv_network(''TABLE sets'')'), ('tlv_simulate_network_model', 'tlv_simulate_network_model(40, ARRAY[5], 8, .1)'), ('tlv_hmm', 'tlv_hmm(''TABLE steps'', 2)'),
  ('tlv_simulate_hmm_model', 'tlv_simulate_hmm_model(4, 2)'), ('tlv_simulate_mmsb_model', 'tlv_simulate_mmsb_model(30, 2)'), ('tlv_tree', 'tlv_tree(''SELECT a, b, c, a AS d FROM vectors'')'),
  ('tlv_simulate_tree_model', 'tlv_simulate_tree_model(5, 2)'), ('tlv_multiview', 'tlv_multiview(''SELECT a, b, c FROM vectors'', 2)'),
  ('tlv_simulate_multiview_model', 'tlv_simulate_multiview_model(''{2,2,2}'', 2)');
SELECT p.proname AS not_tried FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
WHERE p.prorettype IN ('tlv_model'::regtype, 'tlv_subspace'::regtype) AND p.provolatile = 'v' EXCEPT SELECT function FROM made;
CREATE FUNCTION calls_of(name text, query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before bigint; rows bigint; f oid := (SELECT oid FROM pg_proc WHERE proname = name);
BEGIN
  before := coalesce(pg_stat_get_xact_function_calls(f), 0);
  EXECUTE query INTO rows;
  RETURN CASE WHEN rows = 10000 THEN coalesce(pg_stat_get_xact_function_calls(f), 0) - before ELSE -rows END;
END $$;
SELECT format('CREATE VIEW of_%s AS SELECT %s AS m', function, call) FROM made
\set ECHO none
\gexec
\set ECHO all
SELECT form, min(n), max(n), count(*) FROM made, (VALUES ('subquery', 'SELECT count(m = m) FROM generate_series(1, 10000) g, (SELECT %s AS m) q'),
  ('behind', 'SELECT count(m = m) FROM (SELECT %s AS m) q, generate_series(1, 10000) g'), ('outer join', 'SELECT count(m = m) FROM generate_series(1, 10000) g LEFT JOIN (SELECT %s AS m) q ON true'),
  ('CTE', 'WITH q AS (SELECT %s AS m) SELECT count(m = m) FROM generate_series(1, 10000) g, q'), ('view', 'SELECT count(m = m) FROM generate_series(1, 10000) g, of_%2$s'),
  ('scalar', 'SELECT count(m = m) FROM (SELECT (SELECT %s) AS m FROM generate_series(1, 10000) g) q')) f(form, query),
  LATERAL (SELECT calls_of(function, format(query, call, function)) AS n) q GROUP BY form ORDER BY form;
RESET track_functions;
DROP SCHEMA review_calls CASCADE;
RESET client_min_messages;
