# Sessions beside each other: the same model from four at once, rows changing under a fit, loops
# as pgbench runs them.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_concurrency');
my $log = server_log_size();
query($db, <<'SQL');
CREATE TABLE docs AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(300, 6, alpha0 => 0.6, seed => 4), 3000, 60, seed => 4);
ANALYZE docs;
CREATE TABLE models (session int, round int, model tlv_model);
CREATE FUNCTION topics_hash(model tlv_model) RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(concat_ws(' ', topic, item, round(probability::numeric, 6)), ',' ORDER BY topic, item)) FROM tlv_topic_items(model)
$$;
SQL
my @sessions = map {
    my $session = $_;
    start_psql($db, join '', map { "INSERT INTO models SELECT $session, $_, tlv_lda('SELECT bag FROM docs', 6, iterations => 3);\n" } 1 .. 3)
} 1 .. 4;
my @results = map { finish_psql($_) } @sessions;
is(scalar(grep { $_->{status} != 0 } @results), 0, 'four sessions fit at once') or diag(map { $_->{errors} } @results);
is(query($db, 'SELECT count(*), count(DISTINCT topics_hash(model)) FROM models'), '12|1', 'and all find the same model');

# rows come and go while a fit reads: each fit sees one state of the table
query($db, 'CREATE TABLE changing AS SELECT * FROM docs; CREATE TABLE seen (n float8)');
my $writer = start_psql($db, join '', map { "INSERT INTO changing SELECT 10000 * $_ + doc, bag FROM docs WHERE doc <= 500;\n" } 1 .. 20);
my $reader = start_psql($db, join '', map {
    "INSERT INTO seen SELECT score FROM tlv_diagnostics((SELECT tlv_lda('SELECT bag FROM changing', 6, refine => 'none'))) WHERE measure = 'documents';\n" } 1 .. 8);
my ($written, $read) = map { finish_psql($_) } $writer, $reader;
is($written->{status} + $read->{status}, 0, 'fits while rows are added') or diag($written->{errors}, $read->{errors});
is(query($db, 'SELECT count(*), bool_and((n - 3000)::int % 500 = 0) FROM seen'), '8|t', 'every fit sees whole transactions');

# many short statements at once, as pgbench does: bags, inference, roll-ups, small fits
SKIP: {
    my $pgbench = bindir() . '/pgbench';
    skip 'pgbench is missing', 2 unless -x $pgbench;
    query($db, <<'SQL');
CREATE TABLE model AS SELECT model FROM models LIMIT 1;
CREATE TABLE days (day int PRIMARY KEY, m tlv_moments);
INSERT INTO days SELECT doc % 20, tlv_count_summary(bag) FROM docs GROUP BY 1;
SQL
    my $script = "/tmp/tlv_concurrency.$$.sql";
    open my $file, '>', $script or die $!;
    print $file <<'SQL';
\set d random(1, 2900)
\set day random(0, 19)
SELECT tlv_assign(model, bag) FROM model, docs WHERE doc = :d;
SELECT tlv_bag_agg(item, weight) = (SELECT bag FROM docs WHERE doc = :d) FROM docs, tlv_bag_items(bag) WHERE doc = :d;
UPDATE days SET m = m + (SELECT tlv_count_summary(bag) FROM docs WHERE doc = :d) WHERE day = :day;
SELECT tlv_info(tlv_rollup(m))->>'documents' FROM days;
SELECT tlv_fit_lda(tlv_count_moments(bag, s), alpha0 => 1) IS NOT NULL FROM docs,
    (SELECT tlv_find_subspace(tlv_count_moments(bag), 3) AS s FROM docs WHERE doc BETWEEN :d AND :d + 40) q WHERE doc BETWEEN :d AND :d + 40;
SQL
    close $file;
    my $out = `$pgbench -n --random-seed=1 -c 4 -j 2 -t 50 -f $script $db 2>&1`;
    unlink $script;
    is($?, 0, 'pgbench: every transaction succeeds') or diag($out);
    is(query($db, q{SELECT sum((tlv_info(m)->>'documents')::int) FROM days}), 3000 + 4 * 50, 'pgbench: no update is lost');
}

# the same value in two sessions: a state of one never shows up in the other
{
    my @pairs = map { start_psql($db, "SELECT md5(tlv_count_summary(bag)::text) FROM docs, generate_series(1, 10) WHERE doc % 2 = $_;\n" x 5) } 0, 1, 0, 1;
    my @out = map { finish_psql($_)->{out} } @pairs;
    ok($out[0] eq $out[2] && $out[1] eq $out[3] && $out[0] ne $out[1], 'states of sessions do not mix');
}

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
drop_database($db);
done_testing();
