/*
 * block_model.c - mean field of the Poisson block model (block_model.h).
 *
 * A step is a product of the graph with the memberships, the k x k sums E of edges
 * and X of their expectations, the posterior of the rates, and a softmax.
 */
#include "block_model.h"
#include "../tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/lanes.h"
#include "tensorlv/num/linalg.h"

/* Nodes whose logarithms are worked on at a time. */
#define COMMUNITY_NODE_BLOCK 2048

typedef struct block_work
{
	const tlv_block_model *model;
	float *share[2];  /* k x n; of one side share[1] = share[0] */
	float *counts;	  /* k x n: neighbours' memberships */
	double *edges;	  /* k x k: E, source by target */
	double *expected; /* k x k: X, without rates */
	double *rate;	  /* k x k: posterior means */
	double *log_rate; /* k x k: posterior means of the logarithm */
	double *theta;	  /* k x 2: sums of propensities */
	double *block;	  /* 2 k x COMMUNITY_NODE_BLOCK */
	double *offset;	  /* k */
} block_work;

static size_t
other_side(const tlv_block_model *model, size_t side)
{
	return model->sides == 1 ? 0 : 1 - side;
}

static size_t
community_largest_side(const tlv_block_model *model)
{
	return model->sides == 2 && model->side[1].n > model->side[0].n ? model->side[1].n
																	: model->side[0].n;
}

double
tlv_block_memory(const tlv_block_model *model)
{
	double k = (double) model->k, n = (double) model->side[0].n;

	if (model->sides == 2)
		n += (double) model->side[1].n;
	return 4 * k * (n + (double) community_largest_side(model)) +
		   8 * (4 * k * k + 2 * k * COMMUNITY_NODE_BLOCK);
}

static void
set_share(const block_work *work, size_t side, size_t u, int32_t label)
{
	size_t k = work->model->k;

	memset(work->share[side] + u * k, 0, k * sizeof(float));
	work->share[side][u * k + (size_t) label] = 1;
}

static tlv_status
create_block_work(tlv_context *ctx, const tlv_block_model *model, block_work *work)
{
	size_t k = model->k;

	memset(work, 0, sizeof(*work));
	work->model = model;
	for (size_t s = 0; s == 0 || s < model->sides; s++)
	{
		TLV_TRY_NEW(ctx, work->share[s], k * model->side[s].n);
		for (size_t u = 0; u < model->side[s].n; u++)
			set_share(work, s, u, model->side[s].label[u]);
	}
	if (model->sides == 1)
		work->share[1] = work->share[0];
	TLV_TRY_NEW(ctx, work->counts, k * community_largest_side(model));
	TLV_TRY_NEW(ctx, work->edges, 4 * k * k + 3 * k);
	work->expected = work->edges + k * k;
	work->rate = work->expected + k * k;
	work->log_rate = work->rate + k * k;
	work->theta = work->log_rate + k * k;
	work->offset = work->theta + 2 * k;
	TLV_TRY_NEW(ctx, work->block, 2 * k * COMMUNITY_NODE_BLOCK);
	return TLV_OK;
}

static void
free_block_work(tlv_context *ctx, block_work *work)
{
	tlv_free(ctx, work->share[0]);
	if (work->model->sides == 2)
		tlv_free(ctx, work->share[1]);
	tlv_free(ctx, work->counts);
	tlv_free(ctx, work->edges);
	tlv_free(ctx, work->block);
}

/* Sums of propensities by community, and what they let expect: X = M t t'. */
static tlv_status
expect_edges(tlv_context *ctx, block_work *work)
{
	/* Entries of shares summed between two looks at tlv_should_stop(). */
	const int entry_chunk = 1000000;
	const tlv_block_model *model = work->model;
	size_t k = model->k, chunk = entry_chunk / (k + 1) + 1;

	memset(work->theta, 0, 2 * k * sizeof(double));
	for (size_t s = 0; s < model->sides; s++)
		for (size_t u = 0; u < model->side[s].n; u++)
		{
			if (u % chunk == 0)
				TLV_TRY_CONTINUE(ctx);
			for (size_t a = 0; a < k; a++)
				work->theta[s * k + a] += model->side[s].propensity[u] * work->share[s][u * k + a];
		}
	if (model->sides == 1)
		memcpy(work->theta + k, work->theta, k * sizeof(double));
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			work->expected[a + k * b] = model->total * work->theta[a] * work->theta[k + b];
	return TLV_OK;
}

/* E = share[0]' G share[1], from the counts of side 0. */
static tlv_status
count_edges(tlv_context *ctx, block_work *work)
{
	const tlv_block_model *model = work->model;
	size_t k = model->k;

	TLV_TRY(tlv_csr_multiply(ctx, model->side[0].edges, k, work->share[1], work->counts));
	TLV_TRY(tlv_gram_float(ctx, model->side[0].n, k, work->share[0], k, work->counts, work->edges));
	return expect_edges(ctx, work);
}

/* Within a community of one side every edge is counted twice. */
static double
multiplicity(const tlv_block_sums *sums, bool diagonal)
{
	return sums->sides == 1 && diagonal ? 0.5 : 1;
}

/*
 * Posterior of the rates of one class (the diagonal or the rest): a gamma prior whose mean and
 * variance are those of the class, then its mean and mean logarithm for every rate.
 */
static void
estimate_rates(const tlv_block_sums *sums, bool diagonal, double *rate, double *log_rate)
{
	size_t k = sums->k;
	double e = 0, x = 0, squares = 0, x2 = 0, mean, variance, shape, inverse;
	double part = multiplicity(sums, diagonal);

	for (size_t i = 0; i < k * k; i++)
		if ((i % (k + 1) == 0) == diagonal)
		{
			e += sums->edges[i];
			x += sums->expected[i];
			x2 += sums->expected[i] * sums->expected[i];
		}
	mean = (e + 1) / (x + 1);
	for (size_t i = 0; i < k * k; i++)
		if ((i % (k + 1) == 0) == diagonal)
		{
			double excess = sums->edges[i] - mean * sums->expected[i];

			squares += excess * excess - 2 * mean * sums->expected[i];
		}
	variance = fmax(squares / fmax(x2, 1e-9), LEAST_VARIATION * mean * mean);
	shape = mean * mean / variance;
	inverse = mean / variance;
	for (size_t i = 0; i < k * k; i++)
		if ((i % (k + 1) == 0) == diagonal)
		{
			double a = part * sums->edges[i] + shape, b = part * sums->expected[i] + inverse;

			rate[i] = a / b;
			log_rate[i] = tlv_fast_digamma(a) - log(b);
		}
}

void
tlv_block_rates(const tlv_block_sums *sums, bool diagonal, double *rate, double *log_rate)
{
	size_t k = sums->k;

	if (diagonal)
	{
		double e = 0, x = 0, common;

		for (size_t i = 0; i < k * k; i++)
			if (i % (k + 1) != 0)
			{
				e += sums->edges[i];
				x += sums->expected[i];
			}
		common = (e + 1) / (x + 1);
		for (size_t i = 0; i < k * k; i++)
		{
			rate[i] = common;
			log_rate[i] = log(common);
		}
	}
	else
		estimate_rates(sums, false, rate, log_rate);
	estimate_rates(sums, true, rate, log_rate);
}

static void
estimate_all_rates(block_work *work)
{
	const tlv_block_sums sums = {work->model->k, work->model->sides, work->edges, work->expected};

	tlv_block_rates(&sums, work->model->diagonal, work->rate, work->log_rate);
}

/* Softmax of a column of k logarithms into to; returns half the L1 distance to what was there. */
TLV_CLONES static double
softmax(size_t k, double *logarithm, float *to)
{
	double largest = -HUGE_VAL, sum = 0, moved = 0;

	for (size_t a = 0; a < k; a++)
		largest = logarithm[a] > largest ? logarithm[a] : largest;
	for (size_t a = 0; a < k; a++)
		logarithm[a] = tlv_exp_nonpositive(logarithm[a] - largest);
	for (size_t a = 0; a < k; a++)
		sum += logarithm[a];
	tlv_assert(sum >= 1); /* the largest term */
	for (size_t a = 0; a < k; a++)
	{
		float share = (float) (logarithm[a] / sum);

		moved += fabsf(share - to[a]);
		to[a] = share;
	}
	return moved / 2;
}

static int32_t
community_largest_of(size_t k, const double *x)
{
	size_t best = 0;

	for (size_t a = 1; a < k; a++)
		best = x[a] > x[best] ? a : best;
	return (int32_t) best;
}

/*
 * New memberships of one side from its counts: log pi_ua = sum_b c_ub log r_ab -
 * M theta_u sum_b r_ab t_b.  *moved gets the sum of half L1 distances.
 */
static tlv_status
update_block_side(tlv_context *ctx, block_work *work, size_t s, double *moved)
{
	const tlv_block_model *model = work->model;
	const tlv_block_side *side = &model->side[s];
	const double *theta = work->theta + (model->sides == 1 ? 0 : (1 - s) * model->k);
	size_t k = model->k;
	double *counts = work->block, *logarithm = work->block + k * COMMUNITY_NODE_BLOCK;

	*moved = 0;
	for (size_t a = 0; a < k; a++)
	{
		work->offset[a] = 0;
		for (size_t b = 0; b < k; b++)
			work->offset[a] += model->total * work->rate[s == 0 ? a + k * b : b + k * a] * theta[b];
	}
	for (size_t first = 0; first < side->n; first += COMMUNITY_NODE_BLOCK)
	{
		size_t n = side->n - first < COMMUNITY_NODE_BLOCK ? side->n - first : COMMUNITY_NODE_BLOCK;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < n * k; i++)
			counts[i] = work->counts[first * k + i];
		TLV_TRY(tlv_gemm(ctx, s == 1, false, k, n, k, 1, work->log_rate, k, counts, k, 0, logarithm,
						 k));
		for (size_t u = 0; u < n; u++)
		{
			double *own = logarithm + u * k;
			float *share = work->share[s] + (first + u) * k;

			for (size_t a = 0; a < k; a++)
				own[a] -= side->propensity[first + u] * work->offset[a];
			if (side->fixed != NULL && side->fixed[first + u] >= 0)
				continue;
			side->label[first + u] = community_largest_of(k, own);
			*moved += softmax(k, own, share);
		}
	}
	return TLV_OK;
}

tlv_status
tlv_block_mean_field(tlv_context *ctx, const tlv_block_model *model, int max_steps,
					 double tolerance, int *steps)
{
	block_work work;
	size_t nodes = model->side[0].n + (model->sides == 2 ? model->side[1].n : 0);

	TLV_TRY(create_block_work(ctx, model, &work));
	for (*steps = 0; *steps < max_steps;)
	{
		double moved, also = 0;

		TLV_TRY(count_edges(ctx, &work));
		estimate_all_rates(&work);
		TLV_TRY(update_block_side(ctx, &work, 0, &moved));
		if (model->sides == 2)
		{
			TLV_TRY(expect_edges(ctx, &work));
			TLV_TRY(tlv_csr_multiply(ctx, model->side[1].edges, model->k,
									 work.share[other_side(model, 1)], work.counts));
			TLV_TRY(update_block_side(ctx, &work, 1, &also));
		}
		++*steps;
		tlv_report(ctx, "block model", *steps, max_steps);
		if (moved + also <= tolerance * (double) nodes)
			break;
	}
	free_block_work(ctx, &work);
	return TLV_OK;
}

/* Edges between blocks, counted by lanes (lanes.h); weights add up in the order of lanes. */
typedef struct block_count
{
	const tlv_csr *rows;
	const int32_t *own, *other;
	size_t k;
	bool between;
	size_t size;   /* of the sums of a lane */
	double *edges; /* of every lane */
} block_count;

static void
count_rows(void *argument, size_t lane, size_t first, size_t n)
{
	const block_count *count = argument;
	const tlv_csr *rows = count->rows;
	double *edges = count->edges + lane * count->size;

	for (size_t u = first; u < first + n; u++)
	{
		size_t a = (size_t) count->own[u];
		double inside = 0;

		for (size_t e = rows->start[u]; e < rows->start[u + 1]; e++)
		{
			size_t b = (size_t) count->other[rows->index[e]];
			double g = rows->value == NULL ? 1 : (double) rows->value[e];

			if (count->between)
				edges[a + count->k * b] += g;
			else
				inside += a == b ? g : 0;
		}
		if (!count->between)
			edges[a] += inside;
	}
}

tlv_status
tlv_block_edges(tlv_context *ctx, const tlv_csr *rows, const int32_t *own, const int32_t *other,
				size_t k, bool between, double *edges)
{
	block_count count = {.rows = rows,
						 .own = own,
						 .other = other,
						 .k = k,
						 .between = between,
						 .size = between ? k * k : k,
						 .edges = edges};
	tlv_lanes lanes;
	tlv_status status;

	tlv_assert(count.size > 0);
	tlv_lanes_divide(rows->rows, rows->start, 1, rows->entries / (16 * count.size) + 1, &lanes);
	if (lanes.count == 1)
		return tlv_lanes_rows(ctx, &lanes, count_rows, &count);
	TLV_TRY_NEW0_ROWS(ctx, count.edges, lanes.count, count.size);
	status = tlv_lanes_rows(ctx, &lanes, count_rows, &count);
	for (size_t i = 0; i < lanes.count && status == TLV_OK; i++)
		for (size_t j = 0; j < count.size; j++)
			edges[j] += count.edges[i * count.size + j];
	tlv_free(ctx, count.edges);
	return status;
}
