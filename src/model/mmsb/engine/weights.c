/*
 * weights.c - what the weights of edges are: counts of one unit, or values whose unit and
 * distribution are unknown.
 *
 * Weights that are multiples of one number are counts in that unit, and whether they are Poisson
 * counts is decided by evidence: a Poisson block model of all pairs of nodes against a block model
 * of who is joined to whom beside a negative binomial of what the edges weigh in excess of one
 * unit.  Each is given the best of one community and of the partitions that local moves propose.
 * Other weights, and counts that vary more than Poisson ones, do not decide who is joined to whom.
 */
#include "../internal.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/special.h"
#include "tensorlv/num/numbers.h"

/* Least unit, relative to the largest weight. */
#define LEAST_UNIT 1e-6

/* Counts of more units than these are values. */
#define MOST_UNITS 100000

/* Degrees of a community's nodes within a factor of sqrt(2) are one cell; cells of a community. */
#define COMMUNITY_CELLS 64

/* ---- the unit ---- */

/* The least and the largest weight of a graph. */
static tlv_status
weight_range(tlv_context *ctx, const tlv_frame *frame, double range[2])
{
	tlv_graph_cursor *cursor;
	int64_t ends[2];
	double weight;

	range[0] = HUGE_VAL;
	range[1] = -HUGE_VAL;
	TLV_TRY(tlv_graph_cursor_open(ctx, frame, &cursor));
	for (size_t e = 0; tlv_graph_cursor_next(cursor, &ends[0], &ends[1], &weight); e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		range[0] = fmin(range[0], weight);
		range[1] = fmax(range[1], weight);
	}
	tlv_graph_cursor_close(ctx, cursor);
	return TLV_OK;
}

/*
 * The largest number of which all weights are multiples, 0 if there is none.  Weights that are all
 * equal but for rounding are one unit each.
 */
static tlv_status
find_unit(tlv_context *ctx, const tlv_frame *frame, const double range[2], double *unit)
{
	double largest = range[1], rounding = TLV_ROUNDING * largest;
	tlv_graph_cursor *cursor;
	int64_t ends[2];
	double weight;

	*unit = range[0] > LEAST_UNIT * largest ? largest : 0;
	TLV_TRY(tlv_graph_cursor_open(ctx, frame, &cursor));
	for (size_t e = 0;
		 *unit > LEAST_UNIT * largest && tlv_graph_cursor_next(cursor, &ends[0], &ends[1], &weight);
		 e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		*unit = tlv_common_divisor(*unit, weight, rounding);
	}
	tlv_graph_cursor_close(ctx, cursor);
	if (*unit <= LEAST_UNIT * largest || largest > MOST_UNITS * *unit)
		*unit = 0;
	else
		*unit = largest / rint(largest / *unit);
	return TLV_OK;
}

tlv_status
tlv_mmsb_find_unit(tlv_context *ctx, const tlv_frame *frame, tlv_weights *weights)
{
	double range[2];

	TLV_TRY(weight_range(ctx, frame, range));
	weights->scale = fmax(fabs(range[0]), fabs(range[1]));
	weights->vary = range[1] - range[0] > TLV_ROUNDING * weights->scale;
	weights->unit = 0;
	return range[0] < 0 ? TLV_OK : find_unit(ctx, frame, range, &weights->unit);
}

/* ---- evidence of who is joined to whom ---- */

/* Nodes of one side of a community whose degrees are about the same. */
typedef struct cell
{
	size_t community;
	double nodes, degree; /* their number, and the mean of their degrees */
} cell;

/* The cells of a side; with one cell for every community where degrees are not corrected for. */
static tlv_status
fill_cells(tlv_context *ctx, const tlv_mmsb_side *side, const int32_t *label, size_t k,
		   bool corrected, cell **cells, size_t *n)
{
	double *sums = tlv_alloc0(ctx, 2 * COMMUNITY_CELLS * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, sums);
	TLV_TRY_NEW(ctx, *cells, COMMUNITY_CELLS * k);
	for (size_t u = 0; u < side->n; u++)
	{
		size_t place = corrected ? (size_t) (2 * log2(side->degree[u])) : 0;
		double *own = sums + 2 * (COMMUNITY_CELLS * (size_t) label[u] +
								  tlv_least(place, COMMUNITY_CELLS - 1));

		TLV_TRY_CONTINUE_AT(ctx, u);
		own[0] += 1;
		own[1] += side->degree[u];
	}
	*n = 0;
	for (size_t i = 0; i < COMMUNITY_CELLS * k; i++)
		if (sums[2 * i] > 0)
			(*cells)[(*n)++] =
				(cell){i / COMMUNITY_CELLS, sums[2 * i], sums[2 * i + 1] / sums[2 * i]};
	tlv_free(ctx, sums);
	return TLV_OK;
}

tlv_status
tlv_mmsb_simple_gain(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2],
					 size_t k, bool corrected, double *gain)
{
	size_t o = fit->sides - 1, n[2] = {0, 0};
	double *edges = tlv_alloc0(ctx, k * k + 2 * k, sizeof(double)), *degree = edges + k * k;
	cell *cells[2] = {NULL, NULL};

	TLV_TRY_ALLOC(ctx, edges);
	TLV_TRY(tlv_block_edges(ctx, &fit->side[0].edges, label[0], label[o], k, true, edges));
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			degree[a] += edges[a + k * b];
			degree[k + b] += edges[a + k * b];
		}
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(fill_cells(ctx, &fit->side[s], label[s], k, corrected, &cells[s], &n[s]));
	*gain = 0;
	for (size_t i = 0; i < n[0]; i++)
	{
		const cell *from = &cells[0][i];

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < n[o]; j++)
		{
			const cell *to = &cells[o][j];
			double lambda = edges[from->community + k * to->community] * from->degree * to->degree /
							fmax(degree[from->community] * degree[k + to->community], 1);
			double pairs = from->nodes * (to->nodes - (fit->sides == 1 && i == j));

			*gain += pairs * (lambda - log1p(lambda)) * (fit->sides == 1 ? 0.5 : 1);
		}
	}
	for (size_t s = 0; s < fit->sides; s++)
		tlv_free(ctx, cells[s]);
	tlv_free(ctx, edges);
	return TLV_OK;
}

/*
 * Evidence of a partition by the better model, plain or degree-corrected, as a probability of the
 * matrix but for the factorials of its entries; simple: no entry is above 1.
 */
static tlv_status
weigh_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2], size_t k,
			 bool simple, double *evidence)
{
	double scale = fit->total / (fit->sides == 1 ? 2 : 1) * log(fit->total);

	*evidence = -HUGE_VAL;
	for (int corrected = 0; corrected < 2; corrected++)
	{
		double gain = 0, all[2];

		TLV_TRY(tlv_mmsb_evidence(ctx, fit, label, k, corrected, all));
		if (simple)
			TLV_TRY(tlv_mmsb_simple_gain(ctx, fit, label, k, corrected, &gain));
		*evidence = fmax(*evidence, fmax(all[0], all[1]) + scale + gain);
	}
	return TLV_OK;
}

/* ---- evidence of what the edges weigh ---- */

/* Edges by their count of units, 0 .. MOST_UNITS. */
static tlv_status
count_units(tlv_context *ctx, const tlv_mmsb_fit_state *fit, double *edges)
{
	const tlv_csr *rows = &fit->side[0].edges;
	double each = fit->sides == 1 ? 0.5 : 1;

	for (size_t e = 0; e < rows->entries; e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		edges[tlv_least((size_t) rint((double) fit->side[0].weight[e]), MOST_UNITS)] += each;
	}
	return TLV_OK;
}

/*
 * The evidence of counts above 1, less one, under a negative binomial of the given shape, whose
 * probability has a beta prior of mean that fits and the weight of two edges.
 */
static double
binomial_evidence(const double *edges, double n, double excess, double shape)
{
	double p = (shape * n + 1) / (shape * n + excess + 2), a = 2 * p, b = 2 * (1 - p), sum;

	sum = tlv_lgamma(shape * n + a) + tlv_lgamma(excess + b) -
		  tlv_lgamma(shape * n + a + excess + b) - tlv_lgamma(a) - tlv_lgamma(b) +
		  tlv_lgamma(a + b);
	for (size_t x = 2; x <= MOST_UNITS; x++)
		if (edges[x] > 0)
			sum += edges[x] * (tlv_lgamma((double) x - 1 + shape) - tlv_lgamma(shape) -
							   tlv_lgamma((double) x));
	return sum;
}

/* *binomial: the best negative binomial of the weights; *factorials: those of the counts, which a
 * Poisson model divides by. */
static tlv_status
weigh_units(tlv_context *ctx, const tlv_mmsb_fit_state *fit, double *binomial, double *factorials)
{
	/* Exponents of 2 of the shapes of negative binomials that are compared. */
	const int first_shape = -3, last_shape = 8;
	double *edges, n = 0, excess = 0;

	TLV_TRY_NEW0(ctx, edges, MOST_UNITS + 1);
	TLV_TRY(count_units(ctx, fit, edges));
	*factorials = 0;
	for (size_t x = 1; x <= MOST_UNITS; x++)
	{
		n += edges[x];
		excess += edges[x] * (double) (x - 1);
		*factorials += edges[x] > 0 ? edges[x] * tlv_lgamma((double) x + 1) : 0;
	}
	*binomial = -HUGE_VAL;
	for (int i = first_shape; i <= last_shape; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		*binomial = fmax(*binomial, binomial_evidence(edges, n, excess, exp2(i)));
	}
	tlv_free(ctx, edges);
	return TLV_OK;
}

/* ---- counts or values ---- */

/* The weights as values of the edges, or edges that all count 1; degrees follow. */
tlv_status
tlv_mmsb_use_weights(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool used)
{
	fit->poisson = used;
	for (size_t s = 0; s < fit->sides; s++)
	{
		fit->side[s].edges.value = used ? fit->side[s].weight : NULL;
		TLV_TRY_CONTINUE(ctx);
		tlv_csr_row_sums(&fit->side[s].edges, fit->side[s].degree);
	}
	fit->total = 0;
	for (size_t u = 0; u < fit->side[0].n; u++)
		fit->total += fit->side[0].degree[u];
	return TLV_OK;
}

/* A partition and the best evidence of it with weights as counts, and without them. */
typedef struct division
{
	int32_t *label[2];
	size_t k;
	double counts, simple;
} division;

static tlv_status
weigh_division(tlv_context *ctx, tlv_mmsb_fit_state *fit, division *d)
{
	TLV_TRY(tlv_mmsb_use_weights(ctx, fit, true));
	TLV_TRY(weigh_labels(ctx, fit, d->label, d->k, false, &d->counts));
	TLV_TRY(tlv_mmsb_use_weights(ctx, fit, false));
	return weigh_labels(ctx, fit, d->label, d->k, true, &d->simple);
}

/* The partition that moves propose, with weights as counts or without them. */
static tlv_status
propose_division(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool counts, division *d)
{
	tlv_mmsb_fit_state trial;

	TLV_TRY(tlv_mmsb_use_weights(ctx, fit, counts));
	trial = *fit;
	TLV_TRY(tlv_mmsb_propose(ctx, &trial, TLV_PROPOSE_BEST, 0));
	d->k = trial.k;
	for (size_t s = 0; s < fit->sides; s++)
		d->label[s] = trial.side[s].proposed;
	return weigh_division(ctx, fit, d);
}

static void
free_division(tlv_context *ctx, const tlv_mmsb_fit_state *fit, division *d)
{
	for (size_t s = 0; s < fit->sides; s++)
		tlv_free(ctx, d->label[s]);
}

/* Whether weights are Poisson counts: at one community, or by the partitions proposed. */
static tlv_status
weights_are_counts(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool *counts)
{
	double binomial, factorials;
	division best = {.k = 1};

	TLV_TRY(weigh_units(ctx, fit, &binomial, &factorials));
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY_NEW0(ctx, best.label[s], fit->side[s].n);
	TLV_TRY(weigh_division(ctx, fit, &best));
	*counts = best.counts - factorials >= best.simple + binomial;
	free_division(ctx, fit, &best);
	for (int i = 0; i < 2 && !*counts; i++)
	{
		division proposed = {.k = 1};

		TLV_TRY(propose_division(ctx, fit, i == 0, &proposed));
		best.counts = fmax(best.counts, proposed.counts);
		best.simple = fmax(best.simple, proposed.simple);
		free_division(ctx, fit, &proposed);
		if (best.counts - factorials < best.simple + binomial)
			break;
		*counts = i == 1;
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_choose_weights(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	bool counts = false;

	for (size_t s = 0; s < fit->sides; s++)
		fit->side[s].weight = fit->side[s].edges.value;
	if (fit->weights.unit > 0)
		TLV_TRY(weights_are_counts(ctx, fit, &counts));
	TLV_TRY(tlv_mmsb_use_weights(ctx, fit, counts));
	if (counts)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, fit->weights.unit, "weight_unit"));
	return tlv_diagnose(ctx, &fit->diagnostics, counts, "weights_are_counts");
}
