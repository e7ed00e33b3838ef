/*
 * network.c - seeds of networks, what is on together, and their statistics.
 */
#include "seeds.h"

#include "tensorlv/model/network.h"

static tlv_frame
collect_sets(const char *name, tlv_accumulator *accumulator)
{
	static const int64_t sets[][4] = {{1, 2, 3, 4}, {2, 3, 4, 5}, {1, 2, 3, 9}, {7, 8, 9, 1}};

	for (int i = 0; i < 4; i++)
		must(tlv_add(&ctx, accumulator, TLV_AS_SYMBOLS(4, sets[i])));
	return save_collected(name, accumulator);
}

/* A network for simulation, counts, a network of two layers, statistics under it, and a step. */
SEEDS(network)
{
	tlv_network_simulation simulation = {.items = 9,
										 .layers = 2,
										 .units = (size_t[]){4, 2},
										 .children = 2,
										 .density = 0.3,
										 .negative = 0.3,
										 .seed = 1};
	const tlv_statistic counts = {.aggregate = &tlv_aggregate_cofire};
	tlv_accumulator *accumulator;
	tlv_frame model, statistics;
	tlv_model *open;
	void *image;
	size_t size;

	must(tlv_network_simulate_model(&ctx, &simulation, &image, &size));
	model = save_frame("network-simulation", image, size);
	must(tlv_statistic_create(&ctx, &counts, &accumulator));
	(void) collect_sets("cofire", accumulator);
	must(tlv_kind_network.model->open(&ctx, &model, &open));
	must(tlv_kind_network.model->statistics(&ctx, open, NULL, &accumulator));
	statistics = collect_sets("network-statistics", accumulator);
	must(tlv_kind_network.model->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image,
										&size));
	save_frame("network", image, size);
}
