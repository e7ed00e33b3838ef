/*
 * arrange.c - communities of two models matched, and communities renumbered (arrange.h).
 */
#include "arrange.h"

#include <math.h>
#include <string.h>

#include "mixed/memberships.h"
#include "tensorlv/model/assignment.h"

/* ---- matching ---- */

/* Sums over the nodes that both models have. */
typedef struct overlap
{
	size_t ka, kb;
	double *common; /* ka x kb, row by row: of the smaller share */
	double *a, *b;	/* of the shares of either */
} overlap;

static void
mmsb_add_node(const tlv_memberships *x, size_t i, const tlv_memberships *y, size_t j, overlap *sums)
{
	for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
		sums->a[x->community[e]] += x->share[e];
	for (size_t f = y->start[j]; f < y->start[j + 1]; f++)
		sums->b[y->community[f]] += y->share[f];
	for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
		for (size_t f = y->start[j]; f < y->start[j + 1]; f++)
			sums->common[x->community[e] * sums->kb + y->community[f]] +=
				fmin(x->share[e], y->share[f]);
}

/* Whether the i-th node of a is the j-th of b; -1, 1: the one of a, of b, comes first. */
static int
compare_nodes(const tlv_mmsb_parts *a, size_t i, const tlv_mmsb_parts *b, size_t j, size_t s)
{
	if (i == a->side[s].n || j == b->side[s].n)
		return i < a->side[s].n ? -1 : 1;
	if (a->side[s].nodes[i] == b->side[s].nodes[j])
		return 0;
	return a->side[s].nodes[i] < b->side[s].nodes[j] ? -1 : 1;
}

static tlv_status
arrange_add_side(tlv_context *ctx, const tlv_mmsb_parts *a, const tlv_mmsb_parts *b, size_t s,
				 overlap *sums)
{
	size_t i = 0, j = 0;

	while (i < a->side[s].n || j < b->side[s].n)
	{
		int order = compare_nodes(a, i, b, j, s);

		TLV_TRY_CONTINUE_OFTEN(ctx, i + j);
		if (order == 0)
			mmsb_add_node(&a->side[s].memberships, i, &b->side[s].memberships, j, sums);
		i += order <= 0;
		j += order >= 0;
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_mmsb_parts x, y;
	overlap sums;

	TLV_TRY(tlv_mmsb_read(ctx, a, &x));
	TLV_TRY(tlv_mmsb_read(ctx, b, &y));
	if (x.sides != y.sides)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "one model has one side, the other two");
		return tlv_fail_hint(ctx, "Fit both to graphs of the same form.");
	}
	sums = (overlap){.ka = x.k, .kb = y.k};
	TLV_TRY_NEW0_ROWS(ctx, sums.common, x.k, y.k);
	TLV_TRY_NEW0(ctx, sums.a, x.k + y.k);
	sums.b = sums.a + x.k;
	for (size_t s = 0; s < x.sides; s++)
		TLV_TRY(arrange_add_side(ctx, &x, &y, s, &sums));
	for (size_t i = 0; i < x.k; i++)
		for (size_t j = 0; j < y.k; j++)
		{
			double shares = sums.a[i] + sums.b[j], *cost = sums.common + i * y.k + j;

			TLV_TRY_CONTINUE_AT(ctx, i * y.k + j);
			*cost = shares > 0 ? fmax(1 - 2 * *cost / shares, 0) : 1;
		}
	TLV_TRY(
		tlv_assign_components(ctx, x.k, y.k, sums.common, 1, match->component, match->distance));
	tlv_free(ctx, sums.a);
	tlv_free(ctx, sums.common);
	return TLV_OK;
}

tlv_status
tlv_mmsb_apart(tlv_context *ctx, const tlv_frame *model, double *distance)
{
	const double *p = tlv_frame_float64(model, "connectivity");
	size_t k = tlv_model_components(model);

	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
		{
			double own = p[a + k * a] + p[b + k * b], between = p[a + k * b] + p[b + k * a];

			TLV_TRY_CONTINUE_AT(ctx, a * k + b);
			distance[a * k + b] = own + between > 0 ? own / (own + between) : 1;
		}
	return TLV_OK;
}

/* ---- renumbering ---- */

/* Where every community goes; one that goes nowhere is UINT16_MAX. */
static tlv_status
invert_places(tlv_context *ctx, size_t k, size_t n, const tlv_place *places, uint16_t **to)
{
	if (n >= UINT16_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "there would be %zu communities", n);
	TLV_TRY_NEW(ctx, *to, k);
	for (size_t a = 0; a < k; a++)
		(*to)[a] = UINT16_MAX;
	for (size_t i = 0; i < n; i++)
		if (places[i].own >= 0)
			(*to)[places[i].own] = (uint16_t) i;
	return TLV_OK;
}

/* Rates between communities that both are in the model, or both in the reference. */
static double
moved_rate(const tlv_mmsb_parts *own, const tlv_mmsb_parts *other, tlv_place a, tlv_place b)
{
	if (a.own >= 0 && b.own >= 0)
		return own->connectivity[(size_t) a.own + own->k * (size_t) b.own];
	if (a.other >= 0 && b.other >= 0 && other->k > 0)
		return other->connectivity[(size_t) a.other + other->k * (size_t) b.other];
	return 0;
}

/* Sizes and alpha of one side: the latter in proportion, where communities have gone. */
static void
move_sizes(const tlv_mmsb_parts *own, size_t s, size_t n, const tlv_place *places,
		   const tlv_memberships *moved, double *sizes, double *alpha)
{
	double before = 0, now = 0;
	size_t present = 0;

	for (size_t a = 0; a < own->k; a++)
		before += own->alpha[s * own->k + a];
	for (size_t i = 0; i < n; i++)
	{
		size_t at = s * own->k + (size_t) places[i].own;

		present += places[i].own >= 0;
		alpha[i] = places[i].own >= 0 ? own->alpha[at] : 0;
		sizes[i] = places[i].own >= 0 ? own->sizes[at] : 0;
		now += alpha[i];
	}
	if (present == own->k)
		return;
	tlv_memberships_sums(moved, n, NULL, sizes);
	for (size_t i = 0; i < n && now > 0; i++)
		alpha[i] *= before / now;
}

tlv_status
tlv_mmsb_arrange(tlv_context *ctx, const tlv_frame *model, const tlv_frame *reference, size_t n,
				 const tlv_place *places, const tlv_diagnostics *diagnostics, void **image,
				 size_t *size)
{
	tlv_mmsb_parts own, other = {.k = 0}, moved;
	double *numbers;
	uint16_t *to = NULL;

	TLV_TRY(tlv_mmsb_read(ctx, model, &own));
	if (reference != NULL)
		TLV_TRY(tlv_mmsb_read(ctx, reference, &other));
	TLV_TRY(invert_places(ctx, own.k, n, places, &to));
	TLV_TRY_NEW_ROWS(ctx, numbers, n, n + 4);
	moved = own;
	moved.k = n;
	for (size_t s = 0; s < own.sides; s++)
	{
		TLV_TRY(
			tlv_memberships_move(ctx, &own.side[s].memberships, n, to, &moved.side[s].memberships));
		move_sizes(&own, s, n, places, &moved.side[s].memberships, numbers + s * n,
				   numbers + (2 + s) * n);
	}
	moved.sizes = numbers;
	moved.alpha = numbers + 2 * n;
	moved.connectivity = numbers + 4 * n;
	for (size_t b = 0; b < n; b++)
		for (size_t a = 0; a < n; a++)
			numbers[4 * n + a + b * n] = moved_rate(&own, &other, places[a], places[b]);
	moved.diagnostics = diagnostics;
	TLV_TRY(tlv_mmsb_write(ctx, &moved, image, size));
	tlv_free(ctx, numbers);
	tlv_free(ctx, to);
	return TLV_OK;
}

/* ---- merging ---- */

/* Mean of the rates of communities a and b with their weights: of all marked ones in the place of
 * `to`. */
static double
merged_rate(const tlv_mmsb_parts *own, const bool *marked, size_t to, size_t a, size_t b)
{
	size_t k = own->k, last = (own->sides - 1) * k;
	double sum = 0, weights = 0;

	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			if ((i == a || (a == to && marked[i])) && (j == b || (b == to && marked[j])))
			{
				double weight = own->sizes[i] * own->sizes[last + j];

				sum += weight * own->connectivity[i + k * j];
				weights += weight;
			}
	return weights > 0 ? sum / weights : own->connectivity[a + k * b];
}

tlv_status
tlv_mmsb_merge(tlv_context *ctx, const tlv_frame *model, const bool *marked, size_t to,
			   void **image, size_t *size)
{
	tlv_mmsb_parts own, moved;
	double *numbers;
	uint16_t *place;
	size_t k;

	TLV_TRY(tlv_mmsb_read(ctx, model, &own));
	k = own.k;
	TLV_TRY_NEW(ctx, place, k);
	TLV_TRY_NEW0_ROWS(ctx, numbers, k, k + 4);
	for (size_t a = 0; a < k; a++)
		place[a] = (uint16_t) (marked[a] ? to : a);
	moved = own;
	for (size_t s = 0; s < own.sides; s++)
	{
		TLV_TRY(tlv_memberships_move(ctx, &own.side[s].memberships, k, place,
									 &moved.side[s].memberships));
		for (size_t a = 0; a < k; a++)
		{
			numbers[s * k + place[a]] += own.sizes[s * k + a];
			numbers[(2 + s) * k + place[a]] += own.alpha[s * k + a];
		}
	}
	moved.sizes = numbers;
	moved.alpha = numbers + 2 * k;
	moved.connectivity = numbers + 4 * k;
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			TLV_TRY_CONTINUE_AT(ctx, a + b * k);
			numbers[4 * k + a + b * k] = (a == to || b == to) ? merged_rate(&own, marked, to, a, b)
															  : own.connectivity[a + b * k];
		}
	return tlv_mmsb_write(ctx, &moved, image, size);
}
