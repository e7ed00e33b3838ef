
-- trees.sql - latent trees over the variables of a table

CREATE FUNCTION tlv_row_agg_accum(integer[], bigint, integer, integer) RETURNS integer[]
    AS 'MODULE_PATHNAME', 'tlv_category_row_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION tlv_row_agg_combine(integer[], integer[]) RETURNS integer[]
    AS 'MODULE_PATHNAME', 'tlv_category_row_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION tlv_row_agg_final(integer[]) RETURNS integer[]
    AS 'MODULE_PATHNAME', 'tlv_category_row_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE tlv_row_agg(variable bigint, value integer, variables integer) (
    SFUNC = tlv_row_agg_accum, STYPE = integer[], COMBINEFUNC = tlv_row_agg_combine,
    FINALFUNC = tlv_row_agg_final, PARALLEL = SAFE
);
CREATE FUNCTION tlv_row_agg_accum(float8[], bigint, float8, integer) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'tlv_number_row_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION tlv_row_agg_combine(float8[], float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'tlv_number_row_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION tlv_row_agg_final(float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'tlv_number_row_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE tlv_row_agg(variable bigint, value float8, variables integer) (
    SFUNC = tlv_row_agg_accum, STYPE = float8[], COMBINEFUNC = tlv_row_agg_combine,
    FINALFUNC = tlv_row_agg_final, PARALLEL = SAFE
);
COMMENT ON FUNCTION tlv_row_agg_accum(integer[], bigint, integer, integer) IS 'transition of tlv_row_agg';
COMMENT ON FUNCTION tlv_row_agg_combine(integer[], integer[]) IS 'combination of two states of tlv_row_agg';
COMMENT ON FUNCTION tlv_row_agg_final(integer[]) IS 'result of tlv_row_agg';
COMMENT ON AGGREGATE tlv_row_agg(bigint, integer, integer) IS
    'one array of categories from (variable, value) rows: element i is the value of variable i, null where there is none; variables is the length '
    'of the array';
COMMENT ON FUNCTION tlv_row_agg_accum(float8[], bigint, float8, integer) IS 'transition of tlv_row_agg';
COMMENT ON FUNCTION tlv_row_agg_combine(float8[], float8[]) IS 'combination of two states of tlv_row_agg';
COMMENT ON FUNCTION tlv_row_agg_final(float8[]) IS 'result of tlv_row_agg';
COMMENT ON AGGREGATE tlv_row_agg(bigint, float8, integer) IS
    'one array of numbers from (variable, value) rows: element i is the value of variable i, null where there is none; variables is the length of '
    'the array';

CREATE FUNCTION tlv_tree_distances(moments tlv_moments, states integer DEFAULT NULL, metric text DEFAULT 'canonical', shrinkage float8 DEFAULT 0, groups integer[] DEFAULT NULL)
    RETURNS TABLE (variable_a bigint, variable_a_name text, variable_b bigint, variable_b_name text, distance float8, error float8, p_value float8)
    AS 'MODULE_PATHNAME', 'tlv_tree_distances_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION tlv_tree_distances(tlv_moments, integer, text, float8, integer[]) IS
    'information distances of the variables of category moments or dense moments, pair by pair: minus the sum of the logarithms of their states - '
    '1 largest canonical correlations (of numbers, of their states largest), which adds up along the paths of a latent tree; standard errors, and '
    'p-values of independence';

CREATE FUNCTION tlv_fit_tree(moments tlv_moments, states integer DEFAULT NULL, structure text DEFAULT 'clnj', z float8 DEFAULT 2,
    metric text DEFAULT 'canonical', shrinkage float8 DEFAULT 0, significance float8 DEFAULT 0.01, observed_inside boolean DEFAULT false,
    regularise boolean DEFAULT false, groups integer[] DEFAULT NULL, names text[] DEFAULT NULL, bootstrap integer DEFAULT 0,
    iterations integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_tree(tlv_moments, integer, text, float8, text, float8, float8, boolean, boolean, integer[], text[], integer, integer, bigint, text, jsonb) IS
    'fits a latent tree to category moments or dense moments: states of the hidden nodes (null: chosen), structure clnj, clrg, nj, chow-liu (no hidden nodes) or, for '
    'numbers, factors (one hidden node of several dimensions above all variables), edges shorter than z standard errors are contracted, metric canonical or determinant, '
    'shrinkage of the marginals, significance below which groups of variables are apart, observed_inside to let variables be inner nodes, regularise to drop hidden nodes '
    'that the Bayesian information criterion does not support, groups of columns as vector-valued variables, names of the variables, bootstrap draws for the support of '
    'edges of Gaussian trees (those of categories are in their moments), iterations of EM on the covariance';

CREATE FUNCTION tlv_tree(query text, states integer DEFAULT NULL, structure text DEFAULT 'clnj', z float8 DEFAULT 2,
    metric text DEFAULT 'canonical', shrinkage float8 DEFAULT 0, significance float8 DEFAULT 0.01, observed_inside boolean DEFAULT false,
    regularise boolean DEFAULT false, groups integer[] DEFAULT NULL, kind text DEFAULT NULL,
    layout text DEFAULT NULL, weights text DEFAULT NULL, bootstrap integer DEFAULT 0,
    iterations integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_tree_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_tree(text, integer, text, float8, text, float8, float8, boolean, boolean, integer[], text, text, text, integer, integer, bigint, text, text[], jsonb) IS
    'fits a latent tree over the variables of a query in one call: the query returns (row, variable, value), or one column for each variable (with layout wide if there '
    'are three), or one column of arrays; strings, booleans and integers of at most 20 different values are categories (in arrays integers from 0), and others Gaussian (integers as well with kind '
    'gaussian); columns of numbers and dates beside columns of categories, or with kind categorical, are cut into ranges with about the same number of values; weights is '
    'the name of the column of row weights, beside one column for each variable or the array: a row of weight 2 counts as two; bootstrap replicates for the support of '
    'edges; iterations of belief-propagation EM, null: until the log-likelihood converges, at most 10; the other parameters are those of tlv_fit_tree';

CREATE FUNCTION tlv_tree_nodes(model tlv_model)
    RETURNS TABLE (node text, is_hidden boolean, variable bigint, variable_name text, states integer)
    AS 'MODULE_PATHNAME', 'tlv_tree_nodes_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_tree_nodes(tlv_model) IS
    'returns the nodes of a latent tree: hidden nodes are h1, h2, ..., with more h''s if variables have these names; variable is the position in the arrays of rows and '
    'variable_name the name of the variable (null for hidden nodes), states the number of categories, or of dimensions of Gaussian nodes';
CREATE FUNCTION tlv_tree_edges(model tlv_model)
    RETURNS TABLE (parent text, child text, length float8, error float8, support float8)
    AS 'MODULE_PATHNAME', 'tlv_tree_edges_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_tree_edges(tlv_model) IS
    'returns the edges of a latent tree: length is an information distance (0: functions of each other, large: nearly independent), error its standard error, support the '
    'proportion of bootstrap trees with the same split of the variables';
CREATE FUNCTION tlv_tree_clusters(model tlv_model, groups integer DEFAULT NULL)
    RETURNS TABLE (variable bigint, variable_name text, cluster integer)
    AS 'MODULE_PATHNAME', 'tlv_tree_clusters_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION tlv_tree_clusters(tlv_model, integer) IS
    'divides the variables of a latent tree into the given number of groups, numbered by decreasing size: the tree is cut so that distances within groups are smallest; a '
    'forest has at least one group for each of its trees; null: the variables of each hidden node are a group';
CREATE FUNCTION tlv_tree_parameters(model tlv_model)
    RETURNS TABLE (parent text, child text, parent_state bigint, parent_state_name text, child_state bigint, child_state_name text, probability float8)
    AS 'MODULE_PATHNAME', 'tlv_tree_parameters_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION tlv_tree_parameters(tlv_model) IS
    'returns the probabilities of the states of a child given those of its parent, and for a root, which has no parent, its distribution; states are the categories of '
    'the rows, or for hidden nodes numbers from 0';
CREATE FUNCTION tlv_tree_coefficients(model tlv_model)
    RETURNS TABLE (parent text, child text, parent_dimension integer, child_dimension integer, coefficient float8, noise float8)
    AS 'MODULE_PATHNAME', 'tlv_tree_coefficients_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION tlv_tree_coefficients(tlv_model) IS
    'returns the regressions of the nodes of a Gaussian tree on their parents (hidden nodes have variance 1), and the residual variances';
CREATE FUNCTION tlv_tree_newick(model tlv_model) RETURNS text
    AS 'MODULE_PATHNAME', 'tlv_tree_newick_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_tree_newick(tlv_model) IS
    'returns a latent tree in Newick format, with one line for each tree of a forest';
CREATE FUNCTION tlv_tree_dot(model tlv_model) RETURNS text
    AS 'MODULE_PATHNAME', 'tlv_tree_dot_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_tree_dot(tlv_model) IS 'a latent tree for Graphviz';

CREATE FUNCTION tlv_robinson_foulds(a tlv_model, b tlv_model)
    RETURNS TABLE (different integer, total integer, distance float8)
    AS 'MODULE_PATHNAME', 'tlv_robinson_foulds_models' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1;
COMMENT ON FUNCTION tlv_robinson_foulds(tlv_model, tlv_model) IS
    'returns the Robinson-Foulds distance of two trees over variables with the same names: the number of splits of the variables that only one of them has, the number of '
    'splits of both, and their ratio';
CREATE FUNCTION tlv_robinson_foulds(model tlv_model, edges text)
    RETURNS TABLE (different integer, total integer, distance float8)
    AS 'MODULE_PATHNAME', 'tlv_robinson_foulds_edges' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 100000 ROWS 1;
COMMENT ON FUNCTION tlv_robinson_foulds(tlv_model, text) IS
    'returns the Robinson-Foulds distance of a tree and the edges (parent, child) that a query returns, by the names of nodes; names that are not variables are hidden '
    'nodes, and a null next to a name means that the node has no edges';

CREATE FUNCTION tlv_simulate_tree_model(variables integer, states integer DEFAULT 2, kind text DEFAULT 'categorical',
    observed_states integer DEFAULT NULL, contractions integer DEFAULT 0, low float8 DEFAULT 0.6, high float8 DEFAULT 0.9,
    seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_tree_model(integer, integer, text, integer, integer, float8, float8, bigint) IS
    'a random latent tree with the given number of variables as leaves, categorical (states of hidden nodes, observed_states of the variables, null: as many) '
    'or gaussian; contractions of edges between hidden nodes give nodes of more than three neighbours; the strength of every edge is uniform '
    'between low and high';
CREATE FUNCTION tlv_simulate_tree(model tlv_model, rows integer, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, v integer[], hidden integer[], x float8[])
    AS 'MODULE_PATHNAME', 'tlv_simulate_tree' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_tree(tlv_model, integer, bigint) IS 'rows drawn from a tree with parameters: of categories v and the states of the hidden nodes, of Gaussian variables x; '
    'of numbers beside categories v has the range, and x the mean of the range beside the other categories';
