/*
 * internal.h - what the files of category moments share: the layout of
 * the tables, the accumulator, the block of rows that is counted at once.
 */
#ifndef TENSORLV_CATEGORY_INTERNAL_H
#define TENSORLV_CATEGORY_INTERNAL_H

#include "tensorlv/model/categories.h"

/* Where the tables of p variables begin; the last entry of an offset is the number of all. */
typedef struct category_layout
{
	size_t p;
	int64_t *states;	/* p */
	size_t *offset;		/* p + 1: of a variable's first state */
	size_t *pair_row;	/* p + 1: of the tables (a, a + 1) */
	size_t *triple_row; /* p + 1: of the tables (a, a + 1, a + 2) */
} category_layout;

/* Arrays of a layout of p variables, states 0. */
extern tlv_status category_layout_create(tlv_context *ctx, size_t p, category_layout *layout);
extern void category_layout_free(tlv_context *ctx, category_layout *layout);

/* Fills in the offsets; at most 20000 variables of at most 100 states: nothing overflows. */
extern void category_layout_place(category_layout *layout);

/* Where the table of a < b, or a < b < c, begins. */
static inline size_t
category_pair_offset(const category_layout *layout, size_t a, size_t b)
{
	return layout->pair_row[a] +
		   (size_t) layout->states[a] * (layout->offset[b] - layout->offset[a + 1]);
}

static inline size_t
category_triple_offset(const category_layout *layout, size_t a, size_t b, size_t c)
{
	return layout->triple_row[a] +
		   (size_t) layout->states[a] *
			   (layout->pair_row[b] - layout->pair_row[a + 1] +
				(size_t) layout->states[b] * (layout->offset[c] - layout->offset[b + 1]));
}

/* The layout that an open value shows. */
static inline category_layout
category_layout_of(const tlv_category_tables *tables)
{
	return (category_layout){
		.p = tables->p,
		.states = (int64_t *) (uintptr_t) tables->states,
		.offset = (size_t *) (uintptr_t) tables->offset,
		.pair_row = (size_t *) (uintptr_t) tables->pair_row,
		.triple_row = (size_t *) (uintptr_t) tables->triple_row,
	};
}

/* All tables of one accumulator or one set of replicates. */
typedef struct category_sums
{
	double *singles;
	double *pairs;
	double *triples;	  /* or NULL */
	double *part_rows;	  /* of parts of the rows, as many as there are replicates */
	double *part_singles; /* x replicates */
	double *part_pairs;
} category_sums;

/* The categories of a variable, by code. */
typedef struct category_names
{
	tlv_text *name;
	size_t n, room;
} category_names;

typedef struct category_state
{
	tlv_accumulator base;
	int told;			   /* 0: no row has come */
	category_names *names; /* p, of categories told by name; or NULL */
	int32_t *codes;		   /* p: of one row */
	bool replicates_known; /* not yet of an accumulator that only merges */
	size_t replicates;
	uint64_t seed;			/* of the parts that rows are dealt to */
	double rows;			/* counted, without the block */
	bool dropped;			/* triples are */
	category_layout layout; /* p is 0 before the first row */
	category_sums sums;
	/* The block: rows not yet counted, a byte for every value, 1 + state, 0 for missing. */
	size_t block_rows;
	size_t block_room;
	size_t block_most;
	uint8_t *block;	  /* block_room x p */
	uint8_t *largest; /* p: code in the block */
	uint8_t *least;	  /* p */
} category_state;

/* ---- layout.c: the tables ---- */

/* Makes room for `states` of p variables, where that is more; counts are kept.  Triples are dropped
 * when they become too many. */
extern tlv_status category_grow(tlv_context *ctx, category_state *state, size_t p,
								const int64_t *states);
/* Adds tables of another layout, whose states are not more, multiplied by a factor; state x of a
 * variable is state map[offset + x] here (NULL: x). */
extern tlv_status category_add_tables(tlv_context *ctx, const category_layout *from,
									  const tlv_category_tables *tables, double times,
									  const int32_t *map, const category_layout *to,
									  category_sums *sums);
/* Renumbers the states of the tables: state x of a variable becomes map[offset + x]. */
extern tlv_status category_rearrange(tlv_context *ctx, category_state *state, const int32_t *map);
extern void category_drop_triples(tlv_context *ctx, category_state *state);
/* TLV_GONE for replicates that were drawn row by row in the pass: they are not parts of the rows.
 */
extern tlv_status category_refuse_drawn(tlv_context *ctx, const tlv_frame *frame);

/* ---- names.c ---- */

/* All rows tell their categories in the same way: TLV_BAD_PARAMETER otherwise. */
extern tlv_status category_tell(tlv_context *ctx, category_state *state, int told);
/* A row's names as state->codes.  Errors: TLV_LIMIT for too many of a variable, memory. */
extern tlv_status category_codes_of_names(tlv_context *ctx, category_state *state,
										  const tlv_part *part);
/* The codes here of a value's categories, new ones where they have not been seen. */
extern tlv_status category_map_names(tlv_context *ctx, category_state *state,
									 const tlv_category_tables *tables, int32_t **map);
/* Tables for all categories that have names. */
extern tlv_status category_grow_to_names(tlv_context *ctx, category_state *state);
/* Codes in the order of the names: before a value is stored. */
extern tlv_status category_sort_names(tlv_context *ctx, category_state *state);
/* Adds the sections of the names; they are builder->owned. */
extern tlv_status category_add_names(tlv_context *ctx, const category_state *state,
									 tlv_frame_builder *builder);
/* Names, where there are any, are those of the states of the layout, in order: TLV_CORRUPT. */
extern tlv_status category_check_names(tlv_context *ctx, const tlv_frame *frame,
									   const category_layout *layout);

/* ---- block.c ---- */

typedef struct category_block
{
	const category_layout *layout;
	size_t n;
	size_t words;
	size_t room; /* bytes from one column to the next; 64 x words are set */
	uint8_t
		*columns;  /* p x room, 0 behind the n-th row; NULL where planes are all that is needed */
	size_t *order; /* p: variables by number of states */
	size_t *first_plane; /* by position in order, p + 1 */
	uint64_t *planes;	 /* of a variable: its states but the last, then, where values are missing,
						  * those    present */
	bool *missing;		 /* p */
	/* Counts of the block; of every variable's last state in an "extended" table stands the number
	 * of rows where it is present at all. */
	uint32_t *singles; /* by offset of the layout, extended */
	uint32_t *pairs;   /* by pair of the layout, extended; only when triples are counted */
} category_block;

/* Counts the rows of the block into the sums, which have room for their states. */
extern tlv_status category_count(tlv_context *ctx, category_state *state);
/* Makes room, counts the rows of the block, and empties it. */
extern tlv_status category_flush(tlv_context *ctx, category_state *state);

/* Planes of the variable at that position. */
static inline size_t
category_planes(const category_block *block, size_t position)
{
	return block->first_plane[position + 1] - block->first_plane[position];
}

/* Cycles for one row of a table of two or three codes, beside tlv_plane_cost(). */
#define CATEGORY_TABLE_COST 1.1

/* ---- subtract.c: the member of the class ---- */

extern tlv_status category_subtract(tlv_context *ctx, tlv_accumulator *accumulator,
									const tlv_frame *frame, bool exactly, bool *done);

/* ---- triples.c, bootstrap.c ---- */

extern tlv_status category_count_triples(tlv_context *ctx, const category_block *block,
										 double *triples);

/* Deals the rows of the block to parts, and counts every part. */
extern tlv_status category_count_parts(tlv_context *ctx, const category_state *state);

#endif /* TENSORLV_CATEGORY_INTERNAL_H */
