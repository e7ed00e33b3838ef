/*
 * dense.c - seeds of moments of vectors, their subspaces, and samples of rows.
 */
#include "seeds.h"

#include <stdio.h>

#include "tensorlv/model/dense.h"

SEEDS(dense)
{
	const tlv_statistic sample = {.aggregate = &tlv_aggregate_row_sample, .count = 8, .seed = 1};
	tlv_accumulator *drawn;

	must(tlv_statistic_create(&ctx, &sample, &drawn));
	collect_vectors("row-sample", drawn);
	for (int order = 2; order <= 4; order++)
	{
		tlv_accumulator *accumulator;
		tlv_frame frame;
		char name[40];
		void *image;
		size_t size;

		must(tlv_dense_moments_create(&ctx, order, &accumulator));
		snprintf(name, sizeof(name), "vectors-%d", order);
		frame = collect_vectors(name, accumulator);
		must(tlv_dense_subspace(&ctx, &frame, 2, &image, &size));
		snprintf(name, sizeof(name), "vector-subspace-%d", order);
		frame = save_frame(name, image, size);
		must(tlv_dense_compressed_create_order(&ctx, &frame, order, &accumulator));
		snprintf(name, sizeof(name), "compressed-%d", order);
		collect_vectors(name, accumulator);
	}
}
