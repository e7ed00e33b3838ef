/*
 * change_numbers.h - a mutation of stored values that knows what they are: numbers are put at the
 * edges of what can be stored, or whole sections multiplied by powers of two, as sums of very many
 * rows are, or of very large or very small ones.  Bytes changed blindly hardly ever get there.
 */
#ifndef TENSORLV_FUZZ_CHANGE_NUMBERS_H
#define TENSORLV_FUZZ_CHANGE_NUMBERS_H

#include <math.h>
#include <string.h>

#include "tensorlv/num/frame.h"
#include "tensorlv/num/rng.h"

/* A number that breaks much, or the old one, changed. */
static inline double
edge_number(tlv_rng *rng, double old)
{
	static const double edges[] = {0,	   1,	   -1,	   0.5,	  0x1p53, 0x1p53 - 1, 0x1p52,
								   0x1p51, 1e300,  -1e300, 1e154, -1e154, 1e-154,	  1e-300,
								   1e-307, 5e-324, 0x1p31, 100,	  1e6,	  1e9};
	uint64_t n = sizeof(edges) / sizeof(edges[0]), at = tlv_rng_below(rng, n + 4);

	if (at < n)
		return edges[at];
	return at == n ? -old : at == n + 1 ? 2 * old : at == n + 2 ? old + 1 : nextafter(old, 0);
}

/* One number, all numbers alike, or all times a power of two. */
static inline void
change_section(tlv_rng *rng, size_t n, char *numbers)
{
	uint64_t how = tlv_rng_below(rng, 3), only = tlv_rng_below(rng, n);
	int power = (int) tlv_rng_below(rng, tlv_rng_below(rng, 2) ? 60 : 1000);
	double same = edge_number(rng, 1);

	if (tlv_rng_below(rng, 2))
		power = -power;
	for (size_t i = 0; i < n; i++)
	{
		double number;

		if (how == 0 && i != only)
			continue;
		memcpy(&number, numbers + 8 * i, sizeof(number));
		number = how == 0 ? edge_number(rng, number) : how == 1 ? same : ldexp(number, power);
		memcpy(numbers + 8 * i, &number, sizeof(number));
	}
}

/* Changes sections of an image, of which anything may be wrong. */
static inline void
change_numbers(char *image, size_t size, uint64_t seed)
{
	tlv_frame_header header;
	tlv_rng rng;
	bool all;

	if (size < sizeof(header))
		return;
	memcpy(&header, image, sizeof(header));
	tlv_rng_seed(&rng, seed);
	all = tlv_rng_below(&rng, 4) == 0;
	for (size_t i = 0; i < header.sections; i++)
	{
		size_t at = sizeof(header) + i * sizeof(tlv_section), n;
		tlv_section section;

		if (at + sizeof(section) > size)
			return;
		memcpy(&section, image + at, sizeof(section));
		if (section.element != TLV_FLOAT64 || section.rows > size || section.columns > size)
			continue;
		n = section.rows * section.columns;
		if (n > 0 && n <= size / 8 && section.offset <= size - 8 * n &&
			(all || tlv_rng_below(&rng, header.sections) < 2))
			change_section(&rng, n, image + section.offset);
	}
}

#endif /* TENSORLV_FUZZ_CHANGE_NUMBERS_H */
