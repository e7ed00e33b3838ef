# Every example of README.md and docs/ runs, and prints what the page shows: those of README, the tutorial and the
# how-to pages that README links in one database.
use strict;
use warnings;
use File::Basename qw(dirname);

my $root = dirname(__FILE__) . '/../..';
exec $^X, "$root/scripts/docs-test", '--tap', '--together'
    or die "cannot run docs-test: $!";
