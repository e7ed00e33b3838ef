-- tlv_update with a weight below 1: a step that counts little moves little, however few its rows, in every kind of model.
SET client_min_messages = warning;
CREATE SCHEMA small_steps;
SET search_path = small_steps, public;
CREATE TABLE answers AS SELECT g AS id, (CASE WHEN hashint4(g) % 11 > -3 THEN g % 3 ELSE abs(hashint4(g + 7) % 4) END)::text AS a,
  (CASE WHEN hashint4(g + 1) % 13 > -4 THEN g % 3 ELSE abs(hashint4(g + 8) % 4) END)::text AS b, (CASE WHEN hashint4(g + 2) % 17 > -5 THEN g % 3 ELSE abs(hashint4(g + 9) % 4) END)::text AS c,
  (CASE WHEN hashint4(g + 3) % 19 > -6 THEN g % 3 ELSE abs(hashint4(g + 10) % 4) END)::text AS d, (2 * (g % 3) + sin(g))::float8 AS x, abs(3 * (g % 3) + hashint4(g + 70) % 3) AS n
  FROM generate_series(1, 1500) g;
CREATE TABLE points AS SELECT g AS id, ARRAY[3 * (g % 3) + 2 * sin(g), 2 * (g % 3 % 2) + cos(3 * g), sin(7 * g)] AS x FROM generate_series(1, 1500) g;
CREATE TABLE sources AS SELECT id, ARRAY[u + v, u - 2 * v] AS x FROM (SELECT g AS id, sin(g * g) AS u, (hashint4(g) % 1000) / 1000.0 AS v FROM generate_series(1, 1500) g) q;
CREATE TABLE signals AS SELECT id, x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(16, 20, 2, seed => 3), 1500, noise => 0.02, seed => 4);
CREATE TABLE docs AS SELECT doc AS id, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(300, 4, alpha0 => 0.4, seed => 3), 1500, 40, seed => 3);
CREATE TABLE symbols AS SELECT seq AS id, array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(tlv_simulate_hmm_model(symbols => 12, k => 3, seed => 3), 300, 30, seed => 2) GROUP BY seq;
CREATE TABLE vectors AS SELECT seq AS id, array_agg(x ORDER BY t) AS s FROM tlv_simulate_hmm(tlv_simulate_hmm_model(dimensions => 3, k => 3, seed => 3), 300, 30, seed => 2) GROUP BY seq;
-- three phases, one after another
CREATE TABLE phases AS SELECT g AS id, (SELECT array_agg((4 * ((t > 8 + g % 5)::int + (t > 20 + g % 7)::int) + abs(hashint4(t * 997 + g)) % 4)::bigint ORDER BY t) FROM generate_series(1, 30) t) AS s
  FROM generate_series(1, 300) g;
CREATE TABLE views AS SELECT id, x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model('{3,3,3}', k => 3, seed => 1), 1500, seed => 2);
CREATE TABLE category_views AS SELECT id, category1, category2, category3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(categories => '{5,5,5}', k => 3, seed => 1), 1500, seed => 2);

-- a model, its table and row, and into how many parts of a row perplexity is taken
CREATE TABLE models (name text PRIMARY KEY, source text, x text, parts int, model tlv_model);
-- whether some converge within 100 iterations depends on the processor
SET client_min_messages = error;
INSERT INTO models
  SELECT 'lda', 'docs', 'bag', 40, tlv_lda('SELECT bag FROM docs', k => 4, seed => 1)
  UNION ALL SELECT 'lda, one topic each', 'docs', 'bag', 40, tlv_lda('SELECT bag FROM docs', k => 4, alpha0 => 0)
  UNION ALL SELECT 'lda, correlated', 'docs', 'bag', 40, tlv_lda('SELECT bag FROM docs', k => 4, refine => 'ctm')
  UNION ALL SELECT 'latent classes', 'answers', 'ROW(a, b, c, d)', 4, tlv_lca('SELECT a, b, c, d FROM answers', k => 3, layout => 'wide')
  UNION ALL SELECT 'latent classes, number', 'answers', 'ROW(a, b, x)', 3, tlv_lca('SELECT a, b, x FROM answers', k => 3, layout => 'wide')
  UNION ALL SELECT 'latent classes, count', 'answers', 'ROW(a, b, n)', 3, tlv_lca('SELECT a, b, n FROM answers', k => 3, layout => 'wide')
  UNION ALL SELECT 'grade of membership', 'answers', 'ROW(a, b, c, d)', 4, tlv_gom('SELECT a, b, c, d FROM answers', k => 3, layout => 'wide')
  UNION ALL SELECT 'tree', 'answers', 'ARRAY[a::int, b::int, c::int, d::int]', 4, tlv_tree('SELECT a::int, b::int, c::int, d::int FROM answers', states => 3, layout => 'wide')
  UNION ALL SELECT 'views', 'views', 'x1, x2, x3', 9, tlv_multiview('SELECT x1, x2, x3 FROM views', k => 3)
  UNION ALL SELECT 'views of categories', 'category_views', 'category1, category2, category3', 3, tlv_multiview('SELECT category1, category2, category3 FROM category_views', k => 3)
  UNION ALL SELECT 'gaussians, ' || c, 'points', 'x', 3, tlv_gmm('SELECT x FROM points', k => 3, covariance => c) FROM unnest('{common,spherical,diagonal,full}'::text[]) c
  UNION ALL SELECT 'gaussians, t', 'points', 'x', 3, tlv_gmm('SELECT x FROM points', k => 3, covariance => 'spherical', tails => 't')
  UNION ALL SELECT 'directions', 'points', 'x', 3, tlv_gmm('SELECT x FROM points', k => 3, covariance => 'direction')
  UNION ALL SELECT 'hmm, symbols', 'symbols', 's', 30, tlv_hmm('SELECT s FROM symbols', k => 3)
  UNION ALL SELECT 'hmm, left to right', 'phases', 's', 30, tlv_hmm('SELECT s FROM phases', k => 3, left_right => true)
  UNION ALL SELECT 'hmm, ' || c, 'vectors', 's', 90, tlv_hmm('SELECT s FROM vectors', k => 3, covariance => c) FROM unnest('{spherical,full}'::text[]) c
  UNION ALL SELECT 'ica', 'sources', 'x', NULL, tlv_ica('SELECT x FROM sources', k => 2)
  UNION ALL SELECT 'dictionary', 'signals', 'x', NULL, tlv_dictionary('SELECT x FROM signals', atoms => 20, sparsity => 2);
SET client_min_messages = warning;

-- steps of one weight, each with the next `size` rows, or all with the first ones
CREATE FUNCTION steps(m models, n int, size int, weight float8, same boolean) RETURNS tlv_model LANGUAGE plpgsql AS $$
DECLARE
  s tlv_moments;
BEGIN
  FOR i IN 0..n - 1 LOOP
    EXECUTE format('SELECT tlv_statistics(%s, $1) FROM %I WHERE id > $2 AND id <= $2 + $3', m.x, m.source) INTO s USING m.model, CASE WHEN same THEN 0 ELSE i * size END, size;
    m.model := tlv_update(m.model, s, weight => weight);
  END LOOP;
  RETURN m.model;
END $$;
-- log-likelihood of a row, over all of them
CREATE FUNCTION likelihood(m models, model tlv_model) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  mean float8;
BEGIN
  EXECUTE format('SELECT avg(tlv_log_likelihood($1, %s)) FROM %I', CASE WHEN m.x LIKE 'x1%' OR m.x LIKE 'category1%' THEN 'ROW(' || m.x || ')' ELSE m.x END, m.source) INTO mean USING model;
  RETURN mean;
END $$;
-- by how many percent perplexity grows
CREATE FUNCTION growth(m models, model tlv_model) RETURNS numeric LANGUAGE sql AS $$ SELECT (100 * (exp((likelihood(m, m.model) - likelihood(m, model)) / m.parts) - 1))::numeric $$;

CREATE TABLE found AS
  SELECT m.name, m.parts, m.model, steps(m, 1, 3, 1e-4, true) AS tiny, steps(m, 1, 3, 1e-12, true) AS none, steps(m, 30, rows / 30, 0.05, false) AS nights,
    steps(m, 1, rows, 1, true) AS one, steps(m, 30, rows, 1e-3, true) AS own FROM models m, LATERAL (SELECT CASE WHEN name LIKE 'hmm%' THEN 300 ELSE 1500 END AS rows) r;
-- as the weight falls to 0 nothing moves
SELECT count(*) FILTER (WHERE abs(likelihood(m, none) / likelihood(m, m.model) - 1) < 1e-8) AS stand, count(*) AS of FROM models m JOIN found f USING (name) WHERE m.parts IS NOT NULL;
SELECT name, max(distance) < 1e-6 AS stands FROM found, tlv_match(model, none) WHERE parts IS NULL GROUP BY name ORDER BY name;
-- one step of weight .0001 on three rows: the log-likelihood of all rows moves by less than a thousandth
SELECT m.name, round(1000 * abs(likelihood(m, tiny) / likelihood(m, m.model) - 1)::numeric) AS thousandths FROM models m JOIN found f USING (name) WHERE m.parts IS NOT NULL ORDER BY name;
SELECT name, round(max(distance)::numeric, 2) AS distance FROM found, tlv_match(model, tiny) WHERE parts IS NULL GROUP BY name ORDER BY name;
-- thirty nights of a thirtieth of the rows, weight .05, which make it a model of two thirds of them: perplexity grows by less than half a percent
SELECT m.name, round(greatest(growth(m, nights), 0)) AS percent FROM models m JOIN found f USING (name) WHERE m.parts IS NOT NULL ORDER BY name;
SELECT name, round(max(distance)::numeric, 1) AS distance FROM found, tlv_match(model, nights) WHERE parts IS NULL GROUP BY name ORDER BY name;
-- all the rows of the fit: thirty steps of a thousandth lead no other way than one whole step
SELECT m.name, growth(m, own) < greatest(growth(m, one), 0) + 0.1 AS stays FROM models m JOIN found f USING (name) WHERE m.parts IS NOT NULL ORDER BY name;
-- a night without rows changes nothing
SELECT bool_and(tlv_update(model, (SELECT tlv_statistics(bag, model) FROM (SELECT '{}'::tlv_bag AS bag) b WHERE false)) = model) AS same,
  bool_and(tlv_update(NULL, NULL) IS NULL) AS of_null FROM found;
DROP SCHEMA small_steps CASCADE;
