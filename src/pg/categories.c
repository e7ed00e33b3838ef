/*
 * categories.c - moments of categorical variables: looking at the tables.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"

#include "tensorlv/model/categories.h"

static void
put_cell(FunctionCallInfo fcinfo, size_t a, size_t x, size_t b, size_t y, double count)
{
	bool single = a == b;
	TlvPutRow(fcinfo, TlvInt4((int32) a + 1), TlvNullIf(single, TlvInt4((int32) b + 1)),
			  TlvInt4((int32) x), TlvNullIf(single, TlvInt4((int32) y)), TlvInt8((int64) count));
}

/* Rows (variable_a, variable_b, state_a, state_b, count); of single variables b is NULL. */
TLV_FUNCTION(tlv_category_tables_rows)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
	TlvWork *work = TlvWorkBegin("tensorlv tables");
	tlv_category_tables tables;

	TlvRequireKind(&frame, &tlv_kind_category_moments, "tlv_category_tables");
	TlvCheck(&work->ctx, tlv_category_open(&work->ctx, &frame, &tables));
	TlvInitRows(fcinfo);
	for (size_t a = 0; a < tables.p; a++)
	{
		size_t states_a = (size_t) tables.states[a];

		for (size_t x = 0; x < states_a; x++)
			put_cell(fcinfo, a, x, a, 0, tables.singles[tables.offset[a] + x]);
		for (size_t b = a + 1; b < tables.p; b++)
		{
			const double *pair = tlv_category_pair(&tables, a, b);
			size_t states_b = (size_t) tables.states[b];

			CHECK_FOR_INTERRUPTS();
			for (size_t i = 0; i < states_a * states_b; i++)
				put_cell(fcinfo, a, i / states_b, b, i % states_b, pair[i]);
		}
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
