/*
 * diagnostics.c - named numbers and warnings that every model carries
 * (diagnostics.h).
 */
#include "tensorlv/model/diagnostics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tlv_status
tlv_diagnose(tlv_context *ctx, tlv_diagnostics *diagnostics, double value, const char *format, ...)
{
	char line[512];
	va_list arguments;
	int length;

	if (!isfinite(value))
		return TLV_OK; /* could not be stored, and says nothing */
	if (diagnostics->n == TLV_DIAGNOSTICS_MAX)
		return TLV_OK; /* thousands of components: the first ones tell enough */
	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line) - 1, format, arguments);
	va_end(arguments);
	length = length < (int) sizeof(line) - 1 ? length : (int) sizeof(line) - 2;
	line[length++] = '\n';
	if (diagnostics->n == diagnostics->room)
	{
		size_t room = diagnostics->room == 0 ? 64 : 2 * diagnostics->room;
		double *grown = tlv_realloc(ctx, diagnostics->values, room, sizeof(double));

		TLV_TRY_ALLOC(ctx, grown);
		diagnostics->values = grown;
		diagnostics->room = room;
	}
	if (diagnostics->names_length + (size_t) length > diagnostics->names_room)
	{
		size_t room = 2 * diagnostics->names_room + 1024;
		char *grown = tlv_realloc(ctx, diagnostics->names, room, 1);

		TLV_TRY_ALLOC(ctx, grown);
		diagnostics->names = grown;
		diagnostics->names_room = room;
	}
	memcpy(diagnostics->names + diagnostics->names_length, line, (size_t) length);
	diagnostics->names_length += (size_t) length;
	diagnostics->values[diagnostics->n++] = value;
	return TLV_OK;
}

/* ---- reading ---- */

tlv_diagnostics_walk
tlv_diagnostics_begin(const tlv_frame *model)
{
	const tlv_section *names = tlv_frame_find(model, "diagnostic_names");
	const char *text = tlv_section_data(model, names);

	return (tlv_diagnostics_walk){text, text + names->rows,
								  tlv_frame_float64(model, "diagnostics")};
}

bool
tlv_diagnostics_next(tlv_diagnostics_walk *walk, tlv_diagnostic *found)
{
	static const char warning[] = "warning: ";
	const char *stop;

	if (walk->at >= walk->end)
		return false;
	stop = memchr(walk->at, '\n', (size_t) (walk->end - walk->at));
	found->name = walk->at;
	found->length = (size_t) (stop - walk->at);
	found->value = *walk->values++;
	found->warning =
		found->length >= strlen(warning) && memcmp(found->name, warning, strlen(warning)) == 0;
	walk->at = stop + 1;
	return true;
}

bool
tlv_diagnostic_is(const tlv_diagnostic *diagnostic, const char *name)
{
	return diagnostic->length == strlen(name) &&
		   memcmp(diagnostic->name, name, diagnostic->length) == 0;
}

double
tlv_diagnostics_find(const tlv_frame *model, const char *name, double missing)
{
	tlv_diagnostics_walk walk = tlv_diagnostics_begin(model);
	tlv_diagnostic one;

	while (tlv_diagnostics_next(&walk, &one))
		if (tlv_diagnostic_is(&one, name))
			return one.value;
	return missing;
}

tlv_status
tlv_diagnostics_append(tlv_context *ctx, tlv_diagnostics *diagnostics, const tlv_diagnostic *one)
{
	return tlv_diagnose(ctx, diagnostics, one->value, "%.*s", (int) one->length, one->name);
}

tlv_status
tlv_diagnostics_copy(tlv_context *ctx, tlv_diagnostics *diagnostics, const tlv_frame *model,
					 const char *const *except)
{
	tlv_diagnostics_walk walk = tlv_diagnostics_begin(model);
	tlv_diagnostic one;

	while (tlv_diagnostics_next(&walk, &one))
	{
		bool wanted = true;

		for (const char *const *name = except; name != NULL && *name != NULL; name++)
			wanted &= !tlv_diagnostic_is(&one, *name);
		if (wanted)
			TLV_TRY(tlv_diagnostics_append(ctx, diagnostics, &one));
	}
	return TLV_OK;
}

/* Position of a name, or the number of names. */
static size_t
find_name(const tlv_diagnostics *diagnostics, const char *name)
{
	const char *at = diagnostics->names;

	for (size_t i = 0; i < diagnostics->n; i++)
	{
		const char *end = diagnostics->names + diagnostics->names_length;
		const char *stop = memchr(at, '\n', (size_t) (end - at));

		if ((size_t) (stop - at) == strlen(name) && memcmp(at, name, strlen(name)) == 0)
			return i;
		at = stop + 1;
	}
	return diagnostics->n;
}

tlv_status
tlv_diagnostics_permute(tlv_context *ctx, tlv_diagnostics *diagnostics, const char *first, size_t k,
						const int64_t *order)
{
	size_t at = find_name(diagnostics, first);
	double *values;

	if (at + k > diagnostics->n)
		return TLV_OK;
	values = tlv_alloc(ctx, k, sizeof(double));
	TLV_TRY_ALLOC(ctx, values);
	memcpy(values, diagnostics->values + at, k * sizeof(double));
	for (size_t i = 0; i < k; i++)
		diagnostics->values[at + i] = values[order[i]];
	tlv_free(ctx, values);
	return TLV_OK;
}

void
tlv_diagnostics_add(const tlv_diagnostics *diagnostics, tlv_frame_builder *builder)
{
	tlv_frame_add(builder, "diagnostics", TLV_FLOAT64, diagnostics->n, 1, diagnostics->values);
	tlv_frame_add(builder, "diagnostic_names", TLV_BYTES, diagnostics->names_length, 1,
				  diagnostics->names);
}

tlv_status
tlv_diagnostics_check(tlv_context *ctx, const tlv_frame *model)
{
	const tlv_section *names = tlv_frame_find(model, "diagnostic_names");
	const tlv_section *values = tlv_frame_find(model, "diagnostics");
	const char *text;
	uint64_t lines = 0;

	if (names == NULL || names->element != TLV_BYTES || names->columns != 1 || values == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "the model's diagnostics are missing");
	text = tlv_section_data(model, names);
	for (uint64_t i = 0; i < names->rows; i++)
	{
		lines += text[i] == '\n';
		if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
			return tlv_fail(ctx, TLV_CORRUPT, "the model's diagnostics are not plain text");
	}
	if (names->rows > 0 && text[names->rows - 1] != '\n')
		return tlv_fail(ctx, TLV_CORRUPT, "the model's diagnostics end in the middle");
	return tlv_frame_require(ctx, model, "diagnostics", TLV_FLOAT64, lines, 1, NULL);
}
