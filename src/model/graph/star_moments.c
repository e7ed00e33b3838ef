/*
 * star_moments.c - 2-star and 3-star moments of a graph in a dominant subspace
 * (star_moments.h).
 *
 * Two sparse products with a block of vectors make one step of subspace
 * iteration; they and the cubes of the scores are all the work.
 */
#include "tensorlv/model/star_moments.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/lanes.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"

/* Nodes whose products are summed in single precision at a time. */
#define GRAPH_NODE_BLOCK 2048

typedef struct star_work
{
	const tlv_star_side *side;
	const tlv_star_options *options;
	tlv_star_moments *stars;
	size_t block;	 /* directions of the iteration */
	tlv_csr squared; /* in, with squared values; the same as in when all are 1 */
	double *weight;	 /* rows x 3: s1, s2, s3 */
	double *squares; /* columns: sum over rows of s2 g^2 */
	double *cubes;	 /* columns: sum over rows of s3 g^3 */
	float *middle;	 /* block x rows */
} star_work;

static size_t
block_width(const tlv_star_side *side, size_t width)
{
	/* Directions beside the k wanted: another k, between these, for a quick and sure iteration. */
	const int least_extra = 10, most_extra = 32;
	size_t extra = width < least_extra ? least_extra : width < most_extra ? width : most_extra;
	size_t block = width + extra;
	size_t most = side->out->columns < side->out->rows ? side->out->columns : side->out->rows;

	return block < most ? block : most;
}

double
tlv_star_memory(const tlv_star_side *side, size_t width)
{
	double block = (double) block_width(side, width), w = (double) width;
	double rows = (double) side->out->rows, columns = (double) side->out->columns;
	double squared = side->out->value != NULL ? 4.0 * (double) side->out->entries : 0;

	/* the iteration's blocks; later the scores and their products take their place */
	return 4 * block * (3 * columns + rows) + 4 * w * columns + 24 * rows + 20 * columns + squared +
		   4 * block * (block + 4096) +
		   sizeof(double) *
			   ((double) tlv_packed3_size(width) + 5 * block * block + 2 * GRAPH_NODE_BLOCK * w +
				(double) tlv_tensor3_work(width, GRAPH_NODE_BLOCK));
}

/* A copy of `in` whose values are squared; shares everything else. */
static tlv_status
square_values(tlv_context *ctx, const tlv_csr *in, tlv_csr *squared)
{
	*squared = *in;
	if (in->value == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, squared->value, in->entries);
	for (size_t i = 0; i < in->entries; i++)
		squared->value[i] = in->value[i] * in->value[i];
	return TLV_OK;
}

/*
 * Weights of the rows.  Plain: 1/n.  Normalised: a row of degree l is a document of
 * l words, whose pairs count l / (l(l-1)) and whose triples l / (l(l-1)(l-2)), so that every edge
 * end counts alike; rows too short for triples do not count, but for the means where there are no
 * others: pairs and triples are then 0.
 */
static void
graph_weigh_rows(star_work *work)
{
	/* Rows shorter than this hold no 3-star, and do not count when rows are normalised. */
	const int least_length = 3;
	const double least_weight = 2.5;
	const tlv_csr *out = work->side->out;
	size_t n = out->rows;
	double *s1 = work->weight, *s2 = s1 + n, *s3 = s2 + n, total = 0, ends = 0;

	tlv_csr_row_sums(out, s1);
	for (size_t u = 0; u < n; u++)
	{
		bool star = out->start[u + 1] - out->start[u] >= least_length;

		total += star && s1[u] > least_weight ? s1[u] : 0;
		work->stars->stars += star;
	}
	for (size_t u = 0; u < n && total == 0; u++)
		ends += s1[u];
	for (size_t u = 0; u < n; u++)
	{
		double length = s1[u];

		if (!work->side->normalized)
			s1[u] = s2[u] = s3[u] = 1 / (double) n;
		else if (total == 0)
		{
			s1[u] = 1 / ends;
			s2[u] = s3[u] = 0;
		}
		else if (out->start[u + 1] - out->start[u] < least_length || !(length > least_weight))
			s1[u] = s2[u] = s3[u] = 0;
		else
		{
			s1[u] = 1 / total;
			s2[u] = 1 / ((length - 1) * total);
			s3[u] = 1 / ((length - 1) * (length - 2) * total);
		}
	}
}

/* Column means, and the sums that repeated columns contribute. */
typedef struct column_scan
{
	const star_work *work;
	double *mean;
} column_scan;

static void
scan_rows(void *argument, size_t lane, size_t first, size_t n)
{
	const column_scan *scan = argument;
	const star_work *work = scan->work;
	const tlv_csr *in = work->side->in;
	size_t rows = work->side->out->rows;
	const double *s1 = work->weight, *s2 = s1 + rows, *s3 = s2 + rows;

	for (size_t j = first; j < first + n; j++)
	{
		double m = 0, squares = 0, cubes = 0;

		for (size_t e = in->start[j]; e < in->start[j + 1]; e++)
		{
			int32_t u = in->index[e];
			double g = in->value == NULL ? 1 : in->value[e];

			m += s1[u] * g;
			squares += s2[u] * g * g;
			cubes += s3[u] * g * g * g;
		}
		scan->mean[j] = m;
		work->squares[j] = squares;
		work->cubes[j] = cubes;
	}
}

/* Those, and the scaling. */
static tlv_status
scan_columns(tlv_context *ctx, star_work *work)
{
	const tlv_csr *in = work->side->in;
	size_t d = in->rows;
	column_scan scan = {work, tlv_alloc(ctx, d, sizeof(double))};
	double average = 0;
	tlv_lanes lanes;

	TLV_TRY_ALLOC(ctx, scan.mean);
	tlv_lanes_divide(d, in->start, 1, TLV_LANES_MOST, &lanes);
	TLV_TRY(tlv_lanes_rows(ctx, &lanes, scan_rows, &scan));
	for (size_t j = 0; j < d; j++)
		average += scan.mean[j] / (double) d;
	for (size_t j = 0; j < d; j++)
		work->stars->scale[j] = (float) (1 / sqrt(scan.mean[j] + average / 4));
	tlv_free(ctx, scan.mean);
	return TLV_OK;
}

/* Something with every row of a block of l numbers. */
static tlv_status
for_rows(tlv_context *ctx, size_t n, size_t l, tlv_lane_rows rows, void *argument)
{
	tlv_lanes lanes;

	tlv_lanes_divide(n, NULL, l / 8 + 1, TLV_LANES_MOST, &lanes);
	return tlv_lanes_rows(ctx, &lanes, rows, argument);
}

/* The middle of a product with pairs, and its end. */
typedef struct pairs_product
{
	const star_work *work;
	size_t l;
	const float *x;
	float *z;
} pairs_product;

static void
weigh_middle(void *argument, size_t lane, size_t first, size_t n)
{
	const pairs_product *product = argument;
	const star_work *work = product->work;
	const double *s2 = work->weight + work->side->out->rows;
	size_t l = product->l;

	for (size_t u = first; u < first + n; u++)
		for (size_t i = 0; i < l; i++)
			work->middle[u * l + i] *= (float) s2[u];
}

static void
finish_pairs(void *argument, size_t lane, size_t first, size_t n)
{
	const pairs_product *product = argument;
	const star_work *work = product->work;
	const float *scale = work->stars->scale, *x = product->x;
	size_t l = product->l;
	float *z = product->z;

	for (size_t j = first; j < first + n; j++)
	{
		float own = (float) work->squares[j] * scale[j];

		for (size_t i = 0; i < l; i++)
			z[j * l + i] = scale[j] * (z[j * l + i] - own * x[j * l + i]);
	}
}

/* z = S pairs S x, without the constant of plain weights */
static tlv_status
apply_star_pairs(tlv_context *ctx, void *argument, size_t l, const float *x, float *z)
{
	star_work *work = argument;
	size_t n = work->side->out->rows, d = work->side->out->columns;
	pairs_product product = {work, l, x, z};

	TLV_TRY(tlv_scale_rows_float(ctx, d, l, work->stars->scale, x, z));
	TLV_TRY(tlv_csr_multiply(ctx, work->side->out, l, z, work->middle));
	TLV_TRY(for_rows(ctx, n, l, weigh_middle, &product));
	TLV_TRY(tlv_csr_multiply(ctx, work->side->in, l, work->middle, z));
	return for_rows(ctx, d, l, finish_pairs, &product);
}

/* z = S G S x */
static tlv_status
apply_graph(tlv_context *ctx, void *argument, size_t l, const float *x, float *z)
{
	star_work *work = argument;
	const float *scale = work->stars->scale;
	size_t d = work->side->out->columns;

	TLV_TRY(tlv_scale_rows_float(ctx, d, l, scale, x, z));
	TLV_TRY(tlv_csr_multiply(ctx, work->side->out, l, z, work->middle));
	return tlv_scale_rows_float(ctx, d, l, scale, work->middle, z);
}

/* order[0 .. l-1]: descending values, or descending moduli. */
static void
order_values(size_t l, const double *value, bool modulus, size_t *order)
{
	for (size_t i = 0; i < l; i++)
	{
		double v = modulus ? fabs(value[i]) : value[i];
		size_t at = i;

		for (; at > 0; at--)
		{
			double w = modulus ? fabs(value[order[at - 1]]) : value[order[at - 1]];

			if (w >= v)
				break;
			order[at] = order[at - 1];
		}
		order[at] = i;
	}
}

/*
 * Of a block of Ritz vectors of S G S and their l values: whether the graph is disassortative, and,
 * with plain weights or without moments, the vectors by decreasing values unless it is.  The
 * largest value is that of the degrees; where the smallest one is farther from 0 than the second,
 * noise, whose spectrum is symmetric, does not explain it.
 */
static tlv_status
order_directions(tlv_context *ctx, star_work *work, const double *value, float *x)
{
	/* The smallest value over the second one, which noise does not reach. */
	const double beyond_noise = 1.1;
	bool of_modulus = work->side->normalized && !work->options->directions;
	tlv_star_moments *stars = work->stars;
	size_t l = work->block, d = work->side->out->columns, w = stars->moments.width;
	size_t *order = tlv_alloc(ctx, l, sizeof(size_t));
	float *column = tlv_alloc(ctx, l, sizeof(float));

	TLV_TRY_ALLOC(ctx, order);
	TLV_TRY_ALLOC(ctx, column);
	order_values(l, value, false, order);
	stars->disassortative = l > 2 && -value[order[l - 1]] > beyond_noise * value[order[1]];
	order_values(l, value, stars->disassortative || of_modulus, order);
	for (size_t i = 0; i < w; i++)
		stars->values[i] = fabs(value[order[i]]);
	for (size_t j = 0; j < d; j++)
	{
		if (j % GRAPH_NODE_BLOCK == 0)
			TLV_TRY_CONTINUE(ctx);
		memcpy(column, x + j * l, l * sizeof(float));
		for (size_t i = 0; i < w; i++)
			x[j * l + i] = column[order[i]];
	}
	tlv_free(ctx, column);
	tlv_free(ctx, order);
	return TLV_OK;
}

/* The first w of l directions. */
static tlv_status
graph_keep_directions(tlv_context *ctx, size_t d, size_t l, size_t w, const float *x, float **kept)
{
	TLV_TRY_NEW(ctx, *kept, w * d);
	for (size_t j = 0; j < d; j++)
	{
		if (j % GRAPH_NODE_BLOCK == 0)
			TLV_TRY_CONTINUE(ctx);
		memcpy(*kept + j * w, x + j * l, w * sizeof(float));
	}
	return TLV_OK;
}

/* W' = U' S, and the sums of S^-2 W'. */
static tlv_status
graph_scale_basis(tlv_context *ctx, star_work *work)
{
	tlv_star_moments *stars = work->stars;
	size_t w = stars->moments.width, d = work->side->out->columns;
	const float *from = stars->directions;

	TLV_TRY_NEW(ctx, stars->basis, w * d);
	memset(stars->sums, 0, w * sizeof(double));
	for (size_t j = 0; j < d; j++)
	{
		if (j % GRAPH_NODE_BLOCK == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < w; i++)
		{
			stars->basis[j * w + i] = stars->scale[j] * from[j * w + i];
			stars->sums[i] += from[j * w + i] / stars->scale[j];
		}
	}
	return TLV_OK;
}

/*
 * Of symmetric graphs S G S is iterated, whose squares are the values of the pairs, with half
 * the products; its block holds the directions of both signs.
 */
static tlv_status
find_star_directions(tlv_context *ctx, star_work *work)
{
	const tlv_star_options *options = work->options;
	tlv_star_moments *stars = work->stars;
	size_t d = work->side->out->columns, l = work->block, w = stars->moments.width;
	bool symmetric = work->side->symmetric;
	float *x = tlv_alloc(ctx, l * d, sizeof(float));
	tlv_eigen_task task = {.n = d,
						   .k = w,
						   .l = l,
						   .tolerance = options->tolerance,
						   .max_steps = options->max_steps,
						   .modulus = symmetric};
	double *ritz = tlv_alloc(ctx, l, sizeof(double));
	tlv_rng rng;

	TLV_TRY_ALLOC(ctx, x);
	TLV_TRY_ALLOC(ctx, ritz);
	TLV_TRY_NEW(ctx, work->middle, l * work->side->out->rows);
	tlv_rng_seed(&rng, options->seed);
	TLV_TRY(tlv_subspace_iteration_float(ctx, &task, symmetric ? apply_graph : apply_star_pairs,
										 work, &rng, x, ritz, &stars->steps));
	tlv_free(ctx, work->middle);
	for (size_t i = 0; i < w; i++)
		stars->values[i] = sqrt(fmax(ritz[i], 0));
	if (symmetric)
		TLV_TRY(order_directions(ctx, work, ritz, x));
	TLV_TRY(graph_keep_directions(ctx, d, l, w, x, &stars->directions));
	tlv_free(ctx, x);
	tlv_free(ctx, ritz);
	return work->options->directions ? TLV_OK : graph_scale_basis(ctx, work);
}

/* Mean, pairs and cubes of the scores, a block of rows at a time. */
static tlv_status
graph_add_rows(tlv_context *ctx, star_work *work, double *mean, double *pairs, double *triples)
{
	tlv_star_moments *stars = work->stars;
	size_t w = stars->moments.width, n = stars->rows;
	const double *s1 = work->weight, *s2 = s1 + n, *s3 = s2 + n;
	float *products = tlv_alloc(ctx, GRAPH_NODE_BLOCK * w + tlv_tensor3_work(w, GRAPH_NODE_BLOCK),
								sizeof(float)),
		  *scaled;
	double *sum = tlv_alloc(ctx, w * w, sizeof(double));

	TLV_TRY_ALLOC(ctx, products);
	TLV_TRY_ALLOC(ctx, sum);
	scaled = products + tlv_tensor3_work(w, GRAPH_NODE_BLOCK);
	for (size_t first = 0; first < n; first += GRAPH_NODE_BLOCK)
	{
		size_t rows = n - first < GRAPH_NODE_BLOCK ? n - first : GRAPH_NODE_BLOCK;
		const float *y = stars->scores + first * w;

		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "stars", (double) first, (double) n);
		for (size_t u = 0; u < rows; u++)
			for (size_t i = 0; i < w; i++)
			{
				mean[i] += s1[first + u] * y[u * w + i];
				scaled[u * w + i] = (float) s2[first + u] * y[u * w + i];
			}
		TLV_TRY(tlv_gram_float(ctx, rows, w, y, w, scaled, sum));
		for (size_t i = 0; i < w * w; i++)
			pairs[i] += sum[i];
		TLV_TRY(tlv_packed3_add_cubes_float(ctx, w, rows, y, s3 + first, triples, products));
	}
	tlv_free(ctx, sum);
	tlv_free(ctx, products);
	return TLV_OK;
}

/*
 * Takes out what repeats a column: pairs - sum_j q2_j w_j w_j', and
 * triples - Sym3 sum_j w_j w_j (x) r_j + 2 sum_j q3_j w_j^(x)3 with r_j = sum_u s3 g_uj^2 W'g_u;
 * the last two are one sum, as Sym3[w w (x) w] = 3 w^(x)3.
 */
static tlv_status
remove_repetitions(tlv_context *ctx, star_work *work, double *pairs, double *triples)
{
	tlv_star_moments *stars = work->stars;
	size_t w = stars->moments.width, d = stars->columns, n = stars->rows;
	const double *s3 = work->weight + 2 * n;
	float *scaled = tlv_alloc(ctx, w * (n > d ? n : d), sizeof(float)), *sums;
	double *sum = tlv_alloc(ctx, w * w, sizeof(double));

	TLV_TRY_ALLOC(ctx, scaled);
	TLV_TRY_ALLOC(ctx, sum);
	TLV_TRY_NEW(ctx, sums, w * d);
	for (size_t u = 0; u < n; u++)
		for (size_t i = 0; i < w; i++)
			scaled[u * w + i] = (float) s3[u] * stars->scores[u * w + i];
	TLV_TRY(tlv_csr_multiply(ctx, &work->squared, w, scaled, sums));
	for (size_t j = 0; j < d; j++)
		for (size_t i = 0; i < w; i++)
		{
			float basis = stars->basis[j * w + i];

			scaled[j * w + i] = (float) work->squares[j] * basis;
			sums[j * w + i] = (float) (2.0 / 3 * work->cubes[j]) * basis - sums[j * w + i];
		}
	TLV_TRY(tlv_gram_float(ctx, d, w, stars->basis, w, scaled, sum));
	for (size_t i = 0; i < w * w; i++)
		pairs[i] -= sum[i];
	for (size_t first = 0; first < d; first += GRAPH_NODE_BLOCK)
	{
		size_t columns = d - first < GRAPH_NODE_BLOCK ? d - first : GRAPH_NODE_BLOCK;

		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "repeated ends", (double) first, (double) d);
		TLV_TRY(tlv_packed3_add_squares_float(ctx, w, columns, stars->basis + first * w,
											  sums + first * w, triples));
	}
	tlv_free(ctx, sum);
	tlv_free(ctx, sums);
	tlv_free(ctx, scaled);
	return TLV_OK;
}

/* Symmetric to the last bit. */
static void
symmetrize(size_t n, double *a)
{
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < j; i++)
			a[j * n + i] = a[i * n + j] = (a[j * n + i] + a[i * n + j]) / 2;
}

static tlv_status
compress_stars(tlv_context *ctx, star_work *work)
{
	tlv_star_moments *stars = work->stars;
	size_t w = stars->moments.width;
	double *mean = tlv_alloc0(ctx, w, sizeof(double)), *pairs, *triples;

	TLV_TRY_ALLOC(ctx, mean);
	TLV_TRY_NEW0(ctx, pairs, w * w);
	TLV_TRY_NEW0(ctx, triples, tlv_packed3_size(w));
	TLV_TRY_NEW(ctx, stars->scores, w * stars->rows);
	TLV_TRY(tlv_csr_multiply(ctx, work->side->out, w, stars->basis, stars->scores));
	TLV_TRY(graph_add_rows(ctx, work, mean, pairs, triples));
	TLV_TRY(remove_repetitions(ctx, work, pairs, triples));
	symmetrize(w, pairs);
	stars->moments.mean = mean;
	stars->moments.pairs = pairs;
	stars->moments.triples = triples;
	return TLV_OK;
}

tlv_status
tlv_star_moments_compute(tlv_context *ctx, const tlv_star_side *side,
						 const tlv_star_options *options, tlv_star_moments *stars)
{
	star_work work = {.side = side, .options = options, .stars = stars};
	size_t n = side->out->rows, d = side->out->columns;

	memset(stars, 0, sizeof(*stars));
	stars->rows = n;
	stars->columns = d;
	stars->moments.width = options->width;
	work.block = block_width(side, options->width);
	TLV_TRY(square_values(ctx, side->in, &work.squared));
	TLV_TRY_NEW(ctx, work.weight, 3 * n);
	TLV_TRY_NEW(ctx, work.squares, 2 * d);
	work.cubes = work.squares + d;
	TLV_TRY_NEW(ctx, stars->scale, d);
	TLV_TRY_NEW(ctx, stars->sums, 2 * options->width);
	stars->values = stars->sums + options->width;
	graph_weigh_rows(&work);
	TLV_TRY(scan_columns(ctx, &work));
	TLV_TRY(find_star_directions(ctx, &work));
	if (!options->directions)
		TLV_TRY(compress_stars(ctx, &work));
	if (side->in->value != NULL)
		tlv_free(ctx, work.squared.value);
	tlv_free(ctx, work.weight);
	tlv_free(ctx, work.squares);
	return TLV_OK;
}

void
tlv_star_moments_free(tlv_context *ctx, tlv_star_moments *stars)
{
	tlv_free(ctx, (void *) stars->moments.mean);
	tlv_free(ctx, (void *) stars->moments.pairs);
	tlv_free(ctx, (void *) stars->moments.triples);
	tlv_free(ctx, stars->basis);
	tlv_free(ctx, stars->scores);
	tlv_free(ctx, stars->directions);
	tlv_free(ctx, stars->scale);
	tlv_free(ctx, stars->sums);
	memset(stars, 0, sizeof(*stars));
}
