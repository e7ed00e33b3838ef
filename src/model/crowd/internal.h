/*
 * internal.h - answers laid out for the ascent, and its parts.
 */
#ifndef TENSORLV_CROWD_INTERNAL_H
#define TENSORLV_CROWD_INTERNAL_H

#include "tensorlv/model/crowd.h"
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
	double *given; /* by every worker */
	bool *said;	   /* answers: some worker gives it; another one is open to items of gold alone */
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
	double log_likelihood;
} crowd_state;

/*
 * A worker of fewer answers is shrunk to the pool as much more as there are fewer: confusions of
 * one answer's own confirm whatever is said, and one class swallows the others.
 */
#define CROWD_ENOUGH 10.0

static inline double
crowd_shrink(double shrink, double given)
{
	return shrink * (given < CROWD_ENOUGH ? CROWD_ENOUGH / (given < 1 ? 1 : given) : 1);
}

/*
 * Strength of the prior of confusions, the pool, in the leave-one-out step, as a multiple of
 * shrink; and the probability by which the answer of EM exceeds one that was at least as probable.
 * EM judges an item's answers by counts that include them, which makes its posteriors too certain.
 */
#define CROWD_SAID_SHRINK 8.0
#define CROWD_TIE		  1e-9

/* Expected items of an answer that no worker gives, among those whose answer is not known. */
#define CROWD_UNSAID 1e-9

/* What is added to every count of a confusion. */
#define CROWD_FLOOR 0.01

extern tlv_status tlv_crowd_state_create(tlv_context *ctx, const crowd_answers *data, double shrink,
										 crowd_state *state);

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

/* Expected counts and the likelihood from parameters. */
extern tlv_status tlv_crowd_expect(tlv_context *ctx, crowd_state *state, const crowd_told *told);

/*
 * Leave-one-out posterior of every item, in place of that of the last pass (k x items): by
 * confusions without its own answers, with a stronger prior.  The most probable answer
 * stays.  Needs the counts of the last pass and their pool.
 */
extern tlv_status tlv_crowd_leave_one_out(tlv_context *ctx, const crowd_state *state,
										  double *posterior);

/* Classes that a tensor is made for: one of k^3 numbers, to which every item adds. */
#define CROWD_MOST_CLASSES 60

/*
 * Parameters from third moments of one division of the workers into three groups.  Errors:
 * TLV_NOT_IDENTIFIABLE where fewer classes are visible than there are answers or too few items have
 * answers of all groups, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_crowd_moments(tlv_context *ctx, crowd_state *state, tlv_rng *rng);

/* A model of the state's parameters: a new image. */
extern tlv_status tlv_crowd_write(tlv_context *ctx, const crowd_state *state,
								  const crowd_told *told, const tlv_crowd_options *options,
								  double steps, tlv_diagnostics *diagnostics, void **image,
								  size_t *size);

extern tlv_status tlv_crowd_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture);

/* Members of the class (errors.c).  Estimates are the weights of the classes and, worker after
 * worker, the confusions: of a class all answers. */
extern tlv_status tlv_crowd_estimates(tlv_context *ctx, const tlv_frame *model,
									  tlv_estimates *list);
extern tlv_status tlv_crowd_standard_errors(tlv_context *ctx, const tlv_frame *model,
											const tlv_frame *errors, tlv_estimates *list);

#endif /* TENSORLV_CROWD_INTERNAL_H */
