-- types.sql - the types, their input and output, equality and hashing

CREATE TYPE tlv_bag;
CREATE TYPE tlv_moments;
CREATE TYPE tlv_subspace;
CREATE TYPE tlv_model;
CREATE TYPE tlv_graph;

CREATE FUNCTION tlv_bag_in(cstring) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_in(cstring) IS 'text input of tlv_bag';
CREATE FUNCTION tlv_bag_out(tlv_bag) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_out(tlv_bag) IS 'text output of tlv_bag';
CREATE FUNCTION tlv_bag_recv(internal) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_recv(internal) IS 'binary input of tlv_bag';
CREATE FUNCTION tlv_bag_send(tlv_bag) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_send(tlv_bag) IS 'binary output of tlv_bag';
CREATE TYPE tlv_bag (
    INPUT = tlv_bag_in,
    OUTPUT = tlv_bag_out,
    RECEIVE = tlv_bag_recv,
    SEND = tlv_bag_send,
    ALIGNMENT = double,
    STORAGE = external
);
COMMENT ON TYPE tlv_bag IS 'a sparse vector of counts or weights: bigint item -> float8 > 0; text form {item:weight,...}';

CREATE FUNCTION tlv_bag_eq(tlv_bag, tlv_bag) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_eq(tlv_bag, tlv_bag) IS 'implementation of the = operator: byte by byte';
CREATE FUNCTION tlv_bag_ne(tlv_bag, tlv_bag) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_ne(tlv_bag, tlv_bag) IS 'implementation of the <> operator: byte by byte';
CREATE FUNCTION tlv_bag_hash(tlv_bag) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_hash(tlv_bag) IS 'hash of the bytes of a tlv_bag';
CREATE FUNCTION tlv_bag_hash_extended(tlv_bag, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'tlv_value_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_hash_extended(tlv_bag, bigint) IS '64-bit hash of the bytes of a tlv_bag, with a seed';
CREATE OPERATOR = (
    LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (tlv_bag, tlv_bag) IS 'equal byte by byte';
CREATE OPERATOR <> (
    LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tlv_bag, tlv_bag) IS 'not equal byte by byte';
CREATE OPERATOR CLASS tlv_bag_hash_ops DEFAULT FOR TYPE tlv_bag USING hash AS
    OPERATOR 1 = (tlv_bag, tlv_bag),
    FUNCTION 1 tlv_bag_hash(tlv_bag),
    FUNCTION 2 tlv_bag_hash_extended(tlv_bag, bigint);

CREATE FUNCTION tlv_bag_lt(tlv_bag, tlv_bag) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_lt(tlv_bag, tlv_bag) IS 'implementation of the < operator: byte by byte';
CREATE FUNCTION tlv_bag_le(tlv_bag, tlv_bag) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_le(tlv_bag, tlv_bag) IS 'implementation of the <= operator: byte by byte';
CREATE FUNCTION tlv_bag_gt(tlv_bag, tlv_bag) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_gt(tlv_bag, tlv_bag) IS 'implementation of the > operator: byte by byte';
CREATE FUNCTION tlv_bag_ge(tlv_bag, tlv_bag) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_ge(tlv_bag, tlv_bag) IS 'implementation of the >= operator: byte by byte';
CREATE FUNCTION tlv_bag_cmp(tlv_bag, tlv_bag) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_cmp(tlv_bag, tlv_bag) IS 'order of the bytes: for sorting and DISTINCT, without further meaning';
CREATE OPERATOR < (
    LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (tlv_bag, tlv_bag) IS 'less byte by byte';
CREATE OPERATOR <= (
    LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (tlv_bag, tlv_bag) IS 'less or equal byte by byte';
CREATE OPERATOR > (
    LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (tlv_bag, tlv_bag) IS 'greater byte by byte';
CREATE OPERATOR >= (
    LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (tlv_bag, tlv_bag) IS 'greater or equal byte by byte';
CREATE OPERATOR CLASS tlv_bag_btree_ops DEFAULT FOR TYPE tlv_bag USING btree AS
    OPERATOR 1 < (tlv_bag, tlv_bag),
    OPERATOR 2 <= (tlv_bag, tlv_bag),
    OPERATOR 3 = (tlv_bag, tlv_bag),
    OPERATOR 4 >= (tlv_bag, tlv_bag),
    OPERATOR 5 > (tlv_bag, tlv_bag),
    FUNCTION 1 tlv_bag_cmp(tlv_bag, tlv_bag);

CREATE FUNCTION tlv_info(value tlv_bag) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_bag_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_bag) IS 'what a tlv_bag holds: kind, size, single numbers, shapes of arrays';

CREATE FUNCTION tlv_moments_in(cstring) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_in(cstring) IS 'text input of tlv_moments';
CREATE FUNCTION tlv_moments_out(tlv_moments) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_out(tlv_moments) IS 'text output of tlv_moments';
CREATE FUNCTION tlv_moments_recv(internal) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_recv(internal) IS 'binary input of tlv_moments';
CREATE FUNCTION tlv_moments_send(tlv_moments) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_send(tlv_moments) IS 'binary output of tlv_moments';
CREATE TYPE tlv_moments (
    INPUT = tlv_moments_in,
    OUTPUT = tlv_moments_out,
    RECEIVE = tlv_moments_recv,
    SEND = tlv_moments_send,
    ALIGNMENT = double,
    STORAGE = external
);
COMMENT ON TYPE tlv_moments IS 'mergeable moment statistics of rows';

CREATE FUNCTION tlv_moments_eq(tlv_moments, tlv_moments) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_eq(tlv_moments, tlv_moments) IS 'implementation of the = operator: byte by byte';
CREATE FUNCTION tlv_moments_ne(tlv_moments, tlv_moments) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_ne(tlv_moments, tlv_moments) IS 'implementation of the <> operator: byte by byte';
CREATE FUNCTION tlv_moments_hash(tlv_moments) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_hash(tlv_moments) IS 'hash of the bytes of a tlv_moments';
CREATE FUNCTION tlv_moments_hash_extended(tlv_moments, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'tlv_value_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_hash_extended(tlv_moments, bigint) IS '64-bit hash of the bytes of a tlv_moments, with a seed';
CREATE OPERATOR = (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (tlv_moments, tlv_moments) IS 'equal byte by byte';
CREATE OPERATOR <> (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tlv_moments, tlv_moments) IS 'not equal byte by byte';
CREATE OPERATOR CLASS tlv_moments_hash_ops DEFAULT FOR TYPE tlv_moments USING hash AS
    OPERATOR 1 = (tlv_moments, tlv_moments),
    FUNCTION 1 tlv_moments_hash(tlv_moments),
    FUNCTION 2 tlv_moments_hash_extended(tlv_moments, bigint);

CREATE FUNCTION tlv_moments_lt(tlv_moments, tlv_moments) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_lt(tlv_moments, tlv_moments) IS 'implementation of the < operator: byte by byte';
CREATE FUNCTION tlv_moments_le(tlv_moments, tlv_moments) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_le(tlv_moments, tlv_moments) IS 'implementation of the <= operator: byte by byte';
CREATE FUNCTION tlv_moments_gt(tlv_moments, tlv_moments) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_gt(tlv_moments, tlv_moments) IS 'implementation of the > operator: byte by byte';
CREATE FUNCTION tlv_moments_ge(tlv_moments, tlv_moments) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_ge(tlv_moments, tlv_moments) IS 'implementation of the >= operator: byte by byte';
CREATE FUNCTION tlv_moments_cmp(tlv_moments, tlv_moments) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_moments_cmp(tlv_moments, tlv_moments) IS 'order of the bytes: for sorting and DISTINCT, without further meaning';
CREATE OPERATOR < (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (tlv_moments, tlv_moments) IS 'less byte by byte';
CREATE OPERATOR <= (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (tlv_moments, tlv_moments) IS 'less or equal byte by byte';
CREATE OPERATOR > (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (tlv_moments, tlv_moments) IS 'greater byte by byte';
CREATE OPERATOR >= (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (tlv_moments, tlv_moments) IS 'greater or equal byte by byte';
CREATE OPERATOR CLASS tlv_moments_btree_ops DEFAULT FOR TYPE tlv_moments USING btree AS
    OPERATOR 1 < (tlv_moments, tlv_moments),
    OPERATOR 2 <= (tlv_moments, tlv_moments),
    OPERATOR 3 = (tlv_moments, tlv_moments),
    OPERATOR 4 >= (tlv_moments, tlv_moments),
    OPERATOR 5 > (tlv_moments, tlv_moments),
    FUNCTION 1 tlv_moments_cmp(tlv_moments, tlv_moments);

CREATE FUNCTION tlv_info(value tlv_moments) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_value_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_moments) IS 'what a tlv_moments holds: kind, size, single numbers, shapes of arrays';

CREATE FUNCTION tlv_subspace_in(cstring) RETURNS tlv_subspace
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_in(cstring) IS 'text input of tlv_subspace';
CREATE FUNCTION tlv_subspace_out(tlv_subspace) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_out(tlv_subspace) IS 'text output of tlv_subspace';
CREATE FUNCTION tlv_subspace_recv(internal) RETURNS tlv_subspace
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_recv(internal) IS 'binary input of tlv_subspace';
CREATE FUNCTION tlv_subspace_send(tlv_subspace) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_send(tlv_subspace) IS 'binary output of tlv_subspace';
CREATE TYPE tlv_subspace (
    INPUT = tlv_subspace_in,
    OUTPUT = tlv_subspace_out,
    RECEIVE = tlv_subspace_recv,
    SEND = tlv_subspace_send,
    ALIGNMENT = double,
    STORAGE = external
);
COMMENT ON TYPE tlv_subspace IS 'an orthonormal basis of a subspace over items, with their scaling and the spectrum';

CREATE FUNCTION tlv_subspace_eq(tlv_subspace, tlv_subspace) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_eq(tlv_subspace, tlv_subspace) IS 'implementation of the = operator: byte by byte';
CREATE FUNCTION tlv_subspace_ne(tlv_subspace, tlv_subspace) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_ne(tlv_subspace, tlv_subspace) IS 'implementation of the <> operator: byte by byte';
CREATE FUNCTION tlv_subspace_hash(tlv_subspace) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_hash(tlv_subspace) IS 'hash of the bytes of a tlv_subspace';
CREATE FUNCTION tlv_subspace_hash_extended(tlv_subspace, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'tlv_value_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_hash_extended(tlv_subspace, bigint) IS '64-bit hash of the bytes of a tlv_subspace, with a seed';
CREATE OPERATOR = (
    LEFTARG = tlv_subspace, RIGHTARG = tlv_subspace, FUNCTION = tlv_subspace_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (tlv_subspace, tlv_subspace) IS 'equal byte by byte';
CREATE OPERATOR <> (
    LEFTARG = tlv_subspace, RIGHTARG = tlv_subspace, FUNCTION = tlv_subspace_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tlv_subspace, tlv_subspace) IS 'not equal byte by byte';
CREATE OPERATOR CLASS tlv_subspace_hash_ops DEFAULT FOR TYPE tlv_subspace USING hash AS
    OPERATOR 1 = (tlv_subspace, tlv_subspace),
    FUNCTION 1 tlv_subspace_hash(tlv_subspace),
    FUNCTION 2 tlv_subspace_hash_extended(tlv_subspace, bigint);

CREATE FUNCTION tlv_subspace_lt(tlv_subspace, tlv_subspace) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_lt(tlv_subspace, tlv_subspace) IS 'implementation of the < operator: byte by byte';
CREATE FUNCTION tlv_subspace_le(tlv_subspace, tlv_subspace) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_le(tlv_subspace, tlv_subspace) IS 'implementation of the <= operator: byte by byte';
CREATE FUNCTION tlv_subspace_gt(tlv_subspace, tlv_subspace) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_gt(tlv_subspace, tlv_subspace) IS 'implementation of the > operator: byte by byte';
CREATE FUNCTION tlv_subspace_ge(tlv_subspace, tlv_subspace) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_ge(tlv_subspace, tlv_subspace) IS 'implementation of the >= operator: byte by byte';
CREATE FUNCTION tlv_subspace_cmp(tlv_subspace, tlv_subspace) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_subspace_cmp(tlv_subspace, tlv_subspace) IS 'order of the bytes: for sorting and DISTINCT, without further meaning';
CREATE OPERATOR < (
    LEFTARG = tlv_subspace, RIGHTARG = tlv_subspace, FUNCTION = tlv_subspace_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (tlv_subspace, tlv_subspace) IS 'less byte by byte';
CREATE OPERATOR <= (
    LEFTARG = tlv_subspace, RIGHTARG = tlv_subspace, FUNCTION = tlv_subspace_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (tlv_subspace, tlv_subspace) IS 'less or equal byte by byte';
CREATE OPERATOR > (
    LEFTARG = tlv_subspace, RIGHTARG = tlv_subspace, FUNCTION = tlv_subspace_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (tlv_subspace, tlv_subspace) IS 'greater byte by byte';
CREATE OPERATOR >= (
    LEFTARG = tlv_subspace, RIGHTARG = tlv_subspace, FUNCTION = tlv_subspace_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (tlv_subspace, tlv_subspace) IS 'greater or equal byte by byte';
CREATE OPERATOR CLASS tlv_subspace_btree_ops DEFAULT FOR TYPE tlv_subspace USING btree AS
    OPERATOR 1 < (tlv_subspace, tlv_subspace),
    OPERATOR 2 <= (tlv_subspace, tlv_subspace),
    OPERATOR 3 = (tlv_subspace, tlv_subspace),
    OPERATOR 4 >= (tlv_subspace, tlv_subspace),
    OPERATOR 5 > (tlv_subspace, tlv_subspace),
    FUNCTION 1 tlv_subspace_cmp(tlv_subspace, tlv_subspace);

CREATE FUNCTION tlv_info(value tlv_subspace) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_value_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_subspace) IS 'what a tlv_subspace holds: kind, size, single numbers, shapes of arrays';

CREATE FUNCTION tlv_model_in(cstring) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_in(cstring) IS 'text input of tlv_model';
CREATE FUNCTION tlv_model_out(tlv_model) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_out(tlv_model) IS 'text output of tlv_model';
CREATE FUNCTION tlv_model_recv(internal) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_recv(internal) IS 'binary input of tlv_model';
CREATE FUNCTION tlv_model_send(tlv_model) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_send(tlv_model) IS 'binary output of tlv_model';
CREATE TYPE tlv_model (
    INPUT = tlv_model_in,
    OUTPUT = tlv_model_out,
    RECEIVE = tlv_model_recv,
    SEND = tlv_model_send,
    ALIGNMENT = double,
    STORAGE = external
);
COMMENT ON TYPE tlv_model IS 'a fitted latent variable model with its diagnostics';

CREATE FUNCTION tlv_model_eq(tlv_model, tlv_model) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_eq(tlv_model, tlv_model) IS 'implementation of the = operator: byte by byte';
CREATE FUNCTION tlv_model_ne(tlv_model, tlv_model) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_ne(tlv_model, tlv_model) IS 'implementation of the <> operator: byte by byte';
CREATE FUNCTION tlv_model_hash(tlv_model) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_hash(tlv_model) IS 'hash of the bytes of a tlv_model';
CREATE FUNCTION tlv_model_hash_extended(tlv_model, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'tlv_value_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_hash_extended(tlv_model, bigint) IS '64-bit hash of the bytes of a tlv_model, with a seed';
CREATE OPERATOR = (
    LEFTARG = tlv_model, RIGHTARG = tlv_model, FUNCTION = tlv_model_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (tlv_model, tlv_model) IS 'equal byte by byte';
CREATE OPERATOR <> (
    LEFTARG = tlv_model, RIGHTARG = tlv_model, FUNCTION = tlv_model_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tlv_model, tlv_model) IS 'not equal byte by byte';
CREATE OPERATOR CLASS tlv_model_hash_ops DEFAULT FOR TYPE tlv_model USING hash AS
    OPERATOR 1 = (tlv_model, tlv_model),
    FUNCTION 1 tlv_model_hash(tlv_model),
    FUNCTION 2 tlv_model_hash_extended(tlv_model, bigint);

CREATE FUNCTION tlv_model_lt(tlv_model, tlv_model) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_lt(tlv_model, tlv_model) IS 'implementation of the < operator: byte by byte';
CREATE FUNCTION tlv_model_le(tlv_model, tlv_model) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_le(tlv_model, tlv_model) IS 'implementation of the <= operator: byte by byte';
CREATE FUNCTION tlv_model_gt(tlv_model, tlv_model) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_gt(tlv_model, tlv_model) IS 'implementation of the > operator: byte by byte';
CREATE FUNCTION tlv_model_ge(tlv_model, tlv_model) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_ge(tlv_model, tlv_model) IS 'implementation of the >= operator: byte by byte';
CREATE FUNCTION tlv_model_cmp(tlv_model, tlv_model) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_model_cmp(tlv_model, tlv_model) IS 'order of the bytes: for sorting and DISTINCT, without further meaning';
CREATE OPERATOR < (
    LEFTARG = tlv_model, RIGHTARG = tlv_model, FUNCTION = tlv_model_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (tlv_model, tlv_model) IS 'less byte by byte';
CREATE OPERATOR <= (
    LEFTARG = tlv_model, RIGHTARG = tlv_model, FUNCTION = tlv_model_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (tlv_model, tlv_model) IS 'less or equal byte by byte';
CREATE OPERATOR > (
    LEFTARG = tlv_model, RIGHTARG = tlv_model, FUNCTION = tlv_model_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (tlv_model, tlv_model) IS 'greater byte by byte';
CREATE OPERATOR >= (
    LEFTARG = tlv_model, RIGHTARG = tlv_model, FUNCTION = tlv_model_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (tlv_model, tlv_model) IS 'greater or equal byte by byte';
CREATE OPERATOR CLASS tlv_model_btree_ops DEFAULT FOR TYPE tlv_model USING btree AS
    OPERATOR 1 < (tlv_model, tlv_model),
    OPERATOR 2 <= (tlv_model, tlv_model),
    OPERATOR 3 = (tlv_model, tlv_model),
    OPERATOR 4 >= (tlv_model, tlv_model),
    OPERATOR 5 > (tlv_model, tlv_model),
    FUNCTION 1 tlv_model_cmp(tlv_model, tlv_model);

CREATE FUNCTION tlv_info(value tlv_model) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_value_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_model) IS 'what a tlv_model holds: kind, size, single numbers, shapes of arrays';

CREATE FUNCTION tlv_graph_in(cstring) RETURNS tlv_graph
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_in(cstring) IS 'text input of tlv_graph';
CREATE FUNCTION tlv_graph_out(tlv_graph) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_out(tlv_graph) IS 'text output of tlv_graph';
CREATE FUNCTION tlv_graph_recv(internal) RETURNS tlv_graph
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_recv(internal) IS 'binary input of tlv_graph';
CREATE FUNCTION tlv_graph_send(tlv_graph) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_send(tlv_graph) IS 'binary output of tlv_graph';
CREATE TYPE tlv_graph (
    INPUT = tlv_graph_in,
    OUTPUT = tlv_graph_out,
    RECEIVE = tlv_graph_recv,
    SEND = tlv_graph_send,
    ALIGNMENT = double,
    STORAGE = external
);
COMMENT ON TYPE tlv_graph IS 'a compressed sparse graph: undirected, directed or bipartite; weighted or not';

CREATE FUNCTION tlv_graph_eq(tlv_graph, tlv_graph) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_eq(tlv_graph, tlv_graph) IS 'implementation of the = operator: byte by byte';
CREATE FUNCTION tlv_graph_ne(tlv_graph, tlv_graph) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_ne(tlv_graph, tlv_graph) IS 'implementation of the <> operator: byte by byte';
CREATE FUNCTION tlv_graph_hash(tlv_graph) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_hash(tlv_graph) IS 'hash of the bytes of a tlv_graph';
CREATE FUNCTION tlv_graph_hash_extended(tlv_graph, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'tlv_value_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_hash_extended(tlv_graph, bigint) IS '64-bit hash of the bytes of a tlv_graph, with a seed';
CREATE OPERATOR = (
    LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (tlv_graph, tlv_graph) IS 'equal byte by byte';
CREATE OPERATOR <> (
    LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tlv_graph, tlv_graph) IS 'not equal byte by byte';
CREATE OPERATOR CLASS tlv_graph_hash_ops DEFAULT FOR TYPE tlv_graph USING hash AS
    OPERATOR 1 = (tlv_graph, tlv_graph),
    FUNCTION 1 tlv_graph_hash(tlv_graph),
    FUNCTION 2 tlv_graph_hash_extended(tlv_graph, bigint);

CREATE FUNCTION tlv_graph_lt(tlv_graph, tlv_graph) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_lt(tlv_graph, tlv_graph) IS 'implementation of the < operator: byte by byte';
CREATE FUNCTION tlv_graph_le(tlv_graph, tlv_graph) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_le(tlv_graph, tlv_graph) IS 'implementation of the <= operator: byte by byte';
CREATE FUNCTION tlv_graph_gt(tlv_graph, tlv_graph) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_gt(tlv_graph, tlv_graph) IS 'implementation of the > operator: byte by byte';
CREATE FUNCTION tlv_graph_ge(tlv_graph, tlv_graph) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tlv_value_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_ge(tlv_graph, tlv_graph) IS 'implementation of the >= operator: byte by byte';
CREATE FUNCTION tlv_graph_cmp(tlv_graph, tlv_graph) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_value_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_graph_cmp(tlv_graph, tlv_graph) IS 'order of the bytes: for sorting and DISTINCT, without further meaning';
CREATE OPERATOR < (
    LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (tlv_graph, tlv_graph) IS 'less byte by byte';
CREATE OPERATOR <= (
    LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (tlv_graph, tlv_graph) IS 'less or equal byte by byte';
CREATE OPERATOR > (
    LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (tlv_graph, tlv_graph) IS 'greater byte by byte';
CREATE OPERATOR >= (
    LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (tlv_graph, tlv_graph) IS 'greater or equal byte by byte';
CREATE OPERATOR CLASS tlv_graph_btree_ops DEFAULT FOR TYPE tlv_graph USING btree AS
    OPERATOR 1 < (tlv_graph, tlv_graph),
    OPERATOR 2 <= (tlv_graph, tlv_graph),
    OPERATOR 3 = (tlv_graph, tlv_graph),
    OPERATOR 4 >= (tlv_graph, tlv_graph),
    OPERATOR 5 > (tlv_graph, tlv_graph),
    FUNCTION 1 tlv_graph_cmp(tlv_graph, tlv_graph);

CREATE FUNCTION tlv_info(value tlv_graph) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'tlv_value_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_info(tlv_graph) IS 'what a tlv_graph holds: kind, size, single numbers, shapes of arrays';

CREATE FUNCTION tlv_diagnostics(model tlv_model)
    RETURNS TABLE (name text, value float8)
    AS 'MODULE_PATHNAME', 'tlv_diagnostics_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_diagnostics(tlv_model) IS 'what the numbers of a model are worth: residual, eigenvalues, condition number, iterations; warnings are rows named "warning: ..."';

CREATE FUNCTION tlv_build_info()
    RETURNS TABLE (name text, value text)
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE ROWS 8;
COMMENT ON FUNCTION tlv_build_info() IS 'versions, and the BLAS in use with its threads';
