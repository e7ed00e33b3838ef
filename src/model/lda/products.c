/*
 * products.c - second moments of the topics' shares, of documents under any topics (lda.h).
 *
 * With A the topics, Q the co-occurrence of words and P = S^2 A (A'S^2 A)^-1, P'A = I: R = P'Q P is
 * the second moment of the shares, whatever their distribution (Ge 2013, 4.4).  S^-2 are the items'
 * shares of all topics.  Documents are dealt to groups by their content, from which the jackknife
 * has its errors.
 */
#include "tensorlv/model/lda.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* Sizes: topics, groups. */
#define SIZE_K		TLV_SIZE_1
#define SIZE_GROUPS TLV_SIZE_2

typedef struct products_state
{
	tlv_declared declared;
	tlv_lda_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	double documents;
	double skipped; /* of fewer than two known tokens */
	double tokens;
	double *present; /* k: 1, or 0 of a topic that is not there */
	double *pairs;	 /* packed(k) x groups */

	/* of rows */
	double *inverse;	/* k x d: P */
	double *shares;		/* k x block, of one group */
	double *scaled;		/* k x block */
	size_t *waiting;	/* groups: rows in the block of each */
	double *blocks;		/* k x block x groups: root of s2 times P'c */
	double *correction; /* d x groups: sum of s2 c */
	double *square;		/* k x k x groups, lower triangle */
	bool uncorrected;
} products_state;

/* ---- the inverse of the topics ---- */

/* Topics over the root of the items' shares, k x d, and the reciprocal root of these. */
static tlv_status
scale_topics(tlv_context *ctx, const tlv_lda_model *model, double *scaled, double *factor)
{
	size_t k = model->topics.k, d = model->topics.d;

	for (size_t i = 0; i < d; i++)
	{
		const double *phi = model->topics.phi + i * k;
		double share = 0;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			share += model->weights[j] * phi[j];
		factor[i] = share > DBL_MIN ? 1 / sqrt(share) : 0;
		for (size_t j = 0; j < k; j++)
			scaled[i * k + j] = model->weights[j] > 0 ? factor[i] * phi[j] : 0;
	}
	return TLV_OK;
}

tlv_status
tlv_lda_invert(tlv_context *ctx, const tlv_lda_model *model, double *inverse)
{
	size_t k = model->topics.k, d = model->topics.d;
	double *gram, *factor;
	tlv_status status;

	TLV_TRY_NEW_ROWS(ctx, gram, k, k);
	TLV_TRY_NEW(ctx, factor, d);
	TLV_TRY(scale_topics(ctx, model, inverse, factor));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, d, 1, inverse, k, inverse, k, 0, gram, k));
	for (size_t j = 0; j < k; j++)
		if (!(model->weights[j] > 0))
			gram[j * k + j] = 1;
	status = tlv_solve_spd(ctx, k, d, gram, inverse);
	if (status == TLV_BAD_DATA)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the topics are mixtures of each other");
		return tlv_fail_hint(ctx, "Use a model of fewer topics.");
	}
	TLV_TRY(status);
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			inverse[i * k + j] *= factor[i];
	}
	tlv_free(ctx, gram);
	tlv_free(ctx, factor);
	return TLV_OK;
}

/* ---- rows ---- */

/* The rows that wait in one group enter its square. */
static tlv_status
products_flush_group(tlv_context *ctx, products_state *state, size_t group)
{
	size_t k = state->model->topics.k;
	double *block = state->blocks + group * TLV_SMALL_BLOCK_ROWS * k;

	if (state->waiting[group] == 0)
		return TLV_OK;
	TLV_TRY(tlv_syrk(ctx, false, k, state->waiting[group], 1, block, k, 1,
					 state->square + group * k * k, k, false));
	memset(block, 0, state->waiting[group] * k * sizeof(double));
	state->waiting[group] = 0;
	return TLV_OK;
}

size_t
tlv_lda_group(const tlv_bag_image *bag)
{
	uint64_t hash = tlv_fingerprint((const char *) bag + sizeof(uint32_t),
									tlv_bag_image_size(bag) - sizeof(uint32_t), 11);

	return (size_t) ((hash >> 11) % TLV_LDA_GROUPS);
}

static tlv_status
products_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	products_state *state = (products_state *) accumulator;
	size_t group = tlv_lda_group(row->bag), k, d;
	const tlv_document *document;
	double length = 0, s2, *y;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	k = state->model->topics.k;
	d = state->model->topics.d;
	TLV_TRY(tlv_lda_document(ctx, state->model, row->bag));
	document = &state->model->document;
	for (size_t i = 0; i < document->n_known; i++)
		length += document->known[i];
	if (length < 2)
	{
		state->skipped++;
		return TLV_OK;
	}
	s2 = 1 / (length - 1);
	y = state->blocks + (group * TLV_SMALL_BLOCK_ROWS + state->waiting[group]) * k;
	for (size_t i = 0; i < document->n_known; i++)
	{
		const double *inverse = state->inverse + (size_t) document->index[i] * k;
		double count = sqrt(s2) * document->known[i];

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			y[j] += count * inverse[j];
		state->correction[group * d + (size_t) document->index[i]] += s2 * document->known[i];
	}
	state->documents++;
	state->tokens += length;
	state->uncorrected = true;
	if (++state->waiting[group] == TLV_SMALL_BLOCK_ROWS)
		return products_flush_group(ctx, state, group);
	return TLV_OK;
}

/* P' diag(correction) P is taken away from the square of a group. */
static tlv_status
subtract_own(tlv_context *ctx, products_state *state, size_t group, double *scaled)
{
	size_t k = state->model->topics.k, d = state->model->topics.d;

	for (size_t i = 0; i < d; i++)
	{
		double factor = sqrt(state->correction[group * d + i]);

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			scaled[i * k + j] = factor * state->inverse[i * k + j];
	}
	return tlv_syrk(ctx, false, k, d, -1, scaled, k, 1, state->square + group * k * k, k, false);
}

static tlv_status
products_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	products_state *state = (products_state *) accumulator;
	size_t k, d;
	double *scaled;

	if (state->model == NULL || !state->uncorrected)
		return TLV_OK;
	k = state->model->topics.k;
	d = state->model->topics.d;
	TLV_TRY_NEW_ROWS(ctx, scaled, d, k);
	for (size_t group = 0; group < TLV_LDA_GROUPS; group++)
	{
		double *pairs = state->pairs + group * tlv_packed2_size(k);
		const double *square = state->square + group * k * k;

		TLV_TRY(products_flush_group(ctx, state, group));
		TLV_TRY(subtract_own(ctx, state, group, scaled));
		for (size_t a = 0; a < k; a++)
			for (size_t b = 0; b <= a; b++)
				pairs[tlv_packed2_index(a, b)] += square[b * k + a];
	}
	memset(state->square, 0, k * k * TLV_LDA_GROUPS * sizeof(double));
	memset(state->correction, 0, d * TLV_LDA_GROUPS * sizeof(double));
	state->uncorrected = false;
	tlv_free(ctx, scaled);
	return TLV_OK;
}

static tlv_status
products_create(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	tlv_lda_model *model = constants->opened;
	const size_t sizes[TLV_SIZES] = {model != NULL ? model->topics.k : 0, TLV_LDA_GROUPS};
	products_state *state;
	size_t k, d;

	if (model == NULL)
		return tlv_refuse_no_constant(ctx, constants->aggregate->name, "model");
	k = model->topics.k;
	d = model->topics.d;
	if (k > LDA_MOST_TOPICS)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu topics are more than %d", k, LDA_MOST_TOPICS);
		return tlv_fail_hint(ctx, "Use a model of fewer topics.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_topic_products.accumulator, sizes, accumulator));
	state = (products_state *) *accumulator;
	state->model = model;
	state->fingerprint = model->base.frame.header->digest;
	for (size_t j = 0; j < k; j++)
		state->present[j] = model->weights[j] > 0;
	TLV_TRY(tlv_alloc_numbers(ctx, &state->inverse, k * d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->blocks, k * TLV_SMALL_BLOCK_ROWS * TLV_LDA_GROUPS));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction, d * TLV_LDA_GROUPS));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->square, k * k * TLV_LDA_GROUPS));
	TLV_TRY_NEW0(ctx, state->waiting, TLV_LDA_GROUPS);
	return tlv_lda_invert(ctx, model, state->inverse);
}

/* Without a worker, which a model would need whose topics are all there: absent ones take no part.
 */
static tlv_status
products_open(tlv_context *ctx, const tlv_frame *constant, void **opened)
{
	const tlv_section *phi;
	tlv_lda_model *lda;
	tlv_model *model;

	TLV_TRY(tlv_kind_require(ctx, constant, &tlv_kind_lda, "tlv_topic_products"));
	TLV_TRY(tlv_model_create(ctx, constant, sizeof(tlv_lda_model), &model));
	lda = (tlv_lda_model *) model;
	phi = tlv_frame_find(constant, "phi");
	lda->topics.k = phi->rows;
	lda->topics.d = phi->columns;
	lda->topics.phi = tlv_section_data(constant, phi);
	lda->weights = tlv_frame_float64(constant, "weights");
	TLV_TRY(tlv_dictionary_freeze(ctx, &lda->dictionary, lda->topics.d,
								  tlv_frame_int64(constant, "items")));
	*opened = lda;
	return TLV_OK;
}

const tlv_aggregate tlv_aggregate_topic_products = {"tlv_topic_products", products_open,
													products_create};

/* ---- the stored form ---- */

#define AT(member) offsetof(products_state, member)
static const tlv_declaration products_list[] = {
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(documents)},
	{"skipped", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(skipped)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(tokens)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"present", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_FLAG, TLV_EQUAL, AT(present)},
	{"pairs", TLV_FLOAT64, TLV_PACKED_1, SIZE_GROUPS, TLV_ANY, TLV_SUM, AT(pairs)},
};
#undef AT
static const tlv_sections products_sections = {
	.state = sizeof(products_state),
	.kind = TLV_KIND_TOPIC_PRODUCTS,
	TLV_LIST(products_list),
	.least = {1, TLV_LDA_GROUPS},
	.most = {LDA_MOST_TOPICS, TLV_LDA_GROUPS},
	.flush = products_flush,
};
static const tlv_accumulator_class products_class = {
	.name = "topic_products",
	TLV_DECLARED(&products_sections),
	.rows = TLV_ROW_BAG,
	.add = products_add,
};
const tlv_kind tlv_kind_topic_products = {TLV_KIND_LINE(TOPIC_PRODUCTS, topic_products),
										  .accumulator = &products_class};

/* ---- what follows from them ---- */

/* Sums of all groups but one (TLV_LDA_GROUPS: of all), over their total: R of the topics there are.
 */
static bool
second_but(const tlv_frame *products, size_t group, tlv_lda_correlations *to)
{
	const double *pairs = tlv_frame_float64(products, "pairs");
	size_t packed = tlv_packed2_size(to->k);
	double total = 0;

	for (size_t p = 0; p < packed; p++)
	{
		to->second[p] = 0;
		for (size_t g = 0; g < TLV_LDA_GROUPS; g++)
			to->second[p] += g == group ? 0 : pairs[g * packed + p];
	}
	for (size_t a = 0; a < to->k; a++)
		for (size_t b = 0; b <= a; b++)
			total += (a == b ? 1 : 2) * to->second[tlv_packed2_index(a, b)];
	for (size_t p = 0; p < packed; p++)
		to->second[p] /= total;
	return total > DBL_MIN && isfinite(total);
}

/* Means are the row sums; correlations of topics of no variance are NaN. */
static void
correlate(tlv_lda_correlations *to, double *correlation)
{
	for (size_t a = 0; a < to->k; a++)
	{
		to->means[a] = 0;
		for (size_t b = 0; b < to->k; b++)
			to->means[a] += to->second[tlv_packed2_index(a > b ? a : b, a > b ? b : a)];
	}
	for (size_t a = 0; a < to->k; a++)
		for (size_t b = 0; b <= a; b++)
		{
			double variance_a = to->second[tlv_packed2_index(a, a)] - to->means[a] * to->means[a];
			double variance_b = to->second[tlv_packed2_index(b, b)] - to->means[b] * to->means[b];
			size_t at = tlv_packed2_index(a, b);

			correlation[at] =
				variance_a > 0 && variance_b > 0
					? (to->second[at] - to->means[a] * to->means[b]) / sqrt(variance_a * variance_b)
					: NAN;
		}
}

/* Delete-a-group jackknife. */
static tlv_status
jackknife(tlv_context *ctx, const tlv_frame *products, tlv_lda_correlations *to)
{
	size_t packed = tlv_packed2_size(to->k);
	double *one, *sum, groups = 0;

	TLV_TRY_NEW(ctx, one, packed);
	TLV_TRY_NEW0(ctx, sum, packed);
	memset(to->error, 0, packed * sizeof(double));
	for (size_t g = 0; g < TLV_LDA_GROUPS; g++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (!second_but(products, g, to))
			continue;
		groups++;
		correlate(to, one);
		for (size_t p = 0; p < packed; p++)
		{
			sum[p] += one[p];
			to->error[p] += one[p] * one[p];
		}
	}
	for (size_t p = 0; p < packed; p++)
		to->error[p] =
			groups > 1
				? sqrt(fmax(to->error[p] - sum[p] * sum[p] / groups, 0) * (groups - 1) / groups)
				: NAN;
	for (size_t a = 0; a < to->k; a++)
		to->error[tlv_packed2_index(a, a)] = 0;
	tlv_free(ctx, one);
	tlv_free(ctx, sum);
	return TLV_OK;
}

void
tlv_lda_complete_correlations(tlv_lda_correlations *to)
{
	correlate(to, to->correlation);
}

tlv_status
tlv_lda_correlate(tlv_context *ctx, const tlv_frame *products, tlv_lda_correlations *to)
{
	size_t packed;
	double *square;

	to->k = tlv_frame_find(products, "present")->rows;
	to->present = tlv_frame_float64(products, "present");
	packed = tlv_packed2_size(to->k);
	TLV_TRY_NEW(ctx, to->second, 3 * packed + to->k);
	to->correlation = to->second + packed;
	to->error = to->correlation + packed;
	to->means = to->error + packed;
	TLV_TRY(jackknife(ctx, products, to));
	if (!second_but(products, TLV_LDA_GROUPS, to))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the documents have no counts for these topics");
		return tlv_fail_hint(ctx, "Give documents with items that the model was learnt from.");
	}
	tlv_lda_complete_correlations(to);
	TLV_TRY_NEW_ROWS(ctx, square, to->k, to->k);
	tlv_packed2_unpack(to->k, to->second, square);
	to->alpha0 = tlv_lda_alpha0(to->k, square, to->means);
	tlv_free(ctx, square);
	return TLV_OK;
}
