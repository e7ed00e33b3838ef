/*
 * simulate.c - graphs drawn from a mixed membership block model, in
 * time proportional to their edges (mmsb.h).
 *
 * Source nodes are taken in order.  The rate of u's edges to v is
 * lambda_uv = theta_v sum_b pi_vb r_ub, r_u = theta_u P' pi_u.  A Poisson number of
 * candidates, c times the sum of the rates, is drawn by community and then among its
 * members, by tables made once.  Counted with multiplicity and c = 1 they are the
 * Poisson model's edges.  For the Bernoulli model with p = min(lambda, 1) a pair that came up
 * at least once, which has probability 1 - exp(-c lambda), is accepted with p / (1 - exp(-c
 * lambda)): exact while c is at least -log(1 - p) / p.  That would have no bound for p near 1:
 * pairs with lambda above HOT are drawn one by one and no candidates. Where a node has nearly as
 * many candidates as there are nodes, all of its pairs are drawn one by one instead.
 */
#include <math.h>
#include <string.h>

#include "mixed/members.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/sort.h"

/* Pairs with a larger rate are drawn one by one. */
#define HOT 0.5
/* A little more than what the shares of a node may sum to. */
#define SHARE_SUM 1.002

typedef struct drawn
{
	int32_t target;
	double weight; /* Bernoulli: 1 */
} drawn;

typedef struct simulator
{
	const tlv_mmsb_parts *parts;
	size_t source; /* sides */
	size_t target;
	unsigned target_bits;  /* of a position on the target side */
	double largest;		   /* theta on the target side */
	bool symmetric;		   /* undirected: targets behind the source only */
	size_t self;		   /* target position of the source, or what no position is */
	member_tables members; /* of the target communities */
	double *rows;		   /* k x k: P by rows; of an undirected model the mean of P and P' */
	double *rates;		   /* k: r_u by target community */
	double *reach;		   /* k: running sums of rates times weight */
	int32_t *candidate;	   /* positions, room of them */
	int32_t *other;
	size_t room;
	drawn *edge; /* edges of one source */
	size_t n_edges;
	size_t edge_room;
	size_t work; /* since the last look at tlv_should_stop() */
	tlv_rng rng;
	tlv_put_edge put;
	void *argument;
} simulator;

static inline double
theta(const simulator *s, size_t side, size_t v)
{
	return s->parts->degree_corrected ? s->parts->side[side].propensity[v] : 1;
}

static tlv_status
count_work(tlv_context *ctx, simulator *s, size_t work)
{
	/* Pairs, or candidates, between two looks at tlv_should_stop(): some milliseconds. */
	const int chunk_pairs = 16384;

	s->work += work;
	if (s->work < chunk_pairs)
		return TLV_OK;
	s->work = 0;
	TLV_TRY_CONTINUE(ctx);
	return TLV_OK;
}

static tlv_status
allocate_rates(tlv_context *ctx, simulator *s)
{
	size_t k = s->parts->k;

	TLV_TRY_NEW0(ctx, s->rates, 2 * k);
	s->reach = s->rates + k;
	TLV_TRY_NEW_ROWS(ctx, s->rows, k, k);
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
		{
			double own = s->parts->connectivity[a + k * b];

			s->rows[a * k + b] =
				s->symmetric ? 0.5 * own + 0.5 * s->parts->connectivity[b + k * a] : own;
		}
	return TLV_OK;
}

/* ---- one source ---- */

/* r_u; returns its largest entry. */
static double
source_rates(simulator *s, size_t u)
{
	const tlv_memberships *memberships = &s->parts->side[s->source].memberships;
	size_t k = s->parts->k;

	memset(s->rates, 0, k * sizeof(double));
	for (size_t e = memberships->start[u]; e < memberships->start[u + 1]; e++)
	{
		const double *restrict row = s->rows + k * memberships->community[e];
		double x = memberships->share[e] * theta(s, s->source, u);

		for (size_t b = 0; b < k; b++)
			s->rates[b] += x * row[b];
	}
	return tlv_largest_modulus(k, s->rates);
}

static double
pair_rate(const simulator *s, size_t v)
{
	const tlv_memberships *memberships = &s->parts->side[s->target].memberships;
	double sum = 0;

	for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
		sum += memberships->share[e] * s->rates[memberships->community[e]];
	return sum * theta(s, s->target, v);
}

static tlv_status
take_edge(tlv_context *ctx, simulator *s, size_t v, double weight)
{
	if (s->n_edges == s->edge_room)
	{
		size_t room = 2 * s->edge_room + 1024;
		drawn *grown = tlv_realloc(ctx, s->edge, room, sizeof(drawn));

		TLV_TRY_ALLOC(ctx, grown);
		s->edge = grown;
		s->edge_room = room;
	}
	s->edge[s->n_edges++] = (drawn){(int32_t) v, weight};
	return TLV_OK;
}

/* All pairs of u, one by one. */
static tlv_status
draw_directly(tlv_context *ctx, simulator *s, size_t u)
{
	size_t n = s->parts->side[s->target].n;

	for (size_t v = s->symmetric ? u + 1 : 0; v < n; v++)
	{
		double rate, weight;

		TLV_TRY(count_work(ctx, s, 1));
		if (v == s->self)
			continue;
		rate = pair_rate(s, v);
		if (s->parts->poisson)
			weight = (double) tlv_rng_poisson(&s->rng, rate);
		else
			weight = tlv_rng_uniform(&s->rng) < rate;
		if (weight > 0)
			TLV_TRY(take_edge(ctx, s, v, weight));
	}
	return TLV_OK;
}

/* Whether a target of that theta, all of it in community b, would be hot. */
static bool
is_hot(const simulator *s, size_t b, double propensity)
{
	return SHARE_SUM * propensity * s->rates[b] > HOT;
}

/* Whether community b is the first through which v may be hot. */
static bool
first_hot(const simulator *s, size_t v, size_t b, double propensity)
{
	const tlv_memberships *memberships = &s->parts->side[s->target].memberships;

	for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
		if (is_hot(s, memberships->community[e], propensity))
			return memberships->community[e] == b;
	return false;
}

/*
 * Pairs with a rate above HOT.  The rate is a mean of theta_v r_ub over v's communities b: one of
 * them must exceed HOT, so that only the heavy members of few communities are looked at.
 */
static tlv_status
draw_hot(tlv_context *ctx, simulator *s, size_t u)
{
	const member_tables *t = &s->members;

	for (size_t b = 0; b < s->parts->k; b++)
	{
		if (!is_hot(s, b, s->largest))
			continue;
		for (size_t i = t->start[b]; i < t->start[b + 1]; i++)
		{
			size_t v = (size_t) t->heavy[i];
			double propensity = theta(s, s->target, v), rate;

			if (!is_hot(s, b, propensity))
				break;
			TLV_TRY(count_work(ctx, s, 1));
			if ((s->symmetric && v <= u) || v == s->self || !first_hot(s, v, b, propensity))
				continue;
			rate = pair_rate(s, v);
			if (rate > HOT && tlv_rng_uniform(&s->rng) < rate)
				TLV_TRY(take_edge(ctx, s, v, 1));
		}
	}
	return TLV_OK;
}

/* Ascending; the two arrays may change places. */
static tlv_status
sort_candidates(tlv_context *ctx, simulator *s, size_t n)
{
	tlv_sort_form form = {sizeof(int32_t), sizeof(int32_t), 0, s->target_bits};
	void *sorted;

	TLV_TRY(tlv_radix_sort(ctx, &form, n, s->candidate, s->other, &sorted));
	if (sorted == s->other)
	{
		s->other = s->candidate;
		s->candidate = sorted;
	}
	return TLV_OK;
}

static tlv_status
reserve_candidates(tlv_context *ctx, simulator *s, size_t n)
{
	if (n <= s->room)
		return TLV_OK;
	tlv_free(ctx, s->candidate);
	tlv_free(ctx, s->other);
	s->room = 0;
	s->other = NULL;
	TLV_TRY_NEW(ctx, s->candidate, 2 * n);
	TLV_TRY_NEW(ctx, s->other, 2 * n);
	s->room = 2 * n;
	return TLV_OK;
}

/* Draws n candidates by the running sums in reach. */
static tlv_status
draw_edge_candidates(tlv_context *ctx, simulator *s, size_t n)
{
	size_t k = s->parts->k;

	TLV_TRY(reserve_candidates(ctx, s, n));
	for (size_t i = 0; i < n; i++)
	{
		double x;
		size_t low = 0, high = k - 1;

		TLV_TRY(count_work(ctx, s, 4));
		do
			x = tlv_rng_uniform(&s->rng) * s->reach[k - 1];
		while (!(x < s->reach[k - 1])); /* rounded up */
		while (low < high)
		{
			size_t middle = (low + high) / 2;

			if (s->reach[middle] > x)
				high = middle;
			else
				low = middle + 1;
		}
		s->candidate[i] = (int32_t) tlv_draw_member(&s->members, low, &s->rng);
	}
	return sort_candidates(ctx, s, n);
}

/* Folds duplicates; accepts. */
static tlv_status
thin_candidates(tlv_context *ctx, simulator *s, size_t n, double c)
{
	for (size_t i = 0, next; i < n; i = next)
	{
		size_t v = (size_t) s->candidate[i];
		double rate;

		for (next = i + 1; next < n && s->candidate[next] == s->candidate[i]; next++)
			;
		if (v == s->self)
			continue;
		if (s->parts->poisson)
		{
			TLV_TRY(take_edge(ctx, s, v, (double) (next - i)));
			continue;
		}
		rate = pair_rate(s, v);
		/* p / (1 - exp(-c p)); hot pairs were drawn already */
		if (rate <= HOT && tlv_rng_uniform(&s->rng) * -expm1(-c * rate) < rate)
			TLV_TRY(take_edge(ctx, s, v, 1));
	}
	return TLV_OK;
}

/* Puts the edges of u in order of target: hot ones, drawn first, are merged in. */
static tlv_status
simulate_put_edges(tlv_context *ctx, simulator *s, size_t u, size_t hot)
{
	const int64_t *nodes = s->parts->side[s->target].nodes;
	int64_t src = s->parts->side[s->source].nodes[u];
	size_t i = 0, j = hot;

	while (i < hot || j < s->n_edges)
	{
		bool first = j == s->n_edges || (i < hot && s->edge[i].target < s->edge[j].target);
		const drawn *edge = &s->edge[first ? i++ : j++];

		TLV_TRY(s->put(ctx, s->argument, src, nodes[edge->target], edge->weight));
	}
	return TLV_OK;
}

/* Hot pairs come by community: in order of target. */
static tlv_status
sort_hot(tlv_context *ctx, simulator *s)
{
	TLV_TRY(reserve_candidates(ctx, s, s->n_edges));
	for (size_t i = 0; i < s->n_edges; i++)
		s->candidate[i] = s->edge[i].target;
	TLV_TRY(sort_candidates(ctx, s, s->n_edges));
	for (size_t i = 0; i < s->n_edges; i++)
		s->edge[i] = (drawn){s->candidate[i], 1};
	return TLV_OK;
}

static tlv_status
simulate_source(tlv_context *ctx, simulator *s, size_t u)
{
	size_t k = s->parts->k, hot, n, left = s->parts->side[s->target].n - (s->symmetric ? u + 1 : 0);
	double largest, p, c = 1, mean;

	s->n_edges = 0;
	if (s->symmetric)
		tlv_pass_node(&s->members, u);
	largest = SHARE_SUM * source_rates(s, u) * s->largest;
	TLV_TRY(count_work(ctx, s, 1 + k / 8));
	for (size_t b = 0; b < k; b++)
		s->reach[b] = (b > 0 ? s->reach[b - 1] : 0) + s->rates[b] * tlv_weight_left(&s->members, b);
	if (!s->parts->poisson)
	{
		p = fmin(largest, HOT);
		/* a little more than needed: rounding */
		c = (p > 1e-6 ? -log1p(-p) / p : 1 + p) * (1 + 1e-9);
	}
	mean = c * s->reach[k - 1];
	if (!(mean > 0))
		return TLV_OK;
	if (mean >= 0.5 * (double) left)
	{
		TLV_TRY(draw_directly(ctx, s, u));
		return simulate_put_edges(ctx, s, u, s->n_edges);
	}
	if (!s->parts->poisson && largest > HOT)
	{
		TLV_TRY(draw_hot(ctx, s, u));
		TLV_TRY(sort_hot(ctx, s));
	}
	hot = s->n_edges;
	n = (size_t) tlv_rng_poisson(&s->rng, mean);
	TLV_TRY(draw_edge_candidates(ctx, s, n));
	TLV_TRY(thin_candidates(ctx, s, n, c));
	return simulate_put_edges(ctx, s, u, hot);
}

static void
free_simulator(tlv_context *ctx, simulator *s)
{
	tlv_free(ctx, s->edge);
	tlv_free(ctx, s->other);
	tlv_free(ctx, s->candidate);
	tlv_free(ctx, s->rows);
	tlv_free(ctx, s->rates);
	tlv_members_free(ctx, &s->members);
}

tlv_status
tlv_mmsb_simulate_edges(tlv_context *ctx, const tlv_mmsb_parts *model, uint64_t seed,
						tlv_put_edge put, void *argument)
{
	simulator s = {.parts = model, .target = model->sides - 1, .put = put, .argument = argument};
	size_t n = model->side[0].n, targets = model->side[s.target].n;
	tlv_status status;

	if (n > INT32_MAX || targets > INT32_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "cannot simulate edges of %zu and %zu nodes", n, targets);
	while (s.target_bits < 32 && targets > (size_t) 1 << s.target_bits)
		s.target_bits++;
	s.symmetric = model->graph == TLV_GRAPH_UNDIRECTED;
	for (size_t v = 0; v < targets; v++)
		s.largest = fmax(s.largest, theta(&s, s.target, v));
	tlv_rng_seed(&s.rng, seed);
	status = allocate_rates(ctx, &s);
	if (status == TLV_OK)
		status =
			tlv_members_create(ctx, &model->side[s.target].memberships,
							   model->degree_corrected ? model->side[s.target].propensity : NULL,
							   model->k, !model->poisson, &s.members);
	s.self = SIZE_MAX;
	for (size_t u = 0, at = 0; status == TLV_OK && u < n; u++)
	{
		if (model->graph != TLV_GRAPH_BIPARTITE)
		{
			/* The sides of a directed model need not have the same nodes. */
			while (at < targets && model->side[s.target].nodes[at] < model->side[0].nodes[u])
				at++;
			s.self = at < targets && model->side[s.target].nodes[at] == model->side[0].nodes[u]
						 ? at
						 : SIZE_MAX;
		}
		if (u % 4096 == 0)
			tlv_report(ctx, "simulating nodes", (double) u, (double) n);
		status = simulate_source(ctx, &s, u);
	}
	free_simulator(ctx, &s);
	return status;
}
