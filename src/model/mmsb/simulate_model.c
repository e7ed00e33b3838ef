/*
 * simulate_model.c - true mixed membership block models
 * (mmsb.h).
 */
#include <math.h>
#include <string.h>

#include "mixed/memberships.h"
#include "tensorlv/num/sort.h"

typedef struct side_truth
{
	size_t n;
	int64_t *nodes;
	double *degree;
	double *propensity; /* NULL: all 1 */
	double *sizes;		/* k */
	double *mass;		/* k: sums of propensity times membership */
	tlv_memberships memberships;
} side_truth;

static tlv_status
check_simulation_options(tlv_context *ctx, const tlv_mmsb_simulation *o)
{
	double most = o->poisson ? 1e6 : 1;
	bool bipartite = o->graph == TLV_GRAPH_BIPARTITE;

	if (o->nodes == 0 || o->nodes > INT32_MAX || (bipartite && o->targets == 0) ||
		o->targets > INT32_MAX)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "cannot simulate %zu nodes and %zu targets",
						o->nodes, o->targets);
	if (o->k == 0 || o->k > UINT16_MAX)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %d", o->k,
						UINT16_MAX);
	if (!(o->alpha0 >= 0 && o->alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6", o->alpha0);
	if (!(o->within >= 0 && o->within <= most))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "within = %g is not between 0 and %g", o->within,
						most);
	if (!(o->between >= 0 && o->between <= most))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "across = %g is not between 0 and %g", o->between,
						most);
	if (!isnan(o->degree_exponent) && !(o->degree_exponent > 2 && o->degree_exponent <= 100))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "degree_exponent = %g is not between 2 and 100",
						o->degree_exponent);
	return TLV_OK;
}

/* Pareto propensities between 1 and sqrt(n), then divided by their mean. */
static tlv_status
draw_propensities(tlv_context *ctx, side_truth *side, double exponent, tlv_rng *rng)
{
	/* P(x > y) = y^(1 - exponent), of what lies below the cut */
	double beyond = pow((double) side->n, (1 - exponent) / 2), sum = 0;

	TLV_TRY_NEW(ctx, side->propensity, side->n);
	for (size_t u = 0; u < side->n; u++)
	{
		double survival = 1 - (1 - beyond) * tlv_rng_uniform(rng);

		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		side->propensity[u] = pow(survival, 1 / (1 - exponent));
		sum += side->propensity[u];
	}
	for (size_t u = 0; u < side->n; u++)
		side->propensity[u] *= (double) side->n / sum;
	return TLV_OK;
}

/*
 * One node's memberships, symmetric Dirichlet(alpha): in size-biased order its shares are
 * pieces of a stick, Beta(alpha + 1, (k - i) alpha) of what is left, and the
 * communities they belong to a random permutation (Pitman 1996); so the draw ends when nothing
 * worth keeping is left.  order is a permutation of the communities, and stays one.
 */
static size_t
mmsb_draw_shares(tlv_rng *rng, size_t k, double alpha, uint16_t *order, double *shares)
{
	/* What is left of a node's membership below this is left out: a Dirichlet of small
	 * parameters has thousands of shares that make no edge. */
	const double smallest_rest = 1e-5;
	double rest = 1;
	size_t n = 0;

	while (n < k && rest > smallest_rest)
	{
		size_t other = n + (size_t) tlv_rng_below(rng, k - n);
		uint16_t chosen = order[other];
		double piece = 1;

		order[other] = order[n];
		order[n] = chosen;
		if (n + 1 < k && alpha > 0)
		{
			double x = tlv_rng_gamma(rng, alpha + 1);
			double y = tlv_rng_gamma(rng, (double) (k - n - 1) * alpha);

			piece = x / (x + y);
		}
		shares[n++] = rest * piece;
		rest *= 1 - piece;
	}
	return n;
}

static tlv_status
mmsb_draw_memberships(tlv_context *ctx, side_truth *side, const tlv_mmsb_simulation *o,
					  tlv_rng *rng)
{
	/* Shares that single precision does not hold. */
	const double smallest_share = 1e-30;
	uint16_t *order = tlv_alloc(ctx, o->k, sizeof(uint16_t));
	tlv_membership_builder builder;
	double *shares;

	TLV_TRY_ALLOC(ctx, order);
	TLV_TRY_NEW(ctx, shares, o->k);
	for (size_t j = 0; j < o->k; j++)
		order[j] = (uint16_t) j;
	TLV_TRY(tlv_memberships_begin(ctx, side->n, 2 * side->n, &builder));
	builder.least = smallest_share;
	for (size_t u = 0; u < side->n; u++)
	{
		size_t n = mmsb_draw_shares(rng, o->k, o->alpha0 / (double) o->k, order, shares);

		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		TLV_TRY(tlv_memberships_append_some(ctx, &builder, n, order, shares));
	}
	side->memberships = builder.memberships;
	tlv_free(ctx, shares);
	tlv_free(ctx, order);
	return TLV_OK;
}

static tlv_status
draw_side(tlv_context *ctx, side_truth *side, size_t n, const tlv_mmsb_simulation *o, tlv_rng *rng)
{
	side->n = n;
	TLV_TRY_NEW(ctx, side->nodes, n);
	TLV_TRY_NEW(ctx, side->degree, n);
	TLV_TRY_NEW0(ctx, side->sizes, 2 * o->k);
	side->mass = side->sizes + o->k;
	for (size_t u = 0; u < n; u++)
		side->nodes[u] = (int64_t) u + 1;
	if (!isnan(o->degree_exponent))
		TLV_TRY(draw_propensities(ctx, side, o->degree_exponent, rng));
	return mmsb_draw_memberships(ctx, side, o, rng);
}

/* Communities numbered by decreasing size on the source side; on both sides alike.  Sums of
 * memberships, weighted and not. */
static tlv_status
number_communities(tlv_context *ctx, side_truth *sides, size_t n_sides, size_t k)
{
	double *sizes = sides[0].sizes;
	int64_t *order;

	TLV_TRY_NEW(ctx, order, k);
	tlv_memberships_sums(&sides[0].memberships, k, NULL, sizes);
	tlv_order_weights(k, sizes, order);
	for (size_t s = 0; s < n_sides; s++)
	{
		TLV_TRY(tlv_memberships_reorder(ctx, k, order, &sides[s].memberships));
		tlv_memberships_sums(&sides[s].memberships, k, NULL, sides[s].sizes);
		tlv_memberships_sums(&sides[s].memberships, k, sides[s].propensity, sides[s].mass);
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

/*
 * Mean degrees under the model, as if probabilities had no cap at 1 and a node could be its
 * own neighbour.  P is symmetric: the same formula on both sides.
 */
static void
mean_degrees(side_truth *side, const side_truth *other, const tlv_mmsb_simulation *o)
{
	double all = 0;

	for (size_t j = 0; j < o->k; j++)
		all += other->mass[j];
	for (size_t u = 0; u < side->n; u++)
	{
		const tlv_memberships *memberships = &side->memberships;
		double degree = 0, theta = side->propensity == NULL ? 1 : side->propensity[u];

		for (size_t e = memberships->start[u]; e < memberships->start[u + 1]; e++)
			degree += memberships->share[e] *
					  (o->between * all +
					   (o->within - o->between) * other->mass[memberships->community[e]]);
		side->degree[u] = fmax(theta * degree, 0);
	}
}

static tlv_status
write_truth(tlv_context *ctx, const tlv_mmsb_simulation *o, side_truth *sides, size_t n_sides,
			void **image, size_t *size)
{
	tlv_mmsb_parts parts = {.k = o->k,
							.sides = n_sides,
							.graph = o->graph,
							.poisson = o->poisson,
							.degree_corrected = !isnan(o->degree_exponent),
							.alpha0 = o->alpha0,
							.seed = (double) o->seed};
	size_t k = o->k;
	double *block = tlv_alloc(ctx, k + 4, k * sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	for (size_t i = 0; i < k * k; i++)
		block[i] = i % (k + 1) == 0 ? o->within : o->between;
	parts.connectivity = block;
	parts.alpha = block + k * k;
	parts.sizes = parts.alpha + 2 * k;
	for (size_t s = 0; s < n_sides; s++)
	{
		for (size_t j = 0; j < k; j++)
			block[k * k + s * k + j] = o->alpha0 / (double) k;
		memcpy(block + k * k + (2 + s) * k, sides[s].sizes, k * sizeof(double));
		parts.side[s].n = sides[s].n;
		parts.side[s].nodes = sides[s].nodes;
		parts.side[s].degree = sides[s].degree;
		parts.side[s].propensity = sides[s].propensity;
		parts.side[s].memberships = sides[s].memberships;
	}
	TLV_TRY(tlv_mmsb_write(ctx, &parts, image, size));
	tlv_free(ctx, block);
	return TLV_OK;
}

static void
free_side(tlv_context *ctx, side_truth *side)
{
	tlv_free(ctx, side->sizes);
	tlv_free(ctx, side->propensity);
	tlv_memberships_free(ctx, &side->memberships);
	tlv_free(ctx, side->degree);
	tlv_free(ctx, side->nodes);
}

tlv_status
tlv_mmsb_simulate_model(tlv_context *ctx, const tlv_mmsb_simulation *options, void **image,
						size_t *size)
{
	side_truth sides[2] = {{0}, {0}};
	size_t n_sides = options->graph == TLV_GRAPH_UNDIRECTED ? 1 : 2;
	tlv_rng rng;

	TLV_TRY(check_simulation_options(ctx, options));
	if ((double) options->k * (double) options->k * sizeof(double) > (double) TLV_FRAME_MAX_BYTES)
		return tlv_fail(ctx, TLV_LIMIT, "%zu communities are too many for one value", options->k);
	tlv_rng_seed(&rng, options->seed);
	for (size_t s = 0; s < n_sides; s++)
	{
		bool targets = s == 1 && options->graph == TLV_GRAPH_BIPARTITE;

		TLV_TRY(
			draw_side(ctx, &sides[s], targets ? options->targets : options->nodes, options, &rng));
	}
	TLV_TRY(number_communities(ctx, sides, n_sides, options->k));
	for (size_t s = 0; s < n_sides; s++)
		mean_degrees(&sides[s], &sides[n_sides - 1 - s], options);
	TLV_TRY(write_truth(ctx, options, sides, n_sides, image, size));
	for (size_t s = 0; s < n_sides; s++)
		free_side(ctx, &sides[s]);
	return TLV_OK;
}
