/*
 * kinds.c - what any model is asked: the kinds and their functions (kinds.def, kind_functions.h),
 * components in groups, whether new rows are the model's.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "tensorlv/model/drift.h"
#include "tensorlv/model/kind_functions.h"
#include "tensorlv/model/layout.h"

/* Names as an array of texts. */
static TlvCell
names_cell(const char *names)
{
	Datum values[16];
	int n = 0;

	while (*names != '\0')
	{
		size_t length = strcspn(names, ",");

		values[n++] = PointerGetDatum(cstring_to_text_with_len(names, (int) length));
		names += length + (names[length] == ',' ? strlen(", ") : 0);
	}
	return TlvOwned(construct_array(values, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Rows (kind, type, collects, fits, drives, reads, applies). */
TLV_FUNCTION(tlv_kinds_rows)
{
	static const char *const types[] = {"", "tlv_moments", "tlv_subspace", "tlv_model",
										"tlv_graph"};

	TlvInitRows(fcinfo);
	for (const tlv_kind_functions *own = tlv_kind_functions_list; own->type != 0; own++)
	{
		const tlv_kind *kind = tlv_kind_find((tlv_frame_type) own->type, (uint8_t) own->code);

		TlvPutRow(fcinfo, TlvText(kind->name), TlvText(types[kind->type]),
				  names_cell(own->collects), names_cell(own->fits), names_cell(own->drives),
				  names_cell(own->reads), names_cell(own->applies));
	}
	return (Datum) 0;
}

/* tlv_groups(model, n): rows (component, component_group) */
TLV_FUNCTION(tlv_groups_rows)
{
	tlv_frame model = TlvFrameOf(PG_GETARG_DATUM(0));
	size_t n = TlvCountArgument(fcinfo, 1, "n", 1), k = tlv_model_components(&model);
	TlvWork *work;
	int64_t *group;

	TlvInitRows(fcinfo);
	if (tlv_layout_of(&model)->weights == NULL) /* no components that could be merged */
		return (Datum) 0;
	work = TlvWorkBegin("tensorlv groups");
	TlvCheck(&work->ctx, tlv_model_groups(&work->ctx, &model, n, &group));
	for (size_t j = 0; j < k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1),
				  TlvNullIf(group[j] < 0, TlvInt4((int32) group[j] + 1)));
	TlvWorkEnd(work);
	return (Datum) 0;
}

void
TlvPutDrift(FunctionCallInfo fcinfo, const tlv_drift *drift)
{
	for (size_t i = 0; i < drift->n; i++)
	{
		const tlv_drift_test *one = drift->tests + i;

		TlvPutRow(fcinfo, TlvText(one->test),
				  TlvNullIf(one->component == 0, TlvInt4((int32) one->component)),
				  TlvFloat8(one->statistic), TlvFloat8(one->p_value));
	}
}

/* tlv_drift(model, statistics, reference): rows (test, component, statistic, p_value) */
static void
put_drift(FunctionCallInfo fcinfo, tlv_drift *drift)
{
	tlv_frame model = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_frame statistics = TlvFrameOf(PG_GETARG_DATUM(1));
	TlvWork *work = TlvWorkBegin("tensorlv drift");

	TlvCheck(&work->ctx, tlv_model_drift(&work->ctx, &model, &statistics, drift));
	TlvWarnSkipped(&model, &statistics);
	TlvPutDrift(fcinfo, drift);
	TlvWorkEnd(work);
}

TLV_FUNCTION(tlv_drift_rows)
{
	tlv_drift drift = {.n = 0};

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	if (!PG_ARGISNULL(2))
	{
		TlvStoredArray array = TlvReadArray(PG_GETARG_DATUM(2));

		drift.reference = TlvOpenArray(&array);
		drift.references = array.n;
		drift.periods = array.n != 1;
	}
	put_drift(fcinfo, &drift);
	return (Datum) 0;
}
