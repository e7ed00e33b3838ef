/*
 * learn.c - communities from rows of an adjacency matrix (neighbours.h): summary,
 * subspace, the number of communities where it is not given, initial estimates from star moments
 * and clusters, the mean field, and the edges between whole communities.  What is kept between
 * scans is of the size of the nodes.
 */
#include "learn.h"

#include <math.h>

#include "../errors.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"

/* The iteration of the subspace ends when the leading Ritz values change by less, relatively. */
#define SUBSPACE_TOLERANCE		0.01
#define SUBSPACE_MIN_ITERATIONS 4
#define SUBSPACE_MAX_ITERATIONS 12

/* Relative difference of the edges between communities by direction that is rounding. */
#define ASYMMETRY 1e-6

/* ---- statistics of the candidates ---- */

/* Every edge must be in the rows of both of its ends. */
static tlv_status
require_rows(tlv_context *ctx, const tlv_frame *statistics, bool first)
{
	size_t k = tlv_frame_find(statistics, "edges")->rows;
	const double *edges = tlv_frame_float64(statistics, "edges");
	double strangers = first ? 0 : tlv_frame_scalar(statistics, "strangers", 0);
	double total = 0, apart = 0;

	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			total += edges[a + k * b];
			apart = fmax(apart, fabs(edges[a + k * b] - edges[b + k * a]));
		}
	if (strangers == 0 && (!first || apart <= ASYMMETRY * total))
		return TLV_OK;
	if (strangers > 0)
		tlv_fail(ctx, TLV_BAD_DATA, "neighbours of weight %g in all have no row of their own",
				 strangers);
	else
		tlv_fail(ctx, TLV_BAD_DATA, "not all neighbours are neighbours the other way round");
	return tlv_fail_hint(ctx, "Every edge belongs to the bags of both of its ends: collect them "
							  "from SELECT src, dst FROM edges UNION ALL SELECT dst, src FROM "
							  "edges.");
}

void
tlv_neighbours_drop_values(const neighbours_fit *fit, tlv_value *values[STARTS])
{
	for (size_t i = 0; i < fit->n; i++)
		tlv_value_drop(values[i]);
}

tlv_status
tlv_neighbours_collect(tlv_context *ctx, tlv_source *rows, const neighbours_fit *fit,
					   const char *stage, bool first, tlv_value *values[STARTS])
{
	tlv_statistic statistics[STARTS];

	for (size_t i = 0; i < fit->n; i++)
		statistics[i] = (tlv_statistic){.aggregate = &tlv_aggregate_statistics,
										.constant = &fit->candidates[i].model.frame};
	TLV_TRY(tlv_collect(ctx, rows, stage, 0, fit->n, statistics, values));
	for (size_t i = 0; i < fit->n; i++)
	{
		TLV_TRY(tlv_require_rows_again(ctx, values[i]));
		TLV_TRY(require_rows(ctx, &values[i]->frame, first));
	}
	return TLV_OK;
}

/* ---- the summary and the subspace ---- */

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
find_landmarks(tlv_context *ctx, const neighbours_fit *fit, const tlv_frame *summary, void **image,
			   tlv_frame *landmarks)
{
	size_t k = fit->rank, directions = 2 * k > k + 10 ? 2 * k : k + 10, size;
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = tlv_neighbour_landmarks(ctx, summary, directions, fit->directions, fit->options.seed,
									 image, &size);
	if (status == TLV_OK && *image != NULL)
		tlv_scratch_keep(ctx, *image);
	tlv_scratch_end(ctx, &scratch);
	if (status != TLV_OK || *image == NULL)
		return status;
	return tlv_frame_open(ctx, *image, size, landmarks);
}

/* Before the first scan: more nodes than a model has memory for would fail after many. */
static tlv_status
require_few_nodes(tlv_context *ctx, tlv_source *source)
{
	tlv_source *rows = tlv_source_rows(source);
	double most = tlv_neighbour_most_nodes();
	double n = rows->count != NULL ? rows->count(rows, most) : 0;

	if (n <= most)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "%.0f nodes are more than the %.0f that a model has memory for", n,
			 most);
	return tlv_fail_hint(ctx,
						 "Fit a part of the nodes with the edges between them, such as those of "
						 "SELECT src, dst FROM edges WHERE src %% %.0f = 0 AND dst %% %.0f = 0. "
						 "tlv_infer(model, neighbours) places the others.",
						 ceil(n / most), ceil(n / most));
}

static tlv_status
summarise(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit)
{
	const tlv_frame *summary;

	TLV_TRY(require_few_nodes(ctx, rows));
	TLV_TRY(
		tlv_collect(ctx, rows, "summary", 0, 1,
					&(tlv_statistic){.aggregate = &tlv_aggregate_count_summary, .contents = true},
					&fit->summary));
	if (fit->summary == NULL || tlv_frame_scalar(&fit->summary->frame, "skipped", 0) == 0)
		TLV_TRY(tlv_require_rows(ctx, fit->summary, "documents"));
	summary = &fit->summary->frame;
	if (tlv_frame_scalar(summary, "documents", 0) == 0)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "no node has %d neighbours or more", TLV_MIN_LENGTH);
		return tlv_fail_hint(ctx, "Use (src, dst) rows, which need no lower bound on neighbours.");
	}
	fit->poisson = fit->options.edges == TLV_EDGES_POISSON ||
				   (fit->options.edges == TLV_EDGES_AUTO && has_weights(summary));
	if (fit->options.n_labels > 0)
		TLV_TRY(tlv_neighbours_check_labels(ctx, &fit->options, summary, &fit->diagnostics));
	fit->rank = fit->chosen ? tlv_neighbours_most(&fit->options) : fit->options.k;
	return TLV_OK;
}

static tlv_status
subspace_next(tlv_context *ctx, neighbours_fit *fit, const tlv_frame *moments,
			  const tlv_subspace_options *options)
{
	tlv_making made;

	if (options->subspace == NULL) /* the moments hold what they need of it */
	{
		tlv_free(ctx, fit->subspace.image);
		fit->subspace.image = NULL;
	}
	return TLV_MAKE(ctx, &made, &fit->subspace,
					tlv_subspace_from_moments(ctx, moments, options, &made.image, &made.size));
}

static bool
subspace_has_converged(const neighbours_fit *fit)
{
	return fit->subspace_iterations >= SUBSPACE_MAX_ITERATIONS ||
		   (fit->subspace_iterations >= SUBSPACE_MIN_ITERATIONS &&
			tlv_subspace_change(&fit->subspace.frame) < SUBSPACE_TOLERANCE);
}

static tlv_status
iterate_subspace(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit)
{
	tlv_subspace_options same = {0};
	tlv_value *products;

	TLV_TRY(tlv_collect_again(ctx, rows, "subspace", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_count_products,
											   .constant = &fit->subspace.frame,
											   .contents = true},
							  &products));
	same.subspace = tlv_count_refers(&products->frame) ? &fit->subspace.frame : NULL;
	fit->subspace_iterations++;
	TLV_TRY(subspace_next(ctx, fit, &products->frame, &same));
	tlv_value_drop(products);
	return TLV_OK;
}

static tlv_status
find_subspace(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit)
{
	const tlv_subspace_options options = {
		.fewer = true, .seed = fit->options.seed, .rank = fit->rank};
	tlv_frame landmarks = fit->summary->frame;
	void *image = NULL;

	TLV_TRY(find_landmarks(ctx, fit, &fit->summary->frame, &image, &landmarks));
	TLV_TRY(subspace_next(ctx, fit, &landmarks, &options));
	tlv_free(ctx, image);
	do
		TLV_TRY(iterate_subspace(ctx, rows, fit));
	while (!subspace_has_converged(fit));
	return TLV_OK;
}

/* ---- initial estimates ---- */

tlv_status
tlv_neighbours_add_start(tlv_context *ctx, neighbours_fit *fit, tlv_neighbour_start start,
						 const char *name, size_t k, const tlv_frame *moments)
{
	tlv_held *held = &fit->candidates[fit->n].model;
	tlv_mmsb_options options = fit->options;
	double *rates = NULL;
	tlv_status status;
	tlv_making made;

	options.k = k;
	if (fit->options.k == 0) /* k is chosen among whole communities */
		options.alpha0 = 0;
	if (options.alpha0 > 0 && start == TLV_NEIGHBOUR_TENSOR)
		TLV_TRY_NEW(ctx, rates, k * k);
	status = TLV_MAKE(ctx, &made, held,
					  tlv_neighbour_begin(ctx, &options, start, &fit->summary->frame,
										  &fit->subspace.frame, moments, fit->poisson, rates,
										  &made.image, &made.size));
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_OK;
	fit->candidates[fit->n].rates = rates;
	fit->candidates[fit->n++].name = name;
	return status;
}

/* The star moments in the subspace, where their tensor is an initial estimate. */
static tlv_status
add_tensor(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit)
{
	size_t k = fit->options.k;
	tlv_value *moments;

	if (k == 1 || fit->rank > MOST_TENSOR || (fit->chosen && fit->options.alpha0 == 0))
		return TLV_OK;
	TLV_TRY(tlv_collect_again(ctx, rows, "moments", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_count_moments,
											   .constant = &fit->subspace.frame,
											   .contents = true},
							  &moments));
	if (fit->options.alpha0 == 0 || fit->options.n_labels == 0)
		TLV_TRY(
			tlv_neighbours_add_start(ctx, fit, TLV_NEIGHBOUR_TENSOR, "tensor", k, &moments->frame));
	tlv_value_drop(moments);
	return TLV_OK;
}

static tlv_status
initialise(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit)
{
	TLV_TRY(add_tensor(ctx, rows, fit));
	if (fit->options.alpha0 == 0 || fit->n == 0)
		TLV_TRY(tlv_neighbours_add_start(ctx, fit, TLV_NEIGHBOUR_CLUSTERS, "pairs", fit->options.k,
										 NULL));
	tlv_free(ctx, fit->subspace.image);
	fit->subspace.image = NULL;
	return TLV_OK;
}

/* ---- the end ---- */

/* The model of whole communities, by one more scan that counts the edges between them, with the
 * memberships found before. */
static tlv_status
count_edges(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit, bool errors)
{
	const tlv_neighbour_step step = {
		.raw = true, .corrected = fit->corrected, .known = &fit->options};
	tlv_held *model = &fit->candidates[0].model, whole = {0};
	tlv_value *edges;
	tlv_making made;
	double moved;

	TLV_TRY(TLV_MAKE(ctx, &made, &whole,
					 tlv_neighbour_harden(ctx, &model->frame, &made.image, &made.size)));
	TLV_TRY(tlv_collect_again(
		ctx, rows, "edges", !errors,
		&(tlv_statistic){.aggregate = &tlv_aggregate_statistics, .constant = &whole.frame},
		&edges));
	TLV_TRY(tlv_neighbours_step(ctx, &whole, &edges->frame, &step, &moved));
	tlv_value_drop(edges);
	if (fit->options.alpha0 == 0)
		TLV_TRY(TLV_MAKE(
			ctx, &made, model,
			tlv_neighbour_soften(ctx, &whole.frame, &model->frame, &made.image, &made.size)));
	if (fit->options.n_labels == 0)
		TLV_TRY(tlv_neighbours_order(ctx, !fit->chosen, &whole, model));
	TLV_TRY(tlv_neighbours_diagnose(ctx, fit, &whole.frame));
	tlv_free(ctx, whole.image);
	return TLV_OK;
}

/* ---- the whole ---- */

/* From the rows to one candidate. */
static tlv_status
learn_communities(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit, bool errors)
{
	TLV_TRY(summarise(ctx, rows, fit));
	TLV_TRY(find_subspace(ctx, rows, fit));
	if (fit->chosen)
		TLV_TRY(tlv_neighbours_choose(ctx, rows, fit));
	TLV_TRY(initialise(ctx, rows, fit));
	TLV_TRY(tlv_neighbours_refine(ctx, rows, fit));
	TLV_TRY(count_edges(ctx, rows, fit, errors));
	tlv_value_drop(fit->summary);
	return TLV_OK;
}

/* What rows of neighbours cannot do. */
static tlv_status
refuse_options(tlv_context *ctx, const tlv_mmsb_learn_options *options)
{
	const tlv_mmsb_options *fit = &options->fit;
	bool large = fit->k > TLV_MMSB_MOST;

	if (options->graph != TLV_GRAPH_UNDIRECTED ||
		(fit->refine == TLV_MMSB_REFINE_EM && fit->alpha0 == 0))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "rows of nodes and their neighbours are fitted as an undirected graph, by steps "
				 "over all of it: %s",
				 options->graph != TLV_GRAPH_UNDIRECTED ? "directed and bipartite must be false"
														: "refine 'em' is for alpha0 > 0");
		return tlv_fail_hint(ctx, "For all else give the edges as (src, dst [, weight]) rows.");
	}
	if (fit->refine == TLV_MMSB_REFINE_LIKELIHOOD && fit->alpha0 > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "refinement by likelihood is for alpha0 = 0, not %g",
				 fit->alpha0);
		return tlv_fail_hint(ctx, "Mixed memberships are refined by 'em'.");
	}
	if (large || fit->max_k > TLV_MMSB_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "%s = %zu is more than %d", large ? "k" : "max_k",
						large ? fit->k : fit->max_k, TLV_MMSB_MOST);
	return TLV_OK;
}

/* Both are of fits with the model's own options. */
static tlv_status
add_support_and_errors(tlv_context *ctx, tlv_source *rows, tlv_source *seen,
					   const neighbours_fit *fit, tlv_held *model)
{
	tlv_mmsb_options options;
	tlv_mmsb_parts parts;

	TLV_TRY(tlv_mmsb_read(ctx, &model->frame, &parts));
	options = tlv_mmsb_options_of(&parts, &fit->options);
	tlv_free(ctx, parts.side[0].memberships.start);
	TLV_TRY(tlv_neighbours_find_support(ctx, seen, &options, fit->directions, model));
	return tlv_mmsb_add_errors(ctx, rows, &options, model);
}

tlv_status
tlv_neighbours_learn(tlv_context *ctx, tlv_source *rows, const tlv_mmsb_learn_options *options,
					 tlv_held *model)
{
	const tlv_mmsb_options *given = &options->fit;
	neighbours_fit fit = {.options = *given,
						  .chosen = given->k == 0,
						  .directions = options->directions,
						  .damp = given->edges == TLV_EDGES_BERNOULLI ? 1 : 0};
	tlv_value *labels = NULL;
	tlv_source seen;

	TLV_TRY(refuse_options(ctx, options));
	if (rows->labels != NULL)
		TLV_TRY(tlv_collect(ctx, rows->labels, "labels", 0, 1,
							&(tlv_statistic){.aggregate = &tlv_aggregate_bigraph}, &labels));
	if (labels != NULL)
		TLV_TRY(tlv_mmsb_labels_of_graph(ctx, &labels->frame, &fit.options));
	tlv_value_drop(labels);
	tlv_source_damped(&seen, rows, fit.damp);
	TLV_TRY(learn_communities(ctx, &seen, &fit, options->errors));
	TLV_TRY(tlv_source_finish_after(ctx, rows, &fit.candidates[0].model.frame, &fit.diagnostics,
									model));
	tlv_free(ctx, fit.candidates[0].model.image);
	return options->errors ? add_support_and_errors(ctx, rows, &seen, &fit, model) : TLV_OK;
}

tlv_status
tlv_neighbours_learn_part(tlv_context *ctx, tlv_source *seen, const tlv_mmsb_options *options,
						  double directions, int part, tlv_held *model)
{
	neighbours_fit fit = {.options = *options, .directions = directions};
	tlv_source others;

	fit.options.seed += (uint64_t) part + 1;
	tlv_source_without_edges(&others, seen, TLV_SUPPORT_PARTS, part);
	TLV_TRY(learn_communities(ctx, &others, &fit, true));
	*model = fit.candidates[0].model;
	return TLV_OK;
}
