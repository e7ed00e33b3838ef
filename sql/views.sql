-- views.sql - mixtures seen through three views that are independent given the component

CREATE FUNCTION tlv_view_moments_accum(tlv_moments, float8[], float8[], float8[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_view_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_view_moments_accum(tlv_moments, float8[], float8[], float8[]) IS 'transition function of tlv_view_moments(float8[], float8[], float8[])';
CREATE AGGREGATE tlv_view_moments(x1 float8[], x2 float8[], x3 float8[]) (
    SFUNC = tlv_view_moments_accum, STYPE = tlv_moments, SSPACE = 300000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_view_moments(float8[], float8[], float8[]) IS 'three vectors of d1, d2 and d3 numbers a row: means, cross moments of the views and their whole third moment (d1 d2 d3 <= 8000000); rows with a null are skipped and counted; arrays of two dimensions are many rows';

CREATE FUNCTION tlv_view_moments_accum(tlv_moments, integer, integer, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_category_views_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_view_moments_accum(tlv_moments, integer, integer, integer) IS 'transition function of tlv_view_moments(integer, integer, integer)';
CREATE AGGREGATE tlv_view_moments(x1 integer, x2 integer, x3 integer) (
    SFUNC = tlv_view_moments_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_view_moments(integer, integer, integer) IS 'three categories a row, any integers: how often each triple occurs; rows with a null are skipped and counted';

CREATE FUNCTION tlv_fit_multiview(m tlv_moments, k integer, iterations integer DEFAULT 100, method text DEFAULT 'joint', seed bigint DEFAULT 1, restarts integer DEFAULT NULL, steps integer DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_multiview(tlv_moments, integer, integer, text, bigint, integer, integer) IS 'a mixture of k components from moments of three views, whatever their distributions: weights and conditional means of every view; of categories (latent classes) refined by up to iterations of EM on the counts, without the rows; method joint, power, als or sgd, restarts and steps of the decomposition';
CREATE FUNCTION tlv_multiview(query text, k integer, iterations integer DEFAULT 100, method text DEFAULT 'joint', seed bigint DEFAULT 1, restarts integer DEFAULT NULL, steps integer DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_multiview(text, integer, integer, text, bigint, integer, integer) IS 'a mixture of k components of the three views of a query in one call, which returns (x1, x2, x3), three arrays of numbers or three whole numbers; the other parameters are those of tlv_fit_multiview';

CREATE FUNCTION tlv_view_components(model tlv_model)
    RETURNS TABLE (view integer, component integer, weight float8, mean float8[], variance float8[])
    AS 'MODULE_PATHNAME', 'tlv_view_components_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 30;
COMMENT ON FUNCTION tlv_view_components(tlv_model) IS 'components of a multi-view mixture by decreasing weight: for every view the conditional mean and what the means leave of each variance; of categories, the probabilities in the order of the categories';
CREATE FUNCTION tlv_view_categories(model tlv_model)
    RETURNS TABLE (view integer, component integer, category bigint, probability float8)
    AS 'MODULE_PATHNAME', 'tlv_view_categories_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_view_categories(tlv_model) IS 'probability of every category of every view given the component of a latent class model';
