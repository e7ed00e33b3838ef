-- Edges into graphs: every way of collecting gives the same value; reading; input and output; errors.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\i test/sql/include/membership_vectors.sql
\set ECHO all
CREATE TABLE graph_edges AS
  SELECT i AS id, (i * 7919 % 211)::bigint AS src, (i * i % 193)::bigint AS dst, (1 + i % 4) * 0.25::float8 AS weight, (i % 7)::int AS day FROM generate_series(1, 3000) i;
INSERT INTO graph_edges VALUES (-1, NULL, 1, 1, 0), (-2, 1, NULL, 1, 3), (-3, 1, 2, NULL, 3), (-4, 9223372036854775807, -9223372036854775808, 2, 1), (-5, 4000, 4000, 2, 2);
INSERT INTO graph_edges SELECT 10000 + i, NULL, i, NULL, 8 FROM generate_series(1, 5) i;    -- a day of nothing else
ANALYZE graph_edges;
CREATE TABLE graph_parts (LIKE graph_edges) PARTITION BY LIST (day);
CREATE TABLE graph_parts_a PARTITION OF graph_parts FOR VALUES IN (0, 1, 2, 8);
CREATE TABLE graph_parts_b PARTITION OF graph_parts DEFAULT;
INSERT INTO graph_parts SELECT * FROM graph_edges;
ANALYZE graph_parts;

-- against plain SQL: what the graph holds, for every kind
CREATE FUNCTION pg_temp.differs(g tlv_graph, kind text, weighted boolean) RETURNS bigint LANGUAGE sql AS $$
  WITH rows AS (
    SELECT CASE WHEN kind = 'undirected' THEN least(src, dst) ELSE src END AS src, CASE WHEN kind = 'undirected' THEN greatest(src, dst) ELSE dst END AS dst,
           sum(CASE WHEN weighted THEN weight ELSE 1 END) AS weight
    FROM graph_edges WHERE src IS NOT NULL AND dst IS NOT NULL AND (NOT weighted OR weight IS NOT NULL) AND (kind = 'bipartite' OR src <> dst) GROUP BY 1, 2)
  SELECT count(*) FROM ((TABLE rows EXCEPT ALL SELECT src, dst, e.weight FROM tlv_edges(g) e) UNION ALL (SELECT src, dst, e.weight FROM tlv_edges(g) e EXCEPT ALL TABLE rows)) d
$$;
SELECT kind, pg_temp.differs(CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst) WHEN 'bipartite' THEN tlv_bigraph_agg(src, dst)
  ELSE tlv_graph_agg(src, dst) END, kind, false) AS counted, pg_temp.differs(CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst, weight) WHEN 'bipartite'
    THEN tlv_bigraph_agg(src, dst, weight) ELSE tlv_graph_agg(src, dst, weight) END, kind, true) AS weighted
FROM graph_edges, unnest('{undirected,directed,bipartite}'::text[]) kind GROUP BY kind ORDER BY kind;
SELECT tlv_graph_agg(src, dst) = tlv_graph_agg(dst, src) AS reversed, tlv_digraph_agg(src, dst) = tlv_digraph_agg(dst, src) AS reversed_directed,
       tlv_graph_agg(src, dst) = tlv_graph_agg(src, dst, 1) AS weight_says_so, tlv_graph_agg(src, dst ORDER BY id) = tlv_graph_agg(src, dst ORDER BY -id) AS any_order
FROM graph_edges;
SELECT kind, tlv_info(CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst) WHEN 'bipartite' THEN tlv_bigraph_agg(src, dst)
  ELSE tlv_graph_agg(src, dst) END) - 'bytes' - 'fingerprint' - 'arrays' AS counted, tlv_info(CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst, weight) WHEN 'bipartite'
    THEN tlv_bigraph_agg(src, dst, weight) ELSE tlv_graph_agg(src, dst, weight) END) - 'bytes' - 'fingerprint' - 'arrays' AS weighted
FROM graph_edges, unnest('{undirected,directed,bipartite}'::text[]) kind GROUP BY kind ORDER BY kind;

-- One aggregate call; tells which paths give another value than the direct one.
CREATE FUNCTION graph_paths(call text) RETURNS TABLE (path text, same boolean) LANGUAGE plpgsql AS $$
DECLARE
  direct text;
  names text[] := '{grouped, added, windowed, "window prefix", sliding, filtered, "grouping sets", parallel, "parallel groups", "hashed, spilled", sorted, partition-wise, subquery}';
  queries text[] := ARRAY[
    format('SELECT tlv_rollup(p) FROM (SELECT day, %s AS p FROM graph_edges GROUP BY day) g', call),
    format('SELECT (SELECT %1$s FROM graph_edges WHERE day < 2) + (SELECT %1$s FROM graph_edges WHERE day BETWEEN 2 AND 4) + (SELECT %1$s FROM graph_edges WHERE day > 4)', call),
    format('SELECT w FROM (SELECT id, %s OVER (ORDER BY id) AS w FROM graph_edges) q ORDER BY id DESC LIMIT 1', call),
    format('SELECT CASE WHEN w = (SELECT %1$s FROM graph_edges WHERE id <= 700) THEN ''direct'' END FROM (SELECT id, %1$s OVER (ORDER BY id) AS w FROM graph_edges) q WHERE id = 700', call),
    format('SELECT CASE WHEN w = (SELECT %1$s FROM graph_edges WHERE id BETWEEN 601 AND 700) THEN ''direct'' END
        FROM (SELECT id, %1$s OVER (ORDER BY id RANGE 99 PRECEDING) AS w FROM graph_edges WHERE id BETWEEN 500 AND 800) q WHERE id = 700', call),
    format('SELECT CASE WHEN %1$s FILTER (WHERE day = 5) = (SELECT %1$s FROM graph_edges WHERE day = 5) THEN ''direct'' END FROM graph_edges', call),
    format('SELECT p FROM (SELECT day, grouping(day) AS g, %s AS p FROM graph_edges GROUP BY GROUPING SETS ((day), ())) q WHERE g = 1', call),
    format('SELECT %s FROM graph_edges', call),
    format('SELECT tlv_rollup(p) FROM (SELECT id %% 5, %s AS p FROM graph_edges GROUP BY 1) q', call),
    format('SELECT tlv_rollup(p) FROM (SELECT id %% 100, %s AS p FROM graph_edges GROUP BY 1) q', call),
    format('SELECT tlv_rollup(p) FROM (SELECT id %% 100, %s AS p FROM graph_edges GROUP BY 1) q', call),
    format('SELECT %s FROM graph_parts', call),
    format('SELECT (SELECT %s FROM graph_edges)', call)];
  settings text[];
  result text;
BEGIN
  EXECUTE format('SELECT %s FROM graph_edges', call) INTO direct;
  FOR i IN 1 .. array_length(names, 1) LOOP
    settings := CASE
      WHEN names[i] LIKE 'parallel%' THEN '{max_parallel_workers_per_gather=2,parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'
      WHEN names[i] LIKE 'hashed%' THEN '{enable_sort=off,work_mem=64kB}'
      WHEN names[i] = 'sorted' THEN '{enable_hashagg=off}'
      WHEN names[i] = 'partition-wise' THEN '{enable_partitionwise_aggregate=on}'
      ELSE '{}' END;
    PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM unnest(settings) s;
    IF names[i] IN ('parallel', 'partition-wise') AND pg_temp.nodes(queries[i]) NOT LIKE 'Finalize Aggregate%Partial Aggregate%' THEN
      RAISE EXCEPTION '% is not planned as such: %', names[i], pg_temp.nodes(queries[i]);
    END IF;
    EXECUTE queries[i] INTO result;
    path := names[i];
    same := result = direct OR result = 'direct';
    IF same IS NOT TRUE THEN
      RAISE NOTICE E'%:\n%\n%', path, left(direct, 300), left(result, 300);
    END IF;
    RETURN NEXT;
    PERFORM set_config(split_part(s, '=', 1), default_of.reset_val, true) FROM unnest(settings) s JOIN pg_settings default_of ON name = split_part(s, '=', 1);
  END LOOP;
END $$;
SELECT call, count(*) AS paths, string_agg(path, ', ') FILTER (WHERE same IS NOT TRUE) AS differ
FROM unnest(ARRAY['tlv_graph_agg(src, dst)', 'tlv_digraph_agg(src, dst)', 'tlv_bigraph_agg(src, dst)',
                  'tlv_graph_agg(src, dst, weight)', 'tlv_digraph_agg(src, dst, weight)', 'tlv_bigraph_agg(src, dst, weight)']) call, graph_paths(call)
GROUP BY call ORDER BY call;

-- DISTINCT: every pair once
SELECT bool_and(weight = 1) AS once, count(*) FROM tlv_edges((SELECT tlv_digraph_agg(DISTINCT src, dst) FROM graph_edges));
-- a constant kind is that of the group's first row; each group may have its own
SELECT day % 2 AS odd, split_part(CASE WHEN day % 2 = 1 THEN tlv_digraph_agg(src, dst) ELSE tlv_bigraph_agg(src, dst) END::text, ' ', 1) AS kind FROM graph_edges GROUP BY 1 ORDER BY 1;
-- NULLs are counted; nothing but NULLs is an empty graph, no rows are NULL
SELECT tlv_info(tlv_graph_agg(src, dst))->>'nulls' AS nulls, tlv_info(tlv_graph_agg(src, dst, weight))->>'nulls' AS nulls_weighted FROM graph_edges;
SELECT tlv_info(tlv_bigraph_agg(src, dst, weight)) - 'bytes' - 'fingerprint' - 'arrays' AS nothing_but_nulls FROM graph_edges WHERE day = 8;
SELECT tlv_graph_agg(src, dst) AS a, tlv_graph_agg(src, dst, weight) AS b, tlv_digraph_agg(src, dst) AS c, tlv_digraph_agg(src, dst, weight) AS d FROM graph_edges WHERE false;
SELECT tlv_info(tlv_graph_agg(src, dst, NULL::float8))->'nulls' AS no_weight,
       tlv_rollup(NULL::tlv_graph) AS rollup, tlv_graph_agg(src, dst) + NULL AS plus FROM graph_edges;

-- reading
CREATE TABLE graph_small AS
  SELECT kind, CASE kind WHEN 'directed' THEN tlv_digraph_agg(a, b, w) WHEN 'bipartite' THEN tlv_bigraph_agg(a, b, w) ELSE tlv_graph_agg(a, b, w) END AS g
  FROM (VALUES (1, 2, 0.5), (2, 1, 1), (2, 3, 2), (3, 1, 1), (5, 6, 0.1), (9, 9, 4), (9, 9, 4)) v(a, b, w), unnest('{undirected,directed,bipartite}'::text[]) kind GROUP BY kind;
SELECT kind, e.* FROM graph_small, tlv_edges(g) e ORDER BY kind, src, dst;
-- rows of the graph again make the graph
SELECT kind, CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst, weight) WHEN 'bipartite' THEN tlv_bigraph_agg(src, dst, weight)
  ELSE tlv_graph_agg(src, dst, weight) END = (SELECT CASE q.kind WHEN 'directed' THEN tlv_digraph_agg(a, b, w) WHEN 'bipartite' THEN tlv_bigraph_agg(a, b, w) ELSE tlv_graph_agg(a, b, w) END
    FROM (VALUES (1, 2, 0.5), (2, 1, 1), (2, 3, 2), (3, 1, 1), (5, 6, 0.1), (9, 9, 4), (9, 9, 4)) v(a, b, w)
                                                  WHERE a <> b OR q.kind = 'bipartite') AS same
FROM (SELECT kind, e.* FROM graph_small, tlv_edges(g) e) q GROUP BY kind ORDER BY kind;

-- text and binary round trip, equality, hash, order
CREATE TEMP TABLE graph_values (name text, g tlv_graph);
INSERT INTO graph_values SELECT kind, CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst) WHEN 'bipartite' THEN tlv_bigraph_agg(src, dst) ELSE tlv_graph_agg(src, dst) END
  FROM graph_edges, unnest('{undirected,directed,bipartite}'::text[]) kind GROUP BY kind;
INSERT INTO graph_values SELECT kind || ' weighted', CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst, weight) WHEN 'bipartite' THEN tlv_bigraph_agg(src, dst, weight)
  ELSE tlv_graph_agg(src, dst, weight) END FROM graph_edges, unnest('{undirected,directed,bipartite}'::text[]) kind GROUP BY kind;
INSERT INTO graph_values SELECT 'empty', tlv_graph_agg(src, dst) FROM graph_edges WHERE day = 8;
\copy graph_values TO 'graphs.copy.tmp' (FORMAT binary)
CREATE TEMP TABLE graph_copy (LIKE graph_values);
\copy graph_copy FROM 'graphs.copy.tmp' (FORMAT binary)
\! rm -f graphs.copy.tmp
SELECT name, a.g = c.g AS binary_copy, a.g = a.g::text::tlv_graph AS text, a.g <> c.g AS differs, tlv_graph_hash(a.g) = tlv_graph_hash(c.g) AS hash, split_part(a.g::text, ' ', 1) || ':' AS prefix
FROM graph_values a JOIN graph_copy c USING (name) ORDER BY name;
SELECT count(*) FROM graph_values a JOIN graph_copy c ON a.g = c.g;
SELECT count(DISTINCT g) AS distinct_graphs, (SELECT count(*) FROM (SELECT g FROM graph_values UNION SELECT g FROM graph_copy) u) AS united FROM graph_values;
SELECT bool_and((a.g < b.g) = (b.g > a.g) AND (a.g <= b.g) = (b.g >= a.g) AND (a.g < b.g OR a.g >= b.g) AND tlv_graph_cmp(a.g, b.g) = -tlv_graph_cmp(b.g, a.g)) AS ordered
FROM graph_values a, graph_values b;

-- stored out of line: a roll-up starts from a TOASTed value, and leaves the originals unchanged
CREATE TABLE graph_days AS SELECT day, tlv_graph_agg(src, dst, weight) AS g FROM graph_edges WHERE day < 7 GROUP BY day;
CREATE TEMP TABLE graph_hashes AS SELECT day, md5(g::text) AS h FROM graph_days;
SELECT bool_and(pg_column_size(g) > 2500) AS out_of_line, tlv_rollup(g) = (SELECT tlv_graph_agg(src, dst, weight) FROM graph_edges WHERE day < 7) AS rollup,
       tlv_rollup(g ORDER BY day) = tlv_rollup(g ORDER BY -day) AS any_order FROM graph_days;
SELECT bool_and(one = g) AS one_alone FROM (SELECT g, tlv_rollup(g) AS one FROM graph_days GROUP BY g) q;
SELECT bool_and(a.g + b.g = b.g + a.g) AS commutes FROM graph_days a, graph_days b;
UPDATE graph_days SET g = g + (SELECT tlv_graph_agg(src, dst, weight) FROM graph_edges WHERE day = 8) WHERE day = 0;
SELECT tlv_rollup(g) = (SELECT tlv_graph_agg(src, dst, weight) FROM graph_edges) AS complete FROM graph_days;
SELECT bool_and(md5(g::text) = h) AS others_unchanged FROM graph_days JOIN graph_hashes USING (day) WHERE day > 0;

-- many small groups
SELECT count(*) AS groups, sum((tlv_info(g)->>'entries')::int) AS edges FROM (SELECT i % 20000 AS u, tlv_graph_agg(i, i * 31 % 1009 - 500) AS g FROM generate_series(1, 60000) i GROUP BY 1) q;

-- errors
SELECT w, pg_temp.outcome(format('SELECT tlv_graph_agg(17, -4, float8 ''%s'')', w)) AS outcome FROM unnest('{NaN,Infinity,-Infinity}'::text[]) w;
SELECT pg_temp.outcome('SELECT tlv_graph_agg(17, -4, 1e308) FROM generate_series(1, 2)') AS one_edge, pg_temp.outcome('SELECT tlv_graph_agg(i, -4, 1e308) FROM generate_series(1, 2) i') AS in_total;
SELECT pg_temp.outcome('SELECT tlv_rollup(g ORDER BY kind) FROM graph_small') AS rollup,
       pg_temp.outcome('SELECT a.g + b.g FROM graph_small a, graph_small b WHERE a.kind = ''directed'' AND b.kind = ''undirected''') AS plus;
SELECT f, pg_temp.outcome(format('SELECT %s FROM graph_small', f)) AS outcome
FROM unnest(ARRAY['tlv_graph_accum(NULL, 1, 2)', 'tlv_graph_accum(NULL, 1, 2, 3.0)', 'tlv_digraph_accum(g, 1, 2)',
                  'tlv_bigraph_accum(g, 1, 2, 3.0)', 'tlv_graph_combine(g, g)']) f;
SELECT v, pg_temp.outcome(format('SELECT %L::tlv_graph', v)) AS outcome FROM unnest(ARRAY['', 'undirected', 'undirected:', 'undirected:AAAA', 'undirected:%', 'something:AAAA']) v;
SELECT pg_temp.outcome(format('SELECT %L::tlv_graph', replace(g::text, 'directed ', 'bipartite '))) AS wrong_prefix,
       pg_temp.outcome(format('SELECT %L::tlv_graph', overlay(g::text placing '////' from 200))) AS damaged,
       pg_temp.outcome(format('SELECT %L::tlv_moments', g)) AS other_type FROM graph_small WHERE kind = 'directed';
SELECT pg_temp.outcome($$SELECT tlv_fit_lda(tlv_graph_agg(1, 2)::text::tlv_moments)$$) AS no_moments;
SET statement_timeout = '300ms';
SELECT count(*) FROM tlv_edges((SELECT tlv_graph_agg(i % 100003, i % 99991) FROM generate_series(1, 30000000) i));
RESET statement_timeout;
DROP FUNCTION graph_paths;
DROP TABLE graph_edges, graph_parts, graph_days, graph_small;

-- nodes by name: ids are tlv_term_id, names stay through merges; numbers have their digits
CREATE TEMP TABLE named (day int, a text, b text, w float8);
INSERT INTO named VALUES (1, 'ada', 'bob', 2), (1, 'bob', 'cy', 0.5), (2, 'ada', 'cy', 1), (2, 'dot', 'dot', 1), (3, '', 'ada', 1), (3, 'zoë', 'ada', 3), (3, NULL, 'ada', 1);
SELECT src = tlv_term_id(src_name) AND dst = tlv_term_id(dst_name) AS ids, least(src_name, dst_name) AS a, greatest(src_name, dst_name) AS b, weight
FROM tlv_edges((SELECT tlv_graph_agg(a, b, w) FROM named)) ORDER BY 2, 3;
SELECT tlv_rollup(g ORDER BY day) = (SELECT tlv_graph_agg(a, b, w) FROM named) AS merged, tlv_rollup(g ORDER BY -day) = (SELECT tlv_graph_agg(a, b, w) FROM named) AS any_order,
       tlv_rollup(g)::text::tlv_graph = tlv_rollup(g) AS as_text
FROM (SELECT day, tlv_graph_agg(a, b, w) AS g FROM named GROUP BY day) q;
SELECT (SELECT tlv_graph_agg(a, b) FROM named) + (SELECT tlv_graph_agg(a, b) FROM named) = (SELECT tlv_graph_agg(a, b) FROM named, generate_series(1, 2)) AS added;
-- each side of a bipartite graph is of names or of numbers
SELECT src, src_name, dst_name FROM tlv_edges((SELECT tlv_bigraph_agg(day, a) FROM named)) ORDER BY src, dst_name;
SELECT src_name, dst, dst_name, weight FROM tlv_edges((SELECT tlv_bigraph_agg(a, day, w) FROM named)) ORDER BY dst, src_name;
-- a name's hash is refused beside names as other numbers are
SELECT src_name, dst_name FROM tlv_edges((SELECT tlv_graph_agg('ada'::text, 'bob') FROM (SELECT 1) o) + (SELECT tlv_graph_agg(tlv_term_id('ada'), 7) FROM (SELECT 1) o)) ORDER BY 2;
SELECT pg_temp.outcome('SELECT tlv_graph_agg(''ada''::text, ''bob'', ''NaN'')');
-- communities by name
CREATE TEMP TABLE friends AS SELECT 'n' || i AS a, 'n' || j AS b, i, j FROM generate_series(1, 60) i, generate_series(1, 60) j
WHERE i < j AND (hashint4(i * 100 + j) & 15) < CASE WHEN i % 3 = j % 3 THEN 9 ELSE 1 END;
CREATE TEMP TABLE circles AS SELECT tlv_mmsb('SELECT a, b FROM friends', k => 3) AS model, tlv_mmsb('SELECT i, j FROM friends', k => 3) AS numbers;
SELECT count(*) AS nodes, count(DISTINCT substr(node_name, 2)::int % 3 || ' ' || community) AS pairs, bool_and(node = tlv_term_id(node_name)) AS ids FROM circles, tlv_memberships(model, 0.5);
SELECT count(*) AS same FROM circles, tlv_bridgeness(model) a, pg_temp.membership_vectors(model) b WHERE a.node_name = b.node_name;
SELECT tlv_assign(model, tlv_bag_agg) = (SELECT community FROM tlv_memberships(model, 0.5) WHERE node_name = 'n3') AS assigned
FROM circles, (SELECT tlv_bag_agg(x) FROM unnest('{n6,n9,n12,stranger}'::text[]) x) q;
SELECT bool_and(node_name = node::text) AS digits, NOT tlv_info(max(numbers::text)::tlv_model)->'arrays' ? 'names_1' AS none FROM circles, tlv_memberships(numbers);
SELECT tlv_fit_mmsb(tlv_graph_agg(a, b), k => 3) = max(model::text)::tlv_model AS fit FROM friends, circles;
SELECT community, count(*) AS nodes FROM tlv_memberships(tlv_mmsb('SELECT a, b FROM friends', k => 3, labels => $$VALUES ('n1', 3), ('n2', 2), ('n3', 1)$$), 0.5)
WHERE node_name IN ('n1', 'n2', 'n3') GROUP BY 1 ORDER BY 1;
SELECT side, min(node_name) AS least, count(*) AS nodes FROM tlv_memberships(tlv_mmsb('SELECT a, j FROM friends', k => 3, bipartite => true), 0.5) GROUP BY side ORDER BY side;

-- a weight of 0 is no edge, as if its row were not there
SELECT tlv_graph_agg(a, b, w) = tlv_graph_agg(a, b, w) FILTER (WHERE w > 0) AS same, tlv_graph_agg(a::text, b::text, w) = tlv_graph_agg(a::text, b::text, w) FILTER (WHERE w > 0) AS named,
       tlv_bigraph_agg(a, b, w) = tlv_bigraph_agg(a, b, w) FILTER (WHERE w > 0) AS two_sided, tlv_info(tlv_graph_agg(a, b, w)) -> 'rows' AS nodes, tlv_info(tlv_graph_agg(a, b, 0)) -> 'rows' AS none
FROM (VALUES (1, 2, 2), (2, 3, 0), (3, 3, 0), (1, 4, 1)) v(a, b, w);
SELECT count(*) FILTER (WHERE moved = anew) AS equal
FROM (SELECT tlv_graph_agg(i, i + 1, i % 3) OVER w AS moved,
    tlv_graph_agg(i, i + 1, i % 3) FILTER (WHERE i % 3 > 0) OVER w AS anew FROM generate_series(2, 60) i WINDOW w AS (ORDER BY i ROWS 4 PRECEDING)) q;
