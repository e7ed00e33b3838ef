/*
 * test_evidence.c - the integrated likelihood of a partition against integrals by quadrature,
 * products of counts and all partitions of a number, one by one.
 */
#include "model/mmsb/internal.h"
#include "graph_fixture.h"

#define MOST 12

/* A graph as a fit has it, nodes of most degree first, and labels of both sides. */
typedef struct case_of
{
	dense graph;
	tlv_mmsb_fit_state fit;
	int32_t *label[2];
	size_t k;
} case_of;

/* The sum of a row, or of a column. */
static double
line_sum(const dense *a, bool row, size_t at)
{
	double sum = 0;

	for (size_t i = 0; i < (row ? a->columns : a->rows); i++)
		sum += row ? a->g[at * a->columns + i] : a->g[i * a->columns + at];
	return sum;
}

/* The place of every row, or column, by decreasing sum. */
static void
rank_lines(const dense *a, bool row, size_t *place)
{
	size_t n = row ? a->rows : a->columns;

	for (size_t u = 0; u < n; u++)
	{
		place[u] = 0;
		for (size_t v = 0; v < n; v++)
			place[u] += line_sum(a, row, v) > line_sum(a, row, u) ||
						(v < u && line_sum(a, row, v) == line_sum(a, row, u));
	}
}

/* The same graph, nodes of most edges first. */
static dense
by_degree(const dense *a, bool one_set)
{
	dense sorted = dense_graph(a->rows, a->columns);
	size_t row[MOST], column[MOST];

	rank_lines(a, true, row);
	rank_lines(a, one_set, column);
	for (size_t u = 0; u < a->rows; u++)
		for (size_t v = 0; v < a->columns; v++)
			sorted.g[row[u] * a->columns + column[v]] = a->g[u * a->columns + v];
	return sorted;
}

/* A side of n nodes with these rows of edges; labels of k communities of consecutive nodes. */
static void
set_side(case_of *c, size_t s, size_t n, tlv_csr edges)
{
	tlv_mmsb_side *side = &c->fit.side[s];

	side->n = n;
	side->edges = edges;
	side->degree = numbers(n);
	tlv_csr_row_sums(&side->edges, side->degree);
	c->label[s] = room(n, sizeof(int32_t));
	for (size_t u = 0; u < n; u++)
		c->label[s][u] = (int32_t) (u * c->k / n);
}

static case_of
make_case(size_t sides, size_t n, size_t m, size_t k, bool weighted)
{
	dense drawn = random_dense(n, m, sides == 1, weighted, k, 0.8, 0.3);
	case_of c = {.k = k, .fit = {.sides = sides}};
	tlv_csr rows[2];

	for (size_t u = 0; u < n; u++) /* everyone has an edge */
	{
		size_t v = (u + 1) % m;

		if (drawn.g[u * m + v] == 0)
			drawn.g[u * m + v] = 1;
		if (sides == 1)
			drawn.g[v * m + u] = drawn.g[u * m + v];
	}
	for (size_t v = 0; sides == 2 && v < m; v++)
		if (drawn.g[v % n * m + v] == 0)
			drawn.g[v % n * m + v] = 1;
	c.graph = by_degree(&drawn, sides == 1);
	rows[0] = sparse_rows(&c.graph, weighted);
	assert_ok(tlv_csr_transpose(&ctx, &rows[0], &rows[1]));
	for (size_t s = 0; s < sides; s++)
		set_side(&c, s, s == 0 ? n : m, rows[s]);
	for (size_t u = 0; u < n; u++)
		c.fit.total += c.fit.side[0].degree[u];
	return c;
}

/* Plain or corrected; of one rate between communities, or full. */
typedef struct evidences
{
	double of[2][2];
} evidences;

static evidences
evidence_of(const case_of *c)
{
	evidences evidence;

	for (int corrected = 0; corrected < 2; corrected++)
		assert_ok(tlv_mmsb_evidence(&ctx, &c->fit, c->label, c->k, corrected == 1,
									evidence.of[corrected]));
	return evidence;
}

/* ---- the same, the long way ---- */

/* The logarithm of the integral over r of r^e exp(-r x) exp(-r / m) / m, by Simpson's rule over
 * log r about the maximum. */
static double
rate_integral(double e, double x, double m)
{
	double peak = log((e + 1) / (x + 1 / m)), width = 12 / sqrt(e + 1) + 3, sum = 0;
	double top = (e + 1) * peak - (x + 1 / m) * exp(peak);
	int steps = 20000;

	for (int i = 0; i <= steps; i++)
	{
		double t = peak - 4 * width + 5 * width * i / steps;
		double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;

		sum += weight * exp((e + 1) * t - (x + 1 / m) * exp(t) - top);
	}
	return top + log(sum * 5 * width / steps / 3) - log(m);
}

/* What is expected between communities at rate 1: pairs of nodes one by one. */
static double
pairs_expected(const case_of *c, bool corrected, int32_t a, int32_t b)
{
	const tlv_mmsb_side *from = &c->fit.side[0], *to = &c->fit.side[c->fit.sides - 1];
	double sum = 0, total = c->fit.total;

	for (size_t u = 0; u < from->n; u++)
		for (size_t v = 0; v < to->n; v++)
			if (c->label[0][u] == a && c->label[c->fit.sides - 1][v] == b)
				sum += corrected ? from->degree[u] * to->degree[v] / total
								 : total / ((double) from->n * (double) to->n);
	return c->fit.sides == 1 && a == b ? sum / 2 : sum;
}

static double
pairs_edges(const case_of *c, int32_t a, int32_t b)
{
	double sum = 0;

	for (size_t u = 0; u < c->graph.rows; u++)
		for (size_t v = 0; v < c->graph.columns; v++)
			if (c->label[0][u] == a && c->label[c->fit.sides - 1][v] == b)
				sum += c->graph.g[u * c->graph.columns + v];
	return c->fit.sides == 1 && a == b ? sum / 2 : sum;
}

static double
rates(const case_of *c, bool corrected, bool full)
{
	int32_t k = (int32_t) c->k;
	double e[2] = {0, 0}, x[2] = {0, 0}, m[2], sum = 0;

	for (int32_t a = 0; a < k; a++)
		for (int32_t b = c->fit.sides == 1 ? a : 0; b < k; b++)
		{
			e[a != b] += pairs_edges(c, a, b);
			x[a != b] += pairs_expected(c, corrected, a, b);
		}
	for (int off = 0; off < 2; off++)
		m[off] = (e[off] + 1) / (x[off] + 1);
	for (int32_t a = 0; a < k; a++)
		for (int32_t b = c->fit.sides == 1 ? a : 0; b < k; b++)
			if (a == b || full)
				sum += rate_integral(pairs_edges(c, a, b), pairs_expected(c, corrected, a, b),
									 m[a != b]);
	return full || k == 1 ? sum : sum + rate_integral(e[1], x[1], m[1]);
}

static double
log_factorial(double n)
{
	double sum = 0;

	for (double i = 2; i <= n; i++)
		sum += log(i);
	return sum;
}

/* The number of communities, their sizes and who is where, each alike. */
static double
labels(const case_of *c, size_t s)
{
	double n = (double) c->fit.side[s].n, k = 0, sum = -log(n);

	for (int32_t a = 0; a < (int32_t) c->k; a++)
	{
		double size = 0;

		for (size_t u = 0; u < c->fit.side[s].n; u++)
			size += c->label[s][u] == a;
		k += size > 0;
		sum += log_factorial(size);
	}
	/* C(n - 1, k - 1) sizes, n! / prod sizes! places */
	return sum - (log_factorial(n - 1) - log_factorial(k - 1) - log_factorial(n - k)) -
		   log_factorial(n);
}

/* Partitions of m into at most n parts, by p(m, n) = p(m, n - 1) + p(m - n, n). */
static double
partitions(int m, int n)
{
	static double known[512][MOST + 1]; /* 0: not yet */

	if (m < 0 || n == 0)
		return m == 0;
	assert_below(m, 512);
	assert_at_most(n, MOST);
	if (known[m][n] == 0)
		known[m][n] = partitions(m, n - 1) + partitions(m - n, n);
	return known[m][n];
}

/* Degrees of a community given their sum: all sequences of n numbers of that sum alike, or all
 * partitions alike and then all orders of the degrees; the multinomial of who has which ends. */
static double
degrees(const case_of *c, size_t s, bool runs)
{
	const tlv_mmsb_side *side = &c->fit.side[s];
	double sum = 0;

	for (size_t u = 0; u < side->n; u++)
		sum += log_factorial(side->degree[u]);
	for (int32_t a = 0; a < (int32_t) c->k; a++)
	{
		double n = 0, d = 0, sequences, told;

		for (size_t u = 0; u < side->n; u++)
			if (c->label[s][u] == a)
			{
				n++;
				d += side->degree[u];
			}
		if (n == 0)
			continue;
		sequences = log_factorial(d + n - 1) - log_factorial(d) - log_factorial(n - 1);
		told = log(partitions((int) d, (int) n)) + log_factorial(n);
		for (int degree = 1; degree <= (int) d; degree++)
		{
			double alike = 0;

			for (size_t u = 0; u < side->n; u++)
				alike += c->label[s][u] == a && side->degree[u] == degree;
			told -= log_factorial(alike);
		}
		sum += d * log(d / c->fit.total) - log_factorial(d) -
			   (runs ? fmin(sequences, told) : sequences);
	}
	return sum;
}

/* ---- tests ---- */

static void
check_case(const case_of *c, double tolerance)
{
	evidences evidence = evidence_of(c);
	bool runs = c->fit.side[0].edges.value == NULL;

	for (int corrected = 0; corrected < 2; corrected++)
		for (int full = 0; full < 2; full++)
		{
			double expected = rates(c, corrected, full);

			for (size_t s = 0; s < c->fit.sides; s++)
				expected +=
					labels(c, s) + (corrected ? degrees(c, s, runs)
											  : -c->fit.total * log((double) c->fit.side[s].n));
			assert_close(evidence.of[corrected][full], expected, corrected ? tolerance : 1e-6);
		}
}

/* Weights: degrees are told one way only, so that all is exact. */
TEST(test_weighted)
{
	for (size_t sides = 1; sides <= 2; sides++)
		for (size_t k = 1; k <= 3; k++)
		{
			case_of c = make_case(sides, 11, sides == 1 ? 11 : 7, k, true);

			check_case(&c, 1e-6);
		}
}

/* Graphs without weights: numbers of partitions are approximated, to a fraction of a nat. */
TEST(test_unweighted)
{
	for (size_t sides = 1; sides <= 2; sides++)
		for (size_t k = 1; k <= 3; k++)
		{
			case_of c = make_case(sides, 10, sides == 1 ? 10 : 8, k, false);

			check_case(&c, 0.3);
		}
}

/* Numbers of communities and communities without nodes say nothing. */
TEST(test_numbering)
{
	case_of c = make_case(1, 12, 12, 3, true), other = c;
	evidences a, b;

	a = evidence_of(&c);
	other.label[0] = room(12, sizeof(int32_t));
	for (size_t u = 0; u < 12; u++)
		other.label[0][u] = 4 - 2 * c.label[0][u];
	other.k = 5;
	b = evidence_of(&other);
	for (int i = 0; i < 4; i++)
		assert_close(a.of[i / 2][i % 2], b.of[i / 2][i % 2], 1e-9);
}

/* More communities than full rates are kept of. */
TEST(test_many)
{
	case_of c = make_case(1, 12, 12, 3, true), other = c;
	evidences a = evidence_of(&c), b;

	other.k = TLV_MMSB_MOST + 1;
	b = evidence_of(&other);
	for (int corrected = 0; corrected < 2; corrected++)
	{
		assert_close(a.of[corrected][0], b.of[corrected][0], 1e-9);
		assert_true(b.of[corrected][1] == -HUGE_VAL);
	}
}

/* Two cliques: the partition into them is better than any with a node on the wrong side, one
 * community or every node alone. */
TEST(test_order)
{
	case_of c = {.k = 2, .fit = {.sides = 1, .total = 112}};
	evidences planted, worse;

	c.graph = dense_graph(16, 16);
	for (size_t u = 0; u < 16; u++)
		for (size_t v = 0; v < 16; v++)
			c.graph.g[u * 16 + v] = u != v && u / 8 == v / 8;
	set_side(&c, 0, 16, sparse_rows(&c.graph, false));
	planted = evidence_of(&c);
	for (int which = 0; which < 3; which++)
	{
		c.k = which == 0 ? 2 : which == 1 ? 1 : 16;
		for (size_t u = 0; u < 16; u++)
			c.label[0][u] = which == 0 ? u == 0 || u >= 8 : which == 1 ? 0 : (int32_t) u;
		worse = evidence_of(&c);
		for (int i = 0; i < 4; i++)
			assert_above(planted.of[i / 2][i % 2], worse.of[i / 2][i % 2] + 3);
	}
}

TEST(test_faults)
{
	case_of c = make_case(2, 11, 7, 3, true);
	double evidence[2];

	assert_cancelled_at(1, tlv_mmsb_evidence(&ctx, &c.fit, c.label, c.k, false, evidence));
	assert_short_of_memory(16, tlv_mmsb_evidence(&ctx, &c.fit, c.label, c.k, false, evidence));
	(void) evidence_of(&c);
}

RUN_TESTS(setup, teardown)
