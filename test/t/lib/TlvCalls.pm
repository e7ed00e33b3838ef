package TlvCalls;
# Calls of every driver in every form of rows, and of every aggregate, over tables that may lie anywhere; what a catalogue lists
# and no call uses; and the comparison of two answers.
#
# A call is SQL over tables without a schema: search_path says where they are.  The tables are those that the files of values/
# make, and some made of these; each has a column part, 0 to 63, which may be the distribution column.
use strict;
use warnings;
use Exporter qw(import);
use JSON::PP ();
use MIME::Base64 qw(decode_base64);
use TlvHostile qw(make_values %value_table);
use TlvImages;
use TlvTest;

our @EXPORT = qw(make_tables driver_calls aggregate_calls untried unused_tables difference halves run_calls missing_answers outcome);

# ---- tables ----

# Made of those of values/: other forms of the same rows.
my @more = (
    [ batches => 'SELECT array_agg(bag ORDER BY doc) AS bags FROM walk.documents GROUP BY doc / 4' ],
    [ words => 'SELECT doc, item, weight FROM walk.documents, tlv_bag_items(bag)' ],
    [ texts => q{SELECT doc, array_to_tsvector(array_agg('w' || item ORDER BY item)) AS terms, array_agg('w' || item ORDER BY item) AS listed FROM walk.documents, tlv_bag_items(bag) GROUP BY doc} ],
    [ steps => 'SELECT q AS seq, t, s[t] AS symbol, x[t:t] AS x FROM (SELECT row_number() OVER () AS q, * FROM walk.sequences) v, generate_subscripts(s, 1) t' ],
    [ series => 'SELECT array_agg(reading ORDER BY t) AS s FROM walk.readings GROUP BY series' ],
    [ switches => 'SELECT row_number() OVER () AS id, unnest(active) AS item FROM walk.active_sets' ],
    [ sizes_long => 'SELECT id, j AS variable, x[j] AS value FROM (SELECT row_number() OVER () AS id, x FROM walk.sizes) v, generate_subscripts(x, 1) j' ],
    [ answers_long => 'SELECT id, j AS variable, x[j] AS value FROM (SELECT row_number() OVER () AS id, x FROM walk.answers) v, generate_subscripts(x, 1) j' ],
    [ survey_long => q{SELECT id, 'q' || j AS variable, x[j]::text AS category FROM walk.survey, generate_subscripts(x, 1) j} ],
    [ survey_numbers => q{SELECT id, 'q' || j AS variable, CASE WHEN j < 3 THEN x[j]::text END AS category, CASE WHEN j >= 3 THEN x[j] + id % 7 / 7.0 END AS number
        FROM walk.survey, generate_subscripts(x, 1) j} ],
    [ clouds => 'SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 2, seed => 6), 2000, seed => 1)' ],
    [ triples => q{SELECT x1 AS v1, x2 AS v2, x3 AS v3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model('{3,3,3}', 2, seed => 1), 2000, 2)} ],
    [ groups => 'SELECT (i % 3)::bigint AS a, ((i + i / 20) % 3)::bigint AS b, ARRAY[i % 3, i % 2]::bigint[] AS c, ARRAY[i % 4]::bigint[] AS d,
        ARRAY[i / 61., 1 - i / 61.]::float8[] AS e, ARRAY[.3, .2, i / 60.]::float8[] AS f FROM generate_series(1, 60) i' ],
);
my %values = map { $_ => 1 } values %value_table;

# The schema here: every table with its column part, and the constants of aggregates.
sub make_tables {
    my ($db) = @_;
    make_values($db);
    query($db, 'CREATE SCHEMA here; GRANT USAGE ON SCHEMA here TO public;');
    query($db, "CREATE TABLE walk.$_->[0] AS $_->[1];") for @more;
    my @tables = grep { !$values{$_} && !/^(kept_|walk_|numbers$|queries$)/ }
        split /\n/, query($db, q{SELECT relname FROM pg_class WHERE relnamespace = 'walk'::regnamespace AND relkind = 'r' ORDER BY 1});
    query($db, "CREATE TABLE here.$_ AS SELECT *, (row_number() OVER () * 7 % 64)::int AS part FROM walk.$_;") for @tables;
    query($db, "SET search_path = here, public;\n" . <<'SQL');
CREATE TABLE constants (name text, subspace tlv_subspace, model tlv_model);
INSERT INTO constants (name, subspace) SELECT 'items', tlv_find_subspace(tlv_count_moments(bag), 2) FROM documents
  UNION ALL SELECT 'vectors', tlv_find_subspace(tlv_dense_moments(x, 2), 2) FROM points;
INSERT INTO constants (name, model) VALUES ('lda', tlv_lda('SELECT bag FROM documents', 2, iterations => 3)), ('wide', tlv_simulate_lda_model(30, 2)), ('lda of words',
  tlv_lda('SELECT terms FROM texts', 2, iterations => 3)), ('gmm', tlv_gmm('SELECT x FROM points', 2)), ('mmsb', tlv_mmsb('SELECT node, neighbours FROM adjacent', 2)),
  ('hmm', tlv_hmm('SELECT s FROM sequences', 2)), ('hmm of names', tlv_hmm('SELECT s::text[] FROM sequences', 2)), ('hmm of vectors', tlv_hmm('SELECT x FROM sequences', 2)),
    ('lca', tlv_lca('SELECT x FROM survey', 2)),
  ('lca of names', tlv_lca('SELECT id, variable, category FROM survey_long', 2)), ('views', tlv_multiview('SELECT v1, v2, v3 FROM triples', 2)), 
  ('network', tlv_network('SELECT active FROM active_sets')), ('tree', tlv_tree('SELECT x FROM answers'));
GRANT SELECT ON ALL TABLES IN SCHEMA here TO public;
ANALYZE;
SQL
    my @views = view_rows();
    query($db, "SET search_path = here, public;\nINSERT INTO constants (name, model) VALUES ('$_->[2]', tlv_multiview(" . quoted("SELECT $_->[0] FROM $_->[1]") . ', 2));') for @views[ 1 .. $#views ];
    return @tables;
}

# ---- drivers ----

# [driver, rows, further arguments]
my @drivers = (
    [ 'tlv_lda', 'SELECT bag FROM documents', '2' ],
    [ 'tlv_lda', 'SELECT bag FROM documents', '' ],
    [ 'tlv_lda', 'SELECT doc, bag FROM documents', "2, method => 'anchors'" ],
    [ 'tlv_lda', 'SELECT bag FROM documents', "2, refine => 'gibbs', errors => true" ],
    [ 'tlv_lda', 'SELECT bag FROM documents', "2, refine => 'ctm', iterations => 2" ],
    [ 'tlv_lda', 'SELECT bag FROM documents', "2, refine => 'none'" ],
    [ 'tlv_lda', 'SELECT bags FROM batches', "2, refine => 'none'" ],
    [ 'tlv_lda', 'SELECT doc, item, weight FROM words', '2' ],
    [ 'tlv_lda', 'SELECT abs(doc) + 1, item, weight FROM words', "2, refine => 'none'" ],
    [ 'tlv_lda', q{SELECT doc, 'w' || item, weight FROM words}, "2, refine => 'none'" ],
    [ 'tlv_lda', 'SELECT terms FROM texts', "2, refine => 'none'" ],
    [ 'tlv_lda', 'SELECT listed FROM texts', "2, refine => 'none'" ],
    [ 'tlv_suggest_k', 'SELECT bag FROM documents', '' ],
    [ 'tlv_suggest_k', 'SELECT x FROM points', "model => 'gmm'" ],
    [ 'tlv_suggest_k', 'SELECT x FROM survey', "model => 'lca'" ],
    [ 'tlv_suggest_k', 'SELECT s FROM sequences', "model => 'hmm', max_k => 3" ],
    [ 'tlv_gmm', 'SELECT x FROM points', '2' ],
    [ 'tlv_gmm', 'SELECT x FROM points', '' ],
    [ 'tlv_gmm', 'SELECT x::real[] FROM points', "2, 'full', errors => true" ],
    [ 'tlv_gmm', 'SELECT x::real[] FROM clouds', "2, 'full', errors => true" ],
    [ 'tlv_gmm', 'SELECT x::integer[] FROM points', '2' ],
    [ 'tlv_gmm', 'SELECT x[1], x[2], x[3] FROM points', "2, 'diagonal'" ],
    [ 'tlv_gmm', 'SELECT x FROM points', "2, 'direction'" ],
    [ 'tlv_gmm', 'SELECT x FROM clouds', "2, 'common', 't'" ],
    [ 'tlv_gmm', 'SELECT x FROM points', "2, 'tied'" ],
    [ 'tlv_gmm', 'SELECT x FROM points', "criterion => 'icl'" ],
    [ 'tlv_gmm', 'SELECT x[1] AS a, x[2] AS b, 1 + abs(x[3]) AS w FROM points', "2, 'full', weights => 'w'" ],
    [ 'tlv_ica', 'SELECT x FROM signals', '' ],
    [ 'tlv_ica', 'SELECT x[1], x[2], x[3] FROM signals', '3' ],
    [ 'tlv_mmsb', 'SELECT source, target FROM links', '2' ],
    [ 'tlv_mmsb', 'SELECT source, target, 2.5 FROM links', '2' ],
    [ 'tlv_mmsb', q{SELECT source || 'a', target || 'a' FROM links}, '2' ],
    [ 'tlv_mmsb', 'SELECT source, target FROM links', '2, directed => true' ],
    [ 'tlv_mmsb', q{SELECT source, 'b' || target FROM links}, '2, bipartite => true' ],
    [ 'tlv_mmsb', 'SELECT source, target FROM links', '2, alpha0 => 1, errors => true' ],
    [ 'tlv_mmsb', 'SELECT source, target FROM links', "2, labels => 'SELECT node, label + 1 FROM marks'" ],
    [ 'tlv_mmsb', 'SELECT node, neighbours FROM adjacent', '2' ],
    [ 'tlv_mmsb', 'SELECT node, neighbours FROM adjacent', '' ],
    [ 'tlv_mmsb', 'SELECT node, neighbours FROM adjacent', '2, alpha0 => .2' ],
    [ 'tlv_mmsb', 'SELECT node, neighbours FROM adjacent', "2, labels => 'SELECT node, label + 1 FROM marks'" ],
    [ 'tlv_hmm', 'SELECT s FROM sequences', '2' ],
    [ 'tlv_hmm', 'SELECT s::bigint[] FROM sequences', '' ],
    [ 'tlv_hmm', 'SELECT s::text[] FROM sequences', '2, errors => true' ],
    [ 'tlv_hmm', 'SELECT x FROM sequences', '2' ],
    [ 'tlv_hmm', 'SELECT seq, t, symbol FROM steps', '2' ],
    [ 'tlv_hmm', 'SELECT seq, t, ARRAY[x[1][1], x[1][2]] FROM steps', '2' ],
    [ 'tlv_hmm', q{SELECT seq, t, 's' || symbol FROM steps}, '2' ],
    [ 'tlv_hmm', 'SELECT seq, t, x[1][1], x[1][2] FROM steps', '2' ],
    [ 'tlv_multiview', 'SELECT v1, v2, v3 FROM triples', '2' ],
    [ 'tlv_multiview', 'SELECT v1, v2, v3 FROM triples', '' ],
    [ 'tlv_multiview', 'SELECT a, b, c FROM labels', '2, errors => true' ],
    [ 'tlv_multiview', 'SELECT a, b, c FROM named_labels', '2' ],
    [ 'tlv_crowd', 'SELECT item, worker, answer FROM labelled', '' ],
    [ 'tlv_crowd', q{SELECT 'i' || item, 'w' || worker, 'a' || answer FROM labelled}, "gold => 'SELECT ''i1'', ''a1'''" ],
    [ 'tlv_crowd', 'SELECT item, worker, answer FROM labelled', "gold => 'SELECT item, min(answer) FROM labelled WHERE item < 4 GROUP BY item'" ],
    [ 'tlv_lca', 'SELECT x FROM survey', '2' ],
    [ 'tlv_lca', 'SELECT x FROM survey', '' ],
    [ 'tlv_lca', 'SELECT id, variable, category FROM survey_long', '2, errors => true' ],
    [ 'tlv_lca', 'SELECT x[1] AS a, x[2] AS b, x[3] AS c, x[4] + 0.5 AS d, x[5]::float8 AS e FROM survey', "2, layout => 'wide'" ],
    [ 'tlv_lca', 'SELECT x[1] AS a, x[2] AS b, x[3] AS c, 1 + x[4] * x[5] AS w FROM survey', "2, layout => 'wide', weights => 'w'" ],
    [ 'tlv_lca', q{SELECT id, variable, category, number FROM survey_numbers}, '2' ],
    [ 'tlv_gom', 'SELECT x FROM mixed', '2' ],
    [ 'tlv_gom', 'SELECT id, variable, category FROM survey_long', '2' ],
    [ 'tlv_gom', 'SELECT x[1] AS a, x[2] AS b, x[3] AS c, x[4] AS d FROM mixed', "2, layout => 'wide'" ],
    [ 'tlv_tree', 'SELECT x FROM answers', '' ],
    [ 'tlv_tree', 'SELECT x FROM sizes', 'bootstrap => 20' ],
    [ 'tlv_tree', 'SELECT x FROM many', '2' ],
    [ 'tlv_tree', 'SELECT x FROM answers', 'bootstrap => 20' ],
    [ 'tlv_multiview', 'SELECT v1, v2, v3 FROM views', "2, refine => 'none'" ],
    [ 'tlv_tree', 'SELECT id, variable, value FROM answers_long', "kind => 'categorical'" ],
    [ 'tlv_tree', 'SELECT id, variable, value FROM sizes_long', '' ],
    [ 'tlv_tree', 'SELECT x[1] AS a, x[2] AS b, x[3] AS c, x[4] AS d FROM sizes', "layout => 'wide'" ],
    [ 'tlv_convolution', 'SELECT series, t, reading FROM readings', '1, 8' ],
    [ 'tlv_convolution', 'SELECT s FROM series', '1, 8' ],
    [ 'tlv_dictionary', 'SELECT x FROM coded', '5, 2' ],
    [ 'tlv_dictionary', 'SELECT x[1], x[2], x[3], x[4] FROM coded', '5, 2' ],
    [ 'tlv_network', 'SELECT active FROM active_sets', '' ],
    [ 'tlv_network', 'SELECT tlv_to_bag(active) FROM active_sets', '' ],
    [ 'tlv_network', 'SELECT id, item FROM switches', '' ],
    [ 'tlv_network', q{SELECT id, 'u' || item FROM switches}, '' ],
    [ 'tlv_network', 'SELECT active FROM active_sets', '2' ],
);

sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

# The query in two halves.
sub halves { my ($query) = @_; return ("$query WHERE part < 32", "$query WHERE part >= 32") }

# The arguments of a driver, the first of several queries first.
sub arguments_of {
    my ($more, $query, @others) = @_;
    return join(', ', quoted($query), ($more ne '' ? $more : ()), (@others ? 'more_queries => ARRAY[' . join(', ', map { quoted($_) } @others) . ']' : ()));
}

# Of every query $several, unless it is left out, makes a list of queries; without it the first call of a driver is
# followed by one of halves.
sub driver_calls {
    my ($several) = @_;
    my (%seen, @calls);
    for my $call (@drivers) {
        my ($driver, $query, $more) = @$call;
        push @calls, "$driver(" . arguments_of($more, $several && $driver ne 'tlv_suggest_k' ? $several->($query) : $query) . ')';
        push @calls, "$driver(" . arguments_of($more, halves($query)) . ')' if !$several && !$seen{$driver}++ && $driver ne 'tlv_suggest_k';
    }
    return map { /^tlv_suggest_k/ ? "to_jsonb(array_agg(s)) FROM $_ s" : $_ } @calls;
}

# ---- aggregates ----

sub constant { my ($name, $what) = @_; return "(SELECT $what FROM constants WHERE name = '$name')" }
sub model { return constant($_[0], 'model') }
sub space { return constant($_[0], 'subspace') }

# Every way of writing some columns as they are, whole numbers, or as text.
sub ways {
    my @columns = @_;
    return [] if !@columns;
    my ($first, @rest) = @columns;
    return map { ([ "$first\::bigint", @$_ ], [ "'n' || $first", @$_ ]) } ways(@rest);
}

sub of_table { my ($table, @calls) = @_; return map { "$_ FROM $table" } @calls }

# Rows of one type, as an aggregate with a declared type takes them: the columns, the table, and the model of each.
my @rows = (
    [ 'bag', 'documents', 'lda' ], [ 'bags', 'batches', 'lda' ], [ 'terms', 'texts', 'lda of words' ],
    (map { [ "x::$_\[]", 'points', 'gmm' ] } qw(real float8 numeric)), [ 'ROW(x[1], x[2], x[3])', 'points', 'gmm' ],
    (map { [ "s::$_\[]", 'sequences', 'hmm' ] } qw(smallint integer bigint)), [ 's::text[]', 'sequences', 'hmm of names' ],
    [ 'x', 'survey', 'lca' ], [ 'active', 'active_sets', 'network' ], [ 'x', 'answers', 'tree' ], [ 'x', 'sequences', 'hmm of vectors' ],
);

sub statistics_calls {
    my @calls;
    for my $row (@rows) {
        my ($columns, $table, $name) = @$row;
        push @calls, "tlv_statistics_typed($columns, " . model($name) . ") FROM $table";
        push @calls, "tlv_statistics_typed($columns, " . model($name) . ', ' . ($name =~ /lda|gom/ ? q{'gibbs'} : q{'em'}) . ") FROM $table";
        next if $name =~ /network|tree/;
        push @calls, "tlv_error_statistics_typed($columns, " . model($name) . ") FROM $table";
    }
    return @calls;
}

# Three vectors, and categories in every mixture of whole numbers and texts: each with its model.
sub view_rows {
    my @categories = ways('a', 'b', 'c');
    return ([ 'v1, v2, v3', 'triples', 'views' ], map { [ join(', ', @{ $categories[$_] }), 'labels', "labels $_" ] } 0 .. $#categories);
}

sub view_calls {
    return map { my ($columns, $table, $name) = @$_; map { "$_ FROM $table" } "tlv_view_moments_typed($columns)", "tlv_row_sample_typed($columns, 10, 1)",
        "tlv_statistics_typed($columns, " . model($name) . ')', "tlv_error_statistics_typed($columns, " . model($name) . ')' } view_rows();
}

sub document_calls {
    my ($row, $table) = @_;
    return map { s/ROW/$row/r . " FROM $table" } 'tlv_count_summary(ROW)', 'tlv_count_moments(ROW)',
      (map { "$_(ROW, " . space('items') . ')' } qw(tlv_count_products tlv_count_moments tlv_anchor_moments tlv_pair_moments)),
        (map { "$_(ROW, " . model('lda') . ')' } qw(tlv_perplexity tlv_completion tlv_topic_products)), 'tlv_coherence(ROW, ' . model('lda') . ', 3)';
}

# States whose numbers follow the parts that they were put together from, as sums about a shift of their own do, and sums that
# are zero but for rounding: what is made of them is compared.  Replicates of the bootstrap are drawn along the rows of a part: without
# an order of all rows the tables beside them are compared.  parts: another way of writing the state, and where it is from.
sub read_back {
    my ($call, $parts) = @_;
    my ($state, $from) = $call =~ /^(.*) (FROM \w+(?: WHERE [^()]*)?)$/ or return $call;
    my ($s, $rows) = $parts ? $parts->($state, $from) : ($state, $from);
    return "tlv_to_json(tlv_fit_gmm($s, 2)) $rows" if $state =~ /^tlv_dense_moments/;
    return "tlv_to_json(tlv_fit_multiview($s, 2)) $rows" if $state =~ /^tlv_view_moments_typed\(v1/;
    my $whole = "FROM (SELECT $s AS s $rows) q";
    return 'tlv_find_subspace(s, subspace => ' . space('items') . ") $whole" if $state =~ /^tlv_count_products/;
    return "tlv_to_json(tlv_fit_lca($s, 2)) $rows" if $state =~ /^tlv_category_moments\(x.*, \d\)/ || ($parts && $state =~ /^tlv_category_moments.* ORDER BY x\)/);
    return "tlv_to_json(tlv_fit_hmm($s, 2)) $rows" if $state eq 'tlv_sequence_moments(x)';
    return "jsonb_agg(e ORDER BY e::text) $whole, tlv_estimates($1, s) e" if $state =~ /^tlv_error_statistics_typed.*(\(SELECT model .*?\))\)$/;
    return "$s $rows";
}

sub aggregate_calls { my ($parts) = @_; return map { read_back($_, $parts) } all_aggregates() }

sub all_aggregates {
    my @vectors = map { my $x = $_; map { "tlv_dense_moments_typed($x, $_) FROM points" } 3, space('vectors'), space('vectors') . ', 3' } 'ROW(x[1], x[2], x[3])',
      map { "x::$_\[]" } qw(smallint integer bigint real float8 numeric);
    my @sequences = map { my $s = $_; map { "$_ FROM sequences" } "tlv_sequence_moments($s)", "tlv_sequence_sample($s, 5, 1)" } 's', 's::integer[]', 's::bigint[]', 's::text[]', 'x';
    my @graphs = map { my ($a, $b) = @$_; my $same = ($a =~ /bigint/) == ($b =~ /bigint/);
        map { ("$_($a, $b)", "$_($a, $b, 1.5 * target)") } ($same ? qw(tlv_graph_agg tlv_digraph_agg) : ()), 'tlv_bigraph_agg' } ways('source', 'target');
    my @codes = map { ("tlv_category_moments($_)", "tlv_category_moments($_, 3 ORDER BY x)", "tlv_category_moments($_, 4, 2 ORDER BY x)",
        "tlv_category_moments($_, 3)", "tlv_category_moments($_, 4, 2)") } 'x', 'x::text[]';
    return (
        document_calls('bag', 'documents'), document_calls('bags', 'batches'), statistics_calls(), view_calls(), @vectors, @sequences,
        of_table('documents', 'tlv_coherence(bag, ' . model('wide') . ')', 'tlv_rollup(bag)', 'tlv_bag_agg(doc)',
          'tlv_bag_agg(doc, 2.5)', q{tlv_bag_agg('w' || doc)}, q{tlv_bag_agg('w' || doc, 2.5)}),
        of_table('batches', 'tlv_coherence(bags, ' . model('wide') . ')'),
        'tlv_rollup(s) FROM (SELECT part, tlv_count_summary(bag) AS s FROM documents GROUP BY part) q',
          'tlv_rollup(s) FROM (SELECT part, tlv_graph_agg(source, target) AS s FROM links GROUP BY part) q',
        'tlv_rollup(s) FROM (SELECT part, tlv_statistics(node, neighbours, ' . model('mmsb') . ') AS s FROM adjacent GROUP BY part) q',
        of_table('points', 'tlv_row_sample(x, 10, 1)'), of_table('survey', @codes, 'tlv_row_sample(x, 50, 1)'),
        of_table('links', @graphs),
        of_table('adjacent', 'tlv_statistics(node, neighbours, ' . model('mmsb') . ')', 'tlv_digraph_agg(node, neighbours)', 'tlv_bigraph_agg(node, neighbours)'),
        of_table('series', 'tlv_series_moments(s, 8)', q{tlv_series_moments(s, 8, 'windows')}),
        of_table('labelled', map { 'tlv_crowd_answers(' . join(', ', @$_) . ')' } ways('item', 'worker', 'answer')),
        of_table('labelled WHERE item < 4 AND worker < 3', map { 'tlv_crowd_answers(' . join(', ', $_->[0], $_->[1] =~ /'n'/ ? q{'n' || item % 2} : 'item % 2') . ')' } ways('item', 'answer')),
        of_table('cells', map { 'tlv_tensor_agg(' . join(', ', @$_, 'entry') . ')' } ways('i', 'j', 'l')),
        of_table('active_sets', 'tlv_cofire(active)', 'tlv_cofire(tlv_to_bag(active))', 'tlv_cofire(active, ' . model('network') . ')', 'tlv_cofire(tlv_to_bag(active), ' . model('network') . ')'),
        of_table('groups', (map { my $columns = join ', ', @$_; map { "tlv_$_\_typed($columns)" } qw(label_pairs nmi ari) } ways('a', 'b')),
            (map { "tlv_$_(c, d)" } qw(cover_pairs cover_f1)), (map { "tlv_$_(c::text[], d::text[])" } qw(cover_pairs cover_f1)),
              'tlv_membership_pairs(e, f)'),
        'array_agg(row_agg ORDER BY id) FROM (SELECT id, tlv_row_agg(variable, value::int, 5) AS row_agg FROM answers_long GROUP BY id) q',
        'array_agg(row_agg ORDER BY id) FROM (SELECT id, tlv_row_agg(variable, value::float8, 5) AS row_agg FROM sizes_long GROUP BY id) q',
    );
}

# ---- what no call uses ----

# Drivers and aggregates of the extension, by signature, that no call uses (aggregates of "any" have twins with declared types): each call is made a view, whose dependencies say what it resolved to.
sub untried {
    my ($db, @calls) = @_;
    query($db, "CREATE SCHEMA tried;\nSET search_path = here, public;\n" . join '', map { "CREATE VIEW tried.v$_ AS SELECT $calls[$_];\n" } 0 .. $#calls);
    return split /\n/, query($db, <<'SQL');
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e' JOIN pg_extension x ON x.oid = e.refobjid
  AND x.extname = 'tensorlv'
WHERE (p.prokind = 'a' AND NOT '"any"'::regtype = ANY (p.proargtypes) OR p.proname IN (SELECT unnest(drives) FROM tlv_kinds()) OR p.proargnames[1] = 'query') AND NOT EXISTS (SELECT
  FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c ON c.oid = r.ev_class
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid AND c.relnamespace = 'tried'::regnamespace)
ORDER BY 1::text
SQL
}

sub unused_tables {
    my ($calls, @tables) = @_;
    my $all = join ' ', @$calls;
    return grep { $all !~ /\b\Q$_\E\b/ } @tables;
}

# ---- comparison ----

# Numbers and everything else of a JSON value, in one order.  The passes of a fit are a number of their own: rows that have to travel are
# stored, which is one more.
my @passes;

sub flatten {
    my ($value, $numbers, $others) = @_;
    if (ref $value eq 'ARRAY' && @$value == 2 && !ref $value->[0] && ($value->[0] // '') eq 'passes') { push @passes, $value->[1]; return }
    if (ref $value eq 'HASH') { push @$others, $_ and flatten($value->{$_}, $numbers, $others) for sort keys %$value }
    elsif (ref $value eq 'ARRAY') { push @$others, '[' . @$value; flatten($_, $numbers, $others) for @$value }
    elsif (defined $value && $value =~ /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/) { push @$numbers, 0 + $value }
    else { push @$others, ref $value ? "$value" : $value // 'null' }
    return;
}

sub largest_difference {
    my ($a, $b) = @_;
    my ($largest, $most) = (0, 0);
    for my $i (0 .. $#$a) {
        $largest = abs $_ > $largest ? abs $_ : $largest for $a->[$i], $b->[$i];
        $most = abs($a->[$i] - $b->[$i]) > $most ? abs($a->[$i] - $b->[$i]) : $most;
    }
    return $largest > 0 ? $most / $largest : 0;
}

# Sections of either: [name, numbers, what else it says].
sub sections_of {
    my ($text) = @_;
    if ($text =~ /^[{\[]/ && eval { JSON::PP->new->allow_nonref->decode($text); 1 }) {
        my $value = JSON::PP->new->allow_nonref->decode($text);
        $value = { value => $value } if ref $value ne 'HASH';
        return map { my (@numbers, @others); flatten($value->{$_}, \@numbers, \@others); [ $_, \@numbers, "@others" ] } sort keys %$value;
    }
    return [ 'value', [$text], '' ] if $text =~ /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
    if ($text =~ /^\w+[^:]*:([A-Za-z0-9+\/=]+)$/) {
        return map { [ $_->[0], $_->[1], $_->[2] ] } number_sections(decode_base64($1));
    }
    return [ 'text', [], $text ];
}

# How far two answers are from each other: the largest difference of two numbers relative to the largest of their section, and the
# name of that section; undef and a name where they differ in more than numbers.
sub difference {
    my ($one, $two) = @_;
    return (0, '') if $one eq $two;
    @passes = ();
    my @a = sections_of($one);
    my @b = sections_of($two);
    return (undef, 'passes') if @passes && (@passes != 2 || abs($passes[0] - $passes[1]) > 1);
    return (undef, 'sections') if @a != @b;
    my ($most, $where) = (0, '');
    for my $i (0 .. $#a) {
        return (undef, $a[$i][0]) if $a[$i][0] ne $b[$i][0] || @{ $a[$i][1] } != @{ $b[$i][1] } || $a[$i][2] ne $b[$i][2];
        my $difference = largest_difference($a[$i][1], $b[$i][1]);
        ($most, $where) = ($difference, $a[$i][0]) if $difference > $most;
    }
    return ($most, $where);
}

# ---- running ----

# The answers of calls in one session, as {text, error, bytes, rows}; counts: a file of bytes and rows that travel (TlvTraffic), or undef.
sub run_calls {
    my ($db, $path, $calls, $counts) = @_;
    my $look = defined $counts ? "\\! cat $counts\n" : "\\echo 0 0 0\n";
    my $script = "SET search_path = $path;\nSET tensorlv.warnings = off;\n"; # a model has its warnings
    for my $i (0 .. $#$calls) {
        my $call = $calls->[$i] =~ /^tlv_\w+\((?:'|ARRAY\[')SELECT/ ? "tlv_to_json($calls->[$i])" : $calls->[$i];
        $script .= "\\echo \@\@$i\n${look}SELECT $call;\n";
    }
    my $run = run_sql($db, "$script\\echo \@\@end\n$look", go_on => 1, together => 1);
    my (@answers, @before);
    for my $part (split /^\@\@/m, $run->{out}) {
        my ($i, $now, $rest) = $part =~ /\A(\w+)\n([\d ]*)\n?(.*)\z/s or next;
        my @now = split ' ', $now eq '' ? '0 0 0' : $now;
        if (@before) { $answers[-1]{bytes} = $now[0] + $now[1] - $before[0] - $before[1]; $answers[-1]{rows} = $now[2] - $before[2] }
        @before = @now;
        last if $i eq 'end';
        $rest =~ s/^NOTICE:.*\n|^DETAIL: .*\n|^WARNING: .*\n|^LOCATION: .*\n//mg if $rest !~ /^ERROR/m;
        chomp $rest;
        push @answers, { text => $rest, error => $rest =~ /^ERROR:\s*(.*)/m ? $1 : undef };
    }
    return @answers;
}

# Calls that end in an error, or return nothing although no constant of theirs is null, which leaves out all rows.
sub missing_answers {
    my ($calls, $answers) = @_;
    return map { "$calls->[$_]: $answers->[$_]{text}" } grep { defined $answers->[$_]{error} || ($answers->[$_]{text} eq '') != ($calls->[$_] =~ /, NULL\)/) } 0 .. $#$calls;
}

# What an answer is beside the one that is expected, and how far it is from it.
sub outcome {
    my ($expected, $answer) = @_;
    return ('no answer') if !$answer || ($answer->{text} eq '' && $expected->{text} ne '');
    return ("ERROR $answer->{error}") if defined $answer->{error};
    my ($difference, $section) = difference($expected->{text}, $answer->{text});
    return ("DIFFERS in $section") if !defined $difference;
    # labels and counts differ by more: those are never let pass
    return ("DIFFERS in $section by $difference") if $difference > 1e-3;
    return ($difference > 1e-10 ? "EXCEPTION in $section" : 'equal', $difference);
}

1;
