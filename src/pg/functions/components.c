/*
 * components.c - what every model says of its components, and the means, covariances and
 * probabilities of categories of those that have them, whatever the model calls its components.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "tensorlv/model/gmm.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/membership.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/multiview.h"
#include "tensorlv/model/page.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* ---- weights ---- */

/* Shares of all memberships, on whichever side. */
static const double *
community_weights(const tlv_frame *frame, const double **alpha)
{
	tlv_mmsb_parts parts;
	tlv_context ctx = TlvCallContext();
	double *weights, sum = 0;

	TlvCheck(&ctx, tlv_mmsb_read(&ctx, frame, &parts));
	weights = palloc0(parts.k * sizeof(double));
	for (size_t i = 0; i < parts.k * parts.sides; i++)
	{
		weights[i % parts.k] += parts.sizes[i];
		sum += parts.sizes[i];
	}
	for (size_t j = 0; j < parts.k && sum > 0; j++)
		weights[j] /= sum;
	*alpha = parts.alpha;
	return weights;
}

/* Shares of the Dirichlet's mean. */
static const double *
mixed_weights(const tlv_frame *frame, const double **alpha)
{
	size_t k = tlv_model_components(frame);
	double *weights = palloc(k * sizeof(double)), sum = 0;

	*alpha = tlv_frame_float64(frame, "alpha");
	for (size_t j = 0; j < k; j++)
		sum += (*alpha)[j];
	for (size_t j = 0; j < k; j++)
		weights[j] = (*alpha)[j] / sum;
	return weights;
}

/* Weights and Dirichlet parameters of the components; NULL: the model has none. */
static const double *
component_weights(const tlv_frame *frame, const tlv_kind *kind, const double **alpha)
{
	*alpha = NULL;
	if (kind == &tlv_kind_mmsb)
		return community_weights(frame, alpha);
	if (kind == &tlv_kind_hmm)
		return tlv_frame_float64(frame, "stationary");
	if (kind == &tlv_kind_lda && tlv_frame_scalar(frame, "alpha0", 1) > 0 &&
		!tlv_lda_is_correlated(frame))
		*alpha = tlv_frame_float64(frame, "alpha");
	if (kind == &tlv_kind_grade_of_membership)
		return mixed_weights(frame, alpha);
	return tlv_frame_find(frame, "weights") == NULL ? NULL : tlv_frame_float64(frame, "weights");
}

static TlvCell
components_number_of(const double *numbers, size_t j)
{
	return TlvNullIf(numbers == NULL, TlvFloat8(numbers == NULL ? 0 : numbers[j]));
}

/* Rows (component, label, weight, alpha). */
TLV_FUNCTION(tlv_components_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	const double *alpha, *weights = component_weights(&frame, TlvKind(&frame), &alpha);
	size_t k = tlv_model_components(&frame);

	TlvInitRows(fcinfo);
	for (size_t j = 0; j < k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvComponentLabel(&frame, j),
				  components_number_of(weights, j), components_number_of(alpha, j));
	return (Datum) 0;
}

/* ---- a summary ---- */

/* The messages of the warnings about one component, from 1, or about the model, 0; NULL: none. */
static const char *
doubts_about(const tlv_diagnostics *told, size_t component)
{
	tlv_warnings_walk walk = tlv_warnings_of_list(told);
	StringInfoData doubts;

	initStringInfo(&doubts);
	while (tlv_warnings_next(&walk))
		if (walk.warning.component == component)
		{
			TlvVerifyWarning(&walk.warning);
			appendStringInfo(&doubts, "%s%s", doubts.len > 0 ? "; " : "", walk.warning.message);
		}
	return doubts.len > 0 ? doubts.data : NULL;
}

static TlvCell
described(tlv_text text)
{
	return text.length == 0 ? TlvOwned(NULL) : TlvStoredText(text);
}

/* Rows (component, label, weight, description, doubts); component 0 is the model. */
TLV_FUNCTION(tlv_summary_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	const double *alpha, *weights = component_weights(&frame, TlvKind(&frame), &alpha);
	size_t k = tlv_model_components(&frame);
	TlvWork *work = TlvWorkBegin("tensorlv summary");
	tlv_diagnostics told = {0};
	tlv_text *texts = palloc0((k + 1) * sizeof(tlv_text)), whole;

	work->ctx.arena.limit = TlvValueMemory();
	TlvCheck(&work->ctx, tlv_warnings_tell(&work->ctx, &frame, &told));
	TlvCheck(&work->ctx, tlv_page_describe_model(&work->ctx, &frame, &whole));
	TlvCheck(&work->ctx, tlv_page_describe(&work->ctx, &frame, k, texts));
	TlvInitRows(fcinfo);
	TlvPutRow(fcinfo, TlvInt4(0), TlvText(NULL), TlvNullIf(true, TlvFloat8(0)), described(whole),
			  TlvText(doubts_about(&told, 0)));
	for (size_t j = 0; j < k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvComponentLabel(&frame, j),
				  components_number_of(weights, j), described(texts[j]),
				  TlvText(doubts_about(&told, j + 1)));
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* ---- means and covariances ---- */

/* Components over vectors, in one view or in three. */
typedef struct VectorComponents
{
	tlv_frame frame;
	const tlv_kind *kind;
	size_t k;
	size_t views;
	size_t d[3];
	const double *means[3]; /* d x k */
	bool full;				/* covariances beside the diagonal */
	tlv_mixture mixture;	/* and what the others are read from */
	tlv_multiview_parts multiview;
	tlv_hmm_parts hmm;
	tlv_membership_parts membership;
} VectorComponents;

static void
components_refuse_model(const tlv_frame *frame, const char *function, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s is not defined for this model of kind %s", function, TlvKind(frame)->name),
			 errhint("%s", hint)));
}

static void
one_view(VectorComponents *components, size_t k, size_t d, const double *means)
{
	components->k = k;
	components->views = 1;
	components->d[0] = d;
	components->means[0] = means;
}

static void
three_views(VectorComponents *components)
{
	components->k = components->multiview.k;
	components->views = 3;
	for (int t = 0; t < 3; t++)
	{
		components->d[t] = components->multiview.d[t];
		components->means[t] = components->multiview.means[t];
	}
}

static void
read_hmm(VectorComponents *components)
{
	const tlv_hmm_parts *hmm = &components->hmm;

	one_view(components, hmm->k, hmm->d, hmm->emissions);
	components->full = hmm->covariance == TLV_COVARIANCE_FULL;
}

static void
read_mixture(VectorComponents *components)
{
	const tlv_mixture *mixture = &components->mixture;

	one_view(components, mixture->k, mixture->d, mixture->means);
	components->full = tlv_is_matrix(mixture->covariance);
}

static bool
is_mixture(const tlv_kind *kind)
{
	return kind == &tlv_kind_gaussian_mixture || kind == &tlv_kind_direction_mixture;
}

static bool
is_membership(const tlv_kind *kind)
{
	return kind == &tlv_kind_latent_classes || kind == &tlv_kind_grade_of_membership;
}

/* Of the numbers beside categories; section and accessor have them in different orders. */
static void
read_scalars(VectorComponents *components, const char *function)
{
	tlv_membership_parts *parts = &components->membership;
	double *means;

	tlv_membership_read(&components->frame, parts);
	if (parts->scalars == 0)
		components_refuse_model(&components->frame, function, "Use tlv_categories(model).");
	means = palloc_extended(parts->k * parts->scalars * sizeof(double), MCXT_ALLOC_HUGE);
	for (size_t h = 0; h < parts->k; h++)
		for (size_t s = 0; s < parts->scalars; s++)
			means[h * parts->scalars + s] = parts->scalar_means[s * parts->k + h];
	one_view(components, parts->k, parts->scalars, means);
}

static void
components_open_vectors(FunctionCallInfo fcinfo, const char *function, VectorComponents *components)
{
	const char *hint = "It is for mixtures of vectors and for hidden Markov models of vectors.";

	memset(components, 0, sizeof(*components));
	components->frame = TlvFrameOf(PG_GETARG_DATUM(0));
	components->kind = TlvKind(&components->frame);
	if (is_mixture(components->kind))
	{
		tlv_gmm_read(&components->frame, &components->mixture);
		read_mixture(components);
	}
	else if (components->kind == &tlv_kind_multiview)
	{
		tlv_multiview_read(&components->frame, &components->multiview);
		if (components->multiview.items[0] != NULL)
			components_refuse_model(&components->frame, function, "Use tlv_categories(model).");
		three_views(components);
	}
	else if (components->kind == &tlv_kind_hmm)
	{
		tlv_hmm_read(&components->frame, &components->hmm);
		if (!components->hmm.gaussian)
			components_refuse_model(&components->frame, function, "Use tlv_emissions(model).");
		read_hmm(components);
	}
	else if (is_membership(components->kind))
		read_scalars(components, function);
	else
		components_refuse_model(&components->frame, function, hint);
}

/* Of directions about their mean, in each of the other dimensions. */
static double
direction_variance(size_t d, double kappa)
{
	return kappa > 0 ? tlv_directions_length(d, kappa) / kappa : 1 / (double) d;
}

/* Of a mixture's component. */
static double
mixture_covariance(const tlv_mixture *mixture, size_t j, size_t a, size_t b)
{
	const double *own =
		mixture->variances + j * tlv_mixture_variances(mixture->d, mixture->covariance);

	if (tlv_is_matrix(mixture->covariance))
		return own[tlv_packed2_index(a, b)];
	if (a != b)
		return 0;
	if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		return direction_variance(mixture->d, own[0]);
	return own[mixture->covariance == TLV_COVARIANCE_DIAGONAL ? a : 0];
}

/* Of a number beside categories. */
static double
scalar_variance(const tlv_membership_parts *parts, size_t j, size_t a, size_t b)
{
	if (parts->scalar_variances == NULL || a != b)
		return NAN;
	return parts->scalar_variances[a * parts->k + j];
}

/* NAN where the model does not know it. */
static double
component_covariance(const VectorComponents *components, size_t view, size_t j, size_t a, size_t b)
{
	const double *own;

	if (is_membership(components->kind))
		return scalar_variance(&components->membership, j, a, b);
	if (is_mixture(components->kind))
		return mixture_covariance(&components->mixture, j, a, b);
	if (components->kind == &tlv_kind_hmm)
		return tlv_hmm_covariance(&components->hmm, j, a, b);
	if (a != b)
		return 0;
	own = components->multiview.variances[view];
	return own == NULL ? NAN : own[j * components->d[view] + a];
}

/* Those of one component in one view, behind so many dimensions of the views before it. */
static void
put_means(FunctionCallInfo fcinfo, const VectorComponents *components, size_t view, size_t before,
		  size_t j)
{
	const tlv_membership_parts *beside = &components->membership;
	size_t d = components->d[view];
	bool membership = is_membership(components->kind);

	/* Of numbers beside categories names stand behind those of the variables, where they have any.
	 */
	if (membership)
		before = beside->p;
	for (size_t i = 0; i < d; i++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvInt4((int32) view + 1), TlvInt4((int32) i + 1),
				  membership && tlv_membership_numbers(beside) == 0
					  ? TlvNullIf(true, TlvInt4(0))
					  : TlvDimensionName(&components->frame, before, i),
				  TlvFloat8(components->means[view][j * d + i]),
				  TlvKnown(component_covariance(components, view, j, i, i)));
}

/* Rows (component, view, dimension, dimension_name, mean, variance). */
TLV_FUNCTION(tlv_means_rows)
{
	VectorComponents components;

	components_open_vectors(fcinfo, "tlv_means", &components);
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < components.k; j++)
		for (size_t t = 0, before = 0; t < components.views; before += components.d[t++])
			put_means(fcinfo, &components, t, before, j);
	return (Datum) 0;
}

/* Those of one component in one view. */
static void
put_covariances(FunctionCallInfo fcinfo, const VectorComponents *components, size_t view, size_t j)
{
	size_t d = components->d[view];

	for (size_t a = 0; a < d; a++)
		for (size_t b = components->full ? 0 : a; b < (components->full ? d : a + 1); b++)
			TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvInt4((int32) view + 1),
					  TlvInt4((int32) a + 1), TlvInt4((int32) b + 1),
					  TlvKnown(component_covariance(components, view, j, a, b)));
}

/* Rows (component, view, dimension_a, dimension_b, covariance). */
TLV_FUNCTION(tlv_covariances_rows)
{
	VectorComponents components;

	components_open_vectors(fcinfo, "tlv_covariances", &components);
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < components.k; j++)
		for (size_t t = 0; t < components.views; t++)
			put_covariances(fcinfo, &components, t, j);
	return (Datum) 0;
}

/* ---- categories ---- */

/* Of latent classes and mixed membership: variables by number, categories from 0 unless the
 * caller's were numbers. */
static Datum
put_membership_categories(FunctionCallInfo fcinfo, const tlv_frame *frame)
{
	tlv_membership_parts parts;
	tlv_code_names names;

	tlv_membership_read(frame, &parts);
	names = tlv_membership_names(&parts);
	TlvInitRows(fcinfo);
	for (size_t h = 0; h < parts.k; h++)
		for (size_t j = 0, v = 0; j < parts.p; v += (size_t) parts.states[j++])
			for (int64_t c = 0; c < parts.states[j]; c++)
				TlvPutRow(fcinfo, TlvInt4((int32) h + 1), TlvInt8((int64) j + 1),
						  TlvDimensionName(frame, 0, j), TlvInt8(tlv_code_number(&names, j, v, c)),
						  TlvCategoryCell(&names.names, v + (size_t) c, c),
						  TlvFloat8(parts.probabilities[(v + (size_t) c) * parts.k + h]));
	return (Datum) 0;
}

/* Rows (component, variable, variable_name, category, category_name, probability). */
TLV_FUNCTION(tlv_categories_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	static const tlv_name_list no_names = {0};
	tlv_multiview_parts parts;
	tlv_name_list names[3];

	if (is_membership(TlvKind(&frame)))
		return put_membership_categories(fcinfo, &frame);
	if (TlvKind(&frame) != &tlv_kind_multiview)
		components_refuse_model(&frame, "tlv_categories", "It is for mixtures of categories.");
	tlv_multiview_read(&frame, &parts);
	if (parts.items[0] == NULL)
		components_refuse_model(&frame, "tlv_categories", "Use tlv_means(model).");
	for (int t = 0; t < 3; t++)
		names[t] = tlv_multiview_names(&parts, t);
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < parts.k; j++)
		for (int t = 0; t < 3; t++)
			for (size_t i = 0; i < parts.d[t]; i++)
				TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvInt8(t + 1),
						  TlvNameCell(&no_names, 0, t + 1), TlvInt8(parts.items[t][i]),
						  TlvNameCell(&names[t], i, parts.items[t][i]),
						  TlvFloat8(parts.means[t][j * parts.d[t] + i]));
	return (Datum) 0;
}
