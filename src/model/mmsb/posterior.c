/*
 * posterior.c - how sure the communities of a block model's nodes are: of every node the posterior
 * of its community given the memberships of its neighbours and rates that the node itself has no
 * part in.  Beforehand a community is as likely as it is large: of a node with one edge the
 * posterior is then how many of the edges there stay inside, and hundreds of communities do not
 * share most of it only because there are so many.
 */
#include "internal.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/numbers.h"

typedef struct posterior
{
	const tlv_mmsb_fit_state *fit;
	size_t k, side;
	const tlv_memberships *from[2]; /* of both sides; of one side both the same */
	double *edges;					/* k x k, E of the sources' community first */
	bool full;						/* rates between communities are their own, else one */
	double *mass[2];				/* k: M times the sums of propensities */
	double inside, off;				/* means of the two classes of rates */
	double off_edges, off_expected;
	double *log_rate;	/* k x k, this side's community first */
	double *rate_sum;	/* k: expected edges of a node of mass 1 */
	double *prior;		/* k: logarithms of the sizes of communities, with one node more */
	double *own;		/* k: memberships of one node as they were */
	double *counts;		/* k: of its edges, by its neighbours' memberships */
	int32_t *touched;	/* k: communities that they lead to */
	double *logarithms; /* k */
	double *share;		/* k */
	size_t *alike;		/* k: one more than the last node whose edges all lead to the community */
	struct posterior *other; /* of the other side, where both are tied; else NULL */
} posterior;

static double
class_rate(const posterior *work, double e, double x, bool diagonal)
{
	return (e + 1) / (fmax(x, 0) + 1 / (diagonal ? work->inside : work->off));
}

/* E and X of community a of this side and b of the other one. */
static double
edges_between(const posterior *work, size_t a, size_t b)
{
	return work->edges[work->side == 0 ? a + work->k * b : b + work->k * a];
}

static double
mmsb_expected_between(const posterior *work, size_t a, size_t b)
{
	return work->mass[work->side][a] * work->mass[1 - work->side][b] / work->fit->total;
}

/* The rate of communities a and b, with so many edges and expected ones left out of them. */
static double
rate_without(const posterior *work, size_t a, size_t b, double e, double x)
{
	if (a != b && !work->full)
		return class_rate(work, work->off_edges - e, work->off_expected - x, false);
	return class_rate(work, edges_between(work, a, b) - e, mmsb_expected_between(work, a, b) - x,
					  a == b);
}

static tlv_status
create_posterior(tlv_context *ctx, posterior *work)
{
	size_t k = work->k;
	double *block = tlv_alloc0(ctx, 8 * k + 2 * k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	work->mass[0] = block;
	work->mass[1] = block + k;
	work->rate_sum = block + 2 * k;
	work->counts = block + 3 * k;
	work->logarithms = block + 4 * k;
	work->share = block + 5 * k;
	work->own = block + 6 * k;
	work->prior = block + 7 * k;
	work->log_rate = block + 8 * k;
	work->edges = work->log_rate + k * k;
	TLV_TRY_NEW(ctx, work->touched, k + 1);
	TLV_TRY_NEW(ctx, work->alike, k);
	return TLV_OK;
}

/* What a node has of the ends of its side. */
static double
node_mass(const posterior *work, size_t s, size_t u)
{
	const tlv_mmsb_fit_state *fit = work->fit;

	return fit->corrected ? fit->side[s].degree[u] : fit->total / (double) fit->side[s].n;
}

/* M times sums of propensities by community; sums of rates are cleared. */
static tlv_status
sum_masses(tlv_context *ctx, posterior *work)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	size_t k = work->k;

	memset(work->mass[0], 0, 3 * k * sizeof(double)); /* the arrays from there on */
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
		{
			const tlv_memberships *m = work->from[s];

			TLV_TRY_CONTINUE_AT(ctx, u);
			for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
				work->mass[s][m->community[i]] += node_mass(work, s, u) * m->share[i];
		}
	if (fit->sides == 1)
		memcpy(work->mass[1], work->mass[0], k * sizeof(double));
	return TLV_OK;
}

/* Edges of a node by the community that they lead to; counts of those touched are to be cleared. */
static size_t
mmsb_count_edges(posterior *work, size_t s, size_t u)
{
	const tlv_csr *rows = &work->fit->side[s].edges;
	const tlv_memberships *m = work->from[work->fit->sides - 1 - s];
	size_t n = 0;

	for (size_t e = rows->start[u]; e < rows->start[u + 1]; e++)
	{
		double g = rows->value == NULL ? 1 : (double) rows->value[e];

		for (size_t i = m->start[rows->index[e]]; i < m->start[rows->index[e] + 1]; i++)
		{
			size_t b = m->community[i];

			/* as good as random, and so not branched on */
			work->touched[n] = (int32_t) b;
			n += work->counts[b] == 0;
			work->counts[b] += g * m->share[i];
		}
	}
	return n;
}

static void
mmsb_clear_counts(posterior *work, size_t touched)
{
	for (size_t i = 0; i < touched; i++)
		work->counts[work->touched[i]] = 0;
}

/* E, from the rows of the sources. */
static tlv_status
sum_edges(tlv_context *ctx, posterior *work)
{
	const tlv_memberships *m = work->from[0];
	size_t k = work->k;

	memset(work->edges, 0, k * k * sizeof(double));
	for (size_t u = 0; u < m->n; u++)
	{
		size_t touched = mmsb_count_edges(work, 0, u);

		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
			for (size_t j = 0; j < touched; j++)
				work->edges[m->community[i] + k * (size_t) work->touched[j]] +=
					m->share[i] * work->counts[work->touched[j]];
		mmsb_clear_counts(work, touched);
	}
	return TLV_OK;
}

static tlv_status
sum_communities(tlv_context *ctx, posterior *work)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	size_t k = work->k;
	double e = 0, x = 0;

	TLV_TRY(sum_masses(ctx, work));
	TLV_TRY(sum_edges(ctx, work));
	for (size_t a = 0; a < k; a++)
	{
		e += work->edges[a + k * a];
		x += work->mass[0][a] * work->mass[1][a] / fit->total;
	}
	work->off_edges = fmax(fit->total - e, 0);
	work->off_expected = fmax(fit->total - x, 0);
	work->inside = (e + 1) / (x + 1);
	work->off = (work->off_edges + 1) / (work->off_expected + 1);
	return TLV_OK;
}

static tlv_status
tabulate_rates(tlv_context *ctx, posterior *work)
{
	size_t k = work->k;

	for (size_t b = 0; b < k; b++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < k; a++)
		{
			double rate = rate_without(work, a, b, 0, 0);

			work->log_rate[a + k * b] = log(rate);
			work->rate_sum[a] += rate * work->mass[1 - work->side][b] / work->fit->total;
		}
	}
	return TLV_OK;
}

/* Which rates explain the partition better. */
static tlv_status
choose_rates(tlv_context *ctx, posterior *work)
{
	int32_t *label[2] = {work->fit->side[0].label, work->fit->side[1].label};
	double evidence[2];

	TLV_TRY(tlv_mmsb_evidence(ctx, work->fit, label, work->k, work->fit->corrected, evidence));
	work->full = evidence[1] > evidence[0];
	return TLV_OK;
}

/* Logarithms of what a node's edges and sizes say for every community, at the rates as they are. */
TLV_CLONES static void
add_likelihoods(posterior *work, double mass, size_t touched)
{
	size_t k = work->k;
	double *restrict to = work->logarithms;

	for (size_t a = 0; a < k; a++)
		to[a] = work->prior[a] - mass * work->rate_sum[a];
	for (size_t i = 0; i < touched; i++)
	{
		size_t b = (size_t) work->touched[i];
		double count = work->counts[b];
		const double *restrict column = work->log_rate + k * b;

		for (size_t a = 0; a < k; a++)
			to[a] += count * column[a];
	}
}

/*
 * What changes for community a when the node's part is taken out of the rates: those of its own
 * communities, and of one side those that its edges have of a with these.
 */
static double
without_itself(const posterior *work, double mass, size_t a, size_t touched)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	const double *to = work->mass[1 - work->side];
	size_t k = work->k;
	double sum = 0;

	for (size_t i = 0; i < touched; i++)
	{
		size_t b = (size_t) work->touched[i];
		double mirrored = fit->sides == 1 && work->counts[a] > 0 ? work->own[b] : 0, rate, before;

		if (work->own[a] == 0 && mirrored == 0)
			continue;
		before = work->log_rate[a + k * b];
		rate = rate_without(work, a, b, work->own[a] * work->counts[b] + mirrored * work->counts[a],
							mass * (work->own[a] * to[b] + mirrored * to[a]) / fit->total);
		sum += work->counts[b] * (log(rate) - before) -
			   mass * to[b] / fit->total * (rate - exp(before));
	}
	return sum;
}

/* To a distribution, whose largest probability is returned.  Maxima and sums of lanes do not wait
 * for each other. */
TLV_CLONES static double
mmsb_normalize(size_t k, const double *restrict logarithms, double *restrict share)
{
	double most[TLV_REGISTER_DOUBLES], sums[TLV_REGISTER_DOUBLES] = {0}, largest = logarithms[0],
									   sum = 0;
	size_t whole = k - k % TLV_REGISTER_DOUBLES;

	for (size_t i = 0; i < TLV_REGISTER_DOUBLES; i++)
		most[i] = largest;
	for (size_t a = 0; a < whole; a += TLV_REGISTER_DOUBLES)
		for (size_t i = 0; i < TLV_REGISTER_DOUBLES; i++)
			most[i] = logarithms[a + i] > most[i] ? logarithms[a + i] : most[i];
	for (size_t i = 0; i < TLV_REGISTER_DOUBLES; i++)
		largest = most[i] > largest ? most[i] : largest;
	for (size_t a = whole; a < k; a++)
		largest = logarithms[a] > largest ? logarithms[a] : largest;
	for (size_t a = 0; a < k; a++)
		share[a] = tlv_exp_nonpositive(logarithms[a] - largest);
	for (size_t a = 0; a < whole; a += TLV_REGISTER_DOUBLES)
		for (size_t i = 0; i < TLV_REGISTER_DOUBLES; i++)
			sums[i] += share[a + i];
	for (size_t i = 0; i < TLV_REGISTER_DOUBLES; i++)
		sum += sums[i];
	for (size_t a = whole; a < k; a++)
		sum += share[a];
	sum = 1 / sum;
	for (size_t a = 0; a < k; a++)
		share[a] *= sum;
	return sum;
}

/* Logarithms of the posterior of a node whose edges have been counted, by these. */
static void
find_logarithms(posterior *work, size_t u, size_t touched)
{
	const tlv_memberships *m = work->from[work->side];
	double mass = node_mass(work, work->side, u);

	for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
		work->own[m->community[i]] = m->share[i];
	add_likelihoods(work, mass, touched);
	for (size_t i = 0; i < touched; i++)
		work->logarithms[work->touched[i]] +=
			without_itself(work, mass, (size_t) work->touched[i], touched);
	for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
		if (work->counts[m->community[i]] == 0)
			work->logarithms[m->community[i]] +=
				without_itself(work, mass, m->community[i], touched);
	for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
		work->own[m->community[i]] = 0;
}

/* What the edges of a node in the other direction say as well. */
static void
add_other_direction(posterior *work, size_t u)
{
	posterior *other = work->other;
	const tlv_mmsb_side *side = work->fit->side;
	int32_t v = side[other->side].place[side[work->side].position[u]];
	size_t touched;

	if (v < 0)
		return;
	touched = mmsb_count_edges(other, other->side, (size_t) v);
	find_logarithms(other, (size_t) v, touched);
	mmsb_clear_counts(other, touched);
	for (size_t a = 0; a < work->k; a++)
		work->logarithms[a] += other->logarithms[a] - other->prior[a];
}

/* Of a node whose edges have been counted. */
static void
node_posterior(posterior *work, size_t u, size_t touched)
{
	const tlv_mmsb_side *side = &work->fit->side[work->side];
	size_t k = work->k;
	double mass = node_mass(work, work->side, u), largest;

	find_logarithms(work, u, touched);
	if (work->other != NULL)
		add_other_direction(work, u);
	largest = mmsb_normalize(k, work->logarithms, work->share);
	if (work->share[side->label[u]] < largest && work->other == NULL)
	{
		/* of few nodes one is much of a rate: what the labels were found by, then */
		add_likelihoods(work, mass, touched);
		largest = mmsb_normalize(k, work->logarithms, work->share);
	}
	if (work->share[side->label[u]] < largest)
	{
		/* labels were found all together: they and the node's own view count alike */
		for (size_t a = 0; a < k; a++)
			work->share[a] /= 2;
		work->share[side->label[u]] += 0.5;
	}
	if (side->fixed != NULL && side->fixed[u] >= 0)
		for (size_t a = 0; a < k; a++)
			work->share[a] = (int32_t) a == side->fixed[u];
}

/*
 * The node before u, one more, that has the same label, as many edges and all of them to the same
 * community, so that its posterior is that of u; 0: there is none.  Nodes come by decreasing
 * degree: of nodes with few edges most have one.
 */
static size_t
find_alike(posterior *work, size_t u, size_t touched)
{
	const tlv_mmsb_side *side = &work->fit->side[work->side];
	size_t *last, before;

	if (touched != 1 || side->fixed != NULL || work->other != NULL)
		return 0;
	last = &work->alike[work->touched[0]];
	before = *last;
	*last = u + 1;
	return before > 0 && side->label[before - 1] == side->label[u] &&
				   side->degree[before - 1] == side->degree[u]
			   ? before
			   : 0;
}

static tlv_status
append_posterior(tlv_context *ctx, posterior *work, size_t u, tlv_membership_builder *builder)
{
	size_t touched = mmsb_count_edges(work, work->side, u), alike = find_alike(work, u, touched);

	if (alike > 0)
		TLV_TRY(tlv_memberships_copy(ctx, builder, &builder->memberships, alike - 1));
	else
	{
		node_posterior(work, u, touched);
		TLV_TRY(tlv_memberships_append(ctx, builder, work->k, work->share));
	}
	mmsb_clear_counts(work, touched);
	return TLV_OK;
}

/* Nodes that have no edges on the side that is looked at, but on the other one. */
static void
add_one_sided(posterior *work)
{
	const tlv_mmsb_side *own = &work->fit->side[work->side];
	const tlv_mmsb_side *other = &work->fit->side[1 - work->side];
	const tlv_memberships *m = work->from[1 - work->side];

	for (size_t v = 0; v < other->n; v++)
		for (size_t i = m->start[v]; own->place[other->position[v]] < 0 && i < m->start[v + 1]; i++)
			work->prior[m->community[i]] += m->share[i];
}

/* Sizes of the communities of the side that is looked at, or of both where they are tied. */
static tlv_status
weigh_sizes(tlv_context *ctx, posterior *work)
{
	tlv_memberships_sums(work->from[work->side], work->k, NULL, work->prior);
	if (work->other != NULL)
		add_one_sided(work);
	TLV_TRY_CONTINUE(ctx);
	for (size_t a = 0; a < work->k; a++)
		work->prior[a] = log(work->prior[a] + 1);
	return TLV_OK;
}

/* Rates and sizes as side s sees them. */
static tlv_status
look_from(tlv_context *ctx, posterior *work, size_t s)
{
	work->side = s;
	TLV_TRY(sum_communities(ctx, work));
	TLV_TRY(tabulate_rates(ctx, work));
	return weigh_sizes(ctx, work);
}

/* One side's memberships given those of both. */
static tlv_status
update_side(tlv_context *ctx, posterior *work, size_t s, tlv_memberships *memberships)
{
	tlv_membership_builder builder;

	memset(work->alike, 0, work->k * sizeof(size_t));
	TLV_TRY(look_from(ctx, work, s));
	if (work->other != NULL)
		TLV_TRY(look_from(ctx, work->other, 1 - s));
	TLV_TRY(tlv_memberships_begin(ctx, work->fit->side[s].n, 2 * work->fit->side[s].n, &builder));
	builder.least = fmin(LEAST_POSTERIOR, TLV_LEAST_SHARE * (double) work->k);
	for (size_t u = 0; u < work->fit->side[s].n; u++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		TLV_TRY(append_posterior(ctx, work, u, &builder));
	}
	*memberships = builder.memberships;
	return TLV_OK;
}

static tlv_status
open_posterior(tlv_context *ctx, const tlv_mmsb_fit_state *fit, tlv_memberships memberships[2],
			   posterior *work)
{
	*work = (posterior){.fit = fit, .k = fit->k};
	TLV_TRY(create_posterior(ctx, work));
	TLV_TRY(choose_rates(ctx, work));
	work->from[0] = &memberships[0];
	work->from[1] = &memberships[fit->sides - 1];
	return TLV_OK;
}

static void
close_posterior(tlv_context *ctx, posterior *work)
{
	tlv_free(ctx, work->alike);
	tlv_free(ctx, work->touched);
	tlv_free(ctx, work->mass[0]);
}

tlv_status
tlv_mmsb_block_memberships(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
						   tlv_memberships memberships[2])
{
	posterior work, other;
	tlv_memberships next[2];

	TLV_TRY(open_posterior(ctx, fit, memberships, &work));
	if (fit->tied)
	{
		TLV_TRY(open_posterior(ctx, fit, memberships, &other));
		work.other = &other;
		other.other = &work;
	}
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(update_side(ctx, &work, s, &next[s]));
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_memberships_free(ctx, &memberships[s]);
		memberships[s] = next[s];
	}
	if (fit->tied)
		close_posterior(ctx, &other);
	close_posterior(ctx, &work);
	return TLV_OK;
}
