/*
 * model.c - the stored form of a dictionary, and what it can do (coding.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/sort.h"

/* How much of every dimension is in every atom, or the atoms of patches of pictures. */
static tlv_status
coding_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	/* Bounds on the dimension of rows that are drawn as square patches if their coordinates have no
	 * names. */
	const int least_patch = 16, most_patch = 1024;
	const tlv_section *section = tlv_frame_find(model, "atoms");
	const double *atoms = tlv_section_data(model, section);
	const tlv_name_list names = tlv_dimension_names(model);
	size_t d = section->rows, k = section->columns, side = (size_t) lround(sqrt((double) d));
	tlv_picture_component *components;
	double *numbers;

	TLV_TRY(tlv_picture_components(ctx, model, "atom", &components));
	if (d >= least_patch && d <= most_patch && side * side == d && names.offsets == NULL)
		return tlv_draw_tiles(ctx, picture, k, components, side, atoms);
	TLV_TRY_NEW_ROWS(ctx, numbers, k, d);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			numbers[j + k * i] = atoms[i + d * j];
	TLV_TRY(tlv_draw_matrix(ctx, picture, k, components, d, numbers, &names));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}

/* Sizes: dimensions, atoms. */
#define SIZE_D TLV_SIZE_1
#define SIZE_K TLV_SIZE_2

/* The weight of an atom that no row uses. */
#define CODING_LEAST_WEIGHT 1e-12

/* ---- order and signs ---- */

static void
turn_atom(tlv_coding_parts *parts, size_t j)
{
	double *atom = parts->atoms + j * parts->d;
	size_t largest = 0;

	for (size_t i = 1; i < parts->d; i++)
		largest = fabs(atom[i]) > fabs(atom[largest]) ? i : largest;
	if (!(atom[largest] < 0))
		return;
	for (size_t i = 0; i < parts->d; i++)
		atom[i] = -atom[i];
	for (size_t i = 0; i < parts->k; i++)
		if (i != j)
		{
			parts->codes[i + j * parts->k] *= -1;
			parts->codes[j + i * parts->k] *= -1;
		}
}

tlv_status
tlv_coding_order(tlv_context *ctx, tlv_coding_parts *parts, int64_t *order)
{
	size_t k = parts->k, d = parts->d;
	int64_t *by_use;
	double *work;

	TLV_TRY_NEW(ctx, by_use, k);
	TLV_TRY_NEW_ROWS(ctx, work, k, d > k ? d : k);
	tlv_order_weights(k, parts->uses, by_use);
	for (size_t j = 0; j < k; j++)
		memcpy(work + j * d, parts->atoms + (size_t) by_use[j] * d, d * sizeof(double));
	memcpy(parts->atoms, work, d * k * sizeof(double));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			work[i + j * k] = parts->codes[(size_t) by_use[i] + (size_t) by_use[j] * k];
	memcpy(parts->codes, work, k * k * sizeof(double));
	for (size_t j = 0; j < k; j++)
		work[j] = parts->uses[by_use[j]];
	memcpy(parts->uses, work, k * sizeof(double));
	for (size_t j = 0; j < k; j++)
	{
		/* one of weight 0 would count as not there (layout.h) */
		parts->uses[j] = fmax(parts->uses[j], CODING_LEAST_WEIGHT);
		turn_atom(parts, j);
	}
	if (order != NULL)
		memcpy(order, by_use, k * sizeof(int64_t));
	tlv_free(ctx, work);
	tlv_free(ctx, by_use);
	return TLV_OK;
}

/* ---- diagnostics ---- */

static tlv_status
warn_unused(tlv_context *ctx, const tlv_coding_parts *parts, size_t j)
{
	return tlv_warn(ctx, parts->diagnostics,
					&(tlv_warning){.code = "empty_component",
								   .component = j + 1,
								   .score = 0,
								   .hint = "Use fewer atoms, or a larger sparsity."},
					"no row uses atom %zu", j + 1);
}

static tlv_status
warn_alike(tlv_context *ctx, const tlv_coding_parts *parts, const double *gram)
{
	/* Two atoms of a larger cosine are worth a warning. */
	const double alike = 0.95;
	size_t k = parts->k;

	for (size_t j = 1; j < k; j++)
		for (size_t i = 0; i < j; i++)
			if (fabs(gram[i + j * k]) > alike)
			{
				TLV_TRY(tlv_warn(ctx, parts->diagnostics,
								 &(tlv_warning){.code = "components_alike",
												.component = j + 1,
												.score = fabs(gram[i + j * k]),
												.hint = "Use fewer atoms."},
								 "atom %zu is nearly identical to atom %zu", j + 1, i + 1));
				break;
			}
	return TLV_OK;
}

tlv_status
tlv_coding_diagnose(tlv_context *ctx, const tlv_coding_parts *parts)
{
	double *gram;

	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, parts->error, "error"));
	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, parts->steps, "steps"));
	for (size_t j = 0; j < parts->k; j++)
		if (parts->uses[j] <= CODING_LEAST_WEIGHT)
			TLV_TRY(warn_unused(ctx, parts, j));
	TLV_TRY_NEW_ROWS(ctx, gram, parts->k, parts->k);
	TLV_TRY(tlv_gemm(ctx, true, false, parts->k, parts->k, parts->d, 1, parts->atoms, parts->d,
					 parts->atoms, parts->d, 0, gram, parts->k));
	TLV_TRY(warn_alike(ctx, parts, gram));
	tlv_free(ctx, gram);
	return TLV_OK;
}

/* ---- the stored form ---- */

tlv_status
tlv_coding_write(tlv_context *ctx, const tlv_coding_parts *parts, void **image, size_t *size)
{
	return tlv_sections_write(ctx, tlv_kind_dictionary.model->sections, parts, image, size);
}

static tlv_status
dictionary_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *atoms = tlv_frame_float64(frame, "atoms");
	double sparsity = tlv_frame_scalar(frame, "sparsity", 0);

	if (sparsity < 1 || sparsity > (double) sizes[SIZE_K] || sparsity > TLV_CODING_MOST_SPARSITY)
		return tlv_fail(ctx, TLV_CORRUPT, "sparsity %g of %zu atoms", sparsity, sizes[SIZE_K]);
	for (size_t j = 0; j < sizes[SIZE_K]; j++)
	{
		double length = 0;

		for (size_t i = 0; i < sizes[SIZE_D]; i++)
			length += atoms[i + j * sizes[SIZE_D]] * atoms[i + j * sizes[SIZE_D]];
		/* an atom that is not there (layout.h) has none */
		if (length != 0 && !(fabs(length - 1) < 1e-6))
			return tlv_fail(ctx, TLV_CORRUPT, "atom %zu has length %g, not 1", j + 1, sqrt(length));
	}
	return TLV_OK;
}

#define AT(member) offsetof(tlv_coding_parts, member)
static const tlv_declaration dictionary_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(rows)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"sparsity", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(sparsity)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"error", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(error)},
	{"atoms", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_KEPT, AT(atoms)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(uses)},
	{"codes", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_ANY, TLV_KEPT, AT(codes)},
};
static const tlv_sections dictionary_sections = {
	.state = sizeof(tlv_coding_parts),
	.kind = TLV_KIND_DICTIONARY,
	TLV_LIST(dictionary_list),
	.least = {1, 1},
	.most = {TLV_CODING_MOST_DIMENSIONS, TLV_CODING_MOST_ATOMS},
	.size_at = {AT(d), AT(k)},
	.diagnostics = AT(diagnostics),
	.check_more = dictionary_check_more,
};
#undef AT

static const tlv_field dictionary_fields[] = {
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"sparsity", TLV_FIELD_NUMBER, .flags = TLV_AT_MOST_N},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"error", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"atoms", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS | TLV_ZERO_ABSENT},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT},
	{"codes", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_OF_COLUMNS | TLV_ZERO_ABSENT},
	{.form = TLV_FIELDS_END},
};
static const tlv_layout dictionary_layout = {.fields = dictionary_fields, .weights = "weights"};

/* ---- use ---- */

static tlv_status
dictionary_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	const tlv_section *atoms = tlv_frame_find(frame, "atoms");
	tlv_coding_model *dictionary;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(tlv_coding_model), model));
	dictionary = (tlv_coding_model *) *model;
	dictionary->d = atoms->rows;
	dictionary->k = atoms->columns;
	dictionary->sparsity = (size_t) tlv_frame_scalar(frame, "sparsity", 1);
	TLV_TRY(tlv_coder_create(ctx, dictionary->d, dictionary->k, dictionary->sparsity,
							 &dictionary->coder));
	return tlv_coder_use(ctx, &dictionary->coder, tlv_section_data(frame, atoms));
}

tlv_status
tlv_coding_take_row(tlv_context *ctx, size_t d, size_t width, const double *x, double *out)
{
	if (width != d)
		return tlv_refuse_width(ctx, width, d);
	for (size_t i = 0; i < d; i++)
	{
		if (!isfinite(x[i]))
			return tlv_refuse_element(ctx, i, x[i]);
		out[i] = x[i];
	}
	return TLV_OK;
}

tlv_status
tlv_coding_encode_row(tlv_context *ctx, tlv_model *model, size_t d, const double *x, size_t *n,
					  int32_t *atoms, double *coefficients)
{
	const int64_t *place;
	tlv_coding_model *dictionary = (tlv_coding_model *) tlv_model_present(model, &place);
	tlv_coder *coder = &dictionary->coder;
	double *row;

	TLV_TRY_NEW(ctx, row, dictionary->d);
	TLV_TRY(tlv_coding_take_row(ctx, dictionary->d, d, x, row));
	TLV_TRY(tlv_coder_run(ctx, coder, 1, row));
	*n = (size_t) coder->found[0];
	for (size_t t = 0; t < *n; t++)
		atoms[t] = place != NULL ? (int32_t) place[coder->support[t]] : coder->support[t];
	memcpy(coefficients, coder->coefficients, *n * sizeof(double));
	tlv_free(ctx, row);
	return TLV_OK;
}

/* Distances of atoms: 1 - |cosine|. */
static tlv_status
dictionary_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	const tlv_section *x = tlv_frame_find(a, "atoms"), *y = tlv_frame_find(b, "atoms");
	size_t d = x->rows, ka = x->columns, kb = y->columns;
	double *cost, *products;

	if (d != y->rows)
		return tlv_refuse_dimensions(ctx, d, (size_t) y->rows);
	TLV_TRY_NEW_ROWS(ctx, cost, 2 * ka, kb);
	products = cost + ka * kb;
	TLV_TRY(tlv_gemm(ctx, true, false, kb, ka, d, 1, tlv_section_data(b, y), d,
					 tlv_section_data(a, x), d, 0, products, kb));
	for (size_t i = 0; i < ka * kb; i++)
		cost[i] = fmax(0, 1 - fabs(products[i]));
	TLV_TRY(tlv_assign_components(ctx, ka, kb, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	return TLV_OK;
}

static size_t
dictionary_dimensions(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "atoms")->rows;
}

static const char *const dictionary_page_fields[] = {"sparsity", "error", "atoms", "weights", NULL};
static const tlv_page_content dictionary_contents[] = {
	{"atoms", TLV_CONTENT_LOADINGS, .what = "dimension", .from = 1}, {.section = NULL}};
static const tlv_page_view dictionary_page = {.contents = dictionary_contents,
											  .view = "matrix",
											  .what = "atom",
											  .fields = dictionary_page_fields};

static const tlv_model_class dictionary_class = {
	.sections = &dictionary_sections,
	.layout = &dictionary_layout,
	.draw = coding_draw,
	.page = &dictionary_page,
	.open = dictionary_open,
	.components_size = SIZE_K,
	.dimensions = dictionary_dimensions,
	.statistics = tlv_coding_statistics,
	.update = tlv_coding_update,
	.match = dictionary_match,
	.no_estimates = "Atoms and the codes of the rows are found together, and have no "
					"likelihood: fit two halves of the rows, and tlv_match tells how far "
					"their atoms are apart.",
};

const tlv_kind tlv_kind_dictionary = {TLV_KIND_LINE(DICTIONARY, dictionary),
									  .model = &dictionary_class};
