/*
 * special.h - special functions, exact to the last digits; fast_math.h has quicker ones for hot
 * loops.
 */
#ifndef TENSORLV_SPECIAL_H
#define TENSORLV_SPECIAL_H

/* They never raise: NaN outside the domain. */
extern double tlv_digamma(double x);
extern double tlv_lgamma(double x);
extern double tlv_log_choose(double n, double k); /* the logarithm of n over k */
extern double tlv_normal_cdf(double x);
extern double tlv_normal_quantile(double p);
extern double tlv_chisq_survival(double x, double degrees);
/* P(F > x) of Fisher's F, so many degrees above and below the line, > 0. */
extern double tlv_f_survival(double x, double above, double below);
/* P(t > x) of Student's t; degrees > 0. */
extern double tlv_student_survival(double x, double degrees);

/*
 * The modified Bessel function I of an order of at least 0 at x >= 0: log(I_order(x) / x^order),
 * exact to 1e-9, and I_order+1(x) / I_order(x), between 0 and 1.
 */
extern double tlv_log_bessel(double order, double x);
extern double tlv_bessel_ratio(double order, double x);

/* The greatest common divisor of two numbers, b >= 0 and a > 0, that are known to within the
 * rounding: a where b is no more than that.  About as large as the rounding where there is none. */
extern double tlv_common_divisor(double a, double b, double rounding);

#define TLV_TWO_PI 6.28318530717958647692

#endif /* TENSORLV_SPECIAL_H */
