-- simulate_communities.sql - true mixed membership block models and graphs drawn from them

CREATE FUNCTION tlv_simulate_mmsb_model(nodes integer, k integer, alpha0 float8 DEFAULT 0, within float8 DEFAULT 0.1,
    across float8 DEFAULT 0.01, kind text DEFAULT 'undirected', targets integer DEFAULT NULL, degree_exponent float8 DEFAULT NULL,
    poisson boolean DEFAULT false, seed bigint DEFAULT 1) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION tlv_simulate_mmsb_model(integer, integer, float8, float8, float8, text, integer, float8, boolean, bigint) IS
    'a random block model of nodes 1, 2, ...: k communities, memberships Dirichlet(alpha0 / k each) or, alpha0 = 0, one community a node; edges '
    'have probability (poisson: mean) within in a community and across between two, times the propensities of both nodes when degree_exponent, '
    'above 2, is given; kind undirected, directed or bipartite (with targets 1, 2, ... of their own)';
CREATE FUNCTION tlv_simulate_mmsb(model tlv_model, seed bigint DEFAULT 1)
    RETURNS TABLE (src bigint, dst bigint, weight float8)
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION tlv_simulate_mmsb(tlv_model, bigint) IS 'edges of a graph drawn from a block model, true or fitted, undirected ones once; probabilities are capped at 1, there are no self-loops';
