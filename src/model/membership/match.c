/*
 * match.c - the components of two models over the same variables, one to one; their picture.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/plural.h"

/* Which variables and categories of one model are which of another: by their names where both have
 * names, else by their places. */
typedef struct pairing
{
	size_t shared;		 /* variables that both have */
	int64_t *variable;	 /* p of the first: the second's, or -1 */
	int64_t *categories; /* categories of the first: the second's, or -1 */
	size_t *offset;		 /* p of the second + 1: its categories */
} pairing;

/* The place of a name among n of a list from `first` on, sought from `begin` on; -1: none. */
static int64_t
find_name(const tlv_name_list *list, size_t first, size_t n, size_t begin, tlv_text name)
{
	for (size_t i = 0; i < n; i++)
	{
		size_t at = (begin + i) % n;
		tlv_text known = tlv_name_at(list, first + at);

		if (known.length == name.length &&
			(name.length == 0 || memcmp(known.bytes, name.bytes, name.length) == 0))
			return (int64_t) at;
	}
	return -1;
}

static void
pair_variables(const tlv_membership_parts *a, const tlv_membership_parts *b,
			   const tlv_name_list *names_a, const tlv_name_list *names_b, pairing *pairs)
{
	bool named = names_a->offsets != NULL && names_b->offsets != NULL;
	size_t next = 0;

	for (size_t v = 0; v < a->p; v++)
	{
		int64_t at =
			named ? find_name(names_b, 0, b->p, next, tlv_name_at(names_a, v)) : (int64_t) v;

		pairs->variable[v] = at;
		if (at >= 0)
			next = (size_t) at + 1;
		pairs->shared += at >= 0;
	}
}

/* The categories of a variable of both, the first's from column `first` on. */
static void
pair_categories(const tlv_membership_parts *a, const tlv_membership_parts *b, size_t v,
				size_t first, pairing *pairs)
{
	const tlv_name_list x = {a->name_offsets, a->names}, y = {b->name_offsets, b->names};
	size_t w = (size_t) pairs->variable[v], n = (size_t) b->states[w], next = 0;
	bool named = x.offsets != NULL && y.offsets != NULL;

	for (size_t c = 0; c < (size_t) a->states[v]; c++)
	{
		int64_t at = named	 ? find_name(&y, pairs->offset[w], n, next, tlv_name_at(&x, first + c))
					 : c < n ? (int64_t) c
							 : -1;

		if (at >= 0)
			next = (size_t) at + 1;
		pairs->categories[first + c] = at < 0 ? -1 : at + (int64_t) pairs->offset[w];
	}
}

static tlv_status
pair_models(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, const tlv_membership_parts *x,
			const tlv_membership_parts *y, pairing *pairs)
{
	tlv_name_list names_a = tlv_dimension_names(a), names_b = tlv_dimension_names(b);
	size_t first = 0;

	if (x->p != y->p && (names_a.offsets == NULL || names_b.offsets == NULL))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the models have %zu and %zu %s", x->p, y->p,
				 tlv_plural((double) y->p, "variable", "variables"));
		return tlv_fail_hint(ctx, "Fit both to the same variables.");
	}
	TLV_TRY_NEW(ctx, pairs->variable, x->p);
	TLV_TRY_NEW(ctx, pairs->categories, x->categories);
	TLV_TRY_NEW0(ctx, pairs->offset, y->p + 1);
	for (size_t w = 0; w < y->p; w++)
		pairs->offset[w + 1] = pairs->offset[w] + (size_t) y->states[w];
	pair_variables(x, y, &names_a, &names_b, pairs);
	if (pairs->shared == 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "no variable of either model is called as one of the other");
		return tlv_fail_hint(ctx, "Fit both to the same variables.");
	}
	for (size_t v = 0; v < x->p; first += (size_t) x->states[v], v++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (pairs->variable[v] >= 0)
			pair_categories(x, y, v, first, pairs);
	}
	return TLV_OK;
}

/* Mean over the variables that both have of the total variation of two components, 0 to 1;
 * categories that only one of the models has count as 0 in the other. */
static double
component_distance(const tlv_membership_parts *a, size_t i, const tlv_membership_parts *b, size_t j,
				   const pairing *pairs)
{
	size_t x = 0;
	double sum = 0;

	for (size_t v = 0; v < a->p; x += (size_t) a->states[v], v++)
	{
		double rest = 1;
		size_t met = 0;

		if (pairs->variable[v] < 0)
			continue;
		for (size_t c = x; c < x + (size_t) a->states[v]; c++)
		{
			double p = a->probabilities[c * a->k + i], q = 0;

			if (pairs->categories[c] >= 0)
			{
				q = b->probabilities[(size_t) pairs->categories[c] * b->k + j];
				met++;
			}
			rest -= q;
			sum += fabs(p - q) / 2;
		}
		if (met < (size_t) b->states[pairs->variable[v]])
			sum += fmax(rest, 0) / 2;
	}
	return sum / (double) pairs->shared;
}

tlv_status
membership_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_membership_parts x, y;
	pairing pairs = {0};
	double *cost;

	tlv_membership_read(a, &x);
	tlv_membership_read(b, &y);
	TLV_TRY(pair_models(ctx, a, b, &x, &y, &pairs));
	TLV_TRY_NEW_ROWS(ctx, cost, x.k, y.k);
	for (size_t i = 0; i < x.k; i++)
		for (size_t j = 0; j < y.k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * y.k + j] = component_distance(&x, i, &y, j, &pairs);
		}
	TLV_TRY(tlv_assign_components(ctx, x.k, y.k, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	tlv_free(ctx, pairs.offset);
	tlv_free(ctx, pairs.categories);
	tlv_free(ctx, pairs.variable);
	return TLV_OK;
}

/* Heads of the categories: each and its variable, where both have names. */
static tlv_status
name_heads(tlv_context *ctx, const tlv_membership_parts *parts, const tlv_name_list *variables,
		   tlv_name_list *heads)
{
	size_t bytes = parts->category_bytes, v = 0;
	int64_t *offsets;
	char *text;

	for (size_t j = 0; j < parts->p; j++)
		bytes += (size_t) parts->states[j] * (tlv_name_at(variables, j).length + 2);
	TLV_TRY_NEW(ctx, offsets, parts->categories + 1);
	TLV_TRY_NEW(ctx, text, bytes);
	offsets[0] = 0;
	for (size_t j = 0; j < parts->p; j++)
		for (int64_t c = 0; c < parts->states[j]; c++, v++)
		{
			const tlv_text variable = tlv_name_at(variables, j);
			const tlv_text category =
				tlv_name_at(&(tlv_name_list){parts->name_offsets, parts->names}, v);
			char *at = text + offsets[v];

			if (category.length > 0)
				memcpy(at, category.bytes, category.length);
			at += category.length;
			if (variable.length > 0)
			{
				at[0] = ':';
				at[1] = ' ';
				memcpy(at + 2, variable.bytes, variable.length);
				at += variable.length + 2;
			}
			offsets[v + 1] = at - text;
		}
	*heads = (tlv_name_list){offsets, text};
	return TLV_OK;
}

tlv_status
membership_draw_picture(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_name_list variables = tlv_dimension_names(model);
	tlv_picture_component *components;
	tlv_membership_parts parts;
	tlv_name_list heads;

	tlv_membership_read(model, &parts);
	heads = (tlv_name_list){parts.name_offsets, parts.names};
	if (variables.offsets != NULL && heads.offsets != NULL)
		TLV_TRY(name_heads(ctx, &parts, &variables, &heads));
	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	TLV_TRY(tlv_draw_matrix(ctx, picture, parts.k, components, parts.categories,
							parts.probabilities, &heads));
	tlv_free(ctx, components);
	return TLV_OK;
}
