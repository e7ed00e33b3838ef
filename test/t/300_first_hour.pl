# The first hour of a newcomer: the clusters that pages and scripts make, the tables that pages share, pages one after the other in one database, and the demo.
use strict;
use warnings;
use File::Find;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use TlvTest;

my $root = "$FindBin::Bin/../..";
chdir $root or die "$root: $!";
my @pages = ('README.md', sort(glob('docs/*.md'), glob('docs/*/*.md'), glob('examples/*/*.md')));

# ---- clusters: without a locale in the environment the server makes one of SQL_ASCII, in which words with accents are cut ----

sub as_server_in_bare_environment {
    my @command = ('env', '-i', 'PATH=/usr/bin:/bin', @_);
    unshift @command, 'runuser', '-u', 'postgres', '--' if $> == 0;
    my $pid = open(my $out, '-|') // die "fork: $!";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT or die;
        chdir '/';
        exec @command or die;
    }
    my $text = do { local $/; <$out> };
    close $out;
    return $text // '';
}

# The encoding of a cluster that is made with these options, and the words of a text in it.
sub made_with {
    my (@options) = @_;
    my $folder = tempdir(CLEANUP => 1);
    chmod 0777, $folder;
    my $said = as_server_in_bare_environment(bindir() . '/initdb', '-D', "$folder/data", '-A', 'trust', '--no-sync', @options);
    my $select = q(SELECT to_tsvector('simple', E'caf\\\\303\\\\251 na\\\\303\\\\257ve') AS words);
    my $words = as_server_in_bare_environment('sh', '-c', qq(echo "$select" | ") . bindir() . qq(/postgres" --single -D "$folder/data" template1));
    as_server_in_bare_environment('rm', '-rf', "$folder/data");
    my ($encoding) = $said =~ /default database encoding has accordingly been set to "(\w+)"/;
    my ($given) = "@options" =~ /-E (\w+)/;
    my ($found) = $words =~ /words = "([^"]*)"/;
    return ($encoding // $given // $said, $found // $words);
}

my %made;
for my $file (@pages, 'Dockerfile', grep({ -f } glob('scripts/*')), glob('test/t/lib/*.pm')) {
    my $text = read_file($file);
    while ($text =~ /(?:\bpg_createcluster|\/initdb'?"?,?)[ ]((?:[^\n]*\\\n)*[^\n]*)/g) {
        my ($rest, @options) = ($1 =~ tr/\\\n//dr);
        $rest =~ s/[',"]+/ /g;
        push @options, "--locale=$1" if $rest =~ /--locale[= ]+(\S+)/;
        push @options, '-E', $1 if $rest =~ /(?:-E|--encoding)[= ]+(\w+)/;
        push @{ $made{"@options"} }, $file if $rest =~ /\bmain\b|-D/;
    }
}
my ($bare) = made_with();
is($bare, 'SQL_ASCII', 'without a locale the server makes a cluster of bytes');
cmp_ok(scalar(map { @$_ } values %made), '>=', 4, 'pages and scripts that make clusters: ' . join(', ', sort map { @$_ } values %made));
for my $options (sort keys %made) {
    my ($encoding, $words) = made_with(split / /, $options);
    is($encoding, 'UTF8', "$options of @{ $made{$options} }");
    is($words, q('café':1 'naïve':2), 'and words keep their accents');
}

# ---- names: a table of models has the same columns on every page ----

my %columns;
for my $file (@pages, glob('examples/*/*.sql')) {
    my $text = read_file($file);
    push @{ $columns{ lc $1 } }, $file while $text =~ /CREATE (?:TEMP )?TABLE models\s*\(\s*(\w+)/g;
    push @{ $columns{ lc $1 } }, $file while $text =~ /CREATE TABLE models AS\s+SELECT '[^']*' AS (\w+)/g;
    my @named = grep { /\bmodels\b.*\bname = '/ } split /\n/, $text;
    is("@named", '', "$file: models are found by their purpose") if @named;
}
is(join(', ', sort keys %columns), 'purpose', 'models have a purpose: ' . scalar(@{ $columns{purpose} // [] }) . ' pages');

# ---- pages one after the other, in one database with the tutorial's tables, each in a schema of its own as docs/pages.md says ----

my $db = new_database('tlv_first_hour');
my ($own) = read_file('docs/pages.md') =~ /`(CREATE SCHEMA \w+; SET search_path = \w+, public;)`/;
ok($own, 'docs/pages.md says how a page gets tables of its own');
query($db, q(CREATE TABLE models (purpose text PRIMARY KEY, model tlv_model NOT NULL, fitted timestamptz DEFAULT now()); CREATE TABLE articles (id int); CREATE TABLE words (word bigint, term text)));
for my $page (qw(docs/how-to/cluster-rows.md docs/how-to/classes-of-respondents.md docs/how-to/models-as-json.md docs/how-to/load-documents.md)) {
    (my $schema = $page) =~ s{.*/|\.md|-}{}g;
    my $text = read_file($page);
    $text =~ s/^<!-- no-run -->\n+```sql\n.*?^```//msg;
    my $sql = join "\n", $own =~ s/(SCHEMA|path =) \w+/$1 $schema/gr, $text =~ /^```sql\n(.*?)^```/msg;
    my @shown = $text =~ /^ERROR:  (.*)$/mg;
    $sql =~ s{TO '[\w.-]+\.svg'}{TO '/dev/null'}g;
    my @errors = map { s/^\w{5}: //r } run_sql($db, $sql, go_on => 1)->{errors} =~ /ERROR:  (.*)/g;
    is_deeply([@errors], [@shown], "$page in a schema of its own");
}
drop_database($db);

# ---- the demo, and what else ends in a page ----

sub page_ok {
    my ($file, $what) = @_;
    my $text = -s $file ? read_file($file) : '';
    like($text, qr/\A<!DOCTYPE html>/i, "$what: a page to open");
    like($text, qr/<script type="application\/json" id="data">/, "$what: with the model");
}

my $folder = tempdir(CLEANUP => 1);
my $demo = new_database('tlv_demo');
my $pid = open(my $out, '-|') // die "fork: $!";
if (!$pid) { exec bindir() . '/psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-P', 'pager=off', '-v', "page=$folder/news.html", '-d', $demo, '-f', 'examples/ap/demo.sql' or die }
my @printed = <$out>;
ok(close $out, 'the demo runs');
is(join('', grep { length > 81 } @printed), '', 'in the lines of a small terminal');
my $described = `@{[ bindir() ]}/psql -X -d $demo -P format=wrapped -P columns=120 -P expanded=on -c '\\df+ tlv_gmm'`;
like($described, qr/^Description/m, 'psql describes a driver');
is(join('', grep { length > 120 } split /\n/, $described), '', 'in lines of 120 columns');
is(join('', grep { /^\s*\w+_\w+\s*\|?\s+-?\d+\.\d+/ } @printed), '', 'and prints no raw measures');
page_ok("$folder/news.html", 'demo');
for my $call ([ 'README', q(SELECT tlv_html(model, 'Associated Press') FROM models WHERE purpose = 'news') ], [ 'without a title', 'SELECT tlv_html(model) FROM models' ]) {
    my $file = "$folder/one.html";
    open my $page, '>', $file or die "$file: $!";
    print $page query($demo, $call->[1]);
    close $page or die;
    page_ok($file, $call->[0]);
}
for my $example (qw(football house-votes)) {
    system(bindir() . '/psql', '-X', '-At', '-q', '-v', "page=$folder/$example.html", '-d', $demo, '-f', "examples/$example/page.sql") == 0 or diag("$example/page.sql failed");
    page_ok("$folder/$example.html", $example);
}
# Processor seconds of the server process, user and system.
my $cpu = q{(SELECT sum(t::float8) / 100 FROM unnest((regexp_split_to_array(pg_read_file('/proc/self/stat', 0, 1000), ' '))[14:15]) t)};
my ($size, $seconds) = split /\|/, query($demo, "CREATE TEMP TABLE spent AS SELECT $cpu AS s;
    CREATE TEMP TABLE page AS SELECT tlv_html(model, 'Associated Press') AS html FROM models WHERE purpose = 'news';
    SELECT length(html), round(($cpu - s)::numeric, 2) FROM page, spent");
cmp_ok($size, '<', 500_000, "the page of 20 topics of the Associated Press has $size bytes");
note("... made in $seconds processor seconds");
# The largest graph that is drawn: 2,000 nodes, 9,956 edges.
(my $edges, $seconds) = split /\|/, query($demo, "CREATE TEMP TABLE largest AS SELECT tlv_simulate_mmsb_model(2000, 10, seed => 1) AS model,
      (SELECT tlv_graph_agg(i % 2000 + 1, (i * (i / 2000 + 2)) % 2000 + 1) FROM generate_series(1::bigint, 20000) i WHERE (i * (i / 2000 + 2)) % 2000 > i % 2000) AS graph;
    CREATE TEMP TABLE spent AS SELECT $cpu AS s;
    CREATE TEMP TABLE page AS SELECT tlv_html(model, graph => graph) AS html FROM largest;
    SELECT (length(html) - length(replace(html, '],[', ''))) / 3 > 9000 AND html LIKE '%\"edges\":%', round(($cpu - s)::numeric, 2) FROM page, spent");
is($edges, 't', 'a graph of 2,000 nodes is drawn');
note("... in $seconds processor seconds");
drop_database($demo);
done_testing();
