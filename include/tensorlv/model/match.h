/*
 * match.h - the components of two models of the same kind, one to one.
 *
 * Both functions assign components of b to those of a with the least total error: assignment[j]
 * is the component of b for j of a, from 0, or -1 when b has fewer; error[j] theirs, NaN without.
 */
#ifndef TENSORLV_MATCH_H
#define TENSORLV_MATCH_H

#include "tensorlv/model/multiview.h"

/*
 * Multi-view mixtures of the same sort of views.  Error of vectors: Euclidean distance of the
 * means of all views together; of categories: the L1 distance of their probabilities, 0 .. 2, mean
 * over the views; a category that one model does not know has probability 0 there.  Errors:
 * TLV_BAD_PARAMETER for unlike views, memory.
 */
extern tlv_status tlv_multiview_match(tlv_context *ctx, const tlv_multiview_parts *a,
									  const tlv_multiview_parts *b, int64_t *assignment,
									  double *error);

/*
 * Mixing matrices (d x ka and d x kb).  Error: Euclidean distance of two columns scaled to unit
 * length, with the better of both signs, 0 .. sqrt(2).  Errors: memory.
 */
extern tlv_status tlv_mixing_match(tlv_context *ctx, size_t d, size_t ka, const double *a,
								   size_t kb, const double *b, int64_t *assignment, double *error);

#endif /* TENSORLV_MATCH_H */
