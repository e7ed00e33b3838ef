/*
 * cp.c - canonical polyadic decomposition by alternating least squares (cp.h).
 *
 * With X the factor of a mode and K the products of the other two, row by row, the residual is
 * |T - X K'|, quadratic in X with Q = K'K, the entry-wise product of the other factors' Gram
 * matrices, and Z = T K.
 */
#include "tensorlv/num/cp.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tucker.h"

#define CP_MOST_COMPONENTS 1000
/* Sweeps of a start on a sparse tensor, before the best goes on. */
#define TRIAL_SWEEPS 30
/* The proximal term relative to the mean eigenvalue: its initial value, the number of sweeps after
 * which it is divided by 10, and its final value. */
#define RIDGE_FIRST	 1e-6
#define RIDGE_LAST	 1e-13
#define RIDGE_SWEEPS 50
/* A residual below this is one of rounding, as squares are subtracted. */
#define EXACT 1e-7
/* One LAPACK call that cannot be interrupted: .05 s. */
#define DIAGONALISE_MOST ((size_t) 150)

typedef struct cp_work
{
	const tlv_tensor *tensor;
	size_t k, items; /* the sum of the sides */
	double norm2;
	double ridge;
	double *factor[TLV_MODES]; /* one behind the other */
	double *last;			   /* k x items: after the sweep before */
	double *saved;			   /* k x items: before the step ahead */
	double *gram[TLV_MODES];   /* k x k */
	double *q;				   /* k x k */
	double *z;				   /* k x the largest side */
	double *rows;			   /* of tlv_tensor_multiply */
} cp_work;

static size_t
items_of(const tlv_tensor *t)
{
	return t->d[0] + t->d[1] + t->d[2];
}

static size_t
largest_side(const tlv_tensor *t)
{
	size_t most = t->d[0] > t->d[1] ? t->d[0] : t->d[1];

	return most > t->d[2] ? most : t->d[2];
}

static size_t
middle_side(const tlv_tensor *t)
{
	size_t least = tlv_least(tlv_least(t->d[0], t->d[1]), t->d[2]);

	return items_of(t) - largest_side(t) - least;
}

static double
work_doubles(const tlv_tensor *t, size_t k)
{
	return (double) k * (3 * (double) items_of(t) + 4 * (double) k + (double) largest_side(t)) +
		   tlv_tensor_work(t, k);
}

static tlv_status
work_begin(tlv_context *ctx, const tlv_tensor *tensor, size_t k, cp_work *w)
{
	w->tensor = tensor;
	w->k = k;
	w->items = items_of(tensor);
	w->norm2 = tlv_tensor_norm2(tensor);
	TLV_TRY_NEW0_ROWS(ctx, w->factor[0], w->items, k);
	w->factor[1] = w->factor[0] + k * tensor->d[0];
	w->factor[2] = w->factor[1] + k * tensor->d[1];
	TLV_TRY_NEW_ROWS(ctx, w->last, w->items, k);
	TLV_TRY_NEW_ROWS(ctx, w->saved, w->items, k);
	for (int m = 0; m < TLV_MODES; m++)
		TLV_TRY_NEW0_ROWS(ctx, w->gram[m], k, k);
	TLV_TRY_NEW_ROWS(ctx, w->q, k, k);
	TLV_TRY_NEW_ROWS(ctx, w->z, largest_side(tensor), k);
	TLV_TRY_NEW(ctx, w->rows, (size_t) tlv_tensor_work(tensor, k));
	return TLV_OK;
}

/* ---- a sweep ---- */

static tlv_status
cp_find_gram(tlv_context *ctx, cp_work *w, int mode)
{
	return tlv_syrk(ctx, false, w->k, w->tensor->d[mode], 1, w->factor[mode], w->k, 0,
					w->gram[mode], w->k, true);
}

static tlv_status
cp_find_grams(tlv_context *ctx, cp_work *w)
{
	for (int m = 0; m < TLV_MODES; m++)
		TLV_TRY(cp_find_gram(ctx, w, m));
	return TLV_OK;
}

/* q, and in place of the factor the right side, of |T - X K'|^2 + ridge |X - X before|^2; z stays.
 */
static void
add_proximal(cp_work *w, int mode)
{
	size_t k = w->k, all = k * w->tensor->d[mode];
	double trace = 0, ridge;

	for (size_t i = 0; i < k * k; i++)
		w->q[i] = w->gram[(mode + 1) % 3][i] * w->gram[(mode + 2) % 3][i];
	for (size_t h = 0; h < k; h++)
		trace += w->q[h * k + h];
	ridge = w->ridge * trace / (double) k;
	for (size_t h = 0; h < k; h++)
		w->q[h * k + h] += ridge;
	for (size_t i = 0; i < all; i++)
		w->factor[mode][i] = w->z[i] + ridge * w->factor[mode][i];
}

/* The least-squares factor of a mode; where the products depend on each other that of least norm.
 */
static tlv_status
solve_mode(tlv_context *ctx, cp_work *w, int mode)
{
	size_t k = w->k, n = w->tensor->d[mode], rank;
	double *matrix, *right;
	tlv_status status;

	add_proximal(w, mode);
	TLV_TRY_NEW_ROWS(ctx, matrix, k, k);
	memcpy(matrix, w->q, k * k * sizeof(double));
	status = tlv_solve_spd(ctx, k, n, matrix, w->factor[mode]);
	if (status == TLV_BAD_DATA)
	{
		TLV_TRY(tlv_pseudo_inverse(ctx, k, k, w->q, 1e-12, matrix, &rank));
		TLV_TRY_NEW_ROWS(ctx, right, k, n);
		memcpy(right, w->factor[mode], k * n * sizeof(double));
		status =
			tlv_gemm(ctx, false, false, k, n, k, 1, matrix, k, right, k, 0, w->factor[mode], k);
		tlv_free(ctx, right);
	}
	tlv_free(ctx, matrix);
	return status;
}

/* Updates all three modes, and computes the residual relative to the norm of the tensor. */
static tlv_status
cp_sweep_modes(tlv_context *ctx, cp_work *w, double *residual)
{
	const tlv_tensor *t = w->tensor;
	size_t k = w->k;
	double along = 0, square = 0;

	for (int m = 0; m < TLV_MODES; m++)
	{
		TLV_TRY(tlv_tensor_multiply(ctx, t, k, w->factor, m, m == 1, w->rows, w->z));
		TLV_TRY(solve_mode(ctx, w, m));
		TLV_TRY(cp_find_gram(ctx, w, m));
	}
	for (size_t i = 0; i < k * t->d[2]; i++)
		along += w->z[i] * w->factor[2][i];
	for (size_t i = 0; i < k * k; i++)
		square += w->gram[0][i] * w->gram[1][i] * w->gram[2][i];
	*residual = sqrt(fmax(0, (w->norm2 - 2 * along + square) / w->norm2));
	if (!isfinite(*residual))
		return tlv_fail(ctx, TLV_BAD_DATA, "the decomposition diverged");
	return TLV_OK;
}

/* The three vectors of every component become as long as each other. */
static tlv_status
balance_lengths(tlv_context *ctx, cp_work *w)
{
	TLV_TRY(cp_find_grams(ctx, w));
	tlv_factors_balance(w->tensor->d, w->k, w->gram, w->factor);
	return cp_find_grams(ctx, w);
}

/* ---- a start ---- */

typedef struct cp_run
{
	int sweeps; /* at most */
	double tolerance;
	double residual;
	int made;
	bool converged;
} cp_run;

/* factor += ahead (factor - last), the factor itself kept in `saved`. */
static tlv_status
cp_step_ahead(tlv_context *ctx, cp_work *w, double ahead)
{
	size_t all = w->k * w->items;

	memcpy(w->saved, w->factor[0], all * sizeof(double));
	if (ahead == 0)
		return TLV_OK;
	for (size_t i = 0; i < all; i++)
		w->factor[0][i] += ahead * (w->factor[0][i] - w->last[i]);
	return cp_find_grams(ctx, w);
}

/*
 * Sweeps, each from a point beyond the last along the way that it went; where that was of no use
 * the sweep is taken back, and the next one goes no further.
 */
static tlv_status
cp_run_sweeps(tlv_context *ctx, cp_work *w, cp_run *run)
{
	/* How far the next sweep starts beyond the last: at first, at most; times how much. */
	const double ahead_first = 0.5, ahead_most = 1.0, ahead_growth = 1.1;
	size_t all = w->k * w->items;
	double ahead = 0, reach = ahead_first, before = HUGE_VAL;

	TLV_TRY(balance_lengths(ctx, w));
	run->converged = false;
	for (int sweep = 0; sweep < run->sweeps && !run->converged; sweep++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "decompose", sweep, run->sweeps);
		if (sweep > 0 && sweep % RIDGE_SWEEPS == 0)
			w->ridge = fmax(w->ridge / 10, RIDGE_LAST);
		TLV_TRY(cp_step_ahead(ctx, w, ahead));
		TLV_TRY(cp_sweep_modes(ctx, w, &run->residual));
		run->made++;
		if (ahead > 0 && run->residual > before)
		{
			memcpy(w->factor[0], w->saved, all * sizeof(double));
			TLV_TRY(cp_find_grams(ctx, w));
			reach = fmax(reach / 2, 0.05);
			ahead = 0;
			continue;
		}
		/* one that did not step ahead says how little is left to gain */
		run->converged = run->residual < EXACT || before - run->residual <= run->tolerance;
		before = run->residual;
		memcpy(w->last, w->saved, all * sizeof(double));
		ahead = sweep < 2 ? 0 : reach;
		reach = fmin(reach * ahead_growth, ahead_most);
	}
	return TLV_OK;
}

/* ---- simultaneous diagonalisation ---- */

/* Two modes of at least k items of a dense tensor; false: there are none. */
static bool
find_sides(const tlv_tensor *t, size_t k, int sides[2])
{
	int n = 0;

	for (int m = 0; m < TLV_MODES && n < 2; m++)
		if (t->d[m] == k)
			sides[n++] = m;
	return n == 2 && t->dense != NULL && k <= DIAGONALISE_MOST;
}

/* The sum of the slices of a tensor with random weights: k x k, of the two modes. */
static tlv_status
random_slice(tlv_context *ctx, const tlv_tensor *t, const int sides[2], tlv_rng *rng, double *slice)
{
	int other = 3 - sides[0] - sides[1];
	size_t all = t->d[0] * t->d[1] * t->d[2], place[TLV_MODES] = {0, 0, 0}, k = t->d[sides[0]];
	double *weight;

	TLV_TRY_NEW(ctx, weight, t->d[other]);
	tlv_rng_fill_normal(rng, t->d[other], weight);
	memset(slice, 0, k * k * sizeof(double));
	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		slice[place[sides[0]] + k * place[sides[1]]] += weight[place[other]] * t->dense[i];
		for (int m = 2; m >= 0 && ++place[m] == t->d[m]; m--)
			place[m] = 0;
	}
	tlv_free(ctx, weight);
	return TLV_OK;
}

/*
 * Two random sums of slices are A D B' and A E B': their quotient has the columns of A for
 * eigenvectors, and A^-1 A D B' is B'.  The third factor follows from these.
 */
static tlv_status
start_diagonal(tlv_context *ctx, cp_work *w, const int sides[2], tlv_rng *rng)
{
	const tlv_tensor *t = w->tensor;
	size_t k = w->k, rank;
	int other = 3 - sides[0] - sides[1];
	double *first, *second, *inverse, *vectors;
	bool real;

	TLV_TRY_NEW_ROWS(ctx, first, k, 4 * k);
	second = first + k * k;
	inverse = second + k * k;
	vectors = inverse + k * k;
	TLV_TRY(random_slice(ctx, t, sides, rng, first));
	TLV_TRY(random_slice(ctx, t, sides, rng, second));
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, second, 1e-12, inverse, &rank));
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, first, k, inverse, k, 0, second, k));
	TLV_TRY(tlv_eigen_general(ctx, k, second, vectors, &real));
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, vectors, 1e-12, inverse, &rank));
	TLV_TRY(
		tlv_gemm(ctx, false, false, k, k, k, 1, inverse, k, first, k, 0, w->factor[sides[1]], k));
	for (size_t i = 0; i < k; i++)
		for (size_t h = 0; h < k; h++)
			w->factor[sides[0]][i * k + h] = vectors[i + k * h];
	tlv_free(ctx, first);
	memset(w->factor[other], 0, k * t->d[other] * sizeof(double));
	TLV_TRY(cp_find_grams(ctx, w));
	TLV_TRY(tlv_tensor_multiply(ctx, t, k, w->factor, other, false, w->rows, w->z));
	return solve_mode(ctx, w, other);
}

/* ---- all starts ---- */

/* The first start is that of simultaneous diagonalisation, where there is one. */
static tlv_status
cp_run_start(tlv_context *ctx, cp_work *w, bool overcomplete, int number, tlv_rng *rng, cp_run *run)
{
	int sides[2];

	w->ridge = overcomplete ? RIDGE_FIRST : RIDGE_LAST;
	if (number == 0 && find_sides(w->tensor, w->k, sides))
		TLV_TRY(start_diagonal(ctx, w, sides, rng));
	else
		TLV_TRY(tlv_fill_normal(ctx, rng, w->k * w->items, w->factor[0]));
	return cp_run_sweeps(ctx, w, run);
}

static tlv_status
cp_run_starts(tlv_context *ctx, cp_work *w, bool overcomplete, const tlv_cp_options *o,
			  tlv_factors_found *found)
{
	const double usual_tolerance = 1e-9;
	const int more_iterations = 1000;
	const int usual_iterations = 500;
	const int more_restarts = 10;
	const int usual_restarts = 3;
	int starts = o->restarts > 0 ? o->restarts : overcomplete ? more_restarts : usual_restarts;
	int most = o->iterations > 0 ? o->iterations
			   : overcomplete	 ? more_iterations
								 : usual_iterations;
	double tolerance = o->tolerance > 0 ? o->tolerance : usual_tolerance, *best;
	int sides[2], first = find_sides(w->tensor, w->k, sides) ? 0 : 1, trial = most;
	size_t all = w->k * w->items;
	tlv_rng rng;

	if (o->diagonalise && first == 0)
		starts = 0;
	if (w->tensor->dense == NULL && starts > 1 && trial > TRIAL_SWEEPS)
		trial = TRIAL_SWEEPS;
	TLV_TRY_NEW(ctx, best, all);
	tlv_rng_seed(&rng, o->seed);
	found->residual = HUGE_VAL;
	for (int i = first; i <= starts && !(found->residual < EXACT); i++)
	{
		cp_run run = {.sweeps = trial, .tolerance = tolerance};

		TLV_TRY(cp_run_start(ctx, w, overcomplete, i, &rng, &run));
		found->sweeps += run.made;
		if (run.residual >= found->residual)
			continue;
		found->residual = run.residual;
		found->converged = run.converged;
		memcpy(best, w->factor[0], all * sizeof(double));
	}
	memcpy(w->factor[0], best, all * sizeof(double));
	tlv_free(ctx, best);
	if (trial < most && !found->converged)
	{
		cp_run run = {.sweeps = most - trial, .tolerance = tolerance};

		TLV_TRY(cp_run_sweeps(ctx, w, &run));
		found->sweeps += run.made;
		found->residual = run.residual;
		found->converged = run.converged;
	}
	return TLV_OK;
}

/* ---- on a core ---- */

/* Bases of at most k directions a mode, where there is one of more items. */
typedef struct cp_core
{
	size_t r[TLV_MODES];
	double *u[TLV_MODES];
	double *core;
	tlv_tensor tensor;
	double residual; /* of the bases */
} cp_core;

static bool
core_sides(const tlv_tensor *t, size_t k, size_t r[TLV_MODES])
{
	bool smaller = false;

	for (int m = 0; m < TLV_MODES; m++)
		r[m] = tlv_least(k, t->d[m]);
	for (int m = 0; m < TLV_MODES; m++)
	{
		r[m] = tlv_least(r[m], r[(m + 1) % 3] * r[(m + 2) % 3]);
		smaller |= r[m] < t->d[m];
	}
	return smaller && t->dense != NULL;
}

static tlv_status
cp_find_core(tlv_context *ctx, const tlv_tensor *t, uint64_t seed, cp_core *c)
{
	tlv_factors_found found;

	for (int m = 0; m < TLV_MODES; m++)
		TLV_TRY_NEW_ROWS(ctx, c->u[m], c->r[m], t->d[m]);
	TLV_TRY_NEW(ctx, c->core, c->r[0] * c->r[1] * c->r[2]);
	TLV_TRY(tlv_tucker(ctx, t, c->r, &(tlv_tucker_options){.iterations = 0, .seed = seed}, c->u,
					   c->core, &found));
	c->tensor = (tlv_tensor){.d = {c->r[0], c->r[1], c->r[2]}, .dense = c->core};
	c->residual = found.residual;
	return TLV_OK;
}

/* The factors of the tensor from those of its core, and some sweeps on it. */
static tlv_status
expand_core(tlv_context *ctx, const cp_core *core, const cp_work *small, cp_work *w,
			tlv_factors_found *found)
{
	/* Sweeps on the tensor itself, after those on its core, and what they must gain each. */
	const int polish_sweeps = 5;
	const double polish_tolerance = 1e-7;
	double inside = found->residual * sqrt(small->norm2 / w->norm2);
	cp_run run = {.sweeps = polish_sweeps, .tolerance = polish_tolerance};

	for (int m = 0; m < TLV_MODES; m++)
		TLV_TRY(tlv_gemm(ctx, false, false, w->k, w->tensor->d[m], core->r[m], 1, small->factor[m],
						 w->k, core->u[m], core->r[m], 0, w->factor[m], w->k));
	found->residual = sqrt(core->residual * core->residual + inside * inside);
	if (core->residual < EXACT)
		return TLV_OK;
	w->ridge = RIDGE_LAST;
	TLV_TRY(cp_run_sweeps(ctx, w, &run));
	found->sweeps += run.made;
	found->residual = run.residual;
	return TLV_OK;
}

static tlv_status
run_cp(tlv_context *ctx, const tlv_tensor *t, const tlv_cp_options *options, cp_work *w,
	   tlv_factors_found *found)
{
	bool overcomplete = w->k > middle_side(t);
	cp_work small = {0};
	cp_core core = {.core = NULL};

	if (!core_sides(t, w->k, core.r))
		return cp_run_starts(ctx, w, overcomplete, options, found);
	TLV_TRY(cp_find_core(ctx, t, options->seed, &core));
	TLV_TRY(work_begin(ctx, &core.tensor, w->k, &small));
	TLV_TRY(cp_run_starts(ctx, &small, overcomplete, options, found));
	return expand_core(ctx, &core, &small, w, found);
}

/* ---- the result ---- */

/* The residual of a dense tensor, entry by entry: squares subtracted leave 1e-8 of it. */
static tlv_status
direct_residual(tlv_context *ctx, cp_work *w, double *residual)
{
	const size_t *d = w->tensor->d, k = w->k;
	double *pairs, *model, sum = 0;

	TLV_TRY_NEW_ROWS(ctx, pairs, d[1], k);
	TLV_TRY_NEW_ROWS(ctx, model, d[1], d[2]);
	for (size_t x = 0; x < d[0]; x++)
	{
		const double *given = w->tensor->dense + x * d[1] * d[2];

		for (size_t y = 0; y < d[1]; y++)
			for (size_t h = 0; h < k; h++)
				pairs[y * k + h] = w->factor[0][x * k + h] * w->factor[1][y * k + h];
		TLV_TRY(tlv_gemm(ctx, true, false, d[2], d[1], k, 1, w->factor[2], k, pairs, k, 0, model,
						 d[2]));
		for (size_t i = 0; i < d[1] * d[2]; i++)
			sum += (given[i] - model[i]) * (given[i] - model[i]);
	}
	*residual = sqrt(sum / w->norm2);
	return TLV_OK;
}

/* Columns of length 1, the lengths in the weights, by decreasing weight. */
static tlv_status
cp_take_factors(tlv_context *ctx, cp_work *w, double *factors, double *weights)
{
	TLV_TRY(cp_find_grams(ctx, w));
	for (size_t h = 0; h < w->k; h++)
	{
		weights[h] = 1;
		for (int m = 0; m < TLV_MODES; m++)
			weights[h] *= sqrt(w->gram[m][h * w->k + h]);
	}
	return tlv_factors_order(ctx, w->tensor->d, w->k, w->gram, w->factor, weights, factors);
}

/* ---- the call ---- */

/* Bytes that tlv_cp takes at most beside its result. */
static double
cp_memory(const tlv_tensor *tensor, size_t k)
{
	size_t r[TLV_MODES];
	double doubles = work_doubles(tensor, k) + (double) k * (double) items_of(tensor);

	if (core_sides(tensor, k, r))
	{
		const tlv_tensor core = {.d = {r[0], r[1], r[2]}, .dense = tensor->dense};

		doubles += (double) r[0] * (double) r[1] * (double) r[2] + tlv_tucker_memory(tensor, r) / 8;
		doubles += 2 * work_doubles(&core, k) + (double) k * (double) items_of(tensor);
	}
	doubles += 8 * (double) k * (double) k;
	if (tensor->dense != NULL)
		doubles += (double) tensor->d[1] * ((double) tensor->d[2] + (double) k);
	return 8 * doubles + 8192;
}

tlv_status
tlv_cp_check(tlv_context *ctx, const tlv_tensor *tensor, size_t k)
{
	double largest;

	if (k == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the number of components must be at least 1");
	if (k > CP_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_LIMIT, "k = %zu is above %d", k, CP_MOST_COMPONENTS);
	TLV_TRY(tlv_tensor_largest(ctx, tensor, &largest));
	if (largest == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the tensor is zero");
	if (!(largest >= 1e-140 && largest <= 1e140))
		return tlv_fail(ctx, TLV_BAD_DATA, "the largest entry, %g, is too %s", largest,
						largest < 1 ? "small" : "large");
	return TLV_OK;
}

tlv_status
tlv_cp(tlv_context *ctx, const tlv_tensor *tensor, size_t k, const tlv_cp_options *options,
	   double *factors, double *weights, tlv_factors_found *found)
{
	cp_work w = {0};
	tlv_scratch scratch;
	tlv_status status;

	*found = (tlv_factors_found){0};
	TLV_TRY(tlv_cp_check(ctx, tensor, k));
	TLV_TRY(tlv_require_memory(ctx, cp_memory(tensor, k), "the factors of a tensor"));
	tlv_scratch_begin(ctx, &scratch);
	status = work_begin(ctx, tensor, k, &w);
	if (status == TLV_OK)
		status = run_cp(ctx, tensor, options, &w, found);
	if (status == TLV_OK && tensor->dense != NULL &&
		found->residual * found->residual < TLV_CANCELLED_RESIDUAL)
		status = direct_residual(ctx, &w, &found->residual);
	if (status == TLV_OK)
		status = cp_take_factors(ctx, &w, factors, weights);
	tlv_scratch_end(ctx, &scratch);
	return status;
}
