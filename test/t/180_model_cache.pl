# Models that a session keeps open: what is answered is always of the value that is there now, and the limit holds.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_model_cache');
query($db, <<'SQL');
CREATE TABLE models (id int PRIMARY KEY, model tlv_model);
INSERT INTO models SELECT i, tlv_simulate_lda_model(5000, 10, seed => i) FROM generate_series(1, 4) i;
CREATE TABLE compressed (id int PRIMARY KEY, model tlv_model);
ALTER TABLE compressed ALTER model SET STORAGE EXTENDED;
INSERT INTO compressed SELECT * FROM models;
CREATE TABLE docs AS SELECT doc, bag FROM tlv_simulate_lda((SELECT model FROM models WHERE id = 1), 40, 50);
CREATE TABLE small AS SELECT tlv_simulate_gmm_model(2, 3, seed => 1) AS model;
CREATE TABLE points AS SELECT x FROM tlv_simulate_gmm((SELECT model FROM small), 50);
SQL

# The same call twice in one session, with something between that changes what the model is.
my $call = 'SELECT sum((tlv_infer((SELECT model FROM models WHERE id = 1), bag))[1]) FROM docs';
sub answers { return split /\n/, run_sql($db, shift)->{out}; }
my %alone = map { $_ => query($db, $call =~ s/id = 1/id = $_/r) } 1 .. 4;
isnt($alone{1}, $alone{2}, 'the models answer differently');
is(query($db, $call =~ s/FROM models/FROM compressed/r), $alone{1}, 'a compressed model');

my $swap = 'UPDATE models SET model = (SELECT c.model FROM compressed c WHERE c.id = 2) WHERE id = 1';
my $back = 'UPDATE models SET model = (SELECT c.model FROM compressed c WHERE c.id = 1) WHERE id = 1';
is_deeply([answers("$call;$swap;$call;$back;$call;")], [@alone{1, 2, 1}], 'UPDATE');
is_deeply([answers("$call;BEGIN;$swap;$call;ROLLBACK;$call;")], [@alone{1, 2, 1}], 'ROLLBACK');
is_deeply([answers("BEGIN;$call;SAVEPOINT s;$swap;$call;ROLLBACK TO s;$call;COMMIT;$call;")], [@alone{1, 2, 1, 1}], 'a subtransaction');
is_deeply([answers("$call;VACUUM FULL models;$call;$swap;VACUUM FULL models;$call;$back;")], [@alone{1, 1, 2}], 'VACUUM FULL');
my $refill = 'TRUNCATE models;INSERT INTO models SELECT';
is_deeply([answers("$call;$refill 5 - id, model FROM compressed;$call;$refill * FROM compressed;$call;")],
    [@alone{1, 4, 1}], 'TRUNCATE');
is_deeply([answers("PREPARE p AS $call;EXECUTE p;EXECUTE p;$swap;EXECUTE p;$back;EXECUTE p;")], [@alone{1, 1, 2, 1}], 'a prepared statement');
is_deeply([answers(<<"SQL")], [@alone{1, 2, 1, 3}], 'a function in PL/pgSQL, whose expressions outlive the statement');
CREATE FUNCTION apply(model tlv_model) RETURNS float8 LANGUAGE plpgsql AS \$\$
DECLARE total float8 := 0; b tlv_bag; BEGIN FOR b IN SELECT bag FROM docs ORDER BY doc LOOP total := total + (tlv_infer(model, b))[1]; END LOOP; RETURN total; END\$\$;
BEGIN; SELECT apply(model) FROM models WHERE id = 1; SELECT apply(model) FROM compressed WHERE id = 2;
SELECT apply(model) FROM models WHERE id = 1; SELECT apply(model) FROM models WHERE id = 3; COMMIT;
SQL
# many models in one statement, more than there is room for
my @each = (<<'SQL', @alone{1 .. 4});
SELECT (SELECT sum((tlv_infer(m.model, bag))[1]) FROM docs) FROM models m ORDER BY id;
SQL
for my $limit ('0', '100kB', '1MB', '64MB') {
    is_deeply([answers("SET tensorlv.model_cache = '$limit'; $each[0] $each[0]")], [@each[1 .. 4, 1 .. 4]], "each of four models, twice, with $limit");
}
is(query($db, "SET tensorlv.model_cache = 0; SELECT count(DISTINCT (a, b)) = 40 FROM (SELECT (tlv_infer((SELECT model FROM models WHERE id = 1), bag))[1] a,
    (tlv_infer((SELECT model FROM models WHERE id = 2), bag))[1] b FROM docs) s"), 't', 'two in turn');

# The same header but other bytes is no value: its digest is wrong.
my $text = query($db, 'SELECT model FROM small');
(my $forged = $text) =~ s/(.)(.{12})$/($1 eq 'A' ? 'B' : 'A') . $2/e;
my $result = run_sql($db, "SELECT tlv_infer(model, ARRAY[0, 0]::float8[]) IS NOT NULL FROM small;\nSELECT tlv_infer('$forged'::tlv_model, ARRAY[0, 0]::float8[]);\n", go_on => 1);
is($result->{out}, 't', 'the true value is open');
like($result->{errors}, qr/ERROR:  22P02: invalid tlv_model/, 'a forged value of equal header is refused meanwhile');

# an error in the middle leaves the model usable
is_deeply([answers(<<'SQL')], ['f', 't'], 'an error in use');
CREATE FUNCTION safe(model tlv_model, x float8[]) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN
    RETURN tlv_infer(model, x) IS NOT NULL; EXCEPTION WHEN data_exception OR invalid_parameter_value THEN RETURN false; END$$;
SELECT safe((SELECT model FROM small), ARRAY[0, 'NaN']::float8[]); SELECT safe((SELECT model FROM small), ARRAY[0, 0]::float8[]);
SQL

# what stays is at most the limit, and nothing without one
SKIP: {
    skip 'pg_backend_memory_contexts', 4 if query($db, 'SHOW server_version_num') < 140000;
    my $kept = "SELECT count(*) FILTER (WHERE name = 'tensorlv model'), coalesce(sum(total_bytes) FILTER (WHERE name = 'tensorlv model'), 0) <= 1100 * 1024 FROM pg_backend_memory_contexts;";
    my ($open) = (answers("$each[0] $kept"))[4];
    is($open, '4|f', 'four models stay open');
    ($open) = (answers("SET tensorlv.model_cache = '1MB'; $each[0] $kept"))[4];
    like($open, qr/^[12]\|t$/, 'as many as the limit allows');
    ($open) = (answers("SET tensorlv.model_cache = 0; $each[0] $kept"))[4];
    is($open, '0|t', 'none without room');
    is(query($db, <<'SQL'), 't|t', 'results are kept within the limit with all memory that they take, and the NULL of a NULL is not kept');
SET tensorlv.model_cache = 256;
SELECT count(m) = 2000, bool_and(bytes IS NULL OR bytes <= 256 * 1024) FROM (SELECT g, tlv_label(model, 1, 'label ' || g) AS m, tlv_update(NULL, NULL, g) AS n,
  CASE WHEN g % 500 = 0 THEN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'tensorlv result' AND g > 0) END AS bytes
  FROM small, generate_series(1, 2000) g) q WHERE n IS NULL;
SQL
}

drop_database($db);
done_testing();
