/*
 * planned.c - what a plan of the server says of a statement: whether its rows are elsewhere, and
 * how many there can be (query_internal.h).
 */
#include "query.h"

#include <float.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "query_internal.h"

/* ---- rows of other servers ---- */

static bool
is_aggregate(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Aggref) || expression_tree_walker(node, is_aggregate, context);
}

bool
TlvAnyPlanFetches(const List *plans)
{
	ListCell *cell;

	foreach (cell, plans)
		if (TlvPlanFetches(lfirst(cell)))
			return true;
	return false;
}

bool
TlvPlanFetches(const Plan *plan)
{
	if (plan == NULL)
		return false;
	switch (nodeTag(plan))
	{
		case T_ForeignScan:
			return !is_aggregate((Node *) ((const ForeignScan *) plan)->fdw_scan_tlist, NULL);
		case T_Append:
			return TlvAnyPlanFetches(((const Append *) plan)->appendplans);
		case T_MergeAppend:
			return TlvAnyPlanFetches(((const MergeAppend *) plan)->mergeplans);
		case T_SubqueryScan:
			return TlvPlanFetches(((const SubqueryScan *) plan)->subplan);
		case T_CustomScan:
			return TlvAnyPlanFetches(((const CustomScan *) plan)->custom_plans);
		default:
			return TlvPlanFetches(plan->lefttree) || TlvPlanFetches(plan->righttree);
	}
}

bool
TlvPlanReadsForeignTables(const PlannedStmt *plan)
{
	ListCell *cell;

	foreach (cell, plan->rtable)
		if (lfirst_node(RangeTblEntry, cell)->relkind == RELKIND_FOREIGN_TABLE)
			return true;
	return false;
}

bool
TlvPlanIsRemoteScan(const Plan *plan)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return IsA(plan, CustomScan) && scan->scan.scanrelid == 0 && scan->custom_plans == NIL;
}

bool
TlvPlanReadsElsewhere(const Plan *plan)
{
	if (plan == NULL)
		return false;
	if (IsA(plan, SubqueryScan))
		return TlvPlanReadsElsewhere(((const SubqueryScan *) plan)->subplan);
	return TlvPlanIsRemoteScan(plan) || TlvPlanReadsElsewhere(plan->lefttree) ||
		   TlvPlanReadsElsewhere(plan->righttree);
}

/* ---- how many rows there can be ---- */

/* Of a table of the server's own kind: as many as its pages can hold. */
static double
most_rows_of_table(Oid table)
{
	Relation relation = table_open(table, NoLock);
	double most = relation->rd_rel->relam == HEAP_TABLE_AM_OID
					  ? (double) RelationGetNumberOfBlocks(relation) * MaxHeapTuplesPerPage
					  : DBL_MAX;

	table_close(relation, NoLock);
	return most;
}

double
TlvPlanMostRows(const PlannedStmt *planned, const Plan *plan)
{
	double sum = 0;
	ListCell *cell;

	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return most_rows_of_table(
				rt_fetch(((const Scan *) plan)->scanrelid, planned->rtable)->relid);
		case T_Append:
			foreach (cell, ((const Append *) plan)->appendplans)
				sum += TlvPlanMostRows(planned, lfirst(cell));
			return sum;
		case T_SubqueryScan:
			return TlvPlanMostRows(planned, ((const SubqueryScan *) plan)->subplan);
		case T_Gather:
		case T_GatherMerge:
		case T_Sort:
		case T_Limit:
			return TlvPlanMostRows(planned, plan->lefttree);
		default:
			return DBL_MAX;
	}
}
