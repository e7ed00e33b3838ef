-- vectors.sql - moments of vectors, and models of vectors applied to rows.
-- Arrays of numbers of any type, and types with a cast to real[], are taken as they are.

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, "any", integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, "any", integer) IS 'transition function of tlv_dense_moments("any", integer)';
CREATE AGGREGATE tlv_dense_moments(x "any", max_order integer) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 300000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments("any", integer) IS
    'vectors, arrays of numbers, rows of columns or of a type with a cast to real[] (pgvector''s): '
    'moments up to order 2 (d <= 4000), 3 (d <= 200) or 4 (d <= 60) in one pass; an array of two dimensions is many rows';

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_compressed_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace) IS 'transition function of tlv_dense_moments("any", tlv_subspace)';
CREATE AGGREGATE tlv_dense_moments(x "any", subspace tlv_subspace) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments("any", tlv_subspace) IS
    'vectors of large dimension, second pass: moments in the leading directions of tlv_find_subspace(moments, k), up to order 4 (k <= 60) or 3 (k <= '
    '200), and the part outside; an array of two dimensions is many rows';

CREATE FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_dense_compressed_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_dense_moments_accum(tlv_moments, "any", tlv_subspace, integer) IS 'transition function of tlv_dense_moments("any", tlv_subspace, integer)';
CREATE AGGREGATE tlv_dense_moments(x "any", subspace tlv_subspace, max_order integer) (
    SFUNC = tlv_dense_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_dense_moments("any", tlv_subspace, integer) IS 'vectors of large dimension, second pass: moments in the leading directions up to order 2, 3 or 4';

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

CREATE FUNCTION tlv_central_moment(moments tlv_moments, moment_order integer) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_central_moment(tlv_moments, integer) IS
    'of moments of vectors: the mean (order 1), the covariance (2; over the number of rows), the third or the fourth central moment as an array '
    'of as many dimensions; of moments in a subspace, those of the coordinates in its directions about the mean it was made with';
