/*
 * fuzz_frame.c - bytes of unknown origin as a stored value: moments, subspace
 * or model.  Whatever validation lets through is then used as the server
 * would use it: what every kind can do by its record (kind_uses.h), and what some can
 * beyond that; nothing may crash or read out of bounds.
 *
 * Input: one byte of mode, then the image.  With bit 0 of the mode set, the
 * fields that mutations break first (version, sizes, offsets, fingerprint,
 * numbers that are not finite) are repaired, so that mutations reach the
 * checks of the kinds.
 */
#include <math.h>

#include "pool.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/ica.h"
#include "tensorlv/model/kind.h"
#include "kind_uses.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/num/linalg.h"
#include "tree_uses.h"
#include "view_uses.h"

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
	size_t most = (size - sizeof(*header)) / sizeof(tlv_section), at, bytes;

	if (header->sections > most)
		header->sections = (uint32_t) most;
	at = sizeof(*header) + header->sections * sizeof(tlv_section);
	for (uint32_t i = 0; i < header->sections; i++)
	{
		tlv_section *section = &table[i];

		section->element = 1 + (section->element + 4) % 5;
		section->rows %= MAX_SIZE;
		section->columns %= MAX_SIZE;
		section->entries = section->element == TLV_SPARSE ? section->entries % MAX_SIZE : 0;
		section->offset = at;
		if (!tlv_section_bytes(section, &bytes))
			return 0;
		at += align8(bytes);
		if (at > 4 * MAX_SIZE)
			return 0;
	}
	return at;
}

static void
repair_numbers(char *image, const tlv_section *section)
{
	double *numbers = (double *) (image + section->offset);
	size_t bytes = 0;

	tlv_section_bytes(section, &bytes);
	for (size_t i = 0; section->element == TLV_FLOAT64 && i < bytes / 8; i++)
		if (!isfinite(numbers[i]))
			numbers[i] = 1;
	memset(image + section->offset + bytes, 0, align8(bytes) - bytes);
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
		if (tlv_frame_seal(&ctx, header) != TLV_OK)
			abort();
		return image;
	}
	free(image);
	return NULL;
}

/* Rows, then the stored form; false on error. */
static bool
collect(tlv_accumulator *accumulator, const tlv_frame *like, tlv_frame *frame)
{
	use_material material;

	gather_material(&ctx, like, &material);
	add_rows(&ctx, accumulator, &material);
	return build_checked(&ctx, &builder, accumulator, frame);
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
		USE(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(d, x)));
	}
	USE(accumulator->class->build(&ctx, accumulator, &builder));
	USE(tlv_frame_finish(&ctx, &builder, &image, &size));
	USE(tlv_frame_open(&ctx, image, size, &moments));
	accumulator->class->merge(&ctx, accumulator, &moments);
	tlv_dense_central_compute(&ctx, &moments, &central);
}

/* A model of independent components: its rows unmixed, its distance from itself. */
static void
use_components(const tlv_frame *frame)
{
	const tlv_section *mixing = tlv_frame_find(frame, "mixing");
	size_t d = mixing->rows;
	double *x = tlv_alloc0(&ctx, d + mixing->columns, sizeof(double)), index;
	tlv_model *open;

	if (x == NULL || d > 64)
		return;
	tlv_ica_amari(&ctx, d, mixing->columns, tlv_section_data(frame, mixing),
				  tlv_section_data(frame, mixing), &index);
	USE(tlv_kind_ica.model->open(&ctx, frame, &open));
	tlv_ica_unmix(&ctx, open, d, x, x + d);
}

/* Statistics that say they are of the model they are used with, whatever they are of. */
static void
use_component_statistics(const tlv_frame *frame)
{
	tlv_ica_simulation options = {.d = 3, .k = 3, .mixed = true, .seed = 1};
	tlv_digest *fingerprint = (tlv_digest *) tlv_frame_digest(frame, "model");
	tlv_frame model;
	void *image;
	size_t size;

	USE(tlv_ica_simulate_model(&ctx, &options, &image, &size));
	USE(tlv_frame_open(&ctx, image, size, &model));
	*fingerprint = model.header->digest;
	USE(tlv_kind_ica.model->update(&ctx, &model, frame, &image, &size));
	use_result(&ctx, image, size);
}

static void
use_component_fit(const tlv_frame *frame)
{
	tlv_ica_options options = {.keep_gaussian = true, .seed = 1, .decompose = {.steps = 20}};
	void *image;
	size_t size;

	if (tlv_frame_find(frame, "sum1")->rows > 6)
		return; /* too slow here */
	for (int noise = 0; noise < 2; noise++)
	{
		options.noise = noise != 0;
		if (tlv_ica_fit(&ctx, frame, &options, &image, &size) == TLV_OK)
			use_result(&ctx, image, size);
	}
}

/* A hidden Markov model: its transitions matched with themselves. */
static void
use_chain(const tlv_frame *frame)
{
	size_t k = tlv_kind_hmm.model->components(frame);
	int64_t *assignment = tlv_alloc(&ctx, k, sizeof(int64_t));
	double *error = tlv_alloc(&ctx, k, sizeof(double));
	tlv_hmm_parts parts;

	tlv_hmm_read(frame, &parts);
	if (assignment == NULL || error == NULL || k > 64)
		return;
	if (tlv_hmm_match(&ctx, &parts, &parts, assignment, error) == TLV_OK)
		tlv_hmm_match_transitions(&parts, &parts, assignment, error);
}

/* Statistics that say they are of the model they are used with, whatever they are of. */
static void
use_chain_statistics(const tlv_frame *frame)
{
	tlv_digest *fingerprint = (tlv_digest *) tlv_frame_digest(frame, "model");
	tlv_frame model;
	void *image;
	size_t size;

	for (int vectors = 0; vectors < 2; vectors++)
	{
		tlv_hmm_simulation options = {2, vectors ? 0 : 4, vectors ? 2 : 0, 0.7, 0.3, 4, 1};

		USE(tlv_hmm_simulate_model(&ctx, &options, &image, &size));
		USE(tlv_frame_open(&ctx, image, size, &model));
		*fingerprint = model.header->digest;
		if (tlv_kind_hmm.model->update(&ctx, &model, frame, &image, &size) == TLV_OK)
			use_result(&ctx, image, size);
	}
}

static void
use_chain_fit(const tlv_frame *frame)
{
	tlv_hmm_options options = {
		.k = 2, .iterations = 5, .seed = 1, .decompose = {.steps = 20, .restarts = 2}};
	const tlv_section *initial = tlv_frame_find(frame, "initial");
	void *image;
	size_t size;

	if (initial != NULL && initial->rows > 12)
		return; /* too slow here */
	if (tlv_hmm_fit(&ctx, frame, &options, &image, &size) == TLV_OK)
		use_result(&ctx, image, size);
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
	use_component_fit(frame);
	USE(tlv_dense_subspace(&ctx, frame, 1, &image, &size));
	if (tlv_kind_validate(&ctx, image, size, TLV_FRAME_SUBSPACE, &subspace, &kind) != TLV_OK)
		abort();
	use_dense_subspace(&subspace);
}

/* The last entries of every sort of table. */
static double
use_categories(const tlv_frame *frame)
{
	tlv_category_tables tables, replicate;
	size_t p;
	double sum = 0;

	if (tlv_category_open(&ctx, frame, &tables) != TLV_OK)
		return 0;
	p = tables.p;
	for (size_t a = 0; a + 1 < p; a++)
		if (tables.states[a] * tables.states[p - 1] > 0)
			sum +=
				tlv_category_pair(&tables, a, p - 1)[tables.states[a] * tables.states[p - 1] - 1];
	if (tables.replicates > 0)
	{
		tlv_category_replicate(&tables, tables.replicates - 1, &replicate);
		for (size_t i = 0; i < tables.pair_entries; i++)
			sum += replicate.pairs[i];
	}
	tlv_category_close(&ctx, &tables);
	return sum;
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

/* A small model that is always the same, for statistics to be used with. */
static bool
fixed_model(tlv_frame *model)
{
	static const int64_t items[4] = {1, 2, 5, 9};
	static const double phi[8] = {1, 2, 3, 4, 5, 6, 7, 8}, alpha[2] = {0.5, 1};
	void *image;
	size_t size;

	return tlv_lda_from_parameters(&ctx, &(tlv_lda_parameters){2, 4, items, phi, alpha, 1}, &image,
								   &size) == TLV_OK &&
		   tlv_frame_open(&ctx, image, size, model) == TLV_OK;
}

/* The value says that it belongs to the fixed model: shapes must be compared none the less. */
static void
use_with_model(const tlv_frame *frame)
{
	tlv_digest *fingerprint = (tlv_digest *) tlv_frame_digest(frame, "model");
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
	*fingerprint = model.header->digest;
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

	use_any_moments(&ctx, &builder, frame, kind);
	if (kind->code == TLV_KIND_COUNT_SUMMARY || kind->code == TLV_KIND_COUNT_PAIRS)
		tlv_count_trace(frame, options.minimum_documents);
	if (kind->code == TLV_KIND_DENSE_MOMENTS || kind->code == TLV_KIND_DENSE_COMPRESSED)
		use_dense_moments(frame);
	if (kind->code == TLV_KIND_CATEGORY_MOMENTS && use_categories(frame) < 0)
		abort();
	if (kind->code == TLV_KIND_CATEGORY_MOMENTS || kind->code == TLV_KIND_DENSE_MOMENTS)
		use_tree_moments(&ctx, frame, mode);
	if (kind->code == TLV_KIND_TREE_STATISTICS || kind->code == TLV_KIND_TREE_TRIPLES)
		use_tree_statistics(&ctx, frame);
	if (kind->code == TLV_KIND_SEQUENCE_MOMENTS)
		use_chain_fit(frame);
	if (kind->code == TLV_KIND_SEQUENCE_STATISTICS)
		use_chain_statistics(frame);
	if (kind->code == TLV_KIND_COMPONENT_STATISTICS)
		use_component_statistics(frame);
	if (kind->code == TLV_KIND_VIEW_MOMENTS || kind->code == TLV_KIND_CATEGORY_VIEWS)
		use_view_moments(&ctx, frame);
	tlv_subspace_from_moments(&ctx, frame, &options, &image, &size);
	if (kind->code == TLV_KIND_COUNT_TRIPLES)
		use_fit(frame, mode);
	use_with_model(frame);
}

static void
use_model(const tlv_frame *frame, const tlv_kind *kind)
{
	use_any_model(&ctx, &builder, frame, kind);
	if (kind->code == TLV_KIND_TREE)
		use_tree(&ctx, frame);
	if (kind->code == TLV_KIND_MULTIVIEW)
		use_view_model(&ctx, frame);
	if (kind->code == TLV_KIND_HMM)
		use_chain(frame);
	if (kind->code == TLV_KIND_ICA)
		use_components(frame);
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
		else
			use_model(&frame, kind);
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
