/*
 * decompose_joint.c - all components at once: V <- polar(G), g_i = T(v_i, v_i, v_i) T(I, v_i, v_i).
 *
 * Each step climbs towards the maximum of sum_i T(v_i, v_i, v_i)^2 on the orthogonal group, the
 * least-squares optimum (Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014, applied to all columns with
 * a polar factor in place of deflation; the factor T(v_i, v_i, v_i) makes it the gradient of that
 * sum and settles the signs).  From a random rotation it reaches what joint diagonalisation of
 * random contractions (Kuleshov, Chaganty, Liang 2015) followed by the same steps reaches, without
 * the sweeps, which cost more than all steps where k is large and the noise is.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"

/* Starts are compared when a step moves no entry by more; the objectives of those that have found
 * the same maximum then agree to SAME_OBJECTIVE. */
#define COMPARE_TOLERANCE 1e-4
#define SAME_OBJECTIVE	  1e-6

/*
 * A step that moves by more than half of the one before climbs slowly along the noise; where the
 * end lies says ever less of the components.  Steps of large tensors are dear, and the sums of
 * their starts differ less.
 */
typedef struct patience
{
	size_t k;			  /* of tensors up to this size */
	int starts;			  /* at most */
	double compare, rise; /* slow climbing ends, before and after the starts are compared, where a
						   * step lifts the objective by a smaller part of it */
} patience;

static const patience PATIENCE[] = {
	{30, 8, 1e-4, 1e-6}, {100, 5, 1e-4, 1e-6}, {SIZE_MAX, 3, 5e-4, 2e-5}};

typedef struct joint
{
	tlv_solver *solver;
	double *gradient; /* k x k transposed, as all */
	double *product;
	double *other;
	double *best;
	double *values; /* k */
	const patience *patience;
} joint;

static size_t
joint_doubles(size_t k)
{
	return 4 * k * k + k;
}

double
tlv_joint_memory(size_t k, const tlv_decompose_options *options)
{
	(void) options;
	/* With a polar factor by singular values and its work space. */
	return (double) joint_doubles(k) + 10 * (double) (k * k) + 530000;
}

/* ---- steps ---- */

/*
 * The polar factor of G relative to V: H = G V' is nearly diagonal, and to
 * first order its polar factor is I + K with the antisymmetric K below.
 * *row_sum gets the largest row sum of |K|, which bounds its norm.
 */
static void
first_order_rotation(size_t k, const double *h, double *rotation, double *row_sum)
{
	*row_sum = 0;
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < k; i++)
		{
			double weight = fabs(h[i + i * k]) + fabs(h[j + j * k]);
			double entry = weight > 0 ? (h[i + j * k] - h[j + i * k]) / weight : 0;

			rotation[i + j * k] = i == j ? 1 : entry;
			sum += fabs(entry);
		}
		*row_sum = fmax(*row_sum, sum);
	}
}

/* Of an entry of the rows whose values are not zero: others lie in any direction. */
static double
largest_change(size_t k, const double *before, const double *after, const double *values)
{
	/* Values of a smaller part of the largest are zero. */
	const double zero_value = 1e-12;
	double largest = 0, change = 0;

	for (size_t l = 0; l < k; l++)
		largest = fmax(largest, fabs(values[l]));
	for (size_t j = 0; j < k; j++)
		for (size_t l = 0; l < k; l++)
			if (fabs(values[l]) > zero_value * largest)
				change = fmax(change, fabs(after[l + j * k] - before[l + j * k]));
	return change;
}

/*
 * One step from G = T(I, v_l, v_l), which is overwritten; product, other: k x k.  values gets
 * T(v_l, v_l, v_l), *change the largest change of an entry of V.
 */
static tlv_status
joint_step(tlv_context *ctx, size_t k, double *gradient, double *v, double *product, double *other,
		   double *values, double *change)
{
	double row_sum;

	tlv_rows_dot(k, k, gradient, v, values);
	tlv_rows_scale(k, k, gradient, values);
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, k, 1, gradient, k, v, k, 0, product, k));
	first_order_rotation(k, product, other, &row_sum);
	if (row_sum < 1)
	{
		TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, other, k, v, k, 0, gradient, k));
		TLV_TRY(tlv_polar_near(ctx, k, gradient, product, other));
	}
	else
		TLV_TRY(tlv_polar(ctx, k, gradient));
	*change = largest_change(k, v, gradient, values);
	memcpy(v, gradient, k * k * sizeof(double));
	return TLV_OK;
}

/* One step; *change is the largest change of an entry of V, *objective that before the step. */
static tlv_status
refine_once(joint *w, double *v, double *change, double *objective)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;

	TLV_TRY(tlv_solver_apply(s, k, v, v, w->gradient));
	TLV_TRY(joint_step(s->ctx, k, w->gradient, v, w->product, w->other, w->values, change));
	*objective = 0;
	for (size_t l = 0; l < k; l++)
		*objective += w->values[l] * w->values[l];
	return TLV_OK;
}

/* When climbing ends. */
typedef struct climb_end
{
	double tolerance; /* no entry changes by more */
	double rise;	  /* or climbing is slow, and the objective rises by a smaller part of itself */
} climb_end;

static tlv_status
climb(joint *w, double *v, climb_end end, double *objective)
{
	const int max_steps = 200;
	tlv_decomposition *out = w->solver->out;
	int most = w->solver->options->steps > 0 ? w->solver->options->steps : max_steps;
	double before = -1, moved = 0;

	out->converged = false;
	for (int step = 0; step < most && !out->converged; step++)
	{
		double change;

		TLV_TRY(refine_once(w, v, &change, objective));
		out->iterations++;
		out->converged = change <= end.tolerance ||
						 (change > COMPARE_TOLERANCE && change > moved / 2 &&
						  *objective >= before && *objective - before <= end.rise * *objective);
		before = *objective;
		moved = change;
	}
	return TLV_OK;
}

/* ---- starts ---- */

static tlv_status
random_start(joint *w, double *objective)
{
	tlv_solver *s = w->solver;

	tlv_rng_fill_normal(&s->rng, s->k * s->k, s->vectors);
	TLV_TRY(tlv_polar(s->ctx, s->k, s->vectors));
	return climb(w, s->vectors, (climb_end){COMPARE_TOLERANCE, w->patience->compare}, objective);
}

/*
 * The best of the starts into solver->vectors.  When the number is left to us, no more are made
 * than it takes to reach the best objective twice.
 */
static tlv_status
best_start(joint *w)
{
	tlv_solver *s = w->solver;
	bool given = s->options->starts > 0, again = false;
	int starts = given ? s->options->starts : w->patience->starts;
	double best = -1;

	for (int start = 0; start < starts && (given || !again); start++)
	{
		double objective;

		tlv_report(s->ctx, "decompose", start, starts);
		TLV_TRY(random_start(w, &objective));
		again = start > 0 && fabs(objective - best) <= SAME_OBJECTIVE * best;
		if (objective > best)
		{
			best = objective;
			memcpy(w->best, s->vectors, s->k * s->k * sizeof(double));
		}
	}
	memcpy(s->vectors, w->best, s->k * s->k * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_given_start(tlv_context *ctx, size_t k, const double *initial, double *vectors, double *gram)
{
	for (size_t i = 0; i < k; i++)
		for (size_t l = 0; l < k; l++)
			vectors[l + i * k] = initial[i + l * k];
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, k, 1, vectors, k, vectors, k, 0, gram, k));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			if (!(fabs(gram[i + j * k] - (i == j)) < 1e-6))
				return tlv_fail(ctx, TLV_BAD_PARAMETER, "the initial matrix is not orthonormal");
	return TLV_OK;
}

static tlv_status
run_joint(joint *w)
{
	tlv_solver *s = w->solver;
	double tolerance = s->options->tolerance > 0 ? s->options->tolerance : 1e-10, objective;

	s->orthonormal = true;
	if (s->options->initial != NULL)
		TLV_TRY(tlv_given_start(s->ctx, s->k, s->options->initial, s->vectors, w->product));
	else
		TLV_TRY(best_start(w));
	return climb(w, s->vectors, (climb_end){tolerance, w->patience->rise}, &objective);
}

tlv_status
tlv_decompose_joint(tlv_solver *solver)
{
	size_t k = solver->k;
	joint w = {.solver = solver, .patience = PATIENCE};
	tlv_status status;

	while (k > w.patience->k)
		w.patience++;
	TLV_TRY_NEW(solver->ctx, w.gradient, joint_doubles(k));
	w.product = w.gradient + k * k;
	w.other = w.product + k * k;
	w.best = w.other + k * k;
	w.values = w.best + k * k;
	status = run_joint(&w);
	tlv_free(solver->ctx, w.gradient);
	return status;
}
