package TlvRoundTrip;
# Whatever a function returns is accepted by the input of its type, as text and as binary, and is equal
# to what it was.
use strict;
use warnings;
use Exporter qw(import);
use File::Temp qw(tempdir);
use TlvTest;

our @EXPORT = qw(broken_round_trips);

# Of the values of a query's first column, which is of a type of ours: how many there are that are not
# NULL, and what is wrong with those that do not come back.  Its second column says where a value comes
# from, for the message.  $prepare is SQL to run before.
sub broken_round_trips {
    my ($db, $values, $prepare) = @_;
    my $dir = tempdir(CLEANUP => 1);
    my $result = run_sql($db, ($prepare // '') . <<"SQL", go_on => 1);
CREATE TEMP TABLE there AS SELECT row_number() OVER () AS n, v, origin FROM ($values) AS given(v, origin) WHERE v IS NOT NULL;
DO \$\$
DECLARE
  t record;
  same boolean;
  why text;
BEGIN
  FOR t IN SELECT n, v, origin, pg_typeof(v) AS type FROM there LOOP
    BEGIN
      EXECUTE format('SELECT \$1::text::%s = \$1', t.type) INTO same USING t.v;
      IF NOT same THEN RAISE WARNING 'the % of % is another one when it is read back', t.type, t.origin; END IF;
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
      RAISE WARNING 'the % of % is refused: %: %', t.type, t.origin, SQLERRM, why;
    END;
  END LOOP;
END \$\$;
CREATE TEMP TABLE back AS SELECT * FROM there WITH NO DATA;
\\copy there TO '$dir/values' (FORMAT binary)
\\copy back FROM '$dir/values' (FORMAT binary)
SELECT 'count', count(*), count(*) FILTER (WHERE there.v = back.v) FROM there LEFT JOIN back USING (n);
SQL
    my ($count, $equal) = $result->{out} =~ /^count\|(\d+)\|(\d+)$/m;
    my @broken = $result->{errors} =~ /(?:WARNING|ERROR): +\w{5}: +(.*)/g;
    push @broken, 'the session did not come to its end' unless defined $count;
    push @broken, ($count - $equal) . ' values are not the same after binary output and input' if defined $count && $equal != $count;
    return ($count // 0, @broken);
}

1;
