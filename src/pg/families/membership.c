/*
 * membership.c - latent classes and mixed membership of categorical variables: arguments of the
 * fits and drivers, what is missing in a row, simulation.
 */
#include "server/tlv_pg.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "rows/any.h"
#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "functions/suggest.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/membership.h"

/* ---- fitting ---- */

typedef struct MembershipArguments
{
	tlv_membership_learn_options learn; /* first */
	int layout;
	int method;
} MembershipArguments;

/* In the order of tlv_membership_criterion; whether it is refined. */
static const char *const membership_criteria[] = {TLV_SUGGEST_HELD_OUT, TLV_SUGGEST_BIC, NULL};
static const char *const membership_refinements[] = {"auto", "none", NULL};

/* Those of tlv_method, then partitions with each of tlv_nonnegative_method. */
static const char *const membership_methods[] = {"joint",	  "power",		   "als", "sgd",
												 "partition", "partition-pqp", NULL};
#define FIRST_PARTITION 4

#define MEMBERSHIP_OPTION(member) offsetof(MembershipArguments, learn.member)

/* Of tlv_fit_lca, tlv_lca, tlv_fit_gom and tlv_gom. */
static const TlvArgument membership_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, MEMBERSHIP_OPTION(fit.k), .least = 1},
	{"alpha0", TLV_ARGUMENT_REAL, MEMBERSHIP_OPTION(fit.alpha0), .most = 1e6, .most_text = "1e6"},
	{"copies", TLV_ARGUMENT_COUNT, MEMBERSHIP_OPTION(fit.copies), .least = 1},
	{"criterion", TLV_ARGUMENT_CHOICE, MEMBERSHIP_OPTION(criterion), .what = "criterion",
	 .names = membership_criteria},
	{"layout", TLV_ARGUMENT_CHOICE, offsetof(MembershipArguments, layout), .what = "layout",
	 .names = TlvLayouts},
	{"refine", TLV_ARGUMENT_CHOICE, MEMBERSHIP_OPTION(refine), .what = "refinement",
	 .names = membership_refinements},
	{"iterations", TLV_ARGUMENT_NUMBER, MEMBERSHIP_OPTION(iterations), .least = 0},
	{"method", TLV_ARGUMENT_CHOICE, offsetof(MembershipArguments, method), .what = "method",
	 .names = membership_methods},
	TLV_DECOMPOSE_ARGUMENTS_BUT_METHOD(MembershipArguments, learn.fit.decompose, learn.fit.seed),
	{"max_k", TLV_ARGUMENT_COUNT, MEMBERSHIP_OPTION(max_k), .least = 1},
	{"max_k", TLV_ARGUMENT_COUNT, MEMBERSHIP_OPTION(fit.max_k), .least = 1},
	{NULL}};

static void
take_method(MembershipArguments *arguments)
{
	tlv_membership_options *fit = &arguments->learn.fit;

	fit->partition = arguments->method >= FIRST_PARTITION;
	if (!fit->partition)
		fit->decompose.method = (tlv_method) arguments->method;
	else
		fit->solver = (tlv_nonnegative_method) (arguments->method - FIRST_PARTITION);
}

static MembershipArguments
read_membership_arguments(FunctionCallInfo fcinfo, bool mixed)
{
	MembershipArguments arguments = {
		.learn = {.iterations = -1, .max_k = TLV_MEMBERSHIP_MAX_K, .fit.copies = 1},
		.layout = TLV_LAYOUT_OMITTED};

	TlvReadArguments(fcinfo, membership_arguments, &arguments);
	arguments.learn.fit.mixed = mixed;
	take_method(&arguments);
	if (arguments.learn.max_k > TLV_MEMBERSHIP_MOST_TRIED)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_k = %zu is more than %d", arguments.learn.max_k,
							   TLV_MEMBERSHIP_MOST_TRIED)));
	if (arguments.learn.fit.copies > TLV_CATEGORY_MOST_VARIABLES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("copies = %zu is more than %d", arguments.learn.fit.copies,
							   TLV_CATEGORY_MOST_VARIABLES)));
	return arguments;
}

TLV_FIT_VALUE(fit_membership, tlv_membership_fit)

static Datum
fit_members(FunctionCallInfo fcinfo, bool mixed)
{
	MembershipArguments arguments = read_membership_arguments(fcinfo, mixed);

	return TlvFit(fcinfo, fit_membership, &arguments.learn.fit);
}

/* The answers that the query returns, and what of them is an option. */
static void
read_answers(FunctionCallInfo fcinfo, TlvDriver *driver, MembershipArguments *arguments)
{
	TlvSurvey *answers = palloc(sizeof(TlvSurvey));

	TlvReadSurvey(driver, TlvQueryText(fcinfo, "answers"), (int) arguments->learn.fit.copies,
				  (TlvLayout) arguments->layout, answers);
	if (answers->categories.n > 0)
	{
		arguments->learn.categories = &answers->categories;
		arguments->learn.states = answers->states;
	}
	arguments->learn.scalars = (size_t) answers->numbers;
}

static Datum
learn_members(FunctionCallInfo fcinfo, bool mixed)
{
	MembershipArguments arguments = read_membership_arguments(fcinfo, mixed);
	TlvDriver *driver = TlvDriverBegin(fcinfo);

	read_answers(fcinfo, driver, &arguments);
	return TlvDriverLearn(fcinfo, driver, tlv_membership_procedure(&arguments.learn),
						  &arguments.learn);
}

/* tlv_fit_lca(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_lca)
{
	return fit_members(fcinfo, false);
}

/* tlv_lca(query, ...) */
TLV_DRIVER_FUNCTION(tlv_lca)
{
	return learn_members(fcinfo, false);
}

/* tlv_fit_gom(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_gom)
{
	return fit_members(fcinfo, true);
}

/* tlv_gom(query, ...) */
TLV_DRIVER_FUNCTION(tlv_gom)
{
	return learn_members(fcinfo, true);
}

/* ---- the number of components ---- */

static tlv_membership_learn_options
membership_search(const TlvSearch *search)
{
	bool bic = search->criterion != NULL && strcmp(search->criterion, TLV_SUGGEST_HELD_OUT) != 0;

	return (tlv_membership_learn_options){
		.iterations = -1,
		.criterion = bic ? TLV_MEMBERSHIP_BIC : TLV_MEMBERSHIP_HELD_OUT,
		.max_k = search->max_k > 0 ? search->max_k : TLV_MEMBERSHIP_MAX_K,
		.fit = {.mixed = search->searcher == &TlvSearchGom,
				.copies = 1,
				.max_k = search->max_k,
				.seed = search->seed,
				.decompose.seed = search->seed}};
}

/* A query of one column has arrays; three are (row, variable, category). */
static void
learn_membership_search(FunctionCallInfo fcinfo, TlvDriver *driver, const TlvSearch *search,
						tlv_held *model)
{
	MembershipArguments arguments = {.learn = membership_search(search)};

	read_answers(fcinfo, driver, &arguments);
	TlvDriverRunProcedure(driver, tlv_membership_procedure(&arguments.learn), &arguments.learn,
						  model);
}

static tlv_status
fit_membership_search(tlv_context *ctx, const tlv_frame *moments, const void *search, void **image,
					  size_t *size)
{
	tlv_membership_learn_options options = membership_search(search);

	return tlv_membership_fit(ctx, moments, &options.fit, image, size);
}

static const char *const lca_criteria[] = {TLV_SUGGEST_HELD_OUT, TLV_SUGGEST_BIC, TLV_SUGGEST_ICL,
										   NULL};
static const char *const gom_criteria[] = {TLV_SUGGEST_HELD_OUT, NULL};
const TlvSearcher TlvSearchLca = {lca_criteria, fit_membership_search, true,
								  learn_membership_search};
const TlvSearcher TlvSearchGom = {gom_criteria, fit_membership_search, false,
								  learn_membership_search};

/* ---- simulation ---- */

static Datum
membership_simulate_model(FunctionCallInfo fcinfo, bool mixed)
{
	tlv_membership_simulation options = {.mixed = mixed, .alpha = 1};
	TlvMaker maker;

	options.variables = TlvNamedCount(fcinfo, "variables", 1);
	options.k = TlvNamedCount(fcinfo, "k", 1);
	options.categories = TlvNamedCount(fcinfo, "categories", 2);
	options.concentration = TlvNamedNumber(fcinfo, "concentration");
	if (mixed)
		options.alpha = TlvNamedNumber(fcinfo, "alpha");
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_membership_random(maker.ctx, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* tlv_simulate_lca_model(variables, k, categories, concentration, seed) */
TLV_FUNCTION(tlv_simulate_lca_model)
{
	return membership_simulate_model(fcinfo, false);
}

/* tlv_simulate_gom_model(variables, k, categories, alpha, concentration, seed) */
TLV_FUNCTION(tlv_simulate_gom_model)
{
	return membership_simulate_model(fcinfo, true);
}

static Datum
membership_simulate_rows(FunctionCallInfo fcinfo, bool mixed)
{
	const tlv_kind *kind = mixed ? &tlv_kind_grade_of_membership : &tlv_kind_latent_classes;
	tlv_frame frame =
		TlvModelFrame(fcinfo, 0, kind, mixed ? "tlv_simulate_gom" : "tlv_simulate_lca");
	size_t rows = TlvNamedCount(fcinfo, "rows", 0), slots;
	uint64 seed = TlvNamedSeed(fcinfo);
	tlv_membership_parts parts;
	double *memberships;
	int32_t *codes;

	tlv_membership_read(&frame, &parts);
	slots = parts.p * (size_t) parts.copies;
	codes = palloc(slots * sizeof(int32_t));
	memberships = palloc(parts.k * sizeof(double));
	TlvInitRows(fcinfo);
	for (size_t i = 1; i <= rows; i++)
	{
		size_t best = 0;

		tlv_membership_draw(&parts, mixed, seed, i, codes, memberships);
		for (size_t h = 1; h < parts.k; h++)
			best = memberships[h] > memberships[best] ? h : best;
		TlvPutRow(fcinfo, TlvInt8((int64) i), TlvOwned(TlvInt4Array(slots, codes)),
				  mixed ? TlvOwned(TlvFloat8Array(parts.k, memberships))
						: TlvInt4((int32) best + 1));
	}
	return (Datum) 0;
}

/* tlv_simulate_lca(model, rows, seed): rows (id, v, component) */
TLV_FUNCTION(tlv_simulate_lca)
{
	return membership_simulate_rows(fcinfo, false);
}

/* tlv_simulate_gom(model, rows, seed): rows (id, v, memberships) */
TLV_FUNCTION(tlv_simulate_gom)
{
	return membership_simulate_rows(fcinfo, true);
}
