/*
 * block_float.c - Gram matrices, rotations and orthonormal bases of tall
 * single-precision blocks (sparse.h).
 */
#include "block_float.h"
#include "orthonormal.h"

#include "tensorlv/num/lanes.h"
#include "tensorlv/num/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Columns per call so that `flops_per_column` of each are short work. */
static size_t
block_columns(size_t most, double flops_per_column)
{
	/* Work of one BLAS call: about 0.02 s on one current core. */
	const double block_flops = 2e9;
	double columns = block_flops / (flops_per_column + 1);

	return columns < 16 ? 16 : tlv_least(most, (size_t) columns);
}

static tlv_status
check_directions(tlv_context *ctx, size_t l)
{
	/* The eigenproblem of l x l is dense, and one call of it must be short. */
	if (l > TLV_EIGEN_LIMIT)
		return tlv_fail(ctx, TLV_LIMIT, "a block of %zu directions exceeds %d", l, TLV_EIGEN_LIMIT);
	return TLV_OK;
}

TLV_CLONES static void
add_to_double(size_t n, const float *restrict from, double *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += (double) from[i];
}

/* The lanes of n columns of so much work each, at most `most`. */
static void
divide_columns(size_t n, double flops_per_column, size_t most, tlv_lanes *lanes)
{
	/* About what 10 ns do in single precision: a unit of lanes.h. */
	const int unit_flops = 400;
	tlv_lanes_divide(n, NULL, (size_t) (flops_per_column / unit_flops) + 1, most, lanes);
}

/* Lanes whose steps call the BLAS: one after the other where it may not be called by threads. */
static tlv_status
run_blas_lanes(tlv_context *ctx, const tlv_lanes *lanes, tlv_lane_step step, void *argument)
{
	int threads = ctx->threads;
	tlv_status status;

	if (!tlv_blas_in_threads())
		ctx->threads = 1;
	status = tlv_lanes_run(ctx, lanes->count, step, argument);
	ctx->threads = threads;
	return status;
}

/* Blocks of columns that make a step. */
static size_t
step_blocks(size_t width, double flops_per_column)
{
	/* Work of a step of a lane. */
	const double step_flops = 1e8;

	return 1 + (size_t) (step_flops / (flops_per_column * (double) width));
}

typedef struct gram_job
{
	size_t la, lb, width, blocks;
	const float *x, *y;
	float *part;  /* of every lane, la x lb */
	double *gram; /* of every lane, la x lb; only the lower triangle when x == y */
	tlv_lanes lanes;
} gram_job;

static bool
step_gram(void *argument, size_t lane)
{
	gram_job *job = argument;
	size_t size = job->la * job->lb, *j = &job->lanes.next[lane], end = job->lanes.end[lane];
	int a = (int) job->la, b = (int) job->lb;
	float *part = job->part + lane * size;

	for (size_t i = 0; i < job->blocks && *j < end; i++)
	{
		int columns = (int) tlv_least(job->width, end - *j);

		if (job->x == job->y && a == b)
			cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, a, columns, 1,
						job->x + *j * job->la, a, 0, part, a);
		else
			cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, a, b, columns, 1,
						job->x + *j * job->la, a, job->y + *j * job->lb, b, 0, part, a);
		add_to_double(size, part, job->gram + lane * size);
		*j += (size_t) columns;
	}
	return *j < end;
}

/* gram (zeroed by the caller) += x y'; only the lower triangle when x == y. */
static tlv_status
add_products(tlv_context *ctx, gram_job *job, double *gram)
{
	size_t size = job->la * job->lb;
	tlv_status status;

	TLV_TRY_NEW0_ROWS(ctx, job->gram, job->lanes.count, size);
	job->part = tlv_alloc0(ctx, job->lanes.count * size, sizeof(float));
	status = job->part == NULL ? ctx->error.code : run_blas_lanes(ctx, &job->lanes, step_gram, job);
	for (size_t lane = 0; lane < job->lanes.count && status == TLV_OK; lane++)
		for (size_t i = 0; i < size; i++)
			gram[i] += job->gram[lane * size + i];
	tlv_free(ctx, job->part);
	tlv_free(ctx, job->gram);
	return status;
}

tlv_status
tlv_gram_float(tlv_context *ctx, size_t n, size_t la, const float *x, size_t lb, const float *y,
			   double *gram)
{
	/* Columns whose products are summed in single precision before they go into a double. */
	const int gram_columns = 4096;
	double flops = 2.0 * (double) la * (double) lb;
	gram_job job = {.la = la, .lb = lb, .x = x, .y = y};

	TLV_TRY(check_directions(ctx, la));
	TLV_TRY(check_directions(ctx, lb));
	memset(gram, 0, la * lb * sizeof(double));
	if (la == 0 || lb == 0)
		return TLV_OK;
	job.width = block_columns(gram_columns, flops);
	job.blocks = step_blocks(job.width, flops);
	/* sums of lanes take no more than a quarter of what x and y do */
	divide_columns(n, flops, n / (8 * (la > lb ? la : lb)) + 1, &job.lanes);
	TLV_TRY(add_products(ctx, &job, gram));
	if (x == y && la == lb)
		for (size_t j = 0; j < la; j++)
			for (size_t i = j + 1; i < la; i++)
				gram[j + i * la] = gram[i + j * la];
	return TLV_OK;
}

/* y = r' x by blocks of columns. */
typedef struct transform_job
{
	size_t l, m, stride, width, blocks;
	const float *x, *r;
	float *y;
	float *copy; /* of every lane, l x width: of a block of x where y is x; else NULL */
	tlv_lanes lanes;
} transform_job;

static bool
step_transform(void *argument, size_t lane)
{
	transform_job *job = argument;
	size_t l = job->l, *j = &job->lanes.next[lane], end = job->lanes.end[lane];

	for (size_t i = 0; i < job->blocks && *j < end; i++)
	{
		size_t columns = tlv_least(job->width, end - *j);
		const float *x = job->x + *j * l;

		if (job->copy != NULL)
			x = memcpy(job->copy + lane * l * job->width, x, columns * l * sizeof(float));
		cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int) job->m, (int) columns, (int) l,
					1, job->r, (int) l, x, (int) l, 0, job->y + *j * job->stride,
					(int) job->stride);
		*j += columns;
	}
	return *j < end;
}

/* The rotation in single precision, the copies' room, and the product. */
static tlv_status
transform_columns(tlv_context *ctx, size_t n, const double *r, transform_job *job)
{
	double flops = 2.0 * (double) job->l * (double) job->m;
	bool copies = job->x == job->y;
	size_t size = job->l * job->m, room, longest = 0;
	float *work;
	tlv_status status;

	job->width = tlv_least(n, block_columns(1024, flops));
	job->blocks = step_blocks(job->width, flops);
	/* what is written lies before what is read: in order only, unless all columns stay in place */
	divide_columns(n, flops, copies && job->m < job->l ? 1 : TLV_LANES_MOST, &job->lanes);
	/* no block is wider than its lane */
	for (size_t i = 0; i < job->lanes.count; i++)
		longest = longest < job->lanes.end[i] - job->lanes.next[i]
					  ? job->lanes.end[i] - job->lanes.next[i]
					  : longest;
	job->width = tlv_least(job->width, longest);
	room = copies ? job->lanes.count * job->l * job->width : 0;
	TLV_TRY_NEW(ctx, work, size + room);
	for (size_t i = 0; i < size; i++)
		work[i] = (float) r[i];
	job->r = work;
	job->copy = copies ? work + size : NULL;
	status = run_blas_lanes(ctx, &job->lanes, step_transform, job);
	tlv_free(ctx, work);
	return status;
}

tlv_status
tlv_rotate_float(tlv_context *ctx, size_t n, size_t l, float *x, size_t m, const double *r)
{
	transform_job job = {.l = l, .m = m, .stride = m, .x = x, .y = x};

	if (m > l)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu combinations of %zu directions", m, l);
	TLV_TRY(check_directions(ctx, l));
	return m == 0 || n == 0 ? TLV_OK : transform_columns(ctx, n, r, &job);
}

tlv_status
tlv_transform_float(tlv_context *ctx, size_t n, size_t l, const float *x, size_t m, const double *r,
					size_t stride, float *y)
{
	transform_job job = {.l = l, .m = m, .stride = stride, .x = x, .y = y};

	if (stride < m)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu rows do not fit %zu", m, stride);
	return m == 0 || n == 0 ? TLV_OK : transform_columns(ctx, n, r, &job);
}

/* ---- orthonormal bases ---- */

/* The sum of four uniforms of 16 bits has mean 131070 and variance 4 (2^32 - 1) / 12. */
static inline float
nearly_normal(tlv_rng *rng)
{
	uint64_t word = tlv_rng_next(rng);
	uint64_t sum = (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);

	return (float) ((double) (int64_t) sum - 131070) * (float) (1 / 37837.2272);
}

tlv_status
tlv_fill_random_float(tlv_context *ctx, size_t n, size_t stride, float *x, tlv_rng *rng)
{
	const size_t block = 1000000;

	for (size_t first = 0; first < n; first += block)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t i = first; i < first + tlv_least(block, n - first); i++)
			x[i * stride] = nearly_normal(rng);
	}
	return TLV_OK;
}

/*
 * A direction that keeps less than this part of its length is dependent to rounding.  What it keeps
 * in all rounds counts together: roundings of a dependent direction keep little of theirs where
 * they are of the same directions (rows of x that are equal, leaves of a star), and may then be new
 * directions where edges of blocks round otherwise.
 */
#define DEPENDENT 4e-6

typedef struct ortho_work
{
	double *gram;	  /* l x l */
	double *rotation; /* l x l */
	double *scale;	  /* what makes each direction a unit vector */
	double *kept;	  /* of its length since it came */
	bool *replaced;	  /* by a random direction */
} ortho_work;

/* x = L^-1 diag(scale) x, as one rotation by the transposed of that matrix. */
static tlv_status
apply_factor_float(tlv_context *ctx, size_t l, size_t n, ortho_work *w, float *x)
{
	if (LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', (lapack_int) l, w->gram, (lapack_int) l) !=
		0)
		return tlv_fail(ctx, TLV_BAD_DATA, "a triangular matrix is singular");
	for (size_t j = 0; j < l; j++)
		for (size_t i = 0; i < l; i++)
			w->rotation[j + i * l] = i >= j ? w->gram[i + j * l] * w->scale[j] : 0;
	return tlv_rotate_float(ctx, n, l, x, l, w->rotation);
}

/* Lengths; directions without one become random, and where they have been unit vectors also those
 * that have kept too little.  Their number is *fresh. */
static tlv_status
scale_directions(tlv_context *ctx, size_t l, size_t n, bool unit, float *x, ortho_work *w,
				 tlv_rng *rng, size_t *fresh)
{
	*fresh = 0;
	for (size_t i = 0; i < l; i++)
	{
		double length = sqrt(w->gram[i + i * l]);

		if (!isfinite(length))
			return tlv_fail(ctx, TLV_BAD_DATA, "a basis has entries that are not finite");
		if (unit)
			w->kept[i] *= length;
		if (length > 0 && w->kept[i] > DEPENDENT)
		{
			w->scale[i] = 1 / length;
			continue;
		}
		TLV_TRY(tlv_fill_random_float(ctx, n, l, x + i, rng));
		w->kept[i] = 1;
		w->replaced[i] = true;
		(*fresh)++;
	}
	return TLV_OK;
}

static tlv_status
orthonormalize_rounds_float(tlv_context *ctx, size_t l, size_t n, float *x, ortho_work *w,
							tlv_rng *rng)
{
	/* A round whose pivots are all above this leaves the directions orthonormal to 1e-5. */
	const double rough_pivot = 1e-2;
	/* A direction that keeps less than this part (squared) of its length is taken out again first.
	 */
	const double suspicious_pivot = 1e-4;
	double smallest = 0;

	for (int round = 0; smallest < rough_pivot; round++)
	{
		size_t fresh;

		if (round == 20)
			return tlv_fail(ctx, TLV_BAD_DATA,
							"a basis cannot be made orthonormal: numbers too large or too small");
		TLV_TRY(tlv_gram_float(ctx, n, l, x, l, x, w->gram));
		TLV_TRY(scale_directions(ctx, l, n, round > 0, x, w, rng, &fresh));
		if (fresh > 0)
		{
			TLV_TRY(tlv_gram_float(ctx, n, l, x, l, x, w->gram));
			TLV_TRY(scale_directions(ctx, l, n, false, x, w, rng, &fresh));
		}
		for (size_t j = 0; j < l; j++)
			for (size_t i = 0; i < l; i++)
				w->gram[i + j * l] *= w->scale[i] * w->scale[j];
		TLV_TRY(tlv_guarded_cholesky(ctx, l, suspicious_pivot, w->gram, &smallest));
		TLV_TRY(apply_factor_float(ctx, l, n, w, x));
	}
	return TLV_OK;
}

tlv_status
tlv_orthonormalize_roughly(tlv_context *ctx, size_t l, size_t n, float *x, tlv_rng *rng,
						   size_t *rank)
{
	ortho_work w;
	double *block;
	tlv_status status;

	*rank = 0;
	if (l > n)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu directions in %zu dimensions", l, n);
	TLV_TRY(check_directions(ctx, l));
	if (l == 0)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, block, l * (2 * l + 3));
	w.gram = block;
	w.rotation = block + l * l;
	w.scale = block + 2 * l * l;
	w.kept = w.scale + l;
	w.replaced = (bool *) (w.kept + l);
	for (size_t i = 0; i < l; i++)
		w.kept[i] = 1;
	status = orthonormalize_rounds_float(ctx, l, n, x, &w, rng);
	for (size_t i = 0; i < l; i++)
		*rank += !w.replaced[i];
	tlv_free(ctx, block);
	return status;
}
