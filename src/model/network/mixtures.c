/*
 * mixtures.c - sets that are several others (recover.h), and what the rest is like.
 */
#include <math.h>
#include <string.h>

#include "recover.h"
#include "tuning.h"

tlv_status
tlv_network_measure_sets(tlv_context *ctx, recovery *r, const tlv_frame *frame,
						 tlv_network_sets *sets)
{
	size_t n = tlv_frame_find(frame, "cells")->rows, at = 0;
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");
	double *count_of;

	TLV_TRY_NEW(ctx, count_of, r->n);
	for (size_t i = 0; i < n && at < r->n; i++)
		if (cells[i] == r->keys[at])
			count_of[at++] = counts[i];
	memset(r->marked, 0, r->n * sizeof(bool));
	for (size_t s = 0; s < sets->n; s++)
	{
		const int32_t *set = sets->places + sets->starts[s];
		size_t members = (size_t) (sets->starts[s + 1] - sets->starts[s]), inside = 0;

		for (size_t a = 2; a < members; a++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t b = 1; b < a; b++)
				for (size_t c = 0; c < b; c++)
				{
					size_t e = tlv_hyperedge(r, (size_t) set[a], (size_t) set[b], (size_t) set[c]);

					if (e == r->n)
						continue;
					sets->explained += !r->marked[e];
					r->marked[e] = true;
					sets->shares[s] += count_of[e];
					inside++;
				}
		}
		sets->shares[s] /= fmax(1, (double) inside) * tlv_frame_scalar(frame, "rows", 1);
	}
	tlv_free(ctx, count_of);
	return TLV_OK;
}

/* Of the hyperedges within a set, how many there are, and how many are within others; each is
 * within `by` sets more then. */
static tlv_status
count_inside(tlv_context *ctx, const recovery *r, const tlv_network_sets *sets, size_t s,
			 uint32_t *within, int by, double *inside, double *shared)
{
	const int32_t *set = sets->places + sets->starts[s];
	size_t members = (size_t) (sets->starts[s + 1] - sets->starts[s]);

	*inside = *shared = 0;
	for (size_t a = 2; a < members; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 1; b < a; b++)
			for (size_t c = 0; c < b; c++)
			{
				size_t e = tlv_hyperedge(r, (size_t) set[a], (size_t) set[b], (size_t) set[c]);

				if (e == r->n)
					continue;
				++*inside;
				*shared += within[e] > 1;
				within[e] = within[e] + (uint32_t) by;
			}
	}
	return TLV_OK;
}

static void
remove_set(tlv_network_sets *sets, size_t s)
{
	int64_t from = sets->starts[s + 1], n = from - sets->starts[s];

	memmove(sets->places + sets->starts[s], sets->places + from,
			(size_t) (sets->starts[sets->n] - from) * sizeof(int32_t));
	for (size_t i = s; i < sets->n; i++)
		sets->starts[i] = sets->starts[i + 1] - n;
	memmove(sets->means + s, sets->means + s + 1, (sets->n - s - 1) * sizeof(double));
	sets->apart -= sets->stands[s];
	memmove(sets->stands + s, sets->stands + s + 1, (sets->n - s - 1) * sizeof(bool));
	sets->n--;
}

tlv_status
tlv_network_drop_mixtures(tlv_context *ctx, const recovery *r, tlv_network_sets *sets)
{
	double inside, shared;
	uint32_t *within;

	TLV_TRY_NEW0(ctx, within, r->n);
	for (size_t s = 0; s < sets->n; s++)
		TLV_TRY(count_inside(ctx, r, sets, s, within, 1, &inside, &shared));
	for (int64_t members = TLV_NETWORK_MOST_ON; members > 0; members--)
		for (size_t s = 0; s < sets->n;)
		{
			if (sets->starts[s + 1] - sets->starts[s] != members)
			{
				s++;
				continue;
			}
			TLV_TRY(count_inside(ctx, r, sets, s, within, 0, &inside, &shared));
			if (shared <= MIXTURE_SHARE * inside)
			{
				s++;
				continue;
			}
			TLV_TRY(count_inside(ctx, r, sets, s, within, -1, &inside, &shared));
			remove_set(sets, s);
		}
	tlv_free(ctx, within);
	return TLV_OK;
}
