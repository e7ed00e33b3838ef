/*
 * model.h - what a fitted model of any kind can do: one record per kind.
 *
 * The stored form of a kind is in sections.h, its components by number and label are in layout.h,
 * and learning is in source.h.
 */
#ifndef TENSORLV_MODEL_H
#define TENSORLV_MODEL_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/names.h"

/* A model opened for use: parameters, dictionary, work space.  The frame's memory must outlive it.
 */
typedef struct tlv_model tlv_model;

/* The assignment of least total distance between the components of two models. */
typedef struct tlv_match
{
	size_t k;			/* components of a */
	int64_t *component; /* of b, from 0, for each of a; -1 where b has fewer */
	double *distance;	/* between the two; NaN, or the distance from nothing, without */
} tlv_match;

/* A step of refinement. */
typedef struct tlv_step
{
	/*
	 * What the new statistics count, above 0 and up to 1: the step is taken with weight times the
	 * statistics and 1 - weight times those that the model expects, both of one row (token, step).
	 * 1: they alone, which is a step of expectation maximisation.
	 */
	double weight;
	/* NULL, or one entry for each component, 0, 1, 2, ... at first: gets the number that component
	 * i of the new model had before, where the step renumbers. */
	int64_t *order;
} tlv_step;

/* With weight 1, and in whatever order. */
extern const tlv_step tlv_whole_step;

/* What its sections are (layout.h), and what it is drawn into (picture.h). */
typedef struct tlv_layout tlv_layout;
typedef struct tlv_picture tlv_picture;
typedef struct tlv_picture_normals tlv_picture_normals;
/* How it is shown in a browser (page.h). */
typedef struct tlv_page_view tlv_page_view;
/* Tests of new rows (drift.h). */
typedef struct tlv_drift tlv_drift;
/* Estimates and their standard errors (errors.h). */
typedef struct tlv_estimates tlv_estimates;
typedef struct tlv_score_sink tlv_score_sink;

/* Variables of rows of codes that are numbers, by the ranges that these fall into. */
typedef struct tlv_code_ranges
{
	const int64_t *ranged; /* variables: 1 for a number, else 0; NULL: none is */
	const double *lower;   /* categories of all variables: where the range of a number begins */
	const double *centres; /* the same: the mean of its values */
} tlv_code_ranges;

/*
 * Categories of rows of codes by name: those of variable after variable.  A row has every variable
 * `copies` times.
 */
typedef struct tlv_code_names
{
	size_t variables, copies;
	const int64_t *states; /* categories of each variable */
	tlv_name_list names;   /* offsets NULL: they have none, codes are what they are */
	tlv_code_ranges ranges;
} tlv_code_names;

/* Is the variable a number? */
static inline bool
tlv_code_is_ranged(const tlv_code_names *names, size_t variable)
{
	return names->ranges.ranged != NULL && names->ranges.ranged[variable] != 0;
}

/* The code of the range that a number falls into, of a variable whose ranges begin with category
 * `first`; what is below them all is in the first one. */
extern int32_t tlv_code_of_number(const tlv_code_names *names, size_t variable, size_t first,
								  double x);

/* The code of a category of that variable, whose names begin with name `first`; -1: not known. */
extern int32_t tlv_code_called(const tlv_code_names *names, size_t variable, size_t first,
							   tlv_text name);

/* Are all categories of the variable whole numbers by name, as the caller's were? */
extern bool tlv_codes_are_numbered(const tlv_code_names *names, size_t variable, size_t first);

/* The number that a code stands for: its name where they are numbered, otherwise the code itself.
 */
extern int64_t tlv_code_number(const tlv_code_names *names, size_t variable, size_t first,
							   int64_t code);

/* How ids are told. */
typedef enum tlv_ids
{
	TLV_IDS_ANY, /* there are none, or either will do */
	TLV_IDS_NUMBERS,
	TLV_IDS_NAMES
} tlv_ids;

typedef struct tlv_model_class
{
	/* Of a declared kind (sections.h), or NULL. */
	const tlv_sections *sections;
	const tlv_layout *layout;
	/* Opens the model; NULL: there is nothing to prepare. */
	tlv_status (*open)(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);
	/* Makes numbers that rows cannot tell apart the same, before the model is stored: image is the
	 * frame's.  NULL: they stay as they are. */
	tlv_status (*round)(tlv_context *ctx, const tlv_frame *frame, void *image);
	/* Which of its sizes (tlv_dimension) is the number of components; of one that is not declared,
	 * or has no such size, components says it. */
	int components_size;
	size_t (*components)(const tlv_frame *frame);
	/* How many numbers its rows have, which may have names (dimension_names.h); 0, or no such
	 * member: they are no vectors. */
	size_t (*dimensions)(const tlv_frame *frame);
	/* The names of the values of its rows where they are not those of dimensions, each ended by
	 * '\n', and how many they are; NULL: there are none, nor where there is no such member. */
	const char *(*value_lines)(const tlv_frame *frame, size_t *n);
	/* What the categories of its rows of codes are called (tlv_code_names); NULL: nothing. */
	void (*code_names)(const tlv_frame *frame, tlv_code_names *names);
	/* How the ids of a part of its rows are told, and whether that id is one that the model knows;
	 * NULL: its rows have no ids, or either will do. */
	tlv_ids (*ids)(const tlv_model *model, int part, int64_t id, bool *known);
	/* What a component is called when nobody has named it: bytes NULL, nothing; digits are room for
	 * a number.  NULL: none has a name of its own. */
	tlv_text (*own_label)(const tlv_frame *model, size_t component, char digits[24]);
	/* The forms of rows that infer, log_likelihood and decode take, a set of tlv_row_form with
	 * TLV_ROWS_MISSING_...; empty where there is none of these.  One model may take fewer. */
	unsigned rows;
	/* What a row says of the hidden variables: see tlv_posterior. */
	tlv_status (*infer)(tlv_context *ctx, tlv_model *model, const tlv_row *row,
						tlv_posterior *posterior);
	/* Log-likelihood of a row, nats: of a bag given its inferred memberships. */
	tlv_status (*log_likelihood)(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								 double *value);
	/* Sequences: the most probable states, one for each step, from 0. */
	tlv_status (*decode)(tlv_context *ctx, tlv_model *model, const tlv_row *row, int32_t *states);
	/* A row with what is missing filled in: the means of numbers given the rest of the row, the
	 * most probable of categories and symbols; n steps (1: no sequence) of as many numbers.  Rows
	 * are those of infer and, of vectors, may have missing elements. */
	tlv_status (*impute)(tlv_context *ctx, tlv_model *model, const tlv_row *row,
						 tlv_posterior *filled);
	/* An accumulator of expected sufficient statistics; method names a refinement, NULL the usual
	 * one. */
	tlv_status (*statistics)(tlv_context *ctx, tlv_model *model, const char *method,
							 tlv_accumulator **accumulator);
	/* An accumulator of held-out likelihood by completion. */
	tlv_status (*completion)(tlv_context *ctx, tlv_model *model, tlv_accumulator **accumulator);
	/* An accumulator of joint document frequencies of every component's top items. */
	tlv_status (*coherence)(tlv_context *ctx, tlv_model *model, size_t top,
							tlv_accumulator **accumulator);
	/* The model after one refinement step with those statistics: a new frame. */
	tlv_status (*update)(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
						 const tlv_step *step, void **image, size_t *size);
	/* The components of another model b of the same kind, one to one to those of a: see tlv_match.
	 * Memory is there.  Errors: TLV_BAD_PARAMETER for models that cannot be compared. */
	tlv_status (*match)(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match);
	/* Adds tests of statistics against the model that they were collected under. */
	tlv_status (*drift)(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
						tlv_drift *drift);
	/* Of a class without estimates, why: a hint. */
	const char *no_estimates;
	/* All estimates (errors.h), in an order that depends on the sizes alone, standard errors not
	 * known yet. */
	tlv_status (*estimates)(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list);
	/* Of likelihood models: the score of a row, as one vector or several that hardly depend on each
	 * other (tlv_scores_next). */
	tlv_status (*score)(tlv_context *ctx, tlv_model *model, const tlv_row *row,
						tlv_score_sink *sink);
	/* Scores are those of an approximate likelihood: how far the model is from where that is
	 * greatest says nothing of its errors. */
	bool approximate_scores;
	/* Of others: an accumulator of what standard errors need; NULL: they need nothing but the
	 * model. */
	tlv_status (*errors)(tlv_context *ctx, tlv_model *model, tlv_accumulator **accumulator);
	/* Standard errors and counts of a list of all estimates from such statistics, of this model; of
	 * a class without errors from NULL. */
	tlv_status (*standard_errors)(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
								  tlv_estimates *list);
	/* The same model with other values of its estimates, in their order: probabilities of a group
	 * need not sum to 1, nor variances be positive.  NULL: none are drawn. */
	tlv_status (*redraw)(tlv_context *ctx, const tlv_frame *model, const double *values,
						 void **image, size_t *size);
	/* Why posteriors are not taken over drawn models, where that makes them no better: a hint;
	 * NULL: they are. */
	const char *certain;
	/* The components as normal distributions, among which rows are drawn; NULL: of this kind no
	 * rows are. */
	tlv_status (*normals)(tlv_context *ctx, const tlv_frame *model, tlv_picture_normals *normals);
	/* A picture of the model. */
	tlv_status (*draw)(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture);
	/* The page of the model. */
	const tlv_page_view *page;
} tlv_model_class;

struct tlv_model
{
	const tlv_model_class *class;
	tlv_frame frame;
	unsigned rows; /* of the class's, those that this model takes */
};

/* For open: a model of that frame, bytes long, beyond its head zero, which takes all rows that its
 * class takes. */
extern tlv_status tlv_model_create(tlv_context *ctx, const tlv_frame *frame, size_t bytes,
								   tlv_model **model);

/* ---- use ---- */

/*
 * Opens a model for rows; one with components that are not there (layout.h) as a model of the
 * others, whose posteriors have a 0 in their places and whose statistics are what tlv_model_update
 * wants.
 */
extern tlv_status tlv_model_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);

/* What it was fitted to, as its statistics count: rows, tokens, or steps; 0: not known. */
extern double tlv_model_units(const tlv_frame *frame);

/* Its number of components. */
extern size_t tlv_model_components(const tlv_frame *frame);

/* What is open of a model of which some components are not there (their weight is 0): the model of
 * the others, *place their numbers from 0; the model itself, *place NULL, where all are. */
extern tlv_model *tlv_model_present(tlv_model *model, const int64_t **place);

/* TLV_BAD_PARAMETER where some are not; what: the aggregate that needs all of them, for the hint.
 */
extern tlv_status tlv_require_present(tlv_context *ctx, tlv_model *model, const char *what);

/*
 * The members above, checked: TLV_BAD_PARAMETER where the model cannot do it, or not with rows of
 * that form.  Errors of the row itself are the class's: TLV_BAD_DATA for another width or numbers
 * that are not finite.
 */
extern tlv_status tlv_model_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								  tlv_posterior *posterior);
extern tlv_status tlv_model_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row,
										   double *value);
extern tlv_status tlv_model_decode(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								   int32_t *states);
extern tlv_status tlv_model_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								   tlv_posterior *filled);

/* The same of a class that has it, as the class numbers the components; it keeps the names of its
 * dimensions. */
extern tlv_status tlv_model_step(tlv_context *ctx, const tlv_frame *model,
								 const tlv_frame *statistics, const tlv_step *step, void **image,
								 size_t *size);

/*
 * The model after one refinement step with those statistics (tlv_step), a new image that its kind
 * accepts; NULL where the statistics contain no observation, and the model stays as it is.
 * Components keep their numbers and labels.  Errors: TLV_BAD_PARAMETER for a weight that
 * is not above 0 and at most 1; those of the class; TLV_BAD_DATA for statistics that lead to no
 * valid model.
 */
extern tlv_status tlv_model_update(tlv_context *ctx, const tlv_frame *model,
								   const tlv_frame *statistics, double weight, void **image,
								   size_t *size);

/* That check without a row: `what` names in the error what cannot be done with rows of the form. */
extern tlv_status tlv_model_require(tlv_context *ctx, const tlv_model *model, tlv_row_form form,
									const char *what);

/* A value that was made, before it is stored: of a model whose class rounds its numbers, they are,
 * and the digest is the new one.  Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_model_round(tlv_context *ctx, void *image, size_t size);

/* Compares two models of one kind; *match is made in the context's memory.  TLV_BAD_PARAMETER: of
 * two kinds, or names of dimensions in another order. */
extern tlv_status tlv_model_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b,
								  tlv_match *match);

#endif /* TENSORLV_MODEL_H */
