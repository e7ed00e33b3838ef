/*
 * tensor.h - what the two forms of the whitened third moments share: the tensor itself (tensor.c),
 * and products with it that are sums over the rows (implicit.c).
 */
#ifndef TENSORLV_MEMBERSHIP_TENSOR_H
#define TENSORLV_MEMBERSHIP_TENSOR_H

#include "internal.h"

/* Rows, or terms, that are dealt with at once. */
#define MEMBERSHIP_BLOCK 256

typedef struct membership_implicit membership_implicit;

typedef struct tensor_work
{
	const membership_moments *moments;
	const membership_basis *basis;
	size_t k;
	double *tensor;				   /* packed; NULL: not formed */
	double *complete;			   /* the same with the triples of equal values */
	double *mean;				   /* k: W' m */
	double *own;				   /* k x p: of every variable */
	double *square;				   /* k x k */
	double *other;				   /* k x k */
	membership_implicit *implicit; /* NULL: the tensor is formed */
} tensor_work;

/* own = W_j' b_j of every variable, total their sum; b has so many columns, of which this one. */
extern void membership_project(const tensor_work *work, const double *b, size_t columns,
							   size_t column, double *total);

/* The values of rows, with y over how often the variable is present (k x categories). */
extern tlv_status membership_scaled_whitening(tlv_context *ctx, const tensor_work *work,
											  double **scaled);

/* sum (k) = that of the items' scaled values. */
extern void membership_sum_values(size_t k, size_t n, const int32_t *items, const double *scaled,
								  double *sum);

/* P W over pairs of different values (k x categories). */
extern tlv_status membership_pairs_of_values(tlv_context *ctx, const tensor_work *work,
											 double **found);

/* ---- implicit.c ---- */

/*
 * Is the tensor better not formed?  Of rows, by method joint, of more than 50 components where that
 * takes fewer operations, or where the tensor does not fit into memory; completed: the components
 * are put in afterwards.
 */
extern bool membership_implicit_pays(const tlv_context *ctx, const tensor_work *work,
									 const membership_triples *triples,
									 const tlv_decompose_options *options, bool completed);

/* What products are made of, into work->implicit; room for the components if completed. */
extern tlv_status membership_implicit_create(tlv_context *ctx, tensor_work *work,
											 const membership_rows *rows, bool completed);
extern void membership_implicit_free(tlv_context *ctx, membership_implicit *implicit);

extern tlv_status membership_implicit_decompose(tlv_context *ctx, membership_implicit *implicit,
												const tlv_decompose_options *options,
												tlv_decomposition *found);

/* c times the triples of equal values of what was projected (work->own, total) are put in; those
 * that were are forgotten. */
extern void membership_implicit_add_same(const tensor_work *work, double c, const double *total);
extern void membership_implicit_forget(membership_implicit *implicit);

#endif /* TENSORLV_MEMBERSHIP_TENSOR_H */
