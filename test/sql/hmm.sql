-- Mixtures seen through three views, and hidden Markov models.
\pset null '(null)'
\set ECHO none
\i test/sql/include/helpers.sql
\i test/sql/include/components.sql
\set ECHO all
SET extra_float_digits = 0;
CREATE TABLE chain AS
  SELECT tlv_simulate_hmm_model(symbols => 12, k => 3, seed => 3) AS symbols, tlv_simulate_hmm_model(dimensions => 4, k => 3, seed => 3) AS vectors;
CREATE TABLE steps AS SELECT s.* FROM chain, tlv_simulate_hmm(symbols, 100, 200, seed => 2) s;
CREATE TABLE vector_steps AS SELECT s.* FROM chain, tlv_simulate_hmm(vectors, 50, 200, seed => 2) s;
SELECT count(*), count(DISTINCT seq), max(t), min(symbol) >= 1 AND max(symbol) <= 12 AS known, bool_and(x IS NULL) AS no_vectors, count(DISTINCT state) FROM steps;
SELECT count(*), bool_and(symbol IS NULL) AS no_symbols, min(cardinality(x)), max(cardinality(x)) FROM vector_steps;
-- the first sequences do not depend on how many follow; the same seed gives the same model
SELECT count(*) FROM chain, tlv_simulate_hmm(symbols, 3, 5, seed => 2) a JOIN tlv_simulate_hmm((SELECT symbols FROM chain), 2, 5, seed => 2) b USING (seq, t, symbol, state);
SELECT tlv_simulate_hmm_model(symbols => 5, k => 2) = tlv_simulate_hmm_model(symbols => 5, k => 2) AS same,
       tlv_simulate_hmm_model(symbols => 5, k => 2, seed => 2) = tlv_simulate_hmm_model(symbols => 5, k => 2) AS other_seed;

-- collected sequences: moments, in parts and together, by any plan
CREATE TABLE sequences AS SELECT seq, array_agg(symbol ORDER BY t) AS s FROM steps GROUP BY seq;
CREATE TABLE vector_sequences AS SELECT seq, array_agg(x ORDER BY t) AS s FROM vector_steps GROUP BY seq;
SELECT i->'kind' AS kind, i->'sequences' AS sequences, i->'short' AS short, i->'nulls' AS nulls, i->'steps' AS steps, i->'arrays'->'items' AS items
FROM (SELECT tlv_info(tlv_sequence_moments(s)) AS i FROM (SELECT s FROM sequences UNION ALL VALUES ('{1,2}'::int[]), ('{}'), (NULL)) q) m;
SELECT i->'kind' AS kind, i->'sequences' AS sequences, i->'short' AS short, i->'nulls' AS nulls, i->'rows' AS windows, i->'arrays'->'triples' AS triples
FROM (SELECT tlv_info(tlv_sequence_moments(s)) AS i FROM (SELECT s FROM vector_sequences UNION ALL VALUES ('{{1,2,3,4}}'::float8[]), (NULL)) q) m;
SELECT tlv_rollup(m) = (SELECT tlv_sequence_moments(s) FROM sequences) AS merged, (min(m::text))::tlv_moments IS NOT NULL AS text_form
FROM (SELECT tlv_sequence_moments(s) AS m FROM sequences GROUP BY seq % 7) q;
SELECT tlv_sequence_moments(s) FILTER (WHERE false) AS none, tlv_fit_hmm(NULL, 2) AS of_null, tlv_hmm(NULL, 2) AS no_query FROM sequences;
SELECT seq, (tlv_info(tlv_sequence_moments(s) OVER (ORDER BY seq ROWS 1 PRECEDING))->>'sequences')::int AS sequences FROM sequences WHERE seq <= 3 ORDER BY seq;

-- the driver finds the model; states are numbered by their stationary probability
CREATE TABLE hmms AS
  SELECT tlv_hmm('SELECT seq, t, symbol FROM steps', k => 3) AS symbols, tlv_hmm('SELECT seq, t, x FROM vector_steps', k => 3) AS vectors,
         tlv_hmm('SELECT s FROM sequences', k => 3, refine => 'windows') AS windows,
         tlv_hmm('SELECT s FROM sequences', k => 3, refine => 'none') AS moments;
SELECT name, count(*), max(abs(sum - 1)) < 1e-9 AS sum, bool_and(n = 3) AS all_states FROM
  (SELECT 'transitions' AS name, from_state, sum(probability) AS sum, count(*) AS n FROM hmms, tlv_transitions(symbols) GROUP BY from_state
   UNION ALL SELECT 'emissions', state, sum(probability), count(*) / 4 FROM hmms, tlv_emissions(symbols) GROUP BY state
   UNION ALL SELECT 'initial', 1, sum(initial), count(*) FROM hmms, tlv_states(symbols)
   UNION ALL SELECT 'stationary', 1, sum(stationary), count(*) FROM hmms, tlv_states(vectors)) q GROUP BY name ORDER BY name;
SELECT bool_and(stationary <= before) IS NOT FALSE AS decreasing FROM (SELECT stationary, lag(stationary) OVER (ORDER BY state) AS before FROM hmms, tlv_states(symbols)) q;
-- emissions: L1 of every true state to its nearest; means: distance
CREATE FUNCTION emission_error(a tlv_model, b tlv_model) RETURNS float8 LANGUAGE sql AS $$
  SELECT max(least) FROM (SELECT min(l1) AS least
                          FROM (SELECT x.state AS i, y.state AS j, sum(abs(x.probability - y.probability)) AS l1 FROM tlv_emissions(a) x JOIN tlv_emissions(b) y USING (symbol) GROUP BY 1, 2) q
                          GROUP BY i) r $$;
CREATE FUNCTION mean_error(a tlv_model, b tlv_model) RETURNS float8 LANGUAGE sql AS $$
  SELECT max(least) FROM (SELECT min(d) AS least
                          FROM (SELECT x.state AS i, (SELECT sqrt(sum((u - v) ^ 2)) FROM unnest(x.mean, y.mean) AS e(u, v)) AS d FROM pg_temp.state_means(a) x, pg_temp.state_means(b) y) q
                            GROUP BY i) r $$;
SELECT emission_error(c.symbols, h.symbols) < 0.08 AS symbols, emission_error(c.symbols, h.windows) < 0.12 AS windows,
       emission_error(c.symbols, h.moments) < 0.2 AS moments, mean_error(c.vectors, h.vectors) < 0.1 AS vectors,
       (SELECT max(abs(variance - 1)) < 0.06 FROM pg_temp.state_means(h.vectors)) AS variances FROM chain c, hmms h;
SELECT measure, score FROM hmms, tlv_diagnostics(symbols) WHERE measure IN ('sequences', 'short', 'steps', 'windows', 'converged');
SELECT bool_and(score < 0.1) AS small FROM hmms, tlv_diagnostics(symbols) WHERE measure IN ('residual', 'asymmetry');
-- seed and method
SELECT tlv_fit_hmm(m, 3) = tlv_fit_hmm(m, 3) AS same_bits, emission_error(moments, tlv_fit_hmm(m, 3, iterations => 0, method => 'power')) < 0.05 AS power,
       emission_error(moments, tlv_fit_hmm(m, 3, iterations => 0)) < 1e-9 AS moments FROM hmms, (SELECT tlv_sequence_moments(s) AS m FROM sequences) q;
-- numbers alone are vectors of one dimension; rows with a null are left out
SELECT cardinality(mean) AS d, count(*) FROM pg_temp.state_means(tlv_hmm('SELECT seq, t, x[1] FROM vector_steps UNION ALL SELECT NULL, 1, 5 UNION ALL SELECT 1, 0, NULL', k => 2)) GROUP BY 1;

-- one Baum-Welch step as an aggregate: the likelihood rises, parts add up
SELECT tlv_info(tlv_statistics(s, symbols))->'sequences' AS sequences FROM sequences, hmms;
WITH m AS MATERIALIZED (SELECT windows AS m0 FROM hmms),
     one AS MATERIALIZED (SELECT m0, tlv_statistics(s, m0) AS st FROM sequences, m GROUP BY m0),
     two AS MATERIALIZED (SELECT st, tlv_update(m0, st) AS m1 FROM one)
SELECT (tlv_info(tlv_statistics(s, m1))->>'log_likelihood')::float8 > (tlv_info(st)->>'log_likelihood')::float8 AS rises, tlv_info(m1)->'steps' AS steps FROM sequences, two GROUP BY st, m1;
SELECT abs((tlv_info(tlv_statistics(s, symbols))->>'log_likelihood')::float8 - sum(tlv_log_likelihood(symbols, s))) < 1e-6 AS likelihood FROM sequences, hmms GROUP BY symbols;
SELECT abs((tlv_info(tlv_statistics(s, vectors))->>'log_likelihood')::float8 - sum(tlv_log_likelihood(vectors, s))) < 1e-6 AS likelihood FROM vector_sequences, hmms GROUP BY vectors;

-- states of sequences: Viterbi path, posteriors, likelihood
SELECT count(*), bool_and(cardinality(tlv_viterbi(symbols, s)) = 200) AS length, bool_and(1 <= ALL (tlv_viterbi(symbols, s)) AND 3 >= ALL (tlv_viterbi(symbols, s))) AS range FROM hmms, sequences;
WITH path AS MATERIALIZED (SELECT seq, t, state FROM hmms, vector_sequences, unnest(tlv_viterbi(vectors, s)) WITH ORDINALITY AS u(state, t)),
     true_path AS MATERIALIZED (SELECT seq, t, u.state FROM chain, vector_sequences, unnest(tlv_viterbi(vectors, s)) WITH ORDINALITY AS u(state, t))
SELECT tlv_nmi(p.state, s.state) > 0.6 AS of_the_truth, tlv_nmi(p.state, u.state) > 0.95 AS of_the_true_model FROM path p JOIN vector_steps s USING (seq, t) JOIN true_path u USING (seq, t);
SELECT array_dims(p) AS shape, abs(p[7][1] + p[7][2] + p[7][3] - 1) < 1e-12 AS sum FROM (SELECT tlv_infer(symbols, s) AS p FROM hmms, sequences WHERE seq = 1) q;
SELECT tlv_infer(vectors, s) = tlv_infer(vectors, s) AS infer, tlv_log_likelihood(vectors, s) = tlv_log_likelihood(vectors, s) AS likelihood FROM hmms, vector_sequences WHERE seq = 1;
SELECT tlv_viterbi(symbols, '{}'::int[]) AS empty, tlv_infer(symbols, '{}'::int[]) AS none, tlv_log_likelihood(symbols, '{}'::int[]) AS certain,
       tlv_viterbi(symbols, NULL::int[]) AS of_null, cardinality(tlv_viterbi(symbols, ARRAY[1, 999, 2])) AS unknown_symbol FROM hmms;
-- likelihood by hand: one step
SELECT abs(tlv_log_likelihood(symbols, ARRAY[4]) - ln((SELECT sum(initial * probability) FROM tlv_states(symbols) JOIN tlv_emissions(symbols) e USING (state) WHERE symbol = 4))) < 1e-12 AS by_hand
FROM hmms;

-- three views of one hidden choice: x1, x2, x3 of neighbours
CREATE TABLE views AS SELECT a.x AS x1, b.x[1:3] AS x2, c.x AS x3, b.state FROM vector_steps a JOIN vector_steps b ON b.seq = a.seq AND b.t = a.t + 1
  JOIN vector_steps c ON c.seq = b.seq AND c.t = b.t + 1;
CREATE TABLE triples AS SELECT a.symbol AS x1, b.symbol AS x2, -c.symbol AS x3 FROM steps a JOIN steps b ON b.seq = a.seq AND b.t = a.t + 1 JOIN steps c ON c.seq = b.seq AND c.t = b.t + 1;
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'nulls' AS nulls, i->'arrays' AS arrays
FROM (SELECT tlv_info(tlv_view_moments(x1, x2, x3)) AS i FROM (SELECT x1, x2, x3 FROM views UNION ALL VALUES (NULL::float8[], NULL::float8[], '{1}'::float8[])) q) m;
SELECT i->'kind' AS kind, i->'rows' AS rows, i->'nulls' AS nulls, i->'arrays'->'items3' AS items
FROM (SELECT tlv_info(tlv_view_moments(x1, x2, x3)) AS i FROM (SELECT x1, x2, x3 FROM triples UNION ALL VALUES (1, NULL::int, 1)) q) m;
CREATE TABLE mixtures AS SELECT tlv_multiview('SELECT x1, x2, x3 FROM views', k => 3) AS vectors, tlv_multiview('TABLE triples', k => 3) AS categories;
SELECT view, count(*), min(cardinality(mean)) AS d, round(sum(weight)::numeric, 9) AS weights, bool_and(cardinality(variance) = cardinality(mean)) AS variances
FROM mixtures, pg_temp.views(vectors) GROUP BY view ORDER BY view;
SELECT variable, component, count(*), round(sum(probability)::numeric, 9) AS sum, min(category), max(category) FROM mixtures, tlv_categories(categories)
GROUP BY variable, component ORDER BY variable, component;
SELECT max(least) < 0.15 AS close FROM (SELECT min((SELECT sqrt(sum((u - v) ^ 2)) FROM unnest(m.mean, s.mean[1:3]) AS e(u, v))) AS least
                                        FROM mixtures, chain c, pg_temp.views(mixtures.vectors) m, pg_temp.state_means(c.vectors) s WHERE view = 2 GROUP BY s.state) q;
SELECT tlv_nmi(state, tlv_assign(vectors, x1 || x2 || x3)) > 0.6 AS assigned FROM views, mixtures;
SELECT tlv_fit_multiview(tlv_rollup(m), 3) = (SELECT tlv_fit_multiview(tlv_view_moments(x1, x2, x3), 3) FROM triples) AS same_bits
FROM (SELECT tlv_view_moments(x1, x2, x3) AS m FROM triples GROUP BY x1 % 3) q;
SELECT measure, score FROM mixtures, tlv_diagnostics(vectors) WHERE measure IN ('rows', 'nulls', 'converged');

-- states of two models, one to one, and where they go
SELECT count(component_b), max(distance) < 0.08 AS near, max(distance) > 0 AS not_the_same FROM chain, hmms h, tlv_match(chain.symbols, h.symbols);
SELECT count(component_b), max(distance) < 0.1 AS near FROM chain, hmms h, tlv_match(chain.vectors, h.vectors);
SELECT count(component_b), max(distance) < 0.12 AS near, max(distance) > 0 AS not_the_same FROM chain, hmms h, pg_temp.match_transitions(chain.symbols, h.symbols);
SELECT max(m.distance) = 0 AS itself, max(t.distance) = 0 AS transitions, bool_and(m.component_a = m.component_b) AS order
FROM chain, tlv_match(symbols, symbols) m JOIN LATERAL pg_temp.match_transitions(symbols, symbols) t USING (component_a);
-- fewer states in b, or in a
SELECT count(*), count(component_b), max(distance) < 2 AS error FROM chain, tlv_match(symbols, tlv_simulate_hmm_model(symbols => 3, k => 2));
SELECT count(*), count(component_b), count(distance) FROM chain, pg_temp.match_transitions(symbols, tlv_simulate_hmm_model(symbols => 3, k => 2));
SELECT count(*), count(component_b) FROM tlv_match(tlv_simulate_hmm_model(symbols => 3, k => 2), (SELECT symbols FROM chain));

-- stored arrays, read in every pass and by parallel workers, arrays that are made once, and rows: the same model
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE forms AS SELECT tlv_hmm('SELECT s FROM sequences', 3) AS parallel, tlv_hmm('SELECT s FROM sequences ORDER BY seq LIMIT 1000', 3) AS made,
  tlv_hmm('SELECT seq::text, -t, symbol FROM (SELECT seq, -t AS t, symbol FROM steps ORDER BY symbol) q', 3) AS rows;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
-- workers for tables that look small, of the driver's own accord: the caller's setting is as before
SHOW min_parallel_table_scan_size;
SELECT max(a.distance) < 1e-6 AS made, max(b.distance) < 1e-6 AS rows, max(c.distance) < 1e-6 AS before
FROM forms, hmms, tlv_match(parallel, made) a, tlv_match(parallel, forms.rows) b, tlv_match(parallel, symbols) c;
SELECT max(score) FILTER (WHERE measure = 'passes') AS stored FROM forms, tlv_diagnostics(parallel);
SELECT max(score) FILTER (WHERE measure = 'passes') AS made FROM forms, tlv_diagnostics(made);
-- sequences of every length are gone through together: as one by one
SELECT abs((tlv_info(tlv_statistics(s[:1 + seq * 37 % 200], symbols))->>'log_likelihood')::float8 - sum(tlv_log_likelihood(symbols, s[:1 + seq * 37 % 200]))) < 1e-8 AS likelihood
FROM sequences, hmms GROUP BY symbols;
SELECT abs((tlv_info(tlv_statistics(s[:1 + seq * 37 % 200], vectors))->>'log_likelihood')::float8 - sum(tlv_log_likelihood(vectors, s[:1 + seq * 37 % 200]))) < 1e-8 AS likelihood
FROM vector_sequences, hmms GROUP BY vectors;
-- time is an order alone: gaps are not seen; steps at one time follow each other by value, and the model says how many there are
SELECT max(distance) < 1e-9 AS gaps FROM tlv_match(tlv_hmm('SELECT seq, t * t, symbol FROM steps', 2, refine => 'none'), tlv_hmm('SELECT seq, t, symbol FROM steps', 2, refine => 'none'));
CREATE TABLE same_times AS
  SELECT form, tlv_hmm(format('SELECT seq, t / 3, %s FROM steps', step), 2, refine => 'none') AS same,
    tlv_hmm(format('SELECT seq, row_number() OVER (PARTITION BY seq ORDER BY t / 3, %s), %1$s FROM steps', step), 2, refine => 'none') AS numbered
  FROM (VALUES ('symbols', 'symbol'), ('texts', '''s'' || symbol'), ('numbers', 'symbol::float8'), ('arrays', 'ARRAY[symbol, 1 - symbol]')) AS v(form, step);
SELECT form, score = (SELECT count(*) - count(DISTINCT (seq, t / 3)) FROM steps) AS counted, message ~ '^[0-9]+ steps have the time of the one before them:' AS said, hint
FROM same_times, tlv_warnings(same) WHERE code = 'same_time' ORDER BY form;
SELECT form, code FROM same_times, tlv_warnings(numbered) WHERE code = 'same_time';
SELECT form FROM same_times, tlv_match(same, numbered) WHERE distance > 0;
SELECT message FROM tlv_warnings(tlv_hmm('SELECT seq, t, symbol FROM steps UNION ALL SELECT 1, 2, 1 UNION ALL SELECT NULL, 2, 1 UNION ALL SELECT NULL, 2, 1 UNION ALL SELECT 1, NULL, 1
  UNION ALL SELECT 1, NULL, 1', 2, refine => 'none')) WHERE code = 'same_time';
-- steps that are left out are at no time
SELECT score = (SELECT count(*) - count(DISTINCT (seq, t / 2)) FROM steps WHERE t % 7 > 0) AS counted
FROM tlv_warnings(tlv_hmm('SELECT seq, t / 2, CASE WHEN t % 7 > 0 THEN ARRAY[symbol, t % 3] END FROM steps', 2, refine => 'none')) WHERE code = 'same_time';
DROP TABLE same_times;
SELECT max(distance) < 1e-9 AS without_time FROM tlv_match(tlv_hmm('SELECT seq, t, symbol FROM steps UNION ALL SELECT 1, NULL, 1 FROM generate_series(1, 3)
    UNION ALL SELECT NULL, 1, 1 FROM generate_series(1, 3)', 2, refine => 'none'), tlv_hmm('SELECT seq, t, symbol FROM steps', 2, refine => 'none'));
-- nothing: no model; one symbol alone: one state
SELECT tlv_hmm('SELECT seq, t, symbol FROM steps WHERE false', 2);
SELECT tlv_hmm('SELECT s FROM sequences WHERE false', 2);
SELECT tlv_hmm('SELECT NULL::int[]', 2);
SELECT state, symbol, round(probability::numeric, 9) AS probability FROM tlv_emissions(tlv_hmm('SELECT 1, t, 7 FROM generate_series(1, 20) t', 1));
-- what the diagnostics warn of: more states than there are, iterations that do not suffice
SELECT message FROM tlv_warnings((SELECT tlv_fit_hmm(tlv_sequence_moments(s), 6) FROM sequences WHERE seq <= 5)) WHERE message LIKE 'singular values%';
SELECT message FROM tlv_warnings(tlv_fit_hmm((SELECT tlv_sequence_moments(s[:60]) FROM sequences), 3, iterations => 2));

-- warnings as rows, with a code; of a model without any, none
SELECT code, component, score > 0 AS score, message, hint FROM tlv_warnings(tlv_fit_hmm((SELECT tlv_sequence_moments(s[:60]) FROM sequences), 3, iterations => 2)) ORDER BY code;
SELECT (SELECT jsonb_agg(message || coalesce(': ' || hint, '')) FROM tlv_warnings(m)) = tlv_info(m)->'warnings' AS in_info, (SELECT count(*) > 0 FROM tlv_warnings(m)) AS warned
FROM (SELECT tlv_fit_hmm(tlv_sequence_moments(s), 6) AS m FROM sequences WHERE seq <= 5) q;
SELECT count(*) AS none FROM hmms, tlv_warnings(symbols);
SELECT * FROM tlv_warnings(NULL);

-- so many parameters that the last of many steps fit these sequences alone; not where the steps are told
CREATE TABLE few_steps AS SELECT s.seq, s.t, s.symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(symbols => 200, k => 10, seed => 3), 30, 100, seed => 2) s;
SELECT iterations, w.code, round(w.score::numeric, 2) AS parameters_a_step, w.hint FROM (VALUES ('as it takes', tlv_hmm('SELECT seq, t, symbol FROM few_steps', 5)),
  ('told', tlv_hmm('SELECT seq, t, symbol FROM few_steps', 5, iterations => 50))) m(iterations, model) LEFT JOIN LATERAL tlv_warnings(model) w ON w.code = 'many_parameters';

-- stored moments alone: more states than they identify, and k left out
SELECT name, w.code, w.score, w.message, (SELECT count(*) FROM tlv_states(m)) AS states FROM (VALUES
  ('k 13', (SELECT tlv_fit_hmm(tlv_sequence_moments(s), 13, iterations => 5) FROM sequences)), ('vectors k 6', (SELECT tlv_fit_hmm(tlv_sequence_moments(s), 6) FROM vector_sequences)),
  ('one window', (SELECT tlv_fit_hmm(tlv_sequence_moments(ARRAY[1, 2, 3]), 2)))) q(name, m), tlv_warnings(m) w WHERE w.code IN ('not_identified', 'fewer_components') ORDER BY 1, 2;
SELECT (SELECT count(*) FROM tlv_states(symbols)) AS of_symbols, (SELECT count(*) FROM tlv_states(vectors)) AS of_vectors, (SELECT count(*) FROM tlv_states(most)) AS at_most,
       (SELECT score FROM tlv_diagnostics(symbols) WHERE measure = 'k_chosen') AS told
FROM (SELECT tlv_fit_hmm(tlv_sequence_moments(s)) AS symbols, tlv_fit_hmm(tlv_sequence_moments(s), max_k => 2) AS most FROM sequences) a,
  (SELECT tlv_fit_hmm(tlv_sequence_moments(s)) AS vectors FROM vector_sequences) b;
SELECT (SELECT count(*) FROM tlv_states(m)) AS states, code FROM (SELECT tlv_fit_hmm(tlv_sequence_moments(ARRAY(SELECT hashint4(g) & 3 FROM generate_series(1, 5000) g))) AS m) q, tlv_warnings(m);
-- vectors of more numbers than third moments have room for
SELECT count(*) AS states FROM tlv_states(tlv_hmm('SELECT g / 20, g, (SELECT array_agg(sin(g * 7 + i) + g / 10 % 2 * 3) FROM generate_series(1, 210) i) FROM generate_series(1, 400) g', 2));

-- bad input
SELECT name, pg_temp.outcome(sql) AS outcome FROM (VALUES
  ('matrix', 'SELECT tlv_sequence_moments(ARRAY[[1, 2], [2, 3]])'),
  ('nan', 'SELECT tlv_sequence_moments(ARRAY[[1, 2], [2, ''NaN''], [1, 1]]::float8[])'),
  ('infinity', 'SELECT tlv_view_moments(ARRAY[1.0]::float8[], ARRAY[1.0]::float8[], ARRAY[''Infinity'']::float8[])'),
  ('huge', 'SELECT tlv_view_moments(ARRAY[v], ARRAY[-v], ARRAY[v]) FROM unnest(ARRAY[1e300, -1e300, 1e299]::float8[]) v'),
  ('lengths', 'SELECT tlv_view_moments(x, x, x) FROM (VALUES (ARRAY[1.0]::float8[]), (ARRAY[1, 2]::float8[])) q(x)'),
  ('width', 'SELECT tlv_view_moments(x, x, x) FROM (SELECT array_agg(g::float8) AS x FROM generate_series(1, 201) g) q'),
  ('mixed', 'SELECT tlv_rollup(m) FROM (SELECT tlv_sequence_moments(s) AS m FROM sequences UNION ALL SELECT tlv_sequence_moments(s) FROM vector_sequences) q'),
  ('k 0', 'SELECT tlv_fit_hmm(tlv_sequence_moments(s), 0) FROM sequences'),
  ('fit max_k', 'SELECT tlv_fit_hmm(tlv_sequence_moments(s), max_k => 0) FROM sequences'), ('max_k', 'SELECT tlv_hmm(''SELECT s FROM sequences'', max_k => 0)'),
  ('short', 'SELECT tlv_fit_hmm(tlv_sequence_moments(ARRAY[1, 2]), 2)'),
  ('wide', 'SELECT tlv_fit_hmm(tlv_sequence_moments(array_fill(1::float8, ARRAY[5, 201])), 2)'), ('too wide', 'SELECT tlv_sequence_moments(array_fill(1::float8, ARRAY[5, 4001]))'),
  ('few steps', 'SELECT tlv_hmm(''SELECT 1, t, t FROM generate_series(1, 2) t'', 3) IS NOT NULL'), ('no steps', 'SELECT tlv_hmm(''SELECT ARRAY[]::int[]'', 2)'),
  ('given rows', 'SELECT tlv_hmm(''SELECT s FROM sequences'', transitions => ''{{0.5,0.5}}'')'),
  ('given sums', 'SELECT tlv_hmm(''SELECT s FROM sequences'', transitions => ''{{0.5,0.6},{0,1}}'')'),
  ('given width', 'SELECT tlv_hmm(''SELECT s FROM sequences'', emissions => ''{{0.5,0.5},{0,1}}'')'),
  ('given k', 'SELECT tlv_hmm(''SELECT s FROM sequences'', 3, emissions => ''{{0.5,0.5},{0,1}}'')'),
  ('match', 'SELECT count(*) FROM chain, tlv_match(symbols, vectors)'), ('match width', 'SELECT count(*) FROM chain, tlv_match(vectors, tlv_simulate_hmm_model(dimensions => 2))'),
  
  ('one row', 'SELECT tlv_viterbi(vectors, ARRAY[1, 2, 3, 4]::float8[]) FROM hmms'), ('nan step', 'SELECT tlv_log_likelihood(vectors, ARRAY[[1, 2, 3, ''NaN'']]::float8[]) FROM hmms'),
  ('too long', 'SELECT tlv_infer(tlv_simulate_hmm_model(symbols => 2, k => 300), array_fill(1, ARRAY[500000]))'),
  ('columns', 'SELECT tlv_hmm(''SELECT seq, t FROM steps'', 2)'), ('dates', 'SELECT tlv_hmm(''SELECT seq, t, to_tsvector(seq::text) FROM steps'', 2)'),
  ('text matrix', 'SELECT tlv_sequence_moments(ARRAY[[''a'', ''b''], [''b'', ''a'']])'),
  ('refine', 'SELECT tlv_hmm(''SELECT seq, t, symbol FROM steps'', 2, refine => ''vb'')'),
  ('seed', 'SELECT tlv_hmm(''SELECT seq, t, symbol FROM steps'', 2, seed => -1)'),
  ('iterations', 'SELECT tlv_hmm(''SELECT seq, t, symbol FROM steps'', 2, iterations => -1)'), ('write', 'SELECT tlv_hmm(''DELETE FROM steps'', 2)'),
  ('moments', 'SELECT tlv_fit_hmm(tlv_view_moments(1, 2, 3), 2)'),
  ('views', 'SELECT tlv_fit_multiview(tlv_sequence_moments(s), 2) FROM sequences'), ('two views', 'SELECT tlv_multiview(''SELECT 1, 2'', 2)'),
  ('unlike views', 'SELECT tlv_multiview(''SELECT 1, 2, ARRAY[1.0]'', 2)'), ('no views', 'SELECT tlv_multiview(''SELECT 1, 2, 3 WHERE false'', 2)'),
  ('alike', 'SELECT tlv_fit_multiview(tlv_view_moments(a, b, a), 2) IS NULL FROM generate_series(1, 2) a, generate_series(1, 3) b, generate_series(1, 5) n'),
  ('emissions', 'SELECT count(*) FROM hmms, tlv_emissions(vectors)'), ('means', 'SELECT count(*) FROM hmms, tlv_means(symbols)'),
  ('states', 'SELECT count(*) FROM mixtures, tlv_states(vectors)'), ('covariances', 'SELECT count(*) FROM mixtures, tlv_covariances(categories)'),
  ('categories', 'SELECT count(*) FROM mixtures, tlv_categories(vectors)'),
  ('symbols', 'SELECT tlv_viterbi(vectors, ARRAY[1, 2, 3]) FROM hmms'), ('vectors', 'SELECT tlv_viterbi(symbols, ARRAY[[1, 2]]::float8[]) FROM hmms'),
  ('dimensions', 'SELECT tlv_infer(vectors, ARRAY[[1, 2]]::float8[]) FROM hmms'),
  ('viterbi', 'SELECT tlv_viterbi(vectors, ARRAY[1, 2]) FROM mixtures'), ('both', 'SELECT tlv_simulate_hmm_model(symbols => 3, dimensions => 2)'),
  ('neither', 'SELECT tlv_simulate_hmm_model()'), ('stay', 'SELECT tlv_simulate_hmm_model(symbols => 3, stay => 2)'),
  ('separation', 'SELECT tlv_simulate_hmm_model(dimensions => 3, separation => ''NaN'')'),
  ('statistics', 'SELECT tlv_update(symbols, (SELECT tlv_statistics(s, windows) FROM sequences, hmms)) FROM hmms')) q(name, sql);
-- where moments identify no model, other starts do: few steps, one symbol, numbers whose third powers vanish, more states than dimensions
CREATE TEMP TABLE others AS SELECT * FROM (VALUES
  (1, 'short', tlv_hmm('SELECT seq, t, symbol FROM steps WHERE t <= 2', 2)), (2, 'one symbol', tlv_hmm('SELECT 1, t, 7 FROM generate_series(1, 20) t', 2)),
  (3, 'tiny', tlv_hmm('SELECT seq, t, ARRAY[1e-120 * x[1], 1e-120 * x[2]] FROM vector_steps', 2)),
  (4, 'levels', tlv_hmm('SELECT 1, g, g % 300 / 100 * 5 + hashint4(g) / 4294967296.0 FROM generate_series(1, 3000) g', 3)),
  (5, 'letters', tlv_hmm('SELECT 1, g, CASE g % 300 / 100 WHEN 0 THEN 1 + abs(hashint4(g)) % 2 WHEN 1 THEN 3 + abs(hashint4(g)) % 2 ELSE 1 + abs(hashint4(g)) % 4 END
                          FROM generate_series(1, 30000) g', 3)),
  (6, 'unrefined', tlv_hmm('SELECT 1, g, g % 300 / 100 * 5 + hashint4(g) / 4294967296.0 FROM generate_series(1, 3000) g', 3, refine => 'none'))) q(n, name, model);
SELECT name, (SELECT count(*) FROM tlv_states(model)) AS states, code, round(w.score::numeric, 2) AS score, w.message FROM others LEFT JOIN LATERAL tlv_warnings(model) w ON true ORDER BY n, code;
SELECT name, state, round(stationary::numeric, 1) AS stationary, round(duration::numeric, -1) AS duration, round(mean[1]::numeric, 1) AS mean
FROM others, tlv_states(model) JOIN LATERAL pg_temp.state_means(model) m USING (state) WHERE name = 'levels' ORDER BY mean;
SELECT name, symbol, round(max(probability)::numeric, 1) AS most, round(min(probability)::numeric, 1) AS least FROM others, tlv_emissions(model) WHERE name = 'letters' GROUP BY 1, 2 ORDER BY 2;
-- k left out: by sequences that are left out; independent steps, of symbols and of vectors of two clusters, have one state, and k given is warned of
CREATE TEMP TABLE independent AS SELECT i / 100 AS seq, i % 100 AS t, abs(hashint8(i)) % 97 * (abs(hashint8(i + 100000)) % 89) / 1000 AS symbol,
  ARRAY[hashint8(i) / 2147483648.0, hashint8(i + 200000) / 2147483648.0 + abs(hashint8(i + 300000)) % 3 / 2 * 5] AS x FROM generate_series(0, 19999) i;
SELECT (SELECT count(*) FROM tlv_states(tlv_hmm('SELECT seq, t, symbol FROM steps'))) AS chosen,
       (SELECT count(*) FROM tlv_states(tlv_hmm('SELECT seq, t, x FROM vector_steps', max_k => 2))) AS at_most;
SELECT what, (SELECT count(*) FROM tlv_states(tlv_hmm(q))) AS states, (SELECT string_agg(code, ' ') FROM tlv_warnings(tlv_hmm(q))) AS warned, (SELECT string_agg(code, ' ' ORDER BY code)
  FROM tlv_warnings(tlv_hmm(q, k => 2)) WHERE code = 'no_structure') AS of_two
FROM (VALUES ('symbols', 'SELECT seq, t, symbol FROM independent'), ('vectors', 'SELECT seq, t, x FROM independent')) v(what, q);
-- what is held: chains that never go back, transitions, emissions; another step keeps it
CREATE TEMP TABLE held AS SELECT n, name, model, tlv_update(model, tlv_statistics(s, model)) AS stepped FROM (VALUES
  (1, 'left_right', tlv_hmm('SELECT s FROM sequences', 3, left_right => true)),
  (2, 'transitions', tlv_hmm('SELECT s FROM sequences', transitions => '{{0.9,0.1,0},{0,0.9,0.1},{0.1,0,0.9}}')),
  (3, 'emissions', (SELECT tlv_hmm('SELECT s FROM sequences', emissions => array_agg(p ORDER BY state))
                    FROM (SELECT state, array_agg(probability ORDER BY symbol) AS p FROM hmms, tlv_emissions(symbols) GROUP BY 1) q)))
  v(n, name, model), sequences GROUP BY 1, 2, 3;
SELECT name, round(max(probability) FILTER (WHERE to_state < from_state)::numeric, 2) AS back, round(max(probability) FILTER (WHERE to_state = from_state + 1)::numeric, 1) AS next
FROM held, tlv_transitions(stepped) WHERE name <> 'emissions' GROUP BY n, name ORDER BY n;
SELECT max(abs(a.probability - b.probability)) < 1e-6 AS emissions FROM held JOIN LATERAL tlv_emissions(stepped) a ON true
  JOIN (SELECT e.* FROM hmms, tlv_emissions(symbols) e) b USING (state, symbol)
WHERE name = 'emissions';
-- what is missing: elements, steps, a step of every sequence; none of it changes what is known of the rest
SELECT tlv_viterbi(symbols, ARRAY[1, NULL]) = tlv_viterbi(symbols, ARRAY[1, -1]) AS unknown, cardinality(tlv_viterbi(symbols, ARRAY[NULL, NULL]::int[])) AS none,
       abs(tlv_log_likelihood(symbols, ARRAY[NULL]::int[])) < 1e-9 AS sure FROM hmms;
SELECT abs(tlv_log_likelihood(vectors, ARRAY[[NULL, NULL], [NULL, NULL]]::float8[])) < 1e-9 AS none,
       tlv_log_likelihood(vectors, ARRAY[[1, NULL]]::float8[]) > tlv_log_likelihood(vectors, ARRAY[[1, 2]]::float8[]) AS part_of
FROM (SELECT tlv_simulate_hmm_model(dimensions => 2, seed => 1) AS vectors) q;
SELECT max(distance) < 0.15 AS symbols FROM tlv_match(tlv_hmm('SELECT seq, t, symbol FROM steps', 2),
  tlv_hmm('SELECT seq, t, CASE WHEN hashint8(1000 * seq + t) % 5 <> 0 THEN symbol END FROM steps', 2));
SELECT max(distance) < 0.3 AS vectors FROM tlv_match(tlv_hmm('SELECT seq, t, x FROM vector_steps', 2),
  tlv_hmm('SELECT seq, t, ARRAY[CASE WHEN hashint8(1000 * seq + t) % 5 <> 0 THEN x[1] END, x[2]] || x[3:] FROM vector_steps', 2));
SELECT tlv_info(tlv_sequence_moments(s)) -> 'steps' AS steps, tlv_info(tlv_sequence_moments(s)) -> 'arrays' -> 'cells' AS windows FROM (VALUES (ARRAY[1, 2, 3, NULL, 3, 2, 1])) v(s);
-- covariances; what follows a sequence
CREATE TEMP TABLE shapes AS SELECT c AS covariance, tlv_hmm('SELECT seq, t, ARRAY[x[1], x[1] + x[2], 3 * x[2]] FROM vector_steps', 2, covariance => c) AS model
FROM unnest('{common,spherical,diagonal,full}'::text[]) c;
SELECT s.covariance, count(*) FILTER (WHERE dimension_a = dimension_b AND v.covariance > 0) AS variances, count(*) FILTER (WHERE dimension_a <> dimension_b) AS others,
       count(DISTINCT round(v.covariance::numeric, 6)) AS different FROM shapes s, tlv_covariances(s.model) v
GROUP BY s.covariance ORDER BY 3, 4;
SELECT bool_and(likelihood > before) AS more_freedom_fits_better FROM (SELECT likelihood, lag(likelihood) OVER (ORDER BY n) AS before
  FROM (VALUES (1, 'common'), (2, 'spherical'), (3, 'diagonal'), (4, 'full')) o(n, covariance) JOIN shapes USING (covariance),
       LATERAL (SELECT score AS likelihood FROM tlv_diagnostics(model) WHERE measure = 'log_likelihood') d) q;
SELECT count(*) AS rows, max(abs(sum - 1)) < 1e-9 AS sums_to_1, max(step) AS steps FROM (SELECT f.step, sum(probability) AS sum FROM hmms, tlv_forecast(symbols, ARRAY[1, 2, 3], 4) f GROUP BY 1) q;
SELECT max(abs(f.probability - p.probability)) < 1e-9 AS one_step FROM hmms,
  (SELECT e.symbol, sum(posterior * t.probability * e.probability) AS probability
   FROM hmms, unnest(tlv_infer(symbols, ARRAY[1, 2, 3])) WITH ORDINALITY u(posterior, n), tlv_transitions(symbols) t, tlv_emissions(symbols) e
   WHERE n > 2 * (SELECT count(*) FROM tlv_states(symbols)) AND t.from_state = n - 2 * (SELECT count(*) FROM tlv_states(symbols)) AND e.state = t.to_state
   GROUP BY 1) p JOIN LATERAL tlv_forecast(symbols, ARRAY[1, 2, 3]) f USING (symbol);
SELECT step, dimension, mean BETWEEN -20 AND 20 AS mean, variance > 0 AS variance FROM shapes, tlv_forecast(model, '{{0,0,0}}'::float8[], 2) WHERE covariance = 'full' ORDER BY 1, 2;
SELECT max(abs(f.mean - s.mean)) < 1e-9 AS long_run FROM shapes s0, LATERAL (SELECT dimension, mean FROM tlv_forecast(s0.model, '{}'::float8[], 5000) WHERE step = 5000) f
  JOIN LATERAL (SELECT o.n AS dimension, sum(stationary * o.mean) AS mean
                FROM tlv_states(s0.model) JOIN LATERAL pg_temp.state_means(s0.model) m USING (state), unnest(m.mean) WITH ORDINALITY o(mean, n) GROUP BY 1) s USING (dimension)
  WHERE covariance = 'diagonal';
-- a sample of whole sequences: the same in any order, and of parts
SELECT tlv_info(tlv_sequence_sample(s, 100000, 1)) - 'fingerprint' - 'bytes' AS whole FROM sequences;
SELECT tlv_sequence_sample(s, 2000, 1 ORDER BY seq) = tlv_sequence_sample(s, 2000, 1 ORDER BY -seq) AS any_order,
       (tlv_info(tlv_sequence_sample(s, 2000, 1))->'arrays'->'symbols'->>0)::int BETWEEN 1700 AND 2000 AS symbols FROM sequences;
SELECT (SELECT tlv_rollup(part) FROM (SELECT tlv_sequence_sample(s, 2000, 1) AS part FROM sequences GROUP BY seq % 7) q) = tlv_sequence_sample(s, 2000, 1) AS parts FROM sequences;
SELECT (SELECT tlv_sequence_sample(s::bigint[], 2000, 1) = tlv_sequence_sample(s, 2000, 1) FROM sequences) AS larger_type,
       tlv_info(tlv_sequence_sample(ARRAY[1, 9007199254740993, 1], 9, 1)) -> 'arrays' -> 'symbols' AS larger;
-- a function that keeps its word only in the first pass: the rows are stored
CREATE FUNCTION pg_temp.once(s integer[], most bigint) RETURNS boolean STABLE LANGUAGE plpgsql AS $$
  BEGIN RETURN set_config('test.calls', (current_setting('test.calls')::int + 1)::text, false)::bigint <= most; END $$;
SET test.calls = 0;
SELECT tlv_hmm(format('SELECT s FROM sequences WHERE pg_temp.once(s, %s)', count(*)), 2) IS NOT NULL AS stored FROM sequences;
-- ends when it is told to
SET statement_timeout = '200ms';
\set VERBOSITY terse
SELECT tlv_hmm('SELECT 1, t, (t % 1000 * 7919) % 1000 FROM generate_series(1, 3000000) t', 20, iterations => 100) IS NULL;
\echo :SQLSTATE
RESET statement_timeout;
SET tensorlv.work_mem = '16kB';
SELECT regexp_replace(pg_temp.outcome('SELECT tlv_fit_multiview(tlv_view_moments(x1, x2, x3), 2) FROM views'), '[0-9.]+ ?[kM]B', '...', 'g') AS memory;
RESET tensorlv.work_mem;
DROP FUNCTION emission_error, mean_error;
-- symbols by name: rows, arrays, moments in parts, a model's rows, what it is asked of; after equal steps models differ by rounding alone
CREATE TEMP TABLE word_steps AS SELECT seq, t, symbol, 'w' || symbol AS word FROM steps WHERE seq <= 40;
CREATE TEMP TABLE words AS SELECT seq, array_agg(symbol ORDER BY t) AS s, array_agg(word ORDER BY t) AS w FROM word_steps GROUP BY seq;
CREATE TEMP TABLE word_hmms AS SELECT tlv_hmm('SELECT seq, t, word FROM word_steps', k => 3, iterations => 20) AS m,
  tlv_hmm('SELECT w FROM words', k => 3, iterations => 20) AS arrays, tlv_hmm('SELECT s FROM words', k => 3, iterations => 20) AS numbers;
SELECT count(*), bool_and(e.symbol = tlv_term_id(e.symbol_name)) AS ids, max(abs(e.probability - n.probability)) < 1e-9 AS same
FROM word_hmms, tlv_emissions(m) e JOIN LATERAL tlv_emissions(numbers) n ON n.state = e.state AND 'w' || n.symbol_name = e.symbol_name;
SELECT bool_and(symbol_name = symbol::text) AS digits FROM word_hmms, tlv_emissions(numbers);
SELECT bool_and(tlv_viterbi(m, w) = tlv_viterbi(numbers, s)) AS viterbi, max(abs(tlv_log_likelihood(m, w) - tlv_log_likelihood(numbers, s))) < 1e-6 AS likelihood,
       bool_and(tlv_infer(m, w) = tlv_infer(m, w)) AS posteriors FROM word_hmms, words;
SELECT step, count(*) AS symbols, round(sum(probability)::numeric, 9) AS sum, min(symbol_name) AS least FROM word_hmms, tlv_forecast(m, ARRAY['w1', NULL, 'unheard of'], 2) GROUP BY step ORDER BY step;
SELECT cardinality(tlv_viterbi(m, ARRAY['w1', NULL, ''])) AS steps, tlv_viterbi(m, '{}'::text[]) AS none FROM word_hmms;
SELECT tlv_rollup(part) = (SELECT tlv_sequence_moments(w) FROM words) AS merged, tlv_rollup(part)::text::tlv_moments = tlv_rollup(part) AS as_text
FROM (SELECT tlv_sequence_moments(w) AS part FROM words GROUP BY seq % 4) q;
SELECT (SELECT string_agg(DISTINCT symbol_name, ' ' ORDER BY symbol_name) FROM tlv_emissions(tlv_fit_hmm(x, 3))) AS fitted,
       (SELECT count(*) FROM word_hmms, tlv_emissions(tlv_update(m, (SELECT tlv_statistics(w, (SELECT m FROM word_hmms)) FROM words))) WHERE symbol_name LIKE 'w%') AS updated
FROM (SELECT tlv_sequence_moments(w) AS x FROM words) q;
SELECT tlv_info(tlv_sequence_sample(w, 2000, 1))->'sequences' AS sampled FROM words;
SELECT symbol_name, round(probability::numeric, 2) AS probability FROM tlv_emissions(tlv_hmm($$VALUES (1, 1, 'yes'), (1, 2, 'no'), (2, 1, 'yes'), (2, 2, NULL)$$, k => 1)) ORDER BY 1;

DROP TABLE forms, chain, steps, vector_steps, sequences, vector_sequences, hmms, views, triples, mixtures;
-- symbols have no covariance
SELECT tlv_hmm('SELECT i / 50, i, (i * i + i / 3) % 8 FROM generate_series(1, 2000) i', 2, 'full');
SELECT tlv_hmm('SELECT i / 50, i, (i * i + i / 3) % 8 FROM generate_series(1, 2000) i', covariance => 'diagonal', refine => 'none');
SELECT tlv_fit_hmm(tlv_sequence_moments(s), 2, 'full') FROM (SELECT array_agg((i * i + i / 3) % 60) AS s FROM generate_series(1, 2000) i GROUP BY i / 50) q;
-- integers that are numbers rather: the warning says so, its hint works, and symbols that are none bring no such warning
CREATE TEMP TABLE heights AS SELECT 1 AS seq, t, (900 + 100 * sin(t / 7.0) + (t * 7919 % 97))::int AS height, t * 37 % 11 / 4 AS face FROM generate_series(1, 120) t;
SET tensorlv.warnings = off;
SELECT q, m.code, m.score > 5 AS clear, m.message, m.hint, tlv_kind(h)
FROM unnest(ARRAY['SELECT seq, t, height FROM heights', 'SELECT seq, t, 100 * height FROM heights', 'SELECT seq, t, height::float8 FROM heights', 'SELECT seq, t, height::text FROM heights',
  'SELECT seq, t, face FROM heights']) q, LATERAL (SELECT tlv_hmm(q, 1) AS h OFFSET 0) f LEFT JOIN LATERAL tlv_warnings(h) m ON code = 'symbols_are_numbers';
-- ids that are numbered without gaps, frequent ones first or alike
SELECT q, count(w.code) AS warned FROM unnest(ARRAY['SELECT t / 100, t, 1 + abs(hashint4(t)) % 2000 FROM generate_series(1, 10000) t',
  'SELECT t / 100, t, (2000 ^ (abs(hashint4(t)) % 10000 / 10000.0))::int FROM generate_series(1, 10000) t', 'SELECT t / 100, t, abs(hashint4(t)) % 26 FROM generate_series(1, 300) t']) q,
  LATERAL (SELECT tlv_hmm(q, 1) AS h OFFSET 0) f LEFT JOIN LATERAL tlv_warnings(h) w ON w.code = 'symbols_are_numbers' GROUP BY q ORDER BY q;
SET tensorlv.warnings = on;
