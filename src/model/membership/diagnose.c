/*
 * diagnose.c - components of which there is nothing, those that are another's likeness, and
 * variables that name their rows (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"

/* The chi-squared distance of a variable's probabilities in two components of n and m rows. */
static double
variable_distance(const tlv_membership_parts *parts, size_t first, size_t states,
				  const size_t *pair, const double *rows)
{
	double together = rows[0] + rows[1], sum = 0;

	for (size_t v = first; v < first + states; v++)
	{
		double a = parts->probabilities[v * parts->k + pair[0]];
		double b = parts->probabilities[v * parts->k + pair[1]];
		double mean = (rows[0] * a + rows[1] * b) / together;

		sum += mean > 0 ? (a - b) * (a - b) / mean : 0;
	}
	return sum * rows[0] * rows[1] / together;
}

/* The squared distance of the means of a number in two components, relative to its squared standard
 * error by the pooled variance: that of few rows alone is uncertain. */
static double
number_distance(const tlv_membership_parts *parts, size_t s, const size_t *pair, const double *rows)
{
	const double *means = parts->scalar_means + s * parts->k;
	double together = rows[0] + rows[1], square = means[pair[0]] - means[pair[1]], variance = 0;

	for (int i = 0; i < 2; i++)
		variance += parts->scalar_variances[s * parts->k + pair[i]] * rows[i] / together;
	square *= square * rows[0] * rows[1] / together;
	return variance > 0 ? square / variance : square != 0 ? INFINITY : 0;
}

/* Do two components differ no more than chance may have it? */
static bool
are_alike(const tlv_membership_parts *parts, const size_t *pair, const double *rows)
{
	double all = 0, free = 0;
	size_t first = 0;

	for (size_t j = 0; j < parts->p; j++)
	{
		size_t states = (size_t) parts->states[j];
		double own = variable_distance(parts, first, states, pair, rows);

		if (own > (double) states - 1 + ALIKE_IN_EACH)
			return false;
		all += own;
		free += (double) states - 1;
		first += states;
	}
	for (size_t s = 0; s < tlv_membership_numbers(parts); s++)
	{
		double own = number_distance(parts, s, pair, rows);

		if (own > 1 + ALIKE_IN_EACH)
			return false;
		all += own;
		free++;
	}
	return all <= ALIKE_IN_ALL * free;
}

/* The heavier components that a component may be the likeness of. */
static tlv_status
warn_of_likeness(tlv_context *ctx, const tlv_membership_parts *parts, const int64_t *order,
				 const double *rows, size_t place, tlv_diagnostics *to)
{
	for (size_t other = 0; other < place; other++)
	{
		const size_t pair[2] = {(size_t) order[other], (size_t) order[place]};

		if (are_alike(parts, pair, (const double[]){rows[pair[0]], rows[pair[1]]}))
			return tlv_warn(
				ctx, to,
				&(tlv_warning){.code = "components_alike",
							   .component = place + 1,
							   .score = (double) (other + 1),
							   .hint = "Use a smaller k."},
				"component %zu differs from component %zu no more than by sampling error",
				place + 1, other + 1);
	}
	return TLV_OK;
}

tlv_status
membership_diagnose_components(tlv_context *ctx, const tlv_membership_parts *parts,
							   tlv_diagnostics *to)
{
	size_t k = parts->k;
	double *rows, sum = 0;
	int64_t *order;

	TLV_TRY_NEW(ctx, order, k);
	TLV_TRY_NEW(ctx, rows, k);
	tlv_order_weights(k, parts->weights, order);
	for (size_t h = 0; h < k; h++)
		sum += parts->weights[h];
	for (size_t h = 0; h < k; h++)
		rows[h] = parts->rows * parts->weights[h] / sum;
	for (size_t place = 0; place < k; place++)
	{
		size_t h = (size_t) order[place];

		TLV_TRY_CONTINUE(ctx);
		if (k > 1 && rows[h] < 1)
			TLV_TRY(tlv_warn(ctx, to,
							 &(tlv_warning){.code = "empty_component",
											.component = place + 1,
											.score = rows[h],
											.hint = "Use a smaller k."},
							 "component %zu has less than one row", place + 1));
		else
			TLV_TRY(warn_of_likeness(ctx, parts, order, rows, place, to));
	}
	tlv_free(ctx, rows);
	tlv_free(ctx, order);
	return TLV_OK;
}

/* Values that a variable has in the rows, and how many of them differ. */
static void
count_categories(const membership_rows *rows, size_t variable, bool *seen, size_t *values,
				 size_t *different)
{
	memset(seen, 0, ((size_t) rows->states[variable] + 1) * sizeof(bool));
	*values = *different = 0;
	for (size_t i = 0; i < rows->n; i++)
		for (size_t s = variable * rows->copies; s < (variable + 1) * rows->copies; s++)
		{
			size_t code = rows->codes[i * rows->slots + s];

			*values += code != 0;
			*different += code != 0 && !seen[code];
			seen[code] = true;
		}
}

/* Has a number two values? */
static bool
number_varies(const membership_rows *rows, size_t s)
{
	double first = NAN;

	for (size_t i = 0; i < rows->n; i++)
	{
		double x = rows->numbers[i * rows->scalars + s];

		if (x == x && first == first && x != first)
			return true;
		first = x == x ? x : first;
	}
	return false;
}

/* Variables of one value tell nothing of components.  Where categories have names they are known of
 * all rows, and what else differs only where the rows in memory are all. */
static tlv_status
warn_of_constant_variables(tlv_context *ctx, const membership_rows *rows,
						   const membership_variables *variables, const size_t *different,
						   tlv_diagnostics *to)
{
	size_t real = rows->p - rows->scalars;
	tlv_shown_list constant = {0};
	char shown[TLV_SHOWN_NAME];

	for (size_t j = 0; j < rows->p; j++)
	{
		bool named = j < real && variables->states != NULL;

		if (named				? variables->states[j] < 2
			: !variables->whole ? false
			: j < real			? different[j] < 2
								: !number_varies(rows, j - real))
			tlv_shown_add(&constant, tlv_names_show(variables->names, j, shown));
	}
	if (constant.n == 0)
		return TLV_OK;
	return tlv_warn(ctx, to,
					&(tlv_warning){.code = "dependent_columns", .score = (double) constant.n},
					"%s %s fewer than two values", tlv_shown_text(&constant, "variable"),
					tlv_plural((double) constant.n, "has", "have"));
}

tlv_status
membership_diagnose_variables(tlv_context *ctx, const membership_rows *rows,
							  const membership_variables *variables, tlv_diagnostics *to)
{
	size_t most = 0, values, *different;
	bool *seen;

	for (size_t j = 0; j < rows->p - rows->scalars; j++)
		most = (size_t) rows->states[j] > most ? (size_t) rows->states[j] : most;
	TLV_TRY_NEW(ctx, seen, most + 1);
	TLV_TRY_NEW(ctx, different, rows->p);
	for (size_t j = 0; j < rows->p - rows->scalars; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		count_categories(rows, j, seen, &values, &different[j]);
		TLV_TRY(tlv_warn_identifying(ctx, variables->names, j, different[j], values, to));
	}
	TLV_TRY(warn_of_constant_variables(ctx, rows, variables, different, to));
	tlv_free(ctx, different);
	tlv_free(ctx, seen);
	return TLV_OK;
}
