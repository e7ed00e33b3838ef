# Answers and edges of which a value has no room for all travel in several: over a plain table and a distributed one, by a build in which
# a value has 1 MB (scripts/check-citus makes one for this file).  One value of all of them is refused, the fit is not.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../t/lib', dirname(__FILE__) . '/lib';
use TlvCalls;
use TlvCluster;
use TlvTest;

plan skip_all => 'a build in which a value has 1 MB' if !$ENV{TLV_CITUS_LIMIT};
my $db = citus_database('tlv_limits');
query($db, 'CREATE SCHEMA here; CREATE SCHEMA distributed;');

# the table, its rows, the aggregate of all of them, fits
my @cases = (
    [ 'answers', 'SELECT item, worker, answer FROM tlv_simulate_crowd(4000, 60, 3, share => .5)', 'tlv_crowd_answers(item, worker, answer)',
        "tlv_crowd('SELECT item, worker, answer FROM answers')", "tlv_crowd('SELECT ''i'' || item, ''w'' || worker, ''a'' || answer FROM answers')",
        "tlv_crowd('SELECT item, worker, answer FROM answers', gold => 'SELECT DISTINCT item, answer FROM answers WHERE item < 300 AND worker = 1')" ],
    [ 'edges', 'SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(3000, 3, 0, .3, .2, seed => 1), 1)', 'tlv_graph_agg(src, dst, 1.5 + src % 3)',
        "tlv_mmsb('SELECT src, dst FROM edges', 3)", "tlv_mmsb('SELECT src, dst, 1.5 + src % 3 FROM edges', 3)",
        "tlv_mmsb('SELECT ''n'' || src, ''n'' || dst FROM edges', 3)", "tlv_mmsb('SELECT src, dst FROM edges', 3, directed => true)",
        "tlv_mmsb('SELECT src, dst FROM edges', 3, bipartite => true)" ],
);

sub passes_in_pieces {
    my ($place, $fit) = @_;
    my $run = run_sql($db, "SET search_path = $place, public;\nSET tensorlv.warnings = off;\nSET client_min_messages = debug1;\nSELECT tlv_to_json($fit);");
    return ($run, scalar(() = $run->{errors} =~ /in (\d+) pieces/g));
}

for my $case (@cases) {
    my ($table, $made, $aggregate, @fits) = @$case;
    query($db, "CREATE TABLE here.$table AS SELECT *, (row_number() OVER () * 7 % 64)::int AS part FROM ($made) q;\nCREATE TABLE distributed.$table (LIKE here.$table);");
    query($db, "SELECT create_distributed_table('distributed.$table', 'part')");
    query($db, "INSERT INTO distributed.$table SELECT * FROM here.$table;\nANALYZE;");
    like(run_sql($db, "SELECT $aggregate FROM here.$table")->{errors}, qr/limit of 1 MB|does not fit into a value of 1 MB/, "$table: too many for one value");
    for my $fit (@fits) {
        my ($here, $pieces) = passes_in_pieces('here', $fit);
        is($here->{status}, 0, "$fit") or diag($here->{errors});
        cmp_ok($pieces, '>=', 1, 'of a plain table, in pieces');
        my ($there, $pieces_there) = passes_in_pieces('distributed', $fit);
        is($there->{status}, 0, 'of a distributed one') or diag($there->{errors});
        cmp_ok($pieces_there, '>=', 1, 'in pieces');
        cmp_ok((difference($here->{out}, $there->{out}))[0] // 1, '<=', 1e-10, 'the same model');
    }
}
# The same edges as rows of neighbours: in pieces, and the same model.
query($db, <<'SQL');
CREATE TABLE here.near AS SELECT src AS node, tlv_bag_agg(dst) AS neighbours FROM (SELECT src, dst FROM here.edges UNION ALL SELECT dst, src FROM here.edges) e GROUP BY src;
CREATE TABLE distributed.near (LIKE here.near);
SELECT create_distributed_table('distributed.near', 'node');
INSERT INTO distributed.near SELECT * FROM here.near;
ANALYZE;
SQL
my ($edges) = passes_in_pieces('here', "tlv_mmsb('SELECT src, dst FROM edges', 3)");
for my $place ('here', 'distributed') {
    my ($near, $pieces) = passes_in_pieces($place, "tlv_mmsb('SELECT node, neighbours FROM near', 3)");
    cmp_ok($pieces, '>=', 1, "$place: rows of neighbours in pieces");
    is($near->{out}, $edges->{out}, 'the model of the edges');
}
# Nodes of which a model has no room are refused before the fit, and what the hint says works.
query($db, <<'SQL');
CREATE TABLE here.ties AS SELECT src, (src + 3 * (1 + i * i + src % 7)) % 30000 AS dst FROM generate_series(0, 29999) src, generate_series(0, 9) i;
CREATE TABLE here.adjacent AS SELECT src AS node, tlv_bag_agg(dst) AS neighbours FROM (SELECT src, dst FROM here.ties UNION ALL SELECT dst, src FROM here.ties) e GROUP BY src;
CREATE TABLE distributed.adjacent (LIKE here.adjacent);
SELECT create_distributed_table('distributed.adjacent', 'node');
INSERT INTO distributed.adjacent SELECT * FROM here.adjacent;
CREATE TABLE here.part AS SELECT src AS node, tlv_bag_agg(dst) AS neighbours FROM (SELECT src, dst FROM here.ties UNION ALL SELECT dst, src FROM here.ties) e
  WHERE src % 2 = 0 AND dst % 2 = 0 GROUP BY src;
ANALYZE;
SQL
for my $place ('here', 'distributed') {
    my $run = run_sql($db, "SET search_path = $place, public;\nSET client_min_messages = debug1;\nSELECT tlv_mmsb('SELECT node, neighbours FROM adjacent', 3);");
    like($run->{errors}, qr/30000 nodes are more than the \d+ that a model has memory for/, "$place: too many nodes");
    like($run->{errors}, qr/WHERE src % 2 = 0 AND dst % 2 = 0/, 'with a hint');
}
query($db, "CREATE TABLE here.fit AS SELECT tlv_mmsb('SELECT node, neighbours FROM here.part', 3) AS model;");
is(query($db, "SELECT count(*) FROM here.adjacent, here.fit WHERE node % 2 > 0 AND tlv_infer(model, neighbours) IS NOT NULL"), 15000, 'a part is fitted, and the others are placed');

citus_drop($db);
done_testing();
