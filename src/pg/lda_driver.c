/*
 * lda_driver.c - tlv_lda(query, ...): topics from the text of a query, in one
 * call.  A loop over aggregate queries with the caller's rights, and nothing
 * more: summary, products until the subspace stands, compressed moments, fit,
 * refinement steps until the likelihood does.
 */
#include "lda_driver.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "rows/documents.h"
#include "tensorlv/model/topics.h"

/* The subspace stands when its leading Ritz values move by less than this, or after so many steps.
 */
#define SUBSPACE_TOLERANCE 0.01
#define SUBSPACE_MIN_STEPS 4
#define SUBSPACE_MAX_STEPS 12

/* Repetitions so many times beyond what the topics explain count as bursts. */
#define BURST_LIMIT 2.0

/* Counts that the moments see when words come in bursts: at most this, in enough documents. */
#define BURST_ALPHA		 0.1 /* each topic's, from which refinement starts */
#define DAMPING_CAP		 2.0
#define SMOOTHING_DAMPED 0.1
#define SMOOTHING_RAW	 0.0

typedef struct LdaDriver
{
	TlvDocuments documents;
	tlv_lda_options options;
	int32 k; /* 0: chosen */
	int32 max_k;
	bool damped;
	bool counts_auto;
	double min_documents;	 /* -1: chosen */
	char *refine;			 /* gibbs, vb, none */
	int32 iterations;		 /* -1: until the likelihood stands */
	struct varlena *summary; /* of the raw counts */
	double trace;
	double bursts; /* NaN: not measured, the trace is small */
	bool k_chosen;
	double *z; /* of the directions k was chosen from */
	size_t n_z;
} LdaDriver;

/* An expression over the documents as the moments see them. */
static char *
moments_expression(const LdaDriver *driver, const char *aggregate, const char *constant)
{
	const char *schema = driver->documents.rows.schema;

	if (driver->damped)
		return psprintf("%s.%s(%s.tlv_damp(bag, %g)%s)", schema, aggregate, schema, DAMPING_CAP,
						constant);
	return psprintf("%s.%s(bag%s)", schema, aggregate, constant);
}

static struct varlena *
first_summary(LdaDriver *driver, const char *condition)
{
	struct varlena *summary = TlvRowSourcePass(&driver->documents.rows,
											   moments_expression(driver, "tlv_count_summary", ""),
											   condition, NULL, NULL);

	if (summary == NULL || TlvScalar(summary, "documents") < 1)
	{
		double shorter = summary != NULL ? TlvScalar(summary, "skipped") : 0;

		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%s no document of at least %d tokens",
						condition == NULL ? "the query returns" : "one half of the documents has",
						TLV_MIN_LENGTH),
				 shorter > 0 ? errdetail("%.0f documents are shorter.", shorter) : 0,
				 condition != NULL ? errhint("Choosing k needs more documents; or give k.") : 0));
	}
	return summary;
}

/* What a pass gives over documents that an earlier pass has seen. */
static struct varlena *
require_rows(struct varlena *value)
{
	if (value == NULL)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the query returned documents once and none when it was run again"),
						errhint("A function in it gives other results each time although it is "
								"not declared VOLATILE.")));
	return value;
}

/* The next subspace from a summary or from products. */
static struct varlena *
next_subspace(struct varlena *moments, const tlv_subspace_options *options)
{
	tlv_frame frame = TlvFrame(moments);
	TlvWork *work = TlvWorkBegin("tensorlv subspace");
	struct varlena *result;
	void *image;
	size_t size;

	TlvCheck(&work->ctx, tlv_subspace_from_moments(&work->ctx, &frame, options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

/* Block subspace iteration, one pass over the documents a step. */
static struct varlena *
find_subspace(LdaDriver *driver, struct varlena *summary, const tlv_subspace_options *options,
			  const char *condition)
{
	const tlv_subspace_options same = {0};
	char *expression = moments_expression(driver, "tlv_count_products", ", $1");
	struct varlena *subspace = next_subspace(summary, options);

	for (int step = 1; step <= SUBSPACE_MAX_STEPS; step++)
	{
		struct varlena *products = require_rows(TlvRowSourcePass(
			&driver->documents.rows, expression, condition, "tlv_subspace", subspace));
		tlv_frame frame;

		pfree(subspace);
		subspace = next_subspace(products, &same);
		pfree(products);
		frame = TlvFrame(subspace);
		if (step >= SUBSPACE_MIN_STEPS && tlv_subspace_change(&frame) < SUBSPACE_TOLERANCE)
			break;
	}
	return subspace;
}

static struct varlena *
collect_triples(LdaDriver *driver, struct varlena *subspace, const char *condition)
{
	return TlvRowSourcePass(&driver->documents.rows,
							moments_expression(driver, "tlv_count_moments", ", $1"), condition,
							"tlv_subspace", subspace);
}

/* k by cross-validation: the subspace of either half, seen by the other. */
static int32
choose_k(LdaDriver *driver)
{
	tlv_subspace_options options = {0};
	struct varlena *triples[2];
	tlv_frame frames[2];
	tlv_context ctx;
	size_t k;

	options.distinct = true;
	options.seed = driver->options.seed;
	for (int fold = 0; fold < 2; fold++)
	{
		char *own = psprintf("%s.tlv_fold(bag, 2) OPERATOR(pg_catalog.=) %d",
							 driver->documents.rows.schema, fold);
		char *other = psprintf("%s.tlv_fold(bag, 2) OPERATOR(pg_catalog.=) %d",
							   driver->documents.rows.schema, 1 - fold);
		struct varlena *summary = first_summary(driver, own), *subspace;
		tlv_frame frame = TlvFrame(summary);

		options.rank = (size_t) driver->max_k;
		options.rank = Min(options.rank, tlv_frame_find(&frame, "items")->rows);
		options.rank = Min(options.rank, (size_t) TlvScalar(summary, "documents"));
		subspace = find_subspace(driver, summary, &options, own);
		triples[fold] = collect_triples(driver, subspace, other);
		if (triples[fold] == NULL)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("too few documents for choosing k"), errhint("Give k.")));
		frames[fold] = TlvFrame(triples[fold]);
	}
	TlvContextInit(&ctx, CurrentMemoryContext, SIZE_MAX);
	driver->z = MemoryContextAlloc(driver->documents.rows.mcxt,
								   tlv_frame_find(&frames[0], "mean")->rows * sizeof(double));
	TlvCheck(&ctx, tlv_count_suggest_k(&ctx, &frames[0], &frames[1], driver->z, &driver->n_z, &k));
	return (int32) k;
}

/*
 * Words in bursts repeat within a document more than any mixture of k topics
 * explains: the trace of the scaled second moment, where repetitions of a
 * word stand, exceeds the sum of the k leading eigenvalues over pairs of
 * distinct words, where they do not.  For documents of the model both agree.
 */
static double
measure_bursts(LdaDriver *driver)
{
	tlv_subspace_options options = {0};
	struct varlena *subspace;
	const double *ritz;
	tlv_frame frame;
	double sum = 0;

	options.rank = (size_t) driver->k;
	options.distinct = true;
	options.seed = driver->options.seed;
	subspace = find_subspace(driver, driver->summary, &options, NULL);
	frame = TlvFrame(subspace);
	ritz = tlv_frame_float64(&frame, "ritz");
	for (int32 j = 0; j < driver->k; j++)
		sum += fmax(ritz[j], 0);
	pfree(subspace);
	return sum > 0 ? driver->trace / sum : HUGE_VAL;
}

/* In bursts, the moments see damped counts of words that enough documents hold. */
static void
choose_counts(LdaDriver *driver)
{
	tlv_frame frame = TlvFrame(driver->summary);
	double documents = TlvScalar(driver->summary, "documents");

	driver->trace = tlv_count_trace(&frame, 0);
	driver->bursts = NAN;
	if (driver->counts_auto && driver->trace > 1 + sqrt((double) driver->k))
	{
		driver->bursts = measure_bursts(driver);
		driver->damped = driver->bursts > BURST_LIMIT;
	}
	/* The residual of moments that the model does not fit says nothing about alpha0. */
	if (driver->damped && isnan(driver->options.alpha0))
	{
		driver->options.alpha0 = BURST_ALPHA * driver->k;
		driver->options.alpha0_free = true;
	}
	if (driver->min_documents < 0)
		driver->min_documents = driver->damped ? fmin(20, ceil(documents / 50)) : 0;
}

static struct varlena *
fit_moments(LdaDriver *driver)
{
	tlv_subspace_options options = {0};
	struct varlena *summary, *subspace, *triples, *model;
	tlv_frame frame;
	TlvWork *work;
	void *image;
	size_t size;

	options.rank = (size_t) driver->k;
	options.minimum_documents = driver->min_documents;
	options.seed = driver->options.seed;
	summary = driver->damped ? first_summary(driver, NULL) : driver->summary;
	subspace = find_subspace(driver, summary, &options, NULL);
	triples = require_rows(collect_triples(driver, subspace, NULL));
	frame = TlvFrame(triples);
	driver->options.k = (size_t) driver->k;
	work = TlvWorkBegin("tensorlv fit");
	TlvCheck(&work->ctx, tlv_lda_fit(&work->ctx, &frame, &driver->options, &image, &size));
	model = TlvValue(image, size);
	TlvWorkEnd(work);
	return model;
}

/* All items of the corpus, smoothed: what the refinement steps start from. */
static struct varlena *
extend_model(LdaDriver *driver, struct varlena *model)
{
	tlv_frame frame = TlvFrame(model), summary = TlvFrame(driver->summary);
	TlvWork *work = TlvWorkBegin("tensorlv extend");
	struct varlena *result;
	void *image;
	size_t size;

	TlvCheck(&work->ctx,
			 tlv_lda_extend(&work->ctx, &frame, &summary,
							driver->damped ? SMOOTHING_DAMPED : SMOOTHING_RAW, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

static struct varlena *
refine_model(LdaDriver *driver, struct varlena *model)
{
	int limit = driver->iterations >= 0 ? driver->iterations : TLV_REFINE_MAX_STEPS;
	char *expression =
		psprintf("%s.tlv_statistics(bag, $1, '%s')", driver->documents.rows.schema, driver->refine);
	double before[2] = {HUGE_VAL, HUGE_VAL}; /* perplexities of the last two steps */

	for (int step = 1; step <= limit; step++)
	{
		struct varlena *statistics = require_rows(
			TlvRowSourcePass(&driver->documents.rows, expression, NULL, "tlv_model", model));
		double perplexity =
			exp(-TlvScalar(statistics, "log_likelihood") / TlvScalar(statistics, "tokens"));
		struct varlena *next = TlvUpdateModel(model, statistics);

		pfree(model);
		pfree(statistics);
		model = next;
		if (driver->iterations < 0 && step >= TLV_REFINE_MIN_STEPS &&
			perplexity > (1 - TLV_REFINE_TOLERANCE) * before[0])
			break;
		before[0] = before[1];
		before[1] = perplexity;
	}
	return model;
}

/* Terms of the model's items, in their order; two terms of one id are refused. */
static void
collect_labels(const tlv_frame *model, StringInfo labels, int64_t *offsets)
{
	const tlv_section *section = tlv_frame_find(model, "items");
	const int64_t *items = tlv_section_data(model, section);
	size_t d = section->rows, at = 0;
	int64 last = -1;

	for (uint64 row = 0; row < SPI_processed; row++)
	{
		bool isnull;
		int64 id = DatumGetInt64(
			SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &isnull));
		char *term = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2);

		if (id == last)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("two terms have the same tlv_term_id, one of them \"%s\"", term),
							errhint("Number the terms yourself and use bigint items.")));
		last = id;
		while (at < d && items[at] < id)
			offsets[at++] = labels->len;
		if (at < d && items[at] == id)
		{
			offsets[at++] = labels->len;
			appendStringInfoString(labels, term);
		}
		pfree(term);
	}
	while (at <= d)
		offsets[at++] = labels->len;
}

/* The model with what only the driver knows: labels, choices, passes, seconds. */
static struct varlena *
finish_model(LdaDriver *driver, struct varlena *model)
{
	static const char *const replaced[] = {"diagnostics", "diagnostic_names", NULL};
	tlv_frame frame = TlvFrame(model);
	size_t d = tlv_frame_find(&frame, "items")->rows;
	TlvWork *work = TlvWorkBegin("tensorlv model");
	tlv_frame_builder *builder = MemoryContextAlloc(work->mcxt, sizeof(tlv_frame_builder));
	tlv_diagnostics diagnostics = {0};
	StringInfoData labels;
	int64_t *offsets = NULL;
	struct varlena *result;

	initStringInfo(&labels);
	if (driver->documents.text_items)
	{
		offsets = palloc_extended((d + 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
		TlvDocumentsTerms(&driver->documents);
		collect_labels(&frame, &labels, offsets);
		SPI_freetuptable(SPI_tuptable);
	}
	TlvCheck(&work->ctx, tlv_diagnostics_copy(&work->ctx, &diagnostics, &frame, NULL));
	TlvCheck(&work->ctx, tlv_diagnose(&work->ctx, &diagnostics, driver->k_chosen, "k_chosen"));
	if (driver->k_chosen && driver->k >= 0.9 * driver->max_k)
		TlvCheck(&work->ctx, tlv_diagnose(&work->ctx, &diagnostics, driver->k,
										  "warning: nearly all of the max_k = %d directions are "
										  "significant: k is an upper bound, choose a smaller one "
										  "by purpose",
										  driver->max_k));
	TlvCheck(&work->ctx, tlv_diagnose(&work->ctx, &diagnostics, driver->damped, "counts_damped"));
	TlvCheck(&work->ctx, tlv_diagnose(&work->ctx, &diagnostics, driver->trace, "trace_raw_counts"));
	if (!isnan(driver->bursts))
		TlvCheck(&work->ctx, tlv_diagnose(&work->ctx, &diagnostics, driver->bursts, "burstiness"));
	for (size_t j = 0; j < driver->n_z; j++)
		TlvCheck(&work->ctx, tlv_diagnose(&work->ctx, &diagnostics, driver->z[j], "z_%zu", j + 1));
	TlvRowSourceDiagnose(&driver->documents.rows, &work->ctx, &diagnostics);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_LDA);
	tlv_frame_add_from(builder, &frame, replaced);
	if (offsets != NULL)
	{
		tlv_frame_add(builder, "label_offsets", TLV_INT64, d + 1, 1, offsets);
		tlv_frame_add(builder, "labels", TLV_BYTES, (uint64_t) labels.len, 1, labels.data);
	}
	tlv_diagnostics_add(&diagnostics, builder);
	result = TlvBuild(&work->ctx, builder);
	TlvWorkEnd(work);
	return result;
}

static void
refuse_value(const char *name, const char *value, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("there is no %s \"%.40s\"", name, value), errhint("Use %s.", hint)));
}

/*
 * Arguments: query, k, alpha0, refine, iterations, counts, min_documents, method, seed, restarts,
 * steps, max_k
 */
static void
read_arguments(FunctionCallInfo fcinfo, LdaDriver *driver)
{
	char *counts = PG_ARGISNULL(5) ? "auto" : text_to_cstring(PG_GETARG_TEXT_PP(5));

	driver->k = PG_ARGISNULL(1) ? 0 : (int32) TlvCountArgument(fcinfo, 1, "k", 1);
	TlvLdaOptions(fcinfo, 2, 7, &driver->options);
	driver->refine = PG_ARGISNULL(3) ? "none" : text_to_cstring(PG_GETARG_TEXT_PP(3));
	if (strcmp(driver->refine, "gibbs") != 0 && strcmp(driver->refine, "vb") != 0 &&
		strcmp(driver->refine, "none") != 0)
		refuse_value("refinement", driver->refine, "'gibbs', 'vb' or 'none'");
	driver->iterations =
		PG_ARGISNULL(4) ? -1 : (int32) TlvCountArgument(fcinfo, 4, "iterations", 0);
	driver->counts_auto = strcmp(counts, "auto") == 0;
	driver->damped = strcmp(counts, "damped") == 0;
	if (!driver->counts_auto && !driver->damped && strcmp(counts, "raw") != 0)
		refuse_value("kind of counts", counts, "'auto', 'raw' or 'damped'");
	driver->min_documents =
		PG_ARGISNULL(6) ? -1 : (double) TlvCountArgument(fcinfo, 6, "min_documents", 0);
	driver->max_k = (int32) TlvCountArgument(fcinfo, 11, "max_k", 1);
}

static void
choose_missing_k(LdaDriver *driver)
{
	if (driver->k > 0)
		return;
	driver->k = choose_k(driver);
	driver->k_chosen = true;
	if (driver->k == 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("no topic is significant in both halves of the documents"),
						errhint("More documents are needed; or give k.")));
}

PG_FUNCTION_INFO_V1(tlv_lda);

/* tlv_lda(query, ...): see read_arguments */
Datum
tlv_lda(PG_FUNCTION_ARGS)
{
	LdaDriver *driver;
	struct varlena *model;
	bool damped;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	driver = palloc0(sizeof(LdaDriver));
	read_arguments(fcinfo, driver);
	TlvRowSourceBegin(&driver->documents.rows);
	TlvDocumentsOpen(&driver->documents, text_to_cstring(PG_GETARG_TEXT_PP(0)),
					 fcinfo->flinfo->fn_oid);
	/* Raw counts until the choice is made: bursts are measured, and distinct pairs blind to them.
	 */
	damped = driver->damped;
	driver->damped = false;
	choose_missing_k(driver);
	driver->summary = first_summary(driver, NULL);
	driver->damped = damped && !driver->counts_auto;
	choose_counts(driver);
	model = fit_moments(driver);
	if (strcmp(driver->refine, "none") != 0)
		model = refine_model(driver, extend_model(driver, model));
	PG_RETURN_POINTER(TlvRowSourceEnd(&driver->documents.rows, finish_model(driver, model)));
}

PG_FUNCTION_INFO_V1(tlv_suggest_k_query);

/* tlv_suggest_k(query, max_k, seed) */
Datum
tlv_suggest_k_query(PG_FUNCTION_ARGS)
{
	LdaDriver *driver;
	int32 k;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	driver = palloc0(sizeof(LdaDriver));
	driver->max_k = (int32) TlvCountArgument(fcinfo, 1, "max_k", 1);
	driver->options.seed = TlvSeedArgument(fcinfo, 2);
	TlvRowSourceBegin(&driver->documents.rows);
	TlvDocumentsOpen(&driver->documents, text_to_cstring(PG_GETARG_TEXT_PP(0)),
					 fcinfo->flinfo->fn_oid);
	k = choose_k(driver);
	(void) TlvRowSourceEnd(&driver->documents.rows, NULL);
	PG_RETURN_INT32(k);
}
