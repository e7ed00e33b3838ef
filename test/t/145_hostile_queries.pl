# Queries of fits whose own code interferes with the fit: it cancels or ends its own backend, runs fits within functions, casts and
# comparisons, and other sessions end the workers of the fit or alter and drop what it uses.  Each ends in a model or in an error that
# says so, and the session goes on.
#
# So many as are here, or TLV_CALLS, or as many as there are in TLV_CALL_SECONDS, from the seed TLV_CALL_SEED: make fuzz-sql.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvHostile qw(run_calls);
use TlvTest;

my $most_calls = $ENV{TLV_CALLS} || 160;
my $seconds = $ENV{TLV_CALL_SECONDS} || 0;
my $seed = $ENV{TLV_CALL_SEED} || 1;
my $begun = time;
srand $seed;

my $db = new_database('tlv_hostile_queries');
my $log = server_log_size();
query($db, 'DO $$ BEGIN CREATE ROLE tlv_walker; EXCEPTION WHEN duplicate_object THEN NULL; END $$;');

# Everything is made again where another session has dropped it.
my $setup = <<'SQL';
CREATE TABLE r AS SELECT i AS id, ARRAY[i % 7 + 9 * (i % 2), i % 5 - 9 * (i % 2)]::float8[] AS x, i % 40 + 100 * (i % 2) AS a, (i * 7) % 40 + 100 * (i % 2) AS b,
  ARRAY[i % 3, i % 2, i * i % 3, i % 2, (i + i / 7) % 2] AS s FROM generate_series(1, 400) i;
CREATE TABLE large AS SELECT i AS id, ARRAY[i % 7 + 9 * (i % 2), i % 5 - 9 * (i % 2)]::float8[] AS x FROM generate_series(1, 20000) i;
CREATE VIEW seen AS SELECT id, x FROM r;
CREATE TYPE colour AS ENUM ('red', 'green', 'blue', 'white');
CREATE FUNCTION paint(i int) RETURNS colour LANGUAGE sql STABLE AS $$ SELECT (enum_range(NULL::colour))[1 + i % 4] $$;
CREATE FUNCTION same(x float8[]) RETURNS float8[] LANGUAGE sql STABLE AS 'SELECT x';
CREATE FUNCTION act(how text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  CASE how
    WHEN 'cancel' THEN PERFORM pg_cancel_backend(pg_backend_pid());
    WHEN 'cancel twice' THEN PERFORM pg_cancel_backend(pg_backend_pid()), pg_cancel_backend(pg_backend_pid());
    WHEN 'end' THEN PERFORM pg_terminate_backend(pg_backend_pid());
    WHEN 'cancel and catch' THEN
      BEGIN
        PERFORM pg_cancel_backend(pg_backend_pid());
        PERFORM pg_sleep(0);
      EXCEPTION WHEN query_canceled THEN NULL;
      END;
    WHEN 'fit' THEN PERFORM tlv_gmm('SELECT x FROM r', 2);
    WHEN 'fit that is cancelled' THEN
      BEGIN
        PERFORM tlv_gmm('SELECT x FROM r WHERE disturb(id, 9, ''cancel'')', 2);
      EXCEPTION WHEN query_canceled THEN NULL;
      END;
    WHEN 'fit that fails' THEN
      BEGIN
        PERFORM tlv_mmsb('SELECT a, b, 1 / (id - 80) FROM r', 2);
      EXCEPTION WHEN OTHERS THEN NULL;
      END;
    WHEN 'fit of itself' THEN PERFORM tlv_ica('SELECT x FROM r WHERE disturb(id, 1, ''fit of itself'')');
    WHEN 'discard' THEN DISCARD PLANS;
    WHEN 'settings' THEN PERFORM set_config('work_mem', '64kB', false), set_config('tensorlv.work_mem', '16kB', false), set_config('tensorlv.model_cache', '0', false);
    WHEN 'error' THEN RAISE EXCEPTION 'mine';
  END CASE;
END $$;
CREATE FUNCTION disturb(i int, moment int, how text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF i = moment THEN PERFORM act(how); END IF; RETURN true; END $$;
CREATE TYPE own AS (x real[], how text);
CREATE FUNCTION own_numbers(own own) RETURNS real[] LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF own.how <> '' THEN PERFORM act(own.how); END IF; RETURN own.x; END $$;
CREATE CAST (own AS real[]) WITH FUNCTION own_numbers(own);
CREATE TYPE node AS ENUM ('n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9');
CREATE FUNCTION to_node(i int) RETURNS node LANGUAGE sql STABLE AS $$ SELECT (enum_range(NULL::node))[1 + i % 10] $$;
CREATE FUNCTION act_for(n node) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN IF enum_out(n)::text = 'n3' AND current_setting('tlv.how', true) <> '' THEN PERFORM act(current_setting('tlv.how')); END IF; END $$;
CREATE FUNCTION node_text(n node) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM act_for(n); RETURN enum_out(n); END $$;
CREATE CAST (node AS text) WITH FUNCTION node_text(node);
CREATE FUNCTION node_order(a node, b node) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM act_for(a); RETURN enum_cmp(a, b); END $$;
CREATE FUNCTION node_equal(a node, b node) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM act_for(a); RETURN enum_cmp(a, b) = 0; END $$;
CREATE FUNCTION node_less(a node, b node) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN enum_cmp(a, b) < 0; END $$;
CREATE OPERATOR === (LEFTARG = node, RIGHTARG = node, FUNCTION = node_equal);
CREATE OPERATOR <<< (LEFTARG = node, RIGHTARG = node, FUNCTION = node_less);
CREATE OPERATOR CLASS node_ops DEFAULT FOR TYPE node USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 node_order(node, node);
SQL
# As a superuser: others may not cancel the workers of a session that a superuser has begun.
my $as_owner = "RESET SESSION AUTHORIZATION; SET search_path = walk, public; SET client_min_messages = error;\n";
sub make_objects {
    query($db, "SET client_min_messages = error; DROP SCHEMA IF EXISTS walk CASCADE; CREATE SCHEMA walk; SET search_path = walk, public;\n$setup");
    return;
}
make_objects();

# ---- what interferes within the query ----

# %1$s is the condition or the value of the disturbance
my %disturbed = (
    condition => sub { my ($how) = @_; my $moment = 1 + int rand 400; return map { s/%s/disturb(id, $moment, ''$how'')/r } (
        q{tlv_gmm('SELECT x FROM r WHERE %s', 2)}, q{tlv_gmm('SELECT same(x) FROM seen WHERE %s', 2, errors => true)}, q{tlv_mmsb('SELECT a, b FROM r WHERE %s', 2)},
        q{tlv_hmm('SELECT s FROM r WHERE %s', 2)}, q{tlv_lca('SELECT s FROM r WHERE %s', 2)}, q{tlv_tree('SELECT s FROM r WHERE %s')}, q{tlv_ica('SELECT x FROM r WHERE %s')},
        q{tlv_lda('SELECT tlv_to_bag(ARRAY[a, b]::bigint[]) FROM r WHERE %s', 2)}, q{tlv_crowd('SELECT a, b % 5, id % 2 FROM r WHERE %s')},
        q{tlv_gmm('SELECT x FROM r', 2, more_queries => ARRAY['SELECT x FROM seen WHERE %s'])}) },
    constant => sub { my ($how) = @_; return map { s/%s/disturb(1, 1, ''$how'')/r } q{tlv_gmm('SELECT x FROM r WHERE %s', 2)}, q{tlv_mmsb('SELECT a, b FROM r WHERE %s', 2)} },
    cast => sub { my ($how) = @_; my $moment = 1 + int rand 400; return map { s/%s/CASE WHEN id = $moment THEN ''$how'' ELSE '''' END/gr } (
        q{tlv_gmm('SELECT row(x::real[], %s)::own FROM r', 2)}, q{tlv_ica('SELECT row(x::real[], %s)::own FROM r')}, q{tlv_gmm('SELECT row(x::real[], %s)::own FROM r', 2, errors => true)}) },
    ids => sub { return (q{tlv_mmsb('SELECT to_node(a), to_node(b / 2) FROM r', 2)}, q{tlv_crowd('SELECT id, to_node(b % 5), to_node(id % 4) FROM r')},
        q{tlv_lca('SELECT to_node(a) AS a, to_node(b) AS b, to_node(id) AS c FROM r', 2, layout => 'wide')}) },
);
my %wanted = (
    cancel => qr/57014/, 'cancel twice' => qr/57014/, 'cancel and catch' => qr/00000/, fit => qr/00000/, 'fit that is cancelled' => qr/00000/, 'fit that fails' => qr/00000/,
    'fit of itself' => qr/54001|57014|53400|00000/, discard => qr/00000/, settings => qr/00000|53400/, error => qr/P0001/,
);
my (%by_state, @wrong, %tried);
my $number = 0;

sub judge {
    my ($list, $report, $wanted) = @_;
    for (@$list) {
        my ($at, $sql, $how) = @$_;
        my $call = $report->{calls}{$at} // {};
        my $state = $call->{state} // 'none';
        $by_state{$state}++;
        push @wrong, "$state " . ($call->{message} // '') . ": $how: $sql" if $state !~ ($wanted->{ $how // '' } // qr/^(?!XX|58|F0|57P|none)/);
    }
    push @wrong, "the session ended at $report->{last}: " . substr $report->{errors}, -300 if $report->{last} ne 'end';
    return;
}

sub over { my ($part) = @_; return $number >= $part * $most_calls || $seconds && time - $begun > $part * $seconds }

until (over(0.6)) {
    my @list;
    for my $place (sort keys %disturbed) {
        for my $how (sort keys %wanted) {
            my @calls = $disturbed{$place}->($how);
            my $call = $calls[ rand @calls ];
            push @list, [ ++$number, "RESET work_mem; RESET tensorlv.work_mem; RESET tensorlv.model_cache; SET tlv.how = '" . ($place eq 'ids' ? $how : '') . "';\nSELECT tlv_kind($call);", $how ];
            $tried{$how}++;
        }
    }
    judge(\@list, run_calls($db, 5000, \@list, prepare => $as_owner), \%wanted);
}
is(join("\n", splice @wrong, 0, 10), '', "queries that cancel themselves and run fits within functions, casts and comparisons end as they should, $number of them");

# a backend that ends itself takes nothing with it
for my $place (sort keys %disturbed) {
    my @calls = $disturbed{$place}->('end');
    my $result = run_sql($db, $as_owner . "SET tlv.how = '" . ($place eq 'ids' ? 'end' : '') . "'; SELECT tlv_kind($calls[ rand @calls ]);", go_on => 1);
    like($result->{errors}, qr/57P01/, "a backend that ends itself: $place");
}

# ---- workers that are ended ----

# Another session ends or cancels workers as long as the fits run.
sub with_other {
    my ($other_sql, $list, $milliseconds, %options) = @_;
    my $other = start_psql($db, "SET application_name = 'tlv other'; SET client_min_messages = error;\n$other_sql", go_on => 1);
    my $report = run_calls($db, $milliseconds, $list, %options);
    query($db, 'CREATE TABLE public.tlv_stop ()');
    my $result = finish_psql($other);
    query($db, 'DROP TABLE public.tlv_stop');
    return ($report, $result);
}

sub fits {
    my ($n, @fits) = @_;
    return map { [ ++$number, "SELECT $fits[ rand @fits ];", '' ] } 1 .. $n;
}

my $parallel = 'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off;';
my $ended = 0;
do {
    my @list = fits(12, q{tlv_kind(tlv_gmm('SELECT x FROM large', 2))}, q{tlv_kind(tlv_ica('SELECT x FROM large'))}, q{tlv_kind(tlv_find_subspace((SELECT tlv_dense_moments(x, 2) FROM large), 2))},
        q{tlv_kind(tlv_gmm('SELECT x FROM large', 3, 'full', iterations => 5))});
    my $pause = 0.001 * (1 + int rand 20);
    my $kill = rand() < 0.7 ? 'pg_terminate_backend' : 'pg_cancel_backend';
    my ($report, $other) = with_other(<<"SQL", \@list, 20000, prepare => $as_owner . $parallel);
DO \$\$ DECLARE ended int := 0; more int; BEGIN
  FOR try IN 1 .. 60000 LOOP
    EXIT WHEN EXISTS (SELECT FROM pg_class WHERE relname = 'tlv_stop');
    PERFORM pg_stat_clear_snapshot(), pg_sleep($pause);
    SELECT count(*) FILTER (WHERE $kill(pid)) INTO more FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND datname = current_database();
    ended := ended + more;
  END LOOP;
  PERFORM set_config('tlv.ended', ended::text, false);
END \$\$;
SELECT current_setting('tlv.ended');
SQL
    judge(\@list, $report, { '' => qr/00000|57P01|57014|55000/ });
    $ended += $other->{out} =~ /^(\d+)$/m ? $1 : 0;
} until over(0.8);
is(join("\n", splice @wrong, 0, 10), '', 'fits whose workers are ended end in a model or in the error of the worker');
cmp_ok($ended, '>', 0, "$ended workers were ended or cancelled");

# ---- what other sessions alter and drop ----

my @changes = (
    'ALTER TABLE r ADD COLUMN more int DEFAULT 3;', 'ALTER TABLE r DROP COLUMN IF EXISTS more;', 'ALTER TABLE r ALTER a TYPE bigint;', 'ALTER TABLE r ALTER a TYPE int;',
    'ALTER TABLE r RENAME TO r2; SELECT pg_sleep(.01); ALTER TABLE r2 RENAME TO r;', 'BEGIN; TRUNCATE r; SELECT pg_sleep(.01); ROLLBACK;', 'VACUUM FULL r;', 'CREATE INDEX i ON r (id); DROP INDEX i;',
    q{ALTER TYPE colour RENAME VALUE 'red' TO 'crimson'; SELECT pg_sleep(.01); ALTER TYPE colour RENAME VALUE 'crimson' TO 'red';},
    "ALTER TYPE colour ADD VALUE IF NOT EXISTS 'c%d';", 'ALTER TYPE own ADD ATTRIBUTE z int; ALTER TYPE own DROP ATTRIBUTE z;',
    'CREATE OR REPLACE FUNCTION same(x float8[]) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$ SELECT x || 1::float8 $$;',
    'CREATE OR REPLACE FUNCTION same(x float8[]) RETURNS float8[] LANGUAGE sql STABLE AS $$ SELECT x $$;',
    'DROP FUNCTION same CASCADE; CREATE FUNCTION same(x float8[]) RETURNS float8[] LANGUAGE sql STABLE AS $$ SELECT x $$;',
    'CREATE OR REPLACE VIEW seen AS SELECT id, x FROM r WHERE id > 20;', 'DROP VIEW seen CASCADE; CREATE VIEW seen AS SELECT id, x FROM r;',
    q{DROP TYPE colour CASCADE; CREATE TYPE colour AS ENUM ('red', 'green', 'blue', 'white');
      CREATE FUNCTION paint(i int) RETURNS colour LANGUAGE sql STABLE AS 'SELECT (enum_range(NULL::colour))[1 + i % 4]';},
    'DROP CAST (own AS real[]); CREATE CAST (own AS real[]) WITH FUNCTION own_numbers(own);', 'ALTER EXTENSION tensorlv SET SCHEMA walk; ALTER EXTENSION tensorlv SET SCHEMA public;',
    'DROP EXTENSION tensorlv CASCADE; CREATE EXTENSION tensorlv SCHEMA public;',
    'ALTER OPERATOR FAMILY node_ops USING btree RENAME TO other_ops; ALTER OPERATOR FAMILY other_ops USING btree RENAME TO node_ops;',
);
my $changed = 0;
do {
    my @list = fits(20, q{tlv_kind(tlv_gmm('SELECT same(x) FROM seen', 2))}, q{tlv_kind(tlv_mmsb('SELECT a, b FROM r', 2))}, q{tlv_kind(tlv_mmsb('SELECT paint(a), paint(b / 2) FROM r', 2))},
        q{tlv_kind(tlv_gmm('SELECT row(x::real[], '''')::own FROM r', 2))},
        q{tlv_kind(tlv_lca('SELECT paint(a) AS a, paint(b) AS b, paint(id) AS c FROM r', 2, layout => 'wide'))},
        q{tlv_kind(tlv_mmsb('SELECT to_node(a), to_node(b / 2) FROM r', 2))}, q{count(*) FROM tlv_suggest_k('SELECT tlv_to_bag(ARRAY[a, b]::bigint[]) FROM r')});
    my $sql = "SET search_path = walk, public; SET lock_timeout = '500ms';\n";
    for my $i (1 .. 400) {
        my $change = $changes[ rand @changes ];
        $sql .= sprintf("\\echo %d\nSELECT to_regclass('public.tlv_stop') IS NOT NULL AS stop \\gset\n\\if :stop\n\\q\n\\endif\n", $i)
            . ($change =~ s/%d/$i/r) . "\nSELECT pg_sleep(" . 0.001 * int(rand 20) . ");\n";
    }
    my ($report, $other) = with_other($sql, \@list, 5000, prepare => $as_owner);
    judge(\@list, $report, {});
    my @done = $other->{out} =~ /^(\d+)$/mg;
    $changed += $done[-1] // 0;
    query($db, 'SET client_min_messages = error; DROP EXTENSION IF EXISTS tensorlv CASCADE; CREATE EXTENSION tensorlv SCHEMA public');
    make_objects();
} until over(1);
is(join("\n", splice @wrong, 0, 10), '', 'fits beside sessions that alter and drop what they use end in a model or in a proper error');
cmp_ok($changed, '>', 0, "$changed changes were made beside them");

SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:|reinitializing|detected write past chunk/, 'no backend crashed');
}
note("seed $seed: $number fits, $ended workers ended, $changed changes beside them, in " . (time - $begun) . ' s; by SQLSTATE: ' . join ', ', map { "$_: $by_state{$_}" } sort keys %by_state);
drop_database($db);
query('postgres', 'DROP ROLE IF EXISTS tlv_walker');
done_testing();
