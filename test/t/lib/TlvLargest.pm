package TlvLargest;
# Values of every kind of a given stored size, and calls of every function that takes such a value on each: how long a cancel
# is not looked for, and by how much the process grows.
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use TlvMeasures;
use TlvTest;

our @EXPORT = qw(value_kinds make_largest value_functions measure_calls);

# The types whose values have kinds, and in the one list of kinds those of each.
my %type_of = (MODEL => 'tlv_model', MOMENTS => 'tlv_moments', SUBSPACE => 'tlv_subspace', GRAPH => 'tlv_graph');

# Kind => type.
sub value_kinds {
    return map { /^TLV_KIND\((\w+), \d+, "(\w+)"/ ? ($2 => $type_of{$1}) : () } split /\n/, read_file(dirname(__FILE__) . '/../../../include/tensorlv/model/kinds.def');
}

# SQL of a network in JSON: one that was simulated has proportions of 1 for all edges, which take no space.
sub network_maker {
    my ($units, $children, $items) = @_;
    my $stride = int $items / $children;
    my $of_edges = "generate_series(0, @{[ $units - 1 ]}) u, generate_series(0, @{[ $children - 1 ]}) j";
    my $list = sub { my ($what) = @_; return "(SELECT string_agg(($what)::text, ',' ORDER BY u, j) FROM $of_edges)" };
    my $ones = sub { my ($n, $what) = @_; return "(SELECT string_agg(($what)::text, ',' ORDER BY i) FROM generate_series(1, $n) i)" };
    my %field = (items => $ones->($items, 'i'), layers => "'$units'", weights => $ones->($units, '0.1'), edge_units => $list->('u'),
        edge_children => $list->("j * $stride + (u * 7 + j * j) % $stride"), edge_weights => $list->('CASE WHEN j % 4 = 3 THEN -1 ELSE 1 END'),
        edge_shares => $list->('abs(sin(u * 12.9898 + j * 78.233))'));
    return q|tlv_from_json(('{"kind":"network","rows":9,"seed":1,"steps":1| . join('', map { qq|,"$_":[' \|\| $field{$_} \|\| ']| } sort keys %field) . q|}')::json)|;
}

# By kind: SQL of a model of about $n numbers of 8 bytes, its row for functions of "any", the length of a vector, and the length of
# an array of integers.  Kinds whose check bounds them below the size are as large as they may be.  Names of no kind are models that
# statistics and moments are of.
sub model_makers {
    my ($n) = @_;
    my $whole = sub { my ($x, $most) = @_; $x = int $x; $x = 2 if $x < 2; return defined $most && $x > $most ? $most : $x };
    my $ones = sub { "(SELECT array_agg(1 + i % 2) FROM generate_series(1, $_[0]) i)" };
    my $zeros = sub { "array_fill(0::float8, ARRAY[$_[0]])" };
    my $bag = '(SELECT tlv_bag_agg(i) FROM generate_series(1, 200) i)';
    my ($items, $square, $full) = ($whole->($n / ($n < 500000 ? 9 : 16)), $whole->(sqrt $n), $whole->(sqrt $n));
    my ($wide, $atoms, $coded) = ($n < 2000000 ? $whole->(sqrt($n / 2)) : $whole->($n / 2000, 4000), $whole->($n / 4000), 4000);
    my ($variables, $view) = ($whole->($n / 100, 20000), $whole->($n / 60, 4000));
    my $categories = $whole->($n / 20 / $variables, 100);
    my ($directions, $nodes, $units) = ($whole->($n / 20, 4000), $whole->($n < 1000000 ? $n / 44 : $n / 320), 400);
    my ($topics, $pairs_of) = ($whole->(sqrt $n / 10, 2000), $whole->($n * 8 / 5050 / 1.6));
    my $scored = $whole->($n / 500000 + 0.5);
    my $scored_states = $whole->(sqrt(2 * $n / $scored) / 20, 50);
    # of four columns, so that four vectors leave no row without a number
    my $tensor = "(SELECT tlv_tensor_agg(i, j, l, sin(i * 12.9898 + i * j + 3 * l)) AS v FROM generate_series(1, " . $whole->($n / 4) . ') i, generate_series(1, 2) j, generate_series(1, 2) l) t';
    my $entries = "(SELECT tlv_tensor_agg(i, i % 5, i % 7, sin(i * 12.9898)) AS v FROM generate_series(1, " . $whole->($n / 2, 2000000) . ') i) t';
    return (
        lda => ["tlv_simulate_lda_model($items, 50)", $bag, 50, 50],
        'lda of products' => [ "tlv_simulate_lda_model(@{[ 3 * $topics ]}, $topics)", $bag, 50, 50 ],
        'lda of coherence' => [ "tlv_simulate_lda_model(200, $pairs_of)", $bag, 50, 50 ],
        mmsb => [ 'tlv_simulate_mmsb_model(' . $whole->($n / 2) . ', 10)', 'tlv_to_bag(ARRAY[1, 2, 3])', 10, 10 ],
        gaussian_mixture => ["tlv_simulate_gmm_model($full, 2, covariance => 'full')", $zeros->($full), $full, 10],
        direction_mixture => [ "tlv_simulate_gmm_model($directions, " . $whole->($n / $directions) . ", covariance => 'direction')", $zeros->($directions), $directions, 10 ],
        multiview => [ "tlv_simulate_multiview_model(ARRAY[$view, $view, $view], " . $whole->($n / 6 / $view) . ')', $zeros->($view), $view, 10 ],
        hmm => ["tlv_simulate_hmm_model(3, $square)", $ones->(2000), 3, 2000],
        ica => [ "tlv_simulate_ica_model($wide, " . $whole->($wide, int sqrt(1e9 / $wide)) . ')', $zeros->($wide), $wide, 10 ],
        tree => [ "tlv_simulate_tree_model($nodes, 3, observed_states => " . $whole->($n / 3.5 / $nodes, 100) . ')', $ones->($nodes), $whole->($n / 3.5 / $nodes, 100), $nodes ],
        latent_classes => ["tlv_simulate_lca_model($variables, 20, $categories)", $ones->($variables), 20, $variables],
        'latent_classes of scores' => ["tlv_simulate_lca_model($scored, 20, $scored_states)", $ones->($scored), $scored_states, $scored],
        grade_of_membership => ["tlv_simulate_gom_model($variables, 20, $categories)", $ones->($variables), 20, $variables],
        crowd => [ "tlv_crowd('SELECT i, (i::bigint * 7 + j * j) % 11, (i + j / 2) % 2 FROM generate_series(1, " . $whole->($n / 2) . ") i, generate_series(1, 3) j', iterations => 1)",
            "'a'::text", 2, 2 ],
        cp => [ "(SELECT tlv_fit_cp(v, @{[ $n < 4000000 ? 2 : 8 ]}, method => 'als', iterations => 2) FROM $entries)", $zeros->(5), 5, 3 ],
        tucker => [ "(SELECT tlv_fit_tucker(v, ARRAY[4, 2, 2]) FROM $tensor)", $zeros->(2), 2, 3 ],
        tensor_train => [ "(SELECT tlv_fit_tensor_train(v, ARRAY[4, 2]) FROM $tensor)", $zeros->(2), 2, 3 ],
        convolution => [ 'tlv_simulate_convolution_model(16, 128)', $zeros->(1000), 1000, 10 ],
        dictionary => ["tlv_simulate_dictionary_model($coded, $atoms, 3)", $zeros->($coded), $coded, 10],
        network => [ network_maker($units, $whole->($n * 8 / 11 / $units), 6 * $whole->($n * 8 / 11 / $units)), $ones->(100), 10, 10 ],
    );
}

# The same for moments, subspaces and graphs: SQL, and the model that statistics are of.
sub other_makers {
    my ($n, $models) = @_;
    my $least = sub { my ($x, $y) = @_; return int($x < $y ? $x : $y) };
    my $d = $least->(sqrt 2 * $n, 4000);
    my ($half, $third, $compressed) = (int sqrt $n / 2, $least->($n**(1 / 3), 199), $least->((5 * $n)**(1 / 3), 200));
    my $of_compressed = $least->(300 + ($n - $compressed**3 / 6) / $compressed, 4000);
    my $hash = sub { my ($what, $below) = @_; return "(hashint8(($what)::bigint) & 2147483647) % $below" };
    # documents of items 1 .. $items, each in $times of $docs at random, with weights up to 1000
    my $documents = sub {
        my ($items, $docs, $times) = @_;
        return "(SELECT tlv_bag_agg(i, 1 + " . $hash->('i * 7 + r', 1000) . ") AS bag FROM generate_series(1, $items) i, generate_series(1, $times) r GROUP BY "
            . $hash->("i * 1000::bigint + r", $docs) . ') q';
    };
    my $whole_documents = sub { my ($items, $docs) = @_;
        return "(SELECT tlv_bag_agg(i, 1 + " . $hash->('i * 7 + r', 1000) . ") AS bag FROM generate_series(1, $items) i, generate_series(1, $docs) r GROUP BY r) q" };
    my $of_items = int $n / 14;
    my $many = $documents->($of_items, 200, 14);
    my $symbols = int 2000 * ($n / 131072)**(1 / 3);
    my $of_pairs = $least->(sqrt 2 * $n, 8192);
    my $width = int((6 * $n)**(1 / 3));
    my $narrow = $whole_documents->(2 * $width, int($n / 4 / $width) + $width);
    my $anchored = $documents->(int($n / 23), 200, 14);
    my $vectors = sub { my ($d, $rows) = @_; $rows //= 9;
        return "(SELECT array_agg(sin(i * 12.9898 + r)) AS x, r FROM generate_series(1, $d) i, generate_series(1, $rows) r GROUP BY r) q" };
    my $categories = sub { my ($d, $states, $rows) = @_; $rows //= 9;
        return '(SELECT array_agg(' . $hash->('i * 7919 + r', $states) . ") AS x, r FROM generate_series(1, $d) i, generate_series(1, $rows) r GROUP BY r) q" };
    my $subspace = sub { "(SELECT v FROM largest_tlv_subspace WHERE kind = '$_[0]')" };
    my %made = (
        items => ["(SELECT tlv_find_subspace(tlv_count_summary(bag), 4) FROM $many)"],
        'items of triples' => ["(SELECT tlv_find_subspace(tlv_count_summary(bag), $width) FROM $narrow)"],
        'items of anchors' => ["(SELECT tlv_find_subspace(tlv_count_summary(bag), 20) FROM $anchored)"],
        dense_subspace => [ "(SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 200) FROM "
            . ($vectors->($least->($n / 200, 4000), 260) =~ s/sin\(i \* 12.9898 \+ r\)/sin(i * (12.9898 + r)) \/ r/r) . ')' ],
        'dense_subspace of compressed' => [ "(SELECT tlv_find_subspace(tlv_dense_moments(x, 2), $compressed) FROM " . $vectors->($of_compressed, 250) . ')' ],
        undirected => [ '(SELECT tlv_graph_agg(i, i::bigint * 7919 % 9999991, 1 + i % 5) FROM generate_series(1, ' . $n . ') i)' ],
        directed => [ '(SELECT tlv_digraph_agg(i, i::bigint * 7919 % 9999991, 1 + i % 5) FROM generate_series(1, ' . $n . ') i)' ],
        bipartite => [ '(SELECT tlv_bigraph_agg(i, 20000000 + i::bigint * 7919 % 9999991, 1 + i % 5) FROM generate_series(1, ' . int($n * 1.2) . ') i)' ],
        count_summary => [ '(SELECT tlv_count_summary(bag) FROM ' . $documents->(int $n / 2, 200, 2) . ')' ],
        count_pairs => [ '(SELECT tlv_count_moments(bag) FROM ' . $whole_documents->($of_pairs, int($of_pairs / 3)) . ')' ],
        count_products => [ "(SELECT tlv_count_products(bag, " . $subspace->('items') . ") FROM $many)" ],
        count_triples => [ "(SELECT tlv_count_moments(bag, " . $subspace->('items of triples') . ") FROM $narrow)" ],
        anchor_moments => [ "(SELECT tlv_anchor_moments(bag, " . $subspace->('items of anchors') . ") FROM $anchored)" ],
        label_pairs => [ '(SELECT tlv_label_pairs(i, i::bigint * 7919 % 1000003) FROM generate_series(1, ' . int($n * 1.2) . ') i)' ],
        cover_pairs => [ '(SELECT tlv_cover_pairs(ARRAY[i, i + 1], ARRAY[i::bigint * 7919 % 1000003]) FROM generate_series(1, ' . int($n) . ') i)' ],
        membership_pairs => [ '(SELECT tlv_membership_pairs(x, x) FROM ' . $vectors->($half) . ')' ],
        dense_moments => [ '(SELECT tlv_dense_moments(x, 2) FROM ' . $vectors->($d) . ')' ],
        dense_compressed => [ '(SELECT tlv_dense_moments(x, ' . $subspace->('dense_subspace of compressed') . ', 3) FROM ' . $vectors->($of_compressed) . ')' ],
        view_moments => [ '(SELECT tlv_view_moments(x, x, x) FROM ' . $vectors->($third) . ')' ],
        category_views => [ '(SELECT tlv_view_moments(' . join(', ', map { $hash->("i * 3 + $_", $symbols) } 0 .. 2) . ') FROM generate_series(1, ' . int($n * 2) . ') i)' ],
        sequence_moments => [ '(SELECT tlv_sequence_moments(s) FROM (SELECT array_agg(' . $hash->('i', $symbols) . '::int) AS s FROM generate_series(1, ' . int($n * 2) . ') i GROUP BY i % 100) q)' ],
        sequence_sample => [ "(SELECT tlv_sequence_sample(s, 1 << 26, 1) FROM (SELECT array_agg(ARRAY[sin(i * 12.9898), cos(i)]::float8[]) AS s FROM generate_series(1, "
            . int($n / 2) . ') i GROUP BY i % 50) q)' ],
        row_sample => [ '(SELECT tlv_row_sample(x, 100, 1) FROM ' . $vectors->(int $n / 9) . ')' ],
        category_moments => [ '(SELECT tlv_category_moments(x) FROM ' . $categories->(int(sqrt($n) / 1.5), 6, 400) . ')' ],
        series_moments => [ "(SELECT tlv_series_moments(x, 128, 'windows') FROM (SELECT array_agg(sin(i * i)) AS x FROM generate_series(1, 20000) i) q)" ],
        tensor_entries => [ '(SELECT tlv_tensor_agg(i % 2000003, i % 5, i % 7, sin(i)) FROM generate_series(1, ' . int($n / 2) . ') i)' ],
        cofire => [ '(SELECT tlv_cofire(ARRAY[i, i::bigint * 7919 % 1000003, i::bigint * 31 % 1000003]) FROM generate_series(1, ' . int($n / 4.6) . ') i)' ],
        crowd_answers => [ '(SELECT tlv_crowd_answers(i, j::bigint * i % 11, i % 3) FROM generate_series(1, ' . int($n) . ') i, generate_series(1, 3) j)' ],
    );
    # statistics are of the largest models, and of rows that leave few of their numbers zero, which take no space
    my %statistics = (topic => 'lda', mixture => 'gaussian_mixture', sequence => 'hmm', view => 'multiview', component => 'ica', tree => 'tree', direction => 'direction_mixture',
        category => 'latent_classes', dictionary => 'dictionary', network => 'network');
    my $model = sub { "(SELECT v FROM largest_tlv_model WHERE kind = '$_[0]')" };
    my $words = sub { '(SELECT tlv_bag_agg(i) AS x FROM generate_series(1, ' . int($n / $_[0]) . ') i) q' };
    my $children = int $n * 8 / 11 / 400;
    my %rows = (component => $vectors->($models->{ica}[2]), direction => $vectors->($models->{direction_mixture}[2]),
        dictionary => 'tlv_simulate_dictionary(' . $model->('dictionary') . ', ' . int($n / 4000) . ')',
        category => $categories->($models->{latent_classes}[3], 5), topic => $words->(51), logistic => $words->(51), topic_errors => $words->(102),
        tree => $categories->($models->{tree}[3], $models->{tree}[2], 200),
        network => "(SELECT array_agg(i) AS x FROM generate_series(1, 6 * $children) i, generate_series(1, 9) r WHERE hashint8(i * 100::bigint + r) & 15 < 12 GROUP BY r) q");
    for my $kind (sort keys %statistics) {
        my $row = $rows{$kind} ? 'x' : $models->{ $statistics{$kind} }[1];
        $row = "$row, $row, $row" if $kind eq 'view';
        $made{"${kind}_statistics"} = [ "(SELECT tlv_statistics($row, " . $model->($statistics{$kind}) . ')' . ($rows{$kind} ? " FROM $rows{$kind}" : '') . ')', $statistics{$kind} ];
    }
    # of so many states that the tree from the moments has no parameters, which triples give it
    my $answers = sub { 'tlv_simulate_tree(tlv_simulate_tree_model(' . $least->(60 * sqrt($n / 131072), 220) . ", 3, observed_states => 60), $_[0])" };
    my ($known_nodes, $nodes) = (int $n / 3, int $n / ($n < 500000 ? 3.3 : 1.35));
    my $scored = $models->{'latent_classes of scores'};
    return (
        %made,
        neighbour_statistics => [ '(SELECT tlv_statistics(i::bigint, tlv_to_bag(ARRAY[' . join(', ', map { "1 + i * $_\::bigint % $known_nodes" } 31, 101, 1009, 7919, 10007) . ']), '
            . $model->('mmsb') . ") FROM generate_series(1, $nodes) i)", 'mmsb' ],
        logistic_statistics => [ "(SELECT tlv_statistics(x, " . $model->('lda') . ", 'ctm') FROM $rows{logistic})", 'lda' ],
        topic_errors => [ "(SELECT tlv_error_statistics(x, " . $model->('lda') . ") FROM $rows{topic_errors})", 'lda' ],
        topic_products => [ '(SELECT tlv_topic_products(bag, ' . $model->('lda of products') . ') FROM ' . $documents->($models->{'lda of products'}[3] * 3, 400, 100) . ')', 'lda of products' ],
        topic_scores => [ "(SELECT tlv_statistics($models->{lda}[1], " . $model->('lda') . ", 'held_out'))", 'lda' ],
        coherence => [ '(SELECT tlv_coherence(bag, ' . $model->('lda of coherence') . ', 100) FROM ' . $documents->(200, 200, 400) . ')', 'lda of coherence' ],
        completion => [ "(SELECT largest_completion($models->{lda}[1], " . $model->('lda') . '))', 'lda' ],
        # in blocks of a thousand parameters, of which the products are kept
        score_products => [ '(SELECT tlv_error_statistics(x, ' . $model->('latent_classes of scores') . ') FROM ' . $categories->($scored->[3], $scored->[2], 300) . ')', 'latent_classes of scores' ],
        tree_triples => [ '(SELECT tlv_statistics(v, (SELECT tlv_fit_tree(tlv_category_moments(v)) FROM ' . $answers->(6000) . ')) FROM ' . $answers->(int 75000 * ($n / 131072)**0.8) . ')' ],
    );
}

# Makes a table for each type, of kind and value; returns what is known of each kind.
sub make_largest {
    my ($db, $megabytes) = @_;
    my $n = $megabytes * 131072;
    my %types = value_kinds();
    my %known = model_makers($n);
    my %others = other_makers($n, \%known);
    $known{$_} = [ $others{$_}[0], $others{$_}[1] ? @{ $known{ $others{$_}[1] } }[ 1 .. 3 ] : ("'a'::text", 10, 10), $others{$_}[1] ] for keys %others;
    query($db, join '', "SET client_min_messages = error;\n", map { "CREATE TABLE IF NOT EXISTS largest_$_ (kind text PRIMARY KEY, v $_); TRUNCATE largest_$_;\n" } values %type_of);
    make_measures($db);
    query($db, 'CREATE OR REPLACE AGGREGATE largest_completion(tlv_bag, tlv_model) (sfunc = tlv_completion_accum, stype = tlv_moments)');
    my $wanted = $ENV{TLV_LARGEST_KIND} || '.';
    # those that are asked for, the models that their calls take, and what they are made of
    my @queue = ('convolution', grep { $types{$_} && /$wanted/ } keys %known);
    my %needed;
    while (defined(my $kind = shift @queue)) {
        push @queue, grep { defined } $known{$kind}[4], $known{$kind}[0] =~ /largest_tlv_\w+ WHERE kind = '([^']+)'/g if !$needed{$kind}++;
    }
    my $type_of = sub { return $types{ $_[0] =~ s/ of .*//r } };
    my %order = (tlv_model => 0, tlv_subspace => 1, tlv_graph => 2, tlv_moments => 3);
    for my $kind (sort { $order{ $type_of->($a) } <=> $order{ $type_of->($b) } || $a cmp $b } grep { $needed{$_} } keys %known) {
        my $type = $type_of->($kind);
        my $result = run_sql($db, "SET tensorlv.work_mem = '8GB'; SET client_min_messages = error; SET statement_timeout = '300s';\n"
            . "INSERT INTO largest_$type SELECT '$kind', v FROM (SELECT $known{$kind}[0] AS v OFFSET 0) s WHERE tlv_kind(v) = '$kind' OR '$kind' LIKE tlv_kind(v) || ' of %';", go_on => 1);
        print "# $kind: $result->{errors}" if $result->{errors};
    }
    return \%known;
}

# Functions and aggregates that take a value of a type, but for the support functions of aggregates and the twins whose rows have
# declared types: name, whether it is an aggregate or returns rows, its required arguments.
sub value_functions {
    my ($db, $type) = @_;
    my @functions;
    for (split /\n/, query($db, <<"SQL")) {
SELECT p.proname, p.prokind = 'a', p.proretset OR p.prorettype = 'record'::regtype, array_to_string(p.proargtypes::regtype[], ';'), p.pronargdefaults
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'tensorlv'
WHERE ('$type'::regtype = ANY (p.proargtypes) OR to_regtype('$type\[]') = ANY (p.proargtypes)) AND p.prokind IN ('f', 'a') AND p.proname !~ '_typed\$'
  AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn))
ORDER BY p.oid::regprocedure::text
SQL
        my ($name, $aggregate, $rows, $types, $defaults) = split /\|/;
        my @types = split /;/, $types;
        push @functions, { name => $name, aggregate => $aggregate eq 't', rows => $rows eq 't', types => \@types, least => @types - $defaults };
    }
    return @functions;
}

# The call of a function on the value of a kind, with honest arguments where they are needed.
sub call {
    my ($function, $kind, $type, $known) = @_;
    my ($row, $d, $whole, $of) = @$known[ 1 .. 4 ];
    my $value = "(SELECT v FROM largest_$type WHERE kind = '$kind')";
    my %argument = (
        tlv_model => '(SELECT v FROM largest_tlv_model WHERE kind = \'' . ($of // 'convolution') . "')",
        tlv_bag => '(SELECT tlv_bag_agg(i) FROM generate_series(1, 200) i)', tlv_subspace => 'NULL::tlv_subspace',
        'tlv_bag[]' => '(SELECT array_fill(tlv_bag_agg(i), ARRAY[3]) FROM generate_series(1, 200) i)',
        'double precision[]' => "array_fill(0::float8, ARRAY[$d])", '"any"' => $row, any => $row,
        'integer[]' => "(SELECT array_agg(1 + i % 2) FROM generate_series(1, $whole) i)", 'bigint[]' => "(SELECT array_agg(1 + i % 2)::bigint[] FROM generate_series(1, $whole) i)",
        'text[]' => "ARRAY['a', 'b']", text => q{'a'::text}, integer => '2', bigint => '1::bigint', 'double precision' => '0.5::float8', boolean => 'true',
        tlv_moments => "(SELECT tlv_dense_moments(ARRAY[i, i % 3]::float8[], 2) FROM generate_series(1, 50) i)", tlv_graph => '(SELECT tlv_graph_agg(i, i + 1) FROM generate_series(1, 50) i)',
        $type => $value, "$type\[]" => "array_fill($value, ARRAY[3])",
    );
    my @types = @{ $function->{types} };
    my $least = $function->{least};
    $least++ until grep { /^$type/ } @types[ 0 .. $least - 1 ];
    my $call = "$function->{name}(" . join(', ', map { $argument{$_} // "NULL::$_" } @types[ 0 .. $least - 1 ]) . ')';
    return "SELECT $call FROM generate_series(1, 3)" if $function->{aggregate};
    return $function->{rows} ? "SELECT count(*) FROM $call AS v" : "SELECT pg_column_size($call)";
}

# All calls on one kind, in one session: what TlvMeasures has of each, and the kind.
sub measure_calls {
    my ($db, $kind, $type, $known, $functions, $mode) = @_;
    my @statements = map { [ "$_->{name}(" . join(',', @{ $_->{types} }) . ')', call($_, $kind, $type, $known) ] } @$functions;
    my ($calls, $result) = measure_statements($db, \@statements, $mode);
    $_->{kind} = $kind for @$calls;
    return ($calls, $result);
}

1;
