-- views.sql - mixtures seen through three views that are independent given the component

-- typed: float8[], float8[], float8[] | bigint, bigint, bigint | bigint, bigint, text | bigint, text, bigint |
-- and:   bigint, text, text | text, bigint, bigint | text, bigint, text | text, text, bigint | text, text, text
CREATE FUNCTION tlv_view_moments_accum(tlv_moments, "any", "any", "any") RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_view_moments_accum(tlv_moments, "any", "any", "any") IS 'transition function of tlv_view_moments';
CREATE FUNCTION tlv_view_moments_inverse(tlv_moments, "any", "any", "any") RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_view_moments_inverse(tlv_moments, "any", "any", "any") IS
    'inverse transition function of tlv_view_moments: null if the sums are not exact, as those of vectors';
CREATE AGGREGATE tlv_view_moments(x1 "any", x2 "any", x3 "any") (
    SFUNC = tlv_view_moments_accum, STYPE = tlv_moments, SSPACE = 300000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_view_moments_accum, MINVFUNC = tlv_view_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 300000
);
COMMENT ON AGGREGATE tlv_view_moments("any", "any", "any") IS
    'collects the moments of three views per row. Vectors of d1, d2 and d3 dimensions (arrays of numbers, or of a type with a cast to real[]): means, cross moments of '
    'the views and their third cross moment (d1 d2 d3 <= 8000000); two-dimensional arrays contain many rows. Categories, each an integer, a string, a value of an '
    'enumeration or a boolean: the count of each triple. Rows with a null are skipped and counted';

CREATE FUNCTION tlv_row_sample_accum(tlv_moments, "any", "any", "any", integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_view_sample_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_row_sample_accum(tlv_moments, "any", "any", "any", integer, bigint) IS 'transition function of tlv_row_sample';
CREATE AGGREGATE tlv_row_sample(x1 "any", x2 "any", x3 "any", count integer, seed bigint) (
    SFUNC = tlv_row_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_row_sample("any", "any", "any", integer, bigint) IS
    'the same of rows of three views: vectors one behind the other, or ids of categories, each as two numbers, its upper and its lower 32 bits';

CREATE FUNCTION tlv_fit_multiview(moments tlv_moments, k integer DEFAULT NULL, iterations integer DEFAULT NULL,
    method text DEFAULT 'joint', restarts integer DEFAULT NULL, steps integer DEFAULT NULL, seed bigint DEFAULT 1,
    max_k integer DEFAULT NULL, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_multiview(tlv_moments, integer, integer, text, integer, integer, bigint, integer, text, jsonb) IS
    'fits a mixture of k components (null: the number that the dependence of the views identifies, at most max_k) to moments of three views with any distributions: '
    'weights and conditional means of every view; for categories (latent classes) refined by EM iterations on the counts (null: until the log-likelihood converges, at '
    'most 1,000), without the rows; method joint, power, als or sgd, restarts and steps of the decomposition';
CREATE FUNCTION tlv_multiview(query text, k integer DEFAULT NULL, refine text DEFAULT 'auto', iterations integer DEFAULT NULL, seed bigint DEFAULT 1,
    max_k integer DEFAULT NULL, errors boolean DEFAULT false, on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL,
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_multiview(text, integer, text, integer, bigint, integer, boolean, text, text[], jsonb) IS
    'fits a mixture of k components (null: the number that the dependence of the views identifies, at most max_k) to the three views of a query in one call, which '
    'returns (x1, x2, x3), three arrays of numbers or three categories, strings or integers: moments, fit, and refinement em (auto for categories, on their counts; for '
    'vectors, over the rows, with Gaussians of diagonal variances) or none (auto for vectors, with any distribution), iterations null: until the log-likelihood '
    'converges; the other parameters are those of tlv_fit_multiview';

CREATE FUNCTION tlv_statistics_accum(tlv_moments, "any", "any", "any", tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_view_statistics_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION tlv_statistics_accum(tlv_moments, "any", "any", "any", tlv_model) IS 'transition function of tlv_statistics';
CREATE AGGREGATE tlv_statistics(x1 "any", x2 "any", x3 "any", model tlv_model) (
    SFUNC = tlv_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_statistics("any", "any", "any", tlv_model) IS
    'collects the expected sufficient statistics of three views under a multi-view mixture, for tlv_update: of vectors, with a Gaussian with diagonal covariance for each '
    'view of a component, or of categories; rows with a null are skipped and counted; two-dimensional arrays contain many rows';

CREATE FUNCTION tlv_simulate_multiview_model(dimensions integer[] DEFAULT NULL, k integer DEFAULT 3, categories integer[] DEFAULT NULL,
    separation float8 DEFAULT 4, concentration float8 DEFAULT 0.5, seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_multiview_model(integer[], integer, integer[], float8, float8, bigint) IS
    'a random mixture of k components with weights Dirichlet(10), seen through three views: vectors of the given dimensions, in each view means '
    'at a typical distance of separation from each other and standard deviations from .5 to 1.5; or categories 1, 2, ... of the given numbers, '
    'with probabilities from a symmetric Dirichlet(concentration)';
CREATE FUNCTION tlv_simulate_multiview(model tlv_model, rows integer, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, x1 float8[], x2 float8[], x3 float8[], category1 bigint, category2 bigint, category3 bigint, component integer)
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_multiview(tlv_model, integer, bigint) IS 'rows drawn from a multi-view mixture, true or fitted, with their true components: three vectors, or three categories';
