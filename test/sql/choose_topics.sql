-- The number of topics that tlv_lda chooses: by new words of held-out documents, the least k within a standard error of the best.
\pset null '(null)'
SET client_min_messages = error;
CREATE SCHEMA choose_topics;
SET search_path = choose_topics, public;
-- Planted topics: exact for nearly every seed.
CREATE TABLE planted AS
  SELECT t.*, seed, (SELECT count(*) FROM tlv_lda(format('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(%s, %s, alpha0 => %s, concentration => %s, seed => %s), %s, %s, seed => %5$s)',
    items, topics, alpha0, concentration, seed, documents, length)) AS m, tlv_topics(m)) AS found
  FROM (VALUES (3, 200, 1.0, 0.5, 600, 30), (5, 300, 1.0, 0.05, 500, 40), (6, 300, 1.0, 0.05, 500, 40)) t(topics, items, alpha0, concentration, documents, length), generate_series(1, 3) seed;
SELECT topics, count(*) AS sets, count(*) FILTER (WHERE found = topics) AS exact FROM planted GROUP BY 1 ORDER BY 1;
-- Short texts of eight groups that share no word: it was one topic.
CREATE TABLE short AS
  SELECT d, w, (SELECT tlv_bag_agg(1 + d % 8 * 40 + ('x' || substr(md5(w || '/' || d || '/' || j), 1, 6))::bit(24)::int % 40) AS bag FROM generate_series(1, w) j)
  FROM generate_series(1, 800) d, unnest('{2,3}'::int[]) w;
SELECT w AS words, (SELECT count(*) FROM tlv_lda(format('SELECT bag FROM short WHERE w = %s', w)) AS m, tlv_topics(m)) AS topics FROM (VALUES (2), (3)) v(w);
-- Words in bursts, without topics: documents that draw their shares about those of the corpus.  All words would be predicted the better the more topics there are.
CREATE TABLE bursts AS
  SELECT d AS doc, 1 + floor(power(300, (((hashtextextended(d || '/' || CASE WHEN j % 3 = 0 THEN j ELSE j % 9 END, 7) % 1000003) + 1000003) % 1000003) / 1000003.0))::int AS item, count(*) AS n
  FROM generate_series(1, 300) d, generate_series(1, 60) j GROUP BY 1, 2;
SELECT count(*) AS topics, (SELECT string_agg(code, ' ') FROM tlv_warnings(m) WHERE code = 'no_structure') AS said
FROM (SELECT tlv_lda('SELECT doc, item, n FROM bursts') AS m OFFSET 0) q, tlv_topics(m) GROUP BY m;
-- The model says how it was chosen, tlv_suggest_k shows the same, and k within an error of the best is chosen; gain is beside it.
CREATE TABLE docs AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(200, 4, concentration => 0.1, seed => 3), 500, 40, seed => 4);
CREATE TABLE fits AS SELECT tlv_lda('SELECT bag FROM docs') AS model;
SELECT k, round(score::numeric, 2) AS score, chosen FROM fits, tlv_suggest_k(model) ORDER BY k;
SELECT count(*) AS points, bool_and(s.score = m.score AND s.standard_error = m.standard_error AND s.chosen = m.chosen) AS same
FROM fits, tlv_suggest_k(model) m JOIN tlv_suggest_k('SELECT bag FROM docs', 'held_out') s USING (k);
SELECT bool_and(k = 4) FILTER (WHERE chosen AND criterion = 'held_out') AS held_out, bool_and(k <= 4) FILTER (WHERE chosen AND criterion = 'gain') AS gain, count(DISTINCT criterion) AS criteria,
  min(score) FILTER (WHERE criterion = 'gain') AS least, max(score) FILTER (WHERE criterion = 'gain') AS most FROM tlv_suggest_k('SELECT bag FROM docs');
-- The limit: max_k, by default half of the documents.
SELECT count(*) AS topics, (SELECT message FROM tlv_warnings(m) WHERE code = 'k_at_limit') AS said FROM (SELECT tlv_lda('SELECT bag FROM docs', max_k => 3) AS m OFFSET 0) q, tlv_topics(m) GROUP BY m;
SELECT max(k) AS half FROM tlv_suggest_k('SELECT bag FROM docs WHERE doc % 9 = 0', 'held_out');
-- The same plan by plan: a second fit, rows the other way round.
SELECT (SELECT array_agg((k, score) ORDER BY k) FROM tlv_suggest_k(model))
  = (SELECT array_agg((k, score) ORDER BY k) FROM tlv_suggest_k(tlv_lda('SELECT bag FROM docs ORDER BY doc DESC'))) AS same FROM fits;
DROP SCHEMA choose_topics CASCADE;
