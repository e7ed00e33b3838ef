/*
 * agreement.c - do workers agree more often than their habits explain (internal.h)?
 */
#include <math.h>

#include "internal.h"

/* How often every worker gave every answer, and the shares of all answers. */
typedef struct habits
{
	double *counts; /* columns */
	double *pool;	/* answers */
	double *own;	/* answers: of a worker, elsewhere */
	double *told;	/* answers: of the item so far, */
	double *all;	/* answers: and what its workers would have told */
} habits;

static tlv_status
find_habits(tlv_context *ctx, const crowd_answers *a, habits *h)
{
	double n = 0;

	TLV_TRY_NEW0(ctx, h->counts, a->columns + 4 * a->answers);
	h->pool = h->counts + a->columns;
	h->own = h->pool + a->answers;
	h->told = h->own + a->answers;
	h->all = h->told + a->answers;
	for (size_t i = 0; i < a->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (a->column[i] >= a->columns)
			continue;
		h->counts[a->column[i]]++;
		h->pool[a->column[i] % a->answers]++;
		n++;
	}
	for (size_t c = 0; c < a->answers; c++)
		h->pool[c] /= fmax(n, 1);
	return TLV_OK;
}

/* What a worker tells of other items; of one who tells nothing there, what all do. */
static void
habit_elsewhere(const crowd_answers *a, const habits *h, uint32_t column)
{
	size_t worker = column / a->answers;
	const double *counts = h->counts + worker * a->answers;

	for (size_t c = 0; c < a->answers; c++)
		h->own[c] = (counts[c] + h->pool[c] - (c == column % a->answers)) / a->given[worker];
}

/*
 * Pairs of workers who agree about the item, less those expected of independent answers by these
 * habits.  A worker's answers stand side by side: of several the first counts.
 */
static double
item_excess(const crowd_answers *a, size_t item, const habits *h)
{
	double agree = 0, expected = 0;

	for (size_t c = 0; c < a->answers; c++)
		h->told[c] = h->all[c] = 0;
	for (size_t i = crowd_first_given(a, item), last = SIZE_MAX; i < a->start[item + 1]; i++)
	{
		if (a->column[i] / a->answers == last)
			continue;
		last = a->column[i] / a->answers;
		agree += h->told[a->column[i] % a->answers]++;
		habit_elsewhere(a, h, a->column[i]);
		for (size_t c = 0; c < a->answers; c++)
		{
			expected += h->own[c] * h->all[c];
			h->all[c] += h->own[c];
		}
	}
	return agree - expected;
}

tlv_status
tlv_crowd_agreement(tlv_context *ctx, const crowd_answers *a, double *z)
{
	/* Answers times what there is to choose from: of more, some items are looked at. */
	const double most_work = 2e8;
	double sum = 0, squares = 0;
	habits h;
	size_t step = 1 + (size_t) ((double) a->n * (double) a->answers / most_work);

	TLV_TRY(find_habits(ctx, a, &h));
	for (size_t i = 0; i < a->items; i += step)
	{
		double excess;

		if (i / step % 256 == 255)
			TLV_TRY_CONTINUE(ctx);
		excess = item_excess(a, i, &h);
		sum += excess;
		squares += excess * excess;
	}
	*z = squares > 0 ? sum / sqrt(squares) : 0;
	tlv_free(ctx, h.counts);
	return TLV_OK;
}
