/*
 * layout.h - the meaning of the sections of a model for functions that read or renumber models of
 * any kind: one record per kind of model.
 *
 * A component has a number, its place in the sections that are of components, and may have a label.
 * A component whose weight is exactly 0 is not there: it keeps its number and its parameters for a
 * model to which it comes back, infers 0, and takes no part in anything.
 *
 * The check of a model's sections is in sections.h, and what the model computes is in model.h.
 */
#ifndef TENSORLV_LAYOUT_H
#define TENSORLV_LAYOUT_H

#include "tensorlv/model/model.h"
#include "tensorlv/num/names.h"

struct tlv_given;

/* How a section is written for people and programs (tlv_to_json). */
typedef enum tlv_field_form
{
	TLV_FIELD_NUMBER,	   /* 1 x 1: a number */
	TLV_FIELD_FLAG,		   /* 1 x 1, 0 or 1: true or false */
	TLV_FIELD_CHOICE,	   /* 1 x 1: one of names, the number of which it is */
	TLV_FIELD_LIST,		   /* n x 1: a list of numbers */
	TLV_FIELD_IDS,		   /* n x 1, int64: a list of whole numbers */
	TLV_FIELD_BY_ROWS,	   /* a list of its rows */
	TLV_FIELD_BY_COLUMNS,  /* a list of its columns */
	TLV_FIELD_SYMMETRIC,   /* columns are packed symmetric matrices: a list of these, by rows */
	TLV_FIELD_TEXTS,	   /* int64 offsets, the bytes in `beside`: a list of texts, null: none */
	TLV_FIELD_LINES,	   /* bytes, texts ended by '\n' (num/names.h): a list of texts */
	TLV_FIELD_MEMBERSHIPS, /* uint16 counts, uint16 communities in `beside` and float shares in
							* `behind`: a list of lists of [community from 1, share] */
	TLV_FIELDS_END
} tlv_field_form;

/* What a section has to do with components. */
#define TLV_OF_ROWS		 1u	   /* a row for every component */
#define TLV_OF_COLUMNS	 2u	   /* a column for every component */
#define TLV_ZERO_ABSENT	 4u	   /* 0 for one that is not there */
#define TLV_KEEP_TOTAL	 8u	   /* sums to what it did when some have gone: every column */
#define TLV_NOT_TO		 16u   /* transitions: none to one that is not there; columns sum to 1 */
#define TLV_ORIENTED	 32u   /* turned round with its component */
#define TLV_MAY_BE_EMPTY 64u   /* lacks in some models of the kind */
#define TLV_DEFAULT_ZERO 128u  /* 0 where it is not said */
#define TLV_MAY_GO		 512u  /* goes where a component comes from a model that has it not */
#define TLV_AT_MOST_N	 1024u /* of a number: no more than there are components */
#define TLV_UNIT_LENGTH	 2048u /* over keys: of length 1 or 0, and not shares */
#define TLV_SAME_IDS	 4096u /* ids: those of a model that a component comes from */
#define TLV_BYTES_FIRST                                                                            \
	256u /* of texts: the bytes are called so, the offsets stand in `beside`                       \
		  */

typedef struct tlv_field
{
	const char *name; /* of the section; of all but TLV_FIELD_TEXTS and _MEMBERSHIPS in JSON, too */
	tlv_field_form form;
	unsigned flags;
	const char *keys; /* the section of ids that the other axis is of, ascending; NULL: none */
	double least;	  /* of shares over keys */
	const char *beside, *behind;
	const char *json;		  /* its name there; NULL: the section's */
	const char *const *names; /* of a choice; NULL ends them */
} tlv_field;

/* Where component i of a renumbered model comes from. */
typedef struct tlv_place
{
	int64_t own;   /* component of the model, from 0; -1: it is not there */
	int64_t other; /* the component of the reference that has this place; -1: none */
} tlv_place;

/* Sections of variances and of the means that they are about; NULL ends a list. */
typedef struct tlv_spread
{
	const char *variances, *means;
	const char *own;	/* a scalar: `shared` where all components have the same variances, which
						   merged ones have not, `separate` where each has its own; NULL: each has */
	const char *counts; /* values that are 1 for each Poisson mean, whose variance is the mean;
						   NULL: there are none */
	double shared, separate;
} tlv_spread;

struct tlv_layout
{
	const tlv_field *fields; /* in the order in which they are written; TLV_FIELDS_END */
	/* The section of components' weights: rows are added up; of one whose columns are components,
	 * the squares of a column.  NULL: components have no weights and cannot be renumbered. */
	const char *weights;
	/* Series of diagnostics that components have, by their first names, "value_1"; NULL ends them,
	 * or the list itself is NULL. */
	const char *const *series;
	/* Renumbers sections that the fields do not describe; NULL: there are none.  Diagnostics are
	 * those of the new model. */
	tlv_status (*arrange)(tlv_context *ctx, const tlv_frame *model, const tlv_frame *reference,
						  size_t n, const tlv_place *places, const tlv_diagnostics *diagnostics,
						  void **image, size_t *size);
	/* Fills in sections of a model that is made elsewhere which follow from those that were given
	 * (model_json.h), a list that an entry without a field ends; NULL: there are none. */
	tlv_status (*complete)(tlv_context *ctx, struct tlv_given *given);
	/* What merged components vary by, in addition to their weighted means: a list, which is empty
	 * where there are no variances.  NULL: components of the kind cannot be merged. */
	const tlv_spread *spreads;
	/* Moves what the marked components (k) have to component `to`, for sections that the fields do
	 * not describe; NULL: there are none. */
	tlv_status (*merge)(tlv_context *ctx, const tlv_frame *model, const bool *marked, size_t to,
						void **image, size_t *size);
	/* Distances of all components from each other, k x k; NULL: those of tlv_model_match. */
	tlv_status (*apart)(tlv_context *ctx, const tlv_frame *model, double *distance);
	/* Whether component i of the model points away from component j of the reference; NULL: they
	 * have no orientation. */
	bool (*opposed)(const tlv_frame *model, size_t i, const tlv_frame *reference, size_t j);
};

/* Its record; every kind of model has one. */
extern const tlv_layout *tlv_layout_of(const tlv_frame *model);

/* The field of a section, or NULL. */
extern const tlv_field *tlv_layout_field(const tlv_layout *layout, const char *section);

/* ---- labels ---- */

/* Bytes of the longest label. */
#define TLV_LABEL_MOST 1000

/* The sections "component_offsets" and "component_labels" (names.h); NULL ends the list. */
#define TLV_LABEL_SECTIONS 2
extern const char *const tlv_label_sections[TLV_LABEL_SECTIONS + 1];

/* The labels of a model's components, empty where it has none. */
extern tlv_name_list tlv_labels_of(const tlv_frame *model);

/* The label of a component, from 0; bytes NULL where it has none. */
extern tlv_text tlv_component_label(const tlv_frame *model, size_t component);

/* The same, but bytes NULL where the label is the one that the model's kind gives of itself. */
extern tlv_text tlv_given_label(const tlv_frame *model, size_t component);

/* Part of a model's check: as many labels as components.  TLV_CORRUPT otherwise. */
extern tlv_status tlv_labels_check(tlv_context *ctx, const tlv_frame *model);

/* The model with that label of a component, from 0; bytes NULL takes it away.  Errors:
 * TLV_BAD_PARAMETER for a component that it has not and a label that is too long, memory. */
extern tlv_status tlv_label_component(tlv_context *ctx, const tlv_frame *model, size_t component,
									  tlv_text label, void **image, size_t *size);

/* The model with these labels, one for every component, and no others; bytes NULL: none.  The
 * digest, and with it what statistics are of, follows.  Errors: memory. */
extern tlv_status tlv_labels_put(tlv_context *ctx, const tlv_frame *model, const tlv_text *labels,
								 void **image, size_t *size);

/* The image of a model that another one has become, as many components with the same numbers: with
 * its labels.  Errors: memory. */
extern tlv_status tlv_labels_keep(tlv_context *ctx, const tlv_frame *model, void **image,
								  size_t *size);

/* ---- numbers of components ---- */

/* Weights of the components (as many as it has), summing to 1: TLV_BAD_PARAMETER for a kind
 * whose components have none. */
extern tlv_status tlv_model_weights(tlv_context *ctx, const tlv_frame *model, double *weights);

/* Whether a component is not there. */
extern bool tlv_component_is_absent(const tlv_frame *model, size_t component);

/*
 * The model renumbered: n components, each from its place.  One that is not there has what the
 * reference has in its place, with weight 0.  Labels are the reference's, where it has one for the
 * place, else the component's own.  Errors: TLV_BAD_PARAMETER for a kind that cannot be renumbered
 * and for sections of the reference that do not fit, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_model_arrange(tlv_context *ctx, const tlv_frame *model,
									const tlv_frame *reference, size_t n, const tlv_place *places,
									void **image, size_t *size);

/*
 * The model with the numbers of a reference of the same kind, by the assignment of tlv_model_match;
 * two that are farther apart than `farthest` (NaN: no limit) are not the same.  A component of the
 * reference without a partner keeps its number at weight 0, one of the model without is appended.
 */
extern tlv_status tlv_model_align(tlv_context *ctx, const tlv_frame *model,
								  const tlv_frame *reference, double farthest, void **image,
								  size_t *size);

/* Marks those of k components that have one of the n numbers, from 1; verb: what they are marked
 * for.  Error: TLV_BAD_PARAMETER for a number that is no component's. */
extern tlv_status tlv_mark_components(tlv_context *ctx, const char *verb, size_t k, size_t n,
									  const int32_t *numbers, bool *marked);

/* The model without its components of a weight of at most tolerance, and without the n components
 * of the numbers (from 1) in drop; the others move up.  Errors: TLV_BAD_PARAMETER for a number that
 * is no component's and when none is left. */
extern tlv_status tlv_model_compact(tlv_context *ctx, const tlv_frame *model, double tolerance,
									size_t n_drop, const int32_t *drop, void **image, size_t *size);

/* The model with the n components of these numbers (from 1) as one, which has the least of the
 * numbers and its label; the others move up.  Weights are added; probabilities, means and
 * covariances are those of the mixture of the components.  Errors: TLV_BAD_PARAMETER for a number
 * that is no component's and for components of weight 0, memory. */
extern tlv_status tlv_model_merge(tlv_context *ctx, const tlv_frame *model, size_t n,
								  const int32_t *components, void **image, size_t *size);

/* Distances of all components from each other, k x k, of which the diagonal stays as it is: those
 * of the layout, or of tlv_model_match of models of one component each.  Errors: those of
 * tlv_model_arrange and tlv_model_match. */
extern tlv_status tlv_model_distances(tlv_context *ctx, const tlv_frame *model, double *distance);

/*
 * Components merged by likeness until n groups are left: the two that are nearest by the mean
 * distance of their components, which count by their weights.  (*group)[j]: that of component j,
 * from 0 in the order of their first components, below 0 of one that is not there.  Errors: those
 * of tlv_model_weights and tlv_model_match, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_model_groups(tlv_context *ctx, const tlv_frame *model, size_t n,
								   int64_t **group);

/* Two groups, by a component of each, become one, at their mean distance. */
typedef struct tlv_merger
{
	size_t a;
	size_t b;
	double distance;
} tlv_merger;

/*
 * The same from distances of k components (k x k, symmetric) and their weights, both of which are
 * used up: what is merged, in order, until n groups are left; those of weight 0 are none.  mergers
 * has k - 1 entries; *count: how many.  group (k), which may be NULL: a component of the group that
 * each belongs to.  Errors: TLV_CANCELLED.
 */
extern tlv_status tlv_merge_components(tlv_context *ctx, size_t k, double *distance,
									   double *weights, size_t n, tlv_merger *mergers,
									   size_t *count, int64_t *group);

#endif /* TENSORLV_LAYOUT_H */
