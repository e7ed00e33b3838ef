# ALTER EXTENSION UPDATE and pg_upgrade, with a model of every kind, and moments, a subspace, a graph and bags: values are equal byte by
# byte, and functions read them.  TLV_UPGRADE_TO names the programs of a newer server that has the extension; without it the upgrade is to
# another cluster of the same server.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Find ();
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $control;
File::Find::find({ no_chdir => 1, wanted => sub { $control = $_ if m{/tensorlv\.control$} } }, $ENV{TLV_STAGE}) if -d ($ENV{TLV_STAGE} // '');
plan skip_all => 'there is no staged extension' unless defined $control && -w dirname($control);
my ($version) = read_file($control) =~ /^default_version\s*=\s*'(.*)'/m;
my $step = dirname($control) . "/tensorlv--$version--$version.next.sql";
my $socket = second_cluster() // plan skip_all => 'a second cluster cannot be started here';

sub there { my ($sql) = @_; local $ENV{PGHOST} = $socket; local $ENV{PGPORT} = 5432; return query('tlv_upgraded', $sql) }
{ local $ENV{PGHOST} = $socket; local $ENV{PGPORT} = 5432; new_database('tlv_upgraded'); }
there("SET client_min_messages = error;\n" . read_file('test/sql/include/page_models.sql') . <<'SQL');
CREATE TABLE others AS SELECT tlv_count_moments(bag) AS moments, tlv_find_subspace(tlv_count_moments(bag), 2) AS subspace, (SELECT tlv_graph_agg(src, dst) FROM page_edges) AS graph,
  array_agg(bag) AS bags FROM tlv_simulate_lda(tlv_simulate_lda_model(50, 2), 200, 30);
CREATE INDEX ON page_models USING hash (model);
SQL
my $everything = <<'SQL';
SELECT count(*), count(DISTINCT tlv_kind(model)), md5(string_agg(name || model::text, ',' ORDER BY name)) FROM page_models;
SELECT md5(o::text) FROM others o;
SELECT md5(string_agg(s::text, ',' ORDER BY name, component)) FROM page_models, tlv_summary(model) s;
SELECT tlv_assign(model, ARRAY[1.0, 2.0, 3.0]) FROM page_models WHERE name = 'mixture full';
SELECT count(*) FROM page_models a JOIN page_models b ON a.model = b.model;
SQL
my $before = there($everything);
like($before, qr/^\d\d\|1[5-9]\|/, 'models of every kind: ' . ($before =~ /^(\d+\|\d+)/)[0]);

open my $out, '>', $step or die "$step: $!";
print $out "-- a version without changes\n";
close $out or die;
END { unlink $step if defined $step }
there("ALTER EXTENSION tensorlv UPDATE TO '$version.next'");
is(there("SELECT extversion FROM pg_extension WHERE extname = 'tensorlv'"), "$version.next", 'the extension is updated');
is(there($everything), $before, 'and values are equal');
SKIP: {
    # LOAD '$libdir/...' of pg_upgrade reads the server's own folder; Debian's servers up to 17 look below extension_destdir first.
    skip "pg_upgrade of PostgreSQL 18 finds no staged library", 2 if ($ENV{TLV_SERVER_SETTINGS} // '') =~ /^extension_control_path/m;
    $socket = upgrade_second_cluster($ENV{TLV_UPGRADE_TO} // bindir());
    is(there($everything), $before, 'pg_upgrade: values are equal');
    is(there("SET enable_seqscan = off; SELECT count(*) FROM page_models WHERE model = (SELECT model FROM page_models WHERE name = 'tree')"), '1', 'and indexes find them');
}
stop_second_cluster();
done_testing();
