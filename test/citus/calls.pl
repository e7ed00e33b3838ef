# Every driver in every form of rows and every aggregate in every signature over tables of Citus: distributed, reference, managed
# local and columnar; on a coordinator without workers also distributed in its own session.  The answer is that of a plain table; what
# travels is counted.  Then a shard moves and a worker stops in the middle of a fit.  (scripts/check-citus; TLV_CITUS_CALLS is a pattern of the calls that are tried, all without it.)
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../t/lib', dirname(__FILE__) . '/lib';
use Time::HiRes qw(sleep);
use TlvCalls;
use TlvCluster;
use TlvTest;
use TlvTraffic;

my $db = citus_database('tlv_citus');
# roles and types of these are of no other node
query($db, "ALTER DATABASE $db SET citus.enable_ddl_propagation = off");
my @tables = make_tables($db);
query($db, "ALTER DATABASE $db RESET citus.enable_ddl_propagation");

# ---- the same tables elsewhere ----

my %place = (
    distributed => sub { "CREATE TABLE distributed.$_[0] (LIKE here.$_[0]); SELECT create_distributed_table('distributed.$_[0]', 'part');" },
    reference => sub { "CREATE TABLE reference.$_[0] (LIKE here.$_[0]); SELECT create_reference_table('reference.$_[0]');" },
    managed => sub { "CREATE TABLE managed.$_[0] (LIKE here.$_[0]); SELECT citus_add_local_table_to_metadata('managed.$_[0]');" },
    by_column => sub { "CREATE TABLE by_column.$_[0] (LIKE here.$_[0]) USING columnar;" },
);
my @places = ('distributed', 'reference', 'managed', 'by_column');
query($db, 'CREATE EXTENSION IF NOT EXISTS citus_columnar;');
for my $place (@places) {
    query($db, "CREATE SCHEMA $place;");
    query($db, join '', map { $place{$place}->($_) . "\nINSERT INTO $place.$_ SELECT * FROM here.$_;\n" } @tables);
}

# ---- warnings of rows ----

# what the tasks of a statement count is one warning
query($db, "CREATE TABLE words (id int, bag tlv_bag); SELECT create_distributed_table('words', 'id');
INSERT INTO words SELECT i, (CASE WHEN i % 3 = 0 THEN '{1:1,99:1}' ELSE '{1:1,2:1}' END)::tlv_bag FROM generate_series(1, 60) i;");
my $warned = run_sql($db,
    "SELECT tlv_simulate_lda_model(9, 2) AS model \\gset\nSELECT tlv_perplexity(bag, :'model'::tlv_model) FROM words;\nSELECT count(tlv_assign(:'model'::tlv_model, bag)) FROM words;")->{errors};
my @counts = $warned =~ /WARNING:\s+(?:\w{5}: )?(.*)/g;
is_deeply(\@counts, [ ('20 rows have items that the model does not know, the first of which is "99"') x 2 ], 'rows with unknown items are counted over all tasks');

# ---- aggregates that declare "any" ----

# Citus refuses them before anything of ours is called: the pages name its message, and the twin that answers
my $refusal = 'could not confirm type correctness';
like(run_sql($db, "SELECT tlv_dense_moments(x, 2) FROM distributed.clouds;")->{errors}, qr/\Q$refusal\E/, 'an aggregate of "any" is refused by Citus');
is(scalar(grep { index(read_file(dirname(__FILE__) . "/../../docs/$_"), $refusal) < 0 } 'how-to/citus.md', 'reference/moments.md'), 0, 'in the words that the pages name');

# ---- the calls ----

my @drivers = driver_calls();
my @aggregates = aggregate_calls();
my @calls = (@drivers, @aggregates);
my $pattern = $ENV{TLV_CITUS_CALLS} // '';
is(join(' ', untried($db, @calls)), '', 'every driver and aggregate of the catalogue is called');
is(join(' ', unused_tables(\@calls, @tables)), '', 'every table of test/t/values is read');

# an empty pattern alone would be the last one that matched
@calls = grep { /(?:$pattern)/ } @calls;
cmp_ok(scalar @calls, '>', 0, scalar(@calls) . ' calls are tried');

my @expected = run_calls($db, 'here, public', \@calls, traffic_file());
is(scalar @expected, scalar @calls, 'all calls are answered');
is(join("\n", missing_answers(\@calls, \@expected)), '', 'every call works here');

# a coordinator that has the shards runs them in its own session by default
my @runs = map { [ $_, "$_, here, public" ] } @places;
push @runs, [ 'local execution', "distributed, here, public;\nSET citus.enable_local_execution = on" ] if !citus_workers();

my (@table, @exceptions);
for my $run (@runs) {
    my ($place, $settings) = @$run;
    my @answers = run_calls($db, $settings, \@calls, traffic_file());
    my ($failed, $bytes, $rows) = ('', 0, 0);
    for my $i (0 .. $#calls) {
        my ($outcome, $difference) = outcome($expected[$i], $answers[$i]);
        $failed .= "$calls[$i]: $outcome\n" if $outcome !~ /^(equal|EXCEPTION)/;
        push @exceptions, sprintf '%s, %s: %.1e, %s', $place, $calls[$i], $difference, $outcome if $outcome =~ /^EXCEPTION/;
        push @table, join "\t", scalar(citus_workers()), $place, defined $difference ? sprintf('%.0e', $difference) : $outcome, $answers[$i]{bytes} // 0, $calls[$i];
        $bytes += $answers[$i]{bytes} // 0;
        $rows += $answers[$i]{rows} // 0;
    }
    is($failed, '', scalar(@calls) . " calls over $place tables, $bytes bytes and $rows rows travel");
}
cmp_ok(scalar @exceptions, '<=', 3, 'at most three answers differ by more than 1e-10') or diag(join "\n", @exceptions);
if (my $path = $ENV{TLV_CITUS_CELLS}) {
    open my $file, '>>', $path or die "$path: $!";
    print $file map { "$_\n" } @table;
    close $file;
}

# ---- what happens in the middle of a fit ----

if (my @workers = citus_workers()) {
    my $call = q{SELECT tlv_to_json(tlv_gmm('SELECT x FROM clouds', 2, 'full', refine => 'em', iterations => 50))::jsonb};
    my $expected = query($db, "SET search_path = here, public;\n$call");
    my $now = q{SELECT extract(epoch FROM clock_timestamp());};
    my $fit = start_psql($db, "SET search_path = distributed, here, public;\n" . "$now\n$call;\n" x 20 . $now);
    my ($shard, $from, $to) = split /\|/, query($db, q{SELECT shardid, nodename, (SELECT nodename FROM pg_dist_node n WHERE n.nodename <> p.nodename AND n.shouldhaveshards LIMIT 1)
        FROM pg_dist_shard_placement p JOIN pg_dist_shard s USING (shardid) WHERE logicalrelid = 'distributed.clouds'::regclass LIMIT 1});
    query($db, "SELECT citus_move_shard_placement($shard, '$from', 5432, '$to', 5432, 'block_writes')");
    my $moved = query($db, $now);
    my $result = finish_psql($fit);
    my @lines = split /\n/, $result->{out};
    my @times = grep { !/^\{/ } @lines;
    is($result->{status}, 0, 'a shard moves in the middle of fits') or diag($result->{errors});
    cmp_ok($times[0], '<', $moved, 'which have begun before');
    cmp_ok($times[-1], '>', $moved, 'and end after it');
    is(scalar(grep { ((difference($expected, $_))[0] // 1) <= 1e-10 } grep { /^\{/ } @lines), 20, 'and every fit is the local one');

    $fit = start_psql($db, "SET search_path = distributed, here, public;\n" . "$call;\n" x 200);
    sleep 1;
    stop_worker($workers[0]);
    $result = finish_psql($fit);
    isnt($result->{status}, 0, 'a worker stops in the middle of a fit: an error');
    like($result->{errors}, qr/connection|terminat|closed|shutting down/i, 'which says what happened');
    is(scalar(grep { ((difference($expected, $_))[0] // 1) > 1e-10 } split /\n/, $result->{out}), 0, 'and no answer of some of the rows');
    start_worker($workers[0]);
    $result = query($db, "SET search_path = distributed, here, public;\n$call");
    cmp_ok((difference($expected, $result))[0] // 1, '<=', 1e-10, 'the next one, with the worker, is the local one');
}

citus_drop($db);
done_testing();
