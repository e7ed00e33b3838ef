package TlvImages;
# Changed images of values: bytes, which the fingerprint finds, and numbers under a fingerprint that is
# right, which only the rules of the kind can refuse (src/num/frame.c).
use strict;
use warnings;
use Exporter qw(import);

our @EXPORT = qw(mutate_image craft_image fingerprint fingerprint_of);

# Bits flipped, bytes set, cut, lengthened, parts exchanged.
sub mutate_image {
    my ($image) = @_;
    my $kind = int rand 5;
    for (1 .. 1 + int 4 * rand() ** 3) {
        my $n = length $image or last;
        # headers and tables stand in front: half of the changes go there
        my $at = int rand(rand() < 0.5 ? ($n < 120 ? $n : 120) : $n);
        if    ($kind == 0) { vec($image, $at, 8) = vec($image, $at, 8) ^ (1 << int rand 8) }
        elsif ($kind == 1) { substr $image, $at, 1, chr((0, 1, 127, 128, 255)[ int rand 5 ]) }
        elsif ($kind == 2) { $image = substr $image, 0, $at }
        elsif ($kind == 3) { $image .= substr $image, int rand $n, 1 + int rand 40 }
        else               { my $part = substr $image, int rand $n, 8; substr $image, $at, length $part, $part }
    }
    return $image;
}

sub times64 { use integer; return $_[0] * $_[1] }
sub plus64  { use integer; return $_[0] + $_[1] }
sub shifted { my ($x, $bits) = @_; return ($x ^ ((0 | $x) >> $bits)) }
no warnings 'portable';
my $golden = 0x9e3779b97f4a7c15;
sub mix64 { my $x = plus64($_[0], $golden); $x = times64(shifted($x, 30), 0xbf58476d1ce4e5b9); $x = times64(shifted($x, 27), 0x94d049bb133111eb); return 0 | shifted($x, 31) }

sub fingerprint {
    my ($bytes, $seed) = @_;
    my $size = length $bytes;
    my @words = unpack 'Q<*', $bytes;
    my @lane = ($seed ^ $golden, plus64($seed, $golden), ~$seed, $seed ^ $size);
    while (@words >= 4) {
        for my $i (0 .. 3) { $lane[$i] = shifted(times64($lane[$i] ^ $words[$i], $golden), 29) }
        splice @words, 0, 4;
    }
    $lane[0] = mix64($lane[0] ^ $_) for @words;
    return mix64($lane[0] ^ mix64($lane[1] ^ mix64($lane[2] ^ mix64($lane[3]))));
}

# What the binary image of a value says, and what it should say.
sub fingerprint_of {
    my ($image) = @_;
    my ($type, $kind) = unpack 'x2CC', $image;
    return (unpack('x20Q<', $image), fingerprint(substr($image, 28), $type << 8 | $kind));
}

# (offset, numbers, element) of every section; the binary image lacks the length word, so offsets are 4 less
sub sections {
    my ($image) = @_;
    my $count = unpack 'x4L<', $image;
    return map { my (undef, $element, undef, $rows, $columns, $offset) = unpack 'Z24L<L<Q<Q<Q<', substr $image, 28 + 56 * $_, 56; [ $offset - 4, $rows * $columns, $element ] } 0 .. $count - 1;
}

# Some numbers changed to what breaks most.
sub craft_image {
    my ($image) = @_;
    my @all = grep { $_->[1] > 0 && $_->[2] < 3 } sections($image);
    my @scalars = grep { $_->[1] == 1 } @all;
    for (1 .. 1 + int 3 * rand() ** 2) {
        my ($offset, $n, $element) = @{ rand() < 0.3 && @scalars ? $scalars[ rand @scalars ] : $all[ rand @all ] };
        my $at = $offset + 8 * int rand $n;
        my $old = unpack $element == 1 ? 'd<' : 'q<', substr $image, $at, 8;
        my @new = $element == 1 ? (0, -1, 1, 1e300, -1e300, 1e-300, -$old, 2 * $old, $old + 1, 1e9, 0.5) : (0, -1, 1, 2147483648, -9223372036854775807, $old + 1, -$old);
        substr $image, $at, 8, pack $element == 1 ? 'd<' : 'q<', $new[ rand @new ];
    }
    substr $image, 20, 8, pack 'Q<', (fingerprint_of($image))[1];
    return $image;
}

1;
