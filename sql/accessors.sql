-- accessors.sql - what every model says of its components

CREATE FUNCTION tlv_components(model tlv_model)
    RETURNS TABLE (component integer, label text, weight float8, alpha float8)
    AS 'MODULE_PATHNAME', 'tlv_components_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_components(tlv_model) IS
    'returns the components of any model, including topics, communities, states and hidden nodes: label, weight (the weights sum to 1; for a hidden Markov model, the '
    'stationary probability), and Dirichlet parameter if memberships are mixed (for a directed or bipartite graph, that of the sources); null if the model has none';

CREATE FUNCTION tlv_summary(model tlv_model)
    RETURNS TABLE (component integer, label text, weight float8, description text, doubts text)
    AS 'MODULE_PATHNAME', 'tlv_summary_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION tlv_summary(tlv_model) IS
    'returns a summary of a model, to be read first after a fit: the model in row 0, and its components in the following rows, each with its label, its weight, a '
    'description and its warnings';

CREATE FUNCTION tlv_means(model tlv_model)
    RETURNS TABLE (component integer, view integer, dimension integer, dimension_name text, mean float8, variance float8)
    AS 'MODULE_PATHNAME', 'tlv_means_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_means(tlv_model) IS
    'returns the mean and the variance of every dimension in every component of a mixture of vectors (view 1), in every view of a multi-view mixture, and in every state '
    'of a hidden Markov model of vectors; for t distributions, the variance is their squared scale, and for directions the variance about the mean direction, the same in '
    'every dimension';

CREATE FUNCTION tlv_covariances(model tlv_model)
    RETURNS TABLE (component integer, view integer, dimension_a integer, dimension_b integer, covariance float8)
    AS 'MODULE_PATHNAME', 'tlv_covariances_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 200;
COMMENT ON FUNCTION tlv_covariances(tlv_model) IS
    'returns the covariances of the dimensions in every component of tlv_means: all pairs for full covariances, otherwise the variances';

CREATE FUNCTION tlv_categories(model tlv_model)
    RETURNS TABLE (component integer, variable bigint, variable_name text, category bigint, category_name text, probability float8)
    AS 'MODULE_PATHNAME', 'tlv_categories_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_categories(tlv_model) IS
    'returns the probability of every category of every variable given the component, for latent classes, mixed membership and mixtures of three views of categories, in '
    'which a view is a variable';
