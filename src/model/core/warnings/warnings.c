/*
 * warnings.c - warnings as users read them: warnings of one code and hint about many components are
 * combined into one (diagnostics.h).
 */
#include "tensorlv/model/diagnostics.h"

#include <stdio.h>
#include <string.h>

/* Components that one warning of more of them names. */
#define NAMED 5

/* Of the first one's message, beside what is added to it. */
#define MESSAGE_MOST 384

/* Do both say the same, each of a component? */
static bool
is_alike(const tlv_warning *a, const tlv_warning *b)
{
	return a->component > 0 && b->component > 0 && strcmp(a->code, b->code) == 0 &&
		   strcmp(a->hint, b->hint) == 0;
}

typedef struct telling
{
	tlv_warning *warnings; /* of the model, in their order */
	size_t n;
	bool *done;	   /* n: those that an earlier warning includes */
	size_t *alike; /* room for the places of n */
	tlv_diagnostics *told;
} telling;

static tlv_status
read_listed_warnings(tlv_context *ctx, const tlv_frame *model, telling *t)
{
	tlv_warnings_walk walk = tlv_warnings_of(model);

	TLV_TRY_NEW(ctx, t->warnings, walk.left);
	TLV_TRY_NEW0(ctx, t->done, walk.left);
	TLV_TRY_NEW(ctx, t->alike, walk.left);
	while (tlv_warnings_next(&walk))
		t->warnings[t->n++] = walk.warning;
	return TLV_OK;
}

/* Bytes of a message that are shown before what is added: whole characters. */
static int
shown_length(const char *message)
{
	size_t n = strlen(message);

	if (n > MESSAGE_MOST)
		for (n = MESSAGE_MOST; n > 0 && (message[n] & 0xc0) == 0x80;)
			n--;
	return (int) n;
}

/* One for all that are alike; a list that is full may have left some out. */
static tlv_status
warn_of_all(tlv_context *ctx, const telling *t, size_t n)
{
	const tlv_warning *first = &t->warnings[t->alike[0]];
	const char *least = t->n == TLV_WARNINGS_MAX ? "at least " : "";
	char named[NAMED * 24] = "";
	size_t length = 0;

	for (size_t i = 0; i < NAMED; i++)
		length += (size_t) snprintf(named + length, sizeof(named) - length, "%s%zu",
									i > 0 ? ", " : "", t->warnings[t->alike[i]].component);
	return tlv_warn(ctx, t->told,
					&(tlv_warning){.code = first->code, .score = (double) n, .hint = first->hint},
					"%.*s (%s%zu components in all: %s and %zu more)", shown_length(first->message),
					first->message, least, n, named, n - NAMED);
}

/* The warning at that place, or with it all later ones that are alike. */
static tlv_status
tell_warning(tlv_context *ctx, telling *t, size_t at)
{
	/* Components up to which each has a warning of its own. */
	const int told_apart = 10;
	size_t found = 0;

	for (size_t i = at; i < t->n; i++)
		if (is_alike(&t->warnings[at], &t->warnings[i]))
			t->alike[found++] = i;
	if (found <= told_apart)
		return tlv_warn(ctx, t->told, &t->warnings[at], "%s", t->warnings[at].message);
	for (size_t i = 0; i < found; i++)
		t->done[t->alike[i]] = true;
	return warn_of_all(ctx, t, found);
}

tlv_status
tlv_warnings_tell(tlv_context *ctx, const tlv_frame *model, tlv_diagnostics *told)
{
	telling t = {.told = told};

	TLV_TRY(read_listed_warnings(ctx, model, &t));
	for (size_t i = 0; i < t.n; i++)
		if (!t.done[i])
			TLV_TRY(tell_warning(ctx, &t, i));
	tlv_free(ctx, t.alike);
	tlv_free(ctx, t.done);
	tlv_free(ctx, t.warnings);
	return TLV_OK;
}
