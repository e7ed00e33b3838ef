/*
 * draw.c - the topics of a model as cards of their words, and how they merge (internal.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/names.h"
#include "tensorlv/num/numbers.h"

static const tlv_name_sections term_sections = {"label_offsets", "labels"};

/* Positions of the most distinctive items of topic j (tlv_lda_shrinkage) by decreasing score;
 * returns their number. */
static size_t
top_items(size_t k, size_t d, size_t j, const double *phi, const double *shares, double shrinkage,
		  size_t *top)
{
	double scores[TLV_PICTURE_WORDS] = {0};
	size_t n = 0;

	for (size_t i = 0; i < d; i++)
	{
		double score = phi[i * k + j] / (shares[i] + shrinkage);
		size_t at;

		if (!(score > 0) || (n == TLV_PICTURE_WORDS && score <= scores[n - 1]))
			continue;
		n += n < TLV_PICTURE_WORDS;
		for (at = n - 1; at > 0 && scores[at - 1] < score; at--)
		{
			scores[at] = scores[at - 1];
			top[at] = top[at - 1];
		}
		scores[at] = score;
		top[at] = i;
	}
	return n;
}

/* Words that name a topic in the tree, and the bytes that they take. */
#define NAMING_WORDS   3
#define LDA_NAME_BYTES 256

/* The first words of a topic, or its label. */
static tlv_text
name_topic(const tlv_picture_component *component, size_t n, const tlv_picture_word *words,
		   char *room)
{
	size_t length = 0;

	if (component->label.bytes != NULL)
		return component->label;
	for (size_t w = 0; w < tlv_least(n, NAMING_WORDS); w++)
	{
		const tlv_text *name = &words[w].name;

		if (length + name->length + 1 > LDA_NAME_BYTES)
			break;
		if (w > 0)
			room[length++] = ' ';
		memcpy(room + length, name->bytes, name->length);
		length += name->length;
	}
	return (tlv_text){room, length};
}

/* Half the L1 distances of the first n topics, n x n. */
static tlv_status
topic_distances(tlv_context *ctx, size_t n, size_t k, size_t d, const double *phi, double *distance)
{
	for (size_t i = 0; i < d; i++)
	{
		const double *row = phi + i * k;

		LDA_TRY_LOOK(ctx, i, n * n);
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < a; b++)
				distance[a * n + b] += fabs(row[a] - row[b]) / 2;
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < a; b++)
			distance[b * n + a] = distance[a * n + b];
	return TLV_OK;
}

/* Below the cards: topics merged by their distance, the two nearest first. */
static tlv_status
draw_mergers(tlv_context *ctx, const tlv_frame *model, size_t d, const double *phi, size_t n,
			 const tlv_picture_component *components, const tlv_text *names, tlv_picture *picture)
{
	size_t k = tlv_frame_find(model, "phi")->rows, count;
	double *distance, *weights;
	tlv_merger *mergers;
	tlv_picture_joint *joints;

	TLV_TRY_NEW0_ROWS(ctx, distance, n, n);
	TLV_TRY_NEW(ctx, weights, k);
	TLV_TRY_NEW(ctx, mergers, n);
	TLV_TRY_NEW(ctx, joints, n);
	TLV_TRY(tlv_model_weights(ctx, model, weights));
	TLV_TRY(topic_distances(ctx, n, k, d, phi, distance));
	TLV_TRY(tlv_merge_components(ctx, n, distance, weights, 1, mergers, &count, NULL));
	for (size_t i = 0; i < count; i++)
		joints[i] = (tlv_picture_joint){mergers[i].a, mergers[i].b, mergers[i].distance};
	TLV_TRY(tlv_draw_joints(ctx, picture, n, components, names, count, joints));
	tlv_free(ctx, distance);
	tlv_free(ctx, weights);
	tlv_free(ctx, mergers);
	tlv_free(ctx, joints);
	return TLV_OK;
}

tlv_status
tlv_lda_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_section *section = tlv_frame_find(model, "phi");
	const tlv_name_list terms = tlv_name_list_of(model, &term_sections);
	const int64_t *items = tlv_frame_int64(model, "items");
	size_t k = section->rows, d = section->columns, top[TLV_PICTURE_WORDS];
	size_t drawn = tlv_least(k, TLV_PICTURE_COMPONENTS);
	tlv_text names[TLV_PICTURE_COMPONENTS];
	char *rooms;
	char numbers[TLV_PICTURE_WORDS][24];
	tlv_picture_component *components;
	const double *shares = tlv_frame_float64(model, "shares");
	double *phi, shrinkage;

	TLV_TRY(tlv_picture_components(ctx, model, "topic", &components));
	TLV_TRY(tlv_lda_shrinkage(ctx, model, &shrinkage));
	TLV_TRY_NEW_ROWS(ctx, phi, k, d);
	TLV_TRY(tlv_section_numbers(ctx, model, section, phi));
	TLV_TRY_NEW(ctx, rooms, drawn * LDA_NAME_BYTES);
	for (size_t j = 0; j < drawn; j++)
	{
		size_t n = top_items(k, d, j, phi, shares, shrinkage, top);
		tlv_picture_word words[TLV_PICTURE_WORDS];

		TLV_TRY_CONTINUE(ctx);
		for (size_t w = 0; w < n; w++)
		{
			int length = snprintf(numbers[w], sizeof(numbers[w]), "%" PRId64, items[top[w]]);

			words[w] = (tlv_picture_word){.name = tlv_name_at(&terms, top[w]),
										  .share = phi[top[w] * k + j]};
			if (words[w].name.bytes == NULL)
				words[w].name = (tlv_text){numbers[w], (size_t) length};
			tlv_lda_word_interval(model, j, top[w], TLV_INTERVAL_Z, words[w].share, &words[w].low,
								  &words[w].high);
		}
		TLV_TRY(tlv_draw_words(ctx, picture, drawn, components, j, n, words));
		names[j] = name_topic(components + j, n, words, rooms + j * LDA_NAME_BYTES);
	}
	if (drawn > 2)
		TLV_TRY(draw_mergers(ctx, model, d, phi, drawn, components, names, picture));
	tlv_free(ctx, rooms);
	tlv_free(ctx, phi);
	tlv_free(ctx, components);
	return TLV_OK;
}
