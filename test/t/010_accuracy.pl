# Accuracy on simulated documents, against the acceptance figures of the numerics reference
# (section 10): the errors of our numpy prototype on data of the same sizes, at three seeds where sets are small, and at one,
# of which bench/lda_accept.py runs more; the number of topics is looked for at the first, and given where there are 10,000 documents.
# Before refinement at most 1.10 x figure + .005, after it at most 1.15 x figure + .01.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_accuracy');

# name, documents, items, topics, length, alpha0, unequal alphas, simplex L1, relative error of alpha, refined L1
my @cases = (
    [ 'lda_small', 2000,  200,  5,  50,  1, 0, .0584, .0284, .0497 ],
    [ 'lda_mid',   5000,  1000, 10, 60,  1, 0, .1161, .0367, .1004 ],
    [ 'lda_het',   5000,  1000, 10, 60,  1, 1, .1285, .0189, .1131 ],
    [ 'lda_base',  10000, 2000, 20, 100, 2, 0, .1568, .0229, .1365 ],
    [ 'lda_short', 10000, 2000, 20, 20,  2, 0, .3613, .0281, .3427 ],
);
for my $case (@cases) {
    my ($name, $n, $items, $k, $length, $alpha0, $unequal, $simplex, $alpha_error, $refined) = @$case;
    my $large = $n >= 10000;
    for my $seed ($n > 2000 ? 1 : (1 .. 3)) {
        my $searched = $seed == 1 && !$large;
        my $truth = "tlv_simulate_lda_model($items, $k, alpha0 => $alpha0, seed => $seed)";
        # alphas in geometric progression, the last 5 times the first
        $truth = "(SELECT tlv_topic_model(array_agg(topic), array_agg(item), array_agg(probability),
                     (SELECT array_agg(5 ^ ((j - 1) / ($k - 1.0)) / (SELECT sum(5 ^ ((i - 1) / ($k - 1.0))) FROM generate_series(1, $k) i) * $alpha0 ORDER BY j) FROM generate_series(1, $k) j))
                   FROM tlv_topic_items($truth))" if $unequal;
        my $query = "SELECT bag FROM docs";
        my $search = $searched ? "SELECT 'k', k FROM tlv_suggest_k('$query', max_k => $k + 15, seed => $seed, criterion => 'held_out') WHERE chosen;" : '';
        my $out = query($db, <<"SQL");
SET client_min_messages = error;
DROP TABLE IF EXISTS truth, docs, models;
CREATE TABLE truth AS SELECT $truth AS model;
CREATE TABLE docs AS SELECT d.bag FROM truth, tlv_simulate_lda(model, $n, $length, seed => $seed) d;
ANALYZE docs;
CREATE TABLE models AS
  SELECT 'moments' AS name, tlv_lda('$query', k => $k, alpha0 => $alpha0, refine => 'none', seed => $seed) AS model
  UNION ALL SELECT 'estimated', tlv_lda('$query', k => $k, refine => 'none', seed => $seed)
  UNION ALL SELECT 'gibbs', tlv_lda('$query', k => $k, alpha0 => $alpha0, iterations => 5, seed => $seed);
SELECT name, avg(distance), max(distance), sum(abs(a.alpha - b.alpha)) / $alpha0, (tlv_info(m.model)->>'alpha0')::float8,
       (SELECT score FROM tlv_diagnostics(m.model) WHERE measure = 'residual')
FROM truth t, models m, tlv_match(t.model, m.model) x, tlv_topics(t.model) a, tlv_topics(m.model) b
WHERE a.topic = x.component_a AND b.topic = x.component_b GROUP BY name, m.model ORDER BY name;
$search
SQL
        my %row = map { my @f = split /\|/; ($f[0] => \@f) } split /\n/, $out;
        my ($before, $after, $estimated) = @row{qw(moments gibbs estimated)};
        # on 200 items the prototype's own error varies with the data: at most .0669 at seeds 1 to 8
        my $figure = $name eq 'lda_small' && $seed > 1 ? .0669 : $simplex;
        cmp_ok($before->[1], '<=', 1.10 * $figure + .005, "$name, seed $seed: topics before refinement");
        cmp_ok($before->[2], '<=', 1, "$name, seed $seed: no topic lost");
        # wider than the bound of the reference (+ .005), which its own generators miss at 2 of 15 data sets, too (bench/lda_accept.py)
        cmp_ok($before->[3], '<=', 1.10 * $alpha_error + .02, "$name, seed $seed: alpha");
        cmp_ok($after->[1], '<=', 1.15 * $refined + .01, "$name, seed $seed: topics after refinement");
        # a factor 2 above is harmless, below it is not (section 1.6)
        my $high = $name eq 'lda_short' ? 2 : 1.35;
        ok($estimated->[4] >= 0.7 * $alpha0 && $estimated->[4] <= $high * $alpha0, "$name, seed $seed: alpha0 estimated as $estimated->[4], true $alpha0");
        is($row{k}[1], $k, "$name, seed $seed: number of topics") if $searched;
        diag(sprintf '%s seed %d: moments %.4f (max %.3f, alpha %.4f, residual %.4f), gibbs %.4f, alpha0 %.3f',
            $name, $seed, @$before[ 1, 2, 3, 5 ], $after->[1], $estimated->[4]) if $ENV{TAP_VERBOSE};
    }
}

drop_database($db);
done_testing();
