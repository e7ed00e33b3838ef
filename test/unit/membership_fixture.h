/*
 * membership_fixture.h - rows drawn from random models of latent classes and mixed membership, and
 * how far parameters are from the truth.
 */
#ifndef TENSORLV_TEST_MEMBERSHIP_FIXTURE_H
#define TENSORLV_TEST_MEMBERSHIP_FIXTURE_H

#include "source_setup.h"
#include "tensorlv/model/membership.h"

typedef struct drawn
{
	tlv_frame truth;
	tlv_membership_parts parts;
	size_t n, p;
	int32_t *codes;		 /* n x p */
	double *memberships; /* n x k */
	tlv_row *rows;
} drawn;

/* As in the notes on mixed membership: shares of components above .2 are chance. */
static inline tlv_membership_simulation
survey(bool mixed, size_t variables, size_t k, uint64_t seed)
{
	return (tlv_membership_simulation){.mixed = mixed,
									   .variables = variables,
									   .categories = 4,
									   .k = k,
									   .alpha = 0.1,
									   .concentration = 0.5,
									   .seed = seed};
}

/* n rows of a random model, which become those of the plans to come. */
static inline drawn
draw_members(size_t n, tlv_membership_simulation options)
{
	drawn d = {.n = n, .p = options.variables};

	d.truth = MADE(tlv_membership_random, &options);
	tlv_membership_read(&d.truth, &d.parts);
	d.codes = room(n * d.p, sizeof(int32_t));
	d.memberships = room(n * options.k, sizeof(double));
	d.rows = room(n, sizeof(tlv_row));
	for (size_t i = 0; i < n; i++)
	{
		tlv_membership_draw(&d.parts, options.mixed, options.seed + 1000, i + 1, d.codes + i * d.p,
							d.memberships + i * options.k);
		d.rows[i] = *TLV_AS_CODES(d.p, d.codes + i * d.p);
	}
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{n, d.rows}}};
	passes.told.form = TLV_ROW_CODES;
	passes.told.width[0] = d.p;
	passes.changed = (fixture_rows){n / 2, d.rows + n / 2};
	return d;
}

/* Root of the mean squared error of all probabilities, components matched. */
static inline double
table_error(const tlv_frame *truth, const tlv_frame *model)
{
	tlv_membership_parts a, b;
	tlv_match match;
	double sum = 0;

	tlv_membership_read(truth, &a);
	tlv_membership_read(model, &b);
	assert_int_equal(a.categories, b.categories);
	assert_ok(tlv_model_match(&ctx, truth, model, &match));
	for (size_t v = 0; v < a.categories; v++)
		for (size_t h = 0; h < a.k; h++)
		{
			double x = a.probabilities[v * a.k + h] -
					   b.probabilities[v * b.k + (size_t) match.component[h]];

			sum += x * x;
		}
	return sqrt(sum / (double) (a.categories * a.k));
}

static inline tlv_frame
category_table(const drawn *d)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_category_moments_create(&ctx, 0, 1, &accumulator));
	for (size_t i = 0; i < d->n; i++)
		assert_ok(tlv_add(&ctx, accumulator, &d->rows[i]));
	return stored(accumulator);
}

#endif
