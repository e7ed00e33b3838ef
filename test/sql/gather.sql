-- The filter of an aggregate that adds rows to its state: the value is that without the filter.
\set VERBOSITY terse
SELECT setseed(.5);
CREATE TABLE gathered AS SELECT i, ARRAY[i % 7, i % 3, i % 11]::float8[] AS x, ARRAY[i % 2, i % 3, i % 4] AS v, ('{' || i % 5 || ':1}')::tlv_bag AS bag FROM generate_series(1, 200) i;
UPDATE gathered SET x = NULL, v = NULL, bag = NULL WHERE i % 20 = 1;
SELECT tlv_gmm('SELECT x FROM gathered WHERE x IS NOT NULL', 2, iterations => 0) AS gmm, tlv_simulate_lda_model(5, 2, seed => 1) AS lda \gset
SET max_parallel_workers_per_gather = 0;

-- the first row is NULL; one value for all, and several aggregates of a statement
SELECT tlv_dense_moments(x, 3) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) = tlv_dense_moments(x, 3) AS moments,
    tlv_row_sample(x, 20, 1) FILTER (WHERE tlv_gather('tlv_row_sample', x)) = tlv_row_sample(x, 20, 1) AS sample,
    tlv_category_moments(v, 0) FILTER (WHERE tlv_gather('tlv_category_moments', v)) = tlv_category_moments(v, 0) AS categories,
    tlv_count_summary(bag) FILTER (WHERE tlv_gather('tlv_count_summary', bag)) = tlv_count_summary(bag) AS summary,
    tlv_statistics(x, :'gmm'::tlv_model) FILTER (WHERE tlv_gather('tlv_statistics', x)) = tlv_statistics(x, :'gmm'::tlv_model) AS any_type,
    tlv_statistics_typed(bag, :'lda'::tlv_model) FILTER (WHERE tlv_gather('tlv_statistics', bag)) = tlv_statistics(bag, :'lda'::tlv_model) AS typed,
    tlv_view_moments(x, x[1:2], x[2:3]) FILTER (WHERE tlv_gather('tlv_view_moments', x, x[1:2], x[2:3])) = tlv_view_moments(x, x[1:2], x[2:3]) AS views
FROM gathered;
-- of two of one name each has its own state
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) = tlv_dense_moments(x, 2) AS one,
    tlv_dense_moments(x[1:2], 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x[1:2])) = tlv_dense_moments(x[1:2], 2) AS other
FROM gathered;
-- an aggregate within the column is another one
SELECT tlv_dense_moments(ARRAY[(tlv_info((SELECT tlv_dense_moments(ARRAY[j, j + x[1]]::float8[], 2) FROM generate_series(1, 3) j)) ->> 'rows')::float8, x[2]], 2)
        FILTER (WHERE tlv_gather('tlv_dense_moments', ARRAY[(tlv_info((SELECT tlv_dense_moments(ARRAY[j, j + x[1]]::float8[], 2) FROM generate_series(1, 3) j)) ->> 'rows')::float8, x[2]]))
    = tlv_dense_moments(ARRAY[3, x[2]]::float8[], 2) AS nested
FROM gathered WHERE x IS NOT NULL;
-- the states of a subquery that is run again are others
SELECT g, (SELECT tlv_info(tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x))) ->> 'rows' FROM gathered WHERE i % 3 = g) AS rows FROM generate_series(0, 3) g;
-- a plan that is used again
PREPARE again AS SELECT tlv_info(tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x))) ->> 'rows' AS rows FROM gathered;
EXECUTE again;
EXECUTE again;
-- a condition that is evaluated before it
SELECT tlv_dense_moments(x, 2) FILTER (WHERE CASE WHEN i > 30 THEN tlv_gather('tlv_dense_moments', x) ELSE false END)
    = tlv_dense_moments(x, 2) FILTER (WHERE i > 30) AS same
FROM gathered;
SELECT tlv_gather('tlv_dense_moments', 1);

-- an error of a row leaves nothing behind
SELECT tlv_dense_moments(CASE WHEN i = 7 THEN '{1}' ELSE x END, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', CASE WHEN i = 7 THEN '{1}' ELSE x END)) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) = tlv_dense_moments(x, 2) AS same FROM gathered;

-- refused: another name, another aggregate, conditions beside it in either order, and whatever is not the aggregate's row
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_statistics', x)) FROM gathered;
SELECT count(*) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x) AND i > 10) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE i > 10 AND tlv_gather('tlv_dense_moments', x)) FROM gathered;
SELECT tlv_category_moments(v, 0) FILTER (WHERE tlv_gather('tlv_category_moments', x)) FROM gathered;
SELECT tlv_count_summary(bag) FILTER (WHERE tlv_gather('tlv_count_summary', i)) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x, x)) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments')) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather(NULL, x)) FROM gathered;
-- a filter of another aggregate, conditions around it, sets of no groups, constants that vary, and the names of aggregates
SELECT count(*) FILTER (WHERE tlv_gather('tlv_dense_moments', x)), tlv_dense_moments(x, 2) FROM gathered;
SELECT count(*) FILTER (WHERE tlv_gather('tlv_dense_moments', x)), tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE (tlv_gather('tlv_dense_moments', x) AND i < 50) IS TRUE) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE COALESCE(NULLIF(tlv_gather('tlv_dense_moments', x), i > 50), false)) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE CASE WHEN tlv_gather('tlv_dense_moments', x) THEN i < 50 END) FROM gathered;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) FROM gathered GROUP BY GROUPING SETS ((), ());
SELECT tlv_dense_moments(x, CASE WHEN i < 50 THEN 2 END) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) FROM gathered;
SELECT tlv_dense_moments(x, 2 + (random() * 2)::int) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) FROM gathered;
SELECT tlv_dense_moments(x, (SELECT NULL::int)) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) IS NULL AS none,
    tlv_dense_moments(x, (SELECT 3)) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) = tlv_dense_moments(x, 3) AS one FROM gathered;
SELECT tlv_nmi(i % 2, i % 3) FILTER (WHERE tlv_gather('tlv_nmi', i % 2, i % 3)) FROM gathered;
SELECT tlv_nmi(i % 2, i % 3) FILTER (WHERE tlv_gather('tlv_label_pairs', i % 2, i % 3)) = tlv_nmi(i % 2, i % 3) AS same FROM gathered;
SELECT tlv_bag_agg(i) FILTER (WHERE tlv_gather('tlv_bag_agg', i)) FROM gathered;
SELECT tlv_dense_moments(x, 2 ORDER BY i) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) FROM gathered;
\set VERBOSITY default
SELECT i % 2, tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) FROM gathered GROUP BY 1;
SELECT tlv_dense_moments(x, 2) FILTER (WHERE tlv_gather('tlv_dense_moments', x)) OVER (ORDER BY i) FROM gathered;
DROP TABLE gathered;
