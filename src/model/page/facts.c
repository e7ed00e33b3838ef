/*
 * facts.c - the settings of a model and the measures of its fit, in words (page.h).
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"

/* Diagnostics in "facts", at most. */
#define FACTS 100
/* Bytes of a text. */
#define FACT_TEXT 160

/* The text of a setting or diagnostic.  '*' is the plural of the name of a component; a text that
 * ends with '?' has the value yes or no.  Names that are not here are in the description of the
 * model, or of use to the algorithm only. */
typedef struct fact_text
{
	const char *name, *text;
} fact_text;

static const fact_text fact_texts[] = {
	{"short", "sequences of fewer than 3 steps, which the first estimate does not use"},
	{"skipped", "documents of fewer than 3 words, which the first estimate does not use"},
	{"nulls", "empty values (NULL), which were skipped"},
	{"minimum_documents", "documents that a word is in at least, if the first estimate uses it"},
	{"items", "words that the first estimate uses"},
	{"counts_damped", "counts of repeated words reduced for the first estimate?"},
	{"burstiness",
	 "how often words are repeated within a document, relative to what the * imply (1: as often)"},
	{"weights_are_counts", "weights are counts?"},
	{"weight_unit", "unit of which the weights are multiples"},
	{"self_loops", "edges of a node to itself, which were skipped"},
	{"weight", "sum of the weights of the edges"},
	{"nodes_without_edges", "nodes without an edge to another node"},
	{"connected_components", "parts of the graph without an edge between them"},
	{"nodes_of_largest_connected_component", "nodes of the largest part"},
	{"degree_corrected", "numbers of edges of the nodes estimated one by one?"},
	{"tied", "one membership of a node as source and target?"},
	{"gold", "items whose answer is known"},
	{"mean_right", "mean proportion of right answers of a worker"},
	{"items_with_one_answer", "items with one answer only"},
	{"covariance_chosen", "form of the covariances chosen by the data?"},
	{"alpha0", "alpha0: the smaller, the fewer * each row, document or node consists of"},
	{"alpha0_free", "alpha0 estimated?"},
	{"alpha0_estimated", "alpha0 estimated before the refinement, too?"},
	{"prior", "strength of the prior of the probabilities, in rows"},
	{"signal", "how far the * stand out from the noise (a small value is a warning)"},
	{"sparsity", "* of a row, at most"},
	{"components", "separate trees"},
	{"replicates", "resampled sets of rows, for the support of edges"},
	{"not_identified", "hidden nodes that the rows do not identify"},
	{"merged_nodes", "hidden nodes that were removed, because they did not improve the fit"},
	{"k_chosen", "number of * chosen by the data?"},
	{"k_of_gain", "number of * with which the fit is nearly as good"},
	{"gain_over_one",
	 "gain in log-likelihood over a single component (below 0: no structure was found)"},
	{"residual",
	 "size of what the * do not explain, relative to all that they were fitted to (0: none)"},
	{"converged", "first estimate converged?"},
	{"refinement_steps", "iterations of the refinement"},
	{"log_likelihood", "log-likelihood (higher is better)"},
	{"log_likelihood_per_step", "log-likelihood per step"},
	{"log_likelihood_per_row", "log-likelihood per row"},
	{"log_likelihood_per_item", "log-likelihood per item"},
	{"mean_log_likelihood", "log-likelihood per row"},
	{"log_likelihood_per_row_of_factors",
	 "log-likelihood per row in a factor analysis, for comparison"},
	{"held_out_log_likelihood", "log-likelihood per answer that was held out"},
	{"held_out_standard_error",
	 "standard error of the log-likelihood of answers that were held out"},
	{"marginal_log_likelihood",
	 "log-likelihood of answers that were held out, if answers were independent"},
	{"parameters", "free parameters"},
	{"bic", "BIC (lower is better)"},
	{"aic", "AIC (lower is better)"},
	{"icl", "ICL (lower is better)"},
	{"independence_p_value",
	 "p-value of the hypothesis that there are no * to distinguish (near 0: there are some)"},
	{"disassortative", "* with fewer edges inside than between them?"},
	{"modularity", "modularity (0: no more edges within * than at random; at most 1)"},
	{"closure", "triangles, relative to what the * imply (1: as many)"},
	{"degree_dispersion",
	 "variance of the numbers of edges within *, divided by their mean (1: at random)"},
	{"check_distance",
	 "difference between the edges between * and what the memberships imply (0: none)"},
	{"gain_of_tied_sides",
	 "gain in log-likelihood of one membership of a node as source and target, over two"},
	{"noise_variance", "variance of the noise"},
	{"disagreement", "difference between two estimates of the * (0: none)"},
	{"error", "part of the squared values that the * do not explain"},
	{"explained", "part of the squared values that the * explain"},
};

/* The text of a name in `text`, "" if it has none. */
static void
word_fact(const tlv_frame *model, const char *name, char text[FACT_TEXT])
{
	const char *found = "", *star;
	char plural[64];

	for (size_t i = 0; i < sizeof(fact_texts) / sizeof(*fact_texts); i++)
		if (strcmp(fact_texts[i].name, name) == 0)
			found = fact_texts[i].text;
	page_plural(model->kind->model->page, plural);
	star = strchr(found, '*');
	if (star != NULL)
		snprintf(text, FACT_TEXT, "%.*s%s%s", (int) (star - found), found, plural, star + 1);
	else
		snprintf(text, FACT_TEXT, "%s", found);
}

/* [name, value, text], and the text with the value in the plain part. */
static tlv_status
put_fact(tlv_context *ctx, const tlv_frame *model, const char *name, const char *value, bool *first,
		 tlv_page *page)
{
	char words[80], text[FACT_TEXT];
	size_t length;

	snprintf(words, sizeof(words), "%s", name);
	for (char *c = words; *c != '\0'; c++)
		*c = *c == '_' ? ' ' : *c;
	word_fact(model, name, text);
	length = strlen(text);
	if (length > 0 && text[length - 1] == '?')
	{
		text[length - 1] = '\0';
		value = strcmp(value, "0") == 0 ? "no" : "yes";
	}
	TLV_TRY(tlv_json_put(ctx, &page->data, *first ? "[" : ",["));
	TLV_TRY(tlv_page_put_text(ctx, &page->data, (tlv_text){words, strlen(words)}));
	TLV_TRY(tlv_json_put(ctx, &page->data, ","));
	TLV_TRY(tlv_page_put_text(ctx, &page->data, (tlv_text){value, strlen(value)}));
	TLV_TRY(tlv_json_put(ctx, &page->data, ","));
	TLV_TRY(tlv_page_put_text(ctx, &page->data, (tlv_text){text, strlen(text)}));
	TLV_TRY(tlv_json_put(ctx, &page->data, "]"));
	*first = false;
	if (text[0] == '\0')
		return TLV_OK;
	TLV_TRY(tlv_json_put(ctx, &page->plain, "<li>"));
	TLV_TRY(tlv_page_put_plain(ctx, &page->plain, (tlv_text){text, strlen(text)}));
	TLV_TRY(tlv_json_put(ctx, &page->plain, ": "));
	TLV_TRY(tlv_page_put_plain(ctx, &page->plain, (tlv_text){value, strlen(value)}));
	return tlv_json_put(ctx, &page->plain, "</li>");
}

static tlv_status
put_number_fact(tlv_context *ctx, const tlv_frame *model, const char *name, double value,
				bool *first, tlv_page *page)
{
	char text[40];
	bool whole =
		(value == floor(value) && fabs(value) < 1e15) || (fabs(value) >= 1e4 && fabs(value) < 1e9);

	snprintf(text, sizeof(text), whole ? "%.0f" : "%.4g", value);
	return put_fact(ctx, model, name, text, first, page);
}

/* Settings and counts of the model, but for those that the diagnostics have, too; a seed is no fact
 * about it. */
static tlv_status
put_setting_facts(tlv_context *ctx, const tlv_frame *model, bool *first, tlv_page *page)
{
	const tlv_field *field = tlv_layout_of(model)->fields;

	for (; field->form != TLV_FIELDS_END; field++)
	{
		double value;

		if (field->form > TLV_FIELD_CHOICE || strcmp(field->name, "seed") == 0 ||
			!isnan(tlv_diagnostics_find(model, field->name, NAN)) ||
			tlv_frame_find(model, field->name) == NULL)
			continue;
		value = tlv_frame_scalar(model, field->name, 0);
		if (field->form == TLV_FIELD_NUMBER)
			TLV_TRY(put_number_fact(ctx, model, field->name, value, first, page));
		else if (field->form == TLV_FIELD_CHOICE)
			TLV_TRY(put_fact(ctx, model, field->name, field->names[(size_t) value], first, page));
		else if (value != 0)
			TLV_TRY(put_fact(ctx, model, field->name, "yes", first, page));
	}
	return TLV_OK;
}

tlv_status
page_put_facts(tlv_context *ctx, const tlv_frame *model, tlv_page *page)
{
	tlv_diagnostics_walk walk = tlv_diagnostics_of(model);
	bool first = true;
	tlv_text described;

	TLV_TRY(tlv_page_describe_model(ctx, model, &described));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "described"));
	TLV_TRY(tlv_page_put_text(ctx, &page->data, described));
	TLV_TRY(tlv_json_put(ctx, &page->plain, "<p class=\"dim\">"));
	TLV_TRY(tlv_page_put_plain(ctx, &page->plain, described));
	TLV_TRY(tlv_json_put(ctx, &page->plain, "</p><ul class=\"dim\">"));
	tlv_free(ctx, (void *) described.bytes);
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "facts"));
	TLV_TRY(tlv_json_put(ctx, &page->data, "["));
	TLV_TRY(put_setting_facts(ctx, model, &first, page));
	for (size_t n = 0; n < FACTS && tlv_diagnostics_next(&walk);)
	{
		size_t length = strlen(walk.name);

		/* Those of single components are no facts about the whole model. */
		if (length == 0 || isdigit((unsigned char) walk.name[length - 1]))
			continue;
		TLV_TRY(put_number_fact(ctx, model, walk.name, walk.value, &first, page));
		n++;
	}
	TLV_TRY(tlv_json_put(ctx, &page->plain, "</ul>"));
	return tlv_json_put(ctx, &page->data, "]");
}
