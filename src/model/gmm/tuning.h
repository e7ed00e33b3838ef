/*
 * tuning.h - numbers that decide mixtures of Gaussians.
 */
#ifndef TENSORLV_GMM_TUNING_H
#define TENSORLV_GMM_TUNING_H

#include "tensorlv/num/tuned.h"

/* Rounds, at most, in which every number of components begins from its neighbours once more. */
#define GMM_SWEEPS TLV_TUNED(GMM_SWEEPS, 3)

#endif /* TENSORLV_GMM_TUNING_H */
