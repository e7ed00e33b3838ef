/*
 * lda_fit.c - from compressed moments to topics and Dirichlet parameters
 * (lda.h).
 */
#include "tensorlv/lda.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lda_internal.h"
#include "tensorlv/kind.h"
#include "tensorlv/linalg.h"
#include "tensorlv/optimize.h"
#include "tensorlv/tensor3.h"

/* Eigenvalues below this part of the largest carry no direction. */
#define WHITENING_FLOOR 1e-6

/* Bounds of the search for alpha0, and of what is believed about the fit. */
#define ALPHA0_LOW	  0.02
#define ALPHA0_HIGH	  50.0
#define ALPHA0_GRID	  25
#define RESIDUAL_WARN 0.25
#define NEGATIVE_WARN 0.3

/* One whitening and decomposition at a given alpha0, and where it works. */
typedef struct lda_fit
{
	size_t width; /* dimension of the compressed moments */
	size_t k;
	size_t d;
	const tlv_lda_options *options;
	const double *mean;	  /* width: W'P1 */
	double *pairs;		  /* width x width: Q */
	double *triples;	  /* packed: T */
	double *eigenvectors; /* width x width, of M2 */
	double *eigenvalues;
	double *whitening;	/* width x k */
	double *moment3;	/* packed, width */
	double *whitened;	/* packed, k */
	double *components; /* width x k: B, un-whitened components */
	double *start;		/* k x k, warm start of a search */
	bool warm;
	tlv_decomposition decomposition;
} lda_fit;

double
tlv_lda_fit_memory(size_t width, size_t d, const tlv_lda_options *options)
{
	double w = (double) width, items = (double) d;
	double tensors = 3 * (double) tlv_packed3_size(width);

	return sizeof(double) * (tensors + 8 * w * w + 3 * items * w + 4 * items) +
		   tlv_decompose_memory(width, &options->decompose);
}

/* The eigenvalues as text, as many as fit: what the user needs to choose k. */
static void
print_values(size_t n, const double *values, char *text, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < n && used + 16 < room; i++)
		used += (size_t) snprintf(text + used, room - used, "%s%.3g", i > 0 ? ", " : "", values[i]);
}

static tlv_status
refuse_rank(tlv_context *ctx, const lda_fit *fit)
{
	char values[800];
	size_t supported = 0;
	tlv_status status;

	while (supported < fit->width &&
		   fit->eigenvalues[supported] > WHITENING_FLOOR * fit->eigenvalues[0])
		supported++;
	status = tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the data do not identify %zu topics", fit->k);
	print_values(fit->width, fit->eigenvalues, values, sizeof(values));
	tlv_fail_detail(ctx, "Eigenvalues of the second moment: %s.", values);
	tlv_fail_hint(ctx,
				  "At most %zu are positive: use a smaller k, more documents, or see "
				  "tlv_suggest_k.",
				  supported);
	return status;
}

/* M2 and its leading eigenvectors; W_k = E diag(sigma)^-1/2. */
static tlv_status
whiten(tlv_context *ctx, lda_fit *fit, double alpha0)
{
	size_t w = fit->width;
	double factor = alpha0 / (alpha0 + 1);

	for (size_t j = 0; j < w; j++)
		for (size_t i = 0; i < w; i++)
			fit->eigenvectors[j * w + i] =
				fit->pairs[j * w + i] - factor * fit->mean[i] * fit->mean[j];
	TLV_TRY(tlv_eigen_symmetric(ctx, w, fit->eigenvectors, fit->eigenvalues));
	if (!(fit->eigenvalues[fit->k - 1] > WHITENING_FLOOR * fit->eigenvalues[0]))
		return refuse_rank(ctx, fit);
	for (size_t j = 0; j < fit->k; j++)
		for (size_t i = 0; i < w; i++)
			fit->whitening[j * w + i] = fit->eigenvectors[j * w + i] / sqrt(fit->eigenvalues[j]);
	return TLV_OK;
}

/* Orthonormal start for a neighbouring alpha0: the last components, whitened anew. */
static tlv_status
warm_start(tlv_context *ctx, lda_fit *fit)
{
	size_t w = fit->width, k = fit->k;

	TLV_TRY(tlv_gemm(ctx, true, false, k, k, w, 1, fit->whitening, w, fit->components, w, 0,
					 fit->start, k));
	return tlv_polar(ctx, k, fit->start);
}

static tlv_status
decompose_at(tlv_context *ctx, lda_fit *fit, double alpha0)
{
	size_t w = fit->width, k = fit->k;
	tlv_decompose_options options = fit->options->decompose;

	TLV_TRY(whiten(ctx, fit, alpha0));
	memcpy(fit->moment3, fit->triples, tlv_packed3_size(w) * sizeof(double));
	tlv_packed3_add_product(w, -alpha0 / (alpha0 + 2), fit->pairs, fit->mean, fit->moment3);
	tlv_packed3_add_cube(w, 2 * alpha0 * alpha0 / ((alpha0 + 1) * (alpha0 + 2)), fit->mean,
						 fit->moment3);
	TLV_TRY(tlv_packed3_compress(ctx, w, k, fit->moment3, fit->whitening, fit->whitened));
	options.initial = NULL;
	if (fit->warm && options.method == TLV_METHOD_JOINT)
	{
		TLV_TRY(warm_start(ctx, fit));
		options.initial = fit->start;
		options.tolerance = 1e-6;
	}
	TLV_TRY(tlv_decompose(ctx, k, fit->whitened, &options, &fit->decomposition));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < w; i++)
		{
			double sum = 0;

			for (size_t l = 0; l < k; l++)
				sum += fit->eigenvectors[l * w + i] * sqrt(fit->eigenvalues[l]) *
					   fit->decomposition.vectors[j * k + l];
			fit->components[j * w + i] = sum;
		}
	return TLV_OK;
}

static tlv_status
residual_at(tlv_context *ctx, void *argument, double alpha0, double *value)
{
	lda_fit *fit = argument;
	tlv_status status = decompose_at(ctx, fit, alpha0);

	/* An alpha0 for which M2 has no k positive eigenvalues is no candidate. */
	*value = status == TLV_OK ? fit->decomposition.residual : HUGE_VAL;
	fit->warm = fit->warm || status == TLV_OK;
	return status == TLV_NOT_IDENTIFIABLE ? TLV_OK : status;
}

/* alpha0 of the least residual: a grid in the logarithm, then golden section. */
static tlv_status
search_alpha0(tlv_context *ctx, lda_fit *fit, double *alpha0)
{
	double ratio = pow(ALPHA0_HIGH / ALPHA0_LOW, 1.0 / (ALPHA0_GRID - 1));
	double best = HUGE_VAL, value;
	int at = 0;

	/* From large to small: the largest alpha0 has the mildest corrections to M3. */
	for (int i = ALPHA0_GRID - 1; i >= 0; i--)
	{
		TLV_TRY(residual_at(ctx, fit, ALPHA0_LOW * pow(ratio, i), &value));
		if (value < best)
		{
			best = value;
			at = i;
		}
		tlv_report(ctx, "alpha0", ALPHA0_GRID - i, ALPHA0_GRID);
	}
	if (best == HUGE_VAL)
		return refuse_rank(ctx, fit);
	return tlv_minimize_log(ctx, residual_at, fit, ALPHA0_LOW * pow(ratio, at > 0 ? at - 1 : 0),
							ALPHA0_LOW * pow(ratio, at < ALPHA0_GRID - 1 ? at + 1 : at), 1e-3,
							alpha0, &value);
}

static tlv_status
open_moments(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options,
			 lda_fit *fit)
{
	size_t w = tlv_frame_find(triples, "mean")->rows;
	double tokens = tlv_frame_scalar(triples, "tokens", 0);
	const double *mean = tlv_frame_float64(triples, "mean");
	const double *cubes = tlv_frame_float64(triples, "triples");
	double *own_mean;

	fit->width = w;
	fit->d = tlv_frame_find(triples, "items")->rows;
	fit->k = options->k > 0 ? options->k : w;
	fit->options = options;
	if (fit->k > w)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "k = %zu is more than the %zu directions of the moments", fit->k, w);

		tlv_fail_hint(ctx, "Collect the moments in a subspace of at least k directions.");
		return status;
	}
	if (tlv_frame_scalar(triples, "distinct", 0) != 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"moments collected in distinct mode serve for choosing k only");
	if (tlv_frame_scalar(triples, "documents", 0) < (double) fit->k)
		return tlv_fail(ctx, TLV_BAD_DATA, "%.0f documents are too few for %zu topics",
						tlv_frame_scalar(triples, "documents", 0), fit->k);
	TLV_TRY(tlv_require_memory(ctx, tlv_lda_fit_memory(w, fit->d, options), "the fit"));
#define WORK(field, n)                                                                             \
	do                                                                                             \
	{                                                                                              \
		fit->field = tlv_alloc0(ctx, (n), sizeof(double));                                         \
		TLV_TRY_ALLOC(ctx, fit->field);                                                            \
	} while (0)
	WORK(pairs, w * w);
	WORK(triples, tlv_packed3_size(w));
	WORK(eigenvectors, w * w);
	WORK(eigenvalues, w);
	WORK(whitening, w * fit->k);
	WORK(moment3, tlv_packed3_size(w));
	WORK(whitened, tlv_packed3_size(fit->k));
	WORK(components, w * fit->k);
	WORK(start, fit->k * fit->k);
	WORK(decomposition.values, fit->k);
	WORK(decomposition.vectors, fit->k * fit->k);
#undef WORK
	own_mean = tlv_alloc(ctx, w, sizeof(double));
	TLV_TRY_ALLOC(ctx, own_mean);
	for (size_t i = 0; i < w; i++)
		own_mean[i] = mean[i] / tokens;
	fit->mean = own_mean;
	tlv_packed2_unpack(w, tlv_frame_float64(triples, "pairs"), fit->pairs);
	for (size_t i = 0; i < w * w; i++)
		fit->pairs[i] /= tokens;
	for (size_t i = 0; i < tlv_packed3_size(w); i++)
		fit->triples[i] = cubes[i] / tokens;
	return TLV_OK;
}

/*
 * Topics before projection, k x d: row j is S^-1 U b_j, signed and scaled to sum 1.
 * negative[j] gets the sum of its negative entries' moduli.
 */
static tlv_status
recover_topics(tlv_context *ctx, const lda_fit *fit, const tlv_frame *triples, double *raw,
			   double *negative)
{
	size_t k = fit->k, w = fit->width, d = fit->d;
	const double *scale = tlv_frame_float64(triples, "scale");
	const double *basis = tlv_frame_float64(triples, "basis");
	double *sums = tlv_alloc0(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, sums);
	TLV_TRY(tlv_gemm(ctx, true, false, k, d, w, 1, fit->components, w, basis, w, 0, raw, k));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			sums[j] += raw[i * k + j] /= scale[i];
	for (size_t j = 0; j < k; j++)
	{
		negative[j] = 0;
		if (!(fabs(sums[j]) > DBL_MIN))
			sums[j] = DBL_MIN;
	}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
		{
			raw[i * k + j] /= sums[j];
			negative[j] += raw[i * k + j] < 0 ? -raw[i * k + j] : 0;
		}
	for (size_t j = 0; j < k; j++)
		negative[j] = isfinite(negative[j]) ? negative[j] : DBL_MAX; /* can be stored, and warns */
	tlv_free(ctx, sums);
	return TLV_OK;
}

static tlv_status
project_topics(tlv_context *ctx, size_t k, size_t d, double *phi)
{
	double *work = tlv_alloc(ctx, d, sizeof(double));

	TLV_TRY_ALLOC(ctx, work);
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		TLV_TRY_CONTINUE(ctx);
		tlv_project_simplex(d, phi + j, k, work);
		/* A spurious topic may be so large before projection that rounding is all that is left. */
		for (size_t i = 0; i < d; i++)
			sum += phi[i * k + j];
		for (size_t i = 0; i < d; i++)
			phi[i * k + j] = sum > 0.5 && sum < 2 ? phi[i * k + j] / sum : 1 / (double) d;
	}
	tlv_free(ctx, work);
	return TLV_OK;
}

/*
 * Weights of the topics: argmin_{w >= 0} sum_i (P1_i - sum_j phi_ij w_j)^2 / P1_i, rescaled
 * to sum 1.
 */
static tlv_status
estimate_weights(tlv_context *ctx, size_t k, size_t d, const double *phi, const double *totals,
				 double tokens, double *weights)
{
	double *a = tlv_alloc(ctx, k * d + d, sizeof(double));
	double *b, residual, sum = 0;

	TLV_TRY_ALLOC(ctx, a);
	b = a + k * d;
	for (size_t i = 0; i < d; i++)
	{
		double share = totals[i] / tokens;
		double factor = 1 / sqrt(share + 1e-9);

		b[i] = factor * share;
		for (size_t j = 0; j < k; j++)
			a[j * d + i] = factor * phi[i * k + j];
	}
	TLV_TRY(tlv_nnls(ctx, d, k, a, b, weights, &residual));
	for (size_t j = 0; j < k; j++)
		sum += weights[j];
	/* A topic without weight would vanish from inference. */
	for (size_t j = 0; j < k; j++)
		weights[j] = sum > 0 ? fmax(weights[j] / sum, 1e-3 / (double) k) : 1 / (double) k;
	for (size_t j = 0, n = k; j < n; j++)
		sum = j == 0 ? weights[0] : sum + weights[j];
	for (size_t j = 0; j < k; j++)
		weights[j] /= sum;
	tlv_free(ctx, a);
	return TLV_OK;
}

static tlv_status
diagnose_fit(tlv_context *ctx, const lda_fit *fit, const tlv_frame *triples, double alpha0,
			 bool searched, const double *negative, const int64_t *order, tlv_diagnostics *diag)
{
	static const char *const counters[] = {"documents", "skipped", "nulls", "tokens",
										   "minimum_documents"};
	const tlv_decomposition *dec = &fit->decomposition;
	size_t k = fit->k, n_ritz = tlv_frame_find(triples, "ritz")->rows;
	const double *ritz = tlv_frame_float64(triples, "ritz");
	double condition = fit->eigenvalues[0] / fit->eigenvalues[k - 1];
	double trace = tlv_frame_scalar(triples, "trace", 0), worst = 0;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		TLV_TRY(
			tlv_diagnose(ctx, diag, tlv_frame_scalar(triples, counters[i], 0), "%s", counters[i]));
	TLV_TRY(tlv_diagnose(ctx, diag, (double) fit->d, "items"));
	TLV_TRY(tlv_diagnose(ctx, diag, alpha0, "alpha0"));
	TLV_TRY(tlv_diagnose(ctx, diag, searched, "alpha0_estimated"));
	TLV_TRY(tlv_diagnose(ctx, diag, dec->residual, "residual"));
	TLV_TRY(tlv_diagnose(ctx, diag, condition, "condition_number"));
	TLV_TRY(tlv_diagnose(ctx, diag, dec->iterations, "iterations"));
	TLV_TRY(tlv_diagnose(ctx, diag, dec->sweeps, "sweeps"));
	TLV_TRY(tlv_diagnose(ctx, diag, dec->converged, "converged"));
	TLV_TRY(tlv_diagnose(ctx, diag, tlv_frame_scalar(triples, "steps", 0), "subspace_steps"));
	TLV_TRY(tlv_diagnose(ctx, diag, trace, "trace"));
	for (size_t j = 0; j < k; j++)
		worst = fmax(worst, negative[j]);
	if (dec->residual > RESIDUAL_WARN)
		TLV_TRY(tlv_diagnose(ctx, diag, dec->residual,
							 "warning: the residual is above %g: the moments fit the model badly, "
							 "use the topics as a start for refinement only",
							 RESIDUAL_WARN));
	if (worst > NEGATIVE_WARN)
		TLV_TRY(tlv_diagnose(ctx, diag, worst,
							 "warning: a topic has negative mass above %g before projection: it "
							 "is spurious or needs more documents",
							 NEGATIVE_WARN));
	if (trace > (double) k)
		TLV_TRY(tlv_diagnose(ctx, diag, trace,
							 "warning: words repeat more than %zu topics explain (trace of the "
							 "scaled second moment): damped counts or a higher min_documents "
							 "may serve better",
							 k));
	if (!dec->converged)
		TLV_TRY(tlv_diagnose(ctx, diag, dec->iterations,
							 "warning: the decomposition did not converge"));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_diagnose(ctx, diag, negative[order[j]], "negative_mass_%zu", j + 1));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_diagnose(ctx, diag, dec->values[order[j]], "tensor_eigenvalue_%zu", j + 1));
	for (size_t j = 0; j < fit->width; j++)
		TLV_TRY(tlv_diagnose(ctx, diag, fit->eigenvalues[j], "eigenvalue_%zu", j + 1));
	for (size_t j = 0; j < n_ritz; j++)
		TLV_TRY(tlv_diagnose(ctx, diag, ritz[j], "ritz_value_%zu", j + 1));
	return TLV_OK;
}

tlv_status
tlv_lda_fit(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options,
			void **image, size_t *size)
{
	lda_fit fit = {0};
	tlv_diagnostics diagnostics = {0};
	tlv_lda_parts parts = {0};
	double alpha0 = options->alpha0, *phi, *negative, *weights, *alpha;
	int64_t *order;
	bool searched = isnan(alpha0);

	if (!searched && !(alpha0 >= 0 && alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6", alpha0);
	TLV_TRY(open_moments(ctx, triples, options, &fit));
	if (searched)
		TLV_TRY(search_alpha0(ctx, &fit, &alpha0));
	fit.warm = false;
	TLV_TRY(decompose_at(ctx, &fit, alpha0));

	phi = tlv_alloc(ctx, fit.k * fit.d, sizeof(double));
	TLV_TRY_ALLOC(ctx, phi);
	negative = tlv_alloc(ctx, 3 * fit.k, sizeof(double));
	TLV_TRY_ALLOC(ctx, negative);
	order = tlv_alloc(ctx, fit.k, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, order);
	weights = negative + fit.k;
	alpha = weights + fit.k;
	TLV_TRY(recover_topics(ctx, &fit, triples, phi, negative));
	TLV_TRY(project_topics(ctx, fit.k, fit.d, phi));
	TLV_TRY(estimate_weights(ctx, fit.k, fit.d, phi, tlv_frame_float64(triples, "totals"),
							 tlv_frame_scalar(triples, "tokens", 0), weights));
	tlv_lda_order_topics(fit.k, weights, order);
	TLV_TRY(diagnose_fit(ctx, &fit, triples, alpha0, searched, negative, order, &diagnostics));
	tlv_lda_alpha(fit.k, alpha0, weights, alpha);
	TLV_TRY(tlv_lda_sort_topics(ctx, fit.k, fit.d, phi, alpha, weights));

	parts.k = fit.k;
	parts.d = fit.d;
	parts.alpha0 = alpha0;
	parts.alpha0_free = searched || options->alpha0_free;
	parts.eta = options->eta;
	parts.seed = (double) options->seed;
	parts.items = tlv_frame_int64(triples, "items");
	parts.phi = phi;
	parts.alpha = alpha;
	parts.weights = weights;
	parts.shares = tlv_frame_float64(triples, "shares");
	parts.diagnostics = &diagnostics;
	return tlv_lda_write(ctx, &parts, image, size);
}
