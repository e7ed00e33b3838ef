/*
 * mmsb.c - seeds of models of communities.
 */
#include "seeds.h"

#include <math.h>
#include <stdio.h>

#include "tensorlv/model/mmsb.h"

/* Models of communities: single and mixed memberships, one and two sides. */
SEEDS(mmsb)
{
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int mixed = 0; mixed < 2; mixed++)
		{
			tlv_mmsb_simulation simulation = {.graph = (tlv_graph_kind) kind,
											  .nodes = 8,
											  .targets = 6,
											  .k = 2,
											  .alpha0 = mixed,
											  .within = 0.5,
											  .between = 0.1,
											  .degree_exponent = NAN,
											  .seed = 1};
			char name[40];
			void *image;
			size_t size;

			must(tlv_mmsb_simulate_model(&ctx, &simulation, &image, &size));
			snprintf(name, sizeof(name), "mmsb-%d-%d", kind, mixed);
			save_frame(name, image, size);
		}
}
