-- uncertain.sql - tlv_infer(..., uncertain => true)
\pset null '(null)'
\set VERBOSITY terse
SET client_min_messages = error;
CREATE TEMP TABLE truth AS SELECT tlv_simulate_gmm_model(2, 3, 2.5, 'full', seed => 3) AS m;
CREATE TEMP TABLE r AS SELECT s.x FROM truth, tlv_simulate_gmm(m, 1000, seed => 4) s;
CREATE TEMP TABLE f AS SELECT tlv_gmm('SELECT x FROM r', 3, 'full', errors => true) AS m;

-- shares still sum to 1, are less certain on average, and the same every time
SELECT bool_and(abs((SELECT sum(p) FROM unnest(u) p) - 1) < 1e-12) AS sum_to_one,
       avg((SELECT max(p) FROM unnest(u) p)) < avg((SELECT max(p) FROM unnest(i) p)) AS less_certain,
       bool_and(u = again) AS same, max((SELECT max(abs(a - b)) FROM unnest(u, i) AS t(a, b))) < .5 AS near
FROM (SELECT tlv_infer(m, x, uncertain => true) AS u, tlv_infer(m, x) AS i, tlv_infer(tlv_from_json(tlv_to_json(m)), x, true) AS again FROM f, r) t;
-- many rows in one array
SELECT tlv_infer(m, (SELECT array_agg(x) FROM (SELECT x FROM r LIMIT 2) q), true) = (SELECT array_agg(tlv_infer(m, x, true)) FROM (SELECT x FROM r LIMIT 2) q) AS as_one_by_one FROM f;
-- the fewer rows, the further; of very many rows hardly at all
CREATE TEMP TABLE larger AS SELECT s.x FROM truth, tlv_simulate_gmm(m, 30000, seed => 5) s;
SELECT max((SELECT max(abs(a - b)) FROM unnest(tlv_infer(m, x, true), tlv_infer(m, x)) AS t(a, b))) < .05 AS hardly
FROM (SELECT tlv_gmm('SELECT x FROM larger', 3, 'full', errors => true) AS m) g, r;

-- every family
CREATE TEMP TABLE symbols AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(5, 2, seed => 2), 100, 40, 3);
CREATE TEMP TABLE vectors AS SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(NULL, 2, dimensions => 2, separation => 2, seed => 2), 100, 40, 3);
CREATE TEMP TABLE views AS SELECT x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[2, 2, 2], 2, separation => 3, seed => 2), 400, 3);
CREATE TEMP TABLE categories AS SELECT category1 AS x1, category2 AS x2, category3 AS x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(NULL, 2, ARRAY[4, 4, 4], seed => 2), 800, 3);
CREATE TEMP TABLE classes AS SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(6, 2, 3, seed => 2), 400, 3);
CREATE TEMP TABLE mixed AS SELECT v FROM tlv_simulate_gom(tlv_simulate_gom_model(12, 2, 3, seed => 2), 400, 3);
CREATE FUNCTION certainty(float8[], k integer) RETURNS float8 LANGUAGE sql AS
  $$SELECT avg(most) FROM (SELECT max(p) AS most FROM unnest($1) WITH ORDINALITY u(p, o) GROUP BY (o - 1) / k) s$$;
SELECT family, bool_and(abs((SELECT sum(p) FROM unnest(u) p) * 2 - cardinality(u)) < 1e-9) AS sum_to_one, avg(certainty(u, 2)) < avg(certainty(i, 2)) + .005 AND bool_or(u <> i) AS no_more_certain
FROM (SELECT 'hmm symbols' AS family, tlv_infer(m, x, true) AS u, tlv_infer(m, x) AS i
      FROM (SELECT tlv_hmm('TABLE symbols', 2, errors => true) AS m) f, (SELECT array_agg(symbol ORDER BY t) AS x FROM symbols GROUP BY seq) r
      UNION ALL SELECT 'hmm ' || c, tlv_infer(m, x, true), tlv_infer(m, x)
      FROM (SELECT c, tlv_hmm('TABLE vectors', 2, c, errors => true) AS m
            FROM unnest('{common,spherical,diagonal,full}'::text[]) c) f, (SELECT array_agg(x ORDER BY t) AS x FROM vectors GROUP BY seq) r
      UNION ALL SELECT 'views', tlv_infer(m, ROW(x1, x2, x3), true), tlv_infer(m, ROW(x1, x2, x3)) FROM (SELECT tlv_multiview('TABLE views', 2, 'em', errors => true) AS m) f, views
      UNION ALL SELECT 'categories', tlv_infer(m, ROW(x1, x2, x3), true), tlv_infer(m, ROW(x1, x2, x3))
      FROM (SELECT tlv_multiview('TABLE categories', 2, errors => true) AS m) f, categories
      UNION ALL SELECT 'gmm ' || c || tails, tlv_infer(m, x, true), tlv_infer(m, x)
      FROM (SELECT c, tails, tlv_gmm('SELECT s.x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 2, 2, seed => 4), 300) s', 2, c, tails, errors => true) AS m
            FROM unnest('{common,spherical,diagonal,full}'::text[]) c, unnest('{normal,t}'::text[]) tails) f, (SELECT s.x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 2, 2, seed => 4), 300) s) r) t
WHERE cardinality(u) > 0 GROUP BY family ORDER BY family;
SELECT bool_and(abs(u[1] + u[2] - 1) < 1e-9) AS mixed_membership FROM (SELECT tlv_infer(m, v, true) AS u FROM (SELECT tlv_gom('TABLE mixed', 2, errors => true) AS m) f, mixed) t;
-- not of classes, whose posteriors it makes worse
\set VERBOSITY default
SELECT tlv_infer(m, v, true) FROM (SELECT tlv_lca('TABLE classes', 2, errors => true) AS m) f, classes LIMIT 1;
\set VERBOSITY terse
-- errors of a jackknife, too
SELECT bool_and(tlv_infer(m, x, true) <> tlv_infer(m, x)) AS drawn
FROM (SELECT tlv_jackknife(tlv_gmm('SELECT x FROM r', 3),
  ARRAY(SELECT tlv_gmm('SELECT x FROM (SELECT x, row_number() OVER () AS id FROM r) q WHERE id % 5 <> ' || g, 3) FROM generate_series(0, 4) g)) AS m) j, r;

-- what has no errors, and what none are drawn of
SELECT tlv_infer(tlv_gmm('SELECT x FROM r', 3), x, true) FROM r LIMIT 1;
SELECT tlv_infer(tlv_simulate_lda_model(10, 2), '{1,2}'::tlv_bag, true);
SELECT tlv_infer(m, x, NULL) FROM f, r LIMIT 1;
-- forged draws end in an error or an answer
SELECT count(tlv_infer(tlv_from_json((jsonb_set(tlv_to_json(m)::jsonb, '{standard_errors}', (SELECT jsonb_agg('[1e100, 1e100, 1e38, -1e38, 1e300, -1e300, 0, 0, 1, 1]'::jsonb)
    FROM jsonb_array_elements(tlv_to_json(m)::jsonb -> 'standard_errors'))))::json), x, true)) FROM f, (SELECT x FROM r LIMIT 1) r;
SELECT tlv_from_json((jsonb_set(tlv_to_json(m)::jsonb, '{standard_errors,3}', '[1, 2, 3]'))::json) FROM f;
