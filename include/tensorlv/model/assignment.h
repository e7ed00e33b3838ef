/*
 * assignment.h - the components of one model assigned to those of another.
 *
 * The header does not define distances, since every kind does by the member match of its class
 * (model.h).  The algorithm is on floor 1 (optimize.h).
 */
#ifndef TENSORLV_ASSIGNMENT_H
#define TENSORLV_ASSIGNMENT_H

#include "tensorlv/num/context.h"

/*
 * Assigns kb components of b to ka of a, one to one, with the least total cost (ka x kb, row by
 * row, finite): partner[j] is the component of b for j of a, from 0, or -1 when b has fewer;
 * error[j] their cost, `alone` without a partner.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_assign_components(tlv_context *ctx, size_t ka, size_t kb, const double *cost,
										double alone, int64_t *partner, double *error);

#endif /* TENSORLV_ASSIGNMENT_H */
