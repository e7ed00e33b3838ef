# The how-to on Python: its blocks are run in order, in one process, and each prints what the page shows.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use File::Temp qw(tempfile);
use Test::More;
use TlvTest;

my ($python) = grep { -x && system("$_ -c 'import psycopg, psycopg2, numpy, pandas, sqlalchemy' >/dev/null 2>&1") == 0 } '/usr/bin/python3', map { "$_/python3" } split /:/, $ENV{PATH};
plan skip_all => 'no Python with psycopg 3, psycopg2, numpy, pandas and sqlalchemy' if !$python;

my $page = read_file("$FindBin::Bin/../../docs/how-to/python.md");
my ($script, @shown) = ('');
while ($page =~ /^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms) {
    my ($code, $text) = ($1, $2 // '');
    push @shown, $text;
    $script .= $code . "print('--- end of block', flush=True)\n";
}
cmp_ok(scalar @shown, '>', 5, 'the page has blocks');
my $db = new_database('tlv_python');
my ($file, $name) = tempfile(SUFFIX => '.py', UNLINK => 1);
print {$file} $script;
close $file;
local $ENV{PGDATABASE} = $db;
my $printed = `$python $name 2>&1`;
is($?, 0, 'the page runs') or diag $printed;
my @blocks = split /^--- end of block\n/m, $printed;
for my $i (0 .. $#shown) {
    my ($block, $text) = map { s/[ \t]+$//gmr } $blocks[$i] // 'nothing', $shown[$i];
    is($block, $text, 'block ' . ($i + 1) . ' prints what the page shows');
}
drop_database($db);
done_testing();
