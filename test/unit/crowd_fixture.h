/*
 * crowd_fixture.h - answers of simulated workers, values and models of them, and how many items
 * are wrong.
 */
#ifndef TENSORLV_TEST_CROWD_FIXTURE_H
#define TENSORLV_TEST_CROWD_FIXTURE_H

#include "rows.h"
#include "pool_setup.h"
#include "tensorlv/model/crowd.h"
#include "tensorlv/model/kind.h"

/* Answers in memory, with the truth of every item (from 1). */
typedef struct crowd_rows
{
	size_t n, room, items;
	tlv_crowd_answer *rows;
	size_t *truth;
} crowd_rows;

static inline tlv_status
keep_answer(tlv_context *context, void *argument, const tlv_crowd_answer *answer)
{
	crowd_rows *r = argument;

	if (r->n == r->room)
	{
		r->room = 2 * r->room + 1024;
		r->rows = tlv_realloc(context, r->rows, r->room, sizeof(tlv_crowd_answer));
		TLV_TRY_ALLOC(context, r->rows);
	}
	r->rows[r->n++] = *answer;
	r->truth[answer->item] = answer->truth;
	return TLV_OK;
}

static inline crowd_rows
draw(const tlv_crowd_simulation *options)
{
	crowd_rows r = {.items = options->items, .truth = room(options->items + 1, sizeof(size_t))};

	assert_ok(tlv_crowd_simulate(&ctx, options, keep_answer, &r));
	return r;
}

static inline tlv_accumulator *
empty(void)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_crowd_answers_create(&ctx, &accumulator));
	return accumulator;
}

static inline void
give(tlv_accumulator *accumulator, int64_t item, int64_t worker, int64_t answer)
{
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_ANSWER(&item, NULL, &worker, NULL, &answer, NULL)));
}

static inline void
give_known(tlv_accumulator *accumulator, int64_t item, int64_t answer)
{
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_ANSWER(&item, NULL, NULL, NULL, &answer, NULL)));
}

static inline tlv_accumulator *
collect(const crowd_rows *r)
{
	tlv_accumulator *accumulator = empty();

	for (size_t i = 0; i < r->n; i++)
		give(accumulator, (int64_t) r->rows[i].item, (int64_t) r->rows[i].worker,
			 (int64_t) r->rows[i].answer);
	return accumulator;
}

static inline tlv_frame
fit(const tlv_frame *answers, const tlv_crowd_options *options)
{
	return MADE(tlv_crowd_fit, answers, options);
}

/* What is said of a model with one number changed by hand. */
static inline tlv_status
changed(const tlv_frame *frame, const char *section, size_t i, double number)
{
	void *image = room(1, frame->header->size);
	tlv_frame forged;

	memcpy(image, frame->header, frame->header->size);
	assert_ok(tlv_frame_open(&ctx, image, frame->header->size, &forged));
	((double *) tlv_frame_float64(&forged, section))[i] = number;
	return tlv_kind_check(&ctx, &tlv_kind_crowd, &forged);
}

/* The answer that the model takes for an item's, and how sure it is. */
static inline int64_t
consensus(const tlv_crowd_parts *parts, size_t i, double *sure)
{
	const double *q = parts->posterior + parts->k * i;
	size_t best = 0;

	for (size_t h = 1; h < parts->k; h++)
		best = q[h] > q[best] ? h : best;
	*sure = q[best];
	return parts->answers[parts->component_answers[best]];
}

/* Items that are wrong, of 100. */
static inline double
wrong(const crowd_rows *r, const tlv_frame *model)
{
	tlv_crowd_parts parts;
	double n = 0, sure;

	tlv_crowd_read(model, &parts);
	for (size_t i = 0; i < parts.items_n; i++)
		n += consensus(&parts, i, &sure) != (int64_t) r->truth[parts.items[i]];
	return 100 * n / (double) parts.items_n;
}

#endif
