/*
 * make_corpus.c - writes the seeds of the fuzz harnesses into the folder that is named: valid
 * values of every kind, small.  The Makefile runs it when the harnesses are built; a kind without a
 * seed is a failure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tensorlv/model/categories.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/evaluate.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/graph.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/ica.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/model/multiview.h"
#include "tensorlv/model/tree_learn.h"

static tlv_context ctx;
static tlv_frame_builder builder;
static tlv_rng rng;
static const char *folder;
static bool seeded[TLV_FRAME_GRAPH + 1][256]; /* by type and code */

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
	seeded[kind->type][kind->code] = true;
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
		must(tlv_add(&ctx, accumulator, TLV_AS_BAG(document(t))));
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
		must(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(3, x)));
	}
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	return save_frame(name, image, size);
}

static void
save_vectors(void)
{
	const tlv_statistic sample = {.aggregate = &tlv_aggregate_row_sample, .count = 8, .seed = 1};
	tlv_accumulator *drawn;

	must(tlv_statistic_create(&ctx, &sample, &drawn));
	collect_vectors("row-sample", drawn);
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

/* Few states with missing values; with replicates; two variables, which have no triples. */
static void
save_categories(void)
{
	static const char *const names[] = {"categories-plain", "categories-bootstrap",
										"categories-pairs"};

	for (size_t form = 0; form < 3; form++)
	{
		size_t p = form == 2 ? 2 : 4;
		tlv_accumulator *accumulator;
		void *image;
		size_t size;

		must(tlv_category_moments_create(&ctx, form == 1 ? 2 : 0, 1, &accumulator));
		for (int32_t t = 0; t < 20; t++)
		{
			const int32_t row[4] = {t % 2, t % 3 - 1, t / 5 % 3, t % 7 == 0 ? -1 : t % 2};

			must(tlv_add(&ctx, accumulator, TLV_AS_CODES(p, row)));
		}
		must(accumulator->class->build(&ctx, accumulator, &builder));
		must(tlv_frame_finish(&ctx, &builder, &image, &size));
		save_frame(names[form], image, size);
	}
}

/* Models of independent components with and without noise, and for simulation; a refinement step.
 */
static void
save_components(void)
{
	tlv_ica_options options = {.keep_gaussian = true, .seed = 1};
	tlv_ica_simulation simulation = {.d = 3, .k = 2, .noise = 0.5, .mixed = true, .seed = 1};
	tlv_accumulator *accumulator;
	tlv_frame moments, model, statistics;
	tlv_model *open;
	void *image;
	size_t size;

	must(tlv_ica_simulate_model(&ctx, &simulation, &image, &size));
	save_frame("ica-simulation", image, size);
	must(tlv_dense_moments_create(&ctx, 4, &accumulator));
	moments = collect_vectors("ica-moments", accumulator);
	options.noise = true;
	must(tlv_ica_fit(&ctx, &moments, &options, &image, &size));
	save_frame("ica-noise", image, size);
	options.noise = false;
	must(tlv_ica_fit(&ctx, &moments, &options, &image, &size));
	model = save_frame("ica", image, size);
	must(tlv_kind_ica.model->open(&ctx, &model, &open));
	must(tlv_kind_ica.model->statistics(&ctx, open, "tanh", &accumulator));
	statistics = collect_vectors("component-statistics", accumulator);
	must(tlv_kind_ica.model->update(&ctx, &model, &statistics, &image, &size));
	save_frame("ica-updated", image, size);
}

static tlv_frame
collect_sequences(const char *name, const char *form, tlv_accumulator *accumulator,
				  const tlv_hmm_parts *parts)
{
	int64_t symbols[12];
	double x[24];
	char full[40];
	void *image;
	size_t size;

	for (size_t n = 1; n <= 12; n++)
	{
		tlv_hmm_simulate(parts, &rng, n, NULL, symbols, x);
		must(tlv_add(&ctx, accumulator,
					 parts->gaussian ? TLV_AS_SEQUENCE(n, parts->d, x)
									 : TLV_AS_SYMBOLS(n, symbols)));
	}
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	snprintf(full, sizeof(full), "%s-%s", name, form);
	return save_frame(full, image, size);
}

/* Hidden Markov models of symbols and of vectors: moments, model, a Baum-Welch step. */
static void
save_sequences(void)
{
	for (int vectors = 0; vectors < 2; vectors++)
	{
		const char *form = vectors ? "vectors" : "symbols";
		tlv_hmm_simulation simulation = {2, vectors ? 0 : 4, vectors ? 2 : 0, 0.7, 0.3, 4, 1};
		tlv_hmm_options options = {.k = 2, .iterations = 5, .seed = 1};
		tlv_accumulator *accumulator;
		tlv_frame model, moments, statistics;
		tlv_hmm_parts parts;
		tlv_model *open;
		char name[40];
		void *image;
		size_t size;

		must(tlv_hmm_simulate_model(&ctx, &simulation, &image, &size));
		snprintf(name, sizeof(name), "hmm-simulation-%s", form);
		model = save_frame(name, image, size);
		tlv_hmm_read(&model, &parts);
		must(tlv_sequence_moments_create(&ctx, &accumulator));
		moments = collect_sequences("sequence-moments", form, accumulator, &parts);
		must(tlv_kind_hmm.model->open(&ctx, &model, &open));
		must(tlv_kind_hmm.model->statistics(&ctx, open, "baum-welch", &accumulator));
		statistics = collect_sequences("sequence-statistics", form, accumulator, &parts);
		must(tlv_kind_hmm.model->update(&ctx, &model, &statistics, &image, &size));
		snprintf(name, sizeof(name), "hmm-updated-%s", form);
		save_frame(name, image, size);
		must(tlv_hmm_fit(&ctx, &moments, &options, &image, &size));
		snprintf(name, sizeof(name), "hmm-%s", form);
		save_frame(name, image, size);
	}
}

/* Rows drawn from a model, as vectors or categories. */
static tlv_frame
collect_views(const char *name, const tlv_multiview_parts *parts, tlv_accumulator *accumulator)
{
	double room[3][3], *x[3] = {room[0], room[1], room[2]};
	int64_t category[3] = {0, 0, 0};
	void *image;
	size_t size;

	for (int t = 0; t < 60; t++)
	{
		tlv_multiview_draw(parts, &rng, x, category);
		must(parts->items[0] != NULL
				 ? tlv_add(&ctx, accumulator, TLV_AS_CATEGORIES(category))
				 : tlv_add(&ctx, accumulator, TLV_AS_VIEWS(parts->d, (const double *const *) x)));
	}
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	return save_frame(name, image, size);
}

/* Moments of three views, a model fitted to them, its statistics, and the model after a step. */
static void
save_views(void)
{
	for (int categories = 0; categories < 2; categories++)
	{
		tlv_multiview_simulation truth = {.k = 2,
										  .d = {2, 3, 2},
										  .categories = categories,
										  .separation = 6,
										  .concentration = 0.5,
										  .seed = 1};
		tlv_multiview_options options = {.k = 2, .iterations = 5, .seed = 1};
		tlv_multiview_parts parts;
		tlv_accumulator *accumulator;
		tlv_frame frame, moments;
		tlv_model *open;
		void *image;
		size_t size;

		must(tlv_multiview_random(&ctx, &truth, &image, &size));
		frame = save_frame(categories ? "classes-true" : "views-true", image, size);
		tlv_multiview_read(&frame, &parts);
		must(categories ? tlv_category_views_create(&ctx, &accumulator)
						: tlv_view_moments_create(&ctx, &accumulator));
		moments =
			collect_views(categories ? "category-views" : "view-moments", &parts, accumulator);
		must(tlv_multiview_fit(&ctx, &moments, &options, &image, &size));
		frame = save_frame(categories ? "classes" : "views", image, size);
		must(tlv_kind_multiview.model->open(&ctx, &frame, &open));
		must(open->class->statistics(&ctx, open, "em", &accumulator));
		moments =
			collect_views(categories ? "class-statistics" : "view-statistics", &parts, accumulator);
		must(open->class->update(&ctx, &frame, &moments, &image, &size));
		save_frame(categories ? "classes-updated" : "views-updated", image, size);
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
				must(tlv_add(&ctx, accumulator,
							 TLV_AS_EDGE(i % 5, i * i % 7 - (int64_t) form * 1000,
										 form == 0 ? 1 : 1 + (double) i * scales[form])));
			must(accumulator->class->build(&ctx, accumulator, &builder));
			must(tlv_frame_finish(&ctx, &builder, &image, &size));
			seeded[TLV_FRAME_GRAPH][kind] = true;
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

/* Rows of a random tree, as moments: of categories, or of numbers. */
static void
tree_moments(bool gaussian, bool triples, tlv_frame *moments)
{
	static const char *const bare[] = {"triples", "triple_rows", NULL};
	tlv_tree_simulation simulation = {gaussian, 2, 2, 0.7, 0.9, 1};
	tlv_tree_sampler *sampler;
	tlv_accumulator *accumulator;
	tlv_frame frame;
	tlv_tree tree;
	int32_t codes[16];
	double x[16];
	void *image;
	size_t size;

	must(tlv_tree_random(&ctx, 6, 1, 1, &tree));
	must(tlv_tree_simulate_model(&ctx, &tree, &simulation, &image, &size));
	must(tlv_frame_open(&ctx, image, size, &frame));
	must(tlv_tree_sampler_create(&ctx, &frame, &sampler));
	must(gaussian ? tlv_dense_moments_create(&ctx, 2, &accumulator)
				  : tlv_category_moments_create(&ctx, 0, 1, &accumulator));
	for (int t = 0; t < 300; t++)
	{
		tlv_tree_sample(sampler, &rng, codes, x);
		must(gaussian ? tlv_add(&ctx, accumulator, TLV_AS_VECTOR(6, x))
					  : tlv_add(&ctx, accumulator, TLV_AS_CODES(6, codes)));
	}
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	must(tlv_frame_open(&ctx, image, size, moments));
	if (triples)
		return;
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, moments->header->kind);
	tlv_frame_add_from(&builder, moments, bare);
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	must(tlv_frame_open(&ctx, image, size, moments));
}

static void
save_tree_statistics(const char *name, const tlv_frame *model)
{
	tlv_accumulator *accumulator;
	tlv_model *open;
	void *image;
	size_t size;

	must(tlv_kind_tree.model->open(&ctx, model, &open));
	must(tlv_kind_tree.model->statistics(&ctx, open, "em", &accumulator));
	for (int32_t t = 0; t < 20; t++)
	{
		const int32_t row[6] = {t % 2, t / 2 % 2, t / 5 % 2, t % 7 == 0 ? -1 : t % 2, 0, 1};

		must(tlv_add(&ctx, accumulator, TLV_AS_CODES(6, row)));
	}
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	save_frame(name, image, size);
}

/* Trees with and without parameters, without hidden nodes, of numbers, of vectors. */
static void
save_trees(void)
{
	static const char *const names[] = {"tree-full", "tree-bare", "tree-plain", "tree-gaussian",
										"tree-vectors"};
	static const int64_t column[6] = {0, 1, 1, 2, 2, 3};

	for (size_t form = 0; form < 5; form++)
	{
		tlv_tree_learn_options options = {
			.structure = {form == 2 ? TLV_TREE_CHOW_LIU : TLV_TREE_CLNJ, 2, 0, false},
			.fit = {.iterations = 5, .seed = 1}};
		tlv_frame moments, model;
		void *image;
		size_t size;

		if (form == 0)
		{
			options.fit.names = "a\nb\nc\nd\ne\nf\n";
			options.fit.names_length = 12;
		}
		if (form == 4)
			options.distance = (tlv_tree_distance_options){
				.states = 1, .groups = 4, .column = column, .columns = 6};
		tree_moments(form > 2, form != 1, &moments);
		must(tlv_tree_learn(&ctx, &moments, &options, &image, &size));
		save_frame(names[form], image, size);
		must(tlv_frame_open(&ctx, image, size, &model));
		if (form == 0)
			save_tree_statistics("tree-statistics", &model);
		if (form == 1)
			save_tree_statistics("tree-triples", &model);
	}
}

/* A mixture of Gaussians of each covariance: model, statistics, the model after a step. */
static void
save_mixtures(void)
{
	static const char *const names[] = {"common", "spherical", "diagonal", "full"};

	for (int form = TLV_COVARIANCE_COMMON; form <= TLV_COVARIANCE_FULL; form++)
	{
		tlv_gmm_start_options options = {
			.k = 2, .covariance = (tlv_covariance) form, .seed = 1, .starts = 1, .steps = 2};
		const double floor[3] = {1e-6, 1e-6, 1e-6};
		double rows[40 * 3];
		tlv_accumulator *accumulator;
		tlv_frame model, statistics;
		tlv_model *open;
		char name[40];
		void *image;
		size_t size;

		tlv_rng_fill_normal(&rng, 120, rows);
		for (size_t i = 0; i < 60; i++)
			rows[i] += 9;
		must(tlv_gmm_start(&ctx, 40, 3, rows, floor, &options, &image, &size));
		snprintf(name, sizeof(name), "gmm-%s", names[form]);
		model = save_frame(name, image, size);
		must(tlv_kind_gaussian_mixture.model->open(&ctx, &model, &open));
		must(open->class->statistics(&ctx, open, "em", &accumulator));
		snprintf(name, sizeof(name), "mixture-statistics-%s", names[form]);
		statistics = collect_vectors(name, accumulator);
		must(open->class->update(&ctx, &model, &statistics, &image, &size));
		snprintf(name, sizeof(name), "gmm-updated-%s", names[form]);
		save_frame(name, image, size);
	}
}

/* Models of communities: single and mixed memberships, one and two sides. */
static void
save_communities(void)
{
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int mixed = 0; mixed < 2; mixed++)
		{
			tlv_mmsb_simulation simulation = {.graph = (tlv_graph_kind) kind,
											  .nodes = 8,
											  .targets = 6,
											  .k = 2,
											  .alpha0 = mixed,
											  .within = 0.5,
											  .between = 0.1,
											  .degree_exponent = NAN,
											  .seed = 1};
			char name[40];
			void *image;
			size_t size;

			must(tlv_mmsb_simulate_model(&ctx, &simulation, &image, &size));
			snprintf(name, sizeof(name), "mmsb-%d-%d", kind, mixed);
			save_frame(name, image, size);
		}
}

/* Pairs of labels, of covers and of memberships of the same 12 nodes. */
static void
save_pairs(void)
{
	static const struct
	{
		const char *name;
		const tlv_aggregate *aggregate;
	} pairs[] = {{"label-pairs", &tlv_aggregate_label_pairs},
				 {"cover-pairs", &tlv_aggregate_cover_pairs},
				 {"membership-pairs", &tlv_aggregate_membership_pairs}};

	for (size_t i = 0; i < 3; i++)
	{
		const tlv_statistic statistic = {.aggregate = pairs[i].aggregate};
		tlv_accumulator *accumulator;
		void *image;
		size_t size;

		must(tlv_statistic_create(&ctx, &statistic, &accumulator));
		for (int64_t t = 0; t < 12; t++)
		{
			const int64_t a[2] = {t % 3, 3 + t % 2}, b[2] = {t / 4, t % 5};
			const double x[2] = {0.25, 0.75}, y[3] = {(double) t, 1, 0};

			must(tlv_add(&ctx, accumulator,
						 i == 0	  ? TLV_AS_LABELS(a[0], b[0])
						 : i == 1 ? TLV_AS_COVERS(2, a, (size_t) t % 3, b)
								  : TLV_AS_MEMBERSHIPS(2, x, 3, y)));
		}
		must(accumulator->class->build(&ctx, accumulator, &builder));
		must(tlv_frame_finish(&ctx, &builder, &image, &size));
		save_frame(pairs[i].name, image, size);
	}
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
	tlv_rng_seed(&rng, 1);
	save_bags();
	save_models(save_moments(false));
	save_moments(true);
	save_graphs();
	save_vectors();
	save_categories();
	save_trees();
	save_components();
	save_sequences();
	save_views();
	save_mixtures();
	save_communities();
	save_pairs();
	return require_all_kinds();
}
