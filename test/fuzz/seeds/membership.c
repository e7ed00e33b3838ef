/*
 * membership.c - seeds of latent classes and mixed membership, and of their statistics.
 */
#include "seeds.h"

#include <math.h>

#include "tensorlv/model/categories.h"
#include "tensorlv/model/membership.h"

/* Rows of four variables drawn from the model; the last value of every third row is missing. */
static tlv_frame
collect_members(const char *name, const tlv_frame *model, tlv_accumulator *accumulator)
{
	tlv_membership_parts parts;
	double memberships[2];
	int32_t codes[4];

	tlv_membership_read(model, &parts);
	for (uint64_t i = 1; i <= 60; i++)
	{
		tlv_membership_draw(&parts, tlv_membership_is_mixed(model), 3, i, codes, memberships);
		if (i % 3 == 0)
			codes[3] = TLV_CATEGORY_MISSING;
		must(tlv_add(&ctx, accumulator, TLV_AS_CODES(4, codes)));
	}
	return save_collected(name, accumulator);
}

/* A random model, one that is fitted to rows of it, and one after a step. */
static void
save_members(bool mixed, const char *random, const char *fitted, const char *statistics,
			 const char *updated)
{
	tlv_membership_simulation simulation = {.mixed = mixed,
											.variables = 4,
											.categories = 3,
											.k = 2,
											.alpha = 0.3,
											.concentration = 0.3,
											.seed = 1};
	tlv_membership_options options = {.mixed = mixed, .k = 2, .copies = 1, .seed = 1};
	tlv_accumulator *accumulator;
	tlv_frame model, moments, sums;
	tlv_model *open;
	void *image;
	size_t size;

	must(tlv_membership_random(&ctx, &simulation, &image, &size));
	model = save_frame(random, image, size);
	must(tlv_category_moments_create(&ctx, 0, 1, &accumulator));
	moments = collect_members("membership-moments", &model, accumulator);
	options.decompose.seed = 1;
	must(tlv_membership_fit(&ctx, &moments, &options, &image, &size));
	model = save_frame(fitted, image, size);
	must(tlv_model_open(&ctx, &model, &open));
	must(open->class->statistics(&ctx, open, NULL, &accumulator));
	sums = collect_members(statistics, &model, accumulator);
	must(tlv_model_update(&ctx, &model, &sums, 0.5, &image, &size));
	save_frame(updated, image, size);
}

SEEDS(membership)
{
	save_members(false, "latent-classes-random", "latent-classes", "category-statistics",
				 "latent-classes-updated");
	save_members(true, "grade-of-membership-random", "grade-of-membership",
				 "category-statistics-mixed", "grade-of-membership-updated");
}
