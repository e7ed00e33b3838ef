# The largest value of every kind in every function that takes one: a cancel is served in time, and the process stays within tensorlv.work_mem.
# Values of 1 MB with 16 MB of memory here; of TLV_LARGEST megabytes in all modes by make check-largest, which prints the worst ten.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvLargest;
use TlvMeasures;
use TlvTest;

plan skip_all => 'the memory and time of a process are not known here' unless can_measure();

my $wanted = $ENV{TLV_LARGEST_KIND} || '.';
my %modes = (
    little => { memory => '16MB', milliseconds => $ENV{TLV_LARGEST} ? 3000 : 300, cancel => 'timeout', grows => 1.5 * 16 + 32 },
    much => { memory => '2GB', milliseconds => 100, cancel => 'timeout' },
    cancel => { memory => '2GB', milliseconds => 100, cancel => 'session' },
    default => { memory => '1GB', milliseconds => 300, cancel => 'timeout', refused => 0.1 },
);
# Kinds whose form bounds what they take, whatever they are of.
my %bounded = (
    completion => 'five numbers', topic_scores => 'four numbers for each of 256 groups', convolution => '128 lags of 16 atoms', series_moments => '128 lags',
    dense_subspace => '200 directions of 4,000 dimensions', dense_compressed => 'moments of 200 directions', score_products => '2^24 products',
    ica => '4,000 dimensions, and 1e9 products of its singular value decomposition',
);
my @modes = split /,/, $ENV{TLV_LARGEST_MODES} // ($ENV{TLV_LARGEST} ? 'little,much,cancel,default' : 'little');
# What the server holds beside, in stored values: what a client is sent is in memory whole, as text or as bytes, arguments that are
# arrays are made of three values, and values that are stored compressed are compared whole.
my @beside = ([ qr/_(?:out|send)\(/, 3 ], [ qr/\[\]/, 7 ], [ qr/_cmp\(/, 2 ]);

my $db = new_database('tlv_largest');
my %types = value_kinds();
for my $megabytes (split /,/, $ENV{TLV_LARGEST} // '1') {
    my $known = make_largest($db, $megabytes);
    my %bytes = map { split /\|/ } split /\n/, query($db, join ' UNION ALL ', map { "SELECT kind, pg_column_size(v) FROM largest_$_" } qw(tlv_model tlv_moments tlv_subspace tlv_graph));
    is(join(' ', grep { !$bytes{$_} && /$wanted/ } sort keys %types), '', "$megabytes MB: a value of every kind");
    note join ', ', map { sprintf '%s %.1f MB%s', $_, $bytes{$_} / 2**20, $bounded{$_} ? " ($bounded{$_})" : '' } grep { $types{$_} } sort keys %bytes;
    is(join(', ', map { sprintf '%s %.1f MB', $_, $bytes{$_} / 2**20 } grep { $types{$_} && !$bounded{$_} && $bytes{$_} < 0.75 * $megabytes * 2**20 } sort keys %bytes), '',
        "$megabytes MB: values are as large as they should be");
    my %functions = map { $_ => [ value_functions($db, $_) ] } values %types;
    cmp_ok(scalar @{ $functions{tlv_model} }, '>', 100, join ', ', map { scalar(@{ $functions{$_} }) . " functions take a $_" } sort keys %functions);
    for my $name (@modes) {
        my $mode = $modes{$name};
        my (@calls, @broken);
        for my $kind (grep { $types{$_} && /$wanted/ } sort keys %bytes) {
            my $list = $functions{ $types{$kind} };
            my ($measured, $result) = measure_calls($db, $kind, $types{$kind}, $known->{$kind}, $list, $mode);
            push @broken, "$kind: " . substr $result->{errors}, -500 if $result->{status} != 0 || @$measured != @$list;
            push @calls, @$measured;
        }
        my $what = "$megabytes MB, $name";
        is(join("\n", @broken), '', "$what: all calls on a kind in one session, " . @calls . ' calls');
        is(join("\n", map { "$_->{kind}: $_->{call}: $_->{message}" } grep { $_->{state} =~ /^XX/ } @calls), '', "$what: no internal error");
        my $refused = grep { $_->{state} eq '53400' } @calls;
        my $done = grep { $_->{state} =~ /^00|^57014/ } @calls;
        note "$what: of " . ($done + $refused) . " calls that suit a kind $refused are refused for memory";
        cmp_ok($refused, '<=', $mode->{refused} * ($done + $refused), "$what: few calls are refused for memory") if $mode->{refused} && $megabytes <= 10;
        my @late = sort { $b->{late} <=> $a->{late} } @calls;
        my @fat = sort { $b->{grown} <=> $a->{grown} } @calls;
        for my $i (0 .. 9) {
            note sprintf '%-60s %.2f s late %s', "$late[$i]{kind}: $late[$i]{call}", $late[$i]{late}, $late[$i]{state} if $late[$i];
            note sprintf '%-60s %.0f MB %s', "$fat[$i]{kind}: $fat[$i]{call}", $fat[$i]{grown}, $fat[$i]{state} if $fat[$i];
        }
        # what was computed before the time was up does not count
        my @over = grep { $_->{late} >= 0.5 } @late;
        is(join("\n", map { sprintf '%s: %s %.2f s', $_->{kind}, $_->{call}, $_->{late} } @over), '', "$what: a cancel is served within half a second of processor time");
        my $of_server = sub { my ($call) = @_; return map { $call->{call} =~ $_->[0] ? $_->[1] * $bytes{ $call->{kind} } / 2**20 : () } @beside };
        @over = grep { $_->{grown} >= ($mode->{grows} // 1e9) + (($of_server->($_))[0] // 0) } @fat;
        is(join("\n", map { sprintf '%s: %s %.0f MB', $_->{kind}, $_->{call}, $_->{grown} } @over), '', "$what: the process grows by less than 1.5 times the setting and 32 MB") if $mode->{grows};
    }
}
drop_database($db);
done_testing();
