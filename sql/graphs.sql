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
CREATE FUNCTION tlv_graph_subtract(tlv_graph, tlv_graph) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_moments_subtract' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_graph_subtract(tlv_graph, tlv_graph) IS 'implementation of the - operator: the first graph without the edges of the second';
CREATE OPERATOR - (LEFTARG = tlv_graph, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_subtract);
COMMENT ON OPERATOR - (tlv_graph, tlv_graph) IS
    'the first graph without the edges of the second, which it has to contain; nodes without edges are removed unless there are self-loops';
CREATE FUNCTION tlv_graph_scale(float8, tlv_graph) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_moments_scale' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_graph_scale(float8, tlv_graph) IS 'implementation of the * operator: every weight multiplied by the factor';
CREATE OPERATOR * (LEFTARG = float8, RIGHTARG = tlv_graph, FUNCTION = tlv_graph_scale);
COMMENT ON OPERATOR * (float8, tlv_graph) IS 'every weight multiplied by the factor: old edges fade with a factor below 1';
CREATE FUNCTION tlv_graph_inverse(tlv_graph, tlv_graph) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_moments_inverse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tlv_graph_inverse(tlv_graph, tlv_graph) IS
    'inverse transition function of tlv_rollup: null if weights are not integers, or there are self-loops';
CREATE AGGREGATE tlv_rollup(graph tlv_graph) (
    SFUNC = tlv_graph_combine, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_graph_combine, MINVFUNC = tlv_graph_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_rollup(tlv_graph) IS
    'merges stored graphs of one kind; weights of equal edges are added up';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint) IS 'transition function of tlv_graph_agg(bigint, bigint)';
CREATE FUNCTION tlv_graph_accum_inverse(tlv_graph, bigint, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum_inverse(tlv_graph, bigint, bigint) IS
    'inverse transition function of tlv_graph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_graph_agg(src bigint, dst bigint) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_graph_accum, MINVFUNC = tlv_graph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_graph_agg(bigint, bigint) IS
    'collects edges, one per row, in an undirected graph; the weight of an edge is the number of its rows, in either direction; self-loops and rows with a NULL are '
    'skipped and counted';

CREATE FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, bigint, bigint, float8) IS 'transition function of tlv_graph_agg(bigint, bigint, float8)';
CREATE FUNCTION tlv_graph_accum_inverse(tlv_graph, bigint, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_graph_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_graph_accum_inverse(tlv_graph, bigint, bigint, float8) IS
    'inverse transition function of tlv_graph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_graph_agg(src bigint, dst bigint, weight float8) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_graph_accum, MINVFUNC = tlv_graph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_graph_agg(bigint, bigint, float8) IS
    'collects weighted edges in an undirected graph; an edge with weight 0 is omitted, and weights of equal edges are added up';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, text) IS 'transition function of tlv_graph_agg(text, text)';
CREATE FUNCTION tlv_graph_accum_inverse(tlv_graph, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum_inverse(tlv_graph, text, text) IS
    'inverse transition function of tlv_graph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_graph_agg(src text, dst text) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_graph_accum, MINVFUNC = tlv_graph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_graph_agg(text, text) IS
    'edges, one per row, between nodes that are identified by name: their ids are tlv_term_id(name), and the graph keeps the names; an undirected graph';

CREATE FUNCTION tlv_graph_accum(tlv_graph, text, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum(tlv_graph, text, text, float8) IS 'transition function of tlv_graph_agg(text, text, float8)';
CREATE FUNCTION tlv_graph_accum_inverse(tlv_graph, text, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_graph_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_graph_accum_inverse(tlv_graph, text, text, float8) IS
    'inverse transition function of tlv_graph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_graph_agg(src text, dst text, weight float8) (
    SFUNC = tlv_graph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_graph_accum, MINVFUNC = tlv_graph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_graph_agg(text, text, float8) IS
    'weighted edges, where a weight of 0 is no edge, between nodes that are identified by name: their ids are tlv_term_id(name), and the graph keeps the names; an undirected graph';

CREATE FUNCTION tlv_digraph_accum(tlv_graph, bigint, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_digraph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_digraph_accum(tlv_graph, bigint, bigint) IS 'transition function of tlv_digraph_agg(bigint, bigint)';
CREATE FUNCTION tlv_digraph_accum_inverse(tlv_graph, bigint, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_digraph_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_digraph_accum_inverse(tlv_graph, bigint, bigint) IS
    'inverse transition function of tlv_digraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_digraph_agg(src bigint, dst bigint) (
    SFUNC = tlv_digraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_digraph_accum, MINVFUNC = tlv_digraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_digraph_agg(bigint, bigint) IS
    'collects edges, one per row, in a directed graph; the weight of an edge is the number of its rows; self-loops and rows with a NULL are skipped and counted';

CREATE FUNCTION tlv_digraph_accum(tlv_graph, bigint, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_digraph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_digraph_accum(tlv_graph, bigint, bigint, float8) IS 'transition function of tlv_digraph_agg(bigint, bigint, float8)';
CREATE FUNCTION tlv_digraph_accum_inverse(tlv_graph, bigint, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_digraph_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_digraph_accum_inverse(tlv_graph, bigint, bigint, float8) IS
    'inverse transition function of tlv_digraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_digraph_agg(src bigint, dst bigint, weight float8) (
    SFUNC = tlv_digraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_digraph_accum, MINVFUNC = tlv_digraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_digraph_agg(bigint, bigint, float8) IS
    'collects weighted edges in a directed graph; an edge with weight 0 is omitted, and weights of equal edges are added up';

CREATE FUNCTION tlv_digraph_accum(tlv_graph, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_digraph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_digraph_accum(tlv_graph, text, text) IS 'transition function of tlv_digraph_agg(text, text)';
CREATE FUNCTION tlv_digraph_accum_inverse(tlv_graph, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_digraph_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_digraph_accum_inverse(tlv_graph, text, text) IS
    'inverse transition function of tlv_digraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_digraph_agg(src text, dst text) (
    SFUNC = tlv_digraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_digraph_accum, MINVFUNC = tlv_digraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_digraph_agg(text, text) IS
    'edges, one per row, between nodes that are identified by name: their ids are tlv_term_id(name), and the graph keeps the names; a directed graph';

CREATE FUNCTION tlv_digraph_accum(tlv_graph, text, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_digraph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_digraph_accum(tlv_graph, text, text, float8) IS 'transition function of tlv_digraph_agg(text, text, float8)';
CREATE FUNCTION tlv_digraph_accum_inverse(tlv_graph, text, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_digraph_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_digraph_accum_inverse(tlv_graph, text, text, float8) IS
    'inverse transition function of tlv_digraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_digraph_agg(src text, dst text, weight float8) (
    SFUNC = tlv_digraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_digraph_accum, MINVFUNC = tlv_digraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_digraph_agg(text, text, float8) IS
    'weighted edges, where a weight of 0 is no edge, between nodes that are identified by name: their ids are tlv_term_id(name), and the graph keeps the names; a directed graph';

CREATE FUNCTION tlv_digraph_accum(tlv_graph, bigint, tlv_bag) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_digraph_accum_neighbours' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_digraph_accum(tlv_graph, bigint, tlv_bag) IS 'transition function of tlv_digraph_agg(bigint, tlv_bag)';
CREATE AGGREGATE tlv_digraph_agg(node bigint, neighbours tlv_bag) (
    SFUNC = tlv_digraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_digraph_agg(bigint, tlv_bag) IS
    'edges, one row per node: a weighted directed graph of the edges from the node to each item of its bag; weights of equal edges add up';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, bigint, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_bigraph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, bigint, bigint) IS 'transition function of tlv_bigraph_agg(bigint, bigint)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_bigraph_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, bigint) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src bigint, dst bigint) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(bigint, bigint) IS
    'collects edges, one per row, in a bipartite graph, whose sources and targets have separate ids; the weight of an edge is the number of its rows; rows with a NULL '
    'are skipped and counted';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, bigint, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_bigraph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, bigint, bigint, float8) IS 'transition function of tlv_bigraph_agg(bigint, bigint, float8)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_bigraph_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, bigint, float8) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src bigint, dst bigint, weight float8) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(bigint, bigint, float8) IS
    'collects weighted edges in a bipartite graph, whose sources and targets have separate ids; an edge with weight 0 is omitted, and weights of equal edges are added up';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, bigint, tlv_bag) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_bigraph_accum_neighbours' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, bigint, tlv_bag) IS 'transition function of tlv_bigraph_agg(bigint, tlv_bag)';
CREATE AGGREGATE tlv_bigraph_agg(node bigint, neighbours tlv_bag) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tlv_bigraph_agg(bigint, tlv_bag) IS
    'edges, one row per source: a weighted bipartite graph of the edges from the source to each item of its bag; weights of equal edges add up';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_bigraph_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, text, text) IS 'transition function of tlv_bigraph_agg(text, text)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_bigraph_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, text) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src text, dst text) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(text, text) IS
    'edges, one per row, between nodes that are identified by name: their ids are tlv_term_id(name), and the graph keeps the names; a bipartite graph';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, text, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_bigraph_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, text, text, float8) IS 'transition function of tlv_bigraph_agg(text, text, float8)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_bigraph_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, text, float8) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src text, dst text, weight float8) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(text, text, float8) IS
    'weighted edges, where a weight of 0 is no edge, between nodes that are identified by name: their ids are tlv_term_id(name), and the graph keeps the names; a bipartite graph';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, text, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_source_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, text, bigint) IS 'transition function of tlv_bigraph_agg(text, bigint)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, bigint) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_source_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, bigint) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src text, dst bigint) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(text, bigint) IS
    'edges, one per row, of which the source is identified by name, the other end by number: a bipartite graph';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, text, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_source_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, text, bigint, float8) IS 'transition function of tlv_bigraph_agg(text, bigint, float8)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, bigint, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_source_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, text, bigint, float8) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src text, dst bigint, weight float8) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(text, bigint, float8) IS
    'weighted edges, where a weight of 0 is no edge and the source is identified by name, the other end by number: a bipartite graph';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, bigint, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_target_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, bigint, text) IS 'transition function of tlv_bigraph_agg(bigint, text)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, text) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_target_accum_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, text) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src bigint, dst text) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(bigint, text) IS
    'edges, one per row, of which the target is identified by name, the other end by number: a bipartite graph';

CREATE FUNCTION tlv_bigraph_accum(tlv_graph, bigint, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_target_accum_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum(tlv_graph, bigint, text, float8) IS 'transition function of tlv_bigraph_agg(bigint, text, float8)';
CREATE FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, text, float8) RETURNS tlv_graph
    AS 'MODULE_PATHNAME', 'tlv_named_target_weight_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION tlv_bigraph_accum_inverse(tlv_graph, bigint, text, float8) IS
    'inverse transition function of tlv_bigraph_agg: null if the sums are not exact';
CREATE AGGREGATE tlv_bigraph_agg(src bigint, dst text, weight float8) (
    SFUNC = tlv_bigraph_accum, STYPE = tlv_graph, SSPACE = 100000,
    COMBINEFUNC = tlv_graph_combine, PARALLEL = SAFE,
    MSFUNC = tlv_bigraph_accum, MINVFUNC = tlv_bigraph_accum_inverse, MSTYPE = tlv_graph, MSSPACE = 100000
);
COMMENT ON AGGREGATE tlv_bigraph_agg(bigint, text, float8) IS
    'weighted edges, where a weight of 0 is no edge and the target is identified by name, the other end by number: a bipartite graph';

CREATE FUNCTION tlv_edges(graph tlv_graph)
    RETURNS TABLE (src bigint, src_name text, dst bigint, dst_name text, weight float8)
    AS 'MODULE_PATHNAME', 'tlv_edges_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 100000;
COMMENT ON FUNCTION tlv_edges(tlv_graph) IS
    'returns the distinct edges of a graph with their weights, by source and target; for an undirected graph, every pair once, with the smaller id first; names are those '
    'of the nodes, or their digits';
