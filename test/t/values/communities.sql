CREATE TABLE links AS SELECT DISTINCT src AS source, dst AS target FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(40, 2, 0, .5, .05));
CREATE TABLE marks AS SELECT i AS node, i % 2 AS label FROM generate_series(1, 40) i;
INSERT INTO queries VALUES ('SELECT source, target FROM links'), ('SELECT source, target, 2.5 FROM links'), ('SELECT node, label FROM marks');
INSERT INTO graphs SELECT tlv_graph_agg(source, target) FROM links UNION ALL SELECT tlv_graph_agg(source, target, 1.5) FROM links UNION ALL
  SELECT tlv_digraph_agg(source, target) FROM links UNION ALL SELECT tlv_bigraph_agg(source, target + 100) FROM links UNION ALL
  SELECT tlv_digraph_agg(source, target, .1 * source) FROM links UNION ALL SELECT tlv_graph_agg(1, 1) UNION ALL
  SELECT tlv_graph_agg(i, i + 1, 1e300) FROM generate_series(1, 3) i UNION ALL
  SELECT tlv_graph_agg(source || 'a', target || 'a') FROM links UNION ALL SELECT tlv_bigraph_agg(source || 'a', target) FROM links;
INSERT INTO models SELECT tlv_simulate_mmsb_model(40, 2, 0, .5, .05) UNION ALL SELECT tlv_simulate_mmsb_model(20, 2, 1, .5, .05, kind => 'bipartite', targets => 30) UNION ALL
  SELECT tlv_mmsb('SELECT source, target FROM links', 2) UNION ALL SELECT tlv_mmsb('SELECT source, target FROM links', 2, alpha0 => 1, errors => true) UNION ALL
  SELECT tlv_mmsb('SELECT source || ''a'', target || ''a'' FROM links', 2) UNION ALL SELECT tlv_mmsb('SELECT source, target FROM links', 2, alpha0 => .1, directed => true);
CREATE TABLE adjacent AS SELECT node, tlv_bag_agg(other) AS neighbours FROM (SELECT source AS node, target AS other FROM links UNION ALL SELECT target, source FROM links) AS e GROUP BY node;
INSERT INTO queries VALUES ('SELECT node, neighbours FROM adjacent');
INSERT INTO moments SELECT tlv_statistics(node, neighbours, tlv_simulate_mmsb_model(40, 2, 0, .5, .05)) FROM adjacent;
