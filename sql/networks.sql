-- networks.sql - layered sparse networks: sets of items that are on together, and units over them

CREATE FUNCTION tlv_cofire_accum(tlv_moments, bigint[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_cofire_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_cofire_accum(tlv_moments, bigint[]) IS 'transition function of tlv_cofire(bigint[])';
CREATE FUNCTION tlv_cofire_inverse(tlv_moments, bigint[]) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_cofire_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_cofire_inverse(tlv_moments, bigint[]) IS
    'inverse transition function of tlv_cofire(bigint[]): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_cofire(active bigint[]) (
    SFUNC = tlv_cofire_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_cofire_accum, MINVFUNC = tlv_cofire_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_cofire(bigint[]) IS
    'counts in how many sets every item, every two items and every three items are; an item that occurs twice in a set counts once; '
    'sets that are null or contain a null are counted and left out; a set has at most 1,000 items';

CREATE FUNCTION tlv_cofire_accum(tlv_moments, tlv_bag) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_cofire_bag_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_cofire_accum(tlv_moments, tlv_bag) IS 'transition function of tlv_cofire(tlv_bag)';
CREATE FUNCTION tlv_cofire_inverse(tlv_moments, tlv_bag) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_cofire_bag_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_cofire_inverse(tlv_moments, tlv_bag) IS
    'inverse transition function of tlv_cofire(tlv_bag): null if the server has to aggregate the frame again';
CREATE AGGREGATE tlv_cofire(active tlv_bag) (
    SFUNC = tlv_cofire_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE,
    MSFUNC = tlv_cofire_accum, MINVFUNC = tlv_cofire_inverse, MSTYPE = tlv_moments, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_cofire(tlv_bag) IS 'the same for sets that are bags; their weights do not matter';

CREATE FUNCTION tlv_cofire_accum(tlv_moments, bigint[], tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_cofire_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_cofire_accum(tlv_moments, bigint[], tlv_model) IS 'transition function of tlv_cofire(bigint[], tlv_model)';
CREATE AGGREGATE tlv_cofire(active bigint[], model tlv_model) (
    SFUNC = tlv_cofire_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_cofire(bigint[], tlv_model) IS
    'the same for the units of a network''s topmost layer that are on for a set of items: the next layer is fitted to these counts';

CREATE FUNCTION tlv_cofire_accum(tlv_moments, tlv_bag, tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME', 'tlv_cofire_bag_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_cofire_accum(tlv_moments, tlv_bag, tlv_model) IS 'transition function of tlv_cofire(tlv_bag, tlv_model)';
CREATE AGGREGATE tlv_cofire(active tlv_bag, model tlv_model) (
    SFUNC = tlv_cofire_accum, STYPE = tlv_moments, SSPACE = 100000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_cofire(tlv_bag, tlv_model) IS
    'the same for the units of a network''s topmost layer that are on for a bag: the next layer is fitted to these counts';

CREATE FUNCTION tlv_fit_network(moments tlv_moments, threshold float8 DEFAULT NULL, model tlv_model DEFAULT NULL, seed bigint DEFAULT 1,
    on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_fit_network(tlv_moments, float8, tlv_model, bigint, text, jsonb) IS
    'a network of one layer from tlv_cofire(x): units are sets of items of which any three are on together in more than threshold of the rows (null: more often than '
    'pairs of them explain); with a model, from tlv_cofire(x, model), a layer above those that it has. Edges of weight -1 come from tlv_update with tlv_statistics';

CREATE FUNCTION tlv_network(query text, layers integer DEFAULT 1, threshold float8 DEFAULT NULL, refine text DEFAULT 'auto',
    iterations integer DEFAULT NULL, seed bigint DEFAULT 1, on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME', 'tlv_network_driver' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_network(text, integer, float8, text, integer, bigint, text, text[], jsonb) IS
    'fits hidden units that switch sets of items on, from a query that returns (set, item) or arrays of items: an item is on if more of the active units switch it on '
    'than off. Units are identified by triples of items that are on together in more than threshold of the rows (null: more often than their pairs explain), and so are '
    'the layers above, in the order of decreasing frequency; refine em (auto) corrects their edges and finds those of weight -1, iterations scans for each layer (null: '
    'until the edges do not change)';

CREATE FUNCTION tlv_edges(model tlv_model)
    RETURNS TABLE (layer integer, unit integer, child bigint, child_name text, weight integer, share float8)
    AS 'MODULE_PATHNAME', 'tlv_network_edges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 2000;
COMMENT ON FUNCTION tlv_edges(tlv_model) IS
    'the edges of a network: in the first layer a child is an item, above it a unit of the layer below; weight 1: the unit switches the child on, -1: off; '
    'share: how many of the rows that could show the edge do';

CREATE FUNCTION tlv_decode(model tlv_model, units bigint[])
    RETURNS TABLE (item bigint, item_name text)
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 50;
COMMENT ON FUNCTION tlv_decode(tlv_model, bigint[]) IS
    'the items that are on when exactly these units of one layer of a network are on; units have the numbers of tlv_components';

CREATE FUNCTION tlv_simulate_network_model(items integer, units integer[], children float8, density float8 DEFAULT 0.02, negative float8 DEFAULT 0.5,
    seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION tlv_simulate_network_model(integer, integer[], float8, float8, float8, bigint) IS
    'a random network; units: how many there are in every layer, the lowest first; children: of a unit on average, of which the share negative has weight -1; density: '
    'the share of rows in which a unit of the topmost layer is on';
CREATE FUNCTION tlv_simulate_network(model tlv_model, rows integer, flips float8 DEFAULT 0, seed bigint DEFAULT 1)
    RETURNS TABLE (id bigint, active bigint[], units bigint[])
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION tlv_simulate_network(tlv_model, integer, float8, bigint) IS
    'rows drawn from a network: the items that are on, each flipped with probability flips, and all units that are on';
