/*
 * test_json.c - JSON texts read and written.
 */
#include "pool_setup.h"
#include "print_number.h"
#include "tensorlv/num/json.h"

static tlv_json json;

static tlv_status
read_text(const char *text, bool ascii)
{
	return tlv_json_read(&ctx, text, strlen(text), ascii, &json);
}

static void
assert_string(size_t node, const char *expected)
{
	tlv_text text = tlv_json_text(&json, node);

	assert_int_equal(json.nodes[node].type, TLV_JSON_STRING);
	assert_int_equal(text.length, strlen(expected));
	assert_memory_equal(text.bytes, expected, text.length);
}

TEST(test_values)
{
	assert_ok(
		read_text(" {\"a\" : [1, -2.5e3, true,false , null, \"x\"], \"b\":{}, \"c\":[]}\n", true));
	assert_int_equal(json.nodes[0].type, TLV_JSON_OBJECT);
	assert_int_equal(json.nodes[0].n, 3);
	assert_int_equal(json.nodes[0].next, json.n);
	assert_int_equal(json.nodes[2].n, 6);
	assert_int_equal(json.nodes[3].type, TLV_JSON_INTEGER);
	assert_true(json.nodes[4].number == -2500);
	assert_int_equal(json.nodes[5].type, TLV_JSON_TRUE);
	assert_int_equal(json.nodes[7].type, TLV_JSON_NULL);
	assert_string(8, "x");
	assert_int_equal(json.nodes[tlv_json_member(&json, 0, "c")].type, TLV_JSON_ARRAY);
	assert_int_equal(tlv_json_member(&json, 0, "d"), 0);
}

/* Whole numbers that an int64 has are such, others are not; minus zero keeps its sign. */
TEST(test_numbers)
{
	assert_ok(read_text("[9223372036854775807, -9223372036854775808, 9223372036854775808, -0, 1e0]",
						true));
	assert_true(json.nodes[1].integer == INT64_MAX && json.nodes[1].type == TLV_JSON_INTEGER);
	assert_true(json.nodes[2].integer == INT64_MIN && json.nodes[2].type == TLV_JSON_INTEGER);
	assert_true(json.nodes[3].number == 0x1p63 && json.nodes[3].type == TLV_JSON_NUMBER);
	assert_true(json.nodes[4].type == TLV_JSON_NUMBER && signbit(json.nodes[4].number));
	assert_int_equal(json.nodes[5].type, TLV_JSON_NUMBER);
}

TEST(test_escapes)
{
	assert_ok(read_text("[\"\\\"\\\\\\/\\b\\n\\u0041\\u00e4\\u20ac\\ud83d\\ude00\"]", false));
	assert_string(1, "\"\\/\b\nA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_int_equal(read_text("[\"\\u00e4\"]", true), TLV_BAD_PARAMETER);
}

TEST(test_refused)
{
	static const char *const wrong[] = {"",
										"[",
										"]",
										"[1,]",
										"{\"a\"}",
										"{\"a\":}",
										"{1:2}",
										"[1 2]",
										"[01]",
										"[.5]",
										"[1.]",
										"[1e]",
										"[-]",
										"[+1]",
										"[1e999]",
										"[nul]",
										"[\"]",
										"[\"\\x\"]",
										"[\"\\u12\"]",
										"[\"\\u0000\"]",
										"[\"\\ud800\"]",
										"[\"\\udc00\"]",
										"[\"\\ud800\\u0041\"]",
										"[\"\n\"]",
										"1 1",
										"{}}"};
	char deep[2 * TLV_JSON_DEPTH + 3] = "";

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (read_text(wrong[i], false) != TLV_BAD_PARAMETER)
			fail_msg("%s was read", wrong[i]);
	for (size_t i = 0; i < TLV_JSON_DEPTH; i++)
	{
		deep[i] = '[';
		deep[TLV_JSON_DEPTH + 1 + i] = ']';
	}
	deep[TLV_JSON_DEPTH] = '1';
	assert_ok(read_text(deep, false));
	memset(deep, '[', TLV_JSON_DEPTH + 1);
	deep[TLV_JSON_DEPTH + 1] = '1';
	deep[TLV_JSON_DEPTH + 2] = '\0';
	assert_int_equal(read_text(deep, false), TLV_BAD_PARAMETER);
}

/* What is written reads as it was, numbers bit by bit. */
TEST(test_written)
{
	static const double numbers[] = {0.1,
									 1.0 / 3,
									 1e22,
									 5e-324,
									 1.7976931348623157e308,
									 -0x1p-1074,
									 123456.75,
									 0x1.fffffffffffffp-3,
									 1e-7};
	tlv_json_writer writer = {.most = 1 << 20, .number = print_number};
	char text[4096];

	assert_ok(tlv_json_put(&ctx, &writer, "["));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
	{
		assert_ok(tlv_json_put_number(&ctx, &writer, numbers[i]));
		assert_ok(tlv_json_put(&ctx, &writer, ","));
	}
	assert_ok(tlv_json_put_string(&ctx, &writer, (tlv_text){"a\"\\\n\x01\xc3\xa4", 7}));
	assert_ok(tlv_json_put(&ctx, &writer, ","));
	assert_ok(tlv_json_put_integer(&ctx, &writer, INT64_MIN));
	assert_ok(tlv_json_put(&ctx, &writer, "]"));
	memcpy(text, writer.bytes, writer.n);
	text[writer.n] = '\0';
	assert_ok(read_text(text, false));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_true(json.nodes[1 + i].number == numbers[i]);
	assert_string(10, "a\"\\\n\x01\xc3\xa4");
	assert_true(json.nodes[11].integer == INT64_MIN);
	writer.most = writer.n;
	assert_int_equal(tlv_json_put(&ctx, &writer, "x"), TLV_LIMIT);
}

RUN_TESTS(setup, teardown)
