/*
 * stand_in.c - constants on engines that copy the arguments of an aggregate for every row.
 *
 * Citus hands an aggregate of several arguments a record of them, which is made of every row: a
 * model of some hundred kB, which an aggregate reads once, costs more than the row.  There the
 * statement of a pass gives the constant with the first row, and a small value of its type, which
 * nobody reads, with all others.
 */
#include "driver_internal.h"

#include "tensorlv/model/dense.h"
#include "tensorlv/model/gmm.h"

/* tlv_first_call(first, other): first in the first call of a call site, other in all later ones. */
TLV_FUNCTION(tlv_first_call)
{
	bool *called = fcinfo->flinfo->fn_extra;

	if (called != NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	called = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(bool));
	*called = true;
	fcinfo->flinfo->fn_extra = called;
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* The one direction of numbers on a line. */
static tlv_status
smallest_subspace(tlv_context *ctx, void **image, size_t *size)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_dense_moments, .order = 2};
	const double x[] = {0, 1};
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;
	tlv_frame moments;
	void *sums;
	size_t sums_size;

	TLV_TRY(tlv_statistic_create(ctx, &statistic, &accumulator));
	for (size_t i = 0; i < lengthof(x); i++)
		TLV_TRY(tlv_add(ctx, accumulator, TLV_AS_VECTOR(1, &x[i])));
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, &sums, &sums_size));
	TLV_TRY(tlv_frame_open(ctx, sums, sums_size, &moments));
	return tlv_dense_subspace(ctx, &moments, 1, image, size);
}

tlv_frame
TlvStandIn(TlvDriver *driver, tlv_frame_type type)
{
	tlv_frame *made = &driver->stand_ins[type];
	TlvWork *work;
	size_t size;
	void *image;

	if (made->header != NULL)
		return *made;
	work = TlvWorkBegin("tensorlv stand-in");
	if (type == TLV_FRAME_SUBSPACE)
		TlvCheck(&work->ctx, smallest_subspace(&work->ctx, &image, &size));
	else
		TlvCheck(&work->ctx,
				 tlv_gmm_random(&work->ctx, 1, 1, 1, TLV_COVARIANCE_COMMON, 1, &image, &size));
	image = memcpy(MemoryContextAlloc(driver->mcxt, size), image, size);
	TlvCheck(&work->ctx, tlv_frame_open(&work->ctx, image, size, made));
	TlvWorkEnd(work);
	return *made;
}
