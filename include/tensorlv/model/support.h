/*
 * support.h - which components of a model are real: those that come again where a quarter of the
 * rows is left out.
 *
 * The model is learnt anew from a sample of the rows but a quarter of it, four times, from starts
 * of its own.  Components of both are matched by what they have in common: over the rows of the
 * sample o_ij is the sum of the smaller of the two posteriors, and 1 - 2 o_ij / (n_i + n_j) the
 * distance, 0 of the same, 1 of such that no row shares.  The mean of a component's four distances
 * is its recurrence: of one that is real it is small.
 */
#ifndef TENSORLV_SUPPORT_H
#define TENSORLV_SUPPORT_H

#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"

/* Above this a component does not come again. */
#define TLV_SUPPORT_LIMIT 0.3

/* What a family gives; fit is the options of its procedure. */
struct tlv_support_class
{
	const char *component; /* what it is called: "component" */
	const char *code;	   /* of the warning: "spurious_component" */
	const tlv_aggregate *sample;
	/* The count of the sample. */
	size_t (*count)(const void *fit, const tlv_frame *model);
	/* The rows of a sample, and whether it is all of them. */
	tlv_status (*rows)(tlv_context *ctx, const tlv_frame *model, const tlv_frame *sample, size_t *n,
					   tlv_row **rows, bool *complete);
	/* A model of as many components and the same form, learnt from these rows alone. */
	tlv_status (*learn)(tlv_context *ctx, const void *fit, const tlv_frame *model, size_t n,
						const tlv_row *rows, uint64_t seed, void **image, size_t *size);
};

/* Parts of the rows from which a model is learnt again. */
#define TLV_SUPPORT_PARTS 4

/* The numbers "recurrence_1" and so on (NaN: not known), and the warnings; what they were learnt
 * from: "rows". */
extern tlv_status tlv_support_diagnose(tlv_context *ctx, const char *component, const char *code,
									   const char *from, size_t k, const double *apart,
									   tlv_diagnostics *to);

/* Limits of a sample of vectors that is fitted again: rows, and coordinates in all. */
#define TLV_SUPPORT_ROWS	20000
#define TLV_SUPPORT_NUMBERS ((size_t) 1 << 21)

#endif /* TENSORLV_SUPPORT_H */
