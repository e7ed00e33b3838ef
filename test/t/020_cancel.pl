# Every phase ends soon after a cancel or statement_timeout, and the session goes on.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(time sleep);
use lib dirname(__FILE__) . '/lib';
use TlvCancels;
use TlvPhases;
use TlvTest;

my $db = new_database('tlv_cancel');
my $log = server_log_size();
query($db, "ALTER DATABASE $db SET tensorlv.work_mem = '2GB'");
my ($setup, @phases) = phases('topics');
query($db, $setup);

# A large allowance for busy machines: only a hang, or a phase that does not look, exceeds it.
my $limit = 2.5;
is(query($db, 'SELECT count(*) FROM tlv_topics((SELECT tlv_fit_lda(wide_triples, 100, alpha0 => 5) FROM held))'), '100', 'the fit of 100 topics that is interrupted below works');
for my $phase (@phases) {
    my ($name, $sql) = @$phase;
    my $result = run_sql($db, "SET statement_timeout = '100ms';\n$sql;\nSET statement_timeout = 0;\nSELECT 'alive', count(*) FROM tlv_topics((SELECT m FROM held));\n", go_on => 1);
    like($result->{errors}, qr/ERROR:  57014: canceling statement due to statement timeout/, "$name: cancelled");
    cmp_ok($result->{seconds}, '<', $limit, "$name: soon");
    is($result->{out}, 'alive|20', "$name: the session goes on");
    diag(sprintf '%s: %.2f s', $name, $result->{seconds}) if $ENV{TAP_VERBOSE};
}
cancels_ok('topics', $db, \@phases, 60);

# in parallel workers
query($db, 'CREATE TABLE vectors AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(60, 10), 20000);
    CREATE TABLE sequences AS SELECT array_agg(symbol ORDER BY t) AS s
    FROM tlv_simulate_hmm(tlv_simulate_hmm_model(symbols => 50, k => 20), 1000, 100) GROUP BY seq');
for my $call (q{tlv_lda('SELECT a.bag FROM docs a, generate_series(1, 20)', 20)}, q{tlv_gmm('SELECT x FROM vectors, generate_series(1, 20)', 10)},
    q{tlv_hmm('SELECT s FROM sequences, generate_series(1, 20)', 20)}, q{tlv_ica('SELECT x[1:30] FROM vectors, generate_series(1, 20)')}) {
    my $result = run_sql($db, <<"SQL", go_on => 1);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SET statement_timeout = '100ms';
SELECT $call;
SET statement_timeout = 0;
SELECT 'alive', count(*) FROM tlv_topics((SELECT m FROM held));
SQL
    my ($name) = $call =~ /^(\w+)/;
    like($result->{errors}, qr/ERROR:  57014:/, "$name, parallel workers: cancelled");
    is($result->{out}, 'alive|20', "$name, parallel workers: the session goes on");
}

# a savepoint survives a cancelled fit
{
    my $result = run_sql($db, <<'SQL', go_on => 1);
BEGIN;
CREATE TABLE kept (n int);
SAVEPOINT before;
SET LOCAL statement_timeout = '100ms';
SELECT tlv_lda('SELECT doc, term, n FROM terms, generate_series(1, 20)', 20);
ROLLBACK TO before;
INSERT INTO kept VALUES (1);
COMMIT;
SELECT count(*) FROM kept;
SQL
    like($result->{errors}, qr/57014/, 'in a subtransaction: cancelled');
    is($result->{out}, '1', 'in a subtransaction: the rest commits');
}

# pg_cancel_backend and pg_terminate_backend during a fit
for my $call (qw(cancel terminate)) {
    my $session = start_psql($db, "SET application_name = 'tlv victim $call';\nSELECT tlv_fit_lda(wide_triples, 100, alpha0 => 5, method => 'power',
        restarts => 1000, steps => 1000) FROM held;\nSELECT 'alive';\n", go_on => 1);
    my $found = 'f';
    for (1 .. 100) {
        $found = query($db, "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'tlv victim $call' AND state = 'active'
            AND query LIKE '%wide_triples%' AND query_start < clock_timestamp() - interval '0.3 s'");
        last if $found eq 't';
        sleep 0.05;
    }
    is($found, 't', "$call: the fit runs");
    my $start = time;
    query($db, "SELECT pg_${call}_backend(pid) FROM pg_stat_activity WHERE application_name = 'tlv victim $call'");
    my $result = finish_psql($session);
    cmp_ok(time - $start, '<', $limit, "$call: soon");
    if ($call eq 'cancel') {
        like($result->{errors}, qr/57014: canceling statement due to user request/, 'cancel: said so');
        is($result->{out}, 'alive', 'cancel: the session goes on');
    } else {
        like($result->{errors}, qr/57P01: terminating connection due to administrator command/, 'terminate: said so');
        is(query($db, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tlv victim $call'"), '0', 'terminate: the backend is gone');
    }
}

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
drop_database($db);
done_testing();
