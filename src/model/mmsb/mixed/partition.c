/*
 * partition.c - the four-part method for communities (partition.h):
 * components from three views, and memberships by regression on them.
 */
#include "partition.h"

#include <math.h>
#include <string.h>

#include "partition_views.h"
#include "tensorlv/model/dirichlet.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tensor3.h"

#define VIEWS 3

/* Rows that are turned into double precision at a time. */
#define ROW_BLOCK 1024

/* Singular values below this part of the largest are rounding. */
#define MIXED_SINGULAR 1e-9

static const tlv_dirichlet_words words = {
	.components = "communities",
	.hint = "choose fewer communities, or a smaller alpha0.",
};

typedef struct partition_fit
{
	const tlv_csr *out, *in;
	bool bipartite;
	const tlv_partition_options *options;
	tlv_partition_result *result;
	tlv_partition_views views;
	size_t groups;					/* of the rows: 3 when the columns are fitted, too */
	double *rows;					/* ROW_BLOCK x 2 VIEWS x k, in double precision */
	double *mean, *pairs, *triples; /* mean: k, and k more */
	tlv_dirichlet_solver solver;
	double *components;		   /* k x k: E[view | community i] */
	double *small;			   /* three times k x k */
	double *covariance[VIEWS]; /* k x k: of instruments and memberships, per group */
	float *regression[VIEWS];  /* k x columns, per group */
	float *instrument;		   /* k x rows */
	uint8_t *group;			   /* rows */
	float *wide;			   /* k x columns */
} partition_fit;

double
tlv_partition_memory(const tlv_csr *out, bool bipartite, const tlv_partition_options *options)
{
	double k = (double) options->k, rows = (double) out->rows, columns = (double) out->columns;
	double part = columns / (bipartite ? 3 : 4) + 1, centres = bipartite ? rows : rows / 4 + 1;
	double block = (double) tlv_partition_block(out, bipartite, options->k);
	double directions = block > 2 * k ? block : 2 * k;
	double entry = out->value == NULL ? 4 : 8, edges = (double) out->entries;
	double views = entry * 2 * edges + 8 * (3 * rows + 4 * columns) +
				   4 * (3 * directions + 2 * block + k) * part + 4 * block * centres +
				   2 * 4 * block * part;
	double regression = 4 * k * (rows + (bipartite ? 5 : 3) * columns) + rows;

	return 12 * k * rows + 4 * rows + 12 * columns + (views > regression ? views : regression) +
		   sizeof(double) * (2 * k * k * k / 3 + 48 * k * k + (2 * VIEWS + 1.0) * ROW_BLOCK * k) +
		   4 * k * (rows + columns) +
		   tlv_dirichlet_memory(options->k, options->k, &options->decompose);
}

/* ---- components ---- */

static void
to_double(size_t n, const float *restrict from, double *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

static void
combine_groups(size_t n, double factor_a, const double *restrict a, double factor_b,
			   const double *restrict b, double *restrict sum)
{
	for (size_t i = 0; i < n; i++)
		sum[i] = factor_a * a[i] + factor_b * b[i];
}

static void
add_to(size_t n, const double *restrict a, double *restrict sum)
{
	for (size_t i = 0; i < n; i++)
		sum[i] += a[i];
}

/*
 * triples += factor Sym[a (x) b (x) c], the mean of the six orders, by polarisation:
 * 12 Sym[a b c] = Sym3[(a + b)^2 c] - Sym3[(a - b)^2 c].
 */
static tlv_status
mixed_add_triples(tlv_context *ctx, partition_fit *fit, size_t n, double factor)
{
	size_t k = fit->options->k, size = ROW_BLOCK * k;
	double *a = fit->rows, *b = a + size, *c = b + size, *sum = c + size, *third = sum + size;

	combine_groups(n * k, 1, a, 1, b, sum);
	combine_groups(n * k, factor / 12, c, 0, c, third);
	TLV_TRY(tlv_packed3_add_squares(ctx, k, n, sum, third, fit->triples));
	combine_groups(n * k, 1, a, -1, b, sum);
	combine_groups(n * k, -factor / 12, c, 0, c, third);
	return tlv_packed3_add_squares(ctx, k, n, sum, third, fit->triples);
}

/* Moments of three views (k x n); mean and pairs from all of them and all their pairs. */
static tlv_status
view_moments(tlv_context *ctx, partition_fit *fit, size_t n, float *const *views)
{
	size_t k = fit->options->k, size = ROW_BLOCK * k;
	double part = 1 / (double) n;

	memset(fit->mean, 0, k * sizeof(double));
	memset(fit->pairs, 0, k * k * sizeof(double));
	memset(fit->triples, 0, tlv_packed3_size(k) * sizeof(double));
	for (size_t first = 0; first < n; first += ROW_BLOCK)
	{
		size_t rows = n - first < ROW_BLOCK ? n - first : ROW_BLOCK;

		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "stars", (double) first, (double) n);
		for (size_t v = 0; v < VIEWS; v++)
		{
			double *y = fit->rows + v * size;

			to_double(rows * k, views[v] + first * k, y);
			for (size_t i = 0; i < rows * k; i++)
				fit->mean[i % k] += part / VIEWS * y[i];
		}
		for (size_t v = 0; v < VIEWS; v++)
			TLV_TRY(tlv_gemm(ctx, false, true, k, k, rows, part / VIEWS, fit->rows + v * size, k,
							 fit->rows + (v + 1) % VIEWS * size, k, 1, fit->pairs, k));
		TLV_TRY(mixed_add_triples(ctx, fit, rows, part));
	}
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < j; i++)
			fit->pairs[j * k + i] = fit->pairs[i * k + j] =
				(fit->pairs[j * k + i] + fit->pairs[i * k + j]) / 2;
	return TLV_OK;
}

/*
 * Components of the mixture that three views have in common, by decreasing weight.  Weights
 * w_j = 4 (a0 + 1) / ((a0 + 2)^2 value_j^2) sum to 1, but for noise, which makes values smaller and
 * components alike: the components are left with the sum as it is, *sum, which keeps the contrast
 * of the memberships (measured: half-L1 errors .26 instead of .34), and the weights are not.
 */
static tlv_status
solve_views(tlv_context *ctx, partition_fit *fit, size_t n, float *const *views, double *weights,
			double *sum)
{
	size_t k = fit->options->k;
	double a0 = fit->options->alpha0, least;
	const tlv_decomposition *decomposition = &fit->solver.decomposition;

	*sum = 0;
	TLV_TRY(view_moments(ctx, fit, n, views));
	TLV_TRY(tlv_dirichlet_decompose(ctx, &fit->solver, a0));
	/* a value of noise would be an infinite weight */
	least = MIXED_SINGULAR * decomposition->values[k - 1];
	for (size_t j = 0; j < k; j++)
	{
		double value = fmax(decomposition->values[j], least);

		weights[j] = 4 * (a0 + 1) / ((a0 + 2) * (a0 + 2) * value * value);
		*sum += weights[j];
		for (size_t i = 0; i < k; i++)
			fit->components[j * k + i] =
				fit->solver.components[j * k + i] * sqrt((a0 + 1) / weights[j]);
	}
	for (size_t j = 0; j < k; j++)
		weights[j] /= *sum;
	return TLV_OK;
}

/* x (k x n) <- a^+ x: coordinates in the columns of a; `a` is left as it was. */
static tlv_status
solve_rows(tlv_context *ctx, partition_fit *fit, const double *a, size_t n, float *x)
{
	size_t k = fit->options->k, rank;
	double *inverse = fit->small, *transposed = inverse + k * k;

	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, a, MIXED_SINGULAR, inverse, &rank));
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			transposed[i * k + j] = inverse[j * k + i];
	return tlv_rotate_float(ctx, n, k, x, k, transposed);
}

/* The three views become three estimates of the memberships. */
static tlv_status
estimate_rows(tlv_context *ctx, partition_fit *fit)
{
	tlv_partition_result *result = fit->result;
	size_t k = fit->options->k;

	TLV_TRY(solve_views(ctx, fit, fit->views.centres, fit->views.y, result->weights,
						&result->weight_sum));
	memcpy(result->eigenvalues, fit->solver.eigenvalues, k * sizeof(double));
	result->residual = fit->solver.decomposition.residual;
	result->iterations = fit->solver.decomposition.iterations;
	result->converged = fit->solver.decomposition.converged;
	for (size_t v = 0; v < VIEWS; v++)
		TLV_TRY(solve_rows(ctx, fit, fit->components, fit->views.rows, fit->views.y[v]));
	return TLV_OK;
}

/* ---- regression ---- */

/* The sum of the instruments of n rows, and covariances += instruments x memberships. */
static tlv_status
add_instruments(tlv_context *ctx, partition_fit *fit, size_t first, size_t n, double *sums)
{
	size_t k = fit->options->k, size = ROW_BLOCK * k;
	double *instrument = fit->rows + VIEWS * size, *of_group = instrument + size,
		   *work = of_group + size;

	memset(sums, 0, n * k * sizeof(double));
	for (size_t v = 0; v < VIEWS; v++)
	{
		const double *own = fit->rows + v * size;

		combine_groups(n * k, 0.5, fit->rows + (v + 1) % VIEWS * size, 0.5,
					   fit->rows + (v + 2) % VIEWS * size, instrument);
		for (size_t i = 0; i < n; i++)
			tlv_project_simplex(k, instrument + i * k, 1, work);
		add_to(n * k, instrument, sums);
		for (size_t g = 0; g < fit->groups; g++)
		{
			for (size_t i = 0; i < n; i++)
			{
				bool in_group = fit->group[fit->views.order[first + i]] == g;

				for (size_t j = 0; j < k; j++)
					of_group[i * k + j] = in_group ? instrument[i * k + j] : 0;
			}
			TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1, of_group, k, own, k, 1,
							 fit->covariance[g], k));
		}
	}
	return TLV_OK;
}

/*
 * Instruments Z_u, in the graph's order: of each estimate, the projection on the simplex of the
 * mean of the two others, all three added up; and their covariance with the estimates.
 */
static tlv_status
make_instruments(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k, size = ROW_BLOCK * k, n = fit->views.rows;
	double *sums = fit->rows + 2 * VIEWS * size;
	tlv_rng rng;

	tlv_rng_seed(&rng, fit->options->seed);
	for (size_t u = 0; u < n; u++)
		fit->group[u] = (uint8_t) tlv_rng_below(&rng, fit->groups);
	for (size_t first = 0; first < n; first += ROW_BLOCK)
	{
		size_t rows = n - first < ROW_BLOCK ? n - first : ROW_BLOCK;

		TLV_TRY_CONTINUE(ctx);
		for (size_t v = 0; v < VIEWS; v++)
			to_double(rows * k, fit->views.y[v] + first * k, fit->rows + v * size);
		TLV_TRY(add_instruments(ctx, fit, first, rows, sums));
		for (size_t i = 0; i < rows; i++)
			for (size_t j = 0; j < k; j++)
				fit->instrument[(size_t) fit->views.order[first + i] * k + j] =
					(float) sums[i * k + j];
	}
	return TLV_OK;
}

/* regression[g] = sum over the rows u of group g of g_uv Z_u */
static tlv_status
multiply_groups(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k, n = fit->views.rows;
	float *masked = fit->views.y[0];

	if (fit->groups == 1)
		return tlv_csr_multiply(ctx, fit->in, k, fit->instrument, fit->regression[0]);
	for (size_t g = 0; g < fit->groups; g++)
	{
		for (size_t u = 0; u < n; u++)
		{
			if (u % ROW_BLOCK == 0)
				TLV_TRY_CONTINUE(ctx);
			for (size_t j = 0; j < k; j++)
				masked[u * k + j] = fit->group[u] == g ? fit->instrument[u * k + j] : 0;
		}
		TLV_TRY(tlv_csr_multiply(ctx, fit->in, k, masked, fit->regression[g]));
	}
	return TLV_OK;
}

/* F_v = (sum of the covariances)^-1 sum over all rows u of g_uv Z_u, into `wide` */
static tlv_status
regress_all(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k, columns = fit->out->columns;
	double *sum = fit->small + 2 * k * k;

	memcpy(fit->wide, fit->regression[0], k * columns * sizeof(float));
	memcpy(sum, fit->covariance[0], k * k * sizeof(double));
	for (size_t g = 1; g < fit->groups; g++)
	{
		for (size_t v = 0; v < columns; v++)
		{
			if (v % ROW_BLOCK == 0)
				TLV_TRY_CONTINUE(ctx);
			for (size_t j = v * k; j < (v + 1) * k; j++)
				fit->wide[j] += fit->regression[g][j];
		}
		add_to(k * k, fit->covariance[g], sum);
	}
	return solve_rows(ctx, fit, sum, columns, fit->wide);
}

/* scores = (F S^2 F')^-1 F S^2 g_u, F k x columns */
static tlv_status
mixed_score_rows(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k, columns = fit->out->columns;
	float *weighted = fit->regression[0];
	double *gram = fit->small + 2 * k * k;

	for (size_t v = 0; v < columns; v++)
	{
		float squared = fit->views.scale[v] * fit->views.scale[v];

		if (v % ROW_BLOCK == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = v * k; j < (v + 1) * k; j++)
			weighted[j] = squared * fit->wide[j];
	}
	TLV_TRY(tlv_gram_float(ctx, columns, k, fit->wide, k, weighted, gram));
	TLV_TRY(tlv_csr_multiply(ctx, fit->out, k, weighted, fit->result->scores));
	return solve_rows(ctx, fit, gram, fit->out->rows, fit->result->scores);
}

/* ---- columns of a bipartite graph ---- */

/* The columns' communities numbered so that the trace of P is the largest. */
static tlv_status
match_columns(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k;
	double *cost = fit->small, *matched = fit->small + 2 * k * k, total;
	int64_t *assignment = tlv_alloc(ctx, k, sizeof(int64_t));
	tlv_status status;

	TLV_TRY_ALLOC(ctx, assignment);
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			cost[i * k + j] = -fit->components[j * k + i];
	status = tlv_assignment(ctx, k, k, cost, assignment, &total);
	for (size_t i = 0; status == TLV_OK && i < k; i++)
		memcpy(matched + i * k, fit->components + (size_t) assignment[i] * k, k * sizeof(double));
	tlv_free(ctx, assignment);
	return status;
}

/* rho_v = P^-1 F_v, the columns of P being the components of the groups' regressions. */
static tlv_status
score_columns(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k, columns = fit->out->columns;
	double *weights = fit->mean + k, sum;

	for (size_t g = 0; g < fit->groups; g++)
		TLV_TRY(solve_rows(ctx, fit, fit->covariance[g], columns, fit->regression[g]));
	fit->solver.words.components = "communities of the columns";
	TLV_TRY(solve_views(ctx, fit, columns, fit->regression, weights, &sum));
	fit->result->column_residual = fit->solver.decomposition.residual;
	TLV_TRY(match_columns(ctx, fit));
	memcpy(fit->result->column_scores, fit->wide, k * columns * sizeof(float));
	return solve_rows(ctx, fit, fit->small + 2 * k * k, columns, fit->result->column_scores);
}

/* ---- the fit ---- */

static tlv_status
check_partition_options(tlv_context *ctx, const tlv_csr *out, bool bipartite,
						const tlv_partition_options *options)
{
	size_t k = options->k;

	if (k < 1)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the number of communities must be at least 1");
	if (k > TLV_EIGEN_LIMIT / 2)
		return tlv_fail(ctx, TLV_LIMIT, "%zu communities; at most %d can be found in four parts", k,
						TLV_EIGEN_LIMIT / 2);
	if (!(options->alpha0 >= 0 && isfinite(options->alpha0)))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not a finite number >= 0",
						options->alpha0);
	if (out->columns < (bipartite ? 6 : 8) * k || out->rows < 2 * k)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu %s are too few for %zu %s in %s parts",
				 out->rows < 2 * k ? out->rows : out->columns,
				 bipartite ? "nodes of a side" : "nodes", k,
				 tlv_plural((double) k, "community", "communities"), bipartite ? "three" : "four");
		return tlv_fail_hint(
			ctx,
			"Every part needs at least %zu nodes: choose fewer communities, or fit "
			"the whole graph.",
			2 * k);
	}
	if (out->entries == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the graph has no edges");
	return tlv_require_memory(ctx, tlv_partition_memory(out, bipartite, options),
							  "the four-part fit");
}

static tlv_status
allocate_result(tlv_context *ctx, partition_fit *fit)
{
	tlv_partition_result *result = fit->result;
	size_t k = fit->options->k;

	result->k = k;
	result->rows = fit->out->rows;
	result->columns = fit->out->columns;
	result->column_residual = NAN;
	TLV_TRY_NEW(ctx, result->scores, k * result->rows);
	if (fit->bipartite)
		TLV_TRY_NEW(ctx, result->column_scores, k * result->columns);
	TLV_TRY_NEW(ctx, result->weights, k);
	TLV_TRY_NEW(ctx, result->eigenvalues, k);
	return TLV_OK;
}

static tlv_status
allocate_small(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k;
	tlv_dirichlet_moments moments;

	TLV_TRY_NEW(ctx, fit->rows, (2 * VIEWS + 1) * ROW_BLOCK * k);
	TLV_TRY_NEW(ctx, fit->mean, 2 * k);
	TLV_TRY_NEW(ctx, fit->pairs, k * k);
	TLV_TRY_NEW(ctx, fit->triples, tlv_packed3_size(k));
	TLV_TRY_NEW(ctx, fit->components, k * k);
	TLV_TRY_NEW(ctx, fit->small, 3 * k * k);
	moments = (tlv_dirichlet_moments){
		.width = k, .mean = fit->mean, .pairs = fit->pairs, .triples = fit->triples};
	return tlv_dirichlet_solver_create(ctx, &moments, k, &fit->options->decompose, &words,
									   &fit->solver);
}

static tlv_status
allocate_regression(tlv_context *ctx, partition_fit *fit)
{
	size_t k = fit->options->k;

	for (size_t g = 0; g < fit->groups; g++)
	{
		TLV_TRY_NEW0(ctx, fit->covariance[g], k * k);
		TLV_TRY_NEW(ctx, fit->regression[g], k * fit->out->columns);
	}
	TLV_TRY_NEW(ctx, fit->instrument, k * fit->out->rows);
	TLV_TRY_NEW(ctx, fit->group, fit->out->rows);
	TLV_TRY_NEW(ctx, fit->wide, k * fit->out->columns);
	return TLV_OK;
}

static tlv_status
run_partition(tlv_context *ctx, partition_fit *fit)
{
	TLV_TRY(allocate_result(ctx, fit));
	TLV_TRY(allocate_small(ctx, fit));
	TLV_TRY(tlv_partition_views_compute(ctx, fit->out, fit->in, fit->bipartite, fit->options,
										&fit->views));
	fit->result->steps = fit->views.steps;
	TLV_TRY(estimate_rows(ctx, fit));
	TLV_TRY(allocate_regression(ctx, fit));
	TLV_TRY(make_instruments(ctx, fit));
	TLV_TRY(multiply_groups(ctx, fit));
	TLV_TRY(regress_all(ctx, fit));
	if (fit->bipartite)
		TLV_TRY(score_columns(ctx, fit));
	return mixed_score_rows(ctx, fit);
}

static void
free_partition_fit(tlv_context *ctx, partition_fit *fit)
{
	for (size_t g = 0; g < VIEWS; g++)
	{
		tlv_free(ctx, fit->covariance[g]);
		tlv_free(ctx, fit->regression[g]);
	}
	tlv_partition_views_free(ctx, &fit->views);
	tlv_dirichlet_solver_free(ctx, &fit->solver);
	tlv_free(ctx, fit->rows);
	tlv_free(ctx, fit->mean);
	tlv_free(ctx, fit->pairs);
	tlv_free(ctx, fit->triples);
	tlv_free(ctx, fit->components);
	tlv_free(ctx, fit->small);
	tlv_free(ctx, fit->instrument);
	tlv_free(ctx, fit->group);
	tlv_free(ctx, fit->wide);
}

tlv_status
tlv_partition_fit(tlv_context *ctx, const tlv_csr *out, const tlv_csr *in, bool bipartite,
				  const tlv_partition_options *options, tlv_partition_result *result)
{
	partition_fit fit = {.out = out,
						 .in = in,
						 .bipartite = bipartite,
						 .options = options,
						 .result = result,
						 .groups = bipartite ? VIEWS : 1};
	tlv_status status;

	memset(result, 0, sizeof(*result));
	TLV_TRY(check_partition_options(ctx, out, bipartite, options));
	status = run_partition(ctx, &fit);
	free_partition_fit(ctx, &fit);
	if (status != TLV_OK)
		tlv_partition_result_free(ctx, result);
	return status;
}

void
tlv_partition_result_free(tlv_context *ctx, tlv_partition_result *result)
{
	tlv_free(ctx, result->scores);
	tlv_free(ctx, result->column_scores);
	tlv_free(ctx, result->weights);
	tlv_free(ctx, result->eigenvalues);
	memset(result, 0, sizeof(*result));
}
