# A long fit does what the server asks of a backend while it runs: it lets barriers pass, answers
# requests, ends when its client is gone, at every time limit and on a conflict with recovery.  Nothing is timed:
# each time something else is awaited, and whether the fit still runs is looked at then.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(sleep);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_interrupts');
my $log = server_log_size();
my $version = query($db, 'SHOW server_version_num');
# Within one call of ours, without a statement of the server in it, for as long as anybody waits.
my $endless = q{SELECT count(*) FROM (SELECT tlv_central_moment(m, 3) AS t FROM held) q, tlv_decompose(t, method => 'sgd', steps => 2000000000)};
my $setup = q{CREATE TABLE held AS SELECT tlv_dense_moments(x, 3) AS m FROM tlv_simulate_gmm(tlv_simulate_gmm_model(60, 10), 1000);};
query($db, $setup);

# So long that a server that never does a thing is told from a slow one.
use constant TRIES => 600;

sub await {
    my ($sql, $wanted) = @_;
    for (1 .. TRIES) {
        return 1 if query('postgres', $sql) eq $wanted;
        sleep 0.1;
    }
    return 0;
}

sub backend { my ($name) = @_; return "FROM pg_stat_activity WHERE application_name = '$name' AND state = 'active' AND query LIKE '%2000000000%'" }

# Starts one and returns its session once it runs.
sub start_fit {
    my ($name, $settings) = @_;
    my $session = start_psql($db, "SET application_name = '$name';\n$settings\n$endless;\n", go_on => 1);
    ok(await('SELECT count(*) ' . backend($name) . " AND query_start < clock_timestamp() - interval '0.5 s'", '1'), "$name: the fit runs");
    return $session;
}

sub cancel_fit {
    my ($name, $session) = @_;
    query('postgres', 'SELECT pg_cancel_backend(pid) ' . backend($name));
    my $result = finish_psql($session);
    like($result->{errors}, qr/57014: canceling statement due to user request/, "$name: the fit ran until it was cancelled");
    return;
}

# ---- barriers ----

{
    my $session = start_fit('tlv barrier', '');
    query('postgres', "DROP DATABASE IF EXISTS tlv_dropped;\nCREATE DATABASE tlv_dropped;");
    my $result = run_sql('postgres', "SET statement_timeout = '60s';\nDROP DATABASE tlv_dropped;\n");
    is($result->{errors}, '', 'DROP DATABASE in another session ends while the fit runs');
    is(query('postgres', 'SELECT count(*) ' . backend('tlv barrier')), '1', 'and the fit runs on');
    cancel_fit('tlv barrier', $session);
}

# ---- requests ----

SKIP: {
    skip 'memory contexts are logged from 14 on', 3 if $version < 140000;
    skip 'the server log is not at hand', 3 unless defined server_log_since($log);
    my $session = start_fit('tlv contexts', '');
    my $from = server_log_size();
    my $pid = query('postgres', 'SELECT pid ' . backend('tlv contexts'));
    query('postgres', "SELECT pg_log_backend_memory_contexts($pid)");
    my $seen = 0;
    for (1 .. TRIES) {
        last if $seen = server_log_since($from) =~ /tensorlv/;
        sleep 0.1;
    }
    ok($seen, 'memory contexts of a running fit are logged, those of the extension among them');
    cancel_fit('tlv contexts', $session);
}

# ---- a client that is gone ----

SKIP: {
    skip 'the connection is looked at from 14 on', 2 if $version < 140000;
    my $session = start_fit('tlv orphan', "SET client_connection_check_interval = '100ms';");
    kill 'KILL', $session->{pid};
    finish_psql($session);
    ok(await('SELECT count(*) ' . backend('tlv orphan'), '0'), 'a fit ends when its client is gone');
    query('postgres', 'SELECT pg_terminate_backend(pid) ' . backend('tlv orphan'));
}

# ---- time limits ----

for my $limit ([ 'statement_timeout', 0, '57014', 'canceling statement due to statement timeout' ], [ 'transaction_timeout', 170000, '25P04', 'terminating connection due to transaction timeout' ]) {
    my ($name, $since, $state, $message) = @$limit;
  SKIP: {
        skip "$name exists from $since on", 1 if $version < $since;
        my $result = run_sql($db, "SET $name = '300ms';\n$endless;\n", go_on => 1);
        like($result->{errors}, qr/$state: $message/, "$name ends a fit");
    }
}

# A driver that waits for a lock
{
    query($db, 'CREATE TABLE rows_of AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(4, 2), 500)');
    my $holder = start_psql($db, "SET application_name = 'tlv holder';\nBEGIN;\nLOCK TABLE rows_of;\nSELECT pg_sleep(600);\n", go_on => 1);
    ok(await("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tlv holder' AND query LIKE '%pg_sleep%'", '1'), 'a table is locked');
    my $result = run_sql($db, "SET lock_timeout = '100ms';\nSELECT tlv_gmm('SELECT x FROM rows_of', 2);\nSELECT 'alive';\n", go_on => 1);
    like($result->{errors}, qr/55P03: canceling statement due to lock timeout/, 'lock_timeout ends a driver that waits');
    is($result->{out}, 'alive', 'and the session goes on');
    query('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'tlv holder'");
    finish_psql($holder);
}

# ---- a state whose use was cut short ----

# A final function that goes on after an error: what an error left half-done is not used again.
query($db, <<'SQL');
CREATE FUNCTION read_twice(state tlv_bag) RETURNS text LANGUAGE plpgsql AS $$
DECLARE first text; second text;
BEGIN
  BEGIN PERFORM tlv_info(state); EXCEPTION WHEN OTHERS THEN first := SQLSTATE; END;
  BEGIN PERFORM tlv_info(state); EXCEPTION WHEN OTHERS THEN second := SQLSTATE || ' ' || SQLERRM; END;
  RETURN concat_ws(', ', first, second);
END $$;
CREATE AGGREGATE twice(bigint, float8) (SFUNC = tlv_bag_accum, STYPE = tlv_bag, FINALFUNC = read_twice);
SQL
is(query($db, 'SELECT twice(i % 2, 1e308) FROM generate_series(1, 5) i'), '22000, 55000 the state of this aggregate was left unfinished by an error',
    'a state that an error left in use is refused');
is(query($db, 'SELECT twice(i % 2, 1) FROM generate_series(1, 5) i'), '', 'and one that none did is not');

# ---- a standby: replay waits for no fit, a conflict ends it ----

SKIP: {
    skip 'DROP DATABASE waits for barriers from 15 on', 1 if $version < 150000;
    # With feedback the primary keeps what the fit's snapshot sees: no cleanup of a catalog is a conflict.
    my $socket = standby_cluster('hot_standby_feedback = on', 'wal_receiver_status_interval = 1s');
    skip 'a standby cannot be started here', 1 unless defined $socket;
    my $on_standby = sub { my ($code) = @_; local $ENV{PGHOST} = $socket; local $ENV{PGPORT} = 5432; return $code->() };
    my $replayed = sub {
        my $position = query('postgres', 'SELECT pg_current_wal_lsn()');
        return $on_standby->(sub { await("SELECT pg_last_wal_replay_lsn() >= '$position'", 't') });
    };
    ok($replayed->(), 'the standby follows');
    my $session = $on_standby->(sub { start_fit('tlv standby', '') });
    ok(await('SELECT count(*) FROM pg_stat_replication WHERE backend_xmin IS NOT NULL', '1'), 'the primary knows of it');
    query('postgres', "CREATE DATABASE tlv_dropped_too;\nDROP DATABASE tlv_dropped_too;");
    ok($replayed->(), 'DROP DATABASE is replayed while a fit runs on the standby');
    is($on_standby->(sub { query('postgres', 'SELECT count(*) ' . backend('tlv standby')) }), '1', 'and the fit runs on');
    query($db, 'DROP TABLE held');
    my $result = $on_standby->(sub { finish_psql($session) });
    like($result->{errors}, qr/(40001|40P01|57014).*conflict with recovery/, 'a conflict with recovery ends the fit');
    ok($replayed->(), 'and replay goes on');
}

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
stop_second_cluster();
drop_database($db);
done_testing();
