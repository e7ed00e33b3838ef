-- Multi-view mixtures: known truth, refinement over rows, rows with views that are not known, simulation, matching, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\i test/sql/include/components.sql
\set ECHO all
SELECT setseed(.5);
SET extra_float_digits = 0;
CREATE TABLE truth AS SELECT tlv_simulate_multiview_model('{5,8,3}', 3, separation => 3, seed => 2) AS vectors, tlv_simulate_multiview_model(categories => '{10,20,30}', seed => 2) AS categories;
CREATE TABLE vector_rows AS SELECT id, x1, x2, x3, component FROM truth, tlv_simulate_multiview(vectors, 20000, seed => 5);
CREATE TABLE category_rows AS SELECT id, category1 AS x1, category2 AS x2, category3 AS x3, component FROM truth, tlv_simulate_multiview(categories, 20000, seed => 5);
SELECT cardinality(x1) AS d1, cardinality(x2) AS d2, cardinality(x3) AS d3, category1, category2, category3, component BETWEEN 1 AND 3 AS component FROM truth, tlv_simulate_multiview(vectors, 1);
SELECT x1, x2, x3, category1 BETWEEN 1 AND 10 AS a, category2 BETWEEN 1 AND 20 AS b, category3 BETWEEN 1 AND 30 AS c FROM truth, tlv_simulate_multiview(categories, 1);
SELECT bool_and(a.x2 = b.x2 AND a.component = b.component) AS same_first_rows, count(*) FROM truth, tlv_simulate_multiview(vectors, 3, 7) a, tlv_simulate_multiview(vectors, 5, 7) b
WHERE a.id = b.id;

-- what the moments find, and what refinement makes of it
CREATE TABLE models AS SELECT tlv_multiview('SELECT x1, x2, x3 FROM vector_rows', 3) AS moments, tlv_multiview('SELECT x1, x2, x3 FROM vector_rows', 3, refine => 'em') AS refined,
  tlv_multiview('SELECT x1, x2, x3 FROM category_rows', 3, refine => 'none') AS classes, tlv_multiview('SELECT x1, x2, x3 FROM category_rows', 3) AS refined_classes;
SELECT e.what, e.mean < e.bound AS mean, e.largest < 1.6 * e.bound AS largest FROM models, truth,
  LATERAL (SELECT 'moments', 0.09, avg(distance), max(distance) FROM tlv_match(moments, vectors) UNION ALL SELECT 'refined', 0.055, avg(distance), max(distance) FROM tlv_match(refined, vectors)
    UNION ALL SELECT 'classes', 0.07, avg(distance), max(distance) FROM tlv_match(classes, categories) UNION ALL SELECT 'refined classes', 0.042, avg(distance), max(distance)
    FROM tlv_match(refined_classes, categories)) AS e(what, bound, mean, largest);
SELECT max(abs(a.weight - b.weight)) < 0.005 AS weights FROM models, truth, tlv_match(refined, vectors) m, pg_temp.views(refined) a, pg_temp.views(vectors) b
WHERE a.component = component_a AND b.component = component_b;
SELECT max(abs(u / v - 1)) < 0.12 AS variances
FROM models, truth, tlv_match(refined, vectors) m, pg_temp.views(refined) a, pg_temp.views(vectors) b, unnest(a.variance, b.variance) AS e(u, v)
WHERE a.view = b.view AND a.component = component_a AND b.component = component_b;
SELECT measure, CASE WHEN measure IN ('rows', 'nulls', 'parameters') THEN score END AS score FROM models, tlv_diagnostics(refined) WHERE component IS NULL ORDER BY measure;
SELECT measure, CASE WHEN measure IN ('rows', 'nulls', 'parameters', 'passes', 'count_stands') THEN score END AS score FROM models, tlv_diagnostics(refined_classes) WHERE component IS NULL
  ORDER BY measure;
-- the likelihood that is reported is that of the rows, and above the truth's
SELECT abs(avg(tlv_log_likelihood(refined, ROW(x1, x2, x3))) - min(score)) < 1e-9 AS reported,
       avg(tlv_log_likelihood(refined, ROW(x1, x2, x3)) - tlv_log_likelihood(vectors, ROW(x1, x2, x3))) BETWEEN 0 AND 0.005 AS fits, tlv_nmi(vector_rows.component, tlv_assign(refined, ROW(x1, x2,
         x3))) > 0.95 AS assigned
FROM models, truth, vector_rows, tlv_diagnostics(refined) WHERE measure = 'mean_log_likelihood';
SELECT abs(avg(tlv_log_likelihood(refined_classes, ROW(x1, x2, x3))) - min(score)) < 1e-9 AS reported,
       avg(tlv_log_likelihood(refined_classes, ROW(x1, x2, x3)) - tlv_log_likelihood(categories, ROW(x1, x2, x3))) BETWEEN 0 AND 0.006 AS fits,
       tlv_nmi(category_rows.component, tlv_assign(refined_classes, ROW(x1, x2, x3))) > 0.64 AS assigned FROM models, truth, category_rows, tlv_diagnostics(refined_classes)
         WHERE measure = 'mean_log_likelihood';

-- steps by hand, from parts merged
CREATE FUNCTION pg_temp.mean_error(a tlv_model, b tlv_model) RETURNS float8 LANGUAGE sql AS 'SELECT avg(distance) FROM tlv_match($1, $2)';
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'nulls' AS nulls, i->'arrays' AS arrays
FROM (SELECT tlv_info(tlv_statistics(x1, CASE WHEN id > 9 THEN x2 END, x3, moments)) AS i FROM vector_rows, models WHERE id <= 20 GROUP BY moments) q;
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'nulls' AS nulls, i->'arrays' AS arrays
FROM (SELECT tlv_info(tlv_statistics(x1, CASE WHEN id > 9 THEN x2 END, x3, classes)) AS i FROM category_rows, models WHERE id <= 20 GROUP BY classes) q;
SELECT pg_temp.mean_error(tlv_update(moments, tlv_rollup(s)), vectors) < pg_temp.mean_error(moments, vectors) AS better, tlv_info(tlv_update(moments, tlv_rollup(s)))->'steps' AS steps
FROM (SELECT tlv_statistics(x1, x2, x3, moments) AS s FROM vector_rows, models GROUP BY id % 7, moments) q, models, truth GROUP BY moments, vectors;
SELECT pg_temp.mean_error(tlv_update(classes, tlv_rollup(s)), categories) < pg_temp.mean_error(classes, categories) AS better, tlv_info(tlv_update(classes, tlv_rollup(s)))->'steps' AS steps
FROM (SELECT tlv_statistics(x1, x2, x3, classes) AS s FROM category_rows, models GROUP BY id % 7, classes) q, models, truth GROUP BY classes, categories;
SELECT pg_temp.mean_error(tlv_multiview('SELECT x1, x2, x3 FROM vector_rows', 3, 'em', 1), tlv_update(moments, s)) < 1e-9 AS one_step,
       pg_temp.mean_error(tlv_multiview('SELECT x1, x2, x3 FROM vector_rows', 3, 'em', 0), moments) AS none
FROM (SELECT moments, tlv_statistics(x1, x2, x3, moments) AS s FROM vector_rows, models GROUP BY moments) q;
SELECT (SELECT tlv_statistics(x1 || x2 || x3, moments) FROM vector_rows) = (SELECT tlv_statistics(x1, x2, x3, moments) FROM vector_rows) AS views_in_one,
       (SELECT tlv_statistics(ARRAY[x1, x2, x3], classes) FROM category_rows) = (SELECT tlv_statistics(x1, x2, x3, classes) FROM category_rows) AS categories_in_one FROM models;
SELECT s = t AS many_rows FROM (SELECT tlv_statistics(x1, x2, x3, moments) AS s FROM (SELECT * FROM vector_rows WHERE id <= 50 ORDER BY id OFFSET 0) r, models
                                GROUP BY moments) a, (SELECT tlv_statistics(x1, x2, x3, moments) AS t
                                                      FROM (SELECT array_agg(x1 ORDER BY id) AS x1, array_agg(x2 ORDER BY id) AS x2, array_agg(x3 ORDER BY id) AS x3
                                                            FROM vector_rows WHERE id <= 50) r, models GROUP BY moments) b;
SELECT refined = (refined::text)::tlv_model AS model, s = (s::text)::tlv_moments AS statistics, s + s = tlv_rollup(t) AS plus
FROM models, (SELECT tlv_statistics(x1, x2, x3, refined) AS s FROM vector_rows, models WHERE id < 99 GROUP BY refined) q, LATERAL (VALUES (s), (s)) r(t) GROUP BY refined, s;
-- the same in parallel workers; rows that would be others each time are kept
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT pg_temp.nodes('SELECT tlv_statistics(x1, x2, x3, (SELECT refined FROM models)) FROM vector_rows') LIKE 'Finalize Aggregate%Partial Aggregate%' AS plan;
SELECT pg_temp.mean_error(tlv_multiview('SELECT x1, x2, x3 FROM vector_rows', 3, 'em'), refined) < 1e-6 AS parallel FROM models;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
SELECT count(*) AS components, max(score) AS rows
FROM (SELECT tlv_multiview('SELECT array[s + random(), random()], array[random(), s - random()]::numeric[], array[s * 2 + random()]::real[]
    FROM generate_series(1, 4000) i, LATERAL (SELECT (random() < 0.4 AND i > 0)::int * 5 AS s OFFSET 0) c', 2, 'em') AS m) q, pg_temp.views(m) c, tlv_diagnostics(m)
    WHERE view = 1 AND measure = 'rows';

-- views whose numbers are correlated given the component: the moments do not mind, refinement does, and says so
CREATE FUNCTION pg_temp.plus(x float8[], f float8) RETURNS float8[] LANGUAGE sql AS 'SELECT array_agg(u + f ORDER BY n) FROM unnest(x) WITH ORDINALITY e(u, n)';
CREATE TABLE correlated AS SELECT pg_temp.plus(r.x1, 2 * f.x1[1]) AS x1, pg_temp.plus(r.x2, 2 * f.x2[1]) AS x2, pg_temp.plus(r.x3, 2 * f.x3[1]) AS x3, r.component
  FROM truth, tlv_simulate_multiview(vectors, 20000, seed => 6) r JOIN tlv_simulate_multiview(tlv_simulate_multiview_model('{1,1,1}', 1, separation => 0), 20000) f USING (id);
SELECT refine, pg_temp.mean_error(m, vectors) < 0.6 AS near, (SELECT count(*) FROM tlv_warnings(m) WHERE message LIKE 'refinement moved%') AS warned
FROM truth, (SELECT refine, tlv_multiview('SELECT x1, x2, x3 FROM correlated', 3, refine) AS m FROM unnest(ARRAY['none', 'em']) refine) q ORDER BY refine DESC;

-- some views only, many rows at once, one piece
SELECT max(abs(u - v)) < 1e-12 AS pieces FROM vector_rows, models, unnest(tlv_infer(refined, ROW(x1, x2, x3)), tlv_infer(refined, x1 || x2 || x3)) e(u, v) WHERE id <= 100;
SELECT avg((component = tlv_assign(vectors, ROW(x1, x2, x3)))::int) > 0.99 AS three, avg((component = tlv_assign(vectors, ROW(x1, NULL, x3)))::int) BETWEEN 0.965 AND 0.98 AS two,
       avg((component = tlv_assign(vectors, ROW(NULL, NULL, x3)))::int) BETWEEN 0.6 AND 0.92 AS one FROM vector_rows, truth;
SELECT tlv_infer(refined, ROW(array_agg(x1 ORDER BY id), NULL, array_agg(x3 ORDER BY id))) = array_agg(tlv_infer(refined, ROW(x1, NULL, x3))
        ORDER BY id) AS many_rows, abs(tlv_log_likelihood(refined, ROW(array_agg(x1), array_agg(x2), array_agg(x3))) - sum(tlv_log_likelihood(refined, ROW(x1, x2, x3)))) < 1e-9 AS likelihood
        FROM vector_rows, models WHERE id <= 5 GROUP BY refined;
SELECT abs(sum(w.weight * c.probability) - exp(min(tlv_log_likelihood(refined_classes, ROW(NULL, 3, NULL))))) < 1e-12 AS by_hand,
       min(tlv_log_likelihood(refined_classes, ROW(1, 2, 3))) = min(tlv_log_likelihood(refined_classes, ARRAY[1, 2, 3])) AS array_of_three
FROM models, tlv_components(refined_classes) w JOIN tlv_categories(refined_classes) c USING (component) WHERE variable = 2 AND category = 3;
SELECT tlv_log_likelihood(NULL, ROW(1, 2, 3)) AS no_model, tlv_infer(refined_classes, ARRAY[1, 2, 3]) = tlv_infer(refined_classes, ROW(1, 2, 3)) AS one_array,
       tlv_assign(refined_classes, ARRAY[1, 2, 3]) = tlv_assign(refined_classes, ROW(1::smallint, 2, 3)) AS assigned FROM models;
-- nothing is known: as many say as do, the prior
SELECT what, bool_and(abs(p - weight) < 1e-12) AND count(*) = 3 AS prior, max(top) AS top, max(abs(likelihood)) < 1e-12 AS likelihood
FROM models, LATERAL (VALUES ('vectors', refined, tlv_infer(refined, ROW(NULL, NULL, NULL::float8[])), (SELECT component FROM tlv_top(refined, ROW(NULL, NULL, NULL))), tlv_log_likelihood(refined,
    ROW(NULL, NULL, NULL))),
  ('categories', refined_classes, tlv_infer(refined_classes, ROW(NULL::int, NULL::int, NULL::int)), tlv_assign(refined_classes, ROW(NULL, NULL, NULL::int)), tlv_log_likelihood(refined_classes,
    ROW(NULL, NULL, NULL))),
  ('texts', refined_classes, tlv_infer(refined_classes, ROW(NULL::text, NULL, NULL)), tlv_assign(refined_classes, ROW(NULL, NULL, NULL)), 0),
  ('array', refined_classes, tlv_infer(refined_classes, ARRAY[NULL::int, NULL, NULL]), tlv_assign(refined_classes, ARRAY[NULL::text, NULL, NULL]), 0)) v(what, model, shares, top, likelihood),
  unnest(shares) WITH ORDINALITY u(p, component) JOIN tlv_components(model) USING (component) GROUP BY what ORDER BY what;
SELECT tlv_infer(refined_classes, ARRAY[1, NULL, 3]) = tlv_infer(refined_classes, ROW(1, NULL, 3)) AS one,
       tlv_infer(refined_classes, ARRAY[[1, NULL, 3], [1, 2, 3]]) = ARRAY[tlv_infer(refined_classes, ROW(1, NULL, 3)), tlv_infer(refined_classes, ROW(1, 2, 3))] AS many,
       tlv_impute(refined_classes, ARRAY[1, NULL, 3]) = tlv_impute(refined_classes, ROW(1, NULL, 3)) AS filled,
       (SELECT round((tlv_impute(refined, ROW(NULL, NULL, NULL)))[6]::numeric, 9) = round(sum(weight * (mean))::numeric, 9) FROM tlv_components(refined) JOIN tlv_means(refined) USING (component)
        WHERE view = 2 AND dimension = 1) AS means,
       (SELECT tlv_info(tlv_statistics(ROW(x1, NULLIF(x2, 1), NULL::int), refined_classes))->>'nulls' FROM category_rows) AS statistics FROM models;

-- a category that was never seen says nothing, wherever it stands
SELECT tlv_infer(refined_classes, ROW(1, 2, 99)) = tlv_infer(refined_classes, ROW(1, 2, NULL)) AS record,
       tlv_infer(refined_classes, ARRAY[1, -2, 3]) = tlv_infer(refined_classes, ROW(1, NULL, 3)) AS one_array,
       tlv_assign(refined_classes, ROW(99, 2, 3)) = tlv_assign(refined_classes, ROW(NULL, 2, 3)) AS assigned,
       (SELECT probability FROM tlv_top(refined_classes, ROW(99, 2, 3))) = (SELECT max(p) FROM unnest(tlv_infer(refined_classes, ROW(NULL, 2, 3))) p) AS top,
       tlv_log_likelihood(refined_classes, ROW(1, 2, 99)) = tlv_log_likelihood(refined_classes, ROW(1, 2, NULL)) AS likelihood,
       tlv_impute(refined_classes, ROW(1, 99, 3)) = tlv_impute(refined_classes, ROW(1, NULL, 3))
         AND tlv_impute(refined_classes, ARRAY[1, 99, 3]) = tlv_impute(refined_classes, ROW(1, NULL, 3)) AS filled,
       (SELECT (tlv_info(s)->>'nulls')::int = missing AND (tlv_info(s)->>'rows')::int = 20000 - missing AS left_out FROM (SELECT count(*) FILTER (WHERE x3 = 1) AS missing,
         tlv_statistics(x1, x2, CASE WHEN x3 = 1 THEN 99 ELSE x3 END, refined_classes) AS s FROM category_rows) q) FROM models;
SELECT tlv_info(s)->>'nulls' = tlv_info(e)->>'nulls' AND tlv_info(e)->>'nulls' = tlv_info(w)->>'nulls' AS left_out, tlv_info(s)->>'rows' = tlv_info(e)->>'rows' AS rows,
  (SELECT count(*) > 20 AND bool_and(a.standard_error IS NOT DISTINCT FROM b.standard_error) FROM tlv_estimates(refined_classes, e) a
   JOIN tlv_estimates(refined_classes, f) b USING (part, component, item, item_name)) AS errors
FROM models, LATERAL (SELECT tlv_statistics(x1, x2, CASE WHEN x3 = 1 THEN 99 ELSE x3 END, refined_classes) AS s,
  tlv_error_statistics(x1, x2, CASE WHEN x3 = 1 THEN 99 ELSE x3 END, refined_classes) AS e, tlv_error_statistics(ROW(x1, x2, CASE WHEN x3 = 1 THEN 99 ELSE x3 END), refined_classes) AS w,
  tlv_error_statistics(x1, x2, x3, refined_classes) FILTER (WHERE x3 <> 1) AS f FROM (SELECT * FROM category_rows ORDER BY id LIMIT 3000) r) q;

-- matching: fewer components, other categories, independent components up to sign and scale
SELECT component_a, component_b, distance = 0 AS same FROM tlv_match(tlv_simulate_multiview_model('{2,2,2}', 3), tlv_simulate_multiview_model('{2,2,2}', 3)) ORDER BY 1;
SELECT count(*) AS components, count(component_b) AS matched, count(distance) AS errors FROM truth, tlv_match(vectors, (SELECT tlv_multiview('SELECT x1, x2, x3 FROM vector_rows', 2)));
SELECT max(distance) < 1e-12 AS signs_and_scales, count(DISTINCT component_b) AS components FROM tlv_match(tlv_simulate_ica_model(4), tlv_simulate_ica_model(4));
SELECT count(component_b) AS matched, max(distance) < 0.05 AS near
FROM tlv_match(tlv_ica('SELECT ARRAY[-2 * x[1], -2 * x[2], -2 * x[3], -2 * x[4]] FROM tlv_simulate_ica(tlv_simulate_ica_model(4, seed => 3), 20000)'), tlv_simulate_ica_model(4, seed => 3));
SELECT count(*) AS a, count(component_b) AS b FROM tlv_match(tlv_simulate_ica_model(4, 3), tlv_simulate_ica_model(4, 2));

-- bad input
SELECT q, pg_temp.outcome(format('SELECT tlv_multiview(%L, 2) IS NOT NULL', q)) AS outcome
FROM unnest(ARRAY['', 'SELECT 1', 'SELECT 1, 2, 3, 4', 'SELECT ''a'', ''b'', ''c''', 'SELECT 1, 2, ARRAY[3.0]', 'SELECT 1.5, 2.5, 3.5',
                  'SELECT x1, x2, x3 FROM vector_rows WHERE false', 'SELECT 1, 2, 3 WHERE false', 'SELECT x1, x2, NULL::float8[] FROM vector_rows',
                  'SELECT x1, x2, NULL::int FROM category_rows', 'DELETE FROM vector_rows',
  'SELECT x1, x2, x3 FROM vector_rows LIMIT 1', 'SELECT 1, 2, 3', 'SELECT x1[1:1 + (id % 2)::int], x2, x3 FROM vector_rows',
  'SELECT ARRAY[1, NULL], x2, x3 FROM vector_rows', 'SELECT x1, ARRAY[''NaN''::float8], x3 FROM vector_rows',
  'SELECT x1, x2, ARRAY[1, ''-Infinity''::float8] FROM vector_rows', 'SELECT x1, ''{}''::float8[], x3 FROM vector_rows', 'SELECT x1, x2, ARRAY[[[1.0]]] FROM vector_rows',
  'SELECT ARRAY[x1, x1], ARRAY[x2, x2], ARRAY[x3, x3, x3] FROM vector_rows', 'SELECT x1, ARRAY[7.0, 8.0], x3 FROM vector_rows',
  'SELECT ARRAY[1.0], ARRAY[2.0], ARRAY[3.0] FROM vector_rows', 'SELECT x1, 5, x3 FROM category_rows', 'SELECT ARRAY[1e300 * x1[1], 1], x2, x3 FROM vector_rows',
  'SELECT ARRAY[1e-300 * x1[1], 1], x2, x3 FROM vector_rows', 'SELECT 3000000000 + x1, x2, x3 FROM category_rows']) q;
SELECT a, pg_temp.outcome(format('SELECT tlv_multiview(''SELECT x1, x2, x3 FROM vector_rows''%s) IS NOT NULL', a)) AS outcome
FROM unnest(ARRAY[', 0', ', NULL', ', 5', ', 1', ', 2, refine => ''vb''', ', 2, iterations => -1', ', 2, seed => -1',
                  ', 2, refine => ''em'', iterations => 2']) a;
SELECT view, (SELECT count(*) FROM tlv_components(m)) AS components, w.code, w.score, w.message FROM (VALUES
  ('middle', tlv_multiview('SELECT x1, ARRAY[x2[1], 2 * x2[1], -x2[1]], x3 FROM vector_rows', 3)),
  ('first', tlv_multiview('SELECT ARRAY[x1[1], -x1[1], x1[1]], x2, x3 FROM vector_rows', 3))) v(view, m), tlv_warnings(m) w WHERE w.code = 'fewer_components';
SELECT tlv_multiview(NULL, 2) AS no_query, tlv_fit_multiview(NULL, 2) AS no_moments, (SELECT tlv_statistics(x1, x2, x3, NULL)
        FROM vector_rows) AS no_model, (SELECT tlv_statistics(x1, x2, x3, refined) FROM vector_rows, models WHERE false) AS no_rows;
SELECT what, pg_temp.outcome(format('SELECT %s FROM models', e)) AS outcome FROM (VALUES
  ('length', 'tlv_infer(refined, ROW(ARRAY[1.0], NULL, NULL))'), ('nan', 'tlv_infer(refined, ROW(NULL, NULL, ARRAY[1, 2, ''NaN''::float8]))'),
  ('large', 'tlv_assign(refined, ROW(NULL, NULL, ARRAY[1, 2, 1e101]))'), ('far', 'tlv_infer(refined, ROW(NULL, NULL, ARRAY[1, 2, 1e99]))'),
  ('null element', 'tlv_infer(refined, ROW(NULL, NULL, ARRAY[1, 2, NULL]))'), ('empty', 'tlv_infer(refined, ROW(''{}''::float8[], NULL, NULL))'),
  ('rows', 'tlv_infer(refined, ROW(ARRAY[[1.0, 2, 3, 4, 5]], NULL, ARRAY[[1.0, 2, 3], [1, 2, 3]]))'),
  ('mixed rows', 'array_dims(tlv_infer(refined, ROW(ARRAY[[1.0, 2, 3, 4, 5]], NULL, ARRAY[1.0, 2, 3])))'),
  ('many', 'tlv_assign(refined, ROW(ARRAY[[1.0, 2, 3, 4, 5], [1, 2, 3, 4, 5]], NULL, NULL))'), ('categories', 'tlv_infer(refined, ROW(1, 2, 3))'),
  ('vectors', 'tlv_log_likelihood(refined_classes, ROW(ARRAY[1.0], NULL, NULL))'), ('category', 'tlv_infer(refined_classes, ROW(1, 2, 31)) = tlv_infer(refined_classes, ROW(1, 2, NULL::int))'),
  ('category of array', 'tlv_infer(refined_classes, ARRAY[1, 2, 31]) = tlv_infer(refined_classes, ROW(1, 2, NULL::int))'), ('fraction', 'tlv_infer(refined_classes, ARRAY[1, 2.5, 3])'),
  ('two', 'tlv_infer(refined_classes, ARRAY[1, 2])'), ('two in likelihood', 'tlv_log_likelihood(refined_classes, ARRAY[1, 2])'),
  ('null in likelihood', 'round(tlv_log_likelihood(refined_classes, ARRAY[1, NULL, 3])::numeric, 4)'), ('other model', 'tlv_infer(tlv_simulate_gmm_model(2, 2), ROW(ARRAY[1.0], NULL, NULL))'),
  ('one piece', 'tlv_infer(refined, ARRAY[1.0, 2])'),
  ('integers', 'tlv_log_likelihood(refined, ARRAY[1, 2, 3])'), ('match', 'tlv_match(refined, refined_classes)'),
  ('match kinds', 'tlv_match(refined, tlv_simulate_ica_model(3))'), ('match dimensions', 'tlv_match(refined, tlv_simulate_multiview_model(''{5,8,4}''))'),
  ('match ica', 'tlv_match(tlv_simulate_ica_model(3), tlv_simulate_ica_model(4))')) q(what, e);
SELECT what, pg_temp.outcome(e) AS outcome
FROM (VALUES ('other model', 'SELECT tlv_update(refined, tlv_statistics(x1, x2, x3, moments)) FROM models, vector_rows GROUP BY refined, moments'),
      ('two models', 'SELECT tlv_rollup(s) FROM (SELECT tlv_statistics(x1, x2, x3, m) AS s FROM vector_rows, (SELECT refined AS m FROM models UNION ALL SELECT moments FROM models) r GROUP BY m) q'),
  ('vectors', 'SELECT tlv_statistics(x1, x2, x3, refined_classes) FROM models, vector_rows'), ('categories', 'SELECT tlv_statistics(x1, x2, x3, refined) FROM models, category_rows'),
  ('unknown', 'SELECT tlv_update(refined_classes, tlv_statistics(x1, x2, 0, refined_classes)) = refined_classes FROM models, category_rows GROUP BY refined_classes'),
  ('lengths', 'SELECT tlv_statistics(x1, x1, x3, refined) FROM models, vector_rows'),
  ('two views', 'SELECT tlv_statistics(x1 || x2, refined) FROM models, vector_rows'), ('gmm', 'SELECT tlv_statistics(x1, x2, x3, tlv_simulate_gmm_model(16, 2)) FROM vector_rows'),
  ('no rows', 'SELECT tlv_update(refined, tlv_statistics(x1, x2, NULL::float8[], refined)) = refined FROM models, vector_rows GROUP BY refined'),
  ('moments', 'SELECT tlv_update(refined, (SELECT tlv_view_moments(x1, x2, x3) FROM vector_rows)) FROM models'),
  ('fit', 'SELECT tlv_fit_multiview(tlv_dense_moments(x1, 3), 2) FROM vector_rows')) q(what, e);
SELECT a, pg_temp.outcome(format('SELECT tlv_simulate_multiview_model(%s) IS NOT NULL', a)) AS outcome
FROM unnest(ARRAY['', '''{1,2}''', '''{1,2,NULL}''', '''{1,2,0}''', '''{1,2,3}'', categories => ''{1,2,3}''', '''{1,2,5000}''', '''{1,2,3}'', 0',
                  '''{1,2,3}'', 20000', '''{1,2,3}'', separation => -1', 'categories => ''{1,2,3}'', concentration => 0',
                  'categories => ''{1,2,3}'', concentration => NULL', '''{1,2,3}'', seed => -1']) a;
SELECT pg_temp.outcome('SELECT count(*) FROM truth, tlv_simulate_multiview(vectors, -1)') AS "rows",
       pg_temp.outcome('SELECT count(*) FROM truth, tlv_simulate_multiview(vectors, 0)') AS none,
       pg_temp.outcome('SELECT count(*) FROM tlv_simulate_multiview(tlv_simulate_gmm_model(2, 2), 1)') AS gmm;
SET statement_timeout = '300ms';
\set VERBOSITY terse
SELECT tlv_multiview('SELECT ARRAY[sin(i), cos(3 * i)], ARRAY[sin(i), cos(i)], ARRAY[sin(i), cos(5 * i)] FROM generate_series(1, 1000000) i', 2, 'em', iterations => 100) IS NULL;
\echo :SQLSTATE
RESET statement_timeout;
SET tensorlv.work_mem = '16kB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_multiview(''SELECT x1, x2, x3 FROM vector_rows'', 3)'), '[0-9.]+ ?[kM]B', '...', 'g') AS memory;
RESET tensorlv.work_mem;
DROP TABLE truth, vector_rows, category_rows, models, correlated;

-- categories are the caller's own numbers, however long
CREATE TEMP TABLE long_ids AS SELECT 10000000000 * (i % 2) AS a, 10000000001 * ((i + (i % 7 = 0)::int) % 2) AS b, -10000000000 * ((i + (i % 5 = 0)::int) % 2) AS c FROM generate_series(1, 1000) i;
SELECT array_agg(DISTINCT category ORDER BY category) AS categories, (SELECT max(distance) < 1e-9 FROM tlv_match(m, f)) AS same, tlv_assign(m, ROW(10000000000, 10000000001, 0)) IN (1, 2) AS applied,
  (SELECT tlv_info(tlv_statistics(a, b, c, m))->'rows' FROM long_ids) AS rows
FROM tlv_multiview('TABLE long_ids', 2) m, tlv_fit_multiview((SELECT tlv_view_moments(a, b, c) FROM long_ids), 2) f, tlv_categories(m) GROUP BY m, f;

-- categories by name: texts, values of an enumeration and booleans, beside numbers; the aggregates and the models take them as they are
CREATE TYPE pg_temp.mood AS ENUM ('sad', 'ok', 'happy');
CREATE TEMP TABLE named_views AS
  SELECT i, CASE WHEN h = 0 THEN (ARRAY['red', 'red', 'red', 'blue'])[1 + i % 4] ELSE (ARRAY['blue', 'green', 'blue', 'blue'])[1 + i * 7 / 3 % 4] END AS colour,
         (CASE WHEN h = 0 THEN (ARRAY['sad', 'sad', 'ok'])[1 + i % 3] ELSE (ARRAY['happy', 'ok', 'happy'])[1 + i % 3] END)::pg_temp.mood AS mood,
         CASE WHEN h = 0 THEN i % 10 < 8 ELSE i % 10 < 2 END AS sunny, h * 3 + i % 3 AS number
  FROM (SELECT i, (i * 37 / 11) % 2 AS h FROM generate_series(1, 3000) i) q;
CREATE TEMP TABLE named_models AS SELECT tlv_multiview('SELECT colour, mood, sunny FROM named_views', 2) AS model,
  tlv_multiview('SELECT colour::varchar(9), number, mood::text FROM named_views', 2) AS mixed;
SELECT component, variable, category = tlv_term_id(category_name) AS hash, category_name, round(probability::numeric, 2) AS probability
FROM named_models, tlv_categories(model) ORDER BY component, variable, category_name COLLATE "C";
SELECT variable, category, category_name FROM named_models, tlv_categories(mixed) WHERE component = 1 AND variable = 2 ORDER BY category;
SELECT tlv_assign(model, ROW('red', 'sad'::pg_temp.mood, true)) AS record, tlv_assign(model, ROW('red'::char(7), NULL::text, NULL::boolean)) AS one, tlv_assign(model, ARRAY['red', 'sad',
  'true']) AS texts, tlv_assign(model, '{red,NULL,true}') AS literal,
       tlv_assign(mixed, ROW('blue'::text, 5, 'happy'::name)) =
         (SELECT component FROM unnest(tlv_infer(mixed, ROW('blue'::text, 5, 'happy'::name))) WITH ORDINALITY u(p, component) ORDER BY p DESC LIMIT 1) AS mixed,
  round(exp(tlv_log_likelihood(model, ROW('red', 'sad', 'true')))::numeric, 2) AS likelihood,
       (SELECT round(sum(exp(tlv_log_likelihood(model, ROW(c, m, s))))::numeric, 6) FROM unnest(ARRAY['red', 'blue', 'green']) c, unnest(ARRAY['sad', 'ok', 'happy']) m, unnest(ARRAY[true,
         false]) s) AS all_of_it
FROM named_models;
SELECT tlv_fit_multiview(of_types, 2) = tlv_fit_multiview(of_texts, 2) AS types, of_types = of_texts AS moments, tlv_statistics_of.a = tlv_statistics_of.b AS statistics,
       tlv_info(tlv_update(model, a))->>'steps' AS steps, tlv_from_json(tlv_to_json(model)) = model AS json, tlv_to_json(model)::jsonb->'category_names' ? 'green' AS names
FROM named_models, LATERAL (SELECT tlv_view_moments(colour, mood, sunny) AS of_types, tlv_view_moments(colour, mood::text, sunny::text) AS of_texts FROM named_views) m,
     LATERAL (SELECT tlv_statistics(colour, mood, sunny, model) AS a, tlv_statistics(ROW(colour, mood, sunny), model) AS b FROM named_views) tlv_statistics_of;
SELECT bool_and(whole = parts) AS rolled, bool_and(tlv_info(whole)->>'nulls' = '300') AS nulls
FROM (SELECT tlv_view_moments(CASE WHEN i % 10 > 0 THEN colour END, mood, number) AS whole FROM named_views) w,
     (SELECT tlv_rollup(part) AS parts FROM (SELECT tlv_view_moments(CASE WHEN i % 10 > 0 THEN colour END, mood, number) AS part FROM named_views GROUP BY i % 7) q) p;
SELECT tlv_info(tlv_view_moments('', '', 1))->'arrays' AS empty_texts, tlv_view_moments(ARRAY[1], ARRAY[2.5::real], '{3}') = tlv_view_moments(ARRAY[1.0::float8], '{2.5}',
  ARRAY[3::smallint]) AS vectors;
SELECT q AS query, pg_temp.outcome(format('SELECT (%s)::text FROM named_models', q)) AS outcome
FROM unnest(ARRAY[$$tlv_assign(model, ROW('purple', 'sad', 'true'))$$, $$tlv_assign(model, ROW(1, 'sad', 'true'))$$, $$tlv_assign(mixed, ROW('red', 'five', 'sad'))$$,
  $$tlv_assign(model, ARRAY['red', 'sad'])$$,
  $$tlv_assign(model, ROW(1.5, 'sad', 'true'))$$, $$tlv_assign(model, ROW(to_tsvector('a'), 'sad', 'true'))$$, $$tlv_impute(model, ROW('red', 'sad', NULL::text))$$,
  $$(SELECT tlv_view_moments(1.5, 2, 3))$$, $$(SELECT tlv_view_moments(1, 2, ARRAY[3]))$$, $$(SELECT tlv_view_moments(ARRAY['a'], ARRAY[2], ARRAY[3]))$$,
    $$(SELECT tlv_view_moments(to_tsvector('a'), 1, 1))$$,
  $$(SELECT tlv_view_moments(to_tsvector('a'), to_tsvector('a'), to_tsvector('a')))$$, $$(SELECT tlv_view_moments(1, 2, 3) + tlv_view_moments(1, 'a'::text, 3))$$,
    $$(SELECT tlv_info(tlv_statistics('a'::text, 'b'::text, 'c'::text, model))->>'nulls')$$,
  $$(SELECT tlv_statistics(ARRAY[1.0], ARRAY[1.0], ARRAY[1.0], model))$$]) q;

-- categories whose moments do not identify what was asked for: other starts, and a warning
CREATE TABLE independent AS SELECT (i * 7919 + i * i * 31) % 5 AS a, 'b' || (i * 104729 + i * i * 17) % 4 AS b, (i * 15485863 + i * i * 13) % 3 AS c FROM generate_series(1::bigint, 300) i;
SELECT (SELECT count(*) FROM tlv_components(m)) AS components, string_agg(code || ' ' || message, '; ' ORDER BY code) AS warnings,
  (SELECT score FROM tlv_diagnostics(m) WHERE measure = 'mean_log_likelihood') + .01 > (SELECT -sum(h) FROM (SELECT -sum(p * ln(p)) AS h FROM (
    SELECT 1 AS v, a::text AS x, count(*) / 300. AS p FROM independent GROUP BY 2 UNION ALL SELECT 2, b, count(*) / 300. FROM independent GROUP BY 2 UNION ALL
    SELECT 3, c::text, count(*) / 300. FROM independent GROUP BY 2) q GROUP BY v) e) AS as_likely_as_one
FROM (SELECT tlv_multiview('TABLE independent', 2) AS m) f, tlv_warnings(m) GROUP BY m;
SELECT code FROM tlv_warnings((SELECT tlv_fit_multiview(tlv_view_moments(a, b, c), 2) FROM independent)) WHERE code = 'not_identified';
SELECT tlv_multiview('TABLE independent', 2) = tlv_multiview('TABLE independent', 2) AS repeats;
SELECT w.code, w.score, w.message FROM tlv_warnings(tlv_multiview('TABLE independent', 2, refine => 'none')) w WHERE w.code = 'fewer_components';
DROP TABLE independent;

-- the third moment of two components of three binary views is symmetric, whatever the order of the rows
SELECT max(score) < 1e-12 AS symmetric FROM generate_series(1, 6) s, LATERAL (SELECT tlv_multiview('SELECT v1, v2, v3 FROM (SELECT x1 AS v1, x2 AS v2, x3 AS v3, row_number() OVER () AS n
    FROM tlv_simulate_multiview(tlv_simulate_multiview_model(''{2,3,2}'', 2), 60)) q ORDER BY n * 7 * ' || s || ' % 61', 2, refine => 'none') AS m) f, tlv_diagnostics(m)
  WHERE measure = 'asymmetry' AND component = 3;

-- views that are equal, and symmetric about their mean: one component is that mean
SELECT k, string_agg(round(m.mean::numeric, 3)::text, ' ' ORDER BY m.view) AS means FROM unnest(ARRAY[NULL, 1, 2]) k,
  tlv_means(tlv_multiview('SELECT ARRAY[x]::float8[], ARRAY[x]::float8[], ARRAY[x]::float8[] FROM (VALUES (1), (-1), (1), (-1)) v(x)', k => k)) m
  GROUP BY k, m.component ORDER BY 1 NULLS FIRST, 2;
