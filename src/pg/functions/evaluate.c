/*
 * evaluate.c - estimates against the truth: the measures of what tlv_label_pairs, tlv_cover_pairs
 * and tlv_membership_pairs collected.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "server/arguments.h"
#include "tensorlv/model/evaluate.h"

/* ---- measures ---- */

typedef tlv_status (*Measure)(tlv_context *ctx, const tlv_frame *pairs, double *value);

/* NAN when there was nothing to compare. */
static double
measure_of(const tlv_frame *frame, Measure compute)
{
	TlvWork *work = TlvWorkBegin("tensorlv evaluation");
	double value = NAN;

	TlvCheck(&work->ctx, compute(&work->ctx, frame, &value));
	TlvWorkEnd(work);
	return value;
}

static Datum
evaluate_measure(FunctionCallInfo fcinfo, const tlv_kind *kind, const char *name, Measure compute)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	double value;

	TlvRequireKind(&frame, kind, name);
	value = measure_of(&frame, compute);
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

#define MEASURE(function, kind, name, compute)                                                     \
	TLV_FUNCTION(function)                                                                         \
	{                                                                                              \
		return evaluate_measure(fcinfo, &(kind), name, compute);                                   \
	}

MEASURE(tlv_nmi_final, tlv_kind_label_pairs, "tlv_nmi", tlv_label_nmi)
MEASURE(tlv_ari_final, tlv_kind_label_pairs, "tlv_ari", tlv_label_ari)
MEASURE(tlv_cover_f1_final, tlv_kind_cover_pairs, "tlv_cover_f1", tlv_cover_f1)

/* Compares memberships at level alpha; false when there are none. */
static bool
compare_memberships(FunctionCallInfo fcinfo, TlvWork *work, const char *name, double alpha,
					tlv_membership_match *match)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));

	TlvRequireKind(&frame, &tlv_kind_membership_pairs, name);
	if (tlv_frame_scalar(&frame, "nodes", 0) == 0)
		return false;
	TlvCheck(&work->ctx, tlv_membership_compare(&work->ctx, &frame, alpha, match));
	return true;
}

/* ---- all measures of a value ---- */

static void
put_score(FunctionCallInfo fcinfo, const char *name, double value)
{
	TlvPutRow(fcinfo, TlvText(name), TlvKnown(value));
}

static void
put_membership_scores(FunctionCallInfo fcinfo, double significance)
{
	TlvWork *work = TlvWorkBegin("tensorlv match");
	tlv_membership_match match = {.recovery_ratio = NAN, .error = NAN, .l1 = NAN};

	compare_memberships(fcinfo, work, "tlv_scores", significance, &match);
	put_score(fcinfo, "membership_l1", match.l1);
	put_score(fcinfo, "recovery_ratio", match.recovery_ratio);
	put_score(fcinfo, "membership_error", match.error);
	TlvWorkEnd(work);
}

/* tlv_scores(pairs, significance): rows (measure, score) */
TLV_FUNCTION(tlv_scores_rows)
{
	double significance = TlvNamedNumber(fcinfo, "significance");
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	const tlv_kind *kind = TlvKind(&frame);

	TlvInitRows(fcinfo);
	if (kind == &tlv_kind_label_pairs)
	{
		put_score(fcinfo, "nmi", measure_of(&frame, tlv_label_nmi));
		put_score(fcinfo, "ari", measure_of(&frame, tlv_label_ari));
	}
	else if (kind == &tlv_kind_cover_pairs)
	{
		put_score(fcinfo, "overlapping_nmi", measure_of(&frame, tlv_cover_nmi));
		put_score(fcinfo, "cover_f1", measure_of(&frame, tlv_cover_f1));
	}
	else if (kind == &tlv_kind_membership_pairs)
		put_membership_scores(fcinfo, significance);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are no scores of moments of kind %s", kind->name),
				 errhint("Collect tlv_label_pairs, tlv_cover_pairs or tlv_membership_pairs.")));
	return (Datum) 0;
}
