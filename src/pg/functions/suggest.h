/*
 * suggest.h - how each family looks for its number of components, for tlv_suggest_k.
 */
#ifndef TLV_SUGGEST_H
#define TLV_SUGGEST_H

#include "server/driver.h"
#include "server/fit.h"
#include "tensorlv/model/suggest.h"

/* What tlv_suggest_k is asked. */
typedef struct TlvSearch
{
	const struct TlvSearcher *searcher;
	const char *criterion; /* NULL: all of them */
	uint64_t seed;
	size_t max_k; /* 0: as many as the family looks at when it is not said */
} TlvSearch;

/* A family: its search over the rows of a query, argument 0 of the call, whose model
 * stays until the driver's end, and that over a stored value. */
typedef struct TlvSearcher
{
	const char *const *criteria; /* that it has; NULL ends them */
	TlvFitValue fit;			 /* its options are a TlvSearch */
	bool one_each;				 /* a search looks at one criterion, the first where none is said */
	void (*learn)(FunctionCallInfo fcinfo, TlvDriver *driver, const TlvSearch *search,
				  tlv_held *model);
} TlvSearcher;

extern const TlvSearcher TlvSearchGmm, TlvSearchHmm, TlvSearchMultiview, TlvSearchLca, TlvSearchGom,
	TlvSearchMmsb;

/* Topics have a search for the numbers alone, whose rows stay until the driver's end. */
extern const char *const TlvTopicCriteria[];
extern const tlv_suggestion *TlvSuggestTopics(FunctionCallInfo fcinfo, TlvDriver *driver,
											  const TlvSearch *search, size_t *n);

#endif /* TLV_SUGGEST_H */
