/*
 * partition.c - mixed membership by the partitioned method of Tan and Mukherjee (internal.h).
 *
 * Three disjoint sets of variables, the modes, give a tensor of third moments whose factors are the
 * probabilities of the components, side by side, and not negative.  Of many variables every
 * partition has some of its own and the anchors, which all have; its components are matched with
 * the first one's by the anchors.
 */
#include <math.h>
#include <string.h>

#include "partition.h"

#include "tensorlv/num/match_columns.h"
#include "tensorlv/num/plural.h"

/* Entries of a tensor when it is the only one, and of one of several. */
#define MOST_WHOLE ((size_t) 1 << 20)
#define MOST_PART  ((size_t) 1 << 18)
/* Variables of a mode beyond those that its rank needs. */
#define SLACK 1

/* ---- who is where ---- */

/* Values of every variable (p). */
static tlv_status
count_values(tlv_context *ctx, const partition_work *work, double *present)
{
	const membership_rows *rows = work->rows;
	const tlv_category_tables *tables = work->tables;

	for (size_t s = 0; s < rows->slots && tables != NULL; s++)
		for (size_t v = tables->offset[s]; v < tables->offset[s + 1]; v++)
			present[s / rows->copies] += tables->singles[v];
	for (size_t i = 0; i < rows->n * rows->slots && tables == NULL; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		present[i % rows->slots / rows->copies] += rows->codes[i] != 0;
	}
	return TLV_OK;
}

static tlv_status
weigh_variables(tlv_context *ctx, partition_work *work)
{
	/* A variable that is present in fewer rows counts as if it were in that many; what is never
	 * there belongs to no mode. */
	const double least_present = 0.05;
	membership_rows *rows = work->rows;
	double *present, all = (double) rows->n * (double) rows->copies;

	TLV_TRY_NEW0(ctx, present, rows->p);
	TLV_TRY(count_values(ctx, work, present));
	work->usable = 0;
	for (size_t j = 0; j < rows->p; j++)
	{
		size_t from = (size_t) work->order[j];

		work->weight[j] = 1 / (fmax(present[j] / all, least_present) * (double) rows->copies);
		if (rows->states[from] > 1 && present[from] > 0)
			work->order[work->usable++] = (int64_t) from;
	}
	tlv_free(ctx, present);
	return TLV_OK;
}

/* How many variables, from the first on, have k independent columns together, and some more. */
static size_t
anchors_of_mode(const partition_work *work, size_t from)
{
	size_t free = 0, n = 0;

	while (from + n < work->usable && free + 1 < work->k)
		free += (size_t) work->rows->states[work->order[from + n++]] - 1;
	return free + 1 < work->k ? work->usable : n > 0 ? n : 1;
}

static tlv_status
choose_modes(tlv_context *ctx, partition_work *work)
{
	size_t need[MODES], all = 0, most = 0, categories = 0, rest;

	for (int m = 0; m < MODES; m++)
	{
		need[m] = anchors_of_mode(work, all);
		all += need[m];
		most = need[m] > most ? need[m] : most;
	}
	if (all > work->usable)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu %s not identified by three groups of %zu %s",
				 work->k, tlv_plural((double) work->k, "component is", "components are"),
				 work->usable, tlv_plural((double) work->usable, "variable", "variables"));
		return tlv_fail_hint(ctx, "Use a smaller k, or method => 'joint', which needs no groups.");
	}
	for (int m = 0; m < MODES; m++)
		work->mode[m].anchors = need[m];
	for (int m = 0; m < MODES && all < work->usable; m++, all++)
		work->mode[m].anchors += SLACK;
	work->anchored = all;
	for (size_t i = 0; i < work->usable; i++)
		categories += (size_t) work->rows->states[work->order[i]];
	rest = work->usable - all;
	work->each = (rest + MODES - 1) / MODES;
	if (pow((double) categories / MODES, 3) > (double) MOST_WHOLE)
	{
		double one = (double) categories / (double) work->usable;
		double room = cbrt((double) MOST_PART) / one - (double) (most + SLACK);

		work->each = (size_t) fmax(room, (double) (most + SLACK));
	}
	work->parts = rest == 0 ? 1 : (rest + MODES * work->each - 1) / (MODES * work->each);
	return TLV_OK;
}

/* Variables of a partition's modes: anchors, then those of its own, dealt in turn. */
static void
fill_modes(partition_work *work, size_t part)
{
	size_t at = 0, from = work->anchored + part * MODES * work->each;
	size_t to = tlv_least(from + MODES * work->each, work->usable);

	for (size_t j = 0; j < work->rows->p; j++)
		work->mode_of[j] = -1;
	for (int m = 0; m < MODES; m++)
	{
		partition_mode *mode = &work->mode[m];

		for (mode->n = 0; mode->n < mode->anchors; mode->n++)
			mode->variable[mode->n] = (size_t) work->order[at++];
	}
	for (size_t i = from; i < to; i++)
	{
		partition_mode *mode = &work->mode[(i - from) % MODES];

		mode->variable[mode->n++] = (size_t) work->order[i];
	}
	for (int m = 0; m < MODES; m++)
	{
		partition_mode *mode = &work->mode[m];

		mode->first[0] = 0;
		for (size_t i = 0; i < mode->n; i++)
		{
			size_t j = mode->variable[i];

			work->mode_of[j] = m;
			work->place[j] = mode->first[i];
			mode->first[i + 1] = mode->first[i] + (size_t) work->rows->states[j];
		}
	}
}

/* ---- components of a partition ---- */

/* A mode's factor as probabilities: those of a variable sum to 1; where there is nothing, as among
 * all rows. */
static void
take_probabilities(const partition_work *work, const partition_mode *mode, const double *scale,
				   double *factor)
{
	size_t k = work->k;

	for (size_t i = 0; i < mode->first[mode->n] * k; i++)
		factor[i] /= scale[i / k];

	for (size_t i = 0; i < mode->n; i++)
		for (size_t h = 0; h < k; h++)
		{
			const double *marginal = work->rows->marginal + work->rows->offset[mode->variable[i]];
			double sum = 0;

			for (size_t c = mode->first[i]; c < mode->first[i + 1]; c++)
				sum += factor[c * k + h];
			for (size_t c = mode->first[i]; c < mode->first[i + 1]; c++)
				factor[c * k + h] =
					sum > 0 ? factor[c * k + h] / sum : marginal[c - mode->first[i]];
		}
}

/* The anchors' probabilities, one mode behind the other. */
static size_t
take_anchors(const partition_work *work, const double *factors, double *anchors)
{
	size_t k = work->k, n = 0;

	for (int m = 0; m < MODES; m++)
	{
		const partition_mode *mode = &work->mode[m];
		size_t own = mode->first[mode->anchors];

		memcpy(anchors + n * k, factors, own * k * sizeof(double));
		n += own;
		factors += mode->first[mode->n] * k;
	}
	return n;
}

/* Into the table: anchors are means over the partitions. */
static void
put_partition(const partition_work *work, const double *factors, const int64_t *partner,
			  double *table)
{
	size_t k = work->k;

	for (int m = 0; m < MODES; m++)
	{
		const partition_mode *mode = &work->mode[m];

		for (size_t i = 0; i < mode->n; i++)
		{
			double share = i < mode->anchors ? 1 / (double) work->parts : 1;
			double *to = table + work->rows->offset[mode->variable[i]] * k;

			for (size_t c = mode->first[i]; c < mode->first[i + 1]; c++, to += k)
				for (size_t h = 0; h < k; h++)
					to[h] += share * factors[c * k + (size_t) partner[h]];
		}
		factors += mode->first[mode->n] * k;
	}
}

static tlv_status
match_partition(tlv_context *ctx, partition_work *work, size_t part, const double *factors,
				int64_t *partner)
{
	size_t n = take_anchors(work, factors, part == 0 ? work->reference : work->own);

	for (size_t h = 0; h < work->k; h++)
		partner[h] = (int64_t) h;
	if (part == 0)
		return TLV_OK;
	return tlv_match_columns(ctx, n, work->k, work->reference, work->own, partner);
}

static tlv_status
fit_partition(tlv_context *ctx, partition_work *work, size_t part, double *table)
{
	/* Sweeps and starts of a factorisation where there are many, and what ends it. */
	const int part_sweeps = 150, part_starts = 1;
	const double part_tolerance = 1e-6;
	tlv_nonnegative_options solver = {.method = work->options->solver,
									  .restarts = work->options->decompose.restarts,
									  .sweeps = work->options->decompose.steps,
									  .seed = work->options->seed + part};
	double *factors, *weights, *at, residual;
	partition_moments moments;
	int64_t *partner;

	fill_modes(work, part);
	TLV_TRY(membership_collect_moments(ctx, work, &moments));
	if (work->parts > 1)
	{
		solver.restarts = solver.restarts > 0 ? solver.restarts : part_starts;
		solver.sweeps = solver.sweeps > 0 ? solver.sweeps : part_sweeps;
		solver.tolerance = part_tolerance;
	}
	TLV_TRY_NEW_ROWS(ctx, factors, moments.d[0] + moments.d[1] + moments.d[2], work->k);
	TLV_TRY_NEW(ctx, weights, work->k);
	TLV_TRY_NEW(ctx, partner, work->k);
	TLV_TRY(tlv_nonnegative_cp(ctx, moments.d, work->k, moments.triple, &solver, factors, weights,
							   &residual));
	at = factors;
	for (int m = 0; m < MODES; at += moments.d[m++] * work->k)
		take_probabilities(work, &work->mode[m], moments.scale[m], at);
	TLV_TRY(match_partition(ctx, work, part, factors, partner));
	put_partition(work, factors, partner, table);
	work->residual += residual;
	return TLV_OK;
}

/* ---- all of them ---- */

static tlv_status
partition_begin(tlv_context *ctx, partition_work *work)
{
	size_t p = work->rows->p;
	tlv_rng rng;

	TLV_TRY_NEW(ctx, work->order, p);
	TLV_TRY_NEW(ctx, work->weight, p);
	TLV_TRY_NEW(ctx, work->mode_of, p);
	TLV_TRY_NEW(ctx, work->place, p);
	for (int m = 0; m < MODES; m++)
	{
		TLV_TRY_NEW(ctx, work->mode[m].variable, p);
		TLV_TRY_NEW(ctx, work->mode[m].first, p + 1);
		TLV_TRY_NEW(ctx, work->value[m], work->rows->slots);
	}
	TLV_TRY_NEW_ROWS(ctx, work->reference, work->rows->categories, work->k);
	TLV_TRY_NEW_ROWS(ctx, work->own, work->rows->categories, work->k);
	tlv_rng_seed(&rng, work->options->seed);
	TLV_TRY(tlv_rng_permutation(ctx, &rng, p, work->order));
	TLV_TRY(weigh_variables(ctx, work));
	return choose_modes(ctx, work);
}

/* Variables of no mode have the shares of all rows. */
static void
put_marginals(const partition_work *work, double *table)
{
	const membership_rows *rows = work->rows;
	size_t k = work->k;

	for (size_t j = 0; j < rows->p; j++)
	{
		double sum = 0;

		for (size_t c = rows->offset[j]; c < rows->offset[j + 1]; c++)
			sum += table[c * k];
		for (size_t i = rows->offset[j] * k; i < rows->offset[j + 1] * k && !(sum > 0); i++)
			table[i] = rows->marginal[i / k];
	}
}

static tlv_status
run_partitions(tlv_context *ctx, partition_work *work, membership_fit *fit)
{
	TLV_TRY(partition_begin(ctx, work));
	for (size_t part = 0; part < work->parts; part++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_scratch_begin(ctx, &scratch);
		status = fit_partition(ctx, work, part, fit->table);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
	}
	put_marginals(work, fit->table);
	fit->residual = work->residual / (double) work->parts;
	fit->negative = work->negative / (double) work->parts;
	return TLV_OK;
}

static tlv_status
start_of_partitions(tlv_context *ctx, membership_rows *rows, const tlv_category_tables *tables,
					const tlv_membership_options *options, size_t k, membership_fit *fit)
{
	partition_work work = {.rows = rows,
						   .tables = tables,
						   .options = options,
						   .k = k,
						   .alpha0 = membership_alpha0(options, k)};
	membership_moments first = {.p = rows->p,
								.copies = rows->copies,
								.categories = rows->categories,
								.states = rows->states,
								.offset = rows->offset,
								.mean = rows->marginal};
	tlv_scratch scratch;
	tlv_status status;

	fit->k = k;
	TLV_TRY_NEW(ctx, fit->weights, k);
	TLV_TRY_NEW0_ROWS(ctx, fit->table, rows->categories, k);
	tlv_scratch_begin(ctx, &scratch);
	status = run_partitions(ctx, &work, fit);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	return membership_find_weights(ctx, &first, work.alpha0, fit);
}

tlv_status
membership_start_of_partitions(tlv_context *ctx, membership_rows *rows,
							   const tlv_membership_options *options, size_t k, membership_fit *fit)
{
	return start_of_partitions(ctx, rows, NULL, options, k, fit);
}

tlv_status
membership_partition_tables(tlv_context *ctx, const tlv_category_tables *tables,
							const membership_moments *moments,
							const tlv_membership_options *options, membership_fit *fit)
{
	membership_rows rows = {.n = (size_t) tables->rows,
							.p = moments->p,
							.copies = moments->copies,
							.marginal = moments->mean};

	rows.slots = rows.p * rows.copies;
	rows.categories = moments->offset[rows.p];
	TLV_TRY_NEW(ctx, rows.states, rows.p);
	TLV_TRY_NEW(ctx, rows.offset, rows.p + 1);
	memcpy(rows.states, moments->states, rows.p * sizeof(int64_t));
	memcpy(rows.offset, moments->offset, (rows.p + 1) * sizeof(size_t));
	return start_of_partitions(ctx, &rows, tables, options, options->k, fit);
}
