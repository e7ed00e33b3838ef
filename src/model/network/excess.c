/*
 * excess.c - in how many rows more than by chance three items are on together (internal.h).
 *
 * Two items of one unit and an item of another one are on together in n_ab n_c / n rows if units
 * are on independently, n_ab the rows of the pair and n_c those of the item.  Of the three ways to
 * divide three items the largest such number is what pairs explain; the rest is above it by the
 * rows of one unit alone.  Without it, items that are on often are one with the items of every
 * unit, and no threshold on the counts keeps these apart.
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/sort.h"

/* The pairs of every item with larger ones, by the smaller item. */
typedef struct pairs
{
	size_t *starts;	 /* items + 1 */
	int64_t *larger; /* ascending within an item */
	double *rows;
	double *single; /* items: rows in which one is on */
} pairs;

static bool
is_pair(int64_t cell)
{
	return tlv_triple_part(cell, 0) != tlv_triple_part(cell, 1) && !tlv_is_three(cell);
}

static tlv_status
list_pairs(tlv_context *ctx, const tlv_frame *frame, size_t items, pairs *p)
{
	size_t n = tlv_frame_find(frame, "cells")->rows, at = 0;
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");

	TLV_TRY_NEW0(ctx, p->starts, items + 1);
	TLV_TRY_NEW0(ctx, p->single, items);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (is_pair(cells[i]))
			p->starts[tlv_triple_part(cells[i], 0) + 1]++;
		else if (!tlv_is_three(cells[i]))
			p->single[tlv_triple_part(cells[i], 0)] = counts[i];
	}
	for (size_t x = 0; x < items; x++)
		p->starts[x + 1] += p->starts[x];
	TLV_TRY_NEW(ctx, p->larger, p->starts[items]);
	TLV_TRY_NEW(ctx, p->rows, p->starts[items]);
	for (size_t i = 0; i < n; i++) /* cells ascend, and so do pairs */
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!is_pair(cells[i]))
			continue;
		p->larger[at] = (int64_t) tlv_triple_part(cells[i], 2);
		p->rows[at++] = counts[i];
	}
	return TLV_OK;
}

/* Rows in which two items are on, x below y; 0 where they never are. */
static double
rows_of_pair(const pairs *p, size_t x, size_t y)
{
	size_t first = p->starts[x], n = p->starts[x + 1] - first;
	size_t at = tlv_find_id(p->larger + first, n, (int64_t) y);

	return at < n ? p->rows[first + at] : 0;
}

tlv_status
tlv_network_excess(tlv_context *ctx, const tlv_frame *frame, double **excess)
{
	size_t n = tlv_frame_find(frame, "cells")->rows;
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");
	double rows = tlv_frame_scalar(frame, "rows", 1);
	pairs p;

	TLV_TRY(tlv_require_memory(ctx, 24.0 * (double) n, "the counts of three items"));
	TLV_TRY_NEW(ctx, *excess, n);
	TLV_TRY(list_pairs(ctx, frame, tlv_frame_find(frame, "items")->rows, &p));
	for (size_t i = 0; i < n; i++)
	{
		size_t x = tlv_triple_part(cells[i], 0), y = tlv_triple_part(cells[i], 1),
			   z = tlv_triple_part(cells[i], 2);
		double explained = 0;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (tlv_is_three(cells[i]))
			explained = fmax(rows_of_pair(&p, x, y) * p.single[z],
							 fmax(rows_of_pair(&p, x, z) * p.single[y],
								  rows_of_pair(&p, y, z) * p.single[x])) /
						rows;
		(*excess)[i] = fmax(0, counts[i] - explained);
	}
	tlv_free(ctx, p.starts);
	tlv_free(ctx, p.larger);
	tlv_free(ctx, p.rows);
	tlv_free(ctx, p.single);
	return TLV_OK;
}
