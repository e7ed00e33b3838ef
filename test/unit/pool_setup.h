/*
 * pool_setup.h - setup and teardown of a program whose tests share one context over a pool, random
 * numbers from the same seed for each, and values as they are stored.
 */
#ifndef TENSORLV_TEST_POOL_SETUP_H
#define TENSORLV_TEST_POOL_SETUP_H

#include "faults.h"
#include "pool.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"

/* A program may define another seed before it includes this. */
#ifndef RNG_SEED
#define RNG_SEED 5
#endif

static pool memory;
static tlv_context ctx;
static tlv_rng rng;
static tlv_frame_builder builder;

static inline int
setup(void **state)
{
	tlv_num_init();
	pool_init(&memory, &ctx);
	tlv_rng_seed(&rng, RNG_SEED);
	return 0;
}

static inline int
teardown(void **state)
{
	pool_reset(&memory, &ctx);
	return 0;
}

/* n zeroed elements, until the teardown. */
static inline void *
room(size_t n, size_t size)
{
	void *p = tlv_alloc0(&ctx, n, size);

	assert_non_null(p);
	return p;
}

static inline double *
numbers(size_t n)
{
	return room(n, sizeof(double));
}

/* An image as a valid frame of its kind. */
static inline tlv_frame
checked(tlv_frame_type type, void *image, size_t size)
{
	tlv_frame frame;

	assert_ok(tlv_kind_validate(&ctx, image, size, type, &frame));
	return frame;
}

/* The same, of the type that it says. */
static inline tlv_frame
frame_of(void *image, size_t size)
{
	return checked((tlv_frame_type) ((tlv_frame_header *) image)->type, image, size);
}

/* The valid value that a call makes: one that succeeds, begins with the context, and ends in the
 * image and its size. */
#define MADE(function, ...)                                                                        \
	__extension__({                                                                                \
		void *image_;                                                                              \
		size_t size_;                                                                              \
		assert_ok(function(&ctx, __VA_ARGS__, &image_, &size_));                                   \
		frame_of(image_, size_);                                                                   \
	})

/* What validation says of the value with one section replaced; data NULL: without it. */
static inline tlv_status
forged(const tlv_frame *frame, const char *name, tlv_element element, size_t rows, size_t columns,
	   const void *data)
{
	const char *const except[] = {name, NULL};
	const tlv_frame_type type = (tlv_frame_type) frame->header->type;
	tlv_frame again;
	void *image;
	size_t size;

	tlv_frame_begin(&builder, type, frame->header->kind);
	tlv_frame_add_from(&builder, frame, except);
	if (data != NULL)
		tlv_frame_add(&builder, name, element, rows, columns, data);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	return tlv_kind_validate(&ctx, image, size, type, &again);
}

/* The stored value of the accumulator. */
static inline tlv_frame
stored(tlv_accumulator *accumulator)
{
	tlv_frame frame;

	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	frame = MADE(tlv_frame_finish, &builder);
	assert_ptr_equal(frame.kind->accumulator, accumulator->class);
	return frame;
}

/* The model after a whole step on these statistics of rows under it. */
static inline tlv_frame
updated(tlv_frame model, tlv_frame statistics)
{
	return MADE(model.kind->model->update, &model, &statistics, &tlv_whole_step);
}

static inline tlv_model *
open_model(tlv_frame model)
{
	tlv_model *open;

	assert_ok(model.kind->model->open(&ctx, &model, &open));
	return open;
}

/* Sums for a refinement of the model by that method, over no rows yet. */
static inline tlv_accumulator *
statistics_begin(tlv_frame model, const char *method)
{
	tlv_accumulator *accumulator;

	assert_ok(model.kind->model->statistics(&ctx, open_model(model), method, &accumulator));
	return accumulator;
}

/* The sum of n stored values of a kind. */
static inline tlv_frame
merged(size_t n, const tlv_frame *parts)
{
	tlv_accumulator *sum;

	assert_ok(tlv_accumulator_create(&ctx, parts[0].kind->accumulator, &sum));
	for (size_t i = 0; i < n; i++)
		assert_ok(sum->class->merge(&ctx, sum, &parts[i]));
	return stored(sum);
}

/* n numbers, every stride-th, the i-th of them by a factor, and all so that they sum to 1. */
static inline void
scale_one(double *p, size_t n, size_t stride, size_t i, double factor)
{
	double sum = 0;

	p[i * stride] *= factor;
	for (size_t c = 0; c < n; c++)
		sum += p[c * stride];
	for (size_t c = 0; c < n; c++)
		p[c * stride] /= sum;
}

/* Components of the truth that the model has within that distance, one to one. */
static inline int
components_found(tlv_frame truth, tlv_frame model, double distance)
{
	tlv_match match;
	int n = 0;

	assert_ok(tlv_model_match(&ctx, &truth, &model, &match));
	for (size_t j = 0; j < match.k; j++)
		n += match.distance[j] <= distance;
	return n;
}

/* max |a - b| of a section of numbers that both values have, of one shape. */
static inline double
section_difference(tlv_frame a, tlv_frame b, const char *name)
{
	const tlv_section *x = tlv_frame_find(&a, name), *y = tlv_frame_find(&b, name);

	assert_non_null(x);
	assert_non_null(y);
	assert_int_equal(x->rows, y->rows);
	assert_int_equal(x->columns, y->columns);
	return largest_difference(x->rows * x->columns, tlv_section_data(&a, x),
							  tlv_section_data(&b, y));
}

static inline void
assert_same_bytes(tlv_frame a, tlv_frame b)
{
	assert_int_equal(a.header->size, b.header->size);
	assert_memory_equal(a.header, b.header, a.header->size);
}

#endif
