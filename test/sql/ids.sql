-- Ids of any type: whole numbers are told by number, everything else that is one thing by its text, in drivers and in rows that models are applied to.
SET client_min_messages = error;
SET datestyle = 'ISO';
\set VERBOSITY terse
CREATE TYPE weekday AS ENUM ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday');
CREATE DOMAIN day AS date;
CREATE TEMP TABLE types (type text, written text); -- an id of the type, %s a number
INSERT INTO types VALUES ('date', 'date ''2020-01-01'' + (%s)::int'), ('day', '(date ''2020-01-01'' + (%s)::int)::day'), ('uuid', 'md5((%s)::text)::uuid'),
  ('inet', 'inet ''10.0.0.0'' + (%s)'),
  ('timestamp', 'timestamp ''2020-01-01'' + (%s) * interval ''1 h'''), ('jsonb', 'jsonb_build_array(%s)'),
  ('bytea', 'decode(lpad((%s)::text, 6, ''0''), ''hex'')'),
  ('char(9)', '(''c'' || (%s))::char(9)'), ('int4range', 'int4range(0, (%s)::int + 1)'),
  ('money', '(%s)::int::money'), ('oid', '(%s)::int::oid'), ('weekday', '(enum_range(NULL::weekday))[1 + (%s)::int %% 7]'),
  ('boolean', '(%s)::int %% 2 = 0'),
  ('float8', '(%s)::float8'), ('numeric', '(%s)::numeric'), ('real', '(%s)::real'), ('point', 'point(%s, 0)'), ('int[]', 'ARRAY[(%s)::int]'),
  ('tsvector', '(%s)::text::tsvector'), ('tlv_bag', 'tlv_to_bag(ARRAY[(%s)::int])'), ('record', 'ROW(%s)');
CREATE TEMP TABLE edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(30, 2, 0, .5, .05)) WHERE src <> dst;
CREATE TEMP TABLE words AS SELECT doc, item, weight FROM tlv_simulate_lda(tlv_simulate_lda_model(20, 2, alpha0 => .3), 60, 30), tlv_bag_items(bag);
CREATE TEMP TABLE answers AS SELECT item, worker, answer FROM tlv_simulate_crowd(40, 8, 2, share => .6);
CREATE TEMP TABLE survey AS SELECT id, j, v[j] AS c FROM tlv_simulate_lca(tlv_simulate_lca_model(5, 2, 3), 300), generate_series(1, 5) j;
CREATE TEMP TABLE steps AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(4, 2), 10, 30);
CREATE TEMP TABLE sets AS SELECT id, a FROM tlv_simulate_network(tlv_simulate_network_model(40, ARRAY[5], 8, .1), 300), unnest(active) a;
-- {x} is an id of x
CREATE TEMP TABLE calls (call text, of text);
INSERT INTO calls VALUES ('nodes', 'tlv_mmsb(''SELECT {src}, {dst} FROM edges'', 2)'), ('sources', 'tlv_mmsb(''SELECT {src}, dst FROM edges'', 2, bipartite => true)'),
  ('labels', 'tlv_mmsb(''SELECT {src}, {dst} FROM edges'', 2, labels => ''SELECT {src}, 1 FROM edges LIMIT 1'')'),
  ('items', 'tlv_lda(''SELECT doc, {item}, weight FROM words'', 2)'), ('arrays of items', 'tlv_lda(''SELECT array_agg({item}) FROM words GROUP BY doc'', 2)'),
  ('workers', 'tlv_crowd(''SELECT item, {worker}, answer FROM answers'')'),
  ('answers', 'tlv_crowd(''SELECT item, worker, {answer} FROM answers'', gold => ''SELECT item, {answer} FROM answers LIMIT 1'')'),
  ('variables', 'tlv_lca(''SELECT id, {j}, c FROM survey'', 2)'), ('categories', 'tlv_lca(''SELECT id, j, {c} FROM survey'', 2)'), ('mixed', 'tlv_gom(''SELECT id, j, {c} FROM survey'', 2)'),
  ('wide', 'tlv_lca(''SELECT {max(c) FILTER (WHERE j = 1)} AS a, {max(c) FILTER (WHERE j = 2)} AS b, {max(c) FILTER (WHERE j = 3)} AS d FROM survey GROUP BY id ORDER BY id'', 2, layout => ''wide'')'),
  ('states of trees', 'tlv_tree(''SELECT id, j, {c} FROM survey'')'), ('symbols', 'tlv_hmm(''SELECT seq, t, {symbol} FROM steps'', 2)'),
  ('arrays of symbols', 'tlv_hmm(''SELECT array_agg({symbol} ORDER BY t) FROM steps GROUP BY seq'', 2)'),
  ('views', 'tlv_multiview(''SELECT {max(c) FILTER (WHERE j = 1)}, {max(c) FILTER (WHERE j = 2)}, {max(c) FILTER (WHERE j = 3)} FROM survey GROUP BY id ORDER BY id'', 2)'),
  ('units', 'tlv_network(''SELECT id, {a} FROM sets'')'), ('arrays of units', 'tlv_network(''SELECT array_agg({a}) FROM sets GROUP BY id'')');
-- the call with ids of a type, or of the texts of these
CREATE FUNCTION pg_temp.call_with(call text, written text, as_text boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE part text;
BEGIN
  LOOP
    part := substring(call from '\{([^{}]*)\}');
    EXIT WHEN part IS NULL;
    call := replace(call, '{' || part || '}', replace(CASE WHEN as_text THEN '(' || format(written, part) || ')::text' ELSE format(written, part) END, '''', ''''''));
  END LOOP;
  RETURN call;
END $$;
CREATE FUNCTION pg_temp.model_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m tlv_model;
BEGIN
  EXECUTE 'SELECT ' || call INTO m;
  RETURN m;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
CREATE TEMP TABLE outcomes AS SELECT call, type, pg_temp.model_of(pg_temp.call_with(of, written, false)) AS model,
  CASE WHEN type IN ('float8', 'numeric', 'real', 'int[]', 'tsvector', 'tlv_bag', 'record') THEN '42804' ELSE pg_temp.model_of(pg_temp.call_with(of, written, true)) END AS by_text FROM calls, types;
-- all that is another model than that of the texts, or another error: what is not an id is of another meaning, or refused otherwise
SELECT call, string_agg(type || CASE WHEN length(model) = 5 THEN ' ' || model ELSE '' END, ', ' ORDER BY type) AS differ FROM outcomes
WHERE model IS DISTINCT FROM by_text GROUP BY call ORDER BY call COLLATE "C";
SELECT type, count(*) FILTER (WHERE length(model) > 5) AS models FROM outcomes GROUP BY type ORDER BY type COLLATE "C";

-- whole numbers of any size
SELECT symbol, symbol_name FROM tlv_emissions(tlv_hmm('SELECT seq, t, 5000000000 + symbol FROM steps', 2)) WHERE state = 1 ORDER BY 1;
-- rows that models are applied to
CREATE TEMP TABLE models AS SELECT tlv_hmm('SELECT seq, t, date ''2020-01-01'' + symbol::int FROM steps', 2) AS hmm, tlv_lca('SELECT id, j, inet ''10.0.0.0'' + c FROM survey', 2) AS lca,
  tlv_multiview('SELECT (max(c) FILTER (WHERE j = 1))::int::money, date ''2020-01-01'' + max(c) FILTER (WHERE j = 2), max(c) FILTER (WHERE j = 3) FROM survey GROUP BY id', 2) AS views;
SELECT tlv_log_likelihood(hmm, ARRAY[date '2020-01-01', '2020-01-03']) = tlv_log_likelihood(hmm, ARRAY['2020-01-01', '2020-01-03']) AS symbols,
  tlv_infer(lca, ARRAY[inet '10.0.0.1', '10.0.0.2', NULL, NULL, '10.0.0.0']) = tlv_infer(lca, ARRAY['10.0.0.1/32', '10.0.0.2/32', NULL, NULL, '10.0.0.0/32']) AS categories,
  tlv_infer(views, ROW('$1.00'::money, date '2020-01-02', 1)) = tlv_infer(views, ROW('$1.00', '2020-01-02', 1)) AS views FROM models;
SELECT tlv_infer(hmm, ARRAY[1.5, 2.5]) FROM models;
-- one column that is no array is one variable
SELECT tlv_tree('SELECT ''abc''::text');
SELECT tlv_tree('SELECT point(1, 2)');
SELECT tlv_tree('SELECT ''abc''::text', layout => 'long');
DROP TYPE weekday CASCADE;
DROP DOMAIN day;
-- the text of a type is its owner's to say: nobody runs the cast of somebody else
CREATE ROLE ids_owner;
CREATE ROLE ids_reader;
CREATE SCHEMA ids AUTHORIZATION ids_owner;
SET ROLE ids_owner;
CREATE TYPE ids.kind AS ENUM ('a', 'b');
CREATE FUNCTION ids.told(ids.kind) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$;
CREATE CAST (ids.kind AS text) WITH FUNCTION ids.told(ids.kind);
CREATE TABLE ids.rows AS SELECT 'a'::ids.kind AS a, 'b'::ids.kind AS b;
CREATE TYPE ids.pair AS (a int, b int);
CREATE FUNCTION ids.told(ids.pair) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$;
CREATE CAST (ids.pair AS text) WITH FUNCTION ids.told(ids.pair);
GRANT USAGE ON SCHEMA ids TO ids_reader;
GRANT SELECT ON ids.rows TO ids_reader;
RESET ROLE;
CREATE FUNCTION pg_temp.refusal(sql text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE sql;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SET ROLE ids_reader;
SELECT pg_temp.refusal(format('SELECT %s', call)) AS state, count(*) FROM (VALUES ('tlv_mmsb(''SELECT a, b FROM ids.rows'', 2)'), ('tlv_lda(''SELECT 1, a FROM ids.rows'', 2)'),
  ('tlv_lda(''SELECT array_agg(a) FROM ids.rows'', 2)'), ('tlv_lca(''SELECT 1, 1, a FROM ids.rows'', 2)'), ('tlv_lca(''SELECT a, b FROM ids.rows'', 2, layout => ''wide'')'),
  ('tlv_multiview(''SELECT a, b, a FROM ids.rows'', 2)'), ('tlv_hmm(''SELECT 1, 1, a FROM ids.rows'', 2)'), ('tlv_hmm(''SELECT array_agg(a) FROM ids.rows'', 2)'),
  ('tlv_crowd(''SELECT a, b, a FROM ids.rows'')'), ('tlv_tree(''SELECT a, b, a AS c FROM ids.rows'', layout => ''wide'')'),
  ('tlv_lca(''SELECT i % 30 AS i, a, b, 1.5 AS x FROM ids.rows, generate_series(1, 100) i'', 2)'), ('tlv_tree(''SELECT i % 30 AS i, a, b, 1 AS x FROM ids.rows, generate_series(1, 100) i'')'),
  ('tlv_network(''SELECT 1, a FROM ids.rows'')'),
  ('tlv_view_moments(a, b, a) FROM ids.rows')) v(call) GROUP BY 1;
SELECT pg_temp.refusal('SELECT ' || f || '(''SELECT i % 30 AS i, ROW(i, 2)::ids.pair AS p, 1 AS a, 2 AS b FROM generate_series(1, 100) i'', layout => ''wide'')')
FROM unnest(ARRAY['tlv_lca', 'tlv_tree']) f;
RESET ROLE;
DROP SCHEMA ids CASCADE;
DROP ROLE ids_owner, ids_reader;

-- ids told in another way than the model's: a text that is a whole number is that number, a number is its digits; what is neither is refused
\set VERBOSITY default
CREATE TEMP TABLE told AS SELECT n.told, tlv_hmm(format('SELECT seq, t, (10 + symbol)::%s FROM steps', n.told), 2) AS hmm,
  tlv_crowd(format('SELECT item, worker::%s, answer::%1$s FROM answers', n.told)) AS crowd,
  tlv_mmsb(format('SELECT src::%s, dst::%1$s FROM edges', n.told), 2) AS mmsb,
  tlv_multiview(format('SELECT a.c::%s, b.c::%1$s, c.c::%1$s FROM survey a JOIN survey b USING (id) JOIN survey c USING (id) WHERE a.j = 1 AND b.j = 2 AND c.j = 3', n.told), 2) AS views
  FROM (VALUES ('bigint'), ('text')) n(told);
CREATE TEMP TABLE one_edge AS SELECT min(src) AS src, min(dst) AS dst FROM edges WHERE src = (SELECT min(src) FROM edges);
SELECT told, tlv_viterbi(hmm, ARRAY[11, 12, NULL, 13]) = tlv_viterbi(hmm, ARRAY['11', '12', NULL, '13']) AS states, tlv_infer(hmm, ARRAY[11, 12]) = tlv_infer(hmm, ARRAY['11', '12']) AS shares,
  tlv_infer(hmm, ARRAY[11]) <> tlv_infer(hmm, ARRAY[NULL::int]) AS known, tlv_infer(hmm, '{11,12}') = tlv_infer(hmm, ARRAY[11, 12]) AS literal,
  tlv_infer(crowd, ROW(ARRAY[1, 2], ARRAY[1, 1])) = tlv_infer(crowd, ROW(ARRAY['1', '2'], ARRAY['1', '1'])) AS answers,
  tlv_infer(crowd, ROW(ARRAY[1, 2], ARRAY['1', '1'])) = tlv_infer(crowd, ROW(ARRAY['1', '2'], ARRAY[1, 1])) AS mixed,
  tlv_infer(crowd, ROW(ARRAY[1, 2], ARRAY[1, 1])) <> tlv_infer(crowd, ROW(ARRAY[NULL::int], ARRAY[NULL::int])) AS said,
  tlv_edge_probability(mmsb, src, dst) = tlv_edge_probability(mmsb, src::text, dst::text) AND tlv_edge_probability(mmsb, src, dst::text) = tlv_edge_probability(mmsb, src::text, dst) AS edge,
  tlv_infer(views, ROW(0, 1, 1)) = tlv_infer(views, ROW('0', '1', '1')) AND tlv_infer(views, ARRAY['0', '1', '1']) = tlv_infer(views, ROW('0', 1, '1')) AS views,
  tlv_infer(views, ROW(0, 1, 1)) <> tlv_infer(views, ROW(NULL, NULL, NULL)) AS seen
FROM told, one_edge ORDER BY told;
-- sets of items under a network
CREATE TEMP TABLE baskets AS SELECT id, unnest(active) AS item FROM tlv_simulate_network(tlv_simulate_network_model(60, '{15}', 8, density => 0.08, negative => 0), 3000);
CREATE TEMP TABLE networks AS SELECT told, tlv_network(format('SELECT id, item::%s FROM baskets', told)) AS network FROM told;
SELECT told, (SELECT count(*) > 0 FROM tlv_encode(network, x)) AS encoded,
  ARRAY(SELECT e::text FROM tlv_encode(network, x) e) = ARRAY(SELECT e::text FROM tlv_encode(network, x::text[]) e) AS units,
  tlv_statistics(x, network) = tlv_statistics(x::text[], network) AS statistics
FROM networks, (SELECT array_agg(item) AS x FROM baskets WHERE id = 5) s GROUP BY told, network, x ORDER BY told;
SELECT tlv_encode(network, ARRAY['1', 'x']) FROM networks WHERE told = 'bigint';
SELECT tlv_encode(network, ARRAY[1, 9999]) FROM networks WHERE told = 'text';
-- three views in arguments of their own, too, also where errors are collected
CREATE TEMP TABLE said AS SELECT a.c AS a, b.c AS b, c.c AS c FROM survey a JOIN survey b USING (id) JOIN survey c USING (id) WHERE a.j = 1 AND b.j = 2 AND c.j = 3;
SELECT told, tlv_info(numbers)->>'nulls' AS nulls, numbers = texts AND numbers = mixed AND numbers = records AS statistics, errors = errors_of_texts AS errors
FROM told, LATERAL (SELECT tlv_statistics(a, b, c, views) AS numbers, tlv_statistics(a::text, b::text, c::text, views) AS texts, tlv_statistics(a, b::text, c, views) AS mixed,
    tlv_statistics(ROW(a::text, b, c::text), views) AS records, tlv_error_statistics(a, b, c, views) AS errors,
    tlv_error_statistics(a::text, b::text, c::text, views) AS errors_of_texts FROM said) s ORDER BY told;
SELECT tlv_statistics(a::text, 'no'::text, c::text, views) FROM told, said WHERE told = 'bigint';
SELECT tlv_error_statistics(a, 99, c, views) FROM told, said WHERE told = 'text';
SELECT tlv_viterbi(hmm, ARRAY['11', 'x']) FROM told WHERE told = 'bigint';
SELECT tlv_infer(hmm, ARRAY[11, 99]) FROM told WHERE told = 'text';
SELECT tlv_infer(crowd, ROW(ARRAY['1', 'ann'], ARRAY['1', '1'])) FROM told WHERE told = 'bigint';
SELECT tlv_infer(crowd, ROW(ARRAY[99], ARRAY[1])) FROM told WHERE told = 'text';
SELECT tlv_edge_probability(mmsb, 1, 'x') FROM told WHERE told = 'bigint';
SELECT tlv_edge_probability(mmsb, 999, 1) FROM told WHERE told = 'text';
-- an edge of nodes of any type that a fit takes
SELECT bool_and(tlv_edge_probability(m, a, b) = tlv_edge_probability(m, a::text, b::text) AND tlv_edge_probability(m, a, b::text) = tlv_edge_probability(m, a::text, b)) AS uuids,
  bool_and(tlv_edge_probability(m, a, md5('none')::uuid) IS NULL) AS unknown
FROM (SELECT md5(src::text)::uuid AS a, md5(dst::text)::uuid AS b FROM edges) e, tlv_mmsb('SELECT md5(src::text)::uuid, md5(dst::text)::uuid FROM edges', 2) m;
-- a name that is cast to text is that text
SELECT bool_and(tlv_edge_probability(m, a, b) = tlv_edge_probability(m, a::text, b::text)) AS names
FROM (SELECT chr(65 + src::int % 26)::name AS a, chr(65 + dst::int % 26)::name AS b FROM edges) e, tlv_mmsb('SELECT chr(65 + src::int % 26), chr(65 + dst::int % 26) FROM edges', 2) m;
SELECT tlv_edge_probability(mmsb, 1.5, 1) FROM told WHERE told = 'bigint';
SELECT tlv_assign(views, ROW('0', 'no', '1')) FROM told WHERE told = 'bigint';
SELECT tlv_assign(views, ROW(0, 99, 1)) FROM told WHERE told = 'text';
SELECT tlv_assign(views, ARRAY[0, 1, 1]) FROM told WHERE told = 'text';
SELECT tlv_viterbi(hmm, ARRAY['18446744073709551616']) FROM told WHERE told = 'bigint';
SELECT given, tlv_viterbi(hmm, ARRAY[given]) = tlv_viterbi(hmm, ARRAY[11]) AS is_11 FROM told, unnest('{11,011,-11,-9223372036854775808}'::text[]) given WHERE told = 'bigint';
SELECT given, pg_temp.refusal(format('SELECT tlv_viterbi(hmm, ARRAY[%L]) FROM told WHERE told = ''bigint''', given)) AS state
FROM unnest(ARRAY['', '-', '+11', ' 11', '11 ', '1-1', '--11', '11.0', '1e1', '0x11', '9223372036854775808', '-9223372036854775809', '000000000000000000011']) given;
SELECT told, tlv_infer(hmm, ARRAY['99']) = tlv_infer(hmm, ARRAY[NULL::text]) AS unknown, tlv_edge_probability(mmsb, '999', '1') IS NULL AS unknown_node,
  (SELECT sum(tlv_edge_probability(mmsb, a.node, b.node)) > 0 FROM tlv_memberships(mmsb) a, tlv_memberships(mmsb) b) AS by_id FROM told ORDER BY told;
