/*
 * tuning.h - numbers that decide latent trees and factor analyses of vectors.
 */
#ifndef TENSORLV_TREE_GAUSSIAN_TUNING_H
#define TENSORLV_TREE_GAUSSIAN_TUNING_H

#include "tensorlv/num/tuned.h"

/* EM iterations of a model. */
#define STEPS_MODEL TLV_TUNED(STEPS_MODEL, 1000)

/* EM iterations from each initial estimate, and while the number is chosen. */
#define FACTOR_STEPS_FIRST TLV_TUNED(FACTOR_STEPS_FIRST, 20)

/* Gain in log-likelihood a row below which EM ends. */
#define STEP_GAIN TLV_TUNED(STEP_GAIN, 1e-7)

/* Work of the climb. */
#define CLIMB_WORK TLV_TUNED(CLIMB_WORK, 5e9)

/*
 * Least correlation of a hidden node with a variable in an initial estimate: 0 of a constant
 * column leaves a matrix singular.
 */
#define START_LEAST TLV_TUNED(START_LEAST, 0.2)

/* Largest correlation in an initial estimate. */
#define START_MOST TLV_TUNED(START_MOST, 0.98)

/* Largest correlation of an edge. */
#define EDGE_MOST TLV_TUNED(EDGE_MOST, 0.9999)

#endif /* TENSORLV_TREE_GAUSSIAN_TUNING_H */
