-- Topics of the Associated Press articles.  To be run by psql from the root
-- of the repository, in a database of its own; scripts/demo does that.  The
-- tables are those of docs/tutorial.md.

CREATE EXTENSION IF NOT EXISTS tensorlv;

\echo
\echo '--- The corpus: one row for each article and term'

CREATE TABLE counts (article bigint, word bigint, n int);
CREATE TABLE words (word bigint, term text);
\copy counts FROM PROGRAM 'gzip -dc examples/ap/doc_word.csv.gz' WITH (FORMAT csv, HEADER)
\copy words FROM PROGRAM 'gzip -dc examples/ap/vocab.csv.gz' WITH (FORMAT csv, HEADER)

CREATE TABLE article_words AS
SELECT article, term, n FROM counts JOIN words USING (word);
ANALYZE article_words;

SELECT count(DISTINCT article) AS articles, count(DISTINCT term) AS terms,
       sum(n) AS tokens
FROM article_words;

\echo '--- Twenty topics are fitted in one call and kept in a table'

CREATE TABLE models (
    purpose text PRIMARY KEY,
    model tlv_model NOT NULL,
    fitted timestamptz DEFAULT now()
);

\timing on
INSERT INTO models (purpose, model)
VALUES ('news', tlv_lda('SELECT article, term, n FROM article_words', k => 20));
\timing off

\echo
\echo '--- The topics of every article are computed, and the page is written'

CREATE TABLE articles AS
SELECT article AS id, tlv_bag_agg(term, n) AS bag
FROM article_words
GROUP BY article;
ALTER TABLE articles ADD PRIMARY KEY (id), ADD COLUMN topic int,
    ADD COLUMN shares float8[];
UPDATE articles
SET topic = tlv_assign(model, bag), shares = tlv_infer(model, bag)
FROM models
WHERE purpose = 'news';

\if :{?page}
\else
\set page news.html
\endif
\pset format unaligned
\pset tuples_only on
\o :page
SELECT tlv_html(model, 'Topics of the Associated Press', (
    SELECT json_agg(json_build_object('component', topic, 'id', id,
                                      'title', title, 'share', share)
                    ORDER BY topic, place)
    FROM (SELECT u.topic, id, share,
                 (SELECT string_agg(term, ' ' ORDER BY n DESC, term)
                  FROM (SELECT term, n FROM article_words
                        WHERE article = id ORDER BY n DESC, term LIMIT 6) t) AS title,
                 place
          FROM (SELECT id, u.topic, share,
                       row_number() OVER (PARTITION BY u.topic
                                          ORDER BY share DESC, id) AS place
                FROM articles, unnest(shares) WITH ORDINALITY u(share, topic)
                WHERE tlv_bag_total(bag) >= 50) u
          WHERE place <= 6) q))
FROM models
WHERE purpose = 'news';
\o
\pset tuples_only off
\pset format aligned

\echo
\echo '--- The topics, each with its most distinctive terms'

SELECT component AS topic, round(100 * weight::numeric) AS percent,
       left(description, 60) AS terms
FROM models, tlv_summary(model)
WHERE purpose = 'news' AND component > 0
ORDER BY component;

\echo '--- Two articles: their most frequent terms, and what they are about'

SELECT id AS article, round(100 * share::numeric) AS percent,
       left(description, 28) AS topic,
       left((SELECT string_agg(term, ' ' ORDER BY n DESC, term)
             FROM article_words WHERE article = id), 26) AS terms
FROM models, articles, unnest(shares) WITH ORDINALITY u(share, component)
     JOIN tlv_summary(model) s USING (component)
WHERE purpose = 'news' AND id IN (9, 552) AND share >= .1
ORDER BY id, share DESC;
