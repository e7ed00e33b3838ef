/*
 * interrupt_watch.c - how long a backend goes without looking for interrupts.
 *
 * A module of the tests, loaded beside the extension, which knows nothing of it.  A timer on the
 * processor time of the backend raises InterruptPending; the next CHECK_FOR_INTERRUPTS, in the
 * server or in the extension, takes it down.  What lies between is a stretch without a check, and
 * the stack at a random moment of the longest one says where it is.
 */
#define _GNU_SOURCE /* dladdr */

#include "postgres.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

PG_MODULE_MAGIC;

#define TICK_NS 1000000L
#define FRAMES	40
/* Shorter ones are not worth a look at the stack. */
#define SHORT 0.005

typedef struct Stretch
{
	double begin, length; /* seconds */
	unsigned ticks;
	int depth;
	void *frames[FRAMES];
} Stretch;

static volatile bool watching;
static Stretch current, longest;
static double total,
	most; /* processor time at the beginning, and when the statement is cancelled */
static timer_t ticks;

extern void _PG_init(void);
PG_FUNCTION_INFO_V1(interrupt_watch_begin);
PG_FUNCTION_INFO_V1(interrupt_watch_end);

static double
processor_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static void
end_stretch(void)
{
	if (current.length > longest.length)
		longest = current;
	current.ticks = 0;
	current.depth = 0;
	current.length = 0;
}

/* Every tick of a stretch is kept with the same probability. */
static void
tick(int signal)
{
	int saved = errno;
	double time = processor_time();

	if (!watching)
		return;
	if (time > most)
	{
		most = INFINITY;
		raise(SIGINT); /* as pg_cancel_backend does */
	}
	if (!InterruptPending)
	{
		end_stretch();
		current.begin = time;
		InterruptPending = true;
	}
	else
	{
		current.length = time - current.begin;
		current.ticks++;
		if (current.length > SHORT && (current.depth == 0 || random() % current.ticks == 0))
			current.depth = backtrace(current.frames, FRAMES);
	}
	errno = saved;
}

void
_PG_init(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
	struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	void *frame;

	(void) backtrace(&frame, 1); /* loads what it needs, which no signal handler may */
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGPROF, &action, NULL) != 0 ||
		timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &ticks) != 0)
		elog(ERROR, "no timer: %m");
}

static void
set_timer(long interval)
{
	struct itimerspec when = {.it_interval = {.tv_nsec = interval},
							  .it_value = {.tv_nsec = interval}};

	if (timer_settime(ticks, 0, &when, NULL) != 0)
		elog(ERROR, "could not set the timer: %m");
}

/* interrupt_watch_begin(seconds float8): of processor time, after which a statement is cancelled */
Datum
interrupt_watch_begin(PG_FUNCTION_ARGS)
{
	memset(&longest, 0, sizeof(longest));
	memset(&current, 0, sizeof(current));
	InterruptPending = false;
	current.begin = total = processor_time();
	most = total + PG_GETARG_FLOAT8(0);
	watching = true;
	set_timer(TICK_NS);
	PG_RETURN_VOID();
}

/* Frames as file+offset, innermost first. */
static char *
place_of(const Stretch *stretch)
{
	StringInfoData text;
	Dl_info info;

	initStringInfo(&text);
	for (int i = 0; i < stretch->depth; i++)
		if (dladdr(stretch->frames[i], &info) != 0 && info.dli_fname != NULL)
			appendStringInfo(&text, "%s%s+0x%zx", text.len > 0 ? " " : "", info.dli_fname,
							 (size_t) ((char *) stretch->frames[i] - (char *) info.dli_fbase));
	return text.data;
}

/* interrupt_watch_end(OUT seconds float8, OUT longest float8, OUT place text): processor time */
Datum
interrupt_watch_end(PG_FUNCTION_ARGS)
{
	TupleDesc desc;
	Datum values[3];
	bool nulls[3] = {false};

	watching = false;
	set_timer(0);
	total = processor_time() - total;
	end_stretch();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type is not a row type");
	values[0] = Float8GetDatum(total);
	values[1] = Float8GetDatum(longest.length);
	values[2] = CStringGetTextDatum(place_of(&longest));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
