/*
 * test_memberships.c - sparse memberships of many nodes, modularity, conductance
 * and bridgeness against plain loops.
 */
#include "model/mmsb/mixed/memberships.h"
#include "graph_fixture.h"

#define K 4

/* Dirichlet shares of n nodes; every fifth node has none. */
static double *
draw_shares(size_t n)
{
	double *pi = numbers(n * K), alpha[K] = {0.3, 0.3, 0.3, 0.3};

	for (size_t u = 0; u < n; u++)
		if (u % 5 != 4)
			tlv_rng_dirichlet(&rng, K, alpha, pi + u * K);
	return pi;
}

static tlv_memberships
collect(size_t n, const double *pi)
{
	tlv_membership_builder builder;

	assert_ok(tlv_memberships_begin(&ctx, n, n, &builder));
	for (size_t u = 0; u < n; u++)
		assert_ok(tlv_memberships_append(&ctx, &builder, K, u % 5 == 4 ? NULL : pi + u * K));
	assert_int_equal(builder.memberships.n, n);
	return builder.memberships;
}

static double *
expand(const tlv_memberships *m, size_t k)
{
	double *pi = numbers(m->n * k);

	for (size_t u = 0; u < m->n; u++)
		for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
		{
			assert_below(m->community[i], k);
			assert_above(m->share[i], 0);
			if (i != m->start[u])
				assert_above(m->community[i], m->community[i - 1]);
			pi[u * k + m->community[i]] = m->share[i];
		}
	return pi;
}

TEST(test_append)
{
	double *pi = draw_shares(200), edge[K] = {1 - 2e-5, 1e-5, 0, 1e-5}, *found;
	tlv_memberships m;

	memcpy(pi, edge, sizeof(edge)); /* shares below the least are left out, the rest sums to 1 */
	m = collect(200, pi);
	found = expand(&m, K);
	assert_int_equal(m.start[1], 1);
	assert_equal(m.share[0], 1);
	for (size_t u = 0; u < 200; u++)
	{
		double sum = 0;

		for (size_t a = 0; a < K; a++)
		{
			assert_close(found[u * K + a], pi[u * K + a], 1e-3);
			sum += found[u * K + a];
		}
		assert_close(sum, u % 5 != 4, 1e-6);
	}
	tlv_memberships_free(&ctx, &m);
}

/* What is less than wanted goes, but for the largest share. */
TEST(test_least)
{
	const double few[K] = {0.6, 0.3, 0.06, 0.04}, even[K] = {0.25, 0.26, 0.25, 0.24};
	tlv_membership_builder builder;
	const tlv_memberships *m = &builder.memberships;

	assert_ok(tlv_memberships_begin(&ctx, 2, 2, &builder));
	builder.least = 0.1;
	assert_ok(tlv_memberships_append(&ctx, &builder, K, few));
	builder.least = 0.3;
	assert_ok(tlv_memberships_append(&ctx, &builder, K, even));
	assert_int_equal(m->start[1], 2);
	assert_close(m->share[0], 2.0 / 3, 1e-6);
	assert_close(m->share[1], 1.0 / 3, 1e-6);
	assert_int_equal(m->start[2], 3);
	assert_int_equal(m->community[2], 1);
	assert_equal(m->share[2], 1);
	tlv_memberships_free(&ctx, &builder.memberships);
}

TEST(test_labels)
{
	int32_t label[6] = {2, -1, 0, 3, -1, 1};
	tlv_memberships m;

	assert_ok(tlv_memberships_from_labels(&ctx, 6, label, &m));
	assert_int_equal(m.start[6], 4);
	for (size_t u = 0; u < 6; u++)
	{
		assert_int_equal(m.start[u + 1] - m.start[u], label[u] >= 0);
		if (label[u] < 0)
			continue;
		assert_int_equal(m.community[m.start[u]], label[u]);
		assert_equal(m.share[m.start[u]], 1);
	}
}

TEST(test_sums)
{
	size_t n = 150;
	double *pi, *weight = numbers(n), sums[K];
	tlv_memberships m = collect(n, draw_shares(n));

	pi = expand(&m, K);
	for (size_t u = 0; u < n; u++)
		weight[u] = tlv_rng_uniform(&rng);
	for (int weighted = 0; weighted < 2; weighted++)
	{
		tlv_memberships_sums(&m, K, weighted ? weight : NULL, sums);
		for (size_t a = 0; a < K; a++)
		{
			double sum = 0;

			for (size_t u = 0; u < n; u++)
				sum += (weighted ? weight[u] : 1) * pi[u * K + a];
			assert_close(sums[a], sum, 1e-9);
		}
	}
}

TEST(test_reorder)
{
	size_t n = 100;
	int64_t order[K] = {2, 0, 3, 1};
	double *before, *after;
	tlv_memberships m = collect(n, draw_shares(n));

	before = expand(&m, K);
	assert_ok(tlv_memberships_reorder(&ctx, K, order, &m));
	after = expand(&m, K);
	for (size_t u = 0; u < n; u++)
		for (size_t i = 0; i < K; i++)
			assert_equal(after[u * K + i], before[u * K + (size_t) order[i]]);
}

/* Of more communities than a word has bits: nodes in one, in all and in every third of them. */
TEST(test_reorder_many)
{
	enum
	{
		MANY = 150
	};
	int64_t order[MANY];
	double share[3][MANY] = {{0}};
	tlv_membership_builder builder;
	size_t at = 0;

	share[0][130] = 1;
	for (size_t c = 0; c < MANY; c++)
	{
		order[c] = (int64_t) (c * 77 % MANY);
		share[1][c] = (c % 2 == 0 ? 2.0 : 1.0) / (1.5 * MANY);
		share[2][c] = c % 3 == 0 ? 1.0 / 50 : 0;
	}
	assert_ok(tlv_memberships_begin(&ctx, 3, 3, &builder));
	for (size_t u = 0; u < 3; u++)
		assert_ok(tlv_memberships_append(&ctx, &builder, MANY, share[u]));
	assert_ok(tlv_memberships_reorder(&ctx, MANY, order, &builder.memberships));
	for (size_t u = 0; u < 3; u++)
	{
		for (size_t i = 0; i < MANY; i++)
			if (share[u][order[i]] > 0)
			{
				assert_int_equal(builder.memberships.community[at], i);
				assert_close(builder.memberships.share[at++], share[u][order[i]], 1e-7);
			}
		assert_int_equal(builder.memberships.start[u + 1], at);
	}
}

/* Two triangles joined by an edge: Newman's 5/14, and one of 7 ends of each leaves it. */
TEST(test_modularity)
{
	double edges[4] = {6, 1, 1, 6}, conductance[2], all[1] = {14}, one[1];
	double bipartite[4] = {5, 1, 2, 4}, modularity;

	assert_close(tlv_modularity(2, edges, conductance), 5.0 / 14, 1e-12);
	assert_close(conductance[0], 1.0 / 7, 1e-12);
	assert_close(conductance[1], 1.0 / 7, 1e-12);
	assert_close(tlv_modularity(1, all, one), 0, 1e-12);
	assert_true(isnan(one[0]));
	/* rows 7 and 5, columns 6 and 6, of 12 */
	modularity = 5.0 / 12 - 7.0 * 6 / 144 + 4.0 / 12 - 5.0 * 6 / 144;
	assert_close(tlv_modularity(2, bipartite, conductance), modularity, 1e-12);
	assert_close(conductance[0], (6.5 - 5) / 5.5, 1e-12);
	assert_close(conductance[1], (5.5 - 4) / 5.5, 1e-12);
}

TEST(test_bridgeness)
{
	float one = 1, two[2] = {0.5F, 0.5F}, all[4] = {0.25F, 0.25F, 0.25F, 0.25F};
	float some[3] = {0.7F, 0.2F, 0.1F};

	assert_close(tlv_bridgeness(4, 1, &one), 0, 1e-12);
	assert_close(tlv_bridgeness(4, 4, all), 1, 1e-7);
	assert_close(tlv_bridgeness(4, 2, two), 1 - sqrt(4.0 / 3 * 0.25), 1e-7);
	assert_close(tlv_bridgeness(4, 3, some),
				 1 - sqrt(4.0 / 3 * (0.45 * 0.45 + 0.05 * 0.05 + 0.15 * 0.15 + 0.25 * 0.25)), 1e-6);
	assert_close(tlv_bridgeness(1, 1, &one), 0, 0);
	assert_close(tlv_bridgeness(4, 0, &one), 0, 0);
}

RUN_TESTS(setup, teardown)
