/*
 * climb.c - EM on stored counts until the likelihood stands (view_solver.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/view_solver.h"
#include "tensorlv/model/views.h"

/* EM stands when the log-likelihood of a row grows by less. */
#define TOLERANCE 1e-9
/* The longest extrapolation at first, in steps; it grows by as much where it is reached. */
#define FIRST_LONGEST 4.0
/* Most that an extrapolation changes a logarithm beyond the last step. */
#define MOST_LOGARITHM 3.0

static tlv_status
take_step(tlv_context *ctx, const tlv_cell_em *em, int most, tlv_cell_climb *climb)
{
	double before = climb->log_likelihood;

	tlv_report(ctx, em->what, climb->done, most);
	TLV_TRY(em->maximize(ctx, em->state));
	TLV_TRY(em->expect(ctx, em->state, &climb->log_likelihood));
	climb->growth = climb->log_likelihood - before;
	climb->done++;
	return TLV_OK;
}

/* ---- extrapolation ---- */

typedef struct squarem
{
	size_t n;
	double *first, *second, *third; /* three points, of all blocks one after the other */
	double longest;
} squarem;

static void
copy_out(const tlv_cell_em *em, double *point)
{
	for (int b = 0; b < em->blocks; point += em->numbers[b++])
		memcpy(point, em->block[b], em->numbers[b] * sizeof(double));
}

static void
copy_in(const tlv_cell_em *em, const double *point)
{
	for (int b = 0; b < em->blocks; point += em->numbers[b++])
		memcpy(em->block[b], point, em->numbers[b] * sizeof(double));
}

/* Squared lengths of the change and of its change in the logarithms, each of which weighs as much
 * as its probability: how far to go, in steps. */
static double
measure(const squarem *s)
{
	double change = 0, curvature = 0;

	for (size_t i = 0; i < s->n; i++)
	{
		double r, v;

		if (!(s->first[i] > 0 && s->second[i] > 0 && s->third[i] > 0))
			continue;
		r = log(s->second[i] / s->first[i]);
		v = log(s->third[i] / s->second[i]) - r;
		change += s->third[i] * r * r;
		curvature += s->third[i] * v * v;
	}
	return fmin(fmax(curvature > 0 ? sqrt(change / curvature) : 1, 1), s->longest);
}

/* The point that many steps from the first, into the blocks. */
static void
extrapolate(const tlv_cell_em *em, const squarem *s, double step)
{
	size_t i = 0;

	for (int b = 0; b < em->blocks; b++)
		for (size_t e = 0; e < em->numbers[b]; e++, i++)
		{
			double r, v, beyond;

			em->block[b][e] = s->third[i];
			if (!(s->first[i] > 0 && s->second[i] > 0 && s->third[i] > 0))
				continue;
			r = log(s->second[i] / s->first[i]);
			v = log(s->third[i] / s->second[i]) - r;
			beyond = 2 * (step - 1) * r + (step * step - 1) * v;
			em->block[b][e] *= exp(fmin(fmax(beyond, -MOST_LOGARITHM), MOST_LOGARITHM));
		}
	em->normalize(em->state);
}

/* Beyond three points, of which the blocks hold the last; back to it where that is no ascent. */
static tlv_status
jump(tlv_context *ctx, const tlv_cell_em *em, squarem *s, tlv_cell_climb *climb)
{
	double step = measure(s), third = climb->log_likelihood;

	if (step == 1)
		return TLV_OK;
	extrapolate(em, s, step);
	TLV_TRY(em->expect(ctx, em->state, &climb->log_likelihood));
	climb->done++;
	if (climb->log_likelihood >= third)
	{
		if (step == s->longest)
			s->longest *= FIRST_LONGEST;
		return TLV_OK;
	}
	s->longest = fmax(s->longest / FIRST_LONGEST, FIRST_LONGEST);
	copy_in(em, s->third);
	climb->done++;
	return em->expect(ctx, em->state, &climb->log_likelihood);
}

static tlv_status
accelerate(tlv_context *ctx, const tlv_cell_em *em, tlv_cell_climb *climb)
{
	squarem s = {.longest = FIRST_LONGEST};

	for (int b = 0; b < em->blocks; b++)
		s.n += em->numbers[b];
	TLV_TRY_NEW(ctx, s.first, 3 * s.n);
	s.second = s.first + s.n;
	s.third = s.second + s.n;
	while (!climb->stands && climb->done < TLV_CELL_ITERATIONS)
	{
		copy_out(em, s.first);
		TLV_TRY(take_step(ctx, em, TLV_CELL_ITERATIONS, climb));
		climb->stands = climb->growth < TOLERANCE * em->total;
		if (climb->stands || climb->done >= TLV_CELL_ITERATIONS)
			break;
		copy_out(em, s.second);
		TLV_TRY(take_step(ctx, em, TLV_CELL_ITERATIONS, climb));
		copy_out(em, s.third);
		if (climb->done < TLV_CELL_ITERATIONS)
			TLV_TRY(jump(ctx, em, &s, climb));
	}
	tlv_free(ctx, s.first);
	return TLV_OK;
}

tlv_status
tlv_cell_climb_steps(tlv_context *ctx, const tlv_cell_em *em, int iterations, tlv_cell_climb *climb)
{
	*climb = (tlv_cell_climb){.growth = HUGE_VAL};
	TLV_TRY(em->expect(ctx, em->state, &climb->log_likelihood));
	if (iterations < 0)
		return accelerate(ctx, em, climb);
	while (!climb->stands && climb->done < iterations)
	{
		TLV_TRY(take_step(ctx, em, iterations, climb));
		climb->stands = climb->growth < TOLERANCE * em->total;
	}
	return TLV_OK;
}
