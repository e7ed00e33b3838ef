# Every example of README.md and docs/ runs, and prints what the page shows.
use strict;
use warnings;
use File::Basename qw(dirname);

my $root = dirname(__FILE__) . '/../..';
exec $^X, "$root/scripts/docs-test", '--tap'
    or die "cannot run docs-test: $!";
