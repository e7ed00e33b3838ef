/*
 * dirichlet.c - shift, whitening and decomposition of the moments of a
 * Dirichlet mixture (dirichlet.h).
 */
#include "tensorlv/model/dirichlet.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tuning.h"

double
tlv_dirichlet_memory(size_t width, size_t k, const tlv_decompose_options *options)
{
	double w = (double) width, components = (double) k;
	double tensors = (double) tlv_packed3_size(width) + (double) tlv_packed3_size(k);

	return sizeof(double) *
			   (tensors + w * w + 2 * w * components + 2 * components * components + 2 * w) +
		   tlv_decompose_memory(k, options);
}

tlv_status
tlv_dirichlet_solver_create(tlv_context *ctx, const tlv_dirichlet_moments *moments, size_t k,
							const tlv_decompose_options *options, const tlv_dirichlet_words *words,
							tlv_dirichlet_solver *solver)
{
	size_t w = moments->width;

	memset(solver, 0, sizeof(*solver));
	solver->k = k;
	solver->moments = *moments;
	solver->words = *words;
	solver->options = *options;
#define WORK(field, n)                                                                             \
	do                                                                                             \
	{                                                                                              \
		solver->field = tlv_alloc0(ctx, (n), sizeof(double));                                      \
		TLV_TRY_ALLOC(ctx, solver->field);                                                         \
	} while (0)
	WORK(eigenvectors, w * w);
	WORK(eigenvalues, w);
	WORK(whitening, w * k);
	WORK(moment3, tlv_packed3_size(w));
	WORK(whitened, tlv_packed3_size(k));
	WORK(components, w * k);
	WORK(start, k * k);
	WORK(decomposition.values, k);
	WORK(decomposition.vectors, k * k);
#undef WORK
	return TLV_OK;
}

void
tlv_dirichlet_solver_free(tlv_context *ctx, tlv_dirichlet_solver *solver)
{
	tlv_free(ctx, solver->eigenvectors);
	tlv_free(ctx, solver->eigenvalues);
	tlv_free(ctx, solver->whitening);
	tlv_free(ctx, solver->moment3);
	tlv_free(ctx, solver->whitened);
	tlv_free(ctx, solver->components);
	tlv_free(ctx, solver->start);
	tlv_free(ctx, solver->decomposition.values);
	tlv_free(ctx, solver->decomposition.vectors);
	memset(solver, 0, sizeof(*solver));
}

size_t
tlv_dirichlet_identified(const tlv_dirichlet_solver *solver)
{
	const double *eigenvalues = solver->eigenvalues;
	size_t positive = 0;

	while (positive < solver->moments.width &&
		   eigenvalues[positive] > TLV_LEAST_DIRECTION * eigenvalues[0])
		positive++;
	return positive;
}

static tlv_status
dirichlet_refuse_rank(tlv_context *ctx, const tlv_dirichlet_solver *solver)
{
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the data do not identify %zu %s", solver->k,
			 solver->words.components);
	tlv_fail_values(ctx, "Eigenvalues of the second moment:", 3, solver->moments.width,
					solver->eigenvalues);
	return tlv_fail_hint(ctx, "At most %zu are positive: %s", tlv_dirichlet_identified(solver),
						 solver->words.hint);
}

/* M2 and its leading eigenvectors; W_k = E diag(sigma)^-1/2. */
static tlv_status
dirichlet_whiten(tlv_context *ctx, tlv_dirichlet_solver *solver, double alpha0)
{
	const tlv_dirichlet_moments *moments = &solver->moments;
	size_t w = moments->width;
	double factor = alpha0 / (alpha0 + 1);

	for (size_t j = 0; j < w; j++)
		for (size_t i = 0; i < w; i++)
			solver->eigenvectors[j * w + i] =
				moments->pairs[j * w + i] - factor * moments->mean[i] * moments->mean[j];
	TLV_TRY(tlv_eigen_symmetric(ctx, w, solver->eigenvectors, solver->eigenvalues));
	if (tlv_dirichlet_identified(solver) < solver->k)
		return dirichlet_refuse_rank(ctx, solver);
	for (size_t j = 0; j < solver->k; j++)
		for (size_t i = 0; i < w; i++)
			solver->whitening[j * w + i] =
				solver->eigenvectors[j * w + i] / sqrt(solver->eigenvalues[j]);
	return TLV_OK;
}

/* Orthonormal initial estimate for a neighbouring alpha0: the last components, whitened again. */
static tlv_status
warm_start(tlv_context *ctx, tlv_dirichlet_solver *solver)
{
	size_t w = solver->moments.width, k = solver->k;

	TLV_TRY(tlv_gemm(ctx, true, false, k, k, w, 1, solver->whitening, w, solver->components, w, 0,
					 solver->start, k));
	return tlv_polar(ctx, k, solver->start);
}

tlv_status
tlv_dirichlet_decompose(tlv_context *ctx, tlv_dirichlet_solver *solver, double alpha0)
{
	const tlv_dirichlet_moments *moments = &solver->moments;
	size_t w = moments->width, k = solver->k;
	tlv_decompose_options options = solver->options;

	TLV_TRY(dirichlet_whiten(ctx, solver, alpha0));
	memcpy(solver->moment3, moments->triples, tlv_packed3_size(w) * sizeof(double));
	tlv_packed3_add_product(w, -alpha0 / (alpha0 + 2), moments->pairs, moments->mean,
							solver->moment3);
	tlv_packed3_add_cube(w, 2 * alpha0 * alpha0 / ((alpha0 + 1) * (alpha0 + 2)), moments->mean,
						 solver->moment3);
	TLV_TRY(tlv_packed3_compress(ctx, w, k, solver->moment3, solver->whitening, solver->whitened));
	options.initial = NULL;
	if (solver->warm && options.method == TLV_METHOD_JOINT)
	{
		TLV_TRY(warm_start(ctx, solver));
		options.initial = solver->start;
		options.tolerance = 1e-6;
	}
	TLV_TRY(tlv_decompose(ctx, k, solver->whitened, &options, &solver->decomposition));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < w; i++)
		{
			double sum = 0;

			for (size_t l = 0; l < k; l++)
				sum += solver->eigenvectors[l * w + i] * sqrt(solver->eigenvalues[l]) *
					   solver->decomposition.vectors[j * k + l];
			solver->components[j * w + i] = sum;
		}
	return TLV_OK;
}

static tlv_status
residual_at(tlv_context *ctx, void *argument, double alpha0, double *value)
{
	tlv_dirichlet_solver *solver = argument;
	tlv_status status = tlv_dirichlet_decompose(ctx, solver, alpha0);

	/* An alpha0 for which M2 has no k positive eigenvalues is no candidate. */
	*value = status == TLV_OK ? solver->decomposition.residual : HUGE_VAL;
	solver->warm = solver->warm || status == TLV_OK;
	return status == TLV_NOT_IDENTIFIABLE ? TLV_OK : status;
}

tlv_status
tlv_dirichlet_search(tlv_context *ctx, tlv_dirichlet_solver *solver, double *alpha0)
{
	/* Bounds of the search for alpha0. */
	const double alpha0_low = 0.02, alpha0_high = 50.0;
	const int alpha0_grid = 25;
	double ratio = pow(alpha0_high / alpha0_low, 1.0 / (alpha0_grid - 1));
	double best = HUGE_VAL, value;
	int at = 0;
	tlv_status status;

	/* From large to small: the largest alpha0 has the mildest corrections to M3. */
	for (int i = alpha0_grid - 1; i >= 0; i--)
	{
		TLV_TRY(residual_at(ctx, solver, alpha0_low * pow(ratio, i), &value));
		if (value < best)
		{
			best = value;
			at = i;
		}
		tlv_report(ctx, "alpha0", alpha0_grid - i, alpha0_grid);
	}
	if (best == HUGE_VAL)
		return dirichlet_refuse_rank(ctx, solver);
	status = tlv_minimize_log(
		ctx, residual_at, solver, alpha0_low * pow(ratio, at > 0 ? at - 1 : 0),
		alpha0_low * pow(ratio, at < alpha0_grid - 1 ? at + 1 : at), 1e-3, alpha0, &value);
	solver->warm = false;
	return status;
}
