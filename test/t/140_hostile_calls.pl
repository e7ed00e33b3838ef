# Every function of the extension, called by an ordinary role with hostile arguments of every type, and
# every two support functions that fit put together as somebody's aggregate: each call ends in a result
# or in an error of the caller's, in time, and what it returns is accepted back.
#
# TLV_CALLS calls, or as many as there are in TLV_CALL_SECONDS, from the seed TLV_CALL_SEED: make fuzz-sql.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use List::Util qw(max shuffle);
use MIME::Base64 qw(decode_base64 encode_base64);
use lib dirname(__FILE__) . '/lib';
use TlvHostile;
use TlvImages;
use TlvRoundTrip;
use TlvTest;

my $most_calls = $ENV{TLV_CALLS} || 5000;
my $seconds = $ENV{TLV_CALL_SECONDS} || 0;
my $seed = $ENV{TLV_CALL_SEED} || 1;
my $timeout = 300;    # of a call, in milliseconds
my $lateness = 5000;  # how much later than that it may end, however busy the machine
my $begun = time;
srand $seed;
diag("seed $seed") if $ENV{TAP_VERBOSE} || $ENV{TLV_CALLS};

my $db = new_database('tlv_hostile');
my $log = server_log_size();
my $started = query($db, 'SELECT pg_postmaster_start_time()');
make_values($db);
my @functions = read_functions($db);

# ---- values of every kind, and forged ones ----

my $kinds_def = dirname(__FILE__) . '/../../include/tensorlv/model/kinds.def';
my @kinds = read_file($kinds_def) =~ /^TLV_KIND\(\w+, \d+, "(\w+)"/mg;
my %made = map { $_ => 1 } split /\n/, query($db, join ' UNION ', map { "SELECT split_part(v::text, ' ', 1) FROM walk.$_" } qw(moments subspaces models graphs));
cmp_ok(scalar @kinds, '>', 30, 'kinds are listed');
is(join(' ', grep { !$made{$_} } @kinds), '', 'test/t/values has values of every kind');

my ($tried, $accepted, %refusals) = forge_values($db, $most_calls > 5000 ? 40 : 12);
cmp_ok($accepted, '>', $tried / 20, "$accepted of $tried forged values are accepted");
is(join(' ', grep { !/^(22|54)/ } sort keys %refusals), '', 'others are refused with errors of the data');

($tried, $accepted, %refusals) = forge_json($db, $most_calls > 5000 ? 40 : 6);
cmp_ok($accepted, '>', $tried / 10, "$accepted of $tried changed models in JSON are accepted");
is(join(' ', grep { !/^(22|54)/ } sort keys %refusals), '', 'others are refused with errors of the data');

# ---- names in pictures ----

# What is drawn is well-formed and has no element or attribute that a name brought along; JSON comes back as the same model.
query($db, as_walker(0) . <<'SQL');
CREATE FUNCTION wrong_picture(f text, id int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  picture text;
BEGIN
  EXECUTE format('SELECT %s(v) FROM models WHERE id = $1', f) INTO picture USING id;
  IF f = 'tlv_svg' THEN
    IF NOT xml_is_well_formed_document(picture) THEN RETURN 'not well-formed'; END IF;
    RETURN (regexp_match(picture, '<(?:script|foreignObject|a)\M|<[^<>"]*(?:"[^"]*"[^<>"]*)*\s(?:on\w+|href)\s*=', 'i'))[1];
  ELSIF f = 'tlv_tree_dot' THEN
    RETURN (regexp_match(regexp_replace(picture, '"(?:[^"\\]|\\.)*"', '', 'g'), '[<>&"]|alert|script'))[1];
  END IF;
  RETURN CASE WHEN tlv_from_json(picture::json)::text <> (SELECT v::text FROM models m WHERE m.id = $2) THEN 'another model' END;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value OR wrong_object_type OR datatype_mismatch OR configuration_limit_exceeded THEN RETURN NULL;
END $$;
SQL
my $pictures = query($db, as_walker(0) . q{SELECT f || ' ' || id || ' ' || origin || ': ' || wrong_picture(f, id) FROM models, unnest('{tlv_svg,tlv_tree_dot,tlv_to_json}'::text[]) f
    WHERE origin IN ('changed JSON', 'hostile names') AND wrong_picture(f, id) IS NOT NULL ORDER BY id LIMIT 20});
is($pictures, '', query($db, q{SELECT count(*) || ' models with hostile names' FROM walk.models WHERE origin = 'hostile names'}) . ' are drawn and written as JSON');

# ---- forged on purpose: accepted, and at the edge of what can be merged or updated ----

sub image_of { my ($sql) = @_; my ($digits) = query($db, "SET search_path = walk, public; $sql") =~ /:(.*)/s; return decode_base64($digits) }
sub literal { my ($type, $kind, $image) = @_; return "'$kind:" . encode_base64($image, '') . "'::$type" }

# SQLSTATE of an expression that gives a value of a type, whose result must be accepted back: 00000 then
sub outcome {
    my ($type, $sql) = @_;
    my $result = run_sql($db, as_walker(20000) . "SELECT ($sql)::text::$type IS NOT NULL;");
    return '00000' if $result->{status} == 0;
    return $result->{errors} =~ /ERROR:  (\w{5}):(?!.*invalid tlv_)/ ? $1 : "not accepted: $result->{errors}";
}

# tables of categories, of as many rows as there may be: counts that no longer fit are refused by name
my $rows = 2**51;
my $categories = image_of(q{SELECT tlv_category_moments(x) FROM (VALUES ('{0,1,0,1}'::int[]), ('{1,NULL,1,0}'), ('{NULL,NULL,NULL,NULL}')) r(x)});
$categories = set_numbers($categories, $_, 0) for qw(singles pairs triples);
for my $case ([ $rows, '00000', '54000' ], [ $rows - 1, '00000', '54000' ], [ $rows / 2, '00000', '00000' ], [ 2 * $rows, 'refused', 'refused' ]) {
    my ($n, @expected) = @$case;
    my $value = literal('tlv_moments', 'category_moments', set_numbers(set_numbers($categories, 'rows', $n), 'missing', 4 * $n));
    my @found = map { outcome('tlv_moments', $_) } $value, "$value + $value", "SELECT tlv_rollup(v) FROM (VALUES ($value), ($value)) r(v)";
    $_ = /invalid tlv_moments/ ? 'refused' : $_ for @found;
    is("@found", "$expected[0] $expected[1] $expected[1]", "category moments of $n rows: input, sum, roll-up");
}
like(outcome('tlv_moments', literal('tlv_moments', 'category_moments', set_numbers($categories, 'missing', 11))), qr/"missing" is not \d+/, 'what is missing is what is not there');

# a mixture whose floor is next to the largest, and statistics of it that are far away: the step fails, or its model is one
my $mixture = image_of("SELECT tlv_gmm('SELECT x FROM points', 2, 'common')");
my $edge = set_numbers(set_numbers($mixture, 'floor', 1e-300, 1e290, 3.5e-311), 'variances', 2.3e-308);
for my $model (literal('tlv_model', 'gaussian_mixture', $mixture), literal('tlv_model', 'gaussian_mixture', set_numbers($mixture, 'floor', 2.3e-308)),
    literal('tlv_model', 'gaussian_mixture', set_numbers($mixture, 'means', 1e-160, 1e100)), literal('tlv_model', 'gaussian_mixture', $edge)) {
    my $collected = "SELECT tlv_statistics(ARRAY[1 + i, -2, 3]::float8[], $model) FROM generate_series(1, 5) i";
    my ($accepted_model) = map { outcome('tlv_model', $_) } $model;
    next if $accepted_model =~ /invalid tlv_model/;
    like(outcome('tlv_model', "tlv_update($model, ($collected))"), qr/^(00000|22000)$/, 'a step of a mixture at the edge gives a model or an error');
    my $statistics = run_sql($db, as_walker(20000) . "SELECT ($collected)::text;")->{out} =~ /:(.*)/s ? decode_base64($1) : next;
    for my $far ([ sums => 1e300 ], [ squares => 1e307 ], [ sums => -1e305, 1e305, 0 ], [ responsibilities => 2e-6 ], [ squares => -1e307 ]) {
        my $forged = literal('tlv_moments', 'mixture_statistics', set_numbers($statistics, @$far));
        is(outcome('tlv_moments', $forged), '00000', "statistics with $far->[0] of $far->[1] are accepted");
        like(outcome('tlv_model', "tlv_update($model, $forged)"), qr/^(00000|22000)$/, 'and lead to a model or an error');
    }
}

# what is exactly correlated has finite scores
is(query($db, q{SELECT count(*) FILTER (WHERE abs(score) < 'infinity') FROM
    tlv_scores((SELECT tlv_membership_pairs(ARRAY[i / 30., 1 - i / 30.], ARRAY[.3, .2, i / 60.]) FROM generate_series(1, 30) i))}), '3', 'scores of an exact correlation are finite');

# ---- calls ----

my (%by_state, @wrong, @late, $calls, $peak, %infinite, %returning);
# the time is that of calls: to forge what they take may last longer
my $first = time;
sub over { return $calls >= $most_calls || $seconds && time - $first > $seconds }

# What no call may end in.
sub judge {
    my ($what, $sql, $call) = @_;
    my $state = $call->{state} // 'none';
    $by_state{$state}++;
    push @wrong, "$state " . ($call->{message} // '') . ": $sql" if $state =~ /^(XX|58|F0|57P|none)/ || $state eq '53200' && ($call->{message} // '') !~ /work_mem|memory/;
    push @late, int($call->{milliseconds}) . " ms: $sql" if $call->{milliseconds} > $timeout + $lateness;
    return if $state ne '00000';
    my ($not_finite) = $call->{out} =~ /^\d+\|(\d+)/m;
    # numbers that are the caller's own
    $infinite{$what} //= $sql if $not_finite && $what !~ /^tlv_row_agg/;
    return;
}

# Runs [number, SQL, what, kinds...] and learns from what went well.
sub run_round {
    my ($timeout_now, $list, %options) = @_;
    my $report = run_calls($options{database} // $db, $timeout_now, $list, %options);
    $peak = max($peak // 0, $report->{peak} // 0);
    for (@$list) {
        my ($number, $sql, $function, @kinds) = @$_;
        my $call = $report->{calls}{$number} or next;
        judge($function->{signature}, $sql, $call);
        $returning{$number} = $sql if $sql =~ /INSERT INTO kept_/;
        $calls++ if !$function->{definition};
        learn($function, $number, ($call->{state} // '') eq '00000', @kinds);
    }
    if ($report->{last} ne 'end') {
        my ($at) = grep { $_->[0] eq $report->{last} } @$list;
        fail('the session lives') or diag('it ended at ' . ($at ? $at->[1] : $report->{last}) . "\n" . substr($report->{errors}, -500));
        sleep 3;
    }
    return;
}

my $number = 0;
sub make_call {
    my ($function, $honest) = @_;
    my ($sql, @kinds) = $function->{aggregate} ? call_aggregate($function, ++$number, $honest) : call_function($function, ++$number, $honest);
    return defined $sql ? [ $number, $sql, $function, @kinds ] : ();
}

# all NULL first; then in rounds, of which the later ones know what the functions take; comparisons and
# the like are called less often
$calls = 0;
run_round($timeout, [ map { my $f = $_; [ ++$number, "SELECT $f->{name}(" . join(', ', map { $_ eq '"any"' ? 'NULL' : "NULL::$_" } @{ $f->{types} }) . ');', $f,
  map { 'NULL' } @{ $f->{types} } ] } @functions ]);
my @simple = grep { $_->{name} =~ /_(eq|ne|lt|le|gt|ge|cmp|hash|hash_extended|in|out|send|accum|combine)$/ } @functions;
my %is_simple = map { $_->{oid} => 1 } @simple;
my @others = grep { !$is_simple{ $_->{oid} } } @functions;
my $share = 0.7 * $most_calls;
while ($calls < $share && !($seconds && time - $first > 0.7 * $seconds)) {
    my @list = map { make_call($_, rand() < 0.4) } shuffle((@others) x 2, grep { rand() < 0.3 } @simple);
    splice @list, $share - $calls if @list > $share - $calls;
    run_round($timeout, \@list);
}
my $walked = $calls;

# ---- two halves of different aggregates ----

# support functions by what they take behind the state
my (%transitions, %finals, %combines);
for my $f (grep { !$_->{aggregate} && !$_->{set} } @functions) {
    my ($state, @row) = @{ $f->{types} };
    next unless defined $state;
    if ($f->{returns} eq $state && @row) { push @{ $transitions{$state}{"@row"} }, $f }
    if ($f->{returns} eq $state && "@row" eq $state) { push @{ $combines{$state} }, $f }
    if (!@row) { push @{ $finals{$state} }, $f }
}
my @pairs;
for my $state (sort keys %transitions) {
    for my $row (sort keys %{ $transitions{$state} }) {
        for my $first (@{ $transitions{$state}{$row} }) {
            push @pairs, map { [ $state, $first, moving => $_ ] } @{ $transitions{$state}{$row} };
            push @pairs, map { [ $state, $first, combine => $_ ] } @{ $combines{$state} // [] };
            push @pairs, map { [ $state, $first, final => $_ ] } @{ $finals{$state} // [] };
        }
    }
}

my %aggregate_of = (
    moving => 'SFUNC = %1$s, STYPE = %3$s, MSFUNC = %1$s, MINVFUNC = %2$s, MSTYPE = %3$s',
    combine => 'SFUNC = %1$s, STYPE = %3$s, COMBINEFUNC = %2$s, PARALLEL = SAFE',
    final => 'SFUNC = %1$s, STYPE = %3$s, FINALFUNC = %2$s',
);
my $moving_final = ', MSFUNC = %1$s, MINVFUNC = %1$s, MSTYPE = %3$s, MFINALFUNC = %2$s';
my %shape_of = (
    moving => sub { return "SELECT $_[0]($_[1]) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS v FROM r" },
    combine => 'parallel',
    final => sub { return rand() < 0.5 ? "SELECT $_[0]($_[1]) AS v FROM r" : "SELECT $_[0]($_[1]) OVER (ORDER BY n) AS v FROM r" },
);

# The aggregate of a pair, begun as often as not from a value of another kind, in a shape that needs both
# halves and in another.
sub call_pair {
    my ($state, $first, $role, $second) = @{ $_[0] };
    my @row = @{ $first->{types} }[ 1 .. $#{ $first->{types} } ];
    my $name = 'mixed' . ++$number;
    my $returns = $role eq 'final' ? $second->{returns} : $state;
    my $definition = $aggregate_of{$role};
    $role = 'moving', $definition .= $moving_final if $role eq 'final' && rand() < 0.2;
    $definition .= ', FINALFUNC_MODIFY = READ_WRITE' if $role eq 'final' && rand() < 0.3;
    $definition = sprintf $definition, $first->{name}, $second->{name}, $state;
    my $initial = $TlvHostile::value_table{$state} && rand() < 0.25 ? "SELECT (v::text) AS initial FROM $TlvHostile::value_table{$state} ORDER BY md5(id::text || '$number') LIMIT 1 \\gset\n" : '';
    $definition .= ", INITCOND = :'initial'" if $initial;
    $definition .= ", MINITCOND = :'initial'" if $initial && $role eq 'moving';
    my %as_aggregate = (%$first, types => \@row, names => [ map { '' } @row ], returns => $returns,
        likes => [ @{ $first->{likes} }[ 1 .. $#{ $first->{types} } ] ]);
    my @list = [ $number, "${initial}CREATE AGGREGATE $name(" . join(', ', @row) . ") ($definition);", { signature => $name, definition => 1 } ];
    # rows must leave a moving frame
    for my $shape ($shape_of{$role}, undef) {
        my ($sql) = call_aggregate(\%as_aggregate, ++$number, 1, $name, $shape, $role eq 'moving' ? 3 : 1);
        push @list, [ $number, $sql, { signature => "$first->{signature} with $second->{signature}" } ] if defined $sql;
    }
    return @list, [ ++$number, "DROP AGGREGATE $name(" . join(', ', @row) . ');', { signature => $name, definition => 1 } ];
}

my $paired = 0;
while (!over()) {
    # a part of all, another one for every seed; or all of them again and again
    my @some = shuffle @pairs;
    while (@some && !over()) {
        my @now = splice @some, 0, 100;
        splice @now, 1 + ($most_calls - $calls) / 2 if @now > ($most_calls - $calls) / 2;
        run_round($timeout, [ map { call_pair($_) } @now ]);
        $paired += @now;
    }
}

# ---- text that is none ----

my $bytes_db = new_database('tlv_hostile_bytes', q{ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0});
make_values($bytes_db);
my @with_text = grep { grep { /text|cstring|varying|tsvector/ } @{ $_->{types} } } read_functions($bytes_db);
# a quarter as many as the calls before, so that a short walk is not mostly of what is refused
my $times = max(1, int $calls / 4 / @with_text);
run_round($timeout, [ map { make_call($_, 0) } (@with_text) x $times ], database => $bytes_db);

# ---- what came of it ----

sub first_of { my @list = @_; return join "\n", map { substr $_, 0, 1500 } @list[ 0 .. ($#list > 4 ? 4 : $#list) ] }
my $states = join ', ', map { "$_: $by_state{$_}" } sort keys %by_state;
is(first_of(@wrong), '', scalar(@wrong) . " of $calls calls end in an error that is not the caller's");
is(first_of(@late), '', "a call ends soon after its statement_timeout");
cmp_ok($by_state{'00000'}, '>', 0.2 * $calls, "many calls go well ($states)");
cmp_ok($by_state{22023} // 0, '>', 0.02 * $calls, 'and many do not');
is(first_of(map { "$_: $infinite{$_}" } sort keys %infinite), '', 'what is returned is finite: of ' . keys(%infinite) . ' functions it is not');
SKIP: {
    skip 'the memory of a process cannot be seen here', 1 unless $peak;
    cmp_ok($peak, '<', 1500, sprintf 'no session took more than %.0f MB', $peak);
}

my $kept = 0;
for my $type (@value_types) {
    my ($count, @broken) = (0);
    for my $database ($db, $bytes_db) {
        my ($here, @wrong_here) = broken_round_trips($database, "SELECT v, 'call ' || call FROM walk.kept_$value_table{$type}");
        push @broken, map { /call (\d+)/ ? "$_\n  $returning{$1}" : $_ } @wrong_here;
        $count += $here;
    }
    $kept += $count;
    is(first_of(@broken), '', "$count values of $type that were returned are accepted back, and equal");
}
cmp_ok($kept, '>', $calls / 50, "$kept values were returned");

is(query($db, 'SELECT pg_postmaster_start_time()'), $started, 'the server is the same');
SKIP: {
    my $text = server_log_since($log);
    skip 'the server log is not at hand', 1 unless defined $text;
    unlike($text, qr/terminated by signal|PANIC|TRAP:|was terminated|reinitializing|detected write past chunk/, 'no backend crashed');
}
note("seed $seed: $walked calls of " . @functions . ' functions, ' . ($calls - $walked) . " of $paired aggregates out of " . @pairs . " pairs, $kept values there and back, $tried forged, in "
    . (time - $begun) . " s; by SQLSTATE: $states");
drop_database($_) for $db, $bytes_db;
query('postgres', 'DROP ROLE IF EXISTS tlv_walker');
done_testing();
