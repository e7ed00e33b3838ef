# Mixtures, hidden Markov models, independent components, views: accuracy where the truth is known;
# moments of parts and of parallel workers; every phase of a fit ends soon after a cancel; changed
# images; the memory limit.  Nothing is timed but cancels.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use MIME::Base64 qw(encode_base64);
use lib dirname(__FILE__) . '/lib';
use TlvImages;
use TlvCancels;
use TlvPhases;
use TlvTest;

my $db = new_database('tlv_mixtures');
my $log = server_log_size();
query($db, <<"SQL");
ALTER DATABASE $db SET client_min_messages = error;
ALTER DATABASE $db SET max_parallel_workers_per_gather = 0;
SQL

# ---- accuracy: bounds a little above what is reached at three seeds, of which one is tried (the unit tests of each room draw more) ----

# every value of a row at most its bound; bounds below 0: at least their modulus
sub bounded {
    my ($name, $row, @bounds) = @_;
    my @values = split /\|/, $row;
    is(scalar @values, scalar @bounds, "$name: complete") or return;
    for my $i (0 .. $#bounds) {
        my ($what, $bound) = @{ $bounds[$i] };
        $bound < 0 ? cmp_ok($values[$i], '>=', -$bound, "$name: $what") : cmp_ok($values[$i], '<=', $bound, "$name: $what");
    }
    diag("$name: $row") if $ENV{TAP_VERBOSE};
    return;
}

# Gaussian mixtures: covariance, dimensions, components, rows; largest error of means from moments (which are those of spherical
# components) and after refinement, of weights; assignments (adjusted Rand) are as good as by the true model
my @gmm = (
    [ 'common',    10, 5,  10000, .2,  .11, .016 ],
    [ 'spherical', 10, 5,  10000, .25, .15, .016 ],
    [ 'diagonal',  10, 5,  10000, 1.2, .13, .017 ],
    [ 'full',      10, 5,  10000, 1.2, .14, .016 ],
    [ 'common',    20, 10, 20000, .28, .16, .008 ],
);
for my $case (@gmm) {
    my ($covariance, $d, $k, $n, $moments, $refined, $weights) = @$case;
    for my $seed (1) {
        my $out = query($db, <<"SQL");
CREATE TEMP TABLE truth AS SELECT tlv_simulate_gmm_model($d, $k, 6, '$covariance', seed => $seed) AS m;
CREATE TEMP TABLE points AS SELECT s.* FROM truth, tlv_simulate_gmm(m, $n, seed => $seed) s;
CREATE TEMP TABLE fitted AS SELECT tlv_fit_gmm(tlv_dense_moments(x, 3), $k, '$covariance') AS moments, tlv_gmm('SELECT x FROM points', $k, '$covariance') AS m FROM points;
SELECT (SELECT max(distance) FROM truth, fitted, tlv_match(truth.m, fitted.moments)), max(distance), max(abs(a.weight - b.weight)),
    (SELECT tlv_ari(component, tlv_assign(truth.m, x)) - tlv_ari(component, tlv_assign(fitted.m, x)) FROM points, truth, fitted)
FROM truth, fitted, tlv_match(truth.m, fitted.m) x, tlv_components(truth.m) a, tlv_components(fitted.m) b WHERE a.component = x.component_a AND b.component = x.component_b;
SQL
        bounded("mixture, $covariance, k = $k, seed $seed", $out, [ 'means from moments', $moments ], [ 'means', $refined ], [ 'weights', $weights ], [ 'assignments', .005 ]);
    }
}
# covariances themselves
bounded('covariances', query($db, <<'SQL'), [ 'diagonal', .12 ], [ 'full', .12 ]);
CREATE TEMP TABLE pairs AS SELECT c, tlv_simulate_gmm_model(4, 3, 6, c, seed => 5) AS a FROM unnest('{diagonal,full}'::text[]) c;
CREATE TEMP TABLE rows_of AS SELECT c, s.x FROM pairs, tlv_simulate_gmm(a, 20000, seed => 6) s;
SELECT max(abs(p.covariance - q.covariance)) FILTER (WHERE c = 'diagonal'), max(abs(p.covariance - q.covariance)) FILTER (WHERE c = 'full')
  FROM (SELECT c, a, tlv_gmm(format('SELECT x FROM rows_of WHERE c = %L', c), 3, c) AS b FROM pairs OFFSET 0) f, tlv_match(a, b) m, tlv_covariances(a) p,
      tlv_covariances(b) q WHERE p.component = m.component_a AND q.component = m.component_b AND p.dimension_a = q.dimension_a AND p.dimension_b = q.dimension_b;
SQL
# how many there are
for my $k (1, 3, 6) {
    is(query($db, "SELECT count(*) FROM tlv_components((SELECT tlv_gmm('SELECT x
        FROM tlv_simulate_gmm(tlv_simulate_gmm_model(6, $k, 6, seed => $k), 4000)', covariance => 'common')))"), $k, "$k components: found");
}

# hidden Markov models: states are assigned to the nearest true one
query($db, <<'SQL');
CREATE FUNCTION profile(m tlv_model, vectors boolean) RETURNS TABLE (state int, v float8[]) LANGUAGE plpgsql AS $$
BEGIN
  IF vectors THEN RETURN QUERY SELECT s.component, array_agg(s.mean ORDER BY s.dimension) FROM tlv_means(m) s GROUP BY 1;
  ELSE RETURN QUERY SELECT e.state, array_agg(e.probability ORDER BY symbol) FROM tlv_emissions(m) e GROUP BY 1; END IF;
END $$;
-- mean L1 of emissions or L2 of means, mean L1 of rows of transitions, states found
CREATE FUNCTION chain_errors(truth tlv_model, m tlv_model, vectors boolean, OUT emissions float8, OUT transitions float8, OUT states bigint) LANGUAGE sql AS $$
  WITH near AS MATERIALIZED (SELECT DISTINCT ON (a.state) a.state AS a, b.state AS b,
      CASE WHEN vectors THEN (SELECT sqrt(sum((u - w) ^ 2)) FROM unnest(a.v, b.v) e(u, w)) ELSE (SELECT sum(abs(u - w)) FROM unnest(a.v, b.v) e(u, w)) END AS distance
    FROM profile(truth, vectors) a, profile(m, vectors) b ORDER BY 1, 3)
  SELECT (SELECT avg(distance) FROM near), (SELECT sum(abs(s.probability - t.probability)) / (SELECT count(*) FROM near) FROM tlv_transitions(truth) s, tlv_transitions(m) t, near f, near g
      WHERE f.a = s.from_state AND g.a = s.to_state AND t.from_state = f.b AND t.to_state = g.b), (SELECT count(DISTINCT b) FROM near) $$;
SQL
# model; most error of emissions (L1) or means (L2), and of transitions, by every fit
my @hmm = (
    [ 'symbols', 'symbols => 20, k => 4',   0, [ "refine => 'none'", .25, .3 ], [ "refine => 'windows'", .11, .11 ], [ "refine => 'em'", .06, .035 ] ],
    [ 'vectors', 'dimensions => 6, k => 4', 1, [ "refine => 'none'", .17, .15 ], [ "refine => 'em'", .06, .05 ] ],
);
for my $case (@hmm) {
    my ($name, $model, $vectors, @fits) = @$case;
    my $value = $vectors ? 'x' : 'symbol';
    for my $seed (1) {
        my $sql = join '', map { "SELECT emissions, transitions, 4 - states FROM truth, chain_errors(m, tlv_hmm('SELECT s FROM sequences', 4, $_->[0]), $vectors = 1);\n" } @fits;
        my @out = split /\n/, query($db, <<"SQL");
CREATE TEMP TABLE truth AS SELECT tlv_simulate_hmm_model($model, seed => $seed) AS m;
CREATE TEMP TABLE sequences AS SELECT array_agg($value ORDER BY t) AS s FROM truth, tlv_simulate_hmm(m, 200, 100, seed => $seed) s GROUP BY seq;
$sql
SQL
        bounded("$name, $fits[$_][0], seed $seed", $out[$_] // '', [ 'emissions', $fits[$_][1] ], [ 'transitions', $fits[$_][2] ], [ 'states lost', 0 ]) for 0 .. $#fits;
    }
}

# independent components: the most Amari index of every fit
my @ica = (
    [ '6',             [ ", refine => 'none'", .01 ], [ '', .006 ] ],
    [ '6, noise => 1', [ ', noise => true', .055 ] ],
    [ '8, 4',          [ '', .007 ] ],
);
for my $case (@ica) {
    my ($model, @fits) = @$case;
    for my $seed (1) {
        my $sql = join '', map { "SELECT tlv_amari(tlv_ica('SELECT x FROM signals'$_->[0]), m) FROM truth;\n" } @fits;
        my @out = split /\n/, query($db, <<"SQL");
CREATE TEMP TABLE truth AS SELECT tlv_simulate_ica_model($model, seed => $seed) AS m;
CREATE TEMP TABLE signals AS SELECT s.x FROM truth, tlv_simulate_ica(m, 30000, seed => $seed) s;
$sql
SQL
        bounded("components, $model$fits[$_][0], seed $seed", $out[$_] // '', [ 'Amari index', $fits[$_][1] ]) for 0 .. $#fits;
    }
}
# with noise, the fit that does not know of it is far off
cmp_ok(query($db, "SELECT tlv_amari(tlv_ica('SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(6, noise => 1, seed => 3), 30000, seed => 3)'),
    tlv_simulate_ica_model(6, noise => 1, seed => 3))"), '>', .06, 'noise matters');

# three views, of vectors and of categories; assignments are as good as by the true model
for my $seed (1) {
    my $out = query($db, <<"SQL");
CREATE TEMP TABLE truth AS SELECT tlv_simulate_multiview_model(dimensions => '{5,6,7}', k => 4, seed => $seed) AS m,
    tlv_simulate_multiview_model(categories => '{6,7,8}', k => 3, seed => $seed) AS latent;
CREATE TEMP TABLE points AS SELECT s.* FROM truth, tlv_simulate_multiview(m, 10000, seed => $seed) s;
CREATE TEMP TABLE answers AS SELECT s.component, category1 AS a, category2 AS b, category3 AS c FROM truth, tlv_simulate_multiview(latent, 20000, seed => $seed) s;
CREATE TEMP TABLE fitted AS SELECT tlv_multiview('SELECT x1, x2, x3 FROM points', 4) AS moments,
    tlv_multiview('SELECT x1, x2, x3 FROM points', 4, refine => 'em') AS m, tlv_multiview('SELECT a, b, c FROM answers', 3) AS latent;
SELECT (SELECT max(distance) FROM tlv_match(t.m, f.moments)), (SELECT max(distance) FROM tlv_match(t.m, f.m)),
    (SELECT tlv_ari(component, tlv_assign(t.m, ROW(x1, x2, x3))) - tlv_ari(component, tlv_assign(f.m, ROW(x1, x2, x3))) FROM points),
  (SELECT max(distance) FROM tlv_match(t.latent, f.latent)), (SELECT tlv_ari(component, tlv_assign(t.latent, ROW(a, b, c))) - tlv_ari(component,
      tlv_assign(f.latent, ROW(a, b, c))) FROM answers) FROM truth t, fitted f;
SQL
    bounded("views, seed $seed", $out, [ 'means from moments', .34 ], [ 'means', .16 ], [ 'assignments', .005 ], [ 'probabilities', .05 ], [ 'classes', .005 ]);
}

# ---- moments of parts are those of the whole, and so are those of parallel workers, up to rounding ----

query($db, <<'SQL');
CREATE TABLE points AS SELECT id, x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(6, 3, 6), 20000);
CREATE TABLE signals AS SELECT id, x FROM tlv_simulate_ica(20000, 5);
CREATE TABLE sequences AS SELECT seq, array_agg(symbol ORDER BY t) AS s, array_agg(x ORDER BY t) AS v
  FROM (SELECT a.seq, a.t, a.symbol, b.x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(symbols => 10, k => 3), 500, 40) a
      JOIN tlv_simulate_hmm(tlv_simulate_hmm_model(dimensions => 3, k => 3), 500, 40) b USING (seq, t)) q GROUP BY seq;
CREATE TABLE models AS SELECT (SELECT tlv_fit_gmm(tlv_dense_moments(x, 3), 3) FROM points) AS gmm, (SELECT tlv_fit_ica(tlv_dense_moments(x, 4)) FROM signals) AS ica,
  (SELECT tlv_fit_hmm(tlv_sequence_moments(s), 3) FROM sequences) AS symbols, (SELECT tlv_fit_hmm(tlv_sequence_moments(v), 3) FROM sequences) AS vectors,
  (SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 3) FROM points) AS s,
  (SELECT tlv_fit_multiview(tlv_view_moments(x[1:2], x[3:4], x[5:6]), 2) FROM points) AS views, (SELECT tlv_fit_multiview(tlv_view_moments(s[1], s[2], s[3]), 2) FROM sequences) AS latent;
ANALYZE points, signals, sequences;
-- the largest difference of the parameters of two models of a kind
CREATE FUNCTION far(a tlv_model, b tlv_model) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE tlv_info(a) ->> 'kind'
    WHEN 'ica' THEN tlv_amari(a, b)
    WHEN 'hmm' THEN (SELECT max(abs(x.probability - y.probability)) FROM tlv_transitions(a) x JOIN tlv_transitions(b) y USING (from_state, to_state))
    WHEN 'gaussian_mixture' THEN (SELECT max(abs(x.variance - y.variance) + abs(x.mean - y.mean)) FROM tlv_means(a) x JOIN tlv_means(b) y USING (component, dimension))
      + (SELECT max(abs(x.weight - y.weight)) FROM tlv_components(a) x JOIN tlv_components(b) y USING (component))
    ELSE (SELECT max(abs(x.weight - y.weight)) FROM tlv_components(a) x JOIN tlv_components(b) y USING (component))
      + CASE WHEN tlv_info(a)->'arrays' ? 'items1' THEN (SELECT max(abs(x.probability - y.probability)) FROM tlv_categories(a) x JOIN tlv_categories(b) y USING (component, variable, category))
        ELSE (SELECT max(abs(x.mean - y.mean)) FROM tlv_means(a) x JOIN tlv_means(b) y USING (view, component, dimension)) END END;
END $$;
SQL
# name, aggregate, table, group, what is made of it
my @aggregates = (
    [ 'dense moments, order 3',  'tlv_dense_moments(x, 3)',                               'points',    'id % 7',     'tlv_fit_gmm(%s, 3)' ],
    [ 'dense moments, order 4',  'tlv_dense_moments(x, 4)',                               'signals',   'id % 7',     'tlv_fit_ica(%s)' ],
    [ 'statistics of a mixture', 'tlv_statistics(x, (SELECT gmm FROM models))',           'points',    'id % 7',     'tlv_update((SELECT gmm FROM models), %s)' ],
    [ 'statistics of components', "tlv_statistics(x, (SELECT ica FROM models), 'tanh')",  'signals',   'id % 7',     'tlv_update((SELECT ica FROM models), %s)' ],
    [ 'windows of symbols',      'tlv_sequence_moments(s)',                               'sequences', 'seq % 7',       'tlv_fit_hmm(%s, 3)' ],
    [ 'windows of vectors',      'tlv_sequence_moments(v)',                               'sequences', 'seq % 7',       'tlv_fit_hmm(%s, 3)' ],
    [ 'Baum-Welch, symbols',     'tlv_statistics(s, (SELECT symbols FROM models))', 'sequences', 'seq % 7',    'tlv_update((SELECT symbols FROM models), %s)' ],
    [ 'Baum-Welch, vectors',     'tlv_statistics(v, (SELECT vectors FROM models))', 'sequences', 'seq % 7',    'tlv_update((SELECT vectors FROM models), %s)' ],
    [ 'views',                   'tlv_view_moments(x[1:2], x[3:4], x[5:6])',              'points',    'id % 7',     'tlv_fit_multiview(%s, 2)' ],
    [ 'categorical views',       'tlv_view_moments(s[1], s[2], s[3])',                    'sequences', 'seq % 7',       'tlv_fit_multiview(%s, 2)' ],
    [ 'statistics of views',     'tlv_statistics(x[1:2], x[3:4], x[5:6], (SELECT views FROM models))', 'points', 'id % 7', 'tlv_update((SELECT views FROM models), %s)' ],
    [ 'statistics of classes',   'tlv_statistics(s[1], s[2], s[3], (SELECT latent FROM models))', 'sequences', 'seq % 7', 'tlv_update((SELECT latent FROM models), %s)' ],
);
my $parallel = <<'SQL';
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET parallel_leader_participation = off;
SET min_parallel_table_scan_size = 0;
SQL
for my $case (@aggregates) {
    my ($name, $aggregate, $table, $group, $fit) = @$case;
    my $parts = sprintf $fit, "(SELECT tlv_rollup(m) FROM (SELECT $aggregate AS m FROM $table GROUP BY $group ORDER BY $group) q)";
    my $whole = sprintf $fit, "(SELECT $aggregate FROM $table)";
    my $out = query($db, "CREATE TEMP TABLE serial AS SELECT $whole AS m;\nSELECT far(m, $parts)
        FROM serial;\n$parallel EXPLAIN (ANALYZE, COSTS off, TIMING off) CREATE TEMP TABLE other AS SELECT $whole AS m;\nSELECT 'far',
        far(serial.m, other.m) FROM serial, other;\n");
    my ($rounding, $plan, $other) = $out =~ /\A(\S+)\n(.*)^far\|(\S+)/ms;
    cmp_ok($rounding // 1, '<', 1e-7, "$name: parts make the whole");
    like($plan // '', qr/Workers Launched: [12].*Partial Aggregate/s, "$name: by workers");
    cmp_ok($other // 1, '<', 1e-7, "$name: workers find the same");
    diag("$name: parts $rounding, workers $other") if $ENV{TAP_VERBOSE};
}

# ---- cancels, in every phase ----

query($db, "ALTER DATABASE $db SET tensorlv.work_mem = '2GB'");
my ($setup, @phases) = phases('mixtures');
query($db, $setup);
my $limit = 2.5;
is(query($db, 'SELECT count(*) FROM tlv_components((SELECT gmm FROM held))'), '100', 'what is interrupted below works');
for my $phase (@phases) {
    my ($name, $sql) = @$phase;
    my $result = run_sql($db, "SET statement_timeout = '100ms';\n$sql;\nSET statement_timeout = 0;\nSELECT 'alive', count(*) FROM tlv_states((SELECT hmm FROM held));\n", go_on => 1);
    like($result->{errors}, qr/ERROR:  57014: canceling statement due to statement timeout/, "$name: cancelled");
    cmp_ok($result->{seconds}, '<', $limit, "$name: soon");
    is($result->{out}, 'alive|50', "$name: the session goes on");
    diag(sprintf '%s: %.2f s', $name, $result->{seconds}) if $ENV{TAP_VERBOSE};
}
cancels_ok('mixtures', $db, \@phases, 60);

# ---- the memory limit: of fits, not of states of aggregates ----

my @large = (
    [ 'fit of a mixture'   => 'SELECT tlv_fit_gmm(third, 50) FROM held' ],
    [ 'tlv_gmm'            => q{SELECT tlv_gmm('SELECT x FROM wide', 40)} ],
    [ 'fit to windows'     => 'SELECT tlv_fit_hmm(windows, 40) FROM held' ],
    [ 'tlv_hmm'            => q{SELECT tlv_hmm('SELECT s FROM long', 20)} ],
    [ 'fit to views'       => 'SELECT tlv_fit_multiview(views, 20) FROM held' ],
    [ 'tlv_multiview'      => q{SELECT tlv_multiview('SELECT x[1:30], x[31:60], x[61:100] FROM wide', 20)} ],
    [ 'fit of components'  => 'SELECT tlv_fit_ica(fourth) FROM held' ],
    [ 'tlv_ica'            => q{SELECT tlv_ica('SELECT x FROM broad')} ],
);
for my $case (@large) {
    my ($name, $sql) = @$case;
    my $result = run_sql($db, "SET tensorlv.work_mem = '64kB';\n$sql;\nRESET tensorlv.work_mem;\nSELECT 'alive', count(*) FROM tlv_states((SELECT hmm FROM held));\n", go_on => 1);
    like($result->{errors}, qr/ERROR:  5[34]\w{3}: .*(?:memory|MB|kB)/, "$name: over the limit");
    is($result->{out}, 'alive|50', "$name: over the limit, and the session goes on");
}

# ---- changed images ----

query($db, <<'SQL');
CREATE TABLE images AS
  SELECT 'moments' AS form, m::text AS text, tlv_moments_send(m) AS image, name FROM (
    SELECT 'dense, order 3' AS name, tlv_dense_moments(x[1:3], 3) AS m FROM points UNION ALL SELECT 'dense, order 4', tlv_dense_moments(x[1:3], 4) FROM signals UNION ALL
    SELECT 'compressed', tlv_dense_moments(x, (SELECT s FROM models)) FROM points UNION ALL SELECT 'statistics of a mixture', tlv_statistics(x, (SELECT gmm FROM models)) FROM points UNION ALL
    SELECT 'statistics of components', tlv_statistics(x, (SELECT ica FROM models), 'tanh') FROM signals UNION ALL SELECT 'windows of symbols',
        tlv_sequence_moments(s) FROM (SELECT s FROM sequences LIMIT 2) q UNION ALL
    SELECT 'windows of vectors', tlv_sequence_moments(v) FROM sequences UNION ALL SELECT 'Baum-Welch, symbols', tlv_statistics(s, (SELECT symbols FROM models)) FROM sequences UNION ALL
    SELECT 'Baum-Welch, vectors', tlv_statistics(v, (SELECT vectors FROM models)) FROM sequences UNION ALL SELECT 'views', tlv_view_moments(x[1:2], x[3:3], x[4:6]) FROM points UNION ALL
    SELECT 'categorical views', tlv_view_moments(s[1] % 3, s[2] % 3, s[3] % 3) FROM sequences UNION ALL
    SELECT 'statistics of views', tlv_statistics(x[1:2], x[3:4], x[5:6], (SELECT views FROM models)) FROM points
        UNION ALL SELECT 'statistics of classes', tlv_statistics(s[1], s[2], s[3], (SELECT latent FROM models)) FROM sequences) q
  UNION ALL
  SELECT 'model', m::text, tlv_model_send(m), name FROM models, LATERAL (VALUES ('mixture', gmm), ('full mixture', tlv_gmm('SELECT x[1:3] FROM points', 2, 'full')), ('components', ica),
    ('components with noise', tlv_ica('SELECT x FROM signals', 4, noise => true)), ('simulated components', tlv_simulate_ica_model(3, noise => 1)),
        ('chain of symbols', symbols), ('chain of vectors', vectors),
    ('views', views), ('latent classes', latent)) v(name, m);
-- a statement of the kind's own, which may refuse the value
CREATE FUNCTION try(sql text, moments tlv_moments, model tlv_model) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  state text;
BEGIN
  EXECUTE sql USING moments, model;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
  RETURN state;
END $$;
-- an answer is a number, whatever the model holds: an error of a class that the test refuses, else
CREATE FUNCTION finite(answer float8[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM unnest(answer) v WHERE v IN ('NaN', 'Infinity', '-Infinity')) THEN
    RAISE SQLSTATE 'XX999';
  END IF;
END $$;
-- Reads texts of images; what is accepted is used in every way.
CREATE FUNCTION read_texts(of_form text, texts text[], OUT refused bigint, OUT accepted bigint, OUT states text) LANGUAGE plpgsql AS $$
DECLARE
  moments tlv_moments; model tlv_model; state text; seen text[] := '{}'; given text; uses text[]; use text;
BEGIN
  refused := 0; accepted := 0;
  uses := CASE WHEN of_form = 'moments' THEN ARRAY['SELECT tlv_info($1)', 'SELECT $1 + $1', 'SELECT tlv_fit_gmm($1, 2)',
      'SELECT tlv_fit_ica($1, keep_gaussian => true)', 'SELECT tlv_fit_ica($1, noise => true)', 'SELECT tlv_fit_hmm($1, 2, iterations => 3)',
      'SELECT tlv_fit_multiview($1, 2, 3)', 'SELECT tlv_central_moment($1, 3)', 'SELECT tlv_find_subspace($1, 2)', 'SELECT tlv_update(gmm, $1)
          FROM models', 'SELECT tlv_update(ica, $1) FROM models', 'SELECT tlv_update(symbols, $1) FROM models', 'SELECT tlv_update(vectors, $1)
          FROM models', 'SELECT tlv_update(views, $1) FROM models', 'SELECT tlv_update(latent, $1) FROM models']
    ELSE ARRAY['SELECT tlv_info($2)', 'SELECT count(*) FROM tlv_diagnostics($2)', 'SELECT count(*) FROM tlv_components($2)',
        'SELECT finite(tlv_infer($2, v)), tlv_assign($2, v), tlv_log_likelihood($2, v) FROM (SELECT ARRAY[1, 2, 3, 4, 5, 6]::float8[] AS v) q',
      'SELECT finite(tlv_infer($2, v)), tlv_assign($2, v), tlv_log_likelihood($2, v) FROM (SELECT ARRAY[1, 2, 3]::float8[] AS v) q',
          'SELECT finite(tlv_unmix($2, ARRAY[1, 2, 3, 4, 5]))', 'SELECT finite(tlv_unmix($2, ARRAY[1, 2, 3]))',
          'SELECT tlv_viterbi($2, ARRAY[1, 999, 2]), finite(tlv_infer($2, ARRAY[3, 1])), tlv_log_likelihood($2, ARRAY[1, 5, 2])',
      'SELECT tlv_viterbi($2, ARRAY[[1, 5, 2], [3, 1, 1]]::float8[]), finite(tlv_infer($2, ARRAY[[1, 5, 2]]::float8[]))', 'SELECT count(*)
          FROM tlv_states($2)', 'SELECT count(*) FROM tlv_transitions($2)', 'SELECT count(*) FROM tlv_emissions($2)', 'SELECT count(*)
          FROM tlv_means($2)', 'SELECT count(*) FROM tlv_covariances($2)',
      'SELECT count(*) FROM tlv_mixing($2)', 'SELECT count(*) FROM tlv_mixing($2, inverse => true)',
          'SELECT count(*) FROM tlv_categories($2)', 'SELECT count(*) FROM tlv_simulate_gmm($2, 3)', 'SELECT count(*)
          FROM tlv_simulate_hmm($2, 2, 3)',
      'SELECT count(*) FROM tlv_simulate_ica($2, 3)', 'SELECT count(*) FROM tlv_simulate_multiview($2, 3)',
          'SELECT tlv_update($2, tlv_statistics(x[1:2], x[3:4], x[5:6], $2)) FROM few', 'SELECT tlv_update($2, tlv_statistics(s[1], s[2], s[3], $2))
          FROM few',
      'SELECT finite(tlv_infer($2, ROW(x[1:2], x[3:4], x[5:6]))), tlv_assign($2, ROW(x[1:2], NULL, x[5:6])), tlv_log_likelihood($2, ROW(x[1:2], x[3:4], x[5:6]))
          FROM few', 'SELECT finite(tlv_infer($2, ROW(s[1], s[2], 99))), tlv_assign($2, ROW(s[1], NULL, 3)), tlv_log_likelihood($2, ROW(s[1], s[2], s[3]))
          FROM few', 'SELECT tlv_statistics(x, $2) FROM few', 'SELECT tlv_statistics(x[1:5], $2, ''tanh'') FROM few',
          'SELECT tlv_statistics(x[1:3], $2) FROM few', 'SELECT tlv_amari($2, $2)', 'SELECT count(*) FROM tlv_match($2, $2)',
          'SELECT tlv_update($2, tlv_statistics(x, $2)) FROM few',
      'SELECT tlv_update($2, tlv_statistics(s, $2)) FROM few', 'SELECT tlv_update($2, tlv_statistics(v, $2)) FROM few'] END;
  FOREACH given IN ARRAY texts LOOP
    BEGIN
      IF of_form = 'moments' THEN moments := given::tlv_moments; ELSE model := given::tlv_model; END IF;
      accepted := accepted + 1;
    EXCEPTION WHEN OTHERS THEN
      refused := refused + 1;
      GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
      state := 'reading:' || state;
      IF NOT state = ANY (seen) THEN seen := seen || state; END IF;
      CONTINUE;
    END;
    FOREACH use IN ARRAY uses LOOP
      state := try(use, moments, model);
      IF state IS NOT NULL AND NOT state = ANY (seen) THEN seen := seen || state; END IF;
    END LOOP;
  END LOOP;
  SELECT string_agg(s, ' ' ORDER BY s) INTO states FROM unnest(seen) s;
END $$;
CREATE TABLE few AS SELECT x, s, v FROM points JOIN sequences ON seq = id WHERE seq < 5;
SQL
my $started = query($db, 'SELECT pg_postmaster_start_time()');

srand 42;
my @makes = ([ 'bytes', 600, \&mutate_image ], [ 'numbers', 400, \&craft_image ], [ 'sections', 80, \&smuggle_section ]);
my @images = map { [ split /\|/ ] } split /\n/, query($db, q{SELECT form, name, split_part(text, ':', 1), encode(image, 'hex') FROM images ORDER BY 1, 2});
is(scalar @images, 22, 'images of every kind');
my $image = pack 'H*', $images[0][3];
ok(is_sealed($image), 'the digest as the library makes it');
while (my @two = splice @images, 0, 2) {
    my @sessions;
    for (@two) {
        my ($form, $name, $prefix, $hex) = @$_;
        my $image = pack 'H*', $hex;
        for (@makes) {
            my ($what, $n, $make) = @$_;
            my $texts = join ',', map { "'$prefix:" . encode_base64($make->($image), '') . "'" } 1 .. $n;
            push @sessions, [ "$form, $name, $what", $n, $what eq 'bytes', start_psql($db, "SELECT * FROM read_texts('$form', ARRAY[$texts]);\n") ];
        }
    }
    for (@sessions) {
        my ($name, $n, $bytes, $session) = @$_;
        my $result = finish_psql($session);
        is($result->{status}, 0, "$name: the session lives") or diag($result->{errors});
        my ($refused, $accepted, $states) = $result->{out} =~ /^(\d+)\|(\d+)\|(.*)$/m;
        is(($refused // 0) + ($accepted // 0), $n, "$name: $n changed images read");
        cmp_ok($refused // 0, '>', 0.5 * $n, "$name: most are refused") if $bytes;
        # data exceptions and limits, nothing internal; 42804 where an image is used, since every model is used with rows of every
        # form, never where it is read
        unlike($states // 'none', qr/XX|58|53|reading:42|42(?!804)/, "$name: with errors of the data's classes (" . ($states // '') . ')');
        diag(sprintf '%s: %d accepted, %.1f s, %s', $name, $accepted, $result->{seconds}, $states) if $ENV{TAP_VERBOSE};
    }
}
is(query($db, 'SELECT pg_postmaster_start_time()'), $started, 'the server is the same');

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
drop_database($db);
done_testing();
