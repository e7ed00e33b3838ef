/*
 * documents_query.c - documents from a driver's query (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* A bag or rows of documents, and nothing else. */
static const char *const accepted =
	"It must return (doc, item bigint or text [, count]), or one column of type tlv_bag.";

/* Columns of (doc, item [, count]); are the items text? */
static bool
recognize_columns(TupleDesc desc)
{
	Oid item;

	if (desc->natts != 2 && desc->natts != 3)
		TlvRefuseColumns(desc, "documents", accepted);
	item = getBaseType(TupleDescAttr(desc, 1)->atttypid);
	if (!TlvIsTextType(item) && !TlvIsIntegerType(item))
		TlvRefuseColumns(desc, "documents", accepted);
	if (desc->natts == 3 && !TlvIsNumberType(getBaseType(TupleDescAttr(desc, 2)->atttypid)))
		TlvRefuseColumns(desc, "documents", accepted);
	return TlvIsTextType(item);
}

/* (doc, item [, count]) rows grouped into bags. */
static void
group_documents(TlvSource *rows, bool text)
{
	bool counted = rows->query->desc->natts == 3;
	const char *aggregate = TlvStatementCall(&rows->made, "tlv_bag_agg", counted ? 2 : 1,
											 (Oid[]){text ? TEXTOID : INT8OID, FLOAT8OID}, NULL);

	/* IS NOT NULL would refuse a document that is a row with a NULL in it. */
	appendStringInfo(&rows->made.sql,
					 "SELECT %s(item::pg_catalog.%s%s) AS bag FROM " TLV_QUERY_ROWS
					 " AS q(doc, item%s) WHERE doc IS DISTINCT FROM NULL GROUP BY doc",
					 aggregate, text ? "text" : "int8", counted ? ", n::pg_catalog.float8" : "",
					 counted ? ", n" : "");
}

/* ---- terms ---- */

typedef struct TermList
{
	MemoryContext mcxt;
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
	terms->ids[terms->n++] = id;
	terms->offsets[terms->n] = terms->text.len;
	pfree(term);
	MemoryContextSwitchTo(before);
}

static void
collect_terms(TlvSource *rows)
{
	TermList terms = {.mcxt = rows->query->mcxt, .room = 1024};
	MemoryContext before = MemoryContextSwitchTo(terms.mcxt);
	TlvStatement statement;

	terms.ids = palloc(terms.room * sizeof(int64_t));
	terms.offsets = palloc0((terms.room + 1) * sizeof(int64_t));
	initStringInfo(&terms.text);
	TlvStatementBegin(&statement, rows->query);
	appendStringInfo(&statement.sql,
					 "SELECT %s(term) AS id, term FROM (SELECT DISTINCT item::pg_catalog.text "
					 "COLLATE pg_catalog.\"C\" AS term FROM " TLV_QUERY_ROWS " AS q(doc, item)) "
					 "AS t WHERE term IS NOT NULL ORDER BY 1, 2",
					 TlvStatementCall(&statement, "tlv_term_id", 1, (Oid[]){TEXTOID}, NULL));
	TlvDriverReport(rows->driver, "collecting the terms");
	(void) TlvStatementRun(&statement, 2, (Oid[]){INT8OID, TEXTOID}, take_term, &terms);
	rows->names = palloc0(sizeof(tlv_names));
	rows->names->n = terms.n;
	rows->names->ids = terms.ids;
	rows->names->offsets = terms.offsets;
	rows->names->text = terms.text.data;
	MemoryContextSwitchTo(before);
}

void
TlvReadDocuments(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "documents");
	TupleDesc desc = rows->query->desc;
	Oid bag = TlvQueryType(rows->query, "tlv_bag");
	bool terms;

	rows->form = TLV_ROW_BAG;
	TlvSourceColumn(rows, "bag", bag);
	if (desc->natts == 1 && getBaseType(TupleDescAttr(desc, 0)->atttypid) == bag)
	{
		appendStringInfo(&rows->made.sql,
						 "SELECT bag::%s.tlv_bag AS bag FROM " TLV_QUERY_ROWS " AS q(bag)",
						 rows->query->schema);
		TlvSourceReady(rows, TLV_SOURCE_AGAIN);
		return;
	}
	terms = recognize_columns(desc);
	group_documents(rows, terms);
	if (terms)
		TlvSourceHold(rows);
	TlvSourceReady(rows, TLV_SOURCE_MADE);
	if (terms)
		collect_terms(rows);
	TlvSourceRelease(rows);
}
