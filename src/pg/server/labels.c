/*
 * labels.c - what a model's components and dimensions are called.
 */
#include "tlv_pg.h"

#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/layout.h"

TlvCell
TlvComponentLabel(const tlv_frame *model, size_t component)
{
	return TlvStoredText(tlv_component_label(model, component));
}

TlvCell
TlvDimensionName(const tlv_frame *model, size_t before, size_t dimension)
{
	const tlv_name_list names = tlv_dimension_names(model);

	return TlvNameCell(&names, before + dimension, (int64) dimension + 1);
}
