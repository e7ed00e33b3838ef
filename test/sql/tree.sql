-- latent trees: distances, structure, parameters, inference, text, and what is refused
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
    RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END
$$;

-- categories: 20 variables of 3 states, some hidden nodes of more than three neighbours
CREATE TABLE tree_true AS SELECT tlv_simulate_tree_model(20, 3, contractions => 4, low => 0.7, high => 0.9, seed => 3) AS model;
CREATE TABLE tree_rows AS SELECT s.id, s.v FROM tree_true, tlv_simulate_tree(model, 10000, 5) s;
CREATE TABLE tree_moments AS SELECT id % 3 AS part, tlv_category_moments(v) AS m FROM tree_rows GROUP BY 1;
CREATE TABLE trees AS SELECT 'moments' AS name, tlv_fit_tree(tlv_rollup(m), states => 3) AS model FROM tree_moments;
INSERT INTO trees SELECT 'chosen', tlv_fit_tree(tlv_rollup(m)) FROM tree_moments;
INSERT INTO trees SELECT 'driver', tlv_tree('SELECT v FROM tree_rows');
INSERT INTO trees SELECT s, tlv_fit_tree(tlv_rollup(m), 3, s) FROM tree_moments, unnest(array['clrg', 'nj', 'chow-liu']) s GROUP BY s;
SELECT name, r.* FROM trees, tree_true, tlv_robinson_foulds(trees.model, tree_true.model) r WHERE name IN ('moments', 'chosen', 'driver');
SELECT name, r.different <= 10 AS near FROM trees, tree_true, tlv_robinson_foulds(trees.model, tree_true.model) r WHERE name IN ('clrg', 'nj') ORDER BY name;
SELECT name, count(*) AS edges, count(*) FILTER (WHERE e.length >= 0) AS lengths, count(e.support) AS supports FROM trees, tlv_tree_edges(model) e GROUP BY name ORDER BY name COLLATE "C";
SELECT name, count(*) FILTER (WHERE is_hidden) AS hidden, min(states) AS least, max(states) AS most FROM trees, tlv_tree_nodes(model) GROUP BY name ORDER BY name COLLATE "C";
-- groups: as many as asked for, all variables, by decreasing size; those of one hidden node when not said; lengths as simulated
SELECT groups, count(*) AS variables, count(DISTINCT cluster) AS clusters, max(cluster) AS last FROM trees, unnest(array[1, 2, 5, 20, 100]) groups, tlv_tree_clusters(model, groups)
WHERE name = 'driver' GROUP BY groups ORDER BY groups;
SELECT bool_and(a.cluster = b.cluster) AS same, count(DISTINCT a.cluster) AS clusters
FROM (SELECT c.* FROM trees, tlv_tree_clusters(model) c WHERE name = 'driver') a,
     (SELECT variable, dense_rank() OVER (ORDER BY n DESC, least) AS cluster
      FROM (SELECT node.variable, count(*) OVER w AS n, min(node.variable) OVER w AS least
            FROM trees, tlv_tree_edges(model) e, tlv_tree_nodes(model) node WHERE name = 'driver' AND node.node = e.child AND node.variable IS NOT NULL WINDOW w AS (PARTITION BY e.parent)) q) b
WHERE a.variable = b.variable;
SELECT count(*) FROM tlv_tree_clusters(NULL, 3);
SELECT fails('SELECT tlv_tree_clusters(model, 0) FROM tree_true');
SELECT count(*) AS edges, count(*) FILTER (WHERE abs(f.length - t.length) < 3 * f.error) >= 19 AS as_simulated
FROM tree_true, trees, tlv_tree_edges(tree_true.model) t, tlv_tree_edges(trees.model) f WHERE name = 'driver' AND t.child = f.child AND t.child LIKE 'v%';
-- the likelihood of new rows: that of the truth is -14.89
CREATE TABLE tree_new AS SELECT s.v FROM tree_true, tlv_simulate_tree(model, 3000, 77) s;
SELECT name, avg(tlv_log_likelihood(trees.model, v) - tlv_log_likelihood(tree_true.model, v)) > -0.025 AS near
FROM trees, tree_true, tree_new WHERE name IN ('moments', 'chosen', 'driver') GROUP BY name ORDER BY name;
SELECT sum(probability)::numeric(10, 6) / count(DISTINCT (child, parent_state)) AS rows_sum_to FROM trees, tlv_tree_parameters(model) WHERE name = 'driver';
SELECT count(*) AS roots FROM trees, tlv_tree_parameters(model) WHERE name = 'driver' AND parent IS NULL;
-- hidden states are told from the row, missing variables, too
SELECT count(DISTINCT node) AS nodes, count(DISTINCT node) FILTER (WHERE node LIKE 'v%') AS missing, bool_and(abs(total - 1) < 1e-9) AS sums
FROM (SELECT node, sum(probability) AS total FROM trees, (SELECT v[1:9] || NULL::int || v[11:20] AS v FROM tree_rows WHERE id = 1) r, tlv_tree_posterior(model, v)
      WHERE name = 'driver' GROUP BY node) p;
SELECT array_agg(DISTINCT node ORDER BY node) = (SELECT array_agg(node ORDER BY node) FROM tlv_tree_nodes(model) WHERE is_hidden) AS hidden_only FROM trees, tree_rows, tlv_tree_posterior(model, v)
  WHERE name = 'driver' AND id = 1 GROUP BY model;
SELECT avg((v[20] = best.state)::int) > 0.8 AS guessed
FROM trees, (SELECT * FROM tree_rows LIMIT 500) r, LATERAL (SELECT state FROM tlv_tree_posterior(model, v[1:19] || NULL::int) WHERE node = 'v20' ORDER BY probability DESC LIMIT 1) best
WHERE name = 'driver';
-- a step of EM raises the likelihood; merged statistics are those of all rows
CREATE TABLE tree_step AS SELECT model, tlv_rollup(s) AS s FROM (SELECT model, tlv_statistics(v, model) AS s FROM trees, tree_rows WHERE name = 'moments' GROUP BY model, id % 4) p GROUP BY model;
SELECT sum(tlv_log_likelihood(tlv_update(model, s), v)) > sum(tlv_log_likelihood(model, v)) AS better FROM tree_step, tree_rows;
-- moments without triples leave the parameters to a pass of their own
CREATE TABLE tree_wide AS SELECT v || v[1:0] AS v FROM tree_rows LIMIT 0;
INSERT INTO tree_wide SELECT s.v FROM tlv_simulate_tree_model(120, 2, low => 0.8, high => 0.95, seed => 2) t, tlv_simulate_tree(t, 2000, 3) s;
CREATE TABLE tree_bare AS SELECT tlv_fit_tree(tlv_category_moments(v), states => 2) AS model FROM tree_wide;
SELECT fails('SELECT count(*) FROM tree_bare, tlv_tree_parameters(model)');
SELECT fails('SELECT tlv_log_likelihood(model, v) FROM tree_bare, tree_wide LIMIT 1');
CREATE TABLE tree_whole AS SELECT tlv_update(model, (SELECT tlv_statistics(v, b.model) FROM tree_wide)) AS model FROM tree_bare b;
SELECT avg(tlv_log_likelihood(w.model, v) - tlv_log_likelihood(d.model, v)) > -0.5 AS near_driver FROM tree_whole w, (SELECT tlv_tree('SELECT v FROM tree_wide', states => 2) AS model) d, tree_wide;

-- long form: the same tree, whatever the variables are called
CREATE TABLE tree_long AS SELECT id AS r, 'x' || lpad(variable::text, 2, '0') AS name, variable, value FROM tree_rows, unnest(v) WITH ORDINALITY AS u(value, variable);
INSERT INTO trees SELECT 'names', tlv_tree('SELECT r, name, value FROM tree_long');
INSERT INTO trees SELECT 'numbers', tlv_tree('SELECT r, variable, value FROM tree_long');
SELECT r.* FROM trees a, tlv_robinson_foulds(a.model,
                                             'SELECT replace(replace(parent, ''v'', ''x''), ''h'', ''k''), ''x'' || lpad(substr(child, 2), 2, ''0'')
                                                 FROM trees, tlv_tree_edges(model) WHERE name = ''driver'' AND child LIKE ''v%''
                                                 UNION ALL SELECT replace(parent, ''h'', ''k''), replace(child, ''h'', ''k'')
                                                 FROM trees, tlv_tree_edges(model) WHERE name = ''driver'' AND child LIKE ''h%''') r WHERE a.name = 'names';
SELECT string_agg(node, ' ' ORDER BY variable) FROM (SELECT node, variable FROM trees, tlv_tree_nodes(model) WHERE name = 'numbers' AND NOT is_hidden ORDER BY variable LIMIT 12) n;
SELECT fails($$SELECT tlv_tree('SELECT r, name, value FROM tree_long UNION ALL SELECT 1, ''x01'', 1')$$);
-- where the second column can be no variable, the first is
SELECT r.* FROM trees a, tlv_robinson_foulds(a.model, tlv_tree('SELECT name, date ''2026-01-01'' + r::int, value FROM tree_long')) r WHERE a.name = 'names';
SELECT fails($$SELECT tlv_tree('SELECT ARRAY[1], ARRAY[2], 1')$$);
-- arrays from rows
SELECT tlv_row_agg(at, value, 4) AS categories, tlv_row_agg(at, value::float8, 4) AS numbers FROM (VALUES (1, 2), (4, 0), (2, NULL)) AS t(at, value);
SELECT fails('SELECT tlv_row_agg(5, 1, 4)'), fails('SELECT tlv_row_agg(1, -1, 4)'), fails($$SELECT tlv_row_agg(1, 'NaN'::float8, 4)$$), fails('SELECT tlv_row_agg(1, 1, 0)');

-- Gaussian variables
CREATE TABLE tree_gaussian_true AS SELECT tlv_simulate_tree_model(20, 1, 'gaussian', contractions => 4, seed => 3) AS model;
CREATE TABLE tree_numbers AS SELECT s.id, s.x FROM tree_gaussian_true, tlv_simulate_tree(model, 5000, 5) s;
INSERT INTO trees SELECT 'gaussian', tlv_fit_tree(tlv_dense_moments(x, 2), bootstrap => 20) FROM tree_numbers;
SELECT r.* FROM trees, tree_gaussian_true t, tlv_robinson_foulds(trees.model, t.model) r WHERE name = 'gaussian';
SELECT avg(tlv_log_likelihood(trees.model, s.x) - tlv_log_likelihood(t.model, s.x)) > -0.02 AS near FROM trees, tree_gaussian_true t, LATERAL tlv_simulate_tree(t.model, 2000, 77) s
WHERE name = 'gaussian';
SELECT count(support) AS inner_edges, min(support) >= 0 AND max(support) <= 1 AS shares, avg(support) > 0.9 AS supported FROM trees, tlv_tree_edges(model) WHERE name = 'gaussian';
SELECT bool_and(abs(coefficient) <= 1.2 AND noise > 0) AS sane, count(*) FROM trees, tlv_tree_coefficients(model) WHERE name = 'gaussian';
SELECT count(*) FILTER (WHERE node LIKE 'h%') AS hidden, count(*) FILTER (WHERE node LIKE 'v%') AS missing, bool_and(variance > 0) AS positive
FROM trees, tree_numbers, tlv_tree_posterior(model, x[1:18] || array[NULL, NULL]::float8[]) WHERE name = 'gaussian' AND id = 1;
SELECT avg(abs(x[20] - (SELECT mean FROM tlv_tree_posterior(model, x[1:19] || array[NULL]::float8[]) p JOIN tlv_tree_nodes(model) n USING (node) WHERE NOT is_hidden))) < 0.75 AS imputed
FROM trees, tree_numbers WHERE name = 'gaussian' AND id <= 500;
SELECT abs(tlv_log_likelihood(model, array_fill(NULL::float8, array[20]))) < 1e-9 AS nothing_known FROM trees WHERE name = 'gaussian';
-- vectors of two columns, and the driver leaves out rows with missing numbers
SELECT count(*) FILTER (WHERE NOT is_hidden) AS variables, max(states) AS dimensions
FROM tlv_tree_nodes((SELECT tlv_fit_tree(tlv_dense_moments(x, 2), groups => array[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10]) FROM tree_numbers));
-- factors that act on all variables at once: the tree says so, and they are a tree of one hidden node
CREATE TABLE tree_moods AS
SELECT ARRAY(SELECT cos(i) * s.x[1] + sin(i) * s.x[2] + cos(2 * i) * s.x[3] + s.x[3 + i] FROM generate_series(1, 9) i) AS x
FROM tlv_simulate_gmm(tlv_simulate_gmm_model(12, 1, seed => 1), 2000, 1) s;
SELECT code, hint FROM tlv_warnings(tlv_tree('SELECT x FROM tree_moods'));
INSERT INTO trees SELECT 'factors', tlv_tree('SELECT x FROM tree_moods', structure => 'factors');
SELECT n.node, n.states FROM trees, tlv_tree_nodes(model) n WHERE name = 'factors' AND is_hidden;
-- in whatever unit the numbers are
SELECT scale, max(abs(e.length - f.length)) < 1e-9 AS same FROM trees, (VALUES (1e-85::float8), (1e85)) s(scale),
  LATERAL (SELECT tlv_tree(format('SELECT ARRAY(SELECT v * %s FROM unnest(x) v) FROM tree_moods', scale), structure => 'factors') AS scaled) q,
  LATERAL tlv_tree_edges(model) e JOIN LATERAL tlv_tree_edges(scaled) f USING (parent, child) WHERE name = 'factors' GROUP BY scale ORDER BY scale;
SELECT count(*) AS loadings, count(DISTINCT parent_dimension) AS dimensions FROM trees, tlv_tree_coefficients(model) WHERE name = 'factors';
SELECT count(*) AS scores FROM trees, (SELECT x FROM tree_moods LIMIT 1) t, tlv_tree_posterior(model, x) WHERE name = 'factors';
SELECT node, dimension FROM trees, (SELECT x FROM tree_moods LIMIT 1) r, tlv_tree_posterior(model, x[1:8] || NULL::float8) WHERE name = 'factors';
SELECT avg(tlv_log_likelihood(f.model, x) - tlv_log_likelihood(t.model, x)) > 0.1 AS better
FROM trees f, tree_moods, (SELECT tlv_tree('SELECT x FROM tree_moods') AS model) t WHERE f.name = 'factors';
SELECT count(*) FROM trees, tlv_simulate_tree(model, 10, 1) s WHERE name = 'factors' AND cardinality(s.x) = 9;
SELECT fails($$SELECT tlv_tree('SELECT x FROM tree_moods', structure => 'factors', states => 7)$$);
SELECT fails($$SELECT tlv_tree('SELECT x FROM tree_moods', structure => 'factors', groups => array[1, 1, 1, 2, 2, 2, 3, 3, 3])$$);
SELECT fails($$SELECT tlv_tree('SELECT v FROM tree_rows', structure => 'factors')$$);
SELECT fails($$SELECT tlv_tree('SELECT x FROM tree_moods', regularise => true)$$);
SET tensorlv.warnings = off; -- of which the digits of a row are cut
SELECT d.score AS rows, left(w.message, 115) AS message, w.score AS left_out FROM (SELECT
  tlv_tree('SELECT CASE WHEN id <= 7 THEN x[1:19] || array[NULL]::float8[] ELSE x END FROM tree_numbers') AS m OFFSET 0) q,
  tlv_diagnostics(m) d, tlv_warnings(m) w WHERE d.measure = 'rows';
RESET tensorlv.warnings;

-- groups of one query keep their rows apart, although they share the model
SET enable_sort = off;
CREATE TABLE tree_parts AS SELECT id % 3 AS part, tlv_statistics(v, model) AS statistics FROM tree_rows, trees WHERE name = 'driver' AND id <= 500 GROUP BY 1;
SELECT count(*), bool_and(p.statistics = (SELECT tlv_statistics(v, model) FROM tree_rows, trees WHERE name = 'driver' AND id <= 500 AND id % 3 = p.part)) AS same FROM tree_parts p;
RESET enable_sort;

-- text
SELECT regexp_replace(tlv_tree_newick(model), '[0-9.]+', 'n', 'g') LIKE '(v%v%;%' AS newick, tlv_tree_dot(model) LIKE 'graph%' AS dot, tlv_svg(model) LIKE '<svg%</svg>%' AS svg
FROM trees WHERE name = 'gaussian';
SELECT tlv_tree_newick(tlv_fit_tree(tlv_category_moments(v), 2, names => array['it''s', 'a b', 'ä<&>', 'plain'])) LIKE '%''it''''s''%' AS quoted
FROM tlv_simulate_tree(tlv_simulate_tree_model(4, 2, seed => 4), 5000) s;

-- distances
SELECT variable_a_name AS a, variable_b_name AS b, distance > 0 AS positive, error > 0 AS has_error, p_value < 0.001 AS dependent
FROM tree_moments, tlv_tree_distances(m, 3) WHERE part = 0 AND variable_a = 1 AND variable_b <= 3 ORDER BY variable_a, variable_b;
-- of many states each seen once nothing is known
SELECT variable_a, variable_b, p_value FROM tlv_tree_distances((SELECT tlv_category_moments(array[i, i * 37 % 100, i * 53 % 100]) FROM generate_series(0, 99) i));

-- what is refused, and what is not
SELECT fails('SELECT tlv_fit_tree(m, structure => ''star'') FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, metric => ''euclid'') FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, z => -1) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, states => 1) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, states => 200) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, states => 7) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, bootstrap => 10) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, names => array[''a'', ''b'']) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, names => array_fill(''a''::text, array[20])) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(m, names => array[''h1'', ''h1'']) FROM tree_moments');
SELECT fails('SELECT tlv_fit_tree(tlv_bag_agg(1))');
SELECT fails('SELECT tlv_fit_tree(tlv_category_moments(v[1:2])) FROM tree_rows');
SELECT fails('SELECT tlv_fit_tree(tlv_dense_moments(x, 2), groups => array[1, 2]) FROM tree_numbers');
SELECT fails('SELECT tlv_fit_tree(tlv_dense_moments(x, 2), groups => array[[1]]) FROM tree_numbers');
SELECT fails('SELECT tlv_tree_posterior(model, array[0, 1]) FROM trees WHERE name = ''driver''');
SELECT fails('SELECT tlv_tree_posterior(model, array[9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) FROM trees WHERE name = ''driver''');
SELECT fails('SELECT tlv_tree_posterior(model, array[0.5]) FROM trees WHERE name = ''driver''');
SELECT fails('SELECT tlv_assign(model, array[0, 1]) FROM trees WHERE name = ''driver''');
SELECT fails('SELECT tlv_infer(model, array[0, 1]) FROM trees WHERE name = ''driver''');
SELECT fails('SELECT tlv_tree_coefficients(model) FROM trees WHERE name = ''driver''');
SELECT fails('SELECT tlv_tree_parameters(model) FROM trees WHERE name = ''gaussian''');
SELECT fails('SELECT tlv_robinson_foulds(a.model, b.model) FROM trees a, trees b WHERE a.name = ''driver'' AND b.name = ''names''');
SELECT fails($$SELECT tlv_robinson_foulds(model, 'SELECT ''v1'', ''v2''') FROM trees WHERE name = 'driver'$$);
SELECT fails($$SELECT tlv_robinson_foulds(model, 'SELECT ''v'' || i, ''v'' || i % 20 + 1 FROM generate_series(1, 20) i') FROM trees WHERE name = 'driver'$$);
SELECT fails('SELECT tlv_simulate_tree_model(600000)');
SELECT fails('SELECT tlv_row_agg_final(''{}''::integer[])');
SELECT fails('SELECT tlv_row_agg_final(''{1,2,NULL}''::float8[])');
CREATE AGGREGATE tree_bad_row(bigint, integer, integer) (SFUNC = tlv_row_agg_accum, STYPE = integer[], INITCOND = '{}');
SELECT fails('SELECT tree_bad_row(1, 2, 3)');
DROP AGGREGATE tree_bad_row(bigint, integer, integer);
SELECT fails($$SELECT tlv_tree('SELECT 1, 2')$$);
SELECT fails($$SELECT tlv_tree('SELECT array[1.5, 2]', kind => 'categorical')$$);
SELECT fails($$SELECT tlv_tree('SELECT v FROM tree_rows', kind => 'poisson')$$);
SELECT fails($$SELECT tlv_tree('SELECT array[1, NULL]::float8[]')$$);
SELECT fails($$DELETE FROM trees WHERE tlv_tree('DELETE FROM tree_rows RETURNING v') IS NULL$$);
SELECT fails($$SELECT tlv_tree('SELECT v FROM tree_rows WHERE false')$$);
SELECT fails($$SELECT tlv_tree('SELECT r, name, value FROM tree_long WHERE false')$$);
SELECT tlv_tree(NULL) IS NULL AS no_query;
-- constant, equal, independent and missing variables; those that stand alone are named beside a null among the edges of a query
CREATE TABLE tree_odd AS SELECT v[1:6] || 0 || v[1] || (id * 7919 % 3)::int || NULL::int AS v FROM tree_rows;
SELECT d.score AS components, w.message, w.score AS trees FROM (SELECT tlv_tree('SELECT v FROM tree_odd', states => 3) AS m OFFSET 0) q, tlv_diagnostics(m) d, tlv_warnings(m) w
  WHERE d.measure = 'components';
SELECT e.child, e.length < 0.1 AS near FROM tlv_tree_edges(tlv_tree('SELECT v FROM tree_odd', states => 3)) e WHERE child IN ('v1', 'v8') ORDER BY 1;
CREATE TABLE tree_forest AS SELECT tlv_tree('SELECT v FROM tree_odd', states => 3) AS model;
SELECT r.* FROM tree_forest, tlv_robinson_foulds(model,
                                                 'SELECT parent, child FROM tree_forest, tlv_tree_edges(model) UNION ALL SELECT NULL, node
                                                     FROM tree_forest, tlv_tree_nodes(model) WHERE NOT is_hidden') r;
SELECT fails($$SELECT tlv_robinson_foulds(model, 'SELECT parent, child FROM tree_forest, tlv_tree_edges(model)') FROM tree_forest$$);
SELECT fails($$SELECT tlv_robinson_foulds(model, 'SELECT node, node FROM tree_forest, tlv_tree_nodes(model)') FROM tree_forest$$);
-- fewer rows than variables
SELECT tlv_fit_tree(tlv_category_moments(v)) IS NOT NULL AS fitted FROM (SELECT v FROM tree_rows LIMIT 15) r;

DROP TABLE tree_parts, tree_true, tree_rows, tree_moments, trees, tree_new, tree_step, tree_wide, tree_bare, tree_whole, tree_long, tree_gaussian_true, tree_numbers, tree_moods, tree_odd, tree_forest;
DROP FUNCTION fails(text);
SELECT tlv_match(m, m) FROM tlv_simulate_tree_model(4, 2) m;

-- more states than the variables show: hidden nodes have those that they show
SELECT w.code, w.message, w.hint FROM tlv_warnings(tlv_tree('SELECT v FROM tlv_simulate_tree(tlv_simulate_tree_model(6, seed => 1), 1000, 2)', states => 3)) w WHERE code = 'fewer_components';

-- names are the caller's own, whatever they are: hidden nodes have as many h's before their numbers as no variable has
CREATE TEMP TABLE named_trees AS
  SELECT 'wide' AS name, tlv_tree(
    'SELECT g % 2 AS h1, (g + g / 4 % 5 / 4) % 2 AS "hh20", (g + g / 3 % 7 / 6) % 2 AS "h01", (g + g / 2 % 9 / 8) % 2 AS "x' || chr(10) || 'y" FROM generate_series(1, 2000) g',
    layout => 'wide') AS model
  UNION ALL SELECT 'long', tlv_tree($$SELECT g, v, (g + g / length(v || v || 12345) % 5 / 4) % 2 FROM generate_series(1, 2000) g, unnest(ARRAY['', 'a', 'h2', 'abc', chr(10)]) v$$)
  UNION ALL SELECT 'fit', tlv_fit_tree((SELECT tlv_dense_moments(ARRAY[i % 7, i % 7 + i % 3, i % 7 - i % 5, i % 3 + i % 5], 2) FROM generate_series(1, 1000) i),
    names => ARRAY['h3', '', E'\n', E'\n\n']);
SELECT name, json_agg(node ORDER BY variable) FILTER (WHERE NOT is_hidden) AS variables, string_agg(node, ' ' ORDER BY node COLLATE "C") FILTER (WHERE is_hidden) AS hidden
FROM named_trees, tlv_tree_nodes(model) GROUP BY name ORDER BY name;
SELECT name, tlv_from_json(tlv_to_json(model)) = model AS json, (model::text)::tlv_model = model AS text_form,
       (SELECT array_agg(item_name ORDER BY item_name COLLATE "C") FROM tlv_estimates(model)) = (SELECT array_agg(child ORDER BY child COLLATE "C") FROM tlv_tree_edges(model)) AS estimates
FROM named_trees ORDER BY name;
SELECT tlv_tree_newick(model) ~ '''x y''' AS newick, tlv_tree_dot(model) ~ 'label="x y"' AS dot,
       ARRAY(SELECT p::text FROM tlv_tree_posterior(model, r) p) = ARRAY(SELECT p::text FROM tlv_tree_posterior(model, ROW(ARRAY['h1', 'hh20', 'h01', E'x\ny'], ARRAY[1, 0, 1, 0])) p) AS by_name,
       ARRAY(SELECT p::text FROM tlv_tree_posterior(model, r) p) = ARRAY(SELECT p::text FROM tlv_tree_posterior(model, ARRAY[1, 0, 1, 0]) p) AS by_column
FROM named_trees, (SELECT 0 AS "x
y", 1 AS "h01", 0 AS "hh20", 1 AS h1) r WHERE name = 'wide';

-- The support of edges by bootstrap does not depend on the order of the rows.  The replicates of the aggregate do, unless it sorts the rows.
CREATE TABLE tree_few AS SELECT s.v FROM tlv_simulate_tree(tlv_simulate_tree_model(8, 2, low => 0.6, high => 0.8, seed => 4), 400, 5) s;
CREATE TABLE tree_shuffled AS SELECT v FROM tree_few ORDER BY md5(v::text) DESC, v;
CREATE TABLE tree_supports AS SELECT tlv_tree('SELECT v FROM tree_few', bootstrap => 30) AS one, tlv_tree('SELECT v FROM tree_shuffled', bootstrap => 30) AS other;
SELECT ARRAY(SELECT (parent, child, support)::text FROM tlv_tree_edges(one) ORDER BY 1) = ARRAY(SELECT (parent, child, support)::text FROM tlv_tree_edges(other) ORDER BY 1) AS equal,
    (SELECT count(DISTINCT support) > 1 AND min(support) < 1 FROM tlv_tree_edges(one)) AS vary
FROM tree_supports;
SELECT bool_and(a.m = b.m) AS sorted, bool_or(a.n = b.n) AS as_they_come
FROM (SELECT (SELECT tlv_category_moments(v, 30, 1 ORDER BY v) FROM tree_few) AS m, (SELECT tlv_category_moments(v, 30, 1) FROM tree_few) AS n) a,
     (SELECT (SELECT tlv_category_moments(v, 30, 1 ORDER BY v) FROM tree_shuffled) AS m, (SELECT tlv_category_moments(v, 30, 1) FROM tree_shuffled) AS n) b;
DROP TABLE tree_few, tree_shuffled, tree_supports;
