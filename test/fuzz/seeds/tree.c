/*
 * tree.c - seeds of trees and their statistics.
 */
#include "seeds.h"

#include "tensorlv/model/categories.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/tree_learn.h"

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

	must(tlv_kind_tree.model->open(&ctx, model, &open));
	must(tlv_kind_tree.model->statistics(&ctx, open, "em", &accumulator));
	for (int32_t t = 0; t < 20; t++)
	{
		const int32_t row[6] = {t % 2, t / 2 % 2, t / 5 % 2, t % 7 == 0 ? -1 : t % 2, 0, 1};

		must(tlv_add(&ctx, accumulator, TLV_AS_CODES(6, row)));
	}
	save_collected(name, accumulator);
}

/* The same model with its second variable and the last as numbers. */
static void
with_ranges(const tlv_frame *model, void **image, size_t *size)
{
	static const int64_t ranged[6] = {0, 1, 0, 0, 0, 1};
	static const double lower[12] = {0, 0, -5, 10, 0, 0, 0, 0, 0, 0, 1, 2};
	static const double centres[12] = {0, 0, 3, 20, 0, 0, 0, 0, 0, 0, 1.5, 4};
	tlv_diagnostics diagnostics = {0};
	tlv_tree_parts parts;

	tlv_tree_read(model, &parts);
	parts.ranges = (tlv_code_ranges){ranged, lower, centres};
	parts.variables = 6;
	parts.range_ends = 12;
	parts.diagnostics = &diagnostics;
	must(tlv_tree_write(&ctx, &parts, image, size));
}

/* Trees with and without parameters, without hidden nodes, of numbers, of vectors; the first has
 * ranges. */
SEEDS(tree)
{
	static const char *const names[] = {"tree-full", "tree-bare", "tree-plain", "tree-gaussian",
										"tree-vectors"};
	static const int64_t column[6] = {0, 1, 1, 2, 2, 3};
	static const int64_t ends[13] = {0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27, 30};
	static const tlv_names categories = {
		.n = 12, .offsets = ends, .text = "noyesnoyesnoyesnoyesnoyesnoyes"};

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
			options.fit.categories = &categories;
		}
		if (form == 4)
			options.distance = (tlv_tree_distance_options){
				.states = 1, .groups = 4, .column = column, .columns = 6};
		tree_moments(form > 2, form != 1, &moments);
		must(tlv_tree_learn(&ctx, &moments, &options, &image, &size));
		if (form == 0)
		{
			must(tlv_frame_open(&ctx, image, size, &model));
			with_ranges(&model, &image, &size);
		}
		save_frame(names[form], image, size);
		must(tlv_frame_open(&ctx, image, size, &model));
		if (form == 0)
			save_tree_statistics("tree-statistics", &model);
		if (form == 1)
			save_tree_statistics("tree-triples", &model);
	}
}
