/*
 * warning_codes.c - the list of the codes that fits warn by (diagnostics.h).  A code says the same
 * of every family; docs/reference/errors.md describes each.
 */
#include "tensorlv/model/diagnostics.h"

#include <string.h>

/* In alphabetical order. */
static const struct listed_code
{
	const char *code;
	tlv_severity severity;
	const char *hint; /* "": the place that warns has one, or there is none */
} listed[] = {
	{"anchors_below_noise", TLV_SEVERE_OTHER, ""},
	{"anchors_for_memory", TLV_SEVERE_OTHER, ""},
	{"another_model", TLV_SEVERE_OTHER, "Give more rows, or use another k."},
	{"asymmetric_moments", TLV_SEVERE_OTHER, "Give more rows, or use a smaller k."},
	{"cancelling_components", TLV_SEVERE_OTHER, ""},
	{"closed_neighbourhoods", TLV_SEVERE_STRUCTURE, ""},
	{"columns_skipped", TLV_SEVERE_ROWS,
	 "List the columns that are dimensions; add 0.0 to one that is one."},
	{"components_alike", TLV_SEVERE_OTHER, "Use a smaller k."},
	{"components_overlap", TLV_SEVERE_OTHER, ""},
	{"contradictory_gold", TLV_SEVERE_OTHER, ""},
	{"copying_workers", TLV_SEVERE_OTHER, ""},
	{"dependent_columns", TLV_SEVERE_FLOOR,
	 "Omit constant columns and columns that follow from others."},
	{"directions_skipped", TLV_SEVERE_ROWS, ""},
	{"empty_component", TLV_SEVERE_OTHER, "Use a smaller k."},
	{"equal_columns", TLV_SEVERE_OTHER, ""},
	{"equal_singular_values", TLV_SEVERE_IDENTIFIED, ""},
	{"factors_fit_better", TLV_SEVERE_OTHER, ""},
	{"few_directions_left", TLV_SEVERE_OTHER, ""},
	{"few_rows", TLV_SEVERE_IDENTIFIED, ""},
	{"fewer_components", TLV_SEVERE_IDENTIFIED, "Use a smaller k, or give more rows."},
	{"forest", TLV_SEVERE_OTHER, "Omit the variables that depend on no other."},
	{"gaussian_noise", TLV_SEVERE_OTHER, ""},
	{"heavy_tails", TLV_SEVERE_OTHER, ""},
	{"identifying_column", TLV_SEVERE_ROWS, ""},
	{"iterations_at_limit", TLV_SEVERE_OTHER, "Increase iterations."},
	{"k_at_limit", TLV_SEVERE_OTHER, "Increase max_k, or give k."},
	{"k_untested", TLV_SEVERE_STRUCTURE, ""},
	{"large_residual", TLV_SEVERE_OTHER, "Use a smaller k, or give more rows."},
	{"large_units", TLV_SEVERE_OTHER, ""},
	{"length_at_limit", TLV_SEVERE_OTHER, ""},
	{"many_parameters", TLV_SEVERE_OTHER, ""},
	{"means_moved", TLV_SEVERE_OTHER, "Use refine => 'none' to keep the means of the moments."},
	{"negative_mass", TLV_SEVERE_OTHER, ""},
	{"no_better_than_chance", TLV_SEVERE_IDENTIFIED, ""},
	{"no_errors", TLV_SEVERE_OTHER, ""},
	{"no_gap", TLV_SEVERE_OTHER, ""},
	{"no_model", TLV_SEVERE_STRUCTURE, ""},
	{"no_structure", TLV_SEVERE_STRUCTURE, ""},
	{"not_identified", TLV_SEVERE_IDENTIFIED, "Use a smaller k, or give more rows."},
	{"not_smaller", TLV_SEVERE_OTHER, ""},
	{"not_stationary", TLV_SEVERE_OTHER, ""},
	{"one_factor", TLV_SEVERE_OTHER, ""},
	{"one_skewed_shape", TLV_SEVERE_OTHER, ""},
	{"repeated_rows", TLV_SEVERE_OTHER, ""},
	{"repeated_words", TLV_SEVERE_OTHER, ""},
	{"rows_changed", TLV_SEVERE_ROWS,
	 "Store the rows in a table first, or fit in a transaction of REPEATABLE READ."},
	{"rows_scaled", TLV_SEVERE_OTHER, ""},
	{"rows_skipped", TLV_SEVERE_ROWS, "Fill in missing values, or filter these rows out."},
	{"same_time", TLV_SEVERE_OTHER,
	 "Make one row of them by GROUP BY, or give each row a time of its own."},
	{"spurious_component", TLV_SEVERE_OTHER, "Use a smaller k, or give more rows."},
	{"symbols_are_numbers", TLV_SEVERE_STRUCTURE,
	 "Cast the symbols to float8 if they are numbers."},
	{"tree_like", TLV_SEVERE_STRUCTURE, ""},
	{"two_colourable", TLV_SEVERE_OTHER, ""},
	{"uncertain_directions", TLV_SEVERE_OTHER, ""},
	{"unequal_degrees", TLV_SEVERE_OTHER, ""},
	{"unmatched_labels", TLV_SEVERE_ROWS, ""},
	{"variances_at_floor", TLV_SEVERE_FLOOR,
	 "Omit constant columns and equal rows, or use a smaller k."},
	{"weak_signal", TLV_SEVERE_OTHER, ""},
	{"whole_texts", TLV_SEVERE_ROWS, ""},
};

#define LISTED (sizeof(listed) / sizeof(listed[0]))

/* NULL: it is not listed. */
static const struct listed_code *
find_code(const char *code)
{
	for (size_t i = 0; i < LISTED; i++)
		if (strcmp(listed[i].code, code) == 0)
			return &listed[i];
	return NULL;
}

tlv_severity
tlv_warning_severity(const char *code)
{
	const struct listed_code *found = find_code(code);

	return found != NULL ? found->severity : TLV_SEVERE_OTHER;
}

const char *
tlv_warning_hint(const char *code)
{
	const struct listed_code *found = find_code(code);

	return found != NULL ? found->hint : "";
}
