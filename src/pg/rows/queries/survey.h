/*
 * survey.h - what the readers of answers share: the pairs of variables and categories of a query,
 * and the variables that are numbers (survey_query.c, survey_numbers.c).
 */
#ifndef TLV_SURVEY_H
#define TLV_SURVEY_H

#include "rows/queries.h"

#include "tensorlv/model/categories.h"
#include "tensorlv/model/source.h"

/* Most ranges of a number, beside which values that many rows have are one each. */
#define SURVEY_RANGES 5

/* A range of a number's values. */
typedef struct SurveyRange
{
	double lower; /* where it begins: the last one ended below */
	double least, most, mean, weight;
	int64 values;
} SurveyRange;

/* Those of a column in their order, and in SQL the number of a value's range, from 0, and its name;
 * n = 0: it is no number, or has no value. */
typedef struct SurveyRanges
{
	int n;
	SurveyRange list[2 * SURVEY_RANGES];
	const char *code, *name;
} SurveyRanges;

/* All pairs of a variable and a category, in the order of both. */
typedef struct SurveyList
{
	MemoryContext mcxt;
	TupleDesc columns;			/* which are the variables, by number; NULL: they come by name */
	const char *from;			/* rows (r, variable, category, number) */
	const SurveyRanges *ranges; /* of every column; NULL: no number is cut */
	bool keep_unanswered;
	int most_states;
	Datum many;	   /* the last variable of more categories, which is left out; 0: none is */
	int64 n, room; /* pairs */
	Datum *variable, *category, *at, *code;
	int64_t variables;
	int64_t offsets[TLV_CATEGORY_MOST_VARIABLES + 1]; /* of names */
	int64_t states[TLV_CATEGORY_MOST_VARIABLES];
	int64_t *category_offsets; /* room + 1 */
	StringInfoData names, categories;
	tlv_shown_list unanswered; /* variables without a category that are left out */
	tlv_shown_list crowded;	   /* those of too many */
} SurveyList;

/* The variables that are numbers, in their order. */
typedef struct SurveyNumbers
{
	MemoryContext mcxt;
	const TlvSource *rows;
	SurveyList *list; /* the categories */
	int n, room;
	Datum *names;
} SurveyNumbers;

/* Ids that come in the order of their texts: others have an order of their own. */
extern bool TlvSurveyIsText(Oid type);

/* In SQL the rows q of the list beside those of its pairs, v(name, category, at, code), which are
 * parameters of the statement of the rows. */
extern const char *TlvSurveyCoded(TlvSource *rows, const SurveyList *list);

/* The name of a number behind those of the categories, which all have room together. */
extern void TlvSurveyNameNumber(TlvSource *rows, SurveyList *list, const char *name);

/* Errors of columns, each a variable, that are neither categories nor numbers, are called alike, or
 * are a key (TlvRequireVariables). */
extern void TlvSurveyRequireColumns(const TlvSource *rows, bool with_numbers);

/*
 * Which columns of the query are numbers beside categories (rows->numbers), and which are none,
 * since they number the rows (rows->skipped): a pass over its integers, of which those of at most
 * TLV_MOST_INTEGER_CATEGORIES different values are categories.
 */
extern void TlvSurveyJudgeColumns(TlvSource *rows);

/* Rows (row, variable, category, number): the variables that are numbers, n of them; NULL where no
 * row has one. */
extern SurveyNumbers *TlvSurveyCollectNumbers(TlvSource *rows, SurveyList *list, int copies,
											  int *n);

/* Notes a variable that no row has a value of. */
extern void TlvSurveyLeaveOut(SurveyList *list, Datum variable);

/* One vector for each row: the codes of its categories, and its numbers. */
extern void TlvSurveyPivotNumbers(TlvSource *rows, SurveyList *list, const SurveyNumbers *numbers);

/* ---- numbers as ranges (survey_ranges.c) ---- */

/* A column x1, x2, ... of numbers or dates as float8 in SQL; infinite dates are missing. */
extern const char *TlvSurveyNumber(TupleDesc desc, int column);

/* The ranges of every column of the query that is a number or a date (TlvSurveyJudgeColumns).
 * Errors: 22003 for one that is not finite. */
extern const SurveyRanges *TlvSurveyCutNumbers(TlvSource *rows);

/* answers->ranges of the variables and categories in the list, where there are any.  Errors: 40001
 * where a foreign table has other values than when they were cut. */
extern void TlvSurveyTellRanges(const SurveyList *list, TlvSurvey *answers);

#endif /* TLV_SURVEY_H */
