# cancels.pl N [PATTERN] - N cancels and terminates at random moments over the phases of
# test/interrupts/*.sql whose family matches, as many of each family; run by scripts/check-cancels.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../t/lib';
use TlvCancels;
use TlvPhases;
use TlvTest;

my ($n, $wanted) = ($ARGV[0] // 10000, $ARGV[1] // '^(?!large)');
my @families = grep { /$wanted/ } families();
my $log = server_log_size();
my %sum = (sessions => 0, whole => 0, cancelled => 0, terminated => 0, left => 0, growth => 0, files => 0);
my @wrong;
for my $family (@families) {
    my ($setup, @phases) = phases($family);
    my $db = new_database("tlv_cancels_$family");
    query($db, "ALTER DATABASE $db SET tensorlv.work_mem = '2GB'");
    query($db, $setup);
    my $found = cancel_at_random($db, \@phases, $n / @families, seed => $ENV{TLV_SEED} // 1, at_once => $ENV{TLV_SESSIONS} // 2, longest => 150,
        progress => sub { printf STDERR "%s: %d cancelled, %d terminated\n", $family, @{ $_[0] }{qw(cancelled terminated)} if $ENV{TLV_SHOW} });
    $sum{$_} += $found->{$_} for qw(sessions whole cancelled terminated left files);
    $sum{growth} = $found->{growth} if $found->{growth} > $sum{growth};
    push @wrong, map { "$family: $_" } @{ $found->{wrong} };
    drop_database($db);
}
# what the server says of leaks and crashes
my $text = server_log_since($log) // '';
push @wrong, $text =~ /^.*(?:leak|still referenced|was not closed|terminated by signal|PANIC|TRAP:|detected write past).*$/mg;
print "wrong: $_\n" for @wrong;
printf "check-cancels: %d cancelled, %d terminated in %d sessions, of which %d came to their end, over %d families; %d wrong,"
    . " %d contexts, locks or cursors left, %d files left, memory of a session grew by at most %.1f MB\n",
    @sum{qw(cancelled terminated sessions whole)}, scalar @families, scalar @wrong, $sum{left}, $sum{files}, $sum{growth} / 2**20;
exit(@wrong || $sum{left} || $sum{files} ? 1 : 0);
