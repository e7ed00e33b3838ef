/*
 * simulate.c - random models of latent classes and mixed membership, and rows drawn from them
 * (membership.h).
 */
#include "internal.h"

static tlv_status
membership_check_simulation(tlv_context *ctx, const tlv_membership_simulation *o)
{
	if (o->variables == 0 || o->variables > TLV_CATEGORY_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "variables = %zu is not between 1 and %d",
						o->variables, TLV_CATEGORY_MOST_VARIABLES);
	if (o->categories < 2 || o->categories > TLV_CATEGORY_MOST_STATES)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "categories = %zu is not between 2 and %d",
						o->categories, TLV_CATEGORY_MOST_STATES);
	if (o->k == 0 || o->k > TLV_MEMBERSHIP_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %d", o->k,
						TLV_MEMBERSHIP_MOST_COMPONENTS);
	if (!(o->alpha > 0 && o->alpha <= 1e4))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha = %g is not above 0 and at most 1e4",
						o->alpha);
	if (!(o->concentration > 0 && o->concentration <= 1e4))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "concentration = %g is not above 0 and at most 1e4",
						o->concentration);
	return TLV_OK;
}

static tlv_status
draw_parameters(tlv_context *ctx, const tlv_membership_simulation *o, tlv_membership_parts *parts)
{
	/* Weights of classes are Dirichlet of so much each. */
	const int class_weight = 10;
	double alpha[TLV_MEMBERSHIP_MOST_COMPONENTS], draw[TLV_CATEGORY_MOST_STATES];
	double concentration[TLV_CATEGORY_MOST_STATES];
	tlv_rng rng;

	tlv_rng_seed(&rng, o->seed);
	for (size_t h = 0; h < o->k; h++)
		alpha[h] = class_weight;
	if (!o->mixed)
		tlv_rng_dirichlet(&rng, o->k, alpha, parts->weights);
	for (size_t h = 0; h < o->k && o->mixed; h++)
		parts->weights[h] = o->alpha;
	for (size_t c = 0; c < o->categories; c++)
		concentration[c] = o->concentration;
	for (size_t j = 0; j < o->variables; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t h = 0; h < o->k; h++)
		{
			tlv_rng_dirichlet(&rng, o->categories, concentration, draw);
			for (size_t c = 0; c < o->categories; c++)
				parts->probabilities[(j * o->categories + c) * o->k + h] = draw[c];
		}
	}
	return TLV_OK;
}

tlv_status
tlv_membership_random(tlv_context *ctx, const tlv_membership_simulation *options, void **image,
					  size_t *size)
{
	tlv_diagnostics none = {0};
	tlv_membership_parts parts = {.p = options->variables,
								  .categories = options->variables * options->categories,
								  .k = options->k,
								  .copies = 1,
								  .seed = (double) options->seed,
								  .diagnostics = &none};
	int64_t *states;

	TLV_TRY(membership_check_simulation(ctx, options));
	TLV_TRY_NEW(ctx, states, parts.p);
	TLV_TRY_NEW(ctx, parts.weights, parts.k);
	TLV_TRY_NEW_ROWS(ctx, parts.probabilities, parts.categories, parts.k);
	for (size_t j = 0; j < parts.p; j++)
		states[j] = (int64_t) options->categories;
	parts.states = states;
	TLV_TRY(draw_parameters(ctx, options, &parts));
	TLV_TRY(tlv_membership_write(ctx, &parts, options->mixed, NULL, image, size));
	tlv_free(ctx, parts.probabilities);
	tlv_free(ctx, parts.weights);
	tlv_free(ctx, states);
	return TLV_OK;
}

/* From numbers stride apart that sum to about `total`. */
static size_t
draw_one(tlv_rng *rng, size_t n, const double *p, size_t stride, double total)
{
	double u = tlv_rng_uniform(rng) * total;
	size_t i = 0;

	while (i + 1 < n && u >= p[i * stride])
		u -= p[i++ * stride];
	return i;
}

void
tlv_membership_draw(const tlv_membership_parts *parts, bool mixed, uint64_t seed, uint64_t row,
					int32_t *codes, double *memberships)
{
	size_t copies = (size_t) parts->copies, k = parts->k, first = 0, own;
	tlv_rng rng;

	tlv_rng_stream(&rng, seed, row);
	if (mixed)
		tlv_rng_dirichlet(&rng, k, parts->weights, memberships);
	own = mixed ? 0 : draw_one(&rng, k, parts->weights, 1, 1);
	for (size_t h = 0; h < k && !mixed; h++)
		memberships[h] = h == own;
	for (size_t j = 0; j < parts->p; first += (size_t) parts->states[j++])
		for (size_t c = 0; c < copies; c++)
		{
			size_t h = mixed ? draw_one(&rng, k, memberships, 1, 1) : own;

			*codes++ = (int32_t) draw_one(&rng, (size_t) parts->states[j],
										  parts->probabilities + first * k + h, k, 1);
		}
}
