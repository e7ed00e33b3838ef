/*
 * graph.c - seeds of graphs, as images and in the other forms that their harness reads.
 */
#include "seeds.h"
#include "rows.h"

#include <stdio.h>

#include "tensorlv/model/graph.h"

/* The three kinds with each form of weights, as images; edges; sections. */
SEEDS(graph)
{
	static const double scales[] = {0, 1, 0.25};
	/* undirected, 1 edge of multiplicity 2 between nodes 1 and 5 */
	static const uint8_t sections[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 2, 0,
									   2, 0, 1, 2, 0, 3, 1, 2, 3, 1, 0, 0, 1};
	uint8_t edges[120];

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (size_t form = 0; form < 3; form++)
		{
			tlv_accumulator *accumulator;
			char name[40];

			must(tlv_graph_accumulator_create(&ctx, (tlv_graph_kind) kind, form > 0, &accumulator));
			for (int64_t i = 0; i < 12; i++)
				must(tlv_add(&ctx, accumulator,
							 TLV_AS_EDGE(i % 5, i * i % 7 - (int64_t) form * 1000,
										 form == 0 ? 1 : 1 + (double) i * scales[form])));
			snprintf(name, sizeof(name), "%s-%zu", accumulator->class->name, form);
			save_collected(name, accumulator);
			must(tlv_add(&ctx, accumulator, TLV_AS_NAMED_EDGE(77, "ada", 99, "bob", 1)));
			must(tlv_add(&ctx, accumulator, TLV_AS_NAMED_EDGE(77, "ada", 3, "", 1)));
			snprintf(name, sizeof(name), "%s-named-%zu", accumulator->class->name, form);
			save_collected(name, accumulator);
		}
	save("graph", "sections", 2, sections, sizeof(sections));
	for (size_t i = 0; i < sizeof(edges); i++)
		edges[i] = (uint8_t) (i < 3 ? i : tlv_rng_below(&rng, 200));
	save("graph", "edges", 3, edges, sizeof(edges));
}
