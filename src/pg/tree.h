/*
 * tree.h - what the SQL of latent trees shares.
 */
#ifndef TLV_TREES_H
#define TLV_TREES_H

#include "server/tlv_pg.h"

#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/model/tree_learn.h"
#include "tensorlv/model/tree_pictures.h"

/* Arguments from `first` on: states, structure, z, metric, shrinkage, significance,
 * observed_inside, regularise. */
#define TLV_TREE_ARGUMENTS 8
extern void TlvTreeOptions(FunctionCallInfo fcinfo, int first, tlv_tree_learn_options *options);

/* Arguments (states, metric, shrinkage): NULL gives the usual. */
extern void TlvTreeDistanceOptions(FunctionCallInfo fcinfo, int states, int metric, int shrinkage,
								   tlv_tree_distance_options *options);

/* A groups argument: the variable of every column, from 1; NULL leaves the options as they are. */
extern void TlvTreeGroups(FunctionCallInfo fcinfo, int argument,
						  tlv_tree_distance_options *options);

/* Names as the fit takes them, each ended by '\n'.  Errors: NULL, empty or equal names, such that
 * hidden nodes have (h1, h2, ...), and line ends. */
extern char *TlvTreeNames(size_t n, char *const *names, size_t *length);

/* The fit, in the current memory context. */
extern struct varlena *TlvTreeFit(struct varlena *moments, const tlv_tree_learn_options *options);

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

#endif /* TLV_TREES_H */
