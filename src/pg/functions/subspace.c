/*
 * subspace.c - tlv_find_subspace, tlv_spectrum.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/arguments.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/lda.h"

/* Of moments of vectors: their leading directions. */
static struct varlena *
dense_subspace(FunctionCallInfo fcinfo, const tlv_frame *frame)
{
	size_t k = TlvNamedCount(fcinfo, "k", 1);
	TlvMaker maker;

	if (!TlvArgumentIsNull(fcinfo, "min_documents") || TlvNamedFlag(fcinfo, "distinct_pairs"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("min_documents and distinct_pairs are for moments of documents"),
						errhint("Leave them out.")));
	TlvMakerBegin(&maker, "tensorlv subspace");
	TlvCheck(maker.ctx, tlv_dense_subspace(maker.ctx, frame, k, &maker.image, &maker.size));
	return TlvMakerEnd(&maker);
}

/* The subspace that products were collected in; false: none is given. */
static bool
subspace_given(FunctionCallInfo fcinfo, const tlv_frame *moments, tlv_frame *subspace)
{
	if (TlvArgumentIsNull(fcinfo, "subspace"))
		return false;
	if (moments->header->kind != TLV_KIND_COUNT_PRODUCTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("subspace is for products, not moments of kind %s", TlvKind(moments)->name),
				 errhint("Leave it out.")));
	*subspace = TlvKindFrame(TlvNamedValue(fcinfo, "subspace"), &tlv_kind_item_subspace,
							 "tlv_find_subspace");
	return true;
}

/*
 * tlv_find_subspace(m, k, min_documents, distinct_pairs, seed, subspace): k may be NULL for
 * products, min_documents NULL for none; the subspace is for products, NULL for those that do not
 * refer to it.
 */
TLV_KEEPING_FUNCTION(tlv_subspace_from_moments_sql)
{
	tlv_subspace_options options = {0};
	tlv_frame frame, subspace;
	TlvMaker maker;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	frame = TlvSumsFrameOf(PG_GETARG_DATUM(0));
	if (subspace_given(fcinfo, &frame, &subspace))
		options.subspace = &subspace;
	if (frame.header->kind == TLV_KIND_DENSE_MOMENTS)
		PG_RETURN_POINTER(dense_subspace(fcinfo, &frame));
	if (!TlvArgumentIsNull(fcinfo, "k"))
		options.rank = TlvNamedCount(fcinfo, "k", 1);
	else if (frame.header->kind != TLV_KIND_COUNT_PRODUCTS)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("k is null"),
						errhint("Only products of a subspace know their own k.")));
	if (!TlvArgumentIsNull(fcinfo, "min_documents"))
		options.minimum_documents = (double) TlvNamedCount(fcinfo, "min_documents", 0);
	options.distinct = TlvNamedFlag(fcinfo, "distinct_pairs");
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv subspace");
	TlvCheck(maker.ctx,
			 tlv_subspace_from_moments(maker.ctx, &frame, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* Rows (rank, eigenvalue, z): Ritz values, and z where collected in distinct mode. */
TLV_FUNCTION(tlv_spectrum)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	const tlv_section *ritz = tlv_frame_find(&frame, "ritz");
	bool triples =
		frame.header->type == TLV_FRAME_MOMENTS && frame.header->kind == TLV_KIND_COUNT_TRIPLES;

	if (ritz == NULL) /* of vectors */
		ritz = tlv_frame_find(&frame, "covariance_values");
	if (ritz == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("moments of kind %s have no spectrum", TlvKind(&frame)->name),
				 errhint("Use tlv_spectrum(tlv_find_subspace(...)), or compressed moments.")));
	TlvInitRows(fcinfo);
	for (size_t i = 0; i < ritz->rows; i++)
	{
		double z =
			triples && i < tlv_frame_find(&frame, "mean")->rows ? tlv_count_z(&frame, i) : NAN;
		TlvPutRow(fcinfo, TlvInt4((int32) i + 1),
				  TlvFloat8(((const double *) tlv_section_data(&frame, ritz))[i]), TlvKnown(z));
	}
	return (Datum) 0;
}
