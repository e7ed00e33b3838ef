-- Models that last: labels, numbers that stay, components that are not there, steps that keep part of the old model.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\set ECHO all
CREATE SCHEMA lasting;
SET search_path = lasting, public;
CREATE TABLE topic_truth AS SELECT tlv_simulate_lda_model(40, 4, alpha0 => 0.4, seed => 3) AS model;
CREATE TABLE topic_docs AS SELECT d.* FROM topic_truth, tlv_simulate_lda(model, 600, 40, seed => 3) d;
CREATE TABLE points AS SELECT g AS id, ARRAY[10 * (g % 3) + sin(g), 7 * (g % 3 % 2) + cos(3 * g), sin(7 * g)] AS x FROM generate_series(1, 600) g WHERE g % 3 > 0 OR g % 2 = 0;
CREATE TABLE chain AS SELECT s.seq, array_agg(s.symbol ORDER BY s.t) AS s FROM tlv_simulate_hmm_model(symbols => 12, k => 3, seed => 3) m, tlv_simulate_hmm(m, 60, 60, seed => 2) s GROUP BY s.seq;
CREATE TABLE vector_chain AS SELECT s.seq, array_agg(s.x ORDER BY s.t) AS s FROM tlv_simulate_hmm_model(dimensions => 3, k => 3, seed => 3) m, tlv_simulate_hmm(m, 40, 60, seed => 2) s GROUP BY s.seq;
CREATE TABLE views AS SELECT v.* FROM tlv_simulate_multiview_model('{3,3,3}', k => 3, seed => 1) m, tlv_simulate_multiview(m, 400, seed => 2) v;
CREATE TABLE category_views AS SELECT v.* FROM tlv_simulate_multiview_model(categories => '{5,5,5}', k => 3, seed => 1) m, tlv_simulate_multiview(m, 2000, seed => 2) v;
CREATE TABLE edges AS SELECT a AS src, b AS dst FROM generate_series(1, 60) a, generate_series(1, 60) b
  WHERE a < b AND (a * 7919 + b * 104729) % 100 < CASE WHEN (a % 10 < 5) = (b % 10 < 5) THEN 40 ELSE 5 END;
CREATE TABLE models AS
  SELECT 'lda' AS name, tlv_lda('SELECT bag FROM topic_docs', k => 4, seed => 1) AS model
  UNION ALL SELECT 'gmm ' || c, tlv_gmm('SELECT x FROM points', k => 3, covariance => c) FROM unnest('{common,spherical,diagonal,full}'::text[]) c
  UNION ALL SELECT 'gmm t', tlv_gmm('SELECT x FROM points', k => 3, covariance => 'spherical', tails => 't')
  UNION ALL SELECT 'directions', tlv_gmm('SELECT x FROM points', k => 3, covariance => 'direction')
  UNION ALL SELECT 'hmm symbols', tlv_hmm('SELECT s FROM chain', k => 3)
  UNION ALL SELECT 'hmm vectors', tlv_hmm('SELECT s FROM vector_chain', k => 3)
  UNION ALL SELECT 'multiview vectors', tlv_multiview('SELECT x1, x2, x3 FROM views', k => 3)
  UNION ALL SELECT 'multiview categories', tlv_multiview('SELECT category1, category2, category3 FROM category_views', k => 3)
  UNION ALL SELECT 'ica', tlv_ica('SELECT x FROM points', k => 2)
  UNION ALL SELECT 'mmsb', tlv_mmsb('SELECT src, dst FROM edges', k => 2)
  UNION ALL SELECT 'mmsb mixed', tlv_mmsb('SELECT src, dst FROM edges', k => 2, alpha0 => 0.5)
  UNION ALL SELECT 'mmsb directed', tlv_mmsb('SELECT src, dst FROM edges', k => 2, directed => true)
  UNION ALL SELECT 'tree', tlv_tree('SELECT id, ''v'' || v, (x[1 + v % 3] > v)::int FROM points, generate_series(0, 5) v', states => 2);

-- ---- labels ----
CREATE TABLE labelled AS SELECT name, tlv_label(tlv_label(model, 1, 'the first'), 2, 'zweite Größe "2"') AS model FROM models WHERE name <> 'tree';
SELECT topic, label FROM labelled, tlv_topics(model) WHERE name = 'lda';
SELECT state, label FROM labelled, tlv_states(model) WHERE name = 'hmm symbols';
SELECT count(*) AS changed, bool_and(tlv_label(tlv_label(l.model, 1, NULL), 2, '') = m.model) AS taken_away, bool_and(l.model::text::tlv_model = l.model) AS text_form
FROM labelled l JOIN models m USING (name) WHERE l.model <> m.model;
SELECT tlv_label(model, 5, 'x') FROM models WHERE name = 'lda';
SELECT tlv_label(model, 1, repeat('x', 1001)) FROM models WHERE name = 'lda';
SELECT tlv_label(model, 1, repeat('x', 1000)) IS NOT NULL AS longest, tlv_label(NULL, 1, 'x') AS of_null FROM models WHERE name = 'lda';

-- ---- numbers that stay ----
-- a model aligned with itself is itself; labels come from the reference
SELECT bool_and(tlv_align(m.model, m.model) = m.model) AS same, bool_and(tlv_align(m.model, l.model) = l.model) AS labels FROM models m JOIN labelled l USING (name);
-- with names of dimensions, too
SELECT count(*), bool_and(tlv_align(m, m) = m AND tlv_compact(m) = m) AS same FROM (SELECT tlv_gmm('SELECT x[1] AS "length", x[2] AS width FROM points', k => 3) AS m
  UNION ALL SELECT tlv_ica('SELECT x[1] AS "length", x[2] AS width FROM points', k => 2)
  UNION ALL SELECT tlv_lca('SELECT id, ''v'' || v, (x[1 + v % 3] > v)::int FROM points, generate_series(0, 5) v', k => 2)) q;
-- numbers that another fit has given are brought back: a model whose components have moved up is what it was, but for those that have gone
CREATE FUNCTION weights(model tlv_model) RETURNS float8[] LANGUAGE sql STABLE AS $$ SELECT array_agg(weight ORDER BY component) FROM tlv_components(model) $$;
CREATE TABLE gone AS
  SELECT name, model, tlv_compact(model, (SELECT min(w) FROM unnest(weights(model)) w)) AS fewer FROM labelled WHERE name IN ('lda', 'hmm symbols', 'hmm vectors');
ALTER TABLE gone ADD back tlv_model;
UPDATE gone SET back = tlv_align(fewer, model);
SELECT name, cardinality(weights(fewer)) AS fewer, cardinality(weights(back)) AS back, array_position(weights(back), 0::float8) = array_position(weights(model), (SELECT min(w)
  FROM unnest(weights(model)) w)) AS place,
       (SELECT round(sum(w)::numeric, 9) FROM unnest(weights(back)) w) AS sum, tlv_compact(back) = tlv_align(tlv_compact(back), tlv_compact(back)) AS stable,
       (SELECT max(abs(a - b)) < 1e-12 FROM unnest(weights(tlv_compact(back)), weights(fewer)) u(a, b)) AS compact FROM gone ORDER BY name;
SELECT topic, label, weight > 0 AS there FROM gone, tlv_topics(back) WHERE name = 'lda';
-- what is not there infers 0, is never assigned, and comes back at its number
SELECT bool_and((tlv_infer(back, bag))[p] = 0) AS zero, bool_and(tlv_assign(back, bag) <> p) AS never, bool_and(abs((SELECT sum(x) FROM unnest(tlv_infer(back, bag)) x) - 1) < 1e-9) AS sum,
       bool_and(abs(tlv_log_likelihood(back, bag) - tlv_log_likelihood(fewer, bag)) < 1e-9) AS likelihood
FROM gone, LATERAL (SELECT array_position(weights(back), 0::float8) AS p) q, topic_docs WHERE name = 'lda';
SELECT bool_and(NOT p = ANY (tlv_viterbi(back, s))) AS never, bool_and((SELECT sum(x) = 0 FROM unnest((tlv_infer(back, s))[:][p:p]) x)) AS zero
FROM gone, LATERAL (SELECT array_position(weights(back), 0::float8) AS p) q, chain WHERE name = 'hmm symbols';
SELECT array_position(weights(updated), 0::float8) = array_position(weights(back), 0::float8) AS place, label, tlv_align(updated, back) = updated AS numbers
FROM (SELECT back, tlv_update(back, tlv_statistics(bag, back)) AS updated FROM gone, topic_docs WHERE name = 'lda' GROUP BY back) u, tlv_topics(updated) WHERE label IS NOT NULL;
SELECT array_position(weights(tlv_update(back, tlv_statistics(s, back))), 0::float8) = array_position(weights(back), 0::float8) AS place FROM gone, chain WHERE name = 'hmm symbols' GROUP BY back;
SELECT bool_and(w > 0) AS all_there, cardinality(array_agg(w)) AS k FROM gone, unnest(weights(tlv_align(model, back))) w WHERE name = 'lda';
-- rows are those of the model before, whatever forms its kind knows, and ids are settled as there
CREATE TABLE row_gone AS SELECT q.*, tlv_align(fewer, model) AS back FROM (
  SELECT name, model, tlv_compact(model, (SELECT min(w) FROM unnest(weights(model)) w)) AS fewer FROM models WHERE name IN ('hmm vectors', 'multiview categories', 'multiview vectors')
  UNION ALL SELECT 'hmm texts', m, tlv_compact(m, (SELECT min(w) FROM unnest(weights(m)) w))
  FROM (SELECT tlv_hmm('SELECT seq, ordinality, ''s'' || e FROM lasting.chain, unnest(s) WITH ORDINALITY u(e)', k => 3) AS m) t
  UNION ALL SELECT 'numbers of classes', m, tlv_compact(m, (SELECT min(w) FROM unnest(weights(m)) w))
  FROM (SELECT tlv_lca('SELECT id, v, CASE WHEN v = 4 THEN id % 3 END, x[v] FROM lasting.points, generate_series(1, 4) v', k => 3, layout => 'long') AS m) t) q;
CREATE FUNCTION same_rows(back tlv_model, fewer tlv_model, x anyelement) RETURNS boolean LANGUAGE sql STABLE AS
  $$ SELECT abs(tlv_log_likelihood(back, x) - tlv_log_likelihood(fewer, x)) < 1e-9 AND abs((SELECT sum(p) / count(*) * 3 FROM unnest(tlv_infer(back, x)) p) - 1) < 1e-9 $$;
SELECT name, same_rows(back, fewer, s) FROM row_gone, (SELECT s FROM vector_chain ORDER BY seq LIMIT 1) c WHERE name = 'hmm vectors';
SELECT name, same_rows(back, fewer, '{s1,s2,s1,s5}'::text[]) FROM row_gone WHERE name = 'hmm texts';
SELECT name, same_rows(back, fewer, ARRAY[1, 2, 3]) FROM row_gone WHERE name = 'multiview categories';
SELECT name, same_rows(back, fewer, ARRAY[1.5, 2.5, 3, 1, 2, 3, 1, 2, 3.5]) FROM row_gone WHERE name = 'multiview vectors';
SELECT name, same_rows(back, fewer, ARRAY[1, 1.5, 2.5, NULL]) FROM row_gone WHERE name = 'numbers of classes';
-- atoms that no row used have numbers, and codes go round them
CREATE TABLE coded AS SELECT whole, tlv_from_json(jsonb_set(tlv_to_json(whole)::jsonb, '{weights,0}', '0')::json) AS without, x
  FROM tlv_simulate_dictionary_model(12, 4, 2, seed => 3) AS truth,
    LATERAL (SELECT tlv_dictionary('SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(12, 4, 2, seed => 3), 400, seed => 4)', 4, 2) AS whole) d,
    LATERAL (SELECT x FROM tlv_simulate_dictionary(truth, 40, seed => 5)) rows;
SELECT count(*) AS entries, bool_and(e.atom BETWEEN 2 AND 4) AS others, bool_and(abs(w.coefficient - e.coefficient) < 1e-12) FILTER (WHERE NOT uses) AS same
FROM (SELECT coded.*, EXISTS (SELECT FROM tlv_encode(whole, x) WHERE atom = 1) AS uses FROM coded) c,
  tlv_encode(without, x) e LEFT JOIN LATERAL (SELECT atom, coefficient FROM tlv_encode(whole, x)) w USING (atom);
-- too far apart to be the same: all are new
SELECT cardinality(weights(tlv_align(g.model, g.model, 0))) AS same, cardinality(weights(tlv_align(m.model, g.model, 0.001))) AS with_new
FROM gone g, (SELECT tlv_lda('SELECT bag FROM topic_docs WHERE doc % 2 = 0', k => 4) AS model) m WHERE name = 'lda';
SELECT component, label FROM models, tlv_components(tlv_label(model, 1, 'hidden')) WHERE name = 'tree' AND component = 1;
SELECT tlv_align(model, model) = model FROM models WHERE name = 'tree';
SELECT tlv_compact(model) FROM models WHERE name = 'tree';
SELECT tlv_align(a.model, b.model) FROM models a, models b WHERE a.name = 'lda' AND b.name = 'ica';
SELECT tlv_align(model, model, -1) FROM models WHERE name = 'lda';
SELECT tlv_compact(model, 1) FROM models WHERE name = 'lda';
SELECT tlv_compact(model, 0.99) FROM models WHERE name = 'lda';

-- ---- steps that keep part of the old model ----
-- a small period moves little, by no more than its weight; weight 1 is the whole step
CREATE TABLE period AS SELECT * FROM topic_docs ORDER BY doc LIMIT 30;
CREATE TABLE steps AS
  SELECT w, model, tlv_update(model, (SELECT tlv_statistics(bag, m.model) FROM period), weight => w) AS updated FROM models m, unnest('{0.01,0.1,0.5,1}'::float8[]) w WHERE name = 'lda';
SELECT w, max(distance) <= 2.5 * w AS within, max(distance) > 0.1 * w AS moves FROM steps, tlv_match(model, updated) GROUP BY w ORDER BY w;
SELECT updated = tlv_update(model, (SELECT tlv_statistics(bag, m.model) FROM period)) AS whole FROM steps m WHERE w = 1;
-- the step of weight .1 goes about a tenth of the whole way, in every kind of model
CREATE TABLE whole AS
  SELECT name, model, tlv_statistics(x, model) AS s FROM models, (SELECT x FROM points WHERE id <= 90) p WHERE name LIKE 'gmm%' OR name IN ('directions', 'ica') GROUP BY name, model
  UNION ALL SELECT name, model, tlv_statistics(s, model) FROM models, (SELECT s FROM chain WHERE seq <= 5) c WHERE name = 'hmm symbols' GROUP BY name, model
  UNION ALL SELECT name, model, tlv_statistics(s, model) FROM models, (SELECT s FROM vector_chain WHERE seq <= 5) c WHERE name = 'hmm vectors' GROUP BY name, model
  UNION ALL SELECT name, model, tlv_statistics(x1, x2, x3, model) FROM models, (SELECT * FROM views WHERE id <= 50) v WHERE name = 'multiview vectors' GROUP BY name, model
  UNION ALL SELECT name, model, tlv_statistics(category1, category2, category3, model) FROM models, (SELECT * FROM category_views WHERE id <= 50) v WHERE name = 'multiview categories'
    GROUP BY name, model;
SELECT name, tenth BETWEEN 0.03 * whole AND 0.3 * whole AS tenth, whole > 0 AS moves FROM (
  SELECT name, (SELECT max(distance) FROM tlv_match(model, tlv_update(model, s, weight => 0.1))) AS tenth, (SELECT max(distance) FROM tlv_match(model, tlv_update(model, s))) AS whole
    FROM whole) q ORDER BY name;
-- means of a mixture after a step of weight w are between the old ones and those of the rows, in the shares of both
SELECT bool_and(abs(u.mean - (0.75 * o.weight * o.mean + 0.25 * n.weight * n.mean) / (0.75 * o.weight + 0.25 * n.weight)) < 1e-9) AS means,
       bool_and(abs(u.weight - (0.75 * o.weight + 0.25 * n.weight)) < 1e-9) AS weights, count(*)
FROM (SELECT m.model, s, tlv_update(m.model, s) AS whole, tlv_update(m.model, s, 0.25) AS part FROM models m, LATERAL (SELECT tlv_statistics(x, m.model) AS s FROM points WHERE id <= 60) q
  WHERE name = 'gmm diagonal') q,
     LATERAL (SELECT * FROM tlv_components(model) JOIN tlv_means(model) USING (component)) o, LATERAL (SELECT * FROM tlv_components(whole) JOIN tlv_means(whole) USING (component)) n,
     LATERAL (SELECT * FROM tlv_components(part) JOIN tlv_means(part) USING (component)) u WHERE (o.component, o.dimension) = (n.component, n.dimension) AND (o.component,
       o.dimension) = (u.component, u.dimension);
SELECT tlv_update(model, (SELECT tlv_statistics(x, m.model) FROM points), weight => 0) FROM models m WHERE name = 'gmm full';
SELECT tlv_update(model, (SELECT tlv_statistics(x, m.model) FROM points), weight => 1.5) FROM models m WHERE name = 'gmm full';

-- ---- JSON ----
-- every kind comes back bit by bit, through jsonb too, which has an order of its own; so it does without the list of its sections, but for their order
SELECT bool_and(tlv_from_json(tlv_to_json(model)) = model) AS same, bool_and(tlv_from_json(tlv_to_json(model)::jsonb::json) = model) AS through_jsonb,
  bool_and(tlv_to_json(tlv_from_json((tlv_to_json(model)::jsonb - 'sections')::json))::jsonb - 'sections' = tlv_to_json(model)::jsonb - 'sections') AS unordered, count(*)
FROM (SELECT model FROM models UNION ALL SELECT model FROM labelled UNION ALL SELECT back FROM gone) m;
SELECT array_agg(DISTINCT tlv_to_json(model)->>'kind' ORDER BY tlv_to_json(model)->>'kind') AS kinds FROM models;
SELECT array_agg(k) AS keys FROM models, json_object_keys(tlv_to_json(model)) k WHERE name = 'gmm full';
SELECT tlv_to_json(model)->'labels' AS labels, json_array_length(tlv_to_json(model)->'covariances'->0->0) AS d FROM labelled WHERE name = 'gmm full';
-- a mixture made elsewhere: what a GaussianMixture of scikit-learn calls weights_, means_ and covariances_
CREATE TABLE elsewhere AS SELECT tlv_from_json('{"kind": "gaussian_mixture", "covariance": "full", "weights": [0.25, 0.75], "means": [[0, 0], [3, 4]],
  "covariances": [[[1, 0.5], [0.5, 2]], [[2, 0], [0, 1]]], "labels": ["small", null]}') AS model;
SELECT component, c.label, c.weight, m.dimension, m.mean, m.variance FROM elsewhere, tlv_components(model) c JOIN LATERAL tlv_means(model) m USING (component);
SELECT tlv_assign(model, '{0,0}'::float8[]), tlv_assign(model, '{3,4}'::float8[]), round(tlv_log_likelihood(model, '{1,1}'::float8[])::numeric, 9) FROM elsewhere;
SELECT tlv_update(model, (SELECT tlv_statistics(ARRAY[g % 4, g % 5]::float8[], model) FROM generate_series(1, 20) g)) IS NOT NULL AS refined FROM elsewhere;
-- topics and a chain made elsewhere
SELECT topic, round(alpha::numeric, 3) AS alpha, round(weight::numeric, 3) AS weight
  FROM tlv_topics(tlv_from_json('{"kind": "lda", "items": [10, 20, 30], "alpha": [0.2, 0.6], "topics": [[0.5, 0.5, 0], [0, 0.25, 0.75]]}'));
SELECT state, round(stationary::numeric, 6) AS stationary
FROM tlv_states(tlv_from_json('{"kind": "hmm", "initial": [0.5, 0.5], "transitions": [[0.9, 0.1], [0.3, 0.7]], "symbols": [1, 2], "emissions": [[0.5, 0.5], [0.1, 0.9]]}'));
-- what is no model is refused
CREATE FUNCTION forged(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE given jsonb := (SELECT tlv_to_json(model)::jsonb FROM elsewhere); result tlv_model;
BEGIN
  result := tlv_from_json((given || change::jsonb)::json);
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT change, forged(change) FROM unnest(ARRAY['{}', '{"kind": "gmm"}', '{"kind": 1}', '{"kind": "lda"}', '{"tensorlv": 2}', '{"unknown": 1}', '{"weights": [0.5, 0.6]}', '{"weights": [0.25]}',
  '{"weights": [1.25, -0.25]}',
  '{"weights": "1"}', '{"weights": [0.25, "x"]}', '{"weights": [0.25, null]}', '{"means": [[0, 0], [3]]}', '{"means": [0, 0]}', '{"means": [[0, 0], [3, {}]]}', '{"covariance": "round"}',
    '{"covariance": "diagonal"}',
  '{"covariances": [[[1, 0.5], [0.4, 2]], [[2, 0], [0, 1]]]}', '{"covariances": [[[1, 0.5]], [[2, 0], [0, 1]]]}', '{"covariances": [[[-1, 0], [0, 2]], [[2, 0], [0, 1]]]}', '{"covariances": []}',
    '{"covariances": [1, 2]}',
  '{"floor": [1e-9]}', '{"floor": null}', '{"rows": 0.5}', '{"rows": -1}', '{"seed": 1e300}', '{"labels": ["a"]}', '{"labels": ["a", 1]}', '{"labels": {}}', '{"diagnostics": [["a"]]}',
    '{"diagnostics": [[1, 1]]}',
  '{"diagnostics": [["ä", 1]]}', '{"warnings": [{}]}', '{"warnings": [1]}', '{"warnings": [{"code": "a", "component": -1, "score": 0, "message": "b", "hint": ""}]}', '{"dimension_names": ["x"]}',
    '{"dimension_names": ["x", "y"]}',
    '{"sections": "means"}', '{"sections": [1]}', '{"sections": ["means", [2]]}', '{"sections": ["means", "means", "nothing", "kind", "weights"]}']) change;
SELECT tlv_from_json('[]');
SELECT tlv_from_json('{"kind": "lda", "kind": "hmm"}');
SELECT tlv_from_json(('{"kind": "gaussian_mixture", "weights": ' || repeat('[', 100) || repeat(']', 100) || '}')::json);
SELECT tlv_from_json('{"kind": "gaussian_mixture", "covariance": "full", "weights": [1], "means": [[1e999]], "covariances": [[[1]]]}');
-- lists that are longer than a model keeps
SELECT tlv_from_json((tlv_to_json(tlv_simulate_gmm_model(2, 2))::jsonb || format('{"diagnostics": [["a", 1]%s]}', repeat(', ["a", 1]', 4096))::jsonb)::json);
SELECT tlv_from_json((tlv_to_json(tlv_simulate_gmm_model(2, 2))::jsonb || format('{"warnings": [1%s]}', repeat(', 1', 1024))::jsonb)::json);
SELECT tlv_from_json(NULL) AS of_null, tlv_to_json(NULL) AS none;
-- ---- pictures ----
-- one line, a document, whatever labels hold; every component is named
SELECT name, svg LIKE '<svg %</svg>' OR name = 'tree' AS document, svg !~ E'[\n\r]' AS one_line, position('A &amp; &lt;B&gt; &quot;c&quot;' IN svg) > 0 OR name = 'tree' AS escaped,
  svg !~ 'nan|inf"' AS numbers,
       (length(svg) - length(replace(svg, '<text', ''))) / 5 = (length(svg) - length(replace(svg, '</text>', ''))) / 7 AS closed
FROM (SELECT name, tlv_svg(tlv_label(model, 1, 'A & <B> "c"')) AS svg FROM models) q ORDER BY name;
-- what XML has no place for is a space: a control character, U+FFFE and U+FFFF; U+FFFD is a character
SELECT position('a   b&#65533;<' IN svg) > 0 AS spaces, svg !~ ('[' || chr(1) || chr(65534) || chr(65535) || ']') AS written
FROM (SELECT tlv_svg(tlv_label(model, 1, 'a' || chr(1) || chr(65534) || chr(65535) || 'b' || chr(65533))) AS svg FROM models WHERE name = 'lda') q;
-- a picture is printable ASCII without a backslash, and keeps spaces and the whole of a long label; characters above ASCII are references
SELECT name, svg ~ '^[ -~]*$' AND position('\' IN svg) = 0 AS ascii, svg LIKE '<svg %xml:space="preserve"%' AS spaces,
  name = 'tree' OR svg LIKE '%<title>caf&#233; &#128512; a&#92;b   c ' || repeat('long', 20) || '</title>%' AS whole
FROM (SELECT name, tlv_svg(tlv_label(model, 1, U&'caf\00E9 \+01F600 a\\b   c ' || repeat('long', 20))) AS svg FROM models) q ORDER BY name;
SELECT tlv_svg(back) LIKE '%<svg%' AS absent FROM gone WHERE name = 'lda';
SELECT tlv_svg(NULL) AS of_null;
-- intervals of the words of topics are drawn where the model keeps them: eight words of each of two topics, and none
SELECT errors, (SELECT count(*) FROM regexp_matches(tlv_svg(m), '<path d="M[0-9.]+ [0-9.]+H[0-9.]+" stroke="#[0-9a-f]+" stroke-width="3"', 'g')) AS intervals
FROM unnest(ARRAY[false, true]) errors, tlv_lda('SELECT bag FROM topic_docs WHERE doc <= 200', 2, errors => errors) m ORDER BY errors;

-- ---- groups and kinds ----
SELECT name, array_agg(component_group ORDER BY component) AS groups FROM models, tlv_groups(model, 2) WHERE name <> 'tree' GROUP BY name ORDER BY name;
SELECT max(component_group) FILTER (WHERE n = 1) AS one, max(component_group) FILTER (WHERE n = 9) AS all FROM models, generate_series(1, 9, 8) n, tlv_groups(model, n) WHERE name = 'lda';
SELECT component, component_group FROM gone, tlv_groups(back, 2) WHERE name = 'lda' AND component_group IS NULL;
SELECT count(*) FROM models, tlv_groups(model, 2) WHERE name = 'tree';
-- every model of a table at once: those without estimates, or without components to merge, have no rows
SELECT name, (SELECT count(*) FROM tlv_estimates(m)) AS estimates, (SELECT count(*) FROM tlv_groups(m, 2)) AS groups FROM (VALUES
  ('cp', tlv_fit_cp(array_fill(1.0::float8, ARRAY[3, 3, 3]), 1)), ('tucker', tlv_fit_tucker(array_fill(1.0::float8, ARRAY[3, 3, 3]), ARRAY[1, 1, 1])),
  ('network', tlv_simulate_network_model(20, ARRAY[4], 5, .1)), ('convolution', tlv_simulate_convolution_model(2, 8))) v(name, m) ORDER BY name;
SELECT tlv_groups(model, 0) FROM models WHERE name = 'lda';
SELECT kind, collects, fits, drives, applies FROM tlv_kinds() WHERE type = 'tlv_model' ORDER BY kind;
-- every function that is named exists, and every kind of model is there
SELECT DISTINCT f AS missing FROM tlv_kinds() k, unnest(collects || fits || drives || reads || applies) f WHERE NOT EXISTS (SELECT FROM pg_proc WHERE proname = f);
SELECT DISTINCT tlv_info(model)->>'kind' AS missing FROM models EXCEPT SELECT kind FROM tlv_kinds() WHERE type = 'tlv_model';
-- ---- drift ----
-- rows of the model pass, rows of another do not
CREATE TABLE drifting AS
  SELECT 'gmm' AS name, m AS model, (SELECT tlv_statistics(x, m) FROM tlv_simulate_gmm(m, 1000, seed => 5)) AS same, (SELECT tlv_statistics(ARRAY[x[1] + 0.3, x[2], x[3]], m)
    FROM tlv_simulate_gmm(m, 1000, seed => 5)) AS other
  FROM tlv_simulate_gmm_model(3, 3, covariance => 'full', seed => 2) m
  UNION ALL SELECT 'hmm', m, (SELECT tlv_statistics(s, m) FROM (SELECT array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(m, 20, 100, seed => 5) GROUP BY seq) q),
                   (SELECT tlv_statistics(s, m) FROM (SELECT array_agg(symbol ORDER BY (t * 7919) % 100) AS s FROM tlv_simulate_hmm(m, 20, 100, seed => 5) GROUP BY seq) q)
  FROM tlv_simulate_hmm_model(symbols => 12, k => 3, seed => 3) m
  UNION ALL SELECT 'lda', m, (SELECT tlv_statistics(bag, m) FROM tlv_simulate_lda(m, 300, 50, seed => 5)), (SELECT tlv_statistics(bag, m) FROM tlv_simulate_lda((SELECT tlv_simulate_lda_model(40,
    4, seed => 9)), 300, 50, seed => 5))
  FROM tlv_simulate_lda_model(40, 4, alpha0 => 0.4, seed => 3) m;
SELECT name, (SELECT min(p_value) * count(*) > 0.01 FROM tlv_drift(model, same)) AS same, (SELECT min(p_value) * count(*) < 1e-6 FROM tlv_drift(model, other)) AS other FROM drifting ORDER BY name;
SELECT DISTINCT test, component IS NULL AS whole FROM drifting, tlv_drift(model, same) ORDER BY test;
-- no more than 5 in 100 periods of the model's own rows are found at 5 percent
SELECT count(*) FILTER (WHERE p < 0.05) <= 8 AS level, count(*) FROM (
  SELECT seed, (SELECT min(p_value) * count(*) FROM tlv_drift(model, s)) AS p
  FROM drifting, generate_series(1, 100) seed, LATERAL (SELECT tlv_statistics(x, model) AS s FROM tlv_simulate_gmm(model, 200, seed => seed)) q WHERE name = 'gmm') p;
SELECT count(*) FROM drifting, LATERAL (SELECT tlv_completion(bag, drifting.model) AS s FROM (VALUES (tlv_bag '{1:3,2:4,3:1}')) b(bag)) c, tlv_drift(model, s) WHERE name = 'lda';
SELECT count(*) FROM drifting a, drifting b, tlv_drift(a.model, b.same) WHERE a.name = 'gmm' AND b.name = 'lda';
SELECT count(*) FROM models, tlv_drift(model, (SELECT same FROM drifting WHERE name = 'gmm')) WHERE models.name = 'ica';
-- documents against others under one model: the same pass, more of a topic and other topics do not
CREATE TABLE days AS SELECT 'reference' AS name, tlv_error_statistics(bag, model) AS s FROM drifting, tlv_simulate_lda(model, 1500, 50, seed => 6) WHERE name = 'lda' GROUP BY 1
  UNION ALL SELECT 'same', tlv_error_statistics(bag, model) FROM drifting, tlv_simulate_lda(model, 300, 50, seed => 7) WHERE name = 'lda' GROUP BY 1
  UNION ALL SELECT 'other', tlv_error_statistics(bag, model) FROM drifting, tlv_simulate_lda((SELECT tlv_simulate_lda_model(40, 4, seed => 9)), 300, 50, seed => 5) WHERE name = 'lda' GROUP BY 1
  UNION ALL SELECT 'a topic', tlv_error_statistics(bag, model) FROM drifting, tlv_simulate_lda(model, 700, 50, seed => 8) WHERE name = 'lda' AND (doc <= 200 OR tlv_assign(model, bag) = 1) GROUP BY 1;
SELECT d.name, test, component, CASE WHEN p_value < .001 THEN '< .001' WHEN p_value > .05 THEN '> .05' ELSE 'between' END AS p
FROM days d, drifting g, days r, tlv_drift(model, d.s, ARRAY[r.s]) WHERE d.name <> 'reference' AND g.name = 'lda' AND r.name = 'reference' ORDER BY d.name, test, component;
SELECT tlv_kind(s), s::text::tlv_moments = s AS text_form, (SELECT count(*) FROM tlv_drift((SELECT model FROM drifting WHERE name = 'lda'), NULL, ARRAY[s])) AS of_null FROM days WHERE name = 'same';
-- refused: no reference, one of no use, of another kind, of another model
SELECT count(*) FROM drifting g, days d, tlv_drift(model, d.s) WHERE g.name = 'lda' AND d.name = 'same';
SELECT count(*) FROM drifting g, days r, tlv_drift(model, same, ARRAY[r.s]) WHERE g.name = 'lda' AND r.name = 'reference';
SELECT count(*) FROM drifting g, days d, tlv_drift(model, d.s, ARRAY[same]) WHERE g.name = 'lda' AND d.name = 'same';
SELECT count(*) FROM days d, tlv_drift(tlv_simulate_lda_model(40, 4, seed => 9), d.s, ARRAY[d.s]) WHERE d.name = 'same';
-- the score test of vectors and sequences: the same pass, a mean that moves and steps in another order do not, and the component is named
CREATE TABLE scored AS SELECT name, model, seed, s FROM drifting, LATERAL (
    SELECT seed, tlv_error_statistics(x, model) AS s FROM generate_series(1, 42) seed, tlv_simulate_gmm(model, CASE seed WHEN 42 THEN 2000 ELSE 400 END, seed => seed) WHERE name = 'gmm' GROUP BY 1
    UNION ALL SELECT 0, tlv_error_statistics(CASE component WHEN 2 THEN ARRAY[x[1] + 0.5, x[2], x[3]] ELSE x END, model) FROM tlv_simulate_gmm(model, 400, seed => 50) WHERE name = 'gmm'
    UNION ALL SELECT seed, tlv_error_statistics(s, model) FROM (SELECT seed, seq, array_agg(symbol ORDER BY CASE seed WHEN 0 THEN (t * 7) % 60 ELSE t END) AS s
      FROM generate_series(0, 21) seed, tlv_simulate_hmm(model, CASE seed WHEN 21 THEN 600 ELSE 150 END, 60, seed => seed + 5) WHERE name = 'hmm' GROUP BY 1, 2) q GROUP BY 1) q WHERE s IS NOT NULL;
CREATE TABLE scores AS SELECT a.name, a.seed, test, component, p_value AS p FROM scored a JOIN scored r ON r.name = a.name AND r.seed = CASE a.name WHEN 'gmm' THEN 42 ELSE 21 END
  AND a.seed <> r.seed, tlv_drift(a.model, a.s, ARRAY[r.s]);
SELECT name, test, count(DISTINCT seed) AS days, count(*) FILTER (WHERE p < .05) <= 0.05 * count(*) + 2 * sqrt(0.05 * count(*)) AS level FROM scores WHERE seed > 0 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT name, test, component, CASE WHEN p < .001 THEN '< .001' WHEN p > .05 THEN '> .05' ELSE 'between' END AS p FROM scores WHERE seed = 0 AND (name = 'gmm' OR component IS NULL) ORDER BY 1, 2, 3;
SELECT count(*) FROM scored, tlv_drift(model, s) WHERE name = 'gmm' AND seed = 1;
SELECT count(*) FROM scored a, scored r, tlv_drift(a.model, a.s, ARRAY[r.s]) WHERE a.name = 'gmm' AND a.seed = 1 AND r.name = 'hmm' AND r.seed = 1;
SELECT count(*) FROM scored r, tlv_drift(r.model, (SELECT tlv_error_statistics(x, model) FROM tlv_simulate_gmm(model, 9, seed => 3)), ARRAY[r.s]) WHERE name = 'gmm' AND seed = 42;
SELECT count(*) FROM scored r, drifting g, tlv_drift(r.model, r.s, ARRAY[g.same]) WHERE r.name = 'gmm' AND g.name = 'gmm' AND seed = 42;
-- of graphs: a day like the seven before, one with more edges within a community, and one where a tenth of the nodes have changed places
CREATE TABLE graph_days AS WITH truth AS (SELECT tlv_simulate_mmsb_model(300, 3, 0, .12, .02, seed => 41) AS m)
  SELECT day, tlv_graph_agg(src, dst) AS g FROM truth, generate_series(0, 40) day, tlv_simulate_mmsb(m, 900 + day) GROUP BY 1
  UNION ALL SELECT 98, tlv_graph_agg(src, dst) FROM (SELECT src, dst FROM truth, tlv_simulate_mmsb(m, 998)
    UNION ALL SELECT e.src, e.dst FROM truth, tlv_simulate_mmsb(m, 996) e, tlv_memberships(m) a, tlv_memberships(m) b
      WHERE a.node = src AND b.node = dst AND a.community = 1 AND b.community = 1 AND src % 3 = 0) q
  UNION ALL SELECT 99, tlv_graph_agg(CASE WHEN src % 20 = 0 THEN src - 7 WHEN src % 20 = 13 THEN src + 7 ELSE src END, CASE WHEN dst % 20 = 0 THEN dst - 7 WHEN dst % 20 = 13 THEN dst + 7 ELSE dst END)
    FROM truth, tlv_simulate_mmsb(m, 999);
CREATE TABLE graph_model AS SELECT tlv_fit_mmsb(g, 3) AS model FROM graph_days WHERE day = 0;
CREATE TABLE graph_tests AS SELECT day, t.* FROM graph_model, graph_days d, LATERAL (SELECT array_agg(g ORDER BY day) AS before FROM graph_days
    WHERE day BETWEEN 1 AND 7) r, tlv_drift(model, d.g, before) t WHERE day > 7;
SELECT day, test, component, p_value < 1e-4 AS alarm FROM graph_tests WHERE day > 90 ORDER BY 1, 2, 3;
-- at 1 in 20 one or two of 33 alarm where nothing has changed
SELECT test, count(*) FILTER (WHERE p_value < .05) <= 6 AS few, min(p_value) > 1e-4 AS none_sure, avg(p_value) BETWEEN .35 AND .65 AS middling FROM graph_tests
    WHERE day < 90 AND component IS NULL GROUP BY 1 ORDER BY 1;
-- a day is like itself
SELECT t.* FROM graph_model, graph_days, tlv_drift(model, g, ARRAY[g, NULL]) t WHERE day = 3;
SELECT count(*) AS of_null FROM graph_model, tlv_drift(model, NULL::tlv_graph, ARRAY[]::tlv_graph[]);
SELECT count(*) FROM graph_model, graph_days, tlv_drift(model, g, ARRAY[]::tlv_graph[]) WHERE day = 3;
SELECT count(*) FROM graph_model, graph_days, tlv_drift(model, g, ARRAY[g, (SELECT tlv_digraph_agg(1, 2))]) WHERE day = 3;
SELECT count(*) FROM graph_model, tlv_drift(model, (SELECT tlv_digraph_agg(1, 2)), ARRAY[(SELECT g FROM graph_days WHERE day = 3)]);
SELECT count(*) FROM graph_model, tlv_drift(model, (SELECT tlv_graph_agg(1, 2)), ARRAY[(SELECT tlv_graph_agg(3, 2))]);
SELECT count(*) FROM drifting, graph_days, tlv_drift(model, g, ARRAY[g]) WHERE name = 'gmm' AND day = 3;
SELECT count(*) FROM graph_model, drifting d, tlv_drift(graph_model.model, d.same) WHERE name = 'gmm';
SET client_min_messages = warning;
-- what stands for a component of the reference is what stands there: means of vectors, factors of the items that both have
SELECT max(abs(a.mean - b.mean)) < 1e-12 AS means, count(*) FROM (SELECT model, tlv_align(tlv_compact(model, (SELECT min(weight) FROM tlv_components(model))), model) AS aligned
  FROM models WHERE name = 'multiview vectors') q, LATERAL tlv_means(model) a JOIN LATERAL tlv_means(aligned) b USING (component, view, dimension);
CREATE TABLE cells AS SELECT i, j, l, CASE WHEN i % 2 = 0 AND j % 2 = 0 AND l % 2 = 0 THEN 5.0 WHEN i % 2 = 1 AND j % 2 = 1 AND l % 2 = 1 THEN 3.0 ELSE 0 END
  + CASE WHEN i % 3 = 0 AND j % 3 = 0 AND l % 3 = 0 THEN 1.5 ELSE 0 END AS w FROM generate_series(1, 8) i, generate_series(1, 8) j, generate_series(1, 8) l;
SELECT f.item, round(abs(f.weight)::numeric, 3) AS weight FROM (SELECT tlv_align((SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, w), 2) FROM cells WHERE i <> 3),
  (SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, w), 3) FROM cells), 1) AS aligned) q, tlv_factors(aligned) f WHERE f.component = 3 AND f.mode = 1 ORDER BY 1;

DROP SCHEMA lasting CASCADE;

-- lists of different lengths are refused before there is memory for the whole of them
SELECT tlv_from_json((jsonb_set(tlv_to_json(tlv_simulate_lda_model(50, 3))::jsonb, '{topics}',
    (SELECT jsonb_agg(CASE WHEN i = 1 THEN (SELECT jsonb_agg(0) FROM generate_series(1, 100000)) ELSE '[]' END) FROM generate_series(1, 20000) i)))::json);
SELECT tlv_from_json((jsonb_set(tlv_to_json(tlv_simulate_gmm_model(2, 2, 4, 'full'))::jsonb, '{covariances}',
    (SELECT jsonb_build_array(jsonb_agg('[]'::jsonb)) FROM generate_series(1, 100000))))::json);
-- a long list of sections takes the time of its length: what it says again, or of nothing, is left out
SELECT set_config('statement_timeout', 20 * coalesce(current_setting('test.patience', true), '1')::int || 's', false) AS patience \gset
SELECT tlv_from_json((tlv_to_json(m)::jsonb || jsonb_build_object('sections',
    (SELECT jsonb_agg(CASE WHEN i <= 100000 THEN 'nothing' ELSE 'weights' END) FROM generate_series(1, 200000) i)))::json) IS NOT NULL AS is_read
  FROM tlv_simulate_gmm_model(2, 2, 4, 'full') m;
RESET statement_timeout;
