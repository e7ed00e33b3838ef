-- tlv_contributions: the log density of each value given the others, from the definition and in closed form
SET client_min_messages = warning;
CREATE TEMP TABLE odd_models AS SELECT * FROM (VALUES
  ('correlated', tlv_from_json('{"tensorlv": 1, "kind": "gaussian_mixture", "covariance": "full", "rows": 100, "weights": [1], "means": [[1, 2]], "covariances": [[[4, 1.8], [1.8, 1]]]}')),
  ('mixture', tlv_simulate_gmm_model(3, 2, seed => 4)), ('classes', tlv_simulate_lca_model(4, 2, seed => 5)), ('shares', tlv_simulate_gom_model(4, 2, seed => 5)),
  ('tree', tlv_simulate_tree_model(4, seed => 6)), ('numbers', tlv_simulate_tree_model(4, kind => 'gaussian', seed => 6))) v(what, model);
CREATE FUNCTION pg_temp.log_normal(x float8, mean float8, variance float8) RETURNS float8 LANGUAGE sql AS 'SELECT -ln(2 * pi() * variance) / 2 - (x - mean) ^ 2 / (2 * variance)';
-- a normal distribution of two correlated dimensions: conditional densities, far apart from the marginal ones
SELECT dimension, dimension_name, round(log_likelihood::numeric, 6) AS given_the_other,
       round(CASE dimension WHEN 1 THEN pg_temp.log_normal(3, 1 + 1.8 * (1.5 - 2), 4 - 1.8 ^ 2) ELSE pg_temp.log_normal(1.5, 2 + 1.8 / 4 * (3 - 1), 1 - 1.8 ^ 2 / 4) END::numeric, 6) AS closed_form,
       round(CASE dimension WHEN 1 THEN pg_temp.log_normal(3, 1, 4) ELSE pg_temp.log_normal(1.5, 2, 1) END::numeric, 6) AS marginal
FROM odd_models, tlv_contributions(model, ARRAY[3, 1.5]) WHERE what = 'correlated';
-- independent dimensions: they sum to the log-likelihood
WITH one AS MATERIALIZED (SELECT tlv_gmm('SELECT i % 7, i % 11 + .1 FROM generate_series(1, 77) i', 1, covariance => 'diagonal') AS model)
SELECT count(*), abs(sum(log_likelihood) - tlv_log_likelihood(model, ARRAY[5, 2.5])) < 1e-10 AS sums FROM one, tlv_contributions(model, ARRAY[5, 2.5]) GROUP BY model;
-- every kind, by its definition: the log-likelihood without the value subtracted from that of the row; a value that is null has none
CREATE FUNCTION pg_temp.without(x anyarray, i int) RETURNS anyarray LANGUAGE plpgsql AS $$ BEGIN x[i] := NULL; RETURN x; END $$;
SELECT what, count(c.log_likelihood) AS known, count(*) AS dimensions,
       bool_and(abs(c.log_likelihood - (tlv_log_likelihood(model, x) - tlv_log_likelihood(model, pg_temp.without(x, dimension)))) < 1e-10) AS by_definition
FROM odd_models, (VALUES ('{.3,-1.2,2}'::float8[]), ('{.3,NULL,2}'), ('{.3,-1.2,2,.1}'), ('{NULL,-1.2,2,.1}')) v(x), tlv_contributions(model, x) c
WHERE what IN ('mixture', 'numbers') AND cardinality(x) = CASE what WHEN 'mixture' THEN 3 ELSE 4 END GROUP BY what ORDER BY what;
SELECT what, count(c.log_likelihood) AS known, count(*) AS dimensions,
       bool_and(abs(c.log_likelihood - (tlv_log_likelihood(model, x) - tlv_log_likelihood(model, pg_temp.without(x, dimension)))) < 1e-10) AS by_definition
FROM odd_models, (VALUES ('{0,1,1,0}'::int[]), ('{0,NULL,1,0}')) v(x), tlv_contributions(model, x) c WHERE what IN ('classes', 'shares', 'tree') GROUP BY what ORDER BY what;
-- the value of a class that contradicts the others is the one that is unusual
CREATE TEMP TABLE answers AS SELECT i % 2 = 0 AS a, 'v' || i % 2 AS b, CASE WHEN i = 400 THEN 1 ELSE i % 2 END AS c FROM generate_series(1, 400) i;
CREATE TEMP TABLE classes AS SELECT tlv_lca('SELECT a, b, c FROM answers', 2, layout => 'wide') AS model;
SELECT dimension, dimension_name, log_likelihood < -2 AS unusual FROM classes, tlv_contributions(model, (SELECT r FROM answers r WHERE a AND c = 1));
-- a category that the model does not know is no value; nulls
SELECT dimension_name, log_likelihood IS NULL AS unknown FROM classes, tlv_contributions(model, ROW(true, 'zebra', 1));
SELECT count(*) FROM classes, tlv_contributions(model, NULL::answers) UNION ALL SELECT count(*) FROM answers r, tlv_contributions(NULL, r);
-- one component that is not there changes nothing
SELECT max(abs(a.log_likelihood - b.log_likelihood)) < 1e-12 AS same
FROM (SELECT model, tlv_align(model, tlv_simulate_gmm_model(3, 2, seed => 99), 1e-9) AS more FROM odd_models WHERE what = 'mixture') m,
  tlv_contributions(model, '{1,2,3}'::float8[]) a JOIN LATERAL tlv_contributions(more, '{1,2,3}'::float8[]) b USING (dimension);
\set VERBOSITY sqlstate
SELECT tlv_contributions(tlv_simulate_lda_model(5, 2), '{1:1}'::tlv_bag);
SELECT tlv_contributions(tlv_simulate_hmm_model(3, 2), '{1,2}'::int[]);
SELECT tlv_contributions(tlv_simulate_ica_model(2), '{1,2}'::float8[]);
SELECT tlv_contributions(model, '{{1,2,3},{1,2,3}}'::float8[]) FROM odd_models WHERE what = 'mixture';
SELECT tlv_contributions(model, '{1,2}'::float8[]) FROM odd_models WHERE what = 'mixture';
SELECT tlv_contributions(model, 'x'::text) FROM odd_models WHERE what = 'mixture';
-- copies of a variable have its name
CREATE TEMP TABLE repeated AS SELECT i, 'v' || v AS variable, (i * v + c) % 3 AS category FROM generate_series(1, 60) i, generate_series(1, 3) v, generate_series(1, 2) c;
SELECT string_agg(dimension_name, ',' ORDER BY dimension) FROM tlv_contributions(tlv_gom('SELECT * FROM repeated', 1, copies => 2), ARRAY[0, 1, 0, 1, 0, 1]);
-- the density of a direction with a gap is one over another sphere
SELECT tlv_contributions(tlv_simulate_gmm_model(3, 2, covariance => 'direction'), ARRAY[1, 1, 1]);
-- sums that are not finite, and shares that are too small, say so
SELECT tlv_topic_model('{1,1,2}'::int[], ARRAY['a', 'b', 'c'], '{1e308,1e308,1}', '{1,1}');
SELECT tlv_compact(tlv_simulate_gmm_model(2, 3), .9, '{1}');
-- weak classes of many rows, which are read in the order of their values: their number is found
SELECT setseed(.1);
CREATE TEMP TABLE weak AS SELECT CASE WHEN random() < .7 THEN z ELSE floor(random() * 3)::int END AS a, CASE WHEN random() < .7 THEN z ELSE floor(random() * 3)::int END AS b,
  CASE WHEN random() < .7 THEN z ELSE floor(random() * 3)::int END AS c, CASE WHEN random() < .7 THEN z ELSE floor(random() * 3)::int END AS d
FROM (SELECT floor(random() * 3)::int AS z FROM generate_series(1, 5000)) q;
SELECT count(*) FROM tlv_components(tlv_lca('SELECT a::text, b::text, c::text, d::text FROM weak', layout => 'wide'));
-- as many classes as the rows that a fold leaves may have, and no more
SELECT count(*) > 0 AS all_fitted FROM generate_series(10, 16) n, LATERAL
  tlv_components(tlv_lca(format('SELECT (i %% 5)::text AS a, (i %% 5)::text AS b, (i %% 5)::text AS c FROM generate_series(1, %s) i', n), layout => 'wide'));
