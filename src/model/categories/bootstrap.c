/*
 * bootstrap.c - replicates of the tables of category moments: the rows are dealt to as many parts
 * as there are replicates, whose tables are counted in the same pass, and a replicate has parts
 * drawn with replacement (Efron 1979).
 */
#include <string.h>

#include "internal.h"

static size_t
part_of(const category_state *state, size_t t)
{
	return (size_t) (tlv_mix64(state->seed + (uint64_t) state->rows + t) % state->replicates);
}

/* rows becomes the rows of the block, part by part; first[part] where the next part begins. */
static void
deal_rows(const category_state *state, size_t *first, uint8_t *rows)
{
	size_t p = state->layout.p, begin = 0;

	for (size_t t = 0; t < state->block_rows; t++)
		first[part_of(state, t)]++;
	for (size_t part = 0; part < state->replicates; part++)
	{
		size_t n = first[part];

		first[part] = begin;
		begin += n;
	}
	for (size_t t = 0; t < state->block_rows; t++)
		memcpy(rows + first[part_of(state, t)]++ * p, state->block + t * p, p);
}

tlv_status
category_count_parts(tlv_context *ctx, const category_state *state)
{
	const category_layout *layout = &state->layout;
	category_state part = *state;
	size_t *end, begin = 0;
	uint8_t *rows;

	TLV_TRY_NEW0(ctx, end, state->replicates);
	TLV_TRY_NEW_ROWS(ctx, rows, state->block_rows, layout->p);
	deal_rows(state, end, rows);
	for (size_t i = 0; i < state->replicates; begin = end[i++])
	{
		TLV_TRY_CONTINUE(ctx);
		part.block = rows + begin * layout->p;
		part.block_rows = end[i] - begin;
		part.sums =
			(category_sums){.singles = state->sums.part_singles + i * layout->offset[layout->p],
							.pairs = state->sums.part_pairs + i * layout->pair_row[layout->p]};
		if (part.block_rows > 0)
			TLV_TRY(category_count(ctx, &part));
		state->sums.part_rows[i] += (double) part.block_rows;
	}
	tlv_free(ctx, rows);
	tlv_free(ctx, end);
	return TLV_OK;
}

/* ---- replicates ---- */

tlv_status
tlv_category_replicate_create(tlv_context *ctx, const tlv_category_tables *tables,
							  tlv_category_tables *replicate)
{
	double *singles;
	size_t n = tables->offset[tables->p];

	*replicate = *tables;
	TLV_TRY(tlv_alloc_numbers(ctx, &singles, n + tables->pair_entries));
	replicate->singles = singles;
	replicate->pairs = singles + n;
	replicate->triples = NULL;
	replicate->replicates = 0;
	return TLV_OK;
}

tlv_status
tlv_category_replicate_draw(tlv_context *ctx, const tlv_category_tables *tables, tlv_rng *rng,
							tlv_category_tables *replicate)
{
	size_t n = tables->offset[tables->p], pairs = tables->pair_entries;
	double *to = (double *) (uintptr_t) replicate->singles;

	memset(to, 0, (n + pairs) * sizeof(double));
	replicate->rows = 0;
	for (size_t i = 0; i < tables->replicates; i++)
	{
		size_t part = (size_t) tlv_rng_below(rng, tables->replicates);

		TLV_TRY_CONTINUE(ctx);
		replicate->rows += tables->part_rows[part];
		for (size_t e = 0; e < n; e++)
			to[e] += tables->part_singles[part * n + e];
		for (size_t e = 0; e < pairs; e++)
			to[n + e] += tables->part_pairs[part * pairs + e];
	}
	return TLV_OK;
}

void
tlv_category_replicate_free(tlv_context *ctx, tlv_category_tables *replicate)
{
	tlv_free(ctx, (void *) (uintptr_t) replicate->singles);
}
