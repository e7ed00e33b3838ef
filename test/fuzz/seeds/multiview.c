/*
 * multiview.c - seeds of multi-view mixtures, moments of three views and statistics.
 */
#include "seeds.h"

#include <string.h>

#include "tensorlv/model/multiview.h"

/* Rows drawn from a model, as vectors or categories. */
static tlv_frame
collect_views(const char *name, const tlv_multiview_parts *parts, tlv_accumulator *accumulator)
{
	double room[3][3], *x[3] = {room[0], room[1], room[2]};
	int64_t category[3] = {0, 0, 0};

	for (int t = 0; t < 60; t++)
	{
		tlv_multiview_draw(parts, &rng, x, category);
		must(parts->items[0] != NULL
				 ? tlv_add(&ctx, accumulator, TLV_AS_CATEGORIES(category))
				 : tlv_add(&ctx, accumulator, TLV_AS_VIEWS(parts->d, (const double *const *) x)));
	}
	return save_collected(name, accumulator);
}

/* Categories of which two views are told by name: their moments, and a model of them. */
static void
save_named_classes(void)
{
	static const char *const names[3] = {"red", "green", "blue"};
	tlv_multiview_options options = {.k = 2, .iterations = 5, .seed = 1};
	tlv_accumulator *accumulator;
	tlv_frame moments;
	void *image;
	size_t size;

	must(tlv_category_views_create(&ctx, &accumulator));
	for (int i = 0; i < 60; i++)
	{
		int64_t ids[3] = {1000 + i % 3, i % 3, 1000 + i / 7 % 3};
		tlv_row row = *TLV_AS_CATEGORIES(ids);
		tlv_text name[3];

		for (int t = 0; t < 3; t += 2)
		{
			const char *text = names[ids[t] - 1000];

			name[t] = (tlv_text){text, strlen(text)};
			row.part[t].names = &name[t];
		}
		must(tlv_add(&ctx, accumulator, &row));
	}
	moments = save_collected("category-views-named", accumulator);
	must(tlv_multiview_fit(&ctx, &moments, &options, &image, &size));
	save_frame("classes-named", image, size);
}

/* Moments of three views, a model fitted to them, its statistics, and the model after a step. */
SEEDS(multiview)
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
		must(open->class->update(&ctx, &frame, &moments, &(tlv_step){1, NULL}, &image, &size));
		save_frame(categories ? "classes-updated" : "views-updated", image, size);
	}
	save_named_classes();
}
