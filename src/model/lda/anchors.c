/*
 * anchors.c - topics by anchor words, from the pair moment in a basis (lda.h).
 *
 * With S Q S ~ U diag(e) U', p the shares of the items: x_i = e U_i / (S_i p_i) is the row of item
 * i of the co-occurrence given that item, in coordinates whose Euclidean distance is that of
 * chi-square.  An item of one topic alone is a corner of the simplex in which all rows lie.
 */
#include "tensorlv/model/lda.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/anchors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/linalg.h"

/* Items between two looks at whether to stop. */
#define ITEMS_BETWEEN 4096

/* A topic of less weight is left out: it would vanish beside the others. */
#define LEAST_WEIGHT 1e-6

/* The Dirichlet parameter of each topic where the second moments say nothing of it. */
#define USUAL_ALPHA 0.1

typedef struct anchor_fit
{
	const tlv_frame *moments;
	size_t width; /* directions of the basis */
	size_t k;
	size_t d;
	const double *totals;
	const double *frequency;
	double tokens;
	double *pairs;	 /* width x width: Q */
	double *vectors; /* width x width: its eigenvectors */
	double *values;	 /* width */
	double *rows;	 /* k x d */
	double *noise;	 /* d */
	uint8_t *candidate;
	tlv_anchor_corners corners;
	double alpha0;
	bool searched; /* alpha0 was not given */
	/* the topics, k */
	double *phi; /* k x d */
	double *weights;
	double *alpha;
	double *distance;
	int64_t *anchors;
	tlv_diagnostics diagnostics;
} anchor_fit;

double
tlv_lda_alpha0(size_t k, const double *second, double *means)
{
	double total = 0, above = 0, below = 0, alpha0;

	for (size_t j = 0; j < k; j++)
	{
		means[j] = 0;
		for (size_t l = 0; l < k; l++)
			means[j] += second[j * k + l];
		total += means[j];
	}
	for (size_t j = 0; j < k; j++)
	{
		double mean = means[j] /= total;
		double again = second[j * k + j] / total / mean; /* (alpha_j + 1) / (alpha0 + 1) */

		if (mean > 0)
		{
			above += (1 - again) * (again - mean);
			below += (again - mean) * (again - mean);
		}
	}
	alpha0 = above / below;
	return alpha0 >= 1e-3 * (double) k && alpha0 <= 1e3 * (double) k ? alpha0 : NAN;
}

/* ---- the rows ---- */

static double
anchors_memory(size_t width, size_t d, size_t k)
{
	double w = (double) width, items = (double) d, topics = (double) k;

	return sizeof(double) * (4 * w * w + items * (3 * topics + 8) + topics * (4 * topics + 20));
}

static tlv_status
open_moments(tlv_context *ctx, const tlv_frame *moments, const tlv_lda_options *options,
			 anchor_fit *fit)
{
	double documents = tlv_frame_scalar(moments, "documents", 0);

	fit->moments = moments;
	fit->width = tlv_frame_find(moments, "basis")->rows;
	fit->d = tlv_frame_find(moments, "basis")->columns;
	fit->totals = tlv_frame_float64(moments, "totals");
	fit->frequency = tlv_frame_float64(moments, "frequency");
	fit->tokens = tlv_frame_scalar(moments, "tokens", 0);
	fit->k = options->k > 0 ? options->k : fit->width;
	if (options->fewer && fit->k > fit->width)
		fit->k = fit->width;
	if (fit->k > fit->width)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu directions of the moments",
				 fit->k, fit->width);
		return tlv_fail_hint(ctx, "Collect the moments in a subspace of at least k directions.");
	}
	if (documents < 1)
		return tlv_fail(ctx, TLV_BAD_DATA, "the moments hold no documents");
	return tlv_require_memory(ctx, anchors_memory(fit->width, fit->d, fit->k), "the fit");
}

/* Leading eigenvectors of Q; no more topics than it has positive eigenvalues. */
static tlv_status
find_directions(tlv_context *ctx, const tlv_lda_options *options, anchor_fit *fit)
{
	size_t w = fit->width, positive = 0;

	TLV_TRY_NEW_ROWS(ctx, fit->pairs, w, w);
	TLV_TRY_NEW_ROWS(ctx, fit->vectors, w, w);
	TLV_TRY_NEW(ctx, fit->values, w);
	tlv_packed2_unpack(w, tlv_frame_float64(fit->moments, "pairs"), fit->pairs);
	for (size_t i = 0; i < w * w; i++)
		fit->pairs[i] /= fit->tokens;
	memcpy(fit->vectors, fit->pairs, w * w * sizeof(double));
	TLV_TRY(tlv_eigen_symmetric(ctx, w, fit->vectors, fit->values));
	while (positive < w && fit->values[positive] > 1e-12 * fit->values[0])
		positive++;
	if (positive >= fit->k)
		return TLV_OK;
	if (!options->fewer || positive == 0)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the moments identify %zu of %zu topics", positive,
				 fit->k);
		return tlv_fail_hint(ctx, "Use a smaller k, or more documents.");
	}
	fit->k = positive;
	return TLV_OK;
}

/* Rows of all items, how noisy they are, and which may be anchors. */
static tlv_status
make_rows(tlv_context *ctx, anchor_fit *fit)
{
	size_t k = fit->k, w = fit->width, d = fit->d;
	const double *scale = tlv_frame_float64(fit->moments, "scale");
	const double *noise = tlv_frame_float64(fit->moments, "noise");

	TLV_TRY_NEW_ROWS(ctx, fit->rows, k, d);
	TLV_TRY_NEW0(ctx, fit->noise, d);
	TLV_TRY_NEW0(ctx, fit->candidate, d);
	TLV_TRY(tlv_gemm(ctx, true, false, k, d, w, 1, fit->vectors, w,
					 tlv_frame_float64(fit->moments, "basis"), w, 0, fit->rows, k));
	for (size_t i = 0; i < d; i++)
	{
		double share = fit->totals[i] / fit->tokens;
		double factor = share > 0 ? 1 / (scale[i] * share) : 0;

		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < k; j++)
			fit->rows[i * k + j] *= fit->values[j] * factor;
		if (share > 0)
			fit->noise[i] = noise[i] / fit->totals[i] / fit->totals[i];
		fit->candidate[i] = fit->frequency[i] >= TLV_LDA_ANCHOR_DOCUMENTS;
	}
	return TLV_OK;
}

/* ---- given anchors ---- */

/* The position of a given anchor, which must be an item that enough documents hold. */
static tlv_status
find_anchor(tlv_context *ctx, const anchor_fit *fit, const tlv_dictionary *dictionary, int64_t item,
			const char *text, int32_t *at)
{
	*at = tlv_dictionary_find(dictionary, item);
	if (*at < 0 || !(fit->frequency[*at] > 0))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "no document holds the anchor \"%.60s\"", text);
		return tlv_fail_hint(ctx, "Items in fewer than min_documents documents are left out, too.");
	}
	if (fit->candidate[*at])
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the anchor \"%.60s\" is in %.0f documents only", text,
			 fit->frequency[*at]);
	return tlv_fail_hint(ctx, "Anchors must be in at least %d documents.",
						 TLV_LDA_ANCHOR_DOCUMENTS);
}

static tlv_status
find_given(tlv_context *ctx, const anchor_fit *fit, const tlv_lda_anchors *given, int32_t *members)
{
	tlv_dictionary dictionary;
	uint8_t *taken;

	TLV_TRY_NEW0(ctx, taken, fit->d);
	TLV_TRY(
		tlv_dictionary_freeze(ctx, &dictionary, fit->d, tlv_frame_int64(fit->moments, "items")));
	for (size_t m = 0; m < given->first[given->n]; m++)
	{
		char digits[24];
		const char *text = given->texts != NULL ? given->texts[m] : digits;

		TLV_TRY_CONTINUE_AT(ctx, m);
		snprintf(digits, sizeof(digits), "%lld", (long long) given->items[m]);
		TLV_TRY(find_anchor(ctx, fit, &dictionary, given->items[m], text, &members[m]));
		if (taken[members[m]])
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "the anchor \"%.60s\" is given twice", text);
		taken[members[m]] = 1;
	}
	tlv_dictionary_clear(ctx, &dictionary);
	tlv_free(ctx, taken);
	return TLV_OK;
}

static tlv_status
choose_anchors(tlv_context *ctx, const tlv_lda_options *options, anchor_fit *fit)
{
	const tlv_lda_anchors *given = &options->anchors;
	tlv_anchor_points points = {fit->d, fit->k, fit->rows, fit->noise, fit->totals, fit->candidate};
	tlv_anchor_seeds seeds = {.n = given->n, .first = given->first};
	int32_t *members;

	if (given->n > fit->k)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu anchors are given for %zu topics", given->n,
						fit->k);
	if (given->n > 0)
	{
		TLV_TRY_NEW(ctx, members, given->first[given->n]);
		seeds.members = members;
		TLV_TRY(find_given(ctx, fit, given, members));
	}
	TLV_TRY(tlv_anchors_choose(ctx, &points, fit->k, given->n > 0 ? &seeds : NULL, &fit->corners));
	if (fit->corners.k == fit->k || (options->fewer && fit->corners.k > 0))
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "only %zu of %zu topics have words of their own",
			 fit->corners.k, fit->k);
	return tlv_fail_hint(ctx, "Use a smaller k, or more documents.");
}

/* ---- topics ---- */

/* Topic j of those that are kept moves to `to`, with all that is known of it. */
static void
keep_topic(anchor_fit *fit, const double *shares, size_t found, size_t j, size_t to)
{
	for (size_t i = 0; i < fit->d; i++)
		fit->phi[i * fit->k + to] =
			shares[i * found + j] * (fit->totals[i] / fit->tokens) / fit->weights[to];
	fit->anchors[to] = tlv_frame_int64(fit->moments, "items")[fit->corners.points[j]];
	fit->distance[to] = fit->corners.distance[j] != 0 ? fit->corners.distance[j] : -DBL_MIN;
}

/* What a topic takes up of all tokens. */
static double
weight_of(const anchor_fit *fit, const double *shares, size_t found, size_t j)
{
	double sum = 0;

	for (size_t i = 0; i < fit->d; i++)
		sum += shares[i * found + j] * (fit->totals[i] / fit->tokens);
	return sum;
}

static tlv_status
allocate_topics(tlv_context *ctx, anchor_fit *fit, size_t found)
{
	TLV_TRY_NEW(ctx, fit->weights, 3 * found);
	fit->alpha = fit->weights + found;
	fit->distance = fit->alpha + found;
	TLV_TRY_NEW(ctx, fit->anchors, found);
	TLV_TRY_NEW_ROWS(ctx, fit->phi, found, fit->d);
	return TLV_OK;
}

/* Items as mixtures of the anchors' topics, and by Bayes' rule topics as mixtures of items. */
static tlv_status
recover_topics(tlv_context *ctx, anchor_fit *fit)
{
	tlv_anchor_points points = {fit->d, fit->k, fit->rows, NULL, NULL, NULL};
	size_t found = fit->corners.k, kept = 0;
	double *shares, *weights, total = 0;

	TLV_TRY_NEW_ROWS(ctx, shares, found, fit->d);
	TLV_TRY_NEW(ctx, weights, found);
	TLV_TRY(tlv_anchors_recover(ctx, &points, found, fit->corners.corners, shares));
	TLV_TRY(allocate_topics(ctx, fit, found));
	fit->k = 0;
	for (size_t j = 0; j < found; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		weights[j] = weight_of(fit, shares, found, j);
		fit->k += weights[j] >= LEAST_WEIGHT;
	}
	if (fit->k == 0)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "no topic has words");
	for (size_t j = 0; j < found; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (weights[j] < LEAST_WEIGHT)
			continue;
		fit->weights[kept] = weights[j];
		keep_topic(fit, shares, found, j, kept);
		total += fit->weights[kept++];
	}
	for (size_t j = 0; j < fit->k; j++)
		fit->weights[j] /= total;
	tlv_free(ctx, shares);
	tlv_free(ctx, weights);
	return TLV_OK;
}

/*
 * Second moments of the topics' shares, k x k: R = M Q M' with M = (A'S^2 A)^-1 A'W, A the topics,
 * which is A^+ Q A^+' with the pseudo-inverse weighted by the reciprocals of the items' shares.
 */
static tlv_status
second_moments(tlv_context *ctx, const anchor_fit *fit, double *second)
{
	size_t k = fit->k, w = fit->width, d = fit->d;
	const double *scale = tlv_frame_float64(fit->moments, "scale");
	double *scaled, *gram, *m, *product;

	TLV_TRY_NEW_ROWS(ctx, scaled, k, d);
	TLV_TRY_NEW_ROWS(ctx, gram, k, k);
	TLV_TRY_NEW_ROWS(ctx, m, k, w);
	TLV_TRY_NEW_ROWS(ctx, product, k, w);
	for (size_t i = 0; i < d; i++)
	{
		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < k; j++)
			scaled[i * k + j] = scale[i] * fit->phi[i * k + j];
	}
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, d, 1, scaled, k, scaled, k, 0, gram, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, w, d, 1, scaled, k,
					 tlv_frame_float64(fit->moments, "basis"), w, 0, m, k));
	TLV_TRY(tlv_solve_spd(ctx, k, w, gram, m));
	TLV_TRY(tlv_gemm(ctx, false, false, k, w, w, 1, m, k, fit->pairs, w, 0, product, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, w, 1, product, k, m, k, 0, second, k));
	tlv_free(ctx, scaled);
	tlv_free(ctx, gram);
	tlv_free(ctx, m);
	tlv_free(ctx, product);
	return TLV_OK;
}

/* alpha0 from them where it is not given; the usual one where they give none. */
static tlv_status
find_alpha0(tlv_context *ctx, const tlv_lda_options *options, anchor_fit *fit)
{
	double *second, *means;
	tlv_status status;

	fit->alpha0 = options->alpha0;
	fit->searched = isnan(options->alpha0);
	if (!fit->searched)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, second, fit->k, fit->k);
	TLV_TRY_NEW(ctx, means, fit->k);
	status = second_moments(ctx, fit, second);
	if (status != TLV_OK && status != TLV_BAD_DATA)
		return status;
	fit->alpha0 = status == TLV_OK && fit->k > 1 ? tlv_lda_alpha0(fit->k, second, means) : NAN;
	if (isnan(fit->alpha0))
		fit->alpha0 = USUAL_ALPHA * (double) fit->k;
	tlv_free(ctx, second);
	tlv_free(ctx, means);
	return TLV_OK;
}

/* ---- the model ---- */

static tlv_status
diagnose_anchors(tlv_context *ctx, anchor_fit *fit, size_t wanted)
{
	static const char *const counters[] = {"documents", "skipped", "nulls", "tokens",
										   "minimum_documents"};
	tlv_diagnostics *to = &fit->diagnostics;
	size_t visible = fit->corners.visible;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		TLV_TRY(tlv_diagnose(ctx, to, tlv_frame_scalar(fit->moments, counters[i], 0), "%s",
							 counters[i]));
	TLV_TRY(tlv_diagnose(ctx, to, (double) fit->d, "items"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->alpha0, "alpha0"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->searched, "alpha0_estimated"));
	TLV_TRY(tlv_diagnose(ctx, to, (double) visible, "anchors_visible"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->corners.penalty, "anchor_penalty"));
	TLV_TRY(tlv_diagnose(ctx, to, tlv_frame_scalar(fit->moments, "steps", 0), "subspace_steps"));
	TLV_TRY(tlv_diagnose(ctx, to, tlv_frame_scalar(fit->moments, "trace", 0), "trace"));
	for (size_t j = 0; j < fit->width; j++)
		TLV_TRY(tlv_diagnose(ctx, to, fit->values[j], "eigenvalue_%zu", j + 1));
	if (visible < wanted)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "anchors_below_noise",
										.score = (double) visible,
										.hint = "compare it with method => 'joint' on held-out "
												"documents, or use a smaller k"},
						 "only %zu of %zu topics have words of their own above the noise", visible,
						 wanted));
	if (fit->k < fit->corners.k)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "empty_topics",
										.score = (double) (fit->corners.k - fit->k),
										.hint = "use a smaller k"},
						 "%zu topics without words were left out", fit->corners.k - fit->k));
	return TLV_OK;
}

/* Anchors follow their topics. */
static tlv_status
sort_topics(tlv_context *ctx, anchor_fit *fit, tlv_lda_parts *parts)
{
	int64_t *order;

	TLV_TRY_NEW(ctx, order, fit->k);
	tlv_lda_order_topics(fit->k, fit->weights, order);
	TLV_TRY(tlv_lda_order_anchors(ctx, fit->k, order, &parts->anchors, &parts->anchor_distances));
	TLV_TRY(tlv_lda_sort_topics(ctx, fit->k, fit->d, fit->phi, fit->alpha, fit->weights));
	tlv_free(ctx, order);
	return TLV_OK;
}

static tlv_status
write_anchors(tlv_context *ctx, const tlv_lda_options *options, anchor_fit *fit, void **image,
			  size_t *size)
{
	tlv_lda_parts parts = {.k = fit->k,
						   .d = fit->d,
						   .alpha0 = fit->alpha0,
						   .alpha0_free = fit->searched || options->alpha0_free,
						   .eta = options->eta,
						   .seed = (double) options->seed,
						   .items = tlv_frame_int64(fit->moments, "items"),
						   .phi = fit->phi,
						   .alpha = fit->alpha,
						   .weights = fit->weights,
						   .shares = tlv_frame_float64(fit->moments, "shares"),
						   .anchors = fit->anchors,
						   .anchor_distances = fit->distance,
						   .diagnostics = &fit->diagnostics};

	tlv_lda_alpha(fit->k, fit->alpha0, fit->weights, fit->alpha);
	TLV_TRY(sort_topics(ctx, fit, &parts));
	return tlv_lda_write(ctx, &parts, image, size);
}

tlv_status
tlv_lda_fit_anchors(tlv_context *ctx, const tlv_frame *moments, const tlv_lda_options *options,
					void **image, size_t *size)
{
	anchor_fit fit = {0};
	size_t wanted;

	if (!isnan(options->alpha0) && !(options->alpha0 >= 0 && options->alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6",
						options->alpha0);
	TLV_TRY(open_moments(ctx, moments, options, &fit));
	wanted = fit.k;
	TLV_TRY(find_directions(ctx, options, &fit));
	TLV_TRY(make_rows(ctx, &fit));
	TLV_TRY(choose_anchors(ctx, options, &fit));
	TLV_TRY(recover_topics(ctx, &fit));
	TLV_TRY(find_alpha0(ctx, options, &fit));
	TLV_TRY(diagnose_anchors(ctx, &fit, wanted));
	return write_anchors(ctx, options, &fit, image, size);
}
