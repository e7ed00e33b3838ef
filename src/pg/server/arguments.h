/*
 * arguments.h - arguments of fits and drivers, found by the names under which SQL declares them.
 */
#ifndef TLV_ARGUMENTS_H
#define TLV_ARGUMENTS_H

#include "tlv_pg.h"

#include "utils/array.h"

typedef enum TlvArgumentType
{
	TLV_ARGUMENT_COUNT,	 /* integer of at least `least`, to a size_t */
	TLV_ARGUMENT_NUMBER, /* the same, to an int */
	TLV_ARGUMENT_REAL,	 /* float8, from 0 to `most` where it is written, to a double */
	TLV_ARGUMENT_FLAG,	 /* boolean, to a bool */
	TLV_ARGUMENT_TEXT,	 /* to a const char * */
	TLV_ARGUMENT_CHOICE, /* text, one of names, to an int or an enumeration: its number there */
	TLV_ARGUMENT_SEED,	 /* bigint, 0 .. 2^53 - 1, to a uint64_t; NULL: 1 */
	TLV_ARGUMENT_DATUM	 /* anything else, as it is, to a Datum */
} TlvArgumentType;

/* One argument of a function, and where in its options it goes. */
typedef struct TlvArgument
{
	const char *name;
	TlvArgumentType type;
	size_t offset;
	int least;
	bool required; /* NULL is an error */
	double most;   /* of a real number, and as it is written */
	const char *most_text;
	const char *hint;		  /* for one that is not in that range, or NULL */
	const char *what;		  /* of a choice, in its error: "there is no <what> ..." */
	const char *const *names; /* of a choice; NULL ends them */
} TlvArgument;

/*
 * Fills options with the function's arguments after the first.  What is NULL leaves options as they
 * are.  The table may have more than the function declares, so that a fit and a driver share one,
 * but not less, except for options, a jsonb of keys to come: whatever is in it is refused, and for
 * on_failure and errors, which TlvFailureIsNull and TlvDriverLearn read.
 */
extern void TlvReadArguments(FunctionCallInfo fcinfo, const TlvArgument *table, void *options);

/* on_failure => 'null': a model that the data do not give is NULL, and a warning; else an error. */
extern bool TlvFailureIsNull(FunctionCallInfo fcinfo);

/* One argument by its name, which the function must declare: a count of at least minimum, */
extern size_t TlvNamedCount(FunctionCallInfo fcinfo, const char *name, int minimum);

/* a number that is not NULL, */
extern double TlvNamedNumber(FunctionCallInfo fcinfo, const char *name);

/* one of names, by its number; NULL: the first, */
extern int TlvNamedChoice(FunctionCallInfo fcinfo, const char *name, const char *const *names,
						  const char *what);

/* a boolean; NULL: false, */
extern bool TlvNamedFlag(FunctionCallInfo fcinfo, const char *name);

/* an array, NULL is not allowed, */
extern ArrayType *TlvNamedArray(FunctionCallInfo fcinfo, const char *name);

/* a moments, subspace, model or graph, likewise, */
extern Datum TlvNamedValue(FunctionCallInfo fcinfo, const char *name);

/* and the seed. */
extern uint64 TlvNamedSeed(FunctionCallInfo fcinfo);

/* Is the argument of that name NULL, or not declared at all? */
extern bool TlvArgumentIsNull(FunctionCallInfo fcinfo, const char *name);

/*
 * The number of a value in a list that NULL ends; the error for one that is not in it is "there is
 * no <what> "<value>"", with the list as its hint.
 */
extern int TlvChoice(const char *value, const char *const *names, const char *what);

/* The same where `names` are all there are, and `allowed` those that go with the other arguments:
 * the hint lists these; whoever takes the value refuses the others. */
extern int TlvChoiceAmong(const char *value, const char *const *names, const char *const *allowed,
						  const char *what);

/* ---- what several families have ---- */

/* In the order of tlv_covariance. */
extern const char *const TlvCovarianceNames[];

/* In the order of tlv_method, and the tensor's own methods only. */
extern const char *const tlv_method_names[];

/*
 * How a tensor is decomposed: method, seed, restarts and steps, to the tlv_decompose_options at a
 * member of the options; and the seed to a uint64_t, which is the fit's own.
 */
#define TLV_DECOMPOSE_ARGUMENTS(options, member, fit_seed)                                         \
	{"method", TLV_ARGUMENT_CHOICE, offsetof(options, member.method), .what = "method",            \
	 .names = tlv_method_names},                                                                   \
		TLV_DECOMPOSE_ARGUMENTS_BUT_METHOD(options, member, fit_seed)

/* The same where a family has methods of its own. */
#define TLV_DECOMPOSE_ARGUMENTS_BUT_METHOD(options, member, fit_seed)                              \
	{"seed", TLV_ARGUMENT_SEED, offsetof(options, member.seed)},                                   \
		{"seed", TLV_ARGUMENT_SEED, offsetof(options, fit_seed)},                                  \
		{"restarts", TLV_ARGUMENT_NUMBER, offsetof(options, member.restarts), .least = 1},         \
		{"restarts", TLV_ARGUMENT_NUMBER, offsetof(options, member.starts), .least = 1},           \
	{                                                                                              \
		"steps", TLV_ARGUMENT_NUMBER, offsetof(options, member.steps), .least = 1                  \
	}

#endif /* TLV_ARGUMENTS_H */
