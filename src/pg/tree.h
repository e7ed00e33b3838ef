/*
 * tree.h - what the SQL of latent trees shares.
 */
#ifndef TLV_TREES_H
#define TLV_TREES_H

#include "server/tlv_pg.h"

#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/model/tree_learn.h"
#include "tensorlv/model/tree_pictures.h"

/* A tree model opened for reading, with the names of its nodes. */
typedef struct TlvTreeModel
{
	TlvWork *work;
	tlv_frame frame;
	tlv_tree_parts parts;
	char **names; /* of all nodes */
} TlvTreeModel;

extern TlvTreeModel TlvTreeOpen(FunctionCallInfo fcinfo, int argument, const char *function);
extern void TlvTreeClose(TlvTreeModel *model);

/* A drawing of the tree that is argument 0, in the current memory context. */
extern char *TlvTreeSvg(FunctionCallInfo fcinfo);

#endif /* TLV_TREES_H */
