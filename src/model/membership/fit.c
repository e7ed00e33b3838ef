/*
 * fit.c - options, what moments must show, and a model from tables alone (membership.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

/* Variables that tables of pairs and of triples tell components from. */
#define LEAST_VARIABLES 3

double
membership_alpha0(const tlv_membership_options *options, size_t k)
{
	if (!options->mixed)
		return 0;
	return options->alpha0 > 0 ? options->alpha0 : (double) k / 10;
}

tlv_status
membership_check_ranges(tlv_context *ctx, const tlv_membership_options *options)
{
	if (options->k > TLV_MEMBERSHIP_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than %d", options->k,
						TLV_MEMBERSHIP_MOST_COMPONENTS);
	if (options->alpha0 != 0 && !(options->alpha0 > 0 && options->alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not above 0 and at most 1e6",
						options->alpha0);
	return TLV_OK;
}

tlv_status
membership_check_copies(tlv_context *ctx, size_t values, size_t copies)
{
	if (values % copies == 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu %s not %zu of every variable", values,
			 tlv_plural((double) values, "value of a row is", "values of a row are"), copies);
	return tlv_fail_hint(ctx, "Omit copies if a row has one value of each variable.");
}

static tlv_status
membership_check_options(tlv_context *ctx, const tlv_membership_options *options, size_t p,
						 size_t categories)
{
	size_t most = categories > p ? categories - p + 1 : 1;

	TLV_TRY(membership_check_ranges(ctx, options));
	if (p < LEAST_VARIABLES && options->k > 1)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu variable%s: components show in three at least", p,
				 p == 1 ? "" : "s");
		return tlv_fail_hint(ctx,
							 "Leave k out, or give more variables; %s(query, k) looks for "
							 "components in the rows themselves.",
							 options->mixed ? "tlv_gom" : "tlv_lca");
	}
	if (options->k <= most)
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu %s not identified by %zu %s of %zu categories in all",
			 options->k, tlv_plural((double) options->k, "component is", "components are"), p,
			 tlv_plural((double) p, "variable", "variables"), categories);
	return tlv_fail_hint(ctx,
						 "The categories beyond the first of every variable, and one more, "
						 "are the most: k at most %zu.",
						 most);
}

tlv_status
membership_require_rank(tlv_context *ctx, const membership_moments *moments,
						const membership_basis *basis)
{
	char values[400];
	size_t at = 0, k = basis->k, found = 0;

	(void) moments;
	while (found < k && basis->value[found] > TLV_NOISE_DIRECTION * basis->value[0])
		found++;
	if (found == k)
		return TLV_OK;
	for (size_t h = 0; h < k && at < sizeof(values) - 32; h++)
		at += (size_t) snprintf(values + at, sizeof(values) - at, "%s%.3g", h > 0 ? ", " : "",
								basis->value[h]);
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the pairs of variables show %zu %s, not %zu", found,
			 tlv_plural((double) found, "component", "components"), k);
	tlv_fail_detail(ctx, "Singular values: %s.", values);
	return tlv_fail_hint(ctx, "Use a smaller k, more rows or more variables.");
}

/* ---- from tables ---- */

/* Every variable is known in some row. */
static tlv_status
require_known(tlv_context *ctx, const tlv_category_tables *tables)
{
	for (size_t s = 0; s < tables->p; s++)
		if (tables->states[s] == 0)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "variable %zu is missing in all rows", s + 1);
			return tlv_fail_hint(ctx, "Leave it out.");
		}
	return TLV_OK;
}

static tlv_status
open_tables(tlv_context *ctx, const tlv_frame *moments, const tlv_membership_options *options,
			tlv_category_tables *tables)
{
	if (moments->header->kind != TLV_KIND_CATEGORY_MOMENTS)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "this fit needs moments of categorical variables");
		return tlv_fail_hint(ctx, "Collect them with tlv_category_moments(v).");
	}
	TLV_TRY(tlv_category_open(ctx, moments, tables));
	if (tables->name_offsets != NULL && options->copies > 1)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "copies of a variable may have other names each: moments by name have none");
		return tlv_fail_hint(ctx, "Use %s(query, k, copies => %zu).",
							 options->mixed ? "tlv_gom" : "tlv_lca", options->copies);
	}
	TLV_TRY(membership_check_copies(ctx, tables->p, options->copies));
	TLV_TRY(membership_check_options(ctx, options, tables->p / options->copies,
									 tables->offset[tables->p]));
	if (!(tables->rows > 0))
	{
		tlv_fail(ctx, TLV_NO_ROWS, "the moments are of no rows");
		return tlv_fail_hint(ctx, "Collect them from rows that are not null.");
	}
	TLV_TRY(require_known(ctx, tables));
	if (tables->triples != NULL)
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
			 "the moments have no tables of triples: there were too many of them");
	return tlv_fail_hint(ctx, "%s(query, k) fits without them.",
						 options->mixed ? "tlv_gom" : "tlv_lca");
}

static tlv_status
membership_diagnose_fit(tlv_context *ctx, const membership_basis *basis, const membership_fit *fit,
						tlv_diagnostics *diagnostics)
{
	for (size_t h = 0; h <= basis->k; h++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, basis->value[h], "singular_value_%zu", h + 1));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->residual, "residual"));
	return tlv_diagnose(ctx, diagnostics, fit->negative, "negative_mass");
}

/* k was chosen, and is 1. */
static tlv_status
membership_warn_one_shown(tlv_context *ctx, const membership_basis *basis, size_t variables,
						  tlv_diagnostics *diagnostics)
{
	if (variables < LEAST_VARIABLES)
		return tlv_warn(ctx, diagnostics,
						&(tlv_warning){.code = "k_untested",
									   .score = (double) variables,
									   .hint = "Give at least three variables."},
						"components are identified by at least three variables, and there %s %zu",
						variables == 1 ? "is" : "are", variables);
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "no_structure",
								   .score = basis->value[1],
								   .hint = "Give k, or collect more rows."},
					"the pairs of variables do not differ from independent ones");
}

/* k was chosen by what the pairs show. */
static tlv_status
diagnose_shown(tlv_context *ctx, const membership_basis *basis, size_t variables,
			   const tlv_membership_options *options, const membership_shown *chosen,
			   tlv_diagnostics *diagnostics)
{
	for (size_t i = 0; i < chosen->n; i++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, chosen->noise[i], "above_noise_%zu", i + 1));
	if (options->k == 1 && options->shown == 0)
		TLV_TRY(membership_warn_one_shown(ctx, basis, variables, diagnostics));
	return tlv_warn_k_at_limit(ctx, diagnostics, options->shown, options->max_k);
}

/* ---- the likelihood ---- */

typedef struct triple_likelihood
{
	const membership_moments *moments;
	const membership_fit *fit;
	double norm;  /* a (a + 1) (a + 2) */
	double *u;	  /* categories */
	double *w;	  /* categories x categories */
	double *both; /* k: alpha theta_x theta_y */
} triple_likelihood;

/*
 * Of three values x, y, z of a row of Dirichlet memberships alpha, u_x = sum_h alpha_h theta_xh,
 * w_xy = sum_h alpha_h theta_xh theta_yh and so on,
 *     P(x, y, z) = (u_x u_y u_z + w_xy u_z + w_xz u_y + w_yz u_x + 2 w_xyz) / (a (a + 1) (a + 2)).
 */

/* A line of a table: counts of all z beside x and y. */
static double
line_likelihood(const triple_likelihood *own, size_t x, size_t y, size_t first, size_t states,
				const double *counts)
{
	const membership_fit *fit = own->fit;
	size_t k = fit->k, d = own->moments->categories;
	double sum = 0;

	for (size_t h = 0; h < k; h++)
		own->both[h] = fit->weights[h] * fit->table[x * k + h] * fit->table[y * k + h];
	for (size_t c = 0; c < states; c++)
	{
		size_t z = first + c;
		double p = own->u[x] * own->u[y] * own->u[z] + own->w[x * d + y] * own->u[z] +
				   own->w[x * d + z] * own->u[y] + own->w[y * d + z] * own->u[x];

		if (counts[c] == 0)
			continue;
		for (size_t h = 0; h < k; h++)
			p += 2 * own->both[h] * fit->table[z * k + h];
		sum += counts[c] * log(fmax(p / own->norm, TLV_LEAST_PROBABILITY));
	}
	return sum;
}

static double
table_likelihood(const triple_likelihood *own, const tlv_category_tables *tables, size_t a,
				 size_t b, size_t c)
{
	const membership_moments *moments = own->moments;
	const double *counts = tlv_category_triple(tables, a, b, c);
	const size_t *offset = moments->offset;
	size_t copies = moments->copies;
	double sum = 0;

	for (size_t x = 0; x < (size_t) tables->states[a]; x++)
		for (size_t y = 0; y < (size_t) tables->states[b]; y++)
		{
			sum += line_likelihood(own, offset[a / copies] + x, offset[b / copies] + y,
								   offset[c / copies], (size_t) tables->states[c], counts);
			counts += tables->states[c];
		}
	return sum;
}

/* Of all triples of different variables together, under components of mixed membership whose
 * weights have the sum alpha0. */
static tlv_status
membership_triple_likelihood(tlv_context *ctx, const membership_moments *moments,
							 const tlv_category_tables *tables, double alpha0,
							 const membership_fit *fit, double *sum)
{
	size_t k = fit->k, d = moments->categories;
	triple_likelihood own = {
		.moments = moments, .fit = fit, .norm = alpha0 * (alpha0 + 1) * (alpha0 + 2)};
	double *scaled;

	TLV_TRY_NEW0(ctx, own.u, d);
	TLV_TRY_NEW_ROWS(ctx, own.w, d, d);
	TLV_TRY_NEW(ctx, own.both, k);
	TLV_TRY_NEW_ROWS(ctx, scaled, d, k);
	for (size_t v = 0; v < d; v++)
		for (size_t h = 0; h < k; h++)
			own.u[v] += scaled[v * k + h] = fit->weights[h] * fit->table[v * k + h];
	TLV_TRY(tlv_gemm(ctx, true, false, d, d, k, 1, scaled, k, fit->table, k, 0, own.w, d));
	*sum = 0;
	for (size_t a = 0; a < tables->p; a++)
		for (size_t b = a + 1; b < tables->p; b++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t c = b + 1; c < tables->p; c++)
				*sum += table_likelihood(&own, tables, a, b, c);
		}
	tlv_free(ctx, scaled);
	tlv_free(ctx, own.both);
	tlv_free(ctx, own.w);
	tlv_free(ctx, own.u);
	return TLV_OK;
}

/*
 * Where the components leave much of the triples unexplained, factors that are held nonnegative
 * suffer less from noise: they are taken where the triples are likelier by them.
 */
static tlv_status
try_partition(tlv_context *ctx, const tlv_category_tables *tables, const membership_moments *second,
			  const tlv_membership_options *options, membership_fit *fit, bool *taken)
{
	tlv_membership_options own = *options;
	membership_fit other = {.k = fit->k};
	double joint, partition;
	tlv_status status;

	*taken = false;
	if (!options->mixed || options->k < 2 || options->copies > 1 ||
		options->decompose.method != TLV_METHOD_JOINT || fit->residual < TLV_POOR_RESIDUAL)
		return TLV_OK;
	own.partition = true;
	own.decompose = (tlv_decompose_options){.seed = options->decompose.seed};
	status = membership_partition_tables(ctx, tables, second, &own, &other);
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_OK;
	TLV_TRY(status);
	TLV_TRY(membership_triple_likelihood(ctx, second, tables, own.alpha0, fit, &joint));
	TLV_TRY(membership_triple_likelihood(ctx, second, tables, own.alpha0, &other, &partition));
	*taken = partition > joint;
	if (*taken)
		*fit = other;
	return TLV_OK;
}

/* One component has the marginal frequencies: nothing has to be told apart. */
static tlv_status
fit_one(tlv_context *ctx, const membership_moments *moments, double alpha0, membership_fit *fit)
{
	*fit = (membership_fit){.k = 1, .table = moments->mean};
	TLV_TRY_NEW(ctx, fit->weights, 1);
	fit->weights[0] = alpha0 > 0 ? alpha0 : 1;
	return TLV_OK;
}

/* k is given (chosen is NULL), or chosen: a warning says where it is 1. */
static tlv_status
membership_fit_components(tlv_context *ctx, const tlv_category_tables *tables,
						  const membership_moments *second, const tlv_membership_options *options,
						  const membership_shown *chosen, void **image, size_t *size)
{
	const membership_triples triples = {.tables = tables};
	tlv_membership_options own = *options;
	tlv_diagnostics diagnostics = {0};
	tlv_membership_parts parts = {.k = options->k, .diagnostics = &diagnostics};
	membership_basis basis;
	membership_fit fit;
	bool partition = options->partition;
	double alpha0;

	TLV_TRY(membership_find_alpha0(ctx, second, &triples, options, options->k, &alpha0));
	own.alpha0 = alpha0;
	TLV_TRY(membership_whiten(ctx, second, options->k, alpha0, options->seed, &basis));
	if (options->k > 1)
		TLV_TRY(membership_require_rank(ctx, second, &basis));
	if (options->k == 1)
		TLV_TRY(fit_one(ctx, second, alpha0, &fit));
	else if (options->partition)
		TLV_TRY(membership_partition_tables(ctx, tables, second, &own, &fit));
	else
	{
		TLV_TRY(membership_decompose(ctx, second, &basis, &triples, &options->decompose, &fit));
		TLV_TRY(try_partition(ctx, tables, second, &own, &fit, &partition));
	}
	if (options->mixed)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, partition, "start_of_partitions"));
	TLV_TRY(membership_diagnose_fit(ctx, &basis, &fit, &diagnostics));
	if (options->mixed)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, alpha0, "alpha0"));
	if (chosen != NULL)
		TLV_TRY(diagnose_shown(ctx, &basis, second->p, options, chosen, &diagnostics));
	parts.p = second->p;
	parts.categories = second->offset[parts.p];
	parts.rows = tables->rows;
	parts.copies = (double) options->copies;
	parts.prior = MEMBERSHIP_PRIOR;
	parts.seed = (double) options->seed;
	parts.states = second->states;
	parts.weights = fit.weights;
	parts.probabilities = fit.table;
	if (tables->name_offsets != NULL)
	{
		parts.name_offsets = tables->name_offsets;
		parts.names = tables->names;
		parts.category_bytes = (size_t) tables->name_offsets[parts.categories];
	}
	TLV_TRY(membership_diagnose_components(ctx, &parts, &diagnostics));
	return tlv_membership_write(ctx, &parts, options->mixed, NULL, image, size);
}

tlv_status
tlv_membership_fit(tlv_context *ctx, const tlv_frame *moments,
				   const tlv_membership_options *options, void **image, size_t *size)
{
	tlv_membership_options own = *options;
	tlv_status status = TLV_NOT_IDENTIFIABLE;
	tlv_category_tables tables;
	membership_moments second;
	membership_shown shown;

	TLV_TRY(open_tables(ctx, moments, options, &tables));
	TLV_TRY(membership_moments_of_tables(ctx, &tables, options->copies, &second));
	if (options->k > 0)
		return membership_fit_components(ctx, &tables, &second, options, NULL, image, size);
	TLV_TRY(membership_rank(ctx, &second, tables.rows, options->seed, &shown));
	if (second.p < LEAST_VARIABLES)
		shown.k = 1;
	own.k = options->max_k > 0 ? tlv_least(shown.k, options->max_k) : shown.k;
	own.shown = shown.k > own.k ? shown.k : 0;
	for (; own.k > 0 && status == TLV_NOT_IDENTIFIABLE; own.k--)
	{
		tlv_scratch scratch;

		tlv_scratch_begin(ctx, &scratch);
		status = membership_fit_components(ctx, &tables, &second, &own, &shown, image, size);
		if (status == TLV_OK)
			tlv_scratch_keep(ctx, *image);
		tlv_scratch_end(ctx, &scratch);
	}
	return status;
}
