/*
 * levels.h - communities by local moves on levels of ever larger parts of a graph, for the block
 * model with one rate inside communities and one between them.
 *
 * Blondel, Guillaume, Lambiotte, Lefebvre 2008; parts are refined before they become the nodes of
 * the next level, as Traag, Waltman, van Eck 2019 do.  The likelihood of the planted partition is
 * modularity with a resolution that follows from its two rates (Newman 2016).
 */
#ifndef TENSORLV_MMSB_LEVELS_H
#define TENSORLV_MMSB_LEVELS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/sparse.h"

typedef struct tlv_level_task
{
	tlv_csr edges;		   /* n x n, symmetric: every edge in the rows of both of its ends */
	const double *mass[2]; /* n: the ends that a node is expected to have as source and as target */
	bool sides;			   /* masses are of two sides; else of one, and both the same */
	double total;		   /* M: sum of all masses of a side */
	double resolution;	   /* what an expected edge costs, edges that are there gaining 1 */
	uint64_t seed;
	int rounds; /* over all levels, at most */
} tlv_level_task;

/*
 * Moves nodes between communities, from the labels given (0 .. n - 1), while
 * sum over communities of edges inside - resolution * edges expected there grows; *found
 * communities, labels 0 .. *found - 1.  Same seed, same labels.  Time is that of some passes over
 * the edges for every round.  Interruptible.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_levels_search(tlv_context *ctx, const tlv_level_task *task, int32_t *label,
									size_t *found);

/* Nodes by part: those of part c are members[begin[c]] and on.  Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_level_members(tlv_context *ctx, size_t n, const int32_t *part, size_t parts,
									size_t **begin, int32_t **members);

/* Bytes of work space at most. */
extern double tlv_levels_memory(const tlv_level_task *task);

#endif /* TENSORLV_MMSB_LEVELS_H */
