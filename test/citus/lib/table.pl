# table.pl FILE - what test/citus/calls.pl wrote (workers, place, difference or what became of the call, bytes, call) as a table with
# a line for every call.  An equal answer is a dot; what a column of one word cannot hold follows below the table.
use strict;
use warnings;

my (@calls, %cell, %bytes, @notes);
while (my $line = <>) {
    chomp $line;
    my ($workers, $place, $outcome, $bytes, $call) = split /\t/, $line, 5;
    push @calls, $call if !$cell{$call};
    $cell{$call}{"$workers $place"} = $outcome eq '0e+00' ? '.' : $outcome =~ /^\d/ ? $outcome =~ s/e([+-])0/e$1/r : 'FAILED';
    push @notes, "$workers workers, $place, $call: $outcome" if $outcome !~ /^\d/;
    $bytes{$call} = $bytes if $place eq 'distributed';    # of the last cluster, that with the workers
}
my @places = ('distributed', 'reference', 'managed', 'by_column', 'local execution');
my @columns = grep { my $column = $_; grep { exists $_->{$column} } values %cell } map { my $workers = $_; map { "$workers $_" } @places } 0 .. 9;
print "largest relative difference from the answer over a plain table (. is none); columns: the number of workers, and where the rows are\n",
    "(d distributed, r reference table, m managed local table, b columnar table, l distributed with local execution); bytes that travel over the distributed table\n";
print join(' ', map({ sprintf '%-6s', s/(\d) (\w).*/$1$2/r } @columns), sprintf('%9s', 'bytes'), 'call'), "\n";
for my $call (@calls) {
    my $short = length $call > 200 ? substr($call, 0, 197) . '...' : $call;
    print join(' ', map({ sprintf '%-6s', $cell{$call}{$_} // '-' } @columns), sprintf('%9d', $bytes{$call} // 0), $short), "\n";
}
print "$_\n" for @notes;
