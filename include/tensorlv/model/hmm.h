/*
 * hmm.h - hidden Markov models of symbols, or of vectors with Gaussian emissions, by the method of
 * moments from windows of three steps (Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014, section 3.3.3),
 * refined on the counts of windows and by Baum-Welch; where moments do not identify the states,
 * from other starts.
 *
 * The room contains fits to stored windows, Baum-Welch, the choice of the number of states,
 * decoding, forecasts and simulation.  Moments of windows and samples of sequences are in
 * sequences.h, Gaussian densities in mixture.h, and the solver of three views in view_solver.h.
 */
#ifndef TENSORLV_HMM_H
#define TENSORLV_HMM_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/sequences.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/rng.h"

typedef struct tlv_hmm_options
{
	size_t k;
	int iterations; /* of EM on the counts of windows (symbols only), -1: until the likelihood
					   converges */
	bool start;		/* the model is where steps over the sequences begin: whether EM on the counts
					 * of windows ended before it stood is not worth a warning */
	uint64_t seed;
	tlv_covariance covariance; /* of vectors */
	tlv_decompose_options decompose;
	const tlv_names *names; /* of the columns of vectors, for messages; NULL: they have none */
} tlv_hmm_options;

/*
 * Fits k states to sequence_moments.  Emissions are the conditional means of the middle view
 * (multiview.h); transitions are the non-negative least squares solution of E[x_2 x_1'] = O H O',
 * normalised; for symbols EM on the counts of windows follows.  The model's frame: "initial",
 * "stationary" (k), "transitions" (k x k, column = from), and of symbols "items" (m), where they
 * have names "name_offsets" and "names" (names.h), "emissions"
 * (k x m, rows sum to 1), of vectors "covariance" (a tlv_covariance), "means" (d x k), "variances"
 * (as many numbers of a state as tlv_mixture_variances says, x k; full: the rows of the Cholesky
 * factor L, S = L L', one after the other), "steps", "seed", diagnostics.  States are in order of
 * decreasing stationary probability. Errors: TLV_BAD_PARAMETER, TLV_BAD_DATA with too few windows,
 * TLV_NOT_IDENTIFIABLE with the singular values of E[x_1 x_3'], memory, TLV_CANCELLED.
 */
extern tlv_status tlv_hmm_fit(tlv_context *ctx, const tlv_frame *moments,
							  const tlv_hmm_options *options, void **image, size_t *size);

/*
 * The same, and an answer where the moments identify fewer states: of symbols EM on the counts of
 * windows from random starts (the warning "not_identified"), of vectors as many states as there are
 * ("fewer_components").  k = 0: chosen, at most max_k: of symbols the rank of the table of
 * neighbours, of vectors one more than that of their correlations ("pair_rank",
 * "independence_p_value"); 1, and the warning "no_structure", where neighbours do not depend on
 * each other.  Errors: TLV_BAD_DATA without a window of three steps, TLV_NOT_IDENTIFIABLE for
 * vectors too wide for third moments, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_hmm_fit_stored(tlv_context *ctx, const tlv_frame *moments,
									 const tlv_hmm_options *options, size_t max_k, void **image,
									 size_t *size);

/* What is held in refinement, a set; such states are numbered as they were given. */
#define TLV_HMM_LEFT_RIGHT		  1u /* a sequence begins in the first state and never goes back */
#define TLV_HMM_FIXED_TRANSITIONS 2u
#define TLV_HMM_FIXED_EMISSIONS	  4u /* of vectors the means */

/* A hidden Markov model in plain arrays. */
typedef struct tlv_hmm_parts
{
	size_t k;
	size_t d;				   /* symbols, or dimensions */
	bool gaussian;			   /* vectors */
	double seed;			   /* of what was drawn for it */
	double steps;			   /* of Baum-Welch that have been taken */
	const double *initial;	   /* k */
	const double *transitions; /* k x k: [to + k from] */
	const int64_t *items;	   /* d, ascending; NULL for vectors */
	tlv_name_list names;	   /* of the items; empty: they are numbers */
	const double *emissions;   /* symbols: k x d; vectors: d x k, the means */
	tlv_covariance covariance; /* vectors */
	const double *variances; /* vectors: tlv_mixture_variances x k; common: k times the same; full:
							  * the factors */
	unsigned constraints;	 /* a set of the above */
	bool in_order;			 /* states keep their numbers when it is written */
	int64_t *order;			 /* k: gets their order there; NULL: not wanted */
	tlv_diagnostics *diagnostics;
} tlv_hmm_parts;

/*
 * Writes a model: probabilities are raised to at least TLV_LEAST_PROBABILITY and normalised, the
 * stationary distribution is computed, states are put in its order.
 */
extern tlv_status tlv_hmm_write(tlv_context *ctx, const tlv_hmm_parts *parts, void **image,
								size_t *size);

/* The parts of a stored model; they point into it. */
extern void tlv_hmm_read(const tlv_frame *frame, tlv_hmm_parts *parts);

/*
 * Stationary distribution of an irreducible chain (Grassmann, Taksar, Heyman 1985: no
 * subtractions); transitions is k x k, column = from; work has k x k doubles.  Error:
 * TLV_CANCELLED.
 */
extern tlv_status tlv_stationary(tlv_context *ctx, size_t k, const double *transitions,
								 double *work, double *stationary);

/*
 * Optimal assignment of the states of b to those of a, by the L1 distance of their emissions
 * (0 .. 2, over the symbols of either) or the Euclidean distance of their means: assignment[j] is
 * the state of b for j of a (-1 when b has fewer), error[j] the distance, NaN without a partner.
 * Error: TLV_BAD_PARAMETER when one is of symbols and one of vectors, or dimensions differ; memory.
 */
extern tlv_status tlv_hmm_match(tlv_context *ctx, const tlv_hmm_parts *a, const tlv_hmm_parts *b,
								int64_t *assignment, double *error);

/* Covariance of two coordinates within a state of a model of vectors, and variance of one. */
extern double tlv_hmm_covariance(const tlv_hmm_parts *model, size_t state, size_t a, size_t b);
extern double tlv_hmm_variance(const tlv_hmm_parts *model, size_t state, size_t i);

/* Probabilities of the states (k) a step later. */
extern void tlv_hmm_forecast_states(const tlv_hmm_parts *model, const double *before,
									double *states);

/* What is seen at a step whose states have those probabilities: of symbols their probabilities (d),
 * of vectors the means and variances (d) of their coordinates. */
extern void tlv_hmm_forecast_steps(const tlv_hmm_parts *model, const double *states, double *means,
								   double *variances);

/* Most Baum-Welch steps of the driver. */
#define TLV_HMM_MAX_STEPS 1000

/* ---- from sequences to a model ---- */

typedef enum tlv_hmm_refinement
{
	TLV_HMM_REFINE_AUTO,	/* as the next */
	TLV_HMM_REFINE_EM,		/* the best of several starts, then steps over the sequences */
	TLV_HMM_REFINE_WINDOWS, /* of symbols, the former alone */
	TLV_HMM_REFINE_NONE		/* the moments' answer as it is */
} tlv_hmm_refinement;

/* 'auto', 'em', 'windows', 'none', in the order of the enumeration; NULL ends them. */
extern const char *const tlv_hmm_refinement_names[];

typedef struct tlv_hmm_learn_options
{
	tlv_hmm_options fit; /* its iterations follow from refine; k 0: chosen */
	size_t max_k;		 /* then */
	bool left_right;	 /* sequences begin in the first state and never go back */
	/* Held in refinement, or NULL: probabilities k x k, row = from; of symbols, ascending,
	 * probabilities k x given_width, of vectors the means. */
	const double *transitions;
	const double *emissions;
	size_t given_states, given_width; /* rows of what is given, columns of emissions */
	tlv_hmm_refinement refine;
	int iterations; /* of plain Baum-Welch from the moments; -1: accelerated, until the likelihood
					 * stands, TLV_HMM_MAX_STEPS at most */
} tlv_hmm_learn_options;

/*
 * The procedure for these options.  Scans: sequence_moments and sequence_sample; where the sample
 * is not all of the sequences, sequence_statistics for every iteration of Baum-Welch.  The moments'
 * model and other initial estimates are compared by likelihood (unless `iterations` are given);
 * moments that identify no model are a warning.  k is chosen by sequences that are held out.  Steps
 * that do not depend on each other bring a warning where k is given.  Errors:
 * TLV_BAD_DATA when there are fewer steps than states; memory, TLV_CANCELLED.
 */
extern const tlv_procedure *tlv_hmm_procedure(const tlv_hmm_learn_options *options);

typedef struct tlv_hmm_simulation
{
	size_t k;
	size_t symbols;		  /* 0: vectors */
	size_t dimensions;	  /* of vectors */
	double stay;		  /* probability of staying, before what a random row adds, 0 .. 1 */
	double concentration; /* of the Dirichlet that emissions are drawn from */
	double separation;	  /* typical distance of two means, in standard deviations */
	uint64_t seed;
} tlv_hmm_simulation;

/* A random model; symbols are 1, 2, ...  Errors: TLV_BAD_PARAMETER, TLV_LIMIT, memory. */
extern tlv_status tlv_hmm_simulate_model(tlv_context *ctx, const tlv_hmm_simulation *options,
										 void **image, size_t *size);

/*
 * Draws n steps: states (n), and symbols (n) or vectors x (n x d, step by step).  What is not
 * wanted or not of the model's kind may be NULL.
 */
extern void tlv_hmm_simulate(const tlv_hmm_parts *model, tlv_rng *rng, size_t n, int32_t *states,
							 int64_t *symbols, double *x);

#endif /* TENSORLV_HMM_H */
