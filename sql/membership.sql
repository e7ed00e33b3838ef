-- membership.sql - latent classes and mixed membership of categorical variables

CREATE FUNCTION tlv_row_sample_accum(tlv_moments, integer[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_category_sample_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_row_sample_accum(tlv_moments, integer[], integer, bigint) IS 'transition function of tlv_row_sample';
CREATE AGGREGATE tlv_row_sample(v integer[], count integer, seed bigint) (
    SFUNC = tlv_row_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_row_sample(integer[], integer, bigint) IS 'the same of rows of categories; null elements are kept as -1';

CREATE FUNCTION tlv_fit_lca(moments tlv_moments, k integer DEFAULT NULL, copies integer DEFAULT 1, method text DEFAULT 'joint',
    restarts integer DEFAULT NULL, steps integer DEFAULT NULL, seed bigint DEFAULT 1, max_k integer DEFAULT 20, on_failure text DEFAULT 'error',
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_lca(tlv_moments, integer, integer, text, integer, integer, bigint, integer, text, jsonb) IS
    'fits latent classes to category moments with tables of triples, without the rows; k null: the number that the pairs of variables identify, at most max_k. Pairs of '
    'different variables are whitened and triples decomposed by the method joint, power, als or sgd; partition and partition-pqp compute a non-negative factorisation of '
    'groups of variables instead';
CREATE FUNCTION tlv_lca(query text, k integer DEFAULT NULL, copies integer DEFAULT 1, criterion text DEFAULT 'held_out', layout text DEFAULT NULL,
    weights text DEFAULT NULL, refine text DEFAULT 'auto', iterations integer DEFAULT NULL, seed bigint DEFAULT 1, max_k integer DEFAULT 20, errors boolean DEFAULT false,
    on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_lca(text, integer, integer, text, text, text, text, integer, bigint, integer, boolean, text, text[], jsonb) IS
    'fits latent classes to the rows of a query, in one call: moments, fit and refinement by expectation maximisation. The query returns (row, variable, category), or '
    'one column for each variable (with layout wide if there are three), or one column of integer[], or, with layout long, (row, variable, category, number) if some '
    'variables are numbers; a value without a row, or that is null, is missing. k null: at most max_k, by the likelihood of held-out rows (criterion held_out) or the '
    'Bayesian information criterion (bic). weights is the name of the column of row weights, beside one column for each variable or the array: a row of weight 2 counts '
    'as two';
CREATE FUNCTION tlv_fit_gom(moments tlv_moments, k integer DEFAULT NULL, alpha0 float8 DEFAULT NULL, copies integer DEFAULT 1,
    method text DEFAULT 'joint', restarts integer DEFAULT NULL, steps integer DEFAULT NULL, seed bigint DEFAULT 1, max_k integer DEFAULT 20,
    on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_gom(tlv_moments, integer, float8, integer, text, integer, integer, bigint, integer, text, jsonb) IS
    'fits mixed membership (grade of membership, admixture) to category moments with tables of triples, without the rows. The component of every variable of a row is '
    'drawn from the memberships of the row, whose Dirichlet parameters have the sum alpha0 (null: the value that explains the triples best); the other parameters are '
    'those of tlv_fit_lca';
CREATE FUNCTION tlv_gom(query text, k integer DEFAULT NULL, alpha0 float8 DEFAULT NULL, copies integer DEFAULT 1, layout text DEFAULT NULL,
    refine text DEFAULT 'auto', iterations integer DEFAULT NULL, seed bigint DEFAULT 1, max_k integer DEFAULT 20, errors boolean DEFAULT false,
    on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_gom(text, integer, float8, integer, text, text, integer, bigint, integer, boolean, text, text[], jsonb) IS
    'fits mixed membership to the rows of a query, in one call: moments, fit and refinement by Gibbs sampling. The query has the forms of tlv_lca; with copies => 2, a '
    'variable has up to two values in a row, as a locus has two alleles. k null: at most max_k, by the likelihood of held-out values; alpha0 null: the value that '
    'explains the triples best, or by the same likelihood';

CREATE FUNCTION tlv_simulate_lca_model(variables integer, k integer, categories integer DEFAULT 4, concentration float8 DEFAULT 0.5, seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_lca_model(integer, integer, integer, float8, bigint) IS 'a random model of k latent classes; every variable has the same number of categories';
CREATE FUNCTION tlv_simulate_lca(model tlv_model, rows integer, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, v integer[], component integer)
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_lca(tlv_model, integer, bigint) IS 'rows drawn from latent classes, true or fitted, with their true classes';
CREATE FUNCTION tlv_simulate_gom_model(variables integer, k integer, categories integer DEFAULT 4, alpha float8 DEFAULT 0.1, concentration float8 DEFAULT 0.5,
    seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_gom_model(integer, integer, integer, float8, float8, bigint) IS
    'a random model of mixed membership in k components; alpha is the Dirichlet parameter of each';
CREATE FUNCTION tlv_simulate_gom(model tlv_model, rows integer, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, v integer[], memberships float8[])
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_gom(tlv_model, integer, bigint) IS 'rows drawn from a model of mixed membership, true or fitted, with their true memberships';
