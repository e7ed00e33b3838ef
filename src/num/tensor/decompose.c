/*
 * decompose.c - the solver core: checks, what the methods share, and the
 * common form of their results (decompose.h).
 */
#include "tensorlv/num/decompose.h"

#include <math.h>
#include <string.h>

#include "decompose_internal.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/tensor3.h"

static const struct
{
	const char *name;
	tlv_status (*run)(tlv_solver *solver);
	double (*memory)(size_t k, const tlv_decompose_options *options);
} METHODS[] = {
	[TLV_METHOD_JOINT] = {"joint", tlv_decompose_joint, tlv_joint_memory},
	[TLV_METHOD_POWER] = {"power", tlv_decompose_power, tlv_power_memory},
	[TLV_METHOD_ALS] = {"als", tlv_decompose_als, tlv_als_memory},
	[TLV_METHOD_SGD] = {"sgd", tlv_decompose_sgd, tlv_sgd_memory},
	[TLV_METHOD_FLATTENING] = {"flattening", tlv_decompose_flattening, tlv_flattening_memory},
	[TLV_METHOD_JENNRICH] = {"jennrich", tlv_decompose_jennrich, tlv_jennrich_memory},
	[TLV_METHOD_SIMULTANEOUS] = {"simultaneous", tlv_decompose_simultaneous,
								 tlv_simultaneous_memory},
	[TLV_METHOD_ADAPTIVE] = {"adaptive", tlv_decompose_adaptive, tlv_adaptive_memory},
	[TLV_METHOD_ADAPTIVE_TRACE] = {"adaptive-trace", tlv_decompose_adaptive, tlv_adaptive_memory},
	[TLV_METHOD_ADAPTIVE_SVD] = {"adaptive-svd", tlv_decompose_adaptive, tlv_adaptive_memory},
	[TLV_METHOD_SKETCH] = {"sketch", tlv_decompose_sketch, tlv_sketch_memory},
};
#define N_METHODS (sizeof(METHODS) / sizeof(METHODS[0]))

const char *
tlv_method_name(tlv_method method)
{
	return (size_t) method < N_METHODS ? METHODS[method].name : "unknown";
}

/* ---- what the methods share ---- */

void
tlv_fill_half(size_t k, const double *packed, double factor, size_t stride, double *out)
{
	/* Entries c <= a of the pair (a, b): from level a of the packed tensor. */
	for (size_t a = 0; a < k; a++)
	{
		const double *level = packed + tlv_packed3_index(a, 0, 0);

		for (size_t b = 0; b <= a; b++)
		{
			double *column = out + stride * tlv_packed2_index(a, b);

			for (size_t c = 0; c <= b; c++)
				column[c] = factor * level[b * (b + 1) / 2 + c];
			for (size_t c = b + 1; c <= a; c++)
				column[c] = factor * level[c * (c + 1) / 2 + b];
		}
	}
	/* Entries c > a: row c begins with level c, 8 levels at a time to fill cache lines. */
	for (size_t c0 = 0; c0 < k; c0 += 8)
		for (size_t a = 0, pair = 0; a < k && a < c0 + 7; a++)
		{
			size_t first = a + 1 > c0 ? a + 1 : c0, end = c0 + 8 < k ? c0 + 8 : k;

			for (size_t b = 0; b <= a; b++, pair++)
				for (size_t c = first; c < end; c++)
					out[c + stride * pair] = factor * packed[tlv_packed3_index(c, 0, 0) + pair];
		}
}

TLV_CLONES void
tlv_pairs_multiply(size_t n, size_t first, size_t end, const double *restrict x,
				   const double *restrict y, double *out)
{
	for (size_t i = first; i < end; i++)
	{
		const double *restrict yi = y + i * n;
		double *restrict oi = out + i * n;

		for (size_t j = 0; j < i; j++, x += n)
		{
			const double *restrict yj = y + j * n;
			double *restrict oj = out + j * n;

			for (size_t l = 0; l < n; l++)
			{
				oi[l] += x[l] * yj[l];
				oj[l] += x[l] * yi[l];
			}
		}
		for (size_t l = 0; l < n; l++)
			oi[l] += x[l] * yi[l];
		x += n;
	}
}

tlv_status
tlv_solver_apply(tlv_solver *solver, size_t n, const double *x, const double *y, double *out)
{
	size_t k = solver->k, end;

	memset(out, 0, n * k * sizeof(double));
	for (size_t first = 0; first < k; first = end)
	{
		size_t start = tlv_packed2_index(first, 0), pairs = first + 1;

		for (end = first + 1; end < k && (pairs + end + 1) * n <= solver->block_size; end++)
			pairs += end + 1;
		TLV_TRY(tlv_gemm(solver->ctx, false, false, n, pairs, k, 1, x, n, solver->half + start * k,
						 k, 0, solver->block, n));
		tlv_pairs_multiply(n, first, end, solver->block, y, out);
	}
	return TLV_OK;
}

TLV_CLONES void
tlv_rows_dot(size_t n, size_t k, const double *restrict x, const double *restrict y,
			 double *restrict values)
{
	for (size_t l = 0; l < n; l++)
		values[l] = 0;
	for (size_t j = 0; j < k; j++)
		for (size_t l = 0; l < n; l++)
			values[l] += x[l + j * n] * y[l + j * n];
}

TLV_CLONES void
tlv_rows_scale(size_t n, size_t k, double *restrict x, const double *restrict factor)
{
	for (size_t j = 0; j < k; j++)
		for (size_t l = 0; l < n; l++)
			x[l + j * n] *= factor[l];
}

void
tlv_rows_normalize(size_t n, size_t k, double *x, double *lengths)
{
	tlv_rows_dot(n, k, x, x, lengths);
	for (size_t l = 0; l < n; l++)
		lengths[l] = lengths[l] > 0 ? 1 / sqrt(lengths[l]) : 1;
	tlv_rows_scale(n, k, x, lengths);
	for (size_t l = 0; l < n; l++)
		lengths[l] = 1 / lengths[l];
}

/* ---- the result ---- */

/* ||T - sum l v^3||^2 / ||T||^2, entry by entry; work holds 2 k x k. */
static tlv_status
orthogonal_direct_residual(tlv_solver *solver, const double *values, double *work, double *residual)
{
	size_t k = solver->k;
	double *scaled = work, *sum = work + k * k;

	*residual = 0;
	for (size_t a = 0; a < k; a++)
	{
		const double *level = solver->packed + tlv_packed3_index(a, 0, 0);

		for (size_t j = 0; j < k; j++)
			for (size_t l = 0; l < k; l++)
				scaled[l + j * k] =
					values[l] * solver->vectors[l + a * k] * solver->vectors[l + j * k];
		TLV_TRY(tlv_gemm(solver->ctx, true, false, a + 1, a + 1, k, 1, scaled, k, solver->vectors,
						 k, 0, sum, k));
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
			{
				double miss = level[b * (b + 1) / 2 + c] / solver->scale - sum[c + b * k];

				*residual += (a == b && b == c ? 1 : a == b || b == c ? 3 : 6) * miss * miss;
			}
	}
	*residual /= solver->norm2;
	return TLV_OK;
}

/*
 * ||T - sum l v^3|| / ||T|| for values l_i = T(v_i, v_i, v_i): by the sum of squares, or where
 * nothing would be left of that but rounding, entry by entry.  work holds 2 k x k.
 */
static tlv_status
relative_residual(tlv_solver *solver, const double *values, double *work, double *residual)
{
	size_t k = solver->k;
	double explained = 0;

	if (solver->orthonormal)
		for (size_t i = 0; i < k; i++)
			explained += values[i] * values[i];
	else
	{
		/* 2 <T, S> - ||S||^2, S the sum, whose products are cubes of cosines. */
		TLV_TRY(tlv_syrk(solver->ctx, false, k, k, 1, solver->vectors, k, 0, work, k, true));
		for (size_t i = 0; i < k; i++)
		{
			explained += 2 * values[i] * values[i];
			for (size_t j = 0; j < k; j++)
				explained -= values[i] * values[j] * pow(work[i + j * k], 3);
		}
	}
	*residual = fmax(0, 1 - explained / solver->norm2);
	if (*residual < TLV_CANCELLED_RESIDUAL && solver->packed != NULL)
		TLV_TRY(orthogonal_direct_residual(solver, values, work, residual));
	*residual = sqrt(*residual);
	return TLV_OK;
}

/* Values, signs, residual, and the components in ascending order of value. */
static tlv_status
finish_decomposition(tlv_solver *solver, double *work)
{
	size_t k = solver->k;
	tlv_decomposition *out = solver->out;
	double *values = work, *images = work + k;

	TLV_TRY(tlv_solver_apply(solver, k, solver->vectors, solver->vectors, images));
	tlv_rows_dot(k, k, images, solver->vectors, values);
	TLV_TRY(relative_residual(solver, values, images, &out->residual));
	out->objective = 0;
	for (size_t place = 0; place < k; place++)
	{
		size_t least = k;
		double sign;

		for (size_t l = 0; l < k; l++)
			if (!isnan(values[l]) && (least == k || fabs(values[l]) < fabs(values[least])))
				least = l;
		if (least == k)
			return tlv_fail(solver->ctx, TLV_BAD_DATA, "the decomposition diverged");
		sign = values[least] < 0 ? -1 : 1;
		out->values[place] = fabs(values[least]) * solver->scale;
		out->objective += out->values[place] * out->values[place];
		for (size_t j = 0; j < k; j++)
			out->vectors[j + place * k] = sign * solver->vectors[least + j * k];
		values[least] = NAN; /* taken */
	}
	tlv_assert(tlv_ascends(k, out->values));
	return TLV_OK;
}

/* ---- the call ---- */

static double
least_of(double a, double b)
{
	return a < b ? a : b;
}

/* Doubles of the work block: about 1 MB, but at least one row of pairs for k vectors. */
static double
block_doubles(size_t k, const tlv_decompose_options *options)
{
	double vectors = (double) k;
	bool starts =
		options->method == TLV_METHOD_POWER ||
		(options->method >= TLV_METHOD_ADAPTIVE && options->method <= TLV_METHOD_ADAPTIVE_SVD);

	if (starts && options->restarts > (int) k)
		vectors = options->restarts;
	else if (starts)
		vectors = fmax(vectors, 50);
	return fmax(least_of(131072, vectors * (double) tlv_packed2_size(k)), vectors * (double) k);
}

/* Doubles that the solver itself holds: tensor, block, vectors and the work of
 * finish_decomposition(). */
static double
solver_doubles(size_t k, const tlv_decompose_options *options)
{
	double n = (double) k;

	return n * (double) tlv_packed2_size(k) + block_doubles(k, options) + 3 * n * n + n;
}

double
tlv_decompose_memory(size_t k, const tlv_decompose_options *options)
{
	if ((size_t) options->method >= N_METHODS)
		return 0;
	/* Headers and alignment of about 20 blocks. */
	return 8 * (solver_doubles(k, options) + METHODS[options->method].memory(k, options)) + 2048;
}

static tlv_status
check_decompose_options(tlv_context *ctx, size_t k, const tlv_decompose_options *o)
{
	if (k == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the number of components must be at least 1");
	if (k > 1000)
		return tlv_fail(ctx, TLV_LIMIT, "a tensor of dimension %zu is too large to decompose", k);
	if ((size_t) o->method >= N_METHODS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "unknown decomposition method %d", (int) o->method);
	if (o->method == TLV_METHOD_JENNRICH && k > TLV_GENERAL_LIMIT)
		return tlv_fail(ctx, TLV_LIMIT,
						"a tensor of dimension %zu is too large for method \"jennrich\"", k);
	if (o->starts < 0 || o->restarts < 0 || o->steps < 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "starts, restarts and steps must not be negative");
	if (!(o->tolerance >= 0 && o->tolerance < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the tolerance must be at least 0 and below 1");
	return TLV_OK;
}

static tlv_status
measure_vectors(tlv_solver *solver)
{
	size_t size = tlv_packed3_size(solver->k);
	double norm = tlv_packed3_norm(solver->k, solver->packed);

	for (size_t i = 0; i < size; i++)
	{
		if (!isfinite(solver->packed[i]))
			return tlv_fail(solver->ctx, TLV_BAD_DATA,
							"the tensor has entries that are not finite");
		solver->scale = fmax(solver->scale, fabs(solver->packed[i]));
	}
	if (solver->scale == 0)
		return tlv_fail(solver->ctx, TLV_BAD_DATA, "the tensor is zero");
	/* Its quotient with the scale lies between 1 and k^(3/2), whatever the units. */
	norm /= solver->scale;
	solver->norm2 = norm * norm;
	return TLV_OK;
}

/* What a method begins with. */
static void
solver_begin(tlv_solver *solver, double *vectors)
{
	solver->vectors = vectors;
	tlv_rng_seed(&solver->rng, solver->options->seed);
	solver->out->k = solver->k;
	solver->out->iterations = solver->out->sweeps = 0;
	solver->out->converged = false;
}

tlv_status
tlv_decompose(tlv_context *ctx, size_t k, const double *packed,
			  const tlv_decompose_options *options, tlv_decomposition *out)
{
	tlv_solver solver = {.ctx = ctx, .k = k, .packed = packed, .options = options, .out = out};
	double *work, factor;
	tlv_status status;

	TLV_TRY(check_decompose_options(ctx, k, options));
	TLV_TRY(measure_vectors(&solver));
	TLV_TRY(tlv_require_memory(ctx, tlv_decompose_memory(k, options), "the decomposition"));
	TLV_TRY_NEW(ctx, work, (size_t) solver_doubles(k, options));
	solver.pairs = tlv_packed2_size(k);
	solver.block_size = (size_t) block_doubles(k, options);
	solver.half = work;
	solver.block = solver.half + k * solver.pairs;
	solver_begin(&solver, solver.block + solver.block_size);
	factor = 1 / solver.scale;
	tlv_fill_half(k, packed, factor, k, solver.half);
	status = METHODS[options->method].run(&solver);
	if (status == TLV_OK)
		status = finish_decomposition(&solver, solver.vectors + k * k);
	tlv_free(ctx, work);
	return status;
}
