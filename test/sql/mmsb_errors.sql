-- Bad input to the fit of communities: every error with its SQLSTATE, message, detail and hint.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE cerr_edges AS SELECT a::bigint AS src, b::bigint AS dst, 1 + a % 2 AS weight FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2 AND (a + b) % 3 <> 0;
INSERT INTO cerr_edges VALUES (1, 2, 1);
CREATE TABLE cerr_values AS SELECT tlv_graph_agg(src, dst) AS g, tlv_fit_mmsb(tlv_graph_agg(src, dst), 2) AS m, NULL::tlv_model AS lda FROM cerr_edges;
UPDATE cerr_values SET lda = tlv_lda('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(40, 3, alpha0 => 0.3, seed => 2), 300, 30)', 3);

-- at top level, as psql shows it
SELECT tlv_mmsb('SELECT src, dst FROM cerr_edges', k => 0);
\echo :SQLSTATE
SELECT tlv_mmsb('SELECT src, dst, weight FROM cerr_edges UNION ALL SELECT src, -dst, 0 FROM cerr_edges', 2) = tlv_mmsb('SELECT src, dst, weight FROM cerr_edges', 2) AS without_zeros;
SELECT tlv_mmsb('SELECT src, dst, 0 FROM cerr_edges', 2);
SELECT tlv_mmsb('SELECT src FROM cerr_edges', k => 2);
\echo :SQLSTATE
SELECT tlv_mmsb('SELECT src, dst FRM cerr_edges', k => 2);
\echo :SQLSTATE

-- k; which communities twenty of twenty nodes have, and so what a fit warns of, is a tie
SET client_min_messages = error;
SELECT k, pg_temp.outcome(format('SELECT tlv_fit_mmsb(g, k => %s) IS NOT NULL FROM cerr_values', k)) AS outcome FROM unnest(ARRAY[-1, 0, 1, 2, 21, 1000, 1001, 2000, 2147483647]) k;
SELECT w.message FROM cerr_values, tlv_warnings(tlv_fit_mmsb(g, k => 21)) w WHERE w.message ~ 'instead of 21';
RESET client_min_messages;
SELECT w.code, w.score < 12 AS some, w.message ~ 'of the 12 directions' AS of_12 FROM cerr_values, tlv_warnings(tlv_fit_mmsb(g, k => 12, alpha0 => 0.5)) w WHERE w.code = 'not_identified';
SELECT k, pg_temp.outcome(format('SELECT tlv_fit_mmsb(g, max_k => %s) IS NOT NULL FROM cerr_values', k)) AS max_k FROM unnest(ARRAY[-1, 0, 1, 100, 2000]) k;
SELECT pg_temp.outcome('SELECT tlv_mmsb(''VALUES (1, 2), (1, 3), (1, 4)'', 2, directed => true) IS NOT NULL') AS sources,
       pg_temp.outcome('SELECT tlv_mmsb(''VALUES (2, 1), (3, 1), (4, 1)'', 2, bipartite => true) IS NOT NULL') AS targets;
-- chosen, it is never more than there are nodes
SELECT pg_temp.outcome('SELECT count(DISTINCT community) FROM tlv_communities((SELECT tlv_mmsb(''VALUES (1, 2), (1, 3), (1, 4)'', bipartite => true)))') AS bipartite,
       pg_temp.outcome('SELECT count(*) FROM tlv_communities((SELECT tlv_mmsb(''VALUES (1, 2)'')))') AS one_edge;

-- graphs that tell nothing
SELECT q, pg_temp.outcome(format('SELECT count(*) FROM tlv_communities(tlv_mmsb(%L, 2))', q)) AS outcome
FROM unnest(ARRAY['SELECT i, i FROM generate_series(1, 9) i', 'SELECT NULL::int, i FROM generate_series(1, 9) i',
                  'SELECT i, j FROM generate_series(1, 8) i, generate_series(1, 8) j WHERE i < j', 'SELECT i, 1 + i % 20 FROM generate_series(1, 20) i',
                  'SELECT 2 * i, 2 * i + 1 FROM generate_series(1, 9) i', 'SELECT 0, i FROM generate_series(1, 9) i']) q;
SELECT pg_temp.outcome('SELECT tlv_mmsb(''SELECT i, i FROM generate_series(1, 9) i'')') AS self_loops, pg_temp.outcome('SELECT tlv_mmsb(''SELECT NULL::int, 1'')') AS nulls,
       pg_temp.outcome('SELECT tlv_mmsb(''SELECT 1, 2 WHERE false'')') AS no_rows;
-- with a k that is chosen they are one community, or their connected components
SELECT q, pg_temp.outcome(format('SELECT count(DISTINCT community) FROM tlv_memberships((SELECT tlv_mmsb(%L)))', q)) AS outcome
FROM unnest(ARRAY['SELECT i, j FROM generate_series(1, 8) i, generate_series(1, 8) j WHERE i < j', 'SELECT i, 1 + i % 20 FROM generate_series(1, 20) i',
                  'SELECT 2 * i, 2 * i + 1 FROM generate_series(1, 9) i', 'SELECT 0, i FROM generate_series(1, 9) i']) q;
-- several components, duplicate and reversed edges are nothing special
SELECT pg_temp.outcome('SELECT string_agg(measure || '' '' || round(score::numeric, 3), '', '' ORDER BY measure)
    FROM tlv_diagnostics((SELECT tlv_mmsb(''SELECT i / 6 * 10 + i % 6, j / 6 * 10 + j % 6 FROM generate_series(0, 17) i, generate_series(0, 17) j WHERE i <> j AND i / 6 = j / 6'', 3)))
        WHERE measure IN (''edges'', ''connected_components'', ''modularity'', ''nodes'')') AS components;

-- weights
SELECT w, pg_temp.outcome(format($$SELECT tlv_mmsb('SELECT src, dst, CASE WHEN src = 3 AND dst = 5 THEN float8 ''%s'' ELSE weight END FROM cerr_edges', 2) IS NOT NULL$$, w)) AS outcome,
       pg_temp.outcome(format(
         $$SELECT tlv_mmsb('SELECT src, dst, CASE WHEN src = 3 AND dst = 5 THEN float8 ''%s'' ELSE weight END FROM cerr_edges', 2, edges => 'poisson') IS NOT NULL$$, w)) AS poisson
FROM unnest('{-1,0,NaN,Infinity,1e300,1e10,1e-10,1e-300,0.5}'::text[]) w;
SELECT pg_temp.outcome('SELECT tlv_mmsb(''SELECT src, dst, weight * 0.001 FROM cerr_edges'', 2) IS NOT NULL') AS small,
       pg_temp.outcome('SELECT tlv_mmsb(''SELECT src, dst, weight * 0.001 FROM cerr_edges'', 2, edges => ''bernoulli'') IS NOT NULL') AS left_out,
       pg_temp.outcome('SELECT (tlv_info(tlv_mmsb(''SELECT src, dst, NULL::float8 FROM cerr_edges'', 2)))') AS nulls;

-- other parameters
SELECT a, pg_temp.outcome(format('SELECT tlv_fit_mmsb(g, 2, alpha0 => %L) IS NOT NULL FROM cerr_values', a)) AS alpha0 FROM unnest('{-1,-1e-300,NaN,Infinity,1e7,0}'::text[]) a;
SELECT name, v, pg_temp.outcome(format('SELECT tlv_fit_mmsb(g, 2, %I => %s) IS NOT NULL FROM cerr_values', name, v)) AS fit,
       CASE WHEN name NOT IN ('method', 'restarts', 'steps') THEN pg_temp.outcome(format('SELECT tlv_mmsb(''SELECT src, dst FROM cerr_edges'', 2, %I => %s) IS NOT NULL', name, v))
       = pg_temp.outcome(format('SELECT tlv_fit_mmsb(g, 2, %I => %s) IS NOT NULL FROM cerr_values', name, v)) END AS driver_too
FROM (VALUES ('method', '''newton'''), ('refine', '''gibbs'''), ('edges', '''gauss'''), ('method', ''''''), ('seed', '-1'), ('seed', '9007199254740992'),
      ('seed', '9007199254740991'), ('restarts', '0'), ('restarts', '-5'), ('steps', '0')) q(name, v);
SELECT pg_temp.outcome('SELECT tlv_fit_mmsb(g, 2, alpha0 => 1, refine => ''likelihood'') FROM cerr_values') AS refine;
SELECT pg_temp.outcome('SELECT tlv_mmsb(''SELECT src, dst FROM cerr_edges'', 2, directed => true, bipartite => true)') AS both;
SELECT t, pg_temp.outcome(format('SELECT count(*) FROM tlv_memberships((SELECT m FROM cerr_values), %L)', t)) AS threshold FROM unnest('{-0.1,1.5,NaN,1,NULL}'::text[]) t;

-- labels
SELECT l, pg_temp.outcome(format('SELECT tlv_fit_mmsb(g, 2, labels => %L) IS NOT NULL FROM cerr_values', l)) AS bag
FROM unnest(ARRAY['{1:3}', '{1:1.5}', '{1:0.5}', '{1:1e9}', '{1:70000}', '{1000:1}', '{1000:1,1:2}', '{}']) l;
SELECT l, pg_temp.outcome(format('SELECT tlv_mmsb(''SELECT src, dst FROM cerr_edges'', 2, labels => %L) IS NOT NULL', l)) AS query
FROM unnest(ARRAY['VALUES (1, 1), (1, 2)', 'VALUES (1, 0)', 'VALUES (1, -1)', 'VALUES (1, 3)', 'VALUES (1000, 1)', 'VALUES (1, 1, 1)',
                  'VALUES (1, 1.5)', 'VALUES (1, ''a'')', 'VALUES (1)', 'SELECT 1, 1 WHERE false', 'VALUES (1, 1), (1, 1)', '',
                  'SELECT 1, 1; SELECT 2, 2', 'DELETE FROM cerr_edges RETURNING 1, 1', 'SELECT nothing']) l;
SELECT pg_temp.outcome('SELECT tlv_fit_mmsb(g, labels => ''{1:7}'') FROM cerr_values') AS k_chosen;

-- the query: columns
SELECT q, pg_temp.outcome(format('SELECT tlv_mmsb(%L, 2) IS NOT NULL', q)) AS outcome
FROM unnest(ARRAY['SELECT 1', 'SELECT 1, 2, 3, 4', 'SELECT ''a'', ''b''', 'SELECT ''a'', 1.5', 'SELECT 1.5, 2', 'SELECT 1::float8, 2', 'SELECT 1, 2, ''x''',
                  'SELECT 1, 2, now()', 'SELECT FROM cerr_edges', 'SELECT ''{1:2}''::tlv_bag', 'SELECT g, g FROM cerr_values']) q;
-- fails
SELECT q, pg_temp.outcome(format('SELECT tlv_mmsb(%L, 2)', q)) AS outcome
FROM unnest(ARRAY['SELECT src, dst FROM no_such_table', 'SELECT 1/0, 1', 'SELECT src / (dst - 9), dst FROM cerr_edges', 'SELEC 1, 2',
                  'SELECT src, dst FROM cerr_edges WHERE', 'SELECT src, dst FROM cerr_edges) AS x, (SELECT 1', 'SELECT $1::int, 1']) q;
-- is none, or several
SELECT q, pg_temp.outcome(format('SELECT tlv_mmsb(%L, 2) IS NOT NULL', q)) AS outcome
FROM unnest(ARRAY['', ' ', ';', '-- nothing', 'SELECT src, dst FROM cerr_edges; SELECT src, dst FROM cerr_edges',
                  'SELECT src, dst FROM cerr_edges; DROP TABLE cerr_edges', 'SELECT src, dst FROM cerr_edges;', 'SELECT src, dst FROM cerr_edges -- all']) q;
-- writes
CREATE TABLE cerr_log (n int);
CREATE SEQUENCE cerr_numbers;
CREATE FUNCTION cerr_writes() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$ BEGIN INSERT INTO cerr_log VALUES (1); RETURN 1; END $$;
SELECT q, pg_temp.outcome(format('SELECT tlv_mmsb(%L, 1)', q)) AS outcome
FROM unnest(ARRAY['INSERT INTO cerr_edges SELECT * FROM cerr_edges RETURNING src, dst', 'DELETE FROM cerr_edges RETURNING src, dst',
                  'WITH x AS (INSERT INTO cerr_edges SELECT * FROM cerr_edges RETURNING src, dst) SELECT src, dst FROM x',
                  'SELECT src, dst FROM cerr_edges FOR UPDATE', 'CREATE TABLE cerr_new AS SELECT src, dst FROM cerr_edges', 'DROP TABLE cerr_edges', 'SELECT src, dst INTO cerr_new FROM cerr_edges',
  'COPY cerr_edges TO STDOUT', 'VACUUM', 'EXPLAIN SELECT src, dst FROM cerr_edges', 'SELECT cerr_writes(), 2', 'SELECT nextval(''cerr_numbers''), 2']) q;
SELECT pg_temp.outcome('SELECT tlv_mmsb(''SELECT src, dst FROM cerr_edges'', 2, labels => ''SELECT cerr_writes(), 1'')') AS labels_that_write;
INSERT INTO cerr_log VALUES (0); -- the transaction, and the next, may write
SELECT count(*) AS edges, (SELECT count(*) FROM cerr_log) AS written, (SELECT last_value FROM cerr_numbers) AS number FROM cerr_edges;

-- limits
SET tensorlv.work_mem = '64kB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_fit_mmsb(g, 2) FROM cerr_values'), '[0-9.]+ ?[kM]B', '...', 'g') AS fit,
       regexp_replace(pg_temp.outcome('SELECT tlv_fit_mmsb(g, 2, alpha0 => 1) FROM cerr_values'), '[0-9.]+ ?[kM]B', '...', 'g') AS mixed,
       regexp_replace(pg_temp.outcome('SELECT tlv_mmsb(''SELECT i % 3000, i * i % 2999 FROM generate_series(1, 20000) i'', 2)'),
         'are needed for the [a-z ]+|[0-9.]+ ?[kM]B', '...', 'g') AS driver;
RESET tensorlv.work_mem;
SELECT count(*) FROM tlv_communities((SELECT tlv_mmsb('SELECT src, dst FROM cerr_edges', 2)));

-- another kind of model
SELECT call, pg_temp.outcome(format('SELECT count(*) FROM %s((SELECT lda FROM cerr_values))', call)) AS lda
FROM unnest('{tlv_memberships,tlv_communities,tlv_connectivity,tlv_bridgeness}'::text[]) call;
SELECT call, pg_temp.outcome(format('SELECT count(*) FROM %s((SELECT m FROM cerr_values))', call)) AS communities FROM unnest('{tlv_topics,tlv_topic_items}'::text[]) call;
SELECT pg_temp.outcome('SELECT count(*) FROM tlv_match((SELECT m FROM cerr_values), (SELECT lda FROM cerr_values))') AS match,
       pg_temp.outcome('SELECT tlv_perplexity(''{1:3}''::tlv_bag, m) FROM cerr_values') AS perplexity, pg_temp.outcome('SELECT tlv_statistics(''{1:3}''::tlv_bag, m) FROM cerr_values') AS statistics;
SELECT b, pg_temp.outcome(format('SELECT tlv_infer(m, %L) IS NOT NULL FROM cerr_values', b)) AS infer FROM unnest(ARRAY['{}', '{1000:1}', '{1:1.5}', '{1:1e300}']) b;

-- rights: those of the caller, for edges and labels
CREATE ROLE regress_tlv_edges;
GRANT USAGE ON SCHEMA public TO regress_tlv_edges;
SET ROLE regress_tlv_edges;
SELECT tlv_mmsb('SELECT src, dst FROM cerr_edges', 2);
\echo :SQLSTATE
SELECT tlv_mmsb('VALUES (1, 2), (2, 3)', 1, labels => 'SELECT src, 1 FROM cerr_edges');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON cerr_edges TO regress_tlv_edges;
ALTER TABLE cerr_edges ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON cerr_edges TO regress_tlv_edges USING (src % 2 = 0);
SET ROLE regress_tlv_edges;
SELECT count(*) AS own_nodes FROM tlv_memberships((SELECT tlv_mmsb('SELECT src, dst FROM cerr_edges', 1)));
-- a table with the name of the driver's own alias does not get in the way
CREATE TEMP TABLE q (src text, dst text);
SELECT count(*) AS nodes FROM tlv_memberships((SELECT tlv_mmsb('SELECT src, dst FROM cerr_edges AS q', 1)));
RESET ROLE;
DROP TABLE q;
REVOKE USAGE ON SCHEMA public FROM regress_tlv_edges;
DROP POLICY own ON cerr_edges;
REVOKE ALL ON cerr_edges FROM regress_tlv_edges;
DROP ROLE regress_tlv_edges;
-- in a schema that is in nobody's path, beside functions that look like ours
CREATE SCHEMA comm_hostile;
CREATE FUNCTION comm_hostile.tlv_graph_agg(bigint, bigint) RETURNS tlv_graph LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
CREATE FUNCTION comm_hostile.int8(integer) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
SET search_path = comm_hostile, public, pg_catalog;
SELECT count(*) AS nodes FROM tlv_memberships((SELECT tlv_mmsb('SELECT src, dst FROM public.cerr_edges', 2, labels => 'VALUES (1, 1)')));
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA comm_hostile CASCADE;
RESET client_min_messages;
DROP FUNCTION cerr_writes;
DROP TABLE cerr_edges, cerr_values, cerr_log;
