-- sequences.sql - hidden Markov models of symbols and of vectors

CREATE FUNCTION tlv_sequence_moments_accum(tlv_moments, integer[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_symbol_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_sequence_moments_accum(tlv_moments, integer[]) IS 'transition function of tlv_sequence_moments(integer[])';
CREATE FUNCTION tlv_sequence_moments_inverse(tlv_moments, integer[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_symbol_moments_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_sequence_moments_inverse(tlv_moments, integer[]) IS
    'inverse transition function of tlv_sequence_moments(integer[]): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_sequence_moments(symbols integer[]) (
    SFUNC = tlv_sequence_moments_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_sequence_moments_accum, MINVFUNC = tlv_sequence_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_sequence_moments(integer[]) IS
    'collects the counts of triples of neighbouring symbols, and of the first symbols of sequences; successive elements are neighbours in time; sequences of fewer than 3 '
    'steps, and nulls, are skipped and counted';

CREATE FUNCTION tlv_sequence_moments_accum(tlv_moments, bigint[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_symbol_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_sequence_moments_accum(tlv_moments, bigint[]) IS 'transition function of tlv_sequence_moments(bigint[])';
CREATE FUNCTION tlv_sequence_moments_inverse(tlv_moments, bigint[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_symbol_moments_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_sequence_moments_inverse(tlv_moments, bigint[]) IS
    'inverse transition function of tlv_sequence_moments(bigint[]): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_sequence_moments(symbols bigint[]) (
    SFUNC = tlv_sequence_moments_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_sequence_moments_accum, MINVFUNC = tlv_sequence_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_sequence_moments(bigint[]) IS
    'the same for symbols that are larger integers';

CREATE FUNCTION tlv_sequence_moments_accum(tlv_moments, text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_sequence_moments_accum(tlv_moments, text[]) IS 'transition function of tlv_sequence_moments(text[])';
CREATE FUNCTION tlv_sequence_moments_inverse(tlv_moments, text[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_moments_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_sequence_moments_inverse(tlv_moments, text[]) IS
    'inverse transition function of tlv_sequence_moments(text[]): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_sequence_moments(symbols text[]) (
    SFUNC = tlv_sequence_moments_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_sequence_moments_accum, MINVFUNC = tlv_sequence_moments_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_sequence_moments(text[]) IS
    'collects the counts of triples of neighbouring symbols by name, whose ids are tlv_term_id(name), and of the first symbols of sequences; successive elements are '
    'neighbours in time; sequences of fewer than 3 steps, and nulls, are skipped and counted';

CREATE FUNCTION tlv_sequence_moments_accum(tlv_moments, float8[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_sequence_moments_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_sequence_moments_accum(tlv_moments, float8[]) IS 'transition function of tlv_sequence_moments(float8[])';
CREATE AGGREGATE tlv_sequence_moments(x float8[]) (
    SFUNC = tlv_sequence_moments_accum, STYPE = tlv_moments, SSPACE = 300000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_sequence_moments(float8[]) IS
    'collects the moments of sequences of vectors, steps x d (one-dimensional arrays: of single numbers), up to the third of windows of three steps (none above 200 '
    'dimensions), and of the first steps; shorter sequences, and nulls, are skipped and counted';

CREATE FUNCTION tlv_sequence_sample_accum(tlv_moments, integer[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_symbol_sample_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_sequence_sample_accum(tlv_moments, integer[], integer, bigint) IS 'transition function of tlv_sequence_sample(integer[])';
CREATE AGGREGATE tlv_sequence_sample(symbols integer[], count integer, seed bigint) (
    SFUNC = tlv_sequence_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_sequence_sample(integer[], integer, bigint) IS
    'a random sample of whole sequences of symbols, of at most count symbols in all: those of the smallest hashes of their content';
CREATE FUNCTION tlv_sequence_sample_accum(tlv_moments, bigint[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_symbol_sample_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_sequence_sample_accum(tlv_moments, bigint[], integer, bigint) IS 'transition function of tlv_sequence_sample(bigint[])';
CREATE AGGREGATE tlv_sequence_sample(symbols bigint[], count integer, seed bigint) (
    SFUNC = tlv_sequence_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_sequence_sample(bigint[], integer, bigint) IS
    'the same for symbols that are larger integers';
CREATE FUNCTION tlv_sequence_sample_accum(tlv_moments, text[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_named_sample_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_sequence_sample_accum(tlv_moments, text[], integer, bigint) IS 'transition function of tlv_sequence_sample(text[])';
CREATE AGGREGATE tlv_sequence_sample(symbols text[], count integer, seed bigint) (
    SFUNC = tlv_sequence_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_sequence_sample(text[], integer, bigint) IS
    'a random sample of whole sequences of symbols by name, of at most count symbols in all: those of the smallest hashes of their content';
CREATE FUNCTION tlv_sequence_sample_accum(tlv_moments, float8[], integer, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_sequence_sample_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_sequence_sample_accum(tlv_moments, float8[], integer, bigint) IS 'transition function of tlv_sequence_sample(float8[])';
CREATE AGGREGATE tlv_sequence_sample(x float8[], count integer, seed bigint) (
    SFUNC = tlv_sequence_sample_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_sequence_sample(float8[], integer, bigint) IS
    'a random sample of whole sequences of vectors, steps x d, of at most count numbers in all: those of the smallest hashes of their content';

CREATE FUNCTION tlv_fit_hmm(moments tlv_moments, k integer DEFAULT NULL, covariance text DEFAULT 'spherical',
    iterations integer DEFAULT NULL, method text DEFAULT 'joint', restarts integer DEFAULT NULL, steps integer DEFAULT NULL,
    seed bigint DEFAULT 1, max_k integer DEFAULT 10, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_hmm(tlv_moments, integer, text, integer, text, integer, integer, bigint, integer, text, jsonb) IS
    'fits a hidden Markov model of k states to moments of sequences, without the sequences: emissions from windows of three steps, transitions by non-negative least '
    'squares; for symbols refined by EM iterations on the counts of windows (null: until the log-likelihood converges, at most 1,000), for vectors with the same '
    'covariance for all states, common, spherical, diagonal or full, until they are refined; if k exceeds the number that the moments identify, symbols are fitted by EM '
    'on the counts from random initialisations, and models of vectors have the identified states, with a warning; k null: by the rank of the pairs of neighbours, at most '
    'max_k; method joint, power, als or sgd, restarts and steps of the decomposition';
CREATE FUNCTION tlv_hmm(query text, k integer DEFAULT NULL, covariance text DEFAULT 'spherical', left_right boolean DEFAULT false,
    transitions float8[] DEFAULT NULL, emissions float8[] DEFAULT NULL, refine text DEFAULT 'auto', iterations integer DEFAULT NULL,
    seed bigint DEFAULT 1, max_k integer DEFAULT 10, errors boolean DEFAULT false, on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL,
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_hmm(text, integer, text, boolean, float8[], float8[], text, integer, bigint, integer, boolean, text, text[], jsonb) IS
    'fits a hidden Markov model of k states to the sequences of a query in one call; the query returns (seq, t, symbol integer or text), (seq, t, x) with x a number or '
    'an array of numbers, (seq, t, x1, x2, ...), or one column of sequences; steps are ordered by t, and gaps are ignored; null values are missing; covariance of vectors '
    'common, spherical, diagonal or full; refine auto or em (Baum-Welch: the best of several initial estimates, until the log-likelihood converges, or the given number '
    'of iterations from the moment estimate), windows (EM on the counts of windows only) or none; k null: by the likelihood of held-out sequences, up to max_k; '
    'left_right: sequences begin in state 1 and never return to an earlier state; given transitions (rows: from) and emissions (rows: states; for vectors, their means) '
    'are fixed';

CREATE FUNCTION tlv_states(model tlv_model)
    RETURNS TABLE (state integer, label text, initial float8, stationary float8, duration float8)
    AS 'MODULE_PATHNAME', 'tlv_states_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION tlv_states(tlv_model) IS
    'returns the label of every state, its initial probability, its stationary probability, by which states are numbered in decreasing order, and the mean number of '
    'steps of a visit, null if the state is never left';
CREATE FUNCTION tlv_transitions(model tlv_model)
    RETURNS TABLE (from_state integer, to_state integer, probability float8)
    AS 'MODULE_PATHNAME', 'tlv_transitions_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_transitions(tlv_model) IS
    'returns the transition probability from every state to every state';
CREATE FUNCTION tlv_emissions(model tlv_model)
    RETURNS TABLE (state integer, symbol bigint, symbol_name text, probability float8)
    AS 'MODULE_PATHNAME', 'tlv_emissions_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 200;
COMMENT ON FUNCTION tlv_emissions(tlv_model) IS
    'returns the probability of every symbol in every state of a hidden Markov model of symbols; symbol_name is its name, or its digits';

CREATE FUNCTION tlv_simulate_hmm_model(symbols integer DEFAULT NULL, k integer DEFAULT 3, stay float8 DEFAULT 0.7,
    concentration float8 DEFAULT 0.3, dimensions integer DEFAULT NULL, separation float8 DEFAULT 4, seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_hmm_model(integer, integer, float8, float8, integer, float8, bigint) IS
    'a random hidden Markov model of k states, which stay with probability stay, else go to one of a random row; of symbols 1, 2, ... with '
    'probabilities from a symmetric Dirichlet(concentration), or of vectors of the given dimensions with unit variance and means at a typical '
    'distance of separation';
CREATE FUNCTION tlv_simulate_hmm(model tlv_model, sequences integer, length integer DEFAULT 100, seed bigint DEFAULT 1)
    RETURNS TABLE (seq bigint, t bigint, symbol bigint, x float8[], state integer)
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION tlv_simulate_hmm(tlv_model, integer, integer, bigint) IS 'steps of sequences drawn from a hidden Markov model, true or fitted, with their true states';
