/*
 * neighbours_plan.c - communities from rows of an adjacency matrix: summary, products until the
 * subspace stands, star moments and the starts (neighbours.h); what becomes of these is in
 * neighbours_refine.c.  What is kept between passes is of the size of the nodes.
 */
#include "neighbours_plan.h"

#include "internal.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"

/* The subspace stands when its leading Ritz values move by less, or after so many steps. */
#define SUBSPACE_TOLERANCE 0.01
#define SUBSPACE_MIN_STEPS 4
#define SUBSPACE_MAX_STEPS 12

#define SUMMARY 0 /* a value that is kept */

/* ---- asking ---- */

static tlv_statistic *
ask(tlv_plan *base, tlv_pass *pass, const char *stage, const tlv_aggregate *aggregate,
	tlv_plan_step then)
{
	struct neighbours_plan *own = neighbours_of(base);

	pass->damp = own->damp;
	pass->parts = own->support.part > 0 ? TLV_SUPPORT_PARTS : 0;
	pass->part = own->support.part - 1;
	own->step = then;
	return tlv_plan_ask(base, pass, stage, aggregate,
						own->support.part > 0 ? tlv_neighbours_guard : then);
}

/* Of the bags alone, as documents. */
static tlv_statistic *
ask_contents(tlv_plan *base, tlv_pass *pass, const char *stage, const tlv_aggregate *aggregate,
			 tlv_plan_step then)
{
	tlv_statistic *statistic = ask(base, pass, stage, aggregate, then);

	statistic->contents = true;
	return statistic;
}

void
tlv_neighbours_ask_statistics(tlv_plan *base, tlv_pass *pass, const char *stage, tlv_plan_step then)
{
	struct neighbours_plan *own = neighbours_of(base);

	for (size_t i = 0; i < own->n; i++)
		ask(base, pass, stage, &tlv_aggregate_statistics, then)->constant =
			&own->candidates[i].model.frame;
}

/* ---- starts ---- */

tlv_status
tlv_neighbours_add_start(tlv_context *ctx, tlv_plan *base, tlv_neighbour_start start,
						 const char *name, size_t k, const tlv_frame *moments)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_held *held = &own->candidates[own->n].model;
	tlv_mmsb_options options = own->options;
	double *rates = NULL;
	tlv_status status;
	tlv_making made;

	options.k = k;
	if (own->options.k == 0) /* k is chosen among whole communities */
		options.alpha0 = 0;
	if (options.alpha0 > 0 && start == TLV_NEIGHBOUR_TENSOR)
		TLV_TRY_NEW(ctx, rates, k * k);
	tlv_plan_make(ctx, &made);
	status = tlv_plan_made(ctx, &made, held,
						   tlv_neighbour_begin(ctx, &options, start, &base->kept[SUMMARY]->frame,
											   &own->subspace.frame, moments, own->poisson, rates,
											   &made.image, &made.size));
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_OK;
	own->candidates[own->n].rates = rates;
	own->candidates[own->n++].name = name;
	return status;
}

tlv_status
tlv_neighbours_begin_starts(tlv_context *ctx, tlv_plan *base, const tlv_frame *moments,
							tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	size_t k = own->options.k;

	if (moments != NULL && (own->options.alpha0 == 0 || own->options.n_labels == 0))
		TLV_TRY(tlv_neighbours_add_start(ctx, base, TLV_NEIGHBOUR_TENSOR, "tensor", k, moments));
	if (own->options.alpha0 == 0 || own->n == 0)
		TLV_TRY(tlv_neighbours_add_start(ctx, base, TLV_NEIGHBOUR_CLUSTERS, "pairs", k, NULL));
	tlv_free(ctx, own->subspace.image);
	own->subspace.image = NULL;
	tlv_neighbours_ask_statistics(base, pass, "start", tlv_neighbours_take_starts);
	return TLV_OK;
}

static tlv_status
take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	TLV_TRY(tlv_plan_require(ctx, values[0]));
	return tlv_neighbours_begin_starts(ctx, base, &values[0]->frame, pass);
}

void
tlv_neighbours_ask_moments(tlv_plan *base, tlv_pass *pass)
{
	ask_contents(base, pass, "moments", &tlv_aggregate_count_moments, take_moments)->constant =
		&neighbours_of(base)->subspace.frame;
}

/* ---- the subspace ---- */

static tlv_status take_products(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								tlv_pass *pass);

static tlv_status
next_subspace(tlv_context *ctx, tlv_plan *base, const tlv_frame *moments,
			  const tlv_subspace_options *options, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_held *subspace = &own->subspace;
	tlv_making made;

	if (options->subspace == NULL) /* the moments hold what they need of it */
	{
		tlv_free(ctx, subspace->image);
		subspace->image = NULL;
	}
	tlv_plan_make(ctx, &made);
	TLV_TRY(
		tlv_plan_made(ctx, &made, subspace,
					  tlv_subspace_from_moments(ctx, moments, options, &made.image, &made.size)));
	if (own->subspace_steps >= SUBSPACE_MAX_STEPS ||
		(own->subspace_steps >= SUBSPACE_MIN_STEPS &&
		 tlv_subspace_change(&subspace->frame) < SUBSPACE_TOLERANCE))
	{
		if (own->chosen)
			return tlv_neighbours_choose(ctx, base, pass);
		if (own->options.k == 1 || own->options.k > MOST_TENSOR)
			return tlv_neighbours_begin_starts(ctx, base, NULL, pass);
		tlv_neighbours_ask_moments(base, pass);
		return TLV_OK;
	}
	ask_contents(base, pass, "subspace", &tlv_aggregate_count_products, take_products)->constant =
		&subspace->frame;
	return TLV_OK;
}

static tlv_status
take_products(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_subspace_options same = {0};
	const tlv_frame *products;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	products = &values[0]->frame;
	same.subspace = tlv_count_refers(products) ? &own->subspace.frame : NULL;
	own->subspace_steps++;
	return next_subspace(ctx, base, products, &same, pass);
}

/* Are there weights other than 1? */
static bool
has_weights(const tlv_frame *summary)
{
	const double *totals = tlv_frame_float64(summary, "totals");
	const double *frequency = tlv_frame_float64(summary, "frequency");

	for (size_t i = 0; i < tlv_frame_find(summary, "items")->rows; i++)
		if (totals[i] != frequency[i])
			return true;
	return false;
}

/* The summary of those nodes that a subspace is of, where it cannot be of all; else *image is NULL.
 * It is no value: the tokens are those of all nodes. */
static tlv_status
find_landmarks(tlv_context *ctx, const struct neighbours_plan *own, const tlv_frame *summary,
			   void **image, tlv_frame *landmarks)
{
	size_t k = own->rank, directions = 2 * k > k + 10 ? 2 * k : k + 10, size;
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = tlv_neighbour_landmarks(ctx, summary, directions, own->directions, own->options.seed,
									 image, &size);
	if (status == TLV_OK && *image != NULL)
		tlv_scratch_keep(ctx, *image);
	tlv_scratch_end(ctx, &scratch);
	if (status != TLV_OK || *image == NULL)
		return status;
	return tlv_frame_open(ctx, *image, size, landmarks);
}

static tlv_status
take_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_subspace_options options = {.fewer = true, .seed = own->options.seed};
	void *image = NULL;
	tlv_frame landmarks;

	if (values[0] == NULL || tlv_frame_scalar(&values[0]->frame, "skipped", 0) == 0)
		TLV_TRY(tlv_plan_require_rows(ctx, values[0], "documents"));
	if (tlv_frame_scalar(&values[0]->frame, "documents", 0) == 0)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "no node has %d neighbours or more", TLV_MIN_LENGTH);
		return tlv_fail_hint(ctx, "Communities of so few edges are found from (src, dst) rows.");
	}
	own->poisson = own->options.edges == TLV_EDGES_POISSON ||
				   (own->options.edges == TLV_EDGES_AUTO && has_weights(&values[0]->frame));
	tlv_plan_keep(base, SUMMARY, &values[0]);
	landmarks = base->kept[SUMMARY]->frame;
	if (own->options.n_labels > 0)
		TLV_TRY(tlv_neighbours_check_labels(ctx, &own->options, &landmarks));
	own->rank = own->chosen ? tlv_neighbours_most(&own->options) : own->options.k;
	options.rank = own->rank;
	TLV_TRY(find_landmarks(ctx, own, &base->kept[SUMMARY]->frame, &image, &landmarks));
	TLV_TRY(next_subspace(ctx, base, &landmarks, &options, pass));
	tlv_free(ctx, image);
	return TLV_OK;
}

/* ---- the beginning ---- */

/* What rows of neighbours cannot do. */
static tlv_status
refuse_options(tlv_context *ctx, const tlv_mmsb_plan_options *options)
{
	const tlv_mmsb_options *fit = &options->fit;

	if (options->graph != TLV_GRAPH_UNDIRECTED || fit->partition ||
		(fit->refine == TLV_MMSB_REFINE_EM && fit->alpha0 == 0))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "rows of nodes and their neighbours are fitted as an undirected graph, by steps "
				 "over all of it: %s",
				 options->graph != TLV_GRAPH_UNDIRECTED ? "directed and bipartite must be false"
				 : fit->partition						? "partition must be false"
														: "refine 'em' is for alpha0 > 0");
		return tlv_fail_hint(ctx, "For all else give the edges as (src, dst [, weight]) rows.");
	}
	if (fit->refine == TLV_MMSB_REFINE_LIKELIHOOD && fit->alpha0 > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "refinement by likelihood is for alpha0 = 0, not %g",
				 fit->alpha0);
		return tlv_fail_hint(ctx, "Mixed memberships are refined by 'em'.");
	}
	return TLV_OK;
}

/* ---- known labels ---- */

void
tlv_neighbours_ask_summary(tlv_plan *base, tlv_pass *pass)
{
	ask_contents(base, pass, "summary", &tlv_aggregate_count_summary, take_summary);
}

static tlv_status
take_labels(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	if (values[0] != NULL)
		TLV_TRY(tlv_mmsb_labels_of_graph(ctx, &values[0]->frame, &neighbours_of(base)->options));
	tlv_neighbours_ask_summary(base, pass);
	return TLV_OK;
}

tlv_status
tlv_mmsb_ask_neighbours(tlv_context *ctx, mmsb_plan *plan, tlv_pass *pass)
{
	const tlv_mmsb_options *fit = &plan->options.fit;
	struct neighbours_plan *own;

	TLV_TRY(refuse_options(ctx, &plan->options));
	if (fit->k > TLV_MMSB_MOST || fit->max_k > TLV_MMSB_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "%s = %zu is more than %d",
						fit->k > TLV_MMSB_MOST ? "k" : "max_k",
						fit->k > TLV_MMSB_MOST ? fit->k : fit->max_k, TLV_MMSB_MOST);
	TLV_TRY_NEW0(ctx, own, 1);
	own->options = *fit;
	own->chosen = fit->k == 0;
	own->directions = plan->options.directions;
	own->damp = fit->edges == TLV_EDGES_BERNOULLI ? 1 : 0;
	plan->neighbours = own;
	if (!plan->options.labels)
	{
		tlv_neighbours_ask_summary(&plan->base, pass);
		return TLV_OK;
	}
	tlv_plan_ask(&plan->base, pass, "labels", &tlv_aggregate_bigraph, take_labels);
	pass->source = 1;
	return TLV_OK;
}
