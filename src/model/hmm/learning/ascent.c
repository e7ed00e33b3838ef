/*
 * ascent.c - steps of Baum-Welch, accelerated (learn.h).
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "tensorlv/num/squarem.h"

/* ---- extrapolation ---- */

/* Probabilities, each of which weighs as much as it is. */
static void
extrapolate_probabilities(tlv_squarem *s, size_t n, double weight, const double *a, const double *b,
						  const double *c, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = fmin(tlv_squarem_positive(s, weight * c[i], a[i], b[i], c[i]), 1);
}

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

static void
extrapolate_vectors(tlv_squarem *s, const tlv_hmm_parts m[3], double *means, double *variances)
{
	size_t k = m[0].k, d = m[0].d, n = tlv_mixture_variances(d, m[0].covariance);
	bool full = m[0].covariance == TLV_COVARIANCE_FULL;

	for (size_t j = 0; j < k; j++)
	{
		for (size_t i = 0, e = j * d; i < d; i++, e++)
		{
			double scale = scale_of(&m[2], j, i);

			means[e] = tlv_squarem_number(s, 1 / (scale * scale), m[0].emissions[e],
										  m[1].emissions[e], m[2].emissions[e]);
		}
		for (size_t e = j * n; !full && e < j * n + n; e++)
			variances[e] =
				tlv_squarem_positive(s, 1, m[0].variances[e], m[1].variances[e], m[2].variances[e]);
		for (size_t i = 0, e = j * n; full && i < d; i++)
		{
			double scale = scale_of(&m[2], j, i);

			for (size_t c = 0; c < i; c++, e++)
				variances[e] = tlv_squarem_number(s, 1 / (scale * scale), m[0].variances[e],
												  m[1].variances[e], m[2].variances[e]);
			variances[e] =
				tlv_squarem_positive(s, 1, m[0].variances[e], m[1].variances[e], m[2].variances[e]);
			e++;
		}
	}
}

static void
extrapolate_parts(tlv_squarem *s, const tlv_hmm_parts m[3], double *initial, double *transitions,
				  double *emissions, double *variances)
{
	size_t k = m[0].k, d = m[0].d;

	extrapolate_probabilities(s, k, 0.01, m[0].initial, m[1].initial, m[2].initial, initial);
	extrapolate_probabilities(s, k * k, 1, m[0].transitions, m[1].transitions, m[2].transitions,
							  transitions);
	if (m[0].gaussian)
		extrapolate_vectors(s, m, emissions, variances);
	else
		extrapolate_probabilities(s, k * d, 1, m[0].emissions, m[1].emissions, m[2].emissions,
								  emissions);
}

/* The model beyond three; *step gets how far it lies, 1: at the third. */
static tlv_status
extrapolated_model(tlv_context *ctx, const tlv_frame *const models[3], double longest, double *step,
				   void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts m[3], made;
	double *initial, *transitions, *emissions, *variances;
	size_t k, numbers;
	tlv_squarem s = {0};

	for (int i = 0; i < 3; i++)
		tlv_hmm_read(models[i], &m[i]);
	k = m[0].k;
	numbers = m[0].gaussian ? tlv_mixture_variances(m[0].d, m[0].covariance) : 0;
	TLV_TRY_NEW(ctx, initial, k * (1 + k + m[0].d + numbers));
	transitions = initial + k;
	emissions = transitions + k * k;
	variances = emissions + k * m[0].d;
	extrapolate_parts(&s, m, initial, transitions, emissions, variances);
	*step = tlv_squarem_begin_step(&s, longest);
	extrapolate_parts(&s, m, initial, transitions, emissions, variances);
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, models[2], NULL));
	made = m[2];
	made.in_order = true;
	made.initial = initial;
	made.transitions = transitions;
	made.emissions = emissions;
	made.variances = variances;
	made.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &made, image, size);
}

/* ---- the climb ---- */

static void
held_move(tlv_context *ctx, tlv_held *to, tlv_held *from)
{
	tlv_free(ctx, to->image);
	*to = *from;
	memset(from, 0, sizeof(*from));
}

void
tlv_hmm_ascent_begin(tlv_hmm_ascent *ascent, tlv_held *start, int limit)
{
	memset(ascent, 0, sizeof(*ascent));
	ascent->current = *start;
	memset(start, 0, sizeof(*start));
	ascent->limit = limit;
	ascent->tolerance = TLV_HMM_TOLERANCE;
	ascent->longest = TLV_SQUAREM_LONGEST;
	ascent->mean = ascent->first_mean = -HUGE_VAL;
	ascent->growth = HUGE_VAL;
}

void
tlv_hmm_ascent_end(tlv_context *ctx, tlv_hmm_ascent *ascent)
{
	tlv_free(ctx, ascent->first.image);
	tlv_free(ctx, ascent->second.image);
	memset(&ascent->first, 0, sizeof(ascent->first));
	memset(&ascent->second, 0, sizeof(ascent->second));
}

/* The model after a step of Baum-Welch from the current one. */
static tlv_status
next_model(tlv_context *ctx, const tlv_hmm_ascent *ascent, const tlv_frame *statistics,
		   bool in_order, tlv_held *next)
{
	tlv_making made;

	memset(next, 0, sizeof(*next));
	tlv_make(ctx, &made);
	return tlv_made(ctx, &made, next,
					tlv_hmm_step(ctx, &ascent->current.frame, statistics, &tlv_whole_step, in_order,
								 &made.image, &made.size));
}

/* The second of a pair has been evaluated: beyond the third, which is kept. */
static tlv_status
jump(tlv_context *ctx, tlv_hmm_ascent *ascent, tlv_held *third)
{
	const tlv_frame *models[3] = {&ascent->first.frame, &ascent->current.frame, &third->frame};
	tlv_making made;
	tlv_held beyond = {0};
	double step = 1;

	held_move(ctx, &ascent->second, third);
	models[2] = &ascent->second.frame;
	tlv_make(ctx, &made);
	TLV_TRY(
		tlv_made(ctx, &made, &beyond,
				 extrapolated_model(ctx, models, ascent->longest, &step, &made.image, &made.size)));
	if (step == ascent->longest)
		ascent->longest *= TLV_SQUAREM_LONGEST;
	held_move(ctx, &ascent->current, &beyond);
	return TLV_OK;
}

/* The first of a pair has been evaluated: one step on, which is the last where it stands. */
static tlv_status
take_first(tlv_context *ctx, tlv_hmm_ascent *ascent, const tlv_frame *statistics, double mean,
		   bool *done)
{
	tlv_held next;

	ascent->growth = mean - ascent->first_mean;
	ascent->first_mean = ascent->mean = mean;
	ascent->stands = !ascent->plain && ascent->growth < ascent->tolerance;
	*done = ascent->stands || ascent->taken >= ascent->limit;
	TLV_TRY(next_model(ctx, ascent, statistics, !*done, &next));
	if (!ascent->plain && !*done)
	{
		held_move(ctx, &ascent->first, &ascent->current);
		ascent->phase = 1;
	}
	held_move(ctx, &ascent->current, &next);
	return TLV_OK;
}

/* The second: one more step, and on in that direction. */
static tlv_status
take_second(tlv_context *ctx, tlv_hmm_ascent *ascent, const tlv_frame *statistics, double mean,
			bool *done)
{
	tlv_held next;

	ascent->mean = mean;
	ascent->phase = 2;
	*done = ascent->taken >= ascent->limit;
	TLV_TRY(next_model(ctx, ascent, statistics, !*done, &next));
	if (!*done)
		return jump(ctx, ascent, &next);
	ascent->growth = mean - ascent->first_mean;
	held_move(ctx, &ascent->current, &next);
	return TLV_OK;
}

tlv_status
tlv_hmm_ascent_take(tlv_context *ctx, tlv_hmm_ascent *ascent, const tlv_frame *statistics,
					bool *done)
{
	double mean = tlv_mean_likelihood(statistics, "steps");

	ascent->taken++;
	*done = false;
	if (ascent->phase == 1)
		return take_second(ctx, ascent, statistics, mean, done);
	if (ascent->phase == 0 || mean >= ascent->mean)
	{
		ascent->phase = 0;
		return take_first(ctx, ascent, statistics, mean, done);
	}
	/* Too far: on from the third, whose own likelihood is not known yet. */
	ascent->longest = fmax(ascent->longest / TLV_SQUAREM_LONGEST, TLV_SQUAREM_LONGEST);
	ascent->phase = 0;
	*done = ascent->taken >= ascent->limit;
	held_move(ctx, &ascent->current, &ascent->second);
	return TLV_OK;
}

tlv_status
tlv_hmm_climb(tlv_context *ctx, const tlv_hmm_data *data, tlv_hmm_ascent *ascent)
{
	bool done = ascent->limit == 0;

	while (!done)
	{
		tlv_frame frame;
		void *image;
		size_t size;

		tlv_report(ctx, "Baum-Welch in memory", ascent->taken, ascent->limit);
		TLV_TRY(tlv_hmm_evaluate(ctx, &ascent->current.frame, data, &image, &size));
		TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
		TLV_TRY(tlv_hmm_ascent_take(ctx, ascent, &frame, &done));
		tlv_free(ctx, image);
	}
	return TLV_OK;
}
