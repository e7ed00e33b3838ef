/*
 * refusals.h - what several kinds of statistics and of models refuse, in the same words and with
 * the same hint.  Every function fills ctx->error and returns its code.
 *
 * What one family alone refuses is in its own room.  src/pg/server/context.c gives a status its
 * SQLSTATE.
 */
#ifndef TENSORLV_REFUSALS_H
#define TENSORLV_REFUSALS_H

#include "tensorlv/num/context.h"

/* ---- rows; places count from 0 ---- */

/* Of `width` numbers where a model has d. */
extern tlv_status tlv_refuse_width(tlv_context *ctx, size_t width, size_t d);
/* Of a length other than that of those before. */
extern tlv_status tlv_refuse_length(tlv_context *ctx, size_t d, size_t first);
/* An element that is NaN, or infinite, or leads to such a number. */
extern tlv_status tlv_refuse_element(tlv_context *ctx, size_t at, double x);
/* The same of a step of a sequence of vectors of d numbers. */
extern tlv_status tlv_refuse_step(tlv_context *ctx, size_t at, size_t d, double x);
/* A number that is NaN, or beyond what can be computed with. */
extern tlv_status tlv_refuse_number(tlv_context *ctx, size_t at, double x, double most);
/* A row that is so far from a mixture, or numbers from a model, that they have no likelihood. */
extern tlv_status tlv_refuse_far_row(tlv_context *ctx);
extern tlv_status tlv_refuse_far_numbers(tlv_context *ctx);
/* So many "rows" for k "components". */
extern tlv_status tlv_refuse_few(tlv_context *ctx, double n, const char *rows, size_t k,
								 const char *components);

/* ---- moments and statistics ---- */

/* Statistics without an observation: TLV_NO_ROWS, at which tlv_model_update leaves the model as it
 * is. */
extern tlv_status tlv_refuse_empty_statistics(tlv_context *ctx);
/* "the statistics hold" no "rows". */
extern tlv_status tlv_refuse_empty(tlv_context *ctx, const char *moments_hold, const char *rows);
/* More "rows" are subtracted than were added. */
extern tlv_status tlv_refuse_taken(tlv_context *ctx, const char *rows);
/* Moments of another kind than tlv_statistics makes for "a mixture". */
extern tlv_status tlv_refuse_kind_of_statistics(tlv_context *ctx, const char *model);
/* Statistics that were collected under another model. */
extern tlv_status tlv_refuse_foreign_statistics(tlv_context *ctx);
/* An aggregate whose "model" or "subspace" is NULL. */
extern tlv_status tlv_refuse_no_constant(tlv_context *ctx, const char *aggregate, const char *what);
/* Moments that were collected in another subspace. */
extern tlv_status tlv_refuse_foreign_subspace(tlv_context *ctx);
/* Moments that refer to the subspace that they were collected in, and that is not given; how to
 * call what needs it. */
extern tlv_status tlv_refuse_no_subspace(tlv_context *ctx, const char *call);

/* ---- models ---- */

/* Two models of rows of so many numbers. */
extern tlv_status tlv_refuse_dimensions(tlv_context *ctx, size_t a, size_t b);
/* A step of refinement of a kind that has none. */
extern tlv_status tlv_refuse_steps(tlv_context *ctx, const char *kind);

#if defined(__clang_analyzer__) && !defined(TLV_REFUSALS_HERE)
/* It sees one file at a time, as with tlv_fail (context.h). */
#define tlv_refuse_width(...)			 ((tlv_refuse_width) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_length(...)			 ((tlv_refuse_length) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_element(...)			 ((tlv_refuse_element) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_step(...)			 ((tlv_refuse_step) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_number(...)			 ((tlv_refuse_number) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_far_row(...)			 ((tlv_refuse_far_row) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_far_numbers(...)		 ((tlv_refuse_far_numbers) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_few(...)				 ((tlv_refuse_few) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_empty_statistics(...) ((tlv_refuse_empty_statistics) (__VA_ARGS__), TLV_NO_ROWS)
#define tlv_refuse_empty(...)			 ((tlv_refuse_empty) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_taken(...)			 ((tlv_refuse_taken) (__VA_ARGS__), TLV_BAD_DATA)
#define tlv_refuse_kind_of_statistics(...)                                                         \
	((tlv_refuse_kind_of_statistics) (__VA_ARGS__), TLV_BAD_PARAMETER)
#define tlv_refuse_foreign_statistics(...)                                                         \
	((tlv_refuse_foreign_statistics) (__VA_ARGS__), TLV_BAD_PARAMETER)
#define tlv_refuse_no_constant(...) ((tlv_refuse_no_constant) (__VA_ARGS__), TLV_BAD_PARAMETER)
#define tlv_refuse_foreign_subspace(...)                                                           \
	((tlv_refuse_foreign_subspace) (__VA_ARGS__), TLV_BAD_PARAMETER)
#define tlv_refuse_no_subspace(...) ((tlv_refuse_no_subspace) (__VA_ARGS__), TLV_BAD_PARAMETER)
#define tlv_refuse_dimensions(...)	((tlv_refuse_dimensions) (__VA_ARGS__), TLV_BAD_PARAMETER)
#define tlv_refuse_steps(...)		((tlv_refuse_steps) (__VA_ARGS__), TLV_BAD_PARAMETER)
#endif

#endif /* TENSORLV_REFUSALS_H */
