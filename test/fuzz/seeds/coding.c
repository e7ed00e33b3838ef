/*
 * coding.c - seeds of dictionaries and their statistics.
 */
#include "seeds.h"

#include "tensorlv/model/coding.h"

/* A dictionary for simulation, statistics of rows under it, and a step. */
SEEDS(coding)
{
	tlv_coding_simulation simulation = {.d = 3, .k = 4, .sparsity = 2, .seed = 1};
	tlv_accumulator *accumulator;
	tlv_frame model, statistics;
	tlv_model *open;
	void *image;
	size_t size;

	must(tlv_coding_simulate_model(&ctx, &simulation, &image, &size));
	model = save_frame("dictionary-simulation", image, size);
	must(tlv_kind_dictionary.model->open(&ctx, &model, &open));
	must(tlv_kind_dictionary.model->statistics(&ctx, open, NULL, &accumulator));
	statistics = collect_vectors("dictionary-statistics", accumulator);
	must(tlv_kind_dictionary.model->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image,
										   &size));
	save_frame("dictionary", image, size);
}
