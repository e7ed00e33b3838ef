/*
 * evaluate.c - estimates against the truth: transition functions of
 * tlv_label_pairs, tlv_cover_pairs and tlv_membership_pairs, and the measures
 * of what they collected.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "tensorlv/model/evaluate.h"

typedef tlv_status (*CreateState)(tlv_context *ctx, tlv_accumulator **accumulator);

/* The live state of argument 0: as it is, or made and filled with a flat value. */
static TlvExpanded *
state_argument(FunctionCallInfo fcinfo, CreateState create)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = TlvLiveState(fcinfo);
	tlv_accumulator *accumulator;

	if (expanded != NULL)
		return expanded;
	TlvCheck(&shared->ctx, create(&shared->ctx, &accumulator));
	return TlvBeginState(fcinfo, shared, accumulator);
}

/* The elements of a one-dimensional array of 8-byte elements without NULL; it must be freed. */
static ArrayType *
array_argument(FunctionCallInfo fcinfo, int argument, const char *what, const void **elements,
			   size_t *n)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("an array of %s has %d dimensions, not one", what, ARR_NDIM(array)),
						errhint("One row describes one node.")));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("an array of %s has an element that is null", what),
						errhint("A node that is not to be compared needs no row, or null instead "
								"of the array.")));
	*n = ARR_NDIM(array) == 0 ? 0 : (size_t) ARR_DIMS(array)[0];
	*elements = ARR_DATA_PTR(array);
	return array;
}

PG_FUNCTION_INFO_V1(tlv_label_pairs_accum);

/* (state, a bigint, b bigint) */
Datum
tlv_label_pairs_accum(PG_FUNCTION_ARGS)
{
	TlvExpanded *state = state_argument(fcinfo, tlv_label_pairs_create);

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		state->accumulator->nulls++;
	else
		TlvCheck(&state->shared->ctx, tlv_label_pairs_add(&state->shared->ctx, state->accumulator,
														  PG_GETARG_INT64(1), PG_GETARG_INT64(2)));
	return TlvExpandedDatum(state);
}

PG_FUNCTION_INFO_V1(tlv_cover_pairs_accum);

/* (state, a bigint[], b bigint[]) */
Datum
tlv_cover_pairs_accum(PG_FUNCTION_ARGS)
{
	TlvExpanded *state = state_argument(fcinfo, tlv_cover_pairs_create);
	ArrayType *a, *b;
	const void *elements_a, *elements_b;
	size_t n_a, n_b;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		state->accumulator->nulls++;
		return TlvExpandedDatum(state);
	}
	a = array_argument(fcinfo, 1, "communities", &elements_a, &n_a);
	b = array_argument(fcinfo, 2, "communities", &elements_b, &n_b);
	TlvCheck(&state->shared->ctx, tlv_cover_pairs_add(&state->shared->ctx, state->accumulator, n_a,
													  elements_a, n_b, elements_b));
	PG_FREE_IF_COPY(a, 1);
	PG_FREE_IF_COPY(b, 2);
	return TlvExpandedDatum(state);
}

PG_FUNCTION_INFO_V1(tlv_membership_pairs_accum);

/* (state, truth float8[], estimate float8[]) */
Datum
tlv_membership_pairs_accum(PG_FUNCTION_ARGS)
{
	TlvExpanded *state = state_argument(fcinfo, tlv_membership_pairs_create);
	ArrayType *a, *b;
	const void *elements_a, *elements_b;
	size_t k_a, k_b;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		state->accumulator->nulls++;
		return TlvExpandedDatum(state);
	}
	a = array_argument(fcinfo, 1, "memberships", &elements_a, &k_a);
	b = array_argument(fcinfo, 2, "memberships", &elements_b, &k_b);
	TlvCheck(&state->shared->ctx, tlv_membership_pairs_add(&state->shared->ctx, state->accumulator,
														   k_a, elements_a, k_b, elements_b));
	PG_FREE_IF_COPY(a, 1);
	PG_FREE_IF_COPY(b, 2);
	return TlvExpandedDatum(state);
}

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
	PG_FUNCTION_INFO_V1(function);                                                                 \
	Datum function(PG_FUNCTION_ARGS)                                                               \
	{                                                                                              \
		return measure(fcinfo, &(kind), name, compute);                                            \
	}

MEASURE(tlv_nmi, tlv_kind_label_pairs, "tlv_nmi", tlv_label_nmi)
MEASURE(tlv_ari, tlv_kind_label_pairs, "tlv_ari", tlv_label_ari)
MEASURE(tlv_overlapping_nmi, tlv_kind_cover_pairs, "tlv_overlapping_nmi", tlv_cover_nmi)
MEASURE(tlv_f1, tlv_kind_cover_pairs, "tlv_f1", tlv_cover_f1)

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

PG_FUNCTION_INFO_V1(tlv_match_memberships);

/* Rows (component_a, component_b, correlation, t, p_value, q_value, error, matched, assigned). */
Datum
tlv_match_memberships(PG_FUNCTION_ARGS)
{
	TlvWork *work = TlvWorkBegin("tensorlv match");
	tlv_membership_match match = {0};

	TlvInitRows(fcinfo);
	if (compare_memberships(fcinfo, work, "tlv_match", PG_GETARG_FLOAT8(1), &match))
		for (size_t i = 0; i < match.k_a * match.k_b; i++)
		{
			const tlv_component_pair *pair = &match.pairs[i];
			Datum values[9] = {Int32GetDatum((int32) (i / match.k_b) + 1),
							   Int32GetDatum((int32) (i % match.k_b) + 1),
							   Float8GetDatum(pair->correlation),
							   Float8GetDatum(pair->t),
							   Float8GetDatum(pair->p_value),
							   Float8GetDatum(pair->q_value),
							   Float8GetDatum(pair->error),
							   BoolGetDatum(pair->matched),
							   BoolGetDatum(pair->assigned)};
			bool nulls[9] = {false, false, isnan(pair->correlation), isnan(pair->t)};

			TlvPutRow(fcinfo, values, nulls);
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

PG_FUNCTION_INFO_V1(tlv_recovery_ratio);

/* tlv_recovery_ratio(m, alpha) */
Datum
tlv_recovery_ratio(PG_FUNCTION_ARGS)
{
	return summary(fcinfo, "tlv_recovery_ratio", PG_GETARG_FLOAT8(1),
				   offsetof(tlv_membership_match, recovery_ratio));
}

PG_FUNCTION_INFO_V1(tlv_membership_error);

/* tlv_membership_error(m, alpha) */
Datum
tlv_membership_error(PG_FUNCTION_ARGS)
{
	return summary(fcinfo, "tlv_membership_error", PG_GETARG_FLOAT8(1),
				   offsetof(tlv_membership_match, error));
}

PG_FUNCTION_INFO_V1(tlv_membership_l1);

/* tlv_membership_l1(m) */
Datum
tlv_membership_l1(PG_FUNCTION_ARGS)
{
	return summary(fcinfo, "tlv_membership_l1", 0.01, offsetof(tlv_membership_match, l1));
}
