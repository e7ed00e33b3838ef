-- Directed graphs: a node has one community as a source and as a target where that is the likelier, else two.
SET client_min_messages = error;
CREATE SCHEMA directed;
SET search_path = directed, public;
-- Uniform numbers that are the same on every server.
CREATE FUNCTION u(seed int, a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT (hashtextextended(a || ' ' || b, seed) >> 11) / 9007199254740992.0 + .5 $$;
-- Rates of edges from group a to group b, of 200 nodes; of targets the groups may be others.
CREATE TABLE kinds (kind text, rate float8[], target_groups int);
INSERT INTO kinds VALUES ('denser inside', '{{.12,.03,.03},{.03,.12,.03},{.03,.03,.12}}', 3), ('weak', '{{.1,.03,.03},{.03,.1,.03},{.03,.03,.1}}', 3),
  ('a ring', '{{.03,.12,.03},{.03,.03,.12},{.12,.03,.03}}', 3), ('senders and receivers', '{{.02,.15},{.02,.02}}', 2),
  ('apart', '{{.15,.03,.03},{.03,.15,.03},{.03,.03,.15}}', 5), ('none', '{{.06}}', 1);
CREATE TABLE edges AS SELECT kind, a, b, a % cardinality(rate[:][1:1]) AS from_group, CASE WHEN target_groups = 5 THEN b / 5 % 3 ELSE b % target_groups END AS to_group
FROM kinds, generate_series(1, 200) a, generate_series(1, 200) b
WHERE a <> b AND u(7, a, b) < rate[1 + a % cardinality(rate[:][1:1])][1 + CASE WHEN target_groups = 5 THEN b / 5 % 3 ELSE b % target_groups END];
CREATE TABLE models AS SELECT kind, seed, tlv_mmsb(format('SELECT a, b FROM edges WHERE kind = %L', kind), directed => true, seed => seed) AS m FROM kinds, generate_series(1, 2) seed;
-- The agreement with the groups of sources, and of targets where they have others.
SELECT kind, side, string_agg(DISTINCT k::text, ' ') AS k, min(agreement) > .75 AS found
FROM (SELECT kind, seed, side, (SELECT count(*) FROM tlv_components(m)) AS k,
        tlv_nmi(community, CASE WHEN side = 'target' THEN to_group ELSE from_group END) AS agreement
      FROM models, LATERAL (SELECT DISTINCT ON (side, node) side, node, community FROM tlv_memberships(m) ORDER BY side, node, membership DESC) x
      JOIN LATERAL (SELECT from_group FROM edges e WHERE e.kind = models.kind AND a = node LIMIT 1) s ON true
      JOIN LATERAL (SELECT to_group FROM edges e WHERE e.kind = models.kind AND b = node LIMIT 1) t ON true
      GROUP BY kind, seed, side, m) q
GROUP BY kind, side ORDER BY kind, side;
-- Rates of both directions: around the ring and back.
SELECT count(*) FILTER (WHERE probability BETWEEN .08 AND .16) AS around, count(*) FILTER (WHERE probability < .05) AS others
FROM models, tlv_connectivity(m) WHERE kind = 'a ring' AND seed = 1;
-- Sides as they are asked for; the same memberships on both where they are tied.
SELECT kind, sides, string_agg(DISTINCT side, ' ' ORDER BY side) AS shown, (SELECT score >= 0 FROM tlv_diagnostics(m) WHERE measure = 'gain_of_tied_sides') AS gains,
       round(sum(size) FILTER (WHERE side <> 'target'))::int AS nodes
FROM (SELECT kind, sides, tlv_mmsb(format('SELECT a, b FROM edges WHERE kind = %L', kind), 3, directed => true, sides => sides) AS m
      FROM unnest('{denser inside,apart}'::text[]) kind, unnest('{auto,tied,separate}'::text[]) sides) q, tlv_communities(m)
GROUP BY kind, sides, m ORDER BY kind, sides;
-- Nodes that are only sources or only targets have a community, too, and so have those whose community is known.
SELECT count(*) AS nodes, count(community) AS with_community, count(DISTINCT side) AS sides
FROM tlv_memberships(tlv_mmsb('SELECT a, b FROM edges WHERE kind = ''denser inside'' AND a > 20 AND b < 190', 3, directed => true)) WHERE membership > .5;
SELECT bool_and(community = 1 + node % 3) AS known FROM tlv_memberships(tlv_mmsb('SELECT a, b FROM edges WHERE kind = ''denser inside''', 3, directed => true,
  labels => 'SELECT i, 1 + i % 3 FROM generate_series(1, 60) i')) WHERE node <= 60 AND membership > .5;
-- No more communities than max_k, the nodes or the labels allow; those of the labels are numbered as these are where k is left out.
SELECT max((SELECT count(*) FROM tlv_components(tlv_mmsb(format('SELECT a, b, exp(5 * (from_group = to_group)::int + 2 * u(8, a, b)) FROM edges WHERE kind = %L', kind),
  directed => true, max_k => 2)))) AS at_most FROM kinds;
SELECT count(*) AS of_three_nodes FROM tlv_components(tlv_mmsb('VALUES (1, 2), (2, 3), (3, 1)', 1000, directed => true));
SELECT count(*) > 0 AND bool_and(community = 1 + node % 3) AS known FROM tlv_memberships(tlv_mmsb('SELECT a, b FROM edges WHERE kind = ''denser inside''', directed => true,
  labels => 'SELECT i, 1 + i % 3 FROM generate_series(1, 60) i')) WHERE node <= 60 AND membership > .5;
-- Nodes that only send or only receive count among the pairs: as many edges are drawn as there were.  Every weight is listed once.
SELECT side, abs((SELECT count(*) FROM tlv_simulate_mmsb(m)) / 900.0 - 1) < .15 AS as_many, (SELECT count(*) FROM tlv_estimates(m) WHERE part = 'weight') = count(*) AS once
FROM (SELECT tlv_mmsb('SELECT a, 50 + b FROM generate_series(1, 50) a, generate_series(1, 50) b WHERE (a + b) % 2 = 0 AND u(3, a, b) < .72', 2, directed => true,
        sides => 'tied', degree_corrected => false, errors => true) AS m OFFSET 0) q, tlv_communities(m) GROUP BY m, side;
-- A star has one source.
SELECT count(*) AS of_a_star FROM tlv_components(tlv_mmsb('SELECT 0, i FROM generate_series(1, 5000) i', directed => true));
-- Paths, cycles, trees and ladders have one community, or the parts of the same tree without directions; not one for each edge.
SELECT name, nodes, count(DISTINCT community) AS communities, count(DISTINCT community) = (SELECT count(*) FROM tlv_components(tlv_mmsb(query))) AS as_undirected,
       (SELECT count(*) FROM tlv_components(tlv_mmsb(query, directed => true, sides => 'separate'))) AS separate
FROM unnest('{10,60,200}'::int[]) nodes, LATERAL (VALUES ('path', format('SELECT i, i + 1 FROM generate_series(1, %s) i', nodes - 1)),
  ('cycle', format('SELECT i, i %% %s + 1 FROM generate_series(1, %1$s) i', nodes)), ('tree', format('SELECT i / 2, i FROM generate_series(2, %s) i', nodes)),
  ('ladder', format('SELECT i, i + d FROM generate_series(1, %s) i, generate_series(1, 2) d WHERE d = 2 OR i %% 2 = 1', nodes - 2))) g (name, query),
  LATERAL tlv_memberships(tlv_mmsb(query, directed => true)) WHERE name <> 'ladder' OR nodes < 200 GROUP BY name, nodes, query ORDER BY name, nodes;
-- The stored graph, text, JSON, an update of labels, and what is read off the model.
SELECT tlv_fit_mmsb(tlv_digraph_agg(a, b)) = (SELECT m FROM models WHERE kind = 'a ring' AND seed = 1) AS stored FROM edges WHERE kind = 'a ring';
SELECT bool_and(tlv_from_json(tlv_to_json(m)) = m) AS json, bool_and(m::text::tlv_model = m) AS text, bool_and(tlv_align(m, m) = m) AS aligned,
       min((SELECT count(*) FROM tlv_bridgeness(m))) AS bridges, min((SELECT count(*) FROM tlv_components(tlv_merge(m, '{1,2}')))) AS merged
FROM models WHERE kind = 'a ring';
SELECT tlv_edge_probability(m, 1, 2) > 3 * tlv_edge_probability(m, 2, 1) AS one_way FROM models WHERE kind = 'a ring' AND seed = 1;
-- Where there is nothing to choose.
SELECT tlv_mmsb('SELECT a, b FROM edges', 2, sides => 'tied');
SELECT tlv_mmsb('SELECT a, b FROM edges', 2, bipartite => true, sides => 'separate');
SELECT tlv_mmsb('SELECT a, b FROM edges', 2, alpha0 => .1, directed => true, sides => 'tied');
SELECT tlv_mmsb('SELECT a, b FROM edges', 2, directed => true, sides => 'both');
SELECT tlv_from_json(jsonb_set(tlv_to_json(m)::jsonb, '{graph}', '"bipartite"')::json) IS NOT NULL AS forged FROM models WHERE kind = 'a ring' AND seed = 1;
DROP SCHEMA directed CASCADE;
-- nodes with edges to themselves alone do not shift the others of a weighted directed graph
CREATE TEMP TABLE loops AS SELECT i % 40 AS src, CASE WHEN i % 6 = 0 THEN i % 40 ELSE (i * 7) % 40 END AS dst, 1 + (i % 13) / 3.0 AS w FROM generate_series(1, 600) i;
SELECT count(DISTINCT node) AS nodes FROM tlv_memberships(tlv_mmsb('SELECT src, dst, w FROM loops', directed => true));
