# Progress reports: off by default, a line for every pass when asked for.
use strict;
use warnings;
use Test::More tests => 5;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_progress');
query($db, 'CREATE TABLE docs AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3), 500, 40)');
my $fit = "SELECT tlv_lda('SELECT bag FROM docs', k => 3, alpha0 => 1, iterations => 1) IS NOT NULL;";

unlike(run_sql($db, $fit)->{errors}, qr/tensorlv:/, 'nothing by default');
my $errors = run_sql($db, "SET tensorlv.progress = notice; $fit")->{errors};
like($errors, qr/pass 1: .*tlv_count_summary.*pass 2: .*tlv_count_products/s, 'summary, then products');
like($errors, qr/tlv_count_moments.*tlv_statistics/s, 'compressed moments, then refinement');
my @passes = $errors =~ /pass (\d+):/g;
is_deeply([@passes], [1 .. @passes], 'passes are numbered');
SKIP: {
    my $size = server_log_size();
    run_sql($db, "SET tensorlv.progress = log; $fit");
    my $log = server_log_since($size);
    skip 'the log of the server is not readable from here', 1 unless defined $log;
    like($log, qr/LOG:.*tensorlv: pass 1/, 'into the log of the server');
}
drop_database($db);
