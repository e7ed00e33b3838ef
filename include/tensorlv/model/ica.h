/*
 * ica.h - independent component analysis by fourth cumulants: x = m + A s (+ noise), the
 * sources s independent, of mean 0 and variance 1, at most one of them Gaussian.
 *
 * The model's frame (kind ica): scalars "rows", "noise" (1: fitted to Gaussian noise of any
 * covariance), "seed", "steps" (refinement steps done) and "change" (of the last step: the
 * largest turn of two components, in standard errors of sampling; 1 before the first step);
 * "mean" (d), "mixing" A (d x k), "unmixing" (k x d), "kurtosis" (k, excess) and
 * diagnostics.  Components are ordered by decreasing |kurtosis|; the entry of largest modulus
 * of each column of A is positive.  A model made for simulation has the "sources" (k int64,
 * tlv_ica_source) and, with noise, "noise_factor" F (d x d): the noise is F times a
 * standard normal vector.
 *
 * Sources: Cardoso, Souloumiac 1993 (joint diagonalisation); Hyvarinen 1999 (fixed-point
 * steps); Ablin, Cardoso, Gramfort 2018 (steps of the likelihood); Voss, Belkin, Rademacher 2015
 * (unmixing under noise).
 *
 * The room contains the fit to moments, refinement over rows, the choice of k, and simulation.
 * Fourth moments are collected in dense.h; decompositions of fourth order are on floor 1
 * (decompose.h).
 */
#ifndef TENSORLV_ICA_H
#define TENSORLV_ICA_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"

typedef struct tlv_ica_options
{
	size_t k;			/* components; 0: as many as the covariance has dimensions */
	size_t max_k;		/* then at most so many; 0: no fewer */
	bool noise;			/* Gaussian noise of any covariance: mixing need not be orthogonal */
	bool keep_gaussian; /* two components of no kurtosis: a warning, not an error */
	uint64_t seed;
	tlv_decompose_options decompose; /* method joint or sgd */
	const tlv_names *names;			 /* of the dimensions, for messages; NULL: they have none */
} tlv_ica_options;

/* Kurtoses below so many standard errors, sqrt(24 / rows), are those of a Gaussian. */
#define TLV_ICA_GAUSSIAN 3

/* Bytes of work space that a fit of k components to p-dimensional moments allocates at most. */
extern double tlv_ica_fit_memory(size_t p, size_t k, const tlv_ica_options *options);

/*
 * Fits the model to moments of order 4 (dense_moments, or dense_compressed: then within their
 * basis).  The covariance is whitened to its k leading directions (after dividing
 * each dimension by its standard deviation when no direction is left out, so
 * that units do not matter); the fourth cumulant is decomposed: tlv_decompose4, and with
 * noise tlv_decompose4_cp from there, since the cumulant does not see Gaussian noise.
 *
 * Without noise "unmixing" is the inverse of "mixing" on its span.  With noise it is
 * A' C^-1, C the covariance of x: of all linear estimates of the sources the one of least
 * noise and interference; in both cases its outputs have variance 1 over the rows, and "mixing"
 * is their covariance with x.  After refinement by likelihood outputs of variance 1 may be
 * correlated, and "mixing" is the inverse alone.
 *
 * Errors: TLV_BAD_PARAMETER, TLV_BAD_DATA, TLV_NOT_IDENTIFIABLE when the covariance has fewer than
 * k dimensions or two or more components have no kurtosis, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_ica_fit(tlv_context *ctx, const tlv_frame *moments,
							  const tlv_ica_options *options, void **image, size_t *size);

/* y = unmixing (x - mean), k numbers.  model is one of kind ica; d must be its dimension. */
extern tlv_status tlv_ica_unmix(tlv_context *ctx, const tlv_model *model, size_t d, const double *x,
								double *y);

/*
 * Whether the last refinement step turned no two components by more than so many standard
 * errors: what the sampling of the rows leaves uncertain anyway.
 */
#define TLV_ICA_SETTLED 0.02
extern bool tlv_ica_settled(const tlv_frame *model);

/* ---- the whole of learning, as a procedure (source.h) over vectors ---- */

typedef struct tlv_ica_learn_options
{
	tlv_ica_options fit;
	const char *refine; /* "tanh", "likelihood" or "none"; NULL: tanh, but none with noise */
	int iterations;		/* refinement steps; below 0: until they settle */
} tlv_ica_learn_options;

/*
 * Moments, in two passes where vectors are too long for all of theirs, fit, refinement.  Errors:
 * TLV_BAD_PARAMETER for an unknown refinement, or one of a fit to noise; on the way those of
 * tlv_ica_fit, and TLV_BAD_PARAMETER for long vectors without k.
 */
extern const tlv_procedure tlv_ica_procedure; /* its options are these */

/* How many components have no more kurtosis than chance gives Gaussian ones of so many rows. */
extern size_t tlv_ica_gaussian(size_t k, const double *kurtosis, double rows);

/*
 * Amari index of two mixing matrices (d x k): with P = |pinv(a) b|, the mean of what rows and
 * columns hold beside their largest entry, 0 when a and b are the same up to
 * the order and scale of their columns, at most 1 (Amari, Cichocki, Yang 1996).
 * TLV_BAD_DATA when a has a rank below k, or the index overflows.
 */
extern tlv_status tlv_ica_amari(tlv_context *ctx, size_t d, size_t k, const double *a,
								const double *b, double *index);

/* ---- the stored form ---- */

typedef struct tlv_ica_parts
{
	size_t d;
	size_t k;
	double rows;
	double noise;
	double seed;
	double steps;
	double change;
	const double *mean;
	double *mixing;
	double *unmixing;
	double *kurtosis;
	int64_t *sources;			/* NULL but for simulation */
	const double *noise_factor; /* NULL but for simulation with noise */
	int64_t *order;				/* k: gets the order; NULL: not wanted */
	const tlv_names *names;		/* of the dimensions, for messages; NULL: they have none */
	tlv_diagnostics *diagnostics;
} tlv_ica_parts;

/* Orders the components and chooses their signs, in place. */
extern tlv_status tlv_ica_order(tlv_context *ctx, tlv_ica_parts *parts);

/* Whether fewer than two components are as good as Gaussian; TLV_NOT_IDENTIFIABLE names them. */
extern tlv_status tlv_ica_require_sources(tlv_context *ctx, const tlv_ica_parts *parts);

/* kurtosis_1 .., standard_error and the warning of Gaussian components; and that alone. */
extern tlv_status tlv_ica_diagnose(tlv_context *ctx, const tlv_ica_parts *parts);
extern tlv_status tlv_ica_warn_gaussian(tlv_context *ctx, const tlv_ica_parts *parts);

/* A component in a message: its number, and the dimension of whose variance it has most. */
extern const char *tlv_ica_show(const tlv_ica_parts *parts, size_t j, char shown[TLV_SHOWN_NAME]);
/* Adds it to a list of which the message has the first ones. */
extern void tlv_ica_list(const tlv_ica_parts *parts, size_t j, tlv_shown_list *list);

/*
 * The frame of these parts as they are: neither order nor scale nor signs are changed here
 * (tlv_ica_order).  *image comes from the arena.  Errors: memory, numbers that are not finite.
 */
extern tlv_status tlv_ica_write(tlv_context *ctx, const tlv_ica_parts *parts, void **image,
								size_t *size);

/*
 * Assigns columns of a mixing matrix b (d x kb) to those of a (d x ka) with the least total
 * error: assignment[j] is the column of b for j of a, from 0, or -1 when b has fewer; error[j]
 * theirs, NaN without: the Euclidean distance of the two scaled to unit length, with the better of
 * both signs, 0 .. sqrt(2).  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mixing_match(tlv_context *ctx, size_t d, size_t ka, const double *a,
								   size_t kb, const double *b, int64_t *assignment, double *error);

/* ---- simulation ---- */

typedef enum tlv_ica_source
{
	TLV_ICA_LAPLACE,
	TLV_ICA_UNIFORM,
	TLV_ICA_BINARY,
	TLV_ICA_EXPONENTIAL,
	TLV_ICA_GAUSSIAN_SOURCE
} tlv_ica_source;

#define TLV_ICA_SOURCES 5

typedef struct tlv_ica_simulation
{
	size_t d;
	size_t k;
	double noise; /* standard deviation of the noise entries; their covariance is random */
	bool mixed;	  /* the first four laws in turn, not source */
	tlv_ica_source source;
	uint64_t seed;
} tlv_ica_simulation;

/* A model with a standard normal mixing matrix. */
extern tlv_status tlv_ica_simulate_model(tlv_context *ctx, const tlv_ica_simulation *options,
										 void **image, size_t *size);

typedef tlv_status (*tlv_ica_emit)(tlv_context *ctx, void *argument, size_t row, const double *x,
								   const double *sources);

/* Rows drawn from such a model, from row 1 on. */
extern tlv_status tlv_ica_simulate(tlv_context *ctx, const tlv_frame *model, size_t rows,
								   uint64_t seed, tlv_ica_emit emit, void *argument);

#endif /* TENSORLV_ICA_H */
