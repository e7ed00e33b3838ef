/*
 * lda_fixture.h - simulated documents, the passes over them, and comparison
 * with the truth; shared by the tests of latent Dirichlet allocation.
 */
#ifndef TENSORLV_TEST_LDA_FIXTURE_H
#define TENSORLV_TEST_LDA_FIXTURE_H

#include "rows.h"
#define RNG_SEED 21
#include "pool_setup.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/topics.h"

#define MAX_K 12

/* ---- simulated documents ---- */

typedef struct corpus
{
	size_t n;
	size_t k;
	size_t d;
	double *phi;	/* k x d, the truth */
	double *alpha;	/* k */
	int64_t *items; /* d: ids, position 0 is item 100 */
	tlv_bag_image **bags;
} corpus;

static inline tlv_bag_image *
make_bag(const corpus *c, size_t n, const int32_t *index, const double *count)
{
	int64_t *items = room(n, sizeof(int64_t));
	tlv_bag_image *bag;

	for (size_t i = 0; i < n; i++)
		items[i] = c->items[index[i]];
	bag = room(tlv_bag_size(n, items, count), 1);
	tlv_bag_write(n, items, count, bag);
	tlv_free(&ctx, items);
	return bag;
}

/*
 * Documents of LDA; or with single, each of one topic drawn with probability
 * proportional to alpha.
 */
static inline corpus
simulate(size_t n, size_t d, size_t k, size_t length, double alpha, bool single)
{
	corpus c = {.n = n, .k = k, .d = d};
	double theta[MAX_K], one[1] = {1};
	int32_t *index = room(length, sizeof(int32_t));
	double *count = room(length, sizeof(double));
	double *alone = room(k * d, sizeof(double));
	tlv_topic_simulator *mixed, *pure[MAX_K];

	c.phi = room(k * d, sizeof(double));
	c.alpha = room(k, sizeof(double));
	c.items = room(d, sizeof(int64_t));
	c.bags = room(n, sizeof(void *));
	for (size_t i = 0; i < d; i++)
		c.items[i] = 100 + 2 * (int64_t) i;
	for (size_t j = 0; j < k; j++)
		c.alpha[j] = alpha;
	assert_ok(tlv_topic_random(&ctx, k, d, 0.1, &rng, c.phi));
	assert_ok(tlv_topic_simulator_create(&ctx, &(tlv_topics){k, d, c.phi, c.alpha}, &mixed));
	for (size_t j = 0; j < k; j++)
	{
		for (size_t i = 0; i < d; i++)
			alone[j * d + i] = c.phi[i * k + j];
		assert_ok(
			tlv_topic_simulator_create(&ctx, &(tlv_topics){1, d, alone + j * d, one}, &pure[j]));
	}
	for (size_t t = 0; t < n; t++)
	{
		size_t distinct;

		assert_ok(tlv_topic_simulate(&ctx, single ? pure[tlv_rng_below(&rng, k)] : mixed, &rng,
									 length, theta, &distinct, index, count));
		c.bags[t] = make_bag(&c, distinct, index, count);
	}
	return c;
}

/* ---- the passes, each with an error handed on ---- */

static inline tlv_status
collect(tlv_accumulator *accumulator, const corpus *c, void **image, size_t *size)
{
	tlv_frame_builder *own = tlv_alloc(&ctx, 1, sizeof(tlv_frame_builder));

	TLV_TRY_ALLOC(&ctx, own);
	for (size_t t = 0; t < c->n; t++)
		TLV_TRY(tlv_add(&ctx, accumulator, TLV_AS_BAG(c->bags[t])));
	TLV_TRY(accumulator->class->build(&ctx, accumulator, own));
	return tlv_frame_finish(&ctx, own, image, size);
}

static inline tlv_frame
moments(const corpus *c, size_t rank)
{
	tlv_accumulator *pairs, *triples;
	tlv_subspace_options options = {.rank = rank, .seed = 1};
	tlv_subspace *subspace;
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(tlv_count_pairs_create(&ctx, &pairs));
	assert_ok(collect(pairs, c, &image, &size));
	frame = checked(TLV_FRAME_MOMENTS, image, size);
	frame = MADE(tlv_subspace_from_moments, &frame, &options);
	assert_ok(tlv_subspace_open(&ctx, &frame, true, &subspace));
	assert_ok(tlv_count_triples_create(&ctx, subspace, &triples));
	assert_ok(collect(triples, c, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

static inline tlv_frame
fit(tlv_frame triples, size_t k, double alpha0)
{
	tlv_lda_options options = {.k = k, .alpha0 = alpha0, .eta = TLV_LDA_ETA, .seed = 1};

	return MADE(tlv_lda_fit, &triples, &options);
}

static inline double
present_diagnostic(tlv_frame model, const char *name)
{
	double value = tlv_diagnostics_find(&model, name, NAN);

	if (isnan(value))
		fail_msg("no diagnostic %s", name);
	return value;
}

typedef struct errors
{
	double mean, worst; /* L1 of topics */
	double alpha;		/* relative L1 */
} errors;

/* Of a model over the corpus' own items. */
static inline errors
compare(const corpus *c, tlv_frame model)
{
	size_t k = tlv_frame_find(&model, "phi")->rows, d = tlv_frame_find(&model, "phi")->columns;
	const int64_t *items = tlv_frame_int64(&model, "items");
	const double *phi = tlv_frame_float64(&model, "phi");
	double *full = room(k * c->d, sizeof(double)), error[MAX_K], sum = 0;
	int64_t assignment[MAX_K];
	errors e = {0, 0, 0};

	for (size_t i = 0; i < d; i++)
		memcpy(full + (size_t) (items[i] - 100) / 2 * k, phi + i * k, k * sizeof(double));
	assert_ok(tlv_topic_match(&ctx, c->d, c->k, c->phi, k, full, assignment, error));
	for (size_t j = 0; j < c->k; j++)
	{
		e.mean += error[j] / (double) c->k;
		e.worst = fmax(e.worst, error[j]);
		sum += c->alpha[j];
		if (assignment[j] >= 0)
			e.alpha += fabs(tlv_frame_float64(&model, "alpha")[assignment[j]] - c->alpha[j]);
	}
	e.alpha /= sum;
	return e;
}

static inline tlv_frame
refine(const corpus *c, tlv_frame model, const char *method)
{
	void *image;
	size_t size;

	assert_ok(collect(statistics_begin(model, method), c, &image, &size));
	return updated(model, checked(TLV_FRAME_MOMENTS, image, size));
}

#endif /* TENSORLV_TEST_LDA_FIXTURE_H */
