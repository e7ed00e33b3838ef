/*
 * tensor.c - third moments of different variables in the whitened directions, and the components
 * from them (internal.h).
 *
 * With y_s = W' b_s of every value s of a row, b_s its unit vector over the number of copies, all
 * triples of different values are
 *     S (x) S (x) S - Sym3[sum_s y_s (x) y_s (x) S] + 2 sum_s y_s (x) y_s (x) y_s,   S = sum_s y_s,
 * of which the last two terms are sums over categories.  The corrections by the mean, of mixed
 * membership, are of different values in the same way.  What is left out, triples of a value with
 * itself, is put in from the components that were found, and they are found again.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

typedef struct tensor_work
{
	const membership_moments *moments;
	const membership_basis *basis;
	size_t k;
	double *tensor;	  /* packed */
	double *complete; /* the same with the triples of equal values */
	double *mean;	  /* k: W' m */
	double *own;	  /* k x p: of every variable */
	double *square;	  /* k x k */
	double *other;	  /* k x k */
} tensor_work;

static tlv_status
tensor_begin(tlv_context *ctx, const membership_moments *moments, const membership_basis *basis,
			 tensor_work *work)
{
	size_t k = basis->k;

	memset(work, 0, sizeof(*work));
	work->moments = moments;
	work->basis = basis;
	work->k = k;
	TLV_TRY_NEW0(ctx, work->mean, k);
	TLV_TRY_NEW_ROWS(ctx, work->own, moments->p, k);
	TLV_TRY_NEW_ROWS(ctx, work->square, k, k);
	TLV_TRY_NEW_ROWS(ctx, work->other, k, k);
	return TLV_OK;
}

/* own = W_j' b_j of every variable, total their sum; of the columns of b one is taken. */
static void
membership_project(const tensor_work *work, const double *b, size_t columns, size_t column,
				   double *total)
{
	const membership_moments *moments = work->moments;
	size_t k = work->k;

	memset(total, 0, k * sizeof(double));
	memset(work->own, 0, moments->p * k * sizeof(double));
	for (size_t j = 0; j < moments->p; j++)
	{
		double *own = work->own + j * k;

		for (size_t v = moments->offset[j]; v < moments->offset[j + 1]; v++)
			for (size_t h = 0; h < k; h++)
				own[h] += b[v * columns + column] * work->basis->whiten[v * k + h];
		for (size_t h = 0; h < k; h++)
			total[h] += own[h];
	}
}

/* The values of rows, with y over how often the variable is present (k x categories). */
static tlv_status
membership_scaled_whitening(tlv_context *ctx, const tensor_work *work, double **scaled)
{
	const membership_moments *moments = work->moments;
	size_t k = work->k;

	TLV_TRY_NEW_ROWS(ctx, *scaled, moments->categories, k);
	for (size_t j = 0; j < moments->p; j++)
	{
		double factor =
			1 / (fmax(moments->present[j], MEMBERSHIP_LEAST_PRESENT) * (double) moments->copies);

		for (size_t i = moments->offset[j] * k; i < moments->offset[j + 1] * k; i++)
			(*scaled)[i] = factor * work->basis->whiten[i];
	}
	return TLV_OK;
}

/* sum (k) = that of the items' scaled values. */
static void
membership_sum_values(size_t k, size_t n, const int32_t *items, const double *scaled, double *sum)
{
	memset(sum, 0, k * sizeof(double));
	for (size_t s = 0; s < n; s++)
		for (size_t h = 0; h < k; h++)
			sum[h] += scaled[(size_t) items[s] * k + h];
}

/* P W over pairs of different values (k x categories). */
static tlv_status
membership_pairs_of_values(tlv_context *ctx, const tensor_work *work, double **found)
{
	const membership_moments *moments = work->moments;
	const double *whiten = work->basis->whiten;
	size_t k = work->k, d = moments->categories;
	double copies = (double) moments->copies, *g;

	TLV_TRY_NEW_ROWS(ctx, g, d, k);
	TLV_TRY(tlv_gemm(ctx, false, false, k, d, d, 1, whiten, k, moments->pairs, d, 0, g, k));
	for (size_t j = 0; j < moments->p && moments->own; j++)
	{
		size_t first = moments->offset[j], end = moments->offset[j + 1];

		for (size_t v = first; v < end; v++)
			for (size_t u = first; u < end; u++)
				for (size_t h = 0; h < k; h++)
					g[v * k + h] -= moments->pairs[u * d + v] * whiten[u * k + h] / copies;
	}
	*found = g;
	return TLV_OK;
}

/* tensor += c times the triples of values that are the same, of what was projected: of S (x) S (x)
 * S but not of different values. */
static void
add_same(tensor_work *work, double c, const double *total, double *tensor)
{
	size_t k = work->k, p = work->moments->p;
	double copies = (double) work->moments->copies;

	memset(work->square, 0, k * k * sizeof(double));
	for (size_t j = 0; j < p; j++)
	{
		const double *own = work->own + j * k;

		for (size_t a = 0; a < k; a++)
			for (size_t b = 0; b < k; b++)
				work->square[a * k + b] += own[a] * own[b] / copies;
		tlv_packed3_add_cube(k, -2 * c / (copies * copies), own, tensor);
	}
	tlv_packed3_add_product(k, c, work->square, total, tensor);
}

/* ---- triples ---- */

/* sums (k x categories): of S over the rows that have the category; count: of these. */
static tlv_status
add_cubes(tlv_context *ctx, tensor_work *work, const membership_rows *rows, const double *scaled,
		  double *sums, double *count)
{
	size_t k = work->k;
	double *block, *one, *cubes;

	TLV_TRY_NEW_ROWS(ctx, block, k + 1, TLV_BLOCK_ROWS);
	one = block + k * TLV_BLOCK_ROWS;
	TLV_TRY_NEW(ctx, cubes, tlv_tensor3_work(k, TLV_BLOCK_ROWS));
	for (size_t t = 0; t < TLV_BLOCK_ROWS; t++)
		one[t] = 1 / (double) rows->n;
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_items(rows, rows->codes, i, rows->items), at = i % TLV_BLOCK_ROWS;
		double *sum = block + at * k;

		if (at == 0)
			TLV_TRY_CONTINUE(ctx);
		membership_sum_values(k, n, rows->items, scaled, sum);
		for (size_t s = 0; s < n; s++)
		{
			double *own = sums + (size_t) rows->items[s] * k;

			count[rows->items[s]]++;
			for (size_t h = 0; h < k; h++)
				own[h] += sum[h];
		}
		if (at + 1 == TLV_BLOCK_ROWS || i + 1 == rows->n)
			tlv_packed3_add_cubes(k, at + 1, block, one, work->tensor, cubes);
	}
	tlv_free(ctx, cubes);
	tlv_free(ctx, block);
	return TLV_OK;
}

static tlv_status
tensor_add_rows(tlv_context *ctx, tensor_work *work, const membership_rows *rows)
{
	size_t k = work->k, categories = rows->categories;
	double *scaled, *sums, *count, n = (double) rows->n;

	TLV_TRY(membership_scaled_whitening(ctx, work, &scaled));
	TLV_TRY_NEW0_ROWS(ctx, sums, categories, k);
	TLV_TRY_NEW0(ctx, count, categories);
	TLV_TRY(add_cubes(ctx, work, rows, scaled, sums, count));
	for (size_t v = 0; v < categories; v++)
		for (size_t h = 0; h < k; h++)
			sums[v * k + h] = (-sums[v * k + h] + count[v] * 2.0 / 3 * scaled[v * k + h]) / n;
	TLV_TRY(tlv_packed3_add_squares(ctx, k, categories, scaled, sums, work->tensor));
	tlv_free(ctx, count);
	tlv_free(ctx, sums);
	tlv_free(ctx, scaled);
	return TLV_OK;
}

/* The tables of triples, each as shares. */
static tlv_status
normalize_triples(tlv_context *ctx, const tlv_category_tables *tables, tlv_category_tables *shares)
{
	size_t entries = tables->triple_row[tables->p];
	double *copy;

	TLV_TRY_NEW(ctx, copy, entries);
	memcpy(copy, tables->triples, entries * sizeof(double));
	*shares = *tables;
	shares->triples = copy;
	for (size_t a = 0; a < tables->p; a++)
		for (size_t b = a + 1; b < tables->p; b++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t c = b + 1; c < tables->p; c++)
			{
				double *triple = copy + (tlv_category_triple(tables, a, b, c) - tables->triples);
				size_t n = (size_t) (tables->states[a] * tables->states[b] * tables->states[c]);
				double sum = 0;

				for (size_t i = 0; i < n; i++)
					sum += triple[i];
				for (size_t i = 0; i < n && sum > 0; i++)
					triple[i] /= sum;
			}
		}
	return TLV_OK;
}

/* other += w_y (x) sum of P(x, y, z) w_z over c > b, for all y of b > a; x a state of a. */
static void
add_pairs_of(tensor_work *work, const tlv_category_tables *tables, size_t a, size_t x, size_t b,
			 double *sum)
{
	const membership_moments *moments = work->moments;
	const double *whiten = work->basis->whiten;
	size_t k = work->k, states_b = (size_t) tables->states[b];

	for (size_t y = 0; y < states_b; y++)
	{
		const double *w = whiten + (moments->offset[b / moments->copies] + y) * k;

		memset(sum, 0, k * sizeof(double));
		for (size_t c = b + 1; c < tables->p; c++)
		{
			size_t states = (size_t) tables->states[c];
			const double *triple =
				tlv_category_triple(tables, a, b, c) + (x * states_b + y) * states;
			const double *last = whiten + moments->offset[c / moments->copies] * k;

			for (size_t z = 0; z < states; z++)
				for (size_t h = 0; h < k && triple[z] != 0; h++)
					sum[h] += triple[z] * last[z * k + h];
		}
		for (size_t g = 0; g < k; g++)
			for (size_t h = 0; h < k; h++)
				work->other[g * k + h] += w[g] * sum[h];
	}
}

static tlv_status
tensor_add_tables(tlv_context *ctx, tensor_work *work, const tlv_category_tables *tables)
{
	const membership_moments *moments = work->moments;
	size_t k = work->k;
	double copies = (double) moments->copies, *sum;
	tlv_category_tables shares;

	TLV_TRY(normalize_triples(ctx, tables, &shares));
	TLV_TRY_NEW(ctx, sum, k);
	for (size_t a = 0; a < tables->p; a++)
		for (size_t x = 0; x < (size_t) tables->states[a]; x++)
		{
			size_t v = moments->offset[a / moments->copies] + x;

			memset(work->other, 0, k * k * sizeof(double));
			for (size_t b = a + 1; b < tables->p; b++)
			{
				TLV_TRY_CONTINUE(ctx);
				add_pairs_of(work, &shares, a, x, b, sum);
			}
			for (size_t g = 0; g < k; g++)
				for (size_t h = 0; h < k; h++)
					work->square[g * k + h] = work->other[g * k + h] + work->other[h * k + g];
			tlv_packed3_add_product(k, 1 / (copies * copies * copies), work->square,
									work->basis->whiten + v * k, work->tensor);
		}
	tlv_free(ctx, sum);
	tlv_free(ctx, (void *) shares.triples);
	return TLV_OK;
}

/* ---- what the mean adds, of mixed membership ---- */

/*
 * Pairs of different values with the mean of a third: with G = P W over different values, R_j =
 * sum over a variable's categories of w (x) G, and mu_j its mean, Sym3[sum_j R_j (x) (mu - mu_j of
 * either value)].
 */
static tlv_status
add_pairs_with_mean(tlv_context *ctx, tensor_work *work, double c)
{
	const membership_moments *moments = work->moments;
	const double *whiten = work->basis->whiten;
	size_t k = work->k;
	double copies = (double) moments->copies, *g;

	TLV_TRY(membership_pairs_of_values(ctx, work, &g));
	memset(work->other, 0, k * k * sizeof(double));
	for (size_t j = 0; j < moments->p; j++)
	{
		size_t first = moments->offset[j], states = (size_t) moments->states[j];

		memset(work->square, 0, k * k * sizeof(double));
		for (size_t v = first; v < first + states; v++)
			for (size_t a = 0; a < k; a++)
				for (size_t b = 0; b < k; b++)
					work->square[a * k + b] +=
						(whiten[v * k + a] * g[v * k + b] + whiten[v * k + b] * g[v * k + a]);
		for (size_t i = 0; i < k * k; i++)
			work->other[i] += work->square[i] / 2;
		tlv_packed3_add_product(k, -c / copies, work->square, work->own + j * k, work->tensor);
	}
	tlv_packed3_add_product(k, c, work->other, work->mean, work->tensor);
	tlv_free(ctx, g);
	return TLV_OK;
}

static tlv_status
add_means(tlv_context *ctx, tensor_work *work)
{
	double a = work->basis->alpha0, c = 2 * a * a / ((a + 1) * (a + 2));

	if (a == 0)
		return TLV_OK;
	membership_project(work, work->moments->mean, 1, 0, work->mean);
	TLV_TRY(add_pairs_with_mean(ctx, work, -a / (a + 2)));
	tlv_packed3_add_cube(work->k, c, work->mean, work->tensor);
	add_same(work, -c, work->mean, work->tensor);
	return TLV_OK;
}

/* ---- components ---- */

/* Probabilities and squared lengths of the components that the vectors are in the whitened
 * directions; length (k): what the square of a weight's root is. */
static void
read_components(const tensor_work *work, const double *vectors, double *length, membership_fit *fit)
{
	const membership_moments *moments = work->moments;
	const membership_basis *basis = work->basis;
	size_t k = work->k;
	double negative = 0, whole = 0;

	for (size_t h = 0; h < k; h++)
	{
		const double *vector = vectors + h * k;
		double sum = 0;

		for (size_t v = 0; v < moments->categories; v++)
		{
			double entry = 0;

			for (size_t g = 0; g < k; g++)
				entry += basis->vector[v * k + g] *
						 sqrt(fmax(basis->value[g], 1e-3 * basis->value[0])) * vector[g];
			fit->table[v * k + h] = entry / basis->scale[v];
		}
		for (size_t v = 0; v < moments->categories; v++)
			sum += fit->table[v * k + h];
		length[h] = sum / (double) moments->p;
		for (size_t v = 0; v < moments->categories; v++)
		{
			double *entry = &fit->table[v * k + h];

			*entry = length[h] != 0 ? *entry / length[h] : 0;
			negative += fmax(-*entry, 0);
			whole += fabs(*entry);
			*entry = fmax(*entry, TLV_EM_LEAST);
		}
		length[h] *= length[h];
	}
	fit->negative = whole > 0 ? negative / whole : 1;
}

static void
normalize_table(const membership_moments *moments, size_t k, double *table)
{
	for (size_t j = 0; j < moments->p; j++)
		for (size_t h = 0; h < k; h++)
		{
			double sum = 0;

			for (size_t v = moments->offset[j]; v < moments->offset[j + 1]; v++)
				sum += table[v * k + h];
			for (size_t v = moments->offset[j]; v < moments->offset[j + 1]; v++)
				table[v * k + h] /= sum;
		}
}

/* The tensor with the triples of equal values that the components have. */
static void
complete_tensor(tensor_work *work, const double *length, const membership_fit *fit, double *mean)
{
	double a = work->basis->alpha0, sum = 0;
	size_t k = work->k;

	memcpy(work->complete, work->tensor, tlv_packed3_size(k) * sizeof(double));
	for (size_t h = 0; h < k; h++)
		sum += length[h];
	for (size_t h = 0; h < k; h++)
	{
		double c = length[h] / sum * 2 / ((a + 1) * (a + 2));

		membership_project(work, fit->table, k, h, mean);
		add_same(work, c, mean, work->complete);
	}
}

tlv_status
membership_find_weights(tlv_context *ctx, const membership_moments *moments, double alpha0,
						membership_fit *fit)
{
	size_t k = fit->k, d = moments->categories;
	double *a, *b, residual, sum = 0, least = MEMBERSHIP_LEAST_WEIGHT / (double) k;

	TLV_TRY_NEW_ROWS(ctx, a, d, k + 1);
	b = a + d * k;
	for (size_t v = 0; v < d; v++)
	{
		double scale = 1 / sqrt(moments->mean[v] + 1e-4);

		b[v] = scale * moments->mean[v];
		for (size_t h = 0; h < k; h++)
			a[h * d + v] = scale * fit->table[v * k + h];
	}
	TLV_TRY(tlv_nnls(ctx, d, k, a, b, fit->weights, &residual));
	for (size_t h = 0; h < k; h++)
		sum += fit->weights[h] = fmax(fit->weights[h], least);
	for (size_t h = 0; h < k; h++)
		fit->weights[h] *= (alpha0 > 0 ? alpha0 : 1) / sum;
	tlv_free(ctx, a);
	return TLV_OK;
}

/* With many variables triples of equal ones are few beside the others, and dear. */
static int
completions(size_t p, size_t k)
{
	return (double) p * pow((double) k, 4) > MOST_EQUAL ? 0 : MEMBERSHIP_ROUNDS - 1;
}

static tlv_status
decompose_rounds(tlv_context *ctx, tensor_work *work, const tlv_decompose_options *options,
				 membership_fit *fit)
{
	size_t k = work->k;
	tlv_decompose_options own = *options;
	tlv_decomposition found = {.k = k};
	int rounds = 1 + completions(work->moments->p, k);
	double *length, *start;

	TLV_TRY_NEW_ROWS(ctx, length, k, 3);
	found.values = length + k;
	TLV_TRY_NEW_ROWS(ctx, found.vectors, k, k);
	TLV_TRY_NEW_ROWS(ctx, start, k, k);
	for (int round = 0; round < rounds; round++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_decompose(ctx, k, work->complete, &own, &found));
		read_components(work, found.vectors, length, fit);
		normalize_table(work->moments, k, fit->table);
		if (round + 1 == rounds)
			break;
		complete_tensor(work, length, fit, length + 2 * k);
		memcpy(start, found.vectors, k * k * sizeof(double));
		if (own.method == TLV_METHOD_JOINT)
			own.initial = start;
	}
	fit->residual = found.residual;
	tlv_free(ctx, start);
	tlv_free(ctx, found.vectors);
	tlv_free(ctx, length);
	return membership_find_weights(ctx, work->moments, work->basis->alpha0, fit);
}

static void
tensor_end(tlv_context *ctx, tensor_work *work)
{
	tlv_free(ctx, work->other);
	tlv_free(ctx, work->square);
	tlv_free(ctx, work->own);
	tlv_free(ctx, work->mean);
	tlv_free(ctx, work->complete);
	tlv_free(ctx, work->tensor);
}

/* The tensor, packed, and where it is completed. */
static tlv_status
form_tensor(tlv_context *ctx, tensor_work *work, const membership_triples *triples,
			const tlv_decompose_options *options)
{
	size_t size = tlv_packed3_size(work->k);

	TLV_TRY(tlv_require_memory(ctx, tlv_decompose_memory(work->k, options), "the triples"));
	TLV_TRY_NEW0(ctx, work->tensor, size);
	TLV_TRY(triples->rows != NULL ? tensor_add_rows(ctx, work, triples->rows)
								  : tensor_add_tables(ctx, work, triples->tables));
	TLV_TRY(add_means(ctx, work));
	TLV_TRY_NEW(ctx, work->complete, size);
	memcpy(work->complete, work->tensor, size * sizeof(double));
	return TLV_OK;
}

/* Has a row values of three variables? */
static bool
shows_triples(const membership_triples *triples)
{
	const membership_rows *rows = triples->rows;
	const tlv_category_tables *tables = triples->tables;
	size_t entries = rows == NULL ? tables->triple_row[tables->p] : 0;

	for (size_t e = 0; e < entries; e++)
		if (tables->triples[e] != 0)
			return true;
	for (size_t i = 0; rows != NULL && i < rows->n; i++)
	{
		size_t known = 0;

		for (size_t s = 0; s < rows->slots; s++)
			known += rows->codes[i * rows->slots + s] > 0;
		if (known >= 3)
			return true;
	}
	return false;
}

/* Without triples the tensor is nothing but rounding errors. */
static tlv_status
require_triples(tlv_context *ctx, const membership_triples *triples)
{
	if (shows_triples(triples))
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "no row has values of three variables");
	return tlv_fail_hint(ctx, "Use k = 1, or give rows with fewer missing values.");
}

tlv_status
membership_decompose(tlv_context *ctx, const membership_moments *moments,
					 const membership_basis *basis, const membership_triples *triples,
					 const tlv_decompose_options *options, membership_fit *fit)
{
	tensor_work work;

	TLV_TRY(require_triples(ctx, triples));
	fit->k = basis->k;
	TLV_TRY_NEW(ctx, fit->weights, basis->k);
	TLV_TRY_NEW_ROWS(ctx, fit->table, moments->categories, basis->k);
	TLV_TRY(tensor_begin(ctx, moments, basis, &work));
	TLV_TRY(form_tensor(ctx, &work, triples, options));
	TLV_TRY(decompose_rounds(ctx, &work, options, fit));
	tensor_end(ctx, &work);
	return TLV_OK;
}
