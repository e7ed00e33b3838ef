/*
 * infer.h - what a model infers of a row, as plain numbers.
 */
#ifndef TEST_INFER_H
#define TEST_INFER_H

#include <string.h>

#include "tensorlv/model/model.h"

/* The posterior's numbers; values has room for them. */
static inline tlv_status
infer_values(tlv_context *context, tlv_model *model, const tlv_row *row, double *values)
{
	tlv_posterior posterior = {0};
	tlv_status status = tlv_model_infer(context, model, row, &posterior);

	if (status == TLV_OK)
		memcpy(values, posterior.values, posterior.total * sizeof(double));
	tlv_posterior_free(context, &posterior);
	return status;
}

#endif /* TEST_INFER_H */
