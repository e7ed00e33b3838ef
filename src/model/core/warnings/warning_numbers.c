/*
 * warning_numbers.c - numbers of components in the messages of warnings, when components get other
 * numbers (diagnostics.h).
 */
#include "tensorlv/model/diagnostics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What messages call components, in the singular. */
static const char *const component_nouns[] = {"component", "topic",	   "community", "state",
											  "atom",	   "template", "class",		NULL};

/* Bytes that a number of a component takes at most. */
#define NUMBER_MOST 20

typedef struct renumbering
{
	const char *from;
	char *to;
	size_t k;
	const size_t *place;
	bool gone; /* a component that the message names */
} renumbering;

static void
copy_until(renumbering *r, const char *end)
{
	while (r->from < end)
		*r->to++ = *r->from++;
}

/* Behind a string in double quotes that begins here. */
static const char *
behind_quoted(const char *at)
{
	size_t length = strcspn(++at, "\"");

	return at[length] == '"' ? at + length + 1 : at + length;
}

/* Behind what stands in parentheses beside a number, or where it would. */
static const char *
behind_parentheses(const char *at)
{
	if (strncmp(at, " (", 2) != 0)
		return at;
	for (at += 2; *at != '\0' && *at != ')';)
		at = *at == '"' ? behind_quoted(at) : at + 1;
	return *at == ')' ? at + 1 : at;
}

/* Does a word of that length name components, one or several? */
static bool
names_components(const char *word, size_t length)
{
	for (const char *const *noun = component_nouns; *noun != NULL; noun++)
	{
		size_t own = strlen(*noun);

		if (strncmp(word, *noun, own) == 0 &&
			(length == own || (length == own + 1 && word[own] == 's')))
			return true;
	}
	return false;
}

/* Numbers "1, 2 (of a) and 3" after a noun, each by its new one; what follows "and" may be how many
 * more there are. */
static void
renumber_list(renumbering *r)
{
	static const char *const between[] = {" ", ", ", " and "};

	for (size_t i = 0; i < 3;)
	{
		const char *number = r->from + strlen(between[i]);
		char *end;
		size_t old;

		if (strncmp(r->from, between[i], strlen(between[i])) != 0 ||
			!isdigit((unsigned char) *number))
		{
			i++;
			continue;
		}
		old = strtoul(number, &end, 10);
		if (strncmp(end, " more", 5) == 0)
			return;
		copy_until(r, number);
		if (old >= 1 && old <= r->k && r->place[old - 1] > 0)
			r->to += snprintf(r->to, NUMBER_MOST, "%zu", r->place[old - 1]);
		else
			r->gone = true;
		r->from = end;
		copy_until(r, behind_parentheses(end));
		i = 1;
	}
}

/* The message with these numbers; NULL where it names a component that is gone. */
static tlv_status
renumber_message(tlv_context *ctx, const char *message, size_t k, const size_t *place,
				 char **renumbered)
{
	renumbering r = {.from = message, .k = k, .place = place};

	TLV_TRY_NEW(ctx, *renumbered, NUMBER_MOST * strlen(message) + 1);
	r.to = *renumbered;
	while (*r.from != '\0')
	{
		size_t length = 0;

		if (*r.from == '"')
		{
			copy_until(&r, behind_quoted(r.from));
			continue;
		}
		while (isalpha((unsigned char) r.from[length]))
			length++;
		if (length > 0 && names_components(r.from, length))
		{
			copy_until(&r, r.from + length);
			renumber_list(&r);
		}
		else
			copy_until(&r, r.from + (length > 0 ? length : 1));
	}
	*r.to = '\0';
	if (!r.gone)
		return TLV_OK;
	tlv_free(ctx, *renumbered);
	*renumbered = NULL;
	return TLV_OK;
}

tlv_status
tlv_warning_place(tlv_context *ctx, tlv_diagnostics *diagnostics, const tlv_warning *warning,
				  size_t k, const size_t *place)
{
	tlv_warning placed = *warning;
	char *message;

	if (warning->component > 0)
		placed.component = warning->component <= k ? place[warning->component - 1] : 0;
	if (warning->component > 0 && placed.component == 0)
		return TLV_OK;
	TLV_TRY(renumber_message(ctx, warning->message, k, place, &message));
	if (message != NULL)
		TLV_TRY(tlv_warn(ctx, diagnostics, &placed, "%s", message));
	tlv_free(ctx, message);
	return TLV_OK;
}

tlv_status
tlv_warnings_permute(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t k, const int64_t *order)
{
	tlv_diagnostics before = *diagnostics;
	tlv_warnings_walk walk = tlv_warnings_of_list(&before);
	size_t *place;

	if (before.warnings == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, place, k);
	for (size_t i = 0; i < k; i++)
		place[order[i]] = i + 1;
	diagnostics->texts = NULL;
	diagnostics->marks = NULL;
	diagnostics->texts_length = diagnostics->texts_room = 0;
	diagnostics->warnings = diagnostics->warnings_room = 0;
	while (tlv_warnings_next(&walk))
		TLV_TRY(tlv_warning_place(ctx, diagnostics, &walk.warning, k, place));
	tlv_free(ctx, before.texts);
	tlv_free(ctx, before.marks);
	tlv_free(ctx, place);
	return TLV_OK;
}
