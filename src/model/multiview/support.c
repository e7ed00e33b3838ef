/*
 * support.c - mixtures of three views learnt anew from parts of the rows
 * (tensorlv/model/support.h).
 */
#include "tensorlv/model/support.h"

#include "internal.h"
#include "tensorlv/model/dense.h"

static size_t
multiview_sample_count(const void *fit, const tlv_frame *model)
{
	tlv_multiview_parts parts;
	size_t d;

	(void) fit;
	tlv_multiview_read(model, &parts);
	d = is_categorical(&parts) ? TLV_SAMPLE_HALVES : parts.d[0] + parts.d[1] + parts.d[2];
	return tlv_least(TLV_SUPPORT_ROWS, TLV_SUPPORT_NUMBERS / d + 1);
}

static tlv_status
rows_of_ids(tlv_context *ctx, size_t n, const double *x, tlv_row *rows)
{
	int64_t *ids;

	TLV_TRY_NEW_ROWS(ctx, ids, n, 3);
	for (size_t i = 0; i < 3 * n; i++)
		ids[i] = tlv_sample_id(x + 2 * i);
	for (size_t i = 0; i < n; i++)
		rows[i] = *TLV_AS_CATEGORIES(ids + 3 * i);
	return TLV_OK;
}

static tlv_status
multiview_sample_rows(tlv_context *ctx, const tlv_frame *model, const tlv_frame *sample, size_t *n,
					  tlv_row **rows, bool *complete)
{
	tlv_multiview_parts parts;
	const size_t *d = parts.d;
	double *x;

	tlv_multiview_read(model, &parts);
	TLV_TRY(tlv_row_sample_rows(ctx, sample, n, &x));
	*complete = (double) *n >= tlv_frame_scalar(sample, "seen", 0);
	TLV_TRY_NEW(ctx, *rows, *n);
	if (is_categorical(&parts))
		return rows_of_ids(ctx, *n, x, *rows);
	for (size_t i = 0; i < *n; i++, x += d[0] + d[1] + d[2])
	{
		const double *views[3] = {x, x + d[0], x + d[0] + d[1]};

		(*rows)[i] = *TLV_AS_VIEWS(d, views);
	}
	return TLV_OK;
}

static tlv_status
multiview_learn_part(tlv_context *ctx, const void *fit, const tlv_frame *model, size_t n,
					 const tlv_row *rows, uint64_t seed, void **image, size_t *size)
{
	tlv_multiview_learn_options options = *(const tlv_multiview_learn_options *) fit;
	tlv_memory_source list;
	tlv_held part;

	options.fit.k = tlv_model_components(model);
	options.fit.seed = seed;
	tlv_source_of_list(&list, n, rows);
	list.source.rows.form = rows[0].form;
	TLV_TRY(tlv_learn(ctx, &tlv_multiview_procedure, &options, &list.source, false, &part));
	*image = part.image;
	*size = part.size;
	return TLV_OK;
}

const tlv_support_class tlv_multiview_support = {
	"component",		   "spurious_component", &tlv_aggregate_row_sample, multiview_sample_count,
	multiview_sample_rows, multiview_learn_part};
