-- Simulated block models and graphs; memberships of new nodes.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE TABLE sim_models AS
  SELECT kind, dc, poisson, tlv_simulate_mmsb_model(400, 4, alpha0 => CASE WHEN dc THEN 0.4 ELSE 0 END, within => 0.3, across => 0.02,
                                                    kind => kind, targets => CASE kind WHEN 'bipartite' THEN 150 END, degree_exponent => CASE WHEN dc THEN 3 END, poisson => poisson, seed => 7) AS m
  FROM unnest(ARRAY['undirected', 'directed', 'bipartite']) kind, unnest(ARRAY[false, true]) dc, unnest(ARRAY[false, true]) poisson;
SELECT kind, dc, poisson, i->'graph' AS graph, i->'alpha0' AS alpha0, i->'poisson' AS counts, i->'degree_corrected' AS corrected, i->'seed' AS seed,
       i->'arrays'->'sizes' AS sizes, i->'arrays'->'nodes_1' AS nodes_1, i->'arrays'->'nodes_2' AS nodes_2, m = (m::text)::tlv_model AS text_form
FROM sim_models, tlv_info(m) i ORDER BY kind DESC, dc, poisson;
-- edges: within their nodes, each once, no self-loops; as many as the model says
SELECT kind, dc, poisson, count(*) = count(DISTINCT (src, dst)) AS once, bool_and(src BETWEEN 1 AND 400 AND dst BETWEEN 1 AND CASE kind WHEN 'bipartite' THEN 150 ELSE 400 END) AS known,
  bool_and(CASE kind WHEN 'undirected' THEN src < dst WHEN 'directed' THEN src <> dst ELSE true END) AS ordered, bool_or(src > dst) AS both_ways,
  bool_or(src = dst) AS loops, max(weight) > 1 AS multiple,
  sum(weight) / (CASE kind WHEN 'undirected' THEN 79800 WHEN 'directed' THEN 159600 ELSE 60000 END * 0.09) BETWEEN 0.85 AND 1.15 AS expected
FROM sim_models, tlv_simulate_mmsb(m, seed => 3) GROUP BY kind, dc, poisson ORDER BY kind DESC, dc, poisson;
-- the same seed, the same graph
SELECT kind, md5(string_agg(concat_ws(' ', a.src, a.dst, a.weight), ',' ORDER BY n)) = (SELECT md5(string_agg(concat_ws(' ', src, dst, weight), ',' ORDER BY n))
        FROM tlv_simulate_mmsb(m, 1) WITH ORDINALITY b(src, dst, weight, n)) AS same,
  md5(string_agg(concat_ws(' ', a.src, a.dst, a.weight), ',' ORDER BY n)) = (SELECT md5(string_agg(concat_ws(' ', src, dst, weight), ',' ORDER BY n))
          FROM tlv_simulate_mmsb(m, 2) WITH ORDINALITY b(src, dst, weight, n)) AS other_seed
FROM sim_models, tlv_simulate_mmsb(m) WITH ORDINALITY a(src, dst, weight, n) WHERE NOT dc AND NOT poisson GROUP BY kind, m ORDER BY kind DESC;
SELECT tlv_simulate_mmsb_model(50, 3, seed => 1) = tlv_simulate_mmsb_model(50, 3) AS same, tlv_simulate_mmsb_model(50, 3, seed => 2) = tlv_simulate_mmsb_model(50, 3) AS other_seed;
-- probabilities 0 and 1
SELECT within, (SELECT count(*) FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(40, 1, within => within))) AS edges FROM unnest(ARRAY[0, 1]) within;
SELECT count(*) AS complete FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(30, 3, alpha0 => 1, within => 1, across => 1, kind => 'bipartite', targets => 20));

-- memberships of new nodes from their neighbours: simulated ones again, community by community
CREATE TABLE sim_edges AS SELECT kind, dc, src, dst, weight FROM sim_models, tlv_simulate_mmsb(m) WHERE NOT poisson;
INSERT INTO sim_edges SELECT kind, dc, dst, src, weight FROM sim_edges WHERE kind = 'undirected';
CREATE TABLE sim_new AS
  SELECT kind, dc, node, tlv_infer(m, bag) AS shares, tlv_assign(m, bag) AS community, tlv_log_likelihood(m, bag) AS log_likelihood
  FROM sim_models, LATERAL (SELECT src AS node, tlv_bag_agg(dst, weight) AS bag FROM sim_edges e WHERE e.kind = sim_models.kind AND e.dc = sim_models.dc GROUP BY src OFFSET 0) e WHERE NOT poisson;
SELECT kind, dc, count(*) > 380 AS nodes, bool_and(abs((SELECT sum(s) FROM unnest(shares) s) - 1) < 1e-9 AND (SELECT min(s) FROM unnest(shares) s) >= 0) AS simplex,
       bool_and(log_likelihood < 0) AS likelihood, count(DISTINCT community) AS communities
FROM sim_new GROUP BY kind, dc ORDER BY kind DESC, dc;
-- against another graph of the same model: one community a node, so both find the same
SELECT s.kind, round(tlv_nmi(n.community, tlv_assign(m, o.bag))::numeric, 2) AS nmi
FROM sim_models s, LATERAL (SELECT src AS node, tlv_bag_agg(dst, weight) AS bag FROM tlv_simulate_mmsb(s.m, 9) GROUP BY src OFFSET 0) o JOIN sim_new n USING (node)
WHERE NOT s.dc AND NOT poisson AND NOT n.dc AND n.kind = s.kind AND s.kind <> 'undirected' GROUP BY s.kind ORDER BY s.kind DESC;
-- nobody known: what is known before
SELECT dc, tlv_infer(m, '{100000:1}') AS unknown, tlv_infer(m, '{}') = tlv_infer(m, '{-1:2}') AS none FROM sim_models WHERE kind = 'directed' AND dc AND NOT poisson;
SELECT abs((SELECT sum(s) FROM unnest(tlv_infer(m, '{100000:1}')) s) - 1) < 1e-12 AS unknown FROM sim_models WHERE kind = 'directed' AND NOT dc AND NOT poisson;

-- bad input
SELECT name, v, pg_temp.outcome(format('SELECT tlv_simulate_mmsb_model(nodes => %s, k => %s%s) IS NOT NULL', CASE name WHEN 'nodes' THEN v ELSE '10' END,
                                       CASE name WHEN 'k' THEN v ELSE '2' END, CASE WHEN name NOT IN ('nodes', 'k') THEN format(', %s => %s', name, v) END)) AS outcome
FROM (VALUES ('nodes', '0'), ('nodes', 'NULL'), ('k', '0'), ('k', '70000'), ('alpha0', '-1'), ('alpha0', '''NaN'''), ('within', '1.5'),
      ('within', '-0.1'), ('across', 'NULL'), ('across', '''Infinity'''), ('kind', '''tree'''), ('targets', '5'), ('degree_exponent', '2'), ('degree_exponent', '''NaN'''), ('seed', '-1')) q(name, v);
SELECT pg_temp.outcome('SELECT tlv_simulate_mmsb_model(10, 2, kind => ''bipartite'')') AS targets,
       pg_temp.outcome('SELECT count(*) FROM tlv_simulate_mmsb(tlv_simulate_lda_model(10, 2))') AS lda,
       pg_temp.outcome('SELECT count(*) FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(10, 2), -1)') AS seed;
SELECT pg_temp.outcome('SELECT tlv_infer(m, ''{1:1e200}'') FROM sim_models WHERE kind = ''undirected'' AND dc AND NOT poisson') AS weight,
       pg_temp.outcome('SELECT tlv_perplexity(tlv_bag ''{1:1}'', m) FROM sim_models LIMIT 1') AS perplexity;
SET tensorlv.work_mem = '16kB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_simulate_mmsb_model(20000, 3)'), '[0-9.]+ ?[kM]B', '...', 'g') AS model,
       regexp_replace(pg_temp.outcome('SELECT count(*) FROM sim_models, tlv_simulate_mmsb(m) WHERE dc'), '[0-9.]+ ?[kM]B', '...', 'g') AS edges;
RESET tensorlv.work_mem;
-- ends when it is told to
SET statement_timeout = '300ms';
SELECT count(*) FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(20000, 1, within => 0.5));
\echo :SQLSTATE
RESET statement_timeout;
DROP TABLE sim_models, sim_edges, sim_new;
