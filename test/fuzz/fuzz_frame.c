/*
 * fuzz_frame.c - bytes of unknown origin as a stored value: moments, subspace
 * or model.  Whatever validation lets through is then used as the server
 * would use it; nothing may crash or read out of bounds.
 *
 * Input: one byte of mode, then the image.  With bit 0 of the mode set, the
 * fields that mutations break first (version, sizes, offsets, fingerprint,
 * numbers that are not finite) are repaired, so that mutations reach the
 * checks of the kinds.
 */
#include <math.h>

#include "../unit/pool.h"
#include "tensorlv/count_moments.h"
#include "tensorlv/dense_moments.h"
#include "tensorlv/kind.h"
#include "tensorlv/lda.h"
#include "tensorlv/linalg.h"

#define MAX_SIZE	 16384
#define MEMORY_LIMIT ((size_t) 32 << 20)
#define MODE_REPAIR	 1
#define MODE_SEARCH	 2 /* estimate alpha0 */
#define MODE_SINGLE	 4 /* single topic model */
#define MODE_SGD	 8 /* other methods than joint */
#define MODE_POWER	 16

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pool memory;
static tlv_context ctx;
static tlv_frame_builder builder;

/* Return from a use that fails; errors are what is expected here. */
#define USE(expression)                                                                            \
	do                                                                                             \
	{                                                                                              \
		if ((expression) != TLV_OK)                                                                \
			return;                                                                                \
	} while (0)

static size_t
align8(size_t n)
{
	return (n + 7) & ~(size_t) 7;
}

/* Puts the sections one behind the other; the frame's new size, or 0 when it is too large. */
static size_t
repair_table(tlv_frame_header *header, size_t size)
{
	tlv_section *table = (tlv_section *) (header + 1);
	size_t most = (size - sizeof(*header)) / sizeof(tlv_section), at;

	if (header->sections > most)
		header->sections = (uint32_t) most;
	at = sizeof(*header) + header->sections * sizeof(tlv_section);
	for (uint32_t i = 0; i < header->sections; i++)
	{
		tlv_section *section = &table[i];

		section->element = 1 + (section->element + 2) % 3;
		section->reserved = 0;
		section->rows %= MAX_SIZE;
		section->columns %= MAX_SIZE;
		section->offset = at;
		at += align8(section->rows * section->columns * tlv_element_size(section->element));
		if (at > 4 * MAX_SIZE)
			return 0;
	}
	return at;
}

static void
repair_numbers(char *image, const tlv_section *section)
{
	size_t bytes = section->rows * section->columns * tlv_element_size(section->element);
	double *numbers = (double *) (image + section->offset);

	for (size_t i = 0; section->element == TLV_FLOAT64 && i < bytes / 8; i++)
		if (!isfinite(numbers[i]))
			numbers[i] = 1;
	memset(image + section->offset + bytes, 0, align8(bytes) - bytes);
}

static void
set_fingerprint(tlv_frame_header *header)
{
	header->fingerprint = tlv_fingerprint(header + 1, header->size - sizeof(*header),
										  ((uint64_t) header->type << 8) | header->kind);
}

/* A repaired copy in memory of the exact size, or NULL. */
static char *
repaired(const uint8_t *data, size_t size, size_t *new_size)
{
	char *image;
	tlv_frame_header *header;

	if (size < sizeof(tlv_frame_header))
		return NULL;
	image = calloc(1, 4 * MAX_SIZE + MAX_SIZE);
	memcpy(image, data, size);
	header = (tlv_frame_header *) image;
	*new_size = repair_table(header, size);
	if (*new_size > 0)
	{
		char *exact = malloc(*new_size);

		memcpy(exact, image, *new_size);
		free(image);
		image = exact;
		header = (tlv_frame_header *) image;
		header->version = TLV_FRAME_VERSION;
		header->type = (uint8_t) (1 + (header->type + 2) % 3);
		header->reserved = 0;
		header->size = *new_size;
		for (uint32_t i = 0; i < header->sections; i++)
			repair_numbers(image, (const tlv_section *) (header + 1) + i);
		set_fingerprint(header);
		return image;
	}
	free(image);
	return NULL;
}

/* Up to 12 items of the frame with counts 1, 2, 3, ...; and one that it hardly has. */
static const tlv_bag_image *
bag_of(const tlv_frame *frame, size_t from)
{
	const tlv_section *section = tlv_frame_find(frame, "items");
	const int64_t *items = tlv_frame_int64(frame, "items");
	tlv_bag_entry entries[16], work[16];
	int64_t ids[16];
	double counts[16];
	size_t n = 0;
	void *image;

	entries[n++] = (tlv_bag_entry){INT64_C(-77777777777), 2};
	for (size_t i = from; items != NULL && i < section->rows * section->columns && n < 13; i++, n++)
		entries[n] = (tlv_bag_entry){items[i], (double) n};
	n = tlv_bag_sort(n, entries, work);
	for (size_t i = 0; i < n; i++)
	{
		ids[i] = entries[i].item;
		counts[i] = entries[i].weight;
	}
	image = tlv_alloc(&ctx, tlv_bag_size(n, ids, counts), 1);
	if (image != NULL)
		tlv_bag_write(n, ids, counts, image);
	return image;
}

/* Rows, then the stored form; false on error. */
static bool
collect(tlv_accumulator *accumulator, const tlv_frame *like, tlv_frame *frame)
{
	void *image;
	size_t size;

	for (size_t t = 0; t < 3; t++)
	{
		const tlv_bag_image *bag = bag_of(like, t);

		if (bag == NULL || accumulator->class->add_bag(&ctx, accumulator, bag) != TLV_OK)
			return false;
	}
	return accumulator->class->build(&ctx, accumulator, &builder) == TLV_OK &&
		   tlv_frame_finish(&ctx, &builder, &image, &size) == TLV_OK &&
		   tlv_frame_open(&ctx, image, size, frame) == TLV_OK;
}

static void
use_subspace(const tlv_frame *frame)
{
	tlv_subspace_options options = {0, 0, false, 1};

	tlv_subspace_change(frame);
	for (int compressed = 0; compressed < 2; compressed++)
	{
		tlv_subspace *subspace;
		tlv_accumulator *accumulator;
		tlv_frame moments;
		void *image;
		size_t size;

		USE(tlv_subspace_open(&ctx, frame, compressed, &subspace));
		USE(compressed ? tlv_count_triples_create(&ctx, subspace, &accumulator)
					   : tlv_count_products_create(&ctx, subspace, &accumulator));
		if (!collect(accumulator, frame, &moments))
			return;
		accumulator->class->merge(&ctx, accumulator, &moments);
		if (!compressed)
			tlv_subspace_from_moments(&ctx, &moments, &options, &image, &size);
	}
}

/* Vectors of the subspace's length, and what comes of them. */
static void
use_dense_subspace(const tlv_frame *frame)
{
	tlv_accumulator *accumulator;
	tlv_dense_central central;
	size_t d = tlv_frame_find(frame, "basis")->rows, size;
	double *x = tlv_alloc(&ctx, d, sizeof(double));
	tlv_frame moments;
	void *image;

	if (x == NULL)
		return;
	USE(tlv_dense_compressed_create(&ctx, frame, &accumulator));
	for (size_t t = 0; t < 3; t++)
	{
		for (size_t i = 0; i < d; i++)
			x[i] = (double) ((i + 1) * (t + 2) % 7);
		USE(accumulator->class->add_vector(&ctx, accumulator, d, x));
	}
	USE(accumulator->class->build(&ctx, accumulator, &builder));
	USE(tlv_frame_finish(&ctx, &builder, &image, &size));
	USE(tlv_frame_open(&ctx, image, size, &moments));
	accumulator->class->merge(&ctx, accumulator, &moments);
	tlv_dense_central_compute(&ctx, &moments, &central);
}

static void
use_dense_moments(const tlv_frame *frame)
{
	const tlv_kind *kind;
	tlv_dense_central central;
	tlv_frame subspace;
	void *image;
	size_t size;

	tlv_dense_central_compute(&ctx, frame, &central);
	USE(tlv_dense_subspace(&ctx, frame, 1, &image, &size));
	if (tlv_kind_validate(&ctx, image, size, TLV_FRAME_SUBSPACE, &subspace, &kind) != TLV_OK)
		abort();
	use_dense_subspace(&subspace);
}

static void
use_fit(const tlv_frame *frame, uint8_t mode)
{
	tlv_lda_options options = {.alpha0 = mode & MODE_SEARCH	  ? NAN
										 : mode & MODE_SINGLE ? 0
															  : 1.5,
							   .eta = 0.1,
							   .seed = 1};
	const tlv_kind *kind;
	tlv_frame model;
	void *image;
	size_t size, k;
	double z[1024];

	options.decompose.method = mode & MODE_SGD	   ? TLV_METHOD_ALS
							   : mode & MODE_POWER ? TLV_METHOD_POWER
												   : TLV_METHOD_JOINT;
	if (tlv_frame_find(frame, "mean")->rows <= 1024)
		tlv_count_suggest_k(&ctx, frame, frame, z, &size, &k);
	if (tlv_frame_find(frame, "mean")->rows > 12)
		return; /* too slow here */
	USE(tlv_lda_fit(&ctx, frame, &options, &image, &size));
	/* A fit that succeeds gives a model that can be stored and read back. */
	if (tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &model, &kind) != TLV_OK)
		abort();
}

/* Merged into empty accumulators, twice, and given back as the same kind of value. */
static void
use_merge(const tlv_frame *frame, const tlv_kind *kind)
{
	tlv_accumulator *accumulator;
	tlv_frame sum;
	void *image;
	size_t size;

	USE(kind->accumulator->create(&ctx, &accumulator));
	USE(kind->accumulator->merge(&ctx, accumulator, frame));
	USE(kind->accumulator->merge(&ctx, accumulator, frame));
	USE(kind->accumulator->build(&ctx, accumulator, &builder));
	USE(tlv_frame_finish(&ctx, &builder, &image, &size));
	USE(tlv_frame_validate(&ctx, image, size, &sum)); /* unless a sum overflowed */
	if (kind->check(&ctx, &sum) != TLV_OK)
		abort();
}

/* A small model that is always the same, for statistics to be used with. */
static bool
fixed_model(tlv_frame *model)
{
	static const int64_t items[4] = {1, 2, 5, 9};
	static const double phi[8] = {1, 2, 3, 4, 5, 6, 7, 8}, alpha[2] = {0.5, 1};
	void *image;
	size_t size;

	return tlv_lda_from_parameters(&ctx, 2, 4, items, phi, alpha, 1, &image, &size) == TLV_OK &&
		   tlv_frame_open(&ctx, image, size, model) == TLV_OK;
}

/* The value says that it belongs to the fixed model: shapes must be compared none the less. */
static void
use_with_model(const tlv_frame *frame)
{
	int64_t *fingerprint = (int64_t *) tlv_frame_int64(frame, "model");
	tlv_accumulator *accumulator = NULL;
	tlv_model *open;
	tlv_frame model;
	void *image;
	size_t size;

	if (!fixed_model(&model))
		return;
	tlv_lda_extend(&ctx, &model, frame, 0.01, &image, &size);
	if (fingerprint == NULL)
		return;
	*fingerprint = (int64_t) model.header->fingerprint;
	if (frame->header->kind == TLV_KIND_TOPIC_STATISTICS)
		tlv_kind_lda.model->update(&ctx, &model, frame, &image, &size);
	USE(tlv_kind_lda.model->open(&ctx, &model, &open));
	if (frame->header->kind == TLV_KIND_TOPIC_STATISTICS)
		USE(tlv_kind_lda.model->statistics(&ctx, open, "gibbs", &accumulator));
	else if (frame->header->kind == TLV_KIND_COHERENCE)
		USE(tlv_kind_lda.model->coherence(&ctx, open, 2, &accumulator));
	if (accumulator != NULL)
		accumulator->class->merge(&ctx, accumulator, frame);
}

static void
use_moments(const tlv_frame *frame, const tlv_kind *kind, uint8_t mode)
{
	tlv_subspace_options options = {1 + mode % 3u, mode & 4, mode & 8, mode};
	void *image;
	size_t size;

	use_merge(frame, kind);
	if (kind->code == TLV_KIND_COUNT_SUMMARY || kind->code == TLV_KIND_COUNT_PAIRS)
		tlv_count_trace(frame, options.minimum_documents);
	if (kind->code == TLV_KIND_DENSE_MOMENTS || kind->code == TLV_KIND_DENSE_COMPRESSED)
		use_dense_moments(frame);
	tlv_subspace_from_moments(&ctx, frame, &options, &image, &size);
	if (kind->code == TLV_KIND_COUNT_TRIPLES)
		use_fit(frame, mode);
	use_with_model(frame);
}

static void
use_model(const tlv_frame *frame)
{
	static const char *const methods[] = {"gibbs", "vb"};
	const tlv_model_class *class = tlv_kind_lda.model;
	const tlv_bag_image *bag = bag_of(frame, 0);
	tlv_model *open;
	tlv_accumulator *accumulator;
	tlv_frame statistics;
	double *shares = tlv_alloc(&ctx, class->components(frame), sizeof(double)), value;
	void *image;
	size_t size;

	if (bag == NULL || shares == NULL)
		return;
	USE(class->open(&ctx, frame, &open));
	class->infer_bag(&ctx, open, bag, shares);
	class->log_likelihood_bag(&ctx, open, bag, &value);
	if (class->coherence(&ctx, open, 2, &accumulator) == TLV_OK)
		collect(accumulator, frame, &statistics);
	if (class->completion(&ctx, open, &accumulator) == TLV_OK)
		collect(accumulator, frame, &statistics);
	for (int m = 0; m < 2; m++)
	{
		USE(class->statistics(&ctx, open, methods[m], &accumulator));
		if (collect(accumulator, frame, &statistics))
			class->update(&ctx, frame, &statistics, &image, &size);
	}
}

static void
use_image(const void *image, size_t size, uint8_t mode)
{
	for (tlv_frame_type type = TLV_FRAME_MOMENTS; type <= TLV_FRAME_MODEL; type++)
	{
		tlv_frame frame;
		const tlv_kind *kind;

		pool_reset(&memory, &ctx);
		ctx.arena.limit = MEMORY_LIMIT;
		memory.stop_at = 20000;
		if (tlv_kind_validate(&ctx, image, size, type, &frame, &kind) != TLV_OK)
			continue;
		if (type == TLV_FRAME_MOMENTS)
			use_moments(&frame, kind, mode >> 1);
		else if (type == TLV_FRAME_SUBSPACE && kind->code == TLV_KIND_DENSE_SUBSPACE)
			use_dense_subspace(&frame);
		else if (type == TLV_FRAME_SUBSPACE)
			use_subspace(&frame);
		else if (kind->code == TLV_KIND_LDA)
			use_model(&frame);
	}
	pool_reset(&memory, &ctx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	size_t image_size = size - 1;
	char *image;

	if (size < 1 || size > MAX_SIZE)
		return 0;
	if (!ready)
	{
		tlv_num_init();
		tlv_blas_set_threads(1);
		pool_init(&memory, &ctx);
		ready = true;
	}
	if (data[0] & MODE_REPAIR)
		image = repaired(data + 1, size - 1, &image_size);
	else
	{
		image = malloc(image_size > 0 ? image_size : 1);
		memcpy(image, data + 1, image_size);
	}
	if (image != NULL)
		use_image(image, image_size, data[0]);
	free(image);
	return 0;
}
