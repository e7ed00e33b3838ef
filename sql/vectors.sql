-- vectors.sql - moments of vectors, and models of vectors applied to rows.
-- real[], numeric[] and integer arrays are cast to float8[] without being asked.

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, float8[], integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, float8[], integer) IS 'transition function of tlv_dense_moments(float8[], integer)';
CREATE AGGREGATE tlv_dense_moments(x float8[], max_order integer) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 300000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments(float8[], integer) IS 'vectors: moments up to order 2 (d <= 4000), 3 (d <= 200) or 4 (d <= 60) in one pass; an array of two dimensions is many rows';

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, float8[], tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_compressed_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, float8[], tlv_subspace) IS 'transition function of tlv_dense_moments(float8[], tlv_subspace)';
CREATE AGGREGATE tlv_dense_moments(x float8[], subspace tlv_subspace) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments(float8[], tlv_subspace) IS
    'vectors of large dimension, second pass: moments in the leading directions of tlv_find_subspace(moments, k), up to order 4 (k <= 60) or 3 (k <= '
    '200), and the part outside; an array of two dimensions is many rows';

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, float8[], tlv_subspace, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_compressed_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, float8[], tlv_subspace, integer) IS 'transition function of tlv_dense_moments(float8[], tlv_subspace, integer)';
CREATE AGGREGATE tlv_dense_moments(x float8[], subspace tlv_subspace, max_order integer) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments(float8[], tlv_subspace, integer) IS 'vectors of large dimension, second pass: moments in the leading directions up to order 2, 3 or 4';

CREATE FUNCTION tlv_row_sample_accum(tlv_moments, float8[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_row_sample_accum(tlv_moments, float8[], integer, bigint) IS 'transition function of tlv_row_sample';
CREATE AGGREGATE tlv_row_sample(x float8[], count integer, seed bigint) (
    SFUNC = tlv_row_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_row_sample(float8[], integer, bigint) IS
    'a random sample of so many different vectors, or all of them where there are fewer, by hashes of their content: the same in whatever order '
    'they arrive; an array of two dimensions is many rows';

CREATE FUNCTION tlv_central_moment(m tlv_moments, moment_order integer) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_central_moment(tlv_moments, integer) IS
    'of moments of vectors: the mean (order 1), the covariance (2; over the number of rows), the third or the fourth central moment as an array '
    'of as many dimensions; of moments in a subspace, those of the coordinates in its directions about the mean it was made with';

CREATE FUNCTION tlv_statistics_accum(tlv_moments, float8[], tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_vector_statistics_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION tlv_statistics_accum(tlv_moments, float8[], tlv_model) IS 'transition function of tlv_statistics';
CREATE AGGREGATE tlv_statistics(x float8[], model tlv_model) (
    SFUNC = tlv_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_statistics(float8[], tlv_model) IS
    'expected sufficient statistics of vectors under a model, for tlv_update; an array of two dimensions is many rows; under a hidden Markov model it is '
    'one sequence, steps x d';

CREATE FUNCTION tlv_statistics_accum(tlv_moments, float8[], tlv_model, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_vector_statistics_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION tlv_statistics_accum(tlv_moments, float8[], tlv_model, text) IS 'transition function of tlv_statistics';
CREATE AGGREGATE tlv_statistics(x float8[], model tlv_model, method text) (
    SFUNC = tlv_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_statistics(float8[], tlv_model, text) IS
    'expected sufficient statistics of vectors under a model by one of its methods, for tlv_update; an array of two dimensions is many rows';

CREATE FUNCTION tlv_infer(model tlv_model, x float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'tlv_infer_vector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_infer(tlv_model, float8[]) IS
    'posterior of the components for a vector, summing to 1; for an array of two dimensions, rows x components, of every row, or of every step '
    'where the model is one of sequences';
CREATE FUNCTION tlv_infer(model tlv_model, x integer[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'tlv_infer_integers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_infer(tlv_model, integer[]) IS
    'of a latent tree of categorical variables, null elements missing: the posteriors of the hidden variables, then of the missing ones, one '
    'after the other; of a model of sequences the posterior of every step of a sequence of symbols, steps x states; else that of the vector that '
    'the integers are';
CREATE FUNCTION tlv_assign(model tlv_model, x float8[]) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_assign_vector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_assign(tlv_model, float8[]) IS 'the component of the largest posterior for a vector, from 1';
CREATE FUNCTION tlv_log_likelihood(model tlv_model, x float8[]) RETURNS float8
    AS 'MODULE_PATHNAME', 'tlv_log_likelihood_vector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_log_likelihood(tlv_model, float8[]) IS 'log-likelihood of a vector under a model, in nats; of all rows together for an array of two dimensions, or of the sequence they are';

-- A literal without a type would fit every kind of row: as text it is read as the row of the model.
CREATE FUNCTION tlv_infer(model tlv_model, "row" text) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'tlv_infer_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_infer(tlv_model, text) IS 'the same of a row in text form, read as the tlv_bag or float8[] that the model is of';
CREATE FUNCTION tlv_assign(model tlv_model, "row" text) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_assign_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_assign(tlv_model, text) IS 'the same of a row in text form, read as the tlv_bag or float8[] that the model is of';
CREATE FUNCTION tlv_log_likelihood(model tlv_model, "row" text) RETURNS float8
    AS 'MODULE_PATHNAME', 'tlv_log_likelihood_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_log_likelihood(tlv_model, text) IS 'the same of a row in text form, read as the tlv_bag or float8[] that the model is of';
