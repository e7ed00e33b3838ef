/*
 * page.c - the digest of a topic model for its page (page.h): the words that the topics show, and
 * the most frequent words.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/page.h"
#include "tensorlv/num/names.h"
#include "tensorlv/num/numbers.h"

/* Steps of the slider of relevance from 0 to 1, and terms of the search for the best words at all
 * of them, beyond which fewer steps are searched. */
#define LDA_STEPS  21
#define TERMS_MOST 4e9
/* Topics at most that have cosines. */
#define COSINES 64
/* Unit of probabilities; proportion of a word below which a topic does not list it. */
#define UNIT	  1e-7
#define LDA_LEAST 0.05

static const tlv_name_sections term_sections = {"label_offsets", "labels"};

typedef struct topic_words
{
	const tlv_frame *model;
	const int64_t *items;
	tlv_name_list terms;
	size_t k, d;
	double *phi;		   /* k x d */
	const double *weights; /* k */
	const double *corpus;  /* d: proportions of the corpus */
	double *expected;	   /* d: proportions by the model */
	double *log_expected;
	double *log_shrunk; /* d: logarithms of the denominators of the distinctive order */
	double shrinkage;	/* tlv_lda_shrinkage */
} topic_words;

static tlv_status
topic_words_read(tlv_context *ctx, const tlv_frame *model, topic_words *w)
{
	const tlv_section *section = tlv_frame_find(model, "phi");

	*w = (topic_words){.model = model,
					   .items = tlv_frame_int64(model, "items"),
					   .terms = tlv_name_list_of(model, &term_sections),
					   .k = section->rows,
					   .d = section->columns,
					   .weights = tlv_frame_float64(model, "weights"),
					   .corpus = tlv_frame_float64(model, "shares")};
	TLV_TRY_NEW_ROWS(ctx, w->phi, w->k, w->d);
	TLV_TRY(tlv_section_numbers(ctx, model, section, w->phi));
	TLV_TRY_NEW0(ctx, w->expected, w->d);
	TLV_TRY_NEW(ctx, w->log_expected, w->d);
	TLV_TRY_NEW(ctx, w->log_shrunk, w->d);
	TLV_TRY(tlv_lda_shrinkage(ctx, model, &w->shrinkage));
	for (size_t i = 0; i < w->d; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t j = 0; j < w->k; j++)
			w->expected[i] += w->weights[j] * w->phi[i * w->k + j];
		w->log_expected[i] = log(w->expected[i]);
		w->log_shrunk[i] = log(w->corpus[i] + w->shrinkage);
	}
	return TLV_OK;
}

static void
topic_words_free(tlv_context *ctx, topic_words *w)
{
	tlv_free(ctx, w->phi);
	tlv_free(ctx, w->expected);
	tlv_free(ctx, w->log_expected);
	tlv_free(ctx, w->log_shrunk);
}

/* ln p(w | t) of all words; -inf where it is 0 or no topic has the word. */
static tlv_status
topic_logs(tlv_context *ctx, const topic_words *w, size_t topic, double *logs)
{
	for (size_t i = 0; i < w->d; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		logs[i] = w->expected[i] > 0 ? log(w->phi[i * w->k + topic]) : -HUGE_VAL;
	}
	return TLV_OK;
}

/*
 * The n words of greatest ln p(w | t) - part * discounts[w], by decreasing score; returns their
 * number.  Relevance (Sievert and Shirley 2014) discounts part 1 - lambda of ln p(w), the
 * distinctive order all of log_shrunk.
 */
static size_t
best_words(const topic_words *w, const double *logs, double part, const double *discounts, size_t n,
		   size_t *best)
{
	double score[TLV_PAGE_TOP] = {0};
	size_t found = 0, at;

	for (size_t i = 0; i < w->d; i++)
	{
		double discounted = logs[i] - part * discounts[i];

		if (!isfinite(logs[i]) || (found == n && discounted <= score[n - 1]))
			continue;
		found += found < n;
		for (at = found - 1; at > 0 && score[at - 1] < discounted; at--)
		{
			score[at] = score[at - 1];
			best[at] = best[at - 1];
		}
		score[at] = discounted;
		best[at] = i;
	}
	return found;
}

/* ---- which words the page has ---- */

typedef struct word_choice
{
	size_t steps, top;
	size_t *best; /* k x steps x TLV_PAGE_TOP, and how many there are of each; the last step is the
				   * distinctive order, those before it are of the slider of relevance */
	size_t *found;
	size_t n;	   /* words of the page */
	size_t *order; /* of all words, the most frequent first */
	bool *chosen;  /* d */
} word_choice;

static tlv_status
find_best(tlv_context *ctx, const topic_words *w, word_choice *c)
{
	double terms = (double) w->k * (double) w->d * LDA_STEPS, *logs;

	c->steps = 1 + (terms <= TERMS_MOST ? LDA_STEPS : 3);
	TLV_TRY_NEW(ctx, logs, w->d);
	TLV_TRY_NEW_ROWS(ctx, c->best, w->k * c->steps, TLV_PAGE_TOP);
	TLV_TRY_NEW(ctx, c->found, w->k * c->steps);
	for (size_t j = 0; j < w->k; j++)
	{
		TLV_TRY(topic_logs(ctx, w, j, logs));
		for (size_t s = 0; s < c->steps; s++)
		{
			bool distinctive = s + 1 == c->steps;
			double part = distinctive ? 1 : 1 - (double) s / (double) (c->steps - 2);
			size_t at = j * c->steps + s;

			TLV_TRY_CONTINUE(ctx);
			c->found[at] = best_words(w, logs, part, distinctive ? w->log_shrunk : w->log_expected,
									  TLV_PAGE_TOP, c->best + at * TLV_PAGE_TOP);
		}
	}
	tlv_free(ctx, logs);
	return TLV_OK;
}

/* Marks the first `top` words of every topic at every step; how many words these are. */
static size_t
mark_best(const topic_words *w, word_choice *c, size_t top)
{
	size_t n = 0;

	memset(c->chosen, 0, w->d * sizeof(bool));
	for (size_t at = 0; at < w->k * c->steps; at++)
		for (size_t i = 0; i < tlv_least(c->found[at], top); i++)
		{
			bool *chosen = c->chosen + c->best[at * TLV_PAGE_TOP + i];

			n += !*chosen;
			*chosen = true;
		}
	return n;
}

/* Topics show fewer words where those of all would be more than a page has. */
static tlv_status
page_choose_words(tlv_context *ctx, const topic_words *w, word_choice *c)
{
	TLV_TRY(find_best(ctx, w, c));
	TLV_TRY_NEW(ctx, c->chosen, w->d);
	TLV_TRY_NEW(ctx, c->order, w->d);
	c->top = TLV_PAGE_TOP;
	while ((c->n = mark_best(w, c, c->top)) > TLV_PAGE_WORDS && c->top > 1)
		c->top--;
	TLV_TRY(tlv_page_order(ctx, w->d, w->corpus, c->order));
	for (size_t i = 0; i < w->d && c->n < TLV_PAGE_WORDS; i++)
	{
		bool *chosen = c->chosen + c->order[i];

		if (w->expected[c->order[i]] > 0 && !*chosen)
		{
			*chosen = true;
			c->n++;
		}
	}
	/* From here on the chosen words alone, in that order. */
	c->n = 0;
	for (size_t i = 0; i < w->d; i++)
		if (c->chosen[c->order[i]])
			c->order[c->n++] = c->order[i];
	return TLV_OK;
}

/* ---- writing ---- */

static tlv_text
word_text(const topic_words *w, size_t word, char digits[24])
{
	tlv_text text = tlv_name_at(&w->terms, word);

	if (text.bytes == NULL)
		text = (tlv_text){digits, (size_t) snprintf(digits, 24, "%" PRId64, w->items[word])};
	text.length = tlv_cut_length(text, TLV_PAGE_TITLE);
	return text;
}

static int64_t
in_units(double probability)
{
	return probability > UNIT ? (int64_t) floor(probability / UNIT + 0.5) : 1;
}

static tlv_status
put_words(tlv_context *ctx, const topic_words *w, const word_choice *c, tlv_json_writer *data)
{
	int64_t before = 0, *numbers;
	char digits[24];
	tlv_page_lengths lengths = {{0}};
	size_t most;

	for (size_t i = 0; i < c->n; i++)
		tlv_page_count_name(&lengths, word_text(w, c->order[i], digits));
	most = tlv_page_name_length(&lengths);
	TLV_TRY(tlv_page_put_key(ctx, data, "words"));
	for (size_t i = 0; i < c->n; i++)
	{
		TLV_TRY(tlv_json_put(ctx, data, i > 0 ? "," : "["));
		TLV_TRY(tlv_page_put_text(ctx, data,
								  tlv_page_cut_name(word_text(w, c->order[i], digits), most)));
	}
	TLV_TRY(tlv_json_put(ctx, data, c->n > 0 ? "]" : "[]"));
	TLV_TRY_NEW(ctx, numbers, c->n + 1);
	for (size_t i = 0; i < c->n; i++)
	{
		int64_t units = in_units(w->corpus[c->order[i]]);

		numbers[i] = i > 0 ? before - units : units;
		before = units;
	}
	TLV_TRY(tlv_page_put_key(ctx, data, "shares"));
	TLV_TRY(tlv_page_put_integers(ctx, data, c->n, numbers));
	for (size_t i = 0; i < c->n; i++)
		numbers[i] = (int64_t) floor(
			fmin(100 * w->corpus[c->order[i]] / w->expected[c->order[i]], 1e9) + 0.5);
	TLV_TRY(tlv_page_put_key(ctx, data, "odds"));
	TLV_TRY(tlv_page_put_integers(ctx, data, c->n, numbers));
	tlv_free(ctx, numbers);
	return TLV_OK;
}

/* The places of a topic's words among those of the page, and their probabilities. */
typedef struct topic_row
{
	size_t n;
	int64_t *gaps, *units, *low, *high;
} topic_row;

/* A word is listed with a topic that shows it, or that has a part of it which is not small. */
static void
fill_row(const topic_words *w, const word_choice *c, size_t topic, bool *shown, topic_row *row)
{
	size_t last = 0;

	row->n = 0;
	for (size_t s = topic * c->steps; s < (topic + 1) * c->steps; s++)
		for (size_t i = 0; i < tlv_least(c->found[s], c->top); i++)
			shown[c->best[s * TLV_PAGE_TOP + i]] = true;
	for (size_t i = 0; i < c->n; i++)
	{
		size_t word = c->order[i];
		double p = w->phi[word * w->k + topic], low, high;

		if (!shown[word] && w->weights[topic] * p < LDA_LEAST * w->expected[word])
			continue;
		shown[word] = false;
		row->gaps[row->n] = (int64_t) (i + 1 - last);
		row->units[row->n] = in_units(p);
		tlv_lda_word_interval(w->model, topic, word, TLV_INTERVAL_Z, p, &low, &high);
		row->low[row->n] = isnan(low) ? -1 : (int64_t) floor(low / UNIT);
		row->high[row->n++] = isnan(high) ? -1 : (int64_t) ceil(high / UNIT);
		last = i + 1;
	}
}

static tlv_status
lda_put_row(tlv_context *ctx, const topic_row *row, bool intervals, bool first,
			tlv_json_writer *data)
{
	TLV_TRY(tlv_json_put(ctx, data, first ? "[" : ",["));
	TLV_TRY(tlv_page_put_integers(ctx, data, row->n, row->gaps));
	TLV_TRY(tlv_json_put(ctx, data, ","));
	TLV_TRY(tlv_page_put_integers(ctx, data, row->n, row->units));
	if (intervals)
	{
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_integers(ctx, data, row->n, row->low));
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_integers(ctx, data, row->n, row->high));
	}
	return tlv_json_put(ctx, data, "]");
}

/* For each topic [gaps, probabilities], with the limits of their intervals behind where the model
 * keeps errors. */
static tlv_status
put_probabilities(tlv_context *ctx, const topic_words *w, const word_choice *c,
				  tlv_json_writer *data)
{
	bool intervals = tlv_frame_find(w->model, tlv_errors_section) != NULL, *shown;
	topic_row row = {0};

	TLV_TRY_NEW0(ctx, shown, w->d);
	TLV_TRY_NEW(ctx, row.gaps, 4 * (c->n + 1));
	row.units = row.gaps + c->n + 1;
	row.low = row.units + c->n + 1;
	row.high = row.low + c->n + 1;
	TLV_TRY(tlv_page_put_key(ctx, data, "p"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t j = 0; j < tlv_least(w->k, TLV_PAGE_COMPONENTS); j++)
	{
		TLV_TRY_CONTINUE(ctx);
		fill_row(w, c, j, shown, &row);
		TLV_TRY(lda_put_row(ctx, &row, intervals, j == 0, data));
	}
	tlv_free(ctx, row.gaps);
	tlv_free(ctx, shown);
	return tlv_json_put(ctx, data, "]");
}

/* Cosines of the word vectors of two topics in thousandths: 2 1, 3 1, 3 2, ... */
static tlv_status
put_cosines(tlv_context *ctx, const topic_words *w, tlv_json_writer *data)
{
	double *products;
	int64_t *cosines;
	size_t n = 0;

	if (w->k > COSINES)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, products, w->k * w->k);
	TLV_TRY_NEW(ctx, cosines, w->k * w->k);
	for (size_t i = 0; i < w->d; i++)
	{
		const double *row = w->phi + i * w->k;

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t a = 0; a < w->k; a++)
			for (size_t b = 0; b <= a; b++)
				products[a * w->k + b] += row[a] * row[b];
	}
	for (size_t a = 0; a < w->k; a++)
		for (size_t b = 0; b < a; b++)
		{
			double norms = sqrt(products[a * w->k + a] * products[b * w->k + b]);

			cosines[n++] =
				norms > 0 ? (int64_t) floor(1000 * products[a * w->k + b] / norms + 0.5) : 0;
		}
	TLV_TRY(tlv_page_put_key(ctx, data, "cosines"));
	TLV_TRY(tlv_page_put_integers(ctx, data, n, cosines));
	tlv_free(ctx, cosines);
	tlv_free(ctx, products);
	return TLV_OK;
}

static tlv_status
lda_put_page(tlv_context *ctx, const tlv_frame *model, const tlv_frame *graph, tlv_page *page)
{
	topic_words words;
	word_choice choice;

	(void) graph;
	TLV_TRY(topic_words_read(ctx, model, &words));
	TLV_TRY(page_choose_words(ctx, &words, &choice));
	TLV_TRY(put_words(ctx, &words, &choice, &page->data));
	TLV_TRY(put_probabilities(ctx, &words, &choice, &page->data));
	TLV_TRY(put_cosines(ctx, &words, &page->data));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "tokens"));
	TLV_TRY(tlv_page_put_number(ctx, &page->data, tlv_diagnostics_find(model, "tokens", 0), 15));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "shrinkage"));
	TLV_TRY(tlv_page_put_number(ctx, &page->data, words.shrinkage, 6));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "top"));
	TLV_TRY(tlv_json_put_integer(ctx, &page->data, (int64_t) choice.top));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "dropped"));
	TLV_TRY(tlv_json_put_integer(ctx, &page->data, (int64_t) (words.d - choice.n)));
	tlv_free(ctx, choice.best);
	tlv_free(ctx, choice.found);
	tlv_free(ctx, choice.chosen);
	tlv_free(ctx, choice.order);
	topic_words_free(ctx, &words);
	return TLV_OK;
}

/* ---- topics in words ---- */

static tlv_status
join_words(tlv_context *ctx, const topic_words *w, size_t n, const size_t *best, tlv_text *text)
{
	tlv_json_writer joined = {.most = TLV_PAGE_DIGEST_MOST};
	char digits[24];

	for (size_t i = 0; i < n; i++)
	{
		tlv_text word = word_text(w, best[i], digits);

		TLV_TRY(tlv_json_put(ctx, &joined, i > 0 ? ", " : ""));
		TLV_TRY(tlv_json_append(ctx, &joined, word.bytes, word.length));
	}
	*text = (tlv_text){joined.bytes, joined.n};
	return TLV_OK;
}

static tlv_status
lda_describe(tlv_context *ctx, const tlv_frame *model, size_t n, tlv_text *texts)
{
	/* Words of a topic in the plain part. */
	const int describing = 20;
	size_t best[TLV_PAGE_TOP];
	topic_words words;
	double *logs;

	TLV_TRY(topic_words_read(ctx, model, &words));
	TLV_TRY_NEW(ctx, logs, words.d);
	for (size_t j = 0; j < n; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(topic_logs(ctx, &words, j, logs));
		TLV_TRY(join_words(ctx, &words,
						   best_words(&words, logs, 1, words.log_shrunk, describing, best), best,
						   texts + j));
	}
	tlv_free(ctx, logs);
	topic_words_free(ctx, &words);
	return TLV_OK;
}

const tlv_page_view tlv_lda_page = {
	.view = "topics", .what = "topic", .put = lda_put_page, .describe = lda_describe};
