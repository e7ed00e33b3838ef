/*
 * tree_apply.c - posteriors of hidden nodes and missing variables as rows, and rows drawn from a
 * tree.
 */
#include "tree.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "rows/any.h"
#include "rows/vectors.h"
#include "server/arguments.h"

/* ---- posteriors ---- */

/* Rows of states: of hidden nodes first, then of what is missing. */
static void
put_states(FunctionCallInfo fcinfo, TlvModelCache *cache, const tlv_tree_parts *parts,
		   char *const *names, const tlv_row *row)
{
	const TlvTreeStates states = TlvTreeStatesOf(parts);
	const TlvCell none = {.isnull = true};
	const double *probability;

	TlvCheck(&cache->ctx, tlv_model_infer(&cache->ctx, cache->model, row, &cache->posterior));
	probability = cache->posterior.values;
	for (size_t i = 0; i < parts->nodes; i++)
	{
		size_t v = i < parts->nodes - parts->p ? parts->p + i : i - (parts->nodes - parts->p);

		if (v < parts->p && row->part[0].codes[v] >= 0)
			continue;
		for (int64_t x = 0; x < parts->states[v]; x++)
			TlvPutRow(fcinfo, TlvText(names[v]), TlvTreeState(&states, v, x),
					  TlvTreeStateName(&states, v, x), TlvFloat8(*probability++), none, none, none);
	}
	pfree(states.first);
}

static void
put_moments(FunctionCallInfo fcinfo, const char *node, int64_t dimension, double mean,
			double variance)
{
	const TlvCell none = {.isnull = true};

	TlvPutRow(fcinfo, TlvText(node), none, none, none, TlvInt4((int32) dimension), TlvFloat8(mean),
			  TlvFloat8(variance));
}

/* Rows of numbers, in the same order. */
static void
tree_apply_put_numbers(FunctionCallInfo fcinfo, TlvModelCache *cache, const tlv_tree_parts *parts,
					   char *const *names, const tlv_row *row)
{
	const tlv_part *part = &row->part[0];
	tlv_posterior means = {0}, variances = {0};
	int64_t *seen = palloc0(parts->p * sizeof(int64_t));
	size_t at = 0;

	TlvCheck(&cache->ctx, tlv_tree_infer_gaussian(&cache->ctx, cache->model, part->d, part->float64,
												  &means, &variances));
	for (size_t v = parts->p; v < parts->nodes; v++)
		for (int64_t i = 1; i <= parts->states[v]; i++, at++)
			put_moments(fcinfo, names[v], i, means.values[at], variances.values[at]);
	for (size_t j = 0; j < part->d; j++)
	{
		int64_t v = parts->column[j];

		seen[v]++;
		if (!part->missing[j])
			continue;
		put_moments(fcinfo, names[v], seen[v], means.values[at], variances.values[at]);
		at++;
	}
	tlv_posterior_free(&cache->ctx, &means);
	tlv_posterior_free(&cache->ctx, &variances);
	pfree(seen);
}

/* tlv_tree_posterior(model, x): rows (node, state, state_name, probability, dimension, mean,
 * variance); what
 * is not of the tree's states, or numbers, is NULL. */
TLV_FUNCTION(tlv_tree_posterior)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	TlvRowCursor cursor;
	tlv_tree_parts parts;
	char **names;

	TlvInitRows(fcinfo);
	TlvRequireKind(&model->frame, &tlv_kind_tree, "tlv_tree_posterior");
	tlv_tree_read(&model->frame, &parts);
	names = TlvTreeNames(&cache->ctx, &parts);
	(void) TlvAnyOpen(fcinfo, 1, model, model->rows, "tlv_tree_posterior", &cursor);
	(void) TlvCursorNext(&cursor);
	if (parts.gaussian)
		tree_apply_put_numbers(fcinfo, cache, &parts, names, &cursor.row);
	else
		put_states(fcinfo, cache, &parts, names, &cursor.row);
	TlvCursorClose(&cursor);
	tlv_tree_names_free(&cache->ctx, names);
	TlvCachedModelEnd(cache);
	return (Datum) 0;
}

/* ---- simulation ---- */

/* tlv_simulate_tree_model(variables, states, kind, observed_states, contractions, low, high, seed)
 */
TLV_FUNCTION(tlv_simulate_tree_model)
{
	static const char *const kinds[] = {"categorical", "gaussian", NULL};
	size_t p = TlvNamedCount(fcinfo, "variables", 3);
	size_t contractions = TlvNamedCount(fcinfo, "contractions", 0);
	tlv_tree_simulation options = {0};
	tlv_tree tree;
	TlvMaker maker;

	options.gaussian = TlvNamedChoice(fcinfo, "kind", kinds, "kind of tree") == 1;
	options.hidden_states = TlvNamedCount(fcinfo, "states", 1);
	options.observed_states = TlvArgumentIsNull(fcinfo, "observed_states")
								  ? options.hidden_states
								  : TlvNamedCount(fcinfo, "observed_states", 2);
	options.low = TlvArgumentIsNull(fcinfo, "low") ? 0.6 : TlvNamedNumber(fcinfo, "low");
	options.high = TlvArgumentIsNull(fcinfo, "high") ? 0.9 : TlvNamedNumber(fcinfo, "high");
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_tree_random(maker.ctx, p, contractions, options.seed, &tree));
	TlvCheck(maker.ctx,
			 tlv_tree_simulate_model(maker.ctx, &tree, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* A row of codes as tlv_impute gives it: of ranges their means. */
static void
numbers_of_codes(const tlv_tree_parts *parts, const int32_t *codes, double *x)
{
	const tlv_code_names names = tlv_tree_category_names(parts);

	for (size_t v = 0, first = 0; v < parts->p; first += (size_t) parts->states[v++])
		x[v] = tlv_code_is_ranged(&names, v) ? names.ranges.centres[first + (size_t) codes[v]]
											 : (double) tlv_code_number(&names, v, first, codes[v]);
}

/* tlv_simulate_tree(model, rows, seed): rows (id, v, hidden, x) */
TLV_FUNCTION(tlv_simulate_tree)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_tree, "tlv_simulate_tree");
	size_t rows = TlvNamedCount(fcinfo, "rows", 0);
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	tlv_tree_sampler *sampler;
	tlv_tree_parts parts;
	int32_t *codes;
	double *x;
	tlv_rng rng;
	bool categories, numbers;

	tlv_tree_read(&frame, &parts);
	categories = !parts.gaussian;
	numbers = parts.gaussian || parts.ranges.ranged != NULL;
	tlv_rng_seed(&rng, TlvNamedSeed(fcinfo));
	TlvCheck(&work->ctx, tlv_tree_sampler_create(&work->ctx, &frame, &sampler));
	codes = palloc0(parts.nodes * sizeof(int32_t));
	x = palloc0(Max(parts.columns, parts.p) * sizeof(double));
	TlvInitRows(fcinfo);
	for (size_t r = 0; r < rows; r++)
	{
		tlv_tree_sample(sampler, &rng, codes, x);
		if (categories && numbers)
			numbers_of_codes(&parts, codes, x);
		TlvPutRow(
			fcinfo, TlvInt8((int64) r + 1),
			TlvOwned(categories ? TlvInt4Array(parts.p, codes) : NULL),
			TlvOwned(categories ? TlvInt4Array(parts.nodes - parts.p, codes + parts.p) : NULL),
			TlvOwned(numbers ? TlvFloat8Array(categories ? parts.p : parts.columns, x) : NULL));
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
