/*
 * merge.c - several components of a model as one (layout.h).
 *
 * The merged component is the mixture of its parts: weights are added, probabilities and means are
 * averaged by weight, and a covariance is the average covariance plus that of the means.
 */
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/num/linalg.h"

typedef struct merging
{
	const tlv_frame *model;
	size_t k, to;		 /* components, and the one that the others become */
	const bool *marked;	 /* k: to is one of them */
	const double *share; /* k: of the marked ones, summing to 1 */
} merging;

/* A section as doubles; by_rows: value i of component j is at j + i * k, otherwise at i + j * n. */
typedef struct merged_section
{
	double *values;
	size_t n; /* values of a component */
	bool by_rows;
} merged_section;

static double *
value_at(const merging *all, const merged_section *section, size_t i, size_t j)
{
	return section->values + (section->by_rows ? j + i * all->k : i + j * section->n);
}

static double
mean_value(const merging *all, const merged_section *section, size_t i)
{
	double mean = 0;

	for (size_t j = 0; j < all->k; j++)
		if (all->marked[j])
			mean += all->share[j] * *value_at(all, section, i, j);
	return mean;
}

/* Covariance of values a and b of the means between the components. */
static double
between(const merging *all, const merged_section *means, size_t a, size_t b)
{
	double sum = 0, mean_a = mean_value(all, means, a), mean_b = mean_value(all, means, b);

	for (size_t j = 0; j < all->k; j++)
		if (all->marked[j])
			sum += all->share[j] * (*value_at(all, means, a, j) - mean_a) *
				   (*value_at(all, means, b, j) - mean_b);
	return sum;
}

/* Covariance between the components that value i of their variances gains: a packed matrix, one
 * variance of all dimensions, or one of each. */
static double
gained(const merging *all, const merged_section *variances, const merged_section *means,
	   bool packed, size_t i)
{
	double sum = 0;

	if (packed)
	{
		size_t a = 0;

		while (tlv_packed2_size(a + 1) <= i)
			a++;
		return between(all, means, a, i - tlv_packed2_size(a));
	}
	if (variances->n == means->n)
		return between(all, means, i, i);
	for (size_t a = 0; a < means->n; a++)
		sum += between(all, means, a, a) / (double) means->n;
	return sum;
}

static tlv_status
read_section(tlv_context *ctx, const merging *all, const tlv_field *field,
			 const tlv_section *section, merged_section *read)
{
	read->by_rows = (field->flags & TLV_OF_ROWS) != 0;
	read->n = read->by_rows ? section->columns : section->rows;
	TLV_TRY_NEW_ROWS(ctx, read->values, section->rows, section->columns);
	return tlv_section_numbers(ctx, all->model, section, read->values);
}

/* Values that are sums leave the other components; all others keep theirs until they go.  The mean
 * of Poisson variances is the mean of the means: they gain nothing. */
static tlv_status
combine(tlv_context *ctx, const merging *all, const tlv_field *field, const merged_section *section,
		const merged_section *means, const int64_t *counts)
{
	bool sums = (field->flags & TLV_ZERO_ABSENT) != 0;

	for (size_t i = 0; i < section->n; i++)
	{
		double value;

		if (means != NULL)
			TLV_TRY_CONTINUE(ctx);
		else
			TLV_TRY_CONTINUE_AT(ctx, i);
		value = sums ? 0 : mean_value(all, section, i);
		if (means != NULL && !(counts != NULL && counts[i] == 1))
			value += gained(all, section, means, field->form == TLV_FIELD_SYMMETRIC, i);
		for (size_t j = 0; sums && j < all->k; j++)
			if (all->marked[j])
			{
				value += *value_at(all, section, i, j);
				*value_at(all, section, i, j) = 0;
			}
		*value_at(all, section, i, all->to) = value;
	}
	return TLV_OK;
}

static tlv_status
merge_add_section(tlv_context *ctx, const merging *all, const tlv_field *field,
				  const tlv_section *section, tlv_frame_builder *builder)
{
	const tlv_layout *layout = tlv_layout_of(all->model);
	merged_section merged, means;
	const tlv_spread *own = NULL;
	const int64_t *counts = NULL;

	for (const tlv_spread *spread = layout->spreads; spread->variances != NULL; spread++)
		if (strcmp(spread->variances, field->name) == 0)
			own = spread;
	TLV_TRY(read_section(ctx, all, field, section, &merged));
	if (own != NULL)
		TLV_TRY(read_section(ctx, all, tlv_layout_field(layout, own->means),
							 tlv_frame_find(all->model, own->means), &means));
	if (own != NULL && own->counts != NULL)
		counts = tlv_frame_int64(all->model, own->counts);
	TLV_TRY(combine(ctx, all, field, &merged, own != NULL ? &means : NULL, counts));
	tlv_narrow_numbers(section->element, section->rows * section->columns, merged.values);
	tlv_frame_add(builder, field->name, section->element, section->rows, section->columns,
				  merged.values);
	return TLV_OK;
}

static bool
is_merged(const tlv_field *field, const tlv_section *section)
{
	return section != NULL && (field->flags & (TLV_OF_ROWS | TLV_OF_COLUMNS)) != 0 &&
		   section->element != TLV_INT64;
}

/* Which variances all components share; NULL: each has its own. */
static const tlv_spread *
shared_variance(const merging *all)
{
	const tlv_spread *spread = tlv_layout_of(all->model)->spreads;
	size_t parts = 0;

	for (size_t j = 0; j < all->k; j++)
		parts += all->marked[j];
	for (; parts > 1 && spread->variances != NULL; spread++)
		if (spread->own != NULL &&
			tlv_frame_scalar(all->model, spread->own, spread->separate) == spread->shared)
			return spread;
	return NULL;
}

/* The model with what the marked components have in one of them. */
static tlv_status
move_marked(tlv_context *ctx, const merging *all, void **image, size_t *size)
{
	const tlv_layout *layout = tlv_layout_of(all->model);
	const char *names[TLV_FRAME_MAX_SECTIONS + 2];
	const tlv_spread *shared = shared_variance(all);
	tlv_frame_builder *builder;
	size_t n = 0;

	if (layout->merge != NULL)
		return layout->merge(ctx, all->model, all->marked, all->to, image, size);
	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, all->model->header->kind);
	for (const tlv_field *field = layout->fields; field->form != TLV_FIELDS_END; field++)
		if (is_merged(field, tlv_frame_find(all->model, field->name)))
			names[n++] = field->name;
	names[n] = shared != NULL ? shared->own : NULL;
	names[n + 1] = NULL;
	tlv_frame_add_from(builder, all->model, names);
	if (shared != NULL)
		tlv_frame_add_scalar(builder, shared->own, shared->separate);
	for (size_t i = 0; i < n; i++)
		TLV_TRY(merge_add_section(ctx, all, tlv_layout_field(layout, names[i]),
								  tlv_frame_find(all->model, names[i]), builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

tlv_status
tlv_model_merge(tlv_context *ctx, const tlv_frame *model, size_t n, const int32_t *components,
				void **image, size_t *size)
{
	merging all = {.model = model, .k = tlv_model_components(model)};
	size_t left = 0;
	tlv_place *places;
	tlv_frame moved;
	double *share, total = 0;
	bool *marked;

	TLV_TRY_NEW(ctx, share, all.k);
	TLV_TRY_NEW(ctx, places, all.k);
	TLV_TRY_NEW0(ctx, marked, all.k);
	TLV_TRY(tlv_model_weights(ctx, model, share));
	TLV_TRY(tlv_mark_components(ctx, "merge", all.k, n, components, marked));
	for (size_t j = all.k; j-- > 0;)
		if (marked[j])
		{
			total += share[j];
			all.to = j;
		}
	if (!(total > 0))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the components to merge have no weight");
	for (size_t j = 0; j < all.k; j++)
	{
		share[j] /= total;
		if (!marked[j] || j == all.to)
			places[left++] = (tlv_place){(int64_t) j, -1};
	}
	all.marked = marked;
	all.share = share;
	TLV_TRY(move_marked(ctx, &all, image, size));
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &moved));
	TLV_TRY(tlv_model_arrange(ctx, &moved, NULL, left, places, image, size));
	return tlv_kind_require_made(ctx, *image, *size);
}
