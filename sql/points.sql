-- points.sql - points of a plane: what is around them

CREATE FUNCTION tlv_point_features(x float8, y float8, mark bigint, radius float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_point_features(float8, float8, bigint, float8) IS
    'returns, as a window function, the bag of the marks of all other points of the partition within the radius; a point whose mark is null gets a bag but is not counted '
    'in others; null if x or y is null';
CREATE FUNCTION tlv_point_features(x float8, y float8, mark text, radius float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_point_features_text' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_point_features(float8, float8, text, float8) IS
    'the same for marks that are strings: the items of the bags are tlv_term_id(mark)';
