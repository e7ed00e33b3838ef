/*
 * fit.h - from a stored value to a model: what every tlv_fit_* function does around its formulas.
 */
#ifndef TLV_FIT_H
#define TLV_FIT_H

#include "tlv_pg.h"

typedef tlv_status (*TlvFitValue)(tlv_context *ctx, const tlv_frame *value, const void *options,
								  void **image, size_t *size);

/* Returns what fit makes of argument 0, which is not NULL, as SQL. */
extern Datum TlvFit(FunctionCallInfo fcinfo, TlvFitValue fit, const void *options);

#endif /* TLV_FIT_H */
