/*
 * dense.c - moments of vectors: looking at them.
 */
#include "server/tlv_pg.h"

#include "rows/vectors.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tensor4.h"

/* E[(x - mean)^(x)order] in full, or the mean. */
static ArrayType *
moment_array(tlv_context *ctx, const tlv_dense_central *central, int order)
{
	size_t d = central->d, sides[4] = {d, d, d, d};
	double *full;

	if (order <= 2)
		return TlvFloat8Box(order, sides, order == 1 ? central->mean : central->covariance);
	TlvRequireArray(d * d, order == 4 ? d * d : d);
	full = MemoryContextAllocHuge(CurrentMemoryContext,
								  d * d * d * (order == 4 ? d : 1) * sizeof(double));
	if (order == 4)
		TlvCheck(ctx, tlv_packed4_unpack(ctx, d, central->fourth, full));
	else
		tlv_packed3_unpack(d, central->third, full);
	return TlvFloat8Box(order, sides, full);
}

/* tlv_central_moment(m, order): the mean, or E[(x - mean)^(x)order] in full */
TLV_FUNCTION(tlv_central_moment)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	int32 order = PG_GETARG_INT32(1);
	int most = (int) tlv_frame_scalar(&frame, "order", 0);
	tlv_dense_central central;
	ArrayType *array;
	TlvWork *work;

	if (frame.header->kind != TLV_KIND_DENSE_MOMENTS &&
		frame.header->kind != TLV_KIND_DENSE_COMPRESSED)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tlv_central_moment needs moments of vectors, not of kind %s",
							   TlvKind(&frame)->name),
						errhint("Collect them with tlv_dense_moments(x, 2).")));
	if (order < 1 || order > most)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("moment_order = %d is not between 1 and %d", order, most),
						errhint("These moments were collected up to order %d.", most)));
	if (tlv_frame_scalar(&frame, "rows", 0) == 0)
		PG_RETURN_NULL();
	work = TlvWorkBegin("tensorlv moments");
	TlvCheck(&work->ctx, tlv_dense_central_compute(&work->ctx, &frame, &central));
	array = moment_array(&work->ctx, &central, order);
	TlvWorkEnd(work);
	PG_RETURN_ARRAYTYPE_P(array);
}
