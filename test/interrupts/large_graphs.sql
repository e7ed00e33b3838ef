-- Single graphs, models of communities and pairs of partitions as large as come up: a hub with ten million edges.
CREATE TABLE edges AS SELECT 0 AS src, i AS dst FROM generate_series(1, 10000000) i;
CREATE TABLE held AS SELECT (SELECT tlv_graph_agg(src, dst) FROM edges) AS hub, (SELECT tlv_digraph_agg(src, dst, 1.5) FROM edges WHERE dst <= 3000000) AS weighted,
  tlv_simulate_mmsb_model(300000, 40, alpha0 => 2) AS m, NULL::tlv_graph AS g, NULL::tlv_moments AS labels, NULL::tlv_moments AS covers;
UPDATE held SET g = (SELECT tlv_graph_agg(src, dst) FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(100000, 20, within => 0.002, across => 0.00002)));
UPDATE held SET labels = (SELECT tlv_label_pairs(i, i / 2) FROM generate_series(1, 2000000) i), covers = (SELECT tlv_cover_pairs(ARRAY[i, i % 1000], ARRAY[i / 2]) FROM generate_series(1, 1000000) i);
CREATE TABLE communities AS SELECT i AS node, array_agg(j) AS a, array_agg(j / 2) AS b FROM generate_series(1, 50) i, generate_series(1, 100000) j GROUP BY i;
CREATE TABLE hub_bag AS SELECT tlv_bag_agg(dst) AS bag FROM edges;
CREATE TABLE hub_rows AS SELECT 0::bigint AS node, tlv_bag_agg(dst) AS neighbours FROM edges WHERE dst <= 2000000 UNION ALL SELECT dst, tlv_to_bag(ARRAY[0]) FROM edges WHERE dst <= 2000000;

-- phase: a graph of a hub
SELECT tlv_info(tlv_graph_agg(src, dst)) FROM edges;

-- phase: a bipartite graph of a hub
SELECT tlv_info(tlv_bigraph_agg(src, dst, 2)) FROM edges;

-- phase: a graph of a hub and its neighbours
SELECT tlv_info(tlv_digraph_agg(0, bag)) FROM hub_bag;

-- phase: a fit to a hub and its neighbours
SELECT tlv_info(tlv_mmsb('SELECT node, neighbours FROM hub_rows', 2));

-- phase: a graph of edges in no order
SELECT tlv_info(tlv_graph_agg(hashint8extended(i, 1) % 1000000, hashint8extended(i, 2) % 1000000)) FROM generate_series(1, 6000000) i;

-- phase: one edge again and again
SELECT tlv_info(tlv_graph_agg(1, 2)) FROM edges;

-- phase: merging hubs
SELECT tlv_info(tlv_rollup(hub)) FROM held, generate_series(1, 3);

-- phase: adding hubs
SELECT tlv_info(hub + hub) FROM held;

-- phase: adding weighted graphs
SELECT tlv_info(weighted + weighted) FROM held;

-- phase: edges of a hub
SELECT count(*) FROM held, tlv_edges(hub);

-- phase: text of a hub
SELECT length(hub::text) FROM held;

-- phase: hub of a text
SELECT t::tlv_graph = hub FROM (SELECT hub, hub::text AS t FROM held OFFSET 0) q;

-- phase: weighted graph of a text
SELECT t::tlv_graph = weighted FROM (SELECT weighted, weighted::text AS t FROM held OFFSET 0) q;

-- phase: fit to a hub
SELECT tlv_info(tlv_fit_mmsb(hub, 2)) FROM held;

-- phase: fit to a hub, mixed
SELECT tlv_info(tlv_fit_mmsb(hub, 2, alpha0 => 1)) FROM held;

-- phase: choice of k of a large graph
SELECT tlv_info(tlv_fit_mmsb(g)) FROM held;

-- phase: fit to a hub, directed
SELECT tlv_info(tlv_fit_mmsb(weighted, 1, degree_corrected => true)) FROM held;

-- phase: fit, k = 150
SELECT tlv_info(tlv_fit_mmsb(g, 150)) FROM held;

-- phase: fit, mixed, k = 60
SELECT tlv_info(tlv_fit_mmsb(g, 60, alpha0 => 1)) FROM held;

-- phase: tlv_mmsb of a hub
SELECT tlv_info(tlv_mmsb('SELECT src, dst FROM edges', 2));

-- phase: a random model of communities
SELECT count(tlv_simulate_mmsb_model(300000, 100, alpha0 => 2, seed => i)) FROM generate_series(1, 3) i;

-- phase: random edges
SELECT count(*) FROM held, tlv_simulate_mmsb(tlv_simulate_mmsb_model(3000000, 5, within => 0.000002, across => 0.0000005));

-- phase: memberships
SELECT count(*) FROM held, tlv_memberships(m);

-- phase: bridgeness
SELECT count(*) FROM held, tlv_bridgeness(m);

-- phase: text of communities
SELECT length(m::text) FROM held;

-- phase: communities of a text
SELECT t::tlv_model = m FROM (SELECT m, m::text AS t FROM held OFFSET 0) q;

-- phase: labels
SELECT tlv_nmi(hashint8extended(i, 1), hashint8extended(i, 2)) FROM generate_series(1, 4000000) i;

-- phase: labels as a value
SELECT tlv_info(tlv_label_pairs(hashint8extended(i, 1) & 1048575, hashint8extended(i, 2) & 1048575)) FROM generate_series(1, 4000000) i;

-- phase: covers as a value
SELECT tlv_info(tlv_cover_pairs(ARRAY[i & 65535, 1 + (i & 65535)], ARRAY[i & 255, 1 + (i & 255)])) FROM generate_series(1::bigint, 1000000) i;

-- phase: adjusted Rand index
SELECT tlv_ari(i, i / 3) FROM generate_series(1, 4000000) i;

-- phase: merging labels
SELECT tlv_nmi_final(tlv_rollup(labels)) FROM held, generate_series(1, 5);

-- phase: covers
SELECT count(*) FROM tlv_scores((SELECT tlv_cover_pairs(a, b) FROM communities));

-- phase: matching of communities of covers
SELECT tlv_cover_f1(a, b) FROM communities;

-- phase: merging covers
SELECT count(*) FROM tlv_scores((SELECT tlv_rollup(covers) FROM held, generate_series(1, 5)));

-- phase: memberships compared
SELECT tlv_membership_pairs(array_fill(1.0 / 600, '{600}'), array_fill(1.0 / 700, '{700}')) FROM generate_series(1, 10000);

-- phase: memberships matched
SELECT count(*) FROM (SELECT tlv_membership_pairs(t, e) AS m FROM (SELECT (SELECT array_agg(random()) FROM generate_series(1, 1500 + 0 * i)) AS t,
    (SELECT array_agg(random()) FROM generate_series(1, 1500 + 0 * i)) AS e FROM generate_series(1, 20) i) q) r, tlv_scores(m);
