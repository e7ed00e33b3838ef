/*
 * fixed.c - topics that stay as they are while the others are learnt (lda.h).
 */
#include "tensorlv/model/lda.h"

#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/plural.h"

bool
tlv_lda_is_fixed(const double *fixed, size_t topic)
{
	return fixed != NULL && fixed[topic] != 0;
}

size_t
tlv_lda_fixed_topics(const tlv_frame *given)
{
	size_t k = tlv_frame_find(given, "phi")->rows, n = 0;

	for (size_t j = 0; j < k; j++)
		n += !tlv_component_is_absent(given, j);
	return n;
}

tlv_status
tlv_lda_order_fixed(tlv_context *ctx, size_t k, const int64_t *order, const double **fixed)
{
	double *numbers;

	if (*fixed == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, numbers, k);
	for (size_t j = 0; j < k; j++)
		numbers[j] = (*fixed)[order[j]];
	*fixed = numbers;
	return TLV_OK;
}

tlv_status
tlv_lda_keep_fixed(tlv_context *ctx, const tlv_lda_parts *parts, double *phi)
{
	if (parts->fixed == NULL)
		return TLV_OK;
	for (size_t i = 0; i < parts->d; i++)
	{
		LDA_TRY_LOOK(ctx, i, parts->k);
		for (size_t j = 0; j < parts->k; j++)
			if (parts->fixed[j] != 0)
				phi[i * parts->k + j] = parts->phi[i * parts->k + j];
	}
	return TLV_OK;
}

/* ---- given topics in the place of those that are nearest ---- */

typedef struct fixing
{
	const tlv_frame *model, *given;
	size_t k; /* of the model */
	size_t n; /* given topics that are there */
	size_t d; /* items of either */
	int64_t *items;
	size_t common;	 /* of both */
	size_t *number;	 /* n: which topics of the given model they are */
	double *phi;	 /* k x d: the model's, then those that there will be */
	double *topics;	 /* n x d: the given ones */
	int64_t *places; /* n: of the model's topics */
	double *fixed;	 /* k: the number of the given topic from 1, 0: none */
} fixing;

/* The given topics that are there. */
static tlv_status
take_given(tlv_context *ctx, fixing *f)
{
	size_t k = tlv_frame_find(f->given, "phi")->rows;
	double *all;

	f->n = tlv_lda_fixed_topics(f->given);
	TLV_TRY_NEW(ctx, f->number, f->n);
	f->n = 0;
	for (size_t j = 0; j < k; j++)
		if (!tlv_component_is_absent(f->given, j))
			f->number[f->n++] = j;
	TLV_TRY(tlv_lda_topics_over(ctx, f->given, f->d, f->items, &all));
	TLV_TRY_NEW_ROWS(ctx, f->topics, f->n, f->d);
	for (size_t i = 0; i < f->d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < f->n; j++)
			f->topics[i * f->n + j] = all[i * k + f->number[j]];
	}
	tlv_free(ctx, all);
	return TLV_OK;
}

static tlv_status
open_fixing(tlv_context *ctx, fixing *f)
{
	size_t known = tlv_frame_find(f->model, "items")->rows;
	size_t others = tlv_frame_find(f->given, "items")->rows;

	TLV_TRY(tlv_lda_union_items(ctx, f->model, f->given, &f->d, &f->items));
	if (known + others == f->d)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "no document holds an item of the fixed topics");
		return tlv_fail_hint(ctx, "Learn both from items of one type: terms of texts have other "
								  "ids than numbers.");
	}
	TLV_TRY(tlv_require_memory(ctx,
							   sizeof(double) * (double) f->d *
								   (double) (f->k + 2 * tlv_frame_find(f->given, "phi")->rows),
							   "the fixed topics"));
	TLV_TRY(tlv_lda_topics_over(ctx, f->model, f->d, f->items, &f->phi));
	return take_given(ctx, f);
}

static tlv_status
put_topics(tlv_context *ctx, fixing *f)
{
	double *distance;

	TLV_TRY_NEW(ctx, f->places, f->n);
	TLV_TRY_NEW(ctx, distance, f->n);
	TLV_TRY_NEW0(ctx, f->fixed, f->k);
	TLV_TRY(tlv_topic_match(ctx, f->d, f->n, f->topics, f->k, f->phi, f->places, distance));
	for (size_t j = 0; j < f->n; j++)
		f->fixed[f->places[j]] = (double) (f->number[j] + 1);
	for (size_t i = 0; i < f->d; i++)
	{
		LDA_TRY_LOOK(ctx, i, f->n);
		for (size_t j = 0; j < f->n; j++)
			f->phi[i * f->k + (size_t) f->places[j]] = f->topics[i * f->n + j];
	}
	tlv_free(ctx, distance);
	return TLV_OK;
}

/* Of items that no document holds the corpus has no share. */
static tlv_status
shares_over(tlv_context *ctx, const fixing *f, double **shares)
{
	const double *own = tlv_frame_float64(f->model, "shares");
	const int64_t *items = tlv_frame_int64(f->model, "items");
	size_t n = tlv_frame_find(f->model, "items")->rows, at = 0;

	TLV_TRY_NEW0(ctx, *shares, f->d);
	for (size_t i = 0; i < f->d && at < n; i++)
		if (items[at] == f->items[i])
			(*shares)[i] = own[at++];
	return TLV_OK;
}

/* A given topic has no anchor. */
static tlv_status
anchors_left(tlv_context *ctx, const fixing *f, tlv_lda_parts *parts)
{
	double *distances;

	if (parts->anchors == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, distances, f->k);
	for (size_t j = 0; j < f->k; j++)
		distances[j] = f->fixed[j] != 0 ? 0 : parts->anchor_distances[j];
	parts->anchor_distances = distances;
	return TLV_OK;
}

tlv_status
tlv_lda_fix(tlv_context *ctx, const tlv_frame *model, const tlv_frame *given, void **image,
			size_t *size)
{
	fixing f = {.model = model, .given = given, .k = tlv_frame_find(model, "phi")->rows};
	tlv_diagnostics diagnostics = {0};
	tlv_lda_parts parts;
	double *shares;

	if (tlv_lda_fixed_topics(given) > f.k)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu %s fixed, more than k = %zu",
				 tlv_lda_fixed_topics(given),
				 tlv_plural((double) (tlv_lda_fixed_topics(given)), "topic is", "topics are"), f.k);
		return tlv_fail_hint(ctx, "k counts the fixed topics and those that are learnt.");
	}
	tlv_sections_read(model, tlv_kind_lda.model->sections, &parts);
	TLV_TRY(open_fixing(ctx, &f));
	TLV_TRY(put_topics(ctx, &f));
	TLV_TRY(shares_over(ctx, &f, &shares));
	TLV_TRY(anchors_left(ctx, &f, &parts));
	TLV_TRY(tlv_lda_copy_diagnostics(ctx, model, &diagnostics));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) f.n, "fixed_topics"));
	parts.d = f.d;
	parts.items = f.items;
	parts.phi = f.phi;
	parts.shares = shares;
	parts.fixed = f.fixed;
	parts.labels = NULL;
	parts.label_offsets = NULL;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_lda_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	return TLV_OK;
}

tlv_status
tlv_lda_label_fixed(tlv_context *ctx, const tlv_frame *model, const tlv_frame *given, void **image,
					size_t *size)
{
	size_t k = tlv_frame_find(model, "phi")->rows;
	const double *fixed = tlv_frame_float64(model, "fixed");
	tlv_text *labels;

	TLV_TRY_NEW0(ctx, labels, k);
	for (size_t j = 0; j < k; j++)
		if (tlv_lda_is_fixed(fixed, j))
			labels[j] = tlv_component_label(given, (size_t) fixed[j] - 1);
	TLV_TRY(tlv_labels_put(ctx, model, labels, image, size));
	tlv_free(ctx, labels);
	return TLV_OK;
}
