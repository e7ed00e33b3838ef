/*
 * categories.c - uses of tables of categorical variables.
 */
#include "uses.h"

#include <stdlib.h>

#include "tensorlv/model/categories.h"

/* The last entries of every sort of table. */
static double
use_categories(const tlv_frame *frame)
{
	tlv_category_tables tables, replicate;
	tlv_rng rng;
	size_t p;
	double sum = 0;

	if (tlv_category_open(&ctx, frame, &tables) != TLV_OK)
		return 0;
	p = tables.p;
	for (size_t a = 0; a + 1 < p; a++)
		if (tables.states[a] * tables.states[p - 1] > 0)
			sum +=
				tlv_category_pair(&tables, a, p - 1)[tables.states[a] * tables.states[p - 1] - 1];
	tlv_rng_seed(&rng, 1);
	if (tables.replicates > 0 &&
		tlv_category_replicate_create(&ctx, &tables, &replicate) == TLV_OK &&
		tlv_category_replicate_draw(&ctx, &tables, &rng, &replicate) == TLV_OK)
		for (size_t i = 0; i < tables.pair_entries; i++)
			sum += replicate.pairs[i];
	tlv_category_close(&ctx, &tables);
	return sum;
}

USES(categories)
{
	if (kind == &tlv_kind_category_moments && use_categories(frame) < 0)
		abort();
}
