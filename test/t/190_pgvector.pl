# Columns of pgvector's types are taken as they are: the real package, where it is installed.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_pgvector');
my $version = query($db, q{SELECT max(version) FROM pg_available_extension_versions WHERE name = 'vector'});
if ($version eq '') {
    drop_database($db);
    plan skip_all => 'pgvector is not installed';
}
query($db, 'CREATE EXTENSION vector');
my @types = ('vector', query($db, q{SELECT to_regtype('halfvec') IS NOT NULL}) eq 't' ? 'halfvec' : ());
diag('this pgvector has no halfvec') if @types < 2;

# Numbers that half a precision holds, so that the models must be the same.
query($db, <<'SQL');
CREATE TABLE arrays AS
SELECT i AS id, i % 30 AS seq, i / 30 AS t, array(SELECT round(64 * (4 * cos(i % 3 * j) + sin(i * i * j) + cos(i * sqrt(j))))::float8 / 64
    FROM generate_series(1, 6) j ORDER BY j) AS x FROM generate_series(1, 900) i;
INSERT INTO arrays VALUES (901, NULL, NULL, NULL);
SQL

# the driver, its query of one column x, what follows
my @drivers = (
    [ 'gmm',       'tlv_gmm',       'SELECT x FROM %s', '3' ],
    [ 'direction', 'tlv_gmm',       'SELECT x FROM %s', q{3, covariance => 'direction'} ],
    [ 'ica',       'tlv_ica',       'SELECT x FROM %s', '2, keep_gaussian => true' ],
    [ 'multiview', 'tlv_multiview', 'SELECT x, x, x FROM %s WHERE x IS NOT NULL', '3' ],
    [ 'hmm',       'tlv_hmm',       'SELECT seq, t, x FROM %s', '3' ],
);
sub driver_call {
    my ($driver, $table) = @_;
    my ($name, $function, $rows, $options) = @$driver;
    return sprintf "%s('$rows', %s)", $function, $table, $options;
}

for my $type (@types) {
    query($db, <<"SQL");
CREATE TABLE ${type}s AS SELECT id, seq, t, x::real[]::$type(6) AS x FROM arrays;
CREATE VIEW shown_${type}s AS SELECT * FROM ${type}s;
SQL
    for my $driver (@drivers) {
        my ($of_arrays, $of_type) = map { driver_call($driver, $_) } 'arrays', "${type}s";
        my $distance = query($db, "SELECT max(distance) FROM tlv_match($of_arrays, $of_type)");
        cmp_ok($distance, '<', 1e-9, "$driver->[0] of $type: the model of the arrays");
    }
    my $shown = query($db, 'SELECT max(distance) FROM tlv_match(' . driver_call($drivers[0], 'arrays') . ', ' .
        driver_call($drivers[0], "shown_${type}s") . ')');
    cmp_ok($shown, '<', 1e-9, "$type: of a view");
    is(query($db, "SELECT tlv_dense_moments(x::real[]::float8[], 3) = (SELECT tlv_dense_moments(x, 3) FROM arrays) FROM ${type}s"), 't',
        "$type: aggregates, by its cast");
    for my $order (2, 3) {
        is(query($db, "SELECT tlv_dense_moments(x, $order) = (SELECT tlv_dense_moments(x, $order) FROM arrays) FROM ${type}s"), 't', "$type: moments of order $order, as it is");
    }
    is(query($db, "SELECT tlv_view_moments(x, x, x) = (SELECT tlv_view_moments(x, x, x) FROM arrays) FROM ${type}s"), 't', "$type: views, as they are");
    is(query($db, "SELECT tlv_statistics(x, m) = (SELECT tlv_statistics(x, m) FROM arrays) FROM ${type}s, " . driver_call($drivers[0], 'arrays') . ' m GROUP BY m'), 't',
        "$type: statistics, as it is");
}

# Whoever may read the table may fit it: the cast is the superuser's who installed pgvector.
query($db, <<"SQL");
DO \$\$BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tlv_vector_reader') THEN CREATE ROLE tlv_vector_reader; END IF; END\$\$;
GRANT SELECT ON vectors TO tlv_vector_reader;
SQL
is(query($db, q{SET ROLE tlv_vector_reader; SELECT tlv_info(tlv_gmm('SELECT x FROM vectors', 3)) ->> 'kind'}), 'gaussian_mixture', 'of a reader');
query($db, q{CREATE TABLE mixed (x vector); INSERT INTO mixed VALUES ('[1,2]'), ('[1,2,3]'), ('[3,1]')});
like(run_sql($db, q{SELECT tlv_gmm('SELECT x FROM mixed', 2)})->{errors}, qr/a vector has length 3, the first one 2/, 'lengths that differ');
like(run_sql($db, q{SELECT tlv_gmm('SELECT id, x FROM vectors', 2)})->{errors}, qr/column "x" is of type vector, not a number/,
    'a column beside it');

query($db, 'DROP OWNED BY tlv_vector_reader');
query($db, 'DROP ROLE tlv_vector_reader');
drop_database($db);
done_testing();
