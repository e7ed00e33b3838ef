/*
 * infer.c - memberships of a node from its neighbours, under a mixed membership block model
 * (mmsb.h).
 *
 * The weight of its edge to a known node v of the target side has mean F_v' pi,
 * F_v = theta_v P pi_v.  With one community a node it has the posterior of its community; with
 * mixed memberships the steps are those of mixed_membership.h, which has all edges at hand: of a
 * new node until they converge, of a node of the model the next one, where its parameters are as
 * its shares tell them, alpha + degree times the shares of its edge ends.  The unknown propensity
 * of a new node is left free where the model is degree-corrected.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "infer.h"
#include "internal.h"
#include "mixed/memberships.h"
#include "mixed/mixed_membership.h"
#include "tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

/* A rate of 0 counts as this share of the largest one. */
#define SMALLEST_RATE 1e-12

typedef struct mmsb_model
{
	tlv_model base;
	tlv_mmsb_parts parts;
	size_t target; /* side of the neighbours */
	tlv_dictionary dictionary;
	double unit;		  /* largest theta times largest P: rates below are in this unit */
	double *connectivity; /* k x k: P over its largest entry, source community first */
	double *propensity;	  /* theta over the largest one; NULL: all 1 */
	double *fallback;	  /* k: memberships without known neighbours */
	double *shares;		  /* k: of the communities among the source nodes */
	double *totals;		  /* k: sum of F_v over all known nodes v */
	double *exposure;	  /* k: the same over its mean */
	double *rates;		  /* k: F_v of one node */
	double *inferred;	  /* k */
	double *logs;		  /* k: of the posterior */
	/* of mixed memberships */
	double *gamma;	/* k: parameters of the node */
	double *weight; /* k: of communities at its edges */
	double *row;	/* k: sum of neighbours' rates over what the node expects */
	/* the neighbours that say something */
	double *counts; /* k: by community; of mixed memberships over what the node expects */
	size_t room;
	int64_t *items;
	double *weights;
	int32_t *index;
	double *known; /* in units */
	size_t n_known;
	double sum; /* of the known */
} mmsb_model;

static double
propensity_of(const mmsb_model *model, size_t v)
{
	return model->propensity == NULL ? 1 : model->propensity[v];
}

/* y (k) = P x for x by target community */
static void
mmsb_connect(const mmsb_model *model, const double *restrict x, double *restrict y)
{
	size_t k = model->parts.k;

	memset(y, 0, k * sizeof(double));
	for (size_t b = 0; b < k; b++)
		if (x[b] != 0)
			for (size_t a = 0; a < k; a++)
				y[a] += model->connectivity[a + k * b] * x[b];
}

/* F_v, in model->rates; false when it is zero: the node then tells nothing. */
static bool
node_rates(mmsb_model *model, size_t v)
{
	const tlv_memberships *memberships = &model->parts.side[model->target].memberships;
	size_t k = model->parts.k;
	double sum = 0;

	memset(model->rates, 0, k * sizeof(double));
	for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
	{
		const double *restrict column = model->connectivity + k * memberships->community[e];
		double x = propensity_of(model, v) * memberships->share[e];

		for (size_t a = 0; a < k; a++)
			model->rates[a] += x * column[a];
	}
	for (size_t a = 0; a < k; a++)
		sum += model->rates[a];
	return sum > 0;
}

/* ---- opening ---- */

static tlv_status
allocate_mmsb_model(tlv_context *ctx, mmsb_model *model)
{
	size_t k = model->parts.k, n = model->parts.side[model->target].n;
	double *block = tlv_alloc0(ctx, k + 11, k * sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	model->connectivity = block;
	block += k * k;
	model->fallback = block;
	model->shares = block + k;
	model->totals = block + 2 * k;
	model->exposure = block + 3 * k;
	model->rates = block + 4 * k;
	model->inferred = block + 5 * k;
	model->logs = block + 6 * k;
	model->gamma = block + 7 * k;
	model->weight = block + 8 * k;
	model->row = block + 9 * k;
	model->counts = block + 10 * k;
	if (model->parts.degree_corrected)
		TLV_TRY_NEW(ctx, model->propensity, n);
	return TLV_OK;
}

/* y = x over its largest entry, which is returned; all zero: y = x. */
static double
scale(size_t n, const double *x, double *y)
{
	double largest = tlv_largest_modulus(n, x);

	for (size_t i = 0; i < n; i++)
		y[i] = largest > 0 ? x[i] / largest : 0;
	return largest > 0 ? largest : 1;
}

/* y = x over its sum, or evenly where that is 0. */
static void
normalise(size_t n, const double *x, double *y)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	for (size_t i = 0; i < n; i++)
		y[i] = sum > 0 ? x[i] / sum : 1 / (double) n;
	tlv_assert(tlv_is_distribution(n, y, 1));
}

static tlv_status
mmsb_prepare(tlv_context *ctx, mmsb_model *model)
{
	const tlv_mmsb_parts *parts = &model->parts;
	size_t k = parts->k;
	double mean = 0;

	model->unit = scale(k * k, parts->connectivity, model->connectivity);
	if (parts->alpha0 > 0) /* as in the fit: no edge is impossible */
		tlv_connectivity_settle(k, false, model->connectivity);
	if (parts->degree_corrected)
		model->unit *= scale(parts->side[model->target].n, parts->side[model->target].propensity,
							 model->propensity);
	normalise(k, parts->sizes, model->shares);
	normalise(k, tlv_largest_modulus(k, parts->alpha) > 0 ? parts->alpha : parts->sizes,
			  model->fallback);
	tlv_memberships_sums(&parts->side[model->target].memberships, k, model->propensity,
						 model->rates);
	TLV_TRY_CONTINUE(ctx);
	mmsb_connect(model, model->rates, model->totals);
	for (size_t a = 0; a < k; a++)
		mean += model->totals[a] / (double) k;
	for (size_t a = 0; a < k; a++)
		model->exposure[a] = fmax(model->totals[a] / fmax(mean, DBL_MIN), 1e-12);
	return TLV_OK;
}

tlv_status
tlv_mmsb_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	mmsb_model *own;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(mmsb_model), model));
	own = (mmsb_model *) *model;
	TLV_TRY(tlv_mmsb_read(ctx, frame, &own->parts));
	own->target = own->parts.sides - 1;
	TLV_TRY(tlv_dictionary_freeze(ctx, &own->dictionary, own->parts.side[own->target].n,
								  own->parts.side[own->target].nodes));
	TLV_TRY(allocate_mmsb_model(ctx, own));
	return mmsb_prepare(ctx, own);
}

const tlv_mmsb_parts *
tlv_mmsb_opened(const tlv_model *model, const tlv_dictionary **dictionary)
{
	const mmsb_model *own = (const mmsb_model *) model;

	*dictionary = &own->dictionary;
	return &own->parts;
}

/* ---- one node ---- */

static tlv_status
mmsb_reserve(tlv_context *ctx, mmsb_model *model, size_t n)
{
	if (n <= model->room)
		return TLV_OK;
	tlv_free(ctx, model->items);
	model->room = 0;
	model->items = tlv_alloc(ctx, 2 * n, 3 * sizeof(double) + sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, model->items);
	model->weights = (double *) (model->items + 2 * n);
	model->known = model->weights + 2 * n;
	model->index = (int32_t *) (model->known + 2 * n);
	model->room = 2 * n;
	return TLV_OK;
}

static tlv_status
refuse_weight(tlv_context *ctx, double weight)
{
	tlv_fail(ctx, TLV_BAD_DATA, "the weight of an edge is %g, more than 1e100", weight);
	return tlv_fail_hint(ctx, "Divide all weights by a constant.");
}

/*
 * Decodes the neighbours of a node, without it (NULL: there is none); those that are unknown, or
 * say nothing, are left out.
 */
static tlv_status
take_bag(tlv_context *ctx, mmsb_model *model, const tlv_bag_image *bag, const int64_t *own,
		 tlv_node_row *node)
{
	size_t n = 0, left = 0;
	double mapped = 0;

	TLV_TRY(mmsb_reserve(ctx, model, bag->n));
	TLV_TRY(tlv_bag_read(ctx, bag, model->items, model->weights));
	for (size_t i = 0; i < bag->n; i++)
	{
		bool loop = own != NULL && model->items[i] == *own;

		*(loop ? &node->self_loops : &node->degree) += model->weights[i];
		model->items[left] = model->items[i];
		model->weights[left] = model->weights[i];
		left += !loop;
	}
	TLV_TRY(tlv_dictionary_map(ctx, &model->dictionary, left, model->items, model->weights,
							   model->index, model->known, &n));
	model->n_known = 0;
	model->sum = 0;
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		mapped += model->known[i];
		if (!node_rates(model, (size_t) model->index[i]))
			continue;
		if (!(model->known[i] <= TLV_LARGEST_NUMBER))
			return refuse_weight(ctx, model->known[i]);
		model->index[model->n_known] = model->index[i];
		model->known[model->n_known] = model->known[i] / model->parts.unit;
		model->sum += model->known[model->n_known++];
	}
	node->strangers = fmax(node->degree - mapped, 0);
	node->degree /= model->parts.unit;
	return TLV_OK;
}

/* What a rate of 0 counts as among model->rates; above 0 even where these underflow. */
static double
smallest_rate(const mmsb_model *model)
{
	return fmax(SMALLEST_RATE * tlv_largest_modulus(model->parts.k, model->rates), DBL_MIN);
}

/*
 * Logarithms of prior times likelihood of every community, up to what does not
 * depend on it.
 */
static tlv_status
log_posterior(tlv_context *ctx, mmsb_model *model, double *logs)
{
	size_t k = model->parts.k;

	for (size_t a = 0; a < k; a++)
	{
		logs[a] = log(fmax(model->shares[a], TLV_TINY));
		if (model->parts.degree_corrected)
			logs[a] -= model->sum * log(fmax(model->totals[a], TLV_TINY));
		else
			logs[a] -= model->totals[a] * model->unit;
	}
	for (size_t i = 0; i < model->n_known; i++)
	{
		double floor_rate;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		node_rates(model, (size_t) model->index[i]);
		floor_rate = smallest_rate(model);
		for (size_t a = 0; a < k; a++)
			logs[a] += model->known[i] * log(fmax(model->rates[a], floor_rate));
	}
	return TLV_OK;
}

/* log(sum(exp(logs))); shares = exp(logs) over their sum. */
static double
normalise_logs(size_t k, const double *logs, double *shares)
{
	double largest = logs[0], sum = 0;

	for (size_t a = 1; a < k; a++)
		largest = fmax(largest, logs[a]);
	for (size_t a = 0; a < k; a++)
		sum += shares[a] = exp(logs[a] - largest);
	for (size_t a = 0; a < k; a++)
		shares[a] /= sum;
	tlv_assert(tlv_is_distribution(k, shares, 1));
	return largest + log(fmax(sum, 1)); /* the largest term is 1 */
}

/* ---- mixed memberships ---- */

/* W = exp(E log pi) under the parameters, by exposure, relative to the largest. */
static void
mmsb_weigh(mmsb_model *model)
{
	size_t k = model->parts.k;
	double largest = tlv_largest_modulus(k, model->gamma);
	double highest = tlv_fast_digamma(fmax(largest, TLV_LEAST_PARAMETER));

	for (size_t a = 0; a < k; a++)
		model->weight[a] =
			model->gamma[a] > TLV_LEAST_PARAMETER || model->gamma[a] == largest
				? exp(tlv_fast_digamma(fmax(model->gamma[a], TLV_LEAST_PARAMETER)) - highest) /
					  model->exposure[a]
				: 0;
}

/* Dirichlet parameter of every community. */
static double
alpha_of(const mmsb_model *model)
{
	return fmax(model->parts.alpha0, TLV_LEAST_ALPHA0) / (double) model->parts.k;
}

/* The parameters that the shares of a source node of the model tell, or even ones (u < 0). */
static void
begin_node(mmsb_model *model, int32_t u)
{
	const tlv_memberships *m = &model->parts.side[0].memberships;
	size_t k = model->parts.k;
	double total = 0;

	for (size_t a = 0; a < k; a++)
		model->gamma[a] = u < 0 ? 1 / (double) k : 0;
	for (size_t e = u < 0 ? 0 : m->start[u]; u >= 0 && e < m->start[u + 1]; e++)
		model->gamma[m->community[e]] = m->share[e] * model->exposure[m->community[e]];
	for (size_t a = 0; a < k; a++)
		total += model->gamma[a];
	for (size_t a = 0; a < k; a++)
		model->gamma[a] = alpha_of(model) + model->sum * model->gamma[a] / fmax(total, DBL_MIN);
}

/* Sums over the neighbours under the node's weights, and the parameters that follow. */
static tlv_status
step_node(tlv_context *ctx, mmsb_model *model)
{
	const tlv_memberships *m = &model->parts.side[model->target].memberships;
	size_t k = model->parts.k;

	mmsb_weigh(model);
	memset(model->row, 0, k * sizeof(double));
	memset(model->counts, 0, k * sizeof(double));
	for (size_t i = 0; i < model->n_known; i++)
	{
		size_t v = (size_t) model->index[i];
		double expected = DBL_MIN, one, factor; /* 1 / DBL_MIN is finite */

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		node_rates(model, v);
		for (size_t a = 0; a < k; a++)
			expected += model->weight[a] * model->rates[a];
		one = 1 / expected;
		for (size_t a = 0; a < k; a++)
			model->row[a] += model->known[i] * (one * model->rates[a]);
		factor = model->known[i] * (one * propensity_of(model, v));
		for (size_t e = m->start[v]; e < m->start[v + 1]; e++)
			model->counts[m->community[e]] += factor * m->share[e];
	}
	for (size_t a = 0; a < k; a++)
		model->gamma[a] = alpha_of(model) + model->weight[a] * model->row[a];
	return TLV_OK;
}

/* The shares of the parameters; returns how far they are from those before, half L1. */
static double
share_parameters(const mmsb_model *model, double *shares)
{
	size_t k = model->parts.k;
	double total = 0, moved = 0;

	for (size_t a = 0; a < k; a++)
		total += model->gamma[a] / model->exposure[a];
	for (size_t a = 0; a < k; a++)
	{
		double now = model->gamma[a] / model->exposure[a] / total;

		moved += fabs(now - shares[a]);
		shares[a] = now;
	}
	return moved / 2;
}

/* Shares of source node u of the model after a step, or of a new one (u < 0). */
static tlv_status
mixed_posterior(tlv_context *ctx, mmsb_model *model, int32_t u, double *shares)
{
	begin_node(model, u);
	memset(shares, 0, model->parts.k * sizeof(double));
	for (int step = 0; step < (u < 0 ? TLV_INFER_STEPS : 1); step++)
	{
		TLV_TRY(step_node(ctx, model));
		if (share_parameters(model, shares) <= STARS_TOLERANCE)
			break;
	}
	return TLV_OK;
}

/* ---- what is asked for ---- */

static tlv_status
infer_known(tlv_context *ctx, mmsb_model *model, int32_t u, double *shares)
{
	size_t k = model->parts.k;

	if (model->n_known == 0)
	{
		memcpy(shares, model->fallback, k * sizeof(double));
		return TLV_OK;
	}
	if (model->parts.alpha0 > 0)
		return mixed_posterior(ctx, model, u, shares);
	TLV_TRY(log_posterior(ctx, model, model->logs));
	normalise_logs(k, model->logs, shares);
	return TLV_OK;
}

tlv_status
tlv_mmsb_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	mmsb_model *own = (mmsb_model *) model;
	tlv_node_row node = {0};

	TLV_TRY(take_bag(ctx, own, row->bag, NULL, &node));
	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, own->parts.k));
	return infer_known(ctx, own, -1, posterior->values);
}

/* What does not depend on the memberships: units and the factorials of the weights. */
static double
constant_terms(const mmsb_model *model)
{
	double sum =
		model->parts.degree_corrected ? tlv_lgamma(model->sum + 1) : model->sum * log(model->unit);

	for (size_t i = 0; i < model->n_known; i++)
		sum -= tlv_lgamma(model->known[i] + 1);
	return sum;
}

/* Log-likelihood of the known edges given memberships. */
static tlv_status
mmsb_mixed_likelihood(tlv_context *ctx, mmsb_model *model, const double *shares, double *value)
{
	size_t k = model->parts.k;
	double total = 0;

	*value = 0;
	for (size_t a = 0; a < k; a++)
		total += shares[a] * model->totals[a];
	*value = model->parts.degree_corrected ? -model->sum * log(fmax(total, TLV_TINY))
										   : -total * model->unit;
	for (size_t i = 0; i < model->n_known; i++)
	{
		double rate = 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		node_rates(model, (size_t) model->index[i]);
		for (size_t a = 0; a < k; a++)
			rate += shares[a] * model->rates[a];
		*value += model->known[i] * log(fmax(rate, smallest_rate(model)));
	}
	return TLV_OK;
}

/* Shares and the log-likelihood that goes with them, but for constant terms. */
static tlv_status
infer_with_likelihood(tlv_context *ctx, mmsb_model *model, int32_t u, double *shares, double *value)
{
	if (model->parts.alpha0 > 0)
	{
		TLV_TRY(infer_known(ctx, model, u, shares));
		return mmsb_mixed_likelihood(ctx, model, shares, value);
	}
	TLV_TRY(log_posterior(ctx, model, model->logs));
	*value = normalise_logs(model->parts.k, model->logs, shares);
	return TLV_OK;
}

tlv_status
tlv_mmsb_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	mmsb_model *own = (mmsb_model *) model;
	tlv_node_row node = {0};

	TLV_TRY(take_bag(ctx, own, row->bag, NULL, &node));
	TLV_TRY(infer_with_likelihood(ctx, own, -1, own->inferred, value));
	*value += constant_terms(own);
	if (!isfinite(*value))
		return tlv_fail(ctx, TLV_BAD_DATA, "the log-likelihood of the edges is not a number");
	return TLV_OK;
}

/* edges[a + k b] += the edges of the node that lead from a, by its shares, to b. */
static void
assign_edges(const mmsb_model *model, double *edges)
{
	size_t k = model->parts.k;

	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			edges[a + k * b] +=
				model->weight[a] * model->connectivity[a + k * b] * model->counts[b];
}

/* Neighbours by community. */
static void
count_communities(mmsb_model *model)
{
	const tlv_memberships *m = &model->parts.side[model->target].memberships;

	memset(model->counts, 0, model->parts.k * sizeof(double));
	for (size_t i = 0; i < model->n_known; i++)
		for (size_t e = m->start[model->index[i]]; e < m->start[model->index[i] + 1]; e++)
			model->counts[m->community[e]] += model->known[i] * m->share[e];
}

tlv_status
tlv_mmsb_infer_node(tlv_context *ctx, tlv_model *model, const tlv_neighbours *row, double *share,
					double *edges, tlv_node_row *node)
{
	mmsb_model *own = (mmsb_model *) model;
	const tlv_memberships *m = &own->parts.side[0].memberships;
	size_t place = tlv_mmsb_find_node(&own->parts, 0, row->node), n = own->parts.side[0].n;
	bool member = place < n && m->start[place] < m->start[place + 1];

	*node = (tlv_node_row){.member = member};
	memset(share, 0, own->parts.k * sizeof(double));
	TLV_TRY(take_bag(ctx, own, row->bag, &row->node, node));
	if (own->n_known == 0)
	{
		for (size_t e = member ? m->start[place] : 0; member && e < m->start[place + 1]; e++)
			share[m->community[e]] = m->share[e];
		return TLV_OK;
	}
	node->member = true;
	TLV_TRY(infer_with_likelihood(ctx, own, member ? (int32_t) place : -1, share,
								  &node->log_likelihood));
	if (own->parts.alpha0 > 0)
		assign_edges(own, edges);
	else
	{
		count_communities(own);
		node->counts = own->counts;
	}
	return TLV_OK;
}
