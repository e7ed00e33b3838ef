/*
 * support.c - which communities are real: those that come again from three quarters of the edges
 * (support.h, errors.h).
 */
#include <math.h>
#include <string.h>

#include "errors.h"
#include "tensorlv/model/support.h"
#include "tensorlv/num/rng.h"

typedef struct graph_support
{
	const tlv_frame *model, *graph;
	tlv_mmsb_parts parts;
	tlv_mmsb_options options;
	double *apart; /* k: sums of distances to the partners */
} graph_support;

/* The graph without a quarter of its edges. */
static tlv_status
mmsb_leave_out(tlv_context *ctx, const graph_support *state, uint64_t part, tlv_frame *rest)
{
	/* Nodes and edges between two looks at tlv_should_stop(). */
	const int steps_between = 4096;
	tlv_graph_cursor *cursor;
	tlv_accumulator *edges;
	tlv_graph_header header;
	int64_t ends[2];
	double weight;

	tlv_graph_read_header(state->graph, &header);
	TLV_TRY(tlv_graph_accumulator_create(ctx, header.kind, header.weighted, &edges));
	TLV_TRY(tlv_graph_cursor_open(ctx, state->graph, &cursor));
	for (size_t e = 0; tlv_graph_cursor_next(cursor, &ends[0], &ends[1], &weight); e++)
	{
		uint64_t key = tlv_mix64(tlv_fingerprint(ends, sizeof(ends), state->options.seed));

		if (e % steps_between == 0)
			TLV_TRY_CONTINUE(ctx);
		if (key % TLV_SUPPORT_PARTS != part)
			TLV_TRY(tlv_add(ctx, edges, TLV_AS_EDGE(ends[0], ends[1], weight)));
	}
	tlv_graph_cursor_close(ctx, cursor);
	return tlv_mmsb_finish_graph(ctx, edges, rest);
}

static tlv_status
mmsb_learn_without(tlv_context *ctx, const graph_support *state, uint64_t part)
{
	tlv_mmsb_options options = state->options;
	tlv_frame rest, fit;
	tlv_match match;
	size_t size;
	void *image;

	options.seed += part + 1;
	TLV_TRY(mmsb_leave_out(ctx, state, part, &rest));
	TLV_TRY(tlv_mmsb_fit(ctx, &rest, &options, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, &fit));
	TLV_TRY(tlv_model_match(ctx, state->model, &fit, &match));
	for (size_t a = 0; a < state->parts.k; a++)
		state->apart[a] += (match.component[a] >= 0 ? match.distance[a] : 1) / TLV_SUPPORT_PARTS;
	return TLV_OK;
}

/* known: false where a part has no fit. */
static tlv_status
mmsb_learn_parts(tlv_context *ctx, graph_support *state, bool *known)
{
	*known = true;
	for (uint64_t part = 0; *known && part < TLV_SUPPORT_PARTS; part++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_report(ctx, "support", (double) part, TLV_SUPPORT_PARTS);
		tlv_scratch_begin(ctx, &scratch);
		status = mmsb_learn_without(ctx, state, part);
		tlv_scratch_end(ctx, &scratch);
		*known = status != TLV_BAD_DATA && status != TLV_BAD_PARAMETER &&
				 status != TLV_NOT_IDENTIFIABLE && status != TLV_MEMORY_LIMIT &&
				 status != TLV_LIMIT; /* else there is no telling */
		if (*known)
			TLV_TRY(status);
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_support(tlv_context *ctx, const tlv_frame *model, const tlv_frame *graph,
				 const tlv_mmsb_options *options, void **image, size_t *size)
{
	graph_support state = {.model = model, .graph = graph};
	tlv_diagnostics all = {0};
	bool known;

	TLV_TRY(tlv_mmsb_read(ctx, model, &state.parts));
	state.options = tlv_mmsb_options_of(&state.parts, options);
	TLV_TRY_NEW0(ctx, state.apart, state.parts.k);
	TLV_TRY(mmsb_learn_parts(ctx, &state, &known));
	for (size_t a = 0; !known && a < state.parts.k; a++)
		state.apart[a] = NAN;
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, model, NULL));
	TLV_TRY(tlv_support_diagnose(ctx, "community", "spurious_component", "edges", state.parts.k,
								 state.apart, &all));
	return tlv_diagnostics_rewrite(ctx, model, &all, image, size);
}
