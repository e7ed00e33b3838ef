package TlvTraffic;
# What travels between the nodes of a cluster: sockets of our own in front of those of the servers, by which the nodes are known to
# each other, count the bytes in either direction and the rows that servers send (DataRow and CopyData messages).
use strict;
use warnings;
use Exporter qw(import);
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();

our @EXPORT = qw(start_traffic traffic traffic_file);

my (@pids, $counter);

sub traffic_file { return $counter }

# Bytes sent to nodes, bytes that came from them, rows that came from them.
sub traffic {
    open my $file, '<', $counter or return (0, 0, 0);
    my $line = <$file> // '0 0 0';
    return split ' ', $line;
}

# Rows in what a server sends: messages of a type and a length, which may come in pieces.
sub count_rows {
    my ($state, $bytes) = @_;
    my $rows = 0;
    $state->{rest} .= $bytes if length $state->{rest};
    my $all = length $state->{rest} ? \$state->{rest} : \$bytes;
    my $at = $state->{skip};
    while ($at + 5 <= length $$all) {
        my ($type, $length) = unpack 'aN', substr $$all, $at, 5;
        $rows++ if $type eq 'D' || $type eq 'd';
        $at += 1 + $length;
    }
    my $n = length $$all;
    $state->{skip} = $at > $n ? $at - $n : 0;
    $state->{rest} = $at < $n ? substr $$all, $at : '';
    return $rows;
}

sub serve {
    my ($parent, %real) = @_;
    my ($select, %listener, %peer, %state, @count) = IO::Select->new;
    @count = (0, 0, 0);
    for my $own (keys %real) {
        my $socket = IO::Socket::UNIX->new(Local => "$own/.s.PGSQL.5432", Listen => 64) or POSIX::_exit(1);
        chmod 0777, "$own/.s.PGSQL.5432";
        $listener{$socket} = $real{$own};
        $select->add($socket);
    }
    open my $file, '>', $counter or POSIX::_exit(1);
    $file->autoflush(1);
    while (getppid == $parent) {
        for my $socket ($select->can_read(1)) {
            if (my $real = $listener{$socket}) {
                my $client = $socket->accept or next;
                my $server = IO::Socket::UNIX->new(Peer => "$real/.s.PGSQL.5432");
                if (!$server) { close $client; next }
                $peer{$client} = $server;
                $peer{$server} = $client;
                $state{$server} = { skip => 0, rest => '' };
                $select->add($client, $server);
                next;
            }
            my $peer = $peer{$socket} or next;
            my $n = sysread $socket, my $bytes, 1 << 18;
            if (!$n) {
                $select->remove($socket, $peer);
                delete @peer{ $socket, $peer };
                delete @state{ $socket, $peer };
                close $socket;
                close $peer;
                next;
            }
            if ($state{$socket}) { $count[1] += $n; $count[2] += count_rows($state{$socket}, $bytes) }
            else                 { $count[0] += $n }
            sysseek $file, 0, 0;
            syswrite $file, sprintf "%-59s\n", "@count";
            my $at = 0;
            while ($at < $n) { $at += (syswrite($peer, $bytes, $n - $at, $at) // last) }
        }
    }
}

# Folders of our own, which must exist, and the sockets' folders of the servers; the file that holds the counts.
sub start_traffic {
    my ($file, %real) = @_;
    $counter = $file;
    my $parent = $$;
    my $pid = fork // die "fork: $!";
    push @pids, $pid if $pid;
    if (!$pid) { $SIG{PIPE} = 'IGNORE'; $SIG{$_} = 'DEFAULT' for qw(HUP INT TERM); serve($parent, %real); POSIX::_exit(0) }
    for (1 .. 100) { last if !grep { !-S "$_/.s.PGSQL.5432" } keys %real; select undef, undef, undef, 0.05 }
    return;
}

END { my $status = $?; kill 'TERM', @pids; $? = $status }

1;
