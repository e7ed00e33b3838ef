
-- topics.sql - latent Dirichlet allocation and the single topic model

CREATE FUNCTION tlv_fit_lda(moments tlv_moments, k integer DEFAULT NULL, alpha0 float8 DEFAULT NULL, subspace tlv_subspace DEFAULT NULL,
    anchors text[] DEFAULT NULL, method text DEFAULT 'auto', restarts integer DEFAULT NULL, steps integer DEFAULT NULL, seed bigint DEFAULT 1,
    on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_lda(tlv_moments, integer, float8, tlv_subspace, text[], text, integer, integer, bigint, text, jsonb) IS
    'fits latent Dirichlet allocation to compressed moments: k topics (null: the k of the subspace, so that there is no max_k), alpha0 is the sum of the Dirichlet '
    'parameters (0: single topic model; null: smallest residual), subspace is the one in which the moments were collected, which moments of few documents need and which '
    'has no effect for others, method auto: according to the kind of the moments; joint, power, als or sgd, restarts and steps of the decomposition; or anchors, by '
    'anchor words, the first of which are the given ones, digits of items, one or one row of them per topic; for exact co-occurrences anchors, recover or recover-kl, '
    'with k given';
CREATE FUNCTION tlv_lda(query text, k integer DEFAULT NULL, alpha0 float8 DEFAULT NULL, counts text DEFAULT 'auto',
    min_documents integer DEFAULT NULL, anchors text[] DEFAULT NULL, fixed tlv_model DEFAULT NULL, refine text DEFAULT 'auto',
    iterations integer DEFAULT NULL, method text DEFAULT 'auto', seed bigint DEFAULT 1, max_k integer DEFAULT NULL, errors boolean DEFAULT false,
    on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_lda(text, integer, float8, text, integer, text[], tlv_model, text, integer, text, bigint, integer, boolean, text, text[], jsonb) IS
    'fits topics to the documents of a query, which returns (doc, item bigint or text [, count]), or a tlv_bag, tlv_bag[] or tsvector per document, alone or as (doc, '
    'document), in one call; the model contains terms and lexemes; moments, fit, and refinement (auto or stepwise, gibbs, ctm, which follows stepwise and lets topics be '
    'correlated, or none; iterations null: until convergence, of ctm alone); counts raw, damped or auto; method tensor, which begins with the decomposition of third '
    'moments, anchors, of which some may be given, terms or digits of items, one or one row of them per topic, or auto: anchors if there are too few documents or too '
    'little memory for the tensor; topics of the model fixed do not change, and the other topics are fitted; k null: the smallest, up to max_k (null: half of the '
    'documents, 10 to 100), that predicts new words of held-out documents as well as the best within a standard error';
CREATE FUNCTION tlv_topics(model tlv_model)
    RETURNS TABLE (topic integer, label text, alpha float8, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_topics_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_topics(tlv_model) IS
    'returns the label, the Dirichlet parameter (null for correlated topics) and the weight of every topic, by decreasing weight';

CREATE FUNCTION tlv_topic_items(model tlv_model, top integer DEFAULT NULL, by text DEFAULT 'distinctive')
    RETURNS TABLE (topic integer, label text, rank integer, item bigint, item_name text, probability float8, score float8)
    AS 'MODULE_PATHNAME', 'tlv_topic_items_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION tlv_topic_items(tlv_model, integer, text) IS
    'returns the items of every topic by decreasing score, the top ones or all: distinctive, the shrunk lift probability / (share + c) with the item''s share of the '
    'corpus and c = 300 / n + exp(-H), n the number of tokens in the corpus (1e5 if the model does not contain it), H the entropy of the shares in nats; or probability; '
    'item_name is the term, or the digits of the item';

CREATE FUNCTION tlv_update(model tlv_model, statistics tlv_moments, weight float8 DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_update(tlv_model, tlv_moments, float8) IS
    'returns the model after one refinement step with expected statistics that were collected under it: the statistics have the given weight, and the expectations of the '
    'model itself 1 - weight, both per row; components keep their numbers and labels; parameters about which the rows contain no information do not change, and '
    'statistics of no rows, or of rows without a known value, return the same model';
-- typed: tlv_bag | tlv_bag[] | tsvector | smallint[] | integer[] | bigint[] | real[] | float8[] | numeric[] | text[] | record
CREATE FUNCTION tlv_statistics_accum(tlv_moments, "any", tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_statistics_accum(tlv_moments, "any", tlv_model) IS 'transition function of tlv_statistics';
CREATE AGGREGATE tlv_statistics(x "any", model tlv_model) (
    SFUNC = tlv_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_statistics("any", tlv_model) IS
    'collects the expected sufficient statistics of rows under a model, for tlv_update; a row has any form that tlv_infer(model, x) accepts: a bag, a tsvector, an array '
    'of numbers, a vector of pgvector, ROW(a, b, c), categories and symbols by their names; an array of bags, or a two-dimensional array of numbers, contains many rows; '
    'null is skipped and counted, or missing if the model supports missing values';

CREATE FUNCTION tlv_statistics_accum(tlv_moments, "any", tlv_model, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_statistics_accum(tlv_moments, "any", tlv_model, text) IS 'transition function of tlv_statistics';
CREATE AGGREGATE tlv_statistics(x "any", model tlv_model, refine text) (
    SFUNC = tlv_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_statistics("any", tlv_model, text) IS
    'the same by one of the methods of the model: of topics gibbs, stepwise or ctm, or held_out: scores of documents that the model was not learnt from, by which k is chosen';

CREATE FUNCTION tlv_completion_accum(tlv_moments, tlv_bag, tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_completion_accum(tlv_moments, tlv_bag, tlv_model) IS 'transition function of tlv_perplexity and tlv_completion';
CREATE FUNCTION tlv_completion_accum(tlv_moments, tlv_bag[], tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_completion_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_completion_accum(tlv_moments, tlv_bag[], tlv_model) IS 'transition function of tlv_perplexity and tlv_completion';
CREATE FUNCTION tlv_perplexity(completion tlv_moments) RETURNS float8
    AS 'MODULE_PATHNAME', 'tlv_completion_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlv_perplexity(tlv_moments) IS 'held-out perplexity of what tlv_completion has collected, or tlv_rollup has merged of that';
CREATE AGGREGATE tlv_perplexity(bag tlv_bag, model tlv_model) (
    SFUNC = tlv_completion_accum, STYPE = tlv_moments, SSPACE = 1000000,
    FINALFUNC = tlv_perplexity, COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_perplexity(tlv_bag, tlv_model) IS
    'returns the held-out perplexity by document completion: a fair coin splits the tokens of every document, topic proportions are inferred from one half, and the other '
    'half is scored; items that are not in the model are skipped';
CREATE AGGREGATE tlv_perplexity(bags tlv_bag[], model tlv_model) (
    SFUNC = tlv_completion_accum, STYPE = tlv_moments, SSPACE = 1000000,
    FINALFUNC = tlv_perplexity, COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_perplexity(tlv_bag[], tlv_model) IS 'held-out perplexity by document completion; many documents in one row';
CREATE AGGREGATE tlv_completion(bag tlv_bag, model tlv_model) (
    SFUNC = tlv_completion_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_completion(tlv_bag, tlv_model) IS 'what tlv_perplexity is made of, as a value: log-likelihood and number of the tokens of documents that were scored';
CREATE AGGREGATE tlv_completion(bags tlv_bag[], model tlv_model) (
    SFUNC = tlv_completion_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_completion(tlv_bag[], tlv_model) IS 'the same of many documents in one row';

CREATE FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag, tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag, tlv_model) IS 'transition function of tlv_coherence';
CREATE FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag, tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag, tlv_model) IS
    'inverse transition function of tlv_coherence: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_coherence(bag tlv_bag, model tlv_model) (
    SFUNC = tlv_coherence_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_coherence_accum, MINVFUNC = tlv_coherence_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_coherence(tlv_bag, tlv_model) IS 'joint document frequencies of the top items of every topic (10)';

CREATE FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag, tlv_model, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag, tlv_model, integer) IS 'transition function of tlv_coherence';
CREATE FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag, tlv_model, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag, tlv_model, integer) IS
    'inverse transition function of tlv_coherence: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_coherence(bag tlv_bag, model tlv_model, top integer) (
    SFUNC = tlv_coherence_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_coherence_accum, MINVFUNC = tlv_coherence_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_coherence(tlv_bag, tlv_model, integer) IS 'joint document frequencies of the top items of every topic (as many as given)';

CREATE FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag[], tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag[], tlv_model) IS 'transition function of tlv_coherence';
CREATE FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag[], tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_array_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag[], tlv_model) IS
    'inverse transition function of tlv_coherence: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_coherence(bags tlv_bag[], model tlv_model) (
    SFUNC = tlv_coherence_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_coherence_accum, MINVFUNC = tlv_coherence_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_coherence(tlv_bag[], tlv_model) IS 'joint document frequencies of the top items of every topic (10); many documents in one row';

CREATE FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag[], tlv_model, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_accum_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_accum(tlv_moments, tlv_bag[], tlv_model, integer) IS 'transition function of tlv_coherence';
CREATE FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag[], tlv_model, integer) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_coherence_array_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION tlv_coherence_inverse(tlv_moments, tlv_bag[], tlv_model, integer) IS
    'inverse transition function of tlv_coherence: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_coherence(bags tlv_bag[], model tlv_model, top integer) (
    SFUNC = tlv_coherence_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_coherence_accum, MINVFUNC = tlv_coherence_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_coherence(tlv_bag[], tlv_model, integer) IS
    'joint document frequencies of the top items of every topic (as many as given); many documents in one row';

CREATE FUNCTION tlv_coherence(moments tlv_moments)
    RETURNS TABLE (topic integer, npmi float8, umass float8)
    AS 'MODULE_PATHNAME', 'tlv_topic_coherence_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_coherence(tlv_moments) IS
    'returns the coherence of every topic from the counts of the aggregate of the same name: normalised pointwise mutual information (-1 .. 1) and UMass';

CREATE FUNCTION tlv_match(a tlv_model, b tlv_model)
    RETURNS TABLE (component_a integer, component_b integer, distance float8)
    AS 'MODULE_PATHNAME', 'tlv_match_models' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_match(tlv_model, tlv_model) IS
    'assigns the components of b to those of a with the smallest total distance: the L1 distance of topics (0 .. 2 each), the Euclidean distance of the means of Gaussian '
    'mixtures, or of all views of multi-view mixtures (of categories, the mean L1 distance of the views), the distance of the directions of independent components up to '
    'sign, of the states of hidden Markov models that of their emissions (L1) or means, of latent classes and mixed memberships the mean total variation (0 .. 1) of the '
    'variables that both models have, variables and categories paired by name if both have names; null if b has too few';

CREATE FUNCTION tlv_topic_model(topics integer[], items bigint[], probabilities float8[], alpha float8[]) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_topic_model(integer[], bigint[], float8[], float8[]) IS
    'makes a topic model from (topic, item, probability) rows, with topics numbered from 1, and the Dirichlet parameters';
CREATE FUNCTION tlv_topic_model(topics integer[], terms text[], probabilities float8[], alpha float8[]) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_topic_model_terms' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_topic_model(integer[], text[], float8[], float8[]) IS
    'makes a topic model from (topic, term, probability) rows and the Dirichlet parameters; the model contains the terms, and their items are tlv_term_id(term)';
CREATE FUNCTION tlv_topic_model(topics integer[], items text, probabilities float8[], alpha float8[]) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_topic_model_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_topic_model(integer[], text, float8[], float8[]) IS
    'the same of an array that a client sends without a type: of items where all of its elements are integers, otherwise of terms';
CREATE FUNCTION tlv_simulate_lda_model(items integer, k integer, alpha0 float8 DEFAULT 1, concentration float8 DEFAULT 0.1, seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_lda_model(integer, integer, float8, float8, bigint) IS 'a random topic model over items 1, 2, ...: topics from a symmetric Dirichlet, alpha = alpha0 / k each';
CREATE FUNCTION tlv_simulate_lda(model tlv_model, documents integer, length integer DEFAULT 100, seed bigint DEFAULT 1)
    RETURNS TABLE (doc bigint, bag tlv_bag, shares float8[])
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_lda(tlv_model, integer, integer, bigint) IS 'documents drawn from a topic model, with their true memberships';
