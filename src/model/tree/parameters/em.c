/*
 * em.c - expected pair counts of every edge of a tree of categories, and
 * the model that follows: one step of EM (Dempster, Laird, Rubin 1977) as an aggregate.
 *
 * The value (kind tree_statistics): scalars "rows", "nulls", "log_likelihood"; "model" (its
 * fingerprint); "counts", as the model's tables lie: of roots expected states, of other nodes
 * expected pairs with the parent over the rows in which a leaf is not missing.  A row counts as
 * many times as its weight says.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/step_prior.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/model/sections.h"

/* The size: numbers of the tables. */
#define SIZE_ENTRIES TLV_SIZE_1

typedef struct statistics_state
{
	tlv_declared declared;
	tree_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	double *counts;
	double rows;
	double log_likelihood;
	size_t waiting; /* rows in codes */
	uint8_t *codes; /* p x TREE_BLOCK: other groups of rows share the model */
	double weight[TREE_BLOCK];
} statistics_state;

tlv_status
tlv_tree_statistics(tlv_context *ctx, tlv_model *base, const char *method,
					tlv_accumulator **accumulator)
{
	tree_model *model = (tree_model *) base;
	const size_t sizes[TLV_SIZES] = {model->parts.entries};
	statistics_state *state;

	if (method != NULL && method[0] != '\0' && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\" of trees", method);
		return tlv_fail_hint(ctx, "It is 'em'.");
	}
	if (model->parts.gaussian)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "a tree of numbers is refined on its moments, not on rows");
		return tlv_fail_hint(ctx, "Raise the iterations of tlv_fit_tree.");
	}
	if (model->parts.tables == NULL)
		return tlv_tree_triples_create(ctx, base, accumulator);
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_tree_statistics.accumulator, sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = model;
	state->fingerprint = base->frame.header->digest;
	state->codes = tlv_alloc0(ctx, model->parts.p, TREE_BLOCK);
	TLV_TRY_ALLOC(ctx, state->codes);
	return TLV_OK;
}

/* ---- rows ---- */

static tlv_status
propagate(tlv_context *ctx, statistics_state *state, size_t n, double *log_likelihood)
{
	TLV_TRY(tlv_tree_belief_up(ctx, state->model, n, log_likelihood));
	return tlv_tree_belief_down(ctx, state->model, n, state->weight, state->counts);
}

static tlv_status
tree_statistics_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	statistics_state *state = (statistics_state *) accumulator;
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
	{
		state->log_likelihood += state->weight[r] * log_likelihood[r];
		state->rows += state->weight[r];
	}
	return TLV_OK;
}

static tlv_status
tree_statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	if (tlv_codes_missing(row->part[0].d, row->part[0].codes))
	{
		accumulator->nulls++;
		return TLV_OK;
	}
	TLV_TRY(tlv_tree_belief_row(ctx, state->model, row->part[0].d, row->part[0].codes, state->codes,
								state->waiting));
	state->weight[state->waiting] = tlv_row_weight(row);
	if (++state->waiting == TREE_BLOCK)
		return tree_statistics_flush(ctx, accumulator);
	return TLV_OK;
}

/* ---- stored values ---- */

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(log_likelihood)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"counts", TLV_FLOAT64, SIZE_ENTRIES, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(counts)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_TREE_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {0},
	.most = {TLV_FRAME_MAX_BYTES / sizeof(double)},
	.flush = tree_statistics_flush,
};

static const tlv_accumulator_class statistics_class = {
	.name = "tree_statistics",
	TLV_DECLARED(&statistics_sections),
	.rows = TLV_ROW_CODES,
	.weighting = TLV_WEIGHTING_SUMS,
	.add = tree_statistics_add,
};
const tlv_kind tlv_kind_tree_statistics = {TLV_KIND_LINE(TREE_STATISTICS, tree_statistics),
										   .accumulator = &statistics_class};

/* ---- the model after the step ---- */

/* Every row of counts, with the prior of a step of that weight, as probabilities; a row that seen,
 * the counts of the rows alone, do not contain stays as it is. */
static void
share_counts(const tlv_tree_parts *parts, double weight, const double *seen, const double *counts,
			 double *tables)
{
	double prior = tlv_step_prior(weight, TLV_TREE_PRIOR);
	size_t at = 0;

	for (size_t v = 0; v < parts->nodes; v++)
	{
		size_t states = (size_t) parts->states[v];
		size_t rows = parts->parent[v] < 0 ? 1 : (size_t) parts->states[parts->parent[v]];

		for (size_t x = 0; x < rows; x++, at += states)
		{
			double sum = (double) states * prior, observed = 0;

			for (size_t y = 0; y < states; y++)
			{
				sum += counts[at + y];
				observed += seen[at + y];
			}
			for (size_t y = 0; y < states; y++)
				tables[at + y] = observed < TLV_LEAST_OBSERVATIONS ? parts->tables[at + y]
																   : (counts[at + y] + prior) / sum;
			/* sums of forged counts may overflow; what is written is then made a distribution */
			tlv_assert(!isfinite(sum) || tlv_is_distribution(states, tables + at, 1));
		}
	}
}

/* Probabilities of the states of v, whose parent's are known. */
static void
find_marginal(const tlv_tree_parts *parts, const size_t *offset, const size_t *at, bool *known,
			  size_t v, double *marginals)
{
	const double *table = parts->tables + offset[v];
	size_t states = (size_t) parts->states[v], parents = 1;
	int64_t parent = parts->parent[v];

	for (size_t y = 0; y < states; y++)
		marginals[at[v] + y] = parent < 0 ? table[y] : 0;
	if (parent >= 0)
		parents = (size_t) parts->states[parent];
	for (size_t x = 0; parent >= 0 && x < parents; x++)
		for (size_t y = 0; y < states; y++)
			marginals[at[v] + y] += marginals[at[parent] + x] * table[x * states + y];
	known[v] = true;
}

/* Of every node, parents before children. */
static tlv_status
find_marginals(tlv_context *ctx, const tlv_tree_parts *parts, const size_t *offset,
			   const size_t *at, double *marginals)
{
	size_t *path, n;
	bool *known;

	TLV_TRY_NEW0(ctx, known, parts->nodes);
	TLV_TRY_NEW(ctx, path, parts->nodes);
	for (size_t v = 0; v < parts->nodes; v++)
	{
		n = 0;
		for (int64_t u = (int64_t) v; u >= 0 && !known[u]; u = parts->parent[u])
			path[n++] = (size_t) u;
		while (n > 0)
			find_marginal(parts, offset, at, known, path[--n], marginals);
	}
	tlv_free(ctx, path);
	tlv_free(ctx, known);
	return TLV_OK;
}

/* Counts of weight times the rows, and of 1 - weight times as many of the tree itself, for every
 * variable as many as have a value of it; the tables hold the prior already (step_prior.h). */
static tlv_status
keep_counts(tlv_context *ctx, const tlv_tree_parts *parts, double weight, double *counts)
{
	size_t nodes = parts->nodes, total = 0, *offset, *at;
	double *marginals;

	TLV_TRY_NEW(ctx, offset, 2 * nodes + 1);
	at = offset + nodes + 1;
	tlv_tree_table_offsets(parts, offset);
	for (size_t v = 0; v < nodes; v++)
	{
		at[v] = total;
		total += (size_t) parts->states[v];
	}
	TLV_TRY_NEW(ctx, marginals, total);
	TLV_TRY(find_marginals(ctx, parts, offset, at, marginals));
	for (size_t v = 0; v < nodes; v++)
	{
		size_t states = (size_t) parts->states[v];
		int64_t parent = parts->parent[v];
		double prior = (double) states * TLV_TREE_PRIOR, rows = 0;

		for (size_t i = offset[v]; i < offset[v + 1]; i++)
			rows += counts[i];
		for (size_t i = offset[v]; i < offset[v + 1]; i++)
		{
			double share = parent < 0 ? 1 : marginals[at[parent] + (i - offset[v]) / states];

			counts[i] =
				weight * counts[i] + tlv_step_kept(weight, rows * share, prior) * parts->tables[i];
		}
	}
	tlv_free(ctx, marginals);
	tlv_free(ctx, offset);
	return TLV_OK;
}

static tlv_status
refuse_statistics(tlv_context *ctx, bool gaussian, bool complete)
{
	if (gaussian)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a tree of numbers is fitted to moments and not updated");
		return tlv_fail_hint(
			ctx, "Fit it again to moments of all rows: tlv_fit_tree(tlv_rollup(moments)).");
	}
	tlv_fail(ctx, TLV_BAD_PARAMETER, "a tree %s parameters is updated with %s only",
			 complete ? "with" : "without", complete ? "tree_statistics" : "tree_triples");
	return tlv_fail_hint(ctx, "Collect them with tlv_statistics(values, model).");
}

tlv_status
tlv_tree_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				const tlv_step *step, void **image, size_t *size)
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
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	if (rows == 0)
		return tlv_refuse_empty_statistics(ctx);
	if (parts.tables == NULL)
		return tlv_tree_complete(ctx, model, statistics, image, size);
	if (tlv_frame_find(statistics, "counts")->rows != parts.entries)
		return tlv_refuse_foreign_statistics(ctx);
	TLV_TRY_NEW(ctx, tables, parts.entries);
	memcpy(tables, tlv_frame_float64(statistics, "counts"), parts.entries * sizeof(double));
	if (step->weight < 1)
		TLV_TRY(keep_counts(ctx, &parts, step->weight, tables));
	share_counts(&parts, step->weight, tlv_frame_float64(statistics, "counts"), tables, tables);
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
