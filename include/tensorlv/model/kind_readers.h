/*
 * kind_readers.h - which SQL functions read the parts of a model, for hints.
 */
#ifndef TENSORLV_KIND_READERS_H
#define TENSORLV_KIND_READERS_H

#include "tensorlv/model/kind.h"

/* "tlv_topics and tlv_topic_items" for topics; NULL where the kind is no model. */
extern const char *tlv_kind_readers(const tlv_kind *kind);

#endif
