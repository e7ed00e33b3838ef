-- tensors.sql - tensors of rows (i, j, l, value) and of arrays, and what they are in short

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, bigint, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_0' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, bigint, bigint, float8) IS 'transition function of tlv_tensor_agg(bigint, bigint, bigint, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, bigint, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_0' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, bigint, bigint, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i bigint, j bigint, l bigint, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(bigint, bigint, bigint, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, text, bigint, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_1' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, text, bigint, bigint, float8) IS 'transition function of tlv_tensor_agg(text, bigint, bigint, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, bigint, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_1' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, bigint, bigint, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i text, j bigint, l bigint, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(text, bigint, bigint, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, text, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_2' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, text, bigint, float8) IS 'transition function of tlv_tensor_agg(bigint, text, bigint, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, text, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_2' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, text, bigint, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i bigint, j text, l bigint, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(bigint, text, bigint, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, text, text, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_3' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, text, text, bigint, float8) IS 'transition function of tlv_tensor_agg(text, text, bigint, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, text, bigint, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_3' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, text, bigint, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i text, j text, l bigint, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(text, text, bigint, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, bigint, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_4' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, bigint, text, float8) IS 'transition function of tlv_tensor_agg(bigint, bigint, text, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, bigint, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_4' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, bigint, text, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i bigint, j bigint, l text, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(bigint, bigint, text, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, text, bigint, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_5' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, text, bigint, text, float8) IS 'transition function of tlv_tensor_agg(text, bigint, text, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, bigint, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_5' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, bigint, text, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i text, j bigint, l text, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(text, bigint, text, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, text, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_6' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, bigint, text, text, float8) IS 'transition function of tlv_tensor_agg(bigint, text, text, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, text, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_6' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, bigint, text, text, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i bigint, j text, l text, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(bigint, text, text, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_tensor_agg_accum(tlv_moments, text, text, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_accum_7' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_accum(tlv_moments, text, text, text, float8) IS 'transition function of tlv_tensor_agg(text, text, text, float8)';
CREATE FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, text, text, float8) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_tensor_agg_inverse_7' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_tensor_agg_inverse(tlv_moments, text, text, text, float8) IS
    'inverse transition function of tlv_tensor_agg: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_tensor_agg(i text, j text, l text, value float8) (
    SFUNC = tlv_tensor_agg_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_tensor_agg_accum, MINVFUNC = tlv_tensor_agg_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_tensor_agg(text, text, text, float8) IS
    'collects the entries of a tensor, one per row: values at the same position are added up, and a position with only NULL is missing; for tlv_fit_cp, tlv_fit_tucker '
    'and tlv_fit_tensor_train; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_fit_cp(moments tlv_moments, k integer, nonnegative boolean DEFAULT false, absent text DEFAULT 'zero',
    iterations integer DEFAULT NULL, method text DEFAULT 'auto', restarts integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_fit_cp' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_cp(tlv_moments, integer, boolean, text, integer, text, integer, bigint, text, jsonb) IS
    'a tensor as a sum of k products of vectors, one of every mode (CP, PARAFAC), from tlv_tensor_agg(...): method als (alternating least squares) or, with '
    'nonnegative, hals or pqp; auto is als or hals; iterations sweeps of a start at most, restarts random starts (null: as many as k asks for); '
    'absent: whether entries that do not occur are zero or missing';

CREATE FUNCTION tlv_fit_cp(tensor float8[], k integer, nonnegative boolean DEFAULT false,
    iterations integer DEFAULT NULL, method text DEFAULT 'auto', restarts integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_fit_cp_array' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_cp(float8[], integer, boolean, integer, text, integer, bigint, text, jsonb) IS
    'a tensor as a sum of k products of vectors, one of every mode (CP, PARAFAC), from an array of three dimensions, whose subscripts are the items: method als (alternating least squares) or, with '
    'nonnegative, hals or pqp; auto is als or hals; iterations sweeps of a start at most, restarts random starts (null: as many as k asks for)';

CREATE FUNCTION tlv_fit_tucker(moments tlv_moments, ranks integer[], absent text DEFAULT 'zero', iterations integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error',
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_fit_tucker' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_tucker(tlv_moments, integer[], text, integer, bigint, text, jsonb) IS
    'a tensor as a core in orthonormal bases of its modes (Tucker), of these three ranks, from tlv_tensor_agg(...): iterations sweeps of higher-order '
    'orthogonal iteration at most (null: 50); absent: whether entries that do not occur are zero or missing';
CREATE FUNCTION tlv_fit_tucker(tensor float8[], ranks integer[], iterations integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error',
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_fit_tucker_array' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_tucker(float8[], integer[], integer, bigint, text, jsonb) IS
    'a tensor as a core in orthonormal bases of its modes (Tucker), of these three ranks, from an array of three dimensions, whose subscripts are the items: begun by '
    'the truncated singular value decomposition of higher order, then iterations sweeps of orthogonal iteration at most (null: 50)';
CREATE FUNCTION tlv_fit_tensor_train(moments tlv_moments, ranks integer[] DEFAULT NULL, absent text DEFAULT 'zero', tolerance float8 DEFAULT 0.01, on_failure text DEFAULT 'error',
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_fit_tensor_train' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_tensor_train(tlv_moments, integer[], text, float8, text, jsonb) IS
    'a tensor as a chain of three cores (tensor train), from tlv_tensor_agg(...), laid out as an array: of two ranks, or, null, of the least whose residual is at '
    'most the tolerance, relative to the Frobenius norm of the tensor; absent: whether entries that do not occur are zero or missing';
CREATE FUNCTION tlv_fit_tensor_train(tensor float8[], ranks integer[] DEFAULT NULL, tolerance float8 DEFAULT 0.01, on_failure text DEFAULT 'error',
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_fit_tensor_train_array' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_tensor_train(float8[], integer[], float8, text, jsonb) IS
    'a tensor as a chain of three cores (tensor train), from an array of three dimensions, whose subscripts are the items: of two ranks, or, null, of the least whose '
    'residual is at most the tolerance, relative to the Frobenius norm of the tensor';

CREATE FUNCTION tlv_factors(model tlv_model)
    RETURNS TABLE (component integer, mode integer, item bigint, item_name text, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_factors_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 2000;
COMMENT ON FUNCTION tlv_factors(tlv_model) IS
    'the weight of every item of every mode in every component of a model of a tensor; the vectors of a component have length 1';
CREATE FUNCTION tlv_tensor_core(model tlv_model)
    RETURNS TABLE (component_i integer, component_j integer, component_l integer, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_tensor_core_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION tlv_tensor_core(tlv_model) IS
    'by how much the products of components of the three modes are multiplied in a model of a tensor: of a sum of products one number for every component; of a '
    'tensor train the middle core, component_j being the place of an item of the second mode';
CREATE FUNCTION tlv_tensor_entries(moments tlv_moments)
    RETURNS TABLE (i bigint, i_name text, j bigint, j_name text, l bigint, l_name text, entry float8)
    AS 'MODULE_PATHNAME', 'tlv_tensor_entries_collected' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10000;
COMMENT ON FUNCTION tlv_tensor_entries(tlv_moments) IS 'the entries of a collected tensor that are not 0';
CREATE FUNCTION tlv_tensor_entries(model tlv_model)
    RETURNS TABLE (i bigint, i_name text, j bigint, j_name text, l bigint, l_name text, entry float8)
    AS 'MODULE_PATHNAME', 'tlv_tensor_entries_modelled' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10000;
COMMENT ON FUNCTION tlv_tensor_entries(tlv_model) IS 'all entries of a tensor as its model has them';
CREATE FUNCTION tlv_tensor_at(model tlv_model, i "any", j "any", l "any") RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_tensor_at(tlv_model, "any", "any", "any") IS
    'one entry of a tensor as its model has it, by the ids of its items, numbers or strings; null where one is not known';
CREATE FUNCTION tlv_tensor_at(model tlv_model, i text, j text, l text) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_tensor_at(tlv_model, text, text, text) IS
    'one entry of a tensor as its model has it, by the ids of its items as strings, as clients send them; null where one is not known';
