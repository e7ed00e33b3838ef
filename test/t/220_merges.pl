# Merges of values that name a model or a subspace: the sum of parts names it, too, and parts of different ones are
# refused.  The values are those of test/t/values, so that every kind is tried.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use MIME::Base64 qw(decode_base64 encode_base64);
use lib dirname(__FILE__) . '/lib';
use TlvHostile;
use TlvImages;
use TlvTest;

my $db = new_database('tlv_merges');
make_values($db);
query($db, <<'SQL');
CREATE FUNCTION refusal(call text, a tlv_moments, b tlv_moments) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result tlv_moments;
BEGIN
  EXECUTE 'SELECT ' || call INTO result USING a, b;
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SQL

# One value of each kind and section, and its twin of another model or subspace.
my (%seen, @lines);
for (split /\n/, query($db, "SELECT v FROM walk.moments WHERE length(v::text) < 1000000 ORDER BY id")) {
    my ($kind, $digits) = /^(\w+)[^:]*:(.*)/;
    for my $section ('model', 'subspace') {
        next if $seen{"$kind $section"};
        my $twin = flip_section(decode_base64($digits), $section) // next;
        $seen{"$kind $section"} = 1;
        push @lines, "('$kind', '$section', '$_', '$kind:" . encode_base64($twin, '') . "')";
    }
}
query($db, 'CREATE TABLE pairs (kind text, section text, v tlv_moments, twin tlv_moments);');
query($db, "INSERT INTO pairs VALUES $_;") for @lines;
cmp_ok(scalar @lines, '>=', 20, scalar(@lines) . ' kinds and sections are tried');

# Kinds in the list that no value was of: a new one has none in test/t/values.
is(query($db, q{SELECT string_agg(kind, ' ') FROM tlv_kinds() WHERE type = 'tlv_moments' AND kind NOT IN (SELECT DISTINCT substring(v::text FROM '^\w+') FROM walk.moments)}),
    '', 'every kind of moments has a value');

for my $line (split /\n/, query($db, 'SELECT kind, section, row_number() OVER () FROM pairs')) {
    my ($kind, $section) = split /\|/, $line;
    my $where = "FROM pairs WHERE kind = '$kind' AND section = '$section'";
    for my $call ('(SELECT tlv_rollup(p) FROM unnest(ARRAY[$1, $2]) p)', '$1 + $2') {
        like(query($db, "SELECT refusal('$call', v, twin) $where"), qr/^22023 (the statistics were collected under different models|the moments were collected in different subspaces)$/,
            "$kind: $call refuses another $section");
    }
    next if $kind eq 'neighbour_statistics';    # a node has one row: test/sql/neighbours.sql adds up two halves
    my @bytes = map { unpack 'H*', section_bytes(decode_base64((split ':')[1]), $section) }
        split /\n/, query($db, "SELECT unnest(ARRAY[v, v + v]) $where");
    is($bytes[1], $bytes[0], "$kind: a sum has the $section of its parts");
}

drop_database($db);
done_testing();
