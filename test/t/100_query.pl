# How passes come by the rows of a query: in parallel with the constant made once, over foreign
# tables, from a store; and that nothing is left behind by the steps of a fit.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_query');
query($db, <<'SQL');
CREATE TABLE vectors AS SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(5, seed => 1), 20000, seed => 1);
CREATE TABLE documents AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, 1, 0.1, 5), 800, 40, 5);
CREATE TABLE wide AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(20000, 3, 0.3, seed => 1), 1000, 500, seed => 2);
ANALYZE;
SQL

# The plans of the passes, and what is said of them.
sub passes {
    my ($sql, %options) = @_;
    my $settings = join '', map { "SET $_;\n" } @{ $options{settings} // [] };
    $settings .= "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
        SET auto_explain.log_level = notice; SET auto_explain.log_verbose = on;" if $options{plans};
    my $result = run_sql($db, "${settings}SET client_min_messages = debug1; $sql");
    is($result->{status}, 0, "runs: $sql") or diag($result->{errors});
    return $result->{errors};
}

SKIP: {
    skip 'auto_explain is missing', 4
        if run_sql($db, "LOAD 'auto_explain'")->{status} != 0;
    my $plans = passes("SELECT tlv_ica('SELECT x FROM vectors', iterations => 1) IS NOT NULL", plans => 1,
        settings => [ 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'jit = on', 'jit_above_cost = 0' ]);
    like($plans, qr/CTE p.*Workers Planned.*(?:Params Evaluated|PARTIAL tlv_statistics(?:_typed)?\(\S+ \(InitPlan)/s, 'a constant is made once, for all workers');
    my ($pass) = $plans =~ /(Finalize Aggregate.*?Parallel Seq Scan)/s;
    unlike($pass // '', qr/JIT:/, 'passes are not compiled');
    unlike($plans, qr/storing the rows/, 'and read the table itself');
}

SKIP: {
    skip 'postgres_fdw is missing', 7
        if query($db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
    query($db, <<'SQL');
CREATE EXTENSION postgres_fdw;
DO $$ BEGIN
  EXECUTE format('CREATE SERVER knows FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions ''tensorlv'')',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
  EXECUTE format('CREATE SERVER ignorant FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L)',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
  EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER knows OPTIONS (user %L)', current_user);
  EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER ignorant OPTIONS (user %L)', current_user);
END $$;
CREATE FOREIGN TABLE known (x float8[]) SERVER knows OPTIONS (table_name 'vectors');
CREATE FOREIGN TABLE unknown (x float8[]) SERVER ignorant OPTIONS (table_name 'vectors');
CREATE FOREIGN TABLE known_documents (bag tlv_bag) SERVER knows OPTIONS (table_name 'documents');
CREATE TABLE parts (x float8[]) PARTITION BY LIST ((x[1] > 0));
CREATE TABLE near PARTITION OF parts FOR VALUES IN (true);
CREATE FOREIGN TABLE far PARTITION OF parts FOR VALUES IN (false) SERVER ignorant OPTIONS (table_name 'negative');
CREATE TABLE negative AS SELECT x FROM vectors WHERE NOT x[1] > 0;
INSERT INTO near SELECT x FROM vectors WHERE x[1] > 0;
ANALYZE known, unknown, near, negative;
SQL
    my $fit = "tlv_ica('SELECT x FROM %s', iterations => 2)";
    my $shipped = passes(sprintf("SELECT $fit IS NOT NULL", 'known'));
    unlike($shipped, qr/storing the rows/, 'a server that knows the extension takes every pass');
    my $stored = passes(sprintf("SELECT $fit IS NOT NULL", 'unknown'));
    is(scalar(() = $stored =~ /storing the rows/g), 1, 'rows that cannot stay where they are come once');
    is(scalar(() = passes(sprintf("SELECT $fit IS NOT NULL", 'parts')) =~ /storing the rows/g), 1, 'foreign partitions, too');
    is(query($db, sprintf("SELECT count(*) FROM (VALUES ($fit), ($fit), ($fit)) v(m) WHERE tlv_amari(m, $fit) < 1e-6",
        'known', 'unknown', 'parts', 'vectors')), '3', 'and the model is the same');
}
# A model that exceeds work_mem waits for its use in memory, not in a file of every pass.
unlike(passes("SELECT tlv_lda('SELECT bag FROM wide', 3, refine => 'gibbs', iterations => 3) IS NOT NULL",
    settings => [ 'log_temp_files = 0', 'client_min_messages = log', q{work_mem = '64kB'} ]), qr/temporary file/, 'no temporary files');
# Models of megabytes, one after the other: the last step needs no more memory than the first.
SKIP: {
    skip 'no /proc here', 1 unless -r '/proc/self/status';
    query($db, 'CREATE TABLE many AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(20000, 30, seed => 1), 2000, 100, seed => 2)');
    my @peaks = map {
        my $result = run_sql($db, "SELECT tlv_lda('SELECT bag FROM many', 30, alpha0 => 1, iterations => $_) IS NOT NULL;
            SELECT 'peak ' || substring(pg_read_file('/proc/self/status', 0, 10000) FROM 'VmHWM:\\s*(\\d+)');");
        ($result->{out} // '') =~ /peak (\d+)/ ? $1 / 1024 : 0;
    } 1, 25;
    ok($peaks[0] > 0 && $peaks[1] < $peaks[0] + 20, 'steps leave nothing behind') or diag("peaks of 1 and of 25 steps: @peaks MB");
}
drop_database($db);
done_testing();
