/*
 * internal.h - what the files of latent classes and mixed membership share.
 */
#ifndef TENSORLV_MEMBERSHIP_INTERNAL_H
#define TENSORLV_MEMBERSHIP_INTERNAL_H

#include "tensorlv/model/choice.h"
#include "tensorlv/model/membership.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/rng.h"

/* Pseudo-counts of the priors that held-out cells choose among, beside MEMBERSHIP_PRIOR. */
#define MEMBERSHIP_PRIORS                                                                          \
	{                                                                                              \
		0, 8, 30                                                                                   \
	}

/* Refuses rows of `values` values that do not have `copies` of every variable (fit.c). */
extern tlv_status membership_check_copies(tlv_context *ctx, size_t values, size_t copies);

/* ---- numbers.c: numbers beside the categories, with a distribution in every component ---- */

/* Where a number lies in all rows, and its logarithm; log_deviation is 0 where there is none. */
typedef struct number_scale
{
	double centre, deviation;
	double log_centre, log_deviation;
} number_scale;

/*
 * Every number's distribution in the components: its form, and the mean and variance of the number
 * itself.  While forms are chosen, the sums are those of a normal number and of its logarithm;
 * where they are given, those of the form.
 */
typedef struct membership_numbers
{
	size_t q, k;
	bool choosing;
	number_scale *scale; /* q */
	double *mean;		 /* q x k */
	double *variance;	 /* q x k: of Poisson numbers the mean */
	int64_t *form;		 /* q: tlv_number_form */
	double *trial;		 /* 2 x k: mean and variance under a form that is tried */
} membership_numbers;

/* Rows of sums of a number: how often, of the first statistic of its form what is above 0 and what
 * is below, the second one; where forms are chosen also the logarithm beyond its centre, and the
 * square of that. */
#define MEMBERSHIP_NUMBER_SUMS	 4
#define MEMBERSHIP_CHOOSING_SUMS 6

static inline size_t
membership_number_sums(const membership_numbers *numbers)
{
	return numbers->choosing ? MEMBERSHIP_CHOOSING_SUMS : MEMBERSHIP_NUMBER_SUMS;
}

/* ---- number_forms.c ---- */

/*
 * Pseudo-counts that a step adds to the sums: count rows of the mean of all, and narrow, one row of
 * their variance; and the part of a variance before it that is kept.
 */
typedef struct number_step
{
	double count, narrow, kept;
	bool whole; /* the numbers are counts */
} number_step;

/*
 * A form is an exponential family of two statistics t: the logarithm of its density at x is base(x)
 * + c_0 + c_1 t_1 + c_2 t_2, where c follows from the mean and variance of x.  t_2 is never
 * negative.
 */
typedef struct number_form
{
	double penalty; /* of choosing it in place of the normal one, in logarithms of the rows */
	/* Returns base(x). */
	double (*statistics)(const number_scale *scale, double x, double *t);
	void (*coefficients)(const number_scale *scale, double mean, double variance, double *c);
	void (*expected)(const number_scale *scale, double mean, double variance, double *t);
	/* The greatest posterior of n values whose statistics sum to t; the mean and variance before
	 * are there. */
	void (*maximize)(const number_step *step, const number_scale *scale, double n, const double *t,
					 double *mean, double *variance);
	/* The derivatives of the logarithm of the density by mean and variance. */
	void (*score)(double x, double mean, double variance, double *score);
} number_form;

extern const number_form *membership_number_form(int64_t form);

/* ---- numbers.c ---- */

extern tlv_status membership_numbers_create(tlv_context *ctx, size_t q, size_t k,
											membership_numbers *numbers);
extern tlv_status membership_numbers_copy(tlv_context *ctx, const membership_numbers *from,
										  membership_numbers *to);

/* Those of a model; the centre and deviation of each are what it expects of all its rows. */
extern tlv_status membership_numbers_of(tlv_context *ctx, const tlv_membership_parts *parts,
										membership_numbers *numbers);

/* Adds share (k) times a number's value to its sums (membership_number_sums x k). */
extern void membership_number_add(const membership_numbers *numbers, size_t s, double x,
								  const double *share, double *sums);

/* Parameters from sums (q x membership_number_sums x k) after a step of that weight (step_prior.h),
 * and, where forms are chosen, the form under which they are likeliest.  whole (q; NULL where forms
 * are given): all are counts, of which factorials (q) has the logarithms of the factorials
 * together. */
extern void membership_numbers_maximize(double weight, const double *sums, const bool *whole,
										const double *factorials, membership_numbers *numbers);

/* ---- worker.c: one row under given parameters ---- */

/* Parameters and work space.  A row is a list of items: numbers of categories among all, from
 * `first` on of numbers beside them. */
typedef struct membership_worker
{
	bool mixed;
	size_t k;
	const double *weights;			   /* k: shares, or alpha */
	const double *table;			   /* k x categories */
	double *logs;					   /* the same in logarithms; of classes */
	double *log_weights;			   /* k */
	double *shares;					   /* k: of the last row */
	double *product;				   /* k */
	double *counts;					   /* k */
	double *row_weights;			   /* k */
	double *kept;					   /* membership_kept: of a row on its own */
	double *given;					   /* k x most: of mixed membership, shares of every item */
	uint8_t *draws;					   /* most: of a chain of its own */
	size_t most;					   /* items of a row */
	int most_steps;					   /* of a mean membership */
	bool entropies;					   /* of posteriors are wanted */
	bool silent;					   /* what rows of memberships add has no likelihood */
	size_t first;					   /* item of the first number */
	const membership_numbers *numbers; /* or NULL: there are none */
	double *coefficients;			   /* q x 3 x k: of logarithms of densities (number_form) */
	double *x;						   /* q: of the last row */
	double *densities;				   /* q x k: of the last row, over the largest of each */
	double *log_densities;			   /* q x k: as they are */
	double *largest;				   /* q: in logarithms */
} membership_worker;

extern tlv_status membership_worker_create(tlv_context *ctx, bool mixed, size_t k,
										   size_t categories, size_t most,
										   membership_worker *worker);

/* The numbers, which stay the caller's; before parameters are set. */
extern tlv_status membership_worker_number(tlv_context *ctx, membership_worker *worker,
										   size_t first, const membership_numbers *numbers);

/* Another one for rows at the same time: parameters are those that the first one has now. */
extern tlv_status membership_worker_second(tlv_context *ctx, const membership_worker *first,
										   membership_worker *worker);
extern void membership_worker_free_second(tlv_context *ctx, membership_worker *worker);

/* Number s of the next row; returns its item. */
extern int32_t membership_worker_take(membership_worker *worker, size_t s, double x);

/* What an item's categories, or densities, are in the components (k). */
static inline const double *
membership_item(const membership_worker *worker, int32_t item)
{
	size_t at = (size_t) item, k = worker->k;

	return at < worker->first ? worker->table + at * k
							  : worker->densities + (at - worker->first) * k;
}

extern void membership_worker_free(tlv_context *ctx, membership_worker *worker);

/* Parameters (k, k x categories), which stay the caller's; to be called when they have changed. */
extern tlv_status membership_worker_set(tlv_context *ctx, membership_worker *worker,
										size_t categories, const double *weights,
										const double *table);

/* worker->shares: posterior of the classes, or mean membership; returns the log-likelihood, of
 * mixed membership given the shares. */
extern double membership_infer(membership_worker *worker, size_t n, const int32_t *items);

/* Expected sums of rows. */
typedef struct membership_sums
{
	double rows;
	double log_likelihood;
	double entropy;	 /* of the posteriors of classes, where the worker is told to */
	double *weights; /* k */
	double *counts;	 /* k x categories; behind them sums of the numbers */
} membership_sums;

/* The chain of a row that goes on from step to step: a component for each of its items. */
typedef struct membership_chain
{
	uint8_t *draws;
	bool begun;
} membership_chain;

/* A row, and what it adds to the sums. */
typedef struct membership_row
{
	size_t n;
	const int32_t *items; /* n */
	const double *x;	  /* its numbers, or NULL */
	double weight;		  /* of classes; 1 of mixed membership, and where entropies are wanted */
	double log_likelihood;
	double *weights; /* k */
	double *kept;	 /* membership_kept: shares in every item, sweep by sweep */
} membership_row;

/* Numbers of a row's shares: none of classes, which add its weights to every item. */
extern size_t membership_kept(const membership_worker *worker);

/* Finds out what a row adds; of mixed membership by a chain with that seed (chain NULL: one that
 * begins here). */
extern void membership_run(membership_worker *worker, uint64_t seed, const membership_chain *chain,
						   membership_row *row);

/* Adds that to the counts of the items from `from` to `below` - 1, in the order of the sweeps, and
 * to all other sums.  Of the worker only what is constant is read. */
extern void membership_add_items(const membership_worker *worker, const membership_row *row,
								 size_t from, size_t below, membership_sums *sums);
extern void membership_add_row(const membership_worker *worker, const membership_row *row,
							   membership_sums *sums);

/* All of this for one row, whose chain begins here. */
extern void membership_expect(membership_worker *worker, size_t n, const int32_t *items,
							  double weight, uint64_t seed, membership_sums *sums);

/* Parameters of the greatest posterior: weights (of classes only) and table.  The priors count
 * `part` of what they do in a step of weight 1. */
extern void membership_maximize(bool mixed, double prior, double part, size_t p,
								const int64_t *states, size_t k, const membership_sums *sums,
								double *weights, double *table);

/* ---- rows.c: rows in memory ---- */

typedef struct membership_rows
{
	size_t n, p, copies, slots; /* slots = p x copies codes a row */
	size_t categories;
	int64_t *states;  /* p */
	size_t *offset;	  /* p + 1 */
	uint16_t *codes;  /* n x slots, 1 + category, 0: missing */
	uint16_t *held;	  /* the same of cells that are held out; NULL: none are */
	double *marginal; /* categories: shares of each variable */
	int32_t *items;	  /* slots: of the last row */
	/* Of the variables, the last ones: numbers, of which starts see the groups that they fall into
	 * as categories, refinement the values. */
	size_t scalars;
	double *numbers;	 /* n x scalars */
	number_scale *scale; /* scalars */
	bool *whole;		 /* scalars: all are counts */
	double *group;		 /* 2 x categories: mean and variance of each group of a number */
} membership_rows;

/* Of doubles, n x slots, -1 missing, the last ones of each row numbers; states: the least number of
 * every variable's, or NULL. */
extern tlv_status membership_rows_create(tlv_context *ctx, size_t n, size_t slots, size_t copies,
										 size_t scalars, const double *values,
										 const int64_t *states, membership_rows *rows);

/* Categories of what is no number; rows of sums. */
static inline size_t
membership_real_categories(const membership_rows *rows)
{
	return rows->offset[rows->p - rows->scalars];
}

static inline size_t
membership_sum_rows(const membership_rows *rows)
{
	size_t refined = membership_real_categories(rows) + MEMBERSHIP_CHOOSING_SUMS * rows->scalars;

	return refined > rows->categories ? refined : rows->categories;
}

/* Free parameters of k components, of a number two each. */
static inline double
membership_parameters(double k, double categories, double p, double scalars)
{
	return k - 1 + k * (categories - p + 2 * scalars);
}

/* Shares of the categories of every variable in the rows; of one that is never there all alike. */
extern void membership_find_marginal(membership_rows *rows);

/* Every tenth cell, by a hash, is held out, or comes back. */
extern tlv_status membership_hold_out(tlv_context *ctx, uint64_t seed, membership_rows *rows);
extern void membership_take_back(tlv_context *ctx, membership_rows *rows);

/* Items of row i in rows->items; how many. */
extern size_t membership_row_items(const membership_rows *rows, const uint16_t *codes, size_t i,
								   int32_t *items);

/* ---- moments.c ---- */

/* Moments of pairs of different variables. */
typedef struct membership_moments
{
	size_t p, copies, categories;
	const int64_t *states;
	const size_t *offset;
	double *mean;	 /* categories: shares of each variable */
	double *present; /* p: share of the rows */
	double *pairs;	 /* categories x categories, without own blocks but those seen in copies */
	bool own;		 /* they are */
} membership_moments;

extern tlv_status membership_moments_of_rows(tlv_context *ctx, const membership_rows *rows,
											 membership_moments *moments);
extern tlv_status membership_moments_of_tables(tlv_context *ctx, const tlv_category_tables *tables,
											   size_t copies, membership_moments *moments);

/* The k leading directions of the scaled pairs. */
typedef struct membership_basis
{
	size_t k;
	double alpha0;	/* 0: of classes */
	double *scale;	/* categories */
	double *vector; /* k x categories: eigenvectors, an entry of each together */
	double *value;	/* k + 1, descending: one more than are used */
	double *whiten; /* k x categories */
} membership_basis;

extern tlv_status membership_whiten(tlv_context *ctx, const membership_moments *moments, size_t k,
									double alpha0, uint64_t seed, membership_basis *basis);

/* How many components pairs show; and the leading directions beside independent variables. */
#define MEMBERSHIP_TOLD 32
typedef struct membership_shown
{
	size_t k;
	size_t n;
	double noise[MEMBERSHIP_TOLD]; /* their eigenvalues, in parts of the largest of these */
} membership_shown;

/* How many components the pairs of so many rows show: one more than eigenvalues, of the pairs less
 * the products of their means, above those of independent variables. */
extern tlv_status membership_rank(tlv_context *ctx, const membership_moments *moments, double rows,
								  uint64_t seed, membership_shown *shown);

/* ---- tensor.c ---- */

/* Where triples come from: rows or tables; the other is NULL. */
typedef struct membership_triples
{
	const membership_rows *rows;
	const tlv_category_tables *tables;
} membership_triples;

/* What was found. */
typedef struct membership_fit
{
	size_t k;
	double *weights;			/* k */
	double *table;				/* k x categories */
	double residual;			/* of the decomposition */
	double negative;			/* share of the mass of probabilities that was below 0 */
	membership_numbers numbers; /* q = 0: none, or not yet known */
} membership_fit;

/* Decomposes the whitened triples into weights and probabilities.  Errors: TLV_NOT_IDENTIFIABLE
 * where no row has values of three variables. */
extern tlv_status membership_decompose(tlv_context *ctx, const membership_moments *moments,
									   const membership_basis *basis,
									   const membership_triples *triples,
									   const tlv_decompose_options *options, membership_fit *fit);

/*
 * In alpha.c: the sum of the Dirichlet's parameters, where it is given that one; else of 0.01 k
 * to 7.3 k that at which the decomposition leaves the least residual, and where the pairs show k
 * components at none of these the usual one (membership_alpha0); 0 of classes.
 */
extern tlv_status membership_find_alpha0(tlv_context *ctx, const membership_moments *moments,
										 const membership_triples *triples,
										 const tlv_membership_options *options, size_t k,
										 double *alpha0);

/* Weights by which the components of fit->table add up to the means, of which the moments need be
 * no more: scaled to alpha0. */
extern tlv_status membership_find_weights(tlv_context *ctx, const membership_moments *moments,
										  double alpha0, membership_fit *fit);

/* ---- regress.c ---- */

/*
 * Weights and probabilities of rows of many variables: moments of some of them, the anchors, and
 * regression of the others on these; the basis' values are the anchors', its directions those in
 * which rows are their memberships by least squares.  Errors: TLV_NOT_IDENTIFIABLE.
 */
extern tlv_status membership_start_of_anchors(tlv_context *ctx, membership_rows *rows,
											  const tlv_membership_options *options, size_t k,
											  membership_basis *basis, membership_fit *fit);

/* ---- partition.c ---- */

/*
 * Weights and probabilities by three groups of the variables of the moments, whose tables of
 * triples are the tables', and nonnegative factors; the negative share is that of the tensor's
 * entries.  Errors: TLV_NOT_IDENTIFIABLE where three groups of variables do not show options->k
 * components each.
 */
extern tlv_status membership_partition_tables(tlv_context *ctx, const tlv_category_tables *tables,
											  const membership_moments *moments,
											  const tlv_membership_options *options,
											  membership_fit *fit);

/* ---- fit.c ---- */

/* Checks of the options alone. */
extern tlv_status membership_check_ranges(tlv_context *ctx, const tlv_membership_options *options);
/* The sum of the Dirichlet's parameters as it is given, or the usual one; of classes 0. */
extern double membership_alpha0(const tlv_membership_options *options, size_t k);
/* Errors: TLV_NOT_IDENTIFIABLE, with the singular values. */
extern tlv_status membership_require_rank(tlv_context *ctx, const membership_moments *moments,
										  const membership_basis *basis);

/* ---- diagnose.c ---- */

/* Warnings of components of less than one row, and of those that differ from a heavier one no more
 * than by chance; numbered by decreasing weight. */
extern tlv_status membership_diagnose_components(tlv_context *ctx,
												 const tlv_membership_parts *parts,
												 tlv_diagnostics *to);

/* What is known of the variables of rows in memory. */
typedef struct membership_variables
{
	const tlv_names *names; /* or NULL */
	const int64_t *states;	/* categories in all rows, where these have names; or NULL */
	bool whole;				/* the rows in memory are all */
} membership_variables;

/* Warnings of variables nearly all of whose values differ, as those of keys and free text do, and
 * of those that have fewer than two. */
extern tlv_status membership_diagnose_variables(tlv_context *ctx, const membership_rows *rows,
												const membership_variables *variables,
												tlv_diagnostics *to);

/* ---- expect.c: all rows in memory, on as many cores as a loop may use ---- */

/* Items of row i of the codes, numbers by their values, into items (slots); returns how many. */
extern size_t membership_row_members(const membership_rows *rows, const uint16_t *codes, size_t i,
									 membership_worker *worker, int32_t *items);

/* The sums of all rows under the worker's parameters, the same bits on any number of cores.
 * draws: the chains of mixed membership (n x slots), which go on from the second step (0 is the
 * first) on. */
extern tlv_status membership_expect_rows(tlv_context *ctx, const membership_rows *rows,
										 const membership_worker *worker, uint64_t seed, int step,
										 uint8_t *draws, membership_sums *sums);

/* Log-likelihoods of the cells that are held out, of the others given the row's own, and by
 * marginal frequencies. */
typedef struct membership_held
{
	double mean;	 /* over the cells */
	double marginal; /* the same by marginal frequencies */
	double error;	 /* standard error of their difference */
	/* by groups of rows (choice.h), and how many cells they have */
	double score[TLV_CHOICE_GROUPS], count[TLV_CHOICE_GROUPS];
} membership_held;

extern tlv_status membership_score_held(tlv_context *ctx, const membership_rows *rows,
										const membership_worker *worker, membership_held *held);

/* ---- training in memory ---- */

typedef struct membership_training
{
	tlv_membership_options options; /* alpha0 becomes that of the moments where it is left to us */
	size_t k;
	int steps;
	bool plain;			/* the start is wanted, not refined in trials either */
	bool quick;			/* only the best initialisation is found, with the usual prior */
	bool few;			/* trials have too few rows to be refined */
	membership_fit fit; /* the parameters */
	double prior;		/* that was chosen */
	bool entropies;		/* of the posteriors are wanted */
	double likelihood;	/* mean over the rows, under the last parameters but one */
	double entropy;		/* likewise, of the posteriors of classes */
	membership_held held;
	const char *start;		/* that was chosen */
	int clusters;			/* which of those of clusters */
	membership_basis basis; /* of the moments */
	double negative, residual;
	bool deficient; /* the moments do not show k components */
	int taken;		/* steps */
	bool stands;	/* the likelihood does */
} membership_training;

/* ---- repeats.c ---- */

/* Warnings of variables that repeat another one, and, of classes, of rows that are repeated. */
extern tlv_status membership_diagnose_repeats(tlv_context *ctx, const membership_rows *rows,
											  const membership_training *training,
											  const tlv_names *names, tlv_diagnostics *to);

/* ---- refine.c ---- */

extern tlv_status membership_sums_create(tlv_context *ctx, const membership_rows *rows, size_t k,
										 membership_sums *sums);
extern void membership_sums_clear(const membership_rows *rows, size_t k, membership_sums *sums);

/* Parameters of the numbers from the shares of their groups in the components, unless they are
 * known. */
extern tlv_status membership_start_numbers(tlv_context *ctx, const membership_rows *rows,
										   membership_fit *fit);

/* Takes steps until the likelihood of classes converges, at most the number given; training gets
 * the steps taken and what the likelihood is. */
extern tlv_status membership_refine(tlv_context *ctx, membership_rows *rows,
									const tlv_membership_options *options, int steps,
									membership_fit *fit, membership_training *training);

/* ---- train.c: starts ---- */

/* k given: the better start, refined; memory of fit is the context's. */
extern tlv_status membership_train(tlv_context *ctx, membership_rows *rows,
								   membership_training *training);

/* ---- choose.c ---- */

/*
 * The number of components, 1 to max_k (at most TLV_MEMBERSHIP_MOST_TRIED), by held-out rows or
 * cells (choice.h) or that of the least BIC; diagnostics say what each reached, a warning that
 * max_k was.
 */
extern tlv_status membership_choose(tlv_context *ctx, membership_rows *rows,
									const tlv_membership_options *options,
									tlv_membership_criterion criterion, size_t max_k,
									tlv_diagnostics *to, size_t *k);

/* ---- model.c and the other members of the classes ---- */

typedef struct membership_model
{
	tlv_model base;
	tlv_membership_parts parts;
	bool mixed;
	size_t slots;
	size_t *offset; /* p + 1 */
	membership_worker worker;
	membership_numbers numbers; /* q = 0: none with a distribution */
	int32_t *items;				/* slots, and numbers */
} membership_model;

/* A row's items: those that the model knows; refuses another width. */
extern tlv_status membership_items(tlv_context *ctx, membership_model *model, const tlv_row *row,
								   size_t *n);
/* errors.c: the members of the classes. */
extern tlv_status membership_estimates(tlv_context *ctx, const tlv_frame *model,
									   tlv_estimates *list);
extern tlv_status membership_score(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								   tlv_score_sink *sink);
extern tlv_status membership_redraw(tlv_context *ctx, const tlv_frame *model, const double *values,
									void **image, size_t *size);
extern tlv_status membership_statistics(tlv_context *ctx, tlv_model *model, const char *method,
										tlv_accumulator **accumulator);
extern tlv_status membership_update(tlv_context *ctx, const tlv_frame *model,
									const tlv_frame *statistics, const tlv_step *step, void **image,
									size_t *size);
extern tlv_status membership_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b,
								   tlv_match *match);
extern tlv_status membership_draw_picture(tlv_context *ctx, const tlv_frame *model,
										  tlv_picture *picture);

#endif /* TENSORLV_MEMBERSHIP_INTERNAL_H */
