/*
 * test_diagnostics.c - numbers and warnings of a model: written, walked over, copied, refused.
 */
#include "pool_setup.h"
#include "tensorlv/model/diagnostics.h"

/* A frame that holds diagnostics and nothing else. */
static tlv_frame
frame_with(tlv_frame_type type, const tlv_diagnostics *diagnostics)
{
	tlv_frame_builder *builder = tlv_alloc0(&ctx, 1, sizeof(tlv_frame_builder));
	tlv_frame frame;
	void *image;
	size_t size;

	tlv_frame_begin(builder, type, 1);
	tlv_diagnostics_add(diagnostics, builder);
	assert_ok(tlv_frame_finish(&ctx, builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &frame));
	return frame;
}

/* Three numbers and two warnings. */
static tlv_diagnostics
some_diagnostics(void)
{
	tlv_diagnostics list = {0};

	assert_ok(tlv_diagnose(&ctx, &list, 0.25, "residual"));
	assert_ok(tlv_diagnose(&ctx, &list, 3, "value_%d", 1));
	assert_ok(tlv_warn(&ctx, &list,
					   &(tlv_warning){.code = "large_residual", .score = 0.25, .hint = "refine it"},
					   "the residual is above %g", 0.2));
	assert_ok(tlv_diagnose(&ctx, &list, 4, "value_%d", 2));
	assert_ok(tlv_warn(&ctx, &list,
					   &(tlv_warning){.code = "negative_mass", .component = 2, .score = -1},
					   "component 2 has negative mass"));
	return list;
}

TEST(test_walks)
{
	tlv_diagnostics list = some_diagnostics();
	tlv_frame model = frame_with(TLV_FRAME_MODEL, &list);
	tlv_diagnostics_walk walk = tlv_diagnostics_of(&model);
	tlv_warnings_walk warned = tlv_warnings_of(&model);

	assert_ok(tlv_diagnostics_check(&ctx, &model));
	assert_true(tlv_diagnostics_next(&walk));
	assert_string_equal(walk.name, "residual");
	assert_equal(walk.value, 0.25);
	assert_true(tlv_diagnostics_next(&walk));
	assert_string_equal(walk.name, "value_1");
	assert_true(tlv_diagnostics_next(&walk));
	assert_equal(walk.value, 4);
	assert_false(tlv_diagnostics_next(&walk));
	assert_false(tlv_diagnostics_next(&walk));
	assert_true(tlv_warnings_next(&warned));
	assert_string_equal(warned.warning.code, "large_residual");
	assert_string_equal(warned.warning.message, "the residual is above 0.2");
	assert_string_equal(warned.warning.hint, "refine it");
	assert_equal(warned.warning.component, 0);
	assert_equal(warned.warning.score, 0.25);
	assert_true(tlv_warnings_next(&warned));
	assert_string_equal(warned.warning.hint, "");
	assert_equal(warned.warning.component, 2);
	assert_false(tlv_warnings_next(&warned));
}

TEST(test_find)
{
	tlv_diagnostics list = some_diagnostics(), none = {0};
	tlv_frame model = frame_with(TLV_FRAME_MODEL, &list);
	tlv_frame empty = frame_with(TLV_FRAME_MODEL, &none);
	tlv_frame moments = frame_with(TLV_FRAME_MOMENTS, &list);
	tlv_warning warning;

	assert_equal(tlv_diagnostics_find(&model, "value_2", -1), 4);
	assert_true(isnan(diagnostic(model, "value")));
	assert_true(isnan(diagnostic(empty, "residual")));
	assert_true(isnan(diagnostic(moments, "residual")));
	assert_true(model_warns(&model, "negative_mass", &warning));
	assert_equal(warning.score, -1);
	assert_false(model_warns(&model, "negative", NULL));
	assert_false(model_warns(&empty, "negative_mass", NULL));
	assert_false(model_warns(&moments, "negative_mass", NULL));
	assert_null(tlv_frame_find(&empty, "warnings"));
	assert_ok(tlv_diagnostics_check(&ctx, &empty));
}

TEST(test_copies)
{
	static const char *const except[] = {"value_1", "large_residual", NULL};
	tlv_diagnostics list = some_diagnostics(), copy = {0}, numbers = {0};
	tlv_frame model = frame_with(TLV_FRAME_MODEL, &list), copied;

	assert_ok(tlv_diagnostics_copy(&ctx, &copy, &model, except));
	assert_int_equal(copy.n, 2);
	assert_int_equal(copy.warnings, 1);
	assert_ok(tlv_diagnostics_append(&ctx, &copy, &list));
	copied = frame_with(TLV_FRAME_MODEL, &copy);
	assert_ok(tlv_diagnostics_check(&ctx, &copied));
	assert_int_equal(copy.n, 5);
	assert_int_equal(copy.warnings, 3);
	assert_true(model_warns(&copied, "large_residual", NULL));
	assert_ok(tlv_diagnostics_copy_numbers(&ctx, &numbers, &model, NULL));
	assert_int_equal(numbers.n, 3);
	assert_int_equal(numbers.warnings, 0);
	tlv_diagnostics_free(&ctx, &numbers);
	assert_null(numbers.values);
}

TEST(test_permute)
{
	static const int64_t order[] = {1, 0};
	tlv_diagnostics list = some_diagnostics();
	tlv_frame model;

	assert_ok(tlv_diagnostics_permute(&ctx, &list, "value_1", 2, order));
	assert_ok(tlv_diagnostics_permute(&ctx, &list, "other_1", 2, order));
	tlv_diagnostics_replace(&list, "residual", 0.5);
	tlv_diagnostics_replace(&list, "none", 7);
	model = frame_with(TLV_FRAME_MODEL, &list);
	assert_equal(tlv_diagnostics_find(&model, "value_1", -1), 4);
	assert_equal(tlv_diagnostics_find(&model, "value_2", -1), 3);
	assert_equal(tlv_diagnostics_find(&model, "residual", -1), 0.5);
	assert_int_equal(list.n, 3);
}

/* Of a series that lacks a number nobody can say which is whose. */
TEST(test_permute_incomplete)
{
	static const int64_t order[] = {2, 0, 1};
	tlv_diagnostics list = {0};
	tlv_frame model;

	for (int i = 1; i <= 3; i++)
		assert_ok(tlv_diagnose(&ctx, &list, i == 2 ? NAN : i, "broken_%d", i));
	for (int i = 1; i <= 3; i++)
		assert_ok(tlv_diagnose(&ctx, &list, 10 * i, "whole_%d", i));
	assert_ok(tlv_diagnostics_permute(&ctx, &list, "broken_1", 3, order));
	assert_ok(tlv_diagnostics_permute(&ctx, &list, "whole_1", 3, order));
	model = frame_with(TLV_FRAME_MODEL, &list);
	assert_ok(tlv_diagnostics_check(&ctx, &model));
	assert_int_equal(list.n, 3);
	assert_equal(tlv_diagnostics_find(&model, "broken_1", -1), -1);
	assert_equal(tlv_diagnostics_find(&model, "whole_1", -1), 30);
	assert_equal(tlv_diagnostics_find(&model, "whole_2", -1), 10);
	assert_equal(tlv_diagnostics_find(&model, "whole_3", -1), 20);
}

/* What could not be stored, or would be too much, is left out; long texts are cut. */
TEST(test_bounds)
{
	tlv_diagnostics list = {0};
	char text[2000];
	tlv_frame model;

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_ok(tlv_diagnose(&ctx, &list, NAN, "nothing"));
	assert_ok(tlv_warn(&ctx, &list, &(tlv_warning){.code = "nothing", .score = HUGE_VAL}, "x"));
	assert_int_equal(list.n + list.warnings, 0);
	for (int i = 0; i < TLV_DIAGNOSTICS_MAX + 5; i++)
		assert_ok(tlv_diagnose(&ctx, &list, i, "n_%d", i));
	for (int i = 0; i < TLV_WARNINGS_MAX + 5; i++)
		assert_ok(tlv_warn(&ctx, &list, &(tlv_warning){.code = "long"}, "%s", text));
	assert_int_equal(list.n, TLV_DIAGNOSTICS_MAX);
	assert_int_equal(list.warnings, TLV_WARNINGS_MAX);
	model = frame_with(TLV_FRAME_MODEL, &list);
	assert_ok(tlv_diagnostics_check(&ctx, &model));
	assert_equal(tlv_diagnostics_find(&model, "n_4000", -1), 4000);
}

/* A frame of those sections. */
static tlv_status
check_sections(const char *names, size_t names_length, size_t values, const char *texts,
			   size_t texts_length, size_t warnings, double component)
{
	tlv_frame_builder *builder = tlv_alloc0(&ctx, 1, sizeof(tlv_frame_builder));
	static double numbers[16];
	double marks[8] = {component, 0, component, 0, component, 0, component, 0};
	tlv_frame frame;
	void *image;
	size_t size;

	tlv_frame_begin(builder, TLV_FRAME_MODEL, 1);
	tlv_frame_add(builder, "diagnostics", TLV_FLOAT64, values, 1, numbers);
	tlv_frame_add(builder, "diagnostic_names", TLV_BYTES, names_length, 1, names);
	if (texts != NULL)
		tlv_frame_add(builder, "warning_texts", TLV_BYTES, texts_length, 1, texts);
	if (warnings > 0)
		tlv_frame_add(builder, "warnings", TLV_FLOAT64, 2, warnings, marks);
	assert_ok(tlv_frame_finish(&ctx, builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &frame));
	return tlv_diagnostics_check(&ctx, &frame);
}

TEST(test_refuse)
{
	assert_ok(check_sections("a\0b", 4, 2, "c\0m\0", 5, 1, 0));
	assert_int_equal(check_sections("a\0b", 4, 1, NULL, 0, 0, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a\0b", 3, 1, NULL, 0, 0, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a\0\n", 4, 2, NULL, 0, 0, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a", 2, 1, "c\0m\0", 5, 0, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a", 2, 1, NULL, 0, 1, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a", 2, 1, "c\0m\0", 5, 2, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a", 2, 1, "c\0m\0", 4, 1, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a", 2, 1, "c\0m\0h", 5, 1, 0), TLV_CORRUPT);
	assert_int_equal(check_sections("a", 2, 1, "c\0m\0", 5, 1, 0.5), TLV_CORRUPT);
	assert_int_equal(check_sections("a", 2, 1, "c\0m\0", 5, 1, -1), TLV_CORRUPT);
}

/* One of each of so many components, of one code, and one of the whole model before and behind. */
static tlv_diagnostics
told_of(size_t components)
{
	const tlv_warning whole = {.code = "negative_mass", .score = 0.5};
	tlv_diagnostics list = {0}, told = {0};
	tlv_frame frame;

	assert_ok(tlv_warn(&ctx, &list, &whole, "before"));
	for (size_t j = 1; j <= components; j++)
	{
		assert_ok(tlv_warn(
			&ctx, &list,
			&(tlv_warning){
				.code = "negative_mass", .component = 2 * j, .score = 0.25, .hint = "refine it"},
			"component %zu has 25%% below 0", 2 * j));
		assert_ok(tlv_warn(&ctx, &list,
						   &(tlv_warning){.code = "negative_mass",
										  .component = 2 * j,
										  .score = 1,
										  .hint = j % 2 == 0 ? "leave it" : "refine it, too"},
						   "another"));
	}
	assert_ok(tlv_warn(&ctx, &list, &whole, "behind"));
	frame = frame_with(TLV_FRAME_MODEL, &list);
	assert_ok(tlv_warnings_tell(&ctx, &frame, &told));
	return told;
}

/* Ten are told one by one; eleven that are alike in code and hint at once. */
TEST(test_tell)
{
	tlv_diagnostics few = told_of(10), many = told_of(12);
	tlv_warnings_walk walk = tlv_warnings_of_list(&few);

	assert_int_equal(few.warnings, 22);
	assert_true(tlv_warnings_next(&walk) && tlv_warnings_next(&walk));
	assert_int_equal(walk.warning.component, 2);
	assert_string_equal(walk.warning.message, "component 2 has 25% below 0");
	assert_int_equal(many.warnings, 1 + 1 + 12 + 1);
	walk = tlv_warnings_of_list(&many);
	assert_true(tlv_warnings_next(&walk));
	assert_string_equal(walk.warning.message, "before");
	assert_true(tlv_warnings_next(&walk));
	assert_int_equal(walk.warning.component, 0);
	assert_true(walk.warning.score == 12);
	assert_string_equal(walk.warning.code, "negative_mass");
	assert_string_equal(walk.warning.hint, "refine it");
	assert_string_equal(
		walk.warning.message,
		"component 2 has 25% below 0 (12 components in all: 2, 4, 6, 8, 10 and 7 more)");
	assert_true(tlv_warnings_next(&walk));
	assert_int_equal(walk.warning.component, 2);
	while (tlv_warnings_next(&walk))
		;
	assert_string_equal(walk.warning.message, "behind");
}

/* A list that is full says how many there are at least. */
TEST(test_tell_full)
{
	tlv_diagnostics list = {0}, told = {0};
	tlv_warnings_walk walk;
	tlv_frame frame;

	for (size_t j = 1; j <= TLV_WARNINGS_MAX + 3; j++)
		assert_ok(tlv_warn(&ctx, &list, &(tlv_warning){.code = "empty_component", .component = j},
						   "no row uses atom %zu", j));
	frame = frame_with(TLV_FRAME_MODEL, &list);
	assert_ok(tlv_warnings_tell(&ctx, &frame, &told));
	walk = tlv_warnings_of_list(&told);
	assert_int_equal(told.warnings, 1);
	assert_true(tlv_warnings_next(&walk));
	assert_string_equal(walk.warning.message,
						"no row uses atom 1 (at least 1024 components in all: 1, 2, 3, 4, 5 and "
						"1019 more)");
}

RUN_TESTS(setup, teardown)
