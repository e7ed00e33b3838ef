package TlvLargest;
# Values of every kind of a given stored size, and calls of every function that takes such a value on each: how long a cancel
# is not looked for, and by how much the process grows.
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use TlvTest;

our @EXPORT = qw(value_kinds make_largest value_functions measure_calls);

# The types whose values have kinds, and in the one list of kinds those of each.
my %type_of = (MODEL => 'tlv_model', MOMENTS => 'tlv_moments', SUBSPACE => 'tlv_subspace', GRAPH => 'tlv_graph');

# Kind => type.
sub value_kinds {
    return map { /^TLV_KIND\((\w+), \d+, "(\w+)"/ ? ($2 => $type_of{$1}) : () } split /\n/, read_file(dirname(__FILE__) . '/../../../include/tensorlv/model/kinds.def');
}

# By kind: SQL of a model of about $n numbers of 8 bytes, its row for functions of "any", the length of a vector, and the length of
# an array of integers.  Kinds whose check bounds them below the size are as large as they may be.
sub model_makers {
    my ($n) = @_;
    my $whole = sub { my ($x, $most) = @_; $x = int $x; $x = 2 if $x < 2; return defined $most && $x > $most ? $most : $x };
    my $ones = sub { "(SELECT array_agg(1 + i % 2) FROM generate_series(1, $_[0]) i)" };
    my $zeros = sub { "array_fill(0::float8, ARRAY[$_[0]])" };
    my $bag = '(SELECT tlv_bag_agg(i) FROM generate_series(1, 200) i)';
    my ($items, $square, $full, $wide) = ($whole->($n / 17), $whole->(sqrt $n), $whole->(sqrt $n), $whole->(sqrt $n / 2, 3000));
    my ($variables, $view) = ($whole->($n / 100, 10000), $whole->($n / 60, 4000));
    my ($directions, $nodes, $units) = ($whole->($n / 20, 4000), $whole->($n / 9, 3000), $whole->($n / 32, 400));
    my $tensor = "(SELECT tlv_tensor_agg(i, i % 5, i % 7, sin(i * 12.9898)) AS v FROM generate_series(1, " . $whole->($n / 2) . ') i) t';
    return (
        lda => ["tlv_simulate_lda_model($items, 50)", $bag, 50, 50],
        mmsb => [ 'tlv_simulate_mmsb_model(' . $whole->($n / 3) . ', 10)', 'tlv_to_bag(ARRAY[1, 2, 3])', 10, 10 ],
        gaussian_mixture => ["tlv_simulate_gmm_model($full, 2, covariance => 'full')", $zeros->($full), $full, 10],
        direction_mixture => [ "tlv_simulate_gmm_model($directions, " . $whole->($n / $directions) . ", covariance => 'direction')", $zeros->($directions), $directions, 10 ],
        multiview => [ "tlv_simulate_multiview_model(ARRAY[$view, $view, $view], " . $whole->($n / 6 / $view) . ')', $zeros->($view), $view, 10 ],
        hmm => ["tlv_simulate_hmm_model(3, $square)", $ones->(2000), 3, 2000],
        ica => [ "tlv_simulate_ica_model($wide, " . $whole->($wide, int sqrt(1e9 / $wide)) . ')', $zeros->($wide), $wide, 10 ],
        tree => [ "tlv_simulate_tree_model($nodes, 3, observed_states => " . $whole->($n / 4 / $nodes, 100) . ')', $ones->($nodes), 10, $nodes ],
        latent_classes => ["tlv_simulate_lca_model($variables, 20, 5)", $ones->($variables), 20, $variables],
        grade_of_membership => ["tlv_simulate_gom_model($variables, 20, 5)", $ones->($variables), 20, $variables],
        crowd => [ "tlv_crowd('SELECT i, (i::bigint * 7 + j * j) % 11, (i + j / 2) % 2 FROM generate_series(1, " . $whole->($n / 3) . ") i, generate_series(1, 3) j', iterations => 1)",
            "'a'::text", 2, 2 ],
        cp => [ "(SELECT tlv_fit_cp(v, 2, method => 'als', iterations => 2) FROM $tensor)", $zeros->(5), 5, 3 ],
        tucker => [ "(SELECT tlv_fit_tucker(v, ARRAY[2, 2, 2]) FROM $tensor)", $zeros->(5), 5, 3 ],
        tensor_train => [ "(SELECT tlv_fit_tensor_train(v, ARRAY[2, 2]) FROM $tensor)", $zeros->(5), 5, 3 ],
        convolution => [ 'tlv_simulate_convolution_model(20, 128)', $zeros->(1000), 1000, 10 ],
        dictionary => ["tlv_simulate_dictionary_model($wide, $wide, 3)", $zeros->($wide), $wide, 10],
        network => [ 'tlv_simulate_network_model(' . $whole->($n / 16, 100000) . ", ARRAY[$units], " . $whole->($n / 300, 40000) . ')', $ones->(100), 10, 10 ],
    );
}

# The same for moments, subspaces and graphs: SQL, and the model that statistics are of.
sub other_makers {
    my ($n, $models) = @_;
    my $d = int sqrt 2 * $n;
    my $half = int sqrt $n / 2;
    my $third = $n < 180**3 ? int $n**(1 / 3) : 180;
    my $many = "(SELECT tlv_bag_agg(i::bigint * 7919 % 1000003, 1 + i % 3) AS bag, i % 200 AS doc FROM generate_series(1, " . int($n / 2) . ') i GROUP BY i % 200) q';
    # pairs are counted of 8,192 items
    my $bags = $many =~ s/1000003/8000/r;
    my $vectors = sub { "(SELECT array_agg(sin(i * 12.9898 + r)) AS x, r FROM generate_series(1, $_[0]) i, generate_series(1, 9) r GROUP BY r) q" };
    my $categories = sub { "(SELECT array_agg((i * r * 7 + i * i) % $_[1]) AS x, r FROM generate_series(1, $_[0]) i, generate_series(1, 9) r GROUP BY r) q" };
    my $subspace = sub { "(SELECT v FROM largest_tlv_subspace WHERE kind = '$_[0]')" };
    my %made = (
        items => ["(SELECT tlv_find_subspace(tlv_count_moments(bag), 4) FROM $bags)"],
        dense_subspace => [ '(SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 8) FROM ' . $vectors->($half) . ')' ],
        undirected => [ '(SELECT tlv_graph_agg(i, i::bigint * 7919 % 1000003, 1 + i % 5) FROM generate_series(1, ' . $n . ') i)' ],
        directed => [ '(SELECT tlv_digraph_agg(i, i::bigint * 7919 % 1000003, 1 + i % 5) FROM generate_series(1, ' . $n . ') i)' ],
        bipartite => [ '(SELECT tlv_bigraph_agg(i, 2000000 + i::bigint * 7919 % 1000003, 1 + i % 5) FROM generate_series(1, ' . $n . ') i)' ],
        count_summary => ["(SELECT tlv_count_summary(bag) FROM $many)"],
        count_pairs => ["(SELECT tlv_count_moments(bag) FROM $bags)"],
        count_products => [ "(SELECT tlv_count_products(bag, " . $subspace->('items') . ") FROM $bags)" ],
        count_triples => [ "(SELECT tlv_count_moments(bag, " . $subspace->('items') . ") FROM $bags)" ],
        anchor_moments => [ "(SELECT tlv_anchor_moments(bag, " . $subspace->('items') . ") FROM $bags)" ],
        label_pairs => [ '(SELECT tlv_label_pairs(i, i::bigint * 7919 % 1000003) FROM generate_series(1, ' . int($n / 3) . ') i)' ],
        cover_pairs => [ '(SELECT tlv_cover_pairs(ARRAY[i, i + 1], ARRAY[i::bigint * 7919 % 1000003]) FROM generate_series(1, ' . int($n / 6) . ') i)' ],
        membership_pairs => [ '(SELECT tlv_membership_pairs(x, x) FROM ' . $vectors->($half) . ')' ],
        dense_moments => [ '(SELECT tlv_dense_moments(x, 2) FROM ' . $vectors->($d) . ')' ],
        dense_compressed => [ '(SELECT tlv_dense_moments(x, ' . $subspace->('dense_subspace') . ', 4) FROM ' . $vectors->($half) . ')' ],
        view_moments => [ '(SELECT tlv_view_moments(x, x, x) FROM ' . $vectors->($third) . ')' ],
        category_views => [ '(SELECT tlv_view_moments(i % 99, i * 7 % 99, (i % 99) * (i % 99) % 99) FROM generate_series(1, ' . int($n / 9) . ') i)' ],
        sequence_moments => [ "(SELECT tlv_sequence_moments(s) FROM (SELECT array_agg((i::bigint * i + i / 7) % $half) AS s FROM generate_series(1, " . int($n / 6) . ') i) q)' ],
        sequence_sample => [ "(SELECT tlv_sequence_sample(s, 100, 1) FROM (SELECT array_agg(sin(i * 12.9898)::float8) AS s FROM generate_series(1, $n) i GROUP BY i % 50) q)" ],
        row_sample => [ '(SELECT tlv_row_sample(x, 100, 1) FROM ' . $vectors->(int $n / 9) . ')' ],
        category_moments => [ '(SELECT tlv_category_moments(x) FROM ' . $categories->(int(sqrt($n) / 6), 6) . ')' ],
        mixed_moments => [ '(SELECT tlv_mixed_moments(x, ARRAY[r, r % 2]::float8[]) FROM ' . $categories->(int(sqrt($n) / 6), 6) . ')' ],
        series_moments => [ "(SELECT tlv_series_moments(x, 100, 'windows') FROM (SELECT array_agg(sin(i * i)) AS x FROM generate_series(1, 20000) i) q)" ],
        tensor_entries => [ '(SELECT tlv_tensor_agg(i, i % 5, i % 7, sin(i)) FROM generate_series(1, ' . int($n / 2) . ') i)' ],
        cofire => [ '(SELECT tlv_cofire(ARRAY[i, i::bigint * 7919 % 1000003, i::bigint * 31 % 1000003]) FROM generate_series(1, ' . int($n / 9) . ') i)' ],
        crowd_answers => [ '(SELECT tlv_crowd_answers(i, j::bigint * i % 11, i % 3) FROM generate_series(1, ' . int($n / 9) . ') i, generate_series(1, 3) j)' ],
    );
    # statistics are of the largest models, and of rows that leave few of their numbers zero, which take no space
    my %statistics = (topic => 'lda', mixture => 'gaussian_mixture', sequence => 'hmm', view => 'multiview', component => 'ica', tree => 'tree', direction => 'direction_mixture',
        category => 'latent_classes', dictionary => 'dictionary', network => 'network');
    my $model = sub { "(SELECT v FROM largest_tlv_model WHERE kind = '$_[0]')" };
    my $words = sub { '(SELECT tlv_bag_agg(i) AS x FROM generate_series(1, ' . int($n / $_[0]) . ') i) q' };
    my %rows = (component => $vectors->($models->{ica}[2]), direction => $vectors->($models->{direction_mixture}[2]),
        category => $categories->($models->{latent_classes}[3], 5), topic => $words->(51), logistic => $words->(51), topic_errors => $words->(102));
    for my $kind (sort keys %statistics) {
        my $row = $rows{$kind} ? 'x' : $models->{ $statistics{$kind} }[1];
        $row = "$row, $row, $row" if $kind eq 'view';
        $made{"${kind}_statistics"} = [ "(SELECT tlv_statistics($row, " . $model->($statistics{$kind}) . ')' . ($rows{$kind} ? " FROM $rows{$kind}" : '') . ')', $statistics{$kind} ];
    }
    my $bag = $models->{lda}[1];
    # of so many states that the tree from the moments has no parameters, which triples give it
    my $answers = 'tlv_simulate_tree(tlv_simulate_tree_model(60, 3, observed_states => 60), ' . int($n / 8) . ')';
    return (
        %made,
        neighbour_statistics => [ "(SELECT tlv_statistics(1::bigint, $models->{mmsb}[1], " . $model->('mmsb') . '))', 'mmsb' ],
        logistic_statistics => [ "(SELECT tlv_statistics(x, " . $model->('lda') . ", 'ctm') FROM $rows{logistic})", 'lda' ],
        topic_errors => [ "(SELECT tlv_error_statistics(x, " . $model->('lda') . ") FROM $rows{topic_errors})", 'lda' ],
        topic_products => [ "(SELECT tlv_topic_products($bag, " . $model->('lda') . '))', 'lda' ],
        topic_scores => [ "(SELECT tlv_statistics($bag, " . $model->('lda') . ", 'held_out'))", 'lda' ],
        coherence => [ "(SELECT tlv_coherence($bag, " . $model->('lda') . ', 100))', 'lda' ],
        completion => [ "(SELECT largest_completion($bag, " . $model->('lda') . '))', 'lda' ],
        # of at most a million parameters
        score_products => [ $models->{gaussian_mixture}[2] <= 900 ? "(SELECT tlv_error_statistics($models->{gaussian_mixture}[1], " . $model->('gaussian_mixture') . '))'
            : "(SELECT tlv_error_statistics(array_fill(0::float8, ARRAY[900]), (SELECT tlv_simulate_gmm_model(900, 2, covariance => 'full'))))", 'gaussian_mixture' ],
        tree_triples => ["(SELECT tlv_statistics(v, (SELECT tlv_fit_tree(tlv_category_moments(v)) FROM $answers)) FROM $answers)"],
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
    query($db, <<'SQL');
CREATE OR REPLACE AGGREGATE largest_completion(tlv_bag, tlv_model) (sfunc = tlv_completion_accum, stype = tlv_moments);
CREATE OR REPLACE FUNCTION kilobytes(field text) RETURNS bigint LANGUAGE sql AS
  $$ SELECT (regexp_match(pg_read_file('/proc/self/status'), field || ':\s+(\d+)'))[1]::bigint $$;
CREATE OR REPLACE FUNCTION ticks() RETURNS bigint LANGUAGE sql AS
  $$ SELECT f[1]::bigint + f[2]::bigint FROM regexp_match(pg_read_file('/proc/self/stat'), '^.*\) \S+(?: \S+){10} (\d+) (\d+)') f $$;
SQL
    my $wanted = $ENV{TLV_LARGEST_KIND} || '.';
    # those that are asked for, the models that their calls take, and the subspaces that moments are under
    my %needed = map { $_ => 1, $known{$_}[4] ? ($known{$_}[4] => 1) : () } grep { /$wanted/ } keys %known;
    $needed{$_} = 1 for 'convolution', map { $types{$_} eq 'tlv_moments' && $needed{$_} ? grep { $types{$_} eq 'tlv_subspace' } keys %types : () } keys %known;
    my %order = (tlv_model => 0, tlv_subspace => 1, tlv_graph => 2, tlv_moments => 3);
    for my $kind (sort { $order{ $types{$a} } <=> $order{ $types{$b} } || $a cmp $b } grep { $known{$_} } keys %types) {
        next if !$needed{$kind};
        my $result = run_sql($db, "SET tensorlv.work_mem = '8GB'; SET client_min_messages = error; SET statement_timeout = '300s';\n"
            . "INSERT INTO largest_$types{$kind} SELECT tlv_kind(v), v FROM (SELECT $known{$kind}[0] AS v OFFSET 0) s ON CONFLICT DO NOTHING;", go_on => 1);
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

# All calls on one kind in one session, each for at most so long by $mode->{cancel}, 'timeout' or 'session': of each its name, SQLSTATE,
# seconds of processor time and MB by which the process grew.
sub measure_calls {
    my ($db, $kind, $type, $known, $functions, $mode) = @_;
    my $asked = $mode->{cancel} eq 'session';
    my $sql = "SET application_name = 'tlv largest'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET client_min_messages = error; "
        . "SET tensorlv.model_cache = '1MB'; SELECT count(tlv_kind(v)) FROM (SELECT v FROM largest_tlv_model LIMIT 1) s; SET tensorlv.work_mem = '$mode->{memory}';\n";
    for my $function (@$functions) {
        my $label = "$function->{name}(" . join(',', @{ $function->{types} }) . ')';
        $sql .= "COPY (SELECT 5) TO '/proc/self/clear_refs';\nSELECT ticks() AS ticks, kilobytes('VmRSS') AS before \\gset\n\\o /dev/null\n"
            . 'SET statement_timeout = ' . ($asked ? 0 : $mode->{milliseconds}) . ";\n/* call */ " . call($function, $kind, $type, $known) . ";\n\\o\n\\echo @ :SQLSTATE :LAST_ERROR_MESSAGE\n"
            . "SET statement_timeout = 0;\nSELECT 'call|$label', ticks() - :ticks, kilobytes('VmHWM') - :before;\n";
    }
    my $canceller = $asked && start_canceller('tlv largest', $mode->{milliseconds});
    my $result = run_sql($db, $sql, go_on => 1);
    finish_psql($canceller) if $canceller;
    my (@calls, $state, $message);
    for (split /\n/, $result->{out}) {
        if (/^@ (\w{5}) (.*)/) { ($state, $message) = ($1, $2) }
        elsif (/^call\|(.*)\|(-?\d+)\|(-?\d+)$/) {
            push @calls, { kind => $kind, call => $1, state => $state, message => $message, late => $2 / 100 - $mode->{milliseconds} / 1000, grown => $3 / 1024 };
        }
    }
    return (\@calls, $result);
}

1;
