/*
 * bag.c - encoding, decoding, validating, parsing and sorting bags (bag.h).
 */
#include "tensorlv/num/bag.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/sort.h"

/* Entries that are moved between two looks at whether to stop. */
#define ENTRIES_BETWEEN ((size_t) 1 << 18)

static int
item_width(uint64_t range)
{
	return range <= UINT16_MAX ? 2 : range <= UINT32_MAX ? 4 : 8;
}

static int
weight_width(size_t n, const double *weights)
{
	double largest = 1;
	bool integers = true;

	for (size_t i = 0; i < n; i++)
	{
		largest = weights[i] > largest ? weights[i] : largest;
		integers &= weights[i] <= UINT32_MAX && weights[i] == (double) (uint32_t) weights[i];
	}
	if (!integers)
		return 8;
	return largest == 1 ? 0 : largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : 4;
}

/* Weights start at a multiple of their width behind the items. */
static size_t
weights_offset(size_t n, int item_bytes, int weight_bytes)
{
	size_t offset = sizeof(tlv_bag_image) + n * (size_t) item_bytes;

	if (weight_bytes > 1)
		offset = (offset + (size_t) weight_bytes - 1) & ~((size_t) weight_bytes - 1);
	return offset;
}

static size_t
image_size(size_t n, int item_bytes, int weight_bytes)
{
	return weights_offset(n, item_bytes, weight_bytes) + n * (size_t) weight_bytes;
}

static uint64_t
bag_range(size_t n, const int64_t *items)
{
	return n == 0 ? 0 : (uint64_t) items[n - 1] - (uint64_t) items[0];
}

size_t
tlv_bag_size(size_t n, const int64_t *items, const double *weights)
{
	return image_size(n, item_width(bag_range(n, items)), weight_width(n, weights));
}

size_t
tlv_bag_image_size(const tlv_bag_image *image)
{
	return image_size(image->n, image->item_width, image->weight_width);
}

/* The header, and what lies between items and weights. */
static void
write_header(size_t n, const int64_t *items, const double *weights, tlv_bag_image *bag)
{
	size_t end;

	tlv_assert(tlv_ascends_strictly(n, items));
	bag->version = TLV_BAG_VERSION;
	bag->item_width = (uint8_t) item_width(bag_range(n, items));
	bag->weight_width = (uint8_t) weight_width(n, weights);
	bag->reserved = 0;
	bag->n = (uint32_t) n;
	bag->reserved2 = 0;
	bag->base = n == 0 ? 0 : items[0];
	end = sizeof(*bag) + n * (size_t) bag->item_width;
	memset((char *) bag + end, 0, weights_offset(n, bag->item_width, bag->weight_width) - end);
}

static void
write_entries(tlv_bag_image *bag, size_t from, size_t to, const int64_t *items,
			  const double *weights)
{
	char *item_data = (char *) bag + sizeof(*bag);
	char *weight_data = (char *) bag + weights_offset(bag->n, bag->item_width, bag->weight_width);

	for (size_t i = from; i < to; i++)
	{
		uint64_t distance = (uint64_t) items[i] - (uint64_t) bag->base;

		switch (bag->item_width)
		{
			case 2:
				((uint16_t *) item_data)[i] = (uint16_t) distance;
				break;
			case 4:
				((uint32_t *) item_data)[i] = (uint32_t) distance;
				break;
			default:
				((uint64_t *) item_data)[i] = distance;
		}
		switch (bag->weight_width)
		{
			case 0:
				break;
			case 1:
				((uint8_t *) weight_data)[i] = (uint8_t) weights[i];
				break;
			case 2:
				((uint16_t *) weight_data)[i] = (uint16_t) weights[i];
				break;
			case 4:
				((uint32_t *) weight_data)[i] = (uint32_t) weights[i];
				break;
			default:
				((double *) weight_data)[i] = weights[i];
		}
	}
}

void
tlv_bag_write(size_t n, const int64_t *items, const double *weights, void *image)
{
	write_header(n, items, weights, image);
	write_entries(image, 0, n, items, weights);
}

tlv_status
tlv_bag_make(tlv_context *ctx, size_t n, const int64_t *items, const double *weights, void *image)
{
	write_header(n, items, weights, image);
	for (size_t from = 0; from < n; from += ENTRIES_BETWEEN)
	{
		if (from > 0)
			TLV_TRY_CONTINUE(ctx);
		write_entries(image, from, tlv_least(from + ENTRIES_BETWEEN, n), items, weights);
	}
	return TLV_OK;
}

void
tlv_bag_read_items(const tlv_bag_image *image, size_t from, size_t to, int64_t *items)
{
	uint64_t base = (uint64_t) image->base;
	const char *data = (const char *) image + sizeof(*image) + from * image->item_width;
	size_t n = to - from;

	if (image->item_width == 2)
		for (size_t i = 0; i < n; i++)
			items[i] = (int64_t) (base + ((const uint16_t *) data)[i]);
	else if (image->item_width == 4)
		for (size_t i = 0; i < n; i++)
			items[i] = (int64_t) (base + ((const uint32_t *) data)[i]);
	else
		for (size_t i = 0; i < n; i++)
			items[i] = (int64_t) (base + ((const uint64_t *) data)[i]);
}

static void
decode_weights(const tlv_bag_image *image, size_t from, size_t to, double *weights)
{
	const char *data =
		(const char *) image + weights_offset(image->n, image->item_width, image->weight_width);

	if (image->weight_width == 0)
		for (size_t i = from; i < to; i++)
			weights[i] = 1;
	else if (image->weight_width == 1)
		for (size_t i = from; i < to; i++)
			weights[i] = ((const uint8_t *) data)[i];
	else if (image->weight_width == 2)
		for (size_t i = from; i < to; i++)
			weights[i] = ((const uint16_t *) data)[i];
	else if (image->weight_width == 4)
		for (size_t i = from; i < to; i++)
			weights[i] = ((const uint32_t *) data)[i];
	else if (to > from)
		memcpy(weights + from, data + from * sizeof(double), (to - from) * sizeof(double));
}

tlv_status
tlv_bag_read(tlv_context *ctx, const tlv_bag_image *image, int64_t *items, double *weights)
{
	for (size_t from = 0; from < image->n; from += ENTRIES_BETWEEN)
	{
		size_t to = tlv_least(from + ENTRIES_BETWEEN, image->n);

		if (from > 0)
			TLV_TRY_CONTINUE(ctx);
		tlv_bag_read_items(image, from, to, items + from);
		decode_weights(image, from, to, weights);
	}
	return TLV_OK;
}

static tlv_status
hint_at_weights(tlv_context *ctx, double weight)
{
	return tlv_fail_hint(ctx, weight == 0 ? "Leave out rows with count 0, for example by WHERE."
										  : "Counts and weights must be finite and not negative.");
}

tlv_status
tlv_bag_check_term_weight(tlv_context *ctx, tlv_text term, double weight)
{
	if (isfinite(weight) && weight > 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "count %g of item \"%.*s\" is not a positive number", weight,
			 tlv_shown_length(term), term.bytes);
	return hint_at_weights(ctx, weight);
}

tlv_status
tlv_bag_check_weight(tlv_context *ctx, int64_t item, double weight)
{
	if (isfinite(weight) && weight > 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "count %g of item %" PRId64 " is not a positive number", weight,
			 item);
	return hint_at_weights(ctx, weight);
}

/* Header fields alone: enough to know how many bytes must follow. */
static tlv_status
validate_header(tlv_context *ctx, const tlv_bag_image *bag, size_t size)
{
	if (size < sizeof(*bag))
		return tlv_fail(ctx, TLV_CORRUPT, "the bag has %zu bytes, its header alone needs %zu", size,
						sizeof(*bag));
	if (bag->version != TLV_BAG_VERSION)
		return tlv_fail(ctx, TLV_CORRUPT, "the bag has format version %u, this is version %d",
						bag->version, TLV_BAG_VERSION);
	if ((bag->item_width != 2 && bag->item_width != 4 && bag->item_width != 8) ||
		(bag->weight_width != 0 && bag->weight_width != 1 && bag->weight_width != 2 &&
		 bag->weight_width != 4 && bag->weight_width != 8) ||
		bag->reserved != 0 || bag->reserved2 != 0 || bag->n > TLV_BAG_MAX_ITEMS)
		return tlv_fail(ctx, TLV_CORRUPT, "the bag's header is not valid");
	if (size != tlv_bag_image_size(bag))
		return tlv_fail(ctx, TLV_CORRUPT, "the bag has %zu bytes, its header needs %zu", size,
						tlv_bag_image_size(bag));
	return TLV_OK;
}

static tlv_status
check_entries(tlv_context *ctx, size_t n, const int64_t *items, const double *weights)
{
	tlv_assert(n == 0 || (items != NULL && weights != NULL));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (i > 0 && items[i] <= items[i - 1])
			return tlv_fail(ctx, TLV_CORRUPT, "the items of the bag do not ascend");
		if (!(isfinite(weights[i]) && weights[i] > 0))
			return tlv_fail(ctx, TLV_CORRUPT, "a weight of the bag is %g", weights[i]);
	}
	return TLV_OK;
}

/* Only the narrowest form is valid, with zero padding: write it again and compare. */
static tlv_status
check_form(tlv_context *ctx, const tlv_bag_image *bag, size_t size, const int64_t *items,
		   const double *weights)
{
	void *again = NULL;
	tlv_status status;

	if (tlv_bag_size(bag->n, items, weights) != size)
		return tlv_fail(ctx, TLV_CORRUPT, "the bag is not in its shortest form");
	again = tlv_alloc(ctx, size, 1);
	TLV_TRY_ALLOC(ctx, again);
	status = tlv_bag_make(ctx, bag->n, items, weights, again);
	if (status == TLV_OK && memcmp((const char *) again + 4, (const char *) bag + 4, size - 4) != 0)
		status = tlv_fail(ctx, TLV_CORRUPT, "the bag is not in its shortest form");
	tlv_free(ctx, again);
	return status;
}

tlv_status
tlv_bag_validate(tlv_context *ctx, const void *image, size_t size)
{
	const tlv_bag_image *bag = image;
	int64_t *items;
	double *weights;
	tlv_status status;

	TLV_TRY(validate_header(ctx, bag, size));
	TLV_TRY_NEW(ctx, items, bag->n);
	weights = tlv_alloc(ctx, bag->n, sizeof(double));
	status = weights == NULL ? ctx->error.code : tlv_bag_read(ctx, bag, items, weights);
	if (status == TLV_OK)
		status = check_entries(ctx, bag->n, items, weights);
	if (status == TLV_OK)
		status = check_form(ctx, bag, size, items, weights);
	tlv_free(ctx, weights);
	tlv_free(ctx, items);
	return status;
}

/* The sort is stable, so that sums of duplicates do not depend on chance; distances from the least
 * item have fewer bits than the items. */
static tlv_status
sort_entries(tlv_context *ctx, size_t n, tlv_bag_entry *entries, tlv_bag_entry *work)
{
	tlv_sort_form form = {sizeof(tlv_bag_entry), sizeof(int64_t), offsetof(tlv_bag_entry, item), 0};
	int64_t least = entries[0].item, largest = least;
	const tlv_bag_entry *from;
	void *sorted;

	for (size_t i = 1; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		least = entries[i].item < least ? entries[i].item : least;
		largest = entries[i].item > largest ? entries[i].item : largest;
	}
	form.bits = 64 - (unsigned) __builtin_clzll((uint64_t) largest - (uint64_t) least);
	for (size_t i = 0; i < n; i++)
		entries[i].item = (int64_t) ((uint64_t) entries[i].item - (uint64_t) least);
	TLV_TRY(tlv_radix_sort(ctx, &form, n, entries, work, &sorted));
	from = sorted;
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		entries[i].item = (int64_t) ((uint64_t) from[i].item + (uint64_t) least);
		entries[i].weight = from[i].weight;
	}
	return TLV_OK;
}

/* Entries from .. to - 1 behind the first `left`, or added to the last of those; returns their
 * number. */
static size_t
fold_duplicates(tlv_bag_entry *entries, size_t left, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (left > 0 && entries[left - 1].item == entries[i].item)
			entries[left - 1].weight += entries[i].weight;
		else
			entries[left++] = entries[i];
	return left;
}

tlv_status
tlv_bag_sort(tlv_context *ctx, size_t n, tlv_bag_entry *entries, tlv_bag_entry *work,
			 size_t *distinct)
{
	size_t left = 0;
	bool sorted = true;

	for (size_t i = 1; i < n; i++)
		sorted &= entries[i - 1].item <= entries[i].item;
	if (!sorted)
		TLV_TRY(sort_entries(ctx, n, entries, work));
	for (size_t from = 0; from < n; from += ENTRIES_BETWEEN)
	{
		if (from > 0)
			TLV_TRY_CONTINUE(ctx);
		left = fold_duplicates(entries, left, from, tlv_least(from + ENTRIES_BETWEEN, n));
	}
	*distinct = left;
	return TLV_OK;
}

typedef struct parser
{
	tlv_context *ctx;
	const char *start;
	const char *at;
} parser;

static tlv_status
syntax_error(parser *p, const char *expected)
{
	return tlv_fail(p->ctx, TLV_BAD_DATA, "expected %s at character %td of the bag", expected,
					p->at - p->start + 1);
}

static tlv_status
skip_space(parser *p)
{
	for (size_t n = 1; isspace((unsigned char) *p->at); p->at++, n++)
		if (n % TLV_COPY_PIECE == 0)
			TLV_TRY_CONTINUE(p->ctx);
	return TLV_OK;
}

static tlv_status
parse_entry(parser *p, tlv_bag_entry *entry)
{
	char *end;
	long long item;

	TLV_TRY(skip_space(p));
	errno = 0;
	item = strtoll(p->at, &end, 10);
	if (end == p->at)
		return syntax_error(p, "an item");
	if (errno == ERANGE)
		return syntax_error(p, "an item within bigint");
	entry->item = item;
	entry->weight = 1;
	p->at = end;
	TLV_TRY(skip_space(p));
	if (*p->at != ':')
		return TLV_OK;
	p->at++;
	TLV_TRY(skip_space(p));
	entry->weight = strtod(p->at, &end);
	if (end == p->at)
		return syntax_error(p, "a weight");
	p->at = end;
	TLV_TRY(skip_space(p));
	return tlv_bag_check_weight(p->ctx, entry->item, entry->weight);
}

static tlv_status
parse_entries(parser *p, tlv_bag_entry **entries, size_t *n)
{
	size_t room = 0;

	TLV_TRY(skip_space(p));
	if (*p->at != '{')
		return syntax_error(p, "\"{\"");
	p->at++;
	TLV_TRY(skip_space(p));
	while (*p->at != '}')
	{
		TLV_TRY_CONTINUE_AT(p->ctx, *n);
		if (*n >= 2 * (size_t) TLV_BAG_MAX_ITEMS)
			return tlv_fail(p->ctx, TLV_LIMIT, "a bag holds at most %d items", TLV_BAG_MAX_ITEMS);
		TLV_TRY(tlv_reserve(p->ctx, entries, *n + 1, &room, sizeof(tlv_bag_entry)));
		TLV_TRY(parse_entry(p, &(*entries)[*n]));
		(*n)++;
		if (*p->at == ',')
		{
			p->at++;
			TLV_TRY(skip_space(p));
			if (*p->at == '}')
				return syntax_error(p, "an item");
		}
		else if (*p->at != '}')
			return syntax_error(p, "\",\" or \"}\"");
	}
	p->at++;
	TLV_TRY(skip_space(p));
	return *p->at == '\0' ? TLV_OK : syntax_error(p, "the end");
}

/* Sorted entries without duplicates, as arrays; what was allocated stays on error. */
static tlv_status
canonical_arrays(tlv_context *ctx, size_t *n, tlv_bag_entry *entries, int64_t **items,
				 double **weights)
{
	tlv_bag_entry *work = tlv_alloc(ctx, *n, sizeof(tlv_bag_entry));
	tlv_status status;

	TLV_TRY_ALLOC(ctx, work);
	status = tlv_bag_sort(ctx, *n, entries, work, n);
	tlv_free(ctx, work);
	TLV_TRY(status);
	if (*n > TLV_BAG_MAX_ITEMS)
		return tlv_fail(ctx, TLV_LIMIT, "a bag holds at most %d items", TLV_BAG_MAX_ITEMS);
	TLV_TRY_NEW(ctx, *items, *n);
	TLV_TRY_NEW(ctx, *weights, *n);
	for (size_t i = 0; i < *n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		/* Two finite weights may add up to more than a float8 holds. */
		TLV_TRY(tlv_bag_check_weight(ctx, entries[i].item, entries[i].weight));
		(*items)[i] = entries[i].item;
		(*weights)[i] = entries[i].weight;
	}
	return TLV_OK;
}

tlv_status
tlv_bag_parse(tlv_context *ctx, const char *text, size_t *n, int64_t **items, double **weights)
{
	parser p = {ctx, text, text};
	tlv_bag_entry *entries = NULL;
	tlv_status status;

	*n = 0;
	*items = NULL;
	*weights = NULL;
	status = parse_entries(&p, &entries, n);
	if (status == TLV_OK)
		status = canonical_arrays(ctx, n, entries, items, weights);
	tlv_free(ctx, entries);
	if (status == TLV_OK)
		return TLV_OK;
	tlv_free(ctx, *weights);
	tlv_free(ctx, *items);
	*items = NULL;
	*weights = NULL;
	return status;
}

size_t
tlv_bag_print_entry(int64_t item, double weight, char *text)
{
	char number[32];

	for (int digits = 15; digits <= 17; digits++) /* the shortest that reads back the same */
	{
		snprintf(number, sizeof(number), "%.*g", digits, weight);
		if (strtod(number, NULL) == weight)
			break;
	}
	return (size_t) snprintf(text, 64, "%" PRId64 ":%s", item, number);
}
