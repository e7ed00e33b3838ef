/*
 * documents_query.c - documents from a driver's query (queries.h).
 */
#include "rows/queries.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* A document in one value, or its rows, and nothing else. */
static const char *const accepted =
	"It must return (doc, item bigint or text [, count]), or a tlv_bag, tlv_bag[], tsvector or "
	"text[] of items a document, alone or as (doc, ...).";

static const char *const accepted_sets = "It must return (set, item bigint or text), or the items "
										 "of a set as integer[], bigint[], text[], "
										 "tlv_bag or tsvector, alone or as (set, ...).";

static const char *
column_name(TupleDesc desc, int column)
{
	return quote_identifier(TlvColumnName(desc, column));
}

/* The call that tokenises a column of text, behind the first one where that is another. */
static char *
hint_lexemes(const TlvSource *rows, int text)
{
	TupleDesc desc = rows->query->desc;
	Oid type = TlvColumnType(desc, text);
	bool cast = !TlvIsTextType(type) && type != JSONOID && type != JSONBOID;
	char *lexemes = psprintf("to_tsvector(%s%s)", column_name(desc, text), cast ? "::text" : "");

	if (text > 0)
		lexemes = psprintf("%s, %s", column_name(desc, 0), lexemes);
	return TlvHintCall(rows, NULL, lexemes,
					   rows->driver->k > 0 ? psprintf("k => %d", rows->driver->k) : "");
}

/* The last column of text, or -1. */
static int
text_column(TupleDesc desc)
{
	for (int i = desc->natts - 1; i >= 0; i--)
		if (TlvIsTextType(TlvColumnType(desc, i)))
			return i;
	return -1;
}

/* Numbers alone, or a vector: rows of a mixture, not documents. */
static bool
are_vectors(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	bool numbers = desc->natts > 0;

	for (int i = 0; i < desc->natts; i++)
		numbers &= TlvIsNumberType(TlvColumnType(desc, i));
	return numbers || (desc->natts == 1 && TlvVectorCast(rows, 0) != NULL);
}

/* Refuses the columns; of texts and of vectors the hint is the call that reads them. */
static _Noreturn void
refuse_columns(TlvSource *rows, const char *what, const char *columns)
{
	TupleDesc desc = rows->query->desc;
	const char *function = get_func_name(rows->driver->function);
	bool suggest = strcmp(function, "tlv_suggest_k") == 0;
	int text = text_column(desc);

	if (text >= 0)
		columns = psprintf("Use %s for documents of text.", hint_lexemes(rows, text));
	else if ((suggest || strcmp(function, "tlv_lda") == 0) && are_vectors(rows))
		columns = psprintf("Use %s for rows of numbers.",
						   suggest ? TlvHintColumns(rows, NULL, "model => 'gmm'")
								   : TlvHintColumns(rows, "tlv_gmm", ""));
	TlvRefuseColumns(desc, what, columns);
	pg_unreachable();
}

/* Columns of (doc, item [, count]); are the items told by text? */
static bool
recognize_columns(TlvSource *rows, const char *what, const char *columns)
{
	TupleDesc desc = rows->query->desc;
	Oid item;

	if (desc->natts != 2 && desc->natts != 3)
		refuse_columns(rows, what, columns);
	item = TlvQueryIdType(rows->query, 1);
	if (!OidIsValid(item))
		refuse_columns(rows, what, columns);
	if (desc->natts == 3 && !TlvIsNumberType(TlvColumnType(desc, 2)))
		refuse_columns(rows, what, columns);
	return item == TEXTOID;
}

/* (doc, item [, count]) rows grouped into bags. */
static void
group_documents(TlvSource *rows, bool text)
{
	bool counted = rows->query->desc->natts == 3;
	const char *aggregate = TlvStatementCall(&rows->made, "tlv_bag_agg", counted ? 2 : 1,
											 (Oid[]){text ? TEXTOID : INT8OID, FLOAT8OID}, NULL);
	TlvGroups groups = {.name = "bag", .key = "doc"};

	groups.good = counted ? "CASE WHEN item IS NOT NULL THEN n END" : "item";
	groups.value = psprintf("%s(item::pg_catalog.%s%s)", aggregate, text ? "text" : "int8",
							counted ? ", n::pg_catalog.float8" : "");
	groups.from = psprintf(TLV_QUERY_ROWS " AS q(doc, item%s)", counted ? ", n" : "");
	TlvAppendGroups(&rows->made.sql, &groups);
}

/* ---- terms ---- */

typedef struct TermList
{
	MemoryContext mcxt;
	double words; /* of all terms */
	size_t n;
	size_t room;
	int64_t *ids;
	int64_t *offsets;
	StringInfoData text;
} TermList;

static void
grow_terms(TermList *terms)
{
	terms->room *= 2;
	terms->ids = repalloc_huge(terms->ids, terms->room * sizeof(int64_t));
	terms->offsets = repalloc_huge(terms->offsets, (terms->room + 1) * sizeof(int64_t));
}

static double
documents_query_count_words(const char *term)
{
	double words = 0;

	for (const char *at = term; *at != '\0'; at++)
		words += !isspace((unsigned char) *at) && (at == term || isspace((unsigned char) at[-1]));
	return words;
}

/* Terms come by id; two of one id are refused. */
static void
take_term(void *argument, TupleTableSlot *slot)
{
	TermList *terms = argument;
	MemoryContext before;
	int64 id;
	char *term;

	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return;
	before = MemoryContextSwitchTo(terms->mcxt);
	id = DatumGetInt64(slot->tts_values[0]);
	term = TextDatumGetCString(slot->tts_values[1]);
	if (terms->n > 0 && terms->ids[terms->n - 1] == id)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("two terms have the same tlv_term_id, one of them \"%s\"", term),
						errhint("Number the terms yourself and use bigint items.")));
	if (terms->n == terms->room)
		grow_terms(terms);
	appendStringInfoString(&terms->text, term);
	terms->words += documents_query_count_words(term);
	terms->ids[terms->n++] = id;
	terms->offsets[terms->n] = terms->text.len;
	pfree(term);
	MemoryContextSwitchTo(before);
}

static void
warn_of_texts(const TlvSource *rows, const TermList *terms)
{
	/* Terms of so many words on average are no terms: somebody has given texts. */
	const int words_of_texts = 4;

	if (terms->n > 0 && terms->words >= words_of_texts * (double) terms->n)
		TlvRaiseWarning(ERRCODE_WARNING, "whole_texts",
						psprintf("the items have %.0f words on average, and each is one item",
								 terms->words / (double) terms->n),
						NULL,
						psprintf("Use %s: text is not tokenised.",
								 hint_lexemes(rows, rows->query->desc->natts > 1 ? 1 : 0)));
}

/* A query of the caller's rows, named as in columns, for the terms that it has. */
static void
collect_terms(TlvSource *rows, const char *term, const char *from)
{
	TermList terms = {.mcxt = rows->query->mcxt, .room = 1024};
	MemoryContext before = MemoryContextSwitchTo(terms.mcxt);
	TlvStatement statement;

	terms.ids = palloc(terms.room * sizeof(int64_t));
	terms.offsets = palloc0((terms.room + 1) * sizeof(int64_t));
	initStringInfo(&terms.text);
	TlvStatementBegin(&statement, rows->query);
	appendStringInfo(&statement.sql,
					 "SELECT %s(term) AS id, term FROM (SELECT DISTINCT %s COLLATE "
					 "pg_catalog.\"C\" AS term FROM %s) AS t WHERE term IS NOT NULL ORDER BY 1, 2",
					 TlvStatementCall(&statement, "tlv_term_id", 1, (Oid[]){TEXTOID}, NULL), term,
					 from);
	TlvDriverReport(rows->driver, "collecting the terms");
	(void) TlvStatementRun(&statement, 2, (Oid[]){INT8OID, TEXTOID}, take_term, &terms);
	rows->names = palloc0(sizeof(tlv_names));
	rows->names->n = terms.n;
	rows->names->ids = terms.ids;
	rows->names->offsets = terms.offsets;
	rows->names->text = terms.text.data;
	warn_of_texts(rows, &terms);
	MemoryContextSwitchTo(before);
}

/* ---- a document in one value ---- */

/* The columns of the caller's query, of which the last is the document; an id before it may be
 * null.
 */
static const char *
document_columns(TlvSource *rows, const TupleDesc desc)
{
	if (desc->natts == 1)
		return "q(document)";
	rows->skipped = bms_make_singleton(0);
	return "q(doc, document)";
}

/* Bags, or arrays of them. */
static void
read_bags(TlvSource *rows, TupleDesc desc, bool arrays)
{
	appendStringInfo(&rows->made.sql,
					 arrays ? "SELECT b::%s.tlv_bag AS bag FROM " TLV_QUERY_ROWS
							  " AS %s, pg_catalog.unnest(document) AS b"
							: "SELECT document::%s.tlv_bag AS bag FROM " TLV_QUERY_ROWS " AS %s",
					 rows->query->schema, document_columns(rows, desc));
	TlvSourceReady(rows, TLV_SOURCE_AGAIN);
}

/* Lexemes, which stay in the model as the names of its items. */
static void
read_lexemes(TlvSource *rows, TupleDesc desc)
{
	const char *columns = document_columns(rows, desc);

	appendStringInfo(
		&rows->made.sql,
		"SELECT %s(document::pg_catalog.tsvector) AS bag FROM " TLV_QUERY_ROWS " AS %s",
		TlvStatementCall(&rows->made, "tlv_to_bag", 1, (Oid[]){TSVECTOROID}, NULL), columns);
	TlvSourceHold(rows);
	TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	collect_terms(rows, "lexeme::pg_catalog.text",
				  psprintf(TLV_QUERY_ROWS
						   " AS %s, pg_catalog.unnest(document::pg_catalog.tsvector) "
						   "AS u(lexeme, positions, weights)",
						   columns));
	TlvQueryRelease(rows->query);
}

/* Arrays of items that are texts, which stay in the model as their names; one that has a
 * NULL is left out and counted. */
static void
read_terms(TlvSource *rows, TupleDesc desc)
{
	const char *columns = document_columns(rows, desc);
	const char *aggregate = TlvStatementCall(&rows->made, "tlv_bag_agg", 1, (Oid[]){TEXTOID}, NULL);

	appendStringInfo(
		&rows->made.sql,
		"SELECT CASE WHEN document IS NOT NULL THEN (SELECT CASE WHEN pg_catalog.count(u.item) "
		"OPERATOR(pg_catalog.=) pg_catalog.count(*) THEN COALESCE(%s(u.item::pg_catalog.text), "
		"%s(ARRAY[]::pg_catalog.text[], NULL::pg_catalog.float8[])) END FROM "
		"pg_catalog.unnest(document) AS u(item)) "
		"END AS "
		"bag FROM " TLV_QUERY_ROWS " AS %s",
		aggregate,
		TlvStatementCall(&rows->made, "tlv_to_bag", 2, (Oid[]){TEXTARRAYOID, FLOAT8ARRAYOID}, NULL),
		columns);
	TlvSourceHold(rows);
	TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	collect_terms(
		rows, "item::pg_catalog.text",
		psprintf(TLV_QUERY_ROWS " AS %s, pg_catalog.unnest(document) AS u(item)", columns));
	TlvQueryRelease(rows->query);
}

/* Arrays of whole numbers, as bigint[]; one that has a NULL is left out and counted. */
static bool
read_arrays_of_items(TlvSource *rows, TupleDesc desc)
{
	Oid last =
		desc->natts == 1 || desc->natts == 2 ? TlvColumnType(desc, desc->natts - 1) : InvalidOid;
	Oid element = OidIsValid(last) ? get_element_type(last) : InvalidOid;

	if (!OidIsValid(element) || !TlvIsIntegerType(getBaseType(element)))
		return false;
	rows->form = TLV_ROW_SYMBOLS;
	rows->sets = true;
	TlvSourceColumn(rows, "active", INT8ARRAYOID);
	appendStringInfo(
		&rows->made.sql,
		"SELECT CASE WHEN pg_catalog.array_position(document::pg_catalog.int8[], NULL) "
		"IS NULL THEN document::pg_catalog.int8[] END AS active FROM " TLV_QUERY_ROWS " AS %s",
		document_columns(rows, desc));
	TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	return true;
}

/* Is a document one value, with its number before it or alone?  Then it is read. */
static bool
read_documents_in_one(TlvSource *rows, TupleDesc desc, Oid bag)
{
	Oid last =
		desc->natts == 1 || desc->natts == 2 ? TlvColumnType(desc, desc->natts - 1) : InvalidOid;

	if (last == bag || (OidIsValid(last) && get_element_type(last) == bag))
		read_bags(rows, desc, last != bag);
	else if (last == TSVECTOROID)
		read_lexemes(rows, desc);
	else if (OidIsValid(last) && TlvQueryIdElement(rows->query, desc->natts - 1) == TEXTOID)
		read_terms(rows, desc);
	else
		return false;
	return true;
}

/* ---- documents, and sets ---- */

/* Documents, or what TlvReadSets reads. */
static void
read_documents(TlvDriver *driver, const char *text, const char *what, bool arrays)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, what);
	TupleDesc desc = rows->query->desc;
	Oid bag = TlvQueryType(rows->query, "tlv_bag");
	bool terms;

	rows->form = TLV_ROW_BAG;
	if (arrays && read_arrays_of_items(rows, desc))
		return;
	TlvSourceColumn(rows, "bag", bag);
	if (read_documents_in_one(rows, desc, bag))
		return;
	terms = recognize_columns(rows, what, arrays ? accepted_sets : accepted);
	group_documents(rows, terms);
	if (terms)
		TlvSourceHold(rows);
	TlvSourceReady(rows, TLV_SOURCE_MADE);
	if (terms)
		collect_terms(rows, "item::pg_catalog.text", TLV_QUERY_ROWS " AS q(doc, item)");
	TlvQueryRelease(rows->query);
}

void
TlvReadDocuments(TlvDriver *driver, const char *text)
{
	read_documents(driver, text, "documents", false);
	driver->rows[0].lacking = "a word";
}

void
TlvReadSets(TlvDriver *driver, const char *text)
{
	read_documents(driver, text, "sets", true);
}
