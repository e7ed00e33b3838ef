-- Fits of the data of examples/, of which scripts/check-kernels compares the numbers of components and the labels of the rows.
-- Prints a line for each fit: its name, the number of components, and the label of every row. Run in the root of the repository.
\set QUIET on
\pset format unaligned
\pset tuples_only on
\pset fieldsep '|'
SET client_min_messages = error;
CREATE EXTENSION tensorlv;

CREATE TABLE doc_word (doc bigint, word bigint, n int);
CREATE TABLE games (team_a bigint, team_b bigint);
CREATE TABLE flowers (id int, a float8, b float8, c float8, d float8, label int);
CREATE TABLE eruptions (id int, eruptions float8, waiting float8);
CREATE TABLE words (sentence int, t int, word text, question int);
CREATE TABLE members (id int, party text, v1 text, v2 text, v3 text, v4 text, v5 text, v6 text, v7 text, v8 text,
                      v9 text, v10 text, v11 text, v12 text, v13 text, v14 text, v15 text, v16 text);
\copy doc_word FROM PROGRAM 'gzip -dc examples/ap/doc_word.csv.gz' WITH (FORMAT csv, HEADER)
\copy games FROM PROGRAM 'gzip -dc examples/football/games.csv.gz' WITH (FORMAT csv, HEADER)
\copy flowers FROM PROGRAM 'gzip -dc examples/iris/flowers.csv.gz' WITH (FORMAT csv, HEADER)
\copy eruptions FROM PROGRAM 'gzip -dc examples/faithful/eruptions.csv.gz' WITH (FORMAT csv, HEADER)
\copy words FROM PROGRAM 'gzip -dc examples/english-sentences/words.csv.gz' WITH (FORMAT csv, HEADER)
\copy members FROM PROGRAM 'gzip -dc examples/house-votes/votes.csv.gz' WITH (FORMAT csv, HEADER)
CREATE TABLE articles AS SELECT doc, tlv_bag_agg(word, n) AS bag FROM doc_word GROUP BY doc;
CREATE TABLE sentences AS
SELECT sentence, tlv_bag_agg(word) AS bag, array_agg(word ORDER BY t) AS words FROM words GROUP BY sentence;
CREATE TABLE votes AS
SELECT id, question, vote FROM members,
LATERAL unnest(ARRAY[v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16]) WITH ORDINALITY AS q(vote, question);
CREATE TABLE answers AS SELECT id, array_agg(vote ORDER BY question) AS answers FROM votes GROUP BY id;
ANALYZE;

-- Fits and prints: the call of a driver, and the query of the labels of $1, the model. Every call is made at three seeds.
CREATE FUNCTION fitted(name text, call text, rows text) RETURNS TABLE (fit text, components int, labels text) LANGUAGE plpgsql AS $$
DECLARE model tlv_model;
BEGIN
    FOR seed IN 1 .. 3 LOOP
        fit := name || ', seed ' || seed;
        EXECUTE 'SELECT ' || replace(call, 'SEED', seed::text) INTO model;
        components := count(*) FROM tlv_components(model);
        EXECUTE 'SELECT string_agg(label::text, '' '' ORDER BY id) FROM (' || rows || ') AS l' INTO labels USING model;
        RETURN NEXT;
    END LOOP;
END $$;

\set documents '''SELECT doc AS id, tlv_assign($1, bag) AS label FROM articles'''
SELECT f.* FROM (VALUES ('10', 'k => 10'), ('20', 'k => 20'), ('20 anchors', $$k => 20, method => 'anchors'$$), ('chosen', 'max_k => 30')) AS o(name, option),
    fitted('ap, topics, ' || name, format('tlv_lda(''SELECT bag FROM articles'', seed => SEED, %s)', option), :documents) f;

\set nodes '''SELECT DISTINCT ON (node) node AS id, community AS label FROM tlv_memberships($1) ORDER BY node, membership DESC, community'''
SELECT f.* FROM (VALUES ('11', 'k => 11'), ('11 mixed', 'k => 11, alpha0 => .5'), ('12', 'k => 12'), ('chosen', 'k => NULL'), ('chosen, corrected', 'degree_corrected => true')) AS o(name, option),
    fitted('football, communities, ' || name, format('tlv_mmsb(''SELECT team_a, team_b FROM games'', seed => SEED, %s)', option), :nodes) f;

SELECT f.* FROM (VALUES ('3', 'k => 3'), ('chosen', 'k => NULL'), ('3 spherical', $$k => 3, covariance => 'spherical'$$), ('3 diagonal', $$k => 3, covariance => 'diagonal'$$),
        ('3 full', $$k => 3, covariance => 'full'$$), ('3 heavy tails', $$k => 3, tails => 't'$$)) AS o(name, option),
    fitted('iris, mixture, ' || name, format('tlv_gmm(''SELECT ARRAY[a, b, c, d] FROM flowers'', seed => SEED, %s)', option),
        'SELECT id, tlv_assign($1, ARRAY[a, b, c, d]) AS label FROM flowers') f;
SELECT f.* FROM (VALUES ('2', 'k => 2'), ('chosen', 'k => NULL'), ('3', 'k => 3')) AS o(name, option),
    fitted('faithful, mixture, ' || name, format('tlv_gmm(''SELECT ARRAY[eruptions, waiting] FROM eruptions'', seed => SEED, %s)', option),
        'SELECT id, tlv_assign($1, ARRAY[eruptions, waiting]) AS label FROM eruptions') f;
SELECT f.* FROM (VALUES ('2', 'k => 2'), ('3 full', $$k => 3, covariance => 'full'$$), ('chosen', 'k => NULL')) AS o(name, option),
    fitted('faithful, states, ' || name, format('tlv_hmm(''SELECT 1, id, ARRAY[eruptions, waiting / 12] FROM eruptions'', seed => SEED, %s)', option),
        'SELECT state.ordinality AS id, state AS label FROM unnest(tlv_viterbi($1, (SELECT array_agg(ARRAY[eruptions, waiting / 12] ORDER BY id) FROM eruptions))) WITH ORDINALITY state') f;

SELECT f.* FROM (VALUES ('10', 'k => 10'), ('chosen', 'k => NULL')) AS o(name, option),
    fitted('english-sentences, topics, ' || name, format('tlv_lda(''SELECT bag FROM sentences'', seed => SEED, %s)', option),
        'SELECT sentence AS id, tlv_assign($1, bag) AS label FROM sentences') f;
SELECT f.* FROM (VALUES ('4', 'k => 4'), ('12', 'k => 12')) AS o(name, option),
    fitted('english-sentences, states, ' || name, format('tlv_hmm(''SELECT sentence, t, word FROM words'', seed => SEED, %s)', option),
        'SELECT sentence AS id, tlv_viterbi($1, words) AS label FROM sentences') f;

SELECT f.* FROM (VALUES ('2', 'k => 2'), ('4', 'k => 4'), ('chosen', 'k => NULL'), ('chosen, BIC', $$criterion => 'bic'$$)) AS o(name, option),
    fitted('house-votes, classes, ' || name, format('tlv_lca(''SELECT id, question, vote FROM votes'', seed => SEED, %s)', option),
        'SELECT id, tlv_assign($1, answers) AS label FROM answers') f;
SELECT f.* FROM (VALUES ('2', 'k => 2'), ('4', 'k => 4')) AS o(name, option),
    fitted('house-votes, memberships, ' || name, format('tlv_gom(''SELECT id, question, vote FROM votes'', seed => SEED, %s)', option),
        'SELECT id, tlv_assign($1, answers) AS label FROM answers') f;
