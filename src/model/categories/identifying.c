/*
 * identifying.c - categorical variables that identify rows, alone or two together (categories.h).
 */
#include "tensorlv/model/categories.h"
#include "tensorlv/num/plural.h"

/* Pairs of rows that agree in two variables, expected under independence, from which on it is
 * evidence that there are none. */
#define KEY_EXPECTED 12.0

tlv_status
tlv_warn_identifying(tlv_context *ctx, const tlv_names *names, size_t variable, size_t different,
					 size_t values, tlv_diagnostics *to)
{
	char shown[TLV_SHOWN_NAME];

	if (different < TLV_MOST_INTEGER_CATEGORIES || 2 * different <= values)
		return TLV_OK;
	return tlv_warn(
		ctx, to,
		&(tlv_warning){.code = "identifying_column",
					   .score = (double) different,
					   .hint =
						   "Omit the variable if it identifies rows, or join its rare categories."},
		"variable %s has %zu categories in %zu %s, and does not inform about other rows",
		tlv_names_show(names, variable, shown), different, values,
		tlv_plural((double) values, "value", "values"));
}

bool
tlv_is_key(double rows, const double pairs[3])
{
	double all = rows * (rows - 1) / 2;

	return pairs[2] == 0 && pairs[0] * pairs[1] > KEY_EXPECTED * all;
}

tlv_status
tlv_warn_key(tlv_context *ctx, const tlv_names *names, double rows, const char *hint,
			 tlv_diagnostics *to)
{
	char shown[2][TLV_SHOWN_NAME];

	return tlv_warn(ctx, to,
					&(tlv_warning){.code = "identifying_column", .score = rows, .hint = hint},
					"variables %s and %s identify the rows together: they are a key",
					tlv_names_show(names, 0, shown[0]), tlv_names_show(names, 1, shown[1]));
}

/* ---- of tables ---- */

static tlv_status
identifying_warn_of_variable(tlv_context *ctx, const tlv_category_tables *tables,
							 const tlv_names *names, size_t variable, tlv_diagnostics *to)
{
	size_t different = 0;
	double values = 0;

	for (size_t c = tables->offset[variable]; c < tables->offset[variable + 1]; c++)
	{
		different += tables->singles[c] > 0;
		values += tables->singles[c];
	}
	return tlv_warn_identifying(ctx, names, variable, different, (size_t) values, to);
}

/* Pairs of rows that agree in the first variable, in the second and in both; returns the number of
 * rows that have both. */
static double
identifying_count_pairs(const tlv_category_tables *tables, double pairs[3])
{
	const double *table = tlv_category_pair(tables, 0, 1);
	size_t n = (size_t) tables->states[0], m = (size_t) tables->states[1];
	double rows = 0;

	for (size_t i = 0; i < n * m; i++)
	{
		rows += table[i];
		pairs[2] += table[i] * (table[i] - 1) / 2;
	}
	for (size_t i = 0; i < n; i++)
	{
		double sum = 0;

		for (size_t j = 0; j < m; j++)
			sum += table[i * m + j];
		pairs[0] += sum * (sum - 1) / 2;
	}
	for (size_t j = 0; j < m; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += table[i * m + j];
		pairs[1] += sum * (sum - 1) / 2;
	}
	return rows;
}

tlv_status
tlv_warn_tables(tlv_context *ctx, const tlv_category_tables *tables, const tlv_names *names,
				const char *hint, tlv_diagnostics *to)
{
	double pairs[3] = {0}, rows;

	for (size_t j = 0; j < tables->p; j++)
		TLV_TRY(identifying_warn_of_variable(ctx, tables, names, j, to));
	if (tables->p < 3)
		return TLV_OK;
	rows = identifying_count_pairs(tables, pairs);
	return tlv_is_key(rows, pairs) ? tlv_warn_key(ctx, names, rows, hint, to) : TLV_OK;
}
