/*
 * statistics.c - sums over the codes of rows for one step, and the dictionary after it.
 *
 * The stored value (kind dictionary_statistics): scalars "rows", "nulls"; the model's fingerprint
 * "model"; "energy" (sum of |x|^2), "error" (of |x - D c|^2), "uses" (k, rows that use the atom),
 * "codes" (k x k, sum of c c') and "products" (d x k, sum of x c').
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"

#define SIZE_K TLV_SIZE_1
#define SIZE_D TLV_SIZE_2

typedef struct dictionary_state
{
	tlv_declared declared;
	tlv_coding_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	tlv_code_sums sums;
	double *block; /* d x CODE_BLOCK rows that wait */
	size_t waiting;
} dictionary_state;

static tlv_status
dictionary_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	dictionary_state *state = (dictionary_state *) accumulator;
	size_t n = state->waiting;

	if (n == 0)
		return TLV_OK;
	state->waiting = 0;
	TLV_TRY(tlv_coder_run(ctx, &state->model->coder, n, state->block));
	tlv_code_sums_add(&state->model->coder, n, state->block, &state->sums);
	return TLV_OK;
}

static tlv_status
dictionary_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	dictionary_state *state = (dictionary_state *) accumulator;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	if (state->block == NULL)
		TLV_TRY_NEW_ROWS(ctx, state->block, state->model->d, CODE_BLOCK);
	TLV_TRY(tlv_coding_take_row(ctx, state->model->d, row->part[0].d, row->part[0].float64,
								state->block + state->waiting * state->model->d));
	return ++state->waiting == CODE_BLOCK ? dictionary_flush(ctx, accumulator) : TLV_OK;
}

#define AT(member) offsetof(dictionary_state, member)
static const tlv_declaration statistics_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"energy", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.energy)},
	{"error", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.error)},
	{"uses", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.uses)},
	{"codes", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_ANY, TLV_SUM, AT(sums.codes)},
	{"products", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_SUM, AT(sums.products)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(dictionary_state),
	.kind = TLV_KIND_DICTIONARY_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {1, 1},
	.most = {TLV_CODING_MOST_ATOMS, TLV_CODING_MOST_DIMENSIONS},
	.flush = dictionary_flush,
};

static const tlv_accumulator_class statistics_class = {.name = "dictionary_statistics",
													   TLV_DECLARED(&statistics_sections),
													   .rows = TLV_ROW_VECTOR,
													   .add = dictionary_add};

const tlv_kind tlv_kind_dictionary_statistics = {
	TLV_KIND_LINE(DICTIONARY_STATISTICS, dictionary_statistics), .accumulator = &statistics_class};

tlv_status
tlv_coding_statistics(tlv_context *ctx, tlv_model *model, const char *method,
					  tlv_accumulator **accumulator)
{
	tlv_coding_model *dictionary = (tlv_coding_model *) model;
	const size_t sizes[TLV_SIZES] = {dictionary->k, dictionary->d};
	dictionary_state *state;

	if (method != NULL && strcmp(method, "mod") != 0 && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "Use 'mod'.");
	}
	TLV_TRY(tlv_sections_create(ctx, &statistics_class, sizes, accumulator));
	state = (dictionary_state *) *accumulator;
	state->model = dictionary;
	state->fingerprint = model->frame.header->digest;
	return TLV_OK;
}

/* ---- the step ---- */

/* Means over the rows, of which the model's own expectations have the share that is left. */
static void
blend(size_t d, size_t k, const tlv_frame *model, const tlv_frame *statistics, double weight,
	  tlv_code_sums *means)
{
	const double *atoms = tlv_frame_float64(model, "atoms"),
				 *own = tlv_frame_float64(model, "codes");
	const double *codes = tlv_frame_float64(statistics, "codes");
	const double *products = tlv_frame_float64(statistics, "products");
	double rows = tlv_frame_scalar(statistics, "rows", 1);

	means->rows = 1;
	for (size_t i = 0; i < k * k; i++)
		means->codes[i] = weight * codes[i] / rows + (1 - weight) * own[i];
	for (size_t i = 0; i < d * k; i++)
		means->products[i] = weight * products[i] / rows;
	for (size_t j = 0; j < k && weight < 1; j++)
		for (size_t l = 0; l < k; l++)
			for (size_t i = 0; i < d && own[l + j * k] != 0; i++)
				means->products[i + j * d] += (1 - weight) * own[l + j * k] * atoms[i + l * d];
	for (size_t j = 0; j < k; j++)
		means->uses[j] = weight * tlv_frame_float64(statistics, "uses")[j] / rows +
						 (1 - weight) * tlv_frame_float64(model, "weights")[j];
}

/* Codes of all rows; none of rows of zeros. */
static double
count_codes(const tlv_frame *statistics, size_t k)
{
	double codes = 0;

	for (size_t j = 0; j < k; j++)
		codes += tlv_frame_float64(statistics, "uses")[j];
	return codes;
}

static tlv_status
check_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, size_t d,
				 size_t k)
{
	if (statistics->header->kind != TLV_KIND_DICTIONARY_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "a dictionary");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	TLV_TRY(tlv_frame_require(ctx, statistics, "uses", TLV_FLOAT64, k, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, statistics, "products", TLV_FLOAT64, d, k, NULL));
	if (!(count_codes(statistics, k) > 0))
		return tlv_refuse_empty_statistics(ctx);
	return TLV_OK;
}

tlv_status
tlv_coding_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				  const tlv_step *step, void **image, size_t *size)
{
	const tlv_section *section = tlv_frame_find(model, "atoms");
	size_t d = section->rows, k = section->columns;
	double energy = tlv_frame_scalar(statistics, "energy", 0);
	tlv_diagnostics diagnostics = {0};
	tlv_coding_parts parts = {.d = d, .k = k, .diagnostics = &diagnostics};
	tlv_code_sums means;
	double *work;

	TLV_TRY(check_statistics(ctx, model, statistics, d, k));
	TLV_TRY_NEW_ROWS(ctx, work, k, 2 * (k + d) + 1);
	means.codes = work;
	means.products = work + k * k;
	means.uses = means.products + d * k;
	parts.atoms = means.uses + k;
	parts.codes = parts.atoms + d * k;
	blend(d, k, model, statistics, step->weight, &means);
	TLV_TRY(tlv_code_solve(ctx, d, k, &means, tlv_section_data(model, section), parts.atoms,
						   parts.codes));
	parts.uses = means.uses;
	parts.rows = tlv_frame_scalar(statistics, "rows", 0);
	parts.seed = tlv_frame_scalar(model, "seed", 0);
	parts.sparsity = tlv_frame_scalar(model, "sparsity", 1);
	parts.steps = tlv_frame_scalar(model, "steps", 0) + 1;
	parts.error = energy > 0 ? tlv_frame_scalar(statistics, "error", 0) / energy : 0;
	TLV_TRY(tlv_coding_order(ctx, &parts, step->order));
	TLV_TRY(tlv_coding_diagnose(ctx, &parts));
	TLV_TRY(tlv_coding_write(ctx, &parts, image, size));
	tlv_free(ctx, work);
	tlv_diagnostics_free(ctx, &diagnostics);
	return TLV_OK;
}
