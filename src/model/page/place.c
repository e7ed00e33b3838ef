/*
 * place.c - places of the nodes of a graph in a drawing (page.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/rng.h"

/* Passes that move overlapping nodes apart, and how far apart they are then, of 1000. */
#define PAGE_PASSES 60
#define DISTANCE	34.0
/* Keeps forces finite where two nodes coincide; pull to the centre. */
#define SOFT   0.01
#define CENTRE 0.05
#define PULL   0.25

typedef struct placement
{
	size_t n, edges;
	const int32_t *ends;
	double *x, *force, *degree;
	double mean; /* degree */
} placement;

/* Every pair repels with the product of its degrees over the distance. */
static tlv_status
add_repulsion(tlv_context *ctx, const placement *p)
{
	for (size_t i = 0; i < p->n; i++)
	{
		double x = p->x[2 * i], y = p->x[2 * i + 1], fx = 0, fy = 0;
		double scale = p->degree[i] / (p->mean * (double) p->n);

		if (i % 64 == 63)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < i; j++)
		{
			double dx = x - p->x[2 * j], dy = y - p->x[2 * j + 1];
			double f = scale * p->degree[j] / (dx * dx + dy * dy + SOFT);

			fx += f * dx;
			fy += f * dy;
			p->force[2 * j] -= f * dx;
			p->force[2 * j + 1] -= f * dy;
		}
		p->force[2 * i] += fx - CENTRE * x;
		p->force[2 * i + 1] += fy - CENTRE * y;
	}
	return TLV_OK;
}

/* Every edge pulls its ends together with the same force. */
static void
add_attraction(const placement *p)
{
	for (size_t e = 0; e < p->edges; e++)
	{
		int32_t a = p->ends[2 * e], b = p->ends[2 * e + 1];
		double dx = p->x[2 * a] - p->x[2 * b], dy = p->x[2 * a + 1] - p->x[2 * b + 1];
		double f = PULL / sqrt(dx * dx + dy * dy + SOFT);

		p->force[2 * a] -= f * dx;
		p->force[2 * a + 1] -= f * dy;
		p->force[2 * b] += f * dx;
		p->force[2 * b + 1] += f * dy;
	}
}

/* Steps become shorter; none is longer than its force asks for. */
static void
follow_forces(const placement *p, double longest)
{
	for (size_t i = 0; i < p->n; i++)
	{
		double size = hypot(p->force[2 * i], p->force[2 * i + 1]) + 1e-9;
		double step = fmin(longest, 0.3 * size) / size;

		p->x[2 * i] += step * p->force[2 * i];
		p->x[2 * i + 1] += step * p->force[2 * i + 1];
	}
}

/* To 0 .. 1000 in the wider direction. */
static void
fit_frame(const placement *p)
{
	double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL}, wide;

	for (size_t i = 0; i < 2 * p->n; i++)
	{
		low[i % 2] = fmin(low[i % 2], p->x[i]);
		high[i % 2] = fmax(high[i % 2], p->x[i]);
	}
	wide = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-9);
	for (size_t i = 0; i < 2 * p->n; i++)
		p->x[i] = (p->x[i] - low[i % 2]) / wide * 1000;
}

/* Nodes that are closer than their pies are wide push each other away. */
static tlv_status
separate_nodes(tlv_context *ctx, const placement *p)
{
	double room = fmin(DISTANCE, 800 / sqrt((double) p->n));

	for (size_t i = 0; i < p->n; i++)
	{
		if (i % 64 == 63)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < i; j++)
		{
			double dx = p->x[2 * i] - p->x[2 * j], dy = p->x[2 * i + 1] - p->x[2 * j + 1];
			double r = sqrt(dx * dx + dy * dy) + 1e-9, push = (room - r) / 4 / r;

			if (r >= room)
				continue;
			p->x[2 * i] += push * dx;
			p->x[2 * i + 1] += push * dy;
			p->x[2 * j] -= push * dx;
			p->x[2 * j + 1] -= push * dy;
		}
	}
	return TLV_OK;
}

tlv_status
tlv_page_place(tlv_context *ctx, size_t n, size_t edges, const int32_t *ends, double *positions)
{
	/* Pairs of nodes that all iterations together visit; iterations at most. */
	const double pairs = 2e8;
	const int iterations = 400;
	placement p = {.n = n, .edges = edges, .ends = ends, .x = positions, .mean = 0};
	size_t steps = n < 2 ? 0 : (size_t) fmin(iterations, pairs / ((double) n * (double) n / 2));
	tlv_rng rng;

	TLV_TRY_NEW0(ctx, p.degree, n);
	TLV_TRY_NEW(ctx, p.force, 2 * n);
	tlv_rng_seed(&rng, 1);
	for (size_t i = 0; i < 2 * n; i++)
		p.x[i] = (p.x[i] + 0.05 * tlv_rng_normal(&rng)) * sqrt((double) n);
	for (size_t e = 0; e < 2 * edges; e++)
		p.degree[ends[e]]++;
	for (size_t i = 0; i < n; i++)
	{
		p.degree[i] = fmax(p.degree[i], 1);
		p.mean += p.degree[i] / (double) n;
	}
	for (size_t step = 0; step < steps; step++)
	{
		memset(p.force, 0, 2 * n * sizeof(double));
		TLV_TRY(add_repulsion(ctx, &p));
		add_attraction(&p);
		follow_forces(&p, 0.6 * (1 - (double) step / (double) steps) + 0.002);
	}
	fit_frame(&p);
	for (size_t pass = 0; pass < tlv_least(PAGE_PASSES, steps); pass++)
		TLV_TRY(separate_nodes(ctx, &p));
	fit_frame(&p);
	tlv_free(ctx, p.degree);
	tlv_free(ctx, p.force);
	return TLV_OK;
}
