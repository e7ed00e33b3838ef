/*
 * reader.h - rows as they come from SQL: one reader per kind of row turns the arguments of a call
 * into tlv_row, one after the other.
 *
 * Many observations in one datum and what is NULL are the readers' business; what a row may hold is
 * the business of the class that takes it.
 */
#ifndef TLV_READER_H
#define TLV_READER_H

#include "server/tlv_pg.h"

#include "utils/array.h"

#include "tensorlv/model/row.h"

/* How ids of a type that takes several spellings for equal are compared (any.h). */
typedef struct TlvEquality TlvEquality;

#define TLV_NO_PART SIZE_MAX

/* An element of a row that the model does not know. */
typedef struct TlvUnknown
{
	bool found;	 /* what follows is the first of the row */
	size_t part; /* the variable, or the part of the row, that it is of; TLV_NO_PART: a variable */
	tlv_text name;
} TlvUnknown;

/* The rows of one call. */
typedef struct TlvRowCursor
{
	size_t left;	/* observations to come */
	size_t rows;	/* all of them */
	size_t nulls;	/* left out because they were NULL */
	bool many;		/* they came in an array: so does what is made of each */
	int parts;		/* of a row, whose numbers lie one behind the other in memory */
	int texts;		/* the reader's */
	int n_owned;	/* what must be freed at the end */
	void *owned[6]; /* copies that were made */
	Datum *bags;	/* an array of bags, or NULL */
	bool *bag_nulls;
	tlv_row row; /* the current one */
	int64_t ids[3];
	tlv_text names[3];
	TlvEquality *equality[3]; /* of the ids in a part; NULL: they are compared by their text */
	/* The model whose rows they are, where rows with elements that it does not know are counted;
	 * or NULL. */
	const struct tlv_model *model;
	TlvUnknown unknown; /* that the reader has found */
	Oid function;		/* that reads them, where they are counted */
	Datum words;		/* the tsvector, or */
	double *numbers;	/* of a row of codes that has ranges, its numbers, NaN elsewhere; or NULL */
	ArrayType *strings; /* the array of strings, that the bag is made of; 0 and NULL: of neither */
	const tlv_frame *named; /* the model whose dimensions' names errors tell, or NULL */
} TlvRowCursor;

/*
 * Beside what a class takes: rows with a NULL element that it does not know as missing are left
 * out and counted (nulls), as aggregates do, instead of being refused.
 */
#define TLV_ROWS_COMPLETE 0x40000000u

typedef struct TlvRowReader TlvRowReader;

/*
 * A reader.  forms: those that it can make of its arguments, most natural first, 0 ends them; the
 * first that the class takes is made, or, where it takes none, refused.
 */
struct TlvRowReader
{
	int arguments;
	tlv_row_form forms[4];
	/* Reads arguments first, first + 1, ...; none that must not be is NULL.  cursor->row.form says
	 * what to make of them, takes what else the class takes (TLV_ROWS_MISSING_...). */
	void (*open)(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor);
	/* The row is what the model of the state makes of the argument (any.h), and open is NULL. */
	bool of_model;
	/* Under a model, the ids in the row become those of the model of the state (any.h). */
	bool settled;
	/* Arguments at the end that may be NULL in a row. */
	int optional;
	/* Which ids of a row are texts, whose hashes they are: 1 the first, 2 the second, 4 the third;
	 * the others are bigint. */
	int texts;
};

/* The form that a reader makes for a class with that set. */
static inline tlv_row_form
TlvRowForm(const TlvRowReader *reader, unsigned takes)
{
	for (int i = 0; i < (int) lengthof(reader->forms) && reader->forms[i] != 0; i++)
		if ((takes & reader->forms[i]) != 0)
			return reader->forms[i];
	return reader->forms[0];
}

/* Are the arguments NULL, so that there is no row?  Where views may be missing only if all are. */
static inline bool
TlvRowIsNull(FunctionCallInfo fcinfo, int first, const TlvRowReader *reader, unsigned takes)
{
	int nulls = 0;

	for (int i = 0; i < reader->arguments - reader->optional; i++)
		nulls += PG_ARGISNULL(first + i);
	return (takes & TLV_ROWS_MISSING_VIEWS) != 0 ? nulls == reader->arguments : nulls > 0;
}

/* Of one row of that form, which is then put into it. */
static inline void
TlvCursorBegin(TlvRowCursor *cursor, tlv_row_form form)
{
	cursor->left = cursor->rows = 1;
	cursor->nulls = 0;
	cursor->many = false;
	cursor->parts = 0;
	cursor->n_owned = 0;
	cursor->bags = NULL;
	cursor->model = NULL;
	cursor->words = (Datum) 0;
	cursor->strings = NULL;
	cursor->numbers = NULL;
	cursor->named = NULL;
	for (int p = 0; p < (int) lengthof(cursor->equality); p++)
		cursor->equality[p] = NULL;
	cursor->row.form = form;
	cursor->row.weight = 0;
}

/* Opens the rows of a call, of a form of the reader's; then Next until it is false; Close frees
 * what was copied. */
static inline void
TlvCursorOpen(FunctionCallInfo fcinfo, int first, const TlvRowReader *reader, tlv_row_form form,
			  unsigned takes, TlvRowCursor *cursor)
{
	TlvCursorBegin(cursor, form);
	cursor->texts = reader->texts;
	reader->open(fcinfo, first, takes, cursor);
}

/* Counts the current row if the model of the cursor does not know an element of it, for the warning
 * of the statement (unknown.c). */
extern void TlvCountUnknown(TlvRowCursor *cursor);

/* What a variable of a model is called; NULL: it has no name. */
extern char *TlvNameOfVariable(const tlv_frame *model, size_t variable);
/* The same as an identifier; its number where it has no name. */
extern const char *TlvVariableName(const tlv_frame *model, size_t variable);

/* Element i of a vector is there and not finite: 22003, with the name of the number where the model
 * is not NULL and has it. */
extern _Noreturn void TlvRefuseNumber(const tlv_frame *model, size_t i);
/* TlvCheck() of a row of that model: an error about one of its numbers has the number's name. */
extern void TlvCheckRow(tlv_context *ctx, const tlv_frame *model, tlv_status status);

/* Whether an element of a row is one that the model knows, and is there (unknown.c). */
extern bool TlvRowIsKnown(const struct tlv_model *model, const tlv_row *row);

/* Of rows that are many. */
extern bool TlvCursorNextOfMany(TlvRowCursor *cursor);
extern void TlvCursorFree(TlvRowCursor *cursor);

static inline bool
TlvCursorNext(TlvRowCursor *cursor)
{
	bool next;

	if (cursor->rows != 1 || cursor->bags != NULL)
		next = TlvCursorNextOfMany(cursor);
	else
		next = cursor->left-- == 1;
	if (next && cursor->model != NULL)
		TlvCountUnknown(cursor);
	return next;
}

static inline void
TlvCursorClose(TlvRowCursor *cursor)
{
	if (cursor->n_owned > 0 || cursor->bags != NULL)
		TlvCursorFree(cursor);
}

/* What Close shall free; NULL is allowed. */
static inline void
TlvCursorOwn(TlvRowCursor *cursor, void *copy)
{
	if (copy != NULL)
		cursor->owned[cursor->n_owned++] = copy;
}

/* The copy that detoasting a datum made, or NULL. */
#define TLV_COPY_OF(pointer, datum)                                                                \
	((Pointer) (pointer) != DatumGetPointer(datum) ? (void *) (pointer) : NULL)

/* The rows of a float8[], of the form in the cursor. */
extern void TlvOpenVectors(ArrayType *array, unsigned takes, TlvRowCursor *cursor);

/* Three of them side by side, of which some may be NULL; each has the same number of rows. */
extern void TlvOpenViews(ArrayType *views[3], unsigned takes, TlvRowCursor *cursor);

/* ---- the readers ---- */
extern const TlvRowReader TlvBagRows;		  /* tlv_bag */
extern const TlvRowReader TlvBagArrayRows;	  /* tlv_bag[] */
extern const TlvRowReader TlvNeighbourRows;	  /* bigint, tlv_bag: a node and its neighbours */
extern const TlvRowReader TlvVectorRows;	  /* float8[], or rows x numbers */
extern const TlvRowReader TlvAnyVectorRows;	  /* the same, else one sequence */
extern const TlvRowReader TlvVectorSequences; /* float8[]: one sequence, steps x numbers */
/* Error: a category of a row, from 0, that is negative must not pass for one that is missing. */
extern _Noreturn void TlvRefuseState(size_t v, int32 value);
extern const TlvRowReader TlvIntegerRows;	  /* integer[]: categories, else numbers of a vector */
extern const TlvRowReader TlvNamedCodes;	  /* text[]: categories by name */
extern const TlvRowReader TlvAnyIntegerRows;  /* the same, else one sequence */
extern const TlvRowReader TlvSymbolSequences; /* integer[]: one sequence */
extern const TlvRowReader TlvNamedSequences;  /* text[]: the same, by name */
extern const TlvRowReader TlvViewRows;		  /* three float8[] */
extern const TlvRowReader TlvAnyTypeVectors;  /* "any": a vector of any type, or many */
extern const TlvRowReader TlvAnyThreeRows;	  /* three "any": vectors all, or categories all */
extern const TlvRowReader TlvModelRows;		  /* "any": what the model takes */
extern const TlvRowReader TlvEdgeRows;		  /* two bigints */
extern const TlvRowReader TlvWeightedEdgeRows;
extern const TlvRowReader TlvNamedEdgeRows, TlvNamedEdgeWeightedRows;	  /* two texts */
extern const TlvRowReader TlvNamedSourceRows, TlvNamedSourceWeightedRows; /* text, bigint */
extern const TlvRowReader TlvNamedTargetRows, TlvNamedTargetWeightedRows; /* bigint, text */
/* by which ids are texts: item, worker and answer; known answers, without a worker; the three
 * places of an entry of a tensor, and its value */
extern const TlvRowReader TlvAnswerRows[8], TlvGoldRows[8], TlvEntryRows[8];
extern const TlvRowReader TlvLabelRows;		 /* two ids of any types */
extern const TlvRowReader TlvCoverRows;		 /* two bigint[] */
extern const TlvRowReader TlvNamedCoverRows; /* two text[] */
extern const TlvRowReader TlvMembershipRows; /* two float8[] */

/* Are three arguments declared "any" categories, by their types? */
extern bool TlvAnyAreCategories(FunctionCallInfo fcinfo, int first);

/* ---- transition functions (server/aggregates.c) ---- */

typedef enum TlvConstantKind
{
	TLV_CONSTANT_NONE,
	TLV_CONSTANT_VALUE, /* a tlv_subspace or tlv_model */
	TLV_CONSTANT_ORDER, /* integer */
	TLV_CONSTANT_COUNT, /* integer of at least `minimum` */
	TLV_CONSTANT_SEED,	/* bigint */
	TLV_CONSTANT_REFINE /* text */
} TlvConstantKind;

typedef struct TlvConstantArgument
{
	TlvConstantKind kind;
	const char *name;
	int minimum;
} TlvConstantArgument;

/* A transition function: (state, row..., constants...); constants at the end may be left out. */
typedef struct TlvTransition
{
	const tlv_aggregate *aggregate;
	const TlvRowReader *reader;
	int row;	  /* the row's first argument */
	int constant; /* the first constant, 0: behind the row */
	TlvConstantArgument constants[3];
} TlvTransition;

extern Datum TlvAccumulate(FunctionCallInfo fcinfo, const TlvTransition *transition);

/* Adds the rows of a call, whose arguments are those of the transition function, to a live state.
 */
extern void TlvAddRows(FunctionCallInfo fcinfo, const TlvTransition *transition,
					   TlvExpanded *expanded);

/* A state has begun: if the filter of its aggregate has let the row through, later rows are added
 * to the state by the filter (server/gather.c).  fcinfo is the transition function's. */
extern void TlvGatherBegins(FunctionCallInfo fcinfo, const TlvTransition *transition,
							TlvExpanded *state);

/* A row is skipped, since a constant is NULL: the filter lets the next one through, too. */
extern void TlvGatherSkips(FunctionCallInfo fcinfo);

/*
 * The inverse of it, for windows that move: NULL where the sums are not exact, so that what is left
 * would depend on what has been taken out, and the server adds up anew.
 */
extern Datum TlvTakeAway(FunctionCallInfo fcinfo, const TlvTransition *transition);

#define TLV_TRANSITION(name, ...)                                                                  \
	TLV_FUNCTION(name)                                                                             \
	{                                                                                              \
		static const TlvTransition transition = {__VA_ARGS__};                                     \
                                                                                                   \
		return TlvAccumulate(fcinfo, &transition);                                                 \
	}

/* Two functions: the transition, and its inverse. */
#define TLV_MOVING_TRANSITION(name, inverse, ...)                                                  \
	TLV_TRANSITION(name, __VA_ARGS__)                                                              \
	TLV_FUNCTION(inverse)                                                                          \
	{                                                                                              \
		static const TlvTransition transition = {__VA_ARGS__};                                     \
                                                                                                   \
		return TlvTakeAway(fcinfo, &transition);                                                   \
	}

#endif /* TLV_READER_H */
