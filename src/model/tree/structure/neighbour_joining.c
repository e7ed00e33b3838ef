/*
 * neighbour_joining.c - neighbour joining on a small matrix of distances (internal.h).
 */
#include "internal.h"
#include "tensorlv/num/numbers.h"

#include <math.h>
#include <string.h>

tlv_status
tlv_local_tree_create(tlv_context *ctx, size_t most, tlv_local_tree *local)
{
	memset(local, 0, sizeof(*local));
	TLV_TRY_NEW_ROWS(ctx, local->ends, 2 * most, 2);
	TLV_TRY_NEW(ctx, local->length, 2 * most);
	return TLV_OK;
}

void
tlv_local_tree_free(tlv_context *ctx, tlv_local_tree *local)
{
	tlv_free(ctx, local->length);
	tlv_free(ctx, local->ends);
	memset(local, 0, sizeof(*local));
}

void
tlv_local_tree_add(tlv_local_tree *local, size_t a, size_t b, double length)
{
	local->ends[2 * local->edges] = (int32_t) a;
	local->ends[2 * local->edges + 1] = (int32_t) b;
	local->length[local->edges++] = length;
}

typedef struct joining
{
	size_t active, stride;
	double *d;		 /* active x active, rows stride apart */
	double *sum;	 /* of every active row */
	int32_t *number; /* in the tree, of every active row */
} joining;

/* Least of scale * row[j] - sum[j]: the row's part of the criterion. */
TLV_CLONES static double
row_minimum(size_t n, const double *restrict row, const double *restrict sum, double scale)
{
	double lane[TLV_REGISTER_DOUBLES], least;
	size_t j = 0;

	for (size_t k = 0; k < TLV_REGISTER_DOUBLES; k++)
		lane[k] = HUGE_VAL;
	for (; j + TLV_REGISTER_DOUBLES <= n; j += TLV_REGISTER_DOUBLES)
		for (size_t k = 0; k < TLV_REGISTER_DOUBLES; k++)
		{
			double q = scale * row[j + k] - sum[j + k];

			lane[k] = q < lane[k] ? q : lane[k];
		}
	for (; j < n; j++)
		lane[0] = fmin(lane[0], scale * row[j] - sum[j]);
	least = lane[0];
	for (size_t k = 1; k < TLV_REGISTER_DOUBLES; k++)
		least = fmin(least, lane[k]);
	return least;
}

/* The pair i > j of least (m - 2) d_ij - sum_i - sum_j. */
static void
closest_pair(const joining *w, size_t *i, size_t *j)
{
	double scale = (double) w->active - 2, best = HUGE_VAL;

	*i = 1;
	*j = 0;
	for (size_t a = 1; a < w->active; a++)
	{
		double q = row_minimum(a, w->d + a * w->stride, w->sum, scale) - w->sum[a];

		if (q < best)
		{
			best = q;
			*i = a;
		}
	}
	best = HUGE_VAL;
	for (size_t b = 0; b < *i; b++)
	{
		double q = scale * w->d[*i * w->stride + b] - w->sum[b];

		if (q < best)
		{
			best = q;
			*j = b;
		}
	}
}

/* Row j becomes the new node's, the last row takes the place of row i. */
static void
replace_pair(joining *w, size_t i, size_t j, int32_t number)
{
	size_t last = w->active - 1, s = w->stride;
	double between = w->d[i * s + j], total = 0;

	for (size_t c = 0; c < w->active; c++)
	{
		double to_i = w->d[i * s + c], to_j = w->d[j * s + c];
		double to_new = 0.5 * (to_i + to_j - between);

		if (c == i || c == j)
			continue;
		w->sum[c] += to_new - to_i - to_j;
		total += to_new;
		w->d[j * s + c] = w->d[c * s + j] = to_new;
	}
	w->sum[j] = total;
	w->number[j] = number;
	if (i != last)
	{
		memcpy(w->d + i * s, w->d + last * s, w->active * sizeof(double));
		for (size_t c = 0; c < w->active; c++)
			w->d[c * s + i] = w->d[c * s + last];
		w->d[i * s + i] = 0;
		w->sum[i] = w->sum[last];
		w->number[i] = w->number[last];
	}
	w->active--;
}

static void
join_last(joining *w, tlv_local_tree *local)
{
	const double *d = w->d;
	size_t s = w->stride, hidden = local->nodes;
	double ab = d[1], ac, bc;

	if (w->active == 2)
	{
		tlv_local_tree_add(local, (size_t) w->number[0], (size_t) w->number[1], ab);
		return;
	}
	ac = d[2];
	bc = d[s + 2];
	local->nodes++;
	tlv_local_tree_add(local, (size_t) w->number[0], hidden, 0.5 * (ab + ac - bc));
	tlv_local_tree_add(local, (size_t) w->number[1], hidden, 0.5 * (ab + bc - ac));
	tlv_local_tree_add(local, (size_t) w->number[2], hidden, 0.5 * (ac + bc - ab));
}

static tlv_status
structure_join_all(tlv_context *ctx, joining *w, tlv_local_tree *local)
{
	while (w->active > 3)
	{
		size_t i, j;
		double between, excess;

		TLV_TRY_CONTINUE(ctx);
		closest_pair(w, &i, &j);
		between = w->d[i * w->stride + j];
		excess = (w->sum[i] - w->sum[j]) / (2 * ((double) w->active - 2));
		tlv_local_tree_add(local, (size_t) w->number[i], local->nodes, 0.5 * between + excess);
		tlv_local_tree_add(local, (size_t) w->number[j], local->nodes, 0.5 * between - excess);
		replace_pair(w, i, j, (int32_t) local->nodes++);
	}
	join_last(w, local);
	return TLV_OK;
}

tlv_status
tlv_neighbour_joining(tlv_context *ctx, size_t n, double *distance, tlv_local_tree *local)
{
	joining w = {.active = n, .stride = n, .d = distance};
	tlv_status status;

	local->n = local->nodes = n;
	local->edges = 0;
	TLV_TRY_NEW0(ctx, w.sum, n);
	TLV_TRY_NEW(ctx, w.number, n);
	for (size_t a = 0; a < n; a++)
	{
		w.number[a] = (int32_t) a;
		for (size_t b = 0; b < n; b++)
			w.sum[a] += distance[a * n + b];
	}
	status = structure_join_all(ctx, &w, local);
	tlv_free(ctx, w.number);
	tlv_free(ctx, w.sum);
	return status;
}
