/*
 * suggest.c - the numbers of components that a fit tried, as its model tells of them (suggest.h).
 */
#include "tensorlv/model/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model.h"

/* Diagnostics of k = 1, 2, ..., whose names end in it; the first that a model has chose. */
typedef struct series
{
	const char *name;
	const char *criterion;
	const char *error;	/* likewise, of the standard errors; or NULL */
	double unit;		/* the standard error where there is no such series */
	bool least;			/* is the best */
	const char *chosen; /* the diagnostic that says which k it chose; NULL: the best */
} series;

static const series known[] = {
	{"held_out_", TLV_SUGGEST_HELD_OUT, "held_out_error_", NAN, false, NULL},
	{"bic_", TLV_SUGGEST_BIC, NULL, NAN, true, "k_of_bic"},
	{"icl_", TLV_SUGGEST_ICL, NULL, NAN, true, NULL},
	{"p_enough_", TLV_SUGGEST_RANK, NULL, NAN, false, "pair_rank"},
	{"evidence_", TLV_SUGGEST_EVIDENCE, NULL, NAN, false, NULL},
	{"z_", TLV_SUGGEST_SIGNIFICANCE, NULL, 1, false, "k_of_spectrum"},
	{"above_noise_", TLV_SUGGEST_SPECTRUM, NULL, NAN, true, NULL},
};

/* The k at the end of the name of a number of the series; 0 if there is no k. */
static size_t
series_k(const series *s, const char *name)
{
	size_t length = strlen(s->name);
	const char *digits = name + length;

	if (strncmp(name, s->name, length) != 0 || strlen(digits) > 6)
		return 0;
	for (const char *c = digits; *c != '\0'; c++)
		if (!isdigit((unsigned char) *c))
			return 0;
	return (size_t) strtoul(digits, NULL, 10);
}

static double
error_of(const series *s, const tlv_frame *model, size_t k)
{
	char name[64];

	if (s->error == NULL)
		return s->unit;
	snprintf(name, sizeof(name), "%s%zu", s->error, k);
	return tlv_diagnostics_find(model, name, NAN);
}

/* One more row behind n others, by k. */
static void
place_row(tlv_suggestion *rows, size_t n, const tlv_suggestion *row)
{
	size_t at = n;

	for (; at > 0 && rows[at - 1].k > row->k; at--)
		rows[at] = rows[at - 1];
	rows[at] = *row;
}

/* Rows of a series, n of them, into rows (NULL: they are counted only).  Error: TLV_CANCELLED. */
static tlv_status
series_rows(tlv_context *ctx, const series *s, const tlv_frame *model, tlv_suggestion *rows,
			size_t *rows_n)
{
	tlv_diagnostics_walk walk = tlv_diagnostics_of(model);
	size_t n = 0;

	while (tlv_diagnostics_next(&walk))
	{
		size_t k = series_k(s, walk.name);

		if (k == 0)
			continue;
		TLV_TRY_CONTINUE(ctx);
		if (rows != NULL)
			place_row(rows, n,
					  &(tlv_suggestion){.k = k,
										.criterion = s->criterion,
										.score = walk.value,
										.standard_error = error_of(s, model, k)});
		n++;
	}
	*rows_n = n;
	return TLV_OK;
}

/* The model's own k where the series has no number of it: 1, or 0 where it has one. */
static size_t
add_chosen(const series *s, size_t k, size_t n, tlv_suggestion *rows)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].k == k)
			return 0;
	place_row(
		rows, n,
		&(tlv_suggestion){.k = k, .criterion = s->criterion, .score = NAN, .standard_error = NAN});
	return 1;
}

/* The k that a series chose beside that of the model; 0: the best is. */
static size_t
own_choice(const series *s, const tlv_frame *model)
{
	double k = s->chosen != NULL ? tlv_diagnostics_find(model, s->chosen, 0) : 0;

	return k >= 1 && k <= 1e6 ? (size_t) k : 0;
}

/* Marks the row of k; k = 0: the best. */
static void
series_choose(const series *s, size_t k, size_t n, tlv_suggestion *rows)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (s->least ? rows[i].score < rows[best].score : rows[i].score > rows[best].score)
			best = i;
	for (size_t i = 0; i < n; i++)
		rows[i].chosen = k == 0 ? i == best : rows[i].k == k;
}

tlv_status
tlv_model_suggestions(tlv_context *ctx, const tlv_frame *model, tlv_suggestion **rows, size_t *n)
{
	size_t all = 0, own;
	bool chose;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		TLV_TRY(series_rows(ctx, &known[i], model, NULL, &own));
		all += own;
	}
	if (all == 0)
	{
		(void) tlv_fail(ctx, TLV_BAD_PARAMETER, "this model of kind %s tells of one k only",
						model->kind->name);
		return tlv_fail_hint(ctx, "A fit without k compares several numbers of components.");
	}
	TLV_TRY_NEW0(ctx, *rows, all + 1);
	*n = 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		TLV_TRY(series_rows(ctx, &known[i], model, *rows + *n, &own));
		chose = *n == 0 && !(known[i].least && own_choice(&known[i], model) > 0);
		if (own > 0 && chose)
			own += add_chosen(&known[i], tlv_model_components(model), own, *rows);
		series_choose(&known[i], chose ? tlv_model_components(model) : own_choice(&known[i], model),
					  own, *rows + *n);
		*n += own;
	}
	return TLV_OK;
}
