/*
 * statistics.c - what rows say of the edges of a network's topmost layer, and the network after it.
 *
 * Rows are encoded by edges of weight 1.  A child of which exactly one unit that is on is a parent
 * of weight 1 should be on, unless another unit that is on has it off: so rows in which it is on
 * speak against an edge of weight -1 from any of these, and rows in which it is off for one
 * (LearnGraph of Ge 2013, algorithm 6.5, with counts in the place of single counter-examples).  A
 * child without such a parent should be off: where it is mostly on with a unit, an edge of weight 1
 * was missed.
 *
 * The stored value (kind network_statistics): scalars "rows", "nulls"; the model's fingerprint
 * "model"; "bits" (children that are on, in all rows), "covered_bits" (those with a parent that is
 * on), "covered" (children with a parent that is on, on or off); "uses" (of every unit, rows in
 * which it is on); and, children x units, of rows in which the unit is on: "single" (the child has
 * one parent that is on), "single_on" (and is on), "reached" (it has one or more), "free_on" (it
 * has none and is on).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/tuning.h"

#define SIZE_UNITS	  TLV_SIZE_1
#define SIZE_CHILDREN TLV_SIZE_2

typedef struct network_state
{
	tlv_declared declared;
	tlv_network_model *model; /* NULL when only stored values are merged */
	const tlv_network_layer_edges *top;
	tlv_digest fingerprint;
	double rows, bits, covered_bits, covered;
	double *uses, *single, *single_on, *reached, *free_on;
	/* a row */
	int32_t *below; /* what is on below the topmost layer */
	size_t below_n;
	bool *on;		  /* of every child */
	int32_t *parents; /* of every child, how many are on; 0 again after every row */
	int32_t *touched;
} network_state;

/* ---- rows ---- */

/* Children with a parent that is on, in touched. */
static size_t
touch_children(network_state *state)
{
	const tlv_network_layer_edges *top = state->top;
	size_t touched = 0;

	for (size_t i = 0; i < state->model->on_n; i++)
	{
		int32_t unit = state->model->on[i];

		state->uses[unit]++;
		for (int64_t e = top->starts[unit]; e < top->middle[unit]; e++)
			if (state->parents[top->child[e]]++ == 0)
				state->touched[touched++] = top->child[e];
	}
	return touched;
}

static tlv_status
count_children(tlv_context *ctx, network_state *state, size_t touched)
{
	size_t children = state->top->children;

	state->bits += (double) state->below_n;
	state->covered += (double) touched;
	for (size_t i = 0; i < touched; i++)
		state->covered_bits += state->on[state->touched[i]];
	for (size_t u = 0; u < state->model->on_n; u++)
	{
		size_t column = (size_t) state->model->on[u] * children;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < touched; i++)
		{
			size_t child = (size_t) state->touched[i];

			state->reached[column + child]++;
			state->single[column + child] += state->parents[child] == 1;
			state->single_on[column + child] += state->parents[child] == 1 && state->on[child];
		}
		for (size_t i = 0; i < state->below_n; i++)
			state->free_on[column + (size_t) state->below[i]] +=
				state->parents[state->below[i]] == 0;
	}
	return TLV_OK;
}

static tlv_status
network_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	network_state *state = (network_state *) accumulator;
	tlv_network_model *model = state->model;
	size_t layers, touched;

	if (model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	if (!tlv_network_row_is_whole(row))
		return tlv_count_one(ctx, "nulls", &accumulator->nulls);
	layers = model->parts.layers_n;
	TLV_TRY(tlv_network_run(ctx, model, row, layers - 1));
	state->below_n = model->on_n;
	memcpy(state->below, model->on, model->on_n * sizeof(int32_t));
	TLV_TRY(tlv_count_one(ctx, "rows", &state->rows));
	TLV_TRY(tlv_network_run(ctx, model, row, layers));
	for (size_t i = 0; i < state->below_n; i++)
		state->on[state->below[i]] = true;
	touched = touch_children(state);
	TLV_TRY(count_children(ctx, state, touched));
	for (size_t i = 0; i < state->below_n; i++)
		state->on[state->below[i]] = false;
	for (size_t i = 0; i < touched; i++)
		state->parents[state->touched[i]] = 0;
	return TLV_OK;
}

#define AT(member) offsetof(network_state, member)
static const tlv_declaration statistics_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"bits", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(bits)},
	{"covered_bits", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(covered_bits)},
	{"covered", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(covered)},
	{"uses", TLV_FLOAT64, SIZE_UNITS, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(uses)},
	{"single", TLV_SPARSE, SIZE_CHILDREN, SIZE_UNITS, TLV_NONNEGATIVE, TLV_SUM, AT(single)},
	{"single_on", TLV_SPARSE, SIZE_CHILDREN, SIZE_UNITS, TLV_NONNEGATIVE, TLV_SUM, AT(single_on)},
	{"reached", TLV_SPARSE, SIZE_CHILDREN, SIZE_UNITS, TLV_NONNEGATIVE, TLV_SUM, AT(reached)},
	{"free_on", TLV_SPARSE, SIZE_CHILDREN, SIZE_UNITS, TLV_NONNEGATIVE, TLV_SUM, AT(free_on)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(network_state),
	.kind = TLV_KIND_NETWORK_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {1, 1},
	.most = {TLV_NETWORK_MOST_UNITS, TLV_NETWORK_MOST_ITEMS},
};

static const tlv_accumulator_class statistics_class = {.name = "network_statistics",
													   TLV_DECLARED(&statistics_sections),
													   .rows = TLV_ROW_BAG | TLV_ROW_SYMBOLS |
															   TLV_ROWS_MISSING_ELEMENTS,
													   .add = network_add};

const tlv_kind tlv_kind_network_statistics = {TLV_KIND_LINE(NETWORK_STATISTICS, network_statistics),
											  .accumulator = &statistics_class};

/* Four numbers of every unit and child. */
static tlv_status
require_numbers(tlv_context *ctx, size_t units, size_t children)
{
	return tlv_require_memory(ctx, 32.0 * (double) units * (double) children,
							  "the statistics of the edges");
}

tlv_status
tlv_network_statistics(tlv_context *ctx, tlv_model *model, const char *method,
					   tlv_accumulator **accumulator)
{
	tlv_network_model *network = (tlv_network_model *) model;
	const tlv_network_layer_edges *top = &network->layer[network->parts.layers_n - 1];
	const size_t sizes[TLV_SIZES] = {top->units, top->children};
	network_state *state;

	if (method != NULL && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "Use 'em'.");
	}
	TLV_TRY(require_numbers(ctx, top->units, top->children));
	TLV_TRY(tlv_sections_create(ctx, &statistics_class, sizes, accumulator));
	state = (network_state *) *accumulator;
	state->model = network;
	state->top = top;
	state->fingerprint = model->frame.header->digest;
	TLV_TRY_NEW(ctx, state->below, top->children);
	TLV_TRY_NEW0(ctx, state->on, top->children);
	TLV_TRY_NEW0(ctx, state->parents, top->children);
	TLV_TRY_NEW(ctx, state->touched, top->children);
	return TLV_OK;
}

/* ---- the step ---- */

/* What a step works on. */
typedef struct network_step
{
	tlv_network_parts parts;
	tlv_network_layer_edges top;
	const tlv_frame *statistics;
	double *uses, *single, *single_on, *reached, *free_on;
	double *base;	   /* of every child: on with one parent that is on */
	double *single_of; /* of every child: such rows */
	bool *positive;	   /* of a unit's children */
	double *weight, *share;
	/* the new edges */
	size_t edges_n, edges_room;
	double unknown; /* pairs of which the rows say too little */
	double changed;
} network_step;

static tlv_status
read_numbers(tlv_context *ctx, const network_step *s, const char *name, double **numbers)
{
	TLV_TRY_NEW_ROWS(ctx, *numbers, s->top.units, s->top.children);
	return tlv_section_numbers(ctx, s->statistics, tlv_frame_find(s->statistics, name), *numbers);
}

/* How often children are on that have one parent of weight 1 on, over all units. */
static tlv_status
measure_children(tlv_context *ctx, network_step *s)
{
	TLV_TRY_NEW0(ctx, s->base, s->top.children);
	TLV_TRY_NEW0(ctx, s->single_of, s->top.children);
	for (size_t u = 0; u < s->top.units; u++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (int64_t e = s->top.starts[u]; e < s->top.middle[u]; e++)
		{
			size_t v = (size_t) s->top.child[e], at = v + u * s->top.children;

			s->single_of[v] += s->single[at];
			s->base[v] += s->single_on[at];
		}
	}
	for (size_t v = 0; v < s->top.children; v++)
		s->base[v] = (s->base[v] + 1) / (s->single_of[v] + 2);
	return TLV_OK;
}

/* The edge of a unit and a child of which the unit is a parent of weight 1 now. */
static void
judge_positive(network_step *s, size_t v, size_t at)
{
	double rows = s->single[at], shown = s->single_on[at];

	s->share[v] = rows > 0 ? fmin(1, shown / rows) : 1;
	s->weight[v] = rows >= TLV_LEAST_EXPECTED && s->share[v] < MAJORITY ? 0 : 1;
}

/* Of others: one of weight 1 that was missed, or one of weight -1, or none. */
static void
judge_other(network_step *s, size_t v, size_t u, size_t at)
{
	double freely = s->uses[u] - s->reached[at], rows = s->single[at], on = s->single_on[at];
	double base = s->base[v], low = STILL_ON * base, evidence;

	s->weight[v] = 0;
	if (freely >= TLV_LEAST_EXPECTED && s->free_on[at] > MAJORITY * freely)
	{
		s->weight[v] = 1;
		s->share[v] = fmin(1, s->free_on[at] / freely);
		return;
	}
	if (s->single_of[v] == 0)
		return;
	evidence = on * log(low / base) + (rows - on) * log((1 - low) / (1 - base));
	if (evidence > TLV_STRONG_EVIDENCE)
	{
		s->weight[v] = -1;
		s->share[v] = (rows - on) / rows;
	}
	else if (evidence > -TLV_STRONG_EVIDENCE)
		s->unknown++;
}

/* A unit keeps its best edges of weight 1 though few or none are shown. */
static void
keep_best(network_step *s, size_t u, size_t n)
{
	while (n < KEPT_EDGES)
	{
		int64_t best = -1;

		for (int64_t e = s->top.starts[u]; e < s->top.middle[u]; e++)
			if (s->weight[s->top.child[e]] <= 0 &&
				(best < 0 || s->share[s->top.child[e]] > s->share[s->top.child[best]]))
				best = e;
		if (best < 0)
			return;
		s->weight[s->top.child[best]] = 1;
		n++;
	}
}

static tlv_status
network_put_edge(tlv_context *ctx, network_step *s, tlv_network_parts *to, size_t unit,
				 size_t child, double weight, double share)
{
	if (s->edges_n == s->edges_room)
	{
		size_t room = 2 * s->edges_room + 1024;

		to->edge_units = tlv_realloc(ctx, to->edge_units, room, sizeof(int64_t));
		TLV_TRY_ALLOC(ctx, to->edge_units);
		to->edge_children = tlv_realloc(ctx, to->edge_children, room, sizeof(int64_t));
		TLV_TRY_ALLOC(ctx, to->edge_children);
		to->edge_weights = tlv_realloc(ctx, to->edge_weights, room, sizeof(double));
		TLV_TRY_ALLOC(ctx, to->edge_weights);
		to->edge_shares = tlv_realloc(ctx, to->edge_shares, room, sizeof(double));
		TLV_TRY_ALLOC(ctx, to->edge_shares);
		s->edges_room = room;
	}
	tlv_assert(to->edge_units != NULL);
	to->edge_units[s->edges_n] = (int64_t) unit;
	to->edge_children[s->edges_n] = (int64_t) child;
	to->edge_weights[s->edges_n] = weight;
	to->edge_shares[s->edges_n++] = share;
	return TLV_OK;
}

static tlv_status
judge_unit(tlv_context *ctx, network_step *s, tlv_network_parts *to, size_t u)
{
	size_t positive = 0, children = s->top.children;

	memset(s->positive, 0, children * sizeof(bool));
	for (int64_t e = s->top.starts[u]; e < s->top.middle[u]; e++)
		s->positive[s->top.child[e]] = true;
	for (size_t v = 0; v < children; v++)
	{
		size_t at = v + u * children;

		if (s->positive[v])
			judge_positive(s, v, at);
		else
			judge_other(s, v, u, at);
		positive += s->weight[v] > 0;
	}
	keep_best(s, u, positive);
	for (size_t v = 0; v < children; v++)
	{
		s->changed += s->positive[v] != (s->weight[v] > 0);
		if (s->weight[v] != 0)
			TLV_TRY(network_put_edge(ctx, s, to, s->top.first + u, s->top.below + v, s->weight[v],
									 s->share[v]));
	}
	return TLV_OK;
}

/* Edges of the layers below stay as they are. */
static tlv_status
judge_edges(tlv_context *ctx, network_step *s, tlv_network_parts *to)
{
	to->edge_units = NULL;
	to->edge_children = NULL;
	to->edge_weights = NULL;
	to->edge_shares = NULL;
	for (size_t i = 0; i < s->parts.edges_n; i++)
		if ((size_t) s->parts.edge_units[i] < s->top.first)
			TLV_TRY(network_put_edge(ctx, s, to, (size_t) s->parts.edge_units[i],
									 (size_t) s->parts.edge_children[i], s->parts.edge_weights[i],
									 s->parts.edge_shares[i]));
	TLV_TRY(measure_children(ctx, s));
	TLV_TRY_NEW(ctx, s->positive, s->top.children);
	TLV_TRY_NEW(ctx, s->weight, s->top.children);
	TLV_TRY_NEW0(ctx, s->share, s->top.children);
	for (size_t u = 0; u < s->top.units; u++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(judge_unit(ctx, s, to, u));
	}
	to->edges_n = s->edges_n;
	return TLV_OK;
}

/* Numbers of the layer, in place of those that it had. */
static tlv_status
network_diagnose_step(tlv_context *ctx, const network_step *s, const tlv_frame *model,
					  tlv_diagnostics *diagnostics)
{
	size_t layer = s->parts.layers_n;
	char names[4][32];
	const char *replaced[] = {names[0], names[1], names[2], names[3], NULL};
	double bits = tlv_frame_scalar(s->statistics, "bits", 0),
		   covered = tlv_frame_scalar(s->statistics, "covered", 0),
		   both = tlv_frame_scalar(s->statistics, "covered_bits", 0);
	const double values[] = {bits > 0 ? (bits - both) / bits : 0,
							 covered > 0 ? (covered - both) / covered : 0, s->unknown, s->changed};

	snprintf(names[0], sizeof(names[0]), "unexplained_%zu", layer);
	snprintf(names[1], sizeof(names[1]), "missing_%zu", layer);
	snprintf(names[2], sizeof(names[2]), "signs_unknown_%zu", layer);
	snprintf(names[3], sizeof(names[3]), "edges_changed_%zu", layer);
	TLV_TRY(tlv_diagnostics_copy(ctx, diagnostics, model, replaced));
	for (int i = 0; i < 4; i++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, values[i], "%s", names[i]));
	return TLV_OK;
}

static tlv_status
network_check_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
						 const network_step *s)
{
	if (statistics->header->kind != TLV_KIND_NETWORK_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "a network");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	if (!(tlv_frame_scalar(statistics, "bits", 0) > 0)) /* no row has an item of the network */
		return tlv_refuse_empty_statistics(ctx);
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	return tlv_frame_require(ctx, statistics, "single", TLV_SPARSE, s->top.children, s->top.units,
							 NULL);
}

tlv_status
tlv_network_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				   const tlv_step *step, void **image, size_t *size)
{
	network_step s = {.statistics = statistics};
	tlv_diagnostics diagnostics = {0};
	tlv_network_parts to;
	double rows;

	if (step->weight < 1)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "weight = %g: the edges of a network have no share in a step", step->weight);
		return tlv_fail_hint(ctx, "Leave weight at 1, and add up statistics with tlv_rollup.");
	}
	tlv_network_read(model, &s.parts);
	TLV_TRY(tlv_network_layer_edges_of(ctx, &s.parts, s.parts.layers_n - 1, &s.top));
	TLV_TRY(network_check_statistics(ctx, model, statistics, &s));
	/* they are laid out here, though a value from elsewhere may hold next to nothing */
	TLV_TRY(require_numbers(ctx, s.top.units, s.top.children));
	TLV_TRY(read_numbers(ctx, &s, "single", &s.single));
	TLV_TRY(read_numbers(ctx, &s, "single_on", &s.single_on));
	TLV_TRY(read_numbers(ctx, &s, "reached", &s.reached));
	TLV_TRY(read_numbers(ctx, &s, "free_on", &s.free_on));
	s.uses = (double *) tlv_frame_float64(statistics, "uses");
	to = s.parts;
	TLV_TRY(judge_edges(ctx, &s, &to));
	to.rows = rows = tlv_frame_scalar(statistics, "rows", 1);
	to.steps++;
	TLV_TRY_NEW(ctx, to.weights, to.units_n);
	memcpy(to.weights, s.parts.weights, to.units_n * sizeof(double));
	for (size_t u = 0; u < s.top.units; u++)
		to.weights[s.top.first + u] = fmin(1, s.uses[u] / rows);
	TLV_TRY(network_diagnose_step(ctx, &s, model, &diagnostics));
	to.diagnostics = &diagnostics;
	return tlv_network_write(ctx, &to, image, size);
}
