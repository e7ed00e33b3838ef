-- Models applied to rows.  A row is of any type that the model takes: its type is looked at once in every call of a statement.

CREATE FUNCTION tlv_infer(model tlv_model, x "any", uncertain boolean DEFAULT false) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_infer(tlv_model, "any", boolean) IS
    'the shares of the components in a row, in the order of their numbers: memberships of a document in topics or of a node in communities, posteriors of the components of a vector, of the '
    'states at every step of a sequence (steps x states). Of an array of rows, rows x components. uncertain: the mean over models that '
    'are drawn from the errors that the model keeps (errors => true, tlv_jackknife), less certain where few data told the model';

CREATE FUNCTION tlv_assign(model tlv_model, x "any") RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_assign(tlv_model, "any") IS 'the number, from 1, of the component that a row most probably belongs to, where tlv_infer is largest';

CREATE FUNCTION tlv_top(model tlv_model, x "any", n integer DEFAULT 1)
    RETURNS TABLE (step integer, rank integer, component integer, label text, probability float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 1;
COMMENT ON FUNCTION tlv_top(tlv_model, "any", integer) IS
    'the n components that a row most probably belongs to, the most probable first; for a sequence at every step, for an array of rows for every row';

CREATE FUNCTION tlv_log_likelihood(model tlv_model, x "any") RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_log_likelihood(tlv_model, "any") IS
    'log-likelihood of a row under a model, in nats; of a document, or of the edges of a node to the neighbours in the bag, given its own inferred memberships. Of an array of rows, of all of '
    'them together. Views, elements and steps that are null count as unknown where the model can do without them';

CREATE FUNCTION tlv_contributions(model tlv_model, x "any")
    RETURNS TABLE (dimension integer, dimension_name text, log_likelihood float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION tlv_contributions(tlv_model, "any") IS
    'what is unusual about a row: for each of its dimensions log p(row) - log p(row without the value), the log density or log probability of the value given the others, in nats; null where '
    'the value is null. They sum to the log-likelihood of the row only where dimensions are independent';

CREATE FUNCTION tlv_viterbi(model tlv_model, x "any") RETURNS integer[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_viterbi(tlv_model, "any") IS
    'the most probable states, from 1, of a sequence of symbols or of vectors (steps x dimensions) under a hidden Markov model; symbols that it does not know count as missing';

CREATE FUNCTION tlv_forecast(model tlv_model, x "any", steps integer DEFAULT 1)
    RETURNS TABLE (step integer, symbol bigint, symbol_name text, probability float8, dimension integer, mean float8, variance float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION tlv_forecast(tlv_model, "any", integer) IS
    'the next steps after a sequence under a hidden Markov model: the probability of every symbol, or mean and variance of every dimension; after an empty sequence, how '
    'sequences begin';

CREATE FUNCTION tlv_impute(model tlv_model, x "any") RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_impute(tlv_model, "any") IS
    'the row with what is null in it filled in by the model: numbers by their mean given the others, categories and symbols by the most probable one';

CREATE FUNCTION tlv_unmix(model tlv_model, x "any") RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_unmix(tlv_model, "any") IS
    'the independent components of a row, with mean 0 and variance 1 over the rows of the fit; of an array of rows, one row of results for each';

CREATE FUNCTION tlv_tree_posterior(model tlv_model, x "any")
    RETURNS TABLE (node text, state bigint, state_name text, probability float8, dimension integer, mean float8, variance float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION tlv_tree_posterior(tlv_model, "any") IS
    'the hidden nodes of a tree and the variables that are null in a row, given the others: the probability of every state, or the mean and variance of every dimension';
