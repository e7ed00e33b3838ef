/*
 * source.h - the rows that a model is learnt from, and the procedures that learn it.
 *
 * A procedure is a function that reads from top to bottom.  Where it needs statistics of the rows
 * it collects them, and they are there when the call returns.  It knows formulas, thresholds,
 * stopping rules and what comes next; it knows neither where rows come from nor what runs the
 * passes: the server's driver makes each a statement, the unit tests go over arrays, and rows in
 * memory are a source as well.
 *
 * Whoever runs one calls tlv_learn(), which also finds the support of the components and collects
 * standard errors, in one place for all.
 *
 * Queries and statements are on floor 3 (src/pg/server/pass.c), rows are in row.h, and formulas
 * are in the rooms of the models.
 */
#ifndef TENSORLV_SOURCE_H
#define TENSORLV_SOURCE_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/row.h"
#include "tensorlv/num/em.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

/* Most statistics of a pass. */
#define TLV_PASS_STATISTICS 8

/* ---- what is asked for ---- */

/* One pass over the rows: all statistics are taken in one scan. */
typedef struct tlv_pass
{
	double damp;   /* bags: counts are damped with this cap; 0: as they are */
	double scale;  /* bags: counts are multiplied by this; 0: as they are, or damped */
	int folds;	   /* above 0: the number of folds, of which only one's rows are read */
	int fold;	   /* its index, from 0 */
	bool others;   /* all folds but that one */
	bool complete; /* only rows in which nothing is missing */
	bool settled;  /* bags, categories: their order plays a part: they come one after another, in an
					* order that follows from their contents, where the server can keep them in it */
	size_t pieces; /* above 1, a power of two: the number of pieces of the rows, by the first of
					* their ids; one statistic, of which every piece has a value of its own */
	size_t n;	   /* of statistics */
	const tlv_statistic *statistics;
	int passes_left;   /* this one and those after it, at most; 0: not known */
	const char *stage; /* for progress: "moments", "refinement", ... */
} tlv_pass;

/* ---- what a pass gives ---- */

/*
 * A value of one statistic.  Whoever collected it drops it when it is done with, before the end of
 * the scratch that it was collected in; what is not dropped, after an error say, tlv_learn drops at
 * its end.  Values are not charged to the context's memory limit, but those of rows in memory.
 */
typedef struct tlv_value
{
	tlv_frame frame;
	void (*release)(struct tlv_value *value);
	struct tlv_value *next, **link; /* among those of a source; link NULL: none's */
} tlv_value;

/* Gives a value back; NULL is allowed. */
extern void tlv_value_drop(tlv_value *value);

/* ---- the rows ---- */

/* Names of items (ids ascending) or of variables (ids NULL: in order). */
typedef struct tlv_names
{
	size_t n;
	const int64_t *ids;
	const int64_t *offsets; /* n + 1: name i is text[offsets[i]] .. text[offsets[i + 1]] */
	const char *text;
	tlv_text array; /* n = 0: the column of arrays whose elements they name by number; or empty */
} tlv_names;

/* A name as messages show it: cut, in double quotes, those in it doubled, so that its end is plain.
 * Returns shown. */
#define TLV_SHOWN_NAME 128
extern const char *tlv_show_name(tlv_text name, char shown[TLV_SHOWN_NAME]);

/* The same of an id, whose digits are shown where it has no name (length 0). */
extern const char *tlv_show_id(tlv_text name, int64_t id, char shown[TLV_SHOWN_NAME]);

/* The i-th element, from 0, of an array as SQL has it: a shown name and the subscript, which is
 * never cut.  Returns shown. */
extern const char *tlv_show_element(const char *name, size_t i, char shown[TLV_SHOWN_NAME]);

/* What messages call the i-th name, a column or a variable: the name as above, "x"[1] of an array,
 * the id, or the number from 1.  names may be NULL; returns shown. */
extern const char *tlv_names_show(const tlv_names *names, size_t i, char shown[TLV_SHOWN_NAME]);

/* Integers of more different values are numbers, and a variable of as many categories or more names
 * its rows where each is seen less than twice. */
#define TLV_MOST_INTEGER_CATEGORIES 20

/*
 * A list in a message, empty when it is zero: the first three names, as they are shown, and how
 * many more there are.
 */
#define TLV_SHOWN_MOST 3
typedef struct tlv_shown_list
{
	size_t n; /* that were added */
	char names[TLV_SHOWN_MOST][TLV_SHOWN_NAME];
	char text[(TLV_SHOWN_MOST + 1) * TLV_SHOWN_NAME];
} tlv_shown_list;

extern void tlv_shown_add(tlv_shown_list *list, const char *shown);
extern void tlv_shown_add_number(tlv_shown_list *list, size_t number);
/* "columns "a", "b", "c" and 2 more", in the list's own text; noun (at most 20 bytes) is in the
 * singular, and NULL for the names alone. */
extern const char *tlv_shown_text(tlv_shown_list *list, const char *noun);
/* The form of "be" that follows: "is" or "are". */
extern const char *tlv_shown_verb(const tlv_shown_list *list);

/* What is known of the rows: form, widths and names before the first pass, the rest from passes. */
typedef struct tlv_rows
{
	tlv_row_form form;
	size_t width[3];		/* numbers of a row, by part; 0: not known or not the same for all */
	const tlv_names *names; /* or NULL; they stay as long as the source */
	double left_out;		/* rows that the last pass over complete ones left out */
	double count;		 /* rows that the first pass over all of them saw, where they are counted */
	double other_count;	 /* the last number that differs from it; 0: none does */
	double same_time;	 /* steps of sequences at the time of the one before them */
	double nulls;		 /* rows with a null, which were left out: the most that a pass has met */
	const char *lacking; /* what others lack that are left out, "a word"; NULL: there are none */
	double effective; /* effective number of weighted rows (Kish 1965); 0: they have no weights */
	const char *null_columns;	 /* the columns that have nulls, as a message names them; or NULL */
	double null_total;			 /* nulls of these columns */
	const char *skipped_columns; /* those that are no dimensions or have no value, likewise */
	int skipped;				 /* how many these are */
	const char *skipped_hint;	 /* NULL: the one of columns_skipped */
	int passes;					 /* so far */
} tlv_rows;

/* Warns of rows with a null that were skipped, unless there are none; columns are those that have
 * nulls, as a message names them (NULL: not known), hint is NULL where the code's own will do. */
extern tlv_status tlv_warn_nulls(tlv_context *ctx, tlv_diagnostics *diagnostics, double nulls,
								 const char *columns, const char *hint);

/* Makes the model that was fitted to a value warn of the rows with nulls that the value has
 * counted, unless it does: *image and *size become those of the model with the warning.  Errors:
 * memory. */
extern tlv_status tlv_tell_nulls(tlv_context *ctx, const tlv_frame *value, void **image,
								 size_t *size);

typedef struct tlv_source tlv_source;

/*
 * One pass: values[i], which are NULL beforehand, become the values of its statistics, or of the
 * one statistic of every piece, and stay NULL where no row was seen; after an error as well.  What
 * is told in source->rows is brought up to date.  source is that of the rows, not a view of it: the
 * view is in the pass.  An error of the server's own leaves by a jump: the caller's memory is that
 * of contexts which go with it.
 */
typedef tlv_status (*tlv_source_pass)(tlv_context *ctx, tlv_source *source, const tlv_pass *pass,
									  tlv_value **values);

struct tlv_source
{
	tlv_source *of;	  /* the source that this is a view of; NULL: the rows themselves */
	tlv_pass view;	  /* which of the rows, and how; of it the members up to n, and the stage */
	bool within;	  /* a fit over it is a part of another one */
	tlv_source *held; /* the rows that it shows, in memory: its passes go over these; or NULL */
	/* Of the rows themselves; a view has what was known of them when it was made: */
	tlv_rows rows;
	tlv_source_pass pass;
	/* The number of pieces (tlv_pass) in which values fit that take row_bytes of a row besides its
	 * texts, weights and bags; NULL: one. */
	size_t (*pieces)(tlv_source *source, double row_bytes);
	tlv_source *labels; /* what is known of them, where the caller has a second query; or NULL */
	tlv_value *values;	/* that are not dropped yet */
	int passes_after;	/* those that the procedure asks for: support, errors */
};

/* The rows that a source is, or is a view of. */
static inline tlv_source *
tlv_source_rows(tlv_source *source)
{
	return source->of != NULL ? source->of : source;
}

/* Views: the same rows, but fewer of them or seen otherwise.  A view of a view has what both say.
 */
extern void tlv_source_fold(tlv_source *view, tlv_source *source, int folds, int fold);
extern void tlv_source_without_fold(tlv_source *view, tlv_source *source, int folds, int fold);
extern void tlv_source_damped(tlv_source *view, tlv_source *source, double cap);
extern void tlv_source_scaled(tlv_source *view, tlv_source *source, double factor);
extern void tlv_source_complete(tlv_source *view, tlv_source *source);
extern void tlv_source_ordered(tlv_source *view, tlv_source *source);

/* Scans of the view are reported as of this stage, whatever asks for them. */
extern void tlv_source_reported(tlv_source *view, tlv_source *source, const char *stage);

/* For a fit that is a part of another one: its model has no names, its passes are not the last. */
extern void tlv_source_within(tlv_source *view, tlv_source *source);

/* ---- rows in memory ---- */

typedef struct tlv_memory_source
{
	tlv_source source; /* first */
	size_t n;
	const tlv_row *list; /* or NULL, and then */
	size_t d;
	tlv_row_form form;	   /* vectors, or codes */
	const double *x;	   /* d x n, about the center */
	const double *center;  /* d, or NULL: 0 */
	const double *weights; /* n, or NULL: 1 */
	double factor;		   /* their sum times this is the effective number of rows */
	const uint32_t
		*copies; /* n: whole rows in their proportions, as many as the effective number */
} tlv_memory_source;

/* A list of rows, all of that form. */
extern void tlv_source_of_list(tlv_memory_source *source, size_t n, const tlv_row *rows);

/* All rows of the source, vectors, are at hand: d x n about a center.  From here on passes over
 * them all, those for support and errors as well, go over these, which stay until the end. */
extern tlv_status tlv_source_hold_vectors(tlv_context *ctx, tlv_source *source, size_t n, size_t d,
										  const double *x, const double *center);

/*
 * The same of weighted rows, vectors or codes, in a random order; no weight is 0.  Their statistics
 * are those of as many rows as the weights say, at least of the effective number of rows, (sum w)^2
 * / sum w^2; what is chosen from a sample is chosen from as many whole rows as that number.
 */
extern tlv_status tlv_source_hold_weighted(tlv_context *ctx, tlv_source *source, tlv_row_form form,
										   size_t n, size_t d, const double *x, double *weights);

/* Parameters of weighted rows are estimates only after an iteration over them: TLV_BAD_PARAMETER
 * where none is to follow. */
extern tlv_status tlv_source_require_iterations(tlv_context *ctx, const tlv_source *source,
												bool refine, int iterations);

/* ---- passes ---- */

/*
 * One scan for n statistics, TLV_PASS_STATISTICS at most; passes_left as in tlv_pass.  values[i] is
 * NULL where there were no rows.  Errors: those of the statistics, TLV_CANCELLED; then all values
 * are NULL.
 */
extern tlv_status tlv_collect(tlv_context *ctx, tlv_source *source, const char *stage,
							  int passes_left, size_t n, const tlv_statistic *statistics,
							  tlv_value **values);

/* The same of one, which has rows: later passes must have some (tlv_rows_gone). */
extern tlv_status tlv_collect_again(tlv_context *ctx, tlv_source *source, const char *stage,
									int passes_left, const tlv_statistic *statistic,
									tlv_value **value);

/* And of the first pass, which finds out whether there are any: of that count, 1 at least. */
extern tlv_status tlv_collect_first(tlv_context *ctx, tlv_source *source, const char *stage,
									int passes_left, const tlv_statistic *statistic,
									const char *count, tlv_value **value);

/*
 * The same of a statistic that grows with the rows, of whose value each takes row_bytes at most
 * besides its texts, weights and bags: where it is more than a value may have it is collected in
 * pieces, which are put together here.  What is made of them is no value: its frame may be larger,
 * and is charged to the context's memory limit.
 */
extern tlv_status tlv_collect_growing(tlv_context *ctx, tlv_source *source, const char *stage,
									  int passes_left, const tlv_statistic *statistic,
									  double row_bytes, tlv_value **value);

/* The value of an image, which is given back with it. */
extern tlv_status tlv_value_of_image(tlv_context *ctx, void *image, size_t size, tlv_value **value);

/* ---- procedures ---- */

/* A stored value that is kept between two passes: a model. */
typedef struct tlv_held
{
	void *image;
	size_t size;
	tlv_frame frame;
} tlv_held;

typedef struct tlv_support_class tlv_support_class;

typedef struct tlv_procedure
{
	/* Are the options such as it takes?  Asked before the rows are looked at; NULL: any are. */
	tlv_status (*check)(tlv_context *ctx, const void *options);
	/* From the rows to the finished model (tlv_source_finish); its image NULL: of k alone. */
	tlv_status (*learn)(tlv_context *ctx, tlv_source *rows, const void *options, tlv_held *model);
	/* With errors: how the components' support is found; NULL: it is not. */
	const tlv_support_class *support;
	bool own_errors; /* learn finds support and errors itself, where its options ask for them */
} tlv_procedure;

/*
 * The model of these rows; with errors the support of its components and its standard errors, each
 * by a pass more, as far as its kind has them.  No value outlives it.  Errors: those of the fit.
 */
extern tlv_status tlv_learn(tlv_context *ctx, const tlv_procedure *procedure, const void *options,
							tlv_source *rows, bool errors, tlv_held *model);

/* The end of whoever learns without tlv_learn: drops the values that are left. */
extern void tlv_source_end(tlv_source *rows);

/* ---- what procedures have in common ---- */

/* A section that is added to a finished model, in place of one of that name. */
typedef struct tlv_added_section
{
	const char *name;
	tlv_element element;
	size_t rows, columns;
	const void *data;
} tlv_added_section;

/* Most of these. */
#define TLV_ADDED_SECTIONS 8

/*
 * The end: finished becomes the model with the sections added, with all diagnostics given, with
 * "passes", and with the warnings that the passes are worth (rows that were left out, that changed,
 * steps at one time).  Nothing in it tells when or how fast it was made: equal fits are equal
 * values.
 */
extern tlv_status tlv_source_finish(tlv_context *ctx, const tlv_source *source,
									const tlv_frame *model, tlv_diagnostics *diagnostics, size_t n,
									const tlv_added_section *sections, tlv_held *finished);

/* The same with the model's own diagnostics before those given. */
extern tlv_status tlv_source_finish_after(tlv_context *ctx, const tlv_source *source,
										  const tlv_frame *model,
										  const tlv_diagnostics *diagnostics, tlv_held *finished);

/*
 * The names of the caller's categories as sections "category_offsets" and "category_names" of a
 * model of that number of categories.  Returns the number of sections, 0 if names are NULL or of
 * another number of categories.  They are added at the end: the rows of the passes are codes.
 */
extern size_t tlv_name_categories(const tlv_names *names, size_t categories,
								  tlv_added_section sections[2]);

/* The names of n items, ids ascending, empty for those that have none: sections of two arrays of
 * the arena, called as they are here.  Errors: memory. */
extern tlv_status tlv_name_items(tlv_context *ctx, const tlv_names *names, size_t n,
								 const int64_t *items, const char *offsets_name,
								 const char *bytes_name, tlv_added_section sections[2]);

/*
 * held becomes the image, which may lie in the innermost scratch: it is taken out of it.  What was
 * held is given back.
 */
extern tlv_status tlv_hold(tlv_context *ctx, tlv_held *held, void *image, size_t size);

/*
 * Holds what a formula with "..., void **image, size_t *size)" gives and gives back all else that
 * it has allocated: tlv_making made; TLV_TRY(TLV_MAKE(ctx, &made, &model, formula(ctx, ...,
 * &made.image, &made.size)));
 */
typedef struct tlv_making
{
	tlv_scratch scratch;
	void *image;
	size_t size;
} tlv_making;

extern void tlv_make(tlv_context *ctx, tlv_making *making);
extern tlv_status tlv_made(tlv_context *ctx, tlv_making *making, tlv_held *held, tlv_status status);
#define TLV_MAKE(ctx, made, held, formula) (tlv_make(ctx, made), tlv_made(ctx, made, held, formula))

/* One refinement step: the model becomes the one that the statistics give; nothing else stays. */
extern tlv_status tlv_refine(tlv_context *ctx, tlv_held *model, const tlv_frame *statistics);

/* Expectation maximisation of a model, a scan of the source for each expectation. */
typedef struct tlv_source_ascent
{
	tlv_source *source;
	tlv_held *model;
	const char *stage;
	bool more;		 /* other scans may follow */
	tlv_em em;		 /* limit, tolerance and when it ends; the result */
	tlv_value *sums; /* the last statistics, which the caller drops */
} tlv_source_ascent;

/* Errors: those of the scans and the update; TLV_NO_ROWS where no row is left. */
extern tlv_status tlv_source_ascend(tlv_context *ctx, tlv_source_ascent *ascent);

/*
 * A fit of k components where the rows can have them, else of as many as they can, 1 at least:
 * attempt makes the model of k components, its own argument says where.  Refusals
 * (TLV_NOT_IDENTIFIABLE, TLV_BAD_DATA, TLV_BAD_PARAMETER) lower the number; where one component is
 * refused, too, the error is the first one.  The warning "fewer_components" says what was refused.
 */
typedef tlv_status (*tlv_attempt)(tlv_context *ctx, void *argument, const tlv_frame *from,
								  size_t k);
typedef struct tlv_fewer
{
	size_t asked, k;
	tlv_error refused; /* where k is below what was asked for */
} tlv_fewer;

extern tlv_status tlv_fit_fewer(tlv_context *ctx, const tlv_frame *from, size_t k,
								tlv_attempt attempt, void *argument, tlv_fewer *fewer);
extern tlv_status tlv_warn_fewer(tlv_context *ctx, const tlv_fewer *fewer,
								 tlv_diagnostics *diagnostics);

/* Standard errors of a finished model, by a pass of their own where its kind collects them; a model
 * that can have none, or not with the memory there is, gets the warning "no_errors". */
extern tlv_status tlv_collect_errors(tlv_context *ctx, tlv_source *source, tlv_held *model);

/* Which components come again from parts of the rows (support.h). */
extern tlv_status tlv_find_support(tlv_context *ctx, const tlv_support_class *support,
								   const void *options, tlv_source *source, tlv_held *model);

/* Errors that failed with that status: where it is a refusal the model gets the warning. */
extern tlv_status tlv_refuse_errors(tlv_context *ctx, tlv_status status, void **image,
									size_t *size);

/* The log-likelihood in statistics over their count of that name, "rows" say, 1 at least. */
extern double tlv_mean_likelihood(const tlv_frame *statistics, const char *count);

/* ---- refusals ---- */

/* TLV_NO_ROWS: all of these rows lack something; or there is no category in any column. */
extern tlv_status tlv_refuse_partial_rows(tlv_context *ctx, double rows);
extern tlv_status tlv_refuse_no_categories(tlv_context *ctx, const tlv_rows *rows);

/*
 * Are there rows to learn from?  A value of the first pass must not be NULL, and its scalar of that
 * name, "rows" say (NULL: none), must be 1 at least; else TLV_NO_ROWS, the one error for that.
 */
extern tlv_status tlv_require_rows(tlv_context *ctx, const tlv_value *value, const char *count);

/* The one error for a query that returned rows in an earlier pass and none now. */
extern tlv_status tlv_rows_gone(tlv_context *ctx);

/* That error when a value over rows that an earlier pass has seen is NULL. */
extern tlv_status tlv_require_rows_again(tlv_context *ctx, const tlv_value *value);

#endif /* TENSORLV_SOURCE_H */
