/*
 * cp_fit.c - a tensor as a sum of products (tensors.h): which solver, and what is said of the
 * result.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/cp.h"
#include "tensorlv/num/nonnegative.h"
#include "tensorlv/num/plural.h"

const char *const tlv_cp_solver_names[] = {"auto", "als", "hals", "pqp", NULL};

static tlv_status
check_solver(tlv_context *ctx, const tlv_cp_fit_options *o, tlv_cp_solver *solver)
{
	*solver = o->solver;
	if (o->solver == TLV_CP_AUTO)
		*solver = o->nonnegative ? TLV_CP_HALS : TLV_CP_ALS;
	if ((*solver == TLV_CP_ALS) == !o->nonnegative)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "method \"%s\" is for factors that %s negative",
			 tlv_cp_solver_names[o->solver], o->nonnegative ? "may be" : "are not");
	return tlv_fail_hint(ctx, "Leave method out, or set nonnegative => %s.",
						 o->nonnegative ? "false" : "true");
}

static tlv_status
run_solver(tlv_context *ctx, const tlv_tensor *t, const tlv_cp_fit_options *o, tlv_cp_solver solver,
		   double *factors, double *scales, tlv_factors_found *found)
{
	const tlv_cp_options als = {
		.restarts = o->restarts, .iterations = o->iterations, .seed = o->seed};
	const tlv_nonnegative_options bounded = {.method = solver == TLV_CP_PQP ? TLV_NONNEGATIVE_PQP
																			: TLV_NONNEGATIVE_HALS,
											 .restarts = o->restarts,
											 .sweeps = o->iterations,
											 .seed = o->seed,
											 .core = true};

	if (solver == TLV_CP_ALS)
		return tlv_cp(ctx, t, o->k, &als, factors, scales, found);
	return tlv_nonnegative_factors(ctx, t, o->k, &bounded, factors, scales, found);
}

/* ---- what there is to say ---- */

/* The cosine of two components, all modes multiplied. */
static double
cosine(const tlv_cp_parts *parts, size_t a, size_t b)
{
	double product = 1;

	for (int m = 0; m < TLV_MODES; m++)
	{
		double sum = 0;

		for (size_t i = 0; i < parts->ids.d[m]; i++)
			sum += parts->factors[m][a + i * parts->k] * parts->factors[m][b + i * parts->k];
		product *= sum;
	}
	return product;
}

static tlv_status
warn_of_pairs(tlv_context *ctx, const tlv_cp_parts *parts, double *nearest)
{
	/* Components whose vectors are that near to opposite, in all modes together, cancel each other.
	 */
	const double cancelling = -0.9;
	size_t pair[2] = {0, 0};
	double worst = 0;

	*nearest = 0;
	for (size_t a = 0; a < parts->k; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b < a; b++)
		{
			double c = cosine(parts, a, b);

			*nearest = fmax(*nearest, c);
			if (c >= worst)
				continue;
			worst = c;
			pair[0] = b + 1;
			pair[1] = a + 1;
		}
	}
	if (worst > cancelling)
		return TLV_OK;
	return tlv_warn(ctx, parts->diagnostics,
					&(tlv_warning){.code = "cancelling_components",
								   .component = pair[0],
								   .score = worst,
								   .hint = "Use a smaller k, or nonnegative => true."},
					"components %zu and %zu cancel each other: only their sum is meaningful",
					pair[0], pair[1]);
}

/* Kruskal's condition for factors in general position. */
static tlv_status
warn_of_uniqueness(tlv_context *ctx, const tlv_cp_parts *parts)
{
	size_t sum = 0;

	for (int m = 0; m < TLV_MODES; m++)
		sum += tlv_least(parts->k, parts->ids.d[m]);
	if (2 * parts->k + 2 <= sum || parts->k == 1)
		return TLV_OK;
	return tlv_warn(ctx, parts->diagnostics,
					&(tlv_warning){.code = "not_identified",
								   .score = (double) sum,
								   .hint = "Compare models of several seeds with tlv_match."},
					"%zu %s of a tensor of %zu x %zu x %zu need not be unique", parts->k,
					tlv_plural((double) parts->k, "component", "components"), parts->ids.d[0],
					parts->ids.d[1], parts->ids.d[2]);
}

static tlv_status
tensor_diagnose(tlv_context *ctx, const tlv_cp_parts *parts, const tlv_factors_found *found)
{
	double nearest, residual = found->residual;

	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, residual, "residual"));
	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, 1 - residual * residual, "explained"));
	TLV_TRY(warn_of_pairs(ctx, parts, &nearest));
	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, nearest, "nearest_components"));
	TLV_TRY(warn_of_uniqueness(ctx, parts));
	if (found->converged)
		return TLV_OK;
	return tlv_warn(ctx, parts->diagnostics,
					&(tlv_warning){.code = "iterations_at_limit",
								   .score = found->sweeps,
								   .hint = "Increase iterations, or use a smaller k."},
					"the last sweep still lowered the residual");
}

/* ---- the fit ---- */

static tlv_status
allocate(tlv_context *ctx, const tlv_tensor_source *source, size_t k, tlv_cp_parts *parts)
{
	const size_t *d = source->tensor.d;

	TLV_TRY(tlv_require_memory(
		ctx, 8 * (double) k * ((double) d[0] + (double) d[1] + (double) d[2] + 2), "the factors"));
	TLV_TRY_NEW_ROWS(ctx, parts->factors[0], d[0] + d[1] + d[2], k);
	parts->factors[1] = parts->factors[0] + k * d[0];
	parts->factors[2] = parts->factors[1] + k * d[1];
	TLV_TRY_NEW_ROWS(ctx, parts->scales, k, 2);
	parts->weights = parts->scales + k;
	return TLV_OK;
}

tlv_status
tlv_cp_fit(tlv_context *ctx, const tlv_tensor_source *source, const tlv_cp_fit_options *options,
		   void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_cp_parts parts = {.k = options->k,
						  .ids = source->ids,
						  .entries = (double) source->tensor.n,
						  .nulls = source->nulls,
						  .nonnegative = options->nonnegative,
						  .seed = (double) options->seed,
						  .diagnostics = &diagnostics};
	tlv_factors_found found;
	tlv_cp_solver solver;
	double total = 0;

	TLV_TRY(check_solver(ctx, options, &solver));
	TLV_TRY(allocate(ctx, source, options->k, &parts));
	if (tlv_tensor_is_whole(&source->known))
		TLV_TRY(run_solver(ctx, &source->tensor, options, solver, parts.factors[0], parts.scales,
						   &found));
	else
		TLV_TRY(tlv_cp_of_known(ctx, source, options, parts.factors[0], parts.scales, &found));
	for (size_t h = 0; h < parts.k; h++)
		total += parts.scales[h];
	if (!(total > 0) || (options->nonnegative && found.residual > 1 - 1e-9))
		return tlv_fail(ctx, TLV_BAD_DATA,
						source->tensor.n == 0 ? "the tensor is zero"
											  : "no component without negative entries comes near "
												"the tensor");
	for (size_t h = 0; h < parts.k; h++)
		parts.weights[h] = parts.scales[h] / total;
	parts.residual = found.residual;
	parts.sweeps = found.sweeps;
	TLV_TRY(tensor_diagnose(ctx, &parts, &found));
	TLV_TRY(tlv_warn_nulls(ctx, &diagnostics, source->skipped, "items", NULL));
	return tlv_sections_write(ctx, tlv_kind_cp.model->sections, &parts, image, size);
}
