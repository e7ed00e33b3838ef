/*
 * make_corpus.c - writes the seeds of the fuzz harnesses (seeds.h) into the folder that is named.
 * The Makefile runs it when the harnesses are built; a kind without a seed is a failure.
 */
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "mutations.h"
#include "print_number.h"
#include "tensorlv/model/model_json.h"
#include "tensorlv/num/linalg.h"

#define MOST_FAMILIES 100

tlv_context ctx;
tlv_frame_builder builder;
tlv_rng rng;
static const char *folder;
static bool seeded[TLV_FRAME_GRAPH + 1][256]; /* by type and code */
static void (*families[MOST_FAMILIES])(void);
static size_t n_families;

void
announce_seeds(void (*make)(void))
{
	if (n_families == MOST_FAMILIES)
		abort();
	families[n_families++] = make;
}

void
must(tlv_status status)
{
	if (status != TLV_OK)
	{
		fprintf(stderr, "%s\n", ctx.error.message);
		exit(1);
	}
}

void
save(const char *harness, const char *name, int mode, const void *bytes, size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, harness);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, harness, name);
	file = fopen(path, "wb");
	if (file == NULL || (mode >= 0 && fputc(mode, file) == EOF) ||
		fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
	{
		perror(path);
		exit(1);
	}
}

tlv_bag_image *
make_bag(size_t n, const int64_t *items, const double *weights, size_t *size)
{
	tlv_bag_image *image;

	*size = tlv_bag_size(n, items, weights);
	image = calloc(1, *size);
	tlv_bag_write(n, items, weights, image);
	return image;
}

/* A declared value that is changed as its declaration forbids is refused. */
static void
require_mutations_refused(const tlv_kind *kind, const tlv_frame *frame, const char *name)
{
	const tlv_sections *sections = tlv_kind_sections(kind);
	char accepted[128];

	if (sections == NULL || tlv_sections_check(&ctx, frame, sections) != TLV_OK)
		return;
	count_refused_mutations(&ctx, frame, sections, accepted);
	if (accepted[0] != '\0')
	{
		fprintf(stderr, "%s: %s is accepted\n", name, accepted);
		exit(1);
	}
}

/* The same as it is stored, where that is smaller. */
static void
save_packed(const char *name, const tlv_frame *frame)
{
	tlv_packing *packing;
	char full[64];
	size_t size;
	void *bytes;

	must(tlv_frame_pack_image(&ctx, frame, &packing, &size));
	bytes = calloc(1, size);
	must(tlv_packing_write(&ctx, packing, bytes, size));
	if (tlv_frame_is_packed(bytes, size) && frame->header->type != TLV_FRAME_GRAPH)
	{
		snprintf(full, sizeof(full), "%s-packed", name);
		save("frame", full, 0, bytes, size);
	}
	free(bytes);
}

tlv_frame
save_frame(const char *name, void *image, size_t size)
{
	tlv_frame frame;
	char full[64];

	must(tlv_kind_validate(&ctx, image, size, ((tlv_frame_header *) image)->type, &frame));
	seeded[frame.kind->type][frame.kind->code] = true;
	require_mutations_refused(frame.kind, &frame, name);
	if (size > 16383) /* the harness takes no more */
	{
		fprintf(stderr, "%s: %zu bytes\n", name, size);
		exit(1);
	}
	for (int mode = 0; mode < 2; mode++)
	{
		snprintf(full, sizeof(full), "%s-%d", name, mode);
		save(frame.kind->type == TLV_FRAME_GRAPH ? "graph" : "frame", full, mode, image, size);
	}
	save_packed(name, &frame);
	if (frame.kind->model != NULL)
	{
		tlv_json_writer writer = {.most = (size_t) 1 << 20, .number = print_number};

		must(tlv_model_put_json(&ctx, &frame, &writer));
		save("json", name, -1, writer.bytes, writer.n);
		tlv_free(&ctx, writer.bytes);
	}
	return frame;
}

tlv_frame
save_collected(const char *name, tlv_accumulator *accumulator)
{
	void *image;
	size_t size;

	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	return save_frame(name, image, size);
}

tlv_frame
save_stored(const char *name, tlv_accumulator *accumulator)
{
	void *image;
	size_t size;

	must(tlv_accumulator_store(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	return save_frame(name, image, size);
}

tlv_frame
collect_vectors(const char *name, tlv_accumulator *accumulator)
{
	for (int t = 0; t < 200; t++) /* enough for standard errors of all parameters */
	{
		double x[3];

		tlv_rng_fill_normal(&rng, 3, x);
		must(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(3, x)));
	}
	return save_collected(name, accumulator);
}

/* Fails, naming them, when kinds have no seed. */
static int
require_all_kinds(void)
{
	size_t n;
	const tlv_kind *const *kinds = tlv_kinds(&n);
	int missing = 0;

	for (size_t i = 0; i < n; i++)
		if (!seeded[kinds[i]->type][kinds[i]->code])
		{
			fprintf(stderr, "there is no seed of kind %s\n", kinds[i]->name);
			missing = 1;
		}
	return missing;
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	folder = argv[1];
	mkdir(folder, 0777);
	tlv_num_init();
	tlv_context_init_malloc(&ctx);
	ctx.kind_of = tlv_kind_find;
	for (size_t i = 0; i < n_families; i++)
	{
		tlv_rng_seed(&rng, 1);
		families[i]();
	}
	return require_all_kinds();
}
