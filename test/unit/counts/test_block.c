/*
 * test_block.c - gathering and scattering a block of documents: both
 * orders of the non-zeros against the plain sums.
 */
#include "assertions.h"
#include "model/counts/block.h"

#include "tensorlv/num/rng.h"

#define WIDTH	  7
#define ITEMS	  5000
#define DOCUMENTS 90
#define NON_ZEROS 30

/* What the block must give, straight from the definition. */
typedef struct expected
{
	double y[WIDTH * DOCUMENTS];
	double squares[WIDTH * DOCUMENTS];
	double *sums;
} expected;

static void
add_expected(expected *e, const double *weights, size_t t, const tlv_document *document)
{
	double s2 = 1 / (document->length - 1);

	for (size_t i = 0; i < document->n_known; i++)
		for (size_t j = 0; j < WIDTH; j++)
		{
			double w = weights[(size_t) document->index[i] * WIDTH + j], c = document->known[i];

			e->y[t * WIDTH + j] += c * w;
			e->squares[t * WIDTH + j] += c * c * w * w;
		}
	for (size_t i = 0; i < document->n_known; i++)
		for (size_t j = 0; j < WIDTH; j++)
			e->sums[(size_t) document->index[i] * WIDTH + j] +=
				s2 * document->known[i] * e->y[t * WIDTH + j];
}

static void
assert_arrays_near(size_t n, const double *a, const double *b)
{
	for (size_t i = 0; i < n; i++)
		assert_close(a[i], b[i], 1e-12 * (1 + fabs(b[i])));
}

/* The sort must keep every entry and put items in order over more than one radix digit. */
static void
check_order(bool by_item)
{
	static double weights[WIDTH * ITEMS], sums[WIDTH * ITEMS], squares[WIDTH * DOCUMENTS];
	expected e = {{0}, {0}, calloc(WIDTH * ITEMS, sizeof(double))};
	int32_t index[NON_ZEROS];
	double known[NON_ZEROS];
	tlv_document document = {.n_known = NON_ZEROS, .index = index, .known = known};
	tlv_count_block block;
	tlv_context ctx;
	tlv_rng rng;
	bool full = false;

	tlv_context_init_malloc(&ctx);
	tlv_rng_seed(&rng, 11);
	tlv_rng_fill_normal(&rng, WIDTH * ITEMS, weights);
	memset(sums, 0, sizeof(sums));
	assert_int_equal(tlv_count_block_init(&ctx, &block, WIDTH, ITEMS), TLV_OK);
	assert_false(block.by_item); /* so small a basis stays in the cache */
	block.by_item = by_item;
	for (size_t start = 0; start < DOCUMENTS; start += block.rows)
	{
		tlv_count_block_reset(&block);
		full = false;
		for (size_t t = start; t < DOCUMENTS && !full; t++)
		{
			document.length = 0;
			for (size_t i = 0; i < NON_ZEROS; i++)
			{
				index[i] = (int32_t) tlv_rng_below(&rng, ITEMS);
				known[i] = 1 + (double) tlv_rng_below(&rng, 4);
				document.length += known[i];
			}
			add_expected(&e, weights, t, &document);
			assert_int_equal(tlv_count_block_add(&ctx, &block, &document, 1, &full), TLV_OK);
		}
		assert_int_equal(tlv_count_block_gather(&ctx, &block, weights), TLV_OK);
		for (size_t i = 1; i < block.n && by_item; i++)
			assert_at_most(block.entries[i - 1].item, block.entries[i].item);
		assert_arrays_near(WIDTH * block.rows, block.y, e.y + start * WIDTH);
		assert_int_equal(tlv_count_block_squares(&ctx, &block, weights, squares), TLV_OK);
		assert_arrays_near(WIDTH * block.rows, squares, e.squares + start * WIDTH);
		assert_int_equal(tlv_count_block_scatter(&ctx, &block, block.s2, sums), TLV_OK);
	}
	assert_arrays_near(WIDTH * ITEMS, sums, e.sums);
	free(e.sums);
	tlv_free(&ctx, block.entries);
	tlv_free(&ctx, block.other);
	tlv_free(&ctx, block.y);
	assert_int_equal(ctx.arena.used, 0);
}

TEST(test_as_they_come)
{
	check_order(false);
}

TEST(test_by_item)
{
	check_order(true);
}

/* A large basis is taken by item, in blocks of many documents. */
TEST(test_choice)
{
	tlv_count_block block;
	tlv_context ctx;

	tlv_context_init_malloc(&ctx);
	assert_int_equal(tlv_count_block_init(&ctx, &block, 100, 100000), TLV_OK);
	assert_true(block.by_item);
	assert_at_least(block.room_rows, 1024);
	tlv_free(&ctx, block.y);
}

RUN_TESTS(NULL, NULL)
