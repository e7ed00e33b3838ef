-- Models applied to rows.  A row is of any type that the model takes: its type is looked at once in every call of a statement.

CREATE FUNCTION tlv_infer(model tlv_model, x "any", uncertain boolean DEFAULT false) RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_infer(tlv_model, "any", boolean) IS
    'returns the memberships or posterior probabilities of the components for a row, in the order of their numbers: topic proportions of a document, memberships of a '
    'node in communities, posterior probabilities of the components of a vector, or of the states at every step of a sequence (steps x states). For an array of rows, it '
    'returns rows x components. uncertain: the mean over models that are drawn from the sampling distribution of the estimates (errors => true, tlv_jackknife), which is '
    'less extreme if the model was fitted to few data';

CREATE FUNCTION tlv_assign(model tlv_model, x "any") RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_assign(tlv_model, "any") IS
    'returns the number, from 1, of the most probable component of a row, for which tlv_infer is largest';

CREATE FUNCTION tlv_top(model tlv_model, x "any", n integer DEFAULT 1)
    RETURNS TABLE (step integer, rank integer, component integer, label text, probability float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 1;
COMMENT ON FUNCTION tlv_top(tlv_model, "any", integer) IS
    'returns the n most probable components of a row, the most probable first; for a sequence, at every step, and for an array of rows, for every row';

CREATE FUNCTION tlv_log_likelihood(model tlv_model, x "any") RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_log_likelihood(tlv_model, "any") IS
    'returns the log-likelihood of a row under a model, in nats; for a document, or for the edges of a node to the neighbours in the bag, given its own inferred '
    'memberships. For an array of rows, it returns their sum. Views, elements and steps that are null count as missing if the model supports missing values';

CREATE FUNCTION tlv_contributions(model tlv_model, x "any")
    RETURNS TABLE (dimension integer, dimension_name text, log_likelihood float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION tlv_contributions(tlv_model, "any") IS
    'returns the contribution of each dimension to the log-likelihood of a row, which shows why a row is unusual: log p(row) - log p(row without the value), the log '
    'density or log probability of the value given the others, in nats; null if the value is null. The contributions sum to the log-likelihood of the row only if '
    'dimensions are independent';

CREATE FUNCTION tlv_viterbi(model tlv_model, x "any") RETURNS integer[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_viterbi(tlv_model, "any") IS
    'returns the most probable path of states, from 1, of a sequence of symbols or of vectors (steps x dimensions) under a hidden Markov model; symbols that do not occur '
    'in the model count as missing';

CREATE FUNCTION tlv_forecast(model tlv_model, x "any", steps integer DEFAULT 1)
    RETURNS TABLE (step integer, symbol bigint, symbol_name text, probability float8, dimension integer, mean float8, variance float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION tlv_forecast(tlv_model, "any", integer) IS
    'forecasts the next steps after a sequence under a hidden Markov model: the probability of every symbol, or the mean and the variance of every dimension; after an '
    'empty sequence, for the first steps of a sequence';

CREATE FUNCTION tlv_impute(model tlv_model, x "any") RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_impute(tlv_model, "any") IS
    'returns the row with its missing values filled in by the model: numbers by their conditional mean given the other values, categories and symbols by the most '
    'probable one';

CREATE FUNCTION tlv_unmix(model tlv_model, x "any") RETURNS float8[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_unmix(tlv_model, "any") IS
    'returns the independent components of a row, with mean 0 and variance 1 over the rows of the fit; for an array of rows, one row of results for each';

CREATE FUNCTION tlv_tree_posterior(model tlv_model, x "any")
    RETURNS TABLE (node text, state bigint, state_name text, probability float8, dimension integer, mean float8, variance float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION tlv_tree_posterior(tlv_model, "any") IS
    'returns the posterior distribution of the hidden nodes of a tree, and of the variables that are null in a row, given the other variables: the probability of every '
    'state, or the mean and the variance of every dimension';
