/*
 * keys.c - columns of tables that tell rows apart (keys.h).
 */
#include "keys.h"

#include "server/tlv_pg.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* The columns of the primary key, which a table and a partitioned one may have. */
static const Bitmapset *
keys_key_of(Oid table)
{
	char kind = get_rel_relkind(table);
	Oid constraint;

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return NULL;
	return get_primary_key_attnos(table, true, &constraint);
}

bool
TlvIsKey(Oid table, AttrNumber column)
{
	const Bitmapset *key = keys_key_of(table);

	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, key) &&
		   bms_num_members(key) == 1;
}

void
TlvRefuseKey(Oid table, AttrNumber column, const char *name, const char *hint)
{
	const Bitmapset *key = keys_key_of(table);

	if (!bms_is_member(column - FirstLowInvalidHeapAttributeNumber, key))
		return;
	if (bms_num_members(key) > 1)
		TlvRaiseWarning(ERRCODE_WARNING, "identifying_column",
						psprintf("column \"%s\" is a part of the primary key of \"%s\", and is "
								 "taken as a dimension",
								 name, get_rel_name(table)),
						NULL, "Omit it if it only identifies rows.");
	else
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" is the primary key of \"%s\" and not a dimension",
							   name, get_rel_name(table)),
						errhint("%s", hint)));
}
