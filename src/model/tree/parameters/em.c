/*
 * em.c - expected pair counts of every edge of a tree of categories, and
 * the model that follows: one step of EM (Dempster, Laird, Rubin 1977) as an aggregate.
 *
 * The value (kind tree_statistics): scalars "rows", "nulls", "log_likelihood"; "model" (its
 * fingerprint); "counts", as the model's tables lie: of roots expected states, of other nodes
 * expected pairs with the parent over the rows in which a leaf is not missing.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/assert.h"

typedef struct statistics_state
{
	tlv_accumulator base;
	tree_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	size_t entries;
	double *counts;
	double rows;
	double log_likelihood;
	size_t waiting; /* rows in codes */
	uint8_t *codes; /* p x TREE_BLOCK: other groups of rows share the model */
} statistics_state;

static tlv_status
statistics_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	statistics_state *state = tlv_alloc0(ctx, 1, sizeof(statistics_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_tree_statistics.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

static tlv_status
allocate_counts(tlv_context *ctx, statistics_state *state, size_t entries)
{
	state->entries = entries;
	state->counts = tlv_alloc0(ctx, entries, sizeof(double));
	TLV_TRY_ALLOC(ctx, state->counts);
	return TLV_OK;
}

tlv_status
tlv_tree_statistics(tlv_context *ctx, tlv_model *base, const char *method,
					tlv_accumulator **accumulator)
{
	tree_model *model = (tree_model *) base;
	statistics_state *state;
	tlv_status status;

	if (method != NULL && method[0] != '\0' && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\" of trees", method);
		tlv_fail_hint(ctx, "It is 'em'.");
		return TLV_BAD_PARAMETER;
	}
	if (model->parts.gaussian)
	{
		status = tlv_fail(ctx, TLV_BAD_PARAMETER,
						  "a tree of numbers is refined on its moments, not on rows");
		tlv_fail_hint(ctx, "Raise the iterations of tlv_fit_tree.");
		return status;
	}
	if (model->parts.tables == NULL)
		return tlv_tree_triples_create(ctx, base, accumulator);
	TLV_TRY(statistics_create(ctx, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = model;
	state->fingerprint = base->frame.header->digest;
	state->codes = tlv_alloc0(ctx, model->parts.p, TREE_BLOCK);
	TLV_TRY_ALLOC(ctx, state->codes);
	return allocate_counts(ctx, state, model->parts.entries);
}

/* ---- rows ---- */

static tlv_status
propagate(tlv_context *ctx, statistics_state *state, size_t n, double *log_likelihood)
{
	TLV_TRY(tlv_tree_belief_up(ctx, state->model, n, log_likelihood));
	return tlv_tree_belief_down(ctx, state->model, n, state->counts);
}

static tlv_status
flush(tlv_context *ctx, statistics_state *state)
{
	double log_likelihood[TREE_BLOCK];
	uint8_t *own;
	size_t n = state->waiting;
	tlv_status status;

	state->waiting = 0;
	if (n == 0)
		return TLV_OK;
	own = state->model->codes;
	state->model->codes = state->codes;
	status = propagate(ctx, state, n, log_likelihood);
	state->model->codes = own;
	TLV_TRY(status);
	for (size_t r = 0; r < n; r++)
		state->log_likelihood += log_likelihood[r];
	state->rows += (double) n;
	return TLV_OK;
}

static tlv_status
statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "statistics without a model cannot take rows");
	TLV_TRY(tlv_tree_belief_row(ctx, state->model, row->part[0].d, row->part[0].codes, state->codes,
								state->waiting));
	if (++state->waiting == TREE_BLOCK)
		return flush(ctx, state);
	return TLV_OK;
}

/* ---- stored values ---- */

static tlv_status
statistics_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	statistics_state *state = (statistics_state *) accumulator;
	const double *counts = tlv_frame_float64(frame, "counts");
	size_t entries = tlv_frame_find(frame, "counts")->rows;
	tlv_status status;

	if (state->counts == NULL)
	{
		TLV_TRY(allocate_counts(ctx, state, entries));
		state->fingerprint = *tlv_frame_digest(frame, "model");
	}
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "model")) ||
		state->entries != entries)
	{
		status = tlv_fail(ctx, TLV_BAD_PARAMETER,
						  "the statistics were collected under different models");
		tlv_fail_hint(ctx, "Collect all parts with one and the same model.");
		return status;
	}
	for (size_t i = 0; i < entries; i++)
		state->counts[i] += counts[i];
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->rows += tlv_frame_scalar(frame, "rows", 0);
	state->log_likelihood += tlv_frame_scalar(frame, "log_likelihood", 0);
	return TLV_OK;
}

static tlv_status
statistics_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model != NULL)
		TLV_TRY(flush(ctx, state));
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_TREE_STATISTICS);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "rows", state->rows);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "log_likelihood", state->log_likelihood);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	tlv_frame_add(builder, "counts", TLV_FLOAT64, state->entries, 1, state->counts);
	return TLV_OK;
}

static tlv_status
statistics_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *counts = tlv_frame_find(frame, "counts");

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	TLV_TRY(tlv_frame_require(ctx, frame, "log_likelihood", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "model"));
	if (counts == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"counts\" is missing");
	TLV_TRY(tlv_frame_require(ctx, frame, "counts", TLV_FLOAT64, counts->rows, 1, NULL));
	return tlv_frame_require_minimum(ctx, frame, "counts", 0);
}

static const tlv_accumulator_class statistics_class = {
	.name = "tree_statistics",
	.create = statistics_create,
	.merge = statistics_merge,
	.build = statistics_build,
	.rows = TLV_ROW_CODES,
	.add = statistics_add,
};
const tlv_kind tlv_kind_tree_statistics = {TLV_KIND_LINE(TREE_STATISTICS, tree_statistics),
										   .check = statistics_check,
										   .accumulator = &statistics_class};

/* ---- the model after the step ---- */

/* Every row of counts, with the prior, as shares. */
static void
share_counts(const tlv_tree_parts *parts, const double *counts, double *tables)
{
	size_t at = 0;

	for (size_t v = 0; v < parts->nodes; v++)
	{
		size_t states = (size_t) parts->states[v];
		size_t rows = parts->parent[v] < 0 ? 1 : (size_t) parts->states[parts->parent[v]];

		for (size_t x = 0; x < rows; x++, at += states)
		{
			double sum = (double) states * TLV_TREE_PRIOR;

			for (size_t y = 0; y < states; y++)
				sum += counts[at + y];
			for (size_t y = 0; y < states; y++)
				tables[at + y] = (counts[at + y] + TLV_TREE_PRIOR) / sum;
			tlv_assert(tlv_is_distribution(states, tables + at, 1));
		}
	}
}

static tlv_status
refuse_statistics(tlv_context *ctx, bool gaussian, bool complete)
{
	if (gaussian)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"a tree of numbers is fitted to moments and not updated");
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "a tree %s parameters is updated with %s only",
					complete ? "with" : "without", complete ? "tree_statistics" : "tree_triples");
}

tlv_status
tlv_tree_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, void **image,
				size_t *size)
{
	static const char *const replaced[] = {"log_likelihood", "log_likelihood_per_row",
										   "refinement_steps", NULL};
	double rows = tlv_frame_scalar(statistics, "rows", 0);
	double log_likelihood = tlv_frame_scalar(statistics, "log_likelihood", 0);
	tlv_diagnostics diagnostics = {0};
	tlv_tree_parts parts;
	double *tables;

	tlv_tree_read(model, &parts);
	if (parts.gaussian ||
		statistics->header->kind !=
			(parts.tables != NULL ? TLV_KIND_TREE_STATISTICS : TLV_KIND_TREE_TRIPLES))
		return refuse_statistics(ctx, parts.gaussian, parts.tables != NULL);
	if (!tlv_digest_equal(tlv_frame_digest(statistics, "model"), &model->header->digest))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the statistics were collected under another model");
	if (rows == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the statistics hold no row");
	if (parts.tables == NULL)
		return tlv_tree_complete(ctx, model, statistics, image, size);
	if (tlv_frame_find(statistics, "counts")->rows != parts.entries)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the statistics are not of this model");
	tables = tlv_alloc(ctx, parts.entries, sizeof(double));
	TLV_TRY_ALLOC(ctx, tables);
	share_counts(&parts, tlv_frame_float64(statistics, "counts"), tables);
	parts.tables = tables;
	parts.steps++;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, replaced));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, parts.steps, "refinement_steps"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, log_likelihood, "log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, log_likelihood / rows, "log_likelihood_per_row"));
	TLV_TRY(tlv_tree_write(ctx, &parts, image, size));
	tlv_free(ctx, tables);
	return TLV_OK;
}
