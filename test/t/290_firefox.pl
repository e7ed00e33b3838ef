# Pages of models (tlv_html) in Firefox: the topics of the Associated Press and a page of every view open without a message on the
# console, and a click chooses a component.  Firefox is driven by its own protocol (Marionette: lengths and JSON over TCP); without
# Firefox (Debian: firefox-esr) the tests are skipped, and say so.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Spec ();
use File::Temp qw(tempdir);
use IO::Select ();
use IO::Socket::INET ();
use JSON::PP ();
use lib dirname(__FILE__) . '/lib';
use TlvTest;

sub program { my @found = grep { -x } map { my $name = $_; map { File::Spec->catfile($_, $name) } File::Spec->path } @_; return $found[0] }
my $browser = program(qw(firefox-esr firefox));
if (!defined $browser) {
    diag('no firefox: pages of models are not tested in Firefox');
    plan skip_all => 'no firefox';
}

# ---- the pages ----

my $folder = tempdir(CLEANUP => 1);
my $db = new_database('tlv_firefox');
query($db, "SET client_min_messages = error;\n" . read_file('test/sql/include/page_models.sql') . <<'SQL');
CREATE TABLE doc_word (doc bigint, word bigint, n int);
CREATE TABLE vocab (word bigint, term text);
\copy doc_word FROM PROGRAM 'gzip -dc examples/ap/doc_word.csv.gz' WITH (FORMAT csv, HEADER)
\copy vocab FROM PROGRAM 'gzip -dc examples/ap/vocab.csv.gz' WITH (FORMAT csv, HEADER)
CREATE TABLE corpus AS SELECT doc, term, n FROM doc_word JOIN vocab USING (word);
INSERT INTO page_models SELECT 'news', tlv_lda('SELECT doc, term, n FROM corpus', k => 20);
SQL
my @views = ('news', 'communities', 'mixture full', 'states of symbols', 'tree', 'factors', 'crowd');
my %files;
for my $name (@views) {
    my $more = $name eq 'communities' ? ', graph => (SELECT tlv_graph_agg(src, dst) FROM page_edges)' : '';
    $files{$name} = "$folder/" . $name =~ tr/ /-/r . '.html';
    open my $page, '>', $files{$name} or die "$files{$name}: $!";
    print {$page} query($db, "SELECT tlv_html(model, 'page of $name'$more) FROM page_models WHERE name = '$name'");
    close $page or die "$files{$name}: $!";
}
drop_database($db);

# ---- the browser: it writes its port into its profile ----

mkdir "$folder/profile" or die "$folder/profile: $!";
open my $settings, '>', "$folder/profile/user.js" or die "user.js: $!";
print {$settings} "user_pref(\"marionette.port\", 0);\nuser_pref(\"datareporting.policy.dataSubmissionEnabled\", false);\nuser_pref(\"app.update.enabled\", false);\n";
close $settings or die "user.js: $!";
my $pid = fork;
defined $pid or die "fork: $!";
if (!$pid) {
    setpgrp 0, 0;
    $ENV{HOME} = $folder;
    open STDOUT, '>', "$folder/log" or die $!;
    open STDERR, '>&', \*STDOUT or die $!;
    exec 'timeout', 300, $browser, '--headless', '--no-remote', '--marionette', '--remote-allow-system-access', '--profile', "$folder/profile", 'about:blank' or die "exec: $!";
}
my ($socket, $id) = (undef, 0);
for my $try (1 .. 300) {
    last if waitpid($pid, 1) != 0;
    my $port = -s "$folder/profile/MarionetteActivePort" ? read_file("$folder/profile/MarionetteActivePort") : 0;
    $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) if $port;
    last if defined $socket;
    select undef, undef, undef, 0.2;
}
my $json = JSON::PP->new->utf8->allow_nonref;
sub receive {
    my ($length, $byte) = ('');
    while (IO::Select->new($socket)->can_read(60) && sysread($socket, $byte, 1)) {
        last if $byte eq ':';
        $length .= $byte;
    }
    die "Firefox does not answer\n" if $length !~ /^\d+$/;
    my $text = '';
    while (length $text < $length) { sysread($socket, $text, $length - length $text, length $text) or die "Firefox has ended\n" }
    return $json->decode($text);
}
sub call {
    my ($command, $arguments) = @_;
    my $text = $json->encode([ 0, ++$id, $command, $arguments // {} ]);
    syswrite($socket, length($text) . ":$text") or die "Firefox has ended\n";
    my $answer = receive();
    die "$command: $answer->[2]{message}\n" if defined $answer->[2];
    return ref $answer->[3] eq 'HASH' && exists $answer->[3]{value} ? $answer->[3]{value} : $answer->[3];
}
sub script { my ($context, $text) = @_; call('Marionette:SetContext', { value => $context }); return call('WebDriver:ExecuteScript', { script => $text, args => [], sandbox => 'default' }) }
# Also where a call has failed.
END { if ($pid) { local $?; kill 'TERM', -$pid; waitpid $pid, 0 } }

if (!defined $socket || !eval { receive(); call('WebDriver:NewSession', {}); 1 }) {
    diag("Firefox does not start: pages of models are not tested in it\n" . ($@ // '') . read_file("$folder/log"));
    plan skip_all => 'Firefox does not start';
}

# ---- every view ----

# Messages of the page's own: errors and warnings of its script, its style and its policy, but that an older Firefox does not
# know a directive of the policy.
my $messages = q{return Services.console.getMessageArray().filter(m => m instanceof Ci.nsIScriptError && m.sourceName.startsWith('file:')).map(m => m.errorMessage)
    .filter(m => !/unknown directive .require-trusted-types-for/.test(m)).join('; ');};
for my $name (@views) {
    script('chrome', 'Services.console.reset();');
    call('Marionette:SetContext', { value => 'content' });
    call('WebDriver:Navigate', { url => "file://$files{$name}" });
    is(script('content', q{return document.getElementById('plain').className}), 'print', "$name: the script ran to its end");
    my $head = q{return document.getElementById('chosen').textContent};
    my $was = script('content', $head);
    isnt($was, '', "$name: a component is chosen");
    script('content', q{const next = [...document.querySelectorAll('button')].find(e => e.textContent === 'Next');
        (next || document.querySelector('tbody button.link')).click();});
    isnt(script('content', $head), $was, "$name: a click chooses another") if $name ne 'tree';
    is(script('content', q{return document.documentElement.scrollWidth - window.innerWidth > 0}), JSON::PP::false, "$name: no scrolling sideways");
    is(script('chrome', $messages), '', "$name: nothing on the console");
}
# The negative control: a message of a page is seen.
open my $bad, '>', "$folder/bad.html" or die $!;
print {$bad} read_file($files{news}) =~ s/"use strict"; /"use strict"; document.title = 1; /r;
close $bad or die $!;
script('chrome', 'Services.console.reset();');
call('Marionette:SetContext', { value => 'content' });
call('WebDriver:Navigate', { url => "file://$folder/bad.html" });
like(script('chrome', $messages), qr{Content-Security-Policy}, 'a script that was changed does not run, and is told on the console');
eval { call('Marionette:Quit', { flags => ['eForceQuit'] }) };
done_testing();
