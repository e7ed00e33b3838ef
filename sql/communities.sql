-- communities.sql - mixed membership block models of graphs

CREATE FUNCTION tlv_fit_mmsb(graph tlv_graph, k integer DEFAULT NULL, alpha0 float8 DEFAULT 0, degree_corrected boolean DEFAULT NULL,
    edges text DEFAULT 'auto', sides text DEFAULT 'auto', labels tlv_bag DEFAULT NULL, refine text DEFAULT 'auto',
    method text DEFAULT 'joint', restarts integer DEFAULT NULL, steps integer DEFAULT NULL, seed bigint DEFAULT 1,
    max_k integer DEFAULT NULL, on_failure text DEFAULT 'error', options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10000000;
COMMENT ON FUNCTION tlv_fit_mmsb(tlv_graph, integer, float8, boolean, text, text, tlv_bag, text, text, integer, integer, bigint, integer, text, jsonb) IS
    'fits k communities to a graph (null: chosen, at most max_k: 1000, with alpha0 > 0 50): alpha0 is the sum of the Dirichlet parameters (0: every node has one '
    'community), method joint, power, als or sgd, refine auto, none, likelihood or em (of mixed memberships, variational), degree_corrected for nodes of very different '
    'degrees (null: by likelihood), edges auto (Poisson if weights are Poisson counts of some unit), bernoulli or poisson, sides of a directed graph: tied (a node has '
    'one community), separate (one as a source, one as a target) or auto (the more likely; with alpha0 > 0 separate), labels the known communities of nodes (item: node, '
    'weight: community)';
CREATE FUNCTION tlv_suggest_k(graph tlv_graph, max_k integer DEFAULT NULL)
    RETURNS TABLE (k integer, criterion text, score float8, standard_error float8, chosen boolean)
    AS 'MODULE_PATHNAME', 'tlv_suggest_k_moments' LANGUAGE C STABLE PARALLEL SAFE COST 10000000 ROWS 50;
COMMENT ON FUNCTION tlv_suggest_k(tlv_graph, integer) IS
    'returns the scores of the numbers of communities of a graph, by the search of tlv_fit_mmsb: the integrated likelihood of the partitions that were compared, in nats, '
    'and the significance (z value) of every direction of the adjacency matrix';
CREATE FUNCTION tlv_mmsb(query text, k integer DEFAULT NULL, alpha0 float8 DEFAULT 0, directed boolean DEFAULT false, bipartite boolean DEFAULT false,
    degree_corrected boolean DEFAULT NULL, edges text DEFAULT 'auto', sides text DEFAULT 'auto', labels text DEFAULT NULL, refine text DEFAULT 'auto', seed bigint DEFAULT 1,
    max_k integer DEFAULT NULL, errors boolean DEFAULT false, on_failure text DEFAULT 'error', more_queries text[] DEFAULT NULL,
    options jsonb DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000000;
COMMENT ON FUNCTION tlv_mmsb(text, integer, float8, boolean, boolean, boolean, text, text, text, text, bigint, integer, boolean, text, text[], jsonb) IS
    'fits communities to the edges of a query, which returns (src, dst [, weight]), nodes as integers or strings, in one call; labels is a query that returns (node, '
    'community) for nodes whose community is known; errors stores standard errors in the model (tlv_estimates), with alpha0 > 0 from 20 fits to graphs drawn from it; the '
    'other parameters are those of tlv_fit_mmsb. A query may also return (node bigint, neighbours tlv_bag), with every edge of an undirected graph in the bags of both of '
    'its ends; the weights of the bags are the weights of the edges';
CREATE FUNCTION tlv_neighbour_statistics_accum(tlv_moments, bigint, tlv_bag, tlv_model) RETURNS tlv_moments
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_neighbour_statistics_accum(tlv_moments, bigint, tlv_bag, tlv_model) IS 'transition function of tlv_statistics';
CREATE AGGREGATE tlv_statistics(node bigint, neighbours tlv_bag, model tlv_model) (
    SFUNC = tlv_neighbour_statistics_accum, STYPE = tlv_moments, SSPACE = 1000000,
    COMBINEFUNC = tlv_moments_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_statistics(bigint, tlv_bag, tlv_model) IS
    'nodes with the bags of their neighbours, one row a node, under a model of an undirected graph: the communities of every node and the edges between communities, '
    'for tlv_update(model, statistics): one step of its mean field; nodes without a row stay where they are';

CREATE FUNCTION tlv_memberships(model tlv_model, threshold float8 DEFAULT NULL)
    RETURNS TABLE (node bigint, node_name text, side text, community integer, label text, membership float8)
    AS 'MODULE_PATHNAME', 'tlv_memberships_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION tlv_memberships(tlv_model, float8) IS
    'returns the memberships of every node that are at least threshold (null: those above 0; 0: of all communities); node_name is the name of the node, or the digits of '
    'its id; side is both, or source and target for bipartite graphs and for directed graphs whose sides have different communities; a node without edges has one row '
    'with nulls, unless a threshold above 0 is given';
CREATE FUNCTION tlv_communities(model tlv_model)
    RETURNS TABLE (community integer, label text, side text, alpha float8, size float8)
    AS 'MODULE_PATHNAME', 'tlv_communities_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_communities(tlv_model) IS
    'returns the label, the Dirichlet parameter and the size (sum of memberships) of every community, by decreasing size';
CREATE FUNCTION tlv_connectivity(model tlv_model)
    RETURNS TABLE (community_a integer, community_b integer, probability float8)
    AS 'MODULE_PATHNAME', 'tlv_connectivity_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 400;
COMMENT ON FUNCTION tlv_connectivity(tlv_model) IS
    'returns the probability (Poisson: mean weight in units of the counts) of an edge from a node of community_a to a node of community_b; for a degree-corrected model, '
    'between nodes of propensity 1';
CREATE FUNCTION tlv_bridgeness(model tlv_model)
    RETURNS TABLE (node bigint, node_name text, bridgeness float8, degree_corrected float8, side text)
    AS 'MODULE_PATHNAME', 'tlv_bridgeness_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION tlv_bridgeness(tlv_model) IS
    'returns how evenly a node belongs to several communities: 1 - sqrt(k/(k-1) sum_j (membership_j - 1/k)^2), 0 for one community, 1 for equal memberships in all; '
    'degree_corrected is this value times the degree';

CREATE FUNCTION tlv_edge_probability(model tlv_model, src "any", dst "any") RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_edge_probability(tlv_model, "any", "any") IS
    'returns the probability of an edge between two nodes of the model, by their ids, from their memberships and propensities; if weights are counts (Poisson), the '
    'probability of at least one; null if a node is not in the model or has no edges';
CREATE FUNCTION tlv_edge_probability(model tlv_model, src text, dst text) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_edge_probability(tlv_model, text, text) IS
    'returns the probability of an edge between two nodes of the model, by name; null if one is not in the model';
CREATE FUNCTION tlv_edge_probability(model tlv_model, src text, dst bigint) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_edge_probability(tlv_model, text, bigint) IS
    'returns the probability of an edge between two nodes, the source by name; null if one is not in the model';
CREATE FUNCTION tlv_edge_probability(model tlv_model, src bigint, dst text) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_edge_probability(tlv_model, bigint, text) IS
    'returns the probability of an edge between two nodes, the target by name; null if one is not in the model';

CREATE FUNCTION tlv_drift(model tlv_model, graph tlv_graph, reference tlv_graph[])
    RETURNS TABLE (test text, component integer, statistic float8, p_value float8)
    AS 'MODULE_PATHNAME', 'tlv_graph_drift_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION tlv_drift(tlv_model, tlv_graph, tlv_graph[]) IS
    'tests whether the graph of a day differs from the graphs of the days of a reference, each of the same length of time: the edges between the communities of the model '
    '(scores; of each: score), and the edges of single nodes with communities (nodes). P-values are valid for any model if edges are independent given the communities; '
    'edges to nodes that are not in the model are skipped';
