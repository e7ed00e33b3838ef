/*
 * driver_internal.h - what driver.c, pass.c and pass_statement.c share.
 */
#ifndef TLV_DRIVER_INTERNAL_H
#define TLV_DRIVER_INTERNAL_H

#include "driver.h"

/* ---- driver.c ---- */

/* Counts a pass and logs its statement at DEBUG1. */
extern void TlvPassBegins(TlvDriver *driver, int passes_left, const char *stage,
						  const char *statement);

/* Stores the rows in a tuple store. */
extern void TlvSourceStore(TlvSource *rows);

/*
 * Before a pass: stores rows that take less than what the pass would send to their servers, and
 * rows of this server whose order the pass needs.
 */
extern void TlvSourceFetchIfLess(TlvSource *rows, const tlv_pass *pass);
extern void TlvSourceRequireOrder(TlvSource *rows, const tlv_pass *pass);

/* ---- pass.c ---- */

/* The members pass, pieces and count of a source (tlv_source). */
extern tlv_status TlvSourcePass(tlv_context *ctx, tlv_source *source, const tlv_pass *pass,
								tlv_value **values);
extern size_t TlvSourcePieces(tlv_source *source, double row_bytes);

/* ---- rows/queries/weights_query.c ---- */

/* The column of weights is hidden from the readers: they see the query without it.  Errors: 42703,
 * 42804. */
extern void TlvSourceWeigh(TlvSource *rows, const char *what);

/* Reads the weighted rows, over which the passes of the source go from here on.  Errors: 22023 for
 * a weight that is null, negative or not finite, TLV_NO_ROWS. */
extern tlv_status TlvHoldWeighted(TlvDriver *driver, tlv_source *source);

/* ---- pass_statement.c ---- */

/* Does the pass need an order that the rows do not have? */
extern bool TlvSourceNeedsOrder(const TlvSource *rows, const tlv_pass *pass);

/*
 * Bags in the order of two hashes of their contents: whatever the plan, the order of the table or
 * its workers, who walks over them sees them in the same order, which is a random one.  Arrays of
 * categories are sorted as they are.
 */
extern void TlvSourceAppendOrder(const TlvSource *rows, TlvStatement *statement, StringInfo sql);

/* The columns of a statement that count the nulls of one column of a source, at most. */
#define NULL_COLUMNS 3

/* Adds those of a column of the query that a source which is read once has in the statement of its
 * pass, from *at on, which moves behind them. */
extern void TlvTakeNulls(const TlvSource *rows, int column, const TupleTableSlot *slot, int *at,
						 TlvNulls *nulls);

/*
 * Writes the statement of a pass and its select list; types gets what its columns are: the values,
 * of a complete pass how many rows are left out, of a source that is read once the nulls of each
 * column, and where *counted is set how many rows there are.
 * Returns their number.
 */
extern int TlvPassStatement(TlvSource *rows, const tlv_pass *pass, TlvStatement *statement,
							StringInfo select, Oid *types, bool *counted);

/* After a pass that has skipped rows: names the columns of the caller's query that have nulls.
 * counted (a source that is read once) are those of the pass; rows that were held have theirs, and
 * a query that returns the same rows again is scanned. */
extern void TlvNameNullColumns(TlvSource *rows, const TlvNulls *counted);

#endif /* TLV_DRIVER_INTERNAL_H */
