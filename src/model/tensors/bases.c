/*
 * bases.c - tensors as a core in bases of the modes and as chains of cores: fits, stored forms,
 * entries, pictures (tensors.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/source.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/tucker.h"
#include "tensorlv/model/page.h"

/* ---- missing entries ---- */

/* A dense tensor whose missing entries are filled again and again. */
typedef struct filled_tensor
{
	tlv_tensor tensor;
	double *entries; /* NULL: none is missing */
	size_t n;		 /* missing ones, */
	size_t *places;	 /* their places in the array */
	double norm2;	 /* sum of squared known entries */
	int rounds;
	bool converged;
} filled_tensor;

typedef double (*entry_of_model)(const void *model, const size_t place[TLV_MODES]);

/*
 * Missing entries of a tensor, filled by what a model has there: expectation
 * maximisation under noise of equal variance, which makes least squares over the known entries of
 * any solver for whole tensors.
 */

/* Change of the filled entries, relative to the norm of the known ones, at which they converge. */
#define TENSOR_TOLERANCE 1e-9

/* The places of the missing entries in the array. */
static tlv_status
list_missing_entries(tlv_context *ctx, const tlv_tensor *t, const tlv_tensor_known *known,
					 filled_tensor *filling)
{
	size_t all = t->d[0] * t->d[1] * t->d[2];
	bool *listed;

	TLV_TRY_NEW0(ctx, listed, all);
	for (size_t e = 0; e < known->n; e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		listed[((size_t) known->at[0][e] * t->d[1] + (size_t) known->at[1][e]) * t->d[2] +
			   (size_t) known->at[2][e]] = true;
	}
	TLV_TRY_NEW(ctx, filling->places, known->listed ? all - known->n : known->n);
	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (listed[i] != known->listed)
			filling->places[filling->n++] = i;
	}
	tlv_free(ctx, listed);
	return TLV_OK;
}

/* Lays out the tensor, missing entries filled by the mean of the others.  Errors: memory. */
static tlv_status
filling_begin(tlv_context *ctx, const tlv_tensor_source *source, filled_tensor *filling)
{
	const tlv_tensor *t = &source->tensor;
	size_t all = t->d[0] * t->d[1] * t->d[2];
	double sum = 0;

	*filling = (filled_tensor){.tensor = *t};
	TLV_TRY(tlv_tensor_make_dense(ctx, &filling->tensor));
	filling->converged = true;
	if (tlv_tensor_is_whole(&source->known))
		return TLV_OK;
	TLV_TRY(tlv_require_memory(ctx, 17 * (double) all, "a tensor with missing entries"));
	TLV_TRY_NEW(ctx, filling->entries, all);
	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		filling->entries[i] = filling->tensor.dense[i];
		sum += filling->entries[i];
		filling->norm2 += filling->entries[i] * filling->entries[i];
	}
	TLV_TRY(list_missing_entries(ctx, t, &source->known, filling));
	for (size_t i = 0; i < filling->n; i++)
		filling->entries[filling->places[i]] = sum / (double) (all - filling->n);
	filling->tensor.dense = filling->entries;
	return TLV_OK;
}

/* Fills them with what a model of the filled tensor has there; *again: another one is due. */
static tlv_status
filling_next(tlv_context *ctx, filled_tensor *filling, entry_of_model entry, const void *model,
			 bool *again)
{
	const int most_rounds = 1000;
	const size_t *d = filling->tensor.d;
	double change = 0;

	for (size_t i = 0; i < filling->n; i++)
	{
		size_t place = filling->places[i];
		const size_t at[TLV_MODES] = {place / (d[1] * d[2]), place / d[2] % d[1], place % d[2]};
		double filled = entry(model, at), moved = filled - filling->entries[place];

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		change += moved * moved;
		filling->entries[place] = filled;
	}
	filling->rounds++;
	filling->converged = change <= TENSOR_TOLERANCE * TENSOR_TOLERANCE * filling->norm2;
	*again = !filling->converged && filling->rounds < most_rounds;
	return TLV_OK;
}

/* The filled entries have no residual once they have converged. */
static double
filling_residual(const filled_tensor *filling, double residual)
{
	if (filling->n == 0 || !(filling->norm2 > 0))
		return residual;
	return residual * sqrt(tlv_tensor_norm2(&filling->tensor) / filling->norm2);
}

#define SIZE_R0 TLV_SIZE_6
#define SIZE_R1 TLV_SIZE_7
/* tucker */
#define SIZE_R2	   TLV_SIZE_8
#define SIZE_SLICE TLV_SIZE_9
/* tensor_train */
#define SIZE_PAIRS TLV_SIZE_8

const char tlv_tensor_no_estimates[] =
	"A decomposition is of one tensor, which is no sample of a distribution: how near it is, says "
	"the residual in tlv_diagnostics.";

/* ---- what both say ---- */

static tlv_status
diagnose_ranks(tlv_context *ctx, const tlv_tensor *t, double residual, double numbers,
			   tlv_diagnostics *diagnostics, double *ratio)
{
	*ratio = (double) t->d[0] * (double) t->d[1] * (double) t->d[2] / numbers;
	TLV_TRY(tlv_diagnose(ctx, diagnostics, residual, "residual"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, 1 - residual * residual, "explained"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, *ratio, "ratio"));
	if (*ratio >= 1)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "not_smaller",
								   .score = *ratio,
								   .hint = "Use smaller ranks, or keep the tensor."},
					"the model has more numbers than the tensor");
}

/* ---- a core in bases ---- */

void
tlv_tucker_read(const tlv_frame *model, tlv_tucker_parts *parts)
{
	memset(parts, 0, sizeof(*parts));
	tlv_sections_read(model, tlv_kind_tucker.model->sections, parts);
}

static double
tucker_numbers(const tlv_tucker_parts *parts)
{
	double numbers = (double) parts->r[0] * (double) parts->r[1] * (double) parts->r[2];

	for (int m = 0; m < TLV_MODES; m++)
		numbers += (double) parts->r[m] * (double) parts->ids.d[m];
	return numbers;
}

static double
entry_of_tucker(const void *model, const size_t place[TLV_MODES])
{
	return tlv_tucker_entry(model, place);
}

/* The bases and the core, again and again where entries are missing. */
static tlv_status
run_tucker(tlv_context *ctx, const tlv_tensor_source *source, const tlv_tucker_options *o,
		   tlv_tucker_parts *parts, tlv_factors_found *found)
{
	filled_tensor filling;
	bool again = true;
	int sweeps = 0;

	if (tlv_tensor_is_whole(&source->known))
		return tlv_tucker(ctx, &source->tensor, parts->r, o, parts->factors, parts->core, found);
	TLV_TRY(filling_begin(ctx, source, &filling));
	while (again)
	{
		TLV_TRY(tlv_tucker(ctx, &filling.tensor, parts->r, o, parts->factors, parts->core, found));
		sweeps += found->sweeps;
		TLV_TRY(filling_next(ctx, &filling, entry_of_tucker, parts, &again));
	}
	found->residual = filling_residual(&filling, found->residual);
	found->sweeps = sweeps;
	found->converged &= filling.converged;
	return TLV_OK;
}

tlv_status
tlv_tucker_fit(tlv_context *ctx, const tlv_tensor_source *source,
			   const tlv_tucker_fit_options *options, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_tucker_parts parts = {.ids = source->ids,
							  .entries = (double) source->tensor.n,
							  .nulls = source->nulls,
							  .seed = (double) options->seed,
							  .diagnostics = &diagnostics};
	const tlv_tucker_options o = {.iterations = options->iterations, .seed = options->seed};
	tlv_factors_found found;

	for (int m = 0; m < TLV_MODES; m++)
		parts.r[m] = tlv_least(options->ranks[m], source->tensor.d[m]);
	parts.slice = parts.r[1] * parts.r[2];
	TLV_TRY(tlv_require_memory(ctx, 8 * tucker_numbers(&parts), "the bases"));
	for (int m = 0; m < TLV_MODES; m++)
		TLV_TRY_NEW_ROWS(ctx, parts.factors[m], source->tensor.d[m],
						 parts.r[m] + (parts.r[m] == 0));
	TLV_TRY_NEW_ROWS(ctx, parts.core, parts.r[0] + 1, parts.slice + 1);
	TLV_TRY(run_tucker(ctx, source, &o, &parts, &found));
	parts.residual = found.residual;
	parts.sweeps = found.sweeps;
	TLV_TRY(diagnose_ranks(ctx, &source->tensor, found.residual, tucker_numbers(&parts),
						   &diagnostics, &parts.ratio));
	TLV_TRY(tlv_warn_nulls(ctx, &diagnostics, source->skipped, "items", NULL));
	if (!found.converged && options->iterations != 0)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = found.sweeps,
										.hint = "Increase iterations."},
						 "the last sweep still lowered the residual"));
	return tlv_sections_write(ctx, tlv_kind_tucker.model->sections, &parts, image, size);
}

double
tlv_tucker_entry(const tlv_tucker_parts *parts, const size_t place[TLV_MODES])
{
	const double *x = parts->factors[0] + place[0] * parts->r[0];
	const double *y = parts->factors[1] + place[1] * parts->r[1];
	const double *z = parts->factors[2] + place[2] * parts->r[2];
	double sum = 0;

	for (size_t a = 0; a < parts->r[0]; a++)
		for (size_t b = 0; b < parts->r[1]; b++)
			for (size_t c = 0; c < parts->r[2]; c++)
				sum += x[a] * y[b] * z[c] * parts->core[(a * parts->r[1] + b) * parts->r[2] + c];
	return sum;
}

static tlv_status
tucker_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	if (sizes[SIZE_SLICE] != sizes[SIZE_R1] * sizes[SIZE_R2])
		return tlv_fail(ctx, TLV_CORRUPT, "slices of %zu numbers of %zu x %zu components",
						sizes[SIZE_SLICE], sizes[SIZE_R1], sizes[SIZE_R2]);
	return tlv_tensor_check_ids(ctx, frame, sizes);
}

#define NUMBER(name, range)                                                                        \
	{                                                                                              \
#name, TLV_FLOAT64, TLV_ONE, TLV_ONE, range, TLV_KEPT, AT(name)                            \
	}
#define AT(member) offsetof(tlv_tucker_parts, member)
static const tlv_declaration tucker_list[] = {
	NUMBER(entries, TLV_WHOLE),
	NUMBER(nulls, TLV_WHOLE),
	NUMBER(residual, TLV_NONNEGATIVE),
	NUMBER(ratio, TLV_NONNEGATIVE),
	NUMBER(sweeps, TLV_WHOLE),
	NUMBER(seed, TLV_WHOLE),
	TENSOR_ID_SECTIONS(tlv_tucker_parts, TLV_KEPT),
	{"factor_1", TLV_FLOAT64, SIZE_R0, SIZE_I, TLV_ANY, TLV_KEPT, AT(factors[0])},
	{"factor_2", TLV_FLOAT64, SIZE_R1, SIZE_J, TLV_ANY, TLV_KEPT, AT(factors[1])},
	{"factor_3", TLV_FLOAT64, SIZE_R2, SIZE_L, TLV_ANY, TLV_KEPT, AT(factors[2])},
	{"core", TLV_FLOAT64, SIZE_SLICE, SIZE_R0, TLV_ANY, TLV_KEPT, AT(core)},
};
static const tlv_sections tucker_sections = {
	.state = sizeof(tlv_tucker_parts),
	.kind = TLV_KIND_TUCKER,
	TLV_LIST(tucker_list),
	.least = {1, 0, 1, 1, 0, 1, 1, 1, 1},
	.most = {TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES,
			 TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES,
			 TLV_FRAME_MAX_BYTES},
	.size_at = {TENSOR_ID_SIZES(tlv_tucker_parts), AT(r[0]), AT(r[1]), AT(r[2]), AT(slice)},
	.diagnostics = AT(diagnostics),
	.check_more = tucker_check_more,
};
#undef AT

static const tlv_field tucker_fields[] = {
	{"entries", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"nulls", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"residual", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"ratio", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"sweeps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	TENSOR_ID_FIELDS,
	{"factor_1", TLV_FIELD_BY_ROWS, .flags = 0},
	{"factor_2", TLV_FIELD_BY_ROWS, .flags = 0},
	{"factor_3", TLV_FIELD_BY_ROWS, .flags = 0},
	{"core", TLV_FIELD_BY_COLUMNS, .flags = 0},
	{.form = TLV_FIELDS_END},
};
static const tlv_layout tucker_layout = {.fields = tucker_fields};

/* Transposes n rows of the given number of columns into a matrix whose rows are components. */
static tlv_status
draw_rows(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture, size_t n, size_t columns,
		  const double *rows)
{
	const tlv_name_list none = {NULL, NULL};
	tlv_picture_component *components;
	double *numbers;

	TLV_TRY_NEW(ctx, components, n);
	TLV_TRY_NEW_ROWS(ctx, numbers, n, columns);
	for (size_t i = 0; i < n; i++)
		components[i] = (tlv_picture_component){.label = tlv_component_label(model, i),
												.what = "component",
												.number = i + 1,
												.weight = NAN};
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < columns; j++)
			numbers[i + n * j] = rows[i * columns + j];
	TLV_TRY(tlv_draw_matrix(ctx, picture, n, components, columns, numbers, &none));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}

/* The core: components of the first mode by rows, pairs of the others by columns. */
static tlv_status
tucker_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_tucker_parts parts;

	tlv_tucker_read(model, &parts);
	return draw_rows(ctx, model, picture, parts.r[0], parts.slice, parts.core);
}

static const char *const tucker_page_fields[] = {"told",	 "items_1",		 "items_2",	 "items_3",
												 "name_ids", "name_offsets", "residual", "factor_1",
												 "factor_2", "factor_3",	 "core",	 NULL};
static const tlv_page_content tucker_contents[] = {
	{"factor_1", TLV_CONTENT_LOADINGS, .what = "mode 1:", .ids = "items_1", .from = 1},
	{.section = NULL}};
static const tlv_page_view tucker_page = {.contents = tucker_contents,
										  .view = "matrix",
										  .what = "component",
										  .fields = tucker_page_fields};

static const tlv_model_class tucker_class = {
	.sections = &tucker_sections,
	.layout = &tucker_layout,
	.components_size = SIZE_R0,
	.no_estimates = tlv_tensor_no_estimates,
	.draw = tucker_draw,
	.page = &tucker_page,
};
const tlv_kind tlv_kind_tucker = {TLV_KIND_LINE(TUCKER, tucker), .model = &tucker_class};

/* ---- a chain of cores ---- */

void
tlv_train_read(const tlv_frame *model, tlv_train_parts *parts)
{
	memset(parts, 0, sizeof(*parts));
	tlv_sections_read(model, tlv_kind_tensor_train.model->sections, parts);
}

static void
take_cores(const tlv_train *train, tlv_train_parts *parts)
{
	parts->r[0] = train->r[0];
	parts->r[1] = train->r[1];
	parts->pairs = train->r[0] * train->d[1];
	memcpy(parts->cores, train->core, sizeof(parts->cores));
	parts->residual = train->residual;
}

static double
entry_of_train(const void *model, const size_t place[TLV_MODES])
{
	return tlv_train_entry(model, place);
}

/* The chain, again and again where entries are missing. */
static tlv_status
run_train(tlv_context *ctx, const tlv_tensor_source *source, const tlv_train_fit_options *options,
		  tlv_train_parts *parts, bool *converged)
{
	filled_tensor filling;
	bool again = true;

	if (!tlv_tensor_is_whole(&source->known) && options->ranks[0] == 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "the ranks of a tensor with missing entries are not given");
		return tlv_fail_hint(ctx, "Give two ranks, as in ranks => '{2,2}'.");
	}
	TLV_TRY(filling_begin(ctx, source, &filling));
	while (again)
	{
		tlv_train train = {.r = {options->ranks[0], options->ranks[1]}};

		for (int m = 0; filling.rounds > 0 && m < TLV_MODES; m++)
			tlv_free(ctx, parts->cores[m]);
		TLV_TRY(tlv_tensor_train(ctx, &filling.tensor, parts->tolerance, &train));
		take_cores(&train, parts);
		TLV_TRY(filling_next(ctx, &filling, entry_of_train, parts, &again));
	}
	parts->residual = filling_residual(&filling, parts->residual);
	*converged = filling.converged;
	return TLV_OK;
}

tlv_status
tlv_train_fit(tlv_context *ctx, const tlv_tensor_source *source,
			  const tlv_train_fit_options *options, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_train_parts parts = {.ids = source->ids,
							 .entries = (double) source->tensor.n,
							 .nulls = source->nulls,
							 .tolerance = options->ranks[0] > 0 ? 0 : options->tolerance,
							 .diagnostics = &diagnostics};
	double numbers;
	bool converged = true;

	TLV_TRY(run_train(ctx, source, options, &parts, &converged));
	numbers = (double) parts.ids.d[0] * (double) parts.r[0] +
			  (double) parts.pairs * (double) parts.r[1] +
			  (double) parts.r[1] * (double) parts.ids.d[2];
	TLV_TRY(
		diagnose_ranks(ctx, &source->tensor, parts.residual, numbers, &diagnostics, &parts.ratio));
	TLV_TRY(tlv_warn_nulls(ctx, &diagnostics, source->skipped, "items", NULL));
	/* what no train of these ranks comes below */
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, parts.residual / sqrt(2), "least_residual"));
	if (!converged)
		TLV_TRY(
			tlv_warn(ctx, &diagnostics,
					 &(tlv_warning){.code = "iterations_at_limit", .hint = "Use smaller ranks."},
					 "the missing entries have not converged"));
	return tlv_sections_write(ctx, tlv_kind_tensor_train.model->sections, &parts, image, size);
}

double
tlv_train_entry(const tlv_train_parts *parts, const size_t place[TLV_MODES])
{
	const double *first = parts->cores[0] + place[0] * parts->r[0];
	double sum = 0;

	for (size_t a = 0; a < parts->r[0]; a++)
	{
		const double *middle = parts->cores[1] + (a * parts->ids.d[1] + place[1]) * parts->r[1];

		for (size_t b = 0; b < parts->r[1]; b++)
			sum += first[a] * middle[b] * parts->cores[2][b * parts->ids.d[2] + place[2]];
	}
	return sum;
}

static tlv_status
train_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	if (sizes[SIZE_PAIRS] != sizes[SIZE_R0] * sizes[SIZE_J])
		return tlv_fail(ctx, TLV_CORRUPT, "%zu columns of %zu components and %zu items",
						sizes[SIZE_PAIRS], sizes[SIZE_R0], sizes[SIZE_J]);
	return tlv_tensor_check_ids(ctx, frame, sizes);
}

#define AT(member) offsetof(tlv_train_parts, member)
static const tlv_declaration train_list[] = {
	NUMBER(entries, TLV_WHOLE),
	NUMBER(nulls, TLV_WHOLE),
	NUMBER(residual, TLV_NONNEGATIVE),
	NUMBER(ratio, TLV_NONNEGATIVE),
	NUMBER(tolerance, TLV_NONNEGATIVE),
	TENSOR_ID_SECTIONS(tlv_train_parts, TLV_KEPT),
	{"core_1", TLV_FLOAT64, SIZE_R0, SIZE_I, TLV_ANY, TLV_KEPT, AT(cores[0])},
	{"core_2", TLV_FLOAT64, SIZE_R1, SIZE_PAIRS, TLV_ANY, TLV_KEPT, AT(cores[1])},
	{"core_3", TLV_FLOAT64, SIZE_L, SIZE_R1, TLV_ANY, TLV_KEPT, AT(cores[2])},
};
static const tlv_sections train_sections = {
	.state = sizeof(tlv_train_parts),
	.kind = TLV_KIND_TENSOR_TRAIN,
	TLV_LIST(train_list),
	.least = {1, 0, 1, 1, 0, 1, 1, 1},
	.most = {TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES,
			 TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES},
	.size_at = {TENSOR_ID_SIZES(tlv_train_parts), AT(r[0]), AT(r[1]), AT(pairs)},
	.diagnostics = AT(diagnostics),
	.check_more = train_check_more,
};
#undef AT
#undef NUMBER

static const tlv_field train_fields[] = {
	{"entries", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"nulls", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"residual", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"ratio", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"tolerance", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	TENSOR_ID_FIELDS,
	{"core_1", TLV_FIELD_BY_ROWS, .flags = 0},
	{"core_2", TLV_FIELD_BY_COLUMNS, .flags = 0},
	{"core_3", TLV_FIELD_BY_COLUMNS, .flags = 0},
	{.form = TLV_FIELDS_END},
};
static const tlv_layout train_layout = {.fields = train_fields};

/* The middle core: the first components by rows, items and the second components by columns. */
static tlv_status
train_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_train_parts parts;

	tlv_train_read(model, &parts);
	return draw_rows(ctx, model, picture, parts.r[0], parts.ids.d[1] * parts.r[1], parts.cores[1]);
}

static const char *const train_page_fields[] = {"told",		"items_1",		"items_2",	"items_3",
												"name_ids", "name_offsets", "residual", "core_1",
												"core_2",	"core_3",		NULL};
static const tlv_page_content train_contents[] = {
	{"core_1", TLV_CONTENT_LOADINGS, .what = "mode 1:", .ids = "items_1", .from = 1},
	{.section = NULL}};
static const tlv_page_view train_page = {
	.contents = train_contents, .view = "matrix", .what = "component", .fields = train_page_fields};

static const tlv_model_class train_class = {
	.sections = &train_sections,
	.layout = &train_layout,
	.components_size = SIZE_R0,
	.no_estimates = tlv_tensor_no_estimates,
	.draw = train_draw,
	.page = &train_page,
};
const tlv_kind tlv_kind_tensor_train = {TLV_KIND_LINE(TENSOR_TRAIN, tensor_train),
										.model = &train_class};
