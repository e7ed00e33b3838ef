/*
 * tucker.c - orthonormal bases of the modes of a tensor, and its core in them (tucker.h).
 */
#include "tensorlv/num/tucker.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"

/* ---- bases ---- */

/* gram (n x n) of the unfolding of a mode of n items: T(mode) T(mode)'. */
static tlv_status
mode_gram(tlv_context *ctx, const size_t d[TLV_MODES], const double *x, int mode, double *gram)
{
	if (mode == 0)
		return tlv_syrk(ctx, true, d[0], d[1] * d[2], 1, x, d[1] * d[2], 0, gram, d[0], true);
	if (mode == 2)
		return tlv_syrk(ctx, false, d[2], d[0] * d[1], 1, x, d[2], 0, gram, d[2], true);
	for (size_t i = 0; i < d[0]; i++)
		TLV_TRY(tlv_syrk(ctx, true, d[1], d[2], 1, x + i * d[1] * d[2], d[2], i > 0, gram, d[1],
						 i + 1 == d[0]));
	return TLV_OK;
}

/* out (p x n): for every item of a mode the p numbers of the other two. */
static tlv_status
unfold_dense(tlv_context *ctx, const size_t d[TLV_MODES], const double *x, int mode, double *out)
{
	size_t all = d[0] * d[1] * d[2], place[TLV_MODES] = {0, 0, 0};
	size_t a = mode == 0 ? 1 : 0, b = mode == 2 ? 1 : 2, p = all / d[mode];

	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		out[place[mode] * p + place[a] * d[b] + place[b]] = x[i];
		for (int m = 2; m >= 0 && ++place[m] == d[m]; m--)
			place[m] = 0;
	}
	return TLV_OK;
}

typedef struct gram_operator
{
	const double *gram;
} gram_operator;

static tlv_status
apply_gram(tlv_context *ctx, void *argument, size_t d, size_t l, const double *x, double *z)
{
	const gram_operator *gram = argument;

	return tlv_gemm(ctx, false, false, l, d, d, 1, x, l, gram->gram, d, 0, z, l);
}

/* The r leading eigenvectors of a symmetric n x n matrix, which is used up: rows of r x n. */
static tlv_status
leading_vectors(tlv_context *ctx, size_t n, double *gram, size_t r, uint64_t seed, double *vectors,
				double *values)
{
	/* Directions of a subspace iteration beyond those that are wanted, and its steps. */
	const int more_directions = 10, subspace_steps = 100;
	size_t l = tlv_least(n, r + more_directions);
	gram_operator applied = {gram};
	double *all, *x;
	tlv_rng rng;
	int steps;

	if (n <= TLV_EIGEN_LIMIT)
	{
		TLV_TRY_NEW(ctx, all, n);
		TLV_TRY(tlv_eigen_symmetric(ctx, n, gram, all));
		memcpy(values, all, r * sizeof(double));
		for (size_t j = 0; j < r; j++)
			for (size_t i = 0; i < n; i++)
				vectors[j + i * r] = gram[i + j * n];
		tlv_free(ctx, all);
		return TLV_OK;
	}
	TLV_TRY_NEW(ctx, all, l);
	TLV_TRY_NEW_ROWS(ctx, x, l, n);
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_subspace_iteration(
		ctx,
		&(tlv_eigen_task){.n = n, .k = r, .l = l, .tolerance = 1e-10, .max_steps = subspace_steps},
		apply_gram, &applied, &rng, x, all, &steps));
	memcpy(values, all, r * sizeof(double));
	for (size_t i = 0; i < n; i++)
		memcpy(vectors + i * r, x + i * l, r * sizeof(double));
	tlv_free(ctx, x);
	tlv_free(ctx, all);
	return TLV_OK;
}

/* The r leading left directions (r x n) of a matrix whose p x n transposed is given, by the Gram
 * matrix of p x p. */
static tlv_status
basis_of_rows(tlv_context *ctx, size_t p, size_t n, const double *rows, size_t r, uint64_t seed,
			  double *basis, double *values)
{
	double *gram, *vectors;
	size_t rank;
	tlv_rng rng;

	TLV_TRY_NEW_ROWS(ctx, gram, p, p);
	TLV_TRY_NEW_ROWS(ctx, vectors, r, p);
	TLV_TRY(tlv_syrk(ctx, false, p, n, 1, rows, p, 0, gram, p, true));
	TLV_TRY(leading_vectors(ctx, p, gram, r, seed, vectors, values));
	TLV_TRY(tlv_gemm(ctx, false, false, r, n, p, 1, vectors, r, rows, p, 0, basis, r));
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_orthonormalize(ctx, r, n, basis, &rng, &rank));
	tlv_free(ctx, vectors);
	tlv_free(ctx, gram);
	return TLV_OK;
}

tlv_status
tlv_mode_basis(tlv_context *ctx, const size_t d[TLV_MODES], const double *dense, int mode, size_t r,
			   uint64_t seed, double *basis, double *values)
{
	size_t n = d[mode], p = d[0] * d[1] * d[2] / n;
	double *work;

	TLV_TRY_NEW_ROWS(ctx, work, n, n <= p ? n : p);
	if (n <= p)
	{
		TLV_TRY(mode_gram(ctx, d, dense, mode, work));
		TLV_TRY(leading_vectors(ctx, n, work, r, seed, basis, values));
	}
	else
	{
		TLV_TRY(unfold_dense(ctx, d, dense, mode, work));
		TLV_TRY(basis_of_rows(ctx, p, n, work, r, seed, basis, values));
	}
	tlv_free(ctx, work);
	return TLV_OK;
}

/* ---- the iteration ---- */

typedef struct tucker_work
{
	const tlv_tensor *tensor;
	const size_t *r;
	double *const *u;
	double *core;
	double *space;	 /* of tlv_tensor_project */
	double *partial; /* the tensor in all bases but one */
	double *values;
	uint64_t seed;
	double norm2; /* of the tensor */
} tucker_work;

static double
partial_doubles(const tlv_tensor *t, const size_t r[TLV_MODES])
{
	double most = 0;

	for (int m = 0; m < TLV_MODES; m++)
		most = fmax(most, (double) t->d[m] * (double) r[(m + 1) % 3] * (double) r[(m + 2) % 3]);
	return most;
}

/* Doubles of tlv_tensor_project in all bases, and in all but one. */
static double
space_doubles(const tlv_tensor *t, const size_t r[TLV_MODES])
{
	double most = tlv_tensor_project_work(t, r);

	for (int m = 0; m < TLV_MODES && t->dense != NULL; m++)
	{
		size_t shape[TLV_MODES] = {r[0], r[1], r[2]};

		shape[m] = t->d[m];
		most = fmax(most, tlv_tensor_project_work(t, shape));
	}
	return most;
}

/* Doubles of a start: the tensor in the basis of one mode, then of two, a Gram matrix. */
static double
start_doubles(const tlv_tensor *t, const size_t r[TLV_MODES])
{
	double all = (double) t->d[0] * (double) t->d[1] * (double) t->d[2], gram = 0;

	for (int m = 0; m < TLV_MODES; m++)
	{
		double n = (double) t->d[m];

		/* for rows, the unfolding itself is copied into the new layout */
		gram = fmax(gram, n * n <= all ? n * n : all + all / n * all / n);
	}
	return (t->dense == NULL ? 0 : all / (double) t->d[0] * (double) r[0]) + gram;
}

double
tlv_tucker_memory(const tlv_tensor *tensor, const size_t r[TLV_MODES])
{
	double pairs = 0, gram = 0;

	for (int m = 0; m < TLV_MODES; m++)
	{
		double p = (double) r[(m + 1) % 3] * (double) r[(m + 2) % 3], n = (double) tensor->d[m];

		pairs = fmax(pairs, p);
		gram = fmax(gram, fmin(p, n) * fmin(p, n) + n * p);
	}
	return 8 * (space_doubles(tensor, r) + partial_doubles(tensor, r) + pairs + gram +
				start_doubles(tensor, r)) +
		   4096;
}

/* What is left of the tensor in basis u of a mode: the mode's side becomes r. */
static tlv_status
shrink_mode(tlv_context *ctx, size_t side[TLV_MODES], const double *from, int mode, size_t r,
			double *u, double *to)
{
	const tlv_tensor now = {.d = {side[0], side[1], side[2]}, .dense = from};
	size_t shape[TLV_MODES] = {side[0], side[1], side[2]};
	double *bases[TLV_MODES] = {NULL, NULL, NULL};

	if (mode == 0)
		TLV_TRY(tlv_gemm(ctx, false, true, side[1] * side[2], r, side[0], 1, from,
						 side[1] * side[2], u, r, 0, to, side[1] * side[2]));
	else
	{
		double *space;

		bases[mode] = u;
		shape[mode] = r;
		TLV_TRY_NEW(ctx, space, (size_t) tlv_tensor_project_work(&now, shape));
		TLV_TRY(tlv_tensor_project(ctx, &now, shape, bases, space, to));
		tlv_free(ctx, space);
	}
	side[mode] = r;
	return TLV_OK;
}

/* Mode after mode, each in what the ones before have left. */
static tlv_status
start_dense(tlv_context *ctx, tucker_work *w)
{
	const tlv_tensor *t = w->tensor;
	size_t side[TLV_MODES] = {t->d[0], t->d[1], t->d[2]};
	const double *from = t->dense;
	double *first, *second;

	TLV_TRY_NEW(ctx, first, w->r[0] * t->d[1] * t->d[2]);
	TLV_TRY_NEW(ctx, second, w->r[0] * w->r[1] * t->d[2]);
	for (int m = 0; m < TLV_MODES; m++)
	{
		double *to = m == 0 ? first : m == 1 ? second : w->core;

		TLV_TRY(tlv_mode_basis(ctx, side, from, m, w->r[m], w->seed, w->u[m], w->values));
		TLV_TRY(shrink_mode(ctx, side, from, m, w->r[m], w->u[m], to));
		from = to;
	}
	tlv_free(ctx, second);
	tlv_free(ctx, first);
	return TLV_OK;
}

static tlv_status
start_sparse(tlv_context *ctx, tucker_work *w)
{
	tlv_rng rng;
	size_t rank;

	tlv_rng_seed(&rng, w->seed);
	for (int m = 0; m < TLV_MODES; m++)
	{
		TLV_TRY(tlv_fill_normal(ctx, &rng, w->r[m] * w->tensor->d[m], w->u[m]));
		TLV_TRY(tlv_orthonormalize(ctx, w->r[m], w->tensor->d[m], w->u[m], &rng, &rank));
	}
	return TLV_OK;
}

/* The basis of a mode that keeps most of the tensor in the bases of the others. */
static tlv_status
tucker_sweep_mode(tlv_context *ctx, tucker_work *w, int mode)
{
	const tlv_tensor *t = w->tensor;
	size_t shape[TLV_MODES] = {w->r[0], w->r[1], w->r[2]};
	double *bases[TLV_MODES] = {w->u[0], w->u[1], w->u[2]};
	size_t p = w->r[(mode + 1) % 3] * w->r[(mode + 2) % 3];

	if (t->dense == NULL)
	{
		TLV_TRY(tlv_tensor_unfold(ctx, t, w->r, bases, mode, w->partial));
		shape[mode] = t->d[mode];
		return basis_of_rows(ctx, p, t->d[mode], w->partial, w->r[mode], w->seed, w->u[mode],
							 w->values);
	}
	bases[mode] = NULL;
	shape[mode] = t->d[mode];
	TLV_TRY(tlv_tensor_project(ctx, t, shape, bases, w->space, w->partial));
	return tlv_mode_basis(ctx, shape, w->partial, mode, w->r[mode], w->seed, w->u[mode], w->values);
}

/* The squared length of the core, which is what the bases keep. */
static tlv_status
tucker_find_core(tlv_context *ctx, tucker_work *w, double *kept)
{
	size_t n = w->r[0] * w->r[1] * w->r[2];

	TLV_TRY(tlv_tensor_project(ctx, w->tensor, w->r, w->u, w->space, w->core));
	*kept = 0;
	for (size_t i = 0; i < n; i++)
		*kept += w->core[i] * w->core[i];
	return TLV_OK;
}

tlv_status
tlv_tucker_residual(tlv_context *ctx, const tlv_tensor *tensor, const size_t r[TLV_MODES],
					double *const u[TLV_MODES], const double *core, double *residual)
{
	const size_t *d = tensor->d;
	double *level, *rows, *model, sum = 0;

	TLV_TRY_NEW_ROWS(ctx, level, r[1], r[2]);
	TLV_TRY_NEW_ROWS(ctx, rows, d[1], r[2]);
	TLV_TRY_NEW_ROWS(ctx, model, d[1], d[2]);
	for (size_t x = 0; x < d[0]; x++)
	{
		const double *given = tensor->dense + x * d[1] * d[2];

		TLV_TRY(tlv_gemm(ctx, false, false, r[1] * r[2], 1, r[0], 1, core, r[1] * r[2],
						 u[0] + x * r[0], r[0], 0, level, r[1] * r[2]));
		if (u[1] != NULL)
			TLV_TRY(tlv_gemm(ctx, false, false, r[2], d[1], r[1], 1, level, r[2], u[1], r[1], 0,
							 rows, r[2]));
		TLV_TRY(tlv_gemm(ctx, true, false, d[2], d[1], r[2], 1, u[2], r[2],
						 u[1] != NULL ? rows : level, r[2], 0, model, d[2]));
		for (size_t i = 0; i < d[1] * d[2]; i++)
			sum += (given[i] - model[i]) * (given[i] - model[i]);
	}
	*residual = sqrt(sum / tlv_tensor_norm2(tensor));
	tlv_free(ctx, model);
	tlv_free(ctx, rows);
	tlv_free(ctx, level);
	return TLV_OK;
}

static tlv_status
iterate_bases(tlv_context *ctx, tucker_work *w, const tlv_tucker_options *options,
			  tlv_factors_found *found)
{
	const double usual_tolerance = 1e-9;
	const int usual_iterations = 50;
	int sweeps = options->iterations >= 0 ? options->iterations : usual_iterations;
	double tolerance = options->tolerance > 0 ? options->tolerance : usual_tolerance;
	bool whole = true;
	double kept;

	TLV_TRY(tucker_find_core(ctx, w, &kept));
	for (int m = 0; m < TLV_MODES; m++)
		whole &= w->r[m] == w->tensor->d[m];
	found->residual = sqrt(fmax(0, 1 - kept / w->norm2));
	found->converged = whole;
	for (int sweep = 0; sweep < sweeps && !found->converged; sweep++)
	{
		double before = found->residual;

		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "decompose", sweep, sweeps);
		for (int m = 0; m < TLV_MODES; m++)
			TLV_TRY(tucker_sweep_mode(ctx, w, m));
		TLV_TRY(tucker_find_core(ctx, w, &kept));
		found->residual = sqrt(fmax(0, 1 - kept / w->norm2));
		found->sweeps++;
		found->converged = before - found->residual <= tolerance && (sweep > 0 || w->tensor->dense);
	}
	return TLV_OK;
}

static tlv_status
check_ranks(tlv_context *ctx, const tlv_tensor *t, const size_t r[TLV_MODES])
{
	for (int m = 0; m < TLV_MODES; m++)
	{
		size_t others = r[(m + 1) % 3] * r[(m + 2) % 3];

		if (r[m] < 1 || r[m] > t->d[m])
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "rank %zu of mode %d is not between 1 and %zu",
							r[m], m + 1, t->d[m]);
		if (r[m] > others)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "rank %zu of mode %d is above the product of the others, %zu", r[m], m + 1,
					 others);
			return tlv_fail_hint(ctx, "Use a rank of at most %zu: more can keep nothing.", others);
		}
	}
	return TLV_OK;
}

tlv_status
tlv_tucker(tlv_context *ctx, const tlv_tensor *tensor, const size_t r[TLV_MODES],
		   const tlv_tucker_options *options, double *const u[TLV_MODES], double *core,
		   tlv_factors_found *found)
{
	tucker_work w = {.tensor = tensor, .r = r, .u = u, .core = core, .seed = options->seed};
	tlv_scratch scratch;
	tlv_status status;

	*found = (tlv_factors_found){0};
	TLV_TRY(check_ranks(ctx, tensor, r));
	TLV_TRY(tlv_tensor_measure(ctx, tensor, &w.norm2));
	TLV_TRY(tlv_require_memory(ctx, tlv_tucker_memory(tensor, r), "the bases of a tensor"));
	tlv_scratch_begin(ctx, &scratch);
	w.space = tlv_alloc(ctx,
						(size_t) space_doubles(tensor, r) + (size_t) partial_doubles(tensor, r) +
							r[0] + r[1] + r[2],
						sizeof(double));
	status = w.space == NULL ? ctx->error.code : TLV_OK;
	if (status == TLV_OK)
	{
		w.partial = w.space + (size_t) space_doubles(tensor, r);
		w.values = w.partial + (size_t) partial_doubles(tensor, r);
		status = tensor->dense != NULL ? start_dense(ctx, &w) : start_sparse(ctx, &w);
	}
	if (status == TLV_OK)
		status = iterate_bases(ctx, &w, options, found);
	if (status == TLV_OK && tensor->dense != NULL &&
		found->residual * found->residual < TLV_CANCELLED_RESIDUAL)
		status = tlv_tucker_residual(ctx, tensor, r, u, core, &found->residual);
	tlv_scratch_end(ctx, &scratch);
	return status;
}
