-- mixtures.sql - mixtures of Gaussians

CREATE FUNCTION tlv_fit_gmm(moments tlv_moments, k integer DEFAULT NULL, covariance text DEFAULT NULL, method text DEFAULT 'joint',
    restarts integer DEFAULT NULL, steps integer DEFAULT NULL, seed bigint DEFAULT 1,
    max_k integer DEFAULT NULL, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_gmm(tlv_moments, integer, text, text, integer, integer, bigint, integer, text, jsonb) IS
    'fits a mixture of k Gaussians (null: the number that the moments identify, at most max_k) to dense moments of order 3, of all dimensions or in the leading '
    'directions (tlv_dense_moments(x, subspace)), without the rows: one variance for all components (common) or one for each (spherical); with diagonal and full, all '
    'components get the within-component covariance, as an initial estimate for refinement; covariance null: chosen from the moments; method joint, power, als or sgd, '
    'restarts and steps of the decomposition';
CREATE FUNCTION tlv_gmm(query text, k integer DEFAULT NULL, covariance text DEFAULT NULL, tails text DEFAULT 'normal', criterion text DEFAULT NULL,
    weights text DEFAULT NULL, refine text DEFAULT 'auto', iterations integer DEFAULT NULL, seed bigint DEFAULT 1, max_k integer DEFAULT NULL, errors boolean DEFAULT false,
    on_failure text DEFAULT 'error',
    more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_gmm(text, integer, text, text, text, text, text, integer, bigint, integer, boolean, text, text[], jsonb) IS
    'fits a mixture of Gaussians to the vectors of a query, which returns an array of numbers or columns of numbers, in one call: moments, fit, and refinement (auto or '
    'em, or none; iterations null: until the log-likelihood converges); covariance common, spherical, diagonal, full or tied (one matrix for all), null: by the Bayesian '
    'information criterion; k null: by criterion bic, or icl for groups, up to max_k (null: 10, or 200 for rows of 100 dimensions or more); tails normal, or t for '
    'multivariate t distributions, in which distant rows have less weight; weights is the name of the column of row weights: a row of weight 2 counts as two; warnings '
    'name components that are not groups';
CREATE FUNCTION tlv_simulate_gmm_model(dimensions integer, k integer, separation float8 DEFAULT 4, covariance text DEFAULT 'common', seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_gmm_model(integer, integer, float8, text, bigint) IS
    'a random mixture of k Gaussians in d dimensions: means at a typical distance of separation from each other, weights Dirichlet(10), standard '
    'deviations 1 (common), or from .5 to 1.5 by component (spherical), coordinate (diagonal) or principal axis (full); direction: rows of length '
    '1, mean directions as many deviations apart';
CREATE FUNCTION tlv_simulate_gmm(model tlv_model, rows integer, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, x float8[], component integer)
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_gmm(tlv_model, integer, bigint) IS 'rows drawn from a mixture of Gaussians, true or fitted, with their true components';
