/*
 * squarem.h - steps of a fixed-point iteration, such as EM, extrapolated from three points that
 * follow each other (SQUAREM, scheme S3: Varadhan, Roland 2008).
 *
 * All numbers are gone through twice: first they are measured, then tlv_squarem_begin_step tells
 * how far to go, and they are moved there.
 */
#ifndef TENSORLV_SQUAREM_H
#define TENSORLV_SQUAREM_H

/* The longest step at first; whoever reaches it may allow so many times as much. */
#define TLV_SQUAREM_LONGEST 4.0

/* {0} measures. */
typedef struct tlv_squarem
{
	double step;			  /* how far from the first point, in steps; 0: not known yet */
	double change, curvature; /* squared lengths of the change and of the change's change */
} tlv_squarem;

/* One number at the three points, and what it weighs in the lengths: where it goes, or c while it
 * is measured. */
extern double tlv_squarem_number(tlv_squarem *s, double weight, double a, double b, double c);

/*
 * One number above 0, by its logarithm, which ends at most 3 from that of c: variances, and
 * probabilities that are made to sum to 1 afterwards.  Where it is 0 at any point it stays c.
 */
extern double tlv_squarem_positive(tlv_squarem *s, double weight, double a, double b, double c);

/* After the last number is measured: sets and returns the step, from 1 (no farther than the third
 * point) to longest. */
extern double tlv_squarem_begin_step(tlv_squarem *s, double longest);

#endif /* TENSORLV_SQUAREM_H */
