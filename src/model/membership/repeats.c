/*
 * repeats.c - variables that are equal or a key of the rows, and rows that are repeated
 * (internal.h).
 *
 * Latent classes are what makes variables depend on each other, so that a variable given twice, or
 * rows that a join has repeated, appear as classes.  Both are found in the rows themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/num/plural.h"

/* ---- variables ---- */

/* A number of a variable's values that renaming its categories does not change: categories count by
 * the order in which they first occur.  0: all values are equal or missing. */
static uint64_t
digest_of_values(const membership_rows *rows, size_t variable, uint32_t *rank)
{
	uint64_t digest = 1;
	uint32_t seen = 0;

	memset(rank, 0, ((size_t) rows->states[variable] + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < rows->n; i++)
		for (size_t s = variable * rows->copies; s < (variable + 1) * rows->copies; s++)
		{
			size_t code = rows->codes[i * rows->slots + s];

			if (code != 0 && rank[code] == 0)
				rank[code] = ++seen;
			digest = tlv_mix64(digest ^ (code == 0 ? 0 : rank[code]));
		}
	return seen > 1 ? digest : 0;
}

static tlv_status
warn_of_equal_variables(tlv_context *ctx, const membership_rows *rows, const tlv_names *names,
						tlv_diagnostics *to)
{
	size_t p = rows->p - rows->scalars, most = 0, equal = 0, first[2] = {0, 0};
	char shown[2][TLV_SHOWN_NAME];
	uint64_t *digests;
	uint32_t *rank;

	for (size_t j = 0; j < p; j++)
		most = (size_t) rows->states[j] > most ? (size_t) rows->states[j] : most;
	TLV_TRY_NEW(ctx, rank, most + 1);
	TLV_TRY_NEW(ctx, digests, p);
	for (size_t j = 0; j < p; j++)
	{
		size_t other = 0;

		TLV_TRY_CONTINUE(ctx);
		digests[j] = digest_of_values(rows, j, rank);
		while (other < j && (digests[j] == 0 || digests[other] != digests[j]))
			other++;
		if (other == j)
			continue;
		if (equal++ == 0)
			memcpy(first, (const size_t[]){other, j}, sizeof(first));
	}
	tlv_free(ctx, digests);
	tlv_free(ctx, rank);
	if (equal == 0)
		return TLV_OK;
	return tlv_warn(ctx, to,
					&(tlv_warning){.code = "equal_columns",
								   .score = (double) equal,
								   .hint =
									   "Omit the variables that repeat another one: they depend "
									   "on each other without any classes."},
					equal == 1 ? "variable %s repeats variable %s: each follows from the other"
							   : "variable %s repeats variable %s, and %zu more repeat others",
					tlv_names_show(names, first[1], shown[0]),
					tlv_names_show(names, first[0], shown[1]), equal - 1);
}

/* ---- rows ---- */

static int
ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* Pairs of equal numbers among n. */
static double
equal_pairs(size_t n, uint64_t *numbers)
{
	double pairs = 0;

	qsort(numbers, n, sizeof(uint64_t), ascending);
	for (size_t i = 0, first = 0; i < n; i++)
	{
		if (numbers[i] != numbers[first])
			first = i;
		pairs += (double) (i - first);
	}
	return pairs;
}

/* Do the first two variables identify the first n rows together, and neither of them alone?
 * numbers has memory for n; *known is the number of rows that have both. */
static bool
membership_is_key(const membership_rows *rows, size_t n, uint64_t *numbers, size_t *known)
{
	double pairs[3];

	for (int what = 0; what < 3; what++)
	{
		*known = 0;
		for (size_t i = 0; i < n; i++)
		{
			const uint16_t *codes = rows->codes + i * rows->slots;

			if (codes[0] != 0 && codes[1] != 0)
				numbers[(*known)++] =
					what < 2 ? codes[what] : codes[0] + ((uint64_t) codes[1] << 16);
		}
		pairs[what] = equal_pairs(*known, numbers);
	}
	return tlv_is_key((double) *known, pairs);
}

/* Such variables are the row and the variable of long rows, or another key of two columns.  Few
 * rows, which are sorted soon, tell of nearly all tables that they have none. */
static tlv_status
warn_of_long_rows(tlv_context *ctx, const membership_rows *rows, const tlv_names *names,
				  tlv_diagnostics *to)
{
	uint64_t *numbers;
	size_t n = 0;
	bool key;

	if (rows->p < 3 || rows->p - rows->scalars < 2 || rows->copies > 1)
		return TLV_OK;
	TLV_TRY_NEW(ctx, numbers, rows->n);
	key = membership_is_key(rows, tlv_least(rows->n, REPEATS_ROWS), numbers, &n) &&
		  (rows->n <= REPEATS_ROWS || membership_is_key(rows, rows->n, numbers, &n));
	tlv_free(ctx, numbers);
	if (!key)
		return TLV_OK;
	return tlv_warn_key(ctx, names, (double) n,
						"Omit them; or use layout => 'long' if the second is the name of a "
						"variable, and the rows are (row, variable, category, number).",
						to);
}

/* How many numbers are there once. */
static size_t
count_single(size_t n, uint64_t *digests)
{
	size_t single = 0;

	qsort(digests, n, sizeof(uint64_t), ascending);
	for (size_t i = 0; i < n; i++)
		single += (i == 0 || digests[i - 1] != digests[i]) &&
				  (i + 1 == n || digests[i + 1] != digests[i]);
	return single;
}

/* A category of variable j in class h; probabilities (categories x k) are the model's. */
static size_t
draw_category(const membership_rows *rows, size_t j, const membership_fit *fit, size_t k, size_t h,
			  tlv_rng *rng)
{
	double u = tlv_rng_uniform(rng);
	size_t c = rows->offset[j];

	while (c + 1 < rows->offset[j + 1] && (u -= fit->table[c * k + h]) > 0)
		c++;
	return c;
}

/* Row i as it is, and as the model would draw it with the same values missing. */
static void
digest_rows(const membership_rows *rows, size_t i, const membership_fit *fit, size_t k,
			tlv_rng *rng, uint64_t *own, uint64_t *drawn)
{
	double u = tlv_rng_uniform(rng);
	size_t h = 0;

	while (h + 1 < k && (u -= fit->weights[h]) > 0)
		h++;
	*own = *drawn = 1;
	for (size_t s = 0; s < rows->slots; s++)
	{
		size_t code = rows->codes[i * rows->slots + s], j = s / rows->copies;

		*own = tlv_mix64(*own ^ code);
		*drawn = tlv_mix64(
			*drawn ^
			(code == 0 ? 0 : 1 + draw_category(rows, j, fit, k, h, rng) - rows->offset[j]));
	}
}

static tlv_status
warn_of_repeated_rows(tlv_context *ctx, const membership_rows *rows, const membership_fit *fit,
					  size_t k, tlv_diagnostics *to)
{
	size_t n = tlv_least(rows->n, REPEATS_ROWS), there, expected;
	uint64_t *own, *drawn;
	tlv_rng rng;

	if (n < REPEATS_LEAST_ROWS || rows->scalars > 0)
		return TLV_OK;
	tlv_rng_seed(&rng, 1);
	TLV_TRY_NEW(ctx, own, n);
	TLV_TRY_NEW(ctx, drawn, n);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		digest_rows(rows, i, fit, k, &rng, &own[i], &drawn[i]);
	}
	there = count_single(n, own);
	expected = count_single(n, drawn);
	tlv_free(ctx, own);
	tlv_free(ctx, drawn);
	if ((double) expected < LEAST_SINGLE * (double) n ||
		(double) there >= FEWEST_SINGLE * (double) expected)
		return TLV_OK;
	return tlv_warn(
		ctx, to,
		&(tlv_warning){.code = "repeated_rows",
					   .score = (double) there / (double) n,
					   .hint = "Give each row once, for instance by SELECT DISTINCT ON "
							   "its key: repeated rows appear as classes."},
		"only %zu of %zu %s differ from all others, less than a fifth of what the model "
		"explains: rows are repeated",
		there, n, tlv_plural((double) n, "row", "rows"));
}

tlv_status
membership_diagnose_repeats(tlv_context *ctx, const membership_rows *rows,
							const membership_training *training, const tlv_names *names,
							tlv_diagnostics *to)
{
	TLV_TRY(warn_of_equal_variables(ctx, rows, names, to));
	TLV_TRY(warn_of_long_rows(ctx, rows, names, to));
	if (training->options.mixed)
		return TLV_OK;
	return warn_of_repeated_rows(ctx, rows, &training->fit, training->k, to);
}
