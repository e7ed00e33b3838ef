/*
 * categories.h - rows of categorical variables: int[] with NULL for missing.
 */
#ifndef TLV_CATEGORIES_H
#define TLV_CATEGORIES_H

#include "server/tlv_pg.h"

typedef struct TlvCodes
{
	size_t p;
	const int32_t *values; /* from 0, TLV_CATEGORY_MISSING for NULL */
	void *owned;		   /* freed by TlvReleaseCodes */
} TlvCodes;

/* Of an int[] of one dimension; raises an error for other shapes and for negative values. */
extern TlvCodes TlvCodesOf(Datum value);
extern void TlvReleaseCodes(const TlvCodes *codes);

/* tlv_infer and tlv_log_likelihood of (model, int[]) where the model is of categorical variables.
 */
extern Datum TlvInferCodes(FunctionCallInfo fcinfo);
extern Datum TlvLogLikelihoodCodes(FunctionCallInfo fcinfo);

#endif /* TLV_CATEGORIES_H */
