-- The one query: what a driver accepts, what it refuses, and what nobody can slip in.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE query_rows AS SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(3, seed => 1), 300, seed => 1);
-- positions are those in the caller's text
SELECT tlv_ica('SELECT x FROM query_rows WHERE nothing > 1');
SELECT tlv_ica('SELECT x FROM query_rows WHERE $1 > 1');
SELECT tlv_ica('SELECT x FROM query_rows, generate_series(1, x[1]::int, n)');
SELECT tlv_ica('SELECT x FROM no_rows');
-- one query that only reads
SELECT q, pg_temp.outcome(format('SELECT tlv_ica(%L) IS NOT NULL', q)) AS outcome
FROM unnest(ARRAY[
    '',
    ';',
    'SELECT x FROM query_rows; SELECT 1',
    'SELECT x FROM query_rows;',
    'SELECT x FROM query_rows -- to the end',
    'VALUES (array[1.0, 2.0])',
    'TABLE query_rows',
    'WITH q AS (SELECT x FROM query_rows) SELECT x FROM q',
    'DELETE FROM query_rows',
    'EXPLAIN SELECT x FROM query_rows',
    'SELECT x INTO query_copy FROM query_rows',
    'SELECT x FROM query_rows UNION ALL SELECT x INTO query_copy FROM query_rows',
    'WITH q AS (DELETE FROM query_rows RETURNING x) SELECT x FROM q',
    'SELECT x FROM query_rows FOR UPDATE',
    'SELECT x FROM (SELECT x FROM query_rows FOR SHARE) q',
    'SELECT x FROM "tensorlv query" AS q(x)',
    'SELECT x FROM "tensorlv rows" AS q(x)',
    'SELECT p FROM p']) WITH ORDINALITY AS u(q, n)
ORDER BY n;
SELECT count(*) FROM query_rows;

-- rows that are only ordered by a column are of one column; names of columns may be anything
SELECT tlv_amari(tlv_ica('SELECT x FROM query_rows ORDER BY x[1], x[2]'), tlv_ica('SELECT x AS "p" FROM query_rows')) < 1e-6 AS same;
SELECT tlv_amari(tlv_ica('SELECT (SELECT x) FROM query_rows'), tlv_ica('SELECT x AS "a""b" FROM (SELECT x FROM query_rows OFFSET 0) v')) < 1e-6 AS same;

-- the role and row_security are those of the start
CREATE ROLE regress_tlv_query;
CREATE FUNCTION query_role(x float8[], setting text, value text) RETURNS float8[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config(setting, value, false);
  RETURN x;
END $$;
SELECT setting, pg_temp.outcome(format('SELECT tlv_ica(%L) IS NULL', format('SELECT query_role(x, %L, %L) FROM query_rows', setting, value))) AS outcome, current_user = session_user AS same_role
FROM (VALUES ('role', 'regress_tlv_query'), ('row_security', 'off')) v(setting, value);
SELECT current_setting('row_security') AS row_security;

-- an overload in the schema of the extension is no function of the extension's
CREATE FUNCTION public.tlv_dense_moments_strange(tlv_moments, float8[], bigint) RETURNS tlv_moments LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$;
CREATE AGGREGATE public.tlv_dense_moments(x float8[], max_order bigint) (SFUNC = tlv_dense_moments_strange, STYPE = tlv_moments);
CREATE FUNCTION public.tlv_statistics(x float8[], model tlv_model, method varchar) RETURNS bigint LANGUAGE sql AS 'SELECT 4702111234474983745';
SELECT tlv_ica('SELECT x FROM query_rows') IS NOT NULL AS fitted;
CREATE FUNCTION public.tlv_category_moments(v int[], b int, s int) RETURNS bigint LANGUAGE sql AS 'SELECT 4702111234474983745';
SELECT tlv_tree('SELECT array[i % 2, i % 3, (i * i) % 2] FROM generate_series(1, 50) i', bootstrap => 3) IS NOT NULL AS tree;
DROP FUNCTION public.tlv_category_moments(int[], int, int);
DROP FUNCTION public.tlv_statistics(float8[], tlv_model, varchar);
DROP AGGREGATE public.tlv_dense_moments(float8[], bigint);
DROP FUNCTION public.tlv_dense_moments_strange;

-- the text is read once: settings that a function changes while it is planned come too late
CREATE FUNCTION query_turn(setting text, value text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  PERFORM set_config(setting, value, false);
  RETURN true;
END $$;
SET escape_string_warning = off;
SELECT tlv_ica($q$SELECT x FROM query_rows, (SELECT) s WHERE query_turn('standard_conforming_strings', 'off') AND 't' >= '\'||') AS q(x); SELECT 4702111234474983745 --'$q$) IS NOT NULL AS fitted;
SET standard_conforming_strings = on;
SELECT pg_temp.outcome($o$SELECT tlv_mmsb($q$SELECT 1, 2 FROM (SELECT) s WHERE query_turn('standard_conforming_strings', 'off') AND 't' >= '\'||') AS q(src, dst);
  SELECT src FROM (SELECT 4702111234474983745, 2 --'$q$, 2) IS NOT NULL$o$) AS graph;
RESET standard_conforming_strings;
RESET escape_string_warning;
CREATE SCHEMA query_evil;
CREATE FUNCTION public.query_f() RETURNS SETOF float8[] LANGUAGE sql STABLE AS 'SELECT x FROM public.query_rows';
CREATE FUNCTION query_evil.query_f() RETURNS SETOF uuid LANGUAGE sql STABLE AS $$ SELECT '01034242-4242-4242-0000-000000000000'::uuid $$;
SELECT tlv_ica($q$SELECT query_f() FROM (SELECT) s WHERE query_turn('search_path', 'query_evil, public')$q$) IS NOT NULL AS fitted;
RESET search_path;
DROP SCHEMA query_evil CASCADE;

-- functions of the query may not write either, while it is planned or run
CREATE FUNCTION query_writes() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN CREATE TABLE query_copy (); RETURN true; END $$;
SELECT pg_temp.outcome('SELECT tlv_ica(''SELECT x FROM query_rows WHERE query_writes()'')') AS outcome;
SELECT pg_temp.outcome('SELECT tlv_ica(''SELECT x FROM query_rows WHERE x[1] > 0 OR query_writes()'')') AS outcome;

-- but to temporary tables, as in any transaction that only reads; what it reads is what there was
CREATE TEMP TABLE query_temp AS SELECT x FROM query_rows;
CREATE FUNCTION query_adds(x float8[]) RETURNS float8[] LANGUAGE plpgsql AS $$ BEGIN INSERT INTO query_temp VALUES (x); RETURN x; END $$;
SELECT (tlv_info(tlv_ica('SELECT query_adds(x) FROM query_temp'))->>'rows')::int = (SELECT count(*) FROM query_rows) AS as_many;
SELECT count(*) = 2 * (SELECT count(*) FROM query_rows) AS added FROM query_temp;
DROP FUNCTION query_adds;
DROP TABLE query_temp;

-- rows that change between the passes
CREATE SEQUENCE query_passes;
CREATE FUNCTION query_once() RETURNS SETOF float8[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY SELECT x FROM query_rows;
END $$;
SELECT tlv_ica('SELECT query_once()') IS NOT NULL AS stored;

DROP FUNCTION query_once, query_writes, query_f, query_turn, query_role;
DROP SEQUENCE query_passes;
DROP TABLE query_rows;
DROP ROLE regress_tlv_query;
-- a reader that looks at the query's rows more than once sees them as they were the first time: the query is run once
CREATE FUNCTION query_told() RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN RAISE NOTICE 'the query is run'; RETURN 1; END $$;
CREATE DOMAIN query_bag AS tlv_bag;
CREATE TABLE query_terms AS SELECT d, 'w' || (i + 10 * (d % 2)) AS w, d * i % 3 AS v FROM generate_series(1, 60) d, generate_series(1, 10) i;
SELECT tlv_lda('SELECT d, w FROM query_terms, (SELECT query_told() OFFSET 0) t', 2) IS NOT NULL AS documents;
SELECT tlv_tree('SELECT i, ''v'' || v, i / (v + 1) % 2 FROM generate_series(1, 90) i, generate_series(0, 3) v, (SELECT query_told() OFFSET 0) t') IS NOT NULL AS variables;
-- a domain over bags
SELECT tlv_lda('SELECT tlv_bag_agg(w)::query_bag FROM query_terms GROUP BY d', 2) IS NOT NULL AS domain;
-- an error in what is ours has no position in the caller's text
\set VERBOSITY default
SELECT tlv_lda('SELECT ''{}''::json, i FROM generate_series(1, 9) i ORDER BY i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10', 2);
DROP TABLE query_terms;
DROP DOMAIN query_bag;
DROP FUNCTION query_told;

-- rows of no id, and without what they should tell, are left out, counted and warned of: of documents, sequences, trees and surveys
CREATE FUNCTION pg_temp.left_out(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE m tlv_model;
BEGIN
  EXECUTE 'SELECT ' || query INTO m;
  RETURN (SELECT score FROM tlv_warnings(m) WHERE code = 'rows_skipped');
END $$;
CREATE TEMP TABLE words AS SELECT CASE WHEN i % 100 > 2 THEN i % 50 END AS doc, CASE WHEN i % 60 > 0 THEN 'w' || (i * i) % 17 END AS term, CASE WHEN i % 250 <> 77 THEN 1 + i % 2 END AS n
FROM generate_series(1, 1000) i;
CREATE TEMP TABLE steps AS SELECT CASE WHEN i % 100 > 2 THEN i % 20 END AS seq, CASE WHEN i % 70 > 0 THEN i END AS t, 'abc' || (i * i) % 3 AS symbol,
  CASE WHEN i % 50 > 0 THEN ARRAY[i % 3, sin(i)] END AS x FROM generate_series(1, 1000) i;
CREATE TEMP TABLE cells AS SELECT CASE WHEN i % 100 <> 7 THEN i END AS id, CASE WHEN i % 70 > 0 OR v > 1 THEN 'q' || v END AS variable, CASE WHEN i % 11 > 0 THEN (i * v + i / 5) % 3 END AS value
FROM generate_series(1, 300) i, generate_series(1, 5) v;
SELECT pg_temp.left_out($$tlv_lda('SELECT doc, term FROM words', 2)$$) AS documents, (SELECT count(*) FROM words WHERE doc IS NULL OR term IS NULL) AS expected,
       pg_temp.left_out($$tlv_lda('SELECT doc, term, n FROM words', 2)$$) AS counted, (SELECT count(*) FROM words WHERE doc IS NULL OR term IS NULL OR n IS NULL) AS expected_counted,
       pg_temp.left_out($$tlv_lda('SELECT doc, length(term), n FROM words WHERE doc > 3 AND term > '''' AND n > 0', 1)$$) AS none;
SELECT pg_temp.left_out($$tlv_hmm('SELECT seq, t, symbol FROM steps', 2)$$) AS symbols, (SELECT count(*) FROM steps WHERE seq IS NULL OR t IS NULL) AS expected,
       pg_temp.left_out($$tlv_hmm('SELECT seq, t, x FROM steps', 2)$$) AS vectors, (SELECT count(*) FROM steps WHERE seq IS NULL OR t IS NULL OR x IS NULL) AS expected_vectors;
SELECT pg_temp.left_out($$tlv_tree('SELECT id, variable, value FROM cells', 2)$$) AS tree, pg_temp.left_out($$tlv_lca('SELECT id, variable, value FROM cells', 2)$$) AS classes,
       pg_temp.left_out($$tlv_gom('SELECT id, variable, value FROM cells', 2)$$) AS memberships,
       (SELECT count(*) FROM cells WHERE id IS NULL OR variable IS NULL) AS expected, (SELECT count(*) FROM cells WHERE (id IS NULL OR variable IS NULL) AND value IS NOT NULL) AS with_value;

-- several queries are put together, one by one
CREATE TEMP TABLE query_rows AS SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(3, seed => 1), 300, seed => 1);
SELECT tlv_amari(tlv_ica('SELECT x FROM query_rows WHERE x[1] > 0;',
  more_queries => ARRAY['SELECT x FROM query_rows WHERE x[1] <= 0 -- the rest']), tlv_ica('SELECT x FROM query_rows')) < 1e-6 AS same,
       tlv_amari(tlv_ica('TABLE query_rows', more_queries => '{}', k => 3), tlv_ica('SELECT x FROM query_rows')) < 1e-6 AS one;
SELECT q, pg_temp.outcome(format('SELECT tlv_ica(''TABLE query_rows'', more_queries => %L) IS NOT NULL', q)) AS outcome
FROM unnest(ARRAY[
    '{}',
    '{NULL,TABLE query_rows}',
    '{""}',
    '{SELECT x FROM query_rows) UNION ALL (SELECT x FROM query_rows}',
    '{"TABLE query_rows; SELECT 1"}',
    '{DELETE FROM query_rows}',
    '{"SELECT 1, 2"}',
    '{SELECT 1}',
    '{SELECT y FROM query_rows}',
    '{{TABLE query_rows},{TABLE query_rows}}']) WITH ORDINALITY AS u(q, n)
ORDER BY n;
SELECT count(*) AS topics FROM tlv_components(tlv_lda('SELECT doc, term FROM words WHERE doc < 25', 2, more_queries => ARRAY['SELECT doc, term FROM words WHERE doc >= 25']));
