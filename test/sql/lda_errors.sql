-- Bad input: every error with its SQLSTATE, message, detail and hint.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE err_docs AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(40, 3, alpha0 => 0.3, seed => 2), 300, 30, seed => 2);
CREATE TABLE err_rows AS SELECT doc, item, weight AS n FROM err_docs, tlv_bag_items(bag);
CREATE TABLE err_values AS
  SELECT tlv_count_summary(bag) AS summary, tlv_count_moments(bag) AS pairs, NULL::tlv_subspace AS s, NULL::tlv_moments AS products, NULL::tlv_moments AS triples, NULL::tlv_model AS m FROM err_docs;
UPDATE err_values SET s = tlv_find_subspace(pairs, 3);
UPDATE err_values SET products = (SELECT tlv_count_products(bag, s) FROM err_docs), triples = (SELECT tlv_count_moments(bag, s) FROM err_docs);
UPDATE err_values SET m = tlv_fit_lda(triples);

-- at top level, as psql shows it
SELECT tlv_lda('SELECT bag FROM err_docs', k => 0);
\echo :SQLSTATE
SELECT tlv_lda('SELECT bag FROM err_docs WHERE false', k => 2);
\echo :SQLSTATE
SELECT tlv_lda('SELECT nothing FROM err_docs', k => 2);
\echo :SQLSTATE
SELECT tlv_lda('SELECT bag FRM err_docs', k => 2);
\echo :SQLSTATE

-- k
SELECT k, pg_temp.outcome(format('SELECT tlv_fit_lda(triples, k => %s) IS NOT NULL FROM err_values', k)) AS fit FROM unnest(ARRAY[-1, 0, 1, 3, 4, 1000000000]) k;
SELECT k, pg_temp.outcome(format('SELECT tlv_find_subspace(summary, k => %s) IS NOT NULL FROM err_values', k)) AS summary,
       pg_temp.outcome(format('SELECT tlv_find_subspace(pairs, k => %s) IS NOT NULL FROM err_values', k)) AS pairs FROM unnest(ARRAY[-1, 0, 1, 41, 2000000000]) k;
SELECT pg_temp.outcome('SELECT tlv_find_subspace(summary) FROM err_values') AS no_k, pg_temp.outcome('SELECT tlv_find_subspace(products, k => 14) FROM err_values') AS more_than_block;
SELECT k, pg_temp.outcome(format('SELECT count(*) FROM tlv_topics(tlv_lda(''SELECT bag FROM err_docs'', k => %s))', k)) AS driver FROM unnest(ARRAY[-1, 0, 41, 301, 2000000000]) k;
SELECT pg_temp.outcome('SELECT count(*) FROM tlv_topics((SELECT tlv_lda(''SELECT bag FROM err_docs'', k => 1)))') AS one;
SELECT pg_temp.outcome('SELECT tlv_lda(''SELECT bag FROM err_docs'', max_k => 0)') AS max_k,
       pg_temp.outcome('SELECT tlv_suggest_k(''SELECT bag FROM err_docs'', max_k => 0)') AS suggest;
-- more than the data identify: two kinds of documents only
CREATE TABLE err_two AS SELECT CASE i % 2 WHEN 0 THEN '{1:4,2:4,3:4}'::tlv_bag ELSE '{4:4,5:4,6:4}' END AS bag FROM generate_series(1, 200) i;
SELECT refine, pg_temp.outcome(format('SELECT message FROM tlv_warnings(tlv_lda(''SELECT bag FROM err_two'', k => 4, refine => %L)) WHERE code = ''not_identified''', refine)) AS driver
FROM unnest(ARRAY['none', 'gibbs']) refine;
CREATE TABLE err_two_moments AS
  SELECT tlv_count_moments(bag, s) AS m FROM err_two, (SELECT tlv_find_subspace(tlv_count_moments(bag), 4) AS s FROM err_two) t;
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_fit_lda(m, 4, alpha0 => 1) FROM err_two_moments'), '(second moment: [0-9.]*)[^\n]*', '\1 ...') AS not_identified;
SELECT pg_temp.outcome('SELECT tlv_fit_lda(m, 4) FROM err_two_moments') LIKE E'22000: the data do not identify 4 topics\n  DETAIL: Eigenvalues of the second moment: %, '
  '%\n  HINT: At most % are positive: use a smaller k, more documents, or see tlv_suggest_k.' AS searched;

-- other parameters
SELECT a, pg_temp.outcome(format('SELECT tlv_fit_lda(triples, alpha0 => %L) IS NOT NULL FROM err_values', a)) AS alpha0 FROM unnest('{-1,-1e-300,NaN,Infinity,1e7,0,1e6}'::text[]) a;
SELECT pg_temp.outcome('SELECT tlv_fit_lda(triples, method => ''newton'') FROM err_values') AS method;
SELECT name, v, pg_temp.outcome(format('SELECT tlv_fit_lda(triples, %I => %s) IS NOT NULL FROM err_values', name, v)) AS outcome
FROM (VALUES ('seed', '-1'), ('seed', '9007199254740992'), ('seed', '9007199254740991'), ('restarts', '0'), ('restarts', '-5'), ('steps', '0')) q(name, v);
SELECT name, v, pg_temp.outcome(format('SELECT tlv_lda(''SELECT bag FROM err_docs'', 3, %I => %s)', name, v)) AS outcome
FROM (VALUES ('alpha0', '-1'), ('method', '''x'''), ('seed', '-1'), ('refine', '''em'''), ('iterations', '-1'), ('counts', '''log'''), ('min_documents', '-1'), ('min_documents', '1000')) q(name, v);
SELECT pg_temp.outcome('SELECT tlv_find_subspace(summary, 2, min_documents => -1) FROM err_values') AS negative,
       pg_temp.outcome('SELECT tlv_find_subspace(summary, 2, min_documents => 1000) FROM err_values') AS nothing_left,
       pg_temp.outcome('SELECT tlv_find_subspace(summary, 2, seed => -1) FROM err_values') AS seed;
SELECT pg_temp.outcome('SELECT * FROM tlv_topic_items((SELECT m FROM err_values), top => 0)') AS top, pg_temp.outcome('SELECT tlv_coherence(bag, m, 1) FROM err_docs, err_values') AS top_1,
       pg_temp.outcome('SELECT tlv_coherence(bag, m, 101) FROM err_docs, err_values') AS top_101, pg_temp.outcome('SELECT tlv_statistics(bag, m, ''em'') FROM err_docs, err_values') AS method;

-- documents: short ones are skipped and counted, an error when too few remain
SELECT pg_temp.outcome('SELECT tlv_info(tlv_count_summary(b))->>''skipped'' FROM unnest(ARRAY[''{1:2}'', ''{}'', ''{1:3}'']::tlv_bag[]) b') AS skipped;
SELECT q, pg_temp.outcome(format('SELECT count(*) FROM tlv_topics(tlv_lda(%L, k => 2))', q)) AS outcome
FROM unnest(ARRAY['SELECT bag FROM err_docs WHERE false', 'SELECT NULL::tlv_bag FROM err_docs', 'SELECT ''{}''::tlv_bag FROM err_docs',
                  'SELECT ''{1:1,2:1}''::tlv_bag FROM err_docs', 'SELECT ''{1:2,2:2}''::tlv_bag',
  'SELECT doc, item, n FROM err_rows WHERE false', 'SELECT NULL::int, 1, 1', 'SELECT 1, NULL::text, 1', 'SELECT 1, 1, NULL::int']) q;
SELECT pg_temp.outcome('SELECT tlv_find_subspace(tlv_count_moments(bag), 4) FROM err_docs WHERE doc <= 3') AS three_documents,
       pg_temp.outcome('SELECT array_agg(k || criterion) FROM tlv_suggest_k(''SELECT bag FROM err_docs WHERE doc = 1'') WHERE chosen') AS one_document,
       pg_temp.outcome('SELECT code FROM tlv_warnings(tlv_lda(''SELECT bag FROM err_docs WHERE doc = 1''))') AS k_of_one,
       pg_temp.outcome('SELECT tlv_suggest_k(''SELECT bag FROM err_docs WHERE false'')') AS k_of_none;
SELECT pg_temp.outcome('SELECT code FROM tlv_warnings(tlv_lda(''SELECT tlv_to_bag(ARRAY[doc * 3, doc * 3 + 1, doc * 3 + 2]) FROM err_docs''))') AS nothing_in_common;

-- counts
SELECT n, pg_temp.outcome(format($$SELECT tlv_lda('SELECT doc, item, CASE doc WHEN 7 THEN float8 ''%s'' ELSE n END FROM err_rows', k => 2)$$, n)) AS outcome
FROM unnest('{-1,-0.5,1.5,NaN,Infinity,-Infinity}'::text[]) n;
SELECT tlv_lda('SELECT doc, item, n FROM err_rows UNION ALL SELECT doc, item + 1000, 0 FROM err_rows', 2) = tlv_lda('SELECT doc, item, n FROM err_rows', 2) AS zeros_left_out,
       tlv_lda('SELECT doc, item, n * (doc <> 7)::int FROM err_rows', 2) = tlv_lda('SELECT bag FROM err_docs WHERE doc <> 7 UNION ALL SELECT ''{}''', 2) AS empty_document;
SELECT call, pg_temp.outcome(format('SELECT %s FROM (VALUES (''{1:1.5,2:3}''::tlv_bag)) v(bag), err_values', call)) AS not_integer
FROM unnest(ARRAY['tlv_count_summary(bag)', 'tlv_count_moments(bag)', 'tlv_count_moments(bag, s)', 'tlv_count_products(bag, s)',
                  'tlv_statistics(bag, m)', 'tlv_perplexity(bag, m)', 'tlv_infer(m, bag)']) call;
SELECT pg_temp.outcome('SELECT tlv_count_summary(''{1:1e300}''::tlv_bag)') AS too_long,
       pg_temp.outcome('SELECT (tlv_info(tlv_count_summary(''{1:9007199254740000}''::tlv_bag))->>''tokens'')') AS just_fits;
SELECT pg_temp.outcome('SELECT tlv_infer(m, ''{1:1e15}'') IS NOT NULL FROM err_values') AS long_inference;

-- ids near the ends of bigint are ids as all others
SELECT count(*) AS topics, bool_and(item IN (-9223372036854775808, -9223372036854775807, 0, 9223372036854775806, 9223372036854775807)) AS known
FROM tlv_topic_items((SELECT tlv_lda($$SELECT doc, CASE doc % 2 WHEN 0 THEN CASE i % 3 WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807
                                     ELSE 0 END ELSE CASE i % 2 WHEN 0 THEN -9223372036854775807 ELSE 9223372036854775806 END END::bigint AS item, 1 + (doc + i) % 3
  FROM generate_series(1, 200) doc, generate_series(1, 6) i$$, k => 2, alpha0 => 0.1))) WHERE probability > 0.05;

-- the query: columns
SELECT q, pg_temp.outcome(format('SELECT tlv_lda(%L, k => 2)', q)) AS outcome
FROM unnest(ARRAY['SELECT 1', 'SELECT ''{1:2}''', 'SELECT doc, bag, bag FROM err_docs', 'SELECT doc, item, n, n FROM err_rows',
                  'SELECT doc, n::float8, n FROM err_rows', 'SELECT doc, item, n::text FROM err_rows',
  'SELECT FROM err_docs', 'SELECT summary FROM err_values']) q;
-- fails
SELECT q, pg_temp.outcome(format('SELECT tlv_lda(%L, k => 2)', q)) AS outcome
FROM unnest(ARRAY['SELECT bag FROM no_such_table', 'SELECT 1/0, 1, 1', 'SELECT doc, item, n / (doc - 7) FROM err_rows', 'SELEC bag',
                  'SELECT bag FROM err_docs WHERE', 'SELECT bag FROM err_docs) AS x, (SELECT 1', 'SELECT $1::tlv_bag']) q;
-- is none, or several
SELECT q, pg_temp.outcome(format('SELECT tlv_lda(%L, k => 2) IS NOT NULL', q)) AS outcome
FROM unnest(ARRAY['', '  ', ';', E';\n;', '-- nothing', '/* nothing */', 'SELECT bag FROM err_docs; SELECT bag FROM err_docs',
                  'SELECT bag FROM err_docs; DROP TABLE err_docs', 'SELECT bag FROM err_docs /* open', 'SELECT bag FROM err_docs WHERE doc < 3; -- two',
                  'SELECT bag FROM err_docs) AS x, (SELECT 1']) q;
-- writes
CREATE TABLE err_log (n int);
CREATE SEQUENCE err_numbers;
CREATE FUNCTION err_writes() RETURNS tlv_bag LANGUAGE plpgsql VOLATILE AS $$ BEGIN INSERT INTO err_log VALUES (1); RETURN '{1:3}'; END $$;
CREATE FUNCTION err_claims() RETURNS tlv_bag LANGUAGE plpgsql STABLE AS $$ BEGIN INSERT INTO err_log VALUES (1); RETURN '{1:3}'; END $$;
SELECT q, pg_temp.outcome(format('SELECT tlv_lda(%L, k => 1)', q)) AS outcome
FROM unnest(ARRAY['INSERT INTO err_docs SELECT * FROM err_docs RETURNING bag', 'UPDATE err_docs SET doc = 1 RETURNING bag',
                  'DELETE FROM err_docs RETURNING bag', 'WITH x AS (INSERT INTO err_docs SELECT * FROM err_docs RETURNING bag) SELECT bag FROM x',
  'WITH x AS (DELETE FROM err_docs RETURNING bag) SELECT bag FROM x', 'SELECT bag FROM err_docs FOR UPDATE', 'CREATE TABLE err_new AS SELECT bag FROM err_docs',
  'DROP TABLE err_docs', 'SELECT bag INTO err_new FROM err_docs', 'COPY err_docs TO STDOUT', 'VACUUM',
  'EXPLAIN SELECT bag FROM err_docs', 'SELECT err_claims() FROM err_docs']) q;
SELECT pg_temp.outcome('SELECT tlv_lda(''SELECT err_writes() FROM err_docs'', k => 1)') AS function_that_writes,
       pg_temp.outcome('SELECT tlv_lda(''SELECT nextval(''''err_numbers''''), 1, 3'', k => 1)') AS sequence,
       pg_temp.outcome('SELECT tlv_suggest_k(''SELECT err_writes() FROM err_docs'')') AS suggest_k,
       pg_temp.outcome('SELECT tlv_lda(''SELECT doc, tlv_bag_size(err_writes()) FROM err_docs'', k => 1)') AS rows;
INSERT INTO err_log VALUES (0); -- the transaction, and the next, may write
SHOW transaction_read_only;
BEGIN;
SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM err_docs', k => 2)));
SHOW transaction_read_only;
INSERT INTO err_log VALUES (0);
SAVEPOINT a;
SELECT tlv_lda('SELECT err_writes() FROM err_docs', k => 1);
\echo :SQLSTATE
ROLLBACK TO a;
INSERT INTO err_log VALUES (0);
COMMIT;
SELECT count(*) AS documents, (SELECT count(*) FROM err_log) AS written FROM err_docs;

-- limits
SELECT pg_temp.outcome('SELECT tlv_info(tlv_count_moments(tlv_to_bag(ARRAY[i, i + 1, i + 2]::bigint[])))->''arrays''->>''items'' FROM generate_series(1, 8190) i') AS just_fits;
SELECT pg_temp.outcome('SELECT tlv_count_moments(tlv_to_bag(ARRAY[i, i + 1, i + 2]::bigint[])) FROM generate_series(1, 8191) i') AS vocabulary;
SET tensorlv.work_mem = '64kB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_fit_lda(tlv_count_moments(bag, s)) FROM err_docs, (SELECT tlv_find_subspace(tlv_count_moments(bag), 12) AS s FROM err_docs) q'),
                      '[0-9.]+ ?[kM]B', '...', 'g') AS work_mem;
RESET tensorlv.work_mem;
SET tensorlv.work_mem = '1kB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_fit_lda(triples) FROM err_values'), '[0-9.]+ ?[kM]B', '...', 'g') AS fit,
       regexp_replace(pg_temp.outcome('SELECT tlv_find_subspace(pairs, 3) FROM err_values'), '[0-9.]+ ?[kM]B', '...', 'g') AS subspace,
       regexp_replace(pg_temp.outcome('SELECT tlv_lda(''SELECT bag FROM err_docs'', 3)'), '[0-9.]+ ?[kM]B', '...', 'g') AS driver;
RESET tensorlv.work_mem;
CREATE TABLE err_wide AS SELECT tlv_to_bag(ARRAY[i % 400, i * i % 400, i * 7 % 400, i]::bigint[]) AS bag FROM generate_series(1, 400) i;
SET tensorlv.work_mem = -1;
SET maintenance_work_mem = '1MB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_fit_lda(tlv_count_moments(bag, s)) FROM err_wide, (SELECT tlv_find_subspace(tlv_count_summary(bag), 50) AS s FROM err_wide) q'),
                      '[0-9.]+ ?[kM]B', '...', 'g') AS maintenance_work_mem;
RESET maintenance_work_mem;
RESET tensorlv.work_mem;
\set VERBOSITY sqlstate
SET tensorlv.work_mem = -2;
\set VERBOSITY default
SET tensorlv.progress = 'loud';

-- images: text that is none, of another type, changed
SELECT t, pg_temp.outcome(format('SELECT %L::tlv_moments', t)) AS moments, pg_temp.outcome(format('SELECT %L::tlv_subspace', t)) AS subspace,
       pg_temp.outcome(format('SELECT %L::tlv_model', t)) AS model
FROM unnest(ARRAY['', 'x', ':', 'count_summary:', 'lda:AAAA', 'items:%%%%', 'lda:AQA=', 'nothing:AAAA']) t;
SELECT pg_temp.outcome(format('SELECT %L::tlv_model', summary)) AS moments_as_model, pg_temp.outcome(format('SELECT %L::tlv_moments', m)) AS model_as_moments,
       pg_temp.outcome(format('SELECT %L::tlv_moments', replace(summary::text, 'count_summary ', 'count_pairs '))) AS other_kind,
       pg_temp.outcome(format('SELECT %L::tlv_moments', left(summary::text, 200))) AS cut, pg_temp.outcome(format('SELECT %L::tlv_moments', summary::text || 'AAAA')) AS longer,
       pg_temp.outcome(format('SELECT %L::tlv_moments', overlay(summary::text PLACING CASE substr(summary::text, 900, 1) WHEN 'B' THEN 'C' ELSE 'B' END FROM 900 FOR 1))) AS one_digit
FROM err_values;
-- a later format version
SELECT pg_temp.outcome(format('SELECT %L::tlv_model', 'lda:' || translate(encode(overlay(tlv_model_send(m) PLACING '\x0900' FROM 1 FOR 2), 'base64'), E'\n', ''))) AS version FROM err_values;

-- wrong kinds of moments, subspaces, models
SELECT call, pg_temp.outcome(format('SELECT %s FROM err_values', call)) AS outcome
FROM unnest(ARRAY['tlv_fit_lda(summary, 3)', 'tlv_fit_lda(pairs, 3)', 'tlv_fit_lda(products, 3)', 'tlv_find_subspace(triples, 3)', 'tlv_update(m, triples)',
                  'tlv_suggest_k(triples, triples)', 'tlv_suggest_k(summary, triples)',
  'tlv_perplexity(summary)', '(SELECT count(*) FROM tlv_spectrum(summary))', '(SELECT count(*) FROM tlv_spectrum(pairs))',
  '(SELECT count(*) FROM tlv_spectrum(products))', '(SELECT count(*) FROM tlv_coherence(summary))', 'summary + pairs']) call;
SELECT pg_temp.outcome('SELECT tlv_fit_lda(tlv_count_moments(bag, ds)) FROM err_docs, (SELECT tlv_find_subspace(pairs, 3, distinct_pairs => true) AS ds FROM err_values) q') AS distinct_mode;
SELECT pg_temp.outcome('SELECT tlv_update(u, st)
    FROM (SELECT tlv_update(m, st) AS u, st FROM (SELECT m, tlv_statistics(bag, m) AS st FROM err_docs, err_values GROUP BY m) q) r') AS statistics_of_another_model,
       pg_temp.outcome('SELECT 1 / (tlv_update(m, st) = m)::int AS same FROM (SELECT m, tlv_statistics(''{77:5}''::tlv_bag, m) AS st FROM err_values GROUP BY m) q') AS no_known_item;

-- given models
SELECT a, pg_temp.outcome(format('SELECT tlv_topic_model(%s)', a)) AS outcome
FROM unnest(ARRAY['''{1}'', ''{1,2}'', ''{1}'', ''{1}''', '''{}'', ''{}'', ''{}'', ''{1}''', '''{1}'', ''{1}'', ''{1}'', ''{}''',
                  'NULL, ''{1}'', ''{1}'', ''{1}''', '''{1}'', ''{NULL}'', ''{1}'', ''{1}''', '''{0}'', ''{1}'', ''{1}'', ''{1}''',
  '''{2}'', ''{1}'', ''{1}'', ''{1}''', '''{1}'', ''{1}'', ''{1}'', ''{1,1}''', '''{1}'', ''{1}'', ''{-1}'', ''{1}''', '''{1}'', ''{1}'', ''{NaN}'', ''{1}''',
  '''{1}'', ''{1}'', ''{Infinity}'', ''{1}''', '''{1}'', ''{1}'', ''{0}'', ''{1}''',
  '''{1}'', ''{1}'', ''{1}'', ''{0}''', '''{1}'', ''{1}'', ''{1}'', ''{-1}''', '''{1}'', ''{1}'', ''{1}'', ''{NaN}''',
  '''{1}'', ''{1}'', ''{1}'', ''{Infinity}''', '''{1,1}'', ''{1,1}'', ''{1e308,1e308}'', ''{1}''']) a;
SELECT a, pg_temp.outcome(format('SELECT count(*) FROM tlv_simulate_lda_model(%s)', a)) AS outcome
FROM unnest(ARRAY['0, 2', '2, 0', '5, 2, alpha0 => 0', '5, 2, alpha0 => ''NaN''', '5, 2, concentration => -1', '5, 2, concentration => 1e-12',
                  '5, 2, seed => -1', '2000000000, 2000000000', 'NULL, 2']) a;
SELECT a, pg_temp.outcome(format('SELECT count(*) FROM err_values, tlv_simulate_lda(m, %s)', a)) AS outcome FROM unnest(ARRAY['-1', '1, 0', '1, 10000001', '1, 10, -1', 'NULL', '1']) a;
SELECT pg_temp.outcome('SELECT count(*) FROM tlv_simulate_lda((SELECT tlv_fit_lda(triples, alpha0 => 0) FROM err_values), 1)') AS single_topic;

-- the backend is as it was: everything still works
SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM err_docs', 3)));
DROP TABLE err_wide, err_docs, err_rows, err_values, err_two, err_two_moments, err_log;
DROP FUNCTION err_writes, err_claims;
DROP SEQUENCE err_numbers;
