package TlvMeasures;
# How long after its time limit, or after the cancel of another session, a statement ends, in processor time of its backend, and by how
# many MB the process grows.
use strict;
use warnings;
use Exporter qw(import);
use TlvTest;

our @EXPORT = qw(can_measure make_measures measure_statements);

# Whether the memory and the time of a process can be read here.
sub can_measure { return -w '/proc/self/clear_refs' && -r '/proc/self/stat' && -r '/proc/self/status' }

sub make_measures {
    my ($db) = @_;
    query($db, <<'SQL');
CREATE OR REPLACE FUNCTION kilobytes(field text) RETURNS bigint LANGUAGE sql AS
  $$ SELECT (regexp_match(pg_read_file('/proc/self/status'), field || ':\s+(\d+)'))[1]::bigint $$;
CREATE OR REPLACE FUNCTION ticks() RETURNS bigint LANGUAGE sql AS
  $$ SELECT f[1]::bigint + f[2]::bigint FROM regexp_match(pg_read_file('/proc/self/stat'), '^.*\) \S+(?: \S+){10} (\d+) (\d+)') f $$;
SQL
    return;
}

# Cancels what a session of that name runs longer than the time given, until the session has ended.
sub start_canceller {
    my ($name, $milliseconds) = @_;
    return start_psql('postgres', <<"SQL", go_on => 1);
DO \$\$ DECLARE seen boolean := false; there boolean; BEGIN
  FOR try IN 1 .. 500000 LOOP
    PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);
    SELECT count(*) > 0, count(*) FILTER (WHERE state = 'active' AND query ~ '/. call ./' AND clock_timestamp() - query_start > interval '$milliseconds ms' AND pg_cancel_backend(pid)) >= 0
      INTO there FROM pg_stat_activity WHERE application_name = '$name';
    EXIT WHEN seen AND NOT there;
    seen := seen OR there;
  END LOOP;
END \$\$;
SQL
}

# Runs statements, [label, SQL] each, in one session, each for $mode->{milliseconds} at most by $mode->{cancel}, 'timeout' or 'session',
# with $mode->{memory} as tensorlv.work_mem.  Of each: label, SQLSTATE and message, seconds of processor time beyond the limit, MB of growth.
sub measure_statements {
    my ($db, $statements, $mode) = @_;
    my $asked = $mode->{cancel} eq 'session';
    my $sql = "SET application_name = 'tlv measured'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET client_min_messages = error; "
        . "SET tensorlv.model_cache = '1MB'; SELECT tlv_kind(tlv_simulate_gmm_model(2, 2)); SET tensorlv.work_mem = '$mode->{memory}';\n";
    for (@$statements) {
        my ($label, $statement) = @$_;
        $sql .= "COPY (SELECT 5) TO '/proc/self/clear_refs';\nSELECT ticks() AS ticks, kilobytes('VmRSS') AS before \\gset\n\\o /dev/null\n"
            . 'SET statement_timeout = ' . ($asked ? 0 : $mode->{milliseconds}) . ";\n/* call */ $statement;\n\\o\n\\echo @ :SQLSTATE :LAST_ERROR_MESSAGE\n"
            . "SET statement_timeout = 0;\nSELECT 'call|$label', ticks() - :ticks, kilobytes('VmHWM') - :before;\n";
    }
    my $canceller = $asked && start_canceller('tlv measured', $mode->{milliseconds});
    my $result = run_sql($db, $sql, go_on => 1);
    finish_psql($canceller) if $canceller;
    my (@measured, $state, $message);
    for (split /\n/, $result->{out}) {
        if (/^@ (\w{5}) (.*)/) { ($state, $message) = ($1, $2) }
        elsif (/^call\|(.*)\|(-?\d+)\|(-?\d+)$/) {
            push @measured, { call => $1, state => $state, message => $message, late => $2 / 100 - $mode->{milliseconds} / 1000, grown => $3 / 1024 };
        }
    }
    return (\@measured, $result);
}

1;
