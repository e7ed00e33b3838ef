# Pages of models (tlv_html) in a browser: every kind and view, the state in the address, hostile texts, the policy with negative
# controls; then clicks and keys.  One browser, led by its driver, opens all of them (Debian: chromium, chromium-driver); without
# it the tests are skipped, and say so.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Spec ();
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Socket::INET ();
use JSON::PP ();
use POSIX qw(WNOHANG);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

sub program { my @found = grep { -x } map { my $name = $_; map { File::Spec->catfile($_, $name) } File::Spec->path } @_; return $found[0] }
my ($browser, $driver) = (program(qw(chromium chromium-browser google-chrome)), program(qw(chromedriver)));
sub skip_pages { my ($why) = @_; diag("pages of models are not tested: $why"); plan skip_all => $why =~ s/\n.*//sr; return }
skip_pages('no chromium with its chromedriver') unless defined $browser && defined $driver;

# ---- the browser and its driver ----

my $folder = tempdir(CLEANUP => 1);
# A port that is free now: older drivers do not say which one they have taken.
my $port = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
my $pid = fork // die "fork: $!";
if (!$pid) {
    open STDOUT, '>', "$folder/driver" or die $!;
    open STDERR, '>&', \*STDOUT or die $!;
    exec 'timeout', 1800, $driver, "--port=$port" or die "exec: $!";
}
for (1 .. 300) {
    last if IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) || waitpid $pid, WNOHANG;
    select undef, undef, undef, .1;
}
my ($http, $json, $session) = (HTTP::Tiny->new(timeout => 60), JSON::PP->new->utf8->allow_nonref, '');
my $call = sub {
    my ($method, $path, $body) = @_;
    my $answer = $http->request($method, "http://127.0.0.1:$port/session$session$path",
        $method eq 'POST' ? { content => $json->encode($body // {}), headers => { 'content-type' => 'application/json' } } : {});
    my $value = eval { $json->decode($answer->{content})->{value} };
    die "driver: $path: $answer->{content}\n" unless $answer->{success};
    return $value;
};
my @options = ('--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', "--user-data-dir=$folder/profile");
my $begun = eval { $call->('POST', '', { capabilities => { alwaysMatch => { 'goog:loggingPrefs' => { browser => 'ALL' },
    'goog:chromeOptions' => { binary => $browser, args => \@options } } } }) };
if (!$begun) {
    kill 'TERM', $pid;
    skip_pages("the browser or its driver does not start\n" . ($@ // '') . read_file("$folder/driver"));
}
$session = "/$begun->{sessionId}";
sub visit { my ($file, $state) = @_; $call->('POST', '/url', { url => 'about:blank' }); $call->('POST', '/url', { url => "file://$file#" . ($state // '') }); return }
sub console { return join '', map { "$_->{message}\n" } @{ $call->('POST', '/se/log', { type => 'browser' }) } }

# ---- the pages, as psql -At writes them ----

my $db = new_database('tlv_pages');
query($db, "SET client_min_messages = error;\n" . read_file('test/sql/include/page_models.sql') . read_file('test/sql/include/page_tasks.sql') . <<'SQL');
INSERT INTO page_models TABLE task_models;
INSERT INTO page_models SELECT 'classes of any number', tlv_lca('SELECT id, variable, answer FROM task_answers');
INSERT INTO page_models SELECT 'tree of answers', tlv_tree('SELECT id, variable, answer FROM task_answers', states => 2);
INSERT INTO page_models SELECT 'labelled tree', tlv_label(model, 1, 'first hidden') FROM page_models WHERE name = 'tree';
-- Question 3 goes with the second half of the questions.
INSERT INTO page_models SELECT 'tree of other answers', tlv_tree($$SELECT id, variable, CASE WHEN variable <> 'question 3' THEN answer
  WHEN (id % 3 = 1) <> (abs(hashint4(id * 10 + 3)) % 8 = 0) THEN 'yes' ELSE 'no' END FROM task_answers$$, states => 2);
INSERT INTO page_models SELECT 'views of other widths', tlv_simulate_multiview_model('{380,390,400}', 40, seed => 1);
-- Labels that differ only in their middle.
CREATE FUNCTION label_all(model tlv_model) RETURNS tlv_model LANGUAGE plpgsql AS $$
DECLARE c int;
BEGIN
  FOR c IN SELECT component FROM tlv_components(model) LOOP
    model := tlv_label(model, c, 'This label begins as all others do, ' || c || ', and ends as all others do');
  END LOOP;
  RETURN model;
END $$;
INSERT INTO page_models SELECT 'long ' || name, label_all(model) FROM page_models WHERE name IN ('topics', 'communities', 'states of symbols', 'tree');
INSERT INTO page_models SELECT 'one dimension', tlv_gmm('SELECT x[1] AS length FROM page_points', 3);
-- Numbers beside categories, views, t distributions: with standard errors where there are any.
INSERT INTO page_models SELECT 'answers and numbers', tlv_lca('SELECT (x[1] > 5)::int AS far, (x[2] > 3)::int AS high, x[1] AS length, x[2] AS width FROM page_points',
  2, layout => 'wide', errors => true);
INSERT INTO page_models SELECT 'views with errors', tlv_multiview('SELECT x[1:1], x[2:2], ARRAY[x[1] + sin(11 * id)] FROM page_points', 3, errors => true);
INSERT INTO page_models SELECT 'heavy tails', tlv_gmm('SELECT x[1] + CASE WHEN id % 20 = 0 THEN 9 * sin(id) ELSE 0 END AS length, x[2] AS width FROM page_points', 2, tails => 't');
INSERT INTO page_models SELECT 'large tree', tlv_simulate_tree_model(60, seed => 1);
INSERT INTO page_models SELECT 'one topic', tlv_topic_model(ARRAY[1,1,1], '{a,b,c}'::text[], ARRAY[.5,.3,.2], '{1}');
INSERT INTO page_models SELECT 'equal topics', tlv_topic_model(ARRAY[1,1,2,2,3,3], '{a,b,a,b,a,b}'::text[], ARRAY[.5,.5,.5,.5,.5,.5], '{1,1,1}');
INSERT INTO page_models SELECT 'no hidden node', tlv_tree('SELECT (i % 2)::text AS a, (i % 2 + i % 7 / 6)::text AS b FROM generate_series(1, 80) i', layout => 'wide');
INSERT INTO page_models SELECT 'merged', tlv_merge(model, '{1,2}') FROM page_models WHERE name = 'mixture diagonal';
SQL
my $hostile = '</script><img src=x onerror=alert(1)>';
query($db, <<"SQL");
SET client_min_messages = error;
INSERT INTO page_models SELECT 'hostile', tlv_label(tlv_label(model, 1, '$hostile'), 2, '<!--<script>"''\\ {{7*7}} ' || U&'\\202E') FROM page_models WHERE name = 'topics';
INSERT INTO page_models SELECT 'hostile words', tlv_lda('SELECT w FROM (VALUES (ARRAY[''$hostile'', ''=HYPERLINK(1)'', ''a'']), (ARRAY[''b'', ''c'', ''b'']),
  (ARRAY[''$hostile'', ''a'', ''a'']), (ARRAY[''c'', ''b'', ''c''])) d(w)', 2);
INSERT INTO page_models SELECT 'hostile nodes', tlv_mmsb('SELECT replace(src, ''node 1'', ''$hostile''), dst FROM page_edges', 2);
SQL
my %names;
for my $name (split /\n/, query($db, 'SELECT name FROM page_models ORDER BY name')) {
    my $file = "$folder/" . $name =~ tr/ /-/r . '.html';
    my $more = $name =~ /communities$/ ? ', graph => (SELECT tlv_graph_agg(src, dst) FROM page_edges)'
        : $name eq 'topics' || $name eq 'mixture full' ? q{, before => model, examples => '[{"component": 1, "title": "first example", "share": 0.5, "x": [20, 0, 0]}]'}
        : $name eq 'people' ? ', graph => (SELECT tlv_graph_agg(src, dst) FROM task_edges)'
        : $name eq 'merged' ? q{, before => (SELECT model FROM page_models WHERE name = 'mixture diagonal')}
        : $name eq 'tree of other answers' || $name eq 'tree' ? q{, before => (SELECT model FROM page_models WHERE name = 'tree of answers')}
        : $name eq 'themes' ? q{, examples => (SELECT json_agg(json_build_object('component', t.topic, 'id', d.id, 'title', array_to_string(d.words, ' '), 'share', t.share)
            ORDER BY t.share DESC, d.id) FROM task_docs d, unnest(tlv_infer(model, tlv_to_bag(d.words))) WITH ORDINALITY t(share, topic) WHERE t.share > 0.9)}
        : $name eq 'labelled tree' ? q{, examples => '[{"component": 1, "id": "variable 2", "title": "second name"}]'}
        : $name eq 'states of symbols' ? q{, examples => '[{"component": 1, "title": "first example", "path": [1, 1, 2, 3, 3]}]'} : '';
    open my $page, '>', $file or die "$file: $!";
    print {$page} query($db, "SELECT tlv_html(model, 'page of $name'$more) FROM page_models WHERE name = '$name'");
    close $page or die "$file: $!";
    $names{$name} = $file;
}

# ---- the document that the browser makes of an address, and what it says on its console ----

sub dom {
    my ($file, $state) = @_;
    visit($file, $state);
    return ($call->('GET', '/source'), console());
}
sub heading { return $_[0] =~ m{id="chosen"[^>]*>(?:<bdi>)?([^<]*)} ? $1 : '' }
sub words { return join ' ', $_[0] =~ m{<tr[^>]*><th scope="row"><button[^>]*class="link"[^>]*><bdi>([^<]*)}g }

for my $name (sort keys %names) {
    my ($dom, $console) = dom($names{$name});
    is($console, '', "$name: nothing on the console");
    isnt(heading($dom), '', "$name: a component is chosen");
    like($dom, qr{<section id="plain" class="print">}, "$name: the script ran to its end");
    ok($dom =~ s{<script.*?</script>}{}sgr !~ /\bNaN\b|undefined|Infinity|\bnull\b/, "$name: no number that is none");
}

# ---- the state is in the address ----

my ($second) = dom($names{topics}, 'c=2&lambda=0');
my ($third) = dom($names{topics}, 'c=3&lambda=100');
is(heading($second), 'topic 2', 'a topic of the address');
isnt(words($second), words($third), 'another address has other words');
is(heading((dom($names{communities}, 'c=2'))[0]), 'community 2', 'a community of the address');
like((dom($names{communities}, 'node=node+7'))[0], qr{<h3><bdi>node 7</bdi>}, 'a node of the address');
is(heading((dom($names{'states of symbols'}, 'c=3'))[0]), 'state 3', 'a state of the address');
is(heading((dom($names{'mixture full'}, 'c=2'))[0]), 'component 2', 'a component of the address');
is(heading((dom($names{tree}, 'node=variable+3'))[0]), 'variable 3', 'a leaf of the address');
is(heading((dom($names{crowd}, 'c=2'))[0]) =~ s/ \(2\)//r, 'dog', 'a class of the address') or diag(heading((dom($names{crowd}, 'c=2'))[0]));
like((dom($names{crowd}, 'worker=worker+3'))[0], qr{<bdi>worker 3</bdi></h2>}, 'a worker of the address');
is(heading((dom($names{factors}, 'c=2&variable=mode+1:+i3'))[0]), 'component 2', 'a component of factors of the address');
my ($odd, $odd_console) = dom($names{topics}, 'c=zz&lambda=1e999&word=%3Cimg%20src=x%20onerror=alert(1)%3E');
is(heading($odd), 'topic 1', 'a hostile address does nothing');
is($odd_console, '', '... not on the console either');
unlike($odd, qr{<img}, '... and makes no element');

# ---- pictures with rows ----

{
    my $rows = q{(SELECT json_agg(json_build_object('component', tlv_assign(model, x), 'x', x, 'title', '</title><script>alert(1)</script>')) FROM page_points)};
    for my $case ([ 'with-rows', ", $rows", 300 ], [ 'without-rows', '', 0 ]) {
        my ($name, $more, $points) = @$case;
        open my $svg, '>', "$folder/$name.svg" or die $!;
        print {$svg} query($db, "SELECT tlv_svg(model$more) FROM page_models WHERE name = 'mixture full'");
        close $svg or die $!;
        my ($dom, $console) = dom("$folder/$name.svg");
        is(scalar(() = $dom =~ /<circle [^>]*stroke-width="0.5"/g), $points, "$name: a point is drawn of every row");
        is(scalar(() = $dom =~ /<ellipse /g), 3, "$name: and every component");
        is($console . ($dom =~ /<script|parsererror/ ? $& : ''), '', "$name: titles are text");
    }
}

# ---- long labels in pictures: distinct, whole in a title, within the picture, and not over each other ----

# What is seen of texts, without their titles.
my $see = q{const seen = e => [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('');};
for my $name ('topics', 'communities', 'mixture full', 'states of symbols', 'sources', 'factors', 'templates', 'atoms', 'crowd') {
    open my $svg, '>', "$folder/long.svg" or die $!;
    print {$svg} query($db, "SELECT tlv_svg(label_all(model)) FROM page_models WHERE name = '$name'");
    close $svg or die $!;
    visit("$folder/long.svg");
    my $run = sub { return $call->('POST', '/execute/sync', { script => "$see
        const texts = [...document.querySelectorAll('text')], names = texts.filter(e => e.dataset.c), box = e => e.getBoundingClientRect();
        return $_[0];", args => [] }) };
    my $count = $run->('names.length');
    cmp_ok($count, '>', 1, "$name: components are named in the picture");
    is($run->(q{new Set(names.map(e => seen(e).replace(/ [\d.]+ %$/, ''))).size}), $count, '... differently, whatever of them is cut');
    is($run->(q{names.filter(e => e.querySelector('title').textContent === 'This label begins as all others do, ' + e.dataset.c + ', and ends as all others do').length}), $count,
        '... with the whole label as a title');
    is($run->(q{texts.filter(e => { const a = box(e), all = box(document.documentElement);
        return a.left < all.left || a.right > all.right || a.top < all.top || a.bottom > all.bottom; }).map(seen).join('; ')}), '', '... and nothing is outside of it');
    is($run->(q{names.filter((a, i) => names.some((b, j) => j < i && Math.min(box(a).right, box(b).right) - Math.max(box(a).left, box(b).left) > 1
        && Math.min(box(a).bottom, box(b).bottom) - Math.max(box(a).top, box(b).top) > 3)).map(seen).join('; ')}), '', '... nor over another name') if $name ne 'mixture full';
}

# ---- texts are texts ----

for my $name ('hostile', 'hostile words', 'hostile nodes') {
    my ($dom) = dom($names{$name});
    (my $elements = $dom) =~ s/="[^"]*"/=""/g;    # older browsers write < in attributes as it is
    is(scalar(() = $elements =~ /<img/g), 0, "$name: no element came of a text");
    is(scalar(() = $elements =~ /<script/g), 2, "$name: no script came of a text");
    like($dom, qr{&lt;/script&gt;&lt;img src=x onerror=alert\(1\)&gt;}, "$name: the text is shown");
}
# The negative control: the same label without references is seen, and the policy stops its handler.
{
    my $page = read_file($names{hostile});
    (my $open = $page) =~ s{<bdi>page of hostile</bdi>}{<bdi>$hostile</bdi>} or die;
    open my $out, '>', "$folder/open.html" or die $!;
    print {$out} $open;
    close $out or die $!;
    my ($dom, $console) = dom("$folder/open.html");
    $dom =~ s/="[^"]*"/=""/g;
    like($dom, qr{<img}, 'the test sees an element that came of a text');
    like($console, qr{Content Security Policy}, 'the policy refuses its handler');
    (my $changed = $page) =~ s{"use strict"; }{"use strict"; document.title = 1; } or die;
    open $out, '>', "$folder/changed.html" or die $!;
    print {$out} $changed;
    close $out or die $!;
    ($dom, $console) = dom("$folder/changed.html");
    like($console, qr{violates the following Content Security Policy}, 'a script that was changed does not run');
    like($dom, qr{<section id="plain" class="card">.*alert\(1\)}s, 'without a script all components are there');
}

# ---- a server with a policy of its own, and what a page asks it for ----

{
    my $page = read_file($names{topics});
    my ($policy) = $page =~ /http-equiv="Content-Security-Policy" content="([^"]*)"/;
    (my $open = $page) =~ s/<meta http-equiv="Content-Security-Policy"[^>]*>// or die;
    my %policies = (hash => $policy, sandbox => 'sandbox allow-scripts', self => "default-src 'self'", none => "default-src 'none'", open => "script-src 'unsafe-inline'");
    my $listener = IO::Socket::INET->new(Listen => 20, LocalAddr => '127.0.0.1') or die "no socket: $!";
    my $served = fork;
    defined $served or die "fork: $!";
    if (!$served) {
        open my $log, '>>', "$folder/requests" or die $!;
        $log->autoflush;
        while (my $client = $listener->accept) {
            my $request = <$client> // '';
            while (defined(my $line = <$client>)) { last if $line =~ /^\r?$/ }
            my ($path) = $request =~ m{^GET /(\S*)};
            print {$log} ($path // '?') . "\n";
            my $known = $policies{ $path // '' };
            print {$client} defined $known
                ? "HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Security-Policy: $known\r\n\r\n" . ($path eq 'open' ? $open : $page)
                : "HTTP/1.0 404 Not Found\r\n\r\n";
            close $client;
        }
        exit 0;
    }
    my $address = 'http://127.0.0.1:' . $listener->sockport;
    my $run = sub { return $call->('POST', '/execute/sync', { script => "return $_[0];", args => [] }) };
    my ($first) = words((dom($names{topics}, 'c=1'))[0]) =~ /^(\S+)/;
    for my $path (qw(hash sandbox self none)) {
        $call->('POST', '/url', { url => "$address/$path" });
        my $script = $path eq 'hash' || $path eq 'sandbox';
        is($run->(q{document.getElementById('chosen') !== null}), $script ? JSON::PP::true : JSON::PP::false, "served with policy $path, " . ($script ? 'the page works' : 'the script is refused'));
        like($run->('document.body.innerText'), qr{\Q$first\E}, '... and has the words');
        console() if !$script;
        is(console(), '', '... without a message');
    }
    # What a script of the page itself would ask for is refused; without the policy it is not, and is seen.
    my $ask = sub { return $call->('POST', '/execute/sync', { script => q{
        const image = new Image();
        const loaded = new Promise(done => { image.onload = image.onerror = done; });
        image.src = '/image-' + arguments[0];
        return Promise.all([loaded, fetch('/fetch-' + arguments[0]).catch(() => 0)]).then(() => 0);}, args => [ $_[0] ] }) };
    for my $path (qw(hash open)) {
        $call->('POST', '/url', { url => "$address/$path" });
        $ask->($path);
        console();
    }
    kill 'TERM', $served;
    waitpid $served, 0;
    my @requests = grep { !/favicon/ } split /\n/, read_file("$folder/requests");
    is(join(' ', grep { !/-/ } @requests), 'hash sandbox self none hash open', 'a page is one request');
    is(join(' ', sort grep { /-/ } @requests), 'fetch-open image-open', 'its policy refuses any other, of which the test sees those of a page without it');
}

# ---- clicks and keys ----

{
    my $js = sub { return $call->('POST', '/execute/sync', { script => "return $_[0];", args => [] }) };
    my $open = sub { visit($names{$_[0]}, $_[1]); return };
    my $find = sub { my $e = $call->('POST', '/element', { using => 'css selector', value => $_[0] }); return (values %$e)[0] };
    my $click = sub { $js->("document.querySelector(" . JSON::PP->new->allow_nonref->encode($_[0]) . ").dispatchEvent(new MouseEvent('click', {bubbles: true}))"); return };
    my $keys = sub { my @keys = @_; $call->('POST', '/actions', { actions => [ { type => 'key', id => 'keyboard',
        actions => [ map { ({ type => 'keyDown', value => $_ }, { type => 'keyUp', value => $_ }) } @keys ] } ] }); return };
    # What a click on the buttons of a name saves.
    my $saved = sub { return $call->('POST', '/execute/sync', { script => q{
        const list = [], kept = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
        URL.createObjectURL = b => { list.push(b); return 'about:blank'; };
        HTMLAnchorElement.prototype.click = function () { return; };
        [...document.querySelectorAll('#app button')].filter(e => e.textContent === arguments[0]).forEach(e => e.click());
        URL.createObjectURL = kept;
        HTMLAnchorElement.prototype.click = click;
        return Promise.all(list.map(b => b.text()));}, args => [ $_[0] ] }) };
    my ($enter, $escape, $right, $left) = ("\x{e007}", "\x{e00c}", "\x{e014}", "\x{e012}");
    my $head = q{document.querySelector('#chosen').textContent};
    my $bars = q{[...document.querySelectorAll('.bars tbody th')].map(e => e.textContent).join(' ')};

    $open->('topics');
    my $before = $js->($bars);
    $click->('circle.node:not(.on)');
    isnt($js->($bars), $before, 'a click on the map changes the bars');
    $js->(q{document.querySelector('circle.node[tabindex="0"]').focus()});
    my $was = $js->($head);
    $keys->($right);
    isnt($js->($head), $was, 'an arrow key goes to the next topic');
    is($js->('document.activeElement.tagName'), 'circle', '... and the focus stays in the map');
    my $order = $js->($bars);
    $js->(q{document.querySelector('input[type=range]').focus()});
    $keys->(($left) x 12);
    isnt($js->($bars), $order, 'the slider changes the order of words');
    like($js->('location.hash'), qr{lambda=0}, '... and the address');
    $js->('document.activeElement.blur()');
    $keys->('/');
    is($js->('document.activeElement.type'), 'search', 'the key / goes to the search');
    my $word = $js->(q{document.querySelector('.bars tbody th').textContent});
    $keys->(split(//, $word), $enter);
    cmp_ok($js->(q{document.querySelectorAll('circle.hot').length}), '>=', 1, 'a word lights its topics');
    $keys->($escape);
    is($js->(q{document.querySelectorAll('circle.hot').length}), 0, 'Escape clears it');
    $js->(q{(function () { const i = document.querySelector('details input[type=text]'); i.value = "it's sport"; i.dispatchEvent(new Event('change')); return 1; }())});
    my $naming = $js->(q{document.querySelector('#label').closest('details').querySelector('code').textContent});
    like($naming, qr{tlv_label\(model, \d, 'it''s sport'\)}, 'a name gives its SQL');
    is(query($db, "CREATE TEMP TABLE models AS SELECT model FROM page_models WHERE name = 'topics'; " . $naming =~ s/ WHERE \.\.\.//r
        . 'SELECT label FROM models, tlv_components(model) WHERE label IS NOT NULL'), "it's sport", '... which runs');
    for my $order ([ 'lambda=100', "'probability'" ], [ 'lambda=-1', "'distinctive'" ]) {
        for my $topic (1 .. 4) {
            $open->('topics', "c=$topic&$order->[0]");
            is($js->($bars), query($db, "SELECT string_agg(item_name, ' ' ORDER BY rank) FROM page_models, tlv_topic_items(model, 30, by => $order->[1]) WHERE name = 'topics' AND topic = $topic"),
                "the words of topic $topic are those of tlv_topic_items by $order->[1]");
        }
    }
    like($js->('document.body.innerText'), qr{Weights are mean proportions of a document; counts of words are those of the documents}, 'what weights and counts are is said');
    like($js->('document.body.innerText'), qr{first example}, 'an example is shown') if $js->($head) =~ /\(1\)|topic 1/;

    $open->('communities');
    $was = $js->($head);
    $click->('.chips button:nth-child(2)');
    isnt($js->($head), $was, 'a community is chosen');
    $js->(q{document.querySelector('input[type=search]').focus()});
    $keys->(split(//, 'node 33'), $enter);
    like($js->(q{document.querySelector('h3').parentElement.innerText}), qr{node 33}, 'a node is found');
    cmp_ok($js->(q{document.querySelectorAll('.edge.hot').length}), '>', 0, '... and its edges are lit');
    my $first = $js->(q{document.querySelectorAll('.scroll tbody tr')[0].textContent});
    my $sorted = q{[...document.querySelectorAll('.scroll thead th')].filter(e => e.getAttribute('aria-sort') || e.querySelector('.arrow').textContent)
        .map(e => e.querySelector('button').textContent + ' ' + e.getAttribute('aria-sort')).join('; ')};
    is($js->($sorted), "in the chosen\x{25bc} descending", 'an arrow is on the column by which the list is sorted');
    $js->(q{document.querySelectorAll('.scroll thead button')[3].click()});
    isnt($js->(q{document.querySelectorAll('.scroll tbody tr')[0].textContent}), $first, 'the list sorts');
    is($js->($sorted), "edges\x{25bc} descending", '... and the arrow goes with it');
    $js->(q{document.querySelectorAll('.scroll thead button')[3].click()});
    is($js->($sorted), "edges\x{25b2} ascending", '... and turns');
    # What the arrow says is the order of the numbers below it.
    for my $name ('crowd', 'topics', 'communities') {
        $open->($name);
        my $lists = $js->(q{[...document.querySelectorAll('th[aria-sort]')].map(th => [th.getAttribute('aria-sort'),
            ...[...th.closest('table').querySelectorAll('tbody tr')].map(r => r.children[th.cellIndex].textContent)])});
        cmp_ok(scalar @$lists, '>', 0, "$name: a table is sorted");
        for my $list (@$lists) {
            my ($direction, @shown) = @$list;
            my @numbers = map { /^<?(-?[\d.]+(?:e[-+]?\d+)?)/ ? $1 : () } @shown;
            my $sign = $direction eq 'ascending' ? 1 : -1;
            cmp_ok(scalar @numbers, '>', 1, "$name: a table is sorted by numbers");
            is(scalar(grep { $sign * $numbers[$_] < $sign * $numbers[ $_ - 1 ] } 1 .. $#numbers), 0, "... which are $direction");
        }
    }
    $open->('communities');
    # The key of the graph: numbers of communities beside the colours of their pies.
    my $key = q{[...document.querySelectorAll('figcaption .keep')].map(e => e.textContent + ' ' + getComputedStyle(e.querySelector('.key')).backgroundColor).join('; ')};
    my $fills = $js->(q{[1, 2].map(c => c + ' ' + getComputedStyle(document.querySelector('.pie [data-m="' + c + '"]')).fill).join('; ')});
    like($js->($key), qr{^\Q$fills\E; grey}, 'a key joins colours and numbers of communities');
    is($js->(q{[...document.querySelectorAll('.tag')].map(e => e.lastChild.data.replace('community ', '') + ' ' + getComputedStyle(e.previousElementSibling).fill).sort().join('; ')}),
        $fills, '... as their names in the graph do');
    $js->(q{document.querySelector('input[type=checkbox]').click()});
    cmp_ok($js->(q{document.querySelectorAll('.pie.one').length}), '>', 0, 'only the chosen community');
    my $accent = $js->(q{document.querySelector('.now').textContent + ' ' + getComputedStyle(document.querySelector('.pie.one .in')).fill});
    like($js->($key), qr{^\Q$accent\E; memberships in other}, '... which the key names');

    for my $case ([ directed => 'dst' ], [ bipartite => "'to ' || dst" ]) {
        my ($name, $target) = @$case;
        $open->($name);
        my $sql = $js->(q{[...document.querySelectorAll('#app code')].find(e => e.textContent.includes('graph =>')).textContent});
        like(query($db, "CREATE TEMP VIEW edges AS SELECT src, $target AS dst FROM page_edges; CREATE TEMP VIEW models AS SELECT model FROM page_models WHERE name = '$name'; $sql"),
            qr{"given_graph":true}, "$name: the call with a graph that the page shows runs");
    }

    $open->('states of symbols');
    $was = $js->($head);
    $click->('#picture circle[data-c="2"]');
    isnt($js->($head), $was, 'a click on a state of the drawing chooses it');
    cmp_ok($js->(q{document.querySelectorAll('.segments i').length}), '==', 3, 'a path is a ribbon of its stays');
    $open->('mixture full');
    $was = $js->($head);
    $click->('ellipse:not(.on)');
    isnt($js->($head), $was, 'a click on an ellipse chooses its component');
    cmp_ok($js->(q{document.querySelectorAll('.point').length}), '==', 1, 'an example is a point');
    my $drawn = $js->(q{document.querySelector('.ellipse').getAttribute('cx')});
    $js->(q{(function () { const x = document.querySelectorAll('select')[0]; x.value = 2; x.dispatchEvent(new Event('change', {bubbles: true})); return 1; }())});
    isnt($js->(q{document.querySelector('.ellipse').getAttribute('cx')}), $drawn, 'another dimension is drawn');
    $open->('tree');
    $click->('circle.inner');
    is($js->(q{[...document.querySelectorAll('button')].find(e => e.textContent === 'Whole tree').disabled}), JSON::PP::false, 'a click on an inner node shows its part of the tree');
    $open->('labelled tree', 'node=h1');
    like($js->($head), qr{^first hidden \(hidden\)$}, 'a label of a tree is that of a hidden node');
    my $leaves = $js->(q{[...document.querySelectorAll('svg text')].map(e => e.lastChild.data).sort().join('|')});
    like($leaves, qr{^first hidden\|h2\|variable 0\|variable 1\|variable 2 - second name, joined to no other\|variable 3\|}, '... in the drawing, too, where an example gives a leaf a second name');
    $js->(q{(function () { const i = document.querySelector('details input[type=text]'); i.value = 'root'; i.dispatchEvent(new Event('change')); return 1; }())});
    like($js->(q{document.querySelector('#label').closest('details').querySelector('code').textContent}), qr{tlv_label\(model, 1, 'root'\)}, '... and is changed on the page');
    # An earlier tree: what moved from one hidden node to another, and what only one of the trees has.
    $open->('tree of other answers', 'node=question+3');
    my $cards = q{[...document.querySelectorAll('.card')].filter(e => e.querySelector('h2') && e.querySelector('h2').textContent === 'Change from the model before')};
    my $change = $js->("$cards\[0].innerText");
    like($change, qr{^Variables that are joined to another hidden node than before: 1 of 6\.$}m, 'a variable that moved in the tree is counted');
    is($js->("[...$cards\[0].querySelectorAll('.scroll')[0].querySelectorAll('tbody tr th')].map(e => e.textContent).join()"), 'question 3', '... and named');
    my ($home, $before_home) = map { query($db, "SELECT CASE WHEN parent = 'question 3' THEN child ELSE parent END FROM page_models, tlv_tree_edges(model)
        WHERE name = '$_' AND 'question 3' IN (parent, child)") } 'tree of other answers', 'tree of answers';
    like($change, qr{^question 3\s+$home\s+$before_home$}m, '... with the hidden nodes that it is and was joined to');
    like($js->(q{document.querySelector('#chosen').parentElement.textContent}), qr{Before: joined to $before_home}, '... in its panel, too');
    $open->('tree', 'node=h1');
    like($js->("$cards\[0].innerText"), qr{Only in this model: variable 0, .*h1.*Only in the model before: question 1, .*h1}s, 'a tree of other variables has nothing in common with it');
    for my $groups (0, 2, 3, 4) {
        $open->('tree', "groups=$groups");
        is($js->(q{[...document.querySelectorAll('.clusters li')].map(e => e.textContent).join('; ')}),
            query($db, "SELECT string_agg(list, '; ' ORDER BY cluster) FROM (SELECT cluster, string_agg(variable_name, ', ' ORDER BY variable) AS list FROM page_models, "
                . "tlv_tree_clusters(model, nullif($groups, 0)) WHERE name = 'tree' GROUP BY cluster) c"), "clusters are those of tlv_tree_clusters, $groups of them");
    }
    $open->('crowd');
    $js->(q{document.querySelector('.scroll tbody button').click()});
    like($js->(q{[...document.querySelectorAll('h2')].map(e => e.textContent).join(' ')}), qr{Answers of worker}, 'a worker is chosen');
    $open->('factors');
    $was = $js->($head);
    $click->('#picture [data-c="2"]');
    isnt($js->($head), $was, 'a click on a matrix chooses a component');

    # ---- what the fit says, and drawings by keyboard ----

    my $down = "\x{e015}";
    my $focus = sub { $js->("document.querySelector(" . JSON::PP->new->allow_nonref->encode("$_[0]\[tabindex='0']") . ").focus()"); return $js->('document.activeElement.getAttribute("aria-label")') };
    my $focused = sub { return $js->('document.activeElement.getAttribute("aria-label")') };
    for my $case ([ communities => '.pie', 'node' ], [ 'mixture full' => '.ellipse', 'component' ], [ tree => '#app circle', 'leaves' ], [ topics => '.leafname', 'topic' ],
        [ 'states of symbols' => '#picture [role=button]', 'state' ], [ factors => '#picture [role=button]', 'component' ]) {
        my ($name, $mark, $word) = @$case;
        $open->($name);
        my $here = $focus->($mark);
        like($here, qr{$word}, "$name: a mark of the drawing has the focus and a name");
        $keys->($_) for $right, $down, $left;
        $keys->($right) if $focused->() eq $here;
        $keys->($down) if $focused->() eq $here;
        my $there = $focused->();
        isnt($there, $here, "$name: arrows go to another");
        $was = $js->('location.hash');
        $keys->($enter);
        isnt($js->('location.hash'), $was, "$name: Enter chooses it");
        is($js->('document.activeElement.getAttribute("role")'), 'button', '... and the focus stays in the drawing');
    }
    # What is chosen by a link that is gone then has the focus: by keyboard one goes on from there.
    $open->('topics');
    $js->(q{document.querySelector('#chosen ~ p .link').focus()});
    $keys->($enter);
    is($js->('document.activeElement.id'), 'chosen', 'a link to another topic leads to its heading');
    $open->('topics');
    is($js->(q{document.querySelectorAll('.joint').length}), 3, 'four topics merge three times');
    like($js->(q{document.querySelector('.recurs').textContent}), qr{Recurs in fits to three quarters of the rows: distance \(0: the same\) 0\.\d}, 'whether a topic recurs is said');
    like($js->(q{[...document.querySelectorAll('#chosen ~ p span[title]')].map(e => e.title).join()}), qr{cosine 0\.\d}, 'the cosine of topics is a title');
    like($js->(q{document.querySelector('#chosen').parentElement.innerText}), qr{distance \(0: the same; [\d.]+: the two that differ most on this page\)}, 'distances have a scale');
    ok($js->(q{D.neighbours.flat().every(x => x[1] <= D.farthest)}), '... that ends with the largest one');
    $open->('states of symbols');
    is($js->(q{[...document.querySelectorAll('.leafname')].map(e => e.lastChild.data).filter(t => { const i = Number(t.split(': ')[0]) - 1, all = i + 1 + ': ' + summary(i);
        return t.length >= all.length || t.includes('...') || !(all + ', ').startsWith(t + ', '); }).join('; ')}), '', 'descriptions of states that merge are their first entries');
    # The states before one, in the long run, are those of the arrivals; they are said to sum to 100 %.
    $open->('states of symbols', 'c=2');
    my $ways = $js->(q{[...document.querySelectorAll('.ways table')].map(t => [...t.querySelectorAll('tbody tr')].map(r => [r.children[0].textContent, r.children[1].textContent]))});
    my @stationary = split /\n/, query($db, q{SELECT s FROM page_models, json_array_elements_text(tlv_to_json(model)->'stationary') s WHERE name = 'states of symbols'});
    my ($after, $prior) = map { my $column = $_; +{ map { $_->[0] =~ /state (\d+)/ => $_->[1] =~ /([\d.]+)/ ? $1 : '' } @$column } } @$ways;
    my ($sum_next, $sum_before) = (0, 0);
    $sum_next += $_ for values %$after;
    $sum_before += $_ for values %$prior;
    cmp_ok(abs($_ - 100), '<', 1, 'states of the steps beside one sum to 100 %') for $sum_next, $sum_before;
    for my $from (1 .. @stationary) {
        my ($p) = query($db, "SELECT probability FROM page_models, tlv_transitions(model) WHERE name = 'states of symbols' AND from_state = $from AND to_state = 2");
        cmp_ok(abs(100 * $stationary[ $from - 1 ] * $p / $stationary[1] - $prior->{$from}), '<', 0.51, "... and state $from has its part of the arrivals");
    }
    # A bar beside a number is as long as it is.
    like($js->(q{[...document.querySelectorAll('.bars tbody tr')].map(r => [parseFloat(r.children[1].textContent), parseFloat(r.querySelector('i + i').style.width)])
        .filter(x => x[0] > 5).map(x => (x[1] / x[0]).toFixed(1)).filter((x, i, all) => Math.abs(x - all[0]) > 0.15).length}), qr{^0$}, 'bars of emissions have the lengths of their numbers');
    $open->('topics of words');
    is($js->(q{document.querySelectorAll('.recurs, .joint').length}), 0, 'without errors nothing is said of it, and two topics merge in no tree');
    $open->('classes of any number');
    $js->(q{document.querySelector('details summary').click()});
    cmp_ok($js->(q{document.querySelectorAll('.score circle').length}), '>=', 3, 'the scores of the numbers of components that were tried are drawn');
    is($js->(q{document.querySelectorAll('.score circle.ring').length}), $js->(q{document.querySelectorAll('.score').length}), '... with a ring about the chosen number');
    $open->('voters');
    is($js->(q{document.querySelectorAll('.score').length}), 0, '... and none where k was given');
    unlike($js->(q{document.querySelector('#chosen').parentElement.textContent}), qr{overlap}i, 'no overlap of a class with all');
    $open->('voters', 'c=1&with=2');
    like($js->(q{document.querySelector('#chosen').parentElement.textContent}), qr{Overlap of the two: \d}, 'the overlap of two classes is said where they are compared');
    $open->('mixture full', 'c=1&with=2');
    like($js->(q{document.querySelector('#chosen').parentElement.textContent}), qr{Overlap of the two: <0\.1}, 'the overlap of components is said');
    $open->('tree of answers', 'node=question+1');
    like($js->(q{document.querySelector('.heat thead').textContent}), qr{no.*yes}, 'states of a leaf have the names of its categories');
    $open->('network');
    like($js->(q{document.querySelector('.alike').textContent}), qr{cosine}, 'components without distances have the nearest by cosine');
    $open->('sources');
    is($js->(q{document.querySelectorAll('.alike').length + ' ' + document.querySelector('#chosen').parentElement.textContent.split('Nearest').length}), '0 2', '... and others one measure');

    # ---- estimates lie in their intervals, which belong to other entries where numbering differs ----

    for my $name ('topics', 'communities', 'classes', 'answers and numbers', 'views with errors') {
        $open->($name);
        my $text = $js->(q{[...document.querySelectorAll('#app table tbody tr, #chosen')].map(e => e.innerText.replace(/\s+/g, ' ')).join('\n')});
        my @intervals;
        my ($number, $of) = (qr/(-?[\d.]+)(?: %)?/, qr/ of all \(weight of the \w+\)| of the nodes/);
        push @intervals, [ $1, $2, $3 ] while $text =~ /$number(?:$of)? \(?(?:deviation [\d.]+; )?95 %: <?$number to $number/g;
        push @intervals, [ $1, $2, $3 ] while $text =~ / ([\d.]+) \(([\d.]+)-([\d.]+)\) /g;
        cmp_ok(scalar @intervals, '>', 2, "$name: intervals are shown");
        is(join('; ', map { "@$_" } grep { $_->[0] < $_->[1] - 0.06 || $_->[0] > $_->[2] + 0.06 } @intervals), '', '... around their estimates');
    }
    $open->('heavy tails');
    like($js->(q{document.querySelector('#chosen').parentElement.textContent}), qr{Degrees of freedom of the t distribution: \d}, 'degrees of freedom are said');
    # Of views of other widths the page has as many dimensions, and each under its own number.
    $open->('views of other widths');
    my %values = map { /^"(view [^"]*)","1","([^"]*)"/ ? ($1 => $2) : () } split /\n/, $saved->('CSV')->[0];
    my %own = map { split /\|/ } split /\n/, query($db, q{SELECT 'view ' || t || ': ' || i, x FROM page_models, generate_series(1, 3) t,
        json_array_elements_text(tlv_to_json(model)->('means' || t)->0) WITH ORDINALITY e(x, i) WHERE name = 'views of other widths'});
    cmp_ok(scalar keys %values, '==', 3 * 375, 'the page has a part of every view');
    is(join(' ', grep { abs($values{$_} - $own{$_}) > 6e-4 * abs $own{$_} } sort keys %values), '', '... under the numbers of the dimensions');
    # Labels that are cut in a drawing are distinct there, and whole in a title of it and beside it.
    for my $name ('long topics', 'long communities', 'long states of symbols', 'long tree') {
        $open->($name, 'c=2');
        my $cut = $js->("(function () { $see
            return [...document.querySelectorAll('#app svg')].map(g => [...g.querySelectorAll('text')].map(seen).filter(t => t.includes('...'))).filter(l => l.length > 1); }())");
        cmp_ok(scalar @$cut, '>', 0, "$name: labels are cut in a drawing");
        is(join('; ', map { my %once; grep { $once{$_}++ } @$_ } @$cut), '', '... and differ');
        is($js->(q{names.filter(n => ![...document.querySelectorAll('#app svg title')].some(t => t.textContent.includes(n))
            || ![...document.querySelectorAll('#app .chips button, #app td, #app th')].some(e => e.textContent.includes(n))).join('; ')}), '', '... and are whole in a title and beside it');
    }
    $open->('merged');
    like($js->('document.body.innerText'), qr{Only in the model before: component \d: \w+ -?\d}, 'a component that is gone is said');

    # ---- labels of drawings do not cover each other, nor what they name ----

    my $covered = q{(function () {
        const box = e => e.getBoundingClientRect(), cut = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
        const texts = [...document.querySelectorAll('svg text.tag, svg text.big, svg text.name, svg text.no')], found = [];
        texts.forEach((a, i) => texts.slice(0, i).forEach(b => { if (a.ownerSVGElement === b.ownerSVGElement && cut(box(a), box(b))) found.push(a.textContent + ' / ' + b.textContent); }));
        return found.join('; ');
    }())};
    for my $case ([ 'hostile', 'c=1', '.name' ], [ 'communities', 'c=1', '.tag' ], [ 'communities', 'node=node+7', '.big' ], [ 'people', 'c=2', '.tag' ],
        [ 'large tree', 'node=v1', '.name' ], [ 'mixture full', 'c=1', '.no' ]) {
        my ($name, $state, $mark) = @$case;
        $open->($name, $state);
        cmp_ok($js->("document.querySelectorAll('svg text$mark').length"), '>', 1, "$name: labels of a drawing with $state");
        is($js->($covered), '', '... do not cover each other');
        is($js->(q{document.querySelectorAll('svg text.tag').length}), $js->(q{document.querySelectorAll('.chips button').length}), '... and every community has one') if $mark eq '.tag';
    }
    $js->(q{(function () { const t = document.querySelectorAll('svg text.no'); t[1].setAttribute('x', t[0].getAttribute('x')); t[1].setAttribute('y', t[0].getAttribute('y')); }())});
    isnt($js->($covered), '', 'the test sees labels that cover each other');

    # ---- texts of the data are isolated from the direction of what is around them ----

    for my $case ([ hostile => 'c=1' ], [ 'hostile words' => 'word=%3C/script%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E' ], [ 'hostile nodes' => '' ]) {
        my ($name, $state) = @$case;
        $open->($name, $state);
        my $outside = q{[...document.querySelectorAll('#app *')].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.includes('onerror'))
            && !e.closest('bdi, code, option, svg, .live')).map(e => e.tagName + ' ' + e.textContent.slice(0, 60)).join('; ')};
        is($js->($outside), '', "$name: texts are in elements of their own direction");
        $js->(q{document.querySelector('#app').appendChild(document.createElement('p')).append('onerror')});
        isnt($js->($outside), '', '... and another one is seen');
    }

    # ---- files that a page saves: as many cells in every row, no formula, and pictures that open and look the same ----

    for my $name ('topics', 'hostile words', 'communities', 'mixture full', 'one dimension', 'states of symbols', 'tree', 'crowd', 'factors') {
        $open->($name);
        my ($csv) = @{ $saved->('CSV') };
        my %cells = map { (scalar(() = /"(?:[^"]|"")*"/g) => 1) } split /\n/, $csv;
        is(scalar(keys %cells), 1, "$name: every row of the CSV file has as many cells");
        cmp_ok(scalar(() = $csv =~ /\n/g), '>', 2, '... and there are rows');
        like($csv, qr{"'=HYPERLINK\(1\)"}, '... a formula is text') if $name eq 'hostile words';
        my @pictures = @{ $saved->('SVG') };
        cmp_ok(scalar @pictures, '>', 0, "$name: pictures are saved");
        for my $n (0 .. $#pictures) {
            open my $svg, '>:encoding(UTF-8)', "$folder/saved.svg" or die $!;
            print {$svg} $pictures[$n];
            close $svg or die $!;
            my ($dom, $console) = dom("$folder/saved.svg");
            is($console . ($dom =~ /parsererror/ ? $& : ''), '', '... which open');
            like($pictures[$n], qr{<text[^>]* paint-order="stroke"}, '... with outlines of numbers below them') if $name eq 'topics';
        }
    }

    # ---- the SQL of every page runs, and what the page says of a component is what tlv_summary says ----

    for my $name (sort grep { !/hostile/ } keys %names) {
        $open->($name);
        my $sql = $js->(q{[...document.querySelectorAll('details')].filter(e => e.querySelector('summary').textContent === 'In SQL').map(e => e.querySelector('code').textContent).join(' ')});
        my $rows = eval { query($db, "DROP VIEW IF EXISTS models; CREATE VIEW models AS SELECT model FROM page_models WHERE name = '$name'; $sql") };
        ok(defined $rows && $rows ne '', "$name: the SQL of the page gives rows") or diag("$sql\n$@");
        # Entries without their numbers, which the page and the function round to other digits.
        my $entries = sub { return join '|', map { s/ [-+]?[\d.]+(?:e[-+]?\d+)?(?:[ \xa0]%)?$//r } split /, /, $_[0] };
        my @said = map { $entries->($_) } @{ $js->('C.map(function(c, i) { return summary(i); })') };
        my @described = map { $entries->($_) } split /\n/, query($db, 'SELECT description FROM models, tlv_summary(model) WHERE component > 0 ORDER BY component');
        my @other = grep { (length $said[$_] xor length $described[$_]) || (index("$described[$_]|", "$said[$_]|") != 0 && index("$said[$_]|", "$described[$_]|") != 0) } 0 .. $#said;
        is(join(', ', @other), '', "$name: components are described as by tlv_summary") or diag("$said[$other[0]]\n$described[$other[0]]");
    }

    # ---- three tasks, from what the page shows alone ----

    my $text = sub { return $js->("document.querySelector('$_[0]').innerText") };
    my $focused_text = sub { return $js->('document.activeElement.textContent') };
    my $choose = sub { my ($select, $label) = @_; return $js->(qq{(function () { const s = document.querySelector('$select'); s.value = [...s.options].find(o => o.text === '$label').value;
        s.dispatchEvent(new Event('change', {bubbles: true})); return s.value; }())}) };
    # The topic of a word, and five documents of it.
    $open->('themes');
    $keys->('/', split(//, 'minister'), $enter);
    my ($topic) = $js->($head) =~ /topic (\d)/;
    is($topic, query($db, q{SELECT topic FROM task_models, tlv_topic_items(model, top => 5) WHERE name = 'themes' AND item_name = 'minister' ORDER BY probability DESC LIMIT 1}),
        'a word that is typed leads to its topic');
    like($text->('#app'), qr{'minister': \d+.% of it in topic $topic}, '... which the page says in words');
    is($js->('document.activeElement.tagName'), 'BODY', '... and leaves the field of the search');
    is($js->(q{document.querySelectorAll('.bars .hit').length}), 1, '... with the word among those of the topic');
    # Of topics that do not list the word the page knows a limit of their share, not that it is 0.
    my $of_word = q{[...document.querySelectorAll('td:nth-child(3)')].filter(e => e.closest('table').textContent.startsWith('Topics')).map(e => e.innerText).join('\n')};
    my @of_word = split /\n/, $js->($of_word);
    cmp_ok(scalar @of_word, '==', 2, '... and a share of it for every topic');
    is(join('; ', grep { !/[1-9]/ } @of_word), '', '... which is never 0');
    $keys->('/', split(//, 'minist'), $enter);
    like($text->('#app'), qr{The only match for 'minist': minister|The first of \d+ matches for 'minist': }, 'a part of a word finds it, and the page says so');
    $keys->('/', split(//, 'minister'), $enter);
    like($js->(q{document.querySelector('input[type=search]').value}), qr{^minister$}, '... and / begins another search');
    my @documents = split /\n/, $js->(q{[...document.querySelectorAll('.list tbody tr')].map(e => e.innerText.replace(/\s+/g, ' ')).join('\n')});
    cmp_ok(scalar @documents, '>=', 5, '... with five documents');
    is(scalar(grep { !/\bminister\b/ || /\bgoal\b/ } @documents[ 0 .. 4 ]), 0, '... that are of that topic');
    $click->('#chosen ~ p.noprint button');
    is($js->(q{(function () { const b = document.getElementById('examples').getBoundingClientRect(); return b.top >= 0 && b.top < window.innerHeight / 2; }())}), JSON::PP::true,
        '... to which a link leads from the heading');
    # A word that is not among the first of a topic is there, too, and of topics that do not list it a limit of its share.
    $open->('topics', 'c=1');
    my $later = $js->(q{D.words.map(T).find(w => ![...document.querySelectorAll('.bars tbody th bdi')].some(e => e.textContent === w))});
    $open->('topics', "c=1&word=$later");
    like($js->(q{document.querySelector('.bars tbody tr').className + ' ' + document.querySelector('.bars tbody th').innerText}),
        qr{^hit \Q$later\E looked for}, 'a word that is looked for is in the list of every topic');
    is(join('; ', grep { !/[1-9]/ } split /\n/, $js->($of_word)), '', '... and no share of it is 0');
    # What is chosen is a step of the history, where a slider is, is not.
    # (The browser keeps 50 steps, so that their number does not say whether one is added.)
    $js->('(function (push) { window.steps = 0; history.pushState = function () { window.steps++; return push.apply(history, arguments); }; }(history.pushState))');
    $js->(q{document.querySelector('input[type=range]').focus()});
    $keys->(($left) x 3);
    is($js->('window.steps'), 0, 'a slider adds nothing to the history');
    $js->('document.activeElement.blur()');
    $click->('.sticky button:nth-child(2)');
    like($js->("window.steps + ' ' + $head"), qr{^1 topic 2 }, 'a choice adds a step');
    $call->('POST', '/back', {});
    like($js->($head), qr{^topic 1 }, '... and Back leads to what was chosen before');
    # The bridges between two communities.
    $open->('people');
    my $of = sub { return query($db, "SELECT community FROM task_models, tlv_memberships(model, 0.5) WHERE name = 'people' AND node_name = '$_[0]'") };
    my ($one, $other) = ($of->('person 3'), $of->('person 1'));
    $click->(".chips button:nth-child($one)");
    $js->(qq{[...document.querySelectorAll('.overlap tr')].find(e => e.innerText.includes('community $other')).querySelector('td button').click()});
    my $bridges = $js->(q{[...document.querySelectorAll('h3')].find(e => e.textContent.startsWith('Bridges between')).parentElement.innerText});
    like($bridges, qr{Bridges between community $one and community $other}, 'the number of common nodes leads to the bridges between two communities');
    like($focused_text->(), qr{^Bridges between}, '... which have the focus');
    is($js->(q{(function () { const b = document.activeElement.parentElement.getBoundingClientRect(); return b.top >= 0 && b.bottom <= window.innerHeight; }())}), JSON::PP::true, '... and are seen');
    is(join(' ', sort $bridges =~ /^((?:bridge|person) \d+)/mg), 'bridge 1 bridge 2', '... which are those two nodes');
    $call->('POST', '/back', {});
    is($js->(q{document.querySelectorAll('.halo.both').length}), 0, '... from which Back leads to the community alone');
    $call->('POST', '/forward', {});
    my $rings = q{document.querySelectorAll('.halo.both').length + ' ' + [...document.querySelectorAll('svg text.big')].map(e => e.textContent).sort().join(', ')};
    is($js->($rings), '2 bridge 1, bridge 2', '... and have rings and names in the graph');
    is($js->(q{document.querySelectorAll('.pie.far').length}), 12, '... where the third community is pale');
    $js->(q{[...document.querySelectorAll('ul.plain .link')].find(e => e.textContent === 'bridge 1').click()});
    is($js->(q{document.querySelectorAll('.halo:not(.both)').length + ' ' + document.querySelector('#chosen').textContent.slice(0, 11)}), "1 community $one", 'a click on a bridge marks it, too');
    like($js->(q{document.querySelector('#app').innerText}), qr{Bridges between community $one and community $other}, '... and its list stays');
    is($js->(q{[...document.querySelectorAll('.bridges [aria-current]')].map(e => e.textContent).join()}), 'bridge 1', '... where it is marked');
    like($js->(q{document.querySelector('.opened').innerText}), qr{^bridge 1, \d+ edges.*Joined with: (?:bridge|person) \d+, }s, '... with its neighbours');
    is($js->(q{(function () { const b = document.querySelector('.opened').getBoundingClientRect(); return b.top >= 0 && b.top < window.innerHeight; }())}), JSON::PP::true, '... in view');
    $js->(q{document.activeElement.blur()});
    $keys->('/', split(//, 'person 2'), $enter);
    unlike($js->(q{document.querySelector('#app').innerText}), qr{Bridges between}, 'a node that is looked for ends the bridges between two communities');
    $open->('people', "c=$one&with=$other");
    $js->(q{document.querySelector('.chips button:not([aria-pressed=true])').click()});
    unlike($js->('location.hash'), qr{with=}, '... as another community does');
    # Of every two communities there is a row, and a square which opens it and has its number in words.
    $open->('communities', 'c=1');
    my $k = $js->('C.length');
    is($js->(q{document.querySelectorAll('.overlap tbody tr').length}), $k - 1, 'the overlap has all other communities');
    $js->("document.querySelectorAll('rect.cell')[$k].dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    like($js->('location.hash'), qr{c=2&with=1|with=1&c=2|c=2.*with=1}, 'a click on a square chooses its two communities');
    like($js->(q{document.querySelector('.cell').closest('figure').innerText}), qr{community 2 to community 1: [\d.e-]+$}, '... and says its number');
    $open->('people', "c=$one&with=$other");
    $js->(q{[...document.querySelectorAll('button')].find(e => e.textContent === 'Bridges to all others').click()});
    is($js->(q{document.querySelectorAll('.halo.both').length}), 0, '... until all bridges are asked for');
    # What tells two classes apart.
    $open->('voters');
    my $class = sub { return query($db, "SELECT tlv_assign(model, a) FROM task_models, (SELECT array_agg(answer ORDER BY variable) AS a FROM task_answers WHERE id = $_[0]) q WHERE name = 'voters'") };
    my ($left_class, $right_class) = ($class->(1), $class->(2));
    $click->(".chips button:nth-child($left_class)");
    $choose->('label select', "class $right_class");
    is($js->(q{[...new Set([...document.querySelectorAll('#chosen ~ table tbody tr')].slice(0, 3).map(e => e.innerText.match(/question \d/)[0]))].sort().join(', ')}),
        'question 4, question 5, question 6',
        'of two classes the answers that tell them apart come first');
    like($text->('#chosen ~ table thead'), qr{class $left_class\s+class $right_class}, '... side by side');
    like($text->('#app'), qr{only the one that is more frequent in class $left_class than in class $right_class is listed}, '... of two answers one, as the page says');
    my $rows_of = q{[...document.querySelectorAll('.heat tbody th')].map(e => e.textContent).sort().join('; ')};
    is($js->($rows_of), join('; ', map { "question $_: yes" } 1 .. 6), 'the profile has one of two answers');
    like($text->('#app'), qr{only the second one is listed}, '... as the page says');
    $open->('voters', 'variable=question+4:+no');
    like($js->($rows_of), qr{question 4: no}, '... and the other one where it is looked for');

    # ---- selects by keyboard: one step after the other, each of which draws the panel again ----

    $open->('mixture full');
    $js->(q{document.querySelector('#versus').focus()});
    my @steps = map { $keys->($down); $js->(q{document.querySelector('#versus').value + ' ' + document.activeElement.id}) } 1 .. 2;
    is(join(', ', @steps), '2 versus, 3 versus', 'arrow keys go through the components to compare with');
    $open->('topics');
    $js->(q{(document.querySelector('#label').closest('details').open = true, document.querySelector('#label').focus())});
    $keys->('n', 'e', 'w', $enter);
    is($js->(q{document.activeElement.id + ' ' + document.querySelector('#chosen').textContent.slice(0, 3)}), 'label new', 'a name that is typed leaves the focus where it was');

    # ---- shapes of drawings have a colour of the page: black is what is forgotten ----

    my $black = q{[...document.querySelectorAll('#app svg')].flatMap(g => [...g.querySelectorAll('path, rect, circle, ellipse, polygon')]
        .filter(e => getComputedStyle(e).fill === 'rgb(0, 0, 0)')).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join('; ')};
    for my $name (sort keys %names) {
        $open->($name);
        $js->(q{document.querySelectorAll('details').forEach(e => { e.open = true; })});
        is($js->($black), '', "$name: no shape is filled black");
        is($js->(q{[...document.querySelectorAll('.facts tbody tr th')].map(e => e.textContent).filter((t, i, all) => t === '' || all.indexOf(t) !== i).join('; ')}),
            '', "$name: what is said about the model has a text, and once");
    }
    $js->(q{document.querySelector('#app').append(s('svg', {}, s('rect', {width: 9, height: 9})))});
    isnt($js->($black), '', 'the test sees one that is');
    # Blue is more, and the answer that is listed.
    $open->('voters');
    is($js->(q{[...new Set([...document.querySelectorAll('.stack .key')].map(e => e.nextSibling.textContent + ' ' + e.className))].sort().join('; ')}), 'no key b0; yes key b1',
        'of two answers the one that the profile lists is blue, the other one grey');
    $open->('voters', 'c=1&with=2&variable=question+4:+no');
    is($js->(q{[...document.querySelectorAll('#chosen ~ table tbody th')].filter(e => e.textContent.startsWith('question 4')).map(e => e.textContent).join('; ')}), 'question 4: no',
        'an answer that was found is listed instead of the other one');
    is($js->(q{[...document.querySelectorAll('.difference')].filter(e => e.textContent.includes('-') !== (e.querySelector('i').className === 'minus')).length}), 0,
        '... and bars go to the side of their signs');

    # ---- accessibility: names, roles, structure and contrast, in light and dark, of every kind ----

    my $audit = read_file('test/t/lib/accessibility.js');
    my $scheme = sub { $call->('POST', '/goog/cdp/execute', { cmd => 'Emulation.setEmulatedMedia', params => { features => [ { name => 'prefers-color-scheme', value => $_[0] } ] } }) };
    for my $name (sort keys %names) {
        $open->($name);
        $js->(q{document.querySelectorAll('details').forEach(e => { e.open = true; })});
        for my $mode (qw(light dark)) {
            $scheme->($mode);
            is(join("\n", @{ $call->('POST', '/execute/sync', { script => "$audit; return audit();", args => [] }) }), '', "$name: nothing to object to in $mode");
        }
    }
    # The negative control: each of these is seen.
    $js->(q{(function () { const add = (name, more, text) => {
        const e = document.createElement(name);
        Object.entries(more).forEach(([k, v]) => e.setAttribute(k, v));
        e.append(text);
        document.querySelector('#app').append(e);
        return e; };
        add('button', {}, ''); add('p', {id: 'pale'}, 'pale').style.color = '#777'; add('div', {role: 'buton'}, 'x'); add('p', {id: 'pale'}, 'twice');
        add('h5', {}, 'too deep');
        add('input', {}, ''); add('div', {role: 'img'}, '').style.height = '9px';
        add('div', {'aria-hidden': 'true'}, '').append(Object.assign(document.createElement('button'), {textContent: 'hidden'}));
        return 1; }())});
    my $seen = join "\n", @{ $call->('POST', '/execute/sync', { script => "$audit; return audit();", args => [] }) };
    like($seen, qr{$_}, "the audit sees: $_") for 'button: no name', 'contrast .* pale', 'role buton', 'id pale twice', 'heading', 'input: no name', 'div: no name', 'hidden, but has the focus';
    $scheme->('light');

    my $sideways = 'document.documentElement.scrollWidth - window.innerWidth';
    my $cut_off = q{[...document.querySelectorAll('.card *')].filter(e => !(e instanceof SVGElement && e.tagName !== 'svg') && !e.closest('.scroll > *, #plain, .live, .segments')
            && e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().right > e.closest('.card').getBoundingClientRect().right + 1)
            .map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 30)).slice(0, 3).join('; ')};
    my $led = 0;
    for my $name (sort keys %names) {
        $call->('POST', '/window/rect', { width => 400, height => 800 });
        $open->($name);
        cmp_ok($js->($sideways), '<=', 0, "$name: no scrolling sideways on a narrow screen");
        is($js->(q{performance.getEntriesByType('resource').length}), 0, "$name: nothing is loaded");
        is($js->($cut_off), '', "$name: nothing is cut off");
        like($js->(q{getComputedStyle(document.querySelector('.below')).position + ': ' + document.querySelector('.below').innerText}), qr{^fixed: \S}, "$name: a bar says what is chosen");
        next if $name =~ /^(?:long|hostile)/;
        # It leads to the panel, and from there back up.
        my $at = sub { return $js->(q{document.querySelector('[role=search]').getBoundingClientRect().top}) };
        my $bar = sub { my ($told) = @_; for (1 .. 40) { return 1 if $js->(q{document.querySelector('.below').innerText}) =~ $told; select undef, undef, undef, .05 } return 0 };
        next if $js->(q{document.querySelector('.below').innerText}) =~ /Up to Find/ || !$js->(q{document.querySelector('[role=search]') !== null});
        $led++;
        $click->('.below');
        ok($bar->(qr{Up to Find}), '... which leads to it') or diag($js->(q{document.querySelector('.below').innerText + scrollY}));
        $click->('.below');
        ok($at->() >= -1, '... and back up');
    }
    cmp_ok($led, '>=', 5, 'the bar leads down and up on five pages at least');
    # What tables of a narrow screen are read for is seen without scrolling.
    my $unseen = q{[...document.querySelectorAll('#app .scroll td, #app .scroll th')].filter(e => e.getBoundingClientRect().width > 0
        && e.getBoundingClientRect().right > e.closest('.scroll').getBoundingClientRect().right).map(e => e.textContent).join('; ')};
    for my $name ('voters', 'communities') {
        $open->($name);
        is($js->($unseen), '', "$name: all columns are seen on a narrow screen");
    }
    $js->(q{document.querySelectorAll('#app .scroll td').forEach(e => { e.style.minWidth = '200px'; })});
    isnt($js->($unseen), '', 'the test sees columns that are not');
    $js->(q{(function () { const e = document.querySelector('.card').appendChild(document.createElement('div')); e.textContent = 'wide'; e.style.width = '900px'; return 1; }())});
    cmp_ok($js->($sideways), '>', 0, 'the test sees scrolling sideways');
    like($js->($cut_off), qr{wide}, '... and what is cut off');
    is(console(), '', 'nothing on the console of clicks and keys');
}
$call->('DELETE', '');
kill 'TERM', $pid;
waitpid $pid, 0;
drop_database($db);
done_testing();
