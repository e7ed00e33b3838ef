-- Weights of rows, say of a survey: a row of weight 2 counts as two in the estimates of tlv_gmm,
-- tlv_lca and tlv_tree; what is tested or chosen counts the effective number of rows.
SELECT setseed(.5);
SET client_min_messages = warning;
SET tensorlv.warnings = off;
\set VERBOSITY terse

-- Rounded, for sines differ in the last digit from processor to processor, and which rows are looked at depends on every digit.
CREATE TABLE parts AS
SELECT i, n, round(a::numeric, 9)::float8 AS a, round(b::numeric, 9)::float8 AS b
FROM (SELECT i, 1 + i % 3 AS n, (i % 2) * 8 + sin(i * 1.7) + cos(i * i * .3) AS a, (i % 2) * -6 + cos(i * 2.3) * 1.5 + sin(i * i * .7) AS b FROM generate_series(1, 400) i) s;
CREATE TABLE answers AS
SELECT i, 1 + i % 3 AS n, (i % 2 = 0 OR hashint4(i) % 10 = 0)::text AS a, (i % 2 = 0 OR hashint4(i + 1000) % 8 = 0)::text AS b,
       (i % 2 = 1 OR hashint4(i + 5000) % 7 = 0)::text AS c, (i % 2 = 1 OR hashint4(i + 9000) % 9 = 0)::text AS d, i % 2 * 5 + hashint4(i * 7) / 2e9 AS x
FROM generate_series(1, 400) i;

-- The same estimates as from the rows repeated, within 1e-10.
CREATE FUNCTION difference(a tlv_model, b tlv_model) RETURNS TABLE (part text, parameters bigint, equal boolean) LANGUAGE sql AS $$
    SELECT part, count(*), max(abs(x.estimate - y.estimate)) < 1e-10
    FROM tlv_estimates(a) x JOIN tlv_estimates(b) y USING (part)
    WHERE (x.component, x.item) IS NOT DISTINCT FROM (y.component, y.item) GROUP BY 1 ORDER BY 1
$$;
SELECT covariance, d.*
FROM unnest(ARRAY['common', 'spherical', 'diagonal', 'full', 'tied']) covariance,
     difference(tlv_gmm('SELECT a, b, n FROM parts', 2, covariance, weights => 'n', iterations => 60),
                tlv_gmm('SELECT a, b FROM parts, generate_series(1, n)', 2, covariance, iterations => 60)) d;
SELECT * FROM difference(tlv_gmm('SELECT ARRAY[a, b], n FROM parts', 2, 'full', weights => 'n', iterations => 60),
                         tlv_gmm('SELECT a, b FROM parts, generate_series(1, n)', 2, 'full', iterations => 60));
SELECT * FROM difference(tlv_gmm('SELECT a, n, b FROM parts', 1, 'full', weights => 'n'), tlv_gmm('SELECT a, b FROM parts, generate_series(1, n)', 1, 'full'));
SELECT * FROM difference(tlv_gmm('SELECT a, b, n FROM parts', 2, 'full', tails => 't', weights => 'n', iterations => 200),
                         tlv_gmm('SELECT a, b FROM parts, generate_series(1, n)', 2, 'full', tails => 't', iterations => 200));
SELECT * FROM difference(tlv_gmm('SELECT a, b, n FROM parts', 2, 'direction', weights => 'n', iterations => 200),
                         tlv_gmm('SELECT a, b FROM parts, generate_series(1, n)', 2, 'direction', iterations => 200));
SELECT * FROM difference(tlv_lca('SELECT a, b, c, d, n FROM answers', 2, weights => 'n', iterations => 1000),
                         tlv_lca('SELECT a, b, c, d, 1 AS n FROM answers, generate_series(1, n)', 2, weights => 'n', iterations => 1000));
SELECT * FROM difference(tlv_lca('SELECT a, b, c, d, x, n FROM answers', 2, weights => 'n', iterations => 1000),
                         tlv_lca('SELECT a, b, c, d, x, 1 AS n FROM answers, generate_series(1, n)', 2, weights => 'n', iterations => 1000));
-- Trees: lengths of numbers, probabilities of categories once the steps have converged.
SELECT count(*) AS edges, max(abs(x.length - y.length)) < 1e-9 AS equal
FROM tlv_tree_edges(tlv_tree('SELECT a, b, a + sin(i * 3.1) AS c, b + cos(i * 5.3) AS d, n FROM parts', weights => 'n')) x
JOIN tlv_tree_edges(tlv_tree('SELECT a, b, a + sin(i * 3.1) AS c, b + cos(i * 5.3) AS d FROM parts, generate_series(1, n)')) y USING (parent, child);
SELECT count(*) AS rows, max(abs(tlv_log_likelihood(x.m, r) - tlv_log_likelihood(y.m, r))) < 1e-9 AS equal
FROM (SELECT tlv_tree('SELECT a, b, c, d, n FROM answers', weights => 'n', iterations => 400) AS m) x,
     (SELECT tlv_tree('SELECT a, b, c, d FROM answers, generate_series(1, n)', iterations => 400) AS m) y, (SELECT ROW(a, b, c, d) AS r FROM answers) q;
SELECT tlv_info(m) ->> 'rows' AS rows, (SELECT count(*) FROM tlv_tree_edges(m)) AS edges FROM tlv_tree('SELECT a, b, c, d, n FROM answers', weights => 'n', bootstrap => 20) m;
SELECT count(DISTINCT round((SELECT sum(length) FROM tlv_tree_edges(tlv_tree(q, weights => 'n', layout => layout)))::numeric, 9)) AS sums
FROM (VALUES ('SELECT ARRAY[a, b, a + sin(i * 3.1)], n FROM parts', NULL), ('SELECT a, n, b, a + sin(i * 3.1) AS c FROM parts', 'wide')) v(q, layout);
SELECT tlv_tree('SELECT i, variable, value, n FROM answers, LATERAL (VALUES (''a'', a), (''b'', b)) v(variable, value)', weights => 'n');
SELECT tlv_tree('SELECT i, variable, value, n FROM parts, LATERAL (VALUES (''a'', a), (''b'', b)) v(variable, value)', weights => 'n');
SELECT tlv_tree('SELECT a, b, c, d, -n AS n FROM answers', weights => 'n');
-- The call of a hint keeps them.
CREATE FUNCTION pg_temp.follow(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text; model tlv_model;
BEGIN
  EXECUTE 'SELECT ' || call INTO model;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  EXECUTE 'SELECT ' || substring(hint FROM 'tlv_.*?''\)') INTO model;
  RETURN hint;
END $$;
SELECT pg_temp.follow(call) FROM (VALUES (1, $q$tlv_tree('SELECT a, b, c, n FROM answers', weights => 'n')$q$),
  (2, $q$tlv_lca('SELECT a, b, c, n FROM answers', 1, weights => 'n')$q$)) v(i, call) ORDER BY i;
-- Of a query that is run once, since it may return other rows the next time.
SELECT * FROM difference(tlv_gmm('SELECT a, b, n + 0 * random() AS n FROM parts ORDER BY random()', 1, 'full', weights => 'n'),
                         tlv_gmm('SELECT a, b FROM parts, generate_series(1, n)', 1, 'full'));
SELECT * FROM difference(tlv_lca('SELECT a, b, c, d, n + 0 * random() AS n FROM answers ORDER BY random()', 2, weights => 'n'),
                         tlv_lca('SELECT a, b, c, d, n FROM answers', 2, weights => 'n'));
-- And nearly those of the fit without weights, which stops earlier.
SELECT max(abs(x.probability - y.probability)) < 1e-5 AS near
FROM tlv_categories(tlv_lca('SELECT a, b, c, d, n FROM answers', 2, weights => 'n')) x
JOIN tlv_categories(tlv_lca('SELECT a, b, c, d FROM answers, generate_series(1, n)', 2)) y USING (component, variable, category_name);

-- The unit of the weights plays no part where they are proportions, nor does the order of the rows; a weight of 0 leaves a row out.
SELECT * FROM difference(tlv_gmm('SELECT a, b, n / 1e6 AS w FROM parts', 2, weights => 'w'), tlv_gmm('SELECT a, b, n * 1e6 AS w FROM parts', 2, weights => 'w'));
SELECT tlv_info(tlv_gmm('SELECT a, b, n FROM parts', 2, weights => 'n')) ->> 'fingerprint' =
       tlv_info(tlv_gmm('SELECT a, b, n FROM parts ORDER BY i DESC', 2, weights => 'n')) ->> 'fingerprint' AS same;
SELECT * FROM difference(tlv_gmm('SELECT a, b, CASE WHEN a < 5 THEN n ELSE 0 END AS w FROM parts', 1, weights => 'w'), tlv_gmm('SELECT a, b, n FROM parts WHERE a < 5', 1, weights => 'n'));

-- The effective number of rows, (sum w)^2 / sum w^2, decides k and standard errors.
SELECT round(sum(n) ^ 2 / sum(n ^ 2)) AS effective FROM parts;
SELECT tlv_info(m) ->> 'rows' AS rows, (SELECT count(*) FROM tlv_components(m)) AS k FROM tlv_gmm('SELECT a, b, n FROM parts', weights => 'n') m;
SELECT tlv_info(m) ->> 'rows' AS rows, (SELECT count(*) FROM tlv_components(m)) AS k FROM tlv_lca('SELECT a, b, c, d, n * 1000 AS n FROM answers', weights => 'n') m;
SELECT round((sum(x.standard_error / y.standard_error) / count(*))::numeric, 1) AS ratio
FROM tlv_estimates(tlv_gmm('SELECT a, b, n * 1000 AS n FROM parts', 2, 'full', weights => 'n', errors => true)) x
JOIN tlv_estimates(tlv_gmm('SELECT a, b FROM parts', 2, 'full', errors => true)) y USING (part, component, item);
-- A few heavy rows of one group do not make a group of their own.
SELECT count(*) AS k FROM tlv_components(tlv_gmm(
    'SELECT sum(hashint4(i * 100 + j) / 2e9) AS a, 1 + 4 * (i % 50 = 0)::int AS w FROM generate_series(1, 500) i, generate_series(1, 12) j GROUP BY i', weights => 'w'));

-- Rows with a null are skipped and counted; the names of the other columns are those of the model.
SET tensorlv.warnings = on;
SELECT string_agg(DISTINCT dimension_name, ' ') FROM tlv_means(tlv_gmm('SELECT nullif(a, 8) AS a, CASE WHEN i > 5 THEN b END AS b, n FROM parts', 2, weights => 'n'));
SELECT string_agg(DISTINCT variable_name, ' ') FROM tlv_categories(tlv_lca('SELECT a, n, b, CASE WHEN i > 5 THEN c END AS c, d FROM answers', 2, weights => 'n'));
SET tensorlv.warnings = off;

-- What is refused, by name.
SELECT tlv_gmm('SELECT a, b, nullif(n, 2) AS w FROM parts', 2, weights => 'w');
SELECT tlv_gmm('SELECT a, b, n - 2 AS w FROM parts', 2, weights => 'w');
SELECT tlv_lca('SELECT a, b, c, d, nullif(n, 3) AS w FROM answers', 2, weights => 'w');
SELECT tlv_lca('SELECT a, b, c, d, ''NaN''::float8 AS w FROM answers', 2, weights => 'w');
SELECT tlv_gmm('SELECT a, b, n FROM parts', 2, weights => 'weight');
SELECT tlv_gmm('SELECT a, b, n::text AS w FROM parts', 2, weights => 'w');
SELECT tlv_gmm('SELECT n FROM parts', 2, weights => 'n');
SELECT tlv_gmm('SELECT a, b, 0 AS w FROM parts', 2, weights => 'w');
SELECT tlv_gmm('SELECT a, b, n FROM parts', 2, weights => 'n', on_failure => 'null', refine => 'none') IS NULL;
SELECT tlv_gmm('SELECT a, b, n FROM parts', 2, weights => 'n', iterations => 0);
SELECT tlv_lca('SELECT i, a, b, n FROM answers', 2, weights => 'n');
-- Weights beyond all numbers of rows are proportions, and one that is lost beside the others stays none.
SELECT part, equal
FROM difference(tlv_gmm('SELECT a, b, n * 1e300 AS w FROM parts', 2, weights => 'w', errors => true), tlv_gmm('SELECT a, b, n / 1e9 AS w FROM parts', 2, weights => 'w', errors => true));
SELECT part, max(standard_error) < 10 AS small
FROM tlv_estimates(tlv_gmm('SELECT a, b, n::float8 AS w FROM parts UNION ALL VALUES (1e6, 1e6, 5e-324)', 1, 'full', weights => 'w', errors => true)) GROUP BY 1 ORDER BY 1;
SELECT tlv_gmm('SELECT NULL::float8 AS a, b, 1 AS w FROM parts', 2, weights => 'w');

-- Rows of weight 0 are not there: their nulls are not counted, and their categories are none.
CREATE FUNCTION skipped(m tlv_model) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(string_agg(message, '; '), 'none') FROM tlv_warnings(m) WHERE code = 'rows_skipped' $$;
SELECT q AS query, skipped(tlv_gmm(q, 2, weights => 'w'))
FROM unnest(ARRAY['SELECT a, CASE WHEN i > 5 THEN b END AS b, (i > 5)::int AS w FROM parts', 'SELECT a, CASE WHEN i > 5 THEN b END AS b, (i > 3)::int AS w FROM parts',
  'SELECT a, CASE WHEN i > 5 THEN b END AS b, (i > 3)::int + 0 * random() AS w FROM parts',
  'SELECT a, CASE WHEN i > 5 THEN b END AS b, (i > 3)::int AS w FROM parts UNION ALL SELECT a, CASE WHEN i > 7 THEN b END, 1.5 FROM parts']) q;
SELECT string_agg(DISTINCT category_name, ' ' ORDER BY category_name)
FROM tlv_categories(tlv_lca('SELECT CASE WHEN i > 5 THEN a ELSE ''other'' END AS a, b, c, d, (i > 5)::int AS w FROM answers', 2, weights => 'w'));
SELECT tlv_lca('SELECT a, b, c, d, 0 AS w FROM answers', 2, weights => 'w');
SELECT tlv_lca('SELECT ARRAY[i % 2, i % 3], 0 AS w FROM answers', 2, weights => 'w');

-- In arrays of categories, as without weights, null is missing and a negative number an error.
SELECT tlv_lca('SELECT ARRAY[i % 2, -1, i % 3], n FROM answers', 2, weights => 'n');
SELECT tlv_lca('SELECT ARRAY[i % 2, -1, i % 3] FROM answers', 2);
SELECT tlv_info(tlv_lca('SELECT ARRAY[a::boolean::int, b::boolean::int, CASE WHEN i > 9 THEN c::boolean::int END, d::boolean::int], n FROM answers', 2, weights => 'n')) ->> 'rows' AS rows;
SELECT tlv_lca('SELECT ARRAY[-1.5, 2], n FROM answers', 2, weights => 'n');

SELECT tlv_lca('SELECT ARRAY[]::integer[], n FROM answers', 2, weights => 'n');
SELECT tlv_gmm('SELECT a, n, b AS n FROM parts', 2, weights => 'n');

-- What follows the query, a semicolon and comments, is no part of it.
SELECT q AS query, tlv_gmm(q, 1, weights => 'n') = tlv_gmm('SELECT a, b, n FROM parts', 1, weights => 'n') AS same
FROM unnest(ARRAY['SELECT a, b, n FROM parts; -- parts', 'SELECT a, b, n FROM parts -- parts; all', '/* parts */ SELECT a, b, n FROM parts ;; /* all */ ', E'SELECT a, b, n FROM parts\n;\n--']) q;
SELECT tlv_gmm('SELECT a, b FROM parts; -- first', 1, more_queries => ARRAY['SELECT b, a FROM parts -- second', 'SELECT a, a FROM parts; /* third */'])
  = tlv_gmm('SELECT a, b FROM parts', 1, more_queries => ARRAY['SELECT b, a FROM parts', 'SELECT a, a FROM parts']) AS same;
DO $$
DECLARE hint text; query text;
BEGIN
  FOREACH query IN ARRAY ARRAY['SELECT a, b FROM answers; -- answers', 'SELECT a, b FROM answers -- answers'] LOOP
    BEGIN
      PERFORM tlv_lca(query, 1, layout => 'long');
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
      EXECUTE 'SELECT ' || substring(hint FROM 'tlv_.*\)');
      RAISE WARNING '%', hint;
    END;
  END LOOP;
END $$;

-- A refused weight is shown with its row, a long one clipped.
DO $$
DECLARE detail text;
BEGIN
  PERFORM tlv_gmm('SELECT ARRAY(SELECT i + j FROM generate_series(1, 900) j) AS x, -1 AS w FROM parts', 1, weights => 'w');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RAISE WARNING '%: % (% bytes)', SQLERRM, left(detail, 40), length(detail);
END $$;

-- of categories by their names, whatever a row is
CREATE FUNCTION pg_temp.detail(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
  EXECUTE call;
  RETURN 'none';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLERRM || ': ' || detail;
END $$;
SELECT pg_temp.detail(call) FROM (VALUES
  ($$SELECT tlv_lca('SELECT CASE i % 2 WHEN 0 THEN ''no'' ELSE ''a "b"'' END AS a, b, NULL::text AS c, nullif(i, 7) AS w FROM answers', 2, layout => 'wide', weights => 'w')$$),
  ($$SELECT tlv_gmm('SELECT a, b, CASE WHEN i = 9 THEN ''Infinity''::float8 ELSE 1 END AS w FROM parts', 1, weights => 'w')$$),
  ($$SELECT tlv_lca('SELECT ARRAY[i % 2, i % 3], i - 1 AS w FROM answers WHERE i <> 1 UNION ALL SELECT ARRAY[1, 0], -3', 2, weights => 'w')$$)) v(call);

-- Iterations go on until they have converged, as without weights; where they are bounded, the model is what they led to.
SELECT max(abs(x.probability - y.probability)) < 1e-3 AS near
FROM tlv_categories(tlv_lca('SELECT b, c, d, a, 1 AS w FROM answers WHERE i % 3 = 0', 3, weights => 'w')) x
JOIN tlv_categories(tlv_lca('SELECT b, c, d, a FROM answers WHERE i % 3 = 0', 3)) y USING (component, variable, category_name);
DROP FUNCTION skipped(tlv_model);
DROP FUNCTION difference(tlv_model, tlv_model);
DROP TABLE parts, answers;
