/*
 * driver.h - the one driver: runs a procedure of floor 2 (source.h) over the rows of the caller's
 * query, each pass as one aggregate query.
 *
 * A driver in SQL begins one, lets a reader of src/pg/rows find out what the rows are
 * (TlvSourceOpen ... TlvSourceReady), and returns what TlvDriverLearn
 * gives for its procedure.
 */
#ifndef TLV_DRIVER_H
#define TLV_DRIVER_H

#include "query/query.h"

#include "portability/instr_time.h"

#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"

#define TLV_ROW_COLUMNS 3

typedef struct TlvDriver TlvDriver;

/* The rows of one source, and how passes come by them. */
typedef struct TlvSource
{
	TlvDriver *driver;
	TlvQuery *query;   /* NULL: there is no such source */
	TlvStatement made; /* a query of ours over the caller's that makes the columns below */
	int n;			   /* columns of a row, the arguments of every aggregate */
	const char *columns[TLV_ROW_COLUMNS];
	Oid types[TLV_ROW_COLUMNS];
	const char
		*marks; /* a column beside these that counts rows worth a warning (tlv_rows); NULL: none */
	bool small_scan; /* workers for tables that look small */
	bool shippable;	 /* left where they are as long as no raw rows of foreign tables travel */
	bool once;		 /* read by one pass: never stored; its columns are the query's, one by one */
	bool foreign;	 /* the last pass has read foreign tables */
	bool elsewhere;	 /* these, or tables that an extension spreads over servers */
	bool split;		 /* an extension computes aggregates over them from those of their parts */
	bool apart;		 /* the parts of a UNION ALL are passed over one by one */
	bool weighed;	 /* they take more than a pass would send to where they are */
	bool sets;		 /* its symbols are items of sets, not steps: a NULL among them skips the row */
	int required;	 /* the first columns of the query, whose nulls skip a row; 0: all of them */
	Bitmapset *skipped;			 /* columns of the query, from 0, that are no dimensions */
	Bitmapset *numbers;			 /* those that are numbers beside categories */
	const char *skipped_columns; /* these, or variables that are none, as a message has them */
	int skipped_n;				 /* how many these are */
	const char *skipped_hint;	 /* NULL: that of the warning's code */
	const char *lacking;		 /* what a row without a null may lack; NULL: nothing */
	double null_total;			 /* nulls of the next ones */
	const char *null_columns;	 /* once they are counted: tlv_rows; "": none is known */
	bool counted;				 /* by a pass over all of them, as the next two say (tlv_rows) */
	double count, other_count, marked;
	tlv_row_form form; /* and what follows: for the procedure (tlv_rows) */
	size_t width[3];
	tlv_names *names;
} TlvSource;

/* Sources: the rows, and known labels. */
#define TLV_SOURCES 2

/* The same for a fit. */
typedef struct TlvPassSource
{
	tlv_source source; /* first */
	TlvDriver *driver;
	int number;
} TlvPassSource;

/* An error's message about a number of a row with the name of its column or variable in the place
 * of the position; any other message, and NULL, as it is. */
extern const char *TlvNameNumber(const TlvSource *rows, const char *message);

struct TlvDriver
{
	MemoryContext mcxt;	  /* of all that follows */
	MemoryContext values; /* what passes have given, until it is dropped */
	TlvWork *work;		  /* of the fit */
	tlv_context *ctx;	  /* the work's */
	Oid function;		  /* that was called */
	const char *weights;  /* the column of the query that has the weights of its rows; or NULL */
	int k;				  /* that the call gives, for hints; 0: none */
	TlvSource rows[TLV_SOURCES];
	TlvPassSource sources[TLV_SOURCES];
	instr_time start;
	int passes;
};

/* Begins the definition of a function that runs the caller's query, argument 0, and is NULL where
 * that is NULL. */
#define TLV_DRIVER_FUNCTION(name)                                                                  \
	static Datum name##_learn(PG_FUNCTION_ARGS);                                                   \
	TLV_QUERY_FUNCTION(name)                                                                       \
	{                                                                                              \
		if (PG_ARGISNULL(0))                                                                       \
			PG_RETURN_NULL();                                                                      \
		return name##_learn(fcinfo);                                                               \
	}                                                                                              \
	static Datum name##_learn(PG_FUNCTION_ARGS)

/* Starts the clock; everything lives in a child of the current context, which is switched to. */
extern TlvDriver *TlvDriverBegin(FunctionCallInfo fcinfo);

/* Gives everything back and returns to the context that TlvDriverBegin found. */
extern void TlvDriverEnd(TlvDriver *driver);

/* Is the function's argument errors true? */
extern bool TlvWantsErrors(FunctionCallInfo fcinfo);

/* Are the options such as the procedure takes?  Asked before the query is looked at; they stay
 * until the end. */
extern void TlvDriverCheck(TlvDriver *driver, const tlv_procedure *procedure, const void *options);

/* The rows, for whoever learns from them without a procedure; the readers are done. */
extern tlv_source *TlvDriverSource(TlvDriver *driver);

/* Runs the procedure; the model and what is in driver->ctx stay until TlvDriverEnd. */
extern void TlvDriverRunProcedure(TlvDriver *driver, const tlv_procedure *procedure,
								  const void *options, tlv_held *model);

/* Runs the procedure, ends the driver and returns the model, or NULL (TlvFailed). */
extern Datum TlvDriverLearn(FunctionCallInfo fcinfo, TlvDriver *driver,
							const tlv_procedure *procedure, const void *options);

/* ---- for the readers ---- */

/* Analyses the text of a source (0: the rows); what says in an error what it should read. */
extern TlvSource *TlvSourceOpen(TlvDriver *driver, int source, const char *text, const char *what);

/* One more column of a row; rows->made must give it that name. */
extern void TlvSourceColumn(TlvSource *rows, const char *name, Oid type);

/* How often the rows are read, and what it takes to make them. */
typedef enum TlvSourceUse
{
	TLV_SOURCE_ONCE,  /* by one pass: never stored; each column is that of the query */
	TLV_SOURCE_AGAIN, /* by more: stored unless the query is repeatable */
	TLV_SOURCE_MADE	  /* they are grouped or pivoted first: stored */
} TlvSourceUse;

/* Before a reader looks at the query's rows more than once: unless it is repeatable it is run now,
 * and held until TlvQueryRelease. */
extern void TlvSourceHold(TlvSource *rows);

/* rows->made is written, and the rows are ready for passes. */
extern void TlvSourceReady(TlvSource *rows, TlvSourceUse use);

/* A statement over the rows is begun, its select list appended, then this; conditions may follow.
 */
extern void TlvSourceBegin(TlvSource *rows, TlvStatement *statement);
extern void TlvSourceFrom(TlvSource *rows, TlvStatement *statement);

/* Counts a pass that is not of the procedure and tells of it. */
extern void TlvDriverReport(TlvDriver *driver, const char *what);

#endif /* TLV_DRIVER_H */
