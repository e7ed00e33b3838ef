/*
 * support.h - which components of a model are real: those that recur in fits to three quarters of
 * the rows.
 *
 * The model is learnt four times more from a sample of the rows, each time without another quarter
 * of it and from initial estimates of its own.  Components of two models are matched by their
 * posteriors: o_ij is the sum over the rows of the sample of the smaller of the two, and 1 - 2
 * o_ij / (n_i + n_j) is the distance, 0 where all rows belong to both alike and 1 where none does.
 * The mean of a component's four distances is its recurrence, which is small for components that
 * are real.
 *
 * Topics, which are matched by their words, have a measure of their own in lda.h, and edges of
 * trees have a bootstrap (tree_learn.h).  Standard errors are in errors.h.
 */
#ifndef TENSORLV_SUPPORT_H
#define TENSORLV_SUPPORT_H

#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"

/* A component of a larger recurrence does not recur. */
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
