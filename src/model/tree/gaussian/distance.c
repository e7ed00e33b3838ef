/*
 * distance.c - distances of numbers and vectors from their covariance (tree_gaussian.h).
 *
 * The columns of every variable are whitened; the blocks of the covariance then have the canonical
 * correlations for singular values.
 */
#include "tensorlv/model/tree_gaussian.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/special.h"

typedef struct vectors
{
	const tlv_tree_distance_options *options;
	const tlv_dense_central *central;
	size_t p, widest;
	size_t *start;		/* p + 1: of every variable's columns in column */
	size_t *column;		/* columns in the order of variables */
	size_t *rank;		/* of every variable's own covariance */
	double *log_volume; /* half the logarithm of its pseudo-determinant */
	double **whitening; /* rank x columns of the variable, column-major */
	double *block, *half, *scaled, *s, *singular;
} vectors;

/* Columns by variable; groups = 0: one variable for every column. */
static tlv_status
order_columns(tlv_context *ctx, vectors *w)
{
	const tlv_tree_distance_options *options = w->options;
	size_t d = w->central->d;

	if (options->groups > 0 && options->columns != d)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there are groups of %zu columns, the rows have %zu",
				 options->columns, d);
		return TLV_BAD_PARAMETER;
	}
	TLV_TRY_NEW0(ctx, w->start, w->p + 2);
	TLV_TRY_NEW(ctx, w->column, d);
	for (size_t j = 0; j < d; j++)
	{
		int64_t group = options->groups > 0 ? options->column[j] : (int64_t) j;

		if (group < 0 || (uint64_t) group >= w->p)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"column %zu is of group %lld, there are %zu groups", j + 1,
							(long long) group + 1, w->p);
		w->start[group + 2]++;
	}
	for (size_t v = 0; v < w->p; v++)
	{
		if (w->start[v + 2] == 0)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "group %zu has no columns", v + 1);
		if (w->start[v + 2] > TLV_EIGEN_LIMIT)
			return tlv_fail(ctx, TLV_LIMIT, "group %zu has %zu columns, more than %d", v + 1,
							w->start[v + 2], TLV_EIGEN_LIMIT);
		w->widest = w->start[v + 2] > w->widest ? w->start[v + 2] : w->widest;
		w->start[v + 2] += w->start[v + 1];
	}
	for (size_t j = 0; j < d; j++)
		w->column[w->start[(options->groups > 0 ? (size_t) options->column[j] : j) + 1]++] = j;
	return TLV_OK;
}

/* The covariance of two variables' columns, column-major. */
static void
read_block(const vectors *w, size_t a, size_t b, double *block)
{
	size_t d = w->central->d, rows = w->start[a + 1] - w->start[a];

	for (size_t j = w->start[b]; j < w->start[b + 1]; j++)
		for (size_t i = w->start[a]; i < w->start[a + 1]; i++)
			block[(i - w->start[a]) + (j - w->start[b]) * rows] =
				w->central->covariance[w->column[i] + w->column[j] * d];
}

/* Variances of very different size would hide each other: columns are scaled first. */
static void
gaussian_tree_scale_columns(size_t n, double *block, double *scale)
{
	for (size_t i = 0; i < n; i++)
		scale[i] = block[i + i * n] > 0 ? 1 / sqrt(block[i + i * n]) : 0;
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < n; i++)
			block[i + j * n] *= scale[i] * scale[j];
}

static tlv_status
whiten_variable(tlv_context *ctx, vectors *w, size_t v)
{
	size_t n = w->start[v + 1] - w->start[v], r = 0;
	double *scale = w->s, *values = w->s + n, *whitening;
	double ridge = w->options->shrinkage / (double) n;

	read_block(w, v, v, w->block);
	gaussian_tree_scale_columns(n, w->block, scale);
	TLV_TRY(tlv_eigen_symmetric(ctx, n, w->block, values));
	while (r < n && values[r] > TLV_DEPENDENT * values[0] && values[r] > 0)
		r++;
	w->rank[v] = r;
	w->log_volume[v] = 0;
	TLV_TRY_NEW_ROWS(ctx, whitening, r, n);
	for (size_t i = 0; i < r; i++)
	{
		double root = sqrt(values[i] + ridge);

		w->log_volume[v] += log(root);
		for (size_t j = 0; j < n; j++)
			whitening[i + j * r] = w->block[j + i * n] * scale[j] / root;
	}
	w->whitening[v] = whitening;
	return TLV_OK;
}

/* Whitened covariance (rank a x rank b) into w->scaled. */
static tlv_status
whiten_block(tlv_context *ctx, vectors *w, size_t a, size_t b)
{
	size_t n = w->start[a + 1] - w->start[a], m = w->start[b + 1] - w->start[b];

	if (n == 1 && m == 1)
	{
		size_t d = w->central->d;

		w->scaled[0] = w->whitening[a][0] * w->whitening[b][0] *
					   w->central->covariance[w->column[w->start[a]] + w->column[w->start[b]] * d];
		return TLV_OK;
	}
	read_block(w, a, b, w->block);
	TLV_TRY(tlv_gemm(ctx, false, false, w->rank[a], m, n, 1, w->whitening[a], w->rank[a], w->block,
					 n, 0, w->half, w->rank[a]));
	return tlv_gemm(ctx, false, true, w->rank[a], w->rank[b], m, 1, w->half, w->rank[a],
					w->whitening[b], w->rank[b], 0, w->scaled, w->rank[a]);
}

/* Student's test of one correlation; Bartlett's (1938) of several, of all of min(a, b). */
static double
independence(double rows, size_t a, size_t b, const double *s, size_t all)
{
	double sum = 0, weight = rows - 1 - 0.5 * (double) (a + b + 1);

	if (a == 1 && b == 1)
	{
		double square = fmin(TREE_MOST_GAUSSIAN, s[0] * s[0]);

		return 2 * tlv_student_survival(sqrt(square * (rows - 2) / (1 - square)), rows - 2);
	}
	for (size_t i = 0; i < all; i++)
		sum -= log1p(-fmin(TREE_MOST_GAUSSIAN, s[i] * s[i]));
	return weight > 0 ? tlv_chisq_survival(weight * sum, (double) (a * b)) : 1;
}

/* Huang (5.3) of the scaled columns: what whitening took away is put back. */
static tlv_status
determinant_distance(tlv_context *ctx, vectors *w, size_t a, size_t b, size_t r, double *distance)
{
	size_t n = w->start[a + 1] - w->start[a], m = w->start[b + 1] - w->start[b];
	double least = 0.5 / sqrt(w->central->rows);

	read_block(w, a, b, w->block);
	for (size_t j = 0; j < m; j++)
		for (size_t i = 0; i < n; i++)
		{
			size_t x = w->column[w->start[a] + i], y = w->column[w->start[b] + j],
				   d = w->central->d;
			double scale =
				w->central->covariance[x * (d + 1)] * w->central->covariance[y * (d + 1)];

			w->block[i + j * n] *= scale > 0 ? 1 / sqrt(scale) : 0;
		}
	TLV_TRY(tlv_singular_values(ctx, n, m, w->block, r, w->s, w->singular));
	*distance = w->log_volume[a] + w->log_volume[b];
	for (size_t i = 0; i < r; i++)
		*distance -= log(fmax(w->s[i], least));
	return TLV_OK;
}

static tlv_status
measure_pair(tlv_context *ctx, vectors *w, size_t a, size_t b, tlv_tree_distances *distances)
{
	size_t all = w->rank[a] < w->rank[b] ? w->rank[a] : w->rank[b];
	size_t wanted = w->options->states, r = all < wanted ? all : wanted;
	double rows = w->central->rows, p_value = 1, distance;

	if (r > 0)
	{
		TLV_TRY(whiten_block(ctx, w, a, b));
		if (all == 1 && w->rank[a] == 1 && w->rank[b] == 1)
			w->s[0] = fabs(w->scaled[0]);
		else
			TLV_TRY(tlv_singular_values(ctx, w->rank[a], w->rank[b], w->scaled, all, w->s,
										w->singular));
		p_value = independence(rows, w->rank[a], w->rank[b], w->s, all);
	}
	tlv_tree_distance_set(distances, a, b, r, w->s, wanted, true, rows, p_value);
	if (w->options->metric != TLV_METRIC_DETERMINANT || r == 0)
		return TLV_OK;
	TLV_TRY(determinant_distance(ctx, w, a, b, r, &distance));
	distances->distance[a * w->p + b] = distances->distance[b * w->p + a] = distance;
	return TLV_OK;
}

static tlv_status
vectors_begin(tlv_context *ctx, vectors *w)
{
	size_t p = w->p, widest;

	TLV_TRY(order_columns(ctx, w));
	widest = w->widest;
	TLV_TRY_NEW0(ctx, w->rank, p);
	TLV_TRY_NEW0(ctx, w->whitening, p);
	TLV_TRY_NEW0(ctx, w->log_volume, p);
	TLV_TRY_NEW(ctx, w->block,
				3 * widest * widest + 2 * widest + tlv_singular_values_work(widest, widest));
	w->half = w->block + widest * widest;
	w->scaled = w->half + widest * widest;
	w->s = w->scaled + widest * widest;
	w->singular = w->s + 2 * widest;
	for (size_t v = 0; v < p; v++)
		TLV_TRY(whiten_variable(ctx, w, v));
	return TLV_OK;
}

static void
vectors_end(tlv_context *ctx, vectors *w)
{
	for (size_t v = 0; w->whitening != NULL && v < w->p; v++)
		tlv_free(ctx, w->whitening[v]);
	tlv_free(ctx, w->block);
	tlv_free(ctx, w->log_volume);
	tlv_free(ctx, w->whitening);
	tlv_free(ctx, w->rank);
	tlv_free(ctx, w->column);
	tlv_free(ctx, w->start);
}

static tlv_status
measure_all(tlv_context *ctx, vectors *w, tlv_tree_distances *distances)
{
	for (size_t a = 0; a < w->p; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = a + 1; b < w->p; b++)
		{
			TLV_TRY(measure_pair(ctx, w, a, b, distances));
			if (w->widest > 8)
				TLV_TRY_CONTINUE(ctx);
		}
		tlv_report(ctx, "distances", (double) a + 1, (double) w->p);
	}
	return TLV_OK;
}

tlv_status
tlv_tree_distances_dense(tlv_context *ctx, const tlv_frame *moments,
						 const tlv_tree_distance_options *options, tlv_tree_distances *distances)
{
	tlv_dense_central central;
	vectors w = {.options = options, .central = &central};
	tlv_status status;

	if (options->states < 1 || options->states > TLV_EIGEN_LIMIT)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"hidden nodes of dimension %zu: it must be from 1 to %d", options->states,
						TLV_EIGEN_LIMIT);
	status = tlv_dense_central_compute(ctx, moments, &central);
	if (status == TLV_OK)
	{
		w.p = options->groups > 0 ? options->groups : central.d;
		status = tlv_tree_distances_create(ctx, w.p, central.rows, options, distances);
	}
	if (status == TLV_OK)
		status = vectors_begin(ctx, &w);
	if (status == TLV_OK)
		status = measure_all(ctx, &w, distances);
	vectors_end(ctx, &w);
	tlv_dense_central_free(ctx, &central);
	if (status != TLV_OK)
		tlv_tree_distances_free(ctx, distances);
	return status;
}
