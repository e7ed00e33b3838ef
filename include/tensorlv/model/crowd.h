/*
 * crowd.h - answers of many workers about the same items: the class of each item, and how reliable
 * each worker is (Dawid and Skene 1979).
 *
 * An item has an unknown class, of weight w, and every class is one of the answers.  A worker says
 * answer l of an item of class h with a probability that is the worker's own; answers are
 * independent given the class.  Two answers of one worker about one item are two draws.
 *
 * Answers are collected as they are (kind crowd_answers), since the fit reads them in every
 * iteration.  Such values are merged, so that the answers of a day are added to earlier ones.
 *
 * The room contains the answers, the fit from two initial estimates, posteriors without an item's
 * own answers, the agreement of workers, groups of workers who copy each other, which count as one
 * worker, and simulation.  Latent classes of several variables are in membership.h.
 */
#ifndef TENSORLV_CROWD_H
#define TENSORLV_CROWD_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/names.h"

/* ---- collected answers (answers.c) ---- */

/*
 * Takes rows of TLV_ROW_ANSWER; one without a worker tells an answer that is known.  Errors of a
 * row: TLV_BAD_PARAMETER where ids of items, workers or answers are told by number here and by name
 * there, TLV_BAD_DATA for two names of one id, TLV_LIMIT, memory.
 */
extern const tlv_aggregate tlv_aggregate_crowd_answers;
extern const tlv_aggregate tlv_aggregate_gold_answers;

/* The same, empty. */
extern tlv_status tlv_crowd_answers_create(tlv_context *ctx, tlv_accumulator **accumulator);

/* What ids are of. */
typedef enum tlv_crowd_set
{
	TLV_CROWD_ITEMS,
	TLV_CROWD_WORKERS,
	TLV_CROWD_ANSWERS,
	TLV_CROWD_SETS
} tlv_crowd_set;

/* What a set is called, in the plural. */
extern const char *const tlv_crowd_set_names[TLV_CROWD_SETS];

/* ---- models (model.c) ---- */

/* Answers that there may be to choose from. */
#define TLV_CROWD_MOST_ANSWERS ((size_t) 1000)

/*
 * A model in memory.  Classes are numbered by decreasing weight, answers by ascending id; class h
 * is answer component_answers[h].
 */
typedef struct tlv_crowd_parts
{
	size_t items_n, workers_n, answers_n, k;
	size_t names_n, bytes_n; /* ids that have names, bytes of these */
	size_t columns;			 /* workers times answers */
	double rows;			 /* answers given */
	double nulls;			 /* rows left out */
	double gold;			 /* items whose answer was known */
	double shrink;			 /* strength of the priors of confusions (internal.h) */
	double log_likelihood;
	double steps;
	double seed;
	double told[TLV_CROWD_SETS]; /* 1: ids are numbers, 2: of names; 0: there are none */
	int64_t *items, *workers, *answers;
	int64_t *component_answers; /* k */
	double *weights;			/* k */
	double *posterior;			/* k x items */
	double *known;				/* items: 1 where the answer was known */
	double *item_answers;		/* items: answers given */
	double *confusions;			/* k x columns: entry (h, j answers_n + l) */
	double *pool;				/* k x answers: of a worker who is not known */
	double *seen;				/* k x workers: items of the class that the worker answered */
	double *accuracy, *accuracy_error, *worker_answers; /* workers */
	double
		*copies; /* workers: the group of copying workers, from 1, 0: none; NULL: there are none */
	int64_t *name_ids, *name_offsets;
	char *names;
	tlv_diagnostics *diagnostics;
} tlv_crowd_parts;

/* The parts of a stored model: they point into it. */
extern void tlv_crowd_read(const tlv_frame *model, tlv_crowd_parts *parts);

/* What an id is called, bytes NULL where it is a number; the empty text is not NULL. */
extern tlv_text tlv_crowd_name(const tlv_crowd_parts *parts, tlv_crowd_set set, int64_t id);

/* The standard error of entry (h, j answers_n + l) of the confusions: that of a share of as many
 * items as the worker has seen, with those that the prior stands for. */
extern double tlv_crowd_confusion_error(const tlv_crowd_parts *parts, size_t h, size_t column);

/* ---- the fit (fit.c) ---- */

/* Where the ascent begins: both, and the higher likelihood is kept. */
typedef enum tlv_crowd_start
{
	TLV_CROWD_BOTH,
	TLV_CROWD_MAJORITY,
	TLV_CROWD_MOMENTS
} tlv_crowd_start;

/* Their names, in this order; NULL ends them. */
extern const char *const tlv_crowd_start_names[];

typedef struct tlv_crowd_options
{
	tlv_crowd_start start;
	bool plain;		  /* the start alone, without the ascent */
	bool independent; /* no worker copies: groups that do are not looked for */
	double shrink;	  /* strength of the priors of confusions, 0 .. 1000 */
	int iterations;	  /* at most; below 0: until the likelihood converges */
	int restarts;	  /* divisions of the workers for the moments; 0: 5 */
	uint64_t seed;
	const char *null_columns; /* of the rows, for a warning (source.h); NULL: not known */
	bool empty_gold;		  /* a query of known answers has returned no rows */
	double null_gold;		  /* or its rows with a null, which the answers count, too */
} tlv_crowd_options;

extern const tlv_crowd_options tlv_crowd_defaults;

/*
 * A model of collected answers by expectation maximisation from the majority's answers, from third
 * moments of three groups of workers (Zhang, Chen, Zhou and Jordan 2014), or the better of both.
 * Groups of workers who copy each other count as one worker.
 * *image is from the arena.  Errors: TLV_NO_ROWS, TLV_NOT_IDENTIFIABLE where only moments were
 * asked for and do not tell the classes apart, TLV_LIMIT for more than TLV_CROWD_MOST_ANSWERS
 * answers to choose from, TLV_BAD_PARAMETER, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_crowd_fit(tlv_context *ctx, const tlv_frame *answers,
								const tlv_crowd_options *options, void **image, size_t *size);

/* The same over answers and, where the source has labels, over those that are known; its options
 * are tlv_crowd_options. */
extern const tlv_procedure tlv_crowd_procedure;

/* ---- simulation (simulate.c) ---- */

/*
 * Items of k classes alike, of which every worker answers a share.  A worker is right with a
 * probability drawn between low and high, and else says what a Dirichlet(1) of the worker's own and
 * the class's says; of adversarial ones, a share, the answers are in another order.
 */
typedef struct tlv_crowd_simulation
{
	size_t items, workers, k;
	double share, low, high, adversarial;
	uint64_t seed;
} tlv_crowd_simulation;

/* All from 1. */
typedef struct tlv_crowd_answer
{
	size_t item, worker, answer, truth;
} tlv_crowd_answer;

typedef tlv_status (*tlv_crowd_put)(tlv_context *ctx, void *argument,
									const tlv_crowd_answer *answer);

/* Puts the answers, item by item.  Errors: TLV_BAD_PARAMETER, TLV_LIMIT, memory, TLV_CANCELLED,
 * those of put. */
extern tlv_status tlv_crowd_simulate(tlv_context *ctx, const tlv_crowd_simulation *options,
									 tlv_crowd_put put, void *argument);

#endif /* TENSORLV_CROWD_H */
