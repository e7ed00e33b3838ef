# What takes long, family by family: test/interrupts/FAMILY.sql is a set-up, then phases, each a
# statement that runs for seconds or minutes below a line '-- phase: name'.
package TlvPhases;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);

our @EXPORT = qw(families phases);

my $folder = dirname(__FILE__) . '/../../interrupts';

sub families { return map { /(\w+)\.sql$/ } sort glob "$folder/*.sql" }

# The set-up, and the phases as [name, statement].
sub phases {
    my ($family) = @_;
    open my $file, '<', "$folder/$family.sql" or die "$family.sql: $!";
    my ($setup, @parts) = split /^-- phase: *(.*)\n/m, do { local $/; <$file> };
    close $file;
    my @phases;
    while (my ($name, $sql) = splice @parts, 0, 2) {
        $sql =~ s/;\s*\z// or die "$family.sql, $name: no semicolon";
        push @phases, [ $name, $sql ];
    }
    return ($setup, @phases);
}

1;
