/*
 * internal.h - what the files of moments of sequences share.
 */
#ifndef TENSORLV_SEQUENCES_INTERNAL_H
#define TENSORLV_SEQUENCES_INTERNAL_H

#include "tensorlv/model/sequences.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_sums.h"

/* Numbers that a vector has at most, as those of models. */
#define MOST_NUMBERS ((size_t) 4000)

typedef enum sequence_form
{
	FORM_UNKNOWN,
	FORM_SYMBOLS,
	FORM_VECTORS,
	FORM_NAMED, /* symbols that are identified by name, as they are stored */
	FORM_WIDE	/* vectors of too many numbers for third moments: no windows are kept */
} sequence_form;

/* The sizes: of vectors their dimension three times (view_sums.h), of symbols these. */
#define SIZE_ITEMS TLV_SIZE_1
#define SIZE_NAMES TLV_SIZE_2
#define SIZE_CELLS TLV_SIZE_3
#define SIZE_BYTES TLV_SIZE_4

typedef struct sequence_state
{
	tlv_declared declared;
	sequence_form form;
	double sequences;
	double too_short;
	double steps;
	/* symbols */
	tlv_dictionary dictionary;
	tlv_triple_table table;
	double *initial; /* by position: how often first; of vectors, the sum of the first ones */
	bool *apart;	 /* by position: in a sequence without a window, counted nowhere */
	size_t room;
	tlv_name_table names; /* of symbols, those of short sequences too */
	bool taken;			  /* sequences have been taken out again */
	/* their stored form */
	int64_t *items;
	double *first; /* initial, by item */
	int64_t *cells;
	double *counts;
	int64_t *name_ids, *name_offsets;
	char *name_bytes;
	/* vectors */
	tlv_view_sums sums;
	size_t wide; /* numbers of wide ones */
} sequence_state;

/* ---- moments.c ---- */

/* Sequences of one form and of another are refused. */
extern tlv_status sequence_set_form(tlv_context *ctx, sequence_state *state, sequence_form form);
/* Room for the first symbols of `n` positions. */
extern tlv_status sequence_grow_initial(tlv_context *ctx, sequence_state *state, size_t n);

/* ---- vectors.c ---- */

/* Of wide vectors only how sequences begin is kept. */
extern tlv_status sequence_add_vectors(tlv_context *ctx, sequence_state *state, size_t n, size_t d,
									   const double *x, const bool *missing);
extern tlv_status sequence_merge_vectors(tlv_context *ctx, tlv_accumulator *accumulator,
										 const tlv_frame *frame);
extern tlv_status sequence_merge_wide(tlv_context *ctx, tlv_accumulator *accumulator,
									  const tlv_frame *frame);
/* Rows that wait go into the sums. */
extern tlv_status sequence_flush_vectors(tlv_context *ctx, tlv_accumulator *accumulator);
extern tlv_status sequence_describe_vectors(tlv_context *ctx, tlv_accumulator *accumulator,
											void **owned);
extern tlv_status sequence_describe_wide(tlv_context *ctx, tlv_accumulator *accumulator,
										 void **owned);
extern tlv_status sequence_check_wide(tlv_context *ctx, const tlv_frame *frame,
									  const size_t *sizes);
extern tlv_status sequence_check_vectors(tlv_context *ctx, const tlv_frame *frame, const size_t *d);

#endif /* TENSORLV_SEQUENCES_INTERNAL_H */
