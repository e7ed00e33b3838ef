/*
 * renumber.c - models whose components keep their numbers: steps of refinement, alignment to an
 * older model, and models with components that are not there (layout.h).
 *
 * The functions of a kind see models all of whose components are there.  For others they see the
 * model of those that are, and what they say is put back in its places.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/drift.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/numbers.h"

/* ---- the components that are there ---- */

typedef struct present_part
{
	tlv_frame frame; /* the model, or that of its components that are there */
	size_t k;		 /* of the model */
	size_t n;		 /* there */
	int64_t *place;	 /* n: which they are; NULL: all are */
} present_part;

static tlv_status
find_present(tlv_context *ctx, const tlv_frame *model, present_part *present)
{
	tlv_place *places;
	void *image;
	size_t size;

	*present = (present_part){.frame = *model, .k = tlv_model_components(model)};
	for (size_t j = 0; j < present->k; j++)
		present->n += !tlv_component_is_absent(model, j);
	if (present->n == present->k || present->n == 0)
	{
		present->n = present->k;
		return TLV_OK;
	}
	TLV_TRY_NEW(ctx, places, present->n);
	TLV_TRY_NEW(ctx, present->place, present->n);
	present->n = 0;
	for (size_t j = 0; j < present->k; j++)
		if (!tlv_component_is_absent(model, j))
		{
			places[present->n] = (tlv_place){(int64_t) j, -1};
			present->place[present->n++] = (int64_t) j;
		}
	TLV_TRY(tlv_model_arrange(ctx, model, NULL, present->n, places, &image, &size));
	tlv_free(ctx, places);
	return tlv_frame_open(ctx, image, size, &present->frame);
}

/* ---- models opened ---- */

/* A model of which only some components are there. */
typedef struct sparse_model
{
	tlv_model base;
	present_part present;
	tlv_model *inner;
	tlv_posterior posterior;
} sparse_model;

/* A posterior of one block of components. */
static tlv_status
sparse_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	sparse_model *own = (sparse_model *) model;
	size_t k = own->present.k, n = own->present.n;

	TLV_TRY(own->inner->class->infer(ctx, own->inner, row, &own->posterior));
	TLV_TRY(tlv_posterior_begin(ctx, posterior, own->posterior.n, k));
	memset(posterior->values, 0, posterior->total * sizeof(double));
	for (size_t i = 0; i < own->posterior.n; i++)
		for (size_t j = 0; j < n; j++)
			posterior->values[i * k + (size_t) own->present.place[j]] =
				own->posterior.values[i * n + j];
	return TLV_OK;
}

static tlv_ids
sparse_ids(const tlv_model *model, int part, int64_t id, bool *known)
{
	const tlv_model *inner = ((const sparse_model *) model)->inner;

	return inner->class->ids(inner, part, id, known);
}

static tlv_status
sparse_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	sparse_model *own = (sparse_model *) model;

	return own->inner->class->log_likelihood(ctx, own->inner, row, value);
}

static tlv_status
sparse_decode(tlv_context *ctx, tlv_model *model, const tlv_row *row, int32_t *states)
{
	sparse_model *own = (sparse_model *) model;

	TLV_TRY(tlv_model_decode(ctx, own->inner, row, states));
	for (size_t i = 0; i < row->part[0].n; i++)
		states[i] = (int32_t) own->present.place[states[i]];
	return TLV_OK;
}

/* The members of the kind itself, but for those that see rows; whoever calls another one gives it
 * what tlv_model_present says.  They are built again for every such model, which is rare. */
static tlv_status
sparse_class(tlv_context *ctx, const tlv_model_class *kind, const tlv_model_class **class)
{
	tlv_model_class *own;

	TLV_TRY_NEW(ctx, own, 1);
	*own = *kind;
	own->ids = kind->ids != NULL ? sparse_ids : NULL;
	own->infer = kind->infer != NULL ? sparse_infer : NULL;
	own->log_likelihood = kind->log_likelihood != NULL ? sparse_log_likelihood : NULL;
	own->decode = kind->decode != NULL ? sparse_decode : NULL;
	*class = own;
	return TLV_OK;
}

/* All components of the frame are there. */
static tlv_status
open_whole(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	const tlv_model_class *class = frame->kind->model;

	return class->open != NULL ? class->open(ctx, frame, model)
							   : tlv_model_create(ctx, frame, sizeof(tlv_model), model);
}

tlv_status
tlv_model_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	const tlv_model_class *class = frame->kind->model;
	present_part present;
	sparse_model *own;

	TLV_TRY(find_present(ctx, frame, &present));
	if (present.place == NULL)
		return open_whole(ctx, frame, model);
	TLV_TRY(tlv_model_create(ctx, frame, sizeof(sparse_model), model));
	own = (sparse_model *) *model;
	own->present = present;
	TLV_TRY(open_whole(ctx, &own->present.frame, &own->inner));
	own->base.rows = own->inner->rows;
	return sparse_class(ctx, class, &own->base.class);
}

tlv_model *
tlv_model_present(tlv_model *model, const int64_t **place)
{
	const tlv_model_class *class = model->frame.kind->model;
	sparse_model *own = (sparse_model *) model;
	bool whole = model->class == class;

	*place = whole ? NULL : own->present.place;
	return whole ? model : own->inner;
}

tlv_status
tlv_require_present(tlv_context *ctx, tlv_model *model, const char *what)
{
	const int64_t *place;

	(void) tlv_model_present(model, &place);
	if (place == NULL)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the model has components of weight 0");
	return tlv_fail_hint(ctx, "Collect the %s of tlv_compact(model).", what);
}

/* ---- steps ---- */

/* Components that a step has put in another order, and those that were not there, to their places.
 */
static tlv_status
restore_numbers(tlv_context *ctx, const tlv_frame *model, const present_part *present,
				const int64_t *order, void **image, size_t *size)
{
	void *made = *image;
	tlv_place *places;
	tlv_frame frame;

	TLV_TRY(tlv_frame_open(ctx, made, *size, &frame));
	TLV_TRY_NEW(ctx, places, present->k);
	for (size_t j = 0; j < present->k; j++)
		places[j] = (tlv_place){-1, (int64_t) j};
	for (size_t i = 0; i < present->n; i++)
	{
		size_t before = (size_t) order[i];

		places[present->place != NULL ? (size_t) present->place[before] : before].own = (int64_t) i;
	}
	TLV_TRY(tlv_model_arrange(ctx, &frame, model, present->k, places, image, size));
	tlv_free(ctx, places);
	tlv_free(ctx, made);
	return TLV_OK;
}

static bool
is_in_order(size_t n, const int64_t *order)
{
	for (size_t i = 0; i < n; i++)
		if (order[i] != (int64_t) i)
			return false;
	return true;
}

tlv_status
tlv_labels_keep(tlv_context *ctx, const tlv_frame *model, void **image, size_t *size)
{
	size_t k = tlv_model_components(model);
	void *made = *image;
	tlv_text *labels;
	tlv_frame frame;

	TLV_TRY(tlv_frame_open(ctx, made, *size, &frame));
	if (tlv_labels_of(model).offsets == NULL || tlv_model_components(&frame) != k)
		return TLV_OK;
	TLV_TRY_NEW(ctx, labels, k);
	for (size_t j = 0; j < k; j++)
		labels[j] = tlv_component_label(model, j);
	TLV_TRY(tlv_labels_put(ctx, &frame, labels, image, size));
	tlv_free(ctx, labels);
	tlv_free(ctx, made);
	return TLV_OK;
}

/* Observations that statistics are of: tokens, steps or rows. */
static double
statistics_units(const tlv_frame *statistics)
{
	double tokens = tlv_frame_scalar(statistics, "tokens", 0);
	double steps = tlv_frame_scalar(statistics, "steps", 0);

	return tokens > 0 ? tokens : steps > 0 ? steps : tlv_frame_scalar(statistics, "rows", 0);
}

/* What a step rests on. */
typedef struct step_rows
{
	double units;	 /* observations of the statistics */
	double weight;	 /* which count as units / weight */
	bool takes_less; /* the kind takes weights below 1 */
} step_rows;

/* A step that rests on fewer observations than this for every component deserves a warning. */
#define FEW_OBSERVATIONS 10

/* The hint to a step that a weight below most does not deserve it for; it has one digit. */
static const char *
hint_at_weight(const step_rows *rows, double most, char hint[TLV_SHOWN_NAME])
{
	double unit = pow(10, floor(log10(most)));

	if (!rows->takes_less || !(most > 0))
		return "Collect statistics of more rows.";
	snprintf(hint, TLV_SHOWN_NAME,
			 "Use tlv_update(model, statistics, weight => %g), or statistics of more rows.",
			 floor(most / unit + 1e-9) * unit);
	return hint;
}

/* Warns where a step is of too few observations for all components, or leaves less than one to a
 * component that had more.  before NULL: components have no weights. */
static tlv_status
warn_of_few(tlv_context *ctx, const step_rows *rows, size_t k, const double *before,
			const double *after, tlv_diagnostics *diagnostics)
{
	double w = rows->weight, n = rows->units / w,
		   most = rows->units / (FEW_OBSERVATIONS * (double) k);
	char hint[TLV_SHOWN_NAME], counts[TLV_SHOWN_NAME] = "";

	if (w < 1)
		snprintf(counts, sizeof(counts), ", which count%s as %.0f at weight %g",
				 rows->units == 1 ? "s" : "", n, w);
	if (n < FEW_OBSERVATIONS * (double) k * (1 - 1e-9)) /* n is rounded */
		return tlv_warn(ctx, diagnostics,
						&(tlv_warning){.code = "few_rows",
									   .score = n,
									   .hint = hint_at_weight(rows, most, hint)},
						"the parameters of %zu %s are estimated from few observations: %.0f%s", k,
						tlv_plural((double) k, "component", "components"), rows->units, counts);
	for (size_t j = 0; before != NULL && j < k; j++)
	{
		/* The component's part of the new rows, if weights are as linear as in mixtures. */
		double part = (after[j] - (1 - w) * before[j]) / w;
		double keeps = before[j] * rows->units / (1 + (before[j] - part) * rows->units);

		if (before[j] * n >= 1 && after[j] * n < 1)
			TLV_TRY(tlv_warn(
				ctx, diagnostics,
				&(tlv_warning){.code = "few_rows",
							   .component = j + 1,
							   .score = after[j] * n,
							   .hint = hint_at_weight(rows, fmin(fmin(most, keeps), w / 2), hint)},
				"component %zu has lost its weight: none of %.0f %s%s%s "
				"belongs to it",
				j + 1, rows->units, tlv_plural(rows->units, "observation", "observations"), counts,
				counts[0] != '\0' ? "," : ""));
	}
	return TLV_OK;
}

/* Whether a step replaces the parameters of components one by one: rows of neighbours change their
 * own nodes alone, and a row has several atoms of a dictionary. */
static bool
is_of_components(const tlv_frame *statistics)
{
	return statistics->header->kind != TLV_KIND_NEIGHBOUR_STATISTICS &&
		   statistics->header->kind != TLV_KIND_DICTIONARY_STATISTICS;
}

/* The model after the step with a warning of few observations, in the place of that of an earlier
 * step; as it is where there is neither. */
static tlv_status
renew_warning(tlv_context *ctx, const tlv_frame *model, const step_rows *rows, void **image,
			  size_t *size)
{
	static const char *const renewed[] = {"few_rows", NULL};
	size_t k = tlv_model_components(model);
	bool weights = tlv_layout_of(model)->weights != NULL;
	tlv_diagnostics diagnostics = {0}, all = {0};
	double *before, *after;
	size_t others;
	void *made = *image;
	tlv_frame frame;

	if (!(rows->units > 0))
		return TLV_OK;
	TLV_TRY(tlv_frame_open(ctx, made, *size, &frame));
	TLV_TRY_NEW(ctx, before, 2 * k);
	after = before + k;
	if (weights)
	{
		TLV_TRY(tlv_model_weights(ctx, model, before));
		TLV_TRY(tlv_model_weights(ctx, &frame, after));
	}
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, &frame, NULL));
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, &frame, renewed));
	others = diagnostics.warnings;
	TLV_TRY(warn_of_few(ctx, rows, k, weights ? before : NULL, after, &diagnostics));
	if (all.warnings > others || diagnostics.warnings > others)
	{
		TLV_TRY(tlv_diagnostics_rewrite(ctx, &frame, &diagnostics, image, size));
		tlv_free(ctx, made);
	}
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_diagnostics_free(ctx, &all);
	tlv_free(ctx, before);
	return TLV_OK;
}

tlv_status
tlv_model_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				 double weight, void **image, size_t *size)
{
	const tlv_kind *kind = model->kind;
	tlv_step step = {.weight = weight};
	present_part present;
	tlv_status status;

	if (kind == NULL || kind->model == NULL || kind->model->update == NULL)
		return tlv_refuse_steps(ctx, kind != NULL ? kind->name : "unknown");
	if (!(weight > 0 && weight <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "weight = %g is not above 0 and at most 1", weight);
	TLV_TRY(find_present(ctx, model, &present));
	TLV_TRY_NEW(ctx, step.order, present.n);
	for (size_t i = 0; i < present.n; i++)
		step.order[i] = (int64_t) i;
	*image = NULL;
	status = tlv_model_step(ctx, &present.frame, statistics, &step, image, size);
	if (status == TLV_NO_ROWS)
		return TLV_OK;
	TLV_TRY(status);
	TLV_TRY(tlv_kind_require_made(ctx, *image, *size));
	if (present.place != NULL || tlv_layout_of(model)->opposed != NULL ||
		!is_in_order(present.n, step.order))
		TLV_TRY(restore_numbers(ctx, model, &present, step.order, image, size));
	else
		TLV_TRY(tlv_labels_keep(ctx, model, image, size));
	if (is_of_components(statistics))
	{
		const step_rows rows = {statistics_units(statistics), weight,
								kind->code != TLV_KIND_NETWORK};

		TLV_TRY(renew_warning(ctx, model, &rows, image, size));
	}
	tlv_free(ctx, step.order);
	return tlv_kind_require_made(ctx, *image, *size);
}

/* ---- tests of new rows ---- */

double
tlv_model_units(const tlv_frame *model)
{
	double steps = tlv_diagnostics_find(model, "log_likelihood", 0) /
				   tlv_diagnostics_find(model, "log_likelihood_per_step", NAN);
	double rows = tlv_frame_scalar(model, "rows", 0);

	if (rows > 0)
		return rows;
	return steps > 0 ? steps : tlv_diagnostics_find(model, "tokens", 0);
}

tlv_status
tlv_model_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				tlv_drift *drift)
{
	const tlv_kind *kind = model->kind;
	double known = tlv_model_units(model), seen = statistics_units(statistics);
	present_part present;

	if (statistics->header->kind == TLV_KIND_SCORE_PRODUCTS && kind->model->score != NULL)
		return tlv_scores_drift(ctx, model, statistics, drift);
	if (kind->model->drift == NULL)
	{
		(void) tlv_kind_undefined(ctx, model, "tlv_drift");
		if (kind->code == TLV_KIND_MMSB)
			tlv_fail_hint(ctx,
						  "Graphs are tested as they are: tlv_drift(model, graph, reference).");
		return TLV_BAD_PARAMETER;
	}
	TLV_TRY(find_present(ctx, model, &present));
	TLV_TRY(tlv_require_model(ctx, statistics, &present.frame));
	if (!(seen > 0))
		return tlv_fail(ctx, TLV_BAD_DATA, "the statistics hold no rows");
	drift->inflation = known > 0 ? 1 + seen / known : 1;
	TLV_TRY(kind->model->drift(ctx, &present.frame, statistics, drift));
	if (drift->references > 0 && !drift->compared)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "statistics of kind %s are tested without a reference",
				 statistics->kind->name);
		return tlv_fail_hint(ctx, "Give the statistics alone: tlv_drift(model, statistics).");
	}
	for (size_t i = 0; present.place != NULL && i < drift->n; i++)
		if (drift->tests[i].component > 0)
			drift->tests[i].component = (size_t) present.place[drift->tests[i].component - 1] + 1;
	return TLV_OK;
}

/* ---- alignment ---- */

/* The partners of both, and then those that the reference has not. */
static tlv_status
place_components(tlv_context *ctx, const tlv_match *match, size_t known, double farthest,
				 tlv_place **places, size_t *n)
{
	TLV_TRY_NEW(ctx, *places, known + match->k);
	for (size_t j = 0; j < known; j++)
		(*places)[j] = (tlv_place){-1, (int64_t) j};
	*n = known;
	for (size_t i = 0; i < match->k; i++)
	{
		int64_t at = match->component[i];

		if (at >= 0 && !(match->distance[i] > farthest))
			(*places)[at].own = (int64_t) i;
		else
			(*places)[(*n)++] = (tlv_place){(int64_t) i, -1};
	}
	return TLV_OK;
}

tlv_status
tlv_model_align(tlv_context *ctx, const tlv_frame *model, const tlv_frame *reference,
				double farthest, void **image, size_t *size)
{
	present_part present;
	tlv_place *places;
	tlv_match match;
	size_t n;

	if (tlv_layout_of(model)->weights == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"components of a model of kind %s have fixed numbers", model->kind->name);
	if (farthest < 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the distance %g is below 0", farthest);
	TLV_TRY(find_present(ctx, model, &present));
	TLV_TRY(tlv_model_match(ctx, &present.frame, reference, &match));
	TLV_TRY(place_components(ctx, &match, tlv_model_components(reference), farthest, &places, &n));
	TLV_TRY(tlv_model_arrange(ctx, &present.frame, reference, n, places, image, size));
	tlv_free(ctx, places);
	return tlv_kind_require_made(ctx, *image, *size);
}

static bool
all_dropped(const bool *dropped, size_t k)
{
	for (size_t j = 0; j < k; j++)
		if (!dropped[j])
			return false;
	return true;
}

static tlv_status
refuse_tolerance(tlv_context *ctx, double tolerance, size_t k, const double *weights)
{
	double largest = 0;

	for (size_t j = 0; j < k; j++)
		largest = fmax(largest, weights[j]);
	tlv_fail(ctx, TLV_BAD_PARAMETER, "no component has a larger share of the weight than %g",
			 tolerance);
	return tlv_fail_hint(ctx, "Use a smaller tolerance: the largest share is %g.", largest);
}

tlv_status
tlv_mark_components(tlv_context *ctx, const char *verb, size_t k, size_t n, const int32_t *numbers,
					bool *marked)
{
	for (size_t i = 0; i < n; i++)
	{
		if (numbers[i] < 1 || (size_t) numbers[i] > k)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no component %d to %s", (int) numbers[i],
					 verb);
			return tlv_fail_hint(ctx, "Components are numbered from 1 to %zu.", k);
		}
		marked[numbers[i] - 1] = true;
	}
	return TLV_OK;
}

tlv_status
tlv_model_compact(tlv_context *ctx, const tlv_frame *model, double tolerance, size_t n_drop,
				  const int32_t *drop, void **image, size_t *size)
{
	size_t k = tlv_model_components(model), n = 0;
	tlv_place *places;
	double *weights;
	bool *dropped;

	if (!(tolerance >= 0 && tolerance < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "tolerance = %g is not from 0 to below 1",
						tolerance);
	TLV_TRY_NEW(ctx, weights, k);
	TLV_TRY_NEW(ctx, places, k);
	TLV_TRY_NEW0(ctx, dropped, k);
	TLV_TRY(tlv_model_weights(ctx, model, weights));
	TLV_TRY(tlv_mark_components(ctx, "drop", k, n_drop, drop, dropped));
	for (size_t j = 0; j < k; j++)
		/* Weights that are solved for differ in their last digits from one call to another. */
		if (!dropped[j] && weights[j] > tolerance * (1 + TLV_ROUNDING))
			places[n++] = (tlv_place){(int64_t) j, -1};
	if (n == 0 && all_dropped(dropped, k))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "no component is left");
	if (n == 0)
		return refuse_tolerance(ctx, tolerance, k, weights);
	TLV_TRY(tlv_model_arrange(ctx, model, NULL, n, places, image, size));
	tlv_free(ctx, dropped);
	tlv_free(ctx, places);
	tlv_free(ctx, weights);
	return tlv_kind_require_made(ctx, *image, *size);
}
