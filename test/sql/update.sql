-- tlv_update: what a batch does not mention stays, a batch without information returns the model, and a step that rests on too little warns.
\pset null '(null)'
CREATE SCHEMA updates;
SET search_path = updates, public;
CREATE TABLE points AS SELECT g AS id, ARRAY[10 * (g % 3) + sin(g), 7 * (g % 3 % 2) + cos(3 * g), sin(7 * g)] AS x FROM generate_series(1, 300) g;
CREATE TABLE answers AS SELECT (g % 2)::text AS a, ((g + (g % 7 = 0)::int) % 2)::text AS b, ((g + (g % 11 = 0)::int) % 2)::text AS c, ((g + (g % 13 = 0)::int) % 2)::text AS d
  FROM generate_series(1, 300) g;
-- answers with numbers beside them
CREATE TABLE beside AS SELECT g AS id, v, CASE WHEN v <> 'x' THEN (g % 2)::text END AS category, CASE WHEN v = 'x' THEN 5 * (g % 2) + sin(g) END AS number
FROM generate_series(1, 300) g, unnest(ARRAY['a', 'b', 'x']) v;
CREATE TABLE models AS
  SELECT 'topics' AS name, tlv_lda('SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(30, 3, alpha0 => 0.3, seed => 3), 300, 30, seed => 3)', k => 3) AS m
  UNION ALL SELECT 'mixture', tlv_gmm('SELECT x FROM updates.points', k => 3)
  UNION ALL SELECT 'full', tlv_gmm('SELECT x FROM updates.points', k => 3, covariance => 'full')
  UNION ALL SELECT 'directions', tlv_gmm('SELECT x FROM updates.points', k => 3, covariance => 'direction')
  UNION ALL SELECT 'symbols', tlv_hmm('SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(4, 2, seed => 1), 30, 30, seed => 1)', 2)
  UNION ALL SELECT 'sequences', tlv_hmm('SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(dimensions => 2, k => 2, seed => 1), 30, 30, seed => 1)', 2)
  UNION ALL SELECT 'views', tlv_multiview('SELECT x, x[1:2] AS y, x[2:3] AS z FROM updates.points', k => 3)
  UNION ALL SELECT 'three answers', tlv_multiview('SELECT a::int, b::int, c::int FROM updates.answers', k => 2)
  UNION ALL SELECT 'components', tlv_ica('SELECT x FROM updates.points', k => 2)
  UNION ALL SELECT 'classes', tlv_lca('SELECT * FROM updates.answers', k => 2, layout => 'wide')
  UNION ALL SELECT 'mixed classes', tlv_lca('SELECT * FROM updates.beside', k => 2, layout => 'long')
  UNION ALL SELECT 'membership', tlv_gom('SELECT * FROM updates.answers', k => 2, alpha0 => 0.5, layout => 'wide')
  UNION ALL SELECT 'tree', tlv_tree('SELECT * FROM updates.answers', states => 2, layout => 'wide')
  UNION ALL SELECT 'dictionary', tlv_dictionary('SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(12, 4, 2, seed => 3), 400, seed => 4)', 4, 2)
  UNION ALL SELECT 'communities', tlv_mmsb('SELECT a, b FROM generate_series(1, 20) a, generate_series(1, 20) b WHERE a < b AND (a % 2 = b % 2 OR b = a + 1)', k => 2)
  UNION ALL SELECT 'network', tlv_network('SELECT g, x FROM generate_series(1, 300) g, unnest(CASE WHEN g % 3 = 0 THEN ''{a,b,c}''::text[] ELSE ''{d,e,f}'' END) x');

-- the review's case: a batch in which v3 was not asked
CREATE TABLE asked AS SELECT i, v, (i % 2)::text AS a FROM generate_series(1, 400) i, unnest(ARRAY['v1', 'v2', 'v3']) v;
SELECT tlv_impute(tlv_update(m, (SELECT tlv_statistics(ARRAY[a, a, NULL]::text[], m) FROM (SELECT (i % 2)::text AS a FROM generate_series(1, 400) i) w)), ARRAY['1', '1', NULL])
FROM (SELECT tlv_lca('SELECT i, v, a FROM updates.asked', k => 2) AS m) q;

-- ---- a batch that says nothing ----
CREATE FUNCTION statistics(m tlv_model, batch text) RETURNS tlv_moments LANGUAGE plpgsql AS $$
DECLARE
  s tlv_moments;
BEGIN
  EXECUTE format('SELECT tlv_statistics(%s, $1) FROM generate_series(1, 300) i', batch) INTO STRICT s USING m;
  RETURN s;
END $$;
CREATE FUNCTION after(m tlv_model, batch text, weight float8 DEFAULT 1) RETURNS tlv_model LANGUAGE sql AS $$ SELECT tlv_update(m, statistics(m, batch), weight) $$;
CREATE TABLE batches (name, batch) AS VALUES
  ('topics', 'NULL::tlv_bag'), ('topics', '(SELECT tlv_bag_agg(1::bigint) FILTER (WHERE false))'), ('topics', 'tlv_to_bag(ARRAY[77777]::bigint[])'),
  ('mixture', 'NULL::float8[]'), ('mixture', 'ARRAY[1, NULL, 3]::float8[]'), ('full', 'NULL::float8[]'), ('directions', 'NULL::float8[]'),
  ('symbols', '''{}''::bigint[]'), ('symbols', '''{NULL,NULL}''::bigint[]'), ('symbols', '''{99,98}''::bigint[]'), ('symbols', 'NULL::bigint[]'),
  ('sequences', '''{}''::float8[]'), ('sequences', '''{{NULL,NULL},{NULL,NULL}}''::float8[]'),
  ('views', 'NULL::float8[], NULL::float8[], NULL::float8[]'), ('three answers', 'NULL::int, NULL::int, NULL::int'), ('three answers', '7, 8, 9'),
  ('components', 'NULL::float8[]'), ('classes', '''{NULL,NULL,NULL,NULL}''::text[]'), ('classes', '''{q,q,q,q}''::text[]'), ('classes', 'NULL::text[]'),
  ('mixed classes', 'ROW(NULL::text, NULL::text, NULL::float8)'), ('membership', '''{NULL,NULL,NULL,NULL}''::text[]'), ('membership', 'NULL::text[]'),
  ('tree', '''{NULL,NULL,NULL,NULL}''::text[]'), ('tree', 'NULL::text[]'), ('dictionary', 'NULL::float8[]'), ('communities', 'NULL::bigint, NULL::tlv_bag'), ('dictionary',
    'array_fill(0::float8, ARRAY[12])'), ('network', 'NULL::text[]'), ('network', '''{}''::text[]'), ('network', '''{unknown}''::text[]');
SELECT name, bool_and(after(m, batch, w) = m) AS same, count(*) FROM models JOIN batches USING (name), unnest('{1,0.3}'::float8[]) w WHERE w = 1 OR name NOT IN ('network', 'communities')
GROUP BY name ORDER BY name;
-- every kind of statistics is among them, but those of correlated topics, which are topics, of trees without parameters, and scores that choose k, with which no model is updated
SELECT kind FROM tlv_kinds() WHERE 'tlv_statistics' = ANY (collects) EXCEPT SELECT tlv_kind(statistics(m, batch)) FROM models JOIN batches USING (name) ORDER BY kind;

-- ---- what a batch does not mention stays ----
CREATE FUNCTION parameters(m tlv_model) RETURNS TABLE (part text, component int, item text, x numeric) LANGUAGE sql AS $$
  SELECT part, component, item_name, round(estimate::numeric, 6) FROM tlv_estimates(m) WHERE tlv_kind(m) !~ 'tree'
  UNION ALL SELECT 'probability', parent_state::int, parent || '-' || child || ' ' || parent_state || '-' || child_state, round(probability::numeric, 6) FROM (SELECT m
    WHERE tlv_kind(m) ~ 'tree') t, tlv_tree_parameters(m) $$;
SELECT name, w, string_agg(DISTINCT a.item, ' ' ORDER BY a.item) FILTER (WHERE a.x = b.x) AS same, string_agg(DISTINCT a.item, ' ' ORDER BY a.item) FILTER (WHERE a.x <> b.x) AS moved
FROM models JOIN (VALUES ('classes', 'ARRAY[(i % 2)::text, (i % 3 % 2)::text, NULL, NULL]'), ('membership', 'ARRAY[(i % 2)::text, (i % 3 % 2)::text, NULL, NULL]'), ('tree',
  'ARRAY[(i % 2)::text, (i % 3 % 2)::text, NULL, NULL]'),
    ('mixed classes', 'ROW((i % 2)::text, NULL::text, NULL::float8)'), ('sequences', 'ARRAY[[i % 3, NULL], [3 + i % 2, NULL], [5, NULL]]::float8[]')) c(name, batch) USING (name),
  unnest('{1,0.3}'::float8[]) w, parameters(m) a JOIN LATERAL parameters(after(m, batch, w)) b USING (part, component, item) WHERE a.part IN ('probability', 'mean', 'variance')
    AND a.item IS NOT NULL GROUP BY name, w ORDER BY name, w;
-- a variable counts by the rows that have a value of it: one row in three, a third of the model beside it
SELECT w, bool_and(abs(b.x - (w * 1 + (1 - w) * a.x)) < 0.02) AS between FROM models, unnest('{0.2,0.5,0.8}'::float8[]) w,
  parameters(m) a JOIN LATERAL parameters(after(m, 'ARRAY[''1'', ''1'', ''1'', CASE WHEN i % 3 = 0 THEN ''1'' END]', w)) b USING (part, component, item)
WHERE name = 'classes' AND a.part = 'probability' AND a.item = 'd=1' AND a.x > 0.5 GROUP BY w ORDER BY w;

-- ---- a step that rests on too little ----
CREATE TABLE two AS SELECT tlv_gmm('SELECT ARRAY[50 * (i % 2) + sin(i), cos(i * 7)] AS x FROM generate_series(1, 400) i', k => 2) AS m;
CREATE FUNCTION few(m tlv_model, n int, weight float8) RETURNS TABLE (code text, component int, score numeric, message text) LANGUAGE sql AS $$
  SELECT code, component, round(score::numeric, 6), message FROM tlv_warnings(tlv_update(m, (SELECT tlv_statistics(ARRAY[sin(i), cos(i)], m) FROM generate_series(1, n) i), weight)) $$;
SELECT 'one row' AS batch, w.* FROM two, few(m, 1, 1) w;
SELECT 'one row at 0.1' AS batch, w.* FROM two, few(m, 1, 0.1) w;
SELECT 'one row at 0.05' AS batch, w.* FROM two, few(m, 1, 0.05) w;
SELECT 'one group' AS batch, w.* FROM two, few(m, 100, 1) w;
SELECT 'one group at 0.995' AS batch, w.* FROM two, few(m, 100, 0.995) w;
SELECT 'one group at 0.4' AS batch, w.* FROM two, few(m, 100, 0.4) w;
-- a later step of enough rows takes the warning away
SELECT count(*) FILTER (WHERE code = 'few_rows') AS before, (SELECT count(*) FROM few(u, 100, 0.1) WHERE code = 'few_rows') AS later
FROM (SELECT after(m, 'ARRAY[0, 0]::float8[]', 0.5) AS u, after(m, 'CASE WHEN i = 1 THEN ARRAY[0, 0]::float8[] END') AS bad FROM two) q, tlv_warnings(bad) GROUP BY u;
