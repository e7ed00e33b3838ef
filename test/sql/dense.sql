-- Moments of vectors: against plain SQL, on every path, bad rows, subspaces, and decomposition of plain arrays.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
-- Multiples of 1/8: the sums are exact, whatever their order and their reference.
CREATE TABLE vec_rows AS
  SELECT i AS id, i % 7 AS day, ARRAY[(i * 37 % 101) / 8.0 - 3, (i * i % 53) / 8.0 + 100, ((i * 13 % 17) * (i % 5)) / 8.0]::float8[] AS x
  FROM generate_series(1, 1500) i;
INSERT INTO vec_rows VALUES (-1, 0, NULL), (9001, 3, NULL);
ANALYZE vec_rows;
CREATE TABLE vec_parts (LIKE vec_rows) PARTITION BY LIST (day);
CREATE TABLE vec_parts_a PARTITION OF vec_parts FOR VALUES IN (0, 1, 2);
CREATE TABLE vec_parts_b PARTITION OF vec_parts DEFAULT;
INSERT INTO vec_parts SELECT * FROM vec_rows;
ANALYZE vec_parts;

-- against plain SQL
SELECT tlv_info(tlv_dense_moments(x, 4)) - 'bytes' - 'fingerprint' AS info FROM vec_rows;
WITH m AS (SELECT tlv_dense_moments(x, 4) AS m FROM vec_rows)
SELECT array_agg(round(a::numeric, 9)) = array_agg(round(b::numeric, 9)) AS mean
FROM m, unnest(tlv_central_moment(m, 1), (SELECT ARRAY[avg(x[1]), avg(x[2]), avg(x[3])] FROM vec_rows)) u(a, b);
WITH m AS MATERIALIZED (SELECT tlv_dense_moments(x, 4) AS m FROM vec_rows),
     c AS MATERIALIZED (SELECT x[1] - avg(x[1]) OVER () AS c1, x[2] - avg(x[2]) OVER () AS c2, x[3] - avg(x[3]) OVER () AS c3 FROM vec_rows WHERE x IS NOT NULL)
SELECT abs(m2[1][1] - avg(c1 ^ 2)) < 1e-9 AND abs(m2[3][2] - avg(c2 * c3)) < 1e-9 AND m2[2][3] = m2[3][2] AS covariance,
       abs(m3[1][1][1] - avg(c1 ^ 3)) < 1e-8 AND abs(m3[1][2][3] - avg(c1 * c2 * c3)) < 1e-8 AND abs(m3[3][1][3] - avg(c1 * c3 ^ 2)) < 1e-8 AS third,
       abs(m4[3][3][3][3] - avg(c3 ^ 4)) < 1e-6 AND abs(m4[3][1][2][1] - avg(c1 ^ 2 * c2 * c3)) < 1e-6 AND abs(m4[2][1][2][1] - avg(c1 ^ 2 * c2 ^ 2)) < 1e-6 AS fourth,
       ARRAY[array_dims(m2), array_dims(m3), array_dims(m4)] AS dims
FROM c, (SELECT tlv_central_moment(m, 2) AS m2, tlv_central_moment(m, 3) AS m3, tlv_central_moment(m, 4) AS m4 FROM m) q
GROUP BY m2, m3, m4;
-- the order is a part of the value; lower orders are the same
SELECT tlv_central_moment(a, 2) = tlv_central_moment(c, 2) AS second, tlv_central_moment(b, 3) = tlv_central_moment(c, 3) AS third
FROM (SELECT tlv_dense_moments(x, 2) AS a, tlv_dense_moments(x, 3) AS b, tlv_dense_moments(x, 4) AS c FROM vec_rows) q;

-- what a value says, whatever its reference row
CREATE FUNCTION vec_digest(m tlv_moments) RETURNS text LANGUAGE sql PARALLEL SAFE AS $$
  SELECT string_agg(n::text || ':' || (SELECT string_agg(CASE WHEN abs(v) < 1e-9 THEN '0' ELSE v::numeric(30, 7)::text END, ' ') FROM unnest(tlv_central_moment(m, n)) v), ';' ORDER BY n)
    || (tlv_info(m)->>'nulls') || ' ' || (tlv_info(m)->>'rows')
  FROM generate_series(1, (tlv_info(m)->>'order')::int) n $$;
CREATE FUNCTION vec_paths(call text) RETURNS TABLE (path text, same boolean) LANGUAGE plpgsql AS $$
DECLARE
  one text := format(call, 'x');
  direct text;
  names text[] := '{grouped, added, "added the other way", windowed, "window prefix", sliding, filtered, "grouping sets", "many per row",
      parallel, "parallel groups", hashed, sorted, partition-wise, stored}';
  queries text[] := ARRAY[
    format('SELECT vec_digest(tlv_rollup(p)) FROM (SELECT day, %s AS p FROM vec_rows GROUP BY day) g', one),
    format('SELECT vec_digest((SELECT %1$s FROM vec_rows WHERE day < 2) + (SELECT %1$s FROM vec_rows WHERE day >= 2))', one),
    format('SELECT vec_digest((SELECT %1$s FROM vec_rows WHERE day >= 2) + (SELECT %1$s FROM vec_rows WHERE day < 2))', one),
    format('SELECT vec_digest(w) FROM (SELECT id, %s OVER (ORDER BY id) AS w FROM vec_rows) q ORDER BY id DESC LIMIT 1', one),
    format('SELECT CASE WHEN vec_digest(w) = (SELECT vec_digest(%1$s) FROM vec_rows WHERE id <= 700) THEN ''direct'' END
        FROM (SELECT id, %1$s OVER (ORDER BY id) AS w FROM vec_rows) q WHERE id = 700', one),
    format('SELECT CASE WHEN vec_digest(w) = (SELECT vec_digest(%1$s) FROM vec_rows WHERE id BETWEEN 601 AND 700) THEN ''direct'' END
        FROM (SELECT id, %1$s OVER (ORDER BY id RANGE 99 PRECEDING) AS w FROM vec_rows WHERE id BETWEEN 500 AND 800) q WHERE id = 700', one),
    format('SELECT CASE WHEN vec_digest(%1$s FILTER (WHERE day = 5)) = (SELECT vec_digest(%1$s) FROM vec_rows WHERE day = 5) THEN ''direct'' END FROM vec_rows', one),
    format('SELECT vec_digest(p) FROM (SELECT day, grouping(day) AS g, %s AS p FROM vec_rows GROUP BY GROUPING SETS ((day), ())) q WHERE g = 1', one),
    format('SELECT vec_digest(%s) FROM (SELECT array_agg(x) AS xs FROM vec_rows WHERE x IS NOT NULL GROUP BY id %% 13 UNION ALL SELECT NULL FROM generate_series(1, 2)) q', format(call, 'xs')),
    format('SELECT vec_digest(%s) FROM vec_rows', one),
    format('SELECT vec_digest(tlv_rollup(p)) FROM (SELECT id %% 5, %s AS p FROM vec_rows GROUP BY 1) q', one),
    format('SELECT vec_digest(tlv_rollup(p)) FROM (SELECT id %% 300, %s AS p FROM vec_rows GROUP BY 1) q', one),
    format('SELECT vec_digest(tlv_rollup(p)) FROM (SELECT id %% 300, %s AS p FROM vec_rows GROUP BY 1) q', one),
    format('SELECT vec_digest(%s) FROM vec_parts', one),
    format('SELECT vec_digest(tlv_rollup(p::text::tlv_moments)) FROM (SELECT day, %s AS p FROM vec_rows GROUP BY day) g', one)];
  settings text[];
  result text;
BEGIN
  EXECUTE format('SELECT vec_digest(%s) FROM vec_rows', one) INTO direct;
  FOR i IN 1 .. array_length(names, 1) LOOP
    settings := CASE
      WHEN names[i] LIKE 'parallel%' THEN '{max_parallel_workers_per_gather=2,parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'
      WHEN names[i] = 'hashed' THEN '{enable_sort=off,work_mem=64kB}'
      WHEN names[i] = 'sorted' THEN '{enable_hashagg=off}'
      WHEN names[i] = 'partition-wise' THEN '{enable_partitionwise_aggregate=on}'
      ELSE '{}' END;
    PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM unnest(settings) s;
    IF names[i] IN ('parallel', 'partition-wise') AND pg_temp.nodes(queries[i]) NOT LIKE 'Finalize Aggregate%Partial Aggregate%' THEN
      RAISE EXCEPTION '% is not planned as such: %', names[i], pg_temp.nodes(queries[i]);
    END IF;
    EXECUTE queries[i] INTO result;
    path := names[i];
    same := result = direct OR result = 'direct';
    IF same IS NOT TRUE THEN
      RAISE NOTICE E'%:\n%\n%', path, left(direct, 400), left(result, 400);
    END IF;
    RETURN NEXT;
    PERFORM set_config(split_part(s, '=', 1), default_of.reset_val, true) FROM unnest(settings) s JOIN pg_settings default_of ON name = split_part(s, '=', 1);
  END LOOP;
END $$;
CREATE TABLE vec_values AS
  SELECT tlv_dense_moments(x, 2) AS m, tlv_find_subspace(tlv_dense_moments(x, 2), k => 2) AS s, tlv_find_subspace(tlv_dense_moments(x, 3), k => 3) AS whole FROM vec_rows;
SELECT call, count(*) AS paths, string_agg(path, ', ') FILTER (WHERE same IS NOT TRUE) AS differ
FROM unnest(ARRAY['tlv_dense_moments(%s, 2)', 'tlv_dense_moments(%s, 3)', 'tlv_dense_moments(%s, 4)', 'tlv_dense_moments(%s, (SELECT s FROM vec_values))',
                  'tlv_dense_moments(%s, (SELECT s FROM vec_values), 3)']) call, vec_paths(call)
GROUP BY call ORDER BY call;

-- the leading directions, and the second pass in them
SELECT rank, round(eigenvalue::numeric, 6) AS eigenvalue, z FROM vec_values, tlv_spectrum(whole) ORDER BY rank;
SELECT tlv_info(s) - 'bytes' - 'fingerprint' - 'noise' AS info, abs((tlv_info(s)->>'noise')::float8 - (SELECT eigenvalue FROM tlv_spectrum(whole) WHERE rank = 3)) < 1e-9 AS noise FROM vec_values;
SELECT tlv_info(c) - 'bytes' - 'fingerprint' - 'noise' - 'subspace' - 'radial' AS info, abs((tlv_info(c)->>'radial')::float8 / 1500 - (tlv_info(c)->>'noise')::float8) < 1e-9 AS radial,
       abs((tlv_central_moment(c, 2))[1][1] - (SELECT eigenvalue FROM tlv_spectrum(s) WHERE rank = 1)) < 1e-9 AS variance, abs((tlv_central_moment(c, 1))[1]) < 1e-9 AS centred
FROM (SELECT s, tlv_dense_moments(x, s) AS c FROM vec_rows, vec_values GROUP BY s) q;
-- in all directions the moments are the same but for the rotation
SELECT abs((SELECT sum(v ^ 2) FROM unnest(tlv_central_moment(a, 4)) v) / (SELECT sum(v ^ 2) FROM unnest(tlv_central_moment(b, 4)) v) - 1) < 1e-9 AS norm
FROM (SELECT tlv_dense_moments(x, whole) AS a, tlv_dense_moments(x, 4) AS b FROM vec_rows, vec_values) q;

-- NULL rows are counted, of nothing there is nothing
SELECT tlv_info(tlv_dense_moments(x, 3))->'nulls' AS nulls, tlv_central_moment(tlv_dense_moments(x, 3), 2) AS covariance, tlv_info(tlv_dense_moments(x, s))->'nulls' AS compressed
FROM vec_rows, vec_values WHERE x IS NULL;
SELECT tlv_dense_moments(x, 2) AS moments, tlv_dense_moments(x, s) AS compressed FROM vec_rows, vec_values WHERE false;
SELECT tlv_dense_moments(x, NULL::int) AS no_order, tlv_dense_moments(x, NULL::tlv_subspace) AS no_subspace FROM vec_rows;
SELECT vec_digest(a + b) = vec_digest(c) AS nulls_add_nothing, tlv_info(a + b)->'nulls' AS nulls, tlv_info(b)->'nulls' AS without
FROM (SELECT tlv_dense_moments(x, 3) AS c, tlv_dense_moments(x, 3) FILTER (WHERE x IS NULL) AS a, tlv_dense_moments(x, 3) FILTER (WHERE x IS NOT NULL) AS b FROM vec_rows) q;

-- other arrays of numbers are cast; one element; one row
SELECT tlv_central_moment(tlv_dense_moments(x::real[], 2), 1) = tlv_central_moment(tlv_dense_moments(x::numeric[], 2), 1) AS casts FROM vec_rows;
SELECT tlv_central_moment(m, 1) AS mean, tlv_central_moment(m, 2) AS variance, tlv_central_moment(m, 4) AS fourth FROM (SELECT tlv_dense_moments(ARRAY[i], 4) AS m FROM generate_series(1, 3) i) q;
SELECT tlv_central_moment(m, 1) AS mean, tlv_central_moment(m, 2) AS covariance FROM (SELECT tlv_dense_moments(ARRAY[1, 2]::real[], 3) AS m) q;
SELECT tlv_info(tlv_dense_moments(ARRAY[[1, 2], [3, 4], [5, 7]], 2))->'rows' AS rows;
-- a row taken apart and put together is still one of the same numbers
SELECT vec_digest(tlv_dense_moments(x[1:2], 2)) = vec_digest(tlv_dense_moments(ARRAY[x[1], x[2]], 2)) AS slices FROM vec_rows WHERE x IS NOT NULL;

-- bad rows
SELECT name, pg_temp.outcome(format('SELECT tlv_info(tlv_dense_moments(x, 3))->>''rows'' FROM (VALUES (1, ARRAY[1, 2]::float8[]), (2, %s)) q(i, x)', row)) AS outcome
FROM (VALUES ('shorter', 'ARRAY[1]::float8[]'), ('longer', 'ARRAY[1,2,3]::float8[]'), ('empty', '''{}''::float8[]'), ('null element', 'ARRAY[1,NULL]::float8[]'),
      ('NaN', 'ARRAY[1,''NaN'']::float8[]'), ('infinite', 'ARRAY[''-Infinity'',2]::float8[]'),
  ('huge', 'ARRAY[1,1e300]::float8[]'), ('largest', 'ARRAY[-1.7e308,1.7e308]::float8[]'), ('cube', 'ARRAY[[[1,2]]]::float8[]'),
  ('rows of three', 'ARRAY[[1,2,3]]::float8[]'), ('rows with a null', 'ARRAY[[1,2],[3,NULL]]::float8[]'), ('tiny', 'ARRAY[1e-300,2]::float8[]')) q(name, row);
SELECT o, pg_temp.outcome(format('SELECT tlv_info(tlv_dense_moments(x, %s))->>''order'' FROM vec_rows', o)) AS outcome FROM unnest(ARRAY[-1, 0, 1, 2, 4, 5, 2000000000]) o;
SELECT d, o, pg_temp.outcome(format('SELECT tlv_info(tlv_dense_moments(array_fill(1::float8, ARRAY[%s]), %s))->>''rows''', d, o)) AS outcome
FROM (VALUES (60, 4), (61, 4), (200, 3), (201, 3), (4000, 2), (4001, 2)) q(d, o);
-- powers that vanish are no variances; nor is a constant element
SELECT pg_temp.outcome('SELECT tlv_central_moment(tlv_dense_moments(ARRAY[i * 1e-300, i], 2), 2) FROM generate_series(1, 5) i') AS vanishing,
       pg_temp.outcome('SELECT tlv_central_moment(tlv_dense_moments(ARRAY[i * 1e-100, i], 4), 2) FROM generate_series(1, 5) i') AS vanishing_fourth,
       pg_temp.outcome('SELECT tlv_central_moment(tlv_dense_moments(ARRAY[1e300, i], 2), 2) FROM generate_series(1, 5) i') AS constant;
SELECT pg_temp.outcome('SELECT tlv_dense_moments(x, 2) + tlv_dense_moments(x, 3) FROM vec_rows') AS orders,
       pg_temp.outcome('SELECT tlv_dense_moments(x, 3) + tlv_dense_moments(x[1:2], 3) FROM vec_rows') AS lengths,
       pg_temp.outcome('SELECT tlv_dense_moments(x, s) + tlv_dense_moments(x, whole) FROM vec_rows, vec_values') AS subspaces,
       pg_temp.outcome('SELECT tlv_dense_moments(x, 3) + tlv_dense_moments(x, s) FROM vec_rows, vec_values') AS kinds,
       pg_temp.outcome('SELECT tlv_rollup(m ORDER BY day) FROM (SELECT day, tlv_dense_moments(x, 1 + day) AS m FROM vec_rows WHERE day IN (1, 2) GROUP BY day) q') AS rolled_up,
       pg_temp.outcome('SELECT tlv_dense_moments(ARRAY[-1e200], 2) + tlv_dense_moments(ARRAY[1e200], 2)') AS far_apart;
SELECT k, pg_temp.outcome(format('SELECT tlv_info(tlv_find_subspace(m, k => %s))->>''rank'' FROM vec_values', k)) AS subspace FROM unnest('{-1,0,1,3,4,"NULL"}'::text[]) k;
SELECT pg_temp.outcome('SELECT tlv_find_subspace(m, k => 2, min_documents => 3) FROM vec_values') AS documents,
       pg_temp.outcome('SELECT tlv_info(s)->''change'' FROM vec_values') AS change, pg_temp.outcome('SELECT tlv_dense_moments(ARRAY[1, 2], s) FROM vec_values') AS shorter,
       pg_temp.outcome('SELECT tlv_dense_moments(x, (SELECT tlv_find_subspace(tlv_count_summary(tlv_bag ''{1:3,2:3}''), 1))) FROM vec_rows') AS items,
       pg_temp.outcome('SELECT tlv_count_moments(tlv_bag ''{1:3}'', s) FROM vec_values GROUP BY s') AS bags, pg_temp.outcome('SELECT tlv_fit_lda(m) FROM vec_values') AS lda;
SELECT pg_temp.outcome('SELECT tlv_central_moment(m, 3) FROM vec_values') AS above, pg_temp.outcome('SELECT tlv_central_moment(m, 0) FROM vec_values') AS zeroth,
       pg_temp.outcome('SELECT tlv_central_moment(tlv_count_summary(tlv_bag ''{1:3}''), 1)') AS kind;
-- a vector where a model is of bags; a row in text form is read as what the model is of
CREATE TABLE vec_model AS SELECT tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{1,1}') AS m;
SELECT pg_temp.outcome('SELECT tlv_infer(m, ARRAY[1.5, 2]) FROM vec_model') AS infer, pg_temp.outcome('SELECT tlv_assign(m, ARRAY[1.5, 2]) FROM vec_model') AS assign,
       pg_temp.outcome('SELECT tlv_log_likelihood(m, ARRAY[1.5, 2]) FROM vec_model') AS likelihood, pg_temp.outcome('SELECT tlv_statistics(x, m) FROM vec_rows, vec_model') AS statistics;
SELECT tlv_infer(m, '{1:5}') = tlv_infer(m, tlv_bag '{1:5}') AS literal, tlv_assign(m, '{2:3}') AS assigned,
       tlv_log_likelihood(m, '{1:2}') = tlv_log_likelihood(m, tlv_bag '{1:2}') AS likelihood, pg_temp.outcome('SELECT tlv_infer(m, ''{1,x}'') FROM vec_model') AS malformed FROM vec_model;
-- where the model is of vectors: many rows at once, integers, text; the kinds of rows that it is not of
CREATE TABLE vec_mixed AS SELECT i AS id, ARRAY[(i % 3) * 8 + sin(i * 7.0) * 1.5, cos(i * 3.1) - (i % 3) ^ 2 * 3]::float8[] AS x FROM generate_series(1, 900) i;
CREATE TABLE vec_gmm AS SELECT tlv_gmm('SELECT x FROM vec_mixed', k => 3) AS m;
SELECT tlv_infer(m, ARRAY[[0, 1], [8, -3]]::float8[]) = ARRAY[tlv_infer(m, ARRAY[0, 1]::float8[]), tlv_infer(m, ARRAY[8, -3])] AS many,
       tlv_infer(m, '{8, -3}') = tlv_infer(m, ARRAY[8, -3]::real[]) AS text,
       tlv_assign(m, '{8, -3}') = tlv_assign(m, ARRAY[8.0, -3]) AS assign,
       abs(tlv_log_likelihood(m, ARRAY[[0, 1], [8, -3]]::float8[]) - tlv_log_likelihood(m, '{0,1}') - tlv_log_likelihood(m, '{8,-3}')) < 1e-9 AS likelihood FROM vec_gmm;
SELECT count(DISTINCT tlv_assign(m, x)) AS components, max(abs((SELECT sum(s) FROM unnest(tlv_infer(m, x)) s) - 1)) < 1e-12 AS sums FROM vec_mixed, vec_gmm;
SELECT abs((tlv_info(a)->>'log_likelihood')::float8 - (tlv_info(b)->>'log_likelihood')::float8) < 1e-6 AS likelihood, tlv_info(a)->'rows' AS rows, tlv_info(tlv_update(m, b))->>'kind' AS updated
FROM vec_gmm, (SELECT tlv_statistics(x, m) AS a FROM vec_mixed, vec_gmm) p, (SELECT tlv_statistics(xs, m, 'em') AS b FROM (SELECT array_agg(x) AS xs FROM vec_mixed GROUP BY id % 7) q, vec_gmm) r;
SELECT pg_temp.outcome('SELECT tlv_assign(m, ARRAY[[0, 1], [8, -3]]) FROM vec_gmm') AS assign_many, pg_temp.outcome('SELECT tlv_infer(m, tlv_bag ''{1:1}'') FROM vec_gmm') AS bag,
       pg_temp.outcome('SELECT array_agg(round(p::numeric, 6) ORDER BY p) FROM vec_gmm, unnest(tlv_infer(m, ARRAY[1, NULL]::int[])) p') AS null_element,
         pg_temp.outcome('SELECT tlv_infer(m, ''{}'') FROM vec_gmm') AS empty;
-- damaged values
SELECT pg_temp.outcome(format('SELECT tlv_info(%L::tlv_moments)', overlay(m::text PLACING 'AAAA' FROM 200))) AS moments,
       pg_temp.outcome(format('SELECT tlv_info(%L::tlv_subspace)', replace(s::text, 'dense_subspace', 'items'))) AS subspace FROM vec_values;
SELECT m::text::tlv_moments = m AS moments, s::text::tlv_subspace = s AS subspace FROM vec_values;

-- decomposition of plain arrays
SELECT component, round(eigenvalue::numeric, 9) AS eigenvalue, ARRAY(SELECT round(v::numeric, 9) FROM unnest(vector) v) AS vector, residual < 1e-9 AS exact
FROM tlv_decompose(ARRAY[[[3, 0], [0, 0]], [[0, 0], [0, 5]]]);
SELECT method, count(*) AS components, max(abs(eigenvalue - CASE component WHEN 1 THEN 5 ELSE 3 END)) < 1e-6 AS eigenvalues
FROM unnest('{joint,power,als,sgd,flattening,jennrich,simultaneous,adaptive,adaptive-trace,adaptive-svd,sketch,cp}'::text[]) method,
  tlv_decompose('{3,0,0,0,0,0,0,5}', method => method, seed => 4) GROUP BY method ORDER BY method;
SELECT component, round(eigenvalue::numeric, 9) AS eigenvalue, round(residual::numeric, 9) AS residual FROM tlv_decompose('{3,0,0,0,0,0,0,4}', k => 1);
SELECT * FROM tlv_decompose('{-8}');
SELECT count(*) AS null_tensor FROM tlv_decompose(NULL);
-- equal in all directions of the axes: one component, on the diagonal
SELECT k, round(max(eigenvalue)::numeric, 9) AS largest, bool_and(component = 1 OR abs(eigenvalue) < 1e-9) AS others, max(residual) < 1e-9 AS exact
FROM unnest('{1,2,3}'::int[]) k, tlv_decompose(array_fill(1::float8, ARRAY[3, 3, 3]), k) GROUP BY k ORDER BY k;
SELECT name, pg_temp.outcome(format('SELECT count(*) FROM tlv_decompose(%s)', a)) AS outcome
FROM (VALUES ('not symmetric', '''{1,2,3,4,5,6,7,8}'''), ('no cube', '''{1,2,3}'''), ('two sides', 'ARRAY[[[1,2,3],[1,2,3]]]'),
      ('matrix', 'ARRAY[[1,0],[0,1]]'), ('empty', '''{}'''), ('null', '''{1,0,0,0,0,0,0,NULL}'''), ('NaN', '''{1,0,0,0,0,0,0,NaN}'''),
      ('infinite', '''{1,0,0,Infinity,0,0,0,0}'''), ('zero', '''{0,0,0,0,0,0,0,0}'''),
  ('k', '''{3,0,0,0,0,0,0,4}'', 3'), ('k of zero', '''{3,0,0,0,0,0,0,4}'', 0'), ('method', '''{3}'', method => ''newton'''),
  ('seed', '''{3}'', seed => -1'), ('steps', '''{3}'', steps => 0'), ('huge', '''{1e300,0,0,0,0,0,0,1e300}'''), ('tiny', '''{1e-300,0,0,0,0,0,0,1e-300}''')) q(name, a);
-- integers are a vector for the likelihood, too
SELECT tlv_log_likelihood(m, ARRAY[1, -2]) = tlv_log_likelihood(m, ARRAY[1, -2]::float8[]) AS vector,
       tlv_log_likelihood(m, ARRAY[[1, -2], [3, 4]]) = tlv_log_likelihood(m, ARRAY[[1, -2], [3, 4]]::float8[]) AS "rows" FROM tlv_simulate_gmm_model(2, 2) m;

-- a sample does not depend on the order of the rows, and those of parts are added up to that of the whole
SELECT tlv_info(tlv_row_sample(x, 50, 1)) - 'bytes' - 'fingerprint' AS info FROM vec_rows;
SELECT tlv_row_sample(x, 50, 1) = tlv_row_sample(x, 50, 1 ORDER BY x DESC) AS order_is_nothing,
       tlv_row_sample(x, 50, 1) <> tlv_row_sample(x, 50, 2) AS seeds_differ,
       tlv_row_sample(x, 50, 1) = tlv_row_sample(x, 50, 1) FILTER (WHERE x[1] < 0)
         + tlv_row_sample(x, 50, 1) FILTER (WHERE (x[1] < 0) IS NOT TRUE) AS parts_add_up
FROM vec_rows;
SELECT tlv_row_sample(x, 0, 1) FROM vec_rows;
SELECT tlv_row_sample(x, 3, 1) + tlv_row_sample(x, 4, 1) FROM vec_rows;
SELECT tlv_row_sample(x, 9, 1) FROM (VALUES (ARRAY[1.0, 2]), (ARRAY[1.0])) v(x);
SELECT tlv_row_sample(x, 9, NULL) IS NULL AS no_seed FROM vec_rows;

DROP FUNCTION vec_paths, vec_digest;
DROP TABLE vec_rows, vec_parts, vec_values, vec_model, vec_mixed, vec_gmm;
