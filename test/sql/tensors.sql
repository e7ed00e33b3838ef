-- Tensors: collecting, sums of products, models of them, single entries, bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
SET jit = off;
CREATE TABLE tensor_rows AS SELECT * FROM tlv_simulate_tensor(ARRAY[14, 12, 10], 3, noise => .1, seed => 4);
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
-- rows of an array
SELECT component, mode, array_length(vector, 1) AS items, round(sqrt(sum(x ^ 2))::numeric, 6) AS length, round(residual::numeric, 2) AS residual
FROM tensor_arrays, tlv_cp(t, 3) c, unnest(vector) x GROUP BY component, mode, vector, residual ORDER BY 1, 2;
SELECT bool_and(x >= 0) AS nonnegative FROM tensor_arrays, tlv_cp(t, 2, nonnegative => true, solver => 'pqp') c, unnest(vector) x;
-- merging and taking away
CREATE TABLE tensor_days AS SELECT i % 4 AS day, tlv_tensor_agg(i, j, l, (i * j * l % 7)::float8) AS moments FROM tensor_rows GROUP BY 1;
SELECT tlv_rollup(moments) = (SELECT tlv_tensor_agg(i, j, l, (i * j * l % 7)::float8) FROM tensor_rows) AS days FROM tensor_days;
SELECT a.moments + b.moments - b.moments = a.moments AS back, 2 * a.moments = a.moments + a.moments AS twice, a.moments - a.moments = (SELECT tlv_tensor_agg(1, 1, 1, 0)) AS nothing
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
SELECT tlv_fit_cp(ARRAY[[[1, 2]]]::float8[], 1, solver => 'hals');
SELECT tlv_fit_cp(tlv_dense_moments(ARRAY[1.0], 2), 1);
SELECT * FROM tlv_warnings(tlv_fit_cp(ARRAY[[[1, 2], [3, 5]]]::float8[], 2));
SELECT tlv_tensor_at(model, 'a'::text, 1, 1) FROM tensor_models;
SELECT tlv_tensor_at(named, 1, 'j1', 'l1') FROM tensor_models;
SELECT tlv_tensor_at(tlv_gmm('SELECT x::float8 FROM generate_series(1, 50) x', 1), 1, 1, 1);
SELECT * FROM tlv_simulate_tensor(ARRAY[2, 0, 2]);
SELECT * FROM tlv_simulate_tensor(ARRAY[2, 2, 2], noise => -1);
SET tensorlv.work_mem = 1024;
SELECT tlv_fit_cp(array_fill(1::float8, ARRAY[60, 60, 60]), 30);
RESET tensorlv.work_mem;
DROP TABLE tensor_rows, tensor_names, tensor_arrays, tensor_models, tensor_days;
