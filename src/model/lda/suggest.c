/*
 * suggest.c - what documents say about the number of topics (lda.h): the directions that
 * are significant in both halves, and under models of several k the likelihood of documents that
 * were held out and the coherence of topics.
 *
 * The models are learnt one after the other, and are compared side by side.  The documents that are
 * held out are seen in groups, so that two k are compared on the same documents and the difference
 * has a standard error.
 */
#include "learn.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/topics.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"

/* One in so many documents is held out, and falls into one of so many groups. */
#define HELD_OUT 5
#define GROUPS	 10

/* The grid: from 1 to half as many again as are significant, the number of these among them. */
#define MOST_K	   TLV_PASS_STATISTICS
#define LEAST_TOP  3
#define GRID_SHARE 1.5
/* Refinement steps of each; what more would add is alike for all. */
#define STEPS 20

/* One k and its model. */
typedef struct grid_member
{
	size_t k;
	tlv_held model;
	size_t groups; /* of held-out documents in which there were tokens */
	double score[GROUPS];
	double npmi; /* mean over its topics, and the error of that; NaN: not measured */
	double npmi_error;
} grid_member;

typedef struct suggestions
{
	const tlv_lda_learn_options *options;
	const char *criterion;
	size_t n;
	grid_member grid[MOST_K];
	size_t n_rows;
	tlv_suggestion *rows;
} suggestions;

static bool
wants(const suggestions *all, const char *criterion)
{
	return all->criterion == NULL || strcmp(all->criterion, criterion) == 0;
}

/* ---- what is suggested ---- */

static tlv_suggestion *
suggest_row(suggestions *all, size_t k, const char *criterion, double score)
{
	tlv_suggestion *row = &all->rows[all->n_rows++];

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
suggest_held_out(suggestions *all)
{
	size_t best = 0, first = all->n_rows, chosen;

	if (all->n == 0 || all->grid[0].groups < 2)
		return;
	for (size_t j = 1; j < all->n; j++)
		if (mean_score(&all->grid[j]) > mean_score(&all->grid[best]))
			best = j;
	chosen = best;
	for (size_t j = 0; j < all->n; j++)
	{
		const grid_member *member = &all->grid[j];
		tlv_suggestion *row = suggest_row(all, member->k, TLV_SUGGEST_HELD_OUT, mean_score(member));

		row->standard_error = difference_error(member, &all->grid[best]);
		if (j < chosen && row->score + row->standard_error >= mean_score(&all->grid[best]))
			chosen = j;
	}
	all->rows[first + chosen].chosen = true;
}

/* The k of the most coherent topics is chosen. */
static void
suggest_coherence(suggestions *all)
{
	tlv_suggestion *best = NULL;

	for (size_t j = 0; j < all->n; j++)
	{
		const grid_member *member = &all->grid[j];
		tlv_suggestion *row;

		if (isnan(member->npmi))
			continue;
		row = suggest_row(all, member->k, TLV_SUGGEST_COHERENCE, member->npmi);
		row->standard_error = member->npmi_error;
		if (best == NULL || row->score > best->score)
			best = row;
	}
	if (best != NULL)
		best->chosen = true;
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

/* One scan for all models. */
static tlv_status
collect_of_all(tlv_context *ctx, tlv_source *documents, const suggestions *all, const char *stage,
			   int passes_left, const tlv_aggregate *aggregate, tlv_value **values)
{
	tlv_statistic statistics[MOST_K];

	for (size_t j = 0; j < all->n; j++)
		statistics[j] =
			(tlv_statistic){.aggregate = aggregate, .constant = &all->grid[j].model.frame};
	return tlv_collect(ctx, documents, stage, passes_left, all->n, statistics, values);
}

/* Where there are fewer items than it looks at there is none. */
static tlv_status
compare_coherence(tlv_context *ctx, tlv_source *documents, suggestions *all)
{
	tlv_value *values[MOST_K];

	if (all->n == 0 || tlv_frame_find(&all->grid[0].model.frame, "items")->rows < TLV_COHERENCE_TOP)
		return TLV_OK;
	TLV_TRY(collect_of_all(ctx, documents, all, "coherence", 1, &tlv_aggregate_coherence, values));
	for (size_t j = 0; j < all->n; j++)
	{
		if (values[j] != NULL)
			measure_coherence(&values[j]->frame, &all->grid[j].npmi, &all->grid[j].npmi_error);
		tlv_value_drop(values[j]);
	}
	return TLV_OK;
}

/* ---- documents that were held out ---- */

static tlv_status
compare_held_out(tlv_context *ctx, tlv_source *documents, suggestions *all)
{
	tlv_value *values[MOST_K];
	tlv_source held_out;

	for (int group = 0; group < GROUPS && all->n > 0; group++)
	{
		tlv_source_fold(&held_out, documents, HELD_OUT * GROUPS, HELD_OUT * group);
		TLV_TRY(collect_of_all(ctx, &held_out, all, "held-out likelihood", GROUPS - group,
							   &tlv_aggregate_completion, values));
		for (size_t j = 0; j < all->n; j++)
		{
			const tlv_frame *seen = values[j] != NULL ? &values[j]->frame : NULL;
			double tokens = seen != NULL ? tlv_frame_scalar(seen, "tokens", 0) : 0;
			grid_member *member = &all->grid[j];

			if (tokens > 0)
				member->score[member->groups++] =
					tlv_frame_scalar(seen, "log_likelihood", 0) / tokens;
			tlv_value_drop(values[j]);
		}
	}
	return TLV_OK;
}

/* ---- the grid ---- */

static void
grid_add(suggestions *all, size_t k)
{
	size_t at = 0;

	while (at < all->n && all->grid[at].k < k)
		at++;
	if (at < all->n && all->grid[at].k == k)
		return;
	if (all->n == MOST_K) /* in place of the one below it */
		at--;
	else
		memmove(&all->grid[at + 1], &all->grid[at], (all->n++ - at) * sizeof(grid_member));
	all->grid[at] = (grid_member){.k = k, .npmi = NAN, .npmi_error = NAN};
}

static void
make_grid(suggestions *all, size_t k)
{
	double top = fmin((double) all->options->max_k, fmax(LEAST_TOP, ceil(GRID_SHARE * (double) k)));

	for (size_t j = 0; j < MOST_K; j++)
		grid_add(all, top <= MOST_K ? (size_t) fmin((double) j + 1, top)
									: (size_t) round(pow(top, (double) j / (MOST_K - 1))));
	grid_add(all, k);
}

/* Its model; nothing else stays. */
static tlv_status
learn_member(tlv_context *ctx, tlv_source *training, const suggestions *all, grid_member *member)
{
	tlv_lda_learn_options options = *all->options;
	tlv_held model = {0};
	tlv_scratch scratch;
	tlv_status status;

	options.fit.k = member->k;
	options.refine = "gibbs";
	options.iterations = STEPS;
	tlv_scratch_begin(ctx, &scratch);
	status = tlv_lda_procedure.learn(ctx, training, &options, &model);
	if (status == TLV_OK)
		status = tlv_hold(ctx, &member->model, model.image, model.size);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

/* Without documents to learn from there is no grid. */
static tlv_status
learn_grid(tlv_context *ctx, tlv_source *documents, suggestions *all)
{
	tlv_source training;

	tlv_source_within(&training, documents);
	tlv_source_without_fold(&training, &training, HELD_OUT, 0);
	for (size_t j = 0; j < all->n; j++)
	{
		int passes = documents->rows.passes;
		tlv_status status = learn_member(ctx, &training, all, &all->grid[j]);

		if ((status == TLV_NO_ROWS || status == TLV_BAD_DATA) &&
			documents->rows.passes == passes + 1)
			all->n = 0;
		else
			TLV_TRY(status);
	}
	return TLV_OK;
}

/* ---- the whole ---- */

static tlv_status
suggest_of_models(tlv_context *ctx, tlv_source *documents, size_t k, suggestions *all)
{
	make_grid(all, k);
	TLV_TRY(learn_grid(ctx, documents, all));
	if (wants(all, TLV_SUGGEST_HELD_OUT))
	{
		TLV_TRY(compare_held_out(ctx, documents, all));
		suggest_held_out(all);
	}
	if (wants(all, TLV_SUGGEST_COHERENCE))
	{
		TLV_TRY(compare_coherence(ctx, documents, all));
		suggest_coherence(all);
	}
	return TLV_OK;
}

/* The number of topics by the directions of the documents, which must be such as can be learnt
 * from. */
static tlv_status
choose_by_directions(tlv_context *ctx, tlv_source *documents, lda_learning *fit)
{
	tlv_value *summary;

	TLV_TRY(lda_choose_k(ctx, documents, fit));
	if (!fit->choice.untested)
		return TLV_OK;
	TLV_TRY(lda_summarise(ctx, documents, &fit->counts, &summary));
	TLV_TRY(lda_require_documents(ctx, summary, fit->choice.documents > 0));
	tlv_value_drop(summary);
	return TLV_OK;
}

tlv_status
tlv_lda_suggest(tlv_context *ctx, tlv_source *documents, const tlv_lda_learn_options *options,
				const char *criterion, tlv_suggestion **rows, size_t *n)
{
	suggestions all = {.options = options, .criterion = criterion};
	const lda_choice *choice;
	tlv_source choosing;
	lda_learning fit;

	TLV_TRY_CONTINUE(ctx);
	lda_begin(options, &fit);
	choice = &fit.choice;
	tlv_source_within(&choosing, documents);
	TLV_TRY(choose_by_directions(ctx, &choosing, &fit));
	TLV_TRY_NEW0(ctx, all.rows, choice->n_z + 1 + 2 * MOST_K);
	if (wants(&all, TLV_SUGGEST_SIGNIFICANCE))
		all.n_rows = tlv_lda_suggest_significance(choice->n_z, choice->z, choice->k, choice->pooled,
												  all.rows);
	if (wants(&all, TLV_SUGGEST_HELD_OUT) || wants(&all, TLV_SUGGEST_COHERENCE))
		TLV_TRY(suggest_of_models(ctx, documents, choice->k, &all));
	*rows = all.rows;
	*n = all.n_rows;
	return TLV_OK;
}
