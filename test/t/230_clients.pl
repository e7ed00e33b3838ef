# Parameters of the extended protocol without a type, as JDBC and psycopg send them: pgbench does, too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use File::Temp qw(tempfile);
use TlvTest;

my $db = new_database('tlv_clients');
query($db, <<'SQL');
CREATE TABLE models AS SELECT tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{3,1}') AS lda, tlv_simulate_gmm_model(3, 2, seed => 1) AS gmm, tlv_simulate_hmm_model(symbols => 3, seed => 1) AS hmm,
  tlv_simulate_mmsb_model(9, 2, seed => 1) AS mmsb;
SQL

# Ends well only where the condition is true.
sub condition_holds {
    my ($condition, %parameters) = @_;
    my ($out, $file) = tempfile(UNLINK => 1);
    print {$out} "SELECT 1 / ($condition)::int FROM models;\n";
    close $out;
    my $log = `@{[ join ' ', map { quotemeta } bindir() . '/pgbench', qw(-n -t 1 -M extended -f), $file, (map { ('-D', "$_=$parameters{$_}") } sort keys %parameters), $db ]} 2>&1`;
    return $? == 0 && $log =~ /number of transactions actually processed: 1\/1/ ? '' : $log;
}

for my $case (
    ['tlv_to_bag(:x) = tlv_to_bag(ARRAY[1, 2, 2])', x => '{1,2,2}'],
    ["tlv_to_bag(:x) = tlv_to_bag(ARRAY['cat', 'dog'])", x => '{cat,dog}'],
    ['tlv_to_bag(:x) = tlv_to_bag(ARRAY[1, 1])', x => '{1:2}'],
    ["tlv_to_bag(:x) = tlv_to_bag(to_tsvector('simple', 'cat dog'))", x => q('cat':1 'dog':2)],
    ['tlv_to_bag(:x, :y) = tlv_to_bag(ARRAY[1, 2], ARRAY[.5, 3])', x => '{1,2}', y => '{0.5,3}'],
    ["tlv_infer(lda, :x) = tlv_infer(lda, tlv_to_bag(ARRAY[1, 1, 2]))", x => '{1:2,2:1}'],
    ['tlv_infer(gmm, :x) = tlv_infer(gmm, ARRAY[1, 2.5, 3])', x => '{1,2.5,3}'],
    ['tlv_assign(gmm, :x) = tlv_assign(gmm, ARRAY[1, 2.5, 3])', x => '[1,2.5,3]'],
    ['(SELECT component FROM tlv_top(gmm, :x, 1)) = tlv_assign(gmm, ARRAY[1, 2.5, 3])', x => '{1,2.5,3}'],
    ['(SELECT count(*) FROM tlv_top(hmm, :x)) = 3', x => '{1,2,3}'],
    ['tlv_log_likelihood(gmm, :x) = tlv_log_likelihood(gmm, ARRAY[1, 2.5, 3])', x => '{1,2.5,3}'],
    ['tlv_impute(gmm, :x) = tlv_impute(gmm, ARRAY[1, NULL, 3])', x => '{1,NULL,3}'],
    ['tlv_edge_probability(mmsb, :x, :y) = tlv_edge_probability(mmsb, 1, 2)', x => '1', y => '2'],
    ['tlv_assign(:m, :x) = tlv_assign(gmm, ARRAY[1, 2.5, 3])', x => '{1,2.5,3}', m => query($db, 'SELECT gmm FROM models')]) {
    my ($condition, @parameters) = @$case;
    is(condition_holds($condition, @parameters), '', $condition);
}
like(condition_holds('tlv_assign(lda, :x) = 1', x => 'buffer overflow'), qr/takes no row of type text/, 'words are no document');

drop_database($db);
done_testing();
