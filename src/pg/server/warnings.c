/*
 * warnings.c - what fits warn of, raised as messages of the server: at most five for a statement,
 * the severest first, and a last one that counts the others.
 *
 * What the models of a statement warn of is collected while the statement runs and raised when it
 * ends, so that a query that fits a model for every group has one warning for all of them.  A fit
 * outside of any statement, in an assignment of PL/pgSQL, raises its own at once.  What the planner
 * evaluates is collected for the run that follows, which may evaluate it again: a model counts
 * once.
 *
 * A parallel worker sends what it has collected to the leader, marked, whether warnings are raised
 * or logged; the leader adds them to its own before they reach anybody.  They travel as messages of
 * level LOG, since emit_log_hook sees those for every log_min_messages but fatal and panic.  With
 * these a worker raises its own.  The rows that other servers count in their parts of a statement
 * of Citus are added up likewise where the coordinator logs warnings (log_min_messages = warning or
 * below); elsewhere each part's warning is raised by itself.
 */
#include "tlv_pg.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "optimizer/planner.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"

#include "tensorlv/model/diagnostics.h"

/* The schema that a worker's warnings name. */
#define WORKER_MARK "tensorlv warnings"
/* Warnings that count rows: their code, and what they say between what is unknown and the first. */
#define ROWS_CODE	 "unmatched_labels"
#define UNKNOWN_ROWS " that the model does not know, the first of which is "

/* Comments at the end of a statement of a pass, by which its workers know (TlvMarkedText). */
#define PASS_MARK	"-- tensorlv: rows of a pass"
#define REPEAT_MARK "-- tensorlv: rows that were read before\n"

/* What is known of a warning that several components or models of a statement have. */
typedef struct Collected
{
	char *code;
	int sqlstate;
	tlv_severity severity;
	bool of_component;
	int order;		 /* in which it was collected */
	int models;		 /* that have it */
	int times;		 /* of all models and their components */
	int model;		 /* the last that has it, by number */
	int64 rows;		 /* that are counted under one message, which follows their number; 0: none */
	int64 own;		 /* of these, those that this process has counted: the most of one function */
	List *functions; /* of RowsOf: several may see the same rows */
	char *message;
	char *detail, *hint; /* "": there is none */
} Collected;

/* The rows that one function has counted under a message. */
typedef struct RowsOf
{
	Oid function;
	int64 rows;
} RowsOf;

/* The warnings of the statement that runs, in a context that is reset when it ends. */
static MemoryContext collected_mcxt = NULL;
static List *collected = NIL; /* of Collected */
static List *digests = NIL;	  /* of tlv_digest, of the models that were collected */
static int models = 0;		  /* that were collected, those that do not exist included */
static int running = 0;		  /* executors, one in another */
static int planning = 0;	  /* planners, likewise */
static int passes = 0;		  /* of drivers that run, likewise */
static int repeats = 0;		  /* reading rows that were read before, likewise */

static ExecutorRun_hook_type run_before = NULL;
static planner_hook_type plan_before = NULL;
static emit_log_hook_type log_before = NULL;

/* ---- collecting ---- */

static void
collected_clear(void)
{
	if (collected_mcxt == NULL)
		collected_mcxt =
			AllocSetContextCreate(TopMemoryContext, "tensorlv warnings", ALLOCSET_SMALL_SIZES);
	else
		MemoryContextReset(collected_mcxt);
	collected = digests = NIL;
	models = 0;
}

/* The entry that a warning of that model (0: of none) counts in, which has its code and hint: that
 * of another model, or of another component of the same model.  NULL: it is the first of its kind.
 */
static Collected *
find_collected(const Collected *wanted, int model)
{
	const char *hint = wanted->hint != NULL ? wanted->hint : "";
	ListCell *cell;

	foreach (cell, collected)
	{
		Collected *warning = lfirst(cell);

		if (strcmp(warning->code, wanted->code) == 0 && strcmp(warning->hint, hint) == 0 &&
			(warning->model != model || (warning->of_component && wanted->of_component)))
			return warning;
	}
	return NULL;
}

/* One more kind of warnings, of which none is counted yet; in the context of what is collected. */
static Collected *
add_collected(const Collected *warning)
{
	Collected *known = palloc(sizeof(Collected));

	*known = *warning;
	known->code = pstrdup(warning->code);
	known->message = TlvWhole(warning->message);
	known->detail = warning->detail != NULL ? TlvWhole(warning->detail) : "";
	known->hint = TlvWhole(warning->hint != NULL ? warning->hint : "");
	known->order = list_length(collected);
	known->models = known->times = 0;
	known->model = -1;
	known->rows = known->own = 0;
	known->functions = NIL;
	collected = lappend(collected, known);
	return known;
}

/* Counts a warning of the last model; in the context of what is collected. */
static void
warnings_collect(const Collected *warning)
{
	Collected *known = find_collected(warning, models);

	if (known == NULL)
		known = add_collected(warning);
	known->times++;
	known->models += known->model != models;
	known->model = models;
}

/* ---- raising ---- */

static int
raised_level(void)
{
	return tlv_warnings == TLV_WARNINGS_LOG ? LOG : WARNING;
}

/* "3 rows have categories ...", "... (the first of 2 models with this warning)". */
static char *
full_message(const Collected *warning)
{
	if (warning->rows > 0)
		return psprintf(INT64_FORMAT " %s %s", warning->rows,
						warning->rows == 1 ? "row has" : "rows have", warning->message);
	if (warning->models > 1)
		return psprintf("%s (the first of %d models with this warning)", warning->message,
						warning->models);
	if (warning->times > 1)
		return psprintf("%s (the first of %d such warnings)", warning->message, warning->times);
	return warning->message;
}

static void
raise_one(const Collected *warning)
{
	ereport(raised_level(), (errcode(warning->sqlstate), errmsg("%s", full_message(warning)),
							 warning->detail[0] != '\0' ? errdetail("%s", warning->detail) : 0,
							 warning->hint[0] != '\0' ? errhint("%s", warning->hint) : 0));
}

/* The severest first.  list_sort is not stable, so the order of equal ones is that of collection.
 */
static int
compare_severity(const ListCell *a, const ListCell *b)
{
	const Collected *x = lfirst(a), *y = lfirst(b);

	return x->severity != y->severity ? (int) x->severity - (int) y->severity : x->order - y->order;
}

/* All that is collected: five, and how many more there are. */
static void
raise_collected(void)
{
	const int most_raised = 5;
	int raised = 0, others = 0;
	ListCell *cell;

	list_sort(collected, compare_severity);
	foreach (cell, collected)
		if (raised < most_raised)
		{
			raise_one(lfirst(cell));
			raised++;
		}
		else
			others += ((const Collected *) lfirst(cell))->times;
	if (others > 0)
		ereport(raised_level(),
				(errcode(ERRCODE_WARNING),
				 errmsg_plural("%d more warning is in tlv_warnings(model)",
							   "%d more warnings are in tlv_warnings(model)", others, others)));
}

/* ---- parallel workers ---- */

/* To the leader: what is counted, and the message without a count. */
static void
send_to_leader(const Collected *warning)
{
	char *counts = psprintf("%d %d %d %d " INT64_FORMAT, (int) warning->severity,
							warning->of_component, warning->models, warning->times, warning->rows);
	char *message = full_message(warning);
	int least = client_min_messages;

	client_min_messages = LOG; /* the leader is the worker's client, whatever its own takes */
	ereport(LOG, (errcode(warning->sqlstate), errmsg("%s", message),
				  warning->detail[0] != '\0' ? errdetail("%s", warning->detail) : 0,
				  warning->hint[0] != '\0' ? errhint("%s", warning->hint) : 0,
				  err_generic_string(PG_DIAG_SCHEMA_NAME, WORKER_MARK),
				  err_generic_string(PG_DIAG_TABLE_NAME, warning->code),
				  err_generic_string(PG_DIAG_COLUMN_NAME, counts),
				  err_generic_string(PG_DIAG_DATATYPE_NAME, warning->message)));
	client_min_messages = least;
}

/* Adds what was counted elsewhere. */
static void
add_sent(const Collected *sent)
{
	MemoryContext before;
	Collected *known;

	if (collected_mcxt == NULL)
		collected_clear();
	before = MemoryContextSwitchTo(collected_mcxt);
	known = find_collected(sent, 0);
	if (known == NULL)
		known = add_collected(sent);
	known->models += sent->models;
	known->times += sent->times;
	known->rows += sent->rows;
	MemoryContextSwitchTo(before);
}

/* Adds a worker's warning to those of the statement; false: it is not one of ours. */
static bool
take_from_worker(const ErrorData *message)
{
	Collected sent = {0};
	int severity, of_component;
	long long rows;

	if (running == 0 || message->elevel != LOG || message->table_name == NULL ||
		message->column_name == NULL || message->datatype_name == NULL ||
		sscanf(message->column_name, "%d %d %d %d %lld", &severity, &of_component, &sent.models,
			   &sent.times, &rows) != 5)
		return false;
	sent.code = message->table_name;
	sent.sqlstate = message->sqlerrcode;
	sent.severity = (tlv_severity) severity;
	sent.of_component = of_component != 0;
	sent.message = message->datatype_name;
	sent.detail = message->detail;
	sent.hint = message->hint;
	sent.rows = rows;
	add_sent(&sent);
	return true;
}

/* The text behind a label in a message that came as one, which ends there; NULL: it has none. */
static char *
cut_at(char *text, const char *label)
{
	char *at = strstr(text, label);

	if (at == NULL)
		return NULL;
	*at = '\0';
	return at + strlen(label);
}

/*
 * The same of a warning that counts rows and that another server has raised in its part of a
 * statement of Citus, which hands it on as one text with the server as its detail.
 */
static bool
take_from_server(const ErrorData *message)
{
	Collected sent = {.code = ROWS_CODE, .sqlstate = ERRCODE_WARNING, .times = 1};
	char *text, *hint, *detail;
	int length = 0;
	long long rows;

	if (running == 0 || message->elevel != WARNING || message->sqlerrcode != ERRCODE_WARNING ||
		message->message == NULL || message->detail == NULL ||
		strncmp(message->detail, "from ", 5) != 0)
		return false;
	text = pstrdup(message->message);
	if (sscanf(text, "%lld rows have %n", &rows, &length) < 1 ||
		(length == 0 && sscanf(text, "%lld row has %n", &rows, &length) < 1) || length == 0)
		return false;
	hint = cut_at(text, "\nHINT:  ");
	detail = cut_at(text, "\nDETAIL:  ");
	if (hint == NULL || detail == NULL || strstr(text, UNKNOWN_ROWS) == NULL)
		return false;
	sent.severity = tlv_warning_severity(ROWS_CODE);
	sent.message = text + length;
	sent.detail = detail;
	sent.hint = hint;
	sent.rows = rows;
	add_sent(&sent);
	return true;
}

/* A message on its way to the log and to the client: marked ones go from the worker to the leader
 * alone, and from there nowhere until the statement ends. */
static void
take_message(ErrorData *message)
{
	if (message->schema_name != NULL && strcmp(message->schema_name, WORKER_MARK) == 0)
	{
		if (IsParallelWorker())
			message->output_to_server = false;
		else if (take_from_worker(message))
			message->output_to_server = message->output_to_client = false;
	}
	else if (take_from_server(message))
		message->output_to_server = message->output_to_client = false;
	if (log_before != NULL && message->output_to_server)
		log_before(message);
}

/* Is emit_log_hook called for a message of level LOG? */
static bool
leader_takes(void)
{
	return log_min_messages < FATAL;
}

static void
send_all(void)
{
	ListCell *cell;

	foreach (cell, collected)
		send_to_leader(lfirst(cell));
}

static void
raise_and_clear(void)
{
	if (collected != NIL && tlv_warnings != TLV_WARNINGS_OFF && IsParallelWorker() &&
		leader_takes())
		send_all();
	else if (collected != NIL && tlv_warnings != TLV_WARNINGS_OFF)
		raise_collected();
	if (collected_mcxt != NULL)
		collected_clear();
}

/* ---- statements ---- */

#if PG_VERSION_NUM >= 180000
#define RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define RUN_ARGUMENTS  query, direction, count
#else
#define RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool once
#define RUN_ARGUMENTS  query, direction, count, once
#endif

/* The executor: at the end of the outermost one the warnings are raised. */
static void
warnings_run_statement(RUN_PARAMETERS)
{
	running++;
	PG_TRY();
	{
		if (run_before != NULL)
			run_before(RUN_ARGUMENTS);
		else
			standard_ExecutorRun(RUN_ARGUMENTS);
	}
	PG_CATCH();
	{
		if (--running == 0 && collected_mcxt != NULL)
			collected_clear();
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (--running == 0)
		raise_and_clear();
}

/* The planner: what an earlier one has collected for a run that never came is dropped. */
static PlannedStmt *
warnings_plan_statement(Query *query, const char *text, int options, ParamListInfo parameters)
{
	PlannedStmt *plan;

	if (running == 0 && planning == 0 && collected_mcxt != NULL)
		collected_clear();
	planning++;
	PG_TRY();
	{
		plan = plan_before != NULL ? plan_before(query, text, options, parameters)
								   : standard_planner(query, text, options, parameters);
	}
	PG_FINALLY();
	{
		planning--;
	}
	PG_END_TRY();
	return plan;
}

bool
TlvPlannerIsHooked(void)
{
	return plan_before != NULL || planner_hook != warnings_plan_statement;
}

void
TlvWarningsInit(void)
{
	run_before = ExecutorRun_hook;
	ExecutorRun_hook = warnings_run_statement;
	plan_before = planner_hook;
	planner_hook = warnings_plan_statement;
	log_before = emit_log_hook;
	emit_log_hook = take_message;
}

/* ---- what is warned of ---- */

/* One more model, or none in its place. */
static MemoryContext
collect_begin(void)
{
	if (collected_mcxt == NULL)
		collected_clear();
	models++;
	return MemoryContextSwitchTo(collected_mcxt);
}

static void
collect_end(MemoryContext before)
{
	MemoryContextSwitchTo(before);
	if (running == 0 && planning == 0)
		raise_and_clear();
}

void
TlvRaiseWarning(int sqlstate, const char *code, const char *message, const char *detail,
				const char *hint)
{
	MemoryContext before = collect_begin();

	warnings_collect(&(Collected){.code = (char *) code,
								  .sqlstate = sqlstate,
								  .severity = tlv_warning_severity(code),
								  .message = (char *) message,
								  .detail = (char *) detail,
								  .hint = (char *) hint});
	collect_end(before);
}

/* ---- passes of drivers ---- */

void
TlvPassRunBegin(void)
{
	passes++;
}

void
TlvPassRunEnd(void)
{
	passes--;
}

void
TlvRepeatBegin(void)
{
	repeats++;
}

void
TlvRepeatEnd(void)
{
	repeats--;
}

const char *
TlvMarkedText(const char *text)
{
	if (passes == 0 && repeats == 0)
		return text;
	return psprintf("%s\n%s%s", text, repeats > 0 ? REPEAT_MARK : "", passes > 0 ? PASS_MARK : "");
}

/* Does the text of the leader's statement, which a worker runs a part of, have the mark? */
static bool
leader_marks(const char *mark)
{
	return IsParallelWorker() && debug_query_string != NULL &&
		   strstr(debug_query_string, mark) != NULL;
}

bool
TlvPassRuns(void)
{
	return passes > 0 || leader_marks(PASS_MARK);
}

bool
TlvCountsRows(void)
{
	return tlv_warnings != TLV_WARNINGS_OFF && (running > 0 || planning > 0) && repeats == 0 &&
		   !leader_marks(REPEAT_MARK);
}

/* ---- rows with what a model does not know ---- */

/* In the context of what is collected. */
static RowsOf *
count_of_function(Collected *known, Oid function)
{
	RowsOf *rows;
	ListCell *cell;

	foreach (cell, known->functions)
		if (((RowsOf *) lfirst(cell))->function == function)
			return lfirst(cell);
	rows = palloc0(sizeof(RowsOf));
	rows->function = function;
	known->functions = lappend(known->functions, rows);
	return rows;
}

bool
TlvCountRow(Oid function, const char *hint)
{
	Collected *known = find_collected(&(Collected){.code = ROWS_CODE, .hint = (char *) hint}, 0);
	MemoryContext before;

	if (known == NULL)
		return false;
	before = MemoryContextSwitchTo(collected_mcxt);
	if (++count_of_function(known, function)->rows > known->own)
	{
		known->own++;
		known->rows++;
	}
	MemoryContextSwitchTo(before);
	return true;
}

void
TlvCountFirstRow(Oid function, const char *name, const char *first, const char *detail,
				 const char *hint)
{
	MemoryContext before = collect_begin();
	Collected *counted =
		add_collected(&(Collected){.code = ROWS_CODE,
								   .sqlstate = ERRCODE_WARNING,
								   .severity = tlv_warning_severity(ROWS_CODE),
								   .message = psprintf("%s" UNKNOWN_ROWS "%s", name, first),
								   .detail = (char *) detail,
								   .hint = (char *) hint});

	counted->rows = counted->own = counted->times = 1;
	count_of_function(counted, function)->rows = 1;
	collect_end(before);
}

/* Has the statement this model already?  Remembers it. */
static bool
is_collected(const tlv_frame *model)
{
	tlv_digest *digest;
	ListCell *cell;

	foreach (cell, digests)
		if (tlv_digest_equal(lfirst(cell), &model->header->digest))
			return true;
	digest = palloc(sizeof(tlv_digest));
	*digest = model->header->digest;
	digests = lappend(digests, digest);
	return false;
}

/* Does a model warn of the same? */
static bool
has_warning(const tlv_frame *model, const tlv_warning *warning)
{
	tlv_warnings_walk walk = tlv_warnings_of(model);

	while (tlv_warnings_next(&walk))
		if (strcmp(walk.warning.code, warning->code) == 0 &&
			strcmp(walk.warning.message, warning->message) == 0)
			return true;
	return false;
}

void
TlvRaiseWarnings(const tlv_frame *model, const tlv_frame *before)
{
	tlv_warnings_walk walk = tlv_warnings_of(model);
	MemoryContext caller;

	if (walk.left == 0)
		return;
	caller = collect_begin();
	if (!is_collected(model))
		while (tlv_warnings_next(&walk))
			if (before == NULL || !has_warning(before, &walk.warning))
				warnings_collect(&(Collected){.code = (char *) walk.warning.code,
											  .sqlstate = ERRCODE_WARNING,
											  .severity = tlv_warning_severity(walk.warning.code),
											  .of_component = walk.warning.component > 0,
											  .message = (char *) walk.warning.message,
											  .hint = (char *) walk.warning.hint});
	collect_end(caller);
}
