-- vectors.sql - moments of vectors, and models of vectors applied to rows.
-- Arrays of numbers of any type, and types with a cast to real[], are taken as they are.

-- typed: smallint[] | integer[] | bigint[] | real[] | float8[] | numeric[] | record
CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, "any", integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, "any", integer) IS 'transition function of tlv_dense_moments("any", integer)';
CREATE AGGREGATE tlv_dense_moments(x "any", max_order integer) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 2048,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments("any", integer) IS
    'collects the moments of vectors in one pass, up to order 2 (at most 4000 dimensions), 3 (200) or 4 (60); a two-dimensional array contains many rows';

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_compressed_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace) IS 'transition function of tlv_dense_moments("any", tlv_subspace)';
CREATE AGGREGATE tlv_dense_moments(x "any", subspace tlv_subspace) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments("any", tlv_subspace) IS
    'collects the moments of long vectors in the k leading directions of tlv_find_subspace(moments, k), in a second pass: up to order 4 (k at most 60) or 3 (200), and '
    'the variance outside; a two-dimensional array contains many rows';

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_compressed_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace, integer) IS 'transition function of tlv_dense_moments("any", tlv_subspace, integer)';
CREATE AGGREGATE tlv_dense_moments(x "any", subspace tlv_subspace, max_order integer) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments("any", tlv_subspace, integer) IS 'the same up to order 2, 3 or 4';

CREATE FUNCTION tlv_row_sample_accum(tlv_moments, float8[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_row_sample_accum(tlv_moments, float8[], integer, bigint) IS 'transition function of tlv_row_sample';
CREATE AGGREGATE tlv_row_sample(x float8[], count integer, seed bigint) (
    SFUNC = tlv_row_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_row_sample(float8[], integer, bigint) IS
    'collects a random sample of the given number of distinct vectors, or all of them if there are fewer, by hashes of their content, so that it does not depend on their '
    'order; a two-dimensional array contains many rows';

CREATE FUNCTION tlv_central_moment(moments tlv_moments, moment_order integer) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_central_moment(tlv_moments, integer) IS
    'the mean, covariance, third or fourth central moment of vectors, for orders 1 to 4; of compressed moments that of the coordinates, about the mean that the subspace was made with';
