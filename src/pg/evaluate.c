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

/* NULL when there was nothing to compare. */
static Datum
measure(FunctionCallInfo fcinfo, const tlv_kind *kind, const char *name, Measure compute)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
	TlvWork *work;
	double value = NAN;

	TlvRequireKind(&frame, kind, name);
	work = TlvWorkBegin("tensorlv evaluation");
	TlvCheck(&work->ctx, compute(&work->ctx, &frame, &value));
	TlvWorkEnd(work);
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

#define MEASURE(function, kind, name, compute)                                                     \
	TLV_FUNCTION(function)                                                                         \
	{                                                                                              \
		return measure(fcinfo, &(kind), name, compute);                                            \
	}

MEASURE(tlv_nmi, tlv_kind_label_pairs, "tlv_nmi", tlv_label_nmi)
MEASURE(tlv_ari, tlv_kind_label_pairs, "tlv_ari", tlv_label_ari)
MEASURE(tlv_overlapping_nmi, tlv_kind_cover_pairs, "tlv_overlapping_nmi", tlv_cover_nmi)
MEASURE(tlv_cover_f1_sql, tlv_kind_cover_pairs, "tlv_cover_f1", tlv_cover_f1)

/* Compares memberships at level alpha; false when there are none. */
static bool
compare_memberships(FunctionCallInfo fcinfo, TlvWork *work, const char *name, double alpha,
					tlv_membership_match *match)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));

	TlvRequireKind(&frame, &tlv_kind_membership_pairs, name);
	if (tlv_frame_scalar(&frame, "nodes", 0) == 0)
		return false;
	TlvCheck(&work->ctx, tlv_membership_compare(&work->ctx, &frame, alpha, match));
	return true;
}

/* Rows (component_a, component_b, correlation, t, p_value, q_value, error, matched, assigned). */
TLV_FUNCTION(tlv_match_memberships)
{
	TlvWork *work = TlvWorkBegin("tensorlv match");
	tlv_membership_match match = {0};

	TlvInitRows(fcinfo);
	if (compare_memberships(fcinfo, work, "tlv_match_memberships",
							TlvNamedNumber(fcinfo, "significance"), &match))
		for (size_t i = 0; i < match.k_a * match.k_b; i++)
		{
			const tlv_component_pair *pair = &match.pairs[i];
			TlvPutRow(fcinfo, TlvInt4((int32) (i / match.k_b) + 1),
					  TlvInt4((int32) (i % match.k_b) + 1),
					  TlvNullIf(isnan(pair->correlation), TlvFloat8(pair->correlation)),
					  TlvNullIf(isnan(pair->t), TlvFloat8(pair->t)), TlvFloat8(pair->p_value),
					  TlvFloat8(pair->q_value), TlvFloat8(pair->error), TlvBool(pair->matched),
					  TlvBool(pair->assigned));
		}
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* One number of the comparison; NULL when there was nothing to compare. */
static Datum
summary(FunctionCallInfo fcinfo, const char *name, double alpha, size_t offset)
{
	TlvWork *work = TlvWorkBegin("tensorlv match");
	tlv_membership_match match = {0};
	double value = NAN;

	if (compare_memberships(fcinfo, work, name, alpha, &match))
		value = *(const double *) ((const char *) &match + offset);
	TlvWorkEnd(work);
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

/* tlv_recovery_ratio(m, alpha) */
TLV_FUNCTION(tlv_recovery_ratio)
{
	return summary(fcinfo, "tlv_recovery_ratio", TlvNamedNumber(fcinfo, "significance"),
				   offsetof(tlv_membership_match, recovery_ratio));
}

/* tlv_membership_error(m, alpha) */
TLV_FUNCTION(tlv_membership_error)
{
	return summary(fcinfo, "tlv_membership_error", TlvNamedNumber(fcinfo, "significance"),
				   offsetof(tlv_membership_match, error));
}

/* tlv_membership_l1(m) */
TLV_FUNCTION(tlv_membership_l1)
{
	return summary(fcinfo, "tlv_membership_l1", 0.01, offsetof(tlv_membership_match, l1));
}
