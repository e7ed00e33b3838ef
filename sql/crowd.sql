-- crowd.sql - answers of many workers about the same items

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, bigint, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_0' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, bigint, bigint) IS 'transition function of tlv_crowd_answers(bigint, bigint, bigint)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, bigint, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_0' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, bigint, bigint) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item bigint, worker bigint, answer bigint) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(bigint, bigint, bigint) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, text, bigint, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_1' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, text, bigint, bigint) IS 'transition function of tlv_crowd_answers(text, bigint, bigint)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, bigint, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_1' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, bigint, bigint) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item text, worker bigint, answer bigint) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(text, bigint, bigint) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, text, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_2' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, text, bigint) IS 'transition function of tlv_crowd_answers(bigint, text, bigint)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, text, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_2' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, text, bigint) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item bigint, worker text, answer bigint) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(bigint, text, bigint) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, text, text, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_3' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, text, text, bigint) IS 'transition function of tlv_crowd_answers(text, text, bigint)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, text, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_3' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, text, bigint) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item text, worker text, answer bigint) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(text, text, bigint) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, bigint, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_4' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, bigint, text) IS 'transition function of tlv_crowd_answers(bigint, bigint, text)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, bigint, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_4' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, bigint, text) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item bigint, worker bigint, answer text) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(bigint, bigint, text) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, text, bigint, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_5' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, text, bigint, text) IS 'transition function of tlv_crowd_answers(text, bigint, text)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, bigint, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_5' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, bigint, text) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item text, worker bigint, answer text) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(text, bigint, text) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, text, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_6' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, bigint, text, text) IS 'transition function of tlv_crowd_answers(bigint, text, text)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, text, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_6' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, bigint, text, text) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item bigint, worker text, answer text) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(bigint, text, text) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_crowd_answers_accum(tlv_moments, text, text, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_accum_7' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_accum(tlv_moments, text, text, text) IS 'transition function of tlv_crowd_answers(text, text, text)';
CREATE FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, text, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_crowd_answers_inverse_7' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_crowd_answers_inverse(tlv_moments, text, text, text) IS
    'inverse transition function of tlv_crowd_answers: null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item text, worker text, answer text) (
    SFUNC = tlv_crowd_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_crowd_answers_accum, MINVFUNC = tlv_crowd_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(text, text, text) IS
    'collects the answers of workers about items, one per row, for tlv_fit_crowd; values of several days can be merged; rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_gold_answers_accum(tlv_moments, bigint, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_accum_0' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_accum(tlv_moments, bigint, bigint) IS 'transition function of tlv_crowd_answers(bigint, bigint)';
CREATE FUNCTION tlv_gold_answers_inverse(tlv_moments, bigint, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_inverse_0' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_inverse(tlv_moments, bigint, bigint) IS
    'inverse transition function of tlv_crowd_answers(item, answer): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item bigint, answer bigint) (
    SFUNC = tlv_gold_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_gold_answers_accum, MINVFUNC = tlv_gold_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(bigint, bigint) IS
    'collects items whose answer is known, to be added to the answers of workers: tlv_crowd_answers(item, worker, answer) + tlv_crowd_answers(item, answer); rows with a '
    'NULL are skipped and counted';

CREATE FUNCTION tlv_gold_answers_accum(tlv_moments, text, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_accum_1' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_accum(tlv_moments, text, bigint) IS 'transition function of tlv_crowd_answers(text, bigint)';
CREATE FUNCTION tlv_gold_answers_inverse(tlv_moments, text, bigint) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_inverse_1' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_inverse(tlv_moments, text, bigint) IS
    'inverse transition function of tlv_crowd_answers(item, answer): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item text, answer bigint) (
    SFUNC = tlv_gold_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_gold_answers_accum, MINVFUNC = tlv_gold_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(text, bigint) IS
    'collects items whose answer is known, to be added to the answers of workers: tlv_crowd_answers(item, worker, answer) + tlv_crowd_answers(item, answer); rows with a '
    'NULL are skipped and counted';

CREATE FUNCTION tlv_gold_answers_accum(tlv_moments, bigint, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_accum_4' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_accum(tlv_moments, bigint, text) IS 'transition function of tlv_crowd_answers(bigint, text)';
CREATE FUNCTION tlv_gold_answers_inverse(tlv_moments, bigint, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_inverse_4' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_inverse(tlv_moments, bigint, text) IS
    'inverse transition function of tlv_crowd_answers(item, answer): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item bigint, answer text) (
    SFUNC = tlv_gold_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_gold_answers_accum, MINVFUNC = tlv_gold_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(bigint, text) IS
    'collects items whose answer is known, to be added to the answers of workers: tlv_crowd_answers(item, worker, answer) + tlv_crowd_answers(item, answer); rows with a '
    'NULL are skipped and counted';

CREATE FUNCTION tlv_gold_answers_accum(tlv_moments, text, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_accum_5' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_accum(tlv_moments, text, text) IS 'transition function of tlv_crowd_answers(text, text)';
CREATE FUNCTION tlv_gold_answers_inverse(tlv_moments, text, text) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_gold_answers_inverse_5' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_gold_answers_inverse(tlv_moments, text, text) IS
    'inverse transition function of tlv_crowd_answers(item, answer): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_crowd_answers(item text, answer text) (
    SFUNC = tlv_gold_answers_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_gold_answers_accum, MINVFUNC = tlv_gold_answers_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_crowd_answers(text, text) IS
    'collects items whose answer is known, to be added to the answers of workers: tlv_crowd_answers(item, worker, answer) + tlv_crowd_answers(item, answer); rows with a '
    'NULL are skipped and counted';

CREATE FUNCTION tlv_fit_crowd(moments tlv_moments, shrink float8 DEFAULT 1, start text DEFAULT 'auto', copies text DEFAULT 'auto', refine text DEFAULT 'auto',
    iterations integer DEFAULT NULL, restarts integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error',
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_crowd(tlv_moments, float8, text, text, text, integer, integer, bigint, text, jsonb) IS
    'estimates the true answer to every item and the reliability of every worker, from tlv_crowd_answers. shrink is the strength of the priors of the workers'' '
    'confusions; the initial estimate start is majority, moments (third moments of three groups of workers) or auto, the one with the higher likelihood, refined by '
    'expectation maximisation (refine auto or em) or not (none). Groups of workers who copy each other count as one worker (copies auto) or are not searched for (ignore)';
CREATE FUNCTION tlv_crowd(query text, gold text DEFAULT NULL, shrink float8 DEFAULT 1, start text DEFAULT 'auto', copies text DEFAULT 'auto', refine text DEFAULT 'auto',
    iterations integer DEFAULT NULL, restarts integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error',
    more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_crowd(text, text, float8, text, text, text, integer, integer, bigint, text, text[], jsonb) IS
    'estimates the true answer to every item and the reliability of every worker, in one call, from a query that returns (item, worker, answer), integers or strings; '
    'gold is a query that returns (item, answer) for items whose answer is known, and the other parameters are those of tlv_fit_crowd';

CREATE FUNCTION tlv_consensus(model tlv_model)
    RETURNS TABLE (item bigint, item_name text, answer bigint, answer_name text, probability float8, answers bigint, known boolean)
    AS 'MODULE_PATHNAME', 'tlv_consensus_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 5000;
COMMENT ON FUNCTION tlv_consensus(tlv_model) IS
    'returns the most probable answer to every item with its probability, the number of answers that were given, and whether the answer was known';
CREATE FUNCTION tlv_workers(model tlv_model)
    RETURNS TABLE (worker bigint, worker_name text, accuracy float8, standard_error float8, answers bigint, copies bigint)
    AS 'MODULE_PATHNAME', 'tlv_workers_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION tlv_workers(tlv_model) IS
    'returns the proportion of correct answers of every worker, shrunk towards that of all workers, with its standard error, the number of answers, and the group of '
    'copying workers to which the worker belongs, null if there is none';
CREATE FUNCTION tlv_confusions(model tlv_model)
    RETURNS TABLE (worker bigint, worker_name text, true_answer bigint, true_answer_name text, given_answer bigint, given_answer_name text,
        probability float8, standard_error float8)
    AS 'MODULE_PATHNAME', 'tlv_confusions_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10000;
COMMENT ON FUNCTION tlv_confusions(tlv_model) IS
    'returns the probability of every given answer, for every worker and every true answer, with its standard error';

CREATE FUNCTION tlv_simulate_crowd(items integer, workers integer, k integer DEFAULT 2, share float8 DEFAULT 0.2, low float8 DEFAULT 0,
    high float8 DEFAULT 0.6, adversarial float8 DEFAULT 0, seed bigint DEFAULT 1)
    RETURNS TABLE (item bigint, worker bigint, answer bigint, true_answer bigint)
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION tlv_simulate_crowd(integer, integer, integer, float8, float8, float8, float8, bigint) IS
    'simulated answers of workers, each to a share of the items, with k answers to choose from: workers know the true answer with a probability between low and high, and otherwise follow '
    'habits of their own; a share adversarial of the workers gives answers in another order';
