/*
 * distance.c - information distances and what they have in common for all kinds of
 * variables (tree_structure.h).
 *
 * d_ab = - sum of log s_i over the canonical correlations s_i of two variables, which multiply
 * along the paths of a tree, so that d adds up.  By the delta method its variance is the sum of
 * (1 - s_i^2)^2 / (s_i^2 n) for Gaussian numbers.  For categories it is larger and depends on the
 * table: (1 - s^2) / (s^2 n) is right for two evenly split variables of two states and stands for
 * all.
 */
#include "tensorlv/model/tree_structure.h"

#include <math.h>
#include <string.h>

tlv_status
tlv_tree_distances_create(tlv_context *ctx, size_t p, double rows,
						  const tlv_tree_distance_options *options, tlv_tree_distances *distances)
{
	memset(distances, 0, sizeof(*distances));
	if (!(options->shrinkage >= 0) || !isfinite(options->shrinkage))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the shrinkage is %g: it must be 0 or greater, and finite",
						options->shrinkage);
	if (p < 1)
		return tlv_fail(ctx, TLV_BAD_DATA, "distances need at least one variable");
	if (!(rows >= TREE_LEAST_ROWS))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "distances need at least %d rows, there are %g",
				 TREE_LEAST_ROWS, rows);
		return tlv_fail_hint(ctx, "How variables depend on each other shows in many rows.");
	}
	TLV_TRY(
		tlv_require_memory(ctx, 3.0 * sizeof(double) * (double) p * (double) p, "the distances"));
	distances->p = p;
	distances->rows = rows;
	distances->distance = tlv_alloc0(ctx, p, p * sizeof(double));
	distances->error = tlv_alloc0(ctx, p, p * sizeof(double));
	distances->independent = tlv_alloc0(ctx, p, p * sizeof(double));
	if (distances->distance != NULL && distances->error != NULL && distances->independent != NULL)
		return TLV_OK;
	tlv_tree_distances_free(ctx, distances);
	return ctx->error.code;
}

void
tlv_tree_distances_free(tlv_context *ctx, tlv_tree_distances *distances)
{
	tlv_free(ctx, distances->independent);
	tlv_free(ctx, distances->error);
	tlv_free(ctx, distances->distance);
	memset(distances, 0, sizeof(*distances));
}

void
tlv_tree_distance_set(tlv_tree_distances *distances, size_t a, size_t b, size_t r, double *s,
					  size_t wanted, bool gaussian, double rows, double p_value)
{
	double least = 0.5 / sqrt(distances->rows), sum = 0, variance = 0, scale;
	double most = gaussian ? TREE_MOST_GAUSSIAN : TREE_MOST_CATEGORY;
	double excess = rows > 0 ? 1 / rows - 1 / distances->rows : 0;
	size_t ab = a * distances->p + b, ba = b * distances->p + a, known = r;

	if (known == 0)
	{
		s[0] = least;
		r = 1;
		rows = distances->rows;
		p_value = 1;
	}
	for (size_t i = 0; i < r; i++)
	{
		double square = s[i] * s[i], rest = 1 - fmin(1, square);

		/* A squared correlation is overstated by (1 - s^2)^2 / n. */
		if (known > 0 && excess > 0)
			square -= rest * rest * excess;
		s[i] = fmin(most, fmax(least, sqrt(fmax(0, square))));
		rest = 1 - s[i] * s[i];
		sum -= log(s[i]);
		variance += (gaussian ? rest * rest : rest) / (s[i] * s[i] * rows);
	}
	scale = (double) wanted / (double) r;
	distances->distance[ab] = distances->distance[ba] = scale * sum;
	distances->error[ab] = distances->error[ba] = scale * sqrt(variance);
	p_value = isnan(p_value) ? 1 : fmin(1, fmax(0, p_value));
	distances->independent[ab] = distances->independent[ba] = p_value;
}
