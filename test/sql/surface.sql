-- The rules of what the extension offers, read from the catalogue: names, order and defaults of options, columns of results, marks, comments.
\set QUIET on
SET client_min_messages = warning;
\set QUIET off
CREATE TEMP VIEW members AS
  SELECT p.oid, p.oid::regprocedure::text AS signature, p.proname::text AS name, p.prokind AS kind, p.provolatile AS volatile, p.proparallel AS parallel,
         p.pronargs AS inputs, p.pronargdefaults AS defaults, p.proargnames AS names, p.proargmodes AS modes, p.prorettype::regtype::text AS result,
         coalesce(p.proallargtypes, p.proargtypes::oid[]) AS types -- the latter from 0
  FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
  WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
    AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'tensorlv');
-- Those that users call: neither input and output, nor behind operators, indexes and aggregates.
CREATE TEMP VIEW offered AS
  SELECT m.* FROM members m
  WHERE NOT EXISTS (SELECT FROM pg_aggregate a WHERE m.oid IN (a.aggtransfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggmfinalfn, a.aggminvtransfn)
                    OR m.oid = a.aggfinalfn AND m.name ~ '_final$')
    AND NOT EXISTS (SELECT FROM pg_type t WHERE m.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend))
    AND NOT EXISTS (SELECT FROM pg_operator o WHERE m.oid = o.oprcode) AND NOT EXISTS (SELECT FROM pg_amproc a WHERE m.oid = a.amproc);
-- Arguments that go in, by place; the default is its text.
CREATE TEMP VIEW arguments AS
  SELECT m.oid, m.signature, m.name AS function, m.kind, i AS place,
         (SELECT array_agg(n ORDER BY at) FROM unnest(m.names) WITH ORDINALITY u(n, at)
           WHERE m.modes IS NULL OR m.modes[at] IN ('i', 'b', 'v'))[i] AS argument, CASE WHEN m.modes IS NULL THEN m.types[i - 1] ELSE m.types[i] END::regtype::text AS type,
             pg_get_function_arg_default(m.oid, i) AS value
  FROM offered m, generate_series(1, m.inputs) i;
CREATE TEMP VIEW columns AS
  SELECT m.signature, m.name AS function, m.names[at] AS name, m.types[at]::regtype::text AS type, at AS place FROM offered m, generate_subscripts(m.modes, 1) at WHERE m.modes[at] IN ('o', 't');

-- how many names there are: few enough to be learnt, and the suffix of aggregates that declare the types of their rows; what gives aggregates their constant on other servers is for drivers
SELECT count(DISTINCT regexp_replace(name, '_typed$', '')) BETWEEN 100 AND 175 AS few FROM offered WHERE name <> 'tlv_gather';
-- every object says what it is for
SELECT signature FROM members WHERE obj_description(oid, 'pg_proc') IS NULL;
SELECT count(*) FILTER (WHERE obj_description(objid, classid::regclass::name) IS NULL) AS silent FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'tensorlv')
  AND classid IN ('pg_type'::regclass, 'pg_operator'::regclass) AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = objid AND t.typelem <> 0);
-- no aggregate, and no function of one argument, has the name of a type: the call would be taken for a cast
SELECT signature FROM offered m WHERE EXISTS (SELECT FROM pg_type t WHERE t.typname = m.name);
-- no column of a result has a name that a table of models is bound to have
SELECT signature, name FROM columns WHERE name IN ('name', 'row', 'value', 'model', 'purpose');
-- an id stands beside its name, in this order: the number, then the text
SELECT c.signature, c.name FROM columns c WHERE c.name LIKE '%\_name' AND (c.type <> 'text'
  OR NOT EXISTS (SELECT FROM columns i WHERE i.signature = c.signature AND i.name || '_name' = c.name AND i.place = c.place - 1 AND i.type IN ('bigint', 'integer')));
-- ids are bigint, with their names beside them wherever a name can be known: only bags and what simulators draw have none
SELECT c.signature, c.name, c.type FROM columns c
WHERE c.name ~ '^(item|node|variable|category|symbol|worker|answer|src|dst|child|i|j|l|true_answer|given_answer|parent_state|child_state)(_[abc]|[123])?$'
  AND NOT (c.type = 'text' AND c.name IN ('node', 'child')) -- nodes of trees are their names
  AND (c.type <> 'bigint' OR NOT c.signature ~ '^tlv_(simulate|bag)_' AND NOT EXISTS (SELECT FROM columns n WHERE n.signature = c.signature AND n.name = c.name || '_name'));
-- components count from 1 in integers, whatever they are called (a tree's states are categories); what has a label has it next to the component
SELECT signature, name, type FROM columns WHERE name IN ('component', 'topic', 'community', 'state', 'component_a', 'component_b', 'rank', 'view', 'dimension') AND type <> 'integer'
  AND signature NOT LIKE 'tlv\_tree\_posterior(%';
SELECT c.signature FROM columns c WHERE c.name = 'label' AND NOT EXISTS (SELECT FROM columns i WHERE i.signature = c.signature AND i.place = c.place - 1
  AND i.name IN ('component', 'topic', 'community', 'state'));

-- tlv_kinds() names what there is, and every function of a model is there, or one of every model
SELECT kind, f FROM tlv_kinds(), unnest(collects || fits || drives || reads || applies) f WHERE f NOT IN (SELECT name FROM offered);
SELECT DISTINCT function FROM arguments WHERE place = 1 AND type = 'tlv_model' AND argument = 'model' AND function NOT LIKE 'tlv\_simulate\_%'
  AND function NOT IN (SELECT f FROM tlv_kinds(), unnest(reads || applies) f) ORDER BY 1;
-- a model of another kind is a wrong value, whoever is asked
CREATE TEMP TABLE of_kinds AS SELECT tlv_simulate_lda_model(5, 2) AS m UNION ALL SELECT tlv_simulate_mmsb_model(9, 2) UNION ALL SELECT tlv_simulate_gmm_model(2, 2) UNION ALL
  SELECT tlv_simulate_hmm_model(3, 2) UNION ALL SELECT tlv_simulate_ica_model(2) UNION ALL SELECT tlv_simulate_lca_model(3, 2) UNION ALL SELECT tlv_simulate_gom_model(3, 2) UNION ALL
  SELECT tlv_simulate_multiview_model(ARRAY[2, 2, 2], 2) UNION ALL SELECT tlv_simulate_tree_model(5) UNION ALL SELECT tlv_simulate_tree_model(5, kind => 'gaussian') UNION ALL
  SELECT tlv_simulate_convolution_model() UNION ALL SELECT tlv_simulate_dictionary_model(3, 3, 1) UNION ALL SELECT tlv_simulate_network_model(9, ARRAY[3], 3) UNION ALL
  SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, i + j * l), 1) FROM generate_series(1, 3) i, generate_series(1, 3) j, generate_series(1, 3) l UNION ALL
  SELECT tlv_crowd('SELECT i % 9, i / 9, i % 9 % 2 FROM generate_series(0, 44) i');
CREATE FUNCTION pg_temp.state_of(function text, m tlv_model, more text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT count(*) FROM %s(%L::tlv_model%s)', function, m, more);
  RETURN 'rows';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
SELECT function, state, count(*) FROM (
  SELECT name AS function, pg_temp.state_of(name, m, '') AS state FROM offered o, of_kinds
  WHERE o.kind = 'f' AND o.inputs - o.defaults = 1 AND o.name NOT LIKE 'tlv\_simulate\_%' AND EXISTS (SELECT FROM arguments a WHERE a.oid = o.oid AND a.place = 1 AND a.type = 'tlv_model')
  UNION ALL SELECT f, pg_temp.state_of(f, m, format(', %L::tlv_model', m)) FROM of_kinds, unnest('{tlv_align,tlv_match}'::text[]) f
  UNION ALL SELECT 'tlv_groups', pg_temp.state_of('tlv_groups', m, ', 1') FROM of_kinds) s
WHERE state NOT IN ('rows', '22023') GROUP BY 1, 2 ORDER BY 1, 2;
-- options follow one order, with one type and one default each; only dictionaries and CP, which decompose no moments, have methods of their own
CREATE TEMP TABLE vocabulary AS SELECT word, at FROM unnest('{refine,iterations,method,restarts,steps,seed,max_k,errors,on_failure,more_queries,options}'::text[]) WITH ORDINALITY v(word, at);
CREATE TEMP VIEW fits AS SELECT * FROM arguments WHERE (function LIKE 'tlv\_fit\_%' OR oid IN (SELECT oid FROM arguments WHERE place = 1 AND argument = 'query')) AND kind = 'f';
SELECT signature, string_agg(argument, ', ' ORDER BY place) AS out_of_order FROM fits JOIN vocabulary ON word = argument GROUP BY signature
HAVING array_agg(at ORDER BY place) <> array_agg(at ORDER BY at);
SELECT f.signature, f.argument AS own_behind FROM fits f WHERE f.place > 1 AND f.argument NOT IN (SELECT word FROM vocabulary)
  AND f.place > (SELECT min(place) FROM fits o JOIN vocabulary ON word = o.argument WHERE o.oid = f.oid);
SELECT signature, argument AS second FROM fits WHERE place = 2 AND argument <> 
  CASE function WHEN 'tlv_fit_tree' THEN 'states' WHEN 'tlv_tree' THEN 'states' WHEN 'tlv_suggest_k' THEN 'criterion'
    WHEN 'tlv_dictionary' THEN 'atoms' WHEN 'tlv_network' THEN 'layers' WHEN 'tlv_fit_network' THEN 'threshold' WHEN 'tlv_fit_tucker' THEN 'ranks' WHEN 'tlv_fit_tensor_train' THEN 'ranks'
    WHEN 'tlv_crowd' THEN 'gold' WHEN 'tlv_fit_crowd' THEN 'shrink' ELSE 'k' END;
SELECT argument, count(DISTINCT type) AS types, count(DISTINCT value) AS defaults FROM fits JOIN vocabulary ON word = argument
WHERE argument <> 'max_k' AND NOT (argument = 'method' AND (function = 'tlv_dictionary' AND value = '''mod''::text'
  OR function IN ('tlv_fit_cp', 'tlv_lda', 'tlv_fit_lda') AND value = '''auto''::text')) GROUP BY 1
HAVING count(DISTINCT type) > 1 OR count(DISTINCT coalesce(value, '')) > 1;
SELECT argument, type, min(value) AS value FROM fits JOIN vocabulary ON word = argument WHERE argument <> 'max_k' GROUP BY argument, type, at ORDER BY at;
-- a fit and its driver: what both have is of one default
SELECT f.function, f.argument, f.value AS of_the_fit, d.value AS of_the_driver FROM fits f JOIN fits d ON d.function = replace(f.function, '_fit_', '_') AND d.argument = f.argument
WHERE f.function LIKE 'tlv\_fit\_%' AND f.place > 1 AND f.value IS DISTINCT FROM replace(d.value, '::text', CASE WHEN f.argument = 'labels' THEN '::tlv_bag' ELSE '::text' END);
-- every seed is a bigint, 1 unless it is given
SELECT signature, type, value FROM arguments WHERE argument = 'seed' AND kind = 'f' AND (type <> 'bigint' OR value IS DISTINCT FROM '1');
-- the first argument says what it is
SELECT DISTINCT argument, type FROM arguments WHERE place = 1 AND type IN ('tlv_model', 'tlv_graph', 'tlv_subspace', 'tlv_moments') AND kind = 'f' AND argument <> substr(type, 5)
  AND function NOT IN ('tlv_match', 'tlv_amari', 'tlv_robinson_foulds', 'tlv_info', 'tlv_kind', 'tlv_suggest_k', 'tlv_gather')
  AND NOT (type = 'tlv_moments' AND argument IN ('pairs', 'completion')) ORDER BY 1, 2;

-- all options of fits to come are refused by name
SELECT DISTINCT function FROM fits f WHERE function <> 'tlv_suggest_k' AND NOT EXISTS (
  SELECT FROM fits o WHERE o.oid = f.oid AND o.argument = 'options' AND o.type = 'jsonb' AND o.value = 'NULL::jsonb');
SELECT tlv_gmm('SELECT 1.0', options => '{"colour": 1}');
SELECT tlv_fit_gmm(tlv_dense_moments(ARRAY[1.0], 2), 1, options => '{"size": "large", "colour": 1}');
SELECT tlv_lda('SELECT 1', options => '[]');
SELECT tlv_lda('SELECT 1', options => '7');
SELECT tlv_lda(NULL, options => '{}') IS NULL AS no_query;
-- how k was chosen, of every model that chose it; one that was told has nothing to tell
CREATE TEMP TABLE chose AS
SELECT 'classes' AS what, tlv_lca('SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(10, 3, seed => 1), 500, 1)') AS m UNION ALL
SELECT 'classes by bic', tlv_lca('SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(10, 3, seed => 1), 500, 1)', criterion => 'bic') UNION ALL
SELECT 'memberships', tlv_gom('SELECT v FROM tlv_simulate_gom(tlv_simulate_gom_model(20, 2, seed => 1), 300, 1)') UNION ALL
SELECT 'mixture', tlv_gmm('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(2, 3, 6, seed => 3), 500, 1)') UNION ALL
SELECT 'states', tlv_hmm('SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(6, 2, seed => 2), 60, 60, 1)') UNION ALL
SELECT 'views', tlv_multiview('SELECT x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[4, 4, 4], 3, seed => 2), 2000, 1)') UNION ALL
SELECT 'communities', tlv_mmsb('SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(200, 3, 0, 0.2, 0.02, seed => 2), 1)') UNION ALL
SELECT 'topics', tlv_lda('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, seed => 2), 400, 50, 1)');
SELECT what, criterion, min(s.k) AS first, count(*) > 1 AS several, sum(s.k) FILTER (WHERE chosen) AS chosen, count(standard_error) = count(*) AS errors, c.n AS components
FROM (SELECT what, m, count(*) AS n FROM chose, tlv_components(m) GROUP BY what, m) c, tlv_suggest_k(m) s GROUP BY what, criterion, c.n ORDER BY what COLLATE "C", criterion;
SELECT count(*) FROM tlv_suggest_k(tlv_gmm('SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(2, 3, 6, seed => 3), 500, 1)', 3));
