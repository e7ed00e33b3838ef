/*
 * partition.c - mixed membership by the partitioned method of Tan and Mukherjee (internal.h).
 *
 * Three disjoint sets of variables, the modes, give a tensor of third moments whose factors are the
 * probabilities of the components, side by side, and not negative.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/plural.h"

#define MODES 3

typedef struct partition_mode
{
	size_t n;		  /* variables */
	size_t *variable; /* memory for all */
	size_t *first;	  /* memory for all, and one: categories before each */
} partition_mode;

typedef struct partition_work
{
	const tlv_category_tables *tables;
	const membership_moments *moments; /* whose variables these are */
	const tlv_membership_options *options;
	size_t k;
	double alpha0;
	size_t usable;	/* variables that have values, and two categories at least */
	int64_t *order; /* p: the usable ones, at random */
	double *weight; /* p: of a value, one over how often the variable is there and its copies */
	size_t *place;	/* p: categories before the variable in its mode */
	partition_mode mode[MODES];
} partition_work;

typedef struct partition_moments
{
	size_t d[MODES];
	double *triple;		 /* d0 x d1 x d2 */
	double *pair[MODES]; /* of the other two modes */
	double *mean[MODES];
	double *scale[MODES]; /* of an entry one over the root of its mean: its error is about that */
	double negative;	  /* share of the entries */
} partition_moments;

/* ---- who is where ---- */

static tlv_status
weigh_variables(tlv_context *ctx, partition_work *work)
{
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

		work->weight[j] =
			1 / (fmax(present[j] / (tables->rows * copies), MEMBERSHIP_LEAST_PRESENT) * copies);
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

/* ---- moments ---- */

static tlv_status
partition_moments_begin(tlv_context *ctx, const partition_work *work, partition_moments *moments)
{
	for (int m = 0; m < MODES; m++)
		moments->d[m] = work->mode[m].first[work->mode[m].n];
	TLV_TRY(tlv_require_memory(
		ctx, 8.0 * (double) moments->d[0] * (double) moments->d[1] * (double) moments->d[2],
		"the triples of a partition"));
	TLV_TRY_NEW0(ctx, moments->triple, moments->d[0] * moments->d[1] * moments->d[2]);
	for (int m = 0; m < MODES; m++)
	{
		TLV_TRY_NEW0(ctx, moments->pair[m], moments->d[(m + 1) % 3] * moments->d[(m + 2) % 3]);
		TLV_TRY_NEW0(ctx, moments->mean[m], moments->d[m]);
		TLV_TRY_NEW(ctx, moments->scale[m], moments->d[m]);
	}
	return TLV_OK;
}

/* One slot of each of n modes, among those of the tables, and where its categories are in its mode.
 */
typedef struct partition_slot
{
	size_t slot, states, place;
	double weight;
} partition_slot;

/* Slot i of a mode: copies of a variable are side by side. */
static partition_slot
mode_slot(const partition_work *work, int m, size_t i)
{
	size_t copies = work->moments->copies, j = work->mode[m].variable[i / copies];
	size_t slot = j * copies + i % copies;

	return (partition_slot){slot, (size_t) work->tables->states[slot], work->place[j],
							work->weight[j]};
}

/* How far apart a slot's categories are in the table of n slots. */
static size_t
slot_stride(int n, const partition_slot *slots, int m)
{
	size_t stride = 1;

	for (int o = 0; o < n; o++)
		stride *= slots[o].slot > slots[m].slot ? slots[o].states : 1;
	return stride;
}

static void
add_pair_table(const partition_work *work, const partition_slot *slots, size_t columns,
			   double *pair)
{
	size_t low = tlv_least(slots[0].slot, slots[1].slot);
	const double *table = tlv_category_pair(work->tables, low, slots[0].slot + slots[1].slot - low);
	size_t down = slot_stride(2, slots, 0), right = slot_stride(2, slots, 1);

	for (size_t x = 0; x < slots[0].states; x++)
		for (size_t y = 0; y < slots[1].states; y++)
			pair[(slots[0].place + x) * columns + slots[1].place + y] +=
				slots[0].weight * slots[1].weight * table[x * down + y * right];
}

static void
add_triple_table(const partition_work *work, const partition_slot *slots, const size_t *d,
				 double *triple)
{
	size_t a = slots[0].slot, b = slots[1].slot, c = slots[2].slot;
	size_t low = tlv_least(a, tlv_least(b, c)), pair = tlv_least(a + b, tlv_least(a + c, b + c));
	const double *table = tlv_category_triple(work->tables, low, pair - low, a + b + c - pair);
	size_t stride[MODES] = {slot_stride(MODES, slots, 0), slot_stride(MODES, slots, 1),
							slot_stride(MODES, slots, 2)};
	double weight = slots[0].weight * slots[1].weight * slots[2].weight;

	for (size_t x = 0; x < slots[0].states; x++)
		for (size_t y = 0; y < slots[1].states; y++)
		{
			double *to =
				triple + ((slots[0].place + x) * d[1] + slots[1].place + y) * d[2] + slots[2].place;

			for (size_t z = 0; z < slots[2].states; z++)
				to[z] += weight * table[x * stride[0] + y * stride[1] + z * stride[2]];
		}
}

static void
add_singles_of_modes(const partition_work *work, partition_moments *moments)
{
	for (int m = 0; m < MODES; m++)
		for (size_t i = 0; i < work->mode[m].n * work->moments->copies; i++)
		{
			partition_slot own = mode_slot(work, m, i);
			const double *singles = work->tables->singles + work->tables->offset[own.slot];

			for (size_t x = 0; x < own.states; x++)
				moments->mean[m][own.place + x] += own.weight * singles[x];
		}
}

static tlv_status
add_tables(tlv_context *ctx, const partition_work *work, partition_moments *moments)
{
	size_t copies = work->moments->copies, n[MODES];
	const size_t *d = moments->d;

	add_singles_of_modes(work, moments);
	for (int m = 0; m < MODES; m++)
		n[m] = work->mode[m].n * copies;
	for (size_t x = 0; x < n[0]; x++)
		for (size_t y = 0; y < n[1]; y++)
		{
			partition_slot slots[MODES] = {mode_slot(work, 0, x), mode_slot(work, 1, y)};

			TLV_TRY_CONTINUE(ctx);
			add_pair_table(work, slots, d[1], moments->pair[2]);
			for (size_t z = 0; z < n[2]; z++)
			{
				slots[2] = mode_slot(work, 2, z);
				add_triple_table(work, slots, d, moments->triple);
				if (x == 0)
					add_pair_table(work, slots + 1, d[2], moments->pair[0]);
				if (y == 0)
					add_pair_table(work, (partition_slot[]){slots[0], slots[2]}, d[2],
								   moments->pair[1]);
			}
		}
	return TLV_OK;
}

/* The raw triples become those whose factors are the components, scaled by the roots of the means.
 */
static void
correct_triples(const partition_work *work, partition_moments *moments)
{
	double a = work->alpha0, n = work->tables->rows, below = 0;
	double first = a / (a + 2), second = 2 * a * a / ((a + 1) * (a + 2));
	const size_t *d = moments->d;

	for (int m = 0; m < MODES; m++)
		for (size_t x = 0; x < d[m]; x++)
		{
			moments->mean[m][x] /= n;
			moments->scale[m][x] = 1 / sqrt(moments->mean[m][x] + SHARE_FLOOR);
		}
	for (size_t x = 0; x < d[0]; x++)
		for (size_t y = 0; y < d[1]; y++)
			for (size_t z = 0; z < d[2]; z++)
			{
				double *entry = moments->triple + (x * d[1] + y) * d[2] + z;
				double p = moments->mean[0][x], q = moments->mean[1][y], r = moments->mean[2][z];

				*entry =
					*entry / n -
					first / n *
						(moments->pair[0][y * d[2] + z] * p + moments->pair[1][x * d[2] + z] * q +
						 moments->pair[2][x * d[1] + y] * r) +
					second * p * q * r;
				below += *entry < 0;
				*entry *= moments->scale[0][x] * moments->scale[1][y] * moments->scale[2][z];
			}
	moments->negative = below / ((double) d[0] * (double) d[1] * (double) d[2]);
}

/* Third moments of the modes, corrected so that their factors are the components, every entry times
 * the scales of its places. */
static tlv_status
membership_collect_moments(tlv_context *ctx, const partition_work *work, partition_moments *moments)
{
	TLV_TRY(partition_moments_begin(ctx, work, moments));
	TLV_TRY(add_tables(ctx, work, moments));
	correct_triples(work, moments);
	return TLV_OK;
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
