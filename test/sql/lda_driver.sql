-- tlv_lda: topics from the text of a query; what the first users do.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
-- 240 notes about three things, one per day and number; the first words of a list are the more frequent
CREATE TABLE notes AS
WITH words AS (SELECT ARRAY['team game player season coach win score ball league match', 'market stock price bank trade rate fund share money profit',
                            'oil salt pan butter sugar bread sauce cook oven flour'] AS lists),
     tokens AS (
  SELECT d, j, d % 3 AS main, d / 3 % 3 AS other, ('x' || substr(md5(d || ':' || j), 1, 8))::bit(32)::int8 AS r FROM generate_series(1, 240) d, generate_series(1, 24) j)
SELECT d AS id, date '2026-11-01' - 5 + d % 10 AS day, 'note ' || d AS title, main,
       string_agg((string_to_array(lists[CASE WHEN j <= 19 THEN main ELSE other END + 1], ' '))[least(r % 10, r / 10 % 10) + 1], ' ' ORDER BY j) AS body
FROM tokens, words GROUP BY d, main;
CREATE TABLE corpus AS
  SELECT id AS doc, term, count(*) AS n FROM notes, regexp_split_to_table(body, ' ') AS term GROUP BY 1, 2;
CREATE TABLE docs AS SELECT id, day, title, main, (SELECT tlv_bag_agg(term, n) FROM corpus WHERE doc = id) AS bag FROM notes;

-- 1. from rows to terms
SELECT topic, string_agg(item_name, ' ' ORDER BY item_name) AS terms, round(sum(p), 1) AS p FROM (
SELECT topic, rank, item_name, round(probability::numeric, 4) AS p
FROM tlv_topic_items((SELECT tlv_lda('SELECT doc, term, n FROM corpus', k => 3)), top => 4)) t GROUP BY topic ORDER BY terms;

-- 2. keep the model, join memberships with application data
CREATE TABLE models AS SELECT 'news' AS name, tlv_lda('SELECT doc, term, n FROM corpus', k => 3) AS model;
CREATE TABLE found AS
SELECT d.id, d.title, d.main, tlv_assign(m.model, d.bag) AS topic, tlv_infer(m.model, d.bag) AS shares
FROM docs d, models m WHERE m.name = 'news';
SELECT count(*), count(DISTINCT (main, topic)) AS pairs, count(DISTINCT topic) AS topics, bool_and(abs((SELECT sum(x) FROM unnest(shares) x) - 1) < 1e-9) AS sum_to_1,
       bool_and(shares[topic] > 0.5) AS clear FROM found;
SELECT main, count(*) FROM found GROUP BY main ORDER BY main;

-- 3. step by step, with values that are kept per day, merged and resumed from
CREATE TABLE day_moments AS
  SELECT day, tlv_count_moments(bag) AS pairs FROM docs GROUP BY day;
CREATE TABLE since AS
WITH s AS MATERIALIZED (SELECT tlv_find_subspace(tlv_rollup(pairs), k => 3) AS s FROM day_moments WHERE day >= '2026-11-01'),
     t AS MATERIALIZED (SELECT tlv_count_moments(bag, s) AS m FROM docs, s WHERE day >= '2026-11-01')
SELECT i.* FROM t, tlv_topic_items(tlv_fit_lda(m, k => 3), top => 4) i;
SELECT topic, string_agg(item::text, ' ' ORDER BY item) = (SELECT string_agg(tlv_term_id(w)::text, ' ' ORDER BY tlv_term_id(w))
       FROM regexp_split_to_table(CASE WHEN bool_or(item = tlv_term_id('team')) THEN 'team game player season'
                                  WHEN bool_or(item = tlv_term_id('oil')) THEN 'oil salt pan butter' ELSE 'market stock price bank' END, ' ') w) AS first_words,
       bool_and(item_name = item::text) AS ids_only FROM since GROUP BY topic ORDER BY topic;

-- text with positions: full-text search is the tokenizer
SELECT string_agg(DISTINCT w, ' ' ORDER BY w) AS top_words
FROM tlv_topic_items((SELECT tlv_lda($$SELECT tlv_to_bag(to_tsvector('simple', body)) FROM notes$$, k => 3)), top => 3) i JOIN (SELECT DISTINCT term AS w FROM corpus) c ON tlv_term_id(w) = item;

-- the three forms of a query are one thing
CREATE TABLE forms AS
SELECT tlv_lda('SELECT doc, term, n FROM corpus', k => 3, refine => 'none') AS terms, tlv_lda('SELECT doc, tlv_term_id(term), n FROM corpus', k => 3, refine => 'none') AS ids,
       tlv_lda('SELECT bag FROM docs', k => 3, refine => 'none') AS bags,
       tlv_lda($$SELECT id, regexp_split_to_table(body, ' ') FROM notes$$, k => 3, refine => 'none') AS tokens;
SELECT name, max(distance) < 1e-6 AS same FROM forms, LATERAL (VALUES ('ids', ids), ('bags', bags), ('tokens', tokens)) v(name, model), tlv_match(terms, model) GROUP BY name ORDER BY name;
SELECT count(*) FILTER (WHERE item_name <> item::text) AS terms, count(*) FILTER (WHERE item_name IS NULL) AS none, bool_and(tlv_term_id(item_name) = item) AS right_ones
  FROM forms, tlv_topic_items(terms);
SELECT count(*) FILTER (WHERE item_name <> item::text) AS terms, count(item_name) AS digits FROM forms, tlv_topic_items(ids);
-- refinement sees the documents in an order of its own: neither that of the rows nor parallel workers play a part but for rounding
CREATE TABLE backwards AS SELECT * FROM corpus ORDER BY md5(doc || term);
CREATE TABLE bags_backwards AS SELECT bag FROM docs ORDER BY md5(id::text);
ANALYZE corpus, backwards, bags_backwards;
CREATE TABLE orders (name text, model tlv_model);
INSERT INTO orders VALUES ('rows', tlv_lda('SELECT doc, tlv_term_id(term), n FROM corpus', k => 3)), ('other rows', tlv_lda('SELECT doc, tlv_term_id(term), n FROM backwards', k => 3)),
                          ('bags', tlv_lda('SELECT bag FROM docs', k => 3));
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
INSERT INTO orders VALUES ('workers', tlv_lda('SELECT doc, tlv_term_id(term), n FROM backwards', k => 3)), ('bags and workers', tlv_lda('SELECT bag FROM bags_backwards', k => 3));
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT o.name, m.component_a, m.component_b, m.distance < 1e-6 AS same FROM orders o, orders r, tlv_match(r.model, o.model) m
WHERE r.name = 'rows' AND o.name <> 'rows' AND (m.component_a <> m.component_b OR NOT m.distance < 1e-6);
DROP TABLE backwards, bags_backwards, orders;
-- other column types: integers, numbers and strings of every kind; the document may be anything that can be grouped
SELECT name, max(distance) < 1e-6 AS same FROM forms, LATERAL (VALUES
  ('varchar, int', tlv_lda('SELECT doc::text, term::varchar, n::int FROM corpus', 3, refine => 'none')),
  ('char, numeric', tlv_lda('SELECT ROW(doc, 1), term::char(10), n::numeric FROM corpus', 3, refine => 'none')),
  ('name, real', tlv_lda('SELECT doc::numeric, term::name, n::real FROM corpus', 3, refine => 'none')),
  ('NULL documents', tlv_lda($$SELECT doc, term, n FROM corpus UNION ALL SELECT NULL, 'salt', 1000$$, 3, refine => 'none')),
  ('NULL terms and counts', tlv_lda($$SELECT doc, term, n FROM corpus UNION ALL SELECT doc, NULL, 3 FROM corpus UNION ALL SELECT doc, 'x', NULL FROM corpus$$, 3, refine => 'none')),
  ('NULL and empty bags', tlv_lda($$SELECT bag FROM docs UNION ALL SELECT NULL UNION ALL SELECT '{}'$$, 3, refine => 'none'))) v(name, model), tlv_match(terms, model) GROUP BY name ORDER BY name;
CREATE DOMAIN word AS text;
SELECT max(distance) < 1e-6 AS domains FROM forms, tlv_match(terms, tlv_lda('SELECT doc, term::word, n FROM corpus', 3, refine => 'none'));
-- queries as people write them
SELECT q, max(distance) < 1e-6 AS same FROM forms,
       unnest(ARRAY['SELECT bag FROM docs;', E'SELECT bag FROM docs ;\n ;', E'SELECT bag FROM docs -- all of them', '/* all */ TABLE only_bags', 'WITH x AS (SELECT bag FROM docs) SELECT * FROM x',
  'SELECT bag FROM docs ORDER BY id', '(SELECT bag FROM docs WHERE main = 0) UNION ALL SELECT bag FROM docs WHERE main > 0',
  'SELECT DISTINCT ON (id) bag FROM docs']) q, tlv_match(bags, CASE WHEN q NOT LIKE '%TABLE%' THEN tlv_lda(q, 3, refine => 'none') ELSE bags END) GROUP BY q ORDER BY q COLLATE "C";
CREATE VIEW only_bags AS SELECT bag FROM docs;
SELECT max(distance) < 1e-6 AS table_command FROM forms, tlv_match(bags, tlv_lda('TABLE only_bags', 3, refine => 'none'));
SELECT max(distance) < 0.3 AS values_command
FROM tlv_match(tlv_lda('VALUES (''{1:3,2:1}''::tlv_bag), (''{1:2,2:2}''), (''{3:3}''), (''{3:4}'')', 2, 0, refine => 'none'), tlv_topic_model('{1,1,2}', '{1,2,3}', '{5,3,7}', '{8,7}'));

-- k chosen; alpha0 given; methods; refinements; counts
SELECT count(*) AS k_chosen, (SELECT score FROM tlv_diagnostics(model) WHERE measure = 'k_chosen') AS said
FROM (SELECT tlv_lda('SELECT doc, term, n FROM corpus') AS model) q, tlv_topics(model) GROUP BY model;
SELECT count(*) AS at_most FROM tlv_topics((SELECT tlv_lda('SELECT doc, term, n FROM corpus', max_k => 2)));
SELECT round((tlv_info(tlv_lda('SELECT bag FROM docs', 3, alpha0 => 0.7, refine => 'none'))->>'alpha0')::numeric, 9) AS given,
       (tlv_info(tlv_lda('SELECT bag FROM docs', 3))->>'alpha0')::float8 BETWEEN 0.2 AND 3 AS estimated,
       tlv_info(tlv_lda('SELECT bag FROM docs', 3, alpha0 => 0))->>'alpha0' AS single_topic;
SELECT method, refine, max(distance) < 0.25 AS same_topics, (SELECT tlv_info(q.model)->>'steps') AS steps
FROM (SELECT *, tlv_lda('SELECT bag FROM docs', 3, method => method, refine => refine, iterations => 3) AS model
      FROM unnest('{auto,tensor,anchors}'::text[]) method, unnest('{gibbs,stepwise,none}'::text[]) refine) q,
     models m, tlv_match(m.model, q.model) GROUP BY q.model, method, refine ORDER BY 1, 2;
SELECT counts, max(distance) < 0.25 AS same_topics, (SELECT score FROM tlv_diagnostics(q.model) WHERE measure = 'counts_damped') AS damped,
       (SELECT score FROM tlv_diagnostics(q.model) WHERE measure = 'minimum_documents') AS minimum_documents
FROM (SELECT *, tlv_lda('SELECT bag FROM docs', 3, counts => counts) AS model FROM unnest('{auto,raw,damped}'::text[]) counts) q, models m, tlv_match(m.model, q.model)
GROUP BY q.model, counts ORDER BY 1;
-- simulated LDA is not taken for bursts
SELECT (SELECT score FROM tlv_diagnostics(model) WHERE measure = 'counts_damped') AS damped
FROM (SELECT tlv_lda('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(200, 5, seed => 2), 2000, 60)', 5) AS model) q;
SELECT tlv_lda(NULL) AS of_null, (SELECT tlv_info(tlv_lda('SELECT bag FROM docs', 3, refine => NULL))->>'steps') AS no_refinement,
       (SELECT tlv_info(tlv_lda('SELECT bag FROM docs', 3, iterations => 0))->>'steps') AS no_iterations;
SELECT measure FROM tlv_diagnostics((SELECT model FROM models))
WHERE measure IN ('passes', 'k_chosen', 'counts_damped', 'trace_raw_counts', 'refinement_steps', 'residual', 'alpha0', 'alpha0_estimated') ORDER BY 1;

-- same seed, same result; another plan, the same to 1e-6
SELECT tlv_match(a, b) IS NOT NULL AS ok, a_topics = b_topics AS same_seed FROM (
  SELECT a, b, (SELECT array_agg(i.* ORDER BY topic, rank) FROM tlv_topic_items(a) i) AS a_topics, (SELECT array_agg(i.* ORDER BY topic, rank) FROM tlv_topic_items(b) i) AS b_topics
  FROM (SELECT tlv_lda('SELECT bag FROM docs', 3, seed => 7) AS a, tlv_lda('SELECT bag FROM docs', 3, seed => 7) AS b OFFSET 0) q) r LIMIT 1;
CREATE TABLE big AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(300, 5, alpha0 => 0.5, seed => 6), 4000, 60, seed => 6);
ANALYZE big;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE plans AS SELECT 'one process' AS name, tlv_lda('SELECT bag FROM big', 5, refine => 'gibbs', iterations => 3) AS model, tlv_lda('SELECT bag FROM big', 5, refine => 'none') AS moments;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
INSERT INTO plans SELECT 'parallel', tlv_lda('SELECT bag FROM big', 5, refine => 'gibbs', iterations => 3), tlv_lda('SELECT bag FROM big', 5, refine => 'none');
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
INSERT INTO plans SELECT 'rows', tlv_lda('SELECT doc, item, weight FROM big, tlv_bag_items(bag)', 5, refine => 'gibbs', iterations => 3),
  tlv_lda('SELECT doc, item, weight FROM big, tlv_bag_items(bag)', 5, refine => 'none');
INSERT INTO plans SELECT 'another order', tlv_lda('SELECT bag FROM big ORDER BY doc DESC', 5, refine => 'gibbs', iterations => 3),
  tlv_lda('SELECT bag FROM big ORDER BY doc DESC', 5, refine => 'none');
SET work_mem = '64kB';
INSERT INTO plans SELECT 'store on disk', tlv_lda('SELECT doc, item, weight FROM big, tlv_bag_items(bag)', 5, refine => 'gibbs', iterations => 3),
  tlv_lda('SELECT doc, item, weight FROM big, tlv_bag_items(bag)', 5, refine => 'none');
RESET work_mem;
SELECT p.name, max(m.distance) < 1e-6 AS moments, max(r.distance) < 1e-6 AS refined
FROM plans o, plans p, LATERAL tlv_match(o.moments, p.moments) m, LATERAL tlv_match(o.model, p.model) r WHERE o.name = 'one process' AND p.name <> 'one process' GROUP BY p.name ORDER BY 1;

-- in a read-only transaction; as a STABLE function's body; evaluated once for two columns of use
BEGIN READ ONLY;
SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT doc, term, n FROM corpus', k => 3)));
SELECT k, criterion FROM tlv_suggest_k('SELECT bag FROM docs', max_k => 6) WHERE chosen;
COMMIT;
CREATE FUNCTION topics_of_notes() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM docs', k => 3))) $$;
SELECT topics_of_notes();
CREATE SEQUENCE fits;
SELECT nextval('fits') AS first;
SELECT topic, rank = 1 AS first FROM tlv_topic_items((SELECT tlv_lda('SELECT bag FROM docs', k => 3, refine => 'none') FROM nextval('fits')), top => 1);
SELECT nextval('fits') AS third_evaluation_of_the_sequence;
-- a cursor and plpgsql variables as parameters of the caller's own; a prepared statement
PREPARE fit(int) AS SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM docs', k => $1, refine => 'none')));
EXECUTE fit(2);
EXECUTE fit(3);
DO $$
DECLARE
  model tlv_model;
  t record;
BEGIN
  model := tlv_lda('SELECT bag FROM docs', k => 2, refine => 'none');
  FOR t IN SELECT * FROM tlv_topics(model) LOOP RAISE NOTICE 'topic %', t.topic; END LOOP;
END $$;
-- a driver within the query of a driver
SELECT max(distance) < 1e-6 AS nested FROM forms,
       tlv_match(bags, tlv_lda($$SELECT bag FROM docs, (SELECT tlv_lda('SELECT bag FROM docs', 2, refine => 'none') AS m OFFSET 0) inner_model WHERE m IS NOT NULL$$, 3, refine => 'none'));
-- seen rows: the query sees what the statement sees, its own session's changes included
BEGIN;
INSERT INTO docs SELECT 1000 + i, day, title, main, bag FROM docs, generate_series(1, 2) i;
SELECT round(score) AS documents FROM tlv_diagnostics((SELECT tlv_lda('SELECT bag FROM docs', 3, refine => 'none'))) WHERE measure = 'documents';
ROLLBACK;
-- progress as notices
SET tensorlv.progress = 'notice';
SET client_min_messages = 'error';
SELECT tlv_lda('SELECT bag FROM docs', 3) IS NOT NULL AS with_progress;
RESET client_min_messages;
RESET tensorlv.progress;
-- a document in one value, with its number or alone: the same model; lexemes stay in it
CREATE TEMP TABLE in_one AS SELECT name, tlv_lda(query, 3, refine => 'none') AS model FROM (VALUES
  ('tsvector', $$SELECT to_tsvector('simple', body) FROM notes$$), ('doc, tsvector', $$SELECT id, to_tsvector('simple', body) FROM notes$$),
  ('bag', $$SELECT tlv_to_bag(to_tsvector('simple', body)) FROM notes$$), ('doc, bag', $$SELECT id, tlv_to_bag(to_tsvector('simple', body)) FROM notes$$),
  ('bags', $$SELECT array_agg(tlv_to_bag(to_tsvector('simple', body))) FROM notes GROUP BY id % 9$$),
  ('doc, bags', $$SELECT id % 9, array_agg(tlv_to_bag(to_tsvector('simple', body))) FROM notes GROUP BY 1$$)) q(name, query);
SELECT name, max(distance) < 1e-6 AS same, (SELECT count(*) FILTER (WHERE item_name <> item::text) > 0 FROM tlv_topic_items(o.model)) AS terms
FROM in_one o, tlv_match((SELECT model FROM in_one WHERE name = 'bag'), o.model) GROUP BY name, o.model ORDER BY name;
SELECT bool_and(tlv_term_id(item_name) = item) AS right_ones FROM in_one, tlv_topic_items(model) WHERE name = 'doc, tsvector';
-- two texts many times over: those that are held out are made of words that the others do not have, so that k is not tested, which is said; given, it is found
CREATE TEMP TABLE twins AS SELECT to_tsvector('simple', CASE WHEN i % 2 = 0 THEN 'apple pear plum cherry fig' ELSE 'car bus train plane bike' END) AS body FROM generate_series(1, 100) i;
SELECT (SELECT count(*) FROM tlv_topics(m)) AS topics, (SELECT string_agg(code, ' ' ORDER BY code) FROM tlv_warnings(m)) AS warnings
FROM (VALUES (NULL), (2)) v(k), LATERAL (SELECT tlv_lda('SELECT body FROM twins', k) AS m) q;
-- texts are not taken apart: somebody meant to_tsvector
SELECT code, message FROM tlv_warnings(tlv_lda('SELECT id, body || id FROM notes', 3));
SELECT tlv_lda('SELECT id, ARRAY[1.5] FROM notes', 3);
DROP TABLE in_one, twins;
DROP TABLE notes, corpus, docs, models, found, day_moments, since, forms, big, plans CASCADE;
DROP FUNCTION topics_of_notes;
DROP SEQUENCE fits;
DROP DOMAIN word;
-- a thousand longer documents stand for themselves, whatever is beside them; a few do not beside short ones, and do beside empty ones
SELECT n, rest, (SELECT count(*) FROM tlv_warnings(model) WHERE code = 'rows_skipped') AS short
FROM (SELECT n, rest, tlv_lda(format('SELECT CASE WHEN i <= %s THEN tlv_to_bag(ARRAY[1 + i %% 5, 1 + (i + 1) %% 5, 1 + i %% 3, '
                               '1 + i %% 5 + 5 * (i %% 2)]) ELSE %L::tlv_bag END FROM generate_series(1, 20000) i', n, rest), 2) AS model
      FROM unnest('{100,1500}'::int[]) n, (VALUES ('{}'), ('{1:1}')) r(rest)) AS m ORDER BY n, length(rest);
