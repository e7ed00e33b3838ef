/*
 * simulate.c - true dictionaries, and rows made of their atoms (coding.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

static tlv_status
check_simulation(tlv_context *ctx, const tlv_coding_simulation *o)
{
	if (o->d == 0 || o->d > TLV_CODING_MOST_DIMENSIONS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "dimensions = %zu is not between 1 and %d", o->d,
						TLV_CODING_MOST_DIMENSIONS);
	if (o->k == 0 || o->k > TLV_CODING_MOST_ATOMS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "atoms = %zu is not between 1 and %d", o->k,
						TLV_CODING_MOST_ATOMS);
	if (o->sparsity == 0 || o->sparsity > o->k || o->sparsity > TLV_CODING_MOST_SPARSITY)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "sparsity = %zu is not between 1 and %zu",
						o->sparsity, tlv_least(o->k, TLV_CODING_MOST_SPARSITY));
	return TLV_OK;
}

tlv_status
tlv_coding_simulate_model(tlv_context *ctx, const tlv_coding_simulation *options, void **image,
						  size_t *size)
{
	/* Mean square of a coefficient, uniform in [1, 2] but for its sign. */
	const double mean_square = 7.0 / 3;
	size_t d = options->d, k = options->k;
	tlv_diagnostics diagnostics = {0};
	tlv_coding_parts parts = {.d = d,
							  .k = k,
							  .seed = (double) options->seed,
							  .sparsity = (double) options->sparsity,
							  .diagnostics = &diagnostics};
	double share = (double) options->sparsity / (double) k;
	tlv_rng rng;

	TLV_TRY(check_simulation(ctx, options));
	TLV_TRY(tlv_require_memory(ctx, 16.0 * (double) (k * (d + k + 1)), "the model"));
	TLV_TRY_NEW0_ROWS(ctx, parts.atoms, k, d + k + 1);
	parts.codes = parts.atoms + d * k;
	parts.uses = parts.codes + k * k;
	tlv_rng_seed(&rng, options->seed);
	TLV_TRY(tlv_fill_normal(ctx, &rng, d * k, parts.atoms));
	for (size_t j = 0; j < k; j++)
	{
		double length = 0;

		for (size_t i = 0; i < d; i++)
			length += parts.atoms[i + j * d] * parts.atoms[i + j * d];
		for (size_t i = 0; i < d; i++)
			parts.atoms[i + j * d] /= sqrt(length);
		parts.uses[j] = share;
		parts.codes[j + j * k] = share * mean_square;
	}
	TLV_TRY(tlv_coding_order(ctx, &parts, NULL));
	TLV_TRY(tlv_coding_write(ctx, &parts, image, size));
	tlv_free(ctx, parts.atoms);
	return TLV_OK;
}

/* A code: sparsity atoms without replacement (order is a permutation, which stays one). */
static void
draw_code(tlv_rng *rng, size_t k, size_t sparsity, int64_t *order, double *codes)
{
	memset(codes, 0, k * sizeof(double));
	for (size_t t = 0; t < sparsity; t++)
	{
		size_t other = t + (size_t) tlv_rng_below(rng, k - t);
		int64_t atom = order[other];
		double size = 1 + tlv_rng_uniform(rng);

		order[other] = order[t];
		order[t] = atom;
		codes[atom] = tlv_rng_uniform(rng) < 0.5 ? -size : size;
	}
}

tlv_status
tlv_coding_simulate(tlv_context *ctx, const tlv_frame *model, size_t rows, double noise,
					uint64_t seed, tlv_coding_emit emit, void *argument)
{
	const tlv_section *section = tlv_frame_find(model, "atoms");
	const double *atoms = tlv_section_data(model, section);
	size_t d = section->rows, k = section->columns;
	size_t sparsity = (size_t) tlv_frame_scalar(model, "sparsity", 1);
	double *x, *codes;
	int64_t *order;
	tlv_rng rng;

	if (!(noise >= 0 && noise <= 1e100))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "noise = %g is not between 0 and 1e100", noise);
	TLV_TRY_NEW(ctx, x, d + k);
	codes = x + d;
	TLV_TRY_NEW(ctx, order, k);
	for (size_t j = 0; j < k; j++)
		order[j] = (int64_t) j;
	/* Not the stream that the model was drawn from. */
	tlv_rng_seed(&rng, tlv_mix64(seed));
	for (size_t row = 1; row <= rows; row++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, row);
		draw_code(&rng, k, sparsity, order, codes);
		tlv_rng_fill_normal(&rng, d, x);
		for (size_t i = 0; i < d; i++)
			x[i] *= noise;
		for (size_t t = 0; t < sparsity; t++)
			for (size_t i = 0; i < d; i++)
				x[i] += codes[order[t]] * atoms[i + (size_t) order[t] * d];
		TLV_TRY(emit(ctx, argument, row, x, codes));
	}
	tlv_free(ctx, order);
	tlv_free(ctx, x);
	return TLV_OK;
}
