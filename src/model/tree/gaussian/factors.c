/*
 * factors.c - factor analysis of a correlation matrix: several sources that act on all variables at
 * once, which a tree of single hidden numbers cannot say (tree_gaussian.h).
 *
 * Maximum likelihood on the correlations: by the likeliest loadings given what they leave and what
 * those leave, in turn (Lawley 1940; Barber 2012, algorithm 21.1), which costs an eigenvalue
 * problem a step, from several initial estimates, since the likelihood has optima at which a
 * variable has no variance of its own (Heywood cases); or, of many variables, by EM (Rubin, Thayer
 * 1982) from the principal axes, which converges slowly where the factors leave hardly any
 * variance.  The number of factors by the Bayesian information criterion, climbing from the number
 * of eigenvalues above the edge of the noise's spectrum (Marchenko, Pastur 1967).
 */
#include "tensorlv/model/tree_gaussian.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tuning.h"

/* Most factors. */
#define MOST_FACTORS 100
/* Initial estimates of the variances that the factors leave: those of the principal axes, 1, what
 * the other variables leave (1 / diag(R^-1)), and random ones. */
#define FACTOR_STARTS 6
/* Variables of which every step may cost an eigenvalue problem. */
#define FEW_VARIABLES ((size_t) 64)

typedef struct factor_work
{
	size_t d, most;
	const double *r; /* d x d */
	double *values;	 /* d: eigenvalues of r, descending */
	double *vectors; /* d x d */
	double *psi;	 /* d: variance that the factors leave */
	double *l;		 /* d x q: loadings */
	double *scaled;	 /* d x q: loadings over psi */
	double *b;		 /* q x d: the factors' means given unit variables */
	double *c;		 /* d x q: r b' */
	double *m;		 /* q x q */
	double *axes;	 /* d x d and d: of r over what is left, of few variables */
	double *kept;	 /* d: psi of the step before */
	double *starts;	 /* d x FACTOR_STARTS: initial psi, of few variables */
	double done;	 /* multiplications */
} factor_work;

size_t
tlv_factors_most(size_t d)
{
	size_t q = 0;

	/* Ledermann's bound: beyond it there are more parameters than correlations. */
	while (q < MOST_FACTORS && q + 1 < d && (d - q - 1) * (d - q - 1) >= d + q + 1)
		q++;
	return q;
}

static double
factor_parameters(size_t d, size_t q)
{
	return (double) d * ((double) q + 2) - (double) q * ((double) q - 1) / 2;
}

double
tlv_factors_criterion(double log_likelihood, double parameters, double rows)
{
	return log_likelihood - parameters * log(rows) / (2 * rows);
}

static double
psi_of(double explained)
{
	return fmax(1 - explained, TLV_FACTORS_LEAST_NOISE);
}

/* Loadings from the q leading principal axes, beyond the mean of the other eigenvalues. */
static void
factor_start(factor_work *w, size_t q)
{
	size_t d = w->d;
	double noise = 0;

	for (size_t j = q; j < d; j++)
		noise += fmax(w->values[j], 0) / (double) (d - q);
	for (size_t a = 0; a < q; a++)
	{
		double scale = sqrt(fmax(w->values[a] - noise, 1e-6));

		for (size_t i = 0; i < d; i++)
			w->l[a * d + i] = scale * w->vectors[a * d + i];
	}
	for (size_t i = 0; i < d; i++)
	{
		double explained = 0;

		for (size_t a = 0; a < q; a++)
			explained += w->l[a * d + i] * w->l[a * d + i];
		w->psi[i] = psi_of(explained);
	}
}

/* b = (I + L' psi^-1 L)^-1 L' psi^-1, c = r b' and the log-likelihood of a row. */
static tlv_status
factor_expect(tlv_context *ctx, factor_work *w, size_t q, double *log_likelihood)
{
	size_t d = w->d;
	double sum = (double) d * log(2 * M_PI);

	if (q == 0)
	{
		*log_likelihood = -(sum + (double) d) / 2;
		return TLV_OK;
	}
	for (size_t a = 0; a < q; a++)
		for (size_t i = 0; i < d; i++)
			w->b[i * q + a] = w->scaled[a * d + i] = w->l[a * d + i] / w->psi[i];
	TLV_TRY(tlv_gemm(ctx, true, false, q, q, d, 1, w->l, d, w->scaled, d, 0, w->m, q));
	for (size_t a = 0; a < q; a++)
		w->m[a * q + a] += 1;
	TLV_TRY(tlv_solve_spd(ctx, q, d, w->m, w->b)); /* m becomes its factor */
	TLV_TRY(tlv_gemm(ctx, false, true, d, q, d, 1, w->r, d, w->b, q, 0, w->c, d));
	w->done += (double) d * (double) d * (double) q;
	for (size_t a = 0; a < q; a++)
		sum += 2 * log(w->m[a * q + a]);
	for (size_t i = 0; i < d; i++)
		sum += log(w->psi[i]) + 1 / w->psi[i];
	for (size_t a = 0; a < q; a++)
		for (size_t i = 0; i < d; i++)
			sum -= w->scaled[a * d + i] * w->c[a * d + i];
	*log_likelihood = -sum / 2;
	return TLV_OK;
}

/* L = c (I - b L + b c)^-1 and what it leaves. */
static tlv_status
factor_maximise(tlv_context *ctx, factor_work *w, size_t q)
{
	size_t d = w->d;

	for (size_t e = 0; e < d * q; e++)
		w->scaled[e] = w->c[e] - w->l[e];
	TLV_TRY(tlv_gemm(ctx, false, false, q, q, d, 1, w->b, q, w->scaled, d, 0, w->m, q));
	for (size_t a = 0; a < q; a++)
		w->m[a * q + a] += 1;
	for (size_t a = 0; a < q; a++)
		for (size_t i = 0; i < d; i++)
			w->b[i * q + a] = w->c[a * d + i];
	TLV_TRY(tlv_solve_spd(ctx, q, d, w->m, w->b));
	for (size_t i = 0; i < d; i++)
	{
		double explained = 0;

		for (size_t a = 0; a < q; a++)
		{
			w->l[a * d + i] = w->b[i * q + a];
			explained += w->l[a * d + i] * w->c[a * d + i];
		}
		w->psi[i] = psi_of(explained);
	}
	return TLV_OK;
}

static tlv_status
factor_em(tlv_context *ctx, factor_work *w, size_t q, int steps, double *log_likelihood)
{
	double before = -HUGE_VAL;

	factor_start(w, q);
	for (int step = 0;; step++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(factor_expect(ctx, w, q, log_likelihood));
		if (q == 0 || step == steps || *log_likelihood - before < STEP_GAIN)
			return TLV_OK;
		before = *log_likelihood;
		TLV_TRY(factor_maximise(ctx, w, q));
	}
}

/* ---- few variables ---- */

/* r over the deviations that are left, its axes and their values (behind them). */
static tlv_status
factor_axes(tlv_context *ctx, factor_work *w)
{
	size_t d = w->d;

	for (size_t j = 0; j < d; j++)
		for (size_t i = 0; i < d; i++)
			w->axes[j * d + i] = w->r[j * d + i] / sqrt(w->psi[i] * w->psi[j]);
	w->done += 10 * (double) d * (double) d * (double) d;
	return tlv_eigen_symmetric(ctx, d, w->axes, w->axes + d * d);
}

/* The likeliest loadings given psi, and the log-likelihood of a row under both. */
static tlv_status
factor_likeliest(tlv_context *ctx, factor_work *w, size_t q, double *log_likelihood)
{
	size_t d = w->d;
	const double *values = w->axes + d * d;
	double sum = (double) d * log(2 * M_PI);

	TLV_TRY(factor_axes(ctx, w));
	for (size_t i = 0; i < d; i++)
		sum += log(w->psi[i]) + (i < q && values[i] > 1 ? log(values[i]) + 1 : values[i]);
	for (size_t a = 0; a < q; a++)
		for (size_t i = 0; i < d; i++)
			w->l[a * d + i] = sqrt(fmax(values[a] - 1, 0) * w->psi[i]) * w->axes[a * d + i];
	*log_likelihood = -sum / 2;
	return TLV_OK;
}

/* What the loadings leave. */
static void
factor_leave(factor_work *w, size_t q)
{
	for (size_t i = 0; i < w->d; i++)
	{
		double explained = 0;

		for (size_t a = 0; a < q; a++)
			explained += w->l[a * w->d + i] * w->l[a * w->d + i];
		w->psi[i] = psi_of(explained);
	}
}

/* What the other variables leave of each; of a singular matrix, half. */
static tlv_status
factor_regress(tlv_context *ctx, factor_work *w, double *psi)
{
	size_t d = w->d;

	memcpy(w->axes, w->r, d * d * sizeof(double));
	for (size_t i = 0; i < d; i++)
		psi[i] = 0.5;
	if (tlv_cholesky(ctx, d, w->axes) != TLV_OK)
		return ctx->error.code == TLV_BAD_DATA ? TLV_OK : ctx->error.code;
	TLV_TRY(tlv_invert_cholesky(ctx, d, w->axes));
	for (size_t i = 0; i < d; i++)
		psi[i] = psi_of(1 - 1 / fmax(w->axes[i * d + i], 1));
	return TLV_OK;
}

/* The initial estimates but the first, which depends on the number of factors. */
static tlv_status
factor_make_starts(tlv_context *ctx, factor_work *w)
{
	size_t d = w->d;
	tlv_rng rng;

	tlv_rng_seed(&rng, 1);
	for (size_t e = 0; e < d * FACTOR_STARTS; e++)
		w->starts[e] = e < 2 * d ? 1 : tlv_rng_uniform(&rng);
	return factor_regress(ctx, w, w->starts + 2 * d);
}

/* From psi as it is. */
static tlv_status
factor_alternate(tlv_context *ctx, factor_work *w, size_t q, int steps, double *log_likelihood)
{
	size_t d = w->d;
	double before = -HUGE_VAL;

	for (int step = 0;; step++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(factor_likeliest(ctx, w, q, log_likelihood));
		if (*log_likelihood < before)
		{
			memcpy(w->psi, w->kept, d * sizeof(double));
			TLV_TRY(factor_likeliest(ctx, w, q, log_likelihood));
		}
		if (step == steps || *log_likelihood - before < STEP_GAIN)
			return TLV_OK;
		before = *log_likelihood;
		memcpy(w->kept, w->psi, d * sizeof(double));
		factor_leave(w, q);
	}
}

/* The likeliest of several initial estimates after some steps, which goes on from there. */
static tlv_status
factor_alternate_best(tlv_context *ctx, factor_work *w, size_t q, int steps, double *log_likelihood)
{
	size_t d = w->d;
	int some = steps < FACTOR_STEPS_FIRST ? steps : FACTOR_STEPS_FIRST;
	double best = -HUGE_VAL, *best_psi;

	TLV_TRY_NEW(ctx, best_psi, d);
	factor_start(w, q);
	memcpy(w->starts, w->psi, d * sizeof(double));
	for (size_t s = 0; s < FACTOR_STARTS; s++)
	{
		memcpy(w->psi, w->starts + s * d, d * sizeof(double));
		TLV_TRY(factor_alternate(ctx, w, q, some, log_likelihood));
		if (s > 0 && !(*log_likelihood > best + STEP_GAIN))
			continue;
		best = *log_likelihood;
		memcpy(best_psi, w->psi, d * sizeof(double));
	}
	memcpy(w->psi, best_psi, d * sizeof(double));
	tlv_free(ctx, best_psi);
	return factor_alternate(ctx, w, q, steps, log_likelihood);
}

static tlv_status
factor_fit(tlv_context *ctx, factor_work *w, size_t q, int steps, double *log_likelihood)
{
	return w->axes != NULL && q > 0 ? factor_alternate_best(ctx, w, q, steps, log_likelihood)
									: factor_em(ctx, w, q, steps, log_likelihood);
}

/* ---- the number of factors ---- */

static tlv_status
factor_criterion(tlv_context *ctx, factor_work *w, size_t q, double rows, double *criterion)
{
	double likelihood;

	TLV_TRY(factor_fit(ctx, w, q, FACTOR_STEPS_FIRST, &likelihood));
	*criterion = tlv_factors_criterion(likelihood, factor_parameters(w->d, q), rows);
	return TLV_OK;
}

/* From q on, one step at a time: the best so far in *best, 0 with the criterion of no factor. */
static tlv_status
factor_climb(tlv_context *ctx, factor_work *w, size_t from, int direction, double rows,
			 size_t *best, double *best_criterion)
{
	int worse = 0;

	for (size_t q = from;
		 q >= 1 && q <= w->most && worse < TLV_IN_VAIN && w->done<CLIMB_WORK; q = direction> 0
			 ? q + 1
			 : q - 1)
	{
		double criterion;

		TLV_TRY(factor_criterion(ctx, w, q, rows, &criterion));
		worse = criterion > *best_criterion ? 0 : worse + 1;
		if (worse > 0)
			continue;
		*best = q;
		*best_criterion = criterion;
	}
	return TLV_OK;
}

static tlv_status
factor_choose(tlv_context *ctx, factor_work *w, double rows, size_t *q)
{
	double edge = 1 + sqrt((double) w->d / rows), criterion;
	size_t start = 0;

	while (start < w->most && w->values[start] > edge * edge)
		start++;
	start = start > 0 ? start : 1;
	*q = 0;
	TLV_TRY(factor_criterion(ctx, w, 0, rows, &criterion));
	TLV_TRY(factor_climb(ctx, w, start, 1, rows, q, &criterion));
	return factor_climb(ctx, w, start - 1, -1, rows, q, &criterion);
}

static tlv_status
allocate_work(tlv_context *ctx, factor_work *w, size_t q)
{
	size_t d = w->d, few = d <= FEW_VARIABLES ? d * d + (2 + FACTOR_STARTS) * d : 0;

	TLV_TRY(tlv_alloc_numbers(ctx, &w->values, 2 * d + d * d + 4 * d * q + q * q + few));
	w->psi = w->values + d;
	w->vectors = w->psi + d;
	w->l = w->vectors + d * d;
	w->scaled = w->l + d * q;
	w->b = w->scaled + d * q;
	w->c = w->b + d * q;
	w->m = w->c + d * q;
	w->axes = few > 0 ? w->m + q * q : NULL;
	w->kept = few > 0 ? w->axes + d * d + d : NULL;
	w->starts = few > 0 ? w->kept + d : NULL;
	return TLV_OK;
}

tlv_status
tlv_factors_fit(tlv_context *ctx, size_t d, const double *r, double rows, size_t q, int steps,
				tlv_factors *factors)
{
	factor_work w = {.d = d, .r = r, .most = q > 0 ? q : tlv_factors_most(d)};
	bool chosen = q == 0;

	TLV_TRY(allocate_work(ctx, &w, w.most));
	memcpy(w.vectors, r, d * d * sizeof(double));
	TLV_TRY(tlv_eigen_symmetric(ctx, d, w.vectors, w.values));
	if (w.axes != NULL)
		TLV_TRY(factor_make_starts(ctx, &w));
	if (chosen && w.most > 0)
		TLV_TRY(factor_choose(ctx, &w, rows, &q));
	TLV_TRY(factor_fit(ctx, &w, q, steps, &factors->log_likelihood));
	factors->q = q;
	factors->parameters = factor_parameters(d, q);
	factors->loadings = NULL;
	if (q > 0)
		TLV_TRY(tlv_alloc_numbers(ctx, &factors->loadings, d * q));
	for (size_t a = 0; a < q; a++)
		memcpy(factors->loadings + a * d, w.l + a * d, d * sizeof(double));
	tlv_free(ctx, w.values);
	return TLV_OK;
}
