/*
 * agreement.c - how often workers agree: all of them beside independent answers of the same habits,
 * and pair by pair (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/sort.h"

/* ---- habits ---- */

/* How often every worker gave every answer, and the shares of all answers. */
typedef struct habits
{
	double *counts; /* columns */
	double *pool;	/* answers */
	double *own;	/* answers: of a worker, elsewhere */
	double *told;	/* answers: of the item so far, */
	double *all;	/* answers: and what its workers would have told */
	size_t *last;	/* groups of copying workers: the last item that one has answered, from 1 */
} habits;

static tlv_status
find_habits(tlv_context *ctx, const crowd_answers *a, size_t groups, habits *h)
{
	double n = 0;

	TLV_TRY_NEW0(ctx, h->counts, a->columns + 4 * a->answers);
	TLV_TRY_NEW0(ctx, h->last, groups + 1);
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

/* ---- all pairs together ---- */

/* Has another worker of the same group of copying ones answered the item before? */
static bool
is_copy(const habits *h, const crowd_copies *copies, size_t worker, size_t item)
{
	size_t group = copies->groups > 0 ? copies->group[worker] : 0;
	bool copy = group > 0 && h->last[group] == item + 1;

	h->last[group] = item + 1;
	return copy;
}

/*
 * Pairs of workers who agree about the item, less those expected of independent answers by these
 * habits.  A worker's answers stand side by side: of several the first counts, as does that of
 * copying workers.
 */
static double
item_excess(const crowd_answers *a, size_t item, const crowd_copies *copies, const habits *h)
{
	double agree = 0, expected = 0;

	memset(h->told, 0, a->answers * sizeof(*h->told));
	memset(h->all, 0, a->answers * sizeof(*h->all));
	for (size_t i = crowd_first_given(a, item), last = SIZE_MAX; i < a->start[item + 1]; i++)
	{
		if (a->column[i] / a->answers == last)
			continue;
		last = a->column[i] / a->answers;
		if (is_copy(h, copies, last, item))
			continue;
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
tlv_crowd_agreement(tlv_context *ctx, const crowd_answers *a, const crowd_copies *copies, double *z)
{
	double sum = 0, squares = 0;
	habits h;
	size_t step = 1 + (size_t) ((double) a->n * (double) a->answers / CROWD_WORK);

	TLV_TRY(find_habits(ctx, a, copies->groups, &h));
	for (size_t i = 0; i < a->items; i += step)
	{
		double excess;

		if (i / step % 256 == 255)
			TLV_TRY_CONTINUE(ctx);
		excess = item_excess(a, i, copies, &h);
		sum += excess;
		squares += excess * excess;
	}
	*z = squares > 0 ? sum / sqrt(squares) : 0;
	tlv_free(ctx, h.last);
	tlv_free(ctx, h.counts);
	return TLV_OK;
}

/* ---- the answers that are compared ---- */

/* Most answers of an item that are compared, drawn with the seed if there are more. */
#define COMPARED_OF_ITEM 40
#define COMPARED_SEED	 1
/* Pairs of workers that are kept, all of 1,000 workers: of more those that share most items. */
#define PAIRS_MOST ((size_t) 500000)
/* Numbers of shared items that are distinguished when these pairs are chosen. */
#define SHARED_MOST 256
/* Ends the answers of an item. */
#define COMPARED_END UINT32_MAX

/* Answers, item after item, by ascending worker: of several of one worker the first. */
typedef struct compared
{
	const crowd_answers *a;
	uint32_t *column; /* those of an item end with COMPARED_END */
	size_t *first;	  /* workers + 1 */
	size_t *at;		  /* answers of worker j are column[at[first[j]]] .. */
	/* of one worker beside others */
	uint32_t *shared, *agreed; /* workers */
	uint32_t *met;			   /* workers that share an item, in the order in which they are met */
	size_t n_met;
} compared;

static bool
is_first_answer(const crowd_answers *a, size_t first, size_t i)
{
	return i == first || a->column[i] / a->answers != a->column[i - 1] / a->answers;
}

/* Workers who have answered the item. */
static size_t
count_workers(const crowd_answers *a, size_t item)
{
	size_t first = crowd_first_given(a, item), n = 0;

	for (size_t i = first; i < a->start[item + 1]; i++)
		n += is_first_answer(a, first, i);
	return n;
}

/* Between two items that are compared. */
static tlv_status
compared_step(tlv_context *ctx, const crowd_answers *a, size_t *step)
{
	double pairs = 0;

	for (size_t item = 0; item < a->items; item++)
	{
		double n = (double) tlv_least(count_workers(a, item), COMPARED_OF_ITEM);

		TLV_TRY_CONTINUE_AT(ctx, item);
		pairs += n * (n - 1) / 2;
	}
	*step = 1 + (size_t) (pairs / CROWD_WORK);
	return TLV_OK;
}

/* The answers of an item that are compared, behind the n that are there; all of them, or as many
 * as there may be, drawn in their order (Knuth, TAOCP 2, 3.4.2, algorithm S). */
static void
choose_answers(compared *c, size_t item, tlv_rng *rng, size_t *n)
{
	const crowd_answers *a = c->a;
	size_t first = crowd_first_given(a, item), left = count_workers(a, item);
	size_t wanted = tlv_least(left, COMPARED_OF_ITEM);

	for (size_t i = first; i < a->start[item + 1]; i++)
	{
		if (!is_first_answer(a, first, i))
			continue;
		if (wanted == left || tlv_rng_below(rng, left) < wanted)
		{
			c->first[a->column[i] / a->answers + 1]++;
			c->column[(*n)++] = a->column[i];
			wanted--;
		}
		left--;
	}
	c->column[(*n)++] = COMPARED_END;
}

static tlv_status
choose_compared(tlv_context *ctx, const crowd_answers *a, compared *c)
{
	size_t n = 0, step = 1, *next;
	tlv_rng rng;

	memset(c, 0, sizeof(*c));
	c->a = a;
	TLV_TRY(tlv_require_memory(
		ctx, 12 * (double) a->n + 4 * (double) a->items + 28 * (double) a->workers,
		"the answers of workers who are compared"));
	TLV_TRY_NEW(ctx, c->column, a->n + a->items);
	TLV_TRY_NEW0(ctx, c->first, a->workers + 1);
	TLV_TRY_NEW(ctx, next, a->workers);
	TLV_TRY_NEW0(ctx, c->shared, 3 * a->workers);
	c->agreed = c->shared + a->workers;
	c->met = c->agreed + a->workers;
	tlv_rng_seed(&rng, COMPARED_SEED);
	TLV_TRY(compared_step(ctx, a, &step));
	for (size_t item = 0; item < a->items; item += step)
	{
		TLV_TRY_CONTINUE_AT(ctx, item / step);
		choose_answers(c, item, &rng, &n);
	}
	for (size_t j = 0; j < a->workers; j++)
	{
		next[j] = c->first[j];
		c->first[j + 1] += c->first[j];
	}
	TLV_TRY_NEW(ctx, c->at, c->first[a->workers] + 1);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (c->column[i] != COMPARED_END)
			c->at[next[c->column[i] / a->answers]++] = i;
	}
	tlv_free(ctx, next);
	return TLV_OK;
}

/* ---- pairs ---- */

/* Counts the items that a worker shares with those behind it, and those that both answer alike. */
static void
meet_others(compared *c, size_t worker)
{
	size_t answers = c->a->answers;

	c->n_met = 0;
	for (size_t i = c->first[worker]; i < c->first[worker + 1]; i++)
	{
		const uint32_t *own = c->column + c->at[i];
		size_t said = *own % answers;

		for (const uint32_t *other = own + 1; *other != COMPARED_END; other++)
		{
			size_t j = *other / answers;

			if (c->shared[j]++ == 0)
				c->met[c->n_met++] = (uint32_t) j;
			c->agreed[j] += *other % answers == said;
		}
	}
}

static void
forget_others(compared *c)
{
	for (size_t i = 0; i < c->n_met; i++)
		c->shared[c->met[i]] = c->agreed[c->met[i]] = 0;
}

/* Appends the pairs of every worker with at least `least` shared items to the list, or, where there
 * is no list yet, counts them by the number of shared items. */
static tlv_status
meet_all(tlv_context *ctx, compared *c, size_t least, crowd_pair *list, size_t *counts)
{
	size_t n = 0;

	for (size_t j = 0; j < c->a->workers; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		meet_others(c, j);
		for (size_t i = 0; i < c->n_met; i++)
		{
			size_t other = c->met[i], shared = c->shared[other];

			if (list == NULL)
				counts[tlv_least(shared, SHARED_MOST)]++;
			else if (shared >= least)
				list[n++] = (crowd_pair){.a = (uint32_t) j,
										 .b = (uint32_t) other,
										 .shared = (uint32_t) shared,
										 .agreed = c->agreed[other]};
		}
		forget_others(c);
	}
	return TLV_OK;
}

/* Habits as shares: those of a worker with the pool's as one more answer. */
static tlv_status
share_habits(tlv_context *ctx, const crowd_answers *a, const habits *h)
{
	for (size_t column = 0; column < a->columns; column++)
	{
		TLV_TRY_CONTINUE_AT(ctx, column);
		h->counts[column] = (h->counts[column] + h->pool[column % a->answers]) /
							(a->given[column / a->answers] + 1);
	}
	return TLV_OK;
}

/* What a pair agrees beyond its habits, and what that weighs. */
static void
weigh_pair(const crowd_answers *a, const habits *h, double spread, crowd_pair *pair)
{
	const double *x = h->counts + a->answers * pair->a, *y = h->counts + a->answers * pair->b;
	double guess;

	for (size_t c = 0; c < a->answers; c++)
		pair->chance += x[c] * y[c];
	guess = fmin(fmax(pair->chance + 0.3 * spread, 0.05), 0.95);
	pair->excess = ((double) pair->agreed / (double) pair->shared - pair->chance) / spread;
	pair->weight = (double) pair->shared * spread * spread / (guess * (1 - guess));
}

static int
pair_order(const void *a, const void *b, const void *argument)
{
	const crowd_pair *x = a, *y = b;

	(void) argument;
	return (x->excess > y->excess) - (x->excess < y->excess);
}

/* The pairs of every worker, by ascending excess as the pairs themselves are. */
static tlv_status
index_pairs(tlv_context *ctx, crowd_pairs *pairs)
{
	size_t *next;

	TLV_TRY_NEW0(ctx, pairs->first, pairs->workers + 1);
	TLV_TRY_NEW(ctx, pairs->of, 2 * pairs->n + 1);
	TLV_TRY_NEW(ctx, next, pairs->workers);
	for (size_t i = 0; i < pairs->n; i++)
	{
		pairs->first[pairs->pair[i].a + 1]++;
		pairs->first[pairs->pair[i].b + 1]++;
	}
	for (size_t j = 0; j < pairs->workers; j++)
	{
		next[j] = pairs->first[j];
		pairs->first[j + 1] += pairs->first[j];
	}
	for (size_t i = 0; i < pairs->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		pairs->of[next[pairs->pair[i].a]++] = (uint32_t) i;
		pairs->of[next[pairs->pair[i].b]++] = (uint32_t) i;
	}
	tlv_free(ctx, next);
	return TLV_OK;
}

tlv_status
tlv_crowd_pairs(tlv_context *ctx, const crowd_answers *a, crowd_pairs *pairs)
{
	size_t counts[SHARED_MOST + 1] = {0}, least = SHARED_MOST;
	compared c;
	habits h;

	memset(pairs, 0, sizeof(*pairs));
	pairs->workers = a->workers;
	TLV_TRY(choose_compared(ctx, a, &c));
	TLV_TRY(meet_all(ctx, &c, 0, NULL, counts));
	pairs->n = counts[least];
	while (least > 1 && pairs->n + counts[least - 1] <= PAIRS_MOST)
		pairs->n += counts[--least];
	TLV_TRY(
		tlv_require_memory(ctx, 2.2 * sizeof(crowd_pair) * (double) pairs->n, "pairs of workers"));
	TLV_TRY_NEW(ctx, pairs->pair, pairs->n + 1);
	TLV_TRY(meet_all(ctx, &c, least, pairs->pair, NULL));
	TLV_TRY(find_habits(ctx, a, 0, &h));
	TLV_TRY(share_habits(ctx, a, &h));
	pairs->spread = 1;
	for (size_t answer = 0; answer < a->answers; answer++)
		pairs->spread -= h.pool[answer] * h.pool[answer];
	pairs->spread = fmax(pairs->spread, TLV_ROUNDING);
	for (size_t i = 0; i < pairs->n; i++)
	{
		if (i % (CROWD_STRIDE / a->answers + 1) == CROWD_STRIDE / a->answers)
			TLV_TRY_CONTINUE(ctx);
		weigh_pair(a, &h, pairs->spread, &pairs->pair[i]);
	}
	TLV_TRY(tlv_merge_sort(ctx, pairs->n, sizeof(crowd_pair), pairs->pair, pair_order, NULL));
	return index_pairs(ctx, pairs);
}
