/*
 * em.c - expectation maximisation until the likelihood converges, accelerated (em.h).
 */
#include <string.h>

#include "tensorlv/num/em.h"
#include "tensorlv/num/squarem.h"

/* Parameters whose likelihood is looked at: the first ones, those after one step, extrapolated
 * ones. */
typedef enum em_phase
{
	EM_FIRST,
	EM_SECOND,
	EM_BEYOND
} em_phase;

/* Three points, of all blocks one after the other, and what their numbers weigh. */
typedef struct em_points
{
	double *first, *second, *third, *weights;
	double longest;
} em_points;

static tlv_status
create_points(tlv_context *ctx, const tlv_em *em, em_points *points)
{
	size_t n = 0;

	for (int b = 0; b < em->blocks; b++)
		n += em->numbers[b];
	*points = (em_points){.longest = TLV_SQUAREM_LONGEST};
	if (n == 0)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, points->first, n, em->weigh != NULL ? 4 : 3);
	points->second = points->first + n;
	points->third = points->second + n;
	points->weights = em->weigh != NULL ? points->third + n : points->third;
	return TLV_OK;
}

static void
copy_out(const tlv_em *em, double *point)
{
	for (int b = 0; b < em->blocks; point += em->numbers[b++])
		memcpy(point, em->block[b], em->numbers[b] * sizeof(double));
}

/* Measures, or moves the blocks. */
static tlv_status
extrapolate(tlv_context *ctx, const tlv_em *em, const em_points *points, tlv_squarem *s)
{
	size_t i = 0;

	for (int b = 0; b < em->blocks; b++)
		for (size_t e = 0; e < em->numbers[b]; e++, i++)
		{
			double weight = points->weights[i];

			TLV_TRY_CONTINUE_AT(ctx, i);
			em->block[b][e] = (weight < 0 ? tlv_squarem_number : tlv_squarem_positive)(
				s, fabs(weight), points->first[i], points->second[i], points->third[i]);
		}
	return TLV_OK;
}

/* Beyond three points, of which the blocks hold the last. */
static tlv_status
jump(tlv_context *ctx, const tlv_em *em, em_points *points)
{
	tlv_squarem s = {0};

	copy_out(em, points->third);
	if (em->weigh != NULL)
		em->weigh(em->state, points->third, points->weights);
	TLV_TRY(extrapolate(ctx, em, points, &s));
	if (tlv_squarem_begin_step(&s, points->longest) == points->longest)
		points->longest *= TLV_SQUAREM_LONGEST;
	TLV_TRY(extrapolate(ctx, em, points, &s));
	return em->changed(ctx, em->state);
}

/* Too far: back to the third point, and shorter steps. */
static tlv_status
jump_back(tlv_context *ctx, const tlv_em *em, em_points *points)
{
	const double *point = points->third;

	points->longest = fmax(points->longest / TLV_SQUAREM_LONGEST, TLV_SQUAREM_LONGEST);
	for (int b = 0; b < em->blocks; point += em->numbers[b++])
		memcpy(em->block[b], point, em->numbers[b] * sizeof(double));
	return em->changed(ctx, em->state);
}

/* One maximisation after an expectation, and on in that direction. */
static tlv_status
take_step(tlv_context *ctx, tlv_em *em, em_points *points, em_phase *phase)
{
	if (em->blocks > 0)
		copy_out(em, *phase == EM_SECOND ? points->second : points->first);
	TLV_TRY(em->maximize(ctx, em->state));
	if (em->blocks == 0)
		return TLV_OK;
	if (*phase != EM_SECOND)
		*phase = EM_SECOND;
	else if (em->taken + !em->steps_on < em->limit) /* one to come back */
	{
		*phase = EM_BEYOND;
		return jump(ctx, em, points);
	}
	else
		*phase = EM_FIRST;
	return TLV_OK;
}

tlv_status
tlv_em_run(tlv_context *ctx, tlv_em *em)
{
	double before = em->likelihood;
	em_phase phase = EM_FIRST;
	em_points points;

	TLV_TRY(create_points(ctx, em, &points));
	em->growth = HUGE_VAL;
	em->stands = false;
	for (em->taken = 0; em->taken < em->limit && !(em->stands && !em->to_the_limit);)
	{
		double likelihood;

		if (em->what != NULL)
			tlv_report(ctx, em->what, em->taken, em->limit);
		TLV_TRY(em->expect(ctx, em->state, &likelihood));
		em->taken++;
		if (phase == EM_BEYOND && !(likelihood >= em->likelihood))
		{
			TLV_TRY(jump_back(ctx, em, &points));
			phase = EM_FIRST;
			continue;
		}
		em->likelihood = likelihood;
		if (phase != EM_SECOND)
		{
			em->growth = likelihood - before;
			/* before is -infinite at first */
			em->stands = em->growth < em->tolerance + em->relative * fabs(before);
			before = likelihood;
		}
		if (em->steps_on || (em->taken < em->limit && !(em->stands && !em->to_the_limit)))
			TLV_TRY(take_step(ctx, em, &points, &phase));
	}
	tlv_free(ctx, points.first);
	return TLV_OK;
}
