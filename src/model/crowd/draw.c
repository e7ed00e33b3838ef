/*
 * draw.c - the picture of a crowd: what all workers together answer, and the workers' accuracies
 * (internal.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "internal.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/numbers.h"

/* What all workers together say: classes by rows, answers by columns in the same order. */
static tlv_status
draw_pool(tlv_context *ctx, const tlv_frame *model, const tlv_crowd_parts *parts,
		  tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_name_list heads = tlv_labels_of(model);
	double *numbers;

	TLV_TRY(tlv_picture_components(ctx, model, "class", &components));
	TLV_TRY_NEW_ROWS(ctx, numbers, parts->k, parts->k);
	for (size_t g = 0; g < parts->k; g++)
		for (size_t h = 0; h < parts->k; h++)
			numbers[h + parts->k * g] =
				parts->pool[h + parts->k * (size_t) parts->component_answers[g]];
	TLV_TRY(tlv_draw_matrix(ctx, picture, parts->k, components, parts->k, numbers, &heads));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}

/* The worker's name, or the number of one that has none, which is written to digits. */
static tlv_text
name_worker(const tlv_crowd_parts *parts, int64_t worker, char digits[24])
{
	tlv_text name = tlv_crowd_name(parts, TLV_CROWD_WORKERS, worker);

	if (name.bytes == NULL)
		name = (tlv_text){digits, (size_t) snprintf(digits, 24, "%" PRId64, worker)};
	return name;
}

static tlv_picture_word
accuracy_of(const tlv_crowd_parts *parts, size_t j, tlv_text name)
{
	double a = parts->accuracy[j], by = TLV_INTERVAL_Z * parts->accuracy_error[j];

	return (tlv_picture_word){
		.name = name, .share = a, .low = fmax(a - by, 0), .high = fmin(a + by, 1)};
}

/* The least accurate workers with the intervals of their accuracies, beside guessing. */
static tlv_status
draw_workers(tlv_context *ctx, const tlv_crowd_parts *parts, tlv_picture *picture)
{
	size_t n = tlv_least(parts->workers_n, TLV_PICTURE_COMPONENTS), *order;
	tlv_picture_word *rows;
	double *errors;
	char(*digits)[24];

	TLV_TRY_NEW(ctx, errors, parts->workers_n + 1);
	TLV_TRY_NEW(ctx, order, parts->workers_n + 1);
	TLV_TRY_NEW(ctx, rows, n + 1);
	TLV_TRY_NEW(ctx, digits, n + 1);
	for (size_t j = 0; j < parts->workers_n; j++)
		errors[j] = 1 - parts->accuracy[j];
	TLV_TRY(tlv_page_order(ctx, parts->workers_n, errors, order));
	for (size_t i = 0; i < n; i++)
		rows[i] =
			accuracy_of(parts, order[i], name_worker(parts, parts->workers[order[i]], digits[i]));
	TLV_TRY(tlv_draw_intervals(ctx, picture, n, rows, 1 / (double) parts->k));
	tlv_free(ctx, digits);
	tlv_free(ctx, rows);
	tlv_free(ctx, order);
	tlv_free(ctx, errors);
	return TLV_OK;
}

tlv_status
tlv_crowd_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_crowd_parts parts;

	tlv_crowd_read(model, &parts);
	TLV_TRY(draw_pool(ctx, model, &parts, picture));
	return draw_workers(ctx, &parts, picture);
}
