/*
 * within_documents.c - documents within a subspace that are held in the place of sums
 * (within_documents.h).
 */
#include "within_documents.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

static const tlv_within_class *
count_class_of(const tlv_accumulator *accumulator)
{
	return (const tlv_within_class *) accumulator->class;
}

static tlv_within *
within_of(const tlv_accumulator *accumulator)
{
	return &((tlv_within_state *) accumulator)->within;
}

/* What it holds of its subspace, 0 where it refers to it. */
static size_t
count_items_of(const tlv_accumulator *accumulator)
{
	return ((const tlv_declared *) accumulator)->sizes[count_class_of(accumulator)->items];
}

static void
set_items(tlv_accumulator *accumulator, size_t n)
{
	((tlv_declared *) accumulator)->sizes[count_class_of(accumulator)->items] = n;
}

static bool
holds_basis(const tlv_accumulator *accumulator)
{
	return count_class_of(accumulator)->basis != 0;
}

/* The same of a stored value. */
static size_t
items_held(const tlv_frame *frame)
{
	const tlv_section *items = tlv_frame_find(frame, "items");

	return items == NULL ? 0 : items->rows;
}

static size_t *
size_of(const tlv_accumulator *accumulator, tlv_dimension size)
{
	return ((tlv_declared *) accumulator)->sizes + size;
}

const tlv_sections *
tlv_within_form(const tlv_frame *frame)
{
	const tlv_within_class *class = (const tlv_within_class *) frame->kind->accumulator;

	return tlv_documents_told(frame) ? class->told : class->class.sections;
}

tlv_status
tlv_within_check(tlv_context *ctx, const tlv_frame *frame)
{
	return tlv_sections_check(ctx, frame, tlv_within_form(frame));
}

/* ---- rows into the sums ---- */

/* What only rows need. */
static tlv_status
allocate_rows(tlv_context *ctx, tlv_within_state *state)
{
	const tlv_within_class *class = count_class_of(&state->declared.base);
	size_t width = state->within.subspace->width, d = state->within.subspace->d;

	TLV_TRY(tlv_alloc_numbers(ctx, &state->square, width * width));
	TLV_TRY(tlv_count_block_init(ctx, &state->block, width, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->scaled, width * state->block.room_rows));
	return class->allocate == NULL ? TLV_OK : class->allocate(ctx, state);
}

tlv_status
tlv_within_create(tlv_context *ctx, const tlv_kind *kind, const tlv_subspace *subspace,
				  const size_t *sizes, tlv_accumulator **accumulator)
{
	size_t width = subspace->width;
	tlv_within_state *state;

	TLV_TRY(tlv_sections_create(ctx, kind->accumulator, sizes, accumulator));
	state = (tlv_within_state *) *accumulator;
	state->within.subspace = subspace;
	tlv_sections_take(*accumulator, &subspace->frame);
	state->within.fingerprint = subspace->fingerprint;
	if (holds_basis(*accumulator))
	{
		double *basis = *(double **) ((char *) state + count_class_of(*accumulator)->basis);

		for (size_t i = 0; i < subspace->d; i++) /* the leading directions of the block */
			memcpy(basis + i * width, subspace->basis + i * subspace->block,
				   width * sizeof(double));
	}
	return allocate_rows(ctx, state);
}

/* All rows of the block into the sums. */
static tlv_status
flush_block(tlv_context *ctx, tlv_within_state *state)
{
	tlv_count_block *block = &state->block;
	const tlv_subspace *subspace = state->within.subspace;
	size_t width = subspace->width, rows = block->rows;

	if (rows == 0)
		return TLV_OK;
	TLV_TRY(tlv_count_block_gather(
		ctx, block, subspace->weights != NULL ? subspace->weights : subspace->basis));
	for (size_t t = 0; t < rows; t++)
		for (size_t j = 0; j < width; j++)
			state->scaled[t * width + j] = block->s2[t] * block->y[t * width + j];
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, rows, 1, state->scaled, width, block->y, width,
					 1, state->square, width));
	TLV_TRY(count_class_of(&state->declared.base)->take(ctx, state));
	state->uncorrected += rows;
	tlv_count_block_reset(block);
	return TLV_OK;
}

/* Known items of a document, and its length, multiplied by its multiplicity, into the block. */
static tlv_status
enter_document(tlv_context *ctx, tlv_within_state *state, tlv_document *document, double times)
{
	bool full;

	if (!holds_basis(&state->declared.base))
		for (size_t i = 0; i < document->n_known; i++)
			document->known[i] *= state->within.subspace->scale[document->index[i]];
	TLV_TRY(tlv_count_block_add(ctx, &state->block, document, times, &full));
	return full ? flush_block(ctx, state) : TLV_OK;
}

/* Rows that wait enter the sums, and what is uncorrected becomes complete. */
tlv_status
tlv_within_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	tlv_within_state *state = (tlv_within_state *) accumulator;
	const tlv_subspace *subspace = state->within.subspace;

	if (subspace == NULL)
		return TLV_OK;
	TLV_TRY(flush_block(ctx, state));
	if (state->uncorrected == 0)
		return TLV_OK;
	TLV_TRY(count_class_of(accumulator)->correct(ctx, state));
	memset(state->correction, 0, subspace->d * sizeof(double));
	memset(state->square, 0, subspace->width * subspace->width * sizeof(double));
	state->uncorrected = 0;
	return TLV_OK;
}

/* ---- documents that are held into the sums ---- */

/* One that was held: its items are their places. */
static tlv_status
enter_told(tlv_context *ctx, void *argument, const tlv_told_document *told)
{
	tlv_document document = {.length = told->length, .n_known = told->n};
	tlv_status status;

	TLV_TRY_NEW(ctx, document.index, told->n + 1);
	document.known = tlv_alloc(ctx, told->n + 1, sizeof(double));
	TLV_TRY_ALLOC(ctx, document.known);
	for (size_t i = 0; i < told->n; i++)
	{
		document.index[i] = (int32_t) told->items[i];
		document.known[i] = told->counts[i];
	}
	status = enter_document(ctx, argument, &document, told->times);
	tlv_free(ctx, document.index);
	tlv_free(ctx, document.known);
	return status;
}

/* The subspace, as far as the values that were merged hold it: documents are known by places. */
static tlv_status
open_held(tlv_context *ctx, tlv_accumulator *accumulator)
{
	tlv_within *within = within_of(accumulator);
	const double *basis = *(double **) ((char *) accumulator + count_class_of(accumulator)->basis);
	size_t d = count_items_of(accumulator), width = *size_of(accumulator, TLV_SIZE_1);
	tlv_subspace *subspace;

	TLV_TRY_NEW0(ctx, subspace, 1);
	subspace->d = d;
	subspace->width = subspace->block = subspace->rank = width;
	subspace->distinct = within->distinct != 0;
	TLV_TRY(tlv_alloc_numbers(ctx, &subspace->weights, width * d));
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t j = 0; j < width; j++)
			subspace->weights[i * width + j] = within->scale[i] * basis[i * width + j];
	}
	within->subspace = subspace;
	within->no_rows = true;
	return allocate_rows(ctx, (tlv_within_state *) accumulator);
}

/* Whether values that were merged hold what documents go through.  Documents that were subtracted
 * from sums remain documents, so that they can be added again. */
static tlv_status
can_open(tlv_context *ctx, tlv_accumulator *accumulator, bool *can)
{
	tlv_held_documents *held = &within_of(accumulator)->documents;

	*can = holds_basis(accumulator) && held->n > 0 && count_items_of(accumulator) > 0;
	if (*can)
		TLV_TRY(tlv_documents_settle(ctx, held));
	for (size_t t = 0; *can && t < held->n; t++)
	{
		TLV_TRY_CONTINUE_AT(ctx, t);
		*can = held->list[t].times > 0;
	}
	return TLV_OK;
}

/* No documents are held from now on: what only values are merged into that do not hold their basis
 * goes on to hold them. */
static tlv_status
close_documents(tlv_context *ctx, tlv_accumulator *accumulator)
{
	tlv_within *within = within_of(accumulator);
	bool can;

	if (within->subspace == NULL)
	{
		TLV_TRY(can_open(ctx, accumulator, &can));
		if (!can)
			return TLV_OK;
		TLV_TRY(open_held(ctx, accumulator));
	}
	within->closed = true;
	TLV_TRY(tlv_documents_tell(ctx, &within->documents, accumulator, enter_told));
	tlv_documents_drop(ctx, &within->documents);
	return TLV_OK;
}

/* Holds a document whose items are known. */
static tlv_status
hold_document(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_document *document)
{
	tlv_within *within = within_of(accumulator);
	tlv_held_document held = {.times = 1, .rest = document->length, .n = document->n_known};
	bool many;

	if (document->n_known > within->places_room)
	{
		size_t room = document->n_known + document->n_known / 2;

		tlv_free(ctx, within->places);
		within->places_room = 0;
		TLV_TRY_NEW(ctx, within->places, room);
		within->places_room = room;
	}
	for (size_t i = 0; i < document->n_known; i++)
	{
		within->places[i] = document->index[i];
		held.rest -= document->known[i];
	}
	TLV_TRY(tlv_documents_hold(ctx, &within->documents, &held, within->places, document->known));
	TLV_TRY(tlv_documents_settle_some(ctx, &within->documents, &many));
	return many ? close_documents(ctx, accumulator) : TLV_OK;
}

/* The document of a bag, and its items that the subspace knows; *counts: it has tokens enough, else
 * it is counted as skipped. */
static tlv_status
read_document(tlv_context *ctx, tlv_within_state *state, const tlv_bag_image *bag, bool *counts)
{
	tlv_within *within = &state->within;
	tlv_document *document = &state->document;

	if (within->subspace == NULL || within->no_rows)
		return tlv_accumulator_refuse_rows(ctx, &state->declared.base);
	TLV_TRY(tlv_document_decode(ctx, document, bag));
	*counts = !(document->length < TLV_MIN_LENGTH);
	if (!*counts)
	{
		*(document->length == 0 ? &state->declared.base.nulls : &within->skipped) += 1;
		return TLV_OK;
	}
	return tlv_dictionary_map(ctx, &within->subspace->dictionary, document->n, document->items,
							  document->counts, document->index, document->known,
							  &document->n_known);
}

tlv_status
tlv_within_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	tlv_within_state *state = (tlv_within_state *) accumulator;
	tlv_document *document = &state->document;
	bool counts = false;

	TLV_TRY(read_document(ctx, state, row->bag, &counts));
	if (!counts)
		return TLV_OK;
	TLV_TRY(state->within.closed ? enter_document(ctx, state, document, 1)
								 : hold_document(ctx, accumulator, document));
	state->documents++;
	state->tokens += document->length;
	state->squared_lengths += document->length * document->length;
	return TLV_OK;
}

/* ---- merging ---- */

/* Of those that are in the sums, 0 where all are held. */
static double
summed_documents(const tlv_frame *frame, tlv_document_sums *sums)
{
	/* Of the documents: what counters may be rounded by. */
	const double counters_tolerance = 1e-6;
	double documents = tlv_frame_scalar(frame, "documents", 0);

	tlv_documents_add_up(frame, sums);
	return fabs(documents - sums->documents) <= counters_tolerance * fabs(documents)
			   ? 0
			   : documents - sums->documents;
}

/* The same value without what it holds of its subspace. */
static tlv_status
merge_referring(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	static const char *const held[] = {"items", "scale", "shares", "basis"};
	tlv_frame referring = *frame;
	tlv_section *table;
	tlv_status status;

	TLV_TRY_NEW(ctx, table, frame->header->sections);
	memcpy(table, frame->table, frame->header->sections * sizeof(*table));
	for (uint32_t i = 0; i < frame->header->sections; i++)
		for (size_t h = 0; h < sizeof(held) / sizeof(held[0]); h++)
			if (strcmp(table[i].name, held[h]) == 0)
				*(h == 3 ? &table[i].columns : &table[i].rows) = 0;
	referring.table = table;
	status = tlv_sections_merge(ctx, accumulator, &referring);
	tlv_free(ctx, table);
	return status;
}

/* Parts of which one only refers to the subspace make a sum that does, unless what the other holds
 * of it is enough for documents. */
static tlv_status
merge_items(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	size_t before = count_items_of(accumulator);
	bool refers = items_held(frame) == 0;
	bool holds = holds_basis(accumulator);
	tlv_status status;

	if (!((tlv_declared *) accumulator)->known || (before == 0) == refers)
		return tlv_sections_merge(ctx, accumulator, frame);
	if (!refers)
		return merge_referring(ctx, accumulator, frame);
	/* rows that follow go on to see the whole of it */
	set_items(accumulator, 0);
	status = tlv_sections_merge(ctx, accumulator, frame);
	if (holds || within_of(accumulator)->subspace != NULL)
		set_items(accumulator, before);
	return status;
}

/* Sums that are there in one of both only. */
static tlv_status
merge_sums(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	const tlv_within_class *class = count_class_of(accumulator);
	size_t sizes[TLV_SIZES], *own, before;
	tlv_status status;

	if (!((tlv_declared *) accumulator)->known || class->sums == TLV_ONE)
		return merge_items(ctx, accumulator, frame);
	tlv_sections_sizes(frame, class->class.sections, sizes);
	own = size_of(accumulator, class->sums);
	if (*own == 0 && sizes[class->sums] > 0)
		TLV_TRY(tlv_sections_resize(ctx, accumulator, class->sums, sizes[class->sums]));
	before = *own;
	if (sizes[class->sums] == 0)
		*own = 0;
	status = merge_items(ctx, accumulator, frame);
	*own = before;
	return status;
}

/* What the value holds of its subspace, for an accumulator that refers to it. */
static tlv_status
take_held(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	size_t n = items_held(frame);

	if (n == 0 || count_items_of(accumulator) > 0 || !holds_basis(accumulator))
		return TLV_OK;
	TLV_TRY(tlv_sections_resize(ctx, accumulator, count_class_of(accumulator)->items, n));
	tlv_sections_take(accumulator, frame);
	return TLV_OK;
}

/* A value may come from anywhere: its documents are of items that the subspace has. */
static tlv_status
require_places(tlv_context *ctx, const tlv_within *within, const tlv_frame *frame)
{
	const int64_t *items = tlv_frame_int64(frame, "document_items");
	size_t n = items == NULL ? 0 : tlv_frame_find(frame, "document_items")->rows;

	for (size_t i = 0; within->subspace != NULL && i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (items[i] < 0 || (uint64_t) items[i] >= within->subspace->d)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "the moments do not fit their subspace");
			return tlv_fail_hint(ctx, "Give the subspace that they were collected in.");
		}
	}
	return TLV_OK;
}

/* Sums, documents, or both. */
tlv_status
tlv_within_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	tlv_within *within = within_of(accumulator);
	tlv_document_sums sums;
	bool many;

	TLV_TRY(require_places(ctx, within, frame));
	TLV_TRY(merge_sums(ctx, accumulator, frame));
	TLV_TRY(take_held(ctx, accumulator, frame));
	within->summed |= summed_documents(frame, &sums) != 0;
	TLV_TRY(tlv_documents_hold_frame(ctx, &within->documents, frame));
	TLV_TRY(tlv_documents_settle_some(ctx, &within->documents, &many));
	return within->closed || within->summed || many ? close_documents(ctx, accumulator) : TLV_OK;
}

/* Documents of both are held separately. */
bool
tlv_within_exact(const tlv_accumulator *accumulator, const tlv_frame *frame)
{
	const tlv_within *within = within_of(accumulator);
	tlv_document_sums sums;

	return !within->closed && !within->summed && summed_documents(frame, &sums) == 0;
}

/* ---- stored values ---- */

/* Referring to their subspace, with the documents that are held, which are settled. */
static tlv_status
build_told(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	const tlv_within_class *class = count_class_of(accumulator);
	tlv_declared *state = (tlv_declared *) accumulator;
	tlv_within *within = within_of(accumulator);
	size_t before[TLV_SIZES];
	tlv_status status;

	TLV_TRY(tlv_documents_describe(ctx, &within->documents));
	memcpy(before, state->sizes, sizeof(before));
	state->sizes[class->documents] = within->documents.n;
	state->sizes[class->entries] = within->documents.entries;
	set_items(accumulator, 0);
	if (class->sums != TLV_ONE && !within->summed)
		state->sizes[class->sums] = 0;
	status = tlv_sections_build_form(ctx, accumulator, class->told, builder);
	memcpy(state->sizes, before, sizeof(before));
	return status;
}

tlv_status
tlv_within_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	const tlv_within_class *class = count_class_of(accumulator);
	size_t before = count_items_of(accumulator);
	tlv_status status;

	TLV_TRY(close_documents(ctx, accumulator));
	TLV_TRY(tlv_documents_settle(ctx, &within_of(accumulator)->documents));
	if (within_of(accumulator)->documents.n > 0)
		return build_told(ctx, accumulator, builder);
	if (class->refers != NULL && class->refers(accumulator))
		set_items(accumulator, 0);
	status = tlv_sections_build(ctx, accumulator, builder);
	set_items(accumulator, before);
	return status;
}

bool
tlv_within_few(const tlv_within *within, double bytes, double numbers)
{
	return numbers > TLV_NUMBERS_AN_ENTRY * (double) within->documents.entries &&
		   bytes < sizeof(double) * numbers;
}

/* What was merged and cannot be summed without its subspace stays as it is. */
tlv_status
tlv_within_store(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	tlv_within *within = within_of(accumulator);
	bool smaller = true;
	double bytes;
	size_t items;

	TLV_TRY(tlv_documents_settle(ctx, &within->documents));
	if (!within->summed)
		TLV_TRY(tlv_documents_require_left(ctx, &within->documents));
	if (within->subspace != NULL && within->documents.n > 0)
	{
		TLV_TRY(tlv_documents_size(ctx, &within->documents, &bytes, &items));
		smaller = count_class_of(accumulator)->smaller(accumulator, bytes, items);
	}
	if (within->documents.n == 0 || !smaller)
		return tlv_within_build(ctx, accumulator, builder);
	return build_told(ctx, accumulator, builder);
}

tlv_status
tlv_within_sums(tlv_context *ctx, const tlv_frame *frame, const tlv_frame *subspace,
				tlv_frame *sums)
{
	const tlv_within_class *class = (const tlv_within_class *) frame->kind->accumulator;
	tlv_frame_builder *builder;
	tlv_accumulator *accumulator;
	tlv_subspace *opened;
	void *image;
	size_t size;

	TLV_TRY(tlv_subspace_open(ctx, subspace, class->basis != 0, &opened));
	TLV_TRY(class->create(ctx, opened, &accumulator));
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(tlv_within_merge(ctx, accumulator, frame));
	TLV_TRY(tlv_within_build(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, &image, &size));
	TLV_TRY(tlv_kind_require_made(ctx, image, size));
	return tlv_frame_open(ctx, image, size, sums);
}

/* Documents are held of sums that refer to their subspace; none of what was never there. */
tlv_status
tlv_within_check_documents(tlv_context *ctx, const tlv_frame *frame, size_t below, double *summed)
{
	tlv_document_sums sums;

	TLV_TRY(tlv_documents_check(ctx, frame, below));
	*summed = summed_documents(frame, &sums);
	if (items_held(frame) != 0 || tlv_frame_find(frame, "document_times")->rows == 0 ||
		!(*summed >= 0) || (*summed == 0 && !(sums.least_times > 0)))
		return tlv_fail(ctx, TLV_CORRUPT, "%g documents are held, and the counters say otherwise",
						sums.documents);
	return TLV_OK;
}
