/*
 * items.h - arrays of which entries of a bag are made (bag.c).
 */
#ifndef TENSORLV_PG_ITEMS_H
#define TENSORLV_PG_ITEMS_H

#include "server/tlv_pg.h"

#include "utils/array.h"

/* An array of ids or terms; refused (53400) before it is fetched where it and its entries would
 * exceed tensorlv.work_mem. */
extern ArrayType *TlvItemArray(Datum array);

#endif /* TENSORLV_PG_ITEMS_H */
