/*
 * documents.h - the documents of a small value: while there are few they are smaller than the sums
 * over them, and are held in their place; sums follow from them whenever they are read.
 *
 * A document is held once, with its multiplicity, which is negative if the document was subtracted
 * from sums that do not hold it separately.  Stored documents are ascending, so that equal
 * documents make equal values, and equal sums, in whatever order they came or were merged.
 *
 * Sections: document_times (n), document_rest (n: tokens whose items are not distinguished),
 * document_sizes (n), and one after the other document_items and document_counts.
 */
#ifndef TENSORLV_COUNT_DOCUMENTS_H
#define TENSORLV_COUNT_DOCUMENTS_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/model/sections.h"

/* Entries that are held where sums could be made. */
#define TLV_HELD_ENTRIES ((size_t) 1 << 14)

typedef struct tlv_held_document
{
	double times;
	double rest;
	size_t at; /* its first entry */
	size_t n;
} tlv_held_document;

typedef struct tlv_held_documents
{
	tlv_held_document *list;
	size_t n, room;
	int64_t *items;
	double *counts;
	size_t entries, entries_room;
	size_t settled;			  /* entries when equal documents were last merged */
	size_t settled_documents; /* documents that were left then */
	double total;			  /* documents and entries as they came, those taken away subtracted */
	void *block;			  /* of the stored form: */
	double *stored_times, *stored_rest, *stored_sizes, *stored_counts;
	int64_t *stored_items;
} tlv_held_documents;

/* One of them, for those who add it to their sums. */
typedef struct tlv_told_document
{
	double times, length;
	size_t n;
	const int64_t *items;
	const double *counts;
} tlv_told_document;

typedef tlv_status (*tlv_document_taker)(tlv_context *ctx, void *state,
										 const tlv_told_document *document);

/* Sections of the stored form, for lists of declarations: sizes are those of documents and of
 * entries, and held is the member of the state. */
#define TLV_DOCUMENT_LIST(SIZE_DOCUMENTS, SIZE_ENTRIES, state, held)                               \
	{"document_times",                                                                             \
	 TLV_FLOAT64,                                                                                  \
	 SIZE_DOCUMENTS,                                                                               \
	 TLV_ONE,                                                                                      \
	 TLV_ANY,                                                                                      \
	 TLV_OWN,                                                                                      \
	 offsetof(state, held.stored_times)},                                                          \
		{"document_rest",                                                                          \
		 TLV_FLOAT64,                                                                              \
		 SIZE_DOCUMENTS,                                                                           \
		 TLV_ONE,                                                                                  \
		 TLV_WHOLE,                                                                                \
		 TLV_OWN,                                                                                  \
		 offsetof(state, held.stored_rest)},                                                       \
		{"document_sizes",                                                                         \
		 TLV_FLOAT64,                                                                              \
		 SIZE_DOCUMENTS,                                                                           \
		 TLV_ONE,                                                                                  \
		 TLV_WHOLE,                                                                                \
		 TLV_OWN,                                                                                  \
		 offsetof(state, held.stored_sizes)},                                                      \
		{"document_items",                                                                         \
		 TLV_INT64,                                                                                \
		 SIZE_ENTRIES,                                                                             \
		 TLV_ONE,                                                                                  \
		 TLV_ANY,                                                                                  \
		 TLV_OWN,                                                                                  \
		 offsetof(state, held.stored_items)},                                                      \
	{                                                                                              \
		"document_counts", TLV_FLOAT64, SIZE_ENTRIES, TLV_ONE, TLV_COUNTED, TLV_OWN,               \
			offsetof(state, held.stored_counts)                                                    \
	}

/* Of them what multiplying a value leaves alone (tlv_sections.no_sums). */
extern const char *const tlv_document_no_sums[];

/* Whether a value holds documents. */
extern bool tlv_documents_told(const tlv_frame *frame);

/* Holds one more, its items ascending; where its entries will be is no matter.  Errors: memory. */
extern tlv_status tlv_documents_hold(tlv_context *ctx, tlv_held_documents *held,
									 const tlv_held_document *document, const int64_t *items,
									 const double *counts);

/* Holds those of a value, if it has any. */
extern tlv_status tlv_documents_hold_frame(tlv_context *ctx, tlv_held_documents *held,
										   const tlv_frame *frame);

/* Sorts documents in ascending order, merges equal ones, and removes those of multiplicity 0. */
extern tlv_status tlv_documents_settle(tlv_context *ctx, tlv_held_documents *held);

/* The same now and then, so that what goes as it comes takes no memory; *many says that there are
 * more than are worth holding. */
extern tlv_status tlv_documents_settle_some(tlv_context *ctx, tlv_held_documents *held, bool *many);

/* Hands all over, ascending. */
extern tlv_status tlv_documents_tell(tlv_context *ctx, tlv_held_documents *held, void *state,
									 tlv_document_taker take);

/* Holds none, and gives back the memory. */
extern void tlv_documents_drop(tlv_context *ctx, tlv_held_documents *held);

/* The stored form, of settled documents; it is valid until the next change. */
extern tlv_status tlv_documents_describe(tlv_context *ctx, tlv_held_documents *held);

/* About how many bytes settled documents take when they are stored, and their distinct items. */
extern tlv_status tlv_documents_size(tlv_context *ctx, const tlv_held_documents *held,
									 double *bytes, size_t *distinct);

/* Errors: TLV_BAD_DATA where one was taken away that was not there. */
extern tlv_status tlv_documents_require_left(tlv_context *ctx, const tlv_held_documents *held);

/* What the documents of a value add up to. */
typedef struct tlv_document_sums
{
	double documents, tokens, squared_lengths;
	double least_times;
} tlv_document_sums;

extern void tlv_documents_add_up(const tlv_frame *frame, tlv_document_sums *sums);

/* Whether stored documents are such as are written here, TLV_CORRUPT otherwise: items are below
 * `below` unless it is 0. */
extern tlv_status tlv_documents_check(tlv_context *ctx, const tlv_frame *frame, size_t below);

#endif /* TENSORLV_COUNT_DOCUMENTS_H */
