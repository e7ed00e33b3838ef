/*
 * tuning.h - numbers that decide the parameters of a latent tree of categories.
 */
#ifndef TENSORLV_TREE_PARAMETERS_TUNING_H
#define TENSORLV_TREE_PARAMETERS_TUNING_H

#include "tensorlv/num/tuned.h"

/* Pseudo-rows of every cell of the tables from which distances are computed. */
#define PSEUDO_ROWS TLV_TUNED(PSEUDO_ROWS, 0.5)

/* Least probability of a triple's tables that EM begins with. */
#define TRIPLE_LEAST TLV_TUNED(TRIPLE_LEAST, 1e-4)

/* The same of an edge's table, relative to the mean. */
#define EDGE_LEAST TLV_TUNED(EDGE_LEAST, 1e-2)

/* Relative change of the log-likelihood at which EM on a triple's tables has converged. */
#define TRIPLE_TOLERANCE TLV_TUNED(TRIPLE_TOLERANCE, 1e-8)

/*
 * EM iterations on a triple's tables after the decomposition, and on an edge's joint distribution.
 */
#define TRIPLE_STEPS TLV_TUNED(TRIPLE_STEPS, 30)

/* Level of the tests that a canonical correlation and the smaller ones are 0. */
#define RANK_LEVEL TLV_TUNED(RANK_LEVEL, 1e-3)

#endif /* TENSORLV_TREE_PARAMETERS_TUNING_H */
