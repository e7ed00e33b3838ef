/*
 * row.h - a row of any form, which accumulators add and from which models infer, and the posterior
 * that a model infers.
 *
 * Rows are read from datums on floor 3 (src/pg/rows), and collected by accumulators
 * (accumulator.h).
 */
#ifndef TENSORLV_ROW_H
#define TENSORLV_ROW_H

#include "tensorlv/num/bag.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/names.h"

/* Kinds of rows; a class states the set of those that it takes. */
typedef enum tlv_row_form
{
	TLV_ROW_BAG = 1,			/* a sparse vector of counts or weights */
	TLV_ROW_EDGE = 2,			/* two nodes and a weight */
	TLV_ROW_VECTOR = 4,			/* one part of float64, n = 1; elements may be missing */
	TLV_ROW_VIEWS = 8,			/* three parts of float64, n = 1; a part may be missing */
	TLV_ROW_CATEGORIES = 16,	/* three parts of one id each; a part may be missing */
	TLV_ROW_SEQUENCE = 32,		/* one part of float64, n steps of d numbers */
	TLV_ROW_SYMBOLS = 64,		/* one part of ids, n steps, d = 1 */
	TLV_ROW_CODES = 128,		/* one part of codes, n = 1: a row of d categorical variables */
	TLV_ROW_LABELS = 256,		/* two parts of one id each: label pairs */
	TLV_ROW_COVERS = 512,		/* two parts of n ids: sets of labels */
	TLV_ROW_MEMBERSHIPS = 1024, /* two parts of float64, n = 1: membership vectors */
	TLV_ROW_NAMED_EDGE = 2048,	/* an edge whose nodes have names */
	TLV_ROW_ANSWER = 4096,		/* three parts of one id: item, worker (may be missing), answer */
	TLV_ROW_ANSWERS = 8192,		/* two parts of n ids: workers, and what they answer of one item */
	TLV_ROW_NEIGHBOURS = 32768, /* a node, and the bag of its neighbours */
	TLV_ROW_ENTRY = 65536		/* three parts of one id, and a value: an entry of a tensor */
} tlv_row_form;

/* All of them. */
#define TLV_ROW_FORMS 0x1ffffu

/* In the set of a class: elements of a vector, whole views may be missing; of vectors that come
 * one at a time or many together. */
#define TLV_ROWS_MISSING_ELEMENTS 0x1000000u
#define TLV_ROWS_MISSING_VIEWS	  0x2000000u
#define TLV_ROWS_MISSING_OF_MANY  0x4000000u

/* How a statistic identifies categories ("told"). */
#define TLV_CATEGORIES_BY_NUMBER 1
#define TLV_CATEGORIES_BY_NAME	 2

typedef enum tlv_part_type
{
	TLV_PART_NONE,	/* the part is missing */
	TLV_PART_IDS,	/* int64_t */
	TLV_PART_CODES, /* int32_t from 0; -1: missing */
	TLV_PART_FLOAT64
} tlv_part_type;

/* n x d numbers, step by step. */
typedef struct tlv_part
{
	tlv_part_type type;
	size_t n;
	size_t d;
	union
	{
		const int64_t *ids;
		const int32_t *codes;
		const double *float64;
		const void *data;
	};
	/* n x d, or NULL: nothing is.  A missing number is NaN, a missing code -1, so that who reads
	 * them needs no mask. */
	const bool *missing;
	const tlv_text *names; /* of symbols, answers and entries: n, or NULL: they are numbers */
} tlv_part;

typedef struct tlv_edge
{
	int64_t source, target;
	double weight;
	tlv_text name[2]; /* of a named edge: of source and target, bytes NULL for a number */
} tlv_edge;

/* A row of an adjacency matrix; its bag is where that of a bag is, so that it can be seen as one.
 */
typedef struct tlv_neighbours
{
	const tlv_bag_image *bag;
	int64_t node;
} tlv_neighbours;

typedef struct tlv_row
{
	tlv_row_form form;
	union
	{
		const tlv_bag_image *bag;
		tlv_neighbours neighbours;
		tlv_edge edge;
		tlv_part part[3]; /* those that a form does not have are not looked at */
	};
	double value;  /* of an entry */
	bool missing;  /* an entry whose value is missing */
	double weight; /* the number of rows that it counts as; 0: one */
} tlv_row;

static inline double
tlv_row_weight(const tlv_row *row)
{
	return row->weight > 0 ? row->weight : 1;
}

/* ---- rows of numbers that lie in memory: pointers to rows that live as long as the block ---- */

#define TLV_PART(what, rows, columns, numbers)                                                     \
	{                                                                                              \
		.type = (what), .n = (rows), .d = (columns), .data = (numbers)                             \
	}

#define TLV_AS_EDGE(from, to, value)                                                               \
	(&(const tlv_row){.form = TLV_ROW_EDGE,                                                        \
					  .edge = {.source = (from), .target = (to), .weight = (value)}})
/* d numbers x */
#define TLV_AS_VECTOR(d, x)                                                                        \
	(&(const tlv_row){.form = TLV_ROW_VECTOR, .part = {TLV_PART(TLV_PART_FLOAT64, 1, d, x)}})
/* arrays of three: numbers of the views, their places */
#define TLV_AS_VIEWS(d, x)                                                                         \
	(&(const tlv_row){.form = TLV_ROW_VIEWS,                                                       \
					  .part = {TLV_PART(TLV_PART_FLOAT64, 1, (d)[0], (x)[0]),                      \
							   TLV_PART(TLV_PART_FLOAT64, 1, (d)[1], (x)[1]),                      \
							   TLV_PART(TLV_PART_FLOAT64, 1, (d)[2], (x)[2])}})
/* an array of three ids */
#define TLV_AS_CATEGORIES(x)                                                                       \
	(&(const tlv_row){.form = TLV_ROW_CATEGORIES,                                                  \
					  .part = {TLV_PART(TLV_PART_IDS, 1, 1, (x)),                                  \
							   TLV_PART(TLV_PART_IDS, 1, 1, (x) + 1),                              \
							   TLV_PART(TLV_PART_IDS, 1, 1, (x) + 2)}})
/* n steps of d numbers x */
#define TLV_AS_SEQUENCE(n, d, x)                                                                   \
	(&(const tlv_row){.form = TLV_ROW_SEQUENCE, .part = {TLV_PART(TLV_PART_FLOAT64, n, d, x)}})
/* n ids */
#define TLV_AS_SYMBOLS(n, symbols)                                                                 \
	(&(const tlv_row){.form = TLV_ROW_SYMBOLS, .part = {TLV_PART(TLV_PART_IDS, n, 1, symbols)}})
/* d codes */
#define TLV_AS_CODES(d, values)                                                                    \
	(&(const tlv_row){.form = TLV_ROW_CODES, .part = {TLV_PART(TLV_PART_CODES, 1, d, values)}})

/* What rows of a form are called, in the plural. */
extern const char *tlv_row_name(tlv_row_form form);

/* TLV_BAD_DATA unless all three parts of a row of views or categories are there. */
extern tlv_status tlv_row_require_parts(tlv_context *ctx, const tlv_row *row);

/* TLV_BAD_PARAMETER where a double does not hold the id, as of one that is told by name. */
extern tlv_status tlv_require_exact_id(tlv_context *ctx, int64_t id, tlv_text name);

/* ---- posteriors ---- */

/*
 * A posterior: n blocks, one behind the other in values; one block for a vector or a bag, n for a
 * sequence of n steps, and for a tree one for every hidden variable and then for every missing one.
 * A block is of probabilities summing to 1 (of a tree of Gaussian variables, of means).  All blocks
 * have `width` numbers, or, where widths is given, block i has widths[i].
 *
 * Zeroed to begin with, it may be filled again and again: its memory, the context's, stays until
 * tlv_posterior_free.
 */
typedef struct tlv_posterior
{
	size_t n;
	size_t width;
	size_t *widths; /* or NULL */
	double *values;
	size_t total;			  /* numbers in values */
	size_t room, widths_room; /* of the memory */
	size_t *widths_memory;
} tlv_posterior;

/* For models: n blocks of the same width. */
extern tlv_status tlv_posterior_begin(tlv_context *ctx, tlv_posterior *posterior, size_t n,
									  size_t width);
/* n blocks of the given widths (a copy is made). */
extern tlv_status tlv_posterior_begin_blocks(tlv_context *ctx, tlv_posterior *posterior, size_t n,
											 const size_t *widths);
extern void tlv_posterior_free(tlv_context *ctx, tlv_posterior *posterior);

/* Is none of d codes a category? */
static inline bool
tlv_codes_missing(size_t d, const int32_t *codes)
{
	for (size_t v = 0; v < d; v++)
		if (codes[v] >= 0)
			return false;
	return true;
}

#endif /* TENSORLV_ROW_H */
