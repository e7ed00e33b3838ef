# docs/reference/ is what scripts/reference writes from the catalogue, and no page names what is not there.
use strict;
use warnings;
use File::Basename qw(dirname);

my $root = dirname(__FILE__) . '/../..';
exec $^X, "$root/scripts/reference", '--check'
    or die "cannot run reference: $!";
