# Cancels and terminates at random moments, and what they leave behind.
package TlvCancels;
use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use TlvTest;

our @EXPORT = qw(cancel_at_random cancels_ok);

use constant STATEMENTS => 40; # of a session

# What a session has at its end: contexts of ours, but for the tables that a process keeps for its life; bytes of all contexts,
# locks, open portals.
my $figures = <<'SQL';
SELECT 'figures', count(*) FILTER (WHERE name LIKE 'tensorlv%' AND name NOT IN ('tensorlv aggregate contexts', 'tensorlv models', 'tensorlv warnings')), sum(total_bytes),
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'
    AND relation >= 16384), (SELECT count(*) FROM pg_cursors) FROM pg_backend_memory_contexts;
SQL

# One cancels now and then, and ends a session more rarely, as long as there are sessions.
my $killer = <<'SQL';
SET application_name = 'tlv killer';
DO $$
DECLARE victim int; idle int := 0;
BEGIN
  WHILE idle < 20 LOOP
    PERFORM pg_sleep(random() * 0.1), pg_stat_clear_snapshot();
    SELECT pid INTO victim FROM pg_stat_activity WHERE application_name = 'tlv victim' AND state = 'active' ORDER BY random() LIMIT 1;
    idle := CASE WHEN victim IS NULL THEN idle + 1 ELSE 0 END;
    IF random() < 0.985 THEN PERFORM pg_cancel_backend(victim); ELSE PERFORM pg_terminate_backend(victim); END IF;
  END LOOP;
END $$;
SQL

sub session {
    my ($phases, $longest, $has_contexts) = @_;
    my $sql = "SET application_name = 'tlv victim';\nSET tensorlv.model_cache = 0;\n"; # no model is meant to stay open
    $sql .= $figures =~ s/figures/begin/r if $has_contexts;
    for (1 .. STATEMENTS) {
        my $phase = $phases->[ int rand @$phases ];
        $sql .= sprintf "SET statement_timeout = %d;\n\\o /dev/null\n%s;\n\\o\nSET statement_timeout = 0;\n", 1 + rand($longest) * rand, $phase->[1];
    }
    return $sql . "SET application_name = 'tlv done';\n" . ($has_contexts ? $figures : '') . "SELECT 'alive';\n";
}

# Looks at what a session has printed.
sub count_session {
    my ($result, $found) = @_;
    $found->{sessions}++;
    for my $error ($result->{errors} =~ /^(?:psql:[^ ]*: )?(?:ERROR|FATAL|PANIC|WARNING|server closed).*$/mg) {
        $error =~ /57014: canceling statement due to (statement timeout|user request)/ ? $found->{cancelled}++
            : $error =~ /57P01: terminating (?:connection|background worker "parallel worker") due to administrator command/ ? $found->{terminated}++
            : $error =~ /^server closed the connection/ ? 0 : push @{ $found->{wrong} }, $error;
    }
    my ($before) = $result->{out} =~ /^begin\|\d+\|(\d+)/m;
    my ($ours, $bytes, $locks, $cursors) = $result->{out} =~ /^figures\|(\d+)\|(\d+)\|(\d+)\|(\d+)$/m or return;
    $found->{whole}++;
    $found->{left} += $ours + $locks + $cursors;
    $found->{growth} = $bytes - $before if $bytes - $before > $found->{growth};
    return;
}

# At least $n of both together over the phases, at most `longest` ms after their beginning: a hash of what came of it.
# At least one session gets to its end, where it is looked at.
sub cancel_at_random {
    my ($db, $phases, $n, %options) = @_;
    my $has_contexts = query($db, 'SHOW server_version_num') >= 140000;
    my %found = (sessions => 0, whole => 0, cancelled => 0, terminated => 0, wrong => [], left => 0, growth => 0);
    srand($options{seed} // 1);
    while (($found{cancelled} + $found{terminated} < $n || ($has_contexts && $found{whole} == 0)) && @{ $found{wrong} } == 0) {
        my @sessions = map { start_psql($db, session($phases, $options{longest} // 300, $has_contexts), go_on => 1) } 1 .. ($options{at_once} // 2);
        my $control = start_psql($db, $killer, go_on => 1);
        count_session(finish_psql($_), \%found) for @sessions;
        my $result = finish_psql($control);
        # a backend may have ended between its choice and its signal
        my $errors = $result->{errors} =~ s/^.*WARNING:.*PID \d+ is not a PostgreSQL (?:backend|server) process\n(?:LOCATION:.*\n)?//gmr;
        push @{ $found{wrong} }, $errors if $errors ne '';
        $options{progress}->(\%found) if $options{progress};
    }
    # files of sorts and of stored rows are gone with their statements; other tests have theirs meanwhile
    $found{files} = query($db, q{SELECT count(*) FROM pg_ls_tmpdir() WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE name LIKE 'pgsql\_tmp' || pid || '.%')});
    return \%found;
}

# The same as tests.
sub cancels_ok {
    my ($family, $db, $phases, $n) = @_;
    my $found = cancel_at_random($db, $phases, $n);
    Test::More::is(join("\n", @{ $found->{wrong} }), '', "$family: $n cancels and terminates at random moments end in nothing else");
    Test::More::is($found->{left}, 0, "$family: no memory context, lock or cursor is left");
    Test::More::is($found->{files}, 0, "$family: no temporary file is left");
    Test::More::cmp_ok($found->{growth}, '<', 2**22, "$family: memory does not grow");
    return;
}

1;
