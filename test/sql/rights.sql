-- Whose rights, whose names: permissions, row-level security, schemas, search_path.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE right_docs AS SELECT doc, doc % 2 AS owner, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(40, 3, alpha0 => 0.3, seed => 2), 600, 30, seed => 2);
CREATE ROLE regress_tlv_reader;
GRANT USAGE ON SCHEMA public TO regress_tlv_reader;

-- without the right to read: 42501, also for rows and for the choice of k
SET ROLE regress_tlv_reader;
SELECT tlv_lda('SELECT bag FROM right_docs', 3);
\echo :SQLSTATE
SELECT tlv_lda('SELECT doc, item, weight FROM right_docs, tlv_bag_items(bag)', 3);
\echo :SQLSTATE
SELECT tlv_suggest_k('SELECT bag FROM right_docs');
\echo :SQLSTATE
RESET ROLE;
-- in a function of its owner's rights, the owner's
CREATE FUNCTION topics_for_all() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM right_docs', 3, refine => 'none'))) $$;
SET ROLE regress_tlv_reader;
SELECT topics_for_all();
RESET ROLE;
-- row-level security applies
GRANT SELECT ON right_docs TO regress_tlv_reader;
ALTER TABLE right_docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON right_docs TO regress_tlv_reader USING (owner = 1);
SELECT round(score) AS all_documents FROM tlv_diagnostics((SELECT tlv_lda('SELECT bag FROM right_docs', 3, refine => 'none'))) WHERE measure = 'documents';
SET ROLE regress_tlv_reader;
SELECT round(score) AS own_documents FROM tlv_diagnostics((SELECT tlv_lda('SELECT bag FROM right_docs', 3, refine => 'none'))) WHERE measure = 'documents';
SELECT round(score) AS own_rows FROM tlv_diagnostics((SELECT tlv_lda('SELECT doc, item, weight FROM right_docs, tlv_bag_items(bag)', 3, refine => 'none'))) WHERE measure = 'documents';
-- a user may not give a backend threads
SET tensorlv.blas_threads = 1;
\echo :SQLSTATE
SET tensorlv.work_mem = '64MB';
RESET tensorlv.work_mem;
RESET ROLE;

-- names of the user's own, earlier in the path, change nothing
CREATE TABLE right_models AS SELECT 'plain' AS name, tlv_lda('SELECT bag FROM right_docs', 3, iterations => 2) AS model,
  tlv_lda('SELECT doc, item::text, weight FROM right_docs, tlv_bag_items(bag)', 3, iterations => 2) AS of_terms,
  (SELECT array_agg(s::text) FROM tlv_suggest_k('SELECT bag FROM right_docs', max_k => 6) s) AS k;
CREATE SCHEMA hostile;
CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (false);
CREATE DOMAIN hostile.int8 AS pg_catalog.int8 CHECK (false);
CREATE DOMAIN hostile.float8 AS pg_catalog.float8 CHECK (false);
CREATE FUNCTION hostile.boom() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a hostile function was called'; END $$;
CREATE FUNCTION hostile.tlv_fold(public.tlv_bag, int, bigint) RETURNS int LANGUAGE sql AS $$ SELECT hostile.boom(); SELECT 0 $$;
CREATE FUNCTION hostile.tlv_fold(public.tlv_bag, int) RETURNS int LANGUAGE sql AS $$ SELECT hostile.boom(); SELECT 0 $$;
CREATE FUNCTION hostile.tlv_bag_damp(public.tlv_bag, float8) RETURNS public.tlv_bag LANGUAGE sql AS $$ SELECT hostile.boom(); SELECT $1 $$;
CREATE FUNCTION hostile.tlv_term_id(pg_catalog.text) RETURNS bigint LANGUAGE sql AS $$ SELECT hostile.boom(); SELECT 1::bigint $$;
CREATE FUNCTION hostile.int_eq(int, int) RETURNS boolean LANGUAGE sql AS $$ SELECT hostile.boom(); SELECT false $$;
CREATE OPERATOR hostile.= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.int_eq);
CREATE FUNCTION hostile.bag_in(public.tlv_bag, public.tlv_bag) RETURNS public.tlv_bag LANGUAGE sql AS $$ SELECT hostile.boom(); SELECT $1 $$;
CREATE AGGREGATE hostile.tlv_count_summary(public.tlv_bag) (SFUNC = hostile.bag_in, STYPE = public.tlv_bag);
CREATE AGGREGATE hostile.tlv_bag_agg(bigint) (SFUNC = pg_catalog.int8pl, STYPE = bigint, INITCOND = '0');
CREATE TYPE hostile.tlv_subspace AS (x int);
CREATE TYPE hostile.tlv_model AS (x int);
CREATE TYPE hostile.tlv_bag AS (x int);
SET search_path = hostile, pg_catalog, public;
INSERT INTO public.right_models SELECT 'hostile', public.tlv_lda('SELECT bag FROM public.right_docs', 3, iterations => 2),
  public.tlv_lda('SELECT doc, item::pg_catalog.text, weight FROM public.right_docs, public.tlv_bag_items(bag)', 3, iterations => 2),
  (SELECT array_agg(s::pg_catalog.text) FROM public.tlv_suggest_k('SELECT bag FROM public.right_docs', max_k => 6) s);
INSERT INTO public.right_models SELECT 'hostile, damped', public.tlv_lda('SELECT bag FROM public.right_docs', 3, iterations => 2, counts => 'damped', min_documents => 0),
  NULL,
  (SELECT array_agg(s::pg_catalog.text) FROM public.tlv_suggest_k('SELECT bag FROM public.right_docs', max_k => 6) s);
RESET search_path;
SELECT b.name, b.k = a.k AS same_k, max(m.distance) < 1e-6 AS same_topics, max(t.distance) < 1e-6 AS same_of_terms
FROM right_models a, right_models b, LATERAL tlv_match(a.model, b.model) m, LATERAL tlv_match(a.of_terms, coalesce(b.of_terms, b.model)) t
WHERE a.name = 'plain' AND b.name = 'hostile' GROUP BY b.name, b.k, a.k;
SELECT max(distance) < 0.5 AS damped FROM right_models a, right_models b, tlv_match(a.model, b.model) WHERE a.name = 'plain' AND b.name = 'hostile, damped';
-- a user's table with the name of the driver's own does not get in the way
CREATE TEMP TABLE "tensorlv rows" (bag text);
CREATE TEMP TABLE tlv_documents (bag text);
SELECT max(distance) < 1e-6 AS same FROM right_models a, tlv_match(a.of_terms, tlv_lda('SELECT doc, item::text, weight FROM right_docs, tlv_bag_items(bag)', 3, iterations => 2))
  WHERE a.name = 'plain';
SELECT max(distance) < 1e-6 AS same FROM right_models a, tlv_match(a.model, tlv_lda('SELECT bag FROM right_docs WHERE NOT EXISTS (SELECT FROM tlv_documents)', 3, iterations => 2))
  WHERE a.name = 'plain';
DROP TABLE "tensorlv rows", tlv_documents;
SET client_min_messages = warning;
DROP SCHEMA hostile CASCADE;

-- the extension in a schema of its own that is in nobody's path
DROP TABLE right_models;
DROP FUNCTION topics_for_all;
CREATE TEMP TABLE plain AS SELECT doc, item, weight FROM right_docs, tlv_bag_items(bag);
DROP TABLE right_docs;
DROP EXTENSION tensorlv;
SELECT count(*) AS left_behind FROM pg_proc WHERE proname LIKE 'tlv\_%' AND pronamespace = 'public'::regnamespace;
CREATE SCHEMA "Latent Variables";
CREATE EXTENSION tensorlv SCHEMA "Latent Variables";
SHOW search_path;
SELECT k, criterion FROM "Latent Variables".tlv_suggest_k('SELECT doc, item, weight FROM plain', max_k => 6) WHERE chosen;
SELECT count(*), count(DISTINCT topic), bool_and(item_name = item::text) AS no_terms
FROM "Latent Variables".tlv_topic_items((SELECT "Latent Variables".tlv_lda('SELECT doc, item, weight FROM plain', 3)), 2);
SELECT count(*), bool_and(item_name LIKE 'w%') AS terms FROM "Latent Variables".tlv_topic_items((SELECT "Latent Variables".tlv_lda('SELECT doc, ''w'' || item, weight FROM plain', 3)), 2);
CREATE TEMP TABLE away AS SELECT doc, "Latent Variables".tlv_bag_agg(item, weight) AS bag FROM plain GROUP BY doc;
SELECT count(*) FROM "Latent Variables".tlv_topics((SELECT "Latent Variables".tlv_lda('SELECT bag FROM away', 3, counts => 'damped')));
SELECT count(*) FROM (SELECT DISTINCT bag FROM away) d;
-- step by step, too
SELECT count(*) FROM away, (SELECT "Latent Variables".tlv_find_subspace("Latent Variables".tlv_count_moments(bag), 3) AS s FROM away) q GROUP BY s
HAVING "Latent Variables".tlv_fit_lda("Latent Variables".tlv_count_moments(bag, s)) IS NOT NULL;
-- relocated
ALTER EXTENSION tensorlv SET SCHEMA public;
SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM away', 3)));
DROP SCHEMA "Latent Variables";
RESET client_min_messages;
REVOKE USAGE ON SCHEMA public FROM regress_tlv_reader;
DROP ROLE regress_tlv_reader;
