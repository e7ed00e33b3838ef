-- Communities: every phase of what takes long.
CREATE TABLE edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(20000, 50, within => 0.025, across => 0.0005));
CREATE TABLE held AS SELECT tlv_graph_agg(src, dst) AS g, tlv_digraph_agg(src, dst) AS d, NULL::tlv_model AS m, tlv_simulate_mmsb_model(200000, 30, alpha0 => 2) AS large FROM edges;
UPDATE held SET m = tlv_fit_mmsb(g, 2, refine => 'none');
CREATE TABLE labels AS SELECT node, community % 40 + 1 AS community FROM held, tlv_memberships(large, 0.3) WHERE node <= 2000;

-- phase: loading
SELECT count(tlv_fit_mmsb(g, 1, seed => i)) FROM held, generate_series(1, 1000) i;

-- phase: choosing k
SELECT count(tlv_fit_mmsb(g, max_k => 300, seed => i)) FROM held, generate_series(1, 50) i;

-- phase: moments, plain
SELECT count(tlv_fit_mmsb(g, 150, alpha0 => 1, refine => 'none', seed => i)) FROM held, generate_series(1, 50) i;

-- phase: moments, normalised
SELECT count(tlv_fit_mmsb(g, 150, degree_corrected => true, refine => 'none', seed => i)) FROM held, generate_series(1, 50) i;

-- phase: moments, directed
SELECT count(tlv_fit_mmsb(d, 150, alpha0 => 1, refine => 'none', seed => i)) FROM held, generate_series(1, 50) i;


-- phase: block model
SELECT count(tlv_fit_mmsb(g, 100, seed => i)) FROM held, generate_series(1, 50) i;

-- phase: block model, directed
SELECT count(tlv_fit_mmsb(d, 100, seed => i)) FROM held, generate_series(1, 50) i;

-- phase: variational steps
SELECT count(tlv_fit_mmsb(g, 100, alpha0 => 1, seed => i)) FROM held, generate_series(1, 50) i;

-- phase: known labels
SELECT count(tlv_mmsb('SELECT src, dst FROM edges', 60,
        labels => 'SELECT DISTINCT ON (node) node, community FROM labels ORDER BY node', seed => i)) FROM generate_series(1, 50) i;

-- phase: tlv_mmsb, rows without end
SELECT tlv_mmsb('SELECT src, dst FROM edges, generate_series(1, 1000)', 20);

-- phase: memberships
SELECT count(*) FROM held, generate_series(1, 1000), tlv_memberships(large);

-- phase: membership vectors
SELECT count(*) FROM held, generate_series(1, 1000), LATERAL (SELECT node, node_name, side, array_agg(membership ORDER BY community) FILTER (WHERE community IS NOT NULL) AS memberships
  FROM tlv_memberships(large, 0) GROUP BY 1, 2, 3) v;

-- phase: bridgeness
SELECT count(*) FROM held, generate_series(1, 1000), tlv_bridgeness(large);

-- phase: inference
SELECT count(tlv_infer(large, tlv_to_bag(ARRAY[src, dst]))) FROM held, edges, generate_series(1, 1000);
