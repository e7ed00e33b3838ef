-- types.sql - the types.  Below every CREATE TYPE the Makefile puts what is the same
-- for all of them, from type.sql.in; here stands what differs, and what reads any type.

CREATE TYPE tlv_bag;
COMMENT ON TYPE tlv_bag IS 'a sparse vector of counts or weights: bigint item -> float8 > 0; text form {item:weight,...}';
CREATE FUNCTION tlv_info(value tlv_bag) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_bag_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_bag) IS
    'describes a tlv_bag: its kind, version, size, single numbers and shapes of arrays';

CREATE TYPE tlv_moments;
COMMENT ON TYPE tlv_moments IS 'mergeable moment statistics of rows';
CREATE FUNCTION tlv_info(value tlv_moments) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_value_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_moments) IS
    'describes a tlv_moments: its kind, version, size, single numbers and shapes of arrays';

CREATE TYPE tlv_subspace;
COMMENT ON TYPE tlv_subspace IS 'an orthonormal basis of a subspace over items, with their scaling and the spectrum';
CREATE FUNCTION tlv_info(value tlv_subspace) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_value_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_subspace) IS
    'describes a tlv_subspace: its kind, version, size, single numbers and shapes of arrays';

CREATE TYPE tlv_model;
COMMENT ON TYPE tlv_model IS 'a fitted latent variable model with its diagnostics';
CREATE FUNCTION tlv_info(value tlv_model) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_model_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_model) IS
    'describes a tlv_model: its kind, version, size, single numbers and shapes of arrays';

CREATE TYPE tlv_graph;
COMMENT ON TYPE tlv_graph IS 'a compressed sparse graph: undirected, directed or bipartite; weighted or not';
CREATE FUNCTION tlv_info(value tlv_graph) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_value_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_graph) IS
    'describes a tlv_graph: its kind, version, size, single numbers and shapes of arrays';

CREATE FUNCTION tlv_diagnostics(model tlv_model)
    RETURNS TABLE (measure text, component integer, score float8)
    AS 'MODULE_PATHNAME', 'tlv_diagnostics_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_diagnostics(tlv_model) IS
    'returns measures of the quality of a model: residual, eigenvalues, condition number, iterations; component is the component of the measure, or the position in '
    'another series (an eigenvalue, a number of components that was tried, a step), otherwise null';

CREATE FUNCTION tlv_warnings(model tlv_model)
    RETURNS TABLE (code text, component integer, score float8, message text, hint text)
    AS 'MODULE_PATHNAME', 'tlv_warnings_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 3;
COMMENT ON FUNCTION tlv_warnings(tlv_model)
    IS
    'returns the warnings of a model: a stable code, the component (NULL: the whole model), the score that led to the warning, a message, and a hint';

CREATE FUNCTION tlv_build_info()
    RETURNS TABLE (property text, detail text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE ROWS 8;
COMMENT ON FUNCTION tlv_build_info() IS
    'returns the versions of the extension and its libraries, and the BLAS in use with its threads';

CREATE FUNCTION tlv_kind(value tlv_bag) RETURNS text
    AS 'MODULE_PATHNAME', 'tlv_bag_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_kind(tlv_bag) IS 'the kind of a tlv_bag: bag';

CREATE FUNCTION tlv_kind(value tlv_moments) RETURNS text
    AS 'MODULE_PATHNAME', 'tlv_value_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_kind(tlv_moments) IS 'the kind of a tlv_moments, one of tlv_kinds(), from its first bytes';

CREATE FUNCTION tlv_kind(value tlv_subspace) RETURNS text
    AS 'MODULE_PATHNAME', 'tlv_value_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_kind(tlv_subspace) IS 'the kind of a tlv_subspace, one of tlv_kinds(), from its first bytes';

CREATE FUNCTION tlv_kind(value tlv_model) RETURNS text
    AS 'MODULE_PATHNAME', 'tlv_value_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_kind(tlv_model) IS 'the kind of a tlv_model, one of tlv_kinds(), from its first bytes';

CREATE FUNCTION tlv_kind(value tlv_graph) RETURNS text
    AS 'MODULE_PATHNAME', 'tlv_value_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_kind(tlv_graph) IS 'the kind of a tlv_graph, one of tlv_kinds(), from its first bytes';
