# What limits do to a fit: memory over its steps, temporary files, locks.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(sleep);
use lib dirname(__FILE__) . '/lib';
use TlvImages;
use TlvTest;

my $db = new_database('tlv_limits');
query($db, <<'SQL');
CREATE TABLE points AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(100, 20, separation => 3, covariance => 'full'), 2000);
CREATE TABLE votes AS SELECT v FROM tlv_simulate_tree(tlv_simulate_tree_model(120, 12, observed_states => 14), 300);
CREATE FUNCTION peak() RETURNS bigint LANGUAGE sql AS
  $$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::bigint * 1024 $$;
SQL

# ---- the model of every step goes with the next: the peak is the same after 2 steps and after many ----
# The peak counts what pages of the server's shared memory and of its catalogues the process was the first to touch: the least of a few.
SKIP: {
    skip 'the memory of a process is not known here', 2 unless -r '/proc/self/status';
    my %fits = (
        tlv_gmm => [ 40, q{tlv_gmm('SELECT x FROM points', 20, 'full', iterations => %d)} ],
        tlv_tree => [ 200, q{tlv_tree('SELECT v FROM votes', 12, iterations => %d)} ],
    );
    for my $name (sort keys %fits) {
        my ($most, $call) = @{ $fits{$name} };
        my (%peak, $size);
        for my $steps (2, $most, 2, $most, 2, $most) {
            my $fit = sprintf $call, $steps;
            ($size, my $peak) = split /\|/,
                query($db, "SET jit = off; SET max_parallel_workers_per_gather = 0; SELECT encode(tlv_model_send($fit), 'hex'), peak()");
            $size = 4 + length plain_image(pack 'H*', $size);
            $peak{$steps} = $peak if !defined $peak{$steps} || $peak < $peak{$steps};
        }
        my $more = ($peak{$most} - $peak{2}) / $size;
        cmp_ok($more, '<', 4, sprintf('%s: %d steps instead of 2, of a model of %.0f kB, take %.1f models more', $name, $most, $size / 1024, $more));
    }
}

# ---- temporary files: an error of the limit's own, nothing left, and the session goes on ----
my $stored = q{SELECT tlv_gmm('SELECT ARRAY[random(), i, i % 7] FROM generate_series(1, 200000) i', 3) IS NULL;};
my $result = run_sql($db, "SET work_mem = '64kB'; SET temp_file_limit = '1MB';\n$stored\nSELECT 'goes on';\nSELECT count(*) FROM pg_ls_tmpdir();", go_on => 1);
like($result->{errors}, qr/ERROR:\s+53400/, 'a fit whose stored rows exceed temp_file_limit: 53400');
is($result->{out}, "goes on\n0", 'the session goes on, and no temporary file is left');

# ---- locks ----
query($db, 'CREATE TABLE locked AS SELECT x FROM points LIMIT 100');
my $holder = start_psql($db, 'BEGIN; LOCK TABLE locked; SELECT pg_sleep(20);');
for (1 .. 100) {
    last if query($db, q{SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'locked'::regclass}) > 0;
    sleep 0.1;
}
$result = run_sql($db, "SET lock_timeout = '300ms';\nSELECT tlv_gmm('SELECT x FROM locked', 2) IS NULL;\nSELECT count(tlv_gmm('SELECT x FROM points', 2, iterations => 1));", go_on => 1);
like($result->{errors}, qr/ERROR:\s+55P03/, 'a fit of a locked table ends with lock_timeout: 55P03');
cmp_ok($result->{seconds}, '<', 15, sprintf('in time: %.1f s', $result->{seconds}));
is($result->{out}, '1', 'the session goes on');
query($db, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK TABLE locked%' OR query LIKE '%pg_sleep(20)%' AND pid <> pg_backend_pid()});
finish_psql($holder);

# too little memory: the hint, followed once, is enough
query($db, <<'SQL');
CREATE TABLE hint_docs AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(400, 5), 800, 60);
CREATE TABLE hint_rows AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(6, 3), 2000);
CREATE TABLE hint_edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(200, 3));
-- of these the first step needs less than a later one
CREATE TABLE hint_many_edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(8000, 4, 0, 0.006, 0.0005));
CREATE TABLE hint_answers AS SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model(200, 3), 2000);
SQL
for my $call ("tlv_lda('SELECT bag FROM hint_docs', 5, iterations => 2)",
  # of many topics the tensor takes more than the subspace, which is refused first
  (map { ("tlv_lda('SELECT bag FROM hint_docs', $_, iterations => 1)",
          "tlv_lda('SELECT bag FROM hint_docs', $_, method => 'tensor', refine => 'none')") } 2, 30),
  "tlv_lda('SELECT bag FROM hint_docs', 5, method => 'anchors', refine => 'none')",
  "tlv_gmm('SELECT x FROM hint_rows', 3)",
  "tlv_gmm('SELECT x FROM hint_rows', 3, 'full')", "tlv_mmsb('SELECT src, dst FROM hint_edges', 3)",
  (map { "tlv_mmsb('SELECT src, dst FROM hint_many_edges', 4, $_)" } 'alpha0 => 0', 'alpha0 => 0.5', 'directed => true'),
  "tlv_lca('SELECT v FROM hint_answers', 3)", "tlv_gom('SELECT v FROM hint_answers', 3, iterations => 1)") {
    my $refused = run_sql($db, "SET tensorlv.work_mem = '64kB'; SELECT $call IS NOT NULL;")->{errors};
    like($refused,
        qr/ERROR:  53400: [\d.]+ [kM]B of memory are needed for .*\nDETAIL:  64 kB are allowed, of which \d+ kB are in use\.\nHINT:  SET tensorlv\.work_mem = '\d+MB';/, "$call: too little memory");
    my ($hint) = $refused =~ /HINT:  (SET .*;)/;
    is(run_sql($db, ($hint // '') . " SELECT $call IS NOT NULL;")->{out}, 't', 'and what the hint says is enough') if $hint;
}
query($db, "CREATE TABLE hint_moments AS SELECT tlv_anchor_moments(bag, s) AS anchors, (SELECT tlv_topic_products(bag, (SELECT tlv_simulate_lda_model(400, 80))) FROM hint_docs) AS products
    FROM hint_docs, (SELECT tlv_find_subspace(tlv_count_moments(bag), 20) AS s FROM hint_docs) q");
for my $call ('tlv_fit_lda(anchors)', "tlv_fit_lda((SELECT tlv_count_moments(bag) FROM hint_docs), 5, method => 'recover')", 'count(t) FROM hint_moments h, tlv_topic_correlations(h.products) t') {
    my $from = $call =~ /FROM hint_moments/ ? '' : 'FROM hint_moments';
    like(run_sql($db, "SET tensorlv.work_mem = '64kB'; SELECT $call $from;")->{errors}, qr/ERROR:  53400: /, "$call: too little memory");
    is(run_sql($db, "SELECT count(*) FROM (SELECT $call $from) q;")->{out}, '1', 'and with the usual memory it runs');
}

drop_database($db);
done_testing();
