/*
 * jacobi.c - symmetric matrices made jointly as diagonal as possible by rotations of pairs of
 * coordinates (Cardoso, Souloumiac 1996).
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"
#include "tensorlv/num/numbers.h"

/* Eight numbers of eight matrices: wide registers where there are, several narrow ones elsewhere.
 */
typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));
#define LANES TLV_REGISTER_DOUBLES

/* a, b <- c a + s b, c b - s a, for n groups of lanes */
#define ROTATE(a, b, n)                                                                            \
	for (size_t rotate_i = 0; rotate_i < (n); rotate_i++)                                          \
	{                                                                                              \
		lanes rotate_a = (a)[rotate_i], rotate_b = (b)[rotate_i];                                  \
		(a)[rotate_i] = c * rotate_a + s * rotate_b;                                               \
		(b)[rotate_i] = c * rotate_b - s * rotate_a;                                               \
	}

/*
 * Cosine and sine of the angle that maximises the sum of the squared diagonals
 * of the 2 x 2 matrices (pp, pq, qq); false when they cannot be improved.
 */
static inline __attribute__((always_inline)) bool
best_angle(size_t groups, const lanes *pp, const lanes *pq, const lanes *qq, double *c, double *s)
{
	lanes sum00 = {0}, sum11 = {0}, sum01 = {0};
	double on = 0, off = 0, radius;
	bool equal; /* diagonals, in all matrices: half a right angle, of either sign */

	for (size_t l = 0; l < groups; l++)
	{
		lanes h0 = pp[l] - qq[l], h1 = 2 * pq[l];

		sum00 += h0 * h0;
		sum11 += h1 * h1;
		sum01 += h0 * h1;
	}
	for (int l = 0; l < LANES; l++)
	{
		on += sum00[l] - sum11[l];
		off += 2 * sum01[l];
	}
	equal = on < 0 && off == 0;
	/* tan 2 angle = off / (on + |(on, off)|), the branch of the maximum. */
	on += sqrt(on * on + off * off);
	radius = sqrt(on * on + off * off);
	if (!equal && !(radius > 0))
		return false;
	*c = equal ? sqrt(0.5) : sqrt(0.5 + 0.5 * (on / radius));
	*s = equal ? sqrt(0.5) : 0.5 * (off / radius) / *c;
	return true;
}

/*
 * Rotates directions p < q of all matrices, and columns p, q of v, by that
 * angle.  groups is the number of lanes per place.  Returns |sin| of the
 * angle, 0 when it is below tolerance and nothing was done.
 */
TLV_CLONES static double
rotate_pair(size_t k, size_t groups, double *matrices, double *v, size_t p, size_t q,
			double tolerance)
{
	lanes *m = (lanes *) matrices;
	lanes *row_p = m + groups * (p * (p + 1) / 2), *row_q = m + groups * (q * (q + 1) / 2);
	lanes *pp = row_p + groups * p, *pq = row_q + groups * p, *qq = row_q + groups * q;
	double c, s;

	if (!best_angle(groups, pp, pq, qq, &c, &s) || fabs(s) <= tolerance)
		return 0;
	ROTATE(row_p, row_q, groups * p);
	for (size_t l = 0; l < groups; l++)
	{
		lanes a = pp[l], b = pq[l], d = qq[l], cross = 2 * c * s * b;

		pp[l] = c * c * a + cross + s * s * d;
		qq[l] = s * s * a - cross + c * c * d;
		pq[l] = (c * c - s * s) * b + c * s * (d - a);
	}
	for (size_t i = p + 1; i < q; i++)
	{
		lanes *ip = m + groups * (i * (i + 1) / 2 + p), *iq = row_q + groups * i;

		ROTATE(ip, iq, groups);
	}
	for (size_t i = q + 1; i < k; i++)
	{
		lanes *row = m + groups * (i * (i + 1) / 2), *ip = row + groups * p, *iq = row + groups * q;

		ROTATE(ip, iq, groups);
	}
	for (size_t i = 0; i < k; i++)
	{
		double a = v[i + p * k], b = v[i + q * k];

		v[i + p * k] = c * a + s * b;
		v[i + q * k] = c * b - s * a;
	}
	return fabs(s);
}

tlv_status
tlv_jacobi_joint(tlv_context *ctx, size_t k, size_t count, double *matrices, double *rotation,
				 int *sweeps)
{
	/* The refinement follows: coarse angles are good enough to start it from. */
	const double sweep_tolerance = 1e-3;
	const int max_sweeps = 60;
	memset(rotation, 0, k * k * sizeof(double));
	for (size_t i = 0; i < k; i++)
		rotation[i + i * k] = 1;
	for (int sweep = 0; sweep < max_sweeps; sweep++)
	{
		double largest = 0;

		for (size_t p = 0; p + 1 < k; p++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t q = p + 1; q < k; q++)
				largest = fmax(largest, rotate_pair(k, count / LANES, matrices, rotation, p, q,
													sweep_tolerance));
		}
		++*sweeps;
		if (largest == 0)
			break;
	}
	return TLV_OK;
}
