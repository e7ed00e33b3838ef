/*
 * internal.h - answers laid out for the ascent, and its parts.
 */
#ifndef TENSORLV_CROWD_INTERNAL_H
#define TENSORLV_CROWD_INTERNAL_H

#include "tensorlv/model/crowd.h"
#include "tuning.h"
#include "tensorlv/num/rng.h"

/* Answers between two looks at whether to stop. */
#define CROWD_STRIDE ((size_t) 32768)

/*
 * Collected answers, those of item i from start[i] on.  column is worker times answers_n plus
 * answer; from `columns` on it is a known answer, columns plus answer, and these come first.
 */
typedef struct crowd_answers
{
	size_t items, workers, answers, names, n;
	size_t columns;
	size_t *start; /* items + 1 */
	uint32_t *column;
	double *given;	/* by every worker */
	double *weight; /* n: as how many answers each counts (confirm.c); NULL: all as one */
	bool *said;		/* answers: some worker gives it; another one is open to items of gold alone */
	const tlv_frame *frame;
} crowd_answers;

/* Lays a value out; its frame must stay.  Errors: TLV_LIMIT, memory, TLV_CANCELLED. */
extern tlv_status tlv_crowd_load(tlv_context *ctx, const tlv_frame *frame, crowd_answers *answers);

/* The first answer of an item that was given, behind those that are known. */
static inline size_t
crowd_first_given(const crowd_answers *a, size_t item)
{
	size_t i = a->start[item];

	while (i < a->start[item + 1] && a->column[i] >= a->columns)
		i++;
	return i;
}

/* As how many answers one counts. */
static inline double
crowd_weight(const crowd_answers *a, size_t i)
{
	return a->weight != NULL ? a->weight[i] : 1;
}

/* A loop has gone `steps` further: a look at whether to stop after every CROWD_STRIDE of them. */
static inline tlv_status
crowd_look(tlv_context *ctx, size_t steps, size_t *looked)
{
	*looked += steps;
	if (*looked < CROWD_STRIDE)
		return TLV_OK;
	*looked = 0;
	TLV_TRY_CONTINUE(ctx);
	return TLV_OK;
}

/* ---- workers who copy (copies.c, confirm.c) ---- */

#define CROWD_MOST_GROUPS 20

/* Groups of copying workers, numbered from 1 as they were found. */
typedef struct crowd_copies
{
	size_t groups;
	uint32_t *group; /* workers: the number of the group, 0 of others */
	/* Of every group: the share of the answers in which independent workers would differ and its
	 * own do not. */
	double rate[CROWD_MOST_GROUPS + 1];
} crowd_copies;

/*
 * Finds groups of workers who agree more often than what independent workers know explains
 * (Dong, Berti-Equille and Srivastava 2009, by a robust baseline of our own).  Of fewer than four
 * workers, of one answer, of workers who share no item there are none.  Errors: memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_crowd_find_copies(tlv_context *ctx, const crowd_answers *a,
										crowd_copies *copies);

/* Answers of a group that say the same of an item count as one of them all.  Errors: memory,
 * TLV_CANCELLED. */
extern tlv_status tlv_crowd_weigh(tlv_context *ctx, const crowd_copies *copies, crowd_answers *a);

/* ---- agreements (agreement.c) ---- */

/* Two workers who share items. */
typedef struct crowd_pair
{
	uint32_t a, b;
	uint32_t shared, agreed; /* items that both have answered, and alike */
	double chance;			 /* the share of agreements that their habits bring */
	double excess;			 /* that of the others that agree: of independent workers the product
							  * of what both know */
	double weight;			 /* the inverse of its variance */
	double score;			 /* log-likelihood of copying against independence (copies.c) */
} crowd_pair;

/* By ascending excess; a worker's pairs are of[first[j]] .. of[first[j + 1] - 1], likewise. */
typedef struct crowd_pairs
{
	size_t workers, n;
	double spread; /* probability that two answers, drawn at random, differ */
	crowd_pair *pair;
	size_t *first; /* workers + 1 */
	uint32_t *of;  /* 2 n */
} crowd_pairs;

/* Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_crowd_pairs(tlv_context *ctx, const crowd_answers *a, crowd_pairs *pairs);

/*
 * By how many standard errors, those of the sum over items, pairs of workers agree more often than
 * workers would who answer independently, each as often with every answer.  A group of copying
 * workers is one.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_crowd_agreement(tlv_context *ctx, const crowd_answers *a,
									  const crowd_copies *copies, double *z);

/* ---- the ascent (expect.c) ---- */

/*
 * Parameters on the way: log probabilities and expected counts of every worker's answers, class by
 * class in each column, and of the classes.  Classes are numbered as answers are.
 */
typedef struct crowd_state
{
	const crowd_answers *data;
	size_t k;
	double shrink;
	double *log_weights;	/* k */
	double *log_confusions; /* k x columns */
	double *weights;		/* k: expected items, in the last pass */
	double *counts;			/* k x columns, in the last pass */
	double *pool;			/* k x answers */
	double *shares;			/* answers: of all that are given */
	double *knows;			/* workers: the share of the items that one knows, */
	double *habits;			/* columns: and what is said of the others, shares of a worker */
	double log_likelihood;
} crowd_state;

static inline double
crowd_shrink(double shrink, double given)
{
	return shrink * (given < CROWD_ENOUGH ? CROWD_ENOUGH / (given < 1 ? 1 : given) : 1);
}

/* As how many answers a row of a worker's confusions gets the worker's own model and the pool: 3
 * and 0 times shrink; of n answers, fewer than ten, 3n/10 and 10/n - n/10 times. */
typedef struct crowd_prior
{
	double own, shared;
} crowd_prior;

static inline crowd_prior
crowd_prior_of(double shrink, double given)
{
	double enough = given < CROWD_ENOUGH ? given / CROWD_ENOUGH : 1;

	return (crowd_prior){.own = enough * CROWD_OWN_SHRINK * shrink,
						 .shared = crowd_shrink(shrink, given) - enough * shrink};
}

extern tlv_status tlv_crowd_state_create(tlv_context *ctx, const crowd_answers *data, double shrink,
										 crowd_state *state);

/* Nothing is known of the workers' habits: where an ascent begins. */
extern void tlv_crowd_forget(crowd_state *state);

/* Expected counts by the answers' shares of every item: what the majority says. */
extern tlv_status tlv_crowd_majority(tlv_context *ctx, crowd_state *state);

/* Parameters from expected counts; the pool alone. */
extern tlv_status tlv_crowd_maximize(tlv_context *ctx, crowd_state *state);
extern void tlv_crowd_pool(crowd_state *state);

/* What a pass tells of every item: posterior (k), item by item; NULL: nobody asks. */
typedef struct crowd_told
{
	double *posterior;
	double *right; /* workers: expected right answers, */
	double *doubt; /* and the sum of p (1 - p) of them */
} crowd_told;

/* k logs become shares; returns the log of their sum. */
extern double tlv_crowd_share(size_t k, double *q);

/* Expected counts and the likelihood from parameters. */
extern tlv_status tlv_crowd_expect(tlv_context *ctx, crowd_state *state, const crowd_told *told);

/*
 * Leave-one-out posterior of every item, in place of that of the last pass (k x items): by
 * confusions without its own answers, with a stronger prior.  The most probable answer
 * stays.  Needs the counts of the last pass and their pool.
 */
extern tlv_status tlv_crowd_leave_one_out(tlv_context *ctx, const crowd_state *state,
										  double *posterior);

/*
 * Keeps the groups whose workers agree more often than their confusions explain, given what is true
 * of every item (posterior: k x items): at a rate above a quarter and a score above four
 * (confirm.c).  Sets their rates.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_crowd_confirm_copies(tlv_context *ctx, const crowd_state *state,
										   const double *posterior, crowd_copies *copies);

/* Classes that a tensor is made for: one of k^3 numbers, to which every item adds. */
#define CROWD_MOST_CLASSES 60

/*
 * Parameters from third moments of one division of the workers into three groups.  Errors:
 * TLV_NOT_IDENTIFIABLE where fewer classes are visible than there are answers or too few items have
 * answers of all groups, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_crowd_moments(tlv_context *ctx, crowd_state *state,
									const crowd_copies *copies, tlv_rng *rng);

/* A model of the state's parameters: a new image. */
extern tlv_status tlv_crowd_write(tlv_context *ctx, const crowd_state *state,
								  const crowd_told *told, const crowd_copies *copies,
								  const tlv_crowd_options *options, double steps,
								  tlv_diagnostics *diagnostics, void **image, size_t *size);

/* Members of the class (infer.c): rows are the answers to an item.  Errors: TLV_BAD_DATA where
 * workers and answers differ in number, memory, TLV_CANCELLED. */
extern tlv_status tlv_crowd_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);
extern tlv_ids tlv_crowd_ids(const tlv_model *model, int part, int64_t id, bool *known);
extern tlv_status tlv_crowd_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								  tlv_posterior *posterior);
extern tlv_status tlv_crowd_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row,
										   double *value);

extern tlv_status tlv_crowd_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture);

/* Members of the class (errors.c).  Estimates are the weights of the classes and, worker after
 * worker, the confusions: of a class all answers. */
extern tlv_status tlv_crowd_estimates(tlv_context *ctx, const tlv_frame *model,
									  tlv_estimates *list);
extern tlv_status tlv_crowd_standard_errors(tlv_context *ctx, const tlv_frame *model,
											const tlv_frame *errors, tlv_estimates *list);

#endif /* TENSORLV_CROWD_INTERNAL_H */
