/*
 * em.c - EM for Gaussian trees on the covariance of the observed columns
 * (fit.h; Rubin, Thayer 1982).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "fit.h"
#include "tuning.h"

tlv_status
tlv_tree_clip_singular(tlv_context *ctx, size_t m, size_t n, double most, double *b)
{
	size_t r = m < n ? m : n;
	double *a, *u, *s, *vt;

	if (r == 1 && m == 1 && n == 1)
	{
		b[0] = copysign(fmin(fabs(b[0]), most), b[0]);
		return TLV_OK;
	}
	TLV_TRY(tlv_alloc_numbers(ctx, &a, m * n + m * r + r + r * n));
	u = a + m * n;
	s = u + m * r;
	vt = s + r;
	memcpy(a, b, m * n * sizeof(double));
	TLV_TRY(tlv_svd(ctx, m, n, a, u, s, vt));
	for (size_t l = 0; l < r; l++)
		for (size_t i = 0; i < m; i++)
			u[l * m + i] *= fmin(s[l], most);
	TLV_TRY(tlv_gemm(ctx, false, false, m, n, r, 1, u, m, vt, r, 0, b, m));
	tlv_free(ctx, a);
	return TLV_OK;
}

tlv_status
tlv_tree_leave_noise(tlv_context *ctx, gaussian_fit *fit)
{
	for (size_t v = 0; v < fit->parts.nodes; v++)
	{
		size_t n = (size_t) fit->g.states[v], m;
		double *noise = fit->noise + fit->g.square[v];
		const double *table = fit->tables + fit->edge[v];

		memset(noise, 0, n * n * sizeof(double));
		for (size_t i = 0; i < n; i++)
			noise[i * n + i] = 1;
		if (fit->parts.parent[v] < 0)
			continue;
		m = (size_t) fit->g.states[fit->parts.parent[v]];
		TLV_TRY(tlv_syrk(ctx, false, n, m, -1, table, n, 1, noise, n, true));
	}
	return TLV_OK;
}

/* Means of hidden elements given every unit vector of observed ones, and their products with s. */
static tlv_status
condition(tlv_context *ctx, gaussian_fit *fit)
{
	size_t d = fit->d;
	tree_gaussian *g = &fit->g;

	TLV_TRY(tlv_tree_gaussian_set(ctx, g, fit->tables, fit->noise));
	for (size_t e = 0; e < d + fit->hidden; e++)
		g->free[e] = e >= d;
	TLV_TRY(tlv_tree_gaussian_factor(ctx, g));
	memset(g->value, 0, (d + fit->hidden) * sizeof(double));
	for (size_t j = 0; j < d; j++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, j);
		g->value[j] = 1;
		tlv_tree_gaussian_solve(g);
		g->value[j] = 0;
		for (size_t h = 0; h < fit->hidden; h++)
			fit->kt[h * d + j] = g->mean[d + h];
	}
	TLV_TRY(tlv_tree_gaussian_variances(ctx, g));
	return tlv_gemm(ctx, false, false, d, fit->hidden, d, 1, fit->s, d, fit->kt, d, 0, fit->mt, d);
}

/* Sum of products of a block n x m with e(i, j) = from[column(j) ...]: observed by hidden. */
static double
observed_hidden(const gaussian_fit *fit, size_t o, size_t h, bool above, const double *cross)
{
	size_t n = (size_t) fit->g.states[o], m = (size_t) fit->g.states[h];
	const double *mt = fit->mt + (fit->g.element[h] - fit->d) * fit->d + fit->g.element[o];
	double sum = 0;

	for (size_t j = 0; j < m; j++)
		for (size_t i = 0; i < n; i++)
			sum += mt[j * fit->d + i] * (above ? cross[i * m + j] : cross[j * n + i]);
	return sum;
}

/* Log-likelihood of a row under the present parameters. */
static double
row_log_likelihood(const gaussian_fit *fit)
{
	const tree_gaussian *g = &fit->g;
	size_t p = fit->parts.p;
	double form = 0;

	for (size_t v = 0; v < fit->parts.nodes; v++)
	{
		int64_t u = fit->parts.parent[v];
		size_t n = (size_t) g->states[v];
		const double *cross = g->cross + g->edge[v];

		for (size_t i = 0; v < p && i < n; i++)
			for (size_t j = 0; j < n; j++)
				form += g->precision[g->square[v] + j * n + i] *
						fit->s[(g->element[v] + j) * fit->d + g->element[v] + i];
		if (u < 0 || (v >= p && u >= (int64_t) p))
			continue;
		if (v < p && u >= (int64_t) p)
			form += observed_hidden(fit, v, (size_t) u, false, cross);
		else if (v >= p)
			form += observed_hidden(fit, (size_t) u, v, true, cross);
		else
			for (size_t j = 0; j < (size_t) g->states[u]; j++)
				for (size_t i = 0; i < n; i++)
					form += 2 * cross[j * n + i] *
							fit->s[(g->element[u] + j) * fit->d + g->element[v] + i];
	}
	return -0.5 * (form + g->log_noise + g->log_free + (double) fit->d * log(2 * M_PI)) -
		   fit->columns.log_scale;
}

/* to (n_v x n_u) = E[v u'] over the rows and what is not seen of them; v = u or v below u. */
static void
gaussian_tree_second_moment(const gaussian_fit *fit, size_t v, size_t u, double *to)
{
	const tree_gaussian *g = &fit->g;
	size_t n = (size_t) g->states[v], m = (size_t) g->states[u], d = fit->d, p = fit->parts.p;

	for (size_t j = 0; j < m; j++)
		for (size_t i = 0; i < n; i++)
		{
			size_t ev = g->element[v] + i, eu = g->element[u] + j;
			double sum = 0;

			if (u < p)
				sum = v < p ? fit->s[eu * d + ev] : fit->mt[(ev - d) * d + eu];
			else if (v < p)
				sum = fit->mt[(eu - d) * d + ev];
			else
			{
				for (size_t c = 0; c < d; c++)
					sum += fit->mt[(ev - d) * d + c] * fit->kt[(eu - d) * d + c];
				if (v == u)
					sum += g->variance[g->square[v] + j * n + i];
				else
					for (size_t l = 0; l < m; l++)
						sum -=
							g->gain[g->edge[v] + l * n + i] * g->variance[g->square[u] + j * m + l];
			}
			to[j * n + i] = sum;
		}
}

/* Computes the next regressions; every hidden node is standardised again. */
static tlv_status
maximise(tlv_context *ctx, gaussian_fit *fit, double *work)
{
	const tree_gaussian *g = &fit->g;
	size_t p = fit->parts.p, r = fit->r;

	for (size_t v = p; v < fit->parts.nodes; v++)
	{
		double *factor = fit->factor + (v - p) * r * r;

		TLV_TRY_CONTINUE_OFTEN(ctx, v);
		gaussian_tree_second_moment(fit, v, v, factor);
		if (tlv_small_cholesky(ctx, r, factor) != TLV_OK)
			return ctx->error.code != TLV_BAD_DATA
					   ? ctx->error.code
					   : tlv_fail(ctx, TLV_BAD_DATA,
								  "the hidden node above %s has lost its variance",
								  tlv_tree_show_below(&fit->parts, v, &(tlv_shown_list){0}));
	}
	for (size_t v = 0; v < fit->parts.nodes; v++)
	{
		size_t n = (size_t) g->states[v], m, u;
		double *table = fit->tables + fit->edge[v];

		TLV_TRY_CONTINUE_OFTEN(ctx, v);
		if (fit->parts.parent[v] < 0)
			continue;
		u = (size_t) fit->parts.parent[v];
		m = (size_t) g->states[u];
		gaussian_tree_second_moment(fit, v, u, table);
		if (v >= p)
			TLV_TRY(tlv_small_solve(ctx, n, m, fit->factor + (v - p) * r * r, false, table));
		for (size_t i = 0; u >= p && i < n; i++)
		{
			for (size_t j = 0; j < m; j++)
				work[j] = table[j * n + i];
			tlv_small_substitute(m, fit->factor + (u - p) * r * r, false, work);
			for (size_t j = 0; j < m; j++)
				table[j * n + i] = work[j];
		}
		TLV_TRY(tlv_tree_clip_singular(ctx, n, m, EDGE_MOST, table));
	}
	return tlv_tree_leave_noise(ctx, fit);
}

tlv_status
tlv_tree_gaussian_refine(tlv_context *ctx, gaussian_fit *fit, int iterations)
{
	double before = -HUGE_VAL, now, *work;
	int done = 0;

	TLV_TRY(tlv_alloc_numbers(ctx, &fit->kt, fit->d * fit->hidden));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->mt, fit->d * fit->hidden));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->factor, fit->hidden * fit->r));
	TLV_TRY(tlv_alloc_numbers(ctx, &work, fit->d + fit->r));
	for (;; done++)
	{
		tlv_report(ctx, "EM on the covariance", done, iterations);
		TLV_TRY(condition(ctx, fit));
		now = row_log_likelihood(fit);
		if (done == iterations || now - before < STEP_GAIN || fit->hidden == 0)
			break;
		before = now;
		TLV_TRY(maximise(ctx, fit, work));
	}
	tlv_free(ctx, work);
	fit->parts.steps = done;
	fit->log_likelihood = now;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, done, "iterations"));
	return tlv_diagnose(ctx, &fit->diagnostics, now, "log_likelihood_per_row");
}
