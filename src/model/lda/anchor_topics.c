/*
 * anchor_topics.c - anchors, topics, their prior and the model, of rows of the co-occurrence
 * (anchor_topics.h).
 */
#include "anchor_topics.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"

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
	if (fit->frequency[*at] >= TLV_LDA_ANCHOR_DOCUMENTS)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the anchor \"%.60s\" is in %.0f %s only", text,
			 fit->frequency[*at],
			 tlv_plural((double) (fit->frequency[*at]), "document", "documents"));
	return tlv_fail_hint(ctx, "Anchors must be in at least %d documents.",
						 TLV_LDA_ANCHOR_DOCUMENTS);
}

static tlv_status
find_given(tlv_context *ctx, const anchor_fit *fit, const tlv_lda_anchors *given, int32_t *members)
{
	tlv_dictionary dictionary;
	uint8_t *taken;

	TLV_TRY_NEW0(ctx, taken, fit->d);
	TLV_TRY(tlv_dictionary_freeze(ctx, &dictionary, fit->d, fit->items));
	for (size_t m = 0; m < given->first[given->n]; m++)
	{
		char digits[24];
		const char *text = given->texts != NULL ? given->texts[m] : digits;

		TLV_TRY_CONTINUE_AT(ctx, m);
		snprintf(digits, sizeof(digits), "%lld", (long long) given->items[m]);
		TLV_TRY(find_anchor(ctx, fit, &dictionary, given->items[m], text, &members[m]));
		if (taken[members[m]])
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "the anchor \"%.60s\" is given twice", text);
			return tlv_fail_hint(ctx, "An item can be an anchor of one topic only.");
		}
		taken[members[m]] = 1;
	}
	tlv_dictionary_clear(ctx, &dictionary);
	tlv_free(ctx, taken);
	return TLV_OK;
}

tlv_status
tlv_lda_choose_anchors(tlv_context *ctx, const tlv_lda_options *options, anchor_fit *fit)
{
	const tlv_lda_anchors *given = &options->anchors;
	tlv_anchor_points points = {fit->d,		fit->dims,	 fit->rows,
								fit->noise, fit->totals, fit->candidate};
	tlv_anchor_seeds seeds = {.n = given->n, .first = given->first};
	int32_t *members;

	if (given->n > fit->k)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu %s given for %zu %s", given->n,
				 tlv_plural((double) given->n, "anchor is", "anchors are"), fit->k,
				 tlv_plural((double) fit->k, "topic", "topics"));
		return tlv_fail_hint(ctx, "Give k => %zu, or fewer anchors.", given->n);
	}
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
		fit->topics.phi[i * fit->k + to] =
			shares[i * found + j] * (fit->totals[i] / fit->tokens) / fit->topics.weights[to];
	fit->topics.anchors[to] = fit->items[fit->corners.points[j]];
	fit->topics.distance[to] = fit->corners.distance[j] != 0 ? fit->corners.distance[j] : -DBL_MIN;
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
	TLV_TRY_NEW(ctx, fit->topics.weights, 3 * found);
	fit->topics.alpha = fit->topics.weights + found;
	fit->topics.distance = fit->topics.alpha + found;
	TLV_TRY_NEW(ctx, fit->topics.anchors, found);
	TLV_TRY_NEW_ROWS(ctx, fit->topics.phi, found, fit->d);
	return TLV_OK;
}

tlv_status
tlv_lda_topics_of_mixtures(tlv_context *ctx, anchor_fit *fit)
{
	size_t found = fit->corners.k, kept = 0;
	double *weights, total = 0;

	TLV_TRY_NEW(ctx, weights, found);
	TLV_TRY(allocate_topics(ctx, fit, found));
	fit->k = 0;
	for (size_t j = 0; j < found; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		weights[j] = weight_of(fit, fit->mixtures, found, j);
		fit->k += weights[j] >= TLV_EM_LEAST;
	}
	if (fit->k == 0)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "no topic has words");
	for (size_t j = 0; j < found; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (weights[j] < TLV_EM_LEAST)
			continue;
		fit->topics.weights[kept] = weights[j];
		keep_topic(fit, fit->mixtures, found, j, kept);
		total += fit->topics.weights[kept++];
	}
	for (size_t j = 0; j < fit->k; j++)
		fit->topics.weights[j] /= total;
	tlv_free(ctx, fit->mixtures);
	tlv_free(ctx, weights);
	fit->mixtures = NULL;
	return TLV_OK;
}

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

tlv_status
tlv_lda_anchor_prior(tlv_context *ctx, const tlv_lda_options *options, anchor_second find_second,
					 anchor_fit *fit)
{
	size_t k = fit->k;
	double *second, *means;
	tlv_status status;

	fit->alpha0 = options->alpha0;
	fit->searched = isnan(options->alpha0);
	if (!fit->searched)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, second, k, k);
	TLV_TRY_NEW(ctx, means, k);
	status = find_second(ctx, fit, second);
	if (status != TLV_OK && status != TLV_BAD_DATA) /* topics that are alike have none */
		return status;
	if (status == TLV_OK && k > 1)
		fit->alpha0 = tlv_lda_alpha0(k, second, means);
	if (isnan(fit->alpha0))
		fit->alpha0 = START_ALPHA * (double) k;
	tlv_free(ctx, means);
	tlv_free(ctx, second);
	return TLV_OK;
}

tlv_status
tlv_lda_anchor_alpha0(tlv_context *ctx, const tlv_lda_options *options)
{
	if (!isnan(options->alpha0) && !(options->alpha0 >= 0 && options->alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6",
						options->alpha0);
	return TLV_OK;
}

/* ---- the model ---- */

static tlv_status
diagnose_anchors(tlv_context *ctx, anchor_fit *fit, size_t wanted)
{
	static const char *const counters[] = {"documents", "skipped", "nulls", "tokens"};
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
	if (visible < wanted)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "anchors_below_noise",
										.score = (double) visible,
										.hint = "Compare the model with method => 'tensor' on "
												"held-out documents, or use a smaller k."},
						 "only %zu of %zu topics have words of their own above the noise", visible,
						 wanted));
	if (fit->k < fit->corners.k)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "empty_component",
										.score = (double) (fit->corners.k - fit->k),
										.hint = "Use a smaller k."},
						 "%zu %s removed", fit->corners.k - fit->k,
						 tlv_plural((double) (fit->corners.k - fit->k), "topic without words was",
									"topics without words were")));
	return TLV_OK;
}

/* Anchors follow their topics. */
static tlv_status
sort_topics(tlv_context *ctx, anchor_fit *fit, tlv_lda_parts *parts)
{
	int64_t *order;

	TLV_TRY_NEW(ctx, order, fit->k);
	tlv_order_weights(fit->k, fit->topics.weights, order);
	TLV_TRY(tlv_lda_order_anchors(ctx, fit->k, order, &parts->anchors, &parts->anchor_distances));
	TLV_TRY(tlv_lda_sort_topics(ctx, fit->k, fit->d, fit->topics.phi, fit->topics.alpha,
								fit->topics.weights));
	tlv_free(ctx, order);
	return TLV_OK;
}

tlv_status
tlv_lda_write_anchors(tlv_context *ctx, const tlv_lda_options *options, size_t wanted,
					  anchor_fit *fit, void **image, size_t *size)
{
	tlv_lda_parts parts = {.k = fit->k,
						   .d = fit->d,
						   .alpha0 = fit->alpha0,
						   .alpha0_free = fit->searched || options->alpha0_free,
						   .eta = options->eta,
						   .seed = (double) options->seed,
						   .items = fit->items,
						   .phi = fit->topics.phi,
						   .alpha = fit->topics.alpha,
						   .weights = fit->topics.weights,
						   .shares = fit->shares,
						   .anchors = fit->topics.anchors,
						   .anchor_distances = fit->topics.distance,
						   .diagnostics = &fit->diagnostics};

	TLV_TRY(diagnose_anchors(ctx, fit, wanted));
	tlv_lda_alpha(fit->k, fit->alpha0, fit->topics.weights, fit->topics.alpha);
	TLV_TRY(sort_topics(ctx, fit, &parts));
	return tlv_lda_write(ctx, &parts, image, size);
}
