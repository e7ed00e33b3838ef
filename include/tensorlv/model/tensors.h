/*
 * tensors.h - tensors from rows (i, j, l, value) or arrays, and their compressed forms: a sum of
 * products (CP), a core in bases (Tucker), a chain of cores (tensor train).
 *
 * Entries are collected as they are, sparse: values of one place are added up.  A place without a
 * value is missing where one of its rows has a NULL, otherwise absent, which an option of the fits
 * takes for 0 or for missing.  Values that add up to 0 count as absent unless one of them is 0.
 *
 * The room collects entries, reads and writes the models, and completes missing entries.  The
 * algorithms are on floor 1 (cp.h, tucker.h, tensor.h), and so are symmetric tensors of moments
 * (decompose.h).
 */
#ifndef TENSORLV_TENSORS_H
#define TENSORLV_TENSORS_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/names.h"
#include "tensorlv/num/tensor.h"

/* ---- collected entries (entries.c) ---- */

/*
 * Takes rows of TLV_ROW_ENTRY.  Errors of a row: TLV_BAD_DATA for a value that is not finite, sums
 * that are too large for a number, two names of one id, TLV_BAD_PARAMETER where a mode's ids are
 * told by number here and by name there, TLV_LIMIT above 2^21 items of a mode, memory.
 */
extern const tlv_aggregate tlv_aggregate_tensor_entries;

/* The same, empty. */
extern tlv_status tlv_tensor_entries_create(tlv_context *ctx, tlv_accumulator **accumulator);

/* ---- items of the modes (ids.c) ---- */

/* Items of a mode ascend; those that are told by name have ids that follow from their names. */
typedef struct tlv_tensor_ids
{
	size_t d[TLV_MODES];
	size_t names_n, bytes_n;
	double told[TLV_MODES]; /* 1: ids are numbers, 2: of names; 0: there are none */
	int64_t *items[TLV_MODES];
	int64_t *name_ids, *name_offsets;
	char *names;
} tlv_tensor_ids;

/* The items of a model of a tensor, or of collected entries, that has been checked. */
extern void tlv_tensor_read_ids(const tlv_frame *frame, tlv_tensor_ids *ids);

/* What an item is called, bytes NULL where it is a number; the empty text is not NULL. */
extern tlv_text tlv_tensor_name(const tlv_tensor_ids *ids, int mode, int64_t id);

/* The place of an item of a mode; -1: it has none. */
extern ptrdiff_t tlv_tensor_place(const tlv_tensor_ids *ids, int mode, int64_t id);

/* Which entries are known: those at the places of a list, or all but those at its places. */
typedef struct tlv_tensor_known
{
	bool listed;				  /* the known ones are listed */
	size_t n;					  /* 0, and not listed: all are known */
	const int32_t *at[TLV_MODES]; /* ascending */
} tlv_tensor_known;

static inline bool
tlv_tensor_is_whole(const tlv_tensor_known *known)
{
	return !known->listed && known->n == 0;
}

/* A tensor with its items, sparse or dense, 0 where an entry is missing; both point into what it
 * was made of and the arena. */
typedef struct tlv_tensor_source
{
	tlv_tensor tensor;
	tlv_tensor_known known;
	tlv_tensor_ids ids;
	double nulls;	/* rows with a null */
	double skipped; /* those of them without an item: the others are missing entries */
} tlv_tensor_source;

/* From collected entries: absent_missing says whether absent ones are missing, or 0.  Items all of
 * whose entries are missing are left out.  A tensor that is a quarter full is laid out as an array
 * where memory allows.  Errors: TLV_NO_ROWS, memory, TLV_CANCELLED. */
extern tlv_status tlv_tensor_load(tlv_context *ctx, const tlv_frame *entries, bool absent_missing,
								  tlv_tensor_source *source);

/* From an array d[0] x d[1] x d[2], the last index running fastest, whose items are numbered from
 * first[m] on; missing: which entries are, or NULL.  Errors: TLV_BAD_DATA for an item all of whose
 * entries are missing, memory, TLV_CANCELLED. */
extern tlv_status tlv_tensor_of_array(tlv_context *ctx, const size_t d[TLV_MODES],
									  const int64_t first[TLV_MODES], const double *numbers,
									  const bool *missing, tlv_tensor_source *source);

/* ---- sums of products (cp_fit.c, cp_model.c) ---- */

typedef enum tlv_cp_solver
{
	TLV_CP_AUTO, /* als, and where factors are not negative hals */
	TLV_CP_ALS,	 /* alternating least squares */
	TLV_CP_HALS, /* hierarchical ones, not negative */
	TLV_CP_PQP	 /* multiplicative steps of parallel quadratic programming, not negative */
} tlv_cp_solver;

/* Their names, in this order; NULL ends them. */
extern const char *const tlv_cp_solver_names[];

typedef struct tlv_cp_fit_options
{
	size_t k;
	bool nonnegative;
	tlv_cp_solver solver;
	int iterations; /* sweeps of a start at most; 0: as many as the solver needs */
	int restarts;	/* 0: as many */
	uint64_t seed;
} tlv_cp_fit_options;

/*
 * A model in memory: T(i, j, l) = sum_h scales[h] factors[0][h, i] factors[1][h, j] factors[2][h,
 * l], the vectors of length 1; by decreasing scale.
 */
typedef struct tlv_cp_parts
{
	size_t k;
	tlv_tensor_ids ids;
	double entries; /* other than 0 */
	double nulls;
	double nonnegative;
	double residual; /* |T - model| / |T| */
	double sweeps;
	double seed;
	double *weights;			/* k: shares of the scales */
	double *scales;				/* k */
	double *factors[TLV_MODES]; /* k x d[m] */
	tlv_diagnostics *diagnostics;
} tlv_cp_parts;

extern void tlv_cp_read(const tlv_frame *model, tlv_cp_parts *parts);

/*
 * A model of a tensor, of its known entries alone (cp_missing.c).  *image is from the arena.
 * Errors: TLV_BAD_PARAMETER for a solver that does
 * not go with nonnegative; TLV_BAD_DATA for a tensor that is zero, or that no sum of such products
 * comes near; those of tlv_cp and tlv_nonnegative_factors.
 */
extern tlv_status tlv_cp_fit(tlv_context *ctx, const tlv_tensor_source *source,
							 const tlv_cp_fit_options *options, void **image, size_t *size);

/* A sparse tensor laid out as an array; a dense one stays.  Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_tensor_make_dense(tlv_context *ctx, tlv_tensor *tensor);

/* ---- a core in bases, a chain of cores (bases.c) ---- */

typedef struct tlv_tucker_fit_options
{
	size_t ranks[TLV_MODES];
	int iterations; /* sweeps at most; below 0: 50 */
	uint64_t seed;
} tlv_tucker_fit_options;

/* T(i, j, l) = sum over a, b, c of core[a, b, c] factors[0][a, i] factors[1][b, j] factors[2][c,
 * l]; the rows of a factor are orthonormal. */
typedef struct tlv_tucker_parts
{
	tlv_tensor_ids ids;
	size_t r[TLV_MODES];
	size_t slice; /* r[1] r[2] */
	double entries, nulls;
	double residual; /* |T - model| / |T| */
	double ratio;	 /* numbers of the tensor, in parts of those of the model */
	double sweeps, seed;
	double *factors[TLV_MODES]; /* r[m] x d[m] */
	double *core;				/* the last index running fastest */
	tlv_diagnostics *diagnostics;
} tlv_tucker_parts;

extern void tlv_tucker_read(const tlv_frame *model, tlv_tucker_parts *parts);

/* A model of a tensor; missing entries are filled by what the model has there (bases.c).  Ranks
 * above a side are cut to it.  *image is from the arena.  Errors: those of tlv_tucker. */
extern tlv_status tlv_tucker_fit(tlv_context *ctx, const tlv_tensor_source *source,
								 const tlv_tucker_fit_options *options, void **image, size_t *size);

typedef struct tlv_train_fit_options
{
	size_t ranks[2]; /* 0: by the tolerance */
	double tolerance;
} tlv_train_fit_options;

/* T(i, j, l) = sum over a, b of cores[0][i, a] cores[1][a, j, b] cores[2][b, l]. */
typedef struct tlv_train_parts
{
	tlv_tensor_ids ids;
	size_t r[2];
	size_t pairs; /* r[0] d[1] */
	double entries, nulls, residual, ratio;
	double tolerance;		  /* 0: ranks were given */
	double *cores[TLV_MODES]; /* the last index running fastest */
	tlv_diagnostics *diagnostics;
} tlv_train_parts;

extern void tlv_train_read(const tlv_frame *model, tlv_train_parts *parts);

/* A model of a tensor; a sparse one is laid out as an array, and missing entries are filled by what
 * the model has there.  *image is from the arena.  Errors: TLV_BAD_PARAMETER without ranks for one
 * with missing entries, those of tlv_tensor_train. */
extern tlv_status tlv_train_fit(tlv_context *ctx, const tlv_tensor_source *source,
								const tlv_train_fit_options *options, void **image, size_t *size);

/* ---- reading any of them (at.c) ---- */

/* Whether a model is one of a tensor. */
extern bool tlv_is_tensor_model(const tlv_frame *model);

/* The model's entry at places of the three modes, each within its side. */
extern double tlv_tensor_model_entry(const tlv_frame *model, const size_t place[TLV_MODES]);

#endif /* TENSORLV_TENSORS_H */
