# Every phase ends soon after a cancel or statement_timeout, and the session goes on.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(time sleep);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_cancel');
my $log = server_log_size();
query($db, "ALTER DATABASE $db SET tensorlv.work_mem = '2GB'");
# Work for minutes in every phase: large values, and rows without end from a cross join.
query($db, <<'SQL');
CREATE TABLE docs AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(5000, 20, alpha0 => 2), 1500, 200);
CREATE TABLE endless AS SELECT bag FROM docs, generate_series(1, 10);
CREATE TABLE held AS
  SELECT tlv_count_summary(bag) AS summary, tlv_count_moments(bag) AS pairs, NULL::tlv_subspace AS s, NULL::tlv_subspace AS wide,
         NULL::tlv_moments AS triples, NULL::tlv_moments AS wide_triples, NULL::tlv_model AS m FROM docs;
UPDATE held SET s = tlv_subspace(summary, 20), wide = tlv_subspace(summary, 100);
CREATE TABLE fine AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(1000, 100, alpha0 => 5), 4000, 200);
UPDATE held SET triples = (SELECT tlv_count_moments(bag, s) FROM docs),
  wide_triples = (SELECT tlv_count_moments(bag, f) FROM fine, (SELECT tlv_subspace(tlv_count_moments(bag), 100) AS f FROM fine) q);
UPDATE held SET m = tlv_fit_lda((SELECT tlv_count_moments(bag, sub) FROM docs, (SELECT tlv_subspace(pairs, 20) AS sub FROM held OFFSET 0) q), alpha0 => 2);
CREATE TABLE terms AS SELECT doc, 'w' || item AS term, weight AS n FROM docs, tlv_items(bag);
SQL

my @phases = (
    [ 'bags of rows'                 => 'SELECT sum(tlv_size(b)) FROM (SELECT doc, tlv_bag(term, n) AS b FROM terms, generate_series(1, 100) GROUP BY doc) q' ],
    [ 'one large bag'                => 'SELECT tlv_bag(i) FROM generate_series(1, 40000000) i' ],
    [ 'summary'                      => 'SELECT tlv_count_summary(bag) FROM docs, generate_series(1, 1000)' ],
    [ 'pairs'                        => 'SELECT tlv_count_moments(bag) FROM docs, generate_series(1, 100)' ],
    [ 'merging pairs'                => 'SELECT tlv_rollup(pairs) FROM held, generate_series(1, 100)' ],
    [ 'adding pairs'                 => 'SELECT count(pairs + pairs) FROM held, generate_series(1, 50)' ],
    [ 'products'                     => 'SELECT tlv_count_products(bag, (SELECT wide FROM held)) FROM docs, generate_series(1, 50)' ],
    [ 'compressed moments'           => 'SELECT tlv_count_moments(bag, (SELECT wide FROM held)) FROM docs, generate_series(1, 20)' ],
    [ 'merging compressed moments'   => 'SELECT tlv_rollup(wide_triples) FROM held, generate_series(1, 5000)' ],
    [ 'many groups of moments'       => 'SELECT count(m) FROM (SELECT doc, tlv_count_moments(bag, (SELECT wide FROM held)) AS m FROM docs GROUP BY doc) q' ],
    [ 'subspace of 5000 items'       => 'SELECT count(tlv_subspace(pairs, 200, seed => i)) FROM held, generate_series(1, 20) i' ],
    [ 'random subspace'              => 'SELECT count(tlv_subspace(summary, 400, seed => i)) FROM held, generate_series(1, 20) i' ],
    [ 'alpha0 search, k = 100'       => 'SELECT tlv_fit_lda(wide_triples, 100, seed => i) FROM held, generate_series(1, 9) i' ],
    [ 'joint, k = 100'               => 'SELECT count(tlv_fit_lda(wide_triples, 100, alpha0 => 5 + i)) FROM held, generate_series(1, 30) i' ],
    [ 'power method, k = 100'        => q{SELECT tlv_fit_lda(wide_triples, 100, alpha0 => 5, method => 'power', restarts => 100, steps => 100) FROM held} ],
    [ 'als, k = 100'                 => q{SELECT count(tlv_fit_lda(wide_triples, 100, alpha0 => 5, method => 'als', restarts => 50, steps => 1000, seed => i)) FROM held, generate_series(1, 9) i} ],
    [ 'sgd, k = 100'                 => q{SELECT tlv_fit_lda(wide_triples, 100, alpha0 => 5, method => 'sgd', steps => 100000) FROM held} ],
    [ 'Gibbs statistics'             => 'SELECT tlv_statistics(bag, (SELECT m FROM held)) FROM docs, generate_series(1, 50)' ],
    [ 'variational statistics'       => q{SELECT tlv_statistics(bag, (SELECT m FROM held), 'vb') FROM docs, generate_series(1, 50)} ],
    [ 'one endless document'         => q{SELECT tlv_statistics(b, (SELECT m FROM held)) FROM (SELECT tlv_bag(item, 1e7) AS b FROM docs, tlv_items(bag)) q} ],
    [ 'inference'                    => 'SELECT count(tlv_infer((SELECT m FROM held), bag)) FROM docs, generate_series(1, 100)' ],
    [ 'perplexity'                   => 'SELECT tlv_perplexity((SELECT m FROM held), bag) FROM docs, generate_series(1, 50)' ],
    [ 'coherence'                    => 'SELECT tlv_coherence(bag, (SELECT m FROM held)) FROM docs, generate_series(1, 1000)' ],
    [ 'topic items'                  => 'SELECT count(*) FROM held, generate_series(1, 100), tlv_topic_items(m)' ],
    [ 'matching'                     => 'SELECT count(*) FROM (SELECT tlv_simulate_lda_model(5000, 400) AS m) q, generate_series(1, 10) i,
        tlv_match(m, tlv_simulate_lda_model(5000, 400, seed => i + 1))' ],
    [ 'a random model'               => 'SELECT count(tlv_simulate_lda_model(200000, 100, seed => i)) FROM generate_series(1, 20) i' ],
    [ 'simulation'                   => 'SELECT count(*) FROM held, tlv_simulate_lda(m, 1000000, 200)' ],
    [ 'simulation of one document'   => 'SELECT count(*) FROM held, generate_series(1, 50) i, tlv_simulate_lda(m, 1, 10000000, seed => i)' ],
    [ 'text of large values'         => 'SELECT max(length(pairs::text)) FROM held, generate_series(1, 50)' ],
    [ 'text to large values'         => 'SELECT count(t::tlv_moments) FROM (SELECT pairs::text AS t FROM held) q, generate_series(1, 50)' ],
    [ 'binary form of large values'  => 'SELECT max(length(tlv_moments_send(pairs))) FROM held, generate_series(1, 50)' ],
    [ 'tlv_suggest_k'                => q{SELECT tlv_suggest_k('SELECT bag FROM endless', 100)} ],
    [ 'tlv_lda of bags'              => q{SELECT tlv_lda('SELECT bag FROM endless', 50, iterations => 100)} ],
    [ 'tlv_lda of terms'             => q{SELECT tlv_lda('SELECT doc, term, n FROM terms, generate_series(1, 20)', 20)} ],
    [ 'tlv_lda, refinement'          => q{SELECT tlv_lda('SELECT bag FROM docs WHERE doc < 200', 2, 0.5, iterations => 100000)} ],
);
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
