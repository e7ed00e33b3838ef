/*
 * worth.c - what communities of rows of neighbours are worth: their evidence beside that
 * of one community, diagnostics, their order (learn.h).
 */
#include "learn.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/model/layout.h"
#include "tensorlv/num/sort.h"

/* What one community must be the more likely by, in nats (Kass, Raftery 1995: very strong). */
#define STRONG_EVIDENCE 5.0

typedef struct size_key
{
	uint64_t key;
	uint64_t at;
} size_key;

/* Places of numbers that are not negative, the largest last. */
static tlv_status
order_by_size(tlv_context *ctx, size_t n, const double *size, size_key **keys, size_key **sorted)
{
	static const tlv_sort_form form = {sizeof(size_key), sizeof(uint64_t), 0, 64};
	void *result;

	TLV_TRY_NEW(ctx, *keys, 2 * n + 1);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		memcpy(&(*keys)[i].key, &size[i], sizeof(double)); /* in the order of the numbers */
		(*keys)[i].at = i;
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, n, *keys, *keys + n, &result));
	*sorted = result;
	return TLV_OK;
}

tlv_status
tlv_division_open(tlv_context *ctx, const tlv_mmsb_parts *parts, const tlv_neighbour_sums *sums,
				  tlv_division *division)
{
	const tlv_memberships *m = &parts->side[0].memberships;
	size_key *keys, *sorted;
	double all = 0;
	bool *has_node;
	size_t n = 0;

	*division = (tlv_division){.k = parts->k, .weighted = 1, .fit = {.sides = 1, .k = parts->k}};
	TLV_TRY(order_by_size(ctx, m->n, parts->side[0].degree, &keys, &sorted));
	TLV_TRY_NEW(ctx, division->degree, m->n);
	TLV_TRY_NEW(ctx, division->label, m->n);
	TLV_TRY_NEW(ctx, division->edges, parts->k * parts->k);
	TLV_TRY_NEW0(ctx, has_node, parts->k);
	for (size_t i = m->n; i-- > 0;)
	{
		size_t u = sorted[i].at;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (m->start[u] == m->start[u + 1])
			continue;
		division->degree[n] = parts->side[0].degree[u];
		division->fit.total += division->degree[n];
		division->label[n] = tlv_memberships_largest(m, u);
		has_node[division->label[n++]] = true;
	}
	for (size_t a = 0; a < parts->k; a++)
		division->used += has_node[a];
	for (size_t i = 0; i < parts->k * parts->k; i++)
		all += sums->edges[i];
	for (size_t i = 0; i < parts->k * parts->k; i++)
		division->edges[i] = sums->edges[i] * division->fit.total / fmax(all, DBL_MIN);
	division->fit.side[0].n = n;
	division->fit.side[0].degree = division->degree;
	division->fit.side[0].edges.value = parts->poisson ? &division->weighted : NULL;
	tlv_free(ctx, has_node);
	tlv_free(ctx, keys);
	return TLV_OK;
}

void
tlv_division_free(tlv_context *ctx, tlv_division *division)
{
	tlv_free(ctx, division->edges);
	tlv_free(ctx, division->label);
	tlv_free(ctx, division->degree);
}

tlv_status
tlv_neighbours_weigh(tlv_context *ctx, const tlv_mmsb_parts *parts, const tlv_neighbour_sums *sums,
					 tlv_mmsb_evidences *found, tlv_mmsb_evidences *one, double *used)
{
	tlv_division division;

	TLV_TRY(tlv_division_open(ctx, parts, sums, &division));
	TLV_TRY(tlv_mmsb_evidence_of_edges(ctx, &division.fit, division.label, parts->k, division.edges,
									   found));
	memset(division.label, 0, division.fit.side[0].n * sizeof(int32_t));
	TLV_TRY(tlv_mmsb_evidence_of_edges(ctx, &division.fit, division.label, 1, &division.fit.total,
									   one));
	*used = division.used;
	tlv_division_free(ctx, &division);
	return TLV_OK;
}

/* Warns of the communities that are no node's largest membership. */
static tlv_status
warn_empty(tlv_context *ctx, const tlv_mmsb_parts *parts, tlv_diagnostics *diagnostics)
{
	const tlv_memberships *m = &parts->side[0].memberships;
	tlv_shown_list empty = {0};
	bool *has_node;

	TLV_TRY_NEW0(ctx, has_node, parts->k);
	for (size_t u = 0; u < m->n; u++)
		if (m->start[u] < m->start[u + 1])
			has_node[tlv_memberships_largest(m, u)] = true;
	for (size_t a = 0; a < parts->k; a++)
		if (!has_node[a])
			tlv_shown_add_number(&empty, a + 1);
	tlv_free(ctx, has_node);
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "empty_component",
								   .score = (double) empty.n,
								   .hint = "Use a smaller k."},
					"%s %s %s empty", empty.n == 1 ? "community" : "communities",
					tlv_shown_text(&empty, NULL), tlv_shown_verb(&empty));
}

static tlv_status
diagnose_evidence(tlv_context *ctx, neighbours_fit *fit, const tlv_mmsb_parts *parts,
				  const tlv_neighbour_sums *sums)
{
	tlv_mmsb_evidences found, one;
	double used, gain;

	if (fit->limited)
		TLV_TRY(tlv_warn(
			ctx, &fit->diagnostics,
			&(tlv_warning){.code = "k_at_limit",
						   .score = (double) parts->k,
						   .hint = tlv_mmsb_limit_hint(tlv_neighbours_most(&fit->options))},
			"there may be more communities than max_k = %zu", tlv_neighbours_most(&fit->options)));
	TLV_TRY(tlv_neighbours_weigh(ctx, parts, sums, &found, &one, &used));
	if (used < (double) parts->k)
		TLV_TRY(warn_empty(ctx, parts, &fit->diagnostics));
	if (parts->k == 1)
		return TLV_OK;
	gain = fmax(found.of[fit->corrected][0], found.of[fit->corrected][1]) -
		   fmax(one.of[fit->corrected][0], one.of[fit->corrected][1]);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, gain / fmax(sums->total, 1), "gain_over_one"));
	if (gain > -STRONG_EVIDENCE)
		return TLV_OK;
	return tlv_warn(ctx, &fit->diagnostics,
					&(tlv_warning){.code = "no_structure",
								   .score = gain / fmax(sums->total, 1),
								   .hint = "Collect more edges, or use a smaller k."},
					"the graph shows no communities: it is as likely without them");
}

tlv_status
tlv_neighbours_diagnose(tlv_context *ctx, neighbours_fit *fit, const tlv_frame *model)
{
	tlv_diagnostics *to = &fit->diagnostics;
	tlv_neighbour_sums sums;
	tlv_mmsb_parts parts;
	double *conductance;
	size_t alone = 0;

	TLV_TRY(tlv_mmsb_read(ctx, model, &parts));
	TLV_TRY(tlv_neighbour_sums_of(ctx, &parts, &sums));
	TLV_TRY_NEW(ctx, conductance, parts.k);
	for (size_t u = 0; u < parts.side[0].n; u++)
		alone += parts.side[0].degree[u] == 0;
	TLV_TRY(tlv_diagnose(ctx, to, (double) parts.side[0].n, "nodes"));
	TLV_TRY(tlv_diagnose(ctx, to, sums.total / 2, "weight"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->self_loops, "self_loops"));
	TLV_TRY(tlv_diagnose(ctx, to, (double) alone, "nodes_without_edges"));
	TLV_TRY(tlv_diagnose(ctx, to, (double) parts.k, "k"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->corrected, "degree_corrected"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->options.alpha0, "alpha0"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->subspace_iterations, "subspace_steps"));
	TLV_TRY(tlv_diagnose(ctx, to, fit->iterations, "refinement_steps"));
	if (fit->options.alpha0 == 0)
		TLV_TRY(tlv_diagnose(ctx, to, !fit->candidates[0].diagonal, "full_block_model"));
	TLV_TRY(diagnose_evidence(ctx, fit, &parts, &sums));
	TLV_TRY(tlv_diagnose(ctx, to, tlv_modularity(parts.k, sums.edges, conductance), "modularity"));
	for (size_t a = 0; a < parts.k; a++)
		TLV_TRY(tlv_diagnose(ctx, to, conductance[a], "conductance_%zu", a + 1));
	tlv_free(ctx, conductance);
	tlv_free(ctx, sums.size);
	tlv_free(ctx, parts.side[0].memberships.start);
	return TLV_OK;
}

/* Communities by decreasing size; those without nodes only where they are wanted. */
static tlv_status
order_communities(tlv_context *ctx, const tlv_frame *model, bool all, tlv_place **places, size_t *n)
{
	size_t k = tlv_frame_find(model, "connectivity")->rows;
	const double *sizes = tlv_frame_float64(model, "sizes");
	size_key *keys, *sorted;

	TLV_TRY(order_by_size(ctx, k, sizes, &keys, &sorted));
	TLV_TRY_NEW(ctx, *places, k);
	*n = 0;
	for (size_t a = 0; a < k; a++)
	{
		size_t at = sorted[k - 1 - a].at;

		if (all || sizes[at] > 0 || *n == 0)
			(*places)[(*n)++] = (tlv_place){(int64_t) at, -1};
	}
	tlv_free(ctx, keys);
	return TLV_OK;
}

tlv_status
tlv_neighbours_order(tlv_context *ctx, bool all, tlv_held *whole, tlv_held *soft)
{
	tlv_held *const both[2] = {whole, soft};
	tlv_place *places;
	size_t n;

	TLV_TRY(order_communities(ctx, &soft->frame, all, &places, &n));
	for (int i = 0; i < 2; i++)
	{
		tlv_making made;

		TLV_TRY(TLV_MAKE(ctx, &made, both[i],
						 tlv_model_arrange(ctx, &both[i]->frame, &both[i]->frame, n, places,
										   &made.image, &made.size)));
	}
	tlv_free(ctx, places);
	return TLV_OK;
}
