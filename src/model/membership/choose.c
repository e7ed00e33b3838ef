/*
 * choose.c - the number of components (internal.h, choice.h): of classes by rows that were left
 * out, of mixed memberships, which no row has before it is seen, by cells that were; or by BIC.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/choice.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/tuning.h"

/* In place of a fold: all rows are trained on. */
#define NO_FOLD (-1)

typedef struct member_search
{
	membership_rows *rows;
	const tlv_membership_options *options;
	int64_t *folds;						/* n: the fold of each row */
	int64_t fold;						/* that is held out now */
	membership_rows training, held_out; /* of this fold */
	tlv_choice curve;
} member_search;

/* ---- folds ---- */

/* The rows of one fold, or all others; what describes the numbers stays that of all rows. */
static tlv_status
membership_take_part(tlv_context *ctx, const member_search *search, bool others,
					 membership_rows *part)
{
	const membership_rows *rows = search->rows;
	size_t q = rows->scalars;

	*part = *rows;
	part->n = 0;
	TLV_TRY_NEW_ROWS(ctx, part->codes, rows->n, rows->slots);
	TLV_TRY_NEW_ROWS(ctx, part->numbers, rows->n, q + 1);
	TLV_TRY_NEW(ctx, part->marginal, rows->categories);
	for (size_t i = 0; i < rows->n; i++)
	{
		if ((search->folds[i] == search->fold) == others)
			continue;
		memcpy(part->codes + part->n * rows->slots, rows->codes + i * rows->slots,
			   rows->slots * sizeof(*rows->codes));
		if (q > 0)
			memcpy(part->numbers + part->n * q, rows->numbers + i * q, q * sizeof(double));
		part->n++;
	}
	return TLV_OK;
}

/* The codes of the categories of a part that stay, 0 of all others; sizes what stays of the
 * variables.  Groups of numbers all stay. */
static tlv_status
number_categories(tlv_context *ctx, membership_rows *part, uint16_t *code)
{
	const size_t *old = part->offset;
	size_t *seen, *offset, counted = part->p - part->scalars;
	int64_t *states;

	TLV_TRY_NEW0(ctx, seen, part->categories);
	TLV_TRY_NEW(ctx, states, part->p);
	TLV_TRY_NEW0(ctx, offset, part->p + 1);
	for (size_t i = 0; i < part->n; i++)
	{
		size_t n = membership_row_items(part, part->codes, i, part->items);

		for (size_t s = 0; s < n; s++)
			seen[part->items[s]]++;
	}
	for (size_t j = 0; j < part->p; j++)
	{
		uint16_t next = 0;

		for (size_t c = old[j]; c < old[j + 1]; c++)
			code[c] = j >= counted || seen[c] > 1 ? ++next : 0;
		states[j] = next > 0 ? next : 1;
		offset[j + 1] = offset[j] + (size_t) states[j];
	}
	if (part->group != NULL)
		part->group += 2 * (old[counted] - offset[counted]);
	part->states = states;
	part->offset = offset;
	part->categories = offset[part->p];
	tlv_free(ctx, seen);
	return TLV_OK;
}

static void
recode(const member_search *search, const uint16_t *code, membership_rows *part)
{
	const size_t *old = search->rows->offset;

	for (size_t i = 0; i < part->n; i++)
		for (size_t s = 0; s < part->slots; s++)
		{
			uint16_t *own = part->codes + i * part->slots + s;

			*own = *own == 0 ? 0 : code[old[s / part->copies] + *own - 1];
		}
}

/*
 * Divides the rows into those of the fold and those learnt from; all rows are learnt from where no
 * row is of the fold.  A category of a single row is missing in both: no other row
 * can be predicted from it, while an identifier would hold each row that is learnt from in the
 * class where it began.
 */
static tlv_status
membership_take_fold(tlv_context *ctx, member_search *search, int64_t fold)
{
	membership_rows *training = &search->training, *held_out = &search->held_out;
	uint16_t *code;

	search->fold = fold;
	TLV_TRY(membership_take_part(ctx, search, true, training));
	TLV_TRY(membership_take_part(ctx, search, false, held_out));
	TLV_TRY_NEW(ctx, code, search->rows->categories);
	TLV_TRY(number_categories(ctx, training, code));
	held_out->group = training->group;
	held_out->states = training->states;
	held_out->offset = training->offset;
	held_out->categories = training->categories;
	recode(search, code, training);
	recode(search, code, held_out);
	membership_find_marginal(training);
	tlv_free(ctx, code);
	return TLV_OK;
}

/* Most components that the categories of every fold, or of all rows, tell apart. */
static tlv_status
most_of_folds(tlv_context *ctx, member_search *search, size_t *most)
{
	int64_t end = search->options->mixed ? 0 : TLV_FOLDS;

	for (int64_t fold = search->options->mixed ? NO_FOLD : 0; fold < end; fold++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_scratch_begin(ctx, &scratch);
		status = membership_take_fold(ctx, search, fold);
		if (status == TLV_OK)
			*most = tlv_least(*most, search->training.categories - search->training.p + 1);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
	}
	return TLV_OK;
}

/* ---- one member ---- */

/* Adds the log-likelihoods of the rows that are held out, and how many values they have. */
static tlv_status
score_rows(tlv_context *ctx, const member_search *search, const membership_fit *fit, double *score,
		   double *count)
{
	const membership_rows *rows = &search->held_out;
	membership_worker worker;

	TLV_TRY(membership_worker_create(ctx, false, fit->k, rows->categories, rows->slots, &worker));
	TLV_TRY(
		membership_worker_number(ctx, &worker, membership_real_categories(rows), &fit->numbers));
	TLV_TRY(membership_worker_set(ctx, &worker, rows->categories, fit->weights, fit->table));
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_members(rows, rows->codes, i, &worker, rows->items);
		size_t group = tlv_mix64(i * TLV_FOLDS + (size_t) search->fold) % TLV_CHOICE_GROUPS;

		TLV_TRY_CONTINUE_AT(ctx, i);
		score[group] += membership_infer(&worker, n, rows->items);
		count[group] += (double) n;
	}
	membership_worker_free(ctx, &worker);
	return TLV_OK;
}

/* Of k components. */
static membership_training
begin_training(const tlv_membership_options *options, size_t k)
{
	membership_training training = {.options = *options, .k = k};

	training.options.k = k;
	training.options.seed = training.options.decompose.seed = TLV_CHOICE_SEED;
	training.options.alpha0 =
		membership_alpha0(options, k); /* the same for a component of every trial */
	return training;
}

/* One fold under k classes, which no row of it has helped to begin either: flat directions of the
 * likelihood keep what the first parameters knew. */
static tlv_status
membership_score_fold(tlv_context *ctx, void *of, size_t k, size_t fold, double *score,
					  double *count)
{
	member_search *search = of;
	membership_training training = begin_training(search->options, k);

	training.quick = true;
	TLV_TRY(membership_take_fold(ctx, search, (int64_t) fold));
	TLV_TRY(membership_train(ctx, &search->training, &training));
	TLV_TRY(membership_refine(ctx, &search->training, &training.options, MEMBERSHIP_CLASS_STEPS,
							  &training.fit, &training));
	return score_rows(ctx, search, &training.fit, score, count);
}

/* Cells of mixed memberships that training itself holds out. */
static tlv_status
score_cells(tlv_context *ctx, void *of, size_t k, size_t fold, double *score, double *count)
{
	member_search *search = of;
	membership_training training = begin_training(search->options, k);

	(void) fold;
	TLV_TRY(membership_take_fold(ctx, search, NO_FOLD));
	TLV_TRY(membership_train(ctx, &search->training, &training));
	memcpy(score, training.held.score, sizeof(training.held.score));
	memcpy(count, training.held.count, sizeof(training.held.count));
	return TLV_OK;
}

/* ---- the curve ---- */

/* Too few rows to hold any out have one component, and no point of the curve. */
static tlv_status
choose_by_held_out(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
				   size_t most, tlv_diagnostics *to, size_t *k)
{
	member_search search = {.rows = rows, .options = options};
	size_t folds = options->mixed ? 1 : TLV_FOLDS;
	const tlv_choice *curve = &search.curve;

	*k = 1;
	if (rows->n < MEMBERSHIP_LEAST_COMPARED)
		return TLV_OK;
	TLV_TRY(tlv_choice_draw_folds(ctx, rows->n, TLV_FOLDS, &search.folds));
	TLV_TRY(most_of_folds(ctx, &search, &most));
	tlv_choice_begin(1, tlv_least(most, rows->n * (TLV_FOLDS - 1) / TLV_FOLDS), true,
					 &search.curve);
	TLV_TRY(tlv_choice_follow(ctx, &search.curve,
							  options->mixed ? score_cells : membership_score_fold, &search,
							  rows->n < MEMBERSHIP_FEW_ROWS ? folds : 1, folds));
	*k = curve->points[curve->chosen].k;
	return tlv_choice_tell(ctx, curve, to);
}

/* ---- BIC ---- */

/* Of all rows; icl: and twice the entropy. */
static tlv_status
fit_for_bic(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			size_t k, double *bic, double *icl)
{
	membership_training training = begin_training(options, k);
	double n = (double) rows->n;
	double parameters =
		membership_parameters((double) k, (double) membership_real_categories(rows),
							  (double) (rows->p - rows->scalars), (double) rows->scalars);

	training.steps = -1;
	training.entropies = true;
	TLV_TRY(membership_train(ctx, rows, &training));
	*bic = parameters * log(n) - 2 * n * training.likelihood;
	*icl = *bic + 2 * n * training.entropy;
	return TLV_OK;
}

static tlv_status
choose_by_bic(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			  size_t most, tlv_diagnostics *to, size_t *k)
{
	double bic[TLV_MEMBERSHIP_MOST_TRIED], icl[TLV_MEMBERSHIP_MOST_TRIED];
	size_t n = 0;

	for (*k = 1; n < most && n < *k + TLV_IN_VAIN; n++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_scratch_begin(ctx, &scratch);
		status = fit_for_bic(ctx, rows, options, n + 1, &bic[n], &icl[n]);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
		if (bic[n] < bic[*k - 1])
			*k = n + 1;
	}
	for (size_t i = 0; i < n; i++)
		TLV_TRY(tlv_diagnose(ctx, to, bic[i], "bic_%zu", i + 1));
	for (size_t i = 0; i < n; i++)
		TLV_TRY(tlv_diagnose(ctx, to, icl[i], "icl_%zu", i + 1));
	return TLV_OK;
}

tlv_status
membership_choose(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
				  tlv_membership_criterion criterion, size_t max_k, tlv_diagnostics *to, size_t *k)
{
	size_t most = tlv_least(tlv_least(max_k, rows->categories - rows->p + 1), rows->n);

	TLV_TRY((criterion == TLV_MEMBERSHIP_BIC ? choose_by_bic : choose_by_held_out)(
		ctx, rows, options, most, to, k));
	if (*k > 1 && *k == max_k)
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "k_at_limit",
									   .score = (double) *k,
									   .hint = "Increase max_k, or give k."},
						"k is the largest that was tried, max_k = %zu", max_k);
	return TLV_OK;
}
