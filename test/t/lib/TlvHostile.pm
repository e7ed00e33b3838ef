package TlvHostile;
# Calls of every function of the extension as a hostile user makes them: values of every type, of every
# kind, forged ones among them, and the SQL that calls a function or an aggregate with some.
#
# Values of ours lie in the tables bags, moments, subspaces, models and graphs, into which the files of
# values/, one per family, put some of every kind.  Everything else is a literal.
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use MIME::Base64 qw(decode_base64 encode_base64);
use TlvImages;
use TlvJson;
use TlvTest;

our @EXPORT = qw(make_values forge_values forge_json read_functions pick_value call_function call_aggregate learn run_calls @value_types %value_table as_walker);

our %value_table = (tlv_bag => 'bags', tlv_moments => 'moments', tlv_subspace => 'subspaces', tlv_model => 'models', tlv_graph => 'graphs');
our @value_types = sort keys %value_table;

# ids of all values, by type and kind; of models by their digest, and the digests of the models that statistics are of, by id
my (%values, %models_by_digest, %model_of);

# What a session of the walk begins with: an ordinary role, little memory, little time.
sub as_walker {
    my ($milliseconds) = @_;
    return <<"SQL";
SET SESSION AUTHORIZATION tlv_walker;
SET search_path = walk, public;
SET statement_timeout = $milliseconds;
SET client_min_messages = error;
SET tensorlv.work_mem = '32MB';
SQL
}

# ---- values ----

sub make_values {
    my ($db) = @_;
    my $tables = join '', map { "CREATE TABLE $value_table{$_} (v $_, id serial PRIMARY KEY, origin text DEFAULT 'made');\nCREATE TABLE kept_$value_table{$_} (call int, v $_);\n" } @value_types;
    query($db, <<"SQL");
DO \$\$ BEGIN CREATE ROLE tlv_walker; EXCEPTION WHEN duplicate_object THEN NULL; END \$\$;
CREATE SCHEMA walk AUTHORIZATION tlv_walker;
SQL
    query($db, as_walker(0) . <<"SQL");
$tables
CREATE TABLE queries (q text);
CREATE TABLE numbers AS SELECT n FROM generate_series(1, 3000) n;
CREATE DOMAIN walk_length AS float8 CHECK (value <> 12345);
CREATE TYPE walk_point AS (x float8, y numeric, z int);
CREATE DOMAIN walk_place AS walk_point;
CREATE TABLE walk_points (dropped text, a int[], b real[], gone int, c float8[]);
ALTER TABLE walk_points DROP gone, DROP dropped;
INSERT INTO walk_points VALUES ('{1,2}', '{3,4}', '{5,6}');
CREATE FUNCTION forge(kept regclass, value text) RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
  EXECUTE format('INSERT INTO %s (v, origin) SELECT %L, ''forged''', kept, value);
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END \$\$;
CREATE FUNCTION forge_json(value text, origin text) RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
  INSERT INTO models (v, origin) SELECT tlv_from_json(value::json), \$2;
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END \$\$;
SQL
    query($db, as_walker(0) . read_file($_)) for sort glob dirname(__FILE__) . '/../values/*.sql';
    query($db, 'ANALYZE');
    read_values($db);
    return;
}

sub read_values {
    my ($db) = @_;
    %values = ();
    for my $type (@value_types) {
        my $kind = $type eq 'tlv_bag' ? "'bag'" : q{split_part(v::text, ':', 1)};
        for (split /\n/, query($db, "SELECT id, $kind FROM walk.$value_table{$type}")) {
            my ($id, $k) = split /\|/;
            push @{ $values{$type}{$k} }, $id;
        }
    }
    (%models_by_digest, %model_of) = ();
    for (split /\n/, query($db, q{SELECT id, encode(substr(tlv_model_send(v), 21, 16), 'hex') FROM walk.models})) {
        my ($id, $digest) = split /\|/;
        push @{ $models_by_digest{$digest} }, $id;
    }
    for (split /\n/, query($db, q{SELECT id, tlv_info(v) ->> 'model' FROM walk.moments WHERE jsonb_typeof(tlv_info(v) -> 'model') = 'string'})) {
        my ($id, $digest) = split /\|/;
        $model_of{$id} = $digest if $models_by_digest{$digest};
    }
    return;
}

# Statistics and the model that they are of, where a function wants both: those that are there, or, of $model, such as are collected for the purpose.
my @collectors;
sub matching_pair {
    my ($likes) = @_;
    if (rand() < 0.4 && %model_of) {
        my @ids = sort { $a <=> $b } keys %model_of;
        my $id = $ids[ rand @ids ];
        my $models = $models_by_digest{ $model_of{$id} };
        return ("(SELECT v FROM models WHERE id = $models->[ rand @$models ])", "(SELECT v FROM moments WHERE id = $id)");
    }
    my ($model) = pick_value('tlv_model', '', $likes, 1);
    my $collector = $collectors[ rand @collectors ];
    my @row = map { $_ eq 'tlv_model' ? $model : (pick_value($_, '', undef, 1))[0] } @{ $collector->{types} };
    return ($model, "(SELECT $collector->{name}(" . join(', ', @row) . ') FROM generate_series(1, 5))');
}

# Changes values that are there, each $times times, so that the digest is right; what the input accepts
# is a value like any other from then on.  Returns how many were tried and how many accepted, and the
# SQLSTATEs of refusals.
sub forge_values {
    my ($db, $times) = @_;
    my @lines;
    for my $type (grep { $_ ne 'tlv_bag' } @value_types) {
        for (split /\n/, query($db, "SELECT v FROM walk.$value_table{$type} WHERE origin = 'made' AND length(v::text) < 100000 ORDER BY id")) {
            my ($kind, $digits) = /^(\w+)[^:]*:(.*)/;
            my $image = decode_base64($digits);
            for my $i (1 .. $times) {
                my $changed = rand() < 0.5 ? scale_image($image) : craft_image($image);
                $changed = craft_image($changed) if rand() < 0.2;
                push @lines, "SELECT forge('$value_table{$type}', '$kind:" . encode_base64($changed, '') . "');\n";
            }
        }
    }
    my %states;
    $states{$_}++ for split /\n/, query($db, as_walker(5000) . join '', @lines);
    read_values($db);
    return (scalar @lines, delete $states{accepted} // 0, %states);
}

# The same with models as JSON: its structure changed $times times, and half as often all names replaced by hostile ones.
sub forge_json {
    my ($db, $times) = @_;
    my @lines;
    for (split /\n/, query($db, q{SELECT replace(tlv_to_json(v)::text, E'\n', '') FROM walk.models WHERE origin = 'made' AND length(tlv_to_json(v)::text) < 20000 ORDER BY id})) {
        my $tree = parse_json($_);
        my @labelled = grep { defined } map { label_json($tree) } 1 .. $times / 2;
        push @lines, map { 'SELECT forge_json(' . quoted(write_json($_->[1])) . ", '$_->[0]');\n" }
            (map { [ 'changed JSON', change_json($tree) ] } 1 .. $times), map { [ 'hostile names', $_ ] } @labelled;
    }
    my %states;
    $states{$_}++ for split /\n/, query($db, as_walker(5000) . join '', @lines);
    read_values($db);
    return (scalar @lines, delete $states{accepted} // 0, %states);
}

sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

my @integers = qw(0 -1 1 2 2147483647 -2147483648 1000000 65536);
my @floats = map { "'$_'" } qw(0 -0 -1 1 0.5 NaN Infinity -Infinity 1e308 -1e308 1e-320 1e155 9007199254740993);
my @texts = (q{''}, q{'x'}, q{' '}, q{E'\u00e9\u4e2d\U0001F600'}, q{E'a\nb\tc\001'}, q{repeat('x', 100000)}, q{repeat(U&'\4E2D', 50)}, q{repeat('(', 50000)}, q{repeat('%s%n', 20)},
    q{'{1,2}'}, q{'{NULL}'}, q{'1.5'}, q{'SELECT'}, q{'NULL'}, q{'a;b'}, q{E'\\\\'}, q{''''''''}, q{'{a,b}'}, q{'{1:1}'});
# bytes that are no text in any encoding: where a database takes them
my @bytes = (q{E'\\xff\\xfe\\x80'}, q{repeat(E'\\xe4', 300)}, q{E'{"\\xc3",1}'}, q{E'\\x01\\x7f\\xed\\xa0\\x80'}, q{repeat('a', 39) || E'\\xc3\\xa9' || repeat('b', 200)});
my @words = map { "'$_'" } qw(joint power als sgd simultaneous none vb gibbs em auto raw damped full common spherical diagonal undirected directed bipartite mix laplace uniform categorical
    gaussian canonical correlation clnj nj rg cl information baum-welch windows moments weights presence degrees numbers categories vectors);
my @queries = (q{'SELECT 1'}, q{''}, q{';'}, q{'SELECT'}, q{'SELECT 1; SELECT 2'}, q{'SELECT * FROM nothing'}, q{'SELECT NULL::float8[]'}, q{'SELECT ARRAY[1e308, -1e308, 0]::float8[] FROM numbers'},
    q{'SELECT ''{NaN,1}''::float8[] FROM numbers'}, q{'SELECT n, n, n FROM numbers'}, q{'SELECT n, n FROM numbers'}, q{'SELECT v FROM bags'}, q{'SELECT id, id, v::text FROM models'},
    q{'SELECT n, 9223372036854775807 - n, 1e300 FROM numbers'}, q{'SELECT ''{{1,2},{3,4}}''::int[] FROM numbers'}, q{'SELECT NULL::int, NULL::int, NULL::int FROM numbers'},
    q{'SELECT 1 / (n - 50), n FROM numbers'}, q{'DELETE FROM numbers'}, q{'SELECT ''{}''::int[] FROM numbers'}, q{'SELECT pg_sleep(9), 1, 2'}, q{'TABLE numbers'}, q{'VALUES (1, 2), (NULL, 3)'},
    q{'SELECT ''[2147483646:2147483647]={1,2}''::int[] FROM numbers'}, q{'SELECT ARRAY[n, n % 2, n % 3]::float8[] FROM numbers WHERE n < 30'},
    q{'SELECT ARRAY[n % 2, n % 3, n % 5, 1] FROM numbers WHERE n < 90'});

# Arrays over elements, as literals of text: empty, of NULLs, of several dimensions, of other bounds.
sub hostile_array {
    my ($type, @elements) = @_;
    my $any = sub { my $e = $elements[ rand @elements ]; $e =~ s/^'(.*)'$/$1/s; $e =~ s/''/'/g; $e =~ s/(["\\])/\\$1/g; return qq{"$e"} };
    my @forms = (
        sub { '{}' }, sub { '{NULL}' }, sub { '{NULL,NULL,NULL}' },
        sub { '{' . join(',', map { $any->() } 1 .. 1 + int rand 5) . '}' },
        sub { '{' . join(',', map { rand() < 0.3 ? 'NULL' : $any->() } 1 .. 1 + int rand 6) . '}' },
        sub { '{' . join(',', map { '{' . $any->() . ',' . $any->() . '}' } 1 .. 3) . '}' },
        sub { '{{{' . $any->() . '},{' . $any->() . '}}}' },
        sub { '[0:1]={' . $any->() . ',' . $any->() . '}' },
        sub { '[-2147483648:-2147483647]={' . $any->() . ',' . $any->() . '}' },
        sub { '[2147483645:2147483646]={' . $any->() . ',NULL}' },
        sub { '[5:6][-1:0]={{' . $any->() . ',' . $any->() . '},{' . $any->() . ',NULL}}' },
    );
    my $text = $forms[ rand @forms ]->();
    $text =~ s/'/''/g;
    return "'$text'::$type";
}

my %elements = (
    integer => [ @integers, 0 .. 4 ], bigint => [ @integers, 0 .. 4, qw(9223372036854775807 -9223372036854775808 9007199254740993) ],
    'double precision' => [ @floats, 1 .. 5 ], text => [ grep { !/repeat|U&/ } @texts ],
    boolean => [qw(true false)],
);

my %hostile = (
    (map { my $type = $_; ($type => sub { my $e = $elements{$type}; return $e->[ rand @$e ] . "::$type" }) } grep { $_ ne 'text' } keys %elements),
    (map { my $type = $_; ("$type\[]" => sub { return rand() < 0.1 ? "array_fill($elements{$type}[0]::$type, ARRAY[3000])" : hostile_array("$type\[]", @{ $elements{$type} }) }) } keys %elements),
    text => sub { return $texts[ rand @texts ] . '::text' },
    cstring => sub { return $texts[ rand @texts ] . '::cstring' },
    tsvector => sub { return (q{''}, q{'a b:1,2,3A c'}, q{(SELECT string_agg('w' || n, ' ') FROM numbers)})[ rand 3 ] . '::tsvector' },
    'character varying' => sub { return $texts[ rand @texts ] . '::varchar' },
    'tlv_bag[]' => sub { return hostile_array('tlv_bag[]', '{}', '{1:1}', '{1:1,2:2,3:1}', '{-5:1,70000:1,5000000000:1}', '{1:0.5,2:7}') },
);

# What a user of good will gives, by the argument's name.
my %usual = (
    integer => sub { my ($name) = @_; return $name =~ /rows|documents|nodes|length|sequences|items|targets|symbols/ ? 1 + int rand 40 : $name =~ /^$|states|row|view/ ? int rand 4 : 1 + int rand 4 },
    bigint => sub { return int rand 5 },
    'double precision' => sub { return (0, .01, .1, .3, .5, .9, 1, 2, 3.5)[ rand 9 ] . '::float8' },
    boolean => sub { return rand() < 0.5 ? 'true' : 'false' },
    text => sub { my ($name, $queries) = @_; return $name =~ /query|labels|^edges$/ && rand() < 0.9 ? $queries->[ rand @$queries ] : $words[ rand @words ] },
    'integer[]' => sub { return "'{" . join(',', map { int rand 3 } 1 .. (2, 3, 3, 4, 5, 6, 20)[ rand 7 ]) . "}'::int[]" },
    'bigint[]' => sub { return "'{" . join(',', map { 1 + int rand 5 } 1 .. 1 + int rand 4) . "}'::bigint[]" },
    'double precision[]' => sub { return "'{" . join(',', map { sprintf '%.2f', rand(4) - 1 } 1 .. (2, 3, 3, 3, 5, 9, 27, 8)[ rand 8 ]) . "}'::float8[]" },
    'text[]' => sub { return "'{a,b,c,d,e}'::text[]" },
    tsvector => sub { return q{'a b c'::tsvector} },
    cstring => sub { return q{'{1:1}'::cstring} },
    'tlv_bag[]' => sub { return q{ARRAY['{1:1,2:3}', '{2:1,3:1,4:5}']::tlv_bag[]} },
);

# Rows of every type for arguments declared "any": those that models take, damaged in all their forms, and others.
my @any_arrays = map { "$_\[]" } qw(smallint integer bigint real float8 numeric text varchar name boolean walk_length);
my @any_records = (
    sub { return 'ROW(' . join(', ', map { any_column() } 1 .. 1 + int rand 6) . ')' },
    sub { return '(SELECT r FROM (SELECT ' . join(', ', map { any_column() . " AS c$_" } 1 .. 1 + int rand 5) . ') r)' },
    sub { return (q{'(1,2,3)'::walk_point}, q{'(,,)'::walk_point}, q{'(NaN,1e300,-1)'::walk_place}, '(SELECT p FROM walk_points p LIMIT 1)', 'ROW()', 'NULL::walk_point',
      '(SELECT m FROM models m LIMIT 1)')[ rand 7 ] },
);
my @any_others = (
    q{'{1,2,3}'}, q{'{1:2,3:4}'}, "'{'", q{''}, q{'{NULL}'}, q{'{{1,2},{3,4}}'}, q{'{a,b}'}, q{'[2147483646:2147483647]={1,2}'}, q{'x'::text}, '1', '1.5', 'true', q{'(1,2)'::point},
      q{'[1,2,3]'::jsonb}, 'NULL', 'now()',
    q{'1 2 3'::int2vector}, q{'1 2'::oidvector}, q{'[1,3)'::int4range}, q{'a'::"char"}, q{'x'::xid}, 'ARRAY[ROW(1, 2)]', q{'\\x00'::bytea}, 'ARRAY[now()]', q{ARRAY['{1:1}']::tlv_bag[]},
    '(SELECT string_to_array(string_agg(n::text, chr(44)), chr(44))::bigint[] FROM numbers)', '(SELECT array_agg(n * 0.5) FROM numbers)',
);

sub any_column {
    my $r = rand;
    return (qw(1 2 0 -1 3.5), '1e300', 'NULL', q{'x'}, '2::smallint', '3::bigint', q{'NaN'::numeric}, q{'-Infinity'::float8}, '7::walk_length')[ rand 13 ] if $r < 0.7;
    return any_row();
}

sub any_row {
    my $r = rand;
    return $any_others[ rand @any_others ] if $r < 0.2;
    return $any_records[ rand @any_records ]->() if $r < 0.4;
    return (pick_value('tlv_bag', '', undef, 1))[0] if $r < 0.55;
    return $hostile{tsvector}->() if $r < 0.6;
    return 'ARRAY[' . join(', ', map { (0, 1, 1, 2, 3, 'NULL', '0.5')[ rand 7 ] } 1 .. (2, 3, 3, 4, 5, 6, 16)[ rand 7 ]) . ']::' . $any_arrays[ rand 6 ] if $r < 0.85;
    my $type = $any_arrays[ rand @any_arrays ];
    return hostile_array($type, $type =~ /text|char|name/ ? ('a', '', 'NULL') : $type =~ /bool/ ? ('t') : ('1', '0', '-3', '2'));
}

my @good_queries;

# A value of a type as SQL; which kind of value of ours it is.  $likes counts what has gone well, by kind.
sub pick_value {
    my ($type, $name, $likes, $honest) = @_;
    my $r = $honest ? 0.5 + rand() / 2 : rand;
    return ($r < 0.06 ? 'NULL' : any_row(), 'other') if $type eq '"any"';
    return ("NULL::$type", 'NULL') if $r < 0.06;
    if (my $kinds = $values{$type}) {
        my @kinds = sort keys %$kinds;
        my @liked = grep { $kinds->{$_} } sort keys %{ $likes // {} };
        my $kind = @liked && rand() < 0.7 ? $liked[ rand @liked ] : $kinds[ rand @kinds ];
        my $ids = $kinds->{$kind};
        return ("(SELECT v FROM $value_table{$type} WHERE id = $ids->[ rand @$ids ])", $kind);
    }
    my $make = $r < 0.25 || !$usual{$type} ? $hostile{$type} : $usual{$type};
    return unless $make;
    return ('(' . $make->($name, rand() < 0.7 ? \@good_queries : \@queries) . ")::$type", 'other');
}

# ---- functions ----

# Every function and aggregate of the extension: name, types and names of arguments, what it returns.
sub read_functions {
    my ($db) = @_;
    push @texts, splice @bytes if query($db, 'SHOW server_encoding') eq 'SQL_ASCII';
    @good_queries = map { my $q = $_; $q =~ s/'/''/g; "'$q'" } split /\n/, query($db, 'SELECT q FROM walk.queries');
    my @functions;
    for (split /\n/, query($db, <<'SQL')) {
SELECT p.oid, p.proname, p.prokind, p.proretset, p.prorettype::regtype, p.pronargdefaults, p.proargtypes::regtype[], coalesce(p.proargnames, '{}'),
  coalesce(p.proallargtypes, '{}')::regtype[], p.oid::regprocedure
FROM pg_proc p, pg_depend d, pg_extension e
WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND e.extname = 'tensorlv'
ORDER BY p.proname, p.oid::regprocedure::text
SQL
        my ($oid, $name, $kind, $set, $returns, $defaults, $types, $names, $all, $signature) = split /\|/;
        my @list = map { my $text = $_; $text =~ s/^\[\d+:\d+\]=//; [ map { s/^"|"$//gr } split /,/, $text =~ s/^\{|\}$//gr ] } $types, $names, $all;
        my @types = @{ $list[0] };
        next if grep { $_ eq 'internal' } @types;
        # columns of a row that are values of ours
        my @columns = map { [ $list[1][$_], $list[2][$_] ] } grep { $value_table{ $list[2][$_] } } @types .. $#{ $list[2] };
        push @functions, { oid => $oid, name => $name, aggregate => $kind eq 'a', window => $kind eq 'w', set => $set eq 't' || $returns eq 'record',
            returns => $returns, defaults => $defaults, types => \@types,
            names => $list[1], columns => \@columns, signature => $signature, likes => [] };
    }
    @collectors = grep { $_->{aggregate} && $_->{returns} eq 'tlv_moments' && grep { $_ eq 'tlv_model' } @{ $_->{types} } } @functions;
    return @functions;
}

# What is measured of a result: rows, and those with a number that is not finite.
my $measures = q{count(*), count(*) FILTER (WHERE r::text ~* '\m(nan|infinity)\M')};

# Puts a call's result into the tables of what is kept, and measures it; what is there to see is read
# through the output functions either way.
sub measured {
    my ($number, $type, $select) = @_;
    my $table = $value_table{$type};
    return "WITH r AS MATERIALIZED ($select) SELECT $measures FROM r;" unless $table;
    return "WITH r AS MATERIALIZED ($select), k AS (INSERT INTO kept_$table SELECT $number, v FROM r WHERE v IS NOT NULL AND pg_column_size(v) < 300000) "
        . 'SELECT count(*), 0, max(length(r.v::text)) FROM r;';
}

# Arguments by the number of a call that is under way.  Those that went well are kept with the function: a row suits few models and a
# number few kinds, so that arguments that are all drawn by themselves seldom get beyond the checks.
my %given;

# What is learnt from a call if it went well: the kinds of its values, and, of a function, its arguments.
sub learn {
    my ($function, $number, $well, @kinds) = @_;
    my $arguments = delete $given{$number};
    return if !$well;
    if (!grep { $_ eq 'NULL' } @kinds) { $function->{likes}[$_]{ $kinds[$_] }++ for 0 .. $#kinds }
    return if !$arguments;
    my $known = $function->{known} //= [];
    $known->[ @$known < 20 ? @$known : int rand 20 ] = $arguments;
    return;
}

# As often as not arguments that went well before, and which one of them is changed.
sub known_arguments {
    my ($function) = @_;
    my $known = $function->{known};
    return undef if !$known || rand() < 0.5;
    my $some = $known->[ rand @$known ];
    return { %$some, changed => int rand @{ $some->{arguments} } };
}

# A call with some arguments: SQL, and which kinds of values are in it.
sub call_function {
    my ($function, $number, $honest) = @_;
    my $n = @{ $function->{types} };
    $n -= int rand 1 + $function->{defaults} if rand() < 0.6;
    my ($known, @arguments, @kinds) = known_arguments($function);
    $n = @{ $known->{arguments} } if $known;
    for my $i (0 .. $n - 1) {
        my ($sql, $kind) = $known && $i != $known->{changed} ? ($known->{arguments}[$i], $known->{kinds}[$i])
            : pick_value($function->{types}[$i], $function->{names}[$i] // '', $function->{likes}[$i], $honest);
        return unless defined $sql;
        push @arguments, $sql;
        push @kinds, $kind;
    }
    if (!$known && "@{ $function->{types} }" =~ /^tlv_model tlv_moments/ && @arguments > 1 && rand() < 0.8) {
        @arguments[ 0, 1 ] = matching_pair($function->{likes}[0]);
        @kinds[ 0, 1 ] = ('NULL', 'NULL');
    }
    $given{$number} = { arguments => \@arguments, kinds => \@kinds };
    my $call = "$function->{name}(" . join(', ', @arguments) . ')';
    return (measured($number, $function->{returns}, "SELECT $call OVER (PARTITION BY i % 2) AS v FROM generate_series(1, 5) i"), @kinds) if $function->{window};
    if ($function->{set} && @{ $function->{columns} } && rand() < 0.5) {
        my ($column, $type) = @{ $function->{columns}[ rand @{ $function->{columns} } ] };
        return (measured($number, $type, qq{SELECT "$column" AS v FROM $call LIMIT 20}), @kinds);
    }
    return (measured($number, $function->{returns}, $function->{set} ? "SELECT * FROM $call AS v LIMIT 5000" : "SELECT $call AS v"), @kinds);
}

# An aggregate over one to seven rows, as users write it: plain, of distinct or ordered rows, filtered, of
# groups, as a window that grows or moves, and over enough rows for workers.  $name may be another
# aggregate of the same arguments.
my @shapes = (
    sub { my ($f, $a) = @_; return "SELECT $f($a) AS v FROM r" },
    sub { my ($f, $a) = @_; return "SELECT $f(DISTINCT $a) AS v FROM r" },
    sub { my ($f, $a) = @_; return "SELECT $f($a ORDER BY n DESC) FILTER (WHERE n <> 2) AS v FROM r" },
    sub { my ($f, $a) = @_; return "SELECT $f($a) AS v FROM r GROUP BY n % 2" },
    sub { my ($f, $a) = @_; return "SELECT $f($a) OVER (ORDER BY n) AS v FROM r" },
    sub { my ($f, $a) = @_; return "SELECT $f($a) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS v FROM r" },
    sub { my ($f, $a) = @_; return "SELECT $f($a) OVER (ORDER BY n ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING EXCLUDE CURRENT ROW) AS v FROM r" },
    sub { my ($f, $a) = @_; return "SELECT $f($a) AS v FROM (SELECT i AS m FROM generate_series(1, 2) i) s JOIN r ON n % 2 = m GROUP BY ROLLUP (m)" },
);

sub call_aggregate {
    my ($function, $number, $honest, $name, $shape, $least) = @_;
    my @types = @{ $function->{types} };
    $name //= $function->{name};
    my $rows = ($least // 1) + int rand 7;
    my (@columns, @kinds);
    for my $i (0 .. $#types) {
        # models, subspaces and numbers behind the row are constants as a rule
        my $constant = rand() < ($i > 0 || @types == 1 ? 0.8 : 0.3);
        my ($first, $kind) = pick_value($types[$i], $function->{names}[$i] // '', $function->{likes}[$i], $honest);
        return unless defined $first;
        push @columns, [ map { $constant || $_ == 1 ? $first : (pick_value($types[$i], $function->{names}[$i] // '', $function->{likes}[$i], $honest))[0] // $first } 1 .. $rows ];
        push @kinds, $kind;
    }
    my $names = join ', ', map { "a$_" } 0 .. $#types;
    if (!defined $shape && rand() < 0.1 || ($shape // '') eq 'parallel') {
        my $arguments = join ', ', map { my $column = $_; 'CASE n % ' . $rows . join('', map { " WHEN $_ THEN $column->[$_]" } 0 .. $rows - 1) . ' END' } @columns;
        return ("SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;\n"
            . measured($number, $function->{returns}, "SELECT $name($arguments) AS v FROM numbers WHERE n <= 200"), @kinds);
    }
    my $values = join ', ', map { my $row = $_; '(' . join(', ', $row + 1, map { $_->[$row] } @columns) . ')' } 0 .. $rows - 1;
    my $body = ($shape // $shapes[ rand @shapes ])->($name, $names);
    return (measured($number, $function->{returns}, "WITH r(n, $names) AS MATERIALIZED (VALUES $values) $body"), @kinds);
}

# ---- running ----

# Runs calls, [number, SQL] each, in one session; returns what became of each, by number: state, message,
# milliseconds, and what was selected.  {status} is that of the session, {last} the call at which it ended,
# {peak} the most memory of its process in MB where that can be seen.
sub run_calls {
    my ($db, $milliseconds, $calls, %options) = @_;
    my $sql = as_walker($milliseconds) . ($options{prepare} // '') . "SELECT pg_backend_pid() AS pid \\gset\n\\setenv TLV_PID :pid\n\\timing on\n";
    $sql .= "\\echo @ $_->[0]\n$_->[1]\n\\echo = :SQLSTATE :LAST_ERROR_MESSAGE\n" for @$calls;
    $sql .= "\\echo @ end\n\\! grep VmHWM /proc/\$TLV_PID/status 2>/dev/null\n";
    my $result = run_sql($db, $sql, go_on => 1);
    my %report = (status => $result->{status}, errors => $result->{errors}, last => 'none');
    my $call;
    for (split /\n/, $result->{out}) {
        if    (/^@ (\w+)$/) { $report{last} = $1; $call = $report{calls}{$1} = { out => '', milliseconds => 0 } }
        elsif (!$call) { next }
        elsif (/^= (\w{5}) (.*)/) { @$call{qw(state message)} = ($1, $2) }
        elsif (/^Time: ([\d.]+) ms/) { $call->{milliseconds} = $1 if $1 > $call->{milliseconds} }
        elsif (/^VmHWM:\s*(\d+) kB/) { $report{peak} = $1 / 1024 }
        else { $call->{out} .= "$_\n" }
    }
    delete $report{calls}{end};
    return \%report;
}

1;
