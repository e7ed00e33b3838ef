/*
 * impute.c - rows with what is missing in them filled in by a model.
 */
#include "rows/any.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "rows/vectors.h"

/* Numbers of a row, or of the steps of a sequence; of many rows, one behind the other. */
typedef struct FilledRows
{
	size_t rows, width;
	bool steps;
	double *numbers;
} FilledRows;

/* Fills the next row, whose numbers have their place once the first tells how many they are. */
static void
impute_fill_row(TlvModelCache *cache, const TlvRowCursor *cursor, size_t row, FilledRows *filled)
{
	const tlv_posterior *values = &cache->posterior;

	TlvCheckRow(&cache->ctx, &cache->model->frame,
				tlv_model_impute(&cache->ctx, cache->model, &cursor->row, &cache->posterior));
	if (row == 0)
	{
		filled->steps = cursor->row.form == TLV_ROW_SEQUENCE || cursor->row.form == TLV_ROW_SYMBOLS;
		filled->rows = filled->steps ? values->n : cursor->rows;
		filled->width = values->width;
		TlvRequireArray(filled->rows, filled->width);
		filled->numbers =
			palloc_extended(Max(filled->rows * filled->width, 1) * sizeof(double), MCXT_ALLOC_HUGE);
	}
	memcpy(filled->numbers + row * filled->width, values->values, values->total * sizeof(double));
	for (size_t i = 0; cursor->numbers != NULL && i < values->total; i++) /* they are known */
		if (!isnan(cursor->numbers[i]))
			filled->numbers[row * filled->width + i] = cursor->numbers[i];
}

static ArrayType *
filled_array(const FilledRows *filled, bool many)
{
	if (many || (filled->steps && filled->width > 1))
		return TlvFloat8Box(2, (size_t[2]){filled->rows, filled->width}, filled->numbers);
	return TlvFloat8Array(filled->rows * filled->width, filled->numbers);
}

/* tlv_impute(model, x) */
TLV_FUNCTION(tlv_impute)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	unsigned takes = 0;
	FilledRows filled = {0};
	TlvRowCursor cursor;
	ArrayType *array;

	if (model->class->impute != NULL)
		takes = model->rows;
	if (!TlvAnyOpen(fcinfo, 1, model, takes, "tlv_impute", &cursor))
	{
		TlvCachedModelEnd(cache);
		PG_RETURN_NULL();
	}
	for (size_t row = 0; TlvCursorNext(&cursor); row++)
	{
		CHECK_FOR_INTERRUPTS();
		impute_fill_row(cache, &cursor, row, &filled);
	}
	array = filled_array(&filled, cursor.many);
	TlvCursorClose(&cursor);
	TlvCachedModelEnd(cache);
	PG_RETURN_ARRAYTYPE_P(array);
}
