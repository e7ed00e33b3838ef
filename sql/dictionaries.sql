
-- dictionaries.sql - sparse coding: rows as sums of few atoms

CREATE FUNCTION tlv_dictionary(query text, atoms integer, sparsity integer, threshold float8 DEFAULT 0.5, f float8 DEFAULT 0.35,
    refine text DEFAULT 'auto', iterations integer DEFAULT NULL, method text DEFAULT 'mod', restarts integer DEFAULT NULL,
    seed bigint DEFAULT 1, on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_dictionary_driver' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_dictionary(text, integer, integer, float8, float8, text, integer, text, integer, bigint, text, text[], jsonb) IS
    'fits atoms of length 1 such that every vector of a query is approximately a linear combination of at most sparsity atoms; vectors, an array of numbers or columns of '
    'numbers, are not centred. Initial estimates are computed on a sample, then refine mod (auto) iterates over all rows, iterations null: until the error no longer '
    'decreases; none keeps the initial estimate. method: mod (from random rows), ica (independent components: at most as many atoms as dimensions, and then better and '
    'faster), or graph (from rows whose inner products exceed the threshold, a fraction of the mean square of a coefficient, in absolute value: the rows of an atom have '
    'at least the share f of each other as common neighbours; for few atoms per row and hundreds of dimensions); restarts: initialisations, of which the best is kept (null: 3)';

CREATE FUNCTION tlv_atoms(model tlv_model)
    RETURNS TABLE (atom integer, dimension integer, dimension_name text, weight float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 500;
COMMENT ON FUNCTION tlv_atoms(tlv_model) IS
    'returns the atoms of a dictionary, by decreasing use; each has length 1, and its weight with the largest absolute value is positive';

CREATE FUNCTION tlv_encode(model tlv_model, x "any")
    RETURNS TABLE (step integer, atom integer, coefficient float8)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 5;
COMMENT ON FUNCTION tlv_encode(tlv_model, "any") IS
    'represents a vector as a linear combination of atoms of a dictionary, at most as many as its sparsity, by orthogonal matching pursuit, in the order in which they '
    'are selected; step: the number of the vector if there are several. For a network and a set of items: the units that are on (atom), and the proportions of their '
    'children of weight 1 that are on (coefficient)';

CREATE FUNCTION tlv_simulate_dictionary_model(dimensions integer, atoms integer, sparsity integer, seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_dictionary_model(integer, integer, integer, bigint) IS
    'a random dictionary: atoms of random directions; sparsity: how many of them a row has';
CREATE FUNCTION tlv_simulate_dictionary(model tlv_model, rows integer, noise float8 DEFAULT 0, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, x float8[], codes float8[])
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_dictionary(tlv_model, integer, float8, bigint) IS
    'rows made of atoms of a dictionary: as many of them as its sparsity, drawn at random, with coefficients of random sign '
    'between 1 and 2 in absolute value, and Gaussian noise of that standard deviation; codes are the true coefficients';
