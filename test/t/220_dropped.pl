# Whatever another session drops while a fit runs, the fit ends, with a model or with an error that
# says what is missing, and the session goes on.  The query waits in a function of its own, at one
# moment of the fit, until the other session has dropped the thing: nothing here is timed.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(sleep);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

use constant TRIES => 600;

my $db = new_database('tlv_dropped');
my $log = server_log_size();
query($db, 'DROP EXTENSION tensorlv');

# wait_at() waits for the lock that the other session holds, and is called while the statement is
# planned when it is given a constant, and for one row when it is given a column.
my $setup = <<'SQL';
DROP EXTENSION IF EXISTS tensorlv CASCADE;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public;
CREATE EXTENSION tensorlv;
CREATE TYPE colour AS ENUM ('red', 'green', 'blue', 'white');
CREATE FUNCTION wait_at(i int, moment int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF i = moment THEN
        PERFORM pg_advisory_lock(33); PERFORM pg_advisory_unlock(33);
    END IF;
    RETURN true;
END $$;
CREATE FUNCTION same(x float8[]) RETURNS float8[] LANGUAGE sql STABLE AS 'SELECT x';
CREATE FUNCTION paint(i int) RETURNS colour LANGUAGE sql STABLE AS $$ SELECT (enum_range(NULL::colour))[1 + i % 4] $$;
CREATE FUNCTION are_same(a colour, b int) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT true $$;
CREATE OPERATOR ~~~ (LEFTARG = colour, RIGHTARG = int, FUNCTION = are_same);
CREATE TABLE vectors AS SELECT i AS id, ARRAY[i % 7 + 9 * (i % 2), i % 5 - 9 * (i % 2)]::float8[] AS x FROM generate_series(1, 800) i;
CREATE TABLE edges AS SELECT i AS id, i % 40 + 100 * (i % 2) AS a, (i * 7) % 40 + 100 * (i % 2) AS b FROM generate_series(1, 800) i;
CREATE VIEW seen AS SELECT id, x FROM vectors;
SQL
my %fits = (
    gmm => q{SELECT tlv_kind(tlv_gmm('SELECT same(x) FROM vectors WHERE wait_at(%s, %d)', 2))},
    view => q{SELECT tlv_kind(tlv_gmm('SELECT x FROM seen WHERE wait_at(%s, %d)', 2, errors => true))},
    operator => q{SELECT tlv_kind(tlv_lca('SELECT id %% 3 AS a, id %% 2 AS b, id %% 4 AS c FROM vectors WHERE paint(id) ~~~ id AND wait_at(%s, %d)', 2, layout => 'wide'))},
    ids => q{SELECT count(*) FROM tlv_memberships(tlv_mmsb('SELECT paint(a), paint(b / 2) FROM edges WHERE wait_at(%s, %d)', 2))},
    suggest => q{SELECT count(*) FROM tlv_suggest_k('SELECT tlv_to_bag(ARRAY[a, b]::bigint[]) FROM edges WHERE wait_at(%s, %d)')},
);
my %drops = (
    extension => 'DROP EXTENSION tensorlv CASCADE',
    function => 'DROP FUNCTION same CASCADE',
    type => 'DROP TYPE colour CASCADE',
    operator => 'DROP OPERATOR ~~~ (colour, int)',
    'everything' => 'DROP EXTENSION tensorlv CASCADE; DROP FUNCTION wait_at CASCADE; DROP FUNCTION same CASCADE; DROP TYPE colour CASCADE',
);
my %uses = (function => 'gmm', type => 'ids', operator => 'operator');
# How a fit ends where something is dropped while it is planned, at the first row, at the last row.
my ($made, $function, $object) = ('00000', '42883 function \d+ was dropped while it was used', '42704 an object that the query uses was dropped while the query was run');
my ($rows, $fold) = map { "55000 function tlv_$_ of 3 arguments is missing" } qw(row_agg fold);
my %ends = (
    everything => { gmm => [ $function, $object, $function ], view => [ $function, $object, $function ], operator => [ $rows, $object, $rows ],
        ids => [ $object, $object, $function ], suggest => [ $object, $object, $fold ] },
    extension => { gmm => [ ($function) x 3 ], view => [ ($function) x 3 ], operator => [ ($rows) x 3 ],
        ids => [ '55000 type tlv_bag is missing', $function, $function ], suggest => [ $object, $fold, $fold ] },
    function => { gmm => [ ($made) x 3 ] },
    operator => { operator => [ ($made) x 3 ] },
    type => { ids => [ $object, '02000 the query returns no rows that can be used', $made ] },
);
my @moments = ('while it is planned', 'at the first row', 'at the last row');
my %moments = ('while it is planned' => [ '1', 1 ], 'at the first row' => [ 'id', 1 ], 'at the last row' => [ 'id', 800 ]);

# Waits until a query of the server returns true.
sub await {
    my ($sql) = @_;
    for (1 .. TRIES) {
        return 1 if query('postgres', $sql) eq 't';
        sleep 0.05;
    }
    return 0;
}

for my $drop (sort keys %drops) {
    for my $fit (grep { $drop =~ /^e/ || $_ eq $uses{$drop} } sort keys %fits) {
        for my $m (0 .. $#moments) {
            my $moment = $moments[$m];
            my $name = "$drop, $fit, $moment";
            query($db, "SET client_min_messages = warning;\n$setup");
            my $holder = start_psql($db, <<"SQL");
SET application_name = 'tlv holder';
SET client_min_messages = warning;
SELECT pg_advisory_lock(33);
DO \$\$ BEGIN
    FOR try IN 1 .. 3000 LOOP
        EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted);
        PERFORM pg_sleep(0.01);
    END LOOP;
END \$\$;
SET lock_timeout = '30s';
$drops{$drop};
SELECT pg_advisory_unlock(33);
SQL
            await(q{SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted)}) or BAIL_OUT('the lock is not held');
            my $result = run_sql($db, sprintf("$fits{$fit};\nSELECT 'alive';\n", @{ $moments{$moment} }), go_on => 1);
            my $other = finish_psql($holder);
            is($other->{errors}, '', "$name: dropped");
            my ($state, $message) = $result->{errors} =~ /ERROR: +(\w{5}): (.*)/;
            like(join(' ', $state // '00000', $message // ''), qr/^$ends{$drop}{$fit}[$m]/, "$name: a model or a proper error") or diag($result->{errors});
            like($result->{out}, qr/alive$/, "$name: the session goes on");
        }
    }
}

# The query itself ends the mode in which its transaction only reads, where the server allows that, and drops what the fit uses.
query($db, "SET client_min_messages = warning;\n$setup" . <<'SQL');
CREATE FUNCTION drop_now(command text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RESET transaction_read_only;
    EXECUTE command;
END $$;
CREATE FUNCTION drop_at(i int, moment int, command text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF i = moment THEN
        PERFORM drop_now(command); -- the function itself may run nothing but queries
    END IF;
    RETURN true;
END $$;
SQL
# From 16 on the server itself refuses RESET.
my $refused = query($db, 'SHOW server_version_num') >= 160000
    ? '0A000: parameter "transaction_read_only" cannot be reset'
    : '25006: cannot set transaction read-write mode inside a query that is read';
for my $drop (sort keys %drops) {
    next if $drop eq 'everything';
    for my $fit (grep { $drop =~ /^e/ || $_ eq $uses{$drop} } sort keys %fits) {
        for my $moment (@moments) {
            my ($at, $n) = @{ $moments{$moment} };
            my $sql = $fits{$fit} =~ s/wait_at\(%s, %d\)/drop_at($at, $n, ''$drops{$drop}'')/r =~ s/%%/%/gr;
            my $result = run_sql($db, "SET client_min_messages = warning;\n$sql;\nSELECT 'alive', count(*) FROM pg_extension WHERE extname = 'tensorlv';\n", go_on => 1);
            like($result->{errors}, qr/ERROR: +$refused/, "$drop by the query, $fit, $moment: refused");
            is($result->{out} =~ s/.*\n//sr, 'alive|1', "$drop by the query, $fit, $moment: the session goes on, and nothing is dropped");
        }
    }
}

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:/, 'no crash');
}
drop_database($db);
done_testing();
