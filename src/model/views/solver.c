/*
 * solver.c - symmetrisation of three views to the middle one, whitening
 * and decomposition (view_solver.h).
 */
#include "tensorlv/model/view_solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/num/bag.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/tuning.h"
#include "tensorlv/num/numbers.h"

/* A dense decomposition up to this cost, block subspace iteration beyond. */
#define DENSE_COST		 2e8
#define VIEW_DENSE_MOST	 2000
#define SUBSPACE_STEPS	 100
#define SUBSPACE_CHANGES 1e-9

typedef struct view_work
{
	const tlv_view_source *source;
	size_t k;
	size_t width;		 /* directions of the small eigenproblem */
	double *left;		 /* k x d_1: left singular vectors of E[x_1 x_3'] */
	double *right;		 /* k x d_3 */
	double *l;			 /* k x d_2: E[x_2 x_3'] right; view 1 is mapped by l S^-1 left' */
	double *r;			 /* k x d_2: E[x_2 x_1'] left; view 3 is mapped by r S^-1 right' */
	double *basis;		 /* width x d_2, orthonormal: spans l and r */
	double *ql;			 /* width x k: basis l', columns divided by the singular values */
	double *qr;			 /* width x k: basis r' */
	double *whitening;	 /* k x d_2 */
	double *unwhitening; /* k x d_2 */
} view_work;

static tlv_status
view_refuse_rank(tlv_context *ctx, const char *words, size_t k, const char *what, size_t n,
				 const double *values)
{
	const double rounding = 1e-14; /* of the largest value */
	char text[700];
	size_t used = 0, supported = 0;

	text[0] = '\0';
	/* What is only rounding differs between processors, and says nothing but zero. */
	for (size_t i = 0; i < n && used + 16 < sizeof(text); i++)
		used += (size_t) snprintf(text + used, sizeof(text) - used, "%s%.3g", i > 0 ? ", " : "",
								  fabs(values[i]) > rounding * values[0] ? values[i] : 0);
	while (supported < n && values[supported] > TLV_LEAST_DIRECTION * values[0])
		supported++;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the data do not identify %zu %s", k, words);
	tlv_fail_detail(ctx, "%s: %s.", what, text);
	return tlv_fail_hint(
		ctx,
		"At most %zu can be distinguished: use a smaller k or more rows; all views must "
		"differ between any two %s.",
		supported, words);
}

/* ---- singular vectors of E[x_1 x_3'] ---- */

static tlv_status
dense_svd(tlv_context *ctx, view_work *work, tlv_view_solution *solution)
{
	const tlv_view_source *source = work->source;
	size_t d1 = source->d[0], d3 = source->d[2], n = d1 < d3 ? d1 : d3, k = work->k;
	double *cross, *identity, *u, *vt;

	tlv_assert(k <= n);
	TLV_TRY(tlv_alloc_numbers(ctx, &cross, d1 * d3));
	TLV_TRY(tlv_alloc_numbers(ctx, &identity, d1 * d1));
	TLV_TRY(tlv_alloc_numbers(ctx, &u, d1 * n + n * d3));
	vt = u + d1 * n;
	for (size_t i = 0; i < d1; i++)
		identity[i * d1 + i] = 1;
	TLV_TRY(tlv_view_multiply(ctx, source, 0, 2, d1, identity, cross));
	TLV_TRY(tlv_alloc_numbers(ctx, &solution->singular, n));
	solution->n_singular = n;
	TLV_TRY(tlv_svd(ctx, d1, d3, cross, u, solution->singular, vt));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d1; i++)
			work->left[i * k + j] = u[j * d1 + i];
	for (size_t i = 0; i < d3; i++)
		memcpy(work->right + i * k, vt + i * n, k * sizeof(double));
	tlv_free(ctx, u);
	tlv_free(ctx, identity);
	tlv_free(ctx, cross);
	return TLV_OK;
}

/* z = x E[x_1 x_3'] E[x_3 x_1'] */
static tlv_status
apply_square(tlv_context *ctx, void *argument, size_t d, size_t l, const double *x, double *z)
{
	const view_work *work = argument;
	double *middle;

	TLV_TRY(tlv_alloc_numbers(ctx, &middle, l * work->source->d[2]));
	TLV_TRY(tlv_view_multiply(ctx, work->source, 0, 2, l, x, middle));
	TLV_TRY(tlv_view_multiply(ctx, work->source, 2, 0, l, middle, z));
	tlv_free(ctx, middle);
	return TLV_OK;
}

static tlv_status
iterated_svd(tlv_context *ctx, view_work *work, uint64_t seed, tlv_view_solution *solution)
{
	const tlv_view_source *source = work->source;
	size_t d1 = source->d[0], d3 = source->d[2], k = work->k;
	size_t n = d1 < d3 ? d1 : d3, l = 2 * k + 10 < n ? 2 * k + 10 : n;
	tlv_eigen_task task = {
		.n = d1, .k = k, .l = l, .tolerance = SUBSPACE_CHANGES, .max_steps = SUBSPACE_STEPS};
	double *x, *image;
	tlv_rng rng;
	int steps;

	TLV_TRY(tlv_alloc_numbers(ctx, &x, l * d1));
	TLV_TRY(tlv_alloc_numbers(ctx, &image, l * d3));
	TLV_TRY(tlv_alloc_numbers(ctx, &solution->singular, l));
	solution->n_singular = l;
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_subspace_iteration(ctx, &task, apply_square, work, &rng, x, solution->singular,
								   &steps));
	for (size_t j = 0; j < l; j++)
		solution->singular[j] = sqrt(fmax(solution->singular[j], 0));
	TLV_TRY(tlv_view_multiply(ctx, source, 0, 2, l, x, image));
	for (size_t i = 0; i < d1; i++)
		memcpy(work->left + i * k, x + i * l, k * sizeof(double));
	for (size_t i = 0; i < d3; i++)
		for (size_t j = 0; j < k; j++)
			work->right[i * k + j] =
				solution->singular[j] > 0 ? image[i * l + j] / solution->singular[j] : 0;
	tlv_free(ctx, image);
	tlv_free(ctx, x);
	return TLV_OK;
}

static tlv_status
factor_cross(tlv_context *ctx, view_work *work, const char *words, uint64_t seed,
			 tlv_view_solution *solution)
{
	double d1 = (double) work->source->d[0], d3 = (double) work->source->d[2];
	size_t k = work->k;

	if (d1 <= VIEW_DENSE_MOST && d1 * d3 * fmin(d1, d3) <= DENSE_COST)
		TLV_TRY(dense_svd(ctx, work, solution));
	else
		TLV_TRY(iterated_svd(ctx, work, seed, solution));
	if (!(solution->singular[k - 1] > TLV_LEAST_DIRECTION * solution->singular[0]))
		return view_refuse_rank(ctx, words, k,
								"Singular values of the cross moment of views 1 and 3",
								solution->n_singular, solution->singular);
	return TLV_OK;
}

/* ---- the second moment of the mapped views ---- */

/* An orthonormal basis of the rows of l and r together, or of everything. */
static tlv_status
span_basis(tlv_context *ctx, view_work *work, uint64_t seed)
{
	size_t d = work->source->d[1], k = work->k, width = 2 * k < d ? 2 * k : d, rank;
	tlv_rng rng;

	work->width = width;
	TLV_TRY(tlv_alloc_numbers(ctx, &work->basis, width * d));
	for (size_t i = 0; i < d; i++)
	{
		if (width == d)
		{
			work->basis[i * width + i] = 1;
			continue;
		}
		memcpy(work->basis + i * width, work->l + i * k, k * sizeof(double));
		memcpy(work->basis + i * width + k, work->r + i * k, k * sizeof(double));
	}
	tlv_rng_seed(&rng, seed);
	if (width < d)
		TLV_TRY(tlv_orthonormalize(ctx, width, d, work->basis, &rng, &rank));
	TLV_TRY(tlv_alloc_numbers(ctx, &work->ql, width * k));
	TLV_TRY(tlv_alloc_numbers(ctx, &work->qr, width * k));
	TLV_TRY(tlv_gemm(ctx, false, true, width, k, d, 1, work->basis, width, work->l, k, 0, work->ql,
					 width));
	return tlv_gemm(ctx, false, true, width, k, d, 1, work->basis, width, work->r, k, 0, work->qr,
					width);
}

/* M2 = l S^-1 r' in the basis, made symmetric; its eigenvectors whiten. */
static tlv_status
views_whiten(tlv_context *ctx, view_work *work, const char *words, tlv_view_solution *solution)
{
	size_t width = work->width, k = work->k, d = work->source->d[1];
	double *moment, *scaled, norm = 0, difference = 0;

	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < width; i++)
			work->ql[j * width + i] /= solution->singular[j];
	TLV_TRY(tlv_alloc_numbers(ctx, &moment, width * width));
	TLV_TRY(tlv_alloc_numbers(ctx, &solution->eigenvalues, width));
	TLV_TRY(tlv_alloc_numbers(ctx, &scaled, width * k));
	solution->n_eigenvalues = width;
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, k, 1, work->ql, width, work->qr, width, 0,
					 moment, width));
	for (size_t j = 0; j < width; j++)
		for (size_t i = 0; i <= j; i++)
		{
			double a = moment[j * width + i], b = moment[i * width + j];

			norm += i == j ? a * a : a * a + b * b;
			difference += 2 * (a - b) * (a - b);
			moment[j * width + i] = moment[i * width + j] = (a + b) / 2;
		}
	solution->asymmetry2 = norm > 0 ? sqrt(difference / norm) : 0;
	TLV_TRY(tlv_eigen_symmetric(ctx, width, moment, solution->eigenvalues));
	if (!(solution->eigenvalues[k - 1] > TLV_LEAST_DIRECTION * solution->eigenvalues[0]))
		return view_refuse_rank(ctx, words, k, "Eigenvalues of the second moment", width,
								solution->eigenvalues);
	for (int pass = 0; pass < 2; pass++)
	{
		for (size_t j = 0; j < k; j++)
		{
			double root = sqrt(solution->eigenvalues[j]);

			for (size_t i = 0; i < width; i++)
				scaled[j * width + i] = moment[j * width + i] * (pass == 0 ? 1 / root : root);
		}
		TLV_TRY(tlv_gemm(ctx, true, false, k, d, width, 1, scaled, width, work->basis, width, 0,
						 pass == 0 ? work->whitening : work->unwhitening, k));
	}
	tlv_free(ctx, scaled);
	tlv_free(ctx, moment);
	return TLV_OK;
}

/* out (k x d) = W' m S^-1 v for a mapped view: m is l or r (k x d_2), v its singular vectors. */
static tlv_status
solver_map_view(tlv_context *ctx, const view_work *work, const double *singular, const double *m,
				size_t d, const double *v, double *out)
{
	size_t k = work->k;
	double *small;

	TLV_TRY(tlv_alloc_numbers(ctx, &small, k * k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, work->source->d[1], 1, work->whitening, k, m, k, 0,
					 small, k));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			small[j * k + i] /= singular[j];
	TLV_TRY(tlv_gemm(ctx, false, false, k, d, k, 1, small, k, v, k, 0, out, k));
	tlv_free(ctx, small);
	return TLV_OK;
}

/* ---- the third moment ---- */

double
tlv_symmetrise3(size_t k, const double *t, double *packed)
{
	double norm = 0, residual = 0;

	for (size_t i = 0; i < k * k * k; i++)
		norm += t[i] * t[i];
#define AT(x, y, z) t[((z) *k + (y)) * k + (x)]
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
			{
				double permuted[6] = {AT(a, b, c), AT(a, c, b), AT(b, a, c),
									  AT(b, c, a), AT(c, a, b), AT(c, b, a)};
				double mean = 0, square = 0;
				int same = a == c ? 6 : (a == b || b == c ? 2 : 1); /* how often each is there */

				for (int i = 0; i < 6; i++)
					mean += permuted[i];
				mean /= 6;
				for (int i = 0; i < 6; i++)
					square += (permuted[i] - mean) * (permuted[i] - mean);
				packed[tlv_packed3_index(a, b, c)] = mean;
				residual += square / same;
			}
#undef AT
	return norm > 0 ? sqrt(residual / norm) : 0;
}

/* Third moments of columns in very small or large units underflow or overflow. */
static tlv_status
view_check_finite(tlv_context *ctx, size_t n, const double *t)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += t[i] * 0;
	if (sum == 0) /* not infinity nor NaN times zero */
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "the third moments vanish or overflow");
	return tlv_fail_hint(ctx, "Scale the columns, for instance to a standard deviation of 1.");
}

static tlv_status
decompose_views(tlv_context *ctx, view_work *work, const tlv_decompose_options *options,
				tlv_view_solution *solution)
{
	const tlv_view_source *source = work->source;
	size_t k = work->k;
	double *a, *c, *t, *packed;

	TLV_TRY(tlv_alloc_numbers(ctx, &a, k * source->d[0]));
	TLV_TRY(tlv_alloc_numbers(ctx, &c, k * source->d[2]));
	TLV_TRY(tlv_alloc_numbers(ctx, &t, k * k * k));
	TLV_TRY(tlv_alloc_numbers(ctx, &packed, tlv_packed3_size(k)));
	TLV_TRY(solver_map_view(ctx, work, solution->singular, work->l, source->d[0], work->left, a));
	TLV_TRY(solver_map_view(ctx, work, solution->singular, work->r, source->d[2], work->right, c));
	TLV_TRY(tlv_view_compress(ctx, source, k, a, work->whitening, c, t));
	TLV_TRY(view_check_finite(ctx, k * k * k, t));
	solution->asymmetry3 = tlv_symmetrise3(k, t, packed);
	TLV_TRY(tlv_alloc_numbers(ctx, &solution->decomposition.values, k));
	TLV_TRY(tlv_alloc_numbers(ctx, &solution->decomposition.vectors, k * k));
	TLV_TRY(tlv_decompose(ctx, k, packed, options, &solution->decomposition));
	tlv_free(ctx, packed);
	tlv_free(ctx, t);
	tlv_free(ctx, c);
	tlv_free(ctx, a);
	return TLV_OK;
}

/* Middle view: values_j sum_l V_lj sqrt(eigenvalue_l) e_l; weights values^-2, normalised. */
static tlv_status
unwhiten(tlv_context *ctx, const view_work *work, tlv_view_solution *solution)
{
	const tlv_decomposition *decomposition = &solution->decomposition;
	size_t k = work->k;
	double sum = 0, *vectors;

	TLV_TRY(tlv_alloc_numbers(ctx, &vectors, k * k));
	for (size_t j = 0; j < k; j++)
	{
		double value = fmax(decomposition->values[j], 1e-3); /* weights are at most 1 */

		for (size_t i = 0; i < k; i++)
			vectors[j * k + i] = value * decomposition->vectors[j * k + i];
		sum += solution->weights[j] = 1 / (value * value);
	}
	for (size_t j = 0; j < k; j++)
		solution->weights[j] /= sum;
	TLV_TRY(tlv_gemm(ctx, true, false, k, work->source->d[1], k, 1, vectors, k, work->unwhitening,
					 k, 0, solution->means[1], k));
	tlv_free(ctx, vectors);
	return TLV_OK;
}

/* Means of another view t: E[x_t x_2'] A_2 (A_2' A_2)^-1 diag(1 / weights). */
static tlv_status
regress_view(tlv_context *ctx, const tlv_view_source *source, int view, size_t k,
			 const double *middle, const double *weights, double *means)
{
	size_t d = source->d[view];
	double *gram, *cross, trace = 0;

	TLV_TRY(tlv_alloc_numbers(ctx, &gram, k * k));
	TLV_TRY(tlv_alloc_numbers(ctx, &cross, k * d));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, source->d[1], 1, middle, k, middle, k, 0, gram, k));
	for (size_t j = 0; j < k; j++)
		trace += gram[j * k + j];
	for (size_t j = 0; j < k; j++)
		gram[j * k + j] += 1e-12 * trace;
	TLV_TRY(tlv_view_multiply(ctx, source, 1, view, k, middle, cross));
	TLV_TRY(tlv_solve_spd(ctx, k, d, gram, cross));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			means[i * k + j] = cross[i * k + j] / weights[j];
	tlv_free(ctx, cross);
	tlv_free(ctx, gram);
	return TLV_OK;
}

static tlv_status
views_prepare(tlv_context *ctx, const tlv_view_source *source, size_t k, view_work *work,
			  tlv_view_solution *solution)
{
	const size_t *d = source->d;

	memset(work, 0, sizeof(*work));
	memset(solution, 0, sizeof(*solution));
	work->source = source;
	work->k = solution->k = k;
	TLV_TRY(tlv_alloc_numbers(ctx, &work->left, k * d[0]));
	TLV_TRY(tlv_alloc_numbers(ctx, &work->right, k * d[2]));
	TLV_TRY(tlv_alloc_numbers(ctx, &work->l, k * d[1]));
	TLV_TRY(tlv_alloc_numbers(ctx, &work->r, k * d[1]));
	TLV_TRY(tlv_alloc_numbers(ctx, &work->whitening, k * d[1]));
	TLV_TRY(tlv_alloc_numbers(ctx, &work->unwhitening, k * d[1]));
	TLV_TRY(tlv_alloc_numbers(ctx, &solution->weights, k));
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_alloc_numbers(ctx, &solution->means[t], k * d[t]));
	return TLV_OK;
}

static void
release(tlv_context *ctx, view_work *work)
{
	double *arrays[] = {work->left, work->right, work->l,		  work->r,			work->basis,
						work->ql,	work->qr,	 work->whitening, work->unwhitening};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		tlv_free(ctx, arrays[i]);
}

tlv_status
tlv_view_solve(tlv_context *ctx, const tlv_view_source *source, size_t k,
			   const tlv_decompose_options *options, const char *words, uint64_t seed,
			   tlv_view_solution *solution)
{
	view_work work;

	TLV_TRY(views_prepare(ctx, source, k, &work, solution));
	TLV_TRY(factor_cross(ctx, &work, words, seed, solution));
	TLV_TRY(tlv_view_multiply(ctx, source, 2, 1, k, work.right, work.l));
	TLV_TRY(tlv_view_multiply(ctx, source, 0, 1, k, work.left, work.r));
	TLV_TRY(span_basis(ctx, &work, seed));
	TLV_TRY(views_whiten(ctx, &work, words, solution));
	TLV_TRY(decompose_views(ctx, &work, options, solution));
	TLV_TRY(unwhiten(ctx, &work, solution));
	for (int t = 0; t < 3; t += 2)
		TLV_TRY(regress_view(ctx, source, t, k, solution->means[1], solution->weights,
							 solution->means[t]));
	release(ctx, &work);
	return tlv_view_find_least(ctx, source, solution);
}

/* ---- what is said of it ---- */

static tlv_status
view_warn(tlv_context *ctx, const tlv_view_solution *solution, const char *least,
		  tlv_diagnostics *diagnostics)
{
	/* Bounds of what is believed about the fit. */
	const double asymmetry_warn = 0.5, gap_warn = 1.5;
	const tlv_decomposition *decomposition = &solution->decomposition;
	size_t k = solution->k;
	double gap = k < solution->n_singular && solution->singular[k] > 0
					 ? solution->singular[k - 1] / solution->singular[k]
					 : HUGE_VAL;

	if (solution->misfit)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "large_residual",
									.score = decomposition->residual,
									.hint = "Use the result as an initial estimate for refinement "
											"only: the moments fit the model badly."},
					 "the relative residual of the decomposition is above %g, and least is "
					 "explained of %s",
					 TLV_POOR_RESIDUAL, least));
	if (solution->asymmetry3 > asymmetry_warn)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "asymmetric_moments", .score = solution->asymmetry3},
					 "the symmetrised third moment is asymmetric by more than %g: there are too "
					 "few rows, or the views are not independent given the component",
					 asymmetry_warn));
	if (k > 1 && gap < gap_warn)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "equal_singular_values",
										.score = gap,
										.hint = "Use a smaller k, or more rows."},
						 "singular values %zu and %zu of the cross moment are nearly equal", k,
						 k + 1));
	if (!decomposition->converged)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = decomposition->iterations,
										.hint = "Use a smaller k, or give more rows."},
						 "the decomposition did not converge"));
	return TLV_OK;
}

tlv_status
tlv_view_diagnose(tlv_context *ctx, const tlv_view_solution *solution, const int64_t *order,
				  const char *least, tlv_diagnostics *diagnostics)
{
	const tlv_decomposition *decomposition = &solution->decomposition;
	size_t k = solution->k;
	size_t shown = solution->n_singular < 2 * k + 2 ? solution->n_singular : 2 * k + 2;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, decomposition->residual, "residual"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, solution->eigenvalues[0] / solution->eigenvalues[k - 1],
						 "condition_number"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, decomposition->iterations, "iterations"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, decomposition->converged, "converged"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, solution->asymmetry2, "asymmetry_2"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, solution->asymmetry3, "asymmetry_3"));
	if (k < solution->n_singular && solution->singular[k] > 0)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, solution->singular[k - 1] / solution->singular[k],
							 "singular_value_gap"));
	TLV_TRY(view_warn(ctx, solution, least, diagnostics));
	for (size_t j = 0; j < shown; j++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, solution->singular[j], "singular_value_%zu", j + 1));
	for (size_t j = 0; j < solution->n_eigenvalues; j++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, solution->eigenvalues[j], "eigenvalue_%zu", j + 1));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, decomposition->values[order[j]],
							 "tensor_eigenvalue_%zu", j + 1));
	return TLV_OK;
}

tlv_status
tlv_warnings_follow_weights(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t k,
							const double *weights)
{
	int64_t *order;

	TLV_TRY_NEW(ctx, order, k);
	tlv_order_weights(k, weights, order);
	TLV_TRY(tlv_warnings_permute(ctx, diagnostics, k, order));
	tlv_free(ctx, order);
	return TLV_OK;
}

tlv_status
tlv_frequent_classes(tlv_context *ctx, size_t d, const double *counts, size_t most, int32_t *class,
					 size_t *classes)
{
	size_t own, n = 0, *frequent;

	*classes = tlv_least(d, most);
	if (d == 0)
		return TLV_OK;
	own = *classes - 1;
	TLV_TRY_NEW(ctx, frequent, own + 1); /* by decreasing count; ties in their order */
	for (size_t i = 0; i < d; i++)
	{
		size_t at = n < own ? n++ : own;

		TLV_TRY_CONTINUE_AT(ctx, i);
		class[i] = (int32_t) own;
		for (; at > 0 && counts[frequent[at - 1]] < counts[i]; at--)
			frequent[at] = frequent[at - 1];
		frequent[at] = i;
	}
	for (size_t at = 0; at < n; at++)
		class[frequent[at]] = (int32_t) at;
	tlv_free(ctx, frequent);
	return TLV_OK;
}

void
tlv_clip_probabilities(size_t k, size_t d, double *block, double *negative)
{
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0, positive = 0, sign;

		for (size_t i = 0; i < d; i++)
			sum += block[i * k + j];
		sign = sum < 0 ? -1 : 1;
		for (size_t i = 0; i < d; i++)
		{
			block[i * k + j] = fmax(sign * block[i * k + j], 0);
			positive += block[i * k + j];
		}
		negative[j] = positive > 0 ? positive / fmax(fabs(sum), TLV_TINY) - 1 : 0;
		for (size_t i = 0; i < d; i++)
			block[i * k + j] = positive > 0 ? block[i * k + j] / positive : 1 / (double) d;
	}
}
