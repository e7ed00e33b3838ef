# Progress: off by default; when asked for, at most one message a second, with passes done and expected; and in pg_stat_activity.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(time sleep);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_progress');
query($db, 'CREATE TABLE docs AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3), 500, 40)');
my $short = "SELECT tlv_lda('SELECT bag FROM docs', k => 3, iterations => 1) IS NOT NULL;";

unlike(run_sql($db, $short)->{errors}, qr/tensorlv:/, 'nothing by default');
my $begun = time;
my $errors = run_sql($db, 'SET tensorlv.progress = notice;' . "$short\n" x 10)->{errors};
my $seconds = time - $begun;
my @messages = $errors =~ /^NOTICE:  00000: tensorlv: (.*)/mg;
like($messages[0] // '', qr/^pass 1: \w+.*, 0 s$/, 'the first pass of the first fit is told of');
cmp_ok(scalar @messages, '<=', 2 + $seconds, sprintf 'and ten fits of many passes have no more than a message a second (%d in %.1f s)', scalar @messages, $seconds);

# Longer than a second: the passes that are expected, and no more than one message for each second.
query($db, 'CREATE TABLE more_docs AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(3000, 15), 2000, 100)');
$begun = time;
$errors = run_sql($db, "SET tensorlv.progress = notice; SET max_parallel_workers_per_gather = 0; SELECT tlv_lda('SELECT bag FROM more_docs', k => 15, iterations => 30) IS NOT NULL;")->{errors};
$seconds = time - $begun;
@messages = $errors =~ /^NOTICE:  00000: tensorlv: (.*)/mg;
cmp_ok(scalar @messages, '<=', 2 + $seconds, sprintf '%d messages in %.1f s', scalar @messages, $seconds);
my @numbers = map { /^pass (\d+)/ ? $1 : () } @messages;
is_deeply(\@numbers, [ sort { $a <=> $b } @numbers ], 'passes are numbered in order');
SKIP: {
    skip 'this machine is too fast', 1 if $seconds < 3;
    like($errors, qr/pass (\d+) of at most (\d+), \d+ %: refinement, [1-9]\d* s\n/, 'passes done and expected');
}
# What a fit will need is said before it begins; little is not worth a word.
like(run_sql($db,
        "SET tensorlv.progress = notice; SELECT tlv_fit_mmsb((SELECT tlv_graph_agg(src, dst) FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(20000, 4, 0, 0.003, 0.0002))), 4) IS NOT NULL;")->{errors},
    qr/^NOTICE:  00000: tensorlv: fit, 0 s, [1-9]\d MB of memory$/m, 'memory of a fit, beforehand');
unlike(run_sql($db, "SET tensorlv.progress = notice; SELECT tlv_lda('SELECT bag FROM docs', k => 3) IS NOT NULL;")->{errors}, qr/memory/, 'not where it is little');
SKIP: {
    my $size = server_log_size();
    run_sql($db, "SET tensorlv.progress = log; $short");
    my $log = server_log_since($size);
    skip 'the log of the server is not readable from here', 1 unless defined $log;
    like($log, qr/LOG:.*tensorlv: pass 1/, 'into the log of the server');
}

# An ordinary user's other session sees how far it is, and afterwards the query as it was.
query($db, <<'SQL');
DO $$ BEGIN CREATE ROLE tlv_watcher LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE FUNCTION slow(bag tlv_bag) RETURNS tlv_bag LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.05); RETURN bag; END $$;
GRANT SELECT ON docs TO tlv_watcher;
SQL
my @login = (more => [ '-U', 'tlv_watcher' ]);
my $watch = q{SELECT query FROM pg_stat_activity WHERE usename = 'tlv_watcher' AND pid <> pg_backend_pid() AND };
# what another session of the user shows, once it is as wanted or half a minute is over
sub watched {
    my ($condition, $wanted) = @_;
    my $seen = '';
    for (1 .. 300) {
        $seen = query($db, "$watch $condition", @login);
        last if $seen =~ $wanted;
        sleep 0.1;
    }
    return $seen;
}
SKIP: {
    skip 'the role cannot log in here', 4 if run_sql($db, 'SELECT 1', @login)->{status} != 0;
    my $text = q{SELECT tlv_lda('SELECT slow(bag) FROM docs LIMIT 80', k => 2, iterations => 1) IS NOT NULL};
    my $fit = start_psql($db, "$text;\nSELECT pg_sleep(2);\n", @login);
    my $shown = qr{^/\* tensorlv: pass \d+: storing the rows, \d+ s \*/ SELECT tlv_lda\(};
    like(watched(q{query LIKE '%slow(bag)%'}, $shown), $shown, 'pg_stat_activity shows the pass, before the query');
    like(finish_psql($fit)->{out}, qr/^t$/m, 'the fit is not disturbed');
    # an error that is caught; the function's own query is the session's
    $fit = start_psql($db, <<'SQL', @login);
DO $do$ BEGIN PERFORM tlv_lda('SELECT slow(bag) FROM (SELECT bag, row_number() OVER () i FROM docs) d WHERE 1 / (60 - i) > -2',
  k => 2); EXCEPTION WHEN division_by_zero THEN PERFORM pg_sleep(5); END $do$;
SQL
    like(watched(q{query LIKE '%slow(bag)%'}, qr{^/\* tensorlv: pass}), qr{^/\* tensorlv: pass}, 'and in a block');
    like(watched(q{query LIKE '%slow(bag)%'}, qr{^DO}), qr/^DO /, 'after an error that is caught the query is what it was');
    finish_psql($fit);
}
drop_database($db);
query('postgres', 'DROP ROLE IF EXISTS tlv_watcher');
done_testing();
