-- Calls of functions and aggregates that have several signatures, or an argument declared "any": with every type, what resolves and what does not.
\set ECHO none
SET client_min_messages = warning;
CREATE SCHEMA signatures;
SET search_path = signatures, public;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN whole AS integer;
CREATE DOMAIN exact AS numeric;
CREATE DOMAIN single AS real;
CREATE DOMAIN words AS text;
CREATE DOMAIN numbers AS float8[];
CREATE DOMAIN wholes AS integer[];
CREATE DOMAIN bag AS tlv_bag;
CREATE TYPE spot AS (x float8, y integer);
CREATE DOMAIN place AS spot;
-- vectors as pgvector has them: the cast to real[] of one is implicit, that of the other is for assignment
CREATE TYPE vec;
CREATE FUNCTION vec_in(cstring) RETURNS vec AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION vec_out(vec) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE vec (INPUT = vec_in, OUTPUT = vec_out, LIKE = text, CATEGORY = 'U');
CREATE FUNCTION to_real(vec, integer, boolean) RETURNS real[] LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT vec_out($1)::text::real[] $$;
CREATE CAST (vec AS real[]) WITH FUNCTION to_real(vec, integer, boolean) AS IMPLICIT;
CREATE TYPE half;
CREATE FUNCTION half_in(cstring) RETURNS half AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION half_out(half) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE half (INPUT = half_in, OUTPUT = half_out, LIKE = text, CATEGORY = 'U');
CREATE FUNCTION to_real(half, integer, boolean) RETURNS real[] LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT half_out($1)::text::real[] $$;
CREATE CAST (half AS real[]) WITH FUNCTION to_real(half, integer, boolean) AS ASSIGNMENT;
CREATE DOMAIN vec_domain AS vec;

-- The types that every server has, those above, and arrays of all of them; NULL: a literal without a type; $1: a parameter without one.
CREATE TEMP TABLE types AS
  WITH base AS (
    SELECT t.oid, t.oid::regtype::text AS name, typarray FROM pg_type t
    WHERE (typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r') AND typcategory <> 'A' AND typname !~ '^(pg_|xid8|oid8|jsonpath|reg)'
           OR typnamespace = 'signatures'::regnamespace AND typtype IN ('b', 'e', 'd', 'c') AND typcategory <> 'A' OR typname IN ('numbers', 'wholes', 'regclass')
           OR typname ~ '^tlv_' AND typtype = 'b' AND typcategory <> 'A'))
  SELECT format('NULL::%s', name) AS value, name FROM base UNION ALL
  SELECT format('NULL::%s', typarray::regtype), typarray::regtype::text FROM base WHERE typarray <> 0 UNION ALL
  VALUES ('ROW(1, 2)', 'ROW()'), ('NULL', 'a literal'), ('$1', 'a parameter'), ('NULL::record', 'record');
CREATE TEMP TABLE offered AS
  SELECT p.oid, p.proname::text AS name, p.prokind AS kind, p.proargtypes::oid[] AS types, p.pronargs - p.pronargdefaults AS least
  FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
  WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
    AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'tensorlv')
    AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggmfinalfn, a.aggminvtransfn, a.aggfinalfn));
-- A call has a type in the place, or the places, in which its signatures differ or are "any"; all others have the types of one signature, and those with a default may be left out.
CREATE TEMP TABLE places AS
  SELECT o.oid, o.name, o.kind, o.types, i AS place FROM offered o, generate_subscripts(o.types, 1) i
  WHERE o.types[i] = '"any"'::regtype OR EXISTS (SELECT FROM offered p WHERE p.name = o.name AND p.types[i] <> o.types[i]);
CREATE TEMP TABLE calls AS
  WITH tried AS (SELECT oid, ARRAY[place] AS at FROM places UNION SELECT oid, array_agg(place ORDER BY place) FROM places GROUP BY oid)
  SELECT DISTINCT format('%s(%s)%s', o.name,
    (SELECT string_agg(CASE WHEN i = ANY (at) THEN '?' WHEN o.types[i] = '"any"'::regtype THEN 'NULL::bigint' ELSE 'NULL::' || o.types[i]::regtype END, ', ' ORDER BY i)
     FROM generate_subscripts(o.types, 1) i WHERE i < given), CASE WHEN o.kind = 'w' THEN ' OVER ()' ELSE '' END) AS call
  FROM offered o JOIN tried USING (oid), unnest(ARRAY[o.least, array_length(o.types, 1)]) given WHERE given > (SELECT max(a) FROM unnest(at) a);
CREATE FUNCTION pg_temp.resolves(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  state text;
BEGIN
  EXECUTE 'PREPARE signatures_call AS SELECT ' || call;
  DEALLOCATE signatures_call;
  RETURN 'resolves';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
  RETURN CASE state WHEN '42883' THEN 'does not exist' WHEN '42725' THEN 'is not unique' WHEN '42P18' THEN 'has no type' ELSE state END;
END $$;
CREATE TEMP TABLE tried AS
  SELECT replace(call, 'NULL::', '') AS call, name AS type, pg_temp.resolves(replace(call, '?', value)) AS outcome FROM calls, types
  -- not unique from 15 on; before, "char" is of the category of strings, and text is preferred
  WHERE NOT (name = '"char"' AND (call LIKE 'tlv_tensor_at(NULL::tlv_model, ?, ?, ?)' OR call LIKE 'tlv_edge_probability(NULL::tlv_model, ?, ?)'));
\set ECHO all
-- enough of both
SELECT count(DISTINCT call) > 150 AS calls, count(DISTINCT type) > 130 AS types FROM tried;
-- each call with the types with which it resolves, or, where these are most, with which it does not
\t on
\pset format unaligned
SELECT call || CASE WHEN count(*) FILTER (WHERE outcome = 'resolves') > 100
    THEN ' takes everything' || coalesce(' but ' || string_agg(type || ' (' || outcome || ')', ', ' ORDER BY type COLLATE "C") FILTER (WHERE outcome <> 'resolves'), '')
    ELSE ': ' || coalesce(string_agg(type, ', ' ORDER BY type COLLATE "C") FILTER (WHERE outcome = 'resolves'), 'nothing')
      || coalesce('; not unique: ' || string_agg(type, ', ' ORDER BY type COLLATE "C") FILTER (WHERE outcome = 'is not unique'), '')
      || coalesce('; has no type: ' || string_agg(type, ', ' ORDER BY type COLLATE "C") FILTER (WHERE outcome = 'has no type'), '') END
FROM tried GROUP BY call ORDER BY call COLLATE "C";
\pset format aligned
\t off

-- what resolves answers: aggregates of rows of any type are the same of the same row, or refuse the type
\set ECHO none
CREATE TEMP TABLE models AS SELECT tlv_simulate_gmm_model(2, 2, seed => 1) AS gmm, tlv_simulate_lca_model(2, 2, seed => 1) AS lca, tlv_simulate_hmm_model(symbols => 3, seed => 1) AS hmm,
  tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{3,1}') AS lda, tlv_simulate_multiview_model('{2,2,2}', 2, seed => 1) AS views, tlv_find_subspace((SELECT tlv_dense_moments(x, 2)
  FROM (VALUES (ARRAY[1, 0]), (ARRAY[0, 2]), (ARRAY[3, 1])) v(x)), 1) AS s;
CREATE FUNCTION pg_temp.answer(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE 'SELECT ' || call || ' FROM models, generate_series(1, 2)' INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TEMP TABLE given AS
  SELECT type, format('%L::%s', CASE WHEN type ~ '^(place|spot)$' THEN '(1,2)' WHEN type ~ '^(place|spot)' THEN '{"(1,2)"}' ELSE '{1,2}' END, type) AS value FROM unnest(
    '{smallint[],integer[],bigint[],real[],float8[],numeric[],whole[],exact[],single[],numbers,wholes,vec,half,vec_domain,spot,place,text[],varchar[],words[],name[],text,varchar,words,jsonb,uuid,
    tlv_bag[],spot[]}'::text[]) type
  UNION ALL VALUES ('a literal', $$'{1,2}'$$), ('ROW(1, 2)', 'ROW(1, 2)'), ('ROW(real, numeric)', 'ROW(1::real, 2.0)'), ('tlv_bag', $$'{1:1,2:3}'::tlv_bag$$), ('bag', $$'{1:1,2:3}'::bag$$),
    ('tlv_bag[] of one', $$ARRAY[tlv_bag '{1:1,2:3}']$$), ('tsvector', $$to_tsvector('simple', 'a b')$$), ('mood[]', $$ARRAY['sad', 'happy']::mood[]$$),
    ('date[]', $$ARRAY['2020-01-01', '2020-01-02']::date[]$$), ('boolean[]', 'ARRAY[false, true]'), ('uuid[]', $$ARRAY['00000000-0000-0000-0000-000000000001', NULL]::uuid[]$$),
    ('mood', $$'sad'::mood$$), ('date', $$'2020-01-01'::date$$), ('boolean', 'true'), ('uuid of one', $$'00000000-0000-0000-0000-000000000001'::uuid$$),
    ('text of a letter', $$'a'::text$$), ('integer', '1'), ('smallint', '1::smallint'), ('bigint', '1::bigint'), ('whole', '1::whole'), ('numeric', '1.5');
CREATE TEMP TABLE answers AS
  SELECT call, type, pg_temp.answer(replace(call, '?', value)) AS answer FROM given, unnest(ARRAY['tlv_dense_moments(?, 3)', 'tlv_dense_moments(?, s)', 'tlv_dense_moments(?, s, 3)',
    'tlv_statistics(?, gmm)', 'tlv_statistics(?, lca)', 'tlv_statistics(?, hmm)', 'tlv_statistics(?, lda)', 'tlv_statistics(?, lda, ''gibbs'')', 'tlv_error_statistics(?, gmm)',
    'tlv_error_statistics(?, hmm)', 'tlv_view_moments(?, ?, ?)', 'tlv_row_sample(?, ?, ?, 5, 1)', 'tlv_statistics(?, ?, ?, views)', 'tlv_error_statistics(?, ?, ?, views)',
    'tlv_label_pairs(?, ?)', 'tlv_nmi(?, ?)', 'tlv_ari(?, 1)']) call;
\set ECHO all
\t on
\pset format unaligned
-- the types, those whose answers are equal in brackets
SELECT call || ': ' || string_agg(types, ' ' ORDER BY types) FROM (SELECT call, '[' || string_agg(type, ', ' ORDER BY type COLLATE "C") || ']' AS types FROM answers
  WHERE answer !~ '^[0-9A-Z]{5} ' GROUP BY call, answer) a
GROUP BY call ORDER BY call COLLATE "C";
-- and those that are refused
SELECT call || ' ' || left(answer, 5) || ': ' || string_agg(type, ', ' ORDER BY type COLLATE "C") FROM answers WHERE answer ~ '^[0-9A-Z]{5} ' GROUP BY call, left(answer, 5) ORDER BY 1;
\t off
DROP SCHEMA signatures CASCADE;
