/*
 * support.c - hidden Markov models learnt anew from parts of the sequences
 * (tensorlv/model/support.h).
 */
#include "tensorlv/model/support.h"

#include <math.h>

#include "learn.h"
#include "../tuning.h"
#include "tensorlv/model/sequences.h"
#include "tensorlv/num/tuning.h"

/* Numbers of the sample, at most. */
#define MOST_NUMBERS ((size_t) 1 << 19)
/* Fewer sequences are cut into so many pieces. */
#define HMM_PIECES 16

static size_t
hmm_sample_count(const void *fit, const tlv_frame *model)
{
	(void) fit;
	(void) model;
	return MOST_NUMBERS;
}

static tlv_status
hmm_sample_rows(tlv_context *ctx, const tlv_frame *model, const tlv_frame *sample, size_t *n,
				tlv_row **rows, bool *complete)
{
	tlv_hmm_data data = {0}, cut;

	(void) model;
	TLV_TRY(tlv_sequence_sample_rows(ctx, sample, MOST_NUMBERS, &data.n, &data.rows));
	for (size_t i = 0; i < data.n; i++)
		data.steps += (double) data.rows[i].part[0].n;
	*complete = data.steps == tlv_frame_scalar(sample, "steps", 0);
	if (data.n < HMM_PIECES && data.steps > HMM_PIECES)
	{
		TLV_TRY(tlv_hmm_data_cut(ctx, &data, (size_t) ceil(data.steps / HMM_PIECES), &cut));
		data = cut;
	}
	*n = data.n;
	*rows = data.rows;
	return TLV_OK;
}

static tlv_status
hmm_learn_part(tlv_context *ctx, const void *fit, const tlv_frame *model, size_t n,
			   const tlv_row *rows, uint64_t seed, void **image, size_t *size)
{
	tlv_hmm_data data = {.n = n, .rows = (tlv_row *) rows};
	tlv_hmm_search search = {.data = &data};
	tlv_hmm_ascent ascent = {.limit = TLV_MOST_PASSES};
	tlv_hmm_parts parts;

	(void) fit;
	tlv_hmm_read(model, &parts);
	for (size_t i = 0; i < n; i++)
		data.steps += (double) rows[i].part[0].n;
	search.start =
		(tlv_hmm_start_options){.k = parts.k, .covariance = parts.covariance, .seed = seed};
	search.m = parts.gaussian ? 0 : parts.d;
	search.items = parts.items;
	TLV_TRY(tlv_hmm_search_start(ctx, &search, NULL, &ascent.current));
	TLV_TRY(tlv_hmm_climb(ctx, &data, NULL, &ascent));
	*image = ascent.current.image;
	*size = ascent.current.size;
	return TLV_OK;
}

const tlv_support_class tlv_hmm_support = {
	"state",		  "spurious_component", &tlv_aggregate_sequence_sample,
	hmm_sample_count, hmm_sample_rows,		hmm_learn_part};
