-- latent classes and mixed membership: fits, drivers, long and wide rows, names, missing values, inference, and what is refused
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS tensorlv;
RESET client_min_messages;

CREATE FUNCTION fails(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(regexp_replace(detail, '[0-9.]+e-1[0-9]', '(nearly 0)'), ''), nullif(hint, ''));
END
$$;

-- latent classes of wide rows, of the same rows as (row, variable, category), and from moments alone
CREATE TABLE truth AS SELECT tlv_simulate_lca_model(12, 3, seed => 5) AS model;
CREATE TABLE wide AS SELECT s.* FROM truth, tlv_simulate_lca(model, 2000) s;
CREATE TABLE long AS SELECT id, 'q' || lpad(j::text, 2, '0') AS question, (array['a', 'b', 'c', 'd'])[v[j] + 1] AS answer FROM wide, generate_series(1, 12) j;
CREATE TABLE lca AS SELECT 'wide' AS name, tlv_lca('SELECT v FROM wide', 3) AS model UNION ALL
    SELECT 'long', tlv_lca('SELECT id, question, answer FROM long', 3) UNION ALL
    SELECT 'missing', tlv_lca('SELECT id, question, answer FROM long WHERE (id * 12 + length(question) + ascii(right(question, 1))) % 7 > 0', 3) UNION ALL
    SELECT 'chosen', tlv_lca('SELECT v FROM wide') UNION ALL SELECT 'bic', tlv_lca('SELECT v FROM wide', criterion => 'bic') UNION ALL
    SELECT 'moments', (SELECT tlv_fit_lca(tlv_category_moments(v), 3) FROM wide);
SELECT name, count(*) AS classes, bool_and(m.distance < 0.04) AS near FROM lca, truth, tlv_match(truth.model, lca.model) m GROUP BY name ORDER BY name COLLATE "C";
-- models of other rows have other variables and categories, in another order: components are paired over those of the same name
CREATE TABLE by_name AS SELECT tlv_lca((SELECT 'SELECT ' || string_agg(format('(array[''a'',''b'',''c'',''d''])[v[%s] + 1] AS q%s', j, lpad(j::text, 2, '0')), ', ' ORDER BY j DESC)
      || ' FROM wide' FROM generate_series(1, 12) j), 3, layout => 'wide') AS reordered,
    tlv_lca($$SELECT id, (CASE WHEN question < 'q07' THEN 'z' ELSE '' END) || question, answer FROM long$$, 3) AS model,
    tlv_lca($$SELECT id, question, answer FROM long WHERE question > 'q03'$$, 3) AS fewer,
    tlv_lca($$SELECT id, question, CASE answer WHEN 'a' THEN 'z' ELSE answer END FROM long$$, 3) AS renamed;
SELECT (SELECT max(distance) < 0.02 FROM tlv_match(lca.model, reordered)) AND (SELECT max(distance) < 0.02 FROM tlv_match(reordered, lca.model)) AS reordered,
    (SELECT max(distance) < 0.02 FROM tlv_match(lca.model, by_name.model)) AS half, (SELECT max(distance) < 0.02 FROM tlv_match(fewer, lca.model)) AS fewer,
    (SELECT max(distance) < 0.02 FROM tlv_match(lca.model, fewer)) AS more, (SELECT min(distance) > 0.1 FROM tlv_match(lca.model, renamed)) AS renamed,
    (SELECT max(distance) FROM tlv_match(lca.model, lca.model)) AS itself FROM lca, by_name WHERE name = 'long';
SELECT name, round(sum(weight)::numeric, 9) AS weight, count(alpha) AS alphas FROM lca, tlv_components(model) GROUP BY name ORDER BY name COLLATE "C";
SELECT c.component, c.variable, c.variable_name, c.category, c.category_name FROM lca, tlv_categories(model) c WHERE name = 'long' LIMIT 5;
SELECT c.component, c.variable, c.variable_name, c.category, c.category_name FROM lca, tlv_categories(model) c WHERE name = 'wide' LIMIT 5;
SELECT DISTINCT sum(probability)::numeric(10, 6) FROM lca, tlv_categories(model) GROUP BY name, component, variable;
SELECT avg((tlv_assign(lca.model, v) = component)::int) > 0.97 AS assigned FROM lca, wide WHERE name = 'wide';
SELECT tlv_infer(a.model, '{0,1,2,3,0,1,2,3,0,1,2,NULL}') = tlv_infer(b.model, '{0,1,2,3,0,1,2,3,0,1,2,NULL}') AS same_of_names FROM lca a, lca b WHERE a.name = 'wide' AND b.name = 'long';
SELECT count(*), round(sum(probability)::numeric, 9) AS sum FROM lca, tlv_top(model, '{0,1,2,3,0,1,2,3,0,1,2,3}', 3) WHERE name = 'wide';
SELECT avg((best = v[12])::int) > 0.45 AS guessed, bool_and(best = (tlv_impute(model, v[1:11] || NULL::int))[12]) AS imputed FROM lca, (SELECT * FROM wide LIMIT 500) w,
    LATERAL (SELECT category AS best FROM unnest(tlv_infer(model, v[1:11] || NULL::int)) WITH ORDINALITY u(p, component) JOIN tlv_categories(model) c USING (component) WHERE variable = 12
      GROUP BY category ORDER BY sum(p * c.probability) DESC LIMIT 1) i WHERE name = 'wide';
-- a category that the model does not know says nothing; a row of nothing has the weights
SELECT tlv_infer(model, '{99,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}') = array_agg(c.weight ORDER BY component) AS weights
FROM lca, tlv_components(model) c WHERE name = 'wide' GROUP BY model;
SELECT tlv_from_json(tlv_to_json(model)) = model AS same FROM lca WHERE name = 'long';
SELECT tlv_info(model) - 'bytes' - 'fingerprint' - 'arrays' - 'version' FROM lca WHERE name = 'long';
SELECT tlv_svg(model) LIKE '<svg %<title>a: q01<%' AS drawn FROM lca WHERE name = 'long';
SELECT measure, component FROM lca, tlv_diagnostics(model) WHERE name = 'wide';
-- statistics of parts are those of all rows; a step does not lower the likelihood
CREATE TABLE step AS SELECT model, tlv_rollup(s) AS s FROM (SELECT model, tlv_statistics(v, model) AS s FROM lca, wide WHERE name = 'moments' GROUP BY model, id % 3) p GROUP BY model;
SELECT sum(tlv_log_likelihood(tlv_update(model, s), v)) > sum(tlv_log_likelihood(model, v)) AS better FROM step, wide;
-- more rows than the sample holds: passes over all of them
SELECT score > 1 AS passes FROM tlv_diagnostics((SELECT tlv_lca('SELECT v FROM wide, generate_series(1, 60)', 2, iterations => 2))) WHERE measure = 'passes';

-- mixed membership, and two copies of every variable
CREATE TABLE members AS SELECT s.* FROM tlv_simulate_gom(tlv_simulate_gom_model(15, 3, seed => 2), 1500) s;
-- alpha0 that is left to the fit, of rows of one component each and of several: .06 and 1.5 are true
CREATE TABLE mixed AS SELECT alpha, s.v FROM (VALUES (0.02), (0.5)) t(alpha), tlv_simulate_gom(tlv_simulate_gom_model(15, 3, alpha => t.alpha, seed => 2), 1500) s;
SELECT alpha, sum(c.alpha0) FILTER (WHERE by = 'moments') > 0.5 AS moments, sum(c.alpha0) FILTER (WHERE by = 'rows') > 0.5 AS rows
FROM (SELECT t.alpha, by, c.alpha AS alpha0 FROM (VALUES (0.02), (0.5)) t(alpha), (VALUES ('moments'), ('rows')) b(by), tlv_components(CASE by
    WHEN 'rows' THEN tlv_gom(format('SELECT v FROM mixed WHERE alpha = %s', t.alpha), 3, iterations => 5)
    ELSE (SELECT tlv_fit_gom(tlv_category_moments(v), 3) FROM mixed WHERE alpha = t.alpha) END) c) c GROUP BY 1 ORDER BY 1;
DROP TABLE mixed;
SELECT bool_and(m.distance < 0.08) AS near FROM tlv_match(tlv_simulate_gom_model(15, 3, seed => 2), tlv_gom('SELECT v FROM members', 3)) m;
SELECT bool_and(m.distance < 0.08) AS near FROM tlv_match(tlv_simulate_gom_model(15, 3, seed => 2), (SELECT tlv_fit_gom(tlv_category_moments(v), 3, alpha0 => .3) FROM members)) m;
SELECT avg(abs((tlv_infer(model, v))[m.component_b] - memberships[1])) < 0.15 AS near
FROM (SELECT tlv_gom('SELECT v FROM members', 3) AS model) g, tlv_match(tlv_simulate_gom_model(15, 3, seed => 2), model) m, members WHERE m.component_a = 1;
CREATE TABLE alleles AS SELECT id, 'locus ' || chr(64 + (j + 1) / 2) AS locus, v[j] AS allele FROM members, generate_series(1, 14) j;
SELECT count(DISTINCT variable_name) AS loci, count(DISTINCT (variable, category)) AS categories FROM tlv_categories(tlv_gom('SELECT * FROM alleles', 2, copies => 2));

-- moments of categories with numbers are no more: their stored values say what takes their place
SELECT fails($$SELECT 'mixed_moments rows=2 bytes=286:'
    'AgABPQoAAAAAAAAAHgEAAAAAAABCGAl0ThAcyiSlXmfltp2Y8AYEcm93cwEAAQESAQVudWxscwEAAQESAQl2YXJpYWJsZXMBAAEBEgEHc2NhbGFycwEAAQESAQx0cmlwbGVzX2tlcHQBAAEBEgEGc3'
    'RhdGVzAgADAQEDB3NpbmdsZXMBAAYBIQ0FcGFpcnMBAAwBETAHdHJpcGxlcwEACAERIAdzcXVhcmVzAQABAREEAgADAQEEAAACAQIEAAAAAEAAAGBAAAAAAAAAgD8AAIA/AAAAAAAAgD8AAMA/AACA'
    'PwAAAEAAAIA/AAAAQAAAgD8AAMA/AAAAAAAAAAAAAIA/AADAPwAAgD8AAABAAAAAAAAAAAAAAMhA'::tlv_moments$$);

-- numbers beside the categories in a driver: columns of numbers are normal or counts in every class, and say of a row which it is
CREATE TABLE persons AS SELECT id, class, (ARRAY['red', 'green', 'blue'])[1 + (class + (h % 10 > 6)::int) % 3] AS colour, (h / 10 % 10 < 2 + 3 * class) AS member, (class + h / 100 % 3)::int AS visits,
    CASE WHEN id % 11 > 0 THEN (20 + 15 * class + (h / 1000 % 100) / 20.0)::float8 END AS age, floor(1 + 4 * class + (h / 7 % 4))::numeric AS bills
  FROM (SELECT id, id % 3 AS class, (hashint4(id)::bigint & 1073741823) AS h FROM generate_series(1, 600) id) q;
CREATE TABLE beside_model AS SELECT 'lca' AS name, tlv_lca('SELECT age, colour, member, visits, bills FROM persons', 3, layout => 'wide') AS model UNION ALL
    SELECT 'gom', tlv_gom('SELECT age, colour, member, visits, bills FROM persons', 3, layout => 'wide', iterations => 10) UNION ALL
    SELECT 'start', tlv_lca('SELECT age, colour, member, visits, bills FROM persons', 3, layout => 'wide', refine => 'none');
SELECT name, tlv_info(model) -> 'dimension_names' AS names FROM beside_model ORDER BY name;
SELECT name, tlv_ari(class, tlv_assign(model, p)) > .95 AS found FROM beside_model, persons p WHERE id % 5 = 0 GROUP BY name ORDER BY name;
SELECT n.dimension, dimension_name, array_agg(round(mean) ORDER BY mean) AS means, bool_and(variance > 0) AS positive FROM beside_model, tlv_means(model) n WHERE name = 'lca' GROUP BY 1, 2 ORDER BY 1;
SELECT count(*) FROM beside_model, tlv_covariances(model) WHERE name = 'lca';
SELECT DISTINCT variable_name FROM beside_model, tlv_categories(model) WHERE name = 'lca' ORDER BY 1;
SELECT tlv_assign(model, ROW('red'::text, true, 2, 30.0, NULL)) = tlv_assign(model, q) AS same
FROM beside_model, (SELECT 30 AS age, NULL::numeric AS bills, 2 AS visits, 'red'::text AS colour, true AS member) q WHERE name = 'lca';
SELECT (SELECT string_agg(round(e::numeric, 1)::text, ' ' ORDER BY o) FROM unnest(tlv_impute(model, ROW('red'::text, NULL::boolean, NULL::int, NULL::float8, NULL::numeric))) 
    WITH ORDINALITY q(e, o)) AS imputed FROM beside_model WHERE name = 'lca';
CREATE TABLE beside_step AS SELECT name, model, tlv_update(model, s) AS next, tlv_update(model, s, .5) AS half FROM (SELECT name, model, (SELECT tlv_rollup(s) FROM
    (SELECT tlv_statistics(p, model) AS s FROM persons p GROUP BY id % 2) h) AS s FROM beside_model OFFSET 0) u;
SELECT name, tlv_from_json(tlv_to_json(model)) = model AS json, (SELECT max(distance) < .2 FROM tlv_match(model, next)) AS near, (SELECT max(distance) < .2 FROM tlv_match(model, half)) AS decayed,
    (SELECT sum(tlv_log_likelihood(next, p)) > sum(tlv_log_likelihood(model, p)) - 5 FROM persons p WHERE id % 5 = 0) AS stands FROM beside_step ORDER BY name;
SELECT count(*) AS classes FROM tlv_components(tlv_lca('SELECT age, colour, member, visits, bills FROM persons', layout => 'wide', max_k => 5));
SELECT tlv_kind(tlv_lca('SELECT colour, member, visits, NULL::float8 AS nothing, 1.5 AS same FROM persons', 2, layout => 'wide')) AS constant;
SELECT fails(statement) FROM (VALUES
    ($$SELECT tlv_lca('SELECT age, bills FROM persons', 2, layout => 'wide')$$), ($$SELECT tlv_lca('SELECT colour, member, to_tsvector(colour::text) AS at FROM persons', 2, layout => 'wide')$$),
    ($$SELECT tlv_lca('SELECT colour, member, ''NaN''::float8 AS x FROM persons', 2, layout => 'wide')$$),
    ($$SELECT tlv_lca('SELECT colour, member, ''-Infinity''::float8 AS x FROM persons', 2, layout => 'wide')$$),
    ($$SELECT tlv_lca('SELECT colour, member, 1e100::float8 AS x FROM persons', 2, layout => 'wide')$$), ($$SELECT tlv_lca('SELECT id, colour, age FROM persons', 2)$$),
    ($$SELECT tlv_lca('SELECT colour, member, age FROM persons WHERE id < 0', 2, layout => 'wide')$$),
    ($$SELECT tlv_gom('SELECT colour, member, age FROM persons', 2, copies => 2, layout => 'wide')$$),
    ($$SELECT tlv_infer(model, '{0,1}'::float8[]) FROM beside_model WHERE name = 'lca'$$), ($$SELECT tlv_infer(model, '{0,.5,1,2,3}') FROM beside_model WHERE name = 'lca'$$),
    ($$SELECT tlv_infer(model, '{0,1,1,1e200,3}') FROM beside_model WHERE name = 'lca'$$),
    ($$SELECT tlv_infer(model, ROW('red'::text, true, 1, 'old'::text, 3)) FROM beside_model WHERE name = 'lca'$$),
    ($$SELECT tlv_infer(model, q) FROM beside_model, (SELECT 1 AS age) q WHERE name = 'lca'$$),
    ($$SELECT tlv_from_json(jsonb_set(tlv_to_json(model)::jsonb, '{scalar_variances}', '[[1, -1], [1, 1], [1, 1]]')::json) FROM beside_model WHERE name = 'lca'$$)) q(statement);

-- the same rows as (row, variable, category, number): the same model; a row as three arrays, in any order
CREATE TABLE persons_long AS SELECT id, variable, category, number FROM persons, LATERAL (VALUES ('colour', colour, NULL::float8), ('member', member::text, NULL),
    ('visits', visits::text, NULL), ('age', NULL, age), ('bills', NULL, bills)) q(variable, category, number) WHERE num_nonnulls(category, number) = 1;
INSERT INTO beside_model SELECT 'long', tlv_lca('SELECT * FROM persons_long', 3, layout => 'long');
SELECT bool_and(distance < 1e-9) AS same, (SELECT tlv_info(model) -> 'dimension_names' FROM beside_model WHERE name = 'long') AS names
FROM beside_model a, beside_model b, tlv_match(a.model, b.model) WHERE a.name = 'lca' AND b.name = 'long';
SELECT count(*), max(abs(x - y)) < 1e-12 AS same FROM (SELECT p.id, tlv_infer(model, p) AS w, tlv_infer(model, (SELECT ROW(array_agg(variable ORDER BY number), array_agg(category ORDER BY number),
    array_agg(number ORDER BY number)) FROM persons_long q WHERE q.id = p.id)) AS l FROM beside_model, persons p WHERE name = 'long') i, unnest(i.l, i.w) AS u(x, y);
SELECT (tlv_infer(model, ROW(ARRAY['age', 'colour', 'nobody'], ARRAY[NULL, 'red', 'x'], ARRAY[30, NULL, 2])) = tlv_infer(model, ROW('red'::text, NULL::boolean, NULL::int, 30, NULL::int))) AS unknown,
    tlv_infer(model, ROW(ARRAY['colour'], ARRAY['red'])) = tlv_infer(model, ROW('red'::text, NULL::boolean, NULL::int, NULL::int, NULL::int)) AS categories,
    tlv_infer(model, ROW(ARRAY['bills'], ARRAY[9])) = tlv_infer(model, ROW(NULL::text, NULL::boolean, NULL::int, NULL::int, 9)) AS numbers FROM beside_model WHERE name = 'long';
SELECT tlv_update(model, (SELECT tlv_statistics(r, model) FROM (SELECT ROW(array_agg(variable), array_agg(category), array_agg(number)) AS r FROM persons_long GROUP BY id) q)) IS NOT NULL AS updated
FROM beside_model WHERE name = 'long';
SELECT tlv_kind(tlv_lca('SELECT id, variable, category, NULL::int FROM persons_long', 2, layout => 'long')) AS none,
    (SELECT message FROM tlv_warnings(tlv_gom($$SELECT * FROM persons_long 
      UNION ALL SELECT NULL, 'age', NULL, 4 UNION ALL SELECT 5, NULL, 'red', NULL$$, 2, layout => 'long', iterations => 1)) WHERE code = 'rows_skipped') AS left_out;
SELECT fails(statement) FROM (VALUES
    ($$SELECT tlv_lca('SELECT id, variable, category, 1.5 FROM persons_long', 2, layout => 'long')$$),
    ($$SELECT tlv_lca('SELECT id, variable, NULL::text, 1.5 FROM persons_long', 2, layout => 'long')$$),
    ($$SELECT tlv_lca('SELECT id, variable, NULL::text, NULL::int FROM persons_long', 2, layout => 'long')$$),
    ($$SELECT tlv_lca('SELECT id, variable, category, variable FROM persons_long', 2, layout => 'long')$$),
    ($$SELECT tlv_lca('SELECT * FROM persons_long UNION ALL SELECT 1, ''age'', NULL, 3', 2, layout => 'long')$$), ($$SELECT tlv_gom('SELECT * FROM persons_long', 2, copies => 2, layout => 'long')$$),
    ($$SELECT tlv_lca('SELECT id, variable, category, CASE WHEN variable = ''age'' THEN ''NaN''::float8 END FROM persons_long', 2, layout => 'long')$$),
    ($$SELECT tlv_lca('SELECT id, variable, category, number * 1e100 FROM persons_long', 2, layout => 'long')$$),
    ($$SELECT tlv_infer(model, ROW(ARRAY['age', 'age'], ARRAY[NULL, 'x'], ARRAY[3, 4])) FROM beside_model WHERE name = 'long'$$),
    ($$SELECT tlv_infer(model, ROW(ARRAY['age'], ARRAY[NULL::text], ARRAY[3, 4])) FROM beside_model WHERE name = 'long'$$),
    ($$SELECT tlv_infer(model, ROW(ARRAY['age'], ARRAY[NULL::text], NULL::int[])) FROM beside_model WHERE name = 'long'$$),
    ($$SELECT tlv_infer(model, ROW(ARRAY['age'], ARRAY['3'], ARRAY['3'])) FROM beside_model WHERE name = 'long'$$),
    ($$SELECT tlv_infer(model, ROW(ARRAY['age'], ARRAY['3'])) FROM beside_model WHERE name = 'long'$$)) q(statement);

-- variables of many categories
CREATE TABLE coarse AS SELECT id, id % 2 AS class, 'q' || j AS question, CASE WHEN h % 4 = 0 THEN h / 8 % 150 ELSE h / 8 % 75 * 2 + id % 2 END AS answer
FROM generate_series(1, 2000) id, generate_series(1, 6) j, LATERAL (SELECT hashint4(id * 6 + j)::bigint & 1073741823 AS h) r;
CREATE TABLE fine AS SELECT tlv_lca('SELECT id, question, answer FROM coarse', 2) AS lca, tlv_gom('SELECT id, question, answer FROM coarse', 2, iterations => 5) AS gom;
SELECT (SELECT count(*) FROM tlv_categories(lca) WHERE component = 1) AS categories, tlv_ari(class, tlv_assign(lca, r)) > .8 AS classes, tlv_ari(class, tlv_assign(gom, r)) > .8 AS memberships
FROM fine, (SELECT class, ROW(array_agg(question), array_agg(answer)) AS r FROM coarse GROUP BY id, class) q GROUP BY lca;
SELECT tlv_from_json(tlv_to_json(lca)) = lca AS json, lca::text::tlv_model = lca AS text FROM fine;
SELECT fails($$SELECT tlv_lca('SELECT ARRAY[id * 10, id % 3, id % 5] FROM generate_series(1, 1001) id', 2)$$);
DROP TABLE persons_long, coarse, fine;

-- nonnegative factors of groups of variables
SELECT bool_and(m.distance < 0.08) AS near FROM (VALUES ('partition'), ('partition-pqp')) q(method),
    tlv_match(tlv_simulate_gom_model(15, 3, seed => 2), (SELECT tlv_fit_gom(tlv_category_moments(v), 3, method => q.method) FROM members)) m;
SELECT fails($$SELECT tlv_fit_gom(tlv_category_moments(v), 30, method => 'partition') FROM members$$);

-- tables that show fewer components than were asked for, or none, have a model, and it is said
CREATE TABLE odd (set text, id int, question text, answer text);
INSERT INTO odd SELECT 'one variable', i, 'q', i % 3 FROM generate_series(1, 50) i;
INSERT INTO odd SELECT 'two variables', i, 'q' || j, i % 3 FROM generate_series(1, 50) i, generate_series(1, 2) j;
INSERT INTO odd SELECT 'constant', i, 'q' || j, 'x' FROM generate_series(1, 50) i, generate_series(1, 6) j;
INSERT INTO odd SELECT 'one row', 1, 'q' || j, j % 2 FROM generate_series(1, 6) j;
INSERT INTO odd SELECT 'two kinds of rows', i, 'q' || j, i % 2 FROM generate_series(1, 200) i, generate_series(1, 8) j;
SELECT set, family, k, (SELECT count(*) FROM tlv_components(model)) AS components,
  (SELECT string_agg(DISTINCT code, ', ') FROM tlv_warnings(model) WHERE code IN ('fewer_components', 'not_identified')) AS warned,
  (SELECT count(*) > 0 FROM tlv_warnings(model) WHERE code IN ('empty_component', 'components_alike') AND component > 2) AS superfluous
FROM unnest(ARRAY['one variable', 'two variables', 'constant', 'one row', 'two kinds of rows']) set, unnest(ARRAY['lca', 'gom']) family, unnest(ARRAY[1, 2, 4]) k,
  LATERAL (SELECT CASE family WHEN 'lca' THEN tlv_lca(q, k) ELSE tlv_gom(q, k) END AS model FROM format('SELECT id, question, answer FROM odd WHERE set = %L', set) q) f
WHERE k < 4 OR set = 'two kinds of rows' ORDER BY set, family DESC, k;
SELECT message, hint FROM tlv_warnings(tlv_lca('SELECT id, question, answer FROM odd WHERE set = ''constant''', 2));
SELECT (SELECT count(*) FROM tlv_components(tlv_lca(q))) AS classes, (SELECT count(*) FROM tlv_components(tlv_gom(q))) AS memberships
FROM format('SELECT id, question, answer FROM odd WHERE set = %L', 'constant') q;
-- 34 of 37 components are empty: rounding decides which, and what else the fit warns of
SET tensorlv.warnings = off;
SELECT w.code, w.score, w.message FROM tlv_warnings(tlv_lca('SELECT v FROM wide', 38)) w WHERE code = 'fewer_components';
RESET tensorlv.warnings;
-- a category seen once, and rows of nothing but NULL
SELECT c.component, c.category_name, c.probability < 0.1 AS rare
FROM tlv_categories(tlv_lca('SELECT id, question, CASE WHEN id = 7 AND question = ''q1'' THEN ''once'' ELSE answer END FROM odd WHERE set = ''two kinds of rows''', 2)) c
WHERE category_name = 'once' ORDER BY 1;
SELECT w.code, w.score FROM tlv_warnings(tlv_lca('SELECT CASE WHEN id % 4 > 0 THEN id END, CASE WHEN id % 5 > 0 THEN question END, CASE WHEN id % 3 > 0 THEN answer END
  FROM odd WHERE set = ''two kinds of rows''', 2)) w;
SELECT fails($$SELECT tlv_gom('SELECT NULL::int, NULL::text, NULL::text FROM odd', 2)$$);
DROP TABLE odd;

-- what is refused
SELECT fails($$SELECT tlv_gom('SELECT * FROM alleles', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT id, 1, 1 FROM long', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT v FROM wide WHERE id < 0', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT id, question, answer FROM long WHERE id < 0', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT id, question, NULL::text FROM long', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT id, answer FROM long', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT id, question, 1.5 FROM long', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT i, ''a'', i::text FROM generate_series(1, 10001) i', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT id, question, repeat(answer, 1000000) FROM long WHERE id < 3', 2)$$);
SELECT fails($$SELECT tlv_lca('SELECT v FROM wide', 2, copies => 5)$$);
SELECT fails($$SELECT tlv_lca('SELECT v FROM wide', 2, criterion => 'aic')$$);
SELECT fails($$SELECT tlv_gom('SELECT v FROM wide', 2, alpha0 => -1)$$);
-- k from tables alone: as many as the pairs show; one component, with a warning, where variables are independent
SELECT s.k, seed, (SELECT count(*) FROM tlv_components(lca)) AS classes, (SELECT count(*) FROM tlv_components(gom)) AS memberships, (SELECT string_agg(code, ' ') FROM tlv_warnings(lca)) AS warning
FROM (VALUES (1, 8), (2, 8), (3, 12), (5, 20)) AS s(k, p), generate_series(1, 2) seed,
  LATERAL (SELECT tlv_fit_lca(tlv_category_moments(v)) AS lca FROM tlv_simulate_lca(tlv_simulate_lca_model(p, s.k, seed => seed), 5000, seed)) l,
  LATERAL (SELECT tlv_fit_gom(tlv_category_moments(v)) AS gom FROM tlv_simulate_gom(tlv_simulate_gom_model(p, s.k, alpha => .1, seed => seed), 5000, seed)) g ORDER BY 1, 2;
SELECT fails($$SELECT tlv_fit_lca(tlv_category_moments(v), 0) FROM wide$$);
SELECT fails($$SELECT tlv_fit_lca(tlv_dense_moments(v::float8[], 2), 2) FROM wide$$);
SELECT fails($$SELECT tlv_fit_lca(tlv_category_moments('{1,1,1}'::int[]), 2)$$);
-- two of three variables are known in each row: there are pairs, and no triples
SELECT fails($$SELECT tlv_fit_lca(tlv_category_moments(ARRAY[CASE WHEN i % 3 <> 0 THEN i % 2 END, CASE WHEN i % 3 <> 1 THEN i % 2 END, CASE WHEN i % 3 <> 2 THEN i % 2 END]), 2)
  FROM generate_series(1, 60) i$$);
SELECT fails($$SELECT tlv_infer(model, '{1,2}') FROM lca WHERE name = 'wide'$$);
SELECT fails($$SELECT tlv_update(a.model, tlv_statistics(v, b.model)) FROM wide, lca a, lca b WHERE a.name = 'wide' AND b.name = 'long' GROUP BY a.model, b.model$$);
SELECT fails($$SELECT tlv_means(model) FROM lca WHERE name = 'wide'$$);
SELECT fails($$SELECT tlv_simulate_lca_model(0, 2)$$);
SELECT fails($$SELECT tlv_simulate_lca(tlv_simulate_gom_model(3, 2), 2)$$);

DROP TABLE truth, wide, long, lca, by_name, step, members, alleles, persons, beside_model, beside_step;
DROP FUNCTION fails(text);

-- the largest k that was tried is said to be so
SELECT m.k, (SELECT count(*) FROM tlv_components(model)) AS components, (SELECT string_agg(w.message || '; ' || w.hint, '') FROM tlv_warnings(model) w WHERE code = 'k_at_limit') AS warned
FROM (VALUES (2), (20)) m(k), LATERAL (SELECT tlv_lca('SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(12, 4, seed => 3), 1000)', max_k => m.k) AS model) f ORDER BY 1;
-- A k that was chosen has no component of less than one row.
CREATE TABLE lone AS SELECT format('group %s', i % 3) AS section, format('unit %s', (i * 7) % 11 % (i % 3 + 2)) AS unit, (i % 3) * 2 + sqrt(i % 17) AS size FROM generate_series(1, 300) i;
SELECT count(*) > 1 AS several, min(weight) * 300 >= 1 AS occupied FROM tlv_components((SELECT tlv_lca('SELECT section, unit, size FROM lone', layout => 'wide')));
DROP TABLE lone;
-- A sample without a category of all rows does not make its variable a constant.
SELECT (SELECT count(*) FROM tlv_categories(m) WHERE variable = 1) AS seen, (SELECT count(*) FROM tlv_warnings(m) WHERE code = 'dependent_columns') AS warned
FROM tlv_lca('SELECT ARRAY[(i = 10)::int, i % 50, i / 50 % 50, i / 2500, 7] FROM generate_series(1, 120000) i', 1, refine => 'none') m;
-- The empty string is a category's name.
CREATE TABLE empty_names AS SELECT (ARRAY['', '0', 'b'])[1 + i % 3] AS a, (ARRAY['x', '', 'y'])[1 + i * 5 % 7 % 3] AS b, (ARRAY['', 'z'])[1 + i % 5 % 2] AS c FROM generate_series(1, 300) i;
SELECT variable_name, array_agg(category_name ORDER BY category) AS names FROM tlv_categories((SELECT tlv_lca('SELECT a, b, c FROM empty_names', 1, layout => 'wide'))) GROUP BY 1 ORDER BY 1;
SELECT child, array_agg(DISTINCT child_state_name) AS names
FROM tlv_tree_parameters((SELECT tlv_tree('SELECT a, b, c FROM empty_names', layout => 'wide'))) WHERE child IN ('a', 'b', 'c') GROUP BY 1 ORDER BY 1;
DROP TABLE empty_names;
-- four far-out rows, whose mean and spread are uncertain, differ from the other rows nevertheless
SELECT (SELECT count(*) FROM tlv_components(m) WHERE weight < 0.02) AS of_far_rows, (SELECT count(*) FROM tlv_warnings(m) WHERE code = 'components_alike') AS alike
FROM tlv_lca($$SELECT i % 2 AS a, i % 4 < 2 AS b, 20 * (i % 2) + sin(i * 12.9898) + sin(i * 78.233) +
                      CASE WHEN i > 592 AND i % 2 = 1 THEN (ARRAY[12, 25, 60, -28])[(i - 591) / 2] ELSE 0 END::float8 AS x
               FROM generate_series(1, 600) i$$, 3, layout => 'wide') AS m;
-- threads change no bit of a model, with numbers and missing values among the categories or not, of classes and of memberships
CREATE TABLE many AS SELECT CASE WHEN id % 13 > 0 THEN v[1] END AS a, v[2] AS b, v[3] AS c, CASE WHEN id % 7 > 0 THEN v[4] + sin(id) END AS x, v
FROM tlv_simulate_lca(tlv_simulate_lca_model(12, 3, seed => 2), 30000);
CREATE VIEW many_fits AS SELECT tlv_gom('SELECT v FROM many LIMIT 6000', 3) AS memberships,
       tlv_gom('SELECT a, b, c, x FROM many', 2, layout => 'wide') AS of_numbers, tlv_lca('SELECT v FROM many', 3) AS classes;
CREATE TABLE many_one AS SELECT * FROM many_fits;
SET tensorlv.threads = 2;
SELECT f.memberships = o.memberships AS memberships, f.of_numbers = o.of_numbers AS of_numbers, f.classes = o.classes AS classes FROM many_fits f, many_one o;
RESET tensorlv.threads;
DROP VIEW many_fits;
DROP TABLE many, many_one;
-- amounts and durations are skewed in every class: three classes of them are three, and keep their distribution; a row without one has none
CREATE FUNCTION skewed(kind text, u float8, z float8, mean float8) RETURNS float8 LANGUAGE sql AS $$
  SELECT CASE kind WHEN 'log-normal' THEN mean * exp(.5 * z) WHEN 'exponential' THEN -ln(1 - u) * mean WHEN 'price' THEN ceil(mean * exp(.6 * z)) ELSE mean + mean / 5 * z END $$;
CREATE TABLE skewed_rows AS SELECT kind, i, h, format('a%s', (h + (r[1] < .2)::int) % 3) AS a, format('b%s', (h + (r[2] < .2)::int) % 2) AS b,
       skewed(kind, r[3], sqrt(-2 * ln(1 - r[5])) * cos(6.283185307179586 * r[3]), 20 * exp(h)) AS amount,
       skewed(kind, r[4], sqrt(-2 * ln(1 - r[6])) * cos(6.283185307179586 * r[4]), 150 * exp(-.8 * h)) AS duration
FROM unnest('{log-normal,exponential,price,normal}'::text[]) kind, generate_series(1, 900) i, LATERAL (SELECT i % 3 AS h) c,
     LATERAL (SELECT array_agg((hashint4(i * 10 + j)::bigint & 1073741823) / 1073741824.0::float8) AS r FROM generate_series(1, 6) j) d;
CREATE TABLE skewed_models AS SELECT kind, tlv_lca(format('SELECT a, b, amount, duration FROM skewed_rows WHERE kind = %L', kind), layout => 'wide') AS model
FROM unnest('{log-normal,exponential,price,normal}'::text[]) kind;
SELECT kind, (SELECT count(*) FROM tlv_components(model)) AS classes, tlv_to_json(model)::jsonb->'scalar_counts' AS forms,
       (SELECT sum(n) / 900 > .85
        FROM (SELECT max(n) AS n FROM (SELECT h, tlv_assign(model, r) AS class, count(*) AS n FROM skewed_rows r WHERE r.kind = s.kind GROUP BY 1, 2) q GROUP BY h) q) AS assigned
FROM skewed_models s ORDER BY kind;
SELECT kind, tlv_to_json(model)::jsonb->'scalar_counts' = tlv_to_json(next)::jsonb->'scalar_counts' AS forms_stay,
       (SELECT max(abs(ln(a.mean / b.mean))) < .02 FROM tlv_means(model) a JOIN tlv_means(next) b USING (component, dimension)) AS stands
FROM (SELECT s.kind, s.model, tlv_update(s.model, tlv_statistics(r, s.model)) AS next
      FROM skewed_models s JOIN skewed_rows r ON r.kind = s.kind GROUP BY s.kind, s.model) q ORDER BY kind;
SELECT tlv_infer(model, ROW('a1', 'b1', 0, 50.0)) = tlv_infer(model, ROW('a1', 'b1', NULL, 50.0)) AS as_missing FROM skewed_models WHERE kind = 'price';
DROP TABLE skewed_rows, skewed_models;
DROP FUNCTION skewed(text, float8, float8, float8);
