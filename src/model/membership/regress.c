/*
 * regress.c - components of rows with many variables (internal.h).  A few variables, the anchors,
 * are fitted by their moments; the probabilities of all others follow by regression on these, since
 * pairs of different variables are M_js = theta_j diag(w) theta_s' (Tan, Mukherjee 2017, with
 * second moments in place of their partitions).  With S the scaling of categories and Theta the
 * sources' probabilities,
 *     theta_j = M_j. S Theta (Theta' S Theta)^-1 diag(w)^-1,
 * the own rows of a source left out of both factors.  Then all variables are sources.  No pair of
 * categories is stored: M_j. S Theta is a sum over the rows.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/tuning.h"

/* Sets of anchors that are tried, each of twice the categories of the one before, and most of
 * these.
 */
#define ANCHOR_TRIALS 3
#define MOST_ANCHOR	  4096

typedef struct regression
{
	membership_rows *rows;
	size_t k;
	double alpha0;
	bool *source;	  /* p */
	double *present;  /* p: share of the cells */
	double *scaled;	  /* k x categories: S Theta of the sources, over how often they are present */
	double *sums;	  /* k x categories: M S Theta */
	double *gram;	  /* k x k: Theta' S Theta */
	double *mean;	  /* k: m' S Theta */
	double *whole;	  /* k: of a row */
	double *own;	  /* k: of a variable */
	double *own_gram; /* k x k: of all sources but one */
	double *next;	  /* k x categories: what the table becomes */
	double *solved;	  /* k x states of a variable */
	double *column;	  /* states of a variable */
} regression;

/* ---- anchors ---- */

static tlv_status
count_present(tlv_context *ctx, const membership_rows *rows, double *present)
{
	memset(present, 0, rows->p * sizeof(double));
	for (size_t i = 0; i < rows->n; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t s = 0; s < rows->slots; s++)
			present[s / rows->copies] += rows->codes[i * rows->slots + s] != 0;
	}
	for (size_t j = 0; j < rows->p; j++)
		present[j] /= (double) rows->n * (double) rows->copies;
	return TLV_OK;
}

/* Variables at random until they have enough categories; *categories: how many. */
static tlv_status
choose_anchors(tlv_context *ctx, const membership_rows *rows, size_t wanted, uint64_t seed,
			   const double *present, bool *source, size_t *categories)
{
	size_t chosen = 0;
	int64_t *order;
	tlv_rng rng;

	*categories = 0;
	memset(source, 0, rows->p * sizeof(bool));
	TLV_TRY_NEW(ctx, order, rows->p);
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_rng_permutation(ctx, &rng, rows->p, order));
	for (size_t i = 0; i < rows->p && (*categories < wanted || chosen < LEAST_ANCHORS); i++)
	{
		size_t j = (size_t) order[i], states = (size_t) rows->states[j];

		if (states < 2 || states > MOST_ANCHOR_STATES || *categories + states > MOST_ANCHOR ||
			present[j] < MEMBERSHIP_LEAST_PRESENT)
			continue;
		source[j] = true;
		chosen++;
		*categories += states;
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

/* The rows of the anchors alone. */
static tlv_status
anchor_rows(tlv_context *ctx, const membership_rows *rows, const bool *source,
			membership_rows *anchors)
{
	size_t at = 0;

	memset(anchors, 0, sizeof(*anchors));
	anchors->n = rows->n;
	anchors->copies = rows->copies;
	for (size_t j = 0; j < rows->p; j++)
		anchors->p += source[j];
	anchors->slots = anchors->p * rows->copies;
	TLV_TRY_NEW(ctx, anchors->states, anchors->p);
	TLV_TRY_NEW0(ctx, anchors->offset, anchors->p + 1);
	TLV_TRY_NEW(ctx, anchors->items, anchors->slots);
	TLV_TRY_NEW_ROWS(ctx, anchors->codes, anchors->n, anchors->slots);
	for (size_t j = 0; j < rows->p; j++)
	{
		if (!source[j])
			continue;
		anchors->states[at] = rows->states[j];
		anchors->offset[at + 1] = anchors->offset[at] + (size_t) rows->states[j];
		for (size_t i = 0; i < rows->n; i++)
			memcpy(anchors->codes + i * anchors->slots + at * rows->copies,
				   rows->codes + i * rows->slots + j * rows->copies,
				   rows->copies * sizeof(*rows->codes));
		TLV_TRY_CONTINUE(ctx);
		at++;
	}
	anchors->categories = anchors->offset[anchors->p];
	return TLV_OK;
}

static void
anchor_rows_free(tlv_context *ctx, membership_rows *anchors)
{
	tlv_free(ctx, anchors->codes);
	tlv_free(ctx, anchors->items);
	tlv_free(ctx, anchors->offset);
	tlv_free(ctx, anchors->states);
}

/* Components of the anchors by their moments, into the rows of the whole table that are theirs. */
static tlv_status
fit_anchors(tlv_context *ctx, const membership_rows *rows, const tlv_membership_options *options,
			size_t k, const bool *source, membership_basis *basis, membership_fit *fit)
{
	membership_rows anchors;
	const membership_triples triples = {.rows = &anchors};
	membership_moments moments;
	membership_fit own = {.k = k};
	double alpha0;
	size_t at = 0;

	TLV_TRY(anchor_rows(ctx, rows, source, &anchors));
	TLV_TRY(membership_moments_of_rows(ctx, &anchors, &moments));
	TLV_TRY(membership_find_alpha0(ctx, &moments, &triples, options, k, &alpha0));
	TLV_TRY(membership_whiten(ctx, &moments, k, alpha0, options->seed, basis));
	TLV_TRY(membership_require_rank(ctx, &moments, basis));
	TLV_TRY(membership_decompose(ctx, &moments, basis, &triples, &options->decompose, &own));
	for (size_t j = 0; j < rows->p; j++)
	{
		size_t entries = (size_t) rows->states[j] * k;

		if (!source[j])
			continue;
		memcpy(fit->table + rows->offset[j] * k, own.table + at, entries * sizeof(double));
		at += entries;
	}
	memcpy(fit->weights, own.weights, k * sizeof(double));
	fit->residual = own.residual;
	fit->negative = own.negative;
	tlv_free(ctx, moments.pairs);
	anchor_rows_free(ctx, &anchors);
	return TLV_OK;
}

/* ---- regression ---- */

static double
membership_scale_of(const membership_rows *rows, size_t v)
{
	return 1 / (rows->marginal[v] + SHARE_FLOOR);
}

/* gram += Theta_j' S Theta_j, both triangles. */
static void
add_gram(const membership_rows *rows, size_t k, size_t j, const double *table, double *gram)
{
	for (size_t v = rows->offset[j]; v < rows->offset[j + 1]; v++)
	{
		const double *own = table + v * k;
		double scale = membership_scale_of(rows, v);

		for (size_t g = 0; g < k; g++)
			for (size_t h = 0; h < k; h++)
				gram[g * k + h] += scale * own[g] * own[h];
	}
}

/* own = m_j' S Theta_j */
static void
membership_mean_of(const membership_rows *rows, size_t k, size_t j, const double *table,
				   double *own)
{
	memset(own, 0, k * sizeof(double));
	for (size_t v = rows->offset[j]; v < rows->offset[j + 1]; v++)
		for (size_t h = 0; h < k; h++)
			own[h] += rows->marginal[v] * membership_scale_of(rows, v) * table[v * k + h];
}

/* What the sources are, from the table. */
static tlv_status
set_sources(tlv_context *ctx, const double *table, regression *work)
{
	const membership_rows *rows = work->rows;
	size_t k = work->k;

	memset(work->scaled, 0, rows->categories * k * sizeof(double));
	memset(work->gram, 0, k * k * sizeof(double));
	memset(work->mean, 0, k * sizeof(double));
	for (size_t j = 0; j < rows->p; j++)
	{
		double factor =
			1 / (fmax(work->present[j], MEMBERSHIP_LEAST_PRESENT) * (double) rows->copies);

		TLV_TRY_CONTINUE_OFTEN(ctx, j);
		if (!work->source[j])
			continue;
		for (size_t v = rows->offset[j]; v < rows->offset[j + 1]; v++)
			for (size_t h = 0; h < k; h++)
				work->scaled[v * k + h] = factor * membership_scale_of(rows, v) * table[v * k + h];
		add_gram(rows, k, j, table, work->gram);
		membership_mean_of(rows, k, j, table, work->own);
		for (size_t h = 0; h < k; h++)
			work->mean[h] += work->own[h];
	}
	return TLV_OK;
}

/* Adds a row to the sums of its categories: of each what the other values are. */
TLV_CLONES static void
regress_add_row(size_t k, size_t n, const int32_t *items, const double *restrict scaled,
				double *restrict whole, double *restrict sums)
{
	memset(whole, 0, k * sizeof(double));
	for (size_t s = 0; s < n; s++)
		for (size_t h = 0; h < k; h++)
			whole[h] += scaled[(size_t) items[s] * k + h];
	for (size_t s = 0; s < n; s++)
	{
		const double *less = scaled + (size_t) items[s] * k;
		double *to = sums + (size_t) items[s] * k;

		for (size_t h = 0; h < k; h++)
			to[h] += whole[h] - less[h];
	}
}

static tlv_status
regress_add_rows(tlv_context *ctx, regression *work)
{
	membership_rows *rows = work->rows;

	memset(work->sums, 0, rows->categories * work->k * sizeof(double));
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_items(rows, rows->codes, i, rows->items);

		if (i % 16 == 0)
			TLV_TRY_CONTINUE(ctx);
		regress_add_row(work->k, n, rows->items, work->scaled, work->whole, work->sums);
	}
	return TLV_OK;
}

/* Least squares of one variable's sums on the sources, its own left out. */
static tlv_status
solve_variable(tlv_context *ctx, regression *work, const double *weights, size_t j, double *table)
{
	const membership_rows *rows = work->rows;
	size_t k = work->k, first = rows->offset[j], states = (size_t) rows->states[j];
	double a = work->alpha0, copies = (double) rows->copies, trace = 0;
	double each = (double) rows->n * copies * fmax(work->present[j], MEMBERSHIP_LEAST_PRESENT);
	double *solved = work->solved;

	memset(work->own_gram, 0, k * k * sizeof(double));
	memset(work->own, 0, k * sizeof(double));
	if (work->source[j])
	{
		add_gram(rows, k, j, table, work->own_gram);
		membership_mean_of(rows, k, j, table, work->own);
	}
	for (size_t i = 0; i < k * k; i++)
		work->own_gram[i] = work->gram[i] - work->own_gram[i] / copies;
	for (size_t h = 0; h < k; h++)
		trace += work->own_gram[h * k + h];
	for (size_t h = 0; h < k; h++)
		work->own_gram[h * k + h] += TLV_RIDGE * trace;
	for (size_t c = 0; c < states; c++)
		for (size_t h = 0; h < k; h++)
			solved[c * k + h] =
				work->sums[(first + c) * k + h] / each -
				a / (a + 1) * rows->marginal[first + c] * (work->mean[h] - work->own[h] / copies);
	TLV_TRY(tlv_solve_spd(ctx, k, states, work->own_gram, solved));
	for (size_t h = 0; h < k; h++)
	{
		double pair = a > 0 ? weights[h] / (a * (a + 1)) : weights[h];

		for (size_t c = 0; c < states; c++)
			solved[c * k + h] /= pair;
		tlv_project_simplex(states, solved + h, k, work->column);
	}
	memcpy(work->next + first * k, solved, states * k * sizeof(double));
	return TLV_OK;
}

/* Probabilities above 0, those of a variable with the sum 1. */
static void
regress_take_probabilities(const regression *work, double *table)
{
	const membership_rows *rows = work->rows;
	size_t k = work->k;

	for (size_t j = 0; j < rows->p; j++)
		for (size_t h = 0; h < k; h++)
		{
			double sum = 0;

			for (size_t v = rows->offset[j]; v < rows->offset[j + 1]; v++)
				sum += table[v * k + h] = fmax(work->next[v * k + h], TLV_EM_LEAST);
			for (size_t v = rows->offset[j]; v < rows->offset[j + 1]; v++)
				table[v * k + h] /= sum;
		}
}

/* All variables from the sources; then all are sources. */
static tlv_status
regress(tlv_context *ctx, regression *work, membership_fit *fit)
{
	for (int round = 0; round < 1 + REGRESS_ROUNDS; round++)
	{
		TLV_TRY(set_sources(ctx, fit->table, work));
		TLV_TRY(regress_add_rows(ctx, work));
		for (size_t j = 0; j < work->rows->p; j++)
		{
			if (j % 16 == 0)
				TLV_TRY_CONTINUE(ctx);
			TLV_TRY(solve_variable(ctx, work, fit->weights, j, fit->table));
		}
		regress_take_probabilities(work, fit->table);
		for (size_t j = 0; j < work->rows->p; j++)
			work->source[j] = true;
	}
	return set_sources(ctx, fit->table, work);
}

/* Directions in which rows are their memberships by least squares. */
static tlv_status
membership_take_directions(tlv_context *ctx, const regression *work, const membership_fit *fit,
						   membership_basis *basis)
{
	const membership_rows *rows = work->rows;
	size_t k = work->k, d = rows->categories;
	double trace = 0;

	tlv_free(ctx, basis->scale);
	tlv_free(ctx, basis->vector);
	TLV_TRY_NEW(ctx, basis->scale, d);
	TLV_TRY_NEW_ROWS(ctx, basis->vector, d, k);
	for (size_t v = 0; v < d; v++)
		basis->scale[v] = membership_scale_of(rows, v);
	memcpy(basis->vector, fit->table, d * k * sizeof(double));
	for (size_t h = 0; h < k; h++)
		trace += work->gram[h * k + h];
	for (size_t h = 0; h < k; h++)
		work->gram[h * k + h] += TLV_RIDGE * trace;
	return tlv_solve_spd(ctx, k, d, work->gram, basis->vector);
}

static tlv_status
regression_create(tlv_context *ctx, membership_rows *rows, size_t k, double alpha0,
				  regression *work)
{
	size_t most = 1, d = rows->categories;

	memset(work, 0, sizeof(*work));
	work->rows = rows;
	work->k = k;
	work->alpha0 = alpha0;
	for (size_t j = 0; j < rows->p; j++)
		most = (size_t) rows->states[j] > most ? (size_t) rows->states[j] : most;
	TLV_TRY_NEW(ctx, work->source, rows->p);
	TLV_TRY_NEW(ctx, work->present, rows->p);
	TLV_TRY_NEW_ROWS(ctx, work->scaled, d, k);
	TLV_TRY_NEW_ROWS(ctx, work->sums, d, k);
	TLV_TRY_NEW_ROWS(ctx, work->next, d, k);
	TLV_TRY_NEW_ROWS(ctx, work->gram, k, k);
	TLV_TRY_NEW_ROWS(ctx, work->own_gram, k, k);
	TLV_TRY_NEW_ROWS(ctx, work->mean, k, 3);
	work->whole = work->mean + k;
	work->own = work->whole + k;
	TLV_TRY_NEW_ROWS(ctx, work->solved, most, k);
	TLV_TRY_NEW(ctx, work->column, most);
	return count_present(ctx, rows, work->present);
}

static void
regression_free(tlv_context *ctx, regression *work)
{
	tlv_free(ctx, work->column);
	tlv_free(ctx, work->solved);
	tlv_free(ctx, work->mean);
	tlv_free(ctx, work->own_gram);
	tlv_free(ctx, work->gram);
	tlv_free(ctx, work->next);
	tlv_free(ctx, work->sums);
	tlv_free(ctx, work->scaled);
	tlv_free(ctx, work->present);
	tlv_free(ctx, work->source);
}

tlv_status
membership_start_of_anchors(tlv_context *ctx, membership_rows *rows,
							const tlv_membership_options *options, size_t k,
							membership_basis *basis, membership_fit *fit)
{
	size_t wanted = ANCHOR_EACH * k > ANCHOR_CATEGORIES ? ANCHOR_EACH * k : ANCHOR_CATEGORIES;
	tlv_status status = TLV_NOT_IDENTIFIABLE;
	regression work;

	TLV_TRY(regression_create(ctx, rows, k, membership_alpha0(options, k), &work));
	fit->k = k;
	TLV_TRY_NEW(ctx, fit->weights, k);
	TLV_TRY_NEW_ROWS(ctx, fit->table, rows->categories, k);
	for (int trial = 0; trial < ANCHOR_TRIALS && status == TLV_NOT_IDENTIFIABLE; trial++)
	{
		uint64_t seed = tlv_mix64(options->seed) + (uint64_t) trial;
		size_t categories;

		TLV_TRY(choose_anchors(ctx, rows, tlv_least(wanted << trial, MOST_ANCHOR), seed,
							   work.present, work.source, &categories));
		if (categories > 0)
			status = fit_anchors(ctx, rows, options, k, work.source, basis, fit);
	}
	TLV_TRY(status);
	work.alpha0 = basis->alpha0;
	TLV_TRY(regress(ctx, &work, fit));
	TLV_TRY(membership_take_directions(ctx, &work, fit, basis));
	regression_free(ctx, &work);
	return TLV_OK;
}
