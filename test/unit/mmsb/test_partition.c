/*
 * test_partition.c - the four-part method: on expected adjacency, where
 * its moment identities are exact, on random graphs, and on bad input.
 */
#include "assertions.h"
#include "model/mmsb/mixed/partition.h"
#include "model/mmsb/mixed/partition_views.h"
#include "pool.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"

static tlv_context ctx;
static pool memory;
static tlv_rng rng;

static int
setup(void **state)
{
	(void) state;
	tlv_num_init();
	pool_init(&memory, &ctx);
	tlv_rng_seed(&rng, 5);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	pool_reset(&memory, &ctx);
	return 0;
}

static void *
zeros(size_t count, size_t size)
{
	void *block = tlv_alloc0(&ctx, count, size);

	assert_non_null(block);
	return block;
}

/* ---- graphs ---- */

typedef struct world
{
	size_t rows, columns, k;
	double *pi;		 /* k x rows */
	double *rho;	 /* k x columns; of one-set graphs the same */
	const double *p; /* P[a * k + b] */
	tlv_csr out, in;
} world;

static double
expectation(const world *w, size_t u, size_t v)
{
	double sum = 0;

	for (size_t a = 0; a < w->k; a++)
		for (size_t b = 0; b < w->k; b++)
			sum += w->pi[u * w->k + a] * w->p[a * w->k + b] * w->rho[v * w->k + b];
	return sum;
}

/* Every entry its expectation, the diagonal, too. */
static void
expected_graph(world *w)
{
	assert_ok(tlv_csr_create(&ctx, w->rows, w->columns, w->rows * w->columns, true, &w->out));
	for (size_t u = 0; u < w->rows; u++)
		for (size_t v = 0; v < w->columns; v++)
		{
			w->out.index[u * w->columns + v] = (int32_t) v;
			w->out.value[u * w->columns + v] = (float) expectation(w, u, v);
		}
	for (size_t u = 0; u <= w->rows; u++)
		w->out.start[u] = u * w->columns;
	assert_ok(tlv_csr_transpose(&ctx, &w->out, &w->in));
}

/* Edges drawn; undirected: those of u < v, both ways. */
static void
random_graph(world *w, bool undirected)
{
	bool *edge = zeros(w->rows * w->columns, sizeof(bool));
	size_t entries = 0;

	for (size_t u = 0; u < w->rows; u++)
		for (size_t v = 0; v < w->columns; v++)
		{
			if (w->pi == w->rho && u == v)
				continue;
			if (undirected && v < u)
				edge[u * w->columns + v] = edge[v * w->columns + u];
			else
				edge[u * w->columns + v] = tlv_rng_uniform(&rng) < expectation(w, u, v);
			entries += edge[u * w->columns + v];
		}
	assert_ok(tlv_csr_create(&ctx, w->rows, w->columns, entries, false, &w->out));
	entries = 0;
	for (size_t u = 0; u < w->rows; u++)
	{
		w->out.start[u] = entries;
		for (size_t v = 0; v < w->columns; v++)
			if (edge[u * w->columns + v])
				w->out.index[entries++] = (int32_t) v;
	}
	w->out.start[w->rows] = entries;
	assert_ok(tlv_csr_transpose(&ctx, &w->out, &w->in));
}

static double *
pure(size_t n, size_t k)
{
	double *pi = zeros(n * k, sizeof(double));

	for (size_t u = 0; u < n; u++)
		pi[u * k + u % k] = 1;
	return pi;
}

static double *
mixed(size_t n, size_t k, double alpha0)
{
	double *pi = zeros(n * k, sizeof(double)), alpha[16];

	for (size_t j = 0; j < k; j++)
		alpha[j] = alpha0 / (double) k;
	for (size_t u = 0; u < n; u++)
		tlv_rng_dirichlet(&rng, k, alpha, pi + u * k);
	return pi;
}

/*
 * Three points with equal weights that have the moments of Dirichlet(1/2, 1/2) up to the fifth
 * order: the nodes of Gauss and Chebyshev.
 */
static void
set_chebyshev(double *pi, size_t node, size_t i)
{
	double share = (1 + cos((double) (2 * (i % 3) + 1) * acos(-1) / 6)) / 2;

	pi[2 * node] = share;
	pi[2 * node + 1] = 1 - share;
}

static double *
chebyshev(size_t n)
{
	double *pi = zeros(2 * n, sizeof(double));

	for (size_t u = 0; u < n; u++)
		set_chebyshev(pi, u, u);
	return pi;
}

/* ---- comparison ---- */

typedef struct errors
{
	double largest;	 /* difference of a score */
	double distance; /* mean half L1 distance after projection on the simplex */
	double accuracy; /* nodes whose largest community is right */
	int64_t order[16];
} errors;

/* Truth k x n against scores, the communities matched. */
static errors
compare(size_t n, size_t k, const double *truth, const float *scores, const int64_t *order)
{
	errors e = {0};
	double *projected = zeros(n * k, sizeof(double)), *cost = zeros(k * k, sizeof(double)), total;
	double *work = zeros(k, sizeof(double));

	for (size_t u = 0; u < n; u++)
	{
		for (size_t j = 0; j < k; j++)
			projected[u * k + j] = (double) scores[u * k + j];
		tlv_project_simplex(k, projected + u * k, 1, work);
		for (size_t i = 0; i < k * k; i++)
			cost[i] += fabs(truth[u * k + i / k] - projected[u * k + i % k]);
	}
	assert_ok(tlv_assignment(&ctx, k, k, cost, e.order, &total));
	if (order != NULL)
		memcpy(e.order, order, k * sizeof(int64_t));
	for (size_t u = 0; u < n; u++)
	{
		size_t largest = 0, found = 0;

		for (size_t i = 0; i < k; i++)
		{
			size_t j = (size_t) e.order[i];

			e.largest = fmax(e.largest, fabs(truth[u * k + i] - (double) scores[u * k + j]));
			e.distance += fabs(truth[u * k + i] - projected[u * k + j]) / 2 / (double) n;
			largest = truth[u * k + i] > truth[u * k + largest] ? i : largest;
			found = projected[u * k + j] > projected[u * k + found] ? j : found;
		}
		e.accuracy += ((size_t) e.order[largest] == found) / (double) n;
	}
	return e;
}

/* Fits, and checks what every result must fulfil; the residual is at most this. */
static tlv_partition_result
fit(const world *w, double alpha0, uint64_t seed, double residual)
{
	tlv_partition_options options = {.k = w->k, .alpha0 = alpha0, .seed = seed};
	tlv_partition_result result;
	size_t used = ctx.arena.used;
	bool bipartite = w->pi != w->rho;
	double sum = 0;

	options.decompose.seed = seed;
	ctx.arena.peak = used;
	assert_ok(tlv_partition_fit(&ctx, &w->out, &w->in, bipartite, &options, &result));
	assert_at_most((double) (ctx.arena.peak - used),
				   tlv_partition_memory(&w->out, bipartite, &options));
	assert_int_equal(result.k, w->k);
	assert_int_equal(result.rows, w->rows);
	assert_int_equal(result.columns, w->columns);
	assert_equal(result.column_scores != NULL, bipartite);
	assert_equal(isnan(result.column_residual), !bipartite);
	assert_between(result.residual, 0, residual);
	for (size_t j = 0; j < w->k; j++)
	{
		sum += result.weights[j];
		if (j != 0)
			assert_at_most(result.weights[j], result.weights[j - 1]);
		if (j != 0)
			assert_at_most(result.eigenvalues[j], result.eigenvalues[j - 1]);
	}
	assert_close(sum, 1, 1e-12);
	for (size_t i = 0; i < w->k * w->rows; i++)
		assert_true(isfinite(result.scores[i]));
	return result;
}

static void
check_exact(const world *w, double alpha0, uint64_t seed)
{
	tlv_partition_result result = fit(w, alpha0, seed, 1e-6);
	errors e = compare(w->rows, w->k, w->pi, result.scores, NULL);

	if (e.largest > 1e-4)
		fail_msg("row scores differ by %g", e.largest);
	assert_close(result.weight_sum, 1, 1e-3);
	if (result.column_scores != NULL)
	{
		/* numbered like the rows' */
		e = compare(w->columns, w->k, w->rho, result.column_scores, e.order);
		if (e.largest > 1e-4)
			fail_msg("column scores differ by %g", e.largest);
	}
	tlv_partition_result_free(&ctx, &result);
}

/* ---- expected adjacency ---- */

static const double symmetric3[9] = {.9, .1, .2, .1, .7, .15, .2, .15, .8};
static const double directed3[9] = {.9, .1, .3, .2, .7, .05, .4, .1, .6};
static const double directed2[4] = {.8, .1, .3, .6};

static void
test_exact_blocks(void **state)
{
	world w = {.rows = 96, .columns = 96, .k = 3, .pi = pure(96, 3), .p = symmetric3};

	(void) state;
	w.rho = w.pi;
	expected_graph(&w);
	for (uint64_t seed = 1; seed <= 5; seed++)
		check_exact(&w, 0, seed);
	w.p = directed3;
	expected_graph(&w);
	for (uint64_t seed = 1; seed <= 5; seed++)
		check_exact(&w, 0, seed);
}

static void
test_exact_bipartite(void **state)
{
	world w = {.rows = 50, .columns = 70, .k = 3, .pi = pure(50, 3), .rho = pure(70, 3)};

	(void) state;
	w.p = directed3;
	expected_graph(&w);
	for (uint64_t seed = 1; seed <= 5; seed++)
		check_exact(&w, 0, seed);
}

static void
test_exact_mixed_bipartite(void **state)
{
	world w = {.rows = 36, .columns = 48, .k = 2, .pi = chebyshev(36), .rho = chebyshev(48)};

	(void) state;
	w.p = directed2;
	expected_graph(&w);
	for (uint64_t seed = 1; seed <= 5; seed++)
		check_exact(&w, 1, seed);
}

/* The centres are drawn by the seed: their memberships are set to have the moments of alpha0 = 1.
 */
static void
test_exact_mixed(void **state)
{
	static const double symmetric2[4] = {.8, .2, .2, .6};
	world w = {.rows = 96, .columns = 96, .k = 2, .pi = pure(96, 2), .p = directed2};

	(void) state;
	w.rho = w.pi;
	for (uint64_t seed = 1; seed <= 6; seed++)
	{
		tlv_partition_options options = {.k = 2, .seed = seed};
		tlv_partition_views views;

		w.p = seed % 2 == 0 ? symmetric2 : directed2;
		w.pi = w.rho = pure(96, 2);
		expected_graph(&w);
		assert_ok(tlv_partition_views_compute(&ctx, &w.out, &w.in, false, &options, &views));
		assert_int_equal(views.centres, 24);
		w.pi = w.rho = mixed(96, 2, 1);
		for (size_t i = 0; i < views.centres; i++)
			set_chebyshev(w.pi, (size_t) views.order[i], i);
		expected_graph(&w);
		check_exact(&w, 1, seed);
	}
}

/* ---- random graphs ---- */

static const double *
planted(size_t k, double within, double between)
{
	double *p = zeros(k * k, sizeof(double));

	for (size_t i = 0; i < k * k; i++)
		p[i] = i % (k + 1) == 0 ? within : between;
	return p;
}

static void
test_random_blocks(void **state)
{
	world w = {.rows = 1000, .columns = 1000, .k = 5, .pi = pure(1000, 5)};
	tlv_partition_result result, again;

	(void) state;
	w.rho = w.pi;
	w.p = planted(5, .2, .02);
	random_graph(&w, true);
	result = fit(&w, 0, 1, .015);
	again = fit(&w, 0, 1, .015);
	assert_at_least(compare(w.rows, w.k, w.pi, result.scores, NULL).accuracy, .998);
	assert_memory_equal(result.scores, again.scores, w.k * w.rows * sizeof(float));
	for (size_t j = 0; j < w.k; j++)
		assert_close(result.weights[j], .2, .08);
}

static void
test_random_mixed(void **state)
{
	world w = {.rows = 1000, .columns = 1000, .k = 5, .pi = mixed(1000, 5, .5)};
	tlv_partition_result result;
	errors e;

	(void) state;
	w.rho = w.pi;
	w.p = planted(5, .3, .02);
	random_graph(&w, false);
	result = fit(&w, .5, 1, .04);
	e = compare(w.rows, w.k, w.pi, result.scores, NULL);
	assert_below(e.distance, .15);
	assert_above(e.accuracy, .93);
}

static void
test_random_bipartite(void **state)
{
	world w = {.rows = 600, .columns = 900, .k = 4, .pi = mixed(600, 4, .5)};
	tlv_partition_result result;
	errors e;

	(void) state;
	w.rho = mixed(900, 4, .5);
	w.p = planted(4, .3, .02);
	random_graph(&w, false);
	result = fit(&w, .5, 1, .02);
	e = compare(w.rows, w.k, w.pi, result.scores, NULL);
	assert_below(e.distance, .14);
	e = compare(w.columns, w.k, w.rho, result.column_scores, e.order);
	assert_below(e.distance, .17);
}

/* One community is the whole graph; nodes without edges get no scores. */
static void
test_one_community(void **state)
{
	static const double p = .3;
	world w = {.rows = 200, .columns = 200, .k = 1, .pi = pure(200, 1), .p = &p};
	tlv_partition_result result;

	(void) state;
	memset(w.pi + 190, 0, 10 * sizeof(double));
	w.rho = w.pi;
	random_graph(&w, true);
	result = fit(&w, 0, 1, 1e-6);
	for (size_t u = 0; u < 200; u++)
		if (u < 190)
			assert_close((double) result.scores[u], 1, .7);
		else
			assert_equal(result.scores[u], 0);
}

/* ---- bad input ---- */

static tlv_status
try_fit(const world *w, size_t k, double alpha0)
{
	tlv_partition_options options = {.k = k, .alpha0 = alpha0, .seed = 1};
	tlv_partition_result result;
	size_t used = ctx.arena.used;
	tlv_status status =
		tlv_partition_fit(&ctx, &w->out, &w->in, w->pi != w->rho, &options, &result);

	assert_unequal(status, TLV_OK);
	assert_null(result.scores);
	if (status != TLV_CANCELLED)
		assert_int_equal(ctx.arena.used, used);
	return status;
}

static void
test_errors(void **state)
{
	static const double flat[9] = {.5, .5, .5, .5, .5, .5, .5, .5, .5};
	world w = {.rows = 60, .columns = 60, .k = 3, .pi = pure(60, 3), .p = flat}, empty;

	(void) state;
	w.rho = w.pi;
	expected_graph(&w);
	assert_int_equal(try_fit(&w, 0, 0), TLV_BAD_PARAMETER);
	assert_int_equal(try_fit(&w, 501, 0), TLV_LIMIT);
	assert_int_equal(try_fit(&w, 3, -1), TLV_BAD_PARAMETER);
	assert_int_equal(try_fit(&w, 3, NAN), TLV_BAD_PARAMETER);
	assert_int_equal(try_fit(&w, 3, INFINITY), TLV_BAD_PARAMETER);
	assert_int_equal(try_fit(&w, 8, 0), TLV_BAD_PARAMETER);
	assert_string_equal(ctx.error.message, "60 nodes are too few for 8 communities in four parts");
	assert_string_not_equal(ctx.error.hint, "");
	assert_int_equal(try_fit(&w, 3, 0), TLV_NOT_IDENTIFIABLE);
	assert_non_null(strstr(ctx.error.detail, "Singular values"));
	assert_non_null(strstr(ctx.error.hint, "At most 1 are positive"));

	empty = w;
	assert_ok(tlv_csr_create(&ctx, 60, 60, 0, false, &empty.out));
	memset(empty.out.start, 0, 61 * sizeof(size_t));
	empty.in = empty.out;
	assert_int_equal(try_fit(&empty, 3, 0), TLV_BAD_DATA);
}

static void
test_memory_limit(void **state)
{
	world w = {.rows = 60, .columns = 60, .k = 3, .pi = pure(60, 3), .p = symmetric3};
	size_t used;

	(void) state;
	w.rho = w.pi;
	expected_graph(&w);
	used = ctx.arena.used;
	ctx.arena.limit = used + 100000;
	ctx.arena.peak = used;
	assert_int_equal(try_fit(&w, 3, 0), TLV_MEMORY_LIMIT);
	assert_int_equal(ctx.arena.peak, used);
}

static void
test_cancel(void **state)
{
	tlv_partition_options options = {.k = 3, .seed = 1};
	tlv_partition_result result;
	world w = {.rows = 90, .columns = 90, .k = 3, .pi = pure(90, 3), .rho = pure(90, 3)};
	size_t calls;

	(void) state;
	w.p = directed3;
	expected_graph(&w);
	memory.calls = 0;
	assert_ok(tlv_partition_fit(&ctx, &w.out, &w.in, true, &options, &result));
	calls = memory.calls;
	assert_above(calls, 20);
	for (size_t i = 1; i <= calls; i += i < 40 ? 1 : 7)
	{
		memory.calls = 0;
		memory.stop_at = i;
		assert_int_equal(try_fit(&w, 3, 0), TLV_CANCELLED);
		assert_int_equal(memory.stopped_calls, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exact_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exact_bipartite, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exact_mixed_bipartite, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exact_mixed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_mixed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_bipartite, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_community, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
