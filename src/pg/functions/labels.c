/*
 * labels.c - models that last: names of components, numbers that stay, and a step that keeps part
 * of the old model.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "utils/array.h"

#include "server/arrays.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/num/plural.h"

void
TlvWarnSkipped(const tlv_frame *model, const tlv_frame *statistics)
{
	double nulls = tlv_frame_scalar(statistics, "nulls", 0) +
				   tlv_frame_scalar(statistics, "skipped", 0) +
				   tlv_frame_scalar(statistics, "empty", 0);
	bool known = TlvKind(model)->model->ids != NULL;

	if (nulls > 0)
		TlvRaiseWarning(ERRCODE_WARNING, "rows_skipped",
						psprintf(nulls == 1
									 ? "%.0f row of the statistics was skipped: it has a null, "
									   "or nothing that the model knows"
									 : "%.0f rows of the statistics were skipped: they have "
									   "a null, or nothing that the model knows",
								 nulls),
						NULL,
						known ? "Fill in missing values, or filter these rows out; fit a model to "
								"all rows to have those that are new in it."
							  : tlv_warning_hint("rows_skipped"));
}

/* tlv_update(model, statistics, weight): the model after one refinement step */
TLV_KEEPING_FUNCTION(tlv_update)
{
	tlv_frame model, statistics, made;
	double weight;
	TlvMaker maker;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	statistics = TlvFrameOf(PG_GETARG_DATUM(1));
	weight = PG_GETARG_FLOAT8(2);
	TlvMakerBegin(&maker, "tensorlv update");
	TlvCheck(maker.ctx,
			 tlv_model_update(maker.ctx, &model, &statistics, weight, &maker.image, &maker.size));
	TlvWarnSkipped(&model, &statistics);
	if (maker.image == NULL)
	{
		TlvWorkEnd(maker.work);
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	TlvCheck(maker.ctx, tlv_frame_open(maker.ctx, maker.image, maker.size, &made));
	TlvRaiseWarnings(&made, &model);
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* tlv_label(model, component, label): label NULL takes it away, empty the model's own, too */
TLV_KEEPING_FUNCTION(tlv_label)
{
	tlv_text label = {NULL, 0};
	tlv_frame model;
	int32 component;
	TlvMaker maker;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	component = PG_GETARG_INT32(1);
	if (!PG_ARGISNULL(2))
	{
		text *given = PG_GETARG_TEXT_PP(2);

		label = (tlv_text){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
	}
	if (component < 1 || (size_t) component > tlv_model_components(&model))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no component %d", component),
						errhint("The model has %zu %s.", tlv_model_components(&model),
								tlv_plural((double) (tlv_model_components(&model)), "component",
										   "components"))));
	TlvMakerBegin(&maker, "tensorlv label");
	TlvCheck(maker.ctx, tlv_label_component(maker.ctx, &model, (size_t) component - 1, label,
											&maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* Why models of a kind have no components that can be put in order, and what serves instead. */
static const struct
{
	const tlv_kind *kind;
	const char *why, *instead;
} unordered[] = {
	{&tlv_kind_tree,
	 "A hidden variable is one by its place in the tree: it has no weight, and another tree has "
	 "other variables.",
	 "tlv_tree_clusters divides the variables of a tree, and tlv_robinson_foulds compares two."},
	{&tlv_kind_network, "Units of a layer are the children of units above, by their numbers.",
	 "tlv_match pairs the units of two networks."},
};

/* Error, with what serves instead, of a kind whose components have no weights. */
static void
require_weights(const tlv_frame *model, const char *function)
{
	const char *why = "Its parts belong together and have no weights of their own.",
			   *instead = NULL;

	if (tlv_layout_of(model)->weights != NULL)
		return;
	for (size_t i = 0; i < lengthof(unordered); i++)
		if (TlvKind(model) == unordered[i].kind)
		{
			why = unordered[i].why;
			instead = unordered[i].instead;
		}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s is not defined for a model of kind %s", function, TlvKind(model)->name),
			 errdetail("%s", why),
			 instead != NULL ? errhint("%s", instead) : errhint("tlv_fit_cp gives components.")));
}

/* tlv_align(model, reference, max_distance) */
TLV_KEEPING_FUNCTION(tlv_align)
{
	tlv_frame model, reference;
	TlvMaker maker;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	reference = TlvFrameOf(PG_GETARG_DATUM(1));
	require_weights(&model, "tlv_align");
	if (TlvKind(&model) != TlvKind(&reference))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a model of kind %s cannot be aligned with one of kind %s",
							   TlvKind(&model)->name, TlvKind(&reference)->name),
						errhint("Give a reference of the same kind.")));
	TlvMakerBegin(&maker, "tensorlv align");
	TlvCheck(maker.ctx, tlv_model_align(maker.ctx, &model, &reference,
										PG_ARGISNULL(2) ? NAN : PG_GETARG_FLOAT8(2), &maker.image,
										&maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* The numbers of components in an array. */
static size_t
component_numbers(ArrayType *array, const char *argument, const int32_t **numbers)
{
	int n = array == NULL ? 0 : ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (array != NULL && array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("%s contains a null number of a component", argument)));
	*numbers = n == 0 ? NULL : (const int32_t *) ARR_DATA_PTR(array);
	return (size_t) n;
}

/* tlv_merge(model, components) */
TLV_KEEPING_FUNCTION(tlv_merge)
{
	const int32_t *numbers;
	tlv_frame model;
	TlvMaker maker;
	size_t n;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	n = component_numbers(TLV_GETARG_ARRAY(1), "components", &numbers);
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	/* A mixture of correlated topics, or of t distributions, is not one of them. */
	if (tlv_layout_of(&model)->spreads == NULL || tlv_frame_find(&model, "logistic_mean") != NULL ||
		tlv_frame_find(&model, "degrees") != NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("components of this model of kind %s cannot be merged", TlvKind(&model)->name),
			 errhint("Topics without correlations, communities, mixtures of Gaussians and classes "
					 "can be merged; tlv_groups(model, n) divides the components of any model that "
					 "has weights into groups.")));
	if (n == 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	TlvMakerBegin(&maker, "tensorlv merge");
	TlvCheck(maker.ctx, tlv_model_merge(maker.ctx, &model, n, numbers, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* tlv_compact(model, tolerance, drop) */
TLV_KEEPING_FUNCTION(tlv_compact)
{
	const int32_t *drop;
	tlv_frame model;
	size_t n;
	TlvMaker maker;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	n = component_numbers(PG_ARGISNULL(2) ? NULL : TLV_GETARG_ARRAY(2), "drop", &drop);
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	require_weights(&model, "tlv_compact");
	TlvMakerBegin(&maker, "tensorlv compact");
	TlvCheck(maker.ctx, tlv_model_compact(maker.ctx, &model, PG_GETARG_FLOAT8(1), n, drop,
										  &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}
