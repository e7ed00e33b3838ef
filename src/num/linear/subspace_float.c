/*
 * subspace_float.c - dominant eigenvectors of a large symmetric operator by
 * subspace iteration in single precision, accelerated by Chebyshev polynomials
 * (sparse.h; Saad, Numerical Methods for Large Eigenvalue Problems, 2011,
 * chapters 5 and 7).
 *
 * Between two Rayleigh-Ritz steps the block is multiplied by a polynomial of
 * the operator that stays within 1 where the unwanted eigenvalues are and
 * grows fastest outside: the interval is known from the Ritz values, and one
 * that is too short only slows the iteration down.
 */
#include "block_float.h"
#include "tensorlv/num/lanes.h"
#include "tensorlv/num/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The polynomial's degree is the least that enlarges the k-th direction by GROWTH, ... */
#define GROWTH		10
#define DEGREE_MOST 8
/* ... by GROWTH_SMALL in few dimensions for each direction, where Rayleigh-Ritz steps cost more
 * than products; ... */
#define GROWTH_SMALL 1000
#define FEW_FOR_EACH ((size_t) 16)

typedef struct subspace
{
	const tlv_eigen_task *task;
	tlv_apply_float apply;
	void *argument;
	size_t n, k, l;	  /* those of the task */
	int steps;		  /* products with the operator */
	float *x;		  /* l x n, the block */
	float *z;		  /* its image */
	float *more;	  /* l x n, work space */
	double *b;		  /* l x l, Rayleigh quotient */
	double *rotation; /* l x l, its eigenvectors in the order of ritz */
	double *ritz;
	double *before; /* l, of the step before */
	double lowest;	/* smallest Ritz value ever seen */
	double rest;	/* with modulus: least length of the image of a direction beyond the k-th */
} subspace;

static tlv_status
apply_operator(tlv_context *ctx, subspace *s, const float *x, float *z)
{
	TLV_TRY_CONTINUE(ctx);
	s->steps++;
	return (s->apply)(ctx, s->argument, s->l, x, z);
}

/* Descending by modulus instead of by value: the two ends are merged. */
static void
order_by_modulus(subspace *s, const double *vectors, double *values)
{
	size_t l = s->l, low = l, high = 0;

	for (size_t i = 0; i < l; i++)
	{
		size_t from = fabs(values[high]) >= fabs(values[low - 1]) ? high++ : --low;

		s->ritz[i] = values[from];
		memcpy(s->rotation + i * l, vectors + from * l, l * sizeof(double));
	}
}

/*
 * The least |A v| of the Ritz vectors beyond the k-th (or of it): of what is not wanted.  Their
 * Ritz values would not tell: those of a mixture of both ends of the spectrum are about 0.
 */
static tlv_status
measure_rest(tlv_context *ctx, subspace *s)
{
	size_t l = s->l;

	TLV_TRY(tlv_gram_float(ctx, s->n, l, s->z, l, s->z, s->b));
	s->rest = INFINITY;
	for (size_t c = tlv_least(s->k, l - 1); c < l; c++)
	{
		const double *v = s->rotation + c * l;
		double sum = 0;

		for (size_t j = 0; j < l; j++)
			for (size_t i = 0; i < l; i++)
				sum += v[i] * s->b[i + j * l] * v[j];
		s->rest = fmin(s->rest, sqrt(fmax(sum, 0)));
	}
	return TLV_OK;
}

/* z = A x, its Rayleigh quotient and what that says: ritz and rotation. */
static tlv_status
rayleigh_ritz(tlv_context *ctx, subspace *s)
{
	size_t l = s->l;

	TLV_TRY(apply_operator(ctx, s, s->x, s->z));
	TLV_TRY(tlv_gram_float(ctx, s->n, l, s->x, l, s->z, s->b));
	for (size_t j = 0; j < l; j++)
		for (size_t i = 0; i < j; i++)
			s->b[j + i * l] = s->b[i + j * l] = 0.5 * (s->b[i + j * l] + s->b[j + i * l]);
	memcpy(s->before, s->ritz, l * sizeof(double));
	memcpy(s->rotation, s->b, l * l * sizeof(double));
	TLV_TRY(tlv_eigen_symmetric(ctx, l, s->rotation, s->ritz));
	s->lowest = fmin(s->lowest, s->ritz[l - 1]);
	if (s->task->modulus)
	{
		memcpy(s->b, s->rotation, l * l * sizeof(double));
		memcpy(s->b + l * l, s->ritz, l * sizeof(double));
		order_by_modulus(s, s->b, s->b + l * l);
		TLV_TRY(measure_rest(ctx, s));
	}
	return TLV_OK;
}

/* Largest change of the k leading Ritz values in relation to the largest of all. */
static double
leading_change(const subspace *s)
{
	double change = 0, largest = fmax(fabs(s->ritz[0]), -s->lowest);

	for (size_t i = 0; i < s->k; i++)
		change = fmax(change, fabs(s->ritz[i] - s->before[i]));
	return change > 0 ? change / largest : 0;
}

typedef struct interval
{
	double middle, half; /* of what is not wanted */
	int degree;
} interval;

/* |T_m| at a distance t from the middle, in units of half the interval. */
static double
chebyshev(int m, double t)
{
	return t > 1 ? cosh(m * acosh(t)) : 1;
}

static interval
choose_interval(const subspace *s)
{
	/* ... but the first may not outgrow the k-th by more than this: single precision would lose it.
	 */
	const double outgrowth_most = 1e3;
	size_t l = s->l, k = s->k;
	/* A block without room to spare: what is not wanted has not been seen. */
	double shrink = l > k ? 1 : 0.8, first = s->ritz[0], kth = s->ritz[k - 1],
		   last = s->ritz[l - 1];
	bool few = s->n < FEW_FOR_EACH * l && !s->task->started;
	double growth = few ? GROWTH_SMALL : GROWTH;
	interval v = {0, 0, 1};

	if (s->task->modulus)
		v.half = fmax(shrink * s->rest, 1e-3 * fabs(first));
	else
	{
		/* A Ritz value never exceeds the eigenvalue of its rank: the wanted ones stay outside. */
		double range = first - s->lowest;
		double upper = s->lowest + fmax(shrink * (last - s->lowest), 1e-3 * range);

		/* The true end may lie a little lower; what is beyond it grows slowly and is seen next. */
		v.middle = 0.5 * (upper + s->lowest - 0.01 * range);
		v.half = upper - v.middle;
	}
	for (double t1 = fabs(first - v.middle) / v.half, tk = fabs(kth - v.middle) / v.half;
		 v.degree < DEGREE_MOST && v.degree < s->task->max_steps - s->steps &&
		 chebyshev(v.degree, tk) < growth &&
		 chebyshev(v.degree + 1, t1) < outgrowth_most * chebyshev(v.degree + 1, tk);)
		v.degree++;
	return v;
}

/* y = a (z - middle x) - b y; y, of finite numbers, may be z. */
TLV_CLONES static void
combine_block(size_t n, float a, const float *z, float middle, const float *x, float b, float *y)
{
	/* Each number depends on those at its own place only; clang looks for itself. */
#ifndef __clang__
#pragma GCC ivdep
#endif
	for (size_t i = 0; i < n; i++)
		y[i] = a * (z[i] - middle * x[i]) - b * y[i];
}

typedef struct combination
{
	size_t l;
	double a, middle, b;
	const float *z, *x;
	float *y;
} combination;

static void
combine_rows(void *argument, size_t lane, size_t first, size_t n)
{
	const combination *c = argument;

	first *= c->l;
	combine_block(n * c->l, (float) c->a, c->z + first, (float) c->middle, c->x + first,
				  (float) c->b, c->y + first);
}

static void
divide_block(const subspace *s, tlv_lanes *lanes)
{
	tlv_lanes_divide(s->n, NULL, s->l / 16 + 1, TLV_LANES_MOST, lanes);
}

static tlv_status
combine_blocks(tlv_context *ctx, const subspace *s, combination *c)
{
	tlv_lanes lanes;

	divide_block(s, &lanes);
	return tlv_lanes_rows(ctx, &lanes, combine_rows, c);
}

/* x = T_m((A - middle) / half) x, z = A x given; z and more are overwritten. */
static tlv_status
filter_block(tlv_context *ctx, subspace *s, interval v)
{
	combination c = {s->l, 1 / v.half, v.middle, 0, s->z, s->x, s->z};

	TLV_TRY(combine_blocks(ctx, s, &c));
	for (int m = 2;; m++)
	{
		/* x: T_(m-2), z: T_(m-1) */
		float *swap = s->x;

		if (m <= v.degree)
		{
			TLV_TRY(apply_operator(ctx, s, s->z, s->more));
			c = (combination){s->l, 2 / v.half, v.middle, 1, s->more, s->z, s->x};
			TLV_TRY(combine_blocks(ctx, s, &c));
		}
		s->x = s->z;
		s->z = swap;
		if (m > v.degree)
			return TLV_OK;
	}
}

typedef struct block_scaling
{
	size_t l;
	float *x;
	float divisor;
	float largest[TLV_LANES_MOST];
} block_scaling;

static void
find_largest(void *argument, size_t lane, size_t first, size_t n)
{
	block_scaling *s = argument;
	float largest = s->largest[lane];

	for (size_t i = first * s->l; i < (first + n) * s->l; i++)
		largest = fmaxf(largest, fabsf(s->x[i]));
	s->largest[lane] = largest;
}

static void
divide_rows(void *argument, size_t lane, size_t first, size_t n)
{
	const block_scaling *s = argument;

	for (size_t i = first * s->l; i < (first + n) * s->l; i++)
		s->x[i] /= s->divisor;
}

/* Entries of modulus at most 1: products of an operator of large norm would overflow. */
static tlv_status
scale_block(tlv_context *ctx, const subspace *s, float *x)
{
	block_scaling scaling = {.l = s->l, .x = x};
	tlv_lanes lanes;

	divide_block(s, &lanes);
	TLV_TRY(tlv_lanes_rows(ctx, &lanes, find_largest, &scaling));
	for (size_t i = 0; i < lanes.count; i++)
		scaling.divisor = fmaxf(scaling.divisor, scaling.largest[i]);
	if (!(scaling.divisor > 0 && scaling.divisor <= FLT_MAX))
		return TLV_OK;
	divide_block(s, &lanes);
	return tlv_lanes_rows(ctx, &lanes, divide_rows, &scaling);
}

/* A random start is multiplied twice before its Rayleigh quotient is worth a look. */
static tlv_status
start_block(tlv_context *ctx, subspace *s, tlv_rng *rng)
{
	size_t rank;

	if (!s->task->started)
		TLV_TRY(tlv_lanes_touch(ctx, s->x, s->n * s->l * sizeof(float)));
	if (!s->task->started)
		TLV_TRY(tlv_fill_random_float(ctx, s->n * s->l, 1, s->x, rng));
	TLV_TRY(tlv_orthonormalize_roughly(ctx, s->l, s->n, s->x, rng, &rank));
	if (s->task->started || s->task->max_steps < 3)
		return TLV_OK;
	TLV_TRY(apply_operator(ctx, s, s->x, s->z));
	TLV_TRY(scale_block(ctx, s, s->z));
	TLV_TRY(apply_operator(ctx, s, s->z, s->x));
	TLV_TRY(scale_block(ctx, s, s->x));
	return tlv_orthonormalize_roughly(ctx, s->l, s->n, s->x, rng, &rank);
}

static tlv_status
iterate_float(tlv_context *ctx, subspace *s, tlv_rng *rng)
{
	size_t rank;

	TLV_TRY(start_block(ctx, s, rng));
	for (int round = 0;; round++)
	{
		TLV_TRY(rayleigh_ritz(ctx, s));
		if (s->steps >= s->task->max_steps || (s->ritz[0] == 0 && s->lowest == 0) ||
			(round > 0 && leading_change(s) < s->task->tolerance))
			return tlv_rotate_float(ctx, s->n, s->l, s->x, s->l, s->rotation);
		TLV_TRY(filter_block(ctx, s, choose_interval(s)));
		TLV_TRY(tlv_rotate_float(ctx, s->n, s->l, s->x, s->l, s->rotation));
		TLV_TRY(tlv_orthonormalize_roughly(ctx, s->l, s->n, s->x, rng, &rank));
	}
}

static tlv_status
check_eigen_task(tlv_context *ctx, const tlv_eigen_task *task)
{
	if (task->k == 0 || task->k > task->l || task->l > task->n || task->max_steps < 1)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"%zu of %zu directions in %zu dimensions, at most %d steps", task->k,
						task->l, task->n, task->max_steps);
	if (task->l > TLV_EIGEN_LIMIT)
		return tlv_fail(ctx, TLV_LIMIT, "a block of %zu directions exceeds %d", task->l,
						TLV_EIGEN_LIMIT);
	return TLV_OK;
}

/* What else the iteration needs beside x and ritz; *small and *large own it. */
static tlv_status
allocate_float(tlv_context *ctx, subspace *s, double **small, float **large)
{
	size_t l = s->l, size = s->n * l;
	bool one = s->task->max_steps == 1;

	TLV_TRY_NEW0(ctx, *small, 2 * l * l + 2 * l);
	s->b = *small;
	s->rotation = s->b + l * l + l;
	s->before = s->rotation + l * l;
	TLV_TRY_NEW(ctx, *large, one ? size : 2 * size);
	s->z = *large;
	s->more = one ? s->z : s->z + size;
	return TLV_OK;
}

tlv_status
tlv_subspace_iteration_float(tlv_context *ctx, const tlv_eigen_task *task, tlv_apply_float apply,
							 void *argument, tlv_rng *rng, float *x, double *ritz, int *steps)
{
	subspace s = {.task = task,
				  .apply = apply,
				  .argument = argument,
				  .n = task->n,
				  .k = task->k,
				  .l = task->l,
				  .x = x,
				  .ritz = ritz};
	double *small = NULL;
	float *large = NULL;
	tlv_status status;

	*steps = 0;
	TLV_TRY(check_eigen_task(ctx, task));
	memset(ritz, 0, s.l * sizeof(double));
	status = allocate_float(ctx, &s, &small, &large);
	if (status == TLV_OK)
		status = iterate_float(ctx, &s, rng);
	if (status == TLV_OK && s.x != x)
		memcpy(x, s.x, s.n * s.l * sizeof(float));
	*steps = s.steps;
	tlv_free(ctx, large);
	tlv_free(ctx, small);
	return status;
}
