-- models.sql - what any model has: names of its components, numbers that last

CREATE FUNCTION tlv_label(model tlv_model, component integer, label text) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_label(tlv_model, integer, text) IS
    'the model with this label of a component, which results show beside its number; labels stay through tlv_update, tlv_align and tlv_compact; '
    'null takes one away';
CREATE FUNCTION tlv_align(model tlv_model, reference tlv_model, max_distance float8 DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_align(tlv_model, tlv_model, float8) IS
    'the model with the numbers and labels that the reference gives to the same components (those of tlv_match, at most max_distance apart): one '
    'that the model has no more keeps its number at weight 0, a new one is appended';
CREATE FUNCTION tlv_compact(model tlv_model, tolerance float8 DEFAULT 0) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_compact(tlv_model, float8) IS
    'the model without its components whose share of the weight is at most tolerance: the others move up, in their order';

CREATE FUNCTION tlv_to_json(model tlv_model) RETURNS json
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_to_json(tlv_model) IS
    'all that a model holds as JSON, numbers in the shortest form that reads as the same: tlv_from_json gives the model back';
CREATE FUNCTION tlv_from_json(model json) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_from_json(json) IS
    'the model that a JSON object says, of tlv_to_json or made elsewhere; what is no valid model is refused';
