/*
 * model.c - the stored form of a model of answers (crowd.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/model/assignment.h"

#define SIZE_ITEMS	 TLV_SIZE_1
#define SIZE_NAMES	 TLV_SIZE_2
#define SIZE_WORKERS TLV_SIZE_3
#define SIZE_ANSWERS TLV_SIZE_4
#define SIZE_K		 TLV_SIZE_5
#define SIZE_BYTES	 TLV_SIZE_6
#define SIZE_COLUMNS TLV_SIZE_7

void
tlv_crowd_read(const tlv_frame *model, tlv_crowd_parts *parts)
{
	memset(parts, 0, sizeof(*parts));
	tlv_sections_read(model, tlv_kind_crowd.model->sections, parts);
}

tlv_text
tlv_crowd_name(const tlv_crowd_parts *parts, tlv_crowd_set set, int64_t id)
{
	const tlv_name_list list = {parts->name_offsets, parts->names};
	size_t at;

	if (parts->told[set] != 2)
		return (tlv_text){NULL, 0};
	at = tlv_find_id(parts->name_ids, parts->names_n, id);
	return at == parts->names_n ? (tlv_text){"", 0} : tlv_name_at(&list, at);
}

/* ---- writing ---- */

/* Classes by decreasing weight. */
static tlv_status
order_classes(tlv_context *ctx, const crowd_state *state, tlv_crowd_parts *parts)
{
	const int64_t *answers = tlv_frame_int64(state->data->frame, "answers");
	size_t k = state->k;
	int64_t *order;

	TLV_TRY_NEW(ctx, order, k);
	tlv_order_weights(k, state->log_weights, order);
	parts->component_answers = order;
	TLV_TRY_NEW(ctx, parts->weights, k);
	for (size_t h = 0; h < k; h++)
		parts->weights[h] = exp(state->log_weights[order[h]]);
	parts->answers = (int64_t *) answers;
	return TLV_OK;
}

/* n columns of k numbers, in the order of the classes. */
static tlv_status
model_reorder(tlv_context *ctx, const tlv_crowd_parts *parts, size_t n, const double *from,
			  double *to)
{
	size_t k = parts->k;
	double *column;

	TLV_TRY_NEW(ctx, column, k);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		memcpy(column, from + k * i, k * sizeof(double));
		for (size_t h = 0; h < k; h++)
			to[k * i + h] = column[parts->component_answers[h]];
	}
	tlv_free(ctx, column);
	return TLV_OK;
}

static tlv_status
write_confusions(tlv_context *ctx, const crowd_state *state, tlv_crowd_parts *parts)
{
	size_t k = parts->k, wide = k * parts->columns;

	TLV_TRY_NEW(ctx, parts->confusions, wide);
	TLV_TRY(model_reorder(ctx, parts, parts->columns, state->log_confusions, parts->confusions));
	for (size_t i = 0; i < wide; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		parts->confusions[i] = exp(parts->confusions[i]);
	}
	TLV_TRY_NEW(ctx, parts->pool, k * parts->answers_n);
	TLV_TRY(model_reorder(ctx, parts, parts->answers_n, state->pool, parts->pool));
	TLV_TRY_NEW0(ctx, parts->seen, k * parts->workers_n);
	for (size_t column = 0; column < parts->columns; column++)
		for (size_t h = 0; h < k; h++)
			parts->seen[h + k * (column / parts->answers_n)] +=
				state->counts[(size_t) parts->component_answers[h] + k * column];
	return TLV_OK;
}

/*
 * How often a worker is right: a share of the answers, drawn towards that of all workers, who count
 * as shrink answers, of n answers, fewer than ten, as 10/n times shrink; its variance is that of
 * the share, and that of what is true.
 */
static tlv_status
write_workers(tlv_context *ctx, const crowd_state *state, const crowd_told *told,
			  const crowd_copies *copies, tlv_crowd_parts *parts)
{
	size_t workers = parts->workers_n;
	double right = 0, given = 0, mean;

	TLV_TRY_NEW0(ctx, parts->accuracy, 3 * workers + 1);
	parts->accuracy_error = parts->accuracy + workers;
	parts->worker_answers = parts->accuracy_error + workers;
	memcpy(parts->worker_answers, state->data->given, workers * sizeof(double));
	for (size_t j = 0; j < workers; j++)
	{
		right += told->right[j];
		given += parts->worker_answers[j];
	}
	mean = given > 0 ? right / given : 0;
	for (size_t j = 0; j < workers; j++)
	{
		double shrink = crowd_shrink(parts->shrink, parts->worker_answers[j]);
		double n = parts->worker_answers[j] + shrink;
		double a = n > 0 ? (told->right[j] + shrink * mean) / n : mean;

		parts->accuracy[j] = fmin(a, 1);
		parts->accuracy_error[j] =
			n > 0 ? sqrt(fmax(a * (1 - a), 0) / (n + 1) + told->doubt[j] / (n * n)) : 0.5;
	}
	parts->rows = given;
	if (copies->groups == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, parts->copies, workers);
	for (size_t j = 0; j < workers; j++)
		parts->copies[j] = copies->group[j];
	return TLV_OK;
}

static tlv_status
write_items(tlv_context *ctx, const crowd_state *state, const crowd_told *told,
			tlv_crowd_parts *parts)
{
	const crowd_answers *a = state->data;

	parts->posterior = told->posterior;
	TLV_TRY(model_reorder(ctx, parts, a->items, told->posterior, told->posterior));
	TLV_TRY_NEW0(ctx, parts->known, 2 * a->items);
	parts->item_answers = parts->known + a->items;
	for (size_t i = 0; i < a->items; i++)
	{
		size_t first = crowd_first_given(a, i);

		parts->known[i] = first > a->start[i];
		parts->item_answers[i] = (double) (a->start[i + 1] - first);
		parts->gold += parts->known[i];
	}
	return TLV_OK;
}

static void
write_ids(const crowd_answers *a, tlv_crowd_parts *parts)
{
	parts->items = (int64_t *) tlv_frame_int64(a->frame, "items");
	parts->workers = (int64_t *) tlv_frame_int64(a->frame, "workers");
	parts->name_ids = (int64_t *) tlv_frame_int64(a->frame, "name_ids");
	parts->name_offsets = (int64_t *) tlv_frame_int64(a->frame, "name_offsets");
	parts->names = (char *) tlv_section_data(a->frame, tlv_frame_find(a->frame, "names"));
	memcpy(parts->told, tlv_frame_float64(a->frame, "told"), sizeof(parts->told));
	parts->items_n = a->items;
	parts->workers_n = a->workers;
	parts->answers_n = a->answers;
	parts->columns = a->columns;
	parts->names_n = a->names;
	parts->bytes_n = tlv_frame_find(a->frame, "names")->rows;
}

/* A class's answer, unless it is too long for a label. */
static tlv_text
crowd_own_label(const tlv_frame *model, size_t class, char digits[24])
{
	tlv_crowd_parts parts;
	tlv_text label;
	int64_t id;

	tlv_crowd_read(model, &parts);
	id = parts.answers[parts.component_answers[class]];
	label = tlv_crowd_name(&parts, TLV_CROWD_ANSWERS, id);
	if (label.bytes == NULL)
	{
		label.length = (size_t) snprintf(digits, 24, "%lld", (long long) id);
		label.bytes = digits;
	}
	if (label.length == 0 || label.length > TLV_LABEL_MOST)
		return (tlv_text){NULL, 0};
	return label;
}

/* The model with its answers for labels. */
static tlv_status
label_classes(tlv_context *ctx, const tlv_crowd_parts *parts, void **image, size_t *size)
{
	char(*digits)[24];
	tlv_text *labels;
	tlv_frame model;
	void *plain = *image;

	TLV_TRY(tlv_frame_open(ctx, plain, *size, &model));
	TLV_TRY_NEW(ctx, labels, parts->k);
	TLV_TRY_NEW(ctx, digits, parts->k);
	for (size_t h = 0; h < parts->k; h++)
		labels[h] = crowd_own_label(&model, h, digits[h]);
	TLV_TRY(tlv_labels_put(ctx, &model, labels, image, size));
	tlv_free(ctx, plain);
	return TLV_OK;
}

tlv_status
tlv_crowd_write(tlv_context *ctx, const crowd_state *state, const crowd_told *told,
				const crowd_copies *copies, const tlv_crowd_options *options, double steps,
				tlv_diagnostics *diagnostics, void **image, size_t *size)
{
	tlv_crowd_parts parts = {.k = state->k,
							 .nulls = tlv_frame_scalar(state->data->frame, "nulls", 0),
							 .shrink = options->shrink,
							 .log_likelihood = state->log_likelihood,
							 .steps = steps,
							 .seed = (double) options->seed,
							 .diagnostics = diagnostics};

	write_ids(state->data, &parts);
	TLV_TRY(order_classes(ctx, state, &parts));
	TLV_TRY(write_confusions(ctx, state, &parts));
	TLV_TRY(write_workers(ctx, state, told, copies, &parts));
	TLV_TRY(write_items(ctx, state, told, &parts));
	TLV_TRY(tlv_sections_write(ctx, tlv_kind_crowd.model->sections, &parts, image, size));
	return label_classes(ctx, &parts, image, size);
}

/* ---- the stored form ---- */

static tlv_status
check_shares(tlv_context *ctx, const tlv_frame *frame, const char *name, size_t answers)
{
	/* How far rows of probabilities may be from 1. */
	const double rounding = 1e-6;
	const tlv_section *section = tlv_frame_find(frame, name);
	const double *x = tlv_section_data(frame, section);
	size_t k = section->rows;

	for (size_t first = 0; first < section->columns; first += answers)
		for (size_t h = 0; h < k; h++)
		{
			double sum = 0;

			for (size_t l = 0; l < answers; l++)
				sum += x[h + k * (first + l)];
			if (!(fabs(sum - 1) <= rounding))
				return tlv_fail(ctx, TLV_CORRUPT, "row %zu of section \"%s\" sums to %g", h + 1,
								name, sum);
			TLV_TRY_CONTINUE(ctx);
		}
	return TLV_OK;
}

static tlv_status
check_groups(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *section = tlv_frame_find(frame, "copies");
	const double *group = section != NULL ? tlv_section_data(frame, section) : NULL;

	for (size_t j = 0; group != NULL && j < section->rows; j++)
	{
		TLV_TRY_CONTINUE_AT(ctx, j);
		if (group[j] > CROWD_MOST_GROUPS)
			return tlv_fail(ctx, TLV_CORRUPT, "worker %zu is of group %g of at most %d", j + 1,
							group[j], CROWD_MOST_GROUPS);
	}
	return TLV_OK;
}

static tlv_status
crowd_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const int64_t *classes = tlv_frame_int64(frame, "component_answers");
	const double *told = tlv_frame_float64(frame, "told");

	if (sizes[SIZE_COLUMNS] != sizes[SIZE_WORKERS] * sizes[SIZE_ANSWERS])
		return tlv_fail(
			ctx, TLV_CORRUPT, "%zu columns of %zu %s and %zu %s", sizes[SIZE_COLUMNS],
			sizes[SIZE_WORKERS], tlv_plural((double) sizes[SIZE_WORKERS], "worker", "workers"),
			sizes[SIZE_ANSWERS], tlv_plural((double) sizes[SIZE_ANSWERS], "answer", "answers"));
	for (int s = 0; s < TLV_CROWD_SETS; s++)
		if (told[s] != 0 && told[s] != 1 && told[s] != 2)
			return tlv_fail(ctx, TLV_CORRUPT, "ids of %s have the unknown form %g",
							tlv_crowd_set_names[s], told[s]);
	for (size_t h = 0; h < sizes[SIZE_K]; h++)
		if (classes[h] < 0 || (uint64_t) classes[h] >= sizes[SIZE_ANSWERS])
			return tlv_fail(ctx, TLV_CORRUPT, "class %zu is answer %lld of %zu", h + 1,
							(long long) classes[h] + 1, sizes[SIZE_ANSWERS]);
	TLV_TRY(check_groups(ctx, frame));
	TLV_TRY(check_shares(ctx, frame, "confusions", sizes[SIZE_ANSWERS]));
	TLV_TRY(check_shares(ctx, frame, "pool", sizes[SIZE_ANSWERS]));
	return tlv_id_names_check(ctx, frame, sizes[SIZE_NAMES]);
}

#define AT(member) offsetof(tlv_crowd_parts, member)
#define NUMBER(name, range)                                                                        \
	{                                                                                              \
#name, TLV_FLOAT64, TLV_ONE, TLV_ONE, range, TLV_KEPT, AT(name)                            \
	}
static const tlv_declaration crowd_list[] = {
	NUMBER(rows, TLV_WHOLE),
	NUMBER(nulls, TLV_WHOLE),
	NUMBER(gold, TLV_WHOLE),
	NUMBER(shrink, TLV_NONNEGATIVE),
	NUMBER(log_likelihood, TLV_ANY),
	NUMBER(steps, TLV_WHOLE),
	NUMBER(seed, TLV_WHOLE),
	{"told", TLV_FLOAT64, TLV_THREE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(told)},
	{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_KEPT, AT(items)},
	{"workers", TLV_INT64, SIZE_WORKERS, TLV_ONE, TLV_ASCENDING, TLV_KEPT, AT(workers)},
	{"answers", TLV_INT64, SIZE_ANSWERS, TLV_ONE, TLV_ASCENDING, TLV_KEPT, AT(answers)},
	{"component_answers", TLV_INT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_KEPT, AT(component_answers)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_COLUMN_SHARES, TLV_KEPT, AT(weights)},
	{"posterior", TLV_FLOAT64, SIZE_K, SIZE_ITEMS, TLV_COLUMN_SHARES, TLV_KEPT, AT(posterior)},
	{"known", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_FLAG, TLV_KEPT, AT(known)},
	{"item_answers", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(item_answers)},
	{"confusions", TLV_FLOAT64, SIZE_K, SIZE_COLUMNS, TLV_NONNEGATIVE, TLV_KEPT, AT(confusions)},
	{"pool", TLV_FLOAT64, SIZE_K, SIZE_ANSWERS, TLV_NONNEGATIVE, TLV_KEPT, AT(pool)},
	{"seen", TLV_FLOAT64, SIZE_K, SIZE_WORKERS, TLV_NONNEGATIVE, TLV_KEPT, AT(seen)},
	{"accuracy", TLV_FLOAT64, SIZE_WORKERS, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(accuracy)},
	{"accuracy_error", TLV_FLOAT64, SIZE_WORKERS, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT,
	 AT(accuracy_error)},
	{"worker_answers", TLV_FLOAT64, SIZE_WORKERS, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(worker_answers)},
	{"copies", TLV_FLOAT64, SIZE_WORKERS, TLV_ONE, TLV_WHOLE, TLV_GIVEN, AT(copies)},
	{"name_ids", TLV_INT64, SIZE_NAMES, TLV_ONE, TLV_ASCENDING, TLV_KEPT, AT(name_ids)},
	{"name_offsets", TLV_INT64, TLV_2_AND_1, TLV_ONE, TLV_ANY, TLV_KEPT, AT(name_offsets)},
	{"names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_KEPT, AT(names)},
};
#undef NUMBER

static const tlv_sections crowd_sections = {
	.state = sizeof(tlv_crowd_parts),
	.kind = TLV_KIND_CROWD,
	TLV_LIST(crowd_list),
	.least = {1, 0, 0, 1, 1, 0, 0},
	.most = {TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX, TLV_CROWD_MOST_ANSWERS,
			 2 * TLV_CROWD_MOST_ANSWERS, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES},
	.size_at = {AT(items_n), AT(names_n), AT(workers_n), AT(answers_n), AT(k), AT(bytes_n),
				AT(columns)},
	.diagnostics = AT(diagnostics),
	.check_more = crowd_check_more,
};
#undef AT

/* ---- layout ---- */

static const tlv_field crowd_fields[] = {
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"nulls", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"gold", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"shrink", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"log_likelihood", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"told", TLV_FIELD_LIST, .flags = 0},
	{"items", TLV_FIELD_IDS, .flags = 0},
	{"workers", TLV_FIELD_IDS, .flags = TLV_SAME_IDS},
	{"answers", TLV_FIELD_IDS, .flags = TLV_SAME_IDS},
	{"component_answers", TLV_FIELD_IDS, .flags = TLV_OF_ROWS},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"posterior", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"known", TLV_FIELD_LIST, .flags = 0},
	{"item_answers", TLV_FIELD_LIST, .flags = 0},
	{"confusions", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_ROWS},
	{"pool", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_ROWS},
	{"seen", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT},
	{"accuracy", TLV_FIELD_LIST, .flags = 0},
	{"accuracy_error", TLV_FIELD_LIST, .flags = 0},
	{"worker_answers", TLV_FIELD_LIST, .flags = 0},
	{"copies", TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},
	{"name_ids", TLV_FIELD_IDS, .flags = 0},
	{"name_offsets", TLV_FIELD_TEXTS, .beside = "names", .json = "names"},
	{.form = TLV_FIELDS_END},
};
static const tlv_layout crowd_layout = {.fields = crowd_fields, .weights = "weights"};

/* ---- use ---- */

/*
 * Half the sum of the differences of what all workers together say of both classes, answer by
 * answer as far as both models have it, the rest as it is.
 */
static double
pool_distance(const tlv_crowd_parts *a, size_t i, const tlv_crowd_parts *b, size_t j)
{
	double sum = 0;
	size_t x = 0, y = 0;

	while (x < a->answers_n || y < b->answers_n)
	{
		bool left = y == b->answers_n || (x < a->answers_n && a->answers[x] <= b->answers[y]);
		bool right = x == a->answers_n || (y < b->answers_n && b->answers[y] <= a->answers[x]);
		double p = left ? a->pool[i + a->k * x] : 0, q = right ? b->pool[j + b->k * y] : 0;

		sum += fabs(p - q);
		x += left;
		y += right;
	}
	return sum / 2;
}

static tlv_status
crowd_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_crowd_parts x, y;
	double *cost;

	tlv_crowd_read(a, &x);
	tlv_crowd_read(b, &y);
	TLV_TRY_NEW_ROWS(ctx, cost, x.k, y.k);
	for (size_t i = 0; i < x.k; i++)
		for (size_t j = 0; j < y.k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * y.k + j] = pool_distance(&x, i, &y, j) + (x.answers[x.component_answers[i]] !=
															   y.answers[y.component_answers[j]]);
		}
	TLV_TRY(tlv_assign_components(ctx, x.k, y.k, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	return TLV_OK;
}

static const char *const crowd_page_fields[] = {
	"told",		"items",		"workers",	"answers",		  "component_answers",
	"weights",	"posterior",	"known",	"item_answers",	  "confusions",
	"pool",		"seen",			"accuracy", "accuracy_error", "worker_answers",
	"name_ids", "name_offsets", NULL};
static const tlv_page_content crowd_contents[] = {
	{"pool", TLV_CONTENT_PROBABILITIES, .what = "answer", .ids = "answers"}, {.section = NULL}};
static const tlv_page_view crowd_page = {
	.contents = crowd_contents, .view = "crowd", .what = "class", .fields = crowd_page_fields};

static const tlv_model_class crowd_class = {
	.sections = &crowd_sections,
	.layout = &crowd_layout,
	.open = tlv_crowd_open,
	.components_size = SIZE_K,
	.ids = tlv_crowd_ids,
	.own_label = crowd_own_label,
	.rows = TLV_ROW_ANSWERS,
	.infer = tlv_crowd_infer,
	.log_likelihood = tlv_crowd_log_likelihood,
	.match = crowd_match,
	.estimates = tlv_crowd_estimates,
	.standard_errors = tlv_crowd_standard_errors,
	.draw = tlv_crowd_draw,
	.page = &crowd_page,
};

const tlv_kind tlv_kind_crowd = {TLV_KIND_LINE(CROWD, crowd), .model = &crowd_class};
