/*
 * dense.c - uses of moments of vectors and their subspaces: central moments, directions.
 */
#include "uses.h"

#include <stdlib.h>

#include "tensorlv/model/dense.h"

/* Vectors of the subspace's length, and what comes of them. */
static void
use_dense_subspace(const tlv_frame *frame)
{
	tlv_accumulator *accumulator;
	tlv_dense_central central;
	size_t d = tlv_frame_find(frame, "basis")->rows, size;
	double *x = tlv_alloc(&ctx, d, sizeof(double));
	tlv_frame moments;
	void *image;

	if (x == NULL)
		return;
	USE(tlv_dense_compressed_create(&ctx, frame, &accumulator));
	for (size_t t = 0; t < 3; t++)
	{
		for (size_t i = 0; i < d; i++)
			x[i] = (double) ((i + 1) * (t + 2) % 7);
		USE(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(d, x)));
	}
	USE(accumulator->class->build(&ctx, accumulator, &builder));
	USE(tlv_frame_finish(&ctx, &builder, &image, &size));
	USE(tlv_frame_open(&ctx, image, size, &moments));
	accumulator->class->merge(&ctx, accumulator, &moments);
	tlv_dense_central_compute(&ctx, &moments, &central);
}

static void
use_dense_moments(const tlv_frame *frame)
{
	tlv_dense_central central;
	tlv_frame subspace;
	void *image;
	size_t size;

	tlv_dense_central_compute(&ctx, frame, &central);
	USE(tlv_dense_subspace(&ctx, frame, 1, &image, &size));
	if (tlv_kind_validate(&ctx, image, size, TLV_FRAME_SUBSPACE, &subspace) != TLV_OK)
		abort();
	use_dense_subspace(&subspace);
}

USES(dense)
{
	if (kind == &tlv_kind_dense_subspace)
		use_dense_subspace(frame);
	if (kind == &tlv_kind_dense_moments || kind == &tlv_kind_dense_compressed)
		use_dense_moments(frame);
}
