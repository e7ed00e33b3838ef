-- graphs.sql - collecting edges into a tlv_graph, reading and merging graphs

CREATE FUNCTION tlv_graph_combine(tlv_graph, tlv_graph) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_moments_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_graph_combine(tlv_graph, tlv_graph) IS 'combine function of every aggregate over tlv_graph';
CREATE FUNCTION tlv_graph_add(tlv_graph, tlv_graph) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_moments_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_graph_add(tlv_graph, tlv_graph) IS 'implementation of the + operator: the edges of both graphs, weights of equal ones added up';
CREATE OPERATOR + (
    LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_add, COMMUTATOR = +
);
COMMENT ON OPERATOR + (tlv_graph, tlv_graph) IS 'the edges of both graphs, weights of equal ones added up';
CREATE AGGREGATE tlv_rollup(graph tlv_graph) (
    SFUNC = tlv_graph_combine, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_rollup(tlv_graph) IS 'merges stored graphs of one kind: weights of equal edges add up';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint) IS 'transition function of tlv_graph(bigint, bigint)';
CREATE AGGREGATE tlv_graph(src bigint, dst bigint) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(bigint, bigint) IS
    'edges, one per row: an undirected graph; the weight of an edge is the number of its rows, in either direction; self-loops and rows with a '
    'NULL are counted and left out';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, float8) IS 'transition function of tlv_graph(bigint, bigint, float8)';
CREATE AGGREGATE tlv_graph(src bigint, dst bigint, weight float8) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(bigint, bigint, float8) IS 'edges with weights > 0: an undirected graph; weights of equal edges add up';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_accum_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, text) IS 'transition function of tlv_graph(bigint, bigint, text)';
CREATE AGGREGATE tlv_graph(src bigint, dst bigint, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(bigint, bigint, text) IS 'edges: a graph of the given kind, a constant: undirected, directed, or bipartite, whose sources and targets have ids of their own';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, float8, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_accum_weight_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, float8, text) IS 'transition function of tlv_graph(bigint, bigint, float8, text)';
CREATE AGGREGATE tlv_graph(src bigint, dst bigint, weight float8, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(bigint, bigint, float8, text) IS 'edges with weights > 0: a graph of the given kind, a constant: undirected, directed or bipartite';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, text) IS 'transition function of tlv_graph(text, text)';
CREATE AGGREGATE tlv_graph(src text, dst text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(text, text) IS
    'edges, one per row, between nodes that are told by name: their ids are tlv_term_id(name), and the graph keeps the names; undirected';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_accum_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, text, text) IS 'transition function of tlv_graph(text, text, text)';
CREATE AGGREGATE tlv_graph(src text, dst text, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(text, text, text) IS
    'edges, one per row, between nodes that are told by name: their ids are tlv_term_id(name), and the graph keeps the names; kind is a constant: undirected, directed or bipartite';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, text, float8) IS 'transition function of tlv_graph(text, text, float8)';
CREATE AGGREGATE tlv_graph(src text, dst text, weight float8) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(text, text, float8) IS
    'edges with weights > 0 between nodes that are told by name: their ids are tlv_term_id(name), and the graph keeps the names; undirected';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, text, float8, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_accum_weight_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, text, float8, text) IS 'transition function of tlv_graph(text, text, float8, text)';
CREATE AGGREGATE tlv_graph(src text, dst text, weight float8, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(text, text, float8, text) IS
    'edges with weights > 0 between nodes that are told by name: their ids are tlv_term_id(name), and the graph keeps the names; kind is a constant: undirected, directed or bipartite';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, bigint, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_source_accum_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, bigint, text) IS 'transition function of tlv_graph(text, bigint, text)';
CREATE AGGREGATE tlv_graph(src text, dst bigint, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(text, bigint, text) IS
    'edges of which the source is told by name, the other end by number, of a graph of the given kind, a constant, usually bipartite';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, bigint, float8, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_source_accum_weight_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, bigint, float8, text) IS 'transition function of tlv_graph(text, bigint, float8, text)';
CREATE AGGREGATE tlv_graph(src text, dst bigint, weight float8, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(text, bigint, float8, text) IS
    'edges of which the source is told by name, the other end by number, of a graph of the given kind, a constant, usually bipartite';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_target_accum_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, text, text) IS 'transition function of tlv_graph(bigint, text, text)';
CREATE AGGREGATE tlv_graph(src bigint, dst text, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(bigint, text, text) IS
    'edges of which the target is told by name, the other end by number, of a graph of the given kind, a constant, usually bipartite';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, text, float8, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_target_accum_weight_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, text, float8, text) IS 'transition function of tlv_graph(bigint, text, float8, text)';
CREATE AGGREGATE tlv_graph(src bigint, dst text, weight float8, kind text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_graph(bigint, text, float8, text) IS
    'edges of which the target is told by name, the other end by number, of a graph of the given kind, a constant, usually bipartite';

CREATE FUNCTION tlv_edges(graph tlv_graph)
    RETURNS TABLE (src bigint, src_name text, dst bigint, dst_name text, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_edges_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 100000;
COMMENT ON FUNCTION tlv_edges(tlv_graph) IS 'distinct edges of a graph with their weights, by source and target; of an undirected graph every pair once, the lesser id first; names are '
    'those of the nodes, or their digits';
CREATE FUNCTION tlv_degrees(graph tlv_graph)
    RETURNS TABLE (node bigint, node_name text, side text, degree bigint, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_degrees_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10000;
COMMENT ON FUNCTION tlv_degrees(tlv_graph) IS
    'for every node the number of its distinct neighbours and the weight of its edges, without self-loops; side is both in undirected graphs, '
    'else source and target';
CREATE FUNCTION tlv_neighbours(graph tlv_graph)
    RETURNS TABLE (node bigint, node_name text, side text, neighbours tlv_bag)
    AS 'MODULE_PATHNAME', 'tlv_neighbours_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10000;
COMMENT ON FUNCTION tlv_neighbours(tlv_graph) IS
    'for every node the bag of its neighbours, with the weights of the edges; side is both in undirected graphs, else source (the neighbours are '
    'its targets) and target (its sources)';
CREATE FUNCTION tlv_graph_components(graph tlv_graph)
    RETURNS TABLE (node bigint, node_name text, side text, component integer)
    AS 'MODULE_PATHNAME', 'tlv_graph_components_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10000;
COMMENT ON FUNCTION tlv_graph_components(tlv_graph) IS 'the connected component of every node, edges taken both ways; components are numbered from 1 by decreasing number of nodes';
