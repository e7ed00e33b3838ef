-- Which queries are run again in every pass, and aggregates over many documents in one row.
SELECT setseed(.5);

CREATE TABLE passes_docs AS
    SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, 1, 0.1, 5), 800, 40, 5);

-- A pass more than the subspace's steps, the summary and the last one: bags that had to be made first.
CREATE FUNCTION passes_more(query text) RETURNS float8 LANGUAGE sql AS $$
    SELECT max(score) FILTER (WHERE measure = 'passes') - max(score) FILTER (WHERE measure = 'subspace_steps') - 2
    FROM tlv_diagnostics(tlv_lda(query, k => 3, refine => 'none')) $$;

CREATE VIEW passes_view AS SELECT bag, doc FROM passes_docs WHERE doc > 10;
SELECT passes_more('SELECT bag FROM passes_docs') AS stored_column,
       passes_more('SELECT v.bag FROM passes_view v JOIN passes_docs d USING (doc)') AS through_a_view,
       passes_more('SELECT tlv_bag_damp(bag, 3) FROM passes_docs') AS computed,
       passes_more('SELECT tlv_rollup(bag) FROM passes_docs GROUP BY doc') AS aggregated,
       passes_more('SELECT bag FROM passes_docs UNION ALL SELECT bag FROM passes_view') AS union_all,
       passes_more('SELECT bag FROM passes_docs UNION SELECT bag FROM passes_view') AS set_operation,
       passes_more('SELECT doc, item, weight FROM passes_docs, tlv_bag_items(bag)') AS triples;

CREATE FUNCTION passes_check(tlv_bag) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE DOMAIN passes_checked AS tlv_bag CHECK (passes_check(VALUE));
CREATE TYPE passes_record AS (a passes_checked);
-- Rows that may differ from pass to pass are kept; a column of an outer query is no stored column.
SELECT passes_more('SELECT bag FROM passes_docs WHERE random() < 0.9') AS volatile,
       passes_more('SELECT bag FROM passes_docs LIMIT 700') AS limited,
       passes_more('SELECT d.bag FROM passes_docs d JOIN (SELECT doc FROM passes_docs LIMIT 700) l USING (doc)') AS limited_below,
       passes_more('SELECT d.bag FROM passes_docs d WHERE doc IN (SELECT doc FROM passes_docs OFFSET 100)') AS limited_within,
       passes_more('SELECT bag::passes_checked FROM passes_docs') AS checked,
       passes_more('SELECT bag FROM passes_docs WHERE json_populate_record(NULL::passes_record, ''{"a": "{1:1}"}'') IS NOT NULL') AS checked_within,
       passes_more('SELECT bag FROM passes_docs TABLESAMPLE bernoulli (90)') AS sampled,
       passes_more('SELECT s.b FROM passes_docs d, LATERAL (SELECT d.bag AS b) s') AS lateral;

-- All forms of the same documents give the same topics.
CREATE TABLE passes_models AS
    SELECT tlv_lda('SELECT bag FROM passes_docs', k => 3, refine => 'gibbs') AS stored,
           tlv_lda('SELECT bag + ''{}''::tlv_bag FROM passes_docs', k => 3, refine => 'gibbs') AS computed,
           tlv_lda('SELECT doc, item, weight FROM passes_docs, tlv_bag_items(bag)', k => 3, refine => 'gibbs') AS triples;
SELECT max(a.distance) < 1e-6 AS computed, max(b.distance) < 1e-6 AS triples
FROM passes_models, tlv_match(stored, computed) a, tlv_match(stored, triples) b;

-- Many documents in one row.
CREATE TABLE passes_rows AS
    SELECT doc % 7 AS part, array_agg(bag ORDER BY doc) AS bags FROM passes_docs GROUP BY 1;
INSERT INTO passes_rows VALUES (8, NULL), (9, ARRAY[NULL::tlv_bag]), (10, '{}');
SELECT round(tlv_perplexity(bag, stored)::numeric, 8)
       = (SELECT round(tlv_perplexity(bags, stored)::numeric, 8) FROM passes_rows, passes_models) AS perplexity
FROM passes_docs, passes_models GROUP BY stored;
SELECT count(*) AS groups, bool_and(perplexity BETWEEN 10 AND 100) AS perplexities
FROM (SELECT tlv_perplexity(bag, stored) AS perplexity FROM passes_docs, passes_models GROUP BY rollup(doc % 2)) q;
SELECT a = b AS coherence, tlv_info(a)->'nulls' AS nulls_a, tlv_info(b)->'nulls' AS nulls_b
FROM (SELECT tlv_coherence(bag, stored, 5) AS a FROM passes_docs, passes_models) x,
     (SELECT tlv_coherence(bags, stored, 5) AS b FROM passes_rows, passes_models WHERE part < 8) y;
SELECT tlv_info(tlv_coherence(bags, stored))->'nulls' AS nulls FROM passes_rows, passes_models;

-- The limit of k is reached: said in words.
SELECT jsonb_path_query_array(tlv_info(tlv_lda('SELECT bag FROM passes_docs', max_k => 3, refine => 'none'))->'warnings',
                              '$[*] ? (@ like_regex "topics may predict better")') AS warnings;

-- Diagnostics of a topic follow it when refinement reorders the topics.
SELECT count(*) AS topics, bool_and(score >= 0) AS masses
FROM passes_models, tlv_diagnostics(stored) WHERE measure = 'negative_mass';

-- A given alpha0 stays through refinement, its parts are estimated; one that was estimated is estimated again.
SELECT tlv_info(given)->'alpha0' AS given, round(sum(t.alpha)::numeric, 9) AS alphas, count(DISTINCT t.alpha) > 1 AS parts,
       abs((tlv_info(free)->'alpha0')::float8 - 1) < 0.2 AS free
FROM (SELECT tlv_lda('SELECT bag FROM passes_docs', k => 3, alpha0 => 0.7, iterations => 3) AS given,
             tlv_lda('SELECT bag FROM passes_docs', k => 3) AS free OFFSET 0) m, tlv_topics(given) t
GROUP BY given, free;

DROP VIEW passes_view;
DROP TYPE passes_record;
DROP DOMAIN passes_checked;
DROP FUNCTION passes_check;
DROP TABLE passes_docs, passes_models, passes_rows;
DROP FUNCTION passes_more;

-- Edges are counted before they are collected only where there may be too many for one value: the pages of tables say
-- more than statistics that are far too high, but neither how many a row becomes nor how long texts are.
CREATE TABLE passes_edges WITH (autovacuum_enabled = off) AS SELECT i AS a, i % 100 + 1 AS b FROM generate_series(1, 2000) i;
CREATE INDEX ON passes_edges (a);
CREATE TABLE passes_parted (a int, b int) PARTITION BY RANGE (a);
CREATE TABLE passes_low PARTITION OF passes_parted FOR VALUES FROM (MINVALUE) TO (1000);
CREATE TABLE passes_high PARTITION OF passes_parted FOR VALUES FROM (1000) TO (MAXVALUE);
INSERT INTO passes_parted SELECT a, b FROM passes_edges;
VACUUM ANALYZE passes_edges, passes_parted;
UPDATE pg_class SET reltuples = 1e9 WHERE relname IN ('passes_edges', 'passes_low', 'passes_high');
CREATE FUNCTION passes_scans(query text) RETURNS bigint LANGUAGE plpgsql SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    before bigint := sum(seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_xact_user_tables WHERE relname ~ '^passes_(edges|low)$';
BEGIN
    PERFORM tlv_mmsb(query, k => 2);
    RETURN sum(seq_scan + coalesce(idx_scan, 0)) - before FROM pg_stat_xact_user_tables WHERE relname ~ '^passes_(edges|low)$';
END $$;
SET client_min_messages = error;
SELECT passes_scans('SELECT a, b FROM passes_edges') AS scanned,
       passes_scans('SELECT a, b FROM passes_edges WHERE a < 1000') AS by_an_index,
       passes_scans('SELECT a, b FROM passes_parted') AS parted,
       passes_scans('SELECT a, b FROM (SELECT a, b FROM passes_edges ORDER BY b) s') AS sorted,
       passes_scans('SELECT a, unnest(ARRAY[b, b + 1]) FROM passes_edges') AS several_of_a_row,
       passes_scans('SELECT a::text, b::text FROM passes_edges') AS of_any_width;
RESET client_min_messages;
