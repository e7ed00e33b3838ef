-- Communities of rows (node, neighbours): the model of the same edges; steps by hand; what is refused.
SET client_min_messages = error;
CREATE TABLE nb_edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, 0, .15, .015, seed => 2), 3);
CREATE TABLE nb_rows AS SELECT node, tlv_bag_agg(other) AS neighbours FROM (SELECT src AS node, dst AS other FROM nb_edges UNION ALL SELECT dst, src FROM nb_edges) AS e GROUP BY node;
CREATE TEMP TABLE nb_fits AS SELECT tlv_mmsb('SELECT src, dst FROM nb_edges', 3) AS whole, tlv_mmsb('SELECT node, neighbours FROM nb_rows', 3) AS rows;
-- the same value, whatever the options are: loops are left out and counted, weights are those of the bags
CREATE TABLE nb_weighted AS SELECT src, dst, 1 + (src * dst) % 3 + CASE WHEN src % 100 = 0 THEN .25 ELSE 0 END AS weight FROM nb_edges
  UNION ALL SELECT 5, 5, 2 UNION ALL SELECT 1001, 1001, 1 UNION ALL SELECT 5, 7, 0;
CREATE TABLE nb_weighted_rows AS SELECT node, tlv_bag_agg(other, weight) AS neighbours
FROM (SELECT src AS node, dst AS other, weight FROM nb_weighted UNION ALL SELECT dst, src, weight FROM nb_weighted WHERE src <> dst) AS e WHERE weight > 0 GROUP BY node;
CREATE TABLE nb_buys AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(150, 2, 0, .2, .03, seed => 4, kind => 'bipartite', targets => 60), 5);
CREATE TABLE nb_baskets AS SELECT src, tlv_bag_agg(dst) AS bought FROM nb_buys GROUP BY src;
CREATE FUNCTION pg_temp.same(edges text, rows text, options text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE same boolean;
BEGIN
  EXECUTE format('SELECT tlv_mmsb(%L%s)::text = tlv_mmsb(%L%s)::text', edges, options, rows, options) INTO same;
  RETURN same;
END $$;
SELECT whole::text = rows::text AS same FROM nb_fits;
SELECT options, pg_temp.same('SELECT src, dst FROM nb_edges', 'SELECT node, neighbours FROM nb_rows', options)
FROM (VALUES (''), (', max_k => 2'), (', 5, errors => true'), (', 3, alpha0 => .2'), (', alpha0 => .2'), (', 3, alpha0 => .2, errors => true'), (', 3, degree_corrected => true'),
  (', 3, refine => ''em'''), (', 3, labels => ''SELECT node, community % 3 + 1 FROM nb_fits, tlv_memberships(rows, .5) WHERE node % 20 = 0''')) o(options);
SELECT options, pg_temp.same('SELECT src, dst, weight FROM nb_weighted', 'SELECT node, neighbours FROM nb_weighted_rows', options)
FROM (VALUES (', 3'), (''), (', 3, edges => ''poisson'''), (', 3, edges => ''bernoulli''')) o(options);
SELECT options, pg_temp.same('SELECT src, dst FROM nb_buys', 'SELECT src, bought FROM nb_baskets', options) FROM (VALUES (', 2, directed => true'), (', 2, bipartite => true')) o(options);
-- the order of the rows plays no part, nor do workers, nor into how many rows the neighbours of a node are divided
SELECT tlv_mmsb('SELECT node, neighbours FROM nb_rows ORDER BY node DESC', 3)::text = rows::text AS same FROM nb_fits;
SELECT tlv_mmsb('SELECT dst, tlv_bag_agg(src) FROM (SELECT src, dst FROM nb_edges UNION ALL SELECT dst, src FROM nb_edges) e GROUP BY dst, src % 2', 3)::text = rows::text AS same
FROM nb_fits;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT tlv_mmsb('SELECT node, neighbours FROM nb_rows', 3)::text = rows::text AS same FROM nb_fits;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
-- the graphs themselves: a directed one of the rows, a bipartite one; an empty bag makes no node, a null is counted
SELECT tlv_digraph_agg(node, neighbours) = (SELECT tlv_digraph_agg(a, b, 1) FROM (SELECT src, dst FROM nb_edges UNION ALL SELECT dst, src FROM nb_edges) e(a, b)) AS directed FROM nb_rows;
SELECT tlv_bigraph_agg(src, bought) = (SELECT tlv_bigraph_agg(src, dst, 1) FROM nb_buys) AS bipartite FROM nb_baskets;
CREATE TEMP TABLE nb_small AS SELECT tlv_digraph_agg(node, bag) AS g
FROM (VALUES (1, tlv_to_bag(ARRAY[1, 2, 2])), (4, tlv_to_bag(ARRAY[]::bigint[])), (NULL, tlv_to_bag(ARRAY[5])), (3, NULL)) v(node, bag);
SELECT src, dst, weight FROM nb_small, tlv_edges(g);
SELECT tlv_info(g) ->> 'self_loops' AS self_loops, tlv_info(g) ->> 'nulls' AS nulls, tlv_info(g) ->> 'rows' AS nodes FROM nb_small;
SET client_min_messages = warning;
SELECT score AS nulls FROM tlv_diagnostics(tlv_mmsb('SELECT node, neighbours FROM nb_rows UNION ALL SELECT NULL, NULL', 3)) WHERE measure = 'nulls';
-- k that is not given is tlv_suggest_k's
SELECT (SELECT count(*) FROM tlv_communities(tlv_mmsb('SELECT node, neighbours FROM nb_rows'))) AS k, array_agg(DISTINCT s.k) AS suggested
FROM tlv_suggest_k('SELECT node, neighbours FROM nb_rows', model => 'mmsb') s WHERE chosen AND criterion = 'integrated_likelihood';
-- a step by hand: nodes that have a row are placed by their neighbours, also those that are new
WITH s AS (SELECT f.rows AS m, tlv_statistics(node, neighbours, f.rows) AS s FROM nb_fits f, nb_rows GROUP BY f.rows)
SELECT tlv_kind(s), (tlv_info(s) ->> 'kind') AS kind, max(distance) < 1e-3 AS stands FROM s, LATERAL (SELECT * FROM tlv_match(m, tlv_update(m, s))) q GROUP BY s;
SELECT count(*) AS nodes, count(*) FILTER (WHERE b.community = 1) AS in_first FROM nb_fits f,
  LATERAL (SELECT tlv_update(f.rows, tlv_statistics(1000 + g, (SELECT tlv_bag_agg(node) FROM tlv_memberships(f.rows, .99) WHERE community = 1 AND node % 3 = g), f.rows)) AS m
           FROM generate_series(0, 2) g) u, tlv_memberships(u.m, .5) b
WHERE b.node >= 1000;
-- mixed memberships: a step by hand goes on, and places new nodes
CREATE TABLE nb_mixed AS SELECT node, tlv_bag_agg(other) AS neighbours
FROM (SELECT CASE WHEN back THEN dst ELSE src END AS node, CASE WHEN back THEN src ELSE dst END AS other
      FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(500, 3, .2, .2, .02, seed => 1), 101), (VALUES (true), (false)) w(back)) AS e GROUP BY node;
CREATE TEMP TABLE nb_mixed_fits AS SELECT tlv_mmsb('SELECT node, neighbours FROM nb_mixed', 3, alpha0 => .2) AS rows;
WITH s AS (SELECT f.rows AS m, tlv_statistics(node, neighbours, f.rows) AS s FROM nb_mixed_fits f, nb_mixed GROUP BY f.rows)
SELECT tlv_kind(s), max(distance) < .02 AS stands FROM s, LATERAL (SELECT * FROM tlv_match(m, tlv_update(m, s))) q GROUP BY s;
SELECT count(*) AS communities, round(sum(b.membership)::numeric, 3) AS all, max(abs(b.membership - t.membership)) < .1 AS as_the_node
FROM nb_mixed_fits f, LATERAL (SELECT tlv_update(f.rows, tlv_statistics(1000, r.neighbours, f.rows)) AS m FROM nb_mixed r WHERE node = 7) u,
  tlv_memberships(u.m) b JOIN tlv_memberships(f.rows) t ON t.node = 7 AND t.community = b.community WHERE b.node = 1000;
DROP TABLE nb_mixed;
-- statistics of two halves of the nodes, added up in either way, are those of all, and of the same model
CREATE TEMP TABLE nb_halves AS SELECT f.rows AS m, tlv_statistics(node, neighbours, f.rows) AS s FROM nb_fits f, nb_rows GROUP BY f.rows, node % 2;
SELECT way, tlv_info(sum) ->> 'model' = min(tlv_info(h.s) ->> 'model') AS same_model, max(distance) < 1e-9 AS same_update
FROM (SELECT 'tlv_rollup' AS way, tlv_rollup(s) AS sum FROM nb_halves UNION ALL SELECT '+', min(s::text)::tlv_moments + max(s::text)::tlv_moments FROM nb_halves) AS sums,
  nb_halves h, LATERAL (SELECT distance FROM nb_fits f, tlv_match(tlv_update(h.m, sum), tlv_update(f.rows, (SELECT tlv_statistics(node, neighbours, f.rows) FROM nb_rows)))) q
GROUP BY way, sum ORDER BY way;
-- what is refused
CREATE FUNCTION pg_temp.refusal(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN EXECUTE 'SELECT ' || call; RETURN 'none';
EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, SQLERRM, hint); END $$;
SELECT pg_temp.refusal(format('tlv_mmsb(%L%s)', query, options)) FROM (VALUES
  ('SELECT node, neighbours FROM nb_rows', ', 3, alpha0 => .1, refine => ''likelihood'''),
  ('SELECT node, neighbours FROM nb_rows', ', 3, labels => ''SELECT 1, 4'''), ('SELECT node, neighbours FROM nb_rows', ', labels => ''SELECT -1, 1'''),
  ('SELECT node::text, neighbours FROM nb_rows', ', 3'),
  ('SELECT node, neighbours FROM nb_rows WHERE false', ', 3'), ('SELECT 1::bigint, tlv_to_bag(ARRAY[1])', ', 3'),
  ('SELECT node, neighbours FROM nb_rows WHERE node <> 7', ', 3'), ('SELECT node / 2, neighbours FROM nb_rows', ', 3'),
  ('SELECT node, CASE WHEN node = 7 THEN 2 * neighbours ELSE neighbours END FROM nb_rows', ', 3'),
  ('SELECT i, tlv_to_bag(ARRAY[i - 1, i + 1]) FROM generate_series(1, 9) i', ', 2')) AS q(query, options);
SELECT pg_temp.refusal('tlv_statistics(node, neighbours, m.rows) FROM (SELECT node, neighbours FROM nb_rows UNION ALL SELECT node, neighbours FROM nb_rows) r, nb_fits m');
SELECT pg_temp.refusal('tlv_statistics(node, neighbours, tlv_simulate_mmsb_model(20, 2, 1, kind => ''directed'')) FROM nb_rows');
SELECT pg_temp.refusal('tlv_statistics(neighbours, m.rows) FROM nb_rows, nb_fits m');
DROP TABLE nb_rows, nb_edges, nb_weighted, nb_weighted_rows, nb_buys, nb_baskets;
