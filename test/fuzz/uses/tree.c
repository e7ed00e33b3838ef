/*
 * tree.c - uses of trees, their statistics, and moments that trees
 * are learned from, of unknown origin: fits, rows, a step of refinement, text.
 */
#include "uses.h"

#include <math.h>
#include <stdlib.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/model/tree_learn.h"
#include "tensorlv/model/tree_pictures.h"

/* More variables, nodes or states are too slow here. */
#define TREE_MOST 40

/* A model that a fit or an update has made can be stored and read back. */
static bool
tree_stored(tlv_context *ctx, void *image, size_t size, tlv_frame *model)
{

	if (tlv_frame_validate(ctx, image, size, model) != TLV_OK)
		return false; /* a number overflowed */
	if (tlv_kind_validate(ctx, image, size, TLV_FRAME_MODEL, model) != TLV_OK)
		abort();
	return true;
}

static void
draw_tree(tlv_context *ctx, const tlv_frame *frame, const tlv_tree_parts *parts, int32_t *codes,
		  double *x)
{
	tlv_tree_sampler *sampler;
	tlv_rng rng;

	tlv_rng_seed(&rng, 1);
	if (tlv_tree_sampler_create(ctx, frame, &sampler) != TLV_OK)
		return;
	tlv_tree_sample(sampler, &rng, codes, x);
	if (!parts->gaussian)
		for (size_t v = 0; v < parts->nodes; v++)
			if (codes[v] < 0 || codes[v] >= parts->states[v])
				abort();
}

static void
infer_tree(tlv_context *ctx, tlv_model *model, const tlv_tree_parts *parts, const int32_t *codes,
		   const double *x)
{
	const tlv_row *row =
		parts->gaussian ? TLV_AS_VECTOR(parts->columns, x) : TLV_AS_CODES(parts->p, codes);
	tlv_posterior posterior = {0}, variances = {0};
	tlv_status status;
	double value;

	status = tlv_model_infer(ctx, model, row, &posterior);
	for (size_t i = 0; i < posterior.total && status == TLV_OK; i++)
		if (!isfinite(posterior.values[i]))
			abort();
	if (parts->gaussian)
		status = tlv_tree_infer_gaussian(ctx, model, parts->columns, x, &posterior, &variances);
	for (size_t i = 0; i < variances.total && status == TLV_OK; i++)
		if (!isfinite(variances.values[i]))
			abort();
	status = tlv_model_log_likelihood(ctx, model, row, &value);
	if (status == TLV_OK && !isfinite(value))
		abort();
}

static void
write_tree(tlv_context *ctx, const tlv_tree_parts *parts)
{
	size_t different, total;
	tlv_tree tree;
	char **names, *text;

	if (tlv_tree_of_model(ctx, parts, &tree) != TLV_OK ||
		tlv_tree_names(ctx, parts, &names) != TLV_OK)
		return;
	tlv_tree_newick(ctx, &tree, (const char *const *) names, &text);
	tlv_tree_dot(ctx, &tree, (const char *const *) names, &text);
	tlv_tree_svg(ctx, &tree, (const char *const *) names, &text);
	if (tlv_tree_robinson_foulds(ctx, &tree, &tree, &different, &total) == TLV_OK && different > 0)
		abort();
}

static void
use_tree(tlv_context *ctx, const tlv_frame *frame)
{
	tlv_tree_parts parts;
	int32_t *codes;
	double *x;
	tlv_model *model;

	tlv_tree_read(frame, &parts);
	if (parts.nodes > TREE_MOST)
		return;
	codes = tlv_alloc0(ctx, parts.nodes, sizeof(int32_t));
	x = tlv_alloc0(ctx, parts.columns + 1, sizeof(double));
	if (codes == NULL || x == NULL)
		return;
	write_tree(ctx, &parts);
	draw_tree(ctx, frame, &parts, codes, x);
	if (tlv_kind_tree.model->open(ctx, frame, &model) != TLV_OK)
		return;
	for (int t = 0; t < 3; t++)
	{
		infer_tree(ctx, model, &parts, codes, x);
		codes[t] = -1;
		x[(size_t) t % (parts.columns + 1)] = t == 1 ? 1e300 : NAN;
	}
}

/* Trees of every method, with hidden nodes of chosen and of three states. */
static void
use_tree_moments(tlv_context *ctx, const tlv_frame *frame, uint8_t mode)
{
	tlv_tree_learn_options options = {
		.distance = {.states = mode & 4 ? 3 : 0, .shrinkage = mode & 8 ? 0.3 : 0},
		.structure = {(tlv_tree_method) (mode & 3), mode & 16 ? 0 : 2, 0.01, mode & 32},
		.fit = {.iterations = 3, .seed = 1}};
	bool dense = frame->header->kind == TLV_KIND_DENSE_MOMENTS;
	const tlv_section *sums = tlv_frame_find(frame, dense ? "sum1" : "states");
	tlv_frame model;
	void *image;
	size_t size;

	if (sums == NULL || sums->rows > TREE_MOST)
		return;
	options.fit.regularise = !dense && mode & 64;
	options.replicates = dense ? 1 : 0;
	options.distance.metric = mode & 128 ? TLV_METRIC_DETERMINANT : TLV_METRIC_CANONICAL;
	if (tlv_tree_learn(ctx, frame, &options, &image, &size) == TLV_OK &&
		tree_stored(ctx, image, size, &model))
		use_tree(ctx, &model);
}

/* Statistics that say they are of a model, whatever they are of. */
static void
use_tree_statistics(tlv_context *ctx, const tlv_frame *frame)
{
	tlv_tree_simulation simulation = {false, 2, 2, 0.5, 0.9, 1};
	tlv_digest *fingerprint = (tlv_digest *) tlv_frame_digest(frame, "model");
	tlv_frame model, updated;
	tlv_tree tree;
	void *image;
	size_t size;

	if (tlv_tree_random(ctx, 4, 0, 1, &tree) != TLV_OK ||
		tlv_tree_simulate_model(ctx, &tree, &simulation, &image, &size) != TLV_OK ||
		tlv_frame_open(ctx, image, size, &model) != TLV_OK)
		return;
	*fingerprint = model.header->digest;
	/* Statistics of no observation make no model. */
	if (tlv_model_update(ctx, &model, frame, 1, &image, &size) == TLV_OK && image != NULL)
		tree_stored(ctx, image, size, &updated);
}

USES(tree)
{
	if (kind == &tlv_kind_category_moments || kind == &tlv_kind_dense_moments)
		use_tree_moments(&ctx, frame, mode);
	if (kind == &tlv_kind_tree_statistics || kind == &tlv_kind_tree_triples)
		use_tree_statistics(&ctx, frame);
	if (kind == &tlv_kind_tree)
		use_tree(&ctx, frame);
}
