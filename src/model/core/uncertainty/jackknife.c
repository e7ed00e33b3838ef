/*
 * jackknife.c - standard errors of any model from fits that each leave a group of the rows out
 * (errors.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/sort.h"

/* ---- estimates of another model, by what they are ---- */

static bool
item_is_component(tlv_estimate_part part)
{
	return part == TLV_ESTIMATE_TRANSITION || part == TLV_ESTIMATE_CONNECTIVITY;
}

static int
compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By part, component and item; those of two names, as categories of a variable, by these numbers.
 */
static int
compare_estimates(const void *a, const void *b)
{
	const tlv_estimate *x = a, *y = b;
	int order = compare(x->part, y->part);

	order = order != 0 ? order : compare((int64_t) x->component, (int64_t) y->component);
	order = order != 0 ? order : compare(x->item, y->item);
	order = order != 0 ? order : compare(x->number[0], y->number[0]);
	return order != 0 ? order : compare(x->number[1], y->number[1]);
}

/* What the estimate is called in the other model, whose component partner[i] is our i-th; false:
 * the component has no partner. */
static bool
rename_estimate(const tlv_match *match, tlv_estimate *one)
{
	int64_t *numbers[] = {&one->item, &one->number[0]};

	if (one->component > 0)
	{
		if (match->component[one->component - 1] < 0)
			return false;
		one->component = (size_t) match->component[one->component - 1] + 1;
	}
	for (size_t i = 0; item_is_component(one->part) && i < 2; i++)
		if (*numbers[i] > 0 && (size_t) *numbers[i] <= match->k)
			*numbers[i] = match->component[*numbers[i] - 1] + 1;
	return true;
}

/* ---- sums over the fits ---- */

typedef struct jackknife
{
	const tlv_frame *model;
	tlv_estimates list;
	double *sums, *squares; /* of every estimate, of what the fits say less what the model says */
	/* Of the draws, each a normal number for every fit times what the fit says: these numbers'
	 * sums. */
	tlv_rng rng;
	double numbers[TLV_DRAWS];
} jackknife;

/* Of the headers alone: a model of another kind is never opened. */
static tlv_status
require_one_kind(tlv_context *ctx, const tlv_frame *model, const tlv_stored_models *without)
{
	for (size_t g = 0; g < without->n; g++)
	{
		uint8_t kind = without->headers[g]->kind;

		if (kind != model->header->kind)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"model %zu is of kind %s, the whole model of %s", g + 1,
							ctx->kind_of(TLV_FRAME_MODEL, kind)->name, model->kind->name);
	}
	return TLV_OK;
}

static tlv_status
require_alike(tlv_context *ctx, const jackknife *state, const tlv_frame *fit, size_t number)
{
	size_t k = tlv_model_components(state->model), own = tlv_model_components(fit);

	if (own == k)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "model %zu has k = %zu, the whole model %zu", number, own, k);
	return tlv_fail_hint(ctx, "Fit all of them with the same k.");
}

static int
sort_estimates(const void *a, const void *b, const void *unused)
{
	(void) unused;
	return compare_estimates(a, b);
}

/* What the other model says of an estimate of ours; NaN: nothing. */
static double
find_other(const tlv_estimates *other, const tlv_match *match, tlv_estimate wanted)
{
	const tlv_estimate *found;

	if (!rename_estimate(match, &wanted))
		return NAN;
	found = bsearch(&wanted, other->list, other->n, sizeof(tlv_estimate), compare_estimates);
	if (found != NULL)
		return found->estimate;
	/* an item that only the group left out has is not there */
	return wanted.part == TLV_ESTIMATE_PROBABILITY ? 0 : NAN;
}

/* Columns of a mixing matrix may have turned about: signs (of as many as there are components)
 * turns them back. */
static tlv_status
find_signs(tlv_context *ctx, const jackknife *state, const tlv_estimates *other,
		   const tlv_match *match, double *signs)
{
	for (size_t j = 0; j < match->k; j++)
		signs[j] = 0;
	for (size_t i = 0; i < state->list.n; i++)
	{
		const tlv_estimate *own = &state->list.list[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (own->part == TLV_ESTIMATE_MIXING)
			signs[own->component - 1] += own->estimate * find_other(other, match, *own);
	}
	for (size_t j = 0; j < match->k; j++)
		signs[j] = signs[j] < 0 ? -1 : 1;
	return TLV_OK;
}

static tlv_status
add_fit(tlv_context *ctx, jackknife *state, const tlv_frame *fit)
{
	tlv_estimates other = {0};
	tlv_match match;
	double *signs, normal[TLV_DRAWS];

	tlv_rng_fill_normal(&state->rng, TLV_DRAWS, normal);
	for (size_t r = 0; r < TLV_DRAWS; r++)
		state->numbers[r] += normal[r];

	TLV_TRY(tlv_model_estimates(ctx, fit, NULL, &other));
	TLV_TRY(tlv_model_match(ctx, state->model, fit, &match));
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY(tlv_merge_sort(ctx, other.n, sizeof(tlv_estimate), other.list, sort_estimates, NULL));
	TLV_TRY_NEW(ctx, signs, match.k);
	TLV_TRY(find_signs(ctx, state, &other, &match, signs));
	for (size_t i = 0; i < state->list.n; i++)
	{
		const tlv_estimate *own = &state->list.list[i];
		double sign = own->part == TLV_ESTIMATE_MIXING ? signs[own->component - 1] : 1;
		double apart = sign * find_other(&other, &match, *own) - own->estimate;

		TLV_TRY_CONTINUE_AT(ctx, i);
		state->sums[i] += apart;
		state->squares[i] += apart * apart;
		for (size_t r = 0; state->list.draws != NULL && r < TLV_DRAWS; r++)
			state->list.draws[i * TLV_DRAWS + r] += normal[r] * apart;
	}
	return TLV_OK;
}

/* Of an estimate the draws, whose covariance is then that of the jackknife. */
static void
finish_draws(jackknife *state, size_t i, double groups)
{
	const tlv_estimate *own = state->list.list + i;
	double scale = sqrt((groups - 1) / groups), mean = state->sums[i] / groups;
	double *draws = state->list.draws + i * TLV_DRAWS;

	if (own->group != 0)
		scale = own->estimate > 0 ? scale / own->estimate : 0;
	for (size_t r = 0; r < TLV_DRAWS; r++)
		draws[r] = scale * (draws[r] - state->numbers[r] * mean);
}

/* ---- what no spread of fits tells ---- */

/*
 * A share of too few observations: an estimate at or near 0 stays there in most fits, whatever it
 * is in truth, and the others are too large.  It has no standard error, but a count: half of the
 * observations that its distribution comes from, as many as its own error tells where these are
 * fewer, and at most the number with which the interval reaches to 0.
 */
static void
count_rare(tlv_estimate *own, double observations)
{
	/* Observations of a category, or of all others, and its errors to 0 or 1, from which on a
	 * spread of fits tells its error. */
	const double rare = 10.0, rare_errors = 2.0;

	/* Observations whose interval of 95 % reaches to 0. */
	const double reaches_zero = 3.5;

	/* Proportion of the observations of a distribution that counts for a rare category, most of
	 * which may belong to other components. */
	const double rare_part = 0.5;
	double p = own->estimate, error = own->standard_error, least = fmin(p, 1 - p);

	if (least * observations >= rare && least >= rare_errors * error)
		return;
	own->standard_error = NAN;
	own->degrees = 0;
	observations *= rare_part;
	if (error > 0)
		observations = fmin(observations, fmax(least, error) / (error * error));
	own->count = least > 0 ? fmin(observations, reaches_zero / least) : observations;
}

/* Of probabilities that sum to 1, sum p (1 - p) beside the sum of squared errors tells how many
 * observations they come from. */
static tlv_status
count_all_rare(tlv_context *ctx, tlv_estimates *list)
{
	size_t groups = 0;
	double *sums;

	for (size_t i = 0; i < list->n; i++)
		groups = list->list[i].group > groups ? list->list[i].group : groups;
	TLV_TRY_NEW0(ctx, sums, 2 * (groups + 1));
	for (size_t i = 0; i < list->n; i++)
	{
		const tlv_estimate *own = &list->list[i];
		double p = own->estimate, error = own->standard_error;

		if (own->group == 0 || !(error > 0))
			continue;
		sums[2 * own->group] += p * (1 - p);
		sums[2 * own->group + 1] += error * error;
	}
	for (size_t i = 0; i < list->n; i++)
	{
		tlv_estimate *own = &list->list[i];
		const double *of_group = sums + 2 * own->group;

		if (own->group != 0 && !own->plain && of_group[1] > 0)
			count_rare(own, of_group[0] / of_group[1]);
	}
	tlv_free(ctx, sums);
	return TLV_OK;
}

tlv_status
tlv_errors_jackknife(tlv_context *ctx, const tlv_frame *model, const tlv_stored_models *without,
					 void **image, size_t *size)
{
	jackknife state = {.model = model};
	size_t n = without->n;
	double groups = (double) n;

	if (n < 2)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu %s too few", n,
				 tlv_plural((double) n, "model that leaves a group out is",
							"models that leave a group out are"));
		return tlv_fail_hint(ctx, "Take 20 groups or so.");
	}
	TLV_TRY(require_one_kind(ctx, model, without));
	TLV_TRY(tlv_model_estimates(ctx, model, NULL, &state.list));
	TLV_TRY_NEW0(ctx, state.sums, 2 * state.list.n);
	state.squares = state.sums + state.list.n;
	tlv_rng_seed(&state.rng, tlv_draws_seed(model, state.list.n));
	if (state.list.n <= TLV_DRAWS_MOST && model->kind->model->redraw != NULL)
		TLV_TRY_NEW0(ctx, state.list.draws, state.list.n * TLV_DRAWS);
	for (size_t g = 0; g < n; g++)
	{
		tlv_frame fit = without->open(without->argument, g);
		tlv_scratch scratch;
		tlv_status status;

		TLV_TRY(require_alike(ctx, &state, &fit, g + 1));
		tlv_scratch_begin(ctx, &scratch);
		status = add_fit(ctx, &state, &fit);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
	}
	for (size_t i = 0; i < state.list.n; i++)
	{
		double spread = state.squares[i] - state.sums[i] * state.sums[i] / groups;

		/* all the same: the number is none of the fit's */
		state.list.list[i].standard_error = spread > 0 ? sqrt((groups - 1) / groups * spread) : NAN;
		state.list.list[i].count = 0;
		state.list.list[i].degrees = groups - 1;
		if (state.list.draws != NULL)
			finish_draws(&state, i, groups);
	}
	TLV_TRY(count_all_rare(ctx, &state.list));
	return tlv_errors_write(ctx, model, &state.list, image, size);
}
