/*
 * contributions.h - which dimensions make a row unusual under a model.
 *
 * The densities are those of the model's kind (model.h).  Kinds whose rows cannot have missing
 * values, and directions, have no contributions.
 */
#ifndef TENSORLV_CONTRIBUTIONS_H
#define TENSORLV_CONTRIBUTIONS_H

#include "tensorlv/model/model.h"

/*
 * What each of the d dimensions of a row contributes: values[i] = log p(x) - log p(x without x_i),
 * the log density or probability of x_i given the other values of the row, in nats; NaN where x_i
 * is missing.  They sum to log p(x) where dimensions are independent; in general their sum is the
 * pseudo-log-likelihood of the row (Besag 1975).  Rows are vectors or codes, of a model that takes
 * missing ones (tlv_model_has_contributions).  Time: d + 1 times that of the log-likelihood.
 * Errors: TLV_BAD_PARAMETER for other models and forms, those of log_likelihood, memory,
 * TLV_CANCELLED.
 */
extern bool tlv_model_has_contributions(const tlv_model *model);
extern tlv_status tlv_model_contributions(tlv_context *ctx, tlv_model *model, const tlv_row *row,
										  double *values);

#endif /* TENSORLV_CONTRIBUTIONS_H */
