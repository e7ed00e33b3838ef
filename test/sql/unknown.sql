-- Rows of which a model knows nothing, coherence of small vocabularies, and the names under which errors are caught.
\pset null '(null)'
SELECT setseed(.5);
CREATE SCHEMA unknown;
SET search_path = unknown, public;
CREATE TABLE answers AS SELECT (g % 2)::text AS a, ((g + (g % 7 = 0)::int) % 2)::text AS b, ((g + (g % 11 = 0)::int) % 2)::text AS c, ((g + (g % 13 = 0)::int) % 2)::text AS d
  FROM generate_series(1, 300) g;
CREATE TABLE texts AS SELECT to_tsvector('simple', CASE WHEN g % 2 = 0 THEN 'cat dog cat' ELSE 'tax vote tax' END) AS t FROM generate_series(1, 60) g;
CREATE TABLE models AS
  SELECT 'topics' AS name, tlv_lda('SELECT t FROM unknown.texts', k => 2) AS m
  UNION ALL SELECT 'symbols', tlv_hmm('SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(4, 2, seed => 1), 30, 30, seed => 1)', 2)
  UNION ALL SELECT 'sequences', tlv_hmm('SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(dimensions => 2, k => 2, seed => 1), 30, 30, seed => 1)', 2)
  UNION ALL SELECT 'classes', tlv_lca('SELECT * FROM unknown.answers', k => 2, layout => 'wide')
  UNION ALL SELECT 'membership', tlv_gom('SELECT * FROM unknown.answers', k => 2, alpha0 => 0.5, layout => 'wide')
  UNION ALL SELECT 'mixture', tlv_gmm('SELECT ARRAY[10 * a::int + random(), random()] AS x FROM unknown.answers', k => 2);
CREATE FUNCTION assigned(m tlv_model, x text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  component int;
  steps int;
BEGIN
  EXECUTE format('SELECT count(*) FROM tlv_top($1, %s)', x) INTO steps USING m;
  IF tlv_kind(m) ~ 'hmm|hidden' THEN
    RETURN steps || ' steps';
  END IF;
  EXECUTE format('SELECT tlv_assign($1, %s)', x) INTO component USING m;
  RETURN CASE WHEN component IS NULL THEN 'NULL' ELSE 'known' END || ', ' || steps || ' rows';
END $$;
SELECT name, x, assigned(m, x) FROM models JOIN (VALUES
  (1, 'topics', 'to_tsvector(''simple'', ''cat'')'), (2, 'topics', 'to_tsvector(''simple'', ''cat zebra'')'), (3, 'topics', 'to_tsvector(''simple'', '''')'), (4, 'topics',
    'to_tsvector(''simple'', ''zebra'')'),
  (5, 'symbols', '''{0,99,1}''::bigint[]'), (6, 'symbols', '''{99,98}''::bigint[]'), (7, 'symbols', '''{NULL,NULL}''::bigint[]'), (8, 'sequences', '''{{1,NULL},{NULL,NULL}}''::float8[]'),
  (9, 'sequences', '''{{NULL,NULL},{NULL,NULL}}''::float8[]'), (10, 'classes', '''{1,NULL,NULL,NULL}''::text[]'), (11, 'classes', '''{q,NULL,NULL,NULL}''::text[]'), (12, 'classes',
    '''{NULL,NULL,NULL,NULL}''::text[]'),
  (13, 'membership', '''{1,q,NULL,NULL}''::text[]'), (14, 'membership', '''{q,q,NULL,q}''::text[]'), (15, 'mixture', '''{1,NULL}''::float8[]'), (16, 'mixture',
    '''{NULL,NULL}''::float8[]')) r(n, name, x) USING (name) ORDER BY n;
-- how many words of a document the model does not know
SELECT doc, tlv_bag_size(tlv_to_bag(t)) - tlv_bag_size(tlv_bag_keep(tlv_to_bag(t), array_agg(item_name))) AS unknown
FROM models, tlv_topic_items(m, 100), (VALUES (1, to_tsvector('simple', 'cat zebra')), (2, to_tsvector('simple', 'cat dog')), (3, to_tsvector('simple', 'emu zebra'))) d(doc, t)
  WHERE name = 'topics' GROUP BY doc, t ORDER BY doc;
-- and how many neighbours, symbols, categories and answers, as the page on outliers counts them
SELECT b AS neighbours, tlv_bag_size(b) - tlv_bag_size(tlv_bag_keep(b, (SELECT array_agg(node) FROM tlv_memberships(m)))) AS unknown
FROM (SELECT tlv_mmsb('SELECT a, b FROM generate_series(1, 9) a, generate_series(1, 9) b WHERE a < b', 1) AS m) g, unnest(ARRAY['{1:1,2:1}', '{1:1,77:2}', '{77:1,78:1}']::tlv_bag[]) b;
SELECT s AS symbols, (SELECT count(*) FROM unnest(s) u WHERE u NOT IN (SELECT symbol FROM tlv_emissions(m))) AS unknown
FROM models, (VALUES ('{1,2,3}'::bigint[]), ('{1,99,NULL}'), ('{98,99}')) v(s) WHERE name = 'symbols';
SELECT name, r, (SELECT count(*) FROM jsonb_each_text(to_jsonb(r)) c WHERE (c.key, c.value) NOT IN (SELECT variable_name, category_name FROM tlv_categories(m))) AS unknown,
  tlv_assign(m, r) IS NULL AS nothing
FROM models, (SELECT '1' AS a, '0' AS b, NULL::text AS c, '1' AS d UNION ALL SELECT '1', 'maybe', 'q', NULL UNION ALL SELECT 'q', NULL, NULL, 'q') r WHERE name IN ('classes', 'membership')
  ORDER BY name, unknown;
SELECT w AS workers, x AS answers, (SELECT count(*) FROM unnest(w, x) a(w, x) WHERE (a.w, a.x) NOT IN (SELECT worker_name, given_answer_name FROM tlv_confusions(m))) AS unknown
FROM (SELECT tlv_crowd('SELECT i, ''w'' || w, (CASE WHEN (i + w) % 7 = 0 THEN 1 - i % 2 ELSE i % 2 END)::text FROM generate_series(1, 40) i, generate_series(1, 3) w') AS m) c,
  (VALUES (ARRAY['w1', 'w2'], ARRAY['0', '1']), (ARRAY['w1', 'w9'], ARRAY['2', '1']), (ARRAY['w1', 'w1'], ARRAY['1', NULL])) v(w, x);
-- rows with categories that the model does not know are counted in one warning of the statement: those in rows, arrays, long rows, statistics, views and trees
SELECT count(tlv_assign(m, ROW(CASE WHEN a <> b THEN 'q' ELSE a END, b, c, d))) AS classes, count(*) FILTER (WHERE a <> b) AS unknown FROM models, answers WHERE name = 'classes';
SELECT count(tlv_infer(m, ARRAY[a, b, c, CASE WHEN b <> c THEN 'no' END])) AS membership, count(*) FILTER (WHERE b <> c) AS unknown FROM models, answers WHERE name = 'membership';
SELECT count(tlv_log_likelihood(m, ROW(ARRAY['a', 'd'], ARRAY[a, d || '?']))) AS long_rows FROM models, answers WHERE name = 'classes';
SELECT tlv_info(tlv_update(m, tlv_statistics(s, m))) ->> 'kind' AS updated FROM models, (SELECT ARRAY[a, b, c, 'maybe'] AS s FROM answers LIMIT 20) s WHERE name = 'classes' GROUP BY m;
SELECT count(tlv_assign(m, ROW(a, b, CASE WHEN a <> b THEN '7' ELSE c END))) AS views FROM answers, (SELECT tlv_multiview('SELECT a, b, c FROM unknown.answers', 2) AS m OFFSET 0) v;
-- a row whose first view is missing is assigned by the others, one without views by none
SELECT count(tlv_assign(m, ROW(NULL::text, b, c))) = count(*) AS by_two, count(tlv_assign(m, ROW(NULL::text, NULL::text, NULL::text))) AS by_none
  FROM answers, (SELECT tlv_multiview('SELECT a, b, c FROM unknown.answers', 2) AS m OFFSET 0) v;
SELECT count(tlv_log_likelihood(m, ROW(a, b, 'x', d))) AS tree FROM answers, (SELECT tlv_tree('SELECT a, b, c, d FROM unknown.answers', layout => 'wide') AS m OFFSET 0) t;
-- nothing is unknown that is missing
SELECT count(tlv_assign(m, ROW(a, b, NULL, d))) AS missing FROM models, answers WHERE name = 'classes';
SET tensorlv.warnings = off;
SELECT count(tlv_assign(m, ROW(a, b, 'q', d))) AS quiet FROM models, answers WHERE name = 'classes';
RESET tensorlv.warnings;
-- the hint at mixed memberships works
SELECT tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', k => 2, alpha0 => .1, refine => 'likelihood');
SELECT tlv_kind(tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND a % 2 = b % 2', k => 2, alpha0 => .1, refine => 'em'));
-- the default top is that of the vocabulary where it is smaller
SELECT count(*) AS topics, count(*) FILTER (WHERE umass = 'NaN') AS not_numbers FROM models, LATERAL (SELECT tlv_coherence(tlv_to_bag(t), m) AS c FROM texts) q,
  tlv_coherence(c) WHERE name = 'topics';
SELECT npmi, umass FROM models, LATERAL (SELECT tlv_coherence(tlv_to_bag(ARRAY['zebra' || left(t::text, 0)]), m) AS c FROM texts) q, tlv_coherence(c) WHERE name = 'topics';
-- every condition of the page of errors can be caught by what stands there
CREATE TABLE page (line text);
\copy page FROM 'docs/reference/errors.md' WITH (FORMAT csv, DELIMITER E'\b', QUOTE E'\f')
CREATE FUNCTION caught(state text, condition text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DO $x$ BEGIN RAISE EXCEPTION USING errcode = %L, message = ''x''; EXCEPTION WHEN %s THEN NULL; END $x$', state, condition);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  RETURN false;
END $$;
SELECT count(*) > 10 AS conditions, array_agg(DISTINCT part[1]) FILTER (WHERE NOT caught(part[1], part[2])) AS not_caught FROM page, regexp_match(line,
  '^\| ([0-9A-Z]{5}) \| `([^`]+)`') part WHERE part IS NOT NULL;
