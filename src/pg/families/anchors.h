/*
 * anchors.h - anchors that a call gives: "anchors", one text a topic or one row of texts.
 */
#ifndef TLV_ANCHORS_H
#define TLV_ANCHORS_H

#include "server/tlv_pg.h"

#include "tensorlv/model/lda.h"

typedef struct TlvGivenAnchors
{
	size_t n;	   /* topics */
	size_t *first; /* n + 1 */
	const char **texts;
	int64 *items; /* once TlvFindAnchors has run */
} TlvGivenAnchors;

/* Reads the array, a text[]. */
extern void TlvReadAnchors(Datum array, TlvGivenAnchors *given);

/* The items that the texts stand for: of terms their tlv_term_id, else the numbers that they are.
 */
extern void TlvFindAnchors(const TlvGivenAnchors *given, bool terms);

#endif /* TLV_ANCHORS_H */
