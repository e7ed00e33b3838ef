/*
 * any_internal.h - what the files of the reader of "any" rows share: a call's row on its way to the
 * cursor, values as codes, and rows of (variable, value).
 */
#ifndef TLV_ANY_INTERNAL_H
#define TLV_ANY_INTERNAL_H

#include "any.h"

#include "access/htup_details.h"

/* A variable of a model: the id of its name, and its place. */
typedef struct AnyVariable
{
	uint64 id, at;
} AnyVariable;

/* What is known of records: of those of one type, as it was when one of them came. */
typedef struct AnyRecord
{
	uint64 version; /* of the type; 0: none has come */
	MemoryContext mcxt;
	TupleDesc desc;
	int n;		   /* columns that are there */
	int *columns;  /* their places in the tuple */
	AnyType *type; /* of each */
	Datum *values; /* of all, as those of a tuple are taken apart */
	bool *nulls;
	bool matched;	  /* what follows is known, of that model */
	tlv_digest model; /* the fingerprint */
	size_t d;
	int *order;				/* the columns that its dimensions are; NULL: all as they come */
	AnyVariable *variables; /* by id, d of them; of rows (variable, value) */
	tlv_text *names;		/* by place */
} AnyRecord;

/* The names of a model's categories, as long as it lies where it lay and is what it was. */
typedef struct AnyNames
{
	const tlv_frame_header *header; /* NULL: of none */
	tlv_digest digest;
	tlv_code_names names;
} AnyNames;

/* What a call site knows of its argument. */
typedef struct AnyRow
{
	Oid function;		/* that is called */
	MemoryContext mcxt; /* of what is kept */
	AnyType type;
	AnyRecord record;
	AnyNames names;
	TlvUnknown unknown; /* a category of the row that is open, by name */
} AnyRow;

/* A row on its way to the cursor. */
typedef struct AnyCall
{
	AnyRow *row;
	const tlv_model *model;
	unsigned takes;
	TlvRowCursor *cursor;
} AnyCall;

/* ---- any_reader.c ---- */

/* Argument 0 of a call of the reader's own is the value. */
extern void TlvAnyOpenAs(const AnyCall *call, const TlvRowReader *reader, tlv_row_form form,
						 Datum value);

/* Column i of a record (of those that are there) is of a type that the model does not take. */
extern _Noreturn void TlvAnyRefuseColumn(const AnyCall *call, int i);

/* ---- records (any_type.c) ---- */

/* Takes a record apart: its columns' values.  What is kept of its type lives in mcxt. */
extern void TlvAnyReadRecord(AnyRecord *record, HeapTupleHeader header, MemoryContext mcxt);

extern bool TlvAnyColumnIsNull(const AnyRecord *record, int i);

/* n columns of numbers, order[0], order[1], ... (NULL: all as they come), as float8[]; a column
 * that is NULL is a NULL in it, whatever its type. */
extern ArrayType *TlvAnyColumnNumbers(const AnyRecord *record, size_t n, const int *order);

/* Opens a row of d numbers as a vector. */
extern void TlvAnyOpenNumbers(const AnyCall *call, size_t d, const double *x, const bool *nulls);

/* Finds the columns of the record that the dimensions of the model are, until another model or
 * another type of row comes. */
extern void TlvAnyMatchRecord(const AnyCall *call);

/* ---- codes by name (any_codes.c) ---- */

/* A value on its way to a code. */
typedef struct AnyCode
{
	bool missing;
	bool named;	  /* by name; otherwise by number, which it holds */
	bool literal; /* of a literal, which may have meant either */
	bool dated;	  /* a date, which has a number, too */
	tlv_text name;
	TlvEquality *equality; /* of the name; NULL: it is compared by its bytes */
	double number;
} AnyCode;

/* Has the model names for the categories of its rows? */
extern bool TlvAnyCodeNames(const AnyCall *call, tlv_code_names *names);

/* Has a model of vectors names for the categories that its rows begin with? */
extern bool TlvAnyMixedNames(const AnyCall *call, tlv_code_names *names);

/* Opens the record that was read and matched as a row of categories and numbers (any_mixed.c). */
extern void TlvAnyOpenMixedColumns(const AnyCall *call, const tlv_code_names *names);

/* The same of a literal of an array or a row, its dimensions in the order of the model. */
extern void TlvAnyOpenMixedLiteral(const AnyCall *call, const tlv_code_names *names, char *given);

/* The number of a variable that a text is, in days where it is a date; *null: it is missing. */
extern double TlvAnyLiteralNumber(const AnyCall *call, size_t variable, char *shown, bool *null);

/* The fields of a row literal, (a,b,c), of n columns as an array of text or float8. */
extern ArrayType *TlvAnyRecordArray(char *given, size_t n, Oid element);

/* The code of a value that is there, of a variable whose first category is that one; NaN where the
 * model does not know it. */
extern double TlvAnyCodeNumber(const AnyCall *call, const tlv_code_names *names, size_t variable,
							   size_t first, const AnyType *type, Datum value);

/* The row of n values as codes. */
extern void TlvAnyOpenCodes(const AnyCall *call, const tlv_code_names *names, size_t n,
							const AnyCode *values);

/* The row that an array of texts or numbers, of one dimension, is. */
extern void TlvAnyOpenCodeArray(const AnyCall *call, const tlv_code_names *names, ArrayType *array,
								Oid element);

/* A value that is there as a category: numbers by number, anything else by its text. */
extern AnyCode TlvAnyCodeOf(const AnyType *type, Datum value);

/* ---- three views (any_columns.c) ---- */

/* A value that is there as the category of a view: whole numbers by number, anything else by its
 * text. */
extern void TlvPutCategory(const AnyType *type, Datum value, int view, TlvRowCursor *cursor);

/* ---- rows of (variable, value) (any_long.c) ---- */

/* Are the columns of a record such rows, ROW(array of variables, array of their values), or ROW(
 * variables, categories, numbers) under a model of both? */
extern bool TlvAnyIsLong(const AnyCall *call);
extern void TlvAnyOpenLong(const AnyCall *call);

#endif /* TLV_ANY_INTERNAL_H */
