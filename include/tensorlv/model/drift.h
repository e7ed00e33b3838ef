/*
 * drift.h - whether new rows are those of a model: tests from the statistics of a refinement step.
 *
 * Under the model an expected count is the sum of posteriors, whose difference from what the
 * parameters say is a score: its variance is the information that the rows hold, which is at most
 * that of rows whose components are known.  So X^2 = sum (count - expected)^2 / expected, and
 * n (x - mu)' S^-1 (x - mu) of means, are at most chi squared in distribution: p-values are right
 * or too large.  The model's own error, from N rows, adds n / N to the variance of n new ones, by
 * which statistics are divided.
 *
 * The tests of single families are the member drift of their class (model.h).  The caller chooses
 * the level of an alarm.
 */
#ifndef TENSORLV_DRIFT_H
#define TENSORLV_DRIFT_H

#include "tensorlv/model/model.h"

typedef struct tlv_drift_test
{
	const char *test;
	size_t component; /* from 1; 0: the whole model */
	double statistic;
	double p_value;
} tlv_drift_test;

/* A list that grows in the arena; {0} is empty. */
struct tlv_drift
{
	size_t n, room;
	tlv_drift_test *tests;
	double inflation; /* 1 + n / N */
	/* Statistics of rows that are as they should be, for kinds whose tests compare with these: one
	 * value, 0 where none is given, or those of several periods, whose spread is estimated. */
	size_t references;
	const tlv_frame *reference; /* references */
	bool periods;
	bool compared; /* the kind's tests have used it */
	size_t edges,
		unknown_edges; /* of a graph, and those with a node that the model does not have */
};

/* Adds the test of a statistic that is chi squared of so many degrees before it is divided; none
 * where there are no degrees or it is not finite.  Errors: memory. */
extern tlv_status tlv_drift_add(tlv_context *ctx, tlv_drift *drift, const char *test,
								size_t component, double statistic, double degrees);

/* Adds a test whose p-value is known; none where it is not a number.  Errors: memory. */
extern tlv_status tlv_drift_put(tlv_context *ctx, tlv_drift *drift, const char *test,
								size_t component, double statistic, double p_value);

/* Adds the test of n counts, every stride-th, against shares at the same places; none of nothing.
 */
extern tlv_status tlv_drift_counts(tlv_context *ctx, tlv_drift *drift, const char *test,
								   size_t component, size_t n, size_t stride, const double *counts,
								   const double *shares);

/* The error for error statistics without a reference, of rows called what. */
extern tlv_status tlv_drift_ask_reference(tlv_context *ctx, const char *what);

/*
 * The score test: error statistics of a likelihood model (kind score_products) beside a reference,
 * by all parameters ("scores") and by those of every component ("score"; score_drift.c).  Where the
 * periods of a reference differ by more than their rows explain, new rows are a period among them
 * (period_drift.c).  Errors: TLV_BAD_PARAMETER for statistics or a reference of another model or
 * kind, without one, and of fewer than seven periods; TLV_BAD_DATA for too few rows, memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_scores_drift(tlv_context *ctx, const tlv_frame *model,
								   const tlv_frame *statistics, tlv_drift *drift);

/*
 * All tests of statistics (tlv_statistics, or tlv_error_statistics beside a reference) under their
 * model.  Errors: TLV_BAD_PARAMETER for statistics of another model, for kinds that have no tests,
 * for a reference of another kind than the statistics and where one is missing or has no use,
 * TLV_BAD_DATA for statistics of nothing, memory.
 */
extern tlv_status tlv_model_drift(tlv_context *ctx, const tlv_frame *model,
								  const tlv_frame *statistics, tlv_drift *drift);

#endif /* TENSORLV_DRIFT_H */
