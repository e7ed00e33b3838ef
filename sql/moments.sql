
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
COMMENT ON OPERATOR - (tlv_moments, tlv_moments) IS
    'moments without some of the rows: exact if the sums are integers';
CREATE FUNCTION tlv_moments_scale(float8, tlv_moments) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_moments_scale(float8, tlv_moments) IS 'implementation of the * operator: the weight of every row multiplied by the factor';
CREATE OPERATOR * (LEFTARG = float8, RIGHTARG = tlv_moments, FUNCTION = tlv_moments_scale);
COMMENT ON OPERATOR * (float8, tlv_moments) IS
    'moments with the weight of every row multiplied by the factor, which is rounded to the nearest one with an integer number of rows; where '
    'rows are counted for each of many things, all of these counts must stay whole';
CREATE FUNCTION tlv_moments_inverse(tlv_moments, tlv_moments) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_moments_inverse(tlv_moments, tlv_moments) IS
    'inverse transition function of tlv_rollup: null if the sums are not exact';
CREATE AGGREGATE tlv_rollup(moments tlv_moments) (
    SFUNC = tlv_moments_combine, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_moments_combine, MINVFUNC = tlv_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_rollup(tlv_moments) IS 'the sum of stored moments of one kind';

CREATE FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_summary_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag) IS 'transition function of tlv_count_summary(tlv_bag)';
CREATE AGGREGATE tlv_count_summary(bag tlv_bag) (
    SFUNC = tlv_count_summary_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_summary(tlv_bag) IS
    'collects the summary of documents with any vocabulary, in the first pass: totals of items, their document frequencies, and lengths of documents';

CREATE FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_summary_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_count_summary_accum(tlv_moments, tlv_bag[]) IS 'transition function of tlv_count_summary(tlv_bag[])';
CREATE AGGREGATE tlv_count_summary(bags tlv_bag[]) (
    SFUNC = tlv_count_summary_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_summary(tlv_bag[]) IS
    'collects the summary of documents with any vocabulary, in the first pass: totals of items, their document frequencies, and lengths of documents; many documents in '
    'one row';

CREATE FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_pairs_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag) IS 'transition function of tlv_count_moments(tlv_bag)';
CREATE AGGREGATE tlv_count_moments(bag tlv_bag) (
    SFUNC = tlv_count_pairs_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag) IS
    'collects the summary and the exact pair moment of documents with at most 8192 distinct items, in the first pass';

CREATE FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_pairs_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_pairs_accum(tlv_moments, tlv_bag[]) IS 'transition function of tlv_count_moments(tlv_bag[])';
CREATE AGGREGATE tlv_count_moments(bags tlv_bag[]) (
    SFUNC = tlv_count_pairs_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag[]) IS
    'collects the summary and the exact pair moment of documents with at most 8192 distinct items, in the first pass; many documents in one row';

CREATE FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag, tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_products_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag, tlv_subspace) IS 'transition function of tlv_count_products(tlv_bag, tlv_subspace)';
CREATE AGGREGATE tlv_count_products(bag tlv_bag, subspace tlv_subspace) (
    SFUNC = tlv_count_products_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_products(tlv_bag, tlv_subspace) IS
    'collects the pair moment times the basis from documents with any vocabulary, for one step of subspace iteration';

CREATE FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag[], tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_products_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_products_accum(tlv_moments, tlv_bag[], tlv_subspace) IS 'transition function of tlv_count_products(tlv_bag[], tlv_subspace)';
CREATE AGGREGATE tlv_count_products(bags tlv_bag[], subspace tlv_subspace) (
    SFUNC = tlv_count_products_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_products(tlv_bag[], tlv_subspace) IS
    'collects the pair moment times the basis from documents with any vocabulary, for one step of subspace iteration; many documents in one row';

CREATE FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag, tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_triples_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag, tlv_subspace) IS 'transition function of tlv_count_moments(tlv_bag, tlv_subspace)';
CREATE AGGREGATE tlv_count_moments(bag tlv_bag, subspace tlv_subspace) (
    SFUNC = tlv_count_triples_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag, tlv_subspace) IS
    'collects the compressed moments up to order 3 in the basis from documents, in the last pass; they do not depend on alpha0';

CREATE FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag[], tlv_subspace) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_count_triples_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION tlv_count_triples_accum(tlv_moments, tlv_bag[], tlv_subspace) IS 'transition function of tlv_count_moments(tlv_bag[], tlv_subspace)';
CREATE AGGREGATE tlv_count_moments(bags tlv_bag[], subspace tlv_subspace) (
    SFUNC = tlv_count_triples_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_count_moments(tlv_bag[], tlv_subspace) IS
    'collects the compressed moments up to order 3 in the basis from documents, in the last pass; they do not depend on alpha0; many documents in one row';

CREATE FUNCTION tlv_find_subspace(moments tlv_moments, k integer DEFAULT NULL, min_documents integer DEFAULT NULL, distinct_pairs boolean DEFAULT false, seed bigint DEFAULT 1,
                                  subspace tlv_subspace DEFAULT NULL) RETURNS tlv_subspace
    AS 'MODULE_PATHNAME', 'tlv_subspace_from_moments_sql' LANGUAGE C STABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_find_subspace(tlv_moments, integer, integer, boolean, bigint, tlv_subspace) IS
    'returns a subspace computed from moments: for a summary, a random initial basis; for products, the next orthonormal basis with its Ritz values; for exact moments, '
    'the leading directions; for vectors, the leading directions of the covariance. distinct_pairs excludes pairs of an item with itself, for choosing k; products of few '
    'documents need the subspace in which they were collected, and for others it has no effect';
CREATE FUNCTION tlv_spectrum(subspace tlv_subspace)
    RETURNS TABLE (rank integer, eigenvalue float8, z float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 40;
COMMENT ON FUNCTION tlv_spectrum(tlv_subspace) IS
    'returns the Ritz values of the scaled second moment, and for distinct pairs their z values';

CREATE FUNCTION tlv_spectrum(moments tlv_moments)
    RETURNS TABLE (rank integer, eigenvalue float8, z float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 40;
COMMENT ON FUNCTION tlv_spectrum(tlv_moments) IS
    'returns the Ritz values of the scaled second moment, and for distinct pairs their z values';

CREATE FUNCTION tlv_suggest_k(a tlv_moments, b tlv_moments DEFAULT NULL, model text DEFAULT NULL, max_k integer DEFAULT NULL)
    RETURNS TABLE (k integer, criterion text, score float8, standard_error float8, chosen boolean)
    AS 'MODULE_PATHNAME', 'tlv_suggest_k_moments' LANGUAGE C STABLE PARALLEL SAFE COST 1000000 ROWS 50;
COMMENT ON FUNCTION tlv_suggest_k(tlv_moments, tlv_moments, text, integer) IS
    'returns the scores of the numbers of components that moments identify, by the search of a fit without k: for vectors and categories by their spectrum, for sequences '
    'by the held-out likelihood of windows and a rank test, for views by a rank test. Model gom treats categories as mixed membership. For documents, a and b are moments '
    'of each half in the distinct-pair subspace of the other half, compared by significance';
CREATE FUNCTION tlv_suggest_k(query text, criterion text DEFAULT NULL, model text DEFAULT 'lda', seed bigint DEFAULT 1, max_k integer DEFAULT NULL,
    more_queries text[] DEFAULT NULL)
    RETURNS TABLE (k integer, criterion text, score float8, standard_error float8, chosen boolean)
    AS 'MODULE_PATHNAME', 'tlv_suggest_k_query' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 50;
COMMENT ON FUNCTION tlv_suggest_k(text, text, text, bigint, integer, text[]) IS
    'returns the scores of the numbers of components for the rows of a query and a model lda, gmm, hmm, multiview, lca, gom or mmsb: the search of its driver without k, '
    'up to max_k (null: as in the driver). A row for every k that was tried, by one criterion of the model or (null) all; documents have held_out, by which the driver '
    'chooses, gain, coherence and significance';
