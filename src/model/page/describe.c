/*
 * describe.c - what a model and its components are, in words (page.h): the entries of each
 * component that the scripts of a page show first.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/model/page.h"

/* Most entries that describe a component. */
#define ENTRIES 5

/* A section whose entries are read: of component j the entry i is numbers[j * step + i * stride].
 */
typedef struct content
{
	const tlv_page_content *as;
	tlv_page_content_form form;
	size_t n, step, stride;
	double *numbers;
	double *mean, *deviation; /* n: over all components; NULL: of no use */
	const int64_t *ids;		  /* NULL: none */
	size_t dimensions;		  /* names of dimensions that belong to contents before this one */
	size_t categories;		  /* names of categories that do */
} content;

typedef struct describer
{
	const tlv_frame *model;
	size_t k, n;
	content *contents;
	double *weights; /* k, summing to 1 */
	tlv_name_list dimensions, categories, names;
	const int64_t *name_ids; /* NULL: the i-th name is that of the i-th id */
	size_t name_count;
} describer;

/* The strongest entries of one component. */
typedef struct entry_list
{
	size_t n;
	struct
	{
		const content *of;
		size_t i;
		double score, value;
	} best[ENTRIES];
} entry_list;

/* ---- reading ---- */

/* The variance of entry i within component j; NaN where the model does not have it. */
static double
variance_within(const tlv_section *section, unsigned flags, const double *numbers, size_t d,
				size_t j, size_t i)
{
	const double *own;

	if (section == NULL)
		return NAN;
	if ((flags & TLV_OF_ROWS) != 0)
		return numbers[i * section->rows + j];
	own = numbers + (section->columns == 1 ? 0 : j) * section->rows;
	if (section->rows == 1)
		return own[0];
	return section->rows == d ? own[i] : own[i * (i + 1) / 2 + i];
}

/* Mean and deviation of every entry over the rows: between and within components. */
static tlv_status
measure_entries(tlv_context *ctx, const describer *d, content *c)
{
	const char *name = c->as->covariances != NULL && tlv_frame_find(d->model, c->as->covariances)
						   ? c->as->covariances
						   : c->as->variances;
	const tlv_section *section = name != NULL ? tlv_frame_find(d->model, name) : NULL;
	unsigned flags = section != NULL ? tlv_layout_field(tlv_layout_of(d->model), name)->flags : 0;
	const double *kappas =
		c->as->concentrations != NULL ? tlv_frame_float64(d->model, c->as->concentrations) : NULL;
	double *within = NULL;

	if (section != NULL && section->rows * section->columns == 0)
		section = NULL;
	if (section != NULL)
	{
		TLV_TRY_NEW_ROWS(ctx, within, section->rows, section->columns);
		TLV_TRY(tlv_section_numbers(ctx, d->model, section, within));
	}
	TLV_TRY_NEW0(ctx, c->mean, c->n);
	TLV_TRY_NEW0(ctx, c->deviation, c->n);
	for (size_t i = 0; i < c->n; i++)
	{
		double variance = 0;

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t j = 0; j < d->k; j++)
			c->mean[i] += d->weights[j] * c->numbers[j * c->step + i * c->stride];
		for (size_t j = 0; j < d->k; j++)
		{
			double x = c->numbers[j * c->step + i * c->stride], apart = x - c->mean[i];
			double own = c->form == TLV_CONTENT_CATEGORIES ? x * (1 - x)
						 : kappas != NULL				   ? 1 / fmax(kappas[j], (double) c->n)
										  : variance_within(section, flags, within, c->n, j, i);

			variance += d->weights[j] * (apart * apart + (isnan(own) ? apart * apart : own));
		}
		c->deviation[i] = sqrt(variance);
	}
	tlv_free(ctx, within);
	return TLV_OK;
}

static tlv_status
read_content(tlv_context *ctx, describer *d, const tlv_page_content *as)
{
	const tlv_section *section = tlv_frame_find(d->model, as->section), *ids = NULL;
	content *c = d->contents + d->n;
	bool columns;

	if (section == NULL || section->rows * section->columns == 0)
		return TLV_OK;
	if (as->ids != NULL)
		ids = tlv_frame_find(d->model, as->ids);
	*c = (content){.as = as, .form = as->form};
	columns = (tlv_layout_field(tlv_layout_of(d->model), as->section)->flags & TLV_OF_COLUMNS) != 0;
	c->n = columns ? section->rows : section->columns;
	c->step = columns ? section->rows : 1;
	c->stride = columns ? 1 : section->rows;
	if (ids != NULL && ids->rows == c->n)
		c->ids = tlv_frame_int64(d->model, as->ids);
	/* Views have ids where they are of categories. */
	if (c->form == TLV_CONTENT_NUMBERS && c->ids != NULL)
		c->form = TLV_CONTENT_CATEGORIES;
	TLV_TRY_NEW_ROWS(ctx, c->numbers, section->rows, section->columns);
	TLV_TRY(tlv_section_numbers(ctx, d->model, section, c->numbers));
	if (c->form == TLV_CONTENT_NUMBERS || c->form == TLV_CONTENT_CATEGORIES)
		TLV_TRY(measure_entries(ctx, d, c));
	if (d->n > 0)
	{
		const content *before = c - 1;
		const tlv_section *variables = tlv_frame_find(d->model, "states");
		bool categories = before->form == TLV_CONTENT_CATEGORIES;

		c->dimensions =
			before->dimensions + (categories ? variables != NULL ? variables->rows : 0 : before->n);
		c->categories = before->categories + (categories ? before->n : 0);
	}
	d->n++;
	return TLV_OK;
}

static tlv_status
page_read_weights(tlv_context *ctx, describer *d)
{
	TLV_TRY_NEW(ctx, d->weights, d->k);
	for (size_t j = 0; j < d->k; j++)
		d->weights[j] = 1 / (double) d->k;
	if (tlv_layout_of(d->model)->weights != NULL)
		TLV_TRY(tlv_model_weights(ctx, d->model, d->weights));
	return TLV_OK;
}

static tlv_status
open_describer(tlv_context *ctx, const tlv_frame *model, const tlv_page_content *contents,
			   describer *d)
{
	const tlv_section *ids = tlv_frame_find(model, "name_ids");
	size_t n = 0;

	*d = (describer){.model = model, .k = tlv_model_components(model)};
	while (contents[n].section != NULL)
		n++;
	d->dimensions = tlv_dimension_names(model);
	d->categories =
		tlv_name_list_of(model, &(tlv_name_sections){"category_offsets", "category_names"});
	d->names = tlv_name_list_of(model, &(tlv_name_sections){"name_offsets", "names"});
	if (ids != NULL)
	{
		d->name_ids = tlv_frame_int64(model, "name_ids");
		d->name_count = ids->rows;
	}
	TLV_TRY(page_read_weights(ctx, d));
	TLV_TRY_NEW(ctx, d->contents, n + 1);
	for (size_t i = 0; i < n; i++)
		TLV_TRY(read_content(ctx, d, contents + i));
	return TLV_OK;
}

static void
close_describer(tlv_context *ctx, describer *d)
{
	for (size_t i = 0; i < d->n; i++)
	{
		tlv_free(ctx, d->contents[i].numbers);
		tlv_free(ctx, d->contents[i].mean);
		tlv_free(ctx, d->contents[i].deviation);
	}
	tlv_free(ctx, d->contents);
	tlv_free(ctx, d->weights);
}

/* ---- choosing ---- */

static size_t
most_entries(tlv_page_content_form form)
{
	switch (form)
	{
		case TLV_CONTENT_PROBABILITIES:
			return ENTRIES;
		case TLV_CONTENT_LOADINGS:
			return 4;
		default:
			return 3;
	}
}

static double
entry_score(const content *c, size_t i, double value)
{
	if (c->form == TLV_CONTENT_PROBABILITIES)
		return value;
	if (c->form == TLV_CONTENT_LOADINGS)
		return fabs(value);
	return c->deviation[i] > 0 ? fabs(value - c->mean[i]) / c->deviation[i] : 0;
}

/* Equal ones stay in the order of the entries. */
static void
offer_entry(entry_list *list, size_t most, const content *c, size_t i, double value)
{
	double score = entry_score(c, i, value);
	size_t at = list->n;

	if (c->form >= TLV_CONTENT_PROBABILITIES && !(score > 0))
		return;
	/* A category is rarer because another one of its variable is more frequent. */
	if (c->form == TLV_CONTENT_CATEGORIES && value < c->mean[i])
		return;
	while (at > 0 && score > list->best[at - 1].score)
		at--;
	if (at >= most)
		return;
	if (list->n < most)
		list->n++;
	memmove(list->best + at + 1, list->best + at, (list->n - 1 - at) * sizeof(*list->best));
	list->best[at].of = c;
	list->best[at].i = i;
	list->best[at].score = score;
	list->best[at].value = value;
}

/* ---- names ---- */

static tlv_text
name_of_id(const describer *d, const content *c, size_t i)
{
	size_t low;

	if (c->ids == NULL)
		return (tlv_text){NULL, 0};
	if (d->name_ids == NULL)
		return tlv_name_at(&d->names, i);
	low = tlv_find_id(d->name_ids, d->name_count, c->ids[i]);
	if (low == d->name_count)
		return (tlv_text){NULL, 0};
	return tlv_name_at(&d->names, low);
}

static tlv_text
name_of_dimension(const describer *d, size_t i)
{
	if (i >= tlv_model_dimensions(d->model))
		return (tlv_text){NULL, 0};
	return tlv_name_at(&d->dimensions, i);
}

static tlv_status
put_name(tlv_context *ctx, tlv_json_writer *text, tlv_text name, const char *what, int64_t number)
{
	char digits[80];

	if (name.bytes != NULL)
		return tlv_json_append(ctx, text, name.bytes, tlv_cut_length(name, TLV_PAGE_TITLE));
	snprintf(digits, sizeof(digits), "%.40s%s%" PRId64, what, what[0] != '\0' ? " " : "", number);
	return tlv_json_put(ctx, text, digits);
}

/* A variable, or a view, and one of its categories. */
static tlv_status
put_category(tlv_context *ctx, const describer *d, const content *c, size_t i,
			 tlv_json_writer *text)
{
	const tlv_section *variables = tlv_frame_find(d->model, "states");
	tlv_text name = tlv_name_at(&d->categories, c->categories + i);

	if (variables != NULL)
	{
		const int64_t *states = tlv_frame_int64(d->model, "states");
		size_t v = 0;

		for (; i >= (size_t) states[v]; v++)
			i -= (size_t) states[v];
		TLV_TRY(put_name(ctx, text, name_of_dimension(d, v), c->as->what, (int64_t) v + 1));
		TLV_TRY(tlv_json_put(ctx, text, ": "));
		return put_name(ctx, text, name, "", (int64_t) i);
	}
	TLV_TRY(tlv_json_put(ctx, text, c->as->what));
	TLV_TRY(tlv_json_put(ctx, text, " "));
	return put_name(ctx, text, name, "", c->ids[i]);
}

static tlv_status
page_put_entry(tlv_context *ctx, const describer *d, const content *c, size_t i, double value,
			   tlv_json_writer *text)
{
	char number[48];

	if (c->form == TLV_CONTENT_CATEGORIES)
		TLV_TRY(put_category(ctx, d, c, i, text));
	else if (c->ids != NULL)
	{
		tlv_text name = name_of_id(d, c, i);

		/* Modes may have elements of the same name. */
		if (name.bytes != NULL && strchr(c->as->what, ':') != NULL)
		{
			TLV_TRY(tlv_json_put(ctx, text, c->as->what));
			TLV_TRY(tlv_json_put(ctx, text, " "));
		}
		TLV_TRY(put_name(ctx, text, name, c->as->what, c->ids[i]));
	}
	else
		TLV_TRY(put_name(ctx, text, name_of_dimension(d, c->dimensions + i), c->as->what,
						 (int64_t) (i + c->as->from)));
	if (c->form == TLV_CONTENT_CATEGORIES)
		snprintf(number, sizeof(number), " (%.0f %%)", 100 * value); /* "a: 2 (51 %)" */
	else if (c->form == TLV_CONTENT_PROBABILITIES)
		snprintf(number, sizeof(number), " %.0f %%", 100 * value);
	else
		snprintf(number, sizeof(number), c->form == TLV_CONTENT_LOADINGS ? " %+.3g" : " %.4g",
				 value);
	return tlv_json_put(ctx, text, number);
}

/* ---- texts ---- */

static tlv_status
describe_component(tlv_context *ctx, const describer *d, size_t j, tlv_text *described)
{
	tlv_json_writer text = {.most = TLV_PAGE_DIGEST_MOST};
	entry_list list = {0};

	for (size_t s = 0; s < d->n; s++)
	{
		const content *c = d->contents + s;

		for (size_t i = 0; i < c->n; i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			offer_entry(&list, most_entries(c->form), c, i,
						c->numbers[j * c->step + i * c->stride]);
		}
	}
	for (size_t n = 0; n < list.n; n++)
	{
		TLV_TRY(tlv_json_put(ctx, &text, n > 0 ? ", " : ""));
		TLV_TRY(page_put_entry(ctx, d, list.best[n].of, list.best[n].i, list.best[n].value, &text));
	}
	*described = (tlv_text){text.bytes, text.n};
	return TLV_OK;
}

tlv_status
tlv_page_describe(tlv_context *ctx, const tlv_frame *model, size_t n, tlv_text *texts)
{
	const tlv_page_view *view = model->kind->model->page;
	describer d;

	if (view->describe != NULL)
		return view->describe(ctx, model, n, texts);
	TLV_TRY(open_describer(ctx, model, view->contents, &d));
	for (size_t j = 0; j < n; j++)
		TLV_TRY(describe_component(ctx, &d, j, texts + j));
	close_describer(ctx, &d);
	return TLV_OK;
}

void
page_plural(const tlv_page_view *view, char word[64])
{
	size_t n = strlen(view->what);
	char last = view->what[n - 1];

	if (last == 'y')
		snprintf(word, 64, "%.*sies", (int) n - 1, view->what);
	else
		snprintf(word, 64, "%.40s%s", view->what, last == 's' ? "es" : "s");
}

tlv_status
tlv_page_describe_model(tlv_context *ctx, const tlv_frame *model, tlv_text *text)
{
	static const struct
	{
		const char *measure, *one;
	} counts[] = {{"rows", "row"},
				  {"entries", "entry"},
				  {"tokens", "token"},
				  {"nodes", "node"},
				  {"edges", "edge"}};
	tlv_json_writer written = {.most = TLV_PAGE_DIGEST_MOST};
	size_t k = tlv_model_components(model);
	char words[160], plural[64];

	page_plural(model->kind->model->page, plural);
	snprintf(words, sizeof(words), "%zu %s (kind %.60s)", k,
			 tlv_plural((double) k, model->kind->model->page->what, plural), model->kind->name);
	TLV_TRY(tlv_json_put(ctx, &written, words));
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
	{
		const char *measure = counts[i].measure;
		double count = tlv_diagnostics_find(model, measure, tlv_frame_scalar(model, measure, 0));

		if (!(count > 0))
			continue;
		snprintf(words, sizeof(words), ", %.0f %s", count,
				 tlv_plural(count, counts[i].one, measure));
		TLV_TRY(tlv_json_put(ctx, &written, words));
	}
	*text = (tlv_text){written.bytes, written.n};
	return TLV_OK;
}
