# The largest model of every kind in every function that takes one: a cancel is served in time, and the process stays within tensorlv.work_mem.
# Models of 1 MB here, of TLV_LARGEST megabytes by make check-largest, which prints the worst ten.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvLargest;
use TlvTest;

plan skip_all => 'the memory and time of a process are not known here' unless -w '/proc/self/clear_refs' && -r '/proc/self/stat';

my $wanted = $ENV{TLV_LARGEST_KIND} // '';
my $milliseconds = 100;
my $db = new_database('tlv_largest');
for my $megabytes (split /,/, $ENV{TLV_LARGEST} // '1') {
    my $known = make_largest($db, $megabytes);
    my %bytes = map { split /\|/ } split /\n/, query($db, 'SELECT kind, pg_column_size(m) FROM largest');
    is_deeply([ sort keys %bytes ], [ sort(model_kinds()) ], "$megabytes MB: a model of every kind");
    note join ', ', map { sprintf '%s %.1f MB', $_, $bytes{$_} / 2**20 } sort keys %bytes;
    my @functions = model_functions($db);
    cmp_ok(scalar @functions, '>', 100, @functions . ' functions take a model');
    my (@late, @narrow, @all);
    for my $kind (grep { /$wanted/ } sort keys %bytes) {
        my ($calls, $result) = measure_calls($db, $kind, $known->{$kind}, \@functions, '2GB', $milliseconds);
        is($result->{status} . @$calls, '0' . @functions, "$megabytes MB, $kind: all calls in one session") or diag substr $result->{errors}, -500;
        push @late, @$calls;
        ($calls, $result) = measure_calls($db, $kind, $known->{$kind}, \@functions, '16MB', 3000);
        is($result->{status} . @$calls, '0' . @functions, "$megabytes MB, $kind: all calls with little memory") or diag substr $result->{errors}, -500;
        push @narrow, @$calls;
    }
    my $refused = grep { $_->{state} eq '53400' } @late;
    my $done = grep { $_->{state} =~ /^00|^57014/ } @late;
    cmp_ok($refused, '<=', 0.1 * ($done + $refused), "$megabytes MB: of " . ($done + $refused) . " calls that suit a kind $refused are refused for memory at 2 GB") if $megabytes <= 10;
    note sprintf '%d of %d are refused at 16 MB', scalar(grep { $_->{state} eq '53400' } @narrow), scalar @narrow;
    is(join(', ', map { "$_->{kind}: $_->{call}: $_->{message}" } grep { $_->{state} =~ /^XX/ } @late, @narrow), '', "$megabytes MB: no internal error");
    my @worst = sort { $b->{seconds} <=> $a->{seconds} } @late;
    my @fat = sort { $b->{grown} <=> $a->{grown} } @narrow;
    for my $i (0 .. 9) {
        note sprintf '%-60s %.2f s %s', "$worst[$i]{kind}: $worst[$i]{call}", $worst[$i]{seconds}, $worst[$i]{state} if $worst[$i];
        note sprintf '%-60s %.0f MB %s', "$fat[$i]{kind}: $fat[$i]{call}", $fat[$i]{grown}, $fat[$i]{state} if $fat[$i];
    }
    # what was computed before the time was up is in it
    my @over = grep { $_->{seconds} - $milliseconds / 1000 >= 0.5 } @worst;
    is(join("\n", map { sprintf '%s: %s %.2f s', $_->{kind}, $_->{call}, $_->{seconds} } @over), '', "$megabytes MB: a cancel is served within half a second of processor time");
    @over = grep { $_->{grown} >= 1.5 * 16 + 32 } @fat;
    is(join("\n", map { sprintf '%s: %s %.0f MB', $_->{kind}, $_->{call}, $_->{grown} } @over), '', "$megabytes MB: the process grows by less than 1.5 times the setting and 32 MB");
}
drop_database($db);
done_testing();
