/*
 * at.c - single entries of any model of a tensor (tensors.h).
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

bool
tlv_is_tensor_model(const tlv_frame *model)
{
	return model->header->kind == TLV_KIND_CP;
}

void
tlv_tensor_model_ids(const tlv_frame *model, tlv_tensor_ids *ids)
{
	tlv_tensor_read_ids(model, ids);
}

double
tlv_tensor_model_entry(const tlv_frame *model, const size_t place[TLV_MODES])
{
	tlv_cp_parts cp;

	tlv_cp_read(model, &cp);
	return tlv_tensor_entry(cp.k, cp.scales, cp.factors[0] + place[0] * cp.k,
							cp.factors[1] + place[1] * cp.k, cp.factors[2] + place[2] * cp.k);
}
