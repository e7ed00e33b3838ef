/*
 * suggest.c - tlv_suggest_k: what a model, moments, a graph or the rows of a query say about the
 * number of components.
 *
 * Of everything but topics it is the family's own search, without k: its model tells what was
 * tried.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/arguments.h"
#include "suggest.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"

/* ---- the rows ---- */

static void
put_suggestions(FunctionCallInfo fcinfo, const tlv_suggestion *rows, size_t n,
				const char *criterion)
{
	for (size_t i = 0; i < n; i++)
		if (criterion == NULL || strcmp(rows[i].criterion, criterion) == 0)
			TlvPutRow(fcinfo, TlvInt4((int32) rows[i].k), TlvText(rows[i].criterion),
					  TlvKnown(rows[i].score), TlvKnown(rows[i].standard_error),
					  TlvBool(rows[i].chosen));
}

static void
put_of_model(FunctionCallInfo fcinfo, tlv_context *ctx, const tlv_frame *model,
			 const char *criterion)
{
	tlv_suggestion *rows;
	size_t n;

	TlvCheck(ctx, tlv_model_suggestions(ctx, model, &rows, &n));
	put_suggestions(fcinfo, rows, n, criterion);
}

/* tlv_suggest_k(model): rows (k, criterion, score, standard_error, chosen) */
TLV_FUNCTION(tlv_suggest_k_model)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_context ctx;

	TlvInitRows(fcinfo);
	TlvContextInit(&ctx, CurrentMemoryContext, TlvValueMemory());
	put_of_model(fcinfo, &ctx, &frame, NULL);
	return (Datum) 0;
}

/* ---- arguments ---- */

/* The first is that of topics. */
static const TlvSearcher *const searchers[] = {
	NULL,		   &TlvSearchGmm, &TlvSearchHmm, &TlvSearchMultiview,
	&TlvSearchLca, &TlvSearchGom, &TlvSearchMmsb};
static const char *const model_names[] = {"lda", "gmm", "hmm",	"multiview",
										  "lca", "gom", "mmsb", NULL};

typedef struct SuggestArguments
{
	TlvSearch search;
	int model; /* of those above; below 0: not said */
	Datum criterion, b;
} SuggestArguments;

static const TlvArgument suggest_arguments[] = {
	{"criterion", TLV_ARGUMENT_DATUM, offsetof(SuggestArguments, criterion)},
	{"b", TLV_ARGUMENT_DATUM, offsetof(SuggestArguments, b)},
	{"seed", TLV_ARGUMENT_SEED, offsetof(SuggestArguments, search.seed)},
	{"max_k", TLV_ARGUMENT_COUNT, offsetof(SuggestArguments, search.max_k), .least = 1},
	{"model", TLV_ARGUMENT_CHOICE, offsetof(SuggestArguments, model), .what = "model",
	 .names = model_names},
	{NULL}};

static SuggestArguments
read_suggest_arguments(FunctionCallInfo fcinfo)
{
	SuggestArguments arguments = {.model = -1, .search.seed = 1};

	TlvReadArguments(fcinfo, suggest_arguments, &arguments);
	return arguments;
}

/* The criterion that is asked for, one of the family's; NULL: all. */
static const char *
read_criterion(const SuggestArguments *arguments, const char *const *criteria)
{
	if (arguments->criterion == 0)
		return NULL;
	return criteria[TlvChoice(text_to_cstring(DatumGetTextPP(arguments->criterion)), criteria,
							  "criterion")];
}

/* ---- the rows of a query ---- */

/* One search over them; shown NULL: all that it tells. */
static void
search_query(FunctionCallInfo fcinfo, const TlvSearcher *searcher, const TlvSearch *search,
			 const char *shown)
{
	TlvDriver *driver = TlvDriverBegin(fcinfo);
	tlv_held model = {0};

	searcher->learn(fcinfo, driver, search, &model);
	put_of_model(fcinfo, driver->ctx, &model.frame, shown);
	TlvDriverEnd(driver);
}

static void
search_topics(FunctionCallInfo fcinfo, const TlvSearch *search)
{
	TlvDriver *driver = TlvDriverBegin(fcinfo);
	const tlv_suggestion *rows;
	size_t n;

	rows = TlvSuggestTopics(fcinfo, driver, search, &n);
	put_suggestions(fcinfo, rows, n, NULL);
	TlvDriverEnd(driver);
}

/* tlv_suggest_k(query, criterion, model, seed, max_k): rows as above */
TLV_QUERY_FUNCTION(tlv_suggest_k_query)
{
	const TlvSearcher *searcher;
	SuggestArguments arguments;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	arguments = read_suggest_arguments(fcinfo);
	searcher = arguments.search.searcher = searchers[Max(arguments.model, 0)];
	arguments.search.criterion =
		read_criterion(&arguments, searcher == NULL ? TlvTopicCriteria : searcher->criteria);
	if (searcher == NULL)
		search_topics(fcinfo, &arguments.search);
	else if (arguments.search.criterion != NULL || !searcher->one_each)
		search_query(fcinfo, searcher, &arguments.search, arguments.search.criterion);
	else
		for (const char *const *each = searcher->criteria; *each != NULL; each++)
		{
			arguments.search.criterion = *each;
			if (strcmp(*each, TLV_SUGGEST_ICL) != 0) /* the search for BIC tells it, too */
				search_query(fcinfo, searcher, &arguments.search, NULL);
		}
	return (Datum) 0;
}

/* ---- stored values ---- */

/* What a value is moments of, where it is not said. */
static const TlvSearcher *
searcher_of(const tlv_frame *value, int model)
{
	if (model > 0 && model < (int) lengthof(searchers))
		return searchers[model];
	if (value->header->type == TLV_FRAME_GRAPH)
		return &TlvSearchMmsb;
	switch (model < 0 ? value->header->kind : 0)
	{
		case TLV_KIND_DENSE_MOMENTS:
			return &TlvSearchGmm;
		case TLV_KIND_SEQUENCE_MOMENTS:
			return &TlvSearchHmm;
		case TLV_KIND_VIEW_MOMENTS:
		case TLV_KIND_CATEGORY_VIEWS:
			return &TlvSearchMultiview;
		case TLV_KIND_CATEGORY_MOMENTS:
			return &TlvSearchLca;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("moments of kind %s alone do not tell a number of components",
					TlvKind(value)->name),
			 errhint("Of documents give the moments of both halves, tlv_suggest_k(a, b), or a "
					 "query.")));
	return NULL;
}

/* The family's search over one value. */
static void
search_value(FunctionCallInfo fcinfo, SuggestArguments *arguments)
{
	tlv_frame value = TlvSumsFrameOf(PG_GETARG_DATUM(0)), model;
	const TlvSearcher *searcher = searcher_of(&value, arguments->model);
	TlvWork *work;
	void *image;
	size_t size;

	arguments->search.searcher = searcher;
	work = TlvWorkBegin("tensorlv fit");
	TlvCheck(&work->ctx, searcher->fit(&work->ctx, &value, &arguments->search, &image, &size));
	TlvCheck(&work->ctx, tlv_frame_open(&work->ctx, image, size, &model));
	put_of_model(fcinfo, &work->ctx, &model, NULL);
	TlvWorkEnd(work);
}

/* Of both halves of the documents. */
static void
suggest_of_halves(FunctionCallInfo fcinfo, tlv_frame a, tlv_frame b)
{
	const tlv_section *mean = tlv_frame_find(&a, "mean");
	double *z = mean == NULL ? NULL : palloc((mean->rows + 1) * sizeof(double));
	tlv_suggestion *rows;
	tlv_context ctx;
	size_t count, k;

	TlvContextInit(&ctx, CurrentMemoryContext, TlvValueMemory());
	TlvCheck(&ctx, tlv_count_suggest_k(&ctx, &a, &b, z, &count, &k));
	rows = palloc((count + 1) * sizeof(tlv_suggestion));
	count = tlv_lda_suggest_significance(count, z, k, rows);
	put_suggestions(fcinfo, rows, count, NULL);
}

/* tlv_suggest_k(a, b, model, max_k), tlv_suggest_k(graph, max_k): rows as above */
TLV_FUNCTION(tlv_suggest_k_moments)
{
	SuggestArguments arguments;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	arguments = read_suggest_arguments(fcinfo);
	if (arguments.b != 0)
		suggest_of_halves(fcinfo, TlvFrameOf(PG_GETARG_DATUM(0)), TlvFrameOf(arguments.b));
	else
		search_value(fcinfo, &arguments);
	return (Datum) 0;
}
