# Every SQL block of the pages about servers, those that docs-test leaves out among them, in the order of the page, on Citus.
# (scripts/check-citus)
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../t/lib', dirname(__FILE__) . '/lib';
use TlvCluster;
use TlvTest;

# What a page supposes that is not of it: tables of other servers.
my %before = (
    'how-to/citus.md' => <<'SQL',
CREATE SCHEMA shard1;
CREATE SCHEMA shard2;
CREATE EXTENSION postgres_fdw;
CREATE TABLE shard1.documents AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(items => 100, k => 3, seed => 1), 300, 40, seed => 3);
CREATE TABLE shard2.documents AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(items => 100, k => 3, seed => 1), 300, 40, seed => 4);
SQL
    'how-to/plan-shards.md' => '',
    'explanation/distributed.md' => '',
);
for my $page (sort keys %before) {
    my $db = citus_database('tlv_pages');
    my $text = read_file(dirname(__FILE__) . "/../../docs/$page");
    my @blocks = $text =~ /^```sql\n(.*?)^```$/msg;
    cmp_ok(scalar @blocks, '>', 0, "$page has " . scalar(@blocks) . ' blocks');
    query($db, $before{$page}) if $before{$page};
    my $run = run_sql($db, join '', @blocks);
    is($run->{status}, 0, "$page runs on Citus") or diag($run->{errors} =~ s/^NOTICE.*\n//mgr);
    citus_drop($db);
}
done_testing();
