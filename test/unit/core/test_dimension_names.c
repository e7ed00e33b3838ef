/*
 * test_dimension_names.c - names of the dimensions of a model: a fit puts them in, a refinement
 * step keeps them, and a model has as many as dimensions or none.
 */
#include "pool_setup.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/source.h"

#define D 3

static const int64_t OFFSETS[D + 2] = {0, 6, 6, 10, 14};
static const char TEXT[] = "lengthmassmore";

static tlv_frame
mixture(void)
{
	return MADE(tlv_gmm_random, 2, D, 4, TLV_COVARIANCE_FULL, 1);
}

/* What a fit to rows of n names makes of the model. */
static tlv_frame
finished(const tlv_frame *model, size_t n, const int64_t *ids)
{
	const tlv_names names = {.n = n, .ids = ids, .offsets = OFFSETS, .text = TEXT};
	const tlv_source rows = {.rows = {.names = &names}};
	tlv_diagnostics none = {0};
	tlv_held held = {0};
	tlv_frame frame;

	assert_ok(tlv_source_finish_after(&ctx, &rows, model, &none, &held));
	assert_ok(tlv_frame_open(&ctx, held.image, held.size, &frame));
	return frame;
}

static void
assert_name(const tlv_frame *frame, size_t i, const char *expected)
{
	const tlv_name_list names = tlv_dimension_names(frame);
	tlv_text name = tlv_name_at(&names, i);

	assert_equal(name.length, strlen(expected));
	assert_memory_equal(name.bytes, expected, name.length);
}

TEST(test_fit)
{
	static const int64_t ids[D] = {1, 2, 3};
	tlv_frame model = mixture(), named = finished(&model, D, NULL), again;

	assert_equal(tlv_model_dimensions(&named), D);
	assert_equal(tlv_dimension_names_found(&named), TLV_DIMENSION_NAMES_SECTIONS);
	assert_name(&named, 0, "length");
	assert_name(&named, 2, "mass");
	assert_null(tlv_name_at(&(tlv_name_list){OFFSETS, TEXT}, 1).bytes);
	/* Names of items, or of another number of columns, are not those of the dimensions. */
	again = finished(&model, D, ids);
	assert_equal(tlv_dimension_names_found(&again), 0);
	again = finished(&model, D - 1, NULL);
	assert_equal(tlv_dimension_names_found(&again), 0);
	again = finished(&named, D, NULL);
	assert_name(&again, 0, "length");
}

/* The model after a step over rows that are vectors. */
static tlv_frame
stepped(const tlv_frame *model)
{
	const tlv_kind *kind = model->kind;
	double x[D] = {1, 2, 3};
	tlv_accumulator *accumulator;
	tlv_frame statistics, after;
	void *image;
	size_t size;
	tlv_model *open = open_model(*model);

	assert_ok(kind->model->statistics(&ctx, open, NULL, &accumulator));
	for (int t = 0; t < 20; t++)
	{
		x[0] = t;
		x[1] = t % 3;
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(D, x)));
	}
	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &statistics));
	after = MADE(tlv_model_update, model, &statistics, 1);
	return after;
}

TEST(test_step)
{
	tlv_frame model = mixture(), named = finished(&model, D, NULL), after;

	after = stepped(&named);
	assert_name(&after, 0, "length");
	assert_name(&after, 2, "mass");
	after = stepped(&model);
	assert_equal(tlv_dimension_names_found(&after), 0);
}

/* The model with such sections, as it comes from outside. */
static tlv_status
validated(const tlv_frame *model, size_t offsets, size_t bytes)
{
	tlv_frame frame;
	void *image;
	size_t size;

	tlv_frame_begin(&builder, TLV_FRAME_MODEL, model->header->kind);
	tlv_frame_add_from(&builder, model, NULL);
	if (offsets > 0)
		tlv_frame_add(&builder, "dimension_name_offsets", TLV_INT64, offsets, 1, OFFSETS);
	if (bytes > 0)
		tlv_frame_add(&builder, "dimension_names", TLV_BYTES, bytes, 1, TEXT);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	return tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &frame);
}

TEST(test_check)
{
	const tlv_hmm_simulation symbols = {
		.k = 2, .symbols = D, .stay = .5, .concentration = 1, .seed = 1};
	tlv_frame model = mixture(), hmm;

	assert_ok(validated(&model, 0, 0));
	assert_ok(validated(&model, D + 1, 10));
	assert_fails(validated(&model, D + 1, 0), TLV_CORRUPT, "one is missing");
	assert_fails(validated(&model, 0, 10), TLV_CORRUPT, "one is missing");
	assert_fails(validated(&model, D + 2, 14), TLV_CORRUPT, "dimension_name_offsets");
	assert_fails(validated(&model, D, 6), TLV_CORRUPT, "dimension_name_offsets");
	assert_fails(validated(&model, D + 1, 9), TLV_CORRUPT, "does not cover");
	/* Symbols have no dimensions. */
	hmm = MADE(tlv_hmm_simulate_model, &symbols);
	assert_equal(tlv_model_dimensions(&hmm), 0);
	assert_ok(validated(&hmm, 0, 0));
	assert_fails(validated(&hmm, D + 1, 10), TLV_CORRUPT, "no dimensions");
}

RUN_TESTS(setup, teardown)
