/*
 * permutation.c - whether the topics of a model say anything of documents: their perplexity beside
 * that of documents whose items have been shuffled (Huang 2016, chapter 6).
 */
#include <math.h>

#include "internal.h"

/* The occurrences of all documents, sorted by item, then by document. */
typedef struct occurrences
{
	size_t documents, items, n;
	size_t *start;	   /* items + 1 */
	int32_t *document; /* n */
	double *count;
} occurrences;

/* Documents made anew of them. */
typedef struct shuffled
{
	size_t *start;	/* documents + 1 */
	int32_t *order; /* documents: some permutation */
	int32_t *to;	/* n: the document of an occurrence */
	int32_t *index; /* n, by document, then by item */
	double *count;
} shuffled;

/* The log-likelihood of a token. */
static tlv_status
mean_of(tlv_context *ctx, double log_likelihood, double tokens, double *mean)
{
	if (!(tokens > 0))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the documents have no tokens that could be scored");
		return tlv_fail_hint(ctx, "Give documents with two or more items that the model knows.");
	}
	*mean = log_likelihood / tokens;
	return TLV_OK;
}

/* Scores the documents as they are, as tlv_perplexity does; start[i + 1]: documents with item i. */
static tlv_status
score_observed(tlv_context *ctx, tlv_lda_model *model, const tlv_bag_image *const *bags,
			   occurrences *all, double *mean)
{
	double log_likelihood = 0, tokens = 0;

	for (size_t t = 0; t < all->documents; t++)
	{
		const tlv_document *document = &model->document;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_lda_document(ctx, model, bags[t]));
		for (size_t i = 0; i < document->n_known; i++)
			all->start[document->index[i] + 1]++;
		TLV_TRY(tlv_lda_complete(ctx, model, document->n_known, document->index, document->known,
								 tlv_lda_completion_seed(bags[t]), &log_likelihood, &tokens));
	}
	return mean_of(ctx, log_likelihood, tokens, mean);
}

/* The second pass: every occurrence to its item. */
static tlv_status
lda_collect(tlv_context *ctx, tlv_lda_model *model, const tlv_bag_image *const *bags,
			occurrences *all)
{
	size_t *next;

	for (size_t i = 0; i < all->items; i++)
		all->start[i + 1] += all->start[i];
	all->n = all->start[all->items];
	TLV_TRY_NEW(ctx, next, all->items + 1);
	TLV_TRY(tlv_copy(ctx, next, all->start, (all->items + 1) * sizeof(*next)));
	TLV_TRY_NEW(ctx, all->document, all->n);
	TLV_TRY_NEW(ctx, all->count, all->n);
	for (size_t t = 0; t < all->documents; t++)
	{
		const tlv_document *document = &model->document;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_lda_document(ctx, model, bags[t]));
		for (size_t i = 0; i < document->n_known; i++)
		{
			size_t at = next[document->index[i]]++;

			all->document[at] = (int32_t) t;
			all->count[at] = document->known[i];
		}
	}
	tlv_free(ctx, next);
	return TLV_OK;
}

static tlv_status
lda_make_room(tlv_context *ctx, const occurrences *all, shuffled *made)
{
	TLV_TRY_NEW(ctx, made->start, all->documents + 2);
	TLV_TRY_NEW(ctx, made->order, all->documents);
	TLV_TRY_NEW(ctx, made->to, all->n);
	TLV_TRY_NEW(ctx, made->index, all->n);
	TLV_TRY_NEW(ctx, made->count, all->n);
	for (size_t t = 0; t < all->documents; t++)
		made->order[t] = (int32_t) t;
	return TLV_OK;
}

/* The counts of every item go to as many documents, any with the same probability. */
static tlv_status
draw(tlv_context *ctx, const occurrences *all, tlv_rng *rng, shuffled *made)
{
	for (size_t i = 0; i < all->items; i++)
	{
		size_t from = all->start[i], m = all->start[i + 1] - from;

		for (size_t j = 0; j < m; j++)
		{
			size_t other = j + (size_t) tlv_rng_below(rng, all->documents - j);
			int32_t drawn = made->order[other];

			TLV_TRY_CONTINUE_AT(ctx, from + j);
			made->order[other] = made->order[j];
			made->order[j] = drawn;
			made->to[from + j] = drawn;
		}
	}
	return TLV_OK;
}

/* Sorts what was drawn by document: start[t + 1] runs from the beginning of document t to its end.
 */
static tlv_status
deal(tlv_context *ctx, const occurrences *all, shuffled *made)
{
	for (size_t t = 0; t < all->documents + 2; t++)
		made->start[t] = 0;
	for (size_t e = 0; e < all->n; e++)
		made->start[made->to[e] + 2]++;
	for (size_t t = 0; t < all->documents; t++)
		made->start[t + 2] += made->start[t + 1];
	for (size_t i = 0; i < all->items; i++)
		for (size_t e = all->start[i]; e < all->start[i + 1]; e++)
		{
			size_t at = made->start[made->to[e] + 1]++;

			TLV_TRY_CONTINUE_AT(ctx, e);
			made->index[at] = (int32_t) i;
			made->count[at] = all->count[e];
		}
	return TLV_OK;
}

static tlv_status
score_shuffled(tlv_context *ctx, tlv_lda_model *model, const occurrences *all, shuffled *made,
			   tlv_rng *rng, double *mean)
{
	double log_likelihood = 0, tokens = 0;

	TLV_TRY(draw(ctx, all, rng, made));
	TLV_TRY(deal(ctx, all, made));
	for (size_t t = 0; t < all->documents; t++)
	{
		size_t from = made->start[t];

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_lda_complete(ctx, model, made->start[t + 1] - from, made->index + from,
								 made->count + from, tlv_rng_next(rng), &log_likelihood, &tokens));
	}
	return mean_of(ctx, log_likelihood, tokens, mean);
}

/* Perplexities of so many shuffles against the one observed. */
static tlv_status
lda_compare(tlv_context *ctx, tlv_lda_model *model, const occurrences *all,
			const tlv_lda_permutations *options, double observed, tlv_lda_permutation_test *test)
{
	double sum = 0, squares = 0, as_good = 1, n = (double) options->permutations, perplexity;
	shuffled made;
	tlv_rng rng;

	TLV_TRY(lda_make_room(ctx, all, &made));
	for (size_t b = 0; b < options->permutations; b++)
	{
		double mean = 0;

		tlv_report(ctx, "permutations", (double) b, n);
		tlv_rng_seed(&rng, tlv_mix64(options->seed ^ tlv_mix64(b + 1)));
		TLV_TRY(score_shuffled(ctx, model, all, &made, &rng, &mean));
		as_good += mean >= observed;
		perplexity = exp(-mean) - exp(-observed);
		sum += perplexity;
		squares += perplexity * perplexity;
	}
	test->documents = all->documents;
	test->observed = exp(-observed);
	test->permuted = test->observed + sum / n;
	test->deviation = n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : 0;
	test->p_value = as_good / (n + 1);
	return TLV_OK;
}

tlv_status
tlv_lda_permute(tlv_context *ctx, tlv_model *opened, size_t n, const tlv_bag_image *const *bags,
				const tlv_lda_permutations *options, tlv_lda_permutation_test *test)
{
	const int64_t *place;
	tlv_lda_model *model = (tlv_lda_model *) tlv_model_present(opened, &place);
	occurrences all = {.documents = n, .items = model->topics.d};
	double observed = 0;

	if (n < 2)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a permutation test needs two documents at least, not %zu", n);
		return tlv_fail_hint(ctx, "Give an array of bags that are not null, array_agg(bag).");
	}
	if (n > INT32_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "%zu documents are more than 2147483647", n);
	TLV_TRY_NEW0(ctx, all.start, all.items + 1);
	TLV_TRY(score_observed(ctx, model, bags, &all, &observed));
	TLV_TRY(lda_collect(ctx, model, bags, &all));
	return lda_compare(ctx, model, &all, options, observed, test);
}
