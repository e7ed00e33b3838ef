/*
 * errors.h - the estimates of a model as rows, with their standard errors and intervals.
 *
 * Likelihood models give the score of a row, the derivative of its log-likelihood by every
 * parameter.  The sum of the scores' outer products K over the rows is the observed information,
 * and K^-1 the covariance of the estimates where the rows are the model's (Berndt, Hall, Hall,
 * Hausman 1974).  K of a row is a population quantity: collected on a sample it is scaled to the
 * rows that the model was fitted to.  Other models have accumulators and formulas of their own.
 *
 * Scores and formulas of a family are members of its class (model.h).  Whether a component is real
 * is in support.h.
 */
#ifndef TENSORLV_ERRORS_H
#define TENSORLV_ERRORS_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/model.h"
#include "tensorlv/num/names.h"

/* What an estimate is; the order is that of tlv_estimate_part_names. */
typedef enum tlv_estimate_part
{
	TLV_ESTIMATE_WEIGHT,	   /* share of a component: sums to 1 over them */
	TLV_ESTIMATE_ALPHA,		   /* Dirichlet parameter of a component */
	TLV_ESTIMATE_PROBABILITY,  /* of an item, a symbol or a category in a component */
	TLV_ESTIMATE_MEAN,		   /* of a dimension in a component */
	TLV_ESTIMATE_VARIANCE,	   /* likewise */
	TLV_ESTIMATE_COVARIANCE,   /* of two dimensions in a component */
	TLV_ESTIMATE_TRANSITION,   /* probability of a step from the component to the item */
	TLV_ESTIMATE_INITIAL,	   /* probability that a sequence begins in the component */
	TLV_ESTIMATE_CONNECTIVITY, /* probability or rate of an edge from the component to the item */
	TLV_ESTIMATE_MIXING,	   /* of a source in a dimension */
	TLV_ESTIMATE_LENGTH,	   /* of an edge of a tree */
	TLV_ESTIMATE_HIDDEN		   /* a parameter that is estimated, too, and is not shown */
} tlv_estimate_part;

typedef struct tlv_estimate
{
	tlv_estimate_part part;
	size_t component; /* from 1; 0: of no component */
	bool has_item;
	int64_t item; /* dimension, category, component: from 1; symbols and words by their ids */
	/* What the item is called; bytes NULL: the digits of the number beside.  An item of two, as a
	 * category of a variable, has two, and what stands between them; NULL: it has one, and the
	 * number beside is the item itself.  They stay as long as the model. */
	tlv_text name[2];
	int64_t number[2];
	const char *between;
	double estimate;
	/* Of score models: probabilities that sum to 1 share a number, from 1; 0: it is none. */
	size_t group;
	/* Of score models: parameters of other blocks are told apart from this one, or nearly: their
	 * products are not collected.  Blocks are numbered from 0, in order. */
	size_t block;
	/* Of a probability: of a word in a topic, whose occurrences are no independent draws; its
	 * interval is z standard errors down, and up Wilson's or, near 0, that of a count. */
	bool plain;
	bool rate;	/* of connectivity: not a probability, but so many expected edges a pair */
	bool fixed; /* at a bound, or of a component that is not there: it has no standard error */
	/* The mode under a prior, where the scores of the rows do not sum to 0. */
	bool penalised;
	/* Of the standard error itself, where it comes from few fits, or from the rows of one component
	 * of a mixture: intervals are then Student's.  0: normal ones. */
	double degrees;
	double standard_error; /* NaN: not known */
	/* Of a probability, how many observations it comes from, such as tell about it as much as rows
	 * whose components are known; 0: not known. */
	double count;
} tlv_estimate;

/* Draws of all estimates from their errors that a model keeps, and the most estimates of which it
 * keeps any. */
#define TLV_DRAWS	   8
#define TLV_DRAWS_MOST ((size_t) 1 << 16)

/* What random draws of n estimates follow from.  Not the content of the model: its last digits
 * depend on the order of the rows, which is another one on every server. */
extern uint64_t tlv_draws_seed(const tlv_frame *model, size_t n);

/* A list that grows in the arena; {0} is empty. */
typedef struct tlv_estimates
{
	size_t n, room;
	tlv_estimate *list;
	/* TLV_DRAWS behind each other for each estimate, or NULL: how far it is from its true value in
	 * models that the rows might as well have given, all estimates of one draw together; of a
	 * probability of a group the logarithm of the ratio. */
	double *draws;
} tlv_estimates;

/* One more, whose standard error is not known yet.  Errors: memory. */
extern tlv_status tlv_estimates_add(tlv_context *ctx, tlv_estimates *list,
									const tlv_estimate *estimate);
extern void tlv_estimates_free(tlv_context *ctx, tlv_estimates *list);

/* "weight", "alpha", ... */
extern const char *tlv_estimate_part_name(tlv_estimate_part part);

/*
 * All estimates of a model with their standard errors: from error statistics of it, or (errors
 * NULL) from what a driver has kept in the model; NaN where neither tells.  Errors:
 * TLV_BAD_PARAMETER for a kind without estimates and for statistics of another model or kind,
 * TLV_BAD_DATA for statistics of nothing, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_model_estimates(tlv_context *ctx, const tlv_frame *model,
									  const tlv_frame *errors, tlv_estimates *list);

/*
 * The interval of an estimate at that confidence (above 0, below 1), as the quantile z of the
 * normal distribution, (1 + confidence) / 2: of probabilities Wilson's (1927) with as many
 * observations as the standard error is that of, or as the count says where there is none, and
 * Clopper and Pearson's (1934) of fewer than ten of them or of all others, from 0 where the
 * estimate is less than z standard errors, and likewise to 1; of plain ones z standard errors
 * down, and up Wilson's or, near 0, that of a count, within 0 and 1; of variances, alpha and
 * lengths symmetric in their logarithm; of connectivity, where it is a probability, as of these,
 * and of rates from the score of a Poisson number; of all else the estimate and z standard errors.
 * NaN, both, where nothing is known.
 */
extern void tlv_estimate_interval(const tlv_estimate *estimate, double z, double *low,
								  double *high);

/* ---- kept in a model ---- */

/* The section of a model's frame: n x 2, of its estimates in their order the standard error, -1
 * where there is none, and the count, or less than 0 the degrees of freedom of the error; or n x (2
 * + TLV_DRAWS), with the draws behind. */
extern const char tlv_errors_section[];

/* Part of a model's check: TLV_CORRUPT unless it has as many as estimates, or none. */
extern tlv_status tlv_errors_check(tlv_context *ctx, const tlv_frame *model);

/* Can models of that kind have standard errors from rows, by what the driver collects of them? */
extern bool tlv_errors_are_collected(const tlv_frame *model);

/* The model with its standard errors from error statistics; errors NULL: of a kind that needs none.
 * Errors: those of tlv_model_estimates. */
extern tlv_status tlv_errors_put(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
								 void **image, size_t *size);

/* The model with the standard errors and counts of a list of all its estimates.  Errors: memory,
 * TLV_LIMIT. */
extern tlv_status tlv_errors_write(tlv_context *ctx, const tlv_frame *model,
								   const tlv_estimates *list, void **image, size_t *size);

/*
 * Stored models that are opened one after the other.  headers: as they are stored; type and kind of
 * a packed model hold, too.  open gives the i-th frame, which may go when another one is opened.
 */
typedef struct tlv_stored_models
{
	size_t n;
	const tlv_frame_header *const *headers;
	tlv_frame (*open)(void *argument, size_t i);
	void *argument;
} tlv_stored_models;

/*
 * The model with the standard errors of a delete-a-group jackknife: without are n models, each
 * fitted to all rows but one of n groups of about the same size, components in any order.  With
 * e_g what the g-th says, sqrt((n - 1) / n sum_g (e_g - mean)^2) (Quenouille 1956, Tukey 1958), of
 * n - 1 degrees of freedom.  A probability of fewer than ten observations, as the errors of its
 * distribution tell these, or less than two errors from 0 or 1, has an exact interval to there
 * instead.  NULL where a component has no partner.  Errors: TLV_BAD_PARAMETER for fewer than two
 * models, of another kind or number of components, or of a kind without estimates; memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_errors_jackknife(tlv_context *ctx, const tlv_frame *model,
									   const tlv_stored_models *without, void **image,
									   size_t *size);

/* ---- models that the rows might as well have given ---- */

/* A model's draws, opened: two of each that it keeps, to either side. */
typedef struct tlv_drawn
{
	tlv_model *models[2 * TLV_DRAWS];
	tlv_posterior one;
} tlv_drawn;

/*
 * Opens them: models whose estimates are drawn from their errors, all together where the model has
 * kept draws, otherwise each by itself; probabilities of categories that were hardly seen from a
 * Dirichlet distribution of their counts and a half (Jeffreys).  They follow from the model alone.
 * what: who asks.  Errors: TLV_BAD_PARAMETER for a model that keeps no errors, and for a kind of
 * which none are drawn; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_drawn_open(tlv_context *ctx, const tlv_frame *model, const char *what,
								 tlv_drawn **drawn);

/* The mean of the posteriors of a row in them.  Errors: those of tlv_model_infer. */
extern tlv_status tlv_drawn_infer(tlv_context *ctx, tlv_drawn *drawn, const tlv_row *row,
								  tlv_posterior *posterior);

/* For classes: a copy of the model's image, to be written to. */
extern tlv_status tlv_frame_copy(tlv_context *ctx, const tlv_frame *model, void **image,
								 size_t *size);

/* For classes: n probabilities, stride between them, from such as need not sum to 1, and are at
 * least TLV_LEAST_PROBABILITY then; those that are 0 stay so. */
extern void tlv_draw_shares(size_t n, const double *values, double *shares, size_t stride);

/* ---- scores ---- */

/* Most parameters of a block: a matrix of that many rows is inverted. */
#define TLV_SCORES_MOST_BLOCK 1024
/* Most of a model, and most products of all its blocks. */
#define TLV_SCORES_MOST			 ((size_t) 1 << 20)
#define TLV_SCORES_MOST_PRODUCTS ((size_t) 1 << 24)

/*
 * Where the next score goes: scores (as many as estimates, zero), the derivatives of a row's
 * log-likelihood, of a probability by its logarithm, as if all were free but for their sum: count -
 * total * probability.  To counts (likewise) is added what the row has of the observations that a
 * probability is estimated from; units: how much of what tlv_model_units counts the score is of.
 * Errors: memory, TLV_LIMIT.
 */
extern tlv_status tlv_scores_next(tlv_context *ctx, tlv_score_sink *sink, double units,
								  double **scores, double **counts);
/* Instead: the row has no score, since something in it is not known, and counts as a null one. */
extern void tlv_scores_leave_out(tlv_score_sink *sink);

/* The accumulator of error statistics of a class with a score (kind score_products).  Errors:
 * TLV_LIMIT for too many parameters, memory. */
extern tlv_status tlv_scores_create(tlv_context *ctx, tlv_model *model,
									tlv_accumulator **accumulator);

/* That a value is such statistics, of some rows, for a list of all estimates of a model, blocks and
 * all; what: who asks.  Errors: TLV_BAD_PARAMETER, TLV_BAD_DATA of no rows. */
extern tlv_status tlv_scores_require(tlv_context *ctx, const tlv_frame *errors,
									 const tlv_estimates *list, const char *what);

/* Standard errors and counts of a list of all estimates from such statistics. */
extern tlv_status tlv_scores_errors(tlv_context *ctx, const tlv_frame *model,
									const tlv_frame *errors, tlv_estimates *list);

/* The aggregate: error statistics of any model that has them; the constant is the model. */
extern const tlv_aggregate tlv_aggregate_error_statistics;

#endif /* TENSORLV_ERRORS_H */
