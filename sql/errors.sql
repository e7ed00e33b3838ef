-- errors.sql - what the numbers of a model are worth: standard errors and intervals

-- typed: tlv_bag | tlv_bag[] | tsvector | smallint[] | integer[] | bigint[] | real[] | float8[] | numeric[] | text[] | record
CREATE FUNCTION tlv_error_statistics_accum(tlv_moments, "any", tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_error_statistics_accum(tlv_moments, "any", tlv_model) IS 'transition function of tlv_error_statistics';
CREATE AGGREGATE tlv_error_statistics(x "any", model tlv_model) (
    SFUNC = tlv_error_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_error_statistics("any", tlv_model) IS
    'collects the statistics for standard errors of a model, for tlv_estimates(model, errors) and tlv_drift, from the rows that it was fitted to or a sample of them; '
    'rows are those of tlv_statistics(x, model)';

-- typed: float8[], float8[], float8[] | bigint, bigint, bigint | bigint, bigint, text | bigint, text, bigint |
-- and:   bigint, text, text | text, bigint, bigint | text, bigint, text | text, text, bigint | text, text, text
CREATE FUNCTION tlv_error_statistics_accum(tlv_moments, "any", "any", "any", tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_view_error_statistics_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_error_statistics_accum(tlv_moments, "any", "any", "any", tlv_model) IS 'transition function of tlv_error_statistics';
CREATE AGGREGATE tlv_error_statistics(x1 "any", x2 "any", x3 "any", model tlv_model) (
    SFUNC = tlv_error_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_error_statistics("any", "any", "any", tlv_model) IS
    'the same for three views of a multi-view mixture; rows with a null are skipped and counted';

CREATE FUNCTION tlv_estimates(model tlv_model, errors tlv_moments DEFAULT NULL, confidence float8 DEFAULT .95)
    RETURNS TABLE (part text, component integer, item bigint, item_name text, estimate float8, standard_error float8, low float8, high float8)
    AS 'MODULE_PATHNAME', 'tlv_estimates_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION tlv_estimates(tlv_model, tlv_moments, float8) IS
    'returns every estimate of a model, with its standard error and a confidence interval. The errors come from error statistics or, if these are null, from the model '
    '(errors => true); a standard error that is not known is null. part is weight, alpha, probability, mean, variance, covariance, transition, initial, connectivity, '
    'mixing or length; item is the word, dimension, symbol, category, state or community of the estimate';

CREATE FUNCTION tlv_jackknife(model tlv_model, without tlv_model[]) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_jackknife(tlv_model, tlv_model[]) IS
    'returns the model with standard errors for tlv_estimates(model), from models with the same k, each fitted without one of about 20 groups of the rows (delete-a-group '
    'jackknife); models that are null are skipped';
