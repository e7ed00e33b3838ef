/*
 * bit_planes.h - counting over rows of small codes: bit planes and their
 * intersections, tables of two codes, weighted tables.
 *
 * Codes are bytes, one column of them for every variable; 0 stands for "nothing".  A
 * plane is one bit for every row, in words of 64 rows; the number of words is a multiple of
 * TLV_PLANE_WORDS, rows behind the last one are 0.
 */
#ifndef TENSORLV_BIT_PLANES_H
#define TENSORLV_BIT_PLANES_H

#include <stddef.h>
#include <stdint.h>

#define TLV_PLANE_WORDS ((size_t) 8)
#define TLV_PLANE_ROWS	(64 * TLV_PLANE_WORDS)

/* Words of a plane of n rows. */
static inline size_t
tlv_plane_words(size_t n)
{
	return (n + TLV_PLANE_ROWS - 1) / TLV_PLANE_ROWS * TLV_PLANE_WORDS;
}

/* Cycles for one row of one pair of planes, about, on this processor. */
extern double tlv_plane_cost(void);

/* rows: n x p, row by row; columns: p x room, room >= n; what is behind the n-th is left. */
extern void tlv_codes_transpose(size_t n, size_t p, const uint8_t *rows, size_t room,
								uint8_t *columns);

/* The plane of the rows with that code; codes of 64 x words rows. */
extern void tlv_plane_equal(size_t words, const uint8_t *codes, uint8_t code, uint64_t *plane);

/* The plane of the rows with any code but 0, codes below 128. */
extern void tlv_plane_present(size_t words, const uint8_t *codes, uint64_t *plane);

extern void tlv_plane_and(size_t words, const uint64_t *a, const uint64_t *b, uint64_t *plane);

/* Rows in a plane. */
extern uint32_t tlv_plane_count(size_t words, const uint64_t *plane);

/* counts[i * n_b + j] = rows in both the i-th plane of a and the j-th of b. */
extern void tlv_planes_count(size_t words, size_t n_a, const uint64_t *a, size_t n_b,
							 const uint64_t *b, uint32_t *counts);

/* key[r] = a[r] * stride + b[r]. */
extern void tlv_codes_join(size_t n, const uint8_t *a, uint32_t stride, const uint8_t *b,
						   uint32_t *key);

/* counts[a[r] * stride + b[r]]++, over n rows; cells: entries of counts, which are set.
 * scratch: TLV_TABLE_SCRATCH entries. */
#define TLV_TABLE_SCRATCH 8192
extern void tlv_codes_count(size_t n, const uint8_t *a, uint32_t stride, const uint8_t *b,
							size_t cells, uint32_t *scratch, uint32_t *counts);

/* counts[key[r] * stride + c[r]]++, over n rows; the same. */
extern void tlv_keys_count(size_t n, const uint32_t *key, uint32_t stride, const uint8_t *c,
						   size_t cells, uint32_t *scratch, uint32_t *counts);

#endif /* TENSORLV_BIT_PLANES_H */
