/*
 * html.h - what pages and pictures share (html.c).
 */
#ifndef TENSORLV_PG_HTML_H
#define TENSORLV_PG_HTML_H

#include "server/tlv_pg.h"

#include "tensorlv/num/json.h"

/* Argument i as JSON; NULL if it is. */
extern tlv_json *TlvExamplesArgument(FunctionCallInfo fcinfo, int i, tlv_context *ctx);

#endif /* TENSORLV_PG_HTML_H */
