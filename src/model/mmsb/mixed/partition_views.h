/*
 * partition_views.h - what partition.c needs of partition_views.c.
 */
#ifndef TENSORLV_MMSB_PARTITION_VIEWS_H
#define TENSORLV_MMSB_PARTITION_VIEWS_H

#include "partition.h"

/* Three views of every row, alike in expectation given the row's memberships. */
typedef struct tlv_partition_views
{
	size_t k;
	size_t rows;
	size_t centres; /* rows in X, which come first */
	int32_t *order; /* rows: the i-th row of the views is row order[i] of the graph */
	float *scale;	/* columns: 1/sqrt(mean of the column + a quarter of the mean of all) */
	float *y[3];	/* k x rows: Q'g_A, Q'Z_B g_B, Q'Z_C g_C */
	int steps;
} tlv_partition_views;

/* Directions of the subspace iteration. */
extern size_t tlv_partition_block(const tlv_csr *out, bool bipartite, size_t k);

/*
 * Splits the nodes and computes the views; Q is the orthonormal basis of the dominant subspace of
 * the symmetrised second moment on the scaled columns of A, and every column is scaled.
 */
extern tlv_status tlv_partition_views_compute(tlv_context *ctx, const tlv_csr *out,
											  const tlv_csr *in, bool bipartite,
											  const tlv_partition_options *options,
											  tlv_partition_views *views);
extern void tlv_partition_views_free(tlv_context *ctx, tlv_partition_views *views);

#endif /* TENSORLV_MMSB_PARTITION_VIEWS_H */
