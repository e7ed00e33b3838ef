/*
 * at.c - single entries of any model of a tensor (tensors.h).
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

bool
tlv_is_tensor_model(const tlv_frame *model)
{
	return model->header->kind == TLV_KIND_CP || model->header->kind == TLV_KIND_TUCKER ||
		   model->header->kind == TLV_KIND_TENSOR_TRAIN;
}

double
tlv_tensor_model_entry(const tlv_frame *model, const size_t place[TLV_MODES])
{
	tlv_cp_parts cp;
	tlv_tucker_parts tucker;
	tlv_train_parts train;

	if (model->header->kind == TLV_KIND_TUCKER)
	{
		tlv_tucker_read(model, &tucker);
		return tlv_tucker_entry(&tucker, place);
	}
	if (model->header->kind == TLV_KIND_TENSOR_TRAIN)
	{
		tlv_train_read(model, &train);
		return tlv_train_entry(&train, place);
	}
	tlv_cp_read(model, &cp);
	return tlv_tensor_entry(cp.k, cp.scales, cp.factors[0] + place[0] * cp.k,
							cp.factors[1] + place[1] * cp.k, cp.factors[2] + place[2] * cp.k);
}
