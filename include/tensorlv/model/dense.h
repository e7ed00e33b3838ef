/*
 * dense.h - moments of vectors up to order 4 in one pass, shifted for
 * stability, packed symmetric.
 *
 * The stored value (kind dense_moments): scalars "rows", "nulls", "order"; "shift" (d), the
 * reference that was subtracted from every row: the first row of the group; "sum1" (d), "sum2"
 * (packed2), "sum3" (packed3) and "sum4" (packed4) of the shifted rows, as far as
 * the order goes.  Values of different shifts are merged exactly up to rounding: the sums are
 * moved to the shift of the one with more rows.
 *
 * The room collects.  Fits to the moments are in gmm.h, ica.h and tree_gaussian.h, packed
 * symmetric tensors are on floor 1 (tensor3.h, tensor4.h), and sums under a mixture are in
 * mixture.h.
 */
#ifndef TENSORLV_DENSE_MOMENTS_H
#define TENSORLV_DENSE_MOMENTS_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/tensor4.h"

/* Largest dimensions for which the whole moments of order 2, 3 and 4 are kept. */
#define TLV_DENSE_MOST_2 4000
#define TLV_DENSE_MOST_3 200
#define TLV_DENSE_MOST_4 60

/* Moments up to order 2, 3 or 4; the dimension is that of the first row. */
extern tlv_status tlv_dense_moments_create(tlv_context *ctx, int order,
										   tlv_accumulator **accumulator);

/* The aggregate of vectors: up to `order`; in the constant, a tlv_subspace of kind dense_subspace,
 * where there is one, then up to as much as it allows unless an order is given. */
extern const tlv_aggregate tlv_aggregate_dense_moments;

/*
 * A random sample of vectors: `count` different ones, or all where there are fewer.  They are drawn
 * by hashes of their content under `seed`, so that the sample is the same in whatever order and
 * parts they arrive, and samples of parts can be merged; equal rows are one that counts as many.
 * The value (kind row_sample): scalars "seen", all rows, "nulls", "count", "seed", and of the
 * different ones, in the order of the hashes, which is a random one, "rows" (d x n) and "counts".
 */
extern const tlv_aggregate tlv_aggregate_row_sample;
#define TLV_DENSE_MOST_SAMPLE 10000000

/* Rows of three views are one behind the other in a sample; of three ids, each as two numbers, its
 * halves. */
#define TLV_SAMPLE_HALVES 6
extern void tlv_sample_halves(int64_t id, double halves[2]);
extern int64_t tlv_sample_id(const double halves[2]);

/*
 * The sample as *n rows (d x n, from the arena), `count` of them or all that were seen where these
 * are fewer: equal ones as often as a random sample has them.
 */
extern tlv_status tlv_row_sample_rows(tlv_context *ctx, const tlv_frame *sample, size_t *n,
									  double **rows);

/*
 * Central moments of a stored value, of kind dense_moments, or of kind dense_compressed: then d is
 * p, and the mean and the moments are those of U'(x - m).  Arrays from the arena, freed by
 * tlv_dense_central_free, also after an error.  Errors: TLV_BAD_DATA for no rows, or when an
 * element varies so little that its powers vanish.
 */
typedef struct tlv_dense_central
{
	size_t d;
	int order;
	double rows;
	double *mean;		/* d */
	double *covariance; /* d x d, over rows (not rows - 1) */
	double *third;		/* packed3: E[(x - m)^(x)3]; NULL below order 3 */
	double *fourth;		/* packed4: E[(x - m)^(x)4]; NULL below order 4 */
} tlv_dense_central;

extern tlv_status tlv_dense_central_compute(tlv_context *ctx, const tlv_frame *moments,
											tlv_dense_central *central);
extern void tlv_dense_central_free(tlv_context *ctx, tlv_dense_central *central);

/* Where a covariance is: of all dimensions (basis NULL), or of the directions of a subspace. */
typedef struct tlv_dense_space
{
	size_t dimensions, directions;
	const double *basis; /* dimensions x directions */
	double outside;		 /* E|r|^2, r the part of a row outside */
} tlv_dense_space;

/*
 * Warns (dependent_columns) of columns that are constant or linear combinations of others, by their
 * names; covariance (directions x directions) is that of all rows, in any units of the columns.
 * Where more is outside of the subspace than rounding, nothing is known of a column.
 */
extern tlv_status tlv_dense_warn_dependent(tlv_context *ctx, const tlv_dense_space *space,
										   const double *covariance, const tlv_names *names,
										   double score, tlv_diagnostics *diagnostics);

/*
 * Second pass for large dimensions: the same moments of U'(x - m) in a basis U of p directions,
 * from a tlv_subspace of kind dense_subspace: sections "mean" (d), "covariance_values" (all d
 * eigenvalues where known), "basis" (d x p, orthonormal columns of the covariance's leading
 * eigenvectors), "noise" (scalar: mean of the eigenvalues left out), made by
 * tlv_dense_subspace from moments of order 2 or more.  Also "rows", those of the moments, and
 * "rank", p.
 *
 * The value (kind dense_compressed) holds a copy of the subspace's sections but "rows", its
 * fingerprint "subspace", and of the rows "rows", "nulls", "order", the packed sums "sum1" (p) ..
 * "sum4" in the basis, "radial1" (p): sum of |r|^2 U'(x - m) with r the part of x - m outside the
 * basis, and "radial": sum of |r|^2.
 */
extern tlv_status tlv_dense_subspace(tlv_context *ctx, const tlv_frame *moments, size_t p,
									 void **image, size_t *size);
extern tlv_status tlv_dense_compressed_create(tlv_context *ctx, const tlv_frame *subspace,
											  tlv_accumulator **accumulator);
/* The same up to a smaller order; create takes order 4 up to 60 directions, 3 above. */
extern tlv_status tlv_dense_compressed_create_order(tlv_context *ctx, const tlv_frame *subspace,
													int order, tlv_accumulator **accumulator);

#endif /* TENSORLV_DENSE_MOMENTS_H */
