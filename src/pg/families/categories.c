/*
 * categories.c - moments of categorical variables: looking at the tables.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"

#include "tensorlv/model/categories.h"

/* What the categories of the tables are called. */
static tlv_code_names
names_of(const tlv_category_tables *tables)
{
	return (tlv_code_names){.names = {tables->name_offsets, tables->names},
							.variables = tables->p,
							.states = tables->states};
}

static void
put_cell(FunctionCallInfo fcinfo, const tlv_category_tables *tables, size_t a, size_t x, size_t b,
		 size_t y, double count)
{
	const tlv_code_names names = names_of(tables);
	const tlv_name_list none = {NULL, NULL};
	size_t at_a = tables->offset[a], at_b = tables->offset[b];
	bool single = a == b;

	TlvPutRow(fcinfo, TlvInt8((int64) a + 1), TlvNameCell(&none, 0, (int64) a + 1),
			  TlvNullIf(single, TlvInt8((int64) b + 1)),
			  TlvNullIf(single, TlvNameCell(&none, 0, (int64) b + 1)),
			  TlvInt8(tlv_code_number(&names, a, at_a, (int64) x)),
			  TlvCategoryCell(&names.names, at_a + x, (int64) x),
			  TlvNullIf(single, TlvInt8(tlv_code_number(&names, b, at_b, (int64) y))),
			  TlvNullIf(single, TlvCategoryCell(&names.names, at_b + y, (int64) y)),
			  TlvInt8((int64) count));
}

/* Rows (variable_a, variable_a_name, variable_b, ..., category_a, ..., count); of single variables
 * b is NULL. */
TLV_FUNCTION(tlv_category_tables_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	TlvWork *work = TlvWorkBegin("tensorlv tables");
	tlv_category_tables tables;

	TlvRequireKind(&frame, &tlv_kind_category_moments, "tlv_category_tables");
	TlvCheck(&work->ctx, tlv_category_open(&work->ctx, &frame, &tables));
	TlvInitRows(fcinfo);
	for (size_t a = 0; a < tables.p; a++)
	{
		size_t states_a = (size_t) tables.states[a];

		for (size_t x = 0; x < states_a; x++)
			put_cell(fcinfo, &tables, a, x, a, 0, tables.singles[tables.offset[a] + x]);
		for (size_t b = a + 1; b < tables.p; b++)
		{
			const double *pair = tlv_category_pair(&tables, a, b);
			size_t states_b = (size_t) tables.states[b];

			CHECK_FOR_INTERRUPTS();
			for (size_t i = 0; i < states_a * states_b; i++)
				put_cell(fcinfo, &tables, a, i / states_b, b, i % states_b, pair[i]);
		}
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
