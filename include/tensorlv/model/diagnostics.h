/*
 * diagnostics.h - named numbers and warnings that every model carries.
 *
 * Sections of a model's frame: "diagnostics" (n numbers) and "diagnostic_names" (n names, each
 * ended by '\0'); where there are warnings also "warnings" (2 x m: component, score) and
 * "warning_texts" (of each its code, message and hint, each ended by '\0').
 *
 * When a family warns is decided in its own room; how a warning becomes a message of the server,
 * in src/pg/server/warnings.c.
 */
#ifndef TENSORLV_DIAGNOSTICS_H
#define TENSORLV_DIAGNOSTICS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

/* Most numbers of a list; further ones are left out: the first ones tell enough. */
#define TLV_DIAGNOSTICS_MAX 4096
/* Most warnings of a list, likewise. */
#define TLV_WARNINGS_MAX 1024

typedef struct tlv_warning
{
	const char *code;	 /* one of the list in warning_codes.c, short and stable */
	size_t component;	 /* from 1, as users count them; 0: the whole model */
	double score;		 /* the number that gave rise to it */
	const char *message; /* one sentence without a full stop */
	const char *hint; /* what may be done about it, a sentence; NULL: the usual one of the code */
} tlv_warning;

/* How much a warning says against a model: those of the first severities are raised first. */
typedef enum tlv_severity
{
	TLV_SEVERE_STRUCTURE,  /* the rows show no structure */
	TLV_SEVERE_ROWS,	   /* rows or columns are not in the model */
	TLV_SEVERE_IDENTIFIED, /* the rows do not identify the parameters */
	TLV_SEVERE_FLOOR,	   /* parameters are at a bound */
	TLV_SEVERE_OTHER
} tlv_severity;

/* The severity of a code; TLV_SEVERE_OTHER for one that is not listed, as models from elsewhere may
 * have. */
extern tlv_severity tlv_warning_severity(const char *code);

/* The hint to a code where the place that warns has nothing nearer to say; "" where there is none.
 */
extern const char *tlv_warning_hint(const char *code);

/* A list that grows in the arena; {0} is empty. */
typedef struct tlv_diagnostics
{
	char *names; /* each ended by '\0' */
	size_t names_length;
	size_t names_room;
	double *values; /* n */
	size_t n;
	size_t room;
	char *texts; /* of every warning code, message and hint, each ended by '\0' */
	size_t texts_length;
	size_t texts_room;
	double *marks; /* of every warning component and score */
	size_t warnings;
	size_t warnings_room;
} tlv_diagnostics;

/* ---- writing ---- */

/* Adds a number; one that is not finite says nothing and is left out.  Errors: memory. */
extern tlv_status tlv_diagnose(tlv_context *ctx, tlv_diagnostics *diagnostics, double value,
							   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds a warning, whose message the format gives; one whose score is not finite is left out.
 * Errors: memory. */
extern tlv_status tlv_warn(tlv_context *ctx, tlv_diagnostics *diagnostics,
						   const tlv_warning *warning, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Of a k that was chosen: the data show so many components, which max_k (0: none) left fewer of;
 * none where it did not.  Errors: memory. */
extern tlv_status tlv_warn_k_at_limit(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t shown,
									  size_t max_k);

/* Adds those of a model, but the numbers and warnings whose names and codes are listed (a list
 * that NULL ends, or NULL); of the second function numbers only.  Errors: memory. */
extern tlv_status tlv_diagnostics_copy(tlv_context *ctx, tlv_diagnostics *diagnostics,
									   const tlv_frame *model, const char *const *except);
extern tlv_status tlv_diagnostics_copy_numbers(tlv_context *ctx, tlv_diagnostics *diagnostics,
											   const tlv_frame *model, const char *const *except);

/* Adds all of another list.  Errors: memory. */
extern tlv_status tlv_diagnostics_append(tlv_context *ctx, tlv_diagnostics *diagnostics,
										 const tlv_diagnostics *from);

/*
 * Reorders the k values of a series of which the first is called so, "value_1": the new i-th is the
 * old order[i]-th.  A series of which some were left out has no order, and goes.  Errors: memory.
 */
extern tlv_status tlv_diagnostics_permute(tlv_context *ctx, tlv_diagnostics *diagnostics,
										  const char *first, size_t k, const int64_t *order);

/*
 * Warnings of components follow them, and so do the numbers in their messages: component
 * order[i] + 1 is i + 1 now.  The second adds one warning, of whose components number i + 1 of k
 * has become place[i], 0 where it is gone: a warning that names such a component goes with it.
 * Errors: memory.
 */
extern tlv_status tlv_warnings_permute(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t k,
									   const int64_t *order);
extern tlv_status tlv_warning_place(tlv_context *ctx, tlv_diagnostics *diagnostics,
									const tlv_warning *warning, size_t k, const size_t *place);

/* Replaces the number of that name; without it the list is left as it is. */
extern void tlv_diagnostics_replace(tlv_diagnostics *diagnostics, const char *name, double value);

extern void tlv_diagnostics_free(tlv_context *ctx, tlv_diagnostics *diagnostics);

/* Adds the sections to a model's frame; the list must stay until the frame is finished. */
extern void tlv_diagnostics_add(const tlv_diagnostics *diagnostics, tlv_frame_builder *builder);

/* The model with these diagnostics in the place of its own, a new image.  Errors: TLV_LIMIT,
 * memory. */
extern tlv_status tlv_diagnostics_rewrite(tlv_context *ctx, const tlv_frame *model,
										  const tlv_diagnostics *diagnostics, void **image,
										  size_t *size);

/* The names of the sections, for tlv_frame_add_from: a list that NULL ends. */
#define TLV_DIAGNOSTICS_SECTIONS 4
extern const char *const tlv_diagnostics_sections[TLV_DIAGNOSTICS_SECTIONS + 1];

/* Checks the sections of a frame: as many texts as numbers, plain ones. */
extern tlv_status tlv_diagnostics_check(tlv_context *ctx, const tlv_frame *model);

/* ---- reading ---- */

/*
 * A walk over the numbers: while (tlv_diagnostics_next(&walk)) has walk.name and walk.value.  Of a
 * frame that is no model it has none.
 */
typedef struct tlv_diagnostics_walk
{
	const char *name;
	double value;
	size_t left; /* the following are the walk's own */
	const char *next_name;
	const double *next_value;
} tlv_diagnostics_walk;
extern tlv_diagnostics_walk tlv_diagnostics_of(const tlv_frame *model);
extern bool tlv_diagnostics_next(tlv_diagnostics_walk *walk);

/* The number of that name; missing, where there is none. */
extern double tlv_diagnostics_find(const tlv_frame *model, const char *name, double missing);

/* A walk over the warnings: while (tlv_warnings_next(&walk)) has walk.warning. */
typedef struct tlv_warnings_walk
{
	tlv_warning warning;
	size_t left; /* the following are the walk's own */
	const char *next_text;
	const double *next_mark;
} tlv_warnings_walk;
extern tlv_warnings_walk tlv_warnings_of(const tlv_frame *model);
extern bool tlv_warnings_next(tlv_warnings_walk *walk);

/* The same over a list. */
extern tlv_warnings_walk tlv_warnings_of_list(const tlv_diagnostics *list);

/*
 * Adds the warnings of a model as users are told them: where more than ten say the same, each of a
 * component, there is one of the whole model, which names the first and has their number as its
 * score.  Errors: memory.
 */
extern tlv_status tlv_warnings_tell(tlv_context *ctx, const tlv_frame *model,
									tlv_diagnostics *told);

/* Proportion of negative mass that a decomposition leaves, above which a fit warns of it. */
#define TLV_NEGATIVE_WARN 0.3

#endif /* TENSORLV_DIAGNOSTICS_H */
