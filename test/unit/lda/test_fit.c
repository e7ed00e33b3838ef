/*
 * test_fit.c - fits of latent Dirichlet allocation: accuracy on simulated
 * documents against the figures of the reference implementation, exactness on
 * population moments, refusals.
 */
#include "lda_fixture.h"
#include "tensorlv/num/tensor3.h"
#include "infer.h"

/* ---- accuracy ---- */

/*
 * The reference implementation's error at the same size of problem, with the
 * tolerance that is asked of the C code: 10% and .005.
 */
static void
check_accuracy(const char *name, corpus c, double reference, double alpha_reference)
{
	double true_alpha0 = (double) c.k * c.alpha[0];
	tlv_frame triples = moments(&c, c.k), model = fit(triples, c.k, true_alpha0), searched;
	errors e = compare(&c, model), refined;
	double residual = present_diagnostic(model, "residual"), found;

	assert_at_most(e.mean, 1.10 * reference + 0.005);
	assert_at_most(e.alpha, 1.10 * alpha_reference + 0.03);
	assert_below(residual, 0.03);
	assert_null(tlv_frame_find(&model, "warnings"));
	assert_equal(present_diagnostic(model, "alpha0_estimated"), 0);
	for (int step = 0; step < 3; step++)
		model = refine(&c, model, "gibbs");
	refined = compare(&c, model);
	assert_below(refined.mean, 0.95 * e.mean);
	searched = fit(triples, c.k, NAN);
	found = tlv_frame_scalar(&searched, "alpha0", 0);
	assert_equal(present_diagnostic(searched, "alpha0_estimated"), 1);
	assert_at_most(present_diagnostic(searched, "residual"), residual * (1 + 1e-6));
	assert_close(found / true_alpha0, 1, 0.3);
	print_message("%s: topic L1 %.4f (reference %.4f, worst %.4f), after 3 Gibbs steps %.4f, "
				  "alpha %.3f, residual %.4f, alpha0 %.3f of %.1f\n",
				  name, e.mean, reference, e.worst, refined.mean, e.alpha, residual, found,
				  true_alpha0);
}

TEST(test_accuracy_small)
{
	check_accuracy("lda_small", simulate(2000, 200, 5, 50, 0.2, false), 0.0584, 0.0284);
}

TEST(test_accuracy_middle)
{
	check_accuracy("lda_mid", simulate(5000, 1000, 10, 60, 0.1, false), 0.1161, 0.0367);
}

/* Every method of decomposition finds the topics; none is much worse than the default. */
TEST(test_methods)
{
	static const tlv_method methods[] = {TLV_METHOD_JOINT, TLV_METHOD_POWER, TLV_METHOD_ALS};
	corpus c = simulate(2000, 200, 5, 50, 0.2, false);
	tlv_frame triples = moments(&c, 5);

	for (size_t i = 0; i < 3; i++)
	{
		tlv_lda_options options = {.k = 5, .alpha0 = 1, .eta = 0.1, .seed = 1};

		options.decompose.method = methods[i];
		assert_below(compare(&c, MADE(tlv_lda_fit, &triples, &options)).mean, 0.08);
	}
}

/* ---- population moments ---- */

#define EXACT_D 30
#define EXACT_K 4
#define EXACT_W 6

typedef struct exact
{
	double phi[EXACT_K * EXACT_D];
	double alpha[EXACT_K];
	double alpha0; /* of the moments; 0: single topic */
	double scale[EXACT_D];
	double basis[EXACT_W * EXACT_D];
	double p1[EXACT_D];
} exact;

/* E theta_a, E theta_a theta_b, E theta_a theta_b theta_c under Dirichlet, or of a single topic. */
static double
moment1(const exact *x, size_t a)
{
	double sum = 0;

	for (size_t j = 0; j < EXACT_K; j++)
		sum += x->alpha[j];
	return x->alpha[a] / sum;
}

static double
moment2(const exact *x, size_t a, size_t b)
{
	if (x->alpha0 == 0)
		return a == b ? moment1(x, a) : 0;
	return x->alpha[a] * (x->alpha[b] + (a == b)) / (x->alpha0 * (x->alpha0 + 1));
}

static double
moment3(const exact *x, size_t a, size_t b, size_t c)
{
	if (x->alpha0 == 0)
		return a == b && b == c ? moment1(x, a) : 0;
	return x->alpha[a] * (x->alpha[b] + (a == b)) * (x->alpha[c] + (a == c) + (b == c)) /
		   (x->alpha0 * (x->alpha0 + 1) * (x->alpha0 + 2));
}

/* Topics, scaling and an orthonormal basis of `width` directions that spans the scaled topics. */
static exact
exact_model(size_t width, bool single)
{
	exact x = {.alpha = {0.4, 0.1, 0.7, 0.2}};
	size_t independent;

	x.alpha0 = single ? 0 : 1.4;
	assert_ok(tlv_topic_random(&ctx, EXACT_K, EXACT_D, 0.3, &rng, x.phi));
	for (size_t i = 0; i < EXACT_D; i++)
	{
		for (size_t j = 0; j < EXACT_K; j++)
			x.p1[i] += moment1(&x, j) * x.phi[i * EXACT_K + j];
		x.scale[i] = 1 / sqrt(x.p1[i]);
		for (size_t j = 0; j < width; j++)
			x.basis[i * width + j] =
				j < EXACT_K ? x.scale[i] * x.phi[i * EXACT_K + j] : tlv_rng_normal(&rng);
	}
	assert_ok(tlv_orthonormalize(&ctx, width, EXACT_D, x.basis, &rng, &independent));
	assert_int_equal(independent, width);
	return x;
}

/* The triples value that infinitely many documents would give. */
static tlv_frame
exact_moments(const exact *x, size_t width)
{
	double b[EXACT_W][EXACT_K] = {{0}}; /* W' phi */
	double *mean = room(width, 8), *pairs = room(tlv_packed2_size(width), 8);
	double *triples = room(tlv_packed3_size(width), 8), *zeros = room(EXACT_D, 8);
	double *totals = room(EXACT_D, 8), tokens = 1000;
	int64_t *items = room(EXACT_D, 8);
	tlv_digest subspace = {{1}};

	for (size_t p = 0; p < width; p++)
		for (size_t j = 0; j < EXACT_K; j++)
			for (size_t i = 0; i < EXACT_D; i++)
				b[p][j] += x->basis[i * width + p] * x->scale[i] * x->phi[i * EXACT_K + j];
	for (size_t i = 0; i < EXACT_D; i++)
	{
		items[i] = 100 + 2 * (int64_t) i;
		totals[i] = tokens * x->p1[i];
	}
	for (size_t p = 0; p < width; p++)
		for (size_t j = 0; j < EXACT_K; j++)
		{
			mean[p] += tokens * moment1(x, j) * b[p][j];
			for (size_t q = 0; q <= p; q++)
				for (size_t l = 0; l < EXACT_K; l++)
				{
					pairs[tlv_packed2_index(p, q)] += tokens * moment2(x, j, l) * b[p][j] * b[q][l];
					for (size_t r = 0; r <= q; r++)
						for (size_t m = 0; m < EXACT_K; m++)
							triples[tlv_packed3_index(p, q, r)] +=
								tokens * moment3(x, j, l, m) * b[p][j] * b[q][l] * b[r][m];
				}
		}
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_COUNT_TRIPLES);
	tlv_frame_add_scalar(&builder, "documents", 100);
	tlv_frame_add_scalar(&builder, "skipped", 0);
	tlv_frame_add_scalar(&builder, "nulls", 0);
	tlv_frame_add_scalar(&builder, "tokens", tokens);
	tlv_frame_add_scalar(&builder, "squared_lengths", 10000);
	tlv_frame_add_scalar(&builder, "rank", (double) width);
	tlv_frame_add_scalar(&builder, "steps", 2);
	tlv_frame_add_scalar(&builder, "distinct", 0);
	tlv_frame_add_scalar(&builder, "seed", 1);
	tlv_frame_add_scalar(&builder, "minimum_documents", 0);
	tlv_frame_add_scalar(&builder, "trace", 1);
	tlv_frame_add(&builder, "subspace", TLV_BYTES, 1, TLV_DIGEST_SIZE, &subspace);
	tlv_frame_add(&builder, "items", TLV_INT64, EXACT_D, 1, items);
	tlv_frame_add(&builder, "scale", TLV_FLOAT64, EXACT_D, 1, x->scale);
	tlv_frame_add(&builder, "shares", TLV_FLOAT64, EXACT_D, 1, x->p1);
	tlv_frame_add(&builder, "totals", TLV_FLOAT64, EXACT_D, 1, totals);
	tlv_frame_add(&builder, "ritz", TLV_FLOAT64, width, 1, zeros);
	tlv_frame_add(&builder, "basis", TLV_FLOAT64, width, EXACT_D, x->basis);
	tlv_frame_add(&builder, "mean", TLV_FLOAT64, width, 1, mean);
	tlv_frame_add(&builder, "pairs", TLV_FLOAT64, tlv_packed2_size(width), 1, pairs);
	tlv_frame_add(&builder, "triples", TLV_FLOAT64, tlv_packed3_size(width), 1, triples);
	tlv_frame_add(&builder, "z_sum", TLV_FLOAT64, width, 1, zeros);
	tlv_frame_add(&builder, "z_squares", TLV_FLOAT64, width, 1, zeros);
	return MADE(tlv_frame_finish, &builder);
}

static corpus
truth_of(exact *x)
{
	return (corpus){.k = EXACT_K, .d = EXACT_D, .phi = x->phi, .alpha = x->alpha};
}

/* Without noise the topics come out exactly: in a basis of k directions and in a larger one. */
TEST(test_exact_moments)
{
	for (size_t width = EXACT_K; width <= EXACT_W; width++)
	{
		exact x = exact_model(width, false);
		corpus truth = truth_of(&x);
		tlv_frame triples = exact_moments(&x, width), model = fit(triples, EXACT_K, 1.4);
		errors e = compare(&truth, model);

		assert_below(e.worst, 1e-8);
		assert_below(e.alpha, 1e-6);
		assert_below(present_diagnostic(model, "residual"), 1e-6); /* a root of rounding */
		assert_below(present_diagnostic(model, "negative_mass_1"), 1e-9);
		/* weights and alpha agree, in decreasing order */
		for (size_t j = 0; j < EXACT_K; j++)
		{
			const double *alpha = tlv_frame_float64(&model, "alpha");

			assert_close(alpha[j], 1.4 * tlv_frame_float64(&model, "weights")[j], 1e-12);
			if (j != 0)
				assert_at_most(alpha[j], alpha[j - 1]);
		}
		/* the residual is zero at the true alpha0 only */
		model = fit(triples, EXACT_K, NAN);
		assert_close(tlv_frame_scalar(&model, "alpha0", 0), 1.4, 0.01);
		assert_above(present_diagnostic(fit(triples, EXACT_K, 5), "residual"), 0.01);
	}
}

TEST(test_exact_single_topic)
{
	exact x = exact_model(EXACT_K, true);
	corpus truth = truth_of(&x);
	tlv_frame model = fit(exact_moments(&x, EXACT_K), EXACT_K, 0);
	errors e;

	/* Its alpha are the mixing weights. */
	for (size_t j = 0; j < EXACT_K; j++)
		x.alpha[j] /= 1.4;
	e = compare(&truth, model);
	assert_below(e.worst, 1e-8);
	assert_below(e.alpha, 1e-6);
}

TEST(test_refusals)
{
	exact x = exact_model(EXACT_W, false);
	tlv_frame triples = exact_moments(&x, EXACT_W);
	tlv_lda_options options = {.k = EXACT_K + 1, .alpha0 = 1.4, .eta = 0.1};
	void *image;
	size_t size;

	/* more topics than there are: the user sees why, for given and for searched alpha0 */
	for (int searched = 0; searched < 2; searched++)
	{
		options.alpha0 = searched ? NAN : 1.4;
		assert_fails(tlv_lda_fit(&ctx, &triples, &options, &image, &size), TLV_NOT_IDENTIFIABLE,
					 "5 topics");
		assert_non_null(strstr(ctx.error.detail, "Eigenvalues of the second moment: "));
		assert_non_null(strstr(ctx.error.hint, "At most 4"));
	}
	options.k = EXACT_W + 1;
	options.alpha0 = 1;
	assert_int_equal(tlv_lda_fit(&ctx, &triples, &options, &image, &size), TLV_BAD_PARAMETER);
	options.k = 2;
	options.alpha0 = -1;
	assert_int_equal(tlv_lda_fit(&ctx, &triples, &options, &image, &size), TLV_BAD_PARAMETER);
	options.alpha0 = INFINITY;
	assert_int_equal(tlv_lda_fit(&ctx, &triples, &options, &image, &size), TLV_BAD_PARAMETER);
}

/* Moments of no document, for as many topics as they identify: when rows are gone, say. */
TEST(test_no_documents)
{
	corpus c = simulate(100, 30, 2, 20, 0.3, false);
	const tlv_frame of_all = moments(&c, 2);
	const tlv_lda_options options = {
		.k = 2, .fewer = true, .alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1};
	tlv_accumulator *triples;
	tlv_frame_builder *builder = room(1, sizeof(tlv_frame_builder));
	tlv_frame none;
	void *image;
	size_t size;

	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_count_triples.accumulator, &triples));
	assert_ok(triples->class->merge(&ctx, triples, &of_all));
	assert_ok(triples->class->build(&ctx, triples, builder));
	for (uint32_t i = 0; i < builder->sections; i++)
		if (strcmp(builder->table[i].name, "documents") == 0 ||
			strcmp(builder->table[i].name, "tokens") == 0 ||
			strcmp(builder->table[i].name, "squared_lengths") == 0)
			*(double *) (uintptr_t) builder->data[i] = 0;
	none = MADE(tlv_frame_finish, builder);
	assert_fails(tlv_lda_fit(&ctx, &none, &options, &image, &size), TLV_BAD_DATA,
				 "0 documents are too few");
}

/* A document of many items under topics of its own, from which nobody can be kept waiting. */
TEST(test_stop)
{
	const size_t k = 8, n = 40000;
	double *phi = room(k * n, sizeof(double)), *count = room(n, sizeof(double));
	int32_t *index = room(n, sizeof(int32_t));
	double weights[8], posterior[8], value;

	for (size_t i = 0; i < n; i++)
	{
		index[i] = (int32_t) i;
		count[i] = 1;
		for (size_t j = 0; j < k; j++)
			phi[i * k + j] = 1.0 / (double) n;
	}
	for (size_t j = 0; j < k; j++)
		weights[j] = 1.0 / (double) k;
	assert_ok(
		tlv_single_topic_posterior(&ctx, k, phi, weights, n, index, count, posterior, &value));
	assert_close(value, -(double) n * log((double) n), 1e-6);
	assert_cancelled_at(
		1, tlv_single_topic_posterior(&ctx, k, phi, weights, n, index, count, posterior, &value));
}

/* One topic: the corpus' own distribution, whatever alpha0. */
TEST(test_one_topic)
{
	corpus c = simulate(300, 50, 3, 30, 0.3, false);
	tlv_frame triples = moments(&c, 1);

	for (int i = 0; i < 3; i++)
	{
		tlv_frame model = fit(triples, 1, i == 2 ? NAN : i);
		double error = 0;

		for (size_t j = 0; j < tlv_frame_find(&model, "items")->rows; j++)
			error +=
				fabs(tlv_frame_float64(&model, "phi")[j] - tlv_frame_float64(&model, "shares")[j]);
		assert_below(error, 0.15);
		assert_close(tlv_frame_float64(&model, "weights")[0], 1, 1e-12);
	}
}

/* Documents of one topic each: topics, memberships, likelihood, one step of refinement. */
TEST(test_single_topic)
{
	corpus c = simulate(1500, 150, 5, 20, 1, true);
	tlv_frame model = fit(moments(&c, 5), 5, 0), refined;
	tlv_model *open;
	double shares[5], certain = 0, likelihood = 0, value, before;

	for (size_t j = 0; j < c.k; j++)
		c.alpha[j] = 0.2;
	before = compare(&c, model).mean;
	assert_below(before, 0.15);
	assert_below(compare(&c, model).alpha, 0.1);
	open = open_model(model);
	for (size_t t = 0; t < c.n; t++)
	{
		double sum = 0;

		assert_ok(infer_values(&ctx, open, TLV_AS_BAG(c.bags[t]), shares));
		for (size_t j = 0; j < 5; j++)
		{
			sum += shares[j];
			certain += shares[j] > 0.99;
		}
		assert_close(sum, 1, 1e-12);
		assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_BAG(c.bags[t]), &value));
		likelihood += value;
	}
	assert_above(certain, 0.95 * (double) c.n);
	refined = refine(&c, model, "gibbs"); /* an exact E step whatever the method */
	assert_below(compare(&c, refined).mean, before);
	assert_equal(tlv_frame_scalar(&refined, "alpha0", 1), 0);
	assert_below(
		fabs(log(present_diagnostic(refined, "perplexity_before_step_1")) * 20 * (double) c.n +
			 likelihood),
		1e-6 * -likelihood);
}

RUN_TESTS(setup, teardown)
