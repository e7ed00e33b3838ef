# Columns of types of extensions, and of types that take several spellings for equal: ids are what the type says is equal, and have the text of the first spelling.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use TlvTest;

my $db = new_database('tlv_types');
my %has = map { $_ => 1 } split /\n/, query($db, "SELECT name FROM pg_available_extensions WHERE name IN ('citext', 'ltree', 'isn') UNION SELECT 'icu' FROM pg_collation WHERE collprovider = 'i'");
query($db, <<'SQL');
CREATE TABLE words AS SELECT i / 8 AS doc, (ARRAY['Cat', 'cat', 'DOG', 'dog', 'Bird', 'fish'])[1 + i % 6] AS word, i % 3 AS number FROM generate_series(1, 400) i;
CREATE TABLE edges AS SELECT (ARRAY['A', 'a', 'B', 'b', 'C', 'c'])[1 + i % 6] AS src, (ARRAY['D', 'd', 'B', 'b', 'c', 'A', 'a'])[1 + i * 3 % 7] AS dst FROM generate_series(1, 200) i;
SQL

# What a driver has for ids, with the cast that makes them.
sub ids {
    my ($what, $cast) = @_;
    return query($db, "SELECT string_agg(DISTINCT item_name, ',' ORDER BY item_name) FROM tlv_topic_items(tlv_lda('SELECT doc, word$cast FROM words', 1), 10)") if $what eq 'items';
    return query($db, "SELECT string_agg(DISTINCT node_name, ',' ORDER BY node_name) FROM tlv_memberships(tlv_mmsb('SELECT src$cast, dst$cast FROM edges', 1))") if $what eq 'nodes';
    return query($db, "SELECT string_agg(DISTINCT symbol_name, ',' ORDER BY symbol_name) "
        . "FROM tlv_emissions(tlv_hmm('SELECT 1, doc, word$cast FROM (SELECT DISTINCT ON (doc) * FROM words) w', 1))") if $what eq 'symbols';
    return query($db, "SELECT string_agg(DISTINCT answer_name, ',' ORDER BY answer_name) "
        . "FROM tlv_consensus(tlv_crowd('SELECT doc, number, word$cast FROM (SELECT DISTINCT ON (doc, number) * FROM words) w'))") if $what eq 'answers';
    return query($db, "SELECT string_agg(DISTINCT category_name, ',' ORDER BY category_name) "
        . "FROM tlv_categories(tlv_lca('SELECT doc, ''v'' || number, word$cast FROM (SELECT DISTINCT ON (doc, number) * FROM words) w', 1))");
}

is(ids('items', ''), 'Bird,Cat,DOG,cat,dog,fish', 'of text, items are compared by bytes');
is(ids('nodes', ''), 'A,B,C,D,a,b,c,d', 'and nodes');
my @equal = grep { $has{ $_->[0] } } [ 'citext', 'CREATE EXTENSION citext', '::citext' ],
    [ 'icu', q(CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)), ' COLLATE no_case' ];
for my $type (@equal) {
    my ($name, $create, $cast) = @$type;
    query($db, $create);
    is(ids('items', $cast), 'Bird,Cat,DOG,fish', "$name: equal items are one, called by the first spelling");
    is(ids('nodes', $cast), 'A,B,C,D', "$name: both ends of edges have the same nodes");
    for my $what (qw(symbols answers categories)) {
        my %bytes = map { $_ => 1 } split /,/, ids($what, '');
        my %first;
        for my $spelling (sort keys %bytes) { $first{ lc $spelling } //= $spelling }
        is(ids($what, $cast), join(',', sort values %first), "$name: $what");
    }
    is(query($db, "SELECT tlv_info(tlv_gmm('SELECT number, doc FROM (SELECT word$cast, number, doc FROM words ORDER BY 1) w', 1)) ->> 'kind'"),
        'gaussian_mixture', "$name: other columns are what they were");
    is(query($db, "SELECT tlv_info(tlv_lda('SELECT word$cast, ''w'' || number FROM words', 1)) ->> 'kind'"), 'lda', "$name: documents");
}

for my $type ([ 'ltree', '::ltree' ], [ 'isn', q(, '978-0-393-04002-9'::isbn13) ]) {
    my ($name, $cast) = @$type;
    next if !$has{$name};
    query($db, "CREATE EXTENSION $name");
    my $query = $name eq 'ltree' ? 'SELECT doc, word::ltree FROM words' : q(SELECT doc, '978-0-393-04002-9'::isbn13 FROM words);
    like(query($db, 'SELECT item_name FROM tlv_topic_items(tlv_lda($q$' . $query . '$q$, 1), 10) LIMIT 1'), $name eq 'ltree' ? qr/^\w+$/ : qr/^978-0-393-04002-9$/, "$name: items by their text");
}

# A vector of an extension whose cast leads to another type of vectors, as pgvector's sparsevec does.
query($db, <<'SQL');
CREATE TYPE whole_vector;
CREATE FUNCTION whole_in(cstring) RETURNS whole_vector AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION whole_out(whole_vector) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE whole_vector (INPUT = whole_in, OUTPUT = whole_out, LIKE = text, CATEGORY = 'U');
CREATE FUNCTION whole_real(whole_vector) RETURNS real[] LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT whole_out($1)::text::real[] $$;
CREATE CAST (whole_vector AS real[]) WITH FUNCTION whole_real(whole_vector) AS IMPLICIT;
CREATE TYPE sparse_vector;
CREATE FUNCTION sparse_in(cstring) RETURNS sparse_vector AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION sparse_out(sparse_vector) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE sparse_vector (INPUT = sparse_in, OUTPUT = sparse_out, LIKE = text, CATEGORY = 'U');
CREATE FUNCTION sparse_whole(sparse_vector) RETURNS whole_vector LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT whole_in(sparse_out($1)) $$;
CREATE CAST (sparse_vector AS whole_vector) WITH FUNCTION sparse_whole(sparse_vector) AS ASSIGNMENT;
CREATE TABLE sparse AS SELECT format('{%s,%s}', number, doc % 5)::sparse_vector AS x FROM words;
SQL
for my $call (q(tlv_gmm('SELECT x FROM sparse', 1)), q((SELECT tlv_dense_moments(x, 2) FROM sparse)), q((SELECT tlv_assign(tlv_simulate_gmm_model(2, 2), x) FROM sparse LIMIT 1))) {
    like(run_sql($db, "SELECT $call")->{errors}, qr/ERROR:  42804: .*\n(?:.*\n)*?HINT:  Cast (?:it|the column): x::whole_vector\./, "$call: the hint is the cast");
    my $cast = $call =~ s/SELECT x\b/SELECT x::whole_vector AS x/r =~ s/\(x,/(x::whole_vector,/r =~ s/, x\)/, x::whole_vector)/r;
    isnt(query($db, "SELECT $cast"), '', 'which works');
}

# ---- whose functions a type brings ----

query($db, <<'SQL');
DROP ROLE IF EXISTS regress_tlv_types;
CREATE ROLE regress_tlv_types;
CREATE ROLE regress_tlv_reader;
GRANT CREATE ON SCHEMA public TO regress_tlv_types;
GRANT SELECT ON words TO regress_tlv_types, regress_tlv_reader;
SET ROLE regress_tlv_types;
CREATE TYPE mood AS ENUM ('dog', 'cat');
CREATE FUNCTION told(mood) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'told' $$;
CREATE CAST (mood AS text) WITH FUNCTION told(mood);
SQL
my $mine = run_sql($db, q(SET ROLE regress_tlv_types; SELECT item_name FROM tlv_topic_items(tlv_lda('SELECT doc, lower(word)::mood FROM words WHERE lower(word) IN (''cat'', ''dog'')', 1), 10)));
is($mine->{out}, 'told', q(one's own cast is called));
my $others = run_sql($db, q(SET ROLE regress_tlv_reader; SELECT tlv_lda('SELECT doc, lower(word)::mood FROM words WHERE lower(word) IN (''cat'', ''dog'')', 1)));
like($others->{errors}, qr/ERROR:  42501: the cast from mood to text is somebody else's function/, q(somebody else's is not));
like($others->{errors}, qr/HINT:  Cast in the query/, 'and the hint is the cast');
drop_database($db);
query('postgres', 'DROP ROLE regress_tlv_types; DROP ROLE regress_tlv_reader');
done_testing();
