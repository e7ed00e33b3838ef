package TlvLargest;
# Models of every kind of a given stored size, and calls of every function that takes a model on each: how long a cancel
# is not looked for, and by how much the process grows.
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use TlvTest;

our @EXPORT = qw(model_kinds make_largest model_functions measure_calls);

# The names of the kinds of models, from the one list of kinds.
sub model_kinds {
    return read_file(dirname(__FILE__) . '/../../../include/tensorlv/model/kinds.def') =~ /^TLV_KIND\(MODEL, \d+, "(\w+)"/mg;
}

# By kind: SQL of a model of about $n numbers of 8 bytes, its row for functions of "any", the length of a vector, and the length of
# an array of integers.  Kinds whose check bounds them below the size are as large as they may be.
sub makers {
    my ($n) = @_;
    my $whole = sub { my ($x, $most) = @_; $x = int $x; $x = 2 if $x < 2; return defined $most && $x > $most ? $most : $x };
    my $ones = sub { "(SELECT array_agg(1 + i % 2) FROM generate_series(1, $_[0]) i)" };
    my $zeros = sub { "array_fill(0::float8, ARRAY[$_[0]])" };
    my $bag = '(SELECT tlv_bag_agg(i) FROM generate_series(1, 200) i)';
    my ($items, $square, $full, $wide) = ($whole->($n / 17), $whole->(sqrt $n), $whole->(sqrt $n / 2), $whole->(sqrt $n / 2, 3000));
    my ($variables, $view) = ($whole->($n / 100, 10000), $whole->($n / 60));
    my ($cells, $directions) = ($whole->($n / 24), $whole->($n / 20, 4000));
    return (
        lda => ["tlv_simulate_lda_model($items, 50)", $bag, 50, 50],
        mmsb => [ 'tlv_simulate_mmsb_model(' . $whole->($n / 3) . ', 10)', 'tlv_to_bag(ARRAY[1, 2, 3])', 10, 10 ],
        gaussian_mixture => ["tlv_simulate_gmm_model($full, 2, covariance => 'full')", $zeros->($full), $full, 10],
        direction_mixture => [ "tlv_simulate_gmm_model($directions, " . $whole->($n / $directions) . ", covariance => 'direction')", $zeros->($directions), $directions, 10 ],
        multiview => ["tlv_simulate_multiview_model(ARRAY[$view, $view, $view], 20)", $zeros->($view), $view, 10],
        hmm => ["tlv_simulate_hmm_model(3, $square)", $ones->(2000), 3, 2000],
        ica => ["tlv_simulate_ica_model($wide)", $zeros->($wide), $wide, 10],
        tree => [ 'tlv_simulate_tree_model(' . $whole->($n / 9, 3000) . ', 3)', $ones->($whole->($n / 9, 3000)), 10, $whole->($n / 9, 3000) ],
        latent_classes => ["tlv_simulate_lca_model($variables, 20, 5)", $ones->($variables), 20, $variables],
        grade_of_membership => ["tlv_simulate_gom_model($variables, 20, 5)", $ones->($variables), 20, $variables],
        crowd => [ "tlv_crowd('SELECT i, (i * 7 + j * j) % 11, (i + j / 2) % 2 FROM generate_series(1, " . $whole->($n / 3) . ") i, generate_series(1, 3) j', iterations => 1)", "'a'::text", 2, 2 ],
        cp => ["(SELECT tlv_fit_cp(tlv_tensor_agg(i, i % 5, i % 7, i), 2) FROM generate_series(1, $cells) i)", $zeros->(5), 5, 3],
        tucker => ["(SELECT tlv_fit_tucker(tlv_tensor_agg(i, i % 5, i % 7, i), ARRAY[2, 2, 2]) FROM generate_series(1, $cells) i)", $zeros->(5), 5, 3],
        tensor_train => ["(SELECT tlv_fit_tensor_train(tlv_tensor_agg(i, i % 5, i % 7, i), ARRAY[2, 2]) FROM generate_series(1, $cells) i)", $zeros->(5), 5, 3],
        convolution => [ 'tlv_simulate_convolution_model(20, 128)', $zeros->(1000), 1000, 10 ],
        dictionary => ["tlv_simulate_dictionary_model($wide, $wide, 3)", $zeros->($wide), $wide, 10],
        network => [ "tlv_simulate_network_model(" . $whole->($n / 16) . ", ARRAY[" . $whole->($n / 32, 5000) . "], 3)", $ones->(100), 10, 10 ],
    );
}

# Makes the table largest (kind, m); returns what is known of each kind.
sub make_largest {
    my ($db, $megabytes) = @_;
    my %makers = makers($megabytes * 131072);
    query($db, <<'SQL');
CREATE TABLE IF NOT EXISTS largest (kind text PRIMARY KEY, m tlv_model);
TRUNCATE largest;
CREATE OR REPLACE FUNCTION kilobytes(field text) RETURNS bigint LANGUAGE sql AS
  $$ SELECT (regexp_match(pg_read_file('/proc/self/status'), field || ':\s+(\d+)'))[1]::bigint $$;
CREATE OR REPLACE FUNCTION ticks() RETURNS bigint LANGUAGE sql AS
  $$ SELECT f[1]::bigint + f[2]::bigint FROM regexp_match(pg_read_file('/proc/self/stat'), '^.*\) \S+(?: \S+){10} (\d+) (\d+)') f $$;
SQL
    for my $kind (sort keys %makers) {
        run_sql($db, "SET tensorlv.work_mem = '8GB'; SET client_min_messages = error; SET statement_timeout = '300s';\nINSERT INTO largest SELECT '$kind', $makers{$kind}[0];", go_on => 1);
    }
    return \%makers;
}

# Functions and aggregates that take a model, but for the support functions of aggregates: name, whether it is an aggregate or
# returns rows, its required arguments.
sub model_functions {
    my ($db) = @_;
    my @functions;
    for (split /\n/, query($db, <<'SQL')) {
SELECT p.proname, p.prokind = 'a', p.proretset OR p.prorettype = 'record'::regtype, array_to_string(p.proargtypes::regtype[], ';'), p.pronargdefaults
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'tensorlv'
WHERE ('tlv_model'::regtype = ANY (p.proargtypes) OR 'tlv_model[]'::regtype = ANY (p.proargtypes)) AND p.prokind IN ('f', 'a')
  AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn))
ORDER BY p.oid::regprocedure::text
SQL
        my ($name, $aggregate, $rows, $types, $defaults) = split /\|/;
        my @types = split /;/, $types;
        push @functions, { name => $name, aggregate => $aggregate eq 't', rows => $rows eq 't', types => \@types, least => @types - $defaults };
    }
    return @functions;
}

# The call of a function on the model of a kind, with honest arguments where they are needed.
sub call {
    my ($function, $kind, $known) = @_;
    my ($row, $d, $whole) = @$known[ 1 .. 3 ];
    my $model = "(SELECT m FROM largest WHERE kind = '$kind')";
    my %argument = (
        tlv_model => $model, 'tlv_model[]' => "array_fill($model, ARRAY[3])", tlv_bag => '(SELECT tlv_bag_agg(i) FROM generate_series(1, 200) i)',
        'tlv_bag[]' => '(SELECT array_fill(tlv_bag_agg(i), ARRAY[3]) FROM generate_series(1, 200) i)',
        'double precision[]' => "array_fill(0::float8, ARRAY[$d])", '"any"' => $row, any => $row,
        'integer[]' => "(SELECT array_agg(1 + i % 2) FROM generate_series(1, $whole) i)", 'bigint[]' => "(SELECT array_agg(1 + i % 2)::bigint[] FROM generate_series(1, $whole) i)",
        'text[]' => "ARRAY['a', 'b']", text => q{'a'::text}, integer => '2', bigint => '1::bigint', 'double precision' => '0.5::float8', boolean => 'true',
        tlv_moments => "(SELECT tlv_dense_moments(ARRAY[i, i % 3]::float8[], 2) FROM generate_series(1, 50) i)", tlv_graph => '(SELECT tlv_graph_agg(i, i + 1) FROM generate_series(1, 50) i)',
    );
    my @types = @{ $function->{types} };
    my $least = $function->{least};
    $least++ until grep { /^tlv_model/ } @types[ 0 .. $least - 1 ];
    my $call = "$function->{name}(" . join(', ', map { $argument{$_} // "NULL::$_" } @types[ 0 .. $least - 1 ]) . ')';
    return "SELECT $call FROM generate_series(1, 3)" if $function->{aggregate};
    return $function->{rows} ? "SELECT count(*) FROM $call AS v" : "SELECT pg_column_size($call)";
}

# All calls on one kind in one session: of each its name, SQLSTATE, seconds of processor time and MB by which the process grew.
sub measure_calls {
    my ($db, $kind, $known, $functions, $memory, $milliseconds) = @_;
    my $sql = "SET jit = off; SET max_parallel_workers_per_gather = 0; SET client_min_messages = error; "
        . "SET tensorlv.model_cache = '1MB'; SELECT tlv_kind(m) FROM largest LIMIT 1; SET tensorlv.work_mem = '$memory';\n";
    for my $function (@$functions) {
        my $label = "$function->{name}(" . join(',', @{ $function->{types} }) . ')';
        $sql .= "COPY (SELECT 5) TO '/proc/self/clear_refs';\nSELECT ticks() AS ticks, kilobytes('VmRSS') AS before \\gset\n\\o /dev/null\n"
            . "SET statement_timeout = $milliseconds;\n" . call($function, $kind, $known) . ";\n\\o\n\\echo @ :SQLSTATE :LAST_ERROR_MESSAGE\n"
            . "SET statement_timeout = 0;\nSELECT 'call|$label', ticks() - :ticks, kilobytes('VmHWM') - :before;\n";
    }
    my $result = run_sql($db, $sql, go_on => 1);
    my (@calls, $state, $message);
    for (split /\n/, $result->{out}) {
        if (/^@ (\w{5}) (.*)/) { ($state, $message) = ($1, $2) }
        elsif (/^call\|(.*)\|(-?\d+)\|(-?\d+)$/) { push @calls, { kind => $kind, call => $1, state => $state, message => $message, seconds => $2 / 100, grown => $3 / 1024 } }
    }
    return (\@calls, $result);
}

1;
