/*
 * moments.c - confusions from third moments (Zhang, Chen, Zhou and Jordan 2014): what three groups
 * of workers say on average of an item are three views of its class.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tuning.h"
#include "tensorlv/num/whiten.h"

#define CROWD_GROUPS 3

/* Moments of the groups' answers, over items that all three have answered. */
typedef struct group_moments
{
	crowd_state *state;
	size_t k;
	uint8_t *group; /* of every worker */
	double items;
	double *pair[CROWD_GROUPS]; /* k x k: of groups g and g + 1 */
	double *triple;				/* k x k x k of groups 0, 1, 2; the first runs fastest */
	double *mean;				/* k x 3: what the groups say of the current item */
	double count[CROWD_GROUPS];
	double *confusion[CROWD_GROUPS]; /* k x k: answer, class */
	double *weights;				 /* k x 3 */
	double *work;					 /* eight matrices */
} group_moments;

static tlv_status
moments_create(tlv_context *ctx, crowd_state *state, group_moments *m)
{
	size_t k = state->k, square = k * k;
	double *block;

	memset(m, 0, sizeof(*m));
	m->state = state;
	m->k = k;
	if (k > CROWD_MOST_CLASSES)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu classes are more than %d", k,
						CROWD_MOST_CLASSES);
	TLV_TRY_NEW(ctx, m->group, state->data->workers);
	TLV_TRY_NEW0(ctx, block, 14 * square + k * square + 6 * k);
	m->work = block;
	for (int g = 0; g < CROWD_GROUPS; g++)
	{
		m->pair[g] = block + (8 + (size_t) g) * square;
		m->confusion[g] = block + (11 + (size_t) g) * square;
	}
	m->triple = block + 14 * square;
	m->mean = m->triple + k * square;
	m->weights = m->mean + 3 * k;
	return TLV_OK;
}

/* ---- groups ---- */

/* Workers by decreasing number of answers, those of equal numbers at random. */
static tlv_status
order_workers(tlv_context *ctx, const crowd_answers *a, tlv_rng *rng, int64_t *order)
{
	size_t most = 0, *next;
	int64_t *drawn;

	for (size_t j = 0; j < a->workers; j++)
		most = (size_t) a->given[j] > most ? (size_t) a->given[j] : most;
	TLV_TRY_NEW0(ctx, next, most + 2);
	TLV_TRY_NEW(ctx, drawn, a->workers);
	TLV_TRY(tlv_rng_permutation(ctx, rng, a->workers, drawn));
	for (size_t j = 0; j < a->workers; j++)
		next[most - (size_t) a->given[j] + 1]++;
	for (size_t i = 0; i < most; i++)
		next[i + 1] += next[i];
	for (size_t j = 0; j < a->workers; j++)
		order[next[most - (size_t) a->given[drawn[j]]]++] = drawn[j];
	tlv_free(ctx, drawn);
	tlv_free(ctx, next);
	return TLV_OK;
}

/* Every three workers in that order go to the three groups at random, so that all have about as
 * many answers; those who copy go where one of them goes. */
static tlv_status
deal_workers(tlv_context *ctx, group_moments *m, const crowd_copies *copies, tlv_rng *rng)
{
	const crowd_answers *a = m->state->data;
	int64_t *order, hand[CROWD_GROUPS];
	uint8_t together[CROWD_MOST_GROUPS + 1];

	TLV_TRY_NEW(ctx, order, a->workers);
	TLV_TRY(order_workers(ctx, a, rng, order));
	for (size_t j = 0; j < a->workers; j++)
	{
		if (j % CROWD_GROUPS == 0)
			TLV_TRY(tlv_rng_permutation(ctx, rng, CROWD_GROUPS, hand));
		m->group[order[j]] = (uint8_t) hand[j % CROWD_GROUPS];
	}
	for (size_t j = 0; j < a->workers && copies->groups > 0; j++)
		together[copies->group[j]] = m->group[j];
	for (size_t j = 0; j < a->workers && copies->groups > 0; j++)
		if (copies->group[j] > 0)
			m->group[j] = together[copies->group[j]];
	tlv_free(ctx, order);
	return TLV_OK;
}

/* What every group says of an item: shares of the answers, and how many there are. */
static void
read_item(group_moments *m, size_t item)
{
	const crowd_answers *a = m->state->data;

	memset(m->mean, 0, CROWD_GROUPS * m->k * sizeof(double));
	memset(m->count, 0, sizeof(m->count));
	for (size_t i = crowd_first_given(a, item); i < a->start[item + 1]; i++)
	{
		int g = m->group[a->column[i] / a->answers];

		m->mean[(size_t) g * m->k + a->column[i] % a->answers] += crowd_weight(a, i);
		m->count[g] += crowd_weight(a, i);
	}
	for (size_t g = 0; g < CROWD_GROUPS; g++)
		for (size_t l = 0; l < m->k && m->count[g] > 0; l++)
			m->mean[g * m->k + l] /= m->count[g];
}

static void
add_item(group_moments *m)
{
	size_t k = m->k;
	const double *x = m->mean, *y = x + k, *z = y + k;

	m->items++;
	for (size_t g = 0; g < CROWD_GROUPS; g++)
	{
		const double *from = m->mean + g * k, *to = m->mean + (g + 1) % CROWD_GROUPS * k;

		for (size_t j = 0; j < k; j++)
			for (size_t i = 0; i < k && to[j] > 0; i++)
				m->pair[g][i + k * j] += from[i] * to[j];
	}
	for (size_t l = 0; l < k; l++)
		for (size_t j = 0; j < k; j++)
		{
			double yz = y[j] * z[l], *to = m->triple + k * (j + k * l);

			for (size_t i = 0; i < k && yz > 0; i++)
				to[i] += x[i] * yz;
		}
}

static tlv_status
crowd_collect(tlv_context *ctx, group_moments *m)
{
	const crowd_answers *a = m->state->data;
	size_t k = m->k, stride = CROWD_STRIDE / (k * k) + 1;

	for (size_t item = 0; item < a->items; item++)
	{
		if (item % stride == stride - 1)
			TLV_TRY_CONTINUE(ctx);
		read_item(m, item);
		if (m->count[0] > 0 && m->count[1] > 0 && m->count[2] > 0)
			add_item(m);
	}
	if (m->items < LEAST_ITEMS * (double) k)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
						"%.0f %s answers of three groups of workers, %zu %s %zu", m->items,
						tlv_plural((double) m->items, "item has", "items have"), k,
						tlv_plural((double) k, "class needs", "classes need"), LEAST_ITEMS * k);
	for (size_t i = 0; i < k * k * k; i++)
		m->triple[i] /= m->items;
	for (int g = 0; g < CROWD_GROUPS; g++)
		for (size_t i = 0; i < k * k; i++)
			m->pair[g][i] /= m->items;
	return TLV_OK;
}

/* ---- one group ---- */

/* The mean of a's answers times b's, k x k. */
static void
pair_of(const group_moments *m, int a, int b, double *pair)
{
	size_t k = m->k;

	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			pair[i + k * j] =
				(a + 1) % CROWD_GROUPS == b ? m->pair[a][i + k * j] : m->pair[b][j + k * i];
}

/* map (k x k) turns what a says into what t would say, through b: E_tb E_ab^+. */
static tlv_status
map_view(tlv_context *ctx, group_moments *m, int t, int a, int b, double *map)
{
	size_t k = m->k, rank;
	double *tb = m->work + 4 * k * k, *ab = tb + k * k, *inverse = ab + k * k;

	pair_of(m, t, b, tb);
	pair_of(m, a, b, ab);
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, ab, TLV_NOISE_DIRECTION, inverse, &rank));
	return tlv_gemm(ctx, false, false, k, k, k, 1, tb, k, inverse, k, 0, map, k);
}

/* Entry of the third moments by what groups a, b and t say. */
static size_t
triple_at(const group_moments *m, const int order[CROWD_GROUPS], const size_t at[CROWD_GROUPS])
{
	size_t place = 0;

	for (int v = 0; v < CROWD_GROUPS; v++)
		place += at[v] * (order[v] == 0 ? 1 : order[v] == 1 ? m->k : m->k * m->k);
	return place;
}

/* full (k^3) by a, b and t, the first two as t would say it. */
static tlv_status
map_triple(tlv_context *ctx, group_moments *m, const int order[CROWD_GROUPS], const double *map_a,
		   const double *map_b, double *full)
{
	size_t k = m->k, square = k * k;
	double *mapped;

	for (size_t l = 0; l < k; l++)
		for (size_t j = 0; j < k; j++)
			for (size_t i = 0; i < k; i++)
				full[i + k * j + square * l] =
					m->triple[triple_at(m, order, (const size_t[CROWD_GROUPS]){i, j, l})];
	TLV_TRY_NEW(ctx, mapped, k * square);
	TLV_TRY(tlv_gemm(ctx, false, false, k, square, k, 1, map_a, k, full, k, 0, mapped, k));
	for (size_t l = 0; l < k; l++)
		TLV_TRY(tlv_gemm(ctx, false, true, k, k, k, 1, mapped + square * l, k, map_b, k, 0,
						 full + square * l, k));
	tlv_free(ctx, mapped);
	return TLV_OK;
}

/* The symmetric second moments as group t would say both. */
static tlv_status
second_moment(tlv_context *ctx, group_moments *m, int a, int b, const double *map_a,
			  const double *map_b, double *m2)
{
	size_t k = m->k;
	double *ab = m->work + 4 * k * k, *half = ab + k * k, *both = half + k * k;

	pair_of(m, a, b, ab);
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, map_a, k, ab, k, 0, half, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, k, 1, half, k, map_b, k, 0, both, k));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			m2[i + k * j] = (both[i + k * j] + both[j + k * i]) / 2;
	return TLV_OK;
}

/* Columns of class means in the order in which the answers are theirs on the whole: the assignment
 * that makes the workers right most often. */
static tlv_status
moments_name_classes(tlv_context *ctx, group_moments *m, int t, const double *means,
					 const double *values)
{
	size_t k = m->k;
	double *cost = m->work + 4 * k * k, *error = cost + k * k;
	int64_t *partner;

	TLV_TRY_NEW(ctx, partner, k);
	for (size_t l = 0; l < k; l++)
		for (size_t c = 0; c < k; c++)
			cost[l * k + c] = -means[l + k * c];
	TLV_TRY(tlv_assign_components(ctx, k, k, cost, 0, partner, error));
	for (size_t h = 0; h < k; h++)
	{
		size_t c = (size_t) partner[h];
		double value = values[c] > CROWD_LEAST_PROBABILITY ? values[c] : CROWD_LEAST_PROBABILITY;

		memcpy(m->confusion[t] + k * h, means + k * c, k * sizeof(double));
		m->weights[h * CROWD_GROUPS + (size_t) t] = 1 / (value * value);
	}
	tlv_free(ctx, partner);
	return TLV_OK;
}

/* Means of the classes in group t's words: value M2 W v of every component. */
static tlv_status
decompose_group(tlv_context *ctx, group_moments *m, int t, const double *m2, const double *packed,
				uint64_t seed)
{
	size_t k = m->k;
	tlv_decompose_options options = {.method = TLV_METHOD_JOINT, .seed = seed};
	double *copy = m->work + 4 * k * k, *w = copy + k * k, *v = w + k * k, *means = m->work;
	double *values, *tensor;
	tlv_decomposition found;

	TLV_TRY_NEW(ctx, values, 2 * k);
	TLV_TRY_NEW(ctx, tensor, tlv_packed3_size(k));
	memcpy(copy, m2, k * k * sizeof(double));
	TLV_TRY(tlv_whiten(ctx, k, copy, packed, k, w, tensor, values));
	if (!(values[k - 1] > TLV_LEAST_DIRECTION * values[0]))
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "fewer than %zu %s are visible", k,
						tlv_plural((double) k, "class", "classes"));
	found = (tlv_decomposition){.values = values + k, .vectors = v};
	TLV_TRY(tlv_decompose(ctx, k, tensor, &options, &found));
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, m2, k, w, k, 0, copy, k));
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, copy, k, v, k, 0, means, k));
	for (size_t c = 0; c < k; c++)
		for (size_t i = 0; i < k; i++)
			means[i + k * c] *= found.values[c];
	tlv_normalize_columns(k, k, CROWD_LEAST_PROBABILITY, means);
	TLV_TRY(moments_name_classes(ctx, m, t, means, found.values));
	tlv_free(ctx, tensor);
	tlv_free(ctx, values);
	return TLV_OK;
}

static tlv_status
solve_group(tlv_context *ctx, group_moments *m, int t, uint64_t seed)
{
	size_t k = m->k;
	const int a = (t + 1) % CROWD_GROUPS, b = (t + 2) % CROWD_GROUPS;
	const int order[CROWD_GROUPS] = {a, b, t};
	double *map_a = m->work, *map_b = map_a + k * k, *m2 = map_b + k * k;
	double *full, *packed;

	TLV_TRY_NEW(ctx, full, k * k * k);
	TLV_TRY_NEW(ctx, packed, tlv_packed3_size(k));
	TLV_TRY(map_view(ctx, m, t, a, b, map_a));
	TLV_TRY(map_view(ctx, m, t, b, a, map_b));
	TLV_TRY(second_moment(ctx, m, a, b, map_a, map_b, m2));
	TLV_TRY(map_triple(ctx, m, order, map_a, map_b, full));
	(void) tlv_symmetrise3(k, full, packed);
	TLV_TRY(decompose_group(ctx, m, t, m2, packed, seed));
	tlv_free(ctx, packed);
	tlv_free(ctx, full);
	return TLV_OK;
}

/* ---- every worker ---- */

/* Weights of the classes: the middle one of the three groups' each. */
static void
settle_weights(group_moments *m, double *weights)
{
	double sum = 0;

	for (size_t h = 0; h < m->k; h++)
	{
		const double *w = m->weights + h * CROWD_GROUPS;
		double low = fmin(w[0], w[1]), high = fmax(w[0], w[1]);

		weights[h] = fmax(fmax(low, fmin(high, w[2])), CROWD_LEAST_PROBABILITY);
		sum += weights[h];
	}
	for (size_t h = 0; h < m->k; h++)
		weights[h] /= sum;
}

/* The answers of a worker to items of class h, k x k for each worker: the mean product of the
 * worker's answer and the answers of group b, solved for the confusions of group b. Adds the result
 * in the place of the logarithms. */
static tlv_status
regress_on_group(tlv_context *ctx, group_moments *m, int b, const double *weights, double *asked)
{
	crowd_state *state = m->state;
	const crowd_answers *a = state->data;
	size_t k = m->k, rank;
	double *transposed = m->work, *inverse = transposed + k * k, *worker = inverse + k * k;

	for (size_t i = 0; i < k; i++)
		for (size_t h = 0; h < k; h++)
			transposed[h + k * i] = m->confusion[b][i + k * h];
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, transposed, TLV_NOISE_DIRECTION, inverse, &rank));
	memset(state->counts, 0, k * a->columns * sizeof(double));
	memset(asked, 0, a->workers * sizeof(double));
	for (size_t item = 0; item < a->items; item++)
	{
		TLV_TRY_CONTINUE(ctx);
		read_item(m, item);
		for (size_t i = crowd_first_given(a, item); i < a->start[item + 1] && m->count[b] > 0; i++)
		{
			double *to = state->counts + k * a->column[i];

			if (m->group[a->column[i] / a->answers] == b)
				continue;
			asked[a->column[i] / a->answers] += crowd_weight(a, i);
			for (size_t h = 0; h < k; h++)
				to[h] += crowd_weight(a, i) * m->mean[(size_t) b * k + h];
		}
	}
	for (size_t j = 0; j < a->workers; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (asked[j] == 0)
			continue;
		/* classes x answers = (inverse, group's answers x classes)' (group's answers x answers) */
		TLV_TRY(tlv_gemm(ctx, true, false, k, k, k, 1 / asked[j], inverse, k,
						 state->counts + k * k * j, k, 0, worker, k));
		for (size_t i = 0; i < k * k; i++)
			state->log_confusions[k * k * j + i] += worker[i] / weights[i % k];
	}
	return TLV_OK;
}

/* Logs of rows of probabilities; of who has shared no item with another group all are alike. */
static tlv_status
settle_workers(tlv_context *ctx, group_moments *m, const double *groups)
{
	crowd_state *state = m->state;
	size_t k = m->k;

	for (size_t j = 0; j < state->data->workers; j++)
	{
		double *x = state->log_confusions + k * k * j;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < k * k; i++)
			x[i] = groups[j] > 0 ? x[i] / groups[j] : 1;
		tlv_normalize_rows(k, k, CROWD_LEAST_PROBABILITY, x);
		for (size_t i = 0; i < k * k; i++)
			x[i] = log(x[i]);
	}
	return TLV_OK;
}

static tlv_status
regress_workers(tlv_context *ctx, group_moments *m)
{
	crowd_state *state = m->state;
	size_t k = m->k, workers = state->data->workers;
	double *asked, *groups, *weights = m->work + 7 * k * k;

	TLV_TRY_NEW0(ctx, asked, 2 * workers);
	groups = asked + workers;
	settle_weights(m, weights);
	memset(state->log_confusions, 0, k * state->data->columns * sizeof(double));
	for (int b = 0; b < CROWD_GROUPS; b++)
	{
		TLV_TRY(regress_on_group(ctx, m, b, weights, asked));
		for (size_t j = 0; j < workers; j++)
			groups[j] += asked[j] > 0;
	}
	TLV_TRY(settle_workers(ctx, m, groups));
	for (size_t h = 0; h < k; h++)
		state->log_weights[h] = log(weights[h]);
	tlv_free(ctx, asked);
	return TLV_OK;
}

static tlv_status
solve_division(tlv_context *ctx, crowd_state *state, const crowd_copies *copies, tlv_rng *rng)
{
	group_moments m;

	TLV_TRY(moments_create(ctx, state, &m));
	TLV_TRY(deal_workers(ctx, &m, copies, rng));
	TLV_TRY(crowd_collect(ctx, &m));
	for (int t = 0; t < CROWD_GROUPS; t++)
		TLV_TRY(solve_group(ctx, &m, t, 1 + (tlv_rng_next(rng) >> 12)));
	return regress_workers(ctx, &m);
}

tlv_status
tlv_crowd_moments(tlv_context *ctx, crowd_state *state, const crowd_copies *copies, tlv_rng *rng)
{
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = solve_division(ctx, state, copies, rng);
	tlv_scratch_end(ctx, &scratch);
	/* a tensor of zeros, or of nothing but noise, tells no classes either */
	return status == TLV_BAD_DATA ? TLV_NOT_IDENTIFIABLE : status;
}
