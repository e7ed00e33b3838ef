package TlvJson;
# JSON as a tree whose scalars are kept as they are written, so that what is not changed stays exact, and changes of its structure.
use strict;
use warnings;
use Exporter qw(import);

our @EXPORT = qw(parse_json write_json change_json label_json);

# A node is [ 'object', [ key, node ], ... ], [ 'array', node, ... ] or [ 'scalar', token ].
sub parse_json {
    my ($text) = @_;
    pos($text) = 0;
    return parse_node(\$text);
}

sub parse_node {
    my ($text) = @_;
    if ($$text =~ /\G\s*\{\s*/gc) {
        my @pairs;
        until ($$text =~ /\G\s*\}/gc) {
            $$text =~ /\G\s*,?\s*("(?:[^"\\]|\\.)*+")\s*:/gcs or die 'no key at ' . pos $$text;
            my $key = $1;
            push @pairs, [ $key, parse_node($text) ];
        }
        return [ object => @pairs ];
    }
    if ($$text =~ /\G\s*\[/gc) {
        my @elements;
        until ($$text =~ /\G\s*\]/gc) {
            $$text =~ /\G\s*,/gc;
            push @elements, parse_node($text);
        }
        return [ array => @elements ];
    }
    $$text =~ /\G\s*("(?:[^"\\]|\\.)*+"|[^\s,\]}]+)/gcs or die 'no JSON at ' . pos $$text;
    return [ scalar => $1 ];
}

sub write_json {
    my ($node) = @_;
    my ($form, @content) = @$node;
    return $form eq 'object' ? '{' . join(',', map { "$_->[0]:" . write_json($_->[1]) } @content) . '}'
        : $form eq 'array' ? '[' . join(',', map { write_json($_) } @content) . ']' : $content[0];
}

my @numbers = qw(0 -0 -1 1 2 0.5 1e308 -1e308 1e309 -1e999 1e-320 2147483648 9223372036854775808 9007199254740993 1e18 65536 1000000
    "NaN" "Infinity" "-Infinity" NaN null true "" [] {} "1");
my @labels = ('<script>alert(1)</script>', '\\"><svg onload=alert(1)>', "' onload='alert(1)", ']]>', '<!--', '&#0;', '&lt;&amp;', '%s%n%x',
    '\\u0001\\u0008\\u001b[31m', '\\u202eabc\\u2066', '\\ufffe\\uffff',
    '\\ud83d\\ude00', '\\ud800', '\\u0000', '\\t\\n\\r', '', ' ', 'x' x 5000, '\\u0301' x 200, '\\u4e2d' x 300, '\\u007f\\u0085\\u2028', 'javascript:alert(1)');

# A string token that a picture must not take literally; $more makes it another one than others.
sub hostile_label { my ($more) = @_; return '"' . $labels[ rand @labels ] . ($more // '') . '"' }

sub copy { my ($node) = @_; my ($form, @content) = @$node; return [ $form, map { $form eq 'object' ? [ $_->[0], copy($_->[1]) ] : $form eq 'array' ? copy($_) : $_ } @content ] }

# All nodes by the keys that lead to them, so that large matrices are changed no oftener than single numbers.
sub collect {
    my ($node, $path, $found) = @_;
    push @{ $found->{$path} }, $node;
    my ($form, @content) = @$node;
    collect($_->[1], "$path.$_->[0]", $found) for $form eq 'object' ? @content : ();
    collect($_, "$path\[]", $found) for $form eq 'array' ? @content : ();
    return $found;
}

sub any_of { my @list = @_; return $list[ rand @list ] }

my %changes = (
    object => [
        sub { my ($n) = @_; splice @$n, 1 + rand $#$n, 1 },
        sub { my ($n, $other) = @_; push @$n, [ $n->[ 1 + rand $#$n ][0], $other ] },
        sub { my ($n) = @_; my ($i, $j) = map { 1 + int rand $#$n } 1, 2; ($n->[$i][1], $n->[$j][1]) = ($n->[$j][1], $n->[$i][1]) },
        sub { my ($n) = @_; $n->[ 1 + rand $#$n ][0] = any_of('"k"', '"kind"', '"rows"', '""', '"\\u0000"', '"mean"') },
        sub { my ($n, $other) = @_; push @$n, [ '"' . 'key' x 1000 . '"', $other ] },
        sub { my ($n) = @_; @$n[ 1 .. $#$n ] = reverse @$n[ 1 .. $#$n ] },
    ],
    array => [
        sub { my ($n) = @_; splice @$n, 1 + rand $#$n, 1 },
        sub { my ($n) = @_; push @$n, copy($n->[ 1 + rand $#$n ]) },
        sub { my ($n, $other) = @_; $n->[ 1 + rand $#$n ] = $other },
        sub { my ($n) = @_; my ($i, $j) = map { 1 + int rand $#$n } 1, 2; ($n->[$i], $n->[$j]) = ($n->[$j], $n->[$i]) },
        sub { my ($n) = @_; @$n = ('array') },
        sub { my ($n) = @_; @$n = ('array', copy($n)) },
        sub { my ($n) = @_; my $element = $n->[1]; push @$n, map { $element } 1 .. any_of(1, 7, 300) },
        sub { my ($n) = @_; @$n[ 1 .. $#$n ] = reverse @$n[ 1 .. $#$n ] },
    ],
    scalar => [
        sub { my ($n) = @_; $n->[1] = any_of(@numbers) },
        sub { my ($n) = @_; $n->[1] = hostile_label() },
        sub { my ($n) = @_; $n->[1] =~ s/^(-?[\d.]+)(e[-+]?\d+)?$/$1 * any_of(-1, 2, .5, 10, 1e-9)/e },
        sub { my ($n, $other) = @_; @$n = @$other },
    ],
);
# labels change oftener than their part of the nodes
my $label_path = qr/names|labels|terms|categories|items|ids|columns|levels/;

# A changed copy: one change, or several.
sub change_json {
    my ($tree) = @_;
    my $changed = copy($tree);
    do {
        my $found = collect($changed, '', {});
        my @paths = sort keys %$found;
        my @named = grep { /$label_path/ } @paths;
        my $path = @named && rand() < 0.3 ? any_of(@named) : any_of(@paths);
        my $node = any_of(@{ $found->{$path} });
        my $other = copy(any_of(@{ $found->{ any_of(@paths) } }));
        my $string = $node->[0] eq 'scalar' && $node->[1] =~ /^"/;
        # an empty container cannot be changed within
        if ($string && rand() < 0.7) { $node->[1] = hostile_label() }
        elsif ($#$node > 0) { any_of(@{ $changes{ $node->[0] } })->($node, $other) }
    } while (rand() < 0.3);
    return $changed;
}

# A copy in which every name is hostile, and no two are equal.
sub label_json {
    my ($tree) = @_;
    my $changed = copy($tree);
    my $found = collect($changed, '', {});
    my $number = 0;
    for my $path (sort grep { /$label_path/ } keys %$found) {
        for my $node (@{ $found->{$path} }) { $node->[1] = hostile_label(++$number) if $node->[0] eq 'scalar' && $node->[1] =~ /^"/ }
    }
    return $number ? $changed : undef;
}

1;
