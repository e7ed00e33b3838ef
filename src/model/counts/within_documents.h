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
#include "tensorlv/model/kind.h"

/*
 * Documents are held if the sums, with their part of the subspace, have more values than this
 * number for every item of a document: three times the size of a bag.  Other values hold sums and
 * all of the subspace that they need.
 */
#define TLV_NUMBERS_AN_ENTRY 3

/* About what an item that occurs takes in totals. */
#define TLV_TOTAL_BYTES 2

/* A class of such a kind, whose state begins with a tlv_within_state: that of the accumulator, and
 * what is different from kind to kind. */
typedef struct tlv_within_class
{
	tlv_accumulator_class class;
	const tlv_sections *told; /* of values that hold documents */
	/* Sizes: the items, scales, shares and basis that a value holds of its subspace, 0 where it
	 * refers to it; sums over items, 0 where there are none, or TLV_ONE: they are always there; and
	 * those of the documents. */
	tlv_dimension items, sums, documents, entries;
	/* Of sums that hold the basis through which documents go: where the state has it; 0: they do
	 * not, and go through the scaled directions of the subspace instead. */
	size_t basis;
	/* One of rows in a subspace. */
	tlv_status (*create)(tlv_context *ctx, const tlv_subspace *subspace,
						 tlv_accumulator **accumulator);
	/* What only rows need beside the head of the state; NULL: nothing. */
	tlv_status (*allocate)(tlv_context *ctx, tlv_within_state *state);
	/* The rows of the block, whose y is there, into the sums but the square. */
	tlv_status (*take)(tlv_context *ctx, tlv_within_state *state);
	/* What tokens of the same place add to the square and the sums, off these. */
	tlv_status (*correct)(tlv_context *ctx, tlv_within_state *state);
	/* Whether documents of the given number of bytes and items are held rather than summed. */
	bool (*smaller)(const tlv_accumulator *accumulator, double bytes, size_t items);
	/* Whether sums are to refer to their subspace; NULL: those that follow from it do not. */
	bool (*refers)(const tlv_accumulator *accumulator);
} tlv_within_class;

/* The members of the accumulator's class: list is that of sums. */
#define TLV_WITHIN_CLASS(list)                                                                     \
	.sections = (list), .form = tlv_within_form, .merge = tlv_within_merge,                        \
	.build = tlv_within_build, .store = tlv_within_store, .exact = tlv_within_exact,               \
	.rows = TLV_ROW_BAG, .add = tlv_within_add

/* The declarations of both forms of a kind's values, sums_sections and told_sections, of the list
 * of sums; most is that of the width, further members come behind. */
#define TLV_WITHIN_FORMS(code, type, SIZE_DOCUMENTS, SIZE_ENTRIES, width, list, ...)               \
	static const tlv_declaration sums_list[] = {list};                                             \
	static const tlv_declaration told_list[] = {                                                   \
		list,                                                                                      \
		TLV_DOCUMENT_LIST(SIZE_DOCUMENTS, SIZE_ENTRIES, tlv_within_state, within.documents)};      \
	static const tlv_sections sums_sections = {TLV_WITHIN_FORM(code, type, width),                 \
											   TLV_LIST(sums_list), __VA_ARGS__};                  \
	static const tlv_sections told_sections = {                                                    \
		TLV_WITHIN_FORM(code, type, width), TLV_LIST(told_list), .takes_away = true, __VA_ARGS__}
#define TLV_WITHIN_FORM(code, type, width)                                                         \
	.state = sizeof(type), .kind = (code), .flush = tlv_within_flush,                              \
	.no_sums = tlv_document_no_sums, .most = {(width),                                             \
											  TLV_DICTIONARY_MAX,                                  \
											  TLV_DICTIONARY_MAX,                                  \
											  TLV_DICTIONARY_MAX,                                  \
											  TLV_DICTIONARY_MAX,                                  \
											  TLV_DICTIONARY_MAX}

/* An accumulator of rows in a subspace, of these sizes. */
extern tlv_status tlv_within_create(tlv_context *ctx, const tlv_kind *kind,
									const tlv_subspace *subspace, const size_t *sizes,
									tlv_accumulator **accumulator);

/* That of a value of such a kind: of sums, or with documents. */
extern const tlv_sections *tlv_within_form(const tlv_frame *frame);

/* The check of such a kind. */
extern tlv_status tlv_within_check(tlv_context *ctx, const tlv_frame *frame);

/* Whether they are held rather than summed, given the number of values of the sums and the bytes of
 * the documents. */
extern bool tlv_within_few(const tlv_within *within, double bytes, double numbers);

/* The hooks of the accumulator's class and of its sections. */
extern tlv_status tlv_within_add(tlv_context *ctx, tlv_accumulator *accumulator,
								 const tlv_row *row);
extern tlv_status tlv_within_flush(tlv_context *ctx, tlv_accumulator *accumulator);
extern tlv_status tlv_within_merge(tlv_context *ctx, tlv_accumulator *accumulator,
								   const tlv_frame *frame);
extern tlv_status tlv_within_build(tlv_context *ctx, tlv_accumulator *accumulator,
								   tlv_frame_builder *builder);
extern tlv_status tlv_within_store(tlv_context *ctx, tlv_accumulator *accumulator,
								   tlv_frame_builder *builder);
extern bool tlv_within_exact(const tlv_accumulator *accumulator, const tlv_frame *frame);

/* A value that holds documents as sums, by the subspace that it was collected in. */
extern tlv_status tlv_within_sums(tlv_context *ctx, const tlv_frame *frame,
								  const tlv_frame *subspace, tlv_frame *sums);

/*
 * Whether the documents of a value are such as are held, their items below `below`: it has no items
 * of its subspace then.  *summed gets the number of documents that are in the sums.
 */
extern tlv_status tlv_within_check_documents(tlv_context *ctx, const tlv_frame *frame, size_t below,
											 double *summed);

#endif /* TENSORLV_COUNT_WITHIN_DOCUMENTS_H */
