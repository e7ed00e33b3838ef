/*
 * implicit.c - products with the whitened third moment of rows, which is not formed (tensor.h): for
 * many components of few rows, or little memory.
 *
 * The tensor of tensor.c is the mean of the rows' cubes S (x) S (x) S and a sum of terms
 * Sym3[w (x) w (x) r], of the categories, and of mixed membership of the means; so
 *     T(I, v, v) = mean_i S_i (S_i v)^2 + sum [ r (w v)^2 + 2 w (w v) (r v) ].
 * The rows are gone through in every step, S is made anew of a block of them; what is kept is the
 * terms, k numbers for each category.
 */
#include <math.h>
#include <string.h>

#include "tensor.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"

struct membership_implicit
{
	const membership_rows *rows;
	size_t k, room;
	size_t n;		/* terms */
	size_t lasting; /* of these, those without the components */
	double *scaled; /* k x categories */
	double *w, *r;	/* k x room */
	double *block;	/* k x MEMBERSHIP_BLOCK each */
	double *along, *across;
	double *gram; /* MEMBERSHIP_BLOCK squared, four of them; NULL: not now */
};

/* ---- which form ---- */

static size_t
count_terms(const tensor_work *work, bool completed)
{
	const membership_moments *moments = work->moments;
	size_t n = moments->categories;

	if (work->basis->alpha0 > 0)
		n += 2 * moments->categories + moments->p + 1;
	return n + (completed ? work->k * moments->p : 0);
}

static double
implicit_memory(const tensor_work *work, const tlv_decompose_options *options, bool completed)
{
	double terms = (double) count_terms(work, completed), block = MEMBERSHIP_BLOCK;
	double categories = (double) work->moments->categories, k = (double) work->k;

	return 8 * (k * (2 * categories + 2 * terms + 3 * block) + 4 * block * block) +
		   tlv_decompose_implicit_memory(work->k, options);
}

static double
membership_tensor_memory(size_t k, const tlv_decompose_options *options)
{
	return 2 * sizeof(double) * (double) tlv_packed3_size(k) + tlv_decompose_memory(k, options);
}

/* Operations of a step of either form. */
static bool
is_quicker(const tensor_work *work, double rows, double slots, bool completed)
{
	/* An operation takes so much longer here than in steps with the tensor, as measured with 52 to
	 * 200 components. */
	const double dearer = 1.7;
	double k = (double) work->k, terms = (double) count_terms(work, completed);

	return dearer * (rows * k * (4 * k + 2 * slots) + 8 * terms * k * k) < pow(k, 4);
}

bool
membership_implicit_pays(const tlv_context *ctx, const tensor_work *work,
						 const membership_triples *triples, const tlv_decompose_options *options,
						 bool completed)
{
	/* The tensor is formed for fewer components, whatever the rest says. */
	const int fewest = 51;
	double left = (double) ctx->arena.limit - (double) ctx->arena.used;

	if (triples->rows == NULL || options->method != TLV_METHOD_JOINT || work->k < fewest)
		return false;
	if (implicit_memory(work, options, completed) > left)
		return false;
	return membership_tensor_memory(work->k, options) > left ||
		   is_quicker(work, (double) triples->rows->n, (double) triples->rows->slots, completed);
}

/* ---- terms ---- */

/* r += c x */
static void
add_scaled(size_t k, double c, const double *x, double *r)
{
	for (size_t h = 0; h < k; h++)
		r[h] += c * x[h];
}

/* Sym3[w (x) w (x) r], r (k) set to 0 for the caller to add to. */
static double *
new_term(membership_implicit *own, const double *w)
{
	double *r = own->r + own->n * own->k;

	tlv_assert(own->n < own->room);
	memcpy(own->w + own->n * own->k, w, own->k * sizeof(double));
	memset(r, 0, own->k * sizeof(double));
	own->n++;
	return r;
}

void
membership_implicit_add_same(const tensor_work *work, double c, const double *total)
{
	double copies = (double) work->moments->copies;
	size_t k = work->k;

	for (size_t j = 0; j < work->moments->p; j++)
	{
		double *r = new_term(work->implicit, work->own + j * k);

		add_scaled(k, c / copies, total, r);
		add_scaled(k, -2 * c / (3 * copies * copies), work->own + j * k, r);
	}
}

void
membership_implicit_forget(membership_implicit *implicit)
{
	implicit->n = implicit->lasting;
}

/* Of values that are in a row twice: r = 2/3 of the value itself, as often, less S. */
static tlv_status
add_repeats(tlv_context *ctx, membership_implicit *own)
{
	const membership_rows *rows = own->rows;
	size_t k = own->k;
	double each = 1 / (double) rows->n, *sum = own->along;

	for (size_t v = 0; v < rows->categories; v++)
		(void) new_term(own, own->scaled + v * k);
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_items(rows, rows->codes, i, rows->items);

		if (i % MEMBERSHIP_BLOCK == 0)
			TLV_TRY_CONTINUE(ctx);
		membership_sum_values(k, n, rows->items, own->scaled, sum);
		for (size_t s = 0; s < n; s++)
		{
			size_t v = (size_t) rows->items[s];

			add_scaled(k, -each, sum, own->r + v * k);
			add_scaled(k, each * 2 / 3, own->scaled + v * k, own->r + v * k);
		}
	}
	return TLV_OK;
}

/*
 * Pairs of different values with the mean of a third: Sym3[(w (x) g + g (x) w) (x) q] of every
 * category, g of the pairs, q of the means; as the squares of w + g less those of w - g.
 */
static tlv_status
membership_add_pairs(tlv_context *ctx, const tensor_work *work, double c)
{
	const membership_moments *moments = work->moments;
	membership_implicit *own = work->implicit;
	double copies = (double) moments->copies, *g;
	size_t k = work->k;

	TLV_TRY(membership_pairs_of_values(ctx, work, &g));
	for (size_t j = 0; j < moments->p; j++)
		for (size_t v = moments->offset[j]; v < moments->offset[j + 1]; v++)
			for (int sign = 1; sign >= -1; sign -= 2)
			{
				double *r;

				memcpy(own->along, work->basis->whiten + v * k, k * sizeof(double));
				add_scaled(k, sign, g + v * k, own->along);
				r = new_term(own, own->along);
				add_scaled(k, sign * c / 4, work->mean, r);
				add_scaled(k, -sign * c / (2 * copies), work->own + j * k, r);
			}
	tlv_free(ctx, g);
	return TLV_OK;
}

static tlv_status
add_terms(tlv_context *ctx, tensor_work *work)
{
	double a = work->basis->alpha0, c = 2 * a * a / ((a + 1) * (a + 2));

	TLV_TRY(add_repeats(ctx, work->implicit));
	if (a > 0)
	{
		membership_project(work, work->moments->mean, 1, 0, work->mean);
		TLV_TRY(membership_add_pairs(ctx, work, -a / (a + 2)));
		add_scaled(work->k, c / 3, work->mean, new_term(work->implicit, work->mean));
		membership_implicit_add_same(work, -c, work->mean);
	}
	work->implicit->lasting = work->implicit->n;
	return TLV_OK;
}

tlv_status
membership_implicit_create(tlv_context *ctx, tensor_work *work, const membership_rows *rows,
						   bool completed)
{
	membership_implicit *own;
	size_t k = work->k;

	TLV_TRY_NEW0(ctx, own, 1);
	work->implicit = own;
	own->rows = rows;
	own->k = k;
	own->room = count_terms(work, completed);
	TLV_TRY(membership_scaled_whitening(ctx, work, &own->scaled));
	TLV_TRY_NEW_ROWS(ctx, own->w, own->room, k);
	TLV_TRY_NEW_ROWS(ctx, own->r, own->room, k);
	TLV_TRY_NEW_ROWS(ctx, own->block, MEMBERSHIP_BLOCK, k);
	TLV_TRY_NEW_ROWS(ctx, own->along, MEMBERSHIP_BLOCK, k);
	TLV_TRY_NEW_ROWS(ctx, own->across, MEMBERSHIP_BLOCK, k);
	return add_terms(ctx, work);
}

void
membership_implicit_free(tlv_context *ctx, membership_implicit *implicit)
{
	if (implicit == NULL)
		return;
	tlv_free(ctx, implicit->across);
	tlv_free(ctx, implicit->along);
	tlv_free(ctx, implicit->block);
	tlv_free(ctx, implicit->r);
	tlv_free(ctx, implicit->w);
	tlv_free(ctx, implicit->scaled);
	tlv_free(ctx, implicit);
}

/* ---- products ---- */

/* S of so many rows from the first on (k x n). */
static void
sum_rows(const membership_implicit *own, size_t first, size_t n, double *block)
{
	const membership_rows *rows = own->rows;

	for (size_t t = 0; t < n; t++)
	{
		size_t items = membership_row_items(rows, rows->codes, first + t, rows->items);

		membership_sum_values(own->k, items, rows->items, own->scaled, block + t * own->k);
	}
}

static tlv_status
apply_rows(tlv_context *ctx, const membership_implicit *own, const double *x, double *out)
{
	size_t k = own->k, rows = own->rows->n;

	for (size_t first = 0; first < rows; first += MEMBERSHIP_BLOCK)
	{
		size_t n = tlv_least(rows - first, MEMBERSHIP_BLOCK);

		TLV_TRY_CONTINUE(ctx);
		sum_rows(own, first, n, own->block);
		TLV_TRY(tlv_gemm(ctx, false, false, k, n, k, 1, x, k, own->block, k, 0, own->along, k));
		for (size_t i = 0; i < n * k; i++)
			own->along[i] *= own->along[i] / (double) rows;
		TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1, own->along, k, own->block, k, 1, out, k));
	}
	return TLV_OK;
}

static tlv_status
apply_terms(tlv_context *ctx, const membership_implicit *own, const double *x, double *out)
{
	size_t k = own->k;

	for (size_t first = 0; first < own->n; first += MEMBERSHIP_BLOCK)
	{
		size_t n = tlv_least(own->n - first, MEMBERSHIP_BLOCK);
		const double *w = own->w + first * k, *r = own->r + first * k;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_gemm(ctx, false, false, k, n, k, 1, x, k, w, k, 0, own->along, k));
		TLV_TRY(tlv_gemm(ctx, false, false, k, n, k, 1, x, k, r, k, 0, own->across, k));
		for (size_t i = 0; i < n * k; i++)
		{
			own->across[i] *= 2 * own->along[i];
			own->along[i] *= own->along[i];
		}
		TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1, own->along, k, r, k, 1, out, k));
		TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1, own->across, k, w, k, 1, out, k));
	}
	return TLV_OK;
}

static tlv_status
apply_tensor(tlv_context *ctx, void *argument, const double *x, double *out)
{
	const membership_implicit *own = argument;

	memset(out, 0, own->k * own->k * sizeof(double));
	TLV_TRY(apply_rows(ctx, own, x, out));
	return apply_terms(ctx, own, x, out);
}

/* ---- the norm ---- */

/* Products of the columns of two blocks (k x m and k x n), m x n. */
static tlv_status
multiply_blocks(tlv_context *ctx, const membership_implicit *own, size_t m, const double *a,
				size_t n, const double *b, double *gram)
{
	return tlv_gemm(ctx, true, false, m, n, own->k, 1, a, own->k, b, own->k, 0, gram,
					MEMBERSHIP_BLOCK);
}

/* Of the cubes of two blocks of rows: cubes of their products. */
static tlv_status
add_row_products(tlv_context *ctx, const membership_implicit *own, size_t m, const double *a,
				 size_t n, const double *b, double *sum)
{
	TLV_TRY(multiply_blocks(ctx, own, m, a, n, b, own->gram));
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < m; i++)
		{
			double product = own->gram[j * MEMBERSHIP_BLOCK + i];

			*sum += product * product * product;
		}
	return TLV_OK;
}

/* <T, the terms of a block>, of terms t of the tensor: 3 (w u)^2 (r q) + 6 (w u) (w q) (r u). */
static tlv_status
add_term_products(tlv_context *ctx, const membership_implicit *own, size_t m, size_t a, size_t n,
				  size_t b, double *sum)
{
	size_t k = own->k, size = MEMBERSHIP_BLOCK * MEMBERSHIP_BLOCK;
	const double *w = own->w + a * k, *r = own->r + a * k, *u = own->w + b * k, *q = own->r + b * k;
	double *wu = own->gram, *rq = wu + size, *wq = rq + size, *ru = wq + size;

	TLV_TRY(multiply_blocks(ctx, own, m, w, n, u, wu));
	TLV_TRY(multiply_blocks(ctx, own, m, r, n, q, rq));
	TLV_TRY(multiply_blocks(ctx, own, m, w, n, q, wq));
	TLV_TRY(multiply_blocks(ctx, own, m, r, n, u, ru));
	for (size_t j = 0; j < n; j++)
		for (size_t i = j * MEMBERSHIP_BLOCK; i < j * MEMBERSHIP_BLOCK + m; i++)
			*sum += wu[i] * (3 * wu[i] * rq[i] + 6 * wq[i] * ru[i]);
	return TLV_OK;
}

/* Sums over the pairs of rows, over n squared. */
static tlv_status
square_rows(tlv_context *ctx, membership_implicit *own, double *square)
{
	size_t rows = own->rows->n, block = MEMBERSHIP_BLOCK;
	double weight = pow((double) rows, -2);

	for (size_t a = 0; a < rows; a += block)
	{
		size_t m = tlv_least(rows - a, block);
		double same = 0, others = 0;

		sum_rows(own, a, m, own->block);
		TLV_TRY(add_row_products(ctx, own, m, own->block, m, own->block, &same));
		for (size_t b = a + block; b < rows; b += block)
		{
			size_t n = tlv_least(rows - b, block);

			TLV_TRY_CONTINUE(ctx);
			sum_rows(own, b, n, own->along);
			TLV_TRY(add_row_products(ctx, own, m, own->block, n, own->along, &others));
		}
		*square += weight * (same + 2 * others);
	}
	return TLV_OK;
}

/* Twice the products of rows and terms, 3 (S w)^2 (S r). */
static tlv_status
square_rows_and_terms(tlv_context *ctx, membership_implicit *own, double *square)
{
	size_t rows = own->rows->n, block = MEMBERSHIP_BLOCK;
	double *sw = own->gram, *sr = sw + block * block;

	for (size_t a = 0; a < rows; a += block)
	{
		size_t m = tlv_least(rows - a, block);

		sum_rows(own, a, m, own->block);
		for (size_t b = 0; b < own->n; b += block)
		{
			size_t n = tlv_least(own->n - b, block);

			TLV_TRY_CONTINUE(ctx);
			TLV_TRY(multiply_blocks(ctx, own, m, own->block, n, own->w + b * own->k, sw));
			TLV_TRY(multiply_blocks(ctx, own, m, own->block, n, own->r + b * own->k, sr));
			for (size_t j = 0; j < n; j++)
				for (size_t i = j * block; i < j * block + m; i++)
					*square += 6 * sw[i] * sw[i] * sr[i] / (double) rows;
		}
	}
	return TLV_OK;
}

static tlv_status
square_terms(tlv_context *ctx, membership_implicit *own, double *square)
{
	size_t block = MEMBERSHIP_BLOCK;

	for (size_t a = 0; a < own->n; a += block)
	{
		size_t m = tlv_least(own->n - a, block);
		double same = 0, others = 0;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(add_term_products(ctx, own, m, a, m, a, &same));
		for (size_t b = a + block; b < own->n; b += block)
			TLV_TRY(add_term_products(ctx, own, m, a, tlv_least(own->n - b, block), b, &others));
		*square += same + 2 * others;
	}
	return TLV_OK;
}

/* ||T||_F from the products of all that it is the sum of. */
static tlv_status
measure_tensor(tlv_context *ctx, membership_implicit *own, double *norm)
{
	double square = 0;

	TLV_TRY_NEW_ROWS(ctx, own->gram, 4 * MEMBERSHIP_BLOCK, MEMBERSHIP_BLOCK);
	TLV_TRY(square_rows(ctx, own, &square));
	TLV_TRY(square_rows_and_terms(ctx, own, &square));
	TLV_TRY(square_terms(ctx, own, &square));
	tlv_free(ctx, own->gram);
	own->gram = NULL;
	*norm = sqrt(fmax(square, 0));
	return TLV_OK;
}

tlv_status
membership_implicit_decompose(tlv_context *ctx, membership_implicit *implicit,
							  const tlv_decompose_options *options, tlv_decomposition *found)
{
	tlv_implicit_tensor tensor = {.apply = apply_tensor, .argument = implicit};

	TLV_TRY(measure_tensor(ctx, implicit, &tensor.norm));
	return tlv_decompose_implicit(ctx, implicit->k, &tensor, options, found);
}
