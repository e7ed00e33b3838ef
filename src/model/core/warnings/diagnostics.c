/*
 * diagnostics.c - named numbers and warnings that every model carries (diagnostics.h).
 */
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/plural.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longest name, message or hint, with its end; what is longer is cut. */
#define TEXT_MOST 512

const char *const tlv_diagnostics_sections[TLV_DIAGNOSTICS_SECTIONS + 1] = {
	"diagnostics", "diagnostic_names", "warnings", "warning_texts", NULL};

/* ---- writing ---- */

/* Adds a text with its end. */
static tlv_status
append_text(tlv_context *ctx, char **texts, size_t *length, size_t *room, const char *text)
{
	size_t n = strlen(text) + 1;

	TLV_TRY(tlv_reserve(ctx, texts, *length + n, room, 1));
	memcpy(*texts + *length, text, n);
	*length += n;
	return TLV_OK;
}

static tlv_status
append_number(tlv_context *ctx, tlv_diagnostics *to, const char *name, double value)
{
	if (!isfinite(value) || to->n == TLV_DIAGNOSTICS_MAX)
		return TLV_OK;
	TLV_TRY(tlv_reserve(ctx, &to->values, to->n + 1, &to->room, sizeof(double)));
	TLV_TRY(append_text(ctx, &to->names, &to->names_length, &to->names_room, name));
	to->values[to->n++] = value;
	return TLV_OK;
}

static tlv_status
append_warning(tlv_context *ctx, tlv_diagnostics *to, const tlv_warning *warning)
{
	const char *hint = warning->hint != NULL ? warning->hint : tlv_warning_hint(warning->code);

	if (!isfinite(warning->score) || to->warnings == TLV_WARNINGS_MAX)
		return TLV_OK;
	TLV_TRY(tlv_reserve(ctx, &to->marks, to->warnings + 1, &to->warnings_room, 2 * sizeof(double)));
	TLV_TRY(append_text(ctx, &to->texts, &to->texts_length, &to->texts_room, warning->code));
	TLV_TRY(append_text(ctx, &to->texts, &to->texts_length, &to->texts_room, warning->message));
	TLV_TRY(append_text(ctx, &to->texts, &to->texts_length, &to->texts_room, hint));
	to->marks[2 * to->warnings] = (double) warning->component;
	to->marks[2 * to->warnings + 1] = warning->score;
	to->warnings++;
	return TLV_OK;
}

tlv_status
tlv_diagnose(tlv_context *ctx, tlv_diagnostics *diagnostics, double value, const char *format, ...)
{
	char name[TEXT_MOST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(name, sizeof(name), format, arguments);
	va_end(arguments);
	return append_number(ctx, diagnostics, name, value);
}

tlv_status
tlv_warn(tlv_context *ctx, tlv_diagnostics *diagnostics, const tlv_warning *warning,
		 const char *format, ...)
{
	tlv_warning worded = *warning;
	char message[TEXT_MOST];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	if (length >= TEXT_MOST) /* no part of a character stays */
	{
		for (length = TEXT_MOST - 1; length > 0 && (message[length - 1] & 0x80) != 0;)
			length--;
		message[length] = '\0';
	}
	worded.message = message;
	return append_warning(ctx, diagnostics, &worded);
}

static tlv_status
copy_numbers(tlv_context *ctx, tlv_diagnostics *to, tlv_diagnostics_walk walk,
			 const char *const *except)
{
	while (tlv_diagnostics_next(&walk))
		if (!tlv_is_listed(except, walk.name))
			TLV_TRY(append_number(ctx, to, walk.name, walk.value));
	return TLV_OK;
}

static tlv_status
copy_warnings(tlv_context *ctx, tlv_diagnostics *to, tlv_warnings_walk walk,
			  const char *const *except)
{
	while (tlv_warnings_next(&walk))
		if (!tlv_is_listed(except, walk.warning.code))
			TLV_TRY(append_warning(ctx, to, &walk.warning));
	return TLV_OK;
}

tlv_status
tlv_diagnostics_copy(tlv_context *ctx, tlv_diagnostics *diagnostics, const tlv_frame *model,
					 const char *const *except)
{
	TLV_TRY(copy_numbers(ctx, diagnostics, tlv_diagnostics_of(model), except));
	return copy_warnings(ctx, diagnostics, tlv_warnings_of(model), except);
}

tlv_status
tlv_diagnostics_copy_numbers(tlv_context *ctx, tlv_diagnostics *diagnostics, const tlv_frame *model,
							 const char *const *except)
{
	return copy_numbers(ctx, diagnostics, tlv_diagnostics_of(model), except);
}

/* Walks over a list in memory. */
static tlv_diagnostics_walk
numbers_of_list(const tlv_diagnostics *list)
{
	return (tlv_diagnostics_walk){
		.left = list->n, .next_name = list->names, .next_value = list->values};
}

tlv_warnings_walk
tlv_warnings_of_list(const tlv_diagnostics *list)
{
	return (tlv_warnings_walk){
		.left = list->warnings, .next_text = list->texts, .next_mark = list->marks};
}

tlv_status
tlv_diagnostics_append(tlv_context *ctx, tlv_diagnostics *diagnostics, const tlv_diagnostics *from)
{
	TLV_TRY(copy_numbers(ctx, diagnostics, numbers_of_list(from), NULL));
	return copy_warnings(ctx, diagnostics, tlv_warnings_of_list(from), NULL);
}

/* Position of a name, or the number of names. */
static size_t
position_of(const tlv_diagnostics *list, const char *name)
{
	tlv_diagnostics_walk walk = numbers_of_list(list);
	size_t at = 0;

	while (tlv_diagnostics_next(&walk) && strcmp(walk.name, name) != 0)
		at++;
	return at;
}

/* The contiguous numbers of one series: position of the first, and their names. */
typedef struct number_series
{
	size_t at, n;
	char *names, *end;
} number_series;

static number_series
series_of(const tlv_diagnostics *list, const char *prefix, size_t length)
{
	number_series series = {.at = 0, .n = 0};
	char *name = list->names;

	for (size_t i = 0; i < list->n; i++, name += strlen(name) + 1)
	{
		if (strncmp(name, prefix, length) != 0)
		{
			if (series.n > 0)
				break;
			continue;
		}
		if (series.n++ == 0)
		{
			series.at = i;
			series.names = name;
		}
		series.end = name + strlen(name) + 1;
	}
	return series;
}

static void
drop_series(tlv_diagnostics *list, const number_series *series)
{
	size_t behind = list->n - series->at - series->n;
	size_t names_behind = list->names_length - (size_t) (series->end - list->names);
	double *values = list->values + series->at;

	memmove(series->names, series->end, names_behind);
	memmove(values, values + series->n, behind * sizeof(double));
	list->names_length -= (size_t) (series->end - series->names);
	list->n -= series->n;
}

tlv_status
tlv_diagnostics_permute(tlv_context *ctx, tlv_diagnostics *diagnostics, const char *first, size_t k,
						const int64_t *order)
{
	number_series series = series_of(diagnostics, first, strlen(first) - 1);
	double *values, *found;

	if (series.n == 0)
		return TLV_OK;
	if (series.n != k)
	{
		drop_series(diagnostics, &series);
		return TLV_OK;
	}
	TLV_TRY_NEW(ctx, values, k);
	found = diagnostics->values + series.at;
	memcpy(values, found, k * sizeof(double));
	for (size_t i = 0; i < k; i++)
		found[i] = values[order[i]];
	tlv_free(ctx, values);
	return TLV_OK;
}

void
tlv_diagnostics_replace(tlv_diagnostics *diagnostics, const char *name, double value)
{
	size_t at = position_of(diagnostics, name);

	if (at < diagnostics->n && isfinite(value))
		diagnostics->values[at] = value;
}

void
tlv_diagnostics_free(tlv_context *ctx, tlv_diagnostics *diagnostics)
{
	tlv_free(ctx, diagnostics->marks);
	tlv_free(ctx, diagnostics->texts);
	tlv_free(ctx, diagnostics->values);
	tlv_free(ctx, diagnostics->names);
	memset(diagnostics, 0, sizeof(*diagnostics));
}

void
tlv_diagnostics_add(const tlv_diagnostics *diagnostics, tlv_frame_builder *builder)
{
	tlv_frame_add(builder, "diagnostics", TLV_FLOAT64, diagnostics->n, 1, diagnostics->values);
	tlv_frame_add(builder, "diagnostic_names", TLV_BYTES, diagnostics->names_length, 1,
				  diagnostics->names);
	if (diagnostics->warnings == 0)
		return;
	tlv_frame_add(builder, "warnings", TLV_FLOAT64, 2, diagnostics->warnings, diagnostics->marks);
	tlv_frame_add(builder, "warning_texts", TLV_BYTES, diagnostics->texts_length, 1,
				  diagnostics->texts);
}

tlv_status
tlv_diagnostics_rewrite(tlv_context *ctx, const tlv_frame *model,
						const tlv_diagnostics *diagnostics, void **image, size_t *size)
{
	tlv_frame_builder *builder;
	tlv_status status;

	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, model->header->kind);
	tlv_frame_add_from(builder, model, tlv_diagnostics_sections);
	tlv_diagnostics_add(diagnostics, builder);
	status = tlv_frame_finish(ctx, builder, image, size);
	tlv_free(ctx, builder);
	return status;
}

/* ---- checking ---- */

/* Texts without control characters; *count gets their number.  Names of measures are ASCII.  Texts
 * of warnings contain names of the user in the encoding of the server, which verifies it when they
 * are shown. */
static tlv_status
check_texts(tlv_context *ctx, const tlv_frame *model, const tlv_section *section, bool ascii,
			uint64_t *count)
{
	const unsigned char *text;

	*count = 0;
	if (section == NULL || section->element != TLV_BYTES || section->columns != 1)
		return tlv_fail(ctx, TLV_CORRUPT, "the model's diagnostics are missing");
	text = tlv_section_data(model, section);
	for (uint64_t i = 0; i < section->rows; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		*count += text[i] == '\0';
		if (text[i] != '\0' && (text[i] < ' ' || text[i] == 0x7f || (ascii && text[i] > 0x7f)))
			return tlv_fail(ctx, TLV_CORRUPT, "the model's diagnostics are not plain text");
	}
	if (section->rows > 0 && text[section->rows - 1] != '\0')
		return tlv_fail(ctx, TLV_CORRUPT, "the model's diagnostics end in the middle");
	return TLV_OK;
}

static tlv_status
check_warnings(tlv_context *ctx, const tlv_frame *model)
{
	const tlv_section *texts = tlv_frame_find(model, "warning_texts");
	const double *marks;
	uint64_t count;

	if (texts == NULL && tlv_frame_find(model, "warnings") == NULL)
		return TLV_OK;
	TLV_TRY(check_texts(ctx, model, texts, false, &count));
	TLV_TRY(tlv_frame_require(ctx, model, "warnings", TLV_FLOAT64, 2, count / 3,
							  (const void **) &marks));
	if (count == 0 || count % 3 != 0 || count / 3 > TLV_WARNINGS_MAX)
		return tlv_fail(ctx, TLV_CORRUPT, "the model's warnings have %llu texts",
						(unsigned long long) count);
	for (uint64_t i = 0; i < count / 3; i++)
		if (!(marks[2 * i] >= 0 && marks[2 * i] <= 0x1p53 && marks[2 * i] == floor(marks[2 * i])))
			return tlv_fail(ctx, TLV_CORRUPT, "a warning is of component %g", marks[2 * i]);
	return TLV_OK;
}

tlv_status
tlv_diagnostics_check(tlv_context *ctx, const tlv_frame *model)
{
	uint64_t count;

	TLV_TRY(check_texts(ctx, model, tlv_frame_find(model, "diagnostic_names"), true, &count));
	if (count > TLV_DIAGNOSTICS_MAX)
		return tlv_fail(ctx, TLV_CORRUPT, "the model has %llu diagnostics",
						(unsigned long long) count);
	TLV_TRY(tlv_frame_require(ctx, model, "diagnostics", TLV_FLOAT64, count, 1, NULL));
	return check_warnings(ctx, model);
}

/* ---- reading ---- */

/* A section of a model, NULL where there is none: only of models it is known what they hold. */
static const void *
model_section(const tlv_frame *model, const char *name, size_t *columns, size_t *rows)
{
	const tlv_section *section =
		model->header->type == TLV_FRAME_MODEL ? tlv_frame_find(model, name) : NULL;

	*rows = section != NULL ? section->rows : 0;
	*columns = section != NULL ? section->columns : 0;
	return section != NULL ? tlv_section_data(model, section) : NULL;
}

tlv_diagnostics_walk
tlv_diagnostics_of(const tlv_frame *model)
{
	tlv_diagnostics_walk walk = {0};
	size_t columns, length;

	walk.next_value = model_section(model, "diagnostics", &columns, &walk.left);
	walk.next_name = model_section(model, "diagnostic_names", &columns, &length);
	if (walk.next_name == NULL)
		walk.left = 0;
	return walk;
}

bool
tlv_diagnostics_next(tlv_diagnostics_walk *walk)
{
	if (walk->left == 0)
		return false;
	walk->left--;
	walk->name = walk->next_name;
	walk->value = *walk->next_value++;
	walk->next_name += strlen(walk->name) + 1;
	return true;
}

double
tlv_diagnostics_find(const tlv_frame *model, const char *name, double missing)
{
	tlv_diagnostics_walk walk = tlv_diagnostics_of(model);

	while (tlv_diagnostics_next(&walk))
		if (strcmp(walk.name, name) == 0)
			return walk.value;
	return missing;
}

tlv_warnings_walk
tlv_warnings_of(const tlv_frame *model)
{
	tlv_warnings_walk walk = {.warning = {0}};
	size_t rows, columns;

	walk.next_mark = model_section(model, "warnings", &walk.left, &rows);
	walk.next_text = model_section(model, "warning_texts", &columns, &rows);
	if (walk.next_text == NULL)
		walk.left = 0;
	return walk;
}

bool
tlv_warnings_next(tlv_warnings_walk *walk)
{
	if (walk->left == 0)
		return false;
	walk->left--;
	walk->warning.component = (size_t) walk->next_mark[0];
	walk->warning.score = walk->next_mark[1];
	walk->warning.code = walk->next_text;
	walk->warning.message = walk->warning.code + strlen(walk->warning.code) + 1;
	walk->warning.hint = walk->warning.message + strlen(walk->warning.message) + 1;
	walk->next_text = walk->warning.hint + strlen(walk->warning.hint) + 1;
	walk->next_mark += 2;
	return true;
}

tlv_status
tlv_warn_k_at_limit(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t shown, size_t max_k)
{
	if (max_k == 0 || shown <= max_k)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics, &(tlv_warning){.code = "k_at_limit", .score = (double) max_k},
					"the data show %zu %s, and max_k = %zu", shown,
					tlv_plural((double) shown, "component", "components"), max_k);
}
