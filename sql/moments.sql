
-- moments.sql - moments of documents, subspaces over items

CREATE FUNCTION tlv_moments_combine(tlv_moments, tlv_moments) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_moments_combine(tlv_moments, tlv_moments) IS 'combine function of every aggregate over tlv_moments';
CREATE FUNCTION tlv_moments_add(tlv_moments, tlv_moments) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_moments_add(tlv_moments, tlv_moments) IS 'implementation of the + operator: moments of both sets of rows';
CREATE OPERATOR + (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_add, COMMUTATOR = +
);
COMMENT ON OPERATOR + (tlv_moments, tlv_moments) IS 'moments of both sets of rows';
CREATE FUNCTION tlv_moments_subtract(tlv_moments, tlv_moments) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_moments_subtract(tlv_moments, tlv_moments) IS 'implementation of the - operator: moments without a part of the rows';
CREATE OPERATOR - (
    LEFTARG = tlv_moments, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_subtract
);
COMMENT ON OPERATOR - (tlv_moments, tlv_moments) IS 'moments without a part of the rows: exact where the sums are whole numbers';
CREATE FUNCTION tlv_moments_scale(float8, tlv_moments) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_moments_scale(float8, tlv_moments) IS 'implementation of the * operator: moments as if every row had come so many times';
CREATE OPERATOR * (LEFTARG = float8, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_scale);
COMMENT ON OPERATOR * (float8, tlv_moments) IS
    'moments as if every row had come so many times, or fading, by a factor below 1: the nearest by which the number of rows stays whole; where '
    'rows are counted for each of many things, all of these counts must stay whole';
CREATE FUNCTION tlv_moments_inverse(tlv_moments, tlv_moments) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_moments_inverse(tlv_moments, tlv_moments) IS 'inverse transition function of tlv_rollup: null where the sums are not exact';
CREATE AGGREGATE tlv_rollup(moments tlv_moments) (
    SFUNC = tlv_moments_combine, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_moments_combine, MINVFUNC = tlv_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_rollup(tlv_moments) IS 'merges stored moments of one kind';

CREATE FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_summary_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag) IS 'transition function of tlv_count_summary(tlv_bag)';
CREATE AGGREGATE tlv_count_summary(bag tlv_bag) (
    SFUNC = tlv_count_summary_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_summary(tlv_bag) IS 'documents, any vocabulary: item totals, document frequencies, length statistics';

CREATE FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_summary_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag[]) IS 'transition function of tlv_count_summary(tlv_bag[])';
CREATE AGGREGATE tlv_count_summary(bags tlv_bag[]) (
    SFUNC = tlv_count_summary_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_summary(tlv_bag[]) IS 'documents, any vocabulary: item totals, document frequencies, length statistics; many documents in one row';

CREATE FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_pairs_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag) IS 'transition function of tlv_count_moments(tlv_bag)';
CREATE AGGREGATE tlv_count_moments(bag tlv_bag) (
    SFUNC = tlv_count_pairs_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag) IS 'documents, first pass: the same and the exact packed co-occurrence moment, for up to 8192 distinct items';

CREATE FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_pairs_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag[]) IS 'transition function of tlv_count_moments(tlv_bag[])';
CREATE AGGREGATE tlv_count_moments(bags tlv_bag[]) (
    SFUNC = tlv_count_pairs_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag[]) IS 'documents, first pass: the same and the exact packed co-occurrence moment, for up to 8192 distinct items; many documents in one row';

CREATE FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag, tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_products_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag, tlv_subspace) IS 'transition function of tlv_count_products(tlv_bag, tlv_subspace)';
CREATE AGGREGATE tlv_count_products(bag tlv_bag, subspace tlv_subspace) (
    SFUNC = tlv_count_products_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_products(tlv_bag, tlv_subspace) IS 'documents, any vocabulary: the co-occurrence moment times the basis, one step of block subspace iteration';

CREATE FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag[], tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_products_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag[], tlv_subspace) IS 'transition function of tlv_count_products(tlv_bag[], tlv_subspace)';
CREATE AGGREGATE tlv_count_products(bags tlv_bag[], subspace tlv_subspace) (
    SFUNC = tlv_count_products_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_products(tlv_bag[], tlv_subspace) IS
    'documents, any vocabulary: the co-occurrence moment times the basis, one step of block subspace iteration; many documents in one row';

CREATE FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag, tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_triples_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag, tlv_subspace) IS 'transition function of tlv_count_moments(tlv_bag, tlv_subspace)';
CREATE AGGREGATE tlv_count_moments(bag tlv_bag, subspace tlv_subspace) (
    SFUNC = tlv_count_triples_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag, tlv_subspace) IS 'documents, last pass: compressed moments up to order 3 in the basis; they do not depend on alpha0';

CREATE FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag[], tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_triples_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag[], tlv_subspace) IS 'transition function of tlv_count_moments(tlv_bag[], tlv_subspace)';
CREATE AGGREGATE tlv_count_moments(bags tlv_bag[], subspace tlv_subspace) (
    SFUNC = tlv_count_triples_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag[], tlv_subspace) IS 'documents, last pass: compressed moments up to order 3 in the basis; they do not depend on alpha0; many documents in one row';

CREATE FUNCTION tlv_find_subspace(moments tlv_moments, k integer DEFAULT NULL, min_documents integer DEFAULT NULL, distinct_pairs boolean DEFAULT false, seed bigint DEFAULT 1,
                                  alpha0 float8 DEFAULT NULL) RETURNS tlv_subspace
    AS 'MODULE_PATHNAME', 'tlv_subspace_from_moments_sql' LANGUAGE C STABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_find_subspace(tlv_moments, integer, integer, boolean, bigint, float8) IS
    'from a summary, a random start; from products, the next orthonormal basis with its Ritz values; from exact moments, the dominant basis at '
    'once; from anchor moments, the basis in which the second moment of topics with alpha0 is white, for tlv_slice_moments; distinct_pairs leaves out pairs of the '
    'same item, for choosing k';
CREATE FUNCTION tlv_find_subspace(subspace tlv_subspace, slices tlv_moments) RETURNS tlv_subspace
    AS 'MODULE_PATHNAME', 'tlv_subspace_from_slices' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_find_subspace(tlv_subspace, tlv_moments) IS
    'the white basis after one step of the decomposition of the third moment, from its tlv_slice_moments: turned towards the topics';
CREATE FUNCTION tlv_spectrum(subspace tlv_subspace)
    RETURNS TABLE (rank integer, eigenvalue float8, z float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 40;
COMMENT ON FUNCTION tlv_spectrum(tlv_subspace) IS 'Ritz values of the scaled second moment; z, of held-out documents, where moments were collected in distinct mode';

CREATE FUNCTION tlv_spectrum(moments tlv_moments)
    RETURNS TABLE (rank integer, eigenvalue float8, z float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 40;
COMMENT ON FUNCTION tlv_spectrum(tlv_moments) IS 'Ritz values of the scaled second moment; z, of held-out documents, where moments were collected in distinct mode';

CREATE FUNCTION tlv_suggest_k(a tlv_moments, b tlv_moments DEFAULT NULL, model text DEFAULT NULL, max_k integer DEFAULT NULL)
    RETURNS TABLE (k integer, criterion text, score float8, standard_error float8, chosen boolean)
    AS 'MODULE_PATHNAME', 'tlv_suggest_k_moments' LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 50;
COMMENT ON FUNCTION tlv_suggest_k(tlv_moments, tlv_moments, text, integer) IS
    'how many components moments show, by the search of the fit without k: of numbers and of categories the variance along a direction, or the eigenvalue of pairs, in parts of '
    'the largest that noise has (criterion spectrum), of sequences the held-out likelihood of windows and the p-value that so many states are enough (rank test), of views that '
    'p-value; max_k as in the fit, model gom takes categories for mixed membership. Of documents a and b are moments of either half in the distinct-mode subspace '
    'of the other half: directions by their z value, the lesser of both (significance), chosen is the number of those above 3';
CREATE FUNCTION tlv_suggest_k(query text, criterion text DEFAULT NULL, model text DEFAULT 'lda', seed bigint DEFAULT 1, max_k integer DEFAULT NULL)
    RETURNS TABLE (k integer, criterion text, score float8, standard_error float8, chosen boolean)
    AS 'MODULE_PATHNAME', 'tlv_suggest_k_query' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 50;
COMMENT ON FUNCTION tlv_suggest_k(text, text, text, bigint, integer) IS
    'what the rows of a query say about the number of components of a model: lda, gmm, hmm, multiview, lca, gom or mmsb, whose driver names the rows; its own search, '
    'without k and at most max_k (null: as the driver), and its criteria: BIC and ICL (gmm), held-out likelihood and rank test (hmm), rank test (multiview), '
    'held-out likelihood, BIC and ICL (lca, a search for the first and one for both others), '
    'held-out likelihood (gom), integrated likelihood and significance (mmsb). Of documents (lda): by significance the z values of directions over pairs of '
    'distinct items, each document seen in the directions of others, of which those before the first below 3.5 count '
    '(of more than about 250,000 items the lesser one of two halves, of which those above 3 count); at several k the held-out likelihood of documents per token, with the standard error of its '
    'difference from the best (chosen is the least k within one), and the coherence of the topics (NPMI of ten items; chosen is the greatest); '
    'criterion: one of the model''s, or null for all';
