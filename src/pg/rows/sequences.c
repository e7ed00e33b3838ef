/*
 * sequences.c - hidden Markov models: collecting sequences, fitting, reading
 * the model, applying it to sequences.
 *
 * A sequence is an int[] of symbols, or a float8[] of two dimensions, steps x
 * numbers; one dimension of float8 is a sequence of single numbers.
 */
#include "multiview.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "categories.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/multiview.h"
#include "vectors.h"

typedef struct Sequence
{
	size_t n;
	int64_t *symbols; /* or NULL */
	size_t d;
	const double *x;
	void *owned; /* freed after use */
} Sequence;

/* The first element that is NULL. */
static void
refuse_null_symbol(ArrayType *array, int n)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);

	for (int i = 0; i < n; i++)
		if ((bitmap[i / 8] & (1 << (i % 8))) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("symbol %d of a sequence is null", i + 1),
					 errhint("Leave it out with array_agg(...) FILTER, or give missing steps "
							 "a symbol of their own.")));
}

static Sequence
symbols_of(Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);
	Sequence sequence = {(size_t) n, NULL, 0, NULL, NULL};

	if (ARR_ELEMTYPE(array) != INT4OID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a sequence of symbols is no integer[]")));
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a sequence of symbols has one dimension, not %d", ARR_NDIM(array)),
						errhint("Give one sequence at a time.")));
	if (ARR_HASNULL(array))
		refuse_null_symbol(array, n);
	sequence.symbols = palloc_extended((size_t) Max(n, 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
		sequence.symbols[i] = from[i];
	sequence.owned = sequence.symbols;
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
	return sequence;
}

static Sequence
vectors_of(Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	Sequence sequence = {0, NULL, 0, NULL, NULL};
	TlvVectors vectors;

	if (ARR_NDIM(array) == 0)
		return sequence;
	vectors = TlvVectorsOf(PointerGetDatum(array));
	sequence.n = vectors.many ? vectors.rows : vectors.d;
	sequence.d = vectors.many ? vectors.d : 1;
	sequence.x = vectors.x;
	if ((Pointer) array != DatumGetPointer(value))
		sequence.owned = array;
	return sequence;
}

static void
release(const Sequence *sequence)
{
	if (sequence->owned != NULL)
		pfree(sequence->owned);
}

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

/* ---- applying ---- */

static void
refuse_ability(const tlv_model *model, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s is not defined for sequences under a model of kind %s", what,
						   TlvKind(&model->frame)->name)));
}

static Datum
decode(FunctionCallInfo fcinfo, Sequence (*read)(Datum))
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	Sequence sequence;
	int32_t *states;
	Datum *values;
	ArrayType *result;

	if (model->class->decode_sequence == NULL)
		refuse_ability(model, "tlv_viterbi");
	sequence = read(PG_GETARG_DATUM(1));
	if (sequence.n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT4OID));
	states = palloc_extended(sequence.n * sizeof(int32_t), MCXT_ALLOC_HUGE);
	TlvCheck(&cache->ctx,
			 model->class->decode_sequence(&cache->ctx, model, sequence.n, sequence.symbols,
										   sequence.d, sequence.x, states));
	values = palloc_extended(sequence.n * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (size_t t = 0; t < sequence.n; t++)
		values[t] = Int32GetDatum(states[t] + 1);
	result = construct_array(values, (int) sequence.n, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	pfree(values);
	pfree(states);
	release(&sequence);
	PG_RETURN_ARRAYTYPE_P(result);
}

static Datum
posteriors(FunctionCallInfo fcinfo, Sequence (*read)(Datum))
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	size_t k;
	Sequence sequence;
	ArrayType *result;
	double *shares;

	if (model->class->infer_sequence == NULL)
		refuse_ability(model, "tlv_posteriors");
	k = model->class->components(&model->frame);
	sequence = read(PG_GETARG_DATUM(1));
	if (sequence.n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(FLOAT8OID));
	if (sequence.n > MaxAllocSize / sizeof(double) / k)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("posteriors of %zu steps in %zu states are more than one value can hold",
						sequence.n, k),
				 errhint("Cut the sequence into parts that overlap, or use tlv_viterbi.")));
	shares = palloc_extended(sequence.n * k * sizeof(double), MCXT_ALLOC_HUGE);
	TlvCheck(&cache->ctx,
			 model->class->infer_sequence(&cache->ctx, model, sequence.n, sequence.symbols,
										  sequence.d, sequence.x, shares));
	result = TlvFloat8Box(2, (size_t[2]){sequence.n, k}, shares);
	pfree(shares);
	release(&sequence);
	PG_RETURN_ARRAYTYPE_P(result);
}

static Datum
log_likelihood(FunctionCallInfo fcinfo, Sequence (*read)(Datum))
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	Sequence sequence;
	double value = 0;

	if (model->class->log_likelihood_vector != NULL && read == symbols_of)
		return TlvIntegersLogLikelihood(fcinfo);
	if (model->class->log_likelihood_sequence == NULL)
		refuse_ability(model, "the likelihood");
	sequence = read(PG_GETARG_DATUM(1));
	if (sequence.n > 0)
		TlvCheck(&cache->ctx, model->class->log_likelihood_sequence(&cache->ctx, model, sequence.n,
																	sequence.symbols, sequence.d,
																	sequence.x, &value));
	release(&sequence);
	PG_RETURN_FLOAT8(value);
}

#define SEQUENCE_FUNCTION(name, function, read)                                                    \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return function(fcinfo, read);                                                             \
	}

SEQUENCE_FUNCTION(tlv_viterbi_symbols, decode, symbols_of)
SEQUENCE_FUNCTION(tlv_viterbi_vectors, decode, vectors_of)
SEQUENCE_FUNCTION(tlv_posteriors_symbols, posteriors, symbols_of)
SEQUENCE_FUNCTION(tlv_posteriors_vectors, posteriors, vectors_of)
SEQUENCE_FUNCTION(tlv_log_likelihood_sequence, log_likelihood, vectors_of)

PG_FUNCTION_INFO_V1(tlv_log_likelihood_symbols);

/* tlv_log_likelihood(model, integers): of a row of categories where the model is of such */
Datum
tlv_log_likelihood_symbols(PG_FUNCTION_ARGS)
{
	if (TlvCachedModel(fcinfo, 0)->model->class->log_likelihood_codes != NULL)
		return TlvLogLikelihoodCodes(fcinfo);
	return log_likelihood(fcinfo, symbols_of);
}
