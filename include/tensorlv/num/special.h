/*
 * special.h - special functions, exact to the last digits; fast_math.h has quicker ones for hot
 * loops.
 */
#ifndef TENSORLV_SPECIAL_H
#define TENSORLV_SPECIAL_H

/* They never raise: NaN outside the domain. */
extern double tlv_digamma(double x);
extern double tlv_lgamma(double x);
extern double tlv_normal_cdf(double x);
extern double tlv_chisq_survival(double x, double degrees);
/* P(t > x) of Student's t; degrees > 0. */
extern double tlv_student_survival(double x, double degrees);

#endif /* TENSORLV_SPECIAL_H */
