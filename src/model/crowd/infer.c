/*
 * infer.c - what a model says of answers to an item (crowd.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/numbers.h"

typedef struct crowd_model
{
	tlv_model base;
	tlv_crowd_parts parts;
	tlv_dictionary workers, answers;
} crowd_model;

tlv_status
tlv_crowd_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	crowd_model *crowd;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(crowd_model), model));
	crowd = (crowd_model *) *model;
	tlv_crowd_read(frame, &crowd->parts);
	TLV_TRY(
		tlv_dictionary_freeze(ctx, &crowd->workers, crowd->parts.workers_n, crowd->parts.workers));
	return tlv_dictionary_freeze(ctx, &crowd->answers, crowd->parts.answers_n,
								 crowd->parts.answers);
}

static bool
is_answer(const tlv_part *workers, const tlv_part *answers, size_t i)
{
	return (workers->missing == NULL || !workers->missing[i]) &&
		   (answers->missing == NULL || !answers->missing[i]);
}

/* An answer of a row: places of the worker and of what is said; -1: not known, or missing. */
typedef struct row_answer
{
	int32_t worker, answer;
} row_answer;

/* The group of copying workers and the answer, as a place in a table of counts; 0: of no group. */
static size_t
copy_in_row(const tlv_crowd_parts *parts, row_answer a)
{
	size_t group = parts->copies != NULL && a.worker >= 0 ? (size_t) parts->copies[a.worker] : 0;

	return group > 0 && a.answer >= 0 ? group * parts->answers_n + (size_t) a.answer : 0;
}

/* Looks all answers of a row up, and counts those of every group that say the same. */
static tlv_status
look_up_answers(tlv_context *ctx, const crowd_model *crowd, const tlv_row *row, row_answer *found,
				double *alike)
{
	const tlv_part *workers = &row->part[0], *answers = &row->part[1];

	for (size_t i = 0; i < workers->n; i++)
	{
		bool given = is_answer(workers, answers, i);

		TLV_TRY_CONTINUE_AT(ctx, i);
		found[i].worker = given ? tlv_dictionary_find(&crowd->workers, workers->ids[i]) : -1;
		found[i].answer = given ? tlv_dictionary_find(&crowd->answers, answers->ids[i]) : -1;
		alike[copy_in_row(&crowd->parts, found[i])]++;
	}
	return TLV_OK;
}

/* Adds the logs of what one worker's answer says, as often as it counts; of somebody who is not
 * known, as of the pool. */
static void
add_answer(const tlv_crowd_parts *parts, row_answer a, double weight, double *q)
{
	const double *p;

	if (a.answer < 0)
		return;
	p = a.worker < 0 ? parts->pool + parts->k * (size_t) a.answer
					 : parts->confusions +
						   parts->k * ((size_t) a.worker * parts->answers_n + (size_t) a.answer);
	for (size_t h = 0; h < parts->k; h++)
		q[h] += weight * log(p[h] > TLV_TINY ? p[h] : TLV_TINY);
}

/* The same of all answers of a row: those of a group of copying workers that say the same count as
 * one. */
static tlv_status
add_answers(tlv_context *ctx, const crowd_model *crowd, const tlv_row *row, double *q)
{
	const tlv_crowd_parts *parts = &crowd->parts;
	size_t n = row->part[0].n, groups = parts->copies != NULL ? CROWD_MOST_GROUPS : 0;
	row_answer *found;
	double *alike;

	TLV_TRY_NEW(ctx, found, n + 1);
	TLV_TRY_NEW0(ctx, alike, (groups + 1) * parts->answers_n);
	TLV_TRY(look_up_answers(ctx, crowd, row, found, alike));
	for (size_t i = 0; i < n; i++)
	{
		size_t place = copy_in_row(parts, found[i]);

		TLV_TRY_CONTINUE_AT(ctx, i);
		add_answer(parts, found[i], place > 0 ? 1 / alike[place] : 1, q);
	}
	tlv_free(ctx, alike);
	tlv_free(ctx, found);
	return TLV_OK;
}

/* Unnormalised logs of the classes of a row, at q. */
static tlv_status
row_logs(tlv_context *ctx, const tlv_model *model, const tlv_row *row, double *q)
{
	const crowd_model *crowd = (const crowd_model *) model;
	size_t workers = row->part[0].n, answers = row->part[1].n;

	if (workers != answers)
		return tlv_fail(ctx, TLV_BAD_DATA, "%zu workers and %zu answers", workers, answers);
	for (size_t h = 0; h < crowd->parts.k; h++)
	{
		double w = crowd->parts.weights[h];

		q[h] = log(w > TLV_TINY ? w : TLV_TINY);
	}
	return add_answers(ctx, crowd, row, q);
}

tlv_status
tlv_crowd_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	size_t k = ((crowd_model *) model)->parts.k;

	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, k));
	TLV_TRY(row_logs(ctx, model, row, posterior->values));
	(void) tlv_crowd_share(k, posterior->values);
	return TLV_OK;
}

tlv_status
tlv_crowd_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	size_t k = ((crowd_model *) model)->parts.k;
	double *q;

	TLV_TRY_NEW(ctx, q, k);
	TLV_TRY(row_logs(ctx, model, row, q));
	*value = tlv_crowd_share(k, q);
	tlv_free(ctx, q);
	return TLV_OK;
}

/* Those of workers and of answers. */
tlv_ids
tlv_crowd_ids(const tlv_model *model, int part, int64_t id, bool *known)
{
	const crowd_model *crowd = (const crowd_model *) model;
	double told = crowd->parts.told[part == 0 ? TLV_CROWD_WORKERS : TLV_CROWD_ANSWERS];

	*known = tlv_dictionary_find(part == 0 ? &crowd->workers : &crowd->answers, id) >= 0;
	return told == 1 ? TLV_IDS_NUMBERS : told == 2 ? TLV_IDS_NAMES : TLV_IDS_ANY;
}
