/*
 * labels.c - what a model's components and dimensions are called.
 */
#include "tlv_pg.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/layout.h"

TlvCell
TlvComponentLabel(const tlv_frame *model, size_t component)
{
	tlv_text label = tlv_component_label(model, component);

	if (label.bytes == NULL)
		return TlvOwned(NULL);
	/* The model may come from a database of another encoding. */
	(void) pg_verifymbstr(label.bytes, (int) label.length, false);
	return TlvOwned(cstring_to_text_with_len(label.bytes, (int) label.length));
}

TlvCell
TlvDimensionName(const tlv_frame *model, size_t before, size_t dimension)
{
	const tlv_name_list names = tlv_dimension_names(model);

	return TlvNameCell(&names, before + dimension, (int64) dimension + 1);
}
