/*
 * hmm_match.c - the states of two hidden Markov models, one to one.
 */
#include "hmm_match.h"

#include "tensorlv/model/hmm.h"
#include "multiview.h"

/* Rows (component_a, component_b, error): of the emissions, or of the transitions. */
static Datum
match_rows(FunctionCallInfo fcinfo, const char *function, bool transitions)
{
	tlv_frame frame_a = TlvModelFrame(fcinfo, 0, &tlv_kind_hmm, function);
	tlv_frame frame_b = TlvModelFrame(fcinfo, 1, &tlv_kind_hmm, function);
	tlv_hmm_parts a, b;
	int64_t *assignment;
	double *error;
	TlvWork *work;

	tlv_hmm_read(&frame_a, &a);
	tlv_hmm_read(&frame_b, &b);
	assignment = palloc(a.k * sizeof(int64_t));
	error = palloc(a.k * sizeof(double));
	work = TlvWorkBegin("tensorlv match");
	TlvCheck(&work->ctx, tlv_hmm_match(&work->ctx, &a, &b, assignment, error));
	TlvWorkEnd(work);
	if (transitions)
		tlv_hmm_match_transitions(&a, &b, assignment, error);
	return TlvPutMatches(fcinfo, a.k, assignment, error);
}

Datum
TlvMatchChains(FunctionCallInfo fcinfo)
{
	return match_rows(fcinfo, "tlv_match", false);
}

PG_FUNCTION_INFO_V1(tlv_match_transitions);

/* tlv_match_transitions(a, b) */
Datum
tlv_match_transitions(PG_FUNCTION_ARGS)
{
	return match_rows(fcinfo, "tlv_match_transitions", true);
}
