-- decompose.sql - decomposition of given moments: plain arrays

CREATE FUNCTION tlv_decompose(tensor float8[], k integer DEFAULT NULL, method text DEFAULT 'joint', restarts integer DEFAULT NULL,
    steps integer DEFAULT NULL, seed bigint DEFAULT 1)
    RETURNS TABLE (component integer, eigenvalue float8, vector float8[], residual float8)
    AS 'MODULE_PATHNAME', 'tlv_decompose_rows' LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION tlv_decompose(float8[], integer, text, integer, integer, bigint) IS
    'components of a symmetric tensor that is nearly a sum of eigenvalue * vector (x) vector (x) vector over orthonormal vectors: the k largest (null: all), by decreasing eigenvalue, and the '
    'residual relative to the Frobenius norm of the tensor. The method is joint, power, als, sgd, flattening, jennrich, simultaneous, adaptive, adaptive-trace, adaptive-svd or sketch; or cp, whose '
    'vectors need not be orthonormal';
