/*
 * test_corners.c - corners of a simplex among points, and points as mixtures of them: planted ones,
 * noise, given ones, refusals.
 */
#define RNG_SEED 3
#include "pool_setup.h"
#include "tensorlv/model/anchors.h"

#define D 6	  /* coordinates */
#define K 5	  /* corners */
#define N 400 /* points */

typedef struct planted
{
	double corners[K * D];
	double shares[N * K]; /* the truth */
	double rows[N * D];
	double noise[N];
	tlv_anchor_points points;
} planted;

/* Mixtures of K corners; the corners themselves are points 10, 20, ... */
static planted *
plant(void)
{
	planted *p = tlv_alloc0(&ctx, 1, sizeof(planted));

	assert_non_null(p);
	tlv_rng_fill_normal(&rng, K * D, p->corners);
	for (size_t i = 0; i < N; i++)
	{
		double sum = 0;

		for (size_t j = 0; j < K; j++)
			sum += p->shares[i * K + j] =
				i > 0 && i <= 10 * K && i % 10 == 0 ? i == 10 * (j + 1) : tlv_rng_gamma(&rng, .3);
		for (size_t j = 0; j < K; j++)
			p->shares[i * K + j] /= sum;
		for (size_t c = 0; c < D; c++)
			for (size_t j = 0; j < K; j++)
				p->rows[i * D + c] += p->shares[i * K + j] * p->corners[j * D + c];
	}
	p->points = (tlv_anchor_points){.n = N, .d = D, .rows = p->rows};
	return p;
}

static bool
is_planted(int32_t point)
{
	return point > 0 && point <= 10 * K && point % 10 == 0;
}

/* Exact points: the planted corners, all of them, and all mixtures. */
TEST(test_exact)
{
	planted *p = plant();
	tlv_anchor_corners found;
	double *shares = tlv_alloc(&ctx, N * K, sizeof(double));

	assert_ok(tlv_anchors_choose(&ctx, &p->points, K, NULL, &found));
	assert_int_equal(found.k, K);
	assert_int_equal(found.visible, K);
	assert_equal(found.penalty, TLV_ANCHORS_PENALTY);
	for (size_t j = 0; j < K; j++)
	{
		assert_true(is_planted(found.points[j]));
		if (j > 0)
			assert_above(found.distance[j], .01);
	}
	assert_ok(tlv_anchors_recover(&ctx, &p->points, K, found.corners, shares));
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < K; j++)
			assert_below(
				fabs(shares[i * K + j] - p->shares[i * K + (size_t) found.points[j] / 10 - 1]),
				1e-9);
	/* one corner more than there are: no point is left outside of their hull */
	assert_ok(tlv_anchors_choose(&ctx, &p->points, K + 1, NULL, &found));
	assert_int_equal(found.k, K);
}

/* A point far out that is all noise is not taken; it is where nobody says that it is noise. */
TEST(test_noise)
{
	planted *p = plant();
	tlv_anchor_corners found;

	p->rows[7 * D] += 50;
	p->noise[7] = 2500;
	assert_ok(tlv_anchors_choose(&ctx, &p->points, K, NULL, &found));
	assert_int_equal(found.points[0], 7);
	p->points.noise = p->noise;
	assert_ok(tlv_anchors_choose(&ctx, &p->points, K, NULL, &found));
	for (size_t j = 0; j < K; j++)
		assert_true(is_planted(found.points[j]));
	/* a sixth one is that point, below the noise, with a lower penalty */
	assert_ok(tlv_anchors_choose(&ctx, &p->points, K + 1, NULL, &found));
	assert_int_equal(found.k, K + 1);
	assert_int_equal(found.visible, K);
	assert_below(found.penalty, TLV_ANCHORS_PENALTY);
	assert_int_equal(found.points[K], 7);
	assert_below(found.distance[K], 0);
}

/* Given corners come first, several points as their mean; the others are found around them. */
TEST(test_given)
{
	const size_t first[] = {0, 1, 3};
	const int32_t members[] = {30, 11, 12}, twice[] = {30, 10, 10};
	tlv_anchor_seeds seeds = {2, first, members};
	planted *p = plant();
	double weights[N];
	tlv_anchor_corners found;

	for (size_t i = 0; i < N; i++)
		weights[i] = i == 11 ? 3 : 1;
	p->points.weights = weights;
	assert_ok(tlv_anchors_choose(&ctx, &p->points, K, &seeds, &found));
	assert_int_equal(found.points[0], 30);
	assert_int_equal(found.points[1], 11);
	for (size_t c = 0; c < D; c++)
		assert_below(
			fabs(found.corners[D + c] - .75 * p->rows[11 * D + c] - .25 * p->rows[12 * D + c]),
			1e-12);
	for (size_t j = 2; j < K; j++)
		assert_true(is_planted(found.points[j]) && found.points[j] != 30);
	/* a mixture of two that are given */
	seeds = (tlv_anchor_seeds){2, first, twice};
	memcpy(p->rows + 11 * D, p->rows + 30 * D, D * sizeof(double));
	seeds.members = (const int32_t[]){30, 11, 11};
	assert_fails(tlv_anchors_choose(&ctx, &p->points, K, &seeds, &found), TLV_BAD_PARAMETER,
				 "anchor 2 is a mixture");
	assert_fails(tlv_anchors_choose(&ctx, &p->points, 1, &seeds, &found), TLV_BAD_PARAMETER,
				 "less than the 2 anchors");
}

TEST(test_refusals)
{
	planted *p = plant();
	uint8_t none[N] = {0};
	tlv_anchor_corners found;

	assert_fails(tlv_anchors_choose(&ctx, &p->points, 0, NULL, &found), TLV_BAD_PARAMETER, "k = 0");
	p->points.candidate = none;
	assert_ok(tlv_anchors_choose(&ctx, &p->points, K, NULL, &found));
	assert_int_equal(found.k, 0);
	p->rows[5] = INFINITY;
	assert_fails(tlv_anchors_choose(&ctx, &p->points, K, NULL, &found), TLV_BAD_DATA, "not finite");
	p->rows[5] = 0;
	assert_cancelled_at(1, tlv_anchors_choose(&ctx, &p->points, K, NULL, &found));
}

RUN_TESTS(setup, teardown)
