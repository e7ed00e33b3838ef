/*
 * contributions.c - the contribution of each dimension of a row to its log-likelihood.
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/contributions.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"

/* A copy of the row, of which one value after the other is missing. */
typedef struct gapped_row
{
	tlv_row row;
	double *numbers; /* of a vector, else NULL */
	int32_t *codes;	 /* of a row of codes, else NULL */
	bool *missing;
} gapped_row;

static tlv_status
copy_row(tlv_context *ctx, const tlv_row *row, gapped_row *copy)
{
	const tlv_part *part = &row->part[0];
	size_t d = part->d;

	*copy = (gapped_row){.row = *row};
	TLV_TRY_NEW0(ctx, copy->missing, d);
	if (part->missing != NULL)
		memcpy(copy->missing, part->missing, d * sizeof(bool));
	copy->row.part[0].missing = copy->missing;
	if (row->form == TLV_ROW_CODES)
	{
		TLV_TRY_NEW(ctx, copy->codes, d);
		memcpy(copy->codes, part->codes, d * sizeof(int32_t));
		copy->row.part[0].codes = copy->codes;
		for (size_t i = 0; i < d; i++)
			copy->missing[i] |= copy->codes[i] < 0;
		return TLV_OK;
	}
	TLV_TRY_NEW(ctx, copy->numbers, d);
	memcpy(copy->numbers, part->float64, d * sizeof(double));
	copy->row.part[0].float64 = copy->numbers;
	for (size_t i = 0; i < d; i++)
		copy->missing[i] |= isnan(copy->numbers[i]);
	return TLV_OK;
}

/* Log-likelihood of the row without the value of dimension i. */
static tlv_status
likelihood_without(tlv_context *ctx, tlv_model *model, gapped_row *copy, size_t i, double *value)
{
	double number = copy->numbers != NULL ? copy->numbers[i] : 0;
	int32_t code = copy->codes != NULL ? copy->codes[i] : 0;

	if (copy->numbers != NULL)
		copy->numbers[i] = NAN;
	else
		copy->codes[i] = -1;
	copy->missing[i] = true;
	TLV_TRY(model->class->log_likelihood(ctx, model, &copy->row, value));
	if (copy->numbers != NULL)
		copy->numbers[i] = number;
	else
		copy->codes[i] = code;
	copy->missing[i] = false;
	return TLV_OK;
}

bool
tlv_model_has_contributions(const tlv_model *model)
{
	unsigned gaps = TLV_ROWS_MISSING_ELEMENTS | TLV_ROWS_MISSING_OF_MANY;

	/* A direction with a gap lies on another sphere: the densities have no common measure. */
	return model->class->log_likelihood != NULL &&
		   model->frame.kind != &tlv_kind_direction_mixture &&
		   ((model->rows & TLV_ROW_CODES) != 0 ||
			((model->rows & TLV_ROW_VECTOR) != 0 && (model->rows & gaps) != 0));
}

tlv_status
tlv_model_contributions(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *values)
{
	gapped_row copy;
	double whole, without;

	if (!tlv_model_has_contributions(model))
		return tlv_kind_undefined(ctx, &model->frame, "tlv_contributions");
	TLV_TRY(tlv_model_log_likelihood(ctx, model, row, &whole));
	TLV_TRY(copy_row(ctx, row, &copy));
	for (size_t i = 0; i < row->part[0].d; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		values[i] = NAN;
		if (copy.missing[i])
			continue;
		TLV_TRY(likelihood_without(ctx, model, &copy, i, &without));
		values[i] = whole - without;
	}
	tlv_free(ctx, copy.codes);
	tlv_free(ctx, copy.numbers);
	tlv_free(ctx, copy.missing);
	return TLV_OK;
}
