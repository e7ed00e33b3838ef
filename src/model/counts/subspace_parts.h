/*
 * subspace_parts.h - what a subspace over items is made of, and how its value is written.
 */
#ifndef TENSORLV_COUNT_SUBSPACE_PARTS_H
#define TENSORLV_COUNT_SUBSPACE_PARTS_H

#include "tensorlv/model/counts.h"

/* The parts of a subspace value that is being built. */
typedef struct tlv_subspace_parts
{
	size_t d;
	size_t rank;
	size_t block;
	double steps;
	double distinct;
	double seed;
	double minimum_documents;
	double documents;
	double tokens;
	double trace;
	const int64_t *items;
	const double *scale;
	const double *shares;
	const double *ritz_before;
	const double *ritz;
	const double *basis;
} tlv_subspace_parts;

extern tlv_status tlv_subspace_write(tlv_context *ctx, const tlv_subspace_parts *parts,
									 void **image, size_t *size);

#endif /* TENSORLV_COUNT_SUBSPACE_PARTS_H */
