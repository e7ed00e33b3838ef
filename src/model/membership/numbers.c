/*
 * numbers.c - numbers beside the categories, with a distribution in every component (internal.h),
 * whose form is the likeliest.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/step_prior.h"

tlv_status
membership_numbers_create(tlv_context *ctx, size_t q, size_t k, membership_numbers *numbers)
{
	*numbers = (membership_numbers){.q = q, .k = k};
	TLV_TRY_NEW0(ctx, numbers->scale, q);
	TLV_TRY_NEW0_ROWS(ctx, numbers->mean, q, k);
	TLV_TRY_NEW0_ROWS(ctx, numbers->variance, q, k);
	TLV_TRY_NEW0(ctx, numbers->form, q);
	TLV_TRY_NEW0_ROWS(ctx, numbers->trial, 2, k);
	return TLV_OK;
}

tlv_status
membership_numbers_copy(tlv_context *ctx, const membership_numbers *from, membership_numbers *to)
{
	size_t q = from->q, k = from->k;

	*to = *from;
	if (q == 0)
		return TLV_OK;
	TLV_TRY(membership_numbers_create(ctx, q, k, to));
	to->choosing = from->choosing;
	memcpy(to->scale, from->scale, q * sizeof(number_scale));
	memcpy(to->mean, from->mean, q * k * sizeof(double));
	memcpy(to->variance, from->variance, q * k * sizeof(double));
	memcpy(to->form, from->form, q * sizeof(int64_t));
	return TLV_OK;
}

/* The mean and deviation of a mixture of those with these weights, which sum to 1 / `part`. */
static double
mixed_deviation(size_t k, const double *weights, double part, const double *mean,
				const double *variance, double *centre)
{
	double all = 0;

	*centre = 0;
	for (size_t h = 0; h < k; h++)
		*centre += weights[h] * part * mean[h];
	for (size_t h = 0; h < k; h++)
	{
		double beyond = mean[h] - *centre;

		all += weights[h] * part * (variance[h] + beyond * beyond);
	}
	return sqrt(all);
}

/* Where a model expects a number, and its logarithm where the form has one. */
static void
expect_scale(const tlv_membership_parts *parts, size_t s, double part, membership_numbers *numbers)
{
	size_t k = parts->k;
	const double *mean = numbers->mean + s * k, *variance = numbers->variance + s * k;
	double *log_mean = numbers->trial, *log_variance = numbers->trial + k;
	number_scale *scale = &numbers->scale[s];

	scale->deviation = mixed_deviation(k, parts->weights, part, mean, variance, &scale->centre);
	if (numbers->form[s] <= TLV_NUMBER_POISSON)
		return;
	for (size_t h = 0; h < k; h++)
	{
		log_variance[h] = log1p(variance[h] / mean[h] / mean[h]);
		log_mean[h] = log(mean[h]) - log_variance[h] / 2;
	}
	scale->log_deviation =
		mixed_deviation(k, parts->weights, part, log_mean, log_variance, &scale->log_centre);
}

tlv_status
membership_numbers_of(tlv_context *ctx, const tlv_membership_parts *parts,
					  membership_numbers *numbers)
{
	size_t k = parts->k, q = tlv_membership_numbers(parts);
	double all = 0;

	*numbers = (membership_numbers){.k = k};
	if (q == 0)
		return TLV_OK;
	TLV_TRY(membership_numbers_create(ctx, q, k, numbers));
	memcpy(numbers->mean, parts->scalar_means, q * k * sizeof(double));
	memcpy(numbers->variance, parts->scalar_variances, q * k * sizeof(double));
	memcpy(numbers->form, parts->scalar_counts, q * sizeof(int64_t));
	for (size_t h = 0; h < k; h++)
		all += parts->weights[h];
	for (size_t s = 0; s < q; s++)
		expect_scale(parts, s, 1 / all, numbers);
	return TLV_OK;
}

/* ---- sums ---- */

static void
add_logarithm(size_t k, double beyond, const double *share, double *sums)
{
	for (size_t h = 0; h < k; h++)
	{
		sums[h] += share[h] * beyond;
		sums[k + h] += share[h] * beyond * beyond;
	}
}

void
membership_number_add(const membership_numbers *numbers, size_t s, double x, const double *share,
					  double *sums)
{
	const number_scale *scale = &numbers->scale[s];
	int64_t form = numbers->choosing ? TLV_NUMBER_NORMAL : numbers->form[s];
	size_t k = numbers->k;
	double t[2];

	(void) membership_number_form(form)->statistics(scale, x, t);
	for (size_t h = 0; h < k; h++)
	{
		sums[h] += share[h];
		sums[k + h] += share[h] * fmax(t[0], 0);
		sums[2 * k + h] += share[h] * fmax(-t[0], 0);
		sums[3 * k + h] += share[h] * t[1];
	}
	if (numbers->choosing && scale->log_deviation > 0)
		add_logarithm(k, log(x) - scale->log_centre, share, sums + MEMBERSHIP_NUMBER_SUMS * k);
}

/* ---- the step ---- */

/* The sums of a form's statistics in component h, from those of a normal number and its logarithm;
 * and of base(x). */
static double
take_sums(const membership_numbers *numbers, size_t s, size_t h, int64_t form, const double *sums,
		  double *t)
{
	size_t k = numbers->k;
	const number_scale *scale = &numbers->scale[s];
	double beyond = sums[k + h] - sums[2 * k + h];

	if (!numbers->choosing || form <= TLV_NUMBER_POISSON)
	{
		t[0] = beyond;
		t[1] = sums[3 * k + h];
		return 0;
	}
	t[0] = sums[4 * k + h];
	t[1] = form == TLV_NUMBER_GAMMA ? beyond + sums[h] * scale->centre : sums[5 * k + h];
	return -t[0] - sums[h] * scale->log_centre;
}

/* The parameters under a form; returns the logarithm of the likelihood, less the form's penalty
 * and, of counts, without the factorials. */
static double
try_form(const number_step *step, size_t s, int64_t number, const double *sums,
		 membership_numbers *numbers)
{
	const number_form *form = membership_number_form(number);
	double *mean = numbers->trial, *variance = numbers->trial + numbers->k;
	double rows = 0, likelihood = 0;

	for (size_t h = 0; h < numbers->k; h++)
	{
		double n = sums[h], t[2], c[3];

		likelihood += take_sums(numbers, s, h, number, sums, t);
		mean[h] = numbers->mean[s * numbers->k + h];
		variance[h] = numbers->variance[s * numbers->k + h];
		form->maximize(step, &numbers->scale[s], n, t, &mean[h], &variance[h]);
		form->coefficients(&numbers->scale[s], mean[h], variance[h], c);
		likelihood += n * c[0] + c[1] * t[0] + c[2] * t[1];
		rows += n;
	}
	return likelihood - form->penalty * log(fmax(rows, 1));
}

static void
keep_form(size_t s, int64_t form, membership_numbers *numbers)
{
	size_t k = numbers->k;

	numbers->form[s] = form;
	memcpy(numbers->mean + s * k, numbers->trial, k * sizeof(double));
	memcpy(numbers->variance + s * k, numbers->trial + k, k * sizeof(double));
}

/* The parameters of every form are found from the same ones before. */
static void
choose_form(const number_step *step, size_t s, double factorials, const double *sums,
			membership_numbers *numbers)
{
	double most = -HUGE_VAL;
	int64_t best = TLV_NUMBER_NORMAL;

	for (int64_t form = 0; form < TLV_NUMBER_FORMS; form++)
	{
		bool fits =
			form == TLV_NUMBER_NORMAL ||
			(form == TLV_NUMBER_POISSON ? step->whole : numbers->scale[s].log_deviation > 0);
		double likelihood;

		if (!fits)
			continue;
		likelihood =
			try_form(step, s, form, sums, numbers) - (form == TLV_NUMBER_POISSON ? factorials : 0);
		if (likelihood > most)
		{
			most = likelihood;
			best = form;
		}
	}
	(void) try_form(step, s, best, sums, numbers);
	keep_form(s, best, numbers);
}

void
membership_numbers_maximize(double weight, const double *sums, const bool *whole,
							const double *factorials, membership_numbers *numbers)
{
	number_step step = {.count = tlv_step_prior(weight, MEMBERSHIP_COUNT),
						.narrow = tlv_step_prior(weight, 1),
						.kept = tlv_step_kept(weight, 0, 1)};

	for (size_t s = 0; s < numbers->q; s++, sums += membership_number_sums(numbers) * numbers->k)
	{
		if (numbers->choosing)
		{
			step.whole = whole[s];
			choose_form(&step, s, factorials[s], sums, numbers);
			continue;
		}
		step.whole = numbers->form[s] == TLV_NUMBER_POISSON;
		(void) try_form(&step, s, numbers->form[s], sums, numbers);
		keep_form(s, numbers->form[s], numbers);
	}
}
