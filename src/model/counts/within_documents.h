/*
 * within_documents.h - documents within a subspace that are held in the place of the sums over them
 * (documents.h): what kinds that can do so have in common.
 *
 * While there are few they are held by the places of their items in the subspace.  Their value
 * refers to the subspace by its digest; without it they stay documents, however many are merged,
 * until they meet sums that hold the basis: a sum of parts holds it if one of these does, whoever
 * collected them, so that no plan of workers or shards makes it refer.
 */
#ifndef TENSORLV_COUNT_WITHIN_DOCUMENTS_H
#define TENSORLV_COUNT_WITHIN_DOCUMENTS_H

#include "within.h"

/*
 * Documents are held if the sums, with their part of the subspace, have more values than this
 * number for every item of a document: three times the size of a bag.  Other values hold sums and
 * all of the subspace that they need.
 */
#define TLV_NUMBERS_AN_ENTRY 3

/* About what an item that occurs takes in totals. */
#define TLV_TOTAL_BYTES 2

/* A class of such a kind: that of the accumulator, and what is different from kind to kind. */
typedef struct tlv_within_class
{
	tlv_accumulator_class class;
	size_t within;			  /* where the state has its tlv_within */
	const tlv_sections *told; /* of values that hold documents */
	/* Sizes: the items, scales, shares and basis that a value holds of its subspace, 0 where it
	 * refers to it, or TLV_ONE: it always does; sums over items, 0 where there are none, or
	 * TLV_ONE: they are always there; and those of the documents. */
	tlv_dimension items, sums, documents, entries;
	/* Adds the known items of a document and its length, multiplied by its multiplicity, to the
	 * sums. */
	tlv_status (*enter)(tlv_context *ctx, tlv_accumulator *accumulator, tlv_document *document,
						double times);
	/* Whether documents of the given number of bytes and items are held rather than summed. */
	bool (*smaller)(const tlv_accumulator *accumulator, double bytes, size_t items);
	/* Of sums that hold the basis through which documents go: where the state has it, and what only
	 * rows need, to be allocated; NULL: they do not. */
	size_t basis;
	tlv_status (*allocate)(tlv_context *ctx, tlv_accumulator *accumulator);
	/* Whether sums are to refer to their subspace; NULL: those that follow from it do not. */
	bool (*refers)(const tlv_accumulator *accumulator);
} tlv_within_class;

/* The members of the accumulator's class: list is that of sums. */
#define TLV_WITHIN_CLASS(list)                                                                     \
	.sections = (list), .form = tlv_within_form, .merge = tlv_within_merge,                        \
	.build = tlv_within_build, .store = tlv_within_store, .exact = tlv_within_exact

/* That of a value of such a kind: of sums, or with documents. */
extern const tlv_sections *tlv_within_form(const tlv_frame *frame);

/* The check of such a kind. */
extern tlv_status tlv_within_check(tlv_context *ctx, const tlv_frame *frame);

/* Holds a document whose items are known; one that is closed enters at once, without this. */
extern tlv_status tlv_within_hold(tlv_context *ctx, tlv_accumulator *accumulator,
								  const tlv_document *document);

/* Whether they are held rather than summed, given the number of values of the sums and the bytes of
 * the documents. */
extern bool tlv_within_few(const tlv_within *within, double bytes, double numbers);

/* The hooks of the accumulator's class. */
extern tlv_status tlv_within_merge(tlv_context *ctx, tlv_accumulator *accumulator,
								   const tlv_frame *frame);
extern tlv_status tlv_within_build(tlv_context *ctx, tlv_accumulator *accumulator,
								   tlv_frame_builder *builder);
extern tlv_status tlv_within_store(tlv_context *ctx, tlv_accumulator *accumulator,
								   tlv_frame_builder *builder);
extern bool tlv_within_exact(const tlv_accumulator *accumulator, const tlv_frame *frame);

/* A value as sums, by an empty accumulator of the subspace that it was collected in. */
extern tlv_status tlv_within_sums(tlv_context *ctx, tlv_accumulator *accumulator,
								  const tlv_frame *frame, tlv_frame *sums);

/*
 * Whether the documents of a value are such as are held, their items below `below`: it has no items
 * of its subspace then.  *summed gets the number of documents that are in the sums.
 */
extern tlv_status tlv_within_check_documents(tlv_context *ctx, const tlv_frame *frame, size_t below,
											 double *summed);

#endif /* TENSORLV_COUNT_WITHIN_DOCUMENTS_H */
