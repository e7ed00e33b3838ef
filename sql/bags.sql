
-- bags.sql - making, reading and changing tlv_bag values

CREATE FUNCTION tlv_term_id(term text) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_term_id(text) IS
    'returns the id of a term, a 63-bit hash that is the same on every server';

CREATE FUNCTION tlv_to_bag(items bigint[], weights float8[] DEFAULT NULL) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_to_bag_arrays' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_to_bag(bigint[], float8[]) IS
    'makes a bag of items with their weights (null: all 1); weights of the same item are added up, and an item with weight 0 is omitted';

CREATE FUNCTION tlv_to_bag(terms text[], weights float8[] DEFAULT NULL) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_to_bag_terms' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_to_bag(text[], float8[]) IS
    'makes a bag of terms with their weights (null: all 1): the items are tlv_term_id(term)';

CREATE FUNCTION tlv_to_bag(items text, weights float8[] DEFAULT NULL) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_to_bag_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_to_bag(text, float8[]) IS
    'makes a bag from its text representation, as clients send a parameter without a type: an array, of items if all elements are integers, otherwise of terms; a '
    'tlv_bag; or the lexemes of a tsvector';

CREATE FUNCTION tlv_to_bag(vector tsvector) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_to_bag_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_to_bag(tsvector) IS
    'makes a bag of the lexemes of a tsvector: the items are tlv_term_id(lexeme), and the weights are the numbers of positions';

CREATE FUNCTION tlv_bag_items(bag tlv_bag)
    RETURNS TABLE (item bigint, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_bag_items' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_bag_items(tlv_bag) IS 'the items and weights of a bag';

CREATE FUNCTION tlv_bag_size(bag tlv_bag) RETURNS integer
    AS 'MODULE_PATHNAME', 'tlv_bag_size_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_size(tlv_bag) IS 'the number of distinct items of a bag';

CREATE FUNCTION tlv_bag_total(bag tlv_bag) RETURNS float8
    AS 'MODULE_PATHNAME', 'tlv_bag_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_total(tlv_bag) IS 'the sum of the weights of a bag: the length of a document';

CREATE FUNCTION tlv_bag_damp(bag tlv_bag, cap float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_damp(tlv_bag, float8) IS
    'returns the bag with all weights capped at cap, for bursty words';

CREATE FUNCTION tlv_bag_keep(bag tlv_bag, items bigint[]) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_keep_items' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_keep(tlv_bag, bigint[]) IS 'the bag with only those of its items that are in the array';
CREATE FUNCTION tlv_bag_keep(bag tlv_bag, terms text[]) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_keep_terms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_keep(tlv_bag, text[]) IS 'the bag with only those of its terms that are in the array; its items are tlv_term_id(term)';
CREATE FUNCTION tlv_bag_keep(bag tlv_bag, subspace tlv_subspace) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_keep_subspace' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_bag_keep(tlv_bag, tlv_subspace) IS
    'returns the bag with only those of its items that are in a subspace over items';
CREATE FUNCTION tlv_bag_keep(bag tlv_bag, model tlv_model) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_keep_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_bag_keep(tlv_bag, tlv_model) IS
    'returns the bag with only those of its items that are in a topic model';

CREATE FUNCTION tlv_bag_similarity(a tlv_bag, b tlv_bag) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_similarity(tlv_bag, tlv_bag) IS
    'returns the cosine of two bags as vectors of weights: 1 if they are proportional, 0 if they have no common item or one is empty';

CREATE FUNCTION tlv_fold(bag tlv_bag, folds integer DEFAULT 2, seed bigint DEFAULT 1) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_fold(tlv_bag, integer, bigint) IS
    'returns the fold of a bag, which depends only on its content, for held-out documents and cross-validation';

CREATE FUNCTION tlv_bag_add(tlv_bag, tlv_bag) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_add(tlv_bag, tlv_bag) IS 'implementation of the + operator: weights of common items are added up';

CREATE OPERATOR + (
    LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_add, COMMUTATOR = +
);
COMMENT ON OPERATOR + (tlv_bag, tlv_bag) IS 'weights of common items are added up';
CREATE FUNCTION tlv_bag_subtract(tlv_bag, tlv_bag) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_subtract(tlv_bag, tlv_bag) IS 'implementation of the - operator: the second bag subtracted from the first';
CREATE OPERATOR - (LEFTARG = tlv_bag, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_subtract);
COMMENT ON OPERATOR - (tlv_bag, tlv_bag) IS 'the second bag subtracted from the first, which has to contain it';
CREATE FUNCTION tlv_bag_scale(float8, tlv_bag) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_scale(float8, tlv_bag) IS 'implementation of the * operator: every weight multiplied by the factor';
CREATE OPERATOR * (LEFTARG = float8, RIGHTARG = tlv_bag, FUNCTION = tlv_bag_scale);
COMMENT ON OPERATOR * (float8, tlv_bag) IS 'every weight multiplied by the factor';

CREATE FUNCTION tlv_bag_accum(tlv_bag, bigint) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_accum(tlv_bag, bigint) IS 'transition function of tlv_bag_agg(bigint)';
CREATE FUNCTION tlv_bag_accum(tlv_bag, bigint, float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_accum(tlv_bag, bigint, float8) IS 'transition function of tlv_bag_agg(bigint, float8)';
CREATE FUNCTION tlv_bag_accum(tlv_bag, text) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_accum_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_accum(tlv_bag, text) IS 'transition function of tlv_bag_agg(text)';
CREATE FUNCTION tlv_bag_accum(tlv_bag, text, float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_accum_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_accum(tlv_bag, text, float8) IS 'transition function of tlv_bag_agg(text, float8)';
CREATE FUNCTION tlv_bag_combine(tlv_bag, tlv_bag) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_combine(tlv_bag, tlv_bag) IS 'combine function of tlv_bag_agg and tlv_rollup';

CREATE FUNCTION tlv_bag_moving_final(tlv_bag) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_final(tlv_bag) IS
    'result of tlv_bag_agg over a moving window: null if there are no items';
CREATE FUNCTION tlv_bag_moving_accum(tlv_bag, bigint) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_moving_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_accum(tlv_bag, bigint) IS
    'transition function of tlv_bag_agg over a moving window';
CREATE FUNCTION tlv_bag_moving_accum(tlv_bag, bigint, float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_moving_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_accum(tlv_bag, bigint, float8) IS
    'transition function of tlv_bag_agg over a moving window';
CREATE FUNCTION tlv_bag_moving_accum(tlv_bag, text) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_moving_accum_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_accum(tlv_bag, text) IS
    'transition function of tlv_bag_agg over a moving window';
CREATE FUNCTION tlv_bag_moving_accum(tlv_bag, text, float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_moving_accum_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_accum(tlv_bag, text, float8) IS
    'transition function of tlv_bag_agg over a moving window';
CREATE FUNCTION tlv_bag_moving_inverse(tlv_bag, bigint) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_inverse(tlv_bag, bigint) IS
    'inverse transition function of tlv_bag_agg: null if weights are not integers';
CREATE FUNCTION tlv_bag_moving_inverse(tlv_bag, bigint, float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_inverse(tlv_bag, bigint, float8) IS
    'inverse transition function of tlv_bag_agg: null if weights are not integers';
CREATE FUNCTION tlv_bag_moving_inverse(tlv_bag, text) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_accum_text_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_inverse(tlv_bag, text) IS
    'inverse transition function of tlv_bag_agg: null if weights are not integers';
CREATE FUNCTION tlv_bag_moving_inverse(tlv_bag, text, float8) RETURNS tlv_bag
    AS 'MODULE_PATHNAME', 'tlv_bag_accum_text_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_moving_inverse(tlv_bag, text, float8) IS
    'inverse transition function of tlv_bag_agg: null if weights are not integers';

CREATE AGGREGATE tlv_bag_agg(item bigint) (
    SFUNC = tlv_bag_accum, STYPE = tlv_bag, SSPACE = 1024,
    COMBINEFUNC = tlv_bag_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bag_moving_accum, MINVFUNC = tlv_bag_moving_inverse, MSTYPE = tlv_bag, MSSPACE = 1024, MFINALFUNC = tlv_bag_moving_final
);
COMMENT ON AGGREGATE tlv_bag_agg(bigint) IS
    'collects the items of a group in a bag, with the number of rows of each as its weight; rows with a null are skipped';
CREATE AGGREGATE tlv_bag_agg(item bigint, weight float8) (
    SFUNC = tlv_bag_accum, STYPE = tlv_bag, SSPACE = 1024,
    COMBINEFUNC = tlv_bag_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bag_moving_accum, MINVFUNC = tlv_bag_moving_inverse, MSTYPE = tlv_bag, MSSPACE = 1024, MFINALFUNC = tlv_bag_moving_final
);
COMMENT ON AGGREGATE tlv_bag_agg(bigint, float8) IS
    'collects the items of a group in a bag, with the sums of their weights; rows with a null are skipped, and items with weight 0 are omitted';
CREATE AGGREGATE tlv_bag_agg(term text) (
    SFUNC = tlv_bag_accum, STYPE = tlv_bag, SSPACE = 1024,
    COMBINEFUNC = tlv_bag_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bag_moving_accum, MINVFUNC = tlv_bag_moving_inverse, MSTYPE = tlv_bag, MSSPACE = 1024, MFINALFUNC = tlv_bag_moving_final
);
COMMENT ON AGGREGATE tlv_bag_agg(text) IS
    'collects the terms of a group in a bag, as items tlv_term_id(term), with the number of rows of each as its weight';
CREATE AGGREGATE tlv_bag_agg(term text, weight float8) (
    SFUNC = tlv_bag_accum, STYPE = tlv_bag, SSPACE = 1024,
    COMBINEFUNC = tlv_bag_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bag_moving_accum, MINVFUNC = tlv_bag_moving_inverse, MSTYPE = tlv_bag, MSSPACE = 1024, MFINALFUNC = tlv_bag_moving_final
);
COMMENT ON AGGREGATE tlv_bag_agg(text, float8) IS
    'collects the terms of a group in a bag, as items tlv_term_id(term), with the sums of their weights; terms with weight 0 are omitted';
CREATE FUNCTION tlv_bag_inverse(tlv_bag, tlv_bag) RETURNS tlv_bag
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_bag_inverse(tlv_bag, tlv_bag) IS
    'inverse transition function of tlv_rollup: null if weights are not integers';
CREATE AGGREGATE tlv_rollup(bag tlv_bag) (
    SFUNC = tlv_bag_combine, STYPE = tlv_bag, SSPACE = 4096,
    COMBINEFUNC = tlv_bag_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bag_combine, MINVFUNC = tlv_bag_inverse, MSTYPE = tlv_bag, MSSPACE = 4096
);
COMMENT ON AGGREGATE tlv_rollup(tlv_bag) IS 'the sum of bags';
