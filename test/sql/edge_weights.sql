-- weights of edges: neither their unit nor weights that say nothing decide which communities there are
SET client_min_messages = error;

-- two cliques that a few edges join; the weight is the same everywhere
SELECT unit, count(*) AS communities
FROM unnest('{0.1,1,100}'::float8[]) unit,
     tlv_communities(tlv_mmsb(format('SELECT i, j, %s FROM generate_series(1, 20) i, generate_series(1, 20) j WHERE i < j AND ((i <= 10) = (j <= 10) OR i + 1 = j)', unit)))
GROUP BY unit ORDER BY unit;

-- a random graph of calls, some pairs with many: a row a call, counts, and what they cost
CREATE TEMP TABLE calls AS
SELECT a, b FROM (SELECT a, b, abs(hashint8extended(a * 1000 + b, 1)) / 9.3e18 AS u, abs(hashint8extended(a * 1000 + b, 2)) / 9.3e18 AS v
                  FROM generate_series(1, 120) a, generate_series(1, 120) b WHERE a < b) q,
              LATERAL generate_series(1, 1 + floor(ln(v) / ln(2 / 3.))::int) WHERE u < .08;
SELECT query, (SELECT count(*) FROM tlv_components(tlv_mmsb(query))) AS communities
FROM unnest(ARRAY['SELECT a, b FROM calls', 'SELECT a, b, count(*)::float8 FROM calls GROUP BY 1, 2',
                  'SELECT a, b, 50. * count(*) FROM calls GROUP BY 1, 2', 'SELECT a, b, .05 * count(*) FROM calls GROUP BY 1, 2']) query;

-- three groups of 40, and weights that have nothing to do with them
CREATE TEMP TABLE planted AS
SELECT a, b, count(*) FILTER (WHERE u < p) AS calls, min(v) AS v
FROM (SELECT a, b, CASE WHEN a % 3 = b % 3 THEN .35 ELSE .05 END AS p, abs(hashint8extended(a * 1000 + b, 10 + i)) / 9.3e18 AS u,
             abs(hashint8extended(a * 1000 + b, 5)) / 9.3e18 AS v
      FROM generate_series(1, 120) a, generate_series(1, 120) b, generate_series(1, 4) i WHERE a < b) q
GROUP BY a, b HAVING bool_or(u < p AND u IS NOT NULL);
CREATE FUNCTION pg_temp.found(query text) RETURNS text LANGUAGE sql AS $$
    SELECT count(DISTINCT community) || ' communities, agreement ' || round(tlv_nmi(community, node % 3)::numeric, 1) ||
           ', counts ' || (SELECT score FROM tlv_diagnostics(m) WHERE measure = 'weights_are_counts')
    FROM (SELECT tlv_mmsb(query) AS m) f, LATERAL (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(m) ORDER BY node, membership DESC) t
    GROUP BY m;
$$;
SELECT weight, unit, pg_temp.found(format('SELECT a, b, (%s * (%s))::float8 FROM planted', unit, weight))
FROM unnest('{.01,1,100}'::float8[]) unit, unnest(ARRAY['calls', 'exp(-3 * ln(v + 1e-9))', 'round((100 * v)::numeric, 2) + .01', '1 + floor(5 * v)']) weight
ORDER BY weight, unit;

-- counts of a unit are Poisson counts in every unit: the same model, which says how many units an edge has
CREATE TEMP TABLE counted AS SELECT unit, tlv_mmsb(format('SELECT a, b, %s * calls FROM planted', unit), 3, edges => 'auto') AS m FROM unnest('{.05,1,50}'::float8[]) unit;
SELECT counted.unit, c.probability = one.probability AS same, round((tlv_edge_probability(counted.m, 1, 4) - tlv_edge_probability(o.m, 1, 4))::numeric, 9) AS difference,
       round((tlv_log_likelihood(counted.m, format('{2:%s,5:%s}', 2 * counted.unit, counted.unit)::tlv_bag) - tlv_log_likelihood(o.m, '{2:2,5:1}'::tlv_bag))::numeric, 9) AS log_likelihood
FROM counted JOIN counted o ON o.unit = 1, LATERAL (SELECT probability FROM tlv_connectivity(counted.m) WHERE community_a = 1 AND community_b = 1) c,
     LATERAL (SELECT probability FROM tlv_connectivity(o.m) WHERE community_a = 1 AND community_b = 1) one
ORDER BY counted.unit;

-- random graphs have one community, whatever the weights are
CREATE FUNCTION pg_temp.u(seed int, what int, a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ((hashtextextended(a || ' ' || b || ' ' || what, seed) >> 11) + 4503599627370496::bigint + 1)::float8 / 9007199254740994.0 $$;
CREATE FUNCTION pg_temp.normal(seed int, a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT sqrt(-2 * ln(pg_temp.u(seed, 3, a, b))) * cos(2 * pi() * pg_temp.u(seed, 4, a, b)) $$;
CREATE FUNCTION pg_temp.weight_of(kind text, seed int, a int, b int, times float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE kind
        WHEN 'poisson' THEN 1 + (SELECT count(*) FROM generate_series(1, 40) i WHERE pg_temp.u(seed, 5, a * 1000 + b, i) < 2 * times / 40)
        WHEN 'geometric' THEN 1 + floor(ln(pg_temp.u(seed, 3, a, b)) / ln(1 - 1 / (3 * times)))
        WHEN 'money' THEN round((exp(3 + pg_temp.normal(seed, a, b)) * times)::numeric, 2)::float8
        WHEN 'lognormal' THEN exp(2 * pg_temp.normal(seed, a, b)) * times
        WHEN 'exponential' THEN -ln(pg_temp.u(seed, 3, a, b)) * times
        WHEN 'pareto' THEN 1 + times * power(pg_temp.u(seed, 3, a, b), -1 / 1.5)
        WHEN 'similarity' THEN power(pg_temp.u(seed, 3, a, b), 1 / times)
        WHEN 'rating' THEN 1 + floor(5 * pg_temp.u(seed, 3, a, b)) END
$$;
CREATE FUNCTION pg_temp.edges(n int, inside float8, across float8, times float8, seed int, kind text, unit float8) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT a, b, %1$s * pg_temp.weight_of(%2$L, %3$s, a, b, CASE WHEN a %% 3 = b %% 3 THEN %4$s ELSE 1 END)
                   FROM generate_series(1, %5$s) a, generate_series(1, %5$s) b
                   WHERE a < b AND pg_temp.u(%3$s, 1, a, b) < CASE WHEN a %% 3 = b %% 3 THEN %6$s ELSE %7$s END', unit, kind, seed, times, n, inside, across)
$$;
CREATE TEMP TABLE kinds AS SELECT unnest('{poisson,geometric,money,lognormal,exponential,pareto,similarity,rating}'::text[]) AS kind;
SELECT kind, count(*) FILTER (WHERE (SELECT count(*) FROM tlv_components(m)) > 1) AS false
FROM (SELECT kind, tlv_mmsb(pg_temp.edges(100, .08, .08, 1, 100 + s, kind, power(10, s * 2 - 3))) AS m FROM generate_series(1, 2) s, kinds) q GROUP BY kind ORDER BY kind;

-- groups of the same density: only the weights, three times as large inside, show them; in another unit the partition is the same
CREATE TEMP TABLE weighted AS
SELECT kind, a, b, pg_temp.weight_of(kind, 50, a, b, CASE WHEN a % 3 = b % 3 THEN 3 ELSE 1 END) AS weight
FROM kinds, generate_series(1, 150) a, generate_series(1, 150) b WHERE kind NOT IN ('rating', 'lognormal') AND a < b AND pg_temp.u(50, 1, a, b) < .3;
SELECT kind, (SELECT count(*) FROM tlv_components(m)) AS communities, round(tlv_nmi(one.community, one.node % 3)::numeric, 1) AS agreement,
       tlv_nmi(one.community, other.community) >= .98 AS same_in_another_unit
FROM kinds, LATERAL (SELECT tlv_mmsb(format('SELECT a, b, weight FROM weighted WHERE kind = %L', kind)) AS m,
                            tlv_mmsb(format('SELECT a, b, 1000 * weight FROM weighted WHERE kind = %L', kind)) AS thousand) q,
     LATERAL (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(m) ORDER BY node, membership DESC) one JOIN
     LATERAL (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(thousand) ORDER BY node, membership DESC) other USING (node)
WHERE kind IN (SELECT kind FROM weighted)
GROUP BY kind, m ORDER BY kind;
-- directed edges: only the weights, inside the groups or from each to the next, show them, whether they are larger or smaller there;
-- weights of noise with effects of their ends change nothing, and no unit does
CREATE TEMP TABLE one_way AS
SELECT kind, a, b, power(20, v) * CASE kind WHEN 'inside' THEN CASE WHEN a % 3 = b % 3 THEN 6 ELSE 1 END
    WHEN 'to the next' THEN CASE WHEN (a + 1) % 3 = b % 3 THEN 6 ELSE 1 END
    WHEN 'lower inside' THEN CASE WHEN a % 3 = b % 3 THEN .16 ELSE 1 END ELSE power(4, 2 * pg_temp.u(4, 6, a, 0)) * power(4, 2 * pg_temp.u(4, 7, b, 0)) END AS w
FROM unnest('{inside,to the next,lower inside,noise}'::text[]) kind, generate_series(1, 90) a, generate_series(1, 90) b, LATERAL (SELECT pg_temp.u(4, 5, a, b) AS v) q
WHERE a <> b AND pg_temp.u(4, 1, a, b) < .15;
SELECT kind, count(DISTINCT one.community) AS communities, round(tlv_nmi(one.community, one.node % 3)::numeric, 1) AS agreement,
       tlv_nmi(one.community, hundredth.community) >= .98 AND tlv_nmi(one.community, hundred.community) >= .98 AS same_in_other_units
FROM unnest('{inside,to the next,lower inside,noise}'::text[]) kind, LATERAL (SELECT format('SELECT a, b, %%s * w FROM one_way WHERE kind = %L', kind)) q (query),
     LATERAL (SELECT tlv_mmsb(format(query, 1), directed => true) AS m, tlv_mmsb(format(query, .01), directed => true) AS h,
         tlv_mmsb(format(query, 100), directed => true) AS c OFFSET 0) f,
     LATERAL (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(m) ORDER BY node, membership DESC) one JOIN
     LATERAL (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(h) ORDER BY node, membership DESC) hundredth USING (node) JOIN
     LATERAL (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(c) ORDER BY node, membership DESC) hundred USING (node)
GROUP BY kind ORDER BY kind;
-- a unit as large or as small as a double may be
SELECT u AS unit, (SELECT count(*) FROM tlv_components(tlv_mmsb(format(
    'SELECT a, b, (1 + a %% 3) * float8 ''%s'' FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND (a <= 10) = (b <= 10)', u)))) AS k
  FROM unnest('{1e-200,1e-30,1,1e30,1e200}'::text[]) u;

-- weights of either sign, such as correlations and ratings from -2 to 2, have ranks as others have: the groups are those of any increasing function of them, -1 / exp(w) and w - 10 are all negative
CREATE TEMP TABLE signed AS SELECT a, b, round(((CASE WHEN a % 3 = b % 3 THEN 1.6 ELSE -.4 END) + pg_temp.normal(1, a, b))::numeric, 3)::float8 AS w
FROM generate_series(1, 120) a, generate_series(1, 120) b WHERE a < b AND pg_temp.u(2, 1, a, b) < .25;
CREATE FUNCTION pg_temp.groups_of(query text) RETURNS int[] LANGUAGE sql AS $$
    SELECT array_agg(community ORDER BY node) FROM (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(tlv_mmsb(query)) ORDER BY node, membership DESC) q $$;
SELECT weight, (SELECT round(tlv_nmi(c, (i % 3)::int)::numeric, 1) FROM unnest(found) WITH ORDINALITY u (c, i)) AS agreement,
    found = pg_temp.groups_of('SELECT a, b, w + 10 FROM signed') AS as_positive_ones
FROM unnest('{w,w - 10,-1 / exp(w),round(w)}'::text[]) weight, LATERAL (SELECT pg_temp.groups_of(format('SELECT a, b, %s FROM signed', weight)) AS found) f;
-- weights that are 0 or add up to 0 are no edges, in whatever parts they were added up, and what is subtracted may leave a negative weight
SELECT (SELECT count(*) FROM tlv_edges(g)) AS edges, g::text::tlv_graph = g AS same, (SELECT 2 * sum(weight) FROM tlv_edges(g)) AS weight
FROM unnest('{-1,0,1}'::float8[]) least, LATERAL (SELECT tlv_graph_agg(a, b, w) g FROM (VALUES (1, 2, 0.), (1, 3, 2), (2, 3, least), (3, 4, 1), (4, 3, least * (least < 0)::int)) v (a, b, w)) q;
WITH g AS (SELECT p, tlv_graph_agg(a, b, w) AS g FROM (VALUES (1, 1, 2, -1.), (1, 1, 2, 1), (1, 2, 3, 1), (2, 1, 1, -1), (2, 1, 2, 0), (2, 2, 3, -1), (2, 3, 4, 5)) v (p, a, b, w) GROUP BY p),
    whole AS (SELECT tlv_rollup(g) AS g FROM g)
SELECT (SELECT string_agg(src || '-' || dst || ' ' || weight, ', ') FROM tlv_edges(whole.g)) AS edges, whole.g::text::tlv_graph = whole.g AS same,
    (SELECT string_agg(src || '-' || dst || ' ' || weight, ', ') FROM tlv_edges(whole.g - (SELECT tlv_graph_agg(a, b, w) FROM (VALUES (3, 4, 7.), (1, 5, -2)) v (a, b, w)))) AS less
FROM whole;
SELECT i, (SELECT string_agg(weight::text, ' ') FROM tlv_edges(g)) AS weight FROM (SELECT i, tlv_graph_agg(1, 2, w) OVER (ORDER BY i ROWS 1 PRECEDING) AS g
    FROM (VALUES (1, 3.), (2, -1), (3, 2), (4, -2)) v (i, w)) q ORDER BY i;
SELECT tlv_mmsb('SELECT a, b, w FROM signed', edges => 'poisson');
