-- Tensors: collecting, sums of products, models of them, single entries, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
SET jit = off;
CREATE FUNCTION three_products(d integer[], noise float8) RETURNS TABLE (i bigint, j bigint, l bigint, entry float8, exact float8) LANGUAGE sql AS $$
  SELECT i, j, l, sum(e) + noise * sin(i * 7.3 + j * 11.9 + l * 5.1), sum(e) FROM generate_series(1, d[1]::bigint) i, generate_series(1, d[2]::bigint) j, generate_series(1, d[3]::bigint) l,
    generate_series(1, 3) h, LATERAL (SELECT (4 - h) * cos(i * h + 1) * sin(j * h * 1.7 + h) * cos(l * (h + .5) - 1) AS e) p GROUP BY i, j, l $$;
CREATE TABLE tensor_rows AS SELECT * FROM three_products('{14,12,10}', .15);
CREATE TABLE tensor_names AS SELECT 'i' || i AS i, 'j' || j AS j, 'l' || l AS l, entry FROM tensor_rows;
CREATE TABLE tensor_arrays AS
  SELECT array_agg(p ORDER BY i) AS t FROM (SELECT i, array_agg(f ORDER BY j) AS p FROM (SELECT i, j, array_agg(entry ORDER BY l) AS f FROM tensor_rows GROUP BY 1, 2) q GROUP BY i) r;
CREATE TABLE tensor_models AS
  SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, entry), 3) AS model, (SELECT tlv_fit_cp(t, 3) FROM tensor_arrays) AS of_array,
         (SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, entry), 3) FROM tensor_names) AS named FROM tensor_rows;
-- what is found is nearer to the exact tensor than what was given
SELECT sqrt(sum((tlv_tensor_at(model, i, j, l) - exact) ^ 2) / sum(exact ^ 2)) < .03 AS near FROM tensor_rows, tensor_models;
SELECT bool_and(abs(tlv_tensor_at(model, i, j, l) - tlv_tensor_at(named, 'i' || i, 'j' || j, 'l' || l)) < 1e-6) AS by_name,
       bool_and(abs(tlv_tensor_at(model, i, j, l) - tlv_tensor_at(of_array, i, j, l)) < 1e-9) AS by_place FROM tensor_rows, tensor_models WHERE l < 3;
SELECT bool_and(tlv_tensor_at(named, i::name, j::name, l::name) = tlv_tensor_at(named, i, j, l)) AS of_names FROM tensor_names, tensor_models;
SELECT tlv_tensor_at(model, 99, 1, 1) AS unknown, tlv_tensor_at(model, '2', 3, 4) = tlv_tensor_at(model, 2::smallint, 3::bigint, 4) AS literal, tlv_tensor_at(model, NULL::int, 1, 1) AS nothing
FROM tensor_models;
SELECT model = (model::text)::tlv_model AS text_form, tlv_from_json(tlv_to_json(named)) = named AS json, tlv_svg(named) LIKE '<svg%i14%' AS picture FROM tensor_models;
SELECT component, weight = max(weight) OVER () AS largest FROM tensor_models, tlv_components(model) ORDER BY 1;
SELECT measure, score < .11 AS small FROM tensor_models, tlv_diagnostics(model) ORDER BY 1;
SELECT mode, count(*), round(sum(weight ^ 2)::numeric, 6) AS squares, min(item_name) AS name FROM tensor_models, tlv_factors(named) GROUP BY mode ORDER BY 1;
SELECT count(*) AS entries, bool_and(abs(entry - tlv_tensor_at(model, i, j, l)) < 1e-9) AS the_same FROM tensor_models, tlv_tensor_entries(model);
SELECT component_a, component_b, round(distance::numeric, 3) AS distance FROM tensor_models, tlv_match(model, of_array) ORDER BY 1;
SELECT tlv_tensor_at(tlv_compact(model, .3), 1, 1, 1) IS NOT NULL AS compact, (SELECT count(*) FROM tlv_components(tlv_compact(model, .3))) < 3 AS fewer FROM tensor_models;
SELECT tlv_tensor_at(tlv_align(tlv_compact(model, .3), model), 1, 1, 1) = tlv_tensor_at(tlv_compact(model, .3), 1, 1, 1) AS absent FROM tensor_models;
-- cores in bases, chains of cores: near by, single entries, all forms
CREATE TABLE tensor_short AS
  SELECT name, model FROM tensor_arrays, LATERAL (VALUES ('tucker', tlv_fit_tucker(t, '{3,3,3}')), ('train', tlv_fit_tensor_train(t, '{3,3}')),
    ('tolerance', tlv_fit_tensor_train(t, tolerance => .12))) v(name, model)
  UNION ALL SELECT 'named tucker', tlv_fit_tucker(tlv_tensor_agg(i, j, l, entry), '{3,3,3}') FROM tensor_names
  UNION ALL SELECT 'named train', tlv_fit_tensor_train(tlv_tensor_agg(i, j, l, entry), '{3,3}') FROM tensor_names;
SELECT name, round(sqrt(sum((e.entry - exact) ^ 2) / sum(exact ^ 2))::numeric, 3) < .06 AS near
FROM tensor_short, tlv_tensor_entries(model) e JOIN tensor_rows r ON (r.i, r.j, r.l) =
  (regexp_replace(e.i_name, '\D', '')::int, regexp_replace(e.j_name, '\D', '')::int, regexp_replace(e.l_name, '\D', '')::int) GROUP BY name ORDER BY name COLLATE "C";
SELECT name, tlv_from_json(tlv_to_json(model)) = model AS json, (model::text)::tlv_model = model AS text_form, tlv_svg(model) LIKE '<svg%' AS picture,
  (tlv_info(model)->>'residual')::float8 < .12 AS residual, (tlv_info(model)->>'ratio')::float8 > 8 AS shorter FROM tensor_short ORDER BY name COLLATE "C";
SELECT abs(tlv_tensor_at((SELECT model FROM tensor_short WHERE name = 'tucker'), 3, 4, 5)
    - tlv_tensor_at((SELECT model FROM tensor_short WHERE name = 'named tucker'), 'i3', 'j4', 'l5')) < 1e-5 AS tucker,
  abs(tlv_tensor_at((SELECT model FROM tensor_short WHERE name = 'train'), 3, 4, 5)
    - tlv_tensor_at((SELECT model FROM tensor_short WHERE name = 'named train'), 'i3', 'j4', 'l5')) < 1e-9 AS train;
-- by hand, from what is read of a model
SELECT abs(sum(c.weight * a.weight * b.weight * d.weight) - tlv_tensor_at(model, 2, 3, 4)) < 1e-9 AS tucker
FROM tensor_short, tlv_tensor_core(model) c, tlv_factors(model) a, tlv_factors(model) b, tlv_factors(model) d
WHERE name = 'tucker' AND (a.mode, a.item, a.component) = (1, 2, component_i) AND (b.mode, b.item, b.component) = (2, 3, component_j) AND (d.mode, d.item, d.component) = (3, 4, component_l)
GROUP BY model;
SELECT code FROM tensor_arrays, tlv_warnings(tlv_fit_tucker(t, '{14,12,10}'));
SELECT name, measure FROM tensor_short, tlv_diagnostics(model) WHERE name = 'train' ORDER BY measure;
-- what other kinds can do is told
SELECT m.* FROM tensor_short, tlv_match(model, model) m WHERE name = 'tucker';
DROP TABLE tensor_short;
-- merging and taking away
CREATE TABLE tensor_days AS SELECT i % 4 AS day, tlv_tensor_agg(i, j, l, (i * j * l % 7)::float8) AS moments FROM tensor_rows GROUP BY 1;
SELECT tlv_rollup(moments) = (SELECT tlv_tensor_agg(i, j, l, (i * j * l % 7)::float8) FROM tensor_rows) AS days FROM tensor_days;
SELECT a.moments + b.moments - b.moments = a.moments AS back, 2 * a.moments = a.moments + a.moments AS twice, a.moments - a.moments = (SELECT s - s FROM (SELECT tlv_tensor_agg(1,
  1, 1, 0) AS s) q) AS nothing
FROM tensor_days a, tensor_days b WHERE a.day = 1 AND b.day = 2;
SELECT (a - b = tlv_tensor_agg(1, 1, 1, .1)) AS rounding
FROM (SELECT tlv_tensor_agg(1, 1, x, .1 * y) AS a FROM (VALUES (1, 1), (2, 3)) v(x, y)) p, (SELECT tlv_tensor_agg(1, 1, 2, .3) AS b) q GROUP BY a, b;
SELECT bool_and(moving = tlv_rollup) AS windows FROM (
  SELECT tlv_tensor_agg('a' || n % 3, n % 5, n % 2, n) OVER (ORDER BY n ROWS 6 PRECEDING) AS moving,
         (SELECT tlv_tensor_agg('a' || m % 3, m % 5, m % 2, m) FROM generate_series(greatest(n - 6, 1), n) m) AS tlv_rollup FROM generate_series(1, 40) n) q;
SELECT i_name, j_name, l_name, entry
FROM tlv_tensor_entries((SELECT tlv_tensor_agg(a, b, c, v) FROM (VALUES ('x', 1, 'z', 2), ('x', 1, 'z', 3), ('y', 2, 'z', -1), ('w', 5, 'z', 0), ('x', 1, NULL, 7)) v(a, b, c, v)));
SELECT tlv_info(tlv_tensor_agg(a, 1, 1, 2))->'nulls' AS nulls FROM (VALUES (1), (NULL)) v(a);
SELECT tlv_tensor_agg(1, 1, 1, 1) IS NOT NULL AND tlv_tensor_agg('a', 1, 1, 1) IS NOT NULL AND tlv_tensor_agg(1, 'a', 1, 1) IS NOT NULL AND tlv_tensor_agg('a', 'a', 1, 1) IS NOT NULL
   AND tlv_tensor_agg(1, 1, 'a', 1) IS NOT NULL AND tlv_tensor_agg('a', 1, 'a', 1) IS NOT NULL
   AND tlv_tensor_agg(1, 'a', 'a', 1) IS NOT NULL AND tlv_tensor_agg('a', 'a', 'a', 1) IS NOT NULL AS all_ids;
-- bad input
SELECT tlv_tensor_agg(1, 1, 1, 'NaN');
SELECT tlv_tensor_agg(1, 1, 1, 1e300 * n) FROM generate_series(1, 3) n;
SELECT tlv_tensor_agg(1, 1, 1, 1) + tlv_tensor_agg('a', 1, 1, 1);
SELECT tlv_fit_cp(tlv_tensor_agg(1, 1, 1, 0), 1);
SELECT tlv_fit_cp(tlv_tensor_agg(1, 1, 1, 0), 1, on_failure => 'null') IS NULL AS none;
SELECT tlv_fit_cp(tlv_tensor_agg(1, 1, 1, -1), 1, nonnegative => true) IS NULL AS none;
SELECT tlv_fit_cp(ARRAY[[[0, 0]]]::float8[], 1);
SELECT tlv_fit_cp(ARRAY[[[1, 'NaN']]]::float8[], 1);
SELECT tlv_fit_cp(ARRAY[[[1, NULL]]]::float8[], 1);
SELECT tlv_fit_cp(ARRAY[[1, 2]]::float8[], 1);
SELECT tlv_fit_cp(ARRAY[[[1, 2]]]::float8[], 0);
SELECT tlv_fit_cp(ARRAY[[[1, 2]]]::float8[], 2000);
SELECT tlv_fit_cp(ARRAY[[[1, 2]]]::float8[], 1, method => 'hals');
SELECT tlv_fit_cp(tlv_dense_moments(ARRAY[1.0], 2), 1);
SELECT tlv_fit_tucker(ARRAY[[[1, 2], [3, 5]]]::float8[], '{1,2}');
SELECT tlv_fit_tucker(ARRAY[[[1, 2], [3, 5]]]::float8[], '{1,0,2}');
SELECT tlv_fit_tucker(ARRAY[[[1, 2], [3, 5]]]::float8[], '{1,1,2}');
SELECT tlv_fit_tucker(ARRAY[[[1, 2], [3, 5]]]::float8[], NULL);
SELECT tlv_fit_tucker(ARRAY[[[0, 0]]]::float8[], '{1,1,1}');
SELECT tlv_fit_tensor_train(ARRAY[[[1, 2]]]::float8[], tolerance => 1);
SELECT tlv_fit_tensor_train(ARRAY[[[1, 2]]]::float8[], '{1,NULL}');
SELECT tlv_factors(tlv_fit_tensor_train(ARRAY[[[1, 2]]]::float8[]));
SELECT * FROM tlv_warnings(tlv_fit_cp(ARRAY[[[1, 2], [3, 5]]]::float8[], 2));
SELECT tlv_tensor_at(model, 'a'::text, 1, 1) FROM tensor_models;
SELECT tlv_tensor_at(named, 1, 'j1', 'l1') FROM tensor_models;
SELECT tlv_tensor_at(tlv_gmm('SELECT x::float8 FROM generate_series(1, 50) x', 1), 1, 1, 1);
SET tensorlv.work_mem = 1024;
SELECT tlv_fit_cp(array_fill(1::float8, ARRAY[60, 60, 60]), 30);
RESET tensorlv.work_mem;
DROP TABLE tensor_rows, tensor_names, tensor_arrays, tensor_models, tensor_days;

-- ---- missing entries ----
-- (1 + i)(2 + j)(1 + l), half of it missing: 144 at (3, 4, 5)
CREATE TABLE product AS SELECT i, j, l, (1 + i) * (2 + j) * (1 + l)::float8 AS v, hashint4(i * 10000 + j * 100 + l) % 2 = 0 AS known
FROM generate_series(1, 10) i, generate_series(1, 10) j, generate_series(1, 10) l;
CREATE TABLE missing AS SELECT (SELECT tlv_tensor_agg(i, j, l, CASE WHEN known THEN v END) FROM product) AS t, (SELECT tlv_tensor_agg(i, j, l, v) FROM product WHERE known) AS absent,
  (SELECT array_agg(a ORDER BY i) FROM (SELECT i, array_agg(a ORDER BY j) AS a FROM (SELECT i, j, array_agg(CASE WHEN known THEN v END ORDER BY l) AS a FROM product GROUP BY i,
    j) q GROUP BY i) q) AS a;
SELECT form, round(tlv_tensor_at(m, 3, 4, 5)::numeric, 4) AS entry, round((tlv_info(m)->>'residual')::numeric, 6) AS residual FROM missing, LATERAL (VALUES
  (1, 'cp', tlv_fit_cp(t, 1)), (2, 'not negative', tlv_fit_cp(t, 1, nonnegative => true)), (3, 'tucker', tlv_fit_tucker(t, '{1,1,1}')), (4, 'train', tlv_fit_tensor_train(t, '{1,1}')),
  (5, 'array', tlv_fit_cp(a, 1)), (6, 'tucker of an array', tlv_fit_tucker(a, '{1,1,1}')), (7, 'train of an array', tlv_fit_tensor_train(a, '{1,1}')),
  (8, 'absent, missing', tlv_fit_cp(absent, 1, absent => 'missing')), (9, 'tucker', tlv_fit_tucker(absent, '{1,1,1}', absent => 'missing')),
  (10, 'train', tlv_fit_tensor_train(absent, '{1,1}', absent => 'missing'))) f(n, form, m) ORDER BY n;
SELECT round(tlv_tensor_at(tlv_fit_cp(absent, 1), 3, 4, 5)::numeric) < 120 AS absent_is_zero FROM missing;
-- merged, taken apart and weighed
SELECT bool_and(whole = t) AS rolled FROM missing, (SELECT tlv_rollup(s) AS whole FROM (SELECT tlv_tensor_agg(i, j, l, CASE WHEN known THEN v END) AS s FROM product GROUP BY (i + j) % 3) q) r;
SELECT t - part = others AS subtracted FROM missing, (SELECT tlv_tensor_agg(i, j, l, CASE WHEN known THEN v END) FILTER (WHERE i <= 4) AS part,
  tlv_tensor_agg(i, j, l, CASE WHEN known THEN v END) FILTER (WHERE i > 4) AS others FROM product) q;
SELECT round(tlv_tensor_at(tlv_fit_cp(0.5::float8 * t, 1), 3, 4, 5)::numeric, 4) AS half FROM missing;
-- the rest of a place that was missing comes later; a NULL beside a value says nothing
SELECT round(tlv_tensor_at(tlv_fit_cp(t + later, 1), 3, 4, 5)::numeric, 4) AS entry FROM missing, (SELECT tlv_tensor_agg(i, j, l, v) AS later FROM product WHERE NOT known) q;
SELECT (SELECT array_agg(f) FROM tlv_factors(tlv_fit_cp(a, 1)) f) = (SELECT array_agg(f) FROM tlv_factors(tlv_fit_cp(b, 1)) f) AS same FROM (SELECT tlv_tensor_agg(i, j, l, v) AS a
  FROM product) x, (SELECT tlv_tensor_agg(i, j, l, w) AS b FROM product, unnest(ARRAY[v, NULL]) w) y
  WHERE tlv_info(b)->>'nulls' = '1000';
-- an observed 0 is no missing entry; a window moves over both
SELECT round(tlv_tensor_at(tlv_fit_cp(tlv_tensor_agg(i, j, l, CASE WHEN i > 1 THEN v WHEN j < 9 THEN 0 END), 1), 1, 10, 5)::numeric, 4) AS zero FROM product;
SELECT bool_and(s = (SELECT tlv_tensor_agg(i, j, l, CASE WHEN known THEN i % 2 END) FROM product p WHERE p.i BETWEEN q.i - 1 AND q.i AND j = 1)) AS moves
FROM (SELECT i, tlv_tensor_agg(i, j, l, CASE WHEN known THEN i % 2 END) OVER (ORDER BY i RANGE 1 PRECEDING) AS s FROM product WHERE j = 1) q;
-- what nobody knows: an item all of whose entries are missing is none of the model's
SELECT tlv_tensor_at(m, 11, 4, 5) AS unknown, round(tlv_tensor_at(m, 3, 4, 5)::numeric, 4) AS known
FROM missing, LATERAL (SELECT tlv_fit_cp(t + (SELECT tlv_tensor_agg(11, j, l, NULL::float8) FROM generate_series(1, 10) j, generate_series(1, 10) l), 1) AS m) q;
SELECT tlv_fit_cp(ARRAY[[[1, 2], [3, 4]], [[NULL, NULL], [NULL, NULL]]]::float8[], 1);
SELECT tlv_fit_tensor_train(t) FROM missing;
SELECT tlv_fit_cp(t, 1, absent => 'unknown') FROM missing;
SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, NULL::float8), 1) FROM product;
-- three products, a fifth of the entries, noise of one in a hundred
SELECT round(sqrt(sum((e.entry - t.exact) ^ 2) / sum(t.exact ^ 2))::numeric, 3) AS error FROM three_products('{20,15,12}', .01) t JOIN tlv_tensor_entries(
  (SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, entry), 3, absent => 'missing') FROM three_products('{20,15,12}', .01)
    WHERE hashint4((i * 10000 + j * 100 + l)::int) % 5 = 0)) e
  USING (i, j, l);
