/*
 * correlations.c - how topics come together: rows of second moments, and Dirichlet parameters.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "miscadmin.h"

#include "tensorlv/model/lda.h"
#include "tensorlv/num/linalg.h"

/* What the argument, of kind topic_products, says; it stays until the work ends. */
static tlv_lda_correlations
correlations_of(FunctionCallInfo fcinfo, TlvWork *work, const char *function)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_lda_correlations correlations;

	TlvRequireKind(&frame, &tlv_kind_topic_products, function);
	TlvCheck(&work->ctx, tlv_lda_correlate(&work->ctx, &frame, &correlations));
	return correlations;
}

/* Rows (topic_a, topic_b, second_moment, covariance, correlation, standard_error), a <= b. */
static void
put_correlations(FunctionCallInfo fcinfo, const tlv_lda_correlations *c)
{
	TlvInitRows(fcinfo);
	for (size_t a = 0; a < c->k; a++)
		for (size_t b = a; b < c->k; b++)
		{
			size_t at = tlv_packed2_index(b, a);

			CHECK_FOR_INTERRUPTS();
			if (c->present[a] == 0 || c->present[b] == 0)
				continue;
			TlvPutRow(fcinfo, TlvInt4((int32) a + 1), TlvInt4((int32) b + 1),
					  TlvFloat8(c->second[at]),
					  TlvFloat8(c->second[at] - c->means[a] * c->means[b]),
					  TlvKnown(c->correlation[at]), TlvKnown(c->error[at]));
		}
}

/* tlv_topic_correlations(moments) */
TLV_FUNCTION(tlv_topic_correlations_rows)
{
	TlvWork *work = TlvWorkBegin("tensorlv correlations");
	tlv_lda_correlations c = correlations_of(fcinfo, work, "tlv_topic_correlations");

	put_correlations(fcinfo, &c);
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* tlv_topic_correlations(model) */
TLV_FUNCTION(tlv_topic_correlations_model)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_lda, "tlv_topic_correlations");
	TlvWork *work = TlvWorkBegin("tensorlv correlations");
	tlv_lda_correlations c;

	TlvCheck(&work->ctx, tlv_lda_logistic_correlate(&work->ctx, &frame, &c));
	put_correlations(fcinfo, &c);
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* Rows (topic, label, alpha, weight); alpha is NULL where no Dirichlet distribution has these
 * moments, which know no labels. */
TLV_FUNCTION(tlv_topics_of_products)
{
	TlvWork *work = TlvWorkBegin("tensorlv correlations");
	tlv_lda_correlations c = correlations_of(fcinfo, work, "tlv_topics");

	TlvInitRows(fcinfo);
	for (size_t j = 0; j < c.k; j++)
		if (c.present[j] != 0)
			TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvNullIf(true, TlvText("")),
					  TlvKnown(c.alpha0 * Max(c.means[j], 0)), TlvFloat8(c.means[j]));
	TlvWorkEnd(work);
	return (Datum) 0;
}
