# Communities: accuracy on simulated and, where the data are at hand, on real graphs; every phase of
# a fit ends soon after a cancel; changed images; dump and restore.  Nothing is timed but cancels.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use lib dirname(__FILE__) . '/lib';
use TlvImages;
use TlvCancels;
use TlvPhases;
use TlvTest;

my $db = new_database('tlv_communities');
my $log = server_log_size();
my $data = dirname(__FILE__) . '/../../../shared/data';

# ---- simulated graphs: bounds a little above what is reached at three seeds, of which one is tried (test/unit/mmsb draws more) ----

# name, model, k, alpha0, other arguments of the fit, most half L1 (for alpha0 = 0: part of the nodes)
my @cases = (
    [ 'block model',           "2000, 10, within => 0.1, across => 0.01",                                      10, 0,   '',                         .005 ],
    [ 'sparse block model',    "2000, 10, within => 0.05, across => 0.005",                                    10, 0,   '',                         .012 ],
    [ 'degree-corrected',      "2000, 5, within => 0.1, across => 0.01, degree_exponent => 2.5",               5,  0,   ', degree_corrected => true', .02 ],
    [ 'disassortative',        "1000, 4, within => 0.01, across => 0.1",                                       4,  0,   '',                         .02 ],
    [ 'weighted',              "500, 4, within => 0.9, across => 0.3, poisson => true",                        4,  0,   '',                         .02 ],
    [ 'directed',              "1000, 5, within => 0.1, across => 0.01, kind => 'directed'",                   5,  0,   '',                         .02 ],
    [ 'bipartite',             "1000, 5, within => 0.1, across => 0.01, kind => 'bipartite', targets => 600",  5,  0,   '',                         .006 ],
    [ 'mixed, alpha0 = .2',    "2000, 10, alpha0 => 0.2, within => 0.3, across => 0.02",                       10, 0.2, '',                         .06 ],
    [ 'mixed, alpha0 = 1',     "2000, 10, alpha0 => 1, within => 0.3, across => 0.02",                         10, 1,   '',                         .155 ],
    [ 'mixed, bipartite',      "1500, 5, alpha0 => 0.5, within => 0.3, across => 0.02, kind => 'bipartite', targets => 1000", 5, 0.5, '',           .08 ],
);
my %collect = (undirected => 'tlv_graph_agg', directed => 'tlv_digraph_agg', bipartite => 'tlv_bigraph_agg');
for my $case (@cases) {
    my ($name, $model, $k, $alpha0, $more, $most) = @$case;
    my ($kind) = $model =~ /kind => '(\w+)'/;
    $kind //= 'undirected';
    my $columns = $model =~ /poisson/ ? 'src, dst, weight' : 'src, dst';
    for my $seed (1) {
        my $out = query($db, <<"SQL");
CREATE TEMP TABLE truth AS SELECT tlv_simulate_mmsb_model($model, seed => $seed) AS m;
CREATE TEMP TABLE fitted AS SELECT tlv_fit_mmsb($collect{$kind}($columns), $k, alpha0 => $alpha0, seed => $seed$more) AS m FROM truth, tlv_simulate_mmsb(m, seed => $seed);
SELECT max(score) FROM (SELECT side, tlv_membership_pairs(t.memberships, e.memberships) AS pairs
  FROM truth, fitted, LATERAL (SELECT node, node_name, side, array_agg(membership ORDER BY community) FILTER (WHERE community IS NOT NULL) AS memberships FROM tlv_memberships(truth.m, 0)
    GROUP BY 1, 2, 3) t JOIN LATERAL (SELECT node, node_name, side, array_agg(membership ORDER BY community) FILTER (WHERE community IS NOT NULL) AS memberships FROM tlv_memberships(fitted.m, 0)
    GROUP BY 1, 2, 3) e USING (node, side) WHERE e.memberships IS NOT NULL GROUP BY side) s, tlv_scores(pairs) WHERE measure = 'membership_l1';
SQL
        cmp_ok($out, '<=', $most, "$name, seed $seed: memberships");
        diag("$name, seed $seed: $out (at most $most)") if $ENV{TAP_VERBOSE};
    }
}
# how many there are
for my $seed (1) {
    for my $k (1, 3, 6) {
        is(query($db, "SELECT score FROM tlv_diagnostics((SELECT tlv_fit_mmsb(tlv_graph_agg(src, dst), seed => $seed)
            FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(1200, $k, within => 0.1, across => 0.01, seed => $seed), seed => $seed)))
            WHERE measure = 'k'"),
            $k, "$k communities, seed $seed: found");
    }
}

# ---- real graphs ----

sub table {
    my ($path) = @_;
    my $text;
    gunzip("$data/$path" => \$text) or die "$path: $GunzipError";
    return $text;
}

# name, labels' file, column of the label, k, arguments, least NMI
my @real = (
    [ 'karate',        'labels.csv.gz',           'club',       2,  '',                           .83 ],
    [ 'football',      'labels-corrected.csv.gz', 'conference', 12, '',                           .92 ],
    [ 'email-eu-core', 'labels.csv.gz',           'department', 42, ', degree_corrected => true', .72 ],
    [ 'polblogs',      'labels.csv.gz',           'leaning',    2,  ', degree_corrected => true', .72 ],
);
for my $case (@real) {
    my ($name, $file, $column, $k, $more, $least) = @$case;
  SKIP: {
        skip "$name: its data are not in $data", 1 unless -r "$data/$name/$file";
        my ($head) = table("$name/$file") =~ /^(\S+)/;
        my $columns = join ', ', map { "$_ text" } split /,/, $head;
        my $nmi = query($db, "CREATE TEMP TABLE edges (src bigint, dst bigint);\nCOPY edges FROM STDIN (FORMAT csv, HEADER);\n" . table("$name/edges.csv.gz") . "\\.\n"
            . "CREATE TEMP TABLE labels ($columns);\nCOPY labels FROM STDIN (FORMAT csv, HEADER);\n" . table("$name/$file") . "\\.\n" . <<"SQL");
CREATE TEMP TABLE ends AS SELECT src AS a, dst AS b FROM edges UNION SELECT dst, src FROM edges;
CREATE TEMP TABLE reached AS WITH RECURSIVE reached(node) AS (SELECT a FROM (SELECT a FROM ends GROUP BY a ORDER BY count(*) DESC LIMIT 1) hub UNION SELECT b FROM reached JOIN ends ON a = node)
  TABLE reached;
CREATE TEMP TABLE model AS SELECT tlv_mmsb('SELECT src, dst FROM edges', $k$more) AS m;
SELECT tlv_nmi(community, $column\::bigint) FROM model, tlv_memberships(m, 0.5) JOIN labels ON node_id::bigint = node
  JOIN reached USING (node);
SQL
        cmp_ok($nmi, '>=', $least, "$name: NMI of its largest component");
        diag("$name: NMI $nmi") if $ENV{TAP_VERBOSE};
    }
}
SKIP: {
    skip "lfr-overlap: its data are not in $data", 1 unless -r "$data/lfr-overlap/memberships.csv.gz";
    my $l1 = query($db, "CREATE TEMP TABLE edges (src bigint, dst bigint);\nCOPY edges FROM STDIN (FORMAT csv, HEADER);\n" . table('lfr-overlap/edges.csv.gz') . "\\.\n"
        . "CREATE TEMP TABLE truth (node bigint, community int);\nCOPY truth FROM STDIN (FORMAT csv, HEADER);\n" . table('lfr-overlap/memberships.csv.gz') . "\\.\n" . <<'SQL');
CREATE TEMP TABLE shares AS
  SELECT node, array_agg((SELECT count(*) FROM truth t WHERE t.node = q.node AND t.community = c) / n::float8 ORDER BY c) AS memberships
  FROM (SELECT node, count(*) AS n FROM truth GROUP BY node) q, (SELECT DISTINCT community AS c FROM truth) d GROUP BY node;
SELECT score FROM tlv_scores((SELECT tlv_membership_pairs(s.memberships, v.memberships) FROM shares s JOIN LATERAL
  (SELECT node, node_name, side, array_agg(membership ORDER BY community) FILTER (WHERE community IS NOT NULL)
  AS memberships FROM tlv_memberships((SELECT tlv_mmsb('SELECT src, dst FROM edges', 28, alpha0 => 1)), 0) GROUP BY 1, 2, 3) v USING (node))) WHERE measure = 'membership_l1';
SQL
    cmp_ok($l1, '<=', .036, 'lfr-overlap: half L1 of overlapping memberships');
    diag("lfr-overlap: $l1") if $ENV{TAP_VERBOSE};
}

# ---- every phase ends soon after a cancel ----

query($db, "ALTER DATABASE $db SET tensorlv.work_mem = '2GB'");
my ($setup, @phases) = phases('communities');
query($db, $setup);
cmp_ok(query($db, 'SELECT count(*) FROM edges'), '>', 150000, 'a graph of some size');
my $limit = 2.5;
for my $phase (@phases) {
    my ($name, $sql) = @$phase;
    for my $after (100, 700) {
        my $result = run_sql($db, "SET statement_timeout = '${after}ms';\n$sql;\nSET statement_timeout = 0;\nSELECT 'alive', count(*) FROM tlv_communities((SELECT m FROM held));\n", go_on => 1);
        like($result->{errors}, qr/ERROR:  57014: canceling statement due to statement timeout/, "$name: cancelled after $after ms");
        cmp_ok($result->{seconds}, '<', $limit + $after / 1000, "$name: soon");
        is($result->{out}, 'alive|2', "$name: the session goes on");
        diag(sprintf '%s, %d ms: %.2f s', $name, $after, $result->{seconds}) if $ENV{TAP_VERBOSE};
    }
}
cancels_ok('communities', $db, \@phases, 60);

# ---- changed images of graphs and of models, in text form ----

query($db, $mutate_function);
query($db, <<'SQL');
CREATE TABLE small AS
  SELECT 1 AS id, kind, weighted, CASE kind WHEN 'directed' THEN tlv_digraph_agg(src, dst, CASE WHEN weighted THEN 0.5 + src % 3 ELSE 1 END) WHEN 'bipartite' THEN tlv_bigraph_agg(src, dst,
    CASE WHEN weighted THEN 0.5 + src % 3 ELSE 1 END) ELSE tlv_graph_agg(src, dst, CASE WHEN weighted THEN 0.5 + src % 3 ELSE 1 END) END AS g, NULL::tlv_model AS m
  FROM (SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(60, 3, within => 0.5, across => 0.05))) e,
      unnest('{undirected,directed,bipartite}'::text[]) kind, unnest('{false,true}'::bool[]) weighted GROUP BY kind, weighted;
UPDATE small SET m = tlv_fit_mmsb(g, 3, alpha0 => CASE WHEN weighted THEN 0.5 ELSE 0 END, degree_corrected => kind = 'directed');
-- Reads changed images; what is accepted is used in every way.
CREATE FUNCTION changed(of_models boolean, of_kind text, of_weighted boolean, times int, OUT refused bigint, OUT accepted bigint, OUT states text) LANGUAGE plpgsql AS $$
DECLARE
  source small%ROWTYPE; image bytea; prefix text; graph tlv_graph; model tlv_model; state text; seen text[] := '{}';
BEGIN
  refused := 0; accepted := 0;
  SELECT * INTO source FROM small WHERE kind = of_kind AND weighted = of_weighted;
  image := CASE WHEN of_models THEN tlv_model_send(source.m) ELSE tlv_graph_send(source.g) END;
  prefix := split_part(CASE WHEN of_models THEN source.m::text ELSE source.g::text END, ':', 1) || ':';
  FOR i IN 1 .. times LOOP
    BEGIN
      IF of_models THEN
        model := (prefix || translate(encode(mutate(image), 'base64'), E'\n', ''))::tlv_model;
        PERFORM tlv_info(model), tlv_infer(model, '{1:1,2:3}'), tlv_log_likelihood(model, '{1:1,60:1}'),
            (SELECT count(*) FROM tlv_memberships(model)), (SELECT count(*) FROM LATERAL (SELECT node, node_name, side, array_agg(membership
              ORDER BY community) FILTER (WHERE community IS NOT NULL) AS memberships FROM tlv_memberships(model, 0) GROUP BY 1, 2, 3) v),
          (SELECT count(*) FROM tlv_communities(model)), (SELECT count(*) FROM tlv_connectivity(model)), (SELECT count(*) FROM tlv_bridgeness(model)), (SELECT count(*) FROM tlv_diagnostics(model));
      ELSE
        graph := (prefix || translate(encode(mutate(image), 'base64'), E'\n', ''))::tlv_graph;
        PERFORM tlv_info(graph), (SELECT count(*) FROM tlv_edges(graph)), graph + graph;
        IF (tlv_info(graph)->>'rows')::float8 < 1000 THEN
          PERFORM tlv_fit_mmsb(graph, 2, alpha0 => i % 2);
        END IF;
      END IF;
      accepted := accepted + 1;
    EXCEPTION WHEN OTHERS THEN
      refused := refused + 1;
      GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
      IF NOT state = ANY (seen) THEN seen := seen || state; END IF;
    END;
  END LOOP;
  SELECT string_agg(s, ' ' ORDER BY s) INTO states FROM unnest(seen) s;
END $$;
SQL
my $started = query($db, 'SELECT pg_postmaster_start_time()');
my $times = 1000;
for my $models (0, 1) {
    for my $kind (qw(undirected directed bipartite)) {
        for my $weighted (0, 1) {
            my $name = ($models ? 'model' : 'graph') . ", $kind, " . ($weighted ? 'weighted' : 'not weighted');
            my $result = run_sql($db, "SELECT setseed(0.$models$weighted); SELECT * FROM changed($models = 1, '$kind', $weighted = 1, $times);\n");
            is($result->{status}, 0, "$name: the session lives") or diag($result->{errors});
            my ($refused, $accepted, $states) = $result->{out} =~ /^(\d+)\|(\d+)\|(.*)$/m;
            is(($refused // 0) + ($accepted // 0), $times, "$name: $times changed images read");
            cmp_ok($refused // 0, '>', 0.5 * $times, "$name: most are refused");
            unlike($states // 'none', qr/XX|58|53/, "$name: with errors of the data's classes ($states)");
        }
    }
}
is(query($db, 'SELECT pg_postmaster_start_time()'), $started, 'the server is the same');

# ---- dump and restore ----

SKIP: {
    my $bin = bindir();
    skip 'pg_dump is missing', 2 unless -x "$bin/pg_dump";
    query($db, "DROP TABLE IF EXISTS held, edges, labels CASCADE;\nCREATE TABLE sums AS SELECT kind, weighted, md5(g::text) AS g, md5(m::text) AS m FROM small;");
    my $other = new_database('tlv_communities_restored');
    my @dump = ("$bin/pg_dump", '-t', 'small', '-t', 'sums', $db);
    open my $pipe, '-|', @dump or die "pg_dump: $!";
    my $text = do { local $/; <$pipe> };
    ok(close($pipe), 'pg_dump');
    query($other, $text);
    is(query($other, 'SELECT count(*), count(*) FILTER (WHERE md5(s.g::text) = t.g AND md5(s.m::text) = t.m) FROM public.small s
        JOIN public.sums t USING (kind, weighted)'), '6|6', 'graphs and models come back as they were');
    is(query($other, 'SELECT bool_and(public.tlv_fit_mmsb(g, 3, alpha0 => CASE WHEN weighted THEN 0.5 ELSE 0 END,
        degree_corrected => kind = \'directed\') = m) FROM public.small'), 't', 'and are fitted again to the same models');
    drop_database($other);
}

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
drop_database($db);
done_testing();
