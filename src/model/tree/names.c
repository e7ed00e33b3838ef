/*
 * names.c - names of variables as a model keeps them: one a line (tensorlv/num/names.h).
 */
#include "tensorlv/model/tree_learn.h"

#include <stdlib.h>
#include <string.h>

typedef struct tree_name
{
	const char *text;
	size_t length;
} tree_name;

/* Bytes that are shown in messages. */
static int
tree_shown_length(const tree_name *name)
{
	/* Most bytes of a name that an error prints. */
	const int shown = 100;

	return (int) tlv_least(name->length, shown);
}

static int
tree_compare_names(const void *a, const void *b)
{
	const tree_name *x = a, *y = b;
	size_t shorter = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->text, y->text, shorter);

	return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static tlv_status
refuse_equal_names(tlv_context *ctx, size_t n, tree_name *names)
{
	qsort(names, n, sizeof(tree_name), tree_compare_names);
	for (size_t i = 1; i < n; i++)
		if (tree_compare_names(&names[i - 1], &names[i]) == 0)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "two variables have the name \"%.*s\"",
							tree_shown_length(&names[i]), names[i].text);
	return TLV_OK;
}

tlv_status
tlv_tree_join_names(tlv_context *ctx, const tlv_names *names, char **lines, size_t *length)
{
	size_t n = names->n;
	tree_name *list = tlv_alloc(ctx, n, sizeof(tree_name));
	char *at;

	TLV_TRY_ALLOC(ctx, list);
	*length = n;
	for (size_t i = 0; i < n; i++)
	{
		list[i].text = names->text + names->offsets[i];
		list[i].length = (size_t) (names->offsets[i + 1] - names->offsets[i]);
		*length += list[i].length;
	}
	*lines = at = tlv_alloc(ctx, *length, 1);
	TLV_TRY_ALLOC(ctx, at);
	for (size_t i = 0; i < n; i++)
	{
		memcpy(at, list[i].text, list[i].length);
		tlv_lines_encode(at, list[i].length);
		at += list[i].length;
		*at++ = '\n';
	}
	TLV_TRY(refuse_equal_names(ctx, n, list));
	tlv_free(ctx, list);
	return TLV_OK;
}
