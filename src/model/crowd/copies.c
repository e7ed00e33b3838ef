/*
 * copies.c - groups of workers who copy each other, or a third, found from pairs (internal.h).
 *
 * The estimated answers cannot identify copiers, because eight identical answers determine the
 * estimate.  So the baseline of a pair comes from all others.  Independent workers who know the
 * shares r and s of the items, and otherwise guess, agree by r s beyond their habits, whatever the
 * classes are: a robust fit of rank one.  A pair then has a score, the log-likelihood of copying in
 * COPIES_SHARE of the items against independence, and a group the sum over its pairs, less the
 * logarithm of the number of workers for each that it names.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/sort.h"

/* ---- the search ---- */

/* Pairs from which groups grow. */
#define COPIES_SEEDS 200

typedef struct copies_search
{
	const crowd_pairs *pairs;
	size_t m;
	double price;	 /* of a worker who is named */
	double *knows;	 /* workers: the share of the items that one knows */
	double *sums;	 /* workers x 3, for the fit */
	uint32_t *apart; /* workers: pairs with the same number, not 0, tell nothing of the baseline */
	uint32_t *group; /* workers: what is found */
	size_t groups;
	double likelihood; /* of all pairs, copying or not */
	/* a group that grows */
	double *gain;	/* workers: the scores of its pairs with the group */
	bool *in;		/* workers: in the group, */
	bool *beside;	/* or sharing items with some of it, */
	uint32_t *near; /* as a list */
	size_t n_near, size;
	uint32_t *best; /* workers: the best group so far */
	size_t best_size;
	double best_score;
	size_t looked;
} copies_search;

static tlv_status
search_create(tlv_context *ctx, const crowd_pairs *pairs, copies_search *s)
{
	size_t m = pairs->workers;

	memset(s, 0, sizeof(*s));
	s->pairs = pairs;
	s->m = m;
	s->price = log((double) m);
	TLV_TRY_NEW0(ctx, s->knows, 5 * m);
	s->sums = s->knows + m;
	s->gain = s->sums + 3 * m;
	TLV_TRY_NEW0(ctx, s->apart, 4 * m);
	s->group = s->apart + m;
	s->near = s->group + m;
	s->best = s->near + m;
	TLV_TRY_NEW0(ctx, s->in, 2 * m);
	s->beside = s->in + m;
	return TLV_OK;
}

static inline double
copies_clip(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* Decisions are made by this: other processors round otherwise. */
static inline double
copies_rounded(double x)
{
	return floor(x * 1e6 + 0.5);
}

/* ---- what workers know ---- */

static bool
pair_tells(const copies_search *s, const crowd_pair *pair)
{
	return s->apart[pair->a] == 0 || s->apart[pair->a] != s->apart[pair->b];
}

/* The weighted median of a worker's excesses; NaN where no pair tells. */
static double
middle_excess(const copies_search *s, size_t worker)
{
	const crowd_pairs *p = s->pairs;
	double total = 0, sum = 0;

	for (size_t i = p->first[worker]; i < p->first[worker + 1]; i++)
		total += pair_tells(s, &p->pair[p->of[i]]) ? p->pair[p->of[i]].weight : 0;
	for (size_t i = p->first[worker]; i < p->first[worker + 1]; i++)
	{
		const crowd_pair *pair = &p->pair[p->of[i]];

		sum += pair_tells(s, pair) ? pair->weight : 0;
		if (total > 0 && sum >= total / 2)
			return pair->excess;
	}
	return NAN;
}

static int
ascending_excess(const void *a, const void *b, const void *argument)
{
	double x = *(const double *) a, y = *(const double *) b;

	(void) argument;
	return (x > y) - (x < y);
}

/* The initial estimate: a worker's median over what the others know, of whom the best three
 * quarters say how much that is.  Of whom no pair tells, what all know on average. */
static tlv_status
start_knowledge(tlv_context *ctx, copies_search *s)
{
	double *middle = s->sums, *sorted = middle + s->m, others = 0, mean = 0;
	size_t n = 0, best;

	for (size_t j = 0; j < s->m; j++)
	{
		TLV_TRY(crowd_look(ctx, s->pairs->first[j + 1] - s->pairs->first[j] + 1, &s->looked));
		middle[j] = middle_excess(s, j);
		if (!isnan(middle[j]))
			sorted[n++] = middle[j];
	}
	TLV_TRY(tlv_merge_sort(ctx, n, sizeof(double), sorted, ascending_excess, NULL));
	best = n - n / 4;
	for (size_t i = n - best; i < n; i++)
		others += sorted[i] / (double) best;
	others = sqrt(copies_clip(others, 0.02, 0.95));
	for (size_t j = 0; j < s->m; j++)
	{
		s->knows[j] = copies_clip(middle[j] / others, 0.02, 0.98);
		mean += isnan(middle[j]) ? 0 : s->knows[j] / (double) n;
	}
	for (size_t j = 0; j < s->m; j++)
		s->knows[j] = isnan(middle[j]) ? mean : s->knows[j];
	return TLV_OK;
}

/* A round: every worker's regression on the others, by Tukey's weights, drawn towards the mean by
 * four units of information and half of the way.  *change is the largest one. */
static tlv_status
improve_knowledge(tlv_context *ctx, copies_search *s, double *change)
{
	double *above = s->sums, *below = above + s->m, mean = 0;

	memset(above, 0, 2 * s->m * sizeof(double));
	for (size_t i = 0; i < s->pairs->n; i++)
	{
		const crowd_pair *pair = &s->pairs->pair[i];
		double a = s->knows[pair->a], b = s->knows[pair->b], apart = pair->excess - a * b;
		double far = apart * apart * pair->weight / (LEAST_COPY_Z * LEAST_COPY_Z), weight;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(far < 1) || !pair_tells(s, pair))
			continue;
		weight = pair->weight * (1 - far) * (1 - far);
		above[pair->a] += weight * pair->excess * b;
		above[pair->b] += weight * pair->excess * a;
		below[pair->a] += weight * b * b;
		below[pair->b] += weight * a * a;
	}
	for (size_t j = 0; j < s->m; j++)
		mean += s->knows[j] / (double) s->m;
	*change = 0;
	for (size_t j = 0; j < s->m; j++)
	{
		double now =
			copies_clip((above[j] + COPIES_PRIOR * mean) / (below[j] + COPIES_PRIOR), 0, 0.98);

		now = (now + s->knows[j]) / 2;
		*change = fmax(*change, fabs(now - s->knows[j]));
		s->knows[j] = now;
	}
	return TLV_OK;
}

static tlv_status
fit_knowledge(tlv_context *ctx, copies_search *s)
{
	double change = 1;

	TLV_TRY(start_knowledge(ctx, s));
	for (int round = 0; round < 30 && !(change < 1e-4); round++)
		TLV_TRY(improve_knowledge(ctx, s, &change));
	return TLV_OK;
}

/* Scores of all pairs, and the likelihood of all by the baseline. */
static tlv_status
score_pairs(tlv_context *ctx, copies_search *s)
{
	s->likelihood = 0;
	for (size_t i = 0; i < s->pairs->n; i++)
	{
		crowd_pair *pair = &s->pairs->pair[i];
		double agreed = pair->agreed, differ = (double) pair->shared - agreed;
		double known = s->pairs->spread * s->knows[pair->a] * s->knows[pair->b];
		double base = copies_clip(pair->chance + known, 0.02, 0.98);

		TLV_TRY_CONTINUE_AT(ctx, i);
		pair->score = agreed * log((COPIES_SHARE + (1 - COPIES_SHARE) * base) / base) +
					  differ * log(1 - COPIES_SHARE);
		s->likelihood += agreed * log(base) + differ * log(1 - base);
	}
	return TLV_OK;
}

/* ---- groups ---- */

/* A worker comes to the group, by 1, or leaves it, by -1. */
static void
move_worker(copies_search *s, size_t worker, double by)
{
	const crowd_pairs *p = s->pairs;

	s->in[worker] = by > 0;
	s->size += by > 0 ? 1 : SIZE_MAX;
	for (size_t i = p->first[worker]; i < p->first[worker + 1]; i++)
	{
		const crowd_pair *pair = &p->pair[p->of[i]];
		size_t other = pair->a == worker ? pair->b : pair->a;

		if (!s->beside[other])
			s->near[s->n_near++] = (uint32_t) other;
		s->beside[other] = true;
		s->gain[other] += by * pair->score;
	}
}

/* The worker who raises the score of the group most by coming or leaving, of equal ones the first;
 * m where nobody raises it. */
static size_t
best_move(const copies_search *s)
{
	size_t best = s->m;
	double most = 0;

	for (size_t i = 0; i < s->n_near; i++)
	{
		size_t j = s->near[i];
		double more = copies_rounded(s->in[j] ? s->price - s->gain[j] : s->gain[j] - s->price);

		if (s->group[j] > 0 || (s->in[j] && s->size <= 2))
			continue;
		if (more > most || (more == most && best < s->m && j < best))
		{
			most = more;
			best = j;
		}
	}
	return best;
}

/* Keeps the group where it is the best so far, and forgets it. */
static void
end_group(copies_search *s)
{
	double score = -s->price * (double) s->size;

	for (size_t i = 0; i < s->n_near; i++)
		score += s->in[s->near[i]] ? s->gain[s->near[i]] / 2 : 0;
	if (copies_rounded(score) > copies_rounded(s->best_score))
	{
		s->best_score = score;
		s->best_size = 0;
		for (size_t i = 0; i < s->n_near; i++)
			if (s->in[s->near[i]])
				s->best[s->best_size++] = s->near[i];
	}
	for (size_t i = 0; i < s->n_near; i++)
	{
		s->gain[s->near[i]] = 0;
		s->in[s->near[i]] = s->beside[s->near[i]] = false;
	}
	s->n_near = s->size = 0;
}

static tlv_status
grow_group(tlv_context *ctx, copies_search *s, const crowd_pair *seed)
{
	move_worker(s, seed->a, 1);
	move_worker(s, seed->b, 1);
	for (size_t moves = 0; moves < 4 * s->m; moves++)
	{
		size_t worker = best_move(s);

		TLV_TRY(crowd_look(ctx, s->n_near, &s->looked));
		if (worker == s->m)
			break;
		move_worker(s, worker, s->in[worker] ? -1 : 1);
	}
	end_group(s);
	return TLV_OK;
}

/* Is x to be tried before y? */
static bool
seed_before(const crowd_pair *x, const crowd_pair *y)
{
	double a = copies_rounded(x->score), b = copies_rounded(y->score);

	return a != b ? a > b : x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* The pairs of highest score, above 0, of workers who are in no group yet. */
static tlv_status
find_seeds(tlv_context *ctx, const copies_search *s, const crowd_pair **seeds, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < s->pairs->n; i++)
	{
		const crowd_pair *pair = &s->pairs->pair[i];
		size_t at = *n;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(pair->score > 0) || s->group[pair->a] > 0 || s->group[pair->b] > 0 ||
			(at == COPIES_SEEDS && !seed_before(pair, seeds[at - 1])))
			continue;
		at -= at == COPIES_SEEDS;
		for (; at > 0 && seed_before(pair, seeds[at - 1]); at--)
			seeds[at] = seeds[at - 1];
		seeds[at] = pair;
		*n += *n < COPIES_SEEDS;
	}
	return TLV_OK;
}

/* All groups by the scores of the pairs, one after the other; their scores come to the likelihood
 * of the pairs. */
static tlv_status
find_groups(tlv_context *ctx, copies_search *s)
{
	const crowd_pair *seeds[COPIES_SEEDS];
	size_t n;

	memset(s->group, 0, s->m * sizeof(*s->group));
	for (s->groups = 0; s->groups < CROWD_MOST_GROUPS; s->groups++)
	{
		s->best_score = 0;
		s->best_size = 0;
		TLV_TRY(find_seeds(ctx, s, seeds, &n));
		for (size_t i = 0; i < n; i++)
			TLV_TRY(grow_group(ctx, s, seeds[i]));
		if (!(copies_rounded(s->best_score) > copies_rounded(s->price)))
			return TLV_OK;
		for (size_t i = 0; i < s->best_size; i++)
			s->group[s->best[i]] = (uint32_t) s->groups + 1;
		s->likelihood += s->best_score;
	}
	return TLV_OK;
}

/* Baseline and groups in turn until the groups stay: those found are left out of the baseline. */
static tlv_status
settle_groups(tlv_context *ctx, copies_search *s)
{
	for (int round = 0; round < COPIES_ROUNDS; round++)
	{
		TLV_TRY(fit_knowledge(ctx, s));
		TLV_TRY(score_pairs(ctx, s));
		TLV_TRY(find_groups(ctx, s));
		if (round == 0 && s->groups == 0)
			return TLV_OK;
		if (round > 0 && memcmp(s->apart, s->group, s->m * sizeof(*s->apart)) == 0)
			return TLV_OK;
		memcpy(s->apart, s->group, s->m * sizeof(*s->apart));
	}
	return TLV_OK;
}

/* ---- other baselines ---- */

/* Whether there are groups and the workers outside them are enough to identify the answers. */
static bool
is_minority(const copies_search *s)
{
	size_t named = 0;

	for (size_t j = 0; j < s->m; j++)
		named += s->group[j] > 0;
	return named > 0 && 100 * named <= 45 * s->m;
}

/* By decreasing knowledge. */
static int
knowledge_order(const void *a, const void *b, const void *argument)
{
	const double *knows = argument;
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
	double p = copies_rounded(knows[x]), q = copies_rounded(knows[y]);

	return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

/*
 * Copiers look like experts: do the best t workers agree with the others, too?  The search again,
 * each time without the pairs among these, and of all results the likeliest.
 */
static tlv_status
try_without_best(tlv_context *ctx, copies_search *s, crowd_copies *copies)
{
	double likelihood = s->likelihood;
	size_t before = 0;
	uint32_t *order;

	TLV_TRY_NEW(ctx, order, s->m);
	memset(s->apart, 0, s->m * sizeof(*s->apart));
	TLV_TRY(fit_knowledge(ctx, s));
	for (size_t j = 0; j < s->m; j++)
		order[j] = (uint32_t) j;
	TLV_TRY(tlv_merge_sort(ctx, s->m, sizeof(*order), order, knowledge_order, s->knows));
	for (size_t tenths = 1; tenths <= 4; tenths++)
	{
		size_t t = s->m * tenths / 10 > 3 ? s->m * tenths / 10 : 3;

		if (t == before)
			continue;
		before = t;
		memset(s->apart, 0, s->m * sizeof(*s->apart));
		for (size_t i = 0; i < t; i++)
			s->apart[order[i]] = 1;
		TLV_TRY(settle_groups(ctx, s));
		if (!is_minority(s) || !(copies_rounded(s->likelihood) > copies_rounded(likelihood)))
			continue;
		likelihood = s->likelihood;
		copies->groups = s->groups;
		memcpy(copies->group, s->group, s->m * sizeof(*s->group));
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

static tlv_status
search_copies(tlv_context *ctx, const crowd_answers *a, crowd_copies *copies)
{
	crowd_pairs pairs;
	copies_search s;

	TLV_TRY(tlv_crowd_pairs(ctx, a, &pairs));
	if (pairs.n == 0)
		return TLV_OK;
	TLV_TRY(search_create(ctx, &pairs, &s));
	TLV_TRY(settle_groups(ctx, &s));
	if (!is_minority(&s))
		return try_without_best(ctx, &s, copies);
	copies->groups = s.groups;
	memcpy(copies->group, s.group, s.m * sizeof(*s.group));
	return TLV_OK;
}

tlv_status
tlv_crowd_find_copies(tlv_context *ctx, const crowd_answers *a, crowd_copies *copies)
{
	tlv_scratch scratch;
	tlv_status status;

	memset(copies, 0, sizeof(*copies));
	if (a->workers < 4 || a->answers < 2)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, copies->group, a->workers);
	tlv_scratch_begin(ctx, &scratch);
	status = search_copies(ctx, a, copies);
	tlv_scratch_end(ctx, &scratch);
	return status;
}
