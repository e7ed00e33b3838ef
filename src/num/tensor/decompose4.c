/*
 * decompose4.c - decomposition of symmetric fourth-order tensors (decompose.h).
 *
 * joint: the slices T(., ., e_a, e_b), those of a != b weighted by sqrt 2, made
 * jointly as diagonal as possible (JADE: Cardoso, Souloumiac 1993), then
 * V <- polar(G), g_i = T(v_i, v_i, v_i, v_i) T(I, v_i, v_i, v_i), up to the maximum of
 * sum_i T(v_i, v_i, v_i, v_i)^2 on the orthogonal group.
 *
 * sgd: descent on sum_{i != j} <R_i, R_j>, R_j = T(I, I, u_j, u_j).  With
 * orthogonal T that is sum_{i != j} S(u_i, u_i, u_j, u_j) for the tensor S of the
 * squared values (Ge, Huang, Jin, Yuan 2015), so that values may be of either sign.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"
#include "tensorlv/num/cumulant4.h"
#include "tensorlv/num/numbers.h"

/* ---- contraction ---- */

/*
 * out (k x pairs): the symmetric part of x_l y_l', times 2, its diagonal once: what a
 * contraction over pairs b <= a has to be multiplied with.
 */
TLV_CLONES static void
outer_products(size_t k, const double *restrict x, const double *restrict y, double *restrict out)
{
	for (size_t a = 0; a < k; a++)
	{
		const double *xa = x + a * k, *ya = y + a * k;

		for (size_t b = 0; b < a; b++, out += k)
			for (size_t l = 0; l < k; l++)
				out[l] = xa[l] * y[b * k + l] + x[b * k + l] * ya[l];
		for (size_t l = 0; l < k; l++)
			out[l] = xa[l] * ya[l];
		out += k;
	}
}

/* image = outer times the matrix of pairs */
static tlv_status
contract_vectors4(tlv_solver4 *s)
{
	return tlv_gemm(s->ctx, false, false, s->k, s->pairs, s->pairs, 1, s->outer, s->k, s->matrix,
					s->pairs, 0, s->image, s->k);
}

tlv_status
tlv_solver4_apply(tlv_solver4 *s, const double *x, const double *y, const double *z, double *out)
{
	outer_products(s->k, x, y, s->outer);
	TLV_TRY(contract_vectors4(s));
	memset(out, 0, s->k * s->k * sizeof(double));
	tlv_pairs_multiply(s->k, 0, s->k, s->image, z, out);
	return TLV_OK;
}

/* ---- joint ---- */

/* The transposed rotation by which the weighted slices are most nearly diagonal. */
static tlv_status
diagonalize_slices(tlv_solver4 *s)
{
	size_t k = s->k, count = (s->pairs + TLV_REGISTER_DOUBLES - 1) / TLV_REGISTER_DOUBLES;
	double *slices, *rotation;
	tlv_status status;

	count *= TLV_REGISTER_DOUBLES;
	slices = tlv_alloc0(s->ctx, count * s->pairs + k * k, sizeof(double));
	TLV_TRY_ALLOC(s->ctx, slices);
	rotation = slices + count * s->pairs;
	for (size_t pair = 0; pair < s->pairs; pair++)
		for (size_t a = 0, l = 0; a < k; a++)
			for (size_t b = 0; b <= a; b++, l++)
				slices[l + count * pair] = s->matrix[l + s->pairs * pair] * (a == b ? 1 : M_SQRT2);
	status = tlv_jacobi_joint(s->ctx, k, count, slices, rotation, &s->out->sweeps);
	for (size_t i = 0; i < k; i++)
		for (size_t l = 0; l < k; l++)
			s->vectors[l + i * k] = rotation[i + l * k];
	tlv_free(s->ctx, slices);
	return status;
}

/* work holds k k + k doubles. */
static tlv_status
joint(tlv_solver4 *s, double *work)
{
	const int max_refinement = 200;
	size_t k = s->k;
	double *gradient = work, *values = gradient + k * k;
	double tolerance = s->options->tolerance > 0 ? s->options->tolerance : 1e-10;
	int most = s->options->steps > 0 ? s->options->steps : max_refinement;

	if (s->options->initial != NULL)
		TLV_TRY(tlv_given_start(s->ctx, k, s->options->initial, s->vectors, gradient));
	else
		TLV_TRY(diagonalize_slices(s));
	for (int step = 0; step < most && !s->out->converged; step++)
	{
		double change = 0;

		TLV_TRY(tlv_solver4_apply(s, s->vectors, s->vectors, s->vectors, gradient));
		tlv_rows_dot(k, k, gradient, s->vectors, values);
		tlv_rows_scale(k, k, gradient, values);
		TLV_TRY(tlv_polar(s->ctx, k, gradient));
		for (size_t i = 0; i < k * k; i++)
			change = fmax(change, fabs(gradient[i] - s->vectors[i]));
		memcpy(s->vectors, gradient, k * k * sizeof(double));
		s->out->iterations++;
		s->out->converged = change <= tolerance;
	}
	return TLV_OK;
}

/* ---- sgd ---- */

/* T(S_j, u_j, I), S_j the sum of the other R_i */
static tlv_status
descent_gradient(void *argument, double *out)
{
	tlv_solver4 *s = argument;
	size_t k = s->k;

	outer_products(k, s->vectors, s->vectors, s->outer);
	TLV_TRY(contract_vectors4(s));
	tlv_rows_others(k, s->pairs, s->image);
	for (size_t a = 0, pair = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++, pair++)
			for (size_t l = 0; l < k; l++)
				s->outer[l + k * pair] = (a == b ? 1 : 2) * s->image[l + k * pair];
	TLV_TRY(contract_vectors4(s));
	memset(out, 0, k * k * sizeof(double));
	tlv_pairs_multiply(k, 0, k, s->image, s->vectors, out);
	return TLV_OK;
}

static tlv_status
sgd(tlv_solver4 *s, double *work)
{
	tlv_descent descent = {.ctx = s->ctx,
						   .k = s->k,
						   .vectors = s->vectors,
						   .unit = s->norm2 / (double) s->k,
						   .rng = &s->rng,
						   .options = s->options,
						   .out = s->out,
						   .gradient = descent_gradient,
						   .argument = s};

	return tlv_descend(&descent, work);
}

/* ---- the result ---- */

/* The components by decreasing modulus of their values, largest entries positive. */
static tlv_status
order_components(tlv_solver4 *s, double *values)
{
	size_t k = s->k;

	s->out->objective = 0;
	for (size_t place = 0; place < k; place++)
	{
		size_t next = k, largest = 0;
		double *vector = s->out->vectors + place * k;

		for (size_t l = 0; l < k; l++)
			if (!isnan(values[l]) && (next == k || fabs(values[l]) > fabs(values[next])))
				next = l;
		if (next == k)
			return tlv_fail(s->ctx, TLV_BAD_DATA, "the decomposition diverged");
		for (size_t j = 0; j < k; j++)
		{
			vector[j] = s->vectors[next + j * k];
			largest = fabs(vector[j]) > fabs(vector[largest]) ? j : largest;
		}
		for (size_t j = 0, negative = vector[largest] < 0; j < k && negative; j++)
			vector[j] = -vector[j];
		s->out->values[place] = values[next] * s->scale;
		s->out->objective += s->out->values[place] * s->out->values[place];
		values[next] = NAN; /* taken */
	}
	return TLV_OK;
}

/*
 * ||T - sum of values times v^4||^2 / ||T||^2, entry by entry.  The matrix of pairs becomes that of
 * the residual tensor.
 */
static tlv_status
direct_residual4(tlv_solver4 *s, const double *values, double *residual)
{
	size_t k = s->k, pairs = s->pairs;
	double sum = 0;

	for (size_t a = 0, pair = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++, pair++)
			for (size_t l = 0; l < k; l++)
			{
				s->outer[l + k * pair] = s->vectors[l + a * k] * s->vectors[l + b * k];
				s->image[l + k * pair] = values[l] * s->outer[l + k * pair];
			}
	TLV_TRY(tlv_gemm(s->ctx, true, false, pairs, pairs, k, -1, s->outer, k, s->image, k, 1,
					 s->matrix, pairs));
	for (size_t a = 0, pair = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++, pair++)
		{
			double weight = a == b ? 1 : 2; /* pairs (a, b) and (b, a) */

			for (size_t c = 0, other = 0; c < k; c++)
				for (size_t e = 0; e <= c; e++, other++)
				{
					double miss = s->matrix[other + pairs * pair];

					sum += weight * (c == e ? 1 : 2) * miss * miss;
				}
		}
	*residual = sum / s->norm2;
	return TLV_OK;
}

/*
 * Values of the vectors, residual, order.  Those of orthonormal vectors are T(v, v, v, v);
 * of others, the least-squares ones, by the products of their fourth powers.  work holds
 * 2 k k + 2 k doubles.
 */
static tlv_status
finish_decomposition4(tlv_solver4 *s, bool orthonormal, double *work)
{
	size_t k = s->k;
	double *images = work, *gram = images + k * k, *values = gram + k * k, *given = values + k;
	double explained = 0;

	TLV_TRY(tlv_solver4_apply(s, s->vectors, s->vectors, s->vectors, images));
	tlv_rows_dot(k, k, images, s->vectors, values);
	memcpy(given, values, k * sizeof(double));
	if (!orthonormal)
	{
		TLV_TRY(tlv_syrk(s->ctx, false, k, k, 1, s->vectors, k, 0, gram, k, true));
		for (size_t i = 0; i < k * k; i++)
			gram[i] = gram[i] * gram[i] * gram[i] * gram[i];
		for (size_t i = 0; i < k; i++)
			gram[i + i * k] += 1e-12; /* two vectors that are one share its value */
		TLV_TRY(tlv_solve_spd(s->ctx, k, 1, gram, values));
	}
	for (size_t i = 0; i < k; i++)
		explained += values[i] * given[i];
	s->out->residual = fmax(0, 1 - explained / s->norm2);
	if (s->out->residual < TLV_CANCELLED_RESIDUAL)
		TLV_TRY(direct_residual4(s, values, &s->out->residual));
	s->out->residual = sqrt(s->out->residual);
	return order_components(s, values);
}

/* ---- the calls ---- */

double
tlv_decompose4_memory(size_t k, const tlv_decompose_options *options)
{
	double n = (double) k, pairs = (double) tlv_packed2_size(k);
	double slices = options->method == TLV_METHOD_JOINT ? pairs * (pairs + 8) : 0;

	return 8 * (pairs * pairs + slices + 2 * n * pairs + 30 * n * n + 40 * n) + 8192;
}

static tlv_status
check_decompose4_options(tlv_context *ctx, size_t k, const tlv_decompose_options *o)
{
	const int max_dimension = 100;

	if (k == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the number of components must be at least 1");
	if (k > max_dimension)
		return tlv_fail(ctx, TLV_LIMIT,
						"a fourth-order tensor of dimension %zu is too large to decompose", k);
	if (o->steps < 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "steps must not be negative");
	if (!(o->tolerance >= 0 && o->tolerance < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the tolerance must be at least 0 and below 1");
	return TLV_OK;
}

static tlv_status
measure_vectors4(tlv_solver4 *s, const double *packed)
{
	double norm = tlv_cumulant4_norm(s->k, packed);
	size_t size = s->k * (s->k + 1) * (s->k + 2) / 6 * (s->k + 3) / 4;

	for (size_t i = 0; i < size; i++)
	{
		if (!isfinite(packed[i]))
			return tlv_fail(s->ctx, TLV_BAD_DATA, "the tensor has entries that are not finite");
		s->scale = fmax(s->scale, fabs(packed[i]));
	}
	if (s->scale == 0)
		return tlv_fail(s->ctx, TLV_BAD_DATA, "the tensor is zero");
	norm /= s->scale;
	s->norm2 = norm * norm;
	return TLV_OK;
}

/* Opens a solver, lets a method run, and finishes; work of both is work_doubles. */
static tlv_status
decompose4_solve(tlv_context *ctx, size_t k, const double *packed,
				 const tlv_decompose_options *options,
				 tlv_status (*method)(tlv_solver4 *s, double *work), size_t work_doubles,
				 bool orthonormal, tlv_decomposition *out)
{
	size_t pairs = tlv_packed2_size(k);
	tlv_solver4 s = {.ctx = ctx, .k = k, .pairs = pairs, .options = options, .out = out};
	double *work;
	tlv_status status;

	TLV_TRY(check_decompose4_options(ctx, k, options));
	TLV_TRY(measure_vectors4(&s, packed));
	TLV_TRY(tlv_require_memory(ctx, tlv_decompose4_memory(k, options), "the decomposition"));
	TLV_TRY_NEW(ctx, s.matrix, pairs * (pairs + 2 * k) + k * k + work_doubles);
	s.outer = s.matrix + pairs * pairs;
	s.image = s.outer + k * pairs;
	s.vectors = s.image + k * pairs;
	work = s.vectors + k * k;
	tlv_rng_seed(&s.rng, options->seed);
	out->k = k;
	out->iterations = out->sweeps = 0;
	out->converged = false;
	tlv_cumulant4_to_pairs(k, packed, 1 / s.scale, s.matrix);
	status = method(&s, work);
	if (status == TLV_OK)
		status = finish_decomposition4(&s, orthonormal, work);
	tlv_free(ctx, s.matrix);
	return status;
}

tlv_status
tlv_decompose4(tlv_context *ctx, size_t k, const double *packed,
			   const tlv_decompose_options *options, tlv_decomposition *out)
{
	size_t work = 2 * k * k + 2 * k;

	if (options->method == TLV_METHOD_JOINT)
		return decompose4_solve(ctx, k, packed, options, joint, work, true, out);
	if (options->method == TLV_METHOD_SGD)
		return decompose4_solve(ctx, k, packed, options, sgd, work, false, out);
	tlv_fail(ctx, TLV_BAD_PARAMETER, "fourth-order tensors are not decomposed by '%s'",
			 tlv_method_name(options->method));
	return tlv_fail_hint(ctx, "Use 'joint' or 'sgd'.");
}

tlv_status
tlv_decompose4_cp(tlv_context *ctx, size_t k, const double *packed,
				  const tlv_decompose_options *options, tlv_decomposition *out)
{
	if (options->initial == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "a start is needed");
	return decompose4_solve(ctx, k, packed, options, tlv_solver4_cp, TLV_CP4_WORK(k), false, out);
}
