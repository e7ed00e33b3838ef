/*
 * partition.c - mixed membership by the partitioned method of Tan and Mukherjee (internal.h).
 *
 * Three disjoint sets of variables, the modes, give a tensor of third moments whose factors are the
 * probabilities of the components, side by side, and not negative.
 */
#include <math.h>
#include <string.h>

#include "partition.h"

#include "tensorlv/num/plural.h"

/* ---- who is where ---- */

static tlv_status
weigh_variables(tlv_context *ctx, partition_work *work)
{
	/* A variable that is present in fewer rows counts as if it were in that many; what is never
	 * there belongs to no mode. */
	const double least_present = 0.05;
	const membership_moments *moments = work->moments;
	const tlv_category_tables *tables = work->tables;
	double *present, copies = (double) moments->copies;

	TLV_TRY_NEW0(ctx, present, moments->p);
	for (size_t s = 0; s < tables->p; s++)
		for (size_t v = tables->offset[s]; v < tables->offset[s + 1]; v++)
			present[s / moments->copies] += tables->singles[v];
	work->usable = 0;
	for (size_t j = 0; j < moments->p; j++)
	{
		size_t from = (size_t) work->order[j];

		work->weight[j] = 1 / (fmax(present[j] / (tables->rows * copies), least_present) * copies);
		if (moments->states[from] > 1 && present[from] > 0)
			work->order[work->usable++] = (int64_t) from;
	}
	tlv_free(ctx, present);
	return TLV_OK;
}

/* How many variables, from the first on, have k independent columns together. */
static size_t
least_of_mode(const partition_work *work, size_t from)
{
	size_t free = 0, n = 0;

	while (from + n < work->usable && free + 1 < work->k)
		free += (size_t) work->moments->states[work->order[from + n++]] - 1;
	return free + 1 < work->k ? work->usable : n > 0 ? n : 1;
}

static void
add_to_mode(partition_work *work, int m, size_t variable)
{
	partition_mode *mode = &work->mode[m];

	work->place[variable] = mode->first[mode->n];
	mode->variable[mode->n++] = variable;
	mode->first[mode->n] = work->place[variable] + (size_t) work->moments->states[variable];
}

/* To each mode the variables that its rank needs, then the others in turn. */
static tlv_status
choose_modes(tlv_context *ctx, partition_work *work)
{
	size_t at = 0, need[MODES], all = 0;

	for (int m = 0; m < MODES; m++)
		all += need[m] = least_of_mode(work, all);
	if (all > work->usable)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu %s not identified by three groups of %zu %s",
				 work->k, tlv_plural((double) work->k, "component is", "components are"),
				 work->usable, tlv_plural((double) work->usable, "variable", "variables"));
		return tlv_fail_hint(ctx, "Use a smaller k, or method => 'joint', which needs no groups.");
	}
	for (int m = 0; m < MODES; m++)
		for (size_t i = 0; i < need[m]; i++)
			add_to_mode(work, m, (size_t) work->order[at++]);
	for (; at < work->usable; at++)
		add_to_mode(work, (int) ((at - all) % MODES), (size_t) work->order[at]);
	return TLV_OK;
}

/* ---- components ---- */

/* A mode's factor as probabilities, into the table: those of a variable sum to 1; where there is
 * nothing, as among all rows. */
static void
take_probabilities(const partition_work *work, const partition_mode *mode, const double *scale,
				   const double *factor, double *table)
{
	size_t k = work->k;

	for (size_t i = 0; i < mode->n; i++)
	{
		size_t at = work->moments->offset[mode->variable[i]];
		size_t states = mode->first[i + 1] - mode->first[i];

		for (size_t h = 0; h < k; h++)
		{
			double sum = 0;

			for (size_t c = 0; c < states; c++)
				sum += table[(at + c) * k + h] =
					factor[(mode->first[i] + c) * k + h] / scale[mode->first[i] + c];
			for (size_t c = 0; c < states; c++)
				table[(at + c) * k + h] =
					sum > 0 ? table[(at + c) * k + h] / sum : work->moments->mean[at + c];
		}
	}
}

static tlv_status
fit_partition(tlv_context *ctx, const partition_work *work, membership_fit *fit)
{
	const tlv_nonnegative_options solver = {.method = work->options->solver,
											.restarts = work->options->decompose.restarts,
											.sweeps = work->options->decompose.steps,
											.seed = work->options->seed};
	double *factors, *at, *weights;
	partition_moments moments;

	TLV_TRY(membership_collect_moments(ctx, work, &moments));
	fit->negative = moments.negative;
	TLV_TRY_NEW_ROWS(ctx, factors, moments.d[0] + moments.d[1] + moments.d[2], work->k);
	TLV_TRY_NEW(ctx, weights, work->k);
	TLV_TRY(tlv_nonnegative_cp(ctx, moments.d, work->k, moments.triple, &solver, factors, weights,
							   &fit->residual));
	/* Variables of no mode have the shares of all rows. */
	for (size_t i = 0; i < work->moments->categories * work->k; i++)
		fit->table[i] = work->moments->mean[i / work->k];
	at = factors;
	for (int m = 0; m < MODES; at += moments.d[m++] * work->k)
		take_probabilities(work, &work->mode[m], moments.scale[m], at, fit->table);
	return TLV_OK;
}

static tlv_status
run_partition(tlv_context *ctx, partition_work *work, membership_fit *fit)
{
	size_t p = work->moments->p;
	tlv_rng rng;

	TLV_TRY_NEW(ctx, work->order, p);
	TLV_TRY_NEW(ctx, work->weight, p);
	TLV_TRY_NEW(ctx, work->place, p);
	for (int m = 0; m < MODES; m++)
	{
		TLV_TRY_NEW(ctx, work->mode[m].variable, p);
		TLV_TRY_NEW0(ctx, work->mode[m].first, p + 1);
	}
	tlv_rng_seed(&rng, work->options->seed);
	TLV_TRY(tlv_rng_permutation(ctx, &rng, p, work->order));
	TLV_TRY(weigh_variables(ctx, work));
	TLV_TRY(choose_modes(ctx, work));
	return fit_partition(ctx, work, fit);
}

tlv_status
membership_partition_tables(tlv_context *ctx, const tlv_category_tables *tables,
							const membership_moments *moments,
							const tlv_membership_options *options, membership_fit *fit)
{
	size_t k = options->k;
	partition_work work = {.tables = tables,
						   .moments = moments,
						   .options = options,
						   .k = k,
						   .alpha0 = membership_alpha0(options, k)};
	tlv_scratch scratch;
	tlv_status status;

	fit->k = k;
	TLV_TRY_NEW(ctx, fit->weights, k);
	TLV_TRY_NEW_ROWS(ctx, fit->table, moments->categories, k);
	tlv_scratch_begin(ctx, &scratch);
	status = run_partition(ctx, &work, fit);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	return membership_find_weights(ctx, moments, work.alpha0, fit);
}
