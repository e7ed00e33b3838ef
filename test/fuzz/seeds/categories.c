/*
 * categories.c - seeds of moments of categorical variables.
 */
#include "seeds.h"

#include "tensorlv/model/categories.h"

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
}
