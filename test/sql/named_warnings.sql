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
SELECT w.message FROM tlv_warnings(tlv_mmsb('SELECT i, i % 2 + 100 FROM generate_series(1, 40) i', 6)) w WHERE w.code = 'empty_component';

-- 5. independent components: which ones, and the column that each is strongest in; residuals: the column that components explain least
CREATE TABLE gaussian AS SELECT x[1] AS a, x[2] AS "Länge", x[3] AS c, x FROM tlv_simulate_ica(400, 3, sources => 'gaussian', seed => 2);
SELECT warned(tlv_ica(q, noise => n), w) ~ r AS named
FROM (VALUES ('SELECT a, "Länge", c FROM gaussian', false, 'not_identified', '^components 1 \(strongest in column "(a|Länge|c)"\), 2 \(strongest in column "(a|Länge|c)"\) and 3 \(strongest in'),
  ('SELECT x FROM gaussian', false, 'not_identified', '^components 1 \(strongest in column [123]\), 2 \(strongest in column [123]\) and 3 \(strongest in column [123]\) have no'),
  ('SELECT a, "Länge", c FROM gaussian', true, 'uncertain_directions', '^sampling error leaves the directions of components 1 \(strongest in column "(a|Länge|c)"\), 2 '),
  ('SELECT x[1] AS one, x[2] AS two, x[3] AS three, x[4] AS four FROM tlv_simulate_ica(20000, 4, noise => 1, seed => 3)', false, 'gaussian_noise',
    'most of all component [1-4] \(strongest in column "(one|two|three|four)"\)'),
  ('SELECT x FROM tlv_simulate_ica(2000, 16, sources => ''gaussian'', seed => 4)', false, 'large_residual', 'least that of column ([1-9]|1[0-6]) \(')) v(q, n, w, r);
-- named by a component's number after steps over the rows, too, and where the moments alone are given
SELECT (SELECT message FROM tlv_warnings(u) WHERE code = 'not_identified') ~ 'strongest in column "Länge"' AS updated, warned(f, 'not_identified') ~ 'strongest in column [123]' AS moments
FROM (SELECT tlv_ica('SELECT a, "Länge", c FROM gaussian', 3) AS m, tlv_fit_ica(tlv_dense_moments(x, 4), 3) AS f FROM gaussian) q,
  LATERAL (SELECT tlv_update(m, tlv_statistics(x, m)) AS u FROM gaussian) n;
SELECT regexp_replace(warned(tlv_gmm(q, 3, refine => 'none'), 'large_residual'), ' \(.*', '') AS residual
FROM (VALUES ('SELECT exp(sin(i * 1.7) * 2) AS "große Zahl", cos(i * 2.3) AS b, sin(i * 3.1) AS c, i % 3 * 4.0 AS d FROM generate_series(1, 300) i'),
  ('SELECT ARRAY[exp(sin(i * 1.7) * 2), cos(i * 2.3), sin(i * 3.1), i % 3 * 4.0] FROM generate_series(1, 300) i')) v(q);
DROP FUNCTION warned(tlv_model, text);
DROP TABLE parts, views, gaussian;

-- names that are not ASCII stay in the warnings of a value that is written and read again, and in all that shows them
CREATE TEMP TABLE places AS SELECT CASE WHEN i % 4 > 0 THEN sin(i) END AS "Länge, mm", cos(i) AS "幅", 1 AS "größe" FROM generate_series(1, 240) i;
SET client_min_messages = error;
CREATE TEMP TABLE placed AS SELECT tlv_gmm('SELECT "Länge, mm", "幅", "größe" FROM places', 1) AS m;
SELECT code, message FROM placed, tlv_warnings(m::text::tlv_model) ORDER BY code;
SELECT (tlv_from_json(tlv_to_json(m)) = m) AS json, tlv_info(m)->'warnings' IS NOT NULL AS info, (SELECT doubts FROM tlv_summary(m) WHERE component = 0) LIKE '%Länge%größe%' OR
  (SELECT doubts FROM tlv_summary(m) WHERE component = 0) LIKE '%größe%Länge%' AS summary FROM placed;
RESET client_min_messages;
