/*
 * tree_pictures.h - pictures of trees: text from the arena, of UTF-8 names.
 *
 * What all pictures share is in picture.h; the page of a tree is the member page of its class
 * (model.h).
 */
#ifndef TENSORLV_TREE_PICTURES_H
#define TENSORLV_TREE_PICTURES_H

#include "tensorlv/model/tree_structure.h"

/*
 * names: of all nodes, in UTF-8; what is not becomes U+FFFD.  Numbers have a point and at most six
 * decimals, whatever the locale.  The text ends in a zero byte.
 *
 * Newick: one tree in a line for every component, with lengths and, where known, the support in
 * percent: h1[&support=98]:0.35.  Names are quoted where the format asks; control characters, which
 * it has no way to write, become spaces.
 */
extern tlv_status tlv_tree_newick(tlv_context *ctx, const tlv_tree *tree, const char *const *names,
								  char **text);
/* Graphviz: an undirected graph with lengths ("len"), widths by strength and support as labels. */
extern tlv_status tlv_tree_dot(tlv_context *ctx, const tlv_tree *tree, const char *const *names,
							   char **text);
/*
 * A self-contained drawing: the tree's centre in the middle, the names of observed nodes on a ring
 * around it, hidden nodes as dots; every inner node stands between its parent and the ring in
 * proportion to the length of its edge on the longest path below (very short edges are drawn
 * longer).  Edges are wider where the dependence is stronger, dashed below a support of 50 percent.
 * The size grows with the number of names so that they do not overlap.  No script, no font but
 * generic families; edges and nodes say what they are when pointed at.
 */
extern tlv_status tlv_tree_svg(tlv_context *ctx, const tlv_tree *tree, const char *const *names,
							   char **text);

#endif /* TENSORLV_TREE_PICTURES_H */
