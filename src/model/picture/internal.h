/*
 * internal.h - what drawings share (picture.h).
 */
#ifndef TENSORLV_PICTURE_INTERNAL_H
#define TENSORLV_PICTURE_INTERNAL_H

#include "tensorlv/model/picture.h"

/* plane.c: the covariance of dimensions a and b in component j. */
extern double picture_covariance(const tlv_picture_normals *normals, size_t j, size_t a, size_t b);

/* About how wide the name of a component is in a font of that height, as tlv_picture_name writes
 * it. */
extern double picture_name_width(const tlv_picture_component *component, double font);

#endif /* TENSORLV_PICTURE_INTERNAL_H */
