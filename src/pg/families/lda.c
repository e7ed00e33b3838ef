/*
 * lda.c - latent Dirichlet allocation: arguments of the fit and the driver, reading topics,
 * comparing models.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "anchors.h"
#include "rows/queries.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "functions/suggest.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/topics.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/sort.h"

/* ---- fitting ---- */

typedef struct LdaArguments
{
	tlv_lda_learn_options learn;
	int refine; /* of those below */
	int minimum_documents;
	int method; /* of those below */
	Datum subspace, anchors, fixed;
	tlv_frame fixed_topics;
	TlvGivenAnchors given;
} LdaArguments;

static const char *const lda_refinements[] = {"auto", "stepwise", "gibbs", "ctm", "none", NULL};
static const char *const lda_counts[] = {"auto", "raw", "damped", NULL}; /* as tlv_lda_counts */

/* The methods of tlv_fit_lda: the one that fits the kind of moments, the decompositions of a tensor
 * in the order of tlv_method, and anchor words with their recoveries. */
static const char *const lda_methods[] = {"auto",	 "joint",	"power",	  "als", "sgd",
										  "anchors", "recover", "recover-kl", NULL};
#define LDA_OF_MOMENTS 0
#define LDA_JOINT	   1
#define LDA_ANCHORS	   5

/* The methods of tlv_lda, and their initialisations in the same order. */
static const char *const lda_starts[] = {"auto", "tensor", "anchors", NULL};
static const tlv_lda_start lda_start[] = {TLV_LDA_START_CHOOSE, TLV_LDA_START_TENSOR,
										  TLV_LDA_START_ANCHORS};

/* Of those names, and what automatic stands for. */
#define LDA_AUTO	  0
#define LDA_STEPWISE  1
#define LDA_CTM		  3
#define LDA_UNREFINED 4

#define LDA_OPTION(member) offsetof(LdaArguments, learn.member)

#define LDA_ARGUMENTS(methods)                                                                     \
	{                                                                                              \
		{"k", TLV_ARGUMENT_COUNT, LDA_OPTION(fit.k), .least = 1},                                  \
			{"subspace", TLV_ARGUMENT_DATUM, offsetof(LdaArguments, subspace)},                    \
			{"alpha0", TLV_ARGUMENT_REAL, LDA_OPTION(fit.alpha0)},                                 \
			{"refine", TLV_ARGUMENT_CHOICE, offsetof(LdaArguments, refine), .what = "refinement",  \
			 .names = lda_refinements},                                                            \
			{"iterations", TLV_ARGUMENT_NUMBER, LDA_OPTION(iterations), .least = 0},               \
			{"counts", TLV_ARGUMENT_CHOICE, LDA_OPTION(counts), .what = "kind of counts",          \
			 .names = lda_counts},                                                                 \
			{"min_documents", TLV_ARGUMENT_NUMBER, offsetof(LdaArguments, minimum_documents),      \
			 .least = 0},                                                                          \
			{"anchors", TLV_ARGUMENT_DATUM, offsetof(LdaArguments, anchors)},                      \
			{"fixed", TLV_ARGUMENT_DATUM, offsetof(LdaArguments, fixed)},                          \
			TLV_DECOMPOSE_ARGUMENTS_BUT_METHOD(LdaArguments, learn.fit.decompose, learn.fit.seed), \
			{"method", TLV_ARGUMENT_CHOICE, offsetof(LdaArguments, method), .what = "method",      \
			 .names = methods},                                                                    \
			{"max_k", TLV_ARGUMENT_COUNT, LDA_OPTION(max_k), .least = 1},                          \
		{                                                                                          \
			NULL                                                                                   \
		}                                                                                          \
	}

static const TlvArgument lda_fit_arguments[] = LDA_ARGUMENTS(lda_methods);
static const TlvArgument lda_driver_arguments[] = LDA_ARGUMENTS(lda_starts);

/* Anchors that are given; without k there are as many topics. */
static void
read_anchors(FunctionCallInfo fcinfo, LdaArguments *arguments)
{
	TlvGivenAnchors *given = &arguments->given;
	tlv_lda_options *fit = &arguments->learn.fit;

	if (!TlvArgumentIsNull(fcinfo, "anchors"))
		TlvReadAnchors(arguments->anchors, given);
	if (given->n > 0 && fit->k == 0)
		fit->k = given->n;
	fit->anchors = (tlv_lda_anchors){given->n, given->first, given->items, given->texts};
}

static void
refuse_anchors(const char *method)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("anchors are given, and the method is \"%s\"", method),
					errhint("Use method => 'anchors'.")));
}

static void
read_fit_method(LdaArguments *arguments)
{
	const int lda_recover_kl = 7;
	tlv_lda_options *fit = &arguments->learn.fit;

	if (arguments->given.n > 0 && arguments->method == LDA_OF_MOMENTS)
		arguments->method = LDA_ANCHORS;
	if (arguments->given.n > 0 && arguments->method < LDA_ANCHORS)
		refuse_anchors(lda_methods[arguments->method]);
	if (arguments->method >= LDA_JOINT && arguments->method < LDA_ANCHORS)
		fit->decompose.method = (tlv_method) (arguments->method - LDA_JOINT);
	else if (arguments->method != LDA_ANCHORS)
		fit->recovery =
			arguments->method == lda_recover_kl ? TLV_LDA_RECOVER_KL : TLV_LDA_RECOVER_INVERSE;
}

static void
read_start(LdaArguments *arguments)
{
	const int lda_start_tensor = 1;

	if (arguments->given.n > 0 && arguments->method == lda_start_tensor)
		refuse_anchors(lda_starts[arguments->method]);
	arguments->learn.start =
		arguments->given.n > 0 ? TLV_LDA_START_ANCHORS : lda_start[arguments->method];
}

static LdaArguments
lda_defaults(void)
{
	return (LdaArguments){.learn = {.fit = {.alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1},
									.iterations = -1,
									.minimum_documents = -1},
						  .refine = LDA_AUTO,
						  .minimum_documents = -1};
}

static LdaArguments
read_lda_arguments(FunctionCallInfo fcinfo, const TlvArgument *table)
{
	LdaArguments arguments = lda_defaults();
	tlv_lda_learn_options *learn = &arguments.learn;

	TlvReadArguments(fcinfo, table, &arguments);
	if (!TlvArgumentIsNull(fcinfo, "alpha0") &&
		!(learn->fit.alpha0 >= 0 && learn->fit.alpha0 <= 1e6))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("alpha0 = %g is not between 0 and 1e6", learn->fit.alpha0),
						errhint("alpha0 is the sum of the Dirichlet parameters; 0 is the single "
								"topic model, NULL lets the data choose.")));
	if (arguments.refine == LDA_AUTO)
		arguments.refine = LDA_STEPWISE;
	if (arguments.refine == LDA_CTM && learn->fit.alpha0 == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("documents of a single topic (alpha0 = 0) have no correlations of topics"),
				 errhint("Leave alpha0 out, or use another refinement than 'ctm'.")));
	learn->refine = arguments.refine == LDA_UNREFINED ? NULL : lda_refinements[arguments.refine];
	learn->minimum_documents = arguments.minimum_documents;
	read_anchors(fcinfo, &arguments);
	return arguments;
}

TLV_FIT_VALUE(fit_lda, tlv_lda_fit)
TLV_FIT_VALUE(fit_lda_anchors, tlv_lda_fit_anchors)
TLV_FIT_VALUE(fit_lda_pairs, tlv_lda_fit_pairs)

/* What fits moments of this kind; methods that they are not for are refused. */
static TlvFitValue
lda_fit_of(FunctionCallInfo fcinfo, const tlv_frame *moments, const LdaArguments *arguments)
{
	bool anchors = arguments->method >= LDA_ANCHORS, exact = arguments->method > LDA_ANCHORS;

	switch (moments->header->kind)
	{
		case TLV_KIND_ANCHOR_MOMENTS:
			if (arguments->method != LDA_OF_MOMENTS && arguments->method != LDA_ANCHORS)
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("of anchor moments the method is anchors, not %s",
									   lda_methods[arguments->method]),
								errhint("Leave method out.")));
			return fit_lda_anchors;
		case TLV_KIND_COUNT_PAIRS:
			if (anchors)
				return fit_lda_pairs;
			break;
		case TLV_KIND_COUNT_TRIPLES:
			if (!anchors)
				return fit_lda;
			break;
	}
	if (exact)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"%s\" needs exact co-occurrences, not moments of kind %s",
							   lda_methods[arguments->method], TlvKind(moments)->name),
						errhint("Collect them with tlv_count_moments(bag).")));
	if (anchors)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("topics by anchors need anchor moments, not moments of kind %s",
						TlvKind(moments)->name),
				 errhint("Collect them with tlv_anchor_moments(bag, tlv_find_subspace(...)).")));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("tlv_fit_lda needs compressed moments, not moments of kind %s",
						   TlvKind(moments)->name),
					errhint("Collect them with tlv_count_moments(bag, tlv_find_subspace(...)).")));
	return NULL;
}

/* tlv_fit_lda(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_lda)
{
	LdaArguments arguments = read_lda_arguments(fcinfo, lda_fit_arguments);
	TlvFitValue fit;
	tlv_frame frame, subspace;

	read_fit_method(&arguments);
	if (!TlvArgumentIsNull(fcinfo, "subspace"))
	{
		subspace = TlvKindFrame(arguments.subspace, &tlv_kind_item_subspace, "tlv_fit_lda");
		arguments.learn.fit.subspace = &subspace;
	}
	frame = TlvFrameOf(PG_GETARG_DATUM(0));
	fit = lda_fit_of(fcinfo, &frame, &arguments);
	TlvFindAnchors(&arguments.given, false);
	return TlvFit(fcinfo, fit, &arguments.learn.fit);
}

/* tlv_lda(query, ...) */
TLV_DRIVER_FUNCTION(tlv_lda)
{
	LdaArguments arguments = read_lda_arguments(fcinfo, lda_driver_arguments);
	TlvDriver *driver;

	read_start(&arguments);
	arguments.learn.test = true;
	arguments.learn.errors = TlvWantsErrors(fcinfo);
	if (!TlvArgumentIsNull(fcinfo, "fixed"))
	{
		arguments.fixed_topics = TlvKindFrame(arguments.fixed, &tlv_kind_lda, "tlv_lda");
		arguments.learn.fixed = &arguments.fixed_topics;
	}
	driver = TlvDriverBegin(fcinfo);
	TlvDriverCheck(driver, &tlv_lda_procedure, &arguments.learn);
	TlvReadDocuments(driver, TlvQueryText(fcinfo, "documents"));
	TlvFindAnchors(&arguments.given, driver->rows[0].names != NULL);
	return TlvDriverLearn(fcinfo, driver, &tlv_lda_procedure, &arguments.learn);
}

/* ---- the number of topics ---- */

const char *const TlvTopicCriteria[] = {TLV_SUGGEST_HELD_OUT, TLV_SUGGEST_GAIN,
										TLV_SUGGEST_COHERENCE, TLV_SUGGEST_SIGNIFICANCE, NULL};

const tlv_suggestion *
TlvSuggestTopics(FunctionCallInfo fcinfo, TlvDriver *driver, const TlvSearch *search, size_t *n)
{
	tlv_lda_learn_options options = lda_defaults().learn;
	tlv_suggestion *rows;

	options.refine = lda_refinements[LDA_STEPWISE];
	options.max_k = search->max_k;
	options.fit.seed = options.fit.decompose.seed = search->seed;
	TlvReadDocuments(driver, TlvQueryText(fcinfo, "documents"));
	TlvCheck(driver->ctx, tlv_lda_suggest(driver->ctx, TlvDriverSource(driver), &options,
										  search->criterion, &rows, n));
	return rows;
}

/* ---- reading ---- */

/* Rows (topic, label, alpha, weight). */
TLV_FUNCTION(tlv_topics_rows)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_lda, "tlv_topics");
	size_t k = tlv_frame_find(&frame, "phi")->rows;
	const double *alpha = tlv_frame_float64(&frame, "alpha");
	const double *weights = tlv_frame_float64(&frame, "weights");
	bool single = tlv_frame_scalar(&frame, "alpha0", 1) == 0;
	bool correlated = tlv_lda_is_correlated(&frame);

	TlvInitRows(fcinfo);
	for (size_t j = 0; j < k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvComponentLabel(&frame, j),
				  TlvNullIf(correlated, TlvFloat8(single ? 0 : alpha[j])), TlvFloat8(weights[j]));
	return (Datum) 0;
}

/* The orders of a topic's items, in the order of the enum. */
typedef enum TopicScore
{
	SCORE_DISTINCTIVE, /* the shrunk lift of tlv_lda_shrinkage */
	SCORE_PROBABILITY
} TopicScore;

static const char *const topic_scores[] = {"distinctive", "probability", NULL};

typedef struct RankedItem
{
	uint64 key; /* the less, the higher the score */
	size_t position;
} RankedItem;

/* The topics of a model, opened for ranking their items. */
typedef struct TopicReader
{
	tlv_frame frame;
	size_t k;
	size_t d;
	const double *phi;	  /* k x d */
	const int64_t *items; /* d */
	tlv_name_list names;
	TopicScore by;
	const double *shares; /* d: proportions of the corpus */
	double shrinkage;
	RankedItem *room; /* 2 d */
} TopicReader;

/* Numbers are in the order of their bits, those below 0 the other way round. */
static uint64
rank_key(double score)
{
	uint64 bits;

	memcpy(&bits, &score, sizeof(bits));
	return (bits >> 63) != 0 ? bits : ~(bits | UINT64CONST(1) << 63);
}

static double
topic_score(const TopicReader *reader, size_t topic, size_t item)
{
	double probability = reader->phi[item * reader->k + topic];

	if (reader->by == SCORE_PROBABILITY)
		return probability;
	return probability / (reader->shares[item] + reader->shrinkage);
}

/*
 * The *n items of a topic with a probability above 0: those of the highest score first, equal ones
 * ascending.  The time is linear, whatever the model says: it may have been written so that
 * comparisons take long.
 */
static const RankedItem *
rank_items(const TopicReader *reader, size_t topic, size_t *n)
{
	static const tlv_sort_form form = {sizeof(RankedItem), sizeof(uint64), 0, 64};
	tlv_context ctx = TlvCallContext();
	void *sorted;

	*n = 0;
	for (size_t i = 0; i < reader->d; i++)
	{
		TlvLoopCheck(i);
		if (reader->phi[i * reader->k + topic] > 0)
			reader->room[(*n)++] = (RankedItem){rank_key(topic_score(reader, topic, i)), i};
	}
	TlvCheck(&ctx,
			 tlv_radix_sort(&ctx, &form, *n, reader->room, reader->room + reader->d, &sorted));
	return sorted;
}

static void
open_topics(FunctionCallInfo fcinfo, TopicReader *reader)
{
	const tlv_section *texts;
	tlv_context ctx = TlvCallContext();

	memset(reader, 0, sizeof(*reader));
	reader->by = (TopicScore) TlvNamedChoice(fcinfo, "by", topic_scores, "score of items");
	reader->frame = TlvModelFrame(fcinfo, 0, &tlv_kind_lda, "tlv_topic_items");
	reader->k = tlv_frame_find(&reader->frame, "phi")->rows;
	reader->d = tlv_frame_find(&reader->frame, "phi")->columns;
	reader->phi = tlv_frame_float64(&reader->frame, "phi");
	reader->items = tlv_frame_int64(&reader->frame, "items");
	texts = tlv_frame_find(&reader->frame, "labels");
	if (texts != NULL)
		reader->names = (tlv_name_list){tlv_frame_int64(&reader->frame, "label_offsets"),
										(const char *) tlv_section_data(&reader->frame, texts)};
	reader->room = palloc_extended(2 * reader->d * sizeof(RankedItem), MCXT_ALLOC_HUGE);
	reader->shares = tlv_frame_float64(&reader->frame, "shares");
	TlvCheck(&ctx, tlv_lda_shrinkage(&ctx, &reader->frame, &reader->shrinkage));
}

static void
put_item(FunctionCallInfo fcinfo, const TopicReader *reader, size_t topic, int rank, size_t item)
{
	TlvPutRow(fcinfo, TlvInt4((int32) topic + 1), TlvComponentLabel(&reader->frame, topic),
			  TlvInt4(rank), TlvInt8(reader->items[item]),
			  TlvNameCell(&reader->names, item, reader->items[item]),
			  TlvFloat8(reader->phi[item * reader->k + topic]),
			  TlvFloat8(topic_score(reader, topic, item)));
}

/* Rows (topic, label, rank, item, item_name, probability, score); top NULL: all of probability
 * above 0. */
TLV_FUNCTION(tlv_topic_items_rows)
{
	TopicReader reader;
	size_t top;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	open_topics(fcinfo, &reader);
	top = TlvArgumentIsNull(fcinfo, "top") ? reader.d : TlvNamedCount(fcinfo, "top", 1);
	for (size_t j = 0; j < reader.k; j++)
	{
		size_t n;
		const RankedItem *ranked = rank_items(&reader, j, &n);

		CHECK_FOR_INTERRUPTS();
		for (size_t r = 0; r < n && r < top; r++)
			put_item(fcinfo, &reader, j, (int) r + 1, ranked[r].position);
	}
	return (Datum) 0;
}

/* Rows (topic, npmi, umass) from coherence counts. */
TLV_FUNCTION(tlv_topic_coherence_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	size_t top, k;
	const double *joint;
	double documents;

	TlvRequireKind(&frame, &tlv_kind_coherence, "tlv_coherence");
	top = tlv_frame_find(&frame, "items")->rows;
	k = tlv_frame_find(&frame, "items")->columns;
	joint = tlv_frame_float64(&frame, "joint");
	documents = tlv_frame_scalar(&frame, "documents", 0);
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < k; j++)
	{
		double npmi, umass;

		tlv_topic_coherence(top, joint + j * tlv_packed2_size(top), documents, &npmi, &umass);
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvKnown(npmi), TlvKnown(umass));
	}
	return (Datum) 0;
}
