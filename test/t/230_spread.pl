# Every driver in every form of rows and every aggregate over tables that are spread without an engine of their own: two servers of
# postgres_fdw, whose rows a UNION ALL or more_queries puts together, or whose states tlv_rollup does, and hash partitions.  The
# answer is that of a plain table.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvCalls;
use TlvTest;

my $db = new_database('tlv_spread');
plan skip_all => 'postgres_fdw is missing'
    if query($db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
my @tables = make_tables($db);

query($db, "CREATE SCHEMA parts;\nCREATE SCHEMA united;\nCREATE SCHEMA one_far;\nCREATE SCHEMA two_far;\nCREATE SCHEMA one;\nCREATE SCHEMA two;");
for my $table (@tables) {
    query($db, <<"SQL");
CREATE TABLE parts.$table (LIKE here.$table) PARTITION BY HASH (part);
CREATE TABLE parts.${table}_0 PARTITION OF parts.$table FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parts.${table}_1 PARTITION OF parts.$table FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parts.${table}_2 PARTITION OF parts.$table FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parts.$table SELECT * FROM here.$table;
CREATE TABLE one_far.$table AS SELECT * FROM here.$table WHERE part < 32;
CREATE TABLE two_far.$table AS SELECT * FROM here.$table WHERE part >= 32;
SQL
}
query($db, <<'SQL');
CREATE EXTENSION postgres_fdw;
DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['one', 'two'] LOOP
    EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions ''tensorlv'')', name,
      split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
    EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER %I OPTIONS (user %L)', name, current_user);
    EXECUTE format('IMPORT FOREIGN SCHEMA %I FROM SERVER %I INTO %I', name || '_far', name, name);
  END LOOP;
END $$;
SQL
query($db, "CREATE VIEW united.$_ AS SELECT * FROM one.$_ UNION ALL SELECT * FROM two.$_;") for @tables;
query($db, 'ANALYZE;');

my @calls = (driver_calls(), aggregate_calls());
is(join(' ', untried($db, @calls)), '', 'every driver and aggregate of the catalogue is called');
is(join(' ', unused_tables(\@calls, @tables)), '', 'every table of test/t/values is read');
my @expected = run_calls($db, 'here, public', \@calls);
is(join("\n", missing_answers(\@calls, \@expected)), '', 'every call works here');

# Two servers, a query for each of them.
my $several = sub {
    my ($query) = @_;
    return map { $query =~ s/\bFROM (\w+)/FROM $_.$1/r } 'one', 'two';
};
# Before 14 the planner itself fails to sort a UNION ALL of foreign tables by an expression of theirs ("could not find pathkey item
# to sort").
my $sorts = query($db, 'SHOW server_version_num') >= 140000;
my @single = grep { $sorts || !/seq, t, x\[1\]/ } driver_calls($several);
my %first = map { my $call = $calls[$_]; ($call => $_) } 0 .. $#calls;
my @plain = grep { !/more_queries/ && ($sorts || !/seq, t, x\[1\]/) } driver_calls();
my @exceptions;

sub compare {
    my ($what, $names, $expected, $answers) = @_;
    my $failed = '';
    for my $i (0 .. $#$names) {
        my ($outcome, $difference) = outcome($expected->[$i], $answers->[$i]);
        if ($outcome =~ /^EXCEPTION/) { push @exceptions, sprintf '%s, %s: %.1e, %s', $what, $names->[$i], $difference, $outcome }
        elsif ($outcome ne 'equal') { $failed .= "$names->[$i]: $outcome\n" }
    }
    is($failed, '', scalar(@$names) . " calls over $what");
    return;
}

compare('hash partitions', \@calls, \@expected, [ run_calls($db, 'parts, here, public', \@calls) ]);
my @answers = run_calls($db, 'here, public', \@single);
is(join("\n", missing_answers(\@single, \@answers)), '', scalar(@single) . ' calls over queries of two servers are answered');
compare('queries of two servers', \@single, [ map { $expected[ $first{$_} ] } @plain ], \@answers);

# Aggregates whose values add up are computed by each server; all others over the rows of both.
my %adds_up = map { $_ => 1 } split /\n/, query($db, q{SELECT DISTINCT proname FROM pg_proc WHERE prokind = 'a' AND proname LIKE 'tlv\_%' AND
    prorettype IN (SELECT proargtypes[0] FROM pg_proc WHERE proname = 'tlv_rollup')});
my $added = sub {
    my ($state, $from) = @_;
    return ($state, $from) if !$adds_up{ $state =~ s/\(.*//sr };
    return ('tlv_rollup(s)', 'FROM (' . join(' UNION ALL ', map { "SELECT $state AS s " . $from =~ s/\bFROM (\w+)/FROM $_.$1/r } 'one', 'two') . ') u');
};
my @added = aggregate_calls($added);
cmp_ok(scalar(grep { /^(?:tlv_rollup\(s\)|.*tlv_rollup\(s\) AS s) FROM \(SELECT tlv_/ } @added), '>', 100, 'values of two servers are added up');
compare('two servers', \@added, [ run_calls($db, 'here, public', [ aggregate_calls(sub { return @_ }) ]) ], [ run_calls($db, 'united, here, public', \@added) ]);
cmp_ok(scalar @exceptions, '<=', 3, 'at most three answers differ by more than 1e-10') or diag(join "\n", @exceptions);

drop_database($db);
done_testing();
