/*
 * start.c - communities of the nodes of a subspace, from which the passes over rows of
 * an adjacency matrix begin (neighbours.h).
 *
 * A row of degree l is a document of l words, which is how the star moments of a block model weigh
 * it (star_moments.h): the moments of documents are those of the stars, and the rows of the
 * directions are the embedding of the nodes as neighbours.
 */
#include "neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../internal.h"
#include "mixed.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/tensor3.h"

/* Numbers of a block of directions at most: 268 MB of the 1 GB that a value may have. */
#define MOST_NUMBERS 33554432.0

#define CLUSTER_STARTS 4

/* Of a mixed membership that begins with a cluster (mixed/least_squares.c). */
#define CLUSTER_SHARE 0.7

static const tlv_dirichlet_words words = {"communities", "use a smaller k."};

/* ---- landmarks ---- */

/* An item's rows, and what settles the order of those of equally many. */
typedef struct item_key
{
	uint64_t key;
	uint64_t at;
} item_key;

static tlv_status
choose_landmarks(tlv_context *ctx, const tlv_frame *summary, size_t d, size_t most, uint64_t seed,
				 bool *chosen)
{
	static const tlv_sort_form form = {sizeof(item_key), sizeof(uint64_t), 0, 64};
	const double *frequency = tlv_frame_float64(summary, "frequency");
	const int64_t *items = tlv_frame_int64(summary, "items");
	item_key *keys, *sorted;
	void *result;

	TLV_TRY_NEW(ctx, keys, 2 * d);
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		keys[i] = (item_key){(uint64_t) fmin(frequency[i], UINT32_MAX) << 32 |
								 tlv_mix64((uint64_t) items[i] + seed) >> 32,
							 i};
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, d, keys, keys + d, &result));
	sorted = result;
	for (size_t i = d - most; i < d; i++)
		chosen[sorted[i].at] = true;
	tlv_free(ctx, keys);
	return TLV_OK;
}

/* The entries that are chosen of a section with one for every item; from the arena. */
static tlv_status
gather(tlv_context *ctx, const tlv_frame *frame, const tlv_section *section, const bool *chosen,
	   size_t most, void **gathered)
{
	const uint64_t *from = tlv_section_data(frame, section);
	size_t n = 0;
	uint64_t *to;

	TLV_TRY_NEW(ctx, to, most);
	for (size_t i = 0; i < section->rows; i++)
		if (chosen[i])
			to[n++] = from[i];
	*gathered = to;
	return TLV_OK;
}

tlv_status
tlv_neighbour_landmarks(tlv_context *ctx, const tlv_frame *summary, size_t directions,
						double numbers, uint64_t seed, void **image, size_t *size)
{
	static const char *const names[] = {"items",	  "totals",	 "frequency",
										"correction", "squares", NULL};
	size_t d = tlv_frame_find(summary, "items")->rows;
	size_t most = (size_t) ((numbers > 0 ? numbers : MOST_NUMBERS) / (double) directions);
	tlv_frame_builder *builder;
	void *gathered;
	bool *chosen;

	*image = NULL;
	if (d <= most)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, chosen, d);
	TLV_TRY(choose_landmarks(ctx, summary, d, most, seed, chosen));
	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, summary->header->type, summary->header->kind);
	tlv_frame_add_from(builder, summary, names);
	for (size_t i = 0; names[i] != NULL; i++)
	{
		const tlv_section *section = tlv_frame_find(summary, names[i]);

		TLV_TRY(gather(ctx, summary, section, chosen, most, &gathered));
		tlv_frame_add(builder, names[i], section->element, most, 1, gathered);
	}
	return tlv_frame_finish(ctx, builder, image, size);
}

/* ---- k-means ---- */

static tlv_status
label_by_clusters(tlv_context *ctx, const tlv_mmsb_options *options, const tlv_frame *subspace,
				  int32_t *label)
{
	size_t k = options->k, d = tlv_frame_find(subspace, "items")->rows;
	size_t block = tlv_frame_find(subspace, "basis")->rows;
	size_t rank = (size_t) tlv_frame_scalar(subspace, "rank", 0);
	const double *basis = tlv_frame_float64(subspace, "basis");
	const double *ritz = tlv_frame_float64(subspace, "ritz");
	tlv_mmsb_fit_state fit = {.options = options, .k = k};
	tlv_mmsb_points points = {.n = d, .root = true};
	float *directions;
	double *values;

	if (d < k)
	{
		for (size_t i = 0; i < d; i++)
			label[i] = (int32_t) i;
		return TLV_OK;
	}
	TLV_TRY_NEW0(ctx, values, k);
	TLV_TRY_NEW0_ROWS(ctx, directions, d, k);
	for (size_t j = 0; j < k && j < rank; j++)
		values[j] = fmax(ritz[j], 0);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k && j < rank; j++)
			directions[i * k + j] = (float) basis[i * block + j];
	points.directions = directions;
	points.values = values;
	TLV_TRY(tlv_mmsb_cluster(ctx, &fit, &points, CLUSTER_STARTS, 1, label));
	tlv_free(ctx, directions);
	tlv_free(ctx, values);
	return TLV_OK;
}

/* ---- the tensor ---- */

/* Moments of the rows' tokens, as they are decomposed. */
static tlv_status
open_star_moments(tlv_context *ctx, const tlv_frame *moments, size_t width,
				  tlv_dirichlet_moments *stars)
{
	double tokens = fmax(tlv_frame_scalar(moments, "tokens", 0), 1);
	const double *mean = tlv_frame_float64(moments, "mean");
	const double *triples = tlv_frame_float64(moments, "triples");
	size_t cubes = tlv_packed3_size(width);
	double *block = tlv_alloc(ctx, width + width * width + cubes, sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	*stars = (tlv_dirichlet_moments){width, block, block + width, block + width + width * width};
	tlv_packed2_unpack(width, tlv_frame_float64(moments, "pairs"), block + width);
	for (size_t i = 0; i < width; i++)
		block[i] = mean[i] / tokens;
	for (size_t i = 0; i < width * width; i++)
		block[width + i] /= tokens;
	for (size_t i = 0; i < cubes; i++)
		block[width + width * width + i] = triples[i] / tokens;
	return TLV_OK;
}

/* As many components as the pairs have directions, at most k. */
static tlv_status
decompose_stars(tlv_context *ctx, const tlv_mmsb_options *options,
				const tlv_dirichlet_moments *stars, tlv_dirichlet_solver *solver)
{
	size_t k = options->k < stars->width ? options->k : stars->width;

	for (;;)
	{
		tlv_status status;

		TLV_TRY(tlv_dirichlet_solver_create(ctx, stars, k, &options->decompose, &words, solver));
		status = tlv_dirichlet_decompose(ctx, solver, options->alpha0);
		if (status != TLV_NOT_IDENTIFIABLE || k == 1)
			return status;
		k = tlv_dirichlet_identified(solver) < k ? tlv_dirichlet_identified(solver) : k - 1;
		k = k > 0 ? k : 1;
		tlv_dirichlet_solver_free(ctx, solver);
	}
}

/* What the directions say of components: k x d, before scales and signs. */
static tlv_status
spread_components(tlv_context *ctx, const tlv_frame *subspace, const tlv_dirichlet_solver *solver,
				  double *raw)
{
	size_t d = tlv_frame_find(subspace, "items")->rows, k = solver->k;
	size_t block = tlv_frame_find(subspace, "basis")->rows, w = solver->moments.width;
	const double *basis = tlv_frame_float64(subspace, "basis");

	return tlv_gemm(ctx, true, false, k, d, w, 1, solver->components, w, basis, block, 0, raw, k);
}

/* Memberships of the nodes of the subspace by the densities of the components. */
static tlv_status
share_by_components(tlv_context *ctx, const tlv_mmsb_options *options, const tlv_frame *subspace,
					const tlv_dirichlet_solver *solver, double *share, double *rates)
{
	size_t d = tlv_frame_find(subspace, "items")->rows, k = solver->k;
	const double *scale = tlv_frame_float64(subspace, "scale");
	double *density, *sums, *weights, total = 0;

	TLV_TRY_NEW0(ctx, sums, 2 * k);
	TLV_TRY_NEW_ROWS(ctx, density, d, k);
	weights = sums + k;
	TLV_TRY(spread_components(ctx, subspace, solver, density));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			sums[j] += density[i * k + j] /= scale[i];
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			density[i * k + j] /= fabs(sums[j]) > DBL_MIN ? sums[j] : DBL_MIN;
	for (size_t j = 0; j < k; j++)
		total += weights[j] = 1 / fmax(pow(solver->decomposition.values[j], 2), 1e-300);
	for (size_t j = 0; j < k; j++)
		weights[j] /= total;
	TLV_TRY(tlv_mixed_rows_start(ctx, k, d, options->alpha0, weights, density, share, rates));
	tlv_free(ctx, density);
	tlv_free(ctx, sums);
	return TLV_OK;
}

/*
 * The component that a node is most often a neighbour of: the largest w_j F_j(v), F_j = S^-1 U b_j
 * scaled to sum 1, w_j = 1 / value_j^2.
 */
static tlv_status
label_by_components(tlv_context *ctx, const tlv_frame *subspace, const tlv_dirichlet_solver *solver,
					int32_t *label)
{
	size_t d = tlv_frame_find(subspace, "items")->rows, k = solver->k;
	const double *scale = tlv_frame_float64(subspace, "scale");
	double *raw, *factor;

	TLV_TRY_NEW_ROWS(ctx, raw, d + 1, k);
	factor = raw + d * k;
	TLV_TRY(spread_components(ctx, subspace, solver, raw));
	memset(factor, 0, k * sizeof(double));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			factor[j] += raw[i * k + j] / scale[i];
	for (size_t j = 0; j < k; j++)
	{
		double value = solver->decomposition.values[j];

		factor[j] =
			1 / (fmax(value * value, 1e-300) * (fabs(factor[j]) > DBL_MIN ? factor[j] : DBL_MIN));
	}
	for (size_t i = 0; i < d; i++)
	{
		label[i] = 0;
		for (size_t j = 1; j < k; j++)
			if (raw[i * k + j] * factor[j] > raw[i * k + (size_t) label[i]] * factor[label[i]])
				label[i] = (int32_t) j;
	}
	tlv_free(ctx, raw);
	return TLV_OK;
}

/* Labels of the subspace's nodes, or, where share is given, mixed memberships (k x d), which need
 * all components: else TLV_NOT_IDENTIFIABLE. */
static tlv_status
place_by_tensor(tlv_context *ctx, const tlv_mmsb_options *options, const tlv_frame *subspace,
				const tlv_frame *moments, int32_t *label, double *share, double *rates)
{
	size_t width = tlv_frame_find(moments, "mean")->rows;
	tlv_dirichlet_moments stars;
	tlv_dirichlet_solver solver;

	TLV_TRY(tlv_require_memory(ctx,
							   tlv_dirichlet_memory(width, width, &options->decompose) +
								   sizeof(double) * (double) tlv_packed3_size(width),
							   "the stars of the graph"));
	TLV_TRY(open_star_moments(ctx, moments, width, &stars));
	TLV_TRY(decompose_stars(ctx, options, &stars, &solver));
	if (share == NULL)
		TLV_TRY(label_by_components(ctx, subspace, &solver, label));
	else if (solver.k == options->k)
		TLV_TRY(share_by_components(ctx, options, subspace, &solver, share, rates));
	else
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the stars show %zu of %zu communities",
						solver.k, options->k);
	tlv_dirichlet_solver_free(ctx, &solver);
	return TLV_OK;
}

/* ---- the first model ---- */

/* Communities of the nodes of a summary: those of the subspace's items; -1 for others. */
static void
spread_labels(const tlv_frame *summary, const tlv_frame *subspace, const int32_t *label,
			  int32_t *spread)
{
	size_t n = tlv_frame_find(summary, "items")->rows, d = tlv_frame_find(subspace, "items")->rows;
	const int64_t *nodes = tlv_frame_int64(summary, "items");
	const int64_t *items = tlv_frame_int64(subspace, "items");
	size_t at = 0;

	for (size_t u = 0; u < n; u++)
	{
		bool found = at < d && items[at] == nodes[u];

		spread[u] = found ? label[at] : -1;
		at += found;
	}
}

/* The known label of every node of the summary, or -1. */
static tlv_status
find_known(tlv_context *ctx, const tlv_mmsb_options *options, size_t n, const int64_t *nodes,
		   int32_t *known)
{
	size_t i = 0;

	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		while (i < options->n_labels && options->label_nodes[i] < nodes[u])
			i++;
		known[u] =
			i < options->n_labels && options->label_nodes[i] == nodes[u] ? options->label[i] : -1;
	}
	return TLV_OK;
}

/* Communities numbered as the known labels are, and these in place. */
static tlv_status
settle_labels(tlv_context *ctx, const tlv_mmsb_options *options, size_t n, const int64_t *nodes,
			  int32_t *label)
{
	tlv_mmsb_fit_state fit = {.options = options, .sides = 1, .k = options->k};
	int32_t *known, *found;
	int64_t *assignment;
	size_t both = 0;

	if (options->n_labels == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, known, n);
	TLV_TRY_NEW(ctx, found, 2 * n);
	TLV_TRY_NEW(ctx, assignment, options->k);
	TLV_TRY(find_known(ctx, options, n, nodes, known));
	for (size_t u = 0; u < n; u++)
		if (known[u] >= 0 && label[u] >= 0)
		{
			found[both] = label[u];
			found[n + both++] = known[u];
		}
	fit.side[0].n = both;
	fit.side[0].fixed = found + n;
	TLV_TRY(tlv_mmsb_align_known(ctx, &fit, (int32_t *const[2]){found, NULL}, assignment));
	for (size_t u = 0; u < n; u++)
	{
		label[u] = label[u] >= 0 ? (int32_t) assignment[label[u]] : -1;
		label[u] = known[u] >= 0 ? known[u] : label[u];
	}
	tlv_free(ctx, assignment);
	tlv_free(ctx, found);
	tlv_free(ctx, known);
	return TLV_OK;
}

/* Mixed memberships of the nodes of the summary: those of the subspace's, or, where these are not
 * given, what clusters leave open; none of nodes that have no label. */
static tlv_status
mix_labels(tlv_context *ctx, size_t k, size_t n, const int32_t *label, const double *share,
		   tlv_memberships *memberships)
{
	tlv_membership_builder builder;
	double *own;

	TLV_TRY_NEW(ctx, own, k);
	TLV_TRY(tlv_memberships_begin(ctx, n, &builder));
	for (size_t u = 0, at = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		for (size_t a = 0; a < k; a++)
			own[a] =
				(1 - CLUSTER_SHARE) / (double) k + (label[u] == (int32_t) a ? CLUSTER_SHARE : 0);
		TLV_TRY(tlv_memberships_append(ctx, &builder, k,
									   label[u] < 0	   ? NULL
									   : share != NULL ? share + k * at
													   : own));
		at += label[u] >= 0;
	}
	*memberships = builder.memberships;
	tlv_free(ctx, own);
	return TLV_OK;
}

tlv_status
tlv_neighbour_begin(tlv_context *ctx, const tlv_mmsb_options *options, tlv_neighbour_start start,
					const tlv_frame *summary, const tlv_frame *subspace, const tlv_frame *moments,
					bool poisson, double *rates, void **image, size_t *size)
{
	size_t n = tlv_frame_find(summary, "items")->rows, k = options->k;
	size_t d = tlv_frame_find(subspace, "items")->rows;
	tlv_mmsb_parts parts = {.k = k,
							.sides = 1,
							.graph = TLV_GRAPH_UNDIRECTED,
							.poisson = poisson,
							.alpha0 = options->alpha0,
							.seed = (double) options->seed};
	bool tensor = start == TLV_NEIGHBOUR_TENSOR;
	double *zeros, *share = NULL;
	int32_t *label;

	TLV_TRY_NEW0(ctx, label, n + d);
	if (tensor && options->alpha0 > 0)
		TLV_TRY_NEW_ROWS(ctx, share, d, k);
	if (tensor)
		TLV_TRY(place_by_tensor(ctx, options, subspace, moments, label + n, share, rates));
	else
		TLV_TRY(label_by_clusters(ctx, options, subspace, label + n));
	spread_labels(summary, subspace, label + n, label);
	TLV_TRY(settle_labels(ctx, options, n, tlv_frame_int64(summary, "items"), label));
	TLV_TRY_NEW0(ctx, zeros, k * (k + 2));
	parts.alpha = parts.sizes = zeros;
	parts.connectivity = zeros + k;
	parts.side[0].n = n;
	parts.side[0].nodes = tlv_frame_int64(summary, "items");
	parts.side[0].degree = tlv_frame_float64(summary, "totals");
	if (options->alpha0 > 0)
		TLV_TRY(mix_labels(ctx, k, n, label, share, &parts.side[0].memberships));
	else
		TLV_TRY(tlv_memberships_from_labels(ctx, n, label, &parts.side[0].memberships));
	return tlv_mmsb_write(ctx, &parts, image, size);
}
