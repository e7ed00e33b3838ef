# Drivers and aggregates over distributed tables of Citus (scripts/check-citus): the answer is that of the local rows,
# and what the shards send are states.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../t/lib';
use TlvTest;

my $db = 'tlv_citus';
query('postgres', "DROP DATABASE IF EXISTS $db;\nCREATE DATABASE $db;");
query($db, 'CREATE EXTENSION citus;');
query($db, "SELECT citus_set_coordinator_host(split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port')::int)");
query($db, 'CREATE EXTENSION tensorlv;');

# Every table twice: here, and spread by its first column.
my %rows = (
    documents => 'SELECT row_number() OVER () AS id, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, 1, 0.1, 5), 800, 40, 5)',
    batches => 'SELECT id / 20 AS id, array_agg(bag ORDER BY id) AS bags FROM here.documents GROUP BY 1',
    signals => 'SELECT row_number() OVER () AS id, x FROM tlv_simulate_ica(tlv_simulate_ica_model(5, seed => 1), 5000, seed => 1)',
    clouds => 'SELECT row_number() OVER () AS id, x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(4, 3, seed => 2), 3000, 3)',
    edges => 'SELECT src, dst, weight FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, seed => 1), 2)',
    adjacency => 'SELECT node, tlv_bag_agg(other) AS neighbours
        FROM (SELECT src AS node, dst AS other FROM here.edges UNION ALL SELECT dst, src FROM here.edges) AS e GROUP BY node',
    sequences => 'SELECT seq, array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(tlv_simulate_hmm_model(8, 3, seed => 1), 200, 30, 2) GROUP BY seq',
    views => 'SELECT row_number() OVER () AS id, x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[4, 4, 4], 3, seed => 1), 3000, 2)',
    answers => 'SELECT item, worker, answer FROM tlv_simulate_crowd(200, 30, 3)',
);
query($db, 'CREATE SCHEMA here; CREATE SCHEMA spread; CREATE TABLE models (number int, place text, model tlv_model);');
for my $table ('documents', 'edges', sort grep { !/documents|edges/ } keys %rows) {
    query($db, "CREATE TABLE here.$table AS $rows{$table};");
    my $key = query($db, "SELECT attname FROM pg_attribute WHERE attrelid = 'here.$table'::regclass AND attnum = 1");
    query($db, "CREATE TABLE spread.$table (LIKE here.$table);");
    query($db, "SELECT create_distributed_table('spread.$table', '$key')");
    query($db, "INSERT INTO spread.$table SELECT * FROM here.$table;");
    is(query($db, "SELECT count(*) FROM spread.$table"), query($db, "SELECT count(*) FROM here.$table"), "$table is spread");
}

# Aggregates are taken apart: sums of whole numbers are the same, byte by byte.
for my $case (
    [ 'tlv_graph_agg(src, dst)', 'edges' ],
    [ 'tlv_crowd_answers(item, worker, answer)', 'answers' ],
    [ 'tlv_sequence_moments(s)', 'sequences' ],
    [ 'tlv_rollup(bag)', 'documents' ],
) {
    my ($call, $table) = @$case;
    my $plan = query($db, "EXPLAIN (VERBOSE, COSTS off) SELECT $call FROM spread.$table");
    like($plan, qr/worker_partial_agg/, "$call is taken apart");
    is(query($db, "SELECT (SELECT $call FROM spread.$table) = (SELECT $call FROM here.$table)"), 't', "$call is that of the local rows");
}

# Drivers: the model is that of the local rows.
my @fits = (
    [ "tlv_lda('%s', 3)", 'SELECT bag FROM %s.documents' ],
    [ "tlv_lda('%s', 3, refine => 'none')", 'SELECT bags FROM %s.batches' ],
    [ "tlv_ica('%s')", 'SELECT x FROM %s.signals' ],
    [ "tlv_gmm('%s', 3)", 'SELECT x FROM %s.clouds' ],
    [ "tlv_mmsb('%s', 3)", 'SELECT src, dst, weight FROM %s.edges' ],
    [ "tlv_mmsb('%s', 3)", 'SELECT node, neighbours FROM %s.adjacency' ],
    [ "tlv_hmm('%s', 3)", 'SELECT s FROM %s.sequences' ],
    [ "tlv_multiview('%s', 3)", 'SELECT x1, x2, x3 FROM %s.views' ],
    [ "tlv_crowd('%s')", 'SELECT item, worker, answer FROM %s.answers' ],
);
for my $i (0 .. $#fits) {
    my ($fit, $query) = @{ $fits[$i] };
    for my $place ('here', 'spread') {
        my $call = sprintf $fit, sprintf($query, $place);
        is(run_sql($db, "INSERT INTO models VALUES ($i, '$place', $call)")->{errors}, '', "runs: $call");
    }
    my $difference = query($db, 'SELECT ' . (
        $fit =~ /ica/ ? 'tlv_amari(a.model, b.model)'
        : $fit =~ /crowd/ ? '(SELECT max(abs(v.accuracy - w.accuracy)) FROM tlv_workers(a.model) v JOIN tlv_workers(b.model) w USING (worker))'
        : '(SELECT max(distance) FROM tlv_match(a.model, b.model))')
        . " FROM models a JOIN models b USING (number) WHERE number = $i AND a.place = 'here' AND b.place = 'spread'");
    cmp_ok($difference, '<', 1e-10, "the model is the local one: $difference");
}

drop_database($db);
done_testing();
