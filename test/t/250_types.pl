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
        my %first;
        for my $spelling (sort split /,/, query($db, "SELECT string_agg(DISTINCT word, ',') FROM words")) { $first{ lc $spelling } //= $spelling }
        my %found = map { $first{ lc $_ } => 1 } split /,/, ids($what, '');
        is(ids($what, $cast), join(',', sort keys %found), "$name: $what");
    }
    is(query($db, "SELECT tlv_info(tlv_gmm('SELECT number, doc FROM (SELECT word$cast, number, doc FROM words ORDER BY 1) w', 1)) ->> 'kind'"),
        'gaussian_mixture', "$name: other columns are what they were");
    is(query($db, "SELECT tlv_info(tlv_lda('SELECT word$cast, ''w'' || number FROM words', 1)) ->> 'kind'"), 'lda', "$name: documents");
    in_arrays($name, $cast);
    between_queries($name, $cast);
    in_rows($name, $cast);
    in_aggregates($name, $cast);
}

# Ids in arrays of the query, with an array that is empty, one that is NULL and one with a NULL in it.
sub in_arrays {
    my ($name, $cast) = @_;
    my $rows = "SELECT array_agg(word$cast ORDER BY number) FROM words GROUP BY doc UNION ALL SELECT NULL UNION ALL SELECT ARRAY[]::text[]::"
        . ($name eq 'citext' ? 'citext[]' : 'text[] COLLATE no_case');
    is(query($db, "SELECT string_agg(DISTINCT item_name, ',' ORDER BY item_name) FROM tlv_topic_items(tlv_lda('$rows', 1), 10)"), 'Bird,Cat,DOG,fish', "$name: arrays of items");
    is(query($db, "SELECT string_agg(DISTINCT symbol_name, ',' ORDER BY symbol_name) FROM tlv_emissions(tlv_hmm('SELECT array_agg(CASE WHEN number = 1 THEN word$cast END ORDER BY number, word) "
            . "FROM words GROUP BY doc', 1))"),
        query($db, "SELECT string_agg(DISTINCT first, ',' ORDER BY first) FROM (SELECT min(word COLLATE \"C\") AS first FROM words WHERE number = 1 GROUP BY lower(word)) w"),
        "$name: arrays of symbols, with missing ones");
    like(run_sql($db, "SELECT tlv_hmm('SELECT array_agg(ARRAY[word$cast, word$cast]) FROM words GROUP BY doc', 1)")->{errors}, qr/ERROR:  2202E: .*dimension/, "$name: two dimensions are still two");
}

# Known answers and labels are ids of the first query: only the type says which.
sub between_queries {
    my ($name, $cast) = @_;
    my $answers = "SELECT doc::text$cast, number, word$cast FROM (SELECT DISTINCT ON (doc, number) * FROM words ORDER BY 1, 3, 2) w";
    my $gold = run_sql($db, "SELECT item_name || ' ' || answer_name || ' ' || known FROM tlv_consensus(tlv_crowd('$answers', "
        . "gold => 'SELECT doc::text$cast, upper(word)$cast FROM words WHERE doc = 3 LIMIT 1')) "
            . "WHERE item_name = '3'");
    like($gold->{out}, qr/^3 (Bird|Cat|DOG|fish) true$/, "$name: a known answer of another spelling is that of the workers");
    unlike($gold->{errors}, qr/(?:answer|item)s? of gold|gold answer/, 'and nobody is warned of it');
    my $labels = run_sql($db, "SELECT count(*) FROM tlv_memberships(tlv_mmsb('SELECT src$cast, dst$cast FROM edges', 2, "
        . "labels => 'SELECT lower(src)$cast, 1 FROM edges WHERE src = ''A'' LIMIT 1')) WHERE node_name = 'A'");
    like($labels->{out}, qr/^[12]$/, "$name: a label of another spelling");
    unlike($labels->{errors}, qr/label/, 'is of that node');
}

# Functions that declare strings compare their bytes: they refuse such a type, alone, in parallel plans and in windows, and take what the hint says.
sub in_aggregates {
    my ($name, $cast) = @_;
    my $first = sub { my ($column) = @_; return qq{min($column\::text COLLATE "C") OVER (PARTITION BY $column)} };
    # The planner drops a cast to citext that is followed by one to text: columns are of the type.
    query($db, "DROP TABLE IF EXISTS typed, typed_edges; CREATE TABLE typed AS SELECT doc, number, word$cast AS word FROM words; "
        . "CREATE TABLE typed_edges AS SELECT src$cast AS src, dst$cast AS dst FROM edges");
    my ($edges, $words) = ('SELECT src, dst FROM typed_edges', 'SELECT doc, number, word FROM typed');
    my ($equal, $state) = $name eq 'citext' ? ('citext', 42501) : ('collation "no_case"', 42804);
    my @calls = ('tlv_bag_agg(word)', 'tlv_bag_agg(word, 2)', 'tlv_bag_agg(DISTINCT word)', 'tlv_bag_agg(word) OVER (ORDER BY doc ROWS 3 PRECEDING)', 'tlv_term_id(word)',
        'tlv_graph_agg(word, doc::text)', 'tlv_graph_agg(doc::text, word, 2)', 'tlv_digraph_agg(word, word)', 'tlv_bigraph_agg(doc, word)', 'tlv_bigraph_agg(word, doc, 2)',
        'tlv_graph_agg(word, word) OVER (ORDER BY doc)', 'tlv_crowd_answers(doc, number, word)', 'tlv_crowd_answers(doc, word, number)', 'tlv_crowd_answers(word, number)',
        'tlv_tensor_agg(doc, word, number, 1)', 'tlv_sequence_moments(ARRAY[word, word, word])', 'tlv_category_moments(ARRAY[word, word])',
        'tlv_view_moments(word, doc, word)', 'tlv_row_sample(doc, number, word, 5, 1)', 'tlv_to_bag(ARRAY[word])',
        q(tlv_bag_keep('{1:1}', ARRAY[word])), 'tlv_cover_f1(ARRAY[word], ARRAY[word])',
        q(tlv_topic_model('{1}', ARRAY[word], '{1}', '{1}')));
    for my $call (@calls) {
        my ($function) = $call =~ /^(\w+)/;
        for my $parallel (0, 1) {
            my $result = run_sql($db, 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
                . "SET max_parallel_workers_per_gather = $parallel; SELECT $call FROM ($words) w");
            like($result->{errors}, qr/ERROR:  $state: \Q$function compares strings by their bytes, and several strings are equal under $equal\E\nHINT:  Use /,
                "$name: $call in " . ($parallel ? 'workers' : 'one process'));
        }
        is(run_sql($db, 'SELECT ' . $call =~ s/\bword\b(?=[,)\]])/word::text COLLATE "C"/gr . " FROM ($words) w LIMIT 1")->{errors}, '', "$name: $call of bytes");
    }
    is(query($db, "SELECT tlv_bag_size(tlv_bag_agg(word::text COLLATE \"C\")) FROM ($words) w"), 6, "$name: six spellings");
    is(query($db, 'SELECT tlv_bag_size(tlv_bag_agg(f)) FROM (SELECT ' . $first->('word') . " AS f FROM ($words) w) s"), 4, "$name: four words by the first hint");
    is(query($db, "SELECT tlv_bag_agg(f) = tlv_bag_agg(CASE WHEN word IN ('Cat', 'cat') THEN 'Cat' WHEN word IN ('DOG', 'dog') THEN 'DOG' ELSE word::text COLLATE \"C\" END) "
            . 'FROM (SELECT word, ' . $first->('word') . " AS f FROM ($words) w) s"),
        't', "$name: which have the first spelling");
    # The ends of an edge are one set of nodes, so the first spelling is that of both columns.
    my $nodes = "SELECT node, min(node::text COLLATE \"C\") AS f FROM (SELECT src AS node FROM ($edges) e UNION ALL SELECT dst FROM ($edges) e) n GROUP BY node";
    is(query($db, "WITH nodes AS ($nodes) SELECT string_agg(DISTINCT node_name, ',' ORDER BY node_name) FROM (SELECT tlv_fit_mmsb(tlv_graph_agg(s.f, d.f), 1) AS m FROM ($edges) e "
            . 'JOIN nodes s ON s.node = e.src JOIN nodes d ON d.node = e.dst) q, tlv_memberships(m)'),
        'A,B,C,D', "$name: nodes of a graph");
}

# Rows of other spellings than the model's: by the type of the row.
sub in_rows {
    my ($name, $cast) = @_;
    my ($array, $other) = $name eq 'citext' ? ('::citext[]', '::text[]') : (' COLLATE no_case', '');
    my $once = 'SELECT DISTINCT ON (doc, number) doc, number, word FROM words ORDER BY doc, number, word';
    query($db, <<"SQL");
DROP TABLE IF EXISTS spelled, spelled_edges, spelled_wide;
CREATE TABLE spelled AS SELECT tlv_hmm('SELECT array_agg(word$cast ORDER BY number) FROM words GROUP BY doc', 2) AS hmm,
  tlv_lca('SELECT doc, (''V'' || number)$cast, word$cast FROM ($once) w', 2) AS lca,
  tlv_gom('SELECT doc, (''V'' || number)$cast, word$cast FROM ($once) w', 2) AS gom,
  tlv_crowd('SELECT doc, (''W'' || number)$cast, word$cast FROM ($once) w') AS crowd,
  tlv_multiview('SELECT a.word$cast, b.word$cast, c.word$cast FROM words a JOIN words b USING (doc) JOIN words c USING (doc) WHERE a.number = 0 AND b.number = 1 AND c.number = 2', 2) AS views;
CREATE TABLE spelled_edges AS SELECT word$cast AS src, ('n' || doc % 5)$cast AS dst, doc FROM words;
CREATE TABLE spelled_wide AS SELECT 'CAT'$cast AS a, 'dog'$cast AS b, 'BIRD'$cast AS c;
SQL
    my %pairs = (
        'symbols in an array' => "tlv_log_likelihood(hmm, ARRAY['CAT', 'dog']$array) = tlv_log_likelihood(hmm, ARRAY['Cat', 'DOG'])",
        'states of such' => "tlv_viterbi(hmm, ARRAY['CAT', 'dog']$array) = tlv_viterbi(hmm, ARRAY['Cat', 'DOG'])",
        'answers' => "tlv_infer(crowd, ROW(ARRAY['w0', 'w1']$array, ARRAY['CAT', 'dog']$array)) = tlv_infer(crowd, ROW(ARRAY['W0', 'W1'], ARRAY['Cat', 'DOG']))",
        'categories in an array' => "tlv_infer(lca, ARRAY['CAT', 'dog', NULL]$array) = tlv_infer(lca, ARRAY['Cat', 'DOG', NULL])",
        'categories in a row' => "tlv_infer(lca, ROW('CAT'$cast, 'dog'$cast, NULL)) = tlv_infer(lca, ROW('Cat', 'DOG', NULL))",
        'variables and values' => "tlv_infer(gom, ROW(ARRAY['v1', 'v0']$array, ARRAY['CAT', 'dog']$array)) = tlv_infer(gom, ROW(ARRAY['V1', 'V0'], ARRAY['Cat', 'DOG']))",
        'views' => "tlv_infer(views, ROW(a, b, c)) = tlv_infer(views, ROW('Cat', 'DOG', 'Bird'))",
        'views in an array' => "tlv_infer(views, ARRAY['CAT', 'dog', 'BIRD']$array) = tlv_infer(views, ROW('Cat', 'DOG', 'Bird'))",
        'statistics' => "(SELECT tlv_statistics(ARRAY[v, v, v]$array, m.lca) = tlv_statistics(ARRAY[w, w, w], m.lca) FROM (VALUES ('CAT', 'Cat')) v(v, w), spelled m)",
        'of views' => "(SELECT tlv_statistics(s.a, s.b, s.c, m.views) = tlv_statistics('Cat'::text, 'DOG'::text, 'Bird'::text, m.views) FROM spelled_wide s, spelled m)",
        'labels' => "(SELECT tlv_nmi(word$cast, lower(word)) = 1 FROM words)",
    );
    for my $what (sort keys %pairs) {
        is(query($db, "SELECT $pairs{$what} FROM spelled, spelled_wide"), 't', "$name: $what");
    }
    isnt(query($db, "SELECT tlv_log_likelihood(hmm, ARRAY['CAT', 'dog']) = tlv_log_likelihood(hmm, ARRAY['Cat', 'DOG']) FROM spelled"), 't', "$name: texts are texts");
    is(query($db, "SELECT bool_and(tlv_edge_probability(m, src, dst) IS NOT NULL) FROM spelled_edges, (SELECT tlv_mmsb('SELECT src, dst FROM spelled_edges', 2) AS m OFFSET 0) q"),
        't', "$name: edges");
    is(query($db, "SELECT count(*) FROM spelled_edges, (SELECT tlv_fit_cp(tlv_tensor_agg(initcap(src::text) COLLATE \"C\", dst::text COLLATE \"C\", doc % 4, doc), 1) AS m FROM spelled_edges) q "
        . "WHERE tlv_tensor_at(m, src, dst, doc % 4) IS NULL"), 0,
        "$name: items of tensors");
}

for my $type ([ 'ltree', '::ltree' ], [ 'isn', q(, '978-0-393-04002-9'::isbn13) ]) {
    my ($name, $cast) = @$type;
    next if !$has{$name};
    query($db, "CREATE EXTENSION $name");
    my $query = $name eq 'ltree' ? 'SELECT doc, word::ltree FROM words' : q(SELECT doc, '978-0-393-04002-9'::isbn13 FROM words);
    like(query($db, 'SELECT item_name FROM tlv_topic_items(tlv_lda($q$' . $query . '$q$, 1), 10) LIMIT 1'), $name eq 'ltree' ? qr/^\w+$/ : qr/^978-0-393-04002-9$/, "$name: items by their text");
    # Drivers and what is declared "any" take the type; aggregates of strings take the cast that the server asks for.
    my $column = $name eq 'ltree' ? 'word::ltree' : $cast =~ s/^, //r;
    my $rows = "SELECT doc, number, $column AS x FROM words";
    (my $quoted = $rows) =~ s/'/''/g;
    for my $call ("tlv_kind(tlv_lca('$quoted', 1, layout => 'wide'))", "tlv_kind(tlv_multiview('$quoted', 1))", "(SELECT tlv_kind(tlv_view_moments(doc, number, x)) FROM ($rows) r)",
        "(SELECT tlv_nmi(x, x) FROM ($rows) r)", "(SELECT tlv_bag_total(tlv_bag_agg(x::text)) FROM ($rows) r)", "(SELECT tlv_kind(tlv_crowd_answers(doc, number, x::text)) FROM ($rows) r)",
        "(SELECT count(*) FROM tlv_top((SELECT tlv_lca('$quoted', 1, layout => 'wide')), (SELECT r FROM ($rows) r LIMIT 1)))")
    {
        is(run_sql($db, "SET tensorlv.warnings = off; SELECT $call")->{errors}, '', "$name: $call");
    }
    like(run_sql($db, "SELECT tlv_bag_agg(x) FROM ($rows) r")->{errors}, qr/42883: .*\n(?:.*\n)*?HINT: .* explicit type casts/, "$name: the cast is the hint");
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
