/*
 * tree_learning_fixture.h - random trees, rows drawn from them, and learned trees compared with
 * true ones; shared by the tests of distances and structure.
 */
#ifndef TENSORLV_TEST_TREE_LEARNING_FIXTURE_H
#define TENSORLV_TEST_TREE_LEARNING_FIXTURE_H

#include "tensorlv/model/tree_learn.h"
#include "tensorlv/model/tree_pictures.h"
#include "tree_fixture.h"

/* Path lengths among the first n nodes; HUGE_VAL between components. */
static inline double *
path_lengths(const tlv_tree *tree, size_t n)
{
	size_t nodes = tree->nodes;
	double *all = room(nodes * nodes, sizeof(double)), *paths = room(n * n, sizeof(double));
	tlv_tree_rooting rooting;

	assert_ok(tlv_tree_root(&ctx, tree, &rooting));
	for (size_t i = 0; i < nodes * nodes; i++)
		all[i] = HUGE_VAL;
	for (size_t i = 0; i < nodes; i++)
	{
		size_t v = (size_t) rooting.order[i];

		all[v * nodes + v] = 0;
		for (size_t j = 0; j < i && rooting.parent[v] >= 0; j++)
		{
			size_t u = (size_t) rooting.order[j];

			all[v * nodes + u] = all[u * nodes + v] =
				all[(size_t) rooting.parent[v] * nodes + u] + tree->length[rooting.edge[v]];
		}
	}
	for (size_t i = 0; i < n; i++)
		memcpy(paths + i * n, all + i * nodes, n * sizeof(double));
	tlv_free(&ctx, all);
	tlv_tree_rooting_free(&ctx, &rooting);
	return paths;
}

/* p variables at distance 0 without errors, which are to be set. */
static inline tlv_tree_distances
no_distances(size_t p, double rows)
{
	return (tlv_tree_distances){.p = p,
								.rows = rows,
								.distance = numbers(p * p),
								.error = numbers(p * p),
								.independent = numbers(p * p)};
}

/* Distances that are known exactly, or to a relative error that is very small. */
static inline tlv_tree_distances
exact_distances(const tlv_tree *tree, double relative)
{
	size_t p = tree->p;
	tlv_tree_distances d = no_distances(p, 1e12);

	d.distance = path_lengths(tree, p);
	for (size_t i = 0; i < p * p; i++)
		d.error[i] = relative * sinh(d.distance[i]);
	return d;
}

/* About three in ten hidden nodes become observed ones; observed ones are numbered at random. */
static inline void
observe_some(tlv_tree *tree)
{
	int64_t *shuffled = room(tree->nodes, sizeof(int64_t));
	int32_t *number = room(tree->nodes, sizeof(int32_t));
	size_t p = tree->p, hidden;

	for (size_t v = tree->p; v < tree->nodes; v++)
		if (tlv_rng_uniform(&rng) < 0.3)
			number[v] = (int32_t) ++p;
	hidden = p;
	assert_ok(tlv_rng_permutation(&ctx, &rng, p, shuffled));
	for (size_t v = 0; v < tree->nodes; v++)
	{
		if (v < tree->p)
			number[v] = (int32_t) shuffled[v];
		else
			number[v] = number[v] > 0 ? (int32_t) shuffled[number[v] - 1] : (int32_t) hidden++;
	}
	for (size_t h = 0; h < 2 * tree->edges; h++)
		tree->ends[h] = number[tree->ends[h]];
	tree->p = p;
	tlv_free(&ctx, number);
	tlv_free(&ctx, shuffled);
}

static inline size_t
splits_that_differ(const tlv_tree *a, const tlv_tree *b)
{
	size_t different, total;

	assert_ok(tlv_tree_robinson_foulds(&ctx, a, b, &different, &total));
	return different;
}

/* ---- rows ---- */

/* n x p numbers, edge correlations uniform in [low, high] with random signs. */
static inline double *
draw_gaussian(const tlv_tree *tree, size_t n, double low, double high)
{
	double *z = room(tree->nodes, sizeof(double)), *x = room(n * tree->p, sizeof(double));
	double *correlation = room(tree->nodes, sizeof(double));
	tlv_tree_rooting rooting;

	assert_ok(tlv_tree_root(&ctx, tree, &rooting));
	for (size_t v = 0; v < tree->nodes; v++)
		correlation[v] =
			(low + (high - low) * tlv_rng_uniform(&rng)) * (tlv_rng_below(&rng, 2) == 0 ? 1 : -1);
	for (size_t i = 0; i < n; i++)
	{
		for (size_t j = 0; j < tree->nodes; j++)
		{
			int32_t v = rooting.order[j], parent = rooting.parent[v];
			double r = parent < 0 ? 0 : correlation[v];

			z[v] = r * (parent < 0 ? 0 : z[parent]) + sqrt(1 - r * r) * tlv_rng_normal(&rng);
		}
		memcpy(x + i * tree->p, z, tree->p * sizeof(double));
	}
	tlv_tree_rooting_free(&ctx, &rooting);
	return x;
}

static inline int32_t
draw_state(size_t m, const double *probability)
{
	double u = tlv_rng_uniform(&rng);
	size_t x = 0;

	while (x + 1 < m && u >= probability[x])
		u -= probability[x++];
	return (int32_t) x;
}

/*
 * A table of k columns of m states: r times the identity (state modulo m) plus (1 - r) times
 * columns drawn from Dirichlet(2); m <= 16.
 */
static inline void
draw_table(size_t m, size_t k, double r, double *table)
{
	double alpha[16];

	for (size_t a = 0; a < 16; a++)
		alpha[a] = 2;
	for (size_t y = 0; y < k; y++)
	{
		tlv_rng_dirichlet(&rng, m, alpha, table + y * m);
		for (size_t s = 0; s < m; s++)
			table[y * m + s] = (1 - r) * table[y * m + s] + r * (s == y % m);
	}
}

/* n x p states: hidden nodes of k, observed ones of d >= k states, r uniform in [low, high]. */
static inline int32_t *
draw_states(const tlv_tree *tree, size_t n, size_t k, size_t d, double low, double high)
{
	int32_t *x = room(n * tree->p, sizeof(int32_t)), *z = room(tree->nodes, sizeof(int32_t));
	double *table = room(tree->nodes * k * d, sizeof(double)), root[16], alpha[16];
	tlv_tree_rooting rooting;

	assert_ok(tlv_tree_root(&ctx, tree, &rooting));
	for (size_t a = 0; a < 16; a++)
		alpha[a] = 10;
	tlv_rng_dirichlet(&rng, k, alpha, root);
	for (size_t v = 0; v < tree->nodes; v++)
		draw_table(v < tree->p ? d : k, k, low + (high - low) * tlv_rng_uniform(&rng),
				   table + v * k * d);
	for (size_t i = 0; i < n; i++)
	{
		for (size_t j = 0; j < tree->nodes; j++)
		{
			size_t v = (size_t) rooting.order[j], m = v < tree->p ? d : k;
			int32_t parent = rooting.parent[v];

			z[v] = parent < 0 ? draw_state(k, root)
							  : draw_state(m, table + v * k * d + (size_t) z[parent] * m);
		}
		memcpy(x + i * tree->p, z, tree->p * sizeof(int32_t));
	}
	tlv_tree_rooting_free(&ctx, &rooting);
	return x;
}

/* ---- moments ---- */

static inline tlv_tree_distances
category_distances(size_t n, size_t p, const int32_t *x, size_t states)
{
	tlv_tree_distance_options options = {.states = states};
	tlv_tree_distances distances;
	tlv_frame frame = category_moments(p, n, x);

	assert_ok(tlv_tree_distances_compute(&ctx, &frame, &options, &distances));
	return distances;
}

#endif /* TENSORLV_TEST_TREE_LEARNING_FIXTURE_H */
