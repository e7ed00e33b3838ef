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
FROM unnest(ARRAY['a.categories - b.summary', 'a.categories - (a.categories + b.categories)', 'a.dense - a.dense', 'a.summary - b.summary', 'a.coherence - b.coherence']) q;

-- a value of the format before packing, version 1, is read and becomes the one image of what it holds
CREATE TEMP TABLE old AS SELECT 'count_summary:
AQABAQoAAAAAAAAASAMAAAAAAADxFukQaZ3L+s7Wf65gdYA3ZG9jdW1lbnRzAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAWAIAAAAAAABza2lwcGVkAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAA
AAAAAABgAgAAAAAAAG51bGxzAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAGgCAAAAAAAAdG9rZW5zAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAcAIAAAAAAABzcXVhcmVkX2xl
bmd0aHMAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAB4AgAAAAAAAGl0ZW1zAAAAAAAAAAAAAAAAAAAAAAAAAAIAAAAAAAAABQAAAAAAAAABAAAAAAAAAIACAAAAAAAAdG90YWxzAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAF
AAAAAAAAAAEAAAAAAAAAqAIAAAAAAABmcmVxdWVuY3kAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAUAAAAAAAAAAQAAAAAAAADQAgAAAAAAAGNvcnJlY3Rpb24AAAAAAAAAAAAAAAAAAAEAAAAAAAAABQAAAAAAAAABAAAAAAAAAPgCAAAAAAAA
c3F1YXJlcwAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAFAAAAAAAAAAEAAAAAAAAAIAMAAAAAAAAAAAAAAAAIQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoQAAAAAAAAEhAAQAAAAAAAAACAAAAAAAAAAMAAAAAAAAABAAAAAAAAAAJAAAAAAAA
AAAAAAAAABhAAAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/AAAAAAAACEAAAAAAAAAIQAAAAAAAAPA/AAAAAAAA8D8AAAAAAADwPwAAAAAAAAhAAAAAAAAAAEBVVVVVVVXVP1VVVVVVVdU/VVVVVVVV1T8AAAAAAADwPwAAAAAAABBAVVVVVVVV
1T9VVVVVVVXVP1VVVVVVVdU/AAAAAAAA8D8='::tlv_moments AS v;
SELECT v = (SELECT tlv_count_summary(bag) FROM (VALUES ('{1:2,2:1,9:1}'::tlv_bag), ('{1:2,3:1,9:1}'), ('{1:2,4:1,9:1}')) b(bag)) AS same, tlv_info(v)->'documents' AS documents FROM old;
