/*
 * drift.c - tests of new rows against a model (drift.h).
 */
#include "tensorlv/model/drift.h"

#include <math.h>

#include "tensorlv/num/special.h"
#include "tensorlv/num/tuning.h"

tlv_status
tlv_drift_ask_reference(tlv_context *ctx, const char *what)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "error statistics are tested against a reference");
	return tlv_fail_hint(ctx,
						 "Give tlv_error_statistics of %s that are as they should be: "
						 "tlv_drift(model, statistics, ARRAY[reference]).",
						 what);
}

tlv_status
tlv_drift_put(tlv_context *ctx, tlv_drift *drift, const char *test, size_t component,
			  double statistic, double p_value)
{
	if (!isfinite(statistic) || isnan(p_value))
		return TLV_OK;
	TLV_TRY(tlv_reserve(ctx, &drift->tests, drift->n + 1, &drift->room, sizeof(tlv_drift_test)));
	drift->tests[drift->n++] = (tlv_drift_test){test, component, statistic, p_value};
	return TLV_OK;
}

tlv_status
tlv_drift_add(tlv_context *ctx, tlv_drift *drift, const char *test, size_t component,
			  double statistic, double degrees)
{
	double value = statistic / drift->inflation;

	if (!(degrees >= 1) || !isfinite(value))
		return TLV_OK;
	return tlv_drift_put(ctx, drift, test, component, value,
						 tlv_chisq_survival(fmax(value, 0), degrees));
}

tlv_status
tlv_drift_counts(tlv_context *ctx, tlv_drift *drift, const char *test, size_t component, size_t n,
				 size_t stride, const double *counts, const double *shares)
{
	double total = 0, mass = 0, statistic = 0, degrees = -1, few = 0, few_expected = 0;

	for (size_t i = 0; i < n; i++)
	{
		total += counts[i * stride];
		mass += shares[i * stride];
	}
	for (size_t i = 0; i < n; i++)
	{
		double expected = total * shares[i * stride] / mass, apart = counts[i * stride] - expected;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(expected >= TLV_LEAST_EXPECTED))
		{
			few += counts[i * stride];
			few_expected += expected;
			continue;
		}
		statistic += apart * apart / expected;
		degrees++;
	}
	if (few_expected >= TLV_LEAST_EXPECTED)
	{
		statistic += (few - few_expected) * (few - few_expected) / few_expected;
		degrees++;
	}
	return tlv_drift_add(ctx, drift, test, component, statistic, degrees);
}
