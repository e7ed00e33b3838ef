package TlvImages;
# Changed images of values: bytes, which the digest finds, and numbers and sections under a digest that is
# right, which only the rules of the kind can refuse (include/tensorlv/num/frame.h).  These are images as
# the send functions give them, without the length word, so that offsets are 4 less.
use strict;
use warnings;
use Digest::SHA qw(sha256);
use Exporter qw(import);

our @EXPORT = qw(mutate_image $mutate_function craft_image scale_image set_numbers flip_section section_bytes number_sections smuggle_section seal_image is_sealed plain_image);

my $header_size = 36;    # 20 bytes that the digest covers, and the digest
my $section_size = 56;

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

# The same as a function of the server, for loops over very many images.
our $mutate_function = <<'SQL';
CREATE FUNCTION mutate(image bytea) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
  n int := length(image); kind int := floor(random() * 5); at int; other int; times int := 1 + floor(random() ^ 3 * 4);
BEGIN
  FOR i IN 1 .. times LOOP
    at := CASE WHEN random() < 0.5 THEN floor(random() * least(n, 120)) ELSE floor(random() * n) END;
    other := floor(random() * n);
    image := CASE kind
      WHEN 0 THEN set_bit(image, (at * 8 + floor(random() * 8))::bigint, 1 - get_bit(image, (at * 8)::bigint))
      WHEN 1 THEN set_byte(image, at, (ARRAY[0, 1, 127, 128, 255])[1 + floor(random() * 5)])
      WHEN 2 THEN substr(image, 1, at)
      WHEN 3 THEN image || substr(image, other + 1, 1 + floor(random() * 40)::int)
      ELSE overlay(image PLACING substr(image, other + 1, 8) FROM at + 1) END;
    n := length(image);
    EXIT WHEN n = 0;
  END LOOP;
  RETURN image;
END $$;
SQL

# The numbers of a section in a packed image (src/num/image/frame_packing.h), from where $read reads on.
sub unpack_numbers {
    my ($read, $code, $n) = @_;
    my $divisor = $code == 3 ? unpack 'd<', $read->(8) : 1;
    return map { $code == 0 ? unpack 'd<', $read->(8) : $code == 1 ? unpack 'f<', $read->(4) : $read->() / $divisor } 1 .. $n;
}

sub unpack_section {
    my ($read, $form, $element, $entries, $rows, $columns, $bytes) = @_;
    my ($n, $number) = ($rows * $columns, $element == 4 ? 'f<' : 'd<');
    return $read->($bytes) if $form == 0;
    if ($form == 1) {
        my ($before, @all) = 0;
        for (1 .. $n) {
            my $step = $read->();
            my $distance = $step & 1 ? ~($step >> 1) : $step >> 1;
            { use integer; $before += $distance }
            push @all, $before;
        }
        return pack 'q<*', @all;
    }
    return pack "$number*", unpack_numbers($read, $form & 15, $n) if $form >> 4 == 1;
    my @usual;
    if ($form >> 4 == 2) {
        my $own = $columns == 1 || $rows > 4096 ? 1 : $rows;
        @usual = unpack_numbers($read, ord $read->(1), $own);
        $entries = $read->();
    }
    my $next = 0;
    my @positions = map { my $position = $next + $read->(); $next = $position + 1; $position } 1 .. $entries;
    my @numbers = unpack_numbers($read, $form & 15, $entries);
    return pack "d<$entries L<$entries", @numbers, @positions if $form >> 4 == 3;
    my @all = map { $usual[ $_ % @usual ] } 0 .. $n - 1;
    @all[@positions] = @numbers;
    return pack "$number*", @all;
}

# What a packed image stands for; another is returned as it is.
sub plain_image {
    my ($image) = @_;
    return $image if unpack('v', $image) != 2;
    my ($at, $body, @table) = ($header_size, '');
    # so many bytes, or without an argument a number of 7 bits a byte
    my $read = sub {
        if (@_) { $at += $_[0]; return substr $image, $at - $_[0], $_[0] }
        my ($value, $shift, $byte) = (0, 0);
        do { $byte = ord substr $image, $at++, 1; $value |= ($byte & 127) << $shift; $shift += 7 } while $byte > 127;
        return $value;
    };
    my ($type_kind, $count) = unpack 'x2 a2 L<', $image;
    my $size = $read->();
    push @table, [ $read->(ord $read->(1)), ord $read->(1), $read->(), $read->(), $read->(), ord $read->(1), $read->() ] for 1 .. $count;
    my $table = '';
    for (@table) {
        my ($name, $element, $entries, $rows, $columns, $form, $bytes) = @$_;
        $table .= pack 'Z24L<L<Q<Q<Q<', $name, $element, $entries, $rows, $columns, 4 + $header_size + $count * $section_size + length $body;
        $body .= unpack_section($read, $form, $element, $entries, $rows, $columns, $bytes);
        $body .= "\0" x (-length($body) % 8);
    }
    return pack('v a2 L<L<Q<', 1, $type_kind, $count, 0, $size) . substr($image, 20, 16) . $table . $body;
}

# The digest that an image should have.
sub digest_of {
    my ($image) = @_;
    return substr sha256(substr($image, 0, 20) . substr $image, $header_size), 0, 16;
}

sub seal_image {
    my ($image) = @_;
    substr $image, 20, 16, digest_of($image);
    return $image;
}

sub is_sealed {
    my $image = plain_image($_[0]);
    return substr($image, 20, 16) eq digest_of($image);
}

# [name, offset, numbers, element] of every section
sub sections {
    my ($image) = @_;
    my $count = unpack 'x4L<', $image;
    return map {
        my ($name, $element, undef, $rows, $columns, $offset) = unpack 'Z24L<L<Q<Q<Q<', substr $image, $header_size + $section_size * $_, $section_size;
        [ $name, $offset - 4, $rows * $columns, $element ]
    } 0 .. $count - 1;
}

# Some numbers changed to what breaks most.
sub craft_image {
    my $image = plain_image($_[0]);
    my @all = grep { $_->[2] > 0 && $_->[3] < 3 } sections($image);
    my @scalars = grep { $_->[2] == 1 } @all;
    for (1 .. 1 + int 3 * rand() ** 2) {
        my (undef, $offset, $n, $element) = @{ rand() < 0.3 && @scalars ? $scalars[ rand @scalars ] : $all[ rand @all ] };
        my $at = $offset + 8 * int rand $n;
        my $old = unpack $element == 1 ? 'd<' : 'q<', substr $image, $at, 8;
        my @new = $element == 1 ? (0, -1, 1, 1e300, -1e300, 1e-300, -$old, 2 * $old, $old + 1, 1e9, 0.5) : (0, -1, 1, 2147483648, -9223372036854775807, $old + 1, -$old);
        substr $image, $at, 8, pack $element == 1 ? 'd<' : 'q<', $new[ rand @new ];
    }
    return seal_image($image);
}

# All numbers of some sections, or of all, times a power of two, so that what is whole stays whole: sums as of very many rows, or of
# very large or small ones; the largest becomes 2^53, 2^52, or what the square of, or its inverse, just fits.
sub scale_image {
    my $image = plain_image($_[0]);
    my @all = grep { $_->[2] > 0 && $_->[3] == 1 } sections($image);
    my @scaled = rand() < 0.5 ? @all : grep { rand() < 0.4 } @all;
    my $most = 0;
    for my $section (@scaled) {
        $most = abs > $most ? abs : $most for unpack "d<$section->[2]", substr $image, $section->[1];
    }
    return $image if $most == 0;
    my $aim = (53, 52, 500, 1000, -500, -1000)[ int rand 6 ];
    my $factor = 2**int($aim - (rand() < 0.5 ? 1 : 0) - log($most) / log(2));
    for my $section (@scaled) {
        my (undef, $offset, $n) = @$section;
        substr $image, $offset, 8 * $n, pack 'd<*', map { $_ * $factor } unpack "d<$n", substr $image, $offset, 8 * $n;
    }
    return seal_image($image);
}

# The numbers of a section of float64, one after the other, under a digest that is right; the last one for all that follow.
sub set_numbers {
    my ($image, $name, @numbers) = @_;
    $image = plain_image($image);
    my ($section) = grep { $_->[0] eq $name && $_->[3] == 1 } sections($image) or die "no section $name";
    my (undef, $offset, $n) = @$section;
    substr $image, $offset, 8 * $n, pack 'd<*', map { $numbers[ $_ < $#numbers ? $_ : $#numbers ] } 0 .. $n - 1;
    return seal_image($image);
}

# A bit of a section's first byte, under a digest that is right: what it says is another thing then.  undef: there is no such section.
sub flip_section {
    my ($image, $name) = @_;
    $image = plain_image($image);
    my ($section) = grep { $_->[0] eq $name } sections($image) or return undef;
    vec($image, $section->[1], 8) = vec($image, $section->[1], 8) ^ 1;
    return seal_image($image);
}

# The bytes of a section of bytes.
sub section_bytes {
    my ($image, $name) = @_;
    $image = plain_image($image);
    my ($section) = grep { $_->[0] eq $name } sections($image) or return undef;
    return substr $image, $section->[1], $section->[2];
}

# [name, numbers, everything else as text] of every section.
sub number_sections {
    my ($image) = @_;
    $image = plain_image($image);
    my $count = unpack 'x4L<', $image;
    return map {
        my ($name, $element, $entries, $rows, $columns, $offset) = unpack 'Z24L<L<Q<Q<Q<', substr $image, $header_size + $section_size * $_, $section_size;
        my ($n, $at) = ($rows * $columns, $offset - 4);
        my $shape = "$element $rows x $columns";
        $element == 3 ? [ $name, [], "$shape " . unpack 'H*', substr $image, $at, $n ]
            : $element == 5 ? [ $name, [ unpack "d<$entries", substr $image, $at ], "$shape " . join ' ', unpack "L<$entries", substr $image, $at + 8 * $entries ]
            : [ $name, [ unpack(($element == 1 ? 'd<' : $element == 2 ? 'q<' : 'f<') . $n, substr $image, $at) ], $shape ]
    } 0 .. $count - 1;
}

# One section more, of a name that another kind looks for: of one number where that kind has many.
my @others = qw(basis center counts1 covariances emissions floor floor1 initial items items1 items2 mean means means1
    noise noise_factor radial1 shift shift1 sources sum1 sum3 sum4 triples variances variances1 variances2);

sub smuggle_section {
    my $image = plain_image($_[0]);
    my @sections = sections($image);
    my %known = map { $_->[0] => 1 } @sections;
    my @names = grep { !$known{$_} } @others;
    my ($table, $body) = unpack "x$header_size a" . $section_size * @sections . ' a*', $image;
    for (0 .. $#sections) {
        my $at = $section_size * $_ + 48;
        substr $table, $at, 8, pack 'Q<', $section_size + unpack 'Q<', substr $table, $at, 8;
    }
    $table .= pack 'Z24L<L<Q<Q<Q<', $names[ rand @names ], 1 + int rand 2, 0, 1, 1, length($image) + 4 + $section_size;
    $body .= rand() < 0.5 ? pack 'd<', 1 : pack 'q<', 1;
    my $size = 4 + $header_size + length($table) + length $body;
    return seal_image(substr($image, 0, 4) . pack('L<L<Q<x16', @sections + 1, 0, $size) . $table . $body);
}

1;
