/*
 * score_drift.h - the score test on its way, shared by score_drift.c and period_drift.c.
 */
#ifndef TENSORLV_SCORE_DRIFT_H
#define TENSORLV_SCORE_DRIFT_H

#include "tensorlv/model/drift.h"
#include "tensorlv/model/errors.h"

/* Sums of the scores of one block in one value, or of the parameters of a test. */
typedef struct score_sums
{
	double pieces;
	const double *scores, *products;
} score_sums;

typedef struct score_test
{
	const tlv_estimate *list; /* n */
	size_t n;
	const double *counts;	   /* n: observations in the new rows */
	score_sums new, old;	   /* of the new rows and of the whole reference */
	const score_sums *periods; /* of the reference, n_periods */
	size_t n_periods;		   /* 0: the reference is one sum */
	bool spread;			   /* the periods differ by more than their rows explain */
	bool *tested;			   /* n */
	size_t *place;			   /* n, room: those of a test */
	double *covariance;		   /* n x n, room */
	double *apart;			   /* 2 n, room */
} score_test;

/* The p-values of a component's blocks, which are independent (Fisher 1932). */
typedef struct score_result
{
	size_t n;
	double statistic; /* F of one */
	double p_value, logarithms;
} score_result;

/* Products about the mean of the scores. */
extern double tlv_score_centred(const score_sums *sums, size_t i, size_t j);

/* Positions of linearly independent scores, *rank of p, by their covariance (p x p, lower triangle,
 * variances 1, or 0 of a constant): the generalised inverse on them alone has the same quadratic
 * form as the pseudo-inverse, with *rank degrees of freedom. */
extern tlv_status tlv_score_rank(tlv_context *ctx, size_t p, const double *covariance, size_t *kept,
								 size_t *rank);

/* Adds one p-value. */
extern void tlv_score_result_add(score_result *result, double statistic, double p_value);

/* Whether the periods differ by more than their rows explain, by the p parameters of test->place:
 * test->spread. */
extern tlv_status tlv_periods_compare(tlv_context *ctx, score_test *test, size_t p);

/* The test of the p parameters of test->place between periods that differ. */
extern tlv_status tlv_periods_test(tlv_context *ctx, const score_test *test, size_t p,
								   score_result *result);

#endif /* TENSORLV_SCORE_DRIFT_H */
