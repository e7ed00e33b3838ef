package TlvCluster;
# A database of Citus: the coordinator of PGHOST, and the workers of TLV_CITUS_WORKERS (folders of sockets, each with the cluster
# in data), which know each other by sockets that count what travels.
use strict;
use warnings;
use Exporter qw(import);
use File::Temp qw(tempdir);
use POSIX ();
use Time::HiRes qw(sleep);
use TlvTest;
use TlvTraffic;

our @EXPORT = qw(citus_database citus_drop citus_workers on_worker stop_worker start_worker server_seconds);

my @workers = split ' ', $ENV{TLV_CITUS_WORKERS} // '';

sub citus_workers { return @workers }

sub on_worker {
    my ($worker, $database, $sql) = @_;
    local $ENV{PGHOST} = $worker;
    return query($database, $sql);
}

sub pg_ctl {
    my ($worker, @arguments) = @_;
    my @command = (bindir() . '/pg_ctl', '-D', "$worker/data", '-l', "$worker/log", '-w', '-s', @arguments);
    unshift @command, 'runuser', '-u', 'postgres', '--' if $> == 0;
    return system("cd / && exec @command </dev/null >/dev/null 2>&1") == 0;
}

sub stop_worker { return pg_ctl($_[0], '-m', 'immediate', 'stop') }
sub start_worker { return pg_ctl($_[0], 'start') }

# The database on all nodes, with both extensions; without workers the coordinator has the shards, which are reached by
# connections, as those of others are.
sub citus_database {
    my ($db) = @_;
    my $root = tempdir('tlv.XXXXXX', TMPDIR => 1, CLEANUP => 1);
    chmod 0755, $root;
    my (%real, @via);
    for my $node ($ENV{PGHOST}, @workers) {
        my $own = "$root/" . scalar @via;
        mkdir $own;
        push @via, $own;
        $real{$own} = $node;
        local $ENV{PGHOST} = $node;
        query('postgres', "DROP DATABASE IF EXISTS $db WITH (FORCE);\nCREATE DATABASE $db;");
        query($db, 'CREATE EXTENSION citus;');
    }
    start_traffic("$root/counts", %real);
    query($db, "SELECT citus_set_coordinator_host('$via[0]', 5432)");
    query($db, "SELECT citus_add_node('$_', 5432)") for @via[ 1 .. $#via ];
    query($db, "SELECT citus_set_node_property('$via[0]', 5432, 'shouldhaveshards', " . (@workers ? 'false' : 'true') . ')');
    query($db, "ALTER DATABASE $db SET citus.shard_count = 8;\nALTER DATABASE $db SET citus.enable_local_execution = off;");
    query($db, 'CREATE EXTENSION tensorlv;');
    return $db;
}

# The nodes have sessions in it that do not end by themselves.
sub citus_drop {
    my ($db) = @_;
    for my $node ($ENV{PGHOST}, @workers) { local $ENV{PGHOST} = $node; query('postgres', "DROP DATABASE IF EXISTS $db WITH (FORCE);") }
    return;
}

# CPU seconds of all servers, those of processes that have ended among them, once no session of psql is left and its server has
# noticed.
sub server_seconds {
    my $ticks = 0;
    for (1 .. 100) { last if query('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE datname <> 'postgres' AND application_name = 'psql'}) eq '0'; sleep 0.1 }
    sleep 0.5;
    for my $node ($ENV{PGHOST}, @workers) {
        my ($postmaster) = split /\n/, read_file("$node/data/postmaster.pid");
        for my $stat (glob '/proc/[0-9]*/stat') {
            my $line = read_file($stat);
            my ($pid, $rest) = $line =~ /^(\d+) \(.*\) \S (.*)/s or next;
            my @fields = split ' ', $rest;    # parent, ...; user and system time, and those of children
            next unless $pid == $postmaster || $fields[0] == $postmaster;
            $ticks += $fields[10] + $fields[11] + ($pid == $postmaster ? $fields[12] + $fields[13] : 0);
        }
    }
    return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

1;
