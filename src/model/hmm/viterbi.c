/*
 * viterbi.c - the most probable states of one sequence under a hidden
 * Markov model (Viterbi 1967; internal.h).
 *
 * Predecessors are kept for one block of steps.  Of longer sequences the logarithms at
 * the blocks' borders are kept, and each block is gone through a second time on the way back.
 */
#include <math.h>
#include <string.h>

#include "internal.h"

/* Predecessors of a block, at most so many. */
#define MOST_PREDECESSORS ((size_t) 1 << 23)
/* Steps between two looks at whether to stop, at most; values are brought back to a largest of 0,
 * too. */
#define PART ((size_t) 256)

typedef int64_t indices __attribute__((vector_size(64)));
typedef uint16_t narrow __attribute__((vector_size(16), aligned(2), may_alias));

typedef struct viterbi
{
	size_t n;
	size_t block;	   /* steps */
	double *values;	   /* stride x (PART + 1); row 0 is the step before */
	double *borders;   /* stride for each block: the step before its first */
	double *densities; /* vectors: stride x PART */
	int32_t at[PART];
	uint16_t *from; /* stride x block */
} viterbi;

/* ---- logarithms ---- */

static tlv_status
fill_logarithms(tlv_context *ctx, size_t n, const double *p, double *logarithms)
{
	for (size_t e = 0; e < n; e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		logarithms[e] = p[e] > 0 ? log(p[e]) : -HUGE_VAL; /* padding */
	}
	return TLV_OK;
}

static tlv_status
open_logarithms(tlv_context *ctx, tlv_hmm_model *model)
{
	size_t k = model->parts.k, stride = model->stride, d = model->parts.d;
	size_t columns = model->parts.gaussian ? 0 : d + 1;
	double *block;

	if (model->log_forward != NULL)
		return TLV_OK;
	block = tlv_alloc(ctx, k + columns, stride * sizeof(double));
	TLV_TRY_ALLOC(ctx, block);
	TLV_TRY(fill_logarithms(ctx, k * stride, model->forward, block));
	if (columns > 0)
	{
		TLV_TRY(fill_logarithms(ctx, d * stride, model->emissions, block + k * stride));
		memset(block + (k + d) * stride, 0, stride * sizeof(double));
	}
	model->log_emissions = block + k * stride;
	model->log_forward = block;
	return TLV_OK;
}

/* ---- forward ---- */

/* values[j] = max_i before[i] + ln T[j, i] + emission; from[j] says which i, the first of equals.
 */
TLV_CLONES static void
viterbi_steps(size_t k, size_t stride, const double *restrict forward,
			  const double *restrict emissions, const int32_t *restrict at, size_t n,
			  double *values, uint16_t *restrict from)
{
	for (size_t t = 0; t < n; t++)
	{
		const double *before = values + t * stride;
		const double *emission = emissions + (at != NULL ? (size_t) at[t] : t) * stride;

		for (size_t b = 0; b < stride; b += TLV_OCTET)
		{
			tlv_octet best = before[0] + *(const tlv_octet *) (forward + b);
			indices which = {0};

			for (size_t i = 1; i < k; i++)
			{
				tlv_octet value = before[i] + *(const tlv_octet *) (forward + i * stride + b);
				indices better = value > best;
				indices new = {0};

				new += (int64_t) i;
				which = (better & new) | (~better & which);
				best = (tlv_octet) ((better & (indices) value) | (~better & (indices) best));
			}
			*(tlv_octet *) (values + (t + 1) * stride + b) =
				best + *(const tlv_octet *) (emission + b);
			*(narrow *) (from + t * stride + b) = __builtin_convertvector(which, narrow);
		}
	}
}

/* Step 0 has no step before it. */
static void
first_step(const tlv_hmm_model *model, const double *emission, double *values)
{
	for (size_t j = 0; j < model->stride; j++)
		values[j] = j < model->parts.k ? log(model->initial[j]) + emission[j] : -HUGE_VAL;
}

static void
rebase(size_t k, double *values)
{
	double largest = values[0];

	for (size_t j = 1; j < k; j++)
		largest = fmax(largest, values[j]);
	for (size_t j = 0; j < k; j++)
		values[j] -= largest;
}

/* Predecessors of n <= PART steps from `first` on; row 0 of values goes on to the last of them. */
static void
decode_part(tlv_hmm_model *model, viterbi *v, const tlv_sequence *sequence, size_t first, size_t n,
			uint16_t *from)
{
	size_t stride = model->stride, begun = first == 0 ? 1 : 0;
	const double *emissions = model->parts.gaussian ? v->densities : model->log_emissions;
	const int32_t *at = model->parts.gaussian ? NULL : v->at;

	if (at == NULL)
		(void) tlv_hmm_densities(model, n, sequence->x + first * sequence->d, false, v->densities);
	for (size_t i = 0; at != NULL && i < n; i++)
		v->at[i] = tlv_hmm_position(model, sequence->symbols[first + i]);
	if (begun > 0)
	{
		/* NOLINTNEXTLINE(clang-analyzer-*): the densities are set */
		first_step(model, emissions + (at != NULL ? (size_t) at[0] * stride : 0), v->values);
		memset(from, 0, stride * sizeof(uint16_t));
		emissions += at != NULL ? 0 : stride;
		at = at != NULL ? at + 1 : NULL;
	}
	viterbi_steps(model->parts.k, stride, model->log_forward, emissions, at, n - begun, v->values,
				  from + begun * stride);
	memmove(v->values, v->values + (n - begun) * stride, stride * sizeof(double));
	rebase(model->parts.k, v->values);
}

static tlv_status
decode_block(tlv_context *ctx, tlv_hmm_model *model, viterbi *v, const tlv_sequence *sequence,
			 size_t b, size_t n)
{
	size_t part = tlv_least(model->piece, PART);

	for (size_t i = 0; i < n; i += part)
	{
		TLV_TRY_CONTINUE(ctx);
		decode_part(model, v, sequence, b * v->block + i, tlv_least(part, n - i),
					v->from + i * model->stride);
	}
	return TLV_OK;
}

/* ---- and back ---- */

static tlv_status
allocate_viterbi(tlv_context *ctx, const tlv_hmm_model *model, size_t n, viterbi *v)
{
	size_t stride = model->stride, blocks;

	v->n = n;
	v->block = MOST_PREDECESSORS / stride > PART ? MOST_PREDECESSORS / stride / PART * PART : PART;
	v->block = n < v->block ? n : v->block;
	blocks = (n + v->block - 1) / v->block;
	v->from = tlv_alloc(ctx, v->block, stride * sizeof(uint16_t));
	TLV_TRY_ALLOC(ctx, v->from);
	v->values = tlv_alloc0(ctx, blocks + 2 * PART + 1, stride * sizeof(double));
	TLV_TRY_ALLOC(ctx, v->values);
	v->densities = v->values + (PART + 1) * stride;
	v->borders = v->densities + PART * stride;
	return TLV_OK;
}

static void
follow_back(const viterbi *v, size_t stride, size_t b, size_t n, size_t *state, int32_t *states)
{
	for (size_t i = n; i-- > 0;)
	{
		states[b * v->block + i] = (int32_t) *state;
		*state = v->from[i * stride + *state];
	}
}

tlv_status
tlv_hmm_decode(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence,
			   int32_t *states)
{
	size_t stride = model->stride, n = sequence->n, blocks, best = 0, own = 0;
	viterbi v;

	if (n == 0)
		return TLV_OK;
	TLV_TRY(open_logarithms(ctx, model));
	TLV_TRY(allocate_viterbi(ctx, model, n, &v));
	blocks = (n + v.block - 1) / v.block;
	for (size_t b = 0; b < blocks; b++)
	{
		own = n - b * v.block < v.block ? n - b * v.block : v.block;
		memcpy(v.borders + b * stride, v.values, stride * sizeof(double));
		TLV_TRY(decode_block(ctx, model, &v, sequence, b, own));
	}
	for (size_t j = 1; j < model->parts.k; j++)
		best = v.values[j] > v.values[best] ? j : best;
	follow_back(&v, stride, blocks - 1, own, &best, states);
	for (size_t b = blocks - 1; b-- > 0;)
	{
		memcpy(v.values, v.borders + b * stride, stride * sizeof(double));
		TLV_TRY(decode_block(ctx, model, &v, sequence, b, v.block));
		follow_back(&v, stride, b, v.block, &best, states);
	}
	tlv_free(ctx, v.values);
	tlv_free(ctx, v.from);
	return TLV_OK;
}
