/*
 * aggregates.c - transition, combine and roll-up functions of tlv_moments; combining and
 * adding work for tlv_graph, too.
 *
 * The public type is the transition type: a state travels between
 * workers, shards, tables and backups as an ordinary value.  Within an
 * aggregate it is an expanded object that is changed in place.
 */
#include "tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

TlvExpanded *
TlvStateArgument(FunctionCallInfo fcinfo, TlvShared *shared, TlvMakeAccumulator make)
{
	TlvExpanded *expanded = TlvLiveState(fcinfo);

	return expanded != NULL ? expanded : TlvBeginState(fcinfo, shared, make(fcinfo, shared));
}

/* Adds one bag that may be NULL. */
static void
add_bag(TlvExpanded *expanded, Datum value, bool isnull)
{
	tlv_accumulator *accumulator = expanded->accumulator;
	struct varlena *bag;

	if (accumulator->class->add_bag == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows of %s are not bags", accumulator->class->name)));
	if (isnull)
	{
		accumulator->nulls++;
		return;
	}
	bag = (struct varlena *) PG_DETOAST_DATUM(value);
	TlvCheck(&expanded->shared->ctx,
			 accumulator->class->add_bag(&expanded->shared->ctx, accumulator, TLV_BAG(bag)));
	if ((Pointer) bag != DatumGetPointer(value))
		pfree(bag);
}

/* Transition with the bag in the given argument. */
static Datum
accumulate_argument(FunctionCallInfo fcinfo, int bag, TlvMakeAccumulator make)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = TlvStateArgument(fcinfo, shared, make);

	add_bag(expanded, PG_GETARG_DATUM(bag), PG_ARGISNULL(bag));
	return TlvExpandedDatum(expanded);
}

/* Transition with an array of bags, many observations in one row, in the given argument. */
static Datum
accumulate_arrays(FunctionCallInfo fcinfo, int bags, TlvMakeAccumulator make)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = TlvStateArgument(fcinfo, shared, make);
	ArrayIterator iterator;
	Datum value;
	bool isnull;

	if (PG_ARGISNULL(bags))
		add_bag(expanded, (Datum) 0, true);
	else
	{
		iterator = array_create_iterator(PG_GETARG_ARRAYTYPE_P(bags), 0, NULL);
		while (array_iterate(iterator, &value, &isnull))
			add_bag(expanded, value, isnull);
		array_free_iterator(iterator);
	}
	return TlvExpandedDatum(expanded);
}

/* Transitions over (state, bag, constants...) and (state, bag[], constants...). */
static Datum
accumulate_bag(FunctionCallInfo fcinfo, TlvMakeAccumulator make)
{
	return accumulate_argument(fcinfo, 1, make);
}

static Datum
accumulate_bags(FunctionCallInfo fcinfo, TlvMakeAccumulator make)
{
	return accumulate_arrays(fcinfo, 1, make);
}

#define TRANSITION(name, accumulate, make)                                                         \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return accumulate(fcinfo, make);                                                           \
	}

#define TRANSITION_CONSTANT(name, accumulate, make, constant)                                      \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		TLV_SKIP_NULL_CONSTANT(constant);                                                          \
		return accumulate(fcinfo, make);                                                           \
	}

/* The same with a second constant that may follow: (state, bag, model [, option]). */
#define TRANSITION_OPTION(name, accumulate, make)                                                  \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		TLV_SKIP_NULL_CONSTANT(2);                                                                 \
		if (PG_NARGS() > 3)                                                                        \
			TLV_SKIP_NULL_CONSTANT(3);                                                             \
		return accumulate(fcinfo, make);                                                           \
	}

static tlv_accumulator *
make_summary(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_accumulator *accumulator;

	(void) fcinfo;
	TlvCheck(&shared->ctx, tlv_count_summary_create(&shared->ctx, &accumulator));
	return accumulator;
}

static tlv_accumulator *
make_pairs(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_accumulator *accumulator;

	(void) fcinfo;
	TlvCheck(&shared->ctx, tlv_count_pairs_create(&shared->ctx, &accumulator));
	return accumulator;
}

static tlv_accumulator *
make_products(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_accumulator *accumulator;

	TlvCheck(&shared->ctx, tlv_count_products_create(
							   &shared->ctx, TlvConstantSubspace(shared, PG_GETARG_DATUM(2), false),
							   &accumulator));
	return accumulator;
}

static tlv_accumulator *
make_triples(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_accumulator *accumulator;

	TlvCheck(&shared->ctx, tlv_count_triples_create(
							   &shared->ctx, TlvConstantSubspace(shared, PG_GETARG_DATUM(2), true),
							   &accumulator));
	return accumulator;
}

static void
refuse_model(const tlv_model *model, const char *function)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s is not defined for a model of kind %s", function,
						   TlvKind(&model->frame)->name)));
}

tlv_accumulator *
TlvMakeStatistics(FunctionCallInfo fcinfo, TlvShared *shared, int n, const char *usual)
{
	tlv_model *model = TlvConstantModel(shared, PG_GETARG_DATUM(n));
	const char *method = PG_NARGS() > n + 1 ? text_to_cstring(PG_GETARG_TEXT_PP(n + 1)) : usual;
	tlv_accumulator *accumulator;

	if (model->class->statistics == NULL)
		refuse_model(model, "tlv_statistics");
	TlvCheck(&shared->ctx, model->class->statistics(&shared->ctx, model, method, &accumulator));
	return accumulator;
}

static tlv_accumulator *
make_statistics(FunctionCallInfo fcinfo, TlvShared *shared)
{
	return TlvMakeStatistics(fcinfo, shared, 2, "gibbs");
}

static tlv_accumulator *
make_completion(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_model *model = TlvConstantModel(shared, PG_GETARG_DATUM(1));
	tlv_accumulator *accumulator;

	if (model->class->completion == NULL)
		refuse_model(model, "tlv_perplexity");
	TlvCheck(&shared->ctx, model->class->completion(&shared->ctx, model, &accumulator));
	return accumulator;
}

static tlv_accumulator *
make_coherence(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_model *model = TlvConstantModel(shared, PG_GETARG_DATUM(2));
	int32 top = PG_NARGS() > 3 ? PG_GETARG_INT32(3) : 10;
	tlv_accumulator *accumulator;

	if (model->class->coherence == NULL)
		refuse_model(model, "tlv_coherence");
	TlvCheck(&shared->ctx, model->class->coherence(&shared->ctx, model, top < 0 ? 0 : (size_t) top,
												   &accumulator));
	return accumulator;
}

TRANSITION(tlv_count_pairs_accum, accumulate_bag, make_pairs)
TRANSITION(tlv_count_pairs_accum_array, accumulate_bags, make_pairs)
TRANSITION(tlv_count_summary_accum, accumulate_bag, make_summary)
TRANSITION(tlv_count_summary_accum_array, accumulate_bags, make_summary)
TRANSITION_CONSTANT(tlv_count_products_accum, accumulate_bag, make_products, 2)
TRANSITION_CONSTANT(tlv_count_products_accum_array, accumulate_bags, make_products, 2)
TRANSITION_CONSTANT(tlv_count_triples_accum, accumulate_bag, make_triples, 2)
TRANSITION_CONSTANT(tlv_count_triples_accum_array, accumulate_bags, make_triples, 2)
TRANSITION_OPTION(tlv_coherence_accum, accumulate_bag, make_coherence)
TRANSITION_OPTION(tlv_coherence_accum_array, accumulate_bags, make_coherence)
TRANSITION_OPTION(tlv_statistics_accum, accumulate_bag, make_statistics)
TRANSITION_OPTION(tlv_statistics_accum_array, accumulate_bags, make_statistics)

/* Rows are (model, bag), as one reads "the perplexity of a model on bags". */
PG_FUNCTION_INFO_V1(tlv_completion_accum);
Datum
tlv_completion_accum(PG_FUNCTION_ARGS)
{
	TLV_SKIP_NULL_CONSTANT(1);
	return accumulate_argument(fcinfo, 2, make_completion);
}

PG_FUNCTION_INFO_V1(tlv_completion_accum_array);
Datum
tlv_completion_accum_array(PG_FUNCTION_ARGS)
{
	TLV_SKIP_NULL_CONSTANT(1);
	return accumulate_arrays(fcinfo, 2, make_completion);
}

PG_FUNCTION_INFO_V1(tlv_completion_final);

/* exp(-log-likelihood per scored token); does not change the state. */
Datum
tlv_completion_final(PG_FUNCTION_ARGS)
{
	tlv_frame frame;
	double tokens;

	frame = TlvFrame(PG_GETARG_TLV(0));
	TlvRequireKind(&frame, &tlv_kind_completion, "tlv_perplexity");
	tokens = tlv_frame_scalar(&frame, "tokens", 0);
	if (tokens <= 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(exp(-tlv_frame_scalar(&frame, "log_likelihood", 0) / tokens));
}

/* An empty accumulator that can take the other's stored form. */
static tlv_accumulator *
make_like(TlvShared *shared, const tlv_frame *frame)
{
	const tlv_kind *kind = TlvKind(frame);
	tlv_accumulator *accumulator;

	TlvCheck(&shared->ctx, kind->accumulator->create(&shared->ctx, &accumulator));
	return accumulator;
}

static void
merge_value(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	const tlv_kind *kind = TlvKind(frame);

	if (kind->accumulator != accumulator->class)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cannot merge %s of kinds %s and %s",
							   kind->type == TLV_FRAME_GRAPH ? "graphs" : "moments",
							   accumulator->class->name, kind->name)));
	TlvCheck(ctx, accumulator->class->merge(ctx, accumulator, frame));
}

PG_FUNCTION_INFO_V1(tlv_moments_combine);

/*
 * Combine function of every aggregate, and transition function of tlv_rollup.
 * Strict: the server copies the first state, which may be a flat or a TOASTed value.
 */
Datum
tlv_moments_combine(PG_FUNCTION_ARGS)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = TlvExpandedGet(PG_GETARG_DATUM(0));
	struct varlena *other;
	tlv_frame frame;

	if (expanded == NULL)
	{
		tlv_frame first = TlvFrame(PG_GETARG_TLV(0));
		tlv_accumulator *accumulator = make_like(shared, &first);

		merge_value(&shared->ctx, accumulator, &first);
		expanded = TlvExpandedCreate(shared, accumulator);
	}
	other = PG_GETARG_TLV(1);
	frame = TlvFrame(other);
	merge_value(&shared->ctx, expanded->accumulator, &frame);
	if ((Pointer) other != DatumGetPointer(PG_GETARG_DATUM(1)))
		pfree(other);
	return TlvExpandedDatum(expanded);
}

PG_FUNCTION_INFO_V1(tlv_moments_add);

/* a + b */
Datum
tlv_moments_add(PG_FUNCTION_ARGS)
{
	tlv_frame a = TlvFrame(PG_GETARG_TLV(0)), b = TlvFrame(PG_GETARG_TLV(1));
	const tlv_kind *kind = TlvKind(&a);
	TlvWork *work = TlvWorkBegin("tensorlv merge");
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;
	struct varlena *sum;

	work->ctx.arena.limit = SIZE_MAX;
	builder = MemoryContextAlloc(work->mcxt, sizeof(tlv_frame_builder));
	TlvCheck(&work->ctx, kind->accumulator->create(&work->ctx, &accumulator));
	merge_value(&work->ctx, accumulator, &a);
	merge_value(&work->ctx, accumulator, &b);
	TlvCheck(&work->ctx, kind->accumulator->build(&work->ctx, accumulator, builder));
	sum = TlvBuild(&work->ctx, builder);
	TlvWorkEnd(work);
	PG_RETURN_POINTER(sum);
}
