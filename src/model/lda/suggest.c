/*
 * suggest.c - what documents say about the number of topics, as a plan (lda.h): the directions that
 * are significant in both halves, and under models of several k the likelihood of documents that
 * were held out and the coherence of topics.
 *
 * The models are learnt by plans of their own, side by side: in every pass over the rows are the
 * statistics of all of them that see the rows alike.  The documents that are held out are seen in
 * groups, so that two k are compared on the same documents and the difference has a standard error.
 */
#include "tensorlv/model/lda.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/counts.h"
#include "tensorlv/model/topics.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"

/* One in so many documents is held out, and falls into one of so many groups. */
#define HELD_OUT 5
#define GROUPS	 10

/* The grid: from 1 to half as many again as are significant, the number of these among them. */
#define MOST_K	   TLV_PLAN_STATISTICS
#define LEAST_TOP  3
#define GRID_SHARE 1.5
/* Refinement steps of each; what more would add is alike for all. */
#define STEPS 20

/* One k and the plan that learns its model. */
typedef struct grid_member
{
	size_t k;
	tlv_plan *plan;
	tlv_pass pass;	 /* that it waits for; n = 0: its model is done */
	tlv_frame model; /* when it is */
	bool taking;	 /* part in the pass over the rows that runs */
	size_t groups;	 /* in which there were tokens */
	double score[GROUPS];
	double npmi; /* mean over its topics, and the error of that; NaN: not measured */
	double npmi_error;
} grid_member;

typedef struct suggest_plan
{
	tlv_plan base;
	tlv_lda_plan_options options;
	const char *criterion;
	tlv_plan *choice; /* of k by significance */
	size_t n;
	grid_member grid[MOST_K];
	tlv_statistic statistics[MOST_K]; /* of the members that take part */
	bool begun;						  /* there are documents to learn from */
	int group;
	size_t n_rows;
	tlv_suggestion *rows;
} suggest_plan;

static suggest_plan *
suggest_plan_of(tlv_plan *plan)
{
	return (suggest_plan *) plan;
}

static bool
wants(const suggest_plan *plan, const char *criterion)
{
	return plan->criterion == NULL || strcmp(plan->criterion, criterion) == 0;
}

/* ---- what is suggested ---- */

static tlv_suggestion *
suggest_row(suggest_plan *plan, size_t k, const char *criterion, double score)
{
	tlv_suggestion *row = &plan->rows[plan->n_rows++];

	*row = (tlv_suggestion){.k = k, .criterion = criterion, .score = score};
	return row;
}

size_t
tlv_lda_suggest_significance(size_t n, const double *z, size_t k, bool in_order,
							 tlv_suggestion *rows)
{
	for (size_t j = 0; j < n; j++)
	{
		double score = isnan(z[j]) ? -HUGE_VAL : z[j];
		size_t at = j;

		for (; !in_order && at > 0 && rows[at - 1].score < score; at--)
			rows[at].score = rows[at - 1].score;
		rows[at].score = score;
	}
	if (n == 0)
		rows[n++].score = -HUGE_VAL;
	for (size_t j = 0; j < n; j++)
		rows[j] = (tlv_suggestion){.k = j + 1,
								   .criterion = TLV_SUGGEST_SIGNIFICANCE,
								   .score = isfinite(rows[j].score) ? rows[j].score : NAN,
								   .standard_error = 1,
								   .chosen = j + 1 == (k > 0 ? k : 1)};
	return n;
}

static void
suggest_significance(suggest_plan *plan)
{
	size_t n;
	const double *z = tlv_lda_plan_z(plan->choice, &n);

	plan->n_rows = tlv_lda_suggest_significance(n, z, tlv_lda_plan_k(plan->choice),
												tlv_lda_plan_pooled(plan->choice), plan->rows);
}

static double
mean_score(const grid_member *member)
{
	double sum = 0;

	for (size_t g = 0; g < member->groups; g++)
		sum += member->score[g];
	return sum / (double) member->groups;
}

/* Standard error of the mean difference of two over the groups; 0 of one of itself. */
static double
difference_error(const grid_member *a, const grid_member *b)
{
	double n = (double) a->groups, mean = mean_score(a) - mean_score(b), sum = 0;

	for (size_t g = 0; g < a->groups; g++)
	{
		double rest = a->score[g] - b->score[g] - mean;

		sum += rest * rest;
	}
	return n > 1 ? sqrt(sum / (n * (n - 1))) : NAN;
}

/* The least k that is within one standard error of the best is chosen. */
static void
suggest_held_out(suggest_plan *plan)
{
	size_t best = 0, first = plan->n_rows, chosen;

	if (plan->n == 0 || plan->grid[0].groups < 2)
		return;
	for (size_t j = 1; j < plan->n; j++)
		if (mean_score(&plan->grid[j]) > mean_score(&plan->grid[best]))
			best = j;
	chosen = best;
	for (size_t j = 0; j < plan->n; j++)
	{
		const grid_member *member = &plan->grid[j];
		tlv_suggestion *row =
			suggest_row(plan, member->k, TLV_SUGGEST_HELD_OUT, mean_score(member));

		row->standard_error = difference_error(member, &plan->grid[best]);
		if (j < chosen && row->score + row->standard_error >= mean_score(&plan->grid[best]))
			chosen = j;
	}
	plan->rows[first + chosen].chosen = true;
}

/* The k of the most coherent topics is chosen. */
static void
suggest_coherence(suggest_plan *plan)
{
	tlv_suggestion *best = NULL;

	for (size_t j = 0; j < plan->n; j++)
	{
		const grid_member *member = &plan->grid[j];
		tlv_suggestion *row;

		if (isnan(member->npmi))
			continue;
		row = suggest_row(plan, member->k, TLV_SUGGEST_COHERENCE, member->npmi);
		row->standard_error = member->npmi_error;
		if (best == NULL || row->score > best->score)
			best = row;
	}
	if (best != NULL)
		best->chosen = true;
}

static tlv_status
suggest_finish(suggest_plan *plan)
{
	if (wants(plan, TLV_SUGGEST_HELD_OUT))
		suggest_held_out(plan);
	suggest_coherence(plan);
	return TLV_OK;
}

/* ---- coherence of the topics, over all documents ---- */

/* Mean and standard error over the topics of a model. */
static void
measure_coherence(const tlv_frame *counts, double *mean, double *error)
{
	size_t top = tlv_frame_find(counts, "items")->rows,
		   k = tlv_frame_find(counts, "items")->columns;
	const double *joint = tlv_frame_float64(counts, "joint");
	double documents = tlv_frame_scalar(counts, "documents", 0), sum = 0, squares = 0;

	for (size_t j = 0; j < k; j++)
	{
		double npmi, umass;

		tlv_topic_coherence(top, joint + j * tlv_packed2_size(top), documents, &npmi, &umass);
		sum += npmi;
		squares += npmi * npmi;
	}
	*mean = sum / (double) k;
	*error = k > 1 ? sqrt(fmax(squares - sum * *mean, 0) / ((double) k * (double) (k - 1))) : NAN;
}

static tlv_status
take_coherence(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	suggest_plan *plan = suggest_plan_of(base);

	(void) ctx;
	(void) pass;
	for (size_t j = 0; j < plan->n; j++)
		if (values[j] != NULL)
			measure_coherence(&values[j]->frame, &plan->grid[j].npmi, &plan->grid[j].npmi_error);
	return suggest_finish(plan);
}

/* Where there are fewer items than coherence looks at there is none. */
static tlv_status
coherence_or_finish(suggest_plan *plan, tlv_pass *pass)
{
	if (!wants(plan, TLV_SUGGEST_COHERENCE) || plan->n == 0 ||
		tlv_frame_find(&plan->grid[0].model, "items")->rows < TLV_COHERENCE_TOP)
		return suggest_finish(plan);
	for (size_t j = 0; j < plan->n; j++)
		tlv_plan_ask(&plan->base, pass, "coherence", &tlv_aggregate_coherence, take_coherence)
			->constant = &plan->grid[j].model;
	pass->passes_left = 1;
	return TLV_OK;
}

/* ---- documents that were held out ---- */

static void ask_held_out(suggest_plan *plan, tlv_pass *pass);

static tlv_status
take_held_out(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	suggest_plan *plan = suggest_plan_of(base);

	for (size_t j = 0; j < plan->n; j++)
	{
		const tlv_frame *seen = values[j] != NULL ? &values[j]->frame : NULL;
		double tokens = seen != NULL ? tlv_frame_scalar(seen, "tokens", 0) : 0;
		grid_member *member = &plan->grid[j];

		if (tokens > 0)
			member->score[member->groups++] = tlv_frame_scalar(seen, "log_likelihood", 0) / tokens;
	}
	if (++plan->group == GROUPS)
		return coherence_or_finish(plan, pass);
	ask_held_out(plan, pass);
	return TLV_OK;
}

/* One group of them, under all models. */
static void
ask_held_out(suggest_plan *plan, tlv_pass *pass)
{
	for (size_t j = 0; j < plan->n; j++)
	{
		tlv_statistic *statistic = tlv_plan_ask(&plan->base, pass, "held-out likelihood",
												&tlv_aggregate_completion, take_held_out);

		statistic->constant = &plan->grid[j].model;
	}
	pass->folds = HELD_OUT * GROUPS;
	pass->fold = HELD_OUT * plan->group;
	pass->passes_left = GROUPS - plan->group;
}

/* ---- the models, side by side ---- */

static tlv_status take_training(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								tlv_pass *pass);

static bool
same_rows(const tlv_pass *a, const tlv_pass *b)
{
	return a->source == b->source && a->damp == b->damp && a->scale == b->scale &&
		   a->complete == b->complete;
}

/* The next pass of the first that waits, and of all that wait for the same rows. */
static tlv_status
ask_training(suggest_plan *plan, tlv_pass *pass)
{
	const tlv_pass *first = NULL;
	size_t n = 0;

	for (size_t j = 0; j < plan->n; j++)
	{
		grid_member *member = &plan->grid[j];

		first = first == NULL && member->pass.n > 0 ? &member->pass : first;
		member->taking = member->pass.n > 0 && same_rows(first, &member->pass);
		if (member->taking)
			plan->statistics[n++] = member->pass.statistics[0];
	}
	if (n == 0 && !wants(plan, TLV_SUGGEST_HELD_OUT))
		return coherence_or_finish(plan, pass);
	if (n == 0)
	{
		ask_held_out(plan, pass);
		return TLV_OK;
	}
	pass->source = first->source;
	pass->damp = first->damp;
	pass->scale = first->scale;
	pass->complete = first->complete;
	pass->folds = HELD_OUT;
	pass->others = true;
	pass->n = n;
	pass->statistics = plan->statistics;
	pass->stage = first->stage;
	plan->base.then = take_training;
	return TLV_OK;
}

/* A plan of ours takes the value of its one statistic, which is its own from here on. */
static tlv_status
forward(tlv_context *ctx, suggest_plan *plan, tlv_plan *to, tlv_value **value, tlv_pass *pass)
{
	tlv_value *own[TLV_PLAN_STATISTICS] = {value != NULL ? *value : NULL};

	if (value != NULL)
		*value = NULL;
	to->rows = plan->base.rows;
	to->rows.names = NULL;
	TLV_TRY(tlv_plan_next(ctx, to, value != NULL ? own : NULL, pass));
	tlv_assert(pass->n <= 1);
	return TLV_OK;
}

/* One step of a member; without documents to begin with there is no held-out likelihood. */
static tlv_status
member_forward(tlv_context *ctx, suggest_plan *plan, grid_member *member, tlv_value **value)
{
	tlv_status status = forward(ctx, plan, member->plan, value, &member->pass);

	if (!plan->begun && (status == TLV_NO_ROWS || status == TLV_BAD_DATA))
	{
		plan->n = 0;
		return TLV_OK;
	}
	TLV_TRY(status);
	if (member->pass.n == 0)
		TLV_TRY(tlv_frame_open(ctx, member->plan->image, member->plan->size, &member->model));
	return TLV_OK;
}

static tlv_status
take_training(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	suggest_plan *plan = suggest_plan_of(base);
	size_t at = 0;

	for (size_t j = 0; j < plan->n; j++)
		if (plan->grid[j].taking)
			TLV_TRY(member_forward(ctx, plan, &plan->grid[j], &values[at++]));
	if (plan->n == 0)
		return suggest_finish(plan);
	plan->begun = true;
	return ask_training(plan, pass);
}

/* ---- the grid ---- */

static void
grid_add(suggest_plan *plan, size_t k)
{
	size_t at = 0;

	while (at < plan->n && plan->grid[at].k < k)
		at++;
	if (at < plan->n && plan->grid[at].k == k)
		return;
	if (plan->n == MOST_K) /* in place of the one below it */
		at--;
	else
		memmove(&plan->grid[at + 1], &plan->grid[at], (plan->n++ - at) * sizeof(grid_member));
	plan->grid[at] = (grid_member){.k = k, .npmi = NAN, .npmi_error = NAN};
}

static tlv_status
make_grid(tlv_context *ctx, suggest_plan *plan)
{
	size_t k = tlv_lda_plan_k(plan->choice);
	double top = fmin((double) plan->options.max_k, fmax(LEAST_TOP, ceil(GRID_SHARE * (double) k)));

	for (size_t j = 0; j < MOST_K; j++)
		grid_add(plan, top <= MOST_K ? (size_t) fmin((double) j + 1, top)
									 : (size_t) round(pow(top, (double) j / (MOST_K - 1))));
	grid_add(plan, k);
	for (size_t j = 0; j < plan->n; j++)
	{
		tlv_lda_plan_options options = plan->options;

		options.fit.k = plan->grid[j].k;
		options.refine = "gibbs";
		options.iterations = STEPS;
		TLV_TRY(tlv_lda_plan_create(ctx, &options, &plan->grid[j].plan));
	}
	return TLV_OK;
}

/* ---- the plan ---- */

static tlv_status
learn_grid(tlv_context *ctx, suggest_plan *plan, tlv_pass *pass)
{
	TLV_TRY(make_grid(ctx, plan));
	for (size_t j = 0; j < plan->n; j++)
		TLV_TRY(member_forward(ctx, plan, &plan->grid[j], NULL));
	return ask_training(plan, pass);
}

static tlv_status
take_choice(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	suggest_plan *plan = suggest_plan_of(base);
	size_t n;

	TLV_TRY(forward(ctx, plan, plan->choice, values, pass));
	if (pass->n > 0)
	{
		base->then = take_choice;
		return TLV_OK;
	}
	(void) tlv_lda_plan_z(plan->choice, &n);
	TLV_TRY_NEW0(ctx, plan->rows, n + 1 + 2 * MOST_K);
	if (wants(plan, TLV_SUGGEST_SIGNIFICANCE))
		suggest_significance(plan);
	if (!wants(plan, TLV_SUGGEST_HELD_OUT) && !wants(plan, TLV_SUGGEST_COHERENCE))
		return TLV_OK;
	return learn_grid(ctx, plan, pass);
}

static void
suggest_abandon(tlv_plan *base)
{
	suggest_plan *plan = suggest_plan_of(base);

	tlv_plan_abandon(plan->choice);
	for (size_t j = 0; j < MOST_K; j++)
		if (plan->grid[j].plan != NULL)
			tlv_plan_abandon(plan->grid[j].plan);
}

tlv_status
tlv_lda_suggest_plan_create(tlv_context *ctx, const tlv_lda_plan_options *options,
							const char *criterion, tlv_plan **result)
{
	static const tlv_plan_class class = {
		.name = "tlv_suggest_k", .next = take_choice, .abandon = suggest_abandon};
	tlv_lda_plan_options choice = *options;
	suggest_plan *plan;

	TLV_TRY_NEW0(ctx, plan, 1);
	plan->base.class = &class;
	plan->options = *options;
	plan->criterion = criterion;
	choice.only_k = true;
	TLV_TRY(tlv_lda_plan_create(ctx, &choice, &plan->choice));
	*result = &plan->base;
	return TLV_OK;
}

const tlv_suggestion *
tlv_lda_suggestions(const tlv_plan *base, size_t *n)
{
	const suggest_plan *plan = (const suggest_plan *) base;

	*n = plan->n_rows;
	return plan->rows;
}
