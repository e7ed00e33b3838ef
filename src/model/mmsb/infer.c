/*
 * infer.c - memberships of a node that was not in the graph, from its
 * neighbours, under a mixed membership block model (mmsb.h).
 *
 * The weight of its edge to a known node v of the target side has mean F_v' pi,
 * F_v = theta_v P pi_v.  With mixed memberships pi is the weighted least squares
 * solution over all known nodes, those without an edge included; with one
 * community a node, its posterior.  The unknown propensity of a new node is left
 * free where the model is degree-corrected.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "infer.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/special.h"

/* Nodes, and products of two memberships, between two looks at tlv_should_stop(): milliseconds. */
#define CHUNK_NODES	  64
#define CHUNK_SQUARES 1000000
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
	double *mean_rates;	  /* k: of a source node with average memberships, by target community */
	double mean_rate;	  /* of such a node and an average target that has memberships */
	double *gram;		  /* k x k: sum of s_v F_v F_v' */
	double *moment;		  /* k */
	double *rates;		  /* k: F_v of one node */
	double *mixed;		  /* k: of target communities */
	double *inferred;	  /* k */
	double *work;		  /* k (k + 5) */
	/* the bag */
	size_t room;
	int64_t *items;
	double *weights;
	int32_t *index;
	double *known;
	size_t n_known;
	double weight; /* sum of the known */
} mmsb_model;

static double
propensity_of(const mmsb_model *model, size_t v)
{
	return model->propensity == NULL ? 1 : model->propensity[v];
}

/* s_v: one over the variance of a weight, up to a factor, kept from exploding for small rates. */
static double
least_squares_weight(const mmsb_model *model, size_t v)
{
	const tlv_memberships *memberships = &model->parts.side[model->target].memberships;
	double rate = 0;

	for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
		rate += memberships->share[e] * model->mean_rates[memberships->community[e]];
	rate *= propensity_of(model, v);
	return 1 / (rate + 0.25 * model->mean_rate);
}

/* y (k) = P x for x by target community */
static void
connect(const mmsb_model *model, const double *restrict x, double *restrict y)
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
	double *block = tlv_alloc0(ctx, 3 * k + 14, k * sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	model->connectivity = block;
	model->gram = block + k * k;
	model->work = block + 2 * k * k;
	block += 3 * k * k + 5 * k;
	model->fallback = block;
	model->shares = block + k;
	model->totals = block + 2 * k;
	model->mean_rates = block + 3 * k;
	model->moment = block + 4 * k;
	model->rates = block + 5 * k;
	model->mixed = block + 6 * k;
	model->inferred = block + 7 * k;
	if (model->parts.degree_corrected)
		TLV_TRY_NEW(ctx, model->propensity, n);
	return TLV_OK;
}

static double
largest_of(size_t n, const double *x)
{
	double largest = 0;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, x[i]);
	return largest;
}

/* y = x over its largest entry, which is returned; all zero: y = x. */
static double
scale(size_t n, const double *x, double *y)
{
	double largest = largest_of(n, x);

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

/* Sums over all known nodes: rates, the mean rate, and sum_v s_v theta_v^2 pi_v pi_v'. */
static tlv_status
sum_nodes(tlv_context *ctx, mmsb_model *model, double *squares)
{
	const tlv_memberships *memberships = &model->parts.side[model->target].memberships;
	size_t k = model->parts.k, n = memberships->n, work = 0, members = 0;

	memset(model->mixed, 0, k * sizeof(double));
	for (size_t v = 0; v < n; v++)
	{
		members += memberships->start[v + 1] > memberships->start[v];
		for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
			model->mixed[memberships->community[e]] +=
				propensity_of(model, v) * memberships->share[e];
	}
	connect(model, model->mixed, model->totals);
	model->mean_rate = 0;
	for (size_t a = 0; a < k; a++)
		model->mean_rate += model->shares[a] * model->totals[a] / fmax((double) members, 1);
	if (!(model->mean_rate > 0))
		return TLV_OK; /* no edges at all */
	for (size_t v = 0; v < n; v++)
	{
		double weight = propensity_of(model, v);
		size_t own = memberships->start[v + 1] - memberships->start[v];

		work += own * own + 1;
		if (work > CHUNK_SQUARES)
		{
			TLV_TRY_CONTINUE(ctx);
			work = 0;
		}
		weight *= weight * least_squares_weight(model, v);
		for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
			for (size_t f = memberships->start[v]; f < memberships->start[v + 1]; f++)
				squares[memberships->community[e] + k * memberships->community[f]] +=
					weight * memberships->share[e] * memberships->share[f];
	}
	return TLV_OK;
}

/* gram = P squares P' */
static tlv_status
finish_gram(tlv_context *ctx, mmsb_model *model, const double *squares)
{
	size_t k = model->parts.k;
	double *product = tlv_alloc0(ctx, k, k * sizeof(double));

	TLV_TRY_ALLOC(ctx, product);
	TLV_TRY(
		tlv_gemm(ctx, false, false, k, k, k, 1, model->connectivity, k, squares, k, 0, product, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, k, 1, product, k, model->connectivity, k, 0,
					 model->gram, k));
	tlv_free(ctx, product);
	return TLV_OK;
}

static tlv_status
mmsb_prepare(tlv_context *ctx, mmsb_model *model)
{
	const tlv_mmsb_parts *parts = &model->parts;
	size_t k = parts->k;
	double *squares;

	model->unit = scale(k * k, parts->connectivity, model->connectivity);
	if (parts->degree_corrected)
		model->unit *= scale(parts->side[model->target].n, parts->side[model->target].propensity,
							 model->propensity);
	normalise(k, parts->sizes, model->shares);
	normalise(k, largest_of(k, parts->alpha) > 0 ? parts->alpha : parts->sizes, model->fallback);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			model->mean_rates[b] += model->shares[a] * model->connectivity[a + k * b];
	TLV_TRY_NEW0_ROWS(ctx, squares, k, k);
	TLV_TRY(sum_nodes(ctx, model, squares));
	if (parts->alpha0 > 0 && model->mean_rate > 0)
		TLV_TRY(finish_gram(ctx, model, squares));
	tlv_free(ctx, squares);
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
reserve(tlv_context *ctx, mmsb_model *model, size_t n)
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

/* Decodes the neighbours; those that are unknown, or tell nothing, are left out. */
static tlv_status
take_bag(tlv_context *ctx, mmsb_model *model, const tlv_bag_image *bag)
{
	size_t n = 0;

	TLV_TRY(reserve(ctx, model, bag->n));
	TLV_TRY(tlv_bag_read(ctx, bag, model->items, model->weights));
	TLV_TRY(tlv_dictionary_map(ctx, &model->dictionary, bag->n, model->items, model->weights,
							   model->index, model->known, &n));
	model->n_known = 0;
	model->weight = 0;
	for (size_t i = 0; i < n; i++)
	{
		if (i % CHUNK_NODES == 0)
			TLV_TRY_CONTINUE(ctx);
		if (!node_rates(model, (size_t) model->index[i]))
			continue;
		if (!(model->known[i] <= 1e100))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "the weight of an edge is %g, more than 1e100",
					 model->known[i]);
			return tlv_fail_hint(ctx, "Divide all weights by a constant.");
		}
		model->index[model->n_known] = model->index[i];
		model->known[model->n_known] = model->known[i] / model->parts.unit;
		model->weight += model->known[model->n_known++];
	}
	return TLV_OK;
}

/* What a rate of 0 counts as among model->rates; above 0 even where these underflow. */
static double
smallest_rate(const mmsb_model *model)
{
	return fmax(SMALLEST_RATE * largest_of(model->parts.k, model->rates), DBL_MIN);
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
		logs[a] = log(fmax(model->shares[a], 1e-300));
		if (model->parts.degree_corrected)
			logs[a] -= model->weight * log(fmax(model->totals[a], 1e-300));
		else
			logs[a] -= model->totals[a] * model->unit;
	}
	for (size_t i = 0; i < model->n_known; i++)
	{
		double floor_rate;

		if (i % CHUNK_NODES == 0)
			TLV_TRY_CONTINUE(ctx);
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

static tlv_status
least_squares(tlv_context *ctx, mmsb_model *model, double *shares)
{
	const tlv_memberships *memberships = &model->parts.side[model->target].memberships;
	bool simplex = !model->parts.degree_corrected;
	size_t k = model->parts.k;

	memset(model->mixed, 0, k * sizeof(double));
	for (size_t i = 0; i < model->n_known; i++)
	{
		size_t v = (size_t) model->index[i];
		double x = least_squares_weight(model, v) * propensity_of(model, v) *
				   (simplex ? model->known[i] / model->unit : model->known[i] / model->weight);

		for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
			model->mixed[memberships->community[e]] += x * memberships->share[e];
	}
	connect(model, model->mixed, model->moment);
	TLV_TRY(tlv_quadratic_nonnegative(ctx, k, model->gram, model->moment, simplex, shares,
									  model->work));
	if (largest_of(k, shares) > 0)
		normalise(k, shares, shares);
	else
		memcpy(shares, model->fallback, k * sizeof(double));
	return TLV_OK;
}

static tlv_status
infer_known(tlv_context *ctx, mmsb_model *model, double *shares)
{
	size_t k = model->parts.k;

	if (model->n_known == 0)
	{
		memcpy(shares, model->fallback, k * sizeof(double));
		return TLV_OK;
	}
	if (model->parts.alpha0 > 0)
		return least_squares(ctx, model, shares);
	TLV_TRY(log_posterior(ctx, model, model->moment));
	normalise_logs(k, model->moment, shares);
	return TLV_OK;
}

tlv_status
tlv_mmsb_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	mmsb_model *own = (mmsb_model *) model;

	TLV_TRY(take_bag(ctx, own, row->bag));
	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, own->parts.k));
	return infer_known(ctx, own, posterior->values);
}

/* What does not depend on the memberships: units and the factorials of the weights. */
static double
constant_terms(const mmsb_model *model)
{
	double sum = model->parts.degree_corrected ? tlv_lgamma(model->weight + 1)
											   : model->weight * log(model->unit);

	for (size_t i = 0; i < model->n_known; i++)
		sum -= tlv_lgamma(model->known[i] + 1);
	return sum;
}

/* Log-likelihood of the known edges given memberships. */
static tlv_status
mixed_likelihood(tlv_context *ctx, mmsb_model *model, const double *shares, double *value)
{
	size_t k = model->parts.k;
	double total = 0;

	*value = 0;
	for (size_t a = 0; a < k; a++)
		total += shares[a] * model->totals[a];
	*value = model->parts.degree_corrected ? -model->weight * log(fmax(total, 1e-300))
										   : -total * model->unit;
	for (size_t i = 0; i < model->n_known; i++)
	{
		double rate = 0;

		if (i % CHUNK_NODES == 0)
			TLV_TRY_CONTINUE(ctx);
		node_rates(model, (size_t) model->index[i]);
		for (size_t a = 0; a < k; a++)
			rate += shares[a] * model->rates[a];
		*value += model->known[i] * log(fmax(rate, smallest_rate(model)));
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	mmsb_model *own = (mmsb_model *) model;

	*value = 0;
	TLV_TRY(take_bag(ctx, own, row->bag));
	if (own->parts.alpha0 > 0)
	{
		TLV_TRY(infer_known(ctx, own, own->inferred));
		TLV_TRY(mixed_likelihood(ctx, own, own->inferred, value));
	}
	else
	{
		TLV_TRY(log_posterior(ctx, own, own->moment));
		*value = normalise_logs(own->parts.k, own->moment, own->inferred);
	}
	*value += constant_terms(own);
	if (!isfinite(*value))
		return tlv_fail(ctx, TLV_BAD_DATA, "the log-likelihood of the edges is not a number");
	return TLV_OK;
}
