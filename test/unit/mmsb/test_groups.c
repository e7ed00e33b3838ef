/*
 * test_groups.c - partitions by evidence: sums kept through moves and joins against those counted
 * from the labels, the evidence of one group in closed form, groups that only weights show, and
 * scores that no unit and no monotone function of the weights changes.
 */
#include "model/mmsb/engine/groups.h"
#include "graph_fixture.h"

#include "tensorlv/num/special.h"

#define NODES  90
#define GROUPS 3

typedef struct planted
{
	tlv_mmsb_fit_state fit;
	int32_t truth[NODES]; /* of the nodes in the order of the fit */
	tlv_rank_scores scores;
} planted;

/* A random graph of groups u % 3, nodes of most edges first; weights are larger inside by a factor.
 */
static planted
make_planted(double inside, double between, double factor, uint64_t seed)
{
	planted p = {.fit = {.sides = 1}};
	double weight[NODES][NODES] = {{0}};
	size_t degree[NODES] = {0}, place[NODES];
	dense sorted = dense_graph(NODES, NODES);
	tlv_mmsb_side *side = &p.fit.side[0];
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	for (size_t u = 0; u < NODES; u++)
		for (size_t v = 0; v < u; v++)
		{
			bool same = u % GROUPS == v % GROUPS;
			double w = exp(tlv_rng_normal(&rng)) * (same ? factor : 1);

			if (v != u - 1 && tlv_rng_uniform(&rng) > (same ? inside : between))
				continue;
			weight[u][v] = weight[v][u] = w;
			degree[u]++;
			degree[v]++;
		}
	for (size_t u = 0; u < NODES; u++)
	{
		place[u] = 0;
		for (size_t v = 0; v < NODES; v++)
			place[u] += degree[v] > degree[u] || (v < u && degree[v] == degree[u]);
		p.truth[place[u]] = (int32_t) (u % GROUPS);
	}
	for (size_t u = 0; u < NODES; u++)
		for (size_t v = 0; v < NODES; v++)
			sorted.g[place[u] * NODES + place[v]] = weight[u][v];
	side->n = NODES;
	side->edges = sparse_rows(&sorted, true);
	side->weight = side->edges.value;
	side->edges.value = NULL;
	side->degree = numbers(NODES);
	tlv_csr_row_sums(&side->edges, side->degree);
	p.fit.total = (double) side->edges.entries;
	assert_ok(tlv_rank_scores_create(&ctx, &side->edges, NULL, side->weight, &p.scores));
	return p;
}

/* A task over the planted graph. */
static tlv_group_task
task_of(const planted *p, tlv_group_task task)
{
	task.fit = &p->fit;
	task.edges = &p->fit.side[0].edges;
	task.scores = &p->scores;
	assert_ok(tlv_scores_alike(&ctx, p->fit.side[0].edges.entries, &p->scores, &task.alike));
	return task;
}

static double
search(const planted *p, tlv_group_task task, int32_t *label, size_t *k)
{
	double evidence;

	task = task_of(p, task);
	assert_ok(tlv_groups_search(&ctx, &task, label, k, &evidence));
	return evidence;
}

static double
weigh(const planted *p, tlv_group_task task, int32_t *label, size_t k)
{
	double evidence;

	task = task_of(p, task);
	assert_ok(tlv_groups_weigh(&ctx, &task, label, k, &evidence));
	return evidence;
}

/* Every group in three parts, by the number of the node. */
static void
divide_groups(const planted *p, int32_t *label)
{
	for (size_t u = 0; u < NODES; u++)
		label[u] = p->truth[u] + GROUPS * (int32_t) (u % 3);
}

TEST(test_sums)
{
	planted p = make_planted(0.3, 0.02, 2, 1);

	for (int i = 0; i < 8; i++)
	{
		tlv_group_task task = {.corrected = i % 2 == 1,
							   .follow = i / 2 % 2 == 1,
							   .k = i < 4 ? 0 : 4,
							   .seed = (uint64_t) i};
		int32_t label[NODES];
		size_t k = 9;
		double found;

		divide_groups(&p, label);
		found = search(&p, task, label, &k);
		assert_int_equal(k, i < 4 ? GROUPS : 4);
		for (size_t u = 0; u < NODES; u++)
			assert_true(label[u] >= 0 && label[u] < (int32_t) k);
		assert_close(found, weigh(&p, task, label, k), 1e-6);
	}
}

TEST(test_one)
{
	planted p = make_planted(0.2, 0.2, 1, 2);
	double pairs = NODES * (NODES - 1) / 2.0, edges = p.fit.total / 2, best = -HUGE_VAL, gain;
	double mean = (edges + 0.5) / (pairs + 0.5), alike, scores;
	int32_t label[NODES] = {0}, *const labels[2] = {label, NULL};
	tlv_group_task task = {.follow = false};

	for (int i = 0; i <= 12; i++)
	{
		double a = exp2(i);

		best = fmax(best, tlv_lgamma(edges + a) - (edges + a) * log(pairs + a / mean) +
							  a * log(a / mean) - tlv_lgamma(a));
	}
	alike = weigh(&p, task, label, 1);
	assert_ok(tlv_mmsb_simple_gain(&ctx, &p.fit, labels, 1, false, &gain));
	assert_ok(tlv_scores_alike(&ctx, p.fit.side[0].edges.entries, &p.scores, &scores));
	/* labels cost the logarithm of n */
	assert_close(alike, best + gain - log(NODES) + scores, 1e-5);
	/* one group: scores are alike whether they follow it or not */
	task.follow = true;
	assert_close(weigh(&p, task, label, 1), alike, 1e-6);
}

static size_t
misplaced(const planted *p, const int32_t *label)
{
	size_t most[GROUPS] = {0}, counts[GROUPS][GROUPS] = {{0}}, right = 0;

	for (size_t u = 0; u < NODES; u++)
		counts[label[u] % GROUPS][p->truth[u]]++;
	for (size_t a = 0; a < GROUPS; a++)
	{
		for (size_t b = 0; b < GROUPS; b++)
			most[a] = counts[a][b] > most[a] ? counts[a][b] : most[a];
		right += most[a];
	}
	return NODES - right;
}

/* Groups of one density, which weights follow, and weights that follow none. */
TEST(test_weights)
{
	for (uint64_t seed = 10; seed < 14; seed++)
	{
		tlv_group_task weighed = {.follow = true, .seed = seed};
		tlv_group_task alike = {.seed = seed};
		planted p = make_planted(0.3, 0.3, 5, seed);
		planted noise = make_planted(0.3, 0.3, 1, seed);
		int32_t label[NODES], one[NODES] = {0};
		size_t k = 9;
		double found;

		divide_groups(&p, label);
		found = search(&p, weighed, label, &k);
		assert_int_equal(k, GROUPS);
		assert_true(misplaced(&p, label) <= 3);
		assert_true(found > weigh(&p, alike, one, 1) + 20);
		k = 9;
		divide_groups(&noise, label);
		(void) search(&noise, weighed, label, &k);
		assert_int_equal(k, 1);
	}
}

/* Edges of one density; those from group a to group a + 1 weigh more than the others. */
TEST(test_directed)
{
	tlv_mmsb_fit_state fit = {.sides = 2, .tied = true};
	dense graph = dense_graph(NODES, NODES), back = dense_graph(NODES, NODES);
	int32_t node[NODES], label[NODES];
	size_t split[NODES], right[GROUPS][GROUPS] = {{0}};
	int32_t number[NODES];
	planted p = {0};
	tlv_rng rng;

	tlv_rng_seed(&rng, 50);
	for (size_t u = 0; u < NODES; u++)
		for (size_t v = 0; v < NODES; v++)
		{
			double w = exp(tlv_rng_normal(&rng)) * (v % GROUPS == (u + 1) % GROUPS ? 6 : 1);

			if (u != v && (v == (u + 1) % NODES || tlv_rng_uniform(&rng) < 0.2))
				graph.g[u * NODES + v] = back.g[v * NODES + u] = w;
		}
	for (size_t s = 0; s < 2; s++)
	{
		tlv_mmsb_side *side = &fit.side[s];

		*side = (tlv_mmsb_side){.all = NODES, .n = NODES, .position = node, .place = node};
		side->edges = sparse_rows(s == 0 ? &graph : &back, true);
		side->degree = numbers(NODES);
	}
	for (size_t u = 0; u < NODES; u++)
		node[u] = (int32_t) u;
	assert_ok(tlv_mmsb_join_directions(&ctx, &fit, split, &p.fit.side[0].edges));
	fit.total = (double) fit.side[0].edges.entries;
	for (size_t s = 0; s < 2; s++)
	{
		fit.side[s].edges.value = NULL;
		tlv_csr_row_sums(&fit.side[s].edges, fit.side[s].degree);
	}
	for (size_t u = 0; u < NODES; u++)
		number[u] = (int32_t) u;
	assert_ok(tlv_rank_scores_create(&ctx, &p.fit.side[0].edges, split, p.fit.side[0].edges.value,
									 &p.scores));
	for (int corrected = 0; corrected < 2; corrected++)
	{
		tlv_group_task task = {.fit = &fit,
							   .edges = &p.fit.side[0].edges,
							   .split = split,
							   .number = number,
							   .scores = &p.scores,
							   .follow = true,
							   .corrected = corrected == 1};
		size_t k = 9, found = 0;
		double evidence, again;

		for (size_t u = 0; u < NODES; u++)
			label[u] = (int32_t) (u % GROUPS + GROUPS * (u % 7 % 3));
		assert_ok(tlv_groups_search(&ctx, &task, label, &k, &evidence));
		assert_int_equal(k, GROUPS);
		memset(right, 0, sizeof(right));
		for (size_t u = 0; u < NODES; u++)
			right[label[u]][u % GROUPS]++;
		for (size_t a = 0; a < GROUPS; a++)
			for (size_t b = 0; b < GROUPS; b++)
				found += right[a][b] >= NODES / GROUPS - 2;
		assert_int_equal(found, GROUPS);
		/* what moves and joins have counted is what the labels have */
		assert_ok(tlv_groups_weigh(&ctx, &task, label, k, &again));
		assert_close(evidence, again, 1e-6);
	}
}

/* Scores are those of ranks: of no unit, and of no monotone function. */
TEST(test_ranks)
{
	planted p = make_planted(0.3, 0.2, 2, 20);
	const tlv_csr *edges = &p.fit.side[0].edges;
	float *changed = room(edges->entries, sizeof(float));
	tlv_rank_scores scores;
	double squares = 0;

	for (int by = 0; by < 3; by++)
	{
		for (size_t e = 0; e < edges->entries; e++)
		{
			float w = p.fit.side[0].weight[e];

			changed[e] = by == 0 ? w * 128 : by == 1 ? logf(w) : w / 1024 - 5000;
		}
		/* the last one loses digits: ties are heaps of one mean and one mean square */
		assert_ok(tlv_rank_scores_create(&ctx, edges, NULL, changed, &scores));
		squares = 0;
		for (size_t e = 0; e < edges->entries; e++)
		{
			if (by < 2)
				assert_close((double) scores.score[e], (double) p.scores.score[e], 1e-6);
			assert_true(isfinite((double) scores.score[e]));
			squares += (double) scores.square[e];
		}
		assert_close(squares / (double) edges->entries, 1, 1e-5);
		tlv_rank_scores_free(&ctx, &scores);
	}
}

/* w = a_u a_v: what nodes have of themselves is taken off. */
TEST(test_effects)
{
	planted p = make_planted(0.3, 0.3, 1, 30);
	const tlv_csr *edges = &p.fit.side[0].edges;
	float *weight = room(edges->entries, sizeof(float)), strength[NODES];
	tlv_rank_scores scores;
	tlv_rng rng;

	assert_true(p.scores.effects == 0);
	tlv_rng_seed(&rng, 31);
	for (size_t u = 0; u < NODES; u++)
		strength[u] = (float) exp(tlv_rng_normal(&rng));
	for (size_t u = 0; u < NODES; u++)
		for (size_t e = edges->start[u]; e < edges->start[u + 1]; e++)
			weight[e] = p.fit.side[0].weight[e] * strength[u] * strength[edges->index[e]];
	assert_ok(tlv_rank_scores_create(&ctx, edges, NULL, weight, &scores));
	assert_true(scores.effects > 100);
	tlv_rank_scores_free(&ctx, &scores);
}

static tlv_status
search_from_eight(const tlv_group_task *task)
{
	int32_t label[NODES];
	size_t k = 8;
	double evidence;

	for (size_t u = 0; u < NODES; u++)
		label[u] = (int32_t) (u % 8);
	return tlv_groups_search(&ctx, task, label, &k, &evidence);
}

TEST(test_faults)
{
	planted p = make_planted(0.4, 0.1, 2, 40);
	tlv_group_task task = {.fit = &p.fit,
						   .edges = &p.fit.side[0].edges,
						   .corrected = true,
						   .scores = &p.scores,
						   .follow = true};

	for (size_t look = 1; look < 20; look += 6)
		assert_cancelled_at(look, search_from_eight(&task));
	assert_short_of_memory(16, search_from_eight(&task));
}

RUN_TESTS(setup, teardown)
