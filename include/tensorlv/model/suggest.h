/*
 * suggest.h - the scores of every number of components that a fit has tried, by one criterion or
 * several.
 *
 * The procedures try the numbers of components (choice.h, gmm.h); suggestions for moments without
 * a fit are in counts.h (tlv_count_suggest_k).
 */
#ifndef TENSORLV_SUGGEST_H
#define TENSORLV_SUGGEST_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

#define TLV_SUGGEST_SIGNIFICANCE "significance"
#define TLV_SUGGEST_HELD_OUT	 "held_out"
#define TLV_SUGGEST_GAIN		 "gain"
#define TLV_SUGGEST_COHERENCE	 "coherence"
#define TLV_SUGGEST_BIC			 "bic"
#define TLV_SUGGEST_ICL			 "icl"
#define TLV_SUGGEST_RANK		 "rank_test"
#define TLV_SUGGEST_EVIDENCE	 "integrated_likelihood"
#define TLV_SUGGEST_SPECTRUM	 "spectrum"

typedef struct tlv_suggestion
{
	size_t k;
	const char *criterion;
	double score;		   /* NaN: none */
	double standard_error; /* of the likelihood: of its difference from the best one; of coherence:
							* of the mean over the topics, NaN for one */
	bool chosen;
} tlv_suggestion;

/*
 * The rows of a model that was fitted without k, from its diagnostics: by the criterion that chose,
 * where the model's own number of components is chosen (with a row of its own where the criterion
 * says nothing of it), and, behind it, by another that was looked at, where it would have chosen.
 * By ascending k.  The array is the caller's.
 * Errors: TLV_BAD_PARAMETER for a model that tells of no other k, memory.
 */
extern tlv_status tlv_model_suggestions(tlv_context *ctx, const tlv_frame *model,
										tlv_suggestion **rows, size_t *n);

#endif /* TENSORLV_SUGGEST_H */
