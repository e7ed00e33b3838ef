/*
 * test_decompose4.c - decomposition of fourth-order tensors of known
 * components: orthogonal with values of either sign, noisy, and not orthogonal.
 */
#include "malloc_setup.h"
#include "tensorlv/num/cumulant4.h"
#include "tensorlv/num/decompose.h"

typedef struct bed
{
	size_t k;
	double *packed;
	double *vectors; /* k x k, unit columns */
	double *values;
	tlv_decomposition found;
	double worst; /* largest error of a column */
} bed;

static size_t
packed_size(size_t k)
{
	return k * (k + 1) * (k + 2) / 6 * (k + 3) / 4;
}

/* packed = sum of values[l] v_l^4 + noise * normal */
static void
fill_tensor(bed *b, double noise, tlv_rng *rng)
{
	double *entry = b->packed;
	size_t k = b->k;

	for (size_t a = 0; a < k; a++)
		for (size_t c = 0; c <= a; c++)
			for (size_t e = 0; e <= c; e++)
				for (size_t f = 0; f <= e; f++, entry++)
				{
					*entry = noise * tlv_rng_normal(rng);
					for (size_t l = 0; l < k; l++)
					{
						const double *v = b->vectors + l * k;

						*entry += b->values[l] * v[a] * v[c] * v[e] * v[f];
					}
				}
}

/* Values of modulus low .. high, signs at random when mixed; skew > 0: not orthogonal. */
static bed
make_bed(size_t k, double low, double high, bool mixed, double skew, double noise, uint64_t seed)
{
	bed b = {.k = k};
	tlv_rng rng;
	size_t rank;

	tlv_rng_seed(&rng, seed);
	b.packed = numbers(packed_size(k));
	b.vectors = numbers(k * k);
	b.values = numbers(k);
	b.found.vectors = numbers(k * k);
	b.found.values = numbers(k);
	tlv_rng_fill_normal(&rng, k * k, b.vectors);
	assert_ok(tlv_orthonormalize(&ctx, k, k, b.vectors, &rng, &rank));
	for (size_t l = 0; l < k; l++)
	{
		double length = 0;

		b.values[l] = low + (high - low) * tlv_rng_uniform(&rng);
		if (mixed && tlv_rng_uniform(&rng) < 0.5)
			b.values[l] = -b.values[l];
		for (size_t i = 0; i < k; i++)
		{
			b.vectors[i + l * k] += skew * tlv_rng_normal(&rng);
			length += b.vectors[i + l * k] * b.vectors[i + l * k];
		}
		for (size_t i = 0; i < k; i++)
			b.vectors[i + l * k] /= sqrt(length);
	}
	fill_tensor(&b, noise, &rng);
	return b;
}

/* Every true column has a column found that is close, its value has the right sign. */
static void
match(bed *b)
{
	size_t k = b->k;

	b->worst = 0;
	for (size_t i = 0; i < k; i++)
	{
		double best = 0;
		size_t at = 0;

		for (size_t j = 0; j < k; j++)
		{
			double dot = 0;

			for (size_t l = 0; l < k; l++)
				dot += b->vectors[l + i * k] * b->found.vectors[l + j * k];
			if (fabs(dot) > best)
			{
				best = fabs(dot);
				at = j;
			}
		}
		b->worst = fmax(b->worst, sqrt(fmax(0, 2 - 2 * best)));
		if (best > 0.9)
			assert_above(b->found.values[at] * b->values[i], 0);
	}
}

static void
assert_conventions(const bed *b)
{
	size_t k = b->k;

	for (size_t l = 0; l < k; l++)
	{
		const double *v = b->found.vectors + l * k;
		double length = 0, largest = 0;

		for (size_t i = 0; i < k; i++)
		{
			length += v[i] * v[i];
			largest = fabs(v[i]) > fabs(largest) ? v[i] : largest;
		}
		assert_close(length, 1, 1e-9);
		assert_above(largest, 0);
		if (l > 0)
			assert_at_most(fabs(b->found.values[l]), fabs(b->found.values[l - 1]));
	}
}

TEST(test_joint_exact)
{
	static const size_t sizes[] = {1, 2, 3, 5, 10, 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (uint64_t seed = 1; seed <= 5; seed++)
		{
			bed b = make_bed(sizes[i], 0.5, 3, true, 0, 0, seed);
			tlv_decompose_options options = {.method = TLV_METHOD_JOINT};

			assert_ok(tlv_decompose4(&ctx, b.k, b.packed, &options, &b.found));
			match(&b);
			assert_conventions(&b);
			assert_below(b.worst, 1e-7);
			assert_true(b.found.converged);
			assert_below(b.found.residual, 1e-13);
		}
}

/* Scaling changes the values only, also where squares would overflow or vanish. */
TEST(test_scale)
{
	bed b = make_bed(6, 1, 2, true, 0, 0.01, 3);
	tlv_decompose_options options = {.method = TLV_METHOD_JOINT};
	double *vectors = numbers(36), *values = numbers(6);
	static const double factors[] = {1e-280, 1e280};

	assert_ok(tlv_decompose4(&ctx, 6, b.packed, &options, &b.found));
	memcpy(vectors, b.found.vectors, 36 * sizeof(double));
	memcpy(values, b.found.values, 6 * sizeof(double));
	for (int f = 0; f < 2; f++)
	{
		double *scaled = numbers(packed_size(6));

		for (size_t i = 0; i < packed_size(6); i++)
			scaled[i] = factors[f] * b.packed[i];
		assert_ok(tlv_decompose4(&ctx, 6, scaled, &options, &b.found));
		assert_all_close(36, b.found.vectors, vectors, 1e-8);
		for (size_t i = 0; i < 6; i++)
			assert_close(b.found.values[i] / factors[f] / values[i], 1, 1e-8);
	}
}

/* From another start the same optimum; the start may be the answer. */
TEST(test_initial)
{
	bed b = make_bed(8, 1, 2, true, 0, 0.01, 4);
	tlv_decompose_options options = {.method = TLV_METHOD_JOINT};
	double objective;

	assert_ok(tlv_decompose4(&ctx, 8, b.packed, &options, &b.found));
	objective = b.found.objective;
	options.initial = b.vectors;
	assert_ok(tlv_decompose4(&ctx, 8, b.packed, &options, &b.found));
	assert_close(b.found.objective / objective, 1, 1e-9);
	b.vectors[0] += 0.1;
	assert_int_equal(tlv_decompose4(&ctx, 8, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
}

/* Random orthogonal tensors of dimension 10: every seed converges (Huang 2016, section 2.4). */
TEST(test_sgd)
{
	for (int mixed = 0; mixed < 3; mixed++)
	{
		int converged = 0;

		for (uint64_t seed = 1; seed <= 10; seed++)
		{
			bed b = make_bed(10, 1, mixed == 2 ? 3 : 1, mixed > 0, 0, 0, 100 + seed);
			tlv_decompose_options options = {.method = TLV_METHOD_SGD, .seed = seed};

			assert_ok(tlv_decompose4(&ctx, 10, b.packed, &options, &b.found));
			match(&b);
			assert_conventions(&b);
			converged += b.worst < 1e-3 && b.found.residual * b.found.residual < 1e-5;
		}
		print_message("sgd, %s: %d of 10 seeds converged\n",
					  mixed == 0   ? "equal values"
					  : mixed == 1 ? "values of either sign"
								   : "values of either sign, modulus 1 to 3",
					  converged);
		assert_int_equal(converged, 10);
	}
}

/* Vectors that are not orthogonal: from the joint solution to the exact ones. */
TEST(test_cp)
{
	static const size_t sizes[] = {1, 2, 4, 8};
	double before = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (uint64_t seed = 1; seed <= 5; seed++)
		{
			bed b = make_bed(sizes[i], 1, 3, true, 0.12, 0, seed);
			tlv_decompose_options options = {.method = TLV_METHOD_JOINT, .steps = 0};
			double *start = numbers(b.k * b.k);

			assert_ok(tlv_decompose4(&ctx, b.k, b.packed, &options, &b.found));
			match(&b);
			before += b.worst;
			memcpy(start, b.found.vectors, b.k * b.k * sizeof(double));
			options.initial = start;
			options.steps = 2000;
			assert_ok(tlv_decompose4_cp(&ctx, b.k, b.packed, &options, &b.found));
			match(&b);
			assert_conventions(&b);

			assert_below(b.worst, 1e-5);
			assert_below(b.found.residual, 1e-5);
		}
	/* It was needed: the joint solution is wrong by far more. */
	assert_above(before / 20, 0.05);
}

/* T(W, W, W, W) of a tensor of known vectors is that of W'v. */
TEST(test_compress)
{
	bed b = make_bed(7, 1, 3, true, 0.3, 0, 9), c = make_bed(7, 1, 3, true, 0, 0, 10);
	double *out = numbers(packed_size(3)), *pairs = numbers(28 * 28), *back;
	const double *w = c.vectors; /* the first 3 columns */

	assert_ok(tlv_cumulant4_compress(&ctx, 7, 3, b.packed, w, out));
	for (size_t a = 0, i = 0; a < 3; a++)
		for (size_t d = 0; d <= a; d++)
			for (size_t e = 0; e <= d; e++)
				for (size_t f = 0; f <= e; f++, i++)
				{
					double sum = 0;

					for (size_t l = 0; l < 7; l++)
					{
						double y[3] = {0};

						for (size_t j = 0; j < 21; j++)
							y[j / 7] += w[j] * b.vectors[j % 7 + 7 * l];
						sum += b.values[l] * y[a] * y[d] * y[e] * y[f];
					}
					assert_close(out[i], sum, 1e-12);
				}
	back = numbers(packed_size(7));
	tlv_cumulant4_to_pairs(7, b.packed, 2, pairs);
	tlv_cumulant4_from_pairs(7, pairs, back);
	for (size_t i = 0; i < packed_size(7); i++)
		assert_equal(back[i], 2 * b.packed[i]);
}

TEST(test_norm)
{
	bed b = make_bed(5, 1, 3, true, 0.3, 0, 2);
	double *pairs = numbers(15 * 15), sum = 0;

	tlv_cumulant4_to_pairs(5, b.packed, 1, pairs);
	for (size_t a = 0; a < 5; a++)
		for (size_t c = 0; c < 5; c++)
			for (size_t e = 0; e < 5; e++)
				for (size_t f = 0; f < 5; f++)
				{
					double x = pairs[tlv_packed2_index(a, c) + 15 * tlv_packed2_index(e, f)];

					sum += x * x;
				}
	assert_close(tlv_cumulant4_norm(5, b.packed) / sqrt(sum), 1, 1e-12);
}

TEST(test_refusals)
{
	bed b = make_bed(3, 1, 2, true, 0, 0, 1);
	tlv_decompose_options options = {.method = TLV_METHOD_POWER};

	assert_int_equal(tlv_decompose4(&ctx, 3, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	options.method = TLV_METHOD_JOINT;
	assert_int_equal(tlv_decompose4(&ctx, 0, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	assert_int_equal(tlv_decompose4(&ctx, 101, b.packed, &options, &b.found), TLV_LIMIT);
	assert_int_equal(tlv_decompose4_cp(&ctx, 3, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	options.tolerance = NAN;
	assert_int_equal(tlv_decompose4(&ctx, 3, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	options.tolerance = 0;
	b.packed[4] = NAN;
	assert_int_equal(tlv_decompose4(&ctx, 3, b.packed, &options, &b.found), TLV_BAD_DATA);
	memset(b.packed, 0, packed_size(3) * sizeof(double));
	assert_int_equal(tlv_decompose4(&ctx, 3, b.packed, &options, &b.found), TLV_BAD_DATA);
	b.packed[0] = 1;
	assert_short_of_memory(1000, tlv_decompose4(&ctx, 3, b.packed, &options, &b.found));
}

/* What is announced covers what is used. */
TEST(test_memory)
{
	static const size_t sizes[] = {1, 2, 5, 12, 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int method = 0; method < 3; method++)
		{
			bed b = make_bed(sizes[i], 1, 2, true, 0, 0.1, 5);
			tlv_decompose_options options = {
				.method = method == 1 ? TLV_METHOD_SGD : TLV_METHOD_JOINT, .steps = 30};
			size_t used = ctx.arena.used;

			options.initial = method == 2 ? b.vectors : NULL;
			ctx.arena.peak = used;
			assert_ok((method == 2 ? tlv_decompose4_cp : tlv_decompose4)(&ctx, b.k, b.packed,
																		 &options, &b.found));
			assert_at_most((double) (ctx.arena.peak - used), tlv_decompose4_memory(b.k, &options));
		}
}

TEST(test_cancel)
{
	static const tlv_method methods[] = {TLV_METHOD_JOINT, TLV_METHOD_SGD};
	bed b = make_bed(12, 1, 2, true, 0, 0.3, 5);

	for (int m = 0; m < 2; m++)
		for (size_t look = 1; look <= 40; look += 13)
		{
			tlv_decompose_options options = {.method = methods[m]};

			assert_cancelled_at(look, tlv_decompose4(&ctx, 12, b.packed, &options, &b.found));
		}
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, drop_rooms)
