-- Pages of models: every kind has one, it is one line of ASCII, its data are those of the functions; examples, a graph, an earlier model; hostile texts; bad input.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
SET client_min_messages = error;
\i test/sql/include/page_models.sql
RESET client_min_messages;
\set ECHO all
SET extra_float_digits = 0;
-- a kind without a page fails here, and so does one that is not in the list of models
SELECT kind AS untried FROM tlv_kinds() WHERE type = 'tlv_model' EXCEPT SELECT tlv_info(model)->>'kind' FROM page_models;
CREATE TABLE pages AS SELECT name, model, tlv_html(model) AS html FROM page_models;
-- the digest with its texts as they are in it
CREATE FUNCTION page_data(html text) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT split_part(split_part(html, '<script type="application/json" id="data">', 2), '</script>', 1)::json $$;
-- percent-encoded UTF-8
CREATE FUNCTION decoded(t text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT convert_from(string_agg(CASE WHEN m[1] LIKE '\%__' ESCAPE '\' THEN decode(substr(m[1], 2), 'hex') ELSE convert_to(m[1], 'UTF8') END, ''::bytea ORDER BY n), 'UTF8')
     FROM regexp_matches(t, '%[0-9A-F]{2}|.', 'g') WITH ORDINALITY r(m, n) $$;
SELECT name, page_data(html)->>'page' AS view, page_data(html)->>'kind' AS kind,
  html LIKE '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"%</html>' AS document,
  html !~ '[^ -~]' AS ascii, position('\' IN html) AS backslash, (length(html) - length(replace(html, '<script', ''))) / 7 AS scripts, length(html) < 200000 AS small FROM pages
  ORDER BY name COLLATE "C";
-- components are those of tlv_components
SELECT count(DISTINCT name) AS models, bool_and(decoded(c->>'label') IS NOT DISTINCT FROM label) AS labels, bool_and(abs((c->>'weight')::float8 - weight) <= 1e-5) AS weights,
  bool_and(json_array_length(page_data(html)->'components') = (SELECT count(*) FROM tlv_components(model))) AS all_of_them
FROM pages, json_array_elements(page_data(html)->'components') c JOIN LATERAL tlv_components(model) t ON component = (c->>'number')::int WHERE name NOT IN ('tree', 'tree of numbers',
  'tucker', 'train');
-- the probabilities of a topic are those of tlv_topic_items, to 1e-7
WITH d AS (SELECT model, page_data(html) AS data FROM pages WHERE name = 'topics'),
  listed AS (SELECT t AS topic, sum((g)::int) OVER (PARTITION BY t ORDER BY n) AS place, (data->'p'->(t - 1)->1->>(n - 1)::int)::float8 * 1e-7 AS p
    FROM d, generate_series(1, 4) t, json_array_elements_text(data->'p'->(t - 1)->0) WITH ORDINALITY u(g, n)),
  words AS (SELECT decoded(w) AS word, n AS place FROM d, json_array_elements_text(data->'words') WITH ORDINALITY u(w, n))
SELECT count(*) > 100 AS many, max(abs(l.p - i.probability)) < 1e-7 AS same, count(*) FILTER (WHERE i.rank <= 30) AS top
FROM d, listed l JOIN words w USING (place), tlv_topic_items(model, top => 60) i WHERE i.topic = l.topic AND i.item::text = w.word;
-- the thirty words of every topic by relevance, from 0 to 1, are on the page
WITH d AS (SELECT model, page_data(tlv_html(model)) AS data FROM (SELECT tlv_simulate_lda_model(2000, 10, seed => 1) AS model) m),
  listed AS (SELECT t AS topic, sum(g::int) OVER (PARTITION BY t ORDER BY n) AS place FROM d, generate_series(1, 10) t, json_array_elements_text(data->'p'->(t - 1)->0) WITH ORDINALITY u(g, n)),
  words AS (SELECT decoded(w) AS word, n AS place FROM d, json_array_elements_text(data->'words') WITH ORDINALITY u(w, n)),
  items AS (SELECT topic, item_name AS word, probability AS p, sum(weight * probability) OVER (PARTITION BY item) AS overall FROM d, tlv_topic_items(model) i
    JOIN LATERAL tlv_components(model) c ON component = topic),
  best AS (SELECT lambda, topic, word, row_number() OVER (PARTITION BY lambda, topic ORDER BY ln(p) - (1 - lambda) * ln(overall) DESC) AS rank FROM items, unnest('{0,0.5,1}'::float8[]) lambda)
SELECT lambda, count(l.place) AS on_the_page, (SELECT count(*) < 6000 FROM listed) AS of_many FROM best b JOIN words USING (word) LEFT JOIN listed l USING (topic, place)
WHERE rank <= 30 GROUP BY lambda ORDER BY lambda;
-- memberships are those of tlv_memberships, to .001; small ones are left out
WITH d AS (SELECT model, page_data(html) AS data FROM pages WHERE name = 'communities'),
  listed AS (SELECT decoded(n->>0) AS node, (m->>0)::int AS community, (m->>1)::float8 / 1000 AS membership FROM d, json_array_elements(data->'nodes') n, json_array_elements(n->2) m)
SELECT count(*) > 40 AS many, count(*) = (SELECT count(*) FROM d, tlv_memberships(model, 0.01)) AS all_of_them, max(abs(l.membership - m.membership)) <= 0.00051 AS same
FROM listed l, d, tlv_memberships(model, 0) m WHERE m.node_name = l.node AND m.community = l.community;
-- numbers of the others are those of the model's JSON, to four digits
SELECT name, (SELECT max(abs(a::float8 - b::float8) / greatest(abs(b::float8), 1e-300)) < 6e-4 FROM json_array_elements(page_data(html)->'fields'->field) WITH ORDINALITY x(r, i),
  json_array_elements_text(r) WITH ORDINALITY y(a, j), LATERAL (SELECT tlv_to_json(model)->field->(i - 1)::int->>(j - 1)::int AS b) z) AS same
FROM pages JOIN (VALUES ('mixture full', 'means'), ('states of symbols', 'transitions'), ('classes', 'probabilities'), ('sources', 'mixing'), ('factors', 'factor_2'), ('crowd',
  'pool')) f(name2, field) ON name = name2 ORDER BY name;
-- intervals where the model keeps errors
SELECT name, json_array_length(page_data(html)->'intervals') > 0 AS intervals, json_array_length(page_data(html)->'p'->0) AS lists FROM pages WHERE name IN ('topics', 'topics of words',
  'classes', 'profiles', 'communities') ORDER BY name;
-- hostile labels and titles are text: no element, no script, no way out of the data
CREATE TABLE hostile AS SELECT tlv_label(tlv_label(model, 1, '</script><img src=x onerror=alert(1)>'), 2, '<!--<script>"''\ &amp; ' || U&'caf\00E9 \202E \+01F600') AS model
  FROM page_models WHERE name = 'topics';
SELECT (length(html) - length(replace(html, '<script', ''))) / 7 AS scripts, position('<img' IN html) + position('<!--' IN html) + position('\' IN html) AS markup, html !~ '[^ -~]' AS ascii,
  position('&#60;/script&#62;&#60;img src=x onerror=alert(1)&#62;' IN html) > 0 AS plain,
  decoded(page_data(html)->'components'->1->>'label') = '<!--<script>"''\ &amp; ' || U&'caf\00E9 \202E \+01F600' AS same,
  html LIKE '%<title>&#60;b&#62; &#233;</title>%<h1><bdi>&#60;b&#62; &#233;</bdi></h1>%' AS title
FROM (SELECT tlv_html(model, '<b> ' || U&'\00E9') AS html FROM hostile) q;
-- examples are checked, cut and counted
SELECT json_array_length(d->'examples') AS shown, d->>'given' AS given, length(decoded(d->'examples'->0->>'title')) AS title, d->'examples'->20->>'path' AS path,
  d->'examples'->20->>'why' AS why, d->'examples'->20->>'x' AS x
FROM (SELECT page_data(tlv_html(model, examples => ((SELECT json_agg(json_build_object('component', 1, 'title', repeat('t', 500), 'id', i)) FROM generate_series(1, 30) i)::jsonb
  || '[{"component": 2, "share": 0.5, "text": "a \"b\"", "path": [1, 2, 2], "why": [["w", 0.5]], "x": [1.5, null]}]')::json)) AS d FROM (SELECT model FROM page_models WHERE name = 'topics') m) q;
-- so are the numbers, states and reasons of one
SELECT e->>'key' AS key, (SELECT json_array_length(d->'examples'->0->(e->>'key'))) AS shown, d->'examples'->0->>((e->>'key') || '_given') AS given
FROM (SELECT page_data(tlv_html(model, examples => json_build_array(json_build_object('component', 1, 'x', array_fill(1.5, ARRAY[65]), 'path', array_fill(2, ARRAY[2001]),
  'why', (SELECT json_agg(json_build_array('w' || i, i)) FROM generate_series(1, 11) i))))) AS d FROM page_models WHERE name = 'topics') q,
  json_array_elements('[{"key": "x"}, {"key": "path"}, {"key": "why"}]') e;
CREATE FUNCTION page_with(examples json) RETURNS int LANGUAGE sql AS $$ SELECT length(tlv_html(model, examples => examples)) FROM page_models WHERE name = 'topics' $$;
SELECT pg_temp.outcome($$SELECT page_with('{}')$$);
SELECT page_with('[1]');
SELECT page_with('[{"component": 5}]');
SELECT page_with('[{"title": "x"}]');
SELECT page_with('[{"component": 1, "tilte": "x"}]');
SELECT page_with('[{"component": 1}, {"component": 1, "share": "x"}]');
SELECT page_with('[{"component": 1, "path": [0]}]');
SELECT page_with('[{"component": 1, "why": ["x"]}]');
SELECT page_with('[{"component": 1, "x": 3}]');
SELECT page_with('[]') > 0 AS none;
SELECT tlv_html(tlv_tree('SELECT (i % 2)::text AS a, (i % 2 + i % 7 / 6)::text AS b FROM generate_series(1, 80) i', layout => 'wide'), examples => '[{"component": 1}]');
-- long names are cut so that a page stays below 1 MB
SELECT octet_length(tlv_html(tlv_topic_model(array_agg(t), array_agg(term), array_agg(1 / 24900.0), '{1,1}'))) < 1000000 AS below_1_mb
FROM (SELECT t, i || CASE WHEN i <= 4900 THEN repeat(chr(20013 + i % 50), 100) ELSE '' END AS term FROM generate_series(1, 2) t, generate_series(1, 24900) i) q;
-- rows of vectors are drawn, up to 2,000 of them, with their names as text; of more than two dimensions the two that tell components apart best: here the second and the third,
-- since the fourth repeats what the second tells
CREATE TABLE drawn_rows AS SELECT c AS component, ARRAY[sin(i * 7919.0), CASE WHEN c = 1 THEN 0 ELSE 8 END + sin(i * 31.0), CASE WHEN c = 3 THEN 5 ELSE 0 END + cos(i * 17.0),
  CASE WHEN c = 1 THEN 0 ELSE 7.5 END + cos(i * 3.0)] AS x FROM generate_series(1, 3) c, generate_series(1, 800) i;
CREATE TABLE drawn AS SELECT model, (SELECT json_agg(json_build_object('component', tlv_assign(model, x), 'x', x, 'title', '<b>')) FROM drawn_rows) AS examples
FROM (SELECT tlv_gmm('SELECT x FROM drawn_rows', 3, covariance => 'full') AS model) m;
SELECT (SELECT count(*) FROM regexp_matches(tlv_svg(model, examples), '<circle [^>]*stroke="#fff"[^>]*><title>&lt;b&gt;</title></circle>', 'g')) AS points,
  (SELECT count(*) FROM regexp_matches(tlv_svg(model), '<circle [^>]*stroke="#fff"', 'g')) AS without, tlv_svg(model, NULL) = tlv_svg(model) AS of_null,
  (SELECT array_agg(m[1] ORDER BY m[1]) FROM regexp_matches(tlv_svg(model), '(dimension [0-9])</text>', 'g') m) AS dimensions, page_data(html)->>'plane' AS plane,
  json_array_length(page_data(html)->'points'->'rows') AS rows, page_data(html)->'points'->>'given' AS given,
  page_data(html)->'points'->>'at' AS at, json_array_length(page_data(html)->'examples') AS listed, length(html) < 500000 AS small
FROM (SELECT *, tlv_html(model, examples => examples) AS html FROM drawn) d;
SELECT (SELECT count(*) FROM regexp_matches(tlv_svg(model, '[{"component": 1, "x": [1, 2, null, 4]}, {"component": 1, "x": [null, 2, 3, null]}, {"component": 2}]'),
  'stroke-width="0.5"', 'g')) AS not_missing FROM drawn;
SELECT tlv_svg(model, '[{"component": 1, "x": [1]}]') FROM drawn;
SELECT tlv_svg(model, '[{"component": 1, "x": [1, 2, "c", 4]}]') FROM drawn;
SELECT tlv_svg(model, '[{"component": 4, "x": [1, 2, 3, 4]}]') FROM drawn;
SELECT tlv_html(model, examples => '[{"component": 1, "x": [1]}]') FROM drawn;
SELECT tlv_svg(model, '[]') FROM page_models WHERE name = 'topics';
-- rows of directions are drawn with length 1
SELECT page_data(tlv_html(model, examples => '[{"component": 1, "x": [30, 0, 40]}]'))->'points'->>'rows' AS of_length_1,
  tlv_svg(model, examples => '[{"component": 1, "x": [30, 0, 40]}]') = tlv_svg(model, examples => '[{"component": 1, "x": [0.6, 0, 0.8]}]') AS in_the_picture
FROM page_models WHERE name = 'mixture direction';
-- of one dimension densities
SELECT (SELECT count(*) FROM regexp_matches(tlv_svg(tlv_gmm('SELECT ARRAY[x[2]] FROM drawn_rows', 2, covariance => 'full'), '[{"component": 1, "x": [3]}]'),
  '<path |stroke-width="0.5"', 'g')) AS shapes;
DROP TABLE drawn, drawn_rows;
-- a graph: nodes have places, edges join them; nodes that the model does not know are counted
SELECT (SELECT bool_and((n->>3)::int BETWEEN 0 AND 1000 AND (n->>4)::int BETWEEN 0 AND 1000) FROM json_array_elements(d->'nodes') n) AS placed,
  json_array_length(d->'edges') = (SELECT count(*) FROM page_edges) AS edges, d->>'unknown' AS unknown
FROM (SELECT page_data(tlv_html(model, graph => (SELECT tlv_graph_agg(src, dst) FROM (TABLE page_edges UNION ALL SELECT 'node 1', 'stranger') e))) AS d FROM page_models WHERE name = 'communities') q;
SELECT length(tlv_html(model, graph => (SELECT tlv_graph_agg(src, dst) FROM page_edges))) FROM page_models WHERE name = 'topics';
SELECT length(tlv_html(model, graph => (SELECT tlv_digraph_agg(src, dst) FROM page_edges))) FROM page_models WHERE name = 'communities';
-- an earlier model: paired by tlv_match
SELECT name, (SELECT json_agg(p->>0) FROM json_array_elements(d->'before'->'pairs') p)::text = (SELECT json_agg(component::text ORDER BY component) FROM tlv_components(model))::text AS itself,
  d->'before'->'components'->0->>'text' IS NOT NULL AS words, d->'before'->'fields'->'means' IS NOT NULL AS fields
FROM (SELECT name, model, page_data(tlv_html(model, before => model)) AS d FROM page_models WHERE name IN ('topics', 'communities', 'mixture full')) q ORDER BY name;
SELECT length(tlv_html(a.model, before => b.model)) FROM page_models a, page_models b WHERE a.name = 'topics' AND b.name = 'communities';
-- beside a model of every kind: of 14 kinds it is paired by tlv_match, of trees by the page; components of the other two have no identity
CREATE FUNCTION page_before(a tlv_model, b tlv_model) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  d json;
  hint text;
BEGIN
  d := page_data(tlv_html(a, before => b))->'before';
  RETURN CASE WHEN d->'pairs' IS NOT NULL THEN 'tlv_match' ELSE (SELECT string_agg(key, ' ') FROM json_object_keys(d->'fields') key) END;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RETURN format('%s: %s (%s)', SQLSTATE, SQLERRM, hint);
END $$;
SELECT tlv_info(model)->>'kind' AS kind, string_agg(DISTINCT page_before(model, model), '; ') AS paired_by FROM page_models GROUP BY 1 ORDER BY min(tlv_info(model)->>'kind') COLLATE "C";
SELECT page_before(a.model, b.model) FROM page_models a, page_models b WHERE a.name = 'tree' AND b.name = 'topics';
-- a title, and none; NULL
SELECT tlv_html(model) LIKE '%<title>Topics</title>%' AS topics, tlv_html(NULL) AS of_null FROM page_models WHERE name = 'topics';
SELECT tlv_html(model) LIKE '%<title>Communities</title>%' AS communities, tlv_html(model, repeat('x', 200)) IS NOT NULL AS longest FROM page_models WHERE name = 'communities';
SELECT tlv_html(model, repeat('x', 201)) FROM page_models WHERE name = 'communities';
-- limits: the dimensions of a wide model that differ most, the words that topics show, the nodes of highest degree
SELECT length(html) < 1000000 AS small, page_data(html)->'fields'->'shown'->0->>0 AS dimensions, json_array_length(page_data(html)->'fields'->'shown'->0->1) AS shown,
  json_array_length(page_data(html)->'fields'->'means'->0) AS means
FROM (SELECT tlv_html(tlv_simulate_gmm_model(3000, 20, covariance => 'diagonal')) AS html) q;
SELECT length(html) < 1000000 AS small, json_array_length(page_data(html)->'words') AS words, page_data(html)->>'dropped' AS dropped, (page_data(html)->>'top')::int < 30 AS fewer
FROM (SELECT tlv_html(tlv_simulate_lda_model(8000, 300)) AS html) q;
SELECT length(html) < 1000000 AS small, json_array_length(page_data(html)->'nodes') AS nodes, page_data(html)->>'dropped' AS dropped FROM (SELECT tlv_html(tlv_simulate_mmsb_model(12000,
  5)) AS html) q;
-- of views of other widths, of which the page has as many dimensions each: the numbers are those of the dimensions that it says they are
WITH m AS (SELECT tlv_to_json(model) AS whole, page_data(tlv_html(model))->'fields' AS fields FROM (SELECT tlv_simulate_multiview_model('{380,390,400}', 40, seed => 1) AS model) s),
  axes AS (SELECT member, a->>0 AS dimensions, ARRAY(SELECT p::int + 1 FROM json_array_elements_text(a->1) p) AS places,
    ARRAY(SELECT x::float8 FROM json_array_elements_text(fields->member->0) x) AS here, ARRAY(SELECT x::float8 FROM json_array_elements_text(whole->member->0) x) AS there
    FROM m, json_array_elements(fields->'shown') a, json_array_elements_text(a->2) member)
SELECT member, dimensions, cardinality(places) AS shown, (SELECT bool_and(abs(here[i] - there[places[i]]) < 6e-4 * abs(there[places[i]])) FROM generate_series(1, cardinality(here)) i) AS same
FROM axes ORDER BY member;
-- below 1 MB with many matrices, a large drawing, many edges, and long names, which are cut then
SELECT name, length(tlv_html(model)) < 1000000 AS small FROM (
  SELECT 'views' AS name, tlv_simulate_multiview_model('{1000,1000,1000}', 100) AS model UNION ALL
  SELECT 'atoms', tlv_simulate_dictionary_model(1024, 2000, 3) UNION ALL
  SELECT 'network', tlv_simulate_network_model(20000, ARRAY[500], 40, density => 0.01) UNION ALL
  SELECT 'names', tlv_crowd($$SELECT 'item ' || i || repeat('x', 180), 'worker ' || (i * 31 + j * 7) % 2000 || repeat('x', 180),
    CASE WHEN i % 2 = 0 OR j = 1 THEN 'a' ELSE 'b' END FROM generate_series(1, 4000) i, generate_series(1, 3) j$$)) m ORDER BY name;
-- a summary of every kind: the model, then its components, each of which is described
SELECT count(DISTINCT tlv_info(model)->>'kind') = (SELECT count(*) FROM tlv_kinds() WHERE type = 'tlv_model') AS every_kind, bool_and(first = 0 AND last = of_all AND rows = of_all + 1) AS complete,
  bool_and(described = rows) AS described
FROM (SELECT model, min(component) AS first, max(component) AS last, count(*) AS rows, count(description) AS described, (SELECT count(*) FROM tlv_components(model)) AS of_all
      FROM page_models, tlv_summary(model) GROUP BY name, model) s;
SELECT name, component, label, round(weight::numeric, 2) AS weight, description, doubts FROM page_models, tlv_summary(model)
WHERE name IN ('mixture full', 'classes', 'tree', 'topics of words') ORDER BY name, component;
-- labels and weights are those of tlv_components, doubts those of tlv_warnings, and the page has the same words
SELECT bool_and(s.label IS NOT DISTINCT FROM c.label AND s.weight IS NOT DISTINCT FROM c.weight) AS same, count(*) FILTER (WHERE s.label = 'mine') = count(DISTINCT name) AS labels
FROM (SELECT name, tlv_label(model, 1, 'mine') AS labelled FROM page_models OFFSET 0) m, tlv_summary(labelled) s JOIN LATERAL tlv_components(labelled) c USING (component);
SELECT bool_and(doubts IS NOT DISTINCT FROM (SELECT string_agg(message, '; ') FROM tlv_warnings(model) w WHERE coalesce(w.component, 0) = s.component)) AS same, count(doubts) > 0 AS some
FROM page_models, tlv_summary(model) s;
SELECT count(*) > 50 AS many, bool_and(position('<td>' || description || '</td>' IN html) > 0) AS on_the_page FROM pages, tlv_summary(model) WHERE component > 0;
SELECT bool_and(position('>' || description || '</p>' IN html) > 0) AS model_on_the_page, bool_and(decoded(page_data(html)->>'described') = description) AS in_the_data
FROM pages, tlv_summary(model) WHERE component = 0;
SELECT count(*) AS of_null FROM tlv_summary(NULL);
DROP TABLE page_models, pages, hostile;
