/*
 * sort.h - one radix sort, for records of a fixed size with integer keys, one merge sort for all
 * others, and one binary search for ids.
 */
#ifndef TENSORLV_SORT_H
#define TENSORLV_SORT_H

#include "tensorlv/num/context.h"

/* Where the key of a record is.  Records of 4 (the key alone), 8, 16 or 24 bytes. */
typedef struct tlv_sort_form
{
	size_t record; /* bytes */
	size_t key;	   /* bytes: 4 or 8, an unsigned number */
	size_t at;	   /* byte of the record that the key begins with: 0, or 8 of records of 24 */
	unsigned bits; /* that any key has, counted from the lowest; 0: all keys are 0 */
} tlv_sort_form;

/*
 * Sorts n records by ascending key; those of equal keys stay in their order.  work has room for n
 * records, too, and *sorted says which of the two arrays holds the result.  A key of two words is
 * sorted by the lower word first.  Linear time (Knuth, TAOCP 3, 5.2.5, algorithm R).  Errors:
 * TLV_CANCELLED, TLV_INTERNAL for a form other than those above.
 */
extern tlv_status tlv_radix_sort(tlv_context *ctx, const tlv_sort_form *form, size_t n,
								 void *records, void *work, void **sorted);

/* Below 0, 0 or above 0, as qsort has it; argument is the caller's. */
typedef int (*tlv_compare)(const void *a, const void *b, const void *argument);

/*
 * Sorts n records of that size in place by merging, in time that no order of the records makes more
 * than n log n; those that compare equal stay in their order.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_merge_sort(tlv_context *ctx, size_t n, size_t size, void *records,
								 tlv_compare compare, const void *argument);

/* Position of an id among n ascending ones; n where it is not among them. */
extern size_t tlv_find_id(const int64_t *ids, size_t n, int64_t id);

/* Descending order of k weights, equal ones as they are, in k^2 moves at most. */
extern void tlv_order_weights(size_t k, const double *weights, int64_t *order);

#endif /* TENSORLV_SORT_H */
