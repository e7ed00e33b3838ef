/*
 * progress.c - how far a long computation is: in messages, where tensorlv.progress asks for them,
 * and in pg_stat_activity, in a comment before the text of the query.
 *
 * The other ways to be seen are no better.  A name of the application or a title of the process is
 * not ours to change; events to wait for, which extensions have from 17 on, would say that a
 * backend waits which works; a view needs shared memory, and so a restart of the server before 17.
 */
#include "tlv_pg.h"

#include <math.h>

#include "access/parallel.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "utils/timestamp.h"

/* Between two messages, and two changes of what is shown of a stage. */
#define MILLISECONDS 1000

/* Memory that is worth a word, in bytes. */
#define MUCH_MEMORY 10485760.0

typedef struct Progress
{
	int pass, passes; /* 0: none, and it is not known how many there may be */
	char stage[64];
	double done, total; /* of the stage; total 0: not known */
	double memory;		/* bytes, the most that is known to be needed */
	TimestampTz start, shown;
	char *query; /* the text in pg_stat_activity; NULL: it has not been changed */
	MemoryContext mcxt;
	MemoryContextCallback callback;
} Progress;

/* What runs: the outermost, or NULL. */
static Progress *current = NULL;
static TimestampTz last_message = 0;
static TimestampTz last_look = 0;
static int skip = 1, skipped = 0;

/* ---- pg_stat_activity ---- */

static void
show_query(const char *text)
{
#if PG_VERSION_NUM >= 140000
	uint64 id = pgstat_get_my_query_id();

	pgstat_report_activity(STATE_RUNNING, text);
	pgstat_report_query_id(id, true);
#else
	pgstat_report_activity(STATE_RUNNING, text);
#endif
}

static void
show_activity(Progress *progress, const char *message)
{
	MemoryContext before;
	char *text;

	if (!pgstat_track_activities)
		return;
	before = MemoryContextSwitchTo(progress->mcxt);
	if (progress->query == NULL && debug_query_string != NULL)
		progress->query = pnstrdup(debug_query_string, (Size) pgstat_track_activity_query_size);
	if (progress->query != NULL)
	{
		text = psprintf("/* tensorlv: %s */ %s", message, progress->query);
		show_query(text);
		pfree(text);
	}
	MemoryContextSwitchTo(before);
}

/* The computation is over, or an error has ended it. */
static void
progress_end(void *argument)
{
	const Progress *progress = argument;

	if (progress->query != NULL && pgstat_track_activities)
		show_query(progress->query);
	current = NULL;
}

/* ---- messages ---- */

/* The passes that are done, in percent of those expected. */
static int
percent_done(const Progress *progress)
{
	double part = progress->total > 0 ? fmin(progress->done / progress->total, 1) : 0;

	return (int) (100 * (progress->pass - 1 + part) / progress->passes);
}

/* "pass 3 of at most 12, 20 %: decompose 2 of 5, 16 s, 92 MB of memory" */
static void
write_message(const Progress *progress, TimestampTz now, char *text, size_t size)
{
	int at = 0;

	if (progress->pass > 0)
		at += snprintf(text + at, size - (size_t) at, "pass %d", progress->pass);
	if (progress->passes > progress->pass)
		at += snprintf(text + at, size - (size_t) at, " of at most %d, %d %%", progress->passes,
					   percent_done(progress));
	at += snprintf(text + at, size - (size_t) at, "%s%s", at > 0 ? ": " : "", progress->stage);
	if (progress->total > 0 && progress->done > 0)
		at += snprintf(text + at, size - (size_t) at, " %.0f of %.0f", progress->done,
					   progress->total);
	at += snprintf(text + at, size - (size_t) at, ", %.0f s",
				   floor((double) (now - progress->start) / USECS_PER_SEC));
	if (progress->memory >= MUCH_MEMORY)
		snprintf(text + at, size - (size_t) at, ", %.0f MB of memory",
				 ceil(progress->memory / 1048576));
}

/* What is new is shown at once; else what was shown again, once a second, with the time taken. */
static void
progress_tell(Progress *progress, TimestampTz now, bool new)
{
	char message[200];

	if (!new && !TimestampDifferenceExceeds(progress->shown, now, MILLISECONDS))
		return;
	progress->shown = now;
	write_message(progress, now, message, sizeof(message));
	show_activity(progress, message);
	if (tlv_progress == TLV_PROGRESS_OFF ||
		!TimestampDifferenceExceeds(last_message, now, MILLISECONDS))
		return;
	last_message = now;
	ereport(tlv_progress == TLV_PROGRESS_NOTICE ? NOTICE : LOG,
			(errmsg("tensorlv: %s", message), errhidecontext(true)));
}

/* ---- what is told ---- */

void
TlvProgressBegin(MemoryContext mcxt, const char *what)
{
	Progress *progress;

	if (current != NULL || IsParallelWorker())
		return;
	progress = MemoryContextAllocZero(mcxt, sizeof(Progress));
	progress->mcxt = mcxt;
	progress->start = progress->shown = GetCurrentTimestamp();
	strlcpy(progress->stage, what, sizeof(progress->stage));
	progress->callback.func = progress_end;
	progress->callback.arg = progress;
	MemoryContextRegisterResetCallback(mcxt, &progress->callback);
	last_look = progress->start;
	skip = 1;
	current = progress;
}

static void
take_stage(Progress *progress, const char *stage, double done, double total)
{
	if (strcmp(progress->stage, stage) != 0)
		strlcpy(progress->stage, stage, sizeof(progress->stage));
	progress->done = done;
	progress->total = total;
}

void
TlvProgressPass(int pass, int passes_left, const char *stage)
{
	if (current == NULL)
		return;
	current->pass = pass;
	current->passes = passes_left > 0 ? pass + passes_left - 1 : 0;
	take_stage(current, stage, 0, 0);
	progress_tell(current, GetCurrentTimestamp(), true);
}

void
TlvProgressStage(const char *stage, double done, double total)
{
	if (current == NULL)
		return;
	take_stage(current, stage, done, total);
	progress_tell(current, GetCurrentTimestamp(), false);
}

/* Said at once: what follows may take its time. */
void
TlvProgressMemory(double bytes)
{
	double before;

	if (current == NULL || bytes <= current->memory)
		return;
	before = current->memory;
	current->memory = bytes;
	if (bytes >= MUCH_MEMORY && bytes >= 1.1 * before)
		progress_tell(current, GetCurrentTimestamp(), true);
}

/* As often as the clock is worth a look: where interrupts are looked at all the time, seldom. */
void
TlvProgressLook(void)
{
	/* Looks at interrupts between two looks at the clock, at most; and what is too few, and many.
	 */
	const int most_skipped = 64, few_microseconds = 5000, many_microseconds = 100000;
	TimestampTz now;

	if (current == NULL || ++skipped < skip)
		return;
	skipped = 0;
	now = GetCurrentTimestamp();
	if (now - last_look < few_microseconds)
		skip = Min(skip * 2, most_skipped);
	else if (now - last_look > many_microseconds)
		skip = Max(skip / 8, 1);
	last_look = now;
	progress_tell(current, now, false);
}
