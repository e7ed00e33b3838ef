/*
 * memory.c - sequences in memory, and their statistics under a model (learn.h).
 */
#include <string.h>

#include "learn.h"
#include "tensorlv/model/kind.h"

/* n steps of a sequence from `first` on. */
static tlv_row
part_of_row(const tlv_row *row, size_t first, size_t n)
{
	tlv_row piece = *row;
	tlv_part *part = &piece.part[0];
	size_t d = row->form == TLV_ROW_SYMBOLS ? 1 : part->d;

	part->n = n;
	if (row->form == TLV_ROW_SYMBOLS)
		part->ids += first;
	else
		part->float64 += first * d;
	if (part->missing != NULL)
		part->missing += first * d;
	return piece;
}

tlv_status
tlv_hmm_data_head(tlv_context *ctx, const tlv_hmm_data *data, double steps, tlv_hmm_data *head)
{
	memset(head, 0, sizeof(*head));
	TLV_TRY_NEW(ctx, head->rows, data->n);
	while (head->n < data->n && head->steps < steps)
	{
		const tlv_row *row = &data->rows[head->n];
		double left = steps - head->steps;
		size_t n = (double) row->part[0].n < left ? row->part[0].n : (size_t) left;

		if (n == 0)
			break;
		head->rows[head->n++] = part_of_row(row, 0, n);
		head->steps += (double) n;
	}
	return TLV_OK;
}

tlv_status
tlv_hmm_data_cut(tlv_context *ctx, const tlv_hmm_data *data, size_t most, tlv_hmm_data *cut)
{
	size_t pieces = 0;

	memset(cut, 0, sizeof(*cut));
	for (size_t i = 0; i < data->n; i++)
		pieces += (data->rows[i].part[0].n + most - 1) / most;
	TLV_TRY_NEW(ctx, cut->rows, pieces);
	for (size_t i = 0; i < data->n; i++)
		for (size_t at = 0, n = data->rows[i].part[0].n; at < n; at += most)
			cut->rows[cut->n++] = part_of_row(&data->rows[i], at, tlv_least(most, n - at));
	cut->steps = data->steps;
	return TLV_OK;
}

static tlv_status
collect_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_hmm_data *data,
				   tlv_frame_builder *builder, void **image, size_t *size)
{
	tlv_accumulator *accumulator;
	tlv_model *open;

	TLV_TRY(tlv_hmm_open(ctx, model, &open));
	TLV_TRY(tlv_hmm_statistics(ctx, open, NULL, &accumulator));
	for (size_t i = 0; i < data->n; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		TLV_TRY(tlv_add(ctx, accumulator, &data->rows[i]));
	}
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	return TLV_OK;
}

tlv_status
tlv_hmm_evaluate(tlv_context *ctx, const tlv_frame *model, const tlv_hmm_data *data, void **image,
				 size_t *size)
{
	tlv_scratch scratch;
	tlv_status status = TLV_OK;
	tlv_frame_builder *builder;

	tlv_scratch_begin(ctx, &scratch);
	builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));
	if (builder == NULL)
		status = ctx->error.code;
	else
		status = collect_statistics(ctx, model, data, builder, image, size);
	if (status == TLV_OK)
		tlv_scratch_keep(ctx, *image);
	tlv_scratch_end(ctx, &scratch);
	return status;
}
