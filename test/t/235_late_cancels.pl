# Inputs that once held a backend for seconds, or took gigabytes: a cancel is served within half a second of processor time, and the
# process stays within tensorlv.work_mem.  Values of kilobytes that unpack to more are in 230, the largest value of every kind in 240.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvMeasures;
use TlvTest;

plan skip_all => 'the memory and time of a process are not known here' unless can_measure();

my $db = new_database('tlv_late_cancels');
my $log = server_log_size();
make_measures($db);
# A mixture whose covariance is an identity and topics of one item are kilobytes.  What the server makes of arrays and JSON is made before.
query($db, <<'SQL');
CREATE FUNCTION identity_mixture(d int) RETURNS tlv_model LANGUAGE sql AS $$
  SELECT tlv_from_json(format('{"kind":"gaussian_mixture","covariance":"full","rows":9,"steps":1,"seed":1,"weights":[1],"means":[%s],"covariances":[[%s]],"floor":%s}',
    zeros, identity, array_to_json(array_fill(1e-6, ARRAY[d])))::json)
  FROM (SELECT array_to_json(array_fill(0, ARRAY[d])) AS zeros, string_agg('[' || repeat('0,', i - 1) || '1' || repeat(',0', d - i) || ']', ',') AS identity FROM generate_series(1, d) i) s $$;
CREATE TABLE mixture AS SELECT identity_mixture(1500) AS m, array_fill(0::float8, ARRAY[1500]) AS x;
CREATE TABLE chain AS SELECT tlv_simulate_hmm_model(3, 1000) AS m, (SELECT array_agg(1 + i % 3) FROM generate_series(1, 5000) i) AS s;
CREATE TABLE mixing AS SELECT array_fill(0.5::float8, ARRAY[3000, 3000]) AS large, array_fill(0.5::float8, ARRAY[200000, 60]) AS tall;
CREATE TABLE topics AS SELECT tlv_simulate_lda_model(3, 10000) AS m;
CREATE TABLE diagnostics AS SELECT ('{"kind":"gaussian_mixture","covariance":"spherical","weights":[1],"means":[[0]],"covariances":[1],"floor":[1e-6],"diagnostics":['
  || repeat('["a",1],', 3999999) || '["a",1]]}')::json AS j;
SQL
cmp_ok(query($db, 'SELECT max(pg_column_size(m)) FROM mixture'), '<', 20_000, 'a mixture of 9 MB is stored in less than 20 kB');

# Each with what it ends in where memory is little, and where it is not.
my ($little, $cancelled, $sides) = ('53400 \d+\.\d MB of memory are needed for', '57014 canceling statement due to statement timeout', '54000 a singular value problem of 3000 x 3000 is too large');
my @inputs = (
    [ 'a full covariance of 1,500 dimensions is opened', 'SELECT tlv_assign(m, x) FROM mixture', $little, $cancelled ],
    [ 'the same in an aggregate', 'SELECT tlv_statistics(x, m) IS NULL FROM mixture', $little, $cancelled ],
    [ 'paths of 1,000 states', 'SELECT cardinality(tlv_viterbi(m, s)) FROM chain', $little, $cancelled ],
    [ 'posteriors of 1,000 states', 'SELECT cardinality(tlv_infer(m, s)) FROM chain', $little, $cancelled ],
    [ 'statistics of 1,000 states', 'SELECT tlv_statistics(s, m) IS NULL FROM chain', $little, $cancelled ],
    [ 'mixing matrices of 3,000 x 3,000', 'SELECT tlv_amari(large, large) FROM mixing', $sides, $sides ],
    [ 'mixing matrices of 200,000 x 60', 'SELECT tlv_amari(tall, tall) FROM mixing', $little, $cancelled ],
    [ 'matching of 10,000 topics', 'SELECT count(*) FROM topics, tlv_match(m, m)', $little, $cancelled ],
    [ '4 million diagnostics', 'SELECT tlv_from_json(j) IS NULL FROM diagnostics', $little, $cancelled ],
);
for my $memory (qw(16MB 1GB)) {
    my ($measured, $result) = measure_statements($db, \@inputs, { memory => $memory, milliseconds => 50, cancel => 'timeout' });
    is(scalar @$measured, scalar @inputs, "$memory: the session lives") or diag $result->{errors};
    my %outcome = map { $_->[0] => $_->[ $memory eq '16MB' ? 2 : 3 ] } @inputs;
    for (@$measured) {
        my $what = "$memory, $_->{call}";
        like("$_->{state} $_->{message}", qr/^$outcome{ $_->{call} }/, "$what: the outcome");
        cmp_ok($_->{late}, '<', 0.5, "$what: seconds late");
        note sprintf '%s: %.2f s late, grown by %.0f MB', $what, $_->{late}, $_->{grown};
        # the text of the JSON is in memory besides
        cmp_ok($_->{grown}, '<', 1.5 * 16 + 32 + ($_->{call} =~ /diagnostics/ ? 62 : 0), "$what: MB of growth") if $memory eq '16MB';
    }
}

drop_database($db);
done_testing();
