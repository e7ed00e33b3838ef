# What a fit over a distributed table costs beside a fit of the plain one: CPU seconds of all servers, and the bytes that travel.
# Few documents of many items always; with TLV_CITUS_FIGURES=ROWS (scripts/check-citus) also tables with that number of rows: a million
# takes ten minutes.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../t/lib', dirname(__FILE__) . '/lib';
use TlvCalls;
use TlvCluster;
use TlvTest;
use TlvTraffic;

my $rows = $ENV{TLV_CITUS_FIGURES} // 0;
my $pattern = $ENV{TLV_CITUS_CALLS} // '';
my $db = citus_database('tlv_figures');
query($db, 'CREATE SCHEMA here; CREATE SCHEMA distributed;');

# name, the table, the fit, the most CPU relative to the plain table, and the most bytes
my @fits = ([ 'few documents', 'SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(20000, 20, seed => 1), 4000, 60, seed => 2)', "tlv_lda('SELECT bag FROM few_documents', 20)", 2, 5e6 ]);
push @fits, (
    [ 'topics', "SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(1000, 5, seed => 1), $rows, 30, seed => 2)", "tlv_lda('SELECT bag FROM topics', 5)", 1.5 ],
    [ 'clouds', "SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(8, 4, seed => 1), $rows, seed => 2)", "tlv_gmm('SELECT x FROM clouds', 4)", 1.5 ],
    [ 'chains', "SELECT array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(tlv_simulate_hmm_model(8, 3, seed => 1), $rows, 5, 2) GROUP BY seq", "tlv_hmm('SELECT s FROM chains', 3)", 1.5 ],
    [ 'classes', "SELECT v AS x FROM tlv_simulate_lca(tlv_simulate_lca_model(8, 3, 3), $rows)", "tlv_lca('SELECT x FROM classes', 3)", 1.5 ],
    [ 'edges', "SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model($rows / 20, 4, 0, 3000.0 / $rows, 80.0 / $rows), 1) LIMIT $rows", "tlv_mmsb('SELECT src, dst FROM edges', 4)", 1.5 ],
    [ 'answers', "SELECT item, worker, answer FROM tlv_simulate_crowd($rows / 5, 500, 3, share => .01)", "tlv_crowd('SELECT item, worker, answer FROM answers')", 1.5 ],
) if $rows;

# Fits that may differ from the local one by more than 1e-10, though never in k or warnings.  Topics of nearly one size may come
# in another order then: they are compared with those that they match.
my %exception = (
    topics => 'the refinement of more than 1e8 tokens times topics goes through the documents in their order, which is that of the shards',
);

sub measured {
    my ($place, $fit) = @_;
    my ($seconds, @before) = (server_seconds(), traffic());
    my $answer = query($db, "SET search_path = $place, public;\nSELECT tlv_to_json($fit)");
    my @after = traffic();
    return ($answer, server_seconds() - $seconds, $after[0] + $after[1] - $before[0] - $before[1], $after[2] - $before[2]);
}

for my $case (grep { $_->[0] =~ /(?:$pattern)/ } @fits) {
    my ($name, $made, $fit, $ratio, $most) = @$case;
    (my $table = $name) =~ tr/ /_/;
    query($db, "CREATE TABLE here.$table AS SELECT *, (row_number() OVER () * 7 % 64)::int AS part FROM ($made) q;\nCREATE TABLE distributed.$table (LIKE here.$table);");
    query($db, "SELECT create_distributed_table('distributed.$table', 'part')");
    query($db, "INSERT INTO distributed.$table SELECT * FROM here.$table;");
    query($db, "VACUUM (ANALYZE) $_.$table") for 'here', 'distributed'; # or autovacuum does it meanwhile
    my ($expected, $here) = measured('here', $fit);
    my ($answer, $there, $bytes, $rows) = measured('distributed', $fit);
    my ($outcome, $difference) = outcome({ text => $expected }, { text => $answer });
    diag(sprintf '%s: %.1f CPU s here, %.1f distributed, %d bytes and %d rows travel, largest difference %.1e, %s', $name, $here, $there, $bytes, $rows,
        $difference // 'nan', $outcome);
    cmp_ok($there, '<=', $ratio * $here, "$name: CPU seconds, at most $ratio times those of the plain table");
    cmp_ok($bytes, '<=', $most, "$name: bytes") if $most;
    if ($exception{$name}) {
        my ($distance, $count) = split /\|/, query($db, "SELECT max(distance), count(*) FROM tlv_match(tlv_from_json(\$json\$$expected\$json\$), tlv_from_json(\$json\$$answer\$json\$))");
        diag("$name: $count components, the L1 distance of two that match at most $distance");
        cmp_ok($distance, '<', .01, "$name: the local fit, but that $exception{$name}");
    } else {
        is($outcome, 'equal', "$name: the local fit");
    }
}

cmp_ok(scalar keys %exception, '<=', 3, 'at most three fits are excepted from 1e-10');
citus_drop($db);
done_testing();
