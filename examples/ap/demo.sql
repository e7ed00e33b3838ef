-- Topics of the Associated Press articles.  To be run by psql from the root
-- of the repository, in a database of its own; scripts/demo does that.

CREATE EXTENSION IF NOT EXISTS tensorlv;

\echo
\echo '--- The corpus: one row per (document, term, count)'

CREATE TABLE doc_word (doc bigint, word bigint, n int);
CREATE TABLE vocab (word bigint, term text);
\copy doc_word FROM PROGRAM 'gzip -dc examples/ap/doc_word.csv.gz' WITH (FORMAT csv, HEADER)
\copy vocab FROM PROGRAM 'gzip -dc examples/ap/vocab.csv.gz' WITH (FORMAT csv, HEADER)

CREATE TABLE corpus AS
SELECT doc, term, n FROM doc_word JOIN vocab USING (word);
ANALYZE corpus;

SELECT count(DISTINCT doc) AS documents, count(DISTINCT term) AS terms, sum(n) AS tokens
FROM corpus;

\echo '--- Twenty topics, fitted in one call and kept in a table'

\timing on
CREATE TABLE models AS
SELECT 'news' AS name, tlv_lda('SELECT doc, term, n FROM corpus', k => 20) AS model;
\timing off

\echo
\echo '--- The topics, each with its ten most distinctive terms'

SELECT topic, string_agg(item_name, ' ' ORDER BY rank) AS terms
FROM models, tlv_topic_items(model, top => 10)
WHERE name = 'news'
GROUP BY topic
ORDER BY topic;

\echo '--- The documents as bags, and their memberships, joined with what is known of them'

CREATE TABLE docs AS
SELECT doc,
       tlv_bag_agg(term, n) AS bag,
       sum(n) AS tokens,
       array_to_string((array_agg(term ORDER BY n DESC, term))[1:6], ' ') AS most_frequent
FROM corpus
GROUP BY doc;

SELECT d.doc,
       d.tokens,
       d.most_frequent,
       tlv_assign(m.model, d.bag) AS topic,
       round((SELECT max(share) FROM unnest(tlv_infer(m.model, d.bag)) share)::numeric, 2) AS share
FROM docs d, models m
WHERE m.name = 'news'
ORDER BY d.doc
LIMIT 12;

\echo '--- How the documents spread over the topics'

WITH topics AS (
    SELECT topic, string_agg(item_name, ' ' ORDER BY rank) AS terms
    FROM models, tlv_topic_items(model, top => 5)
    WHERE name = 'news'
    GROUP BY topic
), assigned AS (
    SELECT tlv_assign(m.model, d.bag) AS topic, count(*) AS documents
    FROM docs d, models m
    WHERE m.name = 'news'
    GROUP BY 1
)
SELECT topic, coalesce(documents, 0) AS documents, terms
FROM topics LEFT JOIN assigned USING (topic)
ORDER BY documents DESC, topic;

\echo '--- What the model says about itself'

SELECT d.measure, round(d.score::numeric, 4) AS score
FROM models m, tlv_diagnostics(m.model) d
WHERE m.name = 'news' AND d.component IS NULL;

SELECT w.code, w.component, w.message
FROM models m, tlv_warnings(m.model) w
WHERE m.name = 'news';

\echo '--- A page of the topics, with six documents of each, to explore in a browser'

\if :{?page}
\else
\set page news.html
\endif
\pset format unaligned
\pset tuples_only on
\o :page
SELECT tlv_html(model, 'Topics of the Associated Press', (
    SELECT json_agg(json_build_object('component', topic, 'id', doc, 'title', most_frequent, 'share', share) ORDER BY topic, place)
    FROM (SELECT topic, doc, most_frequent, share, row_number() OVER (PARTITION BY topic ORDER BY share DESC, doc) AS place
          FROM docs, unnest(tlv_infer(model, bag)) WITH ORDINALITY u(share, topic) WHERE tokens >= 50) q
    WHERE place <= 6))
FROM models
WHERE name = 'news';
\o
\pset tuples_only off
\pset format aligned

\echo 'This server is gone when the demo ends. scripts/demo --shell gives a prompt on these tables;'
\echo 'docs/tutorial.md goes through the same data step by step, and README.md says how to install.'
