/*
 * plane.c - the two dimensions in which components are drawn (picture.h).
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* Variance of a dimension at least, relative to the squared range of means and variances. */
#define PLANE_LEAST_VARIANCE 1e-12

/* One or two dimensions: where these are, and the unit of each. */
typedef struct plane_axes
{
	size_t n;
	size_t at[2];
	double unit[2];
} plane_axes;

double
picture_covariance(const tlv_picture_normals *normals, size_t j, size_t a, size_t b)
{
	const double *v = normals->variances + j * normals->each;
	size_t high = a > b ? a : b, low = a > b ? b : a;

	if (normals->each == 1)
		return a == b ? v[0] : 0;
	if (normals->each == normals->d)
		return a == b ? v[a] : 0;
	return v[high * (high + 1) / 2 + low];
}

/* Of a dimension the root of its largest variance and squared range of means; 0: it is constant. */
static double
unit_of(const tlv_picture_normals *normals, size_t n, size_t i)
{
	double low = HUGE_VAL, high = -HUGE_VAL, variance = 0;

	for (size_t j = 0; j < n; j++)
	{
		low = fmin(low, normals->means[j * normals->d + i]);
		high = fmax(high, normals->means[j * normals->d + i]);
		variance = fmax(variance, picture_covariance(normals, j, i, i));
	}
	return hypot(high - low, sqrt(variance));
}

static double
scaled(const tlv_picture_normals *normals, size_t j, const plane_axes *axes, int a, int b)
{
	double v =
		picture_covariance(normals, j, axes->at[a], axes->at[b]) / axes->unit[a] / axes->unit[b];

	return a == b ? fmax(v, PLANE_LEAST_VARIANCE) : v;
}

/* Bhattacharyya distance of components i and j in the dimensions. */
static double
distance_of(const tlv_picture_normals *normals, size_t i, size_t j, const plane_axes *axes)
{
	double s[3] = {0, 0, 1}, det[3], m[2] = {0, 0};

	for (int a = 0; a < (int) axes->n; a++)
		m[a] = (normals->means[i * normals->d + axes->at[a]] -
				normals->means[j * normals->d + axes->at[a]]) /
			   axes->unit[a];
	for (int c = 0; c < 3; c++)
	{
		/* The first, the second, and the mean of both. */
		double v[3] = {0, 0, 1};

		for (int e = 0; e < (axes->n == 2 ? 3 : 1); e++)
		{
			int a = e == 0 ? 0 : 1, b = e == 2 ? 1 : 0;
			double first = scaled(normals, i, axes, a, b);
			double second = scaled(normals, j, axes, a, b);

			v[e] = c == 0 ? first : c == 1 ? second : (first + second) / 2;
		}
		/* A covariance that is singular by rounding counts as barely regular. */
		det[c] = fmax(v[0] * v[2] - v[1] * v[1], PLANE_LEAST_VARIANCE * v[0] * v[2]);
		if (c == 2)
			memcpy(s, v, sizeof(s));
	}
	return (s[2] * m[0] * m[0] - 2 * s[1] * m[0] * m[1] + s[0] * m[1] * m[1]) / det[2] / 8 +
		   log(det[2]) / 2 - (log(det[0]) + log(det[1])) / 4;
}

/* Logarithm of the criterion: such a sum underflows where components are far apart. */
static double
log_overlap(const tlv_picture_normals *normals, size_t n, const plane_axes *axes)
{
	double largest = -HUGE_VAL, total = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
		{
			double w = normals->weights[i] * normals->weights[j], term;

			if (!(w > 0))
				continue;
			term = log(w) / 2 - distance_of(normals, i, j, axes);
			if (term > largest)
				total *= largest == -HUGE_VAL ? 0 : exp(largest - term);
			largest = fmax(largest, term);
			total += exp(term - largest);
		}
	return largest == -HUGE_VAL ? 0 : largest + log(total);
}

tlv_status
tlv_picture_plane(tlv_context *ctx, const tlv_picture_normals *normals, size_t place[2])
{
	size_t n = tlv_least(normals->n, TLV_PICTURE_COMPONENTS);
	plane_axes axes = {0, {0, 0}, {1, 1}};

	place[0] = place[1] = 0;
	for (axes.n = 1; axes.n <= 2; axes.n++)
	{
		double least = HUGE_VAL;
		size_t last = (size_t) axes.n - 1;

		for (size_t i = 0; i < normals->d; i++)
		{
			double overlap;

			TLV_TRY_CONTINUE(ctx);
			axes.at[last] = i;
			axes.unit[last] = unit_of(normals, n, i);
			if ((axes.n == 2 && i == place[0]) || !(axes.unit[last] > 0))
				continue;
			overlap = log_overlap(normals, n, &axes);
			if (!(overlap < least))
				continue;
			least = overlap;
			place[last] = i;
		}
		/* Of constant dimensions the first two are as good as any. */
		if (least == HUGE_VAL && axes.n == 2 && normals->d > 1)
			place[1] = place[0] == 0 ? 1 : 0;
		axes.at[0] = place[0];
		axes.unit[0] = unit_of(normals, n, place[0]);
		if (!(axes.unit[0] > 0))
			axes.unit[0] = 1;
	}
	return TLV_OK;
}
