-- points.sql - points of a plane: what is around them; the permutation test

CREATE FUNCTION tlv_point_features(x float8, y float8, mark bigint, radius float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_point_features(float8, float8, bigint, float8) IS
    'window function: the bag of the marks of all other points of the partition that are at most radius away; '
    'a point whose mark is null gets a bag but is counted in no other; null where x or y is null';
CREATE FUNCTION tlv_point_features(x float8, y float8, mark text, radius float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_point_features_text' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_point_features(float8, float8, text, float8) IS
    'the same for marks that are strings: the items of the bags are tlv_term_id(mark)';

CREATE FUNCTION tlv_permutation_test(model tlv_model, bags tlv_bag[], permutations integer DEFAULT 99, seed bigint DEFAULT 1)
    RETURNS TABLE (documents bigint, observed float8, permuted float8, deviation float8, p_value float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50000 ROWS 1;
COMMENT ON FUNCTION tlv_permutation_test(tlv_model, tlv_bag[], integer, bigint) IS
    'tests whether the topics of a model predict which items come together in documents that it was not learnt from: their perplexity by document completion, its mean and '
    'standard deviation when the counts of every item are shuffled over the documents, and the share of shuffles that are as good, (1 + those) / (1 + permutations)';
