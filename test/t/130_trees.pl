# Latent trees: accuracy where the truth is known; moments and statistics of parts and of parallel
# workers; every phase of a fit ends soon after a cancel; the memory limit; changed images.  Nothing
# is timed but cancels.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use MIME::Base64 qw(encode_base64);
use lib dirname(__FILE__) . '/lib';
use TlvCancels;
use TlvPhases;
use TlvTest;
use TlvImages;

my $db = new_database('tlv_trees');
my $log = server_log_size();
query($db, <<"SQL");
ALTER DATABASE $db SET client_min_messages = error;
ALTER DATABASE $db SET max_parallel_workers_per_gather = 0;
SQL

# ---- accuracy: bounds a little above what is reached ----

# Divisions of one tree only, over three seeds, and the most that a row's likelihood falls short of
# the true model's on new rows.
query($db, <<'SQL');
CREATE FUNCTION accuracy(variables int, states int, kind text, n int, contractions int, seed int, options text, OUT different int, OUT gap float8) LANGUAGE plpgsql AS $$
DECLARE
  truth tlv_model := tlv_simulate_tree_model(variables, states, kind, contractions => contractions, seed => seed);
  m tlv_model;
  rows text := CASE kind WHEN 'gaussian' THEN 'x' ELSE 'v' END;
BEGIN
  EXECUTE format('CREATE TEMP TABLE drawn AS SELECT %s AS v FROM tlv_simulate_tree($1, $2, $3)', rows) USING truth, n, seed;
  EXECUTE format('SELECT tlv_tree(%L%s)', 'SELECT v FROM drawn', options) INTO m;
  SELECT r.different INTO different FROM tlv_robinson_foulds(m, truth) r;
  EXECUTE format('SELECT avg(tlv_log_likelihood($1, s.%1$s) - tlv_log_likelihood($2, s.%1$s)) FROM tlv_simulate_tree($1, 3000, $3) s', rows) USING truth, m, seed + 100 INTO gap;
  DROP TABLE drawn;
END $$;
SQL
# variables, states, kind, rows, contractions, options; most divisions, most nats
my @accuracy = (
    [ 20, 3, 'categorical', 10000, 0,  '',                        1,  .018 ],
    [ 20, 3, 'categorical', 10000, 4,  ', states => 3',           1,  .018 ],
    [ 50, 2, 'categorical', 3000,  0,  '',                        22, .062 ],
    [ 50, 2, 'categorical', 10000, 10, ', states => 2',           5,  .125 ],
    [ 50, 2, 'categorical', 10000, 10, q{, structure => 'nj'},    2,  .01 ],
    [ 50, 2, 'categorical', 3000,  10, q{, structure => 'clrg'},  27, .155 ],
    [ 20, 1, 'gaussian',    3000,  0,  '',                        2,  .018 ],
    [ 50, 1, 'gaussian',    3000,  10, '',                        5,  .037 ],
    [ 50, 1, 'gaussian',    3000,  10, q{, structure => 'clrg'},  16, .1 ],
    [ 20, 1, 'gaussian',    3000,  4,  q{, structure => 'nj'},    1,  .018 ],
);
for my $case (@accuracy) {
    my ($p, $k, $kind, $n, $contractions, $options, $divisions, $nats) = @$case;
    my $name = "$kind, p = $p, n = $n, $contractions contractions$options";
    my ($different, $gap) = split /\|/, query($db, "SELECT sum(different), max(gap) FROM generate_series(1, 3) seed, accuracy($p, $k, '$kind', $n, $contractions, seed, \$\$$options\$\$)");
    cmp_ok($different, '<=', $divisions, "$name: structure");
    cmp_ok($gap, '<=', $nats, "$name: likelihood of new rows");
    diag("$name: $different divisions, $gap nats") if $ENV{TAP_VERBOSE};
}

# many rows: nothing wrong, in the long form, too, with one value in ten missing, whatever the names
query($db, <<'SQL');
CREATE TABLE truth AS SELECT tlv_simulate_tree_model(20, 3, contractions => 4, low => 0.7, seed => 3) AS model;
CREATE TABLE points AS SELECT id, v FROM truth, tlv_simulate_tree(model, 10000, seed => 5);
CREATE TABLE holes AS SELECT id, array_agg(CASE WHEN (id * 31 + at * 17) % 10 > 0 THEN value END ORDER BY at) AS v FROM points, unnest(v) WITH ORDINALITY u(value, at) GROUP BY 1;
CREATE TABLE cells AS SELECT id, at, 'n' || md5(at::text) AS name, value FROM holes, unnest(v) WITH ORDINALITY u(value, at) WHERE value IS NOT NULL ORDER BY md5(id::text || at);
CREATE TABLE trees AS SELECT 'wide' AS name, tlv_tree('SELECT v FROM points') AS model UNION ALL SELECT 'holes', tlv_tree('SELECT v FROM holes') UNION ALL
  SELECT 'numbers', tlv_tree('SELECT id, at, value FROM cells') UNION ALL SELECT 'names', tlv_tree('SELECT id, name, value FROM cells');
SQL
is(query($db, q{SELECT string_agg(name || ' ' || r.different, ', ' ORDER BY name) FROM truth t, trees, tlv_robinson_foulds(trees.model, t.model) r
    WHERE name IN ('wide', 'holes')}), 'holes 0, wide 0', 'nothing wrong, with missing values neither');
is(query($db, <<'SQL'), 'names 0, numbers 0', 'nor in the long form');
SELECT string_agg(name || ' ' || r.different, ', ' ORDER BY name) FROM (VALUES ('names', $$'n' || md5(substr(node, 2))$$),
    ('numbers', 'substr(node, 2)')) f(name, form) JOIN trees USING (name), LATERAL tlv_robinson_foulds(model, format(
  $$WITH called AS (SELECT node, CASE WHEN is_hidden THEN 'k' || node ELSE %s END AS name FROM truth, tlv_tree_nodes(model))
    SELECT a.name, b.name FROM truth, tlv_tree_edges(model) e, called a, called b WHERE a.node = e.parent AND b.node = e.child$$, form)) r;
SQL
# models of either form hold the variables in another order, and say the same of a row
cmp_ok(query($db, <<'SQL'), '<', 1e-6, 'long and wide form: the same likelihood');
SELECT max(abs(tlv_log_likelihood(w.model, v) - tlv_log_likelihood(l.model, v))) FROM holes, trees w, trees l WHERE w.name = 'holes' AND l.name = 'numbers' AND id <= 200;
SQL
cmp_ok(query($db, q{SELECT max(gap) FROM (SELECT avg(tlv_log_likelihood(t.model, s.v) - tlv_log_likelihood(m.model, s.v)) AS gap FROM truth t,
    trees m, LATERAL tlv_simulate_tree(t.model, 3000, 99) s WHERE name IN ('wide', 'holes') GROUP BY name) q}), '<', .02, 'likelihood of new rows');
# exact posteriors: against summation over all states of the hidden nodes
cmp_ok(query($db, <<'SQL'), '<', 1e-9, 'belief propagation is exact');
WITH m AS MATERIALIZED (SELECT tlv_simulate_tree_model(4, 3, seed => 8) AS model), parameters AS MATERIALIZED (SELECT p.* FROM m, tlv_tree_parameters(model) p),
  joint AS (SELECT h.h1, h.h2, exp(sum(ln(p.probability))) AS probability
    FROM (SELECT h1, h2, jsonb_build_object('h1', h1, 'h2', h2, 'v1', 2, 'v2', 0, 'v3', 1, 'v4', 2) AS states FROM generate_series(0, 2) h1, generate_series(0, 2) h2) h
      JOIN parameters p ON (states ->> p.child)::int = p.child_state AND (p.parent IS NULL OR (states ->> p.parent)::int = p.parent_state) GROUP BY 1, 2)
SELECT max(abs(p.probability - j.probability / (SELECT sum(probability) FROM joint))) + max(abs(tlv_log_likelihood(model, '{2,0,1,2}'::int[]) - (SELECT ln(sum(probability)) FROM joint)))
FROM m, tlv_tree_posterior(model, '{2,0,1,2}'::int[]) p, LATERAL (SELECT sum(probability) AS probability FROM joint WHERE CASE p.node WHEN 'h1' THEN h1 ELSE h2 END = p.state) j;
SQL
# the support of edges: high with many rows, low where the rows do not decide
is(query($db, <<'SQL'), 't|t', 'support');
SELECT min(support) FILTER (WHERE n = 5000) > 0.8, min(support) FILTER (WHERE n = 80) < 0.5 FROM (VALUES (5000), (80)) s(n), truth,
    LATERAL tlv_tree_edges((SELECT tlv_tree(format('SELECT v FROM points LIMIT %s', n), 3, bootstrap => 50))) WHERE support IS NOT NULL;
SQL

# ---- moments and statistics of parts are those of the whole, and so are those of parallel workers ----

query($db, <<'SQL');
CREATE TABLE numbers AS SELECT id, x FROM tlv_simulate_tree(tlv_simulate_tree_model(10, kind => 'gaussian', seed => 3), 10000);
CREATE TABLE basket AS SELECT s.id, s.v FROM tlv_simulate_tree_model(120, 2, low => 0.8, high => 0.95, seed => 2) t, tlv_simulate_tree(t, 2000, seed => 3) s;
CREATE TABLE models AS SELECT (SELECT tlv_fit_tree(tlv_category_moments(v), 3) FROM points) AS tree,
    (SELECT tlv_fit_tree(tlv_category_moments(v), 2) FROM basket) AS bare, (SELECT tlv_fit_tree(tlv_dense_moments(x, 2)) FROM numbers) AS gaussian;
ANALYZE points, numbers, basket;
-- the largest difference of the parameters of two trees whose nodes are the same
CREATE FUNCTION far(a tlv_model, b tlv_model) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT r.different FROM tlv_robinson_foulds(a, b) r) > 0 THEN RETURN 1; END IF;
  IF (tlv_tree_newick(a) <> '') AND EXISTS (SELECT FROM tlv_diagnostics(a) WHERE measure = 'iterations') THEN
    RETURN (SELECT max(abs(x.coefficient - y.coefficient) + abs(x.noise - y.noise)) FROM tlv_tree_coefficients(a) x JOIN tlv_tree_coefficients(b) y USING (parent, child));
  END IF;
  RETURN (SELECT max(abs(x.probability - y.probability)) FROM tlv_tree_parameters(a) x JOIN tlv_tree_parameters(b) y USING (child, parent_state, child_state));
END $$;
SQL
my @aggregates = (
    [ 'tables of categories', 'tlv_category_moments(v)',                            'points',  'tlv_fit_tree(%s, 3)' ],
    [ 'covariance',           'tlv_dense_moments(x, 2)',                            'numbers', 'tlv_fit_tree(%s)' ],
    [ 'steps',                'tlv_statistics(v, (SELECT tree FROM models))',       'points',  'tlv_update((SELECT tree FROM models), %s)' ],
    [ 'tables of triples',    'tlv_statistics(v, (SELECT bare FROM models))',       'basket',  'tlv_update((SELECT bare FROM models), %s)' ],
);
my $parallel = <<'SQL';
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET parallel_leader_participation = off;
SET min_parallel_table_scan_size = 0;
SQL
for my $case (@aggregates) {
    my ($name, $aggregate, $table, $fit) = @$case;
    my $parts = sprintf $fit, "(SELECT tlv_rollup(m) FROM (SELECT $aggregate AS m FROM $table GROUP BY id % 7 ORDER BY id % 7) q)";
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
# counts are exact: equal tables; the whole of tlv_tree by workers
is(query($db, "$parallel SELECT (SELECT tlv_category_moments(v) FROM holes) = (SELECT tlv_rollup(m)
    FROM (SELECT tlv_category_moments(v) AS m FROM holes GROUP BY id % 5) q)"), 't', 'tables are exact');
cmp_ok(query($db, "$parallel SELECT far(model, tlv_tree('SELECT v FROM points')) FROM trees WHERE name = 'wide'"), '<', 1e-7, 'tlv_tree with workers');

# ---- cancels, in every phase ----

query($db, "ALTER DATABASE $db SET tensorlv.work_mem = '2GB'");
my ($setup, @phases) = phases('trees');
query($db, $setup);
my $limit = 2.5;
is(query($db, 'SELECT count(*) FROM tlv_tree_nodes((SELECT model FROM held)) WHERE NOT is_hidden'), '1000', 'what is interrupted below works');
for my $phase (@phases) {
    my ($name, $sql) = @$phase;
    my $result = run_sql($db, "SET statement_timeout = '100ms';\n$sql;\nSET statement_timeout = 0;\nSELECT 'alive',
        tlv_log_likelihood(model, array_fill(NULL::int, '{1000}')) < 1e-6 FROM held;\n", go_on => 1);
    like($result->{errors}, qr/ERROR:  57014: canceling statement due to statement timeout/, "$name: cancelled");
    cmp_ok($result->{seconds}, '<', $limit, "$name: soon");
    is($result->{out}, 'alive|t', "$name: the session goes on");
    diag(sprintf '%s: %.2f s', $name, $result->{seconds}) if $ENV{TAP_VERBOSE};
}
cancels_ok('trees', $db, \@phases, 60);

# ---- the memory limit: of fits, not of states of aggregates ----

my @large = (
    [ 'distances'         => 'SELECT count(*) FROM held, tlv_tree_distances(wide)' ],
    [ 'fit'               => 'SELECT tlv_fit_tree(wide, 2) FROM held' ],
    [ 'fit, all methods'  => q{SELECT tlv_fit_tree(wide, 2, 'nj') FROM held} ],
    [ 'Gaussian fit'      => 'SELECT tlv_fit_tree(dense) FROM held' ],
    [ 'tlv_tree'          => q{SELECT tlv_tree('SELECT v FROM wide')} ],
    [ 'tlv_tree, numbers' => q{SELECT tlv_tree('SELECT x FROM long')} ],
    [ 'comparison'        => 'SELECT * FROM held, tlv_robinson_foulds(other, other)' ],
    [ 'drawing'           => 'SELECT tlv_svg(other) FROM held' ],
);
for my $case (@large) {
    my ($name, $sql) = @$case;
    my $result = run_sql($db, "SET tensorlv.work_mem = '64kB';\n$sql;\nRESET tensorlv.work_mem;\nSELECT 'alive', count(*)
        FROM tlv_tree_edges((SELECT model FROM held)) WHERE child = 'v1';\n", go_on => 1);
    like($result->{errors}, qr/ERROR:  5[34]\w{3}: .*(?:memory|MB|kB)/, "$name: over the limit");
    is($result->{out}, 'alive|1', "$name: over the limit, and the session goes on");
}

# ---- changed images ----

query($db, <<'SQL');
CREATE TABLE few AS SELECT p.v[1:5] AS v, n.x[1:6] AS x FROM points p JOIN numbers n USING (id) WHERE id <= 200;
CREATE TABLE small AS SELECT (SELECT tlv_fit_tree(tlv_category_moments(v), 2, names => '{a,b,c,d,e}') FROM few) AS tree,
    (SELECT tlv_fit_tree(tlv_category_moments(v), structure => 'chow-liu') FROM few) AS plain,
  (SELECT tlv_fit_tree(tlv_dense_moments(x, 2), bootstrap => 5) FROM few) AS gaussian,
      (SELECT tlv_fit_tree(tlv_dense_moments(x, 2), groups => '{1,2,2,3,3,4}') FROM few) AS vectors, (SELECT bare FROM models) AS bare;
CREATE TABLE images AS
  SELECT 'moments' AS form, m::text AS text, tlv_moments_send(m) AS image, name FROM (
    SELECT 'tables' AS name, tlv_category_moments(v) AS m FROM few UNION ALL SELECT 'replicates', tlv_category_moments(v, 3) FROM few UNION ALL
    SELECT 'steps', tlv_statistics(v, (SELECT tree FROM small)) FROM few UNION ALL SELECT 'triples', tlv_statistics(v, (SELECT bare FROM small)) FROM basket) q
  UNION ALL
  SELECT 'model', m::text, tlv_model_send(m), name FROM small, LATERAL (VALUES ('tree', tree), ('chow-liu', plain), ('gaussian', gaussian), ('vectors', vectors), ('bare', bare)) v(name, m);
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
  uses := CASE WHEN of_form = 'moments' THEN ARRAY['SELECT tlv_info($1)', 'SELECT $1 + $1', 'SELECT count(tlv_fit_tree($1, k, s, 1))
      FROM unnest(''{clnj,clrg,nj,chow-liu}''::text[]) s, unnest(''{null,2,3}''::int[]) k',
      'SELECT tlv_fit_tree($1, regularise => true, observed_inside => true)',
      'SELECT finite(array_agg(distance + error + p_value)) FROM tlv_tree_distances($1, 3)', 'SELECT count(*)
          FROM tlv_tree_distances($1, metric => ''determinant'')', 'SELECT tlv_update(tree, $1)
          FROM small', 'SELECT tlv_update(plain, $1) FROM small', 'SELECT tlv_update(bare, $1) FROM small']
    ELSE ARRAY['SELECT tlv_info($2)', 'SELECT count(*) FROM tlv_diagnostics($2)', 'SELECT count(*) FROM tlv_tree_nodes($2)',
        'SELECT finite(array_agg(length)) FROM tlv_tree_edges($2)', 'SELECT finite(array_agg(probability)) FROM tlv_tree_parameters($2)',
        'SELECT finite(array_agg(coefficient)) FROM tlv_tree_coefficients($2)',
      'SELECT tlv_tree_newick($2), tlv_tree_dot($2), tlv_svg($2)', 'SELECT count(*) FROM tlv_robinson_foulds($2, $2)', 'SELECT count(*)
          FROM tlv_robinson_foulds($2, ''SELECT 1, 2'')', 'SELECT count(*) FROM tlv_simulate_tree($2, 3)',
      'SELECT finite(tlv_infer($2, v)), finite(ARRAY[tlv_log_likelihood($2, v)]) FROM (VALUES (''{0,1,2,0,1}''::int[]), (''{null,null,0,null,1}''), (array_fill(NULL::int, ''{5}''))) r(v)',
      'SELECT finite(ARRAY(SELECT mean FROM tlv_tree_posterior($2, x))), finite(ARRAY[tlv_log_likelihood($2, x)])
          FROM (VALUES (''{0,1,2,0,1,-3}''::float8[]), (''{null,null,0,null,1e10,1}''), (array_fill(NULL::float8, ''{6}''))) r(x)',
      'SELECT finite(array_agg(probability)) FROM tlv_tree_posterior($2, ''{0,null,2,0,1}''::int[])', 'SELECT finite(array_agg(mean + variance))
          FROM tlv_tree_posterior($2, ''{0,null,2,0,1,-3}''::float8[])',
      'SELECT tlv_update($2, tlv_statistics(v, $2)) FROM few', 'SELECT tlv_update($2, tlv_statistics(v, $2)) FROM basket WHERE id <= 20',
          'SELECT tlv_update($2, tlv_statistics(x, $2)) FROM few'] END;
  FOREACH given IN ARRAY texts LOOP
    BEGIN
      IF of_form = 'moments' THEN moments := given::tlv_moments; ELSE model := given::tlv_model; END IF;
      accepted := accepted + 1;
    EXCEPTION WHEN OTHERS THEN
      refused := refused + 1;
      GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
      IF NOT state = ANY (seen) THEN seen := seen || state; END IF;
      CONTINUE;
    END;
    FOREACH use IN ARRAY uses LOOP
      state := try(use, moments, model);
      IF state IS NOT NULL AND NOT state = ANY (seen) THEN
        IF state ~ '^(XX|58|53|42)' THEN RAISE WARNING '%: % of %', state, use, given; END IF;
        seen := seen || state;
      END IF;
    END LOOP;
  END LOOP;
  SELECT string_agg(s, ' ' ORDER BY s) INTO states FROM unnest(seen) s;
END $$;
SQL
my $started = query($db, 'SELECT pg_postmaster_start_time()');
is(query($db, q{SELECT count(*), bool_and(CASE form WHEN 'model' THEN tlv_model_send(text::tlv_model)
    ELSE tlv_moments_send(text::tlv_moments) END = image) FROM images}), '9|t', 'images of every kind, which text gives back');

srand 42;
my ($times, $crafted) = (400, 400);
my @images = map { [ split /\|/ ] } split /\n/, query($db, q{SELECT form, name, split_part(text, ':', 1), encode(image, 'hex') FROM images ORDER BY 1, 2});
ok(is_sealed(pack 'H*', $images[0][3]), 'the digest as the library makes it');
while (my @two = splice @images, 0, 2) {
    my @sessions;
    for (@two) {
        my ($form, $name, $prefix, $hex) = @$_;
        my $image = pack 'H*', $hex;
        for my $make (\&mutate_image, \&craft_image) {
            my $n = $make == \&mutate_image ? $times : $crafted;
            # the large ones, whose models and moments have other sections
            $n = 60 if length $image > 10000;
            my $texts = join ',', map { "'$prefix:" . encode_base64($make->($image), '') . "'" } 1 .. $n;
            push @sessions, [ "$form, $name", $n, $make == \&mutate_image, start_psql($db, "SET client_min_messages = warning;\nSELECT * FROM read_texts('$form', ARRAY[$texts]);\n") ];
        }
    }
    for (@sessions) {
        my ($name, $n, $bytes, $session) = @$_;
        $name .= $bytes ? ', bytes' : ', numbers';
        my $result = finish_psql($session);
        is($result->{status}, 0, "$name: the session lives") or diag($result->{errors});
        my ($refused, $accepted, $states) = $result->{out} =~ /^(\d+)\|(\d+)\|(.*)$/m;
        is(($refused // 0) + ($accepted // 0), $n, "$name: $n changed images read");
        cmp_ok($refused // 0, '>', 0.5 * $n, "$name: most are refused") if $bytes;
        # data exceptions and limits only: nothing internal
        unlike($states // 'none', qr/XX|58|53|42/, "$name: with errors of the data's classes (" . ($states // '') . ')') or diag($result->{errors});
        diag(sprintf '%s: %d accepted, %.1f s, %s', $name, $accepted, $result->{seconds}, $states) if $ENV{TAP_VERBOSE};
    }
}
# Variables of one name: nodes that fall together would close a circle.
my $twice = plain_image(pack 'H*', query($db, q{SELECT encode(tlv_model_send(tree), 'hex') FROM small}));
$twice =~ s/a\nb\nc\nd\ne\n/a\na\nc\nd\ne\n/ or die 'the names are not where they were';
$twice = seal_image($twice);
for my $pair ('$2, tree', 'tree, $2', '$2, $2') {
    is(query($db, "SELECT try('SELECT r.* FROM small, tlv_robinson_foulds($pair) r', NULL, 'tree:" . encode_base64($twice, '') . "')"), '22023', "equal names, compared: $pair");
}
is(query($db, 'SELECT pg_postmaster_start_time()'), $started, 'the server is the same');

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
drop_database($db);
done_testing();
