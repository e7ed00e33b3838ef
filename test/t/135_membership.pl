# Latent classes, mixed membership and answers of workers: odd tables are answered or refused by name, a driver ends
# soon after a cancel and within its memory, and the session goes on.  Nothing is timed but cancels.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_membership');
my $log = server_log_size();
query($db, <<'SQL');
CREATE TABLE wide AS SELECT id, v FROM tlv_simulate_gom(tlv_simulate_gom_model(40, 4), 4000);
CREATE TABLE many AS SELECT id, v FROM tlv_simulate_gom(tlv_simulate_gom_model(1200, 4), 600);
CREATE TABLE long AS SELECT id, 'q' || j AS question, 'a' || v[j] AS answer FROM wide, generate_series(1, 40) j WHERE id <= 500;
CREATE TABLE answers AS SELECT item, worker, answer FROM tlv_simulate_crowd(20000, 100, 4, share => .1);
CREATE TABLE held AS SELECT tlv_lca('SELECT v FROM wide', 3) AS model, (SELECT tlv_category_moments(v) FROM wide) AS moments;
SQL

# ---- cancels and memory ----

my @drivers = (
    [ 'classes'                => q{tlv_lca('SELECT v FROM wide, generate_series(1, 20)', 12)} ],
    [ 'k chosen'               => q{tlv_lca('SELECT v FROM wide')} ],
    [ 'mixed membership'       => q{tlv_gom('SELECT v FROM wide', 8)} ],
    [ 'thousands of variables' => q{tlv_gom('SELECT v FROM many', 8)} ],
    [ 'a partition'            => q{(SELECT tlv_fit_gom(tlv_category_moments(v), 8, method => 'partition-pqp') FROM wide, generate_series(1, 20))} ],
    [ 'long rows'              => q{tlv_gom('SELECT * FROM long', 4)}, 'no cancel' ],
    [ 'crowd'                  => q{tlv_crowd('SELECT item, worker, answer FROM answers')} ],
);
sub interrupted {
    my ($name, $setting, $call, $error) = @_;
    my $result = run_sql($db, "SET $setting;\nSELECT count(m) FROM (SELECT $call AS m) q;\nRESET ALL;\nSELECT 'alive', count(*) FROM tlv_components((SELECT model FROM held));\n", go_on => 1);
    like($result->{errors}, $error, $name);
    is($result->{out}, 'alive|3', "$name: the session goes on");
    return $result->{seconds};
}
for my $case (@drivers) {
    my ($name, $call, $not) = (@$case, '');
    cmp_ok(interrupted("$name: cancelled", "statement_timeout = '50ms'", $call, qr/ERROR:  57014:/), '<', 2.5, "$name: soon") if $not ne 'no cancel';
    interrupted("$name: over the limit of memory", "tensorlv.work_mem = '64kB'", $call, qr/ERROR:  5[34]\w{3}: .*(?:memory|MB|kB)/);
}

# ---- odd tables: what comes of each, a model of so many components or an error ----

my @tables = (
    [ 'constant variables beside others', q{tlv_lca('SELECT ARRAY[0, 0, v[1], v[2], v[3], v[4]] FROM wide', 2)}, '2' ],
    [ 'nothing but constant variables',   q{tlv_lca('SELECT ARRAY[0, 0, 0, 0] FROM wide', 1)},                   '1' ],
    [ 'all rows alike, k too large',      q{tlv_lca('SELECT ARRAY[1, 1, 1, 1] FROM wide', 3)},                   '3' ],
    [ 'one row',                          q{tlv_gom('SELECT v FROM wide LIMIT 1', 1)},                           '1' ],
    [ 'one row, two components',          q{tlv_gom('SELECT v FROM wide LIMIT 1', 2)},                           '1' ],
    [ 'a category seen once',             q{tlv_lca('SELECT CASE WHEN id = 7 THEN ARRAY[9, 0, 1, 2, 3] ELSE v[1:5] END FROM wide', 2)}, '2' ],
    [ 'a category of every row',          q{tlv_lca('SELECT id, question, answer || id FROM long WHERE id <= 250', 2)}, '2' ],
    [ 'NULLs everywhere',                 q{tlv_lca('SELECT nullif(id, 3), nullif(question, ''q5''), nullif(answer, ''a1'') FROM long', 2)}, '2' ],
    [ 'a variable that is never there',   q{tlv_lca('SELECT array_append(v[1:5], NULL) FROM wide', 2)},          qr/^(2|ERROR \w+: .*)$/ ],
    [ 'rows of nothing beside others',    q{tlv_gom('SELECT CASE WHEN id % 2 = 0 THEN v[1:6] ELSE ARRAY[NULL, NULL, NULL, NULL, NULL, NULL]::int[] END FROM wide', 2)}, '2' ],
    [ 'nothing but NULLs',                q{tlv_gom('SELECT ARRAY[NULL, NULL, NULL]::int[] FROM wide', 2)},      qr/^ERROR \w+: / ],
    [ 'arrays of different lengths',      q{tlv_lca('SELECT v[1:3 + id % 2] FROM wide', 2)},                     qr/^ERROR 22\w+: / ],
    [ 'a value below 0',                  q{tlv_lca('SELECT ARRAY[-1, 0, 1] FROM wide', 2)},                     qr/^ERROR 22\w+: / ],
    [ 'a category twice in a row',        q{tlv_lca('SELECT id, question, answer FROM long UNION ALL SELECT 1, ''q1'', ''a0''', 2)}, qr/^ERROR 21000: / ],
    [ 'rows by number, variables by text, answers by number', q{tlv_lca('SELECT id, question, ascii(right(answer, 1)) FROM long', 2)}, '2' ],
    [ 'rows by text',                     q{tlv_lca('SELECT ''p'' || id, question, answer FROM long', 2)},       '2' ],
    [ 'a name of a megabyte',             q{tlv_lca('SELECT id, question, CASE id WHEN 1 THEN repeat(answer, 500000) ELSE answer END FROM long WHERE question < ''q13''', 2)},
        qr/^(2|ERROR \w+: .*)$/ ],
    [ 'moments with rows taken away',     q{(SELECT tlv_fit_lca(moments - (SELECT tlv_category_moments(v) FROM wide), 2) FROM held)}, qr/^ERROR \w+: / ],
    [ 'moments of half the rows away',    q{(SELECT tlv_fit_lca(moments - 0.5 * moments, 2) FROM held)},         qr/^(2|ERROR \w+: .*)$/ ],
    [ 'one variable',                     q{tlv_lca('SELECT v[1:1] FROM wide', 2)},                              '2' ],
    [ 'one variable, in partitions',      q{(SELECT tlv_fit_gom(tlv_category_moments(v[1:1]), 2, method => 'partition') FROM wide)}, qr/^ERROR 22\w+: 1 variable: components show in three at least/ ],
    [ 'more than the rank shows',         q{tlv_gom('SELECT v[1:3] FROM wide', 11)},                             '10' ],
    [ 'constant variables in partitions', q{(SELECT tlv_fit_gom(tlv_category_moments(ARRAY[0, 0, v[1], v[2], v[3], v[4]]), 2, method => 'partition') FROM wide)}, '2' ],
    [ 'nothing but constants in partitions', q{(SELECT tlv_fit_gom(tlv_category_moments(ARRAY[0, 0, 0, 0]), 1, method => 'partition') FROM wide)}, qr/^(1|ERROR 22\w+: .*)$/ ],
    [ 'workers of one answer each',       q{tlv_crowd('SELECT i % 10, i, i % 10 % 2 FROM generate_series(1, 50) i')}, '2' ],
    [ 'items of one answer each',         q{tlv_crowd('SELECT i, i % 5, i % 3 FROM generate_series(1, 60) i')},  '3' ],
    [ 'known answers that contradict each other', q{tlv_crowd('SELECT i / 4, i % 4, i / 4 % 2 FROM generate_series(0, 79) i', gold => 'VALUES (1, 0), (1, 1)')}, '2' ],
    [ 'a known answer that nobody gave',  q{tlv_crowd('SELECT i / 4, i % 4, i / 4 % 2 FROM generate_series(0, 79) i', gold => 'VALUES (1, 7)')}, '3' ],
);
query($db, <<'SQL');
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
  EXECUTE format('SELECT count(*) FROM tlv_components((SELECT %s))', call) INTO n;
  RETURN n;
EXCEPTION WHEN OTHERS THEN RETURN format('ERROR %s: %s', SQLSTATE, left(SQLERRM, 200));
END $$;
SQL
for my $case (@tables) {
    my ($name, $call, $expected) = @$case;
    my $got = query($db, "SET client_min_messages = error; SELECT outcome(\$c\$$call\$c\$)");
    ref $expected ? like($got, $expected, $name) : is($got, $expected, $name);
}
is(query($db, q{SELECT string_agg(code, ' ') FROM tlv_warnings(tlv_lca('SELECT ARRAY[id % 2, (id * 7919) % 3, (id * 104729) % 5, (id / 7) % 2] FROM wide', 4)) WHERE code = 'no_structure'}),
    'no_structure', 'worse than the marginal frequencies is said');

my $said = server_log_since($log);
SKIP: {
    skip 'the log of the server cannot be seen', 1 unless defined $said;
    unlike($said, qr/terminated by signal|TRAP:|PANIC/, 'the server has not gone down');
}
drop_database($db);
done_testing();
