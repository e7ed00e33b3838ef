/*
 * test_refuse.c - fits of communities that are refused, interrupted or
 * short of memory, fits of odd graphs, and the same bits from the same seed.
 */
#include "mmsb_fixture.h"

/* ---- what is refused ---- */

TEST(test_refused)
{
	world w = simulate(plain);
	tlv_mmsb_options options = options_of(4, -1);
	int64_t nodes[2] = {7, 1000000};
	int32_t label[2] = {1, 2};
	void *image;
	size_t size;
	dense g = dense_graph(8, 8);
	tlv_frame graph;

	assert_fails(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size), TLV_BAD_PARAMETER,
				 "alpha0 = -1");
	options.alpha0 = NAN;
	assert_fails(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size), TLV_BAD_PARAMETER,
				 "alpha0 = ");
	options.alpha0 = 1;
	options.refine = TLV_MMSB_REFINE_LIKELIHOOD;
	assert_fails(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size), TLV_BAD_PARAMETER,
				 "alpha0 = 0");
	options = options_of(1001, 0);
	assert_fails(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size), TLV_LIMIT, "1001");
	options = options_of(4, 0);
	options.n_labels = 2;
	options.label_nodes = nodes;
	options.label = label;
	label[0] = 4;
	assert_fails(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size), TLV_BAD_PARAMETER,
				 "label 5 of node 7");
	label[0] = 1;
	nodes[0] = 999999;
	assert_fails(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size), TLV_BAD_DATA,
				 "none of the 2 labels");
	options = options_of(2, 0);
	memset(g.g, 0, 64 * sizeof(double));
	graph = stored_graph(&g, TLV_GRAPH_UNDIRECTED, false);
	assert_fails(tlv_mmsb_fit(&ctx, &graph, &options, &image, &size), TLV_BAD_DATA, "no edges");
	/* weights whose cubes leave single precision, where they count */
	options.edges = TLV_EDGES_POISSON;
	for (size_t i = 0; i < 64; i++)
		g.g[i] = i % 9 != 0 ? (i == 1 || i == 8 ? 1e20 : 1) : 0;
	graph = stored_graph(&g, TLV_GRAPH_UNDIRECTED, true);
	assert_fails(tlv_mmsb_fit(&ctx, &graph, &options, &image, &size), TLV_BAD_DATA, "weight 1e+20");
	options.edges = TLV_EDGES_BERNOULLI;
	assert_ok(tlv_mmsb_fit(&ctx, &graph, &options, &image, &size));
}

/* Small graphs of every shape give a model or an error of the data, never anything else. */
TEST(test_odd_graphs)
{
	for (int trial = 0; trial < 400; trial += EVERY(4))
	{
		size_t rows = 2 + tlv_rng_below(&rng, 12), columns = 2 + tlv_rng_below(&rng, 12);
		tlv_graph_kind kind = (tlv_graph_kind) (1 + tlv_rng_below(&rng, 3));
		bool weighted = tlv_rng_below(&rng, 2) == 1;
		tlv_mmsb_options options =
			options_of(tlv_rng_below(&rng, 6), 0.5 * (double) tlv_rng_below(&rng, 3));
		dense g;
		tlv_frame graph;
		tlv_status status;
		void *image;
		size_t size;

		columns = kind == TLV_GRAPH_BIPARTITE ? columns : rows;
		g = random_dense(rows, columns, kind == TLV_GRAPH_UNDIRECTED, weighted,
						 1 + tlv_rng_below(&rng, 3), tlv_rng_uniform(&rng), tlv_rng_uniform(&rng));
		if (weighted && trial % 3 == 0)
			for (size_t i = 0; i < rows * columns; i++)
				g.g[i] *= pow(10, 8 - (double) tlv_rng_below(&rng, 17));
		graph = stored_graph(&g, kind, weighted);
		options.max_k = 1 + tlv_rng_below(&rng, 10);
		options.degree_corrected = tlv_rng_below(&rng, 2) == 1;
		options.refine = (tlv_mmsb_refinement) (options.alpha0 > 0 ? tlv_rng_below(&rng, 2)
																   : tlv_rng_below(&rng, 4));
		options.edges = (tlv_edge_model) tlv_rng_below(&rng, 3);
		options.seed = (uint64_t) trial;
		status = tlv_mmsb_fit(&ctx, &graph, &options, &image, &size);
		if (status == TLV_OK)
		{
			tlv_frame model = frame_of(image, size);
			tlv_mmsb_parts parts;

			assert_ok(tlv_mmsb_read(&ctx, &model, &parts));
			check_parts(&parts);
		}
		else if (status != TLV_BAD_DATA && status != TLV_BAD_PARAMETER)
			fail_msg("trial %d: %s", trial, ctx.error.message);
		else if (strstr(ctx.error.message, "finite") != NULL)
			fail_msg("trial %d: %s", trial, ctx.error.message);
		pool_reset(&memory, &ctx);
	}
}

/* ---- the same bits, memory, interrupts ---- */

TEST(test_same_bits)
{
	tlv_mmsb_simulation o = plain;
	world w;

	o.nodes = 300;
	w = simulate(o);
	for (int mixed = 0; mixed < 2; mixed++)
	{
		fitted a = fit(&w, options_of(0, mixed)), b = fit(&w, options_of(0, mixed));

		assert_same_bytes(a.frame, b.frame);
	}
}

static world
small_world(int kind)
{
	tlv_mmsb_simulation o = plain;

	o.nodes = 120;
	o.targets = 90;
	o.k = 3;
	o.within = 0.5;
	o.between = 0.05;
	o.graph = (tlv_graph_kind) kind;
	return simulate(o);
}

static tlv_mmsb_options
small_options(int which)
{
	tlv_mmsb_options options = options_of(which == 0 ? 0 : 3, which == 1 ? 0.5 : 0);

	options.max_k = 6;
	options.degree_corrected = which == 2;
	return options;
}

TEST(test_cancel)
{
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int which = 0; which < 4; which++)
		{
			world w = small_world(kind);
			tlv_mmsb_options options = small_options(which);
			void *image;
			size_t size;

			assert_cancelled_anywhere(10, 40 / EVERY(4),
									  tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size));
			pool_reset(&memory, &ctx);
		}
}

TEST(test_memory)
{
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int which = 0; which < 4; which++)
		{
			world w = small_world(kind);
			tlv_mmsb_options options = small_options(which);
			size_t before = ctx.arena.used, peak;
			void *image;
			size_t size;

			ctx.arena.peak = before;
			assert_ok(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size));
			peak = ctx.arena.peak - before;
			for (size_t part = 1; part < 20; part += EVERY(6))
				assert_short_of_memory(peak * part / 20,
									   tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size));
			ctx.arena.limit = ctx.arena.used + 3 * peak + 8000000;
			assert_ok(tlv_mmsb_fit(&ctx, &w.graph, &options, &image, &size));
			pool_reset(&memory, &ctx);
		}
}

RUN_TESTS(setup, teardown)
