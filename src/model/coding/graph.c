/*
 * graph.c - the sets of rows that share an atom, from who correlates with whom (Ge 2013, algorithm
 * 5.1, RecoverGraph), and the atoms of these sets (algorithm 5.3, OverlappingSVD).
 *
 * Rows are connected where |x'y| exceeds a threshold, a part of the mean square of a coefficient.
 * Three rows of one atom have many neighbours in common, others few: a random edge and a neighbour
 * of it that pass this test say which rows belong to the atom; a set that covers a smaller one is
 * that of two atoms, and goes.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* Rows that are looked at: all pairs of them are. */
#define CODING_MOST_ROWS 4000
/* Rounds: this times k s log k. */
#define CODING_ROUNDS 3
/* Iterations of the power method. */
#define POWER_STEPS 30

typedef struct row_graph
{
	size_t n;			  /* rows */
	size_t words;		  /* of a set of rows */
	uint64_t *neighbours; /* words x n */
	int64_t *degrees;
} row_graph;

typedef struct row_sets
{
	size_t n, room;
	uint64_t *members; /* words x n */
	size_t *sizes;
} row_sets;

static bool
is_in(const uint64_t *set, size_t i)
{
	return (set[i / 64] >> i % 64 & 1) != 0;
}

static void
put_in(uint64_t *set, size_t i)
{
	set[i / 64] |= (uint64_t) 1 << i % 64;
}

/* How many are in both. */
TLV_CLONES static size_t
common(size_t words, const uint64_t *a, const uint64_t *b)
{
	size_t n = 0;

	for (size_t w = 0; w < words; w++)
		n += (size_t) __builtin_popcountll(a[w] & b[w]);
	return n;
}

static tlv_status
connect_rows(tlv_context *ctx, const tlv_coding_learner *learner, double threshold,
			 row_graph *graph)
{
	size_t n = graph->n, d = learner->d;
	double *products;

	TLV_TRY_NEW_ROWS(ctx, products, TLV_BLOCK_ROWS, n);
	for (size_t first = 0; first < n; first += TLV_BLOCK_ROWS)
	{
		size_t m = n - first < TLV_BLOCK_ROWS ? n - first : TLV_BLOCK_ROWS;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_gemm(ctx, true, false, n, m, d, 1, learner->rows, d, learner->rows + first * d,
						 d, 0, products, n));
		for (size_t j = 0; j < m; j++)
			for (size_t i = 0; i < n; i++)
				if (i != first + j && fabs(products[i + j * n]) > threshold)
				{
					put_in(graph->neighbours + (first + j) * graph->words, i);
					graph->degrees[first + j]++;
				}
	}
	tlv_free(ctx, products);
	return TLV_OK;
}

/* A neighbour of a row at random; it has some. */
static size_t
draw_neighbour(const row_graph *graph, size_t row, tlv_rng *rng)
{
	const uint64_t *set = graph->neighbours + row * graph->words;
	int64_t left = (int64_t) tlv_rng_below(rng, (uint64_t) graph->degrees[row]);

	for (size_t w = 0;; w++)
	{
		int here = __builtin_popcountll(set[w]);

		if (left >= here)
		{
			left -= here;
			continue;
		}
		for (size_t i = 0;; i++)
			if ((set[w] >> i & 1) != 0 && left-- == 0)
				return w * 64 + i;
	}
}

/* Is there a set already that this one covers, or that covers it?  The smaller one stays. */
static void
add_set(row_sets *sets, size_t words, const uint64_t *set, size_t size)
{
	/* A set with this part of a smaller one covers it (the thesis: all of it, which one false
	 * member breaks). */
	const double covered = 0.9;

	for (size_t i = 0; i < sets->n; i++)
	{
		uint64_t *other = sets->members + i * words;
		size_t smaller = size < sets->sizes[i] ? size : sets->sizes[i];

		if ((double) common(words, set, other) < covered * (double) smaller)
			continue;
		if (size < sets->sizes[i])
		{
			memcpy(other, set, words * sizeof(uint64_t));
			sets->sizes[i] = size;
		}
		return;
	}
	if (sets->n == sets->room)
		return;
	memcpy(sets->members + sets->n * words, set, words * sizeof(uint64_t));
	sets->sizes[sets->n++] = size;
}

/* One round: a random edge (u, v), a random neighbour w of u, and the set that they identify. */
static tlv_status
try_triple(tlv_context *ctx, const row_graph *graph, size_t least, tlv_rng *rng, uint64_t *set,
		   row_sets *sets)
{
	size_t words = graph->words, u = (size_t) tlv_rng_below(rng, graph->n), v, w, size = 0;
	uint64_t *both = set + words;

	if (graph->degrees[u] < 2)
		return TLV_OK;
	v = draw_neighbour(graph, u, rng);
	w = draw_neighbour(graph, u, rng);
	for (size_t i = 0; i < words; i++)
		both[i] = graph->neighbours[u * words + i] & graph->neighbours[v * words + i];
	if (v == w || common(words, both, graph->neighbours + w * words) < least)
		return TLV_OK;
	memset(set, 0, words * sizeof(uint64_t));
	put_in(set, u);
	put_in(set, v);
	put_in(set, w);
	for (size_t i = 0; i < graph->n; i++)
		if (common(words, both, graph->neighbours + i * words) >= least)
			put_in(set, i);
	for (size_t i = 0; i < words; i++)
		size += (size_t) __builtin_popcountll(set[i]);
	add_set(sets, words, set, size);
	return tlv_should_stop(ctx) ? tlv_cancelled(ctx) : TLV_OK;
}

/* x of length 1; false where it has none. */
static bool
make_unit(size_t d, double *x)
{
	double largest = tlv_largest_modulus(d, x), length = 0;

	if (!(largest > 0) || !isfinite(largest))
		return false;
	for (size_t e = 0; e < d; e++)
	{
		x[e] /= largest;
		length += x[e] * x[e];
	}
	for (size_t e = 0; e < d; e++)
		x[e] /= sqrt(length);
	return true;
}

/* The leading direction of the rows of a set, by the power method from its first row. */
static tlv_status
direction_of(tlv_context *ctx, const tlv_coding_learner *learner, const row_graph *graph,
			 const uint64_t *set, double *work, double *atom)
{
	size_t d = learner->d, first = 0;

	while (first + 1 < graph->n && !is_in(set, first))
		first++;
	memcpy(atom, learner->rows + first * d, d * sizeof(double));
	if (!make_unit(d, atom))
		return TLV_OK;
	for (int step = 0; step < POWER_STEPS; step++)
	{
		memset(work, 0, d * sizeof(double));
		for (size_t i = 0; i < graph->n; i++)
		{
			const double *row = learner->rows + i * d;
			double product = 0;

			TLV_TRY_CONTINUE_OFTEN(ctx, i);
			if (!is_in(set, i))
				continue;
			for (size_t e = 0; e < d; e++)
				product += row[e] * atom[e];
			for (size_t e = 0; e < d; e++)
				work[e] += product * row[e];
		}
		if (!make_unit(d, work))
			break;
		memcpy(atom, work, d * sizeof(double));
	}
	return TLV_OK;
}

/* The largest sets first, as many as there are atoms. */
static tlv_status
atoms_of(tlv_context *ctx, tlv_coding_learner *learner, const row_graph *graph, row_sets *sets,
		 size_t *found)
{
	double *work;

	TLV_TRY_NEW(ctx, work, learner->d);
	for (*found = 0; *found < learner->k && *found < sets->n; ++*found)
	{
		size_t largest = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 1; i < sets->n; i++)
			largest = sets->sizes[i] > sets->sizes[largest] ? i : largest;
		if (sets->sizes[largest] == 0)
			break;
		TLV_TRY(direction_of(ctx, learner, graph, sets->members + largest * graph->words, work,
							 learner->atoms + *found * learner->d));
		sets->sizes[largest] = 0;
	}
	tlv_free(ctx, work);
	return TLV_OK;
}

static tlv_status
make_room(tlv_context *ctx, const tlv_coding_learner *learner, row_graph *graph, row_sets *sets,
		  uint64_t **set)
{
	graph->n = learner->n < CODING_MOST_ROWS ? learner->n : CODING_MOST_ROWS;
	graph->words = (graph->n + 63) / 64;
	sets->room = 4 * learner->k;
	TLV_TRY(tlv_require_memory(ctx,
							   8.0 * (double) (graph->words * (graph->n + sets->room + 2) +
											   graph->n * (TLV_BLOCK_ROWS + 1)),
							   "the graph of rows"));
	TLV_TRY_NEW0_ROWS(ctx, graph->neighbours, graph->n, graph->words);
	TLV_TRY_NEW0(ctx, graph->degrees, graph->n);
	TLV_TRY_NEW0_ROWS(ctx, sets->members, sets->room, graph->words);
	TLV_TRY_NEW0(ctx, sets->sizes, sets->room);
	TLV_TRY_NEW(ctx, *set, 2 * graph->words);
	return TLV_OK;
}

/* Mean of |x|^2. */
static double
mean_square(const tlv_coding_learner *learner)
{
	double sum = 0;

	for (size_t i = 0; i < learner->n * learner->d; i++)
		sum += learner->rows[i] * learner->rows[i];
	return sum / (double) learner->n;
}

tlv_status
tlv_coding_start_graph(tlv_context *ctx, tlv_coding_learner *learner,
					   const tlv_coding_options *options, size_t *found)
{
	size_t k = learner->k, s = options->sparsity;
	double cut = options->threshold * mean_square(learner) / (double) s;
	double rounds = CODING_ROUNDS * (double) (k * s) * log((double) k + 1) + 100, share;
	row_graph graph;
	row_sets sets = {0};
	uint64_t *set;
	size_t least;

	TLV_TRY(make_room(ctx, learner, &graph, &sets, &set));
	TLV_TRY(connect_rows(ctx, learner, cut, &graph));
	share = (double) graph.n * (double) s / (double) k; /* rows of an atom */
	least = (size_t) fmax(1, ceil(options->common * share));
	for (size_t round = 0; (double) round < rounds; round++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, round);
		TLV_TRY(try_triple(ctx, &graph, least, &learner->rng, set, &sets));
	}
	TLV_TRY(atoms_of(ctx, learner, &graph, &sets, found));
	tlv_free(ctx, set);
	tlv_free(ctx, sets.sizes);
	tlv_free(ctx, sets.members);
	tlv_free(ctx, graph.degrees);
	tlv_free(ctx, graph.neighbours);
	return tlv_coding_start_rows(ctx, learner, *found);
}
