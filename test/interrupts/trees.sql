-- Trees: every phase of what takes long.
CREATE TABLE wide AS SELECT v FROM tlv_simulate_tree(tlv_simulate_tree_model(400, 2, low => 0.8, high => 0.95), 3000);
CREATE TABLE many AS SELECT v FROM tlv_simulate_tree(tlv_simulate_tree_model(30, 12, low => 0.9, high => 0.98), 3000);
CREATE TABLE long AS SELECT x FROM tlv_simulate_tree(tlv_simulate_tree_model(200, kind => 'gaussian'), 1000);
CREATE TABLE held AS SELECT (SELECT tlv_category_moments(v) FROM wide) AS wide, (SELECT tlv_category_moments(v, 200) FROM wide) AS replicates,
    (SELECT tlv_category_moments(v[1:12]) FROM many) AS many, (SELECT tlv_dense_moments(x, 2) FROM long) AS dense,
  tlv_simulate_tree_model(1000, 4) AS model, tlv_simulate_tree_model(300, kind => 'gaussian') AS gaussian, tlv_simulate_tree_model(2000, 2) AS other, NULL::tlv_model AS bare;
UPDATE held SET bare = tlv_fit_tree(wide, 2);
CREATE TABLE drawn AS SELECT (SELECT v FROM held, tlv_simulate_tree(model, 1)) AS v, (SELECT x FROM held, tlv_simulate_tree(gaussian, 1)) AS x;

-- phase: tables
SELECT tlv_category_moments(v) FROM wide, generate_series(1, 1000);

-- phase: tables with triples
SELECT tlv_category_moments(v[1:15]) FROM many, generate_series(1, 10000);

-- phase: tables with replicates
SELECT tlv_category_moments(v, 60) FROM wide, generate_series(1, 1000);

-- phase: merging tables
SELECT tlv_rollup(wide) FROM held, generate_series(1, 100000);

-- phase: merging replicates
SELECT tlv_rollup(replicates) FROM held, generate_series(1, 100000);

-- phase: distances
SELECT count(*) FROM held, generate_series(1, 100), tlv_tree_distances(wide);

-- phase: neighbour joining
SELECT count(tlv_fit_tree(wide, 2, 'nj', seed => i)) FROM held, generate_series(1, 100) i;

-- phase: structure
SELECT count(tlv_fit_tree(wide, 2, seed => i)) FROM held, generate_series(1, 100) i;

-- phase: recursive grouping
SELECT count(tlv_fit_tree(wide, 2, 'clrg', seed => i)) FROM held, generate_series(1, 100) i;

-- phase: support
SELECT tlv_fit_tree(replicates, 2) FROM held, generate_series(1, 100);

-- phase: parameters
SELECT count(tlv_fit_tree(many, seed => i)) FROM held, generate_series(1, 1000) i;

-- phase: support of Gaussian trees
SELECT tlv_fit_tree(dense, bootstrap => 1000) FROM held;

-- phase: EM on the covariance
SELECT tlv_fit_tree(dense, iterations => 10000000) FROM held, generate_series(1, 1000);

-- phase: tables of triples
SELECT tlv_statistics(v, (SELECT bare FROM held)) FROM wide, generate_series(1, 1000);

-- phase: statistics
SELECT tlv_statistics(v, (SELECT model FROM held)) FROM drawn, generate_series(1, 100000);

-- phase: tlv_tree, many rows
SELECT tlv_tree('SELECT v FROM many, generate_series(1, 10000)');

-- phase: tlv_tree, refinement
SELECT tlv_tree('SELECT v FROM many', iterations => 1000000);

-- phase: tlv_tree, cells
SELECT tlv_tree('SELECT i / 10, i % 10, (i / 10 + i) % 3 FROM generate_series(1, 100000000) i');

-- phase: tlv_tree, bootstrap
SELECT tlv_tree('SELECT v FROM wide', bootstrap => 60);

-- phase: tlv_tree, Gaussian
SELECT tlv_tree('SELECT x FROM long, generate_series(1, 10000)');

-- phase: imputation
SELECT sum(cardinality(tlv_impute(model, v[1:500] || array_fill(NULL::int, '{500}')))) FROM held, drawn, generate_series(1, 100000);

-- phase: posteriors as rows
SELECT count(*) FROM held, drawn, generate_series(1, 100000), tlv_tree_posterior(model, v);

-- phase: Gaussian posteriors
SELECT count(*) FROM held, drawn, generate_series(1, 100000), tlv_tree_posterior(gaussian, x);

-- phase: likelihood
SELECT sum(tlv_log_likelihood(model, v)) FROM held, drawn, generate_series(1, 100000);

-- phase: Gaussian likelihood
SELECT sum(tlv_log_likelihood(gaussian, x)) FROM held, drawn, generate_series(1, 100000);

-- phase: simulation
SELECT count(*) FROM held, tlv_simulate_tree(model, 100000000);

-- phase: random trees
SELECT count(tlv_simulate_tree_model(1000, 10, contractions => 500, seed => i)) FROM generate_series(1, 100000) i;

-- phase: comparison
SELECT sum(r.different) FROM held, generate_series(1, 10000) i, tlv_robinson_foulds(other, tlv_simulate_tree_model(2000, 2, seed => i)) r;

-- phase: comparison with edges
SELECT * FROM held, tlv_robinson_foulds(other, 'SELECT ''a'' || i, ''b'' || i FROM generate_series(1, 100000000) i');

-- phase: comparison with nodes in no order
SELECT * FROM held, tlv_robinson_foulds(other, 'SELECT md5(i::text), md5((i + 4000000)::text) FROM generate_series(1, 4000000) i');

-- phase: drawing
SELECT count(tlv_svg(other)) FROM held, generate_series(1, 10000);

-- phase: text
SELECT count(tlv_tree_newick(other)) FROM held, generate_series(1, 100000);

-- phase: rows of cells
SELECT count(r) FROM (SELECT tlv_row_agg(v, i % 7, 100) AS r FROM generate_series(1, 500000) i, generate_series(1, 100) v GROUP BY i) q;

-- phase: rows of numbers
SELECT count(r) FROM (SELECT tlv_row_agg(v, i % 7, 100) AS r FROM generate_series(1, 500000) i, generate_series(1, 100) v GROUP BY i) q;
