-- anchors.sql - topics by anchor words

CREATE FUNCTION tlv_anchor_moments_accum(tlv_moments, tlv_bag, tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_anchor_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_anchor_moments_accum(tlv_moments, tlv_bag, tlv_subspace) IS 'transition function of tlv_anchor_moments';
CREATE AGGREGATE tlv_anchor_moments(bag tlv_bag, subspace tlv_subspace) (
    SFUNC = tlv_anchor_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_anchor_moments(tlv_bag, tlv_subspace) IS
    'collects the pair moment in the basis, and the noise of the row of every item, in the last pass over documents for topics by anchor words';

CREATE FUNCTION tlv_anchor_moments_accum(tlv_moments, tlv_bag[], tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_anchor_moments_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_anchor_moments_accum(tlv_moments, tlv_bag[], tlv_subspace) IS 'transition function of tlv_anchor_moments';
CREATE AGGREGATE tlv_anchor_moments(bags tlv_bag[], subspace tlv_subspace) (
    SFUNC = tlv_anchor_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_anchor_moments(tlv_bag[], tlv_subspace) IS
    'collects the pair moment in the basis, and the noise of the row of every item, in the last pass over documents for topics by anchor words; many documents in one row';

CREATE FUNCTION tlv_pair_moments_accum(tlv_moments, tlv_bag, tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_pair_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_pair_moments_accum(tlv_moments, tlv_bag, tlv_subspace) IS 'transition function of tlv_pair_moments';
CREATE AGGREGATE tlv_pair_moments(bag tlv_bag, subspace tlv_subspace) (
    SFUNC = tlv_pair_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_pair_moments(tlv_bag, tlv_subspace) IS 'the exact pair moment of the items of a subspace; all other items are counted as one, 9223372036854775807';

CREATE FUNCTION tlv_pair_moments_accum(tlv_moments, tlv_bag[], tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_pair_moments_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_pair_moments_accum(tlv_moments, tlv_bag[], tlv_subspace) IS 'transition function of tlv_pair_moments';
CREATE AGGREGATE tlv_pair_moments(bags tlv_bag[], subspace tlv_subspace) (
    SFUNC = tlv_pair_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_pair_moments(tlv_bag[], tlv_subspace) IS
    'the exact pair moment of the items of a subspace; all other items are counted as one, 9223372036854775807; many documents in one row';

CREATE FUNCTION tlv_topic_anchors(model tlv_model)
    RETURNS TABLE (topic integer, label text, item bigint, item_name text, distance float8)
    AS 'MODULE_PATHNAME', 'tlv_topic_anchors_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_topic_anchors(tlv_model) IS
    'returns, for a model fitted by anchor words, the anchor word of each topic and the distance of its co-occurrence row from the noise level, which is below 0 if the '
    'row cannot be distinguished from noise';
