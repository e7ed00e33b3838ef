/*
 * hmm.c - hidden Markov models: fitting to moments, reading the model, two of them compared.
 */
#include "multiview.h"

#include "rows/vectors.h"
#include "tensorlv/model/hmm.h"

/* ---- fitting ---- */

PG_FUNCTION_INFO_V1(tlv_fit_hmm);

/* tlv_fit_hmm(m, k, iterations, method, seed, restarts, steps) */
Datum
tlv_fit_hmm(PG_FUNCTION_ARGS)
{
	tlv_hmm_options options = {0};
	struct varlena *result;
	tlv_frame frame;
	TlvWork *work;
	void *image;
	size_t size;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options.k = TlvCountArgument(fcinfo, 1, "k", 1);
	options.iterations = TlvIterationsArgument(fcinfo, 2, TLV_CELL_ITERATIONS);
	options.seed = TlvDecomposeOptions(fcinfo, 3, &options.decompose);
	frame = TlvFrame(PG_GETARG_TLV(0));
	if (frame.header->kind != TLV_KIND_SEQUENCE_MOMENTS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tlv_fit_hmm needs moments of sequences, not of kind %s",
							   TlvKind(&frame)->name),
						errhint("Collect them with tlv_sequence_moments(array_agg(symbol ORDER BY "
								"t)).")));
	work = TlvWorkBegin("tensorlv fit");
	TlvCheck(&work->ctx, tlv_hmm_fit(&work->ctx, &frame, &options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	PG_RETURN_POINTER(result);
}

/* ---- reading ---- */

static tlv_hmm_parts
model_argument(FunctionCallInfo fcinfo, tlv_frame *frame, const char *function)
{
	tlv_hmm_parts parts;

	*frame = TlvModelFrame(fcinfo, 0, &tlv_kind_hmm, function);
	tlv_hmm_read(frame, &parts);
	return parts;
}

PG_FUNCTION_INFO_V1(tlv_states_rows);

/* Rows (state, initial, stationary). */
Datum
tlv_states_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame;
	tlv_hmm_parts parts = model_argument(fcinfo, &frame, "tlv_states");
	const double *stationary = tlv_frame_float64(&frame, "stationary");

	TlvInitRows(fcinfo);
	for (size_t j = 0; j < parts.k; j++)
	{
		Datum values[3] = {Int32GetDatum((int32) j + 1), Float8GetDatum(parts.initial[j]),
						   Float8GetDatum(stationary[j])};
		bool nulls[3] = {false, false, false};

		TlvPutRow(fcinfo, values, nulls);
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_transitions_rows);

/* Rows (from_state, to_state, probability). */
Datum
tlv_transitions_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame;
	tlv_hmm_parts parts = model_argument(fcinfo, &frame, "tlv_transitions");

	TlvInitRows(fcinfo);
	for (size_t from = 0; from < parts.k; from++)
		for (size_t to = 0; to < parts.k; to++)
		{
			Datum values[3] = {Int32GetDatum((int32) from + 1), Int32GetDatum((int32) to + 1),
							   Float8GetDatum(parts.transitions[from * parts.k + to])};
			bool nulls[3] = {false, false, false};

			TlvPutRow(fcinfo, values, nulls);
		}
	return (Datum) 0;
}

static void
require_form(const tlv_hmm_parts *parts, bool gaussian)
{
	if (parts->gaussian != gaussian)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the model is of %s", gaussian ? "symbols" : "vectors"),
				 errhint("Use %s.", gaussian ? "tlv_emissions(model)" : "tlv_state_means(model)")));
}

PG_FUNCTION_INFO_V1(tlv_emissions_rows);

/* Rows (state, symbol, probability). */
Datum
tlv_emissions_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame;
	tlv_hmm_parts parts = model_argument(fcinfo, &frame, "tlv_emissions");

	require_form(&parts, false);
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < parts.k; j++)
		for (size_t i = 0; i < parts.d; i++)
		{
			Datum values[3] = {Int32GetDatum((int32) j + 1), Int64GetDatum(parts.items[i]),
							   Float8GetDatum(parts.emissions[i * parts.k + j])};
			bool nulls[3] = {false, false, false};

			TlvPutRow(fcinfo, values, nulls);
		}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_state_means_rows);

/* Rows (state, mean, variance). */
Datum
tlv_state_means_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame;
	tlv_hmm_parts parts = model_argument(fcinfo, &frame, "tlv_state_means");

	require_form(&parts, true);
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < parts.k; j++)
	{
		Datum values[3] = {Int32GetDatum((int32) j + 1),
						   PointerGetDatum(TlvFloat8Array(parts.d, parts.emissions + j * parts.d)),
						   Float8GetDatum(parts.variances[j])};
		bool nulls[3] = {false, false, false};

		TlvPutRow(fcinfo, values, nulls);
	}
	return (Datum) 0;
}

/* ---- two models ---- */

PG_FUNCTION_INFO_V1(tlv_match_transitions);

/* tlv_match_transitions(a, b): rows (component_a, component_b, error) */
Datum
tlv_match_transitions(PG_FUNCTION_ARGS)
{
	tlv_frame frame_a = TlvModelFrame(fcinfo, 0, &tlv_kind_hmm, "tlv_match_transitions");
	tlv_frame frame_b = TlvModelFrame(fcinfo, 1, &tlv_kind_hmm, "tlv_match_transitions");
	TlvWork *work = TlvWorkBegin("tensorlv match");
	tlv_hmm_parts a, b;
	tlv_match match;

	TlvCheck(&work->ctx, tlv_model_match(&work->ctx, &frame_a, &frame_b, &match));
	tlv_hmm_read(&frame_a, &a);
	tlv_hmm_read(&frame_b, &b);
	tlv_hmm_match_transitions(&a, &b, match.component, match.distance);
	TlvPutMatch(fcinfo, &match);
	TlvWorkEnd(work);
	return (Datum) 0;
}
