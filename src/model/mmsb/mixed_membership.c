/*
 * mixed_membership.c - variational inference of mixed memberships
 * (mixed_membership.h).
 *
 * The work is in the edges: two passes over the k rates of every neighbour.
 * Rows of rates are padded to whole vectors.
 */
#include "mixed_membership.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/linalg.h"

#define LANES 16

/* Parameters below this have no share: exp(digamma(.)) of them is below 1e-11. */
#define LEAST_PARAMETER 0.04

/* P is inverted when its singular values are within this ratio. */
#define INVERTIBLE 1e-4

/* Least entry of P, of its largest. */
#define CONNECTIVITY_FLOOR 1e-3

/* Edges worked on between two looks at tlv_should_stop(). */
#define EDGE_CHUNK 100000

/* What a node's weights cost, in edges. */
#define NODE_EDGES 128

/* Entries of shares worked on between two looks. */
#define ENTRY_CHUNK 1000000

/* How far ahead neighbours' rows are fetched. */
#define FETCH_AHEAD 8

typedef struct mixed_work
{
	tlv_mixed_model *model;
	bool update;
	size_t width;	  /* k in whole vectors */
	float *gamma[2];  /* width x n: Dirichlet parameters */
	float *rate;	  /* width x n of the side that is seen: F */
	float *before;	  /* k x n: its shares, while they change */
	void *blocks[3];  /* what was allocated for the three above, not aligned */
	double *sums;	  /* k: of F over the side that is seen */
	double *assigned; /* k x k: A = sum of W_u times the neighbours' shares over their rates */
	double *inverse;  /* k x k: of P */
	bool direct;	  /* P cannot be inverted: shares are summed edge by edge */
	float *weight;	  /* width */
	float *row;		  /* width */
	float *mean;	  /* width: sum of neighbours' shares over their rates */
	double *share;	  /* k */
} mixed_work;

static size_t
other_side(const tlv_mixed_model *model, size_t s)
{
	return model->sides == 1 ? 0 : 1 - s;
}

static size_t
largest_side(const tlv_mixed_model *model)
{
	return model->sides == 2 && model->side[1].n > model->side[0].n ? model->side[1].n
																	: model->side[0].n;
}

static size_t
padded_width(size_t k)
{
	return (k + LANES - 1) / LANES * LANES;
}

double
tlv_mixed_memory(const tlv_mixed_model *model, bool update)
{
	double n = (double) model->side[0].n, most = (double) largest_side(model);

	if (model->sides == 2)
		n += (double) model->side[1].n;
	return 4 * (double) padded_width(model->k) * (n + most) +
		   (update ? 4 * (double) model->k * most : 0) + 16 * (double) (model->k * model->k);
}

/* n rows of width floats, aligned to 64 bytes, zero. */
static tlv_status
create_rows(tlv_context *ctx, size_t n, size_t width, void **block, float **rows)
{
	*block = tlv_alloc0(ctx, n * width + LANES, sizeof(float));
	TLV_TRY_ALLOC(ctx, *block);
	*rows = (float *) (((uintptr_t) *block + 63) & ~(uintptr_t) 63);
	return TLV_OK;
}

static tlv_status
create_mixed_work(tlv_context *ctx, tlv_mixed_model *model, bool update, mixed_work *work)
{
	size_t k = model->k, width = padded_width(k);
	float *small;

	memset(work, 0, sizeof(*work));
	work->model = model;
	work->update = update;
	work->width = width;
	for (size_t s = 0; s < model->sides; s++)
		TLV_TRY(create_rows(ctx, model->side[s].n, width, &work->blocks[s], &work->gamma[s]));
	TLV_TRY(create_rows(ctx, largest_side(model) + 3, width, &work->blocks[2], &work->rate));
	small = work->rate + largest_side(model) * width;
	work->weight = small;
	work->row = small + width;
	work->mean = small + 2 * width;
	TLV_TRY_NEW0(ctx, work->sums, 2 * k * k + 2 * k);
	work->assigned = work->sums + k;
	work->inverse = work->assigned + k * k;
	work->share = work->inverse + k * k;
	if (update)
		TLV_TRY_NEW(ctx, work->before, k * largest_side(model));
	return TLV_OK;
}

static void
free_mixed_work(tlv_context *ctx, mixed_work *work)
{
	for (size_t i = 0; i < 3; i++)
		tlv_free(ctx, work->blocks[i]);
	tlv_free(ctx, work->sums);
	tlv_free(ctx, work->before);
}

/*
 * What the nodes v of side o look like from the other side s: F_v = theta_v P_s pi_v, and the
 * sums over v.
 */
static tlv_status
compute_rates(tlv_context *ctx, mixed_work *work, size_t s)
{
	const tlv_mixed_model *model = work->model;
	const tlv_mixed_side *seen = &model->side[other_side(model, s)];
	size_t k = model->k, chunk = ENTRY_CHUNK / (k + 1) + 1;
	double *p = tlv_alloc(ctx, k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, p);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			p[b + k * a] = model->connectivity[s == 0 ? a + k * b : b + k * a];
	TLV_TRY(tlv_transform_float(ctx, seen->n, k, seen->share, k, p, work->width, work->rate));
	memset(work->sums, 0, k * sizeof(double));
	for (size_t v = 0; v < seen->n; v++)
	{
		float *rate = work->rate + v * work->width;
		float theta = seen->propensity == NULL ? 1 : (float) seen->propensity[v];

		if (v % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < k; a++)
			work->sums[a] += rate[a] *= theta;
	}
	for (size_t a = 0; a < k; a++)
		work->sums[a] = fmax(work->sums[a], DBL_MIN);
	tlv_free(ctx, p);
	return TLV_OK;
}

/* pi = parameters / sums, normalised; returns half the L1 distance to what was there. */
static double
normalize_share(size_t k, const float *gamma, const double *sums, double *work, float *share)
{
	double total = 0, moved = 0;

	for (size_t a = 0; a < k; a++)
		total += work[a] = gamma[a] / sums[a];
	tlv_assert(total > 0);
	for (size_t a = 0; a < k; a++)
	{
		float now = (float) (work[a] / total);

		moved += fabsf(now - share[a]);
		share[a] = now;
	}
	return moved / 2;
}

/* Parameters of side s as the start's shares have them: alpha + degree x shares of edge ends. */
static tlv_status
start_parameters(tlv_context *ctx, mixed_work *work, size_t s)
{
	tlv_mixed_model *model = work->model;
	tlv_mixed_side *side = &model->side[s];
	size_t k = model->k, chunk = ENTRY_CHUNK / (k + 1) + 1;

	TLV_TRY(compute_rates(ctx, work, s));
	for (size_t u = 0; u < side->n; u++)
	{
		float *gamma = work->gamma[s] + u * work->width, *share = side->share + u * k;
		double total = 0;

		if (u % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < k; a++)
			total += work->share[a] = share[a] * work->sums[a] + DBL_MIN;
		for (size_t a = 0; a < k; a++)
			gamma[a] = (float) (model->alpha + side->degree[u] * work->share[a] / total);
		if (side->fixed == NULL || side->fixed[u] < 0)
			normalize_share(k, gamma, work->sums, work->share, share);
	}
	return TLV_OK;
}

/* row += sum over edges of g F_v / (W . F_v); one call sees `edges` edges. */
TLV_CLONES static void
add_edges(size_t width, size_t edges, const int32_t *restrict index, const float *restrict value,
		  const float *restrict rate, const float *restrict weight, float *restrict row)
{
	for (size_t e = 0; e < edges; e++)
	{
		const float *restrict seen = rate + (size_t) index[e] * width;
		float lane[LANES] = {0}, sum = FLT_MIN, factor;

		if (e + FETCH_AHEAD < edges)
		{
			const float *ahead = rate + (size_t) index[e + FETCH_AHEAD] * width;

			for (size_t a = 0; a < width; a += LANES)
				__builtin_prefetch(ahead + a);
		}
		for (size_t a = 0; a < width; a += LANES)
			for (size_t l = 0; l < LANES; l++)
				lane[l] += weight[a + l] * seen[a + l];
		for (size_t l = 0; l < LANES; l++)
			sum += lane[l];
		factor = (value == NULL ? 1 : value[e]) / sum;
		for (size_t a = 0; a < width; a += LANES)
			for (size_t l = 0; l < LANES; l++)
				row[a + l] += factor * seen[a + l];
	}
}

/* mean += sum over edges of g theta_v pi_v / (W . F_v): what the connectivity is updated from. */
TLV_CLONES static void
add_shares(size_t k, size_t width, size_t edges, const int32_t *restrict index,
		   const float *restrict value, const float *restrict rate, const float *restrict weight,
		   const float *restrict share, const double *restrict propensity, float *restrict mean)
{
	for (size_t e = 0; e < edges; e++)
	{
		const float *restrict seen = rate + (size_t) index[e] * width;
		const float *restrict other = share + (size_t) index[e] * k;
		float lane[LANES] = {0}, sum = FLT_MIN, factor;

		for (size_t a = 0; a < width; a += LANES)
			for (size_t l = 0; l < LANES; l++)
				lane[l] += weight[a + l] * seen[a + l];
		for (size_t l = 0; l < LANES; l++)
			sum += lane[l];
		factor = (value == NULL ? 1 : value[e]) / sum;
		if (propensity != NULL)
			factor *= (float) propensity[index[e]];
		for (size_t a = 0; a < k; a++)
			mean[a] += factor * other[a];
	}
}

/*
 * W = exp(E log pi) under Dirichlet(gamma), by the exposure of every community; of a known one
 * itself.  Only its ratios count: relative to the largest, so that not all of them vanish.
 */
static void
weigh(mixed_work *work, size_t k, const float *gamma, int32_t fixed, double average)
{
	double largest = 0, highest;

	memset(work->weight, 0, work->width * sizeof(float));
	if (fixed >= 0)
	{
		work->weight[fixed] = 1;
		return;
	}
	for (size_t a = 0; a < k; a++)
		largest = fmax(largest, gamma[a]);
	highest = tlv_fast_digamma(fmax(largest, LEAST_PARAMETER));
	for (size_t a = 0; a < k; a++)
		if (gamma[a] > LEAST_PARAMETER || gamma[a] == (float) largest)
			work->weight[a] =
				(float) (exp(tlv_fast_digamma(fmax(gamma[a], LEAST_PARAMETER)) - highest) *
						 average / work->sums[a]);
}

/* assigned += W_u x', for x the node's sums of shares, or of rates */
static void
add_assigned(mixed_work *work, size_t k, const float *weight, const float *x)
{
	for (size_t a = 0; a < k; a++)
		if (weight[a] != 0)
			for (size_t b = 0; b < k; b++)
				work->assigned[b + k * a] += (double) weight[a] * x[b];
}

/*
 * A from what a pass has summed, stored by rows.  The rates of neighbours are F_v = theta_v P pi_v,
 * so that sums of shares are P^-1 times sums of rates, which the pass has anyway.
 */
static tlv_status
finish_assigned(tlv_context *ctx, mixed_work *work, size_t k)
{
	double *rows = tlv_alloc(ctx, k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, rows);
	memcpy(rows, work->assigned, k * k * sizeof(double));
	if (!work->direct)
		TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, work->inverse, k, work->assigned, k, 0,
						 rows, k));
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			work->assigned[a + k * b] = fmax(rows[b + k * a], 0);
	tlv_free(ctx, rows);
	return TLV_OK;
}

static tlv_status
invert_connectivity(tlv_context *ctx, mixed_work *work, size_t k)
{
	size_t rank = 0;

	TLV_TRY(
		tlv_pseudo_inverse(ctx, k, k, work->model->connectivity, INVERTIBLE, work->inverse, &rank));
	work->direct = rank < k;
	return TLV_OK;
}

/* One pass over the edges of a side. */
typedef struct side_pass
{
	size_t s;
	const tlv_mixed_side *seen; /* the side at the other ends */
	bool assign;				/* sums for the connectivity are wanted, too */
	double average;				/* of the sums of rates */
	size_t since;				/* edges since the last look at tlv_should_stop() */
} side_pass;

static tlv_status
begin_pass(tlv_context *ctx, mixed_work *work, side_pass *pass)
{
	size_t k = work->model->k;

	TLV_TRY(compute_rates(ctx, work, pass->s));
	for (size_t a = 0; a < k; a++)
		pass->average += work->sums[a] / (double) k;
	if (!pass->assign)
		return TLV_OK;
	TLV_TRY(invert_connectivity(ctx, work, k));
	memset(work->assigned, 0, k * k * sizeof(double));
	if (work->direct)
		memcpy(work->before, pass->seen->share, pass->seen->n * k * sizeof(float));
	return TLV_OK;
}

/* What node u's neighbours sum up to under its weights: rates (row), and shares (mean). */
static tlv_status
sum_neighbours(tlv_context *ctx, mixed_work *work, side_pass *pass, size_t u)
{
	const tlv_csr *edges = work->model->side[pass->s].edges;
	size_t k = work->model->k, width = work->width, end = edges->start[u + 1];

	memset(work->row, 0, width * sizeof(float));
	memset(work->mean, 0, width * sizeof(float));
	for (size_t e = edges->start[u]; e < end; e += EDGE_CHUNK)
	{
		size_t n = end - e < EDGE_CHUNK ? end - e : EDGE_CHUNK;
		const float *value = edges->value == NULL ? NULL : edges->value + e;

		add_edges(width, n, edges->index + e, value, work->rate, work->weight, work->row);
		if (pass->assign && work->direct)
			add_shares(k, width, n, edges->index + e, value, work->rate, work->weight, work->before,
					   pass->seen->propensity, work->mean);
		pass->since += n + NODE_EDGES + (pass->assign ? k : 0);
		if (pass->since > EDGE_CHUNK)
		{
			pass->since = 0;
			TLV_TRY_CONTINUE(ctx);
		}
	}
	return TLV_OK;
}

/* The new parameters and shares of all nodes of side s; *moved gets half their L1 distances. */
static tlv_status
update_mixed_side(tlv_context *ctx, mixed_work *work, size_t s, double *moved)
{
	tlv_mixed_model *model = work->model;
	tlv_mixed_side *side = &model->side[s];
	size_t k = model->k;
	side_pass pass = {
		.s = s, .seen = &model->side[other_side(model, s)], .assign = work->update && s == 0};

	*moved = 0;
	TLV_TRY(begin_pass(ctx, work, &pass));
	for (size_t u = 0; u < side->n; u++)
	{
		float *gamma = work->gamma[s] + u * work->width;
		int32_t fixed = side->fixed == NULL ? -1 : side->fixed[u];

		weigh(work, k, gamma, fixed, pass.average);
		TLV_TRY(sum_neighbours(ctx, work, &pass, u));
		if (pass.assign)
			add_assigned(work, k, work->weight, work->direct ? work->mean : work->row);
		if (fixed >= 0)
			continue;
		for (size_t a = 0; a < k; a++)
			gamma[a] = (float) model->alpha + work->weight[a] * work->row[a];
		*moved += normalize_share(k, gamma, work->sums, work->share, side->share + u * k);
	}
	return pass.assign ? finish_assigned(ctx, work, k) : TLV_OK;
}

/* theta_u = degree / (pi_u . sums), mean 1: what the rates of side s let expect. */
static tlv_status
update_propensities(tlv_context *ctx, mixed_work *work, size_t s)
{
	tlv_mixed_side *side = &work->model->side[s];
	size_t k = work->model->k, chunk = ENTRY_CHUNK / (k + 1) + 1;
	double total = 0;

	if (side->propensity == NULL)
		return TLV_OK;
	for (size_t u = 0; u < side->n; u++)
	{
		double expected = 0;

		if (u % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < k; a++)
			expected += side->share[u * k + a] * work->sums[a];
		total += side->propensity[u] = side->degree[u] / fmax(expected, DBL_MIN);
	}
	for (size_t u = 0; u < side->n; u++)
		side->propensity[u] *= (double) side->n / total;
	return TLV_OK;
}

/* Sums of propensity times share. */
static tlv_status
sum_shares(tlv_context *ctx, const tlv_mixed_model *model, size_t s, double *sums)
{
	const tlv_mixed_side *side = &model->side[s];
	size_t k = model->k, chunk = ENTRY_CHUNK / (k + 1) + 1;

	memset(sums, 0, k * sizeof(double));
	for (size_t u = 0; u < side->n; u++)
	{
		if (u % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < k; a++)
			sums[a] +=
				(side->propensity == NULL ? 1 : side->propensity[u]) * side->share[u * k + a];
	}
	return TLV_OK;
}

/* P <- P A / (N N'), symmetric for one side, none below the floor. */
static tlv_status
update_connectivity(tlv_context *ctx, mixed_work *work)
{
	tlv_mixed_model *model = work->model;
	size_t k = model->k;
	double *sums = tlv_alloc(ctx, 2 * k, sizeof(double)), *p = model->connectivity, largest = 0;

	TLV_TRY_ALLOC(ctx, sums);
	TLV_TRY(sum_shares(ctx, model, 0, sums));
	TLV_TRY(sum_shares(ctx, model, model->sides - 1, sums + k));
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			p[a + k * b] *= work->assigned[a + k * b] / fmax(sums[a] * sums[k + b], DBL_MIN);
	for (size_t b = 0; b < k && model->sides == 1; b++)
		for (size_t a = 0; a < b; a++)
			p[a + k * b] = p[b + k * a] = (p[a + k * b] + p[b + k * a]) / 2;
	for (size_t i = 0; i < k * k; i++)
		largest = fmax(largest, p[i]);
	for (size_t i = 0; i < k * k; i++)
		p[i] = fmax(p[i], CONNECTIVITY_FLOOR * largest);
	tlv_free(ctx, sums);
	return TLV_OK;
}

tlv_status
tlv_mixed_variational(tlv_context *ctx, tlv_mixed_model *model, bool update, int max_steps,
					  double tolerance, int *steps)
{
	mixed_work work;
	size_t nodes = model->side[0].n + (model->sides == 2 ? model->side[1].n : 0);

	TLV_TRY(create_mixed_work(ctx, model, update, &work));
	for (size_t s = 0; s < model->sides; s++)
		TLV_TRY(start_parameters(ctx, &work, s));
	for (*steps = 0; *steps < max_steps;)
	{
		double moved = 0, also;

		for (size_t s = 0; s < model->sides; s++)
		{
			TLV_TRY(update_mixed_side(ctx, &work, s, &also));
			TLV_TRY(update_propensities(ctx, &work, s));
			moved += also;
		}
		if (update)
			TLV_TRY(update_connectivity(ctx, &work));
		++*steps;
		tlv_report(ctx, "variational steps", *steps, max_steps);
		if (moved <= tolerance * (double) nodes)
			break;
	}
	free_mixed_work(ctx, &work);
	return TLV_OK;
}

/* A from the shares as they are, edge by edge. */
static tlv_status
assign_edges(tlv_context *ctx, mixed_work *work)
{
	const tlv_mixed_model *model = work->model;
	const tlv_mixed_side *rows = &model->side[0], *columns = &model->side[model->sides - 1];
	const tlv_csr *edges = rows->edges;
	size_t k = model->k, since = 0;

	TLV_TRY(compute_rates(ctx, work, 0));
	for (size_t u = 0; u < rows->n; u++)
	{
		size_t first = edges->start[u], n = edges->start[u + 1] - first;

		since += n + NODE_EDGES + k;
		if (since > EDGE_CHUNK)
		{
			since = 0;
			TLV_TRY_CONTINUE(ctx);
		}
		for (size_t a = 0; a < k; a++)
			work->weight[a] = rows->share[u * k + a];
		memset(work->mean, 0, work->width * sizeof(float));
		add_shares(k, work->width, n, edges->index + first,
				   edges->value == NULL ? NULL : edges->value + first, work->rate, work->weight,
				   columns->share, columns->propensity, work->mean);
		add_assigned(work, k, work->weight, work->mean);
	}
	work->direct = true;
	return finish_assigned(ctx, work, k);
}

/* Shares of the edges assigned to pairs of communities, and of those expected (sums: 2 k). */
static void
compare_edges(const mixed_work *work, const double *sums, double *distance, double *off)
{
	const double *p = work->model->connectivity;
	size_t k = work->model->k;
	double assigned = 0, expected = 0, same_assigned = 0, same_expected = 0;

	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			assigned += work->assigned[a + k * b] * p[a + k * b];
			expected += p[a + k * b] * sums[a] * sums[k + b];
		}
	*distance = 0;
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			double one = work->assigned[a + k * b] * p[a + k * b] / fmax(assigned, DBL_MIN);
			double two = p[a + k * b] * sums[a] * sums[k + b] / fmax(expected, DBL_MIN);

			*distance += fabs(one - two);
			same_assigned += a == b ? one : 0;
			same_expected += a == b ? two : 0;
		}
	*off = (1 - same_assigned) / fmax(1 - same_expected, 1e-12);
}

tlv_status
tlv_mixed_check(tlv_context *ctx, const tlv_mixed_model *model, double *distance, double *off)
{
	tlv_mixed_model copy = *model;
	size_t k = model->k;
	double *sums = tlv_alloc(ctx, 2 * k, sizeof(double));
	mixed_work work;

	TLV_TRY_ALLOC(ctx, sums);
	TLV_TRY(create_mixed_work(ctx, &copy, false, &work));
	TLV_TRY(assign_edges(ctx, &work));
	TLV_TRY(sum_shares(ctx, model, 0, sums));
	TLV_TRY(sum_shares(ctx, model, model->sides - 1, sums + k));
	compare_edges(&work, sums, distance, off);
	free_mixed_work(ctx, &work);
	tlv_free(ctx, sums);
	return TLV_OK;
}
