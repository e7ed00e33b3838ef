-- Subspaces: from exact pairs, from a summary by products, their spectrum, and the choice of k.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE TEMP TABLE docs AS
  SELECT d.doc, d.bag FROM tlv_simulate_lda(tlv_simulate_lda_model(60, 4, alpha0 => 0.4, seed => 3), 2000, 50, seed => 3) d;

-- by products: a random start, then one pass a step
CREATE TEMP TABLE steps (step int, s tlv_subspace);
INSERT INTO steps SELECT 0, tlv_find_subspace(tlv_count_summary(bag), k => 4) FROM docs;
INSERT INTO steps SELECT step + 1, (SELECT tlv_find_subspace(tlv_count_products(bag, s)) FROM docs) FROM steps WHERE step = 0;
INSERT INTO steps SELECT step + 1, (SELECT tlv_find_subspace(tlv_count_products(bag, s)) FROM docs) FROM steps WHERE step = 1;
INSERT INTO steps SELECT step + 1, (SELECT tlv_find_subspace(tlv_count_products(bag, s), k => 4) FROM docs) FROM steps WHERE step = 2;
INSERT INTO steps SELECT step + 1, (SELECT tlv_find_subspace(tlv_count_products(bag, s), NULL) FROM docs) FROM steps WHERE step = 3;
INSERT INTO steps SELECT step + 1, (SELECT tlv_find_subspace(tlv_count_products(bag, s)) FROM docs) FROM steps WHERE step = 4;
INSERT INTO steps SELECT step + 1, (SELECT tlv_find_subspace(tlv_count_products(bag, s)) FROM docs) FROM steps WHERE step = 5;
SELECT step, tlv_info(s)->>'steps' AS steps, (tlv_info(s)->>'change')::float8 IS NULL AS before_two, (tlv_info(s)->>'change')::float8 < 0.01 AS stands,
       tlv_info(s)->'arrays'->'basis' = jsonb_build_array(14, (SELECT count(DISTINCT item) FROM docs, tlv_bag_items(bag))) AS shape
FROM steps ORDER BY step;

-- from exact pairs at once: the same spectrum; another seed, too
CREATE TEMP TABLE exact AS SELECT tlv_find_subspace(tlv_count_moments(bag), k => 4) AS s, tlv_find_subspace(tlv_count_moments(bag), 4, seed => 99) AS other FROM docs;
SELECT e.rank, abs(e.eigenvalue - p.eigenvalue) < 0.001 AS products, abs(e.eigenvalue - o.eigenvalue) < 0.001 AS seed, e.z IS NULL AS no_z,
       e.eigenvalue BETWEEN 0.1 AND 1.01 AS of_a_topic
FROM tlv_spectrum((SELECT s FROM exact)) e JOIN tlv_spectrum((SELECT s FROM steps WHERE step = 6)) p USING (rank) JOIN tlv_spectrum((SELECT other FROM exact)) o USING (rank)
WHERE e.rank <= 4 ORDER BY rank;
SELECT max(eigenvalue) < 0.05 AS the_rest_is_noise, count(*) FROM tlv_spectrum((SELECT s FROM exact)) WHERE rank > 4;
-- the spectrum is that of the moments that were collected
SELECT count(*), bool_and(t.eigenvalue = s.eigenvalue) AS same
FROM tlv_spectrum((SELECT tlv_count_moments(bag, (SELECT s FROM exact)) FROM docs)) t JOIN tlv_spectrum((SELECT s FROM exact)) s USING (rank);
SELECT count(*) FROM tlv_spectrum(NULL::tlv_subspace);

-- the basis does not matter, the subspace does: the same topics from either
SELECT max(distance) < 0.001 AS same_topics, count(*) AS topics
FROM tlv_match((SELECT tlv_fit_lda(tlv_count_moments(bag, (SELECT s FROM exact)), alpha0 => 0.4) FROM docs),
               (SELECT tlv_fit_lda(tlv_count_moments(bag, (SELECT s FROM steps WHERE step = 6)), alpha0 => 0.4) FROM docs));

-- same seed, same bits
SELECT (SELECT tlv_find_subspace(tlv_count_summary(bag), 4, seed => 1) FROM docs) = s AS same, (SELECT tlv_find_subspace(tlv_count_summary(bag), 4, seed => 2) FROM docs) = s AS other_seed
FROM steps WHERE step = 0;

-- rare items are left out
SELECT (tlv_info(tlv_find_subspace(tlv_count_summary(bag), 2, min_documents => 20))->'arrays'->'items'->>0)::int =
       (SELECT count(*) FROM (SELECT item FROM docs, tlv_bag_items(bag) GROUP BY item HAVING count(*) >= 20) f) AS enough_documents,
       (tlv_info(tlv_find_subspace(tlv_count_moments(bag), 2, min_documents => 20))->'arrays'->'items'->>0)::int =
       (SELECT count(*) FROM (SELECT item FROM docs, tlv_bag_items(bag) GROUP BY item HAVING count(*) >= 20) f) AS from_pairs,
       tlv_info(tlv_find_subspace(tlv_count_moments(bag), 2, min_documents => 20))->>'minimum_documents' AS said
FROM docs;

-- fewer items than the block has room for: the block is as wide as they are many
SELECT tlv_info(tlv_find_subspace(tlv_count_moments(bag), 3))->'arrays'->'basis' AS basis, (SELECT count(*) FROM tlv_spectrum(tlv_find_subspace(tlv_count_moments(bag), 3))) AS spectrum
FROM (VALUES ('{1:2,2:1}'::tlv_bag), ('{2:2,3:1}'), ('{1:3,3:1}'), ('{1:1,2:1,3:1}')) v(bag);

-- the exact spectrum by hand: two items that never meet, S P2 S = diag(total / (total + 0.5))
SELECT rank, round(eigenvalue::numeric, 6) AS eigenvalue
FROM tlv_spectrum((SELECT tlv_find_subspace(tlv_count_moments(bag), 2) FROM (VALUES ('{1:4}'::tlv_bag), ('{1:4}'), ('{2:5}')) v(bag)));

-- choosing k, over pairs of distinct items: the value in either fold, z in the other
CREATE TEMP TABLE folds AS
  SELECT f, (SELECT tlv_find_subspace(tlv_count_moments(bag), k => 12, distinct_pairs => true) FROM docs WHERE tlv_fold(bag) = f) AS s FROM generate_series(0, 1) f;
CREATE TEMP TABLE other_fold AS
  SELECT f, (SELECT tlv_count_moments(bag, s) FROM docs WHERE tlv_fold(bag) = 1 - f) AS m FROM folds;
SELECT tlv_info(s)->>'distinct' AS distinct_pairs, tlv_info(m)->>'distinct' AS and_moments FROM folds JOIN other_fold USING (f);
SELECT f, rank, z > 3 AS significant FROM other_fold, tlv_spectrum(m) WHERE rank <= 6 ORDER BY f, rank;
SELECT (SELECT k FROM tlv_suggest_k(a.m, b.m) WHERE chosen) AS k, (SELECT k FROM tlv_suggest_k(b.m, a.m) WHERE chosen) AS k_swapped,
       (SELECT count(*) FROM tlv_suggest_k(NULL::tlv_moments, a.m)) AS k_null FROM other_fold a, other_fold b WHERE a.f = 0 AND b.f = 1;
SELECT what, k, criterion, chosen FROM (VALUES ('bags', 'SELECT bag FROM docs', 50, 1), ('another seed', 'SELECT bag FROM docs', 10, 7),
  ('rows', 'SELECT doc, item, weight FROM docs, tlv_bag_items(bag)', 50, 1),
  ('at most', 'SELECT bag FROM docs', 3, 1), ('null', NULL, 50, 1)) v(what, query, max_k, seed), tlv_suggest_k(query, max_k => max_k, seed => seed) WHERE chosen ORDER BY what, criterion;
-- the curve: held-out documents at several k, the best one with no error; the directions by decreasing z
SELECT k, score BETWEEN -5 AND 0 AS score, standard_error BETWEEN 0 AND 0.2 AS error, standard_error = 0 AS best, chosen
FROM tlv_suggest_k('SELECT bag FROM docs', max_k => 12, criterion => 'held_out') ORDER BY k;
SELECT count(*) AS directions, bool_and(score > 3.5) FILTER (WHERE k <= c) AS significant, bool_or(score > 3.5) FILTER (WHERE k = c + 1) AS next
FROM (SELECT *, min(k) FILTER (WHERE chosen) OVER () AS c FROM tlv_suggest_k('SELECT bag FROM docs', max_k => 12, criterion => 'significance')) q;
SELECT pg_temp.outcome('SELECT tlv_suggest_k(''SELECT bag FROM docs'', criterion => ''aic'')') AS unknown;
-- as many topics as there are, whatever their number
SELECT v.k, s.k AS suggested, s.criterion FROM unnest(ARRAY[1, 2, 6, 10]) v(k),
  tlv_suggest_k(format('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, %s, alpha0 => %s, seed => 5), 3000, 40, seed => 5)', v.k, 0.1 * v.k), max_k => 20) s
WHERE chosen ORDER BY v.k, s.criterion;

-- months of 35 short documents take no more than their bags, in whatever order these come, and fits see the same sums
CREATE TEMP TABLE month_docs AS SELECT doc, doc / 35 AS month, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(1000, 3, seed => 2), 700, 25, seed => 2);
CREATE TEMP TABLE month_basis AS SELECT tlv_find_subspace(tlv_count_moments(bag), 10) AS s FROM month_docs;
CREATE TEMP TABLE months AS SELECT month, tlv_count_summary(bag) AS summary, tlv_count_moments(bag, s) AS moments,
  tlv_count_products(bag, s) AS products, tlv_anchor_moments(bag, s) AS anchors,
  sum(pg_column_size(bag)) AS bytes FROM month_docs, month_basis GROUP BY month;
SELECT max(pg_column_size(summary) / bytes::float8) < 1 AS summaries, max(pg_column_size(moments) / bytes::float8) < 1 AS moments,
       max(pg_column_size(products) / bytes::float8) < 1 AS products, max(pg_column_size(anchors) / bytes::float8) < 1 AS anchors
FROM months WHERE month < 20;
SELECT count(*) AS months, count(*) FILTER (WHERE m.summary = o.summary AND m.moments = o.moments AND m.products = o.products
  AND m.anchors = o.anchors) AS equal
FROM months m, LATERAL (SELECT tlv_count_summary(bag) AS summary, tlv_count_moments(bag, s) AS moments, tlv_count_products(bag, s) AS products,
  tlv_anchor_moments(bag, s) AS anchors
  FROM (SELECT doc, bag FROM month_docs WHERE month = m.month ORDER BY -doc) d, month_basis) o;
SELECT tlv_fit_lda(tlv_rollup(moments), 3, subspace => s) = tlv_fit_lda((SELECT tlv_count_moments(bag, b.s) FROM month_docs, month_basis b WHERE month < 12), 3, subspace => s) AS fits,
       tlv_info(tlv_rollup(moments) - tlv_rollup(moments) FILTER (WHERE month > 2))->>'documents' AS three_months
FROM months, month_basis WHERE month < 12 GROUP BY s;
-- so do steps of the subspace, which need the one before; moving windows of months are the sums of these
SELECT tlv_find_subspace(tlv_rollup(products), subspace => s) = tlv_find_subspace((SELECT tlv_count_products(bag, b.s) FROM month_docs, month_basis b WHERE month < 12), subspace => s) AS steps,
       tlv_info(tlv_rollup(products) - tlv_rollup(products) FILTER (WHERE month > 2))->>'documents' AS three_months,
       tlv_rollup(products) - tlv_rollup(products) FILTER (WHERE month > 2) = tlv_rollup(products) FILTER (WHERE month <= 2) AS what_is_left,
       tlv_rollup(products)::text::tlv_moments = tlv_rollup(products) AS from_text
FROM months, month_basis WHERE month < 12 GROUP BY s;
SELECT count(*) AS windows, count(*) FILTER (WHERE w.products = (SELECT tlv_rollup(o.products) FROM months o WHERE o.month BETWEEN w.month - 2 AND w.month)) AS equal
FROM (SELECT month, tlv_rollup(products) OVER (ORDER BY month ROWS 2 PRECEDING) AS products FROM months) w;
-- a corpus of many documents holds sums, which need no subspace; parts that refer to it make a sum that does
CREATE TEMP TABLE corpus AS SELECT tlv_count_products(bag, s) AS products FROM month_docs, month_basis, generate_series(1, 3) GROUP BY s;
SELECT tlv_info(tlv_find_subspace(c.products))->>'steps' = tlv_info(tlv_find_subspace(c.products, subspace => s))->>'steps' AS alone,
       max(abs(a.eigenvalue - b.eigenvalue)) < 1e-9 AS with_a_month, pg_temp.outcome(format('SELECT tlv_find_subspace(%L::tlv_moments)', (c.products + m.products)::text)) AS refers
FROM corpus c, month_basis, months m,
     LATERAL (SELECT tlv_count_products(bag, s) AS p FROM (SELECT bag FROM month_docs, generate_series(1, 3) UNION ALL SELECT bag FROM month_docs WHERE month = 5) d) o,
     LATERAL tlv_spectrum(tlv_find_subspace(c.products + m.products, subspace => s)) a JOIN LATERAL tlv_spectrum(tlv_find_subspace(p, subspace => s)) b USING (rank)
WHERE m.month = 5 GROUP BY c.products, m.products, s;
SELECT pg_temp.outcome('SELECT tlv_find_subspace(products) FROM months WHERE month = 1') AS without,
       pg_temp.outcome('SELECT tlv_find_subspace(products, subspace => tlv_find_subspace(summary, 10)) FROM months WHERE month = 1') AS another,
       pg_temp.outcome('SELECT tlv_find_subspace(summary, 2, subspace => s) FROM months, month_basis WHERE month = 1') AS not_products;
-- topics by anchors of months that were added up
SELECT tlv_fit_lda(tlv_rollup(anchors), 3, subspace => s) = tlv_fit_lda((SELECT tlv_anchor_moments(bag, b.s) FROM month_docs, month_basis b WHERE month < 12), 3, subspace => s) AS fits,
       tlv_rollup(anchors) - tlv_rollup(anchors) FILTER (WHERE month > 2) = tlv_rollup(anchors) FILTER (WHERE month <= 2) AS what_is_left,
       tlv_rollup(anchors)::text::tlv_moments = tlv_rollup(anchors) AS from_text, tlv_info(0.5 * tlv_rollup(anchors))->>'documents' AS half
FROM months, month_basis WHERE month < 12 GROUP BY s;
SELECT max(distance) < 1e-6 AS half_as_many FROM months, month_basis, LATERAL (SELECT tlv_rollup(anchors) AS all_months FROM months) m,
  LATERAL tlv_match(tlv_fit_lda(all_months, 3, subspace => s), tlv_fit_lda(0.5 * all_months, 3, subspace => s)) WHERE month = 1;
SELECT pg_temp.outcome('SELECT tlv_fit_lda(anchors, 3) FROM months WHERE month = 1') AS without,
       pg_temp.outcome('SELECT tlv_fit_lda(anchors, 3, subspace => tlv_find_subspace(summary, 10)) FROM months WHERE month = 1') AS another;
-- so do sums of compressed and anchor moments: a worker that saw few documents makes no sum refer to the subspace, in whatever order they come
CREATE TEMP TABLE large AS SELECT tlv_count_moments(bag, s) AS moments, tlv_anchor_moments(bag, s) AS anchors FROM month_docs, month_basis, generate_series(1, 3) GROUP BY s;
SELECT max(a.distance) < 1e-6 AS moments, max(b.distance) < 1e-6 AS anchors FROM large l, month_basis, months m,
  LATERAL (SELECT tlv_count_moments(bag, s) AS g, tlv_anchor_moments(bag, s) AS h FROM (SELECT bag FROM month_docs, generate_series(1, 3) UNION ALL SELECT bag FROM month_docs WHERE month = 5) d) o,
  LATERAL tlv_match(tlv_fit_lda(m.moments + l.moments, 3, 1), tlv_fit_lda(g, 3, 1)) a, LATERAL tlv_match(tlv_fit_lda(l.anchors + m.anchors, 3), tlv_fit_lda(h, 3)) b WHERE m.month = 5;
-- statistics of a model of topics are numbers for every topic and item that the documents hold, whatever the model has
SELECT refine, items, pg_column_size(statistics) / (20. * items) BETWEEN 8 AND 9.3 AS bytes_a_number FROM (SELECT tlv_simulate_lda_model(10000, 20, seed => 2) AS model) m,
  LATERAL (SELECT refine, tlv_statistics(bag, model, refine) AS statistics, tlv_bag_size(tlv_rollup(bag)) AS items
    FROM tlv_simulate_lda(model, 35, 25, seed => 2), unnest('{gibbs,stepwise,ctm}'::text[]) refine GROUP BY refine) s ORDER BY refine;
-- directions: k and as many more, 10 at least and 64 at most, no more than there are items
SELECT k, tlv_info(tlv_find_subspace(s, k))->'arrays'->'basis'->0 AS directions, tlv_info(s)->'arrays'->'items'->0 AS items
FROM unnest('{1, 10, 20, 64, 100, 300}'::int[]) k, (SELECT tlv_count_summary(bag) AS s FROM tlv_simulate_lda(tlv_simulate_lda_model(400, 3, seed => 1), 500, 40, seed => 1)) m ORDER BY k;
-- values of kinds that are gone, as an earlier version wrote them
SELECT pg_temp.outcome(format('SELECT %L::tlv_moments',
    'slice_moments documents=6 bytes=356:AgABKw8AAAAAAAAAZAEAAAAAAAACgXL7ECMgAV+q5E8qHDJ80AgJZG9jdW1lbnRzAQABARIBB3NraXBwZWQBAAEBEgEFbnVsbHMBAAEBEgEGdG9rZW5zAQABARIB'
    'BHJhbmsBAAEBEgEFc3RlcHMBAAEBEgEIZGlzdGluY3QBAAEBEgEEc2VlZAEAAQESARFtaW5pbXVtX2RvY3VtZW50cwEAAQESAQV0cmFjZQEAAQEQCAhzdWJzcGFjZQMAARAAEAZ0b3RhbHMBAAcBIgUEbWVhbgEA'
    'AgEQEAVwYWlycwEAAwEQGAZzbGljZXMBAAICECAGAAAwAgIAAQAZ1EEd1EHNP97NxCqiEd9L/aWByqfqqg8CBwEABoUIbdaWK0fAAAAAAAAA2LzGAGp6g15GQAAAAAAAgNY8FV/xFV/xFcCM5PYkhZhFwCCUckL9'
    'LBVAAAAAAAAAzbyIQIxnlmUDwA==')) AS slice_moments;
SELECT pg_temp.outcome(format('SELECT %L::tlv_moments',
    'grouped_moments items=7 bytes=872:AgABPhQAAAAAAAAAaAMAAAAAAADdRD9b3HPgu+Jd8bFVusb16A8JZG9jdW1lbnRzAQACARICB3NraXBwZWQBAAEBEgEFbnVsbHMBAAEBEgEGdG9rZW5zAQACARICD3'
    'NxdWFyZWRfbGVuZ3RocwEAAgESBARyYW5rAQABARIBBXN0ZXBzAQABARIBCGRpc3RpbmN0AQABARIBBHNlZWQBAAEBEgERbWluaW11bV9kb2N1bWVudHMBAAEBEgEFdHJhY2UBAAEBEAgIc3Vic3BhY2UDAAEQAB'
    'AFaXRlbXMCAAcBAQcFc2NhbGUBAAcBIBMGc2hhcmVzAQAHASEPBHJpdHoBAAcBEDgFYmFzaXMBAAIHEHAGdG90YWxzAQAHAhIOCHByb2R1Y3RzAQACDhDgAQd0cmlwbGVzAQAEAhBABAIAACAQgAKAAQICAAEAGd'
    'RBHdRBzT/ezcQqohHfS/2lgcqn6qoPAAICAgICAgAPSUhiEz0EQAEAju1fOl69BUAAq6qqqqqqwj8BAAAAAD5aVo34WdPtPxvUQR3UQb2/HdRBHdRBvb8f1EEd1EG9vyPUQR3UQb2/KNRBHdRBvb/08s57AefAv4'
    'WHv0Oei9a/c35ebizhybzWPKki+nPYv+0HDaQMXrM/1jypIvpz2L9NhwginuStv9Y8qSL6c9i/hurWwj78xz/WPKki+nPYv7mt6P8RKts/1DypIvpz2L9fuaSCR4jMP9U8qSL6c9i/WVi0Q6JD678EBAUEBQUFAg'
    'MCAwICAg6Q5XRQ7g7A8m7NDxBWuL+6TcKjbOMOwFUHkKW9Ksq/lHBZ5iNOE8CweiRFntWFv7pNwqNs4w7ANCPsRLlr17+VcFnmI04TwObWKS40rea/lXBZ5iNOE8DDOfhPGLXav5RwWeYjThPA00KdZ4sv8j8QkO'
    'V0UO7+v1pvzQ8QVrg/TbrRepEqB8D0PkjktKykP7xNwqNs4/6/le+wGd+RwT9NutF6kSoHwDw/SOS0rKS/vE3Co2zj/r9hmnlQ3BnLv7xNwqNs4/6/skw8iBjpsL+8TcKjbOP+v67Hk2quv+Y/ujBJMVzLPMCBri'
    '/cItfjv37FmFj8OwxAmQy0U8X+9L+9MEkxXMsswHiuL9wi1+M/gsWYWPw7/D93dGR7Z8zxvw==')) AS grouped_moments;
