/*
 * triple_table.h - counts of triples of small integers: a hash table that grows, and the sorted
 * list that is stored.
 *
 * This is a header of the room of views.  Hash tables of other keys are on floor 1 (hash.h).
 */
#ifndef TLV_TRIPLE_TABLE_H
#define TLV_TRIPLE_TABLE_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/names.h"

/* Three positions of 21 bits in one word. */
#define TRIPLE_BITS 21
#define TRIPLE_MOST ((size_t) 1 << TRIPLE_BITS)

static inline int64_t
tlv_triple_key(size_t a, size_t b, size_t c)
{
	return (int64_t) (((uint64_t) a << (2 * TRIPLE_BITS)) | ((uint64_t) b << TRIPLE_BITS) |
					  (uint64_t) c);
}

/* The position in view 0, 1 or 2. */
static inline size_t
tlv_triple_part(int64_t key, int view)
{
	return (size_t) ((uint64_t) key >> ((2 - view) * TRIPLE_BITS)) & (TRIPLE_MOST - 1);
}

typedef struct tlv_triple_slot
{
	uint64_t key_plus_1; /* 0: free */
	double count;
} tlv_triple_slot;

/* All zero: empty (hash.h). */
typedef struct tlv_triple_table
{
	size_t n;
	size_t mask;
	tlv_triple_slot *slots;
	size_t gone; /* of the n, those whose count is 0, since all has been taken out again */
} tlv_triple_table;

/* Adds count, which may be negative, to a triple: one of 0 is not there.  Errors: memory. */
extern tlv_status tlv_triple_add(tlv_context *ctx, tlv_triple_table *table, int64_t key,
								 double count);

/* Takes count out of a triple.  Errors: TLV_BAD_DATA where there is less. */
extern tlv_status tlv_triple_take(tlv_context *ctx, tlv_triple_table *table, int64_t key,
								  double count);

/*
 * Changes the counts of the triples of a frame, keys and numbers in these sections, by one of the
 * two above; position p of view t is at[t][p] here.  Errors: TLV_CANCELLED, those of the change.
 */
typedef tlv_status (*tlv_triple_change)(tlv_context *ctx, tlv_triple_table *table, int64_t key,
										double count);
extern tlv_status tlv_triple_change_all(tlv_context *ctx, tlv_triple_table *table,
										const tlv_frame *frame, const char *keys,
										const char *counts, int32_t *const at[3],
										tlv_triple_change change);

/* The count of a triple; 0 where it is not there. */
extern double tlv_triple_find(const tlv_triple_table *table, int64_t key);

/* Triples that are there. */
static inline size_t
tlv_triple_count(const tlv_triple_table *table)
{
	return table->n - table->gone;
}

/* Is most of the table of what is gone?  Who takes and adds for long had better begin anew. */
static inline bool
tlv_triple_is_stale(const tlv_triple_table *table)
{
	return table->gone > 4096 && table->gone > table->n / 2;
}

/* Marks the positions of view t (0, 1 or 2) that triples which are there have: used, zeros before.
 * Errors: TLV_CANCELLED. */
extern tlv_status tlv_triple_mark(tlv_context *ctx, const tlv_triple_table *table, int t,
								  bool *used);

/*
 * The triples that are there in order, each position p of view t renamed rank[t][p]: their keys,
 * and behind them, at *counts, as many counts; keys has room for both.
 */
extern tlv_status tlv_triple_list(tlv_context *ctx, const tlv_triple_table *table,
								  int32_t *const rank[3], int64_t *keys, double **counts);

/*
 * The items of a dictionary in ascending order (items, n) and where each position of the dictionary
 * went (rank, n).
 */
extern tlv_status tlv_dictionary_order(tlv_context *ctx, const tlv_dictionary *dictionary,
									   int64_t *items, int32_t *rank);

/* The same of the items at the positions that are marked (NULL: of all); *n gets their number. */
extern tlv_status tlv_dictionary_order_used(tlv_context *ctx, const tlv_dictionary *dictionary,
											const bool *used, int64_t *items, int32_t *rank,
											size_t *n);

/* Position of an item, added when new; TLV_LIMIT above TRIPLE_MOST of them. */
extern tlv_status tlv_category_position(tlv_context *ctx, tlv_dictionary *dictionary, int64_t item,
										const char *what, int32_t *position);

/* The same of n items. */
extern tlv_status tlv_category_positions(tlv_context *ctx, tlv_dictionary *dictionary, size_t n,
										 const int64_t *items, const char *what, int32_t *position);

/* What ids of three sets are called, as it is stored: sections "name_ids", "name_offsets" and
 * "names". */
typedef struct tlv_named_ids
{
	size_t n, bytes_n;
	int64_t *ids, *offsets;
	char *bytes;
} tlv_named_ids;

/*
 * The names of the ids of sets whose ids are names, at positions that are marked (used[t] NULL: at
 * all).  block, which keeps them, has room for 2 n + 1 numbers and the bytes of the table.  Errors:
 * memory, TLV_CANCELLED.
 */
extern tlv_status tlv_named_ids_list(tlv_context *ctx, const tlv_name_table *names,
									 const tlv_dictionary sets[3], const bool named[3],
									 bool *const used[3], int64_t *block, tlv_named_ids *list);

/* The parts of a section of keys, which is as declared, are below d[t]: TLV_CORRUPT otherwise. */
extern tlv_status tlv_triple_check(tlv_context *ctx, const tlv_frame *frame, const char *section,
								   const size_t d[3]);

#endif /* TLV_TRIPLE_TABLE_H */
