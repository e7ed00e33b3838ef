/*
 * tuning.h - numbers that decide the inference of one document's topics.
 */
#ifndef TENSORLV_TOPICS_TUNING_H
#define TENSORLV_TOPICS_TUNING_H

#include "tensorlv/num/tuned.h"

/*
 * Change of a proportion, and gain in nats that a Newton step towards the mode promises, at which
 * they have converged.
 */
#define TLV_TOPIC_INFER_CHANGE TLV_TUNED(TLV_TOPIC_INFER_CHANGE, 1e-4)

/* Largest change of a logarithm in one of them: exp is steep. */
#define MODE_MOST_MOVE TLV_TUNED(MODE_MOST_MOVE, 2.0)

/* Least alpha of a topic, relative to the mean: a smaller one could never grow again. */
#define LEAST_RELATIVE_ALPHA TLV_TUNED(LEAST_RELATIVE_ALPHA, 1e-2)

#endif /* TENSORLV_TOPICS_TUNING_H */
