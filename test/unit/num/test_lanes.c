/*
 * test_lanes.c - loops over rows on several threads: every row once, the same bits, and an end in
 * the middle.
 */
#include "pool_setup.h"
#include "tensorlv/num/lanes.h"
#include "tensorlv/num/sparse.h"

#define MOST_THREADS 4

/* ---- division ---- */

static void
check_division(size_t n, const size_t *start, size_t each, size_t most, size_t lanes_expected)
{
	tlv_lanes lanes;
	size_t first = 0;

	tlv_lanes_divide(n, start, each, most, &lanes);
	assert_int_equal(lanes.count, lanes_expected);
	for (size_t i = 0; i < lanes.count; i++)
	{
		assert_int_equal(lanes.next[i], first);
		assert_true(lanes.end[i] >= first);
		first = lanes.end[i];
	}
	assert_int_equal(first, n);
}

TEST(test_divide)
{
	size_t n = 100000, *start = room(n + 1, sizeof(size_t));

	check_division(0, NULL, 1, 32, 1);
	check_division(1, NULL, 1, 32, 1);
	check_division(1000, NULL, 100, 32, 1);
	check_division(10000, NULL, 100, 32, 5);
	check_division(10000, NULL, 100, 3, 3);
	check_division(1000000, NULL, 100, 100, TLV_LANES_MOST);
	/* one row has nearly everything: the others are divided all the same */
	for (size_t i = 0; i < n; i++)
		start[i + 1] = start[i] + (i == 7 ? 50000000 : 1);
	check_division(n, start, 1, 32, TLV_LANES_MOST);
	check_division(0, start, 1, 32, 1);
}

TEST(test_division_is_even)
{
	size_t n = 100000, *start = room(n + 1, sizeof(size_t));
	double most = 0, total;
	tlv_lanes lanes;

	for (size_t i = 0; i < n; i++)
		start[i + 1] = start[i] + n / (i + 1);
	total = (double) (start[n] + n);
	tlv_lanes_divide(n, start, 1, 5, &lanes);
	assert_int_equal(lanes.count, 5);
	for (size_t i = 1; i < 5; i++)
		most = fmax(most, (double) (start[lanes.end[i]] - start[lanes.next[i]] + lanes.end[i] -
									lanes.next[i]));
	assert_below(most / total, 0.21);
}

/* ---- running ---- */

typedef struct counting
{
	tlv_lanes lanes;
	size_t steps[TLV_LANES_MOST];
	int *seen;
	double sum[TLV_LANES_MOST];
	int inside; /* steps that run, atomic */
} counting;

static void
begin_counting(counting *c, size_t n)
{
	memset(c, 0, sizeof(*c));
	c->seen = room(n, sizeof(int));
	tlv_lanes_divide(n, NULL, 100, TLV_LANES_MOST, &c->lanes);
}

static void
count_rows(void *argument, size_t lane, size_t first, size_t n)
{
	counting *c = argument;

	__atomic_fetch_add(&c->inside, 1, __ATOMIC_SEQ_CST);
	c->steps[lane]++;
	for (size_t i = first; i < first + n; i++)
	{
		c->seen[i]++;
		c->sum[lane] += 1 / (double) (i + 1);
	}
	__atomic_fetch_sub(&c->inside, 1, __ATOMIC_SEQ_CST);
}

static bool
always_pending(void *argument)
{
	return true;
}

static bool
never_pending(void *argument)
{
	return false;
}

TEST(test_every_row_once)
{
	bool (*pending[])(void *) = {NULL, never_pending, always_pending};
	size_t n = 300001;
	double first = 0;

	for (ctx.threads = 0; ctx.threads <= MOST_THREADS; ctx.threads++)
		for (size_t p = 0; p < 3; p++)
		{
			counting c;
			double sum = 0;

			begin_counting(&c, n);
			ctx.pending = pending[p];
			assert_ok(tlv_lanes_rows(&ctx, &c.lanes, count_rows, &c));
			for (size_t i = 0; i < n; i++)
				assert_int_equal(c.seen[i], 1);
			for (size_t i = 0; i < c.lanes.count; i++)
				sum += c.sum[i];
			if (ctx.threads == 0)
				first = sum;
			assert_true(sum == first);
		}
}

/* While stop() is asked no thread may run: an error may leave from there. */
typedef struct watch
{
	counting *c;
	int calls, at;
	bool ran;
} watch;

static bool
watch_stop(void *argument)
{
	watch *w = argument;

	w->ran |= __atomic_load_n(&w->c->inside, __ATOMIC_SEQ_CST) != 0;
	return ++w->calls == w->at;
}

TEST(test_stop_in_the_middle)
{
	size_t n = 300000;

	ctx.pending = always_pending;
	for (ctx.threads = 1; ctx.threads <= MOST_THREADS; ctx.threads++)
		for (int at = 1; at <= 8; at++)
		{
			counting c;
			watch w = {.c = &c, .at = at};
			tlv_status status;

			begin_counting(&c, n);
			ctx.stop = watch_stop;
			ctx.stop_argument = &w;
			status = tlv_lanes_rows(&ctx, &c.lanes, count_rows, &c);
			/* other threads may have done all before the leader looks a third time */
			assert_true(status == (w.calls == at ? TLV_CANCELLED : TLV_OK));
			assert_true(w.calls == at || (at > 2 && ctx.threads > 1));
			assert_false(w.ran);
			assert_int_equal(c.inside, 0);
			for (size_t i = 0; i < n; i++)
				assert_true(c.seen[i] <= 1);
			ctx.stop = NULL;
		}
}

/* ---- products ---- */

/* The same bits on any number of threads; a row longer than a step among them. */
TEST(test_products)
{
	size_t n = 60000, l = 6, long_row = 1500000;
	tlv_csr a = {.rows = n, .columns = n};
	float *x = room(n * l, sizeof(float)), *y[MOST_THREADS + 1];
	double *gram[MOST_THREADS + 1];
	tlv_rng rng;

	tlv_rng_seed(&rng, 5);
	a.start = room(n + 1, sizeof(size_t));
	for (size_t i = 0; i < n; i++)
		a.start[i + 1] = a.start[i] + (i == 5000 ? long_row : i % 20);
	a.entries = a.start[n];
	a.index = room(a.entries, sizeof(int32_t));
	for (size_t e = 0; e < a.entries; e++)
		a.index[e] = (int32_t) (tlv_rng_next(&rng) % n);
	for (size_t i = 0; i < n * l; i++)
		x[i] = (float) tlv_rng_normal(&rng);
	for (ctx.threads = 1; ctx.threads <= MOST_THREADS; ctx.threads++)
	{
		int t = ctx.threads;

		y[t] = room(n * l, sizeof(float));
		gram[t] = room(l * l, sizeof(double));
		assert_ok(tlv_csr_multiply(&ctx, &a, l, x, y[t]));
		assert_ok(tlv_gram_float(&ctx, n, l, y[t], l, y[t], gram[t]));
		for (size_t i = 0; i < l * l; i++)
			gram[t][i] /= 1e6;
		assert_ok(tlv_rotate_float(&ctx, n, l, y[t], l, gram[t]));
		assert_ok(tlv_scale_rows_float(&ctx, n, l, x, y[t], y[t]));
		assert_memory_equal(y[t], y[1], n * l * sizeof(float));
		assert_memory_equal(gram[t], gram[1], l * l * sizeof(double));
	}
}

RUN_TESTS(setup, teardown)
