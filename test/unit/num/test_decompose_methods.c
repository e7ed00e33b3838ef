/*
 * test_decompose_methods.c - which method finds the components of which tensors: a table of
 * successes by the number of components, noise, spread of the values and angles of the vectors.
 * TLV_SHOW prints all of it, which takes a minute; docs/explanation/tensors.md shows it.
 */
#include "malloc_setup.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/tensor3.h"

#define METHODS 11
#define CP		METHODS /* the last column */

/* A tensor of k vectors of dimension n: values from 1 to `spread`, vectors orthonormal, or (tilt)
 * drawn together, with Gaussian noise of so much of the mean value in operator norm, about. */
typedef struct tensors
{
	const char *what;
	size_t n, k;
	double spread, tilt, noise;
} tensors;

static const tensors beds[] = {
	{"k 10, values 1 to 3, noise .02", 10, 10, 3, 0, .02},
	{"k 10, values 1 to 3, noise .3", 10, 10, 3, 0, .3},
	{"k 10, equal values, noise .02", 10, 10, 1, 0, .02},
	{"k 10, values 1 to 30, noise .02", 10, 10, 30, 0, .02},
	{"k 30, values 1 to 3, noise .02", 30, 30, 3, 0, .02},
	{"k 30, values 1 to 3, noise .3", 30, 30, 3, 0, .3},
	{"k 10, oblique (.3), exact", 10, 10, 3, .3, 0},
	{"k 10, oblique (.3), noise .02", 10, 10, 3, .3, .02},
	{"k 10, oblique (1), exact", 10, 10, 3, 1, 0},
	{"k 14 of 10, exact", 10, 14, 3, 9, 0},
	{"k 20 of 10, exact", 10, 20, 3, 9, 0},
	{"k 14 of 10, noise .02", 10, 14, 3, 9, .02},
};
#define BEDS (sizeof(beds) / sizeof(beds[0]))

static void
draw_vectors(const tensors *bed, tlv_rng *rng, double *vectors)
{
	size_t n = bed->n, k = bed->k, rank;
	double *common = room(n, sizeof(double));

	tlv_rng_fill_normal(rng, n * k, vectors);
	tlv_rng_fill_normal(rng, n, common);
	if (bed->k <= bed->n)
		assert_ok(tlv_orthonormalize(&ctx, k, n, vectors, rng, &rank));
	for (size_t h = 0; h < k; h++)
	{
		double square = 0;

		/* one behind the other: vectors[i + n h]; a square orthonormal matrix has both */
		for (size_t i = 0; i < n && k <= n; i++)
			vectors[i + n * h] += bed->tilt * common[i] / sqrt((double) n);
		for (size_t i = 0; i < n; i++)
			square += vectors[i + n * h] * vectors[i + n * h];
		for (size_t i = 0; i < n; i++)
			vectors[i + n * h] /= sqrt(square);
	}
}

static double *
draw(const tensors *bed, uint64_t seed, double *vectors)
{
	size_t size = tlv_packed3_size(bed->n), at = 0;
	double *packed = room(size, sizeof(double));
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	draw_vectors(bed, &rng, vectors);
	for (size_t h = 0; h < bed->k; h++)
	{
		double value = bed->k == 1 ? 1 : pow(bed->spread, (double) h / (double) (bed->k - 1));

		tlv_packed3_add_cube(bed->n, value, vectors + bed->n * h, packed);
	}
	/* a symmetric Gaussian tensor of unit entries has an operator norm of about sqrt(6 n) / 2 */
	for (size_t a = 0; a < bed->n; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++, at++)
			{
				double copies = a == b && b == c ? 1 : a == b || b == c ? 3 : 6;

				packed[at] +=
					2 * bed->noise / sqrt((double) bed->n * copies) * tlv_rng_normal(&rng);
			}
	return packed;
}

/* How many of the vectors have one of those found within an angle of .3. */
static size_t
count_found(const tensors *bed, const double *vectors, size_t k, const double *found)
{
	size_t n = 0;

	for (size_t h = 0; h < bed->k; h++)
	{
		double best = -1;

		for (size_t j = 0; j < k; j++)
		{
			double along = 0;

			for (size_t i = 0; i < bed->n; i++)
				along += vectors[i + bed->n * h] * found[i + bed->n * j];
			best = fmax(best, along);
		}
		n += best > cos(.3);
	}
	return n;
}

/* The share of components found by a method, over some tensors, in percent. */
static double
success(const tensors *bed, int method)
{
	const uint64_t seeds = getenv("TLV_SHOW") != NULL ? 4 : 2;
	size_t found = 0, k = bed->k;
	double *vectors = room(2 * bed->n * (k + bed->n), sizeof(double));
	double *own = vectors + bed->n * (k + bed->n), *values, residual;

	values = room(k + bed->n, sizeof(double));
	for (uint64_t seed = 1; seed <= seeds; seed++)
	{
		double *packed = draw(bed, seed, vectors);
		tlv_decompose_options options = {.method = (tlv_method) method,
										 .seed = seed + 50,
										 .restarts =
											 method == CP && getenv("TLV_SHOW") == NULL ? 10 : 0};
		tlv_decomposition out = {.values = values, .vectors = own};

		if (method == CP)
			assert_ok(tlv_decompose_cp(&ctx, bed->n, packed, k, &options, values, own, &residual));
		else
			assert_ok(tlv_decompose(&ctx, bed->n, packed, &options, &out));
		found += count_found(bed, vectors, method == CP ? k : bed->n, own);
	}
	return 100 * (double) found / ((double) seeds * (double) k);
}

static void
show_table(void)
{
	print_message("| components found, of 100");
	for (int m = 0; m < METHODS; m++)
		print_message(" | %s", tlv_method_name((tlv_method) m));
	print_message(" | cp |\n|---|");
	for (int m = 0; m <= METHODS; m++)
		print_message("---|");
	print_message("\n");
	for (size_t i = 0; i < BEDS; i++)
	{
		print_message("| %s", beds[i].what);
		for (int m = 0; m <= METHODS; m++)
			print_message(" | %.0f", success(&beds[i], m));
		print_message(" |\n");
	}
}

ACCURACY_TEST(test_table)
{
	if (getenv("TLV_SHOW") != NULL)
		show_table();
	/* the default loses none where vectors are orthogonal, whatever the values */
	for (size_t i = 0; i < 5; i++)
		assert_equal(success(&beds[i], TLV_METHOD_JOINT), 100);
	/* equal values leave the flattening nothing to go by */
	assert_at_most(success(&beds[2], TLV_METHOD_FLATTENING), 20);
	assert_equal(success(&beds[0], TLV_METHOD_SIMULTANEOUS), 100);
	assert_equal(success(&beds[0], TLV_METHOD_ADAPTIVE), 100);
	/* sketches are enough where values are of one size and noise is little */
	assert_equal(success(&beds[0], TLV_METHOD_SKETCH), 100);
	assert_equal(success(&beds[4], TLV_METHOD_SKETCH), 100);
	assert_at_most(success(&beds[3], TLV_METHOD_SKETCH), 90);
	/* vectors that are not orthogonal are for the quotient, where nothing disturbs it, and for cp
	 */
	assert_equal(success(&beds[6], TLV_METHOD_JENNRICH), 100);
	assert_equal(success(&beds[6], CP), 100);
	assert_equal(success(&beds[7], CP), 100);
	assert_at_most(success(&beds[8], TLV_METHOD_JOINT), 60);
	assert_equal(success(&beds[8], CP), 100);
	assert_equal(success(&beds[9], CP), 100);
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, drop_rooms)
