/*
 * plan.h - fits as plans: a learning procedure is a state machine that asks for passes over the
 * rows and is handed what they gave, until its model is done.
 *
 * A plan knows formulas, thresholds, stopping rules and what comes next; it knows neither where
 * rows come from nor what runs the passes.  The server's driver runs them as aggregate queries,
 * the unit tests over arrays in memory.
 *
 * The life of a plan: its family's tlv_<family>_plan_create(ctx, options, &plan); whoever runs it
 * fills plan->rows; then tlv_plan_next() again and again, each time with the values of the pass
 * that was asked for the time before, until pass.n is 0.  The model is then in plan->image.
 */
#ifndef TENSORLV_PLAN_H
#define TENSORLV_PLAN_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/row.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

/* ---- what is asked for ---- */

/* One pass over the rows: all statistics are taken in one scan. */
typedef struct tlv_pass
{
	int source;	   /* 0: the rows; 1: known labels, where a driver takes a second query */
	double damp;   /* bags: counts are damped with this cap; 0: as they are */
	double scale;  /* bags: counts are multiplied by this; 0: as they are, or damped */
	int folds;	   /* only rows of one fold of so many; 0: all rows */
	int fold;	   /* that fold, from 0 */
	bool others;   /* all folds but that one */
	int parts;	   /* bags of neighbours: only the edges that are not in one of so many parts, which
					* is the same from either end; 0: all of them */
	int part;	   /* that part, from 0 */
	bool complete; /* only rows in which nothing is missing */
	bool settled;  /* bags: their order plays a part: they come one after another, in an order that
					* follows from their contents, where the server can keep them in it */
	size_t n;	   /* of statistics; 0: the plan is done */
	const tlv_statistic *statistics;
	int passes_left;   /* this one and those after it, at most; 0: not known.  1: no rows need be
						* kept for another pass */
	const char *stage; /* for progress: "moments", "refinement", ... */
} tlv_pass;

/* ---- what a pass gives ---- */

/*
 * A value of one statistic.  Who is given one owns it and drops it when it is done with; between
 * passes values are not charged to the context's memory limit.
 */
typedef struct tlv_value
{
	tlv_frame frame;
	void (*release)(struct tlv_value *value);
} tlv_value;

/* Gives a value back; NULL is allowed. */
extern void tlv_value_drop(tlv_value *value);

/* ---- the plan ---- */

/* Names of items (ids ascending) or of variables (ids NULL: in order). */
typedef struct tlv_names
{
	size_t n;
	const int64_t *ids;
	const int64_t *offsets; /* n + 1: name i is text[offsets[i]] .. text[offsets[i + 1]] */
	const char *text;
} tlv_names;

/* What the reader of the rows tells before the first pass, and while passes run. */
typedef struct tlv_rows
{
	tlv_row_form form;
	size_t width[3];		/* numbers of a row, by part; 0: not known or not the same for all */
	const tlv_names *names; /* or NULL; they stay as long as the plan */
	double left_out;		/* rows that the last pass with `complete` left out */
	double count;		/* rows that the first pass over all of them saw, where they are counted */
	double other_count; /* the last number that differs from it; 0: none does */
	double same_time;	/* steps of sequences at the time of the one before them */
	int passes;			/* so far */
} tlv_rows;

typedef struct tlv_plan tlv_plan;

/*
 * One step of a plan: takes the values of the pass before (values[i] NULL: no rows) and says what
 * comes next; pass->n = 0: done.  pass is zeroed beforehand.  After the step, whatever its status,
 * tlv_plan_next drops the values but those that were taken with tlv_plan_keep (or set to NULL).
 */
typedef tlv_status (*tlv_plan_step)(tlv_context *ctx, tlv_plan *plan, tlv_value **values,
									tlv_pass *pass);

/* Which of its components are real (support.h). */
typedef struct tlv_support_class tlv_support_class;

typedef struct tlv_plan_class
{
	const char *name; /* of the driver in SQL, for messages */
	/* The first step, for which values itself is NULL, and every later one that plan->then does
	 * not name. */
	tlv_plan_step next;
	/* Drops what plans within this one keep; NULL: there are none. */
	void (*abandon)(tlv_plan *plan);
	/* With errors: how the components' support is found; NULL: it is not, or by the plan itself. */
	const tlv_support_class *support;
} tlv_plan_class;

/* Most statistics of a pass that tlv_plan_ask makes, and most values that a plan keeps. */
#define TLV_PLAN_STATISTICS 8
#define TLV_PLAN_KEPT		4

/* All rows, vectors, of a plan that holds them: it runs its further passes itself. */
typedef struct tlv_plan_memory
{
	size_t n; /* 0: it does not */
	size_t d;
	const double *rows;	  /* d x n, about the center */
	const double *center; /* d */
} tlv_plan_memory;

/* The base of a family's plan; all of its memory is the context's. */
struct tlv_plan
{
	const tlv_plan_class *class;
	tlv_rows rows;
	tlv_plan_memory memory;
	/* Are standard errors to be kept in the model?  Then one more pass over the rows collects error
	 * statistics of it (errors.h), where its kind has such; where they are refused the model has
	 * the warning "no_errors" instead. */
	bool errors;
	/* When done: the model; NULL of a plan for k alone. */
	void *image;
	size_t size;
	/* For the plan itself. */
	tlv_plan_step then; /* the next step; NULL: class->next */
	tlv_statistic statistics[TLV_PLAN_STATISTICS];
	tlv_value *kept[TLV_PLAN_KEPT]; /* over several passes, by numbers of the family's own */
	size_t asked;					/* statistics of the last pass */
	int asked_source;				/* and its source */
	double nulls;					/* rows with a null, which were left out */
	bool supported;					/* the components' support has been looked at */
	tlv_frame finished;				/* the model while its errors are collected */
};

/*
 * The next pass, or the end (pass->n = 0).  values has as many entries as the pass before had
 * statistics (NULL: none at all); they belong to the plan from here on, also when it fails.
 * After the end and after an error the plan keeps no value.  Errors: those of the fit;
 * TLV_BAD_DATA when rows of an earlier pass are gone (tlv_plan_rows_gone), TLV_CANCELLED.
 */
extern tlv_status tlv_plan_next(tlv_context *ctx, tlv_plan *plan, tlv_value **values,
								tlv_pass *pass);

/* Is a pass run over the rows in memory?  And its values. */
extern bool tlv_plan_in_memory(const tlv_plan *plan, const tlv_pass *pass);
extern tlv_status tlv_plan_pass_in_memory(tlv_context *ctx, const tlv_plan *plan,
										  const tlv_pass *pass, tlv_value **values);

/* Runs a plan whose passes ask for all rows alone over a list of rows: the model is then in
 * plan->image.  Errors: those of tlv_plan_next. */
extern tlv_status tlv_plan_run(tlv_context *ctx, tlv_plan *plan, size_t n, const tlv_row *rows);

/* The model is done, but for its standard errors: the pass that they need, or the model with them
 * or with the warning (pass->n = 0); called by tlv_plan_next. */
extern tlv_status tlv_plan_ask_errors(tlv_context *ctx, tlv_plan *plan, tlv_pass *pass);

/* Errors that failed with that status, whose error stands in the context: where it is a refusal the
 * model as it is with the warning, and TLV_OK; otherwise the status. */
extern tlv_status tlv_plan_refuse_errors(tlv_context *ctx, tlv_plan *plan, tlv_status status);

/* Drops the values that a plan keeps: for whoever leaves it before its end. */
extern void tlv_plan_abandon(tlv_plan *plan);

/* ---- what plans have in common ---- */

/*
 * One more statistic of the pass, which is of that stage and whose values `then` takes: in
 * plan->statistics, zeroed but for its aggregate.
 */
extern tlv_statistic *tlv_plan_ask(tlv_plan *plan, tlv_pass *pass, const char *stage,
								   const tlv_aggregate *aggregate, tlv_plan_step then);

/* Moves a value to plan->kept[slot] and drops what was there; NULL is allowed. */
extern void tlv_plan_keep(tlv_plan *plan, int slot, tlv_value **value);

/* A stored value that a plan keeps between two passes: a model. */
typedef struct tlv_held
{
	void *image;
	size_t size;
	tlv_frame frame;
} tlv_held;

/*
 * held becomes the image, which is the plan's from here on; what was held is given back.  The image
 * may lie in the innermost scratch: it is taken out of it.
 */
extern tlv_status tlv_plan_hold(tlv_context *ctx, tlv_held *held, void *image, size_t size);

/*
 * A model that a plan makes by one of the formulas with "..., void **image, size_t *size)":
 *     tlv_plan_make(ctx, &made);
 *     TLV_TRY(tlv_plan_made(ctx, &made, &plan->model, formula(..., &made.image, &made.size)));
 * holds what it gave, unless it failed, and gives back all else that it has allocated.
 */
typedef struct tlv_making
{
	tlv_scratch scratch;
	void *image;
	size_t size;
} tlv_making;

extern void tlv_plan_make(tlv_context *ctx, tlv_making *making);
extern tlv_status tlv_plan_made(tlv_context *ctx, tlv_making *making, tlv_held *held,
								tlv_status status);

/* One refinement step: the model becomes the one that the statistics give; nothing else stays. */
extern tlv_status tlv_plan_refine(tlv_context *ctx, tlv_held *model, const tlv_frame *statistics);

/* A section that a plan adds to its model's frame, in place of one of that name. */
typedef struct tlv_plan_section
{
	const char *name;
	tlv_element element;
	size_t rows, columns;
	const void *data;
} tlv_plan_section;

/* Most of these. */
#define TLV_PLAN_SECTIONS 8

/*
 * The end of a plan: plan->image becomes the model with the sections added and with its own
 * diagnostics followed by those given (NULL: none) and by "passes"; where rows with a null were
 * left out, with the warning "rows_left_out", and where passes saw different rows, with
 * "rows_changed".  Nothing in it tells when or how fast it was made: equal fits are equal values.
 * The next pass must then be left at n = 0.
 */
extern tlv_status tlv_plan_finish(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
								  const tlv_diagnostics *diagnostics, size_t n,
								  const tlv_plan_section *sections);

/* The same with all diagnostics given, but the last two: the model's own are left out. */
extern tlv_status tlv_plan_finish_with(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
									   tlv_diagnostics *diagnostics, size_t n,
									   const tlv_plan_section *sections);

/*
 * The names of the caller's categories as sections "category_offsets" and "category_names" of a
 * model of so many; 0: names are not given (NULL), or are those of others.  A plan puts them in at
 * its end: until then the rows of its passes are codes.
 */
extern size_t tlv_plan_name_categories(const tlv_names *names, size_t categories,
									   tlv_plan_section sections[2]);

/* The names of n items, ids ascending, empty for those that have none: sections of two arrays of
 * the arena, called as they are here.  Errors: memory. */
extern tlv_status tlv_plan_name_items(tlv_context *ctx, const tlv_names *names, size_t n,
									  const int64_t *items, const char *offsets_name,
									  const char *bytes_name, tlv_plan_section sections[2]);

/*
 * A fit of k components where the rows can have them, else of as many as they can, 1 at least:
 * attempt makes the model of so many, held by the plan.  Refusals (TLV_NOT_IDENTIFIABLE,
 * TLV_BAD_DATA, TLV_BAD_PARAMETER) lower the number; where one component is refused, too, the error
 * is the first one.  The warning "fewer_components" says what was refused.
 */
typedef tlv_status (*tlv_plan_attempt)(tlv_context *ctx, tlv_plan *plan, const tlv_frame *from,
									   size_t k);
typedef struct tlv_fewer
{
	size_t asked, k;
	tlv_error refused; /* where k is below what was asked for */
} tlv_fewer;

extern tlv_status tlv_plan_fit_fewer(tlv_context *ctx, tlv_plan *plan, const tlv_frame *from,
									 size_t k, tlv_plan_attempt attempt, tlv_fewer *fewer);
extern tlv_status tlv_plan_warn_fewer(tlv_context *ctx, const tlv_fewer *fewer,
									  tlv_diagnostics *diagnostics);

/* The log-likelihood in statistics over their count of that name, "rows" say, which is 1 at least.
 */
extern double tlv_plan_mean_likelihood(const tlv_frame *statistics, const char *count);

/*
 * Are there rows to learn from?  A value of the first pass must not be NULL, and its scalar of that
 * name, "rows" say (NULL: none), must be 1 at least; else TLV_NO_ROWS, the one error for that.
 */
extern tlv_status tlv_plan_require_rows(tlv_context *ctx, const tlv_value *value,
										const char *count);

/* The one error for a query that returned rows in an earlier pass and none now. */
extern tlv_status tlv_plan_rows_gone(tlv_context *ctx);

/* That error when a value over rows that an earlier pass has seen is NULL. */
extern tlv_status tlv_plan_require(tlv_context *ctx, const tlv_value *value);

#endif /* TENSORLV_PLAN_H */
