/*
 * queries.h - what the query of a driver returns: recognised, cast, grouped, pivoted and ordered.
 *
 * Each reader analyses the text, refuses columns that it cannot read (42804, with their types) and
 * makes the driver's rows ready for passes.
 */
#ifndef TLV_QUERIES_H
#define TLV_QUERIES_H

#include "server/driver.h"

/*
 * Vectors x: one column of an array of numbers, or of a type that is cast to real[]; or columns of
 * numbers, each a dimension, whose names become the names of the rows.
 */
extern void TlvReadVectors(TlvDriver *driver, const char *text);

/*
 * Documents, a bag each: one column of tlv_bag, or (doc, item [, count]), grouped.  Terms, where
 * items are text, become the names of the rows.
 */
extern void TlvReadDocuments(TlvDriver *driver, const char *text);

/* Sets of items: what documents may be, or arrays of whole numbers (active). */
extern void TlvReadSets(TlvDriver *driver, const char *text);

/*
 * Sequences s: one column of arrays, int[] or float8[], or (seq, t, step), collected by seq in the
 * order of t; or (seq, t, x1, x2, ...), whose names of numbers become the names of the rows.
 */
extern void TlvReadSequences(TlvDriver *driver, const char *text);

/*
 * Series s of single numbers: one column of arrays of numbers, or (series, t, reading), collected
 * by series in the order of t; a reading that is NULL is missing.
 */
extern void TlvReadSeries(TlvDriver *driver, const char *text);

/*
 * Three views x1, x2, x3: three arrays of numbers, or three whole numbers, as their form says.  Not
 * yet ready: how often they are read follows from what they are (TlvSourceReady).
 */
extern TlvSource *TlvReadViews(TlvDriver *driver, const char *text);

/* What the columns of rows of variables are: a driver's option layout, whose names these are. */
typedef enum TlvLayout
{
	TLV_LAYOUT_OMITTED = -1, /* three columns are long rows, another number of them is wide */
	TLV_LAYOUT_LONG,		 /* (row, variable, value) */
	TLV_LAYOUT_WIDE			 /* a column for each variable */
} TlvLayout;

extern const char *const TlvLayouts[];

/* Is every column of the query a variable? */
extern bool TlvIsWide(TupleDesc desc, TlvLayout layout);

/* Names of all categories, variable after variable, and how many every variable has; none of
 * arrays. */
typedef struct TlvSurvey
{
	tlv_names categories; /* n = 0: they have none */
	const int64_t *states;
	bool unanswered; /* asked for: variables that no row has a category of count, too, with an empty
					  * one */
	bool takes_numbers; /* asked for: numbers may stand beside categories */
	bool cuts_numbers;	/* asked for: columns of numbers and dates are cut into ranges, categories
						 * too, and columns of too many categories are left out */
	tlv_code_ranges ranges; /* of these */
	int numbers;			/* that there are */
	int most_states;		/* asked for: categories of a variable at most; 0: those of moments */
} TlvSurvey;

/*
 * Rows v of categories, each variable `copies` times: one column of arrays, or (row, variable,
 * category), variables and categories by whole numbers or by their text, whose names become
 * those of the rows and of the answers; or (row, variable, category, number), of which the
 * variables have one or the other.  Of a wide layout, every column is a variable, called as it is;
 * where there are numbers, rows are vectors of the codes and the numbers behind them, a code that
 * is missing -1, a number TLV_MEMBERSHIP_MISSING.  Where there are none, no pass may follow.
 */
extern void TlvReadSurvey(TlvDriver *driver, const char *text, int copies, TlvLayout layout,
						  TlvSurvey *answers);

/* The same of an opened query.  arrays: it returns one column of these; otherwise its column
 * `variable` (0 or 1) is the variable and the other one of the first two the row. */
extern void TlvReadSurveyOf(TlvSource *rows, bool arrays, int variable, int copies, bool wide,
							TlvSurvey *answers);

/*
 * Rows v of variables, categories as TlvReadSurvey has them, or numbers: one column of arrays of
 * float8, or (row, variable, number), whose variables become the names of the rows: where there are
 * none, there are no rows, and no pass may follow.  Without a kind (NULL) numbers with a fraction
 * are none, and all else is a category; kind says it otherwise.  Of a wide layout, every column is
 * a variable, called as it is; beside categories, numbers and dates are cut into ranges.  Errors:
 * 42804 for times beside numbers alone, which do not say what the numbers are.
 */
extern void TlvReadVariables(TlvDriver *driver, const char *text, const char *kind,
							 TlvLayout layout, TlvSurvey *answers);

/* Errors: columns of one name, and, of tables, the primary key: they are no variables. */
extern void TlvRequireVariables(const TlvSource *rows, bool with_numbers);

/* Edges (src, dst [, weight]), or nodes with their neighbours (node, tlv_bag); and known labels of
 * nodes, (node, community), as source 1. */
extern void TlvReadEdges(TlvDriver *driver, const char *text, bool bipartite);
extern void TlvReadLabels(TlvDriver *driver, const char *text);

/* Answers (item, worker, answer); and known ones, (item, answer), as source 1. */
extern void TlvReadAnswers(TlvDriver *driver, const char *text);
extern void TlvReadGold(TlvDriver *driver, const char *text);

/*
 * What a column of vectors is cast to, after "::"; NULL where it is none.  Vectors are arrays of
 * numbers, or of a type of their own, as extensions have, that is cast to real[]: the cast is
 * allowed.
 */
extern const char *TlvVectorCast(TlvSource *rows, int column);

/* ---- weights of rows (weights_query.c) ---- */

/* What the column of weights is called behind the others, in statements over the query. */
#define TLV_WEIGHT_COLUMN "\"tensorlv weight\""

/* Appends it to a select list, and declares it as a column of the rows, where they have weights. */
extern void TlvAppendWeight(TlvSource *rows, StringInfo sql);
extern void TlvWeightColumn(TlvSource *rows);
/* 22023 where rows have weights and are not whole: of their columns, or arrays. */
extern void TlvRequireWeighedRows(const TlvSource *rows, bool whole);

/* ---- rows of named columns (columns_query.c) ---- */

/*
 * Columns of the query from `first` on become dimensions: their names those of the rows.  Errors:
 * 42804 for one that is no number, or is a table's primary key.
 */
extern void TlvNameColumns(TlvSource *rows, int first);
/* The columns that are numbers, and neither a primary key nor row numbers, become dimensions; the
 * others are skipped with a warning.  Their number.  Errors: 42804 where none is left, and for an
 * array among them. */
extern int TlvChooseColumns(TlvSource *rows);

/* Names those that are not skipped (rows->skipped), and says what the others are; how many there
 * are. */
extern int TlvNameTakenColumns(TlvSource *rows);

/* Skips integer columns (rows->skipped) whose values in the first rows number these: all differ,
 * and lie so near to each other that some were equal by chance.  One column is left. */
extern void TlvSkipRowNumbers(TlvSource *rows);
/* The elements of a column of arrays are dimensions, which messages name by it. */
extern void TlvNameArray(TlvSource *rows, int column);
/* The names of a query's columns from the first on. */
extern tlv_names *TlvColumnNames(TupleDesc desc, int first);

/*
 * For a hint, a call on the caller's query: function('SELECT list FROM (query) AS q', options).
 * function NULL: the one that was called; list NULL: the query as it is; options may be "".
 */
extern char *TlvHintCall(const TlvSource *rows, const char *function, const char *list,
						 const char *options);

/* Is every column a number or an id, and is there more than one: may each be a variable? */
extern bool TlvLooksWide(TupleDesc desc);

/* The call on the query's columns without a primary key, which is no variable and no dimension. */
extern char *TlvHintColumns(const TlvSource *rows, const char *function, const char *options);

/* The hint for an array beside other columns: the call on the array alone. */
extern char *TlvHintArray(const TlvSource *rows, int column);

/* The number of a date, a time or an interval, of which no cast makes one: extract(epoch FROM
 * name).  NULL: the column is none of them. */
extern char *TlvHintTime(TupleDesc desc, int column);

/* That which reads every column as a variable. */
extern char *TlvHintWide(const TlvSource *rows);

/* What to do where long rows have two values of one variable; NULL: no more than usual. */
extern char *TlvHintTwoValues(const TlvSource *rows);

/* Rows (row, variable, ...) whose first column is a table's primary key have one variable each.
 * Error 42804 with the call that reads their columns as variables. */
extern void TlvRefuseWide(const TlvSource *rows);

/* TlvSourceReady of rows that are pivoted to the variables of rows->names, each `copies` times: an
 * error about one of them names it, with that hint (or NULL: its own). */
extern void TlvSourcePivot(TlvSource *rows, int copies, const char *hint);

/* Appends x1, x2, ..., ARRAY[x1, x2, ...] of float8, and the query whose columns are called so. */
extern void TlvAppendColumns(StringInfo sql, int n);
extern void TlvAppendColumnArray(StringInfo sql, int n);
extern void TlvAppendQuery(StringInfo sql, int n);

/*
 * Rows of `from` gathered by a key into one value each, an aggregate of those with `where` (NULL:
 * all).  Those of no key, or in which `good` is NULL, cannot be.
 */
typedef struct TlvGroups
{
	const char *name; /* of the column */
	const char *key, *value, *where, *good, *from;
	const char *marked; /* a boolean column of `from`; NULL: none */
} TlvGroups;

/* Appends the query of one column, with a NULL for each row that cannot be gathered, and of another
 * one by the name of what is marked: how many of those gathered are. */
extern void TlvAppendGroups(StringInfo sql, const TlvGroups *groups);

/* A column: is the step at the time of the one before it? */
#define TLV_SAME_TIME "same_time"

/*
 * Steps of sequences: in SQL those of `from`, rows (key, t, x) in parentheses, in order of time,
 * those of one time in order of x, and marked.
 */
extern char *TlvOrderedSteps(const char *key, const char *from);

#endif /* TLV_QUERIES_H */
