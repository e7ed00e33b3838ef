/*
 * bag.h - the image of a sparse vector of counts or weights: distinct items,
 * ascending, each with a weight > 0.
 *
 * Items are stored as 2-, 4- or 8-byte distances from the smallest one, weights
 * not at all (all 1), in 1, 2 or 4 bytes (integers), or as 8-byte floats: always
 * the narrowest form that holds them, so that equal bags are equal bytes.
 */
#ifndef TENSORLV_BAG_H
#define TENSORLV_BAG_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/names.h"

#define TLV_BAG_VERSION	  1
#define TLV_BAG_MAX_ITEMS 50000000

typedef struct tlv_bag_image
{
	uint32_t length_word; /* the server's */
	uint8_t version;
	uint8_t item_width;	  /* 2, 4, 8 */
	uint8_t weight_width; /* 0, 1, 2, 4: integers; 8: float8 */
	uint8_t reserved;	  /* zero */
	uint32_t n;
	uint32_t reserved2; /* zero */
	int64_t base;		/* the smallest item; 0 when n = 0 */
						/* n item distances, padding to the weight width, n weights */
} tlv_bag_image;

/* Bytes of the image of n ascending items with their weights. */
extern size_t tlv_bag_size(size_t n, const int64_t *items, const double *weights);

/* Writes it; the length word is left as it is. */
extern void tlv_bag_write(size_t n, const int64_t *items, const double *weights, void *image);

/* Writes an image, and reads its items and weights (n of each), with looks at tlv_should_stop():
 * TLV_CANCELLED. */
extern tlv_status tlv_bag_make(tlv_context *ctx, size_t n, const int64_t *items,
							   const double *weights, void *image);
extern tlv_status tlv_bag_read(tlv_context *ctx, const tlv_bag_image *image, int64_t *items,
							   double *weights);

/* The items from .. to - 1 alone, which items holds from its first place on. */
extern void tlv_bag_read_items(const tlv_bag_image *image, size_t from, size_t to, int64_t *items);

/* Bytes that an image with this header must have. */
extern size_t tlv_bag_image_size(const tlv_bag_image *image);

/* Validates an image of unknown origin completely: TLV_CORRUPT otherwise. */
extern tlv_status tlv_bag_validate(tlv_context *ctx, const void *image, size_t size);

/*
 * Sorts (item, weight) pairs by item and adds up duplicates, in place; *distinct gets the
 * number that is left.  work has n pairs of room.  Error: TLV_CANCELLED, with the pairs lost.
 */
typedef struct tlv_bag_entry
{
	int64_t item;
	double weight;
} tlv_bag_entry;

extern tlv_status tlv_bag_sort(tlv_context *ctx, size_t n, tlv_bag_entry *entries,
							   tlv_bag_entry *work, size_t *distinct);

/*
 * Checks one weight: finite and > 0; TLV_BAD_DATA otherwise, with the item in
 * the message and a hint.
 */
extern tlv_status tlv_bag_check_weight(tlv_context *ctx, int64_t item, double weight);

/* The same of an item whose term is at hand. */
extern tlv_status tlv_bag_check_term_weight(tlv_context *ctx, tlv_text term, double weight);

/*
 * Parses the text form {3:2,17:1}; white space is allowed between tokens,
 * a weight of 1 may be left out ({3,17}), duplicates are added up.  Allocates
 * *items and *weights (free with tlv_free).  Error: TLV_BAD_DATA, with the place.
 */
extern tlv_status tlv_bag_parse(tlv_context *ctx, const char *text, size_t *n, int64_t **items,
								double **weights);

/* Writes one entry's text "item:weight" into at most 64 bytes; returns its length. */
extern size_t tlv_bag_print_entry(int64_t item, double weight, char *text);

#endif /* TENSORLV_BAG_H */
