/*
 * gmm.h - mixtures of Gaussians or of multivariate t distributions: from third moments to
 * parameters (spherical components, with a common or with differing variances), by expectation
 * maximisation from there on (also diagonal and full covariances); and mixtures of von Mises-Fisher
 * distributions (mixture.h) of rows of which only the direction counts, embeddings of length 1 say.
 *
 * The model's frame (kind gaussian_mixture): scalars "covariance" (tlv_covariance), "rows" that it
 * was fitted to, "steps" of refinement, "seed"; "weights" (k, descending), "means" (d x k, one
 * column a component), "variances" (k numbers for common and spherical, d x k for diagonal) or
 * "covariances" (packed lower triangles, d(d+1)/2 x k, for full), "degrees" (k: degrees of
 * freedom; of t distributions only), "floor" (d: the least variance of every coordinate), and
 * diagnostics.  Of directions (kind direction_mixture): "rows", "steps", "seed", "weights", "means"
 * (of length 1), "kappas" (k), and diagnostics.
 *
 * The room contains initial estimates, the choice of k and of the covariance, the procedure,
 * models and simulation.  Densities, expectation and maximisation are in mixture.h, since hidden
 * Markov models and views share them; moments and samples of rows are in dense.h.
 */
#ifndef TENSORLV_GMM_H
#define TENSORLV_GMM_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/rng.h"

/* The parameters of a checked model; they point into its frame. */
extern void tlv_gmm_read(const tlv_frame *model, tlv_mixture *mixture);

/* What it takes to write a model's frame. */
typedef struct tlv_gmm_parts
{
	const tlv_mixture *mixture;
	const double *floor; /* d; of directions NULL */
	double rows;
	double steps;
	double seed;
	const tlv_diagnostics *diagnostics; /* NULL: none */
	int64_t *order;						/* k: sorted with the components; NULL: none */
} tlv_gmm_parts;

/* Writes a model, components by descending weight: the mixture is sorted in place. */
extern tlv_status tlv_gmm_write(tlv_context *ctx, const tlv_gmm_parts *parts, void **image,
								size_t *size);

/* What components are. */
typedef enum tlv_tails
{
	TLV_TAILS_NORMAL, /* Gaussians */
	TLV_TAILS_T		  /* multivariate t distributions, each with its own degrees of freedom */
} tlv_tails;

typedef struct tlv_gmm_options
{
	size_t k;			 /* 0: what the moments show */
	size_t max_k;		 /* then at most so many; 0: no fewer */
	size_t shown;		 /* what they show, where that is more than max_k; 0: it is not */
	bool one_shown;		 /* k is 1 because they show no more, which the model warns of */
	size_t n_noise;		 /* what follows of the first so many directions; 0: k was given */
	const double *noise; /* the variance along each, in parts of the largest that noise has */
	bool any_covariance; /* it is chosen, whatever the next says */
	tlv_covariance covariance;
	tlv_tails tails; /* t: the fit is a start only, its variances are taken for the scales */
	uint64_t seed;
	const tlv_names *names;			   /* of the columns, for messages; NULL: they have none */
	const tlv_mixture_column *columns; /* d: they decide on the floor; NULL: not known */
	tlv_decompose_options decompose;
} tlv_gmm_options;

/* Below this g, and above this residual, the fit is a start for refinement at best. */
#define TLV_GMM_SIGNAL	 2.0
#define TLV_GMM_RESIDUAL 0.3
/* Above this part of d, k leaves few directions to tell noise from signal. */
#define TLV_GMM_MOST_SHARE 0.8

/*
 * Fits k components to dense moments of order 3 (k = 1: of order 2), no data pass; or to compressed
 * moments in k - 1 or more leading directions of the covariance, with the same result: what lies
 * outside, only noise, enters by its sum of squares, and is spread evenly for diagonal and full.
 *
 * With m and S the mean and covariance, s2 the mean of the d - k + 1 smallest eigenvalues of S,
 * (l_i + s2, e_i) the k - 1 largest, and C3 the third central moment, the centred data
 * are extended by a constant coordinate c, so that k means that span k - 1 dimensions about
 * their mean become independent.  Whitened, the third moment is
 *
 *   T_abc = C3(e_a, e_b, e_c)/sqrt(l_a l_b l_c) - Sym3[diag(1/l) (x) E'M1/sqrt(l)],  a, b, c < k
 *   T_abk = 1 if a = b, T_akk = 0, T_kkk = 1
 *
 * whatever c, and its components v_i give w_i = v_ik^2, mu_i = m + sum_a sqrt(l_a) e_a v_ia/v_ik.
 * M1 = E[(x-m) a(x)], a(x) the mean of (v'(x-m))^2 over the d - k + 1 eigenvectors v of the
 * smallest eigenvalues: 0 for common variances, else the mean of C3(., v, v), and the
 * variances are the least squares solution of sum w_i s_i (mu_i - m) = M1, sum w_i s_i = s2.
 * diagonal and full get the covariance within components that the means leave, as a start; the
 * moments are first taken in units of every coordinate's standard deviation (not those in a
 * subspace), and the eigenvalues in the diagnostics are in these units.
 *
 * any_covariance: diagonal or full where the covariance that the means leave is clearly of that
 * form, by the Bayesian information criterion for rows that are known to be of their components;
 * else spherical where differing variances leave a smaller residual; else common.  Of moments in a
 * subspace, one of the last two.
 *
 * k = 0: one component where third central moments are those of a Gaussian (Mardia's test); else
 * one and as many as the covariance has eigenvalues above those of noise, two at least, or as many
 * of these as are identified.  Of one there is a warning: equal halves have no third moment either.
 *
 * Diagnostics: residual, signal g = l_{k-1}/s2 sqrt(n/d), noise_variance, condition_number,
 * eigenvalue_1.., iterations, warnings.
 *
 * Errors: TLV_BAD_PARAMETER (order too low, another kind), TLV_BAD_DATA (fewer rows than k,
 * constant data), TLV_NOT_IDENTIFIABLE with the eigenvalues in the detail when k > d or fewer than
 * k - 1 eigenvalues exceed s2, memory, TLV_CANCELLED.
 *
 * Source: Hsu, Kakade 2013 (theorem 2), in the translation invariant form.
 */
extern tlv_status tlv_gmm_fit(tlv_context *ctx, const tlv_frame *moments,
							  const tlv_gmm_options *options, void **image, size_t *size);

typedef struct tlv_gmm_start_options
{
	size_t k;
	tlv_covariance covariance;
	tlv_tails tails;
	uint64_t seed;
	int starts;				  /* k-means starts; 0 where one is given */
	int steps;				  /* of refinement, at most, of the best ones */
	const tlv_mixture *given; /* one more start, of that k, covariance and tails; NULL: none */
	const tlv_mixture *next;  /* of k - 1 components, one of which is split in each of as many
							   * starts, or k + 1, one of which joins another; NULL: none */
	bool others; /* of few rows all starts are refined to the end: the best of them is the best,
				  * and the warning another_model tells of the others */
} tlv_gmm_start_options;

/* Rows in memory, about their mean (directions as they are) and in random order: the first of them
 * are a sample. */
typedef struct tlv_gmm_sample
{
	size_t n, d;
	double *center;				 /* d: the mean, of directions 0 */
	double *rows;				 /* d x n */
	double *scale;				 /* d: the variance, above 0; of directions 1 */
	tlv_mixture_column *columns; /* d; NULL of directions and of many columns */
} tlv_gmm_sample;

/* Makes one of rows (d x n) where they are: they are the sample's from here on, from the arena. */
extern tlv_status tlv_gmm_sample_open(tlv_context *ctx, size_t n, size_t d, double *rows,
									  bool directions, uint64_t seed, tlv_gmm_sample *sample);

/* Gives the rows back; their number, scale and columns stay. */
extern void tlv_gmm_sample_free(tlv_context *ctx, tlv_gmm_sample *sample);

/*
 * A mixture from a sample, by `starts` k-means++ starts, for diagonal and full
 * covariances half of them in units of every coordinate's standard deviation, of which the better
 * clusters go on (all of few rows, and of full covariances), and the given one: a few steps of
 * expectation maximisation each, the better half twice as many, and so on, of many rows on some of
 * them first; until the last one has done `steps` more
 * or its mean log-likelihood stands; with `others` and few rows, all of them, and the warning
 * another_model where one is nearly as likely as the best and divides the rows otherwise.  floor
 * (d) is that of the whole data. Diagnostics: starts, start_given (1: the given start won),
 * sample_rows, sample_steps, sample_mean_log_likelihood, sample_mean_entropy, sample_stands.
 * Errors: TLV_BAD_DATA (n < k), memory, TLV_CANCELLED.
 */
extern tlv_status tlv_gmm_start(tlv_context *ctx, const tlv_gmm_sample *sample, const double *floor,
								const tlv_gmm_start_options *options, void **image, size_t *size);

/* ---- the whole of learning, as a procedure (source.h) over vectors ---- */

/* By what k is chosen. */
typedef enum tlv_gmm_criterion
{
	TLV_GMM_BIC, /* the Bayesian information criterion: components that describe the density */
	TLV_GMM_ICL, /* the integrated completed likelihood: groups (Biernacki, Celeux, Govaert 2000) */
	TLV_GMM_AUTO /* not given: the former, of rows of 100 numbers and more the latter */
} tlv_gmm_criterion;

typedef struct tlv_gmm_learn_options
{
	tlv_gmm_options fit; /* k = 0 and any_covariance: chosen, by the Bayesian information
						  * criterion; rows of 100 numbers and more are spherical, then */
	tlv_gmm_criterion criterion;
	size_t max_k;	/* where it is chosen; 0: 10, of rows of 100 numbers and more and of
					 * directions 200 */
	bool refine;	/* by expectation maximisation; else the start is the model */
	int iterations; /* steps of it; below 0: until the likelihood converges */
} tlv_gmm_learn_options;

/*
 * Moments, the fit to them and, where these alone do not carry it, starts from a sample of the rows
 * that compete with it; then steps of expectation maximisation, one pass each.  No rows give no
 * model.  Of directions there are starts from a sample only: rows are divided by their lengths,
 * whatever these are, and rows of zeros, which have no direction, are left out.  Errors on the way:
 * those of tlv_gmm_fit (but that moments do not identify k components), tlv_gmm_start and the
 * update; TLV_BAD_PARAMETER for k above TLV_MIXTURE_MOST_COMPONENTS, TLV_BAD_DATA for fewer rows
 * than k.
 */
extern const tlv_procedure tlv_gmm_procedure; /* its options are tlv_gmm_learn_options */

/*
 * A random true mixture: means normal with typical distance `separation` between two of them,
 * weights Dirichlet(10), standard deviations 1 or, `differing`, uniform on .5 .. 1.5.  Covariance
 * diagonal and full: the standard deviation of every coordinate (of a random rotation, full) is
 * drawn so.  Directions: means uniform, such kappas that two of them are `separation` standard
 * deviations apart.
 */
extern tlv_status tlv_gmm_random(tlv_context *ctx, size_t k, size_t d, double separation,
								 tlv_covariance covariance, uint64_t seed, void **image,
								 size_t *size);

/* Draws from a mixture; factors of full covariances are computed once. */
typedef struct tlv_gmm_simulator tlv_gmm_simulator;
extern tlv_status tlv_gmm_simulator_create(tlv_context *ctx, const tlv_mixture *mixture,
										   tlv_gmm_simulator **simulator);
/* One row (d) and its component, from 0. */
extern size_t tlv_gmm_simulate(tlv_gmm_simulator *simulator, tlv_rng *rng, double *x);

/*
 * Optimal assignment of the components of b to those of a (same d) by Euclidean distance of the
 * means: assignment[j] is the component of b for j of a (-1 when b has fewer), error[j] the
 * distance (NaN when there is none).
 */
extern tlv_status tlv_gmm_match(tlv_context *ctx, const tlv_mixture *a, const tlv_mixture *b,
								int64_t *assignment, double *error);

#endif /* TENSORLV_GMM_H */
