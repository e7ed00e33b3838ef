# pg_dump and restore, in every format: values equal, indexes and generated columns valid.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $bin = bindir();
plan skip_all => 'pg_dump is missing' unless -x "$bin/pg_dump" && -x "$bin/pg_restore";
my $db = new_database('tlv_dump');
my $dir = tempdir(CLEANUP => 1);
query($db, <<'SQL');
CREATE TABLE docs (doc bigint PRIMARY KEY, bag tlv_bag NOT NULL, size int GENERATED ALWAYS AS (tlv_bag_size(bag)) STORED);
INSERT INTO docs SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, alpha0 => 0.3), 500, 40);
INSERT INTO docs VALUES (1001, '{}'), (1002, '{-9223372036854775808:0.1,9223372036854775807:1e-300}'),
    (1003, (SELECT tlv_to_bag(array_agg(i * 7), array_agg(sqrt(i))) FROM generate_series(1::bigint, 20000) i));
CREATE INDEX by_bag ON docs USING hash (bag);
CREATE INDEX by_order ON docs (bag) WHERE doc < 1000;
CREATE TABLE held AS
  SELECT tlv_count_summary(bag) AS summary, tlv_count_moments(bag) AS pairs, NULL::tlv_moments AS products, NULL::tlv_moments AS triples, NULL::tlv_moments AS statistics,
         NULL::tlv_moments AS coherence, tlv_find_subspace(tlv_count_moments(bag), 3) AS s, NULL::tlv_model AS m, NULL::tlv_model AS of_terms FROM docs WHERE doc < 1000;
UPDATE held SET products = (SELECT tlv_count_products(bag, s) FROM docs WHERE doc < 1000), triples = (SELECT tlv_count_moments(bag, s) FROM docs WHERE doc < 1000),
  of_terms = tlv_lda('SELECT doc, ''word '' || item, weight FROM docs, tlv_bag_items(bag) WHERE doc < 1000', 3);
UPDATE held SET m = tlv_fit_lda(triples);
UPDATE held SET statistics = (SELECT tlv_statistics(bag, m) FROM docs WHERE doc < 1000), coherence = (SELECT tlv_coherence(bag, m) FROM docs WHERE doc < 1000);
CREATE TABLE arrays AS SELECT array_agg(bag ORDER BY doc) AS bags FROM docs;
CREATE VIEW topics AS SELECT i.* FROM held, tlv_topic_items(of_terms, 5) i;
CREATE TABLE parted (bag tlv_bag) PARTITION BY HASH (bag);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT bag FROM docs;
CREATE TABLE points AS SELECT 10 * (g % 2) + sin(g) AS x FROM generate_series(1, 200) g;
CREATE MATERIALIZED VIEW groups AS SELECT tlv_gmm('SELECT x FROM public.points', k => 2) AS model;
CREATE TABLE large AS SELECT tlv_simulate_lda_model(140000, 30, seed => 4) AS model; -- 10 MB and more
CREATE TABLE defaults (bag tlv_bag DEFAULT '{1:2}' CHECK (tlv_bag_total(bag) > 0));
SQL
# what pins every value down: the text form is exact
my $everything = <<'SQL';
SELECT md5(string_agg(d::text, ',' ORDER BY doc)), count(*) FROM docs d;
SELECT md5(h::text) FROM held h;
SELECT md5(a::text) FROM arrays a;
SELECT md5(string_agg(t::text, ',' ORDER BY topic, rank)), count(*) FROM topics t;
SELECT tableoid::regclass, count(*), md5(string_agg(bag::text, ',' ORDER BY bag)) FROM parted GROUP BY 1 ORDER BY 1;
SELECT md5(model::text) FROM groups;
SELECT md5(model::text), length(tlv_model_send(model)) > 10 * 2 ^ 20 FROM large;
SELECT tlv_rollup(summary) = summary, tlv_info(m)->>'kind' FROM held GROUP BY summary, m;
SET enable_seqscan = off;
SELECT count(*) FROM docs WHERE bag = '{}';
SELECT count(*) FROM docs WHERE bag = (SELECT bag FROM parted LIMIT 1);
SQL
my $before = query($db, $everything);
like($before, qr/^[0-9a-f]{32}\|503$/m, 'the values are there');
like($before, qr/^[0-9a-f]{32}\|t$/m, 'a model of more than 10 MB among them');

for my $format (qw(custom plain directory)) {
    my $path = "$dir/$format";
    is(system("$bin/pg_dump", '-d', $db, '-F', $format, '-f', $path), 0, "$format: dumped");
    query('postgres', "DROP DATABASE IF EXISTS tlv_restored;\nCREATE DATABASE tlv_restored;");
    my $status = $format eq 'plain'
        ? system("$bin/psql", '-X', '-q', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', 'tlv_restored', '-f', $path)
        : system("$bin/pg_restore", '--exit-on-error', '-d', 'tlv_restored', $path);
    is($status, 0, "$format: restored");
    is(query('tlv_restored', $everything), $before, "$format: equal");
}
# data alone, as INSERTs, with digits cut as a careless client would
is(system("PGOPTIONS='-c extra_float_digits=-10' $bin/pg_dump -d $db --data-only --column-inserts -t docs -t held -f $dir/inserts"), 0, 'inserts: dumped');
query('tlv_restored', 'TRUNCATE docs, held;');
is(system("$bin/psql", '-X', '-q', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', 'tlv_restored', '-f', "$dir/inserts"), 0, 'inserts: restored');
is(query('tlv_restored', $everything), $before, 'inserts: equal');
# COPY in both forms, of the large model
for my $form (qw(text binary)) {
    is(system("$bin/psql", '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $db, '-c', "\\copy large TO '$dir/large' (FORMAT $form)"), 0, "copy as $form");
    query('tlv_restored', 'TRUNCATE large;');
    is(system("$bin/psql", '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'tlv_restored', '-c', "\\copy large FROM '$dir/large' (FORMAT $form)"), 0, "and back");
    is(query('tlv_restored', $everything), $before, "$form: equal");
}
# the extension itself, not its members, is in the dump
my $plain = read_file("$dir/plain");
like($plain, qr/^CREATE EXTENSION IF NOT EXISTS tensorlv/m, 'the dump creates the extension');
unlike($plain, qr/^CREATE (FUNCTION|TYPE|AGGREGATE|OPERATOR)/m, 'and nothing that belongs to it');

drop_database('tlv_restored');
drop_database($db);
done_testing();
