/*
 * nonnegative_internal.h - what nonnegative.c and nonnegative_steps.c share.
 */
#ifndef TENSORLV_NONNEGATIVE_INTERNAL_H
#define TENSORLV_NONNEGATIVE_INTERNAL_H

#include "tensorlv/num/nonnegative.h"

/* Entries of a factor are at least this, for a tensor of entries up to 1. */
#define LEAST_ENTRY 1e-12

typedef struct nonnegative_work
{
	const size_t *d;
	size_t k, most; /* of d */
	const tlv_nonnegative_options *options;
	tlv_tensor tensor; /* entries up to 1 */
	double *factor[3]; /* d x k, one behind the other */
	size_t all;		   /* numbers of all three */
	double *last;	   /* all: after the sweep before; NULL: no steps ahead */
	double *saved;	   /* all: before the step ahead */
	double *best;	   /* all: of the best start */
	/* its core, where it is worked on in place of the tensor */
	bool on_core;
	size_t r[3];
	double *basis[3]; /* r x d, orthonormal rows */
	tlv_tensor core;
	double *inside[3];	/* r x k: the factors in these bases */
	double *inside_z;	/* the largest r, x k */
	double tensor_norm; /* squared, of the tensor itself */
	double *rows;		/* tlv_tensor_work: d[0] d[1] x k */
	double *z;			/* most x k */
	double *below;		/* most x k: of pqp, lengths of the rows of z */
	double *gram[3];	/* k x k */
	double *q;			/* k x k */
	double *copy;		/* k x k */
	double *values;		/* k */
	double norm;		/* squared, of the tensor */
	int sweeps;			/* of all starts */
} nonnegative_work;

/* The method's step of one mode's factor: z and q are of the other two as they are. */
extern tlv_status tlv_nonnegative_step(tlv_context *ctx, nonnegative_work *work, int mode);

#endif /* TENSORLV_NONNEGATIVE_INTERNAL_H */
