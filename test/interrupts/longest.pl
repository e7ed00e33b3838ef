# longest.pl [PATTERN] - the longest stretch without a look at interrupts, in processor time, of
# every phase of test/interrupts/*.sql whose family and name match; run by scripts/check-interrupts.
# Each is cancelled after TLV_SECONDS of processor time.  Fails when one is longer than LIMIT.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../t/lib';
use TlvPhases;
use TlvTest;

use constant LIMIT => 0.5;

my $wanted = $ARGV[0] // '';
my $seconds = $ENV{TLV_SECONDS} // 5;
my @found;

# The function of a frame, as far as there are symbols.
my %names;
sub function_of {
    my ($frame) = @_;
    my ($file, $offset) = $frame =~ /^(.*)\+(0x[0-9a-f]+)$/ or return $frame;
    return $names{$frame} //= do {
        my ($name) = split /\n/, qx(addr2line -f -e '$file' $offset 2>/dev/null);
        $name //= '??';
        $name =~ s/\.(avx2|avx512f|default|part|isra|constprop|cold).*//;
        $name ne '??' ? $name : $file =~ s{.*/}{}r;
    };
}

# Innermost functions first, those of the module itself and of the signal left out.
sub place {
    my ($frames) = @_;
    my @names = map { function_of($_) } grep { !/interrupt_watch/ } split / /, $frames;
    shift @names while @names && $names[0] =~ /^(libc|__restore_rt)/;
    my @short;
    for my $name (@names) {
        push @short, $name if !@short || $short[-1] ne $name;
    }
    return join ' < ', @short[ 0 .. ($#short < 4 ? $#short : 4) ];
}

for my $family (families()) {
    my ($setup, @phases) = phases($family);
    @phases = grep { "$family: $_->[0]" =~ /$wanted/ } @phases;
    next if !@phases;
    my $db = new_database("tlv_watch_$family");
    query($db, <<"SQL");
ALTER DATABASE $db SET tensorlv.work_mem = '6GB';
ALTER DATABASE $db SET max_parallel_workers_per_gather = 0;
ALTER DATABASE $db SET jit = off;
CREATE FUNCTION interrupt_watch_begin(seconds float8) RETURNS void LANGUAGE c AS '$ENV{TLV_WATCH}', 'interrupt_watch_begin';
CREATE FUNCTION interrupt_watch_end(OUT seconds float8, OUT longest float8, OUT place text) LANGUAGE c AS '$ENV{TLV_WATCH}', 'interrupt_watch_end';
SQL
    query($db, $setup);
    for my $phase (@phases) {
        my ($name, $sql) = @$phase;
        my $result = run_sql($db, "LOAD 'tensorlv';\nSELECT interrupt_watch_begin($seconds);\n\\o /dev/null\n$sql;\n\\o\n"
            . "SELECT * FROM interrupt_watch_end();\n", go_on => 1);
        my ($error) = $result->{errors} =~ /ERROR: +(?!57014|\s)(.*)/;
        my ($took, $longest, $frames) = (split /\n/, $result->{out})[-1] =~ /^([\d.e-]+)\|([\d.e-]+)\|(.*)$/
            or die "$family: $name: $result->{out}$result->{errors}";
        push @found, [ "$family: $name", $longest, $took, place($frames), $error ];
        printf STDERR "%8.0f ms of %6.2f s  %-50s %s\n", 1000 * $longest, $took, "$family: $name", $error // place($frames) if $ENV{TLV_SHOW};
    }
    drop_database($db);
}

die "no phase matches\n" if !@found;

# Every aggregate and every function that takes a query has a phase.
if ($wanted eq '') {
    my $text = join "\n", map { my ($setup, @phases) = phases($_); map { $_->[1] } @phases } families();
    my $db = new_database('tlv_watch');
    for my $name (split /\n/, query($db, <<'SQL')) {
SELECT DISTINCT proname FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE extname = 'tensorlv' AND d.deptype = 'e' AND (prokind = 'a' OR proargnames[1] = 'query') ORDER BY 1;
SQL
        push @found, [ "none for $name", 0, 0, '', 'no phase calls it' ] if $text !~ /\b\Q$name\E\(/;
    }
    drop_database($db);
}
my ($failed, $wrong) = (0, 0);
print "longest stretch without a check, phase, where\n";
for my $row (sort { $b->[1] <=> $a->[1] } @found) {
    my ($name, $longest, $took, $place, $error) = @$row;
    $failed++ if $longest > LIMIT;
    $wrong++ if defined $error;
    printf "%6.0f ms  %-55s %s\n", 1000 * $longest, $name, defined $error ? "failed: $error" : $place;
}
printf "check-interrupts: %d phases, longest stretch %.0f ms (at most %.0f), %d above, %d failed\n", scalar @found,
    1000 * (sort { $b->[1] <=> $a->[1] } @found)[0][1], 1000 * LIMIT, $failed, $wrong;
exit($failed || $wrong ? 1 : 0);
