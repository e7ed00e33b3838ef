/*
 * crowd.c - answers of workers: collecting them, arguments of the fit and the driver, what is true
 * and who is right.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "utils/builtins.h"

#include "rows/queries.h"
#include "rows/reader.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "tensorlv/model/crowd.h"

/* ---- collecting: 1, 2 and 4: items, workers and answers are texts ---- */

#define ANSWERS(texts)                                                                             \
	TLV_MOVING_TRANSITION(tlv_crowd_answers_accum_##texts, tlv_crowd_answers_inverse_##texts,      \
						  &tlv_aggregate_crowd_answers, &TlvAnswerRows[texts], 1)
#define GOLD(texts)                                                                                \
	TLV_MOVING_TRANSITION(tlv_gold_answers_accum_##texts, tlv_gold_answers_inverse_##texts,        \
						  &tlv_aggregate_gold_answers, &TlvGoldRows[texts], 1)

ANSWERS(0)
ANSWERS(1)
ANSWERS(2)
ANSWERS(3)
ANSWERS(4)
ANSWERS(5)
ANSWERS(6)
ANSWERS(7)
GOLD(0)
GOLD(1)
GOLD(4)
GOLD(5)

/* ---- fitting ---- */

typedef struct CrowdArguments
{
	tlv_crowd_options fit;
	int start; /* of tlv_crowd_start_names */
	int refine;
	int copies;
	const char *gold; /* a query, or NULL */
} CrowdArguments;

/* With the ascent or without. */
static const char *const crowd_refinements[] = {"auto", "em", "none", NULL};

/* Groups of copying workers count as one, or as many. */
static const char *const crowd_copies_names[] = {"auto", "ignore", NULL};

#define CROWD_OPTION(member) offsetof(CrowdArguments, fit.member)

/* Of tlv_fit_crowd and tlv_crowd. */
static const TlvArgument crowd_arguments[] = {
	{"gold", TLV_ARGUMENT_TEXT, offsetof(CrowdArguments, gold)},
	{"shrink", TLV_ARGUMENT_REAL, CROWD_OPTION(shrink), .most = 1000, .most_text = "1000"},
	{"refine", TLV_ARGUMENT_CHOICE, offsetof(CrowdArguments, refine), .what = "refinement",
	 .names = crowd_refinements},
	{"iterations", TLV_ARGUMENT_NUMBER, CROWD_OPTION(iterations), .least = 0},
	{"start", TLV_ARGUMENT_CHOICE, offsetof(CrowdArguments, start), .what = "start",
	 .names = tlv_crowd_start_names},
	{"copies", TLV_ARGUMENT_CHOICE, offsetof(CrowdArguments, copies), .what = "use of copies",
	 .names = crowd_copies_names},
	{"restarts", TLV_ARGUMENT_NUMBER, CROWD_OPTION(restarts), .least = 1},
	{"seed", TLV_ARGUMENT_SEED, CROWD_OPTION(seed)},
	{NULL}};

static CrowdArguments
read_crowd_arguments(FunctionCallInfo fcinfo)
{
	CrowdArguments arguments = {.fit = tlv_crowd_defaults};

	TlvReadArguments(fcinfo, crowd_arguments, &arguments);
	arguments.fit.start = (tlv_crowd_start) arguments.start;
	arguments.fit.independent = strcmp(crowd_copies_names[arguments.copies], "ignore") == 0;
	arguments.fit.plain = strcmp(crowd_refinements[arguments.refine], "none") == 0;
	return arguments;
}

TLV_FIT_VALUE(fit_crowd, tlv_crowd_fit)

/* tlv_fit_crowd(answers, ...) */
TLV_FIT_FUNCTION(tlv_fit_crowd)
{
	CrowdArguments arguments = read_crowd_arguments(fcinfo);

	return TlvFit(fcinfo, fit_crowd, &arguments.fit);
}

/* tlv_crowd(query, ...) */
TLV_DRIVER_FUNCTION(tlv_crowd)
{
	CrowdArguments arguments = read_crowd_arguments(fcinfo);
	TlvDriver *driver = TlvDriverBegin(fcinfo);

	TlvReadAnswers(driver, TlvQueryText(fcinfo, "answers"));
	if (arguments.gold != NULL)
		TlvReadGold(driver, arguments.gold);
	return TlvDriverLearn(fcinfo, driver, &tlv_crowd_procedure, &arguments.fit);
}

/* ---- reading ---- */

/* What an id is called: its name, or the digits of the number. */
static TlvCell
id_name(const tlv_crowd_parts *parts, tlv_crowd_set set, int64 id)
{
	return TlvIdCell(tlv_crowd_name(parts, set, id), id);
}

/* The answer that a class is. */
static int64
class_answer(const tlv_crowd_parts *parts, size_t h)
{
	return parts->answers[parts->component_answers[h]];
}

static void
crowd_open_parts(FunctionCallInfo fcinfo, const char *function, tlv_crowd_parts *parts)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_crowd, function);

	tlv_crowd_read(&frame, parts);
	TlvInitRows(fcinfo);
}

/* The most probable class of an item. */
static size_t
best_class(const tlv_crowd_parts *parts, const double *q)
{
	size_t best = 0;

	for (size_t h = 1; h < parts->k; h++)
		best = q[h] > q[best] ? h : best;
	return best;
}

/* Rows (item, item_name, answer, answer_name, probability, answers, known). */
TLV_FUNCTION(tlv_consensus_rows)
{
	tlv_crowd_parts parts;

	crowd_open_parts(fcinfo, "tlv_consensus", &parts);
	for (size_t i = 0; i < parts.items_n; i++)
	{
		const double *q = parts.posterior + parts.k * i;
		size_t h = best_class(&parts, q);

		TlvPutRow(fcinfo, TlvInt8(parts.items[i]), id_name(&parts, TLV_CROWD_ITEMS, parts.items[i]),
				  TlvInt8(class_answer(&parts, h)),
				  id_name(&parts, TLV_CROWD_ANSWERS, class_answer(&parts, h)), TlvFloat8(q[h]),
				  TlvInt8((int64) parts.item_answers[i]), TlvBool(parts.known[i] > 0));
	}
	return (Datum) 0;
}

/* Rows (worker, worker_name, accuracy, standard_error, answers, copies). */
TLV_FUNCTION(tlv_workers_rows)
{
	tlv_crowd_parts parts;

	crowd_open_parts(fcinfo, "tlv_workers", &parts);
	for (size_t j = 0; j < parts.workers_n; j++)
	{
		double group = parts.copies != NULL ? parts.copies[j] : 0;

		TlvPutRow(fcinfo, TlvInt8(parts.workers[j]),
				  id_name(&parts, TLV_CROWD_WORKERS, parts.workers[j]),
				  TlvFloat8(parts.accuracy[j]), TlvFloat8(parts.accuracy_error[j]),
				  TlvInt8((int64) parts.worker_answers[j]),
				  TlvNullIf(!(group > 0), TlvInt8((int64) group)));
	}
	return (Datum) 0;
}

/* Rows (worker, worker_name, true_answer, true_answer_name, given_answer, given_answer_name,
 * probability, standard_error) of one worker. */
static void
put_confusions(FunctionCallInfo fcinfo, const tlv_crowd_parts *parts, size_t worker)
{
	for (size_t h = 0; h < parts->k; h++)
		for (size_t l = 0; l < parts->answers_n; l++)
		{
			size_t column = worker * parts->answers_n + l;

			TlvPutRow(fcinfo, TlvInt8(parts->workers[worker]),
					  id_name(parts, TLV_CROWD_WORKERS, parts->workers[worker]),
					  TlvInt8(class_answer(parts, h)),
					  id_name(parts, TLV_CROWD_ANSWERS, class_answer(parts, h)),
					  TlvInt8(parts->answers[l]),
					  id_name(parts, TLV_CROWD_ANSWERS, parts->answers[l]),
					  TlvFloat8(parts->confusions[h + parts->k * column]),
					  TlvFloat8(tlv_crowd_confusion_error(parts, h, column)));
		}
}

TLV_FUNCTION(tlv_confusions_rows)
{
	tlv_crowd_parts parts;

	crowd_open_parts(fcinfo, "tlv_confusions", &parts);
	for (size_t j = 0; j < parts.workers_n; j++)
		put_confusions(fcinfo, &parts, j);
	return (Datum) 0;
}

/* ---- simulation ---- */

static tlv_status
put_answer(tlv_context *ctx, void *argument, const tlv_crowd_answer *answer)
{
	(void) ctx;
	TlvPutRow((FunctionCallInfo) argument, TlvInt8((int64) answer->item),
			  TlvInt8((int64) answer->worker), TlvInt8((int64) answer->answer),
			  TlvInt8((int64) answer->truth));
	return TLV_OK;
}

/* tlv_simulate_crowd(items, workers, ...): rows (item, worker, answer, true_answer) */
TLV_FUNCTION(tlv_simulate_crowd)
{
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	tlv_crowd_simulation options = {.items = TlvNamedCount(fcinfo, "items", 0),
									.workers = TlvNamedCount(fcinfo, "workers", 1),
									.k = TlvNamedCount(fcinfo, "k", 1),
									.share = TlvNamedNumber(fcinfo, "share"),
									.low = TlvNamedNumber(fcinfo, "low"),
									.high = TlvNamedNumber(fcinfo, "high"),
									.adversarial = TlvNamedNumber(fcinfo, "adversarial"),
									.seed = TlvNamedSeed(fcinfo)};

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx, tlv_crowd_simulate(&work->ctx, &options, put_answer, fcinfo));
	TlvWorkEnd(work);
	return (Datum) 0;
}
