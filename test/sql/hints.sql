-- What is refused says what to do about it.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TABLE hint_rows AS SELECT i AS id, ARRAY[sin(i * i), cos(i * 3), sin(i * 5)] AS x, ARRAY[i % 2, i % 3, i % 2] AS v FROM generate_series(1, 60) i;
CREATE TABLE hint_values AS SELECT tlv_simulate_gmm_model(3, 2) AS gmm, tlv_simulate_gmm_model(4, 2) AS wider, tlv_simulate_gmm_model(3, 2, seed => 7) AS other,
  tlv_simulate_ica_model(3, 2) AS ica, tlv_simulate_ica_model(4, 2) AS ica_wider, tlv_simulate_dictionary_model(8, 4, 2) AS atoms, tlv_simulate_dictionary_model(9, 4, 2) AS longer,
  tlv_simulate_lda_model(9, 2) AS lda,
  (SELECT tlv_dense_moments(x, 3) FROM hint_rows) AS moments, (SELECT tlv_category_moments(v) FROM hint_rows) AS categories,
  (SELECT tlv_dense_moments(x[1:2], 3) FROM hint_rows) AS narrow;

-- models that do not belong together, statistics of others, steps that there are not
SELECT call, pg_temp.outcome(format('SELECT %s FROM hint_values', call)) AS outcome FROM (VALUES
  ('(SELECT count(*) FROM tlv_match(gmm, wider))'), ('(SELECT count(*) FROM tlv_match(ica, ica_wider))'), ('(SELECT count(*) FROM tlv_match(atoms, longer))'),
  ('tlv_update(gmm, (SELECT tlv_statistics(x, other) FROM hint_rows))'), ('tlv_update(gmm, moments)'), ('tlv_update(ica, moments)'),
  ('tlv_update(tlv_fit_tree(categories), moments)'), ('tlv_update(tlv_fit_tree(moments), moments)'),
  ('tlv_update(tlv_fit_cp(ARRAY[[[1, 2], [3, 5]]]::float8[], 1), moments)'), ('tlv_update(tlv_from_json(tlv_to_json(atoms)), moments)'),
  ('tlv_compact(gmm, 0.9)'), ('tlv_label(gmm, 9, ''nine'')'), ('tlv_align(gmm, lda)')
) v(call);

-- rows that are not those of the model
SELECT call, pg_temp.outcome(format('SELECT %s FROM hint_values', call)) AS outcome FROM (VALUES
  ('tlv_infer(gmm, ARRAY[1, 2]::float8[])'), ('tlv_unmix(ica, ARRAY[1, 2]::float8[])'), ('tlv_encode(atoms, ARRAY[1, 2]::float8[])'), ('tlv_infer(gmm, ''{1,2,NaN}''::float8[])'),
  ('tlv_unmix(ica, ''{1,2,Infinity}''::float8[])'), ('tlv_infer(gmm, ARRAY[1e200, 1, 1])'), ('tlv_infer(gmm, ARRAY[1e90, 1, 1])'),
  ('tlv_impute(gmm, ''{1,2,NaN}''::float8[])'), ('tlv_impute(gmm, ARRAY[1e200, 1, 1])')
) v(call);

-- moments, and what is taken out of them
SELECT call, pg_temp.outcome(format('SELECT %s FROM hint_values', call)) AS outcome FROM (VALUES
  ('(SELECT tlv_dense_moments(CASE WHEN id < 9 THEN x ELSE x[1:2] END, 2) FROM hint_rows)'), ('(SELECT tlv_dense_moments(''{NaN}''::float8[], 2))'), ('moments + narrow'), ('narrow - moments'),
  ('narrow - (narrow + narrow)'), ('categories - (categories + categories)'), ('moments + categories'), ('tlv_fit_gmm(moments, 61)'), ('tlv_fit_gmm(categories, 2)'), ('tlv_fit_ica(categories, 2)'),
  ('tlv_fit_multiview(categories, 2)'), ('tlv_fit_tree((SELECT tlv_count_summary(bag) FROM tlv_simulate_lda(lda, 9)))')
) v(call);

-- values of an argument that go with the others of the call
SELECT call, pg_temp.outcome(format('SELECT %s FROM hint_values', call)) AS outcome FROM (VALUES
  ('tlv_fit_cp(ARRAY[[[1, 2], [3, 5]]]::float8[], 1, method => ''x'')'), ('tlv_fit_cp(ARRAY[[[1, 2], [3, 5]]]::float8[], 1, nonnegative => true, method => ''x'')'),
  ('tlv_fit_gmm(moments, 2, covariance => ''x'')'), ('tlv_gmm(''SELECT x FROM hint_rows'', 2, covariance => ''x'')'),
  ('tlv_gmm(''SELECT x FROM hint_rows'', 2, covariance => ''x'', tails => ''t'')'), ('tlv_gmm(''SELECT x FROM hint_rows'', 2, covariance => ''direction'', tails => ''x'')')
) v(call);

-- more than any setting allows
SELECT substring(pg_temp.outcome($$SELECT tlv_hmm('SELECT 1, id, id FROM hint_rows', 100000)$$) FROM 'HINT.*') AS hint;

-- drivers
SELECT call, pg_temp.outcome(format('SELECT %s FROM hint_values', call)) AS outcome FROM (VALUES
  ($$tlv_gmm('SELECT x FROM hint_rows', 10001)$$), ($$tlv_gmm('SELECT x FROM hint_rows', max_k => 10001)$$), ($$tlv_gmm('', 2)$$), ($$tlv_gmm('SELECT 1; SELECT 2', 2)$$),
  ($$tlv_gmm('SELECT x INTO y FROM hint_rows', 2)$$), ($$tlv_hmm('SELECT id % 3, id, v[2] FROM hint_rows', 2, transitions => '{{0.5,0.4},{0.5,0.5}}')$$),
  ($$tlv_hmm('SELECT id % 3, id, v[2] FROM hint_rows', 2, transitions => '{{-0.5,1.5},{0.5,0.5}}')$$),
  ($$tlv_hmm('SELECT id % 3, id, v[2] FROM hint_rows', 3, transitions => '{{0.5,0.5},{0.5,0.5}}')$$),
  ($$tlv_hmm('SELECT id % 3, id, v[2] FROM hint_rows', 2, emissions => '{{0.5,0.5},{0.5,0.5}}')$$), ($$tlv_from_json('{"tensorlv": 1, "kind": "lad"}')$$)
) v(call);
-- a row of transitions that is divided by its sum is one
SELECT tlv_hmm('SELECT id % 3, id, v[2] FROM hint_rows', 2, transitions => ARRAY[[0.5 / 0.9, 0.4 / 0.9], [0.5, 0.5]]) IS NOT NULL AS followed,
  tlv_compact(gmm, (SELECT max(weight) FROM tlv_components(gmm)) - 0.001) IS NOT NULL AS smaller FROM hint_values;
-- what a first try may be: an array beside other columns, letters in one text, items as an array
SELECT call, pg_temp.outcome(format('SELECT %s FROM hint_values', call)) AS outcome FROM (VALUES
  ($$tlv_gmm('SELECT id, x FROM hint_rows', 2)$$), ($$tlv_hmm('SELECT ''ACGT''::text', 2)$$), ($$tlv_infer(lda, ARRAY['oil', 'prices'])$$)
) v(call);

-- k was to be chosen and is one: whatever the model, a warning says that there is nothing to find
CREATE TABLE hint_noise AS
SELECT tlv_gmm('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 1, seed => 2), 500)') AS gmm,
  tlv_gmm('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 1, covariance => ''direction'', seed => 2), 500)', covariance => 'direction') AS directions,
  tlv_lda('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(50, 1), 600)') AS lda,
  tlv_lca('SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(6, 1), 500)') AS lca, tlv_gom('SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(6, 1), 500)') AS gom,
  tlv_mmsb('SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(200, k => 1, within => 0.1))') AS mmsb;
SELECT what, (SELECT count(*) FROM tlv_components(m)) AS components, (SELECT string_agg(code, ' ') FROM tlv_warnings(m) WHERE code = 'no_structure') AS said
FROM hint_noise, LATERAL (VALUES ('gmm', gmm), ('directions', directions), ('lda', lda), ('lca', lca), ('gom', gom), ('mmsb', mmsb)) v(what, m);

-- one row is one row
SELECT code, message
FROM tlv_warnings(tlv_gmm('SELECT CASE id WHEN 1 THEN ''{0,0,0}'' WHEN 2 THEN ''{0,3,4}'' ELSE ARRAY[cos(id), sin(id), 0] END::float8[] FROM hint_rows', 1, covariance => 'direction'))
WHERE code LIKE 'rows%' ORDER BY code;
DROP TABLE hint_noise;
DROP TABLE hint_rows, hint_values;
