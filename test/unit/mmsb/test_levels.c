/*
 * test_levels.c - local moves on levels of a graph, and communities merged two at a time, against
 * all partitions and all pairs of small graphs.
 */
#include "model/mmsb/engine/levels.h"
#include "model/mmsb/engine/merge.h"
#include "graph_fixture.h"

#define MOST_NODES 16

/* A small graph, its masses and the task that it makes. */
typedef struct small
{
	size_t n;
	dense graph;
	tlv_csr rows;
	double mass[2][MOST_NODES];
	tlv_level_task task;
} small;

/* Of that graph, whose masses are degrees, of two sides a little apart. */
static small *
small_of(dense graph, bool weighted, bool sides)
{
	small *s = room(1, sizeof(small));

	s->n = graph.rows;
	s->graph = graph;
	s->rows = sparse_rows(&s->graph, weighted);
	tlv_csr_row_sums(&s->rows, s->mass[0]);
	for (size_t u = 0; u < s->n; u++)
	{
		s->mass[1][u] = sides ? s->mass[0][(u + 3) % s->n] : s->mass[0][u];
		s->task.total += s->mass[0][u];
	}
	s->task.edges = s->rows;
	s->task.mass[0] = s->mass[0];
	s->task.mass[1] = s->mass[1];
	s->task.sides = sides;
	s->task.resolution = 1;
	s->task.seed = 1;
	s->task.rounds = 20;
	return s;
}

/* A random one, of edges of weight 1, or of whole weights. */
static small *
make_small(size_t n, size_t groups, double within, double between, bool weighted, bool sides)
{
	dense graph = random_dense(n, n, true, weighted, groups, within, between);

	for (size_t u = 0; u < n; u++) /* in a ring, so that there are no nodes without edges */
	{
		size_t v = (u + 1) % n;

		if (graph.g[u + n * v] == 0)
			graph.g[u + n * v] = graph.g[v + n * u] = 1;
	}
	return small_of(graph, weighted, sides);
}

/* Edges inside communities less what the expected ones cost, pair by pair. */
static double
objective(const small *s, const int32_t *label)
{
	double sum = 0, part = s->task.sides ? 1 : 0.5;

	for (size_t u = 0; u < s->n; u++)
		for (size_t v = 0; v < u; v++)
			if (label[u] == label[v])
				sum += s->graph.g[u + s->n * v] -
					   part * s->task.resolution / s->task.total *
						   (s->mass[0][u] * s->mass[1][v] + s->mass[1][u] * s->mass[0][v]);
	return sum;
}

/* The best of all partitions of nodes u, u + 1, ... whose first u are labelled. */
static double
best_partition(const small *s, int32_t *label, size_t u, int32_t used)
{
	double best = -HUGE_VAL;

	if (u == s->n)
		return objective(s, label);
	for (int32_t c = 0; c <= used; c++)
	{
		double found;

		label[u] = c;
		found = best_partition(s, label, u + 1, c == used ? used + 1 : used);
		best = found > best ? found : best;
	}
	return best;
}

static void
search(const small *s, int32_t *label, size_t *found)
{
	for (size_t u = 0; u < s->n; u++)
		label[u] = (int32_t) u;
	assert_ok(tlv_levels_search(&ctx, &s->task, label, found));
}

/* No node alone gains by going elsewhere, or by being alone; labels are 0 .. found - 1. */
static void
check_local_optimum(const small *s, int32_t *label, size_t found)
{
	double here = objective(s, label);
	bool used[MOST_NODES] = {false};

	for (size_t u = 0; u < s->n; u++)
	{
		int32_t own = label[u];

		assert_between(own, 0, (int32_t) found - 1);
		used[own] = true;
		for (int32_t c = 0; c <= (int32_t) found; c++)
		{
			label[u] = c;
			assert_at_most(objective(s, label), here + 1e-6);
		}
		label[u] = own;
	}
	for (size_t c = 0; c < found; c++)
		assert_true(used[c]);
}

/* Of 40 small graphs of every form seven of ten reach the best of all partitions, none
 * falls short of it by an edge. */
TEST(test_best_partition)
{
	int best = 0, graphs = 0;

	for (int form = 0; form < 4; form++)
		for (int trial = 0; trial < 10; trial++, graphs++)
		{
			small *s = make_small(9, 3, 0.9, 0.25, form % 2 == 1, form / 2 == 1);
			int32_t label[MOST_NODES], work[MOST_NODES];
			double reached, most;
			size_t found;

			s->task.resolution = trial % 2 == 0 ? 1 : 1.7;
			search(s, label, &found);
			check_local_optimum(s, label, found);
			reached = objective(s, label);
			most = best_partition(s, work, 0, 0);
			assert_at_most(reached, most + 1e-9);
			assert_at_least(reached, most - 1);
			best += reached > most - 1e-6;
		}
	assert_equal(graphs, 40);
	assert_at_least(best, 28);
}

/* From a partition that is given: what is best stays, and what is not gets no worse. */
TEST(test_from_partition)
{
	for (int trial = 0; trial < 10; trial++)
	{
		small *s = make_small(9, 3, 0.9, 0.25, false, trial % 2 == 1);
		int32_t label[MOST_NODES];
		double before;
		size_t found;

		for (size_t u = 0; u < s->n; u++)
			label[u] = (int32_t) (u % 2);
		before = objective(s, label);
		assert_ok(tlv_levels_search(&ctx, &s->task, label, &found));
		assert_at_least(objective(s, label), before);
		check_local_optimum(s, label, found);
		before = objective(s, label);
		assert_ok(tlv_levels_search(&ctx, &s->task, label, &found));
		assert_at_least(objective(s, label), before - 1e-9);
	}
}

/* Cliques in a ring, whose communities are known; what a high resolution costs and a low one
 * spares. */
TEST(test_cliques)
{
	const size_t n = 15;
	dense graph = dense_graph(n, n);
	int32_t label[MOST_NODES], again[MOST_NODES];
	size_t found;
	small *s;

	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < n; v++)
			if (u != v && (u / 5 == v / 5 || (u % 5 == 4 && v == (u + 1) % n) ||
						   (v % 5 == 4 && u == (v + 1) % n)))
				graph.g[u + n * v] = 1;
	s = small_of(graph, false, false);
	search(s, label, &found);
	assert_int_equal(found, 3);
	for (size_t u = 0; u < n; u++)
		assert_int_equal(label[u], label[u / 5 * 5]);
	/* 33 edges, 30 of them inside; every clique has 22 of 66 ends */
	assert_close(objective(s, label),
				 30 - 3 * 0.5 * 22 * 22 / 66.0 + 0.5 * (9 * 16 + 6 * 25) / 66.0, 1e-9);
	search(s, again, &found);
	assert_memory_equal(label, again, n * sizeof(int32_t));
	s->task.resolution = 100;
	search(s, label, &found);
	assert_int_equal(found, n);
	s->task.resolution = 0.01;
	search(s, label, &found);
	assert_int_equal(found, 1);
}

/* ---- merging ---- */

static double
own_rate(double e, double x)
{
	return e > 0 ? e * log(e / x) - e : 0;
}

/* Edges inside a community, and what is expected there at rate 1. */
static void
count_community(const small *s, const int32_t *label, int32_t c, double *inside, double *expected)
{
	double mass[2] = {0, 0};

	*inside = 0;
	for (size_t u = 0; u < s->n; u++)
		for (int side = 0; side < 2 && label[u] == c; side++)
			mass[side] += s->mass[side][u];
	for (size_t u = 0; u < s->n; u++)
		for (size_t v = 0; v < u; v++)
			*inside += label[u] == c && label[v] == c ? s->graph.g[u + s->n * v] : 0;
	*expected = (s->task.sides ? 1 : 0.5) * mass[0] * mass[1] / s->task.total;
}

/* The same between all of n communities; *own is the likelihood of those inside, each with a rate
 * of its own. */
static void
count_between(const small *s, const int32_t *label, size_t n, double *own, double *edges,
			  double *expected)
{
	*own = *edges = 0;
	*expected = (s->task.sides ? 1 : 0.5) * s->task.total;
	for (size_t u = 0; u < s->n; u++)
		for (size_t v = 0; v < u; v++)
			*edges += s->graph.g[u + s->n * v];
	for (size_t c = 0; c < n; c++)
	{
		double inside, x;

		count_community(s, label, (int32_t) c, &inside, &x);
		if (x > 0)
			*own += own_rate(inside, x);
		*edges -= inside;
		*expected -= x;
	}
}

/* The likelihood of labels with a rate inside every community and a given one between them. */
static double
likelihood(const small *s, const int32_t *label, size_t n, double between)
{
	double own, edges, expected;

	count_between(s, label, n, &own, &edges, &expected);
	return own + edges * log(between) - between * expected;
}

/* The rate between communities, of the labels at first: one edge more, of one more expected. */
static double
between_rate(const small *s, const int32_t *label, size_t n)
{
	double own, edges, expected;

	count_between(s, label, n, &own, &edges, &expected);
	return (edges + 1) / (expected + 1);
}

/* The likelihood after the union of least loss among all pairs of n communities. */
static double
best_merge(const small *s, const int32_t *label, size_t n, double between)
{
	double best = -HUGE_VAL;

	for (int32_t a = 0; a < (int32_t) n; a++)
		for (int32_t b = 0; b < a; b++)
		{
			int32_t merged[MOST_NODES];

			for (size_t u = 0; u < s->n; u++)
				merged[u] = label[u] == a ? b : label[u];
			best = fmax(best, likelihood(s, merged, n, between));
		}
	return best;
}

/* Whether communities of `fine` are whole in those of `coarse`. */
static bool
is_coarser(size_t n, const int32_t *fine, const int32_t *coarse)
{
	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < u; v++)
			if (fine[u] == fine[v] && coarse[u] != coarse[v])
				return false;
	return true;
}

/* Of graphs in which edges join every two communities each step is the best of all pairs. */
TEST(test_merges)
{
	for (int form = 0; form < 2; form++)
		for (int trial = 0; trial < 20; trial++)
		{
			small *s = make_small(14, 7, 1, 0.95, true, form == 1);
			int32_t before[MOST_NODES], label[MOST_NODES], start[MOST_NODES] = {0};
			double between;

			for (size_t u = 0; u < s->n; u++)
				before[u] = start[u] = (int32_t) (u / 2);
			between = between_rate(s, start, 7);
			for (size_t k = 6; k >= 1; k--)
			{
				memcpy(label, start, sizeof(start));
				assert_ok(tlv_merge_communities(&ctx, &s->task, 7, k, label));
				for (size_t u = 0; u < s->n; u++)
					assert_between(label[u], 0, k - 1);
				assert_true(is_coarser(s->n, before, label));
				assert_close(likelihood(s, label, k, between),
							 best_merge(s, before, k + 1, between), 1e-9);
				memcpy(before, label, sizeof(before));
			}
		}
}

/* Fewer than there are already stay; communities that no edge joins go smallest first. */
TEST(test_apart)
{
	int32_t label[9] = {0, 0, 0, 0, 1, 1, 1, 2, 2}, kept[9];
	dense graph = dense_graph(9, 9);
	small *s;

	for (size_t u = 0; u < 9; u++)
		for (size_t v = 0; v < 9; v++)
			graph.g[u + 9 * v] = u != v && label[u] == label[v];
	s = small_of(graph, false, false);
	memcpy(kept, label, sizeof(label));
	assert_ok(tlv_merge_communities(&ctx, &s->task, 3, 5, label));
	assert_memory_equal(kept, label, sizeof(label));
	assert_ok(tlv_merge_communities(&ctx, &s->task, 3, 2, label));
	assert_int_equal(label[4], label[7]);
	assert_int_not_equal(label[0], label[4]);
	assert_ok(tlv_merge_communities(&ctx, &s->task, 2, 1, label));
	for (size_t u = 0; u < 9; u++)
		assert_int_equal(label[u], 0);
}

/* ---- faults ---- */

static tlv_status
search_and_merge(const small *s)
{
	int32_t label[MOST_NODES];
	size_t found;
	tlv_status status;

	for (size_t u = 0; u < s->n; u++)
		label[u] = (int32_t) u;
	status = tlv_merge_communities(&ctx, &s->task, s->n, 4, label);
	if (status != TLV_OK)
		return status;
	return tlv_levels_search(&ctx, &s->task, label, &found);
}

/* A cancel ends it at once, and so does memory that is refused, wherever they come. */
TEST(test_faults)
{
	small *s = make_small(14, 3, 0.9, 0.2, true, false);
	size_t refused;

	assert_cancelled_anywhere(2, SIZE_MAX, search_and_merge(s));
	refused = COUNT_REFUSALS(56, search_and_merge(s));
	assert_at_least(refused, 20);
	assert_at_most((double) refused * 56, tlv_levels_memory(&s->task) + 8192);
}

RUN_TESTS(setup, teardown)
