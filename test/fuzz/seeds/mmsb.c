/*
 * mmsb.c - seeds of models of communities.
 */
#include "seeds.h"
#include "rows.h"

#include <math.h>
#include <stdio.h>

#include "tensorlv/model/mmsb.h"

/* The same, whose nodes have names. */
static void
save_named(int kind, int mixed, void *image, size_t size)
{
	int64_t offsets[20];
	char bytes[20], name[40];
	tlv_mmsb_parts parts;
	tlv_frame frame;

	must(tlv_frame_open(&ctx, image, size, &frame));
	must(tlv_mmsb_read(&ctx, &frame, &parts));
	for (int i = 0; i < 20; i++)
	{
		offsets[i] = i;
		bytes[i] = (char) ('a' + i);
	}
	for (size_t s = 0; s < parts.sides; s++)
		parts.side[s].names = (tlv_name_list){offsets, bytes};
	must(tlv_mmsb_write(&ctx, &parts, &image, &size));
	snprintf(name, sizeof(name), "mmsb-named-%d-%d", kind, mixed);
	save_frame(name, image, size);
}

/* Statistics of a ring of eight nodes and one more under a model that knows eight. */
static void
save_statistics(void *image, size_t size)
{
	tlv_accumulator *accumulator;
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics};
	tlv_frame model;

	must(tlv_frame_open(&ctx, image, size, &model));
	statistic.constant = &model;
	must(tlv_statistic_create(&ctx, &statistic, &accumulator));
	save_collected("neighbours-none", accumulator);
	for (int64_t u = 1; u <= 9; u++)
	{
		int64_t items[2] = {u < 8 ? u % 8 + 1 : 1, u < 8 ? u % 8 + 2 : 8};
		double weights[2] = {1, 2};
		char bag[256] = {0};

		tlv_bag_write(2, items, weights, bag);
		must(tlv_add(&ctx, accumulator, TLV_AS_NEIGHBOURS(u, bag)));
	}
	save_collected("neighbours", accumulator);
}

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
			if (kind == TLV_GRAPH_UNDIRECTED && mixed == 0)
				save_statistics(image, size);
			save_named(kind, mixed, image, size);
		}
}
