/*
 * tree.h - what the SQL of latent trees shares.
 */
#ifndef TLV_TREES_H
#define TLV_TREES_H

#include "server/tlv_pg.h"

#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/model/tree_learn.h"
#include "tensorlv/model/tree_pictures.h"

/* A tree model opened for reading, with the names of its nodes, until TlvWorkEnd(work). */
typedef struct TlvTreeModel
{
	TlvWork *work;
	tlv_frame frame;
	tlv_tree_parts parts;
	char **names; /* of all nodes */
} TlvTreeModel;

/* The names of all nodes. */
extern char **TlvTreeNames(tlv_context *ctx, const tlv_tree_parts *parts);

extern TlvTreeModel TlvTreeOpen(FunctionCallInfo fcinfo, int argument, const char *function);

/* What the states of the nodes are called. */
typedef struct TlvTreeStates
{
	tlv_code_names names;
	size_t *first; /* of the p variables: their first name */
} TlvTreeStates;

/* Of a tree of categories; memory of the current context. */
extern TlvTreeStates TlvTreeStatesOf(const tlv_tree_parts *parts);

/* State x of node v: its number, which is the category where all categories of the variable are
 * whole numbers, and its name; hidden nodes' states have numbers only. */
extern TlvCell TlvTreeState(const TlvTreeStates *states, size_t v, int64 x);
extern TlvCell TlvTreeStateName(const TlvTreeStates *states, size_t v, int64 x);

/* A drawing of the tree that is argument 0 in UTF-8, in the current memory context. */
extern char *TlvTreeSvg(FunctionCallInfo fcinfo);

#endif /* TLV_TREES_H */
