# Faults below a driver: a foreign server that dies in the middle of the passes, or answers with an
# error, a column that is gone, a worker that is killed, a serialization failure.  The error is
# said, nothing is written, and the same session fits the same model afterwards.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(sleep);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $log = server_log_size();
my $db = new_database('tlv_faults');
plan skip_all => 'postgres_fdw is missing'
    if query($db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
my $far = new_database('tlv_faults_far');

# Reading the first row of a view counts the passes; the one of that number meets the fault.
query($far, <<'SQL');
CREATE SEQUENCE passes;
CREATE TABLE fault (pass bigint, what text);
CREATE FUNCTION meet() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE f public.fault; n bigint := nextval('public.passes');
BEGIN
  SELECT * INTO f FROM public.fault WHERE pass = n;
  IF f.what = 'dies' THEN
    PERFORM pg_terminate_backend(pg_backend_pid());
  ELSIF f.what IS NOT NULL THEN
    RAISE EXCEPTION 'a fault' USING ERRCODE = f.what;
  END IF;
  RETURN true;
END $$;
CREATE TABLE documents AS SELECT row_number() OVER () AS id, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, 1, 0.1, 5), 400, 40, 5);
CREATE TABLE signals AS SELECT row_number() OVER () AS id, x FROM tlv_simulate_ica(tlv_simulate_ica_model(4, seed => 1), 2000, seed => 1);
CREATE TABLE edges AS SELECT row_number() OVER () AS id, src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(200, 3, seed => 1), 2);
CREATE TABLE rows AS SELECT node AS id, tlv_bag_agg(other) AS bag FROM (SELECT src AS node, dst AS other FROM edges UNION ALL SELECT dst, src FROM edges) e GROUP BY node;
CREATE TABLE steps AS SELECT row_number() OVER () AS id, seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(8, 3, seed => 1), 50, 30, 2);
CREATE TABLE answers AS SELECT row_number() OVER () AS id, item, worker, answer FROM tlv_simulate_crowd(50, 20, 3);
CREATE SCHEMA shown;
DO $$ DECLARE t text; BEGIN
  FOREACH t IN ARRAY ARRAY['documents', 'signals', 'edges', 'rows', 'steps', 'answers'] LOOP
    EXECUTE format('CREATE VIEW shown.%I AS SELECT * FROM %I WHERE id > 1 OR meet()', t, t);
  END LOOP;
END $$;
SQL
query($db, <<'SQL');
CREATE EXTENSION postgres_fdw;
DO $$ BEGIN
  EXECUTE format('CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions ''tensorlv'')',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), 'tlv_faults_far');
  EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (user %L)', current_user);
END $$;
IMPORT FOREIGN SCHEMA shown FROM SERVER far INTO public;
CREATE TABLE models (call text, model tlv_model);
SQL

sub next_pass { my ($pass, $what) = @_; return query($far, "SELECT setval('passes', 1, false); DELETE FROM fault; INSERT INTO fault VALUES ($pass, '$what')") }

# a driver, and a pass that it has
my @calls = (
    [ q{tlv_lda('SELECT bag FROM documents', 3)}, 1, 7 ],
    [ q{tlv_ica('SELECT x FROM signals')}, 1, 3 ],
    [ q{tlv_gmm('SELECT x FROM signals', 2)}, 2 ],
    [ q{tlv_mmsb('SELECT src, dst FROM edges', 3)}, 1 ],
    [ q{tlv_mmsb('SELECT id AS node, bag AS neighbours FROM rows', 3)}, 1 ],
    [ q{tlv_hmm('SELECT seq, t, symbol FROM steps', 3)}, 1 ],
    [ q{tlv_crowd('SELECT item, worker, answer FROM answers')}, 1 ],
    [ q{tlv_tree('SELECT x FROM signals')}, 1 ],
);
# 72000 is the code of a snapshot too old.
my %said = (dies => qr/57P01|08006|08000/, '72000' => qr/72000: a fault/, '40001' => qr/40001: a fault/, '53200' => qr/53200: a fault/);
for my $case (@calls) {
    my ($call, @passes) = @$case;
    next_pass(0, 'none');
    my $model = query($db, "SELECT tlv_info($call)->>'fingerprint'");
    for my $pass (@passes) {
        for my $what (sort keys %said) {
            next_pass($pass, $what);
            my $result = run_sql($db, "INSERT INTO models SELECT '$what', $call;\nSELECT tlv_info($call)->>'fingerprint';", go_on => 1);
            like($result->{errors}, $said{$what}, "$call: pass $pass meets $what");
            is($result->{out}, $model, 'and the session fits the same model afterwards');
        }
    }
}
is(query($db, 'SELECT count(*) FROM models'), '0', 'nothing was written');

# A column that is gone there, before the first pass.
query($far, 'ALTER VIEW shown.signals RENAME COLUMN x TO y');
like(run_sql($db, q{SELECT tlv_ica('SELECT x FROM signals')})->{errors}, qr/42703: column "x" does not exist/, 'a column that is gone');
query($far, 'ALTER VIEW shown.signals RENAME COLUMN y TO x');
# While a fit reads a table, nobody takes a column from it: the other waits, and gets its time-out.
{
    my $session = start_psql($db, "BEGIN; SELECT tlv_ica('SELECT x FROM signals') IS NOT NULL; SELECT pg_sleep(1); COMMIT;");
    my $waits = '';
    for (1 .. 100) {
        last if query($far, "SELECT count(*) FROM pg_locks WHERE relation = 'signals'::regclass AND pid <> pg_backend_pid()") ne '0';
        sleep 0.05;
    }
    my $result = run_sql($far, "SET lock_timeout = '100ms'; DROP VIEW shown.signals; ALTER TABLE signals DROP COLUMN x");
    like($result->{errors}, qr/55P03/, 'a column of a table that is read waits');
    is(finish_psql($session)->{status}, 0, 'and the fit ends well');
}

# A table that moves to another server, or is re-pointed, while a fit reads it: the other waits, and a fit that follows
# reads it where it is now.
{
    my $session = start_psql($db, "BEGIN; SELECT tlv_ica('SELECT x FROM signals') IS NOT NULL; SELECT pg_sleep(1); COMMIT;");
    for (1 .. 100) {
        last if query($db, "SELECT count(*) FROM pg_locks WHERE relation = 'signals'::regclass AND pid <> pg_backend_pid()") ne '0';
        sleep 0.05;
    }
    my $moved = run_sql($db, "SET lock_timeout = '100ms'; ALTER FOREIGN TABLE signals OPTIONS (SET table_name 'elsewhere')");
    like($moved->{errors}, qr/55P03/, 'a table that is read is not re-pointed');
    is(finish_psql($session)->{status}, 0, 'and the fit ends well');
}
query($db, "ALTER FOREIGN TABLE signals OPTIONS (SET table_name 'elsewhere')");
like(run_sql($db, q{INSERT INTO models SELECT 'moved', tlv_ica('SELECT x FROM signals')})->{errors}, qr/42P01.*elsewhere/, 'a shard that is gone: said');
query($far, 'CREATE VIEW shown.elsewhere AS SELECT id, x FROM signals WHERE id <= 1000');
is(query($db, q{SELECT score FROM tlv_diagnostics(tlv_ica('SELECT x FROM signals')) WHERE measure = 'rows'}), '1000', 'the rows are read where they are now');
query($db, "ALTER FOREIGN TABLE signals OPTIONS (SET table_name 'signals')");
# A server whose address changes in the middle: the connection that the fit has stays its own.
{
    my $result = run_sql($db, "BEGIN; SELECT tlv_ica('SELECT x FROM signals') IS NOT NULL;
        ALTER SERVER far OPTIONS (SET dbname 'tlv_nowhere'); SELECT tlv_ica('SELECT x FROM signals') IS NOT NULL; ROLLBACK;
        SELECT tlv_ica('SELECT x FROM signals') IS NOT NULL;", go_on => 1);
    like($result->{out}, qr/t\z/, 'after the transaction is undone the session fits as before');
}
is(query($db, 'SELECT count(*) FROM models'), '0', 'nothing was written');

# A worker of a pass is killed.
query($db, <<'SQL');
CREATE TABLE slow AS SELECT ARRAY[i % 7, i % 11, i % 13]::float8[] AS x FROM generate_series(1, 3000) i;
ALTER TABLE slow SET (parallel_workers = 2);
CREATE FUNCTION wait(x float8[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1 AS $$ BEGIN PERFORM pg_sleep(0.002); RETURN true; END $$;
SQL
{
    my $settings = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;';
    my $session = start_psql($db, "$settings SET application_name = 'tlv led';\nINSERT INTO models SELECT 'worker', tlv_ica('SELECT x FROM slow WHERE wait(x)');\nSELECT 'alive';\n", go_on => 1);
    my $killed = '0';
    for (1 .. 200) {
        $killed = query($db, "SELECT count(pg_terminate_backend(w.pid)) FROM pg_stat_activity w WHERE w.backend_type = 'parallel worker' AND w.datname = current_database()");
        last if $killed ne '0';
        sleep 0.02;
    }
    my $result = finish_psql($session);
    SKIP: {
        skip 'no worker was started', 2 if $killed eq '0';
        like($result->{errors}, qr/57P01|parallel worker/, 'a worker that is killed: said');
        is($result->{out}, 'alive', 'and the session lives');
    }
    is(query($db, 'SELECT count(*) FROM models'), '0', 'nothing was written');
}

# Two serializable transactions that read what the other writes: one of them fails, as a whole.
query($db, 'CREATE TABLE ours AS SELECT ARRAY[i % 7, i % 11, i % 13]::float8[] AS x FROM generate_series(1, 500) i; CREATE TABLE theirs AS TABLE ours');
{
    my $fit = sub { my ($from, $to) = @_;
        return "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT tlv_gmm('SELECT x FROM $from', 2) IS NOT NULL; SELECT pg_sleep(1);
                INSERT INTO $to VALUES ('{1,2,3}'); INSERT INTO models SELECT 'serial', tlv_gmm('SELECT x FROM $from', 2); COMMIT;" };
    my @sessions = (start_psql($db, $fit->('ours', 'theirs')), start_psql($db, $fit->('theirs', 'ours')));
    my @results = map { finish_psql($_) } @sessions;
    is(scalar(grep { $_->{status} == 0 } @results), 1, 'one of two serializable fits commits');
    like(join('', map { $_->{errors} } @results), qr/40001/, 'the other fails to serialize');
    is(query($db, 'SELECT count(*) FROM models'), '1', 'and has written nothing');
}

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
drop_database($db);
drop_database($far);
done_testing();
