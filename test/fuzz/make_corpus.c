/*
 * make_corpus.c - writes the seeds of the fuzz harnesses into
 * test/fuzz/corpus/: valid values of every kind, small.  By hand, after a change of a format:
 *
 *     cc -Iinclude -o build/make_corpus test/fuzz/make_corpus.c build/num/libtensorlv.a \
 *         -llapacke -lopenblas -lgsl -lgslcblas -lm && build/make_corpus test/fuzz/corpus
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tensorlv/count_moments.h"
#include "tensorlv/dense_moments.h"
#include "tensorlv/graph.h"
#include "tensorlv/kind.h"
#include "tensorlv/lda.h"
#include "tensorlv/linalg.h"

static tlv_context ctx;
static tlv_frame_builder builder;
static tlv_rng rng;
static const char *folder;

static void
must(tlv_status status)
{
	if (status != TLV_OK)
	{
		fprintf(stderr, "%s\n", ctx.error.message);
		exit(1);
	}
}

static void
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

static tlv_bag_image *
make_bag(size_t n, const int64_t *items, const double *weights, size_t *size)
{
	tlv_bag_image *image;

	*size = tlv_bag_size(n, items, weights);
	image = calloc(1, *size);
	tlv_bag_write(n, items, weights, image);
	return image;
}

static void
save_bags(void)
{
	static const struct
	{
		const char *name;
		size_t n;
		int64_t items[4];
		double weights[4];
	} bags[] = {
		{"empty", 0, {0}, {0}},
		{"ones", 3, {-5, 1, 7}, {1, 1, 1}},
		{"counts8", 4, {-5, 1, 7, 9}, {1, 2, 3, 255}},
		{"counts16", 3, {-5, 1, 70000}, {1, 300, 2}},
		{"counts32", 3, {-5, 1, 7}, {1, 70000, 2}},
		{"weights", 3, {-5, 1, 7}, {0.5, 1, 1e300}},
		{"ends", 3, {INT64_MIN, 0, INT64_MAX}, {1, 2, 0.25}},
		{"wide", 2, {3, INT64_C(10000000000)}, {1, 9}},
	};
	static const char *const texts[] = {"{}",
										"{3:2,17:1}",
										" { 5 , 7 : 0.5 } ",
										"{1:1,1:2}",
										"{-9223372036854775808:1e300,9223372036854775807:1e-7}",
										"{3:0x1p3}",
										"{1:-1}",
										"{1:2:3}"};

	for (size_t i = 0; i < sizeof(bags) / sizeof(bags[0]); i++)
	{
		size_t size;
		void *image = make_bag(bags[i].n, bags[i].items, bags[i].weights, &size);

		save("bag_image", bags[i].name, -1, image, size);
		free(image);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		char name[20];

		snprintf(name, sizeof(name), "text%zu", i);
		save("bag_text", name, -1, texts[i], strlen(texts[i]));
	}
}

/* Documents over items 1, 2, 5, 9, 11, 12: two topics, nearly disjoint. */
static const tlv_bag_image *
document(size_t t)
{
	static const int64_t topics[2][3] = {{1, 2, 5}, {9, 11, 12}};
	int64_t items[4];
	double counts[4];
	size_t size;

	for (size_t i = 0; i < 3; i++)
	{
		items[i] = topics[t % 2][i];
		counts[i] = 1 + (double) tlv_rng_below(&rng, 4);
	}
	return make_bag(3, items, counts, &size);
}

/* As it is, with the repairing mode, and with the other branches of the harness. */
static tlv_frame
save_frame(const char *name, void *image, size_t size)
{
	static const int modes[] = {0, 1, 3, 5, 9};
	const tlv_kind *kind;
	tlv_frame frame;
	char full[64];

	must(tlv_kind_validate(&ctx, image, size, ((tlv_frame_header *) image)->type, &frame, &kind));
	if (size > 4095)
	{
		fprintf(stderr, "%s: %zu bytes\n", name, size);
		exit(1);
	}
	for (size_t m = 0; m < (strncmp(name, "triples", 7) == 0 ? 5 : 2); m++)
	{
		snprintf(full, sizeof(full), "%s-%d", name, modes[m]);
		save("frame", full, modes[m], image, size);
	}
	return frame;
}

static tlv_frame
collect(const char *name, tlv_accumulator *accumulator)
{
	void *image;
	size_t size;

	for (size_t t = 0; t < 20; t++)
		must(accumulator->class->add_bag(&ctx, accumulator, document(t)));
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	return save_frame(name, image, size);
}

static tlv_frame
save_moments(bool distinct)
{
	tlv_accumulator *accumulator;
	tlv_subspace_options options = {2, 0, distinct, 1};
	tlv_subspace *subspace;
	tlv_frame frame, pairs;
	void *image;
	size_t size;

	must(tlv_count_summary_create(&ctx, &accumulator));
	frame = collect("summary", accumulator);
	must(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size));
	frame = save_frame(distinct ? "random-distinct" : "random", image, size);
	must(tlv_subspace_open(&ctx, &frame, false, &subspace));
	must(tlv_count_products_create(&ctx, subspace, &accumulator));
	frame = collect(distinct ? "products-distinct" : "products", accumulator);
	must(tlv_count_pairs_create(&ctx, &accumulator));
	pairs = collect("pairs", accumulator);
	must(tlv_subspace_from_moments(&ctx, &pairs, &options, &image, &size));
	frame = save_frame(distinct ? "subspace-distinct" : "subspace", image, size);
	must(tlv_subspace_open(&ctx, &frame, true, &subspace));
	must(tlv_count_triples_create(&ctx, subspace, &accumulator));
	return collect(distinct ? "triples-distinct" : "triples", accumulator);
}

static void
save_models(tlv_frame triples)
{
	const tlv_model_class *class = tlv_kind_lda.model;

	for (int single = 0; single < 2; single++)
	{
		tlv_lda_options options = {.k = 2, .alpha0 = single ? 0 : 1, .eta = 0.1, .seed = 1};
		tlv_accumulator *accumulator;
		tlv_model *open;
		tlv_frame model, statistics;
		void *image;
		size_t size;

		must(tlv_lda_fit(&ctx, &triples, &options, &image, &size));
		model = save_frame(single ? "single" : "lda", image, size);
		must(class->open(&ctx, &model, &open));
		must(class->statistics(&ctx, open, "gibbs", &accumulator));
		statistics = collect(single ? "statistics-single" : "statistics", accumulator);
		must(class->update(&ctx, &model, &statistics, &image, &size));
		save_frame(single ? "updated-single" : "updated", image, size);
		must(class->completion(&ctx, open, &accumulator));
		collect("completion", accumulator);
		must(class->coherence(&ctx, open, 3, &accumulator));
		collect("coherence", accumulator);
	}
}

static tlv_frame
collect_vectors(const char *name, tlv_accumulator *accumulator)
{
	void *image;
	size_t size;

	for (int t = 0; t < 20; t++)
	{
		double x[3];

		tlv_rng_fill_normal(&rng, 3, x);
		must(accumulator->class->add_vector(&ctx, accumulator, 3, x));
	}
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	return save_frame(name, image, size);
}

static void
save_vectors(void)
{
	for (int order = 2; order <= 4; order++)
	{
		tlv_accumulator *accumulator;
		tlv_frame frame;
		char name[40];
		void *image;
		size_t size;

		must(tlv_dense_moments_create(&ctx, order, &accumulator));
		snprintf(name, sizeof(name), "vectors-%d", order);
		frame = collect_vectors(name, accumulator);
		must(tlv_dense_subspace(&ctx, &frame, 2, &image, &size));
		snprintf(name, sizeof(name), "vector-subspace-%d", order);
		frame = save_frame(name, image, size);
		must(tlv_dense_compressed_create_order(&ctx, &frame, order, &accumulator));
		snprintf(name, sizeof(name), "compressed-%d", order);
		collect_vectors(name, accumulator);
	}
}

/* The three kinds with each form of weights, as images; edges; sections. */
static void
save_graphs(void)
{
	static const double scales[] = {0, 1, 0.25};
	/* undirected, 1 edge of multiplicity 2 between nodes 1 and 5 */
	static const uint8_t sections[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 2, 0,
									   2, 0, 1, 2, 0, 3, 1, 2, 3, 1, 0, 0, 1};
	uint8_t edges[120];

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (size_t form = 0; form < 3; form++)
		{
			tlv_accumulator *accumulator;
			char name[40];
			void *image;
			size_t size;

			must(tlv_graph_accumulator_create(&ctx, (tlv_graph_kind) kind, form > 0, &accumulator));
			for (int64_t i = 0; i < 12; i++)
				must(tlv_graph_add_edge(&ctx, accumulator, i % 5, i * i % 7 - (int64_t) form * 1000,
										form == 0 ? 1 : 1 + (double) i * scales[form]));
			must(accumulator->class->build(&ctx, accumulator, &builder));
			must(tlv_frame_finish(&ctx, &builder, &image, &size));
			for (int mode = 0; mode < 2; mode++)
			{
				snprintf(name, sizeof(name), "%s-%zu-%d", accumulator->class->name, form, mode);
				save("graph", name, mode, image, size);
			}
		}
	save("graph", "sections", 2, sections, sizeof(sections));
	for (size_t i = 0; i < sizeof(edges); i++)
		edges[i] = (uint8_t) (i < 3 ? i : tlv_rng_below(&rng, 200));
	save("graph", "edges", 3, edges, sizeof(edges));
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
	tlv_rng_seed(&rng, 1);
	save_bags();
	save_models(save_moments(false));
	save_moments(true);
	save_graphs();
	save_vectors();
	return 0;
}
