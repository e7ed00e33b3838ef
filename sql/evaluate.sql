-- evaluate.sql - partitions, covers and memberships against the truth

-- typed: bigint, bigint | bigint, text | text, bigint | text, text
CREATE FUNCTION tlv_label_pairs_accum(tlv_moments, "any", "any") RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tlv_label_pairs_accum(tlv_moments, "any", "any") IS 'transition function of tlv_label_pairs, tlv_nmi and tlv_ari';
CREATE FUNCTION tlv_label_pairs_inverse(tlv_moments, "any", "any") RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_label_pairs_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tlv_label_pairs_inverse(tlv_moments, "any", "any") IS
    'inverse transition function of tlv_label_pairs, tlv_nmi and tlv_ari: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_label_pairs(a "any", b "any") (
    SFUNC = tlv_label_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_label_pairs_accum, MINVFUNC = tlv_label_pairs_inverse, MSTYPE = tlv_moments, MSSPACE = 10000
);
COMMENT ON AGGREGATE tlv_label_pairs("any", "any") IS
    'collects the contingency table of two partitions, whose labels are ids of any types, for tlv_scores; rows with a null are skipped and counted';

CREATE FUNCTION tlv_nmi_final(tlv_moments) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_nmi_final(tlv_moments) IS 'final function of tlv_nmi';
CREATE FUNCTION tlv_ari_final(tlv_moments) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_ari_final(tlv_moments) IS 'final function of tlv_ari';
CREATE AGGREGATE tlv_nmi(a "any", b "any") (
    SFUNC = tlv_label_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    FINALFUNC = tlv_nmi_final, COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_label_pairs_accum, MINVFUNC = tlv_label_pairs_inverse, MSTYPE = tlv_moments, MSSPACE = 10000, MFINALFUNC = tlv_nmi_final
);
COMMENT ON AGGREGATE tlv_nmi("any", "any") IS
    'returns the normalised mutual information of two partitions, whose labels are ids of any types, relative to the mean of their entropies: 0 .. 1; one row per node';

CREATE AGGREGATE tlv_ari(a "any", b "any") (
    SFUNC = tlv_label_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    FINALFUNC = tlv_ari_final, COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_label_pairs_accum, MINVFUNC = tlv_label_pairs_inverse, MSTYPE = tlv_moments, MSSPACE = 10000, MFINALFUNC = tlv_ari_final
);
COMMENT ON AGGREGATE tlv_ari("any", "any") IS
    'returns the adjusted Rand index of two partitions, whose labels are ids of any types: 1 for equal partitions, about 0 for independent ones; one row per node';

CREATE FUNCTION tlv_cover_pairs_accum(tlv_moments, bigint[], bigint[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tlv_cover_pairs_accum(tlv_moments, bigint[], bigint[]) IS 'transition function of tlv_cover_pairs and tlv_cover_f1';
CREATE FUNCTION tlv_cover_pairs_inverse(tlv_moments, bigint[], bigint[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_cover_pairs_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tlv_cover_pairs_inverse(tlv_moments, bigint[], bigint[]) IS
    'inverse transition function of tlv_cover_pairs and tlv_cover_f1: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_cover_pairs(a bigint[], b bigint[]) (
    SFUNC = tlv_cover_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_cover_pairs_accum, MINVFUNC = tlv_cover_pairs_inverse, MSTYPE = tlv_moments, MSSPACE = 10000
);
COMMENT ON AGGREGATE tlv_cover_pairs(bigint[], bigint[]) IS
    'collects the sizes and intersections of the communities of two covers, in which a node has several communities or none, for tlv_scores; rows with a null array are '
    'skipped and counted';

CREATE FUNCTION tlv_cover_f1_final(tlv_moments) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_cover_f1_final(tlv_moments) IS 'final function of tlv_cover_f1';
CREATE AGGREGATE tlv_cover_f1(a bigint[], b bigint[]) (
    SFUNC = tlv_cover_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    FINALFUNC = tlv_cover_f1_final, COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_cover_pairs_accum, MINVFUNC = tlv_cover_pairs_inverse, MSTYPE = tlv_moments, MSSPACE = 10000, MFINALFUNC = tlv_cover_f1_final
);
COMMENT ON AGGREGATE tlv_cover_f1(bigint[], bigint[]) IS
    'returns the mean F1 score of every community of two covers with its best match, averaged over both directions: 0 .. 1; one row per node';

-- Communities that are identified by name.
CREATE FUNCTION tlv_cover_pairs_accum(tlv_moments, text[], text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_cover_pairs_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tlv_cover_pairs_accum(tlv_moments, text[], text[]) IS 'transition function of tlv_cover_pairs and tlv_cover_f1';
CREATE FUNCTION tlv_cover_pairs_inverse(tlv_moments, text[], text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_cover_pairs_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tlv_cover_pairs_inverse(tlv_moments, text[], text[]) IS
    'inverse transition function of tlv_cover_pairs and tlv_cover_f1: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_cover_pairs(a text[], b text[]) (
    SFUNC = tlv_cover_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_cover_pairs_accum, MINVFUNC = tlv_cover_pairs_inverse, MSTYPE = tlv_moments, MSSPACE = 10000
);
COMMENT ON AGGREGATE tlv_cover_pairs(text[], text[]) IS
    'collects the sizes and intersections of the communities of two covers, by name, for tlv_scores';
CREATE AGGREGATE tlv_cover_f1(a text[], b text[]) (
    SFUNC = tlv_cover_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    FINALFUNC = tlv_cover_f1_final, COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_cover_pairs_accum, MINVFUNC = tlv_cover_pairs_inverse, MSTYPE = tlv_moments, MSSPACE = 10000, MFINALFUNC = tlv_cover_f1_final
);
COMMENT ON AGGREGATE tlv_cover_f1(text[], text[]) IS
    'returns the mean F1 score of every community, by name, with its best match, averaged over both directions; one row per node';

CREATE FUNCTION tlv_membership_pairs_accum(tlv_moments, float8[], float8[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_membership_pairs_accum(tlv_moments, float8[], float8[]) IS 'transition function of tlv_membership_pairs';
CREATE AGGREGATE tlv_membership_pairs(truth float8[], estimate float8[]) (
    SFUNC = tlv_membership_pairs_accum, STYPE = tlv_moments, SSPACE = 10000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_membership_pairs(float8[], float8[]) IS
    'nodes with their true and estimated memberships: means, co-moments and absolute differences of every pair of components, for tlv_scores; rows with a null array are skipped and counted';

CREATE FUNCTION tlv_scores(pairs tlv_moments, significance float8 DEFAULT 0.01)
    RETURNS TABLE (measure text, score float8)
    AS 'MODULE_PATHNAME', 'tlv_scores_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 3;
COMMENT ON FUNCTION tlv_scores(tlv_moments, float8) IS
    'returns all scores of collected pairs: for tlv_label_pairs nmi and ari; for tlv_cover_pairs overlapping_nmi and cover_f1; for tlv_membership_pairs membership_l1, '
    'recovery_ratio (the proportion of the true components that an estimated one is correlated with, at the level significance adjusted for all pairs) and '
    'membership_error (the sum of the mean absolute differences of all matched pairs over the number of true components; an estimate of zeros scores 1 / k were it '
    'matched)';
