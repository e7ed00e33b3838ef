/*
 * coherence.c - joint document frequencies of every topic's most probable
 * items, from which NPMI and UMass coherence follow (topics.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

#define MAX_TOP 100

typedef struct coherence_state
{
	tlv_accumulator base;
	tlv_lda_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	size_t k;
	size_t top;
	double documents;
	int64_t *items;		/* top x k, by decreasing probability */
	double *joint;		/* packed2(top) x k */
	int32_t *first;		/* by position in the model: first entry of the list below, or -1 */
	int32_t *next;		/* top * k: next entry of the same item, or -1 */
	int32_t *present;	/* top * k: ranks present in the document, by topic */
	int32_t *n_present; /* k */
} coherence_state;

static tlv_status
coherence_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	coherence_state *state = tlv_alloc0(ctx, 1, sizeof(coherence_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_coherence.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

static tlv_status
allocate_sums(tlv_context *ctx, coherence_state *state)
{
	state->items = tlv_alloc0(ctx, state->top * state->k, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, state->items);
	state->joint = tlv_alloc0(ctx, tlv_packed2_size(state->top) * state->k, sizeof(double));
	TLV_TRY_ALLOC(ctx, state->joint);
	return TLV_OK;
}

/* Positions of a topic's top most probable items; ties by position. */
static void
top_positions(const tlv_topics *topics, size_t topic, size_t top, int32_t *positions)
{
	size_t n = 0;

	for (size_t i = 0; i < topics->d; i++)
	{
		double p = topics->phi[i * topics->k + topic];
		size_t at;

		if (n == top && p <= topics->phi[(size_t) positions[n - 1] * topics->k + topic])
			continue;
		n += n < top;
		for (at = n - 1; at > 0 && topics->phi[(size_t) positions[at - 1] * topics->k + topic] < p;
			 at--)
			positions[at] = positions[at - 1];
		positions[at] = (int32_t) i;
	}
}

tlv_status
tlv_lda_coherence(tlv_context *ctx, tlv_model *model, size_t top, tlv_accumulator **accumulator)
{
	tlv_lda_model *lda = (tlv_lda_model *) model;
	size_t k = lda->topics.k, d = lda->topics.d;
	coherence_state *state;
	int32_t *positions;

	if (top < 2 || top > MAX_TOP || top > d)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "top = %zu is not between 2 and %zu", top,
						d < MAX_TOP ? d : (size_t) MAX_TOP);
	TLV_TRY(coherence_create(ctx, accumulator));
	state = (coherence_state *) *accumulator;
	state->model = lda;
	state->fingerprint = model->frame.header->digest;
	state->k = k;
	state->top = top;
	TLV_TRY(allocate_sums(ctx, state));
	state->first = tlv_alloc(ctx, d + 2 * top * k + k + top, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, state->first);
	state->next = state->first + d;
	state->present = state->next + top * k;
	state->n_present = state->present + top * k;
	positions = state->n_present + k;
	memset(state->first, 0xff, d * sizeof(int32_t));
	for (size_t j = 0; j < k; j++)
	{
		top_positions(&lda->topics, j, top, positions);
		for (size_t r = 0; r < top; r++)
		{
			size_t entry = j * top + r;

			state->items[entry] = lda->dictionary.items[positions[r]];
			state->next[entry] = state->first[positions[r]];
			state->first[positions[r]] = (int32_t) entry;
		}
	}
	return TLV_OK;
}

static tlv_status
coherence_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	coherence_state *state = (coherence_state *) accumulator;
	tlv_document *document;

	if (state->model == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "coherence without a model cannot take rows");
	document = &state->model->document;
	TLV_TRY(tlv_lda_document(ctx, state->model, row->bag));
	memset(state->n_present, 0, state->k * sizeof(int32_t));
	for (size_t i = 0; i < document->n_known; i++)
		for (int32_t entry = state->first[document->index[i]]; entry >= 0;
			 entry = state->next[entry])
		{
			size_t topic = (size_t) entry / state->top;

			state->present[topic * state->top + (size_t) state->n_present[topic]++] =
				entry % (int32_t) state->top;
		}
	for (size_t j = 0; j < state->k; j++)
	{
		const int32_t *present = state->present + j * state->top;
		double *joint = state->joint + j * tlv_packed2_size(state->top);

		for (int32_t a = 0; a < state->n_present[j]; a++)
			for (int32_t b = 0; b <= a; b++)
				joint[tlv_packed2_index((size_t) present[a], (size_t) present[b])] += 1;
	}
	state->documents++;
	return TLV_OK;
}

static tlv_status
coherence_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	coherence_state *state = (coherence_state *) accumulator;
	const tlv_section *items = tlv_frame_find(frame, "items");
	const double *joint = tlv_frame_float64(frame, "joint");

	if (state->joint == NULL)
	{
		state->fingerprint = *tlv_frame_digest(frame, "model");
		state->top = items->rows;
		state->k = items->columns;
		TLV_TRY(allocate_sums(ctx, state));
		memcpy(state->items, tlv_section_data(frame, items),
			   state->top * state->k * sizeof(int64_t));
	}
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "model")) ||
		state->top != items->rows || state->k != items->columns)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the coherence counts are of different models or numbers of top items");
	for (size_t i = 0; i < tlv_packed2_size(state->top) * state->k; i++)
		state->joint[i] += joint[i];
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->documents += tlv_frame_scalar(frame, "documents", 0);
	return TLV_OK;
}

static tlv_status
coherence_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	coherence_state *state = (coherence_state *) accumulator;

	(void) ctx;
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_COHERENCE);
	tlv_frame_add_scalar(builder, "documents", state->documents);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	tlv_frame_add(builder, "items", TLV_INT64, state->top, state->k, state->items);
	tlv_frame_add(builder, "joint", TLV_FLOAT64, tlv_packed2_size(state->top), state->k,
				  state->joint);
	return TLV_OK;
}

static tlv_status
coherence_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *items = tlv_frame_find(frame, "items");

	TLV_TRY(tlv_frame_require(ctx, frame, "documents", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "documents", 0));
	TLV_TRY(tlv_frame_require(ctx, frame, "nulls", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "nulls", 0));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "model"));
	if (items == NULL || items->element != TLV_INT64 || items->rows < 2 || items->rows > MAX_TOP ||
		items->columns == 0)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"items\" is missing or has the wrong shape");
	TLV_TRY(tlv_frame_require(ctx, frame, "joint", TLV_FLOAT64, tlv_packed2_size(items->rows),
							  items->columns, NULL));
	return tlv_frame_require_minimum(ctx, frame, "joint", 0);
}

static const tlv_accumulator_class coherence_class = {
	.name = "coherence",
	.create = coherence_create,
	.merge = coherence_merge,
	.build = coherence_build,
	.rows = TLV_ROW_BAG,
	.add = coherence_add,
};
const tlv_kind tlv_kind_coherence = {TLV_KIND_LINE(COHERENCE, coherence), .check = coherence_check,
									 .accumulator = &coherence_class};
