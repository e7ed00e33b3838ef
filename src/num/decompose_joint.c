/*
 * decompose_joint.c - joint diagonalisation of contractions, then polar
 * refinement.
 *
 * Round 1 contracts T with a few random vectors and finds the rotation that
 * makes those matrices jointly as diagonal as possible (Jacobi; Cardoso,
 * Souloumiac 1996; Kuleshov, Chaganty, Liang 2015).  Further rounds contract
 * with the vectors found.  Then V <- polar(G), g_i = T(v_i, v_i, v_i) T(I, v_i, v_i),
 * climbs to the maximum of sum_i T(v_i, v_i, v_i)^2 on the orthogonal group:
 * the least-squares optimum, at which the start no longer shows.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"
#include "tensorlv/num/tensor3.h"

#define MAX_SWEEPS	   60
#define MAX_REFINEMENT 200
/* The refinement follows: coarse angles are good enough to start it from. */
#define SWEEP_TOLERANCE 1e-3
/* Starts are compared after refinement to this change; their sums of squares then agree to its
 * square. */
#define COMPARE_TOLERANCE 1e-4
#define SAME_OBJECTIVE	  1e-6
#define HARD_RESIDUAL	  0.3
#define HARD_STARTS		  5

/* Eight numbers of eight matrices: wide registers where there are, several narrow ones elsewhere.
 */
typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));
#define LANES TLV_JACOBI_LANES

typedef struct joint
{
	tlv_solver *solver;
	size_t room;		/* matrices that fit into `matrices`, a multiple of LANES */
	double *matrices;	/* room x pairs: the numbers of one place (i, j <= i) are contiguous */
	double *directions; /* k x room: what T is contracted with */
	double *rotation;	/* k x k, columns: the rotation of one round */
	double *packed;		/* T(V, V, V), for rounds after the first */
	double *gradient;	/* k x k transposed */
	double *product;	/* k x k */
	double *other;		/* k x k */
	double *best;		/* k x k transposed */
	double *values;		/* k */
} joint;

static size_t
round_up(size_t n)
{
	return (n + LANES - 1) / LANES * LANES;
}

/* At least max(10, 10 + 2 ln k) contractions, in whole vector registers. */
static size_t
contractions(size_t k)
{
	return round_up((size_t) fmax(10, 10 + 2 * log((double) k)));
}

/*
 * One round is the default: the refinement reaches the same optimum from it,
 * and where it does not (noise as large as the values) further rounds lead all
 * starts to the same place, while independent starts of one round find better
 * ones: k = 20, eps 1.2, mean objective .99932 of the oracle's with two
 * rounds, 1.00002 with one and five starts.
 */
static int
rounds_of(const tlv_decompose_options *options)
{
	return options->rounds > 0 ? options->rounds : 1;
}

static size_t
room_of(size_t k, const tlv_decompose_options *options)
{
	size_t random = contractions(k), all = round_up(k);

	if (options->initial != NULL)
		return 0;
	return rounds_of(options) > 1 && all > random ? all : random;
}

static size_t
joint_doubles(size_t k, const tlv_decompose_options *options)
{
	size_t room = room_of(k, options);
	size_t later = room > 0 && rounds_of(options) > 1 ? tlv_packed3_size(k) : 0;

	return room * tlv_packed2_size(k) + k * room + later + 5 * k * k + k;
}

double
tlv_joint_memory(size_t k, const tlv_decompose_options *options)
{
	/* A polar factor by singular values and its work space, or the work of a compression. */
	return (double) joint_doubles(k, options) + 10 * (double) (k * k) + 530000 +
		   (room_of(k, options) > 0 && rounds_of(options) > 1
				? 2.0 * (double) tlv_packed2_size(k) * (double) k
				: 0);
}

/* ---- Jacobi ---- */

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
	memset(rotation, 0, k * k * sizeof(double));
	for (size_t i = 0; i < k; i++)
		rotation[i + i * k] = 1;
	for (int sweep = 0; sweep < MAX_SWEEPS; sweep++)
	{
		double largest = 0;

		for (size_t p = 0; p + 1 < k; p++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t q = p + 1; q < k; q++)
				largest = fmax(largest, rotate_pair(k, count / LANES, matrices, rotation, p, q,
													SWEEP_TOLERANCE));
		}
		++*sweeps;
		if (largest == 0)
			break;
	}
	return TLV_OK;
}

static tlv_status
jacobi_joint(joint *w, size_t count)
{
	tlv_solver *s = w->solver;

	return tlv_jacobi_joint(s->ctx, s->k, count, w->matrices, w->rotation, &s->out->sweeps);
}

/* vectors = transpose of the rotation. */
static void
take_rotation(size_t k, const double *rotation, double *vectors)
{
	for (size_t i = 0; i < k; i++)
		for (size_t l = 0; l < k; l++)
			vectors[l + i * k] = rotation[i + l * k];
}

static tlv_status
random_round(joint *w)
{
	tlv_solver *s = w->solver;
	size_t count = contractions(s->k);

	tlv_rng_fill_normal(&s->rng, s->k * count, w->directions);
	TLV_TRY(tlv_gemm(s->ctx, true, false, count, s->pairs, s->k, 1, w->directions, s->k, s->half,
					 s->k, 0, w->matrices, count));
	TLV_TRY(jacobi_joint(w, count));
	take_rotation(s->k, w->rotation, s->vectors);
	return TLV_OK;
}

/*
 * Contraction with the vectors found: in their own basis these matrices are
 * the slices of T(V, V, V).
 */
static tlv_status
plug_in_round(joint *w)
{
	tlv_solver *s = w->solver;
	size_t k = s->k, count = round_up(k);

	/* vectors is V': its transpose is wanted. */
	take_rotation(k, s->vectors, w->other);
	TLV_TRY(tlv_packed3_compress(s->ctx, k, k, s->packed, w->other, w->packed));
	for (size_t pair = 0; pair < s->pairs; pair++)
		for (size_t l = k; l < count; l++)
			w->matrices[l + pair * count] = 0;
	tlv_fill_half(k, w->packed, 1 / s->scale, count, w->matrices);
	TLV_TRY(jacobi_joint(w, count));
	memcpy(w->product, s->vectors, k * k * sizeof(double));
	return tlv_gemm(s->ctx, true, false, k, k, k, 1, w->rotation, k, w->product, k, 0, s->vectors,
					k);
}

/* ---- refinement ---- */

/*
 * y <- nearest orthonormal rows, for y already near (singular values below
 * sqrt 3), by Newton-Schulz steps: y <- (3 y - y y' y) / 2, quadratic, and
 * nothing but products.  gram and copy are work space.
 */
static tlv_status
newton_schulz(tlv_context *ctx, size_t k, double *y, double *gram, double *copy)
{
	for (int step = 0; step < 12; step++)
	{
		double distance = 0;

		TLV_TRY(tlv_gemm(ctx, false, true, k, k, k, -0.5, y, k, y, k, 0, gram, k));
		for (size_t i = 0; i < k; i++)
			gram[i + i * k] += 0.5;
		for (size_t i = 0; i < k * k; i++)
			distance = fmax(distance, fabs(gram[i]));
		if (distance < 1e-15 * (double) (k + 10))
			break;
		memcpy(copy, y, k * k * sizeof(double));
		TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, gram, k, copy, k, 1, y, k));
	}
	return TLV_OK;
}

/*
 * The polar factor of G relative to V: H = G V' is nearly diagonal, and to
 * first order its polar factor is I + K with the antisymmetric K below.
 * *row_sum gets the largest row sum of |K|, which bounds its norm.
 */
static void
first_order_rotation(size_t k, const double *h, double *rotation, double *row_sum)
{
	*row_sum = 0;
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < k; i++)
		{
			double weight = fabs(h[i + i * k]) + fabs(h[j + j * k]);
			double entry = weight > 0 ? (h[i + j * k] - h[j + i * k]) / weight : 0;

			rotation[i + j * k] = i == j ? 1 : entry;
			sum += fabs(entry);
		}
		*row_sum = fmax(*row_sum, sum);
	}
}

/* One step; *change is the largest change of an entry of V, *objective that before the step. */
static tlv_status
refine_once(joint *w, double *v, double *change, double *objective)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;
	double row_sum;

	TLV_TRY(tlv_solver_apply(s, k, v, v, w->gradient));
	tlv_rows_dot(k, k, w->gradient, v, w->values);
	*objective = 0;
	for (size_t l = 0; l < k; l++)
		*objective += w->values[l] * w->values[l];
	tlv_rows_scale(k, k, w->gradient, w->values);
	TLV_TRY(tlv_gemm(s->ctx, false, true, k, k, k, 1, w->gradient, k, v, k, 0, w->product, k));
	first_order_rotation(k, w->product, w->other, &row_sum);
	if (row_sum < 1)
	{
		TLV_TRY(tlv_gemm(s->ctx, false, false, k, k, k, 1, w->other, k, v, k, 0, w->gradient, k));
		TLV_TRY(newton_schulz(s->ctx, k, w->gradient, w->product, w->other));
	}
	else
		TLV_TRY(tlv_polar(s->ctx, k, w->gradient));
	*change = 0;
	for (size_t i = 0; i < k * k; i++)
		*change = fmax(*change, fabs(w->gradient[i] - v[i]));
	memcpy(v, w->gradient, k * k * sizeof(double));
	return TLV_OK;
}

static tlv_status
refine_joint(joint *w, double *v, double tolerance, double *objective)
{
	tlv_decomposition *out = w->solver->out;
	int most = w->solver->options->steps > 0 ? w->solver->options->steps : MAX_REFINEMENT;

	out->converged = false;
	for (int step = 0; step < most && !out->converged; step++)
	{
		double change;

		TLV_TRY(refine_once(w, v, &change, objective));
		out->iterations++;
		out->converged = change <= tolerance;
	}
	return TLV_OK;
}

/* ---- starts ---- */

static tlv_status
one_start(joint *w, double *objective)
{
	tlv_solver *s = w->solver;

	TLV_TRY(random_round(w));
	for (int round = 1; round < rounds_of(s->options); round++)
		TLV_TRY(plug_in_round(w));
	return refine_joint(w, s->vectors, COMPARE_TOLERANCE, objective);
}

/*
 * The best of the starts into solver->vectors.  When the number is left to
 * us, more than one is made only in the hard regime, and no more than it takes
 * to reach the best objective twice.
 */
static tlv_status
best_start(joint *w)
{
	tlv_solver *s = w->solver;
	int starts = s->options->starts > 0 ? s->options->starts : 1;
	double best = -1;

	for (int start = 0; start < starts; start++)
	{
		double objective;
		bool again;

		tlv_report(s->ctx, "decompose", start, starts);
		TLV_TRY(one_start(w, &objective));
		again = start > 0 && fabs(objective - best) <= SAME_OBJECTIVE * best;
		if (objective > best)
		{
			best = objective;
			memcpy(w->best, s->vectors, s->k * s->k * sizeof(double));
		}
		if (s->options->starts > 0)
			continue;
		if (start == 0 && best < (1 - HARD_RESIDUAL * HARD_RESIDUAL) * s->norm2)
			starts = HARD_STARTS;
		if (again)
			break;
	}
	memcpy(s->vectors, w->best, s->k * s->k * sizeof(double));
	return TLV_OK;
}

static tlv_status
given_start(joint *w)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;

	take_rotation(k, s->options->initial, s->vectors);
	TLV_TRY(
		tlv_gemm(s->ctx, false, true, k, k, k, 1, s->vectors, k, s->vectors, k, 0, w->product, k));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			if (!(fabs(w->product[i + j * k] - (i == j)) < 1e-6))
				return tlv_fail(s->ctx, TLV_BAD_PARAMETER, "the initial matrix is not orthonormal");
	return TLV_OK;
}

static tlv_status
run_joint(joint *w)
{
	tlv_solver *s = w->solver;
	double objective;

	s->orthonormal = true;
	if (s->options->initial != NULL)
		TLV_TRY(given_start(w));
	else
		TLV_TRY(best_start(w));
	return refine_joint(w, s->vectors, s->options->tolerance > 0 ? s->options->tolerance : 1e-10,
						&objective);
}

tlv_status
tlv_decompose_joint(tlv_solver *solver)
{
	size_t k = solver->k;
	joint w = {.solver = solver, .room = room_of(k, solver->options)};
	double *next = tlv_alloc(solver->ctx, joint_doubles(k, solver->options), sizeof(double));
	tlv_status status;

	TLV_TRY_ALLOC(solver->ctx, next);
	w.matrices = next;
	w.directions = w.matrices + w.room * solver->pairs;
	w.rotation = w.directions + k * w.room;
	w.gradient = w.rotation + k * k;
	w.product = w.gradient + k * k;
	w.other = w.product + k * k;
	w.best = w.other + k * k;
	w.values = w.best + k * k;
	w.packed = w.values + k;
	status = run_joint(&w);
	tlv_free(solver->ctx, next);
	return status;
}
