/*
 * simulate_lda.c - true models and documents drawn from them, for users' own
 * checks, the tests and the benches.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "rows/any.h"
#include "rows/vectors.h"
#include "server/arrays.h"
#include "server/arguments.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/model/topics.h"

/* Refuses topics that no value holds before memory is asked for. */
static void
simulate_lda_require_room(size_t d, size_t k)
{
	if ((double) d * (double) k * sizeof(double) > TLV_FRAME_MAX_BYTES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%zu topics over %zu items are too many for one value", k, d)));
}

static double
positive_argument(FunctionCallInfo fcinfo, const char *name)
{
	double value = TlvArgumentIsNull(fcinfo, name) ? 0 : TlvNamedNumber(fcinfo, name);

	if (!(value > 0 && value <= 1e9))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s = %g is not a number above 0", name, value)));
	return value;
}

/*
 * tlv_simulate_lda_model(items, k, alpha0, concentration, seed): topics
 * Dirichlet(concentration) over items 1 .. n, alpha = alpha0 / k each
 */
TLV_FUNCTION(tlv_simulate_lda_model)
{
	size_t d = TlvNamedCount(fcinfo, "items", 1);
	size_t k = TlvNamedCount(fcinfo, "k", 1);
	double alpha0 = positive_argument(fcinfo, "alpha0");
	double concentration = positive_argument(fcinfo, "concentration");
	uint64 seed = TlvNamedSeed(fcinfo);
	TlvMaker maker;
	double *phi, *alpha;
	int64_t *items;
	tlv_rng rng;

	simulate_lda_require_room(d, k);
	TlvMakerBegin(&maker, "tensorlv simulation");
	maker.ctx->arena.limit = SIZE_MAX;
	phi = MemoryContextAllocHuge(maker.work->mcxt, d * k * sizeof(double));
	alpha = MemoryContextAllocHuge(maker.work->mcxt, k * sizeof(double));
	items = MemoryContextAllocHuge(maker.work->mcxt, d * sizeof(int64_t));
	tlv_rng_seed(&rng, seed);
	TlvCheck(maker.ctx, tlv_topic_random(maker.ctx, k, d, concentration, &rng, phi));
	for (size_t i = 0; i < d; i++)
		items[i] = (int64_t) i + 1;
	for (size_t j = 0; j < k; j++)
		alpha[j] = alpha0 / (double) k;
	TlvCheck(maker.ctx,
			 tlv_lda_from_parameters(
				 maker.ctx,
				 &(tlv_lda_parameters){
					 .k = k, .d = d, .items = items, .phi = phi, .alpha = alpha, .seed = seed},
				 &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

typedef struct Simulation
{
	size_t k;
	size_t length;
	const int64_t *items;
	tlv_topic_simulator *simulator;
	double *theta;
	int32_t *index;
	double *count;
	int64_t *own_items;
} Simulation;

static void
put_document(FunctionCallInfo fcinfo, TlvWork *work, Simulation *s, int64 doc, uint64 seed)
{
	size_t n;
	tlv_rng rng;

	tlv_rng_stream(&rng, seed, (uint64) doc);
	TlvCheck(&work->ctx, tlv_topic_simulate(&work->ctx, s->simulator, &rng, s->length, s->theta, &n,
											s->index, s->count));
	for (size_t i = 0; i < n; i++)
		s->own_items[i] = s->items[s->index[i]];
	TlvPutRow(fcinfo, TlvInt8(doc), TlvOwned(TlvBagValue(n, s->own_items, s->count)),
			  TlvOwned(TlvFloat8Array(s->k, s->theta)));
}

/* tlv_simulate_lda(model, documents, length, seed): rows (doc, bag, shares) */
TLV_FUNCTION(tlv_simulate_lda)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_lda, "tlv_simulate_lda");
	size_t documents = TlvNamedCount(fcinfo, "documents", 0);
	uint64 seed = TlvNamedSeed(fcinfo);
	TlvWork *work;
	tlv_topics topics;
	Simulation s;

	s.length = TlvNamedCount(fcinfo, "length", 1);
	if (s.length > 10000000)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("length = %zu is more than 10000000", s.length)));
	if (tlv_frame_scalar(&frame, "alpha0", 0) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("documents of the single topic model are not simulated"),
						errhint("Use a small alpha0 instead of 0.")));
	TlvInitRows(fcinfo);
	work = TlvWorkBegin("tensorlv simulation");
	work->ctx.arena.limit = SIZE_MAX;
	topics.k = s.k = tlv_frame_find(&frame, "phi")->rows;
	topics.d = tlv_frame_find(&frame, "phi")->columns;
	topics.phi = tlv_frame_float64(&frame, "phi");
	topics.alpha = tlv_frame_float64(&frame, "alpha");
	s.items = tlv_frame_int64(&frame, "items");
	s.theta = MemoryContextAlloc(work->mcxt, s.k * sizeof(double));
	s.index = MemoryContextAlloc(work->mcxt, s.length * sizeof(int32_t));
	s.count = MemoryContextAlloc(work->mcxt, s.length * sizeof(double));
	s.own_items = MemoryContextAlloc(work->mcxt, s.length * sizeof(int64_t));
	TlvCheck(&work->ctx, tlv_topic_simulator_create(&work->ctx, &topics, &s.simulator));
	if (tlv_lda_is_correlated(&frame))
	{
		tlv_logistic_normal normal = {s.k, tlv_frame_float64(&frame, "logistic_mean"),
									  tlv_frame_float64(&frame, "logistic_covariance")};

		TlvCheck(&work->ctx, tlv_topic_simulator_correlate(&work->ctx, s.simulator, &normal));
	}
	for (size_t t = 1; t <= documents; t++)
		put_document(fcinfo, work, &s, (int64) t, seed);
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* The elements of an array without NULL, where they lie. */
static const void *
array_elements(FunctionCallInfo fcinfo, const char *name, int *n)
{
	ArrayType *array = TlvNamedArray(fcinfo, name);
	int null = TlvFirstNull(array);

	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (null >= 0)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("element %d of %s is null", null + 1, name)));
	return ARR_DATA_PTR(array);
}

/* As an unsigned number in the same order, and back. */
#define SIGN_TURNED(item) ((item) ^ PG_INT64_MIN)

/* Distinct items, ascending, in time that no choice of items makes more than linear. */
static size_t
distinct_items(size_t n, const int64 *values, int64_t **items)
{
	static const tlv_sort_form form = {sizeof(int64_t), sizeof(int64_t), 0, 64};
	int64_t *turned = TlvAllocElements(2 * n, sizeof(int64_t)), *sorted;
	tlv_context ctx = TlvCallContext();
	size_t d = 0;

	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		turned[i] = SIGN_TURNED(values[i]);
	}
	TlvCheck(&ctx, tlv_radix_sort(&ctx, &form, n, turned, turned + n, (void **) &sorted));
	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		if (d == 0 || sorted[d - 1] != SIGN_TURNED(sorted[i]))
			sorted[d++] = SIGN_TURNED(sorted[i]);
	}
	*items = sorted;
	return d;
}

/* Items of a model made by hand: numbers, or the ids of terms with the terms. */
typedef struct GivenItems
{
	int n;
	const int64 *ids;
	Datum *terms; /* NULL: items are numbers */
} GivenItems;

/* The ids of an array of terms without NULL. */
static GivenItems
items_of_terms(ArrayType *array, const char *name)
{
	GivenItems given = {0};
	bool *nulls;
	int64 *ids;

	given.n = TlvArrayElements(array, sizeof(int64), &given.terms, &nulls);
	ids = palloc_extended(Max(given.n, 1) * sizeof(int64), MCXT_ALLOC_HUGE);
	for (int i = 0; i < given.n; i++)
	{
		text *term;

		TlvLoopCheck(i);
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("element %d of %s is null", i + 1, name)));
		term = DatumGetTextPP(given.terms[i]);
		ids[i] = TlvTermId(VARDATA_ANY(term), VARSIZE_ANY_EXHDR(term));
	}
	given.ids = ids;
	return given;
}

/* An array in its text form: of numbers, or of terms. */
static GivenItems
items_of_text(char *value)
{
	ArrayType *terms = TlvArrayOfText(value, TEXTOID);
	GivenItems given = items_of_terms(terms, "items");

	if (!TlvAreNumbers(terms))
		return given;
	given.ids = (const int64 *) ARR_DATA_PTR(TlvArrayOfText(value, INT8OID));
	given.terms = NULL;
	return given;
}

/* The terms of the d items, one behind the other, and their offsets (d + 1). */
static const char *
item_labels(const GivenItems *given, size_t d, const int64_t *items, const int64_t **offsets)
{
	text **term = palloc_extended(d * sizeof(text *), MCXT_ALLOC_HUGE);
	int64_t *at = palloc_extended((d + 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
	char *bytes;

	for (int i = 0; i < given->n; i++)
	{
		size_t item = tlv_find_id(items, d, given->ids[i]);

		TlvLoopCheck(i);
		term[item] = DatumGetTextPP(given->terms[i]);
	}
	at[0] = 0;
	for (size_t i = 0; i < d; i++)
		at[i + 1] = at[i] + (int64_t) VARSIZE_ANY_EXHDR(term[i]);
	bytes = palloc_extended((size_t) Max(at[d], 1), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < d; i++)
	{
		TlvLoopCheck(i);
		memcpy(bytes + at[i], VARDATA_ANY(term[i]), VARSIZE_ANY_EXHDR(term[i]));
	}
	*offsets = at;
	return bytes;
}

/* A model from rows of (topic, item, probability), topics numbered from 1. */
static struct varlena *
make_topic_model(FunctionCallInfo fcinfo, const GivenItems *given)
{
	int n, n_probabilities, n_alpha;
	const int32 *topics = array_elements(fcinfo, "topics", &n);
	const double *probabilities = array_elements(fcinfo, "probabilities", &n_probabilities);
	const double *alpha = array_elements(fcinfo, "alpha", &n_alpha);
	tlv_lda_parameters parameters = {.k = (size_t) n_alpha, .alpha = alpha, .seed = 1};
	size_t k = (size_t) n_alpha;
	int64_t *items;
	double *phi;
	TlvMaker maker;

	if (n != given->n || n != n_probabilities || n == 0 || k == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("%d %s, %d %s, %d %s, %d alpha", n, tlv_plural((double) n, "topic", "topics"),
					given->n, tlv_plural((double) given->n, "item", "items"), n_probabilities,
					tlv_plural((double) n_probabilities, "probability", "probabilities"), n_alpha),
			 errhint("The first three arrays have one element per (topic, item) pair, alpha "
					 "has one per topic.")));
	parameters.d = distinct_items((size_t) n, given->ids, &items);
	simulate_lda_require_room(parameters.d, k);
	TlvRequireBytes((double) k * (double) parameters.d * sizeof(double), "the topics");
	phi = palloc_extended(k * parameters.d * sizeof(double), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < n; i++)
	{
		size_t at = tlv_find_id(items, parameters.d, given->ids[i]);

		TlvLoopCheck(i);
		if (topics[i] < 1 || (size_t) topics[i] > k)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("topic %d is not between 1 and %zu", topics[i], k)));
		phi[at * k + (size_t) topics[i] - 1] += probabilities[i];
	}
	parameters.items = items;
	parameters.phi = phi;
	if (given->terms != NULL)
		parameters.labels = item_labels(given, parameters.d, items, &parameters.label_offsets);
	TlvMakerBegin(&maker, "tensorlv model");
	TlvCheck(maker.ctx, tlv_lda_from_parameters(maker.ctx, &parameters, &maker.image, &maker.size));
	return TlvMakerEnd(&maker);
}

/* tlv_topic_model(topics int[], items bigint[], probabilities float8[], alpha float8[]) */
TLV_KEEPING_FUNCTION(tlv_topic_model)
{
	GivenItems given = {0};

	TlvRequireArrays(fcinfo, 0, 4);
	given.ids = array_elements(fcinfo, "items", &given.n);
	PG_RETURN_POINTER(make_topic_model(fcinfo, &given));
}

/* The same of terms. */
TLV_KEEPING_FUNCTION(tlv_topic_model_terms)
{
	GivenItems given;

	TlvRequireByteEquality(fcinfo, false);
	TlvRequireArrays(fcinfo, 0, 4);
	given = items_of_terms(TlvNamedArray(fcinfo, "terms"), "terms");
	PG_RETURN_POINTER(make_topic_model(fcinfo, &given));
}

/* The same of an array whose type the client did not give. */
TLV_KEEPING_FUNCTION(tlv_topic_model_untyped)
{
	GivenItems given = {0};

	if (PG_ARGISNULL(1))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("items is null")));
	TlvRequireArrays(fcinfo, 0, 4);
	given = items_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	PG_RETURN_POINTER(make_topic_model(fcinfo, &given));
}
