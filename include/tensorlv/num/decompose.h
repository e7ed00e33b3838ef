/*
 * decompose.h - the one solver core: decomposition of a (nearly) orthogonally
 * decomposable symmetric third-order tensor T ~ sum_i values[i] v_i (x) v_i (x) v_i.
 *
 * Every model that whitens a third moment ends here; and, for fourth-order
 * tensors, every model that whitens a fourth cumulant.
 */
#ifndef TENSORLV_DECOMPOSE_H
#define TENSORLV_DECOMPOSE_H

#include "tensorlv/num/context.h"

typedef enum tlv_method
{
	TLV_METHOD_JOINT, /* all components at once, with a polar factor in every step */
	TLV_METHOD_POWER, /* robust tensor power method with deflation */
	TLV_METHOD_ALS,	  /* orthogonalised alternating least squares */
	TLV_METHOD_SGD,	  /* projected noisy gradient on the cross-correlation objective */
	/* of third order, for comparison and for given tensors: */
	TLV_METHOD_FLATTENING,	   /* left singular vectors of the k x k^2 flattening */
	TLV_METHOD_JENNRICH,	   /* eigenvectors of the quotient of two random contractions; vectors
								* need not be orthogonal */
	TLV_METHOD_SIMULTANEOUS,   /* power steps of all vectors at once, with a QR step each */
	TLV_METHOD_ADAPTIVE,	   /* power with deflation of what is in the way alone, random starts */
	TLV_METHOD_ADAPTIVE_TRACE, /* the same from eigenvectors of T(I, I, t), t_i = trace of a slice
								*/
	TLV_METHOD_ADAPTIVE_SVD,   /* the same from singular vectors of random contractions */
	TLV_METHOD_SKETCH		   /* power with deflation on count sketches of the tensor */
} tlv_method;

typedef struct tlv_decompose_options
{
	tlv_method method;
	uint64_t seed;
	int starts;			   /* joint: random starts, the largest sum of squared values kept;
							* 0: until the best sum has been reached twice, at most
							* eight times (above k = 30 five, above 100 three) */
	int restarts;		   /* power: random restarts L per component; 0: max(10, min(2 k, 50)) */
	int steps;			   /* joint: steps of a start and of the best one's end (0: 200); power:
							* steps N per restart (0: 20); als: sweeps (0: 100); sgd:
							* gradient steps (0: 2000, fewer above k = 70) */
	double tolerance;	   /* largest change that counts as standing still: of a vector entry
							* (joint, power; 0: 1e-10), a value (als; 0: 1e-9), a vector
							* (sgd; 0: 1e-6) */
	const double *initial; /* joint: start from this k x k matrix (columns) only, which is within
							* 1e-6 of orthonormal */
} tlv_decompose_options;

typedef struct tlv_decomposition
{
	size_t k;
	double *values;	  /* k: T(v, v, v) >= 0, ascending (in LDA: descending weight) */
	double *vectors;  /* k x k, columns v_i, orthonormal for joint */
	double residual;  /* ||T - sum values v^(x)3||_F / ||T||_F */
	double objective; /* sum of squared values */
	int iterations;	  /* steps (joint), power steps, sweeps or gradient steps, of
					   * all starts together */
	int sweeps;		  /* Jacobi sweeps (fourth order, joint), else 0 */
	bool converged; /* the last change was below the tolerance, or (joint) climbing had become slow,
					 * and a step lifted the objective by less than 1e-6 of it (above k = 100
					 * 2e-5); not converging is no error */
} tlv_decomposition;

/*
 * Bytes of work space that tlv_decompose will allocate at most, for the check
 * beforehand: about 4 k^3 for the tensor.
 */
extern double tlv_decompose_memory(size_t k, const tlv_decompose_options *options);

/*
 * Decomposes the packed symmetric tensor (tensor3.h) of dimension k >= 1 into
 * k components.  out->values and out->vectors must point to k and k*k doubles.
 * The same options and tensor give the same result; scaling T scales the
 * values and nothing else.
 * Errors: TLV_BAD_DATA when an entry is not finite or T is zero,
 * TLV_BAD_PARAMETER, TLV_LIMIT when k > 1000, TLV_MEMORY_LIMIT, TLV_OUT_OF_MEMORY, TLV_CANCELLED.
 *
 * Which method: joint.  On noisy orthogonal tensors its vectors have two
 * thirds of the error of power and als, which let each component move alone,
 * and it lost no component where sgd did; a step at k = 100 takes 3 ms, at 200 36 ms, and 10 to
 * 100 are made.
 *
 * Sources: joint and
 * power: Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014, Algorithm 1; als:
 * Sharan, Valiant 2017; sgd: Ge, Huang, Jin, Yuan 2015; jennrich: Leurgans, Ross, Abel 1993;
 * adaptive: Ge 2013, algorithm 7.3; sketch: Wang, Tung, Smola, Anandkumar 2015.
 * docs/explanation/tensors.md says when each of the others pays.
 */
extern tlv_status tlv_decompose(tlv_context *ctx, size_t k, const double *packed,
								const tlv_decompose_options *options, tlv_decomposition *out);

/* ---- fourth order: T ~ sum_i values[i] v_i (x) v_i (x) v_i (x) v_i ---- */

/* Bytes of work space that either of the following allocates at most: up to 4 k^4. */
extern double tlv_decompose4_memory(size_t k, const tlv_decompose_options *options);

/*
 * Decomposes the packed symmetric tensor (tensor4.h) of dimension 1 <= k <= 100
 * into k components with values of either sign, by decreasing modulus; the
 * largest entry of a vector is positive.  Methods: joint (steps, tolerance and initial apply;
 * vectors orthonormal) and sgd (steps, tolerance and seed apply; unit vectors). Values of joint are
 * T(v, v, v, v), those of sgd the least-squares ones. Errors as tlv_decompose.
 *
 * Sources: joint: Cardoso, Souloumiac 1993; sgd: Ge, Huang, Jin, Yuan 2015.
 */
extern tlv_status tlv_decompose4(tlv_context *ctx, size_t k, const double *packed,
								 const tlv_decompose_options *options, tlv_decomposition *out);

/*
 * The same with unit vectors that need not be orthogonal, by alternating
 * least squares from options->initial (k x k, independent columns of any length);
 * steps are sweeps (0: 200), tolerance the largest change of an entry (0: 1e-8).
 */
extern tlv_status tlv_decompose4_cp(tlv_context *ctx, size_t k, const double *packed,
									const tlv_decompose_options *options, tlv_decomposition *out);

/*
 * k unit vectors of a symmetric tensor that need not be orthogonal, k above the dimension n among
 * them: cp (cp.h) of the tensor, whose three vectors of a component are one but for their signs.
 * values (k) by decreasing modulus, positive by the vectors' signs, vectors n x k.  Unique in
 * general as long as 2 k + 2 <= 3 n.  Errors: those of tlv_cp.
 */
extern tlv_status tlv_decompose_cp(tlv_context *ctx, size_t n, const double *packed, size_t k,
								   const tlv_decompose_options *options, double *values,
								   double *vectors, double *residual);

/* 'joint', 'power', 'als', 'sgd', 'flattening', ... */
extern const char *tlv_method_name(tlv_method method);

#endif /* TENSORLV_DECOMPOSE_H */
