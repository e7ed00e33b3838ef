/*
 * directions_model.c - the stored form of a mixture of directions, and what it can do with a row
 * (directions.h, model.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "directions.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

#define SIZE_D TLV_SIZE_1
#define SIZE_K TLV_SIZE_2

/* A mean is as long as 1 but for this. */
#define LENGTH_TOLERANCE 1e-6

/* What is stored. */
typedef struct directions_stored
{
	size_t d, k;
	double rows, steps, seed;
	const double *weights;
	const double *means;
	const double *kappas;
	const tlv_diagnostics *diagnostics;
} directions_stored;

static void
swap_components(tlv_directions *directions, size_t a, size_t b)
{
	size_t d = directions->d;
	double weight = directions->weights[a], kappa = directions->kappas[a];

	directions->weights[a] = directions->weights[b];
	directions->weights[b] = weight;
	directions->kappas[a] = directions->kappas[b];
	directions->kappas[b] = kappa;
	for (size_t i = 0; i < d; i++)
	{
		double value = directions->means[a * d + i];

		directions->means[a * d + i] = directions->means[b * d + i];
		directions->means[b * d + i] = value;
	}
}

tlv_status
tlv_directions_write(tlv_context *ctx, const tlv_directions_parts *parts, void **image,
					 size_t *size)
{
	tlv_directions directions = *parts->directions;
	const directions_stored stored = {.d = directions.d,
									  .k = directions.k,
									  .rows = parts->rows,
									  .steps = parts->steps,
									  .seed = parts->seed,
									  .weights = directions.weights,
									  .means = directions.means,
									  .kappas = directions.kappas,
									  .diagnostics = parts->diagnostics};

	for (size_t j = 0; j + 1 < directions.k; j++)
	{
		size_t best = j;

		for (size_t i = j + 1; i < directions.k; i++)
			best = directions.weights[i] > directions.weights[best] ? i : best;
		if (best == j)
			continue;
		swap_components(&directions, j, best);
		if (parts->order != NULL)
		{
			int64_t number = parts->order[j];

			parts->order[j] = parts->order[best];
			parts->order[best] = number;
		}
	}
	return tlv_sections_write(ctx, tlv_kind_direction_mixture.model->sections, &stored, image,
							  size);
}

void
tlv_directions_read(const tlv_frame *model, tlv_directions *directions)
{
	directions_stored stored;

	tlv_sections_read(model, tlv_kind_direction_mixture.model->sections, &stored);
	directions->d = stored.d;
	directions->k = stored.k;
	directions->weights = (double *) stored.weights;
	directions->means = (double *) stored.means;
	directions->kappas = (double *) stored.kappas;
}

static tlv_status
directions_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	size_t d = sizes[SIZE_D];
	tlv_directions directions;

	tlv_directions_read(frame, &directions);
	for (size_t j = 0; j < directions.k; j++)
	{
		double square = 0;

		if (directions.weights[j] != 0 && !(directions.weights[j] >= DBL_MIN))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" holds %g",
							directions.weights[j]);
		if (directions.kappas[j] > TLV_DIRECTIONS_MOST_KAPPA * (double) d)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"kappas\" holds %g", directions.kappas[j]);
		for (size_t i = 0; i < d; i++)
			square += directions.means[j * d + i] * directions.means[j * d + i];
		if (!(fabs(square - 1) <= LENGTH_TOLERANCE))
			return tlv_fail(ctx, TLV_CORRUPT, "a direction in section \"means\" is as long as %g",
							sqrt(square));
	}
	return TLV_OK;
}

#define AT(member) offsetof(directions_stored, member)
static const tlv_declaration directions_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(rows)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_COLUMN_SHARES, TLV_KEPT, AT(weights)},
	{"means", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_KEPT, AT(means)},
	{"kappas", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(kappas)},
};
static const tlv_sections directions_sections = {
	.state = sizeof(directions_stored),
	.kind = TLV_KIND_DIRECTION_MIXTURE,
	TLV_LIST(directions_list),
	.least = {2, 1},
	.most = {TLV_MIXTURE_MOST_DIMENSIONS, TLV_MIXTURE_MOST_COMPONENTS},
	.size_at = {AT(d), AT(k)},
	.diagnostics = AT(diagnostics),
	.check_more = directions_check_more,
};
#undef AT

static const tlv_field directions_fields[] = {
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"means", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS},
	{"kappas", TLV_FIELD_LIST, .flags = TLV_OF_ROWS},
	{.form = TLV_FIELDS_END},
};
static const tlv_layout directions_layout = {.fields = directions_fields, .weights = "weights"};

/* ---- applying ---- */

static tlv_status
directions_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	directions_model *own;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(directions_model), model));
	own = (directions_model *) *model;
	tlv_directions_read(frame, &own->directions);
	TLV_TRY(directions_worker_open(ctx, &own->directions, &own->worker));
	TLV_TRY_NEW(ctx, own->row, own->directions.d);
	return TLV_OK;
}

static tlv_status
expect_row(tlv_context *ctx, directions_model *own, const tlv_part *part)
{
	double length;

	TLV_TRY(directions_row(ctx, own->directions.d, part->d, part->float64, own->row, &length));
	if (length == 0)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a row of zeros has no direction");
		return tlv_fail_hint(ctx, "Leave such rows out.");
	}
	return directions_expect(ctx, &own->worker, 1, own->row, NULL);
}

static bool
has_gaps(const tlv_part *part)
{
	for (size_t i = 0; part->missing != NULL && i < part->d; i++)
		if (part->missing[i])
			return true;
	return false;
}

static tlv_status
directions_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	directions_model *own = (directions_model *) model;

	double value;

	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, own->directions.k));
	if (has_gaps(&row->part[0]))
		return directions_infer_given(ctx, &own->directions, &row->part[0], own->row,
									  posterior->values, &value);
	TLV_TRY(expect_row(ctx, own, &row->part[0]));
	for (size_t j = 0; j < own->directions.k; j++)
		posterior->values[j] = own->worker.shares[j * DIRECTIONS_BLOCK];
	return TLV_OK;
}

static tlv_status
directions_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	directions_model *own = (directions_model *) model;

	if (has_gaps(&row->part[0]))
		return directions_infer_given(ctx, &own->directions, &row->part[0], own->row,
									  own->worker.shares, value);
	TLV_TRY(expect_row(ctx, own, &row->part[0]));
	*value = own->worker.density[0];
	return TLV_OK;
}

/* One to one by the distance of the means, as unit vectors. */
static tlv_status
directions_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_directions x, y;
	double *cost;

	tlv_directions_read(a, &x);
	tlv_directions_read(b, &y);
	if (x.d != y.d)
		return tlv_refuse_dimensions(ctx, x.d, y.d);
	TLV_TRY_NEW_ROWS(ctx, cost, x.k, y.k);
	for (size_t i = 0; i < x.k; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < y.k; j++)
			cost[i * y.k + j] =
				sqrt(tlv_squared_distance(x.d, x.means + i * x.d, y.means + j * x.d));
	}
	TLV_TRY(tlv_assign_components(ctx, x.k, y.k, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	return TLV_OK;
}

/* How many numbers a row has. */
static size_t
directions_dimensions(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "means")->rows;
}

static const char *const directions_page_fields[] = {"weights", "means", "kappas", NULL};
static const tlv_page_content directions_contents[] = {
	{"means", TLV_CONTENT_NUMBERS, .what = "dimension", .concentrations = "kappas", .from = 1},
	{.section = NULL}};
static const tlv_page_view directions_page = {.contents = directions_contents,
											  .view = "profiles",
											  .what = "component",
											  .fields = directions_page_fields};

static const tlv_model_class directions_class = {
	.sections = &directions_sections,
	.layout = &directions_layout,
	.normals = directions_normals,
	.draw = directions_draw,
	.page = &directions_page,
	.open = directions_open,
	.components_size = SIZE_K,
	.dimensions = directions_dimensions,
	.rows = TLV_ROW_VECTOR | TLV_ROWS_MISSING_OF_MANY,
	.infer = directions_infer,
	.log_likelihood = directions_log_likelihood,
	.statistics = directions_statistics,
	.update = directions_update,
	.match = directions_match,
	.estimates = directions_estimates,
	.score = directions_score,
	.redraw = directions_redraw,
};
const tlv_kind tlv_kind_direction_mixture = {TLV_KIND_LINE(DIRECTION_MIXTURE, direction_mixture),
											 .model = &directions_class};
