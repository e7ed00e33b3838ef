/*
 * tree_fixture.h - what the tests of latent tree models share.
 */
#ifndef TENSORLV_TEST_TREE_FIXTURE_H
#define TENSORLV_TEST_TREE_FIXTURE_H

#include "view_fixture.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/tree.h"
#include "tensorlv/model/tree_gaussian.h"

/* A tree from pairs of ends. */
static inline tlv_tree
tree_of(size_t p, size_t nodes, size_t edges, const int32_t *ends)
{
	tlv_tree tree;

	assert_ok(tlv_tree_create(&ctx, p, nodes, edges, &tree));
	memcpy(tree.ends, ends, 2 * edges * sizeof(int32_t));
	for (size_t e = 0; e < edges; e++)
	{
		tree.length[e] = 0.3;
		tree.error[e] = tree.support[e] = NAN;
	}
	return tree;
}

static inline tlv_tree
random_tree_of(size_t p, uint64_t seed)
{
	tlv_tree tree;

	assert_ok(tlv_tree_random(&ctx, p, p / 4, seed, &tree));
	return tree;
}

static inline tlv_frame
simulated(const tlv_tree *tree, bool gaussian, size_t k, size_t d, uint64_t seed)
{
	tlv_tree_simulation options = {gaussian, k, d, 0.7, 0.9, seed};

	return MADE(tlv_tree_simulate_model, tree, &options);
}

/* n rows of the observed nodes; every element missing with probability `missing`. */
static inline int32_t *
drawn_codes(tlv_frame model, size_t n, double missing)
{
	tlv_tree_sampler *sampler;
	tlv_tree_parts parts;
	int32_t *rows, *all;

	tlv_tree_read(&model, &parts);
	assert_ok(tlv_tree_sampler_create(&ctx, &model, &sampler));
	rows = room(n * parts.p, sizeof(int32_t));
	all = room(parts.nodes, sizeof(int32_t));
	for (size_t i = 0; i < n; i++)
	{
		tlv_tree_sample(sampler, &rng, all, NULL);
		for (size_t v = 0; v < parts.p; v++)
			rows[i * parts.p + v] = tlv_rng_uniform(&rng) < missing ? -1 : all[v];
	}
	return rows;
}

static inline void
add_rows(tlv_accumulator *accumulator, size_t p, size_t n, const int32_t *rows)
{
	for (size_t i = 0; i < n; i++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(p, rows + i * p)));
}

static inline tlv_frame
category_moments(size_t p, size_t n, const int32_t *rows)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_category_moments_create(&ctx, 0, 1, &accumulator));
	add_rows(accumulator, p, n, rows);
	return stored(accumulator);
}

static inline tlv_frame
statistics_of(tlv_frame model, size_t p, size_t n, const int32_t *rows)
{
	tlv_accumulator *accumulator = statistics_begin(model, "em");

	add_rows(accumulator, p, n, rows);
	return stored(accumulator);
}

static inline tlv_frame
fitted_tree(tlv_frame moments, const tlv_tree *tree, tlv_tree_fit_options options)
{
	options.seed = 1;
	return MADE(tlv_tree_fit, &moments, tree, &options);
}

/* ---- numbers ---- */

/* n rows of d numbers of the observed nodes. */
static inline double *
drawn_numbers(tlv_frame model, size_t n, size_t d)
{
	tlv_tree_sampler *sampler;
	double *x = numbers(n * d);

	assert_ok(tlv_tree_sampler_create(&ctx, &model, &sampler));
	for (size_t i = 0; i < n; i++)
		tlv_tree_sample(sampler, &rng, NULL, x + i * d);
	return x;
}

static inline tlv_frame
dense_moments(size_t d, size_t n, const double *x)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_dense_moments_create(&ctx, 2, &accumulator));
	for (size_t i = 0; i < n; i++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(d, x + i * d)));
	return stored(accumulator);
}

/* Mean log-likelihood of rows of numbers. */
static inline double
mean_of_numbers(tlv_frame frame, size_t d, size_t n, const double *x)
{
	tlv_model *model = open_model(frame);
	double sum = 0, value;

	for (size_t i = 0; i < n; i++)
	{
		assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_VECTOR(d, x + i * d), &value));
		sum += value;
	}
	return sum / (double) n;
}

/* Mean log-likelihood of rows. */
static inline double
mean_log_likelihood(tlv_frame model, size_t p, size_t n, const int32_t *rows)
{
	tlv_frame statistics = statistics_of(model, p, n, rows);

	return tlv_frame_scalar(&statistics, "log_likelihood", NAN) / (double) n;
}

#endif /* TENSORLV_TEST_TREE_FIXTURE_H */
