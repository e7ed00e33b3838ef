/*
 * directions.h - mixtures of von Mises-Fisher distributions: of rows of which only the direction
 * counts, embeddings of length 1 say.
 *
 * A component has a mean direction mu and a concentration kappa; of directions x of d numbers its
 * density is C_d(kappa) exp(kappa mu'x), C_d(kappa) = kappa^v / ((2 pi)^(d/2) I_v(kappa)) with
 * v = d/2 - 1 (Mardia, Jupp 2000).  Where kappa is large the directions scatter about mu with a
 * variance of 1/kappa in each of d - 1 dimensions.
 *
 * Rows are divided by their lengths, whatever these are; rows of zeros have no direction.
 *
 * The model's frame (kind direction_mixture): scalars "rows", "steps" of refinement, "seed";
 * "weights" (k, descending), "means" (d x k, of length 1), "kappas" (k), and diagnostics.
 */
#ifndef TENSORLV_DIRECTIONS_H
#define TENSORLV_DIRECTIONS_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"

/* Largest kappa by number of dimensions: components of equal rows have it. */
#define TLV_DIRECTIONS_MOST_KAPPA 1e6

typedef struct tlv_directions
{
	size_t k;
	size_t d;
	double *weights; /* k, positive, summing to 1 */
	double *means;	 /* d x k, of length 1 */
	double *kappas;	 /* k, 0 .. TLV_DIRECTIONS_MOST_KAPPA d */
} tlv_directions;

/* log C_d(kappa), d >= 2. */
extern double tlv_directions_log_norm(size_t d, double kappa);

/*
 * The kappa of which directions of d numbers have a mean of this length: I_v+1(kappa) / I_v(kappa)
 * = length.  Start: Banerjee et al. 2005; Newton's steps: Sra 2012.  Within 0 and the largest.
 */
extern double tlv_directions_kappa(size_t d, double length);

/* The length of the mean of such directions: the inverse. */
extern double tlv_directions_length(size_t d, double kappa);

/* The parameters of a checked model; they point into its frame. */
extern void tlv_directions_read(const tlv_frame *model, tlv_directions *directions);

/* What it takes to write a model's frame. */
typedef struct tlv_directions_parts
{
	const tlv_directions *directions;
	double rows;
	double steps;
	double seed;
	const tlv_diagnostics *diagnostics; /* NULL: none */
	int64_t *order;						/* k: sorted with the components; NULL: none */
} tlv_directions_parts;

/* Writes a model, components by descending weight: they are sorted in place. */
extern tlv_status tlv_directions_write(tlv_context *ctx, const tlv_directions_parts *parts,
									   void **image, size_t *size);

/* Arrays for the parameters from the arena, zeroed; and back. */
extern tlv_status tlv_directions_create(tlv_context *ctx, size_t k, size_t d,
										tlv_directions *directions);
extern void tlv_directions_free(tlv_context *ctx, tlv_directions *directions);

typedef struct tlv_directions_learn_options
{
	size_t k;	  /* 0: chosen, by the integrated completed likelihood */
	size_t max_k; /* where it is chosen; 0: 200 */
	uint64_t seed;
	bool refine;	/* by expectation maximisation over all rows; else the start is the model */
	int iterations; /* steps of it; below 0: until the likelihood stands */
	tlv_decompose_options decompose;
} tlv_directions_learn_options;

/*
 * The whole of learning, as a procedure over vectors: a sample, whose merged clusters (wide.h)
 * compete with the fit of spherical components to its third moments, refined on the sample; then
 * steps of expectation maximisation over all rows.  Errors: TLV_BAD_PARAMETER for k above
 * TLV_MIXTURE_MOST_COMPONENTS; TLV_BAD_DATA for fewer rows than k, rows of one number, and where
 * all rows are zeros; memory, TLV_CANCELLED.
 */
extern const tlv_procedure tlv_directions_procedure; /* its options are these */

/*
 * A random true mixture: mean directions uniform, such a common kappa that two of them are
 * `separation` standard deviations apart (`differing`: of deviations .5 to 1.5 times as large),
 * weights Dirichlet(10).  Errors: TLV_BAD_PARAMETER for k, d or separation out of range.
 */
extern tlv_status tlv_directions_random(tlv_context *ctx, size_t k, size_t d, double separation,
										bool differing, uint64_t seed, void **image, size_t *size);

/* One row (d) and its component, from 0 (Ulrich 1984, Wood 1994). */
extern size_t tlv_directions_simulate(const tlv_directions *directions, tlv_rng *rng, double *x);

#endif /* TENSORLV_DIRECTIONS_H */
