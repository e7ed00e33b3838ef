/*
 * score_errors.c - standard errors from sums of outer products of rows' scores (errors.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tuning.h"

/* Of a component that shares its rows with others, a probability that was hardly seen may well be
 * larger where those beside it are determined by less than this proportion of the rows: it counts
 * for less still, and how large the component is, is not known. */
#define LEAST_TOLD 0.5
/* Rows are a sample if the model was fitted to more than this number of rows for each of them. */
#define WHOLE 1.05

/* One block on its way. */
typedef struct block_part
{
	size_t n;
	tlv_estimate *list;		/* n */
	const double *scores;	/* n: sums */
	const double *products; /* packed */
	double pieces;			/* that they are of */
	double scale;			/* units of the model for each of theirs */
	bool all;				/* they are of all rows that the model was fitted to, or of as many */
	int64_t *place;			/* n: which of the free parameters, below 0: none */
	size_t free;
	double *covariance; /* free x free */
	bool *gone;			/* n: probabilities on their way to 0 */
	double *draws;		/* TLV_DRAWS x n of the list's, or NULL */
	tlv_rng *rng;		/* that they are from */
	bool unsure;		/* a probability that was hardly seen may well be larger */
	double *shift;		/* n: covariance times scores */
	double *scaled;		/* n */
} block_part;

static double
product_at(const block_part *block, size_t i, size_t j)
{
	double products = block->products[tlv_packed2_index(i, j)];

	return block->scale * (products - block->scores[i] * block->scores[j] / block->pieces);
}

static bool
is_shown_enough(const tlv_estimate *estimate)
{
	return estimate->estimate * estimate->count >= TLV_LEAST_EXPECTED;
}

/* Of every group the largest probability follows from the others: the place of each group's. */
static size_t
reference_of(const block_part *block, size_t first)
{
	size_t best = first;

	for (size_t i = first; i < block->n && block->list[i].group == block->list[first].group; i++)
		best = block->list[i].estimate > block->list[best].estimate ? i : best;
	return best;
}

/* Which parameters are free: those that are at no bound, nor on their way to it, of which rows tell
 * anything, and of every group all but one. */
static void
choose_free(block_part *block)
{
	size_t reference = 0;

	block->free = 0;
	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_estimate *own = block->list + i;

		if (own->group != 0 && (i == 0 || own->group != block->list[i - 1].group))
			reference = reference_of(block, i);
		block->place[i] = -1;
		if (own->fixed || block->gone[i] ||
			(own->group != 0 && (i == reference || !is_shown_enough(own))) ||
			!(product_at(block, i, i) > 0))
			continue;
		block->place[i] = (int64_t) block->free++;
	}
}

/*
 * What the inverse of products of n scores of p parameters is multiplied by.  It is too large by
 * n / (n - p - 1) on average, as that of a Wishart matrix (Anderson 1984).  Of a mode under a prior
 * it is too small: n / (n - p) times the standard errors hold (docs/decisions/few-rows.md).
 */
static double
few_rows(const block_part *block)
{
	const double least = 0.25;
	double free = (double) block->free, part = fmax(1 - free / block->pieces, least);

	return block->list[0].penalised ? 1 / (part * part)
									: fmax(1 - (free + 1) / block->pieces, least);
}

/*
 * Draws of the free parameters: with L the factor of their scaled products, L'^-1 of standard
 * normal numbers has the covariance of the estimates, once it is scaled back.
 */
static tlv_status
draw_block(tlv_context *ctx, block_part *block, const double *factor)
{
	double *normal, scale = sqrt(few_rows(block));
	size_t n = block->free;

	TLV_TRY_NEW_ROWS(ctx, normal, n, TLV_DRAWS);
	tlv_rng_fill_normal(block->rng, n * TLV_DRAWS, normal);
	TLV_TRY(tlv_solve_triangle(ctx, true, n, TLV_DRAWS, factor, normal));
	memset(block->draws, 0, block->n * TLV_DRAWS * sizeof(double));
	for (size_t i = 0; i < block->n; i++)
		for (size_t r = 0; block->place[i] >= 0 && r < TLV_DRAWS; r++)
			block->draws[i * TLV_DRAWS + r] =
				scale * normal[r * n + (size_t) block->place[i]] * block->scaled[block->place[i]];
	tlv_free(ctx, normal);
	return TLV_OK;
}

/* How far the model is from where the likelihood is greatest is part of what is drawn. */
static void
shift_draws(const block_part *block)
{
	double normal[TLV_DRAWS];

	tlv_rng_fill_normal(block->rng, TLV_DRAWS, normal);
	for (size_t i = 0; i < block->n; i++)
		for (size_t r = 0; block->place[i] >= 0 && r < TLV_DRAWS; r++)
			block->draws[i * TLV_DRAWS + r] += normal[r] * block->shift[i];
}

/* The inverse of the free parameters' products, by Cholesky's factor of their correlations; known
 * is false where they have none. */
static tlv_status
invert_block(tlv_context *ctx, block_part *block, bool *known)
{
	/* Rows for every parameter of a block, at least. */
	const double least_rows = 2.0;
	size_t n = block->free;
	double *matrix, *inverse, factor;
	tlv_status status = TLV_OK;

	*known = n == 0 || block->pieces >= least_rows * (double) n;
	if (n == 0 || !*known)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, matrix, n, n);
	TLV_TRY_NEW0_ROWS(ctx, inverse, n, n);
	block->covariance = inverse;
	for (size_t i = 0; i < block->n; i++)
		if (block->place[i] >= 0)
			block->scaled[block->place[i]] = 1 / sqrt(product_at(block, i, i));
	for (size_t i = 0; i < block->n; i++)
		for (size_t j = 0; j <= i; j++)
			if (block->place[i] >= 0 && block->place[j] >= 0)
			{
				size_t r = (size_t) block->place[i], c = (size_t) block->place[j];

				matrix[c * n + r] = product_at(block, i, j) * block->scaled[r] * block->scaled[c];
			}
	for (size_t i = 0; i < n; i++)
		inverse[i * n + i] = 1;
	status = tlv_solve_spd(ctx, n, n, matrix, inverse);
	if (status != TLV_OK && ctx->error.code != TLV_BAD_DATA)
		return status;
	*known = status == TLV_OK;
	if (*known && block->draws != NULL)
		TLV_TRY(draw_block(ctx, block, matrix));
	tlv_free(ctx, matrix);
	factor = few_rows(block);
	for (size_t c = 0; *known && c < n; c++)
		for (size_t r = 0; r < n; r++)
			inverse[c * n + r] *= factor * block->scaled[r] * block->scaled[c];
	return TLV_OK;
}

/*
 * Distance of every parameter from the maximum of the likelihood of the rows, by one step of
 * scoring: 0 for those that are not free, and unless block->all, since the rows of a sample have
 * another maximum.
 */
static void
score_errors_find_shift(const block_part *block)
{
	for (size_t i = 0; i < block->n; i++)
	{
		double sum = 0;

		for (size_t j = 0; block->all && block->place[i] >= 0 && j < block->n; j++)
			if (block->place[j] >= 0)
				sum += block->covariance[(size_t) block->place[i] * block->free +
										 (size_t) block->place[j]] *
					   block->scores[j] * block->scale;
		block->shift[i] = sum;
	}
}

/* Probabilities that a step of scoring takes to less than a third are on their way to 0, where no
 * quadratic reaches: are there such? */
static bool
find_gone(const block_part *block)
{
	bool any = false;

	for (size_t i = 0; i < block->n; i++)
		if (block->place[i] >= 0 && block->list[i].group != 0 && block->shift[i] < -1)
			any = block->gone[i] = true;
	return any;
}

/* A parameter's variance; NaN where it hardly follows from the rows. */
static double
variance_of(const block_part *block, size_t i)
{
	/* A variance is not reported above this multiple of its value for known other parameters. */
	const double most_inflation = 1e10;
	size_t at = (size_t) block->place[i];
	double variance = block->covariance[at * block->free + at];

	return variance >= 0 && variance * product_at(block, i, i) <= most_inflation ? variance : NAN;
}

/*
 * Standard errors of the probabilities i to end, of one group: with C the covariance of the
 * logarithms, p_i^2 (e_i - p)' C (e_i - p), and the square of the shift.  One that has none gets
 * the least effective count of the others: as many observations as its own, less what the hidden
 * components take away.
 */
static void
group_errors(block_part *block, size_t first, size_t end)
{
	double sum = 0, share = 1, drift = 0;
	bool any = false;

	for (size_t i = first; i < end; i++)
	{
		double product = 0;

		any |= block->place[i] >= 0;

		for (size_t j = first; j < end && block->place[i] >= 0; j++)
			if (block->place[j] >= 0)
				product += block->covariance[(size_t) block->place[i] * block->free +
											 (size_t) block->place[j]] *
						   block->list[j].estimate;
		block->scaled[i] = product;
		sum += product * block->list[i].estimate;
		drift += block->shift[i] * block->list[i].estimate;
	}
	for (size_t i = first; i < end; i++)
	{
		tlv_estimate *own = block->list + i;
		double p = own->estimate, apart = block->shift[i] - drift, variance, most;

		if (!any || own->fixed || block->gone[i] || (block->place[i] < 0 && !is_shown_enough(own)))
			continue;
		variance = block->place[i] >= 0 ? variance_of(block, i) : 0;
		variance += sum - 2 * block->scaled[i];
		own->standard_error = p * sqrt(variance + apart * apart);
		most = p * (1 - p) / (own->standard_error * own->standard_error);
		if (own->count > 0 && most < share * own->count)
			share = most / own->count;
	}
	for (size_t i = first; i < end; i++)
	{
		tlv_estimate *own = block->list + i;

		if (!isnan(own->standard_error))
			continue;
		own->count *= share < LEAST_TOLD ? share * share : share;
		own->degrees = 0;
		block->unsure |= share < LEAST_TOLD && !own->fixed;
	}
}

/* Weights of components of which probabilities are not known, and beginnings of few sequences. */
static void
withhold(const block_part *block)
{
	for (size_t i = 0; i < block->n; i++)
	{
		tlv_estimate *own = block->list + i;

		if ((own->part == TLV_ESTIMATE_WEIGHT && block->unsure) ||
			(own->part == TLV_ESTIMATE_INITIAL && own->count < TLV_LEAST_EXPECTED))
		{
			own->standard_error = NAN;
			own->count = 0;
		}
	}
}

static void
block_errors(block_part *block)
{
	for (size_t i = 0; i < block->n;)
	{
		size_t end = i + 1, group = block->list[i].group;

		while (group != 0 && end < block->n && block->list[end].group == group)
			end++;
		if (group != 0)
			group_errors(block, i, end);
		else if (block->place[i] >= 0)
			block->list[i].standard_error =
				sqrt(variance_of(block, i) + block->shift[i] * block->shift[i]);
		i = end;
	}
	withhold(block);
}

static tlv_status
find_block(tlv_context *ctx, block_part *block)
{
	/* So often probabilities that leave for 0 are taken out. */
	const int rounds = 4;
	bool known = true, gone = true;

	TLV_TRY_NEW(ctx, block->place, block->n);
	TLV_TRY_NEW0(ctx, block->gone, block->n);
	TLV_TRY_NEW0(ctx, block->scaled, 2 * block->n);
	block->shift = block->scaled + block->n;
	for (int round = 0; gone && round < rounds; round++)
	{
		choose_free(block);
		tlv_free(ctx, block->covariance);
		block->covariance = NULL;
		TLV_TRY(invert_block(ctx, block, &known));
		if (!known || block->free == 0)
			break;
		score_errors_find_shift(block);
		gone = find_gone(block);
	}
	if (known && block->free > 0)
	{
		block_errors(block);
		if (block->draws != NULL)
			shift_draws(block);
	}
	for (size_t i = 0; !known && i < block->n; i++)
		block->list[i].count = 0;
	tlv_free(ctx, block->covariance);
	tlv_free(ctx, block->scaled);
	tlv_free(ctx, block->gone);
	tlv_free(ctx, block->place);
	return TLV_OK;
}

tlv_status
tlv_scores_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
				  tlv_estimates *list)
{
	double known = tlv_model_units(model), units, scale;
	const double *products, *counts;
	size_t first = 0;
	tlv_rng rng;

	TLV_TRY(tlv_scores_require(ctx, errors, list, "tlv_estimates"));
	tlv_rng_seed(&rng, tlv_draws_seed(model, list->n));
	if (list->n <= TLV_DRAWS_MOST)
		TLV_TRY_NEW0(ctx, list->draws, list->n * TLV_DRAWS);
	units = tlv_frame_scalar(errors, "units", 0);
	scale = known > 0 ? known / units : 1;
	products = tlv_frame_float64(errors, "products");
	counts = tlv_frame_float64(errors, "counts");
	for (size_t end = 1; end <= list->n; end++)
	{
		block_part block = {.list = list->list + first,
							.pieces = tlv_frame_scalar(errors, "pieces", 0),
							.scale = scale,
							.all = scale <= WHOLE && scale * WHOLE >= 1 &&
								   !model->kind->model->approximate_scores &&
								   !list->list[first].penalised,
							.rng = &rng,
							.products = products};

		list->list[end - 1].count = counts[end - 1] * scale;
		if (end < list->n && list->list[end].block == list->list[first].block)
			continue;
		block.n = end - first;
		block.draws = list->draws == NULL ? NULL : list->draws + first * TLV_DRAWS;
		block.scores = tlv_frame_float64(errors, "scores") + first;
		TLV_TRY(find_block(ctx, &block));
		products += tlv_packed2_size(block.n);
		first = end;
	}
	return TLV_OK;
}
