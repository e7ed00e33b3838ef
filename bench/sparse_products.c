/*
 * sparse_products.c - times tlv_csr_multiply on graphs, and the machine's memory beside it.
 *
 * Compiled and run by sparse_products.py.  Prints lines of fields between tabs:
 *
 *   memory   sequential GB/s, random GB/s
 *   product  graph, nodes, entries, greatest degree, l, seconds
 *
 * Seconds are processor seconds of one product, the best of several; all weights are 1, so that
 * an entry is an index of 4 bytes and the l floats of a row of x.
 */
#include "tensorlv/num/sparse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MEAN_DEGREE 31
#define HUGE_PAGE	((size_t) 2 << 20)
#define LARGE_BLOCK ((size_t) 8 << 20)

/* Memory that is read for comparison: 1 GB, far more than any cache. */
#define LINE_FLOATS 16
#define LINES		((size_t) 1 << 24)
#define LINES_AHEAD 32

/* A product is repeated for so many seconds, and at least so often. */
#define SECONDS 0.3
#define REPEATS 3

static const size_t block_widths[] = {16, 20, 100, 200};
#define WIDTHS	   (sizeof(block_widths) / sizeof(block_widths[0]))
#define WIDTH_MOST 200

typedef float line __attribute__((vector_size(64)));

/* Both ends of undirected edges. */
typedef struct edge_list
{
	size_t nodes;
	size_t count;
	int32_t *a;
	int32_t *b;
} edge_list;

static double
seconds(void)
{
	struct timespec t;

	(void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* As in the server: large blocks get huge pages where the system gives any. */
static void *
bench_alloc(void *owner, size_t bytes)
{
	void *block;

	(void) owner;
	if (bytes < LARGE_BLOCK)
		return malloc(bytes);
	bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	block = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
	if (block != NULL)
		(void) madvise(block, bytes, MADV_HUGEPAGE);
#endif
	return block;
}

/* --- the machine ---------------------------------------------------------- */

/* Sum of all lines, in order. */
TLV_CLONES static float
read_in_order(const float *data)
{
	line sum[8] = {0}, term;
	float total = 0;

	for (size_t i = 0; i < LINES; i += 8)
#pragma GCC unroll 8
		for (int v = 0; v < 8; v++)
		{
			memcpy(&term, data + (i + v) * LINE_FLOATS, sizeof(term));
			sum[v] += term;
		}
	for (int v = 0; v < 8; v++)
		total += sum[v][0];
	return total;
}

/* Sum of as many lines wherever they are, asked for ahead of their use. */
TLV_CLONES static float
read_at_random(const float *data, const int32_t *where)
{
	line sum[8] = {0}, term;
	float total = 0;

	for (size_t i = 0; i + LINES_AHEAD + 8 <= LINES; i += 8)
#pragma GCC unroll 8
		for (int v = 0; v < 8; v++)
		{
			__builtin_prefetch(data + (size_t) where[i + v + LINES_AHEAD] * LINE_FLOATS, 0, 2);
			memcpy(&term, data + (size_t) where[i + v] * LINE_FLOATS, sizeof(term));
			sum[v] += term;
		}
	for (int v = 0; v < 8; v++)
		total += sum[v][0];
	return total;
}

/* Prints what memory gives at this moment, the best of three. */
static tlv_status
measure_memory(tlv_context *ctx, tlv_rng *rng)
{
	float *data = tlv_alloc(ctx, LINES * LINE_FLOATS, sizeof(float)), sink = 0;
	int32_t *where = tlv_alloc(ctx, LINES, sizeof(int32_t));
	double in_order = INFINITY, at_random = INFINITY;

	TLV_TRY_ALLOC(ctx, data);
	TLV_TRY_ALLOC(ctx, where);
	for (size_t i = 0; i < LINES * LINE_FLOATS; i++)
		data[i] = 1;
	for (size_t i = 0; i < LINES; i++)
		where[i] = (int32_t) tlv_rng_below(rng, LINES);
	for (int r = 0; r < 3; r++)
	{
		double start = seconds(), middle;

		sink += read_in_order(data);
		middle = seconds();
		sink += read_at_random(data, where);
		in_order = fmin(in_order, middle - start);
		at_random = fmin(at_random, seconds() - middle);
	}
	tlv_free(ctx, data);
	tlv_free(ctx, where);
	if (!(sink > 0))
		return tlv_fail(ctx, TLV_INTERNAL, "memory was not read");
	printf("memory\t%.3f\t%.3f\n", LINES * sizeof(line) / in_order / 1e9,
		   (LINES - LINES_AHEAD) * sizeof(line) / at_random / 1e9);
	(void) fflush(stdout);
	return TLV_OK;
}

/* --- graphs --------------------------------------------------------------- */

/*
 * Node i with probability proportional to (i + shift)^(-2/3): degrees then have a tail with
 * exponent 2.5, and the greatest expected one is sqrt(MEAN_DEGREE nodes).
 */
static size_t
draw_node(tlv_rng *rng, size_t nodes)
{
	double shift = pow(sqrt(MEAN_DEGREE) * pow((double) nodes, 1. / 6) / 3, 1.5);
	double from = cbrt(shift), to = cbrt((double) nodes + shift);
	double root = from + tlv_rng_uniform(rng) * (to - from);
	double node = root * root * root - shift;

	return node < 0 ? 0 : node >= (double) nodes ? nodes - 1 : (size_t) node;
}

/*
 * Edges between nodes numbered at random; a few repeat.  The other end of nine in ten is any node
 * at most `reach` numbers away when reach > 0.
 */
static tlv_status
draw_edges(tlv_context *ctx, tlv_rng *rng, size_t nodes, size_t reach, edge_list *edges)
{
	int64_t *number = tlv_alloc(ctx, nodes, sizeof(int64_t));

	edges->nodes = nodes;
	edges->count = nodes * MEAN_DEGREE / 2;
	edges->a = tlv_alloc(ctx, edges->count, sizeof(int32_t));
	edges->b = tlv_alloc(ctx, edges->count, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, number);
	TLV_TRY_ALLOC(ctx, edges->a);
	TLV_TRY_ALLOC(ctx, edges->b);
	TLV_TRY(tlv_rng_permutation(ctx, rng, nodes, number));
	for (size_t e = 0; e < edges->count;)
	{
		size_t a = (size_t) number[draw_node(rng, nodes)], b;

		if (reach > 0 && tlv_rng_uniform(rng) < .9)
			b = (a + nodes - reach + tlv_rng_below(rng, 2 * reach + 1)) % nodes;
		else
			b = (size_t) number[draw_node(rng, nodes)];
		if (a == b)
			continue;
		edges->a[e] = (int32_t) a;
		edges->b[e++] = (int32_t) b;
	}
	tlv_free(ctx, number);
	return TLV_OK;
}

static void
free_edges(tlv_context *ctx, edge_list *edges)
{
	tlv_free(ctx, edges->a);
	tlv_free(ctx, edges->b);
}

/* The symmetric matrix of the edges. */
static tlv_status
make_rows(tlv_context *ctx, const edge_list *edges, tlv_csr *rows)
{
	tlv_csr loose;
	size_t *next = tlv_alloc(ctx, edges->nodes, sizeof(size_t));

	TLV_TRY_ALLOC(ctx, next);
	TLV_TRY(tlv_csr_create(ctx, edges->nodes, edges->nodes, 2 * edges->count, false, &loose));
	for (size_t e = 0; e < edges->count; e++)
	{
		loose.start[edges->a[e] + 1]++;
		loose.start[edges->b[e] + 1]++;
	}
	for (size_t i = 0; i < edges->nodes; i++)
	{
		next[i] = loose.start[i];
		loose.start[i + 1] += loose.start[i];
	}
	for (size_t e = 0; e < edges->count; e++)
	{
		loose.index[next[edges->a[e]]++] = edges->b[e];
		loose.index[next[edges->b[e]]++] = edges->a[e];
	}
	tlv_free(ctx, next);
	/* It is its own transpose, whose columns ascend. */
	TLV_TRY(tlv_csr_transpose(ctx, &loose, rows));
	tlv_csr_free(ctx, &loose);
	return TLV_OK;
}

static size_t
degree_of(const tlv_csr *rows, size_t i)
{
	return rows->start[i + 1] - rows->start[i];
}

static size_t
greatest_degree(const tlv_csr *rows)
{
	size_t most = 0;

	for (size_t i = 0; i < rows->rows; i++)
		most = degree_of(rows, i) > most ? degree_of(rows, i) : most;
	return most;
}

/* Numbers the nodes by decreasing degree, as the fits of communities do. */
static tlv_status
order_by_degree(tlv_context *ctx, const tlv_csr *rows, edge_list *edges)
{
	size_t most = greatest_degree(rows), above = 0;
	size_t *next = tlv_alloc0(ctx, most + 1, sizeof(size_t));
	int32_t *number = tlv_alloc(ctx, rows->rows, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, next);
	TLV_TRY_ALLOC(ctx, number);
	for (size_t i = 0; i < rows->rows; i++)
		next[degree_of(rows, i)]++;
	for (size_t d = most + 1; d-- > 0;)
	{
		size_t here = next[d];

		next[d] = above;
		above += here;
	}
	for (size_t i = 0; i < rows->rows; i++)
		number[i] = (int32_t) next[degree_of(rows, i)]++;
	for (size_t e = 0; e < edges->count; e++)
	{
		edges->a[e] = number[edges->a[e]];
		edges->b[e] = number[edges->b[e]];
	}
	tlv_free(ctx, next);
	tlv_free(ctx, number);
	return TLV_OK;
}

/* --- products ------------------------------------------------------------- */

/* Some rows of y against sums in double precision. */
static tlv_status
check_product(tlv_context *ctx, const tlv_csr *a, size_t l, const float *x, const float *y)
{
	for (size_t i = 0; i < a->rows; i += a->rows / 97 + 1)
		for (size_t j = 0; j < l; j++)
		{
			double sum = 0;

			for (size_t p = a->start[i]; p < a->start[i + 1]; p++)
				sum += (double) x[(size_t) a->index[p] * l + j];
			if (!(fabs((double) y[i * l + j] - sum) <= 1e-5 * (1 + sum)))
				return tlv_fail(ctx, TLV_INTERNAL, "the product is wrong in row %zu: %g, not %g", i,
								(double) y[i * l + j], sum);
		}
	return TLV_OK;
}

static tlv_status
measure_products(tlv_context *ctx, const char *graph, const tlv_csr *a)
{
	float *x = tlv_alloc(ctx, a->columns * WIDTH_MOST, sizeof(float));
	float *y = tlv_alloc0(ctx, a->rows * WIDTH_MOST, sizeof(float));

	TLV_TRY_ALLOC(ctx, x);
	TLV_TRY_ALLOC(ctx, y);
	for (size_t i = 0; i < a->columns * WIDTH_MOST; i++)
		x[i] = (float) (i % 8191) / 8191;
	for (size_t w = 0; w < WIDTHS; w++)
	{
		size_t l = block_widths[w];
		double best = INFINITY, begin = seconds();

		for (int r = 0; r < REPEATS || seconds() - begin < SECONDS; r++)
		{
			double start = seconds();

			TLV_TRY(tlv_csr_multiply(ctx, a, l, x, y));
			best = fmin(best, seconds() - start);
		}
		TLV_TRY(check_product(ctx, a, l, x, y));
		printf("product\t%s\t%zu\t%zu\t%zu\t%zu\t%.9f\n", graph, a->rows, a->entries,
			   greatest_degree(a), l, best);
		(void) fflush(stdout);
	}
	tlv_free(ctx, x);
	tlv_free(ctx, y);
	return TLV_OK;
}

/* Memory, then a graph as it is drawn and, when asked to, ordered by degree. */
static tlv_status
measure_graph(tlv_context *ctx, const char *name, size_t nodes, size_t reach, bool by_degree)
{
	edge_list edges = {0};
	tlv_csr rows;
	tlv_rng rng;

	tlv_rng_seed(&rng, 1);
	TLV_TRY(measure_memory(ctx, &rng));
	TLV_TRY(draw_edges(ctx, &rng, nodes, reach, &edges));
	TLV_TRY(make_rows(ctx, &edges, &rows));
	TLV_TRY(measure_products(ctx, name, &rows));
	if (by_degree)
	{
		TLV_TRY(order_by_degree(ctx, &rows, &edges));
		tlv_csr_free(ctx, &rows);
		TLV_TRY(make_rows(ctx, &edges, &rows));
		TLV_TRY(measure_products(ctx, "by degree", &rows));
	}
	free_edges(ctx, &edges);
	tlv_csr_free(ctx, &rows);
	return TLV_OK;
}

int
main(void)
{
	tlv_context ctx;
	bool done;

	tlv_context_init_malloc(&ctx);
	ctx.arena.alloc = bench_alloc;
	done = measure_graph(&ctx, "any order", 10000, 0, false) == TLV_OK &&
		   measure_graph(&ctx, "any order", 100000, 0, false) == TLV_OK &&
		   measure_graph(&ctx, "any order", 1050000, 0, true) == TLV_OK &&
		   measure_graph(&ctx, "local", 1050000, 1000, false) == TLV_OK;
	if (!done)
		(void) fprintf(stderr, "sparse_products: %s\n", ctx.error.message);
	return done ? 0 : 1;
}
