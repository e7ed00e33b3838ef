-- convolution.sql - templates in series

CREATE FUNCTION tlv_series_moments_accum(tlv_moments, float8[], integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_series_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_series_moments_accum(tlv_moments, float8[], integer) IS 'transition function of tlv_series_moments(float8[], integer)';
CREATE AGGREGATE tlv_series_moments(x float8[], lags integer) (
    SFUNC = tlv_series_moments_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_series_moments(float8[], integer) IS
    'collects the second and third moments of series, or segments of series, at all lags below lags, at most 128; a series is an array of numbers in the order of time; a '
    'null in it is a gap, and no product includes numbers on both sides of a gap; arrays that are null are skipped and counted';
CREATE FUNCTION tlv_series_moments_accum(tlv_moments, float8[], integer, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_series_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_series_moments_accum(tlv_moments, float8[], integer, text) IS 'transition function of tlv_series_moments(float8[], integer, text)';
CREATE AGGREGATE tlv_series_moments(x float8[], lags integer, method text) (
    SFUNC = tlv_series_moments_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_series_moments(float8[], integer, text) IS
    'the same by a method: joint, all lags together, or windows, in which every segment is cut into cyclic windows of 2 lags steps, and the rest at its end is not used';

CREATE FUNCTION tlv_fit_convolution(moments tlv_moments, k integer DEFAULT NULL, length integer DEFAULT NULL, iterations integer DEFAULT NULL,
    restarts integer DEFAULT NULL, steps integer DEFAULT NULL, seed bigint DEFAULT 1, max_k integer DEFAULT 4,
    on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_convolution(tlv_moments, integer, integer, integer, integer, integer, bigint, integer, text, jsonb) IS
    'fits k templates of length steps (null: the number of lags) to moments of series: alternating least squares of their transforms from restarts random initialisations '
    '(null: 10) with steps iterations each (null: 100), of which the three best are refined by iterations (null: 60) of the Levenberg-Marquardt method; k null: the '
    'largest number, up to max_k, whose last template explains a fiftieth of the squares of the third moments; at most length / 4 templates';
CREATE FUNCTION tlv_convolution(query text, k integer DEFAULT NULL, length integer DEFAULT NULL, iterations integer DEFAULT NULL,
    seed bigint DEFAULT 1, max_k integer DEFAULT 4, on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_convolution(text, integer, integer, integer, bigint, integer, text, text[], jsonb) IS
    'fits k templates of at most length steps (null: 1.5 times the number of lags with a significant correlation) to the series of a query in one call; the query returns '
    '(series, t, reading), or one column of arrays of numbers in the order of time; steps are ordered by t, and a reading that is null is a gap, as is an increase of t, '
    'a number or a time, by more than one and a half times the median step of its series; the other parameters are those of tlv_fit_convolution';

CREATE FUNCTION tlv_templates(model tlv_model)
    RETURNS TABLE (template integer, lag integer, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_templates_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_templates(tlv_model) IS
    'returns the weight of every template at every step after its beginning, lag 0, 1, ...: the squares of the weights of a template sum to 1; the template with the '
    'largest third cumulant is the first';
CREATE FUNCTION tlv_template_scores(model tlv_model, x "any")
    RETURNS TABLE ("position" integer, template integer, score float8, activation float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 2000;
COMMENT ON FUNCTION tlv_template_scores(tlv_model, "any") IS
    'returns how well each template fits a series, an array of numbers, if it begins at a position, from 1: score is the output of the matched filter, the least-squares '
    'amplitude of that template alone; activation is the amplitude minus its mean, by the linear filter with the least expected error, which separates overlapping '
    'templates';

CREATE FUNCTION tlv_simulate_convolution_model(k integer DEFAULT 2, length integer DEFAULT 16, noise float8 DEFAULT 0.1, rate float8 DEFAULT 0.02,
    seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_convolution_model(integer, integer, float8, float8, bigint) IS
    'k random templates of length steps, which begin rate times in a step on average, with exponential amplitudes of mean 1; noise: its standard deviation, relative to that of the signal';
CREATE FUNCTION tlv_simulate_convolution(model tlv_model, series integer DEFAULT 1, length integer DEFAULT 10000, seed bigint DEFAULT 1)
    RETURNS TABLE (series bigint, t bigint, reading float8, activations float8[])
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION tlv_simulate_convolution(tlv_model, integer, integer, bigint) IS
    'series drawn from a model of templates, true or fitted: a Poisson number of events with exponential amplitudes, and Gaussian noise; activations: the amplitudes of all templates at every step';
