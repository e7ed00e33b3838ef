/*
 * fit.c - from compressed moments to topics and Dirichlet parameters
 * (lda.h).
 */
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/lda.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/dirichlet.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tensor3.h"

/* What is said when the moments do not identify k topics. */
static const tlv_dirichlet_words words = {"topics",
										  "use a smaller k, more documents, or see tlv_suggest_k."};

/* The compressed moments, normalised, and the solver on them. */
typedef struct lda_fit
{
	size_t width; /* dimension of the compressed moments */
	size_t k;
	size_t d;
	double *mean;	 /* width: W'P1 */
	double *pairs;	 /* width x width: Q */
	double *triples; /* packed: T */
	const tlv_frame *subspace;
	tlv_dirichlet_solver solver;
	double alpha0;
	bool searched; /* alpha0 was */
	/* the topics */
	double *phi;	  /* k x d */
	double *negative; /* k: mass below 0 before projection */
	double *weights;  /* k */
	double *alpha;	  /* k */
	int64_t *order;	  /* k: by decreasing weight; the arrays above are not sorted before the end */
	tlv_diagnostics diagnostics;
} lda_fit;

double
tlv_lda_fit_memory(size_t width, size_t d, const tlv_lda_options *options)
{
	double w = (double) width, items = (double) d;
	double tensors = (double) tlv_packed3_size(width);

	return sizeof(double) * (tensors + 8 * w * w + 3 * items * w + 4 * items) +
		   tlv_dirichlet_memory(width, width, &options->decompose);
}

static tlv_status
open_solver(tlv_context *ctx, const tlv_lda_options *options, lda_fit *fit)
{
	tlv_dirichlet_moments moments = {fit->width, fit->mean, fit->pairs, fit->triples};

	return tlv_dirichlet_solver_create(ctx, &moments, fit->k, &options->decompose, &words,
									   &fit->solver);
}

/* What holds items, scales, shares and basis: the moments themselves, or the subspace, which is
 * that of tlv_count_complete. */
static tlv_status
find_subspace(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options,
			  const tlv_frame **subspace)
{
	const tlv_frame *given = options->subspace;

	*subspace = triples;
	if (!tlv_count_refers(triples))
		return TLV_OK;
	*subspace = given;
	if (tlv_frame_find(given, "items")->rows != tlv_frame_find(triples, "totals")->rows ||
		tlv_frame_find(given, "basis")->rows < tlv_frame_find(triples, "mean")->rows)
		return tlv_refuse_foreign_subspace(ctx);
	return TLV_OK;
}

static tlv_status
fit_open_moments(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options,
				 lda_fit *fit)
{
	size_t w = tlv_frame_find(triples, "mean")->rows;
	double tokens = tlv_frame_scalar(triples, "tokens", 0);
	const double *mean = tlv_frame_float64(triples, "mean");
	const double *cubes = tlv_frame_float64(triples, "triples");

	TLV_TRY(find_subspace(ctx, triples, options, &fit->subspace));
	fit->width = w;
	fit->d = tlv_frame_find(triples, "totals")->rows;
	fit->k = options->k > 0 ? options->k : w;
	if (options->fewer)
		fit->k = (size_t) fmax(
			1, fmin((double) fit->k, fmin((double) w, tlv_frame_scalar(triples, "documents", 0))));
	if (fit->k > w)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu directions of the moments",
				 fit->k, w);
		return tlv_fail_hint(ctx, "Collect the moments in a subspace of at least k directions.");
	}
	if (tlv_frame_scalar(triples, "distinct", 0) != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "moments collected in distinct mode serve for choosing k only");
		return tlv_fail_hint(ctx, "Find the subspace with distinct_pairs => false.");
	}
	if (tlv_frame_scalar(triples, "documents", 0) < (double) fit->k)
		return tlv_refuse_few(ctx, tlv_frame_scalar(triples, "documents", 0), "documents", fit->k,
							  "topics");
	TLV_TRY(tlv_require_memory(ctx, tlv_lda_fit_memory(w, fit->d, options), "the fit"));
	TLV_TRY_NEW(ctx, fit->pairs, w * w);
	TLV_TRY_NEW(ctx, fit->triples, tlv_packed3_size(w));
	TLV_TRY_NEW(ctx, fit->mean, w);
	for (size_t i = 0; i < w; i++)
		fit->mean[i] = mean[i] / tokens;
	tlv_packed2_unpack(w, tlv_frame_float64(triples, "pairs"), fit->pairs);
	for (size_t i = 0; i < w * w; i++)
		fit->pairs[i] /= tokens;
	for (size_t i = 0; i < tlv_packed3_size(w); i++)
		fit->triples[i] = cubes[i] / tokens;
	return open_solver(ctx, options, fit);
}

static tlv_status
decompose_moments(tlv_context *ctx, lda_fit *fit)
{
	if (fit->searched)
		TLV_TRY(tlv_dirichlet_search(ctx, &fit->solver, &fit->alpha0));
	return tlv_dirichlet_decompose(ctx, &fit->solver, fit->alpha0);
}

/* As many topics as the moments identify, where fewer will do. */
static tlv_status
decompose_identified(tlv_context *ctx, const tlv_lda_options *options, lda_fit *fit)
{
	tlv_status status = decompose_moments(ctx, fit);

	while (status == TLV_NOT_IDENTIFIABLE && options->fewer && fit->k > 1)
	{
		size_t identified = tlv_dirichlet_identified(&fit->solver);

		fit->k = identified < fit->k ? identified : fit->k - 1;
		fit->k = fit->k > 0 ? fit->k : 1;
		tlv_dirichlet_solver_free(ctx, &fit->solver);
		TLV_TRY(open_solver(ctx, options, fit));
		status = decompose_moments(ctx, fit);
	}
	return status;
}

/* k x d: row j is S^-1 U b_j. */
static tlv_status
read_in_basis(tlv_context *ctx, const lda_fit *fit, double *raw)
{
	size_t k = fit->k, w = fit->width, d = fit->d;
	const double *scale = tlv_frame_float64(fit->subspace, "scale");
	const double *basis = tlv_frame_float64(fit->subspace, "basis");
	size_t block = tlv_frame_find(fit->subspace, "basis")->rows; /* the leading w of them */

	TLV_TRY(
		tlv_gemm(ctx, true, false, k, d, w, 1, fit->solver.components, w, basis, block, 0, raw, k));
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			raw[i * k + j] /= scale[i];
	}
	return TLV_OK;
}

/*
 * Topics before projection, k x d, signed and scaled to sum 1.  negative[j] gets the sum of the
 * moduli of the negative entries of topic j.
 */
static tlv_status
recover_topics(tlv_context *ctx, const lda_fit *fit, double *raw, double *negative)
{
	size_t k = fit->k, d = fit->d;
	double *sums = tlv_alloc0(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, sums);
	TLV_TRY(read_in_basis(ctx, fit, raw));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			sums[j] += raw[i * k + j];
	for (size_t j = 0; j < k; j++)
	{
		negative[j] = 0;
		if (!(fabs(sums[j]) > DBL_MIN))
			sums[j] = DBL_MIN;
	}
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
		{
			raw[i * k + j] /= sums[j];
			negative[j] += raw[i * k + j] < 0 ? -raw[i * k + j] : 0;
		}
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

		LDA_TRY_LOOK(ctx, i, k);
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
lda_diagnose_fit(tlv_context *ctx, const tlv_frame *triples, lda_fit *fit)
{
	static const char *const counters[] = {"documents", "skipped", "nulls", "tokens",
										   "minimum_documents"};
	const tlv_decomposition *dec = &fit->solver.decomposition;
	const double *values = fit->solver.eigenvalues;
	tlv_diagnostics *to = &fit->diagnostics;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		TLV_TRY(
			tlv_diagnose(ctx, to, tlv_frame_scalar(triples, counters[i], 0), "%s", counters[i]));
	TLV_TRY(tlv_diagnose(ctx, to, (double) fit->d, "items"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->alpha0, "alpha0"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->searched, "alpha0_estimated"));
	TLV_TRY(tlv_diagnose(ctx, to, dec->residual, "residual"));
	TLV_TRY(tlv_diagnose(ctx, to, values[0] / values[fit->k - 1], "condition_number"));
	TLV_TRY(tlv_diagnose(ctx, to, dec->iterations, "iterations"));
	TLV_TRY(tlv_diagnose(ctx, to, dec->converged, "converged"));
	TLV_TRY(tlv_diagnose(ctx, to, tlv_frame_scalar(triples, "steps", 0), "subspace_steps"));
	return tlv_diagnose(ctx, to, tlv_frame_scalar(triples, "trace", 0), "trace");
}

/*
 * By how much the trace may exceed the number of topics by chance.  Of independent tokens, d items
 * and L tokens a document, sum_i c_i (c_i - 1) / (p_i L (L - 1)) has the variance 2 d / L^2 nearly,
 * and the trace is its mean over the documents.
 */
static double
trace_margin(const tlv_frame *triples)
{
	double d = (double) tlv_frame_find(triples, "totals")->rows;
	double documents = tlv_frame_scalar(triples, "documents", 0);
	double tokens = tlv_frame_scalar(triples, "tokens", 0);

	return TRACE_ERRORS * sqrt(2 * d * documents) / fmax(tokens, 1);
}

/* The item whose frequency differs most from that of the topics, relative to its sampling error. */
static size_t
lda_least_explained(const tlv_frame *moments, const lda_fit *fit)
{
	const double *totals = tlv_frame_float64(moments, "totals");
	double tokens = tlv_frame_scalar(moments, "tokens", 0), most = -1;
	size_t least = 0;

	for (size_t i = 0; i < fit->d; i++)
	{
		double expected = 0, rest;

		for (size_t j = 0; j < fit->k; j++)
			expected += fit->weights[j] * fit->phi[i * fit->k + j];
		rest = (totals[i] - tokens * expected) * (totals[i] - tokens * expected) /
			   fmax(tokens * expected, 1);
		least = rest > most ? i : least;
		most = fmax(most, rest);
	}
	return least;
}

/* ", and topics explain least of the frequency of item X"; empty for an item that was made from a
 * text which is not known here, since its id is a hash. */
static const char *
lda_show_least(const tlv_names *names, int64_t id, char text[2 * TLV_SHOWN_NAME])
{
	char shown[TLV_SHOWN_NAME];

	snprintf(shown, sizeof(shown), "%lld", (long long) id);
	for (size_t i = 0; names != NULL && names->ids != NULL && i < names->n; i++)
		if (names->ids[i] == id)
			(void) tlv_names_show(names, i, shown);
	text[0] = '\0';
	if (shown[0] == '"' || id < INT64_C(1) << 53)
		snprintf(text, 2 * TLV_SHOWN_NAME, ", and topics explain least of the frequency of item %s",
				 shown);
	return text;
}

static tlv_status
lda_warn_of_fit(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options,
				lda_fit *fit)
{
	const tlv_decomposition *dec = &fit->solver.decomposition;
	tlv_diagnostics *to = &fit->diagnostics;
	double trace = tlv_frame_scalar(triples, "trace", 0);
	char least[2 * TLV_SHOWN_NAME];

	if (dec->residual > LDA_RESIDUAL_WARN)
		TLV_TRY(
			tlv_warn(ctx, to,
					 &(tlv_warning){.code = "large_residual",
									.score = dec->residual,
									.hint = "Use the topics as initial estimates for refinement "
											"only: the moments fit the model badly."},
					 "the relative residual of the decomposition is above %g%s", LDA_RESIDUAL_WARN,
					 lda_show_least(
						 options->names,
						 tlv_frame_int64(fit->subspace, "items")[lda_least_explained(triples, fit)],
						 least)));
	if (!options->repeated && trace > (double) fit->k + trace_margin(triples))
		TLV_TRY(tlv_warn(
			ctx, to,
			&(tlv_warning){.code = "repeated_words",
						   .score = trace,
						   .hint =
							   "Damp the counts with tlv_bag_damp, or use a higher min_documents."},
			"words repeat more than %zu %s (trace of the scaled second moment)", fit->k,
			tlv_plural((double) fit->k, "topic explains", "topics explain")));
	if (!dec->converged)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = dec->iterations,
										.hint = "Use a smaller k, or give more rows."},
						 "the decomposition did not converge"));
	return TLV_OK;
}

static tlv_status
warn_of_topics(tlv_context *ctx, lda_fit *fit)
{
	for (size_t j = 0; fit->k > 1 && j < fit->k; j++)
		if (fit->negative[fit->order[j]] > TLV_NEGATIVE_WARN)
			TLV_TRY(tlv_warn(
				ctx, &fit->diagnostics,
				&(tlv_warning){.code = "negative_mass",
							   .component = j + 1,
							   .score = fit->negative[fit->order[j]],
							   .hint = "Refine the model on documents, or collect more of them."},
				"topic %zu has negative mass above %g before projection", j + 1,
				TLV_NEGATIVE_WARN));
	return TLV_OK;
}

/* The weight of a topic of this eigenvalue, 2 / (a0 + 2) sqrt((a0 + 1) / weight). */
static double
implied_weight(double alpha0, double eigenvalue)
{
	double part = 2 / ((alpha0 + 2) * eigenvalue);

	return (alpha0 + 1) * part * part;
}

/* Numbers by topic, in the topics' order, and by direction. */
static tlv_status
diagnose_topics(tlv_context *ctx, const tlv_frame *triples, lda_fit *fit)
{
	const double *ritz = tlv_frame_float64(triples, "ritz");
	size_t n_ritz = tlv_frame_find(triples, "ritz")->rows;
	const double *eigenvalues = fit->solver.decomposition.values;
	tlv_diagnostics *to = &fit->diagnostics;

	for (size_t j = 0; j < fit->k; j++)
		TLV_TRY(tlv_diagnose(ctx, to, fit->negative[fit->order[j]], "negative_mass_%zu", j + 1));
	for (size_t j = 0; j < fit->k; j++)
		TLV_TRY(tlv_diagnose(ctx, to, eigenvalues[fit->order[j]], "tensor_eigenvalue_%zu", j + 1));
	for (size_t j = 0; j < fit->k; j++)
		TLV_TRY(tlv_diagnose(ctx, to, implied_weight(fit->alpha0, eigenvalues[fit->order[j]]),
							 "implied_weight_%zu", j + 1));
	for (size_t j = 0; j < fit->width; j++)
		TLV_TRY(tlv_diagnose(ctx, to, fit->solver.eigenvalues[j], "eigenvalue_%zu", j + 1));
	for (size_t j = 0; j < n_ritz; j++)
		TLV_TRY(tlv_diagnose(ctx, to, ritz[j], "ritz_value_%zu", j + 1));
	return TLV_OK;
}

static tlv_status
fit_allocate_topics(tlv_context *ctx, lda_fit *fit)
{
	TLV_TRY_NEW(ctx, fit->phi, fit->k * fit->d);
	TLV_TRY_NEW(ctx, fit->negative, 3 * fit->k);
	fit->weights = fit->negative + fit->k;
	fit->alpha = fit->weights + fit->k;
	TLV_TRY_NEW(ctx, fit->order, fit->k);
	return TLV_OK;
}

/*
 * Topics that are fitted to few documents fit them too well, and the likelihood makes these purer
 * than they are: for 8 topics of 600 items alpha0 comes at .6, .7, .9 and 1 of the truth from 200,
 * 400, 1,500 and 6,000 documents of 80 words.  The moments have no such bias; where they fit the
 * model and the tokens are few, refinement stays above them.
 */
static double
alpha0_least(const tlv_frame *triples, const tlv_lda_options *options, const lda_fit *fit)
{
	bool trusted = fit->searched && !options->alpha0_free &&
				   fit->solver.decomposition.residual <= LDA_RESIDUAL_WARN;
	bool few =
		tlv_frame_scalar(triples, "tokens", 0) < TOKENS_ENOUGH * (double) fit->k * (double) fit->d;

	return trusted && few ? fit->alpha0 : 0;
}

static tlv_status
lda_write_fit(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options,
			  lda_fit *fit, void **image, size_t *size)
{
	tlv_lda_parts parts = {.k = fit->k,
						   .d = fit->d,
						   .alpha0 = fit->alpha0,
						   .alpha0_free = fit->searched || options->alpha0_free,
						   .alpha0_least = alpha0_least(triples, options, fit),
						   .eta = options->eta,
						   .seed = (double) options->seed,
						   .items = tlv_frame_int64(fit->subspace, "items"),
						   .phi = fit->phi,
						   .alpha = fit->alpha,
						   .weights = fit->weights,
						   .shares = tlv_frame_float64(fit->subspace, "shares"),
						   .diagnostics = &fit->diagnostics};

	tlv_lda_alpha(fit->k, fit->alpha0, fit->weights, fit->alpha);
	TLV_TRY(tlv_lda_sort_topics(ctx, fit->k, fit->d, fit->phi, fit->alpha, fit->weights));
	return tlv_lda_write(ctx, &parts, image, size);
}

/* What follows from the decomposition. */
static tlv_status
finish_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_lda_options *options, lda_fit *fit,
		   void **image, size_t *size)
{
	TLV_TRY(fit_allocate_topics(ctx, fit));
	TLV_TRY(recover_topics(ctx, fit, fit->phi, fit->negative));
	TLV_TRY(project_topics(ctx, fit->k, fit->d, fit->phi));
	TLV_TRY(estimate_weights(ctx, fit->k, fit->d, fit->phi, tlv_frame_float64(moments, "totals"),
							 tlv_frame_scalar(moments, "tokens", 0), fit->weights));
	tlv_order_weights(fit->k, fit->weights, fit->order);
	TLV_TRY(lda_diagnose_fit(ctx, moments, fit));
	TLV_TRY(lda_warn_of_fit(ctx, moments, options, fit));
	TLV_TRY(warn_of_topics(ctx, fit));
	TLV_TRY(diagnose_topics(ctx, moments, fit));
	return lda_write_fit(ctx, moments, options, fit, image, size);
}

static tlv_status
fit_sums(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options, void **image,
		 size_t *size)
{
	lda_fit fit = {.alpha0 = options->alpha0, .searched = isnan(options->alpha0)};

	if (!fit.searched && !(fit.alpha0 >= 0 && fit.alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6", fit.alpha0);
	TLV_TRY(fit_open_moments(ctx, triples, options, &fit));
	TLV_TRY(decompose_identified(ctx, options, &fit));
	return finish_fit(ctx, triples, options, &fit, image, size);
}

tlv_status
tlv_lda_fit(tlv_context *ctx, const tlv_frame *triples, const tlv_lda_options *options,
			void **image, size_t *size)
{
	tlv_frame sums;

	TLV_TRY(tlv_count_complete(ctx, triples, options->subspace,
							   "tlv_fit_lda(moments, subspace => ...)", &sums));
	return fit_sums(ctx, &sums, options, image, size);
}
