-- Communities of graphs: fit, driver and every accessor; kinds of graphs, weights, labels, groups.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\i test/sql/include/membership_vectors.sql
\set ECHO all
SET extra_float_digits = 0;
-- two groups of ten that know each other, joined by one edge; a node table beside it
CREATE TABLE comm_nodes AS SELECT i AS id, 'person ' || i AS name, i % 2 AS team FROM generate_series(1, 20) i;
CREATE TABLE comm_edges AS
  SELECT a.id::bigint AS src, b.id::bigint AS dst, 1 + (a.id * b.id) % 3 AS weight, a.team AS day FROM comm_nodes a JOIN comm_nodes b ON a.id < b.id AND a.team = b.team AND (a.id + b.id) % 3 <> 0;
INSERT INTO comm_edges VALUES (1, 2, 1, 0);
CREATE TABLE comm_models AS
  SELECT 'driver' AS name, tlv_mmsb('SELECT src, dst FROM comm_edges', 2) AS m
  UNION ALL SELECT 'fit', tlv_fit_mmsb(tlv_graph_agg(src, dst), k => 2) FROM comm_edges
  UNION ALL SELECT 'weighted', tlv_mmsb('SELECT src, dst, weight FROM comm_edges', 2)
  UNION ALL SELECT 'mixed', tlv_mmsb('SELECT src, dst FROM comm_edges', 2, alpha0 => 0.2)
  UNION ALL SELECT 'corrected', tlv_mmsb('SELECT src, dst FROM comm_edges', 2, degree_corrected => true)
  UNION ALL SELECT 'directed', tlv_mmsb('SELECT src, dst FROM comm_edges UNION ALL SELECT dst, src FROM comm_edges', 2, directed => true)
  UNION ALL SELECT 'bipartite', tlv_mmsb('SELECT src, dst + 100 FROM comm_edges UNION ALL SELECT dst, src + 100 FROM comm_edges', 2, bipartite => true);
SELECT a.m = b.m AS same FROM comm_models a, comm_models b WHERE a.name = 'driver' AND b.name = 'fit';
SELECT name, i->>'kind' AS kind, i->'graph' AS graph, i->'poisson' AS counts, i->'degree_corrected' AS corrected, i->'alpha0' AS alpha0,
       i->'arrays'->'connectivity' AS connectivity, i->'arrays'->'nodes_1' AS nodes_1, i->'arrays'->'nodes_2' AS nodes_2, m = (m::text)::tlv_model AS text_form
FROM comm_models, tlv_info(m) i ORDER BY name;

-- joined with the node table: one community is one team
SELECT c.name, count(*) AS nodes, count(DISTINCT (team, community)) AS pairs, round(min(membership)::numeric, 1) AS least
FROM comm_models c, LATERAL (SELECT DISTINCT ON (node, side) node, side, community, membership FROM tlv_memberships(m) ORDER BY node, side, membership DESC) x JOIN comm_nodes n ON n.id = x.node % 100
GROUP BY c.name ORDER BY c.name;
SELECT n.name, v.side, array_length(v.memberships, 1) AS k, (SELECT max(s) FROM unnest(v.memberships) s) AS most
FROM comm_models c, pg_temp.membership_vectors(m) v JOIN comm_nodes n ON n.id = v.node WHERE c.name = 'driver' AND n.id IN (1, 2) ORDER BY 1;
SELECT c.name, bool_and(abs((SELECT sum(s) FROM unnest(memberships) s) - 1) < 1e-9 AND (SELECT min(s) FROM unnest(memberships) s) >= 0) AS simplex,
       bool_and(memberships = (SELECT array_agg(coalesce(membership, 0) ORDER BY j)
                               FROM generate_series(1, 2) j LEFT JOIN tlv_memberships(c.m) x ON x.community = j AND x.node = v.node AND x.side = v.side)) AS same
FROM comm_models c, pg_temp.membership_vectors(m) v GROUP BY c.name ORDER BY c.name;
-- a threshold leaves out the small ones
SELECT count(*) FILTER (WHERE membership >= 0.9) = (SELECT count(*) FROM tlv_memberships((SELECT m FROM comm_models WHERE name = 'mixed'), threshold => 0.9)) AS same,
       bool_or(membership < 0.9) AS smaller_ones FROM comm_models, tlv_memberships(m) WHERE name = 'mixed';
-- communities by decreasing size, their alphas sum to alpha0
SELECT c.name, side, count(*), round(sum(alpha)::numeric, 6) AS alpha0, round(sum(size)::numeric, 3) AS nodes, bool_and(size <= before OR before IS NULL) AS descending
FROM comm_models c, LATERAL (SELECT *, lag(size) OVER (PARTITION BY side ORDER BY community) AS before FROM tlv_communities(m)) x
WHERE c.name <> 'bipartite' GROUP BY c.name, side ORDER BY c.name, side;
SELECT c.name, community_a, community_b, round(probability::numeric, 3) AS probability FROM comm_models c, tlv_connectivity(m) WHERE c.name IN ('driver', 'weighted') ORDER BY 1, 2, 3;
-- the block model's probabilities are those of its edges
SELECT bool_and(abs(p.probability - CASE WHEN community_a = community_b THEN 2 ELSE 1 END * q.edges / (10 * CASE WHEN community_a = community_b THEN 9 ELSE 10 END)) < 1e-12) AS exact
FROM comm_models c, tlv_connectivity(m) p JOIN LATERAL (SELECT count(*)::float8 AS edges FROM comm_edges e, tlv_memberships(c.m) s, tlv_memberships(c.m) d
                                                        WHERE s.node = e.src AND d.node = e.dst AND (s.community, d.community) IN ((community_a, community_b), (community_b, community_a))) q ON true
                                                        WHERE c.name = 'driver';
SELECT c.name, round(min(bridgeness)::numeric, 3) AS least, round(max(bridgeness)::numeric, 3) AS most, bool_and(abs(degree_corrected - bridgeness * degree) < 1e-9) AS times_degree
FROM comm_models c, tlv_bridgeness(m) b JOIN LATERAL (SELECT count(*) AS degree FROM comm_edges WHERE b.node IN (src, dst)) d ON true WHERE c.name = 'driver' GROUP BY c.name;
SELECT bool_and(bridgeness BETWEEN 0 AND 1) AS ranges, bool_and(abs(bridgeness - (1 - sqrt(2 * ((memberships[1] - 0.5) ^ 2 + (memberships[2] - 0.5) ^ 2)))) < 1e-6) AS formula
FROM comm_models, tlv_bridgeness(m) JOIN pg_temp.membership_vectors(m) USING (node, side) WHERE name = 'mixed';

-- nodes that were not in the graph, from their neighbours
SELECT name, tlv_assign(m, '{2:1,4:1,6:1,8:1}') = (SELECT community FROM tlv_memberships(m) WHERE node = 4 ORDER BY membership DESC
                                                   LIMIT 1) AS even, tlv_assign(m, '{1:1,3:1,5:1}') = (SELECT community FROM tlv_memberships(m) WHERE node = 3 ORDER BY membership DESC LIMIT 1) AS odd,
  (SELECT max(s) FROM unnest(tlv_infer(m, '{1:1,3:1,5:1}')) s) > 0.6 AS sure, tlv_log_likelihood(m, '{1:1,3:1,5:1}') > tlv_log_likelihood(m, '{1:1,2:1,5:1}') AS likelier
FROM comm_models WHERE name IN ('driver', 'mixed', 'weighted', 'corrected') ORDER BY name;
-- the graph's own neighbour bags again
SELECT c.name, bool_and(tlv_assign(m, neighbours) = community) AS same
FROM comm_models c, (SELECT node, tlv_bag_agg(other) AS neighbours FROM comm_edges, LATERAL (VALUES (src, dst), (dst, src)) e(node, other) GROUP BY node) n,
    LATERAL (SELECT community FROM tlv_memberships(m) x
        WHERE x.node = n.node ORDER BY membership DESC LIMIT 1) x WHERE c.name IN ('driver', 'corrected') GROUP BY c.name ORDER BY c.name;

-- what the numbers are worth
SELECT string_agg(DISTINCT d.measure, ' ' ORDER BY d.measure) AS names FROM comm_models c, tlv_diagnostics(m) d WHERE c.name = 'driver';
SELECT string_agg(DISTINCT d.measure, ' ' ORDER BY d.measure) AS names
FROM comm_models c, tlv_diagnostics(m) d WHERE c.name = 'mixed';
SELECT d.measure, round(score::numeric, 3) AS score FROM comm_models c, tlv_diagnostics(m) d
WHERE c.name = 'driver' AND d.measure IN ('nodes', 'edges', 'weight', 'self_loops', 'nulls', 'connected_components', 'nodes_of_largest_connected_component',
                                       'nodes_without_edges', 'k', 'k_chosen', 'alpha0', 'modularity', 'conductance') ORDER BY 1;

-- a part of the edges, and a fit for every group of them
SELECT count(*) AS nodes FROM tlv_memberships((SELECT tlv_mmsb('SELECT src, dst FROM comm_edges WHERE day = 1', 1)));
SELECT count(*) AS nodes FROM tlv_memberships((SELECT tlv_fit_mmsb(tlv_graph_agg(src, dst) FILTER (WHERE day = 1), 1) FROM comm_edges));
CREATE TABLE comm_days AS SELECT d AS day, src, dst FROM generate_series(1, 3) d, tlv_simulate_mmsb(tlv_simulate_mmsb_model(120, d + 1, within => 0.5, across => 0.03), seed => d);
SELECT day, count(DISTINCT community) AS communities, count(*) AS nodes, bool_and(membership = 1) AS whole
FROM (SELECT day, tlv_fit_mmsb(tlv_graph_agg(src, dst)) AS m FROM comm_days GROUP BY day OFFSET 0) q, tlv_memberships(m) GROUP BY day ORDER BY day;
SELECT measure, score FROM tlv_diagnostics((SELECT tlv_mmsb('SELECT src, dst FROM comm_days WHERE day = 3', max_k => 10))) WHERE measure IN ('k', 'k_chosen') ORDER BY measure;
SELECT count(*) AS grouping_sets FROM (SELECT day, tlv_fit_mmsb(tlv_graph_agg(src, dst), 2) AS m FROM comm_days GROUP BY GROUPING SETS ((day), ())) q WHERE m IS NOT NULL;
-- stored partial graphs
SELECT tlv_fit_mmsb(tlv_rollup(g), 2) = (SELECT m FROM comm_models WHERE name = 'fit') AS same FROM (SELECT tlv_graph_agg(src, dst) AS g FROM comm_edges GROUP BY src % 3) q;

-- against the truth that graphs were drawn from
CREATE TABLE comm_truth AS
  SELECT kind, alpha0, tlv_simulate_mmsb_model(400, 3, alpha0 => alpha0, within => 0.3, across => 0.02, kind => kind, targets => CASE kind WHEN 'bipartite' THEN 300 END, seed => 3) AS m
  FROM unnest('{undirected,directed,bipartite}'::text[]) kind, unnest('{0,0.3}'::float8[]) alpha0;
CREATE TABLE comm_fits AS SELECT t.kind, t.alpha0, t.m AS truth, tlv_fit_mmsb(CASE t.kind WHEN 'directed' THEN tlv_digraph_agg(src, dst) WHEN 'bipartite' THEN tlv_bigraph_agg(src, dst)
  ELSE tlv_graph_agg(src, dst) END, 3, alpha0 => t.alpha0) AS m
  FROM comm_truth t, tlv_simulate_mmsb(t.m, seed => 4) GROUP BY t.kind, t.alpha0, t.m;
SELECT kind, alpha0, side, (SELECT score FROM tlv_scores(tlv_membership_pairs(t.memberships, e.memberships)) WHERE measure = 'membership_l1') < CASE alpha0 WHEN 0 THEN 0.001 ELSE 0.25 END AS near
FROM comm_fits, pg_temp.membership_vectors(truth) t JOIN pg_temp.membership_vectors(m) e USING (node, side) GROUP BY kind, alpha0, side ORDER BY 1 DESC, 2, 3;
-- both sides number communities alike
SELECT kind, alpha0, bool_and(community_a = best) AS aligned
FROM (SELECT kind, alpha0, community_a, (array_agg(community_b ORDER BY probability DESC))[1] AS best FROM comm_fits, tlv_connectivity(m) GROUP BY 1, 2, 3) q GROUP BY 1, 2 ORDER BY 1 DESC, 2;
-- every method, refinement and model of edges; the same seed is the same model
SELECT method, refine, count(*) AS nodes, round(tlv_nmi(x.community, y.community)::numeric, 2) AS nmi
FROM (SELECT * FROM comm_fits WHERE kind = 'undirected' AND alpha0 = 0) f, unnest('{joint,power,als,sgd}'::text[]) method, unnest('{auto,likelihood,em,none}'::text[]) refine,
  LATERAL (SELECT tlv_fit_mmsb(tlv_graph_agg(src, dst), 3, method => method, refine => refine) AS m FROM tlv_simulate_mmsb(f.truth, seed => 4)) q,
  LATERAL (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(q.m) ORDER BY node, membership DESC) x JOIN tlv_memberships(f.truth) y USING (node)
GROUP BY method, refine ORDER BY method, refine;
SELECT tlv_fit_mmsb(g, 3) = tlv_fit_mmsb(g, 3, seed => 1) AS same, tlv_fit_mmsb(g, 3, edges => 'auto') = tlv_fit_mmsb(g, 3, edges => 'bernoulli') AS bernoulli,
  (tlv_info(tlv_fit_mmsb(g, 3, edges => 'poisson'))->>'poisson') AS poisson,
  tlv_fit_mmsb(g, 3, method => NULL, refine => NULL, edges => NULL, degree_corrected => NULL, alpha0 => NULL, max_k => NULL, seed => NULL) IS NOT NULL AS nulls
FROM (SELECT tlv_graph_agg(src, dst) AS g FROM comm_fits, tlv_simulate_mmsb(truth, seed => 4) WHERE kind = 'undirected' AND alpha0 = 0) q;

-- known labels, as a query and as a bag: they number the communities
SELECT kind, mixed, bool_and(community = CASE WHEN node % 100 % 2 = 0 THEN 1 ELSE 2 END) AS as_labelled
FROM unnest('{false,true}'::bool[]) mixed, unnest('{undirected,directed}'::text[]) kind,
     LATERAL (SELECT tlv_mmsb('SELECT src, dst FROM comm_edges UNION ALL SELECT dst, src FROM comm_edges', 2, alpha0 => CASE WHEN mixed THEN 0.2 ELSE 0 END,
                              directed => kind = 'directed', labels => 'SELECT id, 2 - (id + 1) % 2 FROM comm_nodes WHERE id IN (3, 4)') AS m) q,
  LATERAL (SELECT DISTINCT ON (node, side) node, community FROM tlv_memberships(m) ORDER BY node, side, membership DESC) x GROUP BY 1, 2 ORDER BY 1 DESC, 2;
SELECT tlv_fit_mmsb(tlv_graph_agg(src, dst), 2, labels => '{3:2,4:1}') = tlv_mmsb('SELECT src, dst FROM comm_edges', 2, labels => 'VALUES (3, 2), (4, 1), (4, 1)') AS same
FROM comm_edges;
SELECT score, message, hint FROM tlv_warnings(tlv_mmsb('SELECT src, dst FROM comm_edges', 2, labels => 'VALUES (3, 2), (4, 1), (NULL, 1), (5, NULL)')) WHERE code = 'unmatched_labels';
SELECT node, community, membership FROM tlv_memberships((SELECT tlv_fit_mmsb(tlv_graph_agg(src, dst), 2, alpha0 => 0.5, labels => '{3:2,4:1,1000:1}') FROM comm_edges)) WHERE node IN (3, 4)
  ORDER BY node;

-- what is left out is counted; nodes without edges have rows with nulls
CREATE TABLE comm_left AS SELECT tlv_mmsb($$SELECT src, dst FROM comm_edges UNION ALL SELECT dst, src FROM comm_edges
                                          UNION ALL VALUES (NULL, 1), (1, NULL), (NULL, NULL), (5, 5), (77, 77), (9223372036854775807, -9223372036854775808)$$, 2) AS m;
SELECT d.measure, score FROM comm_left, tlv_diagnostics(m) d WHERE d.measure IN ('nodes', 'edges', 'self_loops', 'nulls', 'nodes_without_edges', 'connected_components') ORDER BY 1;
SELECT x.* FROM comm_left, tlv_memberships(m) x WHERE node = 77 OR community IS NULL;
SELECT count(*) FROM comm_left, tlv_memberships(m, 0.01) WHERE node = 77;
SELECT v.*, b.bridgeness, b.degree_corrected FROM comm_left, pg_temp.membership_vectors(m) v JOIN tlv_bridgeness(m) b USING (node, side) WHERE node = 77;
SELECT count(*) AS ends_of_bigint, count(DISTINCT community) AS communities FROM comm_left, tlv_memberships(m, 0.5) WHERE node IN (9223372036854775807, -9223372036854775808);
-- of a directed graph a node may have edges on one side only
SELECT node, side, community IS NULL AS none FROM tlv_memberships((SELECT tlv_fit_mmsb(tlv_digraph_agg(a, b), 1) FROM (VALUES (1, 2), (1, 3), (2, 3)) v(a, b))) ORDER BY node, side;
-- and one of neither side counts once
SELECT string_agg(score::text, ' ' ORDER BY sides) FROM unnest('{separate,tied}'::text[]) sides,
  tlv_diagnostics(tlv_mmsb('SELECT a, b FROM (VALUES (1, 2), (1, 3), (2, 3), (8, 8), (9, 9)) v(a, b)', 1, directed => true, sides => sides)) d WHERE measure = 'nodes_without_edges';
-- two-colourable: said so; as bipartite, no warning
SELECT bipartite, count(*) FILTER (WHERE measure LIKE 'warning: every edge joins two groups%') AS said
FROM unnest('{false,true}'::bool[]) bipartite,
     LATERAL (SELECT tlv_mmsb('SELECT i, 10 + j FROM generate_series(1, 9) i, generate_series(1, 9) j WHERE (i + j) % 4 < 2', 1, bipartite => bipartite) AS m) q, tlv_diagnostics(m)
     GROUP BY bipartite ORDER BY bipartite;
-- very different degrees: said so
SELECT corrected, (SELECT count(*) FROM tlv_warnings(m) WHERE message LIKE 'degrees vary%') AS said
FROM unnest('{false,true}'::bool[]) corrected, LATERAL (SELECT tlv_fit_mmsb(tlv_graph_agg(1, i), 1, degree_corrected => corrected) AS m FROM generate_series(2, 40) i) q
ORDER BY corrected;
-- one community: the density
SELECT community_a, community_b, round(probability::numeric, 4) AS probability FROM tlv_connectivity((SELECT tlv_mmsb('VALUES (1, 2), (2, 3), (3, 4)', 1)));
-- nothing
SELECT tlv_mmsb('SELECT src, dst FROM comm_edges WHERE false', 2);
SELECT tlv_mmsb(NULL, 2) AS no_query, tlv_fit_mmsb(NULL, 2) AS no_graph,
       (SELECT count(*) FROM tlv_memberships(NULL)) AS no_model;

-- in views, functions, prepared statements; on other types and names of columns
CREATE VIEW comm_view AS SELECT node, community FROM tlv_memberships((SELECT tlv_mmsb('SELECT src::int AS a, dst::smallint AS a FROM comm_edges', 2)));
SELECT count(*), count(DISTINCT community) FROM comm_view;
PREPARE comm_fit(int) AS SELECT count(*) FROM tlv_communities((SELECT tlv_mmsb('TABLE comm_pairs', $1)));
CREATE VIEW comm_pairs AS SELECT src, dst, weight::numeric / 2 AS weight FROM comm_edges;
EXECUTE comm_fit(2);
EXECUTE comm_fit(1);
SELECT count(*) FROM tlv_communities((SELECT tlv_mmsb('WITH e AS (SELECT src, dst FROM comm_edges) SELECT * FROM e ORDER BY 1; -- all', 2)));
-- stored, compared, hashed
SELECT count(DISTINCT m) AS different, count(*) AS models FROM comm_models;
DROP VIEW comm_view, comm_pairs;
DROP TABLE comm_nodes, comm_edges, comm_models, comm_days, comm_truth, comm_fits, comm_left;

-- graphs that have few 3-stars: hubs with leaves, stars joined at their centres, a ring of bicliques
CREATE TABLE comm_hubs AS
SELECT i src, i % 200 dst FROM generate_series(200, 4999) i
UNION SELECT i, (i * 7 + 1) % 200 FROM generate_series(200, 2499) i WHERE i % 200 / 20 = ((i * 7 + 1) % 200) / 20
UNION SELECT a, b FROM generate_series(0, 199) a, generate_series(0, 199) b WHERE a < b AND a / 20 = b / 20
UNION SELECT a, a + 20 FROM generate_series(0, 179) a;
CREATE TABLE comm_stars AS SELECT 100 + i src, i % 20 dst FROM generate_series(0, 1999) i UNION ALL SELECT i, 0 FROM generate_series(1, 19) i;
CREATE TABLE comm_bicliques AS SELECT b * 10 + h AS src, b * 10 + 5 + l AS dst FROM generate_series(1, 20) b, generate_series(1, 2) h, generate_series(0, 4) l
UNION SELECT b * 10 + 1, (b % 20 + 1) * 10 + 1 FROM generate_series(1, 20) b;
-- equal parts have equal eigenvalues: rounding decides which directions the fits find and what they warn of
SET tensorlv.warnings = off;
SELECT (SELECT count(*) FROM tlv_communities(tlv_mmsb('SELECT src, dst FROM comm_hubs', degree_corrected => true))) AS hubs,
       (SELECT count(*) FROM tlv_communities(tlv_mmsb('SELECT src, dst FROM comm_stars', k => 20))) AS stars_20,
       (SELECT count(*) FROM tlv_communities(tlv_mmsb('SELECT src, dst FROM comm_stars'))) AS stars,
       (SELECT count(*) FROM tlv_communities(tlv_mmsb('SELECT src, dst FROM comm_bicliques'))) AS bicliques,
       (SELECT count(*) FROM tlv_communities(tlv_mmsb('SELECT src, dst FROM comm_bicliques', k => 20))) AS bicliques_20;
RESET tensorlv.warnings;
SELECT w.code FROM tlv_warnings(tlv_mmsb('SELECT src, dst FROM comm_stars')) w;
-- one community a node, and how sure that is: as sure as tlv_infer is of the same neighbours, or nearly
CREATE TABLE comm_faint AS SELECT s.src, s.dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(600, 2, 0, 0.05, 0.022, seed => 20), 30) s;
CREATE TABLE comm_faint_fit AS SELECT tlv_mmsb('SELECT src, dst FROM comm_faint', k => 2) m;
SELECT count(*) FILTER (WHERE v.memberships[1] BETWEEN 0.01 AND 0.99) > 50 AS soft,
       avg(abs(v.memberships[1] - (tlv_infer(f.m, n.neighbours))[1])) < 0.02 AS as_inferred
FROM comm_faint_fit f, pg_temp.membership_vectors(f.m) v JOIN
  (SELECT node, tlv_bag_agg(other) AS neighbours FROM comm_faint, LATERAL (VALUES (src, dst), (dst, src)) e(node, other) GROUP BY node) n USING (node);
DROP TABLE comm_hubs, comm_stars, comm_bicliques, comm_faint, comm_faint_fit;

-- the probability of edges, by number and by name; labels beside sizes
CREATE TEMP TABLE comm_cliques AS SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND (a <= 10) = (b <= 10);
WITH f AS (SELECT tlv_mmsb('TABLE comm_cliques', 2, degree_corrected => false) AS m)
SELECT tlv_kind(m), round(tlv_edge_probability(m, 1, 2)::numeric, 3) AS within, round(tlv_edge_probability(m, 12, 1)::numeric, 3) AS between,
       tlv_edge_probability(m, 1, 99) IS NULL AS unknown, tlv_edge_probability(m, NULL::bigint, 1) IS NULL AS is_null,
       (SELECT max(abs(tlv_edge_probability(m, x.node, y.node) - c.probability)) < 1e-6
        FROM tlv_memberships(m) x, tlv_memberships(m) y, tlv_connectivity(m) c WHERE x.community = community_a AND y.community = community_b) AS is_connectivity,
       (SELECT array_agg(concat_ws(' ', community, label, side, size) ORDER BY community) FROM tlv_communities(tlv_label(m, 1, 'first'))) AS communities FROM f;
WITH f AS (SELECT tlv_mmsb('SELECT ''n'' || a, b, 3 FROM comm_cliques', 2, bipartite => true, edges => 'poisson', degree_corrected => true) AS m)
SELECT tlv_edge_probability(m, 'n1', 5) > .5 AS within, tlv_edge_probability(m, 'n1', 15) < .2 AS between, tlv_edge_probability(m, 'x', 5) IS NULL AS unknown,
       tlv_edge_probability(m, 'n1', '5') = tlv_edge_probability(m, 'n1', 5) AS digits,
       (SELECT max(tlv_edge_probability(m, 'n' || a, b)) <= 1 FROM comm_cliques) AS at_most_1 FROM f;
SELECT tlv_edge_probability(tlv_simulate_gmm_model(2, 2), 1, 2);
SELECT tlv_kind(tlv_graph_agg(1, 2)), tlv_kind(tlv_label_pairs(1, 2)), tlv_kind(tlv_find_subspace(tlv_count_summary(tlv_to_bag(ARRAY[1, 2, 3])), 1));
-- threads change no bit of a model, whether memberships are mixed or not
CREATE TABLE comm_large AS SELECT tlv_graph_agg(src, dst) AS g FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(12000, 3, alpha0 => 0.2, within => 0.003, across => 0.0003, seed => 4), 1);
CREATE TABLE comm_one AS SELECT a, tlv_fit_mmsb(g, 3, alpha0 => a) AS m FROM comm_large, unnest('{0,0.2}'::float8[]) a;
SET tensorlv.threads = 3;
SELECT a, tlv_fit_mmsb(g, 3, alpha0 => a) = m AS same, (SELECT count(*) FROM tlv_communities(m)) AS communities FROM comm_large, comm_one;
RESET tensorlv.threads;
-- it is not everybody's to give a backend threads
SELECT setting, context FROM pg_settings WHERE name = 'tensorlv.threads';
DROP TABLE comm_one, comm_large;
-- a limit that is ours is raised, the greatest is not
SELECT max_k, w.code, w.hint
FROM (VALUES (1050, NULL::int), (30, 20)) v(cliques, max_k), LATERAL tlv_warnings(tlv_mmsb(
    format('SELECT 5 * c + a, 5 * c + b FROM generate_series(1, %s) c, generate_series(1, 5) a, generate_series(1, 5) b WHERE a < b', cliques), max_k => max_k)) w
WHERE code = 'k_at_limit';
