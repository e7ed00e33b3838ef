# Hints that name a call or an option: each is raised, the call in it is taken as it is, and run on the objects of the statement that raised it.
# A hint of the sources that no statement here raises fails the test.
use strict;
use warnings;
use File::Find;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use TlvTest;

my $db = new_database('tlv_hints');
query($db, <<'SQL');
CREATE TABLE vectors AS SELECT i AS id, i % 5 AS step, 'w' || i % 7 AS word, ARRAY[hashint4(i) % 1000 + (i % 2) * 4000, hashint4(i + 500) % 1000, hashint4(i + 900) % 1000]::float8[] AS x,
  ARRAY[i % 2, (i + (i % 7 = 0)::int) % 2, (i + (i % 5 = 0)::int) % 2] AS v, hashint4(i) % 10 AS number FROM generate_series(1, 400) i;
CREATE TABLE measures AS SELECT id, word, number, x[1] AS a, x[2] AS b, 'k' || v[1] AS kind, 'l' || v[2] AS other FROM vectors;
CREATE TABLE keyed AS SELECT * FROM measures;
ALTER TABLE keyed ADD PRIMARY KEY (id);
CREATE TABLE docs AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(30, 2, seed => 3), 300, 20);
CREATE TABLE texts AS SELECT id, 'buffer overflow in ' || word || ' found again' AS body FROM vectors;
CREATE TABLE edges AS SELECT a AS src, b AS dst FROM generate_series(1, 30) a, generate_series(1, 30) b WHERE a < b AND (a <= 15) = (b <= 15);
CREATE TABLE steps AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(4, 2, seed => 1), 30, 30);
CREATE TABLE tracks AS SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(dimensions => 2, k => 2, seed => 1), 30, 30);
CREATE TABLE parts AS SELECT x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model('{2,2,2}', 2, seed => 1), 500);
CREATE TABLE nodes AS SELECT a AS node, tlv_bag_agg(b) AS neighbours FROM (SELECT src AS a, dst AS b FROM edges UNION ALL SELECT dst, src FROM edges) e GROUP BY 1;
CREATE TABLE days AS SELECT day, tlv_graph_agg(src, dst) AS graph FROM generate_series(1, 4) day, tlv_simulate_mmsb(tlv_simulate_mmsb_model(60, 2, 0, 0.4, 0.1, seed => 2), day) GROUP BY 1;
CREATE TABLE h AS SELECT tlv_simulate_gmm_model(3, 2) AS gmm, tlv_simulate_lda_model(30, 2, seed => 3) AS lda, tlv_simulate_ica_model(3, 3) AS ica, tlv_simulate_dictionary_model(8, 4, 2) AS atoms,
  tlv_simulate_hmm_model(4, 2, seed => 1) AS hmm, tlv_simulate_hmm_model(dimensions => 2, k => 2, seed => 1) AS tracks, tlv_simulate_lca_model(3, 2) AS lca, tlv_simulate_gom_model(3, 2) AS gom,
  tlv_lca('SELECT kind, other, a FROM measures', 2, layout => 'wide') AS mixed, tlv_gmm('SELECT a, b FROM measures', 2) AS named,
  tlv_simulate_mmsb_model(60, 2, 0, 0.4, 0.1, seed => 2) AS mmsb, tlv_tree('SELECT v FROM vectors') AS tree, tlv_tree('SELECT x FROM vectors') AS numbers,
  tlv_simulate_multiview_model('{2,2,2}', 2, seed => 1) AS views, tlv_simulate_multiview_model(categories => '{4,4,4}', k => 2) AS categories,
  tlv_fit_cp(ARRAY[[[1, 2], [3, 5]], [[2, 4], [6, 10]]]::float8[], 1) AS cp,
  (SELECT tlv_dense_moments(x, 2) FROM vectors) AS dense2, (SELECT tlv_dense_moments(x, 3) FROM vectors) AS dense3, (SELECT tlv_category_moments(v) FROM vectors) AS coded,
  (SELECT tlv_count_summary(bag) FROM docs) AS summary, (SELECT tlv_count_moments(bag) FROM docs) AS triples;
ALTER TABLE h ADD space tlv_subspace, ADD distinct_space tlv_subspace, ADD anchors tlv_moments;
UPDATE h SET space = (SELECT tlv_find_subspace(tlv_count_products(bag, tlv_find_subspace(summary, 3)), 2) FROM docs, h GROUP BY summary);
UPDATE h SET anchors = (SELECT tlv_anchor_moments(bag, space) FROM docs), distinct_space = tlv_find_subspace(summary, 4, distinct_pairs => true);
CREATE TABLE wide AS SELECT s.v FROM tlv_simulate_tree_model(120, 2, low => 0.8, high => 0.95, seed => 2) t, tlv_simulate_tree(t, 500, 3) s;
CREATE TABLE bare AS SELECT tlv_fit_tree(tlv_category_moments(v), states => 2) AS model FROM wide;
SQL

# [statement, condition, statements that run its calls: CALL is the first call of the hint, then the next ...; OPTION the option].  A name in a call is that of a column, or `...` is what the
# last element says.
my $anchors = q((SELECT ARRAY[min(item), max(item)]::text[] FROM h, tlv_topic_items(lda, 1, 'probability')));
my $three = q((SELECT array_agg(item::text) FROM h, tlv_topic_items(lda, 2, 'probability') WHERE topic = 1 OR rank = 1));
my $referring = '(SELECT tlv_anchor_moments(bag, space) AS moments, space FROM (SELECT bag FROM docs LIMIT 7) d, h GROUP BY space) m';
my $products = '(SELECT tlv_count_products(bag, s) AS products, s AS space FROM (SELECT bag FROM docs LIMIT 9) d, (SELECT tlv_find_subspace(summary, 3) AS s FROM h) f GROUP BY s) p';
my $named = q((SELECT tlv_mmsb('SELECT ''n'' || src, ''n'' || dst FROM edges', 2) AS m) f);
my $sparse = q((SELECT tlv_align(tlv_lda('SELECT bag FROM docs', 1), lda) AS model FROM h) a);
my $six = 'ARRAY[id % 2, id % 3 % 2, id % 5 % 2, id % 7 % 2, id % 11 % 2, id % 13 % 2]';
my $crossed = q('SELECT array[a + b, 2 * a - b, a + 3 * b, 4 * a + number, b + number, number + a - b] FROM measures');
my $moved = q('SELECT array[a + f, b + f], array[b - f, a], array[a * .1 + f, f] FROM (SELECT a, b, sin(id) * 500 AS f FROM measures) q');
my $noisy = q('SELECT array[sign(sin(i * 1.3)) + sqrt(-2 * ln((i % 499 + .5) / 499)) * cos(6.2832 * (i % 491) / 491), sign(cos(i * 2.1))
    + sqrt(-2 * ln((i % 487 + .5) / 487)) * cos(6.2832 * (i % 479) / 479) * .2] FROM generate_series(1, 5000) i');
my $noisier = q('SELECT x FROM tlv_simulate_ica(20000, 4, noise => 1, seed => 3)');
my $circle = q((SELECT array_agg(ARRAY[10 + 3 * cos(t * pi() / 100), 10 + 3 * cos((t / 200.0 + 1 / 3.0) * 2 * pi()), 10 + 3 * cos((t / 200.0 + 2 / 3.0) * 2 * pi())] ORDER BY t)
    FROM generate_series(1, 200) t));
my $apart = q((SELECT tlv_count_moments(tlv_to_bag(ARRAY['w' || i % 2, 'x' || i % 2 || i % 3, 'x' || i % 2 || i % 5, 'x' || i % 3])) AS moments FROM generate_series(1, 60) i) m);
my $alone = q(ARRAY[tlv_term_id('w0')::text, tlv_term_id('w1')::text]);
my $networks = q((SELECT tlv_network('SELECT active FROM sets') AS model, tlv_simulate_network_model(30, '{6}', 4, seed => 2) AS other OFFSET 0) n, sets);
query($db, <<'SQL');
CREATE TABLE sets AS SELECT active FROM tlv_simulate_network(tlv_simulate_network_model(120, '{30,8}', 4, density => 0.1, negative => 0, seed => 1), 3000);
DO $$ BEGIN EXECUTE format('CREATE FUNCTION features(float8, float8, bigint, float8) RETURNS tlv_bag AS %L, ''tlv_point_features'' LANGUAGE C',
  (SELECT probin FROM pg_proc WHERE proname = 'tlv_point_features' LIMIT 1)); END $$;
SQL
sub on { my ($name) = @_; return "(SELECT $name AS model FROM h) AS one" }
my @tried = (
    [ q(SELECT tlv_merge(tlv_simulate_hmm_model(6, 3), '{1,2}')), '0A000', 'SELECT CALL FROM (SELECT tlv_simulate_hmm_model(6, 3) AS model, 2 AS n OFFSET 0) q' ],
    [ q(SELECT tlv_lca('SELECT i AS id, v AS key, (i * v % 3)::text AS a, (i % 7)::float8 AS b FROM generate_series(1, 100) i, generate_series(1, 4) v', 2)), 'warning',
        q(SELECT tlv_lca('SELECT i, v, CASE WHEN v < 3 THEN (i * v % 3)::text END, CASE WHEN v > 2 THEN (i % 7)::float8 END FROM generate_series(1, 100) i, generate_series(1, 4) v', 2, OPTION)),
        'identify the rows together' ],
    [ q(SELECT tlv_tree('SELECT i AS id, v AS key, (i * v % 3)::text AS a, (i % 7)::text AS b FROM generate_series(1, 60) i, generate_series(1, 4) v')), 'warning',
        q(SELECT tlv_tree('SELECT i, v, (i * v % 3)::text FROM generate_series(1, 60) i, generate_series(1, 4) v', OPTION)), 'identify the rows together' ],
    # workers who copy: eight of twenty say the same
    [ q(SELECT tlv_crowd($$SELECT i, w, CASE WHEN w > 12 THEN hashint4(i) % 3 ELSE hashint4(i * 20 + CASE WHEN hashint4(i * 40 + w) % 2 = 0 THEN w ELSE 0 END) % 3 END
        FROM generate_series(1, 200) i, generate_series(1, 20) w$$)), 'warning',
        q(SELECT tlv_crowd($$SELECT i, w, hashint4(i * 20 + w) % 3 FROM generate_series(1, 200) i, generate_series(1, 20) w$$, OPTION)), 'give the same answers' ],
    # weights of rows
    [ q(SELECT tlv_gmm('SELECT a, b, 1 AS n FROM measures', 2, refine => 'none', weights => 'n')), '22023', q(SELECT tlv_gmm('SELECT a, b, 1 AS n FROM measures', 2, OPTION, weights => 'n')) ],
    [ q(SELECT tlv_lca('SELECT kind, other, word, 1 AS n FROM measures', 2, weights => 'n')), '22023', 'SELECT CALL' ],
    [ q(SELECT tlv_gmm('SELECT a, b, CASE id WHEN 7 THEN ''NaN'' ELSE a * a END AS n FROM measures', 2, weights => 'n')), '22023',
        q(SELECT tlv_gmm('SELECT a, b, CALL AS n FROM (SELECT *, CASE id WHEN 7 THEN ''NaN'' ELSE a * a END AS n FROM measures) q', 2, weights => 'n')) ],
    [ q(SELECT tlv_gmm('SELECT a, b, nullif(number, 3) AS n FROM measures', 2, weights => 'n')), '22023',
        q(SELECT tlv_gmm('SELECT a, b, CALL AS n FROM (SELECT *, nullif(number, 3) AS n FROM measures) q', 2, weights => 'n')) ],
    [ q(SELECT tlv_gmm('SELECT a, b, number - 5 AS n FROM measures', 2, weights => 'n')), '22023',
        q(SELECT tlv_gmm('SELECT a, b, CALL AS n FROM (SELECT *, number - 5 AS n FROM measures) q', 2, weights => 'n')) ],
    [ q(SELECT tlv_gmm('SELECT a, b, date ''2026-01-01'' + id AS at FROM measures', 2)), 'warning',
        q(SELECT tlv_gmm('SELECT a, b, CALL AS at FROM (SELECT *, date ''2026-01-01'' + id AS at FROM measures) q', 2)), 'column "at" (date)' ],
    [ q(SELECT tlv_lca('SELECT k.id, ''v'' || v AS v, CASE WHEN v < 3 THEN ''c'' || (id + v) % 3 END AS c, CASE WHEN v = 3 THEN k.a END AS n FROM keyed k, generate_series(1, 3) v')), '42804',
        'SELECT CALL' ],
    [ q(SELECT tlv_lda('SELECT id, to_jsonb(body) AS words FROM texts', 1)), 'warning', 'SELECT CALL', 'items have' ],
    # rows that are told otherwise
    [ q(SELECT tlv_lca('SELECT id, kind, number FROM keyed', 2)), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_lca('SELECT kind, other, number, a FROM measures', 2, layout => 'long')), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_lca('SELECT kind, other, number FROM measures', 2)), '21000', 'SELECT CALL' ],
    [ q(SELECT tlv_gom('SELECT kind, a FROM measures', 2, layout => 'long')), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_lca('SELECT kind, other, number::text, a FROM measures', 2, layout => 'long')), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_tree('SELECT kind, number, a FROM measures')), '21000', 'SELECT CALL' ],
    [ q(SELECT tlv_tree('SELECT number, a, b FROM measures')), '21000', 'SELECT CALL' ],
    [ q(SELECT tlv_tree('SELECT kind, number, a, b FROM measures', layout => 'long')), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_tree('SELECT id, kind, other FROM keyed')), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_tree('SELECT date ''2026-01-01'' + id::int AS day, number, a, b FROM measures')), '42804',
        q(SELECT tlv_tree('SELECT CALL AS day, number, a, b FROM (SELECT date ''2026-01-01'' + id::int AS day, number, a, b FROM measures) q')) ],
    [ q(SELECT tlv_lca('SELECT 1.5, 2.5, ARRAY[1]')), '42804', q(SELECT tlv_lca('SELECT kind, other, number FROM measures', 2, OPTION)) ],
    [ q(SELECT tlv_tree('SELECT ARRAY[1], ARRAY[2], 3')), '42804', q(SELECT tlv_tree('SELECT kind, other, number FROM measures', OPTION)) ],
    [ q(SELECT count(*) FROM tlv_suggest_k('SELECT a, b FROM measures')), '42804', 'SELECT count(*) FROM CALL' ],
    [ q(SELECT count(*) FROM tlv_suggest_k('SELECT x FROM vectors')), '42804', 'SELECT count(*) FROM CALL' ],
    [ q(SELECT count(*) FROM tlv_suggest_k('SELECT id, a, b, number FROM keyed')), '42804', 'SELECT count(*) FROM CALL' ],
    [ q(SELECT tlv_lda('SELECT x FROM vectors', 2)), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_lda('SELECT body FROM texts', 2)), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_lda('SELECT id, body, 1, 2 FROM texts', 2)), '42804', 'SELECT CALL' ],
    [ q(SELECT tlv_lda('SELECT id, body FROM texts;', 1)), 'warning', 'SELECT CALL', 'items have' ],
    [ q(SELECT tlv_assign(lda, 'buffer overflow') FROM h), '42804', 'SELECT tlv_assign(lda, CALL) FROM h',
        'SELECT tlv_assign(lda, (SELECT CALL FROM (VALUES (1)) i(item))) FROM h' ],
    [ q(SELECT tlv_assign(lda, ARRAY[1]) FROM h), '42804', 'SELECT tlv_assign(lda, tlv_bag_agg(item)) FROM h, (VALUES (1)) i(item) GROUP BY lda' ],
    [ q(SELECT tlv_to_bag('buffer overflow')), '22P02', 'SELECT tlv_to_bag(CALL)' ],
    [ q(SELECT tlv_infer(mixed, ROW(1, 'a', 'b', 'c')) FROM h), '42804', 'SELECT CALL FROM ' . on('mixed') ],
    [ q(SELECT tlv_infer(named, q) FROM h, (SELECT 1 AS a) q), '42804', 'SELECT CALL FROM ' . on('named') ],
    [ q(SELECT tlv_gom('SELECT kind, other FROM measures', 2, copies => 2, layout => 'wide')), '22023', q(SELECT tlv_gom('SELECT id, other, kind FROM measures', 2, OPTION)) ],
    [ q(SELECT tlv_mmsb('SELECT a::text, neighbours FROM (SELECT node AS a, neighbours FROM nodes) n', 2)), '42804', q(SELECT CALL FROM (VALUES ('x')) n(name)) ],
    [ q(SELECT tlv_mmsb('TABLE edges', 2, sides => 'tied')), '22023', q(SELECT tlv_mmsb('TABLE edges', 2, sides => 'tied', OPTION)) ],
    [ q(SELECT tlv_mmsb('SELECT id, word FROM measures', 2)), '42804', q(SELECT tlv_mmsb('SELECT id, word FROM measures', 2, OPTION)) ],
    [ q(SELECT tlv_infer(lda, '{1000:1}'::tlv_bag) FROM h), 'warning', q(SELECT CALL FROM (VALUES ('oil')) t(term)), 'items that the model does not know' ],
    [ q(SELECT tlv_infer(mmsb, '{1000:1}'::tlv_bag) FROM h), 'warning', q(SELECT CALL FROM (VALUES ('x')) n(name)), 'neighbours that the model does not know' ],
    # values of another kind
    [ q(SELECT tlv_fit_gmm(coded, 2) FROM h), '22023', 'SELECT tlv_fit_gmm(CALL, 2) FROM vectors' ],
    [ q(SELECT tlv_fit_gmm(dense2, 2) FROM h), '22023', 'SELECT tlv_fit_gmm(CALL, 2) FROM vectors',
        'SELECT tlv_fit_gmm(CALL, 2) FROM vectors, (SELECT dense2 AS moments FROM h) h GROUP BY moments' ],
    [ q(SELECT tlv_fit_ica(coded, 2) FROM h), '22023', 'SELECT tlv_fit_ica(CALL, 2) FROM vectors' ],
    [ q(SELECT tlv_fit_ica(dense3, 2) FROM h), '22023', 'SELECT tlv_fit_ica(CALL, 2) FROM vectors' ],
    [ q(SELECT tlv_fit_multiview(dense3, 2) FROM h), '22023', 'SELECT tlv_fit_multiview(CALL, 2) FROM parts' ],
    [ q(SELECT tlv_fit_hmm(dense3, 2) FROM h), '22023', 'SELECT tlv_fit_hmm(CALL, 2) FROM (SELECT array_agg(symbol ORDER BY t) AS symbols FROM steps GROUP BY seq) s' ],
    [ q(SELECT tlv_fit_tree(summary) FROM h), '22023', 'SELECT tlv_fit_tree(CALL) FROM vectors', 'SELECT tlv_fit_tree(CALL) FROM vectors' ],
    [ q(SELECT tlv_fit_lca(dense3, 2) FROM h), '22023', 'SELECT tlv_fit_lca(CALL, 2) FROM vectors', 'SELECT tlv_fit_lca(CALL, 2) FROM vectors' ],
    [ q(SELECT tlv_fit_lda(summary, 2) FROM h), '22023', 'SELECT tlv_fit_lda(CALL, 2) FROM docs, h GROUP BY summary', q(summary, 2) ],
    [ q(SELECT tlv_fit_lda(dense3, 2, method => 'anchors') FROM h), '22023',
        'SELECT tlv_fit_lda(CALL, 2, method => $$anchors$$, subspace => tlv_find_subspace(summary, 2)) FROM docs, h GROUP BY summary', q(summary, 2) ],
    [ q(SELECT tlv_fit_convolution(tlv_series_moments(ARRAY[1, 2], 8), length => 9)), '22023', q(SELECT tlv_kind(CALL) FROM (VALUES (ARRAY[1, 2, 3]::float8[])) s(x)) ],
    [ q(SELECT tlv_update(lda, triples) FROM h), '22023', 'SELECT tlv_update(model, (SELECT CALL FROM (SELECT bag AS x FROM docs) d)) FROM ' . on('lda') ],
    [ q(SELECT tlv_update(tree, dense2) FROM h), '22023', 'SELECT tlv_update(model, (SELECT CALL FROM (SELECT v AS values FROM vectors) d)) FROM ' . on('tree') ],
    [ q(SELECT tlv_update(numbers, dense2) FROM h), '22023', 'SELECT CALL FROM (SELECT dense2 AS moments FROM h) m' ],
    [ q(SELECT tlv_update(hmm, dense2) FROM h), '22023', 'SELECT tlv_update(model, (SELECT CALL FROM (SELECT array_agg(symbol ORDER BY t) AS sequence FROM steps GROUP BY seq) d)) FROM ' . on('hmm') ],
    [ q(SELECT count(*) FROM h, tlv_suggest_k(dense2)), '22023', 'SELECT count(*) FROM (SELECT CALL AS m FROM vectors) q, tlv_suggest_k(m)',
        'SELECT count(*) FROM (SELECT tlv_kind(CALL) FROM vectors, (SELECT dense2 AS moments FROM h) h GROUP BY moments) q' ],
    [ q(SELECT count(*) FROM h, tlv_suggest_k(summary)), '22023', 'SELECT count(*) FROM (SELECT tlv_count_moments(bag, s) AS a, tlv_count_moments(bag, s) AS b FROM docs, '
        . '(SELECT tlv_find_subspace(summary, 4, distinct_pairs => true) AS s FROM h) f) m, CALL' ],
    [ q(SELECT count(*) FROM h, tlv_suggest_k(triples, triples)), '22023',
        'SELECT CALL FROM h', 'SELECT CALL FROM docs, (SELECT tlv_find_subspace(summary, 4, distinct_pairs => true) AS subspace FROM h) f',
        q(SELECT count(*) FROM (VALUES ('SELECT bag FROM docs')) q(query), CALL), q(summary, 4) ],
    [ q(SELECT count(*) FROM h, tlv_spectrum(summary)), '22023', 'SELECT count(*) FROM h, CALL', q(summary, 4) ],
    [ q(SELECT tlv_find_subspace((SELECT tlv_completion(bag, lda) FROM docs), 3) FROM h), '22023', 'SELECT tlv_find_subspace((SELECT CALL FROM docs), 3)',
        'SELECT tlv_find_subspace((SELECT CALL FROM docs, (SELECT tlv_find_subspace(summary, 4) AS subspace FROM h) s), 3)' ],
    [ q(SELECT tlv_find_subspace(anchors) FROM h), '22004', 'SELECT CALL FROM (SELECT anchors AS moments, space FROM h) m' ],
    [ q(SELECT tlv_count_moments(tlv_to_bag(ARRAY[i, i + 1, i + 2]::bigint[])) FROM generate_series(1, 8191) i), '54000', 'SELECT CALL FROM docs', 'SELECT CALL FROM (SELECT summary, 4 AS k FROM h) h',
        'SELECT CALL FROM docs, (SELECT tlv_find_subspace(summary, 4) AS subspace FROM h) s', 'SELECT CALL FROM docs, (SELECT space AS subspace FROM h) s',
        q(SELECT CALL FROM (VALUES ('SELECT bag FROM docs')) q(query)) ],
    [ q(SELECT tlv_central_moment(summary, 2) FROM h), '22023', 'SELECT tlv_central_moment((SELECT CALL FROM vectors), 2)' ],
    [ q(SELECT tlv_dense_moments(array_fill(1::float8, ARRAY[61]), 4)), '54000', 'SELECT tlv_kind(CALL) FROM (SELECT x, dense2 AS moments, 2 AS k FROM vectors, h) v' ],
    [ q(SELECT tlv_fit_hmm(tlv_sequence_moments(ARRAY[1, 2]), 2)), '22000', q(SELECT CALL FROM (VALUES ('SELECT seq, t, symbol FROM steps')) q(query)) ],
    [ q(SELECT tlv_fit_hmm(tlv_sequence_moments(array_fill(1::float8, ARRAY[4, 201])), 2)), '22000', q(SELECT CALL FROM (VALUES ('SELECT seq, t, x FROM tracks')) q(query)) ],
    [ q(SELECT tlv_fit_hmm(tlv_sequence_moments(ARRAY[1, 2, 3]), 2)), 'warning', q(SELECT CALL FROM (VALUES ('SELECT seq, t, symbol FROM steps')) q(query)), 'window of' ],
    # functions that are for models of another kind
    [ q(SELECT tlv_infer(tree, v) FROM h, vectors LIMIT 1), '22023', 'SELECT CALL FROM (SELECT v AS x FROM vectors LIMIT 1) r, ' . on('tree') ],
    [ q(SELECT tlv_infer(ica, x) FROM h, vectors LIMIT 1), '22023', 'SELECT CALL FROM (SELECT x FROM vectors LIMIT 1) r, ' . on('ica') ],
    [ q(SELECT tlv_infer(cp, ARRAY[1]) FROM h), '22023', 'SELECT count(*) FROM CALL' ],
    [ q(SELECT tlv_assign(hmm, ARRAY[1, 2]) FROM h), '22023',
        'SELECT count(*) FROM (SELECT ARRAY[1, 2] AS x) r, ' . on('hmm') . ', CALL', 'SELECT count(*) FROM (SELECT ARRAY[1, 2] AS x) r, ' . on('hmm') . ', CALL' ],
    [ q(SELECT tlv_assign(gmm, ARRAY[[1, 2, 3], [2, 3, 4]]) FROM h), 'any', 'SELECT count(*) FROM (SELECT ARRAY[[1, 2, 3], [2, 3, 4]]::float8[] AS x) r, ' . on('gmm') . ', CALL' ],
    [ q(SELECT tlv_contributions(gmm, ARRAY[[1, 2, 3], [2, 3, 4]]) FROM h), '2202E', 'SELECT count(*) FROM (SELECT ARRAY[1, 2, 3]::float8[] AS x) r, ' . on('gmm') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_match(tree, tree)), '22023', 'SELECT CALL FROM (SELECT tree AS a, tree AS b FROM h) m' ],
    [ q(SELECT count(*) FROM h, tlv_means(hmm)), '22023', 'SELECT count(*) FROM ' . on('hmm') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_means(categories)), '22023', 'SELECT count(*) FROM ' . on('categories') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_covariances(categories)), '22023', 'SELECT count(*) FROM ' . on('categories') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_categories(views)), '22023', 'SELECT count(*) FROM ' . on('views') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_emissions(tracks)), '22023', 'SELECT count(*) FROM ' . on('tracks') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_tree_parameters(numbers)), '22023', 'SELECT count(*) FROM ' . on('numbers') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_tree_coefficients(tree)), '22023', 'SELECT count(*) FROM ' . on('tree') . ', CALL' ],
    [ q(SELECT count(*) FROM h, tlv_topic_anchors(lda)), '22023', q(SELECT CALL FROM (VALUES ('SELECT bag FROM docs', 2)) q(query, k)) ],
    [ q(SELECT tlv_from_json('[]')), '22023', 'SELECT CALL FROM ' . on('gmm') ],
    [ q(SELECT tlv_from_json('{"tensorlv": 1, "kind": "lad"}')), '22023', 'SELECT count(*) FROM CALL' ],
    [ q(SELECT tlv_infer(lca, v, true) FROM h, vectors LIMIT 1), '22023', 'SELECT CALL FROM (SELECT v AS row FROM vectors LIMIT 1) r, ' . on('lca') ],
    # drift, updates
    [ q(SELECT count(*) FROM h, tlv_drift(lda, (SELECT tlv_error_statistics(bag, lda) FROM docs))), '22023',
        'SELECT count(*) FROM ' . on('lda') . ', (SELECT tlv_error_statistics(bag, lda) AS statistics, tlv_error_statistics(bag, lda) AS reference FROM docs, h GROUP BY lda) s, CALL' ],
    [ q(SELECT count(*) FROM h, tlv_drift(lda, (SELECT tlv_statistics(bag, lda) FROM docs), ARRAY[(SELECT tlv_statistics(bag, lda) FROM docs)])), '22023',
        'SELECT count(*) FROM ' . on('lda') . ', (SELECT tlv_statistics(bag, lda) AS statistics FROM docs, h GROUP BY lda) s, CALL' ],
    [ q(SELECT count(*) FROM h, tlv_drift(lda, (SELECT tlv_completion(bag, lda) FROM docs))), '22023',
        'SELECT count(*) FROM ' . on('lda') . ', (SELECT CALL FROM docs, ' . on('lda') . ') s(s), tlv_drift(model, s)',
        'SELECT count(*) FROM ' . on('lda') . ', (SELECT CALL FROM docs, ' . on('lda') . ') s(s), tlv_drift(model, s, ARRAY[s])' ],
    [ q(SELECT count(*) FROM h, tlv_drift(mmsb, (SELECT graph FROM days WHERE day = 1), ARRAY[]::tlv_graph[])), '22023',
        'SELECT count(*) FROM (SELECT mmsb AS model, a.graph, b.graph AS before FROM h, days a, days b WHERE a.day = 1 AND b.day = 2) m, CALL', q((SELECT graph FROM days WHERE day = 3)) ],
    [ q(SELECT count(*) FROM h, tlv_drift(mmsb, summary)), '22023',
        'SELECT count(*) FROM (SELECT mmsb AS model, a.graph, ARRAY[b.graph, a.graph] AS reference FROM h, days a, days b WHERE a.day = 1 AND b.day = 2) m, CALL' ],
    [ q(SELECT tlv_update(gmm, (SELECT tlv_statistics(x, gmm) FROM vectors WHERE id = 1)) FROM h), 'warning',
        'SELECT CALL FROM ' . on('gmm') . ', (SELECT tlv_statistics(x, gmm) AS statistics FROM vectors, h GROUP BY gmm) s', 'few observations' ],
    # options
    [ q(SELECT tlv_dictionary('SELECT x FROM vectors', 9, 2, method => 'ica')), '22023', q(SELECT tlv_dictionary('SELECT x FROM vectors', 9, 2, OPTION)) ],
    [ q(SELECT tlv_hmm('SELECT seq, t, symbol FROM steps', 3, transitions => '{{0.5,0.5},{0.5,0.5}}')), '22023',
        q(SELECT tlv_hmm('SELECT seq, t, symbol FROM steps', transitions => '{{0.5,0.5},{0.5,0.5}}', OPTION)) ],
    [ q(SELECT tlv_ica('SELECT x FROM vectors', 2, noise => true, refine => 'tanh')), '22023', q(SELECT tlv_ica('SELECT x FROM vectors', 2, noise => true, OPTION)) ],
    [ q(SELECT tlv_fit_mmsb(tlv_graph_agg(i, 100 + j), 1) FROM generate_series(1, 9) i, generate_series(1, 9) j), 'warning',
        'SELECT count(*) FROM (SELECT tlv_fit_mmsb(tlv_bigraph_agg(i, 100 + j), 1) FROM generate_series(1, 9) i, generate_series(1, 9) j) q -- OPTION', 'two groups' ],
    [ q(SELECT tlv_fit_mmsb(tlv_graph_agg(1, i), 1, degree_corrected => false) FROM generate_series(2, 40) i), 'warning',
        q(SELECT tlv_fit_mmsb(tlv_graph_agg(1, i), 1, OPTION) FROM generate_series(2, 40) i), 'degrees vary' ],
    [ q(SELECT tlv_mmsb('SELECT src, dst, CASE WHEN src = 1 AND dst = 2 THEN 1e10 ELSE 1 END FROM edges', 2, edges => 'poisson')), '22000',
        q(SELECT tlv_mmsb('SELECT src, dst, CASE WHEN src = 1 AND dst = 2 THEN 1e10 ELSE 1 END FROM edges', 2, OPTION)) ],
    [ q(SELECT tlv_fit_cp(ARRAY[[[1, 2]]]::float8[], 1, method => 'hals')), '22023', q(SELECT tlv_fit_cp(ARRAY[[[1, 2]]]::float8[], 1, method => 'hals', OPTION)) ],
    [ q(SELECT tlv_fit_tensor_train((SELECT tlv_tensor_agg(i, j, l, CASE WHEN (i + j + l) % 4 > 0 THEN i * j * l END) 
        FROM generate_series(1, 4) i, generate_series(1, 4) j, generate_series(1, 4) l))), '22023',
        q(SELECT tlv_fit_tensor_train((SELECT tlv_tensor_agg(i, j, l, CASE WHEN (i + j + l) % 4 > 0 THEN i * j * l END)
            FROM generate_series(1, 4) i, generate_series(1, 4) j, generate_series(1, 4) l), OPTION)) ],
    [ q(SELECT tlv_simulate_hmm_model(k => 2)), '22023', q(SELECT tlv_simulate_hmm_model(k => 2, OPTION)) ],
    [ q(SELECT tlv_simulate_mmsb_model(9, 2, kind => 'undirected', targets => 5)), '22023', q(SELECT tlv_simulate_mmsb_model(9, 2, OPTION, targets => 5)) ],
    [ q(SELECT tlv_simulate_multiview_model('{1,2}', 2)), '22023', q(SELECT tlv_simulate_multiview_model(k => 2, OPTION)) ],
    [ q(SELECT tlv_simulate_multiview_model(k => 2)), '22023', q(SELECT tlv_simulate_multiview_model(k => 2, OPTION)) ],
    [ q(SELECT tlv_crowd('SELECT item, worker, answer FROM tlv_simulate_crowd(200, 20, 3, seed => 2)', start => 'moments', restarts => 1)), 'warning',
        q(SELECT tlv_crowd('SELECT item, worker, answer FROM tlv_simulate_crowd(200, 20, 3, seed => 2)', OPTION)), 'three groups' ],
    [ q(SELECT tlv_anchor_moments(bag, distinct_space) FROM docs, h), '22023', 'SELECT tlv_anchor_moments(bag, s) FROM docs, (SELECT tlv_find_subspace(summary, 4, OPTION) AS s FROM h) f' ],
    [ q(SELECT tlv_fit_lda((SELECT tlv_count_moments(bag, distinct_space) FROM docs, h), 2)), '22023',
        'SELECT tlv_fit_lda(tlv_count_moments(bag, s), 2) FROM docs, (SELECT tlv_find_subspace(summary, 4, OPTION) AS s FROM h) f' ],
    [ q(SELECT tlv_statistics(node, neighbours, mmsb) FROM h, (SELECT node, neighbours FROM nodes UNION ALL SELECT node, neighbours FROM nodes) n), 'any', 'SELECT CALL FROM edges GROUP BY src' ],
    [ q(SELECT tlv_mmsb('SELECT src, tlv_bag_agg(dst) FROM edges GROUP BY src', 2)), 'any',
        q(SELECT tlv_mmsb('SELECT src, tlv_bag_agg(dst) FROM (CALL) e GROUP BY src', 2)) ],
    [ q(SELECT tlv_infer(gmm, ARRAY[1, 2, 3]::float8[], uncertain => true) FROM h), 'any',
        q(SELECT tlv_infer(tlv_gmm('SELECT x FROM vectors', 2, OPTION), ARRAY[1, 2, 3]::float8[], uncertain => true)) ],
    [ q(SELECT 0.5 * coded FROM h), '22023', 'SELECT CALL FROM ' . on('lca') . ', (SELECT tlv_statistics(v, lca) AS statistics, 0.5::float8 AS weight FROM vectors, h GROUP BY lca) s' ],
    [ q(SELECT tlv_hmm('SELECT seq, t, symbol FROM steps WHERE seq < 20 OR t < 3', 2)), 'warning', q(SELECT CALL FROM (VALUES ('SELECT seq, t, symbol FROM steps')) q(query)), 'fewer than 3' ],
    [ q(SELECT tlv_fit_hmm(s, 9) FROM (SELECT tlv_sequence_moments(symbols) AS s FROM (SELECT array_agg(symbol ORDER BY t) AS symbols FROM steps GROUP BY seq) q) q), 'warning',
        q(SELECT CALL FROM (VALUES ('SELECT seq, t, symbol FROM steps')) q(query)), 'distinct symbols' ],
    [ qq(SELECT tlv_lda('SELECT bag FROM docs', 2, method => 'tensor', anchors => $anchors)), '22023', qq(SELECT tlv_lda('SELECT bag FROM docs', 2, OPTION, anchors => $anchors)) ],
    [ q(SELECT tlv_fit_lda(anchors, 2, method => 'anchors', anchors => '{oil}') FROM h), '22023', q(SELECT CALL FROM (VALUES ('oil')) t(term)) ],
    [ q(SELECT tlv_tree_parameters(model) FROM bare), '55000', 'SELECT CALL FROM bare', 'wide' ],
    [ q(SELECT tlv_simulate_tree(model, 9) FROM bare), 'any' , 'SELECT CALL FROM bare, (SELECT v AS values FROM wide) w GROUP BY model' ],
    [ q(SELECT tlv_fit_tree(coded, states => 7) FROM h), 'warning', 'SELECT tlv_fit_tree(coded, OPTION) FROM h', '7 states' ],
    [ q(SELECT tlv_fit_lda(dense3, 2) FROM h), 'any', 'SELECT tlv_fit_lda(CALL, 2) FROM docs, h GROUP BY summary', 'summary, 2' ],
    [ q(SELECT tlv_fit_lda(summary, 2, method => 'exact') FROM h), 'any' ],
    [ q(SELECT count(*) FROM h, tlv_topic_correlations(lda)), '22023', 'SELECT count(*) FROM (SELECT CALL FROM docs, ' . on('lda') . ') p(p), tlv_topic_correlations(p)' ],
    [ q(SELECT tlv_statistics(x, m) FROM vectors, (SELECT tlv_ica('SELECT x FROM vectors', 2, noise => true) AS m) f), 'any', q(SELECT tlv_ica('SELECT x FROM vectors', 2, OPTION)) ],
    [ q(SELECT tlv_estimates(m, (SELECT tlv_error_statistics(bag, m) FROM docs)) FROM (SELECT tlv_lda('SELECT bag FROM docs', 2, method => 'anchors', refine => 'none') AS m) f), 'any',
        q(SELECT CALL), q('SELECT bag FROM docs', 2) ],
    [ q(SELECT tlv_fit_tree((SELECT tlv_dense_moments(x, 1) FROM vectors))), 'any', 'SELECT tlv_fit_tree(CALL) FROM vectors' ],
    [ q(SELECT count(*) FROM h, tlv_tree_distances(summary)), 'any',
        'SELECT count(*) FROM (SELECT CALL AS m FROM vectors) q, tlv_tree_distances(m)', 'SELECT count(*) FROM (SELECT CALL AS m FROM vectors) q, tlv_tree_distances(m)' ],
    [ q(SELECT tlv_gmm('SELECT ARRAY[sin(i) / (.02 + abs(cos(i * 7.1))), cos(i * 3.3) / (.02 + abs(sin(i * 5.7)))] FROM generate_series(1, 1500) i', 1)), 'warning',
        q(SELECT tlv_gmm('SELECT x FROM vectors', 1, OPTION)), 'far out' ],
    [ q(SELECT tlv_gmm('SELECT ARRAY[mod(i * .6180339887, 1), mod(i * .7548776662, 1)] FROM generate_series(1, 2000) i', covariance => 'common')), 'warning',
        q(SELECT tlv_gmm('SELECT x FROM vectors', OPTION)), 'describe one shape' ],
    # values that refer to what they were collected in
    [ "SELECT tlv_fit_lda(moments, 2) FROM $referring", '22023', "SELECT CALL FROM $referring", 'space' ],
    [ "SELECT tlv_find_subspace(products, 2) FROM $products", '22023', "SELECT CALL FROM $products", 'space' ],
    [ q(SELECT 0.001 * dense2 FROM h), '22023', 'SELECT CALL FROM ' . on('gmm') . ', (SELECT tlv_statistics(x, gmm) AS statistics, 0.5::float8 AS weight FROM vectors, h GROUP BY gmm) s' ],
    [ q(SELECT tlv_fit_tree(coded, bootstrap => 10) FROM h), '22023', 'SELECT tlv_fit_tree(CALL) FROM vectors' ],
    [ q(SELECT tlv_fit_lca(tlv_category_moments(ARRAY[kind, other]), 2, copies => 2) FROM measures), '22023',
        q(SELECT CALL FROM (VALUES ('SELECT id, kind, other FROM measures', 2)) q(query, k)) ],
    [ q(SELECT tlv_fit_lda(summary, 2, method => 'recover-kl') FROM h), '22023', q(SELECT tlv_fit_lda(CALL, 2, method => 'recover-kl') FROM docs) ],
    [ "SELECT tlv_update(m, s) FROM (SELECT m, tlv_statistics(i, '{1:1}'::tlv_bag, m) AS s FROM generate_series(99, 99) i, $named GROUP BY m) q", '22023',
        "SELECT tlv_update(m, s) FROM (SELECT m, tlv_statistics(CALL, '{1:1}'::tlv_bag, m) AS s FROM (VALUES ('n1')) i(name), $named GROUP BY m) q" ],
    # components of weight 0
    [ "SELECT tlv_coherence(bag, model) FROM docs, $sparse GROUP BY model", '22023', "SELECT tlv_coherence(bag, m) FROM docs, (SELECT CALL AS m FROM $sparse) c GROUP BY m" ],
    [ "SELECT tlv_error_statistics(bag, model) FROM docs, $sparse GROUP BY model", '22023', "SELECT tlv_error_statistics(bag, m) FROM docs, (SELECT CALL AS m FROM $sparse) c GROUP BY m" ],
    # data that deserve another option
    [ q(SELECT tlv_fit_cp(ARRAY[[[0, 1], [1, 0]], [[1, 0], [0, 0]]]::float8[], 2)), 'warning',
        q(SELECT tlv_fit_cp(ARRAY[[[0, 1], [1, 0]], [[1, 0], [0, 0]]]::float8[], 2, OPTION)), 'cancel each other' ],
    [ "SELECT tlv_fit_gom(tlv_category_moments($six), 5, method => 'partition') FROM vectors", '22000', "SELECT tlv_fit_gom(tlv_category_moments($six), 5, OPTION) FROM vectors" ],
    [ q(SELECT tlv_fit_hmm(tlv_sequence_moments(s), 5) FROM (SELECT array_agg(x ORDER BY t)::float8[] AS s FROM tracks GROUP BY seq) q), 'warning',
        q(SELECT CALL FROM (VALUES ('SELECT seq, t, x FROM tracks')) q(query)), 'the dimensions and 1' ],
    [ q(SELECT tlv_hmm('SELECT i % 3, i, hashint4(i) % 40 FROM generate_series(1, 900) i', 6)), 'warning',
        q(SELECT tlv_hmm('SELECT i % 3, i, hashint4(i) % 40 FROM generate_series(1, 900) i', 6, OPTION)), 'Baum-Welch' ],
    [ qq(SELECT tlv_lda('SELECT bag FROM docs', 2, method => 'anchors', anchors => $three)), '22023', qq(SELECT tlv_lda('SELECT bag FROM docs', OPTION, method => 'anchors', anchors => $three)) ],
    [ q(SELECT tlv_lda('SELECT bag FROM docs', 12, method => 'anchors')), 'warning', q(SELECT tlv_lda('SELECT bag FROM docs', 12, OPTION)), 'words of their own' ],
    [ q(SELECT tlv_dictionary('SELECT array[a, a, 2 * a, b] FROM measures', 4, 2, method => 'ica')), 'any', q(SELECT tlv_dictionary('SELECT array[a, a, 2 * a, b] FROM measures', 4, 2, OPTION)) ],
    [ q(SELECT tlv_dictionary('SELECT x FROM vectors', 9, 1, method => 'graph')), 'warning', q(SELECT tlv_dictionary('SELECT x FROM vectors', 9, 1, OPTION)), 'graph of rows' ],
    [ "SELECT tlv_tree($crossed)", 'warning', "SELECT tlv_tree($crossed, OPTION)", 'factors that act' ],
    [ "SELECT tlv_multiview($moved, 2, 'em')", 'warning', "SELECT tlv_multiview($moved, 2, OPTION)", 'refinement moved' ],
    [ "SELECT tlv_ica($noisy, 2)", 'warning', "SELECT tlv_ica($noisy, 2, OPTION)", 'allows differ' ],
    [ "SELECT tlv_ica($noisier)", 'warning', "SELECT tlv_ica($noisier, OPTION)", 'allows differ' ],
    # rows of which none stands out, and anchors that never occur together
    [ "SELECT count(*) FROM tlv_separable_nmf($circle, 2, method => 'almost', eps => 0.01)", '22000', "SELECT count(*) FROM tlv_separable_nmf($circle, 2, eps => 0.01, OPTION)" ],
    [ "SELECT count(*) FROM tlv_separable_nmf($circle, 2, method => 'loner', eps => 0.0001)", '22000', "SELECT count(*) FROM tlv_separable_nmf($circle, 2, eps => 0.0001, OPTION)" ],
    [ "SELECT tlv_fit_lda(moments, anchors => $alone, method => 'recover') FROM $apart", '22000', "SELECT tlv_fit_lda(moments, anchors => $alone, OPTION) FROM $apart" ],
    [ "SELECT tlv_fit_network(tlv_cofire(active, other), model => model) FROM $networks GROUP BY model", '22023',
        "SELECT tlv_fit_network(CALL, model => model) FROM $networks GROUP BY model", 'active' ],
    [ q(SELECT tlv_nmi(id % 2, number) FILTER (WHERE tlv_gather('tlv_nmi', id % 2, number)) FROM measures), '22023',
        'SELECT tlv_nmi(id % 2, number) FILTER (WHERE CALL) FROM measures', 'id % 2, number' ],
    # the server refuses the function itself without a window
    [ 'SELECT features(1, 2, 3, 4)', '42809', 'SELECT count(*) FROM (SELECT CALL OVER () FROM (SELECT a AS x, b AS y, number::bigint AS mark, 2::float8 AS radius FROM measures) p) q' ],
);

# What the hints of the sources are, by a pattern: adjacent literals are one, a conversion is anything.
my %sources;
find(sub {
    return if !/\.c$/;
    open my $file, '<', $_ or die "$_: $!";
    my $code = do { local $/; <$file> };
    close $file;
    $code =~ s{/\*.*?\*/}{}gs;
    $code =~ s/("(?:[^"\\\n]|\\.)*")|'(?:\\.|[^'\\\n])'/$1 \/\/ ' '/ge;
    my $name = $File::Find::name;
    while ($code =~ /((?:"(?:[^"\\\n]|\\.)*"\s*(?:[A-Z0-9_]+_FORMAT\s*)?)+)/g) {
        my $text = join '', $1 =~ /"((?:[^"\\\n]|\\.)*)"/g;
        next if $text !~ /\btlv_\w+\([^)]|=> / || $text !~ /[ .]/ || $text =~ /^SELECT|pg_catalog|\\n|tlv_warnings\(model\)|uncertain => true/;
        my $pattern = join '.*', map { quotemeta } split /%(?:[-+ .0-9]*(?:[lz]*[a-z])|[A-Z])/, $text =~ s/\\"/"/gr, -1;
        $sources{$text} = [ $name =~ s{.*/src/}{}r, $pattern ];
    }
}, "$FindBin::Bin/../../src");

sub calls { my ($hint) = @_; my @calls; push @calls, $1 while $hint =~ /\b((?:tlv_\w+|to_tsvector|(?:extract|coalesce|greatest)(?=\(\w))(\((?:[^()']|'(?:[^']|'')*'|(?2))*\)))/g; return @calls }

my %raised;
for my $entry (@tried) {
    my ($statement, $condition, @then) = @$entry;
    my $message = $condition eq 'warning' ? pop @then : undef;
    my ($rest) = @then && $then[-1] !~ /^SELECT/ ? pop @then : undef;
    my $errors = run_sql($db, "\\set VERBOSITY verbose\n$statement;")->{errors};
    my @blocks = split /^(?=psql:[^\n]*(?:ERROR|WARNING):|(?:ERROR|WARNING):)/m, $errors;
    my ($block) = grep { defined $message ? /WARNING:.*\Q$message\E/ : /ERROR:/ } @blocks;
    $block //= '';
    my ($hint) = $block =~ /^HINT:\s+(.*)$/m;
    ok(defined $hint && ($condition eq 'warning' || $condition eq 'any' || $block =~ /ERROR:\s+$condition/), "hint: $statement") or diag $errors;
    next if !defined $hint;
    $raised{$_} = 1 for grep { $hint =~ /$sources{$_}[1]/ } keys %sources;
    my @calls = calls($hint);
    my ($option) = $hint =~ /(\w+ => (?:'[^']*'|[\w.]+\b))/;
    @calls = ($option) if !@calls && defined $option;
    for my $i (0 .. $#calls) {
        my $call = $calls[$i];
        my $sql = $then[$i];
        ok(defined $sql, "$call of the hint is tried") or next;
        $call =~ s/\.\.\./$rest/g if defined $rest;
        $call =~ s/'/''/g if $sql =~ /'[^']*\bCALL\b/ && $call =~ /^(?:coalesce|extract|greatest)/;
        $sql =~ s/\b(?:CALL|OPTION)\b/$call/g;
        my $error = run_sql($db, $sql)->{errors};
        unlike($error, qr/ERROR/, "follow: $sql");
    }
}
# A graph of more nodes than any model holds needs gigabytes: what its hint says is run on a small one.
my ($part) = grep { /^Fit a part of the nodes/ } keys %sources;
ok(defined $part, 'there is a hint for graphs of too many nodes');
my ($rows) = sprintf($part, 2, 2) =~ /(SELECT .*?)\. /;
unlike(run_sql($db, "SELECT $_ FROM (SELECT tlv_mmsb('$rows', 2) AS model OFFSET 0) m, nodes LIMIT 1")->{errors}, qr/ERROR/, "follow: $_ of $rows") for calls($part);
$raised{$part} = 1;
for my $text (sort keys %sources) {
    next if $raised{$text};
    fail("no statement here raises the hint of $sources{$text}[0]: $text");
}
done_testing();
