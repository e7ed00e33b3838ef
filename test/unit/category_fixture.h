/*
 * category_fixture.h - rows of categorical variables, their stored tables, and the same
 * tables by plain loops.
 */
#ifndef TENSORLV_TEST_CATEGORY_FIXTURE_H
#define TENSORLV_TEST_CATEGORY_FIXTURE_H

#define RNG_SEED 11
#include "pool_setup.h"
#include "tensorlv/model/categories.h"

/* ---- rows ---- */

typedef struct rows
{
	size_t n, p;
	int32_t *x; /* n x p */
} rows;

/* Variables with states[v] states, uneven and dependent; missing with the given probability, in
 * variables of an odd number only. */
static inline rows
draw_rows(size_t n, size_t p, const int *states, double missing)
{
	rows data = {n, p, tlv_alloc(&ctx, n * p, sizeof(int32_t))};

	for (size_t t = 0; t < n; t++)
	{
		double hidden = tlv_rng_uniform(&rng);

		for (size_t v = 0; v < p; v++)
		{
			double u = tlv_rng_uniform(&rng) < 0.5 ? hidden : tlv_rng_uniform(&rng);
			bool gone = v % 2 == 1 && tlv_rng_uniform(&rng) < missing;

			data.x[t * p + v] = gone ? -1 : (int32_t) (u * u * (double) states[v]);
		}
	}
	return data;
}

static inline tlv_accumulator *
new_moments(size_t replicates, uint64_t seed)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_category_moments_create(&ctx, replicates, seed, &accumulator));
	return accumulator;
}

static inline void
add_rows(tlv_accumulator *accumulator, const rows *data, size_t from, size_t to)
{
	for (size_t t = from; t < to; t++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(data->p, data->x + t * data->p)));
}

static inline tlv_frame
collect(const rows *data, size_t replicates, uint64_t seed)
{
	tlv_accumulator *accumulator = new_moments(replicates, seed);

	add_rows(accumulator, data, 0, data->n);
	return stored(accumulator);
}

static inline bool
same_bytes(const tlv_frame *a, const tlv_frame *b)
{
	return a->header->size == b->header->size &&
		   memcmp((const char *) a->header + 4, (const char *) b->header + 4,
				  a->header->size - 4) == 0;
}

static inline tlv_category_tables
opened(const tlv_frame *frame)
{
	tlv_category_tables tables;

	assert_ok(tlv_category_open(&ctx, frame, &tables));
	return tables;
}

/* ---- the same by plain loops ---- */

static inline void
check_singles(const rows *data, const tlv_category_tables *tables)
{
	for (size_t v = 0; v < data->p; v++)
	{
		int32_t most = -1;
		double count[100] = {0};

		for (size_t t = 0; t < data->n; t++)
		{
			int32_t x = data->x[t * data->p + v];

			most = x > most ? x : most;
			if (x >= 0)
				count[x]++;
		}
		assert_int_equal(tables->states[v], most + 1);
		for (int32_t s = 0; s <= most; s++)
			if (tables->singles[tables->offset[v] + (size_t) s] != count[s])
				fail_msg("variable %zu, state %d", v, s);
	}
}

static inline void
check_pair(const rows *data, const tlv_category_tables *tables, size_t a, size_t b)
{
	size_t da = (size_t) tables->states[a], db = (size_t) tables->states[b];
	const double *table = tlv_category_pair(tables, a, b);
	double *expected = tlv_alloc0(&ctx, da * db, sizeof(double));

	for (size_t t = 0; t < data->n; t++)
	{
		int32_t x = data->x[t * data->p + a], y = data->x[t * data->p + b];

		if (x >= 0 && y >= 0)
			expected[(size_t) x * db + (size_t) y]++;
	}
	for (size_t i = 0; i < da * db; i++)
		if (table[i] != expected[i])
			fail_msg("pair %zu, %zu: %g instead of %g in cell %zu, %zu", a, b, table[i],
					 expected[i], i / db, i % db);
	tlv_free(&ctx, expected);
}

static inline void
check_triple(const rows *data, const tlv_category_tables *tables, size_t a, size_t b, size_t c)
{
	size_t da = (size_t) tables->states[a], db = (size_t) tables->states[b];
	size_t dc = (size_t) tables->states[c];
	const double *table = tlv_category_triple(tables, a, b, c);
	double *expected = tlv_alloc0(&ctx, da * db * dc, sizeof(double));

	for (size_t t = 0; t < data->n; t++)
	{
		const int32_t *x = data->x + t * data->p;

		if (x[a] >= 0 && x[b] >= 0 && x[c] >= 0)
			expected[((size_t) x[a] * db + (size_t) x[b]) * dc + (size_t) x[c]]++;
	}
	for (size_t i = 0; i < da * db * dc; i++)
		if (table[i] != expected[i])
			fail_msg("triple %zu, %zu, %zu: %g instead of %g in cell %zu", a, b, c, table[i],
					 expected[i], i);
	tlv_free(&ctx, expected);
}

static inline void
check_all(const rows *data, const tlv_frame *frame)
{
	tlv_category_tables tables = opened(frame);
	size_t entries = 0, empty = 0;

	for (size_t t = 0; t < data->n; t++)
		empty += tlv_codes_missing(data->p, data->x + t * data->p);
	assert_int_equal(tables.p, data->p);
	assert_equal(tables.rows, (double) (data->n - empty));
	check_singles(data, &tables);
	for (size_t a = 0; a < data->p; a++)
		for (size_t b = a + 1; b < data->p; b++)
		{
			entries += (size_t) (tables.states[a] * tables.states[b]);
			check_pair(data, &tables, a, b);
			for (size_t c = b + 1; c < data->p && tables.triples != NULL; c++)
				check_triple(data, &tables, a, b, c);
		}
	assert_int_equal(tables.pair_entries, entries);
	tlv_category_close(&ctx, &tables);
}

#endif /* TENSORLV_TEST_CATEGORY_FIXTURE_H */
