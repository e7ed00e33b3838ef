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

#include "rows/vectors.h"
#include "server/arguments.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/model/topics.h"

/* Refuses topics that no value holds before memory is asked for. */
static void
require_room(size_t d, size_t k)
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

	require_room(d, k);
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
	TlvCheck(maker.ctx, tlv_lda_from_parameters(
							maker.ctx, &(tlv_lda_parameters){k, d, items, phi, alpha, seed},
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
	for (size_t t = 1; t <= documents; t++)
		put_document(fcinfo, work, &s, (int64) t, seed);
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* Numbers of a one-dimensional array without NULL. */
static Datum *
array_values(FunctionCallInfo fcinfo, Oid type, int16 length, const char *name, int *n)
{
	ArrayType *array = TlvNamedArray(fcinfo, name);
	Datum *values;
	bool *nulls;

	deconstruct_array(array, type, length, length == 8 ? FLOAT8PASSBYVAL : true,
					  length == 8 ? TYPALIGN_DOUBLE : TYPALIGN_INT, &values, &nulls, n);
	for (int i = 0; i < *n; i++)
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("element %d of %s is null", i + 1, name)));
	return values;
}

static int
compare_items(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

	return x < y ? -1 : x > y;
}

/* Distinct items, ascending. */
static size_t
distinct_items(int n, const Datum *values, int64_t *items)
{
	size_t d = 0;

	for (int i = 0; i < n; i++)
		items[i] = DatumGetInt64(values[i]);
	qsort(items, (size_t) n, sizeof(int64_t), compare_items);
	for (int i = 0; i < n; i++)
		if (d == 0 || items[d - 1] != items[i])
			items[d++] = items[i];
	return d;
}

/*
 * tlv_topic_model(topics int[], items bigint[], probabilities float8[], alpha float8[]): a model
 * from rows of (topic, item, probability), topics numbered from 1
 */
TLV_FUNCTION(tlv_topic_model)
{
	int n, n_items, n_probabilities, n_alpha;
	Datum *topics = array_values(fcinfo, INT4OID, 4, "topics", &n);
	Datum *item_values = array_values(fcinfo, INT8OID, 8, "items", &n_items);
	Datum *probabilities = array_values(fcinfo, FLOAT8OID, 8, "probabilities", &n_probabilities);
	Datum *alphas = array_values(fcinfo, FLOAT8OID, 8, "alpha", &n_alpha);
	int64_t *items;
	double *phi, *alpha;
	size_t d, k = (size_t) n_alpha;
	TlvMaker maker;

	if (n != n_items || n != n_probabilities || n == 0 || k == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%d topics, %d items, %d probabilities, %d alpha", n, n_items,
						n_probabilities, n_alpha),
				 errhint("The first three arrays have one element per (topic, item) pair, alpha "
						 "has one per topic.")));
	items = palloc_extended((Size) n * sizeof(int64_t), MCXT_ALLOC_HUGE);
	d = distinct_items(n, item_values, items);
	require_room(d, k);
	phi = palloc_extended(k * d * sizeof(double), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	alpha = palloc(k * sizeof(double));
	for (size_t j = 0; j < k; j++)
		alpha[j] = DatumGetFloat8(alphas[j]);
	for (int i = 0; i < n; i++)
	{
		int32 topic = DatumGetInt32(topics[i]);
		int64_t item = DatumGetInt64(item_values[i]);
		int64_t *at = bsearch(&item, items, d, sizeof(int64_t), compare_items);

		if (topic < 1 || (size_t) topic > k)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("topic %d is not between 1 and %zu", topic, k)));
		phi[(size_t) (at - items) * k + (size_t) topic - 1] += DatumGetFloat8(probabilities[i]);
	}
	TlvMakerBegin(&maker, "tensorlv model");
	maker.ctx->arena.limit = SIZE_MAX;
	TlvCheck(maker.ctx,
			 tlv_lda_from_parameters(maker.ctx, &(tlv_lda_parameters){k, d, items, phi, alpha, 1},
									 &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}
