/*
 * partition_views.c - the four parts of a graph, and the leaves of its
 * 3-stars carried over to one of them (partition_views.h).
 */
#include "partition_views.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* Directions beside those wanted, which speed up the iteration. */
#define BLOCK_EXTRA 10

/* Singular values of Pairs(B, C) below this part of the largest are rounding. */
#define PAIRS_FLOOR 1e-5

#define ROWS_PER_CHECK 4096

enum
{
	PART_A,
	PART_B,
	PART_C,
	PARTS
};

typedef struct partition_work
{
	const tlv_csr *out;
	size_t k, block;
	size_t centres;
	int8_t *part;	/* columns: PART_A .. PART_C, -1: in X */
	int32_t *local; /* columns: position in the part */
	size_t size[PARTS];
	float *scale[PARTS];   /* of the part's columns */
	tlv_csr leaves[PARTS]; /* all rows, in the order of the views, by the part's columns */
	tlv_csr back[PARTS];   /* transposed, of the rows in X only */
	float *basis[PARTS];   /* Q, U and V: directions x size */
	float *middle;		   /* directions x rows in X */
	float *wide;		   /* directions x the largest part */
	float *left, *right;   /* k x size of A: Pairs(A, B) U, Pairs(A, C) V */
	double *small;		   /* six times 2k x 2k */
} partition_work;

static size_t
smallest_part(const tlv_csr *out, bool bipartite)
{
	size_t leaves = bipartite ? out->columns / 3 : out->columns / 4;

	return bipartite && out->rows < leaves ? out->rows : leaves;
}

size_t
tlv_partition_block(const tlv_csr *out, bool bipartite, size_t k)
{
	size_t block = k + (k > 5 * BLOCK_EXTRA ? k / 5 : BLOCK_EXTRA);
	size_t most = smallest_part(out, bipartite);

	return block < most ? block : most;
}

/* ---- the parts ---- */

/* Every node into one of four parts at random, or every column into one of three. */
static tlv_status
split_nodes(tlv_context *ctx, partition_work *work, bool bipartite, tlv_rng *rng,
			tlv_partition_views *views)
{
	size_t columns = work->out->columns, rows = work->out->rows, others = 0;
	int parts = bipartite ? PARTS : PARTS + 1;
	int64_t *shuffled = tlv_alloc(ctx, columns, sizeof(int64_t));

	TLV_TRY_ALLOC(ctx, shuffled);
	TLV_TRY(tlv_rng_permutation(ctx, rng, columns, shuffled));
	for (size_t i = 0; i < columns; i++)
		work->part[shuffled[i]] = (int8_t) ((int) (i % (size_t) parts) + PARTS - parts);
	tlv_free(ctx, shuffled);
	for (size_t v = 0; v < columns; v++)
		if (work->part[v] >= 0)
			work->local[v] = (int32_t) work->size[work->part[v]]++;
	for (size_t u = 0; u < rows; u++)
		work->centres += bipartite || work->part[u] < 0;
	views->centres = 0;
	for (size_t u = 0; u < rows; u++)
		if (bipartite || work->part[u] < 0)
			views->order[views->centres++] = (int32_t) u;
		else
			views->order[work->centres + others++] = (int32_t) u;
	return TLV_OK;
}

static void
mixed_copy_row(const partition_work *work, size_t u, size_t *used, tlv_csr *leaves)
{
	const tlv_csr *out = work->out;

	for (size_t e = out->start[u]; e < out->start[u + 1]; e++)
	{
		int32_t v = out->index[e];
		const int8_t part = work->part[v];
		size_t at;

		if (part < 0)
			continue;
		at = used[part]++;
		leaves[part].index[at] = work->local[v];
		if (out->value != NULL)
			leaves[part].value[at] = out->value[e];
	}
}

/* The edges to each part, rows in the order of the views. */
static tlv_status
extract_leaves(tlv_context *ctx, partition_work *work, const int32_t *order)
{
	const tlv_csr *out = work->out;
	size_t entries[PARTS] = {0}, used[PARTS] = {0};

	for (size_t u = 0; u < out->rows; u++)
	{
		if (u % ROWS_PER_CHECK == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t e = out->start[u]; e < out->start[u + 1]; e++)
			if (work->part[out->index[e]] >= 0)
				entries[work->part[out->index[e]]]++;
	}
	for (int p = 0; p < PARTS; p++)
		TLV_TRY(tlv_csr_create(ctx, out->rows, work->size[p], entries[p], out->value != NULL,
							   &work->leaves[p]));
	for (size_t i = 0; i < out->rows; i++)
	{
		if (i % ROWS_PER_CHECK == 0)
			TLV_TRY_CONTINUE(ctx);
		for (int p = 0; p < PARTS; p++)
			work->leaves[p].start[i] = used[p];
		mixed_copy_row(work, (size_t) order[i], used, work->leaves);
	}
	for (int p = 0; p < PARTS; p++)
		work->leaves[p].start[out->rows] = used[p];
	return TLV_OK;
}

/* The rows in X of a part's edges; shares everything. */
static tlv_csr
centre_rows(const partition_work *work, int part)
{
	tlv_csr head = work->leaves[part];

	head.rows = work->centres;
	head.entries = head.start[work->centres];
	return head;
}

/*
 * S_j = 1/sqrt(m_j + mean(m)/4), m_j the mean of column j: columns that few rows point to would be
 * mostly noise, and those that many do would dominate.  Divided by the root of the sum of m, by
 * which the moments do not depend on the size of the graph.
 */
static tlv_status
scale_columns(tlv_context *ctx, partition_work *work, const tlv_csr *in, tlv_partition_views *views)
{
	size_t columns = in->rows;
	double *sums = tlv_alloc(ctx, columns, sizeof(double)), total = 0, added;

	TLV_TRY_ALLOC(ctx, sums);
	tlv_csr_row_sums(in, sums);
	for (size_t v = 0; v < columns; v++)
		total += sums[v];
	added = total / (double) columns / 4;
	for (size_t v = 0; v < columns; v++)
	{
		views->scale[v] = (float) ((double) in->columns / sqrt((sums[v] + added) * total));
		if (work->part[v] >= 0)
			work->scale[work->part[v]][work->local[v]] = views->scale[v];
	}
	tlv_free(ctx, sums);
	return TLV_OK;
}

static tlv_status
make_parts(tlv_context *ctx, partition_work *work, const tlv_csr *in, bool bipartite, tlv_rng *rng,
		   tlv_partition_views *views)
{
	size_t columns = work->out->columns;

	TLV_TRY_NEW(ctx, work->part, columns);
	TLV_TRY_NEW0(ctx, work->local, columns);
	TLV_TRY_NEW(ctx, views->order, work->out->rows);
	TLV_TRY_NEW(ctx, views->scale, columns);
	TLV_TRY(split_nodes(ctx, work, bipartite, rng, views));
	for (int p = 0; p < PARTS; p++)
		TLV_TRY_NEW(ctx, work->scale[p], work->size[p]);
	TLV_TRY(scale_columns(ctx, work, in, views));
	TLV_TRY(extract_leaves(ctx, work, views->order));
	for (int p = 0; p < PARTS; p++)
	{
		tlv_csr head = centre_rows(work, p);

		TLV_TRY(tlv_csr_transpose(ctx, &head, &work->back[p]));
	}
	return TLV_OK;
}

/* ---- products ---- */

static tlv_status
mixed_scale_rows(tlv_context *ctx, size_t l, size_t n, float factor, const float *scale,
				 const float *x, float *y)
{
	for (size_t i = 0; i < n; i++)
	{
		if (i % ROWS_PER_CHECK == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < l; j++)
			y[i * l + j] = factor * scale[i] * x[i * l + j];
	}
	return TLV_OK;
}

/* y (l x n_X) = G_X,part S x */
static tlv_status
to_centres(tlv_context *ctx, partition_work *work, int part, size_t l, const float *x, float *y)
{
	tlv_csr head = centre_rows(work, part);

	TLV_TRY(mixed_scale_rows(ctx, l, work->size[part], 1, work->scale[part], x, work->wide));
	return tlv_csr_multiply(ctx, &head, l, work->wide, y);
}

/* x (l x n_part) = S G_X,part' y / n_X */
static tlv_status
from_centres(tlv_context *ctx, partition_work *work, int part, size_t l, const float *y, float *x)
{
	TLV_TRY(tlv_csr_multiply(ctx, &work->back[part], l, y, x));
	return mixed_scale_rows(ctx, l, work->size[part], 1 / (float) work->centres, work->scale[part],
							x, x);
}

/* z = Pairs(C, B) Pairs(B, C) x */
static tlv_status
apply_partition_pairs(tlv_context *ctx, void *argument, size_t l, const float *x, float *z)
{
	partition_work *work = argument;

	TLV_TRY(to_centres(ctx, work, PART_C, l, x, work->middle));
	TLV_TRY(from_centres(ctx, work, PART_B, l, work->middle, work->basis[PART_B]));
	TLV_TRY(to_centres(ctx, work, PART_B, l, work->basis[PART_B], work->middle));
	return from_centres(ctx, work, PART_C, l, work->middle, z);
}

/* ---- subspaces ---- */

static tlv_status
refuse_pairs(tlv_context *ctx, size_t k, const double *values)
{
	size_t positive = 0;

	while (positive < k && values[positive] > PAIRS_FLOOR * values[0])
		positive++;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the data do not identify %zu %s", k,
			 tlv_plural((double) k, "community", "communities"));
	tlv_fail_values(ctx, "Singular values of the 2-star moment between two parts:", 3, k, values);
	return tlv_fail_hint(ctx, "At most %zu are positive: choose fewer communities.", positive);
}

/* The first k of l directions. */
static void
mixed_keep_directions(size_t k, size_t l, size_t n, float *x)
{
	for (size_t i = 0; i < n; i++)
		memmove(x + i * k, x + i * l, k * sizeof(float));
}

/*
 * U and V (k directions each) with Pairs(B, C) ~ U b V' the best approximation of
 * rank k, and inverse = b^-1.
 */
static tlv_status
factor_pairs(tlv_context *ctx, partition_work *work, tlv_rng *rng, int *steps, double *inverse)
{
	const int pairs_max_steps = 100;
	const double pairs_tolerance = 1e-4;
	size_t k = work->k, l = work->block, n_b = work->size[PART_B], n_c = work->size[PART_C];
	double *b = work->small + 4 * k * k, *u = b + 4 * k * k, *vt = u + 4 * k * k;
	double *values = vt + 4 * k * k;
	/* no eigenvalue is negative, which makes the modulus the same and the bounds closer */
	tlv_eigen_task task = {.n = n_c,
						   .k = k,
						   .l = l,
						   .tolerance = pairs_tolerance,
						   .max_steps = pairs_max_steps,
						   .modulus = true};
	size_t rank;

	TLV_TRY(tlv_subspace_iteration_float(ctx, &task, apply_partition_pairs, work, rng,
										 work->basis[PART_C], values, steps));
	mixed_keep_directions(k, l, n_c, work->basis[PART_C]);
	TLV_TRY(to_centres(ctx, work, PART_C, k, work->basis[PART_C], work->middle));
	TLV_TRY(from_centres(ctx, work, PART_B, k, work->middle, work->basis[PART_B]));
	memcpy(work->wide, work->basis[PART_B], k * n_b * sizeof(float));
	TLV_TRY(tlv_orthonormalize_float(ctx, k, n_b, work->basis[PART_B], rng, &rank));
	TLV_TRY(tlv_gram_float(ctx, n_b, k, work->basis[PART_B], k, work->wide, b));
	TLV_TRY(tlv_svd(ctx, k, k, b, u, values, vt));
	if (!(values[k - 1] > PAIRS_FLOOR * values[0]))
		return refuse_pairs(ctx, k, values);
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			u[i * k + j] /= values[i];
	/* inverse = V diag(1/s) U' */
	return tlv_gemm(ctx, true, true, k, k, k, 1, vt, k, u, k, 0, inverse, k);
}

/* An orthonormal basis of what left and right span: 2k x size of A. */
static tlv_status
join_sides(tlv_context *ctx, partition_work *work, tlv_rng *rng)
{
	size_t k = work->k, n = work->size[PART_A], rank;
	float *joint = work->basis[PART_A];

	for (size_t i = 0; i < n; i++)
	{
		memcpy(joint + 2 * k * i, work->left + k * i, k * sizeof(float));
		memcpy(joint + 2 * k * i + k, work->right + k * i, k * sizeof(float));
	}
	return tlv_orthonormalize_float(ctx, 2 * k, n, joint, rng, &rank);
}

/*
 * Q (k directions): dominant eigenvectors of the symmetrised
 * M = Z_C Pairs(C, B) Z_B' = [Pairs(A, B) U] b^-T [Pairs(A, C) V]'.
 */
static tlv_status
find_partition_basis(tlv_context *ctx, partition_work *work, tlv_rng *rng, const double *inverse)
{
	size_t k = work->k, w = 2 * k, n = work->size[PART_A];
	double *left = work->small + 4 * k * k, *right = left + 4 * k * k;
	double *product = right + 4 * k * k, *m = product + 4 * k * k, *values = m + 4 * k * k;

	TLV_TRY(to_centres(ctx, work, PART_B, k, work->basis[PART_B], work->middle));
	TLV_TRY(from_centres(ctx, work, PART_A, k, work->middle, work->left));
	TLV_TRY(to_centres(ctx, work, PART_C, k, work->basis[PART_C], work->middle));
	TLV_TRY(from_centres(ctx, work, PART_A, k, work->middle, work->right));
	TLV_TRY(join_sides(ctx, work, rng));
	TLV_TRY(tlv_gram_float(ctx, n, w, work->basis[PART_A], k, work->left, left));
	TLV_TRY(tlv_gram_float(ctx, n, w, work->basis[PART_A], k, work->right, right));
	TLV_TRY(tlv_gemm(ctx, false, true, w, k, k, 1, left, w, inverse, k, 0, product, w));
	TLV_TRY(tlv_gemm(ctx, false, true, w, w, k, 0.5, product, w, right, w, 0, m, w));
	TLV_TRY(tlv_gemm(ctx, false, true, w, w, k, 0.5, right, w, product, w, 1, m, w));
	TLV_TRY(tlv_eigen_symmetric(ctx, w, m, values));
	return tlv_rotate_float(ctx, n, w, work->basis[PART_A], k, m);
}

/* U <- (Q'R b^-1) U and V <- (Q'L b^-T) V: the columns of Q'Z_B and Q'Z_C. */
static tlv_status
carry_over(tlv_context *ctx, partition_work *work, const double *inverse)
{
	size_t k = work->k, n = work->size[PART_A];
	double *side = work->small + 4 * k * k, *rotation = side + 4 * k * k;

	TLV_TRY(tlv_gram_float(ctx, n, k, work->right, k, work->basis[PART_A], side));
	TLV_TRY(tlv_gemm(ctx, true, false, k, k, k, 1, inverse, k, side, k, 0, rotation, k));
	TLV_TRY(tlv_rotate_float(ctx, work->size[PART_B], k, work->basis[PART_B], k, rotation));
	TLV_TRY(tlv_gram_float(ctx, n, k, work->left, k, work->basis[PART_A], side));
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, inverse, k, side, k, 0, rotation, k));
	return tlv_rotate_float(ctx, work->size[PART_C], k, work->basis[PART_C], k, rotation);
}

static tlv_status
allocate_blocks(tlv_context *ctx, partition_work *work)
{
	size_t k = work->k, directions = work->block > 2 * k ? work->block : 2 * k, largest = 0;

	for (int p = 0; p < PARTS; p++)
	{
		TLV_TRY_NEW(ctx, work->basis[p], directions * work->size[p]);
		largest = work->size[p] > largest ? work->size[p] : largest;
	}
	TLV_TRY_NEW(ctx, work->middle, work->block * work->centres);
	TLV_TRY_NEW(ctx, work->wide, work->block * largest);
	/* left is also the work space of the iteration, which is over part C */
	TLV_TRY_NEW(ctx, work->left, work->block * largest);
	TLV_TRY_NEW(ctx, work->right, k * work->size[PART_A]);
	TLV_TRY_NEW(ctx, work->small, 24 * k * k + work->block);
	return TLV_OK;
}

static tlv_status
compute_partition_views(tlv_context *ctx, partition_work *work, const tlv_csr *in, bool bipartite,
						const tlv_partition_options *options, tlv_partition_views *views)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, options->seed);
	TLV_TRY(make_parts(ctx, work, in, bipartite, &rng, views));
	TLV_TRY(allocate_blocks(ctx, work));
	TLV_TRY(factor_pairs(ctx, work, &rng, &views->steps, work->small));
	TLV_TRY(find_partition_basis(ctx, work, &rng, work->small));
	TLV_TRY(carry_over(ctx, work, work->small));
	for (int p = 0; p < PARTS; p++)
	{
		TLV_TRY_NEW(ctx, views->y[p], views->k * views->rows);
		TLV_TRY(mixed_scale_rows(ctx, work->k, work->size[p], 1, work->scale[p], work->basis[p],
								 work->basis[p]));
		TLV_TRY(tlv_csr_multiply(ctx, &work->leaves[p], work->k, work->basis[p], views->y[p]));
	}
	return TLV_OK;
}

static void
free_partition_work(tlv_context *ctx, partition_work *work)
{
	for (int p = 0; p < PARTS; p++)
	{
		tlv_free(ctx, work->scale[p]);
		tlv_csr_free(ctx, &work->leaves[p]);
		tlv_csr_free(ctx, &work->back[p]);
		tlv_free(ctx, work->basis[p]);
	}
	tlv_free(ctx, work->part);
	tlv_free(ctx, work->local);
	tlv_free(ctx, work->middle);
	tlv_free(ctx, work->wide);
	tlv_free(ctx, work->left);
	tlv_free(ctx, work->right);
	tlv_free(ctx, work->small);
}

tlv_status
tlv_partition_views_compute(tlv_context *ctx, const tlv_csr *out, const tlv_csr *in, bool bipartite,
							const tlv_partition_options *options, tlv_partition_views *views)
{
	partition_work work = {.out = out, .k = options->k};
	tlv_status status;

	memset(views, 0, sizeof(*views));
	views->k = options->k;
	views->rows = out->rows;
	work.block = tlv_partition_block(out, bipartite, options->k);
	status = compute_partition_views(ctx, &work, in, bipartite, options, views);
	free_partition_work(ctx, &work);
	if (status != TLV_OK)
		tlv_partition_views_free(ctx, views);
	return status;
}

void
tlv_partition_views_free(tlv_context *ctx, tlv_partition_views *views)
{
	tlv_free(ctx, views->order);
	tlv_free(ctx, views->scale);
	for (int p = 0; p < PARTS; p++)
		tlv_free(ctx, views->y[p]);
	memset(views, 0, sizeof(*views));
}
