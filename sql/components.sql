
-- components.sql - independent component analysis

CREATE FUNCTION tlv_fit_ica(moments tlv_moments, k integer DEFAULT NULL, noise boolean DEFAULT false, keep_gaussian boolean DEFAULT true,
    method text DEFAULT 'joint', steps integer DEFAULT NULL, seed bigint DEFAULT 1,
    max_k integer DEFAULT NULL, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_ica(tlv_moments, integer, boolean, boolean, text, integer, bigint, integer, text, jsonb) IS
    'fits independent components to moments of order 4 (tlv_dense_moments(x, 4)): k components (null: as many as the covariance has dimensions, at most max_k), noise for '
    'rows with Gaussian noise of any covariance, method joint or sgd, steps of the decomposition; two components of no kurtosis cannot be distinguished: a warning names '
    'them, without keep_gaussian they are an error';
CREATE FUNCTION tlv_ica(query text, k integer DEFAULT NULL, noise boolean DEFAULT false, keep_gaussian boolean DEFAULT true,
    refine text DEFAULT 'auto', iterations integer DEFAULT NULL, max_k integer DEFAULT NULL, on_failure text DEFAULT 'error',
    more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_ica(text, integer, boolean, boolean, text, integer, integer, text, text[], jsonb) IS
    'fits independent components to the vectors of a query, which returns an array of numbers or columns of numbers, in one call: moments, fit, and refine tanh '
    '(iterations over the rows; auto without noise), likelihood (of heavy or light tails, outputs may be correlated) or none (auto with noise), iterations null: until '
    'convergence; the other parameters are those of tlv_fit_ica';
CREATE FUNCTION tlv_mixing(model tlv_model, inverse boolean DEFAULT false)
    RETURNS TABLE (component integer, dimension integer, dimension_name text, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_mixing_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_mixing(tlv_model, boolean) IS
    'returns the weight of each independent component of variance 1 in each dimension, by decreasing absolute value of its kurtosis; the largest weight of a component is '
    'positive; inverse: the weights of the dimensions, minus their means, in each component, or for a model fitted with noise the linear estimate with the least noise '
    'and interference';

CREATE FUNCTION tlv_amari(a float8[], b float8[]) RETURNS float8
    AS 'MODULE_PATHNAME', 'tlv_amari_arrays' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_amari(float8[], float8[]) IS
    'Amari index of an estimated and a true mixing matrix, dimensions x components: 0 when they agree up to order and scale of the components, at '
    'most 1';
CREATE FUNCTION tlv_amari(a tlv_model, b tlv_model) RETURNS float8
    AS 'MODULE_PATHNAME', 'tlv_amari_models' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_amari(tlv_model, tlv_model) IS 'Amari index of the mixing matrices of an estimated and a true model of independent components';

CREATE FUNCTION tlv_simulate_ica_model(dimensions integer, k integer DEFAULT NULL, noise float8 DEFAULT 0, sources text DEFAULT 'mix', seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_ica_model(integer, integer, float8, text, bigint) IS
    'a random model of k independent components (null: as many as dimensions): standard normal mixing weights, sources laplace, uniform, binary, '
    'exponential, gaussian or mix (the first four in turn), noise the standard deviation of Gaussian noise of random covariance';
CREATE FUNCTION tlv_simulate_ica(model tlv_model, rows integer, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, x float8[], sources float8[])
    AS 'MODULE_PATHNAME', 'tlv_simulate_ica' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_ica(tlv_model, integer, bigint) IS 'rows drawn from a model of tlv_simulate_ica_model, with their true sources';
CREATE FUNCTION tlv_simulate_ica(rows integer, dimensions integer, noise float8 DEFAULT 0, sources text DEFAULT 'mix', seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, x float8[], sources float8[])
    AS 'MODULE_PATHNAME', 'tlv_simulate_ica_dimensions' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_ica(integer, integer, float8, text, bigint) IS 'rows drawn from tlv_simulate_ica_model(dimensions, noise => .., sources => .., seed => ..), with their true sources';
