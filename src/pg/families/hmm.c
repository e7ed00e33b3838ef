/*
 * hmm.c - hidden Markov models: arguments of the fit and the driver, reading the model, two of
 * them compared.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "utils/builtins.h"

#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arrays.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "functions/suggest.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/views.h"

/* ---- fitting ---- */

typedef struct HmmArguments
{
	tlv_hmm_learn_options learn;
	Datum transitions, emissions; /* float8[]; 0: none */
} HmmArguments;

#define HMM_OPTION(member) offsetof(HmmArguments, learn.member)

/* Of tlv_fit_hmm and tlv_hmm. */
static const TlvArgument hmm_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, HMM_OPTION(fit.k), .least = 1},
	{"max_k", TLV_ARGUMENT_COUNT, HMM_OPTION(max_k), .least = 1, .required = true},
	{"covariance", TLV_ARGUMENT_CHOICE, HMM_OPTION(fit.covariance), .what = "covariance",
	 .names = TlvCovarianceNames},
	{"left_right", TLV_ARGUMENT_FLAG, HMM_OPTION(left_right)},
	{"transitions", TLV_ARGUMENT_DATUM, offsetof(HmmArguments, transitions)},
	{"emissions", TLV_ARGUMENT_DATUM, offsetof(HmmArguments, emissions)},
	{"refine", TLV_ARGUMENT_CHOICE, HMM_OPTION(refine), .what = "refinement",
	 .names = tlv_hmm_refinement_names},
	{"iterations", TLV_ARGUMENT_NUMBER, HMM_OPTION(fit.iterations), .least = 0},
	{"iterations", TLV_ARGUMENT_NUMBER, HMM_OPTION(iterations), .least = 0},
	TLV_DECOMPOSE_ARGUMENTS(HmmArguments, learn.fit.decompose, learn.fit.seed),
	{NULL}};

/* A matrix with a row for every state, row by row; *width gets its columns. */
static const double *
given_matrix(Datum value, const char *name, size_t *states, size_t *width)
{
	TlvVectors vectors;

	if (value == (Datum) 0)
		return NULL;
	vectors = TlvVectorsOf(TlvFetchArray(value));
	if (!vectors.many || (*states > 0 && vectors.rows != *states))
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s have no row for every state", name),
						errhint("Give an array of one row for each state.")));
	for (size_t i = 0; i < vectors.rows * vectors.d; i++)
		if (!isfinite(vectors.x[i]))
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("%s are not all finite", name)));
	*states = vectors.rows;
	*width = vectors.d;
	return vectors.x;
}

/* What is given says how many states there are, where k does not. */
static void
read_given(HmmArguments *arguments)
{
	tlv_hmm_learn_options *learn = &arguments->learn;
	size_t width = 0;

	learn->transitions =
		given_matrix(arguments->transitions, "transitions", &learn->given_states, &width);
	if (learn->transitions != NULL && width != learn->given_states)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("transitions do not form a square"),
				 errhint("Give as many columns as states.")));
	learn->emissions =
		given_matrix(arguments->emissions, "emissions", &learn->given_states, &learn->given_width);
	if (learn->fit.k == 0)
		learn->fit.k = learn->given_states;
}

static tlv_hmm_learn_options
read_hmm_arguments(FunctionCallInfo fcinfo)
{
	HmmArguments arguments = {
		.learn = {.fit = {.iterations = -1, .covariance = TLV_COVARIANCE_SPHERICAL},
				  .refine = TLV_HMM_REFINE_AUTO,
				  .iterations = -1}};

	TlvReadArguments(fcinfo, hmm_arguments, &arguments);
	read_given(&arguments);
	return arguments.learn;
}

static tlv_status
fit_hmm(tlv_context *ctx, const tlv_frame *moments, const void *argument, void **image,
		size_t *size)
{
	const tlv_hmm_learn_options *options = argument;

	if (moments->header->kind == TLV_KIND_SEQUENCE_MOMENTS)
		return tlv_hmm_fit_stored(ctx, moments, &options->fit, options->max_k, image, size);
	tlv_fail(ctx, TLV_BAD_PARAMETER, "tlv_fit_hmm needs moments of sequences, not of kind %s",
			 TlvKind(moments)->name);
	return tlv_fail_hint(ctx, "Collect them with tlv_sequence_moments(symbols), of each sequence "
							  "array_agg(symbol ORDER BY t).");
}

/* tlv_fit_hmm(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_hmm)
{
	tlv_hmm_learn_options options = read_hmm_arguments(fcinfo);

	return TlvFit(fcinfo, fit_hmm, &options);
}

/* tlv_hmm(query, ...) */
TLV_DRIVER_FUNCTION(tlv_hmm)
{
	tlv_hmm_learn_options options = read_hmm_arguments(fcinfo);
	TlvDriver *driver = TlvDriverBegin(fcinfo);

	TlvDriverCheck(driver, tlv_hmm_procedure(&options), &options);
	TlvReadSequences(driver, TlvQueryText(fcinfo, "sequences"));
	return TlvDriverLearn(fcinfo, driver, tlv_hmm_procedure(&options), &options);
}

/* ---- the number of states ---- */

static tlv_hmm_learn_options
hmm_search(const TlvSearch *search)
{
	/* As in SQL. */
	const int hmm_max_k = 10;

	return (tlv_hmm_learn_options){.fit = {.iterations = -1,
										   .covariance = TLV_COVARIANCE_SPHERICAL,
										   .seed = search->seed,
										   .decompose.seed = search->seed},
								   .max_k = search->max_k > 0 ? search->max_k : hmm_max_k,
								   .refine = TLV_HMM_REFINE_AUTO,
								   .iterations = -1};
}

static void
learn_hmm_search(FunctionCallInfo fcinfo, TlvDriver *driver, const TlvSearch *search,
				 tlv_held *model)
{
	tlv_hmm_learn_options options = hmm_search(search);

	TlvReadSequences(driver, TlvQueryText(fcinfo, "sequences"));
	TlvDriverRunProcedure(driver, tlv_hmm_procedure(&options), &options, model);
}

static tlv_status
fit_hmm_search(tlv_context *ctx, const tlv_frame *moments, const void *search, void **image,
			   size_t *size)
{
	tlv_hmm_learn_options options = hmm_search(search);

	return fit_hmm(ctx, moments, &options, image, size);
}

static const char *const hmm_criteria[] = {TLV_SUGGEST_HELD_OUT, TLV_SUGGEST_RANK, NULL};
const TlvSearcher TlvSearchHmm = {hmm_criteria, fit_hmm_search, false, learn_hmm_search};

/* ---- reading ---- */

static tlv_hmm_parts
model_argument(FunctionCallInfo fcinfo, tlv_frame *frame, const char *function)
{
	tlv_hmm_parts parts;

	*frame = TlvModelFrame(fcinfo, 0, &tlv_kind_hmm, function);
	tlv_hmm_read(frame, &parts);
	return parts;
}

/* Rows (state, label, initial, stationary, duration). */
TLV_FUNCTION(tlv_states_rows)
{
	tlv_frame frame;
	tlv_hmm_parts parts = model_argument(fcinfo, &frame, "tlv_states");
	const double *stationary = tlv_frame_float64(&frame, "stationary");

	TlvInitRows(fcinfo);
	for (size_t j = 0; j < parts.k; j++)
	{
		double stays = parts.transitions[j * parts.k + j];

		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvComponentLabel(&frame, j),
				  TlvFloat8(parts.initial[j]), TlvFloat8(stationary[j]),
				  TlvNullIf(stays >= 1, TlvFloat8(1 / (1 - stays))));
	}
	return (Datum) 0;
}

/* Rows (from_state, to_state, probability). */
TLV_FUNCTION(tlv_transitions_rows)
{
	tlv_frame frame;
	tlv_hmm_parts parts = model_argument(fcinfo, &frame, "tlv_transitions");

	TlvInitRows(fcinfo);
	for (size_t from = 0; from < parts.k; from++)
		for (size_t to = 0; to < parts.k; to++)
			TlvPutRow(fcinfo, TlvInt4((int32) from + 1), TlvInt4((int32) to + 1),
					  TlvFloat8(parts.transitions[from * parts.k + to]));
	return (Datum) 0;
}

/* Rows (state, symbol, symbol_name, probability). */
TLV_FUNCTION(tlv_emissions_rows)
{
	tlv_frame frame;
	tlv_hmm_parts parts = model_argument(fcinfo, &frame, "tlv_emissions");

	if (parts.gaussian)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model is of vectors"),
						errhint("Use tlv_means(model).")));
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < parts.k; j++)
		for (size_t i = 0; i < parts.d; i++)
			TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvInt8(parts.items[i]),
					  TlvNameCell(&parts.names, i, parts.items[i]),
					  TlvFloat8(parts.emissions[i * parts.k + j]));
	return (Datum) 0;
}
