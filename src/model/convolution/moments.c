/*
 * moments.c - lagged moments of series, mergeable over segments (convolution.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

/* The size: lags. */
#define SIZE_S TLV_SIZE_1
/* Steps of a product of matrices. */
#define CONVOLUTION_BLOCK 512
/* Numbers, and their distance from the shift, up to which third powers are added up. */
#define CONVOLUTION_LARGEST 1e60

typedef struct series_state
{
	tlv_declared declared;
	series_sums sums;
} series_state;

/* ---- one segment ---- */

/* A segment about the shift: s - 1 zeros follow it, or, of a cyclic window, its beginning. */
typedef struct segment
{
	size_t n;
	const double *y;
} segment;

/* third(a, b) += sum_t y_t y_{t+a} y_{t+b}, and products(a) = sum_t y_t y_{t+a}. */
static tlv_status
convolution_add_products(tlv_context *ctx, series_sums *sums, const segment *g, double *products)
{
	size_t s = sums->s;
	double *left = tlv_alloc0(ctx, 2 * CONVOLUTION_BLOCK * s + s * s, sizeof(double)), *right,
		   *full;

	TLV_TRY_ALLOC(ctx, left);
	right = left + CONVOLUTION_BLOCK * s;
	full = right + CONVOLUTION_BLOCK * s;
	memset(products, 0, s * sizeof(double));
	for (size_t from = 0; from < g->n; from += CONVOLUTION_BLOCK)
	{
		size_t m = tlv_least(CONVOLUTION_BLOCK, g->n - from);
		const double *y = g->y + from;

		for (size_t a = 0; a < s; a++)
		{
			memcpy(right + a * CONVOLUTION_BLOCK, y + a, m * sizeof(double));
			for (size_t t = 0; t < m; t++)
			{
				left[a * CONVOLUTION_BLOCK + t] = y[t] * y[t + a];
				products[a] += left[a * CONVOLUTION_BLOCK + t];
			}
		}
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_gemm(ctx, true, false, s, s, m, 1, left, CONVOLUTION_BLOCK, right,
						 CONVOLUTION_BLOCK, 1, full, s));
	}
	for (size_t b = 0; b < s; b++)
		for (size_t a = 0; a <= b; a++)
			sums->third[tlv_packed2_index(b, a)] += full[a + b * s];
	tlv_free(ctx, left);
	return TLV_OK;
}

/* What a segment has of pairs and single numbers: all of it less its ends. */
static void
add_lower(series_sums *sums, const segment *g, const double *products)
{
	size_t lags = tlv_least(sums->s, g->n);
	double total = 0;

	for (size_t t = 0; t < g->n; t++)
		total += g->y[t];
	for (size_t b = 0; b < lags; b++)
		sums->pairs[b] += (double) (g->n - b);
	for (size_t a = 0; a < lags; a++)
	{
		double front = products[a], head = 0, tail = 0;

		for (size_t t = 0; t < a; t++)
			head += g->y[t];
		for (size_t b = a; b < lags; b++)
		{
			size_t i = tlv_packed2_index(b, a);

			if (b > a)
			{
				front -= g->y[g->n - b] * g->y[g->n - b + a];
				tail += g->y[g->n - (b - a)];
			}
			sums->front[i] += front;
			sums->single[i] += total - head - tail;
		}
	}
	for (size_t apart = 0; apart < lags; apart++)
	{
		double back = products[apart];

		for (size_t a = 0; a + apart < lags; a++)
		{
			sums->back[tlv_packed2_index(a + apart, a)] += back;
			back -= g->y[a] * g->y[a + apart];
		}
	}
}

/* Of a cyclic window every sum is over all of its steps. */
static void
add_lower_cyclic(series_sums *sums, const segment *g, const double *products)
{
	double total = 0;

	for (size_t t = 0; t < g->n; t++)
		total += g->y[t];
	for (size_t b = 0; b < sums->s; b++)
	{
		sums->pairs[b] += (double) g->n;
		for (size_t a = 0; a <= b; a++)
		{
			size_t i = tlv_packed2_index(b, a);

			sums->front[i] += products[a];
			sums->back[i] += products[b - a];
			sums->single[i] += total;
		}
	}
}

/* n numbers x, all there; y has room for n + s. */
static tlv_status
add_segment(tlv_context *ctx, series_sums *sums, size_t n, const double *x, double *y,
			double *products)
{
	segment g = {n, y};

	for (size_t t = 0; t < n; t++)
		y[t] = x[t] - sums->shift;
	for (size_t t = 0; t < sums->s; t++)
		y[n + t] = sums->windows != 0 ? y[t] : 0;
	TLV_TRY(convolution_add_products(ctx, sums, &g, products));
	if (sums->windows != 0)
		add_lower_cyclic(sums, &g, products);
	else
		add_lower(sums, &g, products);
	TLV_TRY(tlv_count_one(ctx, "segments", &sums->segments));
	sums->values += (double) n;
	return TLV_OK;
}

/* ---- rows ---- */

static bool
is_missing(const tlv_part *part, size_t i)
{
	return part->missing != NULL && part->missing[i];
}

tlv_status
series_require_numbers(tlv_context *ctx, const tlv_part *part)
{
	if (part->n > 0 && part->d != 1)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a step of a series has %zu numbers, not one", part->d);
		return tlv_fail_hint(ctx, "Give every reading a series of its own.");
	}
	for (size_t i = 0; i < part->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!is_missing(part, i) && !(fabs(part->float64[i]) <= CONVOLUTION_LARGEST))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "element %zu of a series is %s", i + 1,
					 isnan(part->float64[i])   ? "NaN"
					 : isinf(part->float64[i]) ? "infinite"
											   : "above 1e60");
			return tlv_fail_hint(ctx, "What is missing is null: the series is cut there.");
		}
	}
	return TLV_OK;
}

size_t
series_segment(const tlv_part *part, size_t from, size_t *end)
{
	while (from < part->n && is_missing(part, from))
		from++;
	*end = from;
	while (*end < part->n && !is_missing(part, *end))
		++*end;
	return from;
}

/* A segment, or the windows that it is cut into. */
static tlv_status
add_stretch(tlv_context *ctx, series_sums *sums, size_t n, const double *x, double *y,
			double *products)
{
	size_t width = 2 * sums->s;

	if (sums->windows == 0)
		return add_segment(ctx, sums, n, x, y, products);
	for (size_t from = 0; from + width <= n; from += width)
		TLV_TRY(add_segment(ctx, sums, width, x + from, y, products));
	return TLV_OK;
}

static tlv_status
series_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	series_sums *sums = &((series_state *) accumulator)->sums;
	const tlv_part *part = &row->part[0];
	double *y, *products;
	size_t from, end;

	if (sums->s == 0)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(series_require_numbers(ctx, part));
	from = series_segment(part, 0, &end);
	if (from == end)
		return TLV_OK;
	if (sums->values + (double) part->n > 0x1p53)
		return tlv_require_whole_sum(ctx, "values", sums->values, (double) part->n);
	if (sums->values == 0)
		sums->shift = part->float64[from];
	TLV_TRY_NEW(ctx, y, part->n + 2 * sums->s);
	products = y + part->n + sums->s;
	for (; from < end; from = series_segment(part, end, &end))
		TLV_TRY(add_stretch(ctx, sums, end - from, part->float64 + from, y, products));
	tlv_free(ctx, y);
	return TLV_OK;
}

/* ---- another shift ---- */

void
series_move(series_sums *sums, double delta)
{
	for (size_t b = 0; b < sums->s; b++)
	{
		size_t whole = tlv_packed2_index(b, b), none = tlv_packed2_index(b, 0);
		double outer = sums->front[whole], first = sums->single[none], last = sums->single[whole];
		double n = sums->pairs[b];

		for (size_t a = 0; a <= b; a++)
		{
			size_t i = tlv_packed2_index(b, a);
			double middle = a == b ? last : sums->single[i];

			sums->third[i] -= delta * (sums->front[i] + outer + sums->back[i]) -
							  delta * delta * (first + middle + last) + delta * delta * delta * n;
			sums->front[i] -= delta * (first + middle) - delta * delta * n;
			sums->back[i] -= delta * (middle + last) - delta * delta * n;
		}
		for (size_t a = 0; a <= b; a++)
			sums->single[tlv_packed2_index(b, a)] -= delta * n;
	}
	sums->shift += delta;
}

/* ---- the accumulator ---- */

static tlv_status
series_begin(tlv_context *ctx, series_sums *sums, size_t s, double windows)
{
	size_t cells = tlv_packed2_size(s);

	TLV_TRY_NEW0(ctx, sums->third, 4 * cells + s);
	sums->s = s;
	sums->windows = windows;
	sums->front = sums->third + cells;
	sums->back = sums->front + cells;
	sums->single = sums->back + cells;
	sums->pairs = sums->single + cells;
	return TLV_OK;
}

static tlv_status
check_lags(tlv_context *ctx, int lags)
{
	if (lags >= TLV_SERIES_LEAST_LAGS && lags <= TLV_SERIES_MOST_LAGS)
		return TLV_OK;
	tlv_fail(ctx, lags > TLV_SERIES_MOST_LAGS ? TLV_LIMIT : TLV_BAD_PARAMETER,
			 "lags = %d is not between %d and %d", lags, TLV_SERIES_LEAST_LAGS,
			 TLV_SERIES_MOST_LAGS);
	return tlv_fail_hint(ctx, "Use a number of lags in this range, and average several steps into "
							  "one for longer templates.");
}

static tlv_status
series_create(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	bool windows = constants->refine != NULL && strcmp(constants->refine, "windows") == 0;

	*accumulator = NULL;
	TLV_TRY(check_lags(ctx, (int) constants->order));
	if (constants->refine != NULL && !windows && strcmp(constants->refine, "joint") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no way \"%.40s\" to collect a series",
				 constants->refine);
		return tlv_fail_hint(ctx, "Use 'joint' or 'windows'.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_series_moments.accumulator, NULL, accumulator));
	return series_begin(ctx, &((series_state *) *accumulator)->sums, (size_t) constants->order,
						windows);
}

const tlv_aggregate tlv_aggregate_series_moments = {"tlv_series_moments", NULL, series_create};

/* ---- merging ---- */

tlv_status
series_read(tlv_context *ctx, const tlv_frame *frame, series_sums *sums)
{
	size_t s = tlv_frame_find(frame, "pairs")->rows, cells = tlv_packed2_size(s);

	TLV_TRY(series_begin(ctx, sums, s, tlv_frame_scalar(frame, "windows", 0)));
	sums->values = tlv_frame_scalar(frame, "values", 0);
	sums->segments = tlv_frame_scalar(frame, "segments", 0);
	sums->shift = tlv_frame_scalar(frame, "shift", 0);
	memcpy(sums->third, tlv_frame_float64(frame, "third"), cells * sizeof(double));
	memcpy(sums->front, tlv_frame_float64(frame, "front"), cells * sizeof(double));
	memcpy(sums->back, tlv_frame_float64(frame, "back"), cells * sizeof(double));
	memcpy(sums->single, tlv_frame_float64(frame, "single"), cells * sizeof(double));
	memcpy(sums->pairs, tlv_frame_float64(frame, "pairs"), s * sizeof(double));
	return TLV_OK;
}

/* The shift of more numbers is kept, of as many the smaller one: a + b is b + a. */
static bool
keeps_shift(const series_sums *a, const series_sums *b)
{
	return a->values != b->values ? a->values > b->values : a->shift <= b->shift;
}

static tlv_status
require_finite(tlv_context *ctx, const series_sums *sums)
{
	double sum = 0;

	for (size_t i = 0; i < tlv_packed2_size(sums->s); i++)
		sum += 0 * (sums->third[i] + sums->front[i] + sums->back[i] + sums->single[i]);
	if (sum != 0) /* infinity or NaN times zero */
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the series are too far apart for third moments");
		return tlv_fail_hint(ctx, "Choose units in which the numbers are nearer to 1.");
	}
	return TLV_OK;
}

static tlv_status
refuse_merge(tlv_context *ctx, const series_sums *a, const series_sums *b)
{
	if (a->s != b->s)
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "moments of %zu lags cannot be merged with moments of %zu lags", a->s, b->s);
	else
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "moments of windows cannot be merged with moments of all lags");
	return tlv_fail_hint(ctx, "Collect all parts with the same arguments.");
}

/* a becomes a + b, b about another shift; b may be what is taken away, negative. */
static tlv_status
add_sums(tlv_context *ctx, series_sums *a, series_sums *b)
{
	if (keeps_shift(a, b))
		series_move(b, a->shift - b->shift);
	else
		series_move(a, b->shift - a->shift);
	for (size_t i = 0; i < tlv_packed2_size(a->s); i++)
	{
		a->third[i] += b->third[i];
		a->front[i] += b->front[i];
		a->back[i] += b->back[i];
		a->single[i] += b->single[i];
	}
	for (size_t lag = 0; lag < a->s; lag++)
		a->pairs[lag] += b->pairs[lag];
	a->values += b->values;
	a->segments += b->segments;
	TLV_TRY(tlv_require_left(ctx, "values", 1, NULL, &a->values));
	TLV_TRY(tlv_require_left(ctx, "segments", 1, NULL, &a->segments));
	TLV_TRY(tlv_require_left(ctx, "pairs", a->s, NULL, a->pairs));
	return require_finite(ctx, a);
}

static tlv_status
series_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	series_sums *sums = &((series_state *) accumulator)->sums, other = {0};

	TLV_TRY(series_read(ctx, frame, &other));
	if (sums->s == 0)
		TLV_TRY(series_begin(ctx, sums, other.s, other.windows));
	if (sums->s != other.s || sums->windows != other.windows)
		return refuse_merge(ctx, sums, &other);
	TLV_TRY(tlv_require_whole_sum(ctx, "values", sums->values, other.values));
	TLV_TRY(tlv_require_whole_sum(ctx, "segments", sums->segments, other.segments));
	if (sums->values == 0)
		sums->shift = other.shift;
	TLV_TRY(add_sums(ctx, sums, &other));
	if (sums->values == 0 && other.values != 0) /* all of it is gone, up to rounding */
		memset(sums->third, 0, (4 * tlv_packed2_size(sums->s) + sums->s) * sizeof(double));
	tlv_free(ctx, other.third);
	return TLV_OK;
}

/* ---- the stored value ---- */

static tlv_status
series_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	series_state *state = (series_state *) accumulator;

	(void) ctx;
	(void) owned;
	state->declared.sizes[SIZE_S] = state->sums.s;
	return TLV_OK;
}

static tlv_status
series_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *pairs = tlv_frame_float64(frame, "pairs");
	double values = tlv_frame_scalar(frame, "values", 0), before = values;

	for (size_t b = 0; b < sizes[SIZE_S]; b++)
	{
		if (pairs[b] > before)
			return tlv_fail(ctx, TLV_CORRUPT, "%g pairs of steps at lag %zu of %g", pairs[b], b,
							before);
		before = pairs[b];
	}
	if (pairs[0] != values)
		return tlv_fail(ctx, TLV_CORRUPT, "%g numbers, of which %g are counted", values, pairs[0]);
	if (!(fabs(tlv_frame_scalar(frame, "shift", 0)) <= CONVOLUTION_LARGEST))
		return tlv_fail(ctx, TLV_CORRUPT, "the shift of a series is above 1e60");
	return TLV_OK;
}

#define AT(member) offsetof(series_state, member)
static const tlv_declaration series_list[] = {
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"windows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_FLAG, TLV_OWN, AT(sums.windows)},
	{"values", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_OWN, AT(sums.values)},
	{"segments", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_OWN, AT(sums.segments)},
	{"shift", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.shift)},
	{"pairs", TLV_FLOAT64, SIZE_S, TLV_ONE, TLV_WHOLE, TLV_OWN, AT(sums.pairs)},
	{"third", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.third)},
	{"front", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.front)},
	{"back", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.back)},
	{"single", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.single)},
};
#undef AT
static const char *const series_no_sums[] = {"windows", "shift", NULL};
static const tlv_sections series_sections = {
	.state = sizeof(series_state),
	.kind = TLV_KIND_SERIES_MOMENTS,
	TLV_LIST(series_list),
	.least = {TLV_SERIES_LEAST_LAGS},
	.most = {TLV_SERIES_MOST_LAGS},
	.describe = series_describe,
	.takes_away = true,
	.no_sums = series_no_sums,
	.check_more = series_check,
	.merge_own = series_merge,
};

static const tlv_accumulator_class series_class = {.name = "series_moments",
												   TLV_DECLARED(&series_sections),
												   .rows =
													   TLV_ROW_SEQUENCE | TLV_ROWS_MISSING_ELEMENTS,
												   .add = series_add};

const tlv_kind tlv_kind_series_moments = {TLV_KIND_LINE(SERIES_MOMENTS, series_moments),
										  .accumulator = &series_class};
