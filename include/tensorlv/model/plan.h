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

#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"

/* ---- the plan ---- */

typedef struct tlv_plan tlv_plan;

/*
 * One step of a plan: takes the values of the pass before (values[i] NULL: no rows) and says what
 * comes next; pass->n = 0: done.  pass is zeroed beforehand.  After the step, whatever its status,
 * tlv_plan_next drops the values but those that were taken with tlv_plan_keep (or set to NULL).
 */
typedef tlv_status (*tlv_plan_step)(tlv_context *ctx, tlv_plan *plan, tlv_value **values,
									tlv_pass *pass);

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
#define TLV_PLAN_STATISTICS TLV_PASS_STATISTICS
#define TLV_PLAN_KEPT		4

/* The base of a family's plan; all of its memory is the context's. */
struct tlv_plan
{
	const tlv_plan_class *class;
	tlv_rows rows;
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

/*
 * The adapter: a plan as a procedure, over a source or a view of one.  Its model is in plan->image,
 * its values are dropped.  Errors: those of tlv_plan_next and of the passes.
 */
extern tlv_status tlv_plan_learn(tlv_context *ctx, tlv_plan *plan, tlv_source *rows);

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

/* Until the last plan is a procedure. */
#define tlv_plan_hold			 tlv_hold
#define tlv_plan_make			 tlv_make
#define tlv_plan_made			 tlv_made
#define tlv_plan_refine			 tlv_refine
#define tlv_plan_warn_fewer		 tlv_warn_fewer
#define tlv_plan_mean_likelihood tlv_mean_likelihood

/*
 * The end of a plan: plan->image becomes the model with the sections added and with its own
 * diagnostics followed by those given (NULL: none) and by "passes"; where rows with a null were
 * left out, with the warning "rows_skipped", and where passes saw different rows, with
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
 * A fit of k components where the rows can have them, else of as many as they can, 1 at least:
 * attempt makes the model of so many, held by the plan.  Refusals (TLV_NOT_IDENTIFIABLE,
 * TLV_BAD_DATA, TLV_BAD_PARAMETER) lower the number; where one component is refused, too, the error
 * is the first one.  The warning "fewer_components" says what was refused.
 */
typedef tlv_status (*tlv_plan_attempt)(tlv_context *ctx, tlv_plan *plan, const tlv_frame *from,
									   size_t k);
extern tlv_status tlv_plan_fit_fewer(tlv_context *ctx, tlv_plan *plan, const tlv_frame *from,
									 size_t k, tlv_plan_attempt attempt, tlv_fewer *fewer);
#endif /* TENSORLV_PLAN_H */
