-- correlations.sql - how topics come together

CREATE FUNCTION tlv_topic_products_accum(tlv_moments, tlv_bag, tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_topic_products_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_topic_products_accum(tlv_moments, tlv_bag, tlv_model) IS 'transition function of tlv_topic_products';
CREATE AGGREGATE tlv_topic_products(bag tlv_bag, model tlv_model) (
    SFUNC = tlv_topic_products_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_topic_products(tlv_bag, tlv_model) IS
    'second moments of the shares of topics, by pairs of distinct tokens taken back to topics, in groups of documents; for tlv_topic_correlations';

CREATE FUNCTION tlv_topic_products_accum(tlv_moments, tlv_bag[], tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_topic_products_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_topic_products_accum(tlv_moments, tlv_bag[], tlv_model) IS 'transition function of tlv_topic_products';
CREATE AGGREGATE tlv_topic_products(bags tlv_bag[], model tlv_model) (
    SFUNC = tlv_topic_products_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_topic_products(tlv_bag[], tlv_model) IS
    'second moments of the shares of topics, by pairs of distinct tokens taken back to topics, in groups of documents; many documents in one row';

CREATE FUNCTION tlv_topic_correlations(moments tlv_moments)
    RETURNS TABLE (topic_a integer, topic_b integer, second_moment float8, covariance float8, correlation float8, standard_error float8)
    AS 'MODULE_PATHNAME', 'tlv_topic_correlations_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 200;
COMMENT ON FUNCTION tlv_topic_correlations(tlv_moments) IS
    'returns the correlations of topics, from the moments of tlv_topic_products: second moment, covariance and correlation of the proportions of two topics, and the '
    'standard error of the correlation, given the topics, by a jackknife over twenty groups of documents; valid for any distribution of topic proportions';

CREATE FUNCTION tlv_topic_correlations(model tlv_model)
    RETURNS TABLE (topic_a integer, topic_b integer, second_moment float8, covariance float8, correlation float8, standard_error float8)
    AS 'MODULE_PATHNAME', 'tlv_topic_correlations_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 200;
COMMENT ON FUNCTION tlv_topic_correlations(tlv_model) IS
    'returns the correlations of topics under the logistic-normal distribution of topic proportions of the model (refine => ''ctm''), from draws with a fixed seed; '
    'standard errors are null';

CREATE FUNCTION tlv_topics(moments tlv_moments)
    RETURNS TABLE (topic integer, label text, alpha float8, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_topics_of_products' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_topics(tlv_moments) IS
    'mean shares of topics and the Dirichlet parameters that fit their second moments best, from what tlv_topic_products has collected; null where no parameters fit, and as label';
