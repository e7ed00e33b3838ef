# Values and arrays that unpack to more than they take on disk, models held by call sites, and states of many groups: memory stays within the settings.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvMeasures;
use TlvTest;

plan skip_all => 'the memory of a process is not known here' unless can_measure();

my $db = new_database('tlv_memory_of_values');
# An identity as mixing and unmixing: megabytes in a few kilobytes.
make_measures($db);
query($db, <<'SQL');
CREATE FUNCTION identity_model(d int, r int) RETURNS tlv_model LANGUAGE sql AS $$
  SELECT tlv_from_json(format('{"kind":"ica","rows":%s,"noise":0,"seed":1,"steps":2,"change":0,"mean":%s,"mixing":%s,"unmixing":%s,"kurtosis":%s}',
    r, m, e, e, k)::json)
  FROM (SELECT array_to_json(array_fill(0, ARRAY[d])) m, array_to_json(array_fill(-1, ARRAY[d])) k,
      '[' || string_agg('[' || repeat('0,', i - 1) || '1' || repeat(',0', d - i) || ']', ',') || ']' e FROM generate_series(1, d) i) s $$;
CREATE TABLE large AS SELECT identity_model(1200, 9) AS m;
CREATE TABLE many AS SELECT r AS id, identity_model(500, r + 10) AS m FROM generate_series(1, 40) r;
CREATE TABLE days AS SELECT tlv_graph_agg(i, i + 1) AS undirected, tlv_digraph_agg(i, i + 1) AS directed FROM generate_series(1, 20000) i;
CREATE TABLE communities AS SELECT tlv_simulate_mmsb_model(50, 2) AS m;
CREATE TABLE small AS SELECT tlv_simulate_gmm_model(2, 2) AS m;
SQL
cmp_ok(query($db, 'SELECT max(pg_column_size(m)) FROM large'), '<', 20_000, 'a model of 23 MB is stored in less than 20 kB');

# What the statement says, and by how many MB the process grew.
sub growth {
    my ($statement, $settings) = @_;
    my $result = run_sql($db, "SET jit = off; SET max_parallel_workers_per_gather = 0; $settings;\nSELECT kilobytes('VmRSS') AS before \\gset\n$statement;\n"
        . "\\echo :SQLSTATE\nSELECT 'grown', (kilobytes('VmHWM') - :before) / 1024;\n", go_on => 1);
    my ($grown) = $result->{out} =~ /^grown\|(-?\d+)$/m;
    return ($result, $grown // 1e9);
}

my $limit = 16 * 1.5 + 32;
my $narrow = "SET tensorlv.work_mem = '16MB'; SET tensorlv.model_cache = '1MB'";

sub stays {
    my ($name, $statement, $outcome, $settings) = @_;
    my ($result, $grown) = growth($statement, $settings // $narrow);
    like("$result->{out}\n$result->{errors}", $outcome, "$name: the outcome");
    cmp_ok($grown, '<', $limit, "$name: the process grows by $grown MB");
}

# ---- values that are unpacked ----
stays('fifty models of 23 MB', 'SELECT tlv_kind(tlv_jackknife(m, array_fill(m, ARRAY[50]))) FROM large', qr/53400/);
stays('one of them', 'SELECT count(*) FROM large, tlv_diagnostics(m)', qr/53400/);
stays('one of them, applied', 'SELECT (tlv_unmix(m, array_fill(0::float8, ARRAY[1200])))[1] FROM large', qr/53400/);
stays('forty of 4 MB, one after the other', 'SELECT tlv_kind(tlv_jackknife((SELECT m FROM many WHERE id = 1), (SELECT array_agg(m) FROM many)))', qr/53400|^ica$/m);
stays('forty of another kind', 'SELECT tlv_jackknife(small.m, (SELECT array_agg(m) FROM many)) FROM small', qr/22023.*model 1 is of kind ica/s);
stays('forty calls in a statement',
    'SELECT ' . join(', ', map { "(SELECT count(*) FROM tlv_diagnostics((SELECT m FROM many WHERE id = $_)))" } 1 .. 40), qr/53400|^\d+\|\d+/m);
stays('graphs of other kinds', 'SELECT count(*) FROM communities, days, tlv_drift(m, undirected, array_fill(directed, ARRAY[40]))', qr/22023/);
stays('graphs that do not fit together', 'SELECT count(*) FROM communities, days, tlv_drift(m, undirected, array_fill(undirected, ARRAY[120]))', qr/53400/);

# an array of a value of its own compresses to kilobytes, and its elements become entries of bags
query($db, 'CREATE TABLE items AS SELECT array_fill(7::bigint, ARRAY[4000000]) AS ids, array_fill(\'a\'::text, ARRAY[4000000]) AS terms');
for my $call ('tlv_bag_keep(tlv_to_bag(ARRAY[7]), ids)', 'tlv_bag_keep(tlv_to_bag(ARRAY[7]), terms)', 'tlv_to_bag(ids)', 'tlv_to_bag(terms)') {
    stays($call, "SELECT $call FROM items", qr/53400/);
}
is(query($db, "SELECT tlv_bag_keep(tlv_to_bag(ARRAY[7]), ids), tlv_to_bag(ids) FROM items"), '{7:1}|{7:4000000}', 'at default settings they are not refused');

# ---- arrays, in every function that takes one: of 64 MB, and of NULLs, of which a megabyte has eight million ----
query($db, <<'SQL');
CREATE TABLE arrays AS SELECT array_fill(0.5::float8, ARRAY[8000000]) AS "double precision[]", array_fill(1, ARRAY[16000000]) AS "integer[]",
  array_fill(1::bigint, ARRAY[8000000]) AS "bigint[]", array_fill('a'::text, ARRAY[8000000]) AS "text[]", array_fill('{1:1}'::tlv_bag, ARRAY[2000000]) AS "tlv_bag[]", false AS nulls;
INSERT INTO arrays SELECT array_fill(NULL::float8, ARRAY[n]), array_fill(NULL::int, ARRAY[n]), array_fill(NULL::bigint, ARRAY[n]), array_fill(NULL::text, ARRAY[n]),
    array_fill(NULL::tlv_bag, ARRAY[n]), true
  FROM (VALUES (100000000)) s (n);
CREATE TABLE models AS SELECT tlv_simulate_lda_model(9, 2) AS lda, tlv_simulate_gmm_model(3, 2) AS mixture, tlv_simulate_hmm_model(3, 2) AS hmm,
  tlv_simulate_lca_model(3, 2, 2) AS classes, tlv_simulate_network_model(9, '{2}', 3) AS network, tlv_simulate_mmsb_model(9, 2) AS communities;
SQL
my @calls;
for (split /\n/, query($db, <<'SQL')) {
SELECT p.proname, p.prokind = 'a', p.proretset OR p.prorettype = 'record'::regtype, array_to_string(p.proargtypes::regtype[], ';')
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'tensorlv'
WHERE array_to_string(p.proargtypes::regtype[], ' ') ~ '\[\]|"any"' AND p.prokind IN ('f', 'a')
  AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn))
ORDER BY p.oid::regprocedure::text
SQL
    my ($name, $aggregate, $rows, $list) = split /\|/;
    my @types = split /;/, $list;
    pop @types while $types[-1] !~ /\[\]|any/;
    my %argument = (text => q{'SELECT 1'}, integer => '2', bigint => '1', 'double precision' => '0.5', boolean => 'true', tlv_moments => 'NULL::tlv_moments', tlv_graph => 'NULL::tlv_graph');
    # The rows of each class of models, and each type of elements with one of them, are every way in which an array is read.
    for my $model (grep { $_ eq 'lda' || $list =~ /tlv_model\b(?!\[)/ } qw(lda mixture hmm classes network communities)) {
        for my $any ($list !~ /any/ ? 'any' : $model eq 'lda' ? ('double precision[]', 'integer[]', 'text[]', 'tlv_bag[]') : $model =~ /mixture|hmm/ ? 'double precision[]' : 'integer[]') {
            for my $nulls ('NOT', '') {
                my $call = "$name(" . join(', ', map { $_ eq 'tlv_model' ? "(SELECT $model FROM models)"
                        : $argument{$_} // (/^(?:tlv_m|tlv_g|tlv_s)/ ? "NULL::$_" : '(SELECT ' . (/any/ ? qq("$any") : qq("$_")) . " FROM arrays WHERE $nulls nulls)") } @types) . ')';
                my $statement = $aggregate eq 't' ? "SELECT $call FROM generate_series(1, 2)" : $rows eq 't' ? "SELECT count(*) FROM $call" : "SELECT pg_column_size($call)";
                push @calls, [ "$name($list) $model $any $nulls", $statement ];
            }
        }
    }
}
my ($measured, $ended) = measure_statements($db, \@calls, { memory => '16MB', milliseconds => 300, cancel => 'timeout' });
is(scalar @$measured, scalar @calls, 'functions of arrays: the session lives') or diag substr $ended->{errors}, -500;
is(join("\n", map { "$_->{call}: $_->{state} $_->{message}" } grep { $_->{state} =~ /^XX/ || $_->{late} >= 0.5 } @$measured), '', 'functions of arrays: no internal error, and none ends late');
my @fat = sort { $b->{grown} <=> $a->{grown} } @$measured;
note sprintf '%s: %s, %.0f MB', $_->{call}, $_->{state}, $_->{grown} for @fat[ 0 .. 9 ];
note scalar(grep { $_->{state} eq '53400' } @fat) . ' of ' . @calls . ' calls with arrays of 64 MB and of NULLs are refused for memory';
is(join("\n", map { sprintf '%s: %s, %.0f MB', $_->{call}, $_->{state}, $_->{grown} } grep { $_->{grown} >= $limit } @fat), '', 'functions of arrays: the process stays within the setting');
# sides that are too large are refused by the header, whatever the setting
query($db, 'CREATE TABLE mixing AS SELECT array_fill(0.5::float8, ARRAY[6000, 6000]) AS m');
stays('mixing matrices of 6,000 x 6,000', 'SELECT tlv_amari(m, m) FROM mixing', qr/54000: a singular value problem of 6000 x 6000 is too large/, "SET tensorlv.work_mem = '2GB'");

# the hint, followed, is enough
my $call = 'SELECT count(*) >= 0 FROM large, tlv_diagnostics(m)';
my $refused = run_sql($db, "$narrow; $call", go_on => 1);
my ($hint) = $refused->{errors} =~ /HINT:\s+(SET tensorlv\.work_mem = '\w+';)/;
is(query($db, "$hint $call"), 't', "the hint is followed: $hint") or diag $refused->{errors};

# ---- models of call sites ----
my $sites = join ', ', map { "sum((tlv_unmix((SELECT m FROM many WHERE id = $_), array_fill(i::float8, ARRAY[500])))[1])" } 1 .. 40;
stays('forty call sites', "SELECT $sites FROM generate_series(1, 2) i", qr/^3(?:\|3){39}$/m);
stays('forty call sites of functions in PL/pgSQL', <<'SQL' . 'SELECT ' . join('+', map { "f$_()" } 1 .. 40), qr/^40$/m);
DO $do$ BEGIN FOR i IN 1 .. 40 LOOP
  EXECUTE format('CREATE OR REPLACE FUNCTION f%s() RETURNS float8 LANGUAGE plpgsql AS $f$ DECLARE model tlv_model := (SELECT m FROM many WHERE id = %s);
    BEGIN RETURN (tlv_unmix(model, array_fill(1::float8, ARRAY[500])))[1]; END $f$', i, i);
END LOOP; END $do$;
SQL

# ---- states of groups ----
for my $aggregate ('tlv_bag_agg(i % 7, 1.5)', 'tlv_dense_moments(ARRAY[i, 1, 2, 3]::float8[], 2)') {
    my $groups = "SELECT count(v) FROM (SELECT $aggregate AS v FROM generate_series(1, 60000) i GROUP BY i) s";
    my ($kilobytes) = query($db, "SET work_mem = '1GB'; SET jit = off; EXPLAIN (ANALYZE, TIMING OFF) $groups") =~ /Batches: 1  Memory Usage: (\d+)kB/;
    cmp_ok(1024 * ($kilobytes // 1e9) / 60000, '<', 1700, sprintf('%s: %.0f bytes for a group', $aggregate, 1024 * ($kilobytes // 1e9) / 60000));
    my ($result, $grown) = growth($groups, "SET work_mem = '1GB'; SET tensorlv.work_mem = '10MB'");
    like($result->{errors}, qr/53400: the states of \d+ groups need more memory than tensorlv.work_mem.*HINT:\s+SET enable_hashagg = off;/s, "$aggregate: hashed groups are refused, with a hint");
    cmp_ok($grown, '<', $limit, "$aggregate: the process grows by $grown MB");
    is(query($db, "SET work_mem = '64MB'; SET tensorlv.work_mem = '10MB'; SET enable_hashagg = off; $groups"), 60000, "$aggregate: the hint is followed");
    is(query($db, $groups =~ s/60000/1000000/r), 1000000, "$aggregate: a million groups at default settings");
}
stays('one state that grows', 'SELECT tlv_graph_agg(i, i + 1) IS NULL FROM generate_series(1, 2000000) i', qr/53400/);
stays('one bag that grows', 'SELECT tlv_bag_agg(i) IS NULL FROM generate_series(1, 2000000) i', qr/53400/);
stays('as many models as groups', 'SELECT count(*) FROM (SELECT tlv_error_statistics(m, array_fill(0::float8, ARRAY[500])) FROM many GROUP BY id) s', qr/53400|\d/);

drop_database($db);
done_testing();
