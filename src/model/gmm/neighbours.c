/*
 * neighbours.c - divisions of rows among one component more or fewer than a mixture has
 * (internal.h).
 */
#include "internal.h"

#include <math.h>
#include <string.h>

tlv_status
gmm_assign_rows(tlv_context *ctx, const tlv_gmm_sample *rows, const tlv_mixture *mixture,
				int32_t *label)
{
	tlv_mixture_worker worker;

	TLV_TRY(tlv_mixture_worker_open(ctx, mixture, rows->center, &worker));
	TLV_TRY(tlv_mixture_worker_prepare(ctx, &worker));
	for (size_t first = 0; first < rows->n; first += TLV_MIXTURE_BLOCK)
	{
		size_t n = tlv_least(TLV_MIXTURE_BLOCK, rows->n - first);

		TLV_TRY(tlv_mixture_expect(ctx, &worker, n, rows->rows + first * rows->d, NULL));
		for (size_t t = 0; t < n; t++)
		{
			const double *share = worker.shares + t;
			size_t best = 0;

			for (size_t j = 1; j < mixture->k; j++)
				if (share[j * TLV_MIXTURE_BLOCK] > share[best * TLV_MIXTURE_BLOCK])
					best = j;
			label[first + t] = (int32_t) best;
		}
	}
	tlv_mixture_worker_free(ctx, &worker);
	return TLV_OK;
}

/* The rows of a component, in units of each coordinate's standard deviation. */
typedef struct component_rows
{
	const tlv_gmm_sample *rows;
	const int32_t *label;
	int32_t component;
	double *unit; /* d: inverse */
	double *mean; /* d */
	double *axis; /* d */
	double *next; /* d */
} component_rows;

/* How far row t is along the axis. */
static double
along_axis(const component_rows *of, size_t t)
{
	const double *x = of->rows->rows + t * of->rows->d;
	double along = 0;

	for (size_t i = 0; i < of->rows->d; i++)
		along += (x[i] - of->mean[i]) * of->unit[i] * of->axis[i];
	return along;
}

static void
find_mean(component_rows *of)
{
	size_t d = of->rows->d, n = 0;

	memset(of->mean, 0, d * sizeof(double));
	for (size_t t = 0; t < of->rows->n; t++)
		if (of->label[t] == of->component)
		{
			n++;
			for (size_t i = 0; i < d; i++)
				of->mean[i] += (of->rows->rows[t * d + i] - of->mean[i]) / (double) n;
		}
}

/* The leading principal axis, nearly: which side of its mean a row is on does not need more. */
static void
find_axis(component_rows *of)
{
	const int iterations = 10;
	size_t d = of->rows->d;

	for (size_t i = 0; i < d; i++)
		of->axis[i] = 1 + (double) i / (double) d; /* orthogonal to no likely axis */
	for (int step = 0; step < iterations; step++)
	{
		double largest = 0;

		memset(of->next, 0, d * sizeof(double));
		for (size_t t = 0; t < of->rows->n; t++)
			if (of->label[t] == of->component)
			{
				const double *x = of->rows->rows + t * d;
				double along = along_axis(of, t);

				for (size_t i = 0; i < d; i++)
					of->next[i] += along * (x[i] - of->mean[i]) * of->unit[i];
			}
		for (size_t i = 0; i < d; i++)
			largest = fmax(largest, fabs(of->next[i]));
		if (largest == 0) /* all rows are equal */
			return;
		for (size_t i = 0; i < d; i++)
			of->axis[i] = of->next[i] / largest;
	}
}

static tlv_status
split_components(tlv_context *ctx, const tlv_gmm_sample *rows, const tlv_mixture *from,
				 int32_t *label)
{
	size_t d = rows->d, n = rows->n;
	component_rows of = {.rows = rows, .label = label};

	TLV_TRY_NEW_ROWS(ctx, of.unit, d, 4);
	of.mean = of.unit + d;
	of.axis = of.mean + d;
	of.next = of.axis + d;
	for (size_t i = 0; i < d; i++)
		of.unit[i] = 1 / sqrt(rows->scale[i]);
	for (size_t j = from->k; j-- > 0;) /* the first holds the division of all until it is split */
	{
		of.component = (int32_t) j;
		find_mean(&of);
		find_axis(&of);
		for (size_t t = 0; t < n; t++)
			label[j * n + t] =
				label[t] == (int32_t) j && along_axis(&of, t) > 0 ? (int32_t) from->k : label[t];
	}
	tlv_free(ctx, of.unit);
	return TLV_OK;
}

/* The component whose mean is nearest to that of j, in units of the columns. */
static size_t
nearest_component(const tlv_gmm_sample *rows, const tlv_mixture *from, size_t j)
{
	size_t d = rows->d, nearest = j;
	double least = HUGE_VAL;

	for (size_t l = 0; l < from->k; l++)
	{
		double distance = 0;

		for (size_t i = 0; i < d; i++)
		{
			double x = from->means[l * d + i] - from->means[j * d + i];

			distance += x * x / rows->scale[i];
		}
		if (l != j && distance < least)
		{
			least = distance;
			nearest = l;
		}
	}
	return nearest;
}

/* Each component joins the nearest, and the last takes its number. */
static void
join_components(const tlv_gmm_sample *rows, const tlv_mixture *from, int32_t *label)
{
	size_t n = rows->n;
	int32_t last = (int32_t) from->k - 1;

	for (size_t j = from->k; j-- > 0;)
	{
		int32_t gone = (int32_t) j, to = (int32_t) nearest_component(rows, from, j);

		for (size_t t = 0; t < n; t++)
		{
			int32_t own = label[t] == gone ? to : label[t];

			label[j * n + t] = own == last ? gone : own;
		}
	}
}

tlv_status
gmm_neighbour_divisions(tlv_context *ctx, const tlv_gmm_sample *rows, const tlv_mixture *from,
						size_t k, int32_t **label)
{
	TLV_TRY_NEW_ROWS(ctx, *label, from->k, rows->n);
	TLV_TRY(gmm_assign_rows(ctx, rows, from, *label));
	if (k > from->k)
		return split_components(ctx, rows, from, *label);
	join_components(rows, from, *label);
	return TLV_OK;
}
