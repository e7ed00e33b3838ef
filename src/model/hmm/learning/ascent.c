/*
 * ascent.c - steps of Baum-Welch, accelerated (learn.h).
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "tensorlv/num/em.h"
#include "tensorlv/num/tuning.h"

/* The model that is climbed from, and its parameters as numbers: initial, transitions, emissions,
 * variances. */
typedef struct hmm_climb
{
	tlv_hmm_ascent *ascent;
	const tlv_hmm_data *data; /* NULL: the sequences of the source */
	tlv_source *sequences;
	tlv_held in_memory; /* statistics of the last expectation: of the data */
	tlv_value *scanned; /* of the source */
	int left;			/* scans */
	size_t n;
	double *x;
} hmm_climb;

/* What a deviation is measured by: the scale of a coordinate in a state. */
static double
scale_of(const tlv_hmm_parts *parts, size_t j, size_t i)
{
	size_t n = tlv_mixture_variances(parts->d, parts->covariance);
	const double *own = parts->variances + j * n;

	if (parts->covariance == TLV_COVARIANCE_FULL)
		return own[i * (i + 3) / 2];
	return sqrt(own[n == 1 ? 0 : i]);
}

/* Means and covariances between coordinates by the states' scales, variances by their logarithms.
 */
static void
weigh_vectors(const tlv_hmm_parts *parts, double *means, double *variances)
{
	size_t d = parts->d, n = tlv_mixture_variances(d, parts->covariance);

	for (size_t e = 0; e < parts->k * n; e++)
		variances[e] = 1;
	for (size_t j = 0; j < parts->k; j++, variances += n)
		for (size_t i = 0; i < d; i++)
		{
			double scale = scale_of(parts, j, i);

			means[j * d + i] = -1 / (scale * scale);
			for (size_t c = 0; parts->covariance == TLV_COVARIANCE_FULL && c < i; c++)
				variances[i * (i + 1) / 2 + c] = -1 / (scale * scale);
		}
}

/* The parts that the numbers are. */
static void
read_climb(const hmm_climb *climb, tlv_hmm_parts *parts, double *x)
{
	tlv_hmm_read(&climb->ascent->current.frame, parts);
	parts->initial = x;
	parts->transitions = x + parts->k;
	parts->emissions = parts->transitions + parts->k * parts->k;
	parts->variances = parts->emissions + parts->k * parts->d;
}

static void
hmm_weigh(const void *state, const double *x, double *weights)
{
	tlv_hmm_parts parts;
	size_t k;

	read_climb(state, &parts, (double *) x);
	k = parts.k;
	memcpy(weights, x, ((const hmm_climb *) state)->n * sizeof(double));
	for (size_t j = 0; j < k; j++)
		weights[j] *= 0.01;
	if (parts.gaussian)
		weigh_vectors(&parts, weights + k + k * k, weights + k + k * k + k * parts.d);
}

/* The numbers of the model. */
static void
climb_take_numbers(hmm_climb *climb)
{
	tlv_hmm_parts parts;
	double *x = climb->x;

	tlv_hmm_read(&climb->ascent->current.frame, &parts);
	memcpy(x, parts.initial, parts.k * sizeof(double));
	memcpy(x += parts.k, parts.transitions, parts.k * parts.k * sizeof(double));
	memcpy(x += parts.k * parts.k, parts.emissions, parts.k * parts.d * sizeof(double));
	if (parts.gaussian)
		memcpy(x + parts.k * parts.d, parts.variances,
			   (climb->n - (size_t) (x - climb->x) - parts.k * parts.d) * sizeof(double));
}

/* The model of the numbers; probabilities are at most 1. */
static tlv_status
write_numbers(tlv_context *ctx, const hmm_climb *climb, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts;
	size_t probabilities;

	read_climb(climb, &parts, climb->x);
	probabilities = parts.k * (1 + parts.k + (parts.gaussian ? 0 : parts.d));
	for (size_t i = 0; i < probabilities; i++)
		climb->x[i] = fmin(climb->x[i], 1);
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, &climb->ascent->current.frame, NULL));
	parts.in_order = true;
	parts.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &parts, image, size);
}

static tlv_status
hmm_changed(tlv_context *ctx, void *state)
{
	hmm_climb *climb = state;
	tlv_making made;

	TLV_TRY(TLV_MAKE(ctx, &made, &climb->ascent->current,
					 write_numbers(ctx, climb, &made.image, &made.size)));
	climb_take_numbers(climb);
	return TLV_OK;
}

/* The likelihood per step of time. */
static tlv_status
hmm_expect(tlv_context *ctx, void *state, double *likelihood)
{
	hmm_climb *climb = state;
	const tlv_frame *model = &climb->ascent->current.frame;
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics, .constant = model};
	tlv_making made;

	if (climb->data != NULL)
		TLV_TRY(TLV_MAKE(ctx, &made, &climb->in_memory,
						 tlv_hmm_evaluate(ctx, model, climb->data, &made.image, &made.size)));
	else
	{
		tlv_value_drop(climb->scanned);
		TLV_TRY(tlv_collect_again(ctx, climb->sequences, "Baum-Welch", climb->left--, &statistic,
								  &climb->scanned));
	}
	*likelihood = tlv_mean_likelihood(
		climb->data != NULL ? &climb->in_memory.frame : &climb->scanned->frame, "steps");
	return TLV_OK;
}

static tlv_status
hmm_maximize(tlv_context *ctx, void *state)
{
	hmm_climb *climb = state;
	const tlv_frame *sums = climb->data != NULL ? &climb->in_memory.frame : &climb->scanned->frame;
	tlv_held *current = &climb->ascent->current;
	tlv_making made;

	TLV_TRY(TLV_MAKE(
		ctx, &made, current,
		tlv_hmm_step(ctx, &current->frame, sums, &tlv_whole_step, true, &made.image, &made.size)));
	if (climb->x != NULL)
		climb_take_numbers(climb);
	return TLV_OK;
}

tlv_status
tlv_hmm_climb(tlv_context *ctx, const tlv_hmm_data *data, tlv_source *sequences,
			  tlv_hmm_ascent *ascent)
{
	hmm_climb climb = {
		.ascent = ascent, .data = data, .sequences = sequences, .left = ascent->limit};
	tlv_hmm_parts parts;
	tlv_em em = {.what = data != NULL ? "Baum-Welch in memory" : NULL,
				 .state = &climb,
				 .expect = hmm_expect,
				 .maximize = hmm_maximize,
				 .limit = ascent->limit,
				 .to_the_limit = ascent->plain,
				 .steps_on = true,
				 .tolerance = TLV_EM_TOLERANCE,
				 .blocks = !ascent->plain,
				 .changed = hmm_changed,
				 .weigh = hmm_weigh,
				 .likelihood = -HUGE_VAL};

	tlv_hmm_read(&ascent->current.frame, &parts);
	climb.n = parts.k * (1 + parts.k + parts.d + tlv_hmm_covariance_numbers(&parts));
	if (!ascent->plain)
	{
		TLV_TRY_NEW(ctx, climb.x, climb.n);
		climb_take_numbers(&climb);
	}
	em.block[0] = climb.x;
	em.numbers[0] = climb.n;
	TLV_TRY(tlv_em_run(ctx, &em));
	tlv_free(ctx, climb.x);
	tlv_free(ctx, climb.in_memory.image);
	tlv_value_drop(climb.scanned);
	ascent->taken = em.taken;
	ascent->mean = em.likelihood;
	ascent->growth = em.growth;
	ascent->stands = em.stands;
	return TLV_OK;
}
