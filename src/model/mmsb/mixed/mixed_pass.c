/*
 * mixed_pass.c - one pass over the edges of mixed memberships (mixed_pass.h).
 *
 * The work is in the edges: two passes over the k rates of every neighbour.
 * Rows of rates are padded to whole vectors.
 */
#include "mixed_pass.h"
#include "../tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/lanes.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* Edges worked on between two looks at tlv_should_stop(). */
#define EDGE_CHUNK 100000

/* How far ahead neighbours' rows are fetched. */
#define FETCH_AHEAD 8

static size_t
mixed_other_side(const tlv_mixed_model *model, size_t s)
{
	return model->sides == 1 ? 0 : 1 - s;
}

static size_t
mixed_largest_side(const tlv_mixed_model *model)
{
	return model->sides == 2 && model->side[1].n > model->side[0].n ? model->side[1].n
																	: model->side[0].n;
}

static size_t
padded_width(size_t k)
{
	return (k + TLV_REGISTER_FLOATS - 1) / TLV_REGISTER_FLOATS * TLV_REGISTER_FLOATS;
}

/* Lanes with sums of their own: all of them together no larger than the shares. */
static size_t
most_lanes(const tlv_mixed_model *model)
{
	size_t lanes = tlv_least(mixed_largest_side(model) / (2 * model->k), TLV_LANES_MOST);

	return lanes > 0 ? lanes : 1;
}

/* Of a lane's work space: whole cache lines, so that no two threads write to the same. */
static size_t
lane_numbers(size_t k)
{
	return (k * k + 2 * k + 7) / 8 * 8 + 3 * padded_width(k) / 2;
}

double
tlv_mixed_memory(const tlv_mixed_model *model, bool update)
{
	double n = (double) model->side[0].n, most = (double) mixed_largest_side(model);

	if (model->sides == 2)
		n += (double) model->side[1].n;
	return 4 * (double) padded_width(model->k) * (n + most) +
		   (update ? 4 * (double) model->k * most : 0) + 16 * (double) (model->k * model->k) +
		   8 * (double) (most_lanes(model) * lane_numbers(model->k));
}

/* n rows of width floats, aligned to 64 bytes. */
static tlv_status
create_rows(tlv_context *ctx, size_t n, size_t width, void **block, float **rows)
{
	*block = tlv_alloc(ctx, n * width + TLV_REGISTER_FLOATS, sizeof(float));
	TLV_TRY_ALLOC(ctx, *block);
	*rows = (float *) (((uintptr_t) *block + 63) & ~(uintptr_t) 63);
	return TLV_OK;
}

static tlv_status
create_lanes(tlv_context *ctx, tlv_mixed_work *work)
{
	size_t k = work->model->k, numbers = lane_numbers(k);

	work->most = most_lanes(work->model);
	TLV_TRY_NEW0(ctx, work->lane, work->most);
	TLV_TRY(create_rows(ctx, work->most, 2 * numbers, &work->blocks[3], &work->lane[0].weight));
	memset(work->lane[0].weight, 0, work->most * 2 * numbers * sizeof(float));
	for (size_t i = 0; i < work->most; i++)
	{
		tlv_node_lane *lane = &work->lane[i];

		lane->weight = work->lane[0].weight + i * 2 * numbers;
		lane->row = lane->weight + work->width;
		lane->mean = lane->row + work->width;
		lane->share = (double *) (lane->mean + work->width);
		lane->sums = lane->share + k;
		lane->assigned = lane->sums + k;
	}
	return TLV_OK;
}

tlv_status
tlv_mixed_work_create(tlv_context *ctx, tlv_mixed_model *model, bool update, tlv_mixed_work *work)
{
	size_t k = model->k, width = padded_width(k);

	memset(work, 0, sizeof(*work));
	work->model = model;
	work->update = update;
	work->width = width;
	for (size_t s = 0; s < model->sides; s++)
		TLV_TRY(create_rows(ctx, model->side[s].n, width, &work->blocks[s], &work->gamma[s]));
	TLV_TRY(create_rows(ctx, mixed_largest_side(model), width, &work->blocks[2], &work->rate));
	TLV_TRY_NEW0(ctx, work->sums, 2 * k * k + k);
	work->assigned = work->sums + k;
	work->inverse = work->assigned + k * k;
	if (update)
		TLV_TRY_NEW(ctx, work->before, k * mixed_largest_side(model));
	return create_lanes(ctx, work);
}

void
tlv_mixed_work_free(tlv_context *ctx, tlv_mixed_work *work)
{
	for (size_t i = 0; i < TLV_MIXED_BLOCKS; i++)
		tlv_free(ctx, work->blocks[i]);
	tlv_free(ctx, work->sums);
	tlv_free(ctx, work->before);
	tlv_free(ctx, work->lane);
}

/* Lanes of rows, at most as many as have work space; sums of theirs begin at 0. */
static void
divide(tlv_mixed_work *work, size_t n, const size_t *start, size_t each, tlv_lanes *lanes)
{
	size_t k = work->model->k;

	tlv_lanes_divide(n, start, each, work->most, lanes);
	for (size_t i = 0; i < lanes->count; i++)
	{
		memset(work->lane[i].sums, 0, k * sizeof(double));
		memset(work->lane[i].assigned, 0, k * k * sizeof(double));
		work->lane[i].moved = 0;
		work->lane[i].begun = false;
	}
}

/* Something with every node of a side, by lanes. */
typedef struct side_scan
{
	tlv_mixed_work *work;
	size_t s;
} side_scan;

/* What the lanes' sums are together. */
static void
mixed_add_sums(const tlv_mixed_work *work, const tlv_lanes *lanes, double *sums)
{
	size_t k = work->model->k;

	memset(sums, 0, k * sizeof(double));
	for (size_t i = 0; i < lanes->count; i++)
		for (size_t a = 0; a < k; a++)
			sums[a] += work->lane[i].sums[a];
}

/* What the nodes look like from the other side. */
static void
scale_rates(void *argument, size_t lane, size_t first, size_t n)
{
	const side_scan *scan = argument;
	const double *propensity = scan->work->model->side[scan->s].propensity;
	size_t k = scan->work->model->k, width = scan->work->width;
	double *sums = scan->work->lane[lane].sums;

	for (size_t v = first; v < first + n; v++)
	{
		float *rate = scan->work->rate + v * width;
		float theta = propensity == NULL ? 1 : (float) propensity[v];

		for (size_t a = 0; a < k; a++)
			sums[a] += rate[a] *= theta;
		memset(rate + k, 0, (width - k) * sizeof(float));
	}
}

/* F_v = theta_v P_s pi_v for the nodes v that side s sees, and the sums over v. */
static tlv_status
compute_rates(tlv_context *ctx, tlv_mixed_work *work, size_t s)
{
	const tlv_mixed_model *model = work->model;
	size_t k = model->k;
	double *p = tlv_alloc(ctx, k * k, sizeof(double));
	side_scan scan = {work, mixed_other_side(model, s)};
	const tlv_mixed_side *seen = &model->side[scan.s];
	tlv_lanes lanes;

	TLV_TRY_ALLOC(ctx, p);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			p[b + k * a] = model->connectivity[s == 0 ? a + k * b : b + k * a];
	TLV_TRY(tlv_transform_float(ctx, seen->n, k, seen->share, k, p, work->width, work->rate));
	divide(work, seen->n, NULL, k / 4 + 1, &lanes);
	TLV_TRY(tlv_lanes_rows(ctx, &lanes, scale_rates, &scan));
	mixed_add_sums(work, &lanes, work->sums);
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

static void
start_rows(void *argument, size_t lane, size_t first, size_t n)
{
	const side_scan *scan = argument;
	tlv_mixed_work *work = scan->work;
	tlv_mixed_side *side = &work->model->side[scan->s];
	double *own = work->lane[lane].share;
	size_t k = work->model->k;

	for (size_t u = first; u < first + n; u++)
	{
		float *gamma = work->gamma[scan->s] + u * work->width, *share = side->share + u * k;
		double total = 0;

		for (size_t a = 0; a < k; a++)
			total += own[a] = share[a] * work->sums[a] + DBL_MIN;
		for (size_t a = 0; a < k; a++)
			gamma[a] = (float) (work->model->alpha + side->degree[u] * own[a] / total);
		if (side->fixed == NULL || side->fixed[u] < 0)
			normalize_share(k, gamma, work->sums, own, share);
	}
}

/* Parameters of side s as the start's shares have them: alpha + degree x shares of edge ends. */
tlv_status
tlv_mixed_start_side(tlv_context *ctx, tlv_mixed_work *work, size_t s)
{
	side_scan scan = {work, s};
	tlv_lanes lanes;

	TLV_TRY(compute_rates(ctx, work, s));
	divide(work, work->model->side[s].n, NULL, work->model->k / 2 + 1, &lanes);
	return tlv_lanes_rows(ctx, &lanes, start_rows, &scan);
}

/* row += sum over edges of g F_v / (W . F_v); one call sees `edges` edges. */
TLV_CLONES static void
add_edges(size_t width, size_t edges, const int32_t *restrict index, const float *restrict value,
		  const float *restrict rate, const float *restrict weight, float *restrict row)
{
	for (size_t e = 0; e < edges; e++)
	{
		const float *restrict seen = rate + (size_t) index[e] * width;
		float lane[TLV_REGISTER_FLOATS] = {0}, sum = FLT_MIN, factor;

		if (e + FETCH_AHEAD < edges)
		{
			const float *ahead = rate + (size_t) index[e + FETCH_AHEAD] * width;

			for (size_t a = 0; a < width; a += TLV_REGISTER_FLOATS)
				__builtin_prefetch(ahead + a);
		}
		for (size_t a = 0; a < width; a += TLV_REGISTER_FLOATS)
			for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
				lane[l] += weight[a + l] * seen[a + l];
		for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
			sum += lane[l];
		factor = (value == NULL ? 1 : value[e]) / sum;
		for (size_t a = 0; a < width; a += TLV_REGISTER_FLOATS)
			for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
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
		float lane[TLV_REGISTER_FLOATS] = {0}, sum = FLT_MIN, factor;

		for (size_t a = 0; a < width; a += TLV_REGISTER_FLOATS)
			for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
				lane[l] += weight[a + l] * seen[a + l];
		for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
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
mixed_weigh(const tlv_mixed_work *work, const float *gamma, int32_t fixed, double average,
			float *weight)
{
	double largest = 0, highest;
	size_t k = work->model->k;

	memset(weight, 0, work->width * sizeof(float));
	if (fixed >= 0)
	{
		weight[fixed] = 1;
		return;
	}
	for (size_t a = 0; a < k; a++)
		largest = fmax(largest, gamma[a]);
	highest = tlv_fast_digamma(fmax(largest, TLV_LEAST_PARAMETER));
	for (size_t a = 0; a < k; a++)
		if (gamma[a] > TLV_LEAST_PARAMETER || gamma[a] == (float) largest)
			weight[a] =
				(float) (exp(tlv_fast_digamma(fmax(gamma[a], TLV_LEAST_PARAMETER)) - highest) *
						 average / work->sums[a]);
}

/* assigned += W_u x', for x the node's sums of shares, or of rates */
static void
add_assigned(size_t k, const float *weight, const float *x, double *assigned)
{
	for (size_t a = 0; a < k; a++)
		if (weight[a] != 0)
			for (size_t b = 0; b < k; b++)
				assigned[b + k * a] += (double) weight[a] * x[b];
}

/* What the lanes have assigned. */
static void
add_lanes(tlv_mixed_work *work, const tlv_lanes *lanes)
{
	size_t k = work->model->k;

	memset(work->assigned, 0, k * k * sizeof(double));
	for (size_t i = 0; i < lanes->count; i++)
		for (size_t j = 0; j < k * k; j++)
			work->assigned[j] += work->lane[i].assigned[j];
}

/*
 * A from what a pass has summed, stored by rows.  The rates of neighbours are F_v = theta_v P pi_v,
 * so that sums of shares are P^-1 times sums of rates, which the pass has anyway.
 */
static tlv_status
finish_assigned(tlv_context *ctx, tlv_mixed_work *work, size_t k)
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
invert_connectivity(tlv_context *ctx, tlv_mixed_work *work, size_t k)
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
	tlv_mixed_work *work;
	size_t s;
	const tlv_mixed_side *seen; /* the side at the other ends */
	bool assign;				/* sums for the connectivity are wanted, too */
	bool only;					/* nothing else is: shares are weights, and stay as they are */
	double average;				/* of the sums of rates */
	tlv_lanes lanes;
} side_pass;

static tlv_status
begin_pass(tlv_context *ctx, side_pass *pass)
{
	/* What a node's weights cost, in edges. */
	const int node_edges = 128;
	tlv_mixed_work *work = pass->work;
	const tlv_mixed_side *side = &work->model->side[pass->s];
	size_t k = work->model->k;

	TLV_TRY(compute_rates(ctx, work, pass->s));
	for (size_t a = 0; a < k; a++)
		pass->average += work->sums[a] / (double) k;
	divide(work, side->n, side->edges->start, node_edges + (pass->assign ? k : 0), &pass->lanes);
	if (!pass->assign || pass->only)
		return TLV_OK;
	TLV_TRY(invert_connectivity(ctx, work, k));
	if (work->direct)
		memcpy(work->before, pass->seen->share, pass->seen->n * k * sizeof(float));
	return TLV_OK;
}

/* The weights of node u, and no sums over its edges yet. */
static void
mixed_begin_node(const side_pass *pass, size_t u, tlv_node_lane *lane)
{
	const tlv_mixed_work *work = pass->work;
	const tlv_mixed_side *side = &work->model->side[pass->s];
	size_t k = work->model->k;

	if (pass->only)
		memcpy(lane->weight, side->share + u * k, k * sizeof(float));
	else
		mixed_weigh(work, work->gamma[pass->s] + u * work->width,
					side->fixed == NULL ? -1 : side->fixed[u], pass->average, lane->weight);
	memset(lane->row, 0, work->width * sizeof(float));
	memset(lane->mean, 0, work->width * sizeof(float));
	lane->edge = side->edges->start[u];
	lane->begun = true;
}

/* The next edges of the node: rates (row), and shares (mean), under its weights. */
static void
sum_neighbours(const side_pass *pass, size_t edges, tlv_node_lane *lane)
{
	const tlv_mixed_work *work = pass->work;
	const tlv_csr *all = work->model->side[pass->s].edges;
	const int32_t *index = all->index + lane->edge;
	const float *value = all->value == NULL ? NULL : all->value + lane->edge;

	if (!pass->only)
		add_edges(work->width, edges, index, value, work->rate, lane->weight, lane->row);
	if (pass->assign && work->direct)
		add_shares(work->model->k, work->width, edges, index, value, work->rate, lane->weight,
				   pass->only ? pass->seen->share : work->before, pass->seen->propensity,
				   lane->mean);
	lane->edge += edges;
}

/* The new parameters and share of node u, whose edges are summed. */
static void
finish_node(const side_pass *pass, size_t u, tlv_node_lane *lane)
{
	const tlv_mixed_work *work = pass->work;
	const tlv_mixed_model *model = work->model;
	const tlv_mixed_side *side = &model->side[pass->s];
	size_t k = model->k;
	float *gamma = work->gamma[pass->s] + u * work->width;

	lane->begun = false;
	if (pass->assign)
		add_assigned(k, lane->weight, work->direct ? lane->mean : lane->row, lane->assigned);
	if (pass->only || (side->fixed != NULL && side->fixed[u] >= 0))
		return;
	for (size_t a = 0; a < k; a++)
		gamma[a] = (float) model->alpha + lane->weight[a] * lane->row[a];
	lane->moved += normalize_share(k, gamma, work->sums, lane->share, side->share + u * k);
}

/* Nodes of a lane until so many edges have been gone through; a node may take several steps. */
static bool
step_nodes(void *argument, size_t number)
{
	side_pass *pass = argument;
	tlv_node_lane *lane = &pass->work->lane[number];
	const size_t *start = pass->work->model->side[pass->s].edges->start;
	size_t *next = &pass->lanes.next[number], end = pass->lanes.end[number], done = 0;

	while (*next < end && done < EDGE_CHUNK)
	{
		size_t edges;

		if (!lane->begun)
			mixed_begin_node(pass, *next, lane);
		edges = tlv_least(start[*next + 1] - lane->edge, EDGE_CHUNK);
		sum_neighbours(pass, edges, lane);
		done += edges + pass->lanes.each;
		if (lane->edge == start[*next + 1])
			finish_node(pass, (*next)++, lane);
	}
	return *next < end;
}

/* The new parameters and shares of all nodes of side s; *moved gets half their L1 distances. */
tlv_status
tlv_mixed_update_side(tlv_context *ctx, tlv_mixed_work *work, size_t s, double *moved)
{
	tlv_mixed_model *model = work->model;
	side_pass pass = {.work = work,
					  .s = s,
					  .seen = &model->side[mixed_other_side(model, s)],
					  .assign = work->update && s == 0};

	TLV_TRY(begin_pass(ctx, &pass));
	TLV_TRY(tlv_lanes_run(ctx, pass.lanes.count, step_nodes, &pass));
	*moved = 0;
	for (size_t i = 0; i < pass.lanes.count; i++)
		*moved += work->lane[i].moved;
	if (!pass.assign)
		return TLV_OK;
	add_lanes(work, &pass.lanes);
	return finish_assigned(ctx, work, model->k);
}

static void
sum_share_rows(void *argument, size_t lane, size_t first, size_t n)
{
	const side_scan *scan = argument;
	const tlv_mixed_side *side = &scan->work->model->side[scan->s];
	size_t k = scan->work->model->k;
	double *sums = scan->work->lane[lane].sums;

	for (size_t u = first; u < first + n; u++)
		for (size_t a = 0; a < k; a++)
			sums[a] +=
				(side->propensity == NULL ? 1 : side->propensity[u]) * side->share[u * k + a];
}

tlv_status
tlv_mixed_sum_shares(tlv_context *ctx, tlv_mixed_work *work, size_t s, double *sums)
{
	side_scan scan = {work, s};
	tlv_lanes lanes;

	divide(work, work->model->side[s].n, NULL, work->model->k / 4 + 1, &lanes);
	TLV_TRY(tlv_lanes_rows(ctx, &lanes, sum_share_rows, &scan));
	mixed_add_sums(work, &lanes, sums);
	return TLV_OK;
}

/* A from the shares as they are, edge by edge. */
tlv_status
tlv_mixed_assign_edges(tlv_context *ctx, tlv_mixed_work *work)
{
	side_pass pass = {.work = work,
					  .seen = &work->model->side[work->model->sides - 1],
					  .assign = true,
					  .only = true};

	work->direct = true;
	TLV_TRY(begin_pass(ctx, &pass));
	TLV_TRY(tlv_lanes_run(ctx, pass.lanes.count, step_nodes, &pass));
	add_lanes(work, &pass.lanes);
	return finish_assigned(ctx, work, work->model->k);
}
