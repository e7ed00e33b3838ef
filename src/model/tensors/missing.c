/*
 * missing.c - missing entries of a tensor, filled by what a model has there: expectation
 * maximisation under noise of equal variance, which makes least squares over the known entries of
 * any solver for whole tensors.
 */
#include <math.h>

#include "internal.h"

/* Change of the filled entries, relative to the norm of the known ones, at which they converge. */
#define TENSOR_TOLERANCE 1e-9

/* The places of the missing entries in the array. */
static tlv_status
list_missing_entries(tlv_context *ctx, const tlv_tensor *t, const tlv_tensor_known *known,
					 tlv_filling *filling)
{
	size_t all = t->d[0] * t->d[1] * t->d[2];
	bool *listed;

	TLV_TRY_NEW0(ctx, listed, all);
	for (size_t e = 0; e < known->n; e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		listed[((size_t) known->at[0][e] * t->d[1] + (size_t) known->at[1][e]) * t->d[2] +
			   (size_t) known->at[2][e]] = true;
	}
	TLV_TRY_NEW(ctx, filling->places, known->listed ? all - known->n : known->n);
	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (listed[i] != known->listed)
			filling->places[filling->n++] = i;
	}
	tlv_free(ctx, listed);
	return TLV_OK;
}

tlv_status
tlv_filling_begin(tlv_context *ctx, const tlv_tensor_source *source, tlv_filling *filling)
{
	const tlv_tensor *t = &source->tensor;
	size_t all = t->d[0] * t->d[1] * t->d[2];
	double sum = 0;

	*filling = (tlv_filling){.tensor = *t};
	TLV_TRY(tlv_tensor_make_dense(ctx, &filling->tensor));
	filling->converged = true;
	if (tlv_tensor_is_whole(&source->known))
		return TLV_OK;
	TLV_TRY(tlv_require_memory(ctx, 17 * (double) all, "a tensor with missing entries"));
	TLV_TRY_NEW(ctx, filling->entries, all);
	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		filling->entries[i] = filling->tensor.dense[i];
		sum += filling->entries[i];
		filling->norm2 += filling->entries[i] * filling->entries[i];
	}
	TLV_TRY(list_missing_entries(ctx, t, &source->known, filling));
	for (size_t i = 0; i < filling->n; i++)
		filling->entries[filling->places[i]] = sum / (double) (all - filling->n);
	filling->tensor.dense = filling->entries;
	return TLV_OK;
}

tlv_status
tlv_filling_next(tlv_context *ctx, tlv_filling *filling, tlv_model_entry entry, const void *model,
				 bool *again)
{
	const int most_rounds = 1000;
	const size_t *d = filling->tensor.d;
	double change = 0;

	for (size_t i = 0; i < filling->n; i++)
	{
		size_t place = filling->places[i];
		const size_t at[TLV_MODES] = {place / (d[1] * d[2]), place / d[2] % d[1], place % d[2]};
		double filled = entry(model, at), moved = filled - filling->entries[place];

		if (i % 1024 == 0)
			TLV_TRY_CONTINUE(ctx);
		change += moved * moved;
		filling->entries[place] = filled;
	}
	filling->rounds++;
	filling->converged = change <= TENSOR_TOLERANCE * TENSOR_TOLERANCE * filling->norm2;
	*again = !filling->converged && filling->rounds < most_rounds;
	return TLV_OK;
}

/* The filled entries have no residual once they have converged. */
double
tlv_filling_residual(const tlv_filling *filling, double residual)
{
	if (filling->n == 0 || !(filling->norm2 > 0))
		return residual;
	return residual * sqrt(tlv_tensor_norm2(&filling->tensor, 1) / filling->norm2);
}
