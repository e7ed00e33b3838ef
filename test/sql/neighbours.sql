-- Communities of rows (node, neighbours): the fit to the same edges, by one row a node; steps by hand; what is refused.
SET client_min_messages = warning;
CREATE TEMP TABLE nb_edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, 0, .15, .015, seed => 2), 3);
CREATE TABLE nb_rows AS SELECT node, tlv_bag_agg(other) AS neighbours FROM (SELECT src AS node, dst AS other FROM nb_edges UNION ALL SELECT dst, src FROM nb_edges) AS e GROUP BY node;
CREATE TEMP TABLE nb_fits AS SELECT tlv_mmsb('SELECT src, dst FROM nb_edges', 3) AS whole, tlv_mmsb('SELECT node, neighbours FROM nb_rows', 3) AS rows;
SELECT count(*) AS nodes, count(*) FILTER (WHERE a.community <> b.community) AS apart, max(abs(a.membership - b.membership)) < .05 AS alike
FROM nb_fits, tlv_memberships(whole, .5) a JOIN tlv_memberships(rows, .5) b USING (node);
SELECT max(abs(a.probability - b.probability)) < 1e-12 AS connectivity FROM nb_fits, tlv_connectivity(whole) a JOIN tlv_connectivity(rows) b USING (community_a, community_b);
SELECT measure, max(score) FILTER (WHERE m) - max(score) FILTER (WHERE NOT m) AS difference
FROM nb_fits, LATERAL (SELECT true AS m, d.* FROM tlv_diagnostics(whole) d UNION ALL SELECT false, d.* FROM tlv_diagnostics(rows) d) d
WHERE measure IN ('nodes', 'weight', 'k', 'degree_corrected') GROUP BY measure ORDER BY measure COLLATE "C";
-- the order of the rows plays no part, nor do workers
CREATE TEMP TABLE nb_again AS SELECT tlv_mmsb('SELECT node, neighbours FROM nb_rows ORDER BY node DESC', 3) AS rows;
SELECT max(distance) < 1e-6 AS same FROM nb_fits f, nb_again a, tlv_match(f.rows, a.rows);
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT max(distance) < 1e-6 AS same FROM nb_fits f, tlv_match(f.rows, tlv_mmsb('SELECT node, neighbours FROM nb_rows', 3));
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
-- a step by hand: nodes that have a row are placed by their neighbours, also those that are new
WITH s AS (SELECT f.rows AS m, tlv_statistics(node, neighbours, f.rows) AS s FROM nb_fits f, nb_rows GROUP BY f.rows)
SELECT tlv_kind(s), (tlv_info(s) ->> 'kind') AS kind, max(distance) < 1e-3 AS stands FROM s, LATERAL (SELECT * FROM tlv_match(m, tlv_update(m, s))) q GROUP BY s;
SELECT count(*) AS nodes, count(*) FILTER (WHERE b.community = 1) AS in_first FROM nb_fits f,
  LATERAL (SELECT tlv_update(f.rows, tlv_statistics(1000 + g, (SELECT tlv_bag_agg(node) FROM tlv_memberships(f.rows, .99) WHERE community = 1 AND node % 3 = g), f.rows)) AS m
           FROM generate_series(0, 2) g) u, tlv_memberships(u.m, .5) b
WHERE b.node >= 1000;
-- loops are left out, weights of 1 are said by 'bernoulli', nulls are counted
SELECT (SELECT score FROM tlv_diagnostics(m) WHERE measure = 'self_loops') AS loops, (SELECT score FROM tlv_diagnostics(m) WHERE measure = 'weight') AS weight,
       (SELECT message FROM tlv_warnings(m) WHERE code = 'rows_skipped') AS nulls
FROM tlv_mmsb('SELECT node, 2 * neighbours + CASE WHEN node = 1 THEN tlv_to_bag(ARRAY[1]) ELSE tlv_to_bag(ARRAY[]::bigint[]) END FROM nb_rows UNION ALL SELECT NULL, NULL', 3,
              edges => 'bernoulli') AS m;
-- k that is not given, and is tlv_suggest_k's; as many as are looked at, with a warning
SELECT (SELECT count(*) FROM tlv_communities(m)) AS k, (SELECT s.k FROM tlv_suggest_k(m) s WHERE chosen) AS suggested,
  (SELECT s.k FROM tlv_suggest_k('SELECT node, neighbours FROM nb_rows', model => 'mmsb') s WHERE chosen) AS of_rows, max(distance) < 1e-6 AS same
FROM nb_fits, tlv_mmsb('SELECT node, neighbours FROM nb_rows') AS m, tlv_match(rows, m) GROUP BY m;
SELECT code, message FROM tlv_warnings(tlv_mmsb('SELECT node, neighbours FROM nb_rows', max_k => 3)) ORDER BY code;
-- known labels number the communities, and stay
SELECT count(*) AS nodes, bool_and(t.community % 3 + 1 = b.community) AS numbered_so
FROM nb_fits f, tlv_mmsb('SELECT node, neighbours FROM nb_rows', 3,
  labels => 'SELECT node, community % 3 + 1 FROM nb_fits, tlv_memberships(rows, .5) WHERE node % 20 = 0') AS m,
  tlv_memberships(f.rows, .5) t JOIN tlv_memberships(m, .5) b USING (node);
-- mixed memberships: about those of the fit to the edges; a step by hand goes on, and places new nodes
CREATE TEMP TABLE nb_mixed_edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(500, 3, .2, .2, .02, seed => 1), 101);
-- with errors: the same communities come again as from edges, from rows without a quarter of the edges, which are gone at both of their ends
CREATE TEMP TABLE nb_parts AS SELECT p, node, other FROM generate_series(0, 3) p, nb_rows, LATERAL (SELECT item AS other FROM tlv_bag_items(tlv_neighbours(node, neighbours, p, 4))) q;
SELECT count(*) = (SELECT 6 * count(*) FROM nb_edges) AS three_of_four, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM nb_parts o
    WHERE o.p = n.p AND o.node = n.other AND o.other = n.node)) AS one_sided,
  min(part) > .65 AND max(part) < .85 AS quarters FROM nb_parts n, LATERAL (SELECT count(*) / (SELECT 2. * count(*) FROM nb_edges) AS part FROM nb_parts o WHERE o.p = n.p) q;
SELECT tlv_neighbours(1, tlv_to_bag(ARRAY[2]), 4, 4);
SELECT tlv_neighbours(1, tlv_to_bag(ARRAY[2]), 0, 0);
CREATE TEMP TABLE nb_supported AS SELECT k, tlv_mmsb('SELECT node, neighbours FROM nb_rows', k, errors => true) AS m FROM unnest('{3,5}'::int[]) k;
SELECT k, count(*) AS told, max(score) < .2 AS all_come_again, count(*) FILTER (WHERE score > .3) > 0 AS spurious,
  count(*) FILTER (WHERE score > .3) = (SELECT count(*) FROM tlv_warnings(m) WHERE code = 'spurious_component') AS all_named
FROM nb_supported, tlv_diagnostics(m) WHERE measure = 'recurrence' GROUP BY k, m ORDER BY k;
SELECT max(distance) < 1e-6 AS same_model, count(e.standard_error) AS errors FROM nb_supported s, nb_fits f, tlv_match(m, f.rows) LEFT JOIN LATERAL tlv_estimates(m) e ON component_a = 1
WHERE s.k = 3 GROUP BY m;
SELECT count(*) FROM tlv_diagnostics(tlv_mmsb('SELECT node, neighbours FROM nb_rows', 1, errors => true)) WHERE measure = 'recurrence';
-- a quarter less is too little for a fit: the model stays, and nothing is said of its communities
SELECT (SELECT count(*) FROM tlv_components(m)) AS components, (SELECT count(*) FROM tlv_diagnostics(m) WHERE measure = 'recurrence') AS told
FROM tlv_mmsb('SELECT node, tlv_to_bag(array_agg(other)) FROM (SELECT i, i % 4 + 1 FROM generate_series(1, 4) i
    UNION ALL SELECT i % 4 + 1, i FROM generate_series(1, 4) i UNION ALL VALUES (1, 3), (3, 1)) e(node, other) GROUP BY 1',
  2, errors => true) m;
CREATE TABLE nb_mixed AS SELECT node, tlv_bag_agg(other) AS neighbours
FROM (SELECT src AS node, dst AS other FROM nb_mixed_edges UNION ALL SELECT dst, src FROM nb_mixed_edges) AS e GROUP BY node;
CREATE TEMP TABLE nb_mixed_fits AS SELECT tlv_mmsb('SELECT src, dst FROM nb_mixed_edges', 3, alpha0 => .2) AS whole, tlv_mmsb('SELECT node, neighbours FROM nb_mixed', 3, alpha0 => .2) AS rows;
SELECT count(*) AS told, (SELECT count(standard_error) FROM tlv_estimates(m)) AS errors, max(score) < .2 AS all_come_again
FROM tlv_mmsb('SELECT node, neighbours FROM nb_mixed', 3, alpha0 => .2, errors => true) m, tlv_diagnostics(m) WHERE measure = 'recurrence' GROUP BY m;
SELECT sum(abs(coalesce(a.membership, 0) - coalesce(b.membership, 0))) / 2 / 500 < .03 AS alike
FROM (SELECT node, community, membership FROM nb_mixed_fits, tlv_memberships(whole)) a
  FULL JOIN (SELECT node, community, membership FROM nb_mixed_fits, tlv_memberships(rows)) b USING (node, community);
SELECT measure, score > 0 AS positive FROM nb_mixed_fits, tlv_diagnostics(rows) WHERE measure IN ('alpha0', 'refinement_steps', 'check_off_diagonal', 'modularity') ORDER BY measure COLLATE "C";
WITH s AS (SELECT f.rows AS m, tlv_statistics(node, neighbours, f.rows) AS s FROM nb_mixed_fits f, nb_mixed GROUP BY f.rows)
SELECT tlv_kind(s), max(distance) < .02 AS stands FROM s, LATERAL (SELECT * FROM tlv_match(m, tlv_update(m, s))) q GROUP BY s;
SELECT count(*) AS communities, round(sum(b.membership)::numeric, 3) AS all, max(abs(b.membership - t.membership)) < .1 AS as_the_node
FROM nb_mixed_fits f, LATERAL (SELECT tlv_update(f.rows, tlv_statistics(1000, r.neighbours, f.rows)) AS m FROM nb_mixed r WHERE node = 7) u,
  tlv_memberships(u.m) b JOIN tlv_memberships(f.rows) t ON t.node = 7 AND t.community = b.community WHERE b.node = 1000;
SELECT max(distance) < 1e-6 AS workers FROM nb_mixed_fits f, tlv_match(f.rows, tlv_mmsb('SELECT node, neighbours FROM nb_mixed ORDER BY node DESC', 3, alpha0 => .2));
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
  ('SELECT node, neighbours FROM nb_rows', ', 3, refine => ''em'''),
  ('SELECT node, neighbours FROM nb_rows', ', 3, alpha0 => .1, refine => ''likelihood'''), ('SELECT node, neighbours FROM nb_rows', ', 3, bipartite => true'),
  ('SELECT node, neighbours FROM nb_rows', ', 3, labels => ''SELECT 1, 4'''), ('SELECT node, neighbours FROM nb_rows', ', labels => ''SELECT -1, 1'''),
  ('SELECT node, neighbours FROM nb_rows', ', 301'), ('SELECT node::text, neighbours FROM nb_rows', ', 3'),
  ('SELECT node, neighbours FROM nb_rows WHERE false', ', 3'), ('SELECT node, neighbours FROM nb_rows WHERE node <> 7', ', 3'), ('SELECT node / 2, neighbours FROM nb_rows', ', 3'),
  ('SELECT i, tlv_to_bag(ARRAY[i - 1, i + 1]) FROM generate_series(1, 9) i', ', 2')) AS q(query, options);
SELECT pg_temp.refusal('tlv_statistics(node, neighbours, tlv_simulate_mmsb_model(20, 2, 1, kind => ''directed'')) FROM nb_rows');
SELECT pg_temp.refusal('tlv_statistics(neighbours, m.rows) FROM nb_rows, nb_fits m');
DROP TABLE nb_rows;
