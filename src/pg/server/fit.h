/*
 * fit.h - from a stored value to a model: what every tlv_fit_* function does around its formulas.
 */
#ifndef TLV_FIT_H
#define TLV_FIT_H

#include "tlv_pg.h"

typedef tlv_status (*TlvFitValue)(tlv_context *ctx, const tlv_frame *value, const void *options,
								  void **image, size_t *size);

/* Defines one that passes options of its own type on. */
#define TLV_FIT_VALUE(name, fit)                                                                   \
	static tlv_status name(tlv_context *ctx, const tlv_frame *value, const void *options,          \
						   void **image, size_t *size)                                             \
	{                                                                                              \
		return fit(ctx, value, options, image, size);                                              \
	}

/* Begins the definition of a function that keeps its results and is NULL where argument 0, what the
 * model is fitted to, is NULL. */
#define TLV_FIT_FUNCTION(name)                                                                     \
	static Datum name##_fit(PG_FUNCTION_ARGS);                                                     \
	TLV_KEEPING_FUNCTION(name)                                                                     \
	{                                                                                              \
		if (PG_ARGISNULL(0))                                                                       \
			PG_RETURN_NULL();                                                                      \
		return name##_fit(fcinfo);                                                                 \
	}                                                                                              \
	static Datum name##_fit(PG_FUNCTION_ARGS)

/*
 * A fit has ended with ctx->error: raises it, or, where it is a matter of the data and the function
 * was called with on_failure => 'null', warns of it, and NULL is to be returned.
 */
extern void TlvFailed(FunctionCallInfo fcinfo, const tlv_context *ctx);

/* Returns the model that was made, and raises what it warns of. */
extern Datum TlvFitEnd(TlvMaker *maker);

/* Returns what fit makes of argument 0, which is not NULL, as SQL. */
extern Datum TlvFit(FunctionCallInfo fcinfo, TlvFitValue fit, const void *options);

#endif /* TLV_FIT_H */
