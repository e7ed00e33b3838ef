/*
 * internal.h - what the files of tlv_graph share: variable-length
 * numbers, sorted runs of edges, and the walk over a stored graph.
 *
 * Inside, ids are biased: the sign bit is flipped, so that their order is that
 * of unsigned numbers.
 */
#ifndef TENSORLV_GRAPH_INTERNAL_H
#define TENSORLV_GRAPH_INTERNAL_H

#include <math.h>
#include <string.h>

#include "tensorlv/num/dictionary.h"
#include "tensorlv/model/graph.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/rng.h"

/* Bytes of the longest variable-length number. */
#define VARINT_MAX 10
/* Work between two looks at whether the caller wants to stop. */
#define GRAPH_STOP_STRIDE ((size_t) 1 << 18)
/* Whole numbers are exact, and kept as such, up to here. */
#define GRAPH_MAX_WHOLE 0x1p53

/* Counts work, and looks after a stride of it. */
static inline tlv_status
graph_count_work(tlv_context *ctx, size_t *work, size_t more)
{
	*work += more;
	if (*work < GRAPH_STOP_STRIDE)
		return TLV_OK;
	*work = 0;
	TLV_TRY_CONTINUE(ctx);
	return TLV_OK;
}

static inline bool
is_whole(double weight)
{
	return weight >= 0 && weight <= GRAPH_MAX_WHOLE && weight == floor(weight);
}

static inline uint64_t
bias(int64_t id)
{
	return (uint64_t) id ^ (UINT64_C(1) << 63);
}

static inline int64_t
unbias(uint64_t id)
{
	return (int64_t) (id ^ (UINT64_C(1) << 63));
}

/* Small numbers of either sign as small unsigned ones. */
static inline uint64_t
zigzag(uint64_t difference)
{
	return (difference << 1) ^ (uint64_t) - (int64_t) (difference >> 63);
}

static inline uint64_t
unzigzag(uint64_t code)
{
	return (code >> 1) ^ (uint64_t) - (int64_t) (code & 1);
}

static inline uint8_t *
put_varint(uint8_t *at, uint64_t value)
{
	while (value >= 0x80)
	{
		*at++ = (uint8_t) (value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t) value;
	return at;
}

static inline size_t
varint_size(uint64_t value)
{
	size_t size = 1;

	for (; value >= 0x80; value >>= 7)
		size++;
	return size;
}

/* The same without a loop, whose length nobody can predict; writes up to VARINT_MAX bytes. */
static inline uint8_t *
put_gap(uint8_t *at, uint64_t value)
{
	unsigned length = (63 - (unsigned) __builtin_clzll(value | 1)) / 7 + 1;

	if (length > 8)
		return put_varint(at, value);
	value = (value & UINT64_C(0x0fffffff)) | ((value & UINT64_C(0x00fffffff0000000)) << 4);
	value = (value & UINT64_C(0x00003fff00003fff)) | ((value & UINT64_C(0x0fffc0000fffc000)) << 2);
	value = (value & UINT64_C(0x007f007f007f007f)) | ((value & UINT64_C(0x3f803f803f803f80)) << 1);
	value |= UINT64_C(0x8080808080808080) & ((UINT64_C(1) << (8 * (length - 1))) - 1);
	memcpy(at, &value, sizeof(value));
	return at + length;
}

/* Of bytes known to be valid. */
static inline const uint8_t *
get_varint(const uint8_t *at, uint64_t *value)
{
	uint64_t byte = *at++, result = byte & 0x7f;

	for (unsigned shift = 7; byte >= 0x80; shift += 7)
	{
		byte = *at++;
		result |= (byte & 0x7f) << shift;
	}
	*value = result;
	return at;
}

/* The same without a loop, where eight bytes may be read. */
static inline const uint8_t *
get_gap(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	uint64_t bytes, stop;

	if (end - at < (ptrdiff_t) sizeof(bytes))
		return get_varint(at, value);
	memcpy(&bytes, at, sizeof(bytes));
	stop = ~bytes & UINT64_C(0x8080808080808080);
	if (stop == 0)
		return get_varint(at, value);
	bytes &= stop ^ (stop - 1);
	bytes = (bytes & UINT64_C(0x007f007f007f007f)) | ((bytes & UINT64_C(0x7f007f007f007f00)) >> 1);
	bytes = (bytes & UINT64_C(0x00003fff00003fff)) | ((bytes & UINT64_C(0x3fff00003fff0000)) >> 2);
	*value = (bytes & UINT64_C(0x0fffffff)) | ((bytes & UINT64_C(0x0fffffff00000000)) >> 4);
	return at + (__builtin_ctzll(stop) + 1) / 8;
}

/* ---- sorted runs of edges ---- */

/* How the weights of a run are kept; each form holds what the ones before it hold. */
typedef enum run_weights
{
	RUN_ONES,  /* not at all: all are 1 */
	RUN_WHOLE, /* variable-length whole numbers up to 2^53 */
	RUN_FLOAT  /* float64 */
} run_weights;

/*
 * Distinct edges by (source, target), delta-coded.  Every row: a zero; the
 * source less the last row's; the first target less the last row's first,
 * zigzag; then the gaps between targets, none zero.  Of one-set graphs an edge
 * from a node to itself only says that the node is there; its weight is 1.
 */
typedef struct edge_run
{
	uint8_t *bytes;
	size_t size;
	uint8_t *weights;
	size_t weights_size;
	run_weights form;
	size_t entries;
	size_t rows;
	uint64_t low[2]; /* least and greatest source and target */
	uint64_t high[2];
} edge_run;

typedef struct run_cursor
{
	const uint8_t *at;
	const uint8_t *end;
	const uint8_t *weights;
	run_weights form;
	size_t left;
	uint64_t src;
	uint64_t dst;
	uint64_t first;
	double weight;
} run_cursor;

static inline void
run_open(run_cursor *cursor, const edge_run *run)
{
	*cursor = (run_cursor){.at = run->bytes,
						   .end = run->bytes + run->size,
						   .weights = run->weights,
						   .form = run->form,
						   .left = run->entries,
						   .weight = 1};
}

static inline void
run_next_weight(run_cursor *cursor)
{
	if (cursor->form == RUN_FLOAT)
	{
		memcpy(&cursor->weight, cursor->weights, sizeof(double));
		cursor->weights += sizeof(double);
	}
	else
	{
		uint64_t whole;

		cursor->weights = get_varint(cursor->weights, &whole);
		cursor->weight = (double) whole;
	}
}

static inline bool
run_next(run_cursor *cursor)
{
	uint64_t gap, code;

	if (cursor->left == 0)
		return false;
	cursor->left--;
	cursor->at = get_gap(cursor->at, cursor->end, &gap);
	if (gap != 0)
		cursor->dst += gap;
	else
	{
		cursor->at = get_varint(cursor->at, &gap);
		cursor->src += gap;
		cursor->at = get_varint(cursor->at, &code);
		cursor->first += unzigzag(code);
		cursor->dst = cursor->first;
	}
	if (cursor->form != RUN_ONES)
		run_next_weight(cursor);
	return true;
}

typedef struct run_writer
{
	edge_run run;
	size_t room;
	size_t weights_room;
	uint64_t src, dst, first;
} run_writer;

/* Begins a run with room for so many bytes; it grows when needed. */
extern tlv_status tlv_run_begin(tlv_context *ctx, run_writer *writer, size_t room);
/* Appends an edge behind the last one. */
extern tlv_status tlv_run_put(tlv_context *ctx, run_writer *writer, uint64_t src, uint64_t dst,
							  double weight);
/* Gives back much superfluous room. */
extern void tlv_run_end(tlv_context *ctx, run_writer *writer);
extern void tlv_run_free(tlv_context *ctx, edge_run *run);

/* The ends of an edge as messages show them. */
extern void tlv_graph_show_edge(const tlv_name_table names[2], bool one_set, const run_cursor *edge,
								char shown[2][TLV_SHOWN_NAME]);

/* subtract: of the first run the second; else their sum.  with_nodes: entries of one-set graphs
 * that say that a node is there stay; otherwise they go, as the edges left say it.  negative: some
 * weight is or was, so that what is left may be. */
typedef struct run_combination
{
	bool one_set, subtract, with_nodes, negative;
	const tlv_name_table *names; /* two, of sources and targets */
} run_combination;

/* One run of two, which stay as they are.  Error: TLV_BAD_DATA where more is subtracted than the
 * graph contains. */
extern tlv_status tlv_run_combine(tlv_context *ctx, const run_combination *of, const edge_run *a,
								  const edge_run *b, edge_run *run);

typedef struct raw_edge
{
	uint64_t src, dst;
} raw_edge;

/* A run of n > 0 unsorted edges, which are lost; weight NULL: all 1. */
extern tlv_status tlv_run_from_edges(tlv_context *ctx, bool one_set, size_t n, raw_edge *edge,
									 const double *weight, edge_run *run);

/* ---- from ids to positions ---- */

/* One node of a hashed set. */
typedef struct node_slot
{
	uint64_t id;
	uint32_t rank;
	uint32_t used;
} node_slot;

/*
 * A set of ids, then their ranks: a bitmap with counts when their range is
 * narrow, a hash table otherwise.
 */
typedef struct node_index
{
	size_t n;
	uint64_t low;
	size_t words;
	uint64_t *bits;	  /* NULL: hashed */
	uint32_t *before; /* ids below every word */
	node_slot *slots; /* hash.h */
	size_t mask;
	uint64_t *sorted; /* hashed ids, ascending */
} node_index;

/* For ids between low and high that `uses` edges name. */
extern tlv_status tlv_node_index_begin(tlv_context *ctx, node_index *index, uint64_t low,
									   uint64_t high, size_t uses);
extern tlv_status tlv_node_index_add_hashed(tlv_context *ctx, node_index *index, uint64_t id);
/* Ranks the ids; TLV_LIMIT when they are too many. */
extern tlv_status tlv_node_index_finish(tlv_context *ctx, node_index *index);
extern void tlv_node_index_free(tlv_context *ctx, node_index *index);
/* At most so many bytes are written, the number of them returned. */
extern size_t tlv_node_index_room(const node_index *index);
extern size_t tlv_node_index_write(const node_index *index, uint8_t *bytes);
/* The ids, ascending: n of them. */
extern void tlv_node_index_list(const node_index *index, int64_t *ids);

static inline tlv_status
node_index_add(tlv_context *ctx, node_index *index, uint64_t id)
{
	uint64_t distance = id - index->low;

	if (index->bits == NULL)
		return tlv_node_index_add_hashed(ctx, index, id);
	index->bits[distance >> 6] |= UINT64_C(1) << (distance & 63);
	return TLV_OK;
}

#define TLV_HASH_NAME			   node_index
#define TLV_HASH_TABLE			   node_index
#define TLV_HASH_SLOT			   node_slot
#define TLV_HASH_USED(table, slot) ((slot).used)
#define TLV_HASH_KEY(table, slot)  ((slot).id)
#include "tensorlv/num/hash.h"

/* Asks for the memory that holds an id, which will soon be needed. */
static inline void
node_index_ahead(const node_index *index, uint64_t id)
{
	if (index->bits == NULL)
		node_index_prefetch(index, id);
}

static inline uint32_t
node_index_rank(const node_index *index, uint64_t id)
{
	uint64_t distance = id - index->low, word;

	if (index->bits == NULL)
		return node_index_slot_of(index, id)->rank;
	word = index->bits[distance >> 6] & ((UINT64_C(1) << (distance & 63)) - 1);
	return index->before[distance >> 6] + (uint32_t) __builtin_popcountll(word);
}

/* Edges between a cursor and the one ahead of it that has memory fetched for it. */
#define RUN_AHEAD 12

static inline void
run_open_ahead(run_cursor *cursor, const edge_run *run, const node_index *index)
{
	run_open(cursor, run);
	if (index->bits != NULL) /* small enough without */
		cursor->left = 0;
	cursor->form = RUN_ONES; /* weights are not wanted */
	for (int i = 0; i < RUN_AHEAD; i++)
		(void) run_next(cursor);
}

/* ---- stored graphs ---- */

/* A walk over positions; ids are decoded only where they are wanted. */
typedef struct entry_cursor
{
	bool undirected;
	const uint8_t *at;
	const uint8_t *end;
	const uint8_t *multiplicities; /* or NULL */
	uint64_t ones;				   /* weights of 1 that come next */
	const double *weights;		   /* or NULL */
	size_t rows;
	size_t row;	   /* plus 1 */
	size_t left;   /* entries of this row */
	uint64_t base; /* least column that may come */
	double weight;
} entry_cursor;

extern void tlv_entry_open(const tlv_frame *frame, entry_cursor *cursor);

/* The number of entries of the next row; there must be one. */
static inline size_t
entry_next_row(entry_cursor *cursor)
{
	uint64_t count;

	cursor->at = get_varint(cursor->at, &count);
	cursor->base = cursor->undirected ? cursor->row + 1 : 0;
	cursor->row++;
	return (size_t) count;
}

/*
 * Multiplicities: an odd code is a weight above 1, an even one the length of a row of ones, each
 * less what it is at least.
 */
static inline uint64_t
multiplicity_code(uint64_t weight)
{
	return 2 * (weight - 2) + 1;
}

static inline uint64_t
ones_code(uint64_t length)
{
	return 2 * (length - 1);
}

static inline void
entry_next_multiplicity(entry_cursor *cursor)
{
	uint64_t code;

	cursor->weight = 1;
	if (cursor->ones > 0)
	{
		cursor->ones--;
		return;
	}
	cursor->multiplicities = get_varint(cursor->multiplicities, &code);
	if (code % 2 == 1)
		cursor->weight = (double) ((code >> 1) + 2);
	else
		cursor->ones = code / 2;
}

/* The next column of the row; the entry's weight is left in the cursor. */
static inline uint32_t
entry_next_column(entry_cursor *cursor)
{
	uint64_t gap, column;

	cursor->at = get_gap(cursor->at, cursor->end, &gap);
	column = cursor->base + gap;
	cursor->base = column + 1;
	if (cursor->weights != NULL)
		cursor->weight = *cursor->weights++;
	else if (cursor->multiplicities != NULL)
		entry_next_multiplicity(cursor);
	return (uint32_t) column;
}

/*
 * Several entries of a row at once: what they point to is then asked for at
 * once, too, rather than waited for one by one.
 */
#define ENTRY_BATCH 64
typedef struct entry_batch
{
	size_t n;
	uint32_t column[ENTRY_BATCH];
	double weight[ENTRY_BATCH];
} entry_batch;

/* The next entries of a row of which `left` are left. */
static inline void
entry_take(entry_cursor *cursor, size_t left, entry_batch *batch)
{
	batch->n = left < ENTRY_BATCH ? left : ENTRY_BATCH;
	for (size_t e = 0; e < batch->n; e++)
	{
		batch->column[e] = entry_next_column(cursor);
		batch->weight[e] = cursor->weight;
	}
}

/* The next entries of the graph, all of row cursor->row - 1; a row without any has a batch of none.
 * False at the end. */
static inline bool
entry_next_batch(entry_cursor *cursor, entry_batch *batch)
{
	if (cursor->left == 0)
	{
		if (cursor->row == cursor->rows)
			return false;
		cursor->left = entry_next_row(cursor);
	}
	entry_take(cursor, cursor->left, batch);
	cursor->left -= batch->n;
	return true;
}

/* The ids of source and target nodes, of one set the same; both are freed together. */
extern tlv_status tlv_graph_decode_sides(tlv_context *ctx, const tlv_frame *frame,
										 int64_t *nodes[2]);
extern void tlv_graph_free_sides(tlv_context *ctx, int64_t *nodes[2]);

/* What a graph being collected knows besides its edges. */
typedef struct graph_totals
{
	tlv_graph_kind kind;
	bool weighted;
	double self_loops;
	double self_loop_weight;
	double nulls;
	bool large; /* as of the accumulator */
} graph_totals;

/* Sections of the names of sources and of targets. */
extern const tlv_name_sections tlv_graph_name_sections[2];

/* Describes the stored form of a run (NULL: no edges), with the names of sources and targets (of
 * one set the first table alone); its numbers are left in builder->owned. */
extern tlv_status tlv_graph_build_image(tlv_context *ctx, const graph_totals *totals,
										const edge_run *run, const tlv_name_table names[2],
										tlv_frame_builder *builder);

/* TLV_LIMIT: so many edges do not fit into a value. */
extern tlv_status tlv_graph_too_large(tlv_context *ctx, size_t entries);

/* The accumulator of a kind, for the records of the kinds. */
extern const tlv_accumulator_class tlv_graph_accumulator_classes[3];

#endif /* TENSORLV_GRAPH_INTERNAL_H */
