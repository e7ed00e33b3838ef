-- categories.sql - rows of categorical variables: tables of all pairs, and of triples where they fit

CREATE FUNCTION tlv_category_moments_accum(tlv_moments, integer[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, integer[]) IS 'transition function of tlv_category_moments(integer[])';
CREATE FUNCTION tlv_category_moments_inverse(tlv_moments, integer[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_category_moments_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_category_moments_inverse(tlv_moments, integer[]) IS
    'inverse transition function of tlv_category_moments: null if the sums are not exact';
CREATE AGGREGATE tlv_category_moments(v integer[]) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_category_moments_accum, MINVFUNC = tlv_category_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 1000000
);
COMMENT ON AGGREGATE tlv_category_moments(integer[]) IS
    'collects the contingency tables of categorical variables, with states from 0 to 99 and null for missing elements: of every two variables, and of every three if '
    'these have at most 2097152 cells in total; all rows have the same number of elements; null rows are skipped and counted';

CREATE FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer) IS 'transition function of tlv_category_moments(integer[], integer)';
CREATE AGGREGATE tlv_category_moments(v integer[], bootstrap integer) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(integer[], integer) IS
    'the same, with the given number of bootstrap replicates of the tables of pairs (at most 1000; 0: none) from the same pass: the rows are divided into that number of '
    'parts, and a replicate consists of parts drawn with replacement';

CREATE FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, integer[], integer, bigint) IS 'transition function of tlv_category_moments(integer[], integer, bigint)';
CREATE AGGREGATE tlv_category_moments(v integer[], bootstrap integer, seed bigint) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(integer[], integer, bigint) IS
    'the same, with a seed for the parts (1 otherwise), to which rows are assigned by the seed and their number: equal rows in equal order lead to equal replicates, and '
    'with ORDER BY v equal rows in any order';

-- Categories that are identified by name.
CREATE FUNCTION tlv_category_moments_accum(tlv_moments, text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, text[]) IS 'transition function of tlv_category_moments(text[])';
CREATE FUNCTION tlv_category_moments_inverse(tlv_moments, text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_category_moments_inverse(tlv_moments, text[]) IS
    'inverse transition function of tlv_category_moments(text[]): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_category_moments(v text[]) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_category_moments_accum, MINVFUNC = tlv_category_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 1000000
);
COMMENT ON AGGREGATE tlv_category_moments(text[]) IS
    'collects the same tables of categorical variables whose categories are names, at most 100 for each, with null for missing elements; models that are fitted to them '
    'contain the names; states are numbered from 0 in the order of the names';
CREATE FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer) IS 'transition function of tlv_category_moments(text[], integer)';
CREATE AGGREGATE tlv_category_moments(v text[], bootstrap integer) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(text[], integer) IS
    'the same for categories by name, with the given number of bootstrap replicates of the tables of pairs';
CREATE FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_categories_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_category_moments_accum(tlv_moments, text[], integer, bigint) IS 'transition function of tlv_category_moments(text[], integer, bigint)';
CREATE AGGREGATE tlv_category_moments(v text[], bootstrap integer, seed bigint) (
    SFUNC = tlv_category_moments_accum, STYPE = tlv_moments, SSPACE = 10000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_category_moments(text[], integer, bigint) IS
    'the same for categories by name, with a seed for the parts';
