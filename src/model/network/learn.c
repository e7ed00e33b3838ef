/*
 * learn.c - the whole of learning layered networks (network.h): of every layer what is on together
 * below it, its units, and iterations until its edges do not change.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/plural.h"

typedef struct network_learning
{
	const tlv_network_options *options;
	bool refine;
	size_t layers; /* of the model */
	tlv_held model;
} network_learning;

/* ---- options ---- */

static tlv_status
learn_check_options(tlv_context *ctx, const void *argument)
{
	const tlv_network_options *options = argument;
	const char *refine = options->refine == NULL ? "auto" : options->refine;

	if (options->layers < 1 || options->layers > TLV_NETWORK_MOST_LAYERS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "layers = %zu is not between 1 and %d",
						options->layers, TLV_NETWORK_MOST_LAYERS);
	if (!isnan(options->threshold) && !(options->threshold > 0 && options->threshold <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "threshold = %g is not above 0 and at most 1",
						options->threshold);
	if (strcmp(refine, "none") == 0 || strcmp(refine, "auto") == 0 || strcmp(refine, "em") == 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", refine);
	return tlv_fail_hint(ctx, "Use 'auto', 'em' or 'none'.");
}

/* ---- a layer ---- */

/* Counts under the layers so far, and a layer above them.  *added is false where there is none:
 * units that are hardly ever on together have no layer above them. */
static tlv_status
add_layer(tlv_context *ctx, tlv_source *sets, network_learning *fit, bool *added)
{
	const tlv_frame *below = fit->layers > 0 ? &fit->model.frame : NULL;
	const tlv_statistic counted = {.aggregate = &tlv_aggregate_cofire, .constant = below};
	int passes_left = fit->options->layers == 1 && !fit->refine ? 1 : 0;
	tlv_value *counts;
	tlv_making made;
	tlv_status status;

	TLV_TRY(below != NULL
				? tlv_collect_again(ctx, sets, "threes", passes_left, &counted, &counts)
				: tlv_collect_first(ctx, sets, "threes", passes_left, &counted, "rows", &counts));
	status = TLV_MAKE(
		ctx, &made, &fit->model,
		tlv_network_fit(ctx, &counts->frame, below, fit->options, &made.image, &made.size));
	tlv_value_drop(counts);
	*added = status == TLV_OK;
	if (status == TLV_BAD_DATA && below != NULL)
		return TLV_OK;
	TLV_TRY(status);
	fit->layers++;
	return TLV_OK;
}

/* Steps until the edges of the uppermost layer stand.  They change how often units are on, which is
 * the order of the units. */
static tlv_status
refine_layer(tlv_context *ctx, tlv_source *sets, network_learning *fit)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics,
									 .constant = &fit->model.frame};
	int limit = fit->options->iterations >= 0 ? fit->options->iterations : NETWORK_STEPS;
	double changed = 1;
	char measure[32];
	tlv_making made;

	snprintf(measure, sizeof(measure), "edges_changed_%zu", fit->layers);
	for (int steps = 0; steps < limit && changed != 0; steps++)
	{
		tlv_value *sums;

		TLV_TRY(tlv_collect_again(ctx, sets, "edges", 0, &statistic, &sums));
		TLV_TRY(tlv_refine(ctx, &fit->model, &sums->frame));
		tlv_value_drop(sums);
		changed = tlv_diagnostics_find(&fit->model.frame, measure, 0);
	}
	if (limit == 0)
		return TLV_OK;
	return TLV_MAKE(ctx, &made, &fit->model,
					tlv_network_order(ctx, &fit->model.frame, &made.image, &made.size));
}

/* ---- the end ---- */

static tlv_status
network_finish(tlv_context *ctx, const tlv_source *sets, const network_learning *fit,
			   tlv_held *finished)
{
	const tlv_frame *model = &fit->model.frame;
	const tlv_names *names = sets->within ? NULL : sets->rows.names;
	tlv_diagnostics diagnostics = {0};
	tlv_added_section sections[2];

	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	if (fit->layers < fit->options->layers)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "fewer_components",
										.score = (double) fit->layers,
										.hint = "Give more rows, or fewer layers."},
						 "of %zu %s the model has %zu: units above are not on together more "
						 "often than by chance",
						 fit->options->layers,
						 tlv_plural((double) fit->options->layers, "layer", "layers"),
						 fit->layers));
	if (names != NULL)
		TLV_TRY(tlv_name_items(ctx, names, tlv_frame_find(model, "items")->rows,
							   tlv_frame_int64(model, "items"), "item_offsets", "item_names",
							   sections));
	return tlv_source_finish(ctx, sets, model, &diagnostics, names == NULL ? 0 : 2, sections,
							 finished);
}

static tlv_status
network_learn(tlv_context *ctx, tlv_source *sets, const void *options, tlv_held *model)
{
	network_learning fit = {.options = options};
	bool added = true;

	fit.refine = fit.options->refine == NULL || strcmp(fit.options->refine, "none") != 0;
	while (added && fit.layers < fit.options->layers)
	{
		TLV_TRY(add_layer(ctx, sets, &fit, &added));
		if (added && fit.refine)
			TLV_TRY(refine_layer(ctx, sets, &fit));
	}
	return network_finish(ctx, sets, &fit, model);
}

const tlv_procedure tlv_network_procedure = {.check = learn_check_options, .learn = network_learn};
