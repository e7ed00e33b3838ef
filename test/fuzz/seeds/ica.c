/*
 * ica.c - seeds of models of independent components and their statistics.
 */
#include "seeds.h"

#include "tensorlv/model/dense.h"
#include "tensorlv/model/ica.h"

/* Models of independent components with and without noise, and for simulation; a refinement step.
 */
SEEDS(ica)
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
	must(
		tlv_kind_ica.model->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image, &size));
	save_frame("ica-updated", image, size);
	must(tlv_kind_ica.model->statistics(&ctx, open, "likelihood", &accumulator));
	statistics = collect_vectors("component-statistics-likelihood", accumulator);
	must(
		tlv_kind_ica.model->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image, &size));
	save_frame("ica-likelihood", image, size);
}
