-- Parts taken out of sums: the - operator, and windows that move by an addition and a subtraction where sums are exact.
SET client_min_messages = warning;
CREATE FUNCTION pg_temp.outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  EXECUTE query INTO result;
  RETURN coalesce(result, 'null');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

-- bags
SELECT '{1:3,2:1,5:2}'::tlv_bag - '{1:1,2:1}'::tlv_bag AS rest, '{1:3}'::tlv_bag - '{}'::tlv_bag AS all_of_it, '{1:3}'::tlv_bag - '{1:3}'::tlv_bag AS nothing,
       '{}'::tlv_bag - '{}'::tlv_bag AS empty, 0.5 * '{1:3,2:1}'::tlv_bag AS half;
SELECT q AS query, pg_temp.outcome('SELECT ' || q) AS outcome
FROM unnest(ARRAY[$$'{1:1}'::tlv_bag - '{1:2}'$$, $$'{1:1}'::tlv_bag - '{2:1}'$$, $$'{3:1}'::tlv_bag - '{2:1}'$$, $$'{}'::tlv_bag - '{2:1}'$$, $$'{1:1,2:1}'::tlv_bag - '{3:1}'$$,
  $$0 * '{1:1}'::tlv_bag$$, $$-1 * '{1:1}'::tlv_bag$$, $$'NaN'::float8 * '{1:1}'::tlv_bag$$, $$1e300 * '{1:1e300}'::tlv_bag$$,
  $$tlv_bag_inverse('{1:1}', '{1:1}')$$, $$tlv_moments_inverse(tlv_label_pairs(1, 1), tlv_label_pairs(1, 1))$$]) q;

-- every window equals the plain computation, bit by bit
CREATE TEMP TABLE days AS
  SELECT day, tlv_bag_agg(1 + (day * 7 + i * i) % 23) AS bag, tlv_bag_agg((day + i) % 11, 0.1 * (1 + i % 3)) AS weighted,
         tlv_category_moments(ARRAY[(day + i) % 3, (day * i) % 2, i % 4]::int[]) AS categories, tlv_count_summary(tlv_to_bag(ARRAY[i, i + day, day, 7]::bigint[])) AS summary,
         tlv_dense_moments(ARRAY[day + i, i * 0.1]::float8[], 2) AS dense,
         tlv_coherence(tlv_to_bag(ARRAY[i % 9, (i + day) % 30, day % 7, 7]::bigint[]), m) AS coherence
  FROM generate_series(1, 365) day, generate_series(1, 20) i, tlv_simulate_lda_model(30, 2) m GROUP BY day;
UPDATE days SET bag = NULL, categories = NULL WHERE day IN (17, 18, 200);
CREATE TEMP TABLE windows AS
  SELECT day, tlv_rollup(bag) OVER w AS bag, tlv_rollup(weighted) OVER w AS weighted, tlv_rollup(categories) OVER w AS categories,
         tlv_rollup(summary) OVER w AS summary, tlv_rollup(dense) OVER w AS dense,
         tlv_rollup(coherence) OVER w AS coherence
  FROM days WINDOW w AS (ORDER BY day ROWS 29 PRECEDING);
SELECT count(*), count(*) FILTER (WHERE w.bag IS NOT DISTINCT FROM p.bag) AS bags, count(*) FILTER (WHERE w.weighted = p.weighted) AS weighted,
       count(*) FILTER (WHERE w.categories IS NOT DISTINCT FROM p.categories) AS categories, count(*) FILTER (WHERE w.summary = p.summary) AS summaries,
       count(*) FILTER (WHERE w.dense = p.dense) AS dense, count(*) FILTER (WHERE w.coherence = p.coherence) AS coherence
FROM windows w, LATERAL (SELECT tlv_rollup(bag ORDER BY day) AS bag, tlv_rollup(weighted ORDER BY day) AS weighted, tlv_rollup(categories ORDER BY day) AS categories,
                                tlv_rollup(summary ORDER BY day) AS summary, tlv_rollup(dense ORDER BY day) AS dense,
                                tlv_rollup(coherence ORDER BY day) AS coherence
                         FROM days d WHERE d.day BETWEEN w.day - 29 AND w.day) p;
-- windows of so many documents that they are sums and not documents any more are exact all the same, in any order; some days come as sums
CREATE TEMP TABLE long_days AS
  SELECT doc % 40 AS day, CASE WHEN doc % 40 IN (7, 33) THEN (tlv_count_summary(bag) + tlv_count_summary(bag)) ELSE tlv_count_summary(bag) END AS summary
  FROM tlv_simulate_lda(tlv_simulate_lda_model(3000, 5, seed => 3), 2400, 45, seed => 4) GROUP BY doc % 40;
UPDATE long_days SET summary = (SELECT tlv_count_summary(bag) FROM tlv_simulate_lda(tlv_simulate_lda_model(300, 5, seed => 3), 3000, 45, seed => 5)) WHERE day = 20;
CREATE TEMP TABLE long_windows AS
  SELECT day, tlv_rollup(summary) OVER (ORDER BY day ROWS 12 PRECEDING) AS back, tlv_rollup(summary) OVER (ORDER BY day ROWS BETWEEN CURRENT ROW AND 12 FOLLOWING) AS ahead FROM long_days;
SELECT count(*), count(*) FILTER (WHERE back = (SELECT tlv_rollup(summary ORDER BY day DESC) FROM long_days d WHERE d.day BETWEEN w.day - 12 AND w.day)) AS back,
       count(*) FILTER (WHERE ahead = (SELECT tlv_rollup(summary ORDER BY hashint8(day)) FROM long_days d WHERE d.day BETWEEN w.day AND w.day + 12)) AS ahead,
       count(*) FILTER (WHERE tlv_info(back)->'arrays' ? 'document_items') AS as_documents
FROM long_windows w;

-- frames that become empty, and that leave rows out
SELECT count(*) FILTER (WHERE w IS NOT DISTINCT FROM p) AS same, count(*) - count(w) AS empty
FROM (SELECT day, tlv_rollup(categories) OVER (ORDER BY day ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS w FROM days) q,
     LATERAL (SELECT tlv_rollup(categories ORDER BY day) AS p FROM days d WHERE d.day BETWEEN q.day - 2 AND q.day - 1) r;

-- the - operator: exact for counts, within rounding elsewhere
SELECT (a.coherence + b.coherence) - b.coherence = a.coherence AS counts,
       tlv_info((a.summary + b.summary) - b.summary)->'arrays' = tlv_info(a.summary)->'arrays' AS items,
       tlv_info((a.summary + b.summary) - b.summary)->>'tokens' = tlv_info(a.summary)->>'tokens' AS tokens
FROM days a, days b WHERE a.day = 3 AND b.day = 100;
SELECT q AS query, pg_temp.outcome(format('SELECT %s FROM days a, days b WHERE a.day = 3 AND b.day = 100', q)) AS outcome
FROM unnest(ARRAY['a.categories - b.summary', 'a.categories - (a.categories + b.categories)', 'tlv_info(a.dense - a.dense)->>''rows''', 'a.summary - b.summary', 'a.coherence - b.coherence']) q;

-- graphs: windows over whole weights move by one subtraction; others, and self-loops, are added up anew; names stay
CREATE TEMP TABLE graph_days AS
  SELECT day, tlv_graph_agg((day * i) % 17, 20 + (i * i + day) % 13) AS plain, tlv_digraph_agg('n' || (day + i) % 15, 'm' || (day * i) % 11, 1 + i % 3) AS named,
         tlv_bigraph_agg(i, (day + i) % 9, 0.1 * i) AS fractions, tlv_graph_agg((day + i) % 5, (day * i) % 5) AS loops
  FROM generate_series(1, 60) day, generate_series(1, 12) i GROUP BY day;
UPDATE graph_days SET plain = NULL, named = NULL WHERE day IN (17, 18, 40);
SELECT count(*), count(*) FILTER (WHERE w.plain IS NOT DISTINCT FROM p.plain) AS plain, count(*) FILTER (WHERE w.named IS NOT DISTINCT FROM p.named) AS named,
       count(*) FILTER (WHERE w.fractions = p.fractions) AS fractions, count(*) FILTER (WHERE w.loops = p.loops) AS loops
FROM (SELECT day, tlv_rollup(plain) OVER w AS plain, tlv_rollup(named) OVER w AS named, tlv_rollup(fractions) OVER w AS fractions, tlv_rollup(loops) OVER w AS loops
      FROM graph_days WINDOW w AS (ORDER BY day ROWS 6 PRECEDING)) w,
     LATERAL (SELECT tlv_rollup(plain ORDER BY day) AS plain, tlv_rollup(named ORDER BY day) AS named, tlv_rollup(fractions ORDER BY day) AS fractions,
                     tlv_rollup(loops ORDER BY day) AS loops FROM graph_days d WHERE d.day BETWEEN w.day - 6 AND w.day) p;
SELECT bool_and((a.plain + b.plain) - b.plain = a.plain) AS plain, bool_and((a.named + b.named) - b.named = a.named) AS named,
       bool_and(tlv_info(a.fractions + b.fractions - b.fractions)->'entries' = tlv_info(a.fractions)->'entries') AS fractions,
       bool_and(tlv_info(a.loops + b.loops - b.loops)->'entries' = tlv_info(a.loops)->'entries') AS loops FROM graph_days a, graph_days b WHERE b.day = a.day + 20;
SELECT array_agg(concat_ws(' ', src_name, dst_name, weight)) AS edges
FROM tlv_edges(0.5 * (SELECT tlv_graph_agg(a, b) FROM (VALUES ('x', 'y'), ('y', 'x'), ('x', 'x'), ('y', 'z')) AS e(a, b)));
SELECT tlv_info(3 * g) - '{arrays,bytes,version,fingerprint}'::text[] AS thrice, 2 * g = g + g AS twice, tlv_info(g - g)->'rows' AS nothing
FROM (SELECT tlv_graph_agg(a, b, w) AS g FROM (VALUES (1, 2, 3), (2, 3, 4)) AS e(a, b, w)) q;
SELECT q AS query, pg_temp.outcome(format('SELECT %s FROM graph_days a, graph_days b WHERE a.day = 3 AND b.day = 4', q)) AS outcome
FROM unnest(ARRAY['a.plain - b.plain', 'a.plain - a.named', '(a.plain - a.plain) - b.plain', '0 * a.plain', '-1 * a.plain', $$'NaN'::float8 * a.plain$$, '1e308 * (1e308 * a.plain)',
  'tlv_graph_inverse(a.plain, a.plain)']) q;

-- moments several times, and vectors out of vectors
SELECT 2 * d.coherence = d.coherence + d.coherence AS counts, 2 * d.dense = d.dense + d.dense AS dense,
       tlv_info(0.5 * d.summary)->'documents' AS half FROM days d WHERE day = 3;
-- moments fade: the factor is the nearest by which the rows stay whole, and means are what they were
SELECT tlv_info(.33 * dense) ->> 'rows' AS a_third, (SELECT max(abs(x - y)) < 1e-12 FROM unnest(tlv_central_moment(.33 * dense, 2), tlv_central_moment(dense, 2)) AS c(x, y)) AS same
FROM days WHERE day = 3;
SELECT max(abs(x - y)) < 1e-9 AS covariances FROM days a, days b, unnest(tlv_central_moment((a.dense + b.dense) - b.dense, 2), tlv_central_moment(a.dense, 2)) AS c(x, y)
WHERE a.day = 3 AND b.day = 100;
SELECT q AS query, pg_temp.outcome(format('SELECT %s FROM days a, days b WHERE a.day = 3 AND b.day = 100', q)) AS outcome
FROM unnest(ARRAY['0.01 * a.dense', '0.01 * a.summary', '0 * a.summary', 'a.dense - (a.dense + b.dense)', '(a.dense - a.dense) - a.dense', $$tlv_info((a.dense - a.dense) + b.dense)->>'rows'$$,
  '0.3 * a.categories', '2 * (SELECT tlv_row_sample(ARRAY[1.0], 3, 1))', '2 * (SELECT tlv_membership_pairs(ARRAY[1.0], ARRAY[1.0]))', '1e300 * a.summary']) q;

-- a value of the format before packing, version 1, is read and becomes the one image of what it holds
CREATE TEMP TABLE old AS SELECT 'count_summary:
AQABAQoAAAAAAAAASAMAAAAAAADxFukQaZ3L+s7Wf65gdYA3ZG9jdW1lbnRzAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAWAIAAAAAAABza2lwcGVkAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAA
AAAAAABgAgAAAAAAAG51bGxzAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAGgCAAAAAAAAdG9rZW5zAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAcAIAAAAAAABzcXVhcmVkX2xl
bmd0aHMAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAB4AgAAAAAAAGl0ZW1zAAAAAAAAAAAAAAAAAAAAAAAAAAIAAAAAAAAABQAAAAAAAAABAAAAAAAAAIACAAAAAAAAdG90YWxzAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAF
AAAAAAAAAAEAAAAAAAAAqAIAAAAAAABmcmVxdWVuY3kAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAUAAAAAAAAAAQAAAAAAAADQAgAAAAAAAGNvcnJlY3Rpb24AAAAAAAAAAAAAAAAAAAEAAAAAAAAABQAAAAAAAAABAAAAAAAAAPgCAAAAAAAA
c3F1YXJlcwAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAFAAAAAAAAAAEAAAAAAAAAIAMAAAAAAAAAAAAAAAAIQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoQAAAAAAAAEhAAQAAAAAAAAACAAAAAAAAAAMAAAAAAAAABAAAAAAAAAAJAAAAAAAA
AAAAAAAAABhAAAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/AAAAAAAACEAAAAAAAAAIQAAAAAAAAPA/AAAAAAAA8D8AAAAAAADwPwAAAAAAAAhAAAAAAAAAAEBVVVVVVVXVP1VVVVVVVdU/VVVVVVVV1T8AAAAAAADwPwAAAAAAABBAVVVVVVVV
1T9VVVVVVVXVP1VVVVVVVdU/AAAAAAAA8D8='::tlv_moments AS v;
SELECT tlv_find_subspace(v, 2) = (SELECT tlv_find_subspace(tlv_count_summary(bag), 2) FROM (VALUES ('{1:2,2:1,9:1}'::tlv_bag), ('{1:2,3:1,9:1}'), ('{1:2,4:1,9:1}')) b(bag)) AS same,
       tlv_info(v)->'documents' AS documents FROM old;

-- aggregates over rows whose sums are exact move, too: every window equals the plain computation, bit by bit
SELECT aggfnoid::regprocedure AS moving FROM pg_aggregate WHERE aggminvtransfn <> 0 AND aggfnoid IN (SELECT objid FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_proc'::regclass)
ORDER BY aggfnoid::regprocedure::text COLLATE "C";
CREATE TEMP TABLE observations AS
  SELECT i, CASE WHEN i % 41 = 0 THEN NULL ELSE ARRAY[CASE WHEN i % 7 > 0 THEN i * i % 3 + i / 97 % 2 END, i % 5 % 3, (i * 13 % 29) / 9]::int[] END AS v,
         CASE WHEN i % 37 <> 0 THEN (i * i) % 23 END AS item, 1 + i % 3 AS weight, 0.1 * (1 + i % 3) AS fraction, 't' || (i * 7) % 19 AS term,
         (i * i) % 17 AS src, 20 + (i * 11) % 13 AS dst, 'n' || (i * i) % 17 AS src_name, 'm' || (i * 11) % 13 AS dst_name,
         CASE WHEN i % 43 <> 0 THEN tlv_to_bag(ARRAY[i % 9, i % 30, (i * i) % 7, 7]::bigint[]) END AS bag
  FROM generate_series(1, 300) i;
CREATE TEMP TABLE moved AS
  SELECT i, tlv_category_moments(v) OVER w AS categories, tlv_bag_agg(item) OVER w AS items, tlv_bag_agg(item, weight) OVER w AS weighted, tlv_bag_agg(item, fraction) OVER w AS fractions,
         tlv_bag_agg(term) OVER w AS terms, tlv_bag_agg(term, weight) OVER w AS weighted_terms, tlv_coherence(bag, m) OVER w AS coherence, tlv_coherence(bag, m, 5) OVER w AS five,
         tlv_coherence(ARRAY[bag, '{1:1,2:1}', NULL], m) OVER w AS arrays, tlv_graph_agg(src, dst) OVER w AS graph, tlv_digraph_agg(src, dst, weight) OVER w AS digraph,
         tlv_digraph_agg(src, dst, fraction) OVER w AS fraction_graph, tlv_graph_agg(src, item) OVER w AS loops,
         tlv_bigraph_agg(src_name, dst_name) OVER w AS names, tlv_bigraph_agg(src_name, dst, weight) OVER w AS source, tlv_bigraph_agg(src, dst_name) OVER w AS target
  FROM observations, tlv_simulate_lda_model(30, 2) m WINDOW w AS (ORDER BY i ROWS BETWEEN 19 PRECEDING AND 2 PRECEDING);
SELECT count(*), count(*) FILTER (WHERE m.categories IS NOT DISTINCT FROM p.categories) AS categories, count(*) FILTER (WHERE m.items IS NOT DISTINCT FROM p.items) AS items,
  count(*) FILTER (WHERE m.weighted IS NOT DISTINCT FROM p.weighted) AS weighted, count(*) FILTER (WHERE m.fractions IS NOT DISTINCT FROM p.fractions) AS fractions,
  count(*) FILTER (WHERE m.terms IS NOT DISTINCT FROM p.terms) AS terms, count(*) FILTER (WHERE m.weighted_terms IS NOT DISTINCT FROM p.weighted_terms) AS weighted_terms,
  count(*) FILTER (WHERE m.coherence IS NOT DISTINCT FROM p.coherence) AS coherence, count(*) FILTER (WHERE m.five IS NOT DISTINCT FROM p.five) AS five,
  count(*) FILTER (WHERE m.arrays IS NOT DISTINCT FROM p.arrays) AS arrays, count(*) FILTER (WHERE m.graph IS NOT DISTINCT FROM p.graph) AS graph,
  count(*) FILTER (WHERE m.digraph IS NOT DISTINCT FROM p.digraph) AS digraph, count(*) FILTER (WHERE m.fraction_graph IS NOT DISTINCT FROM p.fraction_graph) AS fraction_graph,
  count(*) FILTER (WHERE m.loops IS NOT DISTINCT FROM p.loops) AS loops, count(*) FILTER (WHERE m.names IS NOT DISTINCT FROM p.names) AS names,
  count(*) FILTER (WHERE m.source IS NOT DISTINCT FROM p.source) AS source, count(*) FILTER (WHERE m.target IS NOT DISTINCT FROM p.target) AS target
FROM moved m, tlv_simulate_lda_model(30, 2) t, LATERAL (
  SELECT tlv_category_moments(v ORDER BY i) AS categories, tlv_bag_agg(item ORDER BY i) AS items, tlv_bag_agg(item, weight ORDER BY i) AS weighted, tlv_bag_agg(item, fraction ORDER BY i) AS fractions,
         tlv_bag_agg(term ORDER BY i) AS terms, tlv_bag_agg(term, weight ORDER BY i) AS weighted_terms, tlv_coherence(bag, t ORDER BY i) AS coherence, tlv_coherence(bag, t, 5 ORDER BY i) AS five,
         tlv_coherence(ARRAY[bag, '{1:1,2:1}', NULL], t ORDER BY i) AS arrays, tlv_graph_agg(src, dst ORDER BY i) AS graph, tlv_digraph_agg(src, dst, weight ORDER BY i) AS digraph,
         tlv_digraph_agg(src, dst, fraction ORDER BY i) AS fraction_graph, tlv_graph_agg(src, item ORDER BY i) AS loops,
         tlv_bigraph_agg(src_name, dst_name ORDER BY i) AS names, tlv_bigraph_agg(src_name, dst, weight ORDER BY i) AS source, tlv_bigraph_agg(src, dst_name ORDER BY i) AS target
  FROM observations o WHERE o.i BETWEEN m.i - 19 AND m.i - 2) p;
-- category moments without a part of their rows
SELECT (a.m + b.m) - b.m = a.m AS same, tlv_info(a.m - a.m)->'rows' AS nothing, (a.m + b.m) - b.m - a.m = a.m - a.m AS zeros
FROM (SELECT tlv_category_moments(v) AS m FROM observations WHERE i <= 150) a, (SELECT tlv_category_moments(v) AS m FROM observations WHERE i > 100) b;
SELECT q AS query, pg_temp.outcome('SELECT ' || q) AS outcome
FROM unnest(ARRAY['tlv_category_moments(ARRAY[0, 1]) - tlv_category_moments(ARRAY[0, 2])', 'tlv_category_moments(ARRAY[0, 1]) - tlv_category_moments(ARRAY[1, 1])',
  'tlv_category_moments(ARRAY[0, 1]) - tlv_category_moments(ARRAY[0])', 'tlv_category_moments(ARRAY[0, 1], 2) - tlv_category_moments(ARRAY[0, 1], 2)',
  'tlv_category_moments(ARRAY[0, 1]) - tlv_category_moments(NULL::int[])', $$tlv_bag_moving_inverse('{1:1}', 1)$$, $$tlv_bag_moving_final('{1:1}')$$,
  $$tlv_category_moments_inverse(tlv_category_moments(ARRAY[1]), ARRAY[1])$$]) q;

-- aggregates over rows whose sums are whole numbers: views by number and by name, partitions, covers, symbols, answers of workers, coherence
CREATE TEMP TABLE day_rows AS
  SELECT day, (day * 7) % 5 AS a, (day * day) % 7 AS b, (day / 3) % 4 AS c, ARRAY[day % 5, (day * 3) % 7]::bigint[] AS several, ARRAY[(day / 2) % 6]::bigint[] AS other,
         ARRAY[day % 3, (day * day) % 4, day % 2, (day / 5) % 4] AS symbols, tlv_to_bag(ARRAY[day % 9, (day * 7) % 30, day % 7, 7]::bigint[]) AS bag
  FROM generate_series(1, 90) day;
UPDATE day_rows SET a = NULL, symbols = NULL, several = NULL WHERE day IN (17, 18, 40);
UPDATE day_rows SET symbols = symbols[:2] WHERE day IN (30, 50);
CREATE TEMP TABLE moved_rows AS
  SELECT day, tlv_view_moments(a, b, c) OVER w AS views, tlv_view_moments('a' || a, b, c % 2 = 0) OVER w AS named_views, tlv_label_pairs(a, b) OVER w AS labels,
         tlv_nmi('x' || a, b) OVER w AS nmi, tlv_ari(a, c) OVER w AS ari, tlv_cover_pairs(several, other) OVER w AS covers, tlv_cover_f1(several::text[], other::text[]) OVER w AS f1,
         tlv_sequence_moments(symbols) OVER w AS symbols, tlv_crowd_answers(a, b, c) OVER w AS answers,
         tlv_crowd_answers('i' || a, 'w' || b, c % 2) OVER w AS named_answers, tlv_crowd_answers('i' || a, c % 2) OVER w AS gold, tlv_coherence(bag, m) OVER w AS coherence,
         tlv_coherence(ARRAY[bag, bag], m, 3) OVER w AS coherence_of_many
  FROM day_rows, tlv_simulate_lda_model(30, 2) m WINDOW w AS (ORDER BY day ROWS 9 PRECEDING);
SELECT count(*), count(*) FILTER (WHERE w.views = p.views) AS views, count(*) FILTER (WHERE w.named_views = p.named_views) AS named_views,
       count(*) FILTER (WHERE w.labels = p.labels) AS labels, count(*) FILTER (WHERE w.nmi = p.nmi) AS nmi, count(*) FILTER (WHERE w.ari = p.ari) AS ari,
       count(*) FILTER (WHERE w.covers = p.covers) AS covers, count(*) FILTER (WHERE w.f1 = p.f1) AS f1,
       count(*) FILTER (WHERE w.symbols = p.symbols) AS symbols, count(*) FILTER (WHERE w.answers = p.answers) AS answers,
       count(*) FILTER (WHERE w.named_answers = p.named_answers) AS named_answers, count(*) FILTER (WHERE w.gold = p.gold) AS gold,
       count(*) FILTER (WHERE w.coherence = p.coherence) AS coherence, count(*) FILTER (WHERE w.coherence_of_many = p.coherence_of_many) AS coherence_of_many
FROM moved_rows w, LATERAL (SELECT tlv_view_moments(a, b, c) AS views, tlv_view_moments('a' || a, b, c % 2 = 0) AS named_views, tlv_label_pairs(a, b) AS labels,
         tlv_nmi('x' || a, b) AS nmi, tlv_ari(a, c) AS ari, tlv_cover_pairs(several, other) AS covers, tlv_cover_f1(several::text[], other::text[]) AS f1,
         tlv_sequence_moments(symbols) AS symbols, tlv_crowd_answers(a, b, c) AS answers,
         tlv_crowd_answers('i' || a, 'w' || b, c % 2) AS named_answers, tlv_crowd_answers('i' || a, c % 2) AS gold, tlv_coherence(bag, m) AS coherence,
         tlv_coherence(ARRAY[bag, bag], m, 3) AS coherence_of_many
       FROM day_rows d, tlv_simulate_lda_model(30, 2) m WHERE d.day BETWEEN w.day - 9 AND w.day) p;
-- frames that leave rows of nothing but nulls, and empty ones
SELECT count(*) FILTER (WHERE views IS NOT DISTINCT FROM p) AS views, count(*) FILTER (WHERE symbols IS NOT DISTINCT FROM s) AS symbols,
  count(*) FILTER (WHERE answers IS NOT DISTINCT FROM n) AS answers,
       count(*) FILTER (WHERE labels IS NOT DISTINCT FROM l) AS labels
FROM (SELECT day, tlv_view_moments(a, 'b' || b, c) OVER w AS views, tlv_sequence_moments(symbols) OVER w AS symbols, tlv_crowd_answers('i' || a, b, c) OVER w AS answers,
             tlv_label_pairs(a, b) OVER w AS labels FROM day_rows WINDOW w AS (ORDER BY day ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)) q,
     LATERAL (SELECT tlv_view_moments(a, 'b' || b, c) AS p, tlv_sequence_moments(symbols) AS s, tlv_crowd_answers('i' || a, b, c) AS n, tlv_label_pairs(a, b) AS l
              FROM day_rows d WHERE d.day BETWEEN q.day - 2 AND q.day - 1) r;
-- the same as values, and several times
SELECT (x.views + y.views) - y.views = x.views AS views, (x.named_views + y.named_views) - y.named_views = x.named_views AS named_views, (x.labels + y.labels) - y.labels = x.labels AS labels,
       (x.covers + y.covers) - y.covers = x.covers AS covers, (x.symbols + y.symbols) - y.symbols = x.symbols AS symbols, (x.answers + y.answers) - y.answers = x.answers AS answers,
       (x.named_answers + y.gold) - y.gold = x.named_answers AS gold, 2 * x.views = x.views + x.views AS twice, 3 * x.labels = x.labels + x.labels + x.labels AS thrice,
       2 * x.covers = x.covers + x.covers AS twice_covers, 2 * x.named_views = x.named_views + x.named_views AS twice_named
FROM moved_rows x, moved_rows y WHERE x.day = 20 AND y.day = 77;
SELECT q AS query, pg_temp.outcome(format('SELECT %s FROM moved_rows x, moved_rows y WHERE x.day = 20 AND y.day = 77', q)) AS outcome
FROM unnest(ARRAY['x.views - y.views', 'x.views - x.named_views', 'x.views + x.named_views', 'x.labels - y.labels', 'x.covers - y.covers', 'x.symbols - y.symbols', 'x.answers - y.answers',
  'x.answers - (x.answers + y.answers)', 'x.answers - x.named_answers', '2 * x.symbols = x.symbols + x.symbols', '0.5 * x.symbols', 'tlv_info(x.views - x.views)->>''rows''',
    'tlv_info(x.answers - x.answers)->''arrays''->''entries''',
  'tlv_info(x.named_views - x.named_views)->''arrays''', '2 * x.answers', '2 * (SELECT tlv_sequence_moments(ARRAY[[1.0, 2], [3, 4], [5, 6], [7, 8]]))', 'x.views - x.labels',
  '(SELECT tlv_sequence_moments(ARRAY[''a'', ''b'', ''a''])) - (SELECT tlv_sequence_moments(ARRAY[''a'', ''b'', ''a'']))']) q;

-- symbols by name: names are those of the symbols that are left
CREATE TEMP TABLE moved_symbols AS SELECT day, tlv_sequence_moments(symbols::text[]) OVER w AS s FROM day_rows WINDOW w AS (ORDER BY day ROWS 4 PRECEDING);
SELECT count(*), count(*) FILTER (WHERE w.s IS NOT DISTINCT FROM p.s) AS same FROM moved_symbols w,
  LATERAL (SELECT tlv_sequence_moments(symbols::text[] ORDER BY day) AS s FROM day_rows d WHERE d.day BETWEEN w.day - 4 AND w.day) p;
SELECT (x.s + y.s) - y.s = x.s AS back, tlv_info(x.s - x.s)->'arrays' AS arrays, tlv_info(x.s)->'arrays'->'name_ids' = tlv_info(x.s)->'arrays'->'items' AS named
FROM moved_symbols x, moved_symbols y WHERE x.day = 20 AND y.day = 77;
SELECT (SELECT tlv_sequence_moments(symbols) FROM day_rows) = (SELECT tlv_sequence_moments(symbols::bigint[]) FROM day_rows) AS of_bigint;
-- functions of two aggregates in one of a user's: what is taken out is of the state's kind, or refused
CREATE AGGREGATE pg_temp.mixed(bigint[]) (SFUNC = tlv_cofire_accum, STYPE = tlv_moments, MSFUNC = tlv_cofire_accum, MINVFUNC = tlv_sequence_moments_inverse, MSTYPE = tlv_moments);
SELECT pg_temp.mixed(a) OVER (ORDER BY n ROWS 1 PRECEDING) FROM (VALUES (1, ARRAY[4]::bigint[]), (2, ARRAY[1, 5]), (3, ARRAY[4, 5, 1])) v(n, a);
