/*
 * tuning.h - numbers that decide how latent trees are learnt.
 */
#ifndef TENSORLV_TREE_TUNING_H
#define TENSORLV_TREE_TUNING_H

#include "tensorlv/num/tuned.h"

/* EM iterations by belief propagation where none are given. */
#define USUAL_STEPS TLV_TUNED(USUAL_STEPS, 10)

/* Gain in log-likelihood a variable of a row at which they end. */
#define TREE_TOLERANCE TLV_TUNED(TREE_TOLERANCE, 1e-5)

/* Variables of a tree with a hidden node. */
#define HIDDEN_LEAST TLV_TUNED(HIDDEN_LEAST, 3)

/* Replicates with an edge from which on its length has a standard error. */
#define LEAST_LENGTHS TLV_TUNED(LEAST_LENGTHS, 10)

#endif /* TENSORLV_TREE_TUNING_H */
