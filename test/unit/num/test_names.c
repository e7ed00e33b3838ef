/*
 * test_names.c - names of ids: collected, listed, stored, refused.
 */
#include "malloc_setup.h"
#include "tensorlv/num/names.h"

static const tlv_name_sections sections = {"offsets", "bytes"};

static tlv_text
text_of(const char *bytes)
{
	return (tlv_text){bytes, strlen(bytes)};
}

/* A thousand names, of which every seventh is empty and says nothing. */
static void
fill(tlv_name_table *table, int64_t step)
{
	char name[20];

	for (int64_t i = 0; i < 1000; i++)
	{
		snprintf(name, sizeof(name), "%s%d", i % 7 == 0 ? "" : "name", (int) i);
		assert_ok(tlv_name_table_add(&ctx, table, i * step,
									 (tlv_text){name, i % 7 == 0 ? 0 : strlen(name)}));
	}
}

TEST(test_collect)
{
	tlv_name_table table = {0}, copy = {0};
	int64_t ids[1000], *offsets = tlv_alloc(&ctx, 1001, sizeof(int64_t));
	char *bytes;
	tlv_name_list list;

	assert_null(tlv_name_table_find(&table, 5).bytes);
	assert_false(tlv_name_table_list(&table, 0, ids, offsets, NULL));
	fill(&table, INT64_C(1) << 40);
	fill(&table, INT64_C(1) << 40); /* once more: the same */
	assert_int_equal(table.n, 1000 - 143);
	bytes = tlv_alloc(&ctx, table.filled, 1);
	for (size_t i = 0; i < 1000; i++)
		ids[i] = (int64_t) i * (INT64_C(1) << 40);
	assert_true(tlv_name_table_list(&table, 1000, ids, offsets, bytes));
	assert_int_equal(offsets[1000], table.filled);
	list = (tlv_name_list){offsets, bytes};
	assert_null(tlv_name_at(&list, 14).bytes);
	assert_int_equal(tlv_name_at(&list, 15).length, 6);
	assert_memory_equal(tlv_name_at(&list, 15).bytes, "name15", 6);
	/* a list is taken over, and again gives itself */
	assert_ok(tlv_name_table_add_list(&ctx, &copy, 1000, ids, &list));
	assert_int_equal(copy.n, table.n);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(tlv_name_table_find(&copy, ids[i]).length, tlv_name_at(&list, i).length);
	/* ids without names alone: no list */
	assert_false(tlv_name_table_list(&table, 1, ids + 14, offsets, bytes));
	tlv_name_table_free(&ctx, &copy);
	tlv_name_table_free(&ctx, &table);
	tlv_free(&ctx, bytes);
	tlv_free(&ctx, offsets);
}

/* Two texts of one id, of the same length and of others. */
TEST(test_collision)
{
	tlv_name_table table = {0};

	assert_ok(tlv_name_table_add(&ctx, &table, -1, text_of("one")));
	assert_fails(tlv_name_table_add(&ctx, &table, -1, text_of("two")), TLV_BAD_DATA, "\"two\"");
	assert_fails(tlv_name_table_add(&ctx, &table, -1, text_of("ones")), TLV_BAD_DATA, "\"ones\"");
	assert_fails(tlv_name_table_add(&ctx, &table, -1, text_of("on")), TLV_BAD_DATA, "\"on\"");
	assert_ok(tlv_name_table_add(&ctx, &table, -1, text_of("one")));
	/* 39 bytes and a character of two: it is not cut */
	assert_int_equal(tlv_shown_length(text_of("0123456789012345678901234567890123456789")), 40);
	assert_int_equal(tlv_shown_length(text_of("012345678901234567890123456789012345678\xc3\xab")),
					 39);
	assert_int_equal(tlv_cut_length(text_of("ab\xe4\xb8\xad"), 4), 2);
	assert_int_equal(tlv_cut_length(text_of("ab\xe4\xb8\xad"), 5), 5);
	tlv_name_table_free(&ctx, &table);
}

/* A frame of three ids with these sections. */
static tlv_status
check_list(const int64_t *offsets, size_t n_offsets, const char *bytes, size_t n_bytes)
{
	tlv_frame_builder *builder = tlv_alloc(&ctx, 1, sizeof(tlv_frame_builder));
	tlv_status status;
	tlv_frame frame;
	void *image;
	size_t size;

	tlv_frame_begin(builder, TLV_FRAME_MODEL, 1);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "other", 1);
	if (offsets != NULL)
		tlv_frame_add(builder, "offsets", TLV_INT64, n_offsets, 1, offsets);
	if (bytes != NULL)
		tlv_frame_add(builder, "bytes", TLV_BYTES, n_bytes, 1, bytes);
	assert_ok(tlv_frame_finish(&ctx, builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &frame));
	status = tlv_name_list_check(&ctx, &frame, &sections, 3);
	if (status == TLV_OK && bytes != NULL)
		assert_int_equal(tlv_name_list_of(&frame, &sections).offsets[3], n_bytes);
	tlv_free(&ctx, image);
	tlv_free(&ctx, builder);
	return status;
}

TEST(test_stored)
{
	static const int64_t fine[] = {0, 2, 2, 3}, back[] = {0, 3, 2, 3}, late[] = {1, 2, 2, 3};
	static const int64_t none[] = {0, 0, 0, 0}, more[] = {0, 1, 2, 4};

	assert_ok(check_list(NULL, 0, NULL, 0));
	assert_ok(check_list(fine, 4, "abc", 3));
	assert_fails(check_list(fine, 4, NULL, 0), TLV_CORRUPT, "is missing");
	assert_fails(check_list(NULL, 0, "abc", 3), TLV_CORRUPT, "is missing");
	assert_fails(check_list(fine, 3, "abc", 3), TLV_CORRUPT, "offsets");
	assert_fails(check_list(back, 4, "abc", 3), TLV_CORRUPT, "does not ascend");
	assert_fails(check_list(late, 4, "abc", 3), TLV_CORRUPT, "does not cover");
	assert_fails(check_list(none, 4, "", 0), TLV_CORRUPT, "does not cover");
	assert_fails(check_list(more, 4, "abc", 3), TLV_CORRUPT, "does not cover");
	assert_fails(check_list(fine, 4, "a\0c", 3), TLV_CORRUPT, "zero byte");
}

/* 40 names; what there is of the table when it ends is given back. */
static tlv_status
fill_and_drop(void)
{
	tlv_name_table table = {0};
	tlv_status status = TLV_OK;

	for (int64_t i = 0; i < 40 && status == TLV_OK; i++)
		status = tlv_name_table_add(&ctx, &table, i, text_of("a name of some length"));
	tlv_name_table_free(&ctx, &table);
	return status;
}

TEST(test_memory)
{
	assert_above(COUNT_REFUSALS(100, fill_and_drop()), 0);
}

RUN_TESTS(setup, teardown)
