-- categories.sql - rows of categorical variables: tables of all pairs, and of triples where they fit

CREATE FUNCTION tlv_category_moments_accum(tlv_moments, integer[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, integer[]) IS 'transition function of tlv_category_moments(integer[])';
CREATE FUNCTION tlv_category_moments_inverse(tlv_moments, integer[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_category_moments_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_category_moments_inverse(tlv_moments, integer[]) IS 'inverse transition function of tlv_category_moments: null where the sums are not exact';
CREATE AGGREGATE tlv_category_moments(v integer[]) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_category_moments_accum, MINVFUNC = tlv_category_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 1000000
);
COMMENT ON AGGREGATE tlv_category_moments(integer[]) IS
    'rows of categorical variables, states from 0 to 99, null elements missing: how often every pair of states of every two variables occurs, and '
    'every triple of every three while those are at most 2097152 numbers together; all rows have as many elements; null rows are skipped and '
    'counted';

CREATE FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer) IS 'transition function of tlv_category_moments(integer[], integer)';
CREATE AGGREGATE tlv_category_moments(v integer[], bootstrap integer) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(integer[], integer) IS
    'the same, with as many bootstrap replicates of the tables of pairs (at most 1000; 0: none) from the same pass: the rows are dealt to as many parts, '
    'and a replicate has parts drawn with replacement';

CREATE FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer, bigint) IS 'transition function of tlv_category_moments(integer[], integer, bigint)';
CREATE AGGREGATE tlv_category_moments(v integer[], bootstrap integer, seed bigint) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(integer[], integer, bigint) IS
    'the same, with a seed for the parts (1 otherwise), to which rows are dealt by the seed and their number: '
    'equal rows in equal order give equal replicates, and with ORDER BY v equal rows in any order';

-- Categories that are identified by name.
CREATE FUNCTION tlv_category_moments_accum(tlv_moments, text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, text[]) IS 'transition function of tlv_category_moments(text[])';
CREATE FUNCTION tlv_category_moments_inverse(tlv_moments, text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_category_moments_inverse(tlv_moments, text[]) IS 'inverse transition function of tlv_category_moments(text[]): null where the server has to aggregate the frame again';
CREATE AGGREGATE tlv_category_moments(v text[]) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_category_moments_accum, MINVFUNC = tlv_category_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 1000000
);
COMMENT ON AGGREGATE tlv_category_moments(text[]) IS
    'rows of categorical variables told by name, at most 100 categories of each, null elements missing: the same tables, and the names, which the models fitted to them know; '
    'states are numbered from 0 in the order of the names';
CREATE FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer) IS 'transition function of tlv_category_moments(text[], integer)';
CREATE AGGREGATE tlv_category_moments(v text[], bootstrap integer) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(text[], integer) IS 'the same of categories by name, with as many bootstrap replicates of the tables of pairs';
CREATE FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer, bigint) IS 'transition function of tlv_category_moments(text[], integer, bigint)';
CREATE AGGREGATE tlv_category_moments(v text[], bootstrap integer, seed bigint) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(text[], integer, bigint) IS 'the same of categories by name, with a seed for the parts';
