/*
 * view_fixture.h - what the tests of multi-view mixtures and hidden Markov
 * models share.
 */
#ifndef TENSORLV_TEST_VIEW_FIXTURE_H
#define TENSORLV_TEST_VIEW_FIXTURE_H

#include "pool_setup.h"
#include "tensorlv/num/optimize.h"

/* The value with one number of a section replaced and the fingerprint made good: is it refused? */
static inline bool
refused_with(tlv_frame frame, const char *section, size_t at, double value)
{
	size_t size = frame.header->size;
	tlv_frame_header *image = room(size, 1);
	tlv_frame copy;
	tlv_status status;

	memcpy(image, frame.header, size);
	assert_ok(tlv_frame_open(&ctx, image, size, &copy));
	((double *) tlv_section_data(&copy, tlv_frame_find(&copy, section)))[at] = value;
	tlv_frame_begin(&builder, (tlv_frame_type) copy.header->type, copy.header->kind);
	builder.owned = NULL;
	tlv_frame_add_from(&builder, &copy, NULL);
	{
		void *again;
		size_t bytes;

		assert_ok(tlv_frame_finish(&ctx, &builder, &again, &bytes));
		status = tlv_kind_validate(&ctx, again, bytes, (tlv_frame_type) copy.header->type, &copy);
	}
	return status == TLV_CORRUPT;
}

/*
 * Components assigned to the truth with the least total distance (L1 or Euclidean); column j of
 * truth is at truth + j * along, its entries `step` apart, and so for found.  Returns the mean.
 */
static inline double
match(size_t k, size_t d, bool euclidean, const double *truth, size_t along, size_t step,
	  const double *found, size_t found_along, size_t found_step, int64_t *assignment)
{
	double *cost = room(k * k, sizeof(double)), total;

	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
		{
			double sum = 0;

			for (size_t i = 0; i < d; i++)
			{
				double difference =
					truth[a * along + i * step] - found[b * found_along + i * found_step];

				sum += euclidean ? difference * difference : fabs(difference);
			}
			cost[a * k + b] = euclidean ? sqrt(sum) : sum;
		}
	assert_ok(tlv_assignment(&ctx, k, k, cost, assignment, &total));
	return total / (double) k;
}

#endif /* TENSORLV_TEST_VIEW_FIXTURE_H */
