/*
 * source_fixture.h - a source (source.h) of rows in memory, as the server's driver makes one of a
 * query, over which procedures run, and which lets them fail between any two of
 * their passes.
 *
 * What lies between two passes is a step: it is counted, and can be cancelled or refused memory.  A
 * run is recorded: what the passes gave is handed out again in later runs, up to the pass that goes
 * wrong, so that every fault in every step costs little more than the steps.
 */
#ifndef TENSORLV_TEST_SOURCE_FIXTURE_H
#define TENSORLV_TEST_SOURCE_FIXTURE_H

#include "assertions.h"
#include "pool.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/source.h"

#define FIXTURE_MOST_PASSES 500

/* Rows of one source. */
typedef struct fixture_rows
{
	size_t n;
	const tlv_row *rows;
} fixture_rows;

typedef struct source_fixture
{
	tlv_context *ctx; /* the procedure's */
	pool *memory;	  /* its memory */
	fixture_rows rows[2];
	tlv_rows told; /* form, widths and names, handed to every procedure */
	size_t room;   /* bytes that a step may take beside what is taken; 0: no limit */

	/* What goes wrong: at pass number so many, from 1; 0: nowhere. */
	int nothing_at;	   /* it gives nothing */
	int nothing_of;	   /* its source */
	bool nothing_fold; /* it was over a part of the rows, which may have none */
	int changed_at;	   /* from it on the rows are these */
	fixture_rows changed;
	int stop_at;	   /* in the step that takes its values (1 + passes: the first step has none) */
	size_t stop_after; /* at the call of should_stop after so many in that step */
	int limit_at;	   /* in that step the arena has room for so many bytes more */
	size_t limit;

	/* What happened. */
	size_t used;   /* bytes in the arena where the step began */
	tlv_pass pass; /* the last one that was asked for */
	int source;	   /* and its source */
	int passes;
	int values;	  /* that are not dropped */
	size_t steps; /* of the procedure, and of each: calls of should_stop, bytes it needed at once */
	size_t calls[FIXTURE_MOST_PASSES + 1], needed[FIXTURE_MOST_PASSES + 1];
	size_t kept[FIXTURE_MOST_PASSES + 1];		 /* bytes in the arena after it */
	const char *stages[FIXTURE_MOST_PASSES + 1]; /* of the pass that it asked for; NULL: none */

	/* The recorded passes. */
	int recorded;
	size_t recorded_n[FIXTURE_MOST_PASSES];
	void *recorded_images[FIXTURE_MOST_PASSES][TLV_PASS_STATISTICS];
} source_fixture;

/* A fixture in that context: no rows, no faults, nothing recorded. */
static inline void
fixture_begin(source_fixture *f, tlv_context *ctx, pool *memory)
{
	memset(f, 0, sizeof(*f));
	f->ctx = ctx;
	f->memory = memory;
}

/* ---- values that count themselves ---- */

typedef struct fixture_value
{
	tlv_value base;
	source_fixture *fixture;
	void *image;
} fixture_value;

static inline void
fixture_value_release(tlv_value *value)
{
	fixture_value *own = (fixture_value *) value;

	own->fixture->values--;
	free(own->image);
	free(own);
}

/* A copy of an image as a value; NULL for NULL. */
static inline tlv_value *
fixture_value_of(source_fixture *f, const void *image)
{
	size_t size = image == NULL ? 0 : ((const tlv_frame_header *) image)->size;
	fixture_value *value;

	if (image == NULL)
		return NULL;
	value = calloc(1, sizeof(fixture_value));
	assert_non_null(value);
	value->fixture = f;
	value->image = malloc(size);
	assert_non_null(value->image);
	memcpy(value->image, image, size);
	assert_int_equal(tlv_frame_open(f->ctx, value->image, size, &value->base.frame), TLV_OK);
	value->base.release = fixture_value_release;
	f->values++;
	return &value->base;
}

/* ---- which rows a pass sees, and how ---- */

static inline bool
fixture_part_misses(const tlv_part *part)
{
	bool missing = part->type == TLV_PART_NONE;

	for (size_t i = 0; i < part->n * part->d; i++)
		missing |= (part->missing != NULL && part->missing[i]) ||
				   (part->type == TLV_PART_CODES && part->codes[i] < 0);
	return missing;
}

/* Parts of a row: those of its form. */
static inline bool
fixture_row_is_complete(const tlv_row *row)
{
	int parts = (row->form & (TLV_ROW_VIEWS | TLV_ROW_CATEGORIES)) != 0 ? 3 : 1;

	if ((row->form & (TLV_ROW_BAG | TLV_ROW_EDGE | TLV_ROW_NEIGHBOURS)) != 0)
		return true;
	for (int i = 0; i < parts; i++)
		if (fixture_part_misses(&row->part[i]))
			return false;
	return true;
}

/* As tlv_fold does it for bags, after the server's length word. */
static inline int
fixture_fold_of(const tlv_row *row, int folds)
{
	uint64_t hash;

	if (row->form == TLV_ROW_BAG)
		hash = tlv_fingerprint((const char *) row->bag + sizeof(uint32_t),
							   tlv_bag_image_size(row->bag) - sizeof(uint32_t), 1);
	else
		hash =
			tlv_fingerprint(row->part[0].data, row->part[0].n * row->part[0].d * sizeof(double), 1);
	return (int) ((hash >> 11) % (uint64_t) folds);
}

/* The bag with every weight at most cap. */
static inline tlv_bag_image *
fixture_weighted(tlv_context *ctx, const tlv_bag_image *bag, double scale, double cap)
{
	int64_t *items = tlv_alloc(ctx, bag->n, sizeof(int64_t));
	double *weights = tlv_alloc(ctx, bag->n, sizeof(double));
	tlv_bag_image *damped;

	assert_non_null(items);
	assert_non_null(weights);
	assert_int_equal(tlv_bag_read(ctx, bag, items, weights), TLV_OK);
	for (size_t i = 0; i < bag->n; i++)
		weights[i] = scale > 0 ? scale * weights[i] : weights[i] < cap ? weights[i] : cap;
	damped = tlv_alloc0(ctx, tlv_bag_size(bag->n, items, weights), 1);
	assert_non_null(damped);
	tlv_bag_write(bag->n, items, weights, damped);
	tlv_free(ctx, items);
	tlv_free(ctx, weights);
	return damped;
}

/* ---- a pass ---- */

/* The value as the server stores it and reads it again: small ones may hold their rows. */
static inline tlv_status
fixture_stored(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder,
			   void **image)
{
	const tlv_accumulator_class *class = accumulator->class;
	void *sums = NULL;
	tlv_frame frame;
	size_t size;

	TLV_TRY(tlv_accumulator_store(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, image, &size));
	TLV_TRY(tlv_frame_open(ctx, *image, size, &frame));
	if (class->sums != NULL)
		TLV_TRY(class->sums(ctx, &frame, &sums, &size));
	if (sums != NULL)
		*image = sums;
	return TLV_OK;
}

/* All statistics in one scan: their images, in ctx, NULL where there was no row. */
static inline tlv_status
fixture_scan(source_fixture *f, tlv_context *ctx, const fixture_rows *source, void **images)
{
	const tlv_pass *pass = &f->pass;
	tlv_accumulator *accumulators[TLV_PASS_STATISTICS];
	tlv_frame_builder *builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));
	size_t seen = 0;

	TLV_TRY_ALLOC(ctx, builder);
	for (size_t i = 0; i < pass->n; i++)
		TLV_TRY(tlv_statistic_create(ctx, &pass->statistics[i], &accumulators[i]));
	for (size_t t = 0; t < source->n; t++)
	{
		tlv_row row = source->rows[t];

		if (pass->folds > 0 && (fixture_fold_of(&row, pass->folds) == pass->fold) == pass->others)
			continue;
		if (pass->complete && !fixture_row_is_complete(&row))
		{
			f->told.left_out++;
			continue;
		}
		if (pass->damp > 0 || pass->scale > 0)
			row.bag = fixture_weighted(ctx, row.bag, pass->scale, pass->damp);
		for (size_t i = 0; i < pass->n; i++)
		{
			row.form = source->rows[t].form;
			TLV_TRY(tlv_add(ctx, accumulators[i], &row));
		}
		seen++;
	}
	for (size_t i = 0; i < pass->n && seen > 0; i++)
		TLV_TRY(fixture_stored(ctx, accumulators[i], builder, &images[i]));
	return TLV_OK;
}

/* What the pass gives, also for the record where there is none of it. */
static inline tlv_status
fixture_pass(source_fixture *f, tlv_value **values)
{
	bool changed = f->changed_at > 0 && f->passes >= f->changed_at;
	bool diverged = changed || (f->nothing_at > 0 && f->passes > f->nothing_at);
	const fixture_rows *source = changed && f->source == 0 ? &f->changed : &f->rows[f->source];
	void *images[TLV_PASS_STATISTICS] = {NULL};
	tlv_status status;
	tlv_context ctx;
	pool memory;

	f->told.left_out = 0;
	pool_init(&memory, &ctx);
	status = fixture_scan(f, &ctx, source, images);
	for (size_t i = 0; i < f->pass.n; i++)
		values[i] = fixture_value_of(f, images[i]);
	if (status == TLV_OK && !diverged)
	{
		int at = f->recorded++;

		assert_below(at, FIXTURE_MOST_PASSES);
		f->recorded_n[at] = f->pass.n;
		for (size_t i = 0; i < f->pass.n; i++)
		{
			size_t size = images[i] == NULL ? 0 : ((const tlv_frame_header *) images[i])->size;

			f->recorded_images[at][i] = images[i] == NULL ? NULL : malloc(size);
			if (images[i] != NULL)
				memcpy(f->recorded_images[at][i], images[i], size);
		}
	}
	if (status != TLV_OK)
		f->ctx->error = ctx.error;
	pool_reset(&memory, &ctx);
	return status;
}

/* The same from the record, as far as that goes and holds. */
static inline tlv_status
fixture_pass_or_record(source_fixture *f, tlv_value **values)
{
	int at = f->passes - 1;

	if (at >= f->recorded || (f->changed_at > 0 && f->passes >= f->changed_at) ||
		(f->nothing_at > 0 && f->passes > f->nothing_at))
		return fixture_pass(f, values);
	assert_int_equal(f->recorded_n[at], f->pass.n);
	for (size_t i = 0; i < f->pass.n; i++)
		values[i] = fixture_value_of(f, f->recorded_images[at][i]);
	return TLV_OK;
}

/* ---- runs ---- */

/* From here to the next pass, or to the end: under what goes wrong in it. */
static inline void
fixture_step_begins(source_fixture *f)
{
	int step = f->passes + 1;

	f->used = f->ctx->arena.used;
	f->memory->calls = 0;
	f->memory->stop_at = f->stop_at == step ? f->stop_after + 1 : 0;
	f->ctx->arena.peak = f->used;
	f->ctx->arena.limit = f->limit_at == step ? f->used + f->limit
						  : f->room > 0		  ? f->used + f->room
											  : SIZE_MAX;
}

/* stage: of the pass that follows; NULL: none. */
static inline void
fixture_step_ends(source_fixture *f, const char *stage)
{
	f->calls[f->steps] = f->memory->calls;
	f->needed[f->steps] = f->ctx->arena.peak - f->used;
	f->kept[f->steps] = f->ctx->arena.used;
	f->stages[f->steps] = stage;
	f->steps++;
	f->ctx->arena.limit = SIZE_MAX;
	f->memory->stop_at = 0;
}

typedef struct fixture_source
{
	tlv_source source; /* first */
	source_fixture *fixture;
	int number;
} fixture_source;

static inline tlv_status
fixture_source_pass(tlv_context *ctx, tlv_source *source, const tlv_pass *asked, tlv_value **values)
{
	const fixture_source *own = (const fixture_source *) source;
	source_fixture *f = own->fixture;
	tlv_status status = TLV_OK;

	f->pass = *asked;
	f->source = own->number;
	fixture_step_ends(f, asked->stage);
	assert_below(f->passes, FIXTURE_MOST_PASSES);
	assert_at_most(asked->n, TLV_PASS_STATISTICS);
	assert_non_null(asked->stage);
	f->passes++;
	if (f->nothing_at == f->passes)
	{
		f->nothing_of = own->number;
		f->nothing_fold = asked->folds > 0;
	}
	else
		status = fixture_pass_or_record(f, values);
	for (size_t i = 0; i < asked->n && status != TLV_OK; i++)
	{
		tlv_value_drop(values[i]);
		values[i] = NULL;
	}
	source->rows.left_out = f->told.left_out;
	source->rows.passes = f->passes;
	fixture_step_begins(f);
	return status;
}

/* What is learnt: the fixture's rows by a procedure. */
typedef struct fixture_learner
{
	const tlv_procedure *procedure;
	const void *options;
	bool errors;
	/* Where there is no procedure: a function over the rows that makes no model. */
	tlv_status (*function)(tlv_context *ctx, tlv_source *rows, void *argument);
	void *argument;
} fixture_learner;

/* Runs it to its end, or to the first error, after which nothing is kept. */
static inline tlv_status
fixture_learn(source_fixture *f, const fixture_learner *learner, tlv_held *model)
{
	fixture_source sources[2] = {{{.pass = fixture_source_pass, .rows = f->told}, f, 0},
								 {{.pass = fixture_source_pass, .rows = f->told}, f, 1}};
	tlv_status status;

	sources[0].source.labels = f->rows[1].rows != NULL ? &sources[1].source : NULL;
	f->passes = 0;
	f->steps = 0;
	*model = (tlv_held){0};
	fixture_step_begins(f);
	if (learner->procedure != NULL)
		status = tlv_learn(f->ctx, learner->procedure, learner->options, &sources[0].source,
						   learner->errors, model);
	else
	{
		status = learner->function(f->ctx, &sources[0].source, learner->argument);
		tlv_source_end(&sources[0].source);
	}
	fixture_step_ends(f, NULL);
	assert_int_equal(f->values, 0);
	return status;
}

/* The model of a run that must succeed, valid in all its parts. */
static inline tlv_frame
fixture_learn_model(source_fixture *f, const fixture_learner *learner)
{
	tlv_held model;
	tlv_status status = fixture_learn(f, learner, &model);
	tlv_frame frame;

	if (status != TLV_OK)
		fail_msg("status %d: %s", (int) status, f->ctx->error.message);
	assert_non_null(model.image);
	status = tlv_kind_validate(f->ctx, model.image, model.size, TLV_FRAME_MODEL, &frame);
	if (status != TLV_OK)
		fail_msg("status %d: %s", (int) status, f->ctx->error.message);
	return frame;
}

/* In a stage of several passes the procedure keeps no more from one to the next, but for so many
 * bytes. Returns how many passes followed another. */
static inline size_t
fixture_steady_passes(const source_fixture *f, const char *stage, size_t bytes)
{
	size_t passes = 0;

	for (size_t step = 1; step < f->steps; step++)
		if (f->stages[step - 1] != NULL && f->stages[step] != NULL &&
			strcmp(f->stages[step - 1], stage) == 0 && strcmp(f->stages[step], stage) == 0)
		{
			assert_at_most(f->kept[step], f->kept[step - 1] + bytes);
			passes++;
		}
	return passes;
}

/* Passes recorded so far that gave products which refer to their subspace. */
static inline size_t
fixture_referring_passes(const source_fixture *f)
{
	size_t referring = 0;

	for (int at = 0; at < f->recorded; at++)
	{
		const tlv_frame_header *image = f->recorded_images[at][0];
		tlv_frame frame;

		assert_int_equal(tlv_frame_open(f->ctx, image, image->size, &frame), TLV_OK);
		referring += image->kind == TLV_KIND_COUNT_PRODUCTS && tlv_count_refers(&frame);
	}
	return referring;
}

static inline void
fixture_forget(source_fixture *f)
{
	for (int at = 0; at < f->recorded; at++)
		for (size_t i = 0; i < f->recorded_n[at]; i++)
			free(f->recorded_images[at][i]);
	f->recorded = 0;
}

/* ---- every fault in every state ---- */

static inline tlv_status
fixture_try(source_fixture *f, const fixture_learner *tested, tlv_held *model)
{
	f->memory->stopped_calls = 0;
	return fixture_learn(f, tested, model);
}

static inline void
fixture_no_faults(source_fixture *f)
{
	f->nothing_at = f->changed_at = f->stop_at = f->limit_at = 0;
	f->stop_after = f->limit = 0;
}

/* After an error there is a message, and the plan says nothing of an internal one. */
static inline void
fixture_assert_clean(const source_fixture *f, tlv_status status, const char *fault, int state)
{
	if (status == TLV_INTERNAL || status == TLV_CORRUPT ||
		(status != TLV_OK && f->ctx->error.message[0] == '\0'))
		fail_msg("%s in state %d: status %d: %s", fault, state, (int) status,
				 f->ctx->error.message);
}

static inline void
fixture_assert_status(const source_fixture *f, tlv_status status, tlv_status wanted,
					  const char *fault, int state)
{
	if (status != wanted)
		fail_msg("%s in state %d: status %d instead of %d: %s", fault, state, (int) status,
				 (int) wanted, f->ctx->error.message);
}

/* Whether a fault is tried at that third of that step: at each; under the sanitizers, where a run
 * takes three times as long, at one of every fifth step, which changes from step to step, and
 * memory is refused in others than those in which something is cancelled. */
static inline bool
fixture_tries(size_t step, size_t part)
{
#ifdef __SANITIZE_ADDRESS__
	return step % 5 == 0 && part == step / 5 % 3;
#else
	return true;
#endif
}

/* Whether rows change or vanish in that pass: in each; under the sanitizers in the first two and
 * every fourth. */
static inline bool
fixture_tries_pass(int at)
{
#ifdef __SANITIZE_ADDRESS__
	return at <= 2 || at % 4 == 0;
#else
	return true;
#endif
}

/*
 * Passes that give nothing: at first there are no rows, later they are gone, which is another
 * error, but for those over a fold or of a second source, which may have no rows.
 */
static inline void
fixture_lose_rows(source_fixture *f, const fixture_learner *tested, int passes)
{
	for (int at = 1; at <= passes; at++)
	{
		tlv_status status;
		tlv_held model;

		if (!fixture_tries_pass(at))
			continue;
		fixture_no_faults(f);
		f->nothing_at = at;
		status = fixture_try(f, tested, &model);
		if (f->nothing_fold && status == TLV_OK)
			continue; /* it may go on from the whole */
		if (at == 1 && status == TLV_NO_ROWS)
			assert_non_null(strstr(f->ctx->error.message, "no row"));
		else if (f->nothing_of == 0 || status != TLV_OK)
			fixture_assert_status(f, status, TLV_BAD_DATA, "no rows", at);
	}
}

/* Rows that are others from a pass on: a clean error, or a valid model. */
static inline void
fixture_change_rows(source_fixture *f, const fixture_learner *tested, int passes)
{
	for (int at = 2; at <= passes; at++)
	{
		tlv_status status;
		tlv_held model;

		if (!fixture_tries_pass(at))
			continue;
		fixture_no_faults(f);
		f->changed_at = at;
		status = fixture_try(f, tested, &model);
		fixture_assert_clean(f, status, "changed rows", at);
		if (status == TLV_OK && model.image != NULL)
		{
			tlv_frame frame;

			assert_int_equal(
				tlv_kind_validate(f->ctx, model.image, model.size, TLV_FRAME_MODEL, &frame),
				TLV_OK);
		}
	}
}

/* Cancelled at the first, a middle and the last call of should_stop in a step: nobody goes on. */
static inline void
fixture_cancel(source_fixture *f, const fixture_learner *tested, size_t steps, const size_t *calls)
{
	for (size_t step = 0; step < steps; step++)
		for (size_t part = 0; part <= 2; part++)
		{
			tlv_status status;
			tlv_held model;

			fixture_no_faults(f);
			f->stop_at = (int) step + 1;
			f->stop_after = (calls[step] - 1) * part / 2;
			if (!fixture_tries(step, part) || (part > 0 && fixture_tries(step, part - 1) &&
											   f->stop_after == (calls[step] - 1) * (part - 1) / 2))
				continue;
			status = fixture_try(f, tested, &model);
			fixture_assert_status(f, status, TLV_CANCELLED, "cancelled", (int) step + 1);
			assert_int_equal(f->memory->stopped_calls, 0);
		}
}

/* Memory refused at once, after half of what a step needs, and just before all of it. */
static inline void
fixture_refuse_memory(source_fixture *f, const fixture_learner *tested, size_t steps,
					  const size_t *needed)
{
	for (size_t step = 0; step < steps; step++)
		for (size_t part = 0; part <= 2 && needed[step] > 0; part++)
		{
			tlv_held model;
			tlv_status status;

			if (!fixture_tries(step + 1, part))
				continue;
			fixture_no_faults(f);
			f->limit_at = (int) step + 1;
			f->limit = (needed[step] - 1) * part / 2;
			status = fixture_try(f, tested, &model);
			if (status == TLV_OK && tested->errors)
				continue; /* the model is kept, with a warning */
			fixture_assert_status(f, status, TLV_MEMORY_LIMIT, "memory refused", (int) step + 1);
		}
}

/*
 * All of these, for a learner that succeeds without a fault.  The tests hand in rows of which a
 * part is gone, or that are wider, in f->changed; what the faults leave in the pool is given back
 * at the end of the test.  Returns the number of states there were.
 */
static inline size_t
fixture_try_all_faults(source_fixture *f, const fixture_learner *tested)
{
	size_t calls[FIXTURE_MOST_PASSES + 1], needed[FIXTURE_MOST_PASSES + 1], steps;
	tlv_held model;
	int passes;

	fixture_no_faults(f);
	assert_int_equal(fixture_try(f, tested, &model), TLV_OK);
	passes = f->passes;
	steps = f->steps;
	memcpy(calls, f->calls, sizeof(calls));
	memcpy(needed, f->needed, sizeof(needed));
	fixture_lose_rows(f, tested, passes);
	if (f->changed.rows != NULL)
		fixture_change_rows(f, tested, passes);
	fixture_cancel(f, tested, steps, calls);
	fixture_refuse_memory(f, tested, steps, needed);
	fixture_no_faults(f);
	return steps;
}

/* ---- procedures; of none of these a pass stays recorded ---- */

static inline size_t
procedure_fail_everywhere(source_fixture *f, const tlv_procedure *procedure, const void *options,
						  bool errors)
{
	size_t states = fixture_try_all_faults(
		f, &(fixture_learner){.procedure = procedure, .options = options, .errors = errors});

	fixture_forget(f);
	return states;
}

/*
 * Only the rows that are others from a pass on, for a learner that has had all faults: a second
 * kind of change needs no second round of cancels and refusals.
 */
static inline void
procedure_change_everywhere(source_fixture *f, const tlv_procedure *procedure, const void *options)
{
	const fixture_learner tested = {.procedure = procedure, .options = options};
	tlv_held model;

	fixture_no_faults(f);
	assert_int_equal(fixture_try(f, &tested, &model), TLV_OK);
	fixture_change_rows(f, &tested, f->passes);
	fixture_no_faults(f);
	fixture_forget(f);
}

static inline tlv_frame
procedure_model(source_fixture *f, const tlv_procedure *procedure, const void *options, bool errors)
{
	tlv_frame model = fixture_learn_model(
		f, &(fixture_learner){.procedure = procedure, .options = options, .errors = errors});

	fixture_forget(f);
	return model;
}

/* The same; what it leaves in the arena is no more than that many models. */
static inline tlv_frame
procedure_small_model(source_fixture *f, const tlv_procedure *procedure, const void *options,
					  double models)
{
	size_t used = f->ctx->arena.used;
	tlv_frame model = procedure_model(f, procedure, options, false);

	assert_at_most((double) (f->ctx->arena.used - used),
				   models * (double) model.header->size + 65536);
	return model;
}

static inline tlv_status
procedure_run(source_fixture *f, const tlv_procedure *procedure, const void *options)
{
	tlv_held model;
	tlv_status status =
		fixture_learn(f, &(fixture_learner){.procedure = procedure, .options = options}, &model);

	fixture_forget(f);
	return status;
}

#endif /* TENSORLV_TEST_SOURCE_FIXTURE_H */
