--
-- What warnings say of columns, variables and components has their names.
--
\set QUIET on
SET client_min_messages = error;
CREATE TABLE parts AS SELECT sin(i * 1.7) * 2 + i % 3 * 5 AS length, cos(i * 2.3) + i % 3 * 4 AS width, sin(i * i * .37) AS mass, i % 3 AS series FROM generate_series(1, 300) i;
CREATE FUNCTION warned(model tlv_model, wanted text) RETURNS SETOF text LANGUAGE sql AS $$SELECT message || ' (' || score || ')' FROM tlv_warnings(model) WHERE code = wanted$$;
\set QUIET off

-- 1. mixtures by moments: constant columns and linear combinations, and what they are combinations of
SELECT warned(tlv_gmm('SELECT length, width, 5 AS zero, length + 2 * width - 1 AS total, mass FROM parts', 3, refine => 'none'), 'dependent_columns') ~
  '^column "zero" is constant, and column "total" is a linear combination of columns "length" and "width" \(' AS both;
SELECT regexp_replace(warned(tlv_gmm(q, 3, c, refine => 'none'), 'dependent_columns'), ' \(.*', '') FROM unnest(ARRAY['spherical', 'full']) c,
  unnest(ARRAY['length, width, 1 AS a, 2 AS b, 3 AS c, 4 AS d, mass', 'length, width, mass, length / 7 AS copy',
     'length, width, width - length AS a, mass, mass * 2 AS b, length + mass AS c, width * 3 AS d',
    'length, width * 1e4 AS large, mass * 1e-6 AS small', 'length, width, mass, length + width * 1e-2 + mass * 1e2 AS of_three, 0 AS "Zero ""0"""']) l,
  LATERAL (SELECT 'SELECT ' || l || ' FROM parts' AS q) f;
SELECT regexp_replace(warned(tlv_fit_gmm(tlv_dense_moments(ARRAY[length, 5, width, mass, width + mass], 3), 2), 'dependent_columns'), ' \(.*', '') AS numbers FROM parts;
-- in the directions of a subspace that has all of the variance
SELECT regexp_replace(warned(tlv_fit_gmm(tlv_dense_moments(x, s), 3), 'dependent_columns'), ' \(.*', '') AS subspace FROM (SELECT ARRAY[length, 5, width, mass, width + mass] AS x FROM parts) q,
  (SELECT tlv_find_subspace(tlv_dense_moments(ARRAY[length, 5, width, mass, width + mass], 2), 3) AS s FROM parts) f;
-- the columns of three categories are one too many; a copy that is rounded to three decimals is none
SELECT regexp_replace(warned(tlv_gmm('SELECT length, (series = 0)::int AS a, (series = 1)::int AS b, (series = 2)::int AS c, mass FROM parts', 2, refine => 'none'),
  'dependent_columns'), ' \(.*', '') AS dummies,
  warned(tlv_gmm('SELECT length, round(length::numeric, 3) AS rounded, width, mass FROM parts', 2, refine => 'none'), 'dependent_columns') AS rounded;

-- 2. trees: constant variables, groups of columns that depend on each other, and variables without an edge
SELECT warned(tlv_tree('SELECT length, width, 1 AS a, mass, 2 AS b, 3 AS c, 4 AS d FROM parts', layout => 'wide'), 'dependent_columns');
SELECT warned(tlv_tree('SELECT length, width, 1 AS a, mass, 2 AS b, 3 AS c, 4 AS d FROM parts', layout => 'wide'), 'forest');
SELECT warned(tlv_fit_tree(tlv_dense_moments(ARRAY[length, width, 1, mass], 2), names => '{length,width,"a \"1\"",mass}'), w)
FROM parts, unnest(ARRAY['dependent_columns', 'forest']) w GROUP BY w ORDER BY w;
SELECT warned(tlv_fit_tree(tlv_dense_moments(ARRAY[length, 1, width, mass, 2], 2), groups => '{1,1,2,3,3}'), 'dependent_columns') FROM parts;
SELECT tlv_fit_tree(tlv_dense_moments(ARRAY[length, width, mass, width * 2], 2), groups => '{1,2,3,2}', names => '{length,width,mass}') FROM parts;
SELECT warned(tlv_tree('SELECT i % 2 AS a, (i + (i % 9 = 0)::int) % 2 AS b, i / 2 % 2 AS c, (i / 2 + (i % 7 = 0)::int) % 2 AS d FROM generate_series(1, 6300) i', layout => 'wide'), 'forest') AS pairs;

-- 3. floors: components, and the numbers of the views
CREATE TABLE views AS SELECT ARRAY[series * 5 + sin(i * 1.1), series] AS sizes, ARRAY[series * 3 + cos(i * .7)] AS weights, ARRAY[mass + series * 4, 2] AS prices
  FROM (SELECT *, row_number() OVER () AS i FROM parts) p;
SELECT warned(tlv_multiview('TABLE views', 3, refine => r), 'variances_at_floor') FROM unnest(ARRAY['em', 'none']) r;
SELECT warned(tlv_multiview('SELECT sizes AS a, weights AS a, prices FROM views', 3, refine => 'em'), 'variances_at_floor');
SELECT warned(tlv_multiview('SELECT ARRAY[sizes[1], 7], ARRAY[weights[1]], ARRAY[prices[1]] FROM views', 3, refine => 'em'), 'variances_at_floor');
SELECT tlv_info(tlv_multiview('SELECT ARRAY[sizes[1]] AS a, weights AS b, ARRAY[prices[1]] AS c FROM views', 3)) -> 'dimension_names' AS of_views;
SELECT warned(tlv_gmm('SELECT length, CASE WHEN series < 2 THEN series ELSE mass END AS part FROM parts', 3, 'diagonal'), 'variances_at_floor');
SELECT warned(tlv_gmm('SELECT length, 1 AS one FROM parts', 2), 'variances_at_floor');
SELECT warned(tlv_gmm('SELECT CASE WHEN series = 0 THEN 1 ELSE length END AS a, CASE WHEN series = 0 THEN 0 ELSE width END AS b FROM parts', 2, 'direction'), 'variances_at_floor');

-- 4. communities and topics
SELECT w.message FROM tlv_warnings(tlv_mmsb('SELECT i, 100 FROM generate_series(1, 40) i', 4)) w WHERE w.code = 'empty_component';

-- 5. independent components: which ones, and the column that each is strongest in; residuals: the column that components explain least
CREATE TABLE gaussian AS SELECT x[1] AS a, x[2] AS "Länge", x[3] AS c, x FROM tlv_simulate_ica(400, 3, sources => 'gaussian', seed => 2);
SELECT warned(tlv_ica(q, noise => n), w) ~ r AS named
FROM (VALUES ('SELECT a, "Länge", c FROM gaussian', false, 'not_identified', '^components 1 \(strongest in column "(a|Länge|c)"\), 2 \(strongest in column "(a|Länge|c)"\) and 3 \(strongest in'),
  ('SELECT x FROM gaussian', false, 'not_identified', '^components 1 \(strongest in column "x"\[[123]\]\), 2 \(strongest in column "x"\[[123]\]\) and 3 \(strongest in column "x"\[[123]\]\) have no'),
  ('SELECT a, "Länge", c FROM gaussian', true, 'uncertain_directions', '^sampling error leaves the directions of components 1 \(strongest in column "(a|Länge|c)"\), 2 '),
  ('SELECT x[1] AS one, x[2] AS two, x[3] AS three, x[4] AS four FROM tlv_simulate_ica(20000, 4, noise => 1, seed => 3)', false, 'gaussian_noise',
    'most of all component [1-4] \(strongest in column "(one|two|three|four)"\)'),
  ('SELECT x FROM tlv_simulate_ica(2000, 16, sources => ''gaussian'', seed => 4)', false, 'large_residual', 'least that of column "x"\[([1-9]|1[0-6])\] \(')) v(q, n, w, r);
-- named by a component's number after steps over the rows, too, and where the moments alone are given
SELECT (SELECT message FROM tlv_warnings(u) WHERE code = 'not_identified') ~ 'strongest in column "Länge"' AS updated, warned(f, 'not_identified') ~ 'strongest in column [123]' AS moments
FROM (SELECT tlv_ica('SELECT a, "Länge", c FROM gaussian', 3) AS m, tlv_fit_ica(tlv_dense_moments(x, 4), 3) AS f FROM gaussian) q,
  LATERAL (SELECT tlv_update(m, tlv_statistics(x, m)) AS u FROM gaussian) n;
SELECT regexp_replace(warned(tlv_gmm(q, 3, refine => 'none'), 'large_residual'), ' \(.*', '') AS residual
FROM (VALUES ('SELECT exp(sin(i * 1.7) * 2) AS "große Zahl", cos(i * 2.3) AS b, sin(i * 3.1) AS c, i % 3 * 4.0 AS d FROM generate_series(1, 300) i'),
  ('SELECT ARRAY[exp(sin(i * 1.7) * 2), cos(i * 2.3), sin(i * 3.1), i % 3 * 4.0] FROM generate_series(1, 300) i')) v(q);

-- and the item, the symbol, the number or the category of a view, and the node
SELECT regexp_replace(warned(m, 'large_residual'), ' \(0.*', '') AS residual FROM (VALUES
  (tlv_lda($$SELECT i / 7, 'w"' || (hashint4(i) & 1023) % (3 + i % 19) FROM generate_series(1, 2000) i$$, 6, refine => 'none', method => 'tensor')),
  (tlv_lda($$SELECT i / 7, (hashint4(i) & 1023) % (3 + i % 19) FROM generate_series(1, 2000) i$$, 6, refine => 'none', method => 'tensor')),
  (tlv_hmm($$SELECT i % 30, i, 's' || (hashint4(i) & 1023) % (2 + i % 5) FROM generate_series(1, 900) i$$, 4, refine => 'none')),
  (tlv_multiview('SELECT x1 AS sizes, x2, x3 AS "Länge" FROM tlv_simulate_multiview(tlv_simulate_multiview_model(''{4,4,4}'', 4, separation => 1, seed => 3), 60, seed => 3)', 3, refine => 'none')),
  (tlv_multiview('SELECT ''c'' || category1, category2, category3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(categories => ''{5,5,5}'', k => 3, seed => 15), 100, seed => 15)',
    3, refine => 'none')),
  (tlv_mmsb($$SELECT 'n' || a, 'n' || b FROM generate_series(1, 60) a, generate_series(1, 60) b WHERE a < b AND abs(hashint4(a * 100 + b + 28)) % 4 = 0$$, 4, alpha0 => 0.5, refine => 'none'))) v(m);

-- 6. numbers in messages follow the components: where topics or atoms are put in another order by a step, and where components are merged or go
CREATE TABLE numbered AS SELECT tlv_lca('SELECT i % 2 AS a, i % 3 AS b, i % 5 AS c FROM generate_series(1, 900) i', 4, layout => 'wide') AS m;
CREATE TABLE noted AS SELECT tlv_from_json(jsonb_set(tlv_to_json(m)::jsonb, '{warnings}', jsonb_agg(jsonb_build_object(
  'code', 'components_alike', 'component', c, 'score', 1, 'message', t, 'hint', 'h')))::json) AS m
FROM numbered, (VALUES (0, 'components 1 (strongest in column "topic 4 (of) it"), 3 and 4 are 4 of class 4, and 2 communities'),
  (4, 'component 4 differs from component 3 by 3'),
  (3, 'topic 3'), (2, 'atom 2'),
  (0, 'states 1, 3, 4 and 1 more; state 3, template 4; column 3 and "state 3"'), (0, 'components 1 and 2 overlap'), (0, 'the states3 and 3 substates 3, k = 3')) v(c, t) GROUP BY m;
SELECT what, w.component, w.message FROM noted, LATERAL (VALUES ('as it is', m), ('merged', tlv_merge(m, '{1,2}')), ('aligned', tlv_align(m, tlv_merge(m, '{1,3}')))) v(what, n), tlv_warnings(n) w
WHERE what <> 'aligned' OR message ~ '^(components 1 \(|component \d|states)' ORDER BY what, component, message COLLATE "C";
SELECT w.component, bool_and(w.message ~ ('atom ' || w.component)) AS own FROM (SELECT tlv_dictionary('SELECT length, width, mass, length + width AS both FROM parts', 3, 1) AS m OFFSET 0) d,
  LATERAL (SELECT tlv_update(m, tlv_statistics(ARRAY[length, width, mass, length + width], m)) AS n FROM parts WHERE length > 11) u, tlv_warnings(n) w WHERE w.component > 0 GROUP BY 1 ORDER BY 1;
-- a step after which components would have another order leaves numbers and messages as they are, in every family
CREATE TEMP TABLE lopsided AS SELECT i % 10 < 6 AS first, CASE WHEN i % 10 < 6 THEN -5 ELSE 5 END + sin(i) AS x, CASE WHEN i % 10 < 6 THEN -5 ELSE 5 END + cos(i * 7) AS y,
  ARRAY(SELECT (CASE WHEN i % 10 < 6 THEN 1 ELSE 2 END + (hashint4(i * 9 + j) % 10 = 0)::int) % 2 FROM generate_series(1, 4) j) AS v FROM generate_series(1, 300) i;
CREATE TEMP TABLE stepped AS SELECT name, tlv_from_json(jsonb_set(tlv_to_json(m)::jsonb, '{warnings}', jsonb_build_array(
    jsonb_build_object('code', 'components_alike', 'component', 2, 'score', 1, 'message', 'component 2 is noted', 'hint', 'h'),
    jsonb_build_object('code', 'components_overlap', 'component', 0, 'score', 1, 'message', 'components 1 and 2 are noted, component 2 more', 'hint', 'h')))::json) AS m
FROM (VALUES ('gmm', tlv_gmm('SELECT x, y FROM lopsided', 2)), ('lca', tlv_lca('SELECT v FROM lopsided', 2)),
  ('views', tlv_multiview('SELECT v[1], v[2], v[3] FROM lopsided', 2)), ('ica', tlv_ica('SELECT x, y FROM lopsided', 2, keep_gaussian => true))) f(name, m);
SELECT name, w.component, w.message FROM (
    SELECT name, m, tlv_update(m, CASE name WHEN 'lca' THEN (SELECT tlv_statistics(v, m) FROM lopsided WHERE NOT first OR x > -4.9)
    WHEN 'views' THEN (SELECT tlv_statistics(v[1], v[2], v[3], m) FROM lopsided WHERE NOT first OR x > -4.9)
    ELSE (SELECT tlv_statistics(ARRAY[x, y], m) FROM lopsided WHERE NOT first OR x > -4.9) END) AS n FROM stepped) s, tlv_warnings(n) w WHERE w.message ~ 'noted' ORDER BY name, component;
-- a step says how many rows of the batch were skipped, and the model that comes of it is about its own rows
RESET client_min_messages;
SELECT (SELECT count(*) FROM tlv_warnings(n) WHERE code = 'rows_skipped') AS kept FROM (SELECT tlv_gmm('SELECT length, width FROM parts', 2) AS m OFFSET 0) g,
  LATERAL (SELECT tlv_update(m, tlv_statistics(ARRAY[length, CASE WHEN series > 0 THEN width END], m), 0.1) AS n FROM parts) u;
SET client_min_messages = error;
DROP FUNCTION warned(tlv_model, text);
DROP TABLE parts, views, gaussian, numbered, noted, lopsided, stepped;

-- names that are not ASCII stay in the warnings of a value that is written and read again, and in all that shows them
CREATE TEMP TABLE places AS SELECT CASE WHEN i % 4 > 0 THEN sin(i) END AS "Länge, mm", cos(i) AS "幅", 1 AS "größe" FROM generate_series(1, 240) i;
SET client_min_messages = error;
CREATE TEMP TABLE placed AS SELECT tlv_gmm('SELECT "Länge, mm", "幅", "größe" FROM places', 1) AS m;
SELECT code, message FROM placed, tlv_warnings(m::text::tlv_model) ORDER BY code;
SELECT (tlv_from_json(tlv_to_json(m)) = m) AS json, tlv_info(m)->'warnings' IS NOT NULL AS info, (SELECT doubts FROM tlv_summary(m) WHERE component = 0) LIKE '%Länge%größe%' OR
  (SELECT doubts FROM tlv_summary(m) WHERE component = 0) LIKE '%größe%Länge%' AS summary FROM placed;
RESET client_min_messages;
