package TlvTest;
# What the TAP tests share: psql sessions against the server of PGHOST, PGPORT, PGUSER, and a
# second cluster where one is needed.
use strict;
use warnings;
use Exporter qw(import);
use IO::Handle;
use POSIX ();
use Time::HiRes qw(time sleep);
use File::Temp qw(tempdir);

our @EXPORT = qw(run_sql query new_database drop_database bindir second_cluster standby_cluster upgrade_second_cluster
    stop_second_cluster psql_command start_psql finish_psql read_file server_log_size server_log_since);

sub bindir { return $ENV{TLV_BINDIR} // do { my $d = `pg_config --bindir`; chomp $d; $d } }

sub tempfile { open my $file, '+>', undef or die "no temporary file: $!"; return $file }

sub psql_command {
    my ($database, %options) = @_;
    return (bindir() . '/psql', '-X', '-q', '-A', '-t', '-d', $database, '-v', 'ON_ERROR_STOP=' . ($options{go_on} ? 0 : 1),
        '-v', 'VERBOSITY=verbose', @{ $options{more} // [] });
}

# A session fed with SQL at once; returns what finish_psql wants.  Input and output are files,
# so that neither side waits for the other.  $options{together}: errors are among the output.
sub start_psql {
    my ($database, $sql, %options) = @_;
    my %file = map { ($_ => tempfile()) } qw(in out errors);
    print { $file{in} } $sql;
    $file{in}->flush;
    seek $file{in}, 0, 0;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, '<&', $file{in} or POSIX::_exit(126);
        open STDOUT, '>&', $file{out} or POSIX::_exit(126);
        open STDERR, '>&', $options{together} ? $file{out} : $file{errors} or POSIX::_exit(126);
        exec { bindir() . '/psql' } psql_command($database, %options) or POSIX::_exit(127);
    }
    return { pid => $pid, start => time, %file };
}

sub finish_psql {
    my ($session) = @_;
    waitpid $session->{pid}, 0;
    my $status = $?;
    my $seconds = time - $session->{start};
    my %text;
    for my $name (qw(out errors)) {
        my $file = $session->{$name};
        seek $file, 0, 0;
        local $/;
        $text{$name} = <$file> // '';
        close $file;
    }
    chomp $text{out};
    # a signal is no success
    return { status => $status & 127 ? 128 + ($status & 127) : $status >> 8, %text, seconds => $seconds };
}

sub run_sql {
    my ($database, $sql, %options) = @_;
    return finish_psql(start_psql($database, $sql, %options));
}

# Output of SQL that must work.
sub query {
    my ($database, $sql, %options) = @_;
    my $result = run_sql($database, $sql, %options);
    die "psql failed on: $sql\n$result->{errors}" if $result->{status} != 0;
    return $result->{out};
}

# $options: of CREATE DATABASE.
sub new_database {
    my ($name, $options) = @_;
    $options //= '';
    query('postgres', "DROP DATABASE IF EXISTS $name;\nCREATE DATABASE $name $options;");
    query($name, 'CREATE EXTENSION tensorlv;');
    return $name;
}

sub drop_database {
    my ($name) = @_;
    query('postgres', "DROP DATABASE IF EXISTS $name;");
    return;
}

sub read_file {
    my ($path) = @_;
    open my $file, '<', $path or return '';
    local $/;
    return scalar <$file> // '';
}

# ---- the server's log, where it can be seen (scripts/test) ----

sub server_log { return defined $ENV{TLV_WORK} && -r "$ENV{TLV_WORK}/pg/log" ? "$ENV{TLV_WORK}/pg/log" : undef }
sub server_log_size { my $log = server_log(); return defined $log ? -s $log : 0 }

sub server_log_since {
    my ($from) = @_;
    my $log = server_log();
    return undef unless defined $log;
    open my $file, '<', $log or return undef;
    seek $file, $from, 0;
    local $/;
    return scalar(<$file>) // '';
}

# ---- a second cluster ----

my $second;

# A signal ends the second cluster and its folder, too.
$SIG{$_} = sub { exit 1 } for qw(HUP INT TERM);

sub as_server {
    my @command = @_;
    unshift @command, 'runuser', '-u', 'postgres', '--' if $> == 0;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        chdir '/';
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$second->{root}/out";
        open STDERR, '>&', \*STDOUT;
        exec @command or exit 127;
    }
    waitpid $pid, 0;
    return $? == 0;
}

# A folder for one, or undef where that cannot be.
sub second_root {
    return undef unless defined $ENV{TLV_SERVER_SETTINGS} && -x bindir() . '/initdb';
    my $root = tempdir('tlv2.XXXXXX', TMPDIR => 1, CLEANUP => 1);
    $second = { root => $root };
    if ($> == 0) {
        my (undef, undef, $uid, $gid) = getpwnam 'postgres';
        return undef unless defined $uid;
        chown $uid, $gid, $root;
    }
    return $root;
}

sub start_second {
    my ($root, @settings) = @_;
    open my $conf, '>>', "$root/data/postgresql.conf" or die $!;
    print $conf "listen_addresses = ''\nunix_socket_directories = '$root'\nport = 5432\nfsync = off\n", map { "$_\n" } @settings;
    close $conf;
    as_server(bindir() . '/pg_ctl', '-D', "$root/data", '-l', "$root/log", '-w', '-s', '-t', 60, 'start') or die read_file("$root/log") . read_file("$root/out");
    $second->{running} = 1;
    return $root;
}

# Starts one; returns its socket folder (port 5432), or undef where that cannot be done.
sub second_cluster {
    my (@settings) = @_;
    my $root = second_root() // return undef;
    as_server(bindir() . '/initdb', '-D', "$root/data", '-U', $ENV{PGUSER} // 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
        or die read_file("$root/out");
    return start_second($root, $ENV{TLV_SERVER_SETTINGS}, @settings);
}

# A hot standby of the server under test instead.
sub standby_cluster {
    my (@settings) = @_;
    return undef if query('postgres', q{SELECT current_setting('wal_level') = 'minimal' OR current_setting('max_wal_senders') = '0'}) eq 't';
    my $root = second_root() // return undef;
    as_server(bindir() . '/pg_basebackup', '-D', "$root/data", '-R', '-X', 'stream', '-c', 'fast', '--no-sync') or die read_file("$root/out");
    return start_second($root, 'max_standby_streaming_delay = 1s', @settings);
}

sub stop_second_cluster {
    return unless $second && $second->{running};
    as_server(bindir() . '/pg_ctl', '-D', "$second->{root}/data", '-m', 'immediate', '-w', '-s', 'stop');
    $second->{running} = 0;
    return;
}

# The second cluster goes through pg_upgrade, to the server of a folder of programs, and is started again; returns its socket folder.
sub upgrade_second_cluster {
    my ($to) = @_;
    my $root = $second->{root};
    as_server(bindir() . '/pg_ctl', '-D', "$root/data", '-m', 'fast', '-w', '-s', 'stop') or die read_file("$root/out");
    $second->{running} = 0;
    as_server("$to/initdb", '-D', "$root/new", '-U', $ENV{PGUSER} // 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync') or die read_file("$root/out");
    open my $conf, '>>', "$root/new/postgresql.conf" or die $!;
    print $conf "$ENV{TLV_SERVER_SETTINGS}\n";
    close $conf;
    as_server('sh', '-c', 'cd "$1" && exec "$3/pg_upgrade" -b "$2" -B "$3" -d "$1/data" -D "$1/new" -s "$1" -U "$4"', 'sh', $root, bindir(), $to, $ENV{PGUSER} // 'postgres')
        or die read_file("$root/out");
    rename "$root/data", "$root/old" and rename "$root/new", "$root/data" or die $!;
    return start_second($root);
}

END { my $status = $?; stop_second_cluster(); $? = $status }

1;
