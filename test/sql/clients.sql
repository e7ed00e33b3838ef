-- What clients send: parameters without a type, as PREPARE without types has them, and psycopg and JDBC.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE clients_models AS SELECT tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{3,1}') AS lda,
  tlv_topic_model(ARRAY[1, 2], ARRAY[tlv_term_id('whale'), tlv_term_id('ship')], '{1,1}', '{1,1}') AS words, tlv_simulate_gmm_model(3, 2, seed => 1) AS gmm,
  tlv_simulate_hmm_model(symbols => 3, seed => 1) AS hmm, tlv_simulate_hmm_model(dimensions => 2, seed => 3) AS signals, tlv_simulate_multiview_model('{2,3,2}', 3, seed => 2) AS views,
  tlv_simulate_lca_model(3, 2, seed => 1) AS lca,
    tlv_lca('SELECT CASE i % 3 WHEN 0 THEN ''red'' ELSE ''green'' END AS colour, i % 2 = 0 AS even, ''s'' || i % 3 AS size FROM generate_series(1, 60) i', 2,
  layout => 'wide') AS named, tlv_simulate_mmsb_model(9, 2, seed => 1) AS mmsb, tlv_mmsb('SELECT ''n'' || i % 7 AS a, ''n'' || i * i % 7 AS b FROM generate_series(1, 60) i', 2) AS nodes,
  tlv_simulate_ica_model(3, seed => 4) AS ica, tlv_simulate_tree_model(4, seed => 5) AS tree;

-- bags: arrays of items and of terms, bags and lexemes in their text form, with weights and without
PREPARE bags AS SELECT tlv_to_bag($1), tlv_to_bag($2), tlv_to_bag($3), tlv_to_bag($4), tlv_to_bag($5, $6), tlv_to_bag($7, $8);
EXECUTE bags ('{1,2,2}', '{cat,dog}', '{1:2,3:0.5}', '''cat'':1 ''dog'':2,3', '{1,2}', '{0.5,3}', '{cat,dog}', '{1,2}');
EXECUTE bags ('{}', '', ' { } ', NULL, '{}', '{}', '{"1:2"}', '{3}');
SELECT tlv_to_bag('{1,2,2}') = tlv_to_bag(ARRAY[1, 2, 2]) AS items, tlv_to_bag('{cat,"two words",NULL_}') = tlv_to_bag(ARRAY['cat', 'two words', 'NULL_']) AS terms,
  tlv_to_bag('{-1:2}') = '{-1:2}'::tlv_bag AS bag, tlv_to_bag(to_tsvector('simple', 'a b a')::text) = tlv_to_bag(to_tsvector('simple', 'a b a')) AS lexemes,
  tlv_to_bag('{2024,2025,x}') = tlv_to_bag(ARRAY['2024', '2025', 'x']) AS some_numbers, tlv_to_bag(varchar '{1}') = tlv_to_bag(ARRAY[1]) AS varchar;
SELECT pg_temp.outcome(format('SELECT tlv_to_bag(%L)', t)) FROM unnest(ARRAY['buffer overflow', 'whale', '{1,NULL}', '{1:2', '{1:-2}', '{1,2', '(1,2)', '[1,2]', '{99999999999999999999}', '''a']) t;

-- rows: the same as of the type
PREPARE documents AS SELECT tlv_infer(lda, $1) = tlv_infer(lda, tlv_bag '{1:3}') AS infer, tlv_assign(lda, $2) = tlv_assign(lda, tlv_bag '{2:1}') AS assign,
  tlv_log_likelihood(lda, $3) = tlv_log_likelihood(lda, ARRAY['{1:3}', NULL, '{2:1}']::tlv_bag[]) AS bags, (SELECT count(*) FROM tlv_top(words, $4, 2)) AS top,
  tlv_infer(words, $4) = tlv_infer(words, to_tsvector('simple', 'the whale')) AS lexemes, tlv_infer(lda, $5) = tlv_infer(lda, tlv_bag '{}') AS empty FROM clients_models;
EXECUTE documents ('{1:3}', ' {2:1}', '{"{1:3}",NULL,"{2:1}"}', '''the'':1 ''whale'':2', '');
PREPARE numbers AS SELECT tlv_infer(gmm, $1) = tlv_infer(gmm, ARRAY[1, 2, 3]) AS infer, tlv_infer(gmm, $2) = tlv_infer(gmm, ARRAY[1, 2, 3]) AS vector, tlv_assign(gmm,
  $3) = tlv_assign(gmm, ARRAY[1, 2, 3]) AS bounds,
  tlv_infer(gmm, $4) = tlv_infer(gmm, ARRAY[[1, 2, 3], [4, 5, 6]]) AS rows, tlv_impute(gmm, $5) = tlv_impute(gmm, ARRAY[1, NULL, 3]) AS impute,
  tlv_log_likelihood(gmm, $6) = tlv_log_likelihood(gmm, ARRAY[[1, 2, 3], [4, 5, 6]]) AS likelihood, (SELECT component FROM tlv_top(gmm, $1)) = tlv_assign(gmm, $1) AS top,
  tlv_unmix(ica, $1) = tlv_unmix(ica, ARRAY[1, 2, 3]) AS unmix, tlv_infer(views, $7) = tlv_infer(views, ARRAY[1, 2, 3, 4, 5, 6, 7]) AS views FROM clients_models;
EXECUTE numbers ('{1,2,3}', '[1,2,3]', '[0:2]={1,2,3}', '{{1,2,3},{4,5,6}}', '{1,NULL,3}', '[[1,2,3], [4,5,6]]', '{1,2,3,4,5,6,7}');
PREPARE sequences AS SELECT tlv_viterbi(hmm, $1) = tlv_viterbi(hmm, ARRAY[1, 2, 3]) AS viterbi, tlv_infer(signals, $2) = tlv_infer(signals, ARRAY[[1, 2], [3, 4.5]]) AS infer,
  (SELECT count(*) FROM tlv_forecast(hmm, $1, 2)) AS forecast, tlv_log_likelihood(hmm, $3) = tlv_log_likelihood(hmm, ARRAY[1, NULL, 2]) AS missing FROM clients_models;
EXECUTE sequences ('{1,2,3}', '{{1,2},{3,4.5}}', '{1,NULL,2}');
PREPARE categories AS SELECT tlv_infer(lca, $1) = tlv_infer(lca, ARRAY[0, 1, 0]) AS codes, tlv_infer(named, $2) = tlv_infer(named, ARRAY['red', 'true', 's1']) AS names,
  tlv_infer(named, $6) = tlv_infer(named, ARRAY[1, 1, 0]) AS numbered, tlv_impute(lca, $3) = tlv_impute(lca, ARRAY[0, NULL, 1]) AS impute,
  tlv_assign(named, $4) > 0 AS missing, (SELECT count(*) > 0 FROM tlv_tree_posterior(tree, $5)) AS tree FROM clients_models;
EXECUTE categories ('{0,1,0}', '{red,true,s1}', '{0,NULL,1}', '{red,NULL,s1}', '{0,1,NULL,0}', '{1,1,0}');
-- rows as clients write them, (a,b,c), are rows of any model of dimensions
PREPARE rows AS SELECT tlv_infer(lca, $1) = tlv_infer(lca, ARRAY[0, NULL, 1]) AS codes, tlv_infer(named, $2) = tlv_infer(named, ARRAY['red', 'true', 's1']) AS names,
  tlv_assign(gmm, $3) = tlv_assign(gmm, ARRAY[1, 2, 3]) AS numbers, tlv_unmix(ica, $3) = tlv_unmix(ica, ARRAY[1, 2, 3]) AS unmix FROM clients_models;
EXECUTE rows ('(0,,1)', '(red,true,s1)', '(1,2,3)');
PREPARE edges AS SELECT tlv_edge_probability(mmsb, $1, $2) = tlv_edge_probability(mmsb, 1, 2) AS both, tlv_edge_probability(mmsb, $1, 2) = tlv_edge_probability(mmsb, 1, 2) AS one,
  tlv_edge_probability(nodes, $3, $4) = tlv_edge_probability(nodes, 'n1'::text, 'n2'::text) AS names FROM clients_models;
EXECUTE edges ('1', '2', 'n1', 'n2');
-- a model is a parameter like any other
PREPARE model AS SELECT tlv_assign($1, $2), tlv_assign($1, ARRAY[1, 2, 3]);
DO $do$ BEGIN EXECUTE format('EXECUTE model (%L, %L)', (SELECT gmm FROM clients_models), '{1,2,3}'); END $do$;

-- a text is nothing that it does not say
SELECT kind, pg_temp.outcome(format('SELECT tlv_assign(%s, %L) FROM clients_models', kind, row_of)) FROM (VALUES ('lda', 'buffer overflow'), ('lda', '{1,2}'), ('lda', '{cat,dog}'),
  ('lda', '{1:x}'), ('lda', '{"{1:x}"}'), ('lda', '(1,2)'),
  ('gmm', 'buffer overflow'), ('gmm', '1,2,3'), ('gmm', '{a,b,c}'), ('gmm', '[1,2'), ('gmm', '{1:3}'), ('named', 'red'), ('lca', '{0,x,1}'), ('views', '("{1,2}","{3,4,5}","{6,7}")')) v(kind, row_of);
SELECT pg_temp.outcome($$SELECT tlv_assign(gmm, '1'::"char") FROM clients_models$$);
DROP TABLE clients_models;
