/*
 * tree_apply.c - posteriors of hidden nodes and missing variables as rows, and rows drawn from a
 * tree.
 */
#include "tree.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "rows/categories.h"
#include "rows/vectors.h"

/* ---- posteriors ---- */

static void
refuse_shape(const ArrayType *array)
{
	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a row has one dimension, not %d", ARR_NDIM(array)),
						errhint("It has one element for each variable of the tree.")));
}

/* The model of argument 0, a tree of that kind whose parameters are known. */
static TlvModelCache *
tree_with_parameters(FunctionCallInfo fcinfo, bool gaussian)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	const tlv_frame *frame = &cache->model->frame;

	TlvRequireKind(frame, &tlv_kind_tree, "tlv_tree_posterior");
	if ((tlv_frame_scalar(frame, "gaussian", 0) == 1) != gaussian)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the rows of this tree are of type %s",
							   gaussian ? "integer[]" : "float8[]")));
	return cache;
}

/* Names of the nodes of an opened model: in memory of the call. */
static char **
node_names(TlvModelCache *cache, tlv_tree_parts *parts)
{
	char **names;

	tlv_tree_read(&cache->model->frame, parts);
	TlvCheck(&cache->ctx, tlv_tree_names(&cache->ctx, parts, &names));
	for (size_t v = 0; v < parts->p; v++) /* a value may come from elsewhere */
		pg_verifymbstr(names[v], (int) strlen(names[v]), false);
	return names;
}

PG_FUNCTION_INFO_V1(tlv_tree_posterior_codes);

/* tlv_tree_posterior(model, v integer[]): rows (node, state, probability) */
Datum
tlv_tree_posterior_codes(PG_FUNCTION_ARGS)
{
	TlvModelCache *cache = tree_with_parameters(fcinfo, false);
	TlvCodes codes = TlvCodesOf(PG_GETARG_DATUM(1));
	tlv_tree_parts parts;
	char **names = node_names(cache, &parts);
	size_t at = 0;
	double *posterior;

	posterior =
		palloc(Max(cache->model->class->posterior_size(cache->model, codes.p, codes.values), 1) *
			   sizeof(double));
	TlvCheck(&cache->ctx, cache->model->class->infer_codes(&cache->ctx, cache->model, codes.p,
														   codes.values, posterior));
	TlvInitRows(fcinfo);
	for (size_t i = 0; i < parts.nodes; i++)
	{
		/* Hidden nodes first, then what is missing. */
		size_t v = i < parts.nodes - parts.p ? parts.p + i : i - (parts.nodes - parts.p);

		if (v < parts.p && codes.values[v] >= 0)
			continue;
		for (int64_t x = 0; x < parts.states[v]; x++)
		{
			Datum row[3] = {CStringGetTextDatum(names[v]), Int32GetDatum((int32) x),
							Float8GetDatum(posterior[at++])};
			bool nulls[3] = {false, false, false};

			TlvPutRow(fcinfo, row, nulls);
		}
	}
	tlv_tree_names_free(&cache->ctx, names);
	return (Datum) 0;
}

/* Elements, NaN where they are NULL. */
static double *
numbers_of(ArrayType *array, size_t *d)
{
	Datum *elements;
	bool *nulls;
	double *x;
	int n;

	refuse_shape(array);
	deconstruct_array(array, FLOAT8OID, sizeof(double), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements,
					  &nulls, &n);
	x = palloc((Size) Max(n, 1) * sizeof(double));
	for (int i = 0; i < n; i++)
	{
		x[i] = nulls[i] ? NAN : DatumGetFloat8(elements[i]);
		if (!nulls[i] && !isfinite(x[i]))
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("element %d is not finite", i + 1),
							errhint("What is missing is null.")));
	}
	*d = (size_t) n;
	return x;
}

static void
put_moments(FunctionCallInfo fcinfo, const char *node, int64_t dimension, double mean,
			double variance)
{
	Datum row[4] = {CStringGetTextDatum(node), Int32GetDatum((int32) dimension),
					Float8GetDatum(mean), Float8GetDatum(variance)};
	bool nulls[4] = {false, false, false, false};

	TlvPutRow(fcinfo, row, nulls);
}

PG_FUNCTION_INFO_V1(tlv_tree_posterior_numbers);

/* tlv_tree_posterior(model, x float8[]): rows (node, dimension, mean, variance) */
Datum
tlv_tree_posterior_numbers(PG_FUNCTION_ARGS)
{
	TlvModelCache *cache = tree_with_parameters(fcinfo, true);
	size_t d, n, at = 0;
	double *x = numbers_of(PG_GETARG_ARRAYTYPE_P(1), &d), *means, *variances;
	tlv_tree_parts parts;
	char **names = node_names(cache, &parts);
	int64_t *seen;

	n = Max(tlv_tree_posterior_size_gaussian(cache->model, d, x), 1);
	means = palloc(n * sizeof(double));
	variances = palloc(n * sizeof(double));
	TlvCheck(&cache->ctx,
			 tlv_tree_infer_gaussian(&cache->ctx, cache->model, d, x, means, variances));
	TlvInitRows(fcinfo);
	for (size_t v = parts.p; v < parts.nodes; v++)
		for (int64_t i = 1; i <= parts.states[v]; i++, at++)
			put_moments(fcinfo, names[v], i, means[at], variances[at]);
	seen = palloc0(parts.p * sizeof(int64_t));
	for (size_t j = 0; j < d; j++)
	{
		int64_t v = parts.column[j];

		seen[v]++;
		if (!isnan(x[j]))
			continue;
		put_moments(fcinfo, names[v], seen[v], means[at], variances[at]);
		at++;
	}
	tlv_tree_names_free(&cache->ctx, names);
	return (Datum) 0;
}

bool
TlvIsTree(FunctionCallInfo fcinfo)
{
	return TlvKind(&TlvCachedModel(fcinfo, 0)->model->frame) == &tlv_kind_tree;
}

/* Means of the hidden nodes' elements, then of the missing elements. */
Datum
TlvTreeInferNumbers(FunctionCallInfo fcinfo)
{
	TlvModelCache *cache = tree_with_parameters(fcinfo, true);
	size_t d, n;
	double *x = numbers_of(PG_GETARG_ARRAYTYPE_P(1), &d), *means;

	n = tlv_tree_posterior_size_gaussian(cache->model, d, x);
	means = palloc(Max(n, 1) * sizeof(double));
	TlvCheck(&cache->ctx,
			 cache->model->class->infer_vector(&cache->ctx, cache->model, d, x, means));
	PG_RETURN_ARRAYTYPE_P(TlvFloat8Array(n, means));
}

Datum
TlvTreeLogLikelihoodNumbers(FunctionCallInfo fcinfo)
{
	TlvModelCache *cache = tree_with_parameters(fcinfo, true);
	size_t d;
	double *x = numbers_of(PG_GETARG_ARRAYTYPE_P(1), &d), value;

	TlvCheck(&cache->ctx,
			 cache->model->class->log_likelihood_vector(&cache->ctx, cache->model, d, x, &value));
	PG_RETURN_FLOAT8(value);
}

/* ---- simulation ---- */

PG_FUNCTION_INFO_V1(tlv_simulate_tree_model);

/* tlv_simulate_tree_model(variables, states, kind, observed_states, contractions, low, high, seed)
 */
Datum
tlv_simulate_tree_model(PG_FUNCTION_ARGS)
{
	size_t p = TlvCountArgument(fcinfo, 0, "variables", 3);
	size_t contractions = TlvCountArgument(fcinfo, 4, "contractions", 0);
	tlv_tree_simulation options = {0};
	const char *kind = PG_ARGISNULL(2) ? "categorical" : text_to_cstring(PG_GETARG_TEXT_PP(2));
	tlv_tree tree;
	TlvMaker maker;

	options.gaussian = strcmp(kind, "gaussian") == 0;
	if (!options.gaussian && strcmp(kind, "categorical") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no kind of tree \"%.40s\"", kind),
						errhint("Use 'categorical' or 'gaussian'.")));
	options.hidden_states = TlvCountArgument(fcinfo, 1, "states", 1);
	options.observed_states =
		PG_ARGISNULL(3) ? options.hidden_states : TlvCountArgument(fcinfo, 3, "observed_states", 2);
	options.low = PG_ARGISNULL(5) ? 0.6 : PG_GETARG_FLOAT8(5);
	options.high = PG_ARGISNULL(6) ? 0.9 : PG_GETARG_FLOAT8(6);
	options.seed = TlvSeedArgument(fcinfo, 7);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_tree_random(maker.ctx, p, contractions, options.seed, &tree));
	TlvCheck(maker.ctx,
			 tlv_tree_simulate_model(maker.ctx, &tree, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

static Datum
codes_datum(size_t n, const int32_t *codes)
{
	Datum *values = palloc(Max(n, 1) * sizeof(Datum));

	for (size_t i = 0; i < n; i++)
		values[i] = Int32GetDatum(codes[i]);
	return PointerGetDatum(
		construct_array(values, (int) n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

PG_FUNCTION_INFO_V1(tlv_simulate_tree);

/* tlv_simulate_tree(model, rows, seed): rows (row, v, hidden, x) */
Datum
tlv_simulate_tree(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_tree, "tlv_simulate_tree");
	size_t rows = TlvCountArgument(fcinfo, 1, "rows", 0);
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	MemoryContext each = AllocSetContextCreate(work->mcxt, "tensorlv row", ALLOCSET_DEFAULT_SIZES);
	tlv_tree_sampler *sampler;
	tlv_tree_parts parts;
	int32_t *codes;
	double *x;
	tlv_rng rng;

	tlv_tree_read(&frame, &parts);
	tlv_rng_seed(&rng, TlvSeedArgument(fcinfo, 2));
	TlvCheck(&work->ctx, tlv_tree_sampler_create(&work->ctx, &frame, &sampler));
	codes = palloc0(parts.nodes * sizeof(int32_t));
	x = palloc0(Max(parts.columns, 1) * sizeof(double));
	TlvInitRows(fcinfo);
	for (size_t r = 0; r < rows; r++)
	{
		MemoryContext old = MemoryContextSwitchTo(each);
		Datum values[4] = {Int64GetDatum((int64) r + 1), (Datum) 0, (Datum) 0, (Datum) 0};
		bool nulls[4] = {false, parts.gaussian, parts.gaussian, !parts.gaussian};

		tlv_tree_sample(sampler, &rng, codes, x);
		if (parts.gaussian)
			values[3] = PointerGetDatum(TlvFloat8Array(parts.columns, x));
		else
		{
			values[1] = codes_datum(parts.p, codes);
			values[2] = codes_datum(parts.nodes - parts.p, codes + parts.p);
		}
		TlvPutRow(fcinfo, values, nulls);
		MemoryContextSwitchTo(old);
		MemoryContextReset(each);
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
