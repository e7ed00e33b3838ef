# Logical replication: REPLICA IDENTITY FULL with UPDATE and DELETE, in text and in binary form.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

plan skip_all => 'the server does not decode logically' unless query('postgres', 'SHOW wal_level') eq 'logical';
my $db = new_database('tlv_publisher');
my $socket = second_cluster('wal_level = logical', 'max_worker_processes = 8');
if (!defined $socket) {
    drop_database($db);
    plan skip_all => 'a second cluster cannot be started here';
}

# SQL on the subscriber
sub subscriber { my ($sql, @more) = @_; local $ENV{PGHOST} = $socket; local $ENV{PGPORT} = 5432; return query('tlv_subscriber', $sql, @more) }
{ local $ENV{PGHOST} = $socket; local $ENV{PGPORT} = 5432; new_database('tlv_subscriber'); }

my $tables = <<'SQL';
CREATE TABLE docs (doc bigint, bag tlv_bag, note text);
CREATE TABLE held (name text, m tlv_moments, s tlv_subspace, model tlv_model);
ALTER TABLE docs REPLICA IDENTITY FULL;
ALTER TABLE held REPLICA IDENTITY FULL;
SQL
query($db, $tables . <<'SQL');
INSERT INTO docs SELECT doc, bag, 'first' FROM tlv_simulate_lda(tlv_simulate_lda_model(100, 3, alpha0 => 0.3), 300, 40);
INSERT INTO held SELECT 'first', tlv_count_moments(bag), tlv_find_subspace(tlv_count_moments(bag), 3), NULL FROM docs;
INSERT INTO held (name, model) SELECT 'large', tlv_simulate_lda_model(140000, 30, seed => 4);
SQL
my $server = join ' ', map { "$_->[0]=$_->[1]" } grep { defined $_->[1] } [ host => $ENV{PGHOST} ], [ port => $ENV{PGPORT} ], [ user => $ENV{PGUSER} ];

sub caught_up {
    my ($name) = @_;
    my $position = query($db, 'SELECT pg_current_wal_lsn()');
    for (1 .. 600) {
        return 1 if query($db, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE application_name = '$name' AND replay_lsn >= '$position')") eq 't'
            && subscriber('SELECT bool_and(srsubstate = \'r\') FROM pg_subscription_rel') eq 't';
        sleep 0.1;
    }
    return 0;
}
my $everything = <<'SQL';
SELECT md5(string_agg(d::text, ',' ORDER BY doc, note)), count(*) FROM docs d;
SELECT md5(string_agg(h::text, ',' ORDER BY name)), count(*) FROM held h;
SQL

# Binary transfer exists from 14 on.
my $binary_option = query($db, 'SHOW server_version_num') >= 140000;
for my $binary ($binary_option ? qw(false true) : qw(false)) {
    my $name = "tlv_$binary";
    my $what = $binary eq 'true' ? 'binary' : 'text';
    query($db, "CREATE PUBLICATION $name FOR TABLE docs, held");
    subscriber("DROP TABLE IF EXISTS docs, held;\n$tables");
    subscriber("CREATE SUBSCRIPTION $name CONNECTION '$server dbname=$db' PUBLICATION $name " . ($binary_option ? "WITH (binary = $binary)" : ''));
    ok(caught_up($name), "$what: initial copy");
    is(subscriber($everything), query($db, $everything), "$what: the copy is equal");
    # REPLICA IDENTITY FULL finds rows by the equality of our types
    query($db, <<"SQL");
UPDATE docs SET bag = bag + '{7:3}' WHERE doc % 3 = 0;
UPDATE docs SET note = 'touched $what' WHERE doc % 5 = 0;
DELETE FROM docs WHERE doc % 10 = 1;
INSERT INTO docs SELECT doc + 1000, bag, '$what' FROM docs WHERE doc < 30;
INSERT INTO docs VALUES (-1, '{}', NULL), (-2, NULL, NULL), (-3, '{-9223372036854775808:0.1,9223372036854775807:1e300}', '$what');
INSERT INTO held SELECT '$what', tlv_count_moments(bag), tlv_find_subspace(tlv_count_moments(bag), 2),
  tlv_lda('SELECT bag FROM docs WHERE bag IS NOT NULL AND doc > 0', 2) FROM docs WHERE doc > 0;
UPDATE held SET m = m + m WHERE name = 'first';
SQL
    ok(caught_up($name), "$what: changes");
    is(subscriber($everything), query($db, $everything), "$what: rows changed, added and deleted are equal");
    query($db, "DELETE FROM held WHERE name = '$what'; DELETE FROM docs WHERE doc < 0");
    ok(caught_up($name), "$what: deletes");
    is(subscriber($everything), query($db, $everything), "$what: rows found by moments, subspace, model and bag are deleted");
    is(subscriber("SELECT count(*) FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM docs', 3, refine => 'none')))"), '3', "$what: the subscriber fits what it got");
    subscriber("DROP SUBSCRIPTION $name");
    query($db, "DROP PUBLICATION $name");
}
stop_second_cluster();
drop_database($db);
done_testing();
