# What drivers send to the planner stands on its own when it is deparsed, as engines do that send it to other servers (Citus):
# a module of the tests, deparsed.c, deparses every statement of the drivers
# in the regression files below and runs the text, which must give what the statement gives. Every driver and every reader of rows must have made one.
# TLV_DEPARSED names other files of test/sql to run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use File::Basename qw(basename);
use File::Temp qw(tempdir);
use TlvTest;

my $root = "$FindBin::Bin/../..";
my @files = split ' ', $ENV{TLV_DEPARSED} // 'named_columns crowd dictionaries networks passes suggest long_rows convolution weights layouts';
my $config = $ENV{PG_CONFIG} // bindir() . '/pg_config';
plan skip_all => 'a query can be deparsed from PostgreSQL 15 on' if query('postgres', 'SHOW server_version_num') < 150000;

my $folder = tempdir(CLEANUP => 1); # for the server, too
chmod 0777, $folder;
my ($module, $log) = ("$folder/deparsed", "$folder/log");
my $include = `$config --includedir-server`;
chomp $include;
system($ENV{CC} // 'cc', qw(-shared -fPIC -O1 -Wall), "-I$include", '-o', "$module.so", "$root/test/deparsed/deparsed.c") == 0 or die "the module of the tests does not compile\n";
chmod 0755, "$module.so";

# ---- the statements of drivers ----

for my $file (@files) {
    my $db = new_database('tlv_deparsed');
    local $ENV{PGOPTIONS} = "-c session_preload_libraries=$module -c deparsed.log=$log";
    my $status = system("cd '$root' && '" . bindir() . "/psql' -X -q -o /dev/null -d $db -f test/sql/$file.sql >/dev/null 2>&1");
    is($status, 0, "$file.sql ends");
}
{ # sequences, of which none of these files has many
    my $db = new_database('tlv_deparsed');
    local $ENV{PGOPTIONS} = "-c session_preload_libraries=$module -c deparsed.log=$log -c client_min_messages=error";
    query($db, q{CREATE TABLE walks AS SELECT i, ARRAY(SELECT 1 + (i * j * j + j) % 7 % 3 FROM generate_series(1, 20) j) AS s FROM generate_series(1, 60) i;
        SELECT tlv_hmm('SELECT s FROM walks', 2) IS NOT NULL, tlv_hmm('SELECT s::text[] FROM walks', 2) IS NOT NULL;});
}
my @lines = map { [ split /\t/, $_, 3 ] } split /\n/, read_file($log);
my @wrong = map { "$_->[0] $_->[1]: " . substr($_->[2], 0, 2000) } grep { $_->[0] ne 'ran' } @lines;
is(join("\n", @wrong), '', 'the text of a statement gives what it gives, and its aggregates declare the types of their arguments');
my @ran = grep { $_->[0] eq 'ran' } @lines;
note(scalar(@ran) . ' statements');

my $db = new_database('tlv_deparsed');
# that which collects, not those that only store or count rows
my $aggregates = join '|', split /\n/, query($db, "SELECT DISTINCT proname FROM pg_proc WHERE prokind = 'a' AND proname ~ '^tlv_' ORDER BY 1");
my %driver = map { $_->[1] => 1 } grep { $_->[2] =~ /\b(?:$aggregates)\(/ } @ran;
is(join(' ', grep { !$driver{$_} } split /\n/, query($db, 'SELECT DISTINCT unnest(drives) FROM tlv_kinds() ORDER BY 1')), '', 'every driver has made one with an aggregate');

# A reader of src/pg/rows, by what it alone writes.
my %writes = (
    answers => qr/ q\(item, worker, answer\)/,
    columns => qr/ARRAY\[q\.x1.* q\(x1, x2/,
    documents => qr/ q\((?:document\)|doc, item)/,
    edges => qr/ q\((?:src, dst|node, neighbours)/,
    groups => qr/generate_series\(\(1\)::bigint, k\.n\)/,
    sequences => qr/ q\((?:seq, t, x1|s\)\) v)/,
    series => qr/\bsteps\.series\b/,
    steps => qr/ steps\b/,
    survey => qr/tlv_row_agg\(\(?a\.slot/,
    variables => qr/tlv_row_agg\(\(?v\.at/,
    vectors => qr/ q\(x\)\) v/,
    weights => qr/"tensorlv weight"/,
    views => qr/ tlv_view_moments_typed\(|\.tlv_view_moments_typed\(/);
my @readers = map { basename($_, '_query.c') } glob "$root/src/pg/rows/queries/*_query.c";
cmp_ok(scalar @readers, '>=', scalar keys %writes, 'the readers are found');
for my $reader (@readers) {
    my $sign = $writes{$reader};
    ok($sign && grep({ $_->[2] =~ $sign } @ran), "a statement over rows of $reader");
}

# ---- aggregates as such engines run them ----

query($db, <<"SQL");
CREATE FUNCTION partial_transition(internal, regprocedure, record) RETURNS internal AS '$module' LANGUAGE C;
CREATE FUNCTION partial_final(internal) RETURNS text AS '$module' LANGUAGE C;
CREATE AGGREGATE partial(regprocedure, record) (SFUNC = partial_transition, STYPE = internal, FINALFUNC = partial_final);
CREATE TABLE models AS SELECT tlv_simulate_gmm_model(2, 2, seed => 1) AS gmm, tlv_topic_model('{1,2}', '{1,2}', '{1,1}', '{3,1}') AS lda, tlv_simulate_hmm_model(symbols => 3, seed => 1) AS hmm,
    tlv_simulate_multiview_model('{2,2,2}', 2, seed => 1) AS views, tlv_simulate_multiview_model(categories => '{4,5,6}', seed => 2) AS classes,
    tlv_hmm('SELECT ARRAY[''s'' || i % 2, ''s'' || i % 3, ''s'' || i % 5] FROM generate_series(1, 60) i', 2) AS letters,
    (SELECT tlv_find_subspace(tlv_dense_moments(ARRAY[i, i % 3], 2), 1) FROM generate_series(1, 30) i) AS s;
SQL

# [aggregate, arguments with a type each]: what it makes without an expression, and with one.
my @numbers = ((map { [ $_, "ARRAY[i, i % 3]::$_" ] } qw(smallint[] integer[] bigint[] real[] float8[] numeric[])), [ 'record', 'ROW(i, i % 3)' ]);
my @bags = ([ 'tlv_bag', 'tlv_to_bag(ARRAY[1, i % 2 + 1])' ], [ 'tlv_bag[]', 'ARRAY[tlv_to_bag(ARRAY[1, i % 2 + 1])]' ], [ 'tsvector', q(to_tsvector('simple', 'a b')) ]);
my ($number, $text) = ([ 'bigint', '(i % 3 + 1)::bigint' ], [ 'text', '(i % 4 + 1)::text' ]);
my @calls = map { my $x = $_; (
        [ 'tlv_dense_moments', $x, [ 'integer', 3 ] ], [ 'tlv_dense_moments', $x, [ 'tlv_subspace', 's' ] ], [ 'tlv_dense_moments', $x, [ 'tlv_subspace', 's' ], [ 'integer', 3 ] ],
        [ 'tlv_statistics', $x, [ 'tlv_model', 'gmm' ] ], [ 'tlv_statistics', $x, [ 'tlv_model', 'gmm' ], [ 'text', q('em'::text) ] ],
        [ 'tlv_error_statistics', $x, [ 'tlv_model', 'gmm' ] ]) } @numbers;
push @calls, map { [ 'tlv_statistics', $_, [ 'tlv_model', 'lda' ] ], [ 'tlv_error_statistics', $_, [ 'tlv_model', 'lda' ] ], [ 'tlv_statistics', $_, [ 'tlv_model', 'lda' ],
  [ 'text', q('gibbs'::text) ] ] } @bags;
push @calls, map { [ $_, [ 'text[]', q(ARRAY['s' || i % 2, 's' || i % 3]) ], [ 'tlv_model', 'letters' ] ] } qw(tlv_statistics tlv_error_statistics);
for my $views ([ ('vectors') x 3 ], map { my $n = $_; [ map { $n & (1 << $_) ? 'text' : 'number' } 0 .. 2 ] } 0 .. 7) {
    my @three = map { $_ eq 'vectors' ? $numbers[4] : $_ eq 'text' ? $text : $number } @$views;
    push @calls, [ 'tlv_view_moments', @three ], [ 'tlv_row_sample', @three, [ 'integer', 5 ], [ 'bigint', '1::bigint' ] ],
        map { [ $_, @three, [ 'tlv_model', $views->[0] eq 'vectors' ? 'views' : 'classes' ] ] } qw(tlv_statistics tlv_error_statistics);
}
push @calls, map { [ 'tlv_label_pairs', @$_ ] } [ $number, $number ], [ $number, $text ], [ $text, $number ], [ $text, $text ];
my %tried;
my $same = join ",\n", map {
    my ($name, @arguments) = @$_;
    my ($types, $list) = (join(',', map { $_->[0] } @arguments), join(', ', map { $_->[1] } @arguments));
    $tried{ query($db, "SELECT '${name}_typed($types)'::regprocedure") } = 1;
    "CASE WHEN partial('${name}_typed($types)', ROW($list)) = $name($list)::text THEN NULL ELSE '${name}($types)' END";
} @calls;
is(query($db, "SELECT array_to_string(ARRAY[$same], ' ') FROM models, generate_series(1, 30) i"), '', 'aggregates that declare types are the same without an expression');
my $untried = qr/tlv_(?:nmi|ari)_
    |tlv_statistics_typed\(text\[\],tlv_model,text/x;
is(join(' ', grep { !$tried{$_} && $_ !~ $untried }
    split /\n/, query($db, q{SELECT p.oid::regprocedure FROM pg_proc p WHERE p.prokind = 'a' AND p.proname ~ '^tlv_.*_typed$' ORDER BY 1::text})), '', 'all of them');

# Such a call has nothing of its own to keep what it knows of its arguments in: calls of one function share it in a statement, whatever the rows they are given,
# and so do the groups of a statement, and statements that run while another does.
query($db, "CREATE FUNCTION inner_call(i integer) RETURNS text LANGUAGE sql VOLATILE AS " .
  q{'SELECT partial($$tlv_dense_moments_typed(record,integer)$$, ROW(ROW(j::real, j % i, 1.5::numeric), 2)) FROM generate_series(1, 10) j'});
is(query($db, <<'SQL'), 't|t|t|t', 'rows of several shapes beside each other, the second with a null before its type is known');
SELECT partial('tlv_dense_moments_typed(record,integer)', ROW(ROW(i, i % 3), 2)) = tlv_dense_moments(ROW(i, i % 3), 2)::text,
  partial('tlv_dense_moments_typed(record,integer)', ROW(ROW(i::real, i % 3, i / 7.0), 2)) = tlv_dense_moments(ROW(i::real, i % 3, i / 7.0), 2)::text,
  partial('tlv_dense_moments_typed(record,integer)', ROW(CASE WHEN i > 2 THEN ROW(i::numeric, i % 5) END, 2)) = tlv_dense_moments(CASE WHEN i > 2 THEN ROW(i::numeric, i % 5) END, 2)::text,
  partial('tlv_dense_moments_typed(float8[],integer)', ROW(ARRAY[i, i % 3]::float8[], 2)) = tlv_dense_moments(ARRAY[i, i % 3]::float8[], 2)::text
FROM generate_series(1, 30) i;
SQL
is(query($db, <<'SQL'), '7|t', 'groups');
SELECT count(*), bool_and(one = other) FROM (SELECT partial('tlv_label_pairs_typed(bigint,text)', ROW((i % 3)::bigint, (i % 4)::text)) AS one,
    tlv_label_pairs((i % 3)::bigint, (i % 4)::text)::text AS other FROM generate_series(1, 100) i GROUP BY i % 7) q;
SQL
is(query($db, <<'SQL'), 't|t', 'a statement within a statement');
SELECT partial('tlv_dense_moments_typed(record,integer)', ROW(ROW(i, length(inner_call(i))), 2)) = tlv_dense_moments(ROW(i, length(inner_call(i))), 2)::text,
  bool_and(inner_call(i) = (SELECT tlv_dense_moments(ROW(j::real, j % i, 1.5::numeric), 2)::text FROM generate_series(1, 10) j))
FROM generate_series(1, 5) i;
SQL

my $any = run_sql($db, "SELECT partial('tlv_dense_moments(\"any\",integer)', ROW(ARRAY[1.5], 2))");
like($any->{errors}, qr/argument 1 is not of the declared type/, 'an aggregate of "any" is what such engines refuse');

drop_database($db);
done_testing();
