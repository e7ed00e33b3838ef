/*
 * any.h - rows of arguments that are declared "any": what their type is, resolved once per call
 * site, and the rows that a model takes made of them.
 */
#ifndef TLV_ANY_H
#define TLV_ANY_H

#include "reader.h"

#include "access/tupdesc.h"

#include "tensorlv/model/model.h"

/* ---- types (any_type.c) ---- */

typedef enum AnyForm
{
	ANY_OTHER,
	ANY_LITERAL, /* without a type: a cstring */
	ANY_TEXT,	 /* the same in an argument that is declared text, as clients send it */
	ANY_BAG,
	ANY_BAGS, /* an array of them */
	ANY_TSVECTOR,
	ANY_NUMBER,
	ANY_ARRAY,
	ANY_CAST, /* cast to real[] */
	ANY_RECORD
} AnyForm;

typedef struct AnyType
{
	AnyForm form;
	Oid type;	  /* as it is declared */
	Oid base;	  /* without domains; of an array, of its elements */
	Oid elements; /* as the arrays themselves say it, of which base is known; or none yet */
	TlvEquality *equality; /* of its ids, or of those in an array; NULL: by their text */
	FmgrInfo cast;
	int cast_arguments;
} AnyType;

/*
 * The type of an argument: that of the expression in the call or, where an engine that takes
 * aggregates apart calls without an expression, the type that the function declares.  Errors: 42P18
 * where that is "any".
 */
extern Oid TlvAnyArgument(FunctionCallInfo fcinfo, int argument);

/* The type that the function declares for an argument. */
extern Oid TlvAnyDeclared(FunctionCallInfo fcinfo, int argument);

/* ---- types as they are written (written_types.c) ---- */

/*
 * The type of an id in an argument that is declared "any", or text.  A text is a text, whatever was
 * cast to it, but ids are equal as values of the type that the caller wrote before an implicit cast
 * are: citext, of a column.  A constant is cast when the call is planned, and is of the declared
 * type.
 */
extern void TlvIdType(FunctionCallInfo fcinfo, int argument, MemoryContext mcxt, AnyType *type);

/*
 * Error where an argument that the function declares as text or text[] (any: or as "any") is
 * written as another type (42501), or has a collation (42804), under which different strings are
 * equal: whoever calls this compares them by their bytes.  A transition function asks for the
 * arguments of its aggregate.
 */
extern void TlvRequireByteEquality(FunctionCallInfo fcinfo, bool any);

/* Is the function called for every row of that aggregate?  Not where an engine's own aggregate
 * calls it. */
extern bool TlvIsTransitionOf(Oid function, Oid aggregate);

/* ---- what a type is (any_type.c) ---- */

/* A type's, under that collation; what it keeps lives in mcxt. */
extern void TlvAnyType(Oid type, Oid collation, MemoryContext mcxt, AnyType *any);

/* A type that values of a type can be cast to and that has a cast to real[] itself, as vector is
 * for sparsevec; NULL: none. */
extern const char *TlvVectorStep(Oid type);

/* The base type of an array's elements. */
extern Oid TlvAnyElement(AnyType *any, const ArrayType *array);

/* A value of form ANY_CAST as real[], in the current memory context. */
extern ArrayType *TlvAnyCast(AnyType *any, Datum value);

/* ---- arrays (any_array.c) ---- */

/* The number that a value of such a type (TlvIsNumberType) is; of a date the days since 2000-01-01,
 * NaN for an infinite one. */
extern double TlvNumberOf(Oid type, Datum value);

/* Does TlvNumberOf read it? */
extern bool TlvAnyIsMeasure(const AnyType *type);

/*
 * Arrays of numbers of any type (TlvIsNumberType), of ids that are told by text (TlvIsIdType): the
 * same elements as float8, int8, int4 (states from 0) and text, NULL where they were.  An array
 * that is of that type is given back itself.  Errors: 22000 for a number that is not whole where it
 * must be.
 */
extern ArrayType *TlvFloat8Numbers(ArrayType *array, Oid element);
extern ArrayType *TlvInt8Numbers(ArrayType *array, Oid element);
extern ArrayType *TlvInt4Numbers(ArrayType *array, Oid element);
extern ArrayType *TlvTexts(ArrayType *array, Oid element);

/* Are the elements of an array of text integers all, or null?  What a client sends untyped are
 * numbers then. */
extern bool TlvAreNumbers(ArrayType *texts);

/* A value of any type as a cast to text has it.  Errors: 42501 for a cast of somebody else's. */
extern text *TlvTextOf(Oid base, Datum value);

/* ---- ids (answer_reader.c) ---- */

/* The id that a value of such a type (TlvIsIdType) is. */
extern int64 TlvIdOf(Oid type, Datum value);

/* The ids of an array of such elements, of one dimension, as a part. */
extern void TlvIdsOf(ArrayType *array, Oid element, tlv_part *part, TlvRowCursor *cursor);

/*
 * What an id is under a model that tells ids in the other way (any_ids.c): of a text the number
 * that it is, of a number the id of its digits.  Errors: 42804, with a hint.
 */
extern int64 TlvNumberId(tlv_text name);
extern int64 TlvDigitsId(int64 number);
extern _Noreturn void TlvRefuseNumberId(int64 number);

/* The ids of a row that is open, as the model tells them.  Errors: likewise. */
extern void TlvAnySettleIds(const tlv_model *model, TlvRowCursor *cursor);

/* ---- spellings (equality.c) ---- */

/* The equality of ids of a base type and a collation, which lives in mcxt; NULL: equal ones have
 * the same text. */
extern TlvEquality *TlvEqualityOf(Oid base, Oid collation, MemoryContext mcxt);

/* An id of a value that equal ones share, for those who need no name of it. */
extern int64 TlvEqualId(TlvEquality *equality, Datum value);

/*
 * The names in the model, of whatever, that are equal to a given one; returns how many they are.
 * They stay until the next call.
 */
extern size_t TlvEqualNames(TlvEquality *equality, const tlv_frame *model, tlv_text given,
							const tlv_text **names);

/* ---- rows (any_reader.c) ---- */

/*
 * Opens the row in an argument, which is not NULL, as one of the forms `takes` (of the model's);
 * false: there is no row after all, since a view of it is NULL, where rows have to be complete.
 * Errors: 42804, with what the model takes, for a type that is none of them.  what names the
 * function.
 */
extern bool TlvAnyOpen(FunctionCallInfo fcinfo, int argument, const tlv_model *model,
					   unsigned takes, const char *what, TlvRowCursor *cursor);

#endif /* TLV_ANY_H */
