/*
 * hmm.c - seeds of hidden Markov models, moments and statistics of sequences.
 */
#include "seeds.h"

#include <stdio.h>

#include "tensorlv/model/hmm.h"

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

/* The same moments and a model of them, of symbols with names. */
static void
save_named(const tlv_hmm_parts *parts, const tlv_hmm_options *options)
{
	static const tlv_text letters[5] = {{"a", 1}, {"b", 1}, {"cc", 2}, {"d", 1}, {"", 0}};
	tlv_accumulator *accumulator;
	tlv_text names[12];
	int64_t symbols[12];
	tlv_row row;
	tlv_frame moments;
	void *image;
	size_t size;

	must(tlv_sequence_moments_create(&ctx, &accumulator));
	for (size_t n = 1; n <= 12; n++)
	{
		tlv_hmm_simulate(parts, &rng, n, NULL, symbols, NULL);
		for (size_t i = 0; i < n; i++)
			names[i] = letters[symbols[i] % 5];
		row = *TLV_AS_SYMBOLS(n, symbols);
		row.part[0].names = names;
		must(tlv_add(&ctx, accumulator, &row));
	}
	must(accumulator->class->build(&ctx, accumulator, &builder));
	must(tlv_frame_finish(&ctx, &builder, &image, &size));
	moments = save_frame("sequence-moments-named", image, size);
	must(tlv_hmm_fit_stored(&ctx, &moments, options, 10, &image, &size));
	save_frame("hmm-named", image, size);
}

/* Hidden Markov models of symbols and of vectors: moments, model, a Baum-Welch step. */
SEEDS(hmm)
{
	for (int vectors = 0; vectors < 2; vectors++)
	{
		const char *form = vectors ? "vectors" : "symbols";
		tlv_hmm_simulation simulation = {2, vectors ? 0 : 4, vectors ? 2 : 0, 0.7, 0.3, 4, 1};
		tlv_hmm_options options = {
			.k = 2, .covariance = TLV_COVARIANCE_SPHERICAL, .iterations = 5, .seed = 1};
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
		if (!vectors)
			save_named(&parts, &options);
		must(tlv_sequence_moments_create(&ctx, &accumulator));
		moments = collect_sequences("sequence-moments", form, accumulator, &parts);
		must(tlv_statistic_create(
			&ctx,
			&(tlv_statistic){.aggregate = &tlv_aggregate_sequence_sample, .count = 50, .seed = 1},
			&accumulator));
		collect_sequences("sequence-sample", form, accumulator, &parts);
		must(tlv_kind_hmm.model->open(&ctx, &model, &open));
		must(tlv_kind_hmm.model->statistics(&ctx, open, "em", &accumulator));
		statistics = collect_sequences("sequence-statistics", form, accumulator, &parts);
		must(tlv_kind_hmm.model->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image,
										&size));
		snprintf(name, sizeof(name), "hmm-updated-%s", form);
		save_frame(name, image, size);
		must(tlv_hmm_fit(&ctx, &moments, &options, &image, &size));
		snprintf(name, sizeof(name), "hmm-%s", form);
		save_frame(name, image, size);
	}
}
