/*
 * aggregates.c - transition, combine and roll-up functions of tlv_moments; combining and
 * adding work for tlv_graph, too.
 *
 * The public type is the transition type: a state travels between
 * workers, shards, tables and backups as an ordinary value.  Within an
 * aggregate it is an expanded object that is changed in place.
 */
#include "rows/any.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/model/lda.h"

/* ---- constants ---- */

static int
first_constant(const TlvTransition *transition)
{
	return transition->constant > 0 ? transition->constant
									: transition->row + transition->reader->arguments;
}

/* How many constants this call has: those at the end may be left out. */
static int
count_constants(FunctionCallInfo fcinfo, const TlvTransition *transition)
{
	int first = first_constant(transition), n = 0;

	while (n < (int) lengthof(transition->constants) && first + n < PG_NARGS() &&
		   transition->constants[n].kind != TLV_CONSTANT_NONE)
		n++;
	return n;
}

/* A row whose constant is NULL is skipped. */
static bool
constant_is_null(FunctionCallInfo fcinfo, const TlvTransition *transition)
{
	int first = first_constant(transition), n = count_constants(fcinfo, transition);

	for (int i = 0; i < n; i++)
		if (PG_ARGISNULL(first + i))
			return true;
	return false;
}

/* An order of 0 would pass for one that is not given. */
static int32
order_argument(FunctionCallInfo fcinfo, int argument, const tlv_statistic *statistic)
{
	int32 order = PG_GETARG_INT32(argument);

	if (order == 0 && statistic->constant != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_order = 0 is not 2, 3 or 4")));
	return order;
}

static tlv_statistic
read_constants(FunctionCallInfo fcinfo, TlvShared *shared, const TlvTransition *transition)
{
	tlv_statistic statistic = {.aggregate = transition->aggregate, .seed = 1};
	int first = first_constant(transition), n = count_constants(fcinfo, transition);

	for (int i = 0; i < n; i++)
	{
		const TlvConstantArgument *argument = &transition->constants[i];

		switch (argument->kind)
		{
			case TLV_CONSTANT_NONE:
				break;
			case TLV_CONSTANT_VALUE:
				TlvOpenConstant(shared, PG_GETARG_DATUM(first + i), &statistic);
				break;
			case TLV_CONSTANT_ORDER:
				statistic.order = order_argument(fcinfo, first + i, &statistic);
				break;
			case TLV_CONSTANT_COUNT:
				statistic.count =
					TlvCountArgument(fcinfo, first + i, argument->name, argument->minimum);
				break;
			case TLV_CONSTANT_SEED:
				statistic.seed = TlvSeedArgument(fcinfo, first + i);
				break;
			case TLV_CONSTANT_REFINE:
				statistic.refine = text_to_cstring(PG_GETARG_TEXT_PP(first + i));
				break;
		}
	}
	return statistic;
}

/* ---- rows ---- */

/* A group's state: constants are looked at when it begins, and never again. */
static TlvExpanded *
aggregates_begin_group(FunctionCallInfo fcinfo, const TlvTransition *transition)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	tlv_statistic statistic = read_constants(fcinfo, shared, transition);
	tlv_accumulator *accumulator;
	TlvExpanded *expanded;

	TlvRequireByteEquality(fcinfo,
						   transition->reader == &TlvAnyThreeRows && statistic.constant == NULL);
	TlvCheck(&shared->ctx, tlv_statistic_create(&shared->ctx, &statistic, &accumulator));
	expanded = TlvBeginState(fcinfo, shared, accumulator);
	expanded->foreign |= statistic.constant != NULL;
	if (statistic.constant != NULL && statistic.constant->header->type == TLV_FRAME_MODEL)
		expanded->model = statistic.opened;
	TlvGatherBegins(fcinfo, transition, expanded);
	return expanded;
}

/* The rows of a call, for an accumulator of that class; false: there is no row after all. */
static bool
aggregates_open_rows(FunctionCallInfo fcinfo, const TlvTransition *transition,
					 const TlvExpanded *expanded, const tlv_accumulator *accumulator,
					 TlvRowCursor *cursor)
{
	tlv_context *ctx = &expanded->shared->ctx;
	unsigned takes = accumulator->class->rows | TLV_ROWS_COMPLETE;
	unsigned both;

	if (!transition->reader->of_model)
	{
		TlvCursorOpen(fcinfo, transition->row, transition->reader, expanded->form, takes, cursor);
		if (transition->reader->settled && expanded->model != NULL)
			TlvAnySettleIds(expanded->model, cursor);
		cursor->unknown.found = false;
	}
	else if (expanded->model == NULL)
	{
		TlvCheck(ctx, tlv_accumulator_refuse_rows(ctx, accumulator));
		return false;
	}
	else
	{
		/* Of a class for several sorts of models, the rows of this one. */
		takes &= expanded->model->rows | TLV_ROW_FORMS | ~TLV_ROWS_MISSING_ELEMENTS;
		both = takes & expanded->model->rows & TLV_ROW_FORMS;
		if (!TlvAnyOpen(fcinfo, transition->row, expanded->model,
						both == 0 ? takes : (takes & ~TLV_ROW_FORMS) | both,
						transition->aggregate->name, cursor))
			return false;
	}
	if (cursor->row.form != expanded->form)
		TlvCheck(ctx, tlv_accumulator_require(ctx, accumulator, cursor->row.form));
	return true;
}

/* A driver of another server marks what it calls by a filter that is true (pass_statement.c). */
static bool
is_pass_of_other_server(FunctionCallInfo fcinfo)
{
	const Aggref *aggregate = AggGetAggref(fcinfo);

	return aggregate != NULL && aggregate->aggfilter != NULL && IsA(aggregate->aggfilter, Const);
}

/*
 * Are rows counted that have elements which the model does not know?  Not those that are taken out,
 * nor by the passes of a driver, whose models are on their way; joint frequencies are of what the
 * model knows.
 */
static bool
counts_unknown(FunctionCallInfo fcinfo, const TlvTransition *transition,
			   const TlvExpanded *expanded, const tlv_accumulator *accumulator)
{
	return expanded->model != NULL && expanded->accumulator == accumulator &&
		   transition->aggregate != &tlv_aggregate_coherence && TlvCountsRows() && !TlvPassRuns() &&
		   !is_pass_of_other_server(fcinfo);
}

/* The rows of a call to an accumulator of the state's class, which may be another one. */
static void
add_rows_to(FunctionCallInfo fcinfo, const TlvTransition *transition, const TlvExpanded *expanded,
			tlv_accumulator *accumulator)
{
	tlv_context *ctx = &expanded->shared->ctx;
	TlvRowCursor cursor;
	tlv_status status;

	if (!aggregates_open_rows(fcinfo, transition, expanded, accumulator, &cursor))
	{
		accumulator->nulls++;
		return;
	}
	cursor.model = NULL;
	if (counts_unknown(fcinfo, transition, expanded, accumulator))
	{
		cursor.model = expanded->model;
		cursor.function = fcinfo->flinfo != NULL ? fcinfo->flinfo->fn_oid : InvalidOid;
	}
	while (TlvCursorNext(&cursor))
	{
		CHECK_FOR_INTERRUPTS();
		status = accumulator->class->add(ctx, accumulator, &cursor.row);
		if (expanded->model != NULL)
			TlvCheckRow(ctx, &expanded->model->frame, status);
		else
			TlvCheck(ctx, status);
	}
	if (cursor.nulls > 0)
		accumulator->nulls += (double) cursor.nulls;
	TlvCursorClose(&cursor);
}

/* Looked at once for every state and reader: any function may be called by hand with any state. */
static void
require_form(TlvExpanded *expanded, const TlvRowReader *reader)
{
	expanded->reader = reader;
	expanded->form = 0;
	if (reader->of_model) /* which form it is, its row says */
		return;
	expanded->reader = NULL;
	expanded->form = TlvRowForm(reader, expanded->accumulator->class->rows);
	TlvCheck(
		&expanded->shared->ctx,
		tlv_accumulator_require(&expanded->shared->ctx, expanded->accumulator, expanded->form));
	expanded->reader = reader;
}

/* Every row of every aggregate passes here, so that it is part of TlvAccumulate: a call of its own
 * took one hundredth of the instructions of tlv_graph_agg. */
static inline void
aggregates_add_rows(FunctionCallInfo fcinfo, const TlvTransition *transition, TlvExpanded *expanded)
{
	const TlvRowReader *reader = transition->reader;

	if (expanded->reader != reader)
		require_form(expanded, reader);
	if (TlvRowIsNull(fcinfo, transition->row, reader, expanded->accumulator->class->rows))
	{
		expanded->accumulator->nulls++;
		return;
	}
	TlvBeginUse(&expanded->in_use);
	add_rows_to(fcinfo, transition, expanded, expanded->accumulator);
	TlvEndUse(&expanded->in_use);
}

void
TlvAddRows(FunctionCallInfo fcinfo, const TlvTransition *transition, TlvExpanded *expanded)
{
	aggregates_add_rows(fcinfo, transition, expanded);
}

Datum
TlvAccumulate(FunctionCallInfo fcinfo, const TlvTransition *transition)
{
	TlvExpanded *expanded;

	TlvRequireAggregate(fcinfo, NULL);
	if (transition->constants[0].kind != TLV_CONSTANT_NONE && constant_is_null(fcinfo, transition))
	{
		TlvGatherSkips(fcinfo);
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	expanded = TlvLiveState(fcinfo);
	if (expanded == NULL)
		expanded = aggregates_begin_group(fcinfo, transition);
	aggregates_add_rows(fcinfo, transition, expanded);
	return TlvExpandedDatum(expanded);
}

/* The rows of a call as a value of their own, which tlv_free gives back. */
static tlv_frame
value_of_rows(FunctionCallInfo fcinfo, const TlvTransition *transition, TlvExpanded *expanded)
{
	tlv_context *ctx = &expanded->shared->ctx;
	tlv_statistic statistic = read_constants(fcinfo, expanded->shared, transition);
	tlv_accumulator *rows;
	tlv_frame_builder builder;
	tlv_scratch scratch;
	tlv_frame frame;
	size_t size;
	void *image;

	tlv_scratch_begin(ctx, &scratch);
	TlvCheck(ctx, tlv_statistic_create(ctx, &statistic, &rows));
	add_rows_to(fcinfo, transition, expanded, rows);
	TlvCheck(ctx, rows->class->build(ctx, rows, &builder));
	TlvCheck(ctx, tlv_frame_finish(ctx, &builder, &image, &size));
	tlv_scratch_keep(ctx, image);
	tlv_scratch_end(ctx, &scratch);
	TlvCheck(ctx, tlv_frame_open(ctx, image, size, &frame));
	return frame;
}

static void
require_like(const tlv_accumulator *accumulator, const tlv_frame *frame)
{
	if (TlvKind(frame)->accumulator != accumulator->class)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cannot take %s of kind %s out of kind %s",
							   TlvKind(frame)->type == TLV_FRAME_GRAPH ? "graphs" : "moments",
							   TlvKind(frame)->name, accumulator->class->name),
						errhint("Take away values that the same aggregate has collected.")));
}

/* Takes the rows of a call out again; false: nobody knows exactly what is left. */
static bool
aggregates_take_rows(FunctionCallInfo fcinfo, const TlvTransition *transition,
					 TlvExpanded *expanded)
{
	tlv_context *ctx = &expanded->shared->ctx;
	tlv_frame frame;
	bool done;

	TlvBeginUse(&expanded->in_use);
	frame = value_of_rows(fcinfo, transition, expanded);
	/* The state may be one of another aggregate, whose function of this signature is called. */
	require_like(expanded->accumulator, &frame);
	TlvCheck(ctx, tlv_accumulator_subtract(ctx, expanded->accumulator, &frame, true, &done));
	tlv_free(ctx, (void *) frame.header);
	TlvEndUse(&expanded->in_use);
	return done;
}

static void
take_null(TlvExpanded *expanded)
{
	if (expanded->accumulator->nulls < 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION), errmsg("more rows are taken away than there are"),
				 errhint("Subtract only what was added before.")));
	expanded->accumulator->nulls--;
}

Datum
TlvTakeAway(FunctionCallInfo fcinfo, const TlvTransition *transition)
{
	TlvExpanded *expanded;

	TlvRequireAggregate(fcinfo, NULL);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (transition->constants[0].kind != TLV_CONSTANT_NONE && constant_is_null(fcinfo, transition))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	expanded = TlvLiveState(fcinfo);
	if (expanded == NULL)
		expanded = aggregates_begin_group(fcinfo, transition);
	if (expanded->reader != transition->reader)
		require_form(expanded, transition->reader);
	expanded->foreign = true;
	if (TlvRowIsNull(fcinfo, transition->row, transition->reader,
					 expanded->accumulator->class->rows))
		take_null(expanded);
	else if (!aggregates_take_rows(fcinfo, transition, expanded))
		PG_RETURN_NULL();
	return TlvExpandedDatum(expanded);
}

/* exp(-log-likelihood per scored token); does not change the state. */
TLV_FUNCTION(tlv_completion_final)
{
	tlv_frame frame;
	double perplexity;

	frame = TlvKindFrame(PG_GETARG_DATUM(0), &tlv_kind_completion, "tlv_perplexity");
	if (tlv_frame_scalar(&frame, "tokens", 0) <= 0)
		PG_RETURN_NULL();
	perplexity = tlv_lda_perplexity(&frame);
	if (isinf(perplexity))
		float_overflow_error();
	PG_RETURN_FLOAT8(perplexity);
}

void
TlvMerge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	const tlv_kind *kind = TlvKind(frame);

	if (kind->accumulator != accumulator->class)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cannot merge %s of kinds %s and %s",
							   kind->type == TLV_FRAME_GRAPH ? "graphs" : "moments",
							   accumulator->class->name, kind->name),
						errhint("Add up values of the same aggregate only.")));
	TlvCheck(ctx, accumulator->class->merge(ctx, accumulator, frame));
}

/* The state of argument 0, into which another value comes: the server copies the first one, which
 * may be a flat or a TOASTed value. */
static TlvExpanded *
merged_state(FunctionCallInfo fcinfo, TlvShared *shared)
{
	TlvExpanded *expanded = TlvExpandedGet(PG_GETARG_DATUM(0));

	if (expanded == NULL)
	{
		tlv_frame first = TlvFrameOf(PG_GETARG_DATUM(0));
		tlv_accumulator *accumulator;

		TlvCheck(&shared->ctx,
				 tlv_accumulator_create(&shared->ctx, TlvKind(&first)->accumulator, &accumulator));
		TlvMerge(&shared->ctx, accumulator, &first);
		expanded = TlvExpandedCreate(shared, accumulator);
	}
	expanded->foreign = true;
	return expanded;
}

/* Combine function of every aggregate, and transition function of tlv_rollup.  Strict. */
TLV_FUNCTION(tlv_moments_combine)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = merged_state(fcinfo, shared);
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(1));

	TlvBeginUse(&expanded->in_use);
	TlvMerge(&shared->ctx, expanded->accumulator, &frame);
	TlvEndUse(&expanded->in_use);
	return TlvExpandedDatum(expanded);
}

/*
 * Inverse transition function of tlv_rollup.  Where the sums are not exact, what is left would
 * depend on what has been taken out: NULL, and the server adds up anew.
 */
TLV_FUNCTION(tlv_moments_inverse)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = merged_state(fcinfo, shared);
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(1));
	bool done;

	require_like(expanded->accumulator, &frame);
	TlvBeginUse(&expanded->in_use);
	TlvCheck(&shared->ctx,
			 tlv_accumulator_subtract(&shared->ctx, expanded->accumulator, &frame, true, &done));
	TlvEndUse(&expanded->in_use);
	if (!done)
		PG_RETURN_NULL();
	return TlvExpandedDatum(expanded);
}

/* A value that is made of others. */
typedef struct MergeWork
{
	TlvWork *work;
	const tlv_kind *kind;
	tlv_accumulator *accumulator;
} MergeWork;

static void
merge_begin(const tlv_frame *frame, MergeWork *merge)
{
	merge->work = TlvWorkBegin("tensorlv merge");
	merge->kind = TlvKind(frame);
	if (merge->kind->type != TLV_FRAME_MOMENTS || merge->kind->code != TLV_KIND_NETWORK_STATISTICS)
		merge->work->ctx.arena.limit = TlvValueMemory();
	TlvCheck(&merge->work->ctx, tlv_accumulator_create(&merge->work->ctx, merge->kind->accumulator,
													   &merge->accumulator));
}

static struct varlena *
merge_end(MergeWork *merge)
{
	tlv_context *ctx = &merge->work->ctx;
	tlv_frame_builder *builder = MemoryContextAlloc(merge->work->mcxt, sizeof(tlv_frame_builder));
	struct varlena *value;

	TlvCheck(ctx, tlv_accumulator_store(ctx, merge->accumulator, builder));
	value = TlvBuild(ctx, builder);
	TlvRequireMade(ctx, value);
	tlv_assert(TlvAccepts(ctx, value));
	TlvWorkEnd(merge->work);
	return value;
}

struct varlena *
TlvSum(const tlv_frame *a, const tlv_frame *b)
{
	MergeWork merge;

	merge_begin(a, &merge);
	TlvMerge(&merge.work->ctx, merge.accumulator, a);
	TlvMerge(&merge.work->ctx, merge.accumulator, b);
	return merge_end(&merge);
}

/* a + b */
TLV_FUNCTION(tlv_moments_add)
{
	tlv_frame a = TlvFrameOf(PG_GETARG_DATUM(0)), b = TlvFrameOf(PG_GETARG_DATUM(1));

	PG_RETURN_POINTER(TlvSum(&a, &b));
}

/* a - b */
TLV_FUNCTION(tlv_moments_subtract)
{
	tlv_frame a = TlvFrameOf(PG_GETARG_DATUM(0)), b = TlvFrameOf(PG_GETARG_DATUM(1));
	MergeWork merge;
	bool done;

	merge_begin(&a, &merge);
	TlvMerge(&merge.work->ctx, merge.accumulator, &a);
	require_like(merge.accumulator, &b);
	TlvCheck(&merge.work->ctx,
			 tlv_accumulator_subtract(&merge.work->ctx, merge.accumulator, &b, false, &done));
	PG_RETURN_POINTER(merge_end(&merge));
}

/* times * a */
TLV_FUNCTION(tlv_moments_scale)
{
	tlv_frame a = TlvFrameOf(PG_GETARG_DATUM(1));
	MergeWork merge;

	merge_begin(&a, &merge);
	TlvCheck(&merge.work->ctx, tlv_accumulator_merge_times(&merge.work->ctx, merge.accumulator, &a,
														   PG_GETARG_FLOAT8(0)));
	PG_RETURN_POINTER(merge_end(&merge));
}
