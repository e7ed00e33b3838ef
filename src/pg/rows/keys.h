/*
 * keys.h - columns of tables that tell rows apart, and are therefore no dimensions.
 */
#ifndef TLV_ROWS_KEYS_H
#define TLV_ROWS_KEYS_H

#include "postgres.h"

#include "access/attnum.h"

/* Is the column the table's primary key, all of it? */
extern bool TlvIsKey(Oid table, AttrNumber column);

/*
 * Refuses the column of a table by the name that the query gives it where it is the table's primary
 * key, all of it, and warns where it is a part of one.  Errors: 42804, with the hint.
 */
extern void TlvRefuseKey(Oid table, AttrNumber column, const char *name, const char *hint);

#endif /* TLV_ROWS_KEYS_H */
