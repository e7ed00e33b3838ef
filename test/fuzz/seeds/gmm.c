/*
 * gmm.c - seeds of mixtures of Gaussians and their statistics.
 */
#include "seeds.h"

#include <stdio.h>

#include "tensorlv/model/errors.h"
#include "tensorlv/model/gmm.h"

/* A mixture of each covariance, of Gaussians and of t distributions: model, statistics, the model
 * after a step. */
SEEDS(gmm)
{
	static const char *const names[] = {"common",	"common-t",	  "spherical", "spherical-t",
										"diagonal", "diagonal-t", "full",	   "full-t",
										"tied",		"tied-t"};

	_Static_assert(sizeof(names) / sizeof(names[0]) == 2 * TLV_COVARIANCES, "each form has a name");

	for (int form = 0; form < 2 * TLV_COVARIANCES; form++)
	{
		tlv_gmm_start_options options = {.k = 2,
										 .covariance = (tlv_covariance) (form / 2),
										 .tails = form % 2 == 0 ? TLV_TAILS_NORMAL : TLV_TAILS_T,
										 .seed = 1,
										 .starts = 1,
										 .steps = 2};
		const double floor[3] = {1e-6, 1e-6, 1e-6};
		double rows[40 * 3];
		tlv_accumulator *accumulator;
		tlv_gmm_sample sample;
		tlv_frame model, statistics, errors;
		tlv_model *open;
		char name[40];
		void *image;
		size_t size;

		tlv_rng_fill_normal(&rng, 120, rows);
		for (size_t i = 0; i < 60; i++)
			rows[i] += 9;
		must(tlv_gmm_sample_open(&ctx, 40, 3, rows, false, 1, &sample));
		must(tlv_gmm_start(&ctx, &sample, floor, &options, &image, &size));
		snprintf(name, sizeof(name), "gmm-%s", names[form]);
		model = save_frame(name, image, size);
		must(tlv_kind_gaussian_mixture.model->open(&ctx, &model, &open));
		must(open->class->statistics(&ctx, open, "em", &accumulator));
		snprintf(name, sizeof(name), "mixture-statistics-%s", names[form]);
		statistics = collect_vectors(name, accumulator);
		must(tlv_scores_create(&ctx, open, &accumulator));
		snprintf(name, sizeof(name), "score-products-%s", names[form]);
		errors = collect_vectors(name, accumulator);
		/* rows of one component alone do not show the parameters of all forms */
		if (tlv_errors_put(&ctx, &model, &errors, &image, &size) == TLV_OK)
		{
			snprintf(name, sizeof(name), "gmm-errors-%s", names[form]);
			save_frame(name, image, size);
		}
		must(open->class->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image, &size));
		snprintf(name, sizeof(name), "gmm-updated-%s", names[form]);
		save_frame(name, image, size);
	}
}

/* A mixture of directions: model, statistics, the model after a step. */
SEEDS(directions)
{
	tlv_accumulator *accumulator;
	tlv_frame model, statistics;
	tlv_model *open;
	void *image;
	size_t size;

	must(tlv_gmm_random(&ctx, 2, 3, 6, TLV_COVARIANCE_DIRECTION, 1, &image, &size));
	model = save_frame("directions", image, size);
	must(tlv_kind_direction_mixture.model->open(&ctx, &model, &open));
	must(open->class->statistics(&ctx, open, "em", &accumulator));
	statistics = collect_vectors("direction-statistics", accumulator);
	must(open->class->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image, &size));
	save_frame("directions-updated", image, size);
}
