/*
 * evaluate.c - seeds of pairs of labels, of covers and of memberships.
 */
#include "seeds.h"
#include "rows.h"

#include "tensorlv/model/evaluate.h"

/* Pairs of labels, of covers and of memberships of the same 12 nodes. */
SEEDS(evaluate)
{
	static const struct
	{
		const char *name;
		const tlv_aggregate *aggregate;
	} pairs[] = {{"label-pairs", &tlv_aggregate_label_pairs},
				 {"cover-pairs", &tlv_aggregate_cover_pairs},
				 {"membership-pairs", &tlv_aggregate_membership_pairs}};

	for (size_t i = 0; i < 3; i++)
	{
		const tlv_statistic statistic = {.aggregate = pairs[i].aggregate};
		tlv_accumulator *accumulator;

		must(tlv_statistic_create(&ctx, &statistic, &accumulator));
		for (int64_t t = 0; t < 12; t++)
		{
			const int64_t a[2] = {t % 3, 3 + t % 2}, b[2] = {t / 4, t % 5};
			const double x[2] = {0.25, 0.75}, y[3] = {(double) t, 1, 0};

			must(tlv_add(&ctx, accumulator,
						 i == 0	  ? TLV_AS_LABELS(a[0], b[0])
						 : i == 1 ? TLV_AS_COVERS(2, a, (size_t) t % 3, b)
								  : TLV_AS_MEMBERSHIPS(2, x, 3, y)));
		}
		save_collected(pairs[i].name, accumulator);
	}
}
