-- Texts that come in: soft errors of the types' input, and messages that cut no character in two.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
-- Is it valid, and what is wrong with it: without an error from 16 on, by catching one before.
CREATE FUNCTION pg_temp.valid(value text, type text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE valid boolean;
BEGIN
  IF current_setting('server_version_num')::int >= 160000 THEN
    EXECUTE 'SELECT pg_input_is_valid($1, $2)' INTO valid USING value, type;
    RETURN valid;
  END IF;
  EXECUTE format('SELECT %L::%s', value, type);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  IF current_setting('server_version_num')::int >= 160000 THEN RAISE; END IF;
  RETURN false;
END $$;
CREATE TEMP TABLE inputs (type text, value text);
INSERT INTO inputs SELECT 'tlv_bag', unnest(ARRAY['{}', '{3:2,17:1}']) UNION ALL
  SELECT 'tlv_moments', tlv_count_summary(bag)::text FROM (VALUES ('{1:3,2:2}'::tlv_bag)) v(bag) UNION ALL
  SELECT 'tlv_subspace', tlv_find_subspace(tlv_count_summary(bag), 1)::text FROM (VALUES ('{1:3,2:2}'::tlv_bag), ('{1:2,3:2}')) v(bag) UNION ALL
  SELECT 'tlv_model', tlv_simulate_lda_model(5, 2)::text UNION ALL
  SELECT 'tlv_graph', tlv_graph_agg(1::bigint, 2::bigint)::text;
SELECT type, count(*), bool_and(pg_temp.valid(value, type)) AS valid, bool_or(pg_temp.valid('x' || value, type)) AS another_kind,
       bool_or(pg_temp.valid(left(value, -4), type)) AS cut_off, bool_or(pg_temp.valid(value || 'A', type)) AS longer,
       bool_or(pg_temp.valid(overlay(value placing 'BBBB' from greatest(length(value) - 8, 1)), type)) AS changed, bool_or(pg_temp.valid('', type)) AS empty
FROM inputs GROUP BY type ORDER BY type;
SELECT value, pg_temp.valid(value, 'tlv_bag') AS valid FROM (VALUES ('{1:0}'), ('{1:NaN}'), ('{1:1e999}'), ('{9223372036854775808:1}'), ('{1:1} '), ('{1:1}x')) v(value);
SELECT pg_temp.outcome($$SELECT 'nothing'::tlv_model$$), pg_temp.outcome($$SELECT 'lda:####'::tlv_model$$);
SELECT pg_temp.outcome($$SELECT '{1:2'::tlv_bag$$);

-- characters of two, three and four bytes at every place where a message may cut
CREATE FUNCTION pg_temp.whole(sql text) RETURNS text LANGUAGE sql AS
  $$ SELECT CASE WHEN convert_from(convert_to(pg_temp.outcome(sql), 'UTF8'), 'UTF8') = pg_temp.outcome(sql) THEN 'whole' END $$;
CREATE TEMP TABLE long_names AS SELECT repeat('x', i) || repeat('é€😀', 60) AS name FROM generate_series(0, 8) i;
CREATE TEMP TABLE learnt AS
  SELECT tlv_simulate_gmm_model(2, 2) AS gmm, tlv_simulate_lda_model(9, 2) AS lda, tlv_simulate_multiview_model(ARRAY[2, 2, 2], 2) AS views,
         tlv_simulate_ica_model(2) AS ica, tlv_simulate_tree_model(4) AS tree, tlv_graph_agg(1::bigint, 2::bigint)::text AS graph;
SELECT call, count(*), count(DISTINCT pg_temp.outcome(format(call, name))) AS messages, bool_and(pg_temp.whole(format(call, name)) = 'whole') AS whole
FROM long_names, (VALUES ('SELECT %L::tlv_bag'), ('SELECT %L::tlv_model'), ('SELECT (%L || substr(graph, 11))::tlv_graph FROM learnt'),
  ('SELECT tlv_lda(''SELECT 1'', 2, method => %L)'), ('SELECT tlv_lda(''SELECT 1'', 2, refine => %L)'), ('SELECT tlv_ica(''SELECT ARRAY[1.0]'', refine => %L)'),
  ('SELECT tlv_tree(''SELECT ARRAY[1.0, 2]'', kind => %L)'),
  ('SELECT tlv_statistics(ARRAY[1.0::float8, 2], gmm, %L) FROM learnt'), ('SELECT tlv_statistics(''{1:3}''::tlv_bag, lda, %L) FROM learnt'),
  ('SELECT tlv_statistics(ARRAY[1.0::float8, 2], ica, %L) FROM learnt'), ('SELECT tlv_statistics(ARRAY[1, 1, 0, 1], tree, %L) FROM learnt'),
  ('SELECT tlv_tree(''SELECT i, '' || quote_literal(%L || chr(10)) || '', i %% 2 FROM generate_series(1, 9) i'')'),
  ('SELECT tlv_fit_tree(tlv_category_moments(ARRAY[i %% 2, i %% 3]), names => ARRAY[%1$L, %1$L]) FROM generate_series(1, 9) i')) v(call)
GROUP BY call ORDER BY call COLLATE "C";

-- support functions called by hand, and merged values that are handed rows
SELECT pg_temp.outcome('SELECT tlv_row_agg_accum(NULL::integer[], 1, 1, 3)'), pg_temp.outcome('SELECT tlv_row_agg_accum(NULL::float8[], 1, 1::float8, 3)');
