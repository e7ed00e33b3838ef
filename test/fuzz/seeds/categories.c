/*
 * categories.c - seeds of moments of categorical variables.
 */
#include "seeds.h"

#include <string.h>

#include "tensorlv/model/categories.h"

/* Categories that are told by name, one of them the empty text. */
static void
save_named(void)
{
	static const char *const names[3] = {"red", "", "blue"};
	tlv_accumulator *accumulator;

	must(tlv_category_moments_create(&ctx, 0, 1, &accumulator));
	for (int t = 0; t < 20; t++)
	{
		const int32_t codes[3] = {0, t % 5 == 0 ? -1 : 0, 0};
		tlv_text text[3];
		tlv_row row = *TLV_AS_CODES(3, codes);

		for (int v = 0; v < 3; v++)
		{
			const char *name = names[(t / (v + 1) + v) % 3];

			text[v] = (tlv_text){name, strlen(name)};
		}
		row.part[0].names = text;
		must(tlv_add(&ctx, accumulator, &row));
	}
	save_collected("categories-named", accumulator);
}

/* Few states with missing values; with replicates; two variables, which have no triples. */
SEEDS(categories)
{
	static const char *const names[] = {"categories-plain", "categories-bootstrap",
										"categories-pairs"};

	for (size_t form = 0; form < 3; form++)
	{
		size_t p = form == 2 ? 2 : 4;
		tlv_accumulator *accumulator;

		must(tlv_category_moments_create(&ctx, form == 1 ? 2 : 0, 1, &accumulator));
		for (int32_t t = 0; t < 20; t++)
		{
			const int32_t row[4] = {t % 2, t % 3 - 1, t / 5 % 3, t % 7 == 0 ? -1 : t % 2};

			must(tlv_add(&ctx, accumulator, TLV_AS_CODES(p, row)));
		}
		save_collected(names[form], accumulator);
	}
	save_named();
}
