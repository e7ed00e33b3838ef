/*
 * coherence.c - joint document frequencies of every topic's most probable
 * items, from which NPMI and UMass coherence follow (topics.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

#define MAX_TOP 100

/* Sizes: items of a topic, topics. */
#define SIZE_TOP TLV_SIZE_1
#define SIZE_K	 TLV_SIZE_2

typedef struct coherence_state
{
	tlv_declared declared;
	tlv_lda_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	size_t k; /* of a model's */
	size_t top;
	double documents;
	int64_t *items;		/* top x k, by decreasing probability */
	double *joint;		/* packed2(top) x k */
	int32_t *first;		/* by position in the model: first entry of the list below, or -1 */
	int32_t *next;		/* top * k: next entry of the same item, or -1 */
	int32_t *present;	/* top * k: ranks present in the document, by topic */
	int32_t *n_present; /* k */
} coherence_state;

/* Positions of a topic's top most probable items; ties by position. */
static tlv_status
top_positions(tlv_context *ctx, const tlv_topics *topics, size_t topic, size_t top,
			  int32_t *positions)
{
	size_t n = 0;

	for (size_t i = 0; i < topics->d; i++)
	{
		double p = topics->phi[i * topics->k + topic];
		size_t at;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		if (n == top && p <= topics->phi[(size_t) positions[n - 1] * topics->k + topic])
			continue;
		n += n < top;
		for (at = n - 1; at > 0 && topics->phi[(size_t) positions[at - 1] * topics->k + topic] < p;
			 at--)
			positions[at] = positions[at - 1];
		positions[at] = (int32_t) i;
	}
	return TLV_OK;
}

tlv_status
tlv_lda_coherence(tlv_context *ctx, tlv_model *model, size_t top, tlv_accumulator **accumulator)
{
	tlv_lda_model *lda = (tlv_lda_model *) model;
	size_t k = lda->topics.k, d = lda->topics.d;
	size_t sizes[TLV_SIZES] = {0, k};
	coherence_state *state;
	int32_t *positions;

	if (d < 2)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"coherence is of pairs of items, and the model has one item");
	if (top == 0) /* not given */
		top = tlv_least(d, TLV_COHERENCE_TOP);
	if (top < 2 || top > MAX_TOP || top > d)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "top = %zu is not between 2 and %zu", top,
						d < MAX_TOP ? d : (size_t) MAX_TOP);
	sizes[0] = top;
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_coherence.accumulator, sizes, accumulator));
	state = (coherence_state *) *accumulator;
	state->model = lda;
	state->fingerprint = model->frame.header->digest;
	state->k = k;
	state->top = top;
	TLV_TRY_NEW(ctx, state->first, d + 2 * top * k + k + top);
	state->next = state->first + d;
	state->present = state->next + top * k;
	state->n_present = state->present + top * k;
	positions = state->n_present + k;
	memset(state->first, 0xff, d * sizeof(int32_t));
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY(top_positions(ctx, &lda->topics, j, top, positions));
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
		return tlv_accumulator_refuse_rows(ctx, accumulator);
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

		TLV_TRY_CONTINUE_OFTEN(ctx, j);
		for (int32_t a = 0; a < state->n_present[j]; a++)
			for (int32_t b = 0; b <= a; b++)
				joint[tlv_packed2_index((size_t) present[a], (size_t) present[b])] += 1;
	}
	state->documents++;
	return TLV_OK;
}

/* No two items are in more documents together than either of them, and none in more than there are.
 */
static tlv_status
coherence_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double documents = tlv_frame_scalar(frame, "documents", 0);
	const double *joint = tlv_frame_float64(frame, "joint");
	size_t top = sizes[SIZE_TOP];

	for (size_t t = 0; t < sizes[SIZE_K]; t++, joint += tlv_packed2_size(top))
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		for (size_t i = 0; i < top; i++)
			for (size_t j = 0; j <= i; j++)
			{
				double both = joint[tlv_packed2_index(i, j)];

				if (both > documents || both > joint[tlv_packed2_index(i, i)] ||
					both > joint[tlv_packed2_index(j, j)])
					return tlv_fail(ctx, TLV_CORRUPT,
									"%g documents have items %zu and %zu of topic %zu", both, i + 1,
									j + 1, t + 1);
			}
	}
	return TLV_OK;
}

#define AT(member) offsetof(coherence_state, member)
static const tlv_declaration coherence_list[] = {
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(documents)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"items", TLV_INT64, SIZE_TOP, SIZE_K, TLV_ANY, TLV_EQUAL, AT(items)},
	{"joint", TLV_FLOAT64, TLV_PACKED_1, SIZE_K, TLV_WHOLE, TLV_SUM, AT(joint)},
};
#undef AT
static const tlv_sections coherence_sections = {
	.state = sizeof(coherence_state),
	.kind = TLV_KIND_COHERENCE,
	TLV_LIST(coherence_list),
	.least = {2, 1},
	.most = {MAX_TOP, TLV_DICTIONARY_MAX},
	.check_more = coherence_check_more,
};

static const tlv_accumulator_class coherence_class = {
	.name = "coherence",
	TLV_DECLARED(&coherence_sections),
	.rows = TLV_ROW_BAG,
	.add = coherence_add,
};
const tlv_kind tlv_kind_coherence = {TLV_KIND_LINE(COHERENCE, coherence),
									 .accumulator = &coherence_class};
