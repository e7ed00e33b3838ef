/*
 * climb.c - EM on stored counts until the likelihood converges (view_solver.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/view_solver.h"
#include "tensorlv/model/views.h"
#include "tensorlv/num/squarem.h"

/* EM stands when the log-likelihood of a row grows by less. */
#define VIEW_TOLERANCE 1e-9

static tlv_status
view_take_step(tlv_context *ctx, const tlv_cell_em *em, int most, tlv_cell_climb *climb)
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

/* Three points, of all blocks one after the other. */
typedef struct cell_points
{
	double *first, *second, *third;
	double longest;
} cell_points;

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

/* Measures, or moves the blocks: each probability weighs as much as it is. */
static tlv_status
extrapolate(tlv_context *ctx, const tlv_cell_em *em, const cell_points *points, tlv_squarem *s)
{
	size_t i = 0;

	for (int b = 0; b < em->blocks; b++)
		for (size_t e = 0; e < em->numbers[b]; e++, i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			em->block[b][e] = tlv_squarem_positive(s, points->third[i], points->first[i],
												   points->second[i], points->third[i]);
		}
	return TLV_OK;
}

/* Beyond three points, of which the blocks hold the last; back to it where that is no ascent. */
static tlv_status
view_jump(tlv_context *ctx, const tlv_cell_em *em, cell_points *points, tlv_cell_climb *climb)
{
	tlv_squarem s = {0};
	double third = climb->log_likelihood, step;

	TLV_TRY(extrapolate(ctx, em, points, &s));
	step = tlv_squarem_begin_step(&s, points->longest);
	if (step == 1)
		return TLV_OK;
	TLV_TRY(extrapolate(ctx, em, points, &s));
	em->normalize(em->state);
	TLV_TRY(em->expect(ctx, em->state, &climb->log_likelihood));
	climb->done++;
	if (climb->log_likelihood >= third)
	{
		if (step == points->longest)
			points->longest *= TLV_SQUAREM_LONGEST;
		return TLV_OK;
	}
	points->longest = fmax(points->longest / TLV_SQUAREM_LONGEST, TLV_SQUAREM_LONGEST);
	copy_in(em, points->third);
	climb->done++;
	return em->expect(ctx, em->state, &climb->log_likelihood);
}

static tlv_status
accelerate(tlv_context *ctx, const tlv_cell_em *em, tlv_cell_climb *climb)
{
	cell_points points = {.longest = TLV_SQUAREM_LONGEST};
	size_t n = 0;

	for (int b = 0; b < em->blocks; b++)
		n += em->numbers[b];
	TLV_TRY_NEW(ctx, points.first, 3 * n);
	points.second = points.first + n;
	points.third = points.second + n;
	while (climb->done < TLV_CELL_ITERATIONS)
	{
		copy_out(em, points.first);
		TLV_TRY(view_take_step(ctx, em, TLV_CELL_ITERATIONS, climb));
		climb->stands = climb->growth < VIEW_TOLERANCE * em->total;
		/* what follows takes up to three more evaluations */
		if (climb->stands || climb->done + 3 > TLV_CELL_ITERATIONS)
			break;
		copy_out(em, points.second);
		TLV_TRY(view_take_step(ctx, em, TLV_CELL_ITERATIONS, climb));
		copy_out(em, points.third);
		TLV_TRY(view_jump(ctx, em, &points, climb));
	}
	tlv_free(ctx, points.first);
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
		TLV_TRY(view_take_step(ctx, em, iterations, climb));
		climb->stands = climb->growth < VIEW_TOLERANCE * em->total;
	}
	return TLV_OK;
}
