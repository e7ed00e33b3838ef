# Drivers over foreign tables: the model is that of the local rows, and what travels are states, or
# groups that another server has made; rows that must come do so once.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_foreign');
plan skip_all => 'postgres_fdw is missing'
    if query($db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
plan skip_all => 'auto_explain is missing' if run_sql($db, "LOAD 'auto_explain'")->{status} != 0;

query($db, <<'SQL');
CREATE EXTENSION postgres_fdw;
CREATE SCHEMA far;
CREATE SCHEMA near;
CREATE TABLE far.documents AS SELECT row_number() OVER () AS id, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, 1, 0.1, 5), 800, 40, 5);
CREATE TABLE far.words AS SELECT d.id, i.item, i.weight FROM far.documents d, tlv_bag_items(d.bag) i;
CREATE TABLE far.signals AS SELECT row_number() OVER () AS id, x FROM tlv_simulate_ica(tlv_simulate_ica_model(5, seed => 1), 5000, seed => 1);
CREATE TABLE far.measures AS SELECT id, x[1] AS a, x[2] AS b, x[3] AS c FROM far.signals;
CREATE TABLE far.clouds AS SELECT * FROM tlv_simulate_gmm(tlv_simulate_gmm_model(4, 3, seed => 2), 3000, 3);
CREATE TABLE far.edges AS SELECT * FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, seed => 1), 2);
CREATE TABLE far.adjacency AS SELECT node, tlv_bag_agg(other) AS neighbours FROM (SELECT src AS node, dst AS other FROM far.edges UNION ALL SELECT dst, src FROM far.edges) AS e GROUP BY node;
CREATE TABLE far.mixed AS SELECT node, tlv_bag_agg(other) AS neighbours FROM (SELECT src AS node, dst AS other FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, 0.2, seed => 1), 2) UNION ALL
  SELECT dst, src FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(300, 3, 0.2, seed => 1), 2)) AS e GROUP BY node;
CREATE TABLE far.known AS SELECT node, community FROM tlv_memberships(tlv_simulate_mmsb_model(300, 3, seed => 1), 0.5) WHERE node % 20 = 0;
CREATE TABLE far.activity AS SELECT id, active FROM tlv_simulate_network(tlv_simulate_network_model(60, ARRAY[12], 5, negative => 0, seed => 1), 3000, seed => 2);
CREATE TABLE far.purchases AS SELECT id, unnest(active) AS item FROM far.activity;
CREATE TABLE far.codes AS SELECT id, x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(10, 16, 2, seed => 1), 3000, seed => 2);
CREATE TABLE far.readings AS SELECT series, t, reading FROM tlv_simulate_convolution(tlv_simulate_convolution_model(1, 8, seed => 1), 4, 2000, seed => 2);
CREATE TABLE far.points AS SELECT i AS id, (i * 7919 % 1000) / 1000.0::float8 AS x, (i * 104729 % 1000) / 1000.0::float8 AS y, (i % 5)::bigint AS mark FROM generate_series(1, 800) i;
CREATE TABLE far.steps AS SELECT * FROM tlv_simulate_hmm(tlv_simulate_hmm_model(8, 3, seed => 1), 200, 30, 2);
CREATE TABLE far.sequences AS SELECT array_agg(symbol ORDER BY t) AS s FROM far.steps GROUP BY seq;
CREATE TABLE far.survey AS SELECT v[1] AS a, v[2] AS b, v[3] AS c, v[4] AS d, v[5] AS e, v[6] AS f FROM tlv_simulate_gom(tlv_simulate_gom_model(6, 3, seed => 1), 1000, 2);
CREATE TABLE far.views AS SELECT x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[4, 4, 4], 3, seed => 1), 3000, 2);
CREATE TABLE far.answers AS SELECT * FROM tlv_simulate_crowd(200, 30, 3);
ANALYZE;
DO $$ BEGIN
  EXECUTE format('CREATE SERVER knows FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions ''tensorlv'')',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
  EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER knows OPTIONS (user %L)', current_user);
END $$;
CREATE VIEW far.documents1 AS SELECT * FROM far.documents WHERE id % 2 = 0;
CREATE VIEW far.documents2 AS SELECT * FROM far.documents WHERE id % 2 = 1;
CREATE VIEW far.signals1 AS SELECT * FROM far.signals WHERE id % 3 = 0;
CREATE VIEW far.signals2 AS SELECT * FROM far.signals WHERE id % 3 = 1;
CREATE VIEW far.signals3 AS SELECT * FROM far.signals WHERE id % 3 = 2;
CREATE VIEW far.edges1 AS SELECT * FROM far.edges WHERE src % 2 = 0;
CREATE VIEW far.edges2 AS SELECT * FROM far.edges WHERE src % 2 = 1;
CREATE SEQUENCE far.passes;
CREATE VIEW far.changing AS WITH p AS MATERIALIZED (SELECT nextval('far.passes') AS number)
  SELECT x FROM (SELECT row_number() OVER () AS i, x FROM far.clouds) c, p WHERE i > 10 * number;
CREATE TABLE far.large AS SELECT tlv_simulate_lda_model(140000, 30, seed => 4) AS model;
IMPORT FOREIGN SCHEMA far FROM SERVER knows INTO near;
CREATE TABLE models (number int, place text, model tlv_model);
SQL

# a model of more than 10 MB comes and goes whole
is(query($db, 'SELECT length(tlv_model_send(n.model)) > 10 * 2 ^ 20, n.model = f.model FROM near.large n, far.large f'), 't|t', 'a large model is read whole');
query($db, 'INSERT INTO near.large SELECT tlv_label(model, 1, $$sent$$) FROM far.large');
is(query($db, "SELECT count(*) FROM far.large a, far.large b WHERE tlv_label(a.model, 1, 'sent') = b.model"), '2', 'and written whole');

# The rows that foreign scans have fetched in a statement.
sub fetched {
    my ($sql) = @_;
    my $result = run_sql($db, "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
        SET auto_explain.log_analyze = on; SET auto_explain.log_level = notice; SET auto_explain.log_format = json; $sql");
    my $rows = 0;
    is($result->{status}, 0, "runs: $sql") or diag($result->{errors});
    for my $node (split /"Node Type": /, $result->{errors}) {
        $rows += $1 * $2 if $node =~ /\A"Foreign Scan".*?"Actual Rows": ([\d.]+),\s*"Actual Loops": (\d+)/s;
    }
    return $rows;
}

# A driver, the query with the schema as %s, and the most rows that may come. Before version 15 postgres_fdw
# leaves CASE to us: queries whose rows the driver rearranges by one fetch every row, once.
my $has_case = query($db, 'SHOW server_version_num') >= 150000;
my @fits = (
    [ "tlv_lda('%s', 3)", 'SELECT bag FROM %s.documents', 40 ],
    [ "tlv_lda('%s', 3, method => 'anchors', refine => 'none')", 'SELECT bag FROM %s.documents', 40 ],
    [ "tlv_lda('%s', 3, refine => 'gibbs', iterations => 5)", 'SELECT bag FROM %s.documents', 40 ],
    [ "tlv_lda('%s', 3, refine => 'none')", 'SELECT id, item, weight FROM %s.words', $has_case ? 800 : query($db, 'SELECT count(*) FROM far.words') ],
    [ "tlv_ica('%s')", 'SELECT x FROM %s.signals', 40 ],
    [ "tlv_ica('%s')", 'SELECT a, b, c FROM %s.measures', $has_case ? 40 : 5000 ],
    [ "tlv_gmm('%s', 3)", 'SELECT x FROM %s.clouds', 40 ],
    [ "tlv_gmm('%s', 3, covariance => 'direction')", 'SELECT x FROM %s.clouds', 40 ],
    [ "tlv_mmsb('%s', 3)", 'SELECT src, dst, weight FROM %s.edges', 2 ], # their number, of which no estimate of a foreign table tells, and the graph
    [ "tlv_mmsb('%s', 3)", 'SELECT node, neighbours FROM %s.adjacency', 2 ],
    [ "tlv_mmsb('%s', 3, alpha0 => 0.2)", 'SELECT node, neighbours FROM %s.mixed', 2 ],
    [ "tlv_mmsb('%s', 3, labels => 'SELECT node, community FROM near.known')", 'SELECT node, neighbours FROM %s.adjacency', 3 ],
    [ "tlv_mmsb('%s')", 'SELECT node, neighbours FROM %s.adjacency', 2 ],
    [ "tlv_network('%s')", 'SELECT active FROM %s.activity', $has_case ? 60 : 3000 ],
    [ "tlv_network('%s')", 'SELECT id, item FROM %s.purchases', 3000 ],
    [ "tlv_dictionary('%s', 16, 2)", 'SELECT x FROM %s.codes', 3000 ],
    [ "tlv_convolution('%s', k => 1, length => 8)", 'SELECT series, t, reading FROM %s.readings', 8000 ],
    [ "tlv_hmm('%s', 3)", 'SELECT s FROM %s.sequences', 200 ],
    [ "tlv_hmm('%s', 3)", 'SELECT seq, t, symbol FROM %s.steps', 6000 ],
    # Integers are looked at, categories collected, rows read.
    [ "tlv_gom('%s', 3, layout => 'wide')", 'SELECT a, b, c, d, e, f FROM %s.survey', 3000 ],
    [ "tlv_lca('%s', 3, layout => 'wide')", 'SELECT a, b, c, d, e, f FROM %s.survey', 3000 ],
    [ "tlv_multiview('%s', 3)", 'SELECT x1, x2, x3 FROM %s.views', 40 ],
    [ "tlv_tree('%s')", 'SELECT x FROM %s.signals', 5000 ],
    [ "tlv_crowd('%s')", 'SELECT item, worker, answer FROM %s.answers', 40 ],
);
for my $i (0 .. $#fits) {
    my ($fit, $query, $most) = @{ $fits[$i] };
    my $call = sub { sprintf $fit, sprintf($query, $_[0]) };
    my $rows = fetched("INSERT INTO models VALUES ($i, 'near', " . $call->('near') . ')');
    cmp_ok($rows, '<=', $most, "$rows rows travel");
    query($db, "INSERT INTO models VALUES ($i, 'far', " . $call->('far') . ')');
    my $both = "FROM models a JOIN models b USING (number) WHERE number = $i AND a.place = 'near' AND b.place = 'far'";
    my $difference = query($db, 'SELECT ' . (
        $fit =~ /ica/ ? 'tlv_amari(a.model, b.model)'
        : $fit =~ /tree/ ? 'abs((SELECT sum(length) FROM tlv_tree_edges(a.model)) - (SELECT sum(length) FROM tlv_tree_edges(b.model)))'
        : $fit =~ /network/ ? 'CASE WHEN (SELECT array_agg(e ORDER BY e) FROM tlv_edges(a.model) e) = (SELECT array_agg(e ORDER BY e) FROM tlv_edges(b.model) e) THEN 0 ELSE 1 END'
        : $fit =~ /dictionary/ ? '(SELECT max(abs(v.weight - w.weight)) FROM tlv_atoms(a.model) v JOIN tlv_atoms(b.model) w USING (atom, dimension))'
        : $fit =~ /convolution/ ? '(SELECT max(abs(v.weight - w.weight)) FROM tlv_templates(a.model) v JOIN tlv_templates(b.model) w USING (template, lag))'
        : $fit =~ /crowd/ ? '(SELECT max(abs(v.accuracy - w.accuracy)) FROM tlv_workers(a.model) v JOIN tlv_workers(b.model) w USING (worker))'
        : '(SELECT max(distance) FROM tlv_match(a.model, b.model))') . " $both");
    cmp_ok($difference, '<', 1e-10, "the model is the local one: $difference");
}

# Fits of moments: the aggregate runs where the rows are, one row comes, and the model is the local one.
for my $case (
    [ 'tlv_fit_gmm(tlv_dense_moments(x, 3), 3)', 'clouds' ],
    [ 'tlv_fit_ica(tlv_dense_moments(x, 4))', 'signals' ],
    [ 'tlv_fit_multiview(tlv_view_moments(x1, x2, x3), 3)', 'views' ],
    [ 'tlv_fit_hmm(tlv_sequence_moments(s), 3)', 'sequences' ],
    [ 'tlv_fit_gom(tlv_category_moments(ARRAY[a, b, c, d, e, f]), 3)', 'survey' ],
    [ 'tlv_fit_lca(tlv_category_moments(ARRAY[a, b, c, d, e, f]), 3)', 'survey' ],
    [ 'tlv_fit_crowd(tlv_crowd_answers(item, worker, answer))', 'answers' ],
    [ 'tlv_fit_mmsb(tlv_graph_agg(src, dst), 3)', 'edges' ],
    [ 'tlv_fit_network(tlv_cofire(active))', 'activity' ],
) {
    my ($call, $table) = @$case;
    my $rows = fetched("INSERT INTO models SELECT 200, 'near', $call FROM near.$table");
    is($rows, 1, "$call: one row travels");
    my $equal = query($db, "SELECT tlv_info(model)->>'fingerprint' = (SELECT tlv_info($call)->>'fingerprint' FROM far.$table) FROM models WHERE number = 200");
    my $near = query($db, 'SELECT ' . (
        $call =~ /ica/ ? "tlv_amari(model, (SELECT $call FROM far.$table))"
        : $call =~ /crowd/ ? "(SELECT max(abs(v.accuracy - w.accuracy)) FROM tlv_workers(model) v JOIN tlv_workers((SELECT $call FROM far.$table)) w USING (worker))"
        : $call =~ /network/ ? "CASE WHEN (SELECT array_agg(e ORDER BY e) FROM tlv_edges(model) e)
             = (SELECT array_agg(e ORDER BY e) FROM tlv_edges((SELECT $call FROM far.$table)) e) THEN 0 ELSE 1 END"
        : "(SELECT max(distance) FROM tlv_match(model, (SELECT $call FROM far.$table)))") . ' FROM models WHERE number = 200');
    cmp_ok($near, '<', 1e-10, "$call is that of the local rows: $near (equal: $equal)");
    query($db, 'DELETE FROM models WHERE number = 200');
}
# A window function is of the rows themselves, which come once.
my $points = 'SELECT md5(string_agg(f::text, chr(44) ORDER BY id)) FROM (SELECT id, tlv_point_features(x, y, mark, 0.1) OVER () AS f FROM %s.points) q';
is(fetched(sprintf $points, 'near'), 800, 'points come once');
is(query($db, sprintf $points, 'near'), query($db, sprintf $points, 'far'), 'and their features are the local ones');

# Exponential forgetting: a month fades, a day comes, and no row travels but the sums.
is(fetched("SELECT tlv_fit_gmm(0.5 * (SELECT tlv_dense_moments(x, 3) FROM near.clouds) + (SELECT tlv_dense_moments(x, 3) FROM near.clouds), 3)"), 2, 'moments that fade travel as states');

# Several servers, and rows that are here: each part of a UNION ALL is passed over where it is.
for my $case (
    [ "tlv_ica('%s')", 'tlv_amari', 'SELECT x FROM far.signals', map { "SELECT x FROM $_" } 'near.signals1', 'near.signals2', 'far.signals3' ],
    [ "tlv_gmm('%s', 2)", undef, 'SELECT x FROM far.signals', map { "SELECT x FROM $_" } 'near.signals1', 'near.signals2', 'far.signals3' ],
    [ "tlv_mmsb('%s', 3)", undef, 'SELECT src, dst, weight FROM far.edges', map { "SELECT src, dst, weight FROM $_" } 'near.edges1', 'near.edges2' ],
    [ "tlv_lda('%s', 3, refine => 'none')", undef, 'SELECT bag FROM far.documents', map { "SELECT bag FROM $_" } 'near.documents1', 'near.documents2' ],
) {
    my ($fit, $compare, $whole, @parts) = @$case;
    my $sum = sprintf $fit, join ' UNION ALL ', @parts;
    my $rows = fetched("SELECT $sum IS NOT NULL");
    my $one = sprintf $fit, $whole;
    my $difference = query($db, $compare ? "SELECT $compare($sum, $one)" : "SELECT max(distance) FROM tlv_match($sum, $one)");
    cmp_ok($rows, '<=', 80, scalar(@parts) . " parts: $rows rows travel");
    cmp_ok($difference, '<', 1e-10, "and the model is that of all rows: $difference");
}
# A query and more queries are the parts of that sum.
is(query($db, "SELECT max(distance) FROM tlv_match(tlv_lda('SELECT bag FROM near.documents1', 3, refine => 'none', more_queries => ARRAY['SELECT bag FROM near.documents2']),
    tlv_lda('SELECT bag FROM near.documents1 UNION ALL SELECT bag FROM near.documents2', 3, refine => 'none'))"), '0', 'several queries are their sum');
# What is remote may give other rows in every pass, whatever our snapshot: the model says so. A fit
# may take two passes, of which chance makes as many rows now and then: here each has fewer.
is(query($db, "SELECT string_agg(code, ',') FROM tlv_warnings(tlv_gmm('SELECT x FROM near.changing', 3)) WHERE code = 'rows_changed' AND score > 0 AND hint <> ''"),
    'rows_changed', 'passes that see different rows are told of');
is(query($db, "SELECT count(*) FROM tlv_warnings(tlv_gmm('SELECT x FROM near.clouds', 3)) WHERE code = 'rows_changed'"), '0', 'those that see the same are not');

# Documents of a fold have words that a model of the others does not know: the other server, which counts rows of a model, logs none of them.
query($db, <<'SQL');
CREATE TABLE far.rare AS SELECT id, tlv_to_bag(array_agg(item) || (100000 + id)) AS bag FROM far.words GROUP BY id;
IMPORT FOREIGN SCHEMA far LIMIT TO (rare) FROM SERVER knows INTO near;
SQL
my $log = server_log_size();
query($db, "SELECT tlv_lda('SELECT bag FROM near.rare', 3, refine => 'gibbs', iterations => 2) IS NOT NULL");
unlike(server_log_since($log) // '', qr/rows have items that the model does not know/, 'passes of a driver are no statements that count such rows');

# Few documents of many words take less than the models that would travel to them: they come, once.
query($db, <<'SQL');
CREATE TABLE far.wide AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(30000, 3, seed => 1), 200, 100, seed => 2);
IMPORT FOREIGN SCHEMA far LIMIT TO (wide) FROM SERVER knows INTO near;
SQL
my $wide = fetched("INSERT INTO models SELECT 100, 'near', tlv_lda('SELECT bag FROM near.wide', 3)");
cmp_ok($wide, '>=', 200, 'rows that are lighter than a model come');
cmp_ok($wide, '<', 240, "once: $wide rows travel");
is(query($db, "SELECT max(distance) FROM models, tlv_match(model, tlv_lda('SELECT bag FROM far.wide', 3)) WHERE number = 100"), '0', 'and the model is the local one');
my $halves = "SELECT bag FROM near.wide WHERE tlv_bag_size(bag) % 2 = 0 UNION ALL SELECT bag FROM near.wide WHERE tlv_bag_size(bag) % 2 = 1";
query($db, "INSERT INTO models SELECT 101, 'near', tlv_lda('$halves', 3)");
is(query($db, 'SELECT max(distance) FROM models a, models b, tlv_match(a.model, b.model) WHERE a.number = 100 AND b.number = 101'), '0', 'of two servers, too');
is(query($db, "SELECT sum(score) FROM models, tlv_diagnostics(model) WHERE number = 101 AND measure IN ('documents', 'tokens')"), 200 * 101, 'and every document counts once');
# Parts that are no tables as they are, and parts of other types, are stored as before.
is(query($db, "SELECT count(*) FROM tlv_components(tlv_ica('SELECT x FROM near.signals1 UNION SELECT x FROM near.signals2'))"), '5', 'UNION');
is(query($db, "SELECT count(*) FROM tlv_components(tlv_ica('(SELECT x FROM near.signals1 LIMIT 1000) UNION ALL SELECT x FROM near.signals2'))"), '5', 'LIMIT in a part');
is(query($db, "SELECT count(*) FROM tlv_components(tlv_ica('SELECT a::numeric, b, c FROM near.measures UNION ALL SELECT a, b, c FROM far.measures'))"), '3', 'other types');

# Numbers that are cut into ranges, of a table that has other values the second time.
query($db, <<'SQL');
CREATE SEQUENCE far.cuts;
CREATE VIEW far.moving AS WITH p AS MATERIALIZED (SELECT nextval('far.cuts') AS number)
  SELECT 'k' || mark % 2 AS kind, 'l' || mark % 3 AS other, mark > 1 AS large, CASE WHEN number = 1 THEN x ELSE 0 END AS x FROM far.points, p;
IMPORT FOREIGN SCHEMA far LIMIT TO (moving) FROM SERVER knows INTO near;
SQL
like(run_sql($db, "\\set VERBOSITY verbose\nSELECT tlv_tree('SELECT kind, other, large, x FROM near.moving')")->{errors},
    qr/ERROR:  40001: column "x" had other values when the query was run again\n.*A foreign table has changed/, 'ranges of values that have changed are refused');

drop_database($db);
done_testing();
