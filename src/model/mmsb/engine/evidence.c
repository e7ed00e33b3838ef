/*
 * evidence.c - the integrated likelihood of a partition, by which numbers of communities and block
 * models are compared.
 *
 * Edges are Poisson with mean r_ab M theta_u theta_v.  Rates r of one class (inside communities,
 * between them) have an exponential prior whose mean is the class's.  Plain: theta = 1/n.
 * Degree-corrected: the degrees of a community are drawn given their sum, either all such
 * sequences alike or all such distributions of degrees alike, whichever is the shorter to tell
 * (Peixoto 2017).  Labels: the number of communities, their sizes, and who is in which, each
 * alike.  What is the same for every partition and model is left out.
 */
#include "../internal.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/special.h"
#include "tensorlv/num/numbers.h"

typedef struct evidence_work
{
	const tlv_mmsb_fit_state *fit;
	size_t k;
	double *edges;	/* k x k, or k where only those inside are wanted */
	bool square;	/* edges are k x k */
	double *size;	/* k x sides */
	double *degree; /* k x sides */
	double *last;	/* k: the degree before, of a community */
	double *run;	/* k: nodes that have had it */
	double *told;	/* k: sum of logarithms of the factorials of the runs that have ended */
} evidence_work;

static tlv_status
create_evidence(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t k, bool between,
				evidence_work *work)
{
	size_t square = between ? k * k : k;
	double *block = tlv_alloc0(ctx, square + 7 * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	*work = (evidence_work){.fit = fit,
							.k = k,
							.edges = block,
							.square = between,
							.size = block + square,
							.degree = block + square + 2 * k,
							.last = block + square + 4 * k,
							.run = block + square + 5 * k,
							.told = block + square + 6 * k};
	return TLV_OK;
}

static void
count_nodes(evidence_work *work, int32_t *const label[2])
{
	const tlv_mmsb_fit_state *fit = work->fit;
	size_t k = work->k;

	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
		{
			work->size[s * k + (size_t) label[s][u]] += 1;
			work->degree[s * k + (size_t) label[s][u]] += fit->side[s].degree[u];
		}
}

/* The marginal likelihood of a rate, e edges where x were expected at rate 1, prior mean m. */
static double
rate_evidence(double e, double x, double m)
{
	return tlv_lgamma(e + 1) - (e + 1) * log(x + 1 / m) - log(m);
}

/* What communities a of the sources and b of the targets have of all ends. */
static double
expected_edges(const evidence_work *work, bool corrected, size_t a, size_t b)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	size_t k = work->k, o = fit->sides - 1;
	double part = fit->sides == 1 && a == b ? 0.5 : 1;

	if (corrected)
		return part * work->degree[a] * work->degree[o * k + b] / fit->total;
	return part * fit->total * work->size[a] * work->size[o * k + b] /
		   ((double) fit->side[0].n * (double) fit->side[o].n);
}

/*
 * Rates between communities, each of its own with the prior mean m.  A pair without edges has the
 * evidence 1 / (1 + m x): most pairs of many communities have none, and one logarithm is taken of
 * many such factors.
 */
static double
between_evidence(const evidence_work *work, bool corrected, double m)
{
	size_t k = work->k;
	double sum = 0, product = 1;

	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < (work->fit->sides == 1 ? b : k); a++)
		{
			double e = work->edges[a + k * b], x = expected_edges(work, corrected, a, b);

			if (a == b)
				continue;
			if (e > 0)
				sum += rate_evidence(e, x, m);
			else
				product *= 1 + m * x;
			if (product < TLV_LARGEST_NUMBER)
				continue;
			sum -= log(product);
			product = 1;
		}
	return sum - log(product);
}

/* Both classes of rates; those between communities each of its own (full) or all the same. */
static double
rates_evidence(const evidence_work *work, bool corrected, bool full)
{
	size_t k = work->k;
	double edges = work->fit->total / (work->fit->sides == 1 ? 2 : 1), inside = 0, expected = 0;
	double half = work->fit->sides == 1 ? 0.5 : 1, off, sum = 0;

	for (size_t a = 0; a < k; a++)
	{
		inside += half * work->edges[work->square ? a + k * a : a];
		expected += expected_edges(work, corrected, a, a);
	}
	for (size_t a = 0; a < k; a++)
		sum += rate_evidence(half * work->edges[work->square ? a + k * a : a],
							 expected_edges(work, corrected, a, a), (inside + 1) / (expected + 1));
	if (k == 1)
		return sum;
	off = (edges - inside + 1) / (edges - expected + 1);
	if (!full)
		return sum + rate_evidence(edges - inside, fmax(edges - expected, 0), off);
	return sum + between_evidence(work, corrected, off);
}

/* About the logarithm of the number of partitions of the number m into at most n parts: that of all
 * partitions (Hardy, Ramanujan 1918), corrected for few parts (Szekeres 1953), or
 * (m + n (n + 1) / 4)^(n - 1) / n! (n - 1)! where that is less. */
static double
log_partitions(double m, double n)
{
	double c = M_PI * sqrt(2.0 / 3), root = sqrt(m), all, few;

	if (m < 2 || n < 2)
		return 0;
	all = c * root - log(4 * sqrt(3.0) * m) - 2 / c * root * exp(-c * n / (2 * root));
	few = (n - 1) * log(m + n * (n + 1) / 4) - tlv_lgamma(n + 1) - tlv_lgamma(n);
	return fmax(0, fmin(all, few));
}

static void
end_run(evidence_work *work, size_t c)
{
	if (work->run[c] > 1)
		work->told[c] += tlv_lgamma(work->run[c] + 1);
	work->run[c] = 0;
}

/* Runs of equal degrees in communities; nodes come by decreasing degree. */
static tlv_status
tell_degrees(tlv_context *ctx, evidence_work *work, size_t s, const int32_t *label)
{
	const tlv_mmsb_side *side = &work->fit->side[s];

	memset(work->last, 0, 3 * work->k * sizeof(double));
	for (size_t u = 0; u < side->n; u++)
	{
		int32_t c = label[u];

		TLV_TRY_CONTINUE_AT(ctx, u);
		if (side->degree[u] != work->last[c])
			end_run(work, (size_t) c);
		work->run[c] += 1;
		work->last[c] = side->degree[u];
	}
	for (size_t c = 0; c < work->k; c++)
	{
		TLV_TRY_CONTINUE_AT(ctx, c);
		end_run(work, c);
	}
	return TLV_OK;
}

/* Propensities of one side, given the sums of communities. */
static tlv_status
degrees_evidence(tlv_context *ctx, evidence_work *work, size_t s, const int32_t *label,
				 double *evidence)
{
	const tlv_mmsb_side *side = &work->fit->side[s];
	bool whole = side->edges.value == NULL;
	double sum = 0, told = 0;

	for (size_t u = 0; u < side->n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		if (u == 0 || side->degree[u] != side->degree[u - 1])
			told = tlv_lgamma(side->degree[u] + 1);
		sum += told;
	}
	TLV_TRY(tell_degrees(ctx, work, s, label));
	for (size_t c = 0; c < work->k; c++)
	{
		double n = work->size[s * work->k + c], d = work->degree[s * work->k + c], alike;

		TLV_TRY_CONTINUE_AT(ctx, c);
		if (n == 0)
			continue;
		alike = tlv_lgamma(d + 1) + tlv_lgamma(n) - tlv_lgamma(n + d);
		told = whole ? work->told[c] - tlv_lgamma(n + 1) - log_partitions(d, n) : alike;
		sum += d * log(d / work->fit->total) - tlv_lgamma(d + 1) + fmax(alike, told);
	}
	*evidence += sum;
	return TLV_OK;
}

/* Of n nodes in communities of these sizes. */
static tlv_status
labels_evidence(tlv_context *ctx, size_t k, const double *size, double n, double *evidence)
{
	double used = 0, sum = 0;

	for (size_t c = 0; c < k; c++)
	{
		TLV_TRY_CONTINUE_AT(ctx, c);
		used += size[c] > 0;
		sum += tlv_lgamma(size[c] + 1);
	}
	*evidence += sum - tlv_lgamma(n + 1) - tlv_log_choose(n - 1, used - 1) - log(n);
	return TLV_OK;
}

/* Of nodes that have one label as sources and as targets. */
static tlv_status
tied_evidence(tlv_context *ctx, evidence_work *work, int32_t *const label[2], double *evidence)
{
	const tlv_mmsb_side *side = work->fit->side;
	double *size = work->last, n = (double) side[0].n;

	memcpy(size, work->size, work->k * sizeof(double));
	for (size_t v = 0; v < side[1].n; v++)
		if (side[0].place[side[1].position[v]] < 0)
		{
			size[label[1][v]] += 1;
			n += 1;
		}
	return labels_evidence(ctx, work->k, size, n, evidence);
}

/*
 * Counts edges and nodes of the communities.  known: the evidence of labels and, plain or
 * degree-corrected, of who has which edge ends.
 */
static tlv_status
count_evidence(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2], size_t k,
			   bool between, evidence_work *work, double known[2])
{
	double labels = 0;

	TLV_TRY(create_evidence(ctx, fit, k, between, work));
	TLV_TRY(tlv_block_edges(ctx, &fit->side[0].edges, label[0], label[fit->sides - 1], k, between,
							work->edges));
	count_nodes(work, label);
	known[0] = known[1] = 0;
	if (fit->tied)
		TLV_TRY(tied_evidence(ctx, work, label, &labels));
	for (size_t s = 0; s < fit->sides; s++)
	{
		if (!fit->tied)
			TLV_TRY(labels_evidence(ctx, k, work->size + s * k, (double) fit->side[s].n, &labels));
		TLV_TRY(degrees_evidence(ctx, work, s, label[s], &known[1]));
		known[0] -= fit->total * log((double) fit->side[s].n);
	}
	known[0] += labels;
	known[1] += labels;
	return TLV_OK;
}

tlv_status
tlv_mmsb_evidence(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2],
				  size_t k, bool corrected, double evidence[2])
{
	bool between = k <= TLV_MMSB_MOST;
	evidence_work work;
	double known[2];

	TLV_TRY(count_evidence(ctx, fit, label, k, between, &work, known));
	evidence[0] = known[corrected] + rates_evidence(&work, corrected, false);
	evidence[1] = between ? known[corrected] + rates_evidence(&work, corrected, true) : -HUGE_VAL;
	tlv_free(ctx, work.edges);
	return TLV_OK;
}

tlv_status
tlv_mmsb_moves_evidence(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2],
						size_t k, double evidence[2])
{
	evidence_work work;
	double known[2];

	TLV_TRY(count_evidence(ctx, fit, label, k, false, &work, known));
	for (int corrected = 0; corrected < 2; corrected++)
		evidence[corrected] = known[corrected] + rates_evidence(&work, corrected, false);
	tlv_free(ctx, work.edges);
	return TLV_OK;
}
