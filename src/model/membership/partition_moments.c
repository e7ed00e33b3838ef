/*
 * partition_moments.c - third moments of the three modes of a partition (partition.h).
 */
#include "partition.h"

#include <math.h>
#include <string.h>

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
	/* Added to the means by which entries are scaled. */
	const double least_mean = 1e-3;
	double a = work->alpha0, n = work->tables->rows, below = 0;
	double first = a / (a + 2), second = 2 * a * a / ((a + 1) * (a + 2));
	const size_t *d = moments->d;

	for (int m = 0; m < MODES; m++)
		for (size_t x = 0; x < d[m]; x++)
		{
			moments->mean[m][x] /= n;
			moments->scale[m][x] = 1 / sqrt(moments->mean[m][x] + least_mean);
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

tlv_status
membership_collect_moments(tlv_context *ctx, const partition_work *work, partition_moments *moments)
{
	TLV_TRY(partition_moments_begin(ctx, work, moments));
	TLV_TRY(add_tables(ctx, work, moments));
	correct_triples(work, moments);
	return TLV_OK;
}
