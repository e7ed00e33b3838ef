/*
 * vector_query.c - the vectors behind a driver's query (vector_query.h).
 */
#include "vector_query.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "server/old_query.h"
#include "tensorlv/num/rng.h"
#include "vectors.h"

/* Rows that are fetched at a time. */
#define BATCH 1000

static const char *const accepted =
	"It must return one column, an array of numbers: SELECT array[a, b, c] FROM ...";

/* How the query's column x becomes float8[]. */
static const char *
vector_expression(TupleDesc desc)
{
	Oid type, function, element;

	if (desc->natts != 1)
		TlvRefuseColumns(desc, "vectors", accepted);
	type = getBaseType(TupleDescAttr(desc, 0)->atttypid);
	element = get_element_type(type);
	if (OidIsValid(element) && TlvIsNumberType(getBaseType(element)))
		return "x::pg_catalog.float8[]";
	/* A type of its own for vectors, as extensions have. */
	if (find_coercion_pathway(FLOAT4ARRAYOID, type, COERCION_EXPLICIT, &function) !=
		COERCION_PATH_FUNC)
		TlvRefuseColumns(desc, "vectors", accepted);
	return "x::pg_catalog.float4[]::pg_catalog.float8[]";
}

/* Does this level of a query do nothing but compute on the rows of one thing? */
static bool
is_plain(const Query *part)
{
	ListCell *cell;

	if (part->commandType != CMD_SELECT || part->hasAggs || part->hasWindowFuncs ||
		part->hasTargetSRFs || part->hasSubLinks || part->cteList != NIL ||
		part->groupClause != NIL || part->groupingSets != NIL || part->setOperations != NULL ||
		part->distinctClause != NIL || part->limitCount != NULL || part->limitOffset != NULL ||
		part->rowMarks != NIL)
		return false;
	foreach (cell, part->rtable)
		if (lfirst_node(RangeTblEntry, cell)->tablesample != NULL)
			return false;
	return list_length(part->jointree->fromlist) == 1 &&
		   IsA(linitial(part->jointree->fromlist), RangeTblRef);
}

static bool
is_stored(const RangeTblEntry *from)
{
	return from->rtekind == RTE_RELATION &&
		   (from->relkind == RELKIND_RELATION || from->relkind == RELKIND_MATVIEW ||
			from->relkind == RELKIND_PARTITIONED_TABLE);
}

bool
TlvTextRepeatable(const char *query)
{
	SPIPlanPtr plan = SPI_prepare(query, 0, NULL);
	CachedPlanSource *source;
	Query *part;

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	source = linitial(SPI_plan_get_plan_sources(plan));
	part = linitial_node(Query, source->query_list);
	if (contain_volatile_functions((Node *) part))
		return false;
	while (is_plain(part))
	{
		RangeTblRef *reference = linitial_node(RangeTblRef, part->jointree->fromlist);
		RangeTblEntry *from = list_nth(part->rtable, reference->rtindex - 1);

		if (from->rtekind != RTE_SUBQUERY)
			return is_stored(from);
		part = from->subquery;
	}
	return false;
}

void
TlvVectorQueryOpen(TlvRowSource *rows, const char *query, Oid function)
{
	const char *expression = vector_expression(TlvRowSourceProbe(rows, query, function, "vectors"));
	bool repeatable = TlvTextRepeatable(rows->query);
	char *sql;

	MemoryContextSwitchTo(rows->mcxt);
	sql = psprintf("SELECT %s AS x FROM (%s\n) AS q(x)", expression, rows->query);
	if (repeatable)
		rows->source = psprintf("FROM (%s) AS v", sql);
	else
		TlvRowSourceStore(rows, sql, "x", FLOAT8ARRAYOID);
}

size_t
TlvVectorQueryWidth(TlvRowSource *rows)
{
	char *sql = psprintf("SELECT x %s WHERE x IS NOT NULL LIMIT 1", rows->source);
	size_t width = 0;
	bool isnull;

	TlvRunQuery(sql, 0, NULL, NULL);
	if (SPI_processed > 0)
		width =
			TlvVectorsOf(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)).d;
	SPI_freetuptable(SPI_tuptable);
	pfree(sql);
	return width;
}

/* Selection sampling: every row is taken with probability wanted left / rows left. */
typedef struct Sampler
{
	tlv_rng rng;
	double left;
	size_t wanted;
	size_t d;
	size_t n;
	double *x;
} Sampler;

static void
sample_value(Sampler *sampler, Datum value)
{
	TlvVectors vectors = TlvVectorsOf(value);

	for (size_t t = 0; t < vectors.rows && sampler->n < sampler->wanted; t++)
	{
		double needed = (double) (sampler->wanted - sampler->n);

		if (vectors.d == sampler->d && tlv_rng_uniform(&sampler->rng) * sampler->left < needed)
			memcpy(sampler->x + sampler->n++ * sampler->d, vectors.x + t * vectors.d,
				   vectors.d * sizeof(double));
		sampler->left--;
	}
	if ((Pointer) vectors.array != DatumGetPointer(value))
		pfree(vectors.array);
}

void
TlvVectorQuerySample(TlvRowSource *rows, size_t d, double total, size_t wanted, uint64 seed,
					 double *x, size_t *n)
{
	Sampler sampler = {.left = total, .wanted = wanted, .d = d, .x = x};
	char *sql = psprintf("SELECT x %s", rows->source);
	Portal portal;
	bool before;

	tlv_rng_seed(&sampler.rng, tlv_mix64(seed));
	before = TlvBeginReading();
	portal = SPI_cursor_open_with_args(NULL, sql, 0, NULL, NULL, NULL, true, 0);
	do
	{
		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(portal, true, BATCH);
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			bool isnull;
			Datum value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &isnull);

			if (!isnull)
				sample_value(&sampler, value);
		}
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed > 0 && sampler.n < wanted);
	SPI_cursor_close(portal);
	TlvEndReading(before);
	rows->passes++;
	pfree(sql);
	*n = sampler.n;
}
