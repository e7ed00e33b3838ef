/*
 * lanes.c - loops over rows on more than one core (lanes.h).
 *
 * Threads are made for every call.  That takes some 20 us a thread, of calls that take
 * milliseconds, and leaves nothing behind that a backend would have to look after.
 */
#include "tensorlv/num/lanes.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "tensorlv/num/assert.h"

/* Units of work of a lane, at least, and of a step of rows. */
#define LANE_UNITS 200000
#define STEP_UNITS 400000

/* A thread needs little: steps keep their work space elsewhere. */
#define STACK_BYTES ((size_t) 1 << 20)

/* Threads beside the calling one. */
#define OTHERS_MOST 63

typedef struct lane_run
{
	tlv_lane_step step;
	void *argument;
	size_t lanes;
	size_t next;			   /* atomic: the next lane to take */
	bool pause;				   /* atomic: threads end after their step */
	bool done[TLV_LANES_MOST]; /* of a lane that is taken: its thread's */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t running; /* threads, under the lock */
	tlv_context *ctx;
	double look; /* when the leader ends this round */
} lane_run;

static double
seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* ---- division ---- */

/* The first row before which there is at least the given number of units of work. */
static size_t
row_after(size_t n, const size_t *start, size_t each, double units)
{
	size_t low = 0, high = n;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;
		double before = (double) each * (double) middle;

		if (start != NULL)
			before += (double) (start[middle] - start[0]);
		if (before < units)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
tlv_lanes_divide(size_t n, const size_t *start, size_t each, size_t most, tlv_lanes *lanes)
{
	double units = (double) each * (double) n, wanted;
	size_t first = 0;

	tlv_assert(most > 0);
	if (start != NULL)
		units += (double) (start[n] - start[0]);
	wanted = fmin(fmax(units / LANE_UNITS, 1), (double) tlv_least(most, TLV_LANES_MOST));
	lanes->start = start;
	lanes->each = each;
	lanes->count = (size_t) wanted;
	for (size_t i = 0; i < lanes->count; i++)
	{
		double share = (double) (i + 1) / (double) lanes->count;

		lanes->next[i] = first;
		first = i + 1 == lanes->count ? n : row_after(n, start, each, share * units);
		lanes->end[i] = first;
	}
}

/* ---- threads ---- */

/* The leader's look: whether this round has to end. */
static void
look(lane_run *run)
{
	if ((run->ctx->pending != NULL && run->ctx->pending(run->ctx->stop_argument)) ||
		seconds_now() > run->look)
		__atomic_store_n(&run->pause, true, __ATOMIC_RELAXED);
}

static void
take_lanes(lane_run *run, bool leader)
{
	for (;;)
	{
		size_t lane = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);

		if (lane >= run->lanes)
			return;
		while (!run->done[lane])
		{
			if (__atomic_load_n(&run->pause, __ATOMIC_RELAXED))
				return;
			run->done[lane] = !run->step(run->argument, lane);
			if (leader)
				look(run);
		}
	}
}

static void *
thread_main(void *argument)
{
	lane_run *run = argument;

	take_lanes(run, false);
	pthread_mutex_lock(&run->lock);
	run->running--;
	pthread_cond_signal(&run->changed);
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

/* Starts at most the given number of threads with all signals blocked. Returns the number of
 * started threads. */
static size_t
start_threads(lane_run *run, size_t wanted, pthread_t *thread)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	size_t started = 0;

	if (pthread_attr_init(&attributes) != 0)
		return 0;
	(void) pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	run->running = wanted;
	while (started < wanted && pthread_create(&thread[started], &attributes, thread_main, run) == 0)
		started++;
	pthread_mutex_lock(&run->lock);
	run->running -= wanted - started;
	pthread_mutex_unlock(&run->lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

/* Until no thread works any more. */
static void
wait_for_threads(lane_run *run)
{
	/* Nanoseconds of waiting for other threads between two looks at ctx->pending. */
	const int wait_nanoseconds = 1000000;

	pthread_mutex_lock(&run->lock);
	while (run->running > 0)
	{
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += wait_nanoseconds;
		if (until.tv_nsec >= 1000000000)
		{
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		(void) pthread_cond_timedwait(&run->changed, &run->lock, &until);
		look(run);
	}
	pthread_mutex_unlock(&run->lock);
}

/* How many lanes are not done. */
static size_t
lanes_left(const lane_run *run)
{
	size_t left = 0;

	for (size_t i = 0; i < run->lanes; i++)
		left += !run->done[i];
	return left;
}

/* Works until all lanes are done or the leader has seen that it should look. */
static void
run_round(lane_run *run, size_t threads)
{
	/*
	 * Between two looks at tlv_should_stop() while threads run: seldom where ctx->pending tells of
	 * most reasons to stop, since all of them have to be waited for.
	 */
	const double look_seconds = 0.02, progress_seconds = 0.25;
	pthread_t thread[OTHERS_MOST];
	size_t started;

	run->next = 0;
	run->pause = false;
	run->look = seconds_now() + (run->ctx->pending != NULL ? progress_seconds : look_seconds);
	started = start_threads(run, threads - 1, thread);
	take_lanes(run, true);
	wait_for_threads(run);
	for (size_t i = 0; i < started; i++)
		(void) pthread_join(thread[i], NULL);
}

static tlv_status
run_threads(lane_run *run, size_t threads)
{
	if (pthread_mutex_init(&run->lock, NULL) != 0)
		return tlv_fail(run->ctx, TLV_OUT_OF_MEMORY, "threads cannot be started");
	if (pthread_cond_init(&run->changed, NULL) != 0)
	{
		pthread_mutex_destroy(&run->lock);
		return tlv_fail(run->ctx, TLV_OUT_OF_MEMORY, "threads cannot be started");
	}
	/* What is waited for and locked is gone before anybody may leave from a look. */
	run_round(run, tlv_least(threads, lanes_left(run)));
	pthread_cond_destroy(&run->changed);
	pthread_mutex_destroy(&run->lock);
	return TLV_OK;
}

tlv_status
tlv_lanes_run(tlv_context *ctx, size_t lanes, tlv_lane_step step, void *argument)
{
	lane_run run = {.step = step, .argument = argument, .lanes = lanes, .ctx = ctx};
	size_t threads = ctx->threads < 1 ? 1 : tlv_least((size_t) ctx->threads, OTHERS_MOST + 1);

	tlv_assert(lanes <= TLV_LANES_MOST);
	TLV_TRY_CONTINUE(ctx);
	if (threads > 1 && lanes > 1)
	{
		while (lanes_left(&run) > 0)
		{
			TLV_TRY(run_threads(&run, threads));
			TLV_TRY_CONTINUE(ctx);
		}
		return TLV_OK;
	}
	/* A look behind every step, the last one of a lane included. */
	for (size_t i = 0; i < lanes; i++)
		for (bool more = true; more;)
		{
			more = step(argument, i);
			TLV_TRY_CONTINUE(ctx);
		}
	return TLV_OK;
}

/* ---- rows ---- */

typedef struct row_run
{
	tlv_lanes *lanes;
	tlv_lane_rows rows;
	void *argument;
} row_run;

static bool
step_rows(void *argument, size_t lane)
{
	row_run *run = argument;
	tlv_lanes *lanes = run->lanes;
	const size_t *start = lanes->start;
	size_t first = lanes->next[lane], end = lanes->end[lane], next = first;

	if (start == NULL)
		next += tlv_least(STEP_UNITS / lanes->each + 1, end - first);
	else
		while (next < end &&
			   (next == first ||
				start[next + 1] - start[first] + lanes->each * (next + 1 - first) <= STEP_UNITS))
			next++;
	(run->rows)(run->argument, lane, first, next - first);
	lanes->next[lane] = next;
	return next < end;
}

tlv_status
tlv_lanes_rows(tlv_context *ctx, tlv_lanes *lanes, tlv_lane_rows rows, void *argument)
{
	row_run run = {lanes, rows, argument};

	tlv_assert(lanes->start != NULL || lanes->each > 0);
	return tlv_lanes_run(ctx, lanes->count, step_rows, &run);
}

/* ---- memory ---- */

#define PAGE_BYTES 4096

typedef struct page_run
{
	char *block;
} page_run;

static void
touch_pages(void *argument, size_t lane, size_t first, size_t n)
{
	const page_run *run = argument;

	for (size_t i = first; i < first + n; i++)
		run->block[i * PAGE_BYTES] = 0;
}

tlv_status
tlv_lanes_touch(tlv_context *ctx, void *block, size_t bytes)
{
	const int page_units = 100;
	page_run run = {block};
	tlv_lanes lanes;

	/* in order and alone, the system does it as well when the block is written to */
	if (ctx->threads <= 1)
		return TLV_OK;
	tlv_lanes_divide((bytes + PAGE_BYTES - 1) / PAGE_BYTES, NULL, page_units, TLV_LANES_MOST,
					 &lanes);
	return tlv_lanes_rows(ctx, &lanes, touch_pages, &run);
}
