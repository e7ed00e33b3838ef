/*
 * tuning.h - numbers that decide how latent trees are learnt.
 */
#ifndef TENSORLV_TREE_TUNING_H
#define TENSORLV_TREE_TUNING_H

#include "tensorlv/num/tuned.h"

/* EM iterations by belief propagation where none are given. */
#define USUAL_STEPS TLV_TUNED(USUAL_STEPS, 10)

/* Replicates with an edge from which on its length has a standard error. */
#define LEAST_LENGTHS TLV_TUNED(LEAST_LENGTHS, 10)

#endif /* TENSORLV_TREE_TUNING_H */
