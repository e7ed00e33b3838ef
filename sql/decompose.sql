-- decompose.sql - decomposition of given moments: plain arrays

CREATE FUNCTION tlv_decompose(tensor float8[], k integer DEFAULT NULL, method text DEFAULT 'joint', restarts integer DEFAULT NULL,
    steps integer DEFAULT NULL, seed bigint DEFAULT 1)
    RETURNS TABLE (component integer, eigenvalue float8, vector float8[], residual float8)
    AS 'MODULE_PATHNAME', 'tlv_decompose_rows' LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION tlv_decompose(float8[], integer, text, integer, integer, bigint) IS
    'components of a symmetric n x n x n tensor T (or its n^3 numbers in one row) that is, or nearly, a sum of eigenvalue * vector (x) vector (x) '
    'vector over orthonormal vectors: the k largest (null: n), by decreasing eigenvalue; residual of all of them, in parts of the norm of T; '
    'method joint, power, als, sgd, flattening, jennrich, simultaneous, adaptive, adaptive-trace, adaptive-svd or sketch, with its restarts and steps; cp: vectors '
    'that need not be orthonormal, and more than n of them';

CREATE FUNCTION tlv_whiten(m2 float8[], m3 float8[], k integer, OUT whitening float8[], OUT tensor float8[], OUT eigenvalues float8[])
    AS 'MODULE_PATHNAME', 'tlv_whiten_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_whiten(float8[], float8[], integer) IS
    'from a second moment m2 (d x d) and a third moment m3 (d x d x d): the whitening W (d x k) of its k leading eigenvectors, W'' m2 W = 1, the '
    'whitened tensor m3(W, W, W), for tlv_decompose, and all d eigenvalues of m2';
